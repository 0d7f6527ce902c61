"""S10: a batch on two processes against one, in wall time, and what a trial in a batch costs against a single run, in CPU.

The gain in wall time means something only while nothing else runs: the line carries the load average before and after,
and `quiet` tells whether it was below 0.5 at the start. A noisy machine misses plainly; it is not excused.
ONEROOM_BENCH_TRIALS=24 makes the batch larger.
"""

from __future__ import annotations

import os
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sim.declare import declare
from sim.session import run_trial
from trials.store_rows import row_of
from trials.supervisor import Terms
from trials.supervisor_batch import run_trials

GAIN, GAIN_STRETCH = 1.8, 1.9
COST, COST_STRETCH = 1.05, 1.02
TURNS = 3
QUIET_LOAD = 0.5
OVERRIDES = {"model.provider": "none", "duration": "3d"}


def measure() -> Iterator[dict[str, Any]]:
    """Yield the two lines of S10: one process and two in turn, the best of three each."""
    seeds = range(1, int(os.environ.get("ONEROOM_BENCH_TRIALS", "12")) + 1)
    load = os.getloadavg()[0]
    wall: dict[int, list[float]] = {1: [], 2: []}
    alone, batch = [], []
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(TURNS):
            alone.append(cpu_alone(seeds, Path(folder) / f"alone{turn}") / len(seeds))
            for jobs in wall:
                wall_s, cpu_s = spent_on_batch(seeds, jobs, Path(folder) / f"batch{turn}-{jobs}")
                wall[jobs].append(wall_s)
                if jobs == 1:
                    batch.append(cpu_s / len(seeds))
    gain = min(wall[1]) / min(wall[2])
    yield {
        "claim": f"S10 {len(seeds)} trials, wall time on one process over two", "target": GAIN, "stretch": GAIN_STRETCH,
        "measured": round(gain, 3), "pass": gain >= GAIN, "quiet": load < QUIET_LOAD, "cores": os.cpu_count(),
        "load": [round(load, 2), round(os.getloadavg()[0], 2)], "wall_s": {jobs: round(min(each), 2) for jobs, each in wall.items()},
    }  # fmt: skip
    cost = min(batch) / min(alone)
    yield {
        "claim": "S10 CPU of a trial in a batch over a single run", "target": COST, "stretch": COST_STRETCH,
        "measured": round(cost, 3), "pass": cost <= COST, "cpu_s": [round(min(batch), 3), round(min(alone), 3)],
    }  # fmt: skip


def spent_on_batch(seeds: range, jobs: int, out: Path) -> tuple[float, float]:
    """Return the wall and CPU seconds of the whole command: folder, trials, tables."""
    began_s, began_cpu_s = time.monotonic(), cpu_s()
    found = run_trials(
        "quiet_day", seeds=seeds, arms=["ada"], overrides=OVERRIDES, terms=Terms(jobs=jobs), out=out
    )
    assert found["sealed"] == found["total"] == len(seeds), "every trial of the batch is sealed"
    return time.monotonic() - began_s, cpu_s() - began_cpu_s


def cpu_alone(seeds: range, out: Path) -> float:
    """Return the CPU seconds of the same trials and their rows in this process, one after the other."""
    began_s = cpu_s()
    for seed in seeds:
        declared = declare("quiet_day", arm="ada", seed=seed, overrides=OVERRIDES)
        row_of(Path(run_trial(declared, out=out / str(seed))["log"]))
    return cpu_s() - began_s


def cpu_s() -> float:
    """Return the CPU seconds of this process and of all it waited for."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
