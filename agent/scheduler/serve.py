"""What leaves the scheduler: decisions and reports as the tools' fields, rounded to 4 decimals."""

from __future__ import annotations

from typing import Any

from agent.scheduler.auction import Decision
from agent.scheduler.clusters import Evidence
from agent.scheduler.exact import rounded
from agent.scheduler.prototypes import Prototype
from agent.scheduler.skills import Finding, Record

RULE = "system2 if the library is empty or rob_bid > eco_ask; every term of the bid is listed"


number = rounded
"""A number as it is served."""


def decision_fields(decision: Decision, finding: Finding, evidence: Evidence | None) -> dict[str, Any]:
    """Return the fields of decide_step, those of the reference."""
    estimate, standing, signal = decision.estimate, decision.standing, finding.signal
    mean, base = number(estimate.p_mean), number(decision.base)
    bid, ask = number(decision.bid), number(decision.ask)
    return {
        "mode": decision.mode,
        "ignite": decision.ignite,
        "risk_class": decision.risk_class,
        "verify": decision.verify,
        "remaining_risk_budget": number(standing.risk_budget),
        "decision_reason": decision.reason,
        "criticality_estimate": mean,
        "threshold": number(decision.threshold),
        "familiarity": number(estimate.similarity),
        "surprise": number(1 - estimate.similarity),
        "confidence": number(1 - estimate.error),
        "mu": number(standing.mu),
        "suggest_compact": decision.suggest_compact,
        "decision_rule": RULE,
        "p_crit": number(estimate.p_crit),
        "p_mean": mean,
        "p_upper": number(estimate.p_upper),
        "n_effective": estimate.n_effective,
        "shift_score": number(standing.shift_score),
        "safe_window": standing.safe_window,
        "e_cost_s1": base,
        "e_cost_s2": ask,
        "regime_shift": standing.regime_shift,
        "rob_bid": bid,
        "eco_ask": ask,
        "rob_base": base,
        "budget_shadow": number(decision.budget_shadow),
        "is_mutating": decision.mutating,
        "action_prior": number(decision.prior),
        "action_premium": number(decision.action_premium),
        "forced_verify": decision.forced_verify,
        "skill_reuse_discount": number(decision.reuse_discount),
        "skill_novelty_premium": number(decision.novelty_premium),
        "cross_repo_premium": number(decision.cross_premium),
        "reusable_fix": finding.fix,
        "reference_case": finding.reference,
        "skill_signal": {
            "novelty": number(signal.novelty),
            "prior_success": number(signal.prior_success),
            "repo_match": number(signal.repo_match),
            "verified_support": signal.verified_support,
            "best_sim": number(signal.best_sim),
        },
        "cluster_premium": number(decision.cluster_premium),
        "cluster": None if evidence is None else evidence.served(),
        "rob_gain": bid,
        "eco_cost": ask,
    }


def prototypes_shown(protos: list[Prototype]) -> list[dict[str, Any]]:
    """Return prototypes as dump_prototypes shows them, 3 decimals."""
    return [
        {
            "id": index,
            "n": each.n,
            "confidence": rounded(each.confidence, 3),
            "predErr": rounded(each.error, 3),
            "situationCentroid": [rounded(value, 3) for value in each.centroid],
            "readoutWeights": [rounded(value, 3) for value in each.readout],
        }
        for index, each in enumerate(protos)
    ]


def skills_shown(records: list[Record]) -> list[dict[str, Any]]:
    """Return records as dump_prototypes shows them."""
    return [{"id": index, **each.shown()} for index, each in enumerate(records)]
