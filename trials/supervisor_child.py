"""What one process of a batch does: run one trial to its seal, or go on with it where a death cut it, and measure it.

Nothing is handed back but a few words: the log is the result, and it is on the disk before anything is said.
"""

from __future__ import annotations

import errno
import json
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import trials
from logs.faults import LogBusy, LogError, LogExists, LogHeadless, LogSealed
from logs.manifest import Manifest
from logs.names import names_of
from logs.reader import open_log
from logs.writer import LogWriter
from sim.declare import Declared
from sim.session import resume, run_trial
from trials.store_batch import spent
from trials.store_rows import row_of, write_row

SEALED, BUSY, FAILED, FULL = "sealed", "busy", "failed", "disk"
SOURCES = ("agent", "world", "interventions", "protocols", "sim", "logs", "trials")
GONE = 3
"""Exit code of a process whose supervisor is gone."""
FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one trial may use: MiB of memory beyond what the process begins with; 0 is no cap."""

    memory_mb: int = 0


def run_one(
    declared: Declared, log: Path, row: Path, stop: Callable[[], bool] | None = None
) -> dict[str, Any]:
    """Bring one trial to its seal; return {how, head, status, error, cpu_ms}. Never raises for what a run may do wrong."""
    began = time.process_time()
    try:
        how: dict[str, Any] = {"how": SEALED, "error": "", **_sealed(declared, log, row, stop)}
    except LogBusy as error:
        how = {"how": BUSY, "error": str(error)}
    except OSError as error:
        words = f"{error.strerror}: {error.filename}" if error.strerror and error.filename else str(error)
        how = {"how": FULL if error.errno in FULL_ERRORS else FAILED, "error": words}
    except MemoryError:
        how = {"how": FAILED, "error": "out of memory: the trial hit its cap"}
    except Exception as error:  # The trial's own fault, to be told with its name; the batch goes on.
        how = {"how": FAILED, "error": f"{type(error).__name__}: {error}"}
    return {**how, "cpu_ms": round((time.process_time() - began) * 1000)}


def _sealed(declared: Declared, log: Path, row: Path, stop: Callable[[], bool] | None) -> dict[str, Any]:
    names = names_of(log)
    log.parent.mkdir(parents=True, exist_ok=True)
    if not names.sealed.exists():
        try:
            resume(log, stop=stop) if names.part.exists() else run_trial(declared, out=log, stop=stop)
        except LogHeadless:
            run_trial(declared, out=log, stop=stop)
        except (LogSealed, LogExists):
            # Another process was faster: the first seal wins, and it is the same.
            if not names.sealed.exists():
                raise
    elif names.part.exists():
        _tidy(log)
    return finish(declared, names.sealed, row)


def _tidy(log: Path) -> None:
    """Take away the part that a death between seal and removal left."""
    with suppress(LogError):
        LogWriter.resume(log)[0].abort()


def finish(declared: Declared, sealed: Path, row: Path) -> dict[str, Any]:
    """Enter a sealed log into its manifest if a death kept it out, and write its row; return {head, status, tokens, cost}."""
    with open_log(sealed) as reader:
        end, head, trial, used = reader.end, reader.head, reader.header["trial_id"], spent(reader)
        records = reader.tail(1)[0]["seq"]
    if trial != declared.trial_id or end is None:
        raise LogError(sealed, f"this is the log of trial {trial}, not {declared.trial_id}", "move it away")
    counted = row_of(sealed)
    if counted["facts"]["tainted"]:
        raise LogError(sealed, "was made in debug mode and can't be a result", "move it away")
    manifest = Manifest(sealed.parent / "manifest.jsonl")
    stem = names_of(sealed).stem
    known = manifest.path.exists() and any(entry.get("log") == stem for entry in manifest.entries())
    if not known:
        status = end["data"]["status"]
        manifest.append(
            {
                "event": "sealed",
                "log": stem,
                "head": head,
                "records": records,
                "status": status,
                "trial": trial,
                "entered": "late",
            }
        )
    write_row(row, counted)
    return {"head": head, "status": end["data"]["status"], **used}


class Orphaned(BaseException):
    """The supervisor is gone: leave the log as it stands, to be gone on with."""


def child(declared: Declared, log: Path, row: Path, limits: Limits, pipe: Connection, parent: int) -> None:
    """Be the forked process of one trial: it leaves by its exit code, what it says goes down the *pipe*."""
    said = live(declared, log, row, limits, parent)
    if said is not None:
        pipe.send(said)
    os._exit(GONE if said is None else 0 if said["how"] == SEALED else 1)


def live(declared: Declared, log: Path, row: Path, limits: Limits, parent: int) -> dict[str, Any] | None:
    """Run one trial as what this process is for; return what is to be said, None if process *parent* is gone."""
    # Ctrl-C at the terminal reaches the whole group; the supervisor decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if limits.memory_mb:
        _cap_memory(limits.memory_mb)

    def stop() -> bool:
        if os.getppid() != parent:
            raise Orphaned
        return False

    try:
        return run_one(declared, log, row, stop)
    except Orphaned:
        return None


def _cap_memory(megabytes: int) -> None:
    """Cap the address space at what it is now plus *megabytes*; where the system knows no such cap there is none."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        cap = pages * resource.getpagesize() + megabytes * 1_048_576
        resource.setrlimit(resource.RLIMIT_AS, (cap, cap))
    except (ImportError, OSError, ValueError):
        return


@cache
def source_digest() -> str:
    """Return a digest of the code and data that a run depends on, as they lie on this machine's disk now."""
    house = Path(trials.__path__[0]).parent
    found = blake2b(digest_size=16)
    for name in SOURCES:
        for path in sorted((house / name).rglob("*")):
            if path.suffix in (".py", ".toml"):
                found.update(f"{path.relative_to(house).as_posix()}\0".encode() + path.read_bytes())
    return found.hexdigest()


def main() -> int:
    """Be a process started afresh: the trial comes in on standard input, pickled, what is said goes out as JSON."""
    source, declared, log, row, limits, parent = pickle.loads(sys.stdin.buffer.read())
    if source != source_digest():
        mend = "install the same version everywhere, and leave it alone while a batch runs"
        said: dict[str, Any] | None = {
            "how": FAILED,
            "error": f"this machine has other code ({mend})",
            "cpu_ms": 0,
        }
    else:
        said = live(declared, log, row, limits, parent)
    if said is None:
        return GONE
    sys.stdout.write(json.dumps(said))
    sys.stdout.flush()
    return 0 if said["how"] == SEALED else 1


if __name__ == "__main__":
    os._exit(main())
