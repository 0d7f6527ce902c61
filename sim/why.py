"""Why: the causal chain of one moment or one record, from what was perceived to what was learned.

The log is read as a stream: once to find the record that is meant, and once more over a stretch of simulated time
around it, of which the chain is made. A chain passes through one decision: what led to it on one side, what came of
it on the other. What reaches out of the stretch is left off, and `cut` says so.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from pathlib import Path
from typing import Any

from logs.reader import LogReader, open_log
from sim.causes import SET_ASIDE, Graph, Row, link
from sim.moments import parent_of, within
from sim.why_words import words_of

BEFORE_MS = 8 * 3_600_000
AFTER_MS = 16 * 3_600_000
CHAIN_MAX = 400
FOCUS = ("round", "commit", "request", "input", "task", "fact", "percept")
"""What a tick is about, most telling first."""
KINDS_BY_PREFIX = {
    "rnd": ("round",), "req": ("request",), "int": ("input",), "evt": ("fact",), "com": ("task",), "mat": ("matter",),
    "exp": ("experience",), "cmt": ("commit",), "per": ("percept",), "cmd": ("skill",),
}  # fmt: skip
DECISION = ("round", "request", "part", "reply", "ruling", "answer", "commit")


class WhyError(ValueError):
    """The log holds nothing by this id or tick; the text says what there is."""

    def __init__(self, what: str, where: Path, mend: str) -> None:
        super().__init__(what)
        self.what, self.where, self.mend = what, where, mend


def why(path: Path | str, tick: int | None = None, id: str | None = None) -> dict[str, Any]:
    """Return {id, tick, kind, chain, questions, candidates, group, decided_by, cut, parent, broken} for record *id* or moment *tick*.

    *parent* is {log, tick} of the log that a fork goes on from, else None. Chain entries are {id, tick, kind, text} in
    the order of the log. A damaged log is explained as far as it is sound; *broken* is then the LogDamaged that says
    where it ends, else None. Raises WhyError where there is nothing to explain, MomentError for a tick after the end,
    LogError for what is no log.
    """
    if (tick is None) == (id is None):
        raise WhyError("a tick or an id is wanted, one of them", Path(path), "give tick= or id=")
    with open_log(path, to_break=True) as reader:
        within(reader, tick)
        names: dict[int, str] = {}
        seq, at = _by_id(reader, id, names) if id is not None else _by_tick(reader, tick or 0, names)
        tick_ms = int(reader.header["tick_ms"])
        first, last = at - BEFORE_MS // tick_ms, at + AFTER_MS // tick_ms
        stretch = list(reader.records(max(0, first), last))
        broken = reader.broken
        parent = parent_of(reader)
    known = [
        {"tick": -1, "kind": "ordinal", "id": "", "causes": [], "data": {"ordinal": n, "world": w}}
        for n, w in names.items()
    ]
    graph = link([*known, *stretch])
    focus = next(number for number, row in enumerate(graph.rows) if row.get("seq") == seq)
    chosen = chain_of(graph, focus)
    decision = _decision(graph, focus, chosen)
    row = graph.rows[focus]
    return {
        "id": row["id"], "tick": row["tick"], "kind": row["kind"],
        "chain": [_step(graph.rows[number], names) for number in chosen[:CHAIN_MAX]],
        **(_asked(graph, row) or _decided(graph, decision)), "cut": len(chosen) > CHAIN_MAX, "parent": parent, "broken": broken,
    }  # fmt: skip


def _by_id(reader: LogReader, name: str, names: dict[int, str]) -> tuple[int, int]:
    """Return (seq, tick) of the record that *name* means; fill *names*."""
    kinds = KINDS_BY_PREFIX.get(name.partition("-")[0], ())
    found: tuple[int, int] | None = None
    for row in reader.records():
        _learn_name(row, names)
        if found is None and row["id"] == name and (not kinds or row["kind"] in kinds):
            found = (row["seq"], row["tick"])
    if found is None:
        mend = "oneroom log tail LOG shows ids: rnd-, req-, int-, evt-, com-, mat-, exp-, cmt-"
        mend = mend if reader.broken is None else f"it may stand after the damage: {reader.broken}"
        raise WhyError(f"no record is called {name!r}", reader.path, _or_parent(reader, f"--id {name}", mend))
    return found


def _or_parent(reader: LogReader, asked: str, mend: str) -> str:
    """Return *mend*, and of a log that goes on from another how to ask that one."""
    parent = parent_of(reader)
    if parent is None:
        return mend
    return f"what came before tick {parent['tick']} stands in the log it goes on from: oneroom why {parent['log']} {asked}"


def _by_tick(reader: LogReader, tick: int, names: dict[int, str]) -> tuple[int, int]:
    """Return (seq, tick) of the most telling record at *tick*, or of the last round before it."""
    best: tuple[int, int, int] | None = None
    for row in reader.records():
        _learn_name(row, names)
        if row["tick"] == tick and row["kind"] in FOCUS:
            rank = FOCUS.index(row["kind"])
            if best is None or best[1] != tick or rank < best[2]:
                best = (row["seq"], tick, rank)
        elif row["tick"] < tick and row["kind"] == "round":
            best = (row["seq"], row["tick"], 0)
    if best is None:
        raise WhyError(f"nothing had happened by tick {tick}", reader.path, _or_parent(reader, f"--tick {tick}", "give a later tick"))
    return best[0], best[1]


def _learn_name(row: Row, names: dict[int, str]) -> None:
    if row["kind"] == "ordinal":
        names[row["data"]["ordinal"]] = row["data"]["world"]


def chain_of(graph: Graph, focus: int) -> list[int]:
    """Return the numbers of the rows in the chain through *focus*, in the order of the log.

    It holds one decision: the one that *focus* is part of or stems from, else the first one it led to.
    """
    found = {focus}
    _walk_back(graph, focus, found)
    decided = any(graph.rows[number]["kind"] == "round" for number in found)
    # Within a decision everything is shown, whichever of its records was asked for.
    starts = [number for number in sorted(found) if number == focus or graph.rows[number]["kind"] in DECISION]
    _walk_on(graph, starts, found, rounds_left=0 if decided else 1)
    return sorted(found)


def _walk_back(graph: Graph, focus: int, found: set[int]) -> None:
    """Behind a decision stands what was perceived and the facts of it; the resident's own doing before ends the walk."""
    waiting = [(focus, graph.rows[focus]["kind"] in DECISION)]
    while waiting:
        number, through = waiting.pop()
        kind = graph.rows[number]["kind"]
        if through and kind in ("task", "skill"):
            continue
        for cause in graph.causes[number]:
            its = graph.rows[cause]["kind"]
            if (
                cause in found
                or (kind == "round" and its == "ruling")
                or (its == "commit" and through and kind not in DECISION)
            ):
                continue
            found.add(cause)
            waiting.append((cause, through or its in DECISION))


def _walk_on(graph: Graph, starts: list[int], found: set[int], *, rounds_left: int) -> None:
    """What came of it, in the order of the log, up to where another decision begins."""
    waiting = list(starts)
    heapify(waiting)
    while waiting:
        number = heappop(waiting)
        row = graph.rows[number]
        for effect in graph.effects[number]:
            its = graph.rows[effect]
            if its["kind"] == "round":
                if not rounds_left or effect in found:
                    continue
                rounds_left -= 1
            if effect in found:
                continue
            found.add(effect)
            # What was put aside for the choice is shown, and not followed.
            aside = row["kind"] == "commit" and its["kind"] == "task" and its["data"]["state"] in SET_ASIDE
            if not aside:
                heappush(waiting, effect)


def _decision(graph: Graph, focus: int, chosen: list[int]) -> int | None:
    """Return the number of the round that the chain passes through: the one before the focus, else the one after."""
    rounds = [number for number in chosen if graph.rows[number]["kind"] == "round"]
    before = [number for number in rounds if number <= focus]
    return before[-1] if before else rounds[0] if rounds else None


def _asked(graph: Graph, focus: Row) -> dict[str, Any] | None:
    """Return what is told of a question of another type than choose, when *focus* is its request or came of it."""
    name = focus["id"].partition(".")[0]
    numbers = [graph.last(name, kind) for kind in ("request", "answer")] if name.startswith("req-") else [None, None]
    if numbers[0] is None or graph.rows[numbers[0]]["data"]["type"] == "choose":
        return None
    data = graph.rows[numbers[0]]["data"]
    answer = {} if numbers[1] is None else graph.rows[numbers[1]]["data"]
    by = {"model": "sys2", "fallback": "fallback"}.get(answer.get("by", ""))
    return {
        "questions": dict(data["questions"]), "candidates": [
            {"id": each["id"], "source": each["source"], "act": data["type"], "what": each["text"], "score": each["score"], "parts": {}}
            for each in data["context"]["candidates"]
        ],
        "dropped": [], "group": data["group"], "choice": answer.get("effect"), "decided_by": by,
    }  # fmt: skip


def _decided(graph: Graph, decision: int | None) -> dict[str, Any]:
    if decision is None:
        return {"questions": {}, "candidates": [], "group": [], "decided_by": None}
    thought = graph.rows[decision]
    commit = _caused_by(graph, decision, "commit")
    request = _caused_by(graph, decision, "request")
    if request is not None and request["data"]["type"] not in ("choose", "intention"):
        request = None  # Asked beside the decision, not for it.
    data = thought["data"]
    return {
        "questions": {} if request is None else dict(request["data"]["questions"]),
        "candidates": [
            {
                "id": each[0],
                "source": each[1],
                "act": each[2],
                "what": each[3],
                "score": each[7],
                "parts": each[8],
            }
            for each in data["candidates"]
        ],
        "dropped": [
            {"id": each[0], "source": each[1], "what": each[3], "reason": each[7]} for each in data["dropped"]
        ],
        "group": data["group"],
        "choice": None if commit is None else commit["data"]["choice"],
        "decided_by": data["decided_by"] if commit is None else commit["data"]["decided_by"],
    }


def _caused_by(graph: Graph, decision: int, kind: str) -> Row | None:
    """Return the first row of *kind* that names the round *decision* among its causes."""
    name = graph.rows[decision]["id"]
    return next((row for row in graph.rows[decision:] if row["kind"] == kind and name in row["causes"]), None)


def _step(row: Row, names: dict[int, str]) -> dict[str, Any]:
    return {"id": row["id"], "tick": row["tick"], "kind": row["kind"], "text": words_of(row, names)}
