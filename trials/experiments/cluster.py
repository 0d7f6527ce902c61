"""The same batch through Dask: a scheduler and two workers, each in a network namespace of its own, killed at random.

Three namespaces are joined by two cables (veth): the hub, where the scheduler and the command of the batch live, and
one for each worker. A worker reaches nothing but the hub, as on a real cluster; all see the same folder. Whoever dies
is started again, as a job queue would. Where namespaces can't be made (no root, no `ip`, not Linux) the same
processes talk over TCP on this machine, and the lines say so.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from trials.experiments.hunt import batch_command, below, hunt, lines_of, write_protocol
from trials.experiments.lines import line
from trials.store_batch import Folder, attempts_of, make_plan
from trials.supervisor_child import SEALED

NAME = "cluster"
DOC = "The same batch through Dask: scheduler and two workers in network namespaces of their own, killed at random."
WORKERS = ("one", "two")
QUICK_KILLS, FULL_KILLS = 4, 30
QUICK_TRIALS, FULL_TRIALS = 12, 40
DURATION = "2h"
SHARES = {"worker": 35, "trial": 25, "scheduler": 25, "parent": 15}
PAUSE_S = 0.5
PORT = 8786
HOUSE = str(Path(__file__).resolve().parents[2])


def run(
    *, quick: bool = True, count: int | None = None, trials: int | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the lines; *count* is the number of kills. Raises ValueError without Dask."""
    kills = (QUICK_KILLS if quick else FULL_KILLS) if count is None else count
    wanted = trials or (QUICK_TRIALS if quick else FULL_TRIALS)
    with TemporaryDirectory() as place, a_net() as net:
        protocol = write_protocol(Path(place), trials=wanted, duration=DURATION)
        plan = make_plan(protocol)
        serial, hunted = Folder(Path(place) / "serial"), Folder(Path(place) / "cluster")
        subprocess.run(
            batch_command(protocol, serial.root, "--jobs", "1"), check=True, stdout=subprocess.DEVNULL
        )
        cluster = Cluster(net, Path(place))
        try:
            engine = f"dask:tcp://{net.hub}:{net.port}"
            command = [*net.inside("hub"), *batch_command(protocol, hunted.root, "--engine", engine)]
            cluster.gather()
            bag = hunt(
                command, plan, hunted, lambda parent: cluster.targets(parent, hunted), kills=kills, seed=kills,
                pause_s=PAUSE_S, shares=SHARES, tend=cluster.tend, env=ENV,
            )  # fmt: skip
        finally:
            cluster.close()
        where = f"Dask, {wanted} trials, 2 workers in " + (
            "namespaces" if net.names else "processes over TCP"
        )
        yield from lines_of(where, plan, serial, hunted, bag, kills)
        worked = workers_of(hunted)
        yield line(
            f"{where}: workers that sealed trials", 2, len(worked), len(worked) == 2, workers=sorted(worked)
        )


ENV = {**os.environ, "PYTHONPATH": HOUSE}
GATHER_S = 60.0


def workers_of(folder: Folder) -> set[str]:
    """Return the names of the workers that sealed a trial."""
    ended = (each for tried in attempts_of(folder).values() for each in tried)
    return {str(each["worker"]) for each in ended if each["how"] == SEALED and each.get("worker")}


class Net:
    """Where the processes live: the names of the namespaces by role (empty where there are none), addresses, a port."""

    def __init__(self, names: dict[str, str], hub: str, hosts: dict[str, str], port: int) -> None:
        self.names, self.hub, self.hosts, self.port = names, hub, hosts, port

    def inside(self, role: str) -> list[str]:
        """Return what goes before a command to run it where *role* lives."""
        return ["ip", "netns", "exec", self.names[role]] if self.names else []


@contextmanager
def a_net() -> Iterator[Net]:
    """Yield namespaces joined by cables, or this machine's own wire where they can't be made; take them down at the end."""
    names = {role: f"oneroom-{os.getpid()}-{role}" for role in ("hub", *WORKERS)}
    made: list[str] = []
    try:
        try:
            for name in names.values():
                _ip("netns", "add", name)
                made.append(name)
            hosts = _join(names)
            net = Net(names, "10.77.1.1", hosts, PORT)
        except (OSError, subprocess.CalledProcessError):
            net = Net({}, "127.0.0.1", dict.fromkeys(WORKERS, "127.0.0.1"), _free_port())
        yield net
    finally:
        for name in made:
            with suppress(OSError, subprocess.CalledProcessError):
                _ip("netns", "del", name)


def _join(names: Mapping[str, str]) -> dict[str, str]:
    """Lay a cable from the hub to each worker; return the workers' addresses."""
    hosts = {}
    _ip("-n", names["hub"], "link", "set", "lo", "up")
    for at, worker in enumerate(WORKERS, 1):
        hub, there, cable = names["hub"], names[worker], f"cable{at}"
        _ip("-n", there, "link", "set", "lo", "up")
        _ip("-n", hub, "link", "add", cable, "type", "veth", "peer", "name", "wire", "netns", there)
        _ip("-n", hub, "addr", "add", f"10.77.{at}.1/24", "dev", cable)
        _ip("-n", there, "addr", "add", f"10.77.{at}.2/24", "dev", "wire")
        _ip("-n", hub, "link", "set", cable, "up")
        _ip("-n", there, "link", "set", "wire", "up")
        _ip("-n", there, "route", "add", "default", "via", f"10.77.{at}.1")
        hosts[worker] = f"10.77.{at}.2"
    return hosts


def _ip(*words: str) -> None:
    path = shutil.which("ip")
    if path is None:
        raise FileNotFoundError("there is no command ip")
    subprocess.run([path, *words], check=True, capture_output=True)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Cluster:
    """A scheduler and two workers, each started again when it is found dead."""

    def __init__(self, net: Net, folder: Path) -> None:
        self.net, self.folder = net, folder
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.commands = {
            "scheduler": self._command("hub", "scheduler", "--host", net.hub, "--port", str(net.port))
        }
        for worker in WORKERS:
            words = (
                f"tcp://{net.hub}:{net.port}",
                "--host",
                net.hosts[worker],
                "--name",
                worker,
                "--nthreads",
                "1",
            )
            self.commands[worker] = self._command(
                worker, "worker", *words, "--no-nanny", "--death-timeout", "60"
            )
        self.tend()

    def _command(self, role: str, what: str, *words: str) -> list[str]:
        module = f"distributed.cli.dask_{what}"
        return [*self.net.inside(role), sys.executable, "-m", module, *words, "--no-dashboard"]

    def tend(self) -> None:
        """Start whoever is not running."""
        for name, command in self.commands.items():
            if name not in self.running or self.running[name].poll() is not None:
                with (self.folder / f"{name}.log").open("ab") as log:
                    self.running[name] = subprocess.Popen(
                        command, stdout=log, stderr=log, env=ENV, cwd=self.folder
                    )

    def gather(self) -> None:
        """Wait until every worker has told the scheduler that it is there, so that neither does the batch alone. Raises RuntimeError."""
        until = time.monotonic() + GATHER_S
        while not all(b"Registered to" in (self.folder / f"{name}.log").read_bytes() for name in WORKERS):
            if time.monotonic() > until:
                raise RuntimeError(f"the workers did not find the scheduler within {GATHER_S:g} s")
            self.tend()
            time.sleep(0.1)

    def targets(self, parent: int, folder: Folder) -> Mapping[str, Sequence[int]]:
        """Return whom a hunt may kill: nobody before each worker has ended a trial, or a short batch would know one only.

        `ip netns exec` becomes the command itself, so a process's id is its own.
        """
        if len(workers_of(folder)) < len(WORKERS):
            return {}
        workers = [self.running[name].pid for name in WORKERS]
        trials = [pid for worker in workers for pid in below(worker)]
        return {
            "worker": workers if trials else [], "trial": trials, "scheduler": [self.running["scheduler"].pid],
            "parent": [parent] if trials else [],
        }  # fmt: skip

    def close(self) -> None:
        """End them all."""
        for process in self.running.values():
            process.kill()
        for process in self.running.values():
            process.wait()
