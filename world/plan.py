"""What a checked room file says: regions, things, events, start poses. Frozen values, cells instead of mm."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class RegionSpec:
    """A named part of the floor: the *cells* of its *box* (mm) that no wall and no earlier region has.

    *private* holds pairs of minutes of the day; a pair may run past midnight.
    """

    id: str
    names: dict[str, str]
    box: tuple[int, ...]
    cells: tuple[int, ...]
    private: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class ThingSpec:
    """A thing as it stands at tick 0; *cell*, *w*, *h* are its footprint in cells.

    *home* is the place it belongs to, "" for what is not portable; *known* says whether the resident knows
    of it from the start; *text* is what there is to read in it, by language.
    """

    id: str
    kind: str
    names: dict[str, str]
    relation: str
    place: str
    cell: int
    w: int
    h: int
    props: dict[str, int]
    home: str
    known: bool
    text: dict[str, str]


@dataclass(frozen=True, slots=True)
class EventSpec:
    """A room event: mean gap and first time in ms, window in minutes of the day, and what it concerns."""

    name: str
    mean_ms: int
    first_ms: int
    hours: tuple[int, int]
    subjects: tuple[str, ...]
    lasts_ms: int


@dataclass(frozen=True, slots=True)
class RoomSpec:
    """A checked room. *width* and *height* count cells; *walls* are cells that stop both feet and eyes."""

    id: str
    names: dict[str, str]
    width: int
    height: int
    walls: tuple[int, ...]
    regions: tuple[RegionSpec, ...]
    things: tuple[ThingSpec, ...]
    kinds: dict[str, Any] = field(repr=False)
    door: str
    starts: dict[str, tuple[int, int]]
    dawn_ms: int
    dusk_ms: int
    events: tuple[EventSpec, ...]


def footprint(cell: int, w: int, h: int, width: int) -> list[int]:
    """Return the cells of a *w* by *h* box whose top-left cell is *cell*, row by row."""
    return [cell + dy * width + dx for dy in range(h) for dx in range(w)]


def blocked_cells(spec: RoomSpec) -> frozenset[int]:
    """Return the cells nobody can stand on: walls and the furniture that blocks feet."""
    cells = list(spec.walls)
    for each in spec.things:
        if each.relation == "at" and spec.kinds[each.kind].get("blocks_walk", False):
            cells += footprint(each.cell, each.w, each.h, spec.width)
    return frozenset(cells)
