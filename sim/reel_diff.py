"""Where two reels differ: compared tick by tick while they are read."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from sim.reel import Reel

COMPARED = ("kind", "id", "causes", "data")
FOUND_MAX = 10_000


class ReelDiff:
    """The ticks at which the records of two logs are not the same, found piece by piece."""

    def __init__(self, one: Reel, other: Reel) -> None:
        self.one, self.other = one, other
        self.ticks: list[int] = []
        self._at = -1

    @property
    def first(self) -> int | None:
        """The first tick at which they differ, as far as they have been compared."""
        return self.ticks[0] if self.ticks else None

    def after(self, tick: int) -> int | None:
        """Return the next tick after *tick* at which they differ."""
        at = bisect_right(self.ticks, tick)
        return self.ticks[at] if at < len(self.ticks) else None

    def grow(self, ticks: int) -> None:
        """Compare up to *ticks* more active ticks of what both have read."""
        known = min(_known(self.one), _known(self.other))
        for _ in range(ticks):
            steps = [
                each
                for each in (self.one.next_active(self._at), self.other.next_active(self._at))
                if each is not None
            ]
            if not steps or min(steps) > known or len(self.ticks) >= FOUND_MAX:
                return
            self._at = min(steps)
            if _rows(self.one, self._at) != _rows(self.other, self._at):
                self.ticks.append(self._at)


def _known(reel: Reel) -> int:
    return 1 << 60 if reel.whole else reel.last_tick - 1


def _rows(reel: Reel, tick: int) -> list[list[Any]]:
    return [[row[key] for key in COMPARED] for row in reel.rows_at(tick) if row["kind"] != "end"]
