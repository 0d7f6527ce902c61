"""The body walks to where the resident takes a thing to be, and finds out there; what is in use can't be taken unnoticed."""

from __future__ import annotations

from typing import Any

from sim.state import State
from sim.veil import observe, perceive
from tests.makers import ENTER, a_state, live, say
from tests.test_receiving import physical
from world.exposure import can_see
from world.floor import near
from world.hands import move

RESIDENT = "resident"
ASKED = 1190
"""Just before the resident, at its desk with its back to the kitchen, is asked for the mug on the counter."""


def asked_for_the_mug(moved_to: str = "") -> tuple[State, list[dict[str, Any]]]:
    state = a_state(ENTER, say(120, "Would you bring me the mug, please?", id="ask"), minutes=60)
    rows = live(state, ASKED)
    if moved_to:
        assert not any(can_see(state.room, RESIDENT, name) for name in ("mug", "counter", moved_to))
        move(state.room, state.room.things["mug"], "on", moved_to)
    return state, rows + live(state)


def first_walk(state: State, rows: list[dict[str, Any]], name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the first command to walk to *name*, and how that walk ended."""
    mine = state.veil.ordinals[name]
    order = next(row for row in rows if row["kind"] == "skill" and row["data"]["roles"] == {"place": mine} and row["tick"] > ASKED)
    facts = [row for row in rows if row["kind"] == "fact" and row["data"]["fact"] == "skill_ended" and row["tick"] >= order["tick"]]
    return order, next(row["data"] for row in facts if row["data"]["doer"] == RESIDENT and row["data"]["skill"] == "walk_to")


def test_what_was_moved_unseen_is_looked_for_where_it_was() -> None:
    honest, rows = asked_for_the_mug()
    state, after = asked_for_the_mug("nightstand")
    (order, ended), (order_after, ended_after) = first_walk(honest, rows, "mug"), first_walk(state, after, "mug")

    assert order["data"]["aim"] == order_after["data"]["aim"], "the same order"
    assert ended["cell"] == ended_after["cell"], "and the same way"
    assert (ended["data"]["result"], ended_after["data"]["result"]) == ("ok", "failed")


def test_what_is_not_found_is_lost_and_nothing_is_learned_against_carrying() -> None:
    state, rows = asked_for_the_mug("nightstand")
    mug = state.veil.ordinals["mug"]
    lost = [row for row in rows if row["kind"] == "belief" and row["id"] == f"thing-{mug}" and row["data"].get("lost")]
    order, _ = first_walk(state, rows, "mug")

    assert len(lost) == 1
    assert lost[0]["tick"] >= order["tick"], "no sooner than one could know"


def test_what_left_the_room_unseen_is_found_out_there_and_not_from_afar() -> None:
    state = a_state(ENTER, say(120, "Would you bring me the mug, please?", id="ask"), minutes=60)
    live(state, ASKED)
    move(state.room, state.room.things["mug"], "out", "")
    rows = live(state)
    order, ended = first_walk(state, rows, "mug")

    assert (ended["data"]["result"], ended["data"]["failure"]) == ("failed", "disturbed")
    assert ended["cell"] != state.room.cell_of("door")
    refused = [row["tick"] for row in rows if row["kind"] == "fact" and row["data"]["fact"] == "skill_refused"]
    assert order["tick"] not in refused


def test_what_was_put_within_reach_behind_ones_back_is_not_known_to_be_at_hand() -> None:
    state = a_state(minutes=60)
    live(state, ASKED)
    room, mug = state.room, state.veil.ordinals["mug"]
    surfaces = [each.id for each in room.things.values() if each.relation == "at" and "surface" in room.tags(each.id)]
    place = next(each for each in surfaces if state.veil.ordinals[each] in state.mind.near)
    room.bodies[RESIDENT].heading = (room.bodies[RESIDENT].heading + 4) % 8  # It looks the other way while it is laid there.
    move(room, room.things["mug"], "on", place)
    perceive(state.veil, room, [], [])

    assert not can_see(room, RESIDENT, "mug")
    assert near(room, room.bodies[RESIDENT], "mug")
    assert mug not in observe(state.veil, room, ()).near


def test_a_person_is_taken_to_be_where_they_were_last_seen_or_heard() -> None:
    state = a_state(ENTER, physical(90, "walk", target="table"), say(120, "Hello."), minutes=60)
    live(state, 1300)

    assert state.room.bodies["visitor"].cell != state.room.cell_of("door")
    assert state.mind.place_cell(state.veil.ordinals["visitor"]) == state.room.bodies["visitor"].cell


def test_nobody_writes_on_in_what_was_taken_away() -> None:
    # The visitor stands beside the desk and takes the notebook from under the pen.
    state = a_state(ENTER, physical(120, "walk", target="desk"), physical(180, "take", object="notebook"), minutes=30)
    rows = live(state)
    ended = [row for row in rows if row["kind"] == "fact" and row["data"]["fact"] == "skill_ended"]
    taken = next(row for row in ended if row["data"]["doer"] == "visitor" and row["data"]["skill"] == "grasp")
    writing = next(row for row in ended if row["data"]["skill"] == "write" and row["tick"] >= taken["tick"])

    assert writing["tick"] == taken["tick"]
    assert (writing["data"]["data"]["result"], writing["data"]["data"]["failure"]) == ("failed", "disturbed")
    seen = [row for row in rows if row["kind"] == "percept" and row["tick"] == taken["tick"] and row["data"]["what"] == "act"]
    assert seen, "whose hands are robbed looks up and sees by whom"
