"""Statistics over seeds: known answers, and the places where there is nothing to say."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("scipy")
pytest.importorskip("statsmodels")

from trials.comparison import (
    by_seed,
    compare,
    compare_all,
    effect_size,
    estimate,
    holm,
    seeds_for_effect,
    seeds_for_width,
)
from trials.experiments.shuffles import Shuffles


def row(arm: str, seed: int, replicate: int = 1, **metrics: float | None) -> dict[str, object]:
    return {"facts": {"arm": arm, "seed": seed, "replicate": replicate}, "metrics": metrics}


def test_an_interval_is_that_of_the_t_distribution() -> None:
    found = estimate([1.0, 2.0, 3.0, 4.0, 5.0])

    assert found.mean == 3.0
    assert found.low == pytest.approx(3 - 2.7764451 * 1.5811388 / 5**0.5, abs=1e-6)
    assert estimate([1.0]).low is None
    with pytest.raises(ValueError, match="nothing to estimate"):
        estimate([])


def test_pairs_are_made_by_seed_and_what_has_no_partner_is_told() -> None:
    found = compare("m", "a", "b", {1: 1.0, 2: 2.0, 3: 9.0}, {1: 1.5, 2: 2.7, 4: 0.0})

    assert found.pairs == 2
    assert found.dropped == 2
    assert found.difference == pytest.approx(0.6)
    with pytest.raises(ValueError, match="no seed in common"):
        compare("m", "a", "b", {1: 1.0}, {2: 1.0})


def test_a_steady_difference_is_found_though_the_seeds_differ_far_more() -> None:
    one = {seed: 100.0 * seed for seed in range(1, 11)}
    other = {seed: value + 1 + 0.1 * (seed % 2) for seed, value in one.items()}
    found = compare("m", "a", "b", one, other)

    assert found.differs
    assert found.p is not None
    assert found.p < 0.01
    assert not compare("m", "a", "b", one, one).differs


def test_equal_arms_have_no_effect_and_a_p_of_one() -> None:
    found = compare("m", "a", "b", {1: 1.0, 2: 2.0}, {1: 1.0, 2: 2.0})

    assert (found.difference, found.effect, found.p) == (0.0, 0.0, 1.0)
    assert effect_size([1.0, 1.0]) is None, "no spread, no scale"


def test_replicates_of_a_seed_are_one_observation() -> None:
    rows = [row("a", 1, 1, m=1.0), row("a", 1, 2, m=3.0), row("a", 2, m=None)]

    assert by_seed(rows, "m") == {"a": {1: 2.0}}


def test_holm_corrects_over_what_there_is() -> None:
    assert holm([0.01, None, 0.04, 0.03]) == pytest.approx([0.03, None, 0.06, 0.06])
    assert holm([None]) == [None]


def test_all_metrics_are_compared_that_both_arms_have() -> None:
    rows = [
        row(arm, seed, m=seed + (arm == "b") + 0.01 * seed, n=None) for arm in "ab" for seed in range(1, 9)
    ]
    found = compare_all(rows, ["m", "n"], "a", "b")

    assert [each.metric for each in found] == ["m"]
    assert found[0].difference == pytest.approx(1.0)
    assert found[0].p_holm == found[0].p


def test_the_planner_knows_the_textbook_sizes() -> None:
    assert seeds_for_effect(0.5) == 34
    assert seeds_for_effect(0.8) == 15
    assert seeds_for_effect(-0.8) == 15
    with pytest.raises(ValueError, match="other than 0"):
        seeds_for_effect(0)
    with pytest.raises(ValueError, match="more than"):
        seeds_for_effect(1e-6)


def test_the_planner_narrows_an_interval_as_far_as_asked() -> None:
    pilot = [1.0, 2.0, 3.0, 4.0]
    size = seeds_for_width(pilot, 0.5)

    assert 25 < size < 35
    assert seeds_for_width(pilot, 5) == 2 or seeds_for_width(pilot, 5) == 3


def samples(seed: int, size: int) -> tuple[dict[int, float], dict[int, float]]:
    """Return two arms over the same seeds, the second a little higher and noisy."""
    chance = Shuffles(seed)
    one = {each: chance.gauss(10, 3) for each in range(1, size + 1)}
    return one, {each: value + chance.gauss(0.7, 1) for each, value in one.items()}


@pytest.mark.parametrize(("seed", "size"), [(1, 5), (2, 12), (3, 40)])
def test_the_libraries_asked_directly_say_the_same(seed: int, size: int) -> None:
    from scipy import stats
    from statsmodels.stats.weightstats import DescrStatsW

    one, other = samples(seed, size)
    found = compare("m", "a", "b", one, other)
    pair = [other[each] for each in one], list(one.values())
    differences = [b - a for b, a in zip(*pair, strict=True)]

    interval = stats.ttest_rel(*pair).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=1e-9)
    assert (found.low, found.high) == pytest.approx(DescrStatsW(differences).tconfint_mean(0.05), rel=1e-9)
    assert found.p == pytest.approx(stats.wilcoxon(*pair).pvalue, rel=1e-9)
    d_z = stats.ttest_rel(*pair).statistic / size**0.5
    assert found.effect == pytest.approx(d_z * (1 - 3 / (4 * (size - 1) - 1)), rel=1e-9)


def test_the_planner_finds_what_the_libraries_power_says() -> None:
    from statsmodels.stats.power import TTestPower

    for effect, power in ((0.3, 0.8), (0.5, 0.9), (1.2, 0.8)):
        wanted = TTestPower().solve_power(effect_size=effect, power=power, alpha=0.05)
        assert seeds_for_effect(effect, power) == math.ceil(wanted - 1e-9)


def test_an_arm_compared_with_itself_seldom_differs() -> None:
    """Under no effect the interval leaves out 0 in about one metric of twenty, and no corrected p value is small."""
    rows = []
    for seed in range(1, 21):
        chance = Shuffles(seed)
        for arm in "ab":
            rows.append(row(arm, seed, **{f"m{number}": chance.gauss(0, 1) for number in range(100)}))
    found = compare_all(rows, [f"m{number}" for number in range(100)], "a", "b")

    assert sum(each.differs for each in found) <= 12
    assert min(each.p_holm or 0 for each in found) > 0.05
