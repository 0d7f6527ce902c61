"""Arithmetic that is the same on every machine: rounding, clipping, and exp without libm.

exp and its kin are built from + - * / only, which IEEE 754 rounds alike everywhere, so
nothing here depends on the platform's mathematical library. They agree with a good libm to
about 1e-15, well inside the 1e-12 to which the scheduler conforms to its reference.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from math import isfinite, ldexp
from typing import Any

_LN2_HIGH = 0.6931471803691238
_LN2_LOW = 1.9082149292705877e-10
_PLACES = {places: Decimal(1).scaleb(-places) for places in range(13)}
_SCALES = {places: 10.0**places for places in _PLACES}
_HALVES = {places: 2.0 ** (places + 1) for places in _PLACES}
"""Half way between two decimals lie only the odd multiples of one through this."""
_PLAIN, _PLAIN_MAX = 0.49, 1e11
"""So far from a decimal, and up to so many of its last places, no error of a product can hide which one is nearest."""


def clip(value: float) -> float:
    """Return *value* limited to 0..1."""
    if value <= 0.0:
        return 0.0
    return 1.0 if value >= 1.0 else value


def unit(value: Any) -> float:
    """Return a number from outside limited to 0..1. What is no finite number counts as 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0.0
    if isinstance(value, int):
        return float(min(1, max(0, value)))
    return clip(value) if isfinite(value) else 0.0


def rounded(value: float, places: int = 4) -> float:
    """Return *value* to *places* decimals, half away from zero on its exact binary value.

    Away from the middle between two decimals the nearest one is plain, and dividing a whole number by the scale gives the
    very double that stands for it.
    """
    scale = _SCALES[places]
    scaled = value * scale
    if 0.0 < scaled < _PLAIN_MAX:
        whole = int(scaled + 0.5)
        if -_PLAIN < scaled - whole < _PLAIN:
            return whole / scale
    if not value:
        return float(value)
    if value * _HALVES[places] % 2.0 != 1.0:
        return round(float(value), places)
    return float(Decimal(value).quantize(_PLACES[places], ROUND_HALF_UP))


def exp(x: float) -> float:
    """Return e to the power *x*, 0 far below and a huge finite number far above."""
    if x < -745.0:
        return 0.0
    x = min(x, 700.0)
    halvings = int(x * 1.4426950408889634 + (0.5 if x >= 0 else -0.5))
    rest = (x - halvings * _LN2_HIGH) - halvings * _LN2_LOW
    # The power series to the 13th term, innermost first.
    total = (1.0 / 6227020800.0 * rest + 1.0 / 479001600.0) * rest + 1.0 / 39916800.0
    total = ((total * rest + 1.0 / 3628800.0) * rest + 1.0 / 362880.0) * rest + 1.0 / 40320.0
    total = ((total * rest + 1.0 / 5040.0) * rest + 1.0 / 720.0) * rest + 1.0 / 120.0
    total = ((total * rest + 1.0 / 24.0) * rest + 1.0 / 6.0) * rest + 0.5
    return ldexp((total * rest + 1.0) * rest + 1.0, halvings)


def tanh(x: float) -> float:
    """Return the hyperbolic tangent of *x*."""
    if abs(x) > 20.0:
        return 1.0 if x > 0 else -1.0
    if abs(x) < 1e-3:
        square = x * x
        return x * (1.0 - square / 3.0 + 2.0 * square * square / 15.0)
    twice = exp(2.0 * x)
    return (twice - 1.0) / (twice + 1.0)


def logistic(x: float) -> float:
    """Return 1 / (1 + exp(-x))."""
    if x >= 0:
        return 1.0 / (1.0 + exp(-x))
    lifted = exp(x)
    return lifted / (1.0 + lifted)
