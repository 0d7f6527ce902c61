"""A room as it stands, written back as the values of a room file: what the debug window saves.

Reading the result with `spec.parse_room` gives a room whose things stand where they stand now. Bodies and
timers are not part of a room file; the resident's pose becomes its start pose.
"""

from __future__ import annotations

from typing import Any

from world.params import CELL_MM, RESIDENT
from world.plan import ThingSpec
from world.things import Thing
from world.truth import Truth


def room_file(room: Truth) -> dict[str, Any]:
    """Return the room as plain values in the form of a room file. What is held is written down at its bearer's feet."""
    spec = room.spec
    starts = {name: start_table(room, cell, heading) for name, (cell, heading) in spec.starts.items()}
    body = room.bodies[RESIDENT]
    starts[RESIDENT] = start_table(room, body.cell, body.heading)
    return {
        "id": spec.id,
        "names": dict(spec.names),
        "size": [spec.width * CELL_MM, spec.height * CELL_MM],
        "door": spec.door,
        "light": {"dawn": clock_text(spec.dawn_ms // 60_000), "dusk": clock_text(spec.dusk_ms // 60_000)},
        "walls": [[*spot(cell, spec.width), CELL_MM, CELL_MM] for cell in spec.walls],
        "start": starts,
        "region": {
            each.id: {
                "names": dict(each.names),
                "box": list(each.box),
                "private": [[clock_text(minutes) for minutes in pair] for pair in each.private],
            }
            for each in spec.regions
        },
        "objects": [object_table(room, room.things[each.id], each) for each in spec.things],
        "events": {
            each.name: {
                "mean_h": each.mean_ms // 3_600_000,
                "first_h": each.first_ms // 3_600_000,
                "hours": [clock_text(minutes) for minutes in each.hours],
                "subjects": list(each.subjects),
                "lasts_min": each.lasts_ms // 60_000,
            }
            for each in spec.events
        },
    }


def object_table(room: Truth, thing: Thing, was: ThingSpec) -> dict[str, Any]:
    table: dict[str, Any] = {"id": thing.id, "kind": thing.kind, "names": dict(was.names), "known": was.known}
    width = room.spec.width
    if thing.relation == "at":
        table["box"] = [*spot(thing.cell, width), thing.w * CELL_MM, thing.h * CELL_MM]
    elif thing.relation == "held":
        table["at"] = spot(room.bodies[thing.place].cell, width)
    elif thing.relation == "out":
        table["out"] = True
    else:
        table[thing.relation] = thing.place
    if thing.home:
        table["home"] = thing.home
    if thing.props:
        table["props"] = {name: 0 if name == "occupied" else value for name, value in thing.props.items()}
    if was.text:
        table["text"] = dict(was.text)
    return table


def start_table(room: Truth, cell: int, heading: int) -> dict[str, Any]:
    return {"at": spot(cell, room.spec.width), "heading": heading}


def spot(cell: int, width: int) -> list[int]:
    return [cell % width * CELL_MM, cell // width * CELL_MM]


def clock_text(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"
