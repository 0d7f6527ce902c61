"""The room from above, to scale: floor, walls and furniture by their true footprints, small things as discs with names.

What stands still between two records is drawn once and copied. What moves is drawn on top by `canvas_bodies.py`.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field

import pygame

from sim.frame import BodyNow, Frame, ThingNow
from sim.frame_sight import opaque, outline, seen
from sim.window import ink as inks
from sim.window import looks
from sim.window.kit import Kit, Rect
from sim.window.texts import Texts

WALL_MM, CELL_MM = 90, 250
FLOOR, BOARD, WALL_COLOR, TILE = "#e9dcc3", "#dccbad", "#8c8375", "#d8dcd8"
DISC, DISC_LEAST = 14, 8
NIGHT = (22, 26, 58)


@dataclass(slots=True)
class View:
    """What of a frame is drawn, and how."""

    language: str
    cone: bool = True
    names: bool = True
    believed: bool = False
    hidden: Collection[str] = ()
    """Ids that are not drawn: what a participant does not see."""
    selected: str = ""
    differs: Collection[str] = ()
    faded: Collection[str] = ()
    log: str = ""


@dataclass(slots=True)
class Spot:
    """Where something was drawn, for pointing at it."""

    id: str
    rect: Rect
    rank: int


@dataclass(slots=True)
class Canvas:
    """A room drawn into a rectangle: the scale, and what was drawn where."""

    rect: Rect
    inner: Rect
    unit: float
    spots: list[Spot] = field(default_factory=list)
    discs: dict[str, tuple[int, int, int]] = field(default_factory=dict)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return the pixel of a point in cells."""
        return self.inner.x + x * self.unit, self.inner.y + y * self.unit

    def disc(self, kit: Kit) -> int:
        """Return the radius of a disc: by the text size, but not out of scale with the room."""
        return max(7, min(kit.px(DISC), round(self.unit * 0.95)))

    def cell(self, pixel: tuple[int, int], width: int, height: int) -> int:
        """Return the cell under a pixel, or -1."""
        x, y = (
            math.floor((pixel[0] - self.inner.x) / self.unit),
            math.floor((pixel[1] - self.inner.y) / self.unit),
        )
        return y * width + x if 0 <= x < width and 0 <= y < height else -1

    def under(self, pixel: tuple[int, int]) -> str:
        """Return the id of what lies topmost under a pixel, or ""."""
        found = [spot for spot in self.spots if spot.rect.collidepoint(pixel)]
        return min(found, key=lambda spot: (spot.rank, spot.rect.w * spot.rect.h)).id if found else ""


class RoomPainter:
    """Draws rooms, and keeps the parts that stand still."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
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
            self._layers[key] = (picture, canvas.spots, canvas.discs)
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
        self._floor(frame, canvas)
        floor_things = [
            each for each in frame.things.values() if each.relation == "at" and each.id not in view.hidden
        ]
        fixtures = [each for each in floor_things if not _small(frame, each)]
        order = sorted(
            fixtures,
            key=lambda each: (each.kind not in looks.FLAT, each.kind in looks.ABOVE, -each.w * each.h),
        )
        for thing in order:
            self._fixture(frame, canvas, thing, view)
        self._inner_walls(frame, canvas)
        for thing in order:
            if thing.kind in looks.IN_WALL:
                self._in_wall(frame, canvas, thing, view)
        self._night(frame, canvas)
        wanted: list[tuple[str, str, tuple[float, float], float, str, int]] = []
        for thing in floor_things:
            if _small(frame, thing):
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
                rect = _footprint(frame, canvas, thing)
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

    def _floor(self, frame: Frame, canvas: Canvas) -> None:
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

    def _inner_walls(self, frame: Frame, canvas: Canvas) -> None:
        width = frame.stage.spec.width
        for cell in frame.stage.spec.walls:
            x, y = canvas.at(cell % width, cell // width)
            pygame.draw.rect(
                self.kit.surface,
                WALL_COLOR,
                (round(x), round(y), math.ceil(canvas.unit), math.ceil(canvas.unit)),
            )

    def _in_wall(self, frame: Frame, canvas: Canvas, thing: ThingNow, view: View) -> None:
        """A door or window sits in the outer wall; open, it stands out into the room."""
        rect, wall = _footprint(frame, canvas, thing), canvas.inner.x - canvas.rect.x
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
        self._selected(thing.id, inside, view)
        canvas.spots.append(Spot(thing.id, inside, 1))

    def _fixture(self, frame: Frame, canvas: Canvas, thing: ThingNow, view: View) -> None:
        kit, rect, color = self.kit, _footprint(frame, canvas, thing), looks.color_of(thing.kind)
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
        surface = "surface" in _tags(frame, thing)
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
        self._selected(thing.id, rect, view)
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
        self._selected(thing.id, spot, view)
        canvas.spots.append(Spot(thing.id, spot, 2))

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
        rect = _footprint(frame, canvas, holder)
        if away and "portable" not in _tags(frame, holder):
            text = str(len(away))
            badge = Rect(0, 0, self.kit.ink.width(text, 11, True) + self.kit.px(8), self.kit.px(15))
            badge.bottomright = (rect.right - 2, rect.bottom - 2)
            pygame.draw.rect(self.kit.surface, "#fffbe9", badge, border_radius=6)
            pygame.draw.rect(self.kit.surface, "#6f6250", badge, 1, border_radius=6)
            self.kit.label(text, badge.center, 11, "#3a352b", bold=True, anchor="center")
        places, radius = packed(
            rect, len(shown), canvas.disc(self.kit), min(self.kit.px(DISC_LEAST), canvas.disc(self.kit))
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
        self._selected(thing.id, rect, view)
        if thing.id in view.differs:
            self._badge(rect, "≠", inks.DEEP_RED)
        elif any(thing.props.get(prop) for prop in ("dirty", "spoiled", "broken", "wilted")):
            self._badge(rect, "!", "#7a5b00")
        inside = sum(each.place == thing.id and each.id not in view.hidden for each in frame.things.values())
        if inside and thing.props.get("open", 1) == 0:
            self._badge(rect, str(inside), "#3a352b")
        canvas.spots.append(Spot(thing.id, rect, 0))
        canvas.discs[thing.id] = (at[0], at[1], radius)
        wanted.append((thing.id, frame.stage.name(thing.id, view.language), at, radius, "#111111", 0))

    def _badge(self, rect: Rect, text: str, color: str) -> None:
        at = (rect.right - self.kit.px(2), rect.y + self.kit.px(3))
        pygame.draw.aacircle(self.kit.surface, color, at, self.kit.px(7))
        self.kit.label(text, at, 10, inks.WHITE, bold=True, anchor="center")

    def _selected(self, name: str, rect: Rect, view: View) -> None:
        if name == view.selected:
            pygame.draw.rect(self.kit.surface, inks.RED, rect.inflate(8, 8), 3, border_radius=9)

    def _night(self, frame: Frame, canvas: Canvas) -> None:
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

    def _labels(
        self, canvas: Canvas, wanted: list[tuple[str, str, tuple[float, float], float, str, int]]
    ) -> None:
        """Put each name where it covers no disc and no other name: below, above, right or left. Some stay unsaid."""
        kit = self.kit
        taken = [Rect(x - r + 1, y - r + 1, 2 * r - 2, 2 * r - 2) for x, y, r in canvas.discs.values()]
        for name, text, middle, half, color, rank in sorted(wanted, key=lambda each: each[5]):
            w, h = kit.ink.width(text, 12) + 6, kit.ink.height(12) - 3
            room = next((spot.rect for spot in canvas.spots if spot.id == name), Rect(middle, (1, 1)))
            moves: tuple[tuple[float, float], ...] = ((0, half + h / 2), (0, -half - h / 2), (half + w / 2 + 2, 0), (-half - w / 2 - 2, 0))
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


def packed(rect: Rect, count: int, radius: int, least: int) -> tuple[list[tuple[float, float]], int]:
    """Return the middles of *count* discs spread over *rect*, and a radius at which they do not overlap."""
    if not count:
        return [], radius
    best = max(
        range(1, count + 1), key=lambda columns: min(rect.w / columns, rect.h / math.ceil(count / columns))
    )
    rows = math.ceil(count / best)
    room = min(rect.w / best, rect.h / rows)
    radius = max(least, min(radius, int(room / 2 - 1)))
    found = []
    for at in range(count):
        row, column = divmod(at, best)
        in_row = min(best, count - row * best)
        found.append((rect.x + rect.w * (column + 0.5) / in_row, rect.y + rect.h * (row + 0.5) / rows))
    return found, radius


def fitted(frame: Frame, room: Rect, wall: int) -> Canvas:
    """Return a canvas as large as fits into *room*, at the top of it, with the outer wall around."""
    spec = frame.stage.spec
    # In a window too small for the text size the room stays a room, and is cut off.
    unit = max(4.0, min((room.w - 2 * wall) / spec.width, (room.h - 2 * wall) / spec.height))
    inner = Rect(0, 0, round(unit * spec.width), round(unit * spec.height))
    outer = inner.inflate(2 * wall, 2 * wall)
    outer.center = room.center
    inner.center = outer.center
    return Canvas(outer, inner, unit)


def _footprint(frame: Frame, canvas: Canvas, thing: ThingNow) -> Rect:
    width = frame.stage.spec.width
    x, y = canvas.at(thing.cell % width, thing.cell // width)
    right, bottom = canvas.at(thing.cell % width + thing.w, thing.cell // width + thing.h)
    return Rect(round(x), round(y), round(right) - round(x), round(bottom) - round(y))


def _tags(frame: Frame, thing: ThingNow) -> list[str]:
    found: list[str] = frame.stage.spec.kinds[thing.kind]["tags"]
    return found


def _small(frame: Frame, thing: ThingNow) -> bool:
    """Return whether a thing on the floor is drawn as a disc: what is carried, and what has no ground to speak of."""
    return "portable" in _tags(frame, thing) or thing.kind in looks.DISCS


def thing_words(texts: Texts, frame: Frame, thing: ThingNow) -> str:
    """Return what the tip over a thing says."""
    name = texts.name(frame.stage, thing.id)
    told = [texts.prop(prop, value) for prop, value in thing.props.items() if value]
    return "\n".join(
        [f"{name}  #{thing.id}", texts.thing_line(frame, thing), *([", ".join(told)] if told else [])]
    )
