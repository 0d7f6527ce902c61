"""Transport faults: each byte script is played by a server on this machine to the real client, and what comes of it is
handed to a real kernel that waits, was pre-empted, or has cancelled."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agent.request import Part, Request
from sim.declare import declare
from sim.gateway_openai import OpenAIProvider
from sim.gateway_provider import WALL_CAP_S, Reply
from sim.gateway_scripted import Scripted
from sim.live import Live
from trials.experiments.fault_server import FaultServer
from trials.experiments.hostile_cases import KEY, cases
from trials.experiments.hostile_replies import STATES, judge, play_reply
from trials.experiments.hostile_stage import stage
from trials.experiments.lines import line

NAME = "transports"
DOC = (
    "Raw HTTP faults from a server on loopback against the real client and kernel, in three states; ticks under a storm. "
    "Takes --cases FILE."
)
CAP_S = 0.8
PUMPS = {True: 12_000, False: 72_000}
PACE_OVER_MS = 1.0
OVER_S = 0.7  # how long after the cap a call may come back, on a busy machine
EXPECT = {"accept": "accept", "accept_once": "accept"}
"""What a script's expectation means for the reply; any other holds `accept` (may be used) or not (must not be)."""


def run(*, quick: bool = True, cases_file: Path | None = None) -> Iterator[dict[str, Any]]:
    """Yield a line per script that misses its expectation, then the summaries."""
    rows = cases("transports", cases_file)
    if importlib.util.find_spec("openai") is None:
        yield line(
            f"{len(rows)} transport faults end as expected", "all", "the client is not installed", True
        )
        return
    at = stage("choose")
    tried = missed = 0
    longest = 0.0
    for row in rows if quick else rows * 3:
        reply, requests, took_s = played(row)
        longest = max(longest, took_s)
        expect = EXPECT.get(row["expect"], "either" if "accept" in row["expect"] else "reject")
        for how in STATES:
            tried += 1
            fault = judge(expect, how, *play_reply(at, reply, how))
            fault = fault or ("more requests than declared" if requests > 1 else "")
            fault = fault or (f"came back after {took_s:.1f} s" if took_s > CAP_S + OVER_S else "")
            if fault:
                missed += 1
                yield line(
                    f"{row['id']} {row.get('name', '')} ({how})",
                    row["expect"],
                    fault,
                    False,
                    failure=reply.failure,
                )
    yield line(
        f"{len(rows)} transport faults x {len(STATES)} states end as expected",
        "all",
        [tried - missed, tried],
        missed == 0,
    )
    yield line(
        "longest call in seconds, cap 0.8",
        f"<= {CAP_S + OVER_S}",
        round(longest, 2),
        longest <= CAP_S + OVER_S,
    )
    yield from pace(PUMPS[quick])


class Storm(Scripted):
    """A provider that brings nothing but faults and floods."""

    calls = 0

    def ask(self, part: Part, request: Request, *, wall_cap_s: float = WALL_CAP_S) -> Reply:
        assert part.request_id == request.id
        self.calls += 1
        time.sleep(min(wall_cap_s, 0.002))
        floods = (
            Reply(None, "timeout"), Reply(b"[" * 250_000), Reply(b'{"a":"' + b"x" * 200_000), Reply(None, "server_error"),
            Reply(b"\xff\xfe" * 1000),
        )  # fmt: skip
        return floods[self.calls % len(floods)]


def pace(pumps: int) -> Iterator[dict[str, Any]]:
    """Yield what a tick of live pace costs the window's own thread, under a storm and without a model, in ms of its processor time."""
    storm = Storm(1)
    calm, stormy = lived(None, "none", pumps), lived(storm, "scripted", pumps)
    yield line(
        "ms of a tick in live pace under a storm, 99th of 100", f"<= {calm:.2f} + {PACE_OVER_MS}", round(stormy, 2),
        stormy <= calm + PACE_OVER_MS, ticks=pumps, calls=storm.calls,
    )  # fmt: skip


def lived(provider: Scripted | None, model: str, pumps: int) -> float:
    """Return the 99th percentile of the thread's time for a tick, in ms, over *pumps* ticks of near_tie."""
    live = Live(declare("near_tie", seed=101, overrides={"model.provider": model, "pace": "live"}), None, provider=provider)
    took: list[float] = []
    for _ in range(pumps):
        began = time.thread_time()
        live.pump(0.1)
        took.append(time.thread_time() - began)
    live.close()
    return 1000 * sorted(took)[pumps * 99 // 100]


def played(row: dict[str, Any]) -> tuple[Reply, int, float]:
    """Return what the client made of a script, how often it asked, and how long it took in seconds."""
    at = stage("choose")
    request = at.request
    fill = {
        "REQ": request.id, "VER": request.version, "CAND_OK": request.group[0], "CAND_OK2": request.group[-1], "KEY": KEY,
        "REQ_OTHER": "req-9007", "DEADLINE_MS": str(int(CAP_S * 1000)),
    }  # fmt: skip
    with FaultServer(row["steps"], fill) as server:
        provider = OpenAIProvider(url=server.url, key=KEY, model="m", attempts=1)
        # The first call imports the client, which takes a second.
        provider.ask(Part(request.id, 9, "sample", request.tick, request.tick + 1), request, wall_cap_s=0.001)
        before, began = server.requests, time.monotonic()
        reply = provider.ask(at.part, request, wall_cap_s=CAP_S)
        took_s = time.monotonic() - began
        provider.close()
        return reply, server.requests - before, took_s
