"""Campaign: processes of a batch killed at random; what it costs; the same batch through Dask.

A sample runs with the other tests. `pytest -m campaign -k batch -s` runs it whole and prints its lines.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from sim.replay import verify
from sim.session import run_trial
from tests.trials_cases import a_protocol
from trials.store import results, sealed_ids
from trials.store_batch import Folder, begin, make_plan, status
from trials.store_rows import row_of
from trials.supervisor import Terms, run_batch
from trials.supervisor_child import source_digest

ROOT = Path(__file__).parent.parent
KILLS = int(os.environ.get("TRIALS_KILLS", "30"))


def line(claim: str, target: Any, measured: Any, good: bool) -> None:
    """Print one line of the campaign and hold the test to it."""
    print(json.dumps({"claim": claim, "target": target, "measured": measured, "pass": good}))
    assert good, (claim, target, measured)


def below(pid: int) -> list[int]:
    """Return the processes that *pid* started, and theirs."""
    found: list[int] = []
    for thread in Path("/proc", str(pid), "task").glob("*/children"):
        with suppress(OSError):
            for name in thread.read_text(encoding="ascii").split():
                found += [int(name), *below(int(name))]
    return found


def sealed_logs(folder: Folder) -> dict[str, bytes]:
    return {trial: folder.sealed(trial).read_bytes() for trial in sealed_ids(folder)}


def table_of(folder: Folder) -> bytes:
    results(folder)
    return (folder.root / "results.csv").read_bytes()


def kill_about(command: list[str], folder: Folder, kills: int, seed: int, pause_s: float) -> dict[str, int]:
    """Run *command* again and again to its end, killing its processes and itself at random; return how often what."""
    chance = random.Random(seed)
    done = {"worker": 0, "parent": 0, "restarts": 0, "shrunk": 0}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    seen: set[str] = set()
    began = time.monotonic()
    while time.monotonic() - began < 900:
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=chance.uniform(0, 2 * pause_s))
        now = set(sealed_ids(folder))
        done["shrunk"] += len(seen - now)
        seen |= now
        if process.poll() is not None:
            if process.returncode == 0:
                return done
            done["restarts"] += 1
            assert process.stderr is not None
            errors = process.stderr.read().decode()
            # Dask may give up, plainly, when its own helpers die; the same command goes on all the same.
            assert process.returncode == -signal.SIGKILL or "Dask gave up" in errors, errors
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            continue
        if done["worker"] + done["parent"] >= kills:
            continue
        workers = below(process.pid)
        what = "parent" if chance.random() < 0.25 else "worker"
        if not workers and (what == "worker" or chance.random() < 0.9):
            continue  # Deaths at work teach more than deaths at start; a few of those are in too.
        try:
            os.kill(process.pid if what == "parent" else chance.choice(workers), signal.SIGKILL)
            done[what] += 1
        except ProcessLookupError:
            continue
    raise AssertionError(f"the batch did not end: {done}, {len(seen)} sealed")


def campaign(folder: Path, *, seeds: int, kills: int, engine: str, seed: int, pause_s: float) -> None:
    protocol = a_protocol(folder, duration="1h", seeds=f"{{ master = 3, n = {seeds} }}")
    plan = make_plan(protocol)
    serial, disturbed = Folder(folder / "serial"), Folder(folder / "disturbed")
    source = source_digest.__wrapped__()
    command = [sys.executable, str(ROOT / "oneroom.py"), "trials", "run", str(protocol), "--retries", "99"]
    subprocess.run(
        [*command, "--jobs", "1", "--out", str(serial.root)], check=True, stdout=subprocess.DEVNULL
    )
    command += ["--jobs", "2", "--out", str(disturbed.root), "--engine", engine]

    done = kill_about(command, disturbed, kills, seed, pause_s)

    if source_digest.__wrapped__() != source:
        pytest.skip("the code was changed while this ran")
    found = status(disturbed, plan)
    killed = done["worker"] + done["parent"]
    line(f"{engine}: processes killed at random (workers and parent)", kills, done, killed >= kills)
    line(
        f"{engine}: trials with exactly one sealed log",
        len(plan.trials),
        found["sealed"],
        found["sealed"] == len(plan.trials),
    )
    parts = len(list(disturbed.root.glob("logs/*/*.part")))
    line(f"{engine}: parts left over", 0, parts, parts == 0)
    same = sealed_logs(disturbed) == sealed_logs(serial)
    line(f"{engine}: every log equals that of an undisturbed serial batch, byte for byte", True, same, same)
    same = table_of(disturbed) == table_of(serial)
    line(f"{engine}: the table equals the serial one, bit for bit", True, same, same)
    line(f"{engine}: sealed trials that were lost again", 0, done["shrunk"], done["shrunk"] == 0)
    wrong = [trial for trial in sealed_ids(disturbed)[:3] if not verify(disturbed.sealed(trial))["ok"]]
    line(f"{engine}: logs that do not verify (sample of 3)", 0, len(wrong), not wrong)


def test_a_batch_survives_kills_sample(tmp_path: Path) -> None:
    campaign(tmp_path, seeds=10, kills=6, engine="local", seed=1, pause_s=0.15)


@pytest.mark.campaign
def test_batch_kills(tmp_path: Path) -> None:
    campaign(tmp_path, seeds=100, kills=KILLS, engine="local", seed=2, pause_s=0.2 if KILLS <= 30 else 0.05)


@pytest.mark.campaign
def test_batch_kills_dask(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    campaign(tmp_path, seeds=20, kills=6, engine="dask", seed=3, pause_s=1)


@pytest.mark.slow
def test_dask_gives_the_same_table(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    campaign(tmp_path, seeds=3, kills=0, engine="dask", seed=4, pause_s=0.2)


def spent() -> float:
    """Return the CPU seconds of this process and of all it waited for."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


@pytest.mark.campaign
def test_batch_cost(tmp_path: Path) -> None:
    """CPU per trial against the same trials in one process; two processes against one."""
    protocol = a_protocol(tmp_path, duration="2d", seeds="{ master = 5, n = 6 }")
    plan = make_plan(protocol)
    quiet = os.getloadavg()[0] < 0.5
    alone, batch = [], []
    wall: dict[int, float] = {}
    for turn in range(3):
        began = spent()
        for at, trial in enumerate(plan.trials):
            row_of(Path(run_trial(plan.declared(trial), out=tmp_path / f"alone{turn}" / str(at))["log"]))
        alone.append((spent() - began) / len(plan.trials))
        for jobs in (1, 2):
            folder = Folder(tmp_path / f"{jobs}-{turn}")
            begin(folder, plan)
            began, at_s = spent(), time.monotonic()
            run_batch(plan, folder, Terms(jobs=jobs))
            if jobs == 1:
                batch.append((spent() - began) / len(plan.trials))
            wall[jobs] = min(wall.get(jobs, 1e9), time.monotonic() - at_s)
    ratio = min(batch) / min(alone)
    line(
        "CPU per trial against a single run (2 simulated days, best of 3)",
        "<= 1.05",
        round(ratio, 3),
        ratio <= 1.05,
    )
    gain = wall[1] / wall[2]
    line(
        "2 processes against 1 (only when the machine is quiet)",
        ">= 1.8",
        {"gain": round(gain, 2), "quiet": quiet},
        gain >= 1.8 or not quiet,
    )
