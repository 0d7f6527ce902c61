"""One trial of the batch, looked at closely: its course over time, and the room at a few telling moments.

Both are drawn from the log's records alone, through the same frames as the replay window.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.percept import NEEDS
from logs.reader import open_log
from sim.frame import Frame
from sim.frame_fold import opening, take
from sim.stage import Stage, stage_of
from trials.metrics_body import CRITICAL
from trials.report_html import Html, commands, join, tag
from trials.report_plots import KIND_COLORS, line, svg, words

MOMENTS = 6
LEFT, WIDTH = 120, 940
CHANNEL_MARKS = {"physical": "■", "dialogue": "●", "inner_voice": "◆", "system": "▲"}
CELL = 10


@dataclass(slots=True)
class Course:
    """What the timeline shows of one log."""

    stage: Stage
    end_tick: int = 0
    needs: list[tuple[int, Mapping[str, int]]] = field(default_factory=list)
    spans: list[tuple[str, int, int]] = field(default_factory=list)
    decisions: list[tuple[int, str]] = field(default_factory=list)
    acts: list[tuple[int, str, str]] = field(default_factory=list)
    requests: list[int] = field(default_factory=list)
    frames: list[tuple[int, str, Frame]] = field(default_factory=list)

    def x(self, tick: int) -> float:
        """Return the pixel of a tick."""
        return LEFT + tick / max(1, self.end_tick) * (WIDTH - LEFT - 12)

    def clock(self, tick: int) -> str:
        """Return the time of day at a tick, with the day where there is more than one."""
        day, seconds = self.stage.clock(tick)
        text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}"
        return f"day {day}, {text}" if self.stage.clock(self.end_tick)[0] > 1 else text


def close_up(log: Path) -> Html:
    """Return the timeline and the strip of the trial in *log*, with the commands that open it."""
    course = read_course(log)
    return join([
        timeline(course),
        tag("h3", "Replay strip"),
        tag("p", "The room as it was, at moments that tell; the ring is the resident, the square the visitor.", cls="dim"),
        tag("div", [still(course, tick, why, frame) for tick, why, frame in course.frames], cls="strip"),
        tag("h3", "Ask this log"),
        commands(*_questions(log, course)),
    ])  # fmt: skip


def _questions(log: Path, course: Course) -> list[str]:
    asked = next((name for _, _, name in course.acts), "")
    path = shlex.quote(str(log))
    found = [f"oneroom replay {path}" + (f" --at {course.frames[0][0]}" if course.frames else "")]
    found += [f"oneroom why {path} --id {asked}", f"oneroom fork {path} --without {asked}"] if asked else []
    return [*found, f"oneroom verify {path}"]


def read_course(log: Path) -> Course:
    """Read the log once for what happened, and once for the frames at the chosen moments."""
    with open_log(log) as reader:
        course = Course(stage_of(reader.header))
        open_tasks: dict[str, tuple[str, int]] = {}
        told: dict[int, str] = {}
        for row in reader.records():
            course.end_tick = max(course.end_tick, row["tick"])
            _note(course, row, open_tasks, told)
        for name, since in open_tasks.values():
            course.spans.append((name, since, course.end_tick))
        course.frames = _frames(course, reader.records(), _moments(told, course.end_tick))
    return course


def _note(
    course: Course, row: dict[str, Any], open_tasks: dict[str, tuple[str, int]], told: dict[int, str]
) -> None:
    tick, kind, data = row["tick"], row["kind"], row["data"]
    if kind == "round":
        course.needs.append((tick, dict(zip(NEEDS, data["felt"], strict=False))))
    elif kind == "task":
        if data["state"] in ("started", "resumed"):
            open_tasks[row["id"]] = (data["task"], tick)
            told.setdefault(tick, f"begins: {data['task'].replace('_', ' ')}")
        elif row["id"] in open_tasks and data["state"] != "taken_on":
            name, since = open_tasks.pop(row["id"])
            course.spans.append((name, since, tick))
    elif kind == "commit":
        course.decisions.append((tick, data["decided_by"]))
    elif kind == "input":
        course.acts.append((tick, data["channel"], row["id"]))
    elif kind == "request":
        course.requests.append(tick)
    elif kind == "matter" and data["stance"] in ("accepted", "refused", "negotiating"):
        told[tick] = f"{data['stance']}: {data.get('action', '')}".strip(": ")
    elif kind == "feedback" and data.get("perceived_tick") == tick:
        told[tick] = f"perceives {row['id']}"


def _moments(told: dict[int, str], end_tick: int) -> list[tuple[int, str]]:
    """Return a few ticks, in order: what a visitor's acts led to, evenly chosen; places left go to tasks, then to plain times."""
    strong = [tick for tick, why in sorted(told.items()) if not why.startswith("begins")]
    chosen = (
        {strong[at * (len(strong) - 1) // max(1, MOMENTS - 1)] for at in range(MOMENTS)} if strong else set()
    )
    weak = sorted(told.keys() - set(strong)) + [end_tick * at // MOMENTS for at in range(1, MOMENTS)]
    while weak and len(chosen) < MOMENTS:
        # The one that lies furthest from all that are shown already.
        best = max(
            weak, key=lambda tick: (min((abs(tick - other) for other in chosen), default=tick + 1), -tick)
        )
        chosen.add(best)
        weak.remove(best)
    return [(tick, told.get(tick, "")) for tick in sorted(chosen)]


def _frames(
    course: Course, records: Iterable[dict[str, Any]], moments: list[tuple[int, str]]
) -> list[tuple[int, str, Frame]]:
    frame, found, waiting = opening(course.stage), [], list(moments)
    for row in records:
        while waiting and row["tick"] > waiting[0][0]:
            found.append((*waiting.pop(0), frame.copy()))
        take(frame, row)
    return found + [(*each, frame.copy()) for each in waiting]


# --- the timeline -------------------------------------------------------------------------------------------------


def timeline(course: Course) -> Html:
    """Return needs, tasks, decisions and the visitor's acts over the time of the trial."""
    parts: list[Html] = []
    top = 8.0
    names = [name for name, _, _ in course.spans]
    tasks = list(dict.fromkeys(sorted(names, key=names.count, reverse=True)))[:12]
    for need in NEEDS:
        parts += _need_lane(course, need, top)
        top += 24
    top += 10
    for task in tasks:
        parts.append(words(LEFT - 8, top + 11, task.replace("_", " ")[:18], "end"))
        parts.append(line(LEFT, top + 13, WIDTH - 12, top + 13))
        for start, end, count in _merged(course, [(s, e) for name, s, e in course.spans if name == task]):
            wide = max(1.5, course.x(end) - course.x(start))
            times = f"{task}: {course.clock(start)} to {course.clock(end)}" + (
                f", {count} times" if count > 1 else ""
            )
            parts.append(
                tag(
                    "rect",
                    tag("title", times),
                    x=course.x(start),
                    y=top + 2,
                    width=wide,
                    height=10,
                    fill="#56b4e9",
                    rx=2,
                )
            )
        top += 17
    top += 10
    kinds = list(dict.fromkeys(kind for _, kind in course.decisions))
    for kind in kinds:
        parts.append(words(LEFT - 8, top + 10, f"by {kind}"[:18], "end"))
        for x in _marks(course, (tick for tick, by in course.decisions if by == kind)):
            parts.append(line(x, top + 1, x, top + 11, KIND_COLORS[kind], 1.5))
        top += 15
    if course.requests:
        parts.append(words(LEFT - 8, top + 10, "asks a model", "end"))
        parts += [line(x, top + 1, x, top + 11, "#e69f00", 1.5) for x in _marks(course, course.requests)]
        top += 15
    for channel, mark in CHANNEL_MARKS.items():
        acts = [(tick, name) for tick, there, name in course.acts if there == channel]
        if acts:
            parts.append(words(LEFT - 8, top + 11, f"{mark} {channel.replace('_', ' ')}", "end"))
            parts += [
                words(
                    course.x(tick), top + 11, [mark, tag("title", f"{name}, {course.clock(tick)}")], "middle"
                )
                for tick, name in acts
            ]
            top += 17
    bottom = top + 4
    for at in range(7):
        tick = course.end_tick * at // 6
        parts.insert(0, line(course.x(tick), 4, course.x(tick), bottom, "#eee9dd"))
        parts.append(
            words(course.x(tick), bottom + 15, course.clock(tick), "end" if at == 6 else "middle", "dim")
        )
    caption = (
        f"Needs as felt (0 to 1000, dotted: critical below {CRITICAL}), tasks, decisions by who made them, "
        "acts of the visitor by channel."
    )
    return tag(
        "figure",
        svg(WIDTH, bottom + 22, "course of the trial", parts),
        tag("figcaption", caption, cls="counted"),
    )


def _marks(course: Course, ticks: Iterable[int]) -> list[float]:
    """Return the places of *ticks*, to half a pixel and each once: a long trial draws no more than can be seen."""
    return list(dict.fromkeys(round(course.x(tick) * 2) / 2 for tick in ticks))


def _merged(course: Course, spans: list[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Return *spans* as (start, end, how many), those together that lie less than half a pixel apart."""
    found: list[tuple[int, int, int]] = []
    for start, end in sorted(spans):
        if found and course.x(start) - course.x(found[-1][1]) < 0.5:
            since, until, count = found[-1]
            found[-1] = (since, max(until, end), count + 1)
        else:
            found.append((start, end, 1))
    return found


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return *points*, of each half pixel the lowest level (the largest y) and the last."""
    found: dict[int, list[tuple[float, float]]] = {}
    for x, y in points:
        here = found.setdefault(int(x * 2), [])
        here[:] = [max([*here[:1], (x, y)], key=lambda point: point[1]), (x, y)]
    return [point for here in found.values() for point in dict.fromkeys(here)]


def _need_lane(course: Course, need: str, top: float) -> list[Html]:
    points = [
        (course.x(tick), top + 20 - needs.get(need, 0) / 1000 * 20)
        for tick, needs in course.needs
        if need in needs
    ]
    points = _thinned(points)
    parts = [words(LEFT - 8, top + 15, need, "end"), line(LEFT, top + 20, WIDTH - 12, top + 20)]
    edge = top + 20 - CRITICAL / 1000 * 20
    parts.append(line(LEFT, edge, WIDTH - 12, edge, "#d55e00", 0.7, stroke_dasharray="1 4"))
    if points:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(tag("polyline", points=path, fill="none", stroke="#0072b2", stroke_width=1.6))
        x, y = points[-1]
        parts.append(tag("circle", cx=x, cy=y, r=2.2, fill="#0072b2"))
    return parts


# --- the room -----------------------------------------------------------------------------------------------------


def still(course: Course, tick: int, why: str, frame: Frame) -> Html:
    """Return the room at one moment, from above."""
    spec = course.stage.spec
    parts = [
        tag(
            "rect",
            x=0,
            y=0,
            width=spec.width * CELL,
            height=spec.height * CELL,
            fill="#f4f1ea",
            stroke="#5a626b",
            stroke_width=2,
        )
    ]
    for cell in spec.walls:
        x, y = cell % spec.width * CELL, cell // spec.width * CELL
        parts.append(tag("rect", x=x, y=y, width=CELL, height=CELL, fill="#8d8577", stroke="#8d8577"))
    for thing in frame.things.values():
        if thing.relation == "at" and thing.cell >= 0:
            parts.append(_thing(course.stage, thing))
    for name, body in frame.bodies.items():
        px, py, _ = frame.place(body, tick)
        hint = tag("title", name)
        if name == "resident":
            parts.append(
                tag(
                    "circle",
                    hint,
                    cx=px * CELL,
                    cy=py * CELL,
                    r=7,
                    fill="#fff",
                    stroke="#0072b2",
                    stroke_width=4,
                )
            )
        else:
            parts.append(
                tag(
                    "rect",
                    hint,
                    x=px * CELL - 6,
                    y=py * CELL - 6,
                    width=12,
                    height=12,
                    fill="#fff",
                    stroke="#b54700",
                    stroke_width=4,
                )
            )
    doing = frame.bodies["resident"].doing
    task = str(frame.task.get("task", "")).replace("_", " ")
    said = frame.speech("visitor", tick) or frame.speech("resident", tick)
    lines = [
        tag("b", course.clock(tick)),
        f" · {why}" if why else "",
        f" · {doing.skill.replace('_', ' ')}" if doing else "",
    ]
    lines += [f" · task: {task}"] if task and not why.endswith(task) else []
    lines += [tag("br"), f"“{said.text}” ({said.who})"] if said else []
    lines += [tag("br"), tag("code", f"--at {tick}")]
    drawing = svg(spec.width * CELL, spec.height * CELL, f"the room at tick {tick}", parts)
    return tag("figure", drawing, tag("figcaption", lines))


def _thing(stage: Stage, thing: Any) -> Html:
    x, y = thing.cell % stage.spec.width * CELL, thing.cell // stage.spec.width * CELL
    name = stage.name(thing.id, "en")
    wide, high = thing.w * CELL, thing.h * CELL
    soft = thing.kind in ("door", "window")
    box = tag("rect", tag("title", name), x=x + 0.5, y=y + 0.5, width=wide - 1, height=high - 1, fill="#e6f0f7" if soft else "#e3ded2",
              stroke="#b9b1a0", rx=2)  # fmt: skip
    if wide < 7 * len(name) * 0.55 or high < 10:
        return box
    return Html(box + words(x + wide / 2, y + high / 2 + 3, name, "middle", "dim", style="font-size:8px"))
