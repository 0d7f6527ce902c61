"""The slow loop: in the night's sleep, or after a major event. It alone changes long-term things, a little at a time.

Dream first (agent/dream.py), then a look at the library, hypotheses with their pros and cons, and the long-term goals:
one that has yielded no task for seven days is paused; a paused one is read again, or ended. A goal is never called
done here, a value never changed, a person never branded for one event.
"""

from __future__ import annotations

from agent import dream, intuition
from agent.mind import Mind
from agent.params import DAY_MS

PAUSED, ENDED, GOING = "paused", "ended", "active"


def next_due(mind: Mind) -> list[int]:
    """Return the tick of the night's pass while asleep, if it is still to come."""
    doing = mind.doing
    if doing is None or doing.skill != "sleep" or mind.inner.dreamt == doing.id or mind.posture != "asleep":
        return []
    return [mind.doing_since + mind.ticks(mind.params.dream_after_ms)]


def if_due(mind: Mind) -> None:
    """Run the pass if its time has come."""
    due = next_due(mind)
    if due and due[0] <= mind.tick:
        assert mind.doing is not None
        mind.inner.dreamt = mind.doing.id
        slow_loop(mind, "sleep")


def slow_loop(mind: Mind, why: str) -> None:
    """Run one pass; everything it does is in the log."""
    inner = mind.inner
    nominated = formed = 0
    if str(mind.settings.get("sys1", "none")) == "intuition":
        nominated, formed = dream.dream(mind)
        intuition.examine(mind)
    changed = reread_goals(mind)
    inner.slow_tick = mind.tick
    inner.chain("slow", mind.tick, why)
    mind.note(
        "reflection", "", why=why, experiences=len(mind.memory.items), hypotheses=[], goals=[list(row) for row in changed],
        nominated=nominated, formed=formed, library=len(inner.library),
    )  # fmt: skip


def reread_goals(mind: Mind) -> list[tuple[str, str, str]]:
    """Pause, take up again or end goals that yield nothing; at most three change in one pass."""
    rest = mind.ticks(mind.params.goal_rest_days * DAY_MS)
    changed: list[tuple[str, str, str]] = []
    for goal in mind.persona["goals"]:
        if len(changed) >= mind.params.goals_per_pass:
            break
        name = goal["id"]
        state, last = mind.goals.get(name, (GOING, -1))
        since = mind.tick - max(last, 0)
        if since < rest or state == ENDED:
            continue
        if state == GOING:
            to, reason = PAUSED, "no_task_in_seven_days"
        elif _feasible(mind, goal["tasks"]) and since < 3 * rest:
            to, reason = GOING, "read_again"
        else:
            to, reason = ENDED, "still_nothing_to_do_for_it"
        # A change starts a new week to be judged by; what was done for it stays done.
        mind.goals[name] = (to, mind.tick)
        changed.append((name, to, reason))
        mind.note("goal", name, state=to, reason=reason)
    return changed


def _feasible(mind: Mind, tasks: list[str]) -> bool:
    return any(name in mind.book.tasks for name in tasks)
