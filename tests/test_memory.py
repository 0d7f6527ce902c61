"""Memory: append-only, tiers that cost little, retrieval that is monotone; the ledger; feelings that come to rest."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace

import pytest

from agent.appraisal import DOMAINS, remember
from agent.attraction import NEUTRAL, trusted
from agent.memory import BLOCK, HOT, Experience, Memory, Store
from agent.mind import Mind
from agent.needs import AROUSAL_REST, PLEASURE_REST, mood, stir
from agent.params import HOUR_MS
from sim import codec
from sim.build import restore, snapshot
from sim.chance import Chance
from tests.makers import a_declared
from tests.mind_cases import awake

SAMPLE = Experience(
    0, 0, "task", "alone/free/-/|", "read_book", "done", 600, 300, -1, "own", (4, 5), (75,), "start:read_book", bytes(range(60, 78))
)


def full(count: int) -> Memory:
    memory = Memory()
    for at in range(count):
        memory.add(replace(SAMPLE, ordinal=at, tick=at * 50, origin=-at, reward=400 + at % 300))
    return memory


def test_cold_experiences_read_like_hot_ones() -> None:
    memory = full(HOT + 5 * BLOCK)
    assert memory.items.packed
    for at in (0, 1, BLOCK - 1, BLOCK, 3 * BLOCK + 7, len(memory.items) - 1):
        assert memory.items[at] == replace(SAMPLE, ordinal=at, tick=at * 50, origin=-at, reward=400 + at % 300)
    assert [one.ordinal for one in memory.items[-3:]] == [len(memory.items) - 3 + n for n in range(3)]


def test_a_memory_survives_the_codec_and_finds_the_same() -> None:
    memory = full(HOT + 3 * BLOCK)
    again = codec.decode(json.loads(json.dumps(codec.encode(memory))))
    assert isinstance(again.items, Store)
    assert again.head == memory.head
    cues = ("read_book", 5)
    assert again.recall(cues, 10**6, 6) == memory.recall(cues, 10**6, 6)


def test_ten_thousand_memories_stay_small_compressed() -> None:
    tracemalloc.start()
    memory = full(10_000)
    used = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert used < 12_000_000, f"{used} bytes"
    assert sum(map(len, memory.items.packed)) < 600_000


@pytest.mark.parametrize("better", ["newer", "weightier", "more_relevant"])
def test_retrieval_is_monotone(better: str) -> None:
    worse = replace(SAMPLE, tick=1000, things=(4,))
    changed = {"newer": {"tick": 900_000}, "weightier": {"importance": 600}, "more_relevant": {"things": (4, 5)}}[better]
    for first in (True, False):
        memory = Memory()
        pair = [replace(worse, **changed), worse] if first else [worse, replace(worse, **changed)]
        for at, one in enumerate(pair):
            memory.add(replace(one, ordinal=at))
        ranked = memory.rank(range(2), ("read_book", 4, 5), 1_000_000, 2)
        assert ranked[0][1] == (0 if first else 1)


def test_an_append_costs_the_same_early_and_late() -> None:
    """By count of what is touched: nothing but the tail, the chain and the cues of the new one."""
    memory = full(HOT + 4 * BLOCK)
    before = list(map(id, memory.items.packed))
    memory.add(replace(SAMPLE, ordinal=len(memory.items)))
    assert list(map(id, memory.items.packed)) == before


# --- the ledger -----------------------------------------------------------------------------------------------------


def test_an_event_teaches_each_domain_once_twice_told_out_of_order_or_after_a_restart() -> None:
    """1,000 cases."""
    chance = Chance(3)
    state = awake()
    declared = a_declared()
    taught: dict[tuple[int, int], int] = {}
    for case in range(1000):
        name = str(case)
        if case % 200 == 199:
            state = restore(json.loads(json.dumps(snapshot(state))), declared.room)
        # An event of some while ago, or the one before last, or a new one.
        origin = 1000 + max(0, case // 2 - chance.below("late", name, 3))
        domain = chance.below("domain", name, len(DOMAINS))
        for _ in range(1 + chance.below("again", name, 3)):
            taught[origin, domain] = taught.get((origin, domain), 0) + state.mind.teach(origin, domain)
    assert len(taught) > 600
    assert set(taught.values()) == {1}


# --- feelings -------------------------------------------------------------------------------------------------------


def a_mind() -> Mind:
    return awake().mind


def test_after_a_hundred_good_events_and_a_quiet_hour_feelings_are_back_at_rest() -> None:
    mind = a_mind()
    for _ in range(100):
        stir(mind, mind.tick, 120, 90)
        assert 0 <= mind.pleasure <= 1000
        assert 0 <= mind.arousal <= 1000
    assert mood(mind, mind.tick)[0] > 950
    pleasure, arousal = mood(mind, mind.tick + mind.ticks(HOUR_MS))
    assert abs(pleasure - PLEASURE_REST) <= 10
    assert abs(arousal - AROUSAL_REST) <= 10
    assert mood(mind, mind.tick + mind.ticks(4 * HOUR_MS)) == (PLEASURE_REST, AROUSAL_REST)


@pytest.mark.parametrize("seed", range(5))
def test_feelings_never_leave_their_bounds(seed: int) -> None:
    chance = Chance(seed)
    mind = a_mind()
    for step in range(2000):
        mind.tick += chance.below("t", str(step), 5000)
        stir(mind, mind.tick, chance.below("p", str(step), 2401) - 1200, chance.below("a", str(step), 2401) - 1200)
        assert min(mood(mind, mind.tick)) >= 0
        assert max(mood(mind, mind.tick)) <= 1000


def test_feelings_are_the_same_across_save_and_load() -> None:
    state = awake()
    stir(state.mind, state.mind.tick, 300, 200)
    again = restore(json.loads(json.dumps(snapshot(state))), a_declared().room)
    for ticks in (0, 1, 777, 36_000, 400_000):
        assert mood(again.mind, state.tick + ticks) == mood(state.mind, state.tick + ticks)


def test_what_nobody_was_seen_doing_teaches_nothing_of_a_person() -> None:
    mind = a_mind()
    before = mind.relations.person(75).row()
    for _ in range(20):
        remember(mind, "change", "noticed", "place", 300, 350, 5, "sight", (12,))
    assert mind.relations.person(75).row() == before


def test_what_failures_took_from_a_method_comes_back_by_halves_and_never_rises_above_neutral() -> None:
    mind = a_mind()
    method = mind.method("talk_with_visitor:person")
    rest = mind.ticks(mind.params.method_rest_ms)
    method.confidence, method.failed_tick = 300, mind.tick
    seen = []
    for _ in range(5):
        seen.append(trusted(mind, method))
        mind.tick += rest
    assert seen == [300, 500, 600, 650, 675]
    method.failed_tick = mind.tick
    assert trusted(mind, method) == 300, "a new failure counts in full"
    mind.tick += 1000 * rest
    assert trusted(mind, method) == NEUTRAL
    method.confidence = 900
    assert trusted(mind, method) == 900
