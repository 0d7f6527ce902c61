"""The inspector: what is known of one person, thing or moment, and the chain from cause to outcome."""

from __future__ import annotations

from sim.frame import BodyNow, Frame, ThingNow
from sim.frame_sight import opaque, seen
from sim.reel import Reel
from sim.window.kit import Kit, Rect
from sim.window.panels import draw_lines
from sim.window.record_words import icon_of, words_of
from sim.window.texts import Texts

Line = tuple[str, str, str]


def draw_inspector(
    kit: Kit, texts: Texts, frame: Frame, reel: Reel | None, rect: Rect, selected: str, tick: int
) -> tuple[str, int] | None:
    """Draw all about *selected* (a thing, a body, or a record at *tick*); return a record that was pressed and its tick."""
    name, at = chain_start(frame, selected, tick)
    lines, title = about(texts, frame, selected), ""
    if selected in frame.things or selected in frame.bodies:
        title = texts.name(frame.stage, selected)
    elif selected in frame.rows:
        title = texts.row(frame, frame.rows[selected])
    pressed = [""] * len(lines)
    if reel is not None:
        rows = reel.chain(name, at) if name else []
        if rows:
            lines.append(("", "", f"— {texts('chain')} —"))
            pressed.append("")
        title = title or next((words_of(texts, frame.stage, frame.ordinals, row) for row in rows if row["id"] == selected), "")
        for row in rows:
            lines.append(
                (
                    icon_of(row),
                    texts.clock(frame.stage, row["tick"]),
                    words_of(texts, frame.stage, frame.ordinals, row),
                )
            )
            pressed.append(f"{row['id']}@{row['tick']}" if row["id"] else "")
    title = title or selected or texts("inspector")
    kit.node("inspector.title", "label", Rect(rect.x, rect.y, rect.w, kit.px(34)), title)
    title = kit.ink.cut(title, 15, rect.w - kit.px(64), True)
    hit = draw_lines(
        kit,
        rect,
        "inspector",
        title,
        lines or [("", "", texts("nothing_selected"))],
        pressed,
    )
    if not hit:
        return None
    found, _, when = hit.rpartition("@")
    return found, int(when)


def chain_start(frame: Frame, selected: str, tick: int) -> tuple[str, int]:
    """Return the record at which the chain of *selected* begins, and its tick."""
    body = frame.bodies.get(selected)
    if body is not None:
        return (body.doing.fact, body.doing.start_tick) if body.doing is not None else ("", tick)
    row = frame.rows.get(selected)
    if row is not None:
        return row.id, row.tick
    return ("", tick) if selected in frame.things else (selected, tick)


def about(texts: Texts, frame: Frame, selected: str) -> list[Line]:
    """Return what is so and what the resident holds to be so of *selected*."""
    thing, body = frame.things.get(selected), frame.bodies.get(selected)
    if thing is not None:
        return _thing(texts, frame, thing)
    return _body(texts, frame, body) if body is not None else []


def _thing(texts: Texts, frame: Frame, thing: ThingNow) -> list[Line]:
    props = ", ".join(texts.prop(name, value) for name, value in thing.props.items())
    lines = [
        ("map-marker", texts("place"), texts.thing_line(frame, thing)),
        ("cog", texts("props"), props or "—"),
    ]
    held = next(
        (each for each in frame.beliefs.values() if frame.ordinals.get(each.ordinal) == thing.id), None
    )
    if held is None:
        return [*lines, ("thought-bubble", texts("held_so"), texts("never_seen"))]
    told = texts("lost") if held.lost else texts.place(frame.stage, held.relation, held.place)
    known = ", ".join(texts.prop(name, value) for name, value in held.props.items())
    lines.append(("thought-bubble", texts("held_so"), f"{told} · {known}" if known else told))
    lines.append(("clock-outline", "", f"#{held.ordinal} · {texts.clock(frame.stage, held.tick)}"))
    resident = frame.bodies.get("resident")
    if resident is not None:
        cell = frame.cell_now(resident, frame.tick)
        _, _, heading = frame.place(resident, frame.tick)
        view = thing.id in seen(frame, resident, cell, heading, opaque(frame))
        word = "hidden" if frame.shut_in(thing) else "seen_now" if view else "not_seen"
        lines.append(("eye" if view else "eye-off", "", texts(word)))
    return lines


def _body(texts: Texts, frame: Frame, body: BodyNow) -> list[Line]:
    lines = [("walk", texts("doing"), texts.doing(frame, body))]
    holding = ", ".join(texts.name(frame.stage, each.id) for each in frame.held(body.id))
    lines.append(("hand-front-right", texts("holds"), holding or "—"))
    region = frame.stage.region_at(frame.cell_now(body, frame.tick))
    lines.append(("map-marker", texts("place"), texts.name(frame.stage, region) if region else "—"))
    return lines
