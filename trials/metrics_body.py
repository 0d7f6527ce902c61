"""Metrics of the body's days: needs, sleep, meals, practices, walking, exploring.

Needs between two records are known exactly where it matters: the body feels a need cross 700, 500, 300 and 150 at
the tick at which it does, so the time spent in the critical band is read off those percepts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent.percept import NEEDS
from trials.metrics_form import DAY_MS, HOUR_MS, MINUTE_MS, Family, Metric, Number, Row, Span, per, share

RESIDENT = "resident"
CRITICAL = 150
MEALS = ("eat_cold_meal", "cook_meal")
EATING = ("eat", "eat_meal")
SLEEPS = ("sleep", "nap")
NIGHT_MS = (21 * HOUR_MS, 9 * HOUR_MS)
WALK = "walk_to"


class Needs:
    """Each need's time in the critical band, its longest stretch there and its lowest known level."""

    kinds = ("percept", "round", "digest")

    def __init__(self, _: Mapping[str, Any]) -> None:
        self.since: dict[str, int] = dict.fromkeys(NEEDS, -1)
        self.ticks: dict[str, int] = dict.fromkeys(NEEDS, 0)
        self.longest: dict[str, int] = dict.fromkeys(NEEDS, 0)
        self.lowest: dict[str, int] = {}

    def take(self, row: Row) -> None:
        """Follow the crossings; take levels where a round or a checkpoint tells them."""
        data, tick = row["data"], int(row["tick"])
        if row["kind"] == "percept":
            if data["what"] == "felt":
                felt = data["content"]
                self._turn(
                    felt["need"], tick, critical=felt["direction"] == "down" and felt["level"] <= CRITICAL
                )
                self._level(felt["need"], felt["level"])
            return
        levels = data["needs"] if row["kind"] == "digest" else dict(zip(NEEDS, data["felt"], strict=True))
        for need, level in levels.items():
            if need not in self.lowest:  # How the run began: nothing was crossed yet.
                self._turn(need, tick, critical=level < CRITICAL)
            self._level(need, level)

    def _level(self, need: str, level: int) -> None:
        self.lowest[need] = min(level, self.lowest.get(need, level))

    def _turn(self, need: str, tick: int, *, critical: bool) -> None:
        since = self.since[need]
        if critical and since < 0:
            self.since[need] = tick
        elif not critical and since >= 0:
            self.ticks[need] += tick - since
            self.longest[need] = max(self.longest[need], tick - since)
            self.since[need] = -1

    def values(self, span: Span) -> dict[str, Number]:
        """Return the values, a stretch that still lasts at the end included."""
        for need in NEEDS:
            self._turn(need, span.to_tick, critical=False)
        whole = span.to_tick - span.from_tick
        known = bool(self.lowest) and whole > 0
        found: dict[str, Number] = {}
        for need in NEEDS:
            found[f"need_ok_{need}"] = share(whole - self.ticks[need], whole) if known else None
            found[f"need_critical_max_min_{need}"] = (
                per(self.longest[need], span.tick_ms, MINUTE_MS) if known else None
            )
            found[f"need_lowest_{need}"] = self.lowest.get(need)
        found["needs_ok"] = share(whole - max(self.ticks.values()), whole) if known else None
        found["needs_critical_max_min"] = (
            per(max(self.longest.values()), span.tick_ms, MINUTE_MS) if known else None
        )
        return found


def _need_metrics() -> tuple[Metric, ...]:
    found = [
        Metric(
            "needs_ok",
            "share",
            ("Time out of the critical band, worst need", "最差需要的非危急时间比例"),
            ("The smallest need_ok of the nine.", "九个需要的 need_ok 中最小者。"),
        ),
        Metric(
            "needs_critical_max_min",
            "min",
            ("Longest critical stretch of any need", "任一需要最长危急时段"),
            ("The largest need_critical_max_min of the nine.", "九个需要的 need_critical_max_min 中最大者。"),
        ),
    ]
    for need in NEEDS:
        found += [
            Metric(
                f"need_ok_{need}",
                "share",
                (f"{need}: time out of the critical band", f"{need}：非危急时间比例"),
                (
                    "Ticks at which the need was at least 150, of all ticks, from the percepts of its crossings.",
                    "该需要不低于 150 的时刻数占全部时刻的比例，按越界感知计算。",
                ),
            ),
            Metric(
                f"need_critical_max_min_{need}",
                "min",
                (f"{need}: longest critical stretch", f"{need}：最长危急时段"),
                (
                    "Longest unbroken time below 150, in simulated minutes.",
                    "连续低于 150 的最长时间，单位为模拟分钟。",
                ),
            ),
            Metric(
                f"need_lowest_{need}",
                "thousandths",
                (f"{need}: lowest level", f"{need}：最低水平"),
                (
                    "Lowest level at a round, an hourly checkpoint or a crossing.",
                    "各轮、每小时检查点与越界处的最低水平。",
                ),
            ),
        ]
    return tuple(found)


class Sleep:
    """When the resident slept, as the room knows it."""

    kinds = ("fact",)

    def __init__(self, header: Mapping[str, Any]) -> None:
        self.start_ms = int(header["declaration"]["start_ms"])
        self.tick_ms = int(header["tick_ms"])
        persona = header["persona"]
        self.own_night = (int(persona["bed_ms"]), int(persona["wake_ms"]))
        self.began = -1
        self.slept: list[tuple[int, int]] = []

    def take(self, row: Row) -> None:
        """Note where a sleep begins and ends."""
        data = row["data"]
        if data["doer"] != RESIDENT or data["skill"] not in SLEEPS:
            return
        if data["fact"] == "skill_started":
            self.began = int(row["tick"])
        elif data["fact"] == "skill_ended" and self.began >= 0:
            self.slept.append((self.began, int(row["tick"])))
            self.began = -1

    def values(self, span: Span) -> dict[str, Number]:
        """Return hours a day and where in the day they lay."""
        slept = [*self.slept, *([(self.began, span.to_tick)] if self.began >= 0 else [])]
        stretches = [
            (self.start_ms + begin * self.tick_ms, self.start_ms + end * self.tick_ms) for begin, end in slept
        ]
        total = sum(end - begin for begin, end in stretches)
        long_enough = span.whole_days > 0
        days = self._noon_to_noon(span, stretches)
        return {
            "sleep_h_per_day": per(total, DAY_MS, span.ms * HOUR_MS) if long_enough else None,
            "sleep_h_day_min": per(min(days), 1, HOUR_MS) if days else None,
            "sleep_h_day_max": per(max(days), 1, HOUR_MS) if days else None,
            "sleep_night_share": share(sum(inside(each, NIGHT_MS) for each in stretches), total),
            "sleep_own_night_share": share(sum(inside(each, self.own_night) for each in stretches), total),
        }

    def _noon_to_noon(self, span: Span, stretches: list[tuple[int, int]]) -> list[int]:
        begin, end = (self.start_ms + tick * self.tick_ms for tick in (span.from_tick, span.to_tick))
        noon = -(-(begin - DAY_MS // 2) // DAY_MS) * DAY_MS + DAY_MS // 2
        found = []
        while noon + DAY_MS <= end:
            found.append(sum(max(0, min(b, noon + DAY_MS) - max(a, noon)) for a, b in stretches))
            noon += DAY_MS
        return found


def inside(stretch: tuple[int, int], night: tuple[int, int]) -> int:
    """Return how many ms of *stretch* (ms since midnight of day 0) fall into *night* (times of day, may wrap)."""
    begin, end = stretch
    fall, rise = night
    length = (rise - fall) % DAY_MS
    first = begin // DAY_MS - 1
    nights = ((day * DAY_MS + fall, day * DAY_MS + fall + length) for day in range(first, end // DAY_MS + 1))
    return sum(max(0, min(end, to) - max(begin, at)) for at, to in nights)


SLEEP_METRICS = (
    Metric(
        "sleep_h_per_day",
        "h/day",
        ("Hours asleep a day", "每日睡眠小时"),
        (
            "Time in the skills sleep and nap per 24 h; None below one day.",
            "技能 sleep 与 nap 的时间折合每 24 小时；不足一天为空。",
        ),
    ),
    Metric(
        "sleep_h_day_min",
        "h",
        ("Fewest hours asleep from noon to noon", "正午至正午最少睡眠"),
        ("Least sleep in a whole day from noon to noon.", "完整的正午至正午日中最少的睡眠。"),
        "day",
    ),
    Metric(
        "sleep_h_day_max",
        "h",
        ("Most hours asleep from noon to noon", "正午至正午最多睡眠"),
        ("Most sleep in a whole day from noon to noon.", "完整的正午至正午日中最多的睡眠。"),
        "day",
    ),
    Metric(
        "sleep_night_share",
        "share",
        ("Share of sleep at night", "夜间睡眠比例"),
        ("Share of the time asleep between 21:00 and 09:00.", "睡眠时间中 21:00 至 09:00 之间的比例。"),
    ),
    Metric(
        "sleep_own_night_share",
        "share",
        ("Share of sleep in the persona's own night", "自身夜间睡眠比例"),
        (
            "Share of the time asleep between the persona's bed and wake times.",
            "睡眠时间中人物就寝至起床之间的比例。",
        ),
    ),
)


class Days:
    """What was done on each whole day of 24 h from the first tick."""

    kinds = ("task", "practice", "skill", "fact")

    def __init__(self, header: Mapping[str, Any]) -> None:
        self.day_ticks = DAY_MS // int(header["tick_ms"])
        self.meals: list[int] = []
        self.set_out: set[str] = set()
        """Commitments whose task is a meal."""
        self.eating: set[str] = set()
        """Commands that belong to one of these and eat."""
        self.practices: list[tuple[int, str]] = []
        self.tasks: dict[str, int] = {}

    def take(self, row: Row) -> None:
        """Note meals and practices."""
        data, tick, kind = row["data"], int(row["tick"]), row["kind"]
        if kind == "practice":
            self.practices.append((tick, row["id"]))
        elif kind == "skill":
            if data["skill"] in EATING and not self.set_out.isdisjoint(row["causes"]):
                self.eating.add(row["id"])
        elif kind == "fact":
            # Eaten is eaten, whether or not the dishes were put away afterwards.
            if data["fact"] == "skill_ended" and data["data"]["result"] == "ok" and not self.eating.isdisjoint(row["causes"]):
                self.meals.append(tick)
        elif data["state"] == "done":
            self.tasks[data["task"]] = self.tasks.get(data["task"], 0) + 1
        elif data["task"] in MEALS:
            self.set_out.add(row["id"])

    def values(self, span: Span) -> dict[str, Number]:
        """Return counts a day."""
        days = span.whole_days
        meals = [0] * days
        practised: list[set[str]] = [set() for _ in range(days)]
        for tick in self.meals:
            day = (tick - span.from_tick) // self.day_ticks
            if day < days:
                meals[day] += 1
        for tick, name in self.practices:
            day = (tick - span.from_tick) // self.day_ticks
            if day < days:
                practised[day].add(name)
        different = [len(names) for names in practised]
        return {
            "meals_per_day": share(sum(meals), days),
            "meals_day_min": min(meals, default=None),
            "meals_day_max": max(meals, default=None),
            "practices_per_day": share(sum(different), days),
            "practices_day_min": min(different, default=None),
            "tasks_different": len(self.tasks),
        }


DAY_METRICS = (
    Metric(
        "meals_per_day",
        "count/day",
        ("Meals a day", "每日正餐"),
        (
            "Portions that the world confirmed as eaten in the tasks eat_cold_meal and cook_meal, per whole day.",
            "在 eat_cold_meal 与 cook_meal 任务中经世界确认吃下的份数，按整日平均。",
        ),
        "day",
    ),
    Metric(
        "meals_day_min",
        "count",
        ("Fewest meals on a day", "单日最少正餐"),
        ("Least of the whole days.", "整日中的最小值。"),
        "day",
    ),
    Metric(
        "meals_day_max",
        "count",
        ("Most meals on a day", "单日最多正餐"),
        ("Most of the whole days.", "整日中的最大值。"),
        "day",
    ),
    Metric(
        "practices_per_day",
        "count/day",
        ("Different practices a day", "每日不同习惯"),
        (
            "Different practices with a practice record, mean of the whole days.",
            "有 practice 记录的不同习惯数，整日平均。",
        ),
        "day",
    ),
    Metric(
        "practices_day_min",
        "count",
        ("Fewest different practices on a day", "单日最少不同习惯"),
        ("Least of the whole days.", "整日中的最小值。"),
        "day",
    ),
    Metric(
        "tasks_different",
        "count",
        ("Different tasks done", "完成的不同任务"),
        ("Different task templates that ended done.", "以完成结束的不同任务模板数。"),
    ),
)


class Moves:
    """Walking, and what was met or looked into for the first time."""

    kinds = ("fact", "ordinal", "task")

    def __init__(self, _: Mapping[str, Any]) -> None:
        self.path: list[int] = []
        self.steps = 0
        self.met: dict[str, int] = {"thing": 0, "region": 0}
        self.explored = 0
        self.first_tick = -1

    def take(self, row: Row) -> None:
        """Count the cells of walks that were really reached."""
        data, tick = row["data"], int(row["tick"])
        self.first_tick = tick if self.first_tick < 0 else self.first_tick
        if row["kind"] == "ordinal":
            if tick > self.first_tick:
                self.met["region" if data["kind"] == "region" else "thing"] += data["kind"] != "person"
        elif row["kind"] == "task":
            self.explored += data["state"] == "done" and data["task"] in ("explore_room", "inspect")
        elif data["doer"] == RESIDENT and data["skill"] == WALK:
            if data["fact"] == "skill_started":
                self.path = list(data.get("path_ticks", ()))
            elif data["fact"] == "skill_ended":
                self._arrive(tick)

    def _arrive(self, tick: int) -> None:
        self.steps += sum(at <= tick for at in self.path)
        self.path = []

    def values(self, span: Span) -> dict[str, Number]:
        """Return the counts."""
        self._arrive(span.to_tick)
        return {
            "walk_cells_per_hour": per(self.steps, HOUR_MS, span.ms),
            "explored_new": self.met["thing"] + self.met["region"],
            "explored_done": self.explored,
        }


MOVE_METRICS = (
    Metric(
        "walk_cells_per_hour",
        "cells/h",
        ("Cells walked an hour", "每小时行走格数"),
        (
            "Cells of walk paths reached by the resident, per simulated hour.",
            "居住者行走路径实际到达的格数，按模拟小时计。",
        ),
    ),
    Metric(
        "explored_new",
        "count",
        ("Things and regions newly met", "新遇到的物与区域"),
        ("Ordinals of things and regions made after the first tick.", "首个时刻之后新编号的物与区域。"),
    ),
    Metric(
        "explored_done",
        "count",
        ("Explorations done", "完成的探索"),
        ("Tasks explore_room and inspect done.", "完成的 explore_room 与 inspect 任务。"),
    ),
)

FAMILIES = (
    Family(Needs, _need_metrics()),
    Family(Sleep, SLEEP_METRICS),
    Family(Days, DAY_METRICS),
    Family(Moves, MOVE_METRICS),
)
