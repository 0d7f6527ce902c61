"""What light, sound and touch carry from the room to a body. Nothing here changes anything.

Sight: the eyes reach a thing if it lies within the field of view and the distance that the light on it
allows, no wall or tall furniture stands between, and no closed container holds it. Things hung on or in
others are seen where their holder stands. Sound fades evenly to nothing at its loudness, walls muffle it,
and a louder ongoing sound hides it.
"""

from __future__ import annotations

from typing import Any

from world.floor import OCTANTS, line_clear, near, nearest_cell
from world.light import light_at
from world.params import (
    DARK,
    DIM,
    FOV_COS2_MILLE,
    MASK_SHARE,
    ONGOING_MM,
    SIGHT_DARK_MM,
    SIGHT_DIM_MM,
    SIGHT_MM,
    SOUND_MM,
    VIEWS_MAX,
    WAKE_LEVEL,
    WALL_MUFFLE,
)
from world.predicates import can_reach
from world.things import Body, Fact, Thing
from world.truth import Truth


def view_key(room: Truth, body_id: str) -> tuple[Any, ...]:
    """Return a value that changes whenever what the body can see may have changed, things themselves apart."""
    body = room.bodies[body_id]
    return body.cell, body.heading, body.posture, body.asleep, room.light_version, room.layout_version


def visible_things(room: Truth, body_id: str) -> list[str]:
    """Return the ids of the things the body sees, in the room file's order within each holder."""
    body = room.bodies[body_id]
    if body.asleep:
        return []
    found: list[str] = []
    for name in standing_in_view(room, body):
        unfold(room, room.things[name], found)
    for other in room.bodies.values():
        if other.holding and (other is body or eye_reaches(room, body, other.cell, 1, 1)):
            for name in other.holding:
                unfold(room, room.things[name], found)
    return found


def standing_in_view(room: Truth, body: Body) -> tuple[str, ...]:
    """Return the things on the floor that the body sees. Kept until something on the floor moves."""
    key = (body.cell, body.heading, room.light_version)
    found = room._views.get(key)
    if found is None:
        if len(room._views) >= VIEWS_MAX:
            room._views = {}
        found = room._views[key] = tuple(
            thing.id for thing in room.things.values()
            if thing.relation == "at" and eye_reaches(room, body, thing.cell, thing.w, thing.h)
        )  # fmt: skip
    return found


def unfold(room: Truth, thing: Thing, found: list[str]) -> None:
    """Add the thing and all that lies open on or in it."""
    found.append(thing.id)
    closed = thing.props.get("open", 1) == 0
    for each in room.contents(thing.id):
        inner = room.things[each]
        if not (closed and inner.relation == "in"):
            unfold(room, inner, found)


def can_see(room: Truth, body_id: str, other_id: str) -> bool:
    """Return whether the body sees a thing or another body now. A body is aware of itself."""
    body = room.bodies.get(body_id)
    if body is None or body.asleep:
        return False
    if other_id == body_id:
        return True
    other = room.bodies.get(other_id)
    if other is not None:
        return eye_reaches(room, body, other.cell, 1, 1)
    thing = room.things.get(other_id)
    if thing is None or room.shut_in(thing):
        return False
    root = room.root(thing)
    if isinstance(root, Body):
        return root is body or eye_reaches(room, body, root.cell, 1, 1)
    return root.relation == "at" and eye_reaches(room, body, root.cell, root.w, root.h)


def eye_reaches(room: Truth, body: Body, anchor: int, w: int, h: int) -> bool:
    """Return whether the body's eyes reach the box: field of view, distance in this light, clear line."""
    width = room.spec.width
    goal = nearest_cell(body.cell, anchor, w, h, width)
    if goal == body.cell:
        return True
    dx, dy = goal % width - body.cell % width, goal // width - body.cell // width
    hx, hy = OCTANTS[body.heading]
    dot, square = dx * hx + dy * hy, dx * dx + dy * dy
    if dot <= 0 or 1000 * dot * dot < FOV_COS2_MILLE * square * (hx * hx + hy * hy):
        return False
    level = room.light if room.light >= DIM else light_at(room, goal)
    limit = SIGHT_DARK_MM if level < DARK else SIGHT_DIM_MM if level < DIM else SIGHT_MM
    return room.distance_mm(body.cell, goal) <= limit and line_clear(room, body.cell, goal)


def level_at(room: Truth, ear: int, source: int, loudness: int) -> int:
    """Return how loud a sound from *source* is at the cell *ear* in a silent room, 0 to 1000."""
    if loudness <= 0 or source < 0:
        return 0
    if not line_clear(room, ear, source, walls_only=True):
        loudness //= WALL_MUFFLE
    distance = room.distance_mm(ear, source)
    return 1000 * (loudness - distance) // loudness if distance < loudness else 0


def loudness_at(room: Truth, body_id: str, fact: Fact) -> int:
    """Return how loud the fact sounds to the body, 0 (not heard) to 1000."""
    body = room.bodies.get(body_id)
    if body is None or fact.loudness <= 0:
        return 0
    level = level_at(room, body.cell, fact.cell, fact.loudness)
    if body.asleep:
        return level if level >= WAKE_LEVEL else 0
    if level and fact.doer != body_id:
        mask = masking(room, body, fact) // MASK_SHARE
        if level < mask:
            return 0
    return level


def masking(room: Truth, body: Body, fact: Fact) -> int:
    """Return the level of the loudest ongoing sound at the body, the fact's own source left out."""
    loudest = 0
    for name in room._sounding:
        props = room.things[name].props
        if name != fact.subject and (props.get("on") or props.get("ringing")):
            sound = int(room.kind(room.things[name]).get("sound_mm", 0))
            loudest = max(loudest, level_at(room, body.cell, room.cell_of(name), sound))
    for other in room.bodies.values():
        # One's own doing deafens nobody to the one he is talking with.
        heeded = other is body or other.id == fact.doer
        if other.running is not None and other.running.skill in ONGOING_MM and not heeded:
            loudest = max(loudest, level_at(room, body.cell, other.cell, ONGOING_MM[other.running.skill]))
    if room.raining and "rain" in room._events:
        for window in room._events["rain"].subjects[:1]:
            loudest = max(loudest, level_at(room, body.cell, room.cell_of(window), SOUND_MM["rain"]))
    return loudest


def look(room: Truth, _body_id: str, thing_id: str) -> dict[str, Any]:
    """Return what a look at a seen thing shows: kind, place, visible properties, and what lies open on or in it."""
    thing = room.things[thing_id]
    kind = room.kind(thing)
    closed = thing.props.get("open", 1) == 0
    return {
        "kind": thing.kind,
        "props": {name: thing.props[name] for name in kind.get("sight", ())},
        "place": [thing.relation, thing.place],
        "contents": [each for each in room.contents(thing_id)
                     if not (closed and room.things[each].relation == "in")],
    }  # fmt: skip


def touch(room: Truth, body_id: str, thing_id: str) -> dict[str, Any]:
    """Return what a hand on the thing tells: all that a look does, and what can only be felt."""
    thing = room.things[thing_id]
    shown = look(room, body_id, thing_id)
    shown["props"] |= {name: thing.props[name] for name in room.kind(thing).get("touch", ())}
    return shown


def searched(room: Truth, body_id: str, place_id: str) -> list[str]:
    """Return what a search of the place brings to light: all within reach there that no closed lid hides."""
    body = room.bodies[body_id]
    found: list[str] = []
    if place_id in room.things:
        if can_reach(room, body, place_id):
            unfold(room, room.things[place_id], found)
        return found
    for each in room.contents(place_id):
        if room.things[each].relation == "at" and near(room, body, place_id):
            unfold(room, room.things[each], found)
    return found
