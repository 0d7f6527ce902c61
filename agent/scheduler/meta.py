"""The meta layer: what is learned about when thinking pays, and the running state of a session.

Library is what a namespace keeps (price, prototypes, belief, reliability). Task is what a
session holds while it works. decide() reads both; learn() and feedback() change them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt

from agent.scheduler import prototypes
from agent.scheduler.auction import Context, Decision, Estimate, Standing, decide
from agent.scheduler.belief import FEATURES, LINKED, Belief
from agent.scheduler.calibrate import Reliability
from agent.scheduler.clusters import Evidence
from agent.scheduler.exact import clip
from agent.scheduler.params import Params, is_mutating, prior_of
from agent.scheduler.prototypes import Match, Prototype
from agent.scheduler.rules import Rules

_UNKNOWN_ERROR = 1.0
LOW, HIGH = 0.4, 0.6
"""Where a hint changes from low to middling to high for the belief."""
_NO_LINKS = (0.0,) * LINKED


@dataclass(slots=True)
class Library:
    """What outlives a session."""

    mu: float
    protos: list[Prototype] = field(default_factory=list)
    next_serial: int = 0
    belief: Belief = field(default_factory=Belief)
    reliability: Reliability = field(default_factory=Reliability)


@dataclass(slots=True)
class Task:
    """What a session holds: part of it is put back when a task begins."""

    risk_budget: float
    active: int = -1
    """Prototype in use: its index in the reference, its serial in the default mode; -1 none."""
    recent_surprise: float = 0.5
    steps: int = 0
    ignitions: int = 0
    pollution: float = 0.0
    residual_ewma: float = 0.0
    verify_fail_ewma: float = 0.0
    safe_window: int = 0
    deep_ewma: float = 0.5
    pending_spend: float | None = None
    regret_under: float = 0.0
    regret_over: float = 0.0

    def restart(self, params: Params, *, forget_spend: bool) -> None:
        """Begin a new task. What was counted and learned stays."""
        self.active = -1
        self.recent_surprise = 0.5
        self.pollution = 0.0
        self.residual_ewma = 0.0
        self.verify_fail_ewma = 0.0
        self.safe_window = 0
        self.risk_budget = params.risk_budget0
        if forget_spend:
            self.pending_spend = None
            self.regret_under = 0.0
            self.regret_over = 0.0


@dataclass(frozen=True, slots=True)
class Seen:
    """A step as the meta layer sees it."""

    hints: tuple[float, float, float]
    action: str | None

    @property
    def vector(self) -> tuple[float, ...]:
        """Return the full situation: hints, whether it changes something, prior."""
        if not self.action:
            return (*self.hints, 0.0, 0.0)
        return (*self.hints, 1.0 if is_mutating(self.action) else 0.0, prior_of(self.action))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a step. None is unknown."""

    observed: float
    ignited: bool
    deep: bool
    passed: bool | None = None
    missed: bool | None = None


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What was thought of a step when it was decided; learning is held against this (default mode)."""

    features: tuple[float, ...]
    raw: float
    """The belief's own probability."""
    served: float
    """The probability as corrected and acted on; an unchecked cheap step spends this much budget."""


def decide_step(
    library: Library,
    task: Task,
    seen: Seen,
    context: Context,
    pollution: float | None,
    params: Params,
    rules: Rules,
) -> Decision:
    """Decide how much thought a step is worth and note in *task* that it was asked.

    *pollution* counts for this step only; None takes what has accumulated.
    """
    rho = task.pollution if pollution is None else pollution
    x = seen.vector
    found = prototypes.match(library.protos, x, params)
    surprise = 1 - found.similarity
    task.steps += 1
    task.recent_surprise = 0.8 * task.recent_surprise + 0.2 * surprise
    if rules.calibrated:
        estimate = _estimate_learned(library, seen, context.cluster, found, params)
    else:
        estimate = _estimate_readout(x, found, params)
    shift = shift_score(task, surprise)
    regime = _regime(task, found, shift, params, rules)
    if regime and task.safe_window <= 0:
        task.safe_window = params.safe_window_len
    standing = Standing(
        library_empty=not library.protos,
        mu=library.mu,
        pollution=rho,
        risk_budget=task.risk_budget,
        safe_window=task.safe_window,
        regime_shift=regime,
        shift_score=shift,
    )
    decision = decide(estimate, standing, context, params)
    task.pending_spend = estimate.p_upper
    task.active = _name(found, rules)
    return decision


def shift_score(task: Task, surprise: float) -> float:
    """Return how much the situation seems to have changed, 0..1."""
    return 0.4 * surprise + 0.35 * task.verify_fail_ewma + 0.25 * min(1.0, 2 * task.residual_ewma)


def features(seen: Seen, evidence: Evidence | None) -> tuple[float, ...]:
    """Return what the belief reads: the situation in three pieces per hint, and what the neighbours say."""
    critical, difficult, _ = seen.hints
    linked = _NO_LINKS if evidence is None or evidence.earlier == 0 else _of_links(evidence)
    found = (
        1.0,
        *seen.vector,
        critical - HIGH if critical > HIGH else 0.0,
        LOW - critical if critical < LOW else 0.0,
        difficult - HIGH if difficult > HIGH else 0.0,
        LOW - difficult if difficult < LOW else 0.0,
        *linked,
    )
    assert len(found) == FEATURES
    return found


def _of_links(evidence: Evidence) -> tuple[float, ...]:
    (symbol_high, symbol_low), (other_high, other_low) = evidence.by_symbol, evidence.otherwise
    loner = 0.0 if symbol_high or symbol_low else evidence.earlier / (evidence.earlier + 4.0)
    linked = evidence.links / (evidence.links + 1.0)
    return (
        symbol_high / (symbol_high + 1.0),
        symbol_low / (symbol_low + 1.0),
        other_high / (other_high + 1.0),
        other_low / (other_low + 1.0),
        loner,
        linked * 2.0 * (evidence.peer_mean - 0.5),
    )


def learn(
    library: Library,
    task: Task,
    seen: Seen,
    outcome: Outcome,
    params: Params,
    rules: Rules,
    foreseen: Foreseen | None = None,
) -> None:
    """Take in the outcome of one step, in the session's state and in the library."""
    note(library, task, seen, outcome, params, foreseen)
    if absorb(library, seen, outcome, params, rules, foreseen):
        task.safe_window = max(task.safe_window, params.safe_window_len)


def note(
    library: Library, task: Task, seen: Seen, outcome: Outcome, params: Params, foreseen: Foreseen | None
) -> None:
    """Take in an outcome in the session's state; the library is only read, as it was before."""
    x = seen.vector
    found = prototypes.match(library.protos, x, params)
    guess = found.prototype.foresee(x) if found.prototype else 0.5
    task.residual_ewma = 0.8 * task.residual_ewma + 0.2 * abs(outcome.observed - guess)
    if outcome.passed is not None:
        task.verify_fail_ewma = 0.7 * task.verify_fail_ewma + (0.0 if outcome.passed else 0.3)
    spend = task.pending_spend if foreseen is None else foreseen.served
    task.pending_spend = None
    _charge(task, outcome, spend, params)
    if task.safe_window > 0:
        task.safe_window -= 1
    if outcome.ignited:
        task.ignitions += 1
    _regret(task, outcome, params)
    task.pollution += (0.022 if outcome.ignited else 0.0) + (0.010 if outcome.deep else 0.002)
    task.deep_ewma = 0.97 * task.deep_ewma + 0.03 * (1.0 if outcome.deep else 0.0)


def absorb(
    library: Library, seen: Seen, outcome: Outcome, params: Params, rules: Rules, foreseen: Foreseen | None
) -> bool:
    """Let the library take in an outcome, ours or another session's. Return whether the rule changed."""
    x = seen.vector
    found = prototypes.match(library.protos, x, params)
    far = found.similarity < params.merge_sim
    if found.prototype is None or (far and (outcome.ignited or rules.steady_prototypes)):
        prototypes.add(library.protos, library.next_serial, x, outcome.observed, params)
        library.next_serial += 1
    else:
        prototypes.refine(found.prototype, x, outcome.observed, params)
    if not rules.calibrated:
        return False
    critical = is_critical(outcome, params)
    held = foreseen.features if foreseen else features(seen, None)
    changed = library.belief.learn(held, critical, params.belief_drift, params.shift_inflation)
    if changed:
        library.reliability = Reliability()
    elif foreseen is not None:
        library.reliability.learn(foreseen.raw, foreseen.served, critical)
    return changed


def feedback(library: Library, task: Task, success: bool, params: Params, rules: Rules) -> None:
    """Move the price of risk after a task."""
    if rules.steady_prototypes:
        library.mu = price_after(
            library.mu, task.regret_under, task.regret_over, success, task.deep_ewma, params
        )
    else:
        if success:
            library.mu -= 0.3 * params.mu_lr
        elif task.deep_ewma > 0.5:
            library.mu -= params.mu_lr
        else:
            library.mu += params.mu_lr
        library.mu = min(params.mu_max, max(params.mu_min, library.mu))
    task.regret_under = 0.0
    task.regret_over = 0.0


def price_after(
    mu: float, under: float, over: float, success: bool, deep_ewma: float, params: Params
) -> float:
    """Return the price of risk after a task with these regrets (default mode).

    Misses pull it up and needless thought pulls it down, each by its share of the whole
    regret; a little of the way goes back to where it started, so no floor is for ever.
    """
    if not success and under == 0.0 and deep_ewma <= 0.5:
        under = params.miss_penalty / 2
    moved = mu + params.mu_lr * (under - over) / (under + over + params.miss_penalty)
    moved += params.mu_pull * (params.mu0 - moved)
    return min(params.mu_max, max(params.mu_min, moved))


def is_critical(outcome: Outcome, params: Params) -> bool:
    """Return whether an outcome counts as critical for the belief."""
    return outcome.missed is True or outcome.observed > params.critical_y


def _estimate_readout(x: tuple[float, ...], found: Match, params: Params) -> Estimate:
    proto = found.prototype
    p_mean = proto.foresee(x) if proto else 0.5
    error = proto.error if proto else _UNKNOWN_ERROR
    doubt = error * (2 - found.similarity) if proto else _UNKNOWN_ERROR
    n = proto.n if proto else 0
    sampled = params.k_sample / sqrt(1 + n)
    return Estimate(
        p_mean=p_mean,
        p_crit=clip(p_mean + 0.5 * doubt * (1 - p_mean)),
        p_upper=clip(p_mean + params.k_upper * doubt * (1 - p_mean) + sampled),
        doubt=doubt,
        similarity=found.similarity,
        index=found.index,
        error=error,
        n_effective=n,
    )


def _estimate_learned(
    library: Library, seen: Seen, evidence: Evidence | None, found: Match, params: Params
) -> Estimate:
    proto = found.prototype
    read = features(seen, evidence)
    raw, upper, alone = library.belief.forecast(read, params.belief_bound)
    p_crit = library.reliability.corrected(raw)
    return Estimate(
        p_mean=raw,
        p_crit=p_crit,
        p_upper=max(p_crit, upper),
        doubt=upper - raw if upper > raw else 0.0,
        similarity=found.similarity,
        index=found.index,
        error=proto.error if proto else _UNKNOWN_ERROR,
        n_effective=library.belief.outcomes,
        p_alone=library.reliability.corrected(alone),
        read=read,
    )


def _regime(task: Task, found: Match, shift: float, params: Params, rules: Rules) -> bool:
    if rules.calibrated:
        # An unknown place is not a new rule: doubt widens the bound there by itself.
        return shift > params.shift_th
    switched = task.active >= 0 and task.active != _name(found, rules) and found.similarity < params.merge_sim
    return switched or shift > params.shift_th


def _name(found: Match, rules: Rules) -> int:
    if rules.steady_prototypes:
        return found.prototype.id if found.prototype else -1
    return found.index


def _charge(task: Task, outcome: Outcome, spend: float | None, params: Params) -> None:
    if outcome.ignited or outcome.passed is True:
        task.risk_budget = min(params.risk_budget0, task.risk_budget + 0.15)
        return
    spent = spend if spend is not None else outcome.observed
    task.risk_budget = max(-1.0, task.risk_budget - spent)
    missed = outcome.missed if outcome.missed is not None else outcome.observed > 0.6
    if missed:
        task.risk_budget -= 0.5


def _regret(task: Task, outcome: Outcome, params: Params) -> None:
    critical = is_critical(outcome, params)
    if critical and not outcome.ignited:
        task.regret_under += params.miss_penalty
    if outcome.ignited and not critical:
        task.regret_over += params.over_think_cost
