"""The nine needs in closed form: a value, a rate, and since when. Nothing ticks.

A rate changes only when a skill starts or ends, a posture changes, or the room grows colder or warmer;
then the values are struck anew and one timer is set for the next crossing of a threshold.
"""

from __future__ import annotations

from world.params import (
    HOUR_MS,
    NEED_INDEX,
    NEED_MAX,
    NEED_UNIT,
    NEEDS,
    PAIN_DECAY_PER_HOUR,
    RESIDENT,
)
from world.things import Body, Fact
from world.truth import Truth

WARMTH = NEED_INDEX["warmth"]


def born(room: Truth, body: Body) -> None:
    """Give a new body its needs. Only the resident's needs are lived through."""
    start = room._needs["start"]
    body.need_values = [int(start[name]) * NEED_UNIT for name in NEEDS]
    body.need_rates = [0] * len(NEEDS)
    body.need_since = room.tick
    body.levels = [level_of(room, value) for value in body.need_values]


def level_of(room: Truth, value: int) -> int:
    """Return how many thresholds lie above the value: 0 comfortable to 4 critical."""
    return sum(1 for bound in room._bounds if value < bound)


def needs_at(room: Truth, body: Body, tick: int) -> tuple[int, ...]:
    """Return the nine needs at *tick* in thousandths, in the fixed order."""
    ms = (tick - body.need_since) * room.tick_ms
    return tuple(
        min(max(value + rate * ms, 0), NEED_MAX) // NEED_UNIT
        for value, rate in zip(body.need_values, body.need_rates, strict=True)
    )


def strike(room: Truth, body: Body) -> None:
    """Bring the stored values up to now."""
    ms = (room.tick - body.need_since) * room.tick_ms
    if ms:
        values = body.need_values
        for index, rate in enumerate(body.need_rates):
            value = values[index] + rate * ms
            values[index] = 0 if value < 0 else NEED_MAX if value > NEED_MAX else value
        body.need_since = room.tick


def settle_rates(room: Truth, body: Body) -> None:
    """Set the rates that the body's posture, skill and room now ask for, and the next crossing."""
    if body.id != RESIDENT:
        return
    key = rate_key(room, body)
    row = room._rate_rows.get(key)
    if row is None:
        row = room._rate_rows[key] = rate_row(room, body)
    if row != body.need_rates:
        strike(room, body)
        body.need_rates = list(row)
        room._dirty[body.id] = None
        schedule_crossing(room, body)


def rate_key(room: Truth, body: Body) -> str:
    posture = "asleep" if body.asleep else body.posture
    skill = body.running.skill if body.running is not None else ""
    return f"{posture}/{skill}/{warmth_of_room(room)}"


def rate_row(room: Truth, body: Body) -> list[int]:
    drift = room._needs["drift"]["asleep" if body.asleep else body.posture]
    hourly = [int(drift[name]) for name in NEEDS]
    if not body.asleep:
        hourly[WARMTH] += warmth_of_room(room)
    if body.running is not None:
        for need, value in room._skills[body.running.skill].rates:
            hourly[need] = value
    # What drains is scaled by the persona; what restores is not. Divided with the sign outside,
    # so that a drain and a gain of the same size are exactly opposite.
    return [per_ms(value * room.rates.get(name, 1000) if value < 0 else value * 1000)
            for name, value in zip(NEEDS, hourly, strict=True)]  # fmt: skip


def per_ms(milli_hourly: int) -> int:
    size = abs(milli_hourly) * NEED_UNIT // (HOUR_MS * 1000)
    return -size if milli_hourly < 0 else size


def warmth_of_room(room: Truth) -> int:
    """Return what the room adds to the warmth of whoever is awake, thousandths per hour."""
    table: dict[str, int] = room._needs["warmth"]
    total = table["day"] if room.light >= 1000 else table["night"]
    for thing_id in room._climate:
        props = room.things[thing_id].props
        if props.get("on") and not props.get("broken"):
            total += table["heater_on"]
        if props.get("open"):
            total += table["window_open"]
    return total


def schedule_crossing(room: Truth, body: Body) -> None:
    """Set the timer for the next time one of the body's needs crosses a threshold."""
    bounds, tick_ms, soonest = room._bounds, room.tick_ms, 0
    last = len(bounds)
    for value, rate, level in zip(body.need_values, body.need_rates, body.levels, strict=True):
        below = bounds[level] if level < last else -1
        if value < below or (level and value >= bounds[level - 1]):
            ticks = 1  # crossed at this very tick, but not yet told
        elif rate < 0:
            if below < 0:
                continue
            ticks = (value - below) // (-rate * tick_ms) + 1
        elif rate and level:
            ticks = -((value - bounds[level - 1]) // (rate * tick_ms))
        else:
            continue
        if ticks < soonest or not soonest:
            soonest = ticks
    if soonest:
        room.schedule(f"need/{body.id}", body.need_since + soonest)
    else:
        room.cancel(f"need/{body.id}")


def crossings(room: Truth, body: Body) -> list[Fact]:
    """Return the facts of the needs whose level is no longer what it was, and set the next crossing."""
    strike(room, body)
    facts = []
    for index, value in enumerate(body.need_values):
        level = level_of(room, value)
        if level != body.levels[index]:
            thresholds, was = room._needs["thresholds"], body.levels[index]
            down = level > was
            # The threshold that tells most: the lowest one fallen through, the highest one risen above.
            data = {"need": NEEDS[index], "direction": "down" if down else "up", "value": value // NEED_UNIT,
                    "level": thresholds[level - 1 if down else level], "band": level, "was": was}  # fmt: skip
            body.levels[index] = level
            facts.append(room.fact("need_crossed", doer=body.id, subject=body.id, data=data,
                                   cell=body.cell, visible=False))  # fmt: skip
    room._dirty[body.id] = None
    if body.id == RESIDENT:
        schedule_crossing(room, body)
    return facts


def add_need(room: Truth, body: Body, name: str, amount: int) -> None:
    """Add thousandths to a need, within its bounds. The caller reports crossings. A visitor's needs are not lived."""
    if body.id != RESIDENT:
        return
    strike(room, body)
    index = NEED_INDEX[name]
    old = body.need_values[index]
    body.need_values[index] = min(max(old + amount * NEED_UNIT, 0), NEED_MAX)
    room._dirty[body.id] = None
    room.note(body.id, f"need.{name}", old // NEED_UNIT, body.need_values[index] // NEED_UNIT)


def pain_at(room: Truth, body: Body, tick: int) -> int:
    """Return the body's pain at *tick*, 0 to 1000; it fades at a fixed pace."""
    faded = (tick - body.pain_since) * room.tick_ms * PAIN_DECAY_PER_HOUR // HOUR_MS
    return max(0, body.pain_value - faded)


def hurt(room: Truth, body: Body, amount: int) -> None:
    """Add pain, at most 1000 in all."""
    old = pain_at(room, body, room.tick)
    body.pain_value, body.pain_since = min(1000, old + amount), room.tick
    room._dirty[body.id] = None
    room.note(body.id, "pain", old, body.pain_value)


def ticks_until(room: Truth, body: Body, need: int, level: int, rates: dict[int, int]) -> int:
    """Return after how many ticks the need reaches *level* at the rate it will then have, or -1 if never."""
    strike(room, body)
    rate = per_ms(rates[need] * 1000) if need in rates else 0
    missing = level * NEED_UNIT - body.need_values[need]
    if missing <= 0:
        return 1
    return -(-missing // (rate * room.tick_ms)) if rate > 0 else -1
