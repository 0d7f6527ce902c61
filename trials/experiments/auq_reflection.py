"""A1, closely: acting on a reporter's doubt, beside an arm that asks for it and never acts. All arms: auq_arms.

A calibrated reporter: corrections and regressions as the closed forms say; the trajectory's calibration error at
least halved; success higher, at a stated cost. One whose samples delude themselves: success falls by two points at most.

The threshold is chosen on training seeds only; every figure comes from test seeds that took no part in the choice,
with a 95 % interval over them. A target holds when its whole interval does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agent.uncertainty import Policy
from sim.gateway_reporter import DEFAULTS, Reporter
from trials.experiments.auq_runs import Step, closed, live
from trials.experiments.lines import interval_of, line
from trials.trajectories import Trajectory, ece, minimum, report

NAME = "auq_reflection"
DOC = "A1: reflection on a simulated reporter's doubt against closed forms, calibrated, noisy and deluded."
COUNT = {True: 150, False: 1_200}
TRAIN_SEEDS = (11, 12, 13)
TEST_SEED, TEST_SEEDS = 101, 5
TAUS = (80, 85, 90, 95)
FALL_MAX = 0.02
ASKS, ACTS = Policy("uam"), Policy("uar", 80, 3, "mean_confidence", True, "best")
NOISY = {**DEFAULTS, "noise": 10}
DELUDED = {**DEFAULTS, "reflected": 500, "delusion": 200}
Run = list[tuple[Trajectory, list[Step]]]


@dataclass(frozen=True, slots=True)
class Pair:
    """The same questions of one seed, asked by the arm that never acts and by the one that does."""

    asks: Run
    acts: Run


def run(*, quick: bool = True, count: int | None = None, seeds: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the choice of tau, then the lines of both reporters. *count* is trajectories a seed, *seeds* how many to test on."""
    many = count or COUNT[quick]
    tests = range(TEST_SEED, TEST_SEED + max(2, seeds or TEST_SEEDS))
    found = {tau: [pair(seed, NOISY, replace(ACTS, tau=tau), many) for seed in TRAIN_SEEDS] for tau in TAUS}
    policy = replace(ACTS, tau=fitted(found))
    yield line(
        "tau of the most success on the training seeds, the cheaper one of equals", "one of 80, 85, 90, 95", policy.tau, True,
        seeds=list(TRAIN_SEEDS), success={tau: mean([success(each.acts) for each in rows]) for tau, rows in found.items()},
        calls_per_question={tau: mean([cost(each.acts) for each in rows]) for tau, rows in found.items()},
    )  # fmt: skip
    for what, numbers in (("calibrated", DEFAULTS), ("calibrated, noise 10", NOISY)):
        pairs = [pair(seed, numbers, policy, many) for seed in tests]
        if numbers is DEFAULTS:
            yield from forms(what, numbers, policy, [each for one in pairs for each in one.acts])
        yield from gains(what, pairs, many)
    pairs = [pair(seed, DELUDED, policy, many) for seed in tests]
    yield from forms("deluded", DELUDED, policy, [each for one in pairs for each in one.acts])
    falls = [success(each.asks) - success(each.acts) for each in pairs]
    yield over("fall of success by acting on a deluded reporter", falls, f"<= {FALL_MAX}", lambda low, high: high <= FALL_MAX,
               delusion=0.2, n=many * len(pairs))  # fmt: skip
    for gate in ("score", "both"):
        pairs = [pair(seed, DEFAULTS, replace(policy, gate=gate), many // 3) for seed in tests]
        rises = [success(each.acts) - success(each.asks) for each in pairs]
        yield over(f"calibrated, with the gate {gate}: rise of success", rises, "> 0", lambda low, high: low > 0)


def pair(seed: int, numbers: dict[str, int], policy: Policy, many: int) -> Pair:
    """Return both arms on *many* trajectories of *seed*."""
    return Pair(*(list(live(Reporter(seed, numbers), each, many)) for each in (ASKS, policy)))


def fitted(found: dict[int, list[Pair]]) -> int:
    """Return the tau of the most success, to a thousandth; of equals the one with fewer calls, then the lower one."""

    def rank(tau: int) -> tuple[float, float, int]:
        rows = found[tau]
        return -mean([success(each.acts) for each in rows]), mean([cost(each.acts) for each in rows]), tau

    return min(found, key=rank)


def gains(what: str, pairs: Sequence[Pair], many: int) -> Iterator[dict[str, Any]]:
    """Yield what acting on doubt does to the calibration error and to success, over the test seeds."""
    halves = [errors(each.acts) / errors(each.asks) for each in pairs]
    said, done = mean([errors(each.asks) for each in pairs]), mean([errors(each.acts) for each in pairs])
    yield over(f"{what}: trajectory ECE by the minimum, acting on doubt, as a share of only asking", halves, "<= 0.5",
               lambda low, high: high <= 0.5, bins=10, n=many, asking=said, acting=done)  # fmt: skip
    rises = [success(each.acts) - success(each.asks) for each in pairs]
    yield over(f"{what}: rise of success, acting on doubt", rises, "> 0", lambda low, high: low > 0,
               asking=mean([success(each.asks) for each in pairs]), acting=mean([success(each.acts) for each in pairs]),
               calls_per_question=mean([cost(each.acts) for each in pairs]), instead_of=mean([cost(each.asks) for each in pairs]),
               report=report([one for one, _ in pairs[0].acts]))  # fmt: skip


def over(claim: str, values: Sequence[float], target: str, holds: Callable[[float, float], bool], **more: Any) -> dict[str, Any]:
    """Return a line with the mean of *values* over the test seeds and its 95 % interval."""
    middle, low, high = interval_of(values)
    return line(claim, target, round(middle, 4), holds(low, high), interval=[round(low, 4), round(high, 4)], seeds=len(values), **more)


def mean(values: Sequence[float]) -> float:
    """Return the mean to a thousandth."""
    return round(sum(values) / len(values), 3)


def forms(what: str, numbers: dict[str, int], policy: Policy, found: Run) -> Iterator[dict[str, Any]]:
    """Yield corrections and regressions beside their closed forms, within four standard errors."""
    steps = [step for _, each in found for step in each]
    expected = closed(numbers, policy)
    measured = {
        "corrections": sum(step.right and not step.first_right for step in steps) / len(steps),
        "regressions": sum(step.first_right and not step.right for step in steps) / len(steps),
    }
    for name, value in measured.items():
        wanted = expected[name]
        room = 4 * max(wanted * (1 - wanted) / len(steps), 0.25 / len(steps) ** 2) ** 0.5
        near = abs(value - wanted) <= room
        yield line(
            f"{what}: {name} per question", f"{wanted:.4f} +- {room:.4f}", round(value, 4), near, n=len(steps)
        )


def errors(found: Run) -> float:
    """Return the trajectory ECE by the minimum."""
    value = ece([minimum(one) for one, _ in found], [one.success for one, _ in found])
    assert value is not None
    return value


def success(found: Run) -> float:
    """Return the share of trajectories that succeeded."""
    return sum(one.success for one, _ in found) / len(found)


def cost(found: Run) -> float:
    """Return the calls per question."""
    steps = [step for _, each in found for step in each]
    return sum(step.calls for step in steps) / len(steps)
