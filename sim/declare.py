"""From a protocol on disk to everything a run is a function of, checked across pages.

Protocol, arm, seed and overrides are folded into one effective declaration; the room and the persona it names are
read and held against it. What comes out is plain values: it goes whole into the log's header, so a log can be
simulated again anywhere, without the files it was made from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.params import Params
from protocols.against import check_against, check_persona_against
from protocols.declaration import Declaration, digest_of, effective, with_contents
from protocols.faults import ProtocolError
from protocols.library import load_persona, load_protocol
from protocols.protocol import Protocol
from sim import library
from sim.constants import constants, tables
from sim.gateway import MAKERS, providers
from world.spec import catalogue, parse_room

ENGINE = 6
"""Version of what a run computes. It rises with every change by which an old log would simulate differently."""


@dataclass(frozen=True, slots=True)
class Declared:
    """One run, fully declared. *declaration* is the effective one as plain JSON values, times in ms."""

    declaration: dict[str, Any] = field(repr=False)
    digest: str
    protocol_digest: str
    seed: int
    arm: str
    replicate: int
    trial_id: str
    exploratory: bool
    reasons: tuple[str, ...]
    room: dict[str, Any] = field(repr=False)
    persona: dict[str, Any] = field(repr=False)
    mode: str = "trial"

    @property
    def tick_ms(self) -> int:
        """Return the length of a tick in ms."""
        return int(self.declaration["tick_ms"])

    @property
    def end_tick(self) -> int:
        """Return the last tick of the run."""
        return int(self.declaration["duration_ms"]) // self.tick_ms

    def header(self) -> dict[str, Any]:
        """Return what the log begins with: everything the run depends on, and nothing of the machine."""
        return {
            "engine": ENGINE, "mode": self.mode, "visitor": self.declaration["visitor"]["kind"], "pace": self.declaration["pace"],
            "tick_ms": self.tick_ms, "end_tick": self.end_tick, "seed": self.seed, "arm": self.arm, "replicate": self.replicate,
            "trial_id": self.trial_id, "digest": self.digest, "protocol_digest": self.protocol_digest,
            "exploratory": self.exploratory, "reasons": list(self.reasons), "declaration": self.declaration,
            "room": self.room, "persona": self.persona, "params": Params(**self.declaration["mind"]["params"]).table(),
            "constants": constants(), "tables": tables(),
        }  # fmt: skip


def from_header(header: Mapping[str, Any]) -> Declared:
    """Return the declaration that a log's header holds."""
    return Declared(
        declaration=header["declaration"], digest=header["digest"], protocol_digest=header["protocol_digest"], seed=header["seed"],
        arm=header["arm"], replicate=header["replicate"], trial_id=header["trial_id"], exploratory=header["exploratory"],
        reasons=tuple(header["reasons"]), room=header["room"], persona=header["persona"], mode=header["mode"],
    )  # fmt: skip


def added_skills() -> dict[str, str]:
    """Return {"skills": digest} of what is registered beside the shipped skills, nothing where nothing is."""
    found = library.registered()
    return {"skills": digest_of(found)} if found else {}


def declare(
    reference: str | Path | Protocol,
    *,
    arm: str | None = None,
    seed: int | None = None,
    overrides: Mapping[str, Any] | None = None,
    replicate: int = 1,
) -> Declared:
    """Return the run that *reference* (a shipped id, a path, or a loaded protocol) declares.

    Raises ProtocolError or RoomError: a ValueError that says what, where and how to mend.
    """
    protocol = reference if isinstance(reference, Protocol) else load_protocol(reference)
    made = effective(protocol, arm or "", seed, dict(overrides or {}), replicate=replicate)
    beside = Path(protocol.file).parent if protocol.file.endswith(".toml") and "/" in protocol.file else None
    room = _room(made, beside)
    persona = load_persona(made.body["persona"], beside)
    made = with_contents(made, {"room": digest_of(room), "persona": digest_of(dict(persona.values)), **added_skills()})
    known = catalogue(parse_room(room, library.table("world/kinds")))
    regions = [name for name, each in known.items() if each["kind"] == "region"]
    objects = [name for name, each in known.items() if each["kind"] != "region"]
    kinds = list(library.table("world/kinds"))
    faults = check_against(
        protocol, objects=objects, regions=regions, kinds=kinds, params=list(Params().table()), form=made.body,
        providers=None if made.body["model"]["provider"] in MAKERS else providers(),
    )  # fmt: skip
    faults += check_persona_against(
        persona.values, persona.file, persona.lines, tasks=list(library.table("agent/tasks")), regions=regions, kinds=kinds
    )
    if faults:
        raise ProtocolError(faults)
    return Declared(
        declaration=made.body, digest=made.digest, protocol_digest=made.protocol_digest, seed=made.seed, arm=made.arm,
        replicate=made.replicate, trial_id=made.trial_id, exploratory=made.exploratory, reasons=made.reasons, room=room,
        persona=dict(persona.values),
    )  # fmt: skip


def _room(made: Declaration, beside: Path | None) -> dict[str, Any]:
    name = str(made.body["room"])
    if beside is not None and name.endswith(".toml"):
        return library.room_raw(str(beside / name))
    return library.room_raw(name)
