"""A mind with many memories: some days lived with a friend, and experiences like those lived until there are enough."""

from __future__ import annotations

from agent.appraisal import remember
from agent.mind import Mind
from agent.subconscious import preactivation
from sim import kernel
from sim.build import build
from sim.chance import Chance
from sim.declare import declare


def lived(days: int = 8, seed: int | None = None) -> Mind:
    """Return a mind that has lived *days* with a friend, without a model, at a moment when the friend is there."""
    state = build(declare("emergence", seed=seed, overrides={"model.provider": "none"}))
    kernel.advance_alone(state, days * 86_400_000 // state.tick_ms)
    while not (state.mind.present and state.mind.busy()):
        kernel.advance_alone(state, state.tick + 600)
    return state.mind


def fill(mind: Mind, count: int) -> None:
    """Add experiences like those lived until there are *count*."""
    chance, items = Chance(1), mind.memory.items
    first = len(items)
    sample = [items[at] for at in range(first)]
    for at in range(first, count):
        one = sample[chance.below("sample", str(at), first)]
        remember(mind, one.kind, one.action, one.outcome, one.reward, one.importance, -at - 1, one.source, one.things, one.persons)
    mind.take_notes()


def found_among(mind: Mind, queries: int, most: int = 5) -> tuple[float, float]:
    """Ask *queries* things of the memory; return the memories scored for one, and the share of the full search's best *most* found warm."""
    serials, chance = mind.inner.serials, Chance(2)
    tasks, things = list(mind.book.tasks), list(mind.beliefs.things)
    before, wanted, hits = serials.get(preactivation.SCORED, 0), 0, 0
    for query in range(queries):
        about = (*mind.present, things[chance.below("thing", str(query), len(things))])
        actions = (tasks[chance.below("task", str(query), len(tasks))], "read_book")
        cues = preactivation.cues_of(about, actions, mind.params.cues)
        full = [at for _, at in mind.memory.rank(range(len(mind.memory.items)), cues, mind.tick, most)]
        preactivation.recall(mind, about, actions, most)
        warm = {at for _, at in mind.memory.rank(mind.inner.warm, cues, mind.tick, most)}
        wanted, hits = wanted + len(full), hits + sum(at in warm for at in full)
    return (serials[preactivation.SCORED] - before) / queries, hits / wanted
