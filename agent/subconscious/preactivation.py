"""S2: pre-activation. What comes in warms the memories it has to do with; retrieval looks among the warm ones first.

At most five cues are taken, a coarse match costs a count per cue and memory, and a pool of limited size cools down by
itself. Warming is not recall: it changes no memory and nothing a memory is judged by. Where the pool has too little,
all memories are searched; with S2 off, always.
"""

from __future__ import annotations

from collections.abc import Sequence

from agent.memory import Cue, Experience
from agent.mind import Mind
from agent.percept import SELF, Percept

LATENCY_MS = 5
CALLS, SCORED, FELL_BACK = "s2_calls", "s2_scored", "s2_fell_back"
WARMING = ("speech", "person", "act", "voice")


def arrived(mind: Mind, percept: Percept) -> None:
    """Warm what *percept* has to do with, if it is of a kind that calls for it."""
    if not mind.settings.get("s2", True) or percept.kind not in WARMING:
        return
    data = percept.data
    things = [percept.doer, percept.what, int(data.get("target", 0)), *data.get("things", ())]
    words = [str(data.get("action", "")), str(data.get("skill", ""))]
    warm(mind, cues_of(things, words, mind.params.cues))


def cues_of(things: Sequence[int], words: Sequence[str], most: int) -> tuple[Cue, ...]:
    """Return the first *most* different cues, things and words by turns; oneself is no cue."""
    found: dict[Cue, bool] = {}
    others, named = [thing for thing in things if thing > SELF], [word for word in words if word]
    for at in range(max(len(others), len(named))):
        found.update(dict.fromkeys(others[at : at + 1], True))
        found.update(dict.fromkeys(named[at : at + 1], True))
    return tuple(found)[:most]


def warm(mind: Mind, cues: tuple[Cue, ...]) -> None:
    """Add to the pool what meets *cues* well enough; the coldest leave it where it is full."""
    pool, params = mind.inner.warm, mind.params
    for at in [at for at, until in pool.items() if until <= mind.tick]:
        del pool[at]
    until = mind.tick + mind.ticks(params.warm_ms)
    for at in reversed(mind.memory.coarse(cues, mind.tick, params.theta_warm, params.warm_max)):
        pool.pop(at, None)
        pool[at] = until
    while len(pool) > params.warm_max:
        del pool[next(iter(pool))]


def recall(mind: Mind, about: tuple[int, ...], actions: tuple[str, ...], most: int = 6) -> list[Experience]:
    """Return at most *most* experiences relevant to these ordinals and actions, best first, with a counter-example."""
    memory, serials = mind.memory, mind.inner.serials
    cues = cues_of(about, actions, mind.params.cues)
    serials[CALLS] = serials.get(CALLS, 0) + 1
    if not mind.settings.get("s2", True):
        serials[SCORED] = serials.get(SCORED, 0) + len(memory.items)
        return memory.recall(cues, mind.tick, most)
    warm(mind, cues)
    pool = mind.inner.warm
    found = memory.rank(pool, cues, mind.tick, most)
    serials[SCORED] = serials.get(SCORED, 0) + len(pool)
    if len(found) < min(most, len(memory.items)):
        # All that share a cue: whatever shares none has no relevance, so a full search would find no other.
        every = memory.coarse(cues, mind.tick, 0, len(memory.items))
        serials[SCORED] += len(every)
        serials[FELL_BACK] = serials.get(FELL_BACK, 0) + 1
        found = memory.rank(every, cues, mind.tick, most)
    return memory.with_contrary([at for _, at in found], cues, mind.tick, most)
