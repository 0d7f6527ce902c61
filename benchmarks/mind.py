"""S3 and S4: what a System-1 round costs over 10,000 memories, and over 100,000; and what S2 saves of a retrieval.

The round is a real one: a resident in a real room, company there, seven sources, legality, attraction, the near-tie
group, the library, S4 and S5. A round that asks nobody retrieves nothing; what a retrieval of six memories adds, as a
request makes it, stands beside it.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from typing import Any

from agent import round
from agent.mind import Mind
from agent.subconscious import preactivation
from benchmarks._limit import ref_ns
from sim.chance import Chance
from trials.experiments.many_memories import fill, lived

GOAL, STRETCH = 400.0, 200.0
GROWTH_GOAL, GROWTH_STRETCH = 1.5, 1.1
ROUNDS = 300


def measure() -> Iterator[dict[str, Any]]:
    """Yield the lines of S3 and S4, and the cost of a retrieval with and without S2."""
    small, worst, fetched, mind = rounds_over(10_000)
    yield {
        "claim": "S3 System-1 round over 10,000 memories, ref", "target": GOAL, "stretch": STRETCH, "measured": _r(small),
        "pass": small <= GOAL, "p95_over_median": _r(worst / small), "with_a_retrieval": _r(fetched), "library": len(mind.inner.library),
    }  # fmt: skip
    large, _, fetched_large, mind_large = rounds_over(100_000)
    yield {
        "claim": "S4 the same over 100,000, against 10,000", "target": GROWTH_GOAL, "stretch": GROWTH_STRETCH,
        "measured": _r(large / small), "pass": large <= GROWTH_GOAL * small, "with_a_retrieval": _r(fetched_large / fetched),
        "memories": len(mind_large.memory.items),
    }  # fmt: skip
    warm, scored = retrievals(mind, s2=True)
    full, _ = retrievals(mind, s2=False)
    yield {
        "claim": "S2 retrieval over 10,000 memories: items scored", "target": 1000, "stretch": 500, "measured": _r(scored),
        "pass": scored <= 1000, "time_without_over_with": _r(full / warm),
    }  # fmt: skip


def rounds_over(count: int) -> tuple[float, float, float, Mind]:
    """Return a round's median and 95th percentile in ref over *count* memories, its median with a retrieval, and the mind."""
    mind = lived()
    fill(mind, count)
    bare, fetched = [], []
    for turn in range(ROUNDS + 20):
        mind.tick += 600
        before = ref_ns(300)
        start = time.process_time_ns()
        thought = round.think(mind, ["look"])
        thought_ns = time.process_time_ns() - start
        group = [one.candidate for one in thought.ruling.group]
        preactivation.recall(mind, tuple(o for one in group for o in one.roles.values()), tuple(one.task for one in group))
        spent = time.process_time_ns() - start
        mind.take_notes()
        if turn >= 20:
            bare.append(thought_ns / before)
            fetched.append(spent / before)
    bare.sort()
    return statistics.median(bare), bare[len(bare) * 95 // 100], statistics.median(fetched), mind


def retrievals(mind: Mind, *, s2: bool) -> tuple[float, float]:
    """Return the median time of a retrieval in ns, and the items scored per call."""
    mind.settings["s2"] = s2
    serials, chance = mind.inner.serials, Chance(2)
    tasks, things = list(mind.book.tasks), list(mind.beliefs.things)
    before, times = serials.get(preactivation.SCORED, 0), []
    for turn in range(100):
        about = (*mind.present, things[chance.below("thing", str(turn), len(things))])
        start = time.process_time_ns()
        preactivation.recall(mind, about, (tasks[chance.below("task", str(turn), len(tasks))], "read_book"))
        times.append(time.process_time_ns() - start)
    mind.settings["s2"] = True
    return statistics.median(times), (serials[preactivation.SCORED] - before) / 100


def _r(value: float) -> float:
    return float(f"{value:.4g}")
