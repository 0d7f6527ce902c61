"""Play: a person is the visitor. Every key and button hands in an act; the log tells what came of it.

The window changes nothing by itself: it draws the frame folded from the records, and hands in acts by `Live.act`,
through the same gate as script and API.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pygame

from interventions.contract import DIALOGUE, INNER_VOICE
from sim.frame import VISITOR
from sim.frame_view import unseen_by_visitor
from sim.window import ink as inks
from sim.window.acts import Act, acts_on, nearby
from sim.window.asked_card import draw_asked
from sim.window.canvas import Canvas
from sim.window.inspector import draw_inspector
from sim.window.instructions import draw_instructions
from sim.window.keys_panel import draw_keys
from sim.window.kit import Rect
from sim.window.play_hands import REAL, SETTLE_S, SPEEDS, PlayHands

SPEAK_H, BAR_H, ACTS_H = 88, 48, 44
NEAR_MOST = 12
CONFIRMING = (pygame.K_RETURN, pygame.K_KP_ENTER, pygame.K_SPACE)
FREE_KEYS = (pygame.K_F1, pygame.K_F6, pygame.K_F7, pygame.K_F9)


class PlayScreen(PlayHands):
    """A live run on the screen."""

    _near: tuple[Any, list[str]] = (None, [])

    # --- drawing ----------------------------------------------------------------------------------------------

    def draw(self, events: list[pygame.event.Event]) -> None:
        """Take the events and draw the frame."""
        kit = self.kit
        kit.surface = self.surface
        self.hear_held(events)
        kit.begin(events)
        self.surface.fill(inks.GROUND)
        kit.modal = Rect(0, 0, 0, 0) if self.help or self.intro else None
        width, high = self.surface.get_size()
        gap, bar = kit.px(8), kit.px(BAR_H)
        self.draw_body(Rect(gap, gap, width - 2 * gap, high - bar - 3 * gap))
        self._draw_bar(Rect(gap, high - bar - gap, width - 2 * gap, bar))
        if self.notice_left > 0 and self.notice:
            self._draw_notice(width)
        self._draw_over()
        kit.end()
        typing = kit.typing
        for key in kit.keys:
            if kit.take_key(key) or self.intro or (self._settling and key.key in CONFIRMING):
                continue
            if typing and not key.mod & pygame.KMOD_CTRL and key.key not in FREE_KEYS:
                continue
            if not self.press(key) and key.unicode.strip():
                self.say(self.theatre.texts("unmapped", key=pygame.key.name(key.key)))

    def _draw_over(self) -> None:
        kit = self.kit
        if self.intro:
            kit.modal = self.surface.get_rect()
            if draw_instructions(kit, self.theatre.texts, self.live.stage):
                self.intro = False
                self._settling = SETTLE_S
                kit.focus = ""
        elif self.help:
            kit.modal = self.surface.get_rect()
            if draw_keys(kit, self.theatre.texts, self.keys_shown):
                self.help = False

    def draw_body(self, body: Rect) -> None:
        """Draw the room, the acts on what is chosen, the panels and the text box."""
        kit, gap, live = self.kit, self.kit.px(8), self.live
        side = self.theatre.column_width(body.w)
        acts = kit.px(ACTS_H)
        room = Rect(body.x, body.y, body.w - side - gap, body.h - acts - gap)
        self.canvas = self.theatre.stage(live.frame, live.shown_tick, room)
        if self._draw_question(self.canvas.rect):
            kit.pressed = False  # What lies under the card is not meant.
        self.point(self.canvas)
        self._draw_acts(Rect(body.x, body.bottom - acts, room.w, acts))
        speak = kit.px(SPEAK_H)
        column = Rect(body.right - side, body.y, side, body.h - speak - gap)
        self.draw_side(column)
        self._draw_speak(Rect(column.x, body.bottom - speak, side, speak))

    def _draw_question(self, room: Rect) -> bool:
        """What the resident asks, or that the run is over, at the foot of the room; return whether the pointer is on it."""
        kit, texts, live = self.kit, self.theatre.texts, self.live
        if live.over:
            if live.result is not None:
                self.theatre.notice(room, texts("run_over", path=Path(live.result["log"] or "-").name))
            return False
        asked = self.question
        if asked is None:
            return False
        answer = draw_asked(kit, texts, live.frame, asked, live.tick, room, self.theatre.talk)
        if answer:
            self.answer(answer)
        return kit.tree["asked"].rect.collidepoint(kit.mouse)

    def draw_side(self, column: Rect) -> None:
        """Draw the panels, or the inspector in place of the feedback."""
        kit, texts, look = self.kit, self.theatre.texts, self.theatre.look
        tick = self.live.tick
        if self.inspecting and self.open_reel is not None:
            self.reel = self.reel or self.open_reel()
            if self.reel is not None:
                self.reel.grow(20_000)
                self.theatre.side(self.live.frame, tick, column, title="", inspector=True)
                place = self.theatre.below
                draw_inspector(kit, texts, self.live.frame, self.reel, place, look.selected, tick)
                close = Rect(place.right - kit.px(40), place.y + kit.px(5), kit.px(34), kit.px(28))
                if kit.button("inspector.close", close, icon="close-thick", tip=texts("close")):
                    self.choose("")
                return
        pressed = self.theatre.side(self.live.frame, tick, column, title=texts("feedback"))
        if pressed:
            self.choose(pressed)

    def point(self, canvas: Canvas) -> None:
        """A click chooses a thing, or walks to a bare spot."""
        kit, spec = self.kit, self.live.stage.spec
        if (
            not kit.pressed
            or kit.modal is not None
            or not canvas.inner.inflate(30, 30).collidepoint(kit.mouse)
        ):
            return
        name = canvas.under(kit.mouse)
        if (
            name
            and self.live.frame.things.get(name) is not None
            and self.live.frame.things[name].kind in ("rug", "mat")
        ):
            name = ""
        if name:
            self.choose(name)
            return
        self.choose("")
        cell = canvas.cell(kit.mouse, spec.width, spec.height)
        if cell >= 0:
            self.walk_to(cell)

    def _draw_acts(self, rect: Rect) -> None:
        """The acts on what is chosen, with their number keys."""
        kit, texts, frame = self.kit, self.theatre.texts, self.live.frame
        kit.panel(rect)
        name = self.theatre.look.selected
        acts = acts_on(frame, name)
        chosen = name in frame.things or name in frame.bodies
        if not chosen and not acts:
            self._draw_near(rect)
            return
        outside = VISITOR not in frame.bodies
        title = texts.name(frame.stage, name) if chosen and not outside else texts("door_before_you")
        x = rect.x + kit.px(12)
        shown = kit.label(
            title,
            (x, rect.centery),
            14,
            bold=chosen and not outside,
            color=inks.TEXT if chosen and not outside else inks.DIM,
            anchor="midleft",
            width=rect.w // 3,
        )
        kit.node("chosen", "label", shown, title, name)
        x, gap = shown.right + kit.px(14), kit.px(6)
        words, size, pad = self._act_words(acts, rect.right - gap - x)
        for act, text in zip(acts, words, strict=True):
            wide = kit.ink.width(text, size) + pad
            place = Rect(x, rect.y + gap, wide, rect.h - 2 * gap)
            tip = "" if act.declared else texts.reason("operation_not_declared")
            if kit.button(f"act.{act.op}", place, text, enabled=act.declared and not self.live.over, size=size, tip=tip):
                self.do(act)
            x += wide + gap

    def _act_words(self, acts: list[Act], room: int) -> tuple[list[str], int, int]:
        """Return the words of the acts, their size and the space around: every act fits into *room*, if need be without where to."""
        kit, texts, stage = self.kit, self.theatre.texts, self.live.frame.stage
        brief = [f"{at + 1}  {texts.of('op', act.op)}" for at, act in enumerate(acts)]
        full = [
            f"{words} → {texts.name(stage, act.target)}" if act.op == "put" else words
            for words, act in zip(brief, acts, strict=True)
        ]
        gaps = kit.px(6) * (len(acts) - 1)
        for words, sizes, pad in ((full, (13, 12), 24), (brief, (13, 12), 24), (full, (11, 10), 14), (brief, (11, 10, 9, 8), 14)):
            size = kit.size_for(words, room - gaps - len(acts) * kit.px(pad), sizes)
            if size:
                return words, size, kit.px(pad)
        return brief, 8, kit.px(14)

    def _draw_near(self, rect: Rect) -> None:
        """Nothing is chosen: what lies nearest, to be chosen by its name."""
        kit, texts, frame = self.kit, self.theatre.texts, self.live.frame
        near = [] if self.live.over else self._near_now()
        words = texts("near_you") if near else texts("nothing_selected")
        shown = kit.label(words, (rect.x + kit.px(12), rect.centery), 14, inks.DIM, anchor="midleft", width=rect.w - kit.px(24))
        kit.node("chosen", "label", shown, words, "")
        x = shown.right + kit.px(12)
        for name in near:
            text = texts.name(frame.stage, name)
            wide = kit.ink.width(text, 13) + kit.px(22)
            if x + wide > rect.right - kit.px(6):
                break
            if kit.button(f"near.{name}", Rect(x, rect.y + kit.px(6), wide, rect.h - kit.px(12)), text, size=13, tip="V"):
                self.choose(name)
            x += wide + kit.px(6)

    def _near_now(self) -> list[str]:
        """Return what lies nearest and can be handled; found anew when a record or a step has changed it."""
        frame, tick = self.live.frame, self.live.shown_tick
        visitor = frame.bodies.get(VISITOR)
        key = (frame.records, -1 if visitor is None else frame.cell_now(visitor, tick), self.theatre.look.researcher)
        if key != self._near[0]:
            hidden = frozenset() if self.theatre.look.researcher else unseen_by_visitor(frame, tick)
            useful = (each for each in nearby(frame, hidden, tick) if self.offers(each))
            self._near = (key, list(islice(useful, NEAR_MOST)))
        return self._near[1]

    def _draw_speak(self, rect: Rect) -> None:
        kit, texts, px = self.kit, self.theatre.texts, self.kit.px
        kit.panel(rect)
        y, high = rect.y + px(8), px(30)
        talks = self.channel == DIALOGUE
        mark = texts(self.mark) if self.mark else texts("auto")
        buttons: tuple[tuple[str, str, str, bool, bool, str, Callable[[], None]], ...] = (
            ("ch.speech", texts("speak"), "chat", talks, True, f"{texts('speak')} (T)", lambda: self.turn_to(DIALOGUE)),
            ("ch.inner", texts("inner"), "thought-bubble", not talks, True, f"{texts('inner')} (Y)", lambda: self.turn_to(INNER_VOICE)),
            ("mark", mark, "message-text", False, talks, f"{texts('mark')} (M)", self.next_mark),
            ("stop", texts("stop"), "shield-check", False, not self.live.over, f"{texts('stop')} (F9)", self.stop),
        )
        wides = _shared([kit.ink.width(each[1], 13) + px(44) for each in buttons], rect.w - px(16), px(6), px(40))
        x = rect.x + px(8)
        for (name, words, icon, on, enabled, tip, act), wide in zip(buttons, wides, strict=True):
            place = Rect(x, y, wide, high)
            if kit.button(name, place, words, icon, on=on, danger=name == "stop", enabled=enabled, tip=tip, size=13):
                act()
            x += wide + px(6)
        box = Rect(rect.x + px(8), y + high + px(8), rect.w - px(16), px(34))
        sent = kit.textbox("say", box, texts("say_hint" if self.channel == DIALOGUE else "whisper_hint"))
        if sent is not None:
            self.send(sent)
            kit.focus = ""  # The keys walk again.

    def _draw_bar(self, rect: Rect) -> None:
        kit, texts, live, px = self.kit, self.theatre.texts, self.live, self.kit.px
        kit.panel(rect)
        side, x, y = px(32), rect.x + px(8), rect.y + px(8)
        if kit.button(
            "pause",
            Rect(x, y, px(110), side),
            texts("resume" if self.standing else "pause"),
            "play" if self.standing else "pause",
            on=self.standing,
            tip=texts("play_pause"),
            enabled=not live.over,
        ):
            self.pause()
        x += px(118)
        for name, icon, step in (("slower", "minus", -1), ("faster", "plus", 1)):
            if kit.button(name, Rect(x, y, side, side), icon=icon, tip=texts("speed")):
                self.set_speed(self.speed + step)
            x += side + px(4)
        speed = (
            texts("max")
            if self.speed == len(SPEEDS) - 1 or live.until_telling
            else f"{SPEEDS[self.speed]:g}×"
        )
        if live.asking and self.speed > REAL:
            speed = texts("slowed")
        shown = kit.label(speed, (x + px(6), rect.centery), 15, bold=True, anchor="midleft")
        kit.node("speed", "label", shown, speed, self.speed)
        x = max(shown.right, x + px(50)) + px(10)
        if kit.button(
            "until",
            Rect(x, y, side, side),
            icon="clock-fast",
            on=live.until_telling,
            tip=texts("until_event"),
        ):
            self.until()
        x += side + px(14)
        short = texts.clock(live.stage, live.tick)
        day = f"{texts.day(live.stage, live.tick)}  {short}"
        room = rect.right - x - px(330 if rect.w >= px(880) else 140)
        clocks = (f"{day}   {texts('tick_open', n=f'{live.tick:,}')}", day, short)
        clock = next((each for each in clocks if kit.ink.width(each, 15) <= room), short)
        label = kit.label(clock, (x, rect.centery), 15, anchor="midleft")
        kit.node("t.clock", "label", label, clock, live.tick)
        self._draw_state(rect, label.right)

    def _draw_state(self, rect: Rect, taken: int) -> None:
        kit, texts, live, px = self.kit, self.theatre.texts, self.live, self.kit.px
        word, color = (
            ("ended", inks.GREY)
            if live.over
            else ("paused", inks.DEEP_RED)
            if live.paused
            else ("live", inks.DEEP_GREEN)
        )
        if live.over and live.session.state.stopped:
            word = "stopped"
        if live.stage.mode == "debug" and not live.over:
            word, color = "debug", inks.DEEP_RED
        right = rect.right - px(10)
        chip = kit.chip("t.mode", texts(word), (right, rect.centery), color, anchor="midright", filled=True)
        right = chip.x - px(8)
        if right - taken < px(44):
            return
        button = Rect(right - px(32), rect.y + px(8), px(32), px(32))
        if kit.button("help", button, icon="help-circle-outline", tip=texts("help") + " (F1)"):
            self.toggle_help()
        right = button.x - px(6)
        if self.may_switch and right - taken > px(150):
            name = "participant" if not self.theatre.look.researcher else f"view_{self.theatre.look.view}"
            place = Rect(right - px(134), rect.y + px(8), px(134), px(32))
            if kit.button("t.view", place, texts(name), "eye", tip="F7", size=13):
                self.next_view()
            right = place.x - px(8)
        if live.asking and self.theatre.look.researcher:
            kit.chip(
                "asking", texts("thinking"), (right, rect.centery), inks.BLUE, "brain", anchor="midright"
            )

    def _draw_notice(self, width: int) -> None:
        kit = self.kit
        text = kit.ink.cut(self.notice, 14, width - kit.px(80))
        box = Rect(0, 0, kit.ink.width(text, 14) + kit.px(28), kit.px(32))
        box.midtop = (width // 2, kit.px(14))
        pygame.draw.rect(self.surface, "#222222", box, border_radius=8)
        kit.label(text, box.center, 14, inks.WHITE, anchor="center")
        kit.node("notice.line", "label", box, self.notice)


def _shared(wanted: list[int], room: int, gap: int, least: int) -> list[int]:
    """Return the widths of buttons in a row: what their words need and an equal share of what is left; else icons, last ones last."""
    wides, free = list(wanted), room - gap * (len(wanted) - 1)
    for at in (2, 1, 0, 3):
        if sum(wides) <= free:
            break
        wides[at] = least
    spare = max(0, free - sum(wides)) // len(wides)
    return [wide + spare for wide in wides]
