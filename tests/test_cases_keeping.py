"""What broke elsewhere in saving, resuming, resetting, determinism and replay (reports R37-R61, C5-C21, and the numbered list
of trial, replay and play software): what must hold here instead.

Held by other tests already: kills, torn tails and full disks (`test_logs_*`, 1-4, 6, 27-31, 44, 63-66, R37); batches (`test_trials_*`,
R35, R48, 6-25, 67-75); schemas (`test_logs_schema`, R40, 49-52); frames (`test_frame`, 53, 60); forks (R60); house rules (R49, 33).
"""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

import oneroom
from interventions.contract import Intervention
from logs.faults import LogError
from logs.reader import open_log
from logs.writer import LogWriter
from sim import kernel
from sim.build import build, restore, snapshot
from sim.chance import Chance
from sim.declare import declare
from sim.live import Live, settle
from sim.play_declare import declare_play
from sim.reel import Reel
from sim.replay import verify
from sim.session import resume, run_trial
from tests.makers import ENTER, a_declared, a_state, live, rows_of, say
from trials.store import results, results_of
from trials.store_batch import BatchError, Folder

ROOT = Path(__file__).parent.parent
NONE = {"model.provider": "none"}
Cli = Callable[..., Any]


def lines_of(path: Path) -> list[dict[str, Any]]:
    with open_log(path) as reader:
        return list(reader.records())


def rewritten(log: Path, out: Path, change: Callable[[dict[str, Any]], None], header: dict[str, Any] | None = None) -> Path:
    """Write *log* anew with *change* applied to every record: a whole, well-chained log that tells another story."""
    with open_log(log) as reader:
        rows = list(reader.records())
        own = {key: value for key, value in reader.header.items() if key not in ("schema", "h")}
    writer = LogWriter.create(out, {**own, **(header or {})})
    for tick, group in groupby(rows[:-1], key=lambda row: int(row["tick"])):
        same = list(group)
        for row in same:
            change(row)
        writer.append(tick, [{key: row[key] for key in ("tick", "kind", "id", "causes", "data")} for row in same])
    end = {key: value for key, value in rows[-1]["data"].items() if key != "log"}
    return writer.seal(end, tick=rows[-1]["tick"]).path


# --- keeping ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [KeyboardInterrupt, SystemExit, MemoryError])
def test_an_interrupt_at_any_moment_leaves_a_prefix_that_resumes_to_the_same_bytes(tmp_path: Path, how: type[BaseException]) -> None:
    """2, 3, R19 of the ticks: whatever breaks off a run, the log holds every tick before it and goes on from there."""
    declared = declare("quiet_day", seed=3, overrides={**NONE, "duration": "6h"})
    whole = Path(run_trial(declared, out=tmp_path / "a" / "whole")["log"])

    def break_off(tick: int) -> None:
        if tick >= 72_000:
            raise how

    with pytest.raises(how):
        run_trial(declared, out=tmp_path / "b" / "whole", progress=break_off)
    part = tmp_path / "b" / "whole.jsonl.part"
    assert lines_of(part) == lines_of(whole)[: len(lines_of(part))]
    assert lines_of(part)[-1]["tick"] > 60_000

    assert Path(resume(part)["log"]).read_bytes() == whole.read_bytes()


def test_nothing_is_kept_in_destructors_or_at_exit() -> None:
    """3."""
    for path in ROOT.glob("*/*.py"):
        if path.parent.name not in ("tests", "docs"):
            assert not re.search(r"__del__|atexit", path.read_text(encoding="utf-8")), path


def test_no_text_ever_becomes_code() -> None:
    """C7, R49: nothing that came from a model, a person or a file is evaluated, unpickled or handed to a shell."""
    # A trial is handed to its own child process through a pipe that nobody else holds.
    own_pipe = {ROOT / "trials" / "supervisor_dask.py": "dumps", ROOT / "trials" / "supervisor_child.py": "loads"}
    for name in ("agent", "world", "interventions", "protocols", "logs", "sim", "trials"):
        for path in (ROOT / name).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            if path in own_pipe:
                text = text.replace(f"pickle.{own_pipe[path]}(", "", 1)
            found = re.search(r"(?<![.\w])(eval|exec)\(|\bpickle\.|__import__|shell=True", text)
            assert found is None, (path, found)


def test_where_nothing_can_be_written_nothing_is_run(tmp_path: Path) -> None:
    """R38, 20: the path is tried before the first tick, not after the last."""
    (tmp_path / "file").write_text("in the way")
    run_trial(declare("first_visit", seed=1, overrides=NONE), out=tmp_path / "taken")
    ticks: list[int] = []

    for out in (tmp_path / "taken", tmp_path / "file" / "log"):
        with pytest.raises((LogError, OSError)) as told:
            run_trial(declare("quiet_day", overrides=NONE), out=out, progress=ticks.append)
        assert str(told.value)
    assert not ticks


def test_a_damaged_manifest_is_named_before_anything_is_run_and_hinders_no_other_folder(tmp_path: Path) -> None:
    """16: a damaged file of state is named; what was run beside it stays readable, and a fresh folder starts."""
    log = Path(run_trial(declare("first_visit", seed=1, overrides=NONE), out=tmp_path / "one")["log"])
    (tmp_path / "manifest.jsonl").write_bytes(b"not a manifest\n" * 3)

    assert lines_of(log)
    with pytest.raises(LogError, match=r"manifest\.jsonl"):
        run_trial(declare("first_visit", seed=2, overrides=NONE), out=tmp_path / "two")
    assert run_trial(declare("first_visit", seed=2, overrides=NONE), out=tmp_path / "fresh" / "two")["status"] == "done"


def test_a_snapshot_that_does_not_fit_is_refused_whole() -> None:
    """R40: never half."""
    declared = a_declared(overrides=NONE)
    state = build(declared)
    live(state, 600)
    saved = json.loads(json.dumps(snapshot(state)))
    torn = json.loads(json.dumps(saved))
    torn["state"]["f"] = torn["state"]["f"][:-1]

    with pytest.raises(ValueError, match="another version"):
        restore(torn, declared.room)
    assert snapshot(restore(saved, declared.room)) == saved


def test_a_person_s_trial_ends_where_its_process_ended(tmp_path: Path) -> None:
    """21: whoever comes back a day later adds nothing to a trial in which a person took part."""
    run = Live(declare_play(None, seed=1), tmp_path / "play")
    run.act("physical", "enter")
    for _ in range(40):
        run.pump(0.05, budget_s=1.0)
    run.session.writer.abort()  # type: ignore[union-attr]

    settled = settle(tmp_path / "play.jsonl.part")
    assert settled is not None
    assert settled["status"] == "stopped"
    assert settled["ticks"] <= 400
    assert verify(Path(settled["log"]))["ok"]


# --- reset --------------------------------------------------------------------------------------------------------


def test_a_reset_in_mid_trial_ends_it_as_stopped_and_leaves_no_timer(tmp_path: Path) -> None:
    """R46, R47, R104, 38, C6: the log of the first is sealed; the second begins as if nobody had ever run."""
    simulation = oneroom.Simulation("first_visit", seed=7, overrides=NONE, out=tmp_path / "trial")
    simulation.reset()
    simulation.act("physical", "enter")
    simulation.advance(minutes=9)
    simulation.reset()
    first = sorted(tmp_path.glob("*.zst"))
    assert len(first) == 1
    assert lines_of(first[0])[-1]["data"]["status"] == "stopped"
    assert simulation.tick == 0
    assert "visitor" not in simulation.session.state.room.bodies

    fresh = oneroom.Simulation("first_visit", seed=7, overrides=NONE)
    fresh.reset()
    assert simulation.digest() == fresh.digest()
    simulation.advance(hours=1)
    fresh.advance(hours=1)
    assert simulation.digest() == fresh.digest()
    fresh.reset(seed=8)
    fresh.advance(hours=1)
    assert simulation.digest() != fresh.digest(), "a seed that is handed to a reset is used"


def test_world_body_mind_and_channels_stand_before_the_first_tick() -> None:
    """R47."""
    state = a_state()

    assert state.room.things
    assert "resident" in state.room.bodies
    assert len(state.room.needs("resident", 0)) == 9
    assert state.gate.remaining("dialogue", 0)["state"] == "open"
    rows = rows_of(kernel.advance(state, [], 0))
    kinds = [row["kind"] for row in rows]
    assert kinds.index("percept") < kinds.index("round") < kinds.index("digest")


# --- determinism --------------------------------------------------------------------------------------------------


def test_draws_are_those_of_blake2b_for_ever() -> None:
    """40: known answers; a library's next version moves none of them."""
    chance = Chance(7)
    assert [chance.draw("event.knock", "door") for _ in range(2)] == [11744957450957832452, 7237084460253217953]
    assert [chance.below("skill.open", "window", 1000) for _ in range(4)] == [459, 540, 212, 589]


def test_draws_of_one_stream_move_no_other_and_are_saved() -> None:
    """34, R44, C15."""
    one, other = Chance(1), Chance(1)
    for _ in range(100):
        one.draw("noise", "a")
    assert one.draw("event", "b") == other.draw("event", "b")

    state = a_state()
    live(state, 6000)
    again = restore(json.loads(json.dumps(snapshot(state))), a_declared().room)
    assert again.chance.counters == state.chance.counters
    assert again.chance.draw("event", "x") == state.chance.draw("event", "x")


def test_the_loop_asks_no_clock_and_no_chance_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """36, R49, R52: each of them is a trap here, and none is sprung."""

    def trap(*_: object) -> Any:
        raise AssertionError("the core reached outside")

    declared = a_declared(ENTER, say(90, "Could you open the window?"), minutes=10)
    for module, names in ((random, ("random", "randint", "choice", "getrandbits")), (uuid, ("uuid4", "uuid1")),
                          (time, ("time", "time_ns"))):  # fmt: skip
        for name in names:
            monkeypatch.setattr(module, name, trap)

    state = build(declared)
    live(state)
    monkeypatch.undo()
    assert state.counts["rounds"] > 0


def test_one_life_whatever_the_order_of_hashes() -> None:
    """R50, R51, C14, 32: every digest of every active tick, over five salts."""
    code = (
        "from tests.makers import *\nimport hashlib\n"
        "state = a_state(ENTER, say(90, 'Could you open the window?'), minutes=20, heavy=True)\n"
        "print(hashlib.sha256(repr(live(state)).encode()).hexdigest())"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env={"PYTHONHASHSEED": salt, "PYTHONPATH": str(ROOT)}, capture_output=True,
            text=True, check=True,
        ).stdout
        for salt in ("0", "1", "42", "1000", "4294967295")
    }  # fmt: skip
    assert len(told) == 1


def test_the_header_proves_seed_tick_and_declaration(tmp_path: Path) -> None:
    """C6, C21, 37, 54, 56."""
    for seed in (None, 2):
        declared = declare("first_visit", seed=seed, overrides=NONE)
        log = Path(run_trial(declared, out=tmp_path / f"seed{seed}")["log"])
        with open_log(log) as reader:
            header = reader.header
        assert header["seed"] == declared.seed
        assert (header["tick_ms"], header["end_tick"]) == (100, 18_000)
        again = run_trial(declare("first_visit", seed=header["seed"], overrides=NONE))
        assert again["digest"] == lines_of(log)[-1]["data"]["digest"]


# --- replay -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "change", "field"),
    [
        ("fact", lambda data: data.update(cell=data["cell"] + 1), "data.cell"),
        ("commit", lambda data: data.update(score=data["score"] + 1), "data.score"),
        ("digest", lambda data: data["parts"].update(world="0" * 32), "data.parts.world"),
    ],
)
def test_a_well_chained_log_of_another_story_is_found_out_at_its_tick_and_field(
    tmp_path: Path, kind: str, change: Callable[[dict[str, Any]], None], field: str
) -> None:
    """R61, C17, 45, 47, 50: the chain holds, the simulation says no."""
    log = Path(run_trial(declare("first_visit", seed=1, overrides=NONE), out=tmp_path / "true")["log"])
    found = [row["seq"] for row in lines_of(log) if row["kind"] == kind]
    at = found[-1]
    tick = next(row["tick"] for row in lines_of(log) if row["seq"] == at)

    def once(row: dict[str, Any]) -> None:
        if row["seq"] == at:
            change(row["data"])

    (tmp_path / "false").mkdir()
    told = verify(rewritten(log, tmp_path / "false" / "log", once))

    assert not told["ok"]
    assert (told["first_difference"]["tick"], told["first_difference"]["field"]) == (tick, field)


def test_a_log_of_another_engine_is_read_and_drawn_and_says_why_it_is_not_simulated(tmp_path: Path) -> None:
    """R40, 49, 50."""
    log = Path(run_trial(declare("first_visit", seed=1, overrides=NONE), out=tmp_path / "true")["log"])
    old = rewritten(log, tmp_path / "old", lambda _: None, {"engine": 0})

    told = verify(old)
    assert not told["ok"]
    assert "engine 0" in told["first_difference"]["reason"]
    with oneroom.replay(old) as recorded:
        assert recorded.frame(9000).bodies


def test_every_tick_of_a_heavy_log_is_compared_in_every_part(tmp_path: Path) -> None:
    """45, R55."""
    result = run_trial(a_declared(ENTER, minutes=5), out=tmp_path / "heavy", heavy=True)
    told = verify(Path(result["log"]), heavy=True)

    assert told["ok"]
    active = len({row["tick"] for row in lines_of(Path(result["log"])) if row["kind"] != "end"})
    assert told["checkpoints"] == active


def test_a_live_act_is_folded_in_at_its_own_tick_and_never_again(tmp_path: Path) -> None:
    """R53: nothing of the schedule or of the hand is brought in twice, nor early."""
    simulation = oneroom.Simulation("first_visit", seed=7, overrides=NONE, out=tmp_path / "log")
    simulation.reset()
    simulation.advance(minutes=2)
    name = simulation.act("dialogue", "say", text="Could you open the window, please?")
    simulation.advance(minutes=2)
    tick = next(row["tick"] for row in lines_of(tmp_path / "log.jsonl.part") if row["kind"] == "input" and row["id"] == name)
    log = Path(simulation.close()["log"])

    assert verify(log)["ok"]
    assert tick == 1201
    inputs = [row["id"] for row in lines_of(log) if row["kind"] == "input"]
    assert len(inputs) == len(set(inputs))


def test_any_moment_of_a_day_is_there_within_a_second_and_a_step_either_way_is_one_tick(tmp_path: Path) -> None:
    """R56, 60."""
    log = Path(run_trial(declare("quiet_day", seed=3, overrides=NONE), out=tmp_path / "day")["log"])
    with open_log(log) as reader:
        reel = Reel(reader)
        while reel.grow(4096):
            pass
        for tick in (1, reel.end_tick // 2, reel.end_tick - 1, 77_777, 300_000):
            began = time.process_time()
            frame = reel.at(tick)
            assert time.process_time() - began < 1
            assert frame.tick == tick
            back = reel.at(tick - 1)
            assert (back.tick, reel.on(back, tick).things) == (tick - 1, frame.things)


def test_two_events_of_one_tick_reach_whoever_may_perceive_them_in_one_order() -> None:
    """R59."""
    told = []
    for turn in (1, -1):
        state = a_state(ENTER)
        live(state, 900)
        acts = [Intervention(f"int-x{n}", "dialogue", 901, n, "api", "say", text=words) for n, words in ((1, "Hello."), (2, "It is warm."))]
        rows = rows_of(kernel.advance(state, list(acts[::turn]), 1200), "percept")
        heard = [row["data"]["content"].get("text") for row in rows if row["data"]["what"] == "speech" or "speech" in str(row["data"])]
        told.append(heard)

    assert told[0] == told[1]
    assert [words for words in told[0] if words] == ["Hello.", "It is warm."]


# --- what can be no result ----------------------------------------------------------------------------------------


def test_nothing_that_was_dragged_about_passes_as_a_result(tmp_path: Path, cli: Cli) -> None:
    """88, R103: a debug log says so in every table, and a batch that holds one is not exported."""
    run = Live(declare_play("first_visit", seed=1, mode="debug"), tmp_path / "drag")
    run.act("physical", "drag", object="mug", target="table")
    for _ in range(20):
        run.pump(0.05, budget_s=1.0)
    log = Path(run.close()["log"])

    with open_log(log) as reader:
        trial = reader.header["trial_id"]
    folder = Folder(tmp_path / "batch")
    folder.sealed(trial).parent.mkdir(parents=True)
    shutil.copy(log, folder.sealed(trial))
    with pytest.raises(BatchError, match="debug"):
        results(folder)
    assert not (tmp_path / "batch" / "results.csv").exists()
    with pytest.raises(BatchError, match="debug"):
        list(results_of(folder, [trial]))
    told = cli("export", log, "--out", tmp_path / "rows.csv")
    assert told.code == 2
    assert "debug" in told.err
    assert not (tmp_path / "rows.csv").exists()
