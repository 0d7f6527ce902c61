"""S13: what one `decide_step` costs in memory, and over stdio to a server of its own. CPU milliseconds, medians.

In memory the same is told in ref (see `_limit.py`), which a busy machine changes less. Over stdio both processes count.
The wall-clock median of a round trip is told beside it: on a busy machine it says more about the machine.
"""

from __future__ import annotations

import asyncio
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agent.scheduler.desk import Desk
from agent.scheduler.ledger import MemoryLedger
from benchmarks._limit import ref_ns
from sim.mcp_server import answer

MEMORY_MS, MEMORY_STRETCH_MS = 0.2, 0.05
STDIO_MS, STDIO_STRETCH_MS = 15.0, 12.0
LEARNED = 200
"""Outcomes that the namespace has before it is asked."""
ASKED = 400
ROOT = Path(__file__).parent.parent


def measure() -> Iterator[dict[str, Any]]:
    """Yield the lines of S13."""
    for what, full in (("hints only", False), (f"files, an error and {LEARNED} records to compare with", True)):
        before = ref_ns()
        in_memory = statistics.median(memory_ms(full=full))
        refs = 2e6 * in_memory / (before + ref_ns())
        yield {
            "claim": f"S13 decide_step in memory, {what}, CPU milliseconds", "target": MEMORY_MS, "stretch": MEMORY_STRETCH_MS,
            "measured": round(in_memory, 4), "pass": in_memory <= MEMORY_MS, "ref": round(refs, 1),
        }  # fmt: skip
    each, wall = asyncio.run(stdio_ms())
    yield {
        "claim": "S13 decide_step over stdio, CPU milliseconds of client and server", "target": STDIO_MS, "stretch": STDIO_STRETCH_MS,
        "measured": round(each, 2), "pass": each <= STDIO_MS, "wall_ms_median": round(wall, 2),
    }  # fmt: skip


def a_step(number: int, *, full: bool = True) -> dict[str, Any]:
    """Return the arguments of one question as an agent loop would ask it; *full* says what the step is about."""
    hints = {"criticality_hint": number % 10 / 10, "difficulty_hint": 0.4, "progress": number % 7 / 7}
    about = {"action_type": "edit_file", "repo": "org/app", "files": [f"f{number % 13}.py"],
             "error_signature": f"KeyError in cache {number % 5}"}  # fmt: skip
    return {"sessionId": "s", "step_id": f"{number}", **hints, **(about if full else {})}


def memory_ms(*, full: bool) -> list[float]:
    """Return the CPU milliseconds of each question to a desk in this process."""
    desk = Desk("k" * 64, MemoryLedger())
    answer(desk, "open_session", {"sessionId": "s"}, executor=False)
    for number in range(LEARNED):
        answer(desk, "decide_step", a_step(number, full=full), executor=False)
        said = {"sessionId": "s", "step_id": f"{number}", "observed_criticality": 0.3, "used_system2": True, "patch_summary": "x"}
        answer(desk, "report_outcome", said, executor=False)
        if number % 20 == 19:
            answer(desk, "new_task", {"sessionId": "s"}, executor=False)
    found = []
    for number in range(ASKED):
        if number % 20 == 0:
            answer(desk, "new_task", {"sessionId": "s"}, executor=False)
        step = a_step(number, full=full)
        began = time.process_time_ns()
        answer(desk, "decide_step", step, executor=False)
        found.append((time.process_time_ns() - began) / 1e6)
    return found


async def stdio_ms() -> tuple[float, float]:
    """Return (CPU milliseconds a call, both sides and start-up apart; median wall milliseconds of a round trip)."""
    import mcp

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        few, _ = await _asked(mcp, Path(folder) / "few", 20)
        middle = resource.getrusage(resource.RUSAGE_CHILDREN)
        many, walls = await _asked(mcp, Path(folder) / "many", ASKED)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    server = _cpu_s(after) - 2 * _cpu_s(middle) + _cpu_s(before)
    return 1000 * (many - few + server) / (ASKED - 20), statistics.median(walls)


async def _asked(mcp: Any, store: Path, count: int) -> tuple[float, list[float]]:
    """Start a server, ask *count* times, and return the client's CPU seconds and the wall milliseconds of each call."""
    server = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "oneroom", "mcp", "--store", str(store)], env=dict(os.environ), cwd=ROOT
    )
    walls = []
    began = time.process_time()
    async with mcp.Client(server) as client:
        await client.call_tool("open_session", {"sessionId": "s"})
        for number in range(count):
            if number % 20 == 0:
                await client.call_tool("new_task", {"sessionId": "s"})
            at = time.perf_counter()
            await client.call_tool("decide_step", a_step(number))
            walls.append(1000 * (time.perf_counter() - at))
    return time.process_time() - began, walls


def _cpu_s(usage: resource.struct_rusage) -> float:
    return usage.ru_utime + usage.ru_stime
