"""Time in the world: jumps, closed forms, snapshots, seeds and processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from world_cases import KINDS, NEEDS, ROOMS, SKILLS, Keyed, a_room, outcome, run, stand_near, wait_until

from world.params import NEED_INDEX, NEVER, RESIDENT
from world.params import NEEDS as NEED_NAMES
from world.room import Room
from world.things import Body, Fact, Running, Thing

ERRANDS = (
    ("walk_to", {"place": "counter"}, 0), ("grasp", {"object": "mug"}, 0), ("walk_to", {"place": "sink"}, 0),
    ("fill", {"vessel": "mug", "source": "sink"}, 0), ("drink", {"vessel": "mug"}, 0),
    ("walk_to", {"place": "table"}, 0),
    ("put", {"object": "mug", "target": "table"}, 0), ("walk_to", {"place": "toilet"}, 0),
    ("use_toilet", {"toilet": "toilet"}, 0), ("walk_to", {"place": "sofa"}, 0), ("lounge", {"seat": "sofa"}, 900_000),
    ("walk_to", {"place": "bed"}, 0), ("sleep", {"bed": "bed"}, 3_600_000),
)  # fmt: skip


def live(room: Room, until: int, *, every_tick: bool) -> list[Fact]:
    """Run the errands in a row, then nothing, visiting each tick or only those at which something happens."""
    facts: list[Fact] = []
    errands = list(ERRANDS)
    tick = 0
    while tick <= until:
        facts += room.advance(tick)
        if room.bodies[RESIDENT].running is None and errands:
            skill, roles, amount = errands.pop(0)
            facts += room.begin(RESIDENT, skill, roles, amount=amount)
        tick = tick + 1 if every_tick else max(tick + 1, room.next_tick())
    return facts


@pytest.mark.parametrize("tick_ms", [50, 100, 250, 1000])
def test_a_jump_and_single_ticks_are_the_same_life(tick_ms: int) -> None:
    until = 3 * 3_600_000 // tick_ms
    jumping, ticking = a_room(tick_ms=tick_ms), a_room(tick_ms=tick_ms)

    facts = live(jumping, until, every_tick=False)

    assert facts == live(ticking, until, every_tick=True)
    assert [fact.skill for fact in facts if fact.kind == "skill_ended"] == [skill for skill, _, _ in ERRANDS]
    assert jumping.digest() == ticking.digest()


def test_a_walk_tells_each_cell_at_its_tick() -> None:
    room = a_room()

    facts = run(room, "walk_to", place="toilet")

    moved = [fact for fact in facts if fact.kind == "moved"]
    width, ms, cell = room.spec.width, 0, room.spec.starts[RESIDENT][0]
    for fact in moved:
        dx, dy = abs(fact.cell % width - cell % width), abs(fact.cell // width - cell // width)
        assert max(dx, dy) == 1
        ms += 350 if dx and dy else 250
        cell = fact.cell
        assert fact.tick == -(-ms // 100)
        assert not room._blocked[cell]
    assert outcome(facts)["result"] == "ok"
    assert len(moved) > 10


def test_nobody_may_jump_over_what_happens() -> None:
    room = a_room()

    with pytest.raises(AssertionError):
        room.advance(room.next_tick() + 1)


def test_needs_are_read_at_any_tick_without_living_through_it() -> None:
    room, other = a_room(rates={"hydration": 2000}), a_room()

    start, hourly = NEEDS["start"], NEEDS["drift"]["standing"]
    energy, hydration = NEED_INDEX["energy"], NEED_INDEX["hydration"]
    hour, plain_hour = room.needs(RESIDENT, 36_000), other.needs(RESIDENT, 36_000)
    # A rate is rounded toward zero in units of 10^-12 per ms, so an hour later a need is at most one short.
    assert hour[energy] == plain_hour[energy]
    assert 0 <= hour[energy] - (start["energy"] + hourly["energy"]) <= 1
    assert 0 <= hour[hydration] - (start["hydration"] + 2 * hourly["hydration"]) <= 1
    assert 0 <= plain_hour[hydration] - (start["hydration"] + hourly["hydration"]) <= 1
    assert min(room.needs(RESIDENT, 10_000_000)) == 0


def test_a_day_is_the_same_day_at_another_tick_size() -> None:
    fine, coarse = a_room(tick_ms=100), a_room(tick_ms=1000)

    live(fine, 864_000, every_tick=False)
    live(coarse, 86_400, every_tick=False)

    pairs = zip(fine.needs(RESIDENT, 864_000), coarse.needs(RESIDENT, 86_400), strict=True)
    assert all(abs(a - b) <= 10 for a, b in pairs)


def test_every_threshold_is_told_when_it_is_crossed_and_not_otherwise() -> None:
    room, other = a_room(), a_room()
    start = room.needs(RESIDENT, 0)

    facts = [fact for fact in wait_until(room, 600_000) if fact.kind == "need_crossed"]

    for fact in facts:
        wait_until(other, fact.tick - 1)
        index, level = NEED_INDEX[fact.data["need"]], fact.data["level"]
        before, after = other.needs(RESIDENT, fact.tick - 1)[index], other.needs(RESIDENT, fact.tick)[index]
        assert after < level <= before if fact.data["direction"] == "down" else before < level <= after
    told = {(fact.data["need"], fact.data["level"]) for fact in facts if fact.data["direction"] == "down"}
    end = room.needs(RESIDENT, 600_000)
    passed = {(name, level) for name, was, now in zip(NEED_NAMES, start, end, strict=True)
              for level in NEEDS["thresholds"] if now < level <= was}  # fmt: skip
    assert passed <= told
    assert len(told) > 20


def test_a_rise_is_told_too() -> None:
    room = a_room(start="22:00")
    stand_near(room, "bed")
    wait_until(room, 36_000 * 6)

    facts = run(room, "sleep", amount=9 * 3_600_000, bed="bed")

    ups = [fact.data["level"] for fact in facts if fact.kind == "need_crossed" and fact.data["need"] == "energy"
           and fact.data["direction"] == "up"]  # fmt: skip
    assert ups == [700]


@pytest.mark.parametrize("action", ["heater", "window"])
def test_the_room_warms_and_cools_who_is_in_it(action: str) -> None:
    plain, other = a_room(), a_room()
    other.set_prop(*{"heater": ("heater", "on", 1), "window": ("window", "open", 1)}[action])

    index = NEED_INDEX["warmth"]
    difference = other.needs(RESIDENT, 36_000)[index] - plain.needs(RESIDENT, 36_000)[index]

    assert difference > 50 if action == "heater" else difference < -50


def copy_of(room: Room, seed: int = 1) -> Room:
    """Return the room rebuilt from its plain fields alone, as a restored snapshot is."""
    values = plain(room)
    things = {key: Thing(*row.values()) for key, row in values.pop("things").items()}
    bodies = {}
    for key, row in values.pop("bodies").items():
        running = row.pop("running")
        bodies[key] = Body(**row, running=Running(**running) if running else None)
    due = {key: tuple(value) for key, value in values.pop("due").items()}
    again = Room(**values, things=things, bodies=bodies, due=due)
    chance = Keyed(seed)
    assert isinstance(room._chance, Keyed)
    chance.counters = dict(room._chance.counters)
    again.bind(room.spec, SKILLS, KINDS, needs=NEEDS, chance=chance)
    return again


def plain(value: Any) -> Any:
    """Return JSON values; fail on any type that a snapshot cannot carry."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value) if each.name[0] != "_"}
    if isinstance(value, dict):
        assert all(type(key) in (str, int) for key in value)
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    assert value is None or type(value) in (int, str, bool), f"{type(value)} cannot be kept"
    return value


@pytest.mark.parametrize("name", ROOMS)
def test_a_snapshot_holds_json_alone_and_lives_on_alike(name: str) -> None:
    room = a_room(name)
    room.enter()
    room.begin(RESIDENT, "walk_to", {"place": "bed"})
    wait_until(room, 7)
    again = copy_of(room)
    assert json.loads(json.dumps(plain(room))) == json.loads(json.dumps(plain(again)))

    facts = wait_until(room, 400_000)

    assert facts == wait_until(again, 400_000)
    assert room.digest() == again.digest(fresh=True)


def test_snapshots_taken_anywhere_in_a_life_continue_it() -> None:
    whole = a_room()
    facts = live(whole, 40_000, every_tick=False)
    for cut in (3, 57, 311, 2_000, 9_999, 17_001):
        room = a_room()
        wait_until_with_errands(room, cut)
        again = copy_of(room)
        rest = continue_errands(again, cut, 40_000, done=room_errands_done(facts, cut))

        assert rest == [fact for fact in facts if fact.tick > cut or fact.id > room.fact_count]
        assert again.digest() == whole.digest()


def wait_until_with_errands(room: Room, cut: int) -> list[Fact]:
    return live(room, cut, every_tick=False)


def room_errands_done(facts: list[Fact], cut: int) -> int:
    return sum(fact.kind in ("skill_started", "skill_refused") and fact.tick <= cut for fact in facts)


def continue_errands(room: Room, cut: int, until: int, done: int) -> list[Fact]:
    facts: list[Fact] = []
    errands = list(ERRANDS[done:])
    tick = max(cut + 1, room.next_tick())
    while tick <= until:
        facts += room.advance(tick)
        if room.bodies[RESIDENT].running is None and errands:
            skill, roles, amount = errands.pop(0)
            facts += room.begin(RESIDENT, skill, roles, amount=amount)
        tick = max(tick + 1, room.next_tick())
    return facts


def test_two_seeds_are_two_worlds_and_one_seed_is_one() -> None:
    lives = [a_room(chance=Keyed(seed)) for seed in (1, 1, 2)]

    facts = [live(room, 864_000, every_tick=False) for room in lives]

    assert facts[0] == facts[1]
    assert lives[0].digest() == lives[1].digest()
    assert facts[0] != facts[2]
    assert lives[0].digest() != lives[2].digest()


CHILD = """
import sys
sys.path[:0] = ["tests", "."]
from test_world_time import live
from world_cases import a_room
room = a_room("cluttered")
facts = live(room, 864_000, every_tick=False)
print(len(facts), room.digest())
"""


def test_the_order_of_hashes_moves_nothing() -> None:
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    seen = [
        subprocess.run(
            [sys.executable, "-c", CHILD], cwd=root, env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("0", "12345")
    ]  # fmt: skip

    assert seen[0] == seen[1]
    assert seen[0].strip()


@pytest.mark.parametrize("name", ROOMS)
def test_ninety_quiet_days_pass_and_the_world_stays_small(name: str) -> None:
    room = a_room(name)

    facts = wait_until(room, 90 * 864_000)

    assert room.next_tick() < NEVER
    assert len(facts) < 90 * 300
    assert len(room.due) < 200
    assert len(room._heap) < 1000
    assert room.digest() == room.digest(fresh=True)
