"""The tuned numbers of the scheduler, with their bounds and their names at the client's edge.

Source: spec 04, reference section 1.1 (hand-set there until costs are measured).
The numbers of the default mode that the reference lacks stand below its own.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

MUTATING = frozenset(
    {"write_code", "apply_patch", "design_patch", "edit_file", "refactor", "delete", "migrate_schema"}
)
"""Actions that change something."""

PRIORS: dict[str, float] = {
    "write_code": 0.8,
    "apply_patch": 0.85,
    "design_patch": 0.85,
    "edit_file": 0.7,
    "refactor": 0.75,
    "delete": 0.95,
    "migrate_schema": 0.95,
    "read_issue": 0.2,
    "retrieve": 0.2,
    "locate": 0.35,
    "triage": 0.25,
    "run_test": 0.4,
    "inspect": 0.3,
}
"""How critical an action is before anything is known about the step, 0..1."""
PRIOR_OTHER = 0.3
PRIOR_OTHER_MUTATING = 0.8

CHECKS: dict[str, str] = {
    "design_patch": "review",
    "apply_patch": "test",
    "write_code": "test",
    "edit_file": "test",
    "refactor": "test",
    "delete": "dry_run",
    "migrate_schema": "dry_run",
    "run_test": "none",
}
"""The check an action asks for when its class is normal."""

assert all(action in PRIORS for action in MUTATING), "every changing action has a prior"


@dataclass(frozen=True, slots=True)
class Params:
    """Constants of one session. Costs are in the cost model's own unit, not in tokens."""

    sim_tau: float = 0.18
    merge_sim: float = 0.7
    max_proto: int = 12
    lr: float = 0.12
    mu0: float = 1.0
    mu_lr: float = 0.10
    mu_min: float = 0.3
    mu_max: float = 4.0
    consult_cost: float = 0.10
    over_think_cost: float = 4.0
    miss_penalty: float = 6.0
    pollute_weight: float = 0.6
    critical_gate: float = 0.75
    verify_gate: float = 0.15
    k_upper: float = 0.5
    k_sample: float = 0.25
    shift_th: float = 0.6
    safe_window_len: int = 3
    hard_barrier: float = 1e6
    budget_soft: float = 1.0
    risk_budget0: float = 2.5
    action_premium_weight: float = 0.5
    skill_reuse_weight: float = 0.4
    skill_novelty_weight: float = 0.3
    cross_repo_weight: float = 0.5
    cluster_weight: float = 0.6
    base_threshold: float = 0.6
    threshold_gain: float = 0.20
    calib_window: int = 50
    force_verify_mutating: bool = True

    debt_weight: float = 0.25
    """Default mode: what one forced check that never arrived adds, as a share of missPenalty."""
    debt_max: int = 4
    """Default mode: more owed checks than this raise the bid no further."""
    critical_y: float = 0.6
    """Default mode: an outcome above this was critical (the generator's and the base threshold's line)."""
    belief_bound: float = 1.0
    """Default mode: standard errors of the belief between its mean and the upper bound of the risk."""
    belief_drift: float = 0.0001
    """Default mode: variance each weight regains per step, so that a learned rule can be unlearned."""
    shift_inflation: float = 0.5
    """Default mode: variance each weight regains when the rule seems to have changed."""
    mu_pull: float = 0.05
    """Default mode: share of the way back to mu0 that mu goes after each task."""
    open_max: int = 256
    """Default mode: steps of a session that may be open at once."""


# The belief of the default mode (agent/scheduler/belief.py): hand-set on the generator of the benchmark; what the same
# figures come to on seeds that nothing was ever looked at on is told in docs/scheduler.md, C1.
BELIEF_PRIOR_MEAN = (-4.5, 8.0, 2.0, 0.0, 0.0, 0.5, *(0.0,) * 4, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
"""Log odds for each feature before any outcome: critical steps are those hinted to be critical, or linked to such."""
BELIEF_PRIOR_VARIANCE = (16.0, 36.0, 16.0, 4.0, 4.0, 4.0, *(64.0,) * 4, 16.0, 16.0, 16.0, 16.0, 16.0, 36.0)
BELIEF_VARIANCE_MAX = 100.0
"""Squared log odds; a weight never becomes more doubtful than this."""
BELIEF_SLACK = 0.08
"""How much worse than expected a forecast may be, in squared error, before it counts as a surprise. Chosen."""
BELIEF_ALARM = 1.2
"""Summed surprise that means: the rule has changed. About two confident forecasts gone wrong in a row. Chosen."""

CALIBRATION_WINDOW = 600
"""Outcomes the reliability curve looks back on. Chosen."""
CALIBRATION_ENOUGH = 120
"""Outcomes before the isotonic curve may correct a forecast. Chosen."""
CALIBRATION_REFIT = 20
"""Outcomes between two fits of the curve. Chosen."""
CALIBRATION_GAP_ENOUGH = 0.06
"""Mean gap of the raw forecasts from which on the curve corrects them: pooling also blurs their order. Chosen."""
CALIBRATION_GAP_MAX = 0.10
"""Mean gap between forecast and frequency up to which a forecast may be called a probability. Chosen."""
CALIBRATION_PSEUDO = 2.0
"""Weight of the raw forecast in a block of the curve, in outcomes: small blocks move little. Chosen."""

# In the room (agent/scheduler/room.py). Tuned means: on training seeds of the protocol `emergence`, see docs/scheduler.md.
ROOM_REFLECT_MARGIN = 2.0
"""How far the bid must stand above the ask for reflection, in the cost model's unit: about half a needless call. Chosen."""
ROOM_SAMPLES = 3
ROOM_SAMPLES_STAKES = 5
"""Samples of a reflection, and when much hangs on it. Spec 03, 6."""
ROOM_MUCH = 800
"""Stakes (thousandths) from which much hangs on a choice. Chosen."""
ROOM_REFLECTIONS_KEPT = 16
"""Reflections remembered for whether they pay. Chosen."""
ROOM_KIND_TRIES = 2
"""Lessons on a kind of choice before the auction alone decides about it. Tuned on seeds 11 to 13, kept on 11 to 15."""
ROOM_KIND_BOUND = 2.0
"""Standard errors above the forecast at which a kind with fewer lessons is still hoped for: about the usual 95 %. Chosen."""
ROOM_KIN_WEIGHT = 2.0
"""Lessons that what came of kindred kinds counts for, in the mean of one kind. Tuned on seeds 11 to 15 (2 or 3 do alike)."""
ROOM_PRIOR_MEAN = (-1.5, 0.0, 2.0, *(0.0,) * 12, 3.0)
ROOM_PRIOR_VARIANCE = (1.0, *(0.25,) * 15)
"""Before any outcome thinking is the likelier to matter the closer the tie (the third feature; as likely as not at three
quarters), and what came of like choices (the last) is what tells most. Tuned on seeds 11 to 15."""
ROOM_DRIFT, ROOM_INFLATION = 0.00001, 0.005
"""Shares of the served belief's variances that a weight regains with each outcome, and when the rule seems to have changed."""

REFERENCE_SKILL_DIMENSIONS = 64
SKILL_DIMENSIONS = 512
SKILL_NEIGHBOURS = 7
SKILL_STRONG_SIM = 0.6
SKILL_RECORDS_MAX = 5000
CUT_ERROR = 512
CUT_PATCH = 2000
CUT_STACK_TOKENS = 64
CUT_STACK_TOKEN = 128
CUT_COMMAND = 256
CUT_HASH = 64

CLUSTER_JACCARD = 0.34
CLUSTER_SATURATION = 3
CLUSTER_STEPS_MAX = 2000
CLUSTER_STEPS_KEPT = 1000
CLUSTER_HUB_SHARE = 0.25
"""Default mode: a file or symbol in more than this share of the steps links nothing... Chosen."""
CLUSTER_HUB_FLOOR = 8
"""...once it is in at least this many."""
CLUSTER_SYMBOL_SHARED = 0.15
"""Default mode: share of the smaller symbol set that must be common. Chosen."""
CLUSTER_PARTS_MAX = 256
"""Default mode: entries of one list of files, symbols or tests that count. The reference has no such limit."""

ATTEST_SOURCES = ("executor",)
ATTEST_MAX_AGE_MS = 300_000
ATTEST_SKEW_MS = 5_000
"""Default mode: how far ahead an executor's clock may run."""
ATTEST_REMEMBER_MS = 600_000
ATTEST_NONCES_SOFT = 4096

OPTION_NAMES: dict[str, str] = {
    "simTau": "sim_tau",
    "mergeSim": "merge_sim",
    "maxProto": "max_proto",
    "lr": "lr",
    "mu0": "mu0",
    "muLr": "mu_lr",
    "muMin": "mu_min",
    "muMax": "mu_max",
    "consultCost": "consult_cost",
    "overThinkCost": "over_think_cost",
    "missPenalty": "miss_penalty",
    "polluteWeight": "pollute_weight",
    "criticalGate": "critical_gate",
    "verifyGate": "verify_gate",
    "kUpper": "k_upper",
    "kSample": "k_sample",
    "shiftTh": "shift_th",
    "safeWindowLen": "safe_window_len",
    "hardBarrier": "hard_barrier",
    "budgetSoft": "budget_soft",
    "riskBudget0": "risk_budget0",
    "actionPremiumWeight": "action_premium_weight",
    "skillReuseWeight": "skill_reuse_weight",
    "skillNoveltyWeight": "skill_novelty_weight",
    "crossRepoWeight": "cross_repo_weight",
    "clusterWeight": "cluster_weight",
    "calibWindow": "calib_window",
    "forceVerifyMutating": "force_verify_mutating",
}

BOUNDS: dict[str, tuple[float, float]] = {
    # A client may ask for more care, never for less: safety limits move in one direction only.
    "hard_barrier": (1e6, 1e12),
    "miss_penalty": (6.0, 1e3),
    "critical_gate": (0.0, 0.75),
    "verify_gate": (0.0, 0.15),
    "k_upper": (0.5, 5.0),
    "k_sample": (0.25, 5.0),
    "shift_th": (0.0, 0.6),
    "safe_window_len": (3, 100),
    "budget_soft": (1.0, 100.0),
    "risk_budget0": (0.0, 2.5),
    "action_premium_weight": (0.5, 10.0),
    "skill_reuse_weight": (0.0, 0.4),
    "mu_min": (0.3, 4.0),
    "force_verify_mutating": (1, 1),
    # The rest are matters of taste within what the arithmetic can bear.
    "mu_max": (1.0, 10.0),
    "sim_tau": (1e-3, 10.0),
    "merge_sim": (0.0, 1.0),
    "max_proto": (1, 64),
    "lr": (0.0, 0.5),
    "mu0": (0.3, 4.0),
    "mu_lr": (0.0, 1.0),
    "consult_cost": (0.0, 1.0),
    "over_think_cost": (0.0, 4.0),
    "pollute_weight": (0.0, 0.6),
    "skill_novelty_weight": (0.0, 10.0),
    "cross_repo_weight": (0.0, 10.0),
    "cluster_weight": (0.0, 10.0),
    "calib_window": (1, 10_000),
}
"""What a client may set in the default mode. Outside of it the option is refused, by name."""

_KINDS = {each.name: each.type for each in fields(Params)}


def with_options(params: Params, options: Any, *, bounded: bool) -> tuple[Params, tuple[str, ...]]:
    """Return *params* as a client wishes them, and the names of the wishes that were refused.

    Unbounded (reference): any number for any known name. Bounded (default): only within BOUNDS.
    """
    if not isinstance(options, dict):
        return params, ()
    wished: dict[str, Any] = {}
    refused: list[str] = []
    for name, value in options.items():
        field = OPTION_NAMES.get(str(name))
        number = isinstance(value, (int, float)) and abs(value) < 1e300
        if field is None or not number:
            refused.append(str(name)[:64])
            continue
        low, high = BOUNDS[field]
        if bounded and not low <= value <= high:
            refused.append(str(name)[:64])
            continue
        wished[field] = _shaped(field, value)
    return replace(params, **wished), tuple(refused)


def _shaped(field: str, value: float) -> float | int | bool:
    kind = str(_KINDS[field])
    if kind == "bool":
        return bool(value)
    return int(value) if kind == "int" else float(value)


assert set(BOUNDS) == set(OPTION_NAMES.values()), "every option has bounds"


def prior_of(action: str | None) -> float:
    """Return the prior of *action*, 0 when none is named."""
    if not action:
        return 0.0
    known = PRIORS.get(action)
    if known is not None:
        return known
    return PRIOR_OTHER_MUTATING if action in MUTATING else PRIOR_OTHER


def is_mutating(action: str | None) -> bool:
    """Return whether *action* changes something."""
    return bool(action) and action in MUTATING
