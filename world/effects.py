"""The words of effects, done to the truth. Each is done whole or, told beforehand by `obstacle`, not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from world.floor import nearest_cell, octant, place_box
from world.hands import drop, hands_free, move, put_into, set_prop
from world.needs import add_need
from world.params import SILENT, SOUND_MM
from world.predicates import can_reach, can_take
from world.skills import EFFECTS, Clause
from world.things import Body, Fact, Running
from world.truth import Truth

TOSSED_FILL: Final = 60  # what one thrown thing adds to a bin, thousandths of its room


def obstacle(room: Truth, body: Body, effects: tuple[Clause, ...], roles: dict[str, str]) -> str:
    """Return why one of the effects cannot be done now, or an empty string."""
    for clause in effects:
        word = clause[0]
        if word == "take" and (not hands_free(body) or not can_reach(room, body, roles[clause[1]])):
            return "out_of_hand"
        if word in ("put", "toss") and not can_take(room, roles[clause[2]], roles[clause[1]]):
            return "no_space"
        if word == "give":
            other = room.bodies.get(roles[clause[2]])
            if other is None or other is body or not hands_free(other):
                return "hands_full"
    return ""


def apply(room: Truth, body: Body, clause: Clause, running: Running) -> list[Fact]:
    """Do one effect and return the facts that others may perceive of it."""
    return WORDS[clause[0]](room, body, clause, running) or []


def take(room: Truth, body: Body, clause: Clause, run: Running) -> None:
    move(room, room.things[run.roles[clause[1]]], "held", body.id)


def put(room: Truth, body: Body, clause: Clause, run: Running) -> None:
    put_into(room, room.things[run.roles[clause[1]]], run.roles[clause[2]], body.cell)


def let_fall(room: Truth, body: Body, clause: Clause, run: Running) -> list[Fact]:
    name = run.roles[clause[1]]
    drop(room, room.things[name], body.cell)
    return [sound(room, body, "crash", name, run)]


def give(room: Truth, _body: Body, clause: Clause, run: Running) -> None:
    move(room, room.things[run.roles[clause[1]]], "held", run.roles[clause[2]])


def set_to(room: Truth, _body: Body, clause: Clause, run: Running) -> None:
    set_prop(room, room.things[run.roles[clause[1]]], clause[2], clause[3])


def add(room: Truth, _body: Body, clause: Clause, run: Running) -> None:
    thing = room.things[run.roles[clause[1]]]
    set_prop(room, thing, clause[2], max(0, thing.props.get(clause[2], 0) + clause[3]))


def pour(room: Truth, _body: Body, clause: Clause, run: Running) -> None:
    """Pour as much as fits. Volumes are ml; the mixture's warmth is the mean by volume. Nothing is made."""
    source, target = room.things[run.roles[clause[1]]], room.things[run.roles[clause[2]]]
    from_ml, to_ml = int(room.kind(source)["volume_ml"]), int(room.kind(target)["volume_ml"])
    there = target.props["fill"] * to_ml // 1000
    poured = min(source.props["fill"] * from_ml // 1000, to_ml - there)
    if source is not target and poured > 0:
        heat = there * target.props["temperature"] + poured * source.props["temperature"]
        # Rounded so that the source always loses at least what the target gains.
        set_prop(room, source, "fill", source.props["fill"] - -(-poured * 1000 // from_ml))
        set_prop(room, target, "fill", min(1000, (there + poured) * 1000 // to_ml))
        set_prop(room, target, "temperature", heat // (there + poured))


def consume(room: Truth, _body: Body, clause: Clause, run: Running) -> None:
    move(room, room.things[run.roles[clause[1]]], "out", "")


def need(room: Truth, body: Body, clause: Clause, _run: Running) -> None:
    add_need(room, body, clause[1], clause[2])


def posture(room: Truth, body: Body, clause: Clause, _run: Running) -> None:
    set_posture(room, body, clause[1])


def set_posture(room: Truth, body: Body, wanted: str) -> None:
    """Set the posture. Standing up frees the seat."""
    if wanted == "standing" and body.seat:
        set_prop(room, room.things[body.seat], "occupied", 0)
        body.seat = ""
    if wanted != body.posture:
        room.note(body.id, "posture", body.posture, wanted)
        body.posture = wanted
    room.touch(body.id)


def seat(room: Truth, body: Body, clause: Clause, run: Running) -> None:
    take_seat(room, body, run.roles[clause[1]])


def take_seat(room: Truth, body: Body, seat_id: str) -> None:
    """Make the body the one who sits or lies there."""
    body.seat = seat_id
    set_prop(room, room.things[seat_id], "occupied", 1)
    room.touch(body.id)


def face(room: Truth, body: Body, clause: Clause, run: Running) -> None:
    turn_to(room, body, run.roles[clause[1]])


def turn_to(room: Truth, body: Body, place_id: str) -> None:
    """Turn the body toward a place that is in the room."""
    anchor, w, h = place_box(room, place_id)
    if anchor < 0:
        anchor, w, h = room.cell_of(place_id), 1, 1
    if anchor < 0:
        return
    goal = nearest_cell(body.cell, anchor, w, h, room.spec.width)
    if goal != body.cell:
        heading = octant(body.cell, goal, room.spec.width)
        if heading != body.heading:
            body.heading = heading
            room.touch(body.id)


def goto(room: Truth, body: Body, clause: Clause, run: Running) -> None:
    # The steps of the walk have already brought the body here; what is left is to turn to the place.
    turn_to(room, body, run.roles[clause[1]])


def emit(room: Truth, body: Body, clause: Clause, run: Running) -> list[Fact]:
    word = clause[1]
    subject = next(iter(run.roles.values()), "")
    return [sound(room, body, word, subject, run)]


def sound(room: Truth, body: Body, word: str, subject: str, run: Running) -> Fact:
    kind = word if word in ("speech", "gesture") else "attention" if word in SILENT else "sound"
    data = {"words": dict(run.words)} if kind in ("speech", "gesture") else {"emit": word, "sound": word}
    return room.fact(
        kind, doer=body.id, subject=subject, skill=run.skill, cause=run.cause, data=data, cell=body.cell,
        loudness=SOUND_MM.get(word, 0), visible=word not in SILENT,
    )  # fmt: skip


def toss(room: Truth, _body: Body, clause: Clause, run: Running) -> None:
    thing, bin_thing = room.things[run.roles[clause[1]]], room.things[run.roles[clause[2]]]
    move(room, thing, "in", bin_thing.id)
    set_prop(room, bin_thing, "fill", min(1000, bin_thing.props.get("fill", 0) + TOSSED_FILL))


Word = Callable[[Truth, Body, Clause, Running], "list[Fact] | None"]
WORDS: Final[dict[str, Word]] = {
    "take": take, "put": put, "drop": let_fall, "give": give, "set": set_to, "add": add, "pour": pour,
    "consume": consume, "need": need, "posture": posture, "seat": seat, "face": face, "goto": goto,
    "emit": emit, "toss": toss,
}  # fmt: skip
assert tuple(WORDS) == tuple(EFFECTS), "every effect of the table has one meaning"
