"""Campaigns of batches: processes killed at random, on this machine and through Dask, in namespaces of their own.

Samples run with the other tests. `pytest -m campaign -k batch -s` runs them whole and prints their lines, as does
`oneroom experiment run kills_batch --full` and `oneroom experiment run cluster --full`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from trials.experiments import cluster, kills_batch
from trials.experiments.hunt import batch_command, below, hunt, lines_of, write_protocol
from trials.store_batch import Folder, make_plan

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="processes are found in /proc")
KILLS = int(os.environ.get("TRIALS_KILLS", "1000"))


def all_hold(lines: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Print the lines of a campaign, hold the test to each, and return them."""
    found = []
    for line in lines:
        print(line)
        assert line["pass"], line
        found.append(line)
    assert found
    return found


def test_a_batch_survives_kills_of_workers_and_parents() -> None:
    first, *_ = all_hold(kills_batch.run(count=6, trials=10))

    assert first["worker"]
    assert first["parent"]


def test_a_hunt_tells_a_batch_that_ends_by_a_fault_of_its_own(tmp_path: Path) -> None:
    protocol = write_protocol(tmp_path, trials=2, duration="10m")
    command = batch_command(protocol, tmp_path / "b", "--engine", "nonsense")

    with pytest.raises(RuntimeError, match="exit code 2"):
        hunt(command, make_plan(protocol), Folder(tmp_path / "b"), lambda pid: {"worker": below(pid)}, kills=1, seed=1,
             pause_s=0.1, shares={"worker": 100})  # fmt: skip


def test_a_hunt_sees_what_is_lost_twice_or_different(tmp_path: Path) -> None:
    """The lines themselves must be able to fail: a log of another run, a part left over, a seal listed twice."""
    protocol = write_protocol(tmp_path, trials=4, duration="10m")
    plan, one, other = make_plan(protocol), Folder(tmp_path / "one"), Folder(tmp_path / "other")
    for folder in (one, other):
        subprocess.run(batch_command(protocol, folder.root, "--jobs", "1"), check=True, stdout=subprocess.DEVNULL)
    first, second = plan.trials[0].id, plan.trials[1].id
    from trials.experiments.hunt import Bag

    assert all(line["pass"] for line in lines_of("x", plan, one, other, Bag(), 0))
    manifest = other.sealed(first).with_name("manifest.jsonl")
    other.part(first).write_bytes(b"left")
    other.sealed(first).write_bytes(one.sealed(second).read_bytes())
    manifest.unlink()
    failed = {line["claim"] for line in lines_of("x", plan, one, other, Bag(lost=1), 3) if not line["pass"]}

    for words in ("killed", "missing again", "parts left", "byte for byte", "bit for bit", "manifests"):
        assert any(words in claim for claim in failed), (words, failed)


def test_the_same_batch_through_dask_with_two_workers_of_its_own() -> None:
    pytest.importorskip("distributed")
    all_hold(kills_batch.run(count=0, trials=6, engine="dask"))


def test_a_cluster_in_namespaces_survives_a_kill_of_each_kind() -> None:
    pytest.importorskip("distributed")
    first, *rest = all_hold(cluster.run(quick=True))

    assert {first["scheduler"], first["worker"], first["trial"], first["parent"]} == {1}
    if sys.platform == "linux" and os.geteuid() == 0 and shutil.which("ip") and namespaces():
        assert all("in namespaces" in line["claim"] for line in (first, *rest))
        left = subprocess.run(["ip", "netns", "list"], check=True, capture_output=True, text=True).stdout
        assert f"oneroom-{os.getpid()}-" not in left


def namespaces() -> bool:
    """Whether this machine lets us make a network namespace at all; a container may not."""
    name = f"oneroom-{os.getpid()}-probe"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode == 0
    if made:
        subprocess.run(["ip", "netns", "del", name], check=True)
    return made


@pytest.mark.campaign
def test_batch_kills() -> None:
    all_hold(kills_batch.run(count=KILLS))


@pytest.mark.campaign
def test_batch_kills_dask() -> None:
    all_hold(kills_batch.run(count=30, trials=40, engine="dask"))


@pytest.mark.campaign
def test_batch_kills_cluster() -> None:
    all_hold(cluster.run(quick=False))
