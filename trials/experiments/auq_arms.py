"""A1: five ways to deal with a model's doubt, and what tau and k change.

None asks for no doubt. Hard leaves an unsure answer to the fallback. UAM remembers doubts and never acts on them. UAR
reflects and remembers nothing. Both does both.

On questions with one right answer (auq_runs) the arms are told apart and tau is swept: it is chosen for each arm on
training seeds, and every figure comes from test seeds. The reporter does not read its memory, so there UAM can do
nothing for it, and k nothing at all. Both are looked at in whole lives, where the window makes part of every prompt:
the oracle of the room says what came to good there, and tokens say what it cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from agent.uncertainty import Policy
from sim.gateway_reporter import DEFAULTS, Reporter
from trials.experiments.auq_reflection import (
    COUNT,
    TEST_SEED,
    TEST_SEEDS,
    TRAIN_SEEDS,
    Run,
    cost,
    errors,
    mean,
    success,
)
from trials.experiments.auq_runs import live as questions
from trials.experiments.lines import line
from trials.experiments.lives import Life, live, ratio, reported, seeds_of, spread, stood

NAME = "auq_arms"
DOC = "A1: no doubt asked for, a hard rule, memory of doubts, reflection, both; sweeps of tau and k."
TAUS = (80, 85, 90, 95)
"""The values of the source (spec 03, section 3)."""
KS = (1, 3, 5, 6, 7, 20)
"""Steps of the window: 5 to 7 as the source has it, the shipped 6, and extremes."""
ACTS = Policy("uar", 80, 3, "mean_confidence", True, "best")
ARMS = {mode: replace(ACTS, mode=mode) for mode in ("off", "hard", "uam", "uar", "both")}
ACTING = ("hard", "uar", "both")
NUMBERS = {**DEFAULTS, "noise": 10}
"""A reporter that knows roughly how sure it is."""
PROTOCOL = "emergence"
LIVED = {"model.reporter": NUMBERS, "mind.sys1": "none"}
"""Without intuitions every near tie with a person is put to the model, so that arms differ as often as they can."""
DAYS = {True: 1, False: 4}
FULL_SEEDS, QUICK_COUNT = 5, 60
GAIN = 0.107
"""What the paper reports for both over neither, ALFWorld (spec 03, section 5)."""


def run(*, quick: bool = True, count: int | None = None, seeds: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the sweep of tau, the arms, and the sweep of k. *count* is trajectories a seed, *seeds* how many to test on."""
    many, tests = count or (QUICK_COUNT if quick else COUNT[quick]), range(TEST_SEED, TEST_SEED + max(2, seeds or TEST_SEEDS))
    chosen = ARMS.copy()
    for arm in ACTING:
        tried = {tau: [asked(seed, replace(ARMS[arm], tau=tau), many) for seed in TRAIN_SEEDS] for tau in TAUS}
        chosen[arm] = replace(ARMS[arm], tau=fitted(tried))
        yield from swept(arm, tried)
    yield from told_apart({arm: [asked(seed, policy, many) for seed in tests] for arm, policy in chosen.items()})
    yield from in_lives(quick, seeds)


def asked(seed: int, policy: Policy, many: int) -> Run:
    """Return *many* trajectories of *seed* under *policy*."""
    return list(questions(Reporter(seed, NUMBERS), policy, many))


def fitted(tried: dict[int, list[Run]]) -> int:
    """Return the tau of the most success on the training seeds; of equals the cheaper, then the lower one."""
    return min(tried, key=lambda tau: (-over(success, tried[tau]), over(cost, tried[tau]), tau))


def over(pick: Callable[[Run], float], runs: Sequence[Run]) -> float:
    """Return the mean of *pick* over the seeds, to a thousandth."""
    return mean([pick(each) for each in runs])


def swept(arm: str, tried: dict[int, list[Run]]) -> Iterator[dict[str, Any]]:
    """Yield what each tau came to on the training seeds, and the one chosen for *arm*."""
    told = {"training_seeds": list(TRAIN_SEEDS)}
    yield line(f"{arm}: tau chosen on training seeds", "reported", fitted(tried), True, **told)
    for what, pick in (("success", success), ("calls per question", cost)):
        found = {str(tau): over(pick, runs) for tau, runs in tried.items()}
        yield line(f"{arm}: {what} by tau, training seeds", "reported", found, True, **told)


def told_apart(found: dict[str, list[Run]]) -> Iterator[dict[str, Any]]:
    """Yield of each arm success, cost and calibration on the test seeds, and what acting on doubt gains over none."""
    seeds = len(found["off"])
    for arm, runs in found.items():
        yield reported(f"{arm}: questions in a row all answered rightly", (success(each) for each in runs), seeds=seeds)
        yield reported(f"{arm}: calls per question", (cost(each) for each in runs), seeds=seeds)
        if arm != "off":
            yield reported(f"{arm}: trajectory ECE by the minimum", (errors(each) for each in runs), seeds=seeds)
    for arm in ACTING:
        middle, interval = spread(success(a) - success(b) for a, b in zip(found[arm], found["off"], strict=True))
        reflects = arm != "hard"
        yield line(
            f"{arm}: success above no doubt asked for", "> 0" if reflects else "reported", middle,
            not reflects or (interval is not None and interval[0] > 0), expected=GAIN if arm == "both" else None, interval=interval,
            seeds=seeds,
        )  # fmt: skip


# --- lives --------------------------------------------------------------------------------------------------------


def in_lives(quick: bool, seeds: int | None) -> Iterator[dict[str, Any]]:
    """Yield the arms, and the sweep of k, in whole lives; tau as shipped."""
    days, tests = DAYS[quick], seeds_of(PROTOCOL, "test", quick, seeds or (None if quick else FULL_SEEDS))
    told = {"days": days, "seeds": len(tests)}

    def lives(**mind: Any) -> list[Life]:
        given = {**LIVED, **{f"mind.{key}": value for key, value in mind.items()}}
        return [live(PROTOCOL, seed, days, given) for seed in tests]

    plain = lives(uncertainty="off")
    for arm in ARMS:
        found = lives(uncertainty=arm)
        yield reported(f"in lives, {arm}: near-tie choices that came to good", (stood(life) for life in found), **told)
        yield reported(f"in lives, {arm}: calls a day", (life.calls / life.days for life in found), **told)
        if arm in ACTING:
            above = (change_of(one, other) for one, other in zip(found, plain, strict=True))
            yield reported(f"in lives, {arm}: near ties that came to good, above no doubt asked for", above, **told)
        if arm != "off":
            yield reported(f"in lives, {arm}: trajectory ECE by the minimum", (calibration(life) for life in found), **told)
    for k in KS[::5] if quick else KS:
        found = lives(uncertainty="both", k=k)
        yield reported(f"in lives, both, k {k}: near-tie choices that came to good", (stood(life) for life in found), **told)
        yield reported(f"in lives, both, k {k}: tokens a call", (ratio(life.tokens, life.calls) for life in found), **told)


def change_of(one: Life, other: Life) -> float | None:
    """Return by how much more of the near ties came to good in *one*."""
    a, b = stood(one), stood(other)
    return None if a is None or b is None else a - b


def calibration(life: Life) -> float | None:
    """Return the trajectory ECE by the minimum of a life, None where no confidence was asked for."""
    if life.doubt is None or not life.doubt["n"]:
        return None
    found: float | None = life.doubt["minimum"]["ece"]
    return found
