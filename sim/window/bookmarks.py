"""Bookmarks of a log, in a small file beside it. The log itself is never touched."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from pathlib import Path


class Bookmarks:
    """Ticks that someone wants to find again; without a file they last as long as the window."""

    def __init__(self, log: Path | None) -> None:
        self.file = None if log is None else log.with_name(f"{log.name}.bookmarks.json")
        self.ticks: list[int] = []
        if self.file is not None and self.file.is_file():
            self.ticks = _read(self.file)

    def toggle(self, tick: int) -> None:
        """Set a bookmark at *tick*, or take it away."""
        self.ticks = sorted({*self.ticks, tick} - ({tick} if tick in self.ticks else set()))
        if self.file is not None:
            new = self.file.with_suffix(".new")
            new.write_text(
                json.dumps({"schema": "oneroom.bookmarks/1", "ticks": self.ticks}), encoding="utf-8"
            )
            new.replace(self.file)

    def next(self, tick: int, step: int) -> int | None:
        """Return the next bookmark after (or before) *tick*."""
        at = bisect_right(self.ticks, tick) if step > 0 else bisect_left(self.ticks, tick) - 1
        return self.ticks[at] if 0 <= at < len(self.ticks) else None


def _read(file: Path) -> list[int]:
    """Return the ticks in *file*; a file that is none of ours counts as empty."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return sorted({int(tick) for tick in found["ticks"] if int(tick) >= 0})
    except (ValueError, KeyError, TypeError, OSError):
        return []
