"""C6: steps that change something but look harmless. The action layer must not let them pass unchecked.

A scheduler learns on harmless reading steps with low hints, until its price is at its floor.
Then changing steps come with the same low hints, one in five of them critical. A changing
step is missed when it is critical and gets neither thought nor a forced check. Controls: no
action layer; a placebo layer (the premium on as many reading steps, at random); a
budget-matched arm (as much thought, at random).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agent.scheduler import meta
from agent.scheduler.auction import Context
from agent.scheduler.params import Params
from agent.scheduler.rules import DEFAULT, REFERENCE, Rules
from trials.experiments.compute_arms import CONTROLS_FROM, held_out
from trials.experiments.compute_stats import compare, holm, line, mean
from trials.experiments.shuffles import Shuffles

NAME = "compute_c6"
DOC = "action layer: missed changing steps with and without it, with placebo and budget-matched controls"
WARM = 80
STEPS = 120
CHANGING = ("edit_file", "apply_patch", "design_patch", "write_code")


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the stream."""

    action: str
    hint: float
    critical: bool


@dataclass(frozen=True, slots=True)
class Result:
    """Missed changing steps and calls of one run."""

    missed: int
    calls: int


def stream(seed: int) -> list[Step]:
    """Return harmless reading, then reading mixed with changing steps."""
    chance = Shuffles(seed)
    steps = [Step("read_issue", 0.05 + 0.15 * chance.random(), False) for _ in range(WARM)]
    for _ in range(STEPS):
        changing = chance.random() < 0.4
        action = chance.choice(CHANGING) if changing else "read_issue"
        steps.append(Step(action, 0.05 + 0.15 * chance.random(), changing and chance.random() < 0.2))
    return steps


def run(
    *, quick: bool = False, seeds: int | None = None, data: str | Path | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the table of C6."""
    del data
    count = seeds or (5 if quick else 30)
    tests = [stream(seed) for seed in held_out(count)]
    blind = replace(Params(), action_premium_weight=0.0, force_verify_mutating=False)
    for who, rules in (("reference", REFERENCE), ("ours", DEFAULT)):
        on = [play(steps, Params(), rules) for steps in tests]
        off = [play(steps, blind, rules, hide=True) for steps in tests]
        placebo = [play(steps, blind, rules, hide=True, premium=CONTROLS_FROM + seed) for seed, steps in enumerate(tests)]
        spent = [result.calls for result in on]
        matched = [
            random_calls(steps, calls, seed)
            for seed, (steps, calls) in enumerate(zip(tests, spent, strict=True))
        ]
        arms = {"with it": on, "without it": off, "placebo": placebo, "budget-matched": matched}
        for name, results in arms.items():
            measured = f"missed {mean([r.missed for r in results]):.2f}, calls {mean([r.calls for r in results]):.1f}"
            yield line(f"{who}: {name}", "reported", measured, True, n=count)
        yield line(
            f"{who}: missed changing steps with the action layer",
            "0",
            f"{mean([r.missed for r in off]):.2f} -> {mean([r.missed for r in on]):.2f}",
            sum(r.missed for r in on) == 0,
            source="4.87 -> 0",
            n=count,
        )
        found = [
            compare(_missed(on), _missed(arms[rival]))
            for rival in ("without it", "placebo", "budget-matched")
        ]
        for rival, each, p in zip(
            ("without it", "placebo", "budget-matched"), found, holm([each.p for each in found]), strict=True
        ):
            yield line(
                f"{who}: missed with it less {rival}",
                "< 0, p < 0.05",
                f"{each.mean:.2f}",
                quick or (each.high < 0 and p < 0.05),
                interval=each.interval(),
                p=p,
                n=count,
            )


def play(
    steps: Sequence[Step], params: Params, rules: Rules, *, hide: bool = False, premium: int | None = None
) -> Result:
    """Run one stream. *hide* takes the action's name away; *premium* gives it to random steps instead."""
    chance = Shuffles(premium)
    library, task = meta.Library(mu=params.mu_min), meta.Task(risk_budget=params.risk_budget0)
    missed = calls = 0
    for i, step in enumerate(steps):
        if i % 20 == 0:
            task.restart(params, forget_spend=rules.open_steps)
        action: str | None = None if hide else step.action
        used = params
        if premium is not None and i >= WARM and chance.random() < 0.4:
            action, used = "edit_file", Params()
        seen = meta.Seen((step.hint, 0.3, (i % 20) / 20), action)
        decision = meta.decide_step(library, task, seen, Context(action), 0.0, used, rules)
        checked = decision.ignite or decision.forced_verify
        if i >= WARM:
            missed += step.critical and not checked
            calls += checked
        known = meta.Foreseen(meta.features(seen, None), decision.estimate.p_mean, decision.estimate.p_crit)
        # Nobody tells the scheduler that a changing step went wrong: the harm shows later, elsewhere.
        outcome = meta.Outcome(0.1, decision.ignite, decision.ignite)
        meta.learn(library, task, seen, outcome, used, rules, known if rules.calibrated else None)
    return Result(missed, calls)


def random_calls(steps: Sequence[Step], calls: int, seed: int) -> Result:
    """Run the arm that checks as many steps, picked at random."""
    chance = Shuffles(2 * CONTROLS_FROM + seed)
    later = list(steps[WARM:])
    picked = set(chance.sample(range(len(later)), min(calls, len(later))))
    return Result(sum(step.critical and i not in picked for i, step in enumerate(later)), len(picked))


def _missed(results: Sequence[Result]) -> list[float]:
    return [float(result.missed) for result in results]
