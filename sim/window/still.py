"""The replay's screen drawn on paper: for pictures, films, golden tests and benchmarks."""

from __future__ import annotations

from pathlib import Path

import pygame

from sim.reel import Reel
from sim.shot import Shot
from sim.window.replay_screen import ReplayScreen
from sim.window.start import open_paper


class Studio:
    """Draws any tick of one log."""

    def __init__(self, reel: Reel, shot: Shot) -> None:
        self.size = shot.size
        self.surface = open_paper(shot.size)
        self.screen = ReplayScreen(self.surface, reel, language=shot.language, scale=shot.scale)
        self.screen.theatre.look.view = shot.view
        self.screen.still = True
        self.tick = 0

    def draw(self, tick: float) -> pygame.Surface:
        """Return the screen at *tick*."""
        self.screen.go(tick)
        self.screen.draw([])
        self.tick = int(tick)
        return self.surface

    def pixels(self, tick: float, width: int, height: int) -> bytes:
        """Return the screen at *tick* as RGB bytes of *width* by *height* pixels."""
        return bytes(pygame.image.tobytes(self.draw(tick).subsurface((0, 0, width, height)), "RGB"))

    def save(self, tick: float, out: Path) -> None:
        """Write the screen at *tick* as a PNG."""
        pygame.image.save(self.draw(tick), str(out))
