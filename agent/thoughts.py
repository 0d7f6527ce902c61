"""L3: thoughts. A belief about how an action goes, held with its evidence on both sides; reflections beside them.

Evidence is counted by origin: two tellings of one event are one. A reflection is never evidence, for itself or another.
"""

from __future__ import annotations

from agent import scene
from agent.inner import Inner, Thought
from agent.mind import Mind

KEPT = 24  # origins kept on each side; the counts are whole
EVEN = 500  # as much speaks for as against
LATELY = 8  # newest evidence that an objection looks at
THOUGHTS_MAX = 600


def key_of(label: str, company: bool) -> str:
    """Return the key under which it is believed how *label* goes."""
    return f"goes_well:{label}@{'company' if company else 'alone'}"


def learn(mind: Mind, label: str, place: str, origin: int, good: bool, vector: bytes) -> Thought:
    """Take one event as evidence of how *label* goes; return the thought. It is settled at enough independent events."""
    inner = mind.inner
    key = key_of(label, not place.startswith("alone"))
    found = inner.thoughts.get(key)
    if found is None:
        make_room(inner)
        found = inner.thoughts[key] = Thought(inner.mint("tht"), "belief", key, label, mind.tick, scene=[0] * scene.SIZE)
    side = found.support if good else found.counter
    if origin in found.support or origin in found.counter:
        return found
    side.append(origin)
    del side[:-KEPT]
    if not good:
        found.countered = mind.tick
    found.pros, found.cons = found.pros + good, found.cons + (not good)
    found.scene = [a + b for a, b in zip(found.scene, scene.unpack(vector), strict=True)]
    found.confidence = 1000 * (found.pros + 1) // (found.pros + found.cons + 2)
    found.version += 1
    inner.chain("thought", found.id, found.pros, found.cons)
    count = found.pros + found.cons
    settled = count >= mind.params.experiences_for_update
    if settled and (not found.settled or count & (count - 1) == 0):
        found.settled = True
        note(mind, found)
    return found


def make_room(inner: Inner) -> None:
    """Let go of the oldest thought that no intuition stems from, where there are too many."""
    if len(inner.thoughts) >= THOUGHTS_MAX:
        kept = {name: True for one in inner.library.values() for name in one.thoughts}
        oldest = next((key for key, one in inner.thoughts.items() if one.id not in kept), next(iter(inner.thoughts)))
        del inner.thoughts[oldest]


def note(mind: Mind, thought: Thought) -> None:
    """Write a thought down as it stands."""
    mind.note(
        "thought", thought.id, type=thought.kind, key=thought.key, label=thought.label, pros=thought.pros, cons=thought.cons,
        support=list(thought.support), counter=list(thought.counter), confidence=thought.confidence, scene=list(thought.scene),
        influence=thought.influence, version=thought.version,
    )  # fmt: skip


def against(mind: Mind, label: str, company: bool) -> tuple[Thought, int] | None:
    """Return the thought that *label* goes badly and its strength of late, 0..1000; None without evidence enough.

    What went badly long ago speaks less and less against another try: the strength comes back to even by halves while
    nothing is added. Else what was objected to would not be done, and nobody would find out that it goes well again.
    """
    found = mind.inner.thoughts.get(key_of(label, company))
    if found is None or not found.settled:
        return None
    # Origins of one's own fall (they are negative); what matters is which side was fed last.
    newest = (*((abs(o), 1) for o in found.support[-LATELY:]), *((abs(o), 0) for o in found.counter[-LATELY:]))
    lately = sorted(newest)[-LATELY:]
    cons = sum(1 for _, good in lately if not good)
    strength = 1000 * (cons + 1) // (len(lately) + 2)
    if strength > EVEN:
        rests = (mind.tick - found.countered) // mind.ticks(mind.params.objection_rest_ms)
        strength = EVEN + ((strength - EVEN) >> min(12, rests))
    return found, strength
