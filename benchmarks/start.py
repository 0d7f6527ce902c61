"""S8: how long a start takes in CPU time: `oneroom --help`, and a run up to its first tick."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HELP_S, HELP_STRETCH_S = 0.3, 0.15
FIRST_TICK_S, FIRST_TICK_STRETCH_S = 0.8, 0.4

FIRST_TICK = """
import sys
from pathlib import Path
import oneroom
def stop(): return True
oneroom.run_trial(oneroom.declare("quiet_day", overrides={"model.provider": "none"}), out=Path(sys.argv[1]), stop=stop)
"""


def measure() -> Iterator[dict[str, Any]]:
    """Yield the two lines of S8."""
    helped = statistics.median(cpu_s([sys.executable, "-m", "oneroom", "--help"]) for _ in range(7))
    yield {
        "claim": "S8 oneroom --help, CPU seconds", "target": HELP_S, "stretch": HELP_STRETCH_S,
        "measured": round(helped, 3), "pass": helped <= HELP_S,
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        started = statistics.median(
            cpu_s([sys.executable, "-c", FIRST_TICK, str(Path(folder) / f"run{number}")])
            for number in range(5)
        )
    yield {
        "claim": "S8 start to first tick, CPU seconds", "target": FIRST_TICK_S, "stretch": FIRST_TICK_STRETCH_S,
        "measured": round(started, 3), "pass": started <= FIRST_TICK_S,
    }  # fmt: skip


def cpu_s(command: list[str]) -> float:
    """Return the CPU seconds that *command* takes, user and system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
