"""What the resident has learned about each person, domain by domain, and where it has drawn a line.

Trust in one domain says nothing about another. A boundary is toward a channel, or toward one theme of a channel;
only perceived evidence of who did a thing changes the relation to a person.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

DOMAINS = ("promises", "requests", "conduct", "talk")


@dataclass(slots=True)
class Relation:
    """One person: reliability 0..1000 per domain (500 unknown), with the number of origins behind it."""

    person: int
    reliability: dict[str, int] = field(default_factory=lambda: dict.fromkeys(DOMAINS, 500))
    seen: dict[str, int] = field(default_factory=lambda: dict.fromkeys(DOMAINS, 0))
    version: int = 0

    def learn(self, domain: str, delta: int) -> None:
        """Move the reliability of one domain, bounded; small steps, whatever the event."""
        self.reliability[domain] = max(0, min(1000, self.reliability[domain] + delta))
        self.seen[domain] += 1
        self.version += 1

    def row(self) -> tuple[Any, ...]:
        """Return every field as it is now, for the digest and the log."""
        return (self.person, dict(self.reliability), dict(self.seen), self.version)


@dataclass(slots=True)
class Boundary:
    """A line drawn: *stance* open, confirm, muted or blocked; *theme* "" means the whole channel."""

    channel: str
    theme: str
    stance: str = "open"
    overstepped: int = 0
    version: int = 0

    def row(self) -> tuple[Any, ...]:
        """Return every field, for the digest."""
        return (self.channel, self.theme, self.stance, self.overstepped, self.version)


@dataclass(slots=True)
class Relations:
    """Every relation and boundary."""

    persons: dict[int, Relation] = field(default_factory=dict)
    boundaries: dict[str, Boundary] = field(default_factory=dict)

    def person(self, ordinal: int) -> Relation:
        """Return the relation to *ordinal*, made now if there is none."""
        found = self.persons.get(ordinal)
        if found is None:
            found = self.persons[ordinal] = Relation(ordinal)
        return found

    def boundary(self, channel: str, theme: str = "") -> Boundary:
        """Return the boundary toward *theme* of *channel*, made now if there is none."""
        key = f"{channel}/{theme}"
        found = self.boundaries.get(key)
        if found is None:
            found = self.boundaries[key] = Boundary(channel, theme)
        return found

    def stance(self, channel: str, theme: str = "") -> str:
        """Return the stricter of the channel's and the theme's stance, without making either."""
        order = ("open", "confirm", "muted", "blocked")
        found = [self.boundaries.get(f"{channel}/{name}") for name in ("", theme)]
        return max((one.stance for one in found if one is not None), key=order.index, default="open")

    def rows(self) -> list[Any]:
        """Return all as rows, for the digest."""
        return [[r.row() for r in self.persons.values()], [b.row() for b in self.boundaries.values()]]
