"""The auction: one bid for thinking, one ask for saving, and the reason that tipped it.

Pure: estimates and circumstances in, a decision out. Every term is kept apart, so a reader
of the log sees what drove the choice.
"""

from __future__ import annotations

from dataclasses import dataclass

from agent.scheduler.clusters import Evidence
from agent.scheduler.exact import clip, tanh
from agent.scheduler.params import CHECKS, Params, is_mutating, prior_of

# Not frozen, though nobody changes them: some are made for each question, and freezing makes a value three times as dear.


@dataclass(slots=True)
class SkillSignal:
    """What the skill layer says of a step."""

    novelty: float = 0.0
    prior_success: float = 0.5
    repo_match: float = 0.0
    verified_support: int = 0
    best_sim: float = 0.0
    reusable: bool = False


@dataclass(slots=True)
class Context:
    """What else is known of the step to be decided."""

    action: str | None = None
    risk_class: str | None = None
    irreversible: bool = False
    skill: SkillSignal | None = None
    cluster: Evidence | None = None
    owed_checks: int = 0
    """Forced checks that never arrived (default mode; 0 in the reference)."""


@dataclass(slots=True)
class Estimate:
    """How critical the step is thought to be."""

    p_mean: float
    p_crit: float
    p_upper: float
    doubt: float
    similarity: float
    index: int
    error: float
    n_effective: int
    p_alone: float | None = None
    """p_crit without the cluster's evidence (default mode)."""
    read: tuple[float, ...] = ()
    """What the belief was asked about: an outcome is learned against this (default mode)."""


@dataclass(slots=True)
class Standing:
    """The state of the session that the auction reads."""

    library_empty: bool
    mu: float
    pollution: float
    risk_budget: float
    safe_window: int
    regime_shift: bool
    shift_score: float


@dataclass(slots=True)
class Decision:
    """The outcome of one auction with all its terms."""

    ignite: bool
    verify: str
    risk_class: str
    reason: str
    estimate: Estimate
    threshold: float
    bid: float
    ask: float
    base: float
    budget_shadow: float
    mutating: bool
    prior: float
    action_premium: float
    forced_verify: bool
    reuse_discount: float
    novelty_premium: float
    cross_premium: float
    skill_net: float
    cluster_premium: float
    debt_premium: float
    standing: Standing
    suggest_compact: bool

    @property
    def mode(self) -> str:
        """Return "system2" or "system1"."""
        return "system2" if self.ignite else "system1"


def decide(estimate: Estimate, standing: Standing, context: Context, params: Params) -> Decision:
    """Hold the auction for one step."""
    mutating, prior = is_mutating(context.action), prior_of(context.action)
    risk_class = _risk_class(estimate, context, params)
    stakes = max(estimate.p_crit, prior if mutating else 0.0)
    base, cluster = _base_and_cluster(estimate, standing, context, params)
    ask = _ask(estimate, standing, params)
    barriers = (params.hard_barrier if risk_class == "irreversible" else 0.0) + (
        params.hard_barrier if risk_class == "critical" else 0.0
    )
    budget = _budget_shadow(estimate, standing, params)
    window = params.hard_barrier if standing.safe_window > 0 else 0.0
    action = params.action_premium_weight * prior * params.miss_penalty if mutating else 0.0
    reuse, novelty, cross = _skill_terms(context.skill, stakes, params)
    net = novelty + cross - reuse
    owed = min(params.debt_max, context.owed_checks)
    debt = params.debt_weight * owed * params.miss_penalty
    bid = max(0.0, base + barriers + budget + window + action + net + cluster + debt)
    ignite = standing.library_empty or bid > ask
    terms = _Terms(base, budget, action, reuse, novelty, cross, cluster, debt)
    reason = _reason(standing, risk_class, ignite, bid, ask, terms, mutating)
    verify = _verify(risk_class, context.action, mutating, ignite, estimate.p_upper, params)
    return Decision(
        ignite=ignite,
        verify=verify,
        risk_class=risk_class,
        reason=reason,
        estimate=estimate,
        threshold=clip(params.base_threshold - params.threshold_gain * tanh(standing.mu - 1)),
        bid=bid,
        ask=ask,
        base=base,
        budget_shadow=budget,
        mutating=mutating,
        prior=prior,
        action_premium=action,
        forced_verify=mutating
        and verify != "none"
        and risk_class == "normal"
        and params.force_verify_mutating,
        reuse_discount=reuse,
        novelty_premium=novelty,
        cross_premium=cross,
        skill_net=net,
        cluster_premium=cluster,
        debt_premium=debt,
        standing=standing,
        suggest_compact=ignite and standing.pollution > clip(0.6 - 0.1 * (standing.mu - 1)),
    )


def _risk_class(estimate: Estimate, context: Context, params: Params) -> str:
    if context.irreversible or context.risk_class == "irreversible":
        return "irreversible"
    if context.risk_class == "critical" or estimate.p_upper >= params.critical_gate:
        return "critical"
    return "normal"


def _base_and_cluster(
    estimate: Estimate, standing: Standing, context: Context, params: Params
) -> tuple[float, float]:
    alone = estimate.p_crit if estimate.p_alone is None else estimate.p_alone
    base = standing.mu * alone * params.miss_penalty
    evidence = context.cluster
    if evidence is None:
        return base, 0.0
    if estimate.p_alone is not None:
        # What the neighbours add to (or take from) the expected price of a miss, no more.
        return base, standing.mu * (estimate.p_crit - estimate.p_alone) * params.miss_penalty
    stakes = 1.0 if evidence.peer_verified_critical else clip(evidence.peer_max_stakes)
    return base, params.cluster_weight * clip(evidence.coupling) * stakes * params.miss_penalty


def _ask(estimate: Estimate, standing: Standing, params: Params) -> float:
    over = params.over_think_cost
    return (
        params.consult_cost * over
        + (1 - estimate.p_crit) * over
        + params.pollute_weight * standing.pollution * over
    )


def _budget_shadow(estimate: Estimate, standing: Standing, params: Params) -> float:
    if standing.risk_budget <= 0:
        return params.hard_barrier
    short = max(0.0, 1 - standing.risk_budget / params.budget_soft)
    return estimate.p_upper * params.miss_penalty * short


def _skill_terms(skill: SkillSignal | None, stakes: float, params: Params) -> tuple[float, float, float]:
    if skill is None:
        return 0.0, 0.0, 0.0
    reuse = 0.0
    support = skill.verified_support
    if skill.reusable and support > 0:
        trust = support / (support + 2)
        reuse = (
            params.skill_reuse_weight * skill.repo_match * skill.prior_success * trust * params.miss_penalty
        )
    novelty = params.skill_novelty_weight * clip(skill.novelty) * stakes * params.miss_penalty
    farther = clip(skill.best_sim - skill.repo_match)
    cross = params.cross_repo_weight * farther * stakes * params.miss_penalty
    return reuse, novelty, cross


@dataclass(slots=True)
class _Terms:
    base: float
    budget: float
    action: float
    reuse: float
    novelty: float
    cross: float
    cluster: float
    debt: float


def _reason(
    standing: Standing, risk_class: str, ignite: bool, bid: float, ask: float, terms: _Terms, mutating: bool
) -> str:
    won = bid > ask
    base, budget, debt = terms.base, terms.budget, terms.debt
    premium = terms.novelty > 0 or terms.cross > 0
    others = base + terms.action + (terms.novelty + terms.cross - terms.reuse)
    ladder: tuple[tuple[bool, str], ...] = (
        (standing.library_empty, "empty-library"),
        (risk_class == "irreversible", "irreversible-barrier"),
        (risk_class == "critical", "critical-barrier"),
        (standing.risk_budget <= 0, "risk-budget-exhausted"),
        (standing.safe_window > 0, "safe-exploration-window"),
        (debt > 0 and won and bid - debt <= ask, "owed-check-premium"),
        (budget > 0 and won and base <= ask, "risk-budget-pressure"),
        (mutating and won and base + budget <= ask, "mutating-action-premium"),
        (terms.reuse > 0 and not ignite, "skill-reuse-discount"),
        (premium and ignite and base <= ask, "skill-novelty/cross-repo-premium"),
        (terms.cluster > 0 and ignite and others <= ask, "cluster-coupling-premium"),
        (won, "rob-bid>eco-ask"),
    )
    for holds, reason in ladder:
        if holds:
            return reason
    return "eco-ask>rob-bid"


def _verify(
    risk_class: str, action: str | None, mutating: bool, ignite: bool, p_upper: float, params: Params
) -> str:
    if risk_class == "irreversible":
        return "dry_run"
    if risk_class == "critical":
        return "test"
    if mutating:
        return CHECKS.get(action or "", "test")
    return "lint" if not ignite and p_upper >= params.verify_gate else "none"
