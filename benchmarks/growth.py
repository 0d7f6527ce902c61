"""S9: ninety days of one life with the whole mind: memory taken, size of the log, a tick and a round late against early.

A tick is timed by what the days cost, in reference ticks taken before each of them. A round is timed on a copy of the
mind as it was at ten in the morning, so that nothing but the length of the life differs. ONEROOM_BENCH_DAYS=7 for less.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agent import round
from benchmarks._limit import ref_ns
from sim.build import restore, snapshot
from sim.declare import declare
from sim.simulation import Simulation

RSS_MB, RSS_STRETCH, LOG_MB, LOG_STRETCH = 50.0, 25.0, 40.0, 20.0
TICK_GOAL, TICK_STRETCH, ROUND_GOAL = 1.05, 1.02, 1.2
MORNING_H = 4
"""Hours after the beginning of a day at which a round is timed: ten in the morning."""
EDGE = 7
"""Days averaged at either end: single days differ by what happens in them."""
ROUNDS = 120


def measure() -> Iterator[dict[str, Any]]:
    """Yield the lines of S9, and the one of rounds that stay flat."""
    days = int(os.environ.get("ONEROOM_BENCH_DAYS", "90"))
    edge = min(EDGE, max(1, days // 3))
    declared = declare("week", overrides={"model.provider": "none", "duration": f"{days}d"})
    with TemporaryDirectory() as folder:
        life = Simulation(declared, out=Path(folder) / "life")
        life.reset()
        costs, rounds, resident = [], [], 0.0
        for day in range(days):
            before, start = ref_ns(100_000), time.process_time_ns()
            ticks = life.session.state.tick
            life.advance(hours=MORNING_H)
            spent = time.process_time_ns() - start
            if day < edge or day >= days - edge:
                rounds.append(round_ref(life))
            start = time.process_time_ns()
            life.advance(hours=24 - MORNING_H)
            spent += time.process_time_ns() - start
            costs.append(spent / (life.session.state.tick - ticks) / ((before + ref_ns(100_000)) / 2))
            if day == 0:
                resident = resident_mb()
        grown = resident_mb() - resident
        memories = len(life.session.state.mind.memory.items)
        stored = Path(life.close()["log"]).stat().st_size / 1e6
    told = {"days": days, "memories": memories}
    yield _line("S9 resident memory grown from the first day to the last, MB", RSS_MB, RSS_STRETCH, grown, told)
    yield _line("S9 sealed log, MB", LOG_MB, LOG_STRETCH, stored, told)
    tick = statistics.median(costs[-edge:]) / statistics.median(costs[:edge])
    yield _line(f"S9 a tick in the last {edge} days against the first {edge}", TICK_GOAL, TICK_STRETCH, tick, told)
    flat = statistics.median(rounds[-edge:]) / statistics.median(rounds[:edge])
    yield _line(f"a round in the last {edge} days against the first {edge}", ROUND_GOAL, ROUND_GOAL, flat, told)


def round_ref(life: Simulation) -> float:
    """Return the median cost of a round of a copy of the present mind, in reference ticks."""
    mind = restore(json.loads(json.dumps(snapshot(life.session.state))), life.declared.room).mind
    found = []
    for _ in range(ROUNDS):
        ref, start = ref_ns(300), time.process_time_ns()
        round.think(mind, ["look"])
        found.append((time.process_time_ns() - start) / ref)
        mind.take_notes()
    return statistics.median(found)


def resident_mb() -> float:
    """Return the memory that this process holds now, in MB; on systems without /proc, the most it ever held."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def _line(claim: str, goal: float, stretch: float, measured: float, told: dict[str, Any]) -> dict[str, Any]:
    return {"claim": claim, "target": goal, "stretch": stretch, "measured": float(f"{measured:.4g}"), "pass": measured <= goal, **told}
