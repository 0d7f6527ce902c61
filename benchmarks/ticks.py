"""S1: what a tick costs in which nobody thinks: the body acts, log and digests are on, no tick is jumped over."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks._limit import ref_ns
from logs.writer import LogWriter
from sim import kernel
from sim.build import build
from sim.declare import declare
from sim.session import Session
from sim.state import State

GOAL, STRETCH = 8.0, 4.0
CHUNK = 600  # one simulated minute
CHUNKS = 480  # of a morning


def measure() -> Iterator[dict[str, Any]]:
    """Yield the line of S1, and beside it the dearer case in which all eight steps run though nothing is due."""
    for claim, step in (
        ("S1 tick without a round, one step at a time, ref", one_step),
        ("S1 the same with all eight steps forced at every tick, ref", forced),
    ):
        cost, chunks = cost_of(step)
        yield {
            "claim": claim, "target": GOAL, "stretch": STRETCH, "measured": round(cost, 2), "pass": cost <= GOAL,
            "chunks": chunks,
        }  # fmt: skip


def cost_of(step: Callable[[State], list[kernel.Ticked]]) -> tuple[float, int]:
    """Return the median cost of a tick in ref over chunks in which a skill ran and no round fell, and their number."""
    declared = declare("quiet_day", overrides={"model.provider": "none"})
    state = build(declared)
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        writer = LogWriter.create(Path(folder) / "ticks", declared.header())
        session = Session(declared, state, writer, None)
        for _ in range(CHUNKS):
            rounds, busy = state.counts.get("rounds", 0), state.room.bodies["resident"].running is not None
            before = ref_ns(2000)
            start = time.process_time_ns()
            for _ in range(CHUNK):
                session.write(step(state))
            spent = time.process_time_ns() - start
            if busy and state.counts.get("rounds", 0) == rounds:
                ratios.append(spent / CHUNK / ((before + ref_ns(2000)) / 2))
        writer.abort()
    return statistics.median(ratios), len(ratios)


def one_step(state: State) -> list[kernel.Ticked]:
    """Advance by one tick as any caller may."""
    return kernel.step(state, [])


def forced(state: State) -> list[kernel.Ticked]:
    """Run the eight steps of the next tick although nothing may be due in it."""
    tick = state.tick + 1
    rows = kernel._tick(state, tick, [])
    return [(tick, rows)] if rows else []
