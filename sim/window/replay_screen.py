"""The replay: any moment of a log, steps both ways, jumps, bookmarks, the two views, and why.

It draws and listens; it opens no window itself, so pictures and tests use the same screen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pygame

from sim.frame import Frame
from sim.reel import HUMAN, Reel
from sim.reel_diff import ReelDiff
from sim.window import ink as inks
from sim.window.bookmarks import Bookmarks
from sim.window.inspector import draw_inspector
from sim.window.keys_panel import draw_keys
from sim.window.kit import Kit, Rect
from sim.window.panels import draw_candidates
from sim.window.theatre import Look, Theatre
from sim.window.timeline import MARK_LOOKS, draw_legend, draw_track

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0, 4096.0)
VIEWS = ("truth", "belief", "both")
SCALE_LEAST, SCALE_MOST, SCALE_STEP = 0.8, 2.0, 0.1
MINUTE_MS = 60_000
BAR_H, BAR_TIGHT_H = 92, 50
NOTICE_S = 4.0
LEAST_BODY = 500  # pixels the room and panels keep before the track of marks goes
KEYS = ("r_play", "r_step", "r_second", "r_speed", "r_decision", "r_human", "r_request", "r_failure", "r_bookmark", "r_ends",
        "r_save", "r_view", "tab", "size", "help")  # fmt: skip


class ReplayScreen:
    """A reel on the screen; with *other*, two reels side by side under one clock."""

    def __init__(
        self, surface: pygame.Surface, reel: Reel, *, language: str = "en", scale: float = 1.0, other: Reel | None = None,
        bookmarks: Bookmarks | None = None, save: Callable[[pygame.Surface, int], str] | None = None,
    ) -> None:  # fmt: skip
        self.surface, self.reel, self.other = surface, reel, other
        self.kit = Kit(surface, scale)
        self.theatre = Theatre(self.kit, Look(language, scale, log="a"))
        self.bookmarks = bookmarks or Bookmarks(None)
        self.save = save
        self.tick: float = 0.0
        self.playing, self.following, self.still = False, False, False
        self.speed = 2
        self.frame: Frame = reel.at(0)
        self.twin: Frame | None = other.at(0) if other is not None else None
        self.diff = ReelDiff(reel, other) if other is not None else None
        self.inspecting, self.help = False, False
        self.notice, self.notice_left = "", 0.0

    # --- time -------------------------------------------------------------------------------------------------

    @property
    def end(self) -> int:
        """The last tick of the longer reel."""
        return max(self.reel.end_tick, self.other.end_tick if self.other is not None else 0)

    def go(self, tick: float) -> None:
        """Show *tick*."""
        self.tick = max(0.0, min(float(self.end), tick))
        self.frame = (
            self.reel.on(self.frame, int(self.tick))
            if int(self.tick) >= self.frame.tick
            else self.reel.at(int(self.tick))
        )
        if self.other is not None and self.twin is not None:
            at = int(self.tick)
            self.twin = self.other.on(self.twin, at) if at >= self.twin.tick else self.other.at(at)

    def pass_time(self, seconds: float) -> None:
        """Let *seconds* of the viewer's time pass: read on, play on."""
        self._read()
        self.notice_left = max(0.0, self.notice_left - seconds)
        if self.following:
            self.go(self.end)
        elif self.playing:
            self.go(self.tick + seconds * 1000 / self.reel.stage.tick_ms * SPEEDS[self.speed])
            if self.tick >= self.end and self.reel.sealed:
                self.playing = False

    def _read(self) -> None:
        for reel in (self.reel, self.other):
            if reel is not None and not (reel.whole and reel.sealed):
                reel.grow(400)
        if self.diff is not None:
            self.diff.grow(200)

    def step(self, count: int) -> None:
        """Go *count* recorded steps on, or back."""
        self.playing = self.following = False
        tick = int(self.tick)
        for _ in range(abs(count)):
            self.reel.read_to(tick + 1)
            found = self.reel.next_active(tick) if count > 0 else self.reel.last_active(tick)
            if found is None:
                break
            tick = found
        self.go(tick)

    def jump(self, kinds: tuple[str, ...], step: int) -> None:
        """Go to the next (or previous) mark of *kinds*, and choose it."""
        self.playing = self.following = False
        if step > 0:
            while not self.reel.whole and self.reel.jump(kinds, int(self.tick), step) is None:
                self.reel.grow(2048)
        found = self.reel.jump(kinds, int(self.tick), step)
        if found is not None:
            self.go(found[0])
            self.choose(found[1], found[0])

    def choose(self, name: str, tick: int) -> None:
        """Inspect a thing, a person or a record."""
        self.theatre.look.selected, self.theatre.look.selected_tick = name, tick
        self.inspecting = bool(name)

    # --- keys -------------------------------------------------------------------------------------------------

    def press(self, event: pygame.event.Event) -> bool:
        """Do what a key means; return whether it means anything."""
        back = -1 if event.mod & pygame.KMOD_SHIFT else 1
        key, letter = event.key, event.unicode
        if event.mod & pygame.KMOD_CTRL:
            return self.resize(key)
        named: dict[int, Callable[[], object]] = {
            pygame.K_SPACE: self.toggle, pygame.K_k: self.toggle, pygame.K_HOME: lambda: self._halt(0), pygame.K_END: self.to_end,
            pygame.K_RIGHT: lambda: self.step(10 * back), pygame.K_LEFT: lambda: self.step(-10 * back),
            pygame.K_n: lambda: self.jump(("decision",), back), pygame.K_h: lambda: self.jump(HUMAN, back),
            pygame.K_r: lambda: self.jump(("request",), back), pygame.K_f: lambda: self.jump(("failure",), back),
            pygame.K_b: self.bookmark, pygame.K_m: lambda: self.to_bookmark(back), pygame.K_j: lambda: self._minute(-1),
            pygame.K_l: lambda: self._minute(1), pygame.K_BACKSPACE: lambda: self.set_speed(2), pygame.K_s: self.picture,
            pygame.K_w: self.why, pygame.K_d: self.next_difference, pygame.K_F1: self.toggle_help, pygame.K_F6: self.next_language,
            pygame.K_F7: self.next_view, pygame.K_ESCAPE: self.leave, pygame.K_UP: lambda: self.set_speed(self.speed + 1),
            pygame.K_DOWN: lambda: self.set_speed(self.speed - 1),
        }  # fmt: skip
        typed: dict[str, Callable[[], object]] = {
            ".": lambda: self.step(1), ",": lambda: self.step(-1), ">": lambda: self.step(10), "<": lambda: self.step(-10),

            "]": lambda: self.set_speed(self.speed + 1), "[": lambda: self.set_speed(self.speed - 1),
            "+": lambda: self.set_speed(self.speed + 1),
            "-": lambda: self.set_speed(self.speed - 1), "=": lambda: self.set_speed(self.speed + 1), "?": self.toggle_help,
        }  # fmt: skip
        if letter and letter in "0123456789" and not event.mod & pygame.KMOD_SHIFT:
            self._halt(self.end * int(letter) // 10)
        elif letter in typed:
            typed[letter]()
        elif key in named:
            named[key]()
        else:
            return False
        return True

    def resize(self, key: int) -> bool:
        """Change the text size by Ctrl and a key."""
        steps = {pygame.K_EQUALS: SCALE_STEP, pygame.K_PLUS: SCALE_STEP, pygame.K_KP_PLUS: SCALE_STEP, pygame.K_MINUS: -SCALE_STEP,
                 pygame.K_KP_MINUS: -SCALE_STEP}  # fmt: skip
        if key not in steps and key not in (pygame.K_0, pygame.K_KP0):
            return False
        scale = 1.0 if key not in steps else self.theatre.look.scale + steps[key]
        self.theatre.switch(scale=round(max(SCALE_LEAST, min(SCALE_MOST, scale)), 2))
        self.say(self.theatre.texts("text_size", n=round(self.theatre.look.scale * 100)))
        return True

    def toggle(self) -> None:
        """Play, or stop."""
        self.following = False
        self.playing = not self.playing
        if self.playing and self.tick >= self.end and self.reel.sealed:
            self.go(0)

    def to_end(self) -> None:
        """Go to the end; a running log is followed there."""
        self.playing = False
        while self.reel.grow(4096) and not self.reel.whole:
            pass
        self.following = not self.reel.sealed
        self.go(self.end)

    def _halt(self, tick: int) -> None:
        self.playing = self.following = False
        self.go(tick)

    def _minute(self, step: int) -> None:
        self._halt(int(self.tick) + step * MINUTE_MS // self.reel.stage.tick_ms)

    def set_speed(self, speed: int) -> None:
        """Set the speed by its place in the table."""
        self.speed = max(0, min(len(SPEEDS) - 1, speed))

    def bookmark(self) -> None:
        """Set a bookmark here, or take it away; it stands in a file beside the log."""
        self.bookmarks.toggle(int(self.tick))

    def to_bookmark(self, step: int) -> None:
        """Go to the next bookmark."""
        found = self.bookmarks.next(int(self.tick), step)
        if found is not None:
            self._halt(found)

    def picture(self) -> None:
        """Save a picture of the screen."""
        if self.save is not None:
            self.say(self.theatre.texts("saved", path=self.save(self.surface, int(self.tick))))

    def why(self) -> None:
        """Ask why the resident does what it does now."""
        self.choose("resident", int(self.tick))

    def next_difference(self) -> None:
        """Go to the next tick at which the two logs differ."""
        found = self.diff.after(int(self.tick)) if self.diff is not None else None
        if found is not None:
            self._halt(found)

    def toggle_help(self) -> None:
        """Show the keys, or hide them."""
        self.help = not self.help

    def next_language(self) -> None:
        """English, Chinese."""
        self.notice_left = 0.0  # What was just told was told in the other language.
        self.theatre.switch(language="zh" if self.theatre.look.language == "en" else "en")

    def next_view(self) -> None:
        """Truth, the resident's view, both."""
        self.theatre.switch(view=VIEWS[(VIEWS.index(self.theatre.look.view) + 1) % len(VIEWS)])

    def leave(self) -> None:
        """Close what lies on top."""
        if self.help:
            self.help = False
        else:
            self.choose("", -1)

    def say(self, text: str) -> None:
        """Show a line for a few seconds."""
        self.notice, self.notice_left = text, NOTICE_S

    # --- drawing ----------------------------------------------------------------------------------------------

    def draw(self, events: list[pygame.event.Event]) -> None:
        """Take the events and draw the frame."""
        kit, look = self.kit, self.theatre.look
        kit.surface = self.surface
        kit.begin(events)
        self.surface.fill(inks.GROUND)
        width, high = self.surface.get_size()
        gap = kit.px(8)
        bar_h = kit.px(BAR_H if high - kit.px(BAR_H) >= LEAST_BODY else BAR_TIGHT_H)
        body = Rect(gap, gap, width - 2 * gap, high - bar_h - 3 * gap)
        kit.modal = Rect(0, 0, 0, 0) if self.help else None
        if self.other is None:
            self._draw_one(body, look)
        else:
            self._draw_two(body)
        self._draw_bar(Rect(gap, high - bar_h - gap, width - 2 * gap, bar_h))
        if self.notice_left > 0 and self.notice:
            self._draw_notice(body)
        if self.help:
            kit.modal = self.surface.get_rect()
            if draw_keys(kit, self.theatre.texts, KEYS):
                self.help = False
        kit.end()
        for key in kit.keys:
            if not kit.take_key(key) and not self.press(key):
                name = pygame.key.name(key.key)
                if key.unicode.strip():
                    self.say(self.theatre.texts("unmapped", key=name))

    def _draw_one(self, body: Rect, look: Look) -> None:
        kit, gap = self.kit, self.kit.px(8)
        side = self.theatre.column_width(body.w)
        room = Rect(body.x, body.y, body.w - side - gap, body.h)
        canvas = self.theatre.stage(self.frame, self.tick, room)
        if kit.pressed and canvas.rect.collidepoint(kit.mouse) and kit.modal is None:
            self.choose(canvas.under(kit.mouse), int(self.tick))
        column = Rect(body.right - side, body.y, side, body.h)
        if self.inspecting:
            self._draw_inspected(column, look)
            return
        title = self.theatre.texts("feedback_other")
        pressed = self.theatre.side(self.frame, int(self.tick), column, title=title)
        if pressed:
            self.choose(pressed, self.frame.rows[pressed].tick)

    def _draw_inspected(self, column: Rect, look: Look) -> None:
        kit, texts = self.kit, self.theatre.texts
        self.theatre.side(self.frame, int(self.tick), column, title="", inspector=True)
        place = self.theatre.below
        at = look.selected_tick if look.selected_tick >= 0 else int(self.tick)
        hit = draw_inspector(kit, texts, self.frame, self.reel, place, look.selected, at)
        close = Rect(place.right - kit.px(40), place.y + kit.px(5), kit.px(34), kit.px(28))
        if kit.button("inspector.close", close, icon="close-thick", tip=texts("close")):
            self.choose("", -1)
        if hit is not None:
            self._halt(hit[1])
            self.choose(hit[0], hit[1])

    def _draw_two(self, body: Rect) -> None:
        kit, gap, texts = self.kit, self.kit.px(8), self.theatre.texts
        half = (body.w - gap) // 2
        assert self.twin is not None
        found = self.diff.first if self.diff is not None else None
        words = texts("diff_none") if found is None else texts("diff_at", n=found)
        kit.label(words, (body.x, body.y), 15, inks.DEEP_RED if found is not None else inks.DIM, bold=True)
        kit.node("diff", "label", Rect(body.x, body.y, half, kit.px(20)), words, found)
        for at, frame in enumerate((self.frame, self.twin)):
            self.theatre.look.log = "ab"[at]
            x = body.x + at * (half + gap)
            name = f"{'AB'[at]}  {frame.stage.protocol} {frame.stage.arm} seed {frame.stage.seed}"
            kit.label(name, (x, body.y + kit.px(22)), 13, inks.DIM, width=half)
            room = Rect(x, body.y + kit.px(44), half, round(body.h * 0.56))
            before, kit.tree = kit.tree, {}
            self.theatre.one(frame, self.tick, room, belief=self.theatre.look.view == "belief")
            side = Rect(x, room.bottom + gap, half, body.bottom - room.bottom - gap)
            self.theatre.look.opened = draw_candidates(
                kit, texts, frame, side, self.theatre.look.opened, tight=False, side=f"{'ab'[at]}."
            )
            mark = f"{'ab'[at]}."
            kit.tree = {**before, **{key if key.startswith(mark) else mark + key: node for key, node in kit.tree.items()}}
        self.theatre.look.log = "a"

    def _draw_bar(self, rect: Rect) -> None:
        kit, texts, px = self.kit, self.theatre.texts, self.kit.px
        kit.panel(rect)
        side, x, y = px(32), rect.x + px(8), rect.y + px(8)
        buttons: tuple[tuple[str, str, str, Callable[[], Any]], ...] = (
            ("t.first", "page-first", "first", lambda: self._halt(0)),
            ("t.prev", "skip-previous", "prev_decision", lambda: self.jump(("decision",), -1)),
            ("t.back", "step-backward", "step_back", lambda: self.step(-1)),
            ("t.play", "pause" if self.playing else "play", "play_pause", self.toggle),
            ("t.on", "step-forward", "step_on", lambda: self.step(1)),
            ("t.next", "skip-next", "next_decision", lambda: self.jump(("decision",), 1)),
            ("t.last", "page-last", "last", self.to_end),
        )
        for name, icon, tip, act in buttons:
            if kit.button(name, Rect(x, y, side, side), icon=icon, on=name == "t.play", tip=texts(tip)):
                act()
            x += side + px(4)
        speed = f"{SPEEDS[self.speed]:g}×"
        if kit.button("t.speed", Rect(x + px(4), y, px(58), side), speed, tip=texts("speed")):
            self.set_speed((self.speed + 1) % len(SPEEDS))
        x += px(72)
        stage, tick = self.reel.stage, int(self.tick)
        mode = (
            texts("live") if self.following else texts("debug") if stage.mode == "debug" else texts("replay")
        )
        color = (
            inks.DEEP_RED if stage.mode == "debug" else inks.DEEP_GREEN if self.following else inks.DEEP_PINK
        )
        chip = kit.chip(
            "t.mode", mode, (rect.right - px(10), y + px(5)), color, anchor="topright", filled=True
        )
        short = texts.clock(stage, tick)
        day = f"{texts.day(stage, tick)}  {short}"
        room, full = chip.x - px(28) - x, f"{day}   {texts('tick', n=f'{tick:,}', all=f'{self.end:,}')}"
        # In a narrow window the tick goes first, then the word on the button, the time of day never.
        ways = ((full, 132), (day, 132), (day, 40), (short, 40))
        clock, wide = next((way for way in ways if kit.ink.width(way[0], 15) + px(way[1]) <= room), ways[-1])
        shown = kit.label(clock, (x, y + side // 2), 15, anchor="midleft")
        kit.node("t.clock", "label", shown, clock, tick)
        view = Rect(chip.x - px(wide + 10), y, px(wide), side)
        if kit.button("t.view", view, texts(f"view_{self.theatre.look.view}"), "eye", tip="F7", size=13):
            self.next_view()
        draw_legend(
            kit, texts, view.x - px(14), y + side // 2, tuple(MARK_LOOKS)[:-1], view.x - shown.right - px(30)
        )
        if rect.h < px(BAR_H):
            return
        track = Rect(rect.x + px(14), y + side + px(8), rect.w - px(28), px(34))
        known = self.end if self.reel.whole else self.reel.last_tick
        moved = draw_track(
            kit, track, self.reel.marks, self.tick, self.end, known, bookmarks=self.bookmarks.ticks
        )
        if moved is not None and not self.still:
            self._halt(round(moved))

    def _draw_notice(self, body: Rect) -> None:
        kit = self.kit
        box = Rect(0, 0, kit.ink.width(self.notice, 14) + kit.px(28), kit.px(32))
        box.midtop = (body.centerx, body.y + kit.px(10))
        pygame.draw.rect(self.surface, "#222222", box, border_radius=8)
        kit.label(self.notice, box.center, 14, inks.WHITE, anchor="center")
        kit.node("notice", "label", box, self.notice)
