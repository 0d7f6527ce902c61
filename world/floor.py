"""The floor: where one can stand, what is within reach, which way a walk goes. Whole numbers throughout.

Distances are in 50 ms of walking (straight 5, diagonal 7), spread from a target's standing cells by
buckets of equal distance, and kept until some furniture moves. Nothing is computed before it is asked.
"""

from __future__ import annotations

from typing import Final

from world.params import DIAGONAL_MS, REACH_CELLS, STAND_CELLS, STRAIGHT_MS
from world.things import Body, Thing
from world.truth import Truth

STEP_UNIT_MS: Final = 50
STRAIGHT: Final = STRAIGHT_MS // STEP_UNIT_MS
DIAGONAL: Final = DIAGONAL_MS // STEP_UNIT_MS
FAR: Final = 1 << 30
# Octants, clockwise from east; y grows southward.
OCTANTS: Final = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))


def grid(room: Truth) -> bytearray:
    """Return the map of blocked cells, one byte a cell, rebuilt after furniture moved."""
    if not room._grid_ready:
        spec = room.spec
        room._walls = bytearray(spec.width * spec.height)
        for cell in spec.walls:
            room._walls[cell] = 1
        room._blocked, room._opaque = bytearray(room._walls), bytearray(room._walls)
        for thing in room.things.values():
            kind = room.kind(thing)
            if thing.relation != "at" or not (kind.get("blocks_walk") or kind.get("blocks_sight")):
                continue
            for cell in covered(thing, spec.width):
                room._blocked[cell] |= 1 if kind.get("blocks_walk") else 0
                room._opaque[cell] |= 1 if kind.get("blocks_sight") else 0
        room._near_roots = {}
        room._fields, room._near, room._sight_lines, room._wall_lines = {}, {}, {}, {}
        room._grid_ready = True
    return room._blocked


def covered(thing: Thing, width: int) -> list[int]:
    """Return the cells of the thing's footprint."""
    return [thing.cell + dy * width + dx for dy in range(thing.h) for dx in range(thing.w)]


def nearest_cell(cell: int, anchor: int, w: int, h: int, width: int) -> int:
    """Return the cell of the box nearest to *cell*."""
    x, y, ax, ay = cell % width, cell // width, anchor % width, anchor // width
    x = ax if x < ax else ax + w - 1 if x >= ax + w else x
    y = ay if y < ay else ay + h - 1 if y >= ay + h else y
    return y * width + x


def line_clear(room: Truth, a: int, b: int, *, walls_only: bool = False) -> bool:
    """Return whether a straight line between two cells meets nothing opaque (or no wall) on its way."""
    grid(room)
    if a > b:
        a, b = b, a
    lines = room._wall_lines if walls_only else room._sight_lines
    key = a * len(room._blocked) + b
    found = lines.get(key)
    if found is None:
        found = lines[key] = trace(room._walls if walls_only else room._opaque, a, b, room.spec.width)
    return found


def trace(opaque: bytearray, a: int, b: int, width: int) -> bool:
    """Return whether the line from *a* to *b* crosses no opaque cell between them. Ends do not count."""
    x, y, x1, y1 = a % width, a // width, b % width, b // width
    dx, dy = abs(x1 - x), abs(y1 - y)
    sx, sy = (1 if x1 > x else -1), (1 if y1 > y else -1)
    error = dx - dy
    while True:
        twice = 2 * error
        if twice > -dy:
            error -= dy
            x += sx
        if twice < dx:
            error += dx
            y += sy
        if x == x1 and y == y1:
            return True
        if opaque[y * width + x]:
            return False


def place_box(room: Truth, place_id: str) -> tuple[int, int, int]:
    """Return (anchor, w, h) of what a thing stands on, of a floor thing itself, or of a body; anchor -1 if absent."""
    thing = room.things.get(place_id)
    if thing is not None:
        root = room.root(thing)
        if isinstance(root, Body):
            return root.cell, 1, 1
        return (root.cell, root.w, root.h) if root.relation != "out" else (-1, 0, 0)
    body = room.bodies.get(place_id)
    return (body.cell, 1, 1) if body is not None else (-1, 0, 0)


def near(room: Truth, body: Body, place_id: str) -> bool:
    """Return whether the body can lay a hand on the place: within reach and with no wall between."""
    if place_id in room._region_cells:
        return room._region_of[body.cell] == place_id
    if (spot := room.spot(place_id)) >= 0:
        return body.cell == spot
    anchor, w, h = place_box(room, place_id)
    if anchor < 0:
        return False
    grid(room)
    key = (body.cell, anchor, w, h)
    found = room._near.get(key)
    if found is None:
        found = room._near[key] = in_reach(room, body.cell, anchor, w, h, REACH_CELLS)
    return found


def near_names(room: Truth, body: Body) -> dict[str, None]:
    """Return all ids that are near the body: what `near` says of each, for all at once and much cheaper."""
    found: dict[str, None] = {room._region_of[body.cell]: None}
    for name in standing_near(room, body.cell):
        gather(room, name, found)
    for other in room.bodies.values():
        if other is body or in_reach(room, body.cell, other.cell, 1, 1, REACH_CELLS):
            found[other.id] = None
            for name in other.holding:
                gather(room, name, found)
    return found


def standing_near(room: Truth, cell: int) -> tuple[str, ...]:
    """Return the things on the floor that are within reach of a cell. Kept until something on the floor moves."""
    grid(room)
    found = room._near_roots.get(cell)
    if found is None:
        found = room._near_roots[cell] = tuple(
            thing.id
            for thing in room.things.values()
            if thing.relation == "at" and in_reach(room, cell, thing.cell, thing.w, thing.h, REACH_CELLS)
        )
    return found


def gather(room: Truth, name: str, found: dict[str, None]) -> None:
    """Add the thing and all that hangs in it, shut in or not."""
    found[name] = None
    for each in room.contents(name):
        gather(room, each, found)


def in_reach(room: Truth, cell: int, anchor: int, w: int, h: int, cells: int) -> bool:
    width = room.spec.width
    goal = nearest_cell(cell, anchor, w, h, width)
    gap = max(abs(cell % width - goal % width), abs(cell // width - goal // width))
    return gap <= cells and (gap == 0 or line_clear(room, cell, goal, walls_only=True))


def standing_cells(room: Truth, place_id: str) -> list[int]:
    """Return the free cells from which the place is near, closest ring first where there is one."""
    blocked = grid(room)
    if place_id in room._region_cells:
        return [cell for cell in room._region_cells[place_id] if not blocked[cell]]
    if (spot := room.spot(place_id)) >= 0:
        return [] if blocked[spot] else [spot]
    anchor, w, h = place_box(room, place_id)
    if anchor < 0:
        return []
    return cells_around(room, anchor, w, h)


def cells_around(room: Truth, anchor: int, w: int, h: int) -> list[int]:
    """Return the free cells from which a box is near, closest ring first where there is one."""
    blocked = grid(room)
    width, height = room.spec.width, room.spec.height
    ax, ay = anchor % width, anchor // width
    for cells in (STAND_CELLS, REACH_CELLS):
        found = [
            y * width + x
            for y in range(max(0, ay - cells), min(height, ay + h + cells))
            for x in range(max(0, ax - cells), min(width, ax + w + cells))
            if not blocked[y * width + x] and in_reach(room, y * width + x, anchor, w, h, cells)
        ]
        if found:
            return found
    return []


def field_to(room: Truth, place_id: str) -> list[int]:
    """Return the walking distance of every cell to the place, in units of 50 ms, `FAR` where no way leads."""
    grid(room)
    key = (
        place_id
        if place_id in room._region_cells or room.spot(place_id) >= 0
        else "/".join(map(str, place_box(room, place_id)))
    )
    found = room._fields.get(key)
    if found is None:
        found = room._fields[key] = spread(room._blocked, standing_cells(room, place_id), room.spec.width)
    return found


def spread(blocked: bytearray, sources: list[int], width: int) -> list[int]:
    far = [FAR] * len(blocked)
    buckets: list[list[int]] = [[] for _ in range(DIAGONAL + 1)]
    for cell in sources:
        far[cell] = 0
        buckets[0].append(cell)
    distance, waiting = 0, len(sources)
    while waiting:
        bucket = buckets[distance % (DIAGONAL + 1)]
        buckets[distance % (DIAGONAL + 1)] = []
        waiting -= len(bucket)
        for cell in bucket:
            if far[cell] != distance:
                continue
            for other, cost in neighbours(blocked, cell, width):
                if distance + cost < far[other]:
                    far[other] = distance + cost
                    buckets[(distance + cost) % (DIAGONAL + 1)].append(other)
                    waiting += 1
        distance += 1
    return far


def neighbours(blocked: bytearray, cell: int, width: int) -> list[tuple[int, int]]:
    """Return (cell, cost) of the steps from *cell*, in the order of the octants; corners are not cut."""
    x, y, height = cell % width, cell // width, len(blocked) // width
    east = x + 1 < width and not blocked[cell + 1]
    west = x > 0 and not blocked[cell - 1]
    south = y + 1 < height and not blocked[cell + width]
    north = y > 0 and not blocked[cell - width]
    steps = []
    if east:
        steps.append((cell + 1, STRAIGHT))
    if east and south and not blocked[cell + width + 1]:
        steps.append((cell + width + 1, DIAGONAL))
    if south:
        steps.append((cell + width, STRAIGHT))
    if south and west and not blocked[cell + width - 1]:
        steps.append((cell + width - 1, DIAGONAL))
    if west:
        steps.append((cell - 1, STRAIGHT))
    if west and north and not blocked[cell - width - 1]:
        steps.append((cell - width - 1, DIAGONAL))
    if north:
        steps.append((cell - width, STRAIGHT))
    if north and east and not blocked[cell - width + 1]:
        steps.append((cell - width + 1, DIAGONAL))
    return steps


def path_ms(room: Truth, from_cell: int, place_id: str) -> int:
    """Return how long the walk from a cell to the place takes in ms, or -1 if no way leads there."""
    found = field_to(room, place_id)[from_cell]
    return -1 if found >= FAR else found * STEP_UNIT_MS


def path(room: Truth, body: Body, place_id: str) -> list[int] | None:
    """Return the cells of the shortest walk, without the first, or None if no way leads there."""
    return [] if near(room, body, place_id) else downhill(room, body, field_to(room, place_id))


def downhill(room: Truth, body: Body, far: list[int]) -> list[int] | None:
    """Return the cells of the shortest walk to where the field *far* is 0, without the first, or None if no way leads there."""
    cell, width = body.cell, room.spec.width
    cells = []
    if room._blocked[cell]:
        # Someone put furniture where the body stands: the first step leads out of it.
        cell = min(
            (step[0] for step in neighbours(room._blocked, cell, width)), key=far.__getitem__, default=cell
        )
        cells.append(cell)
    if far[cell] >= FAR:
        return None
    while far[cell]:
        cell = min(neighbours(room._blocked, cell, width), key=lambda step: far[step[0]] + step[1])[0]
        cells.append(cell)
    # Two bodies do not end in one cell; one cell short is still within reach.
    taken = [other.cell for other in room.bodies.values() if other is not body]
    while cells and cells[-1] in taken:
        cells.pop()
    return cells


def path_to_box(room: Truth, body: Body, anchor: int, w: int, h: int) -> list[int] | None:
    """Return the cells of the shortest walk to a box, whatever stands there, without the first, or None if no way leads there."""
    grid(room)
    if in_reach(room, body.cell, anchor, w, h, REACH_CELLS):
        return []
    return downhill(room, body, spread(room._blocked, cells_around(room, anchor, w, h), room.spec.width))


def step_ms(a: int, b: int, width: int) -> int:
    """Return the walking time between two neighbouring cells."""
    return DIAGONAL_MS if a % width != b % width and a // width != b // width else STRAIGHT_MS


def octant(a: int, b: int, width: int) -> int:
    """Return the octant that points from *a* to *b*; east if they are one."""
    dx, dy = b % width - a % width, b // width - a // width
    # tan(22.5 degrees) is close to 5/12.
    if abs(dy) * 12 <= abs(dx) * 5:
        dy = 0
    elif abs(dx) * 12 <= abs(dy) * 5:
        dx = 0
    direction = ((dx > 0) - (dx < 0), (dy > 0) - (dy < 0))
    return OCTANTS.index(direction) if direction != (0, 0) else 0
