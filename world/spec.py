"""Rooms as data: read a parsed room file, check it whole, and say plainly what is wrong with it.

A file's author is an outsider, so every fault is a `RoomError` with the path inside the file, the problem
and the mend. What comes out, a `RoomSpec`, is frozen and consistent: the code behind it only asserts.
Lengths in files are millimetres; here they become cells of 250 mm, index `y * W + x`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from world.params import CELL_MM, RESIDENT, VISITOR

ID_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")
ROOM_KEYS: Final = ("id", "names", "size", "light", "door", "region", "walls", "objects", "start", "events")
OBJECT_KEYS: Final = ("id", "kind", "box", "at", "on", "in", "out", "props", "names", "home", "known", "text")
EVENT_KEYS: Final = ("mean_h", "first_h", "hours", "subject", "subjects", "lasts_min", "prop", "value")
EVENTS: Final = ("phone_rings", "letters", "rain", "noise", "delivery", "lamp_fails", "repair", "jams")
THINGS_MAX: Final = 2000
CELLS_MAX: Final = 20_000


class RoomError(ValueError):
    """A fault in a room file: where it is, what is wrong, how to mend it."""

    def __init__(self, path: str, problem: str, mend: str) -> None:
        super().__init__(f"{path}: {problem}; {mend}")
        self.path = path
        self.problem = problem
        self.mend = mend


@dataclass(frozen=True, slots=True)
class RegionSpec:
    """A named part of the floor. *private* holds pairs of minutes of the day; a pair may run past midnight."""

    id: str
    names: dict[str, str]
    cells: tuple[int, ...]
    private: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class ThingSpec:
    """A thing as it stands at tick 0; *cell*, *w*, *h* are its footprint in cells."""

    id: str
    kind: str
    names: dict[str, str]
    relation: str
    place: str
    cell: int
    w: int
    h: int
    props: dict[str, int]
    home: str
    known: bool
    text: dict[str, str]


@dataclass(frozen=True, slots=True)
class EventSpec:
    """A room event: mean gap and first time in ms, window in minutes of the day, and what it concerns."""

    name: str
    mean_ms: int
    first_ms: int
    hours: tuple[int, int]
    subjects: tuple[str, ...]
    lasts_ms: int
    prop: str
    value: int


@dataclass(frozen=True, slots=True)
class RoomSpec:
    """A checked room. *walls* are cells that stop both feet and eyes."""

    id: str
    names: dict[str, str]
    width: int
    height: int
    walls: tuple[int, ...]
    regions: tuple[RegionSpec, ...]
    things: tuple[ThingSpec, ...]
    kinds: dict[str, Any] = field(repr=False)
    door: str
    starts: dict[str, tuple[int, int]]
    dawn_ms: int
    dusk_ms: int
    events: tuple[EventSpec, ...]


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
    ids = [each.id for each in regions] + [each.id for each in things] + [RESIDENT, VISITOR]
    for name in ids:
        if ids.count(name) > 1:
            raise RoomError("objects", f"the id {name!r} is used twice", "give each region and object its own id")
    spec = RoomSpec(
        id=room_id,
        names=names_of("names", raw.get("names", {}), room_id),
        width=width,
        height=height,
        walls=walls,
        regions=regions,
        things=things,
        kinds=dict(kinds),
        door=need("door", raw, "door", str),
        starts=parse_starts(raw.get("start", {}), width, height),
        dawn_ms=clock("light.dawn", raw.get("light", {}).get("dawn", "06:40")) * 60_000,
        dusk_ms=clock("light.dusk", raw.get("light", {}).get("dusk", "19:20")) * 60_000,
        events=parse_events(raw.get("events", {}), things),
    )
    check_room(spec)
    return spec


def check_room(spec: RoomSpec) -> None:
    """Raise `RoomError` unless places, homes, door and start poses of *spec* fit together."""
    things = {each.id: each for each in spec.things}
    places = [each.id for each in spec.regions] + list(things)
    if spec.door not in things:
        raise RoomError("door", f"there is no object {spec.door!r}", "name the object that is the door")
    if "door" not in spec.kinds[things[spec.door].kind]["tags"]:
        raise RoomError("door", f"{spec.door!r} is no door", "name an object whose kind has the tag door")
    for each in spec.things:
        path = f"objects.{each.id}"
        if each.home and each.home not in places:
            raise RoomError(f"{path}.home", f"there is no place {each.home!r}", "name an object or a region")
        if each.relation in ("on", "in"):
            check_place(path, each, things, spec.kinds)
    blocked = blocked_cells(spec)
    for body, (cell, _) in spec.starts.items():
        if cell in blocked:
            raise RoomError(f"start.{body}.at", "that spot is inside furniture or a wall", "choose free floor")
    for region in spec.regions:
        if all(cell in blocked for cell in region.cells):
            raise RoomError(f"region.{region.id}", "nobody can stand in it", "leave some free floor")


def check_place(path: str, each: ThingSpec, things: Mapping[str, ThingSpec], kinds: Mapping[str, Any]) -> None:
    where = f"{path}.{each.relation}"
    if each.place not in things:
        raise RoomError(where, f"there is no object {each.place!r}", "name an object of this room")
    tag = "surface" if each.relation == "on" else "container"
    holder = kinds[things[each.place].kind]
    if tag not in holder["tags"]:
        raise RoomError(where, f"{each.place!r} is no {tag}", f"put it on or in something with the tag {tag}")
    inside = sum(1 for other in things.values() if other.place == each.place and other.relation == each.relation)
    if inside > int(holder.get("capacity", 0)):
        raise RoomError(where, f"{each.place!r} holds {inside} of {holder.get('capacity', 0)}", "move some away")
    seen = [each.id]
    step: ThingSpec | None = each
    while step is not None and step.relation in ("on", "in"):
        if step.place in seen:
            raise RoomError(where, "things lie in each other in a circle", "let one of them stand on the floor")
        seen.append(step.place)
        step = things.get(step.place)


def blocked_cells(spec: RoomSpec) -> frozenset[int]:
    """Return the cells nobody can stand on: walls and the furniture that blocks feet."""
    cells = list(spec.walls)
    for each in spec.things:
        if each.relation == "at" and spec.kinds[each.kind].get("blocks_walk", False):
            cells += footprint(each.cell, each.w, each.h, spec.width)
    return frozenset(cells)


def footprint(cell: int, w: int, h: int, width: int) -> list[int]:
    """Return the cells of a *w* by *h* box whose top-left cell is *cell*, row by row."""
    return [cell + dy * width + dx for dy in range(h) for dx in range(w)]


def parse_regions(
    raw: Mapping[str, Any], width: int, height: int, walls: tuple[int, ...]
) -> tuple[RegionSpec, ...]:
    if not raw:
        raise RoomError("region", "there is none", "add at least one [region.NAME] with a box")
    taken = dict.fromkeys(walls, "a wall")
    regions = []
    for name, table in raw.items():
        path = f"region.{identifier(f'region.{name}', name)}"
        closed(path, table, ("names", "box", "private"))
        cells = []
        for cell in box_cells(f"{path}.box", need(f"{path}.box", table, "box", list), width, height):
            # The first region to claim a cell keeps it, so that boxes may overlap and yet each cell has one.
            if cell not in taken:
                taken[cell] = name
                cells.append(cell)
        private = tuple(hours(f"{path}.private", each) for each in table.get("private", []))
        regions.append(RegionSpec(name, names_of(f"{path}.names", table.get("names", {}), name), tuple(cells), private))
    for cell in range(width * height):
        if cell not in taken:
            spot = f"{cell % width * CELL_MM}, {cell // width * CELL_MM} mm"
            raise RoomError("region", f"the floor at {spot} belongs to none", "let the region boxes cover the floor")
    return tuple(regions)


def parse_things(
    raw: Iterable[Any], kinds: Mapping[str, Any], regions: tuple[RegionSpec, ...], width: int, height: int
) -> tuple[ThingSpec, ...]:
    region_of = {cell: each.id for each in regions for cell in each.cells}
    things = []
    for index, table in enumerate(raw):
        if not isinstance(table, dict):
            raise RoomError(f"objects[{index}]", "is not a table", "write [[objects]] and keys below it")
        things.append(parse_thing(index, table, kinds, region_of, width, height))
        if len(things) > THINGS_MAX:
            raise RoomError("objects", f"more than {THINGS_MAX}", "split the room or drop some")
    if not things:
        raise RoomError("objects", "there are none", "add at least a door")
    by_id = {each.id: each for each in things}
    return tuple(grounded(each, by_id) for each in things)


def parse_thing(
    index: int, raw: Mapping[str, Any], kinds: Mapping[str, Any], region_of: Mapping[int, str], width: int, height: int
) -> ThingSpec:
    name = identifier(f"objects[{index}].id", need(f"objects[{index}].id", raw, "id", str))
    path = f"objects.{name}"
    closed(path, raw, OBJECT_KEYS)
    kind = need(f"{path}.kind", raw, "kind", str)
    if kind not in kinds:
        raise RoomError(f"{path}.kind", f"unknown kind {kind!r}", nearest(kind, kinds))
    table = kinds[kind]
    where = [key for key in ("box", "at", "on", "in", "out") if key in raw]
    if len(where) != 1:
        raise RoomError(path, f"has {len(where)} places", "give exactly one of box, at, on, in, out")
    relation, place, cell, w, h = place_of(path, where[0], raw, table, region_of, width, height)
    props = dict(table.get("props", {}))
    for key, value in raw.get("props", {}).items():
        if key not in props:
            raise RoomError(f"{path}.props.{key}", f"a {kind} has no such property", nearest(key, props))
        if not isinstance(value, int) or isinstance(value, bool):
            raise RoomError(f"{path}.props.{key}", "is not a whole number", "write 0, 1 or thousandths")
        props[key] = value
    home = raw.get("home", place)
    return ThingSpec(
        id=name,
        kind=kind,
        names=names_of(f"{path}.names", raw.get("names", {}), "", table["names"]),
        relation=relation,
        place=place,
        cell=cell,
        w=w,
        h=h,
        props=props,
        home=home if "portable" in table["tags"] else "",
        known=bool(raw.get("known", relation != "out")),
        text=dict(raw.get("text", {})),
    )


def place_of(
    path: str, key: str, raw: Mapping[str, Any], table: Mapping[str, Any], region_of: Mapping[int, str],
    width: int, height: int,
) -> tuple[str, str, int, int, int]:  # fmt: skip
    if key == "out":
        return "out", "", -1, 1, 1
    if key in ("on", "in"):
        return key, need(f"{path}.{key}", raw, key, str), -1, 1, 1
    if key == "at":
        spot = need(f"{path}.at", raw, "at", list)
        long, high = table["size"][0], table["size"][1]
        box = [*spot, max(long, CELL_MM), max(high, CELL_MM)] if len(spot) == 2 else spot
        if "portable" in table["tags"]:
            box = [*spot, CELL_MM, CELL_MM]
    else:
        box = need(f"{path}.box", raw, "box", list)
    cells = box_cells(f"{path}.{key}", box, width, height)
    cell, last = cells[0], cells[-1]
    region = next((region_of[each] for each in cells if each in region_of), None)
    if region is None:
        raise RoomError(f"{path}.{key}", "lies wholly in a wall", "move it onto the floor")
    return "at", region, cell, last % width - cell % width + 1, last // width - cell // width + 1


def grounded(each: ThingSpec, things: Mapping[str, ThingSpec]) -> ThingSpec:
    """Return *each* with the cell of whatever it finally stands on. A faulty chain is left for `check_room`."""
    step = each
    for _ in range(len(things)):
        if step.cell >= 0 or step.place not in things:
            break
        step = things[step.place]
    if step is each or step.cell < 0:
        return each
    return ThingSpec(each.id, each.kind, each.names, each.relation, each.place, step.cell, 1, 1, each.props,
                     each.home, each.known, each.text)  # fmt: skip


def parse_starts(raw: Mapping[str, Any], width: int, height: int) -> dict[str, tuple[int, int]]:
    closed("start", raw, (RESIDENT, VISITOR))
    starts = {}
    for body, table in raw.items():
        path = f"start.{body}"
        closed(path, table, ("at", "heading"))
        spot = need(f"{path}.at", table, "at", list)
        cell = box_cells(f"{path}.at", [*spot, CELL_MM, CELL_MM], width, height)[0]
        heading = table.get("heading", 2)
        if not isinstance(heading, int) or not 0 <= heading < 8:
            raise RoomError(f"{path}.heading", f"{heading!r} is no octant", "use 0 (east) to 7, clockwise")
        starts[body] = (cell, heading)
    if RESIDENT not in starts:
        raise RoomError("start.resident", "is missing", "say where the resident stands: at = [x, y]")
    return starts


def parse_events(raw: Mapping[str, Any], things: tuple[ThingSpec, ...]) -> tuple[EventSpec, ...]:
    ids = [each.id for each in things]
    events = []
    for name, table in raw.items():
        path = f"events.{name}"
        if name not in EVENTS:
            raise RoomError(path, "unknown event", nearest(name, EVENTS))
        closed(path, table, EVENT_KEYS)
        subjects = [*table.get("subjects", []), *([table["subject"]] if "subject" in table else [])]
        for each in subjects:
            if each not in ids:
                raise RoomError(f"{path}.subjects", f"there is no object {each!r}", nearest(each, ids))
        mean = whole(f"{path}.mean_h", need(f"{path}.mean_h", table, "mean_h", int), 1, 10_000)
        first = whole(f"{path}.first_h", table.get("first_h", mean), 0, 10_000)
        window = hours(f"{path}.hours", table.get("hours", ["00:00", "24:00"]))
        lasts = whole(f"{path}.lasts_min", table.get("lasts_min", 0), 0, 100_000)
        events.append(EventSpec(name, mean * 3_600_000, first * 3_600_000, window, tuple(subjects),
                                lasts * 60_000, str(table.get("prop", "")), int(table.get("value", 0))))  # fmt: skip
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


OPERATIONS: Final = {
    "portable": ("take", "put", "move", "hand_over"), "openable": ("open", "close"), "switchable": ("switch",),
    "surface": ("put", "move"), "container": ("put", "move"), "pushable": ("push",), "door": ("enter", "leave"),
}  # fmt: skip


def closed(path: str, raw: Any, keys: tuple[str, ...]) -> None:
    if not isinstance(raw, dict):
        raise RoomError(path, "is not a table", "write keys with values below it")
    for key in raw:
        if key not in keys:
            raise RoomError(f"{path}.{key}", "unknown key", nearest(key, keys))


def need(path: str, raw: Mapping[str, Any], key: str, kind: type) -> Any:
    if key not in raw:
        raise RoomError(path, "is missing", f"add {key} = ...")
    value = raw[key]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise RoomError(path, f"is a {type(value).__name__}", f"write a {kind.__name__}")
    return value


def identifier(path: str, text: str) -> str:
    if not text or len(text) > 40 or not all(letter in ID_LETTERS for letter in text):
        raise RoomError(path, f"{text[:60]!r} is no id", "use 1 to 40 of a-z, 0-9 and _")
    return text


def whole(path: str, value: Any, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise RoomError(path, f"{value!r} is out of bounds", f"use a whole number from {least} to {most}")
    return value


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a mend that names the known word sharing most letter pairs with *word*."""
    pairs = [word[index : index + 2] for index in range(len(word) - 1)]
    ranked = sorted(known, key=lambda each: (-sum(pair in each for pair in pairs), abs(len(each) - len(word)), each))
    return f"did you mean {ranked[0]!r}?" if ranked else "there is none to choose from"


def names_of(path: str, raw: Any, default: str, kind_names: Mapping[str, str] | None = None) -> dict[str, str]:
    closed(path, raw, ("en", "zh"))
    names = {"en": default, "zh": default, **(kind_names or {}), **raw}
    for language, text in names.items():
        if not isinstance(text, str) or not 0 < len(text) <= 60:
            raise RoomError(f"{path}.{language}", "is no name", "write 1 to 60 characters")
    return {"en": names["en"], "zh": names["zh"]}


def size_in_cells(size: list[Any]) -> tuple[int, int]:
    if len(size) != 2:
        raise RoomError("size", "is not a pair", "write size = [width_mm, height_mm]")
    for index, value in enumerate(size):
        whole(f"size[{index}]", value, 2 * CELL_MM, 100_000)
        if value % CELL_MM:
            raise RoomError(f"size[{index}]", f"{value} mm is not a multiple of {CELL_MM}", f"round to {CELL_MM}")
    width, height = size[0] // CELL_MM, size[1] // CELL_MM
    if width * height > CELLS_MAX:
        raise RoomError("size", f"{width * height} cells of floor", f"keep it below {CELLS_MAX}")
    return width, height


def box_cells(path: str, box: list[Any], width: int, height: int) -> list[int]:
    if len(box) != 4:
        raise RoomError(path, "is not four numbers", "write [x, y, width, height] in mm")
    for value in box:
        whole(path, value, 0, 100_000)
    x, y = box[0] // CELL_MM, box[1] // CELL_MM
    w, h = max(1, -(-box[2] // CELL_MM)), max(1, -(-box[3] // CELL_MM))
    if x + w > width or y + h > height:
        edge = f"{width * CELL_MM} x {height * CELL_MM} mm"
        raise RoomError(path, "reaches outside the room", f"stay within {edge}")
    return footprint(y * width + x, w, h, width)


def wall_cells(raw: list[Any], width: int, height: int) -> tuple[int, ...]:
    cells: dict[int, None] = {}
    for index, box in enumerate(raw):
        if not isinstance(box, list):
            raise RoomError(f"walls[{index}]", "is not four numbers", "write [x, y, width, height] in mm")
        cells.update(dict.fromkeys(box_cells(f"walls[{index}]", box, width, height)))
    return tuple(cells)


def clock(path: str, text: Any) -> int:
    """Return the minutes since midnight of *text*, `HH:MM`."""
    parts = text.split(":") if isinstance(text, str) else []
    if len(parts) == 2 and all(len(each) == 2 and each.isascii() and each.isdigit() for each in parts):
        minutes = int(parts[0]) * 60 + int(parts[1])
        if int(parts[1]) < 60 and minutes <= 1440:
            return minutes
    raise RoomError(path, f"{text!r} is no time of day", 'write "HH:MM"')


def hours(path: str, pair: Any) -> tuple[int, int]:
    if not isinstance(pair, list) or len(pair) != 2:
        raise RoomError(path, "is not a pair of times", 'write ["HH:MM", "HH:MM"]')
    return clock(path, pair[0]), clock(path, pair[1])
