"""What a window plays: a declared protocol with a person in it, or free play in any room.

A person needs the pace of the clock, and takes the visitor's place: what the script would have done for him falls away.
Both are overrides, so such a run of a scripted protocol is marked exploratory; a protocol declared for a person is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from protocols.library import load_protocol, shipped_protocols
from protocols.protocol import Protocol
from sim import library
from sim.declare import Declared, declare
from world.spec import catalogue, parse_room

FREE_PLAY = "free_play"
THEIRS = ("physical", "dialogue")


def declare_play(
    reference: str | None, *, seed: int | None = None, arm: str | None = None, model: Mapping[str, Any] | None = None, mode: str = "play"
) -> Declared:  # fmt: skip
    """Return the run that *reference* means: nothing for free play, a shipped room or a room file, or a protocol.

    Raises ProtocolError or RoomError. *mode* is play, debug or trial.
    """
    overrides = dict(model or {})
    protocol = _protocol(reference)
    if mode == "debug" and protocol.id != FREE_PLAY:
        # Whoever debugs wants every channel; the room and the life are the protocol's.
        overrides["persona"] = protocol.form["persona"]
        protocol = free_play_in(protocol.form["room"])
    if protocol.form["visitor"]["kind"] != "human":
        overrides |= _taken_by_a_person(protocol)
    elif protocol.form["pace"] != "live":
        overrides["pace"] = "live"
    return replace(declare(protocol, arm=arm, seed=seed, overrides=overrides), mode=mode)


def _taken_by_a_person(protocol: Protocol) -> dict[str, Any]:
    """Return the overrides by which a person takes the place of a script, or of nobody."""
    found: dict[str, Any] = {"visitor.kind": "human", "pace": "live"}
    kept = [
        entry for entry in protocol.raw.get("schedule", ()) if entry["channel"] not in (*THEIRS, "system")
    ]
    if len(kept) != len(protocol.raw.get("schedule", ())):
        found["schedule"] = kept
    if not protocol.form["visitor"]["instructions"]["en"]:
        found["visitor.instructions"] = {"en": protocol.title.en, "zh": protocol.title.zh}
    return found


def _protocol(reference: str | None) -> Protocol:
    if reference is None:
        return load_protocol(FREE_PLAY)
    if reference in shipped_protocols() or not _is_room(reference):
        return load_protocol(reference)
    return free_play_in(reference if "/" in reference or reference in library.rooms() else f"./{reference}")


def _is_room(reference: str) -> bool:
    """Return whether *reference* names a room: a shipped one, or a file with a size and things in it."""
    if reference in library.rooms():
        return True
    if not reference.endswith(".toml"):
        return False
    try:
        raw = library.room_raw(reference)
    except ValueError:
        return False
    return "size" in raw and "objects" in raw


def free_play_in(room: str) -> Protocol:
    """Return free play with every thing of another room."""
    base = load_protocol(FREE_PLAY)
    folder, _, name = room.rpartition("/")
    # The name of a file stands in the declaration; its folder is where the protocol would lie.
    file = f"{folder}/{FREE_PLAY}.toml" if room.endswith(".toml") else base.file
    spec = parse_room(library.room_raw(room), library.table("world/kinds"))
    objects = [name for name, each in catalogue(spec).items() if each["kind"] not in ("region", "person")]
    channels = {
        **base.form["channels"],
        "physical": {**base.form["channels"]["physical"], "objects": objects},
    }
    raw_channels = {
        **base.raw["channels"],
        "physical": {**base.raw["channels"]["physical"], "objects": objects},
    }
    return replace(
        base, file=file, form={**base.form, "room": name, "channels": channels},
        raw={**base.raw, "room": name, "channels": raw_channels},
    )  # fmt: skip


def declare_debug(
    reference: str | None, *, seed: int | None = None, model: Mapping[str, Any] | None = None
) -> Declared:
    """Return a debug run in the room that *reference* means; of a log, in the room and with the persona of its header.

    Raises ProtocolError, RoomError or LogError.
    """
    if reference is not None and reference.endswith((".zst", ".part", ".jsonl")):
        from logs.reader import open_log

        with open_log(library.file(reference)) as reader:
            header = reader.header
        base = declare_play(None, seed=header["seed"] if seed is None else seed, model=model, mode="debug")
        form = {
            **base.declaration,
            "room": header["declaration"]["room"],
            "start_ms": header["declaration"]["start_ms"],
        }
        return replace(base, declaration=form, room=header["room"], persona=header["persona"], exploratory=True,
                       reasons=(*base.reasons, f"room of log {header['trial_id']}"))  # fmt: skip
    return declare_play(reference, seed=seed, model=model, mode="debug")
