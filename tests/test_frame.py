"""A frame says what is so: held against the engine tick by tick, and against itself from the file."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from window_cases import a_live, a_played_log, let_pass, visit

from logs.reader import open_log
from sim import kernel
from sim.build import build
from sim.declare import declare
from sim.frame import RESIDENT, Frame
from sim.frame_fold import fold, opening, take
from sim.frame_sight import opaque, seen
from sim.frame_view import believed, unseen_by_visitor
from sim.reel import HUMAN, Reel
from sim.reel_diff import ReelDiff
from sim.stage import stage_of
from world import exposure


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return a_played_log(tmp_path_factory.mktemp("played"))


def plain(frame: Frame) -> dict[str, Any]:
    """Return a frame without its stage, as JSON gives values back."""
    shown = {name: getattr(frame, name) for name in frame.__slots__ if name != "stage"}
    return json.loads(json.dumps({name: _plain(value) for name, value in shown.items()}))  # type: ignore[no-any-return]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return asdict(value) if hasattr(value, "__dataclass_fields__") else value


@pytest.mark.parametrize("protocol", ["first_visit", "quiet_day"])
def test_things_and_bodies_of_the_frame_are_those_of_the_room(protocol: str) -> None:
    declared = declare(protocol, overrides={"model.provider": "none"})
    state = build(declared)
    frame = opening(stage_of(declared.header()))
    checked = 0

    while state.tick < min(state.end_tick, 600_000) and not state.stopped:
        for _, rows in kernel.advance(state, kernel.give_back(state), state.tick + 50):
            for row in rows:
                take(frame, json.loads(json.dumps(row)))
        for name, thing in state.room.things.items():
            shown = frame.things[name]
            assert (shown.relation, shown.place) == (thing.relation, thing.place), (state.tick, name)
            assert dict(shown.props) == thing.props, (state.tick, name)
            if thing.relation == "at":
                assert shown.cell == thing.cell, (state.tick, name)
        assert sorted(frame.bodies) == sorted(state.room.bodies), state.tick
        for name, body in state.room.bodies.items():
            assert frame.cell_now(frame.bodies[name], state.tick) == body.cell, (state.tick, name)
            assert (
                frame.place(frame.bodies[name], state.tick)[2] == body.heading or frame.bodies[name].doing
            ), (state.tick, name)
            checked += 1
        if state.paused:
            break

    assert checked > 200


def test_what_the_frame_says_is_in_view_is_what_the_resident_sees() -> None:
    declared = declare("first_visit", overrides={"model.provider": "none"})
    state = build(declared)
    frame = opening(stage_of(declared.header()))

    for until in range(0, 9000, 600):
        for _, rows in kernel.advance(state, kernel.give_back(state), max(until, state.tick)):
            for row in rows:
                take(frame, json.loads(json.dumps(row)))
        if state.paused:
            break
        body = state.room.bodies[RESIDENT]
        mine = seen(frame, frame.bodies[RESIDENT], body.cell, body.heading, opaque(frame))

        assert mine & set(frame.things) == set(exposure.visible_things(state.room, RESIDENT)), until


def test_live_and_replay_give_the_same_frame(tmp_path: Path) -> None:
    live = a_live(tmp_path / "a")
    visit(live)
    result = live.close()

    with open_log(Path(result["log"])) as reader:
        rows = [row for row in reader.records() if row["kind"] != "end"]
        again = fold(live.stage, rows)

    assert plain(again) == plain(live.frame)


def test_a_seek_gives_what_folding_from_the_start_gives(played: Path) -> None:
    with open_log(played) as reader:
        reel = Reel(reader)
        rows = list(reader.records())
        ticks = sorted({row["tick"] for row in rows})
        for tick in (*ticks[:: max(1, len(ticks) // 25)], ticks[-1], ticks[1], ticks[-2]):
            slow = opening(reel.stage)
            for row in rows:
                if row["tick"] <= tick:
                    take(slow, row)
            slow.tick = tick

            assert plain(reel.at(tick)) == plain(slow), tick


def test_folding_on_is_the_same_as_seeking(played: Path) -> None:
    with open_log(played) as reader:
        reel = Reel(reader)
        frame = reel.at(0)
        for tick in range(0, reel.end_tick, max(1, reel.end_tick // 60)):
            frame = reel.on(frame, tick)

            assert plain(frame) == plain(reel.at(tick)), tick


def test_jumps_meet_every_mark_both_ways(played: Path) -> None:
    with open_log(played) as reader:
        reel = Reel(reader)
        while reel.grow(1000) and not reel.whole:
            pass
        there, tick = [], -1
        while (found := reel.jump(HUMAN, tick, 1)) is not None:
            there.append(found)
            tick = found[0]
        back = []
        tick += 1
        while (found := reel.jump(HUMAN, tick, -1)) is not None:
            back.append(found[0])
            tick = found[0]

    assert [each[0] for each in there] == back[::-1]
    assert len(there) >= 8


def test_the_chain_of_a_request_runs_from_the_words_to_the_deed(played: Path) -> None:
    with open_log(played) as reader:
        reel = Reel(reader)
        while reel.grow(1000) and not reel.whole:
            pass
        name = next(
            row["id"]
            for row in reader.records()
            if row["kind"] == "input" and row["data"]["channel"] == "dialogue"
        )
        kinds = [row["kind"] for row in reel.chain(name, reel.where[name])]

    assert kinds[0] == "input"
    assert "receipt" in kinds
    assert "feedback" in kinds


def test_the_chain_of_a_skill_leads_back_to_its_round(played: Path) -> None:
    with open_log(played) as reader:
        reel = Reel(reader)
        while reel.grow(1000) and not reel.whole:
            pass
        fact = next(
            row for row in reader.records()
            if row["kind"] == "fact" and row["data"]["fact"] == "skill_ended" and row["data"]["doer"] == RESIDENT
        )  # fmt: skip
        kinds = [row["kind"] for row in reel.chain(fact["id"], fact["tick"])]

    assert {"round", "commit", "task", "skill", "fact"} <= set(kinds)


def test_a_belief_about_what_was_moved_unseen_differs_from_the_truth() -> None:
    live = a_live(mode="debug")
    let_pass(live, 1.0)
    live.act("physical", "drag", object="jacket", target="fridge", data={"relation": "in"})
    let_pass(live, 0.2)

    room = believed(live.frame)

    assert live.frame.things["jacket"].place == "fridge"
    assert room.frame.things["jacket"].place == "wardrobe"
    assert "jacket" in room.differs


def test_a_restore_goes_on_in_a_child_log_and_its_replay_begins_where_it_was_saved(tmp_path: Path) -> None:
    live = a_live(tmp_path / "parent")
    live.act("physical", "enter")
    let_pass(live, 1.0)
    live.act("physical", "take", object="apples")
    let_pass(live, 10.0)
    live.act("system", "save")
    let_pass(live, 0.5)
    live.act("physical", "open", object="window")
    let_pass(live, 12.0)
    assert live.frame.things["window"].props["open"] == 1
    live.act("system", "restore")
    let_pass(live, 0.3)
    assert live.over
    live.close()
    assert live.result is None
    assert live.parent is not None
    assert live.frame.things["window"].props["open"] == 0
    let_pass(live, 2.0)
    result = live.close()

    with open_log(Path(result["log"])) as reader:
        assert reader.header["parent"]["tick"] > 0
        reel = Reel(reader)
        first = reel.at(reader.header["parent"]["tick"])

    assert first.things["apples"].place == "visitor"
    assert first.things["window"].props["open"] == 0
    assert plain(reel._front)["things"] == plain(live.frame)["things"]


def test_a_running_log_is_followed(tmp_path: Path) -> None:
    live = a_live(tmp_path / "running")
    let_pass(live, 1.0)
    with open_log(tmp_path / "running") as reader:
        reel = Reel(reader)
        while reel.grow(500) and not reel.whole:
            pass
        before = reel.last_tick
        live.act("physical", "enter")
        let_pass(live, 1.0)
        while reel.grow(500) and not reel.whole:
            pass

        assert not reel.sealed
        assert reel.last_tick > before
        assert "visitor" in reel.at(reel.last_tick).bodies
    live.close()


def test_what_the_resident_did_not_hear_is_not_in_its_view() -> None:
    live = a_live(mode="debug")
    let_pass(live, 1.0)
    live.act("physical", "enter")
    live.act("physical", "teleport", object="visitor", data={"cell": live.frame.bodies[RESIDENT].cell})
    let_pass(live, 0.5)
    live.act("dialogue", "say", text="good morning")
    let_pass(live, 4.0)
    said = [words.text for words in live.frame.said if words.who == "visitor"]
    heard = [words.text for words in believed(live.frame).frame.said if words.who == "visitor"]
    assert said == heard == ["good morning"]

    deaf = live.frame.copy()
    deaf.heard = ()

    assert not [words for words in believed(deaf).frame.said if words.who == "visitor"]


def test_a_participant_outside_sees_nobody_and_nothing_loose() -> None:
    live = a_live()
    let_pass(live, 0.5)

    hidden = unseen_by_visitor(live.frame, live.shown_tick)

    assert RESIDENT in hidden
    assert "apples" in hidden
    assert "bed" not in hidden


def test_two_runs_of_other_seeds_differ_and_of_one_do_not(tmp_path: Path) -> None:
    logs = []
    for name in ("a", "b"):
        live = a_live(tmp_path / name)
        if name == "b":
            live.act("physical", "enter")
        let_pass(live, 2.0)
        logs.append(Path(live.close()["log"]))
    with open_log(logs[0]) as one, open_log(logs[1]) as other, open_log(logs[0]) as same:
        reels = [Reel(each) for each in (one, other, same)]
        for reel in reels:
            while reel.grow(500) and not reel.whole:
                pass
        differing, equal = ReelDiff(reels[0], reels[1]), ReelDiff(reels[0], reels[2])
        differing.grow(1000)
        equal.grow(1000)

    assert differing.first == 0
    assert equal.first is None


def test_memory_stays_bounded_however_long_the_log(played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.reel.KEPT_MAX", 8)
    monkeypatch.setattr("sim.reel.STRETCH", 4)
    with open_log(played) as reader:
        reel = Reel(reader)
        reel._stretch = 4
        while reel.grow(100) and not reel.whole:
            pass
        middle = reel.active[len(reel.active) // 2]
        small = plain(reel.at(middle))
        assert len(reel._kept) <= 9
        assert small == plain(Reel(reader).at(middle))
