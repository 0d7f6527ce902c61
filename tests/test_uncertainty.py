"""Doubt: asked for, remembered, acted on; a rise of confidence must be earned; loops are seen by what is done."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent.candidates import Candidate
from agent.deeds import commitment_of
from agent.reply import Parsed
from agent.ruling import Progress
from agent.system2 import STEPS_BLOCK, STEPS_HOT
from agent.uncertainty import LOOP, WARM, Policy, carried, keep, looping, memories, policy_of, review
from logs.reader import open_log
from logs.writer import LogWriter
from sim import codec
from sim.declare import declare
from sim.replay import verify
from sim.session import run_trial
from tests.makers import a_declared, a_state
from trials.doubt import doubt, warnings
from trials.experiments import auq_reflection
from trials.trajectories import Trajectory, auroc, brier, ece, minimum, product, report

UAR = Policy("uar", 80, 3)


def answer(confidence: int | None, choice: str = "c1") -> Parsed:
    return Parsed("choose", choice, {"choice": choice}, "It is not known whether it is dry.", confidence)


def after(winner: int, *, first: int = 50, rounds: int = 1, **rest: Any) -> Progress:
    return Progress(rounds, 3, winner, winner, first=answer(first, rest.pop("before", "c2")), **rest)


def nothing(_tier: int) -> list[dict[str, Any]]:
    return []


def test_an_answer_that_is_sure_enough_stands_and_one_that_is_not_is_reflected_on() -> None:
    assert review(UAR, answer(80), Progress(), nothing).kind == "go"
    doubt = review(UAR, answer(79), Progress(), nothing)
    assert (doubt.kind, doubt.samples) == ("sample", 3)
    assert doubt.note["doubts"].startswith("It is not known")
    assert "memories" not in doubt.note


def test_what_a_commitment_has_carried_may_ask_for_a_reflection_of_a_sure_answer() -> None:
    mind = a_state().mind
    mind.sys2.validity["com-1"] = 60
    policy = replace(UAR, delta=70)

    assert review(carried(mind, policy, "com-1"), answer(95), Progress(), nothing).kind == "sample"
    assert review(carried(mind, policy, "com-2"), answer(95), Progress(), nothing).kind == "go"
    assert review(carried(mind, UAR, "com-1"), answer(95), Progress(), nothing).kind == "go"


def test_the_kind_of_trial_raises_tau_and_never_lowers_it() -> None:
    assert [policy_of({"uncertainty": "uar", "tau": tau, "stakes": kind}).tau for tau in (800, 950) for kind in ("usual", "high")] == [
        80, 90, 95, 95,
    ]  # fmt: skip
    declared = declare("near_tie", seed=101, overrides={"mind.uncertainty": "uar", "mind.stakes": "high", "mind.delta": 300})
    policy = policy_of(declared.declaration["mind"])
    assert (policy.tau, policy.delta) == (90, 30)


@pytest.mark.parametrize("mode", ["off", "uam"])
def test_a_mode_that_does_not_act_never_acts(mode: str) -> None:
    assert review(Policy(mode), answer(1), Progress(), nothing).kind == "go"


def test_a_missing_confidence_is_not_made_up() -> None:
    assert review(UAR, answer(None), Progress(), nothing).kind == "go"


def test_a_confident_majority_without_evidence_does_not_overturn_the_first_answer() -> None:
    split = review(UAR, answer(95), after(95, rounds=3, pooled=66), nothing)
    assert (split.kind, split.reason) == ("keep", "unearned")
    agreed = review(UAR, answer(95), after(95, unanimous=True, pooled=100), nothing)
    assert (agreed.kind, agreed.reason) == ("go", "reflected")
    against = review(UAR, answer(95), after(95, rounds=3, unanimous=True, pooled=50), nothing)
    assert against.kind == "keep"


def test_new_evidence_may_confirm_what_was_thought() -> None:
    confirmed = review(UAR, answer(90), after(90, rounds=2, before="c1", widened=True, pooled=66), nothing)
    assert confirmed.kind == "go"


def test_memory_is_widened_from_the_second_round_on_and_never_in_live_pace() -> None:
    def found(tier: int) -> list[dict[str, Any]]:
        return [{"tier": tier}]

    second = review(UAR, answer(50), after(50, pooled=34), found)
    assert second.note["memories"] == [{"tier": 1}]
    still = review(Policy("uar", 80, 3, expand=False), answer(50), after(50, pooled=34), found)
    assert "memories" not in still.note


def test_there_are_three_reflections_at_most() -> None:
    assert review(UAR, answer(50), after(50, rounds=2, pooled=34), nothing).kind == "sample"
    assert review(UAR, answer(50), after(50, rounds=3, pooled=34), nothing).kind == "keep"
    assert review(Policy("uar", 80, end="fallback"), answer(50), after(50, rounds=3, pooled=34), nothing).end == "fallback"


def test_the_window_keeps_the_last_k_and_the_validity_of_a_commitment_never_rises() -> None:
    mind = a_state().mind
    mind.settings |= {"k": 5}
    mind._params = mind._params or a_state().mind.params
    from agent.commitments import Commitment

    mind.commitments["com-1"] = Commitment("com-1", "intention", "read_book", "goal", {}, 0)
    for at, sure in enumerate((90, 60, 95, 70, 80, 99, 98)):
        mind.tick = at
        keep(mind, f"start:{at}", sure, "It may rain.", "com-1")
    assert [step.action for step in mind.sys2.window] == [f"start:{at}" for at in range(2, 7)]
    assert mind.sys2.validity == {"com-1": 60}


def test_every_step_can_be_had_again_and_old_ones_are_packed() -> None:
    mind = a_state().mind
    count = STEPS_HOT + 3 * STEPS_BLOCK + 7
    for at in range(count):
        mind.tick = at
        keep(mind, f"start:{at}", at % 101, "It may rain.", "")
    again = codec.decode(json.loads(json.dumps(codec.encode(mind.sys2))))

    assert len(mind.sys2.steps.packed) == 3
    assert [step.tick for step in again.steps] == list(range(count))
    assert list(again.steps) == list(mind.sys2.steps)
    assert [row["did"] for row in memories(mind, 1, (), ())] == [f"start:{at}" for at in range(count - WARM, count - 6)]


def test_a_loop_is_seen_by_what_is_done_and_not_by_how_sure_it_is() -> None:
    mind = a_state().mind
    for _ in range(LOOP - 1):
        assert not looping(mind, "start:inspect")
        keep(mind, "start:inspect", 90, "", "")
    assert looping(mind, "start:inspect")
    assert not looping(mind, "start:rest")


def test_a_run_with_doubt_is_recorded_verified_and_counted(tmp_path: Path) -> None:
    overrides = {
        "model.provider": "scripted", "model.reporter": {"hard": 600, "noise": 5}, "mind.uncertainty": "both", "mind.tau": 800,
        "model.types": ["choose"],
    }  # fmt: skip
    result = run_trial(declare("near_tie", seed=101, overrides=overrides), out=tmp_path / "sure")
    with open_log(Path(result["log"])) as reader:
        rows = list(reader.records())

    steps = [row["data"] for row in rows if row["kind"] == "step"]
    parts = [row["data"]["what"] for row in rows if row["kind"] == "part"]
    assert steps
    assert all(0 <= step["confidence"] <= 100 for step in steps)
    assert parts.count("sample") >= 3
    assert any(row["data"]["context"]["state"].get("recent_steps") for row in rows if row["kind"] == "request")
    assert verify(Path(result["log"]))["ok"]
    told = doubt(Path(result["log"]))
    assert told is not None
    assert told["steps"] == len(steps)
    sampled = [row["id"].partition(".")[0] for row in rows if row["kind"] == "part" and row["data"]["what"] == "sample"]
    assert told["reflected"] == len(set(sampled))
    assert told["calls_per_request"] > 1


def test_a_favour_that_is_asked_is_no_step_of_what_one_was_doing() -> None:
    mind = a_state().mind
    mind.current = "com-4"

    assert commitment_of(mind, Candidate("c", "person", "ask_help", "open", person=2)) == ""
    assert commitment_of(mind, Candidate("c", "person", "refuse", matter="mat-1", person=2)) == ""
    assert commitment_of(mind, Candidate("c", "goal", "start", "read_book")) == "com-4"
    assert commitment_of(mind, Candidate("c", "goal", "continue", "read_book", commitment="com-3")) == "com-3"


def test_trajectories_that_have_not_ended_are_told_apart(tmp_path: Path) -> None:
    declared = declare("near_tie", seed=101, overrides={"mind.uncertainty": "uam"})
    step = {"observation": "", "action": "start:read_book", "confidence": 70, "explanation": "", "validity": 70}
    rows: list[dict[str, Any]] = [{"kind": "step", "id": name, "data": step} for name in ("com-1", "com-1", "com-2", "com-3", "")]
    rows += [{"kind": "task", "id": "com-1", "data": {"state": "done"}}, {"kind": "task", "id": "com-2", "data": {"state": "replaced"}}]
    writer = LogWriter.create(tmp_path / "open", {**declared.header(), "heavy": False})
    writer.append(1, rows)
    writer.seal({"status": "stopped"}, tick=2)

    told = doubt(tmp_path / "open.jsonl.zst")

    assert told is not None
    assert {key: told[key] for key in ("n", "success", "unfinished", "set_aside", "steps", "without_commitment")} == {
        "n": 1, "success": 1.0, "unfinished": 1, "set_aside": 1, "steps": 5, "without_commitment": 1,
    }  # fmt: skip


def test_a_run_without_doubt_has_no_report_and_a_lasting_one_has_a_warning(tmp_path: Path) -> None:
    result = run_trial(a_declared(minutes=2), out=tmp_path / "plain")
    assert doubt(Path(result["log"])) is None
    assert warnings([50] * 10, [3, 3, 3], {"req-1": 9}, 80) == ["lasting_low_confidence", "reflection_loops", "cost_explosion"]
    assert warnings([50] * 9 + [90], [3, 3, 1], {"req-1": 3}, 80) == []


def test_measures_of_trajectories_are_what_they_are_by_hand() -> None:
    found = [Trajectory((90, 80), True), Trajectory((90, 40), False), Trajectory((100, 100), True)]
    assert [minimum(one) for one in found] == [0.8, 0.4, 1.0]
    assert product(found[0]) == pytest.approx(0.72)
    assert ece([0.8, 0.4, 1.0], [True, False, True]) == pytest.approx((0.2 + 0.4 + 0.0) / 3)
    assert brier([0.8, 0.4], [True, False]) == pytest.approx((0.04 + 0.16) / 2)
    assert auroc([0.8, 0.4, 1.0], [True, False, True]) == 1.0
    assert auroc([0.5, 0.5], [True, False]) == 0.5
    assert auroc([0.5, 0.6], [True, True]) is None
    assert ece([], []) is None
    assert report([*found, Trajectory((), False, 2)])["without_confidence"] == 2


def test_reflection_meets_its_closed_forms_and_a_deluded_reporter_costs_little() -> None:
    lines = list(auq_reflection.run(count=60, seeds=3))
    assert [each["claim"] for each in lines if not each["pass"] and each["interval"] is None] == []
    # So few trajectories make wide intervals; their middles hold all the same.
    measured = {each["claim"]: each["measured"] for each in lines if each["interval"] is not None}
    assert all(value <= 0.5 for claim, value in measured.items() if "ECE" in claim)
    assert all(value > 0.3 for claim, value in measured.items() if "rise" in claim)
    assert measured["fall of success by acting on a deluded reporter"] <= auq_reflection.FALL_MAX


def test_tau_is_chosen_on_training_seeds_alone_and_the_cheaper_of_equals_wins() -> None:
    pairs = {tau: [auq_reflection.pair(11, auq_reflection.DEFAULTS, Policy("uar", tau), 12)] for tau in (80, 95)}
    assert auq_reflection.fitted(pairs) == 80
    assert not set(auq_reflection.TRAIN_SEEDS) & set(range(auq_reflection.TEST_SEED, auq_reflection.TEST_SEED + 100))


@pytest.mark.campaign
def test_reflection_in_full() -> None:
    assert all(each["pass"] for each in auq_reflection.run(quick=False))
