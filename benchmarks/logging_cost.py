"""S5: what the log costs: the same day with it and without it, in turn, in one process."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sim.declare import declare
from sim.session import run_trial

GOAL, STRETCH = 1.3, 1.15
PAIRS = 7


def measure() -> Iterator[dict[str, Any]]:
    """Yield the line of S5."""
    declared = declare("quiet_day", overrides={"model.provider": "none"})
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        run_trial(declared)
        for number in range(PAIRS):
            ratios.append(cpu_s(declared, Path(folder) / f"run{number}") / cpu_s(declared, None))
    ratio = statistics.median(ratios)
    yield {
        "claim": "S5 a day with the log over the same day without it", "target": GOAL, "stretch": STRETCH,
        "measured": round(ratio, 3), "pass": ratio <= GOAL,
    }  # fmt: skip


def cpu_s(declared: Any, out: Path | None) -> float:
    """Return the CPU seconds of one run."""
    start = time.process_time()
    run_trial(declared, out=out)
    return time.process_time() - start
