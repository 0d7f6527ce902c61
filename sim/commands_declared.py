"""Commands over what is declared: protocols, rooms and personas. They read and check; only `protocol new` writes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sim.terminal import Fault, Json, answer, new_group, pairs, say, span, table

if TYPE_CHECKING:
    from protocols.persona import Persona
    from sim.declare import Declared
    from world.spec import RoomSpec

ProtocolRef = Annotated[
    str, typer.Argument(metavar="PROTOCOL", help="A path or a shipped id, such as first_visit.")
]
RoomRef = Annotated[str, typer.Argument(metavar="ROOM", help="A path or a shipped id, such as studio.")]
PersonaRef = Annotated[str, typer.Argument(metavar="PERSONA", help="A path or a shipped id.")]

CELL_MM = 250

protocol_commands = new_group("protocol", "Write, check and read trial declarations.")
room_commands = new_group("room", "List, check and draw rooms.")
persona_commands = new_group("persona", "List and check personas.")


@protocol_commands.command("list", epilog="Example: oneroom protocol list")
def protocol_list(as_json: Json = False) -> None:
    """List the protocols that come with oneroom."""
    from protocols.declaration import trials
    from protocols.library import load_protocol, shipped_protocols

    rows = [
        {
            "id": each.id,
            "title": each.title.en,
            "duration": each.duration,
            "visitor": each.form["visitor"]["kind"],
            "model": each.form["model"]["provider"],
            "arms": list(each.arms),
            "trials": sum(1 for _ in trials(each)),
        }
        for each in map(load_protocol, shipped_protocols())
    ]
    if not answer({"protocols": rows}, as_json=as_json, schema="oneroom.protocols/1"):
        columns = ("id", "title", "duration", "visitor", "model", "arms", "trials")
        table("", columns, (row.values() for row in rows))


@protocol_commands.command("check", epilog="Example: oneroom protocol check first_visit")
def protocol_check(protocol: ProtocolRef, as_json: Json = False) -> None:
    """Check a protocol with every arm, its room and its persona.

    Exit code 2 with file, line and mend if it cannot be run. Nothing is run.
    """
    from protocols.declaration import trials
    from protocols.library import load_protocol
    from sim.declare import declare

    loaded = load_protocol(protocol)
    arms = {arm or "-": declare(loaded, arm=arm or None).digest for arm in (loaded.arms or ("",))}
    found = {
        "ok": True,
        "id": loaded.id,
        "digest": declare(loaded).protocol_digest,
        "trials": sum(1 for _ in trials(loaded)),
        "arms": arms,
    }
    if not answer(found, as_json=as_json, schema="oneroom.protocol-check/1"):
        pairs("A sound protocol", {key: value for key, value in found.items() if key not in ("ok", "arms")})
        table("Arms", ("arm", "digest of the declaration"), arms.items())


@protocol_commands.command("show", epilog="Example: oneroom protocol show first_visit")
def protocol_show(
    protocol: ProtocolRef,
    arm: Annotated[str | None, typer.Option(help="By default the first arm.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="By default the first seed.")] = None,
    as_json: Json = False,
) -> None:
    """Show what a trial of PROTOCOL would be: channels, limits, schedule, model, digest.

    With --json the whole effective declaration, every default filled in.
    """
    from sim.declare import declare

    declared = declare(protocol, arm=arm, seed=seed)
    body = declared.declaration
    facts = {
        "digest": declared.digest, "trial_id": declared.trial_id, "arm": declared.arm, "seed": declared.seed,
        "exploratory": declared.exploratory, "reasons": list(declared.reasons),
    }  # fmt: skip
    if not answer({**facts, "declaration": body}, as_json=as_json, schema="oneroom.declaration/1"):
        show_declared(declared, facts)


@protocol_commands.command("new", epilog="Example: oneroom protocol new my_trial --out my_trial.toml")
def protocol_new(
    name: Annotated[str, typer.Argument(metavar="ID", help="Small letters, digits and _.")],
    title: Annotated[str, typer.Option(help="What people call it.")] = "",
    out: Annotated[Path | None, typer.Option(help="The file to write; by default ID.toml here.")] = None,
) -> None:
    """Write a new protocol that is sound as it stands and says what may be changed. It overwrites nothing."""
    from protocols.faults import ProtocolError
    from protocols.library import template
    from protocols.reading import parse_protocol

    text = template(name, title)
    try:
        parse_protocol(text.encode(), name)
    except ProtocolError as error:
        mend = "an id starts with a letter: small letters, digits and _; a title is one line without quotes"
        raise Fault(error.what, where=name, mend=mend) from None
    path = out if out is not None else Path(f"{name}.toml")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise Fault(
            "this file is there already; nothing was changed", where=str(path), mend="use --out"
        ) from None
    say(f"{path} is written. Next: oneroom protocol check {path}")


def show_declared(declared: Declared, facts: dict[str, Any]) -> None:
    """Print a declaration for people."""
    body = declared.declaration
    pairs(body["title"]["en"], {
        **facts,
        "room": body["room"],
        "persona": body["persona"],
        "duration": span(body["duration_ms"]),
        "starts at": span(body["start_ms"]),
        "visitor": body["visitor"]["kind"],
        "model": f"{body['model']['provider']} {body['model']['name']}".strip(),
        "mind": {key: value for key, value in body["mind"].items() if key in ("sys1", "s1", "s2", "s3", "s4", "s5")},
    })  # fmt: skip
    table("Channels", ("channel", "open", "operations", "objects", "at most", "rate"), (
        (name, each["open"], each["operations"], each["objects"],
         "any" if each["count_max"] < 0 else each["count_max"],
         [f"{count} in {span(window)}" for count, window in each["rate"]])
        for name, each in body["channels"].items()
    ))  # fmt: skip
    table("Schedule", ("id", "when", "channel", "act", "expected"), (
        (each["id"], moment(each), each["channel"], act(each), each["expect"]) for each in body["schedule"]
    ))  # fmt: skip


def moment(entry: dict[str, Any]) -> str:
    """Return when a schedule entry is due, in words."""
    when = entry["when"]
    if not when:
        return f"at {span(entry['at_ms'] or 0)}"
    delay = f" + {span(when['delay_ms'])}" if when.get("delay_ms") else ""
    return f"on {when['event']} {when['subject']}".rstrip() + delay


def act(entry: dict[str, Any]) -> str:
    """Return what a schedule entry does, in words."""
    parts = (
        entry["op"],
        entry["object"],
        entry["action"],
        entry["target"],
        entry["mark"],
        repr(entry["text"]),
    )
    return " ".join(part for part in parts if part and part != "''")


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


@persona_commands.command("list", epilog="Example: oneroom persona list")
def persona_list(as_json: Json = False) -> None:
    """List the personas that come with oneroom."""
    from protocols.library import load_persona, shipped_personas

    rows = [persona_facts(load_persona(name)) for name in shipped_personas()]
    if not answer({"personas": rows}, as_json=as_json, schema="oneroom.personas/1"):
        table("", ("id", "name", "language", "wakes", "to bed", "about"), (row.values() for row in rows))


@persona_commands.command("check", epilog="Example: oneroom persona check ada")
def persona_check(persona: PersonaRef, as_json: Json = False) -> None:
    """Check a persona file and that the mind knows its tasks. Exit code 2 with file, line and mend if not."""
    from protocols.against import check_persona_against
    from protocols.faults import ProtocolError
    from protocols.library import load_persona
    from sim import library

    loaded = load_persona(persona)
    tasks, kinds = list(library.table("agent/tasks")), list(library.table("world/kinds"))
    faults = check_persona_against(loaded.values, loaded.file, loaded.lines, tasks=tasks, kinds=kinds)
    if faults:
        raise ProtocolError(faults)
    facts = {
        **persona_facts(loaded),
        "practices": [each["id"] for each in loaded.values["practices"]],
        "goals": [each["id"] for each in loaded.values["goals"]],
        "boundaries": [each["id"] for each in loaded.values["boundaries"]],
        "rules": [each["id"] for each in loaded.values["rules"]],
    }
    if not answer({"ok": True, **facts}, as_json=as_json, schema="oneroom.persona/1"):
        pairs("A sound persona", facts)


def persona_facts(persona: Persona) -> dict[str, Any]:
    """Return what a list says of one persona."""
    values = persona.values
    return {
        "id": persona.id,
        "name": values["names"]["en"],
        "language": values["language"],
        "wakes": span(values["wake_ms"]) if "wake_ms" in values else values["wake"],
        "to_bed": span(values["bed_ms"]) if "bed_ms" in values else values["bed"],
        "about": values["about"]["en"],
    }
