"""A batch as a person runs it: what goes wrong is told in words, by the right exit code, and nothing is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import Ran
from tests.trials_cases import a_protocol
from trials.store import sealed_ids
from trials.store_batch import Folder, held, make_plan, spent
from trials.supervisor import Tally

ROOT = Path(__file__).parent.parent


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return a_protocol(tmp_path, duration="10m", seeds="[1, 2]")


def test_a_poison_trial_is_named_with_its_reason_and_the_others_are_sealed(
    small: Path, tmp_path: Path, cli: Callable[..., Ran]
) -> None:
    poison = make_plan(small).trials[2].id
    folder = Folder(tmp_path / "b")
    cli("trials", "run", small, "--out", folder.root, "--seeds", "1:1", "--arm", "plain")
    folder.part(poison).parent.mkdir(parents=True)
    folder.part(poison).write_bytes(b"not a log\n")

    ran = cli("trials", "run", small, "--out", folder.root, "--jobs", 2, "--retries", 1)

    assert ran.code == 1
    assert poison in ran.out
    assert "first line is not the header" in " ".join(ran.out.split())
    assert "move its .part away" in ran.out
    assert len(sealed_ids(folder)) == 3
    told = cli("trials", "status", small, "--out", folder.root, "--json")
    failed = [each for each in told.json["trials"] if each["status"] == "failed"]
    assert (told.code, [each["id"] for each in failed], failed[0]["attempts"]) == (1, [poison], 2)
    folder.part(poison).unlink()
    assert cli("trials", "run", small, "--out", folder.root, "--json").json["sealed"] == 4


def test_a_protocol_changed_in_mid_batch_is_refused_and_says_what_changed(
    small: Path, tmp_path: Path, cli: Callable[..., Ran]
) -> None:
    folder = Folder(tmp_path / "b")
    cli("trials", "run", small, "--out", folder.root, "--seeds", "1:1")
    before = {trial: folder.sealed(trial).read_bytes() for trial in sealed_ids(folder)}
    small.write_text(small.read_text(encoding="utf-8").replace("08:00", "09:00"), encoding="utf-8")

    for command in ("run", "status"):
        ran = cli("trials", command, small, "--out", folder.root)
        assert (ran.code, ran.out) == (2, ""), command
        assert "digest, arm 'plain', arm 'other' changed" in ran.err
        assert "give --out another folder" in ran.err
    assert {trial: folder.sealed(trial).read_bytes() for trial in sealed_ids(folder)} == before


def test_a_second_command_on_the_same_batch_is_refused_while_the_first_one_runs(
    small: Path, tmp_path: Path, cli: Callable[..., Ran]
) -> None:
    folder = Folder(tmp_path / "b")
    cli("trials", "run", small, "--out", folder.root, "--seeds", "1:1")

    with held(folder, (1, 1)):
        ran = cli("trials", "run", small, "--out", folder.root)
        assert cli("trials", "status", small, "--out", folder.root).code == 0, "looking is always allowed"

    assert (ran.code, ran.out) == (2, "")
    assert "another command runs this batch" in ran.err
    assert cli("trials", "run", small, "--out", folder.root).code == 0


def test_another_batch_is_not_put_into_the_folder_of_this_one(
    small: Path, tmp_path: Path, cli: Callable[..., Ran]
) -> None:
    out = tmp_path / "b"
    cli("trials", "run", small, "--out", out, "--seeds", "1:1")

    ran = cli("trials", "run", "quiet_day", "--out", out)

    assert ran.code == 2
    assert "not what this batch began with" in ran.err
    assert "give this one --out" in cli("trials", "check", "quiet_day", "--out", out).out
    assert cli("trials", "check", small, "--out", out, "--seeds", "1:1", "--json").json["changed"] == []


def test_the_first_failure_too_many_ends_the_batch(small: Path, tmp_path: Path, cli: Callable[..., Ran]) -> None:
    folder = Folder(tmp_path / "b")
    cli("trials", "run", small, "--out", folder.root, "--seeds", "1:1", "--arm", "plain")
    for trial in make_plan(small).trials[1:]:
        folder.part(trial.id).parent.mkdir(parents=True, exist_ok=True)
        folder.part(trial.id).write_bytes(b"not a log\n")

    ran = cli("trials", "run", small, "--out", folder.root, "--jobs", 1, "--retries", 0, "--max-failures", 0, "--json")

    assert (ran.code, ran.json["stopped"]) == (1, "1 trial failed")
    assert ran.json["failed"] == 1


def test_a_folder_that_may_not_be_written_is_told_before_anything_runs(small: Path, tmp_path: Path) -> None:
    """As a user who may not; root may, so the capability is laid down first."""
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0o555)
    words = [sys.executable, str(ROOT / "oneroom.py"), "trials", "run", str(small), "--out", str(closed / "b")]
    if os.geteuid() == 0:
        setpriv = shutil.which("setpriv")
        less = ["--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"]
        if setpriv is None or subprocess.run([setpriv, *less, "true"], capture_output=True, check=False).returncode:
            pytest.skip("root can't lay its rights down here")
        words = [setpriv, *less, *words]

    ran = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    closed.chmod(0o755)

    assert (ran.returncode, ran.stdout) == (2, "")
    assert "Permission denied" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert not list(closed.iterdir())


def test_a_batch_whose_protocol_is_not_here_says_where_to_ask(
    small: Path, tmp_path: Path, cli: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cli("trials", "run", small.name, "--out", "b", "--seeds", "1:1")
    assert cli("trials", "status", "b").code == 0
    monkeypatch.chdir(tmp_path / "b")

    ran = cli("trials", "status", "../b")

    assert ran.code == 2
    assert "ask from the folder where the batch was begun" in ran.err


def test_what_a_model_cost_is_counted_at_the_declared_prices() -> None:
    counts = {"model_choose_tokens_in": 20, "model_speak_tokens_in": 4, "model_choose_tokens_out": 10, "rounds": 7}
    model = {"provider": "scripted", "price_in": 1000, "price_out": 2000}
    reader: Any = SimpleNamespace(
        header={"declaration": {"model": model}}, end={"data": {"tokens": 34, "counts": counts}}
    )

    assert spent(reader) == {"tokens": 34, "cost": 0.044}
    reader.end = None
    assert spent(reader) == {"tokens": 0, "cost": 0.0}


def test_an_arm_whose_model_cannot_be_had_is_named_before_anything_is_begun(
    tmp_path: Path, cli: Callable[..., Ran]
) -> None:
    ran = cli("trials", "run", "near_tie", "--seeds", "101:101", "--out", tmp_path / "b")

    assert (ran.code, ran.out) == (2, "")
    assert "arm 'small_model'" in ran.err
    assert "--arm" in ran.err
    assert not (tmp_path / "b").exists()


def test_the_progress_line_holds_what_a_person_wants_to_know() -> None:
    from trials.commands_batch import progress_text

    tally = Tally(10, done=4, failed=1, running=2, began_s=100.0, ran=4, tokens=120, cost=0.5)

    assert progress_text(tally, 108.0) == "4/10 done, 2 running, 1 failed, 0.50/s, 10 s left, 120 tokens, cost 0.50"
    assert progress_text(Tally(3, began_s=100.0), 100.0) == "0/3 done, 0 running, 0 failed, 0.00/s, ? left"
