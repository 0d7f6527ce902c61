"""A plan: known tasks one after another, for something accepted that no single template does.

A plan moves nothing by itself. Its first task is taken on as an obligation; each task done brings the next, and the
matter is done when the last one is.
"""

from __future__ import annotations

from agent.commitments import PENDING, Commitment
from agent.matters import unsuited
from agent.mind import Mind
from agent.planning import bind, feasible

NOT_PLANNED = ("talk_with_visitor", "receive_it", "wait_quietly", "look_around", "inspect", "explore_room", "sleep_night", "nap")


def roles_for(mind: Mind, template: str, target: int) -> dict[str, int] | None:
    """Return the roles of *template* done with *target*, or None if it has no place for it or can't be bound."""
    task = mind.task(template)
    for role, selector in task.roles.items():
        if selector.tag == "thing" or target in mind.tagged(selector.tag):
            roles = bind(mind, task, {role: target})
            if roles is not None and not feasible(mind, task, roles) and not unsuited(mind, task, roles):
                return roles
    return None


def templates_for(mind: Mind, target: int) -> list[str]:
    """Return the known tasks that could be done with *target* now."""
    return [
        name for name, task in mind.book.tasks.items()
        if not task.private and name not in NOT_PLANNED and roles_for(mind, name, target) is not None
    ]  # fmt: skip


def follow(mind: Mind, done: Commitment) -> bool:
    """Take on the next task of the plan that *done* belongs to; return whether there was one."""
    rest = mind.sys2.plans.pop(done.id, [])
    if not rest:
        return False
    task, roles = rest[0]
    made = Commitment(
        id=mind.mint("com"), kind=done.kind, task=task, source=done.source, roles=dict(roles), made_tick=mind.tick,
        state=PENDING, matter=done.matter, goal=done.goal, person=done.person, due_tick=done.due_tick, minutes=mind.task(task).minutes,
    )  # fmt: skip
    mind.commitments[made.id] = made
    if len(rest) > 1:
        mind.sys2.plans[made.id] = rest[1:]
    if done.matter in mind.matters:
        mind.matters[done.matter].commitment = made.id
    mind.note("task", made.id, state="taken_on", task=task, kind=made.kind, matter=made.matter, source=made.source)
    return True
