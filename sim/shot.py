"""What is to be drawn of a log without a screen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shot:
    """Size in pixels, language, text size, view, and the ticks; *speed* is simulated over real time in a film."""

    size: tuple[int, int] = (1380, 920)
    language: str = "en"
    scale: float = 1.0
    view: str = "truth"
    tick: int | None = None
    end_tick: int | None = None
    speed: float = 60.0
