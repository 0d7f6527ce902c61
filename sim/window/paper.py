"""A sheet of paper to draw frames on, without a screen and without a log: for learners that want pixels."""

from __future__ import annotations

import pygame

from sim.frame import Frame
from sim.window.kit import Kit, Rect
from sim.window.start import open_paper
from sim.window.theatre import Look, Theatre


class Paper:
    """Draws the room of any frame. *participant* leaves out what a visitor can't see."""

    def __init__(self, size: tuple[int, int] = (640, 480), *, language: str = "en", participant: bool = True) -> None:
        self.size = size
        self.surface = open_paper(size)
        look = Look(language=language, researcher=not participant, you=participant)
        self.theatre = Theatre(Kit(self.surface), look)

    def rgb(self, frame: Frame, tick: float) -> bytes:
        """Return the room at *tick* as RGB bytes, row by row."""
        self.surface.fill("#f4f1ea")
        margin = 6
        self.theatre.room(frame, tick, Rect(margin, margin, self.size[0] - 2 * margin, self.size[1] - 2 * margin))
        return bytes(pygame.image.tobytes(self.surface, "RGB"))
