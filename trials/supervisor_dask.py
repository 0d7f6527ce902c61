"""The same batch through Dask: workers on other machines that see the same folder, for those who have a cluster.

A task's key is its trial's id; its worker seals the log itself and hands back only a few words, so nothing is lost with
a worker's memory and running a task twice is harmless: the first seal wins. Each trial still has a process of its own
on the worker, by the same code as without Dask, so that a death is blamed on the trial and not on the worker.

With no address two workers are started here, as processes that talk over TCP.
"""

from __future__ import annotations

import importlib
import json
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import trials
from sim.declare import Declared
from trials.store_batch import BatchError, Folder, Plan, Trial, attempts_of, note_attempt
from trials.supervisor import ABORT, BUSY_PAUSE_S, Tally, Terms, death
from trials.supervisor_child import BUSY, FAILED, FULL, SEALED, Limits, source_digest

WAIT_S = 0.25
LOOK_S, PATIENCE_S = 2.0, 15.0
"""How often the workers are counted, and how long none may be there when they were started here."""
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
    try:
        if address:
            with distributed.Client(address, timeout="30s") as client:
                return _Batch(distributed, client, plan, folder, terms, stop, notify).run()
        local = {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
        with (
            distributed.LocalCluster(n_workers=terms.jobs, **local) as cluster,
            distributed.Client(cluster) as client,
        ):
            return _Batch(distributed, client, plan, folder, terms, stop, notify, patience_s=PATIENCE_S).run()
    except (OSError, RuntimeError, TimeoutError) as error:
        raise BatchError(
            f"Dask gave up: {error}",
            where=address,
            mend="the same command goes on with what is left; or --engine local",
        ) from error


def task(
    source: str, declared: Declared, log: str, row: str, timeout_s: float, memory_mb: int
) -> dict[str, Any]:
    """Be one task on a worker: one attempt, in a process of its own, started afresh because a worker has threads."""
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
        return {"how": FAILED, "error": f"took longer than {timeout_s:g} s", "cpu_ms": 0}
    try:
        said: dict[str, Any] = json.loads(ended.stdout)
    except ValueError:
        return {"how": FAILED, "error": death(ended.returncode), "cpu_ms": 0}
    return said


class _Batch:
    def __init__(
        self,
        dask: Any,
        client: Any,
        plan: Plan,
        folder: Folder,
        terms: Terms,
        stop: Callable[[], int],
        notify: Callable[[Tally], None],
        patience_s: float = 0.0,
    ) -> None:
        self.patience_s, self.workers_s = patience_s, time.monotonic()
        self.dask, self.client, self.plan, self.folder, self.terms = dask, client, plan, folder, terms
        self.stop, self.notify = stop, notify
        self.tally = Tally(len(plan.trials), began_s=time.monotonic())
        tried = attempts_of(folder)
        self.before = {trial.id: len(tried.get(trial.id, ())) for trial in plan.trials}
        self.used: dict[str, int] = {}
        self.source = source_digest()
        self.lost: dict[str, int] = {}
        self.out: dict[Any, Trial] = {}

    def run(self) -> Tally:
        """Hand the trials out, and take in what is said of them until none is left."""
        for trial in self.plan.trials:
            if self.folder.sealed(trial.id).exists() and self.folder.row(trial.id).exists():
                self.tally.done += 1
            else:
                self._submit(trial)
        waiting = self.dask.as_completed(list(self.out), raise_errors=False)
        while self.out:
            asked = self.stop()
            if asked and not self.tally.stopped:
                self.tally.stopped = "aborted" if asked >= ABORT else "stopped"
                self.client.cancel(
                    [future for future in self.out if future.status == "pending"], force=asked >= ABORT
                )
            if self.tally.stopped and asked >= ABORT:
                break
            for future in _ready(waiting):
                again = self._take(future)
                if again is not None:
                    waiting.add(again)
            self.tally.running = len(self.out)
            self.notify(self.tally)
            self._mind_the_workers()
        return self.tally

    def _mind_the_workers(self) -> None:
        """Raise RuntimeError when the workers started here are all gone: nobody will bring them back."""
        if not self.patience_s or time.monotonic() - self.workers_s < LOOK_S:
            return
        if self.client.nthreads():
            self.workers_s = time.monotonic()
        elif time.monotonic() - self.workers_s > self.patience_s:
            raise RuntimeError("all its workers are gone")

    def _submit(self, trial: Trial) -> Any:
        self.used[trial.id] = self.used.get(trial.id, 0) + 1
        number = self.before[trial.id] + self.used[trial.id] + self.lost.get(trial.id, 0)
        future = self.client.submit(
            task, self.source, self.plan.declared(trial),
            str(self.folder.log(trial.id).resolve()), str(self.folder.row(trial.id).resolve()),
            self.terms.timeout_s, self.terms.memory_mb, key=f"{trial.id}-{number}", pure=False, retries=LOST_MAX,
        )  # fmt: skip
        self.out[future] = trial
        return future

    def _take(self, future: Any) -> Any:
        """Take in one ended task; return the future of its next attempt, if there is one."""
        trial = self.out.pop(future, None)
        if trial is None or future.cancelled():
            return None
        if future.status == "finished":
            said = future.result()
        else:
            said = {"how": FAILED, "error": f"lost with its worker: {future.exception()}", "cpu_ms": 0}
        if said["how"] == BUSY:
            self.used[trial.id] -= 1
            self.lost[trial.id] = self.lost.get(trial.id, 0) + 1
            time.sleep(BUSY_PAUSE_S)
            return self._submit(trial)
        note_attempt(
            self.folder,
            {"trial": trial.id, "attempt": self.before[trial.id] + self.used[trial.id], "exit": None, **said},
        )
        self.tally.cpu_ms += said["cpu_ms"]
        self.tally.tokens += said.get("tokens", 0)
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
        return None


def _ready(waiting: Any) -> list[Any]:
    """Return what has ended by now; wait a little if nothing has."""
    found: list[Any] = []
    while not waiting.queue.empty():
        found.append(waiting.queue.get())
    if not found:
        time.sleep(WAIT_S)
    return found
