"""Hunts the processes of a batch: kills them at random instants until the batch is whole all the same.

The command of the batch is started, and started again whenever it dies, as a person or a job queue would. What is
killed next, how and after which pause is drawn from a seed; where the kill lands is up to the machine. Kills are
spread over three quarters of the batch: no more of them at any moment than the share of trials sealed by then allows. At every
look the ids sealed so far are compared with those seen before: none may ever be missing again.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sim.replay import verify
from trials.experiments.lines import line
from trials.experiments.shuffles import Shuffles
from trials.store import results, sealed_ids
from trials.store_batch import Folder, Plan, status

PROTOCOL = """
id = "hunted"
title = { en = "Hunted", zh = "被追猎" }
room = "studio"
persona = "ada"
duration = "DURATION"
start = "08:00"
seeds = { master = 3, n = SEEDS }
[arms.plain]
[arms.other]
"persona" = "bruno"
"""
PATIENCE_S = 3600.0
BREATH_S = 0.02
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM)
"""What a kill is: two in three can't be caught."""
MESSAGES = ("Dask gave up",)
"""With which words a command may end by itself: its own helpers died, and it said so plainly."""
ENDED_EARLY = 3


def write_protocol(folder: Path, *, trials: int, duration: str) -> Path:
    """Write a protocol of *trials* short trials in two arms; return its path."""
    path = folder / "hunted.toml"
    text = PROTOCOL.replace("DURATION", duration).replace("SEEDS", str(trials // 2))
    path.write_text(text, encoding="utf-8")
    return path


def batch_command(protocol: Path, out: Path, *options: str) -> list[str]:
    """Return the command line that runs the batch."""
    words = ("trials", "run", str(protocol), "--out", str(out), "--retries", "99", *options)
    return [sys.executable, "-c", "from oneroom import main; main()", *words]


Targets = Callable[[int], Mapping[str, Sequence[int]]]
"""The process id of the command -> kind -> processes that may be killed."""


@dataclass(slots=True)
class Bag:
    """What a hunt came to."""

    killed: Counter[str] = field(default_factory=Counter)
    signals: Counter[str] = field(default_factory=Counter)
    restarts: int = 0
    looks: int = 0
    lost: int = 0
    """Trials that were seen sealed and then were not."""
    wall_s: float = 0.0

    @property
    def kills(self) -> int:
        return sum(self.killed.values())

    def told(self) -> dict[str, Any]:
        """Return the counts."""
        return {
            "kills": self.kills, **dict(sorted(self.killed.items())), **dict(sorted(self.signals.items())),
            "restarts": self.restarts, "looks": self.looks, "wall_s": round(self.wall_s),
        }  # fmt: skip


def hunt(
    command: Sequence[str], plan: Plan, folder: Folder, targets: Targets, *, kills: int, seed: int, pause_s: float,
    shares: Mapping[str, int], tend: Callable[[], None] = lambda: None, env: Mapping[str, str] | None = None,
) -> Bag:  # fmt: skip
    """Run *command* again and again until it ends well, killing at random; return the bag.

    The first kills go to each kind once, in the order of *shares*; after those it says how many of a hundred each kind
    gets. *tend* is called at every look: who keeps other processes
    alive does it there. Raises RuntimeError if the command ends otherwise than killed, stopped or plainly given up.
    """
    chance, bag, seen = Shuffles(seed), Bag(), set[str]()
    first = list(shares)
    kinds = [kind for kind, share in shares.items() for _ in range(share)]
    began = time.monotonic()
    process = _start(command, env)
    due = 0
    try:
        while time.monotonic() - began < PATIENCE_S:
            # On a fast machine trials end sooner than pauses do: who is far behind with killing, or late, does not rest.
            late = bag.kills < due == kills or bag.kills + 1 < due
            pause = BREATH_S if late else 2 * pause_s * chance.random()
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=pause)
            tend()
            now = set(sealed_ids(folder))
            bag.looks += 1
            bag.lost += len(seen - now)
            seen |= now
            if process.poll() is not None:
                if process.returncode == 0:
                    bag.wall_s = time.monotonic() - began
                    return bag
                _must_be_ours(process)
                bag.restarts += 1
                process = _start(command, env)
            # All of them by the time three in four trials are sealed: the last ones end too fast to be hit.
            due = min(kills, 1 + 4 * kills * (len(now) + 1) // (3 * len(plan.trials)))
            if process.poll() is None and bag.kills < due:
                kind = first[0] if first else chance.choice(kinds)
                if _kill_one(process.pid, targets, kind, chance, bag) and first:
                    first.pop(0)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    raise RuntimeError(f"the batch did not end in {PATIENCE_S:g} s: {bag.told()}, {len(seen)} sealed")


def _start(command: Sequence[str], env: Mapping[str, str] | None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(list(command), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env)


def _must_be_ours(process: subprocess.Popen[bytes]) -> None:
    """Raise RuntimeError if a command ended for another reason than a kill, a stop, or a plain word of Dask's end."""
    _, stderr = process.communicate()
    words = stderr.decode(errors="replace")
    told = any(each in words for each in MESSAGES)
    if not told and process.returncode not in (-signal.SIGKILL, -signal.SIGTERM, ENDED_EARLY):
        raise RuntimeError(f"the batch ended with exit code {process.returncode}: {words[-2000:]}")


def _kill_one(parent: int, targets: Targets, kind: str, chance: Shuffles, bag: Bag) -> bool:
    """Kill one process of *kind*; return False if there was none."""
    found = targets(parent).get(kind, ())
    if not found:
        return False
    how = chance.choice(SIGNALS)
    try:
        os.kill(chance.choice(found), how)
    except ProcessLookupError:
        return False
    bag.killed[kind] += 1
    bag.signals[how.name] += 1
    return True


def below(pid: int) -> list[int]:
    """Return the processes that *pid* started, and theirs (Linux)."""
    found: list[int] = []
    for thread in Path("/proc", str(pid), "task").glob("*/children"):
        with suppress(OSError):
            for name in thread.read_text(encoding="ascii").split():
                found += [int(name), *below(int(name))]
    return found


def lines_of(name: str, plan: Plan, serial: Folder, hunted: Folder, bag: Bag, kills: int) -> Iterator[dict[str, Any]]:
    """Yield what the hunt must show: kills done, one seal each, nothing lost, everything equal to the serial batch."""
    found, total = status(hunted, plan), len(plan.trials)
    yield line(f"{name}: processes killed at random", kills, bag.kills, bag.kills >= kills, **bag.told())
    yield line(f"{name}: trials with exactly one sealed log", total, found["sealed"], found["sealed"] == total)
    yield line(f"{name}: sealed trials that were ever missing again", 0, bag.lost, bag.lost == 0, looks=bag.looks)
    parts = len(list(hunted.root.glob("logs/*/*.part")))
    yield line(f"{name}: parts left over", 0, parts, parts == 0)
    same = sum(hunted.sealed(trial.id).read_bytes() == serial.sealed(trial.id).read_bytes() for trial in plan.trials)
    yield line(f"{name}: logs equal to those of a serial batch, byte for byte", total, same, same == total)
    equal = [each for each in ("results.csv", "trials.csv") if _table(hunted, each) == _table(serial, each)]
    yield line(f"{name}: tables equal to the serial ones, bit for bit", 2, len(equal), len(equal) == 2)
    entered = _entered_once(hunted)
    yield line(f"{name}: seals entered in the manifests exactly once", total, entered, entered == total)
    good = sum(bool(verify(hunted.sealed(trial.id))["ok"]) for trial in plan.trials[:3])
    yield line(f"{name}: logs that re-simulate to the same digests (the first 3)", 3, good, good == 3)


def _table(folder: Folder, name: str) -> bytes:
    results(folder)
    return (folder.root / name).read_bytes()


def _entered_once(folder: Folder) -> int:
    from logs.manifest import Manifest

    counts: Counter[str] = Counter()
    for path in folder.root.glob("logs/*/manifest.jsonl"):
        counts.update(str(entry["log"]) for entry in Manifest(path).entries() if "head" in entry)
    return sum(count == 1 for count in counts.values())
