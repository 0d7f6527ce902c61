"""The mind: identity and every store, and what is handed to it from outside as fixed tables.

The kernel owns it and changes it in place; nothing here reads a clock, a file or the world.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from agent.beliefs import Beliefs, ThingBelief
from agent.commitments import ACTIVE, CONSIDERING, Commitment, Matter, Promise, Voice
from agent.inner import Inner
from agent.memory import Memory
from agent.params import Params
from agent.percept import Percept
from agent.relations import Relations
from agent.skill import Command, Skillbook, TaskTemplate
from agent.system2 import System2


@dataclass(slots=True)
class Method:
    """Confidence in one way of doing a task in a context, 0..1000, and its recent failures."""

    key: str
    confidence: int = 700
    failures_in_row: int = 0
    failed_tick: int = -1
    done: int = 0
    done_tick: int = -1

    def row(self) -> tuple[Any, ...]:
        """Return every field, for the digest."""
        return (self.key, self.confidence, self.failures_in_row, self.failed_tick, self.done, self.done_tick)


@dataclass(slots=True)
class Mind:
    """Everything the resident is and knows.

    *persona* is the declared character as plain values; *felt* the nine needs as last felt; *ledger* which learning
    domains an origin has already taught; *hindered* how often what hinders a skill was met, and when; *goals* of each
    its state, when it was last acted for and when last changed (-1: never); *serial* counts what the mind itself mints
    (percepts, commitments, ...).
    """

    persona: dict[str, Any]
    tick_ms: int
    tick: int = 0
    beliefs: Beliefs = field(default_factory=Beliefs)
    memory: Memory = field(default_factory=Memory)
    relations: Relations = field(default_factory=Relations)
    commitments: dict[str, Commitment] = field(default_factory=dict)
    current: str = ""
    matters: dict[str, Matter] = field(default_factory=dict)
    promises: list[Promise] = field(default_factory=list)
    voices: dict[str, Voice] = field(default_factory=dict)
    methods: dict[str, Method] = field(default_factory=dict)
    hindered: dict[str, tuple[int, int]] = field(default_factory=dict)
    feelings: dict[str, int] = field(default_factory=dict)
    practised: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    goals: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    ledger: dict[int, int] = field(default_factory=dict)
    interludes: list[Command] = field(default_factory=list)
    notable: dict[int, Percept] = field(default_factory=dict)
    felt: list[int] = field(default_factory=lambda: [1000] * 9)
    pain: int = 0
    pleasure: int = 500
    arousal: int = 300
    mood_tick: int = 0
    clock_ms: int = 0
    day: int = 0
    cell: int = -1
    posture: str = "standing"
    holding: list[int] = field(default_factory=list)
    near: list[int] = field(default_factory=list)
    present: list[int] = field(default_factory=list)
    hearing: list[int] = field(default_factory=list)
    light: int = 1000
    doing: Command | None = None
    doing_since: int = 0
    doing_for: str = ""
    serials: dict[str, int] = field(default_factory=dict)
    look_tick: int = 0
    explored: dict[int, int] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    next_look_tick: int = 0
    last_speaker: int = 0
    sys2: System2 = field(default_factory=System2)
    inner: Inner = field(default_factory=Inner)
    # Tables handed in; not state.
    _book: Skillbook | None = field(default=None, repr=False, compare=False)
    _params: Params | None = field(default=None, repr=False, compare=False)
    _notes: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list, repr=False, compare=False)
    _tagged: dict[str, list[int]] = field(default_factory=dict, repr=False, compare=False)
    _tagged_of: int = field(default=-1, repr=False, compare=False)
    _ways: dict[tuple[str, tuple[int, ...]], str] = field(default_factory=dict, repr=False, compare=False)
    _bans: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = field(default_factory=dict, repr=False, compare=False)
    _liked: dict[str, int] = field(default_factory=dict, repr=False, compare=False)
    _limits: tuple[tuple[str, int, int], ...] = field(default=(), repr=False, compare=False)
    _width: int = field(default=1, repr=False, compare=False)
    _names: dict[str, dict[str, str]] = field(default_factory=dict, repr=False, compare=False)
    _phrases: dict[str, dict[str, str]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def book(self) -> Skillbook:
        """Return the registered skills and templates."""
        assert self._book is not None
        return self._book

    @property
    def params(self) -> Params:
        """Return the tuned numbers."""
        assert self._params is not None
        return self._params

    @property
    def phrases(self) -> dict[str, dict[str, str]]:
        """Return the neutral phrases by language and key."""
        return self._phrases

    def furnish(
        self, book: Skillbook, params: Params, width: int, phrases: dict[str, dict[str, str]], names: dict[str, dict[str, str]]
    ) -> None:
        """Hand in the fixed tables; *width* is the number of floor cells in a row, *names* what kinds are called."""
        self._book, self._params, self._width, self._phrases, self._names = book, params, width, phrases, names
        self._limits = ()

    def name_of(self, ordinal: int, language: str) -> str:
        """Return what the resident calls *ordinal*, by what it looks like; "" for nothing."""
        thing = self.beliefs.things.get(ordinal)
        return "" if thing is None else self._names.get(thing.kind, {}).get(language, thing.kind)

    def mint(self, kind: str) -> str:
        """Return a new id of *kind*: com-1, mat-2, ..."""
        self.serials[kind] = self.serials.get(kind, 0) + 1
        return f"{kind}-{self.serials[kind]}"

    def new_origin(self) -> int:
        """Return a fresh origin for an event of the resident's own doing; negative: no perceived event shares it."""
        self.serials["origin"] = self.serials.get("origin", 0) + 1
        return -self.serials["origin"]

    def note(self, kind: str, id: str, /, **data: Any) -> None:
        """Leave a record of what happened in the mind; the kernel takes it to the log within the same tick.

        *causes* among the data are ids of the mind's own; the kernel finds those that stand outside it.
        """
        self._notes.append((kind, id, data))

    def take_notes(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Return the notes left since the last call."""
        notes, self._notes = self._notes, []
        return notes

    def ticks(self, ms: int) -> int:
        """Return *ms* in ticks, at least one."""
        return max(1, ms // self.tick_ms)

    def task(self, name: str) -> TaskTemplate:
        """Return a registered template, or one put together from registered skills."""
        return self.book.tasks.get(name) or self.sys2.made[name]

    def known_task(self, name: str) -> TaskTemplate | None:
        """Return a template as `task` does, or None for what is no task."""
        return self.book.tasks.get(name) or self.sys2.made.get(name)

    def thing(self, ordinal: int) -> ThingBelief | None:
        """Return what is believed of *ordinal*, if it was ever met."""
        return self.beliefs.things.get(ordinal)

    @property
    def ways(self) -> dict[tuple[str, tuple[int, ...]], str]:
        """Return what ways of doing a task are called, by task and ordinals; kept while no new thing is met."""
        if self._tagged_of != len(self.beliefs.things):
            self._tagged, self._ways, self._tagged_of = {}, {}, len(self.beliefs.things)
        return self._ways

    def has_tag(self, ordinal: int, tag: str) -> bool:
        """Return whether things of this kind are *tag*, by common knowledge."""
        thing = self.beliefs.things.get(ordinal)
        return thing is not None and tag in self.book.tags.get(thing.kind, ())

    def tagged(self, tag: str) -> list[int]:
        """Return the known ordinals whose kind is *tag*, or whose kind is named by "kind:NAME", oldest first."""
        things = self.beliefs.things
        if self._tagged_of != len(things):
            self._tagged, self._ways, self._tagged_of = {}, {}, len(things)
        found = self._tagged.get(tag)
        if found is None:
            if tag.startswith("kind:"):
                found = [o for o, thing in things.items() if thing.kind == tag[5:]]
            else:
                tags = self.book.tags
                found = [o for o, thing in things.items() if tag in tags.get(thing.kind, ())]
            self._tagged[tag] = found
        return found

    def distance(self, ordinal: int) -> int:
        """Return the believed walking distance to *ordinal* in cells; 60 for a thing whose place is unknown."""
        cell = self.place_cell(ordinal)
        if cell < 0:
            return 60
        width = self._width
        return abs(cell // width - self.cell // width) + abs(cell % width - self.cell % width)

    def place_cell(self, ordinal: int) -> int:
        """Return the cell where *ordinal* is believed to be, following what holds it; -1 if unknown."""
        seen = 0
        while ordinal and seen < 6:
            thing = self.beliefs.things.get(ordinal)
            if thing is None or thing.relation == "unknown":
                return -1
            if ordinal in self.holding:
                return self.cell
            if thing.cell >= 0:
                return thing.cell
            ordinal, seen = thing.place, seen + 1
        return -1

    def stands(self, ordinal: int) -> tuple[int, int]:
        """Return what *ordinal* is believed to lie on, in or with, at last, and the believed cell of that; its own if it stands alone."""
        for _ in range(6):
            thing = self.beliefs.things.get(ordinal)
            if thing is None or thing.relation not in ("in", "on", "held"):
                break
            ordinal = thing.place
        return ordinal, self.place_cell(ordinal)

    @property
    def region(self) -> str:
        """Return the name of the part of the room one is in, "" if it has none."""
        return next((self.beliefs.things[o].name for o in self.tagged("region") if o in self.near), "")

    def intention(self) -> Commitment | None:
        """Return the current commitment, if any."""
        return self.commitments.get(self.current)

    def open_commitments(self) -> list[Commitment]:
        """Return what is taken on and not ended, oldest first."""
        return list(self.commitments.values())

    def open_matters(self) -> list[Matter]:
        """Return the matters that still wait for a stance, oldest first."""
        return [matter for matter in self.matters.values() if matter.stance == CONSIDERING]

    def method(self, key: str) -> Method:
        """Return the confidence in a method, made now if there is none."""
        found = self.methods.get(key)
        if found is None:
            found = self.methods[key] = Method(key)
        return found

    def teach(self, origin: int, domain: int) -> bool:
        """Return True once per (origin, domain); afterwards the event has taught that domain (P4)."""
        bit = 1 << domain
        taught = self.ledger.get(origin, 0)
        if taught & bit:
            return False
        self.ledger[origin] = taught | bit
        return True

    def words_wait(self) -> bool:
        """Return whether the next utterance waits for its words."""
        return bool(self.interludes) and (self.interludes[0].words or {}).get("worded") == "waiting"

    def may_pause(self) -> bool:
        """Return whether what the body does may be left for a moment: a long activity, awake."""
        skill = None if self.doing is None else self.book.skills[self.doing.skill]
        heard = bool(self.interludes) and self.interludes[0].roles[0][1] in self.hearing
        return skill is not None and skill.interruptible and skill.takes_amount and self.posture != "asleep" and heard

    def busy(self) -> bool:
        """Return whether a commitment is being carried out."""
        current = self.intention()
        return current is not None and current.state == ACTIVE

    def parts(self) -> dict[str, str]:
        """Return the decision-relevant state by part, as JSON text to be hashed. Growing stores by head and length."""
        dump = json.dumps
        return {
            "beliefs": dump(self.beliefs.rows(), separators=(",", ":")),
            "memory": f"{len(self.memory.items)}:{self.memory.head}:{len(self.ledger)}",
            "social": dump(
                [
                    self.relations.rows(),
                    [m.row() for m in self.matters.values()],
                    [p.row() for p in self.promises],
                    [v.row() for v in self.voices.values()],
                    [talk.words() for talk in self.sys2.talks.values()],
                ],
                separators=(",", ":"),
            ),
            "self": dump(
                [
                    [c.row() for c in self.commitments.values()], self.current, [m.row() for m in self.methods.values()],
                    self.hindered, self.feelings, self.practised, self.goals, self.felt, self.pain, self.pleasure, self.arousal,
                    self.mood_tick, self.cell,
                    self.posture, self.holding, self.near, self.present, self.hearing, self.light,
                    None if self.doing is None else [self.doing.id, self.doing.skill, self.doing.roles, self.doing.amount],
                    self.serials, self.look_tick, self.next_look_tick, list(self.notable), self.explored,
                    self.sys2.row(), self.inner.row(),
                ],
                separators=(",", ":"),
            ),
        }  # fmt: skip
