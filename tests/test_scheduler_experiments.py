"""The compute experiments run in little, say what they must say, and their statistics are right."""

from __future__ import annotations

import ast
import importlib
import inspect
from typing import Any

import pytest

from agent.scheduler.params import Params
from protocols.library import load_protocol
from sim.terminal import Fault
from trials.experiments import compute_arms as arms
from trials.experiments import compute_c7_budget, compute_room
from trials.experiments import compute_synth as synth
from trials.experiments import compute_ties as ties
from trials.experiments.compute_c3_shift import TURN, price, stream
from trials.experiments.compute_stats import compare, holm, ratio_interval

REPOSITORIES = arms.repositories(None)
QUICK = ("c1_routing", "c3_shift", "c5_reuse", "c6_actions")


@pytest.mark.parametrize("name", QUICK)
def test_an_experiment_runs_in_little(name: str) -> None:
    module: Any = importlib.import_module(f"trials.experiments.compute_{name}")

    lines = list(module.run(quick=True))

    assert lines
    assert [line["claim"] for line in lines if not line["pass"]] == []
    assert all(
        {"claim", "target", "expected_by_source", "measured", "interval", "pass"} <= set(line)
        for line in lines
    )


def test_an_experiment_repeats_to_the_last_digit() -> None:
    module = importlib.import_module("trials.experiments.compute_c5_reuse")

    assert list(module.run(quick=True)) == list(module.run(quick=True))


def test_a_placebo_keeps_what_steps_look_like_but_not_which_belongs_to_which() -> None:
    repos = arms.repositories(None)
    sessions = arms.draw(repos, [3], 0.3)[0][:15]

    same = arms.ours(sessions, Params()), arms.ours(sessions, Params())
    shuffled = arms.ours(sessions, Params(), placebo=5)

    assert same[0] == same[1]
    assert shuffled.steps == same[0].steps
    assert shuffled != same[0]


def test_training_and_test_seeds_do_not_meet() -> None:
    whole = arms.held_out(arms.TRAIN_FROM)
    latest = arms.training(1, after=arms.CONTROLS_FROM - arms.TRAIN_FROM - 1)

    assert set(whole).isdisjoint(range(arms.training(1)[0], latest[-1] + 1))
    assert arms.draw(REPOSITORIES, whole[:1], 0.3) != arms.draw(REPOSITORIES, arms.training(1), 0.3)
    with pytest.raises(Fault, match="would run into those for training"):
        arms.held_out(arms.TRAIN_FROM + 1)


@pytest.mark.parametrize("name", ["c1_routing", "c2_clusters", "c3_shift", "c4_noise", "c5_reuse", "c6_actions"])
def test_an_experiment_takes_its_seeds_from_the_two_ranges_only(name: str) -> None:
    source = inspect.getsource(importlib.import_module(f"trials.experiments.compute_{name}"))
    seeded = [node for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.comprehension, ast.Call)) and draws_seeds(node)]

    assert seeded
    assert [ast.unparse(node) for node in seeded if "held_out(" not in ast.unparse(node) and "training(" not in ast.unparse(node)] == []


def draws_seeds(node: ast.comprehension | ast.Call) -> bool:
    """Return whether *node* says which seeds are taken: `for seed in ...` and `arms.draw(...)`."""
    if isinstance(node, ast.comprehension):
        return isinstance(node.target, ast.Name) and node.target.id == "seed"
    return ast.unparse(node.func) == "arms.draw"


@pytest.mark.parametrize("room", [compute_c7_budget, compute_room])
def test_in_the_room_no_life_is_both_tuned_and_tested_on(room: Any) -> None:
    seeds = load_protocol(room.PROTOCOL).form["seeds"]
    tested = [*seeds["test"], *room.MORE_SEEDS]

    assert seeds["training"]
    assert set(tested).isdisjoint(seeds["training"])


def test_a_threshold_is_tuned_at_the_prices_it_is_judged_by() -> None:
    train = arms.draw(arms.repositories(None), [arms.TRAIN_FROM], 0.3)

    best = arms.tuned_threshold(train)

    costs = {limit: arms.price(arms.threshold(train[0], limit)) for limit in (best, best - 0.1, best + 0.1)}
    assert min(costs, key=lambda limit: costs[limit]) == best


def test_always_thinking_misses_only_where_thinking_fails() -> None:
    sessions = arms.draw(arms.repositories(None), [1], 0.3)[0]

    score = synth.run_always(sessions)

    failed = sum(step.critical() and step.luck >= synth.SUCCESS for each in sessions for step in each)
    assert score.miss == failed


def test_the_cue_really_turns_around() -> None:
    steps = stream(4)
    rule = [step.hint > 0.6 for step in steps]

    assert price(steps[:TURN], rule[:TURN]) * 3 < price(steps[TURN:], rule[TURN:])


def test_equal_arms_do_not_differ_and_unequal_ones_do() -> None:
    base = [float(i % 7) for i in range(20)]

    same = compare(base, base)
    lower = compare([value - 1 for value in base], base)

    assert (same.mean, same.p) == (0.0, 1.0)
    assert lower.high < 0
    assert lower.p < 0.01


def test_corrected_p_values_never_fall_below_the_raw_ones() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


def test_a_ratio_of_equals_is_one() -> None:
    assert ratio_interval([2.0, 3.0], [2.0, 3.0]) == (1.0, 1.0, 1.0)


def test_the_judge_of_ties_chooses_as_the_competent_model_does() -> None:
    found = ties.live("emergence", 11, 6, {"mind.sys1": "none"})

    assert found.calls > 2
    assert found.agreed == found.judged >= found.calls
    assert found.by_rule < found.judged, "in some ties it chooses otherwise than the rule"


def test_calls_are_compared_with_a_threshold_that_agrees_as_often() -> None:
    def lives(agreed: int, calls: int) -> list[ties.Ties]:
        return [ties.Ties(judged=10, agreed=agreed, calls=calls) for _ in range(4)]

    saving = compute_room.at_equal_agreement(lives(8, 4), [lives(5, 0), lives(7, 5), lives(10, 20)], days=1, quick=False)

    assert compute_room.read_off([(0.5, 0.0), (0.7, 5.0), (1.0, 20.0)], 0.8) == pytest.approx(10.0)
    assert saving["measured"].startswith("-6.00 (-60.0 %)")
    assert saving["pass"]
