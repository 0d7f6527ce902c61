"""Asked to put a thing somewhere: the place is read, the thing ends up there, and nothing counts as done that was not."""

from __future__ import annotations

from typing import Any

import pytest

from agent.absorb import MATTERS_KEPT
from agent.candidates import Candidate
from interventions.lexicon import read
from sim.state import State
from tests.makers import ENTER, a_state, live, say


@pytest.mark.parametrize(
    ("text", "action", "thing", "place"),
    [
        ("Put the mug on the table.", "put", "mug", "table"),
        ("Could you put the mug back on the counter please?", "put", "mug", "counter"),
        ("Move the chair over to the window.", "move", "chair", "window"),
        ("Please take the cup and put it on the table.", "put", "cup", "table"),
        ("Bring the mug to the table, please.", "bring", "mug", "table"),
        ("Put the cup on the table into the sink.", "put", "cup", "sink"),
        ("Put the letter in the drawer and close it.", "put", "letter", "drawer"),
        ("Put the glass on the table in the evening.", "put", "glass", "table"),
        ("Could you hang the towel over the chair?", "put", "towel", "chair"),
        ("Please return the book to the shelf.", "put", "book", "shelf"),
        ("That plate should go in the sink.", "put", "plate", "sink"),
        ("The vase looks better on the table, could you move it there?", "move", "vase", "table"),
        ("The glass on the desk, please move it to the table.", "move", "glass", "table"),
        ("把杯子放到桌上。", "put", "cup", "table"),
        ("碗放回橱柜里去", "put", "bowl", "cupboard"),
        ("外套挂衣柜里", "put", "clothes", "wardrobe"),
        ("在茶几上摆个花瓶", "put", "vase", "coffee_table"),
        ("杯子放桌上吧。", "put", "cup", "table"),
        ("把椅子挪到窗边。", "move", "chair", "window"),
        ("把马克杯拿到水槽里。", "take", "mug", "sink"),
        ("把桌上的杯子放进水槽。", "put", "cup", "sink"),
        ("往抽屉里放本书。", "put", "book", "drawer"),
        # A place nobody here knows stays a place; its word is given as the reader sees it.
        ("Please put the mug in the piano.", "put", "mug", "plano"),
        ("把杯子放到钢琴上", "put", "cup", "钢琴"),
        # Nothing lies in or on itself, nor on who is spoken to.
        ("Put the mug in the mug.", "put", "mug", "itself"),
        ("Put the notebook on yourself.", "put", "notebook", "yourself"),
        ("把杯子放到杯子里", "put", "cup", "itself"),
        # What a thing is taken off or out of is not what is put elsewhere.
        ("Take the photo off the nightstand and put it on the desk.", "put", "photo", "desk"),
        ("Take the mug out of the cupboard and put it on the table.", "put", "mug", "table"),
        ("从冰箱里把面包放到桌上", "put", "bread", "table"),
        # These words tell which thing is meant, when, or nothing about where.
        ("Bring me the cup on the table.", "bring", "cup", ""),
        ("把桌上的杯子拿给我。", "bring", "cup", ""),
        ("Take the book from the shelf.", "take", "book", ""),
        ("Put the mug in its place.", "put", "mug", ""),
        ("Come back to the table.", "come", "table", ""),
        ("Please get the rest of the bread.", "take", "bread", ""),
        ("Put the mug away in a minute.", "tidy", "mug", ""),
        ("把杯子放在一边", "put", "cup", ""),
    ],
)
def test_where_a_thing_is_to_be_put_is_read(text: str, action: str, thing: str, place: str) -> None:
    found = read(text, {})

    assert (found.action, found.target, found.place) == (action, thing, place)


@pytest.mark.parametrize("text", ["I put the mug on the table.", "I left the book on the desk.", "我把杯子放在桌上了。", "茶几上摆着花瓶"])
def test_what_one_did_oneself_is_no_wish(text: str) -> None:
    found = read(text, {})

    assert (found.mark, found.place) == ("claim", "")


def asked(*words: str, **rest: Any) -> tuple[State, list[dict[str, Any]]]:
    asking = [say(215 + at, each, id=f"ask{at}") for at, each in enumerate(words)]
    state = a_state(ENTER, say(200, "Hello.", id="hi"), *asking, minutes=60, **rest)
    return state, live(state)


def acts(rows: list[dict[str, Any]], thing: str) -> list[tuple[str, str]]:
    """Return what the resident's hands did with *thing*, and how it went."""
    facts = [row["data"] for row in rows if row["kind"] == "fact" and row["data"]["fact"] == "skill_ended"]
    done = [each for each in facts if each["doer"] == "resident"]
    return [(each["skill"], each["data"]["result"]) for each in done if each["subject"] == thing and each["skill"] != "walk_to"]


def last_stance(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return [row["data"] for row in rows if row["kind"] == "matter"][-1]


@pytest.mark.parametrize(
    ("words", "thing", "where"),
    [
        ("Please put the mug on the table.", "mug", ("on", "table")),
        ("请把马克杯放到桌上。", "mug", ("on", "table")),
        ("Please put the mug in the wardrobe.", "mug", ("in", "wardrobe")),
        ("Take the novel and put it on the bed, please.", "novel", ("on", "bed")),
    ],
)
def test_what_is_asked_for_is_carried_out_with_a_hand_that_was_full(words: str, thing: str, where: tuple[str, str]) -> None:
    # It writes when it is asked; laying down the pen is not the putting that was asked for.
    state, rows = asked(words)

    assert (state.room.things[thing].relation, state.room.things[thing].place) == where
    done = acts(rows, thing)
    assert done[:2] == [("grasp", "ok"), ("put", "ok")]
    # A book may be read afterwards; then it is put back where it was asked for.
    assert not {"tidy"} & {skill for skill, _ in done}, "not tidied away again"
    assert last_stance(rows)["outcome"] == "done"


def test_a_closed_place_is_opened_before_the_thing_is_lifted_and_closed_again() -> None:
    state, rows = asked("Please put the mug in the wardrobe.")
    order = [each["data"]["skill"] for each in rows if each["kind"] == "skill" and "wardrobe" in str(each["data"].get("world"))]

    assert order.index("open") < order.index("put") < order.index("close")
    assert state.room.things["wardrobe"].props["open"] == 0


def test_what_is_put_away_goes_home_and_a_thing_at_home_needs_no_act() -> None:
    state, rows = asked("Please put the mug on the counter.")

    assert acts(rows, "mug") == []
    assert last_stance(rows)["outcome"] == "done", "it is so already"
    assert (state.room.things["mug"].relation, state.room.things["mug"].place) == ("on", "counter")


def test_put_it_in_its_place_is_an_act_when_it_lies_elsewhere() -> None:
    taken = {"at": 62, "channel": "physical", "op": "take", "object": "mug"}
    left = {"at": 90, "channel": "physical", "op": "put", "object": "mug", "target": "table"}
    state = a_state(ENTER, taken, left, say(120, "Please put the mug in its place.", id="ask"), minutes=60)
    rows = live(state)

    assert state.room.things["mug"].place == "counter"
    assert ("put", "ok") in acts(rows, "mug") or ("tidy", "ok") in acts(rows, "mug")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("Please put the mug on the radio.", "takes"),
        ("Please put the mug in the piano.", "unknown_place"),
        ("Please put the mug in the mug.", "unknown_place"),
        ("Please put the mug on yourself.", "unknown_place"),
        ("Please put the lamp on the bed.", "portable"),
        ("Please put the mug in the drawer.", "jammed"),
    ],
)
def test_what_cannot_be_put_there_is_never_agreed_to(words: str, why: str) -> None:
    state, rows = asked(words)
    stances = [row["data"]["stance"] for row in rows if row["kind"] == "matter"]
    unable = [each[-1] for row in rows if row["kind"] == "round" for each in row["data"]["dropped"] if each[2] == "accept"]

    assert "accepted" not in stances
    assert unable
    assert all(why in each for each in unable)
    assert state.room.things["mug"].place == "counter"


def test_the_same_thing_at_another_place_is_another_matter_and_the_rule_about_the_place_counts() -> None:
    state, _ = asked("Please put the mug on the table.", "Please put the mug on the shelf.", "Please put the mug on the table.")
    places = [(each.place, each.asked) for each in state.mind.matters.values() if each.action == "put"]

    assert len(places) == 2
    assert sorted(asked for _, asked in places) == [1, 2]


def test_settled_matters_do_not_pile_up() -> None:
    words = [say(200 + 40 * at, f"Could you please zorble the {at} flumps?", id=f"m{at}") for at in range(MATTERS_KEPT + 150)]
    state = a_state(ENTER, *words, minutes=360)
    made = [row["id"] for row in live(state) if row["kind"] == "matter" and row["data"]["stance"] == "considering"]

    assert len(made) > MATTERS_KEPT
    assert list(state.mind.matters) == made[-MATTERS_KEPT:]


def test_an_offer_to_start_names_both_things() -> None:
    from agent.asking import describe

    state, _ = asked("Please put the mug on the table.")
    matter = next(each for each in state.mind.matters.values() if each.action == "put")
    text = describe(state.mind, Candidate("c1", "person", "accept", matter=matter.id), "en")

    assert "mug" in text
    assert text.endswith("-> table")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Could you put the atlas on the table and the novel on the bed?", "table"),
        ("Put the mug on the shelf and the umbrella on the bed.", "shelf"),
        ("Put the mug and the cup on the table, please.", "table"),
        ("把地图册放到桌上把小说放到床上。", "table"),
    ],
)
def test_a_second_thing_behind_a_place_is_for_another_wish(text: str, place: str) -> None:
    assert read(text, dict(a_state()._names)).place == place
