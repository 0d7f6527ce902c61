"""One trial as rows of a tidy table: what it was, how it ended, and every metric.

A row file holds what can be counted again from the log at any time, and the head of the log it was counted from; it
is used only while that head stands. Nothing in a row depends on where, when or how often a trial was run.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from logs.reader import open_log
from sim.taint import Watch
from trials.metrics import registry
from trials.oracle import quality
from trials.store_batch import head_of, write_over

FORM = 3
"""Rises when rows hold something else, so that old row files are counted anew."""
FACTS = (
    "trial", "protocol", "declaration", "protocol_digest", "arm", "seed", "replicate", "persona", "model", "engine", "schema",
    "mode", "status", "ticks", "head", "exploratory", "tainted", "wall_capped", "degraded", "budget_spent", "repairs", "stale",
    "expired", "refused_interventions", "degraded_ticks",
)  # fmt: skip


def row_of(sealed: Path) -> dict[str, Any]:
    """Return {form, facts, metrics} of a sealed log. Raises LogError."""
    with open_log(sealed) as reader:
        header, end, head = reader.header, reader.end, reader.head
        watch = Watch(header)
        metrics = registry().measure(header, watch.through(reader.records()))
    assert end is not None, "a sealed log has an end"
    counts, requests = end["data"].get("counts", {}), end["data"].get("requests", {})
    form = header["declaration"]
    facts = {
        "trial": header["trial_id"], "protocol": form["id"], "declaration": header["digest"],
        "protocol_digest": header["protocol_digest"], "arm": header["arm"], "seed": header["seed"],
        "replicate": header["replicate"], "persona": form["persona"], "model": form["model"]["provider"],
        "engine": header["engine"], "schema": header["schema"], "mode": header["mode"], "status": end["data"]["status"],
        "ticks": end["tick"], "head": head, "exploratory": bool(header["exploratory"]), "tainted": watch.seen,
        "wall_capped": bool(counts.get("wall_capped")), "degraded": bool(end["data"].get("degraded_ticks")),
        "budget_spent": bool(counts.get("budget_spent")),
        "repairs": requests.get("repaired", 0), "stale": requests.get("stale", 0), "expired": requests.get("expired", 0),
        "refused_interventions": counts.get("denied", 0), "degraded_ticks": end["data"].get("degraded_ticks", 0),
    }  # fmt: skip
    return {
        "form": FORM,
        "facts": facts,
        "metrics": {**metrics, **{f"oracle_{k}": v for k, v in quality(metrics).items()}},
    }


def write_row(path: Path, row: dict[str, Any]) -> None:
    """Put *row* at *path*."""
    write_over(path, json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode())


def read_row(path: Path, sealed: Path) -> dict[str, Any]:
    """Return the row at *path* if it was counted from *sealed*, else count it anew and keep it."""
    try:
        found: dict[str, Any] = json.loads(path.read_bytes())
        if (
            found["form"] == FORM
            and found["facts"]["head"] == head_of(sealed)
            and list(found["facts"]) == list(FACTS)
        ):
            return found
    except (OSError, ValueError, KeyError, TypeError):
        pass
    row = row_of(sealed)
    write_row(path, row)
    return row
