"""What System 2 keeps: talks, favours asked, tasks put together from known skills, and the window of unsure steps.

Everything here is plain data of the mind, so that a snapshot carries it and a digest covers it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from agent.packed import Packed
from agent.scheduler.room import Scheduler
from agent.skill import TaskTemplate

TRIED_MAX = 200
STEPS_HOT, STEPS_BLOCK, STEPS_OPEN = 50, 50, 1
"""Steps that stay unpacked (k is at most so much), in a block, and blocks kept unpacked at a time. Chosen."""


@dataclass(slots=True)
class Favour:
    """Something the resident asked a person to do: open or promised, until done, refused, or *due_tick* has passed."""

    person: int
    action: str
    target: int
    asked_tick: int
    due_tick: int
    origin: int
    state: str = "open"

    @property
    def key(self) -> tuple[str, int, int]:
        """Return what was asked of whom: action, thing, person."""
        return (self.action, self.target, self.person)

    def row(self) -> tuple[Any, ...]:
        """Return every field, for the digest."""
        return (self.person, self.action, self.target, self.asked_tick, self.due_tick, self.origin, self.state)


@dataclass(slots=True)
class Talk:
    """The conversation with one person: turns heard and said, and when it was ended (-1: it is open).

    *begun_tick* is when the first words of this meeting were heard, *language* what they last spoke, *plain* the last
    sentence that got no more than a neutral answer, and when.
    """

    person: int
    turns: int = 0
    last_tick: int = -1
    ended_tick: int = -1
    ended_by: str = ""
    begun_tick: int = -1
    language: str = ""
    plain: str = ""
    plain_tick: int = -1

    def row(self) -> tuple[Any, ...]:
        """Return every field but the words, for the digest."""
        return (self.person, self.turns, self.last_tick, self.ended_tick, self.ended_by, self.begun_tick, self.plain_tick)

    def words(self) -> tuple[Any, ...]:
        """Return what of it is in the other's words, for the digest: it stands with what else was said."""
        return (self.person, self.language, self.plain)


@dataclass(frozen=True, slots=True)
class Unsure:
    """One step of the window (spec 03, 6.2): what was so, what was chosen, how sure (0..100, -1: not said), and why."""

    tick: int
    observation: str
    action: str
    confidence: int
    explanation: str

    def row(self) -> tuple[Any, ...]:
        """Return every field, for the digest."""
        return (self.tick, self.observation, self.action, self.confidence, self.explanation)


class Steps(Packed[Unsure]):
    """Every step there was: the newest as they are, older ones packed (spec 02, 7.4)."""

    __slots__ = ()
    HOT, BLOCK, OPEN = STEPS_HOT, STEPS_BLOCK, STEPS_OPEN

    @staticmethod
    def of_row(row: list[Any]) -> Unsure:
        """Return the step of which *row* holds every field."""
        return Unsure(*row)


@dataclass(slots=True)
class System2:
    """All of it. *tried* is what was put to the model before (key -> tick); *validity* is kept per commitment, 0..100.

    *effort* is what the compute scheduler has learned, None until it is first asked.
    """

    talks: dict[int, Talk] = field(default_factory=dict)
    favours: list[Favour] = field(default_factory=list)
    made: dict[str, TaskTemplate] = field(default_factory=dict)
    made_for: dict[str, str] = field(default_factory=dict)
    plans: dict[str, list[tuple[str, dict[str, int]]]] = field(default_factory=dict)
    tried: dict[str, int] = field(default_factory=dict)
    window: list[Unsure] = field(default_factory=list)
    steps: Steps = field(default_factory=Steps)
    validity: dict[str, int] = field(default_factory=dict)
    effort: Scheduler | None = None

    def first_time(self, key: str, tick: int) -> bool:
        """Return True once for *key*: the same question is not put to a model twice."""
        if key in self.tried:
            return False
        self.tried[key] = tick
        if len(self.tried) > TRIED_MAX:
            del self.tried[next(iter(self.tried))]
        return True

    def row(self) -> list[Any]:
        """Return everything a decision may rest on, for the digest."""
        return [
            [talk.row() for talk in self.talks.values()], [favour.row() for favour in self.favours],
            [[name, [[step.skill, step.roles] for step in task.steps]] for name, task in self.made.items()], self.made_for,
            self.plans, self.tried, [step.row() for step in self.window], len(self.steps), self.validity,
            *([] if self.effort is None else [self.effort.row()]),
        ]  # fmt: skip
