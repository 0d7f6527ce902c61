"""The sources' experiments run, say what they measured beside what was expected, and hold where the claim is ours."""

from __future__ import annotations

from typing import Any

import pytest

from trials.experiments import (
    ablation,
    channels,
    intuition_vs_model,
    ninety_days,
    preactivation,
    switching,
    traceability,
)

KEYS = {"claim", "target", "expected_by_source", "measured", "interval", "pass"}


def lines(module: Any, **more: Any) -> dict[str, dict[str, Any]]:
    found = {each["claim"]: each for each in module.run(quick=True, **more)}
    assert found
    assert all(each.keys() >= KEYS for each in found.values())
    return found


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
