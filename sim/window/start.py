"""Opening a screen, or none: the one place that starts and checks pygame."""

from __future__ import annotations

import os
import sys

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
os.environ.setdefault("SDL_IME_SHOW_UI", "1")
# Without this a software screen is pushed through an emulated graphics card, at a fifth of the speed.
os.environ.setdefault("SDL_FRAMEBUFFER_ACCELERATION", "0")

import pygame

from sim.window.ink import DEEP_RED, WHITE, Ink

LEAST = (960, 600)
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "SDL_VIDEODRIVER")
"""Where one of these is set on Linux, there may be a screen."""


class NoScreen(ValueError):
    """A window can't be opened; the text says why and what to do."""

    def __init__(self, what: str, mend: str) -> None:
        super().__init__(what)
        self.what, self.mend = what, mend


def check_pygame() -> None:
    """Raise NoScreen if another package has taken pygame-ce's place: both install into one folder."""
    if not getattr(pygame, "IS_CE", 0):
        raise NoScreen(
            f"pygame {pygame.version.ver} hides pygame-ce",
            "pip uninstall pygame; pip install --force-reinstall pygame-ce",
        )


def open_paper(size: tuple[int, int]) -> pygame.Surface:
    """Return a surface to draw on without any screen."""
    check_pygame()
    pygame.font.init()
    return pygame.Surface(size)


def open_window(size: tuple[int, int], title: str) -> pygame.Surface:
    """Open a window and return its surface. Raises NoScreen where there is no display."""
    check_pygame()
    try:
        if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in SCREENS):
            # Asked all the same, the toolkit's own libraries would complain on standard error beside us.
            raise pygame.error("there is no screen")
        pygame.display.init()
        pygame.font.init()
        pygame.display.set_icon(sign())
        surface = pygame.display.set_mode(size, pygame.RESIZABLE)
        # Without any screen the toolkit takes this driver by itself, and nobody would ever see the window.
        if pygame.display.get_driver() == "offscreen" != os.environ.get("SDL_VIDEODRIVER"):
            raise pygame.error("there is no screen")
    except pygame.error as error:
        pygame.display.quit()
        raise NoScreen(
            f"no window can be opened: {error}",
            "start it in a desktop session; replay --export and --text need no screen",
        ) from None
    pygame.display.set_caption(title)
    pygame.key.stop_text_input()
    pygame.key.set_repeat(350, 40)
    return surface


def sign(side: int = 64) -> pygame.Surface:
    """Return the picture by which a desktop shows the window: the resident's head."""
    picture = pygame.Surface((side, side), pygame.SRCALPHA)
    pygame.draw.rect(picture, DEEP_RED, picture.get_rect(), border_radius=side // 5)
    head = Ink(1.0).icon("robot-happy", side * 0.8, WHITE)
    picture.blit(head, head.get_rect(center=picture.get_rect().center))
    return picture


def close() -> None:
    """Close whatever was opened."""
    pygame.quit()
