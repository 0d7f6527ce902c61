"""Life: four personas live a week each, without a model. Do they keep alive, and do they differ?

The drifts and pulls were tuned on the training seeds of `week` (1 to 5); the lines are reported on its test seeds.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from protocols.library import load_protocol, shipped_personas
from sim.declare import declare
from sim.session import run_trial
from trials.experiments.lines import interval_of, line
from trials.metrics import measure_log

NAME = "life"
DOC = "Four personas live a week each without a model: needs, sleep, meals, practices, commitments, differences."
PERSONAS = ("ada", "bruno", "kai", "lin")
QUICK_SEEDS, QUICK_DAYS = 2, 2
# What a pair of lives may differ in.
TRAITS = (
    "sleep_h_per_day", "sleep_night_share", "meals_per_day", "practices_per_day", "tasks_different", "walk_cells_per_hour",
    "rounds_per_hour", "need_lowest_social", "need_lowest_stimulation", "need_lowest_hygiene", "mood_pleasure", "mood_arousal",
    "need_lowest_rest", "need_lowest_satiety", "explored_done",
)  # fmt: skip


def run(*, quick: bool = True, seeds: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the lines; *quick* lives two days on two seeds, else a week on the test seeds."""
    listed = load_protocol("week").form["seeds"]["test"]
    chosen = listed[: seeds or (QUICK_SEEDS if quick else len(listed))]
    days = QUICK_DAYS if quick else 7
    assert set(PERSONAS) <= set(shipped_personas())
    lives = {persona: [live(persona, seed, days) for seed in chosen] for persona in PERSONAS}
    every = [
        (persona, seed, one)
        for persona, them in lives.items()
        for seed, one in zip(chosen, them, strict=True)
    ]

    def worst(name: str, pick: Any) -> float:
        return float(pick(one[name] for _, _, one in every if one[name] is not None))

    longest = worst("needs_critical_max_min", max)
    yield line(
        "no need critical for longer at a stretch",
        "<= 10 min",
        longest,
        longest <= 10,
        lives=len(every),
        days=days,
    )
    kept = worst("needs_ok", min)
    yield line("each need out of the critical band", ">= 0.99 of the time", kept, kept >= 0.99)
    short, long = worst("sleep_h_day_min", min), worst("sleep_h_day_max", max)
    yield line("sleep a day", "6 to 9 h", [short, long], short >= 6 and long <= 9)
    night = worst("sleep_own_night_share", min)
    yield line("sleep in the persona's own night", ">= 0.8 of it", night, night >= 0.8)
    means = [round(one["meals_per_day"], 2) for _, _, one in every]
    yield line(
        "meals a day, over each life", "2 to 5", [min(means), max(means)], min(means) >= 2 and max(means) <= 5
    )
    orderly = [one["meals_day_min"] >= 2 and one["meals_day_max"] <= 5 for _, _, one in every]
    share = round(sum(orderly) / len(orderly), 3)
    extremes = [worst("meals_day_min", min), worst("meals_day_max", max)]
    yield line(
        "lives in which every single day has 2 to 5 meals", ">= 0.95", share, share >= 0.95, extremes=extremes
    )
    practices = worst("practices_day_min", min)
    yield line("different practices a day", ">= 5", practices, practices >= 5)
    row = worst("same_method_failed_in_a_row_max", max)
    yield line("one failing method in a row", "< 3 times", row, row < 3)
    fulfilled = worst("commitments_kept", min)
    claim = "commitments kept: every intention or obligation taken on and not replaced, that came to its end in the room"
    yield line(
        claim,
        ">= 0.9",
        fulfilled,
        fulfilled >= 0.9,
        ended=sum(one["commitments_ended"] for _, _, one in every),
    )
    yield from differences(lives)


def differences(lives: dict[str, list[dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    """Yield, for each pair of personas, the traits whose difference over the seeds has a 95 % interval without zero."""
    for one, other in combinations(PERSONAS, 2):
        found = {}
        for trait in TRAITS:
            gaps = [
                a[trait] - b[trait]
                for a, b in zip(lives[one], lives[other], strict=True)
                if None not in (a[trait], b[trait])
            ]
            if len(gaps) < 2:
                continue
            mean, low, high = interval_of(gaps)
            if low > 0 or high < 0:
                found[trait] = [round(mean, 3), round(low, 3), round(high, 3)]
        yield line(f"{one} and {other} differ", ">= 3 metrics", len(found), len(found) >= 3, interval=found)


def live(persona: str, seed: int, days: int) -> dict[str, Any]:
    """Run one life of *days* days and return its metrics, counted from its sealed log."""
    declared = declare("week", seed=seed, overrides={"persona": persona, "duration": f"{days}d"})
    with TemporaryDirectory() as folder:
        result = run_trial(declared, out=Path(folder) / "life")
        return measure_log(Path(result["log"]))
