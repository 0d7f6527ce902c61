"""How good the forecasts were: the reference's log of errors, and ours of reliability.

A forecast is called a probability only while its recent record bears that out; until then
it is named a risk score.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Any

from agent.scheduler.exact import rounded
from agent.scheduler.params import (
    CALIBRATION_ENOUGH,
    CALIBRATION_GAP_ENOUGH,
    CALIBRATION_GAP_MAX,
    CALIBRATION_PSEUDO,
    CALIBRATION_REFIT,
    CALIBRATION_WINDOW,
)

BINS = 10

@dataclass(slots=True)
class CalibrationLog:
    """The reference's window of (error, right mode) pairs; one decision may wait for its report."""

    window: int
    scored: list[tuple[float, bool]] = field(default_factory=list)
    waiting: tuple[float, bool, float] | None = None
    total: int = 0

    def decided(self, p_mean: float, ignited: bool, threshold: float) -> None:
        """Remember the latest decision."""
        self.waiting = (p_mean, ignited, threshold)

    def reported(self, observed: float) -> None:
        """Score the decision that waits, if any."""
        if self.waiting is not None:
            self.score(self.waiting, observed)
            self.waiting = None

    def score(self, decided: tuple[float, bool, float], observed: float) -> None:
        """Score one decision against what was observed."""
        p_mean, ignited, threshold = decided
        self.total += 1
        self.scored.append((abs(p_mean - observed), ignited == (observed > threshold)))
        if len(self.scored) > self.window:
            del self.scored[0]

    def summary(self) -> dict[str, Any]:
        """Return the fields of get_calibration in the reference."""
        half = len(self.scored) // 2
        first, recent = _part(self.scored[:half]), _part(self.scored[half:])
        improving = (
            first["n"] > 0
            and recent["n"] > 0
            and recent["mae"] <= first["mae"]
            and recent["accuracy"] >= first["accuracy"] - 0.02
        )
        return {
            "scored": self.total,
            "overall": _part(self.scored),
            "firstHalf": first,
            "recentHalf": recent,
            "improving": bool(improving),
        }


@dataclass(slots=True)
class Reliability:
    """Forecasts and what came of them; an isotonic curve fitted to the recent ones.

    A pair is (raw forecast, forecast as served, critical): the curve corrects the raw one, the
    record is kept of the served one.
    """

    pairs: list[tuple[float, float, bool]] = field(default_factory=list)
    knots: list[tuple[float, float]] = field(default_factory=list)
    since: int = 0
    error: float | None = None
    """Mean gap between served forecast and frequency, as of the last look; None while there are too few."""

    def learn(self, raw: float, served: float, critical: bool) -> None:
        """Take in one forecast, raw and as served, and its outcome."""
        self.pairs.append((raw, served, critical))
        if len(self.pairs) > CALIBRATION_WINDOW:
            del self.pairs[0]
        self.since += 1
        if len(self.pairs) >= CALIBRATION_ENOUGH and self.since >= CALIBRATION_REFIT:
            plain = [(raw, critical) for raw, _, critical in self.pairs]
            self.knots = isotonic(plain) if _gap(_curve(plain)) > CALIBRATION_GAP_ENOUGH else []
            self.error = _gap(self.curve())
            self.since = 0

    def corrected(self, forecast: float) -> float:
        """Return *forecast* read through the curve; unchanged while there is none."""
        if len(self.knots) < 2:
            return forecast
        place = bisect_left(self.knots, (forecast, -1.0))
        if place == 0:
            return self.knots[0][1]
        if place == len(self.knots):
            return self.knots[-1][1]
        (x0, y0), (x1, y1) = self.knots[place - 1], self.knots[place]
        return y1 if x1 <= x0 else y0 + (y1 - y0) * (forecast - x0) / (x1 - x0)

    def gap(self) -> float | None:
        """Return the expected calibration error over the window as of the last look, None while there are too few."""
        return self.error

    def curve(self) -> list[dict[str, Any]]:
        """Return the reliability curve: ten bins with their mean forecast and their frequency."""
        return _curve([(served, critical) for _, served, critical in self.pairs])

    def kind(self) -> str:
        """Return what the forecast may be called: "probability" or "risk_score"."""
        gap = self.gap()
        return "probability" if gap is not None and gap <= CALIBRATION_GAP_MAX else "risk_score"


def isotonic(pairs: list[tuple[float, bool]]) -> list[tuple[float, float]]:
    """Return the rising step curve nearest to *pairs*, as knots (pool adjacent violators)."""
    blocks: list[list[float]] = []  # weight, sum of forecasts, sum of outcomes
    for forecast, critical in sorted(pairs):
        blocks.append([1.0, forecast, 1.0 if critical else 0.0])
        while len(blocks) > 1 and blocks[-2][2] * blocks[-1][0] >= blocks[-1][2] * blocks[-2][0]:
            last = blocks.pop()
            for i in range(3):
                blocks[-1][i] += last[i]
    knots: list[tuple[float, float]] = []
    for weight, forecasts, outcomes in blocks:
        mean = forecasts / weight
        height = (outcomes + CALIBRATION_PSEUDO * mean) / (weight + CALIBRATION_PSEUDO)
        knots.append((mean, max(height, knots[-1][1]) if knots else height))
    return knots


def _curve(pairs: list[tuple[float, bool]]) -> list[dict[str, Any]]:
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for forecast, critical in pairs:
        bins[min(BINS - 1, int(forecast * BINS))].append((forecast, critical))
    rows: list[dict[str, Any]] = []
    for low, part in enumerate(bins):
        if part:
            n = len(part)
            total = 0.0  # Added one by one: from Python 3.12 on `sum` of floats comes to something else.
            for forecast, _ in part:
                total += forecast
            often = sum(1 for _, critical in part if critical) / n
            rows.append({"from": low / BINS, "n": n, "forecast": total / n, "frequency": often})
    return rows


def _gap(rows: list[dict[str, Any]]) -> float:
    total = 0.0
    count = 0
    for row in rows:
        total += row["n"] * abs(row["forecast"] - row["frequency"])
        count += row["n"]
    return total / count if count else 0.0


def _part(scored: list[tuple[float, bool]]) -> dict[str, Any]:
    if not scored:
        return {"n": 0, "mae": None, "accuracy": None}
    error = 0.0
    right = 0
    for gap, good in scored:
        error += gap
        right += good
    return {
        "n": len(scored),
        "mae": rounded(error / len(scored)),
        "accuracy": rounded(right / len(scored)),
    }
