"""The arms that the compute experiments set against each other, over the synthetic benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

from agent.scheduler import meta
from agent.scheduler.auction import Context
from agent.scheduler.clusters import ClusterIndex
from agent.scheduler.params import Params
from agent.scheduler.rules import DEFAULT, Rules
from sim.terminal import Fault
from trials.experiments import compute_synth as synth
from trials.experiments.compute_stats import mean
from trials.experiments.shuffles import Shuffles

TRAIN_FROM, CONTROLS_FROM = 1_000, 10_000
"""Seeds below the first are for testing, those up to the second for training and tuning; chance of control arms comes after."""
MISS_PRICE, OVER_PRICE, CONSULT_PRICE = 6.0, 4.0, 0.4
"""The scheduler's own prices (missPenalty, overThinkCost, consultCost x overThinkCost): rivals get the same."""


def repositories(data: str | Path | None) -> synth.Repositories:
    """Return the benchmark's repositories: from *data* if it has instances, else the shipped ones."""
    from trials.experiments.conformance import read_lines

    names = ("eval_synth_instances.jsonl", "eval_synth_instances.jsonl.zst")
    folders = [Path(data)] if data is not None else []
    folders.append(Path(__file__).parent / "data")
    for folder in folders:
        for name in names:
            if (folder / name).is_file():
                return synth.repositories(read_lines(folder / name))
    raise FileNotFoundError("eval_synth_instances.jsonl: neither in the data folder nor shipped")


def held_out(count: int) -> range:
    """Return the seeds to test on."""
    if count > TRAIN_FROM:
        raise Fault(f"{count} seeds to test on would run into those for training", mend=f"--seeds {TRAIN_FROM} at most")
    return range(count)


def training(count: int, after: int = 0) -> range:
    """Return *count* seeds for training or tuning, those before *after* left to others."""
    assert after + count <= CONTROLS_FROM - TRAIN_FROM
    return range(TRAIN_FROM + after, TRAIN_FROM + after + count)


def draw(repos: synth.Repositories, seeds: Iterable[int], noise: float) -> list[synth.Sessions]:
    """Return the sessions of each seed."""
    return [synth.sessions_of(repos, seed, noise)[1] for seed in seeds]


def threshold(sessions: synth.Sessions, limit: float) -> synth.Score:
    """Run the rival: think when the hint is above *limit*."""
    score = synth.Score()
    for session in sessions:
        missed = {step.pr for step in session if score.add(step, step.hint > limit) and not step.distractor}
        synth.close_session(score, session, missed)
    return score


def tuned_threshold(train: Sequence[synth.Sessions]) -> float:
    """Return the limit that costs least on training sessions, at the scheduler's own prices."""
    limits = [i / 100 for i in range(25, 80)]
    return min(limits, key=lambda limit: sum(price(threshold(each, limit)) for each in train))


def price(score: synth.Score) -> float:
    """Return what a run cost at the scheduler's own prices."""
    return MISS_PRICE * score.miss + OVER_PRICE * score.over + CONSULT_PRICE * score.s2


def ours(
    sessions: synth.Sessions,
    params: Params,
    *,
    rules: Rules = DEFAULT,
    clusters: bool = True,
    library: meta.Library | None = None,
    placebo: int | None = None,
) -> synth.Score:
    """Run the default mode. *library* is learned on from a copy; *placebo* shuffles files and symbols."""
    known = deepcopy(library) if library is not None else meta.Library(mu=params.mu0)
    known.mu = params.mu0
    return learn_on(sessions, params, known, rules=rules, clusters=clusters, placebo=placebo)


def learn_on(
    sessions: synth.Sessions,
    params: Params,
    library: meta.Library,
    *,
    rules: Rules = DEFAULT,
    clusters: bool = True,
    placebo: int | None = None,
) -> synth.Score:
    """Run the default mode over *sessions* and let *library* learn."""
    task = meta.Task(risk_budget=params.risk_budget0)
    score = synth.Score()
    chance = Shuffles(placebo)
    for session in sessions:
        task.restart(params, forget_spend=True)
        index = ClusterIndex(rules.real_links)
        failed: set[str] = set()
        looks = [(step.file, step.symbols) for step in session]
        if placebo is not None:
            chance.shuffle(looks)
        for step, (file, symbols) in zip(session, looks, strict=True):
            seen = meta.Seen((step.hint, step.difficulty, step.progress), synth.ACTION)
            node = synth.node_of(step, len(index.nodes), file, symbols) if clusters else None
            evidence = index.add(node) if node else None
            context = Context(action=synth.ACTION, cluster=evidence)
            decision = meta.decide_step(library, task, seen, context, None, params, rules)
            missed = score.add(step, decision.ignite)
            outcome = meta.Outcome(step.true, decision.ignite, decision.ignite, missed=missed or None)
            foreseen = meta.Foreseen(
                meta.features(seen, evidence), decision.estimate.p_mean, decision.estimate.p_crit
            )
            meta.learn(library, task, seen, outcome, params, rules, foreseen)
            if node:
                node.estimate, node.ignited = decision.estimate.p_mean, decision.ignite
                node.observed = step.true
                node.verified_critical = missed or step.true >= synth.CRITICAL
            if missed and not step.distractor:
                failed.add(step.pr)
        synth.close_session(score, session, failed)
        meta.feedback(library, task, not failed, params, rules)
    return score


def trained(train: Sequence[synth.Sessions], params: Params, *, clusters: bool = True) -> meta.Library:
    """Return a library that has learned on training sessions."""
    library = meta.Library(mu=params.mu0)
    for sessions in train:
        library.mu = params.mu0
        learn_on(sessions, params, library, clusters=clusters)
    return library


def settings(care: float) -> Params:
    """Return one of a line of settings a client may choose, from sparing (-1) to careful (1).

    The benchmark's context does not get worse, so pollution has no price here.
    """
    params = replace(Params(), pollute_weight=0.0, mu_lr=0.0)
    if care < 0:
        return replace(params, consult_cost=params.consult_cost - care * (1.0 - params.consult_cost))
    return replace(params, consult_cost=params.consult_cost * (1 - care), miss_penalty=6.0 + 10.0 * care)


def tuned_settings(
    train: Sequence[synth.Sessions],
    library: meta.Library,
    tokens_max: float,
    *,
    clusters: bool = True,
    rounds: int = 6,
) -> Params:
    """Return the most careful settings that cost at most *tokens_max* a seed on training sessions."""
    low, high = -0.5, 0.5
    for _ in range(rounds):
        care = (low + high) / 2
        scores = [ours(each, settings(care), library=library, clusters=clusters) for each in train]
        if mean([score.tok for score in scores]) <= tokens_max:
            low = care
        else:
            high = care
    return settings(low)
