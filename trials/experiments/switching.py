"""E4: how sure must an intuition be to decide? Correct, overturned and latency by threshold, fourteen days.

The threshold is picked on training seeds by F1 (precision: sys1 choices that were right of those judged; recall: right
near ties that sys1 settled) and reported on test seeds. Labels come from the oracle. Fallback is, as the sources mean it, a
sys1 choice that did not stand: set aside, cancelled or failed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agent.params import Params
from trials.experiments.lines import line
from trials.experiments.lives import Life, live, ratio, seeds_of, spread

NAME = "switching"
DOC = "E4: the confidence from which intuition decides: right, overturned, latency at .5, .7 and .9; the best by F1."
PROTOCOL = "emergence"
EXPECTED = {500: (0.82, 0.15, 150), 700: (0.88, 0.08, 220), 900: (0.91, 0.03, 350)}
GRID = (500, 600, 700, 800, 900)
SHIPPED = Params().theta_conf
TRAINING_SEEDS = 3
"""How many of the training seeds the full tier picks a threshold on; what is reported is of all test seeds."""


def run(*, quick: bool = True, seeds: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the lines; *quick* lives three days on two seeds with the three thresholds of the source, else fourteen."""
    days = 3 if quick else 14
    grid = tuple(EXPECTED) if quick else GRID
    training = {theta: lives(theta, "training", days, quick, seeds or (None if quick else TRAINING_SEEDS)) for theta in grid}
    scores = {theta: round(f1(found), 3) for theta, found in training.items()}
    best = max(scores, key=lambda theta: (scores[theta], theta))
    yield line(
        "threshold by F1 on training seeds",
        "reported",
        best / 1000,
        True,
        f1={f"{t / 1000:g}": s for t, s in scores.items()},
        days=days,
        seeds=len(seeds_of(PROTOCOL, "test", quick, seeds)),
        training_seeds=len(training[best]),
    )
    for theta in dict.fromkeys((*EXPECTED, best)):
        yield from report(theta, lives(theta, "test", days, quick, seeds), days)


def lives(theta: int, kind: str, days: int, quick: bool, seeds: int | None) -> list[Life]:
    """Live with one threshold."""
    over = {} if theta == SHIPPED else {"mind.params": {"theta_conf": theta}}
    return [live(PROTOCOL, seed, days, over) for seed in seeds_of(PROTOCOL, kind, quick, seeds)]


def f1(found: list[Life]) -> float:
    """Return F1 of settling near ties by sys1, over all lives together."""
    right = sum(life.right("sys1")[0] for life in found)
    judged = sum(life.right("sys1")[1] for life in found)
    all_right = sum(life.right()[0] for life in found)
    if not right:
        return 0.0
    precision, recall = right / judged, right / all_right
    return 2 * precision * recall / (precision + recall)


def report(theta: int, found: list[Life], days: int) -> Iterator[dict[str, Any]]:
    """Yield right, overturned and latency at one threshold."""
    named = f"theta_conf {theta / 1000:g}"
    correct, fallback, latency = EXPECTED.get(theta, (None, None, None))
    told = {"days": days, "seeds": len(found), "decisions": sum(life.ties.get("sys1", 0) for life in found)}
    mean, interval = spread([ratio(*life.right("sys1")) for life in found])
    yield line(
        f"{named}: sys1 choices that were right",
        "> 0.85",
        mean,
        mean is not None and mean > 0.85,
        expected=correct,
        interval=interval,
        **told,
    )
    mean, interval = spread(
        [ratio(life.judged.get("sys1", [0] * 4)[3], life.ties.get("sys1", 0)) for life in found]
    )
    yield line(
        f"{named}: sys1 choices overturned",
        "< 0.1",
        mean,
        mean is not None and mean < 0.1,
        expected=fallback,
        interval=interval,
        **told,
    )
    waits = [
        ratio(sum(life.sys1_ms) + sum(life.model_ms), len(life.sys1_ms) + len(life.model_ms))
        for life in found
    ]
    mean, interval = spread(waits, 1)
    yield line(f"{named}: mean latency of a near tie settled by sys1 or the model, ms", "reported", mean, True, expected=latency,
               interval=interval, **told)  # fmt: skip
