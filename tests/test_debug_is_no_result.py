"""No run made with drag, by any path, passes as a result: its own log and what is made of it, before every door."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from trials_cases import a_protocol

import oneroom
from logs.reader import open_log
from logs.writer import LogWriter
from sim.fork import fork
from sim.live import Live
from sim.play_declare import declare_play
from sim.refold import ReplayError
from sim.replay import verify
from sim.reuse import Reused, ReuseError
from sim.session import resume
from sim.taint import DEBUG_OPS, debugged
from trials.report_data import read_study
from trials.store import export_log, results, results_of
from trials.store_batch import BatchError, Folder, begin, make_plan
from trials.store_merge import merge_into
from trials.supervisor import Terms, run_batch

Cli = Callable[..., Any]
NAME = "drag"


def let_pass(live: Live, seconds: float) -> None:
    for _ in range(round(seconds / 0.05)):
        live.pump(0.05, budget_s=1.0)


def a_session(folder: Path, *, restored: bool = False) -> Live:
    """Return a debug session in which a mug was dragged; *restored*, one that then went back to a save in a child log."""
    live = Live(declare_play("first_visit", seed=1, mode="debug"), folder / NAME)
    live.act("physical", "drag", object="mug", target="table", data={"relation": "on"})
    let_pass(live, 4.0)
    assert live.frame.things["mug"].place == "table"
    if restored:
        live.act("system", "save")
        let_pass(live, 0.5)
        live.act("system", "restore")
        let_pass(live, 0.5)
        live.close()
        let_pass(live, 1.0)
    return live


def with_header(log: Path, out: Path, **header: Any) -> Path:
    """Write *log* anew, whole and well chained, under a header that says something else."""
    with open_log(log) as reader:
        rows = list(reader.records())
        own = {key: value for key, value in reader.header.items() if key not in ("schema", "h")}
    for key, value in header.items():
        own.pop(key, None) if value is None else own.__setitem__(key, value)
    writer = LogWriter.create(out, own)
    for tick, group in groupby(rows[:-1], key=lambda row: int(row["tick"])):
        writer.append(tick, [{key: row[key] for key in ("tick", "kind", "id", "causes", "data")} for row in group])
    end = {key: value for key, value in rows[-1]["data"].items() if key != "log"}
    return writer.seal(end, tick=rows[-1]["tick"]).path


@dataclass(frozen=True)
class Paths:
    """One way by which a debug run could come to stand among results."""

    log: Path
    honest: bool
    """Whether its header still says what it was."""


PATHS = ("as_it_is", "renamed", "copied", "edited", "restored", "restored_edited", "resumed", "forked")


@pytest.fixture(scope="module", params=PATHS)
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Paths:
    folder: Path = tmp_path_factory.mktemp(request.param)
    way, there = request.param, folder / "there"
    there.mkdir()
    restored = way.startswith("restored")
    live = a_session(folder, restored=restored)
    if way == "resumed":
        let_pass(live, 30.0)
        live.session.writer.abort()  # type: ignore[union-attr]  # as if its process had died
        return Paths(Path(resume(folder / NAME, stop=lambda: True)["log"]), True)
    log = Path(live.close()["log"])
    if restored:
        assert log.name != f"{NAME}.jsonl.zst"
    if way == "renamed":
        return Paths(log.rename(there / "result.jsonl.zst"), True)
    if way == "copied":
        return Paths(Path(shutil.copy(log, there / log.name)), True)
    if way.endswith("edited"):
        lie = {"mode": "trial", "exploratory": False, "reasons": [], "parent": None}
        return Paths(with_header(log, there / NAME, **lie), False)
    if way == "forked":
        return Paths(Path(fork(log, at=3, settings={"mind.s3": False}, out=there / NAME, stop=lambda: True)["log"]), True)
    return Paths(log, True)


def test_it_is_known_for_what_it_is(path: Paths) -> None:
    with open_log(path.log) as reader:
        assert debugged(reader)
        assert (reader.header["mode"] == "debug") is path.honest


def test_no_export_takes_it(path: Paths, tmp_path: Path, cli: Cli) -> None:
    for form in ("csv", "parquet", "json"):
        with pytest.raises(BatchError, match="debug"):
            export_log(path.log, tmp_path / f"rows.{form}", form)
    told = cli("export", path.log, "--out", tmp_path / "rows.csv")
    assert told.code == 2
    assert "debug" in told.err
    assert list(tmp_path.glob("rows*")) == []


def test_no_table_report_comparison_or_merge_takes_it(path: Paths, tmp_path: Path, cli: Cli) -> None:
    plan = make_plan(a_protocol(tmp_path, seeds="[1]", duration="2m"))
    root, folder = tmp_path / "batch", Folder(tmp_path / "batch")
    begin(folder, plan)
    run_batch(plan, folder, Terms(jobs=1))
    results(folder)
    before = (root / "results.csv").read_bytes()
    with open_log(path.log) as reader:
        place = folder.sealed(reader.header["trial_id"])
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path.log, place)

    for refuse in (
        lambda: results(folder),
        lambda: list(results_of(folder, [place.name.removesuffix(".jsonl.zst")])),
        lambda: read_study(root),
        lambda: merge_into([folder], Folder(tmp_path / "merged")),
    ):
        with pytest.raises(BatchError, match="debug"):
            refuse()
    for command in (
        ("report", root), ("trials", "merge", root, "--out", tmp_path / "merged2"), ("trials", "compare", root),
        ("export", root, "--out", tmp_path / "table.csv"),
    ):  # fmt: skip
        told = cli(*command)
        assert told.code == 2, (command, told.out)
        assert "debug" in told.err, (command, told.err)
    assert (root / "results.csv").read_bytes() == before
    assert list(tmp_path.glob("table*")) == []


def test_it_is_not_taken_for_a_declared_trial_that_was_run(path: Paths, tmp_path: Path) -> None:
    """Under the name and with the id of a declared trial it stands in the place of its log: the batch does not count it as done."""
    plan = make_plan(a_protocol(tmp_path, seeds="[1]", duration="2m"))
    folder = Folder(tmp_path / "batch")
    begin(folder, plan)
    trial = plan.trials[0]
    folder.sealed(trial.id).parent.mkdir(parents=True, exist_ok=True)
    with open_log(path.log) as reader:
        mode = reader.header["mode"]
    made = with_header(path.log, tmp_path / "made", trial_id=trial.id, mode=mode)
    shutil.move(made, folder.sealed(trial.id))

    tally = run_batch(plan, folder, Terms(jobs=1, retries=0))

    assert tally.failed == 1
    with pytest.raises(BatchError, match="debug"):
        results(folder)


def test_its_replies_are_not_given_again(path: Paths, tmp_path: Path, cli: Cli) -> None:
    with pytest.raises(ReuseError, match="debug"):
        Reused.open(path.log)
    told = cli("run", "first_visit", "--replies", path.log, "--out", tmp_path / "again")
    assert told.code == 2
    assert "debug" in told.err
    assert list(tmp_path.glob("again*")) == []


def test_what_goes_on_from_it_is_tainted_too(path: Paths, tmp_path: Path) -> None:
    """A fork of a fork, a child of a child: the mark is not lost on the way; where the header lies, nothing goes on at all."""
    if not path.honest:
        told = verify(path.log)
        if told["ok"]:  # A child that dragged nothing itself holds what its parent did, and is known by that.
            assert debugged(open_log(path.log))
            return
        with pytest.raises(ReplayError):
            fork(path.log, at=3, settings={"mind.s3": False}, out=tmp_path / "child")
        return
    with open_log(path.log) as reader:
        end = reader.end
        assert end is not None
        at = max(1, int(end["tick"]))
    child = fork(path.log, at=at, settings={"mind.s3": False}, out=tmp_path / "child", stop=lambda: True)
    with open_log(Path(child["log"])) as reader:
        assert debugged(reader)


def test_the_python_face_tells_and_a_rewritten_header_is_found_by_the_simulation(path: Paths) -> None:
    with oneroom.open_log(path.log) as reader:
        rows = [row for row in reader.records() if row["kind"] == "input" and row["data"]["op"] in DEBUG_OPS]
    if not path.honest and rows:
        told = oneroom.verify(path.log)
        assert not told["ok"]
        assert told["first_difference"]["field"] == "data.status"


@pytest.mark.parametrize("mode", ["play", "trial"])
@pytest.mark.parametrize("op", sorted(DEBUG_OPS))
def test_outside_debug_every_act_of_it_is_denied(mode: str, op: str, tmp_path: Path) -> None:
    live = Live(declare_play("free_play", seed=1, mode=mode), tmp_path / "run")
    live.act("physical", op, object="mug", target="table", data={"relation": "on", "cell": 300, "prop": "dirty", "value": 1})
    let_pass(live, 0.5)
    row = next(iter(live.frame.rows.values()))
    assert (row.receipt, row.reason) == ("denied", "wrong_mode")
    log = Path(live.close()["log"])
    with open_log(log) as reader:
        assert not debugged(reader)  # To have tried is not to have done.


def test_gym_and_simulation_have_no_way_into_debug() -> None:
    simulation = oneroom.Simulation("free_play", seed=1)
    simulation.reset()
    simulation.act("physical", "drag", object="mug", target="table")
    simulation.advance(ticks=5)
    assert [row["reason"] for row in simulation.feedback()] == ["wrong_mode"]
