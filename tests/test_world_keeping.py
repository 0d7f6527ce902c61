"""Nothing is lost, nothing is doubled, and the digest knows every change."""

from __future__ import annotations

import pytest
from world_cases import COMPILED, ROOMS, Keyed, a_room, census, hold, outcome, run, stand_near, wait_until

from world.floor import near, near_names
from world.params import NEEDS, RESIDENT, VISITOR
from world.room import Room


def pick(chance: Keyed, what: str, choices: list[str]) -> str:
    return choices[chance.below("test", what, len(choices))]


def random_attempt(room: Room, chance: Keyed) -> None:
    """Try a random skill with random roles; walk near something first, so that many attempts come through."""
    body = pick(chance, "body", list(room.bodies))
    skill = COMPILED[pick(chance, "skill", sorted(COMPILED))]
    ids = [*room.things, *room.bodies, *room._region_cells]
    roles = {role: pick(chance, "role", ids) for role in skill.roles}
    if chance.below("test", "aim", 3) and skill.roles:
        held = room.bodies[body].holding
        roles[skill.roles[0]] = (
            held[0] if held and chance.below("test", "use", 2) else pick(chance, "role", ids)
        )
        room.begin(body, "rise", {})
        finish(room, body)
        room.begin(body, "walk_to", {"place": roles[skill.roles[-1]]})
        finish(room, body)
    room.begin(body, skill.id, roles, amount=chance.below("test", "amount", 100_000))
    if chance.below("test", "stop", 10) == 0:
        room.interrupt(body, "test", hard=bool(chance.below("test", "hard", 2)))
    if chance.below("test", "overlap", 4):
        finish(room, body)


def finish(room: Room, body: str) -> None:
    while room.bodies[body].running is not None:
        room.advance(room.next_tick())


@pytest.mark.parametrize(("name", "seed"), [("studio", 1), ("minimal", 2), ("cluttered", 3)])
def test_things_are_conserved_through_two_thousand_random_attempts(name: str, seed: int) -> None:
    room, chance = a_room(name, chance=Keyed(seed)), Keyed(seed + 100)
    room.enter()
    ids = sorted(room.things)
    for count in range(2000):
        random_attempt(room, chance)
        if count % 400 == 399:
            (room.leave if VISITOR in room.bodies else room.enter)()
        if count % 20 == 0:
            assert census(room) == []
    assert census(room) == []
    assert sorted(room.things) == ids
    assert room.digest() == room.digest(fresh=True)
    assert all(0 <= need <= 1000 for need in room.needs(RESIDENT, room.tick))


def test_random_attempts_do_come_through() -> None:
    room, chance = a_room(chance=Keyed(5)), Keyed(105)
    seen: dict[str, int] = {}
    begin = room.fact_count
    for _ in range(600):
        body = RESIDENT
        skill = COMPILED[pick(chance, "skill", sorted(COMPILED))]
        roles = {role: pick(chance, "role", list(room.things)) for role in skill.roles}
        room.begin(body, "walk_to", {"place": next(iter(roles.values()), "bed")})
        finish(room, body)
        facts = room.begin(body, skill.id, roles, amount=1000)
        seen[facts[0].kind] = seen.get(facts[0].kind, 0) + 1
        finish(room, body)
    assert room.fact_count > begin
    assert seen["skill_started"] > 50
    assert seen["skill_refused"] > 50


@pytest.mark.parametrize("name", ROOMS)
def test_the_kept_digest_is_the_fresh_one_after_every_operation(name: str) -> None:
    room, chance = a_room(name), Keyed(11)
    room.enter()
    seen = {room.digest()}
    for _ in range(500):
        operate(room, chance)
        digest = room.digest()
        assert digest == room.digest(fresh=True)
        seen.add(digest)
    assert len(seen) > 250


def operate(room: Room, chance: Keyed) -> None:
    which = chance.below("test", "operation", 6)
    thing = room.things[pick(chance, "thing", list(room.things))]
    if which == 0 and thing.props:
        room.set_prop(thing.id, pick(chance, "prop", list(thing.props)), chance.below("test", "value", 1001))
    elif which == 1:
        shake(room, chance, thing.id)
    elif which == 2:
        room.advance(room.next_tick())
    elif which == 3:
        random_attempt(room, chance)
    elif which == 4:
        room.interrupt(RESIDENT, "test", hard=True)
    else:
        (room.leave if VISITOR in room.bodies and chance.below("test", "go", 3) == 0 else room.enter)()


def shake(room: Room, chance: Keyed, thing: str) -> None:
    """Drag a thing anywhere; what no room could look like is refused whole."""
    before = room.digest()
    relation = pick(chance, "relation", ["at", "on", "in", "held", "out"])
    place = pick(chance, "place", [*room.things, *room.bodies, *room._region_cells])
    try:
        room.put_thing(
            thing, relation, place, chance.below("test", "cell", room.spec.width * room.spec.height)
        )
    except ValueError:
        assert room.digest() == before


@pytest.mark.parametrize("name", ROOMS)
def test_dragging_conserves_and_never_buries_anyone(name: str) -> None:
    room, chance = a_room(name), Keyed(3)
    room.enter()
    for _ in range(400):
        shake(room, chance, pick(chance, "thing", list(room.things)))
        assert census(room) == []
        assert all(not room._blocked[body.cell] for body in room.bodies.values() if room._grid_ready)
    run(room, "wait", amount=1000)


@pytest.mark.parametrize("name", ROOMS)
def test_all_that_is_near_is_what_is_near_one_by_one(name: str) -> None:
    room, chance = a_room(name), Keyed(21)
    room.enter()
    for _ in range(150):
        operate(room, chance)
        for body in room.bodies.values():
            ids = [*room.things, *room.bodies, *room._region_cells]
            assert sorted(near_names(room, body)) == sorted(each for each in ids if near(room, body, each))


def test_a_drag_without_sense_is_refused_with_a_reason() -> None:
    room = a_room()

    for arguments, reason in (
        (("gold", "on", "table"), "no thing 'gold'"),
        (("mug", "under", "table"), "no relation"),
        (("mug", "on", "moon"), "no 'moon'"),
        (("mug", "held", VISITOR), "no 'visitor'"),
        (("box", "in", "box"), "hang in itself"),
        (("bed", "at", "bedroom", 31), "no space"),
        (("bed", "at", "bedroom", 23 * 32), "no space"),
    ):
        with pytest.raises(ValueError, match=reason):
            room.put_thing(*arguments)
    with pytest.raises(ValueError, match="no property 'joy'"):
        room.set_prop("mug", "joy", 1)
    with pytest.raises(ValueError, match="no thing"):
        room.set_prop("gold", "on", 1)


def test_furniture_set_down_on_a_body_pushes_it_aside_and_walks_still_work() -> None:
    room = a_room()
    cell = room.bodies[RESIDENT].cell

    facts = room.put_thing("table", "at", "living", cell)

    assert [fact.kind for fact in facts] == ["state", "moved"]
    assert room.bodies[RESIDENT].cell != cell
    assert outcome(run(room, "walk_to", place="toilet"))["result"] == "ok"


def test_the_dragged_lamp_takes_its_light_along() -> None:
    room = a_room(start="23:30")
    room.set_prop("desk_lamp", "on", 1)
    version = room.light_version

    room.put_thing("desk_lamp", "on", "table")

    assert room.light_version > version


def test_what_a_leaving_visitor_held_stays() -> None:
    room = a_room()
    room.enter()
    hold(room, "mug", VISITOR)

    facts = room.leave()

    assert [fact.kind for fact in facts][-1] == "left"
    assert room.things["mug"].relation == "at"
    assert census(room) == []
    assert room.leave() == []
    assert [fact.kind for fact in room.enter()] == ["entered"]
    assert room.enter() == []


def test_things_dragged_out_of_a_running_skill_free_the_hand() -> None:
    room = a_room()
    stand_near(room, "mug")
    hold(room, "mug")
    room.begin(RESIDENT, "wash_up", {"object": "mug", "basin": "sink"})

    room.put_thing("mug", "out", "")

    assert room.bodies[RESIDENT].holding == []
    room.interrupt(RESIDENT, "reset", hard=True)
    assert run(room, "grasp", object="novel")[0].kind in ("skill_started", "skill_refused")


# The simplest life: whenever a need is low, do the one thing that restores it.
REMEDIES = {
    "energy": ("sleep", {"bed": "bed"}, 0), "bladder": ("use_toilet", {"toilet": "toilet"}, 0),
    "hygiene": ("shower", {"shower": "shower"}, 0), "rest": ("lounge", {"seat": "sofa"}, 1_800_000),
    "social": ("phone_call", {"phone": "phone"}, 1_500_000), "stimulation": ("gaze", {"window": "window"}, 1_800_000),
}  # fmt: skip


def go(room: Room, skill: str, amount: int = 0, near_by: str = "", **roles: str) -> bool:
    if near_by:
        run(room, "walk_to", place=near_by)
    return outcome(run(room, skill, amount=amount, **roles)).get("result") == "ok"


def live_simply(room: Room) -> None:
    needs = dict(zip(NEEDS, room.needs(RESIDENT, room.tick), strict=True))
    worst = min(needs, key=lambda name: needs[name])
    if needs[worst] > 550:
        run(room, "wait", amount=1_200_000)
    elif worst == "hydration":
        go(room, "grasp", near_by="mug", object="mug")
        go(room, "fill", near_by="sink", vessel="mug", source="sink")
        go(room, "drink", vessel="mug")
        go(room, "put", near_by="table", object="mug", target="table")
    elif worst == "satiety":
        foods = [thing for thing in room.things.values() if thing.props.get("portions")]
        food = next(thing.id for thing in foods if not thing.props["spoiled"])
        holder = room.things[food].place
        if room.things.get(holder) and room.things[holder].props.get("open", 1) == 0:
            go(room, "open", near_by=holder, object=holder)
        go(room, "grasp", near_by=food, object=food)
        go(room, "eat", food=food)
        go(room, "put", near_by="table", object=food, target="table")
    elif worst == "warmth":
        go(room, "switch_on", near_by="heater", object="heater")
        run(room, "wait", amount=1_800_000)
        go(room, "switch_off", object="heater")
    else:
        skill, roles, amount = REMEDIES[worst]
        go(room, skill, amount=amount, near_by=next(iter(roles.values())), **roles)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_simple_life_alone_goes_on_for_three_weeks(seed: int) -> None:
    room = a_room(chance=Keyed(seed))
    lowest = dict.fromkeys(NEEDS, 1000)
    while room.tick < 21 * 864_000:
        live_simply(room)
        for name, value in zip(NEEDS, room.needs(RESIDENT, room.tick), strict=True):
            lowest[name] = min(lowest[name], value)
    assert {name: value for name, value in lowest.items() if value < 100} == {}
    assert census(room) == []
    wait_until(room, room.tick)
