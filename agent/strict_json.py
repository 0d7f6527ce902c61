"""One JSON object out of bytes, or the code of what is wrong with them. Nothing is guessed or trimmed.

The gates stand in the order of their cost. Doubles, fractions, NaN, long integers, deep nesting and text that
can't be stored or shown are refused here, so nothing behind this file meets them.
"""

from __future__ import annotations

import json
import re
from typing import Any

REPLY_BYTES_MAX = 256 * 1024
"""Size cap in bytes (spec 08, C7)."""

DEPTH_MAX = 8
"""Nesting cap; the deepest form needs 4."""

DIGITS_MAX = 9
"""Digits of an integer; the largest allowed value is 100."""


def read(raw: bytes) -> dict[str, Any] | str:
    """Return the one JSON object in *raw*, with integers and showable text only, or the code of what is wrong."""
    if len(raw) > REPLY_BYTES_MAX:
        return "too_large"
    if not raw.strip(b" \t\r\n"):
        return "empty"
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return "not_utf8"
    if depth_of(text) > DEPTH_MAX:
        return "too_deep"
    try:
        document = DECODER.decode(text)
    except Refused as refused:
        return refused.code
    except ValueError:
        return "not_json"
    if not isinstance(document, dict):
        return "not_an_object"
    return "bad_text" if has_bad_text(document) else document


class Refused(ValueError):
    """Raised inside the JSON reader by our own hooks; never leaves this file."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of *pairs*; one key twice is refused, because readers differ on which counts."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Refused("duplicate_key")
    return found


def whole_number(text: str) -> int:
    """Return the integer; a long one is refused before it is computed."""
    if len(text) > DIGITS_MAX:
        raise Refused("not_an_integer")
    return int(text)


def no_number(_text: str) -> int:
    """Refuse fractions, exponents, NaN and infinities."""
    raise Refused("not_an_integer")


DECODER = json.JSONDecoder(
    object_pairs_hook=unique_keys, parse_int=whole_number, parse_float=no_number, parse_constant=no_number,
)

STRUCTURE = re.compile(r'["\\\[\]{}]')


def depth_of(text: str) -> int:
    """Return how deep the brackets outside strings nest. Linear in the length, whatever the text."""
    depth = deepest = 0
    in_string = False
    skip = -1
    for match in STRUCTURE.finditer(text):
        sign, at = match.group(), match.start()
        if at == skip:
            continue
        if sign == "\\":
            skip = at + 1 if in_string else -1
        elif sign == '"':
            in_string = not in_string
        elif not in_string:
            depth += 1 if sign in "[{" else -1
            deepest = max(deepest, depth)
    return deepest


# A frozen table: the Unicode data of the interpreter differs from version to version.
BAD_TEXT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\uffff"
    "\U000e0000-\U000e0fff]"
)


def has_bad_text(value: Any) -> bool:
    """Return whether a key or a string in *value* can't be stored or would trick a screen."""
    if isinstance(value, str):
        return BAD_TEXT.search(value) is not None
    if isinstance(value, dict):
        return any(has_bad_text(key) or has_bad_text(item) for key, item in value.items())
    return isinstance(value, list) and any(has_bad_text(item) for item in value)
