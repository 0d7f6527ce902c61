"""Whether a log comes of a debug session: by its own word, or by what it holds, whatever its header was made to say.

A run in which things were dragged about is no result. Its header says so; but a header can be rewritten and the chain
with it. The deed can't: an act of debug mode that was let in stands in the records, and a child log that goes on from
a save carries the acts before it in its snapshot. Nothing but the records is asked, so no path, name or copy matters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from interventions.contract import DEBUG_OPERATIONS
from logs.reader import LogReader

DEBUG_OPS = frozenset(op for ops in DEBUG_OPERATIONS.values() for op in ops)
ROW_CLASS = "sim.state:Row"
ROW_OP = 2  # the place of the operation among a row's fields
Record = Mapping[str, Any]


class Watch:
    """Looks on while records are read for something else; *seen* tells whether debug mode had a hand in them."""

    def __init__(self, header: Record) -> None:
        self.seen: bool = header.get("mode") == "debug"
        self._handed_in: set[str] = set()

    def through(self, records: Iterable[Any]) -> Iterator[Any]:
        """Yield *records*, having looked at each."""
        for row in records:
            self.look(row)
            yield row

    def look(self, row: Record) -> None:
        """Take one record into account."""
        kind = row["kind"]
        if kind == "input":
            if row["data"]["op"] in DEBUG_OPS:
                self._handed_in.add(row["id"])
        elif kind == "receipt":
            self.seen |= row["id"] in self._handed_in and row["data"]["status"] == "accepted"
        elif kind == "snapshot":
            self.seen |= _acts_before(row["data"])


def debugged(reader: LogReader) -> bool:
    """Return whether debug mode had a hand in the log. The header is asked first, the records only if it says no."""
    watch = Watch(reader.header)
    return watch.seen or any(watch.seen for _ in watch.through(reader.records()))


def _acts_before(value: Any) -> bool:
    """Return whether an encoded state tells of an act of debug mode. It is not decoded: any version can be looked at."""
    if isinstance(value, list):
        return any(map(_acts_before, value))
    if not isinstance(value, dict):
        return False
    if value.get("c") == ROW_CLASS:
        fields = value["f"]
        return len(fields) > ROW_OP and fields[ROW_OP] in DEBUG_OPS
    return any(map(_acts_before, value.values()))
