"""The bar below the room: the clock, the speed, the marks of all that happened, and the handle to drag."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

import pygame

from sim.window import ink as inks
from sim.window.kit import Kit, Rect
from sim.window.texts import Texts

# Mark -> (colour, shape, above the bar, key of its name). No two share both shape and side.
MARK_LOOKS: Mapping[str, tuple[str, str, bool, str]] = {
    "decision": (inks.BLUE, "down", True, "decision"),
    "request": ("#7b4fa3", "square", True, "request_mark"),
    "failure": (inks.RED, "cross", True, "failure_mark"),
    "speech": (inks.GREEN, "circle", False, "speech"),
    "physical": (inks.ORANGE, "square", False, "physical_mark"),
    "inner": (inks.PINK, "diamond", False, "inner_mark"),
    "system": (inks.GREY, "up", False, "system_mark"),
    "bookmark": ("#111111", "flag", True, "bookmark"),
}


def draw_mark(surface: pygame.Surface, shape: str, color: str, x: float, y: float, size: float) -> None:
    """Draw one mark around (x, y)."""
    if shape == "circle":
        pygame.draw.aacircle(surface, color, (round(x), round(y)), round(size))
    elif shape == "square":
        pygame.draw.rect(surface, color, (round(x - size), round(y - size), round(2 * size), round(2 * size)))
    elif shape == "cross":
        for a, b in (((-1, -1), (1, 1)), ((-1, 1), (1, -1))):
            pygame.draw.line(
                surface, color, (x + a[0] * size, y + a[1] * size), (x + b[0] * size, y + b[1] * size), 2
            )
    elif shape == "flag":
        pygame.draw.line(surface, color, (x, y - size * 1.4), (x, y + size * 1.4), 2)
        pygame.draw.polygon(surface, color, [(x, y - size * 1.4), (x + size * 1.8, y - size * 0.7), (x, y)])
    else:
        turns = {"down": ((-1, -0.8), (1, -0.8), (0, 0.9)), "up": ((-1, 0.8), (1, 0.8), (0, -0.9)),
                 "diamond": ((0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0))}[shape]  # fmt: skip
        pygame.draw.polygon(surface, color, [(x + dx * size, y + dy * size) for dx, dy in turns])


def draw_legend(kit: Kit, texts: Texts, right: int, y: int, kinds: Sequence[str], room: int) -> None:
    """Draw the names of the marks from the right edge leftward, if there is room for all."""
    if sum(kit.ink.width(texts(MARK_LOOKS[kind][3]), 12) + kit.px(26) for kind in kinds) > room:
        return
    x = right
    for kind in reversed(kinds):
        color, shape, _, key = MARK_LOOKS[kind]
        name = texts(key)
        wide = kit.ink.width(name, 12) + kit.px(26)
        kit.label(name, (x, y), 12, inks.DIM, anchor="midright")
        draw_mark(kit.surface, shape, color, x - wide + kit.px(16), y, kit.px(4.5))
        x -= wide


def draw_track(
    kit: Kit, rect: Rect, marks: Mapping[str, Sequence[tuple[int, str]]], tick: float, end: int, known: int, *, bookmarks: Sequence[int]
) -> float | None:  # fmt: skip
    """Draw the track with its marks and handle; return the tick to which it was dragged, or None."""
    end = max(1, end)
    edge = kit.px(8)  # So that the marks of the first and the last tick stand there whole.
    bar = Rect(rect.x + edge, rect.centery - kit.px(5), rect.w - 2 * edge, kit.px(10))
    moved = kit.slider("timeline", Rect(bar.x, rect.y, bar.w, rect.h), tick / end)

    def draw() -> None:
        pygame.draw.rect(kit.surface, inks.PANEL, rect)
        pygame.draw.rect(kit.surface, inks.TRACK, bar, border_radius=bar.h // 2)
        if known < end:
            pygame.draw.rect(
                kit.surface,
                "#cfc8b6",
                (bar.x, bar.y, round(bar.w * known / end), bar.h),
                border_radius=bar.h // 2,
            )
        _marks(kit, bar, marks, end, bookmarks)

    count = sum(len(each) for each in marks.values())
    kit.kept(("track", count, end, known * 200 // end, tuple(bookmarks)), rect, draw)
    done = bar.copy()
    done.w = max(bar.h, round(bar.w * min(1.0, tick / end)))
    pygame.draw.rect(kit.surface, "#74add6", done, border_radius=bar.h // 2)
    x = bar.x + round(bar.w * min(1.0, tick / end))
    pygame.draw.aacircle(kit.surface, inks.WHITE, (x, bar.centery), kit.px(9))
    pygame.draw.aacircle(kit.surface, inks.BLUE, (x, bar.centery), kit.px(9), 3)
    return None if moved is None else moved * end


def _marks(
    kit: Kit, bar: Rect, marks: Mapping[str, Sequence[tuple[int, str]]], end: int, bookmarks: Sequence[int]
) -> None:
    """One mark a few pixels at most: a thousand decisions draw no more than the bar is wide."""
    step = max(1, end * kit.px(5) // max(1, bar.w))
    for kind, (color, shape, above, _) in MARK_LOOKS.items():
        places = [(each, "") for each in bookmarks] if kind == "bookmark" else marks.get(kind, ())
        y = bar.y - kit.px(6) if above else bar.bottom + kit.px(7)
        at = 0
        while at < len(places):
            tick = places[at][0]
            draw_mark(kit.surface, shape, color, bar.x + bar.w * tick / end, y, kit.px(4.5))
            at = max(at + 1, bisect_left(places, tick + step, key=lambda each: each[0]))
