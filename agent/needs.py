"""Felt needs as drives, and mood as two bounded numbers that fall back to rest."""

from __future__ import annotations

from agent.mind import Mind
from agent.params import Params
from agent.percept import NEEDS

PLEASURE_REST, AROUSAL_REST = 500, 300
PAIN = 300  # from which on it hurts enough to matter: nothing is safe to go on with, nobody waits; chosen
INDEX = {name: at for at, name in enumerate(NEEDS)}


def hurts(mind: Mind) -> bool:
    """Return whether pain is strong enough to matter."""
    return mind.pain >= PAIN


def band(level: int, params: Params) -> str:
    """Return comfortable, fair, low, urgent or critical for a felt level in thousandths."""
    if level >= params.comfortable:
        return "comfortable"
    if level >= params.low:
        return "fair"
    if level >= params.urgent:
        return "low"
    return "urgent" if level >= params.critical else "critical"


def relief(level: int, gain: int, params: Params) -> int:
    """Return how much a gain is wanted at this level, 0..cap: convex in the gap, less if the gain is small."""
    gap = 1000 - level
    if gap <= 0 or gain <= 0:
        return 0
    wanted = params.cap_relief * gap * gap // 1_000_000
    if level < params.urgent:
        wanted += params.urgent_bonus
    if level < params.critical:
        wanted += params.critical_bonus
    part = min(1000, 1000 * gain // max(gap, 1))
    # A small help is still a help: half the weight does not depend on its size.
    return min(params.cap_relief, wanted * (400 + 600 * part // 1000) // 1000)


def task_relief(mind: Mind, needs: dict[str, int]) -> int:
    """Return the summed relief of what a task is believed to restore, capped."""
    felt, params, total = mind.felt, mind.params, 0
    for need, gain in needs.items():
        total += relief(felt[INDEX[need]], gain, params)
    return min(params.cap_relief, total)


def mood(mind: Mind, tick: int) -> tuple[int, int]:
    """Return (pleasure, arousal) at *tick*: each deviation from rest halves every mood_half_ms, in whole numbers."""
    elapsed = max(0, tick - mind.mood_tick) * mind.tick_ms
    halves, part = divmod(elapsed, mind.params.mood_half_ms)
    keep = 1_000_000 - 500_000 * part // mind.params.mood_half_ms

    def settle(value: int, rest: int) -> int:
        gap = value - rest
        size = abs(gap) * keep // 1_000_000 >> min(halves, 20)
        return rest + (size if gap > 0 else -size)

    return settle(mind.pleasure, PLEASURE_REST), settle(mind.arousal, AROUSAL_REST)


def stir(mind: Mind, tick: int, pleasure: int, arousal: int) -> None:
    """Move the mood by bounded amounts; the nearer to the bound, the smaller the step."""
    now_pleasure, now_arousal = mood(mind, tick)

    def move(value: int, delta: int) -> int:
        room = 1000 - value if delta > 0 else value
        return max(0, min(1000, value + delta * room // 1000))

    mind.pleasure, mind.arousal, mind.mood_tick = move(now_pleasure, pleasure), move(now_arousal, arousal), tick
