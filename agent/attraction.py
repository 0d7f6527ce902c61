"""Attraction: a capped sum of named parts, 0..1000. Every part is recorded; none can grow without bound.

An intuition is not a part: it decides inside a near-tie group, or it does not.
"""

from __future__ import annotations

from dataclasses import dataclass

from agent.candidates import Candidate
from agent.mind import Mind
from agent.needs import INDEX, task_relief
from agent.params import Params
from agent.planning import estimate_ms, method_key

PARTS = (
    "relief", "goal", "obligation", "habit", "salience", "method", "feeling", "voice",
    "time", "risk", "switching", "failure", "satiation",
)  # fmt: skip
GAINS = PARTS[:8]


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its parts (costs are negative) and their clamped sum."""

    candidate: Candidate
    parts: dict[str, int]
    score: int


def score(mind: Mind, candidate: Candidate, lift: int = 0) -> Scored:
    """Return *candidate* with its attraction; *lift* is what an inner voice adds to this one candidate."""
    params = mind.params
    parts = dict.fromkeys(PARTS, 0)
    for name, value in candidate.drives.items():
        if name != "pull":
            parts[name] = value
    task = mind.task(candidate.task) if candidate.task and candidate.act != "ask_help" else None
    taking_on = candidate.act in ("start", "continue", "resume")
    if task is not None and taking_on:
        parts["relief"] = task_relief(mind, task.needs)
        _liking(mind, candidate, parts)
        _past(mind, candidate, parts)
        parts["satiation"] -= _sated(mind, candidate)
        parts["time"] = -_time_cost(mind, candidate)
        parts["risk"] = -_risk(mind, candidate)
    parts["voice"] = min(lift, params.voice_lift)
    if candidate.act in ("continue", "resume"):
        kept = mind.commitments[candidate.commitment]
        # What was taken on keeps the drive it was taken on for; a paused one has lost some of it.
        gap = kept.pull - sum(parts[name] for name in ("relief", "goal", "obligation", "habit", "salience"))
        if gap > 0:
            parts["habit"] += gap
        if candidate.act == "resume":
            parts["failure"] -= 40
    if candidate.act in ("start", "resume") and mind.busy():
        parts["switching"] = -_switching(mind)
    _cap(parts, params)
    return Scored(candidate, {name: value for name, value in parts.items() if value}, max(0, min(1000, sum(parts.values()))))


def pull(mind: Mind, candidate: Candidate) -> int:
    """Return what speaks for *candidate* before any cost, unspread: what a commitment keeps while it lasts."""
    scored = score(mind, candidate)
    drives = sum(scored.parts.get(name, 0) for name in ("relief", "goal", "obligation", "habit", "salience"))
    return drives * 1000 // mind.params.gain


def _cap(parts: dict[str, int], params: Params) -> None:
    for name in ("relief", "goal", "obligation", "habit", "salience"):
        parts[name] = min(parts[name], getattr(params, f"cap_{name}"))
    parts["method"] = max(-params.cap_method, min(params.cap_method, parts["method"]))
    parts["feeling"] = max(-params.cap_feeling, min(params.cap_feeling, parts["feeling"]))
    for name in ("time", "risk", "switching", "failure", "satiation"):
        parts[name] = max(parts[name], -getattr(params, f"cap_{name}"))
    for name, value in parts.items():
        # Toward zero on both sides, so that a cost and a gain of one size cancel.
        parts[name] = value * params.gain // 1000 if value >= 0 else -(-value * params.gain // 1000)


def _liking(mind: Mind, candidate: Candidate, parts: dict[str, int]) -> None:
    """Among ways to the same end, one's own practices come easier."""
    for practice in mind.persona["practices"]:
        if practice["task"] == candidate.task and not parts["habit"]:
            parts["habit"] = practice["weight"] // 10
            return


FULL = 690  # a need felt above this leaves nothing to eat or drink for; tuned


def _sated(mind: Mind, candidate: Candidate) -> int:
    """What a body that is already full takes away from eating and drinking, practice or not."""
    task = mind.task(candidate.task)
    if task.group not in ("eat", "drink"):
        return 0
    need = next(iter(task.needs))
    return 2 * max(0, mind.felt[INDEX[need]] - FULL)


def _past(mind: Mind, candidate: Candidate, parts: dict[str, int]) -> None:
    """How the method fared, how it felt, whether it failed of late, whether one has just had it."""
    params = mind.params
    method = mind.methods.get(method_key(candidate.task, candidate.roles, mind))
    if method is None or candidate.task in ("wait_quietly", "look_around"):
        return
    parts["method"] = (method.confidence - 700) * params.cap_method // 300
    feeling = mind.feelings.get(candidate.task)
    if feeling is not None:
        parts["feeling"] = (feeling - 500) * params.cap_feeling // 500
    if method.failures_in_row and method.failed_tick >= 0:
        since = (mind.tick - method.failed_tick) * mind.tick_ms
        parts["failure"] = -max(0, 150 * method.failures_in_row * (params.failed_method_ms - since) // params.failed_method_ms)
    if method.done_tick >= 0 and candidate.act == "start":
        since = (mind.tick - method.done_tick) * mind.tick_ms
        parts["satiation"] -= (params.cap_satiation >> min(12, since // params.satiation_half_ms))


def _time_cost(mind: Mind, candidate: Candidate) -> int:
    if candidate.task == "wait_quietly":
        return 0  # Waiting costs no time: it has nothing else to do.
    minutes = estimate_ms(mind, mind.task(candidate.task), candidate.roles, candidate.minutes) // 60_000
    return min(minutes, 30) + max(0, minutes - 30) // 8


def _risk(mind: Mind, candidate: Candidate) -> int:
    task = mind.task(candidate.task)
    risk = sum(mind.book.skills[step.skill].prior_risk for step in task.steps)
    for ordinal in candidate.roles.values():
        thing = mind.beliefs.things.get(ordinal)
        if thing is not None and (thing.props.get("cracked", 0) or thing.props.get("wet", 0)):
            risk += 30
    risk = risk * (500 + int(mind.persona["tendencies"]["caution"])) // 1500
    if "setting" in candidate.touches and task.private:
        risk += mind.params.private_cost
    return risk


def _switching(mind: Mind) -> int:
    current = mind.intention()
    assert current is not None
    held = mind.params.switching_held if current.hold_tick > mind.tick else 0
    return mind.params.switching_base + held
