"""A room fitted into a rectangle: the scale, what is drawn of it, and what lies under a pixel."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from sim.frame import Frame, ThingNow
from sim.window import looks
from sim.window.kit import Kit, Rect
from sim.window.texts import Texts

CELL_MM = 250
DISC = 14


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


def clear_of(rect: Rect, others: Sequence[Rect]) -> Rect:
    """Return the largest part of *rect* that none of *others* covers, cut by whole strips."""
    for other in others:
        lap = rect.clip(other)
        if not lap.w or not lap.h or lap == rect:
            continue
        strips = (
            Rect(rect.x, rect.y, lap.x - rect.x, rect.h), Rect(lap.right, rect.y, rect.right - lap.right, rect.h),
            Rect(rect.x, rect.y, rect.w, lap.y - rect.y), Rect(rect.x, lap.bottom, rect.w, rect.bottom - lap.bottom),
        )  # fmt: skip
        rect = max(strips, key=lambda each: each.w * each.h)
    return rect


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


def footprint_of(frame: Frame, canvas: Canvas, thing: ThingNow) -> Rect:
    """Return the pixels a thing on the floor stands on."""
    width = frame.stage.spec.width
    x, y = canvas.at(thing.cell % width, thing.cell // width)
    right, bottom = canvas.at(thing.cell % width + thing.w, thing.cell // width + thing.h)
    return Rect(round(x), round(y), round(right) - round(x), round(bottom) - round(y))


def tags_of(frame: Frame, thing: ThingNow) -> list[str]:
    """Return the tags of a thing's kind."""
    found: list[str] = frame.stage.spec.kinds[thing.kind]["tags"]
    return found


def is_small(frame: Frame, thing: ThingNow) -> bool:
    """Return whether a thing on the floor is drawn as a disc: what is carried, and what has no ground to speak of."""
    return "portable" in tags_of(frame, thing) or thing.kind in looks.DISCS


def thing_words(texts: Texts, frame: Frame, thing: ThingNow) -> str:
    """Return what the tip over a thing says."""
    name = texts.name(frame.stage, thing.id)
    told = [texts.prop(prop, value) for prop, value in thing.props.items() if value]
    return "\n".join(
        [f"{name}  #{thing.id}", texts.thing_line(frame, thing), *([", ".join(told)] if told else [])]
    )
