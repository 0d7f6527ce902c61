"""Measure our own goals and print one line {claim, target, stretch, measured, pass} for each.

    python -m benchmarks.goals            all of them
    python -m benchmarks.goals S1 S8      some

Costs are in ref (see `_limit.py`) and CPU time, so that a busy machine slows both sides alike. Exit code 1 if a
goal is missed.
"""

from __future__ import annotations

import importlib
import json
import sys

# Goal -> the module whose `measure` yields its lines.
GOALS = {
    "S1": "benchmarks.ticks",
    "S2": "benchmarks.days",
    "S3": "benchmarks.mind",
    "S5": "benchmarks.logging_cost",
    "S8": "benchmarks.start",
    "S9": "benchmarks.growth",
    "S10": "benchmarks.batch",
    "S13": "benchmarks.scheduler",
}


def main(names: list[str]) -> int:
    """Measure the goals called *names*, or all; return the exit code."""
    unknown = [name for name in names if name not in GOALS]
    if unknown:
        print(f"no such goal: {', '.join(unknown)}; there are {', '.join(GOALS)}", file=sys.stderr)
        return 2
    good = True
    for name in names or GOALS:
        for line in importlib.import_module(GOALS[name]).measure():
            print(json.dumps(line), flush=True)
            good = good and line["pass"]
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
