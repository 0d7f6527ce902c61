"""S2: what a tick costs over whole days: the whole mind, the full log, no model, jumping, one core.

The goal speaks of 90 days; 7 days are measured by default, because a day costs the same early and late (S9 watches
that). Give ONEROOM_BENCH_DAYS=90 for all of them.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks._limit import ref_ns
from sim.declare import declare
from sim.session import run_trial

GOAL, STRETCH = 0.9, 0.45


def measure() -> Iterator[dict[str, Any]]:
    """Yield the line of S2."""
    days = int(os.environ.get("ONEROOM_BENCH_DAYS", "7"))
    overrides = {"model.provider": "none", "duration": f"{days}d"}
    with tempfile.TemporaryDirectory() as folder:
        before = ref_ns(200_000)
        start = time.process_time()
        result = run_trial(declare("week", overrides=overrides), out=Path(folder) / "days")
        spent = time.process_time() - start
        ref = (before + ref_ns(200_000)) / 2
        stored = Path(result["log"]).stat().st_size
    cost = spent * 1e9 / result["ticks"] / ref
    yield {
        "claim": f"S2 {days} days with the whole mind and full log, ref a tick", "target": GOAL, "stretch": STRETCH,
        "measured": round(cost, 3), "pass": cost <= GOAL, "cpu_s": round(spent, 2), "ticks": result["ticks"],
        "rounds_a_day": result["rounds"] // days, "log_kb": stored // 1000,
    }  # fmt: skip
