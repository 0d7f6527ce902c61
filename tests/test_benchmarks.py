"""The goals in figures can be measured: every module stands, the reference repeats, a wrong name is told."""

from __future__ import annotations

import importlib

import pytest

from benchmarks import goals
from benchmarks._limit import World, in_refs


@pytest.mark.parametrize("module", goals.GOALS.values(), ids=list(goals.GOALS))
def test_every_goal_can_be_measured(module: str) -> None:
    assert callable(importlib.import_module(module).measure)


def test_the_reference_is_the_same_work_each_time() -> None:
    worlds = [World(), World()]
    for world in worlds:
        world.run(2_000)

    assert (worlds[0].x, worlds[0].y, worlds[0].rng) == (worlds[1].x, worlds[1].y, worlds[1].rng)
    assert worlds[0].events == 200


def test_the_reference_measured_against_itself_is_about_one() -> None:
    def work() -> int:
        World().run(20_000)
        return 20_000

    assert 0.5 < in_refs(work) < 2


def test_an_unknown_goal_is_told_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert goals.main(["S99"]) == 2
    assert "S1" in capsys.readouterr().err
