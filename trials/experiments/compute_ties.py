"""Near ties that a model is worth asking about, one by one from a log: who settled them, and what the judge would have chosen.

The judge is the competent scripted model (sim/gateway_scripted.py): what it would pick of a group is known for every
tie, asked or not, so it can say how many ties a saving arm settled otherwise. It is a measuring device, not the truth;
what came of a choice is for the oracle (trials/oracle.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from logs.reader import open_log
from sim.declare import declare
from sim.gateway_scripted import BONUS
from sim.simulation import Simulation
from trials.oracle import judged as judged_by_oracle
from trials.oracle import quality_of

MEETING = ("talk_with_visitor",)


@dataclass(slots=True)
class Ties:
    """Counts over one log. *judged* are ties worth asking about, asked or not, *agreed* those settled as the judge would."""

    judged: int = 0
    agreed: int = 0
    calls: int = 0
    calls_before: int = 0
    """Calls in the time that is set aside for learning."""
    by_rule: int = 0
    """Ties whose deterministic best is the judge's choice, of those judged."""
    tokens: int = 0
    efforts: dict[str, int] = field(default_factory=dict)
    lessons: dict[str, int] = field(default_factory=dict)
    quality: float = 0.0
    """The oracle's mean share, 0 to 1."""
    right: int = 0
    """Choices of all kinds that the oracle judged right."""
    wrong: int = 0

    @property
    def agreement(self) -> float:
        """Return the share of judged ties that were settled as the judge would."""
        return self.agreed / self.judged if self.judged else 1.0


def live(reference: str, seed: int, hours: int, overrides: Mapping[str, Any], *, learning_hours: int = 0) -> Ties:
    """Run the first *hours* of a life and return its counts, with the oracle's word on all of it.

    Ties, calls and tokens are counted after the first *learning_hours*.
    """
    declared = declare(reference, seed=seed, overrides=dict(overrides))
    with TemporaryDirectory() as folder:
        simulation = Simulation(declared, out=Path(folder) / "life")
        simulation.reset()
        simulation.advance(hours=hours)
        log = Path(simulation.close()["log"])
        with open_log(log) as reader:
            found = ties_in(reader.records(), learning_hours * 3_600_000 // int(reader.header["tick_ms"]))
        found.quality = quality_of(log)["quality"] or 0.0
        by_oracle = judged_by_oracle(log).values()
        found.right, found.wrong = sum(row["right"] for row in by_oracle), sum(row["wrong"] for row in by_oracle)
    return found


def ties_in(rows: Iterable[Mapping[str, Any]], from_tick: int = 0) -> Ties:
    """Return the counts over the records of one run. Calls are parts: asks, repairs, reasks and samples."""
    found = Ties()
    open_: dict[str, tuple[str, bool]] = {}
    persons: dict[str, bool] = {}
    for row in rows:
        kind, data = row["kind"], row["data"]
        if kind == "task" and data.get("matter"):
            persons[row["id"]] = True
        if row["tick"] < from_tick:
            found.calls_before += kind == "part"
            continue
        if kind == "round" and (data["ask"] or "effort" in data or _settled_unasked(data, persons)):
            best = judge(data, persons)
            open_[row["id"]] = (best, best == data["group"][0])
            if "effort" in data:
                its = data["effort"]["kind"]
                found.efforts[its] = found.efforts.get(its, 0) + 1
        elif kind == "part":
            found.calls += 1
        elif kind == "reply":
            found.tokens += data["tokens_in"] + data["tokens_out"]
        elif kind == "learn" and data.get("domain") == "effort":
            found.lessons[data["why"]] = found.lessons.get(data["why"], 0) + 1
        elif kind == "commit":
            for cause in row["causes"]:
                if cause in open_:
                    found.judged += 1
                    best, by_rule = open_.pop(cause)
                    found.agreed += data["choice"] == best
                    found.by_rule += by_rule
    return found


def judge(data: Mapping[str, Any], persons: Mapping[str, bool]) -> str:
    """Return whom of the group the competent model takes: score plus BONUS for source and marks, ties in the group's order."""
    rows = {each[0]: each for each in data["candidates"]}

    def worth(name: str) -> int:
        _, source, _, _, _, _, commitment, score, _ = rows[name]
        person = _touches_person(rows[name], persons)
        marks = [source, *(["person"] if person else []), *(["promise"] if commitment and source == "goal" else [])]
        return int(score) + sum(BONUS.get(mark, 0) for mark in marks)

    group: list[str] = data["group"]
    return max(group, key=lambda name: (worth(name), -group.index(name)))


def _settled_unasked(data: Mapping[str, Any], persons: Mapping[str, bool]) -> bool:
    """Return whether sys1 settled a near tie that a model would have been worth asking about (agent/arbiter.py)."""
    if data["decided_by"] != "sys1":
        return False
    group = [each for each in data["candidates"] if each[0] in data["group"]]
    return len({each[1] for each in group}) > 1 and any(_touches_person(each, persons) for each in group)


def _touches_person(row: list[Any], persons: Mapping[str, bool]) -> bool:
    _, _, act, task, _, matter, commitment, *_ = row
    return bool(matter) or act == "ask_help" or task in MEETING or commitment in persons
