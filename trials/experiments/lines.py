"""One line of a result: what was claimed, what was aimed at, what was measured, and whether it holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def line(
    claim: str,
    target: Any,
    measured: Any,
    holds: bool,
    *,
    expected: Any = None,
    interval: Any = None,
    **more: Any,
) -> dict[str, Any]:
    """Return the line that experiments, campaigns and benchmarks print."""
    return {
        "claim": claim, "target": target, "expected_by_source": expected, "measured": measured, "interval": interval,
        "pass": bool(holds), **more,
    }  # fmt: skip


# 97.5 % quantiles of Student's t for 1 to 30 degrees of freedom (any table of the distribution), in thousandths.
STUDENT = (
    12706, 4303, 3182, 2776, 2571, 2447, 2365, 2306, 2262, 2228, 2201, 2179, 2160, 2145, 2131, 2120, 2110, 2101, 2093, 2086,
    2080, 2074, 2069, 2064, 2060, 2056, 2052, 2048, 2045, 2042,
)  # fmt: skip


def interval_of(values: Sequence[float]) -> tuple[float, float, float]:
    """Return (mean, low, high): the 95 % interval of the mean of *values* by Student's t; at least two values."""
    count = len(values)
    assert count >= 2, "an interval needs at least two values"
    mean = sum(values) / count
    spread = (sum((value - mean) ** 2 for value in values) / (count - 1)) ** 0.5
    quantile = STUDENT[count - 2] / 1000 if count - 2 < len(STUDENT) else 1.96
    half = quantile * spread / count**0.5
    return mean, mean - half, mean + half
