"""Records name what they came of, so that anybody with `jq` can walk from what was learned back to the room."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent.appraisal import learn_from_task
from agent.commitments import Commitment
from logs.reader import open_log
from sim.declare import declare
from sim.simulation import Simulation
from tests.mind_cases import a_deed, awake

Row = dict[str, Any]
ALWAYS = ("belief", "commit", "practice", "thought", "pattern", "dream", "ruling", "part", "reply", "answer", "receipt")
ROOTS = ("input", "fact", "percept", "round")
"""Kinds of record from which a chain may begin: what came from outside, from the body, or with time."""


@pytest.fixture(scope="module", params=["visit", "day"])
def rows(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    name, hours = ("near_tie", 1) if request.param == "visit" else ("quiet_day", 24)
    provider = "scripted" if request.param == "visit" else "none"
    life = Simulation(declare(name, overrides={"model.provider": provider}), out=tmp_path_factory.mktemp("causes") / "life")
    life.reset()
    life.advance(hours=hours)
    with open_log(Path(life.close()["log"])) as reader:
        return list(reader.records())


def test_what_has_a_cause_in_the_log_names_it(rows: list[Row]) -> None:
    mute = [(row["kind"], row["id"], row["data"]) for row in rows if row["kind"] in ALWAYS and not row["causes"]]

    assert mute == []


def test_a_percept_names_its_fact_unless_it_was_known_felt_or_came_into_view(rows: list[Row]) -> None:
    for row in rows:
        if row["kind"] == "percept" and not row["causes"]:
            assert (row["data"]["sense"], row["data"]["what"]) in (
                ("known", "thing"), ("body", "felt"), ("sight", "thing"), ("sight", "person"), ("sound", "person"),
            )  # fmt: skip


def test_a_round_without_a_cause_was_called_for_by_the_clock(rows: list[Row]) -> None:
    for row in rows:
        if row["kind"] == "round" and not row["causes"]:
            clock = {"start", "look", "idle", "answer_due", "favour_silence", "hold_over", "promise_due", "agreed_time"}
            assert set(row["data"]["wakes"]) <= clock


def test_a_cause_stands_before_what_it_caused(rows: list[Row]) -> None:
    before: dict[str, bool] = {}
    for row in rows:
        for cause in row["causes"]:
            # What the room does by itself is named after its law and not after a record.
            assert cause in before or cause.startswith(("drift.", "event.")), (row["kind"], row["id"], cause)
        before[row["id"]] = True


def test_most_of_what_was_remembered_can_be_walked_back_to_the_room(rows: list[Row]) -> None:
    known: dict[str, list[Row]] = {}
    reached: list[bool] = []
    for row in rows:
        if row["kind"] == "experience":
            reached.append(_reaches(row, known))
        if row["id"]:
            known.setdefault(row["id"], []).append(row)

    assert sum(reached) >= 0.9 * len(reached) > 0


def test_what_was_given_up_after_it_was_resumed_is_remembered_once() -> None:
    mind = awake().mind
    mind.take_notes()
    given_up = Commitment("com-99", "intention", "read_book", "goal", {}, 0)
    for label in ("start:read_book", "resume:read_book"):
        deed = a_deed(mind, label)
        deed.commitment = "com-99"
        mind.inner.deeds.append(deed)

    learn_from_task(mind, given_up, "given_up", "not_taken_up_again")

    rows = [data["row"] for kind, _, data in mind.take_notes() if kind == "experience"]
    assert [(row[2], row[4], row[5]) for row in rows] == [("task", "read_book", "given_up:not_taken_up_again")]
    assert not any(deed.commitment == "com-99" for deed in mind.inner.deeds)


def _reaches(row: Row, known: dict[str, list[Row]]) -> bool:
    """Return whether a walk along the causes of *row* comes to a root."""
    waiting, seen = list(row["causes"]), dict[str, bool]()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen[name] = True
        for each in known.get(name, ()):
            if each["kind"] in ROOTS:
                return True
            waiting += each["causes"]
    return False
