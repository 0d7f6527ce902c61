"""Intuitions: what makes one fire, how sure it is, how it falls and comes back; the opposite key fact never fires it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent import intuition, scene, sys1
from agent.candidates import Candidate
from agent.inner import ACTIVE, DEMOTED, RECOVERING, WARNING
from agent.mind import Mind
from sim.chance import Chance
from tests.mind_cases import a_deed, a_group, an_intuition, awake, lived, ordinal_of

READ = Candidate("c1", "explore", "start", "read_book")
GAZE = Candidate("c2", "practice", "start", "gaze_window")


def a_mind() -> Mind:
    mind = awake().mind
    mind.settings["sys1"] = "intuition"
    return mind


def test_it_fires_in_its_own_scene_and_says_so() -> None:
    mind = a_mind()
    one = an_intuition(mind, GAZE)

    found = sys1.settle(mind, a_group(READ, GAZE))

    assert found.choice == GAZE
    assert found.check.fired == one.id
    assert ("check", 5, "1 fire") in found.stages


@pytest.mark.parametrize(
    "hindrance", ["not_in_group", "unsure", "dissimilar", "complex", "demoted", "recovering", "conflict", "feeling", "switched_off"]
)
def test_each_condition_alone_keeps_it_silent(hindrance: str) -> None:
    mind = a_mind()
    one = an_intuition(mind, GAZE)
    group = a_group(READ, GAZE)
    if hindrance == "not_in_group":
        group = a_group(READ, replace(GAZE, task="rest_seat"))
    elif hindrance == "unsure":
        one.base = [8, 6]  # 7 / 10 is not above .7
    elif hindrance == "dissimilar":
        one.vector = scene.pack([-value for value in scene.unpack(one.vector)])
    elif hindrance == "complex":
        group = a_group(*(replace(READ, id=f"c{n}", roles={f"r{n}": n}) for n in range(3, 90)), GAZE)
    elif hindrance in (DEMOTED, RECOVERING):
        one.status = hindrance
    elif hindrance == "conflict":
        for _ in range(5):
            lived(mind, a_deed(mind, "start:gaze_window"), "failed:x", 480)
    elif hindrance == "feeling":
        for _ in range(3):
            lived(mind, a_deed(mind, "start:gaze_window"), "done", 300)
        mind.settings["s4"] = False
    else:
        mind.settings["sys1"] = "none"

    found = sys1.settle(mind, group)

    assert found.choice is None
    if hindrance in (DEMOTED, RECOVERING):
        assert found.check.shadows == ((one.id, GAZE.id),)
    if hindrance in ("conflict", "feeling", "unsure"):
        assert found.check.aside[0][0] == one.id


def test_of_several_the_more_similar_wins_then_the_surer_then_the_older() -> None:
    mind = a_mind()
    first, second = an_intuition(mind, READ), an_intuition(mind, GAZE)
    group = a_group(READ, GAZE)
    assert sys1.settle(mind, group).check.fired == first.id

    second.base = [9, 9]
    assert sys1.settle(mind, group).check.fired == second.id

    values = scene.unpack(second.vector)
    second.vector = scene.pack([values[0] - 60, *values[1:]])
    assert sys1.settle(mind, group).check.fired == first.id


KEY_FACTS = (
    ("company", lambda mind, thing: mind.present.append(ordinal_of(mind, "door"))),
    ("pain", lambda mind, thing: setattr(mind, "pain", 400)),
    ("press", lambda mind, thing: mind.felt.__setitem__(2, 200)),
    *(
        (name, lambda mind, thing, name=name: thing.props.__setitem__(name, 1 - min(1, int(thing.props.get(name, 0)))))
        for name in scene.KEY_PROPS
    ),
)


def test_a_thousand_near_pairs_with_the_opposite_key_fact_never_fire() -> None:
    """The scene is the same to the last number; one key fact is turned round."""
    chance = Chance(5)
    mind = a_mind()
    things = list(mind.beliefs.things.values())
    fired = pairs = 0
    for case in range(1000):
        thing = things[chance.below("thing", str(case), len(things))]
        fact, turn = KEY_FACTS[case % len(KEY_FACTS)]
        if fact in scene.KEY_PROPS:
            thing.props[fact] = chance.below("value", str(case), 2)
        candidate = Candidate("c2", "practice", "start", "inspect", {"object": thing.ordinal})
        mind.inner.library.clear()
        one = an_intuition(mind, candidate, uses=50, good=50)
        assert sys1.settle(mind, a_group(READ, candidate)).check.fired == one.id, "it fires where nothing is turned"
        before = (list(mind.present), mind.pain, list(mind.felt), dict(thing.props))
        turn(mind, thing)
        one.vector = scene.vector(mind)  # Not even the vector tells them apart.
        fired += sys1.settle(mind, a_group(READ, candidate)).choice is not None
        pairs += 1
        mind.present, mind.pain, mind.felt, thing.props = before
    assert (pairs, fired) == (1000, 0)


@pytest.mark.parametrize(
    ("rate", "historical", "verdict"),
    [
        (1000, 1000, "keep"), (910, 1000, "keep"), (900, 1000, "warning"), (801, 1000, "warning"), (800, 1000, "demoted"),
        (600, 1000, "demoted"), (599, 1000, "removed"), (550, 600, "demoted"), (190, 200, "removed"), (600, 600, "keep"),
        (730, 600, "promote"), (720, 600, "keep"), (0, 0, "removed"), (500, 0, "demoted"),
    ],
)  # fmt: skip
def test_the_verdict_follows_the_relative_drop(rate: int, historical: int, verdict: str) -> None:
    assert intuition.judge(rate, historical, 200, 600) == verdict


def use(mind: Mind, name: str, good: bool) -> None:
    deed = a_deed(mind, "start:gaze_window", fired=name)
    lived(mind, deed, "done" if good else "failed:x", 600 if good else 300)


def test_confidence_counts_what_it_was_formed_from_and_is_never_the_mean_reward() -> None:
    mind = a_mind()
    one = an_intuition(mind, GAZE, uses=4, good=4)
    assert intuition.confidence(one) == 1000 * 5 // 6
    use(mind, one.id, True)
    assert intuition.confidence(one) == 1000 * 6 // 7
    use(mind, one.id, False)
    assert intuition.confidence(one) == 1000 * 6 // 8


def test_a_warning_damps_and_keeping_lifts_it() -> None:
    mind = a_mind()
    one = an_intuition(mind, GAZE, uses=40, good=40)
    for good in [True] * 9 + [False]:
        use(mind, one.id, good)
    assert (one.status, one.d) == (WARNING, 900)
    for _ in range(10):
        use(mind, one.id, True)
    assert (one.status, one.d) == (ACTIVE, 1000)


@pytest.mark.parametrize("good_before", [4, 10, 17, 30, 60])
@pytest.mark.parametrize("still_right", [0, 250, 500])
def test_a_habit_gone_wrong_is_degraded_within_twenty_uses(good_before: int, still_right: int) -> None:
    """Whatever the history, and even if it still works half of the time."""
    mind = a_mind()
    mind.settings["s5"] = False  # S5 would only make it sooner.
    chance = Chance(good_before)
    one = an_intuition(mind, GAZE)
    for _ in range(good_before):
        use(mind, one.id, True)
    uses = 0
    while one.id in mind.inner.library and one.status in (ACTIVE, WARNING) and uses < 21:
        use(mind, one.id, chance.below("right", str(uses), 1000) < still_right)
        uses += 1

    assert uses <= 20
    assert one.id not in mind.inner.library or one.status == DEMOTED


def test_a_demoted_one_comes_back_by_twenty_good_shadow_cases_and_ten_without_a_failure() -> None:
    mind = a_mind()
    one = an_intuition(mind, GAZE, uses=20, good=20)
    one.status = DEMOTED
    seen = []
    for case in range(60):
        deed = a_deed(mind, "start:gaze_window")
        deed.shadows = [one.id]
        lived(mind, deed, "done" if case not in (3, 9, 24) else "failed:x", 600 if case not in (3, 9, 24) else 300)
        seen.append(one.status)
        if one.status == ACTIVE:
            break

    assert seen[18] == DEMOTED
    assert seen[19] == RECOVERING, "18 of 20 were good"
    assert seen[24] == DEMOTED, "one failure while recovering"
    assert seen[44] == RECOVERING
    assert (len(seen), seen[-1]) == (55, ACTIVE)


def test_the_recovered_one_counts_only_its_shadow_cases() -> None:
    mind = a_mind()
    one = an_intuition(mind, GAZE, uses=100, good=20)
    one.status = DEMOTED
    for case in range(30):
        deed = a_deed(mind, "start:gaze_window")
        deed.shadows = [one.id]
        lived(mind, deed, "done" if case != 3 else "failed:x", 600 if case != 3 else 300)

    assert one.status == ACTIVE
    assert one.base == [30, 29]
    assert intuition.confidence(one) == 1000 * 30 // 32


def test_an_unwell_library_has_every_intuition_verified() -> None:
    mind = a_mind()
    one = an_intuition(mind, GAZE, uses=10, good=10)
    one.uses = [(mind.tick, good, 0) for good in (0, 0, 1, 0)]
    others = [an_intuition(mind, replace(GAZE, task=task)) for task in ("rest_seat", "read_book", "listen_radio")]
    for each in others:
        each.status, each.base = DEMOTED, [10, 1]

    intuition.examine(mind)

    assert one.id not in mind.inner.library


def test_baselines_settle_through_the_same_door() -> None:
    mind = a_mind()
    go_on = Candidate("c3", "commitment", "continue", "read_book")
    group = a_group(GAZE, go_on)
    mind.current = ""
    mind.settings["sys1"] = "fixed"
    assert sys1.settle(mind, group).choice == GAZE, "free: a practice first"
    mind.settings["sys1"] = "router"
    assert sys1.settle(mind, group).choice is None, "a lead of 10 is none"
    wide = (group[0], replace(group[1], score=group[0].score - 75))
    assert sys1.settle(mind, wide).choice == GAZE
    mind.settings["sys1"] = "none"
    assert sys1.settle(mind, wide).choice is None
