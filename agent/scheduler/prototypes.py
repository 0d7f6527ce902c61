"""A small library of situations: where they lie, how critical they were, how well that was foreseen."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from agent.scheduler.exact import clip, exp
from agent.scheduler.params import Params

FIRST_READOUT = (0.1, 0.6, 0.0, 0.0, 0.0, 0.0)
_ALIKE = 1e-9
"""Exponents nearer than this may round to one similarity; exp is good to about 1e-15 of its value."""
_FADED = 700.0
"""Exponents beyond this leave the range in which exp tells two numbers apart."""


@dataclass(slots=True)
class Prototype:
    """One situation: centroid, linear readout (bias first), count, confidence, error of forecasts."""

    id: int
    centroid: list[float]
    readout: list[float]
    n: int
    confidence: float
    error: float

    def foresee(self, x: tuple[float, ...]) -> float:
        """Return the criticality that the readout gives for *x*, 0..1."""
        total = self.readout[0]
        for weight, value in zip(self.readout[1:], x, strict=False):
            total += weight * value
        return clip(total)

    def learn(self, x: tuple[float, ...], observed: float, lr: float) -> None:
        """Move the readout a step toward *observed*."""
        gap = observed - self.foresee(x)
        self.readout[0] += lr * gap
        for i, value in enumerate(x[: len(self.readout) - 1], start=1):
            self.readout[i] += lr * gap * value
        self.error = 0.85 * self.error + 0.15 * abs(gap)

    def stored(self) -> dict[str, Any]:
        """Return the prototype as the store holds it; theta and muBias are the reference's dead fields."""
        return {
            "protoFeat": list(self.centroid),
            "w": list(self.readout),
            "n": self.n,
            "conf": self.confidence,
            "predErr": self.error,
            "theta": 0.6,
            "muBias": 0,
        }


@dataclass(slots=True)
class Match:
    """The nearest prototype of a situation, if there is any."""

    index: int
    prototype: Prototype | None
    similarity: float


def match(library: list[Prototype], x: tuple[float, ...], params: Params) -> Match:
    """Return the first prototype most like *x*.

    exp is costly, and only those about as near as the nearest can be most like *x*: the others are left out.
    """
    best = Match(-1, None, 0.0)
    if not library:
        return best
    width = 2 * params.sim_tau
    far = [_distance(x, each.centroid) / width for each in library]
    nearest = min(far)
    # Where exp comes to nothing all are alike, and the first is taken.
    reach = nearest + _ALIKE if 0.0 <= nearest < _FADED else inf
    for index, each in enumerate(library):
        if far[index] > reach:
            continue
        similarity = exp(-far[index])
        if best.prototype is None or similarity > best.similarity:
            best = Match(index, each, similarity)
    return best


def _distance(x: tuple[float, ...], centroid: list[float]) -> float:
    if len(x) == 5 == len(centroid):
        a, b, c, d, e = x[0] - centroid[0], x[1] - centroid[1], x[2] - centroid[2], x[3] - centroid[3], x[4] - centroid[4]
        return a * a + b * b + c * c + d * d + e * e
    total = 0.0  # Prototypes of an older store have three numbers.
    for value, centre in zip(x, centroid, strict=False):
        total += (value - centre) * (value - centre)
    return total


def add(library: list[Prototype], serial: int, x: tuple[float, ...], observed: float, params: Params) -> None:
    """Put a new prototype at *x* and drop the least useful ones beyond the library's size."""
    fresh = Prototype(serial, list(x), list(FIRST_READOUT), 1, 0.3, 0.5)
    fresh.learn(x, observed, params.lr)
    library.append(fresh)
    while len(library) > params.max_proto:
        worth = [each.foresee(tuple(each.centroid)) + 0.1 * each.n / (each.n + 5) for each in library]
        del library[worth.index(min(worth))]


def refine(prototype: Prototype, x: tuple[float, ...], observed: float, params: Params) -> None:
    """Move a prototype toward *x* and let it learn."""
    for i, value in enumerate(x[: len(prototype.centroid)]):
        prototype.centroid[i] += 0.15 * (value - prototype.centroid[i])
    prototype.learn(x, observed, params.lr)
    prototype.n += 1
    prototype.confidence = min(1.0, prototype.confidence + 0.05)


def restored(raw: Any, serial: int) -> Prototype | None:
    """Return a prototype from the store, None if it cannot be one."""
    if not isinstance(raw, dict):
        return None
    centroid, readout = raw.get("protoFeat"), raw.get("w")
    if not _numbers(centroid) or not _numbers(readout) or not _numbers([raw.get("n")]):
        return None
    assert isinstance(centroid, list)
    assert isinstance(readout, list)
    return Prototype(
        serial,
        [float(v) for v in centroid],
        [float(v) for v in readout],
        int(raw["n"]),
        float(raw.get("conf") or 0.0),
        float(raw.get("predErr") or 0.0),
    )


def _numbers(values: Any) -> bool:
    if not isinstance(values, list) or not values or len(values) > 64:
        return False
    return all(isinstance(v, (int, float)) and not isinstance(v, bool) and abs(v) < 1e12 for v in values)
