"""The loop: the order inside a tick, pauses, stops, saves and restores, and what is written down."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from interventions.contract import Intervention
from logs.kinds import KINDS
from logs.reader import open_log
from sim import kernel
from sim.build import build, restore, snapshot
from sim.codec import decode, encode
from sim.declare import declare
from sim.replay import verify
from sim.session import run_trial
from sim.state import ReplyInput, State
from tests.makers import ENTER, a_declared, a_state, live, rows_of

PROTOCOLS = ("first_visit", "quiet_day", "near_tie", "refusals", "week")


def test_inputs_come_first_replies_before_the_round_and_the_checkpoint_last() -> None:
    state = build(declare("near_tie", seed=101, overrides={"model.types": ["choose"]}))
    parts = 0
    while state.tick < state.end_tick:
        for _, rows in kernel.advance(state, answers(state), state.end_tick):
            kinds = [row["kind"] for row in rows]
            parts += kinds.count("reply")
            for early, late in (("input", "fact"), ("input", "percept"), ("reply", "round"), ("receipt", "round")):
                if early in kinds and late in kinds:
                    assert kinds.index(early) < kinds.index(late), kinds
            assert "digest" not in kinds[:-1]
    assert parts > 10, "the test needs replies"


def answers(state: State) -> list[ReplyInput]:
    """Return replies that choose the first of the group for whatever has been asked."""
    found = []
    for part, request in kernel.take_outbox(state):
        raw = {"request_id": request.id, "version": request.version, "type": "choose", "choice": request.group[0]}
        found.append(ReplyInput(part.id, part.due_tick, json.dumps(raw)))
    return found


def test_inputs_of_one_tick_count_by_channel_then_by_arrival() -> None:
    state = a_state()
    kernel.advance(state, [], 100)
    acts = [
        Intervention("int-a", "system", 101, 1, "api", "save"),
        Intervention("int-b", "dialogue", 101, 2, "api", "say", text="Hello."),
        Intervention("int-c", "physical", 101, 3, "api", "enter"),
    ]

    rows = rows_of(kernel.advance(state, list(acts), 101), "input")

    assert [row["id"] for row in rows] == ["int-c", "int-b", "int-a"]


@pytest.mark.parametrize("name", ["first_visit", "near_tie"])
def test_a_record_is_final_when_it_is_made(name: str) -> None:
    late, early = build(declare(name, seed=3)), build(declare(name, seed=3))
    rows = [json.dumps(row) for _, rows in kernel.advance_alone(late, 18_000) for row in rows]
    at_once = []
    while early.tick < 18_000:
        for _, made in kernel.advance_alone(early, early.tick + 1):
            at_once += [json.dumps(row) for row in made]

    assert at_once == rows


def test_a_pause_changes_no_need_and_takes_no_time() -> None:
    pause = {"id": "pause", "at": 300, "channel": "system", "op": "pause"}
    resume = {"id": "resume", "at": 900, "channel": "system", "op": "resume"}

    paused, never = a_state(pause, resume), a_state()
    live(paused)
    live(never)

    assert paused.mind.parts() == never.mind.parts()
    assert paused.room.needs("resident", paused.tick) == never.room.needs("resident", never.tick)


def test_a_pause_nobody_ends_stops_the_loop_until_an_input_comes() -> None:
    state = a_state()
    kernel.advance(state, [Intervention("int-p", "system", 50, 1, "human", "pause")], 1000)
    assert state.paused
    assert state.tick == 50

    kernel.advance(state, [Intervention("int-r", "system", 50, 2, "human", "resume")], 1000)

    assert not state.paused
    assert state.tick == 1000


def test_a_safe_stop_acts_at_its_tick_and_cancels_the_question_in_flight() -> None:
    stop = {"id": "stop", "at": 200, "channel": "system", "op": "safe_stop"}
    rows = live(state := a_state(stop))

    assert state.stopped == "stopped"
    assert rows[-1]["tick"] <= 2000


def test_an_act_handed_in_twice_acts_once() -> None:
    state = a_state()
    twice = [Intervention("int-x", "physical", 20, number, "api", "enter") for number in (1, 2)]

    rows = rows_of(kernel.advance(state, list(twice), 40), "receipt")

    assert [row["data"]["reason"] for row in rows] == ["", "duplicate_id"]


def test_a_request_in_flight_survives_a_snapshot() -> None:
    declared = declare("near_tie", seed=101)
    state = build(declared)
    while not state._outbox:
        kernel.advance(state, [], state.end_tick)
    part, _ = state._outbox[0]

    second = restore(json.loads(json.dumps(snapshot(state))), declared.room)

    assert second.slot.out == part
    assert snapshot(second) == snapshot(state)
    rows = rows_of(kernel.advance(second, [], part.due_tick + 600), "ruling")
    assert rows, "its deadline passes as it would have"


def test_a_restore_gives_no_use_back() -> None:
    entries = [
        {"id": "save", "at": 60, "channel": "system", "op": "save"},
        ENTER | {"at": 120},
        {"id": "open", "at": 150, "channel": "physical", "op": "open", "object": "window"},
        {"id": "restore", "at": 240, "channel": "system", "op": "restore"},
    ]
    declared = a_declared(*entries)
    first = build(declared)
    saved = None
    while not first.stopped:
        kernel.advance(first, [], first.end_tick)
        if any(op == "save" for op, _ in first._shell):
            saved = snapshot(first)
        first._shell = []
    assert saved is not None
    used = dict(first.gate.used)

    second = restore(saved, declared.room, gate=first.gate)

    assert second.gate.used == used
    assert used["physical"] == 2


def test_a_restored_trial_goes_on_in_a_child_log_and_its_parent_is_no_result(tmp_path: Path) -> None:
    entries = [
        {"id": "save", "at": 60, "channel": "system", "op": "save"},
        {"id": "restore", "at": 240, "channel": "system", "op": "restore"},
    ]

    result = run_trial(a_declared(*entries, minutes=10), out=tmp_path / "trial")

    parent, child = Path(result["parent"]), Path(result["log"])
    assert open_log(parent).end["data"]["status"] == "restored"  # type: ignore[index]
    assert open_log(child).header["parent"]["head"] == open_log(parent).head
    assert verify(parent)["ok"]
    assert verify(child)["ok"]
    assert open_log(child).header["trial_id"] == open_log(parent).header["trial_id"]


def test_a_stopped_run_is_readable_and_verifies(tmp_path: Path) -> None:
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > 2

    result = run_trial(declare("quiet_day"), out=tmp_path / "stopped", stop=stop)

    assert result["status"] == "stopped"
    assert verify(Path(result["log"]))["ok"]


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_shipped_protocol_runs_and_writes_only_what_the_table_of_kinds_names(name: str, tmp_path: Path) -> None:
    declared = declare(name, overrides={"duration": "2h"} if name in ("week", "quiet_day") else {"model.provider": "scripted"})
    result = run_trial(declared, out=tmp_path / name)

    with open_log(Path(result["log"])) as reader:
        for row in reader.records():
            unknown = set(row["data"]) - set(KINDS[row["kind"]].fields)
            assert not unknown, (row["kind"], unknown)
    assert verify(Path(result["log"]))["ok"]


def test_a_changed_input_is_found_where_it_first_matters(tmp_path: Path) -> None:
    one = run_trial(declare("first_visit", seed=7, overrides={"model.provider": "none"}), out=tmp_path / "one")
    other = run_trial(declare("first_visit", seed=8, overrides={"model.provider": "none"}), out=tmp_path / "other")

    assert one["digest"] != other["digest"]


def test_the_codec_carries_what_the_state_may_hold_and_refuses_the_rest() -> None:
    value = [1, "x", True, None, (1, (2, "y")), {"k": [1]}, {3: "three"}, b"\x00\xff"]

    assert decode(json.loads(json.dumps(encode(value)))) == value
    for wrong in (1.5, {1, 2}, object()):
        with pytest.raises(AssertionError):
            encode(wrong)
    with pytest.raises(ValueError, match="foreign"):
        decode({"c": "subprocess:Popen", "f": []})


def test_a_declared_stop_rule_ends_the_run_at_its_tick(tmp_path: Path) -> None:
    leave = {"id": "leave", "at": 240, "channel": "physical", "op": "leave"}
    declared = a_declared(ENTER, leave, extra='[model]\nprovider = "none"\n', overrides={"stop": ["visitor_left"], "complete": "any_end"})

    result = run_trial(declared, out=tmp_path / "short")

    end = open_log(Path(result["log"])).end
    assert end is not None
    assert end["data"]["reason"] == "visitor_left"
    assert result["status"] == "done"
    assert 2400 <= result["ticks"] < 3000
    assert verify(Path(result["log"]))["ok"]
