"""Why: every decision can be traced from the log alone, both ways."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from logs.reader import open_log
from sim.fork import fork
from sim.moments import MomentError
from sim.why import WhyError, why
from sim.why_words import words_of
from sim.window.texts import Texts
from tests.trials_cases import a_log


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return a_log(tmp_path_factory.mktemp("visit") / "visit", "first_visit", model="scripted")


def rows_of(log: Path, kind: str) -> list[dict[str, Any]]:
    with open_log(log) as reader:
        return [row for row in reader.records() if row["kind"] == kind]


def kinds(found: dict[str, Any]) -> list[str]:
    return [step["kind"] for step in found["chain"]]


def test_an_asking_is_followed_from_the_visitor_to_what_was_learned(visit: Path) -> None:
    found = why(visit, id="int-ask_window")
    seen = kinds(found)

    assert found["kind"] == "input"
    wanted = (
        "input",
        "receipt",
        "fact",
        "percept",
        "matter",
        "round",
        "commit",
        "task",
        "skill",
        "learn",
        "experience",
    )
    for kind in wanted:
        assert kind in seen, kind
    assert [step["tick"] for step in found["chain"]] == sorted(step["tick"] for step in found["chain"])
    assert seen.count("round") == 1, "a chain passes through one decision"
    assert any("outcome done" in step["text"] for step in found["chain"] if step["kind"] == "matter")


def test_every_request_answers_the_ten_questions_and_names_its_group(visit: Path) -> None:
    requests = rows_of(visit, "request")
    assert requests

    for request in requests:
        found = why(visit, id=request["id"])
        assert list(found["questions"]) == [str(n) for n in range(1, 11)]
        assert all(found["questions"].values())
        assert found["group"] == request["data"]["group"]
        if request["data"]["type"] != "choose":
            assert found["choice"]
            for kind in ("request", "part", "reply", "ruling", "answer"):
                assert kind in kinds(found), (request["id"], kind)
            continue
        assert {each["id"] for each in found["candidates"]} >= set(found["group"])
        assert found["decided_by"] == "sys2"
        assert found["choice"] in (*found["group"], "wait", "refuse", "none_feasible")
        for kind in ("round", "request", "part", "reply", "ruling", "commit"):
            assert kind in kinds(found), (request["id"], kind)


def test_every_commitment_has_its_decision_and_every_decision_its_causes(visit: Path) -> None:
    for task in rows_of(visit, "task"):
        found = why(visit, id=task["id"])
        assert "round" in kinds(found), task["id"]
        assert "commit" in kinds(found), task["id"]
        assert found["decided_by"], task["id"]
    for thought in rows_of(visit, "round"):
        found = why(visit, id=thought["id"])
        assert found["candidates"], thought["id"]
        assert found["decided_by"], thought["id"]
        assert sum(each["score"] for each in found["candidates"]) > 0
        for each in found["candidates"]:
            assert max(0, min(1000, sum(each["parts"].values()))) == each["score"], thought["id"]


def test_a_decision_shows_the_same_chain_from_any_of_its_records(visit: Path) -> None:
    request = next(row for row in rows_of(visit, "request") if row["data"]["type"] == "choose")
    commit = next(row for row in rows_of(visit, "commit") if request["id"] in row["causes"])

    chains = [why(visit, id=name)["chain"] for name in (request["id"], request["causes"][0], commit["id"])]

    assert chains[0] == chains[1] == chains[2]


def test_what_was_put_aside_is_shown_and_not_followed(visit: Path) -> None:
    paused = next(row for row in rows_of(visit, "task") if row["data"]["state"] == "paused")
    commit = [row for row in rows_of(visit, "commit") if row["tick"] == paused["tick"]][-1]
    chain = why(visit, id=commit["id"])["chain"]

    its = [step for step in chain if step["id"] == paused["id"]]
    assert [step["tick"] for step in its] == [paused["tick"]]


def test_a_tick_means_its_round_or_the_last_one_before_it(visit: Path) -> None:
    thought = rows_of(visit, "round")[3]

    assert why(visit, tick=thought["tick"])["kind"] == "round"
    assert why(visit, tick=thought["tick"] + 1)["tick"] <= thought["tick"] + 1


def test_every_id_kind_can_be_asked_for(visit: Path) -> None:
    for kind in ("percept", "experience", "matter", "fact", "skill", "input"):
        row = rows_of(visit, kind)[-1]
        found = why(visit, id=row["id"])
        assert found["id"] == row["id"]
        assert any(step["id"] == row["id"] for step in found["chain"])


def test_an_unknown_id_is_answered_plainly(visit: Path) -> None:
    with pytest.raises(WhyError, match="no record is called 'req-999'"):
        why(visit, id="req-999")


def test_a_tick_after_the_end_is_refused_and_told_where_the_log_ends(visit: Path) -> None:
    with open_log(visit) as reader:
        last = reader.tail(1)[0]["tick"]

    assert why(visit, tick=last)["tick"] <= last
    with pytest.raises(MomentError, match=f"the log ends at tick {last}") as caught:
        why(visit, tick=last + 1)
    assert caught.value.mend


TICKS = [
    ("why", "LOG", "--tick", "99999999"),
    ("mind", "LOG", "--tick", "99999999"),
    ("mind", "LOG", "--trace", "itu-1", "--tick", "99999999"),
    ("replay", "LOG", "--text", "--at", "99999999"),
    ("replay", "LOG", "--text", "--until", "99999999"),
    ("replay", "LOG", "--export", "picture.png", "--at", "99999999"),
    ("replay", "LOG", "--export", "film.gif", "--until", "99999999"),
    ("replay", "LOG", "--at", "99999999"),
    ("fork", "LOG", "--at", "99999999"),
]


@pytest.mark.parametrize("words", TICKS, ids=" ".join)
def test_every_command_refuses_a_tick_that_the_log_has_not(cli: Any, visit: Path, words: tuple[str, ...]) -> None:
    ran = cli(*(visit if word == "LOG" else word for word in words))

    assert ran.code == 2, ran.out
    assert "the log ends at tick" in ran.err
    assert "where: " in ran.err
    assert "mend: " in ran.err


IDS = [("why", "LOG", "--id", "req-99999"), ("mind", "LOG", "--trace", "itu-99999"), ("fork", "LOG", "--without", "int-none"),
       ("log", "tail", "LOG", "--kind", "nonsense"), ("replay", "LOG", "--text", "--at", "500", "--until", "100")]  # fmt: skip


@pytest.mark.parametrize("words", IDS, ids=" ".join)
def test_every_command_refuses_an_id_that_the_log_has_not(cli: Any, visit: Path, words: tuple[str, ...]) -> None:
    ran = cli(*(visit if word == "LOG" else word for word in words))

    assert ran.code == 2, ran.out
    assert "mend: " in ran.err


def test_a_clear_leader_is_no_near_tie_and_questions_are_told_in_words(cli: Any, visit: Path) -> None:
    clear = next(row for row in rows_of(visit, "round") if len(row["data"]["group"]) == 1)
    asked = next(row for row in rows_of(visit, "request") if row["data"]["type"] == "choose")

    alone, tied = cli("why", visit, "--id", clear["id"]).out, cli("why", visit, "--id", asked["id"]).out

    assert "near tie" not in alone.partition("Candidates")[2]
    assert tied.partition("Candidates")[2].count("near tie  ") == len(asked["data"]["group"])
    assert "1. Why now" in tied
    assert "3. The single question" in tied
    assert "which of the group" in tied
    assert "which_of_the_group" not in tied


@pytest.mark.parametrize("code", ["hearing person", "near", "hand_over:hands_full", "near_tie_person", "calls_spent", "not_taken_up_again"])
def test_reasons_are_told_in_the_words_of_the_windows(code: str) -> None:
    task = {"kind": "task", "id": "com-1", "data": {"task": "read_book", "state": "failed", "reason": code}}
    ruling = {"kind": "ruling", "id": "req-1", "data": {"what": "end", "end": "fallback", "choice": "", "reason": code, "fault": None}}
    words = Texts("en").reason(code).removesuffix(".").lower()

    assert words != code
    for row in (task, ruling):
        assert words in words_of(row, {}).lower()


def test_a_fork_names_its_parent_and_how_to_ask_it(cli: Any, visit: Path) -> None:
    made = fork(visit, without=["int-ask_window"], out=visit.parent / "child")
    child, before = Path(made["log"]), rows_of(visit, "round")[0]

    found = why(child, id=rows_of(child, "round")[-1]["id"])
    assert found["parent"] == {"log": str(visit), "tick": made["at"]}
    for asked in (("--tick", before["tick"]), ("--id", before["id"])):
        ran = cli("why", child, *asked)
        assert ran.code == 2
        assert f"oneroom why {visit}" in ran.err
    assert f"oneroom why {visit}" in cli("why", child, "--id", found["id"]).out
