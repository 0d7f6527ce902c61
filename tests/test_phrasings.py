"""Everyday phrasings, collected before the reader of words was looked at: how many it reads as people mean them.

A row of tests/data/phrasings: the words, then kinds, actions and things that would do, separated by bars. A claim needs no action,
and of plain words only the kind counts. The floor is what is reached; what is missed is safe, for it stays unread or plain.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from interventions.lexicon import read
from tests.makers import a_state

FOLDER = Path(__file__).parent / "data/phrasings"
NAMES = {"novel": "book", "poems": "book", "letter_6": "letter", "desk_chair": "chair"}  # the room's own words for a kind


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


@pytest.mark.parametrize(("name", "floor"), [("en.tsv", 95), ("zh.tsv", 86), ("zh_more.tsv", 82)])
def test_most_everyday_phrasings_are_read_as_they_are_meant(name: str, floor: int) -> None:
    names = dict(a_state()._names)
    found = [hit(row, names) for row in rows(name)]

    assert 100 * sum(found) // len(found) >= floor


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
