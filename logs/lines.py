"""Lines out of a file, streamed: forward from an offset, back from the end, or at a tick."""

from __future__ import annotations

from collections.abc import Iterator

from logs.frames import Read
from logs.record import LINE_MAX, PREFIX, Flaw, link_of

BLOCK = 1 << 18
PROBE = 64
"""Bytes in which seq and tick of a record stand."""
SPAN = 1 << 16
"""A search by halves stops when what is left is read faster than probed."""


def lines_from(read: Read, offset: int, end: int) -> Iterator[bytes]:
    """Yield the whole lines in [*offset*, *end*), newline kept; not a last line without one."""
    pieces: list[bytes] = []
    size = 0
    while offset < end:
        block = read(min(BLOCK, end - offset), offset)
        if not block:
            return
        offset += len(block)
        *whole, rest = block.split(b"\n")
        for line in whole:
            pieces.append(line)
            yield b"".join(pieces) + b"\n"
            pieces.clear()
            size = 0
        pieces.append(rest)
        size += len(rest)
        if size > LINE_MAX:
            raise Flaw(f"a line of more than {LINE_MAX} bytes")


def last_lines(read: Read, size: int, count: int) -> list[bytes]:
    """Return up to *count* lines before the end of the last whole tick, the header never among them."""
    step = BLOCK // 4
    while True:
        start = max(size - step, 0)
        lines = [line + b"\n" for line in read(size - start, start).split(b"\n")[:-1]]
        if start:
            del lines[:1]
        while lines and link_of(lines[-1]) is None:
            del lines[-1]
        lines = [line for line in lines if PREFIX.match(line)]
        if start == 0 or len(lines) >= count:
            return lines[-count:] if count > 0 else []
        if step > 4 * LINE_MAX:
            raise Flaw("no whole tick near the end")
        step *= 4


def group_at(read: Read, tick: int, size: int) -> tuple[int, bytes | None]:
    """Return (offset, head before it) of a group from which the first record at or after *tick* is soon met.

    Ticks never run backwards in a log, so the bytes are searched by halves: no index is needed, and a log
    that still grows is searched like any other. The head is None at the start of the file.
    """
    low, high = 0, size
    while high - low > SPAN:
        middle = (low + high) // 2
        start = _line_start(read, middle, high)
        match = PREFIX.match(read(PROBE, start)) if start is not None else None
        if start is not None and match is None:
            return 0, None  # damaged here: whoever reads from the start will say where
        if match is not None and start is not None and int(match[2]) < tick:
            low = start
        else:
            high = middle
    if low == 0:
        return 0, None
    for line in lines_from(read, low, size):
        low += len(line)
        head = link_of(line)
        if head is not None:
            return low, head
    return 0, None


def _line_start(read: Read, offset: int, end: int) -> int | None:
    """Return where the first line after *offset* starts, or None if none does before *end*."""
    step = SPAN // 16
    while offset < end:
        block = read(min(step, end - offset), offset)
        if not block:
            return None
        found = block.find(b"\n")
        if found >= 0:
            return offset + found + 1 if offset + found + 1 < end else None
        offset += len(block)
        step = min(step * 4, BLOCK)
    return None
