"""What happens in the room of itself: slow changes, the sky, and the events of the room file.

Each event draws its times from its own stream, so that one that nobody notices moves no other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from world.floor import grid
from world.hands import alter, drop, jitter, set_prop, start_drifts
from world.light import sky
from world.needs import settle_rates
from world.params import DAY_MS, RING_MS, SOUND_MM
from world.plan import EventSpec
from world.spec import EVENTS
from world.things import Fact
from world.truth import Truth


def start_events(room: Truth) -> None:
    """Set every timer of a new room: the sky, the events, the slow changes."""
    room.light, wait = sky(room, room.tick)
    room.schedule("light/sky", room.tick + room.ticks(wait))
    for event in room._events.values():
        plan(room, event, event.first_ms)
    for thing in room.things.values():
        start_drifts(room, thing)


def plan(room: Truth, event: EventSpec, mean_ms: int) -> None:
    """Set the event's next time: about *mean_ms* from now, moved into its hours of the day."""
    gap = mean_ms // 2 + room.chance.below(f"event.{event.name}", room.room_id, mean_ms + 1)
    at = room.tick + room.ticks(gap)
    opens, closes = event.hours[0] * 60_000, event.hours[1] * 60_000
    span = (closes - opens) % DAY_MS or DAY_MS
    late = (room.clock_ms(at) - opens) % DAY_MS
    if late >= span:
        wait = DAY_MS - late + room.chance.below(f"event.{event.name}", room.room_id, span)
        at += room.ticks(wait)
    room.schedule(f"event/{event.name}", at)


def fire(room: Truth, name: str) -> list[Fact]:
    """Let an event of the room file happen, and plan its next time."""
    if name.endswith("_over"):
        return OVER[name](room)
    event = room._events[name]
    facts = HAPPEN[name](room, event)
    plan(room, event, event.mean_ms)
    return facts


def happening(room: Truth, name: str, subject: str, *, loud: bool = True, visible: bool = True) -> Fact:
    cell = room.cell_of(subject) if subject else -1
    return room.fact("event", subject=subject, cause=f"event.{name}", data={"event": name}, cell=cell,
                     loudness=SOUND_MM.get(name, 0) if loud else 0, visible=visible)  # fmt: skip


def choose(room: Truth, event: EventSpec, names: list[str]) -> str:
    return names[room.chance.below(f"event.{event.name}.which", room.room_id, len(names))] if names else ""


def phone_rings(room: Truth, event: EventSpec) -> list[Fact]:
    phone = choose(room, event, list(event.subjects))
    busy = any(body.running and phone in body.running.roles.values() for body in room.bodies.values())
    if not phone or busy or room.things[phone].props["ringing"] or not room.in_room(phone):
        return []
    facts = [happening(room, "phone_rings", phone), *alter(room, phone, "ringing", 1, "event.phone_rings")]
    room.schedule(f"ring/{phone}", room.tick + room.ticks(RING_MS))
    return facts


def ring_over(room: Truth, phone: str) -> list[Fact]:
    """Let an unanswered phone fall silent; in whoever's hand it is, the call goes on."""
    if any(
        body.running is not None and phone in body.running.roles.values() for body in room.bodies.values()
    ):
        return []
    stopped = alter(room, phone, "ringing", 0, "event.phone_rings")
    return [happening(room, "phone_stops", phone), *stopped] if stopped else []


def letters(room: Truth, event: EventSpec) -> list[Fact]:
    """Push a letter from the pool outside under the door. An empty pool means no post today."""
    pool = [name for name in event.subjects if room.things[name].relation == "out"]
    letter = choose(room, event, pool)
    if not letter:
        return []
    set_prop(room, room.things[letter], "unread", 1)
    drop(room, room.things[letter], inside_door(room))
    return [happening(room, "letters", letter)]


def inside_door(room: Truth) -> int:
    """Return the free cell nearest to the door."""
    blocked, door = grid(room), room.cell_of(room.spec.door)
    free = [cell for cell in range(len(blocked)) if not blocked[cell]]
    return min(free, key=lambda cell: (room.distance_mm(cell, door), cell))


def rain(room: Truth, event: EventSpec) -> list[Fact]:
    room.raining = True
    lasts = room.ticks(jitter(room, "event.rain.lasts", room.room_id, event.lasts_ms or 3_600_000))
    room.schedule("event/rain_over", room.tick + lasts)
    return [happening(room, "rain", name) for name in event.subjects[:1]]


def rain_over(room: Truth) -> list[Fact]:
    room.raining = False
    windows = room._events["rain"].subjects[:1]
    return [happening(room, "rain_over", name, loud=False) for name in windows]


def noise(room: Truth, event: EventSpec) -> list[Fact]:
    return [happening(room, "noise", name, visible=False) for name in event.subjects[:1]]


def knock(room: Truth, event: EventSpec) -> list[Fact]:
    """Let somebody knock and go away again."""
    return [happening(room, "knock", name, visible=False) for name in event.subjects[:1]]


def delivery(room: Truth, event: EventSpec) -> list[Fact]:
    """Restock the listed foods and bring back what was carried out, letters apart."""
    facts = [happening(room, "delivery", room.spec.door)]
    for name in event.subjects:
        thing = room.things[name]
        fresh = room.kind(thing)["props"]
        if thing.relation == "out":
            bring_back(room, name)
        # What is spoiled or used up is replaced; what is still good is topped up and stays as old as it is.
        if thing.props.get("spoiled") or not thing.props.get("portions", 1):
            for prop in ("spoiled", "age", "cooked"):
                facts += alter(room, name, prop, 0, "event.delivery") if prop in fresh else []
        if "portions" in fresh and thing.props["portions"] < fresh["portions"]:
            facts += alter(room, name, "portions", fresh["portions"], "event.delivery")
    post = room._events["letters"].subjects if "letters" in room._events else ()
    for thing in room.things.values():
        if thing.relation == "out" and thing.id not in post and "portable" in room.kind(thing)["tags"]:
            bring_back(room, thing.id)
    return facts


def bring_back(room: Truth, name: str) -> None:
    """Bring a thing in at the door."""
    drop(room, room.things[name], inside_door(room))


def lamp_fails(room: Truth, event: EventSpec) -> list[Fact]:
    burning = [name for name in event.subjects if room.things[name].props.get("on")]
    lamp = choose(room, event, burning)
    if not lamp:
        return []
    return [happening(room, "lamp_fails", lamp), *alter(room, lamp, "broken", 1, "event.lamp_fails")]


def repair(room: Truth, event: EventSpec) -> list[Fact]:
    """Mend what is broken among the listed things, as a caretaker does."""
    facts: list[Fact] = []
    for name in event.subjects:
        if room.things[name].props.get("broken"):
            facts += [happening(room, "repair", name), *alter(room, name, "broken", 0, "event.repair")]
    return facts


def jams(room: Truth, event: EventSpec) -> list[Fact]:
    """Let a closed drawer jam. Nobody sees it; a hand will feel it."""
    shut = [name for name in event.subjects if not room.things[name].props.get("open")]
    drawer = choose(room, event, shut)
    return alter(room, drawer, "jammed", 1, "event.jams") if drawer else []


Happen = Callable[[Truth, EventSpec], "list[Fact]"]
HAPPEN: Final[dict[str, Happen]] = {
    "phone_rings": phone_rings, "letters": letters, "rain": rain, "noise": noise, "knock": knock, "delivery": delivery,
    "lamp_fails": lamp_fails, "repair": repair, "jams": jams,
}  # fmt: skip
assert tuple(HAPPEN) == EVENTS, "every event of a room file happens in one way"
OVER: Final = {"rain_over": rain_over}


def change_light(room: Truth) -> list[Fact]:
    """Let the sky take its next step."""
    old = room.light
    room.light, wait = sky(room, room.tick)
    room.light_version += 1
    room.schedule("light/sky", room.tick + room.ticks(wait))
    for body in room.bodies.values():
        settle_rates(room, body)
    return [room.fact("light", data={"old": old, "new": room.light})]


def drift(room: Truth, thing_id: str, prop: str) -> list[Fact]:
    """Take one step of a slow change; at its end let its consequence happen."""
    thing = room.things[thing_id]
    table = next(each for each in room.kind(thing)["drifts"] if each["prop"] == prop)
    old, until, step = thing.props.get(prop, 0), table["until"], table["step"]
    value = min(old + step, until) if step > 0 else max(old + step, until)
    facts = alter(room, thing_id, prop, value, f"drift.{prop}")
    if value == until and "then" in table:
        name, result = table["then"]
        if thing.props.get(name, 0) != result:
            facts += alter(room, thing_id, name, result, f"drift.{prop}")
            if "event" in table:
                facts.append(happening(room, table["event"], thing_id, loud=False))
    return facts
