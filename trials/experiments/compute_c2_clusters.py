"""C2: do clusters help, or would any extra thought have helped as much?

The source compares clusters with no clusters (M1, M2). Two controls are added: placebo
clusters (files and symbols shuffled among the steps of a session, so links are as many but
mean nothing) and a budget-matched arm (no clusters, but as much thought, tuned on training
seeds). A gain is claimed only where the cluster arm beats both, after correction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from agent.scheduler.params import Params
from trials.experiments import compute_arms as arms
from trials.experiments import compute_synth as synth
from trials.experiments.compute_stats import Paired, compare, holm, line, mean, ratio_interval

NAME = "compute_c2"
DOC = "clusters against placebo clusters and a budget-matched arm, reference and ours"
NOISE = 0.3
MARGIN = 1.10
"""M2: more System-2 calls than this share of the step arm's is too many."""
SAME = 2.0
"""Misses a seed within which two arms count as equivalent."""

Run = Callable[[synth.Sessions], synth.Score]


def run(
    *, quick: bool = False, seeds: int | None = None, data: str | Path | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the table of C2."""
    repos = arms.repositories(data)
    count = seeds or (4 if quick else 24)
    train = arms.draw(repos, arms.training(2 if quick else 12), NOISE)
    test = arms.draw(repos, arms.held_out(count), NOISE)
    yield from table("reference", reference_arms(train, quick), test, quick, source=True)
    yield from table("ours", our_arms(train, quick), test, quick, source=False)


def reference_arms(train: Sequence[synth.Sessions], quick: bool) -> dict[str, Run]:
    """Return the reference's arms and its controls."""
    goal = mean([synth.run_reference(each, clusters=True).s2 for each in train])

    def at(consult: float) -> Run:
        params = replace(Params(), consult_cost=consult)
        return lambda sessions: synth.run_reference(sessions, clusters=False, params=params)

    return {
        "step": lambda sessions: synth.run_reference(sessions, clusters=False),
        "cluster": lambda sessions: synth.run_reference(sessions, clusters=True),
        "placebo": lambda sessions: synth.run_reference(sessions, clusters=True, placebo=11),
        "matched": matched(at, train, goal, -1.0, 1.0, quick),
    }


def our_arms(train: Sequence[synth.Sessions], quick: bool) -> dict[str, Run]:
    """Return our arms and their controls, untrained, so that nothing but the session informs them.

    Ours spends what clusters tell it on fewer calls as much as on fewer misses, so clusters
    and placebo are both tuned to the step arm's number of calls, and misses compared there.
    """
    params = replace(Params(), pollute_weight=0.0, mu_lr=0.0)
    goal = mean([arms.ours(each, params, clusters=False).s2 for each in train])

    def at(clusters: bool, placebo: int | None) -> Callable[[float], Run]:
        def made(consult: float) -> Run:
            tuned = replace(params, consult_cost=consult)
            return lambda sessions: arms.ours(sessions, tuned, clusters=clusters, placebo=placebo)

        return made

    cluster = matched(at(True, None), train, goal, -1.5, 1.5, quick)
    spent = mean([cluster(each).s2 for each in train])
    return {
        "step": lambda sessions: arms.ours(sessions, params, clusters=False),
        "cluster": cluster,
        "placebo": matched(at(True, 11), train, goal, -1.5, 1.5, quick),
        "matched": matched(at(False, None), train, spent, -1.5, 1.5, quick),
    }


def matched(
    at: Callable[[float], Run],
    train: Sequence[synth.Sessions],
    goal: float,
    low: float,
    high: float,
    quick: bool,
) -> Run:
    """Return the arm that asks as often as *goal* a seed on training sessions."""
    for _ in range(4 if quick else 8):
        middle = (low + high) / 2
        calls = mean([at(middle)(each).s2 for each in train])
        if calls > goal:
            low = middle
        else:
            high = middle
    return at((low + high) / 2)


def table(
    who: str, runs: dict[str, Run], test: Sequence[synth.Sessions], quick: bool, *, source: bool
) -> Iterator[dict[str, Any]]:
    """Yield the comparisons of one family of arms."""
    scores = {name: [each(sessions) for sessions in test] for name, each in runs.items()}
    n = len(test)
    for name, part in scores.items():
        measured = (
            f"misses {mean([s.miss for s in part]):.2f}, System-2 calls {mean([s.s2 for s in part]):.1f}, "
            f"cost {mean([s.tok for s in part]):.0f}"
        )
        yield line(f"{who}: arm {name}", "reported", measured, True, n=n)
    rivals = ("step", "placebo", "matched")
    found = [compare(_misses(scores["cluster"]), _misses(scores[rival])) for rival in rivals]
    corrected = holm([each.p for each in found])
    for rival, each, p in zip(rivals, found, corrected, strict=True):
        yield line(
            f"{who}: M1, misses of the cluster arm less those of {rival}",
            "< 0, p < 0.05",
            f"{each.mean:.2f} (fewer in {each.wins:.0f} % of seeds)",
            source or quick or (each.mean < 0 and p < 0.05),
            source="-1.33 (p .0017) or -1.71 (p .0002)" if source and rival == "step" else None,
            interval=each.interval(),
            p=p,
            n=n,
        )
    gained = all(each.high < 0 and p < 0.05 for each, p in zip(found, corrected, strict=True))
    yield line(
        f"{who}: a gain of clusters over both controls may be claimed",
        "yes" if not source else "reported",
        "yes" if gained else "no",
        source or quick or gained,
        source="claimed without controls" if source else None,
        n=n,
    )
    yield from _m2(who, scores, source)
    yield _equivalence(who, found[2])


def _m2(who: str, scores: dict[str, list[synth.Score]], source: bool) -> Iterator[dict[str, Any]]:
    calls = ratio_interval([s.s2 for s in scores["cluster"]], [s.s2 for s in scores["step"]])
    more = compare([s.s2 for s in scores["cluster"]], [s.s2 for s in scores["step"]])
    yield line(
        f"{who}: M2, System-2 calls of the cluster arm against per step",
        f"<= {MARGIN:.2f}x",
        f"{calls[0]:.4f}x ({more.mean:+.2f} calls)",
        calls[2] <= MARGIN,
        source="+10.29 calls (1.011x)" if source else None,
        interval=[calls[1], calls[2]],
        p=more.p,
        n=more.n,
    )


def _equivalence(who: str, against: Paired) -> dict[str, Any]:
    inside = against.low > -SAME and against.high < SAME
    return line(
        f"{who}: cluster and budget-matched arm are equivalent within {SAME:.0f} misses a seed",
        "reported",
        "yes" if inside else "no",
        True,
        interval=against.interval(),
        n=against.n,
    )


def _misses(scores: Sequence[synth.Score]) -> list[float]:
    return [float(score.miss) for score in scores]
