"""Waiting for what was promised: with free hands, as long as it can still come, and never before what the body needs."""

from __future__ import annotations

from typing import Any

import pytest

from agent.mind import Mind
from sim.state import State
from tests.makers import ENTER, a_state, live, say
from tests.test_cases_lives import make

PROMISED = 2174
"""The tick of the promise in these visits: the mug is taken, asked back, and "Yes." is said."""
DUE = PROMISED + 1200


def physical(at: int, op: str, **roles: str) -> dict[str, Any]:
    return {"at": at, "channel": "physical", "op": op, **roles}


def a_promise(*more: dict[str, Any], minutes: int = 20) -> State:
    promise = (ENTER, physical(62, "take", object="mug"), say(200, "Hello."), say(215, "Yes."))
    return a_state(*promise, *more, minutes=minutes)


def of_task(rows: list[dict[str, Any]], task: str = "receive_it") -> list[tuple[str, int]]:
    return [(row["data"]["state"], row["tick"]) for row in rows if row["kind"] == "task" and row["data"]["task"] == task]


def learned(mind: Mind) -> list[str]:
    return [one.outcome for one in mind.memory.items[:] if one.action == "receive_it"]


def test_what_is_given_ends_the_waiting_and_is_learned_once() -> None:
    state = a_promise(physical(240, "hand_over", object="mug"))
    rows = live(state, 2800)

    assert [what for what, _ in of_task(rows)] == ["started", "done"]
    assert learned(state.mind) == ["done"]


def test_a_promise_not_kept_ends_with_its_time_and_teaches_no_success() -> None:
    state = a_promise()

    assert of_task(live(state, 5000)) == [("started", PROMISED), ("cancelled", DUE)]
    assert learned(state.mind) == []


def test_to_say_yes_again_gives_no_more_time() -> None:
    again = [say(300 + 90 * number, words, id=f"y{number}") for number, words in enumerate(["Yes.", "Yes, it is nice weather.", "Yes."])]
    state = a_promise(*again)

    assert of_task(live(state)) == [("started", PROMISED), ("cancelled", DUE)]
    assert learned(state.mind) == []


@pytest.mark.parametrize(
    "act",
    [
        physical(225, "leave"),
        physical(225, "put", object="mug", target="counter"),
        physical(225, "put", object="mug", target="bin"),
    ],
    ids=["leaves", "home", "bin"],
)
def test_what_can_no_longer_come_is_not_waited_for(act: dict[str, Any]) -> None:
    found = of_task(live(a_promise(act), DUE + 600))

    assert [what for what, _ in found] == ["started", "cancelled"]
    assert found[1][1] < 2700, "within half a minute of it"


@pytest.mark.parametrize("need", ["bladder", "hydration", "energy"])
@pytest.mark.parametrize("start", ["15:00", "17:30"])
@pytest.mark.parametrize("promised", [False, True])
def test_what_is_critical_is_seen_to_at_once_with_a_visitor_and_with_a_promise(need: str, start: str, promised: bool) -> None:
    promise = (physical(62, "take", object="mug"), say(215, "Yes."), say(300, "Yes.", id="again")) if promised else ()
    state = a_state(ENTER, say(200, "Hello.", id="hello"), *promise, minutes=20, start=start)
    live(state, 2250)
    make(state, need, 140)
    helps = [name for name, task in state.mind.book.tasks.items() if need in task.needs]
    began = [
        row["tick"] for row in live(state)
        if row["kind"] == "task" and row["data"]["state"] in ("started", "resumed") and row["data"]["task"] in helps
    ]  # fmt: skip

    assert began, "it is seen to"
    assert began[0] <= 2250 + 100, "within ten seconds"


def test_the_waiting_is_not_offered_beside_itself() -> None:
    talk = [say(225 + 20 * number, words, id=f"t{number}") for number, words in enumerate(["It is warm.", "The tea is good.", "It rains."])]
    rounds = [row["data"] for row in live(a_promise(*talk), DUE) if row["kind"] == "round" and row["tick"] >= PROMISED]
    offered = [[one[2] for one in data["candidates"] if one[3] == "receive_it"] for data in rounds]

    assert ["start"] in offered
    assert all(len(each) <= 1 for each in offered)


@pytest.mark.parametrize("promised", [False, True])
def test_what_is_laid_down_again_is_no_silence_and_asked_for_no_longer(promised: bool) -> None:
    yes = [say(215, "Yes.")] if promised else []
    taken, laid = physical(62, "take", object="mug"), physical(225, "put", object="mug", target="table")
    state = a_state(ENTER, taken, say(200, "Hello."), *yes, laid, minutes=20)
    rows = live(state, DUE + 600)
    found = [(row["data"]["state"], row["tick"]) for row in rows if row["kind"] == "favour" and row["data"]["action"] == "give"]

    assert [what for what, _ in found] == ["open", *(["promised"] if promised else []), "moot"]
    assert found[-1][1] < 2400, "as soon as it is seen, not when the time is over"
    assert [one.outcome for one in state.mind.memory.items[:] if one.kind == "help" and one.action == "give"] == ["moot"]
