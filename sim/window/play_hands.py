"""The hands of a person at the window: keys, and the acts that they hand in.

Whether an act is allowed, and what comes of it, is for the gate and the room: here it is only handed in, once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pygame

from interventions.contract import DIALOGUE, INNER_VOICE, MARKS, PHYSICAL, SYSTEM
from sim.frame import VISITOR, Asked
from sim.frame_view import unseen_by_visitor
from sim.live import SPEED_MOST, Live
from sim.reel import Reel
from sim.window.acts import Act, acts_on, ahead, nearby, put_down
from sim.window.asked_card import favour_done, open_question
from sim.window.canvas import Canvas
from sim.window.kit import Kit
from sim.window.replay_screen import NOTICE_S, SCALE_LEAST, SCALE_MOST, SCALE_STEP
from sim.window.theatre import Look, Theatre

SPEEDS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 60.0, 300.0, 1800.0, float(SPEED_MOST))
REAL = 1
SETTLE_S = 0.5
TWICE_S = 0.4  # the same act again within this time is one act
VIEWS = ("participant", "truth", "belief", "both")
KEYS = ("walk", "act", "choose", "put", "door", "say", "answer", "voice", "pause", "stop", "speed", "tab", "size", "help")
# By scancode, so that the four keys lie together on any keyboard.
DIRECTIONS = {
    pygame.KSCAN_D: (1, 0), pygame.KSCAN_RIGHT: (1, 0), pygame.KSCAN_A: (-1, 0), pygame.KSCAN_LEFT: (-1, 0),
    pygame.KSCAN_W: (0, -1), pygame.KSCAN_UP: (0, -1), pygame.KSCAN_S: (0, 1), pygame.KSCAN_DOWN: (0, 1),
}  # fmt: skip
OCTANT = {(1, 0): 0, (1, 1): 1, (0, 1): 2, (-1, 1): 3, (-1, 0): 4, (-1, -1): 5, (0, -1): 6, (1, -1): 7}


class PlayHands:
    """A live run, and what keys do in it. How it is drawn stands in `play_screen.py`."""

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
        self._let_be = (-1, False)
        self._settling = 0.0
        """How long keys still belong to what was just confirmed: one held a moment too long opens nothing behind it."""
        self.canvas: Canvas | None = None

    # --- acting -----------------------------------------------------------------------------------------------

    def act(self, channel: str, op: str, **what: Any) -> str:
        """Hand in an act once, however often a finger slips; return its id or ""."""
        this = (channel, op, *sorted((key, str(value)) for key, value in what.items()))
        if this == self._last and self._since_last < TWICE_S:
            return ""
        if self.live.over:
            self.say(self.theatre.texts("over_now"))
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
        self._settling = max(0.0, self._settling - seconds)
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
            pygame.K_ESCAPE: self.leave, pygame.K_o: lambda: self.answer("yes"), pygame.K_n: lambda: self.answer("no"),
            pygame.K_h: lambda: self.answer("do"), pygame.K_l: lambda: self.answer("let"),
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

    def offers(self, name: str) -> bool:
        """Return whether there is more to do with a thing than to walk to it."""
        return any(act.declared and act.op != "walk" for act in acts_on(self.live.frame, name))

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

    def turn_to(self, channel: str) -> None:
        """Let the text box speak through *channel*."""
        self.channel = channel

    @property
    def standing(self) -> bool:
        """Whether time stands still until someone says so."""
        return self.live.paused

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

    # --- what the resident asks -------------------------------------------------------------------------------

    @property
    def question(self) -> Asked | None:
        """What waits for an answer; None once it was let be."""
        asked = open_question(self.live.frame)
        return None if asked is None or (asked.tick, asked.promised) == self._let_be else asked

    def answer(self, how: str) -> None:
        """Answer what was asked: yes, no, do or let. Without a question nothing is handed in."""
        asked, texts = self.question, self.theatre.texts
        if asked is None:
            self.say(texts("nothing_asked"))
        elif how == "let":
            self._let_be = (asked.tick, asked.promised)
        elif how == "do":
            act = favour_done(self.live.frame, asked)
            if act is not None:
                self.do(act)
        elif not asked.promised:
            self.act(DIALOGUE, "say", text=texts("answer_said", words=texts(f"{how}_{asked.kind}")), mark="plain")

    def next_mark(self) -> None:
        """Choose what kind of utterance the next one is; first, as it reads."""
        marks = ("", *MARKS)
        self.mark = marks[(marks.index(self.mark) + 1) % len(marks)]

    def toggle_help(self) -> None:
        """Show the keys, or hide them."""
        self.help = not self.help

    def next_language(self) -> None:
        """English, Chinese."""
        self.notice_left = 0.0  # What was just told was told in the other language.
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
