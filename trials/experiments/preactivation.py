"""E2: does pre-activation (S2) make retrieval cheaper, and does it lose anything?

Both arms live the same days; beside them stands a memory filled up to 10,000, where the size of a full search tells.
Retrieval cost is counted, not timed: how many memories are scored for one recall; the source's 200 ms and 20 ms stand for
the same ratio. That nothing is lost shows where both arms come to the same state of everything but the pool: equal
decisions by kind and equal quality.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trials.experiments.lines import line
from trials.experiments.lives import Life, change, live, ratio, seeds_of, spread
from trials.experiments.many_memories import fill, found_among, lived

NAME = "preactivation"
DOC = "E2: memories scored per recall with pre-activation (S2) and without, and whether the same life comes of it."
PROTOCOL = "emergence"
MANY, QUERIES, LIVED_DAYS = 10_000, 200, 3


def run(*, quick: bool = True, seeds: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the lines; *quick* lives two days on two seeds, else fourteen on the test seeds, looked at after one and seven too."""
    days = 2 if quick else 14
    chosen = seeds_of(PROTOCOL, "test", quick, seeds)
    yield from at_ten_thousand(chosen)
    pairs = [(live(PROTOCOL, seed, days), live(PROTOCOL, seed, days, {"mind.s2": False})) for seed in chosen]
    told: dict[str, Any] = {"days": days, "seeds": len(chosen)}
    for mark in pairs[0][0].searched:
        costs = [(_cost(one, mark), _cost(other, mark)) for one, other in pairs]
        mean, interval = spread([change(warm, cold) for warm, cold in costs])
        holds = mean is not None and mean <= -0.9
        yield line(
            f"change in memories scored per recall, {mark} days", -0.9, mean, holds, expected=-0.9, interval=interval, **told,
            memories=max(one.searched[mark][2] for one, _ in pairs), warm=spread([warm for warm, _ in costs])[0],
            cold=spread([cold for _, cold in costs])[0],
        )  # fmt: skip
    same = sum(one.decided == other.decided and one.quality == other.quality for one, other in pairs)
    yield line(
        f"lives that decide alike with and without it, {days} days",
        f"{len(pairs)} of {len(pairs)}",
        same,
        same == len(pairs),
        **told,
    )


def _cost(life: Life, mark: int) -> float | None:
    """Return memories scored per recall up to the end of day *mark*."""
    recalls, scored, _ = life.searched[mark]
    return ratio(scored, recalls)


def at_ten_thousand(chosen: list[int]) -> Iterator[dict[str, Any]]:
    """Yield what S2 saves of a search in 10,000 memories, and how many of the full search's best five it finds."""
    saved, recalled = [], []
    for seed in chosen:
        mind = lived(LIVED_DAYS, seed)
        fill(mind, MANY)
        scored, share = found_among(mind, QUERIES)
        saved.append(1 - scored / MANY)
        recalled.append(share)
    told = {"memories": MANY, "seeds": len(chosen), "queries": QUERIES}
    mean, interval = spread(saved)
    yield line("items scored per retrieval cut at 10,000 memories", ">= 0.90", mean, mean is not None and mean >= 0.9, expected=0.9,
               interval=interval, **told)  # fmt: skip
    mean, interval = spread(recalled, 4)
    yield line("the full search's best five found among the warm, at 10,000 memories", ">= 0.98", mean, mean is not None and mean >= 0.98,
               interval=interval, **told)  # fmt: skip
