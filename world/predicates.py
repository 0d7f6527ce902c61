"""The words of preconditions, read over the truth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from world.floor import line_clear, near
from world.hands import hands_free, has_space, relation_for, within
from world.light import light_at
from world.params import DIM, HEARING_MM, WALL_MUFFLE
from world.skills import PREDICATES, Clause
from world.things import Body
from world.truth import Truth

Roles = dict[str, str]


def holds(room: Truth, body: Body, clause: Clause, roles: Roles) -> bool:
    """Return whether the clause is true of *body* now, its roles bound by *roles*."""
    return WORDS[clause[1]](room, body, clause, roles) is clause[0]


def standing(_room: Truth, body: Body, _clause: Clause, _roles: Roles) -> bool:
    return body.posture == "standing"


def awake(_room: Truth, body: Body, _clause: Clause, _roles: Roles) -> bool:
    return not body.asleep


def hand_free(_room: Truth, body: Body, _clause: Clause, _roles: Roles) -> bool:
    return hands_free(body)


def lit(room: Truth, body: Body, _clause: Clause, _roles: Roles) -> bool:
    return light_at(room, body.cell) >= DIM


def is_near(room: Truth, body: Body, clause: Clause, roles: Roles) -> bool:
    return near(room, body, roles[clause[2]])


def holding(_room: Truth, body: Body, clause: Clause, roles: Roles) -> bool:
    return roles[clause[2]] in body.holding


def reachable(room: Truth, body: Body, clause: Clause, roles: Roles) -> bool:
    """Not shut in, and not in another's hands. How near it is, is another word's matter."""
    return can_reach(room, body, roles[clause[2]])


def can_reach(room: Truth, body: Body, thing_id: str) -> bool:
    """Return whether the thing is in the open or in the body's own hands. How near it is, is not asked."""
    thing = room.things.get(thing_id)
    if thing is None:
        return room.in_room(thing_id)
    if room.shut_in(thing):
        return False
    root = room.root(thing)
    return root is body if isinstance(root, Body) else root.relation != "out"


def stands(room: Truth, _body: Body, clause: Clause, roles: Roles) -> bool:
    """In the room and in nobody's hands."""
    name = roles[clause[2]]
    thing = room.things.get(name)
    return room.in_room(name) and (thing is None or not isinstance(room.root(thing), Body))


def has_tag(room: Truth, _body: Body, clause: Clause, roles: Roles) -> bool:
    return clause[3] in room.tags(roles[clause[2]])


def prop(room: Truth, _body: Body, clause: Clause, roles: Roles) -> bool:
    thing = room.things.get(roles[clause[2]])
    value = thing.props.get(clause[3], 0) if thing is not None else 0
    operator: str = clause[4]
    number: int = clause[5]
    if operator == "!=":
        return value != number
    return value >= number if operator == ">=" else value < number


def person(room: Truth, _body: Body, clause: Clause, roles: Roles) -> bool:
    return roles[clause[2]] in room.bodies


def hearing(room: Truth, body: Body, clause: Clause, roles: Roles) -> bool:
    """The other is in the room, awake, and near enough to be spoken to."""
    other = room.bodies.get(roles[clause[2]])
    return other is not None and other is not body and not other.asleep and in_earshot(room, body.cell, other.cell)


def in_earshot(room: Truth, a: int, b: int) -> bool:
    """Return whether words spoken in one cell are understood in another."""
    distance = room.distance_mm(a, b)
    if not line_clear(room, a, b, walls_only=True):
        distance *= WALL_MUFFLE
    return distance <= HEARING_MM


def takes(room: Truth, _body: Body, clause: Clause, roles: Roles) -> bool:
    """The place is of a sort that can hold the thing, has space left, and is not inside it."""
    return can_take(room, roles[clause[2]], roles[clause[3]])


def can_take(room: Truth, place: str, thing_id: str) -> bool:
    """Return whether the place can hold the thing now: the right sort, open, with space, and not inside it."""
    if not relation_for(room, place) or within(room, place, thing_id):
        return False
    if relation_for(room, place) == "in" and room.things[place].props.get("open", 1) == 0:
        return False
    return has_space(room, place)


WORDS: Final[dict[str, Callable[[Truth, Body, Clause, Roles], bool]]] = {
    "standing": standing, "awake": awake, "hand_free": hand_free, "lit": lit, "near": is_near,
    "holding": holding, "reachable": reachable, "stands": stands, "is": has_tag, "prop": prop,
    "person": person, "hearing": hearing, "takes": takes,
}  # fmt: skip
assert tuple(WORDS) == tuple(PREDICATES), "every predicate of the table has one meaning"
