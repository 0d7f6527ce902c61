"""All that may reach a mind: percepts and one observation a tick, in ordinals of the mind's own.

An ordinal is minted when the mind first meets a thing, a person or a place. Ordinal 1 is the resident itself;
0 stands for nothing, -1 for an unknown doer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

SELF = 1
NOTHING = 0
UNKNOWN = -1
NOWHERE = -1  # a place that was named and that the resident does not know

SENSES = ("sight", "sound", "touch", "body", "thought", "known")
NEEDS = ("energy", "satiety", "hydration", "bladder", "hygiene", "warmth", "rest", "social", "stimulation")


@dataclass(frozen=True, slots=True)
class Percept:
    """One thing perceived. *origin* is the root event as the mind counts events; seeing and hearing one event share it."""

    ordinal: int
    tick: int
    sense: str
    kind: str
    what: int = NOTHING
    doer: int = UNKNOWN
    origin: int = 0
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Observation:
    """What the mind has at one tick: new percepts and its own body.

    *felt* are the nine needs in thousandths, *clock_ms* the time of day the resident takes it to be,
    *near* the ordinals within reach, *cell* its own place on the floor, *seen_at* where the other person is seen or was
    just heard (-1: neither).
    """

    tick: int
    percepts: tuple[Percept, ...]
    felt: tuple[int, ...]
    pain: int
    clock_ms: int
    day: int
    cell: int
    posture: str
    holding: tuple[int, ...]
    near: tuple[int, ...]
    present: tuple[int, ...]
    hearing: tuple[int, ...]
    light: int
    seen_at: int = -1
