"""What stands still: floor, walls, furniture by its true footprint, lamps and the dark."""

from __future__ import annotations

import math

import pygame

from sim.frame import Frame, ThingNow
from sim.window import ink as inks
from sim.window import looks
from sim.window.canvas import CELL_MM, Canvas, Spot, View, footprint_of, tags_of
from sim.window.kit import Kit, Rect

FLOOR, BOARD, WALL_COLOR, TILE = "#e9dcc3", "#dccbad", "#8c8375", "#d8dcd8"
NIGHT = (22, 26, 58)


class Furniture:
    """Draws single pieces of a room."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit

    def floor(self, frame: Frame, canvas: Canvas) -> None:
        """Draw the boards, and tiles where one washes."""
        surface, inner = self.kit.surface, canvas.inner
        pygame.draw.rect(surface, FLOOR, inner)
        old = surface.get_clip()
        surface.set_clip(inner.clip(old))
        board = canvas.unit * 1.4
        for row in range(math.ceil(inner.h / board) + 1):
            y = round(inner.y + row * board)
            pygame.draw.line(surface, BOARD, (inner.x, y), (inner.right, y))
            for part in range(7):
                x = inner.x + round((part * 7.6 + row * 2.7 % 7.6) * canvas.unit)
                pygame.draw.line(surface, BOARD, (x, y), (x, round(y + board)))
        for region in frame.stage.spec.regions:
            if "bath" in region.id:
                self._tiles(canvas, region.box)
        surface.set_clip(old)

    def _tiles(self, canvas: Canvas, box: tuple[int, ...]) -> None:
        x, y = canvas.at(box[0] / CELL_MM, box[1] / CELL_MM)
        rect = Rect(
            round(x), round(y), round(box[2] / CELL_MM * canvas.unit), round(box[3] / CELL_MM * canvas.unit)
        )
        pygame.draw.rect(self.kit.surface, TILE, rect)
        for step in range(box[2] // CELL_MM + 1):
            pygame.draw.line(
                self.kit.surface,
                "#c9cfca",
                (x + step * canvas.unit, y),
                (x + step * canvas.unit, rect.bottom),
            )
        for step in range(box[3] // CELL_MM + 1):
            pygame.draw.line(
                self.kit.surface, "#c9cfca", (x, y + step * canvas.unit), (rect.right, y + step * canvas.unit)
            )

    def inner_walls(self, frame: Frame, canvas: Canvas) -> None:
        """Draw the walls inside the room."""
        width = frame.stage.spec.width
        for cell in frame.stage.spec.walls:
            x, y = canvas.at(cell % width, cell // width)
            pygame.draw.rect(
                self.kit.surface,
                WALL_COLOR,
                (round(x), round(y), math.ceil(canvas.unit), math.ceil(canvas.unit)),
            )

    def in_wall(self, frame: Frame, canvas: Canvas, thing: ThingNow, view: View) -> None:
        """A door or window sits in the outer wall; open, it stands out into the room."""
        rect, wall = footprint_of(frame, canvas, thing), canvas.inner.x - canvas.rect.x
        slot = rect.copy()
        if rect.top <= canvas.inner.top:
            slot = Rect(rect.x, canvas.rect.y, rect.w, wall)
        elif rect.bottom >= canvas.inner.bottom - 1:
            slot = Rect(rect.x, canvas.inner.bottom, rect.w, wall)
        color = looks.color_of(thing.kind)
        pygame.draw.rect(self.kit.surface, color, slot, border_radius=4)
        pygame.draw.rect(self.kit.surface, inks.mix(color, "#000000", 0.35), slot, 1, border_radius=4)
        if thing.props.get("open"):
            leaf = Rect(slot.x, slot.bottom, self.kit.px(6), round(rect.w * 0.5))
            if slot.y > canvas.inner.centery:
                leaf.bottom = slot.top
            pygame.draw.rect(self.kit.surface, color, leaf, border_radius=3)
            pygame.draw.rect(self.kit.surface, "#3a352b", leaf, 1, border_radius=3)
        inside = Rect(slot.x, min(slot.y, rect.y), slot.w, self.kit.px(26))
        if slot.y > canvas.inner.centery:
            inside.bottom = slot.bottom
        self.selected(thing.id, inside, view)
        canvas.spots.append(Spot(thing.id, inside, 1))

    def fixture(self, frame: Frame, canvas: Canvas, thing: ThingNow, view: View) -> None:
        """Draw a piece of furniture on its footprint."""
        kit, rect, color = self.kit, footprint_of(frame, canvas, thing), looks.color_of(thing.kind)
        if thing.kind in looks.IN_WALL:
            return
        if thing.kind in looks.FLAT:
            pygame.draw.rect(kit.surface, color, rect, border_radius=9)
            pygame.draw.rect(
                kit.surface,
                inks.mix(color, inks.WHITE, 0.4),
                rect.inflate(-kit.px(12), -kit.px(12)),
                2,
                border_radius=6,
            )
            canvas.spots.append(Spot(thing.id, rect, 5))
            return
        if thing.kind in looks.ABOVE:
            self._lamp(thing, rect, canvas, view)
            return
        kit.shade(rect.inflate(6, 6).move(1, 3), 34)
        pygame.draw.rect(kit.surface, color, rect, border_radius=6)
        pygame.draw.rect(kit.surface, inks.mix(color, "#000000", 0.35), rect, 2, border_radius=6)
        self._furnish(thing, rect, color)
        if thing.props.get("open"):
            pygame.draw.rect(
                kit.surface,
                inks.mix(color, "#000000", 0.6),
                rect.inflate(-kit.px(12), -kit.px(12)),
                border_radius=4,
            )
        if thing.props.get("dirty"):
            self._dust(rect)
        laden = any(
            each.place == thing.id and each.relation in ("on", "in") for each in frame.things.values()
        )
        surface = "surface" in tags_of(frame, thing)
        dark = inks.mix(color, "#000000", 0.6)
        side = min(rect.w, rect.h)
        if side < kit.px(24):
            kit.icon(
                looks.icon_of(thing.kind, thing.props),
                rect.center,
                max(12, side / kit.ink.scale * 0.85),
                dark,
            )
        elif surface and laden:
            kit.icon(
                looks.icon_of(thing.kind, thing.props), (rect.x + kit.px(12), rect.y + kit.px(12)), 17, dark
            )
        else:
            kit.icon(
                looks.icon_of(thing.kind, thing.props),
                rect.center,
                min(38, side * 0.62 / kit.ink.scale),
                dark,
            )
        if thing.props.get("on") or thing.props.get("ringing"):
            kit.icon(
                "bell" if thing.props.get("ringing") else "lightbulb-on",
                (rect.right - kit.px(8), rect.y + kit.px(8)),
                14,
                "#7a5b00",
            )
        self.selected(thing.id, rect, view)
        canvas.spots.append(Spot(thing.id, rect, 4))

    def _furnish(self, thing: ThingNow, rect: Rect, color: str) -> None:
        kit = self.kit
        if thing.kind == "bed":
            long = rect.w >= rect.h
            pad = kit.px(6)
            pillow = (
                Rect(rect.x + pad, rect.y + pad, round(rect.w * 0.22), rect.h - 2 * pad)
                if long
                else Rect(rect.x + pad, rect.y + pad, rect.w - 2 * pad, round(rect.h * 0.22))
            )
            pygame.draw.rect(kit.surface, "#f2efe6", pillow, border_radius=6)
        elif thing.kind == "sofa":
            back = (
                Rect(rect.x, rect.y, round(rect.w * 0.3), rect.h)
                if rect.h >= rect.w
                else Rect(rect.x, rect.y, rect.w, round(rect.h * 0.3))
            )
            pygame.draw.rect(kit.surface, inks.mix(color, "#000000", 0.15), back, border_radius=6)

    def _dust(self, rect: Rect) -> None:
        """Dirt is a hatching, so that it is no mere tint."""
        step = self.kit.px(9)
        old = self.kit.surface.get_clip()
        self.kit.surface.set_clip(rect.inflate(-6, -6).clip(old))
        for x in range(rect.x - rect.h, rect.right, step):
            pygame.draw.line(self.kit.surface, "#6f6250", (x, rect.bottom), (x + rect.h, rect.y), 1)
        self.kit.surface.set_clip(old)

    def _lamp(self, thing: ThingNow, rect: Rect, canvas: Canvas, view: View) -> None:
        kit, on = self.kit, thing.props.get("on") and not thing.props.get("broken")
        radius = kit.px(9)
        pygame.draw.aacircle(kit.surface, "#fff3c4" if on else "#efe9da", rect.center, radius)
        pygame.draw.aacircle(kit.surface, "#b8860b" if on else "#b5ab97", rect.center, radius, 1)
        kit.icon(looks.icon_of(thing.kind, thing.props), rect.center, 12, "#7a5b00" if on else "#8a8376")
        spot = Rect(0, 0, 2 * radius, 2 * radius)
        spot.center = rect.center
        self.selected(thing.id, spot, view)
        canvas.spots.append(Spot(thing.id, spot, 2))

    def badge(self, rect: Rect, text: str, color: str) -> None:
        """Draw a small mark at the corner of *rect*."""
        at = (rect.right - self.kit.px(2), rect.y + self.kit.px(3))
        pygame.draw.aacircle(self.kit.surface, color, at, self.kit.px(7))
        self.kit.label(text, at, 10, inks.WHITE, bold=True, anchor="center")

    def selected(self, name: str, rect: Rect, view: View) -> None:
        """Draw the frame around what is chosen."""
        if name == view.selected:
            pygame.draw.rect(self.kit.surface, inks.RED, rect.inflate(8, 8), 3, border_radius=9)

    def night(self, frame: Frame, canvas: Canvas) -> None:
        """Darkness over the floor, with the circles of burning lamps in it."""
        if frame.light >= 900:
            return
        veil = pygame.Surface(canvas.inner.size, pygame.SRCALPHA)
        veil.fill((*NIGHT, round(118 * (1000 - frame.light) / 1000)))
        width = frame.stage.spec.width
        for lamp in frame.things.values():
            shines = frame.stage.spec.kinds[lamp.kind].get("shines_mm")
            root = frame.root(lamp)
            if shines is None or root is None or not lamp.props.get("on") or lamp.props.get("broken"):
                continue
            x, y = (root.cell % width + 0.5) * canvas.unit, (root.cell // width + 0.5) * canvas.unit
            for step in range(5):
                radius = min(shines, 4200) / CELL_MM * canvas.unit * (5 - step) / 5
                pygame.draw.circle(veil, (255, 226, 150, 34 + 7 * step), (x, y), radius)
        self.kit.surface.blit(veil, canvas.inner)
