"""The room from above, to scale: furniture by its true footprints, small things as discs with names, what is in view.

What stands still between two records is drawn once and copied. What moves is drawn on top by `canvas_bodies.py`.
"""

from __future__ import annotations

import pygame

from sim.frame import BodyNow, Frame, ThingNow
from sim.frame_sight import opaque, outline, seen
from sim.window import ink as inks
from sim.window import looks
from sim.window.canvas import Canvas, Spot, View, clear_of, fitted, footprint_of, is_small, packed, tags_of
from sim.window.furniture import WALL_COLOR, Furniture
from sim.window.kit import Kit, Rect

DISC_LEAST = 8


class RoomPainter:
    """Draws rooms, and keeps the parts that stand still."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        self.furniture = Furniture(kit)
        self._layers: dict[object, tuple[pygame.Surface, list[Spot], dict[str, tuple[int, int, int]]]] = {}
        self._sights: dict[object, tuple[set[str], list[tuple[float, float]]]] = {}
        self._veil: pygame.Surface | None = None

    def forget(self) -> None:
        """Throw away what was drawn before."""
        self._layers.clear()
        self._sights.clear()

    def paint(self, frame: Frame, tick: float, room: Rect, view: View) -> Canvas:
        """Draw all that stands still, and the cone of what the resident sees."""
        canvas = fitted(frame, room, self.kit.px(10))
        key = (view.log, frame.records, tuple(canvas.rect), view.language, view.believed, view.selected, self.kit.ink.scale, view.names,
               tuple(sorted(view.hidden)), frame.stage.seed)  # fmt: skip
        layer = self._layers.get(key)
        if layer is None:
            self._draw_layer(frame, canvas, view)
            picture = self.kit.surface.subsurface(canvas.rect.clip(self.kit.surface.get_rect())).copy()
            if len(self._layers) > 6:
                del self._layers[next(iter(self._layers))]
            # A copy: what moves adds its own spots to the canvas, not to what is kept.
            self._layers[key] = (picture, list(canvas.spots), canvas.discs)
        else:
            self.kit.surface.blit(layer[0], canvas.rect)
            canvas.spots, canvas.discs = list(layer[1]), layer[2]
        for spot in canvas.spots:
            self.kit.node(f"obj.{spot.id}", "object", spot.rect, frame.stage.name(spot.id, view.language))
        body = frame.bodies.get("resident")
        if view.cone and body is not None and "resident" not in view.hidden and not frame.asleep(body):
            self._draw_sight(frame, body, tick, canvas, key)
        return canvas

    def _draw_layer(self, frame: Frame, canvas: Canvas, view: View) -> None:
        kit = self.kit
        pygame.draw.rect(kit.surface, WALL_COLOR, canvas.rect, border_radius=4)
        self.furniture.floor(frame, canvas)
        floor_things = [
            each for each in frame.things.values() if each.relation == "at" and each.id not in view.hidden
        ]
        fixtures = [each for each in floor_things if not is_small(frame, each)]
        order = sorted(
            fixtures,
            key=lambda each: (each.kind not in looks.FLAT, each.kind in looks.ABOVE, -each.w * each.h),
        )
        for thing in order:
            self.furniture.fixture(frame, canvas, thing, view)
        self.furniture.inner_walls(frame, canvas)
        for thing in order:
            if thing.kind in looks.IN_WALL:
                self.furniture.in_wall(frame, canvas, thing, view)
        self.furniture.night(frame, canvas)
        wanted: list[tuple[str, str, tuple[float, float], float, str, int]] = []
        for thing in floor_things:
            if is_small(frame, thing):
                x, y = (
                    thing.cell % frame.stage.spec.width + thing.w / 2,
                    thing.cell // frame.stage.spec.width + thing.h / 2,
                )
                self._disc(frame, canvas, thing, canvas.at(x, y), canvas.disc(kit), view, wanted)
        for holder in frame.things.values():
            if holder.id not in view.hidden and holder.relation == "at":
                self._contents(frame, canvas, holder, view, wanted)
        for thing in fixtures:
            if thing.kind not in looks.ABOVE:
                rect = footprint_of(frame, canvas, thing)
                wanted.append(
                    (
                        thing.id,
                        frame.stage.name(thing.id, view.language),
                        rect.center,
                        rect.h / 2,
                        "#3a352b",
                        1,
                    )
                )
        if view.names:
            self._labels(canvas, wanted)

    def _contents(
        self,
        frame: Frame,
        canvas: Canvas,
        holder: ThingNow,
        view: View,
        wanted: list[tuple[str, str, tuple[float, float], float, str, int]],
    ) -> None:
        inside = [
            each
            for each in frame.things.values()
            if each.place == holder.id and each.relation in ("on", "in")
        ]
        shut = holder.props.get("open", 1) == 0
        shown = [
            each for each in inside if each.id not in view.hidden and not (each.relation == "in" and shut)
        ]
        away = [each for each in inside if each.relation == "in" and shut and each.id not in view.hidden]
        rect = footprint_of(frame, canvas, holder)
        # What hangs over it and stands open shows its own things there.
        full = {each.place for each in frame.things.values() if each.relation == "in"}
        above = [
            footprint_of(frame, canvas, each)
            for each in frame.things.values()
            if each.relation == "at" and each.id in full and each.props.get("open") and each.w * each.h < holder.w * holder.h
        ]
        if away and "portable" not in tags_of(frame, holder):
            text = str(len(away))
            badge = Rect(0, 0, self.kit.ink.width(text, 11, True) + self.kit.px(8), self.kit.px(15))
            badge.bottomright = (rect.right - 2, rect.bottom - 2)
            pygame.draw.rect(self.kit.surface, "#fffbe9", badge, border_radius=6)
            pygame.draw.rect(self.kit.surface, "#6f6250", badge, 1, border_radius=6)
            self.kit.label(text, badge.center, 11, "#3a352b", bold=True, anchor="center")
        places, radius = packed(
            clear_of(rect, above), len(shown), canvas.disc(self.kit), min(self.kit.px(DISC_LEAST), canvas.disc(self.kit))
        )
        for thing, middle in zip(shown, places, strict=True):
            self._disc(frame, canvas, thing, middle, radius, view, wanted)

    def _disc(
        self, frame: Frame, canvas: Canvas, thing: ThingNow, middle: tuple[float, float], radius: int, view: View,
        wanted: list[tuple[str, str, tuple[float, float], float, str, int]],
    ) -> None:  # fmt: skip
        kit, at = self.kit, (round(middle[0]), round(middle[1]))
        pygame.draw.aacircle(kit.surface, inks.WHITE, at, radius)
        pygame.draw.aacircle(kit.surface, "#8a8376", at, radius, 1)
        color = "#9aa0a6" if thing.id in view.faded else looks.color_of(thing.kind)
        kit.icon(looks.icon_of(thing.kind, thing.props), at, 1.35 * radius / kit.ink.scale, color)
        rect = Rect(at[0] - radius, at[1] - radius, 2 * radius, 2 * radius)
        self.furniture.selected(thing.id, rect, view)
        if thing.id in view.differs:
            self.furniture.badge(rect, "≠", inks.DEEP_RED)
        elif any(thing.props.get(prop) for prop in ("dirty", "spoiled", "broken", "wilted")):
            self.furniture.badge(rect, "!", "#7a5b00")
        inside = sum(each.place == thing.id and each.id not in view.hidden for each in frame.things.values())
        if inside and thing.props.get("open", 1) == 0:
            self.furniture.badge(rect, str(inside), "#3a352b")
        canvas.spots.append(Spot(thing.id, rect, 0))
        canvas.discs[thing.id] = (at[0], at[1], radius)
        wanted.append((thing.id, frame.stage.name(thing.id, view.language), at, radius, "#111111", 0))

    def _labels(
        self, canvas: Canvas, wanted: list[tuple[str, str, tuple[float, float], float, str, int]]
    ) -> None:
        """Put each name where it covers no disc and no other name: below, above, right or left. Some stay unsaid."""
        kit = self.kit
        taken = [Rect(x - r + 1, y - r + 1, 2 * r - 2, 2 * r - 2) for x, y, r in canvas.discs.values()]
        for name, text, middle, half, color, rank in sorted(wanted, key=lambda each: each[5]):
            w, h = kit.ink.width(text, 12) + 6, kit.ink.height(12) - 3
            room = next((spot.rect for spot in canvas.spots if spot.id == name), Rect(middle, (1, 1)))
            moves: tuple[tuple[float, float], ...] = (
                (0, half + h / 2),
                (0, -half - h / 2),
                (half + w / 2 + 2, 0),
                (-half - w / 2 - 2, 0),
            )
            if rank:
                beside = room.w / 2 + w / 2 + 3
                moves = (
                    (0, half + h / 2 + 2),
                    (0, -half - h / 2 - 2),
                    (0, half - h / 2 - 3),
                    (beside, 0),
                    (-beside, 0),
                )
            for dx, dy in moves:
                rect = Rect(0, 0, w, h)
                rect.center = (round(middle[0] + dx), round(middle[1] + dy))
                if rank:
                    rect.clamp_ip(canvas.rect)
                if canvas.rect.contains(rect) and rect.collidelist(taken) < 0:
                    taken.append(rect)
                    self._plate(rect)
                    kit.label(text, rect.center, 12, color, anchor="center")
                    break

    def _plate(self, rect: Rect) -> None:
        plate = pygame.Surface(rect.size, pygame.SRCALPHA)
        pygame.draw.rect(plate, (255, 255, 255, 190), plate.get_rect(), border_radius=4)
        self.kit.surface.blit(plate, rect)

    def _draw_sight(self, frame: Frame, body: BodyNow, tick: float, canvas: Canvas, key: object) -> None:
        """The field of view as it is, cut off by walls and tall furniture, and a ring around what lies in it."""
        cell = frame.cell_now(body, tick)
        _, _, heading = frame.place(body, tick)
        place = (key, cell, heading)
        sight = self._sights.get(place)
        if sight is None:
            walls = opaque(frame)
            if len(self._sights) > 400:
                self._sights.clear()
            sight = self._sights[place] = (
                seen(frame, body, cell, heading, walls),
                outline(frame, cell, heading, walls),
            )
        if self._veil is None or self._veil.get_size() != canvas.inner.size:
            self._veil = pygame.Surface(canvas.inner.size, pygame.SRCALPHA)
        self._veil.fill((0, 0, 0, 0))
        points = [(x * canvas.unit, y * canvas.unit) for x, y in sight[1]]
        pygame.draw.polygon(self._veil, (0, 114, 178, 34), points)
        self.kit.surface.blit(self._veil, canvas.inner)
        pygame.draw.aalines(
            self.kit.surface, "#7fb4d6", True, [(canvas.inner.x + x, canvas.inner.y + y) for x, y in points]
        )
        for name, (x, y, radius) in canvas.discs.items():
            if name in sight[0]:
                pygame.draw.aacircle(
                    self.kit.surface, inks.BLUE, (x, y), radius + 1, max(2, self.kit.px(2.4))
                )
