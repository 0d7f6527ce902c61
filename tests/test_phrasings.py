"""Everyday phrasings, collected before the reader of words was looked at: how many it reads as people mean them.

A row of tests/data/phrasings: the words, then kinds, actions and things that would do, separated by bars. A claim needs no action,
and of plain words only the kind counts. The floor is what is reached; what is missed is safe, for it stays unread or plain.

Those of `own` were looked at while the reader was written. Those of `fresh` were first read when it was done, and were then read
as they are meant in 86 of 100 (Chinese) and 90 of 100 (English); the floor is what is reached since. Those of `others` were
written by somebody who had never seen the reader, and were first read as they are meant in 90 (English) and 94 (Chinese) of 120;
those of `rounds` were written sixty at a time while it was mended for them, each sixty read once before the mending: 31, 43, 54,
51, 41, 58 (English), 35, 50, 50, 55, 45, 53 (Chinese). A fifth column names where the thing is to be put. Those of `never` tell, ask
and thank in words that also name doings.
"""

from __future__ import annotations

import sys
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


@pytest.mark.parametrize("text", ["开", "看看", "你来", "来给我", "的时候", "给我拿", "give the a ", "put the a ", "make me some "])
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
