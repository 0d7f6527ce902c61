"""Statistics of the compute experiments: paired tests, intervals, correction for many claims.

Everything is seeded, so a repeated run prints the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, sqrt
from typing import Any

from agent.scheduler.exact import rounded
from trials.experiments.shuffles import Shuffles

RESAMPLES = 4000


@dataclass(frozen=True, slots=True)
class Paired:
    """A paired comparison a - b."""

    mean: float
    low: float
    high: float
    p: float
    """Two-sided, by flipping signs of the differences."""
    n: int
    wins: float
    """Share of pairs in which a is below b, percent."""

    def interval(self) -> list[float]:
        """Return the 95 % interval of the mean difference."""
        return [rounded(self.low, 3), rounded(self.high, 3)]


def compare(a: Sequence[float], b: Sequence[float], seed: int = 1) -> Paired:
    """Compare two arms over the same seeds: bootstrap interval and sign-flip p-value."""
    gaps = [x - y for x, y in zip(a, b, strict=True)]
    n = len(gaps)
    mean = sum(gaps) / n
    chance = Shuffles(seed)
    means = sorted(sum(chance.choices(gaps, k=n)) / n for _ in range(RESAMPLES))
    extreme = 0
    for _ in range(RESAMPLES):
        flipped = sum(gap if chance.heads() else -gap for gap in gaps)
        extreme += abs(flipped) >= abs(sum(gaps)) - 1e-12
    wins = 100 * sum(1 for gap in gaps if gap < 0) / n
    low, high = means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]
    return Paired(mean, low, high, (extreme + 1) / (RESAMPLES + 1), n, wins)


def ratio_interval(
    top: Sequence[float], bottom: Sequence[float], seed: int = 2
) -> tuple[float, float, float]:
    """Return sum(top) / sum(bottom) over paired seeds and its 95 % bootstrap interval."""
    chance = Shuffles(seed)
    n = len(top)
    found: list[float] = []
    for _ in range(RESAMPLES):
        picks = [chance.below(n) for _ in range(n)]
        below = sum(bottom[i] for i in picks)
        found.append(sum(top[i] for i in picks) / below if below else 0.0)
    found.sort()
    whole = sum(bottom)
    centre = sum(top) / whole if whole else 0.0
    return centre, found[int(0.025 * RESAMPLES)], found[int(0.975 * RESAMPLES) - 1]


def holm(p_values: Sequence[float]) -> list[float]:
    """Return *p_values* corrected for being many (Holm)."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected = [0.0] * len(p_values)
    worst = 0.0
    for rank, i in enumerate(order):
        worst = max(worst, min(1.0, (len(p_values) - rank) * p_values[i]))
        corrected[i] = worst
    return corrected


def mean(values: Sequence[float]) -> float:
    """Return the mean of *values*."""
    return sum(values) / len(values)


def line(
    claim: str,
    target: str,
    measured: Any,
    passed: bool,
    *,
    source: Any = None,
    interval: list[float] | None = None,
    p: float | None = None,
    n: int | None = None,
) -> dict[str, Any]:
    """Return one line of an experiment's table."""
    return {
        "claim": claim,
        "target": target,
        "expected_by_source": source,
        "measured": measured,
        "interval": None if interval is None else [rounded(each, 3) for each in interval],
        "p_corrected": None if p is None else rounded(p, 4),
        "n": n,
        "pass": bool(passed),
    }


def erf(x: float) -> float:
    """Return the error function by Abramowitz and Stegun 7.1.26 (error below 1.5e-7)."""
    sign = -1.0 if x < 0 else 1.0
    x = abs(x)
    t = 1 / (1 + 0.3275911 * x)
    series = ((((1.061405429 * t - 1.453152027) * t) + 1.421413741) * t - 0.284496736) * t + 0.254829592
    return sign * (1 - series * t * exp(-x * x))


def paired_t(a: Sequence[float], b: Sequence[float]) -> dict[str, Any]:
    """Return the reference's paired comparison a - b: mean, t, two-sided p (normal), share of a < b in %."""
    gaps = [x - y for x, y in zip(a, b, strict=True)]
    n = len(gaps)
    centre = sum(gaps) / n
    spread = sum((gap - centre) ** 2 for gap in gaps) / (n - 1) if n > 1 else 0.0
    error = sqrt(spread / n)
    t = centre / error if error > 0 else 0.0
    p = 2 * (1 - 0.5 * (1 + erf(abs(t) / sqrt(2))))
    wins = sum(1 for gap in gaps if gap < 0)
    return {
        "mean": rounded(centre, 2),
        "t": rounded(t, 2),
        "p": rounded(p, 4),
        "winRate": rounded(100 * wins / n, 0),
    }
