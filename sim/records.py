"""Records of one tick as plain JSON values, in the order in which things happened."""

from __future__ import annotations

from typing import Any

from agent.percept import Percept
from world.room import Room
from world.things import Fact


class Records:
    """What one tick will write. The writer adds the sequence number and the chain."""

    __slots__ = ("rows", "tick")

    def __init__(self, tick: int) -> None:
        self.tick = tick
        self.rows: list[dict[str, Any]] = []

    def add(self, kind: str, id: str, /, causes: list[str] | None = None, **data: Any) -> None:
        """Append one record."""
        self.rows.append({"tick": self.tick, "kind": kind, "id": id, "causes": causes or [], "data": data})


def fact_data(room: Room, fact: Fact) -> dict[str, Any]:
    """Return a fact as the log keeps it; a walk with its cells and ticks, so that a frame needs no engine."""
    data: dict[str, Any] = {
        "fact": fact.kind, "doer": fact.doer, "subject": fact.subject, "skill": fact.skill, "cell": fact.cell, "data": fact.data,
    }  # fmt: skip
    if fact.loudness:
        data["loudness"] = fact.loudness
    if fact.kind == "skill_started":
        running = room.bodies[fact.doer].running
        if running is not None:
            data["until"] = running.end_tick
            if running.path:
                data["path"], data["path_ticks"] = list(running.path), list(running.path_ticks)
    return data


def percept_data(percept: Percept) -> dict[str, Any]:
    """Return a percept as the log keeps it, in the resident's own ordinals."""
    return {
        "sense": percept.sense, "what": percept.kind, "of": percept.what, "doer": percept.doer, "origin": percept.origin,
        "content": percept.data,
    }  # fmt: skip
