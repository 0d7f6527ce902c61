"""What a metric is, and how new ones are registered.

A *gauge* watches a log go by, record by record, and says at the end what it counted. One gauge may answer for
several metrics, because most of them look at the same records. Each metric has a definition in words, a unit and
a window, in both languages; a value is a whole number, a fraction or None, and None means that the log holds nothing
the metric could speak of. Values rest on whole numbers counted from the log alone, so whoever counts again by the
definition comes to the last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Number = int | float | None
Row = Mapping[str, Any]
DAY_MS = 86_400_000
HOUR_MS = 3_600_000
MINUTE_MS = 60_000
DIGITS = 6
"""Decimal places of a fraction."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One registered metric."""

    name: str
    unit: str
    title: tuple[str, str]
    """In English and Chinese."""
    definition: tuple[str, str]
    """How it is counted, exactly, in English and Chinese."""
    window: str = "run"
    """What it speaks of: run (first to last tick), day (whole days of 24 h from the start), end (the last record)."""


@dataclass(frozen=True, slots=True)
class Span:
    """The stretch of a log: its header, and the ticks it covers. `from_tick` is above 0 in a child log only."""

    header: Mapping[str, Any]
    from_tick: int
    to_tick: int

    @property
    def tick_ms(self) -> int:
        """Length of a tick in ms."""
        return int(self.header["tick_ms"])

    @property
    def ms(self) -> int:
        """Simulated ms covered."""
        return (self.to_tick - self.from_tick) * self.tick_ms

    @property
    def whole_days(self) -> int:
        """Whole days of 24 h from the first tick."""
        return self.ms // DAY_MS


class Gauge(Protocol):
    """Counts over one log. It is made anew for each."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of record it wants to see."""

    def take(self, row: Row, /) -> None:
        """Look at one record."""

    def values(self, span: Span, /) -> dict[str, Number]:
        """Return what was counted, by metric name, once the log is over."""


MakeGauge = Callable[[Mapping[str, Any]], Gauge]


@dataclass(frozen=True, slots=True)
class Family:
    """A gauge and the metrics it answers for."""

    make: MakeGauge
    metrics: tuple[Metric, ...]


class Registry:
    """All known metrics, in the order of registration."""

    def __init__(self, families: Iterable[Family] = ()) -> None:
        self.families: list[Family] = []
        self.metrics: dict[str, Metric] = {}
        for family in families:
            self.register(family.make, family.metrics)

    def register(self, make: MakeGauge, metrics: Sequence[Metric]) -> None:
        """Add *metrics*, all counted by the gauge that *make* makes. Raises ValueError if a name is taken."""
        for metric in metrics:
            if metric.name in self.metrics:
                raise ValueError(f"a metric {metric.name!r} is registered already; choose another name")
            self.metrics[metric.name] = metric
        self.families.append(Family(make, tuple(metrics)))

    def measure(
        self, header: Mapping[str, Any], rows: Iterable[Row], names: Sequence[str] | None = None, from_tick: int | None = None
    ) -> dict[str, Number]:
        """Return name -> value over one log, given as *header* and a stream of records; *names* None is all.

        Without *from_tick* what is covered begins at the first record.
        """
        wanted = tuple(self.metrics) if names is None else tuple(names)
        unknown = [name for name in wanted if name not in self.metrics]
        if unknown:
            raise ValueError(f"there is no metric {unknown[0]!r}; oneroom trials metrics lists them")
        gauges = [
            family.make(header)
            for family in self.families
            if any(metric.name in wanted for metric in family.metrics)
        ]
        by_kind: dict[str, list[Gauge]] = {}
        for gauge in gauges:
            for kind in gauge.kinds:
                by_kind.setdefault(kind, []).append(gauge)
        first, last = -1 if from_tick is None else from_tick, 0
        for row in rows:
            last = int(row["tick"])
            first = last if first < 0 else first
            for gauge in by_kind.get(row["kind"], ()):
                gauge.take(row)
        found: dict[str, Number] = {}
        for gauge in gauges:
            found.update(gauge.values(Span(header, max(0, first), last)))
        return {name: found[name] for name in wanted}


def share(part: int, whole: int) -> float | None:
    """Return *part* of *whole* as a fraction, None of nothing."""
    return round(part / whole, DIGITS) if whole else None


def per(amount: int, times: int, unit: int) -> float | None:
    """Return *amount* x *times* / *unit*, None if the unit is empty."""
    return round(amount * times / unit, DIGITS) if unit else None


def median(values: Sequence[int]) -> Number:
    """Return the middle of *values*, the mean of the two middle ones, None of nothing."""
    ordered = sorted(values)
    size = len(ordered)
    if not size:
        return None
    if size % 2:
        return ordered[size // 2]
    total = ordered[size // 2 - 1] + ordered[size // 2]
    return total // 2 if total % 2 == 0 else total / 2
