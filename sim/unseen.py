"""What is done behind the resident's back: things laid elsewhere while it looks the other way, for experiments on the veil."""

from __future__ import annotations

from sim.state import State
from world.exposure import can_see
from world.floor import near
from world.hands import has_space, move, relation_for

RESIDENT = "resident"
LOOSE_MIN = 3  # things that must lie about unseen before they are moved; chosen


def lay_elsewhere(state: State) -> bool:
    """Everything portable that lies about unseen is laid somewhere else unseen; False while there is little of that."""
    room = state.room
    body = room.bodies[RESIDENT]
    unseen = [each for each in room.things.values() if not can_see(room, RESIDENT, each.id) and not near(room, body, each.id)]
    places = [each.id for each in unseen if relation_for(room, each.id) == "on" and has_space(room, each.id)]
    loose = [each for each in unseen if "portable" in room.tags(each.id) and each.relation == "on" and each.place in places]
    if len(loose) < LOOSE_MIN:
        return False
    for thing in loose:
        place = next((each for each in places if each not in (thing.place, thing.id) and has_space(room, each)), "")
        if place:
            move(room, thing, "on", place)
    return True
