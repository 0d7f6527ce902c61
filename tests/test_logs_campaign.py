"""What logs cost: an append, opening and seeking in a log of 1 GB, memory. Prints one line for each claim."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from logs_cases import END, HEADER, Tick

from logs.check import check
from logs.writer import LogWriter

ROOT = Path(__file__).parent.parent
GIGABYTE = 1 << 30


def say(claim: str, target: float, measured: float) -> bool:
    good = measured <= target
    print(json.dumps({"claim": claim, "target": target, "measured": round(measured, 3), "pass": good}))
    return good


def a_life(ticks: int) -> Iterator[Tick]:
    """Yield two records a tick, as large as those of an ordinary life (about 210 bytes each)."""
    for tick in range(1, ticks + 1):
        fact: dict[str, Any] = {"fact": "moved", "doer": "resident", "subject": "cup", "skill": "walk"}
        fact |= {"cell": tick % 4800, "loudness": 0, "visible": True}
        percept = {
            "sense": "sight",
            "ordinal": tick,
            "origin": tick,
            "content": {"kind": "moved", "what": "cup"},
        }
        yield (
            tick,
            [
                {"kind": "fact", "id": f"evt-{tick}", "causes": [f"com-{tick // 7}"], "data": fact},
                {"kind": "percept", "id": f"per-{tick}", "causes": [f"evt-{tick}"], "data": percept},
            ],
        )


@pytest.mark.campaign
def test_append_is_cheap(tmp_path: Path) -> None:
    best = float("inf")
    for attempt in range(5):
        life = list(a_life(20_000))
        writer = LogWriter.create(tmp_path / str(attempt), HEADER, sync_every_s=1e9)
        start = time.process_time()
        for tick, records in life:
            writer.append(tick, records)
        best = min(best, (time.process_time() - start) / len(life))
        writer.abort()
    assert say("append of a tick with 2 records, CPU us", 25, best * 1e6)


LOOK = """
import sys, time
from pathlib import Path
from logs.reader import open_log

def peak_kib():  # of this program alone: ru_maxrss is handed down by the parent
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

before = peak_kib()
start = time.perf_counter()
log = open_log(Path(sys.argv[1]))
log.header, log.tail(1)
opened = time.perf_counter() - start
seeks = []
for step in range(101):
    tick = int(sys.argv[2]) * step // 101
    start = time.perf_counter()
    next(log.records(tick))
    seeks.append(time.perf_counter() - start)
seeks.sort()
grown = peak_kib() - before
print(opened, seeks[50] * 1000, seeks[-1] * 1000, grown / 1024)
"""


@pytest.mark.campaign
def test_a_log_of_a_gigabyte_opens_at_once_in_little_memory(tmp_path: Path) -> None:
    writer = LogWriter.create(tmp_path / "big", HEADER)
    ticks, size = 0, 0
    for tick, records in a_life(10**9):
        writer.append(tick, records)
        ticks, size = tick, writer.size
        if size > GIGABYTE:
            break
    good = []
    for form in ("part", "zst"):
        path = tmp_path / f"big.jsonl.{form}"
        if form == "zst":
            start = time.process_time()
            sealed = writer.seal(END)
            good.append(say("seal of 1 GB, CPU s", 30, time.process_time() - start))
            good.append(say("sealed size of 1 GB, MB", 100, sealed.bytes / 1e6))
        done = subprocess.run(
            [sys.executable, "-c", LOOK, str(path), str(ticks)],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        )
        opened, median, worst, grown = map(float, done.stdout.split())
        good.append(say(f"open of 1 GB (.{form}) to its last record, s", 2, opened))
        good.append(say(f"seek in 1 GB (.{form}), median ms", 20, median))
        good.append(say(f"seek in 1 GB (.{form}), worst ms", 60, worst))
        good.append(say(f"memory to open and seek 1 GB (.{form}), MB", 50, grown))
    start = time.process_time()
    checked = check(tmp_path / "big")
    good.append(say("verify 1 GB, CPU s", 60, time.process_time() - start))
    good.append(
        say(
            "memory of this process after all, MB",
            200,
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        )
    )
    assert checked.ok
    assert checked.ticks == ticks
    assert all(good)
