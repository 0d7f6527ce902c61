"""The loop of the mind: what waits is thought of when it may begin, and nothing is tried that can't be had."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from agent import hindrances
from agent.absorb import take_thing
from agent.arbiter import fallback
from agent.beliefs import ThingBelief
from agent.candidates import offers
from agent.commitments import Matter
from agent.hindrances import hindrance
from agent.params import DAY_MS
from agent.percept import UNKNOWN, Percept
from agent.planning import feasible, fits
from agent.reflection import reread_goals
from agent.request import Part, Request
from agent.round import think
from agent.skill import Command
from logs.reader import open_log
from sim.build import build
from sim.declare import declare
from sim.gateway_provider import Reply
from sim.gateway_scripted import Scripted
from sim.kernel import advance_alone, step
from sim.session import run_trial
from sim.state import State
from tests.makers import ENTER, a_declared, a_state, live, rows_of, say

WINDOW = say(180, "Please open the window.", mark="request", action="open", target="window")
FOR_THE_MUG = {"mark": "request", "action": "bring", "target": "mug"}
MUG = say(180, "Please bring me the mug.", **FOR_THE_MUG)


def times(rows: list[dict[str, Any]], task: str, state: str) -> list[int]:
    """Return the ticks at which *task* came to *state*."""
    return [row["tick"] for row in rows if row["kind"] == "task" and (row["data"]["task"], row["data"]["state"]) == (task, state)]


# --- A what waits behind something else


def test_what_was_agreed_to_is_begun_when_the_hold_of_what_she_does_is_over() -> None:
    rows = live(a_state(ENTER, WINDOW, minutes=60, start="16:55"))

    taken_on, begun = times(rows, "open_it", "taken_on")[0], times(rows, "open_it", "started")[0]

    assert begun - taken_on <= 4 * 600, "nobody waits longer than a hold lasts for what outweighs the rest"
    assert any("hold_over" in row["data"]["wakes"] for row in rows if row["kind"] == "round" and row["tick"] == begun)


def test_what_was_agreed_to_is_thought_of_again_when_it_is_due() -> None:
    rows = live(a_state(ENTER, WINDOW, minutes=60, persona="lin", start="11:00"))

    assert times(rows, "open_it", "started")[0] - times(rows, "open_it", "taken_on")[0] == 15 * 600


def test_the_end_of_a_hold_is_met_by_jumps_and_by_single_steps_alike() -> None:
    jumped, stepped = (a_state(ENTER, WINDOW, minutes=10, start="16:55") for _ in range(2))

    leaps = rows_of(advance_alone(jumped, 6_000))
    steps = rows_of([each for _ in range(6_001) for each in step(stepped, [])])

    assert leaps == steps
    assert jumped.digest() == stepped.digest()


# --- B what is for somebody who has left


def leave(at: int) -> dict[str, Any]:
    return {"id": f"leave{at}", "at": at, "channel": "physical", "op": "leave"}


def test_what_was_promised_to_who_has_left_is_not_begun_waits_and_is_given_up_openly() -> None:
    # Within the hold nothing of it is begun before the guest has gone.
    state = a_state(ENTER, MUG, leave(210), minutes=330, start="16:55")
    rows = live(state)

    assert times(rows, "bring_it", "taken_on")
    assert not times(rows, "bring_it", "started")
    dropped = [each for row in rows if row["kind"] == "round" for each in row["data"]["dropped"] if each[3] == "bring_it"]
    assert {each[-1] for each in dropped} == {"unable:person_away"}
    ends = [row["data"] for row in rows if row["kind"] == "task" and row["data"]["task"] == "bring_it"][1:]
    assert [(end["state"], end["reason"]) for end in ends] == [("given_up", "person_away")]
    assert not [key for key in state.mind.methods if key.startswith("bring_it")], "what was not tried teaches nothing"
    stances = [row["data"]["stance"] for row in rows if row["kind"] == "matter"]
    assert stances[-1] == "ended"


def test_what_was_promised_is_done_when_they_are_back() -> None:
    back = {"id": "back", "at": 3600, "channel": "physical", "op": "enter"}
    rows = live(a_state(ENTER, MUG, leave(210), back, minutes=120, start="16:55"))

    assert times(rows, "bring_it", "started")[0] >= 36_000
    assert times(rows, "bring_it", "done")


def test_what_is_under_way_for_who_leaves_is_put_aside_and_fails_nobody() -> None:
    state = a_state(ENTER, MUG, minutes=120, start="16:55")
    rows = live(state, 6_000)
    begun = times(rows, "bring_it", "started")[0]

    state = a_state(ENTER, MUG, leave(begun // 10 + 2), minutes=120, start="16:55")
    rows = live(state)

    assert times(rows, "bring_it", "paused")
    assert not times(rows, "bring_it", "failed")
    assert not [key for key in state.mind.methods if key.startswith("bring_it")]


def test_company_that_leaves_ends_the_talk_without_a_fault() -> None:
    entries = (ENTER, say(90, "Let us talk a little.", mark="request", action="talk"))
    begun = times(live(a_state(*entries, minutes=60)), "talk_with_visitor", "started")[0]

    state = a_state(*entries, leave(begun // 10 + 30), minutes=60)
    rows = live(state)

    assert times(rows, "talk_with_visitor", "paused")
    assert not times(rows, "talk_with_visitor", "failed")
    assert not [key for key in state.mind.methods if key.startswith("talk")]


# --- C a model that is not there


ASKED = [ENTER, WINDOW, *(say(180 + 900 * n, "Please bring me the mug.", **FOR_THE_MUG) for n in range(1, 4))]


class Dead(Scripted):
    """An endpoint at which nobody is; it counts the calls."""

    def __init__(self) -> None:
        super().__init__(7)
        self.asked: list[int] = []

    def ask(self, part: Part, request: Request, *, wall_cap_s: float = 20.0) -> Reply:
        assert part.id.startswith(request.id)
        assert wall_cap_s > 0
        self.asked.append(request.tick)
        return Reply(None, "connection")


def answered(tmp_path: Path, provider: Scripted, **overrides: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the result and the records of a life in which somebody asks for things."""
    asked = [{**each, "id": f"a{number}"} for number, each in enumerate(ASKED)]
    result = run_trial(a_declared(*asked, minutes=90, overrides=overrides), out=tmp_path / "life", provider=provider)
    with open_log(Path(result["log"])) as reader:
        return result, list(reader.records())


def stances(result: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["stance"], each["outcome"]) for each in result["interventions"] if each["channel"] == "dialogue"]


def test_a_dead_endpoint_lets_nobody_wait_longer_than_no_model_does(tmp_path: Path) -> None:
    dead, rows = answered(tmp_path / "dead", Dead(), **{"model.provider": "scripted"})
    none, _ = answered(tmp_path / "none", Scripted(7), **{"model.provider": "none"})

    assert stances(dead) == stances(none)
    assert dead["decisions"]["rule"] == 0, "nothing is put off by rule"
    assert "degraded" in dead["flags"]
    unasked = [row["data"] for row in rows if row["kind"] == "commit" and row["data"]["label"] == "breaker_open"]
    assert unasked
    assert {each["decided_by"] for each in unasked} <= {"deterministic", "clear"}


def test_whether_the_endpoint_is_back_is_tried_sparsely_and_found_out(tmp_path: Path) -> None:
    dead = Dead()
    _, rows = answered(tmp_path, dead, **{"model.provider": "scripted"})

    gaps = [later - sooner for sooner, later in pairwise(dead.asked[2:])]
    assert gaps
    assert all(gap >= 3_000 for gap in gaps)
    assert len([row for row in rows if row["kind"] == "request"]) == len(dead.asked), "what is not asked is no request"


def test_a_spent_budget_asks_no_more_decides_as_without_a_model_and_raises_the_flag(tmp_path: Path) -> None:
    result, rows = answered(tmp_path, Scripted(7), **{"model.provider": "scripted", "model.budget_requests": 1})

    assert "budget_spent" in result["flags"]
    assert len([row for row in rows if row["kind"] == "request"]) == 1
    assert any(row["data"]["label"] == "calls_spent" for row in rows if row["kind"] == "commit")
    assert result["decisions"]["fallback"] == result["decisions"]["rule"] == 0


def test_in_a_fallback_who_asks_is_answered_before_one_goes_on() -> None:
    state = a_state(ENTER, WINDOW, minutes=60, start="16:55")
    live(state, 1_823)
    state.mind.matters["mat-9"] = Matter("mat-9", state.mind.present[0], "request", "close", 0, "Close it.", state.tick)
    state.mind.matters["mat-9"].target = state.mind.tagged("window")[0]

    choice = fallback(state.mind, list(think(state.mind, ["fallback"]).ranked))

    assert state.mind.busy()
    assert (choice.matter, choice.act) == ("mat-9", "accept")


# --- D what fades unseen


def a_plant(state: State) -> ThingBelief:
    return state.mind.beliefs.things[state.mind.tagged("plant")[0]]


@pytest.mark.parametrize("persona", ["ada", "kai", "lin"])
def test_the_plant_of_a_week_lives_and_is_not_watered_all_day(persona: str) -> None:
    state = build(declare("week", seed=1, overrides={"persona": persona, "model.provider": "none"}))
    watered, driest = 0, 1000
    for _ in range(7):
        rows = live(state, max(state.tick, 0) + 864_000)
        watered += len(times(rows, "water_plant", "done"))
        driest = min(driest, state.room.things["plant"].props["moisture"])

    assert 3 <= watered <= 7
    assert driest >= 300


def test_what_was_felt_of_what_changes_by_itself_goes_out_of_date_and_forbids_nothing_any_more() -> None:
    state = a_state(minutes=30)
    live(state, 10)
    mind, plant = state.mind, a_plant(state)
    plant.props["moisture"], plant.felt["moisture"] = 1000, mind.tick
    water = mind.book.tasks["water_plant"].roles["plant"]
    ms = mind.book.fading["plant"]["moisture"].ms

    assert not fits(mind, water, plant.ordinal)
    mind.tick += mind.ticks(ms) - 1
    assert not fits(mind, water, plant.ordinal)
    mind.tick += 1
    assert fits(mind, water, plant.ordinal)
    assert any(one.task == "water_plant" and one.source == "observation" for one in offers(mind))


def test_a_wilted_plant_is_known_to_be_dry() -> None:
    state = a_state(minutes=30)
    live(state, 10)
    mind, plant = state.mind, a_plant(state)
    plant.props["moisture"] = 1000

    data = {"kind": "plant", "props": {"wilted": 1}}
    take_thing(mind, Percept(10_000, mind.tick, "thing", "sight", plant.ordinal, UNKNOWN, 10_000, data))

    assert plant.props["moisture"] == 0
    assert any(one.task == "water_plant" and one.source == "observation" for one in offers(mind))


def test_only_what_a_hand_alone_feels_and_what_moves_by_itself_fades() -> None:
    fading = a_state().mind.book.fading

    assert set(fading["plant"]) == {"moisture"}
    assert set(fading["kettle"]) == {"temperature"}
    assert set(fading["glass"]) == {"temperature"}
    assert not {"desk", "bread", "bin", "door"} & set(fading)


# --- E goals


def lead(state: State, days: int) -> list[tuple[str, str, str]]:
    """Read the goals again each night for so many *days* without a task; return what changed."""
    found = []
    for _ in range(days):
        state.mind.tick += state.mind.ticks(DAY_MS)
        found += reread_goals(state.mind)
    return found


def test_a_goal_for_which_nothing_is_ever_done_is_ended_once_and_for_all() -> None:
    state = a_state(minutes=30)
    live(state, 10)
    name = state.mind.persona["goals"][0]["id"]

    changed = [(to, why) for goal, to, why in lead(state, 120) if goal == name]

    assert changed == [
        ("paused", "no_task_in_seven_days"), ("active", "read_again"), ("paused", "no_task_in_seven_days"),
        ("ended", "still_nothing_to_do_for_it"),
    ]  # fmt: skip


def test_a_goal_for_which_nothing_can_be_done_is_not_taken_up_again() -> None:
    state = a_state(minutes=30)
    live(state, 10)
    mind = state.mind
    mind.persona = {**mind.persona, "goals": [{**mind.persona["goals"][0], "id": "sing", "tasks": ["talk_with_visitor"]}]}

    assert [to for _, to, _ in lead(state, 40)] == ["paused", "ended"]


def test_a_goal_that_is_acted_for_while_paused_is_active_again() -> None:
    state = a_state(minutes=30)
    live(state, 10)
    name = state.mind.persona["goals"][0]["id"]
    lead(state, 8)
    acted, moved = state.mind.goals[name][1:]
    assert acted < moved, "being paused is no task done for it"

    state.mind.tick += 600
    state.mind.goals[name] = ("paused", state.mind.tick, moved)
    assert (name, "active", "read_again") in reread_goals(state.mind)


# --- F what fails again and again

TAKES = [
    {"id": "walk", "at": 90, "channel": "physical", "op": "walk", "target": "photo"},
    {"id": "take", "at": 110, "channel": "physical", "op": "take", "object": "photo"},
]
THRICE = [say(at, "Please bring me the mug.", **FOR_THE_MUG, id=f"mug{at}") for at in (600, 1800, 3000)]


def failures(rows: list[dict[str, Any]], why: str) -> int:
    return sum(row["kind"] == "fact" and row["data"]["data"].get("failure") == why for row in rows)


def refusals(rows: list[dict[str, Any]]) -> list[str]:
    return [row["data"]["reason"] for row in rows if row["kind"] == "matter" and row["data"]["stance"] == "refused"]


def test_nothing_is_handed_to_whose_hands_are_seen_to_be_full_and_they_are_told_why() -> None:
    rows = live(a_state(ENTER, *TAKES, *THRICE, minutes=90, start="10:00"))

    assert failures(rows, "hands_full") == 0
    assert refusals(rows)[0] == "unable:hands_full"
    assert any("hands are full" in str(row["data"]["words"]) for row in rows if row["kind"] == "skill")


def test_what_was_refused_for_full_hands_is_done_when_they_are_free() -> None:
    frees = {"id": "frees", "at": 1200, "channel": "physical", "op": "put", "object": "photo", "target": "table"}
    rows = live(a_state(ENTER, *TAKES, *THRICE, frees, minutes=90, start="10:00"))

    assert refusals(rows)[0] == "unable:hands_full"
    assert times(rows, "bring_it", "done"), "as soon as the photo is seen on the table"


def test_a_cause_met_twice_is_not_met_a_third_time_though_it_is_not_seen() -> None:
    state = a_state(ENTER, minutes=90, start="10:00")
    live(state, 700)
    mind = state.mind
    guest, mug = mind.present[0], mind.tagged("kind:mug")[0]
    roles = {"object": mug, "person": guest}
    give = Command("cmd-9", "hand_over", (("object", mug), ("person", guest)))
    bring = mind.book.tasks["bring_it"]

    assert not hindrance(mind, bring, roles)
    for _ in range(2):
        hindrances.failed(mind, give, "hands_full")
    assert feasible(mind, bring, roles) == "hands_full"
    assert hindrance(mind, bring, {**roles, "object": mug + 1}) == "hands_full", "another thing in between changes nothing"

    hindrances.changed(mind, guest)
    assert not hindrance(mind, bring, roles)
