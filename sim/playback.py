"""A recorded log as an object to look into: any moment as a frame, any stretch as records. `oneroom.replay` opens one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from logs.reader import open_log
from sim.frame import Frame
from sim.reel import Reel


class Playback:
    """One log, read as far as it is asked for. Close it, or use it in a `with`."""

    def __init__(self, path: Path | str) -> None:
        """Raises LogError for what is no log."""
        self._reader = open_log(Path(path))
        self._reel = Reel(self._reader)
        self.header: dict[str, Any] = self._reader.header
        self.end_tick: int = self._reel.end_tick
        """The last tick of a sealed log; 0 while it runs."""

    def close(self) -> None:
        """Close the file."""
        self._reader.close()

    def __enter__(self) -> Playback:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def frame(self, tick: int) -> Frame:
        """Return the room and what is shown of the resident at *tick*: bodies, things, needs as felt, beliefs, feedback."""
        return self._reel.at(tick)

    def records(self, start_tick: int = 0, end_tick: int | None = None) -> Iterator[dict[str, Any]]:
        """Yield the records with *start_tick* <= tick < *end_tick*."""
        return self._reader.records(start_tick, end_tick)


def replay(path: Path | str) -> Playback:
    """Open the log at *path* to look into it. Nothing is simulated; for that there is `verify`."""
    return Playback(path)
