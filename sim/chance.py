"""Keyed, counted chance: a draw depends on its own counter only, so no draw can move another.

draw = first 64 bits of blake2b(seed, stream, subject, counter). Bounded integers come by rejection,
so they are exact. Streams are per purpose, subjects per object or event.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b

_SPAN = 1 << 64


@dataclass(slots=True)
class Chance:
    """The counters of every stream; they are part of the state."""

    seed: int
    counters: dict[str, int] = field(default_factory=dict)

    def draw(self, stream: str, subject: str) -> int:
        """Return the next 64 bits of *stream* for *subject*."""
        name = f"{stream}\x1f{subject}"
        counter = self.counters.get(name, 0)
        self.counters[name] = counter + 1
        key = f"{self.seed}\x1f{name}\x1f{counter}".encode()
        return int.from_bytes(blake2b(key, digest_size=8).digest(), "big")

    def below(self, stream: str, subject: str, n: int) -> int:
        """Return an integer in 0..n-1, every one equally likely."""
        assert n > 0
        limit = _SPAN - _SPAN % n
        while (value := self.draw(stream, subject)) >= limit:
            pass
        return value % n
