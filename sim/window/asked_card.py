"""What the resident has asked of the visitor, with every answer there is: yes, no, do it, or let it be.

An answer is an utterance or an act like any other. To let it be hands in nothing: silence is an answer too.
"""

from __future__ import annotations

import pygame

from interventions.contract import DIALOGUE, PHYSICAL
from sim.frame import RESIDENT, VISITOR, Asked, Frame
from sim.window import ink as inks
from sim.window.acts import Act
from sim.window.kit import Kit, Rect
from sim.window.texts import Texts, span

HIGH, PAD = 94, 10
DONE_BY = {"give": "hand_over", "open": "open"}
"""Favour -> the operation that does it."""


def open_question(frame: Frame) -> Asked | None:
    """Return what waits for an answer of the visitor, once it was said in his hearing."""
    asked = frame.asked
    if asked is None or not asked.text or VISITOR not in frame.bodies:
        return None
    return asked


def favour_done(frame: Frame, asked: Asked) -> Act | None:
    """Return the act that does what was asked; None where there is nothing the hands could do."""
    op = DONE_BY.get(asked.action, "") if asked.kind == "favour" else ""
    if not op or asked.thing not in frame.things:
        return None
    held = frame.things[asked.thing].place == VISITOR
    return Act(op, asked.thing) if op != "hand_over" or held else None


def draw_asked(kit: Kit, texts: Texts, frame: Frame, asked: Asked, tick: int, room: Rect, talk: Rect | None) -> str:
    """Draw the question over *talk* if it fits there, else at the foot of *room*.

    Return the answer that was pressed: yes, no, do, let, or "".
    """
    stage, px = frame.stage, kit.px
    buttons, size, pad = _fitting(kit, texts, frame, asked, room.w - px(16 + 2 * PAD))
    wide = sum(kit.ink.width(words, size) + pad for _, words, _ in buttons) + px(6) * (len(buttons) - 1)
    said = f"“{asked.text}”"
    title = texts("asks_you", who=texts.name(stage, RESIDENT))
    if asked.promised:
        title = texts("promised", who=texts.name(stage, RESIDENT))
    lines = kit.ink.lines(said, 15, room.w - px(60), 2)
    box = Rect(0, 0, 0, px(HIGH - 24) + kit.ink.height(15) * len(lines))
    text_wide = max(kit.ink.width(each, 15, True) for each in (*lines, title)) + px(130)
    box.w = min(room.w - px(16), max(wide, text_wide) + px(2 * PAD))
    box.midbottom = (room.centerx, room.bottom - px(6))
    if talk is not None and talk.h >= box.h:
        box = talk.copy()
    kit.shade(box.move(0, 3), 60, 10)
    pygame.draw.rect(kit.surface, "#fff8ec", box, border_radius=10)
    pygame.draw.rect(kit.surface, inks.RED, box, 2, border_radius=10)
    x, y = box.x + px(PAD), box.y + px(6)
    kit.icon("handshake", (x + px(8), y + px(10)), 18, inks.DEEP_RED)
    kit.label(title, (x + px(24), y), 13, inks.DEEP_RED, bold=True)
    left = texts("answer_within", span=span(asked.due_tick - tick, stage.tick_ms)) if asked.due_tick > tick else ""
    kit.label(left, (box.right - px(PAD), y), 12, inks.DIM, anchor="topright")
    y += px(22)
    for line in lines:
        kit.label(line, (x, y), 15, bold=True)
        y += kit.ink.height(15)
    kit.node("asked", "label", box, asked.text, {"kind": asked.kind, "thing": asked.thing, "promised": asked.promised})
    y, answer = y + px(4), ""
    for name, words, allowed in buttons:
        place = Rect(x, y, kit.ink.width(words, size) + pad, px(30))
        if kit.button(f"answer.{name}", place, words, size=size, on=name in ("yes", "do"), enabled=allowed):
            answer = name
        x = place.right + px(6)
    return answer


Buttons = list[tuple[str, str, bool]]


def _fitting(kit: Kit, texts: Texts, frame: Frame, asked: Asked, room: int) -> tuple[Buttons, int, int]:
    """Return the buttons, the size of their words and the space around: every answer fits into *room* and can be read."""
    full, brief = (_buttons(texts, frame, asked, brief=brief) for brief in (False, True))
    gaps = kit.px(6) * (len(full) - 1)
    for buttons, sizes, pad in ((full, (13, 12), 24), (brief, (13, 12), 24), (brief, (11, 10, 9, 8), 14)):
        size = kit.size_for([words for _, words, _ in buttons], room - gaps - len(buttons) * kit.px(pad), sizes)
        if size:
            return buttons, size, kit.px(pad)
    return brief, 8, kit.px(14)


def _buttons(texts: Texts, frame: Frame, asked: Asked, *, brief: bool) -> Buttons:
    stage = frame.stage
    talks = stage.channels[DIALOGUE]["state"] != "closed" and "say" in stage.operations[DIALOGUE]
    found = [] if asked.promised else [
        (how, f"{key}  {texts(f'{how}_{asked.kind}')}", talks) for how, key in (("yes", "O"), ("no", "N"))
    ]
    act = favour_done(frame, asked)
    if act is not None:
        op = texts.of("op", act.op)
        words = f"H  {op}" if brief else texts("answer_do_key", op=op, x=texts.name(stage, act.object))
        allowed = act.op in stage.operations[PHYSICAL]
        found.insert(0 if asked.promised else 1, ("do", words, allowed))
    return [*found, ("let", texts("answer_let_key"), True)]
