"""Colours, fonts and icons: what the kit draws with. Everything rendered once is kept.

Okabe-Ito colours, told apart by the colour-blind; no state is ever shown by colour alone. Sizes are given at 100 %
and multiplied by the scale.
"""

from __future__ import annotations

import io
import os
from collections import OrderedDict
from functools import lru_cache

import pygame

from sim.window.texts import ASSETS

ORANGE, SKY, GREEN, YELLOW = "#E69F00", "#56B4E9", "#009E73", "#F0E442"
BLUE, RED, PINK, GREY = "#0072B2", "#D55E00", "#CC79A7", "#6b7280"
# White words need a darker ground than the plain colours give.
DEEP_RED, DEEP_PINK, DEEP_GREEN = "#B54700", "#A8487F", "#00785A"
GROUND, PANEL, LINE, TEXT, DIM = "#f4f1ea", "#ffffff", "#d8d2c4", "#1f2328", "#5a626b"
TRACK, FIELD, BAND, WHITE = "#e3ded2", "#fbfaf7", "#e6f0f7", "#ffffff"
KEPT = 3000
ELLIPSIS = "…"
# What the shipped font holds beside GB 2312: (first, after last) code points.
RANGES = ((0x20, 0x7F), (0xA0, 0x180), (0x391, 0x3CA), (0x2010, 0x2028), (0x2030, 0x203F), (0x20A0, 0x20C0), (0x2190, 0x21C0),
          (0x2200, 0x2270), (0x2300, 0x2330), (0x2460, 0x2474), (0x2500, 0x2670), (0x2700, 0x2760), (0x3000, 0x3020),
          (0xFF00, 0xFFEF))  # fmt: skip
SYSTEM_FONTS = "microsoftyahei,pingfangsc,notosanscjksc,notosanssc,sourcehansanssc,wqymicrohei,wqyzenhei,droidsansfallback"


@lru_cache(maxsize=4000)
def drawable(letter: str) -> bool:
    """Return whether the shipped font has the character."""
    if any(first <= ord(letter) < end for first, end in RANGES):
        return True
    try:
        letter.encode("gb2312")
    except UnicodeEncodeError:
        return False
    return True


@lru_cache(maxsize=512)
def mix(color: str, other: str, share: float) -> str:
    """Return *color* moved by *share* toward *other*."""
    found = pygame.Color(color).lerp(pygame.Color(other), share)
    return f"#{found.r:02x}{found.g:02x}{found.b:02x}"


class Ink:
    """Fonts and icons at one scale, with everything that was rendered."""

    def __init__(self, scale: float) -> None:
        self.scale = scale
        self._fonts: dict[tuple[int, bool, bool], pygame.font.Font] = {}
        self._texts: OrderedDict[tuple[str, int, str, bool], pygame.Surface] = OrderedDict()
        self._widths: OrderedDict[tuple[str, int, bool], int] = OrderedDict()
        self._icons: dict[tuple[str, int, str], pygame.Surface] = {}
        self._drawings: dict[str, str] = {}

    def px(self, size: float) -> int:
        """Return a size at 100 % in pixels."""
        return round(size * self.scale)

    def font(self, size: int, bold: bool = False, *, system: bool = False) -> pygame.font.Font:
        """Return the font of a size; *system* the one that stands in for characters the shipped one lacks."""
        key = (self.px(size), bold, system)
        if key not in self._fonts:
            path = ASSETS / "fonts" / f"NotoSansSC-{'Bold' if bold else 'Regular'}-gb2312.otf"
            other = os.environ.get("ROOMFONT") or pygame.font.match_font(SYSTEM_FONTS) if system else None
            self._fonts[key] = pygame.font.Font(other or path, key[0])
        return self._fonts[key]

    def height(self, size: int) -> int:
        """Return the height of a line."""
        return self.font(size).get_linesize()

    def width(self, text: str, size: int, bold: bool = False) -> int:
        """Return the width of a text in pixels."""
        key = (text, size, bold)
        found = self._widths.get(key)
        if found is None:
            found = self._widths[key] = self._font_of(text, size, bold).size(text)[0]
            if len(self._widths) > 2 * KEPT:
                self._widths.popitem(last=False)
        return found

    def render(self, text: str, size: int, color: str, bold: bool = False) -> pygame.Surface:
        """Return the text as a picture."""
        key = (text, size, color, bold)
        found = self._texts.get(key)
        if found is None:
            found = self._texts[key] = self._font_of(text, size, bold).render(text, True, color)
            if len(self._texts) > KEPT:
                self._texts.popitem(last=False)
        else:
            self._texts.move_to_end(key)
        return found

    def icon(self, name: str, size: float, color: str) -> pygame.Surface:
        """Return an icon in a color."""
        key = (name, self.px(size), color)
        if key not in self._icons:
            if name not in self._drawings:
                self._drawings[name] = (ASSETS / "icons" / f"{name}.svg").read_text(encoding="utf-8")
            drawing = self._drawings[name].replace("<path ", f'<path fill="{color}" ')
            side = max(4, key[1])
            self._icons[key] = pygame.image.load_sized_svg(io.BytesIO(drawing.encode()), (side, side))
        return self._icons[key]

    def cut(self, text: str, size: int, width: int, bold: bool = False) -> str:
        """Return *text*, shortened to *width* pixels with an ellipsis."""
        if self.width(text, size, bold) <= width:
            return text
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            fits = self._font_of(text, size, bold).size(text[:middle] + ELLIPSIS)[0] <= width
            low, high = (middle, high) if fits else (low, middle - 1)
        return text[:low] + ELLIPSIS

    def lines(self, text: str, size: int, width: int, most: int = 2) -> list[str]:
        """Return *text* in at most *most* lines of *width* pixels; Chinese breaks between any two characters."""
        found: list[str] = []
        now = ""
        for word in split(text):
            if word == "\n":
                found.append(now)
                now = ""
            elif now and self.font(size).size((now + word).rstrip())[0] > width:
                found.append(now.rstrip())
                now = word.lstrip()
            else:
                now += word
        if now.strip():
            found.append(now.rstrip())
        if len(found) > most:
            found = [*found[: most - 1], self.cut(found[most - 1] + ELLIPSIS, size, width)]
        return found

    def _font_of(self, text: str, size: int, bold: bool) -> pygame.font.Font:
        return self.font(size, bold, system=not all(map(drawable, text)))


@lru_cache(maxsize=2000)
def split(text: str) -> tuple[str, ...]:
    """Return the pieces between which a line may break: words with their space, single Chinese characters."""
    found: list[str] = []
    for letter in text:
        wide = ord(letter) > 0x2E7F
        closing = letter in "，。！？；：、）】”》"
        if letter == "\n":
            found.append(letter)
        elif found and (
            closing
            or (
                not wide
                and found[-1] != "\n"
                and not found[-1].endswith(" ")
                and ord(found[-1][-1]) <= 0x2E7F
            )
        ):
            found[-1] += letter
        else:
            found.append(letter)
    return tuple(found)
