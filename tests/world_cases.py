"""Makers for the tests of the world: shipped rooms, keyed chance, and a hand that brings situations about."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from world.floor import near, standing_cells
from world.params import RESIDENT, VISITOR
from world.predicates import holds
from world.room import Room
from world.skills import Clause, Skill, compile_skills
from world.spec import parse_room
from world.things import Fact

WORLD = Path(__file__).parent.parent / "world"


def shipped(name: str) -> dict[str, Any]:
    return tomllib.loads((WORLD / name).read_text(encoding="utf-8"))


SKILLS, KINDS, NEEDS = shipped("data/skills.toml"), shipped("data/kinds.toml"), shipped("data/needs.toml")
COMPILED: dict[str, Skill] = compile_skills(SKILLS)
ROOMS = ("studio", "minimal", "cluttered")


class Keyed:
    """Chance by seed, stream, subject and counter, as the run's own."""

    def __init__(self, seed: int = 1) -> None:
        self.seed = seed
        self.counters: dict[str, int] = {}

    def below(self, stream: str, subject: str, n: int) -> int:
        key = f"{stream}/{subject}"
        self.counters[key] = count = self.counters.get(key, 0) + 1
        drawn = hashlib.blake2b(f"{self.seed}/{key}/{count}".encode(), digest_size=8).digest()
        return int.from_bytes(drawn, "big") % n


class Always:
    """Chance that always falls the same way: the least or the greatest number."""

    def __init__(self, lucky: bool) -> None:
        self.lucky = lucky

    def below(self, stream: str, _subject: str, n: int) -> int:
        if stream.startswith(("drift", "event")) or stream.endswith(".ms"):
            return n // 2
        return n - 1 if self.lucky else 0


def a_room(
    name: str = "studio", *, chance: Any = None, tick_ms: int = 100, start: str = "08:00",
    rates: Mapping[str, int] | None = None, raw: dict[str, Any] | None = None,
) -> Room:  # fmt: skip
    spec = parse_room(raw or shipped(f"rooms/{name}.toml"), KINDS)
    start_ms = (int(start[:2]) * 60 + int(start[3:])) * 60_000
    return Room.build(spec, SKILLS, KINDS, needs=NEEDS, tick_ms=tick_ms, start_ms=start_ms,
                      chance=chance or Keyed(), rates=rates or {})  # fmt: skip


def stand_near(room: Room, place: str, body: str = RESIDENT) -> None:
    cells = standing_cells(room, place)
    assert cells, f"nobody can stand near {place}"
    taken = [other.cell for other in room.bodies.values() if other.id != body]
    room.bodies[body].cell = next(cell for cell in cells if cell not in taken)
    room.touch(body)


def hold(room: Room, thing: str, body: str = RESIDENT) -> None:
    for other in list(room.bodies[body].holding):
        if other != thing:
            room.put_thing(other, "at", room._region_of[room.bodies[body].cell], room.bodies[body].cell)
    if thing not in room.bodies[body].holding:
        room.put_thing(thing, "held", body)


def run(room: Room, skill: str, amount: int = 60_000, words: dict[str, Any] | None = None, body: str = RESIDENT,
        **roles: str) -> list[Fact]:  # fmt: skip
    """Begin a skill and let it come to its end; return every fact of it."""
    facts = room.begin(body, skill, roles, amount=amount, words=words, cause="test")
    while room.bodies[body].running is not None:
        facts += room.advance(room.next_tick())
    return facts


def outcome(facts: list[Fact]) -> dict[str, Any]:
    return next(fact.data for fact in facts if fact.kind in ("skill_ended", "skill_refused"))


def wait_until(room: Room, tick: int) -> list[Fact]:
    facts = []
    while room.next_tick() <= tick:
        facts += room.advance(room.next_tick())
    return facts + room.advance(tick)


# What each role is bound to when a skill is tried in the studio; the rest is bound by the role's own name.
BOUND = {
    "object": "novel", "place": "desk", "seat": "sofa", "vessel": "mug", "source": "sink", "kettle": "kettle",
    "stove": "stove", "food": "noodles", "text": "novel", "paper": "notebook", "can": "watering_can", "home": "shelf",
    "surface": "table", "basket": "laundry_basket", "instrument": "guitar", "person": VISITOR, "target": "table",
}  # fmt: skip
BOUND_BY_SKILL = {
    "open": {"object": "wardrobe"}, "close": {"object": "wardrobe"}, "force_open": {"object": "drawer"},
    "switch_on": {"object": "radio"}, "switch_off": {"object": "radio"}, "pour": {"target": "cup"},
    "empty": {"object": "bin"}, "wash_up": {"object": "mug", "basin": "sink"}, "launder": {"basin": "sink"},
}  # fmt: skip


def roles_of(skill: Skill) -> dict[str, str]:
    mine = BOUND_BY_SKILL.get(skill.id, {})
    return {role: mine.get(role, BOUND.get(role, role)) for role in skill.roles}


def fit_room(skill: Skill, **options: Any) -> tuple[Room, dict[str, str]]:
    """Return a studio in which every precondition of the skill holds, and its roles."""
    room = a_room(**options)
    roles = roles_of(skill)
    room.set_prop("drawer", "jammed", 0)
    if VISITOR in roles.values():
        room.enter()
    for clause in sorted(skill.pre, key=lambda each: ORDER.index(each[1])):
        bring_about(room, clause, roles)
    for clause, text in zip(skill.pre, skill.pre_texts, strict=True):
        assert holds(room, room.bodies[RESIDENT], clause, roles), (
            f"{skill.id}: could not bring about {text!r}"
        )
    return room, roles


# Things are laid out before the body walks up to them and takes them.
ORDER = (
    "prop", "is", "takes", "person", "lit", "awake", "standing", "near", "reachable", "hearing", "holding",
    "hand_free", "stands",
)  # fmt: skip


def bring_about(room: Room, clause: Clause, roles: dict[str, str]) -> None:
    wanted, word = clause[0], clause[1]
    name = roles.get(clause[2], "") if len(clause) > 2 else ""
    if word == "near":
        if not near(room, room.bodies[RESIDENT], name):
            stand_together(room, roles)
    elif word == "reachable" and room.things[name].relation == "in":
        room.set_prop(room.things[name].place, "open", 1)
    elif word == "holding":
        hold(room, name)
    elif word == "prop":
        operator, number = clause[4], clause[5]
        value = 1 if operator == "!=" else number if operator == ">=" else number - 1
        if not wanted:
            value = 0 if operator != "<" else number
        room.things[name].props.setdefault(clause[3], 0)
        room.set_prop(name, clause[3], value)
    elif word == "hearing":
        stand_near(room, RESIDENT, VISITOR)


def stand_together(room: Room, roles: dict[str, str]) -> None:
    """Stand where as many of the places as possible are within reach; bring the portable ones along."""
    places = list(roles.values())
    fixed = [name for name in places if "portable" not in room.tags(name)] or places
    body = room.bodies[RESIDENT]
    cells = [cell for place in fixed for cell in standing_cells(room, place)]
    best, most = body.cell, -1
    for cell in cells:
        body.cell = cell
        count = sum(near(room, body, place) for place in fixed)
        if count > most:
            best, most = cell, count
    body.cell = best
    room.touch(RESIDENT)
    for name in places:
        if "portable" in room.tags(name):
            room.put_thing(name, "at", room._region_of[best], best)


def break_it(room: Room, clause: Clause, roles: dict[str, str]) -> None:
    """Make the clause false and leave the rest alone as far as that goes."""
    wanted, word = clause[0], clause[1]
    body = room.bodies[RESIDENT]
    role = clause[2] if len(clause) > 2 else ""
    name = roles.get(role, "")
    if word == "standing":
        body.posture = "sitting"
    elif word == "awake":
        body.asleep = True
    elif word == "hand_free":
        hold(room, "photo")
    elif word == "near":
        free = [cell for cell in range(len(room._blocked)) if not room._blocked[cell]]
        body.cell = next(cell for cell in free if far(room, cell, name))
    elif word == "holding":
        if wanted and name in body.holding:
            room.put_thing(name, "at", room._region_of[body.cell], body.cell)
    elif word == "reachable":
        room.set_prop("wardrobe", "open", 0)
        room.put_thing(name, "in", "wardrobe")
    elif word in ("takes", "is"):
        roles[role] = "mirror"
    elif word == "prop":
        operator, number = clause[4], clause[5]
        value = (0 if wanted else 1) if operator == "!=" else number - 1 if operator == ">=" else number
        room.set_prop(name, clause[3], value)
    elif word == "lit":
        room.light = 20
        room.light_version += 1
    elif word == "hearing":
        room.bodies[VISITOR].asleep = True
    elif word == "person":
        roles[role] = "mirror"


def far(room: Room, cell: int, name: str) -> bool:
    body = room.bodies[RESIDENT]
    old, body.cell = body.cell, cell
    answer = not near(room, body, name)
    body.cell = old
    return answer


def census(room: Room) -> list[str]:
    """Return the faults of the tree of places; an empty list when each thing has exactly one place."""
    faults = []
    listed = [
        each
        for place in [*room.things, *room.bodies, *room._region_cells, ""]
        for each in room.contents(place)
    ]
    if sorted(listed) != sorted(room.things):
        faults.append("the lists of contents do not hold each thing once")
    for thing in room.things.values():
        known = {"at": room._region_cells, "on": room.things, "in": room.things, "held": room.bodies}
        if thing.relation == "out":
            faults += [f"{thing.id} is outside and at {thing.place}"] if thing.place else []
            continue
        if thing.place not in known[thing.relation]:
            faults.append(f"{thing.id} is {thing.relation} {thing.place!r}, which is not there")
            continue
        if (thing.relation == "held") != any(thing.id in body.holding for body in room.bodies.values()):
            faults.append(f"{thing.id} and the hands disagree")
        step, hops = thing, 0
        while step.relation in ("on", "in") and hops <= len(room.things):
            step, hops = room.things[step.place], hops + 1
        if hops > len(room.things):
            faults.append(f"{thing.id} hangs in a circle")
        if thing.relation == "at" and room._region_of[thing.cell] == "":
            faults.append(f"{thing.id} is in a wall")
    return faults
