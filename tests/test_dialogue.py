"""Talk: counter-offers, conditions that come back, withdrawals, endings, favours asked; words alone move nothing."""

from __future__ import annotations

from typing import Any

import pytest

from agent.dialogue import meaning
from agent.favours import ask_favour, favours_wanted
from agent.percept import Percept
from agent.system2 import Favour
from sim.state import State
from tests.makers import ENTER, a_state, live, say

HELP = say(90, "Could you help me with the mug?", id="help")


def said(rows: list[dict[str, Any]], who: str = "resident") -> list[str]:
    return [
        row["data"]["data"]["words"]["text"] for row in rows
        if row["kind"] == "fact" and row["data"]["fact"] == "speech" and row["data"]["doer"] == who
    ]  # fmt: skip


def stances(rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(row["data"]["stance"], row["data"].get("reason", "")) for row in rows if row["kind"] == "matter" and row["id"] == "mat-1"]


def test_what_one_can_not_do_as_asked_is_answered_with_what_one_can() -> None:
    state = a_state(ENTER, HELP)
    rows = live(state, 1100)

    assert stances(rows)[-1][0] == "negotiating"
    assert "bring you the mug" in said(rows)[-1]
    assert next(iter(state.mind.matters.values())).offer["task"] == "bring_it"


@pytest.mark.parametrize(("answer", "stance"), [("Yes, please.", "accepted"), ("好的。", "accepted"), ("No, thank you.", "ended")])
def test_a_counter_offer_is_taken_or_declined_in_words(answer: str, stance: str) -> None:
    state = a_state(ENTER, HELP, say(110, answer))
    rows = live(state, 1200)

    assert stances(rows)[-1][0] == stance
    held = [each.task for each in state.mind.commitments.values() if each.matter == "mat-1"]
    assert held == (["bring_it"] if stance == "accepted" else [])


def test_a_counter_offer_that_nobody_answers_ends() -> None:
    rows = live(a_state(ENTER, HELP))

    assert stances(rows)[-1] == ("ended", "no_answer")


def test_a_yes_to_nothing_does_nothing() -> None:
    quiet, spoken = a_state(ENTER, say(90, "Hello.")), a_state(ENTER, say(90, "Yes, sure."))
    live(quiet, 1200)
    live(spoken, 1200)

    assert not spoken.mind.matters
    assert spoken.mind.commitments.keys() == quiet.mind.commitments.keys()


def test_what_is_withdrawn_is_cancelled_by_agreement_and_teaches_nothing() -> None:
    state = a_state(ENTER, say(90, "Could you open the window?"), say(96, "Never mind."))
    rows = live(state)

    assert ("ended", "withdrawn") in stances(rows)
    assert state.room.things["window"].props["open"] == 0
    assert set(next(iter(state.mind.relations.persons.values())).reliability.values()) == {500}


@pytest.mark.parametrize(("words", "answer"), [("Goodbye!", "Goodbye."), ("再见！", "再见。")])
def test_a_goodbye_gets_one_goodbye_in_its_language(words: str, answer: str) -> None:
    rows = live(a_state(ENTER, say(90, "Hello."), say(120, words), say(130, words)), 1500)

    assert said(rows).count(answer) == 1


def test_what_is_put_off_until_something_is_done_comes_back_when_it_is() -> None:
    state = a_state(ENTER, say(90, "Could you open the window?"))
    live(state, 910)
    current = state.mind.intention()
    assert current is not None
    matter = next(iter(state.mind.matters.values()), None)
    while matter is None:
        live(state, state.tick + 1)
        matter = next(iter(state.mind.matters.values()), None)
    for name in [each.id for each in state.mind.commitments.values() if each.matter]:
        del state.mind.commitments[name]
    matter.stance, matter.after, matter.due_tick, matter.commitment = "postponed", "com-gone", state.tick + 9000, ""
    rows = live(state, state.tick + 5)

    assert ("considering", "came_back") in stances(rows)


def jam(state: State) -> int:
    ordinal = state.veil.ordinals["drawer"]
    state.mind.beliefs.things[ordinal].props |= {"jammed": 1, "open": 0}
    return ordinal


def favours(rows: list[dict[str, Any]]) -> list[str]:
    return [row["data"]["state"] for row in rows if row["kind"] == "favour"]


def test_help_is_asked_for_and_silence_is_an_answer_that_costs_no_trust() -> None:
    state = a_state(ENTER)
    live(state, 590)
    jam(state)
    rows = live(state, 3000)

    assert favours(rows) == ["open", "silence"]
    assert "stuck" in said(rows)[0]
    assert set(next(iter(state.mind.relations.persons.values())).reliability.values()) == {500}


def test_who_never_answers_is_asked_ever_more_rarely_and_another_person_is_not_held_to_it() -> None:
    state = a_state(ENTER)
    live(state, 590)
    mind, ordinal = state.mind, jam(state)
    person, hours = 7, []
    mind.present = mind.hearing = (person,)
    for hour in range(24 * 14):
        if ("open", ordinal, person) in favours_wanted(mind):
            hours.append(hour)
            ask_favour(mind, person, "open", ordinal)
            mind.sys2.favours[-1].state = "silence"
            # What others are asked for meanwhile must not make one forget it.
            for other in range(30):
                mind.sys2.favours.append(Favour(person, "give", 1000 + other, mind.tick, mind.tick + 1, 1, "silence"))
        mind.tick += mind.ticks(3_600_000)

    assert hours == [0, 2, 6, 14, 30, 62, 126, 254]
    mind.present = mind.hearing = (person + 1,)
    assert ("open", ordinal, person + 1) in favours_wanted(mind)


def test_a_thing_is_asked_back_of_whom_holds_it() -> None:
    state = a_state(ENTER)
    live(state, 590)
    mind = state.mind
    thing = mind.beliefs.things[state.veil.ordinals["mug"]]
    thing.relation, thing.place = "held", 74
    mind.present = mind.hearing = (999, 74)
    assert ("give", thing.ordinal, 74) in favours_wanted(mind)


@pytest.mark.parametrize("words", ["Sorry, no.", "不行。"])
def test_a_refusal_of_help_is_taken_and_not_asked_again_soon(words: str) -> None:
    state = a_state(ENTER, say(90, words))
    live(state, 590)
    jam(state)
    rows = live(state)

    assert favours(rows) == ["open", "refused"]


def test_help_given_is_thanked_for_and_remembered_once() -> None:
    state = a_state(ENTER)
    live(state, 590)
    ordinal = jam(state)
    rows = live(state, 700)
    assert favours(rows) == ["open"]
    favour = state.mind.sys2.favours[0]
    from agent.absorb import take_act

    seen = {"skill": "open", "result": "ok", "things": (ordinal,)}
    act = Percept(9999, state.tick, "sight", "act", favour.person, favour.person, 9999, seen)
    assert take_act(state.mind, act) == "favour_done"
    assert take_act(state.mind, act) != "favour_done"
    state.mind.next_look_tick = state.tick + 1
    rows = live(state, 800)
    assert "Thank you." in said(rows)
    assert state.mind.relations.persons[favour.person].reliability["requests"] == 560


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("Okay.", "yes"), ("no", "no"), ("Nobody knows", ""), ("Forget it, please.", "withdraw"), ("bye", "farewell"), ("算了吧", "withdraw"),
     ("I know a song", ""), ("好的", "yes"), ("Yes, but there is something else that I would like to talk about first", "")],
)  # fmt: skip
def test_short_answers_are_heard_for_what_they_are(text: str, wanted: str) -> None:
    assert meaning(a_state().mind, text) == wanted


@pytest.mark.parametrize(
    ("wanted", "texts"),
    [
        ("yes", "Yes.|Yes, sure.|OK, one moment.|Sure, give me a second.|Of course!|Yes, here you are.|No problem!|Oh, all right then."),
        ("yes", "好。|好的，马上。|嗯，给你。|没问题，稍等一下。|好啊，我来吧。|行，我这就去拿。|当然可以。|嗯嗯，谢谢"),
        ("no", "No.|No, thank you.|No, not now.|I can't, I'm busy.|Sorry, no."),
        ("no", "不行。|不，谢谢。|抱歉，不行，我在忙。|不用了，谢谢|现在不行"),
        ("", "Yes, the weather is lovely today.|Yes, but not now.|Sure, which one?|Yes?|Yes and no.|Fine weather.|OK, what time is it?"),
        ("", "No wonder.|Not bad.|Oh no!|I can't wait!|No, open the window|No one is here."),
        ("", "好看的画|好像要下雨了|好久不见|好，但现在不行|好吗？|嗯，今天天气真好|可以看看这本书吗|行李在门口|要下雨了"),
        ("", "不错|不知道是谁|不太冷|不好意思，我来晚了|不是|不要打开盒子"),
    ],
)
def test_a_yes_or_a_no_is_the_whole_of_what_is_said(wanted: str, texts: str) -> None:
    mind = a_state().mind

    assert [meaning(mind, each) for each in texts.split("|")] == [wanted] * len(texts.split("|"))


@pytest.mark.parametrize(("answer", "state"), [("Sure, give me a second.", "promised"), ("Yes, the weather is lovely today.", "silence")])
def test_a_yes_that_goes_on_to_something_else_promises_nothing(answer: str, state: str) -> None:
    drawer = a_state(ENTER, say(70, answer))
    live(drawer, 590)
    jam(drawer)
    rows = live(drawer, 3000)

    assert state in favours(rows)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("That is kind of you, thank you.", "thanks"), ("Lovely, thanks a lot!", "thanks"), ("你真好，谢谢", "thanks"),
        ("No, thanks.", "no"), ("Yes please, thank you.", "yes"), ("好的，谢谢", "yes"), ("不用了，谢谢", "no"),
    ],
)  # fmt: skip
def test_thanks_may_stand_anywhere_and_never_hide_an_answer(text: str, said: str) -> None:
    assert meaning(a_state(minutes=5).mind, text) == said
