"""Kills in a batch: workers and parents of 200 trials on two processes die at random; the batch ends as a serial one.

Linux only: it finds the processes of a batch in /proc.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from trials.experiments.hunt import batch_command, below, hunt, lines_of, write_protocol
from trials.store_batch import Folder, make_plan

NAME = "kills_batch"
DOC = "Workers and parents of a batch killed at random: one seal per trial, nothing lost, the table of a serial batch."
QUICK_KILLS, FULL_KILLS = 30, 1000
TRIALS = 200
DURATION, LONGER = "30m", "12h"
"""How long a trial lives. Few short ones would be over before all kills had landed, so a small batch lives longer ones."""
FEW = 50
SHARES = {"worker": 90, "parent": 10}
# A pause long enough for a start and some work, short enough to land in the middle of it.
PAUSE_S = 0.1


def run(
    *, quick: bool = True, count: int | None = None, trials: int = TRIALS, engine: str = "local"
) -> Iterator[dict[str, Any]]:
    """Yield the lines; *count* is the number of kills."""
    kills = (QUICK_KILLS if quick else FULL_KILLS) if count is None else count
    with TemporaryDirectory() as place:
        protocol = write_protocol(Path(place), trials=trials, duration=LONGER if trials < FEW else DURATION)
        plan = make_plan(protocol)
        serial, hunted = Folder(Path(place) / "serial"), Folder(Path(place) / "hunted")
        subprocess.run(
            batch_command(protocol, serial.root, "--jobs", "1"), check=True, stdout=subprocess.DEVNULL
        )
        command = batch_command(protocol, hunted.root, "--jobs", "2", "--engine", engine)
        bag = hunt(command, plan, hunted, _targets, kills=kills, seed=kills, pause_s=PAUSE_S, shares=SHARES)
        yield from lines_of(f"{engine}, {trials} trials on 2 processes", plan, serial, hunted, bag, kills)


def _targets(parent: int) -> Mapping[str, Sequence[int]]:
    workers = below(parent)
    # A parent without workers is only starting: few deaths there teach much.
    return {"worker": workers, "parent": [parent] if workers else []}
