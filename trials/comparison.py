"""Arms compared over the same seeds: differences with intervals, effect sizes, corrected p values; and how many seeds it takes.

Trials of two arms with the same seed met the same chance, so their difference is what counts: everything here is paired
by seed (replicates of one seed are averaged first). For each metric the mean difference comes with a t interval, the
effect size d_z (mean over standard deviation of the differences, with Hedges' small-sample correction), a Wilcoxon
signed-rank p value (exact where the number of pairs allows) and its Holm correction over all metrics of the comparison.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, stdev
from typing import Any

Samples = Mapping[int, float]
PAIRS_MIN = 2
POWER, ALPHA, LEVEL = 0.8, 0.05, 0.95
SEEDS_MAX = 100_000
P_SMALLEST_OF = 2
"""The exact signed-rank test of n pairs can't go below this over 2^n."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its interval at *level* and the standard deviation; all but the mean are None for fewer than two values."""

    n: int
    mean: float
    low: float | None
    high: float | None
    level: float = LEVEL
    sd: float | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """One metric in two arms, paired over seeds. *difference* is second minus first."""

    metric: str
    first: str
    second: str
    pairs: int
    mean_first: float
    mean_second: float
    difference: float
    low: float | None
    high: float | None
    effect: float | None
    p: float | None
    p_holm: float | None = None
    dropped: int = 0
    """Seeds that had a value in one arm only."""

    @property
    def differs(self) -> bool:
        """Whether the interval of the difference leaves out 0."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values, `differs` included."""
        return {**asdict(self), "differs": self.differs}


def estimate(values: Sequence[float], level: float = LEVEL) -> Estimate:
    """Return the mean of *values* with its t interval. Raises ValueError for none."""
    if not values:
        raise ValueError("nothing to estimate from: no trial has a value")
    mean = fmean(values)
    if len(values) < PAIRS_MIN:
        return Estimate(len(values), mean, None, None, level)
    spread = stdev(values)
    half = _t_quantile(len(values) - 1, level) * spread / len(values) ** 0.5
    return Estimate(len(values), mean, mean - half, mean + half, level, spread)


def by_seed(rows: Iterable[Mapping[str, Any]], metric: str) -> dict[str, dict[int, float]]:
    """Return arm -> seed -> value of *metric*, replicates averaged; *rows* are those of trials/store_rows.py."""
    found: dict[str, dict[int, list[float]]] = {}
    for row in rows:
        value = row["metrics"].get(metric)
        if value is not None:
            found.setdefault(row["facts"]["arm"], {}).setdefault(row["facts"]["seed"], []).append(
                float(value)
            )
    return {arm: {seed: fmean(values) for seed, values in seeds.items()} for arm, seeds in found.items()}


def compare(
    metric: str, first: str, second: str, one: Samples, other: Samples, level: float = LEVEL
) -> Comparison:
    """Return the comparison of two arms, given as seed -> value. Raises ValueError if no seed is in both."""
    seeds = sorted(one.keys() & other.keys())
    dropped = len(one.keys() ^ other.keys())
    if not seeds:
        raise ValueError(
            f"{metric}: the arms {first} and {second} have no seed in common; run both with the same seeds"
        )
    differences = [other[seed] - one[seed] for seed in seeds]
    found = estimate(differences, level)
    return Comparison(
        metric, first, second, len(seeds), fmean(one[seed] for seed in seeds), fmean(other[seed] for seed in seeds),
        found.mean, found.low, found.high, effect_size(differences), _wilcoxon(differences), dropped=dropped,
    )  # fmt: skip


def compare_all(
    rows: Sequence[Mapping[str, Any]], metrics: Sequence[str], first: str, second: str, level: float = LEVEL
) -> list[Comparison]:
    """Return the comparison of two arms in every metric that both have values of, p values corrected over them."""
    made = []
    for metric in metrics:
        arms = by_seed(rows, metric)
        if first in arms and second in arms and arms[first].keys() & arms[second].keys():
            made.append(compare(metric, first, second, arms[first], arms[second], level))
    corrected = holm([each.p for each in made])
    return [
        Comparison(**{**{name: getattr(each, name) for name in Comparison.__slots__}, "p_holm": p})
        for each, p in zip(made, corrected, strict=True)
    ]


def effect_size(differences: Sequence[float]) -> float | None:
    """Return d_z with Hedges' correction; None for fewer than two pairs, or where they do not vary at all."""
    if len(differences) < PAIRS_MIN:
        return None
    spread = stdev(differences)
    if spread == 0:
        return 0.0 if fmean(differences) == 0 else None
    return fmean(differences) / spread * (1 - 3 / (4 * (len(differences) - 1) - 1))


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Return *values* corrected for their number after Holm; None stays None and counts for nothing."""
    from statsmodels.stats.multitest import multipletests

    known = [value for value in values if value is not None]
    if not known:
        return list(values)
    corrected = iter(float(each) for each in multipletests(known, method="holm")[1])
    return [None if value is None else next(corrected) for value in values]


def _wilcoxon(differences: Sequence[float]) -> float | None:
    from scipy.stats import wilcoxon

    moved = [each for each in differences if each != 0]
    if not moved:
        return 1.0
    return float(wilcoxon(moved).pvalue)


def _t_quantile(freedom: int, level: float) -> float:
    from scipy.stats import t

    return float(t.ppf(0.5 + level / 2, freedom))


def seeds_for_effect(effect: float, power: float = POWER, alpha: float = ALPHA) -> int:
    """Return how many seeds a paired comparison needs to find an effect d_z with *power* at *alpha*, two-sided.

    Raises ValueError for an effect of 0 or one so small that no feasible number would do.
    """
    from statsmodels.stats.power import TTestPower

    if not 0 < abs(effect) < math.inf or not 0 < power < 1 or not 0 < alpha < 1:
        raise ValueError("an effect is a number other than 0; power and alpha lie between 0 and 1")
    test = TTestPower()
    low, high = 2, 4
    while test.power(abs(effect), high, alpha) < power:
        low, high = high, high * 2
        if high > SEEDS_MAX:
            raise ValueError(
                f"an effect of {effect} needs more than {SEEDS_MAX} seeds; look for a larger one"
            )
    while low < high:
        middle = (low + high) // 2
        if test.power(abs(effect), middle, alpha) < power:
            low = middle + 1
        else:
            high = middle
    return low


def seeds_for_width(values: Sequence[float], half_width: float, level: float = LEVEL) -> int:
    """Return how many seeds make the interval of a mean (or of a mean difference) no wider than +- *half_width*.

    *values* are from a pilot: at least two. Raises ValueError for fewer, or for a width of 0.
    """
    if len(values) < PAIRS_MIN or half_width <= 0:
        raise ValueError("a pilot needs two values, and the half width must be above 0")
    spread = stdev(values)
    for count in range(PAIRS_MIN, SEEDS_MAX):
        if _t_quantile(count - 1, level) * spread / count**0.5 <= half_width:
            return count
    raise ValueError(f"+- {half_width} needs more than {SEEDS_MAX} seeds; allow a wider one")
