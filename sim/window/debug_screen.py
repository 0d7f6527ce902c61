"""Debug: drag anything, set properties, teleport, single steps, undo, save as a room file. In a loud frame.

Every act goes through the gate and stands in the log; the log's mode is debug, so no trial takes it for a result.
An undo is an act too: the one that puts things back.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pygame

from interventions.contract import PHYSICAL
from sim.frame import RESIDENT
from sim.live import Live
from sim.reel import Reel
from sim.room_toml import room_toml
from sim.window import ink as inks
from sim.window.canvas import Canvas
from sim.window.kit import Rect
from sim.window.play_screen import PlayScreen
from world.export import room_file
from world.spec import parse_room

KEYS = (
    "d_drag",
    "d_props",
    "d_step",
    "d_undo",
    "d_wake",
    "say",
    "voice",
    "stop",
    "speed",
    "tab",
    "size",
    "help",
)
GRIP = 5  # pixels the pointer must move before it drags
STEPS = {
    "temperature": 50,
    "fill": 100,
    "dust": 250,
    "growth": 100,
    "moisture": 50,
    "portions": 1,
    "pages": 1,
    "age": 1,
}


class DebugScreen(PlayScreen):
    """The live screen of a debug run."""

    keys_shown = KEYS

    def __init__(
        self, surface: pygame.Surface, live: Live, *, language: str = "en", scale: float = 1.0,
        reel: Callable[[], Reel | None] | None = None, save_to: Path | None = None,
    ) -> None:  # fmt: skip
        assert live.stage.mode == "debug"
        super().__init__(surface, live, language=language, scale=scale, reel=reel, intro=False)
        self.save_to = save_to
        self.stopped_clock = True
        self.undone: list[tuple[str, dict[str, Any]]] = []
        self._drag, self._drag_from = "", (0, 0)
        self._dragging = False

    # --- time: it stands still until told otherwise -----------------------------------------------------------

    def pass_time(self, seconds: float) -> None:
        """Let time pass if it runs; acts enter at once either way."""
        if self.stopped_clock and not self.live.waiting:
            super().pass_time(0.0)
            self.notice_left = max(0.0, self.notice_left - seconds)
            self._since_last += seconds
            return
        super().pass_time(seconds if not self.stopped_clock else 0.0)

    def step(self) -> None:
        """Advance by one tick."""
        self.live.pump(self.live.stage.tick_ms / 1000 / self.live.speed + 1e-6)

    # --- acts -------------------------------------------------------------------------------------------------

    def change(self, op: str, what: dict[str, Any], back: tuple[str, dict[str, Any]] | None) -> None:
        """Hand in a debug act, and remember how to undo it."""
        self.live.act(PHYSICAL, op, **what)
        if back is not None:
            self.undone.append(back)

    def undo(self) -> None:
        """Put back what the last act changed."""
        if not self.undone:
            self.say(self.theatre.texts("nothing_to_undo"))
            return
        op, what = self.undone.pop()
        self.change(op, what, None)
        self.say(self.theatre.texts("undone"))

    def drop(self, name: str, canvas: Canvas) -> None:
        """Let go of what is dragged: a person stands there, a thing lies on what is under it, or on the floor."""
        frame, spec = self.live.frame, self.live.stage.spec
        cell = canvas.cell(self.kit.mouse, spec.width, spec.height)
        if cell < 0:
            return
        if name in frame.bodies:
            old = frame.cell_now(frame.bodies[name], self.live.shown_tick)
            self.change(
                "teleport",
                {"object": name, "data": {"cell": cell}},
                ("teleport", {"object": name, "data": {"cell": old}}),
            )
            return
        thing = frame.things[name]
        back = {
            "object": name,
            "target": thing.place,
            "data": {"relation": thing.relation, "cell": thing.cell},
        }
        self.change("drag", {"object": name, **self._under(name, cell, canvas)}, ("drag", back))

    def _under(self, name: str, cell: int, canvas: Canvas) -> dict[str, Any]:
        """Return where a thing dropped here goes."""
        frame = self.live.frame
        found = [spot for spot in canvas.spots if spot.rect.collidepoint(self.kit.mouse) and spot.id != name]
        for spot in sorted(found, key=lambda each: each.rank):
            if spot.id in frame.bodies:
                return {"target": spot.id, "data": {"relation": "held"}}
            holder = frame.things.get(spot.id)
            tags = frame.stage.spec.kinds[holder.kind]["tags"] if holder is not None else []
            if "container" in tags:
                return {"target": spot.id, "data": {"relation": "in"}}
            if "surface" in tags:
                return {"target": spot.id, "data": {"relation": "on", "cell": cell}}
        thing = frame.things[name]
        width, height = frame.stage.spec.width, frame.stage.spec.height
        x = max(0, min(width - thing.w, cell % width - thing.w // 2))
        y = max(0, min(height - thing.h, cell // width - thing.h // 2))
        at = y * width + x
        return {
            "target": frame.stage.region_at(at) or frame.stage.region_at(cell),
            "data": {"relation": "at", "cell": at},
        }

    def set_prop(self, name: str, prop: str, value: int) -> None:
        """Set a property."""
        old = self.live.frame.things[name].props.get(prop, 0)
        self.change(
            "set_prop", {"object": name, "data": {"prop": prop, "value": value}},
            ("set_prop", {"object": name, "data": {"prop": prop, "value": old}}),
        )  # fmt: skip

    def save_room(self) -> None:
        """Write the room as it stands to a new room file beside the log."""
        if self.save_to is None:
            return
        raw = room_file(self.live.session.state.room)
        text = room_toml(raw)
        parse_room(
            tomllib.loads(text), self.live.stage.spec.kinds
        )  # Nothing is saved that could not be opened again.
        number, path = 1, self.save_to.with_name(f"{raw['id']}_debug.toml")
        while path.exists():
            number += 1
            path = self.save_to.with_name(f"{raw['id']}_debug_{number}.toml")
        path.write_text(text, encoding="utf-8")
        self.say(self.theatre.texts("saved", path=path))

    # --- keys and pointer -------------------------------------------------------------------------------------

    def press(self, event: pygame.event.Event) -> bool:
        """Do what a key means here; what means nothing special goes on to play."""
        if event.mod & pygame.KMOD_CTRL and event.key in (pygame.K_z, pygame.K_s):
            self.undo() if event.key == pygame.K_z else self.save_room()
            return True
        if event.unicode == ".":
            self.step()
            return True
        if event.key == pygame.K_k:
            self.live.act(PHYSICAL, "wake", object=RESIDENT)
            return True
        if event.key == pygame.K_r:
            self.live.act(PHYSICAL, "think")
            return True
        return super().press(event)

    @property
    def standing(self) -> bool:
        """Whether the clock stands still."""
        return self.stopped_clock

    def pause(self) -> None:
        """Run, or stand still. The run itself is not paused: nothing of it is logged."""
        self.stopped_clock = not self.stopped_clock

    def point(self, canvas: Canvas) -> None:
        """Press on something and move: it comes along. Press and let go: it is chosen."""
        kit = self.kit
        if kit.modal is not None:
            return
        if kit.pressed and canvas.rect.collidepoint(kit.mouse):
            self._drag, self._drag_from = canvas.under(kit.mouse), kit.mouse
            self.choose(self._drag)
        moved = abs(kit.mouse[0] - self._drag_from[0]) + abs(kit.mouse[1] - self._drag_from[1]) > GRIP
        if self._drag and kit.down and moved:
            self._dragging = True
        if self._dragging:
            kit.tip = ""  # Nothing covers the place where it is to go.
            self._ghost()
        if kit.released:
            if self._dragging and self._drag:
                self.drop(self._drag, canvas)
            self._drag, self._dragging = "", False

    def _ghost(self) -> None:
        kit, name = self.kit, self._drag
        text = self.theatre.texts.name(self.live.stage, name)
        box = Rect(0, 0, kit.ink.width(text, 14) + kit.px(20), kit.px(28))
        box.midbottom = (kit.mouse[0], kit.mouse[1] - kit.px(8))
        pygame.draw.rect(self.surface, "#fff3c4", box, border_radius=7)
        pygame.draw.rect(self.surface, inks.DEEP_RED, box, 2, border_radius=7)
        kit.label(text, box.center, 14, bold=True, anchor="center")

    # --- drawing ----------------------------------------------------------------------------------------------

    def draw_body(self, body: Rect) -> None:
        """Draw the screen inside the loud frame."""
        kit, texts = self.kit, self.theatre.texts
        head = kit.px(34)
        super().draw_body(Rect(body.x + kit.px(6), body.y + head, body.w - kit.px(12), body.h - head))
        self._stripes()
        x = body.right - kit.px(8)
        for name, words, act in (
            ("d.save", texts("save_room"), self.save_room), ("d.undo", texts("undo"), self.undo),
            ("d.think", texts("force_round"), lambda: self.live.act(PHYSICAL, "think")),
            ("d.wake", texts("wake_up"), lambda: self.live.act(PHYSICAL, "wake", object=RESIDENT)),
            ("d.step", texts("step_tick"), self.step),
        ):  # fmt: skip
            wide = kit.ink.width(words, 13) + kit.px(22)
            if kit.button(name, Rect(x - wide, body.y + kit.px(3), wide, kit.px(28)), words, size=13):
                act()
            x -= wide + kit.px(6)
        self._banner(Rect(body.x + kit.px(6), body.y + kit.px(2), x - body.x - kit.px(6), head - kit.px(5)))

    def _stripes(self) -> None:
        kit = self.kit
        whole = self.surface.get_rect()
        for side in (Rect(0, 0, whole.w, kit.px(6)), Rect(0, whole.h - kit.px(6), whole.w, kit.px(6)),
                     Rect(0, 0, kit.px(6), whole.h), Rect(whole.w - kit.px(6), 0, kit.px(6), whole.h)):  # fmt: skip
            old = self.surface.get_clip()
            self.surface.set_clip(side)
            pygame.draw.rect(self.surface, "#111111", side)
            for x in range(side.x - whole.h, side.right, kit.px(26)):
                pygame.draw.line(
                    self.surface,
                    inks.YELLOW,
                    (x, side.bottom + whole.h),
                    (x + whole.h + side.h, side.y),
                    kit.px(9),
                )
            self.surface.set_clip(old)

    def _banner(self, room: Rect) -> None:
        """What this is, as much of it as fits beside the buttons."""
        kit, whole = self.kit, kit_text(self)
        fits = (each for each in (whole, self.theatre.texts("debug")) if kit.ink.width(each, 15, True) + kit.px(44) <= room.w)
        words = next(fits, "")
        banner = Rect(room.x, room.y, kit.ink.width(words, 15, True) + kit.px(44) if words else min(kit.px(36), room.w), room.h)
        pygame.draw.rect(self.surface, inks.DEEP_RED, banner, border_radius=6)
        kit.icon("bug-outline", (banner.x + kit.px(18), banner.centery), 20, inks.WHITE)
        kit.label(words, (banner.x + kit.px(34), banner.centery), 15, inks.WHITE, bold=True, anchor="midleft")
        kit.node("debug.frame", "label", banner, whole)

    def draw_side(self, column: Rect) -> None:
        """The properties of what is chosen take the feedback's upper part."""
        name = self.theatre.look.selected
        thing = self.live.frame.things.get(name)
        if thing is None or not thing.props:
            super().draw_side(column)
            return
        kit, texts, px = self.kit, self.theatre.texts, self.kit.px
        high = px(44) + px(34) * len(thing.props)
        place = Rect(column.x, column.y, column.w, min(high, column.h))
        kit.panel(place, f"{texts('props')}: {texts.name(self.live.stage, name)}")
        y = place.y + px(38)
        for prop, value in thing.props.items():
            kit.label(texts.prop(prop, value), (place.x + px(14), y + px(5)), 14, width=place.w - px(130))
            step = STEPS.get(prop, 1)
            for at, (sign, icon) in enumerate(((-1, "minus"), (1, "plus"))):
                button = Rect(place.right - px(86) + at * px(40), y, px(36), px(30))
                if kit.button(f"prop.{prop}.{'less' if sign < 0 else 'more'}", button, icon=icon):
                    self.set_prop(name, prop, max(0, value + sign * step) if prop in STEPS else int(sign > 0))
            kit.node(
                f"prop.{prop}", "label", Rect(place.x, y, place.w, px(30)), texts.prop(prop, value), value
            )
            y += px(34)
        rest = Rect(column.x, place.bottom + px(8), column.w, column.bottom - place.bottom - px(8))
        if rest.h > px(60):
            super().draw_side(rest)


def kit_text(screen: DebugScreen) -> str:
    """Return the words of the loud frame."""
    return screen.theatre.texts("debug_frame")
