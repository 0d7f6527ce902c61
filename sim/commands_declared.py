"""Commands over what is declared: protocols, rooms and personas. They read and check; only `protocol new` writes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sim.terminal import Fault, Json, answer, new_group, pairs, say, table

if TYPE_CHECKING:
    from world.spec import RoomSpec

CELL_MM = 250

ProtocolRef = Annotated[
    str, typer.Argument(metavar="PROTOCOL", help="A path or a shipped id, such as first_visit.")
]
RoomRef = Annotated[str, typer.Argument(metavar="ROOM", help="A path or a shipped id, such as studio.")]
PersonaRef = Annotated[str, typer.Argument(metavar="PERSONA", help="A path or a shipped id.")]

protocol_commands = new_group("protocol", "Write, check and read trial declarations.")
room_commands = new_group("room", "List, check and draw rooms.")
persona_commands = new_group("persona", "List and check personas.")


@protocol_commands.command("list", epilog="Example: oneroom protocol list")
def protocol_list(as_json: Json = False) -> None:
    """List the protocols that come with oneroom."""
    from protocols.library import load_protocol, shipped_protocols

    found = [load_protocol(name) for name in shipped_protocols()]
    rows = [
        {"id": each.id, "title": each.title.en, "duration": each.duration, "arms": list(each.arms)}
        for each in found
    ]
    if not answer({"protocols": rows}, as_json=as_json, schema="oneroom.protocols/1"):
        table("", ("id", "title", "duration", "arms"), ([row[key] for key in row] for row in rows))


@room_commands.command("list", epilog="Example: oneroom room list")
def room_list(as_json: Json = False) -> None:
    """List the rooms that come with oneroom."""
    from sim import library

    rows = [room_facts(library.room(name)) for name in library.rooms()]
    if not answer({"rooms": rows}, as_json=as_json, schema="oneroom.rooms/1"):
        table("", ("id", "name", "size (mm)", "regions", "things"), (row.values() for row in rows))


@room_commands.command("check", epilog="Example: oneroom room check studio")
def room_check(room: RoomRef, as_json: Json = False) -> None:
    """Check a room file whole. Exit code 2 with place and mend if it cannot be used."""
    from sim import library

    facts = room_facts(library.room(room))
    if not answer({"ok": True, **facts}, as_json=as_json, schema="oneroom.room/1"):
        pairs("A sound room", facts)


@room_commands.command("draw", epilog="Example: oneroom room draw studio")
def room_draw(room: RoomRef, as_json: Json = False) -> None:
    """Draw a room as characters, with a legend: @ is the resident, & where the visitor enters."""
    from sim import library
    from sim.room_map import draw, legend

    spec = library.room(room)
    lines, rows = draw(spec), legend(spec)
    columns = ("code", "id", "kind", "holds")
    whole = {"id": spec.id, "map": lines, "legend": [dict(zip(columns, row, strict=True)) for row in rows]}
    if not answer(whole, as_json=as_json, schema="oneroom.room-map/1"):
        for line in lines:
            say(line)
        say("@ resident, & visitor; one code is 250 mm")
        table("", columns, rows)


def room_facts(spec: RoomSpec) -> dict[str, Any]:
    """Return what a list says of one room."""
    return {
        "id": spec.id,
        "name": spec.names.get("en", spec.id),
        "size_mm": f"{spec.width * CELL_MM} x {spec.height * CELL_MM}",
        "regions": len(spec.regions),
        "things": len(spec.things),
    }
