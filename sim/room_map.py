"""A room as characters: two a cell of floor, a legend below. For terminals, reviews and diffs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from world.spec import RoomSpec, ThingSpec, footprint

WALL, FLOOR, RESIDENT, VISITOR = "##", " .", "@ ", "& "


def draw(spec: RoomSpec) -> list[str]:
    """Return the lines of the map of *spec*, north up, framed."""
    cells = [FLOOR] * (spec.width * spec.height)
    for cell in spec.walls:
        cells[cell] = WALL
    codes = code_names(standing(spec))
    # Larger first: what stands on a rug is drawn over it.
    for thing in sorted(standing(spec), key=lambda each: -each.w * each.h):
        for cell in footprint(thing.cell, thing.w, thing.h, spec.width):
            cells[cell] = codes[thing.id]
    for body, (cell, _heading) in spec.starts.items():
        cells[cell] = RESIDENT if body == "resident" else VISITOR
    rows = ["".join(cells[row * spec.width : (row + 1) * spec.width]) for row in range(spec.height)]
    edge = "+" + "-" * (2 * spec.width) + "+"
    return [edge, *(f"|{row}|" for row in rows), edge]


def legend(spec: RoomSpec) -> list[tuple[str, str, str, str]]:
    """Return (code, id, kind, what lies on or in it) for everything that stands on the floor."""
    codes = code_names(standing(spec))
    held: dict[str, list[str]] = {}
    for thing in spec.things:
        if thing.relation in ("on", "in"):
            held.setdefault(thing.place, []).append(f"{thing.relation} it {thing.id}")
    return [
        (codes[each.id], each.id, each.kind, "; ".join(all_held(each.id, held))) for each in standing(spec)
    ]


def all_held(thing_id: str, held: Mapping[str, list[str]]) -> list[str]:
    """Return what *thing_id* holds, grouped by relation."""
    groups: dict[str, list[str]] = {}
    for entry in held.get(thing_id, ()):
        relation, _, name = entry.partition(" it ")
        groups.setdefault(relation, []).append(name)
    return [f"{relation}: {', '.join(names)}" for relation, names in groups.items()]


def standing(spec: RoomSpec) -> list[ThingSpec]:
    """Return the things that stand on the floor, in the order of the file."""
    return [each for each in spec.things if each.relation == "at"]


def code_names(things: Iterable[ThingSpec]) -> dict[str, str]:
    """Return a two-letter code for each thing: a capital, and a second letter that keeps codes apart."""
    codes: dict[str, str] = {}
    for thing in things:
        word = thing.id.replace("_", "") or "x"
        tries = [word[0].upper() + letter for letter in (*word[1:], *"0123456789abcdefghijklmnopqrstuvwxyz")]
        codes[thing.id] = next((code for code in tries if code not in codes.values()), "??")
    return codes
