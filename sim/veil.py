"""The veil: the one place where truth becomes percepts, and commands become acts.

Theory of operation
===================
Both sides meet here and nowhere else. What the resident is told is decided by `world.exposure` (sight, sound,
touch); here it is put into ordinals of the resident's own. Percepts are edge-triggered: a thing whose perceivable
truth changed is *stale* until it is next perceived, so a look costs nothing for what is as it was. Ordinals, percept
numbers and origins are counted at first perception only, so nothing unperceived shifts them.

Who did a thing is told only if the doer is perceived doing it; otherwise it is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from agent.absorb import LAYING_SKILLS
from agent.percept import NOWHERE, SELF, UNKNOWN, Observation, Percept
from agent.skill import Command
from world import exposure
from world.floor import near, near_names
from world.light import light_at
from world.predicates import in_earshot
from world.room import Room
from world.things import Fact

RESIDENT, VISITOR = "resident", "visitor"
ASLEEP = "asleep"
DAY_MS = 86_400_000


@dataclass(slots=True)
class Veil:
    """The map between world ids and the resident's ordinals, and what is stale.

    *stale* maps a thing to the fact (or 0) by which it last changed. *met* says whether the visitor counts as present.
    *laid* maps a stale thing to the place where the resident saw somebody lay it, *person_cell* is where the visitor was last
    seen or heard (-1: nowhere).
    """

    ordinals: dict[str, int] = field(default_factory=lambda: {RESIDENT: SELF})
    stale: dict[str, int] = field(default_factory=dict)
    origins: dict[int, int] = field(default_factory=dict)
    percepts: int = 0
    origin_count: int = 0
    view: list[Any] = field(default_factory=list)
    met: bool = False
    looks: dict[str, dict[str, Any]] = field(default_factory=dict)
    handled: list[str] = field(default_factory=list)
    laid: dict[str, str] = field(default_factory=dict)
    person_cell: int = -1
    minted: list[list[Any]] = field(default_factory=list)

    def world_id(self, ordinal: int) -> str:
        """Return the world id behind *ordinal*, or ""."""
        return next((name for name, mine in self.ordinals.items() if mine == ordinal), "")

    def row(self) -> list[Any]:
        """Return the state for the digest: what of the veil the mind's future depends on."""
        return [len(self.ordinals), self.percepts, self.origin_count, self.met, list(self.stale), self.laid, self.person_cell]


# --- ordinals -----------------------------------------------------------------------------------------------------


def mint(veil: Veil, room: Room, name: str) -> int:
    """Return the ordinal of *name*, made now at first perception; the map goes to the log alone."""
    found = veil.ordinals.get(name)
    if found is None:
        found = veil.ordinals[name] = len(veil.ordinals) + 1
        veil.minted.append([found, name, kind_of(room, name)])
    return found


def kind_of(room: Room, name: str) -> str:
    """Return what a thing, body or region looks like."""
    thing = room.things.get(name)
    if thing is not None:
        return thing.kind
    return "person" if name in (RESIDENT, VISITOR) else "region"


def origin_of(veil: Veil, fact_id: int) -> int:
    """Return the resident's number of a perceived event; perceived twice, it is one."""
    found = veil.origins.get(fact_id) if fact_id else None
    if found is None:
        veil.origin_count += 1
        found = veil.origin_count
        if fact_id:
            veil.origins[fact_id] = found
            if len(veil.origins) > 200:
                del veil.origins[next(iter(veil.origins))]
    return found


def _percept(veil: Veil, room: Room, sense: str, kind: str, fact_id: int, **rest: Any) -> Percept:
    veil.percepts += 1
    return Percept(veil.percepts, room.tick, sense, kind, origin=origin_of(veil, fact_id), **rest)


# --- from truth to percepts ---------------------------------------------------------------------------------------


def familiar(veil: Veil, room: Room) -> list[Percept]:
    """Return what the resident knows from before tick 0: its home, as far as the room file says so."""
    percepts = []
    for region in room.spec.regions:
        data = {"kind": "region", "place": ["at", 0], "cell": room.cell_of(region.id), "name": region.id}
        percepts.append(
            _percept(veil, room, "known", "thing", 0, what=mint(veil, room, region.id), data=data)
        )
    known = [each.id for each in room.spec.things if each.known and room.in_room(each.id)]
    for name in known:
        mint(veil, room, name)
    for name in known:
        looked = {"id": name, **exposure.look(room, RESIDENT, name)}
        data = veil.looks[name] = _thing(veil, room, looked)
        percepts.append(_percept(veil, room, "known", "thing", 0, what=veil.ordinals[name], data=data))
    for thing in room.things.values():
        if thing.id not in veil.ordinals:
            veil.stale[thing.id] = 0
    room.changed.clear()
    return percepts


def _thing(veil: Veil, room: Room, looked: dict[str, Any]) -> dict[str, Any]:
    """Return a look in ordinals. A place the resident has never met is met now, by seeing what is in it."""
    name = looked["id"]
    thing = room.things[name]
    relation, place = looked["place"]
    data: dict[str, Any] = {
        "kind": looked["kind"],
        "props": looked["props"],
        "place": [relation, mint(veil, room, place) if place else 0],
        "cell": -1 if relation == "held" else room.cell_of(name),
    }
    if looked.get("contents") is not None:
        data["contents"] = [mint(veil, room, each) for each in looked["contents"]]
    if thing.home and thing.home in veil.ordinals:
        data["home"] = veil.ordinals[thing.home]
    return data


def perceive(
    veil: Veil, room: Room, facts: list[Fact], voices: list[tuple[int, dict[str, Any]]]
) -> tuple[Percept, ...]:
    """Return all that reached the resident at this tick, in order: facts, then sights, then inner voices."""
    body = room.bodies[RESIDENT]
    found: list[Percept] = []
    doer_of: dict[str, Fact] = {}
    for fact in facts:
        for change in fact.data.get("changed", ()):
            doer_of[change[0]] = fact
        if fact.kind in ("state", "event") and fact.subject:
            doer_of.setdefault(fact.subject, fact)
        taker = TAKERS.get(fact.kind)
        if taker is not None:
            found.extend(taker(veil, room, fact))
    from_or_onto = _places(facts)
    for name in room.changed:
        if name in room.things:
            known = doer_of.get(name) or from_or_onto.get(name)
            veil.stale[name] = known.id if known is not None else veil.stale.get(name, 0)
    view = list(exposure.view_key(room, RESIDENT))
    if view != veil.view or room.changed or veil.handled:
        veil.view = view
        if not body.asleep:
            found.extend(_sights(veil, room, doer_of))
    veil.handled = []
    room.changed.clear()
    for fact_id, voice in voices:
        data = {key: value for key, value in voice.items() if key in ("text", "action", "theme")}
        target = voice.get("target", "")
        data["target"] = veil.ordinals.get(target, 0)
        found.append(_percept(veil, room, "thought", "voice", -fact_id, data=data))
    return tuple(found)


def _places(facts: list[Fact]) -> dict[str, Fact]:
    """Return what others took things from or put them onto, by which fact: who finds an empty place perceives what emptied it."""
    found: dict[str, Fact] = {}
    for fact in facts:
        if fact.doer == RESIDENT:
            continue
        for _, what, *places in fact.data.get("changed", ()):
            if what == "place":
                found.update((place.rpartition(" ")[2], fact) for place in places)
    return found


def _sights(veil: Veil, room: Room, doer_of: dict[str, Fact]) -> list[Percept]:
    found: list[Percept] = []
    body = room.bodies[RESIDENT]
    for name, fact_id in list(veil.stale.items()):
        held = name in body.holding or name in veil.handled
        if not held and not exposure.can_see(room, RESIDENT, name):
            continue
        del veil.stale[name]
        veil.laid.pop(name, None)
        looked = exposure.touch(room, RESIDENT, name) if held else exposure.look(room, RESIDENT, name)
        mine = mint(veil, room, name)
        data = _thing(veil, room, {"id": name, **looked})
        if veil.looks.get(name) == data and name not in veil.handled:
            continue  # It changed in a way that does not show.
        veil.looks[name] = data
        doer = _doer(veil, room, doer_of.get(name))
        found.append(
            _percept(
                veil, room, "touch" if held else "sight", "thing", fact_id, what=mine, doer=doer, data=data
            )
        )
    sees = VISITOR in room.bodies and exposure.can_see(room, RESIDENT, VISITOR)
    if sees and not veil.met:
        found.append(_person(veil, room, 0, "sight", "came"))
    elif (
        not sees
        and veil.met
        and VISITOR not in room.bodies
        and exposure.can_see(room, RESIDENT, room.spec.door)
    ):
        found.append(_person(veil, room, 0, "sight", "left"))
    return found


def _doer(veil: Veil, room: Room, fact: Fact | None) -> int:
    if fact is None or not fact.doer:
        return UNKNOWN
    if fact.doer == RESIDENT:
        return SELF
    return mint(veil, room, fact.doer) if exposure.can_see(room, RESIDENT, fact.doer) else UNKNOWN


def _person(veil: Veil, room: Room, fact_id: int, sense: str, change: str) -> Percept:
    veil.met = change == "came"
    data = {
        "change": change,
        "cell": room.cell_of(VISITOR),
        "place": ["at", 0] if veil.met else ["unknown", 0],
    }
    return _percept(
        veil,
        room,
        sense,
        "person",
        fact_id,
        what=mint(veil, room, VISITOR),
        doer=mint(veil, room, VISITOR),
        data=data,
    )


def _ended(veil: Veil, room: Room, fact: Fact) -> list[Percept]:
    """A skill came to its end: the resident's own is felt, another's is seen or not."""
    if fact.doer == RESIDENT:
        felt = fact.data.get("failure", "") if fact.data.get("result") != "ok" else ""
        if fact.kind == "skill_refused":
            data = {
                "command": fact.cause,
                "skill": fact.skill,
                "result": "failed",
                "failure": fact.data["predicate"] or fact.data["reason"],
            }
        else:
            data = {
                "command": fact.cause,
                "skill": fact.skill,
                "result": fact.data["result"],
                "failure": felt,
            }
        found = [_percept(veil, room, "body", "outcome", fact.id, what=SELF, doer=SELF, data=data)]
        # What one handles one feels, wherever the eyes are and whether or not it seemed to change.
        for name in fact.data.get("roles", {}).values():
            if name in room.things and room.in_room(name) and near(room, room.bodies[RESIDENT], name):
                veil.stale.setdefault(name, fact.id)
                veil.handled.append(name)
        return found
    given = fact.skill == "hand_over" and RESIDENT in fact.data.get("roles", {}).values()  # felt in one's own hand
    if fact.kind == "skill_refused" or not (given or exposure.can_see(room, RESIDENT, fact.doer)):
        return []
    things = [name for name in fact.data.get("roles", {}).values() if name in room.things]
    if fact.skill in LAYING_SKILLS and fact.data["result"] == "ok" and len(things) == 2:
        veil.laid[things[0]] = things[1]
    data = {
        "skill": fact.skill,
        "result": fact.data["result"],
        "things": [mint(veil, room, name) for name in things],
        "cell": room.cell_of(fact.doer),
    }
    return [
        _percept(
            veil,
            room,
            "sight",
            "act",
            fact.id,
            what=mint(veil, room, VISITOR),
            doer=mint(veil, room, fact.doer),
            data=data,
        )
    ]


def _heard(veil: Veil, room: Room, fact: Fact) -> list[Percept]:
    """A sound in the room, if it reaches the resident's ears above what masks it."""
    if fact.doer == RESIDENT or not fact.loudness or not exposure.loudness_at(room, RESIDENT, fact):
        return []
    name = str(fact.data.get("event") or fact.data.get("sound") or fact.kind)
    what = veil.ordinals.get(fact.subject, 0) if name != "noise" else 0
    data = {"sound": name, "kind": kind_of(room, fact.subject) if what else ""}
    veil.looks.pop(fact.subject, None)  # What it sounds like is news beside what it looked like.
    return [
        _percept(veil, room, "sound", "sound", fact.id, what=what, doer=_doer(veil, room, fact), data=data)
    ]


def _speech(veil: Veil, room: Room, fact: Fact) -> list[Percept]:
    if fact.doer == RESIDENT or not exposure.loudness_at(room, RESIDENT, fact):
        return []
    words = fact.data.get("words", {})
    found = [] if veil.met else [_person(veil, room, 0, "sound", "came")]
    target = str(words.get("target", ""))
    data = {
        key: words[key] for key in ("text", "mark", "action", "theme", "promise", "due_tick", "wait") if key in words
    }
    data["target"] = veil.ordinals.get(target, 0)
    if words.get("place"):
        data["place"] = veil.ordinals.get(str(words["place"]), NOWHERE)
    speaker = mint(veil, room, fact.doer)
    return [*found, _percept(veil, room, "sound", "speech", fact.id, what=speaker, doer=speaker, data=data)]


def _came_or_left(veil: Veil, room: Room, fact: Fact) -> list[Percept]:
    came = fact.kind == "entered"
    seen = came and exposure.can_see(room, RESIDENT, VISITOR)
    if not seen and not exposure.loudness_at(room, RESIDENT, fact):
        return []
    return (
        []
        if veil.met == came
        else [_person(veil, room, fact.id, "sight" if seen else "sound", "came" if came else "left")]
    )


def _crossed(veil: Veil, room: Room, fact: Fact) -> list[Percept]:
    if fact.doer != RESIDENT and fact.subject != RESIDENT:
        return []
    data = {"need": fact.data["need"], "direction": fact.data["direction"], "level": fact.data["level"]}
    return [_percept(veil, room, "body", "felt", fact.id, what=SELF, doer=UNKNOWN, data=data)]


TAKERS = {
    "skill_ended": _ended,
    "skill_refused": _ended,
    "speech": _speech,
    "sound": _heard,
    "event": _heard,
    "entered": _came_or_left,
    "left": _came_or_left,
    "need_crossed": _crossed,
}


def observe(veil: Veil, room: Room, percepts: tuple[Percept, ...]) -> Observation:
    """Return the observation of this tick: the percepts and the resident's own body."""
    body = room.bodies[RESIDENT]
    tick = room.tick
    present = (veil.ordinals[VISITOR],) if veil.met else ()
    at_hand = near_names(room, body)
    seen_at = _seen_at(room, percepts)
    if seen_at >= 0 or not veil.met:
        veil.person_cell = seen_at
    # In earshot is who is where they were last seen or heard: that they have gone unseen is not known.
    can_hear = bool(present) and veil.person_cell >= 0 and in_earshot(room, body.cell, veil.person_cell)
    return Observation(
        tick=tick,
        percepts=percepts,
        felt=room.needs(RESIDENT, tick),
        pain=room.pain(RESIDENT, tick),
        clock_ms=room.clock_ms(tick),
        day=(room.start_ms + tick * room.tick_ms) // DAY_MS,
        cell=body.cell,
        posture=ASLEEP if body.asleep else body.posture,
        holding=tuple(mint(veil, room, name) for name in body.holding),
        near=tuple(
            mine for name, mine in veil.ordinals.items()
            if mine != SELF and name in at_hand and (name not in veil.stale or _where_told(veil, room, name))
        ),
        seen_at=seen_at,
        present=present,
        hearing=present if can_hear else (),
        light=light_at(room, body.cell),
    )


def _where_told(veil: Veil, room: Room, name: str) -> bool:
    """Return whether a thing that changed unperceived still lies where the resident was last told: else it can't know it is at hand."""
    thing, told = room.things.get(name), veil.looks.get(name)
    if thing is None or told is None:
        return True
    if thing.relation == "held" or told["place"][0] == "held":
        return veil.laid.get(name) == thing.place
    return veil.laid.get(name) == thing.place or (
        told["place"] == [thing.relation, veil.ordinals.get(thing.place, 0)] and told["cell"] in (room.cell_of(name), -1)
    )


def _seen_at(room: Room, percepts: tuple[Percept, ...]) -> int:
    """Return the cell where the visitor is seen, or was just heard to speak or to come; -1 otherwise."""
    if VISITOR not in room.bodies:
        return -1
    heard = any(each.sense == "sound" and each.kind in ("speech", "person") for each in percepts)
    return room.cell_of(VISITOR) if heard or exposure.can_see(room, RESIDENT, VISITOR) else -1


def actuate(veil: Veil, command: Command) -> tuple[str, dict[str, str], int, tuple[str, int], dict[str, Any] | None]:
    """Return a command of the mind as an act of its body: skill, roles by world id, amount in ms, aim, words.

    Where a walk goes is the mind's own word: the body knows no more than the mind.
    """
    names = {mine: name for name, mine in veil.ordinals.items()}
    roles = {role: names[ordinal] for role, ordinal in command.roles}
    words = None
    if command.words is not None:
        words = {**command.words}
    return command.skill, roles, command.amount, (names.get(command.aim[0], ""), command.aim[1]), words
