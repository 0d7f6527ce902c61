"""The breaker and the budget: counted in calls and ticks, opened early, closed by one readable reply."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.breaker import FAILURES_MAX, PROBE_GAP_MAX_TICKS, PROBE_GAP_TICKS, Breaker, Budget


def an_open_breaker(tick: int = 100) -> Breaker:
    breaker = Breaker()
    for _ in range(FAILURES_MAX):
        breaker.issued(tick)
        breaker.failed(tick)
    return breaker


def test_it_opens_at_the_third_failure_in_a_row_and_not_before() -> None:
    breaker = Breaker()
    for _ in range(FAILURES_MAX - 1):
        breaker.failed(100)
    assert breaker.admits(100)
    breaker.succeeded(100)
    breaker.failed(100)
    assert breaker.admits(100)
    assert not an_open_breaker().admits(100)


def test_one_probe_goes_out_when_its_time_has_come() -> None:
    breaker = an_open_breaker(100)
    assert not breaker.admits(100 + PROBE_GAP_TICKS - 1)
    breaker.issued(100 + PROBE_GAP_TICKS)
    assert breaker.phase == "probing"
    assert not breaker.admits(100 + PROBE_GAP_TICKS)


def test_each_failed_probe_doubles_the_gap_up_to_its_cap() -> None:
    breaker, gaps, tick = an_open_breaker(0), [], 0
    for _ in range(8):
        gaps.append(breaker.probe_tick - tick)
        tick = breaker.probe_tick
        breaker.issued(tick)
        breaker.failed(tick)
    assert gaps[:4] == [3_000, 6_000, 12_000, 24_000]
    assert set(gaps[4:]) == {PROBE_GAP_MAX_TICKS}


def test_one_readable_reply_ends_the_degraded_state_and_its_length_is_kept() -> None:
    breaker = an_open_breaker(100)
    breaker.issued(breaker.probe_tick)
    breaker.succeeded(3_200)
    assert breaker.admits(3_200)
    assert breaker.degraded_until(9_999) == 3_100
    assert breaker.opened == 1


def test_a_withdrawn_probe_says_nothing_about_the_model() -> None:
    breaker = an_open_breaker(0)
    breaker.issued(PROBE_GAP_TICKS)
    breaker.withdrawn()
    assert breaker.admits(PROBE_GAP_TICKS)
    assert breaker.probes_failed == 0


@given(st.lists(st.sampled_from(["fail", "succeed", "withdraw"]), max_size=60), st.integers(1, 500))
def test_a_failing_model_is_called_rarely(outcomes: list[str], step: int) -> None:
    """Between two readable replies at most three calls fail, and then one for each probe gap."""
    breaker, tick, failing, since = Breaker(), 0, 0, 0
    for outcome in outcomes:
        tick += step
        if not breaker.admits(tick):
            continue
        breaker.issued(tick)
        if outcome == "succeed":
            breaker.succeeded(tick)
            failing, since = 0, tick
        elif outcome == "fail":
            breaker.failed(tick)
            failing += 1
        else:
            breaker.withdrawn()
        assert failing <= FAILURES_MAX + (tick - since) // PROBE_GAP_TICKS


@pytest.mark.parametrize(("calls", "tokens", "wanted"), [(0, 0, ""), (5, 0, "calls_spent"), (4, 900, "tokens_spent")])
def test_a_budget_says_what_is_spent(calls: int, tokens: int, wanted: str) -> None:
    assert Budget(calls_max=5, tokens_max=900, calls=calls, tokens=tokens).spent() == wanted
    assert Budget(calls=10**6, tokens=10**9).spent() == "", "a cap of 0 is none"
