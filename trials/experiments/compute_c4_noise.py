"""C4: how the gain of clusters changes as hints get noisier, 0.1 to 0.5, reference and ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trials.experiments import compute_arms as arms
from trials.experiments.compute_c2_clusters import our_arms, reference_arms
from trials.experiments.compute_stats import compare, holm, line, mean

NAME = "compute_c4"
DOC = "noise sweep 0.1-0.5: misses of clusters against per step, placebo and budget-matched arms"
SOURCE = {0.1: "-0.38", 0.2: "-1.21", 0.3: "-1.33 or -1.71", 0.4: "-3.00 or -4.21", 0.5: "-3.33"}


def run(
    *, quick: bool = False, seeds: int | None = None, data: str | Path | None = None
) -> Iterator[dict[str, Any]]:
    """Yield one group of lines for each noise level."""
    repos = arms.repositories(data)
    count = seeds or (3 if quick else 16)
    rows: list[dict[str, Any]] = []
    p_values: list[float] = []
    for noise in (0.3,) if quick else (0.1, 0.2, 0.3, 0.4, 0.5):
        train = arms.draw(repos, arms.training(1 if quick else 6), noise)
        test = arms.draw(repos, arms.held_out(count), noise)
        for who, family in (("reference", reference_arms(train, quick)), ("ours", our_arms(train, quick))):
            misses = {
                name: [float(each(sessions).miss) for sessions in test] for name, each in family.items()
            }
            for rival in ("step", "placebo", "matched"):
                found = compare(misses["cluster"], misses[rival])
                p_values.append(found.p)
                rows.append(
                    line(
                        f"noise {noise}, {who}: misses of clusters ({mean(misses['cluster']):.2f}) less "
                        f"{rival} ({mean(misses[rival]):.2f})",
                        "< 0" if who == "ours" and rival == "step" and noise >= 0.3 else "reported",
                        f"{found.mean:.2f} (fewer in {found.wins:.0f} % of seeds)",
                        quick or who != "ours" or rival != "step" or noise < 0.3 or found.high < 0,
                        source=SOURCE[noise] if who == "reference" and rival == "step" else None,
                        interval=found.interval(),
                        n=found.n,
                    )
                )
    for row, p in zip(rows, holm(p_values), strict=True):
        yield {**row, "p_corrected": round(p, 4)}
