"""S9: ninety days of one life with the whole mind: memory taken, size of the log, a tick and a round late against early.

A tick is timed by what the days cost, in reference ticks taken before and after each of them. Rounds are timed in another life of
the same seed, all that are lived in the first and the last days: what one costs depends on how much there is to choose
from, which single mornings do not agree on. ONEROOM_BENCH_DAYS=7 for less.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agent import round
from agent.mind import Mind
from benchmarks._limit import ref_ns
from sim.declare import declare
from sim.simulation import Simulation

RSS_MB, RSS_STRETCH, LOG_MB, LOG_STRETCH = 50.0, 25.0, 40.0, 20.0
TICK_GOAL, TICK_STRETCH, ROUND_GOAL = 1.05, 1.02, 1.2
EDGE = 7
"""Days averaged at either end: single days differ by what happens in them."""


def measure() -> Iterator[dict[str, Any]]:
    """Yield the lines of S9, and the one of rounds that stay flat."""
    days = int(os.environ.get("ONEROOM_BENCH_DAYS", "90"))
    edge = min(EDGE, max(1, days // 3))
    declared = declare("week", overrides={"model.provider": "none", "duration": f"{days}d"})
    with TemporaryDirectory() as folder:
        life = Simulation(declared, out=Path(folder) / "life")
        life.reset()
        costs, resident = [], 0.0
        for day in range(days):
            ticks = life.session.state.tick
            before, start = ref_ns(100_000), time.process_time_ns()
            life.advance(hours=24)
            spent = time.process_time_ns() - start
            costs.append(spent / (life.session.state.tick - ticks) / ((before + ref_ns(100_000)) / 2))
            if day == 0:
                resident = resident_mb()
        grown = resident_mb() - resident
        memories = len(life.session.state.mind.memory.items)
        stored = Path(life.close()["log"]).stat().st_size / 1e6
    told: dict[str, Any] = {"days": days, "memories": memories}
    yield _line("S9 resident memory grown from the first day to the last, MB", RSS_MB, RSS_STRETCH, grown, told)
    yield _line("S9 sealed log, MB", LOG_MB, LOG_STRETCH, stored, told)
    tick = statistics.median(costs[-edge:]) / statistics.median(costs[:edge])
    yield _line(f"S9 a tick in the last {edge} days against the first {edge}", TICK_GOAL, TICK_STRETCH, tick, told)
    early, late = rounds_of(days, edge)
    flat = statistics.mean(late) / statistics.mean(early)
    told |= {"rounds": [len(early), len(late)]}
    yield _line(f"a round in the last {edge} days against the first {edge}, mean of all", ROUND_GOAL, ROUND_GOAL, flat, told)


def rounds_of(days: int, edge: int) -> tuple[list[float], list[float]]:
    """Return what each round of the first and of the last *edge* days costs, in reference ticks."""
    early: list[float] = []
    late: list[float] = []
    life = Simulation(declare("week", overrides={"model.provider": "none", "duration": f"{days}d"}))
    life.reset()
    with timed_rounds(early):
        life.advance(hours=24 * edge)
    life.advance(hours=24 * (days - 2 * edge))
    with timed_rounds(late):
        life.advance(hours=24 * edge)
    life.close()
    return early, late


@contextmanager
def timed_rounds(found: list[float]) -> Iterator[None]:
    """Add to *found* what each round lived meanwhile costs, in reference ticks."""
    think = round.think

    def timed(mind: Mind, wakes: list[str]) -> round.Thought:
        ref, start = ref_ns(300), time.process_time_ns()
        thought = think(mind, wakes)
        found.append((time.process_time_ns() - start) / ref)
        return thought

    round.think = timed
    try:
        yield
    finally:
        round.think = think


def resident_mb() -> float:
    """Return the memory that this process holds now, in MB; on systems without /proc, the most it ever held."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def _line(claim: str, goal: float, stretch: float, measured: float, told: dict[str, Any]) -> dict[str, Any]:
    return {"claim": claim, "target": goal, "stretch": stretch, "measured": float(f"{measured:.4g}"), "pass": measured <= goal, **told}
