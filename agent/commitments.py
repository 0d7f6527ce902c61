"""What the resident has taken on: intentions, obligations, long-term goals; and matters put to it by others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

ACTIVE, PAUSED, PENDING = "active", "paused", "pending"
CONSIDERING = "considering"
"""The stance of a matter that still waits for one."""
ENDS = ("done", "failed", "given_up", "cancelled", "replaced")


@dataclass(slots=True)
class Commitment:
    """One thing taken on, with its progress, resume point and the methods that failed.

    *kind* is intention or obligation; *step* and *left_ms* are the resume point; *hold_tick* ends the minimum hold
    time, or is the moment before which an obligation taken on for later is not begun; *opened* are containers it
    opened and will close again.
    """

    id: str
    kind: str
    task: str
    source: str
    roles: dict[str, int]
    made_tick: int
    state: str = ACTIVE
    minutes: int = 0
    step: int = 0
    left_ms: int = 0
    hold_tick: int = 0
    due_tick: int = 0
    matter: str = ""
    practice: str = ""
    goal: str = ""
    person: int = 0
    opened: list[int] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    waits: int = 0
    seeks: int = 0
    begun_felt: list[int] = field(default_factory=list)
    pull: int = 0
    voice: int = 0
    version: int = 0

    def row(self) -> tuple[Any, ...]:
        """Return every field, for the digest."""
        return (
            self.id, self.kind, self.task, self.source, self.roles, self.made_tick, self.state, self.minutes, self.step,
            self.left_ms, self.hold_tick, self.due_tick, self.matter, self.practice, self.goal, self.person, self.opened,
            self.failed, self.waits, self.seeks, self.begun_felt, self.pull, self.voice, self.version,
        )  # fmt: skip


@dataclass(slots=True)
class Matter:
    """A request, suggestion or question put to the resident; the same speaker, action, target and place are the same one.

    *offer* is a counter-offer that stands, {task, roles, due_tick}. *after* is what must come first: the commitment whose end
    brings a postponed one back, or, as asked for, `at:TICK`, `did:ACTION` or `free` (agent/waits.py). *place* is where the thing
    is to be put, 0 where none was named (NOWHERE: one that the resident does not know). *told_tick* is when who asked again was
    last told how it stands. *origins* are those of the askings that wait for one and the same answer. *grounds* are the
    (kind, ordinal, version) a refusal rested on: while they stand, asking again adds nothing; `able`: on not
    being able to.
    """

    id: str
    speaker: int
    mark: str
    action: str
    target: int
    text: str
    asked_tick: int
    stance: str = "considering"
    reason: str = ""
    answered_tick: int = 0
    asked: int = 1
    due_tick: int = 0
    commitment: str = ""
    origins: list[int] = field(default_factory=list)
    grounds: list[tuple[str, int, int]] = field(default_factory=list)
    said: int = 0
    delays: int = 0
    version: int = 0
    offer: dict[str, Any] = field(default_factory=dict)
    after: str = ""
    place: int = 0
    told_tick: int = -1

    @property
    def open(self) -> bool:
        """Return whether it still waits for a stance."""
        return self.stance == CONSIDERING

    def row(self) -> tuple[Any, ...]:
        """Return every field, for the digest."""
        return (
            self.id, self.speaker, self.mark, self.action, self.target, self.text, self.asked_tick, self.stance,
            self.reason, self.answered_tick, self.asked, self.due_tick, self.commitment, self.origins, self.grounds,
            self.said, self.delays, self.version, self.offer, self.after, self.place, self.told_tick,
        )  # fmt: skip


@dataclass(slots=True)
class Promise:
    """What another person said they would do, and by when; kept or broken only by what is perceived."""

    speaker: int
    action: str
    target: int
    said_tick: int
    due_tick: int
    origin: int
    state: str = "open"

    def row(self) -> tuple[Any, ...]:
        """Return every field, for the digest."""
        return (self.speaker, self.action, self.target, self.said_tick, self.due_tick, self.origin, self.state)


@dataclass(slots=True)
class Voice:
    """A theme of the inner voice: how often it came, and what the resident has decided about it."""

    key: str
    action: str
    target: int
    first_tick: int
    last_tick: int
    count: int = 1
    used_tick: int = -1
    origin: int = 0
    state: str = "unresolved"

    def row(self) -> tuple[Any, ...]:
        """Return every field, for the digest."""
        return (
            self.key, self.action, self.target, self.first_tick, self.last_tick, self.count, self.used_tick, self.origin,
            self.state,
        )  # fmt: skip
