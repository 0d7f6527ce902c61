"""What the resident takes to be so: about things by ordinal, about anything else by key.

A belief is looked up by its key, never by similarity. Its version rises when anything changes that a decision may
rest on, and with nothing else; requests name the versions they rest on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

CLAIMS_MAX = 400
"""Things said that are kept in mind; beyond it the least told goes first. Chosen."""


@dataclass(slots=True)
class ThingBelief:
    """A thing, person or place as believed. Ordinals, property values and cells are those last perceived.

    *felt* says when what fades unseen was last known: property -> tick.
    """

    ordinal: int
    kind: str
    relation: str = "unknown"
    place: int = 0
    cell: int = -1
    props: dict[str, int] = field(default_factory=dict)
    home: int = 0
    seen_tick: int = 0
    version: int = 0
    jammed_tick: int = -1
    name: str = ""
    felt: dict[str, int] = field(default_factory=dict)

    def row(self) -> tuple[Any, ...]:
        """Return every field, for the digest."""
        return (
            self.ordinal, self.kind, self.relation, self.place, self.cell, self.props, self.home, self.version,
            self.jammed_tick, self.name, self.felt,
        )  # fmt: skip


@dataclass(slots=True)
class Claim:
    """Something said or concluded, held with evidence for and against it, named by experience.

    Retelling adds to *told*, never to *support*: speech is evidence that it was said.
    """

    key: str
    holder: int
    told: int = 0
    support: list[int] = field(default_factory=list)
    counter: list[int] = field(default_factory=list)
    version: int = 0

    def row(self) -> tuple[Any, ...]:
        """Return every field, for the digest."""
        return (self.key, self.holder, self.told, self.support, self.counter, self.version)


@dataclass(slots=True)
class Beliefs:
    """Every belief of the resident."""

    things: dict[int, ThingBelief] = field(default_factory=dict)
    claims: dict[str, Claim] = field(default_factory=dict)

    def meet(self, ordinal: int, kind: str) -> ThingBelief:
        """Return the belief about *ordinal*, made now if there is none."""
        found = self.things.get(ordinal)
        if found is None:
            found = self.things[ordinal] = ThingBelief(ordinal, kind)
        return found

    def revise(self, ordinal: int, kind: str, tick: int, data: dict[str, Any]) -> tuple[ThingBelief, dict[str, Any]]:
        """Take over what was perceived of a thing; return its belief and what was different from it.

        *data* may hold props, place [relation, ordinal], cell, home. Only a difference raises the version.
        """
        thing = self.meet(ordinal, kind)
        news: dict[str, Any] = {}
        for name, value in data.get("props", {}).items():
            old = thing.props.get(name)
            if old != value:
                news[name] = [old, value]
                thing.props[name] = value
        if "place" in data:
            relation, place = data["place"]
            if (relation, place) != (thing.relation, thing.place):
                news["place"] = [[thing.relation, thing.place], [relation, place]]
                thing.relation, thing.place = relation, place
        if data.get("cell", thing.cell) != thing.cell:
            # Where a thing stands matters; a person's every step does not.
            if kind not in ("person", "resident", "visitor"):
                news.setdefault("cell", [thing.cell, data["cell"]])
            thing.cell = data["cell"]
        thing.name = data.get("name", thing.name)
        if data.get("home"):
            thing.home = data["home"]
        if "jammed" in news and not news["jammed"][1]:
            thing.jammed_tick = -1
        thing.seen_tick = tick
        if news:
            thing.version += 1
        return thing, news

    def lose(self, ordinal: int) -> None:
        """The thing is not where it was believed to be."""
        thing = self.things[ordinal]
        if thing.relation != "unknown":
            thing.relation, thing.place, thing.cell = "unknown", 0, -1
            thing.version += 1

    def inside(self, place: int) -> list[ThingBelief]:
        """Return what is believed to be in or on *place*."""
        return [thing for thing in self.things.values() if thing.place == place and thing.relation in ("in", "on")]

    def hear(self, key: str, speaker: int) -> Claim:
        """Count one more telling of *key*."""
        claim = self.claims.get(key)
        if claim is None:
            if len(self.claims) >= CLAIMS_MAX:
                del self.claims[min(self.claims, key=lambda name: self.claims[name].told)]
            claim = self.claims[key] = Claim(key, speaker)
        claim.told += 1
        return claim

    def rows(self) -> list[Any]:
        """Return every belief as rows, for the digest."""
        return [[t.row() for t in self.things.values()], [c.row() for c in self.claims.values()]]
