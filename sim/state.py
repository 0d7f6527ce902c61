"""The state of a run: truth, mind, veil, the decision in flight, the script, and what the visitor is told.

The kernel owns it and changes it in place. Everything in it can be snapshot by the one codec (codec.py); the gate's
ledger stands beside it, because no restore may give a person back what is used up.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from agent.candidates import Candidate
from agent.mind import Mind
from agent.question import Question
from agent.request import Part, Request
from agent.slot import Slot
from interventions.gate import Gate
from sim.chance import Chance
from sim.script import Script
from sim.veil import Veil
from world.room import Room

NEVER = 1 << 60


@dataclass(frozen=True, slots=True)
class ReplyInput:
    """A model's answer (or why there is none) as it enters the run, due at *tick*."""

    part_id: str
    tick: int
    raw: str | None
    failure: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    model: str = ""
    wall_capped: bool = False


@dataclass(slots=True)
class VisitorAct:
    """One bodily act of the visitor: the skills it takes, and the intervention it belongs to."""

    intervention: str
    op: str
    skills: list[tuple[str, dict[str, str]]]
    words: dict[str, Any] = field(default_factory=dict)
    object: str = ""


ROW_ENDS = ("done", "failed", "given_up", "cancelled", "replaced")
"""The outcomes that are final. Only one of them is a failure: given up, called off and replaced are told apart from it."""


@dataclass(slots=True)
class Row:
    """What the visitor is told of one intervention: three separate fields, never one for another."""

    id: str
    channel: str
    op: str
    tick: int
    receipt: str
    reason: str = ""
    perceived_tick: int = -1
    stance: str = ""
    why: str = ""
    outcome: str = ""

    @property
    def ended(self) -> bool:
        """Return whether nothing more can come of it."""
        return self.outcome in ROW_ENDS or self.stance in ("refused", "ended")

    def data(self) -> dict[str, Any]:
        """Return the row as the log and the run's JSON show it."""
        return {
            "channel": self.channel, "op": self.op, "tick": self.tick, "receipt": self.receipt,
            "perceived": self.perceived_tick >= 0, "perceived_tick": self.perceived_tick, "stance": self.stance,
            "outcome": self.outcome, "reason": self.why or self.reason,
        }  # fmt: skip


@dataclass(slots=True)
class State:
    """Everything a run is at one tick."""

    seed: int
    tick_ms: int
    end_tick: int
    chance: Chance
    room: Room
    mind: Mind
    veil: Veil
    slot: Slot
    script: Script
    model: dict[str, Any]
    live: bool = False
    stop_rules: list[str] = field(default_factory=list)
    ended_by: str = ""
    tick: int = -1
    started: bool = False
    paused: bool = False
    stopped: str = ""
    wakes: list[str] = field(default_factory=list)
    asking: dict[str, Candidate] = field(default_factory=dict)
    asking_round: str = ""
    asking_scores: dict[str, int] = field(default_factory=dict)
    question: Question | None = None
    replies: list[ReplyInput] = field(default_factory=list)
    acts: list[VisitorAct] = field(default_factory=list)
    act: VisitorAct | None = None
    rows: dict[str, Row] = field(default_factory=dict)
    causes: dict[int, str] = field(default_factory=dict)
    origins: dict[int, str] = field(default_factory=dict)
    voice_serial: int = 0
    requests: int = 0
    epoch: int = 0
    next_digest_tick: int = 0
    inputs_taken: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    lifted: dict[str, str] = field(default_factory=dict)
    # The ledger outside restorable state, the heavy mode, and what is on its way out.
    _gate: Gate | None = field(default=None, repr=False, compare=False)
    _heavy: bool = field(default=False, repr=False, compare=False)
    _outbox: list[tuple[Part, Request]] = field(default_factory=list, repr=False, compare=False)
    _shell: list[tuple[str, str]] = field(default_factory=list, repr=False, compare=False)
    _untaken: list[Any] = field(default_factory=list, repr=False, compare=False)
    _names: dict[str, str] = field(default_factory=dict, repr=False, compare=False)
    _secrets: tuple[str, ...] = field(default=(), repr=False, compare=False)

    @property
    def gate(self) -> Gate:
        """Return the gate before the four channels."""
        assert self._gate is not None
        return self._gate

    def count(self, name: str) -> None:
        """Count one more of *name* for the run's summary."""
        self.counts[name] = self.counts.get(name, 0) + 1

    def digests(self) -> dict[str, str]:
        """Return one digest per part of the decision-relevant state, draw counters included."""
        parts = {"world": self.room.digest(), **{name: _hash(text) for name, text in self.mind.parts().items()}}
        slot = self.slot
        out = None if slot.out is None else [slot.out.id, slot.out.due_tick]
        parts["loop"] = _hash(
            json.dumps(
                [
                    self.veil.row(), slot.phase, out, slot.counts, slot.breaker.phase, self.script.row(), self.paused,
                    [act.op for act in self.acts], list(self.asking), self.wakes, self.requests, self.epoch,
                    None if self.question is None else self.question.about,
                ],
                separators=(",", ":"),
            )
        )  # fmt: skip
        parts["chance"] = _hash(json.dumps(self.chance.counters, separators=(",", ":")))
        return parts

    def digest(self) -> str:
        """Return the digest of the whole state."""
        return _hash(json.dumps(self.digests(), separators=(",", ":")))


def _hash(text: str) -> str:
    return blake2b(text.encode(), digest_size=16).hexdigest()
