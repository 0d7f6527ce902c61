"""S1: implicit learning. After each completed deed its exact features find or make a latent pattern.

Nobody decides to learn here. At the third repeat S3 is told, once; a small pattern that a large cluster would hide is
put forward that way. What the gate turns down is forgotten here, and told of once more after as many repeats.
"""

from __future__ import annotations

from agent.inner import Latent
from agent.mind import Mind

LATENCY_MS = 20
"""Declared simulated latency (spec 02, 6)."""


def learn(mind: Mind, pattern: str) -> bool:
    """Count one more completed deed of *pattern* (scene key and label); return True once, when S3 is to be told."""
    if not mind.settings.get("s1", True):
        return False
    inner = mind.inner
    latent = inner.latent.get(pattern)
    if latent is None:
        if len(inner.latent) >= mind.params.latent_max:
            _forget_one(mind)
        latent = inner.latent[pattern] = Latent(0, mind.tick)
    latent.count += 1
    inner.chain("S1", pattern, latent.count)
    if latent.told or latent.count < mind.params.theta_count:
        return False
    latent.told = True
    mind.note("pattern", "", by="S1", event="noticed", pattern=pattern, count=latent.count, latency_ms=LATENCY_MS)
    return True


def _forget_one(mind: Mind) -> None:
    """Make room: the oldest pattern that never came again goes first."""
    latent = mind.inner.latent
    gone = next((name for name, one in latent.items() if one.count == 1), next(iter(latent)))
    del latent[gone]
