"""One moment as the log tells it: who is where doing what, what lies where, what was thought, said and answered.

Theory of operation
===================
`sim.frame_fold.take` folds one record in; a frame is a pure function of the records taken so far. The windows fold a
running trial's records as they are written, the replay folds the same records from the file: they show the same
picture. Values inside are frozen and shared, so `copy` is a handful of shallow copies, and a frame can be kept every
few hundred records for seeking. Between records time still passes: `place` finds a walking body on its path.

A frame holds two rooms. *things* and *bodies* are what is so; *beliefs* are what the resident holds to be so.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sim.stage import Stage
from world.floor import octant
from world.plan import footprint

RESIDENT, VISITOR = "resident", "visitor"
WORDS_SHOWN_MS = 6000


@dataclass(frozen=True, slots=True)
class ThingNow:
    """A thing as it is: where it hangs and its properties."""

    id: str
    kind: str
    relation: str
    place: str
    cell: int
    w: int
    h: int
    props: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Doing:
    """A skill in progress; a walk with its cells and the tick at which each is reached."""

    skill: str
    roles: Mapping[str, str]
    start_tick: int
    until_tick: int
    command: str
    fact: str
    path: tuple[int, ...] = ()
    path_ticks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class BodyNow:
    """A body: its cell, the octant it faces (0 east, clockwise), posture, seat and what it does."""

    id: str
    cell: int
    heading: int
    posture: str = "standing"
    seat: str = ""
    doing: Doing | None = None


@dataclass(frozen=True, slots=True)
class Words:
    """Something said aloud, or a thought that came by the inner voice."""

    tick: int
    who: str
    text: str
    fact: str
    inner: bool = False
    near: bool = True
    """Whether the visitor was in the room and in hearing."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the resident has put to the visitor and waits for: a favour, or a counter-offer to what was asked."""

    kind: str
    """favour or offer."""
    tick: int
    due_tick: int
    action: str
    thing: str
    text: str = ""
    """The words in which it was said; empty until it was."""
    matter: str = ""
    promised: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """What the visitor is told of one act: three fields apart, and the reason."""

    id: str
    channel: str
    op: str
    tick: int
    source: str = "human"
    object: str = ""
    target: str = ""
    text: str = ""
    mark: str = ""
    receipt: str = ""
    reason: str = ""
    perceived: bool = False
    perceived_tick: int = -1
    stance: str = ""
    outcome: str = ""
    themes: tuple[str, ...] = ()
    prop: str = ""
    value: int = 0
    """The property that was set, and to what; in debug alone."""


@dataclass(frozen=True, slots=True)
class Believed:
    """Where and how the resident holds a thing to be. *place* is a world id, *tick* when it last perceived it."""

    ordinal: int
    kind: str
    cell: int
    relation: str
    place: str
    props: Mapping[str, int]
    tick: int
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Happening:
    """A sound or an event of the room: for a mark on the canvas."""

    tick: int
    what: str
    subject: str
    cell: int
    fact: str


@dataclass(frozen=True, slots=True)
class Thought:
    """The last round: candidates with their parts, the group, and what was committed."""

    id: str
    tick: int
    wakes: tuple[str, ...]
    candidates: tuple[tuple[Any, ...], ...]
    dropped: tuple[tuple[Any, ...], ...]
    group: tuple[str, ...]
    decided_by: str
    choice: str
    ask: str


@dataclass(slots=True)
class Frame:
    """Everything that is shown of one tick. Start it with `frame_fold.opening`."""

    stage: Stage = field(repr=False)
    tick: int = 0
    bodies: dict[str, BodyNow] = field(default_factory=dict)
    things: dict[str, ThingNow] = field(default_factory=dict)
    felt: tuple[int, ...] = ()
    felt_tick: int = -1
    mood: tuple[int, int] = (500, 300)
    light: int = 1000
    raining: bool = False
    thought: Thought | None = None
    commit: dict[str, Any] = field(default_factory=dict)
    task: dict[str, Any] = field(default_factory=dict)
    request: dict[str, Any] = field(default_factory=dict)
    rows: dict[str, Row] = field(default_factory=dict)
    channels: dict[str, dict[str, Any]] = field(default_factory=dict)
    themes: dict[str, int] = field(default_factory=dict)
    """Latest tick at which a theme of the inner voice was let in."""
    said: tuple[Words, ...] = ()
    favour: Asked | None = None
    """What the resident asked the visitor to do, and has no answer to yet."""
    offer: Asked | None = None
    """What it offered instead of what it was asked, likewise."""
    happened: tuple[Happening, ...] = ()
    heard: tuple[str, ...] = ()
    """Words and sounds that lately reached the resident's ears."""
    beliefs: dict[int, Believed] = field(default_factory=dict)
    ordinals: dict[int, str] = field(default_factory=dict)
    met: bool = False
    visitor_cell: int = -1
    paused: bool = False
    status: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    records: int = 0

    def copy(self) -> Frame:
        """Return a frame that can be folded on without changing this one."""
        return replace(
            self,
            bodies=dict(self.bodies),
            things=dict(self.things),
            rows=dict(self.rows),
            channels=dict(self.channels),
            themes=dict(self.themes),
            beliefs=dict(self.beliefs),
            ordinals=dict(self.ordinals),
            counts=dict(self.counts),
        )

    @property
    def asked(self) -> Asked | None:
        """What was put to the visitor last and waits: a yes or a no is taken for an answer to that."""
        found = [each for each in (self.favour, self.offer) if each is not None]
        return max(found, key=lambda each: each.tick, default=None)

    # --- what is asked of it ----------------------------------------------------------------------------------

    def place(self, body: BodyNow, tick: float) -> tuple[float, float, int]:
        """Return (x, y) in cells of the body's middle and its heading at *tick*, on its way if it walks."""
        width = self.stage.spec.width
        doing = body.doing
        if doing is None or not doing.path:
            return body.cell % width + 0.5, body.cell // width + 0.5, body.heading
        at = bisect_right(doing.path_ticks, tick)
        cells = (body.cell, *doing.path)
        if at >= len(doing.path):
            last, before = cells[-1], cells[-2]
            return last % width + 0.5, last // width + 0.5, octant(before, last, width)
        began = doing.path_ticks[at - 1] if at else doing.start_tick
        share = max(0.0, min(1.0, (tick - began) / max(1, doing.path_ticks[at] - began)))
        a, b = cells[at], cells[at + 1]
        x = a % width + (b % width - a % width) * share + 0.5
        y = a // width + (b // width - a // width) * share + 0.5
        return x, y, octant(a, b, width)

    def cell_now(self, body: BodyNow, tick: float) -> int:
        """Return the cell in which the body truly stands at *tick*."""
        doing = body.doing
        if doing is None or not doing.path:
            return body.cell
        at = bisect_right(doing.path_ticks, tick)
        return doing.path[at - 1] if at else body.cell

    def root(self, thing: ThingNow) -> ThingNow | BodyNow | None:
        """Return the floor thing or the body on which *thing* finally hangs; None outside the room."""
        while thing.relation in ("on", "in"):
            thing = self.things[thing.place]
        if thing.relation == "held":
            return self.bodies.get(thing.place)
        return thing if thing.relation == "at" else None

    def shut_in(self, thing: ThingNow) -> bool:
        """Return whether a closed container hides the thing."""
        while thing.relation in ("on", "in"):
            holder = self.things[thing.place]
            if thing.relation == "in" and holder.props.get("open", 1) == 0:
                return True
            thing = holder
        return False

    def held(self, body: str) -> list[ThingNow]:
        """Return what a body holds."""
        return [each for each in self.things.values() if each.relation == "held" and each.place == body]

    def asleep(self, body: BodyNow) -> bool:
        """Return whether the body sleeps."""
        return body.doing is not None and body.doing.skill in self.stage.asleep

    def speech(self, who: str, tick: float) -> Words | None:
        """Return what *who* is to be shown saying at *tick*."""
        shown = WORDS_SHOWN_MS // self.stage.tick_ms
        for words in reversed(self.said):
            if words.who == who and 0 <= tick - words.tick <= shown:
                return words
        return None

    def theme_free_tick(self, row: Row) -> int:
        """Return the first tick at which the theme of *row* may be raised again."""
        return max((self.themes.get(each, 0) for each in row.themes), default=0) + self.stage.theme_gap_ticks

    def channel(self, name: str, tick: int) -> dict[str, Any]:
        """Return the state of a channel at *tick*: a limit whose time has passed is none."""
        state = self.channels[name]
        until = state["until_tick"]
        if state["state"] not in ("open", "closed") and until is not None and 0 <= until <= tick:
            return {**state, "state": "open", "until_tick": None}
        return state


def covered(frame: Frame, thing: ThingNow) -> list[int]:
    """Return the cells a thing on the floor stands on."""
    return footprint(thing.cell, thing.w, thing.h, frame.stage.spec.width)
