"""The 58 transport faults: each ends as one failure code within the cap, never as an exception.

Each script is also run against a slot that is waiting, one that was pre-empted and one that was cancelled.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from agent.reply import Parsed, parse
from agent.request import Part, Request
from agent.slot import Slot
from sim.gateway import FAILURES, Reply
from sim.gateway_openai import OpenAIProvider
from sim.redaction import forms
from tests.model_cases import VERSIONS, a_request
from trials.experiments.fault_server import FaultServer

KEY = "sk-canary-7f3a9c1e55d2b8"
CAP_S = 0.8
SCRIPTS = [json.loads(line) for line in
           (Path(__file__).parents[1] / "trials/experiments/data/hostile/transport_faults.jsonl").read_text(encoding="utf-8").splitlines()]
assert len(SCRIPTS) == 58

WANTED: dict[str, tuple[str, ...]] = {
    "no_accept": ("timeout",), "slow_drip_body": ("timeout",), "slow_drip_headers": ("timeout",),
    "slow_drip_whitespace": ("timeout",), "100_continue_forever": ("timeout",), "reply_after_deadline": ("timeout",),
    "rst_before_headers": ("connection",), "status_401": ("unauthorized",), "status_403": ("unauthorized",),
    "status_404": ("not_found",), "status_429": ("throttled",), "status_500": ("server_error",),
    "redirect_loop": ("redirected",), "redirect_other_host": ("redirected",), "finish_length": ("truncated",),
    "finish_content_filter": ("filtered",), "null_content": ("no_text",), "tool_calls_only": ("no_text",),
    "gzip_bomb_64MiB": ("too_large",), "gzip_corrupt": ("protocol",), "empty_choices": ("bad_shape",),
    "bad_chunk": ("protocol",), "not_http": ("protocol",), "429_retry_after_huge": ("throttled",),
}
"""What single scripts must end as; any other failure is fine for the rest."""


def filling(request: Request) -> dict[str, str]:
    return {"REQ": request.id, "VER": request.version, "CAND_OK": "cand-12", "CAND_OK2": "cand-13", "KEY": KEY,
            "REQ_OTHER": "req-7", "DEADLINE_MS": str(int(CAP_S * 1000))}


def played(script: dict[str, Any], attempts: int = 1) -> tuple[Reply, Request, FaultServer, float]:
    request = a_request()
    with FaultServer(script["steps"], filling(request)) as server:
        provider = OpenAIProvider(url=server.url, key=KEY, model="m", attempts=attempts)
        provider.ask(Part("req-8", 9, "sample", 100, 105), request, wall_cap_s=0.001)  # imports the client
        before = server.requests
        started = time.monotonic()
        reply = provider.ask(Part("req-8", 1, "ask", 100, 105), request, wall_cap_s=CAP_S)
        took_s = time.monotonic() - started
        provider.close()
        server.requests -= before
    return reply, request, server, took_s


@pytest.mark.parametrize("script", SCRIPTS, ids=[script["name"] for script in SCRIPTS])
def test_a_transport_fault_ends_as_one_code_within_the_cap(script: dict[str, Any]) -> None:
    reply, request, server, took_s = played(script)

    assert took_s < CAP_S + 0.7
    assert server.requests <= 1
    assert not any(form in repr(reply) for form in forms(KEY))
    if script["name"] in WANTED:
        assert reply.failure in WANTED[script["name"]]
    readable = reply.raw is not None and isinstance(parse(reply.raw, request), Parsed)
    assert readable or script["expect"] not in ("accept", "accept_once")
    assert not readable or "accept" in script["expect"]
    assert_states(reply, request, readable)


def assert_states(reply: Reply, request: Request, readable: bool) -> None:
    """Hand the reply to a waiting slot, one whose request was pre-empted, and one that was cancelled."""
    for how in ("idle", "preempted", "safe_stop"):
        slot = Slot()
        slot.ask(request, latency_ticks=5)
        if how != "idle":
            slot.cancel(how)
        ruling = slot.on_reply("req-8.1", reply.raw, reply.failure, 105, VERSIONS)
        assert (ruling.kind == "commit") == (readable and how == "idle")
        assert slot.counts["committed"] == int(ruling.kind == "commit")


def test_a_transport_fault_is_tried_as_often_as_declared_and_no_more() -> None:
    storm = next(script for script in SCRIPTS if script["name"] == "status_503")
    for attempts in (1, 2, 3):
        reply, _, server, _ = played(storm, attempts)
        assert server.requests == attempts == reply.calls


def test_a_wait_longer_than_the_cap_is_not_waited_for() -> None:
    script = next(each for each in SCRIPTS if each["name"] == "429_retry_after_huge")
    reply, _, server, took_s = played(script, attempts=3)
    assert (reply.failure, server.requests) == ("throttled", 1)
    assert took_s < CAP_S


def test_a_withdrawn_call_returns_soon() -> None:
    import threading

    script = next(each for each in SCRIPTS if each["name"] == "no_accept")
    request = a_request()
    with FaultServer(script["steps"], filling(request)) as server:
        provider = OpenAIProvider(url=server.url, key=KEY, model="m")
        timer = threading.Timer(0.3, provider.cancel, ["req-8.1"])
        provider.ask(Part("req-8", 9, "sample", 100, 105), request, wall_cap_s=0.001)
        timer.start()
        started = time.monotonic()
        reply = provider.ask(Part("req-8", 1, "ask", 100, 105), request, wall_cap_s=30)
        assert reply.failure == "cancelled"
        assert time.monotonic() - started < 3
        provider.close()


def test_every_failure_code_is_explained() -> None:
    assert all(text and text == text.strip() for text in FAILURES.values())
