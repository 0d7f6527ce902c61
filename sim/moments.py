"""Where a log begins and ends in time: a tick that lies outside is refused in words, by every command that takes one."""

from __future__ import annotations

from typing import Any

from logs.reader import LogReader


class MomentError(ValueError):
    """A tick lies outside the log: *what*, *where* and how to *mend* it."""

    def __init__(self, what: str, where: Any, mend: str) -> None:
        super().__init__(what)
        self.what, self.where, self.mend = what, where, mend


def within(reader: LogReader, tick: int | None) -> None:
    """Raise MomentError if *tick* lies after the last one of the log; None lies nowhere."""
    last = reader.tail(1) if tick is not None else []
    if not last or tick is None or tick <= last[0]["tick"]:
        return
    end = last[0]["tick"]
    ends = f"the log ends at tick {end}" if last[0]["kind"] == "end" else f"the log has come to tick {end}"
    raise MomentError(f"{ends}; there is no tick {tick} in it", reader.path, f"give a tick up to {end}")


def in_order(start: int | None, end: int | None) -> None:
    """Raise MomentError if a stretch would end before it begins."""
    if start is not None and end is not None and end < start:
        raise MomentError(f"--until {end} lies before --at {start}", "", "let it end later than it begins")


def parent_of(reader: LogReader) -> dict[str, Any] | None:
    """Return {log, tick} of the log that this one goes on from, None for one that began at its own start.

    What came before *tick* stands there alone.
    """
    parent = reader.header.get("parent")
    if not parent:
        return None
    return {"log": str(reader.path.with_name(parent["log"])), "tick": int(parent["tick"])}
