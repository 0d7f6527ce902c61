"""Folding the log into a frame, record by record. Each kind of record, and of fact, has one taker in a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from agent.percept import NEEDS
from sim.frame import (
    RESIDENT,
    Believed,
    BodyNow,
    Doing,
    Frame,
    Happening,
    Row,
    ThingNow,
    Thought,
    Words,
)
from sim.frame_snapshot import frame_of_snapshot
from sim.stage import Stage
from world.floor import octant

SAID_KEPT = 8
EVENTS_KEPT = 6
Record = Mapping[str, Any]


def opening(stage: Stage) -> Frame:
    """Return the frame before the first record: the room file as it stands."""
    frame = Frame(stage)
    for each in stage.spec.things:
        frame.things[each.id] = ThingNow(
            each.id, each.kind, each.relation, each.place, each.cell, each.w, each.h, dict(each.props)
        )
    cell, heading = stage.spec.starts[RESIDENT]
    frame.bodies[RESIDENT] = BodyNow(RESIDENT, cell, heading)
    frame.channels = dict(stage.channels)
    frame.felt = (1000,) * len(NEEDS)
    return frame


def fold(stage: Stage, records: Iterable[Record]) -> Frame:
    """Return the frame after *records*."""
    frame = opening(stage)
    for record in records:
        take(frame, record)
    return frame


def take(frame: Frame, record: Record) -> None:
    """Fold one record into *frame*."""
    frame.tick = record["tick"]
    frame.records += 1
    taker = TAKERS.get(record["kind"])
    if taker is not None:
        taker(frame, record, record["data"])


# --- facts --------------------------------------------------------------------------------------------------------


def _fact(frame: Frame, record: Record, data: Record) -> None:
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
    text = str(data["data"].get("words", {}).get("text", ""))
    frame.said = (*frame.said, Words(record["tick"], data["doer"], text, record["id"]))[-SAID_KEPT:]


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


# --- the mind -----------------------------------------------------------------------------------------------------


def _round(frame: Frame, record: Record, data: Record) -> None:
    frame.felt, frame.felt_tick = tuple(data["felt"]), record["tick"]
    frame.mood = (data["mood"][0], data["mood"][1])
    frame.thought = Thought(
        record["id"],
        record["tick"],
        tuple(data["wakes"]),
        tuple(map(tuple, data["candidates"])),
        tuple(map(tuple, data["dropped"])),
        tuple(data["group"]),
        data["decided_by"],
        data["choice"],
        data["ask"],
    )


def _commit(frame: Frame, record: Record, data: Record) -> None:
    frame.commit = {**data, "id": record["id"], "tick": record["tick"], "causes": record["causes"]}
    frame.counts[data["decided_by"]] = frame.counts.get(data["decided_by"], 0) + 1


def _task(frame: Frame, record: Record, data: Record) -> None:
    if data["state"] in ("started", "resumed"):
        frame.task = {**frame.task, **data} if frame.task.get("id") == record["id"] else dict(data)
        frame.task |= {"id": record["id"], "tick": record["tick"]}
    elif frame.task.get("id") == record["id"] and data["state"] != "taken_on":
        frame.task = {}


def _request(frame: Frame, record: Record, data: Record) -> None:
    frame.request = {
        "id": record["id"],
        "tick": record["tick"],
        "type": data["type"],
        "deadline": data["deadline"],
        "reason": data["reason"],
        "group": data["group"],
        "open": True,
    }


def _ruling(frame: Frame, record: Record, data: Record) -> None:
    if data["what"] in ("commit", "end") and frame.request.get("id") == record["id"]:
        frame.request = {
            **frame.request,
            "open": False,
            "end": data["end"] or data["what"],
            "choice": data["choice"],
            "why": data["reason"],
            "because": data["because"],
            "end_tick": record["tick"],
        }


def _ordinal(frame: Frame, _record: Record, data: Record) -> None:
    frame.ordinals[data["ordinal"]] = data["world"]


def _percept(frame: Frame, record: Record, data: Record) -> None:
    content = data["content"]
    if data["what"] == "thing" and content.get("kind") != "region":
        relation, place = content.get("place", ("unknown", 0))
        frame.beliefs[data["of"]] = Believed(
            data["of"],
            content["kind"],
            content.get("cell", -1),
            relation,
            frame.ordinals.get(place, ""),
            dict(content.get("props", {})),
            record["tick"],
        )
    elif data["what"] == "person":
        frame.met = content.get("change") == "came"
        frame.visitor_cell = content.get("cell", -1) if frame.met else -1
    elif data["what"] in ("speech", "sound"):
        frame.heard = (*frame.heard, str(content.get("text") or content.get("sound", "")))[-SAID_KEPT:]
    elif data["what"] == "voice":
        words = Words(record["tick"], RESIDENT, str(content.get("text", "")), record["id"], inner=True)
        frame.said = (*frame.said, words)[-SAID_KEPT:]


def _belief(frame: Frame, record: Record, data: Record) -> None:
    ordinal = int(record["id"].rpartition("-")[2]) if record["id"].rpartition("-")[2].isdigit() else 0
    held = frame.beliefs.get(ordinal)
    if held is None:
        return
    news = {name: pair[1] for name, pair in data.get("news", {}).items()}
    place = news.pop("place", None)
    relation, at = (place[0], frame.ordinals.get(place[1], "")) if place else (held.relation, held.place)
    cell = news.pop("cell", held.cell)
    frame.beliefs[ordinal] = replace(
        held,
        relation=relation,
        place=at,
        cell=cell if isinstance(cell, int) else held.cell,
        props={**held.props, **news, **data.get("props", {})},
        lost=bool(data.get("lost", False)),
    )


def _digest(frame: Frame, record: Record, data: Record) -> None:
    if record["tick"] >= frame.felt_tick and "needs" in data:
        frame.felt, frame.felt_tick = tuple(data["needs"][name] for name in NEEDS), record["tick"]


def _boundary(frame: Frame, record: Record, data: Record) -> None:
    channel, _, theme = record["id"].partition("/")
    if not theme and channel in frame.channels:
        state = "confirm" if data["stance"] == "confirm" else data["stance"]
        frame.channels[channel] = {**frame.channels[channel], "state": state, "until_tick": None}


# --- the visitor's acts -------------------------------------------------------------------------------------------


def _input(frame: Frame, record: Record, data: Record) -> None:
    if record["id"] in frame.rows:
        return
    frame.rows[record["id"]] = Row(
        record["id"],
        data["channel"],
        data["op"],
        record["tick"],
        data["source"],
        data["object"],
        data["target"],
        data["text"],
        data["mark"],
    )


def _receipt(frame: Frame, record: Record, data: Record) -> None:
    row = frame.rows.get(record["id"])
    if row is not None and not row.receipt:
        frame.rows[record["id"]] = replace(row, receipt=data["status"], reason=data["reason"])
    if data["channel"] in frame.channels and data["remaining"]:
        frame.channels[data["channel"]] = dict(data["remaining"])


def _feedback(frame: Frame, record: Record, data: Record) -> None:
    row = frame.rows.get(record["id"])
    if row is not None and "perceived" in data:
        frame.rows[record["id"]] = replace(
            row,
            receipt=data["receipt"],
            perceived=data["perceived"],
            perceived_tick=data["perceived_tick"],
            stance=data["stance"],
            outcome=data["outcome"],
            reason=data["reason"],
        )


def _snapshot(frame: Frame, _record: Record, data: Record) -> None:
    """A child log goes on from a whole state."""
    begun = frame_of_snapshot(frame.stage, data["state"])
    for name in begun.__slots__:
        if name not in ("stage", "tick", "records"):
            setattr(frame, name, getattr(begun, name))


def _control(frame: Frame, _record: Record, data: Record) -> None:
    if data["op"] in ("pause", "resume"):
        frame.paused = data["op"] == "pause"
    elif data["op"] == "safe_stop":
        frame.status = "stopped"


def _end(frame: Frame, _record: Record, data: Record) -> None:
    frame.status = data["status"]
    frame.request = {**frame.request, "open": False}


TAKERS: dict[str, Taker] = {
    "fact": _fact,
    "round": _round,
    "commit": _commit,
    "task": _task,
    "request": _request,
    "ruling": _ruling,
    "ordinal": _ordinal,
    "percept": _percept,
    "belief": _belief,
    "digest": _digest,
    "boundary": _boundary,
    "input": _input,
    "receipt": _receipt,
    "feedback": _feedback,
    "control": _control,
    "snapshot": _snapshot,
    "end": _end,
}
