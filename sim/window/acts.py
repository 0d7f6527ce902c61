"""What a person at the window can do with what is before him: acts by name, in order, with the reason if one can't.

Nothing is decided here: the gate and the room do that. The window only leaves out what makes no sense at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from interventions.contract import ANY, PHYSICAL
from sim.frame import RESIDENT, VISITOR, Frame, ThingNow, covered
from world.floor import OCTANTS

STRIDE = 4  # cells that one walking key asks for at a time


@dataclass(frozen=True, slots=True)
class Act:
    """One thing to do: operation, object, target, and whether the protocol declares it."""

    op: str
    object: str = ""
    target: str = ""
    declared: bool = True

    def what(self) -> dict[str, Any]:
        """Return the act's fields as they are handed in."""
        return {"object": self.object, "target": self.target}


def acts_on(frame: Frame, selected: str) -> list[Act]:
    """Return what can be done with the selected thing or person, the nearest to hand first."""
    if VISITOR not in frame.bodies:
        return [_declared(frame, Act("enter"))]
    held = next(iter(frame.held(VISITOR)), None)
    found: list[Act] = []
    if selected == frame.stage.spec.door:
        found = [Act("leave"), *_lid(frame, frame.things[selected])]
    elif selected == RESIDENT:
        found = [Act("hand_over", held.id)] if held is not None else []
        found.append(Act("walk", "", RESIDENT))
    elif selected in frame.things:
        found = _on_thing(frame, frame.things[selected], held)
    return [_declared(frame, act) for act in found]


def _on_thing(frame: Frame, thing: ThingNow, held: ThingNow | None) -> list[Act]:
    tags = frame.stage.spec.kinds[thing.kind]["tags"]
    if held is not None and thing.id == held.id:
        return [Act("hand_over", thing.id), Act("put", thing.id, _region_here(frame))]
    found: list[Act] = []
    if held is not None and ("surface" in tags or ("container" in tags and thing.props.get("open", 1))):
        found.append(Act("put", held.id, thing.id))
    found += _lid(frame, thing)
    if "switchable" in tags:
        found.append(Act("switch", thing.id))
    if "portable" in tags and held is None:
        found.append(Act("take", thing.id))
    if "portable" in tags and thing.relation in ("on", "in"):
        found.append(Act("push", thing.id))
    found.append(Act("walk", "", thing.id))
    return found


def _lid(frame: Frame, thing: ThingNow) -> list[Act]:
    if "openable" not in frame.stage.spec.kinds[thing.kind]["tags"]:
        return []
    return [Act("close" if thing.props.get("open") else "open", thing.id)]


def _declared(frame: Frame, act: Act) -> Act:
    stage = frame.stage
    objects = stage.objects[PHYSICAL]
    allowed = act.op in stage.operations[PHYSICAL] and stage.channels[PHYSICAL]["state"] != "closed"
    allowed = allowed and (not act.object or ANY in objects or act.object in objects)
    return Act(act.op, act.object, act.target, allowed)


def _region_here(frame: Frame) -> str:
    visitor = frame.bodies[VISITOR]
    return frame.stage.region_at(frame.cell_now(visitor, frame.tick))


def put_down(frame: Frame, selected: str) -> Act | None:
    """Return the act of putting down what is held: on the selected surface, else on the floor here."""
    held = next(iter(frame.held(VISITOR)), None)
    if held is None or VISITOR not in frame.bodies:
        return None
    thing = frame.things.get(selected)
    if thing is not None and thing.id != held.id:
        tags = frame.stage.spec.kinds[thing.kind]["tags"]
        if "surface" in tags or "container" in tags:
            return Act("put", held.id, thing.id)
    return Act("put", held.id, _region_here(frame))


def nearby(frame: Frame, hidden: frozenset[str], tick: float) -> list[str]:
    """Return the things and people in sight, nearest to the visitor first."""
    visitor = frame.bodies.get(VISITOR)
    if visitor is None:
        return [frame.stage.spec.door]
    x, y, _ = frame.place(visitor, tick)
    width = frame.stage.spec.width
    found: list[tuple[float, str]] = []
    for thing in frame.things.values():
        root = frame.root(thing)
        if root is None or thing.id in hidden or frame.shut_in(thing) or thing.kind in ("rug", "mat"):
            continue
        cx, cy = root.cell % width + 0.5, root.cell // width + 0.5
        if isinstance(root, ThingNow):
            cx, cy = min(max(x, cx), cx + root.w - 1), min(max(y, cy), cy + root.h - 1)
        found.append(((cx - x) ** 2 + (cy - y) ** 2 + (0 if thing.relation != "at" else 0.1), thing.id))
    if RESIDENT not in hidden and RESIDENT in frame.bodies:
        rx, ry, _ = frame.place(frame.bodies[RESIDENT], tick)
        found.append(((rx - x) ** 2 + (ry - y) ** 2, RESIDENT))
    return [name for _, name in sorted(found)]


def blocked(frame: Frame) -> bytearray:
    """Return which cells nobody can stand on."""
    spec = frame.stage.spec
    cells = bytearray(spec.width * spec.height)
    for cell in spec.walls:
        cells[cell] = 1
    for thing in frame.things.values():
        if thing.relation == "at" and spec.kinds[thing.kind].get("blocks_walk"):
            for cell in covered(frame, thing):
                cells[cell] = 1
    return cells


def ahead(frame: Frame, cell: int, octant: int, cells: int = STRIDE) -> int:
    """Return the cell up to *cells* away in a direction, before whatever stands in the way; *cell* if nothing is free."""
    spec, wall = frame.stage.spec, blocked(frame)
    dx, dy = OCTANTS[octant]
    for _ in range(cells):
        x, y = cell % spec.width + dx, cell // spec.width + dy
        if not (0 <= x < spec.width and 0 <= y < spec.height) or wall[y * spec.width + x]:
            break
        if dx and dy and (wall[y * spec.width + x - dx] or wall[(y - dy) * spec.width + x]):
            break
        cell = y * spec.width + x
    return cell
