"""Attraction: a capped sum of named parts, 0..1000. Every part is recorded; none can grow without bound.

An intuition is not a part: it decides inside a near-tie group, or it does not.
"""

from __future__ import annotations

from dataclasses import dataclass

from agent.candidates import Candidate
from agent.mind import Method, Mind
from agent.needs import INDEX, task_relief
from agent.params import Params
from agent.planning import estimate_ms, method_key
from agent.skill import TaskTemplate

PARTS = (
    "relief", "goal", "obligation", "habit", "salience", "method", "feeling", "voice",
    "time", "risk", "switching", "failure", "satiation",
)  # fmt: skip
DRIVES, GAINS = PARTS[:5], PARTS[:8]
Limit = tuple[str, int, int]
UNBOUNDED = 10**9
NEUTRAL = 700  # confidence in a method of which nothing is known


@dataclass(slots=True)
class Scored:
    """A candidate with its parts (costs are negative) and their clamped sum. Made once, never changed (see Candidate)."""

    candidate: Candidate
    parts: dict[str, int]
    score: int


def score(mind: Mind, candidate: Candidate, lift: int = 0) -> Scored:
    """Return *candidate* with its attraction; *lift* is what an inner voice adds to this one candidate."""
    params = mind.params
    parts = dict(candidate.drives)
    task = mind.task(candidate.task) if candidate.task and candidate.act != "ask_help" else None
    taking_on = candidate.act in ("start", "continue", "resume")
    if task is not None and taking_on:
        parts["relief"] = task_relief(mind, task.needs)
        _liking(mind, candidate, parts)
        _past(mind, candidate, parts)
        if task.group in ("eat", "drink"):
            parts["satiation"] = parts.get("satiation", 0) - _sated(mind, task)
        parts["time"] = -_time_cost(mind, candidate, task)
        parts["risk"] = -_risk(mind, candidate, task)
    if lift:
        parts["voice"] = min(lift, params.voice_lift)
    if candidate.act in ("continue", "resume"):
        kept = mind.commitments[candidate.commitment]
        # What was taken on keeps the drive it was taken on for; a paused one has lost some of it.
        gap = kept.pull - sum(parts.get(name, 0) for name in DRIVES)
        if gap > 0:
            parts["habit"] = parts.get("habit", 0) + gap
        if candidate.act == "resume":
            parts["failure"] = parts.get("failure", 0) - 40
    if candidate.act in ("start", "resume") and mind.busy():
        parts["switching"] = -_switching(mind)
    if not mind._limits:
        mind._limits = limits(params)
    return _capped(candidate, parts, mind._limits, params.gain)


def pull(mind: Mind, candidate: Candidate) -> int:
    """Return what speaks for *candidate* before any cost, unspread: what a commitment keeps while it lasts."""
    scored = score(mind, candidate)
    drives = sum(scored.parts.get(name, 0) for name in DRIVES)
    return drives * 1000 // mind.params.gain


def limits(params: Params) -> tuple[Limit, ...]:
    """Return (name, least, most) of every part, in their order, before they are spread."""
    found: list[Limit] = []
    for name in PARTS:
        cap = getattr(params, f"cap_{name}", UNBOUNDED)
        least = -UNBOUNDED if name in DRIVES else -cap
        found.append((name, least, cap if name in GAINS else UNBOUNDED))
    return tuple(found)


def _capped(candidate: Candidate, parts: dict[str, int], within: tuple[Limit, ...], gain: int) -> Scored:
    """Return *candidate* with each part within its limits, spread by *gain* per mille, and what they come to."""
    found: dict[str, int] = {}
    total = 0
    for name, least, most in within:
        value = parts.get(name, 0)
        if not value:
            continue
        value = least if value < least else most if value > most else value
        # Toward zero on both sides, so that a cost and a gain of one size cancel.
        value = value * gain // 1000 if value >= 0 else -(-value * gain // 1000)
        if value:
            found[name] = value
            total += value
    return Scored(candidate, found, 0 if total < 0 else 1000 if total > 1000 else total)


def _liking(mind: Mind, candidate: Candidate, parts: dict[str, int]) -> None:
    """Among ways to the same end, one's own practices come easier."""
    if parts.get("habit"):
        return
    if not mind._liked:
        for practice in reversed(mind.persona["practices"]):
            mind._liked[practice["task"]] = practice["weight"] // 10
    if candidate.task in mind._liked:
        parts["habit"] = mind._liked[candidate.task]


FULL = 690  # a need felt above this leaves nothing to eat or drink for; tuned


def _sated(mind: Mind, task: TaskTemplate) -> int:
    """What a body that is already full takes away from eating and drinking, practice or not."""
    need = next(iter(task.needs))
    return 2 * max(0, mind.felt[INDEX[need]] - FULL)


def _past(mind: Mind, candidate: Candidate, parts: dict[str, int]) -> None:
    """How the method fared, how it felt, whether it failed of late, whether one has just had it."""
    params = mind.params
    method = mind.methods.get(method_key(candidate.task, candidate.roles, mind))
    if method is None or candidate.task in ("wait_quietly", "look_around"):
        return
    parts["method"] = (trusted(mind, method) - NEUTRAL) * params.cap_method // (1000 - NEUTRAL)
    feeling = mind.feelings.get(candidate.task)
    if feeling is not None:
        parts["feeling"] = (feeling - 500) * params.cap_feeling // 500
    if method.failures_in_row and method.failed_tick >= 0:
        since = (mind.tick - method.failed_tick) * mind.tick_ms
        parts["failure"] = -max(0, 150 * method.failures_in_row * (params.failed_method_ms - since) // params.failed_method_ms)
    if method.done_tick >= 0 and candidate.act == "start":
        since = (mind.tick - method.done_tick) * mind.tick_ms
        parts["satiation"] = parts.get("satiation", 0) - (params.cap_satiation >> min(12, since // params.satiation_half_ms))


def trusted(mind: Mind, method: Method) -> int:
    """Return the confidence in *method* now: what failures took from it comes back by halves while none is added.

    Without this a way that once went wrong is never tried again, and nobody finds out that it works once more.
    """
    lost = NEUTRAL - method.confidence
    if lost <= 0 or method.failed_tick < 0:
        return method.confidence
    rests = (mind.tick - method.failed_tick) * mind.tick_ms // mind.params.method_rest_ms
    return NEUTRAL - (lost >> min(12, rests))


def _time_cost(mind: Mind, candidate: Candidate, task: TaskTemplate) -> int:
    if candidate.task == "wait_quietly":
        return 0  # Waiting costs no time: it has nothing else to do.
    minutes = estimate_ms(mind, task, candidate.roles, candidate.minutes) // 60_000
    return min(minutes, 30) + max(0, minutes - 30) // 8


def _risk(mind: Mind, candidate: Candidate, task: TaskTemplate) -> int:
    risk = task.risk
    for ordinal in candidate.roles.values():
        thing = mind.beliefs.things.get(ordinal)
        if thing is not None and (thing.props.get("cracked", 0) or thing.props.get("wet", 0)):
            risk += 30
    risk = risk * (500 + int(mind.persona["tendencies"]["caution"])) // 1500
    if "setting" in candidate.touches and task.private and not _vital(mind, task):
        risk += mind.params.private_cost
    return risk


def _vital(mind: Mind, task: TaskTemplate) -> bool:
    """Return whether *task* restores what has become critical: then nobody minds who is there."""
    return any(mind.felt[INDEX[need]] <= mind.params.critical for need in task.needs)


def _switching(mind: Mind) -> int:
    current = mind.intention()
    assert current is not None
    held = mind.params.switching_held if current.hold_tick > mind.tick else 0
    return mind.params.switching_base + held
