"""The digest of the room, kept up by parts: each thing, body and timer adds its own hash to one sum.

A change subtracts the old hash of its part and adds the new one, so a digest costs as much as what changed.
The part hashes are 128-bit numbers added modulo 2^128, so the order of parts does not matter.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any, Final

from world.things import Body
from world.truth import Truth

MASK: Final = (1 << 128) - 1
ENCODE: Final = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode


def digest(room: Truth, fresh: bool = False) -> str:
    """Return the digest of the whole room as 32 hex digits. *fresh* computes all parts anew."""
    if fresh or not room._sums:
        sums = {key: part(room, key) for key in keys(room)}
        total = sum(sums.values()) & MASK
        if not fresh:
            room._sums, room._sum = sums, total
            room._dirty = {}
    else:
        total = refresh(room)
    head = ENCODE([room.room_id, room.tick_ms, room.start_ms, room.order, room.fact_count, room.light,
                   room.light_version, room.layout_version, room.raining, room.rates])  # fmt: skip
    return blake2b(b"%032x" % total + head.encode(), digest_size=16).hexdigest()


def keys(room: Truth) -> list[str]:
    return [*room.things, *room.bodies, *("due/" + key for key in room.due)]


def refresh(room: Truth) -> int:
    """Bring the sum up to date with the parts marked dirty."""
    total, sums = room._sum, room._sums
    for key in room._dirty:
        total -= sums.pop(key, 0)
        if key in room.things or key in room.bodies or key[4:] in room.due:
            sums[key] = value = part(room, key)
            total += value
    room._dirty = {}
    room._sum = total = total & MASK
    return total


def part(room: Truth, key: str) -> int:
    """Return the hash of one part."""
    thing = room.things.get(key)
    row: list[Any]
    if thing is not None:
        row = [
            key,
            thing.kind,
            thing.relation,
            thing.place,
            thing.cell,
            thing.w,
            thing.h,
            thing.props,
            thing.home,
        ]
    elif key in room.bodies:
        row = body_row(room.bodies[key])
    else:
        row = [key, *room.due[key[4:]]]
    return int.from_bytes(blake2b(ENCODE(row).encode(), digest_size=16).digest(), "big")


def body_row(body: Body) -> list[Any]:
    run = body.running
    row: list[Any] = [body.id, body.cell, body.heading, body.posture, body.seat, body.holding, body.asleep,
                      body.need_values, body.need_rates, body.need_since, body.levels, body.pain_value,
                      body.pain_since]  # fmt: skip
    if run is not None:
        row += [run.skill, run.roles, run.amount, run.words, run.cause, run.start_tick, run.end_tick, run.timed_out,
                run.posture_before, run.stop, run.path, run.path_ticks, run.path_next]  # fmt: skip
    return row
