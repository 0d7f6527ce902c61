"""Whether a room hangs together: places and homes exist, the door is a door, everything can be walked to."""

from __future__ import annotations

from collections.abc import Mapping

from world.params import CELL_MM, REACH_CELLS, RESIDENT
from world.plan import RoomSpec, ThingSpec, blocked_cells, footprint
from world.reading import RoomError, nearest


def check_room(spec: RoomSpec) -> None:
    """Raise `RoomError` unless places, homes, door, start poses and floor of *spec* fit together."""
    things = {each.id: each for each in spec.things}
    regions = [each.id for each in spec.regions]
    check_ids([*regions, *(each.id for each in spec.things)])
    if spec.door not in things:
        raise RoomError("door", f"there is no object {spec.door!r}", nearest(spec.door, things))
    if "door" not in spec.kinds[things[spec.door].kind]["tags"]:
        raise RoomError("door", f"{spec.door!r} is no door", "name an object whose kind has the tag door")
    for each in spec.things:
        path = f"objects.{each.id}"
        if each.relation in ("on", "in"):
            check_place(path, each, things, spec)
        if each.home and each.home not in things and each.home not in regions:
            raise RoomError(
                f"{path}.home", f"there is no place {each.home!r}", nearest(each.home, [*things, *regions])
            )
        if each.home and each.home in things and not can_hold(spec, things[each.home]):
            raise RoomError(
                f"{path}.home", f"nothing lies on or in {each.home!r}", "name a surface or a container"
            )
    check_floor(spec)


def check_ids(ids: list[str]) -> None:
    met = dict.fromkeys(("resident", "visitor"))
    for name in ids:
        if name in met:
            raise RoomError(
                "objects", f"the id {name!r} is used twice", "give each region and object its own id"
            )
        met[name] = None


def can_hold(spec: RoomSpec, thing: ThingSpec) -> bool:
    tags = spec.kinds[thing.kind]["tags"]
    return "surface" in tags or "container" in tags


def check_place(path: str, each: ThingSpec, things: Mapping[str, ThingSpec], spec: RoomSpec) -> None:
    where = f"{path}.{each.relation}"
    if each.place not in things:
        raise RoomError(where, f"there is no object {each.place!r}", nearest(each.place, things))
    tag = "surface" if each.relation == "on" else "container"
    holder = spec.kinds[things[each.place].kind]
    if tag not in holder["tags"]:
        raise RoomError(where, f"{each.place!r} is no {tag}", f"use something whose kind has the tag {tag}")
    if "portable" not in spec.kinds[each.kind]["tags"] and things[each.place].relation != "at":
        raise RoomError(
            where, f"{each.place!r} is not furniture", "let a thing that stays put stand on furniture"
        )
    inside = sum(1 for other in things.values() if other.place == each.place)
    if inside > int(holder.get("capacity", 0)):
        raise RoomError(
            where, f"{each.place!r} holds {inside} of {holder.get('capacity', 0)}", "move some away"
        )
    step, hops = each, 0
    while step.relation in ("on", "in") and step.place in things:
        step, hops = things[step.place], hops + 1
        if hops > len(things):
            raise RoomError(
                where, "things lie in each other in a circle", "let one of them stand on the floor"
            )


def check_floor(spec: RoomSpec) -> None:
    """Check that bodies start on free floor, and that everything on the floor can be walked to from there."""
    blocked = blocked_cells(spec)
    for body, (cell, _) in spec.starts.items():
        if cell in blocked:
            raise RoomError(
                f"start.{body}.at", "that spot is inside furniture or a wall", "choose free floor"
            )
    walked = flood(spec, blocked, spec.starts[RESIDENT][0])
    for body, (cell, _) in spec.starts.items():
        if not walked[cell]:
            raise RoomError(f"start.{body}.at", "is cut off from the resident", "leave a way between them")
    for region in spec.regions:
        if not any(walked[cell] for cell in region.cells):
            raise RoomError(
                f"region.{region.id}", "nobody can walk into it", "leave free floor and a way to it"
            )
    for each in spec.things:
        if each.relation == "at" and not any(walked[cell] for cell in around(spec, each)):
            x, y = each.cell % spec.width * CELL_MM, each.cell // spec.width * CELL_MM
            problem = f"at {x}, {y} mm nobody can get near it"
            raise RoomError(f"objects.{each.id}", problem, "leave free floor beside it")


def around(spec: RoomSpec, each: ThingSpec) -> list[int]:
    """Return the cells within reach of the thing's footprint, walls not asked."""
    x, y = each.cell % spec.width, each.cell // spec.width
    left, top = max(0, x - REACH_CELLS), max(0, y - REACH_CELLS)
    right, bottom = min(spec.width, x + each.w + REACH_CELLS), min(spec.height, y + each.h + REACH_CELLS)
    return footprint(top * spec.width + left, right - left, bottom - top, spec.width)


def flood(spec: RoomSpec, blocked: frozenset[int], start: int) -> bytearray:
    """Return which cells can be walked to from *start*, one byte a cell."""
    walked = bytearray(spec.width * spec.height)
    walked[start] = 1
    edge = [start]
    while edge:
        cell = edge.pop()
        x = cell % spec.width
        beside = [cell - spec.width, cell + spec.width]
        beside += [cell - 1] if x else []
        beside += [cell + 1] if x + 1 < spec.width else []
        for other in beside:
            if 0 <= other < len(walked) and not walked[other] and other not in blocked:
                walked[other] = 1
                edge.append(other)
    return walked
