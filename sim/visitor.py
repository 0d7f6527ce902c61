"""The visitor's body: what an admitted act takes, skill by skill, under the same physics and predicates as anyone's.

An act is a short queue of skills. It walks up to what it handles, so that a person need not say so; what the room
refuses fails with the reason, and never half.
"""

from __future__ import annotations

from typing import Any

from interventions.contract import Intervention
from sim.debug_acts import DEBUG_OPS, debug_act
from sim.feedback import outcome
from sim.records import Records
from sim.state import State, VisitorAct
from world.floor import near
from world.things import Fact

RESIDENT, VISITOR = "resident", "visitor"
FOLLOWS_MAX = 8  # how often a handing over goes after somebody who steps away; chosen
Skills = list[tuple[str, dict[str, str]]]


def plan_act(state: State, act: Intervention) -> VisitorAct:
    """Return the bodily act of an admitted intervention."""
    words: dict[str, Any] = {**act.data, "target": act.target} if act.op in DEBUG_OPS else {}
    if act.channel == "dialogue":
        words = {
            "text": act.text, "mark": act.mark, "action": act.action, "target": act.object or act.target,
            "theme": act.themes[0] if act.themes else act.text, "promise": act.mark == "claim" and act.due_tick is not None,
        }  # fmt: skip
        if act.due_tick is not None:
            words["due_tick"] = act.due_tick
        words |= {key: act.data[key] for key in ("wait", "place") if act.data.get(key)}
    return VisitorAct(act.id, act.op, _skills(act, state.room.spec.door), words, act.object)


def _skills(act: Intervention, door: str) -> Skills:
    thing, target = act.object, act.target
    to_thing, to_target = ("walk_to", {"place": thing}), ("walk_to", {"place": target})
    table: dict[str, Skills] = {
        "enter": [], "leave": [("walk_to", {"place": door})],
        "walk": [("walk_to", {"place": target or thing})],
        "take": [to_thing, ("grasp", {"object": thing})],
        "put": [to_target, ("put", {"object": thing, "target": target})],
        "move": [to_thing, ("grasp", {"object": thing}), to_target, ("put", {"object": thing, "target": target})],
        "open": [to_thing, ("open", {"object": thing})],
        "close": [to_thing, ("close", {"object": thing})],
        "switch": [to_thing, ("switch", {"object": thing})],
        "hand_over": [("walk_to", {"place": RESIDENT}), ("hand_over", {"object": thing, "person": RESIDENT})],
        "push": [to_thing],
        "say": [("speak", {"person": RESIDENT})],
    }  # fmt: skip
    return table.get(act.op, [])


def visitor_acts(state: State, log: Records, facts: list[Fact]) -> list[Fact]:
    """Take the outcome of the visitor's skill, and begin the next; return the facts that came of it."""
    found: list[Fact] = []
    for fact in facts:
        if fact.doer == VISITOR and fact.kind in ("skill_ended", "skill_refused"):
            found += _went(state, log, fact)
    for act in [each for each in state.acts if each.op in DEBUG_OPS]:
        state.acts.remove(act)
        facts_now, failure = debug_act(state, act)
        outcome(state, log, act.intervention, "failed" if failure else "done", failure)
        found += facts_now
    found += _turned(state, log)
    while state.act is None and state.acts:
        state.act = state.acts.pop(0)
        found += _begin(state, log)
    return found


def _turned(state: State, log: Records) -> list[Fact]:
    """A walk gives way to the next walk: whoever is under way may turn at any step."""
    act = state.act
    if act is None or act.op != "walk" or not state.acts or state.acts[0].op != "walk":
        return []
    stopped = state.room.interrupt(VISITOR, "changed_mind", hard=True)
    return stopped + [more for fact in stopped for more in _went(state, log, fact)]


def _went(state: State, log: Records, fact: Fact) -> list[Fact]:
    act = state.act
    if act is None or fact.cause != act.intervention:
        return []
    if fact.kind == "skill_refused":
        why = str(fact.data["predicate"] or fact.data["reason"])
        if why.startswith("hearing") and state.room.bodies[RESIDENT].asleep:
            why = "asleep"  # However near one stands.
        return _end(state, log, "failed", why)
    if fact.data["failure"] == "disturbed" and _follows(act):
        return _begin(state, log)
    if fact.data["result"] != "ok":
        return _end(state, log, "failed", str(fact.data["failure"] or fact.data["result"]))
    if act.skills:
        return _begin(state, log)
    found: list[Fact] = []
    if act.op == "leave":
        found = state.room.leave(VISITOR, cause=act.intervention)
    elif act.op == "push":
        found = _push(state, act)
    return found + _end(state, log, "done", "")


def _follows(act: VisitorAct) -> bool:
    """Whoever hands something over goes after the other who stepped away meanwhile; up to a number of times."""
    follows = act.words.get("follows", 0)
    if act.op != "hand_over" or follows >= FOLLOWS_MAX:
        return False
    act.words["follows"] = follows + 1
    act.skills = [("walk_to", {"place": RESIDENT}), ("hand_over", {"object": act.object, "person": RESIDENT})]
    return True


def _push(state: State, act: VisitorAct) -> list[Fact]:
    """Knock a thing down where the visitor stands."""
    thing = act.object
    body = state.room.bodies[VISITOR]
    region = next((r.id for r in state.room.spec.regions if body.cell in r.cells), "")
    if not thing or not region or "portable" not in state.room.tags(thing):
        return []
    return state.room.put_thing(thing, "at", region, body.cell, cause=act.intervention, doer=VISITOR)


def _begin(state: State, log: Records) -> list[Fact]:
    """Begin the next skill of the act that is not already as good as done."""
    act, room = state.act, state.room
    assert act is not None
    if act.op == "enter":
        found = room.enter(VISITOR, cause=act.intervention)
        return found + _end(state, log, "done" if found else "failed", "" if found else "here_already")
    if VISITOR not in room.bodies:
        return _end(state, log, "failed", "not_here")
    while act.skills:
        skill, roles = act.skills.pop(0)
        if skill == "walk_to" and (roles["place"] in room.bodies or room.in_room(roles["place"])):
            if near(room, room.bodies[VISITOR], roles["place"]) and (act.skills or act.op in ("push", "leave")):
                continue
        if skill == "switch":
            on = room.things[roles["object"]].props.get("on", 0)
            skill = "switch_off" if on else "switch_on"
        facts = room.begin(VISITOR, skill, roles, words=act.words if skill == "speak" else None, cause=act.intervention)
        refused = [fact for fact in facts if fact.kind == "skill_refused"]
        return facts + [more for fact in refused for more in _went(state, log, fact)]
    if act.op == "leave":
        return room.leave(VISITOR, cause=act.intervention) + _end(state, log, "done", "")
    return (_push(state, act) if act.op == "push" else []) + _end(state, log, "done", "")


def _end(state: State, log: Records, how: str, reason: str) -> list[Fact]:
    act, state.act = state.act, None
    assert act is not None
    # What was said and heard has its outcome from the resident; a bodily act has it from the room.
    if act.op != "say" or how == "failed":
        outcome(state, log, act.intervention, how, reason)
    return []
