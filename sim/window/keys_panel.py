"""The list of keys, laid over the screen."""

from __future__ import annotations

from collections.abc import Sequence

import pygame

from sim.window import ink as inks
from sim.window.kit import Kit, Rect
from sim.window.texts import Texts


def draw_keys(kit: Kit, texts: Texts, keys: Sequence[str]) -> bool:
    """Draw the keys; return whether the list is to be closed."""
    lines = [texts.of("key", key) for key in keys]
    screen = kit.surface.get_rect()
    # Where the text is too large for the window the list is drawn smaller: every key is told.
    fits = min(1.0, (screen.h - 20) / (kit.px(25) * len(lines) + kit.px(96)))
    size, line = max(9, int(14 * fits)), int(kit.px(25) * fits)
    high = line * len(lines) + kit.px(96)
    wide = max(kit.ink.width(each, size) for each in lines) + kit.px(48)
    box = Rect(0, 0, min(wide, screen.w - 20), min(high, screen.h - 20))
    box.center = screen.center
    kit.dim()
    pygame.draw.rect(kit.surface, inks.PANEL, box, border_radius=10)
    pygame.draw.rect(kit.surface, inks.BLUE, box, 2, border_radius=10)
    kit.label(texts("help"), (box.x + kit.px(20), box.y + kit.px(12)), 18, bold=True)
    for at, text in enumerate(lines):
        kit.label(text, (box.x + kit.px(22), box.y + kit.px(46) + at * line), size, width=box.w - kit.px(40))
    kit.node("keys", "label", box, "\n".join(lines))
    button = Rect(box.right - kit.px(118), box.bottom - kit.px(44), kit.px(100), kit.px(34))
    return kit.button("keys.close", button, texts("close"))
