"""The loop of a window: events in, one frame out, sixty times a second; text input only while a box has the focus.

A test asks for the widget tree by touching the file that ONEROOM_TREE names with `.ask` behind it; the tree of the next
frame is then written there. F12 writes it too.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pygame

from sim.window.kit import Kit

FPS = 60
LATE_S = 0.1  # a frame later than this counts as this late: after a sleep of the machine nothing races on
EASY_ON = 4  # without focus, one frame in so many


class Screen(Protocol):
    """What a loop draws."""

    kit: Kit
    surface: pygame.Surface

    def pass_time(self, seconds: float) -> None:
        """Let time pass."""

    def draw(self, events: list[pygame.event.Event]) -> None:
        """Take the events and draw a frame."""


def run(screen: Screen, *, ended: Callable[[], bool] = lambda: False) -> None:
    """Show *screen* until its window is closed or *ended* says so."""
    clock, typing = pygame.time.Clock(), False
    before = time.perf_counter()
    tree = os.environ.get("ONEROOM_TREE", "")
    ask = Path(tree + ".ask") if tree else None
    while True:
        events = pygame.event.get()
        if ended() or any(event.type == pygame.QUIT for event in events):
            return
        if any(event.type in (pygame.VIDEORESIZE, pygame.WINDOWSIZECHANGED) for event in events):
            surface = pygame.display.get_surface()
            if surface is not None:
                screen.surface = surface
                screen.kit.forget()
        if any(_close_key(event) for event in events):
            return
        now = time.perf_counter()
        screen.pass_time(min(now - before, LATE_S))
        before = now
        screen.kit.caret_on = int(now * 2) % 2 == 0
        screen.draw(events)
        pygame.display.flip()
        if screen.kit.typing != typing:
            typing = screen.kit.typing
            (pygame.key.start_text_input if typing else pygame.key.stop_text_input)()
        wanted = any(event.type == pygame.KEYDOWN and event.key == pygame.K_F12 for event in events)
        if ask is not None and (wanted or ask.exists()):
            ask.unlink(missing_ok=True)
            write_tree(screen, Path(tree))
        clock.tick(FPS)


def _close_key(event: pygame.event.Event) -> bool:
    """Alt+F4, where no window manager turns it into a close."""
    return bool(event.type == pygame.KEYDOWN and event.key == pygame.K_F4 and event.mod & pygame.KMOD_ALT)


def write_tree(screen: Screen, path: Path) -> None:
    """Write every widget of the last frame as JSON."""
    found: dict[str, Any] = {
        name: {"kind": node.kind, "rect": list(node.rect), "text": node.text, "value": node.value, "enabled": node.enabled,
               "focus": screen.kit.focus == name}
        for name, node in screen.kit.tree.items()
    }  # fmt: skip
    new = path.with_suffix(".new")
    new.write_text(json.dumps(found, ensure_ascii=False, default=str), encoding="utf-8")
    new.replace(path)
