"""S5: feeling, by statistics and named so: what like deeds in like scenes have felt like so far.

Valence runs from -1000 to 1000; nothing like it in the history is neutral. Below theta_negative a choice of sys1 is
set aside as if unsettled, and a reply is asked again once; then it stands.
"""

from __future__ import annotations

from agent import scene
from agent.inner import Felt
from agent.mind import Mind

LATENCY_MS = 15
PER_LABEL = 24
LEAST = 3


def remember(mind: Mind, label: str, vector: bytes, reward: int) -> None:
    """Keep how a deed felt; the history as a whole is bounded."""
    if not mind.settings.get("s5", True):
        return
    inner = mind.inner
    kept = inner.felt.setdefault(label, [])
    kept.append(Felt(vector, reward, mind.tick))
    inner.felt_count += 1
    if len(kept) > PER_LABEL:
        kept.pop(0)
        inner.felt_count -= 1
    if inner.felt_count > mind.params.felt_max:
        oldest = min(inner.felt, key=lambda name: inner.felt[name][0].tick)
        inner.felt[oldest].pop(0)
        inner.felt_count -= 1
        if not inner.felt[oldest]:
            del inner.felt[oldest]
    inner.chain("S5", label, reward)


def valence(mind: Mind, label: str, vector: bytes) -> int:
    """Return the mean feeling of like deeds in like scenes, -1000..1000; 0 where there are too few."""
    if not mind.settings.get("s5", True):
        return 0
    history = mind.inner.felt.get(label, ())
    if len(history) < LEAST:
        return 0
    alike = scene.similarities(vector, [one.vector for one in history])
    near = [one.reward for one, likeness in zip(history, alike, strict=True) if likeness >= mind.params.theta_sim]
    if len(near) < LEAST:
        return 0
    gap = sum(near) - 500 * len(near)
    return 2 * gap // len(near) if gap >= 0 else -(-2 * gap // len(near))


def uneasy(mind: Mind, label: str, vector: bytes) -> bool:
    """Return whether the feeling about *label* here is bad enough to reconsider."""
    return valence(mind, label, vector) < mind.params.theta_negative
