"""Samples of the campaigns that hold the house; the whole of each runs with `-m campaign`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from trials.experiments import determinism, endpoints, kills, life, ties, veil


def all_hold(lines: Iterable[dict[str, Any]]) -> None:
    for line in lines:
        print(line)
        assert line["pass"], line


def test_one_digest_whatever_the_process_and_hash_seed() -> None:
    all_hold(determinism.run(quick=True))


def test_what_is_not_perceived_changes_no_mind() -> None:
    all_hold(veil.run(quick=True, seeds=12))


def test_a_killed_trial_ends_as_if_nobody_had_killed_it() -> None:
    all_hold(kills.run(quick=True, seeds=5))


def test_requests_answer_their_questions_and_choose_within_the_group() -> None:
    all_hold(ties.run(quick=True))


def test_a_visit_ends_at_its_tick_with_a_dead_or_babbling_endpoint() -> None:
    for kind in ("dead", "garbage"):
        with endpoints.faulty(kind) as url:
            line = endpoints.visit(kind, url)
            assert line["pass"], line


def test_four_lives_keep_alive_for_two_days() -> None:
    lines = [line for line in life.run(quick=True, seeds=2) if "differ" not in line["claim"]]
    all_hold(lines)


@pytest.mark.campaign
@pytest.mark.parametrize("experiment", [determinism, veil, kills, ties, life, endpoints], ids=lambda each: each.NAME)
def test_whole(experiment: Any) -> None:
    all_hold(experiment.run(quick=False))
