"""Why: every decision can be traced from the log alone, both ways."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from logs.reader import open_log
from sim.why import WhyError, why
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
