"""The scheduler in the room: model calls a day, at what quality, against always asking and a fixed threshold.

A friend visits every day and near ties that touch a person come up (protocol `emergence`, no intuitions, so that every
such tie is a question). The first days are for learning, in every arm. The threshold settles a tie whose leader is ahead by
a gap, whatever it is about: the shipped one (half the width of a near tie), and one tuned on training seeds, the fewest calls
among those whose quality there is not below that of always asking. A rule that never asks is printed beside them, since a
saving that it has too is no merit of the scheduler's.

Quality is the oracle's: what the room says came of it (trials/oracle.py). It hardly tells the arms apart, as most of what
a resident does works, whoever chose it. So a second measure is printed: the share of ties settled as the competent model
would, and what share a coin would reach that asks as often as the scheduler does. Asking more settles more, so calls are
compared at equal agreement, too: every gap is lived on the held-out seeds, and what a threshold pays for as much agreement as
the scheduler has is read off the line through them. No gap is picked by that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from protocols.library import load_protocol
from trials.experiments.compute_stats import RESAMPLES, Paired, compare, holm, line, mean
from trials.experiments.compute_ties import Ties, live
from trials.experiments.shuffles import Shuffles

NAME = "compute_room"
DOC = "in the room: model calls a day and quality against always asking, a fixed threshold and never asking"
PROTOCOL = "emergence"
ASKS: dict[str, Any] = {"mind.sys1": "none"}
ARMS: dict[str, dict[str, Any]] = {
    "always": ASKS,
    "threshold": {"mind.sys1": "router"},
    "tuned threshold": {"mind.sys1": "router"},
    "scheduler": {**ASKS, "mind.scheduler": True},
    "never": {**ASKS, "model.provider": "none"},
}
RIVALS = ("always", "threshold", "tuned threshold", "never")
REPORTED = ("always", "threshold")
"""Arms that ask more: by the judge's measure they can hardly be beaten."""
SHIPPED, GAPS = 75, (25, 30, 40, 50, 75, 100)
"""The shipped gap and those tried for the threshold, thousandths; 150 is always asking and 0 is never."""
MORE_SEEDS = (311, 312, 313)
"""Held out beside the protocol's own test seeds: eight make a sign-flip test able to speak."""
DAYS, LEARNING_DAYS = 6, 3
"""Days lived, and how many of them are for learning: calls and ties are counted after them, in every arm alike."""
TUNING_DAYS, TUNING_SEEDS = 2, 3
"""Days that are counted on each of so many training seeds, after those for learning."""
MARGIN = 0.01
"""Quality may be lower by one point at most, at the lower end of the interval. Set beforehand."""


def run(*, quick: bool = True, seeds: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the table; *quick* lives one day on two seeds, with the declared gap."""
    declared = load_protocol(PROTOCOL).form["seeds"]
    chosen = [*declared["test"], *MORE_SEEDS][: seeds or (2 if quick else 8)]
    days, learning = (1, 0) if quick else (DAYS, LEARNING_DAYS)
    gap, gaps = SHIPPED, (SHIPPED,) if quick else GAPS
    if not quick:
        tried = tuning(declared["training"][:TUNING_SEEDS])
        gap = tuned(tried)
        yield line("gap of the tuned threshold, picked on training seeds", "reported", gap, True)
        for name, row in tried.items():
            measured = f"{row.calls} calls, quality {row.quality:.4f}, as the judge {100 * row.agreement:.1f} %"
            yield line(f"training seeds, {name}", "reported", measured, True)

    def lived(arm: Mapping[str, Any]) -> list[Ties]:
        return [live(PROTOCOL, seed, 24 * days, arm, learning_hours=24 * learning) for seed in chosen]

    line_of_gaps = {each: lived(with_gap(each)) for each in gaps}
    thresholds = {"threshold": line_of_gaps[SHIPPED], "tuned threshold": line_of_gaps[gap]}
    lives = {name: thresholds.get(name) or lived(arm) for name, arm in ARMS.items()}
    yield from told(lives, days, learning)
    for each, found in line_of_gaps.items():
        measured = f"{mean([one.calls / (days - learning) for one in found]):.1f} calls a day, as the judge {_percent(found):.1f} %"
        yield line(f"threshold, gap {each}", "reported", measured, True, n=len(found))
    yield from compared(lives, days - learning, quick)
    yield at_equal_agreement(lives["scheduler"], [lives["never"], *line_of_gaps.values(), lives["always"]], days - learning, quick)


def tuning(seeds: list[int]) -> dict[str, Ties]:
    """Return what always asking, each gap and the scheduler came to on training *seeds*, after the days for learning."""
    arms = {"always": ASKS, **{f"gap {gap}": with_gap(gap) for gap in GAPS}, "scheduler": ARMS["scheduler"]}
    return {name: summed(arm, seeds) for name, arm in arms.items()}


def tuned(tried: Mapping[str, Ties]) -> int:
    """Return the gap with the fewest calls among those that lose no quality."""
    fit = [gap for gap in GAPS if tried[f"gap {gap}"].quality >= tried["always"].quality] or [max(GAPS)]
    return min(fit, key=lambda gap: tried[f"gap {gap}"].calls)


def with_gap(gap: int) -> dict[str, Any]:
    """Return the arm that asks where the best is ahead by less than *gap*."""
    return {**ARMS["threshold"], "mind.params": {"router_gap": gap}}


def summed(arm: Mapping[str, Any], seeds: list[int]) -> Ties:
    """Return the sums over *seeds*; quality is the mean."""
    hours, learning = 24 * (LEARNING_DAYS + TUNING_DAYS), 24 * LEARNING_DAYS
    found = [live(PROTOCOL, seed, hours, arm, learning_hours=learning) for seed in seeds]
    total = Ties(judged=sum(each.judged for each in found), agreed=sum(each.agreed for each in found))
    total.calls, total.quality = sum(each.calls for each in found), mean([each.quality for each in found])
    return total


def told(lives: Mapping[str, list[Ties]], days: int, learning: int) -> Iterator[dict[str, Any]]:
    """Yield what each arm came to."""
    for name, found in lives.items():
        calls = mean([each.calls / (days - learning) for each in found])
        before = f" ({mean([each.calls_before / learning for each in found]):.1f} while learning)" if learning else ""
        right = sum(each.right for each in found) / sum(each.right + each.wrong for each in found)
        measured = (
            f"{calls:.1f} calls a day{before}, quality {mean([each.quality for each in found]):.4f}, right {100 * right:.1f} %, "
            f"as the judge {100 * mean([each.agreement for each in found]):.1f} %"
        )
        yield line(f"arm {name}", "reported", measured, True, n=len(found))
    efforts: dict[str, int] = {}
    for each in lives["scheduler"]:
        for kind, count in each.efforts.items():
            efforts[kind] = efforts.get(kind, 0) + count
    yield line("scheduler: ties by effort", "reported", dict(sorted(efforts.items())), True)


def compared(lives: Mapping[str, list[Ties]], days: int, quick: bool) -> Iterator[dict[str, Any]]:
    """Yield the claims: fewer calls, at a quality that is not lower."""
    ours = lives["scheduler"]
    fewer = {rival: _by(ours, lives[rival], "calls", days) for rival in RIVALS[:3]}
    corrected = dict(zip(fewer, holm([each.p for each in fewer.values()]), strict=True))
    for rival, each in fewer.items():
        share = sum(one.calls for one in ours) / max(1, sum(one.calls for one in lives[rival])) - 1
        yield line(
            f"calls a day, scheduler less {rival}", "< 0, p < 0.05", f"{each.mean:.2f} ({100 * share:.1f} %)",
            quick or (each.high < 0 and corrected[rival] < 0.05), interval=each.interval(), p=corrected[rival], n=each.n,
        )  # fmt: skip
    for rival in RIVALS:
        each = _by(ours, lives[rival], "quality", 1)
        yield line(
            f"quality by the oracle, scheduler less {rival}", f">= -{MARGIN}", f"{each.mean:.4f}", quick or each.low >= -MARGIN,
            interval=[each.low, each.high], n=each.n,
        )  # fmt: skip
    rivals = {rival: _by(ours, lives[rival], "agreement", 1) for rival in RIVALS}
    for rival, each in rivals.items():
        target = "reported" if rival in REPORTED else "> 0"
        yield line(
            f"ties settled as the judge would, scheduler less {rival}", target, f"{100 * each.mean:.1f} points",
            quick or rival in REPORTED or each.low > 0, interval=[100 * each.low, 100 * each.high], n=each.n,
        )  # fmt: skip
    coin = [_coin(one) for one in ours]
    each = compare([one.agreement for one in ours], coin)
    yield line(
        "the same, less a coin that asks as often", "> 0, p < 0.05", f"{100 * each.mean:.1f} points",
        quick or (each.low > 0 and each.p < 0.05), interval=[100 * each.low, 100 * each.high], p=each.p, n=each.n,
    )  # fmt: skip


def at_equal_agreement(ours: list[Ties], rivals: list[list[Ties]], days: int, quick: bool) -> dict[str, Any]:
    """Return the line of calls less those of a threshold that agrees as often, with a bootstrap interval over the seeds."""
    chance, n = Shuffles(3), len(ours)

    def less(picks: Sequence[int]) -> float:
        points = sorted((mean([one[i].agreement for i in picks]), mean([one[i].calls / days for i in picks])) for one in rivals)
        return mean([ours[i].calls / days for i in picks]) - read_off(points, mean([ours[i].agreement for i in picks]))

    drawn = sorted(less([chance.below(n) for _ in range(n)]) for _ in range(RESAMPLES))
    low, high = drawn[RESAMPLES // 40], drawn[-RESAMPLES // 40 - 1]
    measured = less(range(n))
    share = measured / max(1e-9, mean([one.calls / days for one in ours]) - measured)
    return line(
        "calls a day, scheduler less a threshold that agrees as often", "< 0", f"{measured:.2f} ({100 * share:.1f} %)",
        quick or high < 0, interval=[low, high], n=n,
    )  # fmt: skip


def read_off(points: Sequence[tuple[float, float]], at: float) -> float:
    """Return the height of the line through rising *points* over *at*."""
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 <= at <= x1:
            return y1 if x1 == x0 else y0 + (y1 - y0) * (at - x0) / (x1 - x0)
    return points[0][1] if at < points[0][0] else points[-1][1]


def _percent(found: list[Ties]) -> float:
    return 100 * mean([one.agreement for one in found])


def _by(ours: list[Ties], theirs: list[Ties], what: str, per: int) -> Paired:
    return compare([getattr(one, what) / per for one in ours], [getattr(one, what) / per for one in theirs])


def _coin(one: Ties) -> float:
    """Return the share of the same ties that asking as many of them at random would settle as the judge would."""
    asked = sum(count for kind, count in one.efforts.items() if kind != "cheap") / max(1, sum(one.efforts.values()))
    return asked + (1 - asked) * one.by_rule / max(1, one.judged)
