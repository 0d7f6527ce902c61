"""Statistics of the compute experiments: paired tests, intervals, correction for many claims."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from typing import Any

from agent.scheduler.exact import rounded


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
    mean = sum(gaps) / n
    spread = sum((gap - mean) ** 2 for gap in gaps) / (n - 1) if n > 1 else 0.0
    error = sqrt(spread / n)
    t = mean / error if error > 0 else 0.0
    p = 2 * (1 - 0.5 * (1 + erf(abs(t) / sqrt(2))))
    wins = sum(1 for gap in gaps if gap < 0)
    return {
        "mean": rounded(mean, 2),
        "t": rounded(t, 2),
        "p": rounded(p, 4),
        "winRate": rounded(100 * wins / n, 0),
    }
