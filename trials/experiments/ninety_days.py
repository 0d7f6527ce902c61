"""E6: ninety days. Does the library of intuitions grow, level off, and keep a balance of coming and going?

Twice: alone in a room whose ways do not change (`week`, prolonged), and in `moods`, where a friend comes and goes by
seasons, breaks off what he began, and things are put elsewhere for good. The source's figures stand beside both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trials.experiments.lines import line
from trials.experiments.lives import Life, live, seeds_of, spread

NAME = "ninety_days"
DOC = "E6: the library of intuitions over ninety days: how many, how sure, how many come and go a day."
PROTOCOLS = {"week": "", "moods": "where things change: "}
"""Protocol -> how the claims about it begin."""
DAYS, QUICK_DAYS = 90, 5
HELD = {1: 10, 7: 18, 30: 32, 60: 38, 90: 40}
SURE = {1: 0.85, 30: 0.82, 60: 0.80, 90: 0.78}
FLOWS = ((1, 7, 1.1, 0.1), (8, 30, 0.8, 0.6), (31, 60, 0.4, 0.4), (61, 90, 0.2, 0.2))
FULL_SEEDS = 3


def run(*, quick: bool = True, seeds: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the lines; *quick* lives five days on one seed, else ninety on three of the test seeds of each protocol."""
    for protocol, where in PROTOCOLS.items():
        for found in in_one(protocol, quick, seeds):
            yield {**found, "claim": where + found["claim"]}


def in_one(protocol: str, quick: bool, seeds: int | None) -> Iterator[dict[str, Any]]:
    """Yield the lines of one protocol."""
    days = QUICK_DAYS if quick else DAYS
    chosen = seeds_of(protocol, "test", quick, seeds or (1 if quick else FULL_SEEDS))
    lives = [live(protocol, seed, days) for seed in chosen]
    told = {"days": days, "seeds": len(chosen)}
    for day, expected in HELD.items():
        if day <= days:
            mean, interval = spread([life.library[day - 1] for life in lives], 1)
            near = mean is not None and abs(mean - expected) <= 0.25 * expected
            yield line(
                f"intuitions held after day {day}",
                f"{expected} within a quarter",
                mean,
                near,
                expected=expected,
                interval=interval,
                **told,
            )
    for day, sure in SURE.items():
        if day <= days:
            mean, interval = spread([life.sure[day - 1] for life in lives])
            near = mean is not None and abs(mean - sure) <= 0.1
            yield line(
                f"mean confidence after day {day}",
                f"{sure} within 0.1",
                mean,
                near,
                expected=sure,
                interval=interval,
                **told,
            )
    for first, last, come, go in FLOWS:
        if last <= days:
            yield from flow(lives, first, last, come, go, told)
    yield from balance(lives, days, told)


def flow(
    lives: list[Life], first: int, last: int, come: float, go: float, told: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield how many come and go a day from day *first* to day *last*."""
    for what, expected, pick in (("formed", come, "formed"), ("removed", go, "removed")):
        rates = [per_day(getattr(life, pick), first, last) for life in lives]
        mean, interval = spread(rates, 2)
        near = mean is not None and abs(mean - expected) <= 0.3
        yield line(
            f"intuitions {what} a day, days {first}-{last}",
            f"{expected} within 0.3",
            mean,
            near,
            expected=expected,
            interval=interval,
            **told,
        )


def balance(lives: list[Life], days: int, told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield whether growth levels off: net growth a day in the last third against the first."""
    third = max(1, days // 3)
    early = [per_day(life.formed, 1, third) - per_day(life.removed, 1, third) for life in lives]
    late = [
        per_day(life.formed, days - third + 1, days) - per_day(life.removed, days - third + 1, days)
        for life in lives
    ]
    first, second = spread(early, 3), spread(late, 3)
    holds = first[0] is not None and second[0] is not None and second[0] <= 0.25 * first[0]
    yield line("net growth a day, last third against first", "<= a quarter", [first[0], second[0]], holds, expected="balance",
               interval=[first[1], second[1]], **told)  # fmt: skip


def per_day(counts: dict[int, int], first: int, last: int) -> float:
    """Return the mean of *counts* over days *first* to *last*, counted from 1."""
    return sum(count for day, count in counts.items() if first <= day + 1 <= last) / (last - first + 1)
