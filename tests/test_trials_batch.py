"""A batch: every trial sealed once, whatever dies; the same command goes on; what does not fit is refused plainly."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from logs.check import check
from logs.reader import open_log
from protocols.library import load_protocol
from sim.declare import declare
from sim.replay import verify
from sim.session import run_trial
from tests.conftest import Ran
from tests.trials_cases import a_protocol
from trials.store import results, sealed_ids
from trials.store_batch import (
    BatchError,
    Folder,
    Plan,
    attempts_of,
    begin,
    held,
    make_plan,
    status,
    write_once,
)
from trials.store_merge import merge_into
from trials.store_rows import read_row, row_of
from trials.supervisor import Terms, run_batch
from trials.supervisor_batch import run_trials

ROOT = Path(__file__).parent.parent


def ran(plan: Plan, root: Path, **terms: Any) -> Folder:
    """Run *plan* in *root* to its end."""
    folder = Folder(root)
    begin(folder, plan)
    run_batch(plan, folder, Terms(**terms))
    return folder


def bytes_of(folder: Folder) -> dict[str, bytes]:
    """Return trial id -> the bytes of its sealed log."""
    return {trial: folder.sealed(trial).read_bytes() for trial in sealed_ids(folder)}


def table_of(folder: Folder) -> bytes:
    """Return results.csv, made anew."""
    results(folder)
    return (folder.root / "results.csv").read_bytes()


def oneroom(*words: object) -> list[str]:
    """Return the command line of a process of its own."""
    return [sys.executable, str(ROOT / "oneroom.py"), *map(str, words)]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return a_protocol(tmp_path_factory.mktemp("protocol"))


@pytest.fixture(scope="module")
def serial(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return ran(make_plan(small), tmp_path_factory.mktemp("serial") / "b", jobs=1)


def test_a_plan_is_arms_by_seeds_and_an_id_is_no_position(small: Path) -> None:
    plan = make_plan(small)
    part = make_plan(small, seeds=[3, 2], arms=["other"])

    assert len(plan.trials) == 6
    assert [(trial.arm, trial.seed) for trial in part.trials] == [("other", 3), ("other", 2)]
    assert {trial.id for trial in part.trials} < {trial.id for trial in plan.trials}
    for trial in plan.trials:
        assert plan.declared(trial) == declare(small, arm=trial.arm, seed=trial.seed)


def test_a_seed_that_is_not_declared_marks_its_trials_as_exploratory(small: Path) -> None:
    plan = make_plan(small, seeds=[1, 99])

    marks = {trial.seed: plan.declared(trial).exploratory for trial in plan.trials}
    assert marks == {1: False, 99: True}
    for trial in plan.trials:
        assert plan.declared(trial) == declare(small, arm=trial.arm, seed=trial.seed)


def test_every_trial_has_one_sealed_log_equal_to_that_of_a_single_run(
    serial: Folder, small: Path, tmp_path: Path
) -> None:
    plan = make_plan(small)
    found = status(serial, plan)

    assert (found["total"], found["sealed"], found["failed"]) == (6, 6, 0)
    assert len({row["head"] for row in found["trials"]}) == 6
    trial = plan.trials[4]
    alone = run_trial(declare(small, arm=trial.arm, seed=trial.seed), out=tmp_path / trial.id)
    assert serial.sealed(trial.id).read_bytes() == Path(alone["log"]).read_bytes()
    assert check(serial.sealed(trial.id), serial.sealed(trial.id).parent / "manifest.jsonl").ok


def test_two_processes_give_the_same_table_as_one(serial: Folder, small: Path, tmp_path: Path) -> None:
    both = ran(make_plan(small), tmp_path / "b", jobs=2)

    assert bytes_of(both) == bytes_of(serial)
    assert table_of(both) == table_of(serial)


def test_shards_are_disjoint_and_together_are_the_whole(serial: Folder, small: Path, tmp_path: Path) -> None:
    plans = [make_plan(small, shard=(at, 3)) for at in (1, 2, 3)]
    ids = [{trial.id for trial in plan.trials} for plan in plans]
    assert ids[0].isdisjoint(ids[1])
    assert ids[0] | ids[1] | ids[2] == {trial.id for trial in make_plan(small).trials}

    folders = [ran(plan, tmp_path / str(at), jobs=1) for at, plan in enumerate(plans)]
    found = merge_into(folders, Folder(tmp_path / "whole"))

    assert found == {"sealed": 6, "added": 6, "there": 0}
    assert table_of(Folder(tmp_path / "whole")) == table_of(serial)
    assert merge_into(folders, Folder(tmp_path / "whole")) == {"sealed": 6, "added": 0, "there": 6}


def test_only_what_is_missing_is_run_again(serial: Folder, small: Path, tmp_path: Path) -> None:
    folder = ran(make_plan(small, arms=["plain"]), tmp_path / "b", jobs=1)
    before = {trial: folder.sealed(trial).stat().st_mtime_ns for trial in sealed_ids(folder)}

    ran(make_plan(small), folder.root, jobs=1)

    assert {trial: folder.sealed(trial).stat().st_mtime_ns for trial in before} == before
    assert table_of(folder) == table_of(serial)
    assert all(len(tried) == 1 for tried in attempts_of(folder).values())


def killing_stop(folder: Folder, victims: Sequence[str]) -> Callable[[], int]:
    """Return a stop signal that never stops, but kills the process writing one of *victims* when it sees it, each once."""
    left = list(victims)

    def stop() -> int:
        for trial in list(left):
            if folder.part(trial).exists():
                children = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split()
                for child in children:
                    os.kill(int(child), signal.SIGKILL)
                left.remove(trial)
        return 0

    return stop


def test_a_killed_trial_is_gone_on_with_and_equals_an_undisturbed_one(
    serial: Folder, small: Path, tmp_path: Path
) -> None:
    plan = make_plan(small)
    folder = Folder(tmp_path / "b")
    begin(folder, plan)
    victims = [plan.trials[1].id, plan.trials[4].id]
    run_batch(plan, folder, Terms(jobs=1), stop=killing_stop(folder, victims))

    assert bytes_of(folder) == bytes_of(serial)
    assert table_of(folder) == table_of(serial)


def test_a_torn_part_is_continued_byte_for_byte(serial: Folder, small: Path, tmp_path: Path) -> None:
    plan = make_plan(small)
    trial = plan.trials[0]
    with open_log(serial.sealed(trial.id)) as reader:
        lines = list(reader.raw_lines())
    folder = Folder(tmp_path / "b")
    begin(folder, plan)
    folder.part(trial.id).parent.mkdir(parents=True)
    folder.part(trial.id).write_bytes(b"".join(lines[: len(lines) // 2])[:-7])

    run_batch(plan, folder, Terms(jobs=1))

    assert bytes_of(folder) == bytes_of(serial)
    assert verify(folder.sealed(trial.id))["ok"]


def test_a_part_that_never_got_its_header_is_begun_anew(serial: Folder, small: Path, tmp_path: Path) -> None:
    plan = make_plan(small)
    trial = plan.trials[0]
    folder = Folder(tmp_path / "b")
    begin(folder, plan)
    folder.part(trial.id).parent.mkdir(parents=True)
    folder.part(trial.id).write_bytes(b'{"format":"onero')

    run_batch(plan, folder, Terms(jobs=1))

    assert bytes_of(folder) == bytes_of(serial)


def test_a_poison_trial_is_blamed_alone(serial: Folder, small: Path, tmp_path: Path) -> None:
    plan = make_plan(small)
    poison = plan.trials[2]
    folder = Folder(tmp_path / "b")
    begin(folder, plan)
    # A part that is no log of this trial: whoever goes on with it fails, every time.
    folder.part(poison.id).parent.mkdir(parents=True)
    folder.part(poison.id).write_bytes(b"not a log\n")

    tally = run_batch(plan, folder, Terms(jobs=2, retries=1))
    found = status(folder, plan)

    assert (tally.done, tally.failed) == (5, 1)
    assert [row["id"] for row in found["trials"] if row["status"] == "failed"] == [poison.id]
    assert len(attempts_of(folder)[poison.id]) == 2
    assert all(len(tried) == 1 for trial, tried in attempts_of(folder).items() if trial != poison.id)
    assert {trial: data for trial, data in bytes_of(serial).items() if trial != poison.id} == bytes_of(folder)
    assert folder.part(poison.id).read_bytes() == b"not a log\n", "nothing is deleted"


def test_too_many_failures_end_the_batch_early(small: Path, tmp_path: Path) -> None:
    plan = make_plan(small)
    folder = Folder(tmp_path / "b")
    begin(folder, plan)
    for trial in plan.trials:
        folder.part(trial.id).parent.mkdir(parents=True, exist_ok=True)
        folder.part(trial.id).write_bytes(b"not a log\n")

    tally = run_batch(plan, folder, Terms(jobs=1, retries=0, max_failures=2))

    assert tally.failed == 3
    assert tally.stopped == "3 trials failed"


def test_a_trial_over_its_time_is_ended_and_told(small: Path, tmp_path: Path) -> None:
    plan = make_plan(small, seeds=[1], arms=["plain"])
    folder = ran(plan, tmp_path / "b", jobs=1, retries=0, timeout_s=0.001)

    [row] = status(folder, plan)["trials"]
    assert row["status"] in ("failed", "sealed")
    if row["status"] == "failed":
        assert "took longer than 0.001 s" in row["error"]


def test_a_trial_over_its_memory_fails_alone_and_says_so(tmp_path: Path) -> None:
    """In a process of its own: this one has so much freed memory that a trial would hardly need more."""
    protocol = a_protocol(tmp_path, duration="30d", seeds="[1]")
    words = (
        "trials",
        "run",
        protocol,
        "--arm",
        "plain",
        "--jobs",
        1,
        "--retries",
        0,
        "--memory",
        1,
        "--out",
        tmp_path / "b",
        "--json",
    )
    ended = subprocess.run(oneroom(*words), capture_output=True, timeout=120, check=False)

    [row] = json.loads(ended.stdout)["trials"]
    assert (ended.returncode, row["status"]) == (1, "failed")
    assert "memory" in row["error"]


def test_a_graceful_stop_finishes_what_runs_and_the_rest_waits(
    serial: Folder, small: Path, tmp_path: Path
) -> None:
    plan = make_plan(small)
    folder = Folder(tmp_path / "b")
    begin(folder, plan)
    tally = run_batch(plan, folder, Terms(jobs=1), stop=lambda: int(len(sealed_ids(folder)) >= 2))
    found = status(folder, plan)

    assert tally.stopped == "stopped"
    assert 2 <= found["sealed"] < 6
    assert found["aborted"] == found["running"] == 0
    assert found["waiting"] == 6 - found["sealed"]
    run_batch(plan, folder, Terms(jobs=1))
    assert bytes_of(folder) == bytes_of(serial)


def test_a_hard_stop_leaves_what_can_be_gone_on_with(serial: Folder, small: Path, tmp_path: Path) -> None:
    plan = make_plan(small)
    folder = Folder(tmp_path / "b")
    begin(folder, plan)
    tally = run_batch(
        plan, folder, Terms(jobs=2), stop=lambda: 2 if any(folder.root.glob("logs/*/*.part")) else 0
    )

    assert tally.stopped == "aborted" or tally.done == 6
    run_batch(plan, folder, Terms(jobs=2))
    assert bytes_of(folder) == bytes_of(serial)


def test_a_changed_protocol_is_refused_and_nothing_is_touched(
    small: Path, serial: Folder, tmp_path: Path
) -> None:
    changed = tmp_path / "small.toml"
    text = small.read_text(encoding="utf-8")
    changed.write_text(text.replace('start = "08:00"', 'start = "09:00"'), encoding="utf-8")
    before = bytes_of(serial)

    with pytest.raises(BatchError, match="not what this batch began with"):
        begin(serial, make_plan(changed))
    with pytest.raises(BatchError, match="overrides"):
        begin(serial, make_plan(small, overrides={"model.provider": "scripted"}))
    assert bytes_of(serial) == before


def test_two_commands_do_not_share_a_batch_but_shards_do(tmp_path: Path) -> None:
    folder = Folder(tmp_path)

    with held(folder, (1, 1)):
        with pytest.raises(BatchError, match="another command runs this batch"), held(folder, (1, 1)):
            pass
        with held(folder, (2, 3)):
            pass
    with held(folder, (1, 1)):
        pass


def test_two_batches_that_meet_in_one_folder_lose_nothing(
    serial: Folder, small: Path, tmp_path: Path
) -> None:
    """Without the courtesy lock: the locks of the logs alone must do."""
    plan = make_plan(small)
    folder = Folder(tmp_path / "b")
    begin(folder, plan)
    code = (
        "import sys; from pathlib import Path; from trials.store_batch import *; from trials.supervisor import *; "
        "plan = make_plan(sys.argv[1]); tally = run_batch(plan, Folder(Path(sys.argv[2])), Terms(jobs=1)); "
        "assert tally.done == 6, tally"
    )
    command = [sys.executable, "-c", code, str(small), str(folder.root)]
    pair = [subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE) for _ in range(2)]
    for each in pair:
        _, errors = each.communicate(timeout=120)
        assert each.returncode == 0, errors.decode()

    assert bytes_of(folder) == bytes_of(serial)
    assert table_of(folder) == table_of(serial)


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 300 KiB, where this process may make one."""
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(place)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("no disk can be made here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_ends_the_batch_plainly_and_room_lets_it_go_on(
    serial: Folder, small: Path, tiny_disk: Path, cli: Callable[..., Ran]
) -> None:
    words = ("trials", "run", small, "--jobs", 1, "--retries", 0, "--out", tiny_disk / "b")
    full = cli(*words)
    before = bytes_of(Folder(tiny_disk / "b"))

    assert full.code == 3
    assert "space" in (full.err + full.out).lower()
    assert "Traceback" not in full.err
    subprocess.run(["mount", "-o", "remount,size=20m", str(tiny_disk)], check=True)
    again = cli(*words)
    assert again.code == 0, again.err
    assert before.items() <= bytes_of(Folder(tiny_disk / "b")).items()
    assert bytes_of(Folder(tiny_disk / "b")) == bytes_of(serial)


def test_a_read_only_folder_is_told_before_anything_runs(
    small: Path, tiny_disk: Path, cli: Callable[..., Ran]
) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(tiny_disk)], check=True)

    told = cli("trials", "run", small, "--out", tiny_disk / "b")

    assert told.code in (2, 3)
    assert "read-only" in told.err.lower()


def test_a_folder_with_other_things_in_it_is_refused(small: Path, tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("dear", encoding="utf-8")

    with pytest.raises(BatchError, match="holds other things"):
        begin(Folder(tmp_path), make_plan(small))


def test_a_result_is_created_once(tmp_path: Path) -> None:
    assert write_once(tmp_path / "a", b"first")
    assert not write_once(tmp_path / "a", b"second")
    assert (tmp_path / "a").read_bytes() == b"first"


def test_a_row_counts_only_for_the_log_it_was_counted_from(serial: Folder) -> None:
    one, other = sealed_ids(serial)[:2]
    stolen = json.loads(serial.row(other).read_bytes())
    serial.row(one).write_text(json.dumps(stolen), encoding="utf-8")

    assert read_row(serial.row(one), serial.sealed(one)) == row_of(serial.sealed(one))
    assert read_row(serial.row(one), serial.sealed(one))["facts"]["trial"] == one


@pytest.mark.parametrize("measured", [False, True], ids=["without a row", "with the row that a table made"])
def test_a_seal_whose_process_died_before_the_manifest_is_entered_later(
    serial: Folder, small: Path, tmp_path: Path, measured: bool
) -> None:
    plan = make_plan(small, seeds=[1], arms=["plain"])
    [trial] = plan.trials
    folder = Folder(tmp_path / "b")
    begin(folder, plan)
    folder.sealed(trial.id).parent.mkdir(parents=True)
    folder.sealed(trial.id).write_bytes(serial.sealed(trial.id).read_bytes())
    if measured:
        results(folder)
        assert folder.row(trial.id).exists()

    run_batch(plan, folder, Terms(jobs=1))

    manifest = folder.sealed(trial.id).parent / "manifest.jsonl"
    found = check(folder.sealed(trial.id), manifest)
    assert (found.ok, found.in_manifest) == (True, True)
    assert folder.row(trial.id).exists()


def test_a_human_trial_is_no_batch(tmp_path: Path) -> None:
    path = a_protocol(tmp_path)
    path.write_text(
        path.read_text(encoding="utf-8")
        + '\n[visitor]\nkind = "human"\ncode = "P1"\ninstructions = { en = "Be kind.", zh = "友善。" }\n[channels.dialogue]\nopen = true\n',
        encoding="utf-8",
    )
    load_protocol(path)

    with pytest.raises(BatchError, match="nobody who could be the visitor"):
        make_plan(path)


def test_the_command_line_runs_tells_and_exports(
    small: Path, tmp_path: Path, cli: Callable[..., Ran]
) -> None:
    out = tmp_path / "b"
    checked = cli("trials", "check", small, "--json").json
    assert checked["total"] == 6
    assert not out.exists()

    done = cli("trials", "run", small, "--jobs", 2, "--out", out, "--json")
    assert (done.code, done.json["sealed"], done.json["total"]) == (0, 6, 6)
    assert done.json["digest"] == checked["digest"]
    told = cli("trials", "status", out, "--json").json
    assert {row["status"] for row in told["trials"]} == {"sealed"}
    for key in ("id", "arm", "seed", "status", "attempts", "log", "head"):
        assert key in told["trials"][0]
    other = tmp_path / "other"  # The folder knows under which model it was begun.
    cli("trials", "run", small, "--seeds", "1:1", "--model", "scripted", "--out", other, "--json")
    assert cli("trials", "status", other, "--json").code == 0
    log = told["trials"][0]["log"]
    exported = cli("export", log, "--out", tmp_path / "x.csv", "--json").json
    assert exported["records"] == sum(1 for _ in (tmp_path / "x.csv").open(encoding="utf-8")) - 1
    assert cli("export", out, "--json").json["trials"] == 6


def test_arms_are_compared_over_the_same_seeds_from_the_command_line(
    serial: Folder, cli: Callable[..., Ran]
) -> None:
    pytest.importorskip("scipy")
    pytest.importorskip("statsmodels")
    found = cli("trials", "compare", serial.root, "--json").json["comparisons"]

    assert {(each["first"], each["second"], each["pairs"]) for each in found} == {("plain", "other", 3)}
    assert any(each["difference"] for each in found), "two personas differ in something"
    assert cli("trials", "plan", "--effect", 0.5, "--json").json["seeds"] == 34
    pilot = ("trials", "plan", serial.root, "--metric", "mood_pleasure", "--half-width", 20)
    assert cli(*pilot, "--json").json["arms"] == ["plain", "other"]
    assert cli(*pilot, "--first", "other", "--json").json["arms"] == ["other"]
    unknown = cli(*pilot, "--second", "none")
    assert (unknown.code, "no arm 'none'" in unknown.err) == (2, True)
    assert len(cli("trials", "metrics", "--json").json["metrics"]) >= 25


def test_a_batch_is_one_call_in_python(serial: Folder, small: Path, tmp_path: Path) -> None:
    found = run_trials(small, out=tmp_path / "b", terms=Terms(jobs=2))

    assert (found["sealed"], found["total"], found["stopped"]) == (6, 6, "")
    assert table_of(Folder(tmp_path / "b")) == table_of(serial)


def test_wrong_use_is_answered_plainly(small: Path, tmp_path: Path, cli: Callable[..., Ran]) -> None:
    for words, said in (
        (("trials", "status", tmp_path), "no batch here"),
        (("trials", "run", small, "--shard", "3/2", "--out", tmp_path / "b"), "no shard"),
        (("trials", "run", small, "--seeds", "a:b", "--out", tmp_path / "b"), "no seeds"),
        (("trials", "run", small, "--seeds", "1:99999999999", "--out", tmp_path / "b"), "too many seeds"),
        (("trials", "run", small, "--engine", "ray", "--out", tmp_path / "b"), "no engine"),
        (("trials", "check", small, "--arm", "nonsense"), "no arm"),
        (("trials", "plan"), "say what is to be found"),
    ):
        ran_words = cli(*words)
        assert ran_words.code == 2, words
        assert said in ran_words.err, words
    assert not (tmp_path / "b" / "logs").exists()


def test_a_parent_killed_at_once_leaves_a_batch_that_the_same_command_ends(
    serial: Folder, small: Path, tmp_path: Path
) -> None:
    folder = Folder(tmp_path / "b")
    command = oneroom("trials", "run", small, "--jobs", 2, "--out", folder.root)
    first = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not any(folder.root.glob("logs/*/*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    first.kill()
    first.wait()
    sealed = set(sealed_ids(folder))

    again = subprocess.run(command, capture_output=True, timeout=120, check=False)

    assert again.returncode == 0, again.stderr.decode()
    assert sealed <= set(sealed_ids(folder))
    assert bytes_of(folder) == bytes_of(serial)
    assert table_of(folder) == table_of(serial)


def test_ctrl_c_ends_a_batch_with_exit_code_3_and_the_same_command_goes_on(
    small: Path, tmp_path: Path
) -> None:
    folder = Folder(tmp_path / "b")
    command = oneroom("trials", "run", small, "--jobs", 1, "--out", folder.root)
    first = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not any(folder.root.glob("logs/*/*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    first.send_signal(signal.SIGINT)
    _, errors = first.communicate(timeout=60)

    assert first.returncode == 3, errors.decode()
    assert b"will finish" in errors
    assert not list(folder.root.glob("logs/*/*.part"))
    assert subprocess.run(command, capture_output=True, timeout=120, check=False).returncode == 0
    assert len(sealed_ids(folder)) == 6
