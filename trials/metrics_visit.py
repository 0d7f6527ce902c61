"""Metrics of the visitor's side: requests and their stances, the four channels, response times, honest feedback."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trials.metrics_form import Family, Metric, Number, Row, Span, median, per, share

CHANNELS = ("physical", "dialogue", "inner_voice", "system")
STANCES = ("accepted", "refused", "negotiating", "postponed", "ended")
HOUR_MS = 3_600_000


class Requests:
    """Every asking of a matter, until it gets its first stance, and what came of what was accepted."""

    kinds = ("matter",)

    def __init__(self, header: Mapping[str, Any]) -> None:
        self.within = int(header["params"]["answer_within_ms"]) // int(header["tick_ms"])
        self.open: dict[str, int] = {}
        self.made: dict[str, str] = {}
        self.first: dict[str, str] = {}
        self.waits: list[int] = []
        self.askings = 0
        self.in_time = 0
        self.accepted: dict[str, str] = {}

    def take(self, row: Row) -> None:
        """Follow a matter from asking to stance to outcome."""
        data, name, tick = row["data"], row["id"], int(row["tick"])
        stance = data["stance"]
        if "mark" in data and name not in self.made:
            self.made[name] = data["mark"]
        if self.made.get(name) != "request":
            return
        if "outcome" in data:
            if name in self.accepted:
                self.accepted[name] = data["outcome"]
        elif stance == "considering":
            if data.get("reason") != "came_back":
                self.askings += 1
                self.open.setdefault(name, tick)
        elif name in self.open:
            waited = tick - self.open.pop(name)
            self.waits.append(waited)
            self.in_time += waited <= self.within
            self._stance(name, stance)
        elif "waited" in data or data.get("reason") in ("speaker_left", "no_answer"):
            self._stance(name, stance)  # Postponed, and now settled: the asking was answered long ago.
        elif "asked" in data:
            self.askings += 1  # Put again while the stance stands, and told so at once.
            self.in_time += 1

    def _stance(self, name: str, stance: str) -> None:
        self.first.setdefault(name, stance)
        if stance == "accepted":
            self.accepted.setdefault(name, "")

    def values(self, span: Span) -> dict[str, Number]:
        """Return the counts. An asking too young to be overdue when the run ends is left out."""
        young = sum(span.to_tick - tick <= self.within for tick in self.open.values())
        due = self.askings - young
        first = list(self.first.values())
        carried = sum(how == "done" for how in self.accepted.values())
        return {
            "requests_put": self.askings,
            "requests_handled": share(self.in_time, due),
            "requests_accepted": share(first.count("accepted"), len(first)),
            "requests_refused": share(first.count("refused"), len(first)),
            "requests_postponed": share(first.count("postponed"), len(first)),
            "requests_carried_out": share(carried, len(self.accepted)),
            "response_ms_median": _ms(median(self.waits), span),
            "response_ms_max": _ms(max(self.waits, default=None), span),
        }


def _ms(ticks: Number, span: Span) -> Number:
    return None if ticks is None else ticks * span.tick_ms


REQUEST_METRICS = (
    Metric(
        "requests_put",
        "count",
        ("Requests put", "提出的请求"),
        ("Askings of matters marked request that were heard.", "被听到的请求次数。"),
    ),
    Metric(
        "requests_handled",
        "share",
        ("Requests handled in time", "及时处理的请求"),
        (
            "Askings that got a stance within answer_within_ms (a parameter, in the header), of those due by the end.",
            "在 answer_within_ms 内得到立场的请求，占结束前应答复者的比例。",
        ),
    ),
    Metric(
        "requests_accepted",
        "share",
        ("Requests accepted", "接受的请求"),
        ("Matters whose first stance was accepted, of those with a stance.", "首个立场为接受的事项比例。"),
    ),
    Metric(
        "requests_refused",
        "share",
        ("Requests refused", "拒绝的请求"),
        ("Matters whose first stance was refused, of those with a stance.", "首个立场为拒绝的事项比例。"),
    ),
    Metric(
        "requests_postponed",
        "share",
        ("Requests postponed", "推迟的请求"),
        ("Matters whose first stance was postponed, of those with a stance.", "首个立场为推迟的事项比例。"),
    ),
    Metric(
        "requests_carried_out",
        "share",
        ("Accepted requests carried out", "已执行的接受请求"),
        (
            "Accepted matters whose outcome was done, of all ever accepted.",
            "结果为 done 的接受事项占全部接受事项的比例。",
        ),
    ),
    Metric(
        "response_ms_median",
        "ms",
        ("Response time, median", "响应时间中位数"),
        ("Simulated time from hearing a request to its first stance.", "从听到请求到首个立场的模拟时间。"),
    ),
    Metric(
        "response_ms_max",
        "ms",
        ("Response time, longest", "最长响应时间"),
        ("Longest of the same.", "上述时间的最大值。"),
    ),
)


class Channels:
    """What went in through each channel, what was let through, perceived, agreed to and done."""

    kinds = ("input", "receipt", "feedback")

    def __init__(self, _: Mapping[str, Any]) -> None:
        self.channel: dict[str, str] = {}
        self.put_in: dict[str, int] = {}
        self.denied: dict[str, str] = {}
        self.last: dict[str, Mapping[str, Any]] = {}

    def take(self, row: Row) -> None:
        """Keep the last word on each intervention."""
        name, data = row["id"], row["data"]
        if not name:
            return
        if row["kind"] == "input":
            self.channel[name] = data["channel"]
            self.put_in[name] = int(row["tick"])
        elif row["kind"] == "receipt":
            if data["status"] != "accepted":
                self.denied[name] = data["reason"]
        else:
            self.last[name] = data

    def values(self, span: Span) -> dict[str, Number]:
        """Return counts and shares for each channel."""
        found: dict[str, Number] = {}
        delays = []
        for channel in CHANNELS:
            names = [name for name, its in self.channel.items() if its == channel]
            admitted = [name for name in names if name not in self.denied]
            rows = [self.last[name] for name in admitted if name in self.last]
            seen = [row for row in rows if row["perceived"]]
            delays += [row["perceived_tick"] - row["tick"] for row in seen]
            stances = [row["stance"] for row in rows if row["stance"]]
            ended = [row["outcome"] for row in rows if row["outcome"] in ("done", "failed")]
            found |= {
                f"{channel}_inputs": len(names),
                f"{channel}_denied": share(len(names) - len(admitted), len(names)),
                f"{channel}_perceived": share(len(seen), len(admitted)),
                f"{channel}_complied": share(stances.count("accepted"), len(stances)),
                f"{channel}_refused": share(stances.count("refused"), len(stances)),
                f"{channel}_done": share(ended.count("done"), len(ended)),
            }
        found["perception_ms_median"] = _ms(median(delays), span)
        found["inputs_per_hour"] = per(len(self.channel), HOUR_MS, span.ms)
        return found


def _channel_metrics() -> tuple[Metric, ...]:
    found = []
    for channel in CHANNELS:
        rows = (
            ("inputs", "count", "inputs", "输入", "Interventions handed in.", "提交的干预。"),
            (
                "denied",
                "share",
                "denied",
                "被拒收",
                "Denied by the gate, of all handed in.",
                "被闸门拒收的比例。",
            ),
            (
                "perceived",
                "share",
                "perceived",
                "被感知",
                "Perceived by the resident, of those admitted.",
                "准入干预中被居住者感知的比例。",
            ),
            (
                "complied",
                "share",
                "agreed to",
                "被接受",
                "Last stance accepted, of those with a stance.",
                "最后立场为接受的比例。",
            ),
            (
                "refused",
                "share",
                "refused",
                "被拒绝",
                "Last stance refused, of those with a stance.",
                "最后立场为拒绝的比例。",
            ),
            (
                "done",
                "share",
                "done",
                "完成",
                "Outcome done, of those with an outcome.",
                "有结果者中完成的比例。",
            ),
        )
        for name, unit, en, zh, long_en, long_zh in rows:
            found.append(
                Metric(
                    f"{channel}_{name}", unit, (f"{channel}: {en}", f"{channel}：{zh}"), (long_en, long_zh)
                )
            )
    found.append(
        Metric(
            "perception_ms_median",
            "ms",
            ("Time until perceived, median", "感知时间中位数"),
            ("From handing in to reaching the resident.", "从提交到居住者感知的时间。"),
        )
    )
    found.append(
        Metric(
            "inputs_per_hour",
            "count/h",
            ("Interventions an hour", "每小时干预"),
            ("All channels.", "全部通道。"),
        )
    )
    return tuple(found)


class Honesty:
    """Whether what the visitor was told is borne out by what the log says happened.

    Three statements of each row are held against the facts: it was perceived (then a percept stands at that tick),
    it was done or failed (then the room, or the commitment taken on for it, came to that end), it was denied (then
    nothing in the room or the mind stems from it).
    """

    kinds = ("receipt", "feedback", "fact", "percept", "matter", "input", "control")

    def __init__(self, _: Mapping[str, Any]) -> None:
        self.op: dict[str, str] = {}
        self.denied: dict[str, int] = {}
        self.last: dict[str, Mapping[str, Any]] = {}
        self.ended: dict[str, str] = {}
        self.acted: dict[str, int] = {}
        self.outer: dict[int, int] = {}
        self.outcomes: dict[int, list[str]] = {}
        self.said_at: dict[str, int] = {}

    def take(self, row: Row) -> None:
        """Keep both sides: what was told, and what happened."""
        kind, name, data, tick = row["kind"], row["id"], row["data"], int(row["tick"])
        if kind == "input":
            self.op[name] = data["op"]
        elif kind == "receipt":
            if data["status"] != "accepted":
                self.denied[name] = tick
        elif kind == "feedback":
            if name:
                self.last[name] = data
                self.said_at[name] = tick
        elif kind == "fact":
            for cause in row["causes"]:
                if cause.startswith("int-"):
                    self.acted[cause] = self.acted.get(cause, 0) + 1
                    if data["fact"] == "skill_ended":
                        self.ended[cause] = "done" if data["data"]["result"] == "ok" else "failed"
                    elif data["fact"] == "skill_refused":
                        self.ended[cause] = "failed"
                    elif data["fact"] in ("entered", "left"):
                        self.ended[cause] = "done"
        elif kind == "control":
            self.ended[name] = "done"
        elif kind == "percept":
            if data["sense"] not in ("body", "known"):
                self.outer[tick] = self.outer.get(tick, 0) + 1
        elif "outcome" in data:
            self.outcomes.setdefault(tick, []).append("done" if data["outcome"] == "done" else "failed")

    def values(self, _: Span) -> dict[str, Number]:
        """Return how many statements there were, and how many the facts bear out."""
        made = right = 0
        for name, row in self.last.items():
            if row["perceived"]:
                made += 1
                right += row["perceived_tick"] in self.outer and name not in self.denied
            if row["outcome"] in ("done", "failed"):
                made += 1
                right += self._true_outcome(name, row["outcome"])
        for name in self.denied:
            made += 1
            right += not self.acted.get(name)
        return {
            "feedback_statements": made,
            "feedback_honest": share(right, made),
            "denied_with_effect": sum(bool(self.acted.get(name)) for name in self.denied),
        }

    def _true_outcome(self, name: str, told: str) -> bool:
        if self.op.get(name) in ("say", "whisper"):
            return told in self.outcomes.get(self.said_at[name], ()) or (
                told == "failed" and self.ended.get(name) != "done"
            )
        if name in self.ended:
            return self.ended[name] == told
        return told == "failed" or self.op.get(name) in ("push", "leave", "walk")


HONESTY_METRICS = (
    Metric(
        "feedback_statements",
        "count",
        ("Statements made to the visitor", "对来访者的陈述"),
        ("Perceived, outcome and denial of each feedback row.", "每条反馈的感知、结果与拒收陈述。"),
    ),
    Metric(
        "feedback_honest",
        "share",
        ("Honest feedback", "诚实反馈"),
        (
            "Statements borne out by facts, percepts and outcomes in the log; must be 1.",
            "被日志中的事实、感知与结果证实的陈述比例；必须为 1。",
        ),
    ),
    Metric(
        "denied_with_effect",
        "count",
        ("Denied acts with an effect", "拒收后仍有作用的行为"),
        (
            "Denied interventions that any fact names as its cause; must be 0.",
            "被拒收却成为事实起因的干预；必须为 0。",
        ),
    ),
)

FAMILIES = (
    Family(Requests, REQUEST_METRICS),
    Family(Channels, _channel_metrics()),
    Family(Honesty, HONESTY_METRICS),
)
