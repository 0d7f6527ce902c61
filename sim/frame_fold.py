"""Folding the log into a frame, record by record. Each kind of record, and of fact, has one taker in a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agent.percept import NEEDS, SELF
from interventions.contract import INNER_VOICE
from interventions.gate import UNREAD
from sim.frame import (
    RESIDENT,
    Asked,
    Believed,
    BodyNow,
    Frame,
    Row,
    ThingNow,
    Thought,
    Words,
)
from sim.frame_facts import SAID_KEPT, Record, Taker, take_fact
from sim.frame_snapshot import frame_of_snapshot
from sim.stage import Stage


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
    frame.ordinals = {SELF: RESIDENT}
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
    elif data["what"] == "act":
        frame.visitor_cell = content.get("cell", frame.visitor_cell)
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


def _favour(frame: Frame, record: Record, data: Record) -> None:
    """Something asked of the visitor: open, promised, or closed by help, a no, or silence."""
    if data["state"] == "open":
        thing = frame.ordinals.get(data["target"], "")
        frame.favour = Asked("favour", record["tick"], data["due"], data["action"], thing)
    elif frame.favour is not None:
        told = replace(frame.favour, promised=True, due_tick=data.get("due", -1))
        frame.favour = told if data["state"] == "promised" else None


def _matter(frame: Frame, record: Record, data: Record) -> None:
    """Whoever negotiates has put something to the visitor; any other stance to the same matter ends the waiting."""
    if data.get("stance") == "negotiating":
        thing = frame.ordinals.get(data.get("target", 0), "")
        frame.offer = Asked("offer", record["tick"], data.get("due", -1), data.get("action", ""), thing, matter=record["id"])
    elif frame.offer is not None and frame.offer.matter == record["id"]:
        frame.offer = None


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
    prop, value = _set(data)
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
        themes=_themes(data),
        prop=prop,
        value=value,
    )


def _set(data: Record) -> tuple[str, int]:
    """Return the property that is set, and to what; ("", 0) where none is."""
    what = data.get("data") or {}
    return (str(what.get("prop", "")), int(what.get("value", 0))) if data["op"] == "set_prop" else ("", 0)


def _themes(data: Record) -> tuple[str, ...]:
    """Return the themes of an inner voice, as the gate keeps them."""
    if data["channel"] != INNER_VOICE:
        return ()
    return tuple(f"{INNER_VOICE}/{each}" for each in data["themes"] or (UNREAD,))


def _receipt(frame: Frame, record: Record, data: Record) -> None:
    row = frame.rows.get(record["id"])
    if row is not None and not row.receipt:
        frame.rows[record["id"]] = replace(row, receipt=data["status"], reason=data["reason"])
        if data["status"] == "accepted":
            for theme in row.themes:
                frame.themes[theme] = record["tick"]
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
    "fact": take_fact,
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
    "favour": _favour,
    "matter": _matter,
    "input": _input,
    "receipt": _receipt,
    "feedback": _feedback,
    "control": _control,
    "snapshot": _snapshot,
    "end": _end,
}
