"""The declared schedule: which intervention is handed in when, at a time or upon an observable event.

It is part of the core's state, so a resumed, restored or forked run goes on with the same script. An entry fires
once (or `repeat` times); upon an event, *delay* after it, not before *after* and only *within* its window.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

NEVER = 1 << 60


@dataclass(slots=True)
class Entry:
    """One scheduled intervention. *at_tick* is set by time, or by the event that armed it; -1 while it waits."""

    id: str
    at_tick: int
    act: dict[str, Any]
    event: str = ""
    subject: str = ""
    after_tick: int = 0
    until_tick: int = NEVER
    delay_ticks: int = 0
    left: int = 1
    every_ticks: int = 0
    fired: int = 0


@dataclass(slots=True)
class Script:
    """The entries of a protocol's schedule, in their order."""

    entries: list[Entry] = field(default_factory=list)

    def next_tick(self) -> int:
        """Return the next tick at which an entry falls due."""
        return min((entry.at_tick for entry in self.entries if entry.left and entry.at_tick >= 0), default=NEVER)

    def due(self, tick: int) -> list[tuple[str, dict[str, Any]]]:
        """Return (intervention id, act) of what falls due at *tick*, and move each entry on."""
        found = []
        for entry in self.entries:
            if entry.left and entry.at_tick == tick:
                found.append(self._fire(entry))
        return found

    def next_control(self) -> tuple[str, dict[str, Any]] | None:
        """Return the next timed system act: while time is frozen, nothing else can end the pause."""
        waiting = [e for e in self.entries if e.left and e.act["channel"] == "system" and e.at_tick >= 0]
        return self._fire(min(waiting, key=lambda e: e.at_tick)) if waiting else None

    def _fire(self, entry: Entry) -> tuple[str, dict[str, Any]]:
        entry.fired += 1
        entry.left -= 1
        name = f"int-{entry.id}" if entry.fired == 1 else f"int-{entry.id}.{entry.fired}"
        entry.at_tick = entry.at_tick + entry.every_ticks if entry.left and not entry.event else -1
        return name, entry.act

    def notice(self, tick: int, event: str, subjects: tuple[str, ...]) -> None:
        """Arm each entry that waits for *event* about one of *subjects*."""
        for entry in self.entries:
            if entry.left and entry.at_tick < 0 and entry.event == event:
                if entry.subject in ("", *subjects) and entry.after_tick <= tick <= entry.until_tick:
                    entry.at_tick = tick + max(1, entry.delay_ticks)

    def row(self) -> list[Any]:
        """Return the state for the digest."""
        return [[entry.at_tick, entry.left] for entry in self.entries]
