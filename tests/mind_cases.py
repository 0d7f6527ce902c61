"""Minds to test with: a resident who has just woken in a real room, and small things for it to live through."""

from __future__ import annotations

from typing import Any

from agent import scene
from agent.appraisal import remember
from agent.attraction import Scored
from agent.candidates import Candidate
from agent.inner import Deed, Intuition
from agent.learning import take
from agent.memory import Experience
from agent.mind import Mind
from sim.state import State
from tests.makers import a_state, live


def awake(*entries: dict[str, Any], until: int = 50, **rest: Any) -> State:
    """Return a state a few seconds into the morning: everything familiar is known, nobody has come."""
    state = a_state(*entries, **({"start": "08:00", "minutes": 60} | rest))
    live(state, until)
    return state


def a_deed(mind: Mind, label: str = "start:read_book", place: str = "alone/free/-/|", *, fired: str = "", felt: int = 0) -> Deed:
    """Return an open deed in the present scene."""
    mind.serials["deed"] = mind.serials.get("deed", 0) + 1
    return Deed(
        mind.serials["deed"], mind.tick, place, label, scene.vector(mind), "clear", "rnd-1", True, fired=fired,
        felt=list(mind.felt), reaction=felt,
    )  # fmt: skip


def lived(mind: Mind, deed: Deed, outcome: str = "done", reward: int = 600, origin: int | None = None) -> Experience:
    """Close *deed* with *outcome*: remembered, and learned from."""
    root = mind.new_origin() if origin is None else origin
    task = deed.label.partition(":")[2] if deed.label.startswith("start") else ""
    one = remember(mind, "task", task or deed.label, outcome, reward, 300, root, "own", deed=deed)
    take(mind, deed, one, task, intuitions=mind.teach(root, 6))
    return one


def an_intuition(mind: Mind, candidate: Candidate, *, uses: int = 4, good: int = 4) -> Intuition:
    """Return an intuition for *candidate* in the present scene, taken into the library."""
    key = scene.scene_of(mind, candidate, scene.surroundings(mind))
    one = Intuition(
        mind.inner.mint("itu"), key, scene.label_of(mind, candidate), scene.vector(mind), "done", mind.tick, "made for a test",
        base=[uses, good],
    )  # fmt: skip
    mind.inner.library[one.id] = one
    mind.inner.changed_library()
    return one


def a_group(*candidates: Candidate) -> tuple[Scored, ...]:
    """Return *candidates* as a near-tie group, the first one leading a little."""
    return tuple(Scored(one, {}, 500 - 10 * at) for at, one in enumerate(candidates))


def ordinal_of(mind: Mind, kind: str) -> int:
    """Return the resident's ordinal for a thing of *kind*."""
    return mind.tagged(f"kind:{kind}")[0]
