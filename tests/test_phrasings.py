"""Everyday phrasings, collected before the reader of words was looked at: how many it reads as people mean them.

A row of tests/data/phrasings: the words, then kinds, actions and things that would do, separated by bars. A claim needs no action,
and of plain words only the kind counts. The floor is what is reached; what is missed is safe, for it stays unread or plain.

Those of `own` were looked at while the reader was written. Those of `fresh` were first read when it was done, and were then read
as they are meant in 86 of 100 (Chinese) and 90 of 100 (English); the floor is what is reached since. Those of `others` were
written by somebody who had never seen the reader, and were first read as they are meant in 90 (English) and 94 (Chinese) of 120;
those of `rounds` were written sixty at a time while it was mended for them, each sixty read once before the mending: 31, 43, 54,
51, 41, 58 (English), 35, 50, 50, 55, 45, 53 (Chinese). A fifth column names where the thing is to be put. Those of `never` tell, ask
and thank in words that also name doings, or ask in every polite frame that something be left undone or as it is.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from interventions.contract import DIALOGUE, Intervention
from interventions.intake import settle
from interventions.lexicon import read
from tests.makers import a_state

FOLDER = Path(__file__).parent / "data/phrasings"
NAMES = {
    "novel": "book", "poems": "book", "letter_6": "letter", "desk_chair": "chair", "desk_lamp": "lamp", "letter_paper": "paper",
    "jacket": "clothes",
}  # the room's own words for a kind


FLOORS = [
    ("en.tsv", 95), ("zh.tsv", 86), ("zh_more.tsv", 82), ("en_own.tsv", 94), ("zh_own.tsv", 96), ("en_fresh.tsv", 96), ("zh_fresh.tsv", 95),
    ("en_others.tsv", 98), ("zh_others.tsv", 95), ("en_rounds.tsv", 95), ("zh_rounds.tsv", 92),
]  # fmt: skip


def rows(name: str) -> list[list[str]]:
    return [[*line.split("\t"), ""][:5] for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def hit(row: list[str], names: dict[str, str]) -> bool:
    text, marks, actions, targets, _ = row
    found = read(text, names)
    if found.mark not in marks.split("|"):
        return False
    if found.mark == "plain":
        return True
    action = found.action in actions.split("|") or (found.mark == "claim" and not found.own)
    return action and (found.target in targets.split("|") or NAMES.get(found.target, found.target) in targets.split("|"))


@pytest.mark.parametrize(("name", "floor"), FLOORS)
def test_most_everyday_phrasings_are_read_as_they_are_meant(name: str, floor: int) -> None:
    names = dict(a_state()._names)
    found = [hit(row, names) for row in rows(name)]

    assert 100 * sum(found) // len(found) >= floor


@pytest.mark.parametrize("name", ["en_others.tsv", "zh_others.tsv", "en_rounds.tsv", "zh_rounds.tsv"])
def test_where_a_thing_is_wanted_is_mostly_read(name: str) -> None:
    names = dict(a_state()._names)
    placed = [row for row in rows(name) if row[4]]
    found = [read(row[0], names).place == row[4] for row in placed]

    assert 100 * sum(found) // len(found) >= 75


def test_what_is_told_asked_or_thanked_for_is_never_read_as_a_request_to_do_something() -> None:
    names = dict(a_state()._names)
    files = [name for name, _ in FLOORS] + ["never.tsv"]
    acting = ("request", "suggestion")
    told = [row[0] for name in files for row in rows(name) if not set(row[1].split("|")) & set(acting)]
    found = {text: read(text, names) for text in told}

    assert len(told) > 500
    assert [text for text, each in found.items() if each.mark in acting and each.action and not each.negated] == []


SAID = Intervention("int-1", DIALOGUE, 0, 0, "human", "say")


def settled(text: str) -> Intervention:
    return settle(replace(SAID, text=text), dict(a_state()._names), tick_ms=100)


def test_what_is_to_be_left_undone_or_as_it_is_comes_to_no_deed() -> None:
    names = dict(a_state()._names)
    acts = [settle(replace(SAID, text=row[0]), names, tick_ms=100) for row in rows("never.tsv") if row[1] == "plain|claim"]

    assert len(acts) > 450
    assert [act.text for act in acts if act.mark in ("request", "suggestion") and act.action] == []


@pytest.mark.parametrize(
    ("text", "action", "target"),
    [
        ("Please don't forget to water the plant.", "water", "plant"),
        ("Never forget to water the plant, please.", "water", "plant"),
        ("Please don't hesitate to open the window.", "open", "window"),
        ("If you don't mind, please open the window.", "open", "window"),
        ("Won't you open the window?", "open", "window"),
        ("Why not open the window?", "open", "window"),
        ("I'm not feeling well, could you open the window?", "open", "window"),
        ("It's not cold, so open the window please.", "open", "window"),
        ("Don't leave the window open.", "close", "window"),
        ("Turn the lamp on and leave it on.", "switch_on", "lamp"),
        ("Never mind, just open the window.", "open", "window"),
        ("Could you turn off the radio, I don't like it.", "switch_off", "radio"),
        ("Can you open the window? I'm not cold.", "open", "window"),
        ("请不要忘了给花浇水", "water", "plant"),
        ("不要忘记把窗户打开。", "open", "window"),
        ("能不能把窗户打开？", "open", "window"),
        ("何不打开窗户？", "open", "window"),
        ("不如开窗吧。", "open", "window"),
        ("不介意的话把窗户打开。", "open", "window"),
        ("盖子打不开，你帮我打开盒子。", "open", "box"),
    ],
)
def test_a_negation_of_another_word_leaves_the_wish_what_it_is(text: str, action: str, target: str) -> None:
    act = settled(text)

    assert (act.mark in ("request", "suggestion"), act.action, act.target) == (True, action, target)


@pytest.mark.parametrize(
    ("text", "action", "target"),
    [
        ("Please forgive me for asking, but could you open the window?", "open", "window"),
        ("Would you mind if I asked you to open the window?", "open", "window"),
        ("Thanks for bringing the mug. Could you wash it?", "wash", "mug"),
        ("Can you believe how hot it is? Open the window.", "open", "window"),
        ("I want to sleep, please turn off the lamp.", "switch_off", "lamp"),
        ("Please let me borrow your pen.", "bring", "pen"),
        ('"Please open the window."', "open", "window"),
        ("谢谢你帮我关窗，请再把门关上", "close", "door"),
        ("我听说外面很热，把窗户打开吧", "open", "window"),
        ("请原谅我打扰，能帮我开窗吗", "open", "window"),
        ("不好意思，帮我把窗户打开", "open", "window"),
        ("你去看看窗户关上没有", "look", "window"),
    ],
)
def test_a_wish_beside_what_is_told_or_thanked_for_stays_one(text: str, action: str, target: str) -> None:
    act = settled(text)

    assert (act.mark in ("request", "suggestion"), act.action, act.target) == (True, action, target)


@pytest.mark.parametrize(
    "text",
    [
        "If it gets dark, please switch on the ceiling light.", "Please switch on the ceiling light if it gets dark.",
        "When I leave, close the window.", "Please close the window when I leave.", "As soon as I'm gone, close the window.",
        "When it stops raining, open the window.", "Open the window unless it rains.", "Please turn on the lamp after dark.",
        "天黑了就把吊灯打开", "我走的时候请把窗户关上", "我回来的时候请把灯打开。", "如果下雨，请把窗户关上。", "客人来了就把门打开。",
        "Please lock the door.", "锁门", "把门锁好。", "Please throw the mug out of the window.", "把马克杯扔出窗外。",
    ],
)  # fmt: skip
def test_what_cannot_be_waited_for_or_done_is_a_request_that_is_not_read(text: str) -> None:
    act = settled(text)

    assert (act.mark, act.action, "wait" in act.data) == ("request", "", False)


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("If you don't mind, please close the window.", "close"), ("If you have time, could you water the plant?", "water"),
        ("When you can, please close the window.", "close"), ("If it's not too much trouble, open the window.", "open"),
        ("Could you close the window before I go?", "close"), ("Close the window in case it rains.", "close"),
        ("Would you open the wardrobe? I have to go in a minute.", "open"), ("If I were you, I'd close the window.", "close"),
        ("I'm leaving in ten minutes. Please close the window.", "close"), ("天黑了，开灯吧。", "switch_on"),
        ("我五分钟后要走了，帮我打开衣柜。", "open"), ("方便的话请开窗。", "open"), ("冷的话就把暖气开开。", "switch_on"),
        ("我要走了，走之前能把窗关上吗？", "close"),
    ],
)  # fmt: skip
def test_courtesies_and_the_hours_of_others_put_nothing_off(text: str, action: str) -> None:
    act = settled(text)

    assert (act.action, act.data.get("wait", "free")) == (action, "free")


@pytest.mark.parametrize(
    ("text", "mark", "action", "target"),
    [
        ("Don't, please, open the window.", "plain", "", ""),
        ("Never, ever open the box.", "plain", "", ""),
        ("Don't open the window, or close the door.", "plain", "", ""),
        ("Don't open the window, close the door.", "request", "close", "door"),
        ("不要，千万不要打开盒子。", "plain", "", ""),
        ("别开窗，把门关上。", "request", "close", "door"),
        ("我去买点面包，一会儿回来。", "claim", "come", "bread"),
        ("The door's open, could you close it?", "request", "close", "door"),
        ("台灯忘关了，你去关一下。", "request", "switch_off", "desk_lamp"),
    ],
)
def test_clauses_are_weighed_and_a_negation_reaches_where_it_is_carried(text: str, mark: str, action: str, target: str) -> None:
    act = settle(Intervention("int-1", DIALOGUE, 0, 0, "human", "say", text=text), dict(a_state()._names), tick_ms=100)

    assert (act.mark if act.action else "plain", act.action, act.target if act.action else "") == (mark, action, target)


@pytest.mark.parametrize(
    "text",
    [
        "开", "看看", "你来", "来给我", "的时候", "给我拿", "give the a ", "put the a ", "make me some ", "you i need to ", '" is ',
        "你昨天把", "放着没有，",
    ],
)  # fmt: skip
def test_a_line_twice_as_long_takes_about_twice_as_long_to_read(text: str) -> None:
    def steps(length: int) -> int:
        """Count the calls: a clock would tell how busy the machine is."""
        taken = 0

        def count(*_: object) -> None:
            nonlocal taken
            taken += 1

        sys.setprofile(count)
        try:
            read((text * length)[:length], names)
        finally:
            sys.setprofile(None)
        return taken

    names = dict(a_state()._names)
    read(text, names)

    assert steps(2000) < 3 * steps(1000)


@pytest.mark.parametrize(
    ("text", "wait"),
    [
        ("Could you tidy up in ten minutes?", "in:600000"),
        ("In half an hour, please turn the radio on.", "in:1800000"),
        ("Please wash the mug within five minutes.", ""),
        ("After your nap, please wash the mug.", "did:sleep"),
        ("Please bring the poems over to me when you've finished eating.", "did:eat"),
        ("As soon as you've had lunch, come over here.", "did:eat"),
        ("Once you are done reading, close the window.", "did:read"),
        ("When you get a minute, fill the kettle.", "free"),
        ("Could you do the dishes later?", "later"),
        ("At nine o'clock, please close the window.", "oclock:32400000"),
        ("Please close the window at 21:30.", "at:77400000"),
        ("Could you bring me the novel at half past six?", "oclock:23400000"),
        ("Please close the window at a quarter to seven.", "oclock:24300000"),
        ("Please come tomorrow morning.", "at:118800000"),
        ("Open the window when I come back.", ""),
        ("十分钟后收拾一下屋子好吗？", "in:600000"),
        ("过半小时把灯关了。", "in:1800000"),
        ("五分钟之内把灯关了。", ""),
        ("等你吃完饭，把诗集拿给我。", "did:eat"),
        ("你睡醒以后洗一下马克杯。", "did:sleep"),
        ("看完书之后把窗户关上。", "did:read"),
        ("喝完茶把杯子洗了", "did:drink"),
        ("有空的时候把水壶灌满。", "free"),
        ("晚点给你朋友打个电话吧。", "later"),
        ("晚上八点半把灯关了。", "at:73800000"),
        ("喝一点水吧。", ""),
        ("请把窗户打开。", ""),
    ],
)
def test_the_moment_a_thing_is_put_off_to_is_read(text: str, wait: str) -> None:
    assert read(text, {}).wait == wait


def test_a_condition_is_no_wish_and_hides_no_theme() -> None:
    found = read("等你吃完饭，把窗户打开。", {})

    assert (found.mark, found.action, found.target) == ("request", "open", "window")
    assert any(theme.startswith("eat") for theme in found.themes)
