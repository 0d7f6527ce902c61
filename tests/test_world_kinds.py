"""Kinds, skills and needs speak of the same things; a room as it stands can be written back."""

from __future__ import annotations

import pytest
from test_world_keeping import random_attempt
from world_cases import COMPILED, KINDS, NEEDS, ROOMS, SKILLS, Keyed, a_room, hold, run, shipped

from world.export import room_file
from world.params import CELL_MM, ONGOING_MM, PAIN_BY_FAILURE, RESIDENT, SILENT, SKILL_MM, SOUND_MM
from world.params import NEEDS as NEED_NAMES
from world.spec import parse_room

TAGS = {
    "portable", "openable", "switchable", "surface", "container", "seat", "bed", "vessel", "drinkable", "boilable", "water",
    "heat", "edible", "cookable", "readable", "writable", "pen", "plant", "can", "wipeable", "basin", "shower", "toilet",
    "laundry", "bin", "phone", "instrument", "window", "warm", "light", "door", "clock", "mirror", "radio", "decor",
    "climate", "sounding", "cold", "pushable",
}  # fmt: skip
KEYS = {
    "names", "tags", "size", "height", "props", "sight", "touch", "capacity", "blocks_walk", "blocks_sight", "sound_mm",
    "shines_mm", "volume_ml", "drifts",
}  # fmt: skip


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_kind_is_well_formed(kind: str) -> None:
    table = KINDS[kind]

    assert set(table) <= KEYS
    assert {"names", "tags", "size", "height", "props"} <= set(table)
    assert set(table["names"]) == {"en", "zh"}
    assert all(table["names"].values())
    assert set(table["tags"]) <= TAGS
    assert set(table.get("sight", ())) | set(table.get("touch", ())) <= set(table["props"])
    for drift in table.get("drifts", ()):
        assert drift["prop"] in table["props"]
        assert drift["every_s"] >= 60
        assert drift["step"] != 0
        assert "then" not in drift or drift["then"][0] in table["props"]
    holds = "surface" in table["tags"] or "container" in table["tags"]
    assert holds == (table.get("capacity", 0) > 0)
    assert ("vessel" in table["tags"]) == ("volume_ml" in table)
    if "vessel" in table["tags"]:
        assert {"fill", "temperature", "dirty"} <= set(table["props"])
    if "openable" in table["tags"]:
        assert "open" in table["props"]
    if "switchable" in table["tags"]:
        assert {"on", "broken"} <= set(table["props"])
    if {"seat", "bed"} & set(table["tags"]):
        assert "occupied" in table["props"]


def test_every_tag_and_property_that_skills_ask_for_exists() -> None:
    tags = {tag for table in KINDS.values() for tag in table["tags"]}
    props = {name for table in KINDS.values() for name in table["props"]}
    clauses = [clause for skill in COMPILED.values() for clause in skill.pre]
    clauses += [
        factor for skill in COMPILED.values() for each in skill.failures for factor, _, _ in each.factors
    ]

    assert {clause[3] for clause in clauses if clause[1] == "is"} <= tags
    assert {clause[3] for clause in clauses if clause[1] == "prop"} <= props
    effects = [effect for skill in COMPILED.values() for effect in skill.effects]
    assert {effect[2] for effect in effects if effect[0] in ("set", "add")} <= props
    assert tags == TAGS


def test_every_emission_has_a_sound_or_is_silent_on_purpose() -> None:
    emitted = {effect[1] for skill in COMPILED.values() for effect in skill.effects if effect[0] == "emit"}

    assert emitted <= {*SILENT, *SOUND_MM, "gesture"}
    assert set(SKILL_MM) | set(ONGOING_MM) <= set(SKILLS)
    failures = {failure.id for skill in COMPILED.values() for failure in skill.failures}
    assert set(PAIN_BY_FAILURE) <= failures


def test_the_table_of_needs_is_whole() -> None:
    assert NEEDS["thresholds"] == sorted(NEEDS["thresholds"], reverse=True)
    assert set(NEEDS["start"]) == set(NEED_NAMES)
    assert set(NEEDS["drift"]) == {"standing", "sitting", "lying", "asleep"}
    assert all(set(row) == set(NEED_NAMES) for row in NEEDS["drift"].values())
    assert set(NEEDS["posture"]) | set(NEEDS["asleep"]["skills"]) <= set(SKILLS)


@pytest.mark.parametrize("name", ROOMS)
def test_a_room_written_back_reads_the_same(name: str) -> None:
    raw = shipped(f"rooms/{name}.toml")

    again = parse_room(room_file(a_room(name)), KINDS)

    spec = parse_room(raw, KINDS)
    assert {each.id: each.cells for each in again.regions} == {each.id: each.cells for each in spec.regions}
    assert again.things == spec.things
    assert again.walls == spec.walls
    assert again.events == spec.events
    assert (again.starts, again.dawn_ms, again.dusk_ms, again.door) == (
        spec.starts,
        spec.dawn_ms,
        spec.dusk_ms,
        spec.door,
    )


def test_a_lived_in_room_can_be_saved_and_lived_in() -> None:
    room, chance = a_room(), Keyed(9)
    for _ in range(300):
        random_attempt(room, chance)
    room.interrupt(RESIDENT, "saved", hard=True)
    room.bodies[RESIDENT].posture = "standing"
    hold(room, "mug")

    again = a_room(raw=room_file(room))

    assert again.things["mug"].cell == room.bodies[RESIDENT].cell
    moved = [name for name, thing in room.things.items() if thing.relation != "held"]
    assert [again.things[name].place for name in moved] == [room.things[name].place for name in moved]
    assert run(again, "walk_to", place="toilet")[-1].data["result"] == "ok"
    assert CELL_MM == 250
