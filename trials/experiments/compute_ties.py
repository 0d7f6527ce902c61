"""Near ties that a model is worth asking about, one by one from a log: who settled them, and what the judge would have chosen.

The judge is the competent scripted model (sim/gateway_scripted.py): what it would pick of a group is known for every
tie, asked or not, so it can say how many ties a saving arm settled otherwise. It is a measuring device, not the truth;
what came of a choice is for the oracle (trials/oracle.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sim.gateway_scripted import BONUS

MEETING = ("talk_with_visitor",)


@dataclass(slots=True)
class Ties:
    """Counts over one log. *judged* are ties that touch a person and that sys1 left open, *agreed* those settled as the judge would."""

    judged: int = 0
    agreed: int = 0
    calls: int = 0
    tokens: int = 0
    efforts: dict[str, int] = field(default_factory=dict)
    lessons: dict[str, int] = field(default_factory=dict)


def ties_in(rows: Iterable[Mapping[str, Any]]) -> Ties:
    """Return the counts over the records of one run. Calls are parts: asks, repairs, reasks and samples."""
    found, open_, persons = Ties(), dict[str, tuple[str, list[str]]](), dict[str, bool]()
    for row in rows:
        kind, data = row["kind"], row["data"]
        if kind == "task" and data.get("matter"):
            persons[row["id"]] = True
        elif kind == "round" and (data["ask"] or "effort" in data):
            open_[row["id"]] = (judge(data, persons), data["group"])
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
                    best, _ = open_.pop(cause)
                    found.judged += 1
                    found.agreed += data["choice"] == best
    return found


def judge(data: Mapping[str, Any], persons: Mapping[str, bool]) -> str:
    """Return whom of the group the competent model takes: score plus BONUS for source and marks, ties in the group's order."""
    rows = {each[0]: each for each in data["candidates"]}

    def worth(name: str) -> int:
        _, source, act, task, _, matter, commitment, score, _ = rows[name]
        person = bool(matter) or act == "ask_help" or task in MEETING or commitment in persons
        marks = [source, *(["person"] if person else []), *(["promise"] if commitment and source == "goal" else [])]
        return int(score) + sum(BONUS.get(mark, 0) for mark in marks)

    return max(data["group"], key=lambda name: (worth(name), -data["group"].index(name)))
