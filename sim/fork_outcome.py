"""What a fork changed: the first record that differs, the first in the mind, and how the two courses ended.

A record of the mind is what the resident perceived, thought, said, did or learned. What the log keeps beside it for
other readers (the truth, digests of the whole state, world ids of what was handled) is not: the resident can't know it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any

from sim.diff import differences

Row = dict[str, Any]
OF_THE_TRUTH = ("input", "receipt", "feedback", "control", "fact", "ordinal", "digest", "snapshot", "end")
HIDDEN_FIELDS = {"commit": ("digest",), "skill": ("world",)}
COMPARED = ("tick", "kind", "id", "causes", "data")


def compare(parent: Iterable[Row], child: list[Row]) -> dict[str, Any]:
    """Return {mind_equal, first_difference, first_difference_of_mind, outcomes} of two courses from the same tick on.

    A difference is {tick, kind, id, field, parent, fork}, null where there is none. outcomes: name -> [parent, fork].
    """
    old, new = _Course(), _Course()
    first = _first(zip_longest(old.watch(parent), new.watch(_plain(child))))
    mind = _first(zip_longest(of_the_mind(old.mind), of_the_mind(new.mind)))
    outcomes = dict(differences(old.outcome(), new.outcome()))
    return {"mind_equal": mind is None, "first_difference": first, "first_difference_of_mind": mind, "outcomes": outcomes}


def of_the_mind(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the records of the mind, without the fields that stand in them for other readers."""
    for row in rows:
        if row["kind"] in OF_THE_TRUTH:
            continue
        hidden = HIDDEN_FIELDS.get(row["kind"], ())
        data = {key: value for key, value in row["data"].items() if key not in hidden}
        # Which fact was perceived, and whose act it was, the log alone knows.
        yield {**row, "data": data, "causes": [cause for cause in row["causes"] if not cause.startswith(("evt-", "int-"))]}


class _Course:
    """One of the two courses, as its records go by."""

    def __init__(self) -> None:
        self.mind: list[Row] = []
        self.needs: Row = {}
        self.tasks: dict[str, int] = {}
        self.feedback: dict[str, str] = {}
        self.ended: Row = {}

    def watch(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            data = row["data"]
            if row["kind"] not in OF_THE_TRUTH:
                self.mind.append(row)
            if row["kind"] == "digest":
                self.needs = data.get("needs", {})
            elif row["kind"] == "task" and data["state"] in ("done", "failed", "given_up", "cancelled"):
                name = f"{data['task']} {data['state']}"
                self.tasks[name] = self.tasks.get(name, 0) + 1
            elif row["kind"] == "receipt" and data["reason"]:
                self.feedback[row["id"]] = f"denied: {data['reason']}"
            elif row["kind"] == "feedback" and "receipt" in data:
                said = [data["receipt"], "perceived" if data["perceived"] else "unperceived", data["stance"], data["outcome"]]
                self.feedback[row["id"]] = ", ".join(word for word in said if word)
            elif row["kind"] == "end":
                self.ended = {key: value for key, value in data.items() if key not in ("log", "digest")}
            if row["kind"] != "end":
                yield row

    def outcome(self) -> Row:
        return {"end": self.ended, "needs": self.needs, "tasks": self.tasks, "interventions": self.feedback}


def _plain(rows: Iterable[Row]) -> Iterator[Row]:
    for row in rows:
        yield {**row, "data": plain(row["data"]), "causes": list(row["causes"])}


def plain(value: Any) -> Any:
    """Return *value* as JSON gives it back: tuples as lists, keys as text."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def _first(pairs: Iterable[tuple[Row | None, Row | None]]) -> Row | None:
    """Return the first difference; both streams are read to their ends."""
    found: Row | None = None
    for old, new in pairs:
        if found is None:
            found = _difference(old, new)
    return found


def _difference(old: Row | None, new: Row | None) -> Row | None:
    if old is None or new is None:
        there = old or new
        assert there is not None
        return {**_place(there), "field": "record", "parent": _short(old), "fork": _short(new)}
    for key in COMPARED:
        if old[key] != new[key]:
            if key in ("tick", "kind", "id"):
                # One course has a record here that the other lacks: the earlier one is where they part.
                where = old if (old["tick"], 0) <= (new["tick"], 1) else new
                return {**_place(where), "field": "record", "parent": _short(old), "fork": _short(new)}
            field, values = next(differences(old[key], new[key], key))
            return {**_place(old), "field": field, "parent": values[0], "fork": values[1]}
    return None


def _place(row: Row) -> Row:
    return {"tick": row["tick"], "kind": row["kind"], "id": row["id"]}


def _short(row: Row | None) -> str | None:
    return None if row is None else f"tick {row['tick']}: {row['kind']} {row['id']}".strip()
