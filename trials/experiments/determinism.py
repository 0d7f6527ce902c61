"""Determinism: the same declaration gives the same digest in other processes, hash seeds and Python versions.

Other interpreters (with oneroom installed) are named in ONEROOM_PYTHONS, separated as in PATH.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sim.build import build, restore, snapshot
from sim.declare import declare
from sim.kernel import advance, advance_alone, step
from trials.experiments.lines import line

NAME = "determinism"
DOC = "One digest for first_visit seed 7 whatever the process, hash seed or Python; jumps and snapshots change nothing."
HASH_SEEDS = ("0", "1", "2", "random", "4242")
PROGRAM = "import sys; from oneroom import main; sys.argv[0] = 'oneroom'; sys.exit(main())"
HOUR_TICKS = 36_000


def run(*, quick: bool = True) -> Iterator[dict[str, Any]]:
    """Yield the lines; *quick* tries two hash seeds and few snapshots."""
    pythons = [sys.executable, *filter(None, os.environ.get("ONEROOM_PYTHONS", "").split(os.pathsep))]
    seeds = HASH_SEEDS[:2] if quick else HASH_SEEDS
    for model in ("none", "scripted"):
        found = {_digest(python, seed, model) for python in pythons for seed in seeds}
        versions = sorted({_version(python) for python in pythons})
        yield line(
            f"first_visit --seed 7 --model {model}: digests",
            1,
            len(found),
            len(found) == 1,
            hash_seeds=list(seeds),
            pythons=versions,
        )
    yield jumps(1 if quick else 24)
    yield snapshots(6 if quick else 500)


def _digest(python: str, hash_seed: str, model: str) -> str:
    with TemporaryDirectory() as folder:
        words = [
            "run",
            "first_visit",
            "--seed",
            "7",
            "--model",
            model,
            "--out",
            str(Path(folder) / "visit"),
            "--json",
        ]
        done = subprocess.run(
            [python, "-c", PROGRAM, *words], env={**os.environ, "PYTHONHASHSEED": hash_seed}, capture_output=True, text=True, check=True
        )  # fmt: skip
        return str(json.loads(done.stdout)["digest"])


def _version(python: str) -> str:
    return subprocess.run(
        [python, "-c", "import sys; print('.'.join(map(str, sys.version_info[:3])))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def jumps(hours: int) -> dict[str, Any]:
    """Compare *hours* of single steps with one jump, every record and every digest of the heavy mode."""
    declared = declare("near_tie" if hours <= 4 else "quiet_day", overrides={"model.provider": "none"})
    jumping, stepping = build(declared, heavy=True), build(declared, heavy=True)
    jumped = advance(jumping, [], hours * HOUR_TICKS)
    stepped = []
    while stepping.tick < hours * HOUR_TICKS:
        # As text at once, so that a record which is still changed afterwards is found.
        stepped += [json.dumps(each) for each in step(stepping, [])]
    same = [json.dumps(each) for each in jumped] == stepped and jumping.digest() == stepping.digest()
    return line(
        "a jump of N ticks equals N single ticks (heavy mode)",
        True,
        same,
        same,
        ticks=hours * HOUR_TICKS,
        active=len(jumped),
    )


def snapshots(count: int) -> dict[str, Any]:
    """Restore a snapshot taken at *count* ticks of a visit and go on: the same records to the end."""
    declared = declare("first_visit", seed=7, overrides={"model.provider": "none"})
    whole = build(declared, heavy=True)
    rows = [row for _, rows in advance_alone(whole, whole.end_tick) for row in rows]
    equal = 0
    for number in range(count):
        tick = whole.end_tick * number // count
        first = build(declared, heavy=True)
        before = [row for _, rows in advance_alone(first, tick) for row in rows]
        saved = json.loads(json.dumps(snapshot(first)))
        second = restore(saved, declared.room, heavy=True)
        fixed = snapshot(second) == saved
        after = [row for _, rows in advance_alone(second, second.end_tick) for row in rows]
        equal += fixed and json.dumps(before + after) == json.dumps(rows)
    return line(
        "a snapshot at any tick, restored, continues as the uninterrupted run",
        f"{count} of {count}",
        equal,
        equal == count,
    )
