"""Reflections without a model: what the last weeks say about an action, with all that speaks for it and against it.

A hypothesis needs three independent origins on its side, or one major event, which founds it at low confidence only.
Its confidence is a function of its evidence, so thinking it again changes nothing. It is never evidence itself.
"""

from __future__ import annotations

from agent import scene, thoughts
from agent.inner import Thought
from agent.memory import Experience
from agent.mind import Mind

LAST = 400  # experiences looked back over
MAJOR = 500  # importance from which an event is major
SURE_MAX, MAJOR_MAX = 900, 300
INFLUENCE = {"promise": "trust_of_person", "act": "trust_of_person", "change": "place_of_things", "stance": "trust_of_person"}


def revise(mind: Mind) -> list[Thought]:
    """Form or revise the hypotheses that recent experience speaks to; return those whose evidence grew."""
    sides: dict[str, list[Experience]] = {}
    for one in mind.memory.items[-LAST:]:
        if one.reward != 500:
            sides.setdefault(f"{one.kind}:{one.action}", []).append(one)
    found = []
    for theme, cases in sides.items():
        bad = [one for one in cases if one.reward < 500]
        if not bad:
            continue
        major = any(one.importance >= MAJOR for one in bad)
        if len({one.origin: True for one in bad}) >= mind.params.experiences_for_update or major:
            thought = _take(mind, theme, cases, major)
            if thought is not None:
                found.append(thought)
    return found


def _take(mind: Mind, theme: str, cases: list[Experience], major: bool) -> Thought | None:
    """Take *cases* as evidence that *theme* often goes badly; return the reflection if there was anything new in them."""
    inner = mind.inner
    kind = theme.partition(":")[0]
    key = f"reflection:{theme}:often_goes_badly"
    held = inner.thoughts.get(key)
    if held is None:
        thoughts.make_room(inner)
        held = inner.thoughts[key] = Thought(
            inner.mint("tht"), "reflection", key, theme, mind.tick, scene=[0] * scene.SIZE, influence=INFLUENCE.get(kind, "method")
        )
    fresh = 0
    for one in cases:
        side = held.support if one.reward < 500 else held.counter
        if one.ordinal < held.seen or one.origin in held.support or one.origin in held.counter:
            continue
        side.append(one.origin)
        del side[: -thoughts.KEPT]
        held.pros, held.cons = held.pros + (one.reward < 500), held.cons + (one.reward >= 500)
        fresh += 1
    held.seen = len(mind.memory.items)
    if not fresh:
        return None
    held.settled = held.pros >= mind.params.experiences_for_update
    ceiling = SURE_MAX if held.settled else MAJOR_MAX
    assert held.settled or major
    held.confidence = min(ceiling, 1000 * (held.pros + 1) // (held.pros + held.cons + 2))
    held.version += 1
    inner.chain("reflection", held.id, held.pros, held.cons)
    thoughts.note(mind, held)
    return held
