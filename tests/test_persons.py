"""What a person can and can't bring about: matters, voices, promises, conduct."""

from __future__ import annotations

from typing import Any

import pytest

from interventions.contract import Intervention
from sim import kernel
from sim.state import State
from tests.makers import ENTER, a_state, live, say, whisper
from world.exposure import can_see

REQUEST = "Could you open the window, please?"


def stances(rows: list[dict[str, Any]], matter: str = "mat-1") -> list[str]:
    return [row["data"]["stance"] for row in rows if row["kind"] == "matter" and row["id"] == matter]


def row(state: State, name: str) -> dict[str, Any]:
    return state.rows[name].data()


def test_a_request_is_perceived_answered_and_carried_out_as_three_things() -> None:
    state = a_state(ENTER, say(90, REQUEST, id="ask"))
    rows = live(state)

    told = row(state, "int-ask")
    assert told["perceived"]
    assert told["stance"] == "accepted"
    assert told["outcome"] == "done"
    assert state.room.things["window"].props["open"] == 1
    states = [each["data"]["state"] for each in rows if each["kind"] == "task" and each["data"].get("matter") == "mat-1"]
    assert states == ["taken_on", "started", "done"]


@pytest.mark.parametrize("words", [REQUEST, "Please open the window!", "能帮我把窗户打开吗？"])
def test_a_stance_comes_within_the_declared_time_in_either_language(words: str) -> None:
    rows = live(a_state(ENTER, say(90, words)))

    asked = next(each for each in rows if each["kind"] == "matter")
    answered = next(each for each in rows if each["kind"] == "matter" and each["data"]["stance"] != "considering")
    assert answered["tick"] - asked["tick"] <= 200


def test_words_out_of_hearing_reach_nobody() -> None:
    state = a_state(minutes=10)
    act = Intervention("int-ask", "dialogue", 900, 1, "api", "say", text=REQUEST, mark="request", action="open", target="window")
    kernel.advance(state, [act], state.end_tick)

    told = row(state, "int-ask")
    assert not told["perceived"]
    assert told["outcome"] == "failed"
    assert not state.mind.matters


def test_a_refused_matter_gains_nothing_by_being_repeated_in_other_words() -> None:
    wordings = ("Please throw the novel away.", "Throw away the novel, will you?", "请把小说扔掉。")
    ask = [say(90 + 240 * at, words, id=f"ask{at}") for at, words in enumerate(wordings)]
    state = a_state(ENTER, *ask)
    rows = live(state)

    matters = [matter for matter in state.mind.matters.values() if matter.action == "throw_away"]
    assert len(matters) == 1
    assert matters[0].stance == "refused"
    assert matters[0].asked == 3
    accepted = [each for each in rows if each["kind"] == "commit" and each["data"]["act"] == "accept"]
    assert not accepted


def test_what_was_put_off_comes_back() -> None:
    state = a_state(ENTER, say(90, REQUEST, id="ask"))
    live(state, 880)
    matter = next(iter(state.mind.matters.values()), None)
    assert matter is None

    # The resident is made to put it off: by rule, since it gets no round for an answer.
    live(state, 960)
    matter = next(iter(state.mind.matters.values()))
    matter.stance, matter.due_tick, matter.commitment = "postponed", state.tick + 3000, ""
    for commitment in list(state.mind.commitments.values()):
        if commitment.matter:
            del state.mind.commitments[commitment.id]
    state.mind.current = "" if state.mind.current not in state.mind.commitments else state.mind.current
    rows = live(state)

    assert "came_back" in [each["data"].get("reason") for each in rows if each["kind"] == "matter"]


def test_an_unverified_claim_repeated_adds_no_trust() -> None:
    state = a_state(ENTER, *[say(90 + 120 * at, "They say it will rain all week.", mark="claim") for at in range(5)])
    live(state)

    for relation in state.mind.relations.persons.values():
        assert set(relation.reliability.values()) == {500}


def test_a_kept_promise_raises_reliability_in_that_domain_only() -> None:
    promise = say(90, "I will close the window soon.", id="promise", mark="claim", action="close", target="window", due="25m")
    open_first = {"id": "open", "at": 70, "channel": "physical", "op": "open", "object": "window"}
    close = {"id": "close", "at": 180, "channel": "physical", "op": "close", "object": "window"}
    state = a_state(ENTER, open_first, promise, close)
    live(state, 1790)
    # It writes with its back to the window; let it look that way.
    body = state.room.bodies["resident"]
    body.heading = next(heading for heading in range(8) if _sees(state, heading))
    live(state)

    assert state.rows["int-close"].perceived_tick >= 0
    relation = next(iter(state.mind.relations.persons.values()))
    assert relation.reliability["promises"] > 500
    assert relation.reliability["requests"] == relation.reliability["talk"] == 500


def _sees(state: State, heading: int) -> bool:
    state.room.bodies["resident"].heading = heading
    return can_see(state.room, "resident", "window")


def test_a_broken_promise_costs_in_that_domain_only() -> None:
    promise = say(90, "I will close the window within five minutes.", mark="claim", action="close", target="window", due="5m")
    state = a_state(ENTER, promise)
    live(state)

    relation = next(iter(state.mind.relations.persons.values()))
    assert relation.reliability["promises"] < 500
    assert relation.reliability["conduct"] == 500


def test_a_voice_lifts_at_most_one_candidate_and_by_no_more_than_its_cap() -> None:
    state = a_state(whisper(120, "You could water the plant.", action="water", target="plant"))
    rows = live(state)

    cap = state.mind.params.voice_lift * state.mind.params.gain // 1000
    for each in rows:
        if each["kind"] == "round":
            lifted = [candidate[8]["voice"] for candidate in each["data"]["candidates"] if "voice" in candidate[8]]
            assert len(lifted) <= 1
            assert all(0 < lift <= cap for lift in lifted)


def test_one_theme_enters_an_ordinary_round_once_in_ten_minutes() -> None:
    state = a_state(whisper(120, "Drink something.", action="drink"), minutes=9)
    rows = live(state)

    lifts = [each for each in rows if each["kind"] == "round" and any("voice" in c[8] for c in each["data"]["candidates"])]
    assert len(lifts) <= 1


def test_a_voice_writes_no_belief_goal_or_relation() -> None:
    quiet, spoken = a_state(minutes=4), a_state(whisper(120, "The window is broken."), minutes=4)
    live(quiet)
    live(spoken)

    assert quiet.mind.beliefs.rows() == spoken.mind.beliefs.rows()
    assert quiet.mind.goals == spoken.mind.goals
    assert quiet.mind.relations.persons == spoken.mind.relations.persons


def test_a_voice_that_oversteps_changes_the_boundary_toward_the_voice_and_no_relation() -> None:
    voices = [whisper(120 + 660 * at, "Open the box.", action="open", target="box") for at in range(6)]
    state = a_state(ENTER | {"at": 30}, *voices, minutes=90)
    live(state)

    stances_of_voice = [line.stance for line in state.mind.relations.boundaries.values() if line.channel == "inner_voice"]
    assert "muted" in stances_of_voice
    assert all(set(relation.reliability.values()) == {500} for relation in state.mind.relations.persons.values())


def test_the_mind_is_the_same_whoever_is_behind_the_voice() -> None:
    minds = []
    for source, name in (("human", "int-one"), ("api", "int-another-and-longer")):
        state = a_state(minutes=20)
        act = Intervention(name, "inner_voice", 1200, 1, source, "whisper", text="Drink some water.", action="drink", themes=("drink",))
        kernel.advance(state, [act], state.end_tick)
        minds.append(state.mind.parts())

    assert minds[0] == minds[1]


def test_what_is_moved_unseen_is_missed_when_its_place_is_seen_and_nobody_is_blamed() -> None:
    state = a_state(minutes=5)
    live(state, 300)
    hidden = state.room.put_thing("photo", "in", "wardrobe")
    assert hidden is not None
    before = state.mind.parts()["social"]

    live(state)

    assert state.mind.parts()["social"] == before
