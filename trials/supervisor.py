"""Runs a plan, one process per trial, and sees each through to exactly one sealed log.

Theory of operation
===================
A process lives for one trial, so a death is blamed on that trial alone and its neighbours never notice. It is forked
from this one (started afresh where there is no fork), which has everything loaded already, and ends without tidying:
the log is on the disk. A trial whose process died is begun again in a new process, which goes on where the log was
cut; its sealed log equals that of an undisturbed run byte for byte. A trial is given up after *retries* more attempts
and told as failed, never dropped.

Nothing here is needed for what is sealed to be right: names are created exclusively and logs are locked by their
writers, so a supervisor may be killed at any instant, and two of them may meet in one folder.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

from trials.store_batch import Folder, Plan, Trial, attempts_of, note_attempt
from trials.supervisor_child import BUSY, FAILED, FULL, SEALED, Limits, child

WAIT_S = 0.25
BUSY_PAUSE_S = 0.5
RETRIES = 2
GRACEFUL, ABORT = 1, 2


@dataclass(frozen=True, slots=True)
class Terms:
    """How to run a batch. *max_failures* below 1 is a share of all trials, else a number; None never stops for failures."""

    jobs: int = 1
    retries: int = RETRIES
    timeout_s: float = 0.0
    memory_mb: int = 0
    max_failures: float | None = None

    def too_many(self, failed: int, total: int) -> bool:
        """Return whether *failed* of *total* trials are more than may fail."""
        limit = self.max_failures
        return limit is not None and failed > (limit * total if limit < 1 else limit)


@dataclass(slots=True)
class Tally:
    """How far a batch has come; handed to whoever shows progress."""

    total: int
    done: int = 0
    failed: int = 0
    running: int = 0
    began_s: float = 0.0
    ran: int = 0
    cpu_ms: int = 0
    tokens: int = 0
    cost: float = 0.0
    """In the currency of the declared prices."""
    stopped: str = ""
    errors: dict[str, str] = field(default_factory=dict)

    def rate(self, now_s: float) -> float:
        """Return trials sealed per second by this command."""
        passed = now_s - self.began_s
        return self.ran / passed if passed > 0 else 0.0

    def left_s(self, now_s: float) -> float | None:
        """Return the seconds left at this rate, None while it is unknown."""
        rate = self.rate(now_s)
        return (self.total - self.done - self.failed) / rate if rate else None

    def used(self, said: Mapping[str, Any]) -> None:
        """Add what one attempt used."""
        self.cpu_ms += said["cpu_ms"]
        self.tokens += said.get("tokens", 0)
        self.cost += said.get("cost", 0.0)


@dataclass(slots=True)
class _Running:
    trial: Trial
    attempt: int
    process: Any
    pipe: Connection
    began_s: float


def run_batch(
    plan: Plan,
    folder: Folder,
    terms: Terms,
    *,
    stop: Callable[[], int] = lambda: 0,
    notify: Callable[[Tally], None] = lambda tally: None,
) -> Tally:
    """Run what is not sealed yet; return the tally. *stop* says 0, 1 (finish what runs) or 2 (leave at once)."""
    return _Supervisor(plan, folder, terms, stop, notify).run()


def failures(number: int) -> str:
    """Return in words why a batch ended that had too many failures."""
    return f"{number} trial{'' if number == 1 else 's'} failed"


class _Supervisor:
    def __init__(
        self,
        plan: Plan,
        folder: Folder,
        terms: Terms,
        stop: Callable[[], int],
        notify: Callable[[Tally], None],
    ) -> None:
        self.plan, self.folder, self.terms = plan, folder, terms
        self.stop, self.notify = stop, notify
        self.context: Any = multiprocessing.get_context("fork" if hasattr(os, "fork") else "spawn")
        self.running: dict[int, _Running] = {}
        self.tally = Tally(len(plan.trials), began_s=time.monotonic())
        tried = attempts_of(folder)
        self.before = {trial.id: len(tried.get(trial.id, ())) for trial in plan.trials}
        self.used: dict[str, int] = {}
        self.queue: deque[Trial] = deque()
        self.later: list[tuple[float, Trial]] = []
        finished = folder.finished(plan.trials)
        for trial in plan.trials:
            # What is sealed but not listed or measured died in between: it is finished by a process of its own.
            if trial.id in finished:
                self.tally.done += 1
            else:
                self.queue.append(trial)

    def run(self) -> Tally:
        gc.collect()
        gc.freeze()  # What is loaded stays shared with the children.
        try:
            while self.queue or self.later or self.running:
                asked = self.stop()
                if asked >= ABORT:
                    self.tally.stopped = "aborted"
                    self._kill_all()
                    break
                if asked:
                    self.tally.stopped = self.tally.stopped or "stopped"
                if self.tally.stopped:
                    self.queue.clear()
                    self.later.clear()
                self._start()
                self._collect()
                self.notify(self.tally)
        finally:
            self._kill_all()
            gc.unfreeze()
        return self.tally

    def _start(self) -> None:
        now = time.monotonic()
        for at, trial in [each for each in self.later if each[0] <= now]:
            self.later.remove((at, trial))
            self.queue.append(trial)
        while self.queue and len(self.running) < self.terms.jobs:
            trial = self.queue.popleft()
            self.used[trial.id] = self.used.get(trial.id, 0) + 1
            ours, theirs = self.context.Pipe(duplex=False)
            given = (
                self.plan.declared(trial), self.folder.log(trial.id), self.folder.row(trial.id),
                Limits(self.terms.memory_mb), theirs, os.getpid(),
            )  # fmt: skip
            process = self.context.Process(target=child, args=given, name=f"trial {trial.id}")
            process.start()
            theirs.close()
            attempt = self.before[trial.id] + self.used[trial.id]
            self.running[process.sentinel] = _Running(trial, attempt, process, ours, time.monotonic())
        self.tally.running = len(self.running)

    def _collect(self) -> None:
        """Wait for a process to end, or for the next moment at which something is to be looked at."""
        if not self.running:
            time.sleep(min(WAIT_S, BUSY_PAUSE_S))
            return
        for sentinel in wait(list(self.running), timeout=WAIT_S):
            assert isinstance(sentinel, int)
            self._ended(self.running.pop(sentinel), "")
        if self.terms.timeout_s:
            now = time.monotonic()
            for sentinel, each in list(self.running.items()):
                if now - each.began_s > self.terms.timeout_s:
                    each.process.kill()
                    each.process.join()
                    self._ended(self.running.pop(sentinel), f"took longer than {self.terms.timeout_s:g} s")
        self.tally.running = len(self.running)

    def _ended(self, each: _Running, reason: str) -> None:
        each.process.join()
        said = _said(each.pipe)
        code = each.process.exitcode
        each.process.close()
        if said is None:
            said = {"how": FAILED, "error": reason or death(code), "cpu_ms": 0}
        if said["how"] == BUSY:
            # Someone else writes this very log now; look again, at no cost to the trial.
            self.used[each.trial.id] -= 1
            self.later.append((time.monotonic() + BUSY_PAUSE_S, each.trial))
            return
        self.tally.used(said)
        wall_ms = round((time.monotonic() - each.began_s) * 1000)
        note_attempt(
            self.folder,
            {"trial": each.trial.id, "attempt": each.attempt, "exit": code, "wall_ms": wall_ms, **said},
        )
        if said["how"] == SEALED:
            self.tally.done += 1
            self.tally.ran += 1
        elif said["how"] == FULL:
            self.tally.stopped = f"the disk refuses: {said['error']}"
        elif self.used[each.trial.id] <= self.terms.retries:
            self.queue.append(each.trial)
        else:
            self.tally.failed += 1
            self.tally.errors[each.trial.id] = said["error"]
            if self.terms.too_many(self.tally.failed, self.tally.total):
                self.tally.stopped = failures(self.tally.failed)

    def _kill_all(self) -> None:
        """End every child at once. What they wrote stays, to be gone on with."""
        for each in self.running.values():
            each.process.kill()
        for each in self.running.values():
            each.process.join()
            entry = {
                "trial": each.trial.id,
                "attempt": each.attempt,
                "exit": each.process.exitcode,
                "how": "stopped",
                "error": "",
            }
            note_attempt(self.folder, entry)
        self.running.clear()
        self.tally.running = 0


def _said(pipe: Connection) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] | None = pipe.recv() if pipe.poll() else None
    except (EOFError, OSError):
        found = None
    finally:
        pipe.close()
    return found


def death(code: int | None) -> str:
    """Return in words how a process ended."""
    if code is not None and code < 0:
        try:
            return f"its process was killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"its process was killed by signal {-code}"
    return f"its process ended with exit code {code}"
