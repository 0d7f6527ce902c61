"""The deep mind inside a run: jumps and single steps agree across a dream, a snapshot is whole at any tick, verify holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sim import kernel
from sim.build import build, restore, snapshot
from sim.declare import declare
from sim.mind_view import MindError, mind_at, trace
from sim.replay import verify
from sim.session import run_trial
from tests.makers import rows_of
from trials.intuition_checker import check

DAY = 864_000
NIGHT = 23 * 36_000 - 6 * 36_000  # 23:00 of a day that began at 06:00


def flat(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def test_a_night_with_a_dream_is_the_same_in_jumps_in_steps_and_across_snapshots() -> None:
    declared = declare("week", seed=3)
    state = build(declared)
    kernel.advance_alone(state, NIGHT)
    saved = json.loads(json.dumps(snapshot(state)))
    end = NIGHT + 3 * 36_000
    jumped = rows_of(kernel.advance_alone(state, end))
    assert any(row["kind"] == "dream" for row in jumped), "a night without a dream shows nothing"

    stepped_state = restore(saved, declared.room)
    stepped = []
    while stepped_state.tick < end:
        stepped += rows_of(kernel.step(stepped_state, []))
    assert flat(stepped) == flat(jumped)
    assert stepped_state.digest() == state.digest()

    for cut in (NIGHT + 100, NIGHT + 36_000, NIGHT + 60_000):
        first = restore(saved, declared.room)
        rows = rows_of(kernel.advance_alone(first, cut))
        again = restore(json.loads(json.dumps(snapshot(first))), declared.room)
        rows += rows_of(kernel.advance_alone(again, end))
        assert flat(rows) == flat(jumped), f"differs after a restore at {cut}"


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("week")
    return Path(run_trial(declare("week", seed=1, overrides={"duration": "4d"}), out=folder / "log")["log"])


def test_intuitions_form_and_decide_in_a_week_log_and_stand_up_to_the_checker(week: Path) -> None:
    found = check(week)
    assert found.faults == []
    assert found.formed >= 5
    assert found.fired >= 20
    assert found.gate_ok == found.formed
    assert found.fired_ok == found.fired
    assert found.traceable >= 0.85 * found.formed


def test_a_life_with_intuitions_verifies(week: Path) -> None:
    assert verify(week)["ok"]


def test_the_view_shows_the_mind_at_a_tick_and_walks_back_from_an_intuition(week: Path) -> None:
    early, late = mind_at(week, DAY // 2), mind_at(week)
    assert early["intuitions"] == []
    assert late["intuitions"]
    assert {"needs", "commitments", "beliefs", "thoughts", "boundaries", "feelings", "goals"} <= late.keys()
    one = late["intuitions"][0]
    assert one["history"][0]["event"] == "formed"

    walked = trace(week, one["id"])
    assert walked["gate"]["verdict"] == "formed"
    assert walked["thoughts"][0]["experiences"]
    assert len(walked["experiences"]) == len(one["supports"])
    assert all(each["of"].startswith("com-") for each in walked["experiences"])

    with pytest.raises(MindError, match="no intuition is called"):
        trace(week, "itu-999")


def test_a_tampered_history_does_not_stand_up_to_the_checker(week: Path) -> None:
    from logs.reader import open_log
    from trials.intuition_checker import check_rows

    def tampered(kind: str, change: object) -> list[str]:
        with open_log(week) as reader:
            rows = [json.loads(json.dumps(row)) for row in reader.records()]
            row = next(each for each in rows if each["kind"] == kind and change(each["data"]))  # type: ignore[operator]
            assert row
            return check_rows(rows, reader.header).faults

    def more_origins(data: dict[str, object]) -> bool:
        if data["verdict"] != "formed":
            return False
        data["supports"] = [*data["supports"], 1]  # type: ignore[misc]
        return True

    def surer(data: dict[str, object]) -> bool:
        if data["event"] != "used":
            return False
        data["success"] = 1 - int(str(data["success"]))
        return True

    def elsewhere(data: dict[str, object]) -> bool:
        if not data.get("intuition"):
            return False
        data["scenes"] = dict.fromkeys(data["scenes"], "elsewhere|")  # type: ignore[attr-defined]
        return True

    for kind, change in (("dream", more_origins), ("intuition", surer), ("round", elsewhere)):
        assert tampered(kind, change), f"a change to {kind} went unseen"


@pytest.mark.parametrize("sys1", ["fixed", "router", "none"])
def test_baselines_run_through_the_same_door(sys1: str) -> None:
    state = build(declare("week", seed=1, overrides={"duration": "1d", "mind.sys1": sys1}))
    rows = rows_of(kernel.advance_alone(state, DAY))
    decided = [row["data"]["decided_by"] for row in rows if row["kind"] == "commit"]
    assert ("sys1" in decided) is (sys1 != "none")
    assert not any(row["kind"] in ("dream", "intuition") for row in rows)


def test_the_command_shows_the_mind_and_a_trace_and_tells_a_wrong_name(cli: Callable[..., Any], week: Path) -> None:
    shown = cli("mind", week, "--tick", 3 * DAY, "--json").json
    name = shown["intuitions"][0]["id"]
    told = cli("mind", week, "--tick", 3 * DAY)
    assert told.code == 0
    assert "day 4, 06:00" in told.out, "the clock of the room stands beside ticks"
    assert " on table " in told.out or " on counter " in told.out or " on shelf " in told.out, "things have names"
    assert cli("mind", week, "--trace", name).code == 0
    wrong = cli("mind", week, "--trace", "itu-999")
    assert wrong.code == 2
    assert "itu-999" in wrong.err
