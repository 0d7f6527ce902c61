"""What reaches a body: eyes, ears and hands, and nothing past a lid, a wall or the dark."""

from __future__ import annotations

import pytest
from world_cases import Always, a_room, hold, run, shipped, stand_near, wait_until

from world.exposure import can_see, look, loudness_at, searched, touch, view_key, visible_things
from world.floor import OCTANTS, line_clear
from world.light import light_at
from world.params import RESIDENT, VISITOR
from world.room import Room
from world.things import Fact


def at(room: Room, x_mm: int, y_mm: int) -> int:
    return y_mm // 250 * room.spec.width + x_mm // 250


def place(room: Room, body: str, x_mm: int, y_mm: int, heading: int) -> None:
    room.bodies[body].cell, room.bodies[body].heading = at(room, x_mm, y_mm), heading
    room.touch(body)


def sound(room: Room, cell: int, loudness: int) -> Fact:
    return room.fact("sound", doer="", cell=cell, loudness=loudness)


def test_a_closed_container_hides_its_contents() -> None:
    room = a_room()
    place(room, RESIDENT, 6500, 500, 0)
    assert can_see(room, RESIDENT, "fridge")
    assert not can_see(room, RESIDENT, "cheese")
    assert look(room, RESIDENT, "fridge")["contents"] == []
    assert "cheese" not in visible_things(room, RESIDENT)

    room.set_prop("fridge", "open", 1)

    assert can_see(room, RESIDENT, "cheese")
    assert look(room, RESIDENT, "fridge")["contents"] == ["cheese", "vegetables", "eggs"]
    assert "cheese" in visible_things(room, RESIDENT)
    assert "cheese" in room.changed


def test_the_sealed_box_keeps_its_secret_even_inside_another() -> None:
    room = a_room()
    room.set_prop("wardrobe", "open", 1)
    room.put_thing("box", "in", "wardrobe")
    place(room, RESIDENT, 2500, 1000, 6)

    assert can_see(room, RESIDENT, "box")
    assert not can_see(room, RESIDENT, "medal")
    room.set_prop("box", "open", 1)
    assert can_see(room, RESIDENT, "medal")
    assert room.things["box"].props["sealed"] == 0
    room.set_prop("wardrobe", "open", 0)
    assert not can_see(room, RESIDENT, "medal")


def test_walls_and_tall_furniture_stand_between() -> None:
    room = a_room()
    place(room, RESIDENT, 4000, 3750, 0)
    assert not can_see(room, RESIDENT, "toilet")

    place(room, RESIDENT, 2500, 750, 2)
    room.put_thing("plant", "at", "bedroom", at(room, 2500, 2000))
    assert can_see(room, RESIDENT, "plant")
    layout = room.layout_version
    assert can_see(room, RESIDENT, RESIDENT)
    room.put_thing("shelf", "at", "bedroom", at(room, 2000, 1250))
    assert room.layout_version > layout
    assert not can_see(room, RESIDENT, "plant")
    assert can_see(room, RESIDENT, "shelf")


def test_nobody_sees_behind_the_back() -> None:
    room = a_room()
    for heading, seen in ((0, False), (4, True)):
        place(room, RESIDENT, 3250, 3750, heading)
        assert can_see(room, RESIDENT, "sofa") is seen


@pytest.mark.parametrize("heading", range(8))
def test_the_field_of_view_is_the_same_in_every_direction(heading: int) -> None:
    room = a_room("minimal", raw=open_hall())
    place(room, RESIDENT, 5000, 5000, heading)
    dx, dy = OCTANTS[heading]
    for turn, seen in ((0, True), (1, True), (-1, True), (2, False), (-2, False), (4, False)):
        x, y = OCTANTS[(heading + turn) % 8]
        room.put_thing("mug", "at", "hall", at(room, 5000 + 1000 * x, 5000 + 1000 * y))
        assert can_see(room, RESIDENT, "mug") is seen
    assert (dx, dy) != (0, 0)


def open_hall() -> dict[str, object]:
    return {
        "id": "hall", "size": [10_000, 10_000], "door": "door", "start": {"resident": {"at": [5000, 5000]}},
        "region": {"hall": {"box": [0, 0, 10_000, 10_000]}},
        "objects": [{"id": "door", "kind": "door", "box": [0, 0, 1000, 250]},
                    {"id": "mug", "kind": "mug", "at": [1000, 1000]}],
    }  # fmt: skip


def test_a_line_of_sight_runs_both_ways() -> None:
    room = a_room("cluttered")
    cells = range(0, room.spec.width * room.spec.height, 13)
    for a in cells:
        for b in cells:
            room._sight_lines.clear()
            there = line_clear(room, a, b)
            room._sight_lines.clear()
            assert there == line_clear(room, b, a)


def test_darkness_limits_sight_and_a_lamp_lifts_it() -> None:
    room = a_room(start="23:30")
    place(room, RESIDENT, 4250, 4250, 6)
    assert light_at(room, room.bodies[RESIDENT].cell) < 100
    assert not can_see(room, RESIDENT, "desk")
    place(room, RESIDENT, 4250, 3750, 6)
    assert can_see(room, RESIDENT, "table")
    key = view_key(room, RESIDENT)

    room.set_prop("ceiling_light", "on", 1)

    assert view_key(room, RESIDENT) != key
    assert can_see(room, RESIDENT, "desk")
    room.set_prop("ceiling_light", "broken", 1)
    assert not can_see(room, RESIDENT, "desk")


def test_one_can_read_at_twilight_and_not_at_night() -> None:
    for start, readable in (("19:30", True), ("20:30", False)):
        room = a_room(start=start)
        hold(room, "novel")

        facts = room.begin(RESIDENT, "read", {"text": "novel"}, amount=1000)

        assert (facts[0].kind == "skill_started") == readable


def test_the_day_has_its_light_in_order() -> None:
    room = a_room(start="00:00")

    facts = [fact for fact in wait_until(room, 864_000) if fact.kind == "light"]

    assert [(fact.data["old"], fact.data["new"]) for fact in facts] == [
        (20, 300),
        (300, 1000),
        (1000, 300),
        (300, 20),
    ]
    assert [fact.tick * 100 // 60_000 for fact in facts] == [370, 400, 1160, 1190]


@pytest.mark.parametrize("change", ["cell", "heading", "posture", "sleep", "light", "layout"])
def test_the_view_key_changes_with_whatever_changes_the_view(change: str) -> None:
    room = a_room()
    before = view_key(room, RESIDENT)
    if change == "cell":
        wait = room.begin(RESIDENT, "walk_to", {"place": "door"})
        assert wait[0].kind == "skill_started"
        room.advance(room.next_tick())
    elif change == "heading":
        run(room, "turn", place="bed")
    elif change == "posture":
        stand_near(room, "sofa")
        before = view_key(room, RESIDENT)
        run(room, "sit", seat="sofa")
    elif change == "sleep":
        stand_near(room, "bed")
        before = view_key(room, RESIDENT)
        room.begin(RESIDENT, "sleep", {"bed": "bed"}, amount=3_600_000)
    elif change == "light":
        room.set_prop("desk_lamp", "on", 1)
    else:
        room.put_thing("fridge", "at", "dining", at(room, 4000, 4250))

    assert view_key(room, RESIDENT) != before


def test_a_sleeper_sees_nothing_and_hears_only_what_is_loud() -> None:
    room = a_room()
    stand_near(room, "bed")
    ear = room.bodies[RESIDENT].cell
    loud, soft = sound(room, ear, 14_000), sound(room, at(room, 7000, 3000), 9000)
    assert loudness_at(room, RESIDENT, soft) > 0
    room.begin(RESIDENT, "sleep", {"bed": "bed"}, amount=3_600_000)

    assert visible_things(room, RESIDENT) == []
    assert not can_see(room, RESIDENT, "bed")
    assert loudness_at(room, RESIDENT, soft) == 0
    assert loudness_at(room, RESIDENT, loud) == 1000


def test_sound_falls_with_distance_and_a_wall_muffles_it() -> None:
    room = a_room()
    place(room, RESIDENT, 1500, 3000, 0)
    levels = [
        loudness_at(room, RESIDENT, sound(room, at(room, x, 3000), 5000))
        for x in (1500, 2500, 3500, 4500, 6500)
    ]
    assert levels[0] == 1000
    assert levels == sorted(levels, reverse=True)
    assert levels[1:] == [800, 600, 400, 0]

    place(room, RESIDENT, 5250, 5500, 0)
    clear = loudness_at(room, RESIDENT, sound(room, at(room, 4250, 5500), 5000))
    muffled = loudness_at(room, RESIDENT, sound(room, at(room, 6250, 5500), 5000))
    assert (clear, muffled) == (800, 600)


def test_an_ongoing_sound_masks_a_fainter_one_and_not_itself() -> None:
    room = a_room()
    place(room, RESIDENT, 1000, 5250, 2)
    faint = sound(room, at(room, 3500, 3500), 3500)
    assert loudness_at(room, RESIDENT, faint) > 0

    room.set_prop("radio", "on", 1)

    assert loudness_at(room, RESIDENT, faint) == 0
    own = room.fact("sound", subject="radio", cell=room.cell_of("radio"), loudness=3000)
    assert loudness_at(room, RESIDENT, own) > 0
    loud = sound(room, at(room, 3500, 3500), 14_000)
    assert loudness_at(room, RESIDENT, loud) > 0


def test_rain_masks_at_the_window() -> None:
    room = a_room()
    place(room, RESIDENT, 5250, 500, 6)
    faint = sound(room, at(room, 5250, 3500), 4500)
    before = loudness_at(room, RESIDENT, faint)
    room.raining = True

    assert before > 0
    assert loudness_at(room, RESIDENT, faint) == 0


def test_the_hand_feels_what_the_eye_does_not_show() -> None:
    room = a_room()
    room.set_prop("kettle", "temperature", 900)
    stand_near(room, "kettle")

    seen, felt = look(room, RESIDENT, "kettle"), touch(room, RESIDENT, "kettle")

    assert seen == {"kind": "kettle", "props": {"wet": 0}, "place": ["on", "counter"], "contents": []}
    assert felt["props"] == {"wet": 0, "fill": 300, "temperature": 900}
    assert "jammed" not in look(room, RESIDENT, "drawer")["props"]
    assert touch(room, RESIDENT, "drawer")["props"]["jammed"] == 1


def test_what_is_held_is_seen_and_goes_along() -> None:
    room = a_room()
    hold(room, "box")
    room.changed.clear()

    run(room, "walk_to", place="door")

    assert "box" in visible_things(room, RESIDENT)
    assert can_see(room, RESIDENT, "box")
    assert room.cell_of("medal") == room.bodies[RESIDENT].cell
    assert not can_see(room, RESIDENT, "medal")
    assert look(room, RESIDENT, "box")["place"] == ["held", RESIDENT]


def test_a_visitor_is_seen_by_the_same_rules() -> None:
    room = a_room()
    assert not can_see(room, RESIDENT, VISITOR)
    room.enter()
    place(room, VISITOR, 4500, 5250, 6)
    place(room, RESIDENT, 4500, 4000, 6)
    hold(room, "mug", VISITOR)
    assert not can_see(room, RESIDENT, VISITOR)
    assert not can_see(room, RESIDENT, "mug")

    place(room, RESIDENT, 4500, 4000, 2)

    assert can_see(room, RESIDENT, VISITOR)
    assert can_see(room, RESIDENT, "mug")
    assert "mug" in visible_things(room, RESIDENT)


UNSEEN = [("drawer", "jammed", 0), ("kettle", "temperature", 800), ("table", "dust", 500), ("bread", "age", 500),
          ("plant", "moisture", 10)]  # fmt: skip


@pytest.mark.parametrize(("thing", "prop", "value"), UNSEEN)
def test_a_change_that_no_eye_can_see_is_not_offered_to_the_eye(thing: str, prop: str, value: int) -> None:
    room = a_room()
    room.changed.clear()

    facts = room.set_prop(thing, prop, value)

    assert [fact.visible for fact in facts] == [False]
    assert thing not in room.changed


def test_a_search_finds_what_lies_there_and_opens_no_lid() -> None:
    room = a_room(chance=Always(lucky=True))
    stand_near(room, "shelf")
    assert {"shelf", "novel", "radio"} <= set(searched(room, RESIDENT, "shelf"))

    stand_near(room, "fridge")
    assert searched(room, RESIDENT, "fridge") == ["fridge"]
    room.set_prop("fridge", "open", 1)
    assert "eggs" in searched(room, RESIDENT, "fridge")

    room.bodies[RESIDENT].cell = room.spec.regions[1].cells[-1]
    found = searched(room, RESIDENT, room.spec.regions[1].id)
    assert "photo" in found
    assert "jacket" not in found


def test_seeing_costs_no_change() -> None:
    room = a_room()
    before = room.digest()
    room.changed.clear()

    visible_things(room, RESIDENT)
    look(room, RESIDENT, "table")
    touch(room, RESIDENT, "table")
    loudness_at(room, RESIDENT, sound(a_room(), 5, 500))

    assert room.changed == {}
    assert room.digest() == before == room.digest(fresh=True)


def test_the_shipped_files_are_what_these_tests_stand_on() -> None:
    assert shipped("rooms/studio.toml")["size"] == [8000, 6000]
