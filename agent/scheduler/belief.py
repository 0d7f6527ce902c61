"""What is believed of how critical steps are: an online logistic rule with its own doubt.

Default mode only. The weights carry a full covariance, so the probability comes with a
bound that is wide at first and narrows with evidence. A little variance returns with each
step, more when outcomes contradict confident forecasts, so that a learned rule can be
unlearned after the meaning of the cues has changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt

from agent.scheduler.exact import logistic

FEATURES = 16
"""Constant; three hints, changing, prior of the action; four ends of hints; six of the cluster."""
PRIOR_MEAN = (-4.5, 8.0, 2.0, 0.0, 0.0, 0.5, *(0.0,) * 4, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
"""Before any outcome: critical steps are those hinted to be critical, or linked to such."""
PRIOR_VARIANCE = (16.0, 36.0, 16.0, 4.0, 4.0, 4.0, *(64.0,) * 4, 16.0, 16.0, 16.0, 16.0, 16.0, 36.0)
assert len(PRIOR_MEAN) == len(PRIOR_VARIANCE) == FEATURES
_VARIANCE_MAX = 100.0
_PI_EIGHTH = 0.39269908169872414
_SLACK = 0.08
"""How much worse than expected a forecast may be, in squared error, before it counts as a surprise."""
_ALARM = 1.2
"""Summed surprise that means: the rule has changed. About two confident forecasts gone wrong in a row."""


@dataclass(slots=True)
class Belief:
    """Weights, their covariance, and the running surprise."""

    weights: list[float] = field(default_factory=lambda: list(PRIOR_MEAN))
    covariance: list[list[float]] = field(
        default_factory=lambda: [
            [PRIOR_VARIANCE[i] if i == j else 0.0 for j in range(FEATURES)] for i in range(FEATURES)
        ]
    )
    outcomes: int = 0
    surprise: float = 0.0
    alarms: int = 0

    def forecast(self, features: tuple[float, ...], bound: float) -> tuple[float, float]:
        """Return the probability of a critical outcome, and its upper bound *bound* deviations up."""
        mean, variance = self._moments(features)
        widened = mean / sqrt(1.0 + _PI_EIGHTH * variance)
        return logistic(widened), logistic(mean + bound * sqrt(variance))

    def learn(self, features: tuple[float, ...], critical: bool, drift: float, inflation: float) -> bool:
        """Take in one outcome. Return whether the rule seems to have changed."""
        changed = self._watch(features, critical)
        extra = inflation if changed else drift
        for i in range(FEATURES):
            self.covariance[i][i] = min(_VARIANCE_MAX, self.covariance[i][i] + extra * PRIOR_VARIANCE[i])
        self._update(features, critical)
        self.outcomes += 1
        return changed

    def _moments(self, features: tuple[float, ...]) -> tuple[float, float]:
        mean = 0.0
        for weight, value in zip(self.weights, features, strict=True):
            mean += weight * value
        variance = 0.0
        for row, value in zip(self.covariance, features, strict=True):
            if value:
                variance += value * _dot(row, features)
        return mean, max(0.0, variance)

    def _watch(self, features: tuple[float, ...], critical: bool) -> bool:
        chance, _ = self.forecast(features, 0.0)
        error = (1.0 - chance) if critical else chance
        excess = error * error - chance * (1.0 - chance)
        self.surprise = max(0.0, self.surprise + excess - _SLACK)
        if self.surprise <= _ALARM:
            return False
        self.surprise = 0.0
        self.alarms += 1
        return True

    def _update(self, features: tuple[float, ...], critical: bool) -> None:
        mean, _ = self._moments(features)
        chance = logistic(mean)
        slope = max(1e-3, chance * (1.0 - chance))
        spread = [_dot(row, features) for row in self.covariance]
        total = _dot(spread, features) * slope + 1.0
        error = (1.0 if critical else 0.0) - chance
        for i in range(FEATURES):
            self.weights[i] += spread[i] / total * error
        for i in range(FEATURES):
            row = self.covariance[i]
            share = spread[i] * slope / total
            for j in range(FEATURES):
                row[j] -= share * spread[j]


def _dot(one: list[float], other: tuple[float, ...]) -> float:
    total = 0.0
    for a, b in zip(one, other, strict=True):
        total += a * b
    return total
