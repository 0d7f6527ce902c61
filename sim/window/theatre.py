"""The screen: the room on the left, the panels on the right. Live, replay and export draw it with the same code."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pygame

from agent.percept import NEEDS
from sim.frame import VISITOR, Frame
from sim.frame_view import believed, unseen_by_visitor
from sim.window import ink as inks
from sim.window import panels
from sim.window.canvas import Canvas, View, thing_words
from sim.window.canvas_bodies import paint_bodies
from sim.window.kit import Kit, Rect
from sim.window.room_painter import RoomPainter
from sim.window.talk import LEAST, draw_talk
from sim.window.texts import Texts

COLUMN, COLUMN_LEAST = 446, 380
ROWS_LEAST = 3


@dataclass(slots=True)
class Look:
    """How the screen is looked at; nothing of it changes what is shown of whom."""

    language: str = "en"
    scale: float = 1.0
    researcher: bool = True
    view: str = "truth"
    """truth, belief or both."""
    selected: str = ""
    selected_tick: int = -1
    opened: str = ""
    """The candidate whose parts are shown."""
    log: str = ""
    """Which log it is; pictures of one are not used for another."""
    you: bool = False
    """Whether whoever looks is the visitor."""


@dataclass(slots=True)
class Theatre:
    """A kit, a painter, and a look."""

    kit: Kit
    look: Look
    texts: Texts = field(default_factory=lambda: Texts("en"))
    painter: RoomPainter = field(init=False)
    talk: Rect | None = None
    """Where what was said is listed, if anywhere."""
    below: Rect = field(default_factory=lambda: Rect(0, 0, 0, 0))
    """Where the feedback would be, when the inspector takes its place."""

    def __post_init__(self) -> None:
        self.painter = RoomPainter(self.kit)
        self.texts = Texts(self.look.language)

    def switch(self, **changes: Any) -> None:
        """Change the look: language, scale, view."""
        self.look = replace(self.look, **changes)
        self.texts = Texts(self.look.language)
        if "scale" in changes:
            self.kit.rescale(self.look.scale)
        self.kit.forget()
        self.painter.forget()

    # --- where things go --------------------------------------------------------------------------------------

    def column_width(self, width: int) -> int:
        """Return how wide the panels are in a window of *width*."""
        return max(COLUMN_LEAST, min(self.kit.px(COLUMN), round(width * 0.46)))

    def heights(self, high: int) -> tuple[int, int, bool]:
        """Return the heights of needs and candidates, and whether the feedback is tight.

        The feedback always keeps three rows: needs fold first, then candidates, then the rows themselves.
        """
        px = self.kit.px
        if not self.look.researcher:
            tight = high < px(panels.CHIPS_H + 40 + ROWS_LEAST * panels.ROW_H)
            return 0, 0, tight
        rows = px(panels.CHIPS_H + 39 + ROWS_LEAST * panels.ROW_H)
        gap = px(8)
        for needs, candidates in (
            (panels.NEEDS_H, panels.CANDIDATES_H), (panels.NEEDS_H, 148), (panels.NEEDS_H, panels.CANDIDATES_FEW_H),
            (panels.NEEDS_TIGHT_H, panels.CANDIDATES_FEW_H), (panels.NEEDS_TIGHT_H, panels.CANDIDATES_TIGHT_H),
        ):  # fmt: skip
            if px(needs) + px(candidates) + rows + 2 * gap <= high:
                return px(needs), px(candidates), False
        tight_rows = px(40 + ROWS_LEAST * panels.ROW_TIGHT_H)
        if px(panels.NEEDS_TIGHT_H + panels.CANDIDATES_TIGHT_H) + tight_rows + 2 * gap <= high:
            return px(panels.NEEDS_TIGHT_H), px(panels.CANDIDATES_TIGHT_H), True
        return 0, 0, True

    def split(self, frame: Frame, rect: Rect) -> tuple[Rect, Rect | None]:
        """Return where the room goes, and where the talk goes if the room's shape leaves space below it."""
        spec, wall = frame.stage.spec, self.kit.px(10)
        if self.look.view == "both" and self.look.researcher:
            return rect, None
        unit = min((rect.w - 2 * wall) / spec.width, (rect.h - 2 * wall) / spec.height)
        high, gap = round(unit * spec.height) + 2 * wall, self.kit.px(8)
        if rect.h - high - gap < self.kit.px(LEAST):
            return rect, None
        return Rect(rect.x, rect.y, rect.w, high), Rect(rect.x, rect.y + high + gap, rect.w, rect.h - high - gap)

    # --- drawing ----------------------------------------------------------------------------------------------

    def stage(self, frame: Frame, tick: float, rect: Rect) -> Canvas:
        """Draw the room, and below it what was said; return the canvas of the room."""
        room, talk = self.split(frame, rect)
        self.talk = talk
        canvas = self.room(frame, tick, room)
        if talk is not None:
            mine = not self.look.researcher
            said = tuple(each.fact + str(each.tick) for each in frame.said)
            key = ("talk", self.look.log, self.look.language, said, mine)
            self.kit.kept(key, talk, lambda: draw_talk(self.kit, self.texts, frame, talk, mine=mine, you=self.look.you))
        return canvas

    def room(self, frame: Frame, tick: float, rect: Rect) -> Canvas:
        """Draw the room, or the resident's view of it, or both; return the canvas of the truth (or of the view)."""
        if self.look.view == "both" and self.look.researcher:
            gap, head, spec = self.kit.px(8), self.kit.px(24), frame.stage.spec
            beside = min((rect.w - gap) / 2 / spec.width, (rect.h - head) / spec.height)
            above = min(rect.w / spec.width, (rect.h - 2 * head - gap) / 2 / spec.height)
            if beside > above:
                half = (rect.w - gap) // 2
                parts = (
                    Rect(rect.x, rect.y + head, half, rect.h - head),
                    Rect(rect.x + half + gap, rect.y + head, half, rect.h - head),
                )
            else:
                half = (rect.h - 2 * head - gap) // 2
                parts = (
                    Rect(rect.x, rect.y + head, rect.w, half),
                    Rect(rect.x, rect.y + 2 * head + half + gap, rect.w, half),
                )
            drawn = [self.one(frame, tick, part, belief=at == 1) for at, part in enumerate(parts)]
            for canvas, keys in zip(drawn, (("truth", "view_truth"), ("belief", "view_belief")), strict=True):
                place, names = canvas.rect, [self.texts(key) for key in keys]
                title = next((each for each in names if self.kit.ink.width(each, 14, True) <= place.w), names[-1])
                self.kit.label(title, (place.x + 2, place.y - head + 2), 14, bold=True, width=place.w)
            return drawn[0]
        return self.one(frame, tick, rect, belief=self.look.view == "belief" and self.look.researcher)

    def one(self, frame: Frame, tick: float, rect: Rect, *, belief: bool) -> Canvas:
        """Draw one room: what is so, or what the resident holds to be so."""
        look, shown = self.look, frame
        view = View(
            look.language, cone=look.researcher, believed=belief, selected=look.selected, log=look.log
        )
        if belief:
            room = believed(frame)
            shown, view.differs, view.faded = room.frame, room.differs, room.faded
        elif not look.researcher:
            view.hidden = unseen_by_visitor(frame, tick)
        canvas = self.painter.paint(shown, tick, rect, view)
        paint_bodies(self.kit, self.texts, shown, tick, canvas, view, you=look.you)
        self._tip(shown, canvas, frame, belief)
        if look.you and VISITOR not in frame.bodies and not frame.status:
            self.notice(canvas.rect, self.texts("outside"))
        return canvas

    def _tip(self, shown: Frame, canvas: Canvas, frame: Frame, belief: bool) -> None:
        if not canvas.rect.collidepoint(self.kit.mouse) or self.kit.modal is not None:
            return
        name = canvas.under(self.kit.mouse)
        thing = shown.things.get(name)
        if thing is not None:
            words = thing_words(self.texts, shown, thing)
            if belief:
                held = next(
                    (each for each in frame.beliefs.values() if frame.ordinals.get(each.ordinal) == name),
                    None,
                )
                if held is not None:
                    words += f"\n{self.texts.clock(frame.stage, held.tick)}"
            self.kit.tip = words
        elif name in shown.bodies:
            self.kit.tip = (
                f"{self.texts.name(frame.stage, name)}\n{self.texts.doing(shown, shown.bodies[name])}"
            )

    def notice(self, rect: Rect, text: str) -> None:
        """Say something at the foot of *rect*, in as many lines as it takes."""
        kit = self.kit
        lines = kit.ink.lines(text, 15, rect.w - kit.px(60), 4)
        high = kit.ink.height(15)
        box = Rect(0, 0, max(kit.ink.width(each, 15) for each in lines) + kit.px(36), high * len(lines) + kit.px(12))
        box.midbottom = (rect.centerx, rect.bottom - kit.px(30))
        pygame.draw.rect(kit.surface, inks.WHITE, box, border_radius=9)
        pygame.draw.rect(kit.surface, inks.BLUE, box, 2, border_radius=9)
        for at, line in enumerate(lines):
            kit.label(line, (box.centerx, box.y + kit.px(6) + at * high), 15, anchor="midtop")
        kit.node("notice", "label", box, text)

    def side(self, frame: Frame, tick: int, rect: Rect, *, title: str, inspector: bool = False) -> str:
        """Draw the panels; return the id of a feedback row that was pressed."""
        needs_h, candidates_h, tight = self.heights(rect.h)
        kit, y, gap = self.kit, rect.y, self.kit.px(8)
        if needs_h:
            place = Rect(rect.x, y, rect.w, needs_h)
            key = ("needs", self.look.log, self.look.language, frame.felt, frame.mood, frame.felt_tick, frame.task.get("id"),
                   _doing_key(frame), self.look.researcher)  # fmt: skip
            compact = needs_h == kit.px(panels.NEEDS_TIGHT_H)
            kit.kept(key, place, lambda: panels.draw_needs(kit, self.texts, frame, place, tight=compact))
            mood = kit.tree.get("mood")
            if mood is not None and kit.over(mood.rect):
                kit.tip = mood.text
            y += needs_h + gap
        if candidates_h:
            place = Rect(rect.x, y, rect.w, candidates_h)
            self.look.opened = panels.draw_candidates(
                kit,
                self.texts,
                frame,
                place,
                self.look.opened,
                tight=candidates_h <= kit.px(panels.CANDIDATES_TIGHT_H),
            )
            y += candidates_h + gap
        place = Rect(rect.x, y, rect.w, rect.bottom - y)
        if inspector:
            self.below = place
            return ""
        return panels.draw_feedback(
            kit,
            self.texts,
            frame,
            tick,
            place,
            tight=tight,
            title=title,
            selected=self.look.selected,
            mine=not self.look.researcher,
        )


def _doing_key(frame: Frame) -> tuple[Any, ...]:
    body = frame.bodies.get("resident")
    return () if body is None or body.doing is None else (body.doing.fact, body.doing.skill)


assert len(NEEDS) == 9, "the panel of needs has nine places"
