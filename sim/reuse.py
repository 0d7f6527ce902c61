"""Replies of an earlier log, given again: the same questions get the same answers, and nobody is asked.

Each request must be, word for word, the one that the log holds under its id; the first that is not ends the run with
its name and the place where it differs. So a run on old replies is either the old course of events as far as the model
goes, or no run at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.request import TYPES, Part, Request
from logs.reader import open_log
from sim.gateway_provider import WALL_CAP_S, Reply
from sim.kernel import request_data
from sim.refold import field_of, plain
from sim.taint import debugged


class ReuseError(ValueError):
    """The replies of the log don't fit; the text names the first request or part that differs."""


@dataclass
class Reused:
    """A provider made of a log: *requests* and *replies* by id, and what they were read from."""

    origin: dict[str, Any]
    requests: dict[str, dict[str, Any]] = field(default_factory=dict)
    parts: dict[str, dict[str, Any]] = field(default_factory=dict)
    replies: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    name: str = "reused"
    model: str = "reused"
    types: tuple[str, ...] = TYPES

    @classmethod
    def open(cls, path: Path) -> Reused:
        """Read the requests and replies of the log at *path*. Raises LogError for what is no log."""
        with open_log(path) as reader:
            if debugged(reader):
                raise ReuseError(f"{path} was made in debug mode: its replies answer to a room that was dragged about")
            found = cls({"log": path.name, "trial": reader.header.get("trial", ""), "head": reader.head})
            kept = {"request": found.requests, "part": found.parts}
            for row in reader.records():
                if row["kind"] in kept:
                    kept[row["kind"]][row["id"]] = row["data"]
                elif row["kind"] == "reply":
                    found.replies.setdefault(row["id"], []).append(row["data"])
        return found

    def ask(self, part: Part, request: Request, *, wall_cap_s: float = WALL_CAP_S) -> Reply:
        """Return the recorded reply of *part*. Raises ReuseError at the first mismatch."""
        assert wall_cap_s > 0
        self._compare(request.id, self.requests.get(request.id), request_data(request))
        self._compare(part.id, self.parts.get(part.id), {"what": part.kind, "due": part.due_tick, "note": dict(part.note)})
        recorded = self.replies.get(part.id)
        if recorded is None:
            raise ReuseError(f"{part.id}: the log {self.origin['log']} holds no reply to it")
        one = recorded[0]
        raw = None if one["raw"] is None else one["raw"].encode()
        return Reply(raw, one["failure"], one["tokens_in"], one["tokens_out"], 0, one["model"], len(recorded), 0)

    def _compare(self, name: str, old: dict[str, Any] | None, new: dict[str, Any]) -> None:
        if old is None:
            raise ReuseError(f"{name}: it was never asked in the log {self.origin['log']}")
        asked = plain(new)
        for key in asked:
            if old.get(key) != asked[key]:
                raise ReuseError(f"{name}: it differs from the log {self.origin['log']} in {field_of(key, old.get(key), asked[key])}")

    def cancel(self, part_id: str) -> None:
        """Do nothing: nobody was asked."""
        assert part_id

    def declared_latency_ms(self, request_id: str) -> int:
        """Return 0: the declaration has the latency."""
        assert request_id
        return 0

    def close(self) -> None:
        """Do nothing."""
