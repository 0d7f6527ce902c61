"""A small immediate-mode kit: what is drawn in a frame is also in the tree, by id, for keys, tests and people.

Theory of operation
===================
`begin(events)` takes the events of a frame, the screen draws itself by calling widgets, `end()` closes it. A widget
answers at once whether it was pressed. All input comes from events; the keyboard is never polled, so nothing is missed
and a test's events count like a person's. Every widget enters itself as a `Node`; those that can be pressed can also be
reached with Tab and pressed with Enter or Space. A text box owns the keyboard while it has the focus.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pygame

from sim.window import ink as inks
from sim.window.ink import Ink

TEXT_MAX = 2000
STILL = 6  # pixels a pointer may tremble after a press
FIELD_KINDS = ("textbox",)
PRESSABLE = ("button", "textbox", "slider", "row")
Rect = pygame.Rect


@dataclass(slots=True)
class Node:
    """One widget of this frame."""

    id: str
    kind: str
    rect: Rect
    text: str = ""
    value: Any = None
    enabled: bool = True


class Kit:
    """The widgets, the focus, and the input of one frame."""

    def __init__(self, surface: pygame.Surface, scale: float = 1.0) -> None:
        self.surface = surface
        self.ink = Ink(scale)
        self.tree: dict[str, Node] = {}
        self.focus = ""
        self.active = ""
        self.mouse = (-1, -1)
        self.down = self.pressed = self.released = self.pressed_right = False
        self.wheel = 0
        self.keys: list[pygame.event.Event] = []
        self.typed = ""
        self.composing = ""
        self.tip = ""
        self.boxes: dict[str, tuple[str, int]] = {}
        self.offsets: dict[str, int] = {}
        self.caret_on = True
        self.modal: Rect | None = None
        self._quiet: tuple[int, int] | None = None
        """Where the pointer was pressed: no tip covers what came of it until the pointer moves away."""
        self._order: list[str] = []
        self._clips: list[Rect] = []
        self._kept: dict[Any, tuple[pygame.Surface, list[Node]]] = {}
        self._shadows: dict[tuple[int, int, int], pygame.Surface] = {}
        self._took: set[int] = set()

    # --- sizes and state --------------------------------------------------------------------------------------

    def px(self, size: float) -> int:
        """Return a size at 100 % in pixels."""
        return self.ink.px(size)

    def rescale(self, scale: float) -> None:
        """Draw everything larger or smaller from now on."""
        self.ink = Ink(scale)
        self.forget()

    def forget(self) -> None:
        """Throw away what was drawn before."""
        self._kept.clear()
        self._shadows.clear()

    @property
    def typing(self) -> bool:
        """Whether a text box owns the keyboard."""
        return self.focus in self.boxes and self.focus in self.tree

    def begin(self, events: list[pygame.event.Event]) -> None:
        """Take the events of a frame."""
        self.pressed = self.released = self.pressed_right = False
        self.wheel, self.keys, self.typed, self.tip = 0, [], "", ""
        self._took = set()
        for event in events:
            if event.type == pygame.MOUSEMOTION:
                self.mouse = event.pos
            elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
                self.mouse, self.down, self.pressed = event.pos, True, True
                self._quiet = event.pos
            elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 3:
                self.mouse, self.pressed_right = event.pos, True
            elif event.type == pygame.MOUSEBUTTONUP and event.button == 1:
                self.mouse, self.down, self.released = event.pos, False, True
            elif event.type == pygame.MOUSEWHEEL:
                self.wheel += event.y
            elif event.type == pygame.TEXTINPUT:
                self.typed += event.text
                self.composing = ""
            elif event.type == pygame.TEXTEDITING:
                self.composing = event.text
            elif event.type == pygame.KEYDOWN:
                self.keys.append(event)
        if self.pressed and self.focus in self.boxes:
            box = self.tree.get(self.focus)
            if box is not None and not box.rect.collidepoint(self.mouse):
                self.focus = ""
        self._walk_focus()
        self.tree, self._order = {}, []

    def end(self) -> None:
        """Close the frame: the tip under the pointer, and the widget that was held."""
        if self.released:
            self.active = ""
        if self._quiet is not None and max(abs(a - b) for a, b in zip(self.mouse, self._quiet, strict=True)) > STILL:
            self._quiet = None
        if self.tip and self._quiet is None:
            lines = self.tip.split("\n")
            pictures = [self.ink.render(line, 13, inks.WHITE) for line in lines]
            width = max(each.get_width() for each in pictures) + self.px(14)
            high = sum(each.get_height() for each in pictures) + self.px(8)
            box = Rect(self.mouse[0] + 14, self.mouse[1] + 16, width, high).clamp(self.surface.get_rect())
            pygame.draw.rect(self.surface, "#222222", box, border_radius=5)
            y = box.y + self.px(4)
            for each in pictures:
                self.surface.blit(each, (box.x + self.px(7), y))
                y += each.get_height()
            self.node("tip", "tip", box, self.tip)

    def _walk_focus(self) -> None:
        for key in self.keys:
            if key.key != pygame.K_TAB or key.mod & (pygame.KMOD_CTRL | pygame.KMOD_ALT) or not self._order:
                continue
            step = -1 if key.mod & pygame.KMOD_SHIFT else 1
            at = self._order.index(self.focus) if self.focus in self._order else (-1 if step > 0 else 0)
            self.focus = self._order[(at + step) % len(self._order)]
            self._took.add(id_of(key))

    def take_key(self, key: pygame.event.Event) -> bool:
        """Return whether a widget has taken *key* already."""
        return id_of(key) in self._took

    def node(
        self, name: str, kind: str, rect: Rect, text: str = "", value: Any = None, enabled: bool = True
    ) -> Rect:
        """Enter a widget in the tree; return the part of it that shows."""
        shown = rect.clip(self._clips[-1]) if self._clips else Rect(rect)
        self.tree[name] = Node(name, kind, shown, text, value, enabled)
        if (
            kind in PRESSABLE
            and enabled
            and shown.w > 0
            and shown.h > 0
            and (kind != "row" or value is not None)
        ):
            self._order.append(name)
        return shown

    def over(self, rect: Rect) -> bool:
        """Return whether the pointer is over *rect* and nothing clips or covers it."""
        if self._clips and not self._clips[-1].collidepoint(self.mouse):
            return False
        if self.modal is not None and not self.modal.contains(rect):
            return False
        return rect.collidepoint(self.mouse)

    def kept(self, key: Any, rect: Rect, draw: Callable[[], None]) -> None:
        """Draw a part of the screen that looks the same as long as *key* does: once, then copied."""
        place = (key, rect.x, rect.y, rect.w, rect.h, self.ink.scale)
        found = self._kept.get(place)
        if found is None:
            before = set(self.tree)
            draw()
            nodes = [node for name, node in self.tree.items() if name not in before]
            if len(self._kept) > 160:
                del self._kept[next(iter(self._kept))]
            self._kept[place] = (self.surface.subsurface(rect.clip(self.surface.get_rect())).copy(), nodes)
            return
        picture, nodes = found
        self.surface.blit(picture, rect)
        for node in nodes:
            self.tree[node.id] = node
            if node.kind in PRESSABLE and node.enabled and (node.kind != "row" or node.value is not None):
                self._order.append(node.id)

    # --- drawing ----------------------------------------------------------------------------------------------

    def label(
        self, text: str, at: tuple[float, float], size: int = 14, color: str = inks.TEXT, *, bold: bool = False,
        anchor: str = "topleft", width: int = 0,
    ) -> Rect:  # fmt: skip
        """Draw a line of text; with *width* it is cut to it."""
        picture = self.ink.render(self.ink.cut(text, size, width, bold) if width else text, size, color, bold)
        rect = picture.get_rect(**{anchor: (round(at[0]), round(at[1]))})
        self.surface.blit(picture, rect)
        return rect

    def size_for(self, words: Sequence[str], room: int, sizes: Sequence[int], bold: bool = False) -> int:
        """Return the first of *sizes* at which all *words* fit into *room* together; 0 if none is small enough."""
        return next((size for size in sizes if sum(self.ink.width(each, size, bold) for each in words) <= room), 0)

    def icon(self, name: str, middle: tuple[float, float], size: float = 18, color: str = inks.TEXT) -> None:
        """Draw an icon."""
        picture = self.ink.icon(name, size, color)
        self.surface.blit(picture, picture.get_rect(center=(round(middle[0]), round(middle[1]))))

    def panel(self, rect: Rect, title: str = "") -> None:
        """Draw a white panel with a title."""
        pygame.draw.rect(self.surface, inks.PANEL, rect, border_radius=8)
        pygame.draw.rect(self.surface, inks.LINE, rect, 1, border_radius=8)
        if title:
            self.label(
                title, (rect.x + self.px(12), rect.y + self.px(8)), 15, bold=True, width=rect.w - self.px(24)
            )

    def chip(
        self, name: str, text: str, at: tuple[float, float], color: str, icon: str = "", *, anchor: str = "topleft", size: int = 12,
        filled: bool = False, width: int = 0,
    ) -> Rect:  # fmt: skip
        """Draw a rounded word with its icon: a state is told by word, icon and colour."""
        lead = self.px(17) if icon else 0
        if width:
            text = self.ink.cut(text, size, width - lead - self.px(16))
        rect = Rect(0, 0, self.ink.width(text, size) + self.px(16) + lead, self.ink.height(size) + self.px(2))
        setattr(rect, anchor, (round(at[0]), round(at[1])))
        ground = color if filled else inks.mix(color, inks.WHITE, 0.86)
        words = inks.WHITE if filled else inks.mix(color, "#000000", 0.5)
        pygame.draw.rect(self.surface, ground, rect, border_radius=rect.h // 2)
        if not filled:
            pygame.draw.rect(self.surface, color, rect, 1, border_radius=rect.h // 2)
        if icon:
            self.icon(icon, (rect.x + self.px(15), rect.centery), 15, words)
        self.label(text, (rect.x + self.px(8) + lead, rect.centery), size, words, anchor="midleft")
        self.node(name, "chip", rect, text)
        return rect

    def bar(self, name: str, rect: Rect, value: float, color: str) -> None:
        """Draw a bar from 0 to 1."""
        pygame.draw.rect(self.surface, inks.TRACK, rect, border_radius=rect.h // 2)
        full = rect.copy()
        full.w = max(rect.h, round(rect.w * max(0.0, min(1.0, value))))
        pygame.draw.rect(self.surface, color, full, border_radius=rect.h // 2)
        self.node(name, "bar", rect, value=value)

    def shade(self, rect: Rect, alpha: int, radius: int = 6) -> None:
        """Lay a soft shadow on *rect*."""
        if rect.w <= 0 or rect.h <= 0:
            return
        key = (rect.w, rect.h, alpha)
        if len(self._shadows) > 400:
            self._shadows.clear()
        if key not in self._shadows:
            picture = pygame.Surface(rect.size, pygame.SRCALPHA)
            pygame.draw.rect(picture, (0, 0, 0, alpha), picture.get_rect(), border_radius=radius)
            self._shadows[key] = picture
        self.surface.blit(self._shadows[key], rect)

    def dim(self) -> None:
        """Lay a shade over the whole screen, below what is drawn on top of it."""
        self.shade(self.surface.get_rect(), 96, 0)

    # --- widgets ----------------------------------------------------------------------------------------------

    def button(
        self, name: str, rect: Rect, text: str = "", icon: str = "", *, on: bool = False, danger: bool = False, tip: str = "",
        enabled: bool = True, size: int = 14,
    ) -> bool:  # fmt: skip
        """Draw a button; return whether it was pressed, by pointer or key."""
        self.node(name, "button", rect, text or tip, on, enabled)
        over = self.over(rect)
        if over and tip:
            self.tip = tip
        hit = enabled and self._pressed(name, rect)
        filled = (on or danger) and enabled
        ground = inks.DEEP_RED if danger and enabled else inks.BLUE if filled else inks.PANEL
        if over and enabled:
            ground = inks.mix(ground, "#000000" if filled else inks.BLUE, 0.12)
        words = inks.WHITE if filled else inks.TEXT if enabled else "#9aa0a6"
        pygame.draw.rect(self.surface, ground, rect, border_radius=6)
        if not filled:
            pygame.draw.rect(self.surface, inks.LINE, rect, 1, border_radius=6)
        self._ring(name, rect)
        if icon and text and self.ink.width(text, size) > rect.w - self.px(34):
            # Where the words don't fit whole, the icon stands for them and the tip says them.
            if over and not tip:
                self.tip = text
            self.icon(icon, rect.center, 20, words)
        elif icon and text:
            text = self.ink.cut(text, size, rect.w - self.px(34))
            x = rect.centerx - (self.ink.width(text, size) + self.px(22)) // 2
            self.icon(icon, (x + self.px(8), rect.centery), 17, words)
            self.label(text, (x + self.px(22), rect.centery), size, words, anchor="midleft")
        elif icon:
            self.icon(icon, rect.center, 20, words)
        else:
            self.label(text, rect.center, size, words, anchor="center", width=rect.w - self.px(8))
        return hit

    def row(self, name: str, rect: Rect, text: str, value: Any) -> bool:
        """Enter a row that can be pressed; the caller draws it. Return whether it was."""
        self.node(name, "row", rect, text, value)
        hit = self._pressed(name, rect)
        self._ring(name, rect)
        return hit

    def slider(self, name: str, rect: Rect, value: float) -> float | None:
        """Return where the pointer or the keys put a slider, 0 to 1, or None if nobody moved it."""
        self.node(name, "slider", rect, value=value)
        if self.over(rect) and self.pressed:
            self.active = self.focus = name
        self._ring(name, rect)
        if self.active == name and (self.down or self.released):
            return max(0.0, min(1.0, (self.mouse[0] - rect.x) / max(1, rect.w)))
        return None

    def textbox(self, name: str, rect: Rect, hint: str) -> str | None:
        """Edit a line of text; return it when Enter sends it. Input methods compose in place."""
        text, caret = self.boxes.get(name, ("", 0))
        if self.pressed and self.over(rect):
            self.focus = name
        focused, sent = self.focus == name, None
        if focused:
            text, caret, sent = self._edit(text, caret)
        self.boxes[name] = (text, caret)
        self.node(name, "textbox", rect, text)
        pygame.draw.rect(self.surface, inks.FIELD, rect, border_radius=6)
        pygame.draw.rect(
            self.surface, inks.ORANGE if focused else inks.LINE, rect, 2 if focused else 1, border_radius=6
        )
        self._show_text(rect, text, caret, hint, focused)
        return sent

    def _edit(self, text: str, caret: int) -> tuple[str, int, str | None]:
        text, caret = _insert(text, caret, self.typed)
        for key in self.keys:
            if self.composing or id_of(key) in self._took:
                continue
            self._took.add(id_of(key))
            control = key.mod & pygame.KMOD_CTRL
            if key.key in (pygame.K_RETURN, pygame.K_KP_ENTER):
                if text.strip():
                    return "", 0, text
            elif key.key == pygame.K_ESCAPE:
                self.focus = ""
            elif key.key == pygame.K_BACKSPACE and caret:
                text, caret = text[: caret - 1] + text[caret:], caret - 1
            elif key.key == pygame.K_DELETE:
                text = text[:caret] + text[caret + 1 :]
            elif key.key in (pygame.K_LEFT, pygame.K_RIGHT):
                caret = max(0, min(len(text), caret + (1 if key.key == pygame.K_RIGHT else -1)))
            elif key.key in (pygame.K_HOME, pygame.K_END):
                caret = 0 if key.key == pygame.K_HOME else len(text)
            elif control and key.key == pygame.K_u:
                text, caret = "", 0
            elif (control and key.key == pygame.K_v) or (
                key.mod & pygame.KMOD_SHIFT and key.key == pygame.K_INSERT
            ):
                text, caret = _insert(text, caret, pasted())
            elif not _plain(key):
                self._took.discard(id_of(key))  # Function keys and shortcuts go on to the screen.
        return text, caret, None

    def _show_text(self, rect: Rect, text: str, caret: int, hint: str, focused: bool) -> None:
        inside = rect.inflate(-self.px(20), 0)
        old = self.surface.get_clip()
        self.surface.set_clip(inside.clip(old))
        before = self.ink.width(text[:caret], 15) if caret else 0
        composing = self.ink.width(self.composing, 15) if focused and self.composing else 0
        x = inside.x - max(0, before + composing - inside.w + self.px(8))
        if not text and not composing:
            self.label(hint, (x, rect.centery), 15, inks.DIM, anchor="midleft", width=inside.w)
        if text[:caret]:
            self.label(text[:caret], (x, rect.centery), 15, anchor="midleft")
        if composing:
            shown = self.label(self.composing, (x + before, rect.centery), 15, inks.BLUE, anchor="midleft")
            pygame.draw.line(self.surface, inks.BLUE, shown.bottomleft, shown.bottomright, 2)
        if text[caret:]:
            self.label(text[caret:], (x + before + composing, rect.centery), 15, anchor="midleft")
        at = x + before + composing
        if focused and self.caret_on:
            pygame.draw.line(
                self.surface, inks.TEXT, (at, rect.y + self.px(7)), (at, rect.bottom - self.px(8)), 2
            )
        self.surface.set_clip(old)
        if focused:
            pygame.key.set_text_input_rect(Rect(at, rect.y, 4, rect.h))

    def scroll(self, name: str, rect: Rect, high: int, draw: Callable[[int], None]) -> None:
        """Draw something *high* pixels tall in a window of *rect*: *draw* gets the y at which it begins."""
        offset = self.offsets.get(name, 0)
        if self.over(rect) and self.wheel:
            offset -= self.wheel * self.px(44)
        offset = max(0, min(offset, max(0, high - rect.h)))
        self.offsets[name] = offset
        self.node(name, "scroll", rect, value=offset)
        old = self.surface.get_clip()
        self._clips.append(rect)
        self.surface.set_clip(rect.clip(old))
        draw(rect.y - offset)
        self._clips.pop()
        self.surface.set_clip(old)
        if high > rect.h:
            size = max(self.px(24), rect.h * rect.h // high)
            y = rect.y + (rect.h - size) * offset // max(1, high - rect.h)
            pygame.draw.rect(self.surface, "#b9b2a2", (rect.right - 5, y, 5, size), border_radius=3)

    def _pressed(self, name: str, rect: Rect) -> bool:
        over = self.over(rect)
        if over and self.pressed:
            # The pointer takes no keyboard focus: Space goes on meaning pause after a click.
            self.active, self.focus = name, ""
        if over and self.released and self.active == name:
            return True
        if self.focus == name:
            for key in self.keys:
                if (
                    key.key in (pygame.K_RETURN, pygame.K_KP_ENTER, pygame.K_SPACE)
                    and id_of(key) not in self._took
                ):
                    self._took.add(id_of(key))
                    return True
        return False

    def _ring(self, name: str, rect: Rect) -> None:
        if self.focus == name:
            pygame.draw.rect(self.surface, inks.ORANGE, rect.inflate(4, 4), 2, border_radius=8)


def id_of(event: pygame.event.Event) -> int:
    """Return what tells two key events of one frame apart."""
    number: int = event.dict.setdefault("number", _next())
    return number


_count = [0]


def _next() -> int:
    _count[0] += 1
    return _count[0]


def _plain(key: pygame.event.Event) -> bool:
    """Return whether the key writes a character, so that no shortcut may take it."""
    return (
        bool(key.unicode) and key.unicode.isprintable() and not key.mod & (pygame.KMOD_CTRL | pygame.KMOD_ALT)
    )


def _insert(text: str, caret: int, piece: str) -> tuple[str, int]:
    piece = "".join(letter for letter in piece if letter.isprintable())[: max(0, TEXT_MAX - len(text))]
    return text[:caret] + piece + text[caret:], caret + len(piece)


def pasted() -> str:
    """Return the text of the clipboard, on one line."""
    try:
        return " ".join(pygame.scrap.get_text().split())
    except (pygame.error, AttributeError, UnicodeDecodeError):
        return ""
