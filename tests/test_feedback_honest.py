"""What the visitor is told stays true: rows end once, ends have names of their own, and words claim nothing that is not so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from agent import ask_speak
from agent.absorb import _put_matter
from agent.acting import end, next_act, settle
from agent.commitments import Promise
from agent.favours import ask_favour, favours_wanted
from agent.needs import INDEX
from agent.percept import Percept
from agent.skill import Command
from agent.smalltalk import answer
from sim.state import ROW_ENDS, State
from tests.makers import ENTER, a_state, live, say
from tests.trials_cases import a_header
from trials.metrics import METRICS

MUG = "Please bring me the mug."


def told(rows: list[dict[str, Any]], name: str) -> list[tuple[str, str]]:
    """Return every (stance, outcome) that the row *name* ever showed."""
    return [(row["data"]["stance"], row["data"]["outcome"]) for row in rows if row["kind"] == "feedback" and row["id"] == name]


def said(rows: list[dict[str, Any]], who: str = "resident") -> list[str]:
    return [
        row["data"]["data"]["words"]["text"] for row in rows
        if row["kind"] == "fact" and row["data"]["fact"] == "speech" and row["data"]["doer"] == who
    ]  # fmt: skip


def measured(state: State, rows: list[dict[str, Any]]) -> Mapping[str, Any]:
    params = {"answer_within_ms": state.mind.params.answer_within_ms}
    return METRICS.measure(a_header(tick_ms=state.tick_ms, params=params), rows)


@pytest.fixture(scope="module")
def five_times() -> tuple[State, list[dict[str, Any]]]:
    """Return a life in which the same is asked five times, each time undone by the asker, and what came of it."""
    asked = [say(600 + 1200 * at, "Could you open the window, please?", id=f"ask{at}") for at in range(5)]
    undone = [{"at": 1500 + 1200 * at, "channel": "physical", "op": "close", "object": "window"} for at in range(5)]
    state = a_state(ENTER, *(each for pair in zip(asked, undone, strict=True) for each in pair), minutes=120, start="10:00")
    return state, live(state)


def ends(shown: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [each for each in shown if each[1] in ROW_ENDS or each[0] in ("refused", "ended")]


def test_a_row_that_has_ended_stays_as_it_ended(five_times: tuple[State, list[dict[str, Any]]]) -> None:
    _, rows = five_times
    shown = [told(rows, f"int-ask{at}") for at in range(5)]

    assert [len(set(ends(each))) for each in shown] == [1] * 5
    assert [each[-1] for each in shown] == [ends(each)[0] for each in shown], "nothing else is told of it later"
    assert shown[0][-1] == ("accepted", "done")
    assert ("accepted", "done") in shown[1], "asked again, it is taken on again, in a row of its own"


def test_the_metrics_count_askings_as_the_rows_tell_them(five_times: tuple[State, list[dict[str, Any]]]) -> None:
    state, rows = five_times
    found = measured(state, rows)
    shown = [[stance for stance, _ in told(rows, f"int-ask{at}") if stance not in ("", "considering")] for at in range(5)]

    assert found["feedback_honest"] == 1
    assert found["requests_put"] == 5
    assert found["requests_accepted"] == sum(each[0] == "accepted" for each in shown) / 5
    assert found["requests_refused"] == sum(each[0] == "refused" for each in shown) / 5
    assert found["requests_carried_out"] == 1
    assert found["dialogue_complied"] == sum("accepted" in each for each in shown) / 5


def test_a_row_told_otherwise_after_its_end_is_not_honest(five_times: tuple[State, list[dict[str, Any]]]) -> None:
    state, rows = five_times
    last = next(row for row in reversed(rows) if row["kind"] == "feedback" and row["id"] == "int-ask0")
    later = {**last, "data": {**last["data"], "stance": "refused", "outcome": ""}}

    assert measured(state, [*rows, later])["feedback_honest"] < 1


def test_more_askings_than_one_can_count_on_ten_fingers_all_get_their_end() -> None:
    asked = [say(200 + 40 * at, "Could you read the novel in ten minutes?", id=f"ask{at}") for at in range(12)]
    state = a_state(ENTER, *asked, minutes=60, extra="")
    rows = live(state)
    last = [told(rows, f"int-ask{at}")[-1] for at in range(12)]

    assert len(set(last)) == 1, last
    assert ends(last[:1])


# --- ends with names of their own ---------------------------------------------------------------------------------


def with_promise(text: str = MUG) -> tuple[State, list[dict[str, Any]]]:
    state = a_state(ENTER, say(200, text, id="ask"), minutes=40, start="10:00")
    rows = live(state, 2100)
    assert told(rows, "int-ask")[-1] == ("accepted", "in_progress")
    return state, rows


@pytest.mark.parametrize(("how", "reason", "words"), [
    ("given_up", "chosen", "About the mug: I am not going to do it after all."),
    ("replaced", "", "About the mug: I am doing something else instead."),
    ("failed", "no_progress", "About the mug: I could not do it."),
])  # fmt: skip
def test_what_is_not_done_is_told_by_its_name_and_owned_up_to(how: str, reason: str, words: str) -> None:
    state, _ = with_promise()
    kept = next(each for each in state.mind.commitments.values() if each.matter)
    end(state.mind, kept, how, reason)
    rows = live(state)

    assert told(rows, "int-ask")[-1] == ("ended", how)
    assert state.rows["int-ask"].why == (reason or "something_else")
    assert words in said(rows)


def test_what_is_withdrawn_is_called_off_and_nobody_has_failed() -> None:
    state = a_state(ENTER, say(200, MUG, id="ask"), say(205, "Never mind.", id="off"), minutes=20, start="10:00")
    rows = live(state)

    assert told(rows, "int-ask")[-1] == ("ended", "cancelled")
    assert state.rows["int-ask"].why == "withdrawn"
    assert (state.rows["int-off"].stance, state.rows["int-off"].outcome) == ("ended", "")
    assert measured(state, rows)["feedback_honest"] == 1
    assert not any("instead" in each or "after all" in each for each in said(rows))


def test_who_was_asked_to_sit_and_has_sat_down_has_done_it() -> None:
    state = a_state(ENTER, say(200, "Would you sit down with me?", id="sit"), say(700, MUG), minutes=60, start="10:00")
    rows = live(state)

    assert told(rows, "int-sit")[-1] == ("accepted", "done")


# --- words without a model ----------------------------------------------------------------------------------------


def answers(*sentences: str, **rest: Any) -> list[str]:
    """Return what is said to each of *sentences*, put a minute apart after a greeting."""
    state = a_state(ENTER, say(90, "Hello."), *(say(180 + 60 * at, text) for at, text in enumerate(sentences)), **rest)
    return [each for each in said(live(state)) if "stuck" not in each and "卡住" not in each]


def test_one_greets_once_and_then_answers() -> None:
    found = answers("Is it always so quiet here?", "Hello again!", "Have you lived here for long?", start="10:00")

    assert found.count("Hello.") == 1
    assert found.count("I heard you.") == 2


@pytest.mark.parametrize(("words", "need", "level", "answer_is"), [
    ("How are you today?", "satiety", 100, "I am very hungry."),
    ("Are you hungry?", "satiety", 100, "I am very hungry."),
    ("Are you a bit hungry?", "satiety", 500, "I am a little hungry."),
    ("Are you hungry?", "satiety", 900, "I am not hungry."),
    ("Are you cold?", "warmth", 200, "I am very cold."),
    ("你饿吗？", "satiety", 100, "我很饿。"),
    ("你最近怎么样？", "energy", 100, "我很累。"),
    ("你冷不冷？", "warmth", 900, "我不冷。"),
    ("Are you going to eat it cold?", "warmth", 100, "I heard you."),
    ("How are you going to do it?", "satiety", 100, "I heard you."),
    ("这本书怎么样？", "satiety", 100, "我听到了。"),
    ("Are you angry with me?", "satiety", 900, "I feel much as usual."),
    ("Please don't open the window.", "satiety", 900, "I heard you."),
    ("请不要关灯。", "satiety", 900, "我听到了。"),
    ("Where is the elephant?", "satiety", 900, "I don't know where that is."),
])  # fmt: skip
def test_a_question_about_oneself_is_answered_from_what_one_feels(words: str, need: str, level: int, answer_is: str) -> None:
    state = a_state(ENTER, say(90, "Hello."))
    live(state, 1000)
    mind = state.mind
    mind.felt = [900] * len(mind.felt)
    mind.felt[INDEX[need]] = level
    mind.interludes.clear()
    heard(state, words)

    assert (mind.interludes[-1].words or {})["text"] == answer_is


def heard(state: State, words: str, target: int = 0) -> None:
    """Let plain *words* of the visitor reach small talk."""
    mind = state.mind
    who = mind.hearing[0]
    data = {"text": words, "mark": "plain", "action": "", "target": target}
    answer(mind, Percept(9_000, mind.tick, "sound", "speech", what=who, doer=who, origin=9_000, data=data))


@pytest.mark.parametrize(("words", "start"), [("What time is it?", "It is about 10:0"), ("现在几点了？", "大约10:0")])
def test_the_time_is_told_as_one_takes_it_to_be(words: str, start: str) -> None:
    assert any(each.startswith(start) for each in answers(words, start="10:00", minutes=10))


def test_where_a_thing_is_comes_from_ones_own_beliefs() -> None:
    state = a_state(ENTER, say(90, "Hello."))
    live(state, 1000)
    mug = next(each for each in state.mind.tagged("kind:mug"))
    thing = state.mind.beliefs.things[mug]
    thing.relation, thing.place, thing.cell = "on", next(iter(state.mind.tagged("kind:desk"))), -1
    heard(state, "Where is the mug?")
    thing.relation, thing.place = "unknown", 0
    heard(state, "Have you seen the mug?")
    found = [(each.words or {})["text"] for each in state.mind.interludes]

    assert found[-2:] == ["As far as I know, the mug is on the desk.", "I don't know where the mug is."]
    assert state.room.things["mug"].place != "desk", "it tells what it believes, not what is so"


def test_who_asks_to_stop_hears_nothing_that_does_not_come_true() -> None:
    state = a_state(ENTER, say(90, "Hello."), say(200, "Please stop reading."), start="10:00", minutes=10)
    rows = live(state)

    assert "I heard you. I would rather finish this first." in said(rows)
    assert [row["data"]["state"] for row in rows if row["kind"] == "task" and row["data"]["task"] == "read_book"][:1] == ["started"]


def test_the_same_sentence_again_is_not_answered_again_at_once() -> None:
    assert answers(*["Is it always so quiet here?"] * 3, minutes=10, start="10:00").count("I heard you.") == 1


def test_every_asking_of_the_same_gets_an_answer_in_any_state() -> None:
    state, _ = with_promise()
    mind = state.mind
    matter = next(iter(mind.matters.values()))
    kept = mind.commitments[matter.commitment]
    for state_of, words in (("pending", "I have not forgotten it."), ("current", "I am at it.")):
        mind.interludes.clear()
        matter.said, matter.told_tick = 0, -1
        mind.current = kept.id if state_of == "current" else ""
        asked_again(state, matter.text, matter.action, matter.target)
        assert [(each.words or {})["text"] for each in mind.interludes] == [words]


def asked_again(state: State, text: str, action: str, target: int) -> None:
    """Let the visitor put a request of the mind's own making."""
    who, tick = state.mind.hearing[0], state.mind.tick
    data = {"text": text, "mark": "request", "action": action, "target": target}
    _put_matter(state.mind, Percept(9_001, tick, "sound", "speech", what=who, doer=who, origin=9_001, data=data), "request", action, target)


def test_asking_again_and_again_is_answered_once_in_a_while() -> None:
    state, _ = with_promise()
    matter = next(iter(state.mind.matters.values()))
    state.mind.interludes.clear()
    for _ in range(20):
        asked_again(state, matter.text, matter.action, matter.target)

    assert 1 <= len(state.mind.interludes) <= 4


def test_a_late_answer_names_what_it_is_about_when_another_was_given_meanwhile() -> None:
    state, _ = with_promise()
    mind = state.mind
    first = next(iter(mind.matters.values()))
    asked_again(state, "Please open the window.", "open", next(iter(mind.tagged("kind:window"))))
    second = list(mind.matters.values())[-1]
    second.asked_tick, first.answered_tick = mind.tick - 50, mind.tick - 20
    mind.interludes.clear()
    settle(mind, second, "refuse", None)

    assert (mind.interludes[-1].words or {})["text"] == "About the window: No, I would rather not."


def test_an_answer_that_had_to_wait_names_what_it_is_about_when_something_else_was_asked_since() -> None:
    state, _ = with_promise()
    mind = state.mind
    first = next(iter(mind.matters.values()))
    mind.interludes.clear()
    asked_again(state, first.text, first.action, first.target)
    waiting = mind.interludes[-1]
    mind.tick += 10
    asked_again(state, "Please open the window.", "open", next(iter(mind.tagged("kind:window"))))
    mind.doing, mind.interludes[:] = None, [waiting]
    command = next_act(mind)

    assert isinstance(command, Command)
    assert (command.words or {})["text"].startswith("About the mug: ")


def test_a_withdrawal_is_acknowledged_as_what_it_is() -> None:
    asked = [say(200, MUG), say(204, "Please open the window."), say(208, "Never mind the mug.")]
    found = said(live(a_state(ENTER, *asked, minutes=20, start="10:00")))

    assert "I see." in found
    assert not [each for each in found if each.startswith("About") and each.endswith("I see.")]


def test_a_model_may_word_what_is_answered_to_plain_words() -> None:
    state = a_state(ENTER, say(90, "Hello."))
    live(state, 1000)
    mind = state.mind
    mind.interludes.clear()
    heard(state, "What time is it?")
    question = ask_speak.wanted(mind)

    assert question is not None
    drafted = ask_speak.draft(mind, question)
    assert drafted.refs["stances"] == ("answer",)
    assert drafted.rows[0]["text"].startswith("It is about ")
    assert drafted.heard == "What time is it?"


def test_a_favour_is_asked_in_the_language_that_was_heard_last() -> None:
    state = a_state(ENTER, say(90, "你好。"), persona="ada")
    live(state, 1100)
    mind = state.mind
    mind.interludes.clear()
    ask_favour(mind, mind.hearing[0], "give", next(iter(mind.tagged("kind:mug"))))

    assert mind.persona["language"] == "en"
    assert (mind.interludes[-1].words or {})["language"] == "zh"


def test_what_somebody_has_promised_to_bring_back_is_not_asked_back() -> None:
    walk = {"at": 90, "channel": "physical", "op": "walk", "target": "photo"}
    state = a_state(ENTER, walk, {"at": 110, "channel": "physical", "op": "take", "object": "photo"}, start="10:00")
    live(state, 1130)
    mind = state.mind
    mind.sys2.favours.clear()
    action, photo, who = next(each for each in favours_wanted(mind) if each[0] == "give")
    mind.promises.append(Promise(who, "bring", photo, mind.tick, mind.tick + 5000, 9_003))

    assert action == "give"
    assert not [each for each in favours_wanted(mind) if each[:2] == ("give", photo)]


def test_who_speaks_to_somebody_asleep_is_told_that_they_sleep() -> None:
    state = a_state(ENTER, say(61, "Hello.", id="deaf"), minutes=5)
    live(state, 605)
    state.room.bodies["resident"].asleep = True
    live(state, 615)
    told = state.rows["int-deaf"]

    assert (told.outcome, told.why) == ("failed", "asleep")
