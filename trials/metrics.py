"""The metrics of a log: `measure_log` and the registry of all that is known.

New ones come by registration: `METRICS.register(make_gauge, (Metric(...),))`, or from another distribution through an
entry point of the group `oneroom.metrics` that names a `trials.metrics_form.Family`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from logs.reader import open_log
from trials import metrics_body, metrics_deeds, metrics_model, metrics_visit
from trials.metrics_form import Family, Metric, Number, Registry

GROUP = "oneroom.metrics"

METRICS = Registry(
    (*metrics_body.FAMILIES, *metrics_deeds.FAMILIES, *metrics_visit.FAMILIES, *metrics_model.FAMILIES)
)
"""Every metric by name."""


@cache
def registry() -> Registry:
    """Return METRICS, with what installed distributions add to it."""
    for point in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        family = point.load()
        if not isinstance(family, Family):
            raise ValueError(f"entry point {point.name} of {GROUP} is no Family")
        METRICS.register(family.make, family.metrics)
    return METRICS


def measure_log(path: Path, names: Sequence[str] | None = None) -> dict[str, Number]:
    """Return metric name -> value over the log at *path*, read as a stream. *names* None is all.

    Works on a running or torn log as far as it goes. Raises LogError for what is no log, ValueError for an unknown name.
    """
    with open_log(path) as reader:
        return registry().measure(reader.header, reader.records(), names)


def table() -> list[Metric]:
    """Return all metrics in the order of registration."""
    return list(registry().metrics.values())
