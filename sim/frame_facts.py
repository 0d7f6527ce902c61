"""Folding facts into a frame: what bodies do, where things go, what sounds. One taker for each kind of fact."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sim.frame import RESIDENT, VISITOR, BodyNow, Doing, Frame, Happening, Words
from world.floor import octant
from world.params import CELL_MM

SAID_KEPT = 8
EVENTS_KEPT = 6
Record = Mapping[str, Any]


def take_fact(frame: Frame, record: Record, data: Record) -> None:
    """Fold a fact into *frame*."""
    taker = FACTS.get(data["fact"])
    if taker is not None:
        taker(frame, record, data)


def _started(frame: Frame, record: Record, data: Record) -> None:
    body = frame.bodies.get(data["doer"])
    if body is None:
        return
    roles = data["data"].get("roles", {})
    command = record["causes"][0] if record["causes"] else ""
    doing = Doing(
        data["skill"],
        roles,
        record["tick"],
        data.get("until", record["tick"]),
        command,
        record["id"],
        tuple(data.get("path", ())),
        tuple(data.get("path_ticks", ())),
    )
    posture = frame.stage.postures.get(data["skill"], body.posture)
    seat = next(iter(roles.values()), "") if data["skill"] in frame.stage.postures else body.seat
    frame.bodies[body.id] = replace(body, cell=data["cell"], doing=doing, posture=posture, seat=seat)
    _changes(frame, data["data"].get("changed", ()), data["cell"])


def _ended(frame: Frame, _record: Record, data: Record) -> None:
    body = frame.bodies.get(data["doer"])
    if body is None:
        return
    inner = data["data"]
    heading = _last_heading(frame, body, data["cell"])
    role = frame.stage.faces.get(data["skill"], "")
    if role and inner.get("result") == "ok":
        heading = _toward(frame, data["cell"], inner["roles"].get(role, ""), heading)
    taken = data["skill"] in frame.stage.postures
    frame.bodies[body.id] = replace(
        body,
        cell=data["cell"],
        heading=heading,
        doing=None,
        posture="standing" if taken else body.posture,
        seat="" if taken else body.seat,
    )
    _changes(frame, inner.get("changed", ()), data["cell"])


def _last_heading(frame: Frame, body: BodyNow, cell: int) -> int:
    doing = body.doing
    if doing is None or cell not in doing.path:
        return body.heading
    cells = (body.cell, *doing.path)
    at = cells.index(cell, 1)
    return octant(cells[at - 1], cell, frame.stage.spec.width)


def _toward(frame: Frame, cell: int, place: str, heading: int) -> int:
    """Return the heading from *cell* to a thing, body or region."""
    other = frame.bodies.get(place)
    if other is not None:
        return frame.stage.toward(cell, other.cell, 1, 1, heading)
    thing = frame.things.get(place)
    if thing is None:
        return heading
    root = frame.root(thing)
    if isinstance(root, BodyNow):
        return frame.stage.toward(cell, root.cell, 1, 1, heading)
    return heading if root is None else frame.stage.toward(cell, root.cell, root.w, root.h, heading)


def _refused(frame: Frame, record: Record, data: Record) -> None:
    frame.happened = (
        *frame.happened,
        Happening(record["tick"], "refused", data["doer"], data["cell"], record["id"]),
    )[-EVENTS_KEPT:]


def _changes(frame: Frame, changed: Any, cell: int) -> None:
    """Take a skill's own list of changes: [thing or body, property, old, new]."""
    for name, prop, _old, new in changed:
        if prop == "place":
            relation, _, place = str(new).partition(" ")
            _hang(frame, name, relation, place, cell)
        elif prop == "posture" and name in frame.bodies:
            body = frame.bodies[name]
            frame.bodies[name] = replace(body, posture=new, seat="" if new == "standing" else body.seat)
        elif name in frame.things:
            thing = frame.things[name]
            frame.things[name] = replace(thing, props={**thing.props, prop: new})


def _hang(frame: Frame, name: str, relation: str, place: str, cell: int) -> None:
    """Put a thing elsewhere. On the floor it lies where the doer stands, if that is in the region."""
    thing = frame.things.get(name)
    if thing is None:
        return
    if relation == "at":
        region = next((each for each in frame.stage.spec.regions if each.id == place), None)
        if region is not None and cell not in region.cells:
            cell = region.cells[0]
        spec = frame.stage.spec
        x, y = min(cell % spec.width, spec.width - thing.w), min(cell // spec.width, spec.height - thing.h)
        cell = y * spec.width + x
    elif relation in ("on", "in"):
        cell = frame.things[place].cell
    else:
        cell = -1
    frame.things[name] = replace(thing, relation=relation, place=place, cell=cell)


def _state(frame: Frame, _record: Record, data: Record) -> None:
    inner, name = data["data"], data["subject"]
    if name in frame.bodies and inner["prop"] == "cell":
        frame.bodies[name] = replace(frame.bodies[name], cell=data["cell"], doing=None)
        return
    thing = frame.things.get(name)
    if thing is None:
        return
    if inner["prop"] == "place":
        relation, place = inner["new"]
        _hang(frame, name, relation, place, data["cell"])
        return
    if thing.relation == "out" and data["cell"] >= 0:
        _hang(frame, name, "at", frame.stage.region_at(data["cell"]), data["cell"])
        thing = frame.things[name]
    frame.things[name] = replace(thing, props={**thing.props, inner["prop"]: inner["new"]})


def _event(frame: Frame, record: Record, data: Record) -> None:
    what, name = str(data["data"].get("event", "")), data["subject"]
    thing = frame.things.get(name)
    if thing is not None and thing.relation == "out" and data["cell"] >= 0:
        _hang(frame, name, "at", frame.stage.region_at(data["cell"]), data["cell"])
    if what in ("rain", "rain_over"):
        frame.raining = what == "rain"
    frame.happened = (*frame.happened, Happening(record["tick"], what, name, data["cell"], record["id"]))[
        -EVENTS_KEPT:
    ]


def _sound(frame: Frame, record: Record, data: Record) -> None:
    what = str(data["data"].get("sound", ""))
    frame.happened = (
        *frame.happened,
        Happening(record["tick"], what, data["subject"], data["cell"], record["id"]),
    )[-EVENTS_KEPT:]


def _speech(frame: Frame, record: Record, data: Record) -> None:
    words = data["data"].get("words", {})
    text = str(words.get("text", ""))
    near = data["doer"] == VISITOR or _in_hearing(frame, data["cell"], data.get("loudness", 0))
    frame.said = (*frame.said, Words(record["tick"], data["doer"], text, record["id"], near=near))[-SAID_KEPT:]
    if data["doer"] != RESIDENT or not near:
        return
    matter = words.get("matter", "")
    if frame.offer is not None and not frame.offer.text and matter == frame.offer.matter:
        frame.offer = replace(frame.offer, text=text)
    elif frame.favour is not None and not frame.favour.text and not matter:
        frame.favour = replace(frame.favour, text=text)


def _in_hearing(frame: Frame, cell: int, loudness: int) -> bool:
    """Return whether what sounds at *cell* and carries *loudness* mm far reaches the visitor."""
    visitor, width = frame.bodies.get(VISITOR), frame.stage.spec.width
    if visitor is None:
        return False
    here = frame.cell_now(visitor, frame.tick)
    dx, dy = here % width - cell % width, here // width - cell // width
    return (dx * dx + dy * dy) * CELL_MM * CELL_MM <= loudness * loudness


def _entered(frame: Frame, _record: Record, data: Record) -> None:
    heading = frame.stage.spec.starts.get(data["doer"], (0, 6))[1]
    frame.bodies[data["doer"]] = BodyNow(data["doer"], data["cell"], heading)


def _left(frame: Frame, _record: Record, data: Record) -> None:
    frame.bodies.pop(data["doer"], None)
    for thing in [
        each for each in frame.things.values() if each.relation == "held" and each.place == data["doer"]
    ]:
        _hang(frame, thing.id, "at", frame.stage.region_at(data["cell"]), data["cell"])


def _light(frame: Frame, _record: Record, data: Record) -> None:
    frame.light = data["data"]["new"]


Taker = Callable[[Frame, Record, Record], None]
FACTS: dict[str, Taker] = {
    "skill_started": _started,
    "skill_ended": _ended,
    "skill_refused": _refused,
    "state": _state,
    "event": _event,
    "sound": _sound,
    "speech": _speech,
    "entered": _entered,
    "left": _left,
    "light": _light,
}
