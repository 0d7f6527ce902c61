"""The state of the truth and the few moves that everything else is made of.

`Truth` holds the fields (what a snapshot keeps) and what is derived from the room file (fields with a
leading underscore, set again by `bind` after a restore). All timers sit in one heap of
(tick, order, key); `due` is the record of what is still wanted, so a cancelled timer is simply forgotten.
"""

from __future__ import annotations

import heapq
import math
from bisect import insort
from dataclasses import dataclass, field
from typing import Any, Protocol

from world.params import CELL_MM, DAY_MS, NEVER
from world.plan import EventSpec, RoomSpec
from world.skills import Skill
from world.things import Body, Fact, Thing


class Chance(Protocol):
    """Keyed chance: the same stream and subject give the same sequence, whatever else is drawn."""

    def below(self, stream: str, subject: str, n: int) -> int: ...


@dataclass(slots=True)
class Truth:
    """Everything that is so in the room. Use `world.room.Room`, which adds the verbs."""

    room_id: str
    tick_ms: int
    start_ms: int
    tick: int = 0
    things: dict[str, Thing] = field(default_factory=dict)
    bodies: dict[str, Body] = field(default_factory=dict)
    rates: dict[str, int] = field(default_factory=dict)
    due: dict[str, tuple[int, int]] = field(default_factory=dict)
    order: int = 0
    fact_count: int = 0
    light: int = 1000
    light_version: int = 0
    layout_version: int = 0
    raining: bool = False
    changed: dict[str, int] = field(default_factory=dict)

    _spec: RoomSpec | None = field(default=None, repr=False, compare=False)
    _skills: dict[str, Skill] = field(default_factory=dict, repr=False, compare=False)
    _needs: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    _chance: Chance | None = field(default=None, repr=False, compare=False)
    _heap: list[tuple[int, int, str]] = field(default_factory=list, repr=False, compare=False)
    _heap_ready: bool = field(default=False, repr=False, compare=False)
    _contents: dict[str, list[str]] = field(default_factory=dict, repr=False, compare=False)
    _ranks: dict[str, int] = field(default_factory=dict, repr=False, compare=False)
    _contents_ready: bool = field(default=False, repr=False, compare=False)
    _walls: bytearray = field(default_factory=bytearray, repr=False, compare=False)
    _blocked: bytearray = field(default_factory=bytearray, repr=False, compare=False)
    _opaque: bytearray = field(default_factory=bytearray, repr=False, compare=False)
    _grid_ready: bool = field(default=False, repr=False, compare=False)
    _region_of: list[str] = field(default_factory=list, repr=False, compare=False)
    _region_cells: dict[str, tuple[int, ...]] = field(default_factory=dict, repr=False, compare=False)
    _fields: dict[str, list[int]] = field(default_factory=dict, repr=False, compare=False)
    _near: dict[tuple[int, int, int, int], bool] = field(default_factory=dict, repr=False, compare=False)
    _near_roots: dict[int, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)
    _sight_lines: dict[int, bool] = field(default_factory=dict, repr=False, compare=False)
    _wall_lines: dict[int, bool] = field(default_factory=dict, repr=False, compare=False)
    _views: dict[tuple[int, int, int], tuple[str, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )
    _lamps: list[tuple[int, int]] = field(default_factory=list, repr=False, compare=False)
    _lamps_version: int = field(default=-1, repr=False, compare=False)
    _bounds: tuple[int, ...] = field(default=(), repr=False, compare=False)
    _climate: tuple[str, ...] = field(default=(), repr=False, compare=False)
    _sounding: tuple[str, ...] = field(default=(), repr=False, compare=False)
    _lights: tuple[str, ...] = field(default=(), repr=False, compare=False)
    _events: dict[str, EventSpec] = field(default_factory=dict, repr=False, compare=False)
    _rate_rows: dict[str, list[int]] = field(default_factory=dict, repr=False, compare=False)
    _journal: list[list[Any]] | None = field(default=None, repr=False, compare=False)
    _dirty: dict[str, None] = field(default_factory=dict, repr=False, compare=False)
    _sums: dict[str, int] = field(default_factory=dict, repr=False, compare=False)
    _sum: int = field(default=0, repr=False, compare=False)

    @property
    def spec(self) -> RoomSpec:
        """The room file this truth was built from."""
        assert self._spec is not None, "call bind after restoring a snapshot"
        return self._spec

    @property
    def chance(self) -> Chance:
        """The keyed chance of the run."""
        assert self._chance is not None, "call bind after restoring a snapshot"
        return self._chance

    def tags(self, thing_id: str) -> list[str]:
        """Return the tags of a thing, a region or a body."""
        thing = self.things.get(thing_id)
        if thing is not None:
            found: list[str] = self.spec.kinds[thing.kind]["tags"]
            return found
        return ["person"] if thing_id in self.bodies else ["region"] if thing_id in self._region_cells else []

    def kind(self, thing: Thing) -> dict[str, Any]:
        """Return the table of the thing's kind."""
        table: dict[str, Any] = self.spec.kinds[thing.kind]
        return table

    # Time

    def schedule(self, key: str, tick: int) -> None:
        """Set the timer *key* to *tick*, replacing what it was set to."""
        assert tick >= self.tick, f"{key} would ring in the past"
        self.order += 1
        self.due[key] = (tick, self.order)
        self._dirty["due/" + key] = None
        if self._heap_ready:
            heapq.heappush(self._heap, (tick, self.order, key))

    def cancel(self, key: str) -> None:
        """Forget the timer *key* if it is set."""
        if self.due.pop(key, None) is not None:
            self._dirty["due/" + key] = None

    def next_tick(self) -> int:
        """Return the next tick at which anything happens, or `NEVER`."""
        if not self._heap_ready:
            self._heap = [(tick, order, key) for key, (tick, order) in self.due.items()]
            heapq.heapify(self._heap)
            self._heap_ready = True
        heap, due = self._heap, self.due
        while heap:
            tick, order, key = heap[0]
            if due.get(key) == (tick, order):
                return tick
            heapq.heappop(heap)
        return NEVER

    def pop(self) -> str:
        """Take the earliest timer off and return its key. Ask `next_tick` first."""
        _, _, key = heapq.heappop(self._heap)
        del self.due[key]
        self._dirty["due/" + key] = None
        return key

    def ticks(self, ms: int) -> int:
        """Return *ms* in whole ticks, rounded up, at least one."""
        return max(1, -(-ms // self.tick_ms))

    def clock_ms(self, tick: int) -> int:
        """Return the ms since midnight at *tick*."""
        return (self.start_ms + tick * self.tick_ms) % DAY_MS

    # Facts and marks

    def fact(
        self, kind: str, *, doer: str = "", subject: str = "", skill: str = "", cause: str = "",
        data: dict[str, Any] | None = None, cell: int = -1, loudness: int = 0, visible: bool = True,
    ) -> Fact:  # fmt: skip
        """Return the next fact, numbered and dated now."""
        self.fact_count += 1
        return Fact(
            self.fact_count, self.tick, kind, doer, subject, skill, cause, data or {}, cell, loudness, visible
        )  # fmt: skip

    def touch(self, thing_id: str) -> None:
        """Mark a thing or body as changed in a way that can be perceived, and for the digest."""
        self._dirty[thing_id] = None
        self.changed[thing_id] = self.tick

    def note(self, thing_id: str, prop: str, old: Any, new: Any) -> None:
        """Enter a change into the running journal, from which a skill's outcome row is made."""
        if self._journal is not None:
            self._journal.append([thing_id, prop, old, new])

    # Containment

    def contents(self, place_id: str) -> list[str]:
        """Return the ids that hang directly in *place_id* (thing, body or region), in the room file's order."""
        if not self._contents_ready:
            self._contents = {}
            self._ranks = {name: rank for rank, name in enumerate(self.things)}
            for thing in self.things.values():
                self._contents.setdefault(thing.place, []).append(thing.id)
            self._contents_ready = True
        return self._contents.get(place_id, [])

    def rehang(self, thing: Thing, relation: str, place: str) -> None:
        """Hang the thing elsewhere. The one place where containment changes."""
        self.contents(place)
        self._contents[thing.place].remove(thing.id)
        thing.relation, thing.place = relation, place
        # The file's order, not the order of arrival, so that a restored room lists alike.
        insort(self._contents.setdefault(place, []), thing.id, key=self._ranks.__getitem__)

    def root(self, thing: Thing) -> Thing | Body:
        """Return what the thing finally stands on: a thing on the floor, or the body that holds it."""
        while thing.relation in ("on", "in"):
            thing = self.things[thing.place]
        if thing.relation == "held":
            return self.bodies[thing.place]
        return thing

    def shut_in(self, thing: Thing) -> bool:
        """Return whether some closed container lies between the thing and the room."""
        while thing.relation in ("on", "in"):
            holder = self.things[thing.place]
            if thing.relation == "in" and holder.props.get("open", 1) == 0:
                return True
            thing = holder
        return False

    def in_room(self, thing_id: str) -> bool:
        """Return whether the id names a region, a present body, or a thing that is in the room."""
        thing = self.things.get(thing_id)
        if thing is not None:
            while thing.relation in ("on", "in"):
                thing = self.things[thing.place]
            return thing.relation != "out"
        return thing_id in self.bodies or thing_id in self._region_cells or self.spot(thing_id) >= 0

    def spot(self, place_id: str) -> int:
        """Return the cell of a bare spot of the floor, named `cell:N`, or -1. One can only walk to it."""
        number = place_id.removeprefix("cell:")
        if number == place_id or not (number.isascii() and number.isdigit()):
            return -1
        return int(number) if int(number) < self.spec.width * self.spec.height else -1

    def cell_of(self, thing_id: str) -> int:
        """Return the cell at which a thing, body or region is to be looked for, or -1 outside the room."""
        body = self.bodies.get(thing_id)
        if body is not None:
            return body.cell
        thing = self.things.get(thing_id)
        if thing is None:
            cells = self._region_cells.get(thing_id, ())
            return cells[len(cells) // 2] if cells else -1
        if thing.relation == "out":
            return -1
        root = self.root(thing)
        return root.cell if isinstance(root, Body) else thing.cell

    def distance_mm(self, a: int, b: int) -> int:
        """Return the distance between two cells in whole mm, rounded down."""
        width = self.spec.width
        dx, dy = a % width - b % width, a // width - b // width
        return math.isqrt((dx * dx + dy * dy) * CELL_MM * CELL_MM)
