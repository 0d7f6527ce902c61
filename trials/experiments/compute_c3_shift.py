"""C3: the meaning of a cue turns around half way. Who notices, and at what price?

A stream of steps of one kind. Before the turn a high hint means critical; after it a low one
does. Arms: a static rule tuned on training streams, a contextual bandit (linear Thompson
sampling), an explicit change-point router (Page-Hinkley, then its threshold and sign are
learned anew), the reference's per-step arm, and ours. All see the same outcomes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

from agent.scheduler import meta
from agent.scheduler.auction import Context
from agent.scheduler.params import Params
from agent.scheduler.rules import DEFAULT, REFERENCE, Rules
from trials.experiments.compute_arms import (
    CONSULT_PRICE,
    CONTROLS_FROM,
    MISS_PRICE,
    OVER_PRICE,
    held_out,
    training,
)
from trials.experiments.compute_stats import compare, holm, line, mean
from trials.experiments.shuffles import Shuffles

NAME = "compute_c3"
DOC = "adaptation after a regime shift against a static rule, a bandit and a change-point router"
LENGTH = 400
TURN = 200
TASK = 20
SETTLED = 50
"""Steps after the turn from which an arm should have adapted."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what is seen, and whether it is critical."""

    hint: float
    difficulty: float
    progress: float
    critical: bool


Stream = list[Step]
Chosen = list[bool]


def stream(seed: int) -> Stream:
    """Return one stream whose cue turns around at TURN."""
    chance = Shuffles(seed)
    steps: Stream = []
    for i in range(LENGTH):
        hint = chance.random()
        told = min(1.0, max(0.0, hint + 0.2 * (chance.random() - 0.5)))
        critical = hint > 0.6 if i < TURN else hint < 0.4
        steps.append(Step(told, chance.random(), (i % TASK) / TASK, critical))
    return steps


def run(
    *, quick: bool = False, seeds: int | None = None, data: str | Path | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the table of C3."""
    del data
    count = seeds or (6 if quick else 30)
    train = [stream(seed) for seed in training(10)]
    limit = _tuned(train)
    alarm, window = min(
        ((alarm, window) for alarm in (1.0, 1.5, 2.0, 3.0, 4.0) for window in (6, 10, 15, 20, 30)),
        key=lambda pair: sum(price(each, router(each, limit, *pair)) for each in train),
    )
    tests = [stream(seed) for seed in held_out(count)]
    arms: dict[str, Callable[[Stream, int], Chosen]] = {
        "static rule": lambda steps, _: [step.hint > limit for step in steps],
        "contextual bandit": bandit,
        "change-point router": lambda steps, _: router(steps, limit, alarm, window),
        "reference": lambda steps, _: scheduler(steps, REFERENCE),
        "ours": lambda steps, _: scheduler(steps, DEFAULT),
    }
    costs: dict[str, list[float]] = {}
    for name, arm in arms.items():
        chosen = [arm(steps, seed) for seed, steps in enumerate(tests)]
        parts = {
            "before": (0, TURN),
            "just after": (TURN, TURN + SETTLED),
            "later": (TURN + SETTLED, LENGTH),
        }
        shown = {
            part: mean([price(steps[a:b], each[a:b]) for steps, each in zip(tests, chosen, strict=True)])
            for part, (a, b) in parts.items()
        }
        costs[name] = [price(steps[TURN:], each[TURN:]) for steps, each in zip(tests, chosen, strict=True)]
        after = [price(steps[TURN:], each[TURN:]) for steps, each in zip(tests, chosen, strict=True)]
        text = ", ".join(f"{part} {value:.1f}" for part, value in shown.items())
        yield line(f"arm {name}: price before, just after and later", "reported", f"{text}; after {mean(after):.1f}",
                   True, n=count)  # fmt: skip
    yield from _claims(costs, quick)


def _claims(costs: dict[str, list[float]], quick: bool) -> Iterator[dict[str, Any]]:
    rivals = ("static rule", "contextual bandit", "change-point router", "reference")
    found = [compare(costs["ours"], costs[rival]) for rival in rivals]
    corrected = holm([each.p for each in found])
    for rival, each, p in zip(rivals, found, corrected, strict=True):
        must = rival in {"static rule", "reference"}
        yield line(
            f"ours less {rival}: price after the turn",
            "< 0, p < 0.05" if must else "reported",
            f"{each.mean:.1f} (lower in {each.wins:.0f} % of seeds)",
            quick or not must or (each.high < 0 and p < 0.05),
            source="+5 to +10 points over a static rule, p < .001" if rival == "static rule" else None,
            interval=each.interval(),
            p=p,
            n=each.n,
        )


def price(steps: Sequence[Step], chosen: Sequence[bool]) -> float:
    """Return what the choices cost at the scheduler's own prices."""
    total = 0.0
    for step, deep in zip(steps, chosen, strict=True):
        total += CONSULT_PRICE * deep
        if step.critical and not deep:
            total += MISS_PRICE
        if deep and not step.critical:
            total += OVER_PRICE
    return total


def scheduler(steps: Stream, rules: Rules) -> Chosen:
    """Run the scheduler, the reference's or ours, over *steps*."""
    params = Params()
    library, task = meta.Library(mu=params.mu0), meta.Task(risk_budget=params.risk_budget0)
    chosen: Chosen = []
    failed = False
    for i, step in enumerate(steps):
        if i % TASK == 0:
            task.restart(params, forget_spend=rules.open_steps)
        seen = meta.Seen((step.hint, step.difficulty, step.progress), "inspect")
        decision = meta.decide_step(library, task, seen, Context("inspect"), 0.0, params, rules)
        chosen.append(decision.ignite)
        missed = step.critical and not decision.ignite
        failed = failed or missed
        known = meta.Foreseen(meta.features(seen, None), decision.estimate.p_mean, decision.estimate.p_crit)
        outcome = meta.Outcome(
            0.9 if step.critical else 0.1, decision.ignite, decision.ignite, missed=missed or None
        )
        meta.learn(library, task, seen, outcome, params, rules, known if rules.calibrated else None)
        if i % TASK == TASK - 1:
            meta.feedback(library, task, not failed, params, rules)
            failed = False
    return chosen


def bandit(steps: Stream, seed: int) -> Chosen:
    """Run linear Thompson sampling over the price of each way, forgetting slowly."""
    chance = Shuffles(90 * CONTROLS_FROM + seed)
    sides = [_Regression(4), _Regression(4)]
    chosen: Chosen = []
    for step in steps:
        x = (1.0, step.hint, step.difficulty, step.progress)
        drawn = [side.sample(x, chance) for side in sides]
        deep = drawn[1] < drawn[0]
        chosen.append(deep)
        # Full feedback, as the schedulers have it: the price of both ways is known afterwards.
        sides[0].learn(x, MISS_PRICE if step.critical else 0.0)
        sides[1].learn(x, CONSULT_PRICE + (0.0 if step.critical else OVER_PRICE))
    return chosen


def router(steps: Stream, limit: float, alarm: float, window: int) -> Chosen:
    """Run the rule with a Page-Hinkley alarm, after which sign and limit are fitted to the last *window* steps."""
    sign, recent = 1, list[Step]()
    level, drift, lowest, n = 0.0, 0.0, 0.0, 0
    chosen: Chosen = []
    for step in steps:
        deep = step.hint > limit if sign > 0 else step.hint < limit
        chosen.append(deep)
        error = 1.0 if deep != step.critical else 0.0
        recent = [*recent[-29:], step]
        n += 1
        level += (error - level) / n
        drift += error - level - 0.02
        lowest = min(lowest, drift)
        if drift - lowest > alarm and len(recent) >= window:
            sign, limit = _refit(recent[-window:])
            level, drift, lowest, n = 0.0, 0.0, 0.0, 0
    return chosen


def _refit(recent: Sequence[Step]) -> tuple[int, float]:
    options = [(sign, i / 20) for sign in (1, -1) for i in range(1, 20)]

    def cost(option: tuple[int, float]) -> float:
        sign, limit = option
        return price(recent, [each.hint > limit if sign > 0 else each.hint < limit for each in recent])

    return min(options, key=cost)


def _tuned(train: Sequence[Stream]) -> float:
    limits = [i / 100 for i in range(30, 80)]
    return min(
        limits,
        key=lambda limit: sum(price(each[:TURN], [s.hint > limit for s in each[:TURN]]) for each in train),
    )


class _Regression:
    """Recursive least squares with forgetting."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.weights = [0.0] * size
        self.spread = [[10.0 if i == j else 0.0 for j in range(size)] for i in range(size)]

    def learn(self, x: Sequence[float], y: float) -> None:
        """Take in one price."""
        lean = [sum(row[j] * x[j] for j in range(self.size)) for row in self.spread]
        total = 0.98 + sum(a * b for a, b in zip(lean, x, strict=True))
        error = y - sum(w * v for w, v in zip(self.weights, x, strict=True))
        for i in range(self.size):
            self.weights[i] += lean[i] / total * error
        for i in range(self.size):
            for j in range(self.size):
                self.spread[i][j] = (self.spread[i][j] - lean[i] * lean[j] / total) / 0.98

    def sample(self, x: Sequence[float], chance: Shuffles) -> float:
        """Return a draw of the price."""
        middle = sum(w * v for w, v in zip(self.weights, x, strict=True))
        wide = sum(x[i] * self.spread[i][j] * x[j] for i in range(self.size) for j in range(self.size))
        return middle + sqrt(max(0.0, wide)) * chance.gauss(0.0, 1.0)
