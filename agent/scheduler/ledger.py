"""What a namespace has learned, as a fold over events: no session can overwrite another.

Sessions never write state. They append events (an outcome, a record, a spent nonce, a task's
end), and every reader folds the same events in the same order, so two processes that share a
namespace come to the same state to the last bit. Where events are kept is the rim's affair.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from agent.scheduler import meta, prototypes, skills
from agent.scheduler.attest import Nonces
from agent.scheduler.belief import FEATURES, Belief
from agent.scheduler.calibrate import Reliability
from agent.scheduler.params import Params, with_options
from agent.scheduler.rules import DEFAULT, Rules
from agent.scheduler.skills import SkillMemory

Event = dict[str, Any]
State = dict[str, Any]

FORMAT = 1
DUE_FORGOTTEN_MS = 3_600_000
"""A check whose session said nothing for this long is owed."""
_OWED_MAX = 1000


class Turn(Protocol):
    """One exclusive turn at a namespace's events."""

    def news(self) -> tuple[State | None, list[Event]]:
        """Return a state to start over from (None: go on from where we are), and the events after it."""

    def append(self, events: list[Event]) -> None:
        """Add events, all or none, durably."""

    def compact(self, state: State) -> None:
        """Replace all events so far by *state*."""

    def cursor(self) -> str:
        """Return where the reader now stands."""


class Ledger(Protocol):
    """Where the events of namespaces are kept."""

    def turn(self, namespace: str, cursor: str) -> AbstractContextManager[Turn]:
        """Wait for, then hold, the namespace; *cursor* says where the reader stands ("" at first)."""


@dataclass(slots=True)
class Learned:
    """The state of one namespace."""

    params: Params
    rules: Rules
    library: meta.Library
    skills: SkillMemory
    nonces: Nonces = field(default_factory=Nonces)
    due: dict[str, int] = field(default_factory=dict)
    """Forced checks that were asked for and have not arrived: key to time of asking (ms)."""
    owed: dict[str, int] = field(default_factory=dict)
    """Forced checks that never arrived: key to time (ms)."""
    events: int = 0

    def apply(self, events: Iterable[Event]) -> bool:
        """Fold *events* in. Return whether one of them showed that the rule has changed."""
        changed = False
        for event in events:
            self.events += 1
            match event["t"]:
                case "learn":
                    changed = self._learn(event) or changed
                case "skill":
                    record = skills.restored(event["record"], event["record"]["ts"], self.rules, trusted=True)
                    assert record is not None
                    self.skills.write(record)
                case "nonce":
                    self.nonces.spend(event["nonce"], event["ts"], prune=True)
                case "task":
                    self.library.mu = meta.price_after(
                        self.library.mu,
                        event["under"],
                        event["over"],
                        event["success"],
                        event["deep"],
                        self._params(event),
                    )
                case "due":
                    self.due[event["key"]] = event["ts"]
                case "owed":
                    self.due.pop(event["key"], None)
                    if len(self.owed) < _OWED_MAX:
                        self.owed[event["key"]] = event["ts"]
                case "met":
                    self._met(event["key"], event["passed"])
                case _:
                    raise AssertionError(f"unknown event {event['t']!r}")
        return changed

    def debt(self, now_ms: int) -> int:
        """Return how many forced checks never arrived."""
        latest = now_ms - DUE_FORGOTTEN_MS
        return len(self.owed) + len([1 for asked in self.due.values() if asked < latest])

    def state(self) -> State:
        """Return the whole as JSON-able values."""
        library = self.library
        return {
            "format": FORMAT,
            "mu": library.mu,
            "protos": [{**each.stored(), "id": each.id} for each in library.protos],
            "next": library.next_serial,
            "belief": {
                "weights": library.belief.weights,
                "covariance": library.belief.covariance,
                "outcomes": library.belief.outcomes,
                "surprise": library.belief.surprise,
                "alarms": library.belief.alarms,
            },
            "reliability": {
                "pairs": [[p, q, 1 if critical else 0] for p, q, critical in library.reliability.pairs],
                "knots": [list(knot) for knot in library.reliability.knots],
                "since": library.reliability.since,
                "error": library.reliability.error,
            },
            "skills": [each.stored() for each in self.skills.records],
            "nonces": self.nonces.until_ms,
            "due": self.due,
            "owed": self.owed,
            "events": self.events,
        }

    def _params(self, event: Event) -> Params:
        options = event.get("opts")
        return with_options(self.params, options, bounded=True)[0] if options else self.params

    def _learn(self, event: Event) -> bool:
        hints = event["hints"]
        seen = meta.Seen((hints[0], hints[1], hints[2]), event["action"])
        outcome = meta.Outcome(event["observed"], event["ignited"], event["deep"], None, event["missed"])
        foreseen = None
        if event["features"] is not None:
            foreseen = meta.Foreseen(tuple(event["features"]), event["raw"], event["served"])
        return meta.absorb(self.library, seen, outcome, self._params(event), self.rules, foreseen)

    def _met(self, key: str, passed: bool) -> None:
        # A check that came pays for itself; one that passed pays for the oldest that never came, too.
        self.due.pop(key, None)
        self.owed.pop(key, None)
        oldest = next(iter(self.owed), None)
        if passed and oldest is not None:
            del self.owed[oldest]


def fresh(rules: Rules = DEFAULT, params: Params | None = None) -> Learned:
    """Return the state of a namespace in which nothing has happened."""
    constants = params or Params()
    return Learned(
        params=constants,
        rules=rules,
        library=meta.Library(mu=constants.mu0),
        skills=SkillMemory(rules),
    )


def restored(state: State, rules: Rules = DEFAULT, *, trusted: bool = True) -> Learned:
    """Return the namespace of a stored *state*. Untrusted (unsigned): content is kept, no trust in it.

    Raises ValueError if it cannot be one.
    """
    learned = fresh(rules)
    try:
        _fill(learned, state, trusted)
    except (KeyError, TypeError, AttributeError, IndexError) as fault:
        raise ValueError(f"not the state of a namespace: {fault!r}") from fault
    return learned


def _fill(learned: Learned, state: State, trusted: bool) -> None:
    library = learned.library
    library.mu = float(state["mu"])
    for raw in state["protos"]:
        found = prototypes.restored(raw, raw.get("id", library.next_serial))
        if found is not None:
            library.protos.append(found)
            library.next_serial = max(library.next_serial, found.id + 1)
    for raw in state["skills"]:
        record = skills.restored(raw, int(raw.get("ts") or 0), learned.rules, trusted=trusted)
        if record is not None:
            learned.skills.records.append(record)
    if state.get("format") != FORMAT:
        return
    library.next_serial = state["next"]
    raw_belief = state["belief"]
    if len(raw_belief["weights"]) == FEATURES:
        library.belief = Belief(
            weights=list(raw_belief["weights"]),
            covariance=[list(row) for row in raw_belief["covariance"]],
            outcomes=raw_belief["outcomes"],
            surprise=raw_belief["surprise"],
            alarms=raw_belief["alarms"],
        )
    raw_curve = state["reliability"]
    library.reliability = Reliability(
        pairs=[(p, q, critical == 1) for p, q, critical in raw_curve["pairs"]],
        knots=[(x, y) for x, y in raw_curve["knots"]],
        since=raw_curve["since"],
        error=raw_curve["error"],
    )
    learned.nonces = Nonces(dict(state["nonces"]))
    learned.due = dict(state["due"])
    learned.owed = dict(state["owed"])
    learned.events = state["events"]


@dataclass(slots=True)
class _MemoryTurn:
    kept: list[Event]
    place: int

    def news(self) -> tuple[State | None, list[Event]]:
        """Return the events not yet read."""
        unread = self.kept[self.place :]
        self.place = len(self.kept)
        return None, unread

    def append(self, events: list[Event]) -> None:
        """Add events."""
        self.kept.extend(events)
        self.place = len(self.kept)

    def compact(self, state: State) -> None:
        """Do nothing: memory needs no compacting."""

    def cursor(self) -> str:
        """Return how many events were read."""
        return str(self.place)


@dataclass(slots=True)
class MemoryLedger:
    """A ledger in memory, for one process: tests, experiments, and in-memory servers."""

    events: dict[str, list[Event]] = field(default_factory=dict)

    def turn(self, namespace: str, cursor: str) -> AbstractContextManager[Turn]:
        """Return a turn; there is nobody to wait for."""
        return _Held(_MemoryTurn(self.events.setdefault(namespace, []), int(cursor or 0)))


@dataclass(slots=True)
class _Held(AbstractContextManager[Turn]):
    turn: Turn

    def __enter__(self) -> Turn:
        return self.turn

    def __exit__(self, *_: object) -> None:
        return None
