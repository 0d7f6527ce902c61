"""What led to what: the records of a stretch of log as a graph, causes both ways, from the log alone.

Most links are written down (`causes`, ids within `data`). Three are not, because the mind must not hold world ids, and
are found again here as the kernel made them: a percept stems from the fact of its own tick that says the same thing;
a round was woken by what was perceived and by what ended at its tick; a commitment begins with the commit before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]
OPENING = ("taken_on", "started", "resumed")
SET_ASIDE = ("paused", "replaced")


@dataclass(slots=True)
class Graph:
    """Rows in order, with the numbers of each one's causes and effects."""

    rows: list[Row] = field(default_factory=list)
    causes: list[list[int]] = field(default_factory=list)
    effects: list[list[int]] = field(default_factory=list)
    named: dict[str, list[int]] = field(default_factory=dict)

    def last(self, name: str, *kinds: str) -> int | None:
        """Return the number of the last row called *name* (of one of *kinds*), or None."""
        for number in reversed(self.named.get(name, ())):
            if not kinds or self.rows[number]["kind"] in kinds:
                return number
        return None


def link(rows: Iterable[Row]) -> Graph:
    """Return the graph of *rows*, which stand in the order of the log."""
    return _Linker().run(rows)


class _Linker:
    """Walks down the rows once and finds the causes of each among those before it."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.tick = -1
        self.now: list[int] = []
        self.since_round: list[int] = []
        self.origins: dict[int, int] = {}
        self.world: dict[int, str] = {}

    def run(self, rows: Iterable[Row]) -> Graph:
        graph = self.graph
        for row in rows:
            if row["tick"] != self.tick:
                self.tick, self.now, self.since_round = row["tick"], [], []
            number = len(graph.rows)
            finder = FINDERS.get(row["kind"])
            found = [] if finder is None else [each for each in finder(self, row) if each is not None]
            graph.rows.append(row)
            graph.causes.append(list(dict.fromkeys(found)))
            graph.effects.append([])
            for cause in graph.causes[-1]:
                graph.effects[cause].append(number)
            if row["id"]:
                graph.named.setdefault(row["id"], []).append(number)
            self._remember(number, row)
        return graph

    def _remember(self, number: int, row: Row) -> None:
        kind, data = row["kind"], row["data"]
        self.now.append(number)
        if kind == "ordinal":
            self.world[data["ordinal"]] = data["world"]
        elif kind == "percept":
            self.origins[data["origin"]] = number
        if kind == "round":
            self.since_round = []
        else:
            self.since_round.append(number)

    def latest(self, kind: str, fits: Callable[[Row], bool] = lambda row: True) -> int | None:
        """Return the number of the last row of *kind* at this tick that fits."""
        for number in reversed(self.now):
            row = self.graph.rows[number]
            if row["kind"] == kind and fits(row):
                return number
        return None

    def by_cause(self, row: Row) -> list[int | None]:
        return [self.graph.last(cause, "skill", "input") for cause in row["causes"]]

    def of_input(self, row: Row) -> list[int | None]:
        return [self.graph.last(row["id"], "input")]

    def of_feedback(self, row: Row) -> list[int | None]:
        percept = self.latest("percept") if row["data"].get("perceived_tick") == row["tick"] else None
        return [self.graph.last(row["id"], "input"), percept, self.latest("matter")]

    def of_percept(self, row: Row) -> list[int | None]:
        """A percept stems from the fact, or the inner voice, of its own tick that says the same thing."""
        written = [self.graph.last(cause) for cause in row["causes"]]
        if written:
            return list(written)
        data, content = row["data"], row["data"]["content"]
        what = data["what"]
        if what == "voice":
            return [self.latest("input", lambda each: each["data"]["text"] == content["text"])]
        if what == "outcome":
            return [self.latest("fact", lambda each: content["command"] in each["causes"])]
        if what == "speech":
            return [self.latest("fact", lambda each: _words(each).get("text") == content["text"])]
        if what == "person":
            return [self.latest("fact", lambda each: each["data"]["fact"] in ("entered", "left", "speech"))]
        if what == "act":
            return [self.latest("fact", lambda each: _ended(each, content["skill"]))]
        if what == "sound":
            return [self.latest("fact", lambda each: content["sound"] in _sounds(each))]
        name = self.world.get(data["of"], "")
        return (
            [self.latest("fact", lambda each: bool(name) and _touches(each, name))] if what == "thing" else []
        )

    def of_matter(self, row: Row) -> list[int | None]:
        data = row["data"]
        commit = self.latest("commit", lambda each: each["data"]["matter"] == row["id"])
        if "outcome" in data:
            return [self.graph.last(row["id"], "matter"), self.latest("percept"), commit]
        heard = [self.origins.get(origin) for origin in data.get("origins", ())]
        return [commit, self.graph.last(row["id"], "matter"), *heard]

    def of_round(self, _: Row) -> list[int | None]:
        """Whatever was perceived, ended or ruled at this tick since the last round."""
        kinds = ("percept", "matter", "ruling", "task", "control")
        rows = self.graph.rows
        return [
            n
            for n in self.since_round
            if rows[n]["kind"] in kinds and rows[n]["data"].get("sense") != "known"
        ]

    def of_request(self, row: Row) -> list[int | None]:
        return [self.graph.last(cause, "round", "matter") for cause in row["causes"]]

    def of_part(self, row: Row) -> list[int | None]:
        return [self.graph.last(row["id"].rpartition(".")[0], "ruling", "request")]

    def of_reply(self, row: Row) -> list[int | None]:
        return [self.graph.last(row["id"], "part")]

    def of_ruling(self, row: Row) -> list[int | None]:
        prefix = row["id"] + "."
        reply = self.latest("reply", lambda each: each["id"].startswith(prefix))
        return [reply if reply is not None else self.graph.last(row["id"], "request")]

    def of_answer(self, row: Row) -> list[int | None]:
        return [self.graph.last(row["id"], "ruling")]

    def of_commit(self, row: Row) -> list[int | None]:
        ruled = [self.graph.last(cause, "ruling") for cause in row["causes"] if cause.startswith("req-")]
        return [
            *ruled,
            *(self.graph.last(cause, "round") for cause in row["causes"] if cause.startswith("rnd-")),
        ]

    def of_task(self, row: Row) -> list[int | None]:
        state = row["data"]["state"]
        before = self.graph.last(row["id"], "task")
        if state in OPENING or state in SET_ASIDE:
            return [self.latest("commit"), before]
        return [before, self.latest("percept", lambda each: each["data"]["what"] == "outcome")]

    def of_skill(self, row: Row) -> list[int | None]:
        words = row["data"]["words"]
        if words and words.get("matter"):
            return [self.graph.last(words["matter"], "matter")]
        return [self.graph.last(cause, "task") for cause in row["causes"]] if not words else []

    def of_experience(self, row: Row) -> list[int | None]:
        its = row["data"]["row"]
        return [self._ended_task()] if its[9] == "own" else [self.origins.get(its[8])]

    def of_learning(self, row: Row) -> list[int | None]:
        data = row["data"]
        if row["kind"] in ("practice", "goal") or data.get("domain") in (
            "skill",
            "method",
            "feeling",
            "goal",
        ):
            return [self._ended_task()]
        if row["kind"] == "belief":
            return (
                [self.graph.last(f"per-{data['percept']}")] if "percept" in data else [self.latest("percept")]
            )
        origin = data.get("origin")
        return [self.origins.get(origin) if origin else self.latest("percept")]

    def _ended_task(self) -> int | None:
        return self.latest("task", lambda each: each["data"]["state"] not in OPENING)


def _words(row: Row) -> Row:
    found: Row = row["data"]["data"].get("words") or {}
    return found


def _ended(row: Row, skill: str) -> bool:
    return (row["data"]["fact"], row["data"]["skill"]) == ("skill_ended", skill)


def _sounds(row: Row) -> tuple[str, ...]:
    inner = row["data"]["data"]
    return (str(inner.get("event", "")), str(inner.get("sound", "")), row["data"]["fact"])


def _touches(row: Row, name: str) -> bool:
    data = row["data"]
    changed = any(each[0] == name for each in data["data"].get("changed", ()))
    return changed or (data["subject"] == name and data["fact"] in ("state", "event"))


FINDERS: dict[str, Callable[[_Linker, Row], list[int | None]]] = {
    "receipt": _Linker.of_input,
    "feedback": _Linker.of_feedback,
    "control": _Linker.of_input,
    "fact": _Linker.by_cause,
    "percept": _Linker.of_percept,
    "matter": _Linker.of_matter,
    "round": _Linker.of_round,
    "request": _Linker.of_request,
    "part": _Linker.of_part,
    "reply": _Linker.of_reply,
    "ruling": _Linker.of_ruling,
    "answer": _Linker.of_answer,
    "commit": _Linker.of_commit,
    "task": _Linker.of_task,
    "skill": _Linker.of_skill,
    "experience": _Linker.of_experience,
    "belief": _Linker.of_learning,
    "learn": _Linker.of_learning,
    "relation": _Linker.of_learning,
    "boundary": _Linker.of_learning,
    "practice": _Linker.of_learning,
    "goal": _Linker.of_learning,
}
"""Kind -> how its causes are found; a kind that is not here has none."""
