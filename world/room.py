"""The room: the truth and the verbs by which the kernel moves it.

The kernel asks `next_tick`, jumps there, calls `advance`, and in between hands in what bodies are to do.
Every verb returns the facts that came of it, in order. All lengths are mm or cells, all times ticks.
A snapshot keeps the fields without a leading underscore; after a restore call `bind` once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from world import acting, digest, events, floor, hands, needs
from world.needs import settle_rates
from world.params import NEED_UNIT, NEVER, RESIDENT, VISITOR
from world.skills import Skill, compile_skills
from world.spec import RoomSpec
from world.things import Body, Fact, Thing
from world.truth import Chance, Truth

__all__ = ["NEVER", "Room"]


@dataclass(slots=True)
class Room(Truth):
    """The truth of one room, with its verbs."""

    @classmethod
    def build(
        cls, spec: RoomSpec, skills: Mapping[str, Any], kinds: Mapping[str, Any], *, needs: Mapping[str, Any],
        tick_ms: int, start_ms: int, chance: Chance, rates: Mapping[str, int] | None = None,
    ) -> Room:  # fmt: skip
        """Return the room of *spec* at tick 0, with the resident at its start pose.

        *skills*, *kinds* and *needs* are the parsed `skills.toml`, `kinds.toml` and `needs.toml`; *start_ms* is
        ms since midnight; *rates* are the persona's multipliers of draining needs, per mille.
        """
        room = cls(room_id=spec.id, tick_ms=tick_ms, start_ms=start_ms, rates=dict(rates or {}))
        for each in spec.things:
            room.things[each.id] = Thing(each.id, each.kind, each.relation, each.place, each.cell, each.w, each.h,
                                         dict(each.props), each.home)  # fmt: skip
        room.bind(spec, skills, kinds, needs=needs, chance=chance)
        for thing in room.things.values():
            if thing.relation in ("on", "in"):
                hands.relocate(room, thing)
        cell, heading = spec.starts[RESIDENT]
        room._add_body(RESIDENT, cell, heading)
        events.start_events(room)
        for body in room.bodies.values():
            settle_rates(room, body)
        return room

    def bind(
        self, spec: RoomSpec, skills: Mapping[str, Any], kinds: Mapping[str, Any], *, needs: Mapping[str, Any],
        chance: Chance,
    ) -> None:  # fmt: skip
        """Join the state to what it was built from. Call it once after a restore, with the same tables."""
        self._spec, self._chance, self._needs = spec, chance, dict(needs)
        self._bounds = tuple(int(each) * NEED_UNIT for each in needs["thresholds"])
        compiled = all(isinstance(each, Skill) for each in skills.values())
        self._skills = dict(skills) if compiled else compile_skills(skills)
        self._region_of = [""] * (spec.width * spec.height)
        self._region_cells = {each.id: each.cells for each in spec.regions}
        for region in spec.regions:
            for cell in region.cells:
                self._region_of[cell] = region.id
        self._events = {each.name: each for each in spec.events}
        self._climate, self._sounding, self._lights = (
            tuple(name for name, thing in self.things.items() if wanted in kinds[thing.kind]["tags"])
            for wanted in ("climate", "sounding", "light")
        )

    def advance(self, tick: int) -> list[Fact]:
        """Do everything that is due at *tick*, in order, and return the facts. *tick* is now from here on."""
        assert tick >= self.tick, "time runs forward"
        due = self.next_tick()
        assert due >= tick, "no tick at which something happens may be jumped over"
        self.tick = tick
        if due != tick:
            return []
        facts: list[Fact] = []
        while self.next_tick() == tick:
            what, _, subject = self.pop().partition("/")
            facts += self._happen(what, subject)
        return facts

    def _happen(self, what: str, subject: str) -> list[Fact]:
        if what == "step":
            return acting.step(self, self.bodies[subject])
        if what == "skill":
            return acting.end(self, self.bodies[subject])
        if what == "need":
            return needs.crossings(self, self.bodies[subject])
        if what == "drift":
            thing, _, prop = subject.partition("/")
            return events.drift(self, thing, prop)
        if what == "light":
            return events.change_light(self)
        if what == "ring":
            return events.ring_over(self, subject)
        assert what == "event", f"unknown timer {what!r}"
        return events.fire(self, subject)

    def begin(
        self, body_id: str, skill_id: str, roles: Mapping[str, str], *, amount: int = 0,
        words: Mapping[str, Any] | None = None, cause: str = "", aim: acting.Aim = acting.KNOWN,
    ) -> list[Fact]:  # fmt: skip
        """Start a skill at the current tick: one fact, `skill_started` or `skill_refused`.

        *amount* is in ms for skills whose duration is the amount, and the cap of a rest. *aim* is where the body takes
        the goal of a walk to be: it goes there unless it sees the goal. A refusal's data hold
        `reason` (no_body, unknown_skill, busy, missing_role, unknown_object, precondition, occupied,
        unreachable) and the `predicate` that does not hold.
        """
        return acting.begin(self, body_id, skill_id, dict(roles), amount, dict(words or {}), cause, aim)

    def interrupt(self, body_id: str, reason: str, *, hard: bool = False) -> list[Fact]:
        """Stop the body's skill now if it can be stopped anywhere or *hard*; else let it stop at its end."""
        return acting.interrupt(self, body_id, reason, hard)

    def needs(self, body_id: str, tick: int) -> tuple[int, ...]:
        """Return the nine needs at *tick* in thousandths, in the fixed order."""
        return needs.needs_at(self, self.bodies[body_id], tick)

    def pain(self, body_id: str, tick: int) -> int:
        """Return the pain at *tick*, 0 to 1000."""
        return needs.pain_at(self, self.bodies[body_id], tick)

    def enter(self, body_id: str = VISITOR, cause: str = "") -> list[Fact]:
        """Let someone in by the door. Nothing happens if they are in already."""
        if body_id in self.bodies:
            return []
        cell, heading = self.spec.starts.get(body_id, (events.inside_door(self), 6))
        self._add_body(body_id, cell, heading)
        return [self.fact("entered", doer=body_id, subject=body_id, cause=cause, cell=cell, loudness=6000)]

    def leave(self, body_id: str = VISITOR, cause: str = "") -> list[Fact]:
        """Let someone out. What they held stays on the floor by the door; the room keeps its things."""
        body = self.bodies.get(body_id)
        if body is None or body_id == RESIDENT:
            return []
        facts = self.interrupt(body_id, "left", hard=True)
        for other in list(self.bodies.values()):
            # Nobody goes on talking to a person who has gone.
            if other.running is not None and body_id in other.running.roles.values():
                facts += self.interrupt(other.id, "partner_left", hard=True)
        for name in list(body.holding):
            hands.drop(self, self.things[name], body.cell)
        if body.seat:
            hands.set_prop(self, self.things[body.seat], "occupied", 0)
        del self.bodies[body_id]
        self.cancel(f"need/{body_id}")
        self.touch(body_id)
        return [
            *facts,
            self.fact("left", doer=body_id, subject=body_id, cause=cause, cell=body.cell, loudness=6000),
        ]

    def put_thing(
        self, thing_id: str, relation: str, place_id: str, cell: int = -1, cause: str = "", doer: str = ""
    ) -> list[Fact]:
        """Move a thing without asking anyone. Raise `ValueError` if no room could look like that.

        *cell* is where on the floor (`at`) or on the surface (`on`) it goes; -1 lets the place decide. *doer* is the
        body to whom a witness would put it down, if there is one.
        """
        return hands.put_thing(self, thing_id, relation, place_id, cell, cause, doer)

    def set_prop(self, thing_id: str, name: str, value: int, cause: str = "", doer: str = "") -> list[Fact]:
        """Set a property without asking anyone. Raise `ValueError` if the thing has no such property."""
        return hands.alter(self, thing_id, name, value, cause, doer)

    def path_ms(self, from_cell: int, to_place: str) -> int:
        """Return the walking time from a cell to a place in ms, or -1 if no way leads there."""
        return floor.path_ms(self, from_cell, to_place)

    def digest(self, fresh: bool = False) -> str:
        """Return the digest of the room, 32 hex digits. *fresh* computes it from scratch."""
        return digest.digest(self, fresh)

    def _add_body(self, body_id: str, cell: int, heading: int) -> None:
        self.bodies[body_id] = body = Body(body_id, cell, heading)
        needs.born(self, body)
        self.touch(body_id)
