"""How much thought a near tie in the room is worth: the deterministic best, one call, or a call with reflection.

The auction and the belief are those of the served scheduler. What differs is the executor:
here it is the world, and an outcome counts as it was perceived by the resident. A mind
cannot sign for itself: `learn` takes what was perceived, or None when nothing was.

What is learned is whether thinking matters. A call mattered if it chose otherwise than the
deterministic best would have and that was perceived to work; a cheap choice would have been
worth a thought if what was intended was not perceived to happen. A cheap choice that worked
says that its scene is safe, and nothing about what a model would have chosen: most of what a
resident does works, whoever chose it.

State is integers only (billionths), so it goes into snapshots and digests. In between, the
arithmetic is the four operations and square roots, which round alike on every machine
(agent/scheduler/exact.py); nothing here depends on a platform's library.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from agent.scheduler import meta
from agent.scheduler.auction import Context, Decision, Estimate, SkillSignal, Standing, decide
from agent.scheduler.belief import FEATURES, Belief
from agent.scheduler.clusters import Evidence
from agent.scheduler.kinds import of_kin, of_kind
from agent.scheduler.params import (
    CALIBRATION_ENOUGH,
    ROOM_DRIFT,
    ROOM_INFLATION,
    ROOM_KIN_WEIGHT,
    ROOM_KIND_BOUND,
    ROOM_KIND_TRIES,
    ROOM_MUCH,
    ROOM_PRIOR_MEAN,
    ROOM_PRIOR_VARIANCE,
    ROOM_REFLECT_MARGIN,
    ROOM_REFLECTIONS_KEPT,
    ROOM_SAMPLES,
    ROOM_SAMPLES_STAKES,
    Params,
)

UNIT = 1_000_000_000
SCENES_MAX = 512
OPEN_MAX = 64
LINKS_MAX = 256
assert len(ROOM_PRIOR_MEAN) == len(ROOM_PRIOR_VARIANCE) == FEATURES

KINDS = ("cheap", "call", "reflect")


@dataclass(frozen=True, slots=True)
class Signals:
    """What a round knows of its own choice. Thousandths 0..1000 where not said otherwise."""

    stakes: int
    """How much hangs on it: the largest weight among the group's commitments and needs."""
    difficulty: int
    """How close the tie is: 1000 when the best two are equal."""
    progress: int = 0
    """How far the commitment is."""
    context: int = 0
    """How full the model's context would be."""
    prior: int = 300
    """How critical the skills at hand usually are (declared by each skill)."""
    mutating: bool = False
    """Whether some candidate changes the room or a relation."""
    irreversible: bool = False
    """Whether the deterministic best cannot be undone: what would be done without a thought."""
    scene: str = ""
    """Meaning of the step: skill, object kind, region and failure signature, in a fixed order."""
    commitment: str = ""
    """What the step belongs to; steps of one commitment inform each other."""
    family: str = ""
    """What kind of choice it is (agent/scheduler/kinds.py): what the best is for, what it would pass over, and how close that comes."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much thought, and why."""

    kind: str
    """cheap, call or reflect."""
    samples: int
    """Samples of a reflection, 0 otherwise."""
    reason: str
    chance: int
    """That thinking matters here, thousandths."""
    bid: int
    """Thousandths of the cost model's unit, barriers left out."""
    ask: int
    kind_of_chance: str = "risk_score"


@dataclass(slots=True)
class Scheduler:
    """What the resident has learned of thinking. JSON-able; integers in billionths."""

    price: int = UNIT
    weights: list[int] = field(default_factory=lambda: [round(each * UNIT) for each in ROOM_PRIOR_MEAN])
    covariance: list[list[int]] = field(
        default_factory=lambda: [
            [round(ROOM_PRIOR_VARIANCE[i] * UNIT) if i == j else 0 for j in range(FEATURES)]
            for i in range(FEATURES)
        ]
    )
    outcomes: int = 0
    surprise: int = 0
    alarms: int = 0
    window: int = 0
    """Questions that are asked without an auction after the rule seemed to change."""
    under: int = 0
    """Regret since the last night: where thinking mattered more than was foreseen, in billionths of the cost model's unit."""
    over: int = 0
    """And where it mattered less."""
    reflections: list[int] = field(default_factory=lambda: [0, 0])
    """Reflections [that overturned the first answer, that did not]; of the last ones, see ROOM_REFLECTIONS_KEPT."""
    scenes: dict[str, list[int]] = field(default_factory=dict)
    """Scene -> [perceived successes, perceived failures] of cheap choices."""
    links: dict[str, list[int]] = field(default_factory=dict)
    """Commitment or family -> [steps in which thinking mattered, steps in which it did not]."""
    open: dict[str, list[int]] = field(default_factory=dict)
    """Round or request id -> [features in billionths]; outcomes are learned against these."""
    open_about: dict[str, list[str]] = field(default_factory=dict)
    """Round or request id -> [scene, commitment, kind, samples, "otherwise" or "", family]."""

    def row(self) -> list[object]:
        """Return every field, for the digest."""
        return [
            self.price, self.weights, self.covariance, self.outcomes, self.surprise, self.alarms, self.window, self.under, self.over,
            self.reflections, self.scenes, self.links, self.open, self.open_about,
        ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Lesson:
    """What an outcome taught: of which kind of choice, and whether thinking mattered there."""

    kind: str
    mattered: bool | None
    """None where the outcome can't tell: a cheap choice that worked does not say what a model would have chosen."""


def think(state: Scheduler, signals: Signals, key: str, params: Params | None = None) -> Effort:
    """Decide how much thought the choice *key* is worth, and keep it open until its outcome."""
    constants = params or Params()
    seen = _seen(signals)
    kind = of_kind(state.links, signals.family)
    evidence = _evidence(state, signals, kind)
    held = _features(signals, seen, evidence)
    chance, hoped, alone = _belief(state).forecast(held, ROOM_KIND_BOUND)
    standing, context = _standing(state, signals), _context(state, signals, evidence)
    # No bound on the doubt: the auction prices what is known.
    decision = decide(_estimate(state, chance, alone), standing, context, constants)
    effort = _effort(state, decision, signals, constants)
    if effort.kind == "cheap" and signals.family and sum(kind) < ROOM_KIND_TRIES:
        # A kind with hardly a lesson is given up only once the auction would not ask at the upper end of the doubt, either.
        if decide(_estimate(state, hoped, hoped), standing, context, constants).ignite:
            effort = replace(effort, kind="call", reason="new-kind")
    _open(state, key, held, signals, effort)
    return effort


def learn(
    state: Scheduler,
    key: str,
    *,
    perceived: bool | None,
    otherwise: bool = False,
    params: Params | None = None,
) -> Lesson | None:
    """Take in the outcome of the choice *key*; return what was learned from it, None for nothing.

    *perceived*: the intended change was perceived (True), its absence or failure was (False),
    or neither (None: nothing is learned). *otherwise*: the model chose other than the
    deterministic best (as `chosen` may have said before). A choice teaches once; an unknown key teaches nothing.
    """
    constants = params or Params()
    raw = state.open.pop(key, None)
    about = state.open_about.pop(key, None)
    if raw is None or about is None or perceived is None:
        return None
    scene, commitment, kind, _, other, family = about
    mattered = (not perceived) if kind == "cheap" else ((otherwise or bool(other)) and perceived)
    if kind == "cheap":
        _count(state.scenes, scene, 0 if perceived else 1, SCENES_MAX)
    if kind == "cheap" and perceived:
        return Lesson(kind, None)
    belief = _belief(state)
    held = tuple(each / UNIT for each in raw)
    _regret(state, belief.forecast(held, 0.0)[0], mattered, constants)
    changed = belief.learn(held, mattered, ROOM_DRIFT, ROOM_INFLATION)
    _keep(state, belief)
    if changed:
        state.window = constants.safe_window_len
    for name in (commitment, family):
        _count(state.links, name, 0 if mattered else 1, LINKS_MAX)
    return Lesson(kind, mattered)


def chosen(state: Scheduler, key: str, *, otherwise: bool, reflected: bool | None = None) -> None:
    """Note the committed answer to the choice *key*: otherwise than the deterministic best would have chosen or not.

    *reflected*: a reflection overturned the first answer (True), kept it (False), or there was none (None).
    """
    if otherwise and key in state.open_about:
        state.open_about[key][4] = "otherwise"
    if reflected is not None:
        state.reflections[0 if reflected else 1] += 1
        if sum(state.reflections) > ROOM_REFLECTIONS_KEPT:
            state.reflections = [each // 2 for each in state.reflections]


def depth(state: Scheduler, key: str) -> int:
    """Return the samples of a reflection that the choice *key* was given, 0 for a plain call or an unknown key."""
    about = state.open_about.get(key)
    return 0 if about is None else int(about[3])


def forget(state: Scheduler, key: str) -> None:
    """Drop a choice whose outcome will never be known: stale, cancelled, overtaken."""
    state.open.pop(key, None)
    state.open_about.pop(key, None)


def night(state: Scheduler, params: Params | None = None) -> None:
    """Move the price of risk by the day's regret; called by the slow loop."""
    constants = params or Params()
    moved = meta.price_after(state.price / UNIT, state.under / UNIT, state.over / UNIT, True, 0.0, constants)
    state.price = round(moved * UNIT)
    state.under = 0
    state.over = 0


def _seen(signals: Signals) -> meta.Seen:
    return meta.Seen((signals.stakes / 1000, signals.difficulty / 1000, signals.progress / 1000), None)


def _features(signals: Signals, seen: meta.Seen, evidence: Evidence | None) -> tuple[float, ...]:
    # The vector's places of "changes something" and "prior" come from the skills, not from a table of actions.
    plain = meta.features(seen, evidence)
    changing = 1.0 if signals.mutating else 0.0
    return (*plain[:4], changing, signals.prior / 1000, *plain[6:])


def _standing(state: Scheduler, signals: Signals) -> Standing:
    window = state.window
    state.window = max(0, window - 1)
    return Standing(
        library_empty=state.outcomes == 0,
        mu=state.price / UNIT,
        pollution=signals.context / 1000,
        risk_budget=1.0,
        safe_window=window,
        regime_shift=False,
        shift_score=0.0,
    )


def _context(state: Scheduler, signals: Signals, evidence: Evidence | None) -> Context:
    good, bad = state.scenes.get(signals.scene, [0, 0])
    tries = good + bad
    skill = None
    if signals.scene and tries:
        skill = SkillSignal(
            novelty=0.0,
            prior_success=good / tries,
            repo_match=1.0,
            verified_support=good,
            best_sim=1.0,
            reusable=good > 0 and bad == 0,
        )
    return Context(action=None, irreversible=signals.irreversible, skill=skill, cluster=evidence)


def _evidence(state: Scheduler, signals: Signals, kind: tuple[int, int]) -> Evidence | None:
    """Return what came of thinking in this kind of choice, the telling link, and within this commitment.

    A kind leans on its kin, or else on the commitment, for as much as ROOM_KIN_WEIGHT lessons of its own.
    """
    (mattered, harmless), kin = kind, of_kin(state.links, signals.family)
    high, low = state.links.get(signals.commitment, [0, 0]) if signals.commitment else [0, 0]
    links = mattered + harmless + high + low + min(round(ROOM_KIN_WEIGHT), sum(kin))
    if links == 0:
        return None
    near = kin if sum(kin) else (high, low)
    leaning = ROOM_KIN_WEIGHT * (near[0] + 1) / (sum(near) + 2)
    return Evidence(
        cluster_id=0,
        size=links + 1,
        coupling=0.0,
        peer_max_crit=0.0,
        peer_max_stakes=0.0,
        peer_ignited=False,
        peer_verified_critical=mattered + high > 0,
        edge_reasons=("plan-node",),
        links=links,
        earlier=links,
        peer_mean=(mattered + leaning) / (mattered + harmless + ROOM_KIN_WEIGHT),
        by_symbol=(mattered, harmless),
        otherwise=(high, low),
    )


def _regret(state: Scheduler, foreseen: float, mattered: bool, params: Params) -> None:
    """Count how far an outcome went beyond what was foreseen.

    Only half of the truth is ever perceived: what a model would have made of a choice that was settled cheaply and worked
    stays unknown. So needless thought must not count whole, or the price of risk would sink to its floor: counted like this,
    at one price, the two sides keep level while forecasts are borne out.
    """
    if mattered:
        state.under += round(params.miss_penalty * (1.0 - foreseen) * UNIT)
    else:
        state.over += round(params.miss_penalty * foreseen * UNIT)


def _estimate(state: Scheduler, chance: float, alone: float) -> Estimate:
    return Estimate(
        p_mean=chance,
        p_crit=chance,
        p_upper=chance,
        doubt=0.0,
        similarity=1.0,
        index=0,
        error=0.0,
        n_effective=state.outcomes,
        p_alone=alone,
    )


def _effort(state: Scheduler, decision: Decision, signals: Signals, params: Params) -> Effort:
    open_bid = decision.bid
    while open_bid >= params.hard_barrier:
        open_bid -= params.hard_barrier
    kind, samples = "cheap", 0
    if decision.ignite:
        grave = decision.risk_class == "irreversible" or signals.stakes >= ROOM_MUCH
        deep = grave or open_bid - decision.ask > ROOM_REFLECT_MARGIN
        wanted = ROOM_SAMPLES_STAKES if signals.stakes >= ROOM_MUCH else ROOM_SAMPLES
        if deep and not decision.suggest_compact and _reflection_pays(state, wanted, params):
            kind, samples = "reflect", wanted
        else:
            kind = "call"
    return Effort(
        kind=kind,
        samples=samples,
        reason=decision.reason,
        chance=round(decision.estimate.p_crit * 1000),
        bid=round(open_bid * 1000),
        ask=round(decision.ask * 1000),
        kind_of_chance="probability" if decision.estimate.n_effective >= CALIBRATION_ENOUGH else "risk_score",
    )


def _reflection_pays(state: Scheduler, samples: int, params: Params) -> bool:
    """Return whether reflections overturn first answers often enough to be worth the price of their samples."""
    overturned, kept = state.reflections
    price = samples * params.consult_cost * params.over_think_cost
    return (overturned + 1) * params.miss_penalty > price * (overturned + kept + 2)


def _open(state: Scheduler, key: str, held: tuple[float, ...], signals: Signals, effort: Effort) -> None:
    state.open.pop(key, None)
    while len(state.open) >= OPEN_MAX:
        forget(state, next(iter(state.open)))
    state.open[key] = [round(each * UNIT) for each in held]
    state.open_about[key] = [signals.scene, signals.commitment, effort.kind, str(effort.samples), "", signals.family]


def _count(kept: dict[str, list[int]], name: str, place: int, limit: int) -> None:
    if not name:
        return
    counts = kept.pop(name, [0, 0])
    counts[place] += 1
    while len(kept) >= limit:
        del kept[next(iter(kept))]
    kept[name] = counts


def _belief(state: Scheduler) -> Belief:
    return Belief(
        weights=[each / UNIT for each in state.weights],
        covariance=[[each / UNIT for each in row] for row in state.covariance],
        outcomes=state.outcomes,
        surprise=state.surprise / UNIT,
        alarms=state.alarms,
    )


def _keep(state: Scheduler, belief: Belief) -> None:
    state.weights = [round(each * UNIT) for each in belief.weights]
    state.covariance = [[round(each * UNIT) for each in row] for row in belief.covariance]
    state.outcomes = belief.outcomes
    state.surprise = round(belief.surprise * UNIT)
    state.alarms = belief.alarms
