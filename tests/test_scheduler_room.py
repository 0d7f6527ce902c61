"""The scheduler inside the room: cheap, one call, or reflection; integers only; learns from what was perceived."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from decimal import ROUND_HALF_UP, Decimal
from math import exp as libm_exp
from math import nextafter
from math import tanh as libm_tanh

import pytest

from agent.scheduler import exact
from agent.scheduler.room import OPEN_MAX, SCENES_MAX, UNIT, Scheduler, Signals, forget, learn, night, think

EASY = Signals(stakes=150, difficulty=300, scene="tidy_up|cup|desk")
HARD = Signals(stakes=900, difficulty=900, scene="promise|visitor|door", mutating=True, prior=700)


def practised(rounds: int = 60) -> Scheduler:
    """Return a scheduler that found easy choices harmless and hard ones worth a thought."""
    state = Scheduler()
    for i in range(rounds):
        easy = think(state, EASY, f"e{i}")
        learn(state, f"e{i}", perceived=True, otherwise=False)
        hard = think(state, HARD, f"h{i}")
        learn(state, f"h{i}", perceived=hard.kind != "cheap", otherwise=hard.kind != "cheap")
        assert easy.kind in {"cheap", "call", "reflect"}
    return state


def test_what_never_mattered_becomes_cheap_and_what_did_stays_thought_about() -> None:
    state = practised()

    assert think(state, EASY, "e").kind == "cheap"
    assert think(state, HARD, "h").kind == "reflect"


def test_before_anything_is_known_a_question_is_asked() -> None:
    assert think(Scheduler(), EASY, "a").kind != "cheap"


def test_what_cannot_be_undone_is_never_cheap() -> None:
    assert think(practised(), replace(EASY, irreversible=True), "a").kind == "reflect"


def test_failures_that_are_perceived_make_it_ask_again() -> None:
    state = practised()
    for i in range(12):
        if think(state, EASY, f"x{i}").kind != "cheap":
            break
        learn(state, f"x{i}", perceived=False)

    assert i < 11, "it noticed"
    assert state.alarms > 0 or think(state, EASY, "y").chance > 100


def test_an_unperceived_outcome_teaches_nothing() -> None:
    state = practised()
    think(state, EASY, "a")
    before = asdict(state)

    assert not learn(state, "a", perceived=None)
    assert asdict(state)["weights"] == before["weights"]


def test_a_choice_teaches_once_and_an_unknown_one_never() -> None:
    state = practised()
    think(state, EASY, "a")

    assert learn(state, "a", perceived=True)
    assert not learn(state, "a", perceived=True)
    assert not learn(state, "nobody", perceived=True)


def test_a_full_context_makes_thinking_dearer() -> None:
    state = practised()

    assert think(state, replace(EASY, context=1000), "a").ask > think(state, EASY, "b").ask


def test_the_state_is_integers_and_survives_json_to_the_last_bit() -> None:
    state = practised()
    again = Scheduler(**json.loads(json.dumps(asdict(state))))

    assert not any(isinstance(leaf, float) for leaf in leaves(asdict(state)))
    assert think(again, HARD, "z") == think(state, HARD, "z")
    assert asdict(again) == asdict(state)


def leaves(value: object) -> list[object]:
    if isinstance(value, dict):
        return [leaf for each in value.values() for leaf in leaves(each)]
    if isinstance(value, list):
        return [leaf for each in value for leaf in leaves(each)]
    return [value]


def test_the_state_stays_bounded() -> None:
    state = Scheduler()
    for i in range(2000):
        think(state, replace(EASY, scene=f"s{i}", commitment=f"c{i}"), f"k{i}")
        if i % 3 == 0:
            learn(state, f"k{i}", perceived=True)

    assert len(state.open) <= OPEN_MAX
    assert len(state.open_about) == len(state.open)
    assert len(state.scenes) <= SCENES_MAX


def test_the_price_moves_at_night_both_ways() -> None:
    dear, saving = Scheduler(under=24 * UNIT), Scheduler(over=24 * UNIT)
    night(dear)
    night(saving)

    assert saving.price < Scheduler().price < dear.price
    assert (dear.under, saving.over) == (0, 0)


def test_the_price_does_not_sink_while_forecasts_are_borne_out() -> None:
    # What a model would have made of a cheap choice is never perceived, so needless thought must not count whole.
    state = Scheduler()
    for day in range(90):
        for i in range(10):
            think(state, replace(HARD, family="explore<person:1"), f"{day}.{i}")
            learn(state, f"{day}.{i}", perceived=True, otherwise=i < 7)
        night(state)

    assert 0.9 * UNIT < state.price < 1.1 * UNIT


def taught(lessons: dict[str, tuple[bool, int]]) -> Scheduler:
    """Return a scheduler that had so many lessons on each kind of choice: thinking mattered there, or not."""
    state = Scheduler()
    for family, (mattered, count) in lessons.items():
        for i in range(count):
            think(state, replace(TIE, family=family), f"{family}.{i}")
            learn(state, f"{family}.{i}", perceived=True, otherwise=mattered)
    return state


TIE = Signals(stakes=200, difficulty=600)
"""A near tie like many, with nothing special at stake."""


def test_a_kind_that_never_mattered_is_not_tried_anew_where_less_is_passed_over() -> None:
    state = taught({"commitment<person:2": (False, 4)})

    assert think(state, replace(TIE, family="commitment<person:4"), "farther").kind == "cheap"
    assert think(state, replace(TIE, family="commitment<person:0"), "closer").reason == "new-kind"


def test_a_kind_that_always_mattered_matters_where_what_is_passed_over_comes_closer() -> None:
    state = taught({"explore<person:3": (True, 6)})

    closer = think(state, replace(TIE, family="explore<person:1"), "closer")
    farther = think(state, replace(TIE, family="explore<person:4"), "farther")

    assert closer.kind != "cheap"
    assert closer.reason != "new-kind"
    assert farther.chance < closer.chance


def test_kinds_whose_best_is_for_the_same_lean_on_one_another() -> None:
    state = taught({"explore<person:2": (True, 6), "body<person:2": (False, 6)})

    like = [think(state, replace(TIE, family=f"{best}<setting:2"), best).chance for best in ("explore", "body")]

    assert like[0] > like[1]


def test_before_anything_is_known_a_close_tie_is_likelier_to_be_worth_a_thought() -> None:
    close, far = (think(Scheduler(), replace(TIE, difficulty=each), "a").chance for each in (950, 300))

    assert close > far


def test_a_dropped_choice_is_forgotten() -> None:
    state = Scheduler()
    think(state, EASY, "a")

    forget(state, "a")

    assert not learn(state, "a", perceived=True)


@pytest.mark.parametrize("x", [-700.0, -30.1, -1.0, -1e-9, 0.0, 1e-9, 0.3, 1.0, 20.5, 300.7])
def test_our_arithmetic_agrees_with_the_library_without_using_it(x: float) -> None:
    assert exact.exp(x) == pytest.approx(libm_exp(x), rel=1e-14)
    assert exact.tanh(x) == pytest.approx(libm_tanh(x), rel=1e-13)


@pytest.mark.parametrize("places", [3, 4])
def test_rounding_is_half_away_from_zero_on_the_exact_value(places: int) -> None:
    ties = [sign * odd / step for sign in (1, -1) for odd in range(1, 400, 2) for step in (16, 32)]
    beside = [nextafter(each, each + way) for each in ties for way in (1, -1)]
    plain = [at / 20_000 for at in range(-3_000, 3_000, 7)] + [1_000_005.85, 0.0, 2e6 + 0.03125]
    for value in (*ties, *beside, *plain):
        assert exact.rounded(value, places) == float(Decimal(value).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))
