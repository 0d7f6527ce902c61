"""TOML from strangers: limits before it is parsed, and the line on which each key stands.

`tomllib` keeps no lines and has no limits: dotted keys cost the square of their length, deep nesting the stack.
So a text is measured first, parsed second, and walked a third time to map every key to its line. The walk may
trust the syntax, because the parser accepted it.
"""

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from protocols.faults import Fault, ProtocolError, fail, shown

BYTES_MAX = 256 * 1024
DEPTH_MAX = 12  # brackets inside each other
DOTS_MAX = 16  # parts of a dotted key
INTEGER_MAX = 2**63 - 1

Path = tuple[str | int, ...]
Lines = dict[Path, int]

_SPECIAL = re.compile(r"[\"'#\[\]{}.=,\n]")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_PLAIN = re.compile(r"[^,\]}\n#]+")
_LINE = re.compile(r"\(at line (\d+), column \d+\)")


def parse_toml(raw: bytes, file: str) -> tuple[dict[str, Any], Lines]:
    """Return the table in *raw* and the line of each of its keys. Raises ProtocolError, never anything else."""
    if len(raw) > BYTES_MAX:
        raise fail(file, f"the file has {len(raw)} bytes, at most {BYTES_MAX} are read", "split or shorten it")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise fail(file, "the file is not UTF-8 text", "save it as UTF-8", line) from None
    text = text.replace("\r\n", "\n")
    measure(text, file)
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise fail(file, "values are nested too deep", f"at most {DEPTH_MAX} levels") from None
    except ValueError as error:
        raise _syntax(file, str(error), text.rstrip("\n").count("\n") + 1) from None
    lines = line_map(text)
    faults = [Fault(file, line_of(lines, path), what, mend) for path, what, mend in _foreign(table, ())]
    if faults:
        raise ProtocolError(faults)
    return table, lines


def line_of(lines: Lines, path: Path) -> int:
    """Return the line of the key at *path*, or of the nearest table around it."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return 1


def measure(text: str, file: str) -> None:
    """Refuse a text whose brackets or dotted keys go too deep, in one pass and without parsing it."""
    depth = dots = at = 0
    while (found := _SPECIAL.search(text, at)) is not None:
        char, at = found.group(), found.end()
        if char in "\"'":
            end = _string_end(text, found.start())
            if end < 0:
                return  # The parser names the place of an open string better.
            at = end
        elif char == "#":
            at = _line_end(text, at)
        elif char == ".":
            dots += 1
        else:
            dots = 0
            depth += (char in "[{") - (char in "]}")
        if depth > DEPTH_MAX or dots >= DOTS_MAX:
            what = "values are nested too deep" if depth > DEPTH_MAX else "a key has too many dotted parts"
            limit = f"at most {DEPTH_MAX} levels" if depth > DEPTH_MAX else f"at most {DOTS_MAX} parts"
            raise fail(file, what, limit, text.count("\n", 0, at) + 1)


def line_map(text: str) -> Lines:
    """Return the line of every key and list item of the valid TOML *text*."""
    walk = _Walk(text)
    walk.document()
    return walk.lines


def _syntax(file: str, message: str, lines: int) -> ProtocolError:
    found = _LINE.search(message)
    line = int(found.group(1)) if found else lines
    what = _LINE.sub("", message).replace("(at end of document)", "").strip()
    if "Exceeds the limit" in what:
        what = "a number is far too long"
    return fail(file, f"this is not TOML: {shown(what, 120)[1:-1]}", "see toml.io for the syntax", line)


def _foreign(value: Any, path: Path) -> Iterator[tuple[Path, str, str]]:
    """Find what TOML can say and a declaration can't: dates, infinities, huge numbers, odd characters."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _foreign(item, (*path, key))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _foreign(item, (*path, at))
    elif isinstance(value, str):
        if any(ord(char) < 0x20 and char not in "\n\t" for char in value) or "\x7f" in value:
            yield path, "the text holds control characters", "take them out"
    elif isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            yield path, "a number must be finite", "write an ordinary number"
    elif isinstance(value, int):
        if abs(value) > INTEGER_MAX:
            yield path, "the number does not fit into 64 bits", "write a smaller one"
    else:
        yield path, "a bare date or time can't stand here", 'write it in quotes, such as "08:00"'


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _string_end(text: str, at: int) -> int:
    """Return where the string that opens at *at* has ended, or -1."""
    quote = text[at]
    if text.startswith(quote * 3, at):
        at += 3
        while (end := text.find(quote * 3, at)) >= 0:
            backslashes = 0
            while quote == '"' and text[end - 1 - backslashes] == "\\":
                backslashes += 1
            if backslashes % 2 == 0:
                end += 3
                return end + min(2, len(text[end : end + 2]) - len(text[end : end + 2].lstrip(quote)))
            at = end + 1
        return -1
    at += 1
    while at < len(text) and text[at] != "\n":
        if text[at] == quote:
            return at + 1
        at += 2 if text[at] == "\\" and quote == '"' else 1
    return -1


class _Walk:
    """One pass over valid TOML. *lines* grows; *counts* numbers the items of arrays of tables."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.line, self.counted = text, 0, 1, 0
        self.lines: Lines = {}
        self.counts: dict[Path, int] = {}

    def document(self) -> None:
        prefix: Path = ()
        while self._skip():
            if self.text.startswith("[[", self.at):
                self.at += 2
                path = self._resolve(self._key())
                number = self.counts[path] = self.counts.get(path, -1) + 1
                prefix = (*path, number)
                self._note(path, prefix)
                self.at += 2
            elif self.text[self.at] == "[":
                self.at += 1
                prefix = self._resolve(self._key())
                self._note(prefix)
                self.at += 1
            else:
                self._pair(prefix)

    def _pair(self, prefix: Path) -> None:
        path = prefix
        for key in self._key():
            path = (*path, key)
            self._note(path)
        self.at = self.text.index("=", self.at) + 1
        self._value(path)

    def _value(self, path: Path) -> None:
        self._skip()
        char = self.text[self.at]
        if char in "\"'":
            self.at = _string_end(self.text, self.at)
        elif char == "[":
            self.at += 1
            number = 0
            while self._skip() and self.text[self.at] != "]":
                if self.text[self.at] == ",":
                    self.at += 1
                    continue
                self._note((*path, number))
                self._value((*path, number))
                number += 1
            self.at += 1
        elif char == "{":
            self.at += 1
            while self._skip() and self.text[self.at] != "}":
                if self.text[self.at] == ",":
                    self.at += 1
                    continue
                self._pair(path)
            self.at += 1
        else:
            found = _PLAIN.match(self.text, self.at)
            assert found is not None
            self.at = found.end()

    def _key(self) -> list[str]:
        parts: list[str] = []
        while True:
            self._skip()
            if self.text[self.at] in "\"'":
                end = _string_end(self.text, self.at)
                quoted = self.text[self.at : end]
                parts.append(str(tomllib.loads(f"k = {quoted}")["k"]))
                self.at = end
            else:
                found = _BARE.match(self.text, self.at)
                assert found is not None
                parts.append(found.group())
                self.at = found.end()
            self._skip()
            if self.text[self.at] != ".":
                return parts
            self.at += 1

    def _resolve(self, keys: list[str]) -> Path:
        path: Path = ()
        for at, key in enumerate(keys):
            path = (*path, key)
            if path in self.counts and at + 1 < len(keys):
                path = (*path, self.counts[path])
        return path

    def _skip(self) -> bool:
        """Step over blanks and comments; tell whether anything is left."""
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "#":
                self.at = _line_end(self.text, self.at)
            elif char in " \t\n":
                self.at += 1
            else:
                return True
        return False

    def _note(self, *paths: Path) -> None:
        self.line += self.text.count("\n", self.counted, self.at)
        self.counted = self.at
        for path in paths:
            self.lines.setdefault(path, self.line)
