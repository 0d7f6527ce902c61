"""What a participant reads before the time begins: the protocol's instructions and the participant's code."""

from __future__ import annotations

from functools import lru_cache

import pygame

from sim.stage import Stage
from sim.window import ink as inks
from sim.window.ink import Ink
from sim.window.kit import Kit, Rect
from sim.window.texts import Texts

LINES_MOST = 400
SCROLLS = {pygame.K_DOWN: 60, pygame.K_UP: -60, pygame.K_PAGEDOWN: 240, pygame.K_PAGEUP: -240}


def draw_instructions(kit: Kit, texts: Texts, stage: Stage) -> bool:
    """Draw them over the screen; return whether they were confirmed."""
    px, screen = kit.px, kit.surface.get_rect()
    wide = min(px(680), screen.w - 30)
    told = (
        stage.instructions.get(texts.language) or stage.instructions.get("en") or texts("no_instructions")
    ).strip()
    fits = screen.h - 30 - px(160)
    size, line_h, lines = _laid(kit.ink, told, wide - px(60), fits)
    box = Rect(0, 0, wide, px(160) + min(line_h * len(lines), fits))
    box.center = screen.center
    kit.dim()
    pygame.draw.rect(kit.surface, inks.PANEL, box, border_radius=12)
    pygame.draw.rect(kit.surface, inks.BLUE, box, 2, border_radius=12)
    title = stage.title.get(texts.language) or stage.title["en"]
    kit.label(title, (box.x + px(24), box.y + px(18)), 20, bold=True, width=box.w - px(48))
    kit.label(texts("instructions"), (box.x + px(24), box.y + px(52)), 14, inks.DIM)
    area = Rect(box.x + px(24), box.y + px(80), box.w - px(36), box.h - px(160))

    def draw(y: int) -> None:
        for at, line in enumerate(lines):
            kit.label(line, (area.x, y + at * line_h), size)

    for key in kit.keys:
        kit.offsets["instructions.text"] = kit.offsets.get("instructions.text", 0) + px(SCROLLS.get(key.key, 0))
    kit.scroll("instructions.text", area, line_h * len(lines), draw)
    foot = box.bottom - px(52)
    if stage.code:
        kit.label(f"{texts('code')}: {stage.code}", (box.x + px(24), foot + px(8)), 15, bold=True)
    kit.node("instructions", "label", box, told, stage.code)
    button = Rect(box.right - px(270), foot, px(246), px(38))
    if not kit.focus:
        kit.focus = "start"
    return kit.button("start", button, texts("start"), on=True)


@lru_cache(maxsize=4)
def _laid(ink: Ink, told: str, wide: int, high: int) -> tuple[int, int, tuple[str, ...]]:
    """Return the size, the height of a line and the lines.

    Whoever confirms has read all of it: what is too long is written smaller, and scrolls where even that is too long.
    """
    for size in range(15, 9, -1):
        lines, line_h = ink.lines(told, size, wide, LINES_MOST), round(ink.px(25) * size / 15)
        if line_h * len(lines) <= high:
            break
    return size, line_h, tuple(lines)
