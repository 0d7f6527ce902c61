"""Writes the tables of docs/experiments.md from docs/results/*.jsonl: python docs/make_experiments.py.

Each file holds the lines that `oneroom experiment run NAME --full --json` printed. The text between tables stays as it is.
`python docs/make_experiments.py measure [NAME...]` runs them anew in one process, so that experiments share the lives they have in
common, and puts each file in its place as soon as it is whole: about an hour for all of them on one free core. A line measured so
says which engine measured it, and a table which engine made it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sim.declare import ENGINE
from trials.commands import experiments

HERE = Path(__file__).resolve().parent
OF_THE_SOURCES = (
    "switching", "preactivation", "traceability", "intuition_vs_model", "ablation", "ninety_days", "auq_arms", "memory_tiers", "channels",
)  # fmt: skip
"""E4, E2, E3, E1, E5, E6, A1, A2, H1: those that share lives stand together."""


def table(name: str) -> str:
    """Return one experiment's table: claim, what the source expected, what was aimed at, what was measured."""
    file = HERE / "results" / f"{name}.jsonl"
    if not file.exists():
        return f"Not measured in full yet; `oneroom experiment run {name} --full`"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    lines = ["| claim | source expects | target | measured | 95 % interval | holds |", "|---|---|---|---|---|---|"]
    for row in rows:
        holds = "yes" if row["pass"] else "**no**"
        target = row["target"]
        if target == "reported":
            holds = "–"
        cells = (row["claim"], row["expected_by_source"], target, row["measured"], row["interval"], holds)
        lines.append("| " + " | ".join(words(cell) for cell in cells) + " |")
    about = ", ".join(each for key in ("days", "seeds", "engine") if (each := throughout(rows, key)))
    return f"{about or 'as declared'}; `oneroom experiment run {name} --full`\n\n" + "\n".join(lines)


def throughout(rows: Sequence[Mapping[str, Any]], key: str) -> str:
    """Return how many days or seeds, or which engine, where all rows that tell agree; else ""."""
    # Some experiments name their seeds instead of counting them.
    found = {len(row[key]) if isinstance(row[key], list) else row[key] for row in rows if key in row}
    if len(found) != 1:
        return ""
    value = found.pop()
    return f"engine {value}" if key == "engine" else f"{value} {key.removesuffix('s') if value == 1 else key}"


def words(value: Any) -> str:
    """Return a cell."""
    if value is None:
        return "–"
    if isinstance(value, dict):
        return "; ".join(f"{key}: {words(each)}" for key, each in value.items())
    if isinstance(value, list):
        return ", ".join(words(each) for each in value)
    return f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def page(text: str) -> str:
    """Return the page with every table made anew; a table stands between two marks that name it."""
    return re.sub(
        r"(<!-- table (\w+) -->\n).*?(<!-- end -->)", lambda found: found[1] + table(found[2]) + "\n" + found[3], text, flags=re.DOTALL
    )


def measure(names: Sequence[str]) -> None:
    """Run each experiment in full and keep its lines."""
    known = {module.NAME: module for module in experiments()}
    for name in names:
        rows = ({**line, "engine": ENGINE} for line in known[name].run(quick=False))
        found = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows]
        (HERE / "results" / f"{name}.jsonl").write_text("\n".join(found) + "\n", encoding="utf-8")
        print(name, len(found), "lines", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        measure(sys.argv[2:] or OF_THE_SOURCES)
    path = HERE / "experiments.md"
    path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")
