"""For later: a thing asked for at a time, or after something, is agreed on now and begun then.

What an asker puts it off to comes as a short code (interventions/moments.py) and is resolved by the resident's own clock
and its own doings. An obligation agreed on waits with its moment in `hold_tick`; a condition met brings it forward, and
none keeps it waiting for ever. What may begin, but came within the hold of something else, is thought of again as soon as
that hold is over.
"""

from __future__ import annotations

from agent.commitments import ACTIVE, PAUSED, PENDING, Commitment, Matter
from agent.mind import Mind
from agent.params import DAY_MS, HOUR_MS
from agent.planning import absent

CONDITION_MS = 12 * HOUR_MS
"""The longest that something waits for its condition. Chosen: by then another day part has begun."""

HALF_DAY_MS = 12 * HOUR_MS


def resolved(mind: Mind, code: str) -> str:
    """Return *code* as it is kept with a matter: `at:TICK`, `did:ACTION`, `free`, or nothing."""
    kind, _, value = code.partition(":")
    if kind == "did":
        return code
    if kind == "free":
        return code if mind.current else ""
    wait_ms = {"later": mind.params.postpone_ms}.get(kind, -1)
    if value.isdigit():
        span = int(value)
        if kind == "in":
            wait_ms = span
        elif kind == "at":
            wait_ms = (span - mind.clock_ms) % DAY_MS if span < DAY_MS else DAY_MS - mind.clock_ms + span - DAY_MS
        elif kind == "oclock":
            wait_ms = (span - mind.clock_ms) % HALF_DAY_MS
    return f"at:{mind.tick + mind.ticks(wait_ms)}" if wait_ms > 0 else ""


def begin_tick(mind: Mind, matter: Matter) -> int:
    """Return the tick before which what *matter* asks for is not to be begun; 0 for now."""
    kind, _, value = matter.after.partition(":")
    if kind == "at":
        return int(value) if int(value) > mind.tick else 0
    return mind.tick + mind.ticks(CONDITION_MS) if kind in ("did", "free") else 0


def waiting(mind: Mind, commitment: Commitment) -> bool:
    """Return whether *commitment* was taken on for later, and its moment has not come."""
    return commitment.kind == "obligation" and commitment.state == PENDING and commitment.hold_tick > mind.tick


def met(mind: Mind, ended_task: str, *, done: bool) -> None:
    """Bring forward what waits for *ended_task* to be *done*, or for the end of whatever was being done."""
    task = mind.task(ended_task)
    for each in mind.commitments.values():
        matter = mind.matters.get(each.matter)
        if matter is None or not waiting(mind, each):
            continue
        kind, _, action = matter.after.partition(":")
        groups = [mind.task(name).group for name in mind.book.by_verb.get(action, ())]
        if kind == "free" or (kind == "did" and done and (action in task.verbs or task.group in groups)):
            each.hold_tick = each.due_tick = mind.tick
            each.version += 1
            mind.note("note", "", what="condition_met", task=each.task, commitment=each.id, after=matter.after, matter=matter.id)


def held_until(mind: Mind) -> int:
    """Return the tick at which the hold of what is being done ends and something that could go on waits for it; -1 for none."""
    current = mind.intention()
    if current is None or current.state != ACTIVE:
        return -1
    for each in mind.commitments.values():
        begins = each.kind == "obligation" and each.state == PENDING and each.hold_tick <= current.hold_tick
        if (begins or each.state == PAUSED) and not absent(mind, mind.task(each.task), each.roles):
            return current.hold_tick
    return -1


def next_due(mind: Mind) -> list[int]:
    """Return the ticks at which something taken on is to begin, or was to be begun at the latest, or is held back no more."""
    pending = [each for each in mind.commitments.values() if each.kind == "obligation" and each.state == PENDING]
    ticks = [*(each.hold_tick for each in pending), *(each.due_tick for each in pending), held_until(mind)]
    return [tick for tick in ticks if tick > mind.tick]


def due(mind: Mind) -> list[str]:
    """Return the wake conditions met now: an agreed moment, one that is due, and the end of a hold behind which something waits."""
    pending = [each for each in mind.commitments.values() if each.kind == "obligation" and each.state == PENDING]
    found = ["agreed_time"] if any(each.hold_tick == mind.tick for each in pending) else []
    if not found and any(each.due_tick == mind.tick for each in pending):
        found = ["promise_due"]
    return [*found, "hold_over"] if held_until(mind) == mind.tick else found
