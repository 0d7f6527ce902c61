"""For later: what is asked for at a time, or after something, is agreed on now and done then."""

from __future__ import annotations

from typing import Any

import pytest

from agent import waits
from tests.makers import ENTER, a_state, live, say
from tests.test_dialogue import said

TEN_MINUTES = 6000  # ticks


def done_tick(rows: list[dict[str, Any]], task: str, state: str = "done") -> int:
    tasks = (row for row in rows if row["kind"] == "task")
    return next((row["tick"] for row in tasks if (row["data"]["task"], row["data"]["state"]) == (task, state)), -1)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("Could you bring me the mug in ten minutes?", "All right, in about 10 minutes."),
        ("十分钟后把马克杯拿给我好吗？", "好，大约10分钟以后做。"),
    ],
)
def test_what_is_asked_for_later_is_agreed_on_and_begun_at_its_time(words: str, answer: str) -> None:
    rows = live(a_state(ENTER, say(80, words), minutes=20))

    assert answer in said(rows)
    assert 800 + TEN_MINUTES <= done_tick(rows, "bring_it", "started") <= 840 + TEN_MINUTES
    assert done_tick(rows, "bring_it") > 0


def test_what_waits_for_a_meal_is_done_after_it() -> None:
    rows = live(a_state(ENTER, say(80, "等你吃完饭，把窗户打开好吗？"), start="18:00", minutes=90))
    eaten = next(row["tick"] for row in rows if row["kind"] == "note" and row["data"].get("what") == "condition_met")

    assert "好，之后我来做。" in said(rows)
    assert done_tick(rows, "eat_cold_meal") == eaten
    assert eaten <= done_tick(rows, "open_it", "started") < eaten + 600


def test_what_waits_for_the_resident_to_be_free_waits_for_the_end_of_what_it_does() -> None:
    state = a_state(ENTER, say(80, "When you have a minute, could you bring me the notebook?"))
    live(state, 900)
    held = next(each for each in state.mind.commitments.values() if each.matter)

    assert waits.waiting(state.mind, held)
    waits.met(state.mind, "read_book", done=False)
    assert not waits.waiting(state.mind, held)


@pytest.mark.parametrize(
    ("code", "ticks"),
    [("in:600000", 6000), ("later", 6000), ("oclock:21600000", 18_000), ("at:68400000", 54_000), ("at:63000000", 0), ("x:1", 0), ("", 0)],
)
def test_a_moment_is_resolved_by_the_resident_s_own_clock(code: str, ticks: int) -> None:
    mind = a_state(start="17:30").mind  # 17:30 is 63,000,000 ms after midnight
    mind.clock_ms = 63_000_000

    assert waits.resolved(mind, code) == (f"at:{mind.tick + ticks}" if ticks else "")


def test_tomorrow_is_a_day_away() -> None:
    mind = a_state().mind
    mind.clock_ms = 20 * 3_600_000

    assert waits.resolved(mind, f"at:{33 * 3_600_000}") == f"at:{mind.tick + 13 * 36_000}"


def test_a_withdrawn_request_for_later_is_not_done() -> None:
    state = a_state(ENTER, say(80, "Please open the window in five minutes."), say(100, "Never mind."), minutes=15)
    rows = live(state)

    assert done_tick(rows, "open_it", "started") < 0
    assert state.room.things["window"].props["open"] == 0


def test_who_takes_back_one_of_two_things_keeps_the_other() -> None:
    asked = say(80, "Please open the window in ten minutes."), say(100, "Please bring me the mug in ten minutes.")
    state = a_state(ENTER, *asked, say(120, "Never mind the window."), minutes=20)
    rows = live(state)

    assert done_tick(rows, "bring_it") > 0
    assert state.room.things["window"].props["open"] == 0


def test_a_request_that_can_t_be_read_is_not_agreed_to() -> None:
    rows = live(a_state(ENTER, say(80, "Could you fly to the moon?"), say(200, "请唱首歌。"), minutes=8))

    assert "I can't do that." in said(rows)
    assert "这个我做不到。" in said(rows)


def test_what_was_given_on_request_is_not_asked_back_at_once() -> None:
    rows = live(a_state(ENTER, say(80, "Please bring me the mug."), minutes=45))

    assert done_tick(rows, "bring_it") > 0
    assert not any("back" in words for words in said(rows))


def test_thanks_and_insults_are_answered_once_and_move_no_trust() -> None:
    state = a_state(ENTER, say(80, "Thank you!"), say(120, "You're an idiot."), say(150, "你这个白痴"), minutes=8)
    rows = live(state)

    assert said(rows).count("You are welcome.") == 1
    assert said(rows).count("Please don't talk to me like that.") == 1
    assert set(next(iter(state.mind.relations.persons.values())).reliability.values()) == {500}
