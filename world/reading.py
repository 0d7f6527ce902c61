"""Reading a room file key by key: every helper either returns a checked value or raises a `RoomError`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from world.params import CELL_MM
from world.plan import footprint

ID_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")
CELLS_MAX: Final = 20_000
MM_MAX: Final = 100_000
NAME_MAX: Final = 60
TEXT_MAX: Final = 500


class RoomError(ValueError):
    """A fault in a room file: where it is, what is wrong, how to mend it."""

    def __init__(self, path: str, problem: str, mend: str) -> None:
        super().__init__(f"{path}: {problem}; {mend}")
        self.path = path
        self.problem = problem
        self.mend = mend


def closed(path: str, raw: Any, keys: tuple[str, ...]) -> None:
    """Check that *raw* is a table with no keys but *keys*."""
    if not isinstance(raw, dict):
        raise RoomError(path, "is not a table", "write keys with values below it")
    for key in raw:
        if key not in keys:
            raise RoomError(f"{path}.{shown(key)}", "unknown key", nearest(str(key), keys))


def shown(value: Any) -> str:
    """Return *value* short enough and plain enough for a message."""
    return str(value)[:40].encode("ascii", "backslashreplace").decode("ascii")


def table_of(raw: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return the optional table *key*, empty if it is left out."""
    found = raw.get(key, {})
    if not isinstance(found, dict):
        raise RoomError(key, "is not a table", f"write [{key}] and keys below it")
    return found


def need(path: str, raw: Mapping[str, Any], key: str, kind: type) -> Any:
    """Return the value of *key*, which must be there and of this type."""
    if key not in raw:
        raise RoomError(path, "is missing", f"add {key} = ...")
    return typed(path, raw[key], kind)


def typed(path: str, value: Any, kind: type) -> Any:
    """Return *value* if it is of this type; true and false are no numbers."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise RoomError(path, f"is a {type(value).__name__}", f"write a {kind.__name__}")
    return value


def identifier(path: str, text: str) -> str:
    """Return *text* if it can be an id."""
    if not text or len(text) > 40 or not all(letter in ID_LETTERS for letter in text):
        raise RoomError(path, f"'{shown(text)}' is no id", "use 1 to 40 of a-z, 0-9 and _")
    return text


def whole(path: str, value: Any, least: int, most: int) -> int:
    """Return *value* if it is a whole number within bounds."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise RoomError(
            path, f"{shown(value)} is out of bounds", f"use a whole number from {least} to {most}"
        )
    return value


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a mend that names the known word sharing most letter pairs with *word*."""
    pairs = [word[index : index + 2] for index in range(min(len(word), 60) - 1)]
    ranked = sorted(
        known, key=lambda each: (-sum(pair in each for pair in pairs), abs(len(each) - len(word)), each)
    )
    return f"did you mean {ranked[0]!r}?" if ranked else "there is none to choose from"


def names_of(path: str, raw: Any, default: Mapping[str, str]) -> dict[str, str]:
    """Return the English and Chinese name, each from *raw* or else from *default*."""
    closed(path, raw, ("en", "zh"))
    names = {**default, **raw}
    for language, text in names.items():
        short_text(f"{path}.{language}", text, NAME_MAX)
    return {"en": names["en"], "zh": names["zh"]}


def texts_of(path: str, raw: Any) -> dict[str, str]:
    """Return what there is to read, by language."""
    closed(path, raw, ("en", "zh"))
    return {language: short_text(f"{path}.{language}", text, TEXT_MAX) for language, text in raw.items()}


def short_text(path: str, text: Any, most: int) -> str:
    """Return *text* if it is a text without control letters or halves of letters."""
    if not isinstance(text, str) or not 0 < len(text) <= most:
        raise RoomError(path, "is no text", f"write 1 to {most} characters")
    if any(
        ord(letter) < 32 or 0x7F <= ord(letter) < 0xA0 or 0xD800 <= ord(letter) < 0xE000 for letter in text
    ):
        raise RoomError(path, "holds control characters", "write plain words")
    return text


def size_in_cells(size: list[Any]) -> tuple[int, int]:
    """Return the room's width and height in cells."""
    if len(size) != 2:
        raise RoomError("size", "is not a pair", "write size = [width_mm, height_mm]")
    for index, value in enumerate(size):
        whole(f"size[{index}]", value, 2 * CELL_MM, MM_MAX)
        if value % CELL_MM:
            raise RoomError(
                f"size[{index}]", f"{value} mm does not fit the grid", f"use a multiple of {CELL_MM}"
            )
    width, height = size[0] // CELL_MM, size[1] // CELL_MM
    if width * height > CELLS_MAX:
        raise RoomError("size", f"{width * height} cells of floor", f"keep it below {CELLS_MAX}")
    return width, height


def box_cells(path: str, box: Any, width: int, height: int) -> list[int]:
    """Return the cells that a box of [x, y, width, height] mm covers."""
    if not isinstance(box, list) or len(box) != 4:
        raise RoomError(path, "is not a box", "write [x, y, width, height] in mm")
    for value in box:
        whole(path, value, 0, MM_MAX)
    x, y = box[0] // CELL_MM, box[1] // CELL_MM
    w, h = max(1, -(-box[2] // CELL_MM)), max(1, -(-box[3] // CELL_MM))
    if x + w > width or y + h > height:
        edge = f"{width * CELL_MM} x {height * CELL_MM} mm"
        raise RoomError(path, "reaches outside the room", f"stay within {edge}")
    return footprint(y * width + x, w, h, width)


def spot_box(path: str, spot: Any, long: int, high: int) -> list[int]:
    """Return the box of this size whose north-west corner is the spot [x, y]."""
    if not isinstance(spot, list) or len(spot) != 2:
        raise RoomError(path, "is not a spot", "write [x, y] in mm")
    return [*spot, long, high]


def wall_cells(raw: Any, width: int, height: int) -> tuple[int, ...]:
    """Return the cells of all walls."""
    cells: dict[int, None] = {}
    for index, box in enumerate(typed("walls", raw, list)):
        cells.update(dict.fromkeys(box_cells(f"walls[{index}]", box, width, height)))
    return tuple(cells)


def clock(path: str, text: Any) -> int:
    """Return the minutes since midnight of *text*, `HH:MM`."""
    parts = text.split(":") if isinstance(text, str) else []
    if len(parts) == 2 and all(len(each) == 2 and each.isascii() and each.isdigit() for each in parts):
        minutes = int(parts[0]) * 60 + int(parts[1])
        if int(parts[1]) < 60 and minutes <= 1440:
            return minutes
    raise RoomError(path, f"{shown(text)} is no time of day", 'write "HH:MM"')


def hours(path: str, pair: Any) -> tuple[int, int]:
    """Return a pair of times in minutes since midnight."""
    if not isinstance(pair, list) or len(pair) != 2:
        raise RoomError(path, "is not a pair of times", 'write ["HH:MM", "HH:MM"]')
    return clock(path, pair[0]), clock(path, pair[1])
