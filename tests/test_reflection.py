"""The slow loop: dreams through the gate, hypotheses with both sides, goals at rest; and what it may never do."""

from __future__ import annotations

import json

from agent import ask_reflect, hypotheses, reflection, scene, thoughts
from agent.appraisal import remember
from agent.beliefs import CLAIMS_MAX
from agent.dream import dream, links
from agent.mind import Mind
from agent.params import DAY_MS
from agent.question import Question
from agent.reply import Parsed
from sim.chance import Chance
from tests.mind_cases import a_deed, awake, lived

PLACE = "alone/free/-/|window.open=0"


def a_mind() -> Mind:
    mind = awake().mind
    mind.settings["sys1"] = "intuition"
    mind.take_notes()
    return mind


def verdicts(mind: Mind) -> list[str]:
    return [str(data["verdict"]) for kind, _, data in mind.take_notes() if kind == "dream"]


def live_through(mind: Mind, times: int, outcome: str = "done", reward: int = 600, label: str = "start:gaze_window") -> None:
    for _ in range(times):
        lived(mind, a_deed(mind, label, PLACE), outcome, reward)


def test_four_independent_good_experiences_make_an_intuition_three_do_not() -> None:
    mind = a_mind()
    live_through(mind, 3)
    dream(mind)
    assert verdicts(mind) == ["frequency"]
    live_through(mind, 1)
    dream(mind)
    assert verdicts(mind) == ["formed"]
    one = next(iter(mind.inner.library.values()))
    assert (one.scene, one.label, one.outcome, one.supports) == (PLACE, "start:gaze_window", "done", [0, 1, 2, 3])
    assert len(one.description) <= 50
    assert links(mind, one)[0][0] == one.thoughts[0]


def test_retellings_of_one_event_are_one_origin() -> None:
    mind = a_mind()
    for _ in range(9):
        lived(mind, a_deed(mind, "start:gaze_window", PLACE), origin=-77)
    dream(mind)
    assert verdicts(mind) == ["frequency"]
    thought = next(iter(mind.inner.thoughts.values()))
    assert (thought.pros, thought.support) == (1, [-77])


def test_a_middling_reward_does_not_pass() -> None:
    mind = a_mind()
    live_through(mind, 8, reward=550)
    dream(mind)
    assert verdicts(mind) == ["reward"]


def test_what_an_l4_rule_forbids_does_not_pass() -> None:
    mind = a_mind()
    mind.persona = {**mind.persona, "rules": [{"id": "no_gazing", "kind": "forbid", "action": "look", "target_kind": ""}]}
    live_through(mind, 6)
    dream(mind)
    assert verdicts(mind) == ["conflict"]


def test_what_held_out_experiences_do_not_bear_out_does_not_pass() -> None:
    mind = a_mind()
    for at in range(9):
        deed = a_deed(mind, "start:gaze_window", PLACE)
        if at % 3 == 2:
            deed.vector = scene.pack([-value for value in scene.unpack(deed.vector)])
        lived(mind, deed)
    dream(mind)
    assert verdicts(mind) == ["held_out"]


def test_what_the_gate_turned_down_is_noticed_again_when_it_goes_well_later() -> None:
    mind = a_mind()
    live_through(mind, 8, "failed:x", 300)
    dream(mind)
    assert verdicts(mind) == ["reward"]
    live_through(mind, 1)
    # One pattern of many in its cluster: S3 speaks for the commonest only, so S1 has to tell of it again.
    for cluster in mind.inner.clusters.values():
        cluster.patterns["elsewhere>start:read_book"] = 1000
    live_through(mind, 12)
    dream(mind)
    assert "formed" in verdicts(mind)


def test_a_removed_pattern_has_to_earn_its_place_anew() -> None:
    mind = a_mind()
    live_through(mind, 5)
    dream(mind)
    one = next(iter(mind.inner.library.values()))
    for _ in range(11):
        lived(mind, a_deed(mind, "start:gaze_window", PLACE, fired=one.id), "failed:x", 300)
    assert not mind.inner.library
    dream(mind)
    assert not mind.inner.library
    live_through(mind, 40)
    dream(mind)
    assert [each.supports[0] > 5 for each in mind.inner.library.values()] == [True]


def test_a_reflection_repeated_a_hundred_times_gains_nothing() -> None:
    mind = a_mind()
    live_through(mind, 4, "failed:x", 300)
    live_through(mind, 1)
    first = hypotheses.revise(mind)
    assert [(one.pros, one.cons, one.confidence) for one in first] == [(4, 1, 1000 * 5 // 7)]
    before = json.dumps(mind.inner.row())
    for _ in range(100):
        assert hypotheses.revise(mind) == []
    assert json.dumps(mind.inner.row()) == before


def reflected(mind: Mind, support: list[int], against: list[int], confidence: int) -> tuple[str, list[int]]:
    """Let a model answer; return why it is not taken, "" if it is, and [for, against, confidence] of what then stands."""
    question = Question("reflect", "slow_loop", {"theme": "task:gaze_window"})
    named = {"support": [f"exp-{at}" for at in support], "against": [f"exp-{at}" for at in against]}
    answer = Parsed("reflect", "method", fields={"influence": "method", "confidence": confidence, **named})
    why = ask_reflect.infeasible(mind, question, answer)
    if not why:
        ask_reflect.enact(mind, question, answer)
    (held,) = (one for one in mind.inner.thoughts.values() if one.kind == "reflection")
    return why, [held.pros, held.cons, held.confidence]


def test_a_models_reflection_repeated_a_hundred_times_gains_nothing_and_new_counter_evidence_counts() -> None:
    mind = a_mind()
    live_through(mind, 4, "failed:x", 300)
    live_through(mind, 2)
    assert reflected(mind, [0, 1, 2], [4], 60) == ("", [3, 1, 600])
    for turn in range(100):
        # However sure it says it is, and on whichever side it now puts what it has named before.
        told = (([0, 1, 2], [4], 99), ([2, 1], [4], 60), ([4], [0], 99))[turn % 3]
        assert reflected(mind, *told) == ("nothing_new", [3, 1, 600])
    assert reflected(mind, [0], [4, 5], 60) == ("", [3, 2, 571]), "counter-evidence alone is news enough"
    assert len([one for one in mind.inner.thoughts.values() if one.kind == "reflection"]) == 1


def test_thoughts_are_bounded_and_what_an_intuition_stems_from_is_kept() -> None:
    mind = a_mind()
    live_through(mind, 4)
    dream(mind)
    (one,) = mind.inner.library.values()
    for number in range(thoughts.THOUGHTS_MAX + 50):
        thoughts.learn(mind, f"start:{number}", "alone/", mind.new_origin(), True, scene.vector(mind))
    assert len(mind.inner.thoughts) == thoughts.THOUGHTS_MAX
    assert links(mind, one), "the trace of an intuition is not forgotten"


def test_what_was_said_is_kept_in_bounds() -> None:
    mind = a_mind()
    for _ in range(3):
        mind.beliefs.hear("said:75:rain", 75)
    for number in range(1000):
        mind.beliefs.hear(f"said:75:{number}", 75)
    assert len(mind.beliefs.claims) == CLAIMS_MAX
    assert mind.beliefs.claims["said:75:rain"].told == 3


def test_two_bad_events_are_not_enough_and_a_major_one_founds_a_faint_hypothesis() -> None:
    mind = a_mind()
    live_through(mind, 2, "failed:x", 300)
    assert hypotheses.revise(mind) == []
    remember(mind, "promise", "bring", "broken", 250, 500, 9, "own", (), (75,))
    (found,) = hypotheses.revise(mind)
    assert (found.pros, found.settled, found.influence) == (1, False, "trust_of_person")
    assert found.confidence <= hypotheses.MAJOR_MAX


def test_counter_evidence_is_always_fetched_where_it_exists() -> None:
    chance = Chance(2)
    for case in range(60):
        mind = a_mind()
        bad_at = chance.below("bad", str(case), 300)
        for at in range(300):
            mind.tick += 600
            remember(mind, "task", "tidy_up", "done", 300 if at == bad_at else 620, 300, -at - 1, "own", (12,), ())
        found = mind.memory.recall(("tidy_up", 12), mind.tick, 6)
        assert any(one.ordinal == bad_at for one in found)


def goal(mind: Mind, at: int = 0) -> str:
    return str(mind.persona["goals"][at]["id"])


def test_a_goal_without_a_task_for_seven_days_is_paused_then_read_again_then_ended() -> None:
    mind = a_mind()
    name = goal(mind)
    day = mind.ticks(DAY_MS)
    seen = []
    for _ in range(40):
        mind.tick += day
        reflection.slow_loop(mind, "sleep", asleep=True)
        seen.append(mind.goals.get(name, ("active", -1))[0])
    assert seen[5] == "active"
    assert seen[6] == "paused"
    assert seen[13] == "active", "read again: its tasks can be done"
    assert "paused" in seen[14:]


def test_at_most_three_goals_change_in_one_pass() -> None:
    mind = a_mind()
    goals = [{**mind.persona["goals"][0], "id": f"goal{n}"} for n in range(8)]
    mind.persona = {**mind.persona, "goals": goals}
    mind.tick += mind.ticks(8 * DAY_MS)
    reflection.slow_loop(mind, "sleep", asleep=True)
    assert sum(state == "paused" for state, *_ in mind.goals.values()) == 3


def test_bad_days_and_quarrels_change_no_core_value() -> None:
    """Property: whatever a day brings, the persona is the same to the last letter, and no goal is called done."""
    chance = Chance(8)
    mind = a_mind()
    before = json.dumps(mind.persona, sort_keys=True)
    for case in range(300):
        word = str(case)
        good = chance.below("good", word, 10) == 0
        remember(
            mind, ("task", "promise", "act", "speech")[chance.below("kind", word, 4)],
            ("tidy_up", "take", "give")[chance.below("what", word, 3)],
            "done" if good else "broken", 700 if good else 100, 600, -10_000 - case, "own", (12,), (75,),
        )  # fmt: skip
        mind.relations.person(75).learn("conduct", -75)
        mind.tick += mind.ticks(DAY_MS // 10)
        reflection.if_due(mind)
        reflection.slow_loop(mind, "sleep", asleep=True)
    assert json.dumps(mind.persona, sort_keys=True) == before
    assert {state for state, *_ in mind.goals.values()} <= {"active", "paused", "ended"}
    assert all(abs(shift) <= reflection.EFFORT_MAX for shift, _, _ in mind.inner.efforts.values())


def test_a_major_event_calls_for_a_pass_and_they_keep_their_distance() -> None:
    mind = a_mind()
    passes = []
    for _ in range(48):
        mind.tick += mind.ticks(DAY_MS // 24)
        remember(mind, "promise", "bring", "broken", 250, 500, mind.new_origin(), "own", (), (75,))
        assert reflection.next_due(mind)
        reflection.if_due(mind)
        passes += [data["why"] for kind, _, data in mind.take_notes() if kind == "reflection"]
    assert len(passes) == 8
    assert all(str(why).startswith("major:exp-") for why in passes)


def test_a_thought_is_settled_by_three_independent_events() -> None:
    mind = a_mind()
    for expected in (False, False, True):
        thought = thoughts.learn(mind, "start:x", "alone/", mind.new_origin(), True, scene.vector(mind))
        assert thought.settled is expected
