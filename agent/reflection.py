"""The slow loop: in the night's sleep, or after a major event. It alone changes long-term things, a little at a time.

Dream first (agent/dream.py), then a look at the library, hypotheses with their pros and cons, and the long-term goals:
one that has yielded no task for seven days is paused; a paused one is read again after a week, and one for which
nothing was done in three weeks, or nothing can be, is ended. A goal is never called done here, a value never changed, a
person never branded for one event.
"""

from __future__ import annotations

from agent import dream, effort, hypotheses, intuition
from agent.mind import Mind
from agent.params import DAY_MS, HOUR_MS
from agent.planning import bind, feasible

PAUSED, ENDED, GOING = "paused", "ended", "active"
MAJOR_GAP_MS = 6 * HOUR_MS  # between two passes for major events; chosen
EFFORT_STEP, EFFORT_MAX = 20, 200  # per mille of the declared effort: a week, and ever; chosen


def next_due(mind: Mind) -> list[int]:
    """Return the ticks at which a pass is due: in the night's sleep, and after a major event."""
    doing, inner = mind.doing, mind.inner
    found = [max(mind.tick, _after_major(mind))] if inner.major else []
    if doing is not None and doing.skill == "sleep" and inner.dreamt != doing.id and mind.posture == "asleep":
        found.append(mind.doing_since + mind.ticks(mind.params.dream_after_ms))
    return found


def _after_major(mind: Mind) -> int:
    """Return the first tick at which a major event may call for a pass: they keep their distance."""
    last = mind.inner.slow_tick
    return 0 if last < 0 else last + mind.ticks(MAJOR_GAP_MS)


def if_due(mind: Mind) -> None:
    """Run a pass if its time has come."""
    inner = mind.inner
    if inner.major and mind.tick >= _after_major(mind):
        slow_loop(mind, f"major:{inner.major}", asleep=False)
    due = next_due(mind)
    if mind.doing is not None and due and due[-1] <= mind.tick and mind.doing.skill == "sleep":
        inner.dreamt = mind.doing.id
        slow_loop(mind, "sleep", asleep=True)


def slow_loop(mind: Mind, why: str, *, asleep: bool) -> None:
    """Run one pass; everything it does is in the log. Only sleep dreams."""
    inner = mind.inner
    nominated = formed = 0
    if asleep and str(mind.settings.get("sys1", "none")) == "intuition":
        nominated, formed = dream.dream(mind)
        intuition.examine(mind)
    if asleep:
        effort.night(mind)
    revised = hypotheses.revise(mind)
    changed = reread_goals(mind)
    changed += shift_efforts(mind, mind.params.goals_per_pass - len(changed)) if asleep else []
    inner.slow_tick, inner.major = mind.tick, ""
    inner.chain("slow", mind.tick, why)
    mind.note(
        "reflection", "", why=why, experiences=len(mind.memory.items),
        hypotheses=[[one.id, one.pros, one.cons, one.confidence] for one in revised], goals=[list(row) for row in changed],
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
        state, acted, moved = mind.goals.get(name, (GOING, -1, -1))
        # A change starts a new week to be judged by; how long nothing was done for it goes on being counted.
        since, rested = mind.tick - max(acted, 0), mind.tick - max(acted, moved, 0) >= rest
        revived = state == PAUSED and acted > moved
        if state == ENDED or not (rested or revived):
            continue
        if state == GOING:
            to, reason = PAUSED, "no_task_in_seven_days"
        elif revived or (since < 3 * rest and _feasible(mind, goal["tasks"])):
            to, reason = GOING, "read_again"
        else:
            to, reason = ENDED, "still_nothing_to_do_for_it"
        mind.goals[name] = (to, acted, mind.tick)
        changed.append((name, to, reason))
        mind.note("goal", name, state=to, reason=reason)
    return changed


def _feasible(mind: Mind, tasks: list[str]) -> bool:
    """Return whether one of *tasks* could be begun with what is known to be there."""
    for name in tasks:
        task = mind.known_task(name)
        roles = None if task is None else bind(mind, task, {})
        if task is not None and roles is not None and not feasible(mind, task, roles):
            return True
    return False


def shift_efforts(mind: Mind, most: int) -> list[tuple[str, str, str]]:
    """Shift the effort of at most *most* goals by a little, each on three independent experiences since its last shift."""
    changed: list[tuple[str, str, str]] = []
    for goal in mind.persona["goals"]:
        if len(changed) >= most:
            break
        name, declared = goal["id"], goal["effort"]
        if mind.goals.get(name, (GOING, -1, -1))[0] != GOING:
            continue
        shift, seen, shifted = mind.inner.efforts.get(name, (0, 0, -1))
        if shifted >= 0 and mind.tick - shifted < mind.ticks(mind.params.goal_rest_days * DAY_MS):
            continue
        # A goal one acts for may take a few days to gather three; what was counted once is not counted again.
        fresh = [one for task in goal["tasks"] for one in mind.memory.of_action(task, 12) if one.ordinal >= seen and one.kind == "task"]
        good = len({one.origin: True for one in fresh if one.reward >= 500})
        bad = len({one.origin: True for one in fresh if one.reward < 500})
        least = mind.params.experiences_for_update
        if max(good, bad) < least or good == bad:
            continue
        to = max(-EFFORT_MAX, min(EFFORT_MAX, shift + (EFFORT_STEP if good > bad else -EFFORT_STEP)))
        mind.inner.efforts[name] = (to, len(mind.memory.items), mind.tick)
        if to != shift:
            mind.inner.chain("effort", name, to)
            changed.append((name, "effort", f"{good} went well, {bad} did not"))
            mind.note("goal", name, state=GOING, reason="effort", effort=declared * (1000 + to) // 1000)
    return changed
