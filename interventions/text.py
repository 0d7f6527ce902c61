"""Words of people made harmless and comparable: what may be shown, and the key under which spellings are one.

Three forms of one text, each a pure function of the one before it:

- *clean* is what is kept, shown and put into prompts: one line, no control, hidden or direction characters,
  no half of a surrogate pair, at most `TEXT_MAX` characters. Nothing visible is changed.
- *fold* is for matching: lower case, look-alike letters and styled forms made plain, marks dropped, every run
  of punctuation one space.
- *skeleton* goes further, to where 1, l and i are one letter; two texts that a hurried reader takes for the
  same have the same skeleton. It is compared with other skeletons only and never shown.
"""

from functools import lru_cache

from interventions.folding import INVISIBLE, LETTERS, MARKS, SPACES

TEXT_MAX = 2000  # characters kept of one utterance, spec 05 and the log's limit on free text
READ_MAX = 16_000  # characters looked at, hidden ones included; the rest is dropped unread
MARKS_MAX = 2  # marks kept on one letter; real scripts need no more

_HIDDEN = frozenset(code for first, last in INVISIBLE for code in range(first, last + 1))
_MARKS = frozenset(code for first, last in MARKS for code in range(first, last + 1))
_SPACES = frozenset(SPACES)
_APOSTROPHES = "'\u2018\u2019\u02bc\uff07\u0060\u00b4"  # They stand inside words; other signs part words.
_DIGITS = dict.fromkeys((ord("1"), ord("i"), ord("|")), "l") | {
    ord("0"): "o",
    ord("3"): "e",
    ord("4"): "a",
    ord("5"): "s",
    ord("7"): "t",
    ord("@"): "a",
    ord("$"): "s",
}


def decode(raw: bytes) -> str | None:
    """Return *raw* as text, or None where it is not UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None


def clean(text: str) -> str:
    """Return *text* as one harmless line of at most `TEXT_MAX` characters."""
    kept: list[str] = []
    marks = 0
    for char in text[:READ_MAX]:
        code = ord(char)
        if char in _SPACES:
            marks = 0
            if kept and kept[-1] != " ":
                kept.append(" ")
            continue
        if code in _HIDDEN or _unprintable(code):
            continue
        marks = marks + 1 if code in _MARKS else 0
        if marks <= MARKS_MAX:
            kept.append(char)
    return "".join(kept)[:TEXT_MAX].strip()


def fold(text: str) -> str:
    """Return *text* for matching: plain lower-case letters, digits and characters, single spaces between."""
    line = clean(text).translate(LETTERS)
    kept: list[str] = []
    for char in line:
        code = ord(char)
        if code in _MARKS:
            continue
        if _is_word(code):
            kept.append(char)
        elif char not in _APOSTROPHES and kept and kept[-1] != " ":
            kept.append(" ")
    return "".join(kept).strip()


def skeleton(text: str) -> str:
    """Return the shape of *text*: its fold with look-alike digits and letters made one."""
    return fold(clean(text).translate(_DIGITS)).translate(_DIGITS)


def text_key(text: str) -> str:
    """Return the key of a text that could not be read: its skeleton without spaces."""
    return skeleton(text).replace(" ", "")[:200]


def has_words(text: str) -> bool:
    """Tell whether anything in *text* can be read: a letter, a digit or a character."""
    for char in text:
        code = ord(char)
        if code not in _HIDDEN and code not in _MARKS and not _unprintable(code):
            if _is_word(ord(LETTERS.get(code, char)[0])):
                return True
    return False


@lru_cache(maxsize=4096)
def theme_key(action: str, target: str) -> str:
    """Return the key of a theme or matter. Equal keys are one theme, in whatever words it came.

    A bare target is the theme of looking at it; giving and bringing are one matter seen from two ends.
    """
    action = _SAME_THEME.get(action, action)
    if target and not action:
        action = "look"
    return f"{action}|{fold(target).replace(' ', '_')}"


_SAME_THEME = {
    "give": "bring",
    "take": "bring",
    "sleep": "rest",
    "lie": "rest",
    "search": "look",
    "wash": "wipe",
}


def _unprintable(code: int) -> bool:
    if code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xF900:
        return True  # controls, halves of surrogate pairs, private use
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF or code >= 0xF0000


def _is_word(code: int) -> bool:
    """Tell letters and digits from punctuation and signs, by ranges that no Unicode version moves."""
    if code < 0x80:
        return 0x30 <= code <= 0x39 or 0x61 <= code <= 0x7A
    if code < 0xC0 or 0x2000 <= code < 0x2C00 or 0x2E00 <= code < 0x2E80:
        return False
    if 0x3000 <= code < 0x3041 or 0xFE10 <= code < 0xFE70 or 0xFF00 <= code < 0xFF66:
        return code in (0x3005, 0x3007)  # the signs for "again" and for zero
    return not 0x1F000 <= code < 0x20000 and code not in (0x30FB, 0x30FC)
