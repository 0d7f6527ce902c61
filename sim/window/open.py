"""Opening the three windows: play, replay, debug. What they need is made here; how it is drawn stands elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pygame

from logs.reader import open_log
from sim.declare import Declared
from sim.live import Live
from sim.moments import within
from sim.reel import Reel
from sim.window import loop
from sim.window.bookmarks import Bookmarks
from sim.window.debug_screen import DebugScreen
from sim.window.play_screen import PlayScreen
from sim.window.replay_screen import ReplayScreen
from sim.window.start import close, open_window

SIZE = (1380, 920)
Ended = Callable[[], bool]


def play(
    declared: Declared, out: Path, *, language: str, scale: float, size: tuple[int, int] = SIZE, researcher: bool = True,
    ended: Ended = lambda: False, intro: bool = True,
) -> dict[str, Any]:  # fmt: skip
    """Play *declared* in a window; return the `run` JSON of the sealed log. Raises NoScreen, LogError."""
    surface = open_window(size, f"oneroom · {declared.declaration['id']}")
    live = Live(declared, out)
    live.warm()
    formal = declared.mode == "trial"
    try:
        screen: PlayScreen
        if declared.mode == "debug":
            screen = DebugScreen(
                surface, live, language=language, scale=scale, reel=_reel_of(live), save_to=out
            )
        else:
            screen = PlayScreen(
                surface, live, language=language, scale=scale, researcher=researcher and not formal, may_switch=not formal,
                reel=_reel_of(live), intro=intro,
            )  # fmt: skip
        loop.run(screen, ended=ended)
    finally:
        # However the window goes, the log is sealed.
        result = live.close()
        close()
    return result


def _reel_of(live: Live) -> Callable[[], Reel | None]:
    """Return what opens the running log for reading, when someone asks why."""

    def reel() -> Reel | None:
        writer = live.session.writer
        return None if writer is None else Reel(open_log(writer.names.part))

    return reel


def replay(
    log: Path, *, other: Path | None = None, tick: int | None = None, language: str, scale: float, size: tuple[int, int] = SIZE,
    ended: Ended = lambda: False,
) -> None:  # fmt: skip
    """Replay a log, or two side by side. Raises NoScreen, LogError, MomentError for a *tick* after the end."""
    with open_log(log) as reader:
        within(reader, tick)
        reel = Reel(reader)
        twin = Reel(open_log(other)) if other is not None else None
        surface = open_window(size, f"oneroom · {log.name}")
        try:
            screen = ReplayScreen(
                surface,
                reel,
                language=language,
                scale=scale,
                other=twin,
                bookmarks=Bookmarks(reader.path),
                save=_saver(reader.path),
            )
            if tick is not None:
                screen.go(tick)
            loop.run(screen, ended=ended)
        finally:
            close()


def _saver(log: Path) -> Callable[[pygame.Surface, int], str]:
    def save(surface: pygame.Surface, tick: int) -> str:
        name = log.name.removesuffix(".jsonl.zst").removesuffix(".jsonl.part")
        path = log.with_name(f"{name}-tick{tick}.png")
        number = 1
        while path.exists():
            number += 1
            path = log.with_name(f"{name}-tick{tick}-{number}.png")
        pygame.image.save(surface, str(path))
        return str(path)

    return save
