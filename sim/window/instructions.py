"""What a participant reads before the time begins: the protocol's instructions and the participant's code."""

from __future__ import annotations

import pygame

from sim.stage import Stage
from sim.window import ink as inks
from sim.window.kit import Kit, Rect
from sim.window.texts import Texts


def draw_instructions(kit: Kit, texts: Texts, stage: Stage) -> bool:
    """Draw them over the screen; return whether they were confirmed."""
    px, screen = kit.px, kit.surface.get_rect()
    wide = min(px(680), screen.w - 30)
    told = (
        stage.instructions.get(texts.language) or stage.instructions.get("en") or texts("no_instructions")
    ).strip()
    lines = kit.ink.lines(told, 15, wide - px(48), 12)
    box = Rect(0, 0, wide, min(px(160) + px(25) * len(lines), screen.h - 30))
    box.center = screen.center
    kit.dim()
    pygame.draw.rect(kit.surface, inks.PANEL, box, border_radius=12)
    pygame.draw.rect(kit.surface, inks.BLUE, box, 2, border_radius=12)
    title = stage.title.get(texts.language) or stage.title["en"]
    kit.label(title, (box.x + px(24), box.y + px(18)), 20, bold=True, width=box.w - px(48))
    kit.label(texts("instructions"), (box.x + px(24), box.y + px(52)), 14, inks.DIM)
    for at, line in enumerate(lines):
        kit.label(line, (box.x + px(24), box.y + px(80) + at * px(25)), 15)
    foot = box.bottom - px(52)
    if stage.code:
        kit.label(f"{texts('code')}: {stage.code}", (box.x + px(24), foot + px(8)), 15, bold=True)
    kit.node("instructions", "label", box, told, stage.code)
    button = Rect(box.right - px(270), foot, px(246), px(38))
    if not kit.focus:
        kit.focus = "start"
    return kit.button("start", button, texts("start"), on=True)
