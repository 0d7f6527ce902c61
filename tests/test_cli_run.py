"""`oneroom run` as a person and as a program uses it: results, names, bad input, Ctrl-C, kill and resume."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from logs.reader import open_log

ROOT = Path(__file__).parent.parent
Cli = Callable[..., Any]
QUICK = ("--model", "none")
STABLE_KEYS = {
    "schema", "log", "digest", "status", "ticks", "rounds", "decisions", "requests", "interventions", "metrics", "flags",
}  # fmt: skip


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def start(folder: Path, *words: str, seed: str = "1") -> subprocess.Popen[str]:
    """Start `oneroom run` in *folder* as a process of its own, and wait until its log is under way."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed}
    process = subprocess.Popen(
        [sys.executable, "-m", "oneroom", "run", *words],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    part = folder / "a.jsonl.part"
    for _ in range(2000):
        if process.poll() is not None or (part.exists() and part.stat().st_size > 200_000):
            break
        time.sleep(0.01)
    return process


def test_the_json_has_the_keys_that_programs_rely_on(cli: Cli) -> None:
    ran = cli("run", "first_visit", "--seed", 7, *QUICK, "--json")

    assert ran.code == 0
    assert ran.json.keys() >= STABLE_KEYS
    assert ran.json["status"] == "done"
    assert list(ran.json["decisions"])[:6] == ["rule", "clear", "sys1", "deterministic", "sys2", "fallback"]
    assert {each["channel"] for each in ran.json["interventions"]} == {
        "physical",
        "dialogue",
        "inner_voice",
        "system",
    }
    assert {"id", "tick", "receipt", "perceived", "stance", "outcome", "reason"} <= ran.json["interventions"][
        0
    ].keys()
    assert "exploratory" in ran.json["flags"]
    assert ran.json["metrics"]


def test_the_tables_name_the_log_the_deciders_and_every_intervention(cli: Cli) -> None:
    ran = cli("run", "first_visit", "--seed", 7, *QUICK)

    assert "runs/first_visit-seed7.jsonl.zst" in ran.out
    for text in ("Who decided", "Interventions", "Needs", "Commitments kept", "int-enter", "oneroom verify"):
        assert text in ran.out
    assert ran.err == ""


def test_the_digest_depends_on_the_seed_and_not_on_name_or_process(cli: Cli, tmp_path: Path) -> None:
    here = cli("run", "first_visit", "--seed", 7, *QUICK, "--out", "runs/else", "--json").json
    there = start(tmp_path, "first_visit", "--seed", "7", *QUICK, "--json", seed="99")
    out, _ = there.communicate(timeout=60)

    assert json.loads(out)["digest"] == here["digest"]
    assert cli("run", "first_visit", "--seed", 8, *QUICK, "--json").json["digest"] != here["digest"]


def test_a_second_run_takes_another_name_and_a_taken_out_is_refused(cli: Cli) -> None:
    first = cli("run", "first_visit", *QUICK, "--json").json["log"]
    before = Path(first).read_bytes()

    assert cli("run", "first_visit", *QUICK, "--json").json["log"] != first
    refused = cli("run", "first_visit", *QUICK, "--out", first)

    assert refused.code == 2
    assert Path(first).read_bytes() == before


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["frist_visit"], "first_visit"),
        (["first_visit", "--arm", "nosuch"], "nosuch"),
        (["first_visit", "--model", "nosuch"], "nosuch"),
        (["first_visit", "--visitor", "ghost"], "ghost"),
        (["first_visit", "--seed", "minus"], "seed"),
        (["nowhere/p.toml"], "nowhere/p.toml"),
        ([], "first_visit"),
        (["--resume", "runs/none.jsonl.part"], "none"),
    ],
)
def test_bad_input_is_told_before_anything_is_written(
    cli: Cli, tmp_path: Path, words: list[str], told: str
) -> None:
    ran = cli("run", *words)

    assert ran.code == 2
    assert told in ran.err
    assert "Traceback" not in ran.err
    assert not list(tmp_path.rglob("*.part"))


def test_a_fresh_log_is_verified_and_a_flipped_byte_is_found(cli: Cli) -> None:
    log = Path(cli("run", "first_visit", *QUICK, "--json").json["log"])
    assert cli("verify", log).code == 0

    stored = bytearray(log.read_bytes())
    stored[len(stored) // 2] ^= 1
    log.write_bytes(stored)
    ran = cli("verify", log, "--json")

    assert ran.code == 1
    assert ran.json["ok"] is False
    assert ran.json["first_difference"]["reason"]


def test_ctrl_c_ends_the_trial_with_a_sealed_readable_log(cli: Cli, tmp_path: Path) -> None:
    process = start(tmp_path, "week", *QUICK, "--out", "a", "--json")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)

    assert process.returncode == 3, err
    assert "Traceback" not in err
    assert json.loads(out)["status"] == "stopped"
    assert cli("verify", "a.jsonl.zst").code == 0


def test_a_killed_run_resumes_to_the_bytes_of_an_uninterrupted_one(cli: Cli, tmp_path: Path) -> None:
    process = start(tmp_path, "week", *QUICK, "--out", "a")
    process.kill()
    process.communicate(timeout=60)
    assert (tmp_path / "a.jsonl.part").exists()

    resumed = cli("run", "--resume", "a.jsonl.part", "--json").json
    whole = cli("run", "week", *QUICK, "--out", "b", "--json").json

    assert resumed["digest"] == whole["digest"]
    assert Path("a.jsonl.zst").read_bytes() == Path("b.jsonl.zst").read_bytes()
    with open_log(Path("a.jsonl.zst")) as log:
        assert log.end is not None


def test_why_tells_how_a_request_of_the_visitor_was_decided(cli: Cli) -> None:
    log = cli("run", "first_visit", "--seed", 7, *QUICK, "--json").json["log"]

    found = cli("why", log, "--id", "int-ask_window", "--json").json
    told = cli("why", log, "--id", "int-ask_window").out

    assert found["decided_by"] in ("rule", "clear", "sys1", "deterministic", "fallback")
    assert {"input", "receipt", "percept", "matter"} <= {each["kind"] for each in found["chain"]}
    assert [each["tick"] for each in found["chain"]] == sorted(each["tick"] for each in found["chain"])
    assert all(each["id"] in told for each in found["candidates"])
    assert cli("why", log, "--tick", 1500).code == 0


def test_why_answers_the_ten_questions_of_a_request_to_a_model(cli: Cli) -> None:
    log = cli("run", "near_tie", "--model", "scripted", "--json").json["log"]

    found = cli("why", log, "--id", "req-1", "--json").json

    assert set(found["questions"]) == {str(number) for number in range(1, 11)}
    assert all(found["questions"].values())


@pytest.mark.parametrize("words", [[], ["--tick", 1, "--id", "req-1"], ["--id", "req-999999"]])
def test_why_refuses_what_names_no_moment(cli: Cli, words: list[Any]) -> None:
    log = cli("run", "first_visit", *QUICK, "--json").json["log"]

    ran = cli("why", log, *words)

    assert ran.code == 2
    assert "Traceback" not in ran.err


def test_diff_finds_no_difference_in_two_like_runs_and_names_it_in_unlike_ones(cli: Cli) -> None:
    logs = [cli("run", "first_visit", "--seed", seed, *QUICK, "--json").json["log"] for seed in (7, 7, 8)]

    assert cli("diff", logs[0], logs[1]).code == 0
    ran = cli("diff", logs[0], logs[2], "--json")

    assert ran.code == 1
    assert ran.json["same"] is False
    assert ran.json["first_difference"]["tick"] >= 0
    assert "differ" in cli("diff", logs[0], logs[2]).out


def test_the_readme_names_the_log_that_the_main_job_makes(cli: Cli) -> None:
    log = cli("run", "first_visit", *QUICK, "--json").json["log"]

    assert log in (ROOT / "README.md").read_text(encoding="utf-8")
