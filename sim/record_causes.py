"""What a record of the mind was caused by, as far as the kernel knows it without looking back.

The mind holds no world ids and no record ids, so it can't say what its notes stem from. The kernel can: it has just
handed over the percepts, and the notes come back within the same tick, in order. What would have to be searched for is
left empty: an empty list says "not known here", never "nothing".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agent.percept import Percept
from sim.records import Records
from sim.state import State

Data = dict[str, Any]
BEGUN = ("taken_on", "started", "resumed", "paused", "replaced", "cancelled")
"""States of a commitment that a choice brings about; the others come of how it went."""


def of_percepts(state: State, percepts: tuple[Percept, ...]) -> list[list[str]]:
    """Return the causes of each percept: the fact, or the inner voice, that it stems from."""
    roots = {origin: fact for fact, origin in state.veil.origins.items()}
    return [[] if one.kind == "felt" else _root(state, roots.get(one.origin, 0)) for one in percepts]


def _root(state: State, fact: int) -> list[str]:
    # A need that crossed its line is no record; inner voices are counted below zero.
    return [f"evt-{fact}"] if fact > 0 else [state.causes[fact]] if fact in state.causes else []


def of_note(state: State, log: Records, kind: str, data: Data) -> list[str]:
    """Return the causes of one note of the mind."""
    finder = FINDERS.get(kind)
    return [] if finder is None else finder(state, log, data)


def _of_origin(state: State, log: Records, origin: int) -> list[str]:
    """Return the percept of this tick that *origin* came with, else the act of the visitor behind it."""
    found = log.origins.get(origin) or state.origins.get(origin, "")
    return [found] if found else []


def _last(log: Records, *kinds: str) -> list[str]:
    """Return the last record of this tick of the first of *kinds* that there is."""
    return next(([log.last[kind]] for kind in kinds if kind in log.last), [])


def _belief(_state: State, log: Records, data: Data) -> list[str]:
    return [f"per-{data['percept']}"] if "percept" in data else _last(log, "outcome")


def _experience(state: State, log: Records, data: Data) -> list[str]:
    kind, origin = data["row"][2], data["row"][8]
    return _last(log, "ended") if kind in ("task", "went_on") else _of_origin(state, log, origin)


def _matter(state: State, log: Records, data: Data) -> list[str]:
    if "outcome" in data:
        return _last(log, "outcome", "commit")
    heard = [name for origin in data.get("origins", ())[-1:] for name in _of_origin(state, log, origin)]
    chosen = _last(log, "commit") if "waited" in data else []
    return chosen or heard


def _task(_state: State, log: Records, data: Data) -> list[str]:
    if data["state"] not in BEGUN:
        return _last(log, "outcome")
    return _last(log, "commit") or ([data["matter"]] if data.get("matter") else [])


def _learn(state: State, log: Records, data: Data) -> list[str]:
    if "experience" in data:
        return [data["experience"]]
    origin = data.get("origin", 0)
    if origin > 0:
        return _of_origin(state, log, origin)
    return _last(log, "ended") if data.get("domain") in ("skill", "method", "feeling", "goal") else _last(log, "experience")


def _served(_state: State, log: Records, data: Data) -> list[str]:
    return _last(log, "ended") if "task" in data else []


def _thought(_state: State, log: Records, _data: Data) -> list[str]:
    return _last(log, "experience")


def _intuition(_state: State, log: Records, data: Data) -> list[str]:
    if data["event"] == "formed":
        return [name for name, _ in data["thoughts"]]
    return [data["experience"]] if "experience" in data else _last(log, "experience")


def _dream(_state: State, _log: Records, data: Data) -> list[str]:
    return [f"exp-{at}" for at in data["supports"]]


def _reflection(_state: State, _log: Records, data: Data) -> list[str]:
    return [data["why"]] if data["why"].startswith("exp-") else []


def _by_origin(state: State, log: Records, data: Data) -> list[str]:
    return _of_origin(state, log, data["origin"])


def _heard(_state: State, log: Records, _data: Data) -> list[str]:
    return _last(log, "percept")


def _favour(_state: State, log: Records, data: Data) -> list[str]:
    return _last(log, "commit") if data["state"] == "open" else _last(log, "percept")


def _note(_state: State, log: Records, data: Data) -> list[str]:
    return _last(log, "percept") if data["what"] == "promise_heard" else []


FINDERS: dict[str, Callable[[State, Records, Data], list[str]]] = {
    "belief": _belief,
    "experience": _experience,
    "matter": _matter,
    "task": _task,
    "learn": _learn,
    "relation": _by_origin,
    "feedback": _by_origin,
    "boundary": _heard,
    "favour": _favour,
    "practice": _served,
    "goal": _served,
    "pattern": _thought,
    "thought": _thought,
    "intuition": _intuition,
    "dream": _dream,
    "reflection": _reflection,
    "commit": lambda state, log, data: [data["matter"]] if data["matter"] else [],
    "step": lambda state, log, data: _last(log, "commit"),
    "note": _note,
}
"""Kind of note -> how its causes are found; a kind that is not here has none."""
