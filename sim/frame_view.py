"""Other rooms than the true one: the room as the resident holds it to be, and what a visitor in it can see."""

from __future__ import annotations

from dataclasses import dataclass

from sim.frame import RESIDENT, VISITOR, BodyNow, Frame, ThingNow
from sim.frame_sight import opaque, seen

FADES_AFTER_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class BelievedRoom:
    """The believed room as a frame; what in it differs from the truth, and what was long not perceived."""

    frame: Frame
    differs: frozenset[str]
    faded: frozenset[str]


def believed(frame: Frame) -> BelievedRoom:
    """Return the room as the resident believes it to be: things it has met, where it thinks they are."""
    room, differs, faded = frame.copy(), [], []
    room.things = {}
    fades = FADES_AFTER_MS // frame.stage.tick_ms
    for held in frame.beliefs.values():
        name = frame.ordinals.get(held.ordinal, "")
        true = frame.things.get(name)
        if true is None:
            continue
        relation, place = held.relation, held.place
        if held.lost or relation == "unknown" or (relation in ("on", "in") and place not in frame.things):
            relation, place = ("at", "") if held.cell >= 0 and not held.lost else ("out", "")
        room.things[name] = ThingNow(
            name,
            held.kind,
            relation,
            place,
            held.cell,
            true.w,
            true.h,
            {**dict.fromkeys(true.props, 0), **held.props},
        )
        if (held.relation, held.place) != (true.relation, true.place) or held.lost:
            differs.append(name)
        if frame.tick - held.tick > fades:
            faded.append(name)
    # A thing believed to lie on something that is not believed in hangs nowhere.
    for name, thing in list(room.things.items()):
        if thing.relation in ("on", "in") and thing.place not in room.things:
            room.things[name] = ThingNow(name, thing.kind, "out", "", -1, thing.w, thing.h, thing.props)
    room.said = tuple(words for words in frame.said if words.who == RESIDENT or words.text in frame.heard)
    room.happened = tuple(one for one in frame.happened if one.what in frame.heard)
    room.bodies = {name: body for name, body in frame.bodies.items() if name == RESIDENT}
    if frame.met and frame.visitor_cell >= 0:
        visitor = frame.bodies.get(VISITOR)
        room.bodies[VISITOR] = BodyNow(
            VISITOR, frame.visitor_cell, visitor.heading if visitor is not None else 0
        )
    return BelievedRoom(room, frozenset(differs), frozenset(faded))


def unseen_by_visitor(frame: Frame, tick: float) -> frozenset[str]:
    """Return the ids a participant does not see: all that is loose while outside; inside, what walls or lids hide."""
    visitor = frame.bodies.get(VISITOR)
    kinds = frame.stage.spec.kinds
    loose = {each.id for each in frame.things.values() if "portable" in kinds[each.kind]["tags"]}
    if visitor is None:
        return frozenset({*loose, RESIDENT})
    x, y, heading = frame.place(visitor, tick)
    cell = int(y) * frame.stage.spec.width + int(x)
    in_sight = seen(frame, visitor, cell, heading, opaque(frame), all_round=True)
    hidden = loose - in_sight
    if RESIDENT not in in_sight:
        hidden.add(RESIDENT)
    return frozenset(hidden)
