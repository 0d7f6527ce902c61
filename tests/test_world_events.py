"""What happens of itself: post, phone, weather, food, plants, lamps, and slow change."""

from __future__ import annotations

from itertools import pairwise

import pytest
from world_cases import KINDS, Always, Keyed, a_room, hold, outcome, run, shipped, stand_near, wait_until

from world.exposure import loudness_at
from world.params import RESIDENT
from world.spec import EVENTS
from world.things import Fact


def named(facts: list[Fact], name: str) -> list[Fact]:
    return [fact for fact in facts if fact.kind == "event" and fact.data["event"] == name]


def day_ms(fact: Fact) -> int:
    return (8 * 3_600_000 + fact.tick * 100) % 86_400_000


def test_every_event_happens_within_some_weeks_and_in_its_hours() -> None:
    room = a_room()
    room.set_prop("lamp", "on", 1)
    room.set_prop("drawer", "jammed", 0)

    facts = wait_until(room, 60 * 864_000)

    told = {fact.data["event"] for fact in facts if fact.kind == "event"}
    assert {"phone_rings", "phone_stops", "letters", "rain", "rain_over", "noise", "knock", "delivery", "spoils",
            "dries", "lamp_fails", "repair"} <= told  # fmt: skip
    assert any(fact.kind == "state" and fact.data["prop"] == "jammed" for fact in facts)
    for event in room.spec.events:
        opens, closes = event.hours[0] * 60_000, event.hours[1] * 60_000
        assert all(opens <= day_ms(fact) <= closes for fact in named(facts, event.name))


def test_every_event_of_the_table_is_in_some_shipped_room() -> None:
    used = {
        name
        for each in ("studio", "minimal", "cluttered")
        for name in shipped(f"rooms/{each}.toml")["events"]
    }

    assert used == set(EVENTS)


def test_seeds_move_the_times_of_events() -> None:
    times = []
    for seed in (1, 1, 2):
        facts = wait_until(a_room(chance=Keyed(seed)), 20 * 864_000)
        times.append([fact.tick for fact in named(facts, "phone_rings")])

    assert times[0] == times[1] != times[2]
    assert 8 <= len(times[0]) <= 60


def test_an_unanswered_phone_falls_silent_and_an_answered_one_is_talked_on() -> None:
    room = a_room(chance=Always(lucky=True))
    ring = room._events["phone_rings"]
    while not room.things["phone"].props["ringing"]:
        room.advance(room.next_tick())
    began = room.tick
    assert loudness_at(room, RESIDENT, room.fact("event", cell=room.cell_of("phone"), loudness=15_000)) > 0
    while room.things["phone"].props["ringing"]:
        room.advance(room.next_tick())
    assert room.tick - began == 400

    while not room.things["phone"].props["ringing"]:
        room.advance(room.next_tick())
    stand_near(room, "phone")
    social = room.needs(RESIDENT, room.tick)[7]
    facts = run(room, "answer_phone", phone="phone")
    assert outcome(facts)["result"] in ("ok", "failed")
    assert room.needs(RESIDENT, room.tick)[7] > social
    assert ring.subjects == ("phone",)


def test_letters_come_from_a_pool_and_go_back_to_it() -> None:
    room = a_room(chance=Always(lucky=True))
    pool = room._events["letters"].subjects
    facts = wait_until(room, 40 * 864_000)
    assert sorted(fact.subject for fact in named(facts, "letters")) == sorted(pool)
    assert all(room.things[name].relation == "at" and room.things[name].place == "entrance" for name in pool)

    letter = pool[0]
    hold(room, letter)
    stand_near(room, "desk")
    room.light = 1000
    run(room, "read", text=letter)
    assert room.things[letter].props["unread"] == 0
    stand_near(room, "bin")
    run(room, "throw_away", object=letter, bin="bin")
    assert room.things[letter].place == "bin"
    hold(room, "bin")
    stand_near(room, "door")
    run(room, "empty", object="bin", door="door")
    assert room.things[letter].relation == "out"

    again = wait_until(room, room.tick + 5 * 864_000)
    assert named(again, "letters")[0].subject == letter
    assert room.things[letter].props["unread"] == 1


def test_food_spoils_sooner_on_the_table_than_in_the_fridge_and_is_brought_anew() -> None:
    room = a_room(chance=Always(lucky=True))
    for key in [key for key in room.due if key.startswith("event/")]:
        room.cancel(key)
    room.put_thing("cheese", "on", "table")

    facts = wait_until(room, 20 * 864_000)

    when = {fact.subject: fact.tick for fact in named(facts, "spoils")}
    assert when["cheese"] < 3 * 864_000 < when["vegetables"]
    hold(room, "cheese")
    assert run(room, "eat", food="cheese")[0].data["predicate"] == "not prop food spoiled"

    room.schedule("event/delivery", room.tick + 10)
    room.set_prop("rice", "portions", 0)
    room.put_thing("noodles", "out", "")
    wait_until(room, room.tick + 10)
    assert room.things["cheese"].props == KINDS["cheese"]["props"]
    assert room.things["rice"].props["portions"] == KINDS["rice"]["props"]["portions"]
    assert room.things["noodles"].relation == "at"


def test_food_is_brought_at_least_every_four_days() -> None:
    facts = wait_until(a_room(chance=Keyed(4)), 60 * 864_000)

    ticks = [0, *(fact.tick for fact in named(facts, "delivery"))]
    assert max(b - a for a, b in pairwise(ticks)) <= 4 * 864_000
    assert len(ticks) > 20


def test_the_plant_dries_and_drinks() -> None:
    room = a_room(chance=Always(lucky=True))
    facts = wait_until(room, 5 * 864_000)
    assert [fact.subject for fact in named(facts, "dries")] == ["plant"]
    assert room.things["plant"].props["moisture"] == 0

    hold(room, "watering_can")
    stand_near(room, "plant")
    run(room, "water", can="watering_can", plant="plant")

    assert room.things["plant"].props["moisture"] == 1000
    later = wait_until(room, room.tick + 200_000)
    assert any(fact.subject == "plant" and fact.data["new"] < 1000 for fact in later if fact.kind == "state")


def test_a_kettle_boils_whistles_and_cools() -> None:
    room = a_room(chance=Always(lucky=True))
    hold(room, "kettle")
    stand_near(room, "stove")
    facts = run(room, "boil", kettle="kettle", stove="stove")
    assert [fact.data["sound"] for fact in facts if fact.kind == "sound"] == ["kettle_whistles"]
    assert room.things["kettle"].props["temperature"] == 950
    assert room.things["stove"].props["temperature"] == 700

    seen = []
    for _ in range(12):
        wait_until(room, room.tick + 6_000)
        seen.append(room.things["kettle"].props["temperature"])
    assert seen == sorted(seen, reverse=True)
    assert len(set(seen)) >= 6
    assert room.things["kettle"].props["temperature"] == 200
    assert room.things["stove"].props["temperature"] == 200


def test_a_burn_hurts_and_fades() -> None:
    room = a_room(chance=Always(lucky=False))
    room.set_prop("stove", "temperature", 700)
    stand_near(room, "stove")

    data = outcome(run(room, "reach", object="stove"))

    assert (data["failure"], data["factors"]) == ("burned", ["prop object temperature >= 600"])
    pain = room.pain(RESIDENT, room.tick)
    assert pain > 200
    assert room.pain(RESIDENT, room.tick + 36_000) == pain - 240
    assert room.pain(RESIDENT, room.tick + 360_000) == 0


def test_a_broken_lamp_gives_no_light_until_it_is_repaired() -> None:
    room = a_room(chance=Always(lucky=True))
    room.set_prop("lamp", "on", 1)
    room.schedule("event/lamp_fails", 5)
    assert named(wait_until(room, 5), "lamp_fails")[0].subject == "lamp"
    room.set_prop("lamp", "on", 0)
    stand_near(room, "lamp")
    assert outcome(run(room, "switch_on", object="lamp"))["failure"] == "broken"

    room.schedule("event/repair", room.tick + 5)
    wait_until(room, room.tick + 5)

    assert outcome(run(room, "switch_on", object="lamp"))["result"] == "ok"


def test_surfaces_dust_over_and_baskets_fill_to_a_bound() -> None:
    room = a_room()

    wait_until(room, 10 * 864_000)

    assert room.things["table"].props["dirty"] == 1
    assert room.things["laundry_basket"].props["fill"] == 1000
    assert room.things["bin"].props["fill"] == 1000
    stand_near(room, "table")
    run(room, "wipe", surface="table")
    assert room.things["table"].props["dirty"] == 0


def test_wiped_surfaces_get_dusty_again() -> None:
    room = a_room()
    wait_until(room, 10 * 864_000)
    stand_near(room, "table")
    run(room, "wipe", surface="table")

    wait_until(room, room.tick + 10 * 864_000)

    assert room.things["table"].props["dirty"] == 1


@pytest.mark.parametrize("stream", ["knock", "noise", "rain"])
def test_an_event_that_is_not_there_moves_no_other(stream: str) -> None:
    raw = shipped("rooms/studio.toml")
    del raw["events"][stream]
    with_it, without = a_room(chance=Keyed(3)), a_room(chance=Keyed(3), raw=raw)

    both = [wait_until(room, 30 * 864_000) for room in (with_it, without)]

    def others(facts: list[Fact]) -> list[tuple[int, str, str]]:
        return [(fact.tick, fact.kind, fact.subject) for fact in facts
                if not str(fact.data.get("event", "")).startswith(stream)]  # fmt: skip

    assert others(both[0]) == others(both[1])
    assert len(both[0]) > len(both[1])
