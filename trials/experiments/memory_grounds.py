"""What decisions and intuitions rest on, as a log names it: intuition, thoughts, experiences, steps.

A decision by an intuition rests on it and on what it was formed from; one by a model on the experiences and steps that the
model was shown, those of a widened memory included.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(slots=True)
class Ground:
    """What one decision, or one intuition, rests on: ids and ordinals as the log names them."""

    kind: str
    held: int
    """Experiences that there were at the time."""
    intuition: str = ""
    thoughts: tuple[str, ...] = ()
    experiences: tuple[int, ...] = ()
    steps: tuple[int, ...] = ()


@dataclass(slots=True)
class Told:
    """What a log says: the grounds of everything, and what they were."""

    grounds: list[Ground] = field(default_factory=list)
    experiences: list[str] = field(default_factory=list)
    steps: list[list[Any]] = field(default_factory=list)
    thoughts: dict[str, tuple[str, str]] = field(default_factory=dict)
    intuitions: dict[str, tuple[str, str]] = field(default_factory=dict)


def read(rows: Iterable[Mapping[str, Any]]) -> Told:
    """Return what the log says about grounds, record by record."""
    told = Told()
    formed: dict[str, Ground] = {}
    fired: dict[str, str] = {}
    asked: dict[str, Ground] = {}
    for row in rows:
        kind, data, name = row["kind"], row["data"], row["id"]
        if kind == "experience":
            assert data["row"][0] == len(told.experiences)
            told.experiences.append(json.dumps(data["row"]))
        elif kind == "step":
            told.steps.append([data[key] for key in ("observation", "action", "confidence", "explanation")])
        elif kind == "thought":
            told.thoughts[name] = data["key"], data["label"]
        elif kind == "intuition" and data["event"] == "formed":
            thoughts = tuple(each[0] for each in data["thoughts"])
            formed[name] = Ground("intuition", len(told.experiences), name, thoughts, tuple(data["supports"]))
            told.grounds.append(formed[name])
            told.intuitions[name] = data["scene"], data["label"]
        elif kind == "round" and data.get("intuition"):
            fired[name] = data["intuition"]
        elif kind == "request":
            shown = len(data["context"]["state"].get("recent_steps", ()))
            steps = tuple(range(len(told.steps) - shown, len(told.steps)))
            asked[name] = Ground("sys2", len(told.experiences), experiences=_named(data["context"]["memories"]), steps=steps)
        elif kind == "part":
            _widen(asked[name.partition(".")[0]], data["note"].get("memories", ()), len(told.steps))
        elif kind == "commit":
            told.grounds += _of_commit(data["decided_by"], row["causes"], len(told.experiences), fired, formed, asked)
    return told


def _named(memories: Iterable[Mapping[str, Any]]) -> tuple[int, ...]:
    """Return the ordinals of the experiences among *memories*."""
    return tuple(int(each["id"].removeprefix("exp-")) for each in memories if "id" in each)


def _widen(ground: Ground, memories: Iterable[Mapping[str, Any]], steps: int) -> None:
    """Take what a reflection was shown beyond the window into *ground*: warm steps have no id, experiences have."""
    rows = list(memories)
    named = _named(rows)
    warm = len(rows) - len(named)
    first = ground.steps[0] if ground.steps else steps
    ground.experiences = tuple(dict.fromkeys((*ground.experiences, *named)))
    ground.steps = (*range(first - warm, first), *ground.steps)


def _of_commit(
    by: str, causes: Iterable[str], held: int, fired: Mapping[str, str], formed: Mapping[str, Ground], asked: Mapping[str, Ground]
) -> Iterator[Ground]:
    for cause in causes:
        if by == "sys1" and cause in fired:
            one = formed[fired[cause]]
            yield replace(one, kind="sys1", held=held)
        elif by == "sys2" and cause in asked and asked[cause].experiences:
            yield asked[cause]
