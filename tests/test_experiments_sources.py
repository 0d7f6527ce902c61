"""The sources' experiments run, say what they measured beside what was expected, and hold where the claim is ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Ran
from trials.commands import experiments
from trials.experiments import (
    ablation,
    auq_arms,
    channels,
    intuition_vs_model,
    memory_tiers,
    ninety_days,
    preactivation,
    switching,
    traceability,
)

# Experiments that other files run in little, whole or as samples; every other one is run here.
ELSEWHERE = {
    "auq_reflection": "test_uncertainty.py", "conformance": "test_scheduler_conformance.py", "determinism": "test_campaigns_house.py",
    "veil": "test_campaigns_house.py", "kills": "test_campaigns_house.py", "near_tie": "test_campaigns_house.py",
    "life": "test_campaigns_house.py", "endpoints": "test_campaigns_house.py", "hostile_replies": "test_hostile_campaigns.py",
    "hostile_texts": "test_hostile_campaigns.py", "transports": "test_hostile_campaigns.py",
    "cluster": "test_trials_campaign.py", "kills_batch": "test_trials_campaign.py",
    **{f"compute_{name}": "test_scheduler_experiments.py" for name in ("c1", "c3", "c5", "c6")},
}  # fmt: skip
HERE = (
    "ablation", "auq_arms", "channels", "intuition_vs_model", "memory_tiers", "ninety_days", "preactivation", "switching", "traceability",
)  # fmt: skip
"""Run by a test of their own below."""
IN_LITTLE = sorted({module.NAME for module in experiments()} - ELSEWHERE.keys() - set(HERE))
KEYS = {"claim", "target", "expected_by_source", "measured", "interval", "pass"}


def lines(module: Any, **more: Any) -> dict[str, dict[str, Any]]:
    found = {each["claim"]: each for each in module.run(quick=True, **more)}
    assert found
    assert all(each.keys() >= KEYS for each in found.values())
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_LITTLE)
def test_an_experiment_runs_in_little_and_prints_a_line_for_each_claim(name: str) -> None:
    module = next(each for each in experiments() if name == each.NAME)

    assert lines(module)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("kills", "--count", "3"), "kills takes no --count"),
        (("memory_tiers", "--cases", "README.md"), "memory_tiers takes no --cases"),
        (("hostile_replies", "--cases", "nowhere.jsonl"), "there is no such folder or file"),
    ],
)
def test_an_option_that_an_experiment_does_not_take_is_refused_and_not_swallowed(
    words: tuple[str, ...], told: str, cli: Callable[..., Ran]
) -> None:
    ran = cli("experiment", "run", *words)

    assert (ran.code, ran.out) == (2, "")
    assert told in " ".join(ran.err.split())


def test_every_experiment_has_a_test_that_runs_it_in_little() -> None:
    here = Path(__file__).parent
    modules = {module.NAME: module.__name__.rpartition(".")[2] for module in experiments()}

    assert modules.keys() >= {*ELSEWHERE, *HERE}
    for name, file in ELSEWHERE.items():
        assert modules[name].removeprefix("compute_") in (here / file).read_text(encoding="utf-8"), f"{name} is not in {file}"


def test_no_channel_does_what_it_may_never_do() -> None:
    found = lines(channels, seeds=1)

    assert all(each["pass"] for each in found.values())
    assert found["dialogue: what it did"]["measured"]["matters"] > 0
    assert found["physical: what it did"]["measured"]["things moved by the visitor"] > 0
    assert found["inner_voice: what it did"]["measured"]["voices"] > 0


def test_every_intuition_can_be_traced() -> None:
    found = lines(traceability, seeds=1)

    assert found["intuitions that name a thought"]["pass"]
    assert found["traces that hold in the log"]["pass"]
    assert found["mean strength of the strongest link"]["intuitions"] > 0


@pytest.mark.slow
def test_preactivation_costs_less_and_changes_no_life() -> None:
    found = lines(preactivation, seeds=1)

    assert found["change in memories scored per recall, 2 days"]["measured"] < 0
    assert found["lives that decide alike with and without it, 2 days"]["pass"]


@pytest.mark.slow
def test_without_the_pattern_monitor_next_to_nothing_is_discovered() -> None:
    found = lines(ablation, seeds=1)

    assert found["without S3: change in intuitions discovered"]["measured"] <= -0.8
    assert found["without S2: change in memories scored per recall"]["measured"] > 0


@pytest.mark.slow
def test_intuition_decides_sooner_than_a_model_and_asks_it_less() -> None:
    found = lines(intuition_vs_model, seeds=1)

    assert found["ILR: how many times sooner intuition decides"]["measured"] > 10
    assert found["change in model decisions, agent against model alone"]["pass"]


@pytest.mark.slow
def test_a_higher_threshold_lets_intuition_decide_less() -> None:
    found = lines(switching, seeds=1)
    decisions = [found[f"theta_conf {theta}: sys1 choices that were right"]["decisions"] for theta in ("0.5", "0.7", "0.9")]

    assert decisions == sorted(decisions, reverse=True)
    assert decisions[0] > decisions[2]


@pytest.mark.slow
def test_a_library_grows() -> None:
    found = lines(ninety_days)

    assert found["intuitions held after day 1"]["measured"] > 0


@pytest.mark.slow
def test_what_is_packed_can_still_be_had_and_what_a_window_forgets_can_not() -> None:
    found = lines(memory_tiers)

    # What the library has removed is told by the log alone; everything else can be had.
    kept = found["tiers: the same, steps left out"]
    assert kept["measured"] == round((kept["count"] - kept["removed"]) / kept["count"], 3)
    assert kept["removed"] * 50 < kept["count"]
    assert found["window: the same, steps left out"]["measured"] < kept["measured"]
    packed = found["the experience store alone: bytes saved with no block open"]
    assert packed["experiences"] > memory_tiers.HOT + memory_tiers.BLOCK
    assert packed["measured"] > 0


def test_bytes_are_counted_once_for_each_object() -> None:
    text = "a word of some length"

    assert memory_tiers.bytes_of([text, text]) == memory_tiers.bytes_of([text, None]) - memory_tiers.bytes_of(None)


@pytest.mark.slow
def test_memory_of_doubt_alone_answers_nothing_otherwise_and_reflection_does() -> None:
    found = {each["claim"]: each["measured"] for each in auq_arms.run(quick=True, seeds=1, count=20)}

    right = "questions in a row all answered rightly"
    assert found[f"uam: {right}"] == found[f"off: {right}"] < found[f"uar: {right}"]
    # A rule without a reflection leaves more to a fallback that knows nothing of these questions.
    assert found[f"hard: {right}"] < found[f"off: {right}"]
    assert found["in lives, both, k 1: tokens a call"] < found["in lives, both, k 20: tokens a call"]
