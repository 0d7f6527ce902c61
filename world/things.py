"""What the truth is made of: Thing, Body, Running and Fact.

A thing hangs in exactly one place: `at` a region (with a cell), `on` or `in` another thing, `held` by a
body, or `out` of the room altogether. The tree of places is the conservation law: a thing has one row.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

RELATIONS: Final = ("at", "on", "in", "held", "out")


@dataclass(slots=True)
class Thing:
    """One object. *cell* is its top-left floor cell, *w* and *h* its footprint in cells; props are whole numbers."""

    id: str
    kind: str
    relation: str
    place: str
    cell: int
    w: int
    h: int
    props: dict[str, int]
    home: str


@dataclass(slots=True)
class Running:
    """A skill in progress. A walk also holds its cells and the tick at which each is reached."""

    skill: str
    roles: dict[str, str]
    amount: int
    words: dict[str, Any]
    cause: str
    start_tick: int
    end_tick: int
    timed_out: bool
    posture_before: str
    stop: str = ""
    path: list[int] = field(default_factory=list)
    path_ticks: list[int] = field(default_factory=list)
    path_next: int = 0


@dataclass(slots=True)
class Body:
    """A body in the room: pose, hands, the skill it runs, and its needs in closed form.

    A need's true value at tick t is `need_values[i] + need_rates[i] * (t - need_since) * tick_ms`, clamped;
    values are in 10^-12, rates in the same unit a millisecond. *heading* counts octants from east, clockwise.
    """

    id: str
    cell: int
    heading: int
    posture: str = "standing"
    seat: str = ""
    holding: list[str] = field(default_factory=list)
    asleep: bool = False
    running: Running | None = None
    need_values: list[int] = field(default_factory=list)
    need_rates: list[int] = field(default_factory=list)
    need_since: int = 0
    levels: list[int] = field(default_factory=list)
    pain_value: int = 0
    pain_since: int = 0


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that truly happened, numbered in order. Who may learn of it is for `exposure` to say."""

    id: int
    tick: int
    kind: str
    doer: str
    subject: str
    skill: str
    cause: str
    data: dict[str, Any]
    cell: int
    loudness: int
    visible: bool
