"""Play: a person is the visitor. Every key and button hands in an act; the log tells what came of it.

The window changes nothing by itself: it draws the frame folded from the records, and hands in acts by `Live.act`,
through the same gate as script and API.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pygame

from interventions.contract import DIALOGUE, INNER_VOICE, MARKS, PHYSICAL, SYSTEM
from sim.frame import VISITOR
from sim.frame_view import unseen_by_visitor
from sim.live import SPEED_MOST, Live
from sim.reel import Reel
from sim.window import ink as inks
from sim.window.acts import Act, acts_on, ahead, nearby, put_down
from sim.window.canvas import Canvas
from sim.window.inspector import draw_inspector
from sim.window.instructions import draw_instructions
from sim.window.keys_panel import draw_keys
from sim.window.kit import Kit, Rect
from sim.window.replay_screen import NOTICE_S, SCALE_LEAST, SCALE_MOST, SCALE_STEP
from sim.window.theatre import Look, Theatre

SPEEDS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 60.0, 300.0, 1800.0, float(SPEED_MOST))
REAL = 1
TWICE_S = 0.4  # the same act again within this time is one act
SPEAK_H, BAR_H, ACTS_H = 88, 48, 44
VIEWS = ("participant", "truth", "belief", "both")
KEYS = (
    "walk",
    "act",
    "choose",
    "put",
    "door",
    "say",
    "voice",
    "pause",
    "stop",
    "speed",
    "tab",
    "size",
    "help",
)
# By scancode, so that the four keys lie together on any keyboard.
DIRECTIONS = {
    pygame.KSCAN_D: (1, 0), pygame.KSCAN_RIGHT: (1, 0), pygame.KSCAN_A: (-1, 0), pygame.KSCAN_LEFT: (-1, 0),
    pygame.KSCAN_W: (0, -1), pygame.KSCAN_UP: (0, -1), pygame.KSCAN_S: (0, 1), pygame.KSCAN_DOWN: (0, 1),
}  # fmt: skip
OCTANT = {(1, 0): 0, (1, 1): 1, (0, 1): 2, (-1, 1): 3, (-1, 0): 4, (-1, -1): 5, (0, -1): 6, (1, -1): 7}


class PlayScreen:
    """A live run on the screen."""

    keys_shown: tuple[str, ...] = KEYS

    def __init__(
        self, surface: pygame.Surface, live: Live, *, language: str = "en", scale: float = 1.0, researcher: bool = True,
        may_switch: bool = True, reel: Callable[[], Reel | None] | None = None, intro: bool = True,
    ) -> None:  # fmt: skip
        self.surface, self.live = surface, live
        self.kit = Kit(surface, scale)
        self.theatre = Theatre(self.kit, Look(language, scale, researcher=researcher, log="live", you=True))
        self.may_switch = may_switch
        self.formal = live.stage.mode == "trial"
        self.open_reel = reel
        self.reel: Reel | None = None
        self.speed = REAL
        self.channel = DIALOGUE
        self.mark = ""
        self.held: list[int] = []
        self.intro, self.help = intro, False
        self.notice, self.notice_left = "", 0.0
        self.inspecting = False
        self._last: tuple[Any, ...] = ()
        self._since_last = TWICE_S
        self.canvas: Canvas | None = None

    # --- acting -----------------------------------------------------------------------------------------------

    def act(self, channel: str, op: str, **what: Any) -> str:
        """Hand in an act once, however often a finger slips; return its id or ""."""
        this = (channel, op, *sorted((key, str(value)) for key, value in what.items()))
        if this == self._last and self._since_last < TWICE_S:
            return ""
        if self.live.over:
            return ""
        self._last, self._since_last = this, 0.0
        if self.live.paused and channel != SYSTEM:
            self.say(self.theatre.texts("queued"))
        return self.live.act(channel, op, **what)

    def do(self, act: Act) -> None:
        """Hand in an act of the body."""
        self.act(PHYSICAL, act.op, **act.what())

    def walk_to(self, cell: int) -> None:
        """Walk to a cell."""
        if VISITOR in self.live.frame.bodies:
            self.act(PHYSICAL, "walk", target=f"cell:{cell}")

    def say(self, text: str) -> None:
        """Show a line for a few seconds."""
        self.notice, self.notice_left = text, NOTICE_S

    def send(self, text: str) -> None:
        """Say it, or put it in as an inner voice."""
        if self.channel == DIALOGUE:
            self.act(DIALOGUE, "say", text=text, mark=self.mark)
        else:
            self.act(INNER_VOICE, "whisper", text=text)

    def choose(self, name: str) -> None:
        """Select a thing, a person or an act."""
        self.theatre.look.selected = name
        self.inspecting = bool(name) and self.theatre.look.researcher and name in self.live.frame.rows

    # --- time -------------------------------------------------------------------------------------------------

    def pass_time(self, seconds: float) -> None:
        """Let *seconds* of the viewer's time pass."""
        self.notice_left = max(0.0, self.notice_left - seconds)
        self._since_last += seconds
        if self.intro:
            return
        self._walk_on()
        self.live.speed = SPEEDS[self.speed] if not self.live.until_telling else float(SPEED_MOST)
        was = self.live.until_telling
        self.live.pump(seconds)
        if was and not self.live.until_telling:
            self.speed = REAL
        if self.live.over:
            was_over = self.live.result is None
            self.live.close()
            if was_over and self.live.result is None:
                # A restore: the sealed log has a child, in which the run goes on from the last save.
                self.reel = None
                self.theatre.painter.forget()
                self.kit.forget()

    def _walk_on(self) -> None:
        """While walking keys are held, ask for the next stretch before the last one ends."""
        frame = self.live.frame
        visitor = frame.bodies.get(VISITOR)
        if visitor is None or self.live.paused or not self.held or self.live.session.state.acts:
            return
        dx = sum(DIRECTIONS[key][0] for key in dict.fromkeys(self.held))
        dy = sum(DIRECTIONS[key][1] for key in dict.fromkeys(self.held))
        octant = OCTANT.get((max(-1, min(1, dx)), max(-1, min(1, dy))))
        if octant is None:
            return
        cell = frame.cell_now(visitor, self.live.shown_tick)
        doing = visitor.doing
        if doing is not None and doing.skill != "walk_to":
            return
        goal = ahead(frame, cell, octant)
        if doing is not None and doing.path:
            left = sum(at > self.live.shown_tick for at in doing.path_ticks)
            same = doing.path[-1] == goal or (
                left > 1 and frame.place(visitor, self.live.shown_tick)[2] == octant
            )
            if same:
                return
        if goal != cell:
            self.live.act(PHYSICAL, "walk", target=f"cell:{goal}") if not self._walk_waits() else None

    def _walk_waits(self) -> bool:
        return any(each["op"] == "walk" for each in self.live.waiting)

    # --- keys -------------------------------------------------------------------------------------------------

    def hear_held(self, events: list[pygame.event.Event]) -> None:
        """Keep the set of walking keys that are down, from their events alone."""
        for event in events:
            if event.type == pygame.KEYDOWN and event.scancode in DIRECTIONS and not self.kit.typing:
                if event.scancode not in self.held and not event.mod & pygame.KMOD_CTRL:
                    self.held.append(event.scancode)
            elif event.type == pygame.KEYUP and event.scancode in self.held:
                self.held.remove(event.scancode)
            elif event.type == pygame.WINDOWFOCUSLOST:
                self.held.clear()

    def press(self, event: pygame.event.Event) -> bool:
        """Do what a key means; return whether it means anything."""
        if event.mod & pygame.KMOD_CTRL:
            return self.resize(event.key)
        if event.scancode in DIRECTIONS:
            return True
        if event.unicode and event.unicode in "123456789":
            self._nth(int(event.unicode) - 1)
            return True
        typed: dict[str, Callable[[], object]] = {
            "]": lambda: self.set_speed(self.speed + 1), "[": lambda: self.set_speed(self.speed - 1), "?": self.toggle_help,
            "+": lambda: self.set_speed(self.speed + 1), "=": lambda: self.set_speed(self.speed + 1),
            "-": lambda: self.set_speed(self.speed - 1),
        }  # fmt: skip
        named: dict[int, Callable[[], object]] = {
            pygame.K_e: self.use, pygame.K_q: self.put, pygame.K_g: self.hand_over, pygame.K_x: lambda: self.act(PHYSICAL, "leave"),
            pygame.K_t: lambda: self.open_box(DIALOGUE), pygame.K_RETURN: lambda: self.open_box(DIALOGUE),
            pygame.K_KP_ENTER: lambda: self.open_box(DIALOGUE), pygame.K_y: lambda: self.open_box(INNER_VOICE),
            pygame.K_SPACE: self.pause, pygame.K_F9: self.stop, pygame.K_F1: self.toggle_help, pygame.K_F6: self.next_language,
            pygame.K_F7: self.next_view, pygame.K_BACKSPACE: lambda: self.set_speed(REAL), pygame.K_u: self.until,
            pygame.K_m: self.next_mark, pygame.K_v: lambda: self.next_thing(-1 if event.mod & pygame.KMOD_SHIFT else 1),
            pygame.K_ESCAPE: self.leave,
        }  # fmt: skip
        action = typed.get(event.unicode) or named.get(event.key)
        if action is None:
            return False
        action()
        return True

    def resize(self, key: int) -> bool:
        """Change the text size by Ctrl and a key."""
        steps = {pygame.K_EQUALS: 1, pygame.K_PLUS: 1, pygame.K_KP_PLUS: 1, pygame.K_MINUS: -1, pygame.K_KP_MINUS: -1,
                 pygame.K_0: 0, pygame.K_KP0: 0}  # fmt: skip
        if key not in steps:
            return False
        scale = self.theatre.look.scale + steps[key] * SCALE_STEP if steps[key] else 1.0
        self.theatre.switch(scale=round(max(SCALE_LEAST, min(SCALE_MOST, scale)), 2))
        self.say(self.theatre.texts("text_size", n=round(self.theatre.look.scale * 100)))
        return True

    def use(self) -> None:
        """Do the first thing that can be done with what is chosen or nearest. It never leads out by the door."""
        if self._since_last < TWICE_S:
            return
        frame = self.live.frame
        name = self.theatre.look.selected
        if VISITOR in frame.bodies and (name not in frame.things and name not in frame.bodies):
            near = nearby(frame, self._hidden(), self.live.shown_tick)
            name = next((each for each in near if self._useful(each)), "")
        found = self._useful(name) if VISITOR in frame.bodies else acts_on(frame, name)
        if found:
            self.do(found[0])
        else:
            self.say(self.theatre.texts("no_thing"))

    def _useful(self, name: str) -> list[Act]:
        return [
            act
            for act in acts_on(self.live.frame, name)
            if act.declared and act.op not in ("walk", "leave", "push")
        ]

    def _nth(self, at: int) -> None:
        found = acts_on(self.live.frame, self.theatre.look.selected)
        if at < len(found):
            self.do(found[at])

    def put(self) -> None:
        """Put down what is held."""
        act = put_down(self.live.frame, self.theatre.look.selected)
        if act is not None:
            self.do(act)

    def hand_over(self) -> None:
        """Hand what is held to the resident."""
        held = self.live.frame.held(VISITOR)
        if held:
            self.do(Act("hand_over", held[0].id))

    def next_thing(self, step: int) -> None:
        """Choose the next thing by distance."""
        found = nearby(self.live.frame, self._hidden(), self.live.shown_tick)
        if found:
            now = self.theatre.look.selected
            at = found.index(now) + step if now in found else 0
            self.choose(found[at % len(found)])

    def _hidden(self) -> frozenset[str]:
        return unseen_by_visitor(self.live.frame, self.live.shown_tick)

    def open_box(self, channel: str) -> None:
        """Open the text box for a channel; the key that opens it is not typed into it."""
        self.channel, self.kit.focus = channel, "say"
        self.kit.boxes.setdefault("say", ("", 0))
        self.held.clear()

    def pause(self) -> None:
        """Pause, or go on."""
        self.act(SYSTEM, "resume" if self.live.paused else "pause")

    def stop(self) -> None:
        """Stop safely, at the next tick."""
        self.act(SYSTEM, "safe_stop")

    def until(self) -> None:
        """Let time run until something happens."""
        if self.formal:
            self.say(self.theatre.texts("own_pace"))
            return
        self.live.until_telling = not self.live.until_telling

    def set_speed(self, speed: int) -> None:
        """Set the speed by its place in the table. A participant of a trial lives at the trial's own pace."""
        if self.formal and speed != REAL:
            self.say(self.theatre.texts("own_pace"))
            return
        self.speed = max(0, min(len(SPEEDS) - 1, speed))
        self.live.until_telling = False

    def next_mark(self) -> None:
        """Choose what kind of utterance the next one is; first, as it reads."""
        marks = ("", *MARKS)
        self.mark = marks[(marks.index(self.mark) + 1) % len(marks)]

    def toggle_help(self) -> None:
        """Show the keys, or hide them."""
        self.help = not self.help

    def next_language(self) -> None:
        """English, Chinese."""
        self.theatre.switch(language="zh" if self.theatre.look.language == "en" else "en")

    def next_view(self) -> None:
        """Participant; the truth; the resident's view; both. A participant of a trial has the first alone."""
        if not self.may_switch:
            return
        look = self.theatre.look
        now = VIEWS.index(look.view) if look.researcher else 0
        name = VIEWS[(now + 1) % len(VIEWS)]
        self.theatre.switch(researcher=name != "participant", view="truth" if name == "participant" else name)
        self.say(
            self.theatre.texts("participant") if name == "participant" else self.theatre.texts(f"view_{name}")
        )

    def leave(self) -> None:
        """Close what lies on top."""
        if self.help:
            self.help = False
        else:
            self.choose("")

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
            if kit.take_key(key) or self.intro:
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
        self.canvas = self.theatre.room(live.frame, live.shown_tick, room)
        self.point(self.canvas)
        self._draw_acts(Rect(body.x, body.bottom - acts, room.w, acts))
        speak = kit.px(SPEAK_H)
        column = Rect(body.right - side, body.y, side, body.h - speak - gap)
        self.draw_side(column)
        self._draw_speak(Rect(column.x, body.bottom - speak, side, speak))

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
        title = texts.name(frame.stage, name) if chosen else texts("nothing_selected")
        x = rect.x + kit.px(12)
        shown = kit.label(
            title,
            (x, rect.centery),
            14,
            bold=chosen,
            color=inks.TEXT if chosen else inks.DIM,
            anchor="midleft",
            width=rect.w // 3,
        )
        kit.node("chosen", "label", shown, title, name)
        x = shown.right + kit.px(14)
        for at, act in enumerate(acts):
            target = f" → {texts.name(frame.stage, act.target)}" if act.op == "put" else ""
            words = f"{at + 1}  {texts.of('op', act.op)}{target}"
            wide = kit.ink.width(words, 13) + kit.px(24)
            if x + wide > rect.right - kit.px(6):
                break
            place = Rect(x, rect.y + kit.px(6), wide, rect.h - kit.px(12))
            if kit.button(
                f"act.{act.op}",
                place,
                words,
                enabled=act.declared,
                size=13,
                tip="" if act.declared else texts.reason("operation_not_declared"),
            ):
                self.do(act)
            x += wide + kit.px(6)

    def _draw_speak(self, rect: Rect) -> None:
        kit, texts = self.kit, self.theatre.texts
        kit.panel(rect)
        px = kit.px
        third = (rect.w - px(40)) // 4
        y, high = rect.y + px(8), px(30)
        if kit.button(
            "ch.speech",
            Rect(rect.x + px(8), y, third, high),
            texts("speak"),
            "chat",
            on=self.channel == DIALOGUE,
            size=13,
        ):
            self.channel = DIALOGUE
        if kit.button(
            "ch.inner",
            Rect(rect.x + px(14) + third, y, third, high),
            texts("inner"),
            "thought-bubble",
            on=self.channel == INNER_VOICE,
            size=13,
        ):
            self.channel = INNER_VOICE
        mark = texts(self.mark) if self.mark else texts("auto")
        if kit.button(
            "mark",
            Rect(rect.x + px(20) + 2 * third, y, third, high),
            mark,
            "message-text",
            enabled=self.channel == DIALOGUE,
            tip=f"{texts('mark')} (M)",
            size=13,
        ):
            self.next_mark()
        if kit.button(
            "stop",
            Rect(rect.right - px(8) - third, y, third, high),
            texts("stop"),
            "shield-check",
            danger=True,
            tip="F9",
            size=13,
        ):
            self.stop()
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
            texts("resume" if live.paused else "pause"),
            "play" if live.paused else "pause",
            on=live.paused,
            tip=texts("play_pause"),
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
        room = rect.right - x - px(330 if rect.w >= px(640) else 100)
        clocks = (f"{day}   {texts('tick_open', n=f'{live.tick:,}')}", day, short)
        clock = next((each for each in clocks if kit.ink.width(each, 15) <= room), short)
        label = kit.label(clock, (x, rect.centery), 15, anchor="midleft")
        kit.node("t.clock", "label", label, clock, live.tick)
        self._draw_state(rect)

    def _draw_state(self, rect: Rect) -> None:
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
        if rect.w < px(640):
            return
        button = Rect(right - px(32), rect.y + px(8), px(32), px(32))
        if kit.button("help", button, icon="help-circle-outline", tip=texts("help") + " (F1)"):
            self.toggle_help()
        right = button.x - px(6)
        if self.may_switch:
            name = "participant" if not self.theatre.look.researcher else f"view_{self.theatre.look.view}"
            place = Rect(right - px(124), rect.y + px(8), px(124), px(32))
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


FREE_KEYS = (pygame.K_F1, pygame.K_F6, pygame.K_F7, pygame.K_F9)
