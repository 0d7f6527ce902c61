"""A log as a reel of frames: any tick at once, steps both ways, marks to jump to, and the chain behind a moment.

Theory of operation
===================
The log is read once from the front, in pieces, while the window is already in use. Every few hundred records, at a
tick boundary, the frame is kept. Seeking takes the last kept frame before the tick and folds the records in between;
the records of the last visited stretches stay in memory, so a step back costs no reading. When too many frames are
kept, every other one is dropped and the stretch doubles: memory stays bounded for any length. A running log grows at
its end and is read on.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from logs.reader import LogReader
from sim.frame import Frame
from sim.frame_fold import opening, take
from sim.stage import Stage, stage_of

STRETCH = 256
KEPT_MAX = 2048
STRETCHES_HELD = 12
MARKS = ("decision", "speech", "inner", "physical", "system", "request", "failure")
HUMAN = ("speech", "inner", "physical", "system")
CHANNEL_MARKS = {"physical": "physical", "dialogue": "speech", "inner_voice": "inner", "system": "system"}
Row = dict[str, Any]


class Reel:
    """One log, read as far as `grow` has come."""

    def __init__(self, reader: LogReader) -> None:
        self.reader = reader
        self.header = reader.header
        self.stage: Stage = stage_of(reader.header)
        self.whole = False
        """Whether everything that stands in the log has been read."""
        self.last_tick = 0
        self.active: list[int] = []
        """Every tick at which something was recorded."""
        self.marks: dict[str, list[tuple[int, str]]] = {kind: [] for kind in MARKS}
        self.where: dict[str, int] = {}
        self.started_by: dict[str, list[tuple[int, str]]] = {}
        self._stretch = STRETCH
        self._front = opening(self.stage)
        self._kept: list[tuple[int, Frame]] = [(0, opening(self.stage))]
        self._since = 0
        self._stream: Iterator[Row] | None = None
        self._held: OrderedDict[int, list[Row]] = OrderedDict()
        self._last_commit = ""
        end = reader.end
        self.end_tick: int = end["tick"] if end is not None else 0
        self.sealed = end is not None

    # --- reading on -------------------------------------------------------------------------------------------

    def grow(self, records: int) -> bool:
        """Read up to *records* more; return whether anything new came."""
        if self._stream is None:
            self._stream = self.reader.records(self.last_tick + 1 if self.active else 0)
        for count in range(records):
            row = next(self._stream, None)
            if row is None:
                self._stream = None
                self.whole = True
                self._held.clear()
                return count > 0
            self._take(row)
        self.whole = False
        return True

    def read_to(self, tick: int) -> None:
        """Read on until *tick* is known, or the log ends."""
        while self.last_tick <= tick and self.grow(512):
            if self.whole:
                return

    def _take(self, row: Row) -> None:
        tick = row["tick"]
        if not self.active or tick > self.active[-1]:
            if self._since >= self._stretch:
                self._kept.append((tick, self._front.copy()))
                self._since = 0
                if len(self._kept) > KEPT_MAX:
                    del self._kept[1::2]
                    self._stretch *= 2
                    self._held.clear()
            self.active.append(tick)
        self._since += 1
        self.last_tick = tick
        self.end_tick = max(self.end_tick, tick)
        take(self._front, row)
        self._mark(row, tick)

    def _mark(self, row: Row, tick: int) -> None:
        kind, data = row["kind"], row["data"]
        if kind == "commit":
            self.marks["decision"].append((tick, row["id"]))
            self._last_commit = row["id"]
        elif kind == "input":
            self.marks[CHANNEL_MARKS.get(data["channel"], "system")].append((tick, row["id"]))
        elif kind == "request":
            self.marks["request"].append((tick, row["id"]))
        elif kind == "task" and data["state"] in ("started", "taken_on", "resumed"):
            self.started_by.setdefault(row["id"], []).append((tick, self._last_commit))
        elif kind == "fact" and failed(data):
            self.marks["failure"].append((tick, row["id"]))
        elif kind == "end":
            self.sealed = True
        if row["id"] and kind not in ("fact", "percept", "feedback", "receipt", "belief", "experience"):
            self.where.setdefault(row["id"], tick)

    # --- frames -----------------------------------------------------------------------------------------------

    def at(self, tick: int) -> Frame:
        """Return the frame at *tick*, after everything recorded there. It is the caller's to fold on."""
        self.read_to(tick)
        number = bisect_right(self._kept, tick, key=lambda each: each[0]) - 1
        frame = self._kept[number][1].copy()
        for row in self._records(number):
            if row["tick"] > tick:
                break
            take(frame, row)
        frame.tick = tick
        return frame

    def on(self, frame: Frame, tick: int) -> Frame:
        """Return the frame at *tick*, folded on from *frame* where that is the shorter way."""
        number = bisect_right(self._kept, tick, key=lambda each: each[0]) - 1
        if tick < frame.tick or self._kept[number][0] > frame.tick + 1:
            return self.at(tick)
        after = self.next_active(frame.tick)
        if after is None or after > tick:
            frame.tick = tick
            return frame
        reached = frame.tick
        for row in self._records(number):
            if reached < row["tick"] <= tick:
                take(frame, row)
        frame.tick = tick
        return frame

    def rows_at(self, tick: int) -> list[Row]:
        """Return the records of one tick."""
        number = bisect_right(self._kept, tick, key=lambda each: each[0]) - 1
        return [row for row in self._records(number) if row["tick"] == tick]

    def rows_from(self, tick: int, most: int) -> list[Row]:
        """Return up to *most* records from *tick* on."""
        found: list[Row] = []
        number = bisect_right(self._kept, tick, key=lambda each: each[0]) - 1
        while number < len(self._kept) and len(found) < most:
            found += [row for row in self._records(number) if row["tick"] >= tick]
            number += 1
        return found[:most]

    def _records(self, number: int) -> list[Row]:
        held = self._held.get(number)
        if held is None:
            start = self._kept[number][0]
            end = self._kept[number + 1][0] if number + 1 < len(self._kept) else None
            held = list(self.reader.records(start, end))
            self._held[number] = held
            if len(self._held) > STRETCHES_HELD:
                self._held.popitem(last=False)
        else:
            self._held.move_to_end(number)
        return held

    # --- jumps ------------------------------------------------------------------------------------------------

    def next_active(self, tick: int) -> int | None:
        """Return the next tick at which something is recorded, or None."""
        at = bisect_right(self.active, tick)
        return self.active[at] if at < len(self.active) else None

    def last_active(self, tick: int) -> int | None:
        """Return the last tick before *tick* at which something is recorded, or None."""
        at = bisect_left(self.active, tick) - 1
        return self.active[at] if at >= 0 else None

    def jump(self, kinds: tuple[str, ...], tick: int, step: int) -> tuple[int, str] | None:
        """Return the next mark of *kinds* after (or before) *tick*."""
        found: list[tuple[int, str]] = []
        for kind in kinds:
            marks = self.marks[kind]
            if step > 0:
                at = bisect_right(marks, tick, key=lambda each: each[0])
                found += marks[at : at + 1]
            else:
                at = bisect_left(marks, tick, key=lambda each: each[0])
                found += marks[at - 1 : at] if at else []
        return (min(found) if step > 0 else max(found)) if found else None

    # --- why --------------------------------------------------------------------------------------------------

    def find(self, name: str, near: int | None = None) -> Row | None:
        """Return the first record of id *name*; *near* is the tick at which to look first."""
        for tick in (near, self.where.get(name)):
            if tick is not None:
                for row in self.rows_at(tick):
                    if row["id"] == name:
                        return row
        return None

    def chain(self, name: str, tick: int, *, most: int = 14) -> list[Row]:
        """Return the records that led to *name* and those that came of it, in the order in which they were written."""
        start = self.find(name, tick)
        if start is None:
            return []
        found: dict[int, Row] = {start["seq"]: start}
        waiting = [start]
        while waiting and len(found) < most:
            row = waiting.pop(0)
            for cause in self._causes(row):
                other = self.find(cause, row["tick"])
                if other is not None and other["seq"] not in found:
                    found[other["seq"]] = other
                    waiting.append(other)
        names = {start["id"]}
        for row in self.rows_from(start["tick"], 600):
            if len(found) >= most:
                break
            if row["seq"] > start["seq"] and self._follows(row, names):
                found.setdefault(row["seq"], row)
                if row["id"]:
                    names.add(row["id"])
        return [found[seq] for seq in sorted(found)]

    def _follows(self, row: Row, names: set[str]) -> bool:
        """Return whether *row* came of one of *names*."""
        if set(row["causes"]) & names or (row["id"] in names and row["kind"] != "percept"):
            return True
        return row["kind"] == "task" and self._starter(row) in names

    def _starter(self, row: Row) -> str:
        """Return the commit by which a task was last begun or resumed, up to the record of it."""
        starts = self.started_by.get(row["id"], [])
        at = bisect_right(starts, row["tick"], key=lambda each: each[0])
        return starts[at - 1][1] if at else ""

    def _causes(self, row: Row) -> list[str]:
        causes = list(row["causes"])
        if row["kind"] == "task":
            causes.append(self._starter(row))
        if row["kind"] in ("commit", "ruling", "reply"):
            causes.append(row["id"].partition("#")[0])
        return [cause for cause in causes if cause and cause != row["id"]]


def failed(fact: Row) -> bool:
    """Return whether a fact tells of a failure: a skill that failed or could not begin."""
    if fact["fact"] == "skill_refused":
        return True
    return fact["fact"] == "skill_ended" and fact["data"].get("result") in ("failed", "timeout")
