"""Trajectories of doubt: is a run of answers as often right as it was said to be sure? Floats are for reports only.

A trajectory is one commitment: its confidences in order, and whether it came to its end. Steps without a confidence
are counted apart and never filled in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

BINS = 10


@dataclass(frozen=True, slots=True)
class Trajectory:
    """Confidences 0..100 in order, the outcome, and how many steps said nothing."""

    confidences: tuple[int, ...]
    success: bool
    unsaid: int = 0


def minimum(one: Trajectory) -> float:
    """Return the smallest confidence, 0..1: validity carried forward."""
    return min(one.confidences) / 100


def product(one: Trajectory) -> float:
    """Return the product of the confidences, 0..1; a proxy of length, reported for comparison."""
    value = 1.0
    for each in one.confidences:
        value *= each / 100
    return value


def last(one: Trajectory) -> float:
    """Return the last confidence, 0..1."""
    return one.confidences[-1] / 100


def shorter(one: Trajectory) -> float:
    """Return a number that knows nothing but the length: the baseline of every aggregation."""
    return 1 / (1 + len(one.confidences))


AGGREGATES: dict[str, Callable[[Trajectory], float]] = {"minimum": minimum, "product": product, "last": last, "length_only": shorter}


def ece(values: Sequence[float], outcomes: Sequence[bool], bins: int = BINS) -> float | None:
    """Return the expected calibration error over equal-width bins, the last closed on the right; None without a trajectory."""
    if not values:
        return None
    total = 0.0
    for number in range(bins):
        inside = [at for at, value in enumerate(values) if min(bins - 1, int(value * bins)) == number]
        if inside:
            said = sum(values[at] for at in inside) / len(inside)
            was = sum(outcomes[at] for at in inside) / len(inside)
            total += len(inside) / len(values) * abs(was - said)
    return total


def brier(values: Sequence[float], outcomes: Sequence[bool]) -> float | None:
    """Return the mean squared difference; None without a trajectory."""
    return sum((value - outcome) ** 2 for value, outcome in zip(values, outcomes, strict=True)) / len(values) if values else None


def auroc(values: Sequence[float], outcomes: Sequence[bool]) -> float | None:
    """Return how well *values* tell success from failure, ties by average rank; None where there is one class only."""
    good = sum(outcomes)
    bad = len(outcomes) - good
    if not good or not bad:
        return None
    order = sorted(range(len(values)), key=lambda at: values[at])
    ranks = [0.0] * len(values)
    at = 0
    while at < len(order):
        same = at
        while same + 1 < len(order) and values[order[same + 1]] == values[order[at]]:
            same += 1
        for each in order[at : same + 1]:
            ranks[each] = (at + same) / 2 + 1
        at = same + 1
    above = sum(ranks[each] for each, outcome in enumerate(outcomes) if outcome)
    return (above - good * (good + 1) / 2) / (good * bad)


def shuffled(values: Sequence[float], seed: int = 0) -> list[float]:
    """Return *values* in an order drawn from *seed*: the baseline of a confidence that knows nothing."""
    return sorted(values, key=lambda value: 0) if not values else [
        values[at] for at in sorted(range(len(values)), key=lambda at: blake2b(f"{seed}/{at}".encode(), digest_size=8).digest())
    ]  # fmt: skip


def report(found: Sequence[Trajectory]) -> dict[str, object]:
    """Return n, success rate, steps without a confidence, and every measure by aggregate, with the baselines beside."""
    said = [one for one in found if one.confidences]
    outcomes = [one.success for one in said]
    result: dict[str, object] = {
        "n": len(found), "bins": BINS, "success": sum(one.success for one in found) / len(found) if found else None,
        "without_confidence": sum(one.unsaid for one in found),
    }  # fmt: skip
    for name, aggregate in AGGREGATES.items():
        values = [aggregate(one) for one in said]
        result[name] = {"ece": ece(values, outcomes), "brier": brier(values, outcomes), "auroc": auroc(values, outcomes)}
    result["shuffled"] = {"auroc": auroc(shuffled([minimum(one) for one in said]), outcomes)}
    return result
