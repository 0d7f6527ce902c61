"""Records of one tick as plain JSON values, in the order in which things happened."""

from __future__ import annotations

from typing import Any

from agent.percept import Percept
from world.room import Room
from world.things import Fact

WAKING = ("percept", "matter", "favour", "ruling", "task", "control")
"""Kinds of records that a round stems from, where they stand between it and the round before."""


class Records:
    """What one tick will write, and what of it later records may stem from. The writer adds the number and the chain.

    *last* holds the id of the last record by kind; "outcome" is the last percept of how the own deed went, "ended" the
    last commitment that ended. *origins* leads from an origin to its percept, *woke* holds what came since the last round.
    """

    __slots__ = ("last", "origins", "rows", "tick", "woke")

    def __init__(self, tick: int) -> None:
        self.tick = tick
        self.rows: list[dict[str, Any]] = []
        self.last: dict[str, str] = {}
        self.origins: dict[int, str] = {}
        self.woke: list[str] = []

    def add(self, kind: str, id: str, /, causes: list[str] | None = None, **data: Any) -> None:
        """Append one record."""
        self.rows.append({"tick": self.tick, "kind": kind, "id": id, "causes": causes or [], "data": data})
        self.last[kind] = id
        if kind in WAKING:
            self._remember(kind, id, data)

    def _remember(self, kind: str, id: str, data: dict[str, Any]) -> None:
        if kind == "percept":
            self.origins[data["origin"]] = id
            if data["what"] == "outcome":
                self.last["outcome"] = id
            if data["sense"] == "known":
                return
        elif kind == "task" and data["state"] not in ("taken_on", "started", "resumed", "paused"):
            self.last["ended"] = id
        if id:
            self.woke.append(id)

    def reply_to(self, request: str) -> str:
        """Return the reply of this tick that a ruling on *request* is about, else the request itself."""
        reply = self.last.get("reply", "")
        return reply if reply.startswith(f"{request}.") else request

    def take_woke(self) -> list[str]:
        """Return what came about since the last round, each once."""
        woke, self.woke = self.woke, []
        return list(dict.fromkeys(woke))


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
