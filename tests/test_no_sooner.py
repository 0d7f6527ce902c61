"""Nothing but what is perceived moves the resident's clock of thought; and what the intake read reaches it by every way in."""

from __future__ import annotations

from typing import Any

import pytest

from sim.simulation import Simulation
from tests.makers import ENTER, a_state, live, say


def a_visit() -> Simulation:
    made = Simulation("free_play", seed=1, overrides={"model.provider": "none"})
    made.reset()
    made.act("physical", "enter")
    made.act("physical", "walk", target="table")
    made.advance(seconds=30)
    return made


def rounds(rows: list[dict[str, Any]]) -> list[tuple[int, Any]]:
    return [(row["tick"], row["data"]["wakes"]) for row in rows if row["kind"] == "round"]


def test_an_act_refused_at_the_gate_hastens_no_thought() -> None:
    found = []
    for denied in (False, True):
        visit = a_visit()
        visit.act("dialogue", "say", text="Could you close the window?")
        rows = visit.advance(seconds=5)
        if denied:
            visit.act("physical", "open", object="no_such_thing")
        found.append(rounds(rows + visit.advance(minutes=10)))

    assert found[0] == found[1]


def test_that_somebody_slipped_out_unseen_is_not_known() -> None:
    from sim import veil as veils

    state = a_state(ENTER, say(120, "Hello."), minutes=60)
    live(state, 1300)
    before = veils.observe(state.veil, state.room, ()).hearing
    state.room.bodies["resident"].heading = (state.room.bodies["resident"].heading + 4) % 8
    del state.room.bodies["visitor"]

    assert before
    assert veils.observe(state.veil, state.room, ()).hearing == before


def test_a_place_and_a_time_reach_the_resident_by_the_python_way_too() -> None:
    visit = a_visit()
    visit.act("dialogue", "say", text="Please put the novel on the table.")
    visit.act("dialogue", "say", text="Please water the plant in 30 minutes.")
    rows = visit.advance(minutes=3)
    given = [row["data"]["data"] for row in rows if row["kind"] == "input"]
    visit.advance(minutes=22)

    assert [("place" in each, "wait" in each) for each in given] == [(True, False), (False, True)]
    assert visit.session.state.room.things["novel"].place == "table"


def test_after_a_restore_the_next_act_has_an_id_of_its_own() -> None:
    visit = a_visit()
    saved = visit.snapshot()
    visit.act("dialogue", "say", text="Hello.")
    visit.advance(seconds=5)
    visit.restore(saved)
    name = visit.act("dialogue", "say", text="How are you?")
    visit.advance(seconds=5)

    assert next(each for each in visit.feedback() if each["id"] == name)["receipt"] == "accepted"


@pytest.mark.parametrize("what", [{"text": None}, {"due_ms": "a"}, {"object": ["mug"]}])
def test_an_act_of_the_wrong_kind_is_refused_at_once(what: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(what))):
        a_visit().act("dialogue", "say", **what)


def test_asked_again_after_an_agreed_moment_it_is_done_and_not_overdue() -> None:
    state = a_state(
        ENTER, say(300, "Please water the plant in 10 minutes.", id="a"), say(5 * 3600, "Please water the plant.", id="b"),
        minutes=400, start="09:00",
    )  # fmt: skip
    live(state)

    assert state.rows["int-b"].outcome == "done", state.rows["int-b"].why


def test_questions_do_not_use_up_the_patience_of_a_wait() -> None:
    state = a_state(ENTER, say(120, "Hello."), minutes=60)
    live(state, 1400)
    current = state.mind.intention()
    assert current is not None
    from agent.acting import outcome
    from agent.percept import SELF, Percept
    from agent.skill import Command

    current.waits, current.seeks = 3, 3
    state.mind.doing, state.mind.doing_for = Command("cmd-x", "wait"), current.id
    told = {"command": "cmd-x", "result": "stopped", "failure": "to_speak"}
    outcome(state.mind, Percept(1, state.tick, "body", "outcome", SELF, SELF, data=told))

    assert (current.waits, current.seeks) == (2, 2)
