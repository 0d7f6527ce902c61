"""Kills: a trial killed at random instants and resumed ends byte for byte as one that nobody killed.

The trial runs in a child process of its own and is killed with SIGKILL after a random part of its usual time, then
resumed, then killed again, up to a few times in a chain. Compared are the bytes of the sealed file.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sim.replay import verify
from trials.experiments.lines import line

NAME = "kills"
DOC = "Random SIGKILLs of a running trial, each resumed: the sealed log equals an uninterrupted one byte for byte."
QUICK_KILLS, FULL_KILLS = 8, 200
CHAIN_MAX = 5
TRIAL = ("near_tie", "--seed", "101")
PROGRAM = "import sys; from oneroom import main; sys.argv[0] = 'oneroom'; sys.exit(main())"


def run(*, quick: bool = True, seeds: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the lines; *seeds* is the number of kills."""
    wanted = seeds or (QUICK_KILLS if quick else FULL_KILLS)
    with TemporaryDirectory() as place:
        folder = Path(place)
        began = time.monotonic()
        _run("run", *TRIAL, "--out", str(folder / "whole"))
        usual_s = time.monotonic() - began
        whole = (folder / "whole.jsonl.zst").read_bytes()
        kills = tries = logs = equal = verified = 0
        while kills < wanted:
            logs += 1
            name = folder / f"cut{logs}"
            done, chain = False, 0
            while not done and chain < CHAIN_MAX and kills < wanted:
                # A fixed sequence of instants, so that a run of this campaign can be had again.
                part = int.from_bytes(blake2b(f"{tries}".encode(), digest_size=2).digest(), "big") / 65536
                words = _next_words(name)
                ended_s = _killed(words, usual_s * (0.2 + 0.8 * part))
                tries += 1
                kills += ended_s is None
                if ended_s is not None and "--resume" not in words:
                    # The machine was busier when the usual time was taken: nobody would ever be killed by that clock.
                    usual_s = min(usual_s, ended_s)
                chain += 1
                # A process killed after its seal has nothing left to do.
                done = _sealed(name).exists() and not _part(name).exists()
            if not done:
                _run(*_next_words(name))
            sealed = _sealed(name)
            equal += sealed.read_bytes() == whole
            verified += bool(verify(sealed)["ok"])
    yield line(
        "killed and resumed logs equal the uninterrupted one",
        f"{logs} of {logs}",
        equal,
        equal == logs,
        kills=kills,
    )
    yield line("and they verify", f"{logs} of {logs}", verified, verified == logs)


def _sealed(name: Path) -> Path:
    return name.with_name(name.name + ".jsonl.zst")


def _part(name: Path) -> Path:
    return name.with_name(name.name + ".jsonl.part")


def _next_words(name: Path) -> tuple[str, ...]:
    part = _part(name)
    if part.exists() and part.read_bytes().count(b"\n"):
        return ("run", "--resume", str(part))
    return ("run", *TRIAL, "--out", str(name))


def _start(*words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def _run(*words: str) -> None:
    child = _start(*words)
    _, error = child.communicate()
    if child.returncode:
        raise RuntimeError(f"oneroom {' '.join(words)}: {error.decode()[-500:]}")


def _killed(words: tuple[str, ...], after_s: float) -> float | None:
    """Run *words* and kill it after *after_s* seconds; return None, or how long it took if it was done before. Raises RuntimeError."""
    child, began = _start(*words), time.monotonic()
    try:
        _, error = child.communicate(timeout=after_s)
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGKILL)
        child.communicate()
        return None
    if child.returncode:
        raise RuntimeError(f"oneroom {' '.join(words)}: {error.decode()[-500:]}")
    return time.monotonic() - began
