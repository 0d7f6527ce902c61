"""Light: the sky through the day, and the lamps. Thousandths of full daylight."""

from __future__ import annotations

from world.params import DAY_MS, LAMP_LIGHT, LAMP_SPILL, NIGHT_LIGHT, TWILIGHT_LIGHT, TWILIGHT_MS
from world.truth import Truth


def sky(room: Truth, tick: int) -> tuple[int, int]:
    """Return the daylight at *tick* and the ms until it changes."""
    now, dawn, dusk = room.clock_ms(tick), room.spec.dawn_ms, room.spec.dusk_ms
    dim, dark = dawn - TWILIGHT_MS, dusk + TWILIGHT_MS
    level = NIGHT_LIGHT
    for at, next_level in ((dim, TWILIGHT_LIGHT), (dawn, 1000), (dusk, TWILIGHT_LIGHT), (dark, NIGHT_LIGHT)):
        if now < at:
            return level, at - now
        level = next_level
    return level, dim + DAY_MS - now


def light_at(room: Truth, cell: int) -> int:
    """Return the light on a cell: the sky, or a lamp whose circle reaches it, or the spill of any lamp."""
    best = room.light
    if best < LAMP_LIGHT:
        for lamp, radius in lamps(room):
            level = LAMP_LIGHT if room.distance_mm(lamp, cell) <= radius else LAMP_SPILL
            best = max(best, level)
    return best


def lamps(room: Truth) -> list[tuple[int, int]]:
    """Return (cell, radius in mm) of the lamps that burn."""
    # A carried lamp moves with its bearer, so only lamps that stand are kept.
    if room._lamps_version != room.light_version:
        room._lamps = []
        for thing_id in room._lights:
            thing = room.things[thing_id]
            if thing.props.get("on") and not thing.props.get("broken") and not room.shut_in(thing):
                room._lamps.append((room.cell_of(thing_id), int(room.kind(thing).get("shines_mm", 3000))))
        room._lamps_version = room.light_version
    return room._lamps
