"""Moving and setting things: every change of a thing's place or property goes through here.

These moves ask no leave. Whether a body may do them is for `predicates`; the debug window calls them bare.
What always holds afterwards: one row, one place, no circle, and the derived maps are told.
"""

from __future__ import annotations

from typing import Any

from world.floor import covered, grid, nearest_cell
from world.needs import settle_rates
from world.params import HANDS, JITTER_MILLE
from world.things import RELATIONS, Body, Fact, Thing
from world.truth import Truth


def move(room: Truth, thing: Thing, relation: str, place: str, cell: int = -1) -> None:
    """Hang *thing* at *place*. *cell* is asked for `at` and optional for `on`; elsewhere it follows the holder."""
    assert relation in RELATIONS, f"no relation {relation!r}"
    old_relation, old_place = thing.relation, thing.place
    if old_relation == "held":
        room.bodies[old_place].holding.remove(thing.id)
        room.touch(old_place)
    room.rehang(thing, relation, place)
    if relation == "held":
        room.bodies[place].holding.append(thing.id)
        room.touch(place)
    elif relation in ("on", "in"):
        room.touch(place)
    if old_relation in ("on", "in"):
        room.touch(old_place)
    if old_relation == "at" or relation == "at":
        disturb_floor(room, thing)
    relocate(room, thing, cell)
    room.touch(thing.id)
    start_drifts(room, thing)
    note_place(room, thing, old_relation, old_place)


def note_place(room: Truth, thing: Thing, old_relation: str, old_place: str) -> None:
    room.note(thing.id, "place", f"{old_relation} {old_place}", f"{thing.relation} {thing.place}")


def disturb_floor(room: Truth, thing: Thing) -> None:
    kind = room.kind(thing)
    if kind.get("blocks_walk") or kind.get("blocks_sight"):
        room._grid_ready = False
        room.layout_version += 1
    room._views = {}
    room._near_roots = {}


def relocate(room: Truth, thing: Thing, cell: int = -1) -> None:
    """Set the cell of *thing* and of all that hangs in it to where it now is."""
    if thing.relation == "at":
        assert cell >= 0, "a thing on the floor needs a cell"
        thing.cell = cell
    elif thing.relation in ("on", "in"):
        thing.cell = spot_on(room, room.things[thing.place], cell)
    else:
        thing.cell = -1
    if thing.id in room._lights:
        room.light_version += 1
    for each in room.contents(thing.id):
        relocate(room, room.things[each])
        room._dirty[each] = None


def spot_on(room: Truth, holder: Thing, cell: int) -> int:
    """Return the cell of the holder's footprint nearest to *cell*; without one, its first still free cell."""
    if holder.cell < 0 or holder.relation != "at":
        return holder.cell
    if cell >= 0:
        return nearest_cell(cell, holder.cell, holder.w, holder.h, room.spec.width)
    taken = [room.things[each].cell for each in room.contents(holder.id)]
    spots = covered(holder, room.spec.width)
    return min(spots, key=lambda spot: (taken.count(spot), spot))


def drop(room: Truth, thing: Thing, cell: int) -> None:
    """Let *thing* fall to the floor at *cell*, or as near to it as its size allows."""
    width = room.spec.width
    x = min(cell % width, width - thing.w)
    y = min(cell // width, room.spec.height - thing.h)
    fitting = y * width + x
    move(room, thing, "at", room._region_of[fitting] or room._region_of[cell], fitting)


def put_into(room: Truth, thing: Thing, place: str, body_cell: int) -> None:
    """Lay *thing* in an open container, on a surface, or on the floor of a region, whichever *place* is."""
    relation = relation_for(room, place)
    if relation == "at":
        cells = room._region_cells[place]
        cell = body_cell if room._region_of[body_cell] == place else cells[0]
        move(room, thing, "at", place, cell)
    else:
        move(room, thing, relation, place, body_cell if relation == "on" else -1)


def relation_for(room: Truth, place: str) -> str:
    """Return how a thing hangs at the place: `in`, `on`, `at`, or `` where it cannot."""
    tags = room.tags(place)
    if "region" in tags:
        return "at"
    if "container" in tags and ("surface" not in tags or room.things[place].props.get("open", 1)):
        return "in"
    return "on" if "surface" in tags else ""


def has_space(room: Truth, place: str) -> bool:
    """Return whether one more thing fits on or in the place."""
    if place in room._region_cells:
        return True
    return len(room.contents(place)) < int(room.kind(room.things[place]).get("capacity", 0))


def within(room: Truth, place: str, thing_id: str) -> bool:
    """Return whether *place* is *thing_id* or hangs somewhere in it."""
    while True:
        if place == thing_id:
            return True
        thing = room.things.get(place)
        if thing is None:
            return False
        place = thing.place


def hands_free(body: Body) -> bool:
    """Return whether the body can take one more thing."""
    return len(body.holding) < HANDS


def set_prop(room: Truth, thing: Thing, name: str, value: int) -> None:
    """Set a property, and whatever follows from it at once: light, warmth, drift, an emptied bin."""
    old = thing.props.get(name, 0)
    thing.props[name] = value
    if old == value:
        return
    room._dirty[thing.id] = None
    if perceivable(room, thing, name):
        room.changed[thing.id] = room.tick
    room.note(thing.id, name, old, value)
    if thing.id in room._lights and name in ("on", "broken"):
        room.light_version += 1
    if thing.id in room._climate and name in ("on", "broken", "open"):
        for body in room.bodies.values():
            settle_rates(room, body)
    if name == "open":
        for each in room.contents(thing.id):
            room.touch(each)
        if value and thing.props.get("sealed"):
            set_prop(room, thing, "sealed", 0)
    if name == "fill" and value == 0 and "bin" in room.kind(thing)["tags"]:
        for each in list(room.contents(thing.id)):
            move(room, room.things[each], "out", "")
    undo_drift(room, thing, name)
    start_drifts(room, thing, name)


def undo_drift(room: Truth, thing: Thing, name: str) -> None:
    """Keep a slow change and its consequence together: a wiped table is free of dust, a watered plant revives."""
    for drift in room.kind(thing).get("drifts", ()):
        if "then" not in drift:
            continue
        prop, (result, value) = drift["prop"], drift["then"]
        ended = thing.props[prop] == drift["until"]
        if name == result and thing.props[result] != value and ended:
            set_prop(room, thing, prop, int(room.kind(thing)["props"][prop]))
        elif name == prop and thing.props.get(result, 0) == value and not ended:
            set_prop(room, thing, result, int(room.kind(thing)["props"][result]))


def perceivable(room: Truth, thing: Thing, name: str) -> bool:
    """Return whether a change of this property can be seen, or felt in the hand that holds the thing."""
    kind = room.kind(thing)
    return name in kind.get("sight", ()) or (thing.relation == "held" and name in kind.get("touch", ()))


def start_drifts(room: Truth, thing: Thing, prop: str = "") -> None:
    """Set the timers of the thing's slow changes that are due to run and are not yet running."""
    for drift in room.kind(thing).get("drifts", ()):
        if prop and drift["prop"] != prop:
            continue
        key = f"drift/{thing.id}/{drift['prop']}"
        if not drifting(thing, drift):
            room.cancel(key)
        elif key not in room.due:
            room.schedule(key, room.tick + room.ticks(drift_ms(room, thing, drift)))


def drifting(thing: Thing, drift: dict[str, Any]) -> bool:
    value, until = thing.props.get(drift["prop"], 0), drift["until"]
    if thing.relation == "out":
        return False
    return bool(value < until if drift["step"] > 0 else value > until)


def drift_ms(room: Truth, thing: Thing, drift: dict[str, Any]) -> int:
    ms = int(drift["every_s"]) * 1000
    if "cold" in drift and thing.relation == "in" and "cold" in room.tags(thing.place):
        ms *= int(drift["cold"])
    return jitter(room, f"drift.{drift['prop']}", thing.id, ms)


def jitter(room: Truth, stream: str, subject: str, ms: int) -> int:
    """Return *ms* moved by up to the declared share either way, drawn from *stream* for *subject*."""
    return ms * (1000 - JITTER_MILLE + room.chance.below(stream, subject, 2 * JITTER_MILLE + 1)) // 1000


def put_thing(
    room: Truth, thing_id: str, relation: str, place_id: str, cell: int = -1, cause: str = "", doer: str = ""
) -> list[Fact]:
    """Move a thing without asking anyone (debug drag). Raise `ValueError` if no room could look like that."""
    thing = room.things.get(thing_id)
    if thing is None:
        raise ValueError(f"there is no thing {thing_id!r}")
    if relation not in RELATIONS:
        raise ValueError(f"{relation!r} is no relation; use one of {', '.join(RELATIONS)}")
    known = {"held": list(room.bodies), "on": list(room.things), "in": list(room.things),
             "at": list(room._region_cells), "out": [place_id]}  # fmt: skip
    if place_id not in known[relation]:
        raise ValueError(f"there is no {place_id!r} to hang {thing_id!r} {relation}")
    if relation in ("on", "in") and within(room, place_id, thing_id):
        raise ValueError(f"{thing_id!r} cannot hang in itself")
    if relation == "at":
        grid(room)
        if cell < 0:
            cell = room._region_cells[place_id][0]
        reach = (thing.w - 1) + (thing.h - 1) * room.spec.width
        if cell + reach >= len(room._region_of) or cell % room.spec.width + thing.w > room.spec.width:
            raise ValueError(f"cell {cell} leaves no space for {thing_id!r}")
        place_id = room._region_of[cell] or place_id
    old = [thing.relation, thing.place]
    move(room, thing, relation, "" if relation == "out" else place_id, cell)
    data = {"prop": "place", "old": old, "new": [thing.relation, thing.place]}
    moved = room.fact(
        "state", doer=doer, subject=thing_id, cause=cause, data=data, cell=room.cell_of(thing_id)
    )
    return [moved, *make_way(room)]


def make_way(room: Truth) -> list[Fact]:
    """Push bodies off the cells on which furniture was set down, to the nearest free cell."""
    facts = []
    blocked = grid(room)
    for body in room.bodies.values():
        if blocked[body.cell]:
            free = [cell for cell in range(len(blocked)) if not blocked[cell]]
            old = body.cell
            body.cell = min(free, key=lambda cell: (room.distance_mm(cell, body.cell), cell))
            room.touch(body.id)
            facts.append(room.fact("moved", doer=body.id, subject=body.id, data={"from": old, "to": body.cell},
                                   cell=body.cell))  # fmt: skip
    return facts


def alter(room: Truth, thing_id: str, name: str, value: int, cause: str = "", doer: str = "") -> list[Fact]:
    """Set a property from outside any skill and return the fact of it. Raise `ValueError` on an unknown one."""
    thing = room.things.get(thing_id)
    if thing is None:
        raise ValueError(f"there is no thing {thing_id!r}")
    if name not in thing.props:
        raise ValueError(f"a {thing.kind} has no property {name!r}; it has {', '.join(thing.props)}")
    old = thing.props[name]
    if old == value:
        return []
    set_prop(room, thing, name, value)
    data = {"prop": name, "old": old, "new": value}
    return [room.fact("state", doer=doer, subject=thing_id, cause=cause, data=data, cell=room.cell_of(thing_id),
                      visible=name in room.kind(thing).get("sight", ()))]  # fmt: skip
