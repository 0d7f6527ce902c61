"""Skills as they run: begin, step, end, be stopped. The only way in which a body changes the world.

Theory of operation
===================
A skill begins if every precondition holds, else it is refused with the first one that does not. From then
on the room knows the tick at which it ends, so nothing is done in between, except the steps of a walk.
At the end the conditions that others could have broken are read again (at once, when another changes a thing in
use), the ways to fail are drawn, the effects are done whole or not at all, and the skill's own check is read: a body
never reports success that the world does not show. Everything that changed goes into the outcome row.
"""

from __future__ import annotations

from typing import Any, Final

from world.effects import apply, obstacle, set_posture, take_seat
from world.exposure import can_see
from world.floor import near, octant, path, path_to_box, step_ms
from world.hands import jitter
from world.needs import crossings, hurt, settle_rates, ticks_until
from world.params import PAIN_BY_FAILURE, SKILL_MM, STEP_MM
from world.predicates import holds
from world.skills import Failure, Skill
from world.things import Body, Fact, Running
from world.truth import Truth

Aim = tuple[str, int]
"""What a body takes the goal of its walk to be, or to lie on, and the cell where it takes that to stand."""
KNOWN: Final[Aim] = ("", -1)

# Words about the body's own start; once it runs they may change by the skill itself.
START_ONLY: Final = ("standing", "awake", "hand_free", "lit", "hearing")


def begin(
    room: Truth,
    body_id: str,
    skill_id: str,
    roles: dict[str, str],
    amount: int,
    words: dict[str, Any],
    cause: str,
    aim: Aim = KNOWN,
) -> list[Fact]:
    """Start a skill now, or refuse it. See `Room.begin`."""
    body = room.bodies.get(body_id)
    skill = room._skills.get(skill_id)
    subject = next(iter(roles.values()), "")
    if body is None or skill is None:
        reason = "no_body" if body is None else "unknown_skill"
        return [refusal(room, body, body_id, skill_id, subject, cause, reason, "")]
    astray = skill.mode == "walk" and aim != KNOWN and goes_astray(room, body, roles.get(skill.roles[-1], ""), aim)
    reason, broken = objection(room, body, skill, roles)
    if astray and reason == "unknown_object":
        reason, broken = "", ""  # That it is gone is found out there, and not from afar.
    route: list[int] | None = None
    if not reason and skill.mode == "walk":
        route = path_astray(room, body, aim) if astray else path(room, body, roles[skill.roles[-1]])
        reason = "unreachable" if route is None else ""
    if reason:
        return [refusal(room, body, body_id, skill_id, subject, cause, reason, broken)]
    room._journal = []
    start(room, body, skill, {name: roles[name] for name in skill.roles}, amount, words, cause, route)
    data = {"roles": {name: roles[name] for name in skill.roles}, "amount": amount, "changed": room._journal}
    room._journal = None
    return [room.fact("skill_started", doer=body_id, subject=subject, skill=skill_id, cause=cause, data=data,
                      cell=body.cell)]  # fmt: skip


def goes_astray(room: Truth, body: Body, goal: str, aim: Aim) -> bool:
    """Return whether *goal* is neither in sight nor where the body takes it to be: it walks to where it would be."""
    if goal in room._region_cells or room.spot(goal) >= 0 or can_see(room, body.id, goal):
        return False
    thing = room.things.get(goal)
    root = room.bodies.get(goal) if thing is None else room.root(thing)
    return root is None or (root.id, root.cell) != aim


def path_astray(room: Truth, body: Body, aim: Aim) -> list[int] | None:
    """Return the walk to where *aim* would be, as if it were there, or None if no way leads there."""
    thing = room.things.get(aim[0])
    return path_to_box(room, body, aim[1], *((1, 1) if thing is None else (thing.w, thing.h)))


def objection(room: Truth, body: Body, skill: Skill, roles: dict[str, str]) -> tuple[str, str]:
    """Return (reason, predicate) why the skill cannot begin, or two empty strings."""
    if body.running is not None:
        return "busy", ""
    for name in skill.roles:
        if name not in roles:
            return "missing_role", name
        if roles[name] not in room.things and not room.in_room(roles[name]):
            return "unknown_object", name
    for clause, text in zip(skill.pre, skill.pre_texts, strict=True):
        if not holds(room, body, clause, roles):
            return "precondition", text
    seat = room.things.get(roles[skill.roles[0]]) if skill.roles else None
    if (
        seat is not None
        and skill.id in room._needs["posture"]
        and seat.props.get("occupied")
        and seat.id != body.seat
    ):
        return "occupied", f"not prop {skill.roles[0]} occupied"
    return "", ""


def refusal(
    room: Truth,
    body: Body | None,
    body_id: str,
    skill: str,
    subject: str,
    cause: str,
    reason: str,
    broken: str,
) -> Fact:
    return room.fact("skill_refused", doer=body_id, subject=subject, skill=skill, cause=cause,
                     data={"reason": reason, "predicate": broken}, cell=body.cell if body else -1,
                     visible=False)  # fmt: skip


def start(
    room: Truth, body: Body, skill: Skill, roles: dict[str, str], amount: int, words: dict[str, Any], cause: str,
    route: list[int] | None,
) -> None:  # fmt: skip
    now = room.tick
    run = Running(skill.id, roles, amount, words, cause, now, now, False, body.posture)
    if route:
        ms, cell = 0, body.cell
        for step in route:
            ms += step_ms(cell, step, room.spec.width)
            cell = step
            run.path_ticks.append(now + room.ticks(ms))
        run.path = route
        length = run.path_ticks[-1] - now
    else:
        length = length_ticks(room, body, skill, run)
    limit = room.ticks(skill.timeout_ms)
    run.timed_out = length > limit
    run.end_tick = now + min(length, limit)
    body.running = run
    room._dirty[body.id] = None
    settle_pose(room, body, skill)
    if route:
        # The last step ends the walk, so that nobody arrives before the foot is down.
        room.schedule(f"step/{body.id}", run.path_ticks[0])
    if not route or run.timed_out:
        room.schedule(f"skill/{body.id}", run.end_tick)
    settle_rates(room, body)


def settle_pose(room: Truth, body: Body, skill: Skill) -> None:
    """Take the posture that the skill is done in: lying to sleep, sitting to rest."""
    body.asleep = skill.id in room._needs["asleep"]["skills"]
    posture = room._needs["posture"].get(skill.id, "")
    if posture and body.posture == "standing":
        assert body.running is not None
        room.touch(body.id)
        body.posture = posture
        seat = body.running.roles.get(skill.roles[0] if skill.roles else "", "")
        if "occupied" in (room.things[seat].props if seat in room.things else {}):
            take_seat(room, body, seat)


def length_ticks(room: Truth, body: Body, skill: Skill, run: Running) -> int:
    """Return how many ticks the skill will take."""
    if skill.mode == "walk":
        return 1
    if skill.mode == "amount":
        return room.ticks(run.amount)
    if skill.mode == "rest":
        cap = room.ticks(run.amount or skill.timeout_ms)
        need, level = skill.until
        wanted = ticks_until(room, body, need, level, dict(skill.rates))
        return cap if wanted < 0 else min(cap, wanted)
    subject = next(iter(run.roles.values()), body.id)
    return room.ticks(jitter(room, f"skill.{skill.id}.ms", subject, skill.duration_ms))


def step(room: Truth, body: Body) -> list[Fact]:
    """Set the foot into the next cell of the walk; after the last one, end it."""
    run = body.running
    assert run is not None, "a step belongs to a walk"
    old, new = body.cell, run.path[run.path_next]
    body.cell = new
    body.heading = octant(old, new, room.spec.width)
    run.path_next += 1
    room._dirty[body.id] = None
    room.changed[body.id] = room.tick
    if body.holding:
        carry_along(room, body)
    moved = Fact(room.fact_count + 1, room.tick, "moved", body.id, body.id, run.skill, run.cause,
                 {"from": old, "to": new}, new, STEP_MM, True)  # fmt: skip
    room.fact_count += 1
    if run.path_next < len(run.path):
        room.schedule(f"step/{body.id}", run.path_ticks[run.path_next])
        return [moved]
    if run.timed_out:
        return [moved]
    return [moved, *end(room, body)]


def carry_along(room: Truth, body: Body) -> None:
    for name in body.holding:
        room.changed[name] = room.tick
        if name in room._lights:
            room.light_version += 1


def end(room: Truth, body: Body) -> list[Fact]:
    """End the running skill: timed out, failed or done. A wish to stop comes too late for one that ends."""
    run = body.running
    assert run is not None, "only a running skill ends"
    skill = room._skills[run.skill]
    room._journal = []
    if run.timed_out:
        return close(room, body, "timeout", "timeout", [], room._journal)
    facts: list[Fact] = []
    failure, factors, sense = disturbance(room, body, skill), [], "sight"
    if failure:
        failure, factors = "disturbed", [failure]
    else:
        drawn, factors = draw_failure(room, body, skill)
        if drawn is not None:
            failure, sense = drawn.id, drawn.sense
            for clause in drawn.effects:
                facts += apply(room, body, clause, run)
            if failure in PAIN_BY_FAILURE:
                hurt(room, body, PAIN_BY_FAILURE[failure])
    if not failure:
        failure = obstacle(room, body, skill.effects, run.roles)
    if not failure:
        stand_again(room, body)
        for clause in skill.effects:
            facts += apply(room, body, clause, run)
        if skill.check is not None and not holds(room, body, skill.check, run.roles):
            failure = "no_effect"
    changed = room._journal
    facts += close(room, body, "failed" if failure else "ok", failure, factors, changed, sense)
    return facts + disturb_others(room, body, changed)


def disturb_others(room: Truth, body: Body, changed: list[list[Any]]) -> list[Fact]:
    """End what another body does with a thing that has just been changed, if it can't go on: nobody writes in what is taken away.

    A walk is left alone: that its goal has moved is found out at its end, or by eye.
    """
    names, facts = {row[0] for row in changed}, list[Fact]()
    for other in room.bodies.values():
        run = other.running
        if other is body or run is None or names.isdisjoint(run.roles.values()) or room._skills[run.skill].mode == "walk":
            continue
        broken = disturbance(room, other, room._skills[run.skill])
        if broken:
            if not other.asleep and other.cell != body.cell:
                other.heading = octant(other.cell, body.cell, room.spec.width)  # Whose hands are robbed looks up.
            facts += close(room, other, "failed", "disturbed", [broken], [], "touch")
    return facts


def disturbance(room: Truth, body: Body, skill: Skill) -> str:
    """Return the text of a precondition that somebody broke in the meantime, or an empty string."""
    assert body.running is not None
    for clause, text in zip(skill.pre, skill.pre_texts, strict=True):
        if clause[1] not in START_ONLY and not holds(room, body, clause, body.running.roles):
            return text
    for name in body.running.roles.values():
        if not room.in_room(name):
            return f"stands {name}"
    if skill.mode == "walk" and not near(room, body, body.running.roles[skill.roles[-1]]):
        return f"near {skill.roles[-1]}"
    return ""


def draw_failure(room: Truth, body: Body, skill: Skill) -> tuple[Failure | None, list[str]]:
    """Return the failure that befalls the skill, if one does, and the factors that were true of it."""
    assert body.running is not None
    roles = body.running.roles
    subject = next(iter(roles.values()), body.id)
    for failure in skill.failures:
        risk, factors = failure.base, []
        for clause, extra, text in failure.factors:
            if holds(room, body, clause, roles):
                risk += extra
                factors.append(text)
        if risk >= 1000 or (risk > 0 and room.chance.below(f"skill.{skill.id}", subject, 1000) < risk):
            return failure, factors
    return None, []


def close(
    room: Truth,
    body: Body,
    result: str,
    failure: str,
    factors: list[str],
    changed: list[list[Any]],
    sense: str = "",
) -> list[Fact]:
    """Let go of the skill and report its outcome."""
    run = body.running
    assert run is not None
    stand_again(room, body)
    body.running = None
    body.asleep = False
    room._journal = None
    room.cancel(f"skill/{body.id}")
    room.cancel(f"step/{body.id}")
    room.touch(body.id)
    data = {"result": result, "failure": failure, "factors": factors, "changed": changed, "sense": sense,
            "roles": dict(run.roles), "began": run.start_tick, "stop": run.stop}  # fmt: skip
    ended = room.fact("skill_ended", doer=body.id, subject=next(iter(run.roles.values()), ""), skill=run.skill,
                      cause=run.cause, data=data, cell=body.cell, loudness=SKILL_MM.get(run.skill, 0))  # fmt: skip
    settle_rates(room, body)
    # Rates alone cross nothing at once; only a gain or a loss does.
    jumped = result == "ok" and any(effect[0] == "need" for effect in room._skills[run.skill].effects)
    return [ended, *crossings(room, body)] if jumped else [ended]


def stand_again(room: Truth, body: Body) -> None:
    """Leave the posture that the skill itself had taken."""
    run = body.running
    assert run is not None
    if (
        run.posture_before == "standing"
        and body.posture != "standing"
        and run.skill in room._needs["posture"]
    ):
        set_posture(room, body, "standing")


def interrupt(room: Truth, body_id: str, reason: str, hard: bool) -> list[Fact]:
    """Stop the body's skill. See `Room.interrupt`."""
    body = room.bodies.get(body_id)
    if body is None or body.running is None:
        return []
    if hard or room._skills[body.running.skill].any_time:
        room._journal = []
        return close(room, body, "stopped", reason, [], room._journal)
    body.running.stop = reason
    room._dirty[body.id] = None
    return []
