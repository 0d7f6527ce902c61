"""What a body sees in a frame: the same rule as the room's, read from the log's picture of the truth.

For drawing only: the cone, and the ring around things in view. Nothing of it reaches the resident.
"""

from __future__ import annotations

import math

from sim.frame import BodyNow, Frame, ThingNow, covered
from world.floor import OCTANTS, nearest_cell, trace
from world.params import (
    CELL_MM,
    DARK,
    DIM,
    FOV_COS2_MILLE,
    LAMP_LIGHT,
    LAMP_SPILL,
    SIGHT_DARK_MM,
    SIGHT_DIM_MM,
    SIGHT_MM,
)

RAY_STEP_DEGREES = 2
HALF_VIEW_DEGREES = 75


def opaque(frame: Frame) -> bytearray:
    """Return which cells stop the eye."""
    spec = frame.stage.spec
    cells = bytearray(spec.width * spec.height)
    for cell in spec.walls:
        cells[cell] = 1
    for thing in frame.things.values():
        if thing.relation == "at" and spec.kinds[thing.kind].get("blocks_sight"):
            for cell in covered(frame, thing):
                cells[cell] = 1
    return cells


def light_at(frame: Frame, cell: int) -> int:
    """Return the light on a cell, 0 to 1000."""
    best = frame.light
    if best >= LAMP_LIGHT:
        return best
    width = frame.stage.spec.width
    for lamp in frame.things.values():
        if not lamp.props.get("on") or lamp.props.get("broken"):
            continue
        shines = frame.stage.spec.kinds[lamp.kind].get("shines_mm")
        root = frame.root(lamp)
        if shines is None or root is None or frame.shut_in(lamp):
            continue
        near = (
            CELL_MM * math.dist((root.cell % width, root.cell // width), (cell % width, cell // width))
            <= shines
        )
        best = max(best, LAMP_LIGHT if near else LAMP_SPILL)
    return best


def reach_mm(frame: Frame, cell: int) -> int:
    """Return how far an eye reaches to something on *cell*, by the light on it."""
    level = frame.light if frame.light >= DIM else light_at(frame, cell)
    return SIGHT_DARK_MM if level < DARK else SIGHT_DIM_MM if level < DIM else SIGHT_MM


def seen(
    frame: Frame, body: BodyNow, cell: int, heading: int, walls: bytearray, *, all_round: bool = False
) -> set[str]:
    """Return the ids of what the body sees from *cell*. With *all_round* it may turn its head."""
    if frame.asleep(body):
        return set()
    found: set[str] = set()
    known: dict[tuple[int, int, int], bool] = {}
    for thing in frame.things.values():
        root = frame.root(thing)
        if root is None or frame.shut_in(thing):
            continue
        box = (root.cell, root.w, root.h) if isinstance(root, ThingNow) else (root.cell, 1, 1)
        if box not in known:
            known[box] = root is body or _eye_reaches(frame, cell, heading, box, walls, all_round)
        if known[box]:
            found.add(thing.id)
    for other in frame.bodies.values():
        if other is not body and _eye_reaches(frame, cell, heading, (other.cell, 1, 1), walls, all_round):
            found.add(other.id)
    return found


def _eye_reaches(
    frame: Frame, cell: int, heading: int, box: tuple[int, int, int], walls: bytearray, all_round: bool
) -> bool:
    width = frame.stage.spec.width
    goal = nearest_cell(cell, *box, width)
    if goal == cell:
        return True
    dx, dy = goal % width - cell % width, goal // width - cell // width
    hx, hy = OCTANTS[heading]
    dot, square = dx * hx + dy * hy, dx * dx + dy * dy
    if not all_round and (dot <= 0 or 1000 * dot * dot < FOV_COS2_MILLE * square * (hx * hx + hy * hy)):
        return False
    return CELL_MM * math.isqrt(square) <= reach_mm(frame, goal) and trace(walls, cell, goal, width)


def outline(frame: Frame, cell: int, heading: int, walls: bytearray) -> list[tuple[float, float]]:
    """Return the rim of the field of view as points in cells, the eye first; rays stop at what the eye can't pass."""
    spec = frame.stage.spec
    x, y = cell % spec.width + 0.5, cell // spec.width + 0.5
    reach = reach_mm(frame, cell) / CELL_MM
    points = [(x, y)]
    for turn in range(-HALF_VIEW_DEGREES, HALF_VIEW_DEGREES + 1, RAY_STEP_DEGREES):
        angle = math.radians(heading * 45 + turn)
        points.append(_ray(x, y, math.cos(angle), math.sin(angle), reach, walls, spec.width, spec.height))
    return points


def _ray(
    x: float, y: float, dx: float, dy: float, reach: float, walls: bytearray, width: int, height: int
) -> tuple[float, float]:
    """Walk from cell border to cell border until something stops the ray."""
    column, row, gone = int(x), int(y), 0.0
    while True:
        to_x = ((column + (dx > 0)) - x) / dx if dx else math.inf
        to_y = ((row + (dy > 0)) - y) / dy if dy else math.inf
        gone = min(to_x, to_y)
        if gone >= reach:
            return x + dx * reach, y + dy * reach
        if to_x < to_y:
            column += 1 if dx > 0 else -1
        else:
            row += 1 if dy > 0 else -1
        if not (0 <= column < width and 0 <= row < height):
            return x + dx * gone, y + dy * gone
        if walls[row * width + column]:
            # The face of what stops the eye is seen, so the ray goes a little into it.
            return x + dx * (gone + 0.35), y + dy * (gone + 0.35)
