"""Diff: where two logs first differ, and how their outcomes differ.

Two sealed logs with the same header are compared by their chain: each frame's last line bears a digest of all before
it, so the first frame that differs is found by bisecting, in a few reads however long the logs are. Otherwise the
records are compared one by one as streams. Either way the answer names the first record and the field in it.
A fork's log begins where it left its parent's: those two, and two forks of one parent, are compared from there on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from logs.reader import LogReader, open_log

Row = dict[str, Any]
COMPARED = ("tick", "kind", "id", "causes", "data")


def diff(first: Path | str, second: Path | str) -> dict[str, Any]:
    """Return {same, header, first_difference, outcomes} of two logs.

    header: key -> [first, second] where the headers differ, deep values by dotted key. first_difference: null, or
    {record, tick, kind, id, field, first, second, probes}; probes counts the frames read to find it. outcomes: name ->
    [first, second] where the end records differ. Raises LogError for what is no log.
    """
    with open_log(first) as one, open_log(second) as other:
        header = dict(differences(one.header, other.header))
        found, probes = _first_difference(one, other, same_header=not header)
        outcomes = dict(differences(_outcome(one), _outcome(other)))
    return {
        "same": found is None and not header,
        "header": header,
        "first_difference": None if found is None else {**found, "probes": probes},
        "outcomes": outcomes,
    }


def differences(one: Any, other: Any, path: str = "") -> Iterator[tuple[str, list[Any]]]:
    """Yield (dotted key, [one, other]) for every leaf at which two JSON values differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in [*one, *(key for key in other if key not in one)]:
            yield from differences(one.get(key), other.get(key), f"{path}.{key}" if path else str(key))
    elif one != other:
        yield path, [one, other]


def _outcome(reader: LogReader) -> Row:
    end = reader.end
    if end is None:
        return {"status": "not ended"}
    return {key: value for key, value in end["data"].items() if key != "head"}


def _first_difference(one: LogReader, other: LogReader, *, same_header: bool) -> tuple[Row | None, int]:
    if same_header and one.frames and other.frames:
        frame, probes = _bisect(one, other)
        if frame is None:
            return None, probes
        pairs = zip_longest(_rows_of_frame(one, frame), _rows_of_frame(other, frame))
        found = _compare(pairs)
        if found is not None:
            return found, probes
        # One log ends with this frame where the other goes on.
        return _compare(zip_longest(_rows_of_frame(one, frame + 1), _rows_of_frame(other, frame + 1))), probes
    since = _parted(one, other)
    return _compare(zip_longest(one.records(since), other.records(since))), 0


def _parted(one: LogReader, other: LogReader) -> int:
    """Return the tick from which both logs tell of the same run: later than 0 where one is a fork of the other, or both of a third."""
    mine, theirs = (reader.header.get("parent") or {} for reader in (one, other))
    if mine and theirs:
        return max(mine["tick"], theirs["tick"]) if mine["head"] == theirs["head"] else 0
    if mine:
        return int(mine["tick"]) if mine["head"] == other.head else 0
    return int(theirs["tick"]) if theirs and theirs["head"] == one.head else 0


def _bisect(one: LogReader, other: LogReader) -> tuple[int | None, int]:
    """Return the first frame whose end differs (None if none does), and how many were read."""
    low, high, probes = 0, min(one.frames, other.frames), 0
    while low < high:
        middle = (low + high) // 2
        probes += 1
        if one.frame(middle)[0] == other.frame(middle)[0]:
            low = middle + 1
        else:
            high = middle
    if low == one.frames == other.frames:
        return None, probes
    return low, probes


def _rows_of_frame(reader: LogReader, number: int) -> Iterator[Row]:
    """Yield the records of one frame through the reader, so that old schemas are read as new ones are."""
    if number >= reader.frames:
        return
    _, lines = reader.frame(number)
    yield from reader.decoded(lines[1:] if number == 0 else lines)


def _compare(pairs: Iterable[tuple[Row | None, Row | None]]) -> Row | None:
    for one, other in pairs:
        if one is None or other is None:
            there = one or other
            assert there is not None
            return {**_place(there), "field": "record", "first": _short(one), "second": _short(other)}
        if one == other:
            continue
        for key in COMPARED:
            if one[key] != other[key]:
                if key == "tick":
                    # One log has a record here that the other lacks; the earlier one is where they part.
                    where = one if one["tick"] < other["tick"] else other
                    return {**_place(where), "field": "record", "first": _short(one), "second": _short(other)}
                field, values = next(differences(one[key], other[key], key))
                return {**_place(one), "field": field, "first": values[0], "second": values[1]}
    return None


def _place(row: Row) -> Row:
    return {"record": row["seq"], "tick": row["tick"], "kind": row["kind"], "id": row["id"]}


def _short(row: Row | None) -> str | None:
    return None if row is None else f"tick {row['tick']}: {row['kind']} {row['id']}".strip()
