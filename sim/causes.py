"""What led to what: the records of a stretch of log as a graph, causes both ways, from the log alone.

The links are written down: each record names its causes by id (sim/record_causes.py). An id may be that of several
records, a commitment as it began and as it ended: the last one before the effect is meant. Besides, what goes on
follows from how it stood before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]
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

    def run(self, rows: Iterable[Row]) -> Graph:
        graph = self.graph
        for row in rows:
            if row["tick"] != self.tick:
                self.tick, self.now = row["tick"], []
            number = len(graph.rows)
            finder = FINDERS.get(row["kind"], _Linker.written)
            found = [each for each in finder(self, row) if each is not None]
            graph.rows.append(row)
            graph.causes.append(list(dict.fromkeys(found)))
            graph.effects.append([])
            for cause in graph.causes[-1]:
                graph.effects[cause].append(number)
            if row["id"]:
                graph.named.setdefault(row["id"], []).append(number)
            self.now.append(number)
        return graph

    def latest(self, kind: str) -> int | None:
        """Return the number of the last row of *kind* at this tick."""
        return next((number for number in reversed(self.now) if self.graph.rows[number]["kind"] == kind), None)

    def written(self, row: Row) -> list[int | None]:
        """Return the rows that *row* names as its causes."""
        return [self.graph.last(cause, *kinds_of(cause)) for cause in row["causes"]]

    def of_input(self, row: Row) -> list[int | None]:
        return [self.graph.last(row["id"], "input")]

    def of_feedback(self, row: Row) -> list[int | None]:
        percept = self.latest("percept") if row["data"].get("perceived_tick") == row["tick"] else None
        return [self.graph.last(row["id"], "input"), percept, self.latest("matter")]

    def going_on(self, row: Row) -> list[int | None]:
        return [*self.written(row), self.graph.last(row["id"], row["kind"])]

    def of_part(self, row: Row) -> list[int | None]:
        return [self.graph.last(row["id"].rpartition(".")[0], "ruling", "request")]

    def of_answer(self, row: Row) -> list[int | None]:
        return [self.graph.last(row["id"], "ruling")]

    def of_reply(self, row: Row) -> list[int | None]:
        return [self.graph.last(row["id"], "part")]

    def of_ruling(self, row: Row) -> list[int | None]:
        return [self.graph.last(cause, "reply" if "." in cause else "request") for cause in row["causes"]]

    def of_commit(self, row: Row) -> list[int | None]:
        # What was ruled on an answer came of its round: the nearer of the two first.
        return self.written({**row, "causes": row["causes"][::-1]})


def kinds_of(name: str) -> tuple[str, ...]:
    """Return the kinds of record that *name* means when a record gives it as its cause; () for any."""
    return NAMED.get(name.partition("-")[0], ())


NAMED = {
    "int": ("input",), "evt": ("fact",), "per": ("percept",), "cmd": ("skill",), "com": ("task",), "mat": ("matter",),
    "exp": ("experience",), "cmt": ("commit",), "rule": ("commit", "control"), "rnd": ("round",), "req": ("ruling", "request"),
}  # fmt: skip

FINDERS: dict[str, Callable[[_Linker, Row], list[int | None]]] = {
    "receipt": _Linker.of_input,
    "feedback": _Linker.of_feedback,
    "control": _Linker.of_input,
    "matter": _Linker.going_on,
    "task": _Linker.going_on,
    "part": _Linker.of_part,
    "reply": _Linker.of_reply,
    "ruling": _Linker.of_ruling,
    "answer": _Linker.of_answer,
    "commit": _Linker.of_commit,
}
"""Kind -> how its causes are found, where they are not simply those that it names."""
