"""Folding a log again: the same declaration, the recorded inputs and replies, the same kernel. Nobody is asked anything.

Every record that comes out is compared with the one that stands in the log; the first difference ends the fold. The
log is read as a stream, tick by tick; replies and live inputs are looked up as their ticks come near.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from agent.request import Part, Request
from interventions.contract import Intervention
from logs.reader import LogReader
from sim import kernel
from sim.build import build, restore, snapshot
from sim.constants import strange
from sim.declare import ENGINE, from_header
from sim.state import ReplyInput, State

WINDOW = 256  # active ticks read ahead
Row = dict[str, Any]


class ReplayError(ValueError):
    """A log can't be folded again; *difference* says where it first differs, if it does."""

    def __init__(self, text: str, difference: dict[str, Any] | None = None) -> None:
        super().__init__(text)
        self.difference = difference


@dataclass(slots=True)
class Refold:
    """Where a fold ended: the state, the parts still unanswered, and what was compared."""

    state: State
    unanswered: list[tuple[Part, Request]] = field(default_factory=list)
    saved: dict[str, Any] | None = None
    records: int = 0
    checkpoints: int = 0
    end: Row | None = None


def refold(reader: LogReader, *, until_tick: int | None = None, heavy: bool | None = None) -> Refold:
    """Return the state after the last recorded tick (or *until_tick*). Raises ReplayError at the first difference."""
    header = reader.header
    if header["engine"] != ENGINE:
        raise ReplayError(
            f"the log was made by engine {header['engine']}, this one is {ENGINE}: it can be read and drawn, not simulated again"
        )
    if other := strange(header):
        raise ReplayError(f"{other}: it can be read and drawn, not simulated again")
    declared = from_header(header)
    was_heavy = bool(header.get("heavy"))
    fold = Refold(build(declared, heavy=was_heavy if heavy is None else heavy))
    pending: list[tuple[Part, Request]] = []
    for chunk in _chunks(reader):
        if chunk[0][1][0]["kind"] == "snapshot":
            fold.state = restore(chunk[0][1][0]["data"]["state"], declared.room, heavy=was_heavy)
            fold.records += len(chunk[0][1])
            chunk = chunk[1:]
        chunk = [each for each in chunk if until_tick is None or each[0] <= until_tick]
        if chunk and chunk[-1][1][-1]["kind"] == "end":
            fold.end = chunk[-1][1].pop()
            chunk = chunk if chunk[-1][1] else chunk[:-1]
        if chunk:
            pending = _fold(fold, chunk, pending)
    target = until_tick
    if fold.end is not None and until_tick is None:
        # A window that was closed before its first tick has an end record at tick 0 and has come to none.
        target = min(fold.end["tick"], fold.end["data"].get("ticks", fold.end["tick"]))
    if target is not None and not pending and not fold.state.stopped and fold.state.tick < target:
        extra = kernel.advance(fold.state, [], target)
        if extra and fold.end is not None:
            raise ReplayError("records are missing at the end", _difference(None, extra[0][1][0]))
    fold.unanswered = pending
    return fold


def _chunks(reader: LogReader) -> Iterator[list[tuple[int, list[Row]]]]:
    """Yield the active ticks with their records, some at a time."""
    chunk: list[tuple[int, list[Row]]] = []
    for tick, rows in groupby(reader.records(), key=lambda row: int(row["tick"])):
        chunk.append((tick, list(rows)))
        if len(chunk) >= WINDOW:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _fold(
    fold: Refold, chunk: list[tuple[int, list[Row]]], pending: list[tuple[Part, Request]]
) -> list[tuple[Part, Request]]:
    """Fold the ticks of *chunk*, feeding what came from outside, and compare."""
    state = fold.state
    inputs: list[Any] = [each for _, rows in chunk for each in inputs_of(rows)]
    recorded = iter(chunk)
    last = chunk[-1][0]
    while True:
        now = [each for each in inputs if each.tick <= last]
        inputs = [each for each in inputs if each.tick > last]
        ticked = kernel.advance(state, now, last)
        # What was handed in too early for a stop in between is handed in again by the kernel's own queue.
        inputs = kernel.give_back(state) + inputs
        for tick, rows in ticked:
            _compare(fold, next(recorded, None), tick, rows)
        pending = pending + kernel.take_outbox(state)
        if any(op == "save" for op, _ in state._shell):
            fold.saved = snapshot(state)
        state._shell = []
        if state.stopped or (state.paused and not inputs) or state.tick >= last:
            break
    missing = next(recorded, None)
    if missing is not None:
        raise ReplayError(
            f"tick {missing[0]}: nothing happened there when it was simulated again",
            _difference(missing[1][0], None),
        )
    # Whatever went out stays out until its reply stands in the log, also when its question has ended meanwhile.
    answered = {row["id"] for _, rows in chunk for row in rows if row["kind"] == "reply"}
    answered |= {each.part_id for each in state.replies}
    return [(part, request) for part, request in pending if part.id not in answered and part.due_tick > state.tick]


def inputs_of(rows: list[Row]) -> Iterator[Any]:
    """Yield what came from outside in *rows*: replies, and acts that no script handed in."""
    for row in rows:
        data = row["data"]
        if row["kind"] == "reply":
            yield ReplyInput(
                row["id"], row["tick"], data["raw"], data["failure"], data["tokens_in"], data["tokens_out"], data["model"],
                data["wall_capped"],
            )  # fmt: skip
        elif row["kind"] == "input" and data["source"] != "script":
            yield Intervention(
                id=row["id"], channel=data["channel"], tick=row["tick"], ordinal=data["ordinal"], source=data["source"],
                op=data["op"], object=data["object"], target=data["target"], text=data["text"], mark=data["mark"],
                action=data["action"], due_tick=data["due_tick"], themes=tuple(data["themes"]), data=data["data"],
            )  # fmt: skip


def _compare(fold: Refold, recorded: tuple[int, list[Row]] | None, tick: int, rows: list[Row]) -> None:
    if recorded is None or recorded[0] != tick:
        raise ReplayError(
            f"tick {tick}: something happened there only when it was simulated again",
            _difference(None, rows[0]),
        )
    for old, new in zip(recorded[1], rows, strict=False):
        for key in ("kind", "id", "causes", "data"):
            if old[key] != plain(new[key]):
                raise ReplayError(
                    f"tick {tick}: record {old['seq']} differs in {field_of(key, old[key], plain(new[key]))}",
                    _difference(old, new),
                )
        fold.records += 1
        fold.checkpoints += old["kind"] == "digest"
    if len(recorded[1]) != len(rows):
        raise ReplayError(
            f"tick {tick}: {len(recorded[1])} records stand there, {len(rows)} came out",
            _difference(recorded[1][-1], rows[-1]),
        )


def plain(value: Any) -> Any:
    """Return *value* as JSON gives it back: tuples as lists, keys as text."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def field_of(key: str, old: Any, new: Any) -> str:
    """Return where *old* and *new* first differ, as a dotted path that begins with *key*."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in [*old, *new]:
            if old.get(name) != new.get(name):
                return field_of(f"{key}.{name}", old.get(name), new.get(name))
    if isinstance(old, list) and isinstance(new, list):
        for at, (one, other) in enumerate(zip(old, new, strict=False)):
            if one != other:
                return field_of(f"{key}[{at}]", one, other)
    return key


def _difference(old: Row | None, new: Row | None) -> dict[str, Any]:
    where = old or new
    assert where is not None
    key = "record"
    if old is not None and new is not None:
        key = next(
            (
                field_of(k, old[k], plain(new[k]))
                for k in ("kind", "id", "causes", "data")
                if old[k] != plain(new[k])
            ),
            "number of records",
        )
    return {
        "record": None if old is None else old["seq"],
        "tick": where["tick"],
        "byte": None,
        "field": key,
        "reason": "simulated again it differs",
    }
