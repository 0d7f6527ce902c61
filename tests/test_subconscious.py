"""The five modules, each for what it is for: S1 tells once, S2 warms without recalling, S3 counts past windows, S4 and S5 object."""

from __future__ import annotations

import json

import pytest

from agent import scene, thoughts
from agent.appraisal import remember
from agent.arbiter import arbitrate
from agent.attraction import Scored
from agent.candidates import Candidate
from agent.mind import Mind
from agent.percept import Percept
from agent.reply import Parsed
from agent.reviews import review
from agent.ruling import Progress
from agent.subconscious import conflict_warning, emotion, implicit_learning, pattern_monitor, preactivation
from agent.uncertainty import Policy
from sim.build import restore, snapshot
from sim.chance import Chance
from tests.makers import a_declared
from tests.mind_cases import a_deed, awake, lived, ordinal_of

ACTIONS = ["start:read_book", "read"]
OUTCOME = [100, 20, 0, *[0] * 9]


def a_mind(**settings: object) -> Mind:
    mind = awake().mind
    mind.settings.update(settings)
    return mind


def noted(mind: Mind, kind: str) -> list[dict[str, object]]:
    return [data for name, _, data in mind.take_notes() if name == kind]


# --- S1 -------------------------------------------------------------------------------------------------------------


def test_s1_tells_once_and_only_at_the_third_repeat() -> None:
    mind = a_mind()
    assert [implicit_learning.learn(mind, "p>a") for _ in range(6)] == [False, False, True, False, False, False]
    assert len(noted(mind, "pattern")) == 1


def test_s1_switched_off_keeps_nothing() -> None:
    mind = a_mind(s1=False)
    assert not any(implicit_learning.learn(mind, "p>a") for _ in range(6))
    assert not mind.inner.latent


def test_s1_forgets_the_oldest_that_never_came_again() -> None:
    mind = a_mind()
    implicit_learning.learn(mind, "kept>a")
    for number in range(mind.params.latent_max + 10):
        implicit_learning.learn(mind, "kept>a")
        implicit_learning.learn(mind, f"{number}>a")
    assert len(mind.inner.latent) <= mind.params.latent_max
    assert mind.inner.latent["kept>a"].count > 3000


# --- S2 -------------------------------------------------------------------------------------------------------------


def remembered(mind: Mind, count: int) -> None:
    """Fill the memory with *count* ordinary experiences of a year, unevenly."""
    chance = Chance(9)
    for at in range(count):
        name = str(at)
        mind.tick = at * 900
        action = f"act{min(chance.below('a', name, 40), chance.below('a', name, 40))}"
        things = (10 + chance.below("t", name, 60), 10 + chance.below("u", name, 60))
        persons = (75,) if chance.below("p", name, 3) == 0 else ()
        remember(
            mind, "task", action, "done", 300 + chance.below("r", name, 500), 150 + chance.below("i", name, 350), -at - 1, "own",
            things, persons,
        )  # fmt: skip
    mind.take_notes()


def test_s2_scores_a_tenth_at_most_and_finds_the_same_five_among_ten_thousand() -> None:
    mind = a_mind()
    remembered(mind, 10_000)
    chance = Chance(4)
    wanted = hits = 0
    before = mind.inner.serials.get(preactivation.SCORED, 0)
    for query in range(200):
        about = (75, 10 + chance.below("t", str(query), 60))
        actions = (f"act{chance.below('a', str(query), 40)}", f"act{chance.below('b', str(query), 40)}")
        cues = preactivation.cues_of(about, actions, mind.params.cues)
        full = [at for _, at in mind.memory.rank(range(len(mind.memory.items)), cues, mind.tick, 5)]
        preactivation.recall(mind, about, actions, 5)
        found = [at for _, at in mind.memory.rank(mind.inner.warm, cues, mind.tick, 5)]
        wanted, hits = wanted + len(full), hits + len(set(full) & set(found))
    scored = (mind.inner.serials[preactivation.SCORED] - before) / 200

    assert scored <= 1000, f"{scored} of 10,000 scored"
    assert hits / wanted >= 0.98, f"recall {hits / wanted:.4f}"


def test_warming_is_no_recall() -> None:
    mind = a_mind()
    remembered(mind, 200)
    head, row = mind.memory.head, json.dumps([one.row() for one in mind.memory.items[:]])
    preactivation.arrived(mind, Percept(1, mind.tick, "sound", "speech", doer=75, data={"action": "act3", "target": 12}))

    assert mind.inner.warm
    assert mind.memory.head == head
    assert json.dumps([one.row() for one in mind.memory.items[:]]) == row
    assert preactivation.CALLS not in mind.inner.serials


def test_the_pool_is_capped_and_cools_down() -> None:
    mind = a_mind()
    remembered(mind, 2000)
    for number in range(40):
        preactivation.warm(mind, (f"act{number}", 75))
    assert 0 < len(mind.inner.warm) <= mind.params.warm_max
    mind.tick += mind.ticks(mind.params.warm_ms)
    preactivation.warm(mind, ("never",))
    assert not mind.inner.warm


def test_s2_off_finds_the_same_and_scores_everything() -> None:
    mind, off = a_mind(), a_mind(s2=False)
    for each in (mind, off):
        remembered(each, 3000)
    found = [[one.ordinal for one in preactivation.recall(each, (75, 12), ("act1",), 6)] for each in (mind, off)]
    assert found[0] == found[1]
    assert off.inner.serials[preactivation.SCORED] == len(off.memory.items)
    assert mind.inner.serials[preactivation.SCORED] <= mind.params.warm_max


# --- S3 -------------------------------------------------------------------------------------------------------------


def feed(mind: Mind, pattern: str, times: int, *, told: bool = False) -> None:
    for _ in range(times):
        pattern_monitor.monitor(mind, pattern, scene.vector(mind), ACTIONS, OUTCOME, told)


def test_s3_nominates_at_three_and_once_per_growth_step() -> None:
    mind = a_mind()
    feed(mind, "p>a", 12)
    assert [each["count"] for each in noted(mind, "pattern")] == [3]
    mind.inner.nominations.clear()  # A dream has taken it.
    feed(mind, "p>a", 7)
    assert [each["count"] for each in noted(mind, "pattern")] == [15]


def test_s3_counts_outlive_any_window_of_recent_ones() -> None:
    mind = a_mind()
    feed(mind, "p>a", 2)
    for number in range(150):
        pattern_monitor.monitor(mind, f"{number}>b", scene.pack([number - 70] * scene.SIZE), [f"x{number}"], [-100] * 12, False)
    noted(mind, "pattern")
    feed(mind, "p>a", 1)
    assert [each["pattern"] for each in noted(mind, "pattern")] == ["p>a"]


def test_s3_similarity_is_the_declared_sum() -> None:
    mind = a_mind()
    feed(mind, "p>a", 1)
    cluster = next(iter(mind.inner.clusters.values()))
    values = scene.unpack(scene.vector(mind))
    assert pattern_monitor.similarity(cluster, values, ACTIONS, OUTCOME) in (999, 1000)
    half = pattern_monitor.similarity(cluster, values, ["start:read_book", "other"], OUTCOME)
    assert half in (799, 800), ".5 + .3 * 1/3 + .2"
    assert pattern_monitor.similarity(cluster, values, ["quite", "other"], OUTCOME) == 0


def test_a_small_pattern_in_a_large_cluster_needs_s1() -> None:
    """Without S1's word the commonest pattern hides it; that is what S1 adds."""
    for s1, expected in ((True, True), (False, False)):
        mind = a_mind(s1=s1)
        for place in (["common|"] * 5 + ["rare|"]) * 4:
            lived(mind, a_deed(mind, place=place))
        assert ("rare|>start:read_book" in mind.inner.nominations) is expected


def test_s3_off_nominates_nothing() -> None:
    mind = a_mind(s3=False)
    for _ in range(9):
        lived(mind, a_deed(mind))
    assert not mind.inner.nominations
    assert not mind.inner.clusters


# --- S4 -------------------------------------------------------------------------------------------------------------

READ = Candidate("c1", "explore", "start", "read_book")
LOOK = Candidate("c2", "explore", "start", "look_around")


def went_badly(mind: Mind, label: str, times: int = 5) -> None:
    for _ in range(times):
        lived(mind, a_deed(mind, label), "failed:x", 480)


def test_a_leader_against_a_strong_belief_first_looks_once() -> None:
    mind = a_mind()
    went_badly(mind, "start:read_book")
    ranked = [Scored(READ, {}, 700), Scored(LOOK, {}, 100)]

    first, second = arbitrate(mind, ranked), arbitrate(mind, ranked)

    assert (first.choice, first.label) == (LOOK, "observe_first")
    assert first.conflicts[0].startswith("belief:")
    assert second.choice == READ, "or nothing that ever failed would be tried again"


def test_a_belief_below_the_threshold_does_not_object_but_does_under_warning() -> None:
    mind = a_mind()
    went_badly(mind, "start:read_book", 3)
    lived(mind, a_deed(mind))
    assert thoughts.against(mind, "start:read_book", False)[1] == 1000 * 4 // 6  # type: ignore[index]
    assert not conflict_warning.conflicts(mind, READ)
    assert conflict_warning.conflicts(mind, READ, warned=True)


def test_new_good_experience_lifts_an_objection() -> None:
    mind = a_mind()
    went_badly(mind, "start:read_book")
    assert conflict_warning.conflicts(mind, READ)
    for _ in range(6):
        lived(mind, a_deed(mind))
    assert not conflict_warning.conflicts(mind, READ)


def test_an_objection_fades_by_halves_and_is_back_with_the_next_bad_experience() -> None:
    mind = a_mind()
    went_badly(mind, "start:read_book", 9)
    label, rest = "start:read_book", mind.ticks(mind.params.objection_rest_ms)
    strengths = []
    for _ in range(3):
        strengths.append(thoughts.against(mind, label, False)[1])  # type: ignore[index]
        mind.tick += rest
    assert strengths == [900, 700, 600]
    assert not conflict_warning.conflicts(mind, READ), "or what was objected to once would never be found to go well again"
    went_badly(mind, label, 1)
    assert conflict_warning.conflicts(mind, READ)


def test_time_makes_no_objection_out_of_what_goes_well() -> None:
    mind = a_mind()
    for _ in range(5):
        lived(mind, a_deed(mind))
    before = thoughts.against(mind, "start:read_book", False)[1]  # type: ignore[index]
    mind.tick += 10 * mind.ticks(mind.params.objection_rest_ms)
    assert thoughts.against(mind, "start:read_book", False)[1] == before < 500  # type: ignore[index]


@pytest.mark.parametrize(("s4", "kinds"), [(True, ["reask", "go"]), (False, ["go", "go"])])
def test_a_reply_against_a_belief_is_asked_once_more_and_then_stands(s4: bool, kinds: list[str]) -> None:
    mind = a_mind(s4=s4, s5=False)
    went_badly(mind, "start:read_book")
    answer = Parsed("choose", "c1")
    verdicts = [review(mind, None, Policy(), (READ, LOOK), answer, Progress(reasked=again)) for again in (False, True)]

    assert [each.kind for each in verdicts] == kinds
    if s4:
        assert verdicts[0].constraints[0].startswith("belief:")
        assert verdicts[0].stands


# --- S5 -------------------------------------------------------------------------------------------------------------


def test_a_bad_feeling_asks_a_reply_once_more() -> None:
    mind = a_mind(s4=False)
    for _ in range(4):
        lived(mind, a_deed(mind), "done", 300)
    assert emotion.valence(mind, "start:read_book", scene.vector(mind)) == -400
    verdicts = [review(mind, None, Policy(), (READ, LOOK), Parsed("choose", "c1"), Progress(reasked=again)) for again in (False, True)]
    assert [each.kind for each in verdicts] == ["reask", "go"]


def test_no_history_is_neutral_and_the_threshold_is_strict() -> None:
    mind = a_mind()
    assert emotion.valence(mind, "start:never", scene.vector(mind)) == 0
    for _ in range(4):
        emotion.remember(mind, "start:x", scene.vector(mind), 375)
    assert emotion.valence(mind, "start:x", scene.vector(mind)) == -250
    assert not emotion.uneasy(mind, "start:x", scene.vector(mind))


def test_the_history_of_feelings_is_bounded() -> None:
    mind = a_mind()
    for number in range(3000):
        emotion.remember(mind, f"label{number % 90}", scene.vector(mind), 600)
        mind.tick += 1
    assert mind.inner.felt_count == sum(map(len, mind.inner.felt.values())) <= mind.params.felt_max


def test_the_deep_mind_survives_a_snapshot_whole() -> None:
    state = awake()
    mind = state.mind
    for _ in range(5):
        lived(mind, a_deed(mind))
        lived(mind, a_deed(mind, "start:gaze_window"), "failed:x", 300)
    preactivation.warm(mind, ("read_book", ordinal_of(mind, "window")))
    saved = json.loads(json.dumps(snapshot(state)))

    assert snapshot(restore(saved, a_declared().room)) == saved
