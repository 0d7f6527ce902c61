"""Room files: the shipped ones are as promised, and a faulty one is told where it is wrong."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from world_cases import KINDS, ROOMS, Keyed, a_room, shipped

from world.exposure import visible_things
from world.params import NEEDS, RESIDENT
from world.spec import RoomError, catalogue, parse_room

PROMISED = [
    "bed", "wardrobe", "desk", "chair", "drawer", "lamp", "notebook", "pen", "book", "shelf", "phone",
    "radio", "clock", "photo", "window", "plant", "watering_can", "table", "sofa", "blanket", "kettle",
    "stove", "sink", "cup", "mug", "plate", "fridge", "basin", "shower", "toilet", "mirror",
    "laundry_basket", "bin", "box", "door", "letter", "guitar",
]  # fmt: skip
REGULATORS = {
    "energy": ("bed",), "satiety": ("edible", "cookable"), "hydration": ("drinkable", "water"), "bladder": ("toilet",),
    "hygiene": ("basin", "shower"), "warmth": ("warm", "shower"), "rest": ("seat", "bed"), "social": ("phone",),
    "stimulation": ("readable", "window"),
}  # fmt: skip


@pytest.mark.parametrize("name", ROOMS)
def test_a_shipped_room_loads_and_every_thing_in_it_can_be_walked_to(name: str) -> None:
    room = a_room(name)

    cut_off = [each for each in catalogue(room.spec)
               if room.in_room(each) and room.path_ms(room.bodies[RESIDENT].cell, each) < 0]  # fmt: skip

    assert cut_off == []
    assert all(each.names["en"] and each.names["zh"] for each in (*room.spec.things, *room.spec.regions))


def test_the_studio_is_furnished_as_promised() -> None:
    spec = a_room("studio").spec
    kinds = [each.kind for each in spec.things]

    assert (spec.width, spec.height) == (32, 24)
    assert len(spec.things) >= 30
    assert len(spec.regions) >= 6
    assert set(PROMISED) <= set(kinds)
    assert sum("edible" in KINDS[kind]["tags"] for kind in kinds) >= 4
    assert next(each for each in spec.things if each.id == "cup").props["cracked"] == 1
    assert next(each for each in spec.things if each.id == "drawer").props["jammed"] == 1


def test_the_cluttered_room_is_cluttered_and_the_minimal_one_is_not() -> None:
    assert len(a_room("cluttered").spec.things) > 120
    assert len(a_room("minimal").spec.things) < 25


@pytest.mark.parametrize("name", ROOMS)
def test_every_need_has_something_to_regulate_it(name: str) -> None:
    room = a_room(name)
    tags = {tag for each in room.spec.things for tag in KINDS[each.kind]["tags"]}

    assert set(REGULATORS) == set(NEEDS)
    assert [need for need, wanted in REGULATORS.items() if not any(tag in tags for tag in wanted)] == []


@pytest.mark.parametrize("name", ROOMS)
def test_what_is_hidden_is_not_known_and_portables_have_homes(name: str) -> None:
    spec = a_room(name).spec

    for each in spec.things:
        portable = "portable" in KINDS[each.kind]["tags"]
        assert bool(each.home) == portable or not portable
        assert each.known == (each.relation != "out" and each.place != "box")
    assert visible_things(a_room(name), RESIDENT)


def test_the_catalogue_names_what_a_person_may_do() -> None:
    found = catalogue(a_room("studio").spec)

    assert found["mug"]["operations"] == ["walk", "take", "put", "move", "hand_over", "push"]
    assert found["lamp"]["operations"] == ["walk", "switch"]
    assert {"open", "close", "put"} <= set(found["wardrobe"]["operations"])
    assert {"enter", "leave"} <= set(found["door"]["operations"])
    assert found["kitchen"] == {"kind": "region", "tags": ["region"], "operations": ["walk", "put", "move"]}


def thing(raw: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in raw["objects"] if each["id"] == name)
    return found


def drop_place(raw: dict[str, Any]) -> None:
    del thing(raw, "mug")["on"]


FAULTS: list[tuple[str, str, Callable[[dict[str, Any]], Any]]] = [
    ("room.colour", "unknown key", lambda raw: raw.update(colour="red")),
    ("id", "is missing", lambda raw: raw.pop("id")),
    ("id", "is no id", lambda raw: raw.update(id="../etc")),
    ("size", "is missing", lambda raw: raw.pop("size")),
    ("size", "not a pair", lambda raw: raw.update(size=[4000])),
    ("size[0]", "does not fit the grid", lambda raw: raw.update(size=[4100, 3000])),
    ("size[1]", "out of bounds", lambda raw: raw.update(size=[4000, -3000])),
    ("size", "cells of floor", lambda raw: raw.update(size=[100_000, 100_000])),
    ("region", "is missing", lambda raw: raw.pop("region")),
    ("region", "belongs to none", lambda raw: raw["region"].pop("west")),
    ("region.west.box", "outside the room", lambda raw: raw["region"]["west"].update(box=[0, 0, 9000, 3000])),
    ("region.west.private", "is a str", lambda raw: raw["region"]["west"].update(private="always")),
    ("region.west.private", "no time of day", lambda raw: raw["region"]["west"].update(private=[["7", "8"]])),
    ("door", "no object 'gate'", lambda raw: raw.update(door="gate")),
    ("door", "is no door", lambda raw: raw.update(door="bed")),
    ("objects", "are none", lambda raw: raw.update(objects=[])),
    ("objects[0]", "not a table", lambda raw: raw.update(objects=["bed"])),
    ("objects", "used twice", lambda raw: raw["objects"].append(thing(raw, "mug"))),
    ("objects.mug.kind", "unknown kind 'mugg'", lambda raw: thing(raw, "mug").update(kind="mugg")),
    ("objects.mug.weight", "unknown key", lambda raw: thing(raw, "mug").update(weight=3)),
    ("objects.mug.on", "no object 'tabel'", lambda raw: thing(raw, "mug").update(on="tabel")),
    ("objects.mug.on", "is no surface", lambda raw: thing(raw, "mug").update(on="toilet")),
    ("objects.mug", "has 0 places", drop_place),
    ("objects.mug", "has 2 places", lambda raw: thing(raw, "mug").update(at=[0, 0])),
    ("objects.mug.home", "no place 'shelff'", lambda raw: thing(raw, "mug").update(home="shelff")),
    ("objects.mug.home", "nothing lies on", lambda raw: thing(raw, "mug").update(home="toilet")),
    ("objects.mug.known", "is a int", lambda raw: thing(raw, "mug").update(known=1)),
    ("objects.mug.props.fil", "no such property", lambda raw: thing(raw, "mug").update(props={"fil": 1})),
    ("objects.mug.props.fill", "out of bounds", lambda raw: thing(raw, "mug").update(props={"fill": 0.5})),
    ("objects.mug.names.en", "is no text", lambda raw: thing(raw, "mug").update(names={"en": ""})),
    (
        "objects.mug.names.en",
        "control characters",
        lambda raw: thing(raw, "mug").update(names={"en": "a\x00b"}),
    ),
    (
        "objects.bed.out",
        "cannot be carried",
        lambda raw: (thing(raw, "bed").pop("box"), thing(raw, "bed").update(out=True)),
    ),
    ("objects.bed.box", "outside the room", lambda raw: thing(raw, "bed").update(box=[3900, 0, 1000, 2000])),
    (
        "objects.stove.on",
        "'mug' is no surface",
        lambda raw: (thing(raw, "stove").pop("box"), thing(raw, "stove").update(on="mug")),
    ),
    ("start.resident", "is missing", lambda raw: raw["start"].pop("resident")),
    ("start.resident.at", "inside furniture", lambda raw: raw["start"]["resident"].update(at=[250, 250])),
    ("start.resident.heading", "out of bounds", lambda raw: raw["start"]["resident"].update(heading=9)),
    ("start.cat", "unknown key", lambda raw: raw["start"].update(cat={"at": [0, 0]})),
    ("events.flood", "unknown event", lambda raw: raw["events"].update(flood={"mean_h": 3})),
    ("events.letters.mean_h", "is missing", lambda raw: raw["events"]["letters"].pop("mean_h")),
    ("events.letters.mean_h", "out of bounds", lambda raw: raw["events"]["letters"].update(mean_h=0)),
    (
        "events.letters.subjects",
        "no object 'pigeon'",
        lambda raw: raw["events"]["letters"].update(subject="pigeon"),
    ),
    ("events.letters.subjects", "cannot befall", lambda raw: raw["events"]["letters"].update(subject="bed")),
    ("light.dawn", "no time of day", lambda raw: raw.update(light={"dawn": "25:00"})),
    ("light", "out of order", lambda raw: raw.update(light={"dawn": "20:00", "dusk": "08:00"})),
    ("walls[0]", "not a box", lambda raw: raw.update(walls=[[0, 0, 1]])),
    ("start.visitor.at", "cut off", lambda raw: raw.update(walls=[[2500, 0, 250, 3000]])),
    (
        "region.east",
        "nobody can walk",
        lambda raw: (
            raw.update(walls=[[1500, 0, 250, 3000]]),
            raw["start"].pop("visitor"),
            raw["start"]["resident"].update(at=[1250, 1500]),
        ),
    ),
]
FAULT_IDS = [f"{path}: {problem}" for path, problem, _ in FAULTS]


@pytest.mark.parametrize(("path", "problem", "spoil"), FAULTS, ids=FAULT_IDS)
def test_a_fault_is_told_with_its_place_and_its_mend(
    path: str, problem: str, spoil: Callable[[dict[str, Any]], Any]
) -> None:
    raw = shipped("rooms/minimal.toml")
    spoil(raw)

    with pytest.raises(RoomError) as fault:
        parse_room(raw, KINDS)

    assert fault.value.path == path
    assert problem in fault.value.problem
    assert len(fault.value.mend) > 5
    assert str(fault.value).startswith(f"{path}: ")


def test_a_full_holder_and_a_circle_are_faults() -> None:
    full, circle = shipped("rooms/studio.toml"), shipped("rooms/studio.toml")
    for index in range(12):
        full["objects"].append({"id": f"photo_{index}", "kind": "photo", "on": "nightstand"})
    thing(circle, "box").pop("at")
    thing(circle, "box")["in"] = "bin"
    thing(circle, "bin").pop("at")
    thing(circle, "bin")["in"] = "box"

    with pytest.raises(RoomError, match="holds 14 of 4"):
        parse_room(full, KINDS)
    with pytest.raises(RoomError, match="circle"):
        parse_room(circle, KINDS)


JUNK: tuple[Any, ...] = (
    None, True, -1, 10**30, 1.5, float("nan"), "", "x" * 5000, "\ud800", "../../x", [], [[]], {}, {"a": {}},
    [None], ["a", 1], [0, 0, 0, 0], [1e9] * 4,
)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    if isinstance(value, dict):
        for key in value:
            found += places(value[key], (*path, key))
    elif isinstance(value, list):
        for index in range(len(value)):
            found += places(value[index], (*path, index))
    return found


def test_junk_anywhere_is_a_fault_or_a_room_and_never_a_crash() -> None:
    raw = shipped("rooms/minimal.toml")
    chance, refused = Keyed(7), 0
    for path in places(raw):
        junk = JUNK[chance.below("junk", "value", len(JUNK))]
        spoiled = copy.deepcopy(raw)
        target = spoiled
        for key in path[:-1]:
            target = target[key]
        if chance.below("junk", "delete", 4):
            target[path[-1]] = junk
        else:
            del target[path[-1]]
        message = verdict(spoiled)
        assert len(message) < 400
        refused += bool(message)
    assert refused > 100


def verdict(raw: dict[str, Any]) -> str:
    """Return what the loader says against the room, "" if nothing. Any other exception is a crash."""
    try:
        parse_room(raw, KINDS)
    except RoomError as fault:
        return str(fault)
    return ""
