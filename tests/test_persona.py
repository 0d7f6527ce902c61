"""A persona is a sound life: it sleeps, its practices fit its day, and no rule makes living impossible."""

from typing import Any

import pytest

from protocols.against import check_persona_against
from protocols.faults import ProtocolError
from protocols.library import PERSONAS, load_persona, shipped_personas
from protocols.persona import NEEDS, TASKS, TENDENCIES, known_tasks, overlap_ms, parse_persona
from sim import library

ADA = (PERSONAS / "ada.toml").read_text(encoding="utf-8")


def faults_of(*changes: tuple[str, str]) -> list[str]:
    text = ADA
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    try:
        parse_persona(text.encode(), "ada.toml")
    except ProtocolError as error:
        return [str(fault) for fault in error.faults]
    return []


FAULTS = [
    ('wake = "06:30"', 'wake = "6:30"', "write a time of day such as 07:30"),
    ('bed = "22:15"', 'bed = "05:00"', "between bed and wake lie less than 5 or more than 11 hours"),
    ('language = "en"', 'language = "fr"', "language can't be 'fr'; known: en, zh"),
    ("orderliness = 850", "orderlyness = 850", "in [tendencies]; did you mean 'orderliness'?"),
    ("orderliness = 850", "", "the key 'tendencies.orderliness' is missing"),
    ("orderliness = 850", "orderliness = 1001", "the value must be at most 1000"),
    ("social = 750", "socail = 750", "did you mean 'social'?"),
    ("social = 750", "social = 0", "the value must be at least 200"),
    ('id = "breakfast"', 'id = "morning_tea"', "is taken by one above"),
    ("minutes = 60", "minutes = 600", "takes 600 minutes and no window is as long"),
    ("minutes = 60", "minutes = 1.5", "must be a whole number"),
    ('windows = [["07:10", "08:45"]]', 'windows = [["23:10", "05:45"]]', "falls into the night"),
    ('windows = [["07:10", "08:45"]]', 'windows = [["07:10", "07:10"]]', "the window is empty"),
    ('windows = [["07:10", "08:45"]]', 'windows = [["07:10"]]', "too few items"),
    ("effort = 700", "effort = 0", "the value must be at least 1"),
    ('theme = { action = "open", target = "box" }', "", "this boundary would refuse everything"),
    ('channel = "inner_voice"\n', "", "confirm is said of a channel, and none is named"),
    ('action = "play"\nhours = ["21:30", "08:00"]', "", "this rule speaks of everything"),
    ('action = "play"\nhours = ["21:30", "08:00"]', 'action = "eat"', "nobody can live without eat"),
    ('kind = "prefer"', 'kind = "perfer"', "did you mean 'prefer'?"),
]


@pytest.mark.parametrize(("old", "new", "words"), FAULTS, ids=[words for _, _, words in FAULTS])
def test_a_fault_of_a_persona_is_named_with_its_mend(old: str, new: str, words: str) -> None:
    found = faults_of((old, new))

    assert any(words in fault for fault in found), found


def test_four_personas_are_shipped_and_sound() -> None:
    assert shipped_personas() == ["ada", "bruno", "kai", "lin"]
    assert faults_of() == []


@pytest.mark.parametrize("name", ["ada", "bruno", "kai", "lin"])
def test_a_shipped_persona_names_only_what_exists(name: str) -> None:
    persona = load_persona(name)
    tasks, kinds = library.table("agent/tasks"), library.table("world/kinds")

    faults = check_persona_against(persona.values, persona.file, persona.lines, tasks=list(tasks), kinds=list(kinds))

    assert faults == []


def test_the_mind_knows_every_task_a_persona_may_name() -> None:
    assert list(known_tasks(list(library.table("agent/tasks")))) == []
    assert [words.split(";")[0] for words in known_tasks(TASKS[1:])] == [f"there is no task {TASKS[0]!r}"]


def lives() -> dict[str, dict[str, Any]]:
    return {name: dict(load_persona(name).values) for name in shipped_personas()}


def test_each_life_has_a_full_day_and_speaks_both_languages() -> None:
    for life in lives().values():
        assert len(life["practices"]) >= 10
        assert life["goals"]
        assert life["boundaries"]
        assert life["rules"]
        assert tuple(life["need_rates"]) == NEEDS
        assert tuple(life["tendencies"]) == TENDENCIES
        assert all(goal["title"]["en"] and goal["title"]["zh"] for goal in life["goals"])
        assert all(life["names"].values())
        assert all(life["about"].values())


def test_the_four_lives_are_clearly_different() -> None:
    found = list(lives().values())

    for at, one in enumerate(found):
        for other in found[at + 1 :]:
            apart = sum(abs(one["tendencies"][name] - other["tendencies"][name]) for name in TENDENCIES)
            assert apart >= 600
            mine, theirs = ({p["task"]: p["weight"] for p in life["practices"]} for life in (one, other))
            favourites = [max(weights, key=lambda task: weights[task]) for weights in (mine, theirs)]
            assert favourites[0] != favourites[1]


def test_spans_of_the_day_overlap_past_midnight() -> None:
    hour = 3_600_000

    assert overlap_ms((22 * hour, 2 * hour), (1 * hour, 3 * hour)) == hour
    assert overlap_ms((22 * hour, 2 * hour), (20 * hour, 23 * hour)) == hour
    assert overlap_ms((8 * hour, 9 * hour), (9 * hour, 8 * hour)) == 0
