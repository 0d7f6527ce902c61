"""How much thought a question to the model is worth in the room: the compute scheduler's door to the mind.

With `mind.scheduler` on, a near tie that sys1 does not settle and that a model is worth asking about is weighed first
(agent/scheduler/room.py): the deterministic best (cheap), one call, or a call with a reflection of N samples.

The executor is the world. What is learned is learned when a deed closes, from the same perceived end that teaches
everything else; a deed that was replaced or cancelled, and a request without a commit, teach nothing. There is no other
way in: no reply, no words and no wish of the mind's reach `take`, so the mind can't vouch for itself, and what was not
perceived stays in the log alone.
"""

from __future__ import annotations

from agent import scene
from agent.attraction import Scored
from agent.candidates import Candidate
from agent.inner import Deed
from agent.mind import Mind
from agent.planning import method_key
from agent.scheduler import room
from agent.scheduler.room import Effort, Scheduler, Signals
from agent.skill import Skill

WEIGHTS = ("relief", "goal", "obligation", "habit", "salience")
"""The parts of attraction that say how much hangs on a candidate: needs, commitments, habits, requests."""

CONTEXT_ROWS = 24
"""Rows (candidates, observations, matters) at which a request counts as full. Chosen."""


CLOSENESS = 5
"""Steps in which the width of a near tie is counted. Chosen."""

REFLECTED = {"overturned": True, "confirmed": False, "unearned": False}
"""What a ruling's reason says of the reflection before it."""


def on(mind: Mind) -> bool:
    """Return whether the scheduler has a say."""
    return bool(mind.settings.get("scheduler", False))


def weigh(mind: Mind, round_id: str, group: tuple[Scored, ...]) -> Effort | None:
    """Return how much thought the near tie *group* of *round_id* is worth, None where the scheduler has no say."""
    return room.think(_state(mind), signals(mind, group), round_id) if on(mind) else None


def signals(mind: Mind, group: tuple[Scored, ...]) -> Signals:
    """Return what the round knows of its own choice, in thousandths, for the auction."""
    leader, rival = group[0], group[1]
    lead = leader.score - rival.score
    current = mind.intention()
    skills = [_skills(mind, one.candidate) for one in group]
    steps = 0 if current is None else len(mind.task(current.task).steps)
    rows = len(group) + len(mind.notable) + sum(matter.open for matter in mind.matters.values())
    return Signals(
        stakes=min(1000, max(_weight(one) for one in group)),
        difficulty=1000 - 1000 * lead // mind.params.gap_min,
        progress=0 if current is None or not steps else min(1000, 1000 * current.step // steps),
        context=min(1000, 1000 * rows // CONTEXT_ROWS),
        prior=min(1000, max(sum(skill.prior_risk for skill in each) for each in skills)),
        mutating=any(skill.mutating for each in skills for skill in each) or any(one.candidate.act in scene.STANCES for one in group),
        irreversible=any(skill.irreversible for skill in skills[0]),
        scene=_meaning(mind, leader, rival),
        commitment=mind.current,
        family=_family(mind, group),
    )  # fmt: skip


def _family(mind: Mind, group: tuple[Scored, ...]) -> str:
    """Return the kind of choice: the leader's source and what it touches, and how close the best member that touches other things is."""
    leader = group[0]
    touched = "+".join((leader.candidate.source, *leader.candidate.touches))
    passed_over = next((one for one in group if one.candidate.touches and one.candidate.touches != leader.candidate.touches), None)
    if passed_over is None:
        return touched
    closeness = CLOSENESS * (leader.score - passed_over.score) // mind.params.gap_min
    return f"{touched}<{'+'.join(passed_over.candidate.touches)}:{closeness}"


def _skills(mind: Mind, candidate: Candidate) -> list[Skill]:
    """Return the skills that *candidate* would set going; a stance sets none going by itself."""
    task = mind.known_task(candidate.task) if candidate.act in ("start", "resume", "continue", "accept") else None
    return [] if task is None else [mind.book.skills[step.skill] for step in task.steps]


def _weight(one: Scored) -> int:
    return max(one.parts.get(name, 0) for name in WEIGHTS)


def _meaning(mind: Mind, leader: Scored, rival: Scored) -> str:
    """Return the meaning of the step: what stands against what, the region, and whether the leader's way failed of late."""
    candidate = leader.candidate
    method = mind.methods.get(method_key(candidate.task, candidate.roles, mind)) if candidate.task else None
    failed = "failed" if method is not None and method.failures_in_row else ""
    return "|".join((scene.label_of(mind, candidate), scene.label_of(mind, rival.candidate), mind.region, failed))


def chosen(mind: Mind, round_id: str, *, otherwise: bool, reason: str) -> None:
    """Take in that the model's answer to *round_id* was committed, *otherwise* than the deterministic best or not.

    *reason* is the ruling's: it says what came of a reflection.
    """
    if on(mind):
        room.chosen(_state(mind), round_id, otherwise=otherwise, reflected=REFLECTED.get(reason))


def samples(mind: Mind, round_id: str) -> int:
    """Return N of the reflection that *round_id* is worth, 0 for one plain call, -1 where the scheduler has no say."""
    return room.depth(_state(mind), round_id) if on(mind) else -1


def take(mind: Mind, deed: Deed, *, good: bool, experience: int) -> None:
    """Learn from the perceived end of *deed*: *good* says that what was intended was perceived to have come about."""
    if not on(mind):
        return
    lesson = room.learn(_state(mind), deed.round, perceived=good)
    if lesson is not None:
        why = {True: "mattered", False: "did_not_matter", None: "worked"}[lesson.mattered]
        mind.note("learn", deed.round, domain="effort", why=why, effort=lesson.kind, perceived=good, experience=f"exp-{experience}")


def forget(mind: Mind, round_id: str) -> None:
    """Drop a choice whose outcome will never be known: set aside, stale, cancelled, expired."""
    if on(mind):
        room.forget(_state(mind), round_id)


def night(mind: Mind) -> None:
    """Move the price of risk by the day's regret."""
    if on(mind):
        room.night(_state(mind))


def _state(mind: Mind) -> Scheduler:
    if mind.sys2.effort is None:
        mind.sys2.effort = Scheduler()
    return mind.sys2.effort


