"""Chance for resampling and shuffling: a small generator of our own, the same on every Python for ever.

SplitMix64 (Steele, Lea, Flood 2014): good enough to resample with, and never near anything that a resident lives by.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

Item = TypeVar("Item")
_MASK = (1 << 64) - 1


class Shuffles:
    """A stream of numbers from *seed*."""

    def __init__(self, seed: int | None) -> None:
        self._state = (seed or 0) & _MASK

    def bits(self) -> int:
        """Return the next 64 bits."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """Return a number in 0..n-1; the bias is below n / 2^64."""
        return self.bits() * n >> 64

    def heads(self) -> bool:
        """Return True half the time."""
        return bool(self.bits() >> 63)

    def random(self) -> float:
        """Return a number from 0 to below 1."""
        return (self.bits() >> 11) / (1 << 53)

    def gauss(self, mean: float, deviation: float) -> float:
        """Return a normal deviate: twelve uniform ones summed, which needs no libm and is near enough here."""
        return mean + deviation * (sum(self.random() for _ in range(12)) - 6.0)

    def randrange(self, n: int) -> int:
        """Return a number in 0..n-1."""
        return self.below(n)

    def choice(self, items: Sequence[Item]) -> Item:
        """Return one item."""
        return items[self.below(len(items))]

    def sample(self, items: Sequence[Item], k: int) -> list[Item]:
        """Return *k* different items."""
        drawn = list(items)
        self.shuffle(drawn)
        return drawn[:k]

    def choices(self, items: Sequence[Item], k: int) -> list[Item]:
        """Return *k* items drawn with replacement."""
        return [items[self.below(len(items))] for _ in range(k)]

    def shuffle(self, items: list[Any]) -> None:
        """Put *items* into a random order, in place (Fisher-Yates)."""
        for at in range(len(items) - 1, 0, -1):
            other = self.below(at + 1)
            items[at], items[other] = items[other], items[at]
