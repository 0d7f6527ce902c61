"""Rooms as data: read a parsed room file, check it whole, and say plainly what is wrong with it.

A file's author is an outsider, so every fault is a `RoomError` with the path inside the file, the problem
and the mend. What comes out, a `RoomSpec`, is frozen and consistent: the code behind it only asserts.
Lengths in files are millimetres; here they become cells of 250 mm, index `y * W + x`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from world.checks import check_room
from world.params import CELL_MM, RESIDENT, VISITOR
from world.plan import EventSpec, RegionSpec, RoomSpec, ThingSpec, blocked_cells, footprint
from world.reading import (
    RoomError,
    box_cells,
    clock,
    closed,
    hours,
    identifier,
    names_of,
    nearest,
    need,
    shown,
    size_in_cells,
    spot_box,
    table_of,
    texts_of,
    typed,
    wall_cells,
    whole,
)

__all__ = [
    "EventSpec",
    "RegionSpec",
    "RoomError",
    "RoomSpec",
    "ThingSpec",
    "blocked_cells",
    "catalogue",
    "footprint",
    "parse_room",
]

ROOM_KEYS: Final = ("id", "names", "size", "light", "door", "region", "walls", "objects", "start", "events")
OBJECT_KEYS: Final = ("id", "kind", "box", "at", "on", "in", "out", "props", "names", "home", "known", "text")
EVENT_KEYS: Final = ("mean_h", "first_h", "hours", "subject", "subjects", "lasts_min")
EVENTS: Final = (
    "phone_rings", "letters", "rain", "noise", "knock", "delivery", "lamp_fails", "repair", "jams",
)  # fmt: skip
# The property without which an event cannot befall a thing.
EVENT_PROPS: Final = {"phone_rings": "ringing", "letters": "unread", "lamp_fails": "broken", "repair": "broken",
                      "jams": "jammed"}  # fmt: skip
THINGS_MAX: Final = 2000
HOURS_MAX: Final = 10_000
MINUTES_MAX: Final = 100_000
PROP_MAX: Final = 1_000_000
# Physical operations that a person can ask for, by the tag that admits them.
OPERATIONS: Final = {
    "portable": ("take", "put", "move", "hand_over", "push"), "openable": ("open", "close"),
    "switchable": ("switch",), "surface": ("put", "move"), "container": ("put", "move"), "door": ("enter", "leave"),
}  # fmt: skip


def parse_room(raw: Mapping[str, Any], kinds: Mapping[str, Any]) -> RoomSpec:
    """Return the checked room of *raw*, the parsed TOML, over *kinds*, the parsed `kinds.toml`.

    Raise `RoomError` at the first fault. Reads no files.
    """
    closed("room", raw, ROOM_KEYS)
    room_id = identifier("id", need("id", raw, "id", str))
    width, height = size_in_cells(need("size", raw, "size", list))
    walls = wall_cells(raw.get("walls", []), width, height)
    regions = parse_regions(need("region", raw, "region", dict), width, height, walls)
    things = parse_things(need("objects", raw, "objects", list), kinds, regions, width, height)
    light = table_of(raw, "light")
    closed("light", light, ("dawn", "dusk"))
    dawn, dusk = (
        clock("light.dawn", light.get("dawn", "06:40")),
        clock("light.dusk", light.get("dusk", "19:20")),
    )
    if not 60 <= dawn <= dusk - 60 <= 1260:
        raise RoomError(
            "light", "dawn and dusk are out of order", "let dawn be after 01:00 and dusk before 22:00"
        )
    spec = RoomSpec(
        id=room_id,
        names=names_of("names", raw.get("names", {}), {"en": room_id, "zh": room_id}),
        width=width,
        height=height,
        walls=walls,
        regions=regions,
        things=things,
        kinds=dict(kinds),
        door=identifier("door", need("door", raw, "door", str)),
        starts=parse_starts(table_of(raw, "start"), width, height),
        dawn_ms=dawn * 60_000,
        dusk_ms=dusk * 60_000,
        events=parse_events(table_of(raw, "events"), things),
    )
    check_room(spec)
    return spec


def parse_regions(
    raw: Mapping[str, Any], width: int, height: int, walls: tuple[int, ...]
) -> tuple[RegionSpec, ...]:
    if not raw:
        raise RoomError("region", "there is none", "add at least one [region.NAME] with a box")
    # The first region to claim a cell keeps it, so that boxes may overlap and yet each cell has one.
    taken = dict.fromkeys(walls)
    regions = []
    for name, table in raw.items():
        path = f"region.{identifier(f'region.{shown(name)}', name)}"
        closed(path, table, ("names", "box", "private"))
        box = box_cells(f"{path}.box", need(f"{path}.box", table, "box", list), width, height)
        cells = tuple(cell for cell in box if cell not in taken)
        taken.update(dict.fromkeys(cells))
        pairs = typed(f"{path}.private", table.get("private", []), list)
        private = tuple(hours(f"{path}.private", each) for each in pairs)
        names = names_of(f"{path}.names", table.get("names", {}), {"en": name, "zh": name})
        regions.append(RegionSpec(name, names, tuple(table["box"]), cells, private))
    for cell in range(width * height):
        if cell not in taken:
            spot = f"{cell % width * CELL_MM}, {cell // width * CELL_MM} mm"
            raise RoomError(
                "region", f"the floor at {spot} belongs to none", "let the region boxes cover the floor"
            )
    return tuple(regions)


def parse_things(
    raw: list[Any], kinds: Mapping[str, Any], regions: tuple[RegionSpec, ...], width: int, height: int
) -> tuple[ThingSpec, ...]:
    if not raw:
        raise RoomError("objects", "there are none", "add at least a door")
    if len(raw) > THINGS_MAX:
        raise RoomError("objects", f"there are {len(raw)}", f"keep it below {THINGS_MAX}")
    region_of = {cell: each.id for each in regions for cell in each.cells}
    things = [parse_thing(index, table, kinds, region_of, width, height) for index, table in enumerate(raw)]
    by_id = {each.id: each for each in things}
    return tuple(grounded(each, by_id) for each in things)


def parse_thing(
    index: int, raw: Any, kinds: Mapping[str, Any], region_of: Mapping[int, str], width: int, height: int
) -> ThingSpec:
    if not isinstance(raw, dict):
        raise RoomError(f"objects[{index}]", "is not a table", "write [[objects]] and keys below it")
    name = identifier(f"objects[{index}].id", need(f"objects[{index}].id", raw, "id", str))
    path = f"objects.{name}"
    closed(path, raw, OBJECT_KEYS)
    kind = need(f"{path}.kind", raw, "kind", str)
    if kind not in kinds:
        raise RoomError(f"{path}.kind", f"unknown kind '{shown(kind)}'", nearest(kind, kinds))
    table = kinds[kind]
    where = [key for key in ("box", "at", "on", "in", "out") if key in raw]
    if len(where) != 1:
        raise RoomError(path, f"has {len(where)} places", "give exactly one of box, at, on, in, out")
    relation, place, cell, w, h = place_of(path, where[0], raw, table, region_of, width, height)
    portable = "portable" in table["tags"]
    home = identifier(f"{path}.home", need(f"{path}.home", raw, "home", str)) if "home" in raw else place
    if relation == "out" and not portable:
        raise RoomError(f"{path}.out", f"a {kind} cannot be carried in", "give it a box")
    return ThingSpec(
        id=name,
        kind=kind,
        names=names_of(f"{path}.names", raw.get("names", {}), table["names"]),
        relation=relation,
        place=place,
        cell=cell,
        w=w,
        h=h,
        props=props_of(path, kind, raw.get("props", {}), table.get("props", {})),
        home=home if portable else "",
        known=typed(f"{path}.known", raw.get("known", relation != "out"), bool),
        text=texts_of(f"{path}.text", raw.get("text", {})),
    )


def props_of(path: str, kind: str, raw: Any, first: Mapping[str, int]) -> dict[str, int]:
    props = dict(first)
    if not isinstance(raw, dict):
        raise RoomError(f"{path}.props", "is not a table", "write props = { name = number }")
    for key, value in raw.items():
        if key not in props:
            raise RoomError(
                f"{path}.props.{shown(key)}", f"a {kind} has no such property", nearest(key, props)
            )
        props[key] = whole(f"{path}.props.{key}", value, 0, PROP_MAX)
    return props


def place_of(
    path: str, key: str, raw: Mapping[str, Any], table: Mapping[str, Any], region_of: Mapping[int, str],
    width: int, height: int,
) -> tuple[str, str, int, int, int]:  # fmt: skip
    """Return relation, place, top-left cell and footprint of an object; cell -1 where its holder decides."""
    if key == "out":
        return "out", "", -1, 1, 1
    if key in ("on", "in"):
        return key, identifier(f"{path}.{key}", need(f"{path}.{key}", raw, key, str)), -1, 1, 1
    box = raw["box"] if key == "box" else None
    if box is None:
        long, high = (CELL_MM, CELL_MM) if "portable" in table["tags"] else table["size"]
        box = spot_box(f"{path}.at", raw["at"], long, high)
    cells = box_cells(f"{path}.{key}", box, width, height)
    region = next((region_of[each] for each in cells if each in region_of), None)
    if region is None:
        raise RoomError(f"{path}.{key}", "lies wholly in a wall", "move it onto the floor")
    cell, last = cells[0], cells[-1]
    return "at", region, cell, last % width - cell % width + 1, last // width - cell // width + 1


def grounded(each: ThingSpec, things: Mapping[str, ThingSpec]) -> ThingSpec:
    """Return *each* with the cell of whatever it finally stands on. A faulty chain is left for `check_room`."""
    step = each
    for _ in range(len(things)):
        if step.cell >= 0 or step.place not in things:
            break
        step = things[step.place]
    return replace(each, cell=step.cell)


def parse_starts(raw: Mapping[str, Any], width: int, height: int) -> dict[str, tuple[int, int]]:
    closed("start", raw, (RESIDENT, VISITOR))
    starts = {}
    for body, table in raw.items():
        path = f"start.{body}"
        closed(path, table, ("at", "heading"))
        box = spot_box(f"{path}.at", need(f"{path}.at", table, "at", list), CELL_MM, CELL_MM)
        heading = whole(f"{path}.heading", table.get("heading", 2), 0, 7)
        starts[body] = (box_cells(f"{path}.at", box, width, height)[0], heading)
    if RESIDENT not in starts:
        raise RoomError("start.resident", "is missing", "say where the resident stands: at = [x, y]")
    return starts


def parse_events(raw: Mapping[str, Any], things: tuple[ThingSpec, ...]) -> tuple[EventSpec, ...]:
    by_id = {each.id: each for each in things}
    events = []
    for name, table in raw.items():
        path = f"events.{shown(name)}"
        if name not in EVENTS:
            raise RoomError(path, "unknown event", nearest(name, EVENTS))
        closed(path, table, EVENT_KEYS)
        listed = typed(f"{path}.subjects", table.get("subjects", []), list)
        subjects = [*listed, *([table["subject"]] if "subject" in table else [])]
        for each in subjects:
            if not isinstance(each, str) or each not in by_id:
                raise RoomError(
                    f"{path}.subjects", f"there is no object '{shown(each)}'", nearest(shown(each), by_id)
                )
            if EVENT_PROPS.get(name, "") not in ("", *by_id[each].props):
                raise RoomError(
                    f"{path}.subjects", f"{name} cannot befall {each!r}", "name a thing of another kind"
                )
        mean = whole(f"{path}.mean_h", need(f"{path}.mean_h", table, "mean_h", int), 1, HOURS_MAX)
        first = whole(f"{path}.first_h", table.get("first_h", mean), 0, HOURS_MAX)
        window = hours(f"{path}.hours", table.get("hours", ["00:00", "24:00"]))
        lasts = whole(f"{path}.lasts_min", table.get("lasts_min", 0), 0, MINUTES_MAX)
        events.append(
            EventSpec(name, mean * 3_600_000, first * 3_600_000, window, tuple(subjects), lasts * 60_000)
        )
    return tuple(events)


def catalogue(spec: RoomSpec) -> dict[str, dict[str, Any]]:
    """Return, for every object and region id, its kind, tags and the physical operations it admits."""
    found: dict[str, dict[str, Any]] = {}
    for region in spec.regions:
        found[region.id] = {"kind": "region", "tags": ["region"], "operations": ["walk", "put", "move"]}
    for each in spec.things:
        tags = list(spec.kinds[each.kind]["tags"])
        operations = ["walk"]
        for tag, names in OPERATIONS.items():
            if tag in tags:
                operations += [name for name in names if name not in operations]
        found[each.id] = {"kind": each.kind, "tags": tags, "operations": operations}
    return found
