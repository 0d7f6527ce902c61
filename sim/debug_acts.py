"""Acts that exist in debug mode alone: drag a thing, set a property, teleport a body, wake it, force a round.

They come in through the gate and stand in the log like any act; the log's mode says that it is no result.
"""

from __future__ import annotations

from interventions.contract import DEBUG_OPERATIONS, PHYSICAL
from sim.state import State, VisitorAct
from world.floor import grid
from world.things import Fact

DEBUG_OPS = DEBUG_OPERATIONS[PHYSICAL]


def debug_act(state: State, act: VisitorAct) -> tuple[list[Fact], str]:
    """Do a debug act at once; return its facts, and why it could not be done or ""."""
    room, words = state.room, act.words
    if act.op == "think":
        state.wakes.append("debug")
        return [], ""
    if act.op in ("teleport", "wake"):
        return _move_body(state, act)
    try:
        if act.op == "set_prop":
            return room.set_prop(
                act.object, str(words.get("prop", "")), int(words.get("value", 0)), cause=act.intervention
            ), ""
        relation, cell = str(words.get("relation", "at")), int(words.get("cell", -1))
        return room.put_thing(
            act.object, relation, str(words.get("target", "")), cell, cause=act.intervention
        ), ""
    except ValueError:
        return [], "impossible"


def _move_body(state: State, act: VisitorAct) -> tuple[list[Fact], str]:
    """Stop what the body does, and set it down on a free cell; where it stands, if none is given."""
    room = state.room
    body = room.bodies.get(act.object or "resident")
    if body is None:
        return [], "not_here"
    cell = int(act.words.get("cell", body.cell))
    blocked = grid(room)
    if not 0 <= cell < len(blocked) or (blocked[cell] and cell != body.cell):
        return [], "impossible"
    found = room.interrupt(body.id, "teleported", hard=True)
    old, body.cell = body.cell, cell
    room.touch(body.id)
    if old != cell:
        data = {"prop": "cell", "old": old, "new": cell}
        found.append(room.fact("state", subject=body.id, cause=act.intervention, data=data, cell=cell))
    return found, ""
