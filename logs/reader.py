"""Reads a log, running, torn or sealed, as a stream. It never writes and never holds a log whole.

What a reader hands out is verified by the chain from the line before it on; a tick that is not complete is
not there. Whole files are verified by `logs.check`.
"""

from __future__ import annotations

import json
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from logs.disk import DISK, Disk, again, broken_if_failing, open_to_read, read_all
from logs.faults import LogDamaged, LogError, LogHeadless
from logs.frames import Index, decompress, is_sealed, read_index, walk_frames
from logs.lines import group_at, last_lines, lines_from
from logs.migrate import STEPS, Step, steps_from
from logs.names import found
from logs.record import Chain, Flaw, groups, link_of, read_header

FOLLOW_S = 0.1


def open_log(path: Path | str, *, disk: Disk = DISK, to_break: bool = False) -> LogReader:
    """Open the log that *path* means: this file, else the sealed one, else the part. Raises LogError.

    With *to_break* a damaged log is read up to where its chain breaks, and `broken` then says where that is.
    """
    return LogReader(found(Path(path), disk), disk=disk, to_break=to_break)


class LogReader:
    """One open log. Close it, or use it in a `with`."""

    def __init__(
        self, path: Path, *, disk: Disk = DISK, upto: int | None = None, steps: Mapping[int, Step] = STEPS,
        to_break: bool = False,
    ) -> None:  # fmt: skip
        self.path = path
        self.to_break = to_break
        self.broken: LogDamaged | None = None
        """With *to_break*: where the records that were handed out end before their time."""
        self._disk = disk
        self._upto = upto
        self._fd = open_to_read(disk, path)
        self._closer = weakref.finalize(self, disk.close, self._fd)
        try:
            self.sealed = is_sealed(self._read(4, 0))
            """Whether it is compressed; a running or torn log is not."""
            self._index: Index | None = read_index(self._read, self._size()) if self.sealed else None
            if to_break and self.sealed and self._index is None:
                self.broken = LogDamaged(path, "its seek table is gone", record=None, byte=None)
            stored = self._stored_header()
            schema, newest = stored["schema"], max(steps, default=0) + 1
            if not 1 <= schema <= newest:
                raise LogError(
                    path, f"has schema {schema}, this version reads 1 to {newest}", "use a newer version"
                )
            self._steps = steps_from(schema, steps)
            for step in self._steps:
                stored = step.header(stored)
            self.header: dict[str, Any] = stored
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._closer()

    def __enter__(self) -> LogReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def end(self) -> dict[str, Any] | None:
        """The end record, or None while the log runs or if it was torn."""
        last = self.tail(1)
        return last[0] if last and last[0]["kind"] == "end" else None

    @property
    def head(self) -> str:
        """Digest on the last whole tick, 32 hex digits. Not verified: `check` does that."""
        lines = self._last_lines(1)
        head = link_of(lines[-1]) if lines else link_of(next(self.raw_lines()))
        return head.hex() if head else ""

    @property
    def alive(self) -> bool:
        """Whether a process is writing it now."""
        if self.sealed or not self._disk.lock(self._fd, shared=True):
            return not self.sealed
        self._disk.unlock(self._fd)
        return False

    def records(self, start_tick: int = 0, end_tick: int | None = None) -> Iterator[dict[str, Any]]:
        """Yield the records with *start_tick* <= tick < *end_tick*. Raises LogDamaged where the chain breaks,
        or with `to_break` ends there.

        On a running log it yields what stands at the time of the call. A torn tail is not there.
        """
        chain, lines = self._from(start_tick)
        for record in self._verified(chain, lines):
            if end_tick is not None and record["tick"] >= end_tick:
                return
            if record["tick"] >= start_tick:
                yield record

    def ticks(
        self, start_tick: int = 0, end_tick: int | None = None
    ) -> Iterator[tuple[int, list[dict[str, Any]]]]:
        """Yield (tick, its records) for each active tick."""
        for tick, records in groupby(self.records(start_tick, end_tick), key=itemgetter("tick")):
            yield tick, list(records)

    def tail(self, count: int) -> list[dict[str, Any]]:
        """Return the last *count* records of whole ticks; fewer if there are fewer. Not verified."""
        try:
            return [self._record(line) for line in self._last_lines(count)]
        except LogDamaged:
            if not self.to_break:
                raise
            return list(deque(self.records(), maxlen=count))

    def follow(self, start_tick: int = 0, wait: Callable[[], bool] | None = None) -> Iterator[dict[str, Any]]:
        """Yield records as they are written, until the end record.

        *wait* is called when there is nothing new; it waits, and returns False to stop. By default it waits
        0.1 s as long as a process writes the log.
        """
        if self.sealed:
            yield from self.records(start_tick)
            return
        start, head = group_at(self._read, start_tick, self._size())
        chain = Chain() if head is None else Chain(head=head, records=-2)
        last_look = False
        while True:
            before = chain.size
            for record in self._verified(chain, lines_from(self._read, start + chain.size, self._size())):
                if record["tick"] >= start_tick:
                    yield record
            if chain.kind == "end" or (last_look and chain.size == before):
                return
            last_look = chain.size == before and not (wait or self._wait)()

    def raw_lines(self) -> Iterator[bytes]:
        """Yield every stored line of whole ticks, the header first, as the bytes that were written."""
        try:
            for group in groups(self._lines(0)):
                yield from group
        except Flaw as flaw:
            raise LogDamaged(self.path, flaw.reason, record=None, byte=None) from None

    @property
    def frames(self) -> int:
        """Number of frames of a sealed log with its seek table; 0 of any other."""
        return 0 if self._index is None else len(self._index)

    def frame(self, number: int) -> tuple[str, list[bytes]]:
        """Return the head on the last line of frame *number*, 32 hex digits, and the frame's stored lines. Not verified."""
        assert self._index is not None, "only a sealed log has frames"
        lines = self._frame(self._index, number)
        head = link_of(lines[-1])
        return head.hex() if head else "", lines

    def decoded(self, lines: list[bytes]) -> Iterator[dict[str, Any]]:
        """Yield the records in *lines* of `frame`, the header left out, raised to the newest schema. Not verified."""
        return map(self._record, lines)

    def _wait(self) -> bool:
        alive = self.alive
        if alive:
            self._disk.pause(FOLLOW_S)
        return alive

    def _size(self) -> int:
        if self._upto is not None:
            return self._upto
        with broken_if_failing(self.path, "reading"):
            return again(lambda: self._disk.status(self._fd)).st_size

    def _read(self, size: int, offset: int) -> bytes:
        with broken_if_failing(self.path, "reading"):
            return read_all(self._disk, self._fd, size, offset)

    def _stored_header(self) -> dict[str, Any]:
        try:
            line = next(self._lines(0), b"")
            if not line:
                raise LogHeadless(
                    self.path, "has no whole header", "nothing was recorded; create the log anew"
                )
            return read_header(line)
        except Flaw as flaw:
            raise LogDamaged(self.path, flaw.reason, record=0, byte=0) from None

    def _lines(self, frame: int) -> Iterator[bytes]:
        """Yield the stored lines, of a sealed log from *frame* on."""
        if not self.sealed:
            yield from lines_from(self._read, 0, self._size())
        elif self._index is None:
            for _, stored in walk_frames(self._read, 0, self._size()):
                yield from split_lines(decompress(stored))
        else:
            for number in range(frame, len(self._index)):
                yield from self._frame(self._index, number)

    def _frame(self, index: Index, number: int) -> list[bytes]:
        start, end = index.offsets[number : number + 2]
        return split_lines(decompress(self._read(end - start, start)))

    def _from(self, tick: int) -> tuple[Chain, Iterator[bytes]]:
        """Return a chain and lines from which the first record at or after *tick* is soon met."""
        try:
            if not self.sealed:
                size = self._size()
                start, head = group_at(self._read, tick, size)
                return _chain_after(head), lines_from(self._read, start, size)
            frame = self._index.frame_of(tick) if self._index else 0
            if not frame or self._index is None:
                return Chain(), self._lines(0)
            return _chain_after(link_of(self._frame(self._index, frame - 1)[-1])), self._lines(frame)
        except Flaw:
            return Chain(), self._lines(0)  # the stream from the start will say where it is damaged

    def _verified(self, chain: Chain, lines: Iterator[bytes]) -> Iterator[dict[str, Any]]:
        try:
            for group in groups(lines):
                first = chain.records == -1
                chain.take(group)
                if not first:
                    yield from map(self._record, group)
            if self.sealed and chain.kind != "end":
                raise Flaw("it stops before its end record")
        except Flaw as flaw:
            record = chain.records + 1 if chain.records >= -1 else None
            byte = chain.size if chain.records >= -1 and not self.sealed else None
            self.broken = LogDamaged(self.path, flaw.reason, record=record, byte=byte)
            if not self.to_break:
                raise self.broken from None

    def _record(self, line: bytes) -> dict[str, Any]:
        try:
            record: dict[str, Any] = json.loads(line)
        except (ValueError, RecursionError):
            raise LogDamaged(self.path, "a line is not JSON", record=None, byte=None) from None
        record.pop("h", None)
        for step in self._steps:
            record = step.record(record)
        return record

    def _last_lines(self, count: int) -> list[bytes]:
        try:
            if not self.sealed:
                return last_lines(self._read, self._size(), count)
            if self._index is None:
                raise LogDamaged(self.path, "its seek table is gone", record=None, byte=None)
            lines: list[bytes] = []
            for number in reversed(range(len(self._index))):
                lines = self._frame(self._index, number)[1 if number == 0 else 0 :] + lines
                if len(lines) >= count:
                    break
            return lines[-count:] if count > 0 else []
        except Flaw as flaw:
            raise LogDamaged(self.path, flaw.reason, record=None, byte=None) from None


def split_lines(content: bytes) -> list[bytes]:
    """Return the lines of *content*, newlines kept; a rest without newline is the last."""
    *whole, rest = content.split(b"\n")
    lines = [line + b"\n" for line in whole]
    return [*lines, rest] if rest else lines


def _chain_after(head: bytes | None) -> Chain:
    return Chain() if head is None else Chain(head=head, records=-2)
