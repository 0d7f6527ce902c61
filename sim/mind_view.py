"""The mind at one tick, and where an intuition comes from: both read out of the log alone, without simulating.

Everything that changes in the deep mind leaves a record, so a fold over the records up to a tick shows what was so
then. A trace walks from an intuition to the gate it passed, to the thoughts it is linked with, to the experiences it
was formed from, and from each of those to the round, the commit and the outcome in the log.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from logs.reader import open_log
from sim.moments import parent_of, within

Row = dict[str, Any]
OPEN_STATES = ("taken_on", "started", "resumed", "paused")
LIVE_STANCES = ("considering", "postponed", "negotiating", "accepted")
FEELINGS_SHOWN, HISTORY_SHOWN = 12, 40


class MindError(ValueError):
    """The log holds no such tick or intuition; the text says what there is."""

    def __init__(self, what: str, where: Path, mend: str) -> None:
        super().__init__(what)
        self.what, self.where, self.mend = what, where, mend


def mind_at(path: Path, tick: int | None = None) -> Row:
    """Return what the resident was at *tick* (the last one by default): plain values for people and programs.

    *parent* is {log, tick} of the log that a fork goes on from: what was so before and did not change is shown there alone.
    Raises MindError where the log begins later, MomentError where it ends earlier, LogError for what is no log.
    """
    with open_log(path) as reader:
        within(reader, tick)
        parent = parent_of(reader)
        fold = _Fold()
        last = -1
        for row in reader.records(0, tick):
            last = row["tick"]
            fold.take(row)
        if last < 0:
            mend = "give a later tick" if parent is None else f"it goes on from another log: oneroom mind {parent['log']} --tick {tick}"
            raise MindError("the log holds nothing up to that tick", path, mend)
        shown = last if tick is None else tick
        tick_ms, start_ms = int(reader.header["tick_ms"]), int(reader.header["declaration"].get("start_ms", 0))
        return {"log": str(path), "tick": shown, "tick_ms": tick_ms, "start_ms": start_ms, "parent": parent, **fold.shown()}


def moment(tick: int, tick_ms: int, start_ms: int) -> str:
    """Return when *tick* is by the clock of the room: "day 3, 07:15", the first day being day 1."""
    minutes = (tick * tick_ms + start_ms) // 60_000
    return f"day {minutes // 1440 + 1}, {minutes % 1440 // 60:02d}:{minutes % 60:02d}"


class _Fold:
    """What is so after the records taken so far."""

    def __init__(self) -> None:
        self.felt: dict[str, int] = {}
        self.mood: list[int] = []
        self.tasks: dict[str, Row] = {}
        self.matters: dict[str, Row] = {}
        self.things: dict[str, Row] = {}
        self.thoughts: dict[str, Row] = {}
        self.intuitions: dict[str, Row] = {}
        self.removed: dict[str, Row] = {}
        self.boundaries: dict[str, Row] = {}
        self.relations: dict[str, Row] = {}
        self.goals: dict[str, Row] = {}
        self.feelings: list[Row] = []
        self.reflections: list[Row] = []
        self.decided: dict[str, int] = {}
        self.kinds: dict[str, str] = {}

    def take(self, row: Row) -> None:
        taker = getattr(self, f"_{row['kind']}", None)
        if taker is not None:
            taker(row, row["data"])

    def _round(self, _: Row, data: Row) -> None:
        self.felt = dict(zip(NEEDS, data["felt"], strict=True))
        self.mood = data["mood"]

    def _percept(self, _: Row, data: Row) -> None:
        kind = data.get("content", {}).get("kind")
        if kind:
            self.kinds[str(data["of"])] = str(kind)

    def _commit(self, _: Row, data: Row) -> None:
        self.decided[data["decided_by"]] = self.decided.get(data["decided_by"], 0) + 1

    def _task(self, row: Row, data: Row) -> None:
        if data["state"] in OPEN_STATES:
            kept = self.tasks.get(row["id"], {})
            self.tasks[row["id"]] = {**kept, "id": row["id"], "since": kept.get("since", row["tick"]),
                                     **{key: data[key] for key in ("state", "task", "source", "kind", "goal", "practice") if data.get(key)}}
        else:
            self.tasks.pop(row["id"], None)

    def _matter(self, row: Row, data: Row) -> None:
        kept = self.matters.get(row["id"], {})
        self.matters[row["id"]] = {"id": row["id"], **kept, **{key: value for key, value in data.items() if value not in ("", None)}}

    def _belief(self, row: Row, data: Row) -> None:
        kept = self.things.setdefault(row["id"], {"id": row["id"], "props": {}, "version": 0, "tick": -1, "lost": False})
        for name, pair in data.get("news", {}).items():
            kept["props"][name] = pair[1]
            kept["lost"] = False
        kept["props"].update(data.get("props", {}))
        kept.update(tick=row["tick"], version=data.get("version", kept["version"]), lost=bool(data.get("lost", kept["lost"])))

    def _thought(self, row: Row, data: Row) -> None:
        self.thoughts[row["id"]] = {"id": row["id"], "tick": row["tick"], **{k: v for k, v in data.items() if k != "scene"}}

    def _intuition(self, row: Row, data: Row) -> None:
        name, event = row["id"], data["event"]
        if not name:
            return
        if event == "formed":
            self.intuitions[name] = {"id": name, "formed": row["tick"], "history": []}
        kept = self.intuitions.get(name)
        if kept is None:
            return
        keep = ("scene", "label", "outcome", "description", "supports", "thoughts") if event == "formed" else ()
        kept.update({key: data[key] for key in (*keep, "status", "confidence", "d", "uses", "successes", "cases") if key in data})
        told = {key: data[key] for key in ("success", "verdict", "why", "rate", "historical", "reward", "analysis") if key in data}
        kept["history"] = [*kept["history"], {"tick": row["tick"], "event": event, **told}][-HISTORY_SHOWN:]
        if event in ("removed", "emptied"):
            self.removed[name] = self.intuitions.pop(name)

    def _boundary(self, row: Row, data: Row) -> None:
        self.boundaries[row["id"]] = {"id": row["id"], "since": row["tick"], **data}

    def _relation(self, row: Row, data: Row) -> None:
        its = data["row"]
        self.relations[row["id"]] = {"id": row["id"], "reliability": its[1], "seen": its[2]}

    def _goal(self, row: Row, data: Row) -> None:
        kept = self.goals.setdefault(row["id"], {"id": row["id"], "state": "active", "last_task": -1})
        if "task" in data:
            kept["last_task"] = row["tick"]
        kept.update({key: data[key] for key in ("state", "reason", "effort") if key in data})

    def _experience(self, _: Row, data: Row) -> None:
        its = data["row"]
        if its[6] != 500:
            self.feelings = [*self.feelings, {"tick": its[1], "about": f"{its[2]} {its[4]}", "outcome": its[5], "reward": its[6]}]
            self.feelings = self.feelings[-FEELINGS_SHOWN:]

    def _reflection(self, row: Row, data: Row) -> None:
        self.reflections = [*self.reflections, {"tick": row["tick"], **data}][-7:]

    def shown(self) -> Row:
        return {
            "needs": self.felt, "mood": self.mood, "commitments": list(self.tasks.values()),
            "matters": [each for each in self.matters.values() if each["stance"] in LIVE_STANCES],
            "beliefs": list(self.things.values()), "thoughts": list(self.thoughts.values()),
            "intuitions": list(self.intuitions.values()), "removed": list(self.removed.values()),
            "boundaries": list(self.boundaries.values()), "relations": list(self.relations.values()),
            "goals": list(self.goals.values()), "feelings": self.feelings, "reflections": self.reflections, "decided": self.decided,
            "kinds": self.kinds,
        }  # fmt: skip


NEEDS = ("energy", "satiety", "hydration", "bladder", "hygiene", "warmth", "rest", "social", "stimulation")


def trace(path: Path, name: str, tick: int | None = None) -> Row:
    """Return where intuition *name* comes from: its gate, its thoughts and its experiences, each with the records behind it."""
    with open_log(path) as reader:
        within(reader, tick)
        found = trace_rows(reader.records(0, tick), name, path)
        return {"log": str(path), "tick_ms": int(reader.header["tick_ms"]),
                "start_ms": int(reader.header["declaration"].get("start_ms", 0)), **found}


def trace_rows(rows: Iterable[Row], name: str, path: Path) -> Row:
    """Return the trace of *name* out of *rows*. Raises MindError for a name that was never formed."""
    experiences: dict[int, Row] = {}
    thoughts: dict[str, Row] = {}
    ends: dict[int, str] = {}
    gate: Row | None = None
    formed: Row | None = None
    history: list[Row] = []
    known: list[str] = []
    last_end = ""
    for row in rows:
        kind, data = row["kind"], row["data"]
        if kind == "matter" or (kind == "task" and data["state"] not in OPEN_STATES):
            last_end = row["id"]
        elif kind == "experience":
            experiences[data["row"][0]] = row
            ends[data["row"][0]] = last_end
        elif kind == "thought" and formed is None:
            thoughts[row["id"]] = row
        elif kind == "dream" and row["id"] == name:
            gate = row
        elif kind == "intuition" and row["id"]:
            if data["event"] == "formed":
                known.append(row["id"])
            if row["id"] == name:
                formed = row if data["event"] == "formed" else formed
                history.append({"tick": row["tick"], "event": data["event"], "status": data["status"], "confidence": data["confidence"]})
    if formed is None or gate is None:
        there = ", ".join(known[-8:]) or "none was formed"
        raise MindError(f"no intuition is called {name!r}", path, f"in this log: {there}")
    origins = {experiences[at]["data"]["row"][8]: at for at in formed["data"]["supports"]}
    links = []
    for thought, strength in formed["data"]["thoughts"]:
        its = thoughts[thought]["data"]
        shared = [origins[o] for o in (*its["support"], *its["counter"]) if o in origins]
        links.append({"id": thought, "key": its["key"], "pros": its["pros"], "cons": its["cons"], "strength": strength,
                      "experiences": [f"exp-{at}" for at in sorted(shared)]})
    return {
        "id": name, "description": formed["data"]["description"], "scene": formed["data"]["scene"], "label": formed["data"]["label"],
        "formed": formed["tick"],
        "gate": {key: gate["data"][key] for key in ("by", "cluster", "verdict", "frequency", "mean_reward", "held_out", "held", "outcome")},
        "thoughts": links,
        "experiences": [
            {"id": f"exp-{at}", "tick": experiences[at]["tick"], "outcome": experiences[at]["data"]["row"][5],
             "reward": experiences[at]["data"]["row"][6], "origin": experiences[at]["data"]["row"][8], "of": ends[at]}
            for at in formed["data"]["supports"]
        ],
        "history": history,
    }  # fmt: skip
