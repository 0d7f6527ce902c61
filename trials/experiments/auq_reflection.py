"""A1 and A2: acting on a reporter's doubt, beside an arm that asks for it and never acts.

A1, a calibrated reporter: corrections and regressions as the closed forms say; the trajectory's calibration error at
least halved; success higher, at a stated cost. A2, one whose samples delude themselves: success falls by two points at most.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agent.uncertainty import Policy
from sim.gateway_reporter import DEFAULTS, Reporter
from trials.experiments.auq_runs import Step, closed, live
from trials.experiments.lines import line
from trials.trajectories import Trajectory, ece, minimum, report

NAME = "auq_reflection"
DOC = "A1, A2: reflection on a simulated reporter's doubt against closed forms, calibrated and deluded."
COUNT = {True: 1_500, False: 20_000}
SEED = 11
FALL_MAX = 0.02
ASKS, ACTS = Policy("uam"), Policy("uar", 80, 3, "mean_confidence", True, "best")
DELUDED = {**DEFAULTS, "reflected": 500, "delusion": 200}
Run = list[tuple[Trajectory, list[Step]]]


def run(*, quick: bool = True, count: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the lines of A1, then of A2."""
    many = count or COUNT[quick]
    asks, acts = (list(live(Reporter(SEED, DEFAULTS), policy, many)) for policy in (ASKS, ACTS))
    yield from forms("A1 calibrated", DEFAULTS, acts)
    said, done = errors(asks), errors(acts)
    halved = done <= said / 2
    yield line(
        "A1 trajectory ECE by the minimum, acting on doubt",
        f"<= half of {said:.3f}",
        round(done, 3),
        halved,
        bins=10,
        n=many,
    )
    yield line(
        "A1 success, acting on doubt", f"> {success(asks):.3f}", round(success(acts), 3), success(acts) > success(asks),
        calls_per_question=round(cost(acts), 2), instead_of=round(cost(asks), 2), report=report([one for one, _ in acts]),
    )  # fmt: skip
    asks, acts = (list(live(Reporter(SEED, DELUDED), policy, many)) for policy in (ASKS, ACTS))
    yield from forms("A2 deluded", DELUDED, acts)
    fall = success(asks) - success(acts)
    yield line(
        "A2 fall of success by acting on a deluded reporter",
        f"<= {FALL_MAX}",
        round(fall, 4),
        fall <= FALL_MAX,
        delusion=0.2,
    )
    for gate in ("score", "both"):
        strict = list(live(Reporter(SEED, DEFAULTS), Policy("uar", 80, 3, gate), many // 3))
        low = success(asks[: many // 3])
        yield line(
            f"A1 with the gate {gate}: success",
            f"> {low:.3f}",
            round(success(strict), 3),
            success(strict) > low,
        )


def forms(what: str, numbers: dict[str, int], found: Run) -> Iterator[dict[str, Any]]:
    """Yield corrections and regressions beside their closed forms, within four standard errors."""
    steps = [step for _, each in found for step in each]
    expected = closed(numbers, ACTS)
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
