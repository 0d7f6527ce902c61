"""What stands in the way of a skill and is no precondition of it: causes seen to stand, or met in failing.

A body knows of some obstacles only by trying. Each failure is counted by skill, cause and whom or what it lies with. While
a cause is seen to stand, or has been met as often as a method may fail in a row and nothing was seen to change since, the
skill is not tried again: not for this request, nor for the next one.
"""

from __future__ import annotations

from collections.abc import Callable

from agent.mind import Mind
from agent.skill import Command, TaskTemplate

Roles = dict[str, int]


def _hands_full(mind: Mind, roles: Roles) -> bool:
    """Return whether the person is believed to hold something else already."""
    return any(
        thing.relation == "held" and thing.place == roles["person"] and thing.ordinal != roles["object"]
        for thing in mind.beliefs.things.values()
    )


STANDS: dict[str, dict[str, Callable[[Mind, Roles], bool]]] = {"hand_over": {"hands_full": _hands_full}}
"""Skill -> cause of its failing -> whether one sees that cause."""
CAUSES = tuple({cause: True for causes in STANDS.values() for cause in causes})


def hindrance(mind: Mind, task: TaskTemplate, roles: Roles) -> str:
    """Return the cause for which a step of *task* would fail now, as far as the resident knows, or ""."""
    for step in task.steps:
        for cause, stands in STANDS.get(step.skill, {}).items():
            bound = {name: roles.get(word, 0) for name, word in zip(mind.book.skills[step.skill].roles, step.roles, strict=True)}
            if stands(mind, bound) or _met(mind, _key(step.skill, cause, bound)):
                return cause
    return ""


def _key(skill: str, cause: str, roles: Roles) -> str:
    return f"{skill}:{cause}:{roles.get('person') or next(iter(roles.values()), 0)}"


def _met(mind: Mind, key: str) -> bool:
    times, last = mind.hindered.get(key, (0, 0))
    lately = mind.tick - last < mind.ticks(mind.params.failed_method_ms)
    return times >= mind.params.failures_per_method_max and lately


def failed(mind: Mind, command: Command, cause: str) -> None:
    """Count a failure of *command* by its *cause*, if it is one that can stand for a while."""
    if cause in STANDS.get(command.skill, {}):
        key = _key(command.skill, cause, dict(command.roles))
        mind.hindered[key] = (mind.hindered.get(key, (0, 0))[0] + 1, mind.tick)


def changed(mind: Mind, ordinal: int) -> None:
    """Forget what lay with *ordinal*: it was seen to do something, or what failed has worked."""
    for key in [each for each in mind.hindered if each.endswith(f":{ordinal}")]:
        del mind.hindered[key]
