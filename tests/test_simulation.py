"""A run in your own hands is the run that `oneroom run` makes; going back and looking in work as said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import oneroom

QUIET: dict[str, Any] = {"overrides": {"model.provider": "none"}}


def test_stepping_leaping_and_running_come_to_the_same_state() -> None:
    declared = oneroom.declare("first_visit", seed=7, **QUIET)
    leaped, stepped = oneroom.Simulation(declared), oneroom.Simulation(declared)
    leaped.reset()
    stepped.reset()

    leaped.advance(hours=1)
    while not stepped.over:
        stepped.advance(ticks=7)

    assert leaped.digest() == stepped.digest() == oneroom.run_trial(declared)["digest"]


def test_a_scripted_model_is_asked_as_in_a_run() -> None:
    declared = oneroom.declare("near_tie", seed=1, overrides={"model.provider": "scripted"})
    simulation = oneroom.Simulation(declared)
    simulation.reset()
    while not simulation.over:
        simulation.advance(minutes=11)

    result = oneroom.run_trial(declared)
    assert simulation.close()["digest"] == result["digest"]
    assert result["requests"]["committed"] > 0


def test_from_a_snapshot_the_same_future_follows_in_another_process() -> None:
    first, second = oneroom.Simulation("quiet_day", seed=7, **QUIET), oneroom.Simulation("quiet_day", seed=7, **QUIET)
    first.reset()
    second.reset()
    first.advance(hours=2)
    saved = json.loads(json.dumps(first.snapshot()))
    first.advance(hours=3)

    second.restore(saved)
    second.advance(hours=3)

    assert first.digest() == second.digest()
    assert second.frame.tick == first.frame.tick


def test_what_was_handed_in_and_not_yet_taken_is_part_of_a_snapshot() -> None:
    first, second = oneroom.Simulation("first_visit", seed=7, **QUIET), oneroom.Simulation("first_visit", seed=7, **QUIET)
    first.reset()
    second.reset()
    first.advance(minutes=5)
    name = first.act("dialogue", "say", text="hello")
    saved = json.loads(json.dumps(first.snapshot()))
    first.advance(minutes=5)

    second.restore(saved)
    second.advance(minutes=5)

    assert first.digest() == second.digest()
    assert name in {row["id"] for row in second.feedback()}
    assert first.feedback() == second.feedback()


def test_replies_on_their_way_are_part_of_a_snapshot() -> None:
    declared = oneroom.declare("near_tie", seed=101, overrides={"model.provider": "scripted"})
    first, second = oneroom.Simulation(declared), oneroom.Simulation(declared)
    first.reset()
    second.reset()
    while not first.snapshot()["pending"]["replies"]:
        assert not first.over
        first.step()
    saved = json.loads(json.dumps(first.snapshot()))

    second.restore(saved)
    replied = [[row for row in each.advance(minutes=10) if row["kind"] == "reply"] for each in (first, second)]

    assert replied[0]
    assert replied[0] == replied[1]
    assert first.digest() == second.digest()


def test_a_snapshot_without_what_was_pending_is_read_and_one_of_another_version_is_not() -> None:
    simulation = oneroom.Simulation("quiet_day", seed=7, **QUIET)
    simulation.reset()
    saved = simulation.snapshot()
    older = {key: value for key, value in saved.items() if key != "pending"} | {"version": 1}

    simulation.restore(older)
    with pytest.raises(ValueError, match="version 9"):
        simulation.restore(saved | {"version": 9})


def test_an_act_goes_through_the_gate_and_is_told_of() -> None:
    simulation = oneroom.Simulation("first_visit", seed=1, overrides={"model.provider": "none", "schedule": []})
    simulation.reset()
    entered = simulation.act("physical", "enter")
    denied = simulation.act("physical", "take", object="kettle")
    simulation.advance(minutes=1)
    told = {row["id"]: row for row in simulation.feedback()}

    assert (told[entered]["receipt"], told[entered]["outcome"]) == ("accepted", "done")
    assert (told[denied]["receipt"], told[denied]["reason"]) == ("denied", "object_not_declared")
    assert simulation.channels()["physical"]["used"] == 1
    with pytest.raises(ValueError, match="telepathy"):
        simulation.act("telepathy", "say")
    with pytest.raises(ValueError, match="colour"):
        simulation.act("dialogue", "say", colour="red")


def test_a_kept_run_is_a_log_like_any_and_can_be_looked_into(tmp_path: Path) -> None:
    simulation = oneroom.Simulation("first_visit", seed=1, out=tmp_path / "mine", **QUIET)
    simulation.reset()
    simulation.advance(minutes=10)
    with pytest.raises(ValueError, match="fork"):
        simulation.restore(simulation.snapshot())
    log = Path(simulation.close()["log"])

    assert oneroom.verify(log)["ok"]
    with oneroom.replay(log) as recorded:
        frame = recorded.frame(6000)
        assert frame.bodies.keys() == {"resident", "visitor"}
        assert frame.things == simulation.frame.things
        assert next(recorded.records(600))["tick"] >= 600


def test_nothing_can_be_done_before_a_reset() -> None:
    with pytest.raises(ValueError, match="reset"):
        oneroom.Simulation("quiet_day", **QUIET).advance(ticks=1)


def test_a_path_may_be_a_text_and_a_moment_is_asked_for_in_words(tmp_path: Path) -> None:
    log = str(oneroom.run_trial(oneroom.declare("first_visit", seed=3, overrides={"model.provider": "none"}), out=tmp_path / "x")["log"])
    with oneroom.open_log(log) as reader:
        assert reader.header["seed"] == 3
    assert oneroom.verify(log)["ok"]
    assert oneroom.diff(log, log)["same"]
    assert oneroom.why(log, tick=1530)["chain"]
    assert oneroom.fork(log, without=["int-ask_window"])["parent"]
    with pytest.raises(ValueError, match="one of them"):
        oneroom.why(log)
