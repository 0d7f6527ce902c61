"""The same batch through Dask: workers on other machines that see the same folder, for those who have a cluster.

A task's key is its trial's id; its worker seals the log itself and hands back only a few words, so nothing is lost with
a worker's memory and running a task twice is harmless: the first seal wins. Each trial still has a process of its own
on the worker, by the same code as without Dask, so that a death is blamed on the trial and not on the worker.

With no address as many workers as --jobs says are started here, as processes that talk over TCP. Elsewhere a worker or the scheduler may
die and be started again by whoever runs the cluster: what a dead scheduler knew is handed to the next one.
"""

from __future__ import annotations

import importlib
import json
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import trials
from sim.declare import Declared
from trials.store_batch import BatchError, Folder, Plan, Trial, attempts_of, note_attempt
from trials.supervisor import ABORT, BUSY_PAUSE_S, Tally, Terms, death, failures
from trials.supervisor_child import BUSY, FAILED, FULL, SEALED, Limits, source_digest

WAIT_S = 0.25
LOOK_S, PATIENCE_S = 2.0, 15.0
"""How often the workers are counted, and how long none may be there when they were started here."""
CONNECT_S, AWAY_S = 10.0, 300.0
"""How long one attempt to reach a scheduler may take, and how long a lost one may be away before the batch gives up."""
LOST_MAX = 3
"""How often a task may be lost with its worker before it counts as an attempt of its trial."""


def run_on_dask(
    plan: Plan, folder: Folder, terms: Terms, *, address: str = "", stop: Callable[[], int] = lambda: 0,
    notify: Callable[[Tally], None] = lambda tally: None,
) -> Tally:  # fmt: skip
    """Run what is not sealed yet on the scheduler at *address*; return the tally. Raises BatchError without Dask."""
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise BatchError(
            "this engine needs Dask", mend="pip install 'oneroom[cluster]', or --engine local"
        ) from None
    batch = _Batch(distributed, plan, folder, terms, stop, notify)
    try:
        if address:
            return _elsewhere(batch, address)
        local = {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
        with (
            distributed.LocalCluster(n_workers=terms.jobs, **local) as cluster,
            distributed.Client(cluster) as client,
        ):
            return batch.run(client, patience_s=PATIENCE_S)
    except (OSError, RuntimeError, TimeoutError, ValueError) as error:
        raise BatchError(
            f"Dask gave up: {error}",
            where=address,
            mend="see that a scheduler runs at that address; the same command goes on with what is left; or --engine local",
        ) from error


class SchedulerLost(RuntimeError):
    """The scheduler is gone, and with it all that it knew of what was handed out."""


def _elsewhere(batch: _Batch, address: str) -> Tally:
    """Run the batch on a scheduler that others keep alive: when it is lost, hand everything to the next one there."""
    seen_s: float | None = None
    while True:
        try:
            # Dask's own way back waits ever longer between its attempts, so a lost client is left for a new one.
            client = batch.dask.Client(address, timeout=CONNECT_S)
        except (OSError, TimeoutError):
            if seen_s is None or time.monotonic() - seen_s > AWAY_S:
                raise
            if batch.asked_to_stop():
                return batch.tally
            time.sleep(WAIT_S)
            continue
        try:
            return batch.run(client)
        except SchedulerLost:
            batch.tally.running = 0
            batch.notify(batch.tally)
        finally:
            seen_s = time.monotonic()
            with suppress(OSError, TimeoutError):
                client.close(timeout=1)


def task(
    source: str, declared: Declared, log: str, row: str, timeout_s: float, memory_mb: int
) -> dict[str, Any]:
    """Be one task on a worker: one attempt, in a process of its own, started afresh because a worker has threads."""
    worker = str(importlib.import_module("distributed").get_worker().name)
    given = pickle.dumps((source, declared, Path(log), Path(row), Limits(memory_mb), os.getpid()))
    house = str(Path(trials.__path__[0]).parent)
    paths = os.pathsep.join(each for each in (house, os.environ.get("PYTHONPATH", "")) if each)
    command = [sys.executable, "-m", "trials.supervisor_child"]
    try:
        ended = subprocess.run(
            command,
            input=given,
            capture_output=True,
            timeout=timeout_s or None,
            env={**os.environ, "PYTHONPATH": paths},
        )
    except subprocess.TimeoutExpired:
        said: dict[str, Any] = {"how": FAILED, "error": f"took longer than {timeout_s:g} s", "cpu_ms": 0}
    else:
        try:
            said = json.loads(ended.stdout)
        except ValueError:
            said = {"how": FAILED, "error": death(ended.returncode), "cpu_ms": 0}
    return {**said, "worker": worker}


class _Batch:
    def __init__(
        self,
        dask: Any,
        plan: Plan,
        folder: Folder,
        terms: Terms,
        stop: Callable[[], int],
        notify: Callable[[Tally], None],
    ) -> None:
        self.client: Any = None
        self.patience_s, self.workers_s, self.looked_s = 0.0, 0.0, 0.0
        self.dask, self.plan, self.folder, self.terms = dask, plan, folder, terms
        self.stop, self.notify = stop, notify
        self.tally = Tally(len(plan.trials), began_s=time.monotonic())
        tried = attempts_of(folder)
        self.before = {trial.id: len(tried.get(trial.id, ())) for trial in plan.trials}
        self.used: dict[str, int] = {}
        self.source = source_digest()
        self.lost: dict[str, int] = {}
        self.out: dict[Any, Trial] = {}
        self.handed_out = False

    def run(self, client: Any, patience_s: float = 0.0) -> Tally:
        """Hand the trials out, and take in what is said of them until none is left. Raises SchedulerLost."""
        self.client, self.patience_s, self.workers_s = client, patience_s, time.monotonic()
        self._hand_out()
        waiting = self.dask.as_completed(list(self.out), raise_errors=False)
        while self.out:
            if self.asked_to_stop() >= ABORT:
                break
            for future in _ready(waiting):
                again = self._take(future)
                if again is not None:
                    waiting.add(again)
            self._mind_the_workers()
            self.notify(self.tally)
        return self.tally

    def _hand_out(self) -> None:
        """Submit what is not sealed and not given up; what a lost scheduler had in hand costs its trials no attempt."""
        for trial in self.out.values():
            self._set_back(trial)
        self.out.clear()
        done = self.folder.finished(self.plan.trials)
        self.tally.ran += len(done) - self.tally.done if self.handed_out else 0
        self.tally.done, self.handed_out = len(done), True
        if not self.tally.stopped:
            for trial in self.plan.trials:
                if trial.id not in done and trial.id not in self.tally.errors:
                    self._submit(trial)

    def asked_to_stop(self) -> int:
        """Return how often a person asked to end; the first time, take back what no worker has in hand yet."""
        asked = self.stop()
        if asked >= ABORT:
            self.tally.stopped = "aborted"
        elif asked and not self.tally.stopped:
            self.tally.stopped = "stopped"
            with suppress(OSError, TimeoutError):
                at_work = {key for keys in self.client.processing().values() for key in keys}
                self.client.cancel([each for each in self.out if each.key not in at_work])
        return asked

    def _mind_the_workers(self) -> None:
        """Count who works. Raise RuntimeError when the workers started here are all gone: nobody will bring them back."""
        now = time.monotonic()
        if now - self.looked_s < LOOK_S:
            return
        self.looked_s = now
        with self._scheduler_there():
            threads = sum(self.client.nthreads().values())
        self.tally.running = min(len(self.out), threads)
        if threads:
            self.workers_s = now
        elif self.patience_s and now - self.workers_s > self.patience_s:
            raise RuntimeError("all its workers are gone")

    def _submit(self, trial: Trial) -> Any:
        used = self.used.get(trial.id, 0) + 1
        number = self.before[trial.id] + used + self.lost.get(trial.id, 0)
        with self._scheduler_there():
            future = self.client.submit(
                task, self.source, self.plan.declared(trial),
                str(self.folder.log(trial.id).resolve()), str(self.folder.row(trial.id).resolve()),
                self.terms.timeout_s, self.terms.memory_mb, key=f"{trial.id}-{number}", pure=False, retries=LOST_MAX,
            )  # fmt: skip
        self.out[future], self.used[trial.id] = trial, used
        return future

    @contextmanager
    def _scheduler_there(self) -> Iterator[None]:
        """Raise SchedulerLost for whatever a call says when there is no scheduler to hear it."""
        try:
            yield
        except (OSError, TimeoutError, CancelledError, self.dask.client.ClosedClientError) as error:
            raise SchedulerLost("its scheduler is gone") from error

    def _take(self, future: Any) -> Any:
        """Take in one ended task; return the future of its next attempt, if there is one."""
        trial = self.out.get(future)
        if trial is None:
            return None
        if future.cancelled() and not self.tally.stopped:
            raise SchedulerLost("its scheduler is gone")
        if future.cancelled():
            del self.out[future]
            return None
        if future.status == "finished":
            with self._scheduler_there():
                said = future.result()
        else:
            said = {"how": FAILED, "error": f"lost with its worker: {future.exception()}", "cpu_ms": 0}
        del self.out[future]
        if said["how"] == BUSY:
            time.sleep(BUSY_PAUSE_S)
            return self._again(trial)
        note_attempt(
            self.folder,
            {"trial": trial.id, "attempt": self.before[trial.id] + self.used[trial.id], "exit": None, **said},
        )
        self.tally.used(said)
        if said["how"] == SEALED:
            self.tally.done += 1
            self.tally.ran += 1
        elif said["how"] == FULL:
            self.tally.stopped = f"the disk refuses: {said['error']}"
            self.client.cancel(list(self.out))
        elif self.used[trial.id] <= self.terms.retries and not self.tally.stopped:
            return self._submit(trial)
        else:
            self.tally.failed += 1
            self.tally.errors[trial.id] = said["error"]
            if self.terms.too_many(self.tally.failed, self.tally.total) and not self.tally.stopped:
                self.tally.stopped = failures(self.tally.failed)
                self.client.cancel(list(self.out))
        return None

    def _again(self, trial: Trial) -> Any:
        """Hand a trial out once more, at no cost to it."""
        self._set_back(trial)
        return self._submit(trial)

    def _set_back(self, trial: Trial) -> None:
        self.used[trial.id] -= 1
        self.lost[trial.id] = self.lost.get(trial.id, 0) + 1


def _ready(waiting: Any) -> list[Any]:
    """Return what has ended by now; wait a little if nothing has."""
    found: list[Any] = []
    while not waiting.queue.empty():
        found.append(waiting.queue.get())
    if not found:
        time.sleep(WAIT_S)
    return found
