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
from agent.scheduler.params import (
    BELIEF_ALARM,
    BELIEF_PRIOR_MEAN,
    BELIEF_PRIOR_VARIANCE,
    BELIEF_SLACK,
    BELIEF_VARIANCE_MAX,
)

FEATURES = 16
"""Constant; three hints, changing, prior of the action; four ends of hints; six of the cluster."""
LINKED = 6
assert len(BELIEF_PRIOR_MEAN) == len(BELIEF_PRIOR_VARIANCE) == FEATURES
_PI_EIGHTH = 0.39269908169872414


@dataclass(slots=True)
class Belief:
    """Weights, their covariance, and the running surprise."""

    weights: list[float] = field(default_factory=lambda: list(BELIEF_PRIOR_MEAN))
    covariance: list[list[float]] = field(
        default_factory=lambda: [
            [BELIEF_PRIOR_VARIANCE[i] if i == j else 0.0 for j in range(FEATURES)] for i in range(FEATURES)
        ]
    )
    outcomes: int = 0
    surprise: float = 0.0
    alarms: int = 0

    def forecast(self, features: tuple[float, ...], bound: float) -> tuple[float, float, float]:
        """Return the probability of a critical outcome, its upper bound *bound* deviations up, and what it were alone.

        Alone is without the last LINKED features, those of the cluster.
        """
        filled = _filled(features)
        own = [each for each in filled if each[0] < FEATURES - LINKED]
        linked = filled[len(own) :]
        # Both variances in one go: the sums of the own features are the beginnings of the whole ones.
        variance = lone = 0.0
        for i, value in filled:
            row, total = self.covariance[i], 0.0
            for j, other in own:
                total += row[j] * other
            if i < FEATURES - LINKED:
                lone += value * total
            for j, other in linked:
                total += row[j] * other
            variance += value * total
        mean, variance = _dot(self.weights, filled), max(0.0, variance)
        chance = _widened(mean, variance)
        alone = _widened(_dot(self.weights, own), max(0.0, lone)) if linked else chance
        return chance, logistic(mean + bound * sqrt(variance)), alone

    def learn(self, features: tuple[float, ...], critical: bool, drift: float, inflation: float) -> bool:
        """Take in one outcome. Return whether the rule seems to have changed."""
        changed = self._watch(features, critical)
        extra = inflation if changed else drift
        for i in range(FEATURES):
            self.covariance[i][i] = min(BELIEF_VARIANCE_MAX, self.covariance[i][i] + extra * BELIEF_PRIOR_VARIANCE[i])
        self._update(features, critical)
        self.outcomes += 1
        return changed

    def _watch(self, features: tuple[float, ...], critical: bool) -> bool:
        chance, _, _ = self.forecast(features, 0.0)
        error = (1.0 - chance) if critical else chance
        excess = error * error - chance * (1.0 - chance)
        self.surprise = max(0.0, self.surprise + excess - BELIEF_SLACK)
        if self.surprise <= BELIEF_ALARM:
            return False
        self.surprise = 0.0
        self.alarms += 1
        return True

    def _update(self, features: tuple[float, ...], critical: bool) -> None:
        filled = _filled(features)
        chance = logistic(_dot(self.weights, filled))
        slope = max(1e-3, chance * (1.0 - chance))
        spread = [_dot(row, filled) for row in self.covariance]
        total = _dot(spread, filled) * slope + 1.0
        error = (1.0 if critical else 0.0) - chance
        for i in range(FEATURES):
            self.weights[i] += spread[i] / total * error
        for i in range(FEATURES):
            row = self.covariance[i]
            share = spread[i] * slope / total
            for j in range(FEATURES):
                row[j] -= share * spread[j]


def _filled(features: tuple[float, ...]) -> list[tuple[int, float]]:
    """Return the features that are not 0, with their places: most are 0, and a sum is the same to the bit without them."""
    assert len(features) == FEATURES
    return [(i, value) for i, value in enumerate(features) if value]


def _dot(row: list[float], filled: list[tuple[int, float]]) -> float:
    total = 0.0
    for i, value in filled:
        total += row[i] * value
    return total


def _widened(mean: float, variance: float) -> float:
    return logistic(mean / sqrt(1.0 + _PI_EIGHTH * variance))
