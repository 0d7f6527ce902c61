"""E3: can each intuition (L6) be traced to the thought (L3) and the experiences it stems from?

Of every intuition formed in seven days: whether it names a thought, whether that chain holds in the log (the thought
stands there before, is about the same action, and each supporting experience stands there), and how strong the link is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trials.experiments.lines import line
from trials.experiments.lives import live, ratio, seeds_of, spread

NAME = "traceability"
DOC = "E3: intuitions traced to the thoughts and experiences they stem from: share, accuracy, strength of the link."
PROTOCOL = "emergence"


def run(*, quick: bool = True, seeds: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the lines; *quick* lives two days on two seeds, else seven on the test seeds."""
    days = 2 if quick else 7
    chosen = seeds_of(PROTOCOL, "test", quick, seeds)
    lives = [live(PROTOCOL, seed, days) for seed in chosen]
    links = [link for life in lives for link in life.links]
    told = {"days": days, "seeds": len(chosen), "intuitions": len(links)}
    traced = [ratio(sum(bool(link[0]) for link in life.links), len(life.links)) for life in lives]
    mean, interval = spread(traced)
    yield line(
        "intuitions that name a thought",
        ">= 0.85",
        mean,
        mean is not None and mean >= 0.85,
        expected=0.85,
        interval=interval,
        **told,
    )
    right = [
        ratio(sum(link[2] for link in life.links if link[0]), sum(bool(link[0]) for link in life.links))
        for life in lives
    ]
    mean, interval = spread(right)
    yield line(
        "traces that hold in the log",
        ">= 0.9",
        mean,
        mean is not None and mean >= 0.9,
        expected=0.9,
        interval=interval,
        **told,
    )
    strength = [
        ratio(
            sum(link[1] for link in life.links if link[0]) / 1000, sum(bool(link[0]) for link in life.links)
        )
        for life in lives
    ]
    mean, interval = spread(strength)
    holds = mean is not None and mean >= 0.72
    yield line(
        "mean strength of the strongest link",
        ">= 0.72",
        mean,
        holds,
        expected=0.72,
        interval=interval,
        **told,
    )
    # At forming the third term, verifications, is 0 by necessity; by the end it has had its chance.
    late = [
        ratio(sum(life.late_strengths) / 1000, len(life.late_strengths)) for life in lives
    ]
    mean, interval = spread(late)
    yield line("the same at the end of the run, verifications counted", ">= 0.72", mean, mean is not None and mean >= 0.72,
               expected=0.72, interval=interval, **told)  # fmt: skip
