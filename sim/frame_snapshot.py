"""A frame out of a whole state: what a child log begins with after a restore, before its first record."""

from __future__ import annotations

from typing import Any

from agent.mind import Mind
from sim import codec
from sim.frame import Asked, Believed, BodyNow, Doing, Frame, Row, ThingNow
from sim.stage import Stage
from sim.state import State
from world.things import Body

SHOWN_KINDS = ("region", "person")


def frame_of_snapshot(stage: Stage, saved: dict[str, Any]) -> Frame:
    """Return the frame of an encoded state, as the snapshot record of a child log holds it."""
    state = codec.decode(saved["state"])
    assert isinstance(state, State)
    return frame_of(stage, state)


def frame_of(stage: Stage, state: State) -> Frame:
    """Return what is shown of *state*; what was said and done before it is not in it."""
    room = state.room
    frame = Frame(
        stage, max(state.tick, 0), channels=dict(stage.channels), light=room.light, raining=room.raining
    )
    for thing in room.things.values():
        frame.things[thing.id] = ThingNow(
            thing.id, thing.kind, thing.relation, thing.place, thing.cell, thing.w, thing.h, dict(thing.props)
        )
    frame.bodies = {body.id: _body(body) for body in room.bodies.values()}
    frame.ordinals = {ordinal: name for name, ordinal in state.veil.ordinals.items()}
    frame.felt, frame.felt_tick = tuple(state.mind.felt), max(state.tick, 0)
    frame.met = state.veil.met
    for name, row in state.rows.items():
        frame.rows[name] = Row(
            name, row.channel, row.op, row.tick, receipt=row.receipt, reason=row.why or row.reason, perceived=row.perceived_tick >= 0,
            perceived_tick=row.perceived_tick, stance=row.stance, outcome=row.outcome,
        )  # fmt: skip
    frame.beliefs = _beliefs(frame, state.mind)
    frame.favour = _asked(frame, state.mind)
    return frame


def _asked(frame: Frame, mind: Mind) -> Asked | None:
    """Return the favour that is open; the words in which it was asked stand in the log before."""
    for each in reversed(mind.sys2.favours):
        if each.state in ("open", "promised"):
            thing = frame.ordinals.get(each.target, "")
            return Asked("favour", each.asked_tick, each.due_tick, each.action, thing, promised=each.state == "promised")
    return None


def _body(body: Body) -> BodyNow:
    run = body.running
    doing = None
    if run is not None:
        doing = Doing(
            run.skill, dict(run.roles), run.start_tick, run.end_tick, run.cause, "", tuple(run.path[run.path_next :]),
            tuple(run.path_ticks[run.path_next :]),
        )  # fmt: skip
    return BodyNow(body.id, body.cell, body.heading, body.posture, body.seat, doing)


def _beliefs(frame: Frame, mind: Mind) -> dict[int, Believed]:
    return {
        held.ordinal: Believed(
            held.ordinal,
            held.kind,
            held.cell,
            held.relation,
            frame.ordinals.get(held.place, ""),
            dict(held.props),
            held.seen_tick,
        )
        for held in mind.beliefs.things.values()
        if held.kind not in SHOWN_KINDS
    }
