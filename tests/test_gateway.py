"""Providers: made from a declaration, honest about failure, deterministic where they are scripted."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from agent.reply import Fault, Parsed, parse
from agent.request import TYPES, Part, Request
from agent.slot import Slot
from sim.gateway import ModelError, check_endpoint, make_provider, parse_model
from sim.gateway_openai import OpenAIProvider, from_environment, shown_url
from sim.redaction import forms, redact
from tests.hostile_replies import KEY
from tests.model_cases import VERSIONS, a_context, a_request
from trials.experiments.fault_server import FaultServer

ROOT = Path(__file__).parent.parent


def a_part(request: Request, number: int = 1, kind: str = "ask") -> Part:
    return Part(request.id, number, kind, request.tick, request.tick + 5)


def answers(spec: dict[str, object], count: int = 300) -> list[Parsed | Fault | str]:
    provider = make_provider({"provider": "scripted", **spec}, 11)
    found: list[Parsed | Fault | str] = []
    for number in range(1, count + 1):
        request = a_request(number=number)
        reply = provider.ask(a_part(request), request)
        found.append(reply.failure if reply.raw is None else parse(reply.raw, request))
    return found


@pytest.mark.parametrize("text", ["none", "scripted", "scripted:weak", "openai:some-model"])
def test_a_provider_is_made_from_the_text_of_the_command_line(text: str) -> None:
    provider = make_provider(text, 7)
    assert provider.name == text.partition(":")[0]
    assert parse_model(text).get("name", "") == text.partition(":")[2]
    provider.close()


def test_an_unknown_provider_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ModelError, match="none, scripted, openai, local"):
        make_provider("oracle", 7)
    with pytest.raises(ModelError, match="ONEROOM_MODEL"):
        make_provider("openai", 7)
    with pytest.raises(ModelError, match="no error 'lazy'"):
        make_provider({"provider": "scripted", "errors": {"lazy": 5}}, 7)
    with pytest.raises(ModelError, match="outside"):
        make_provider({"provider": "scripted", "competence": 1.5}, 7)


def test_the_gateway_imports_nothing_heavy() -> None:
    code = ("import sys, sim.gateway; sim.gateway.make_provider('scripted', 1);"
            "print([m for m in ('openai', 'httpx2', 'tenacity', 'pydantic', 'xllamacpp', 'numpy') if m in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("decision", TYPES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_scripted_one_answers_every_type(decision: str, language: str) -> None:
    provider = make_provider("scripted", 7)
    request = a_request(decision, language=language)
    reply = provider.ask(a_part(request), request)
    assert reply.raw is not None
    assert isinstance(parse(reply.raw, request), Parsed)


def test_the_scripted_one_depends_on_seed_and_request_alone() -> None:
    request = a_request(number=40)
    spec = {"provider": "scripted", "competence": 500, "errors": {"malformed": 200, "duplicate": 200}}
    first, again = make_provider(spec, 3), make_provider(spec, 3)
    for number in range(1, 30):
        other = a_request(number=number)
        again.ask(a_part(other), other)
    assert first.ask(a_part(request), request) == again.ask(a_part(request), request)
    replies = {make_provider(spec, seed).ask(a_part(request), request).raw for seed in range(20)}
    assert len(replies) > 1


def test_competence_is_how_often_the_best_is_taken() -> None:
    for competence, low, high in ((1000, 300, 300), (800, 215, 265), (0, 0, 0)):
        choices = Counter(each.choice for each in answers({"competence": competence}) if isinstance(each, Parsed))
        assert low <= choices["cand-12"] <= high, competence


def test_declared_errors_come_as_often_as_declared() -> None:
    found = answers({"errors": {"malformed": 200, "silent": 100, "out_of_group": 100, "old_version": 100}}, 600)
    codes = Counter(each if isinstance(each, str) else each.code for each in found if not isinstance(each, Parsed))
    assert set(codes) == {"silent", "not_json", "outside_group", "wrong_version"}
    assert 80 <= codes["not_json"] <= 160
    assert 35 <= codes["silent"] <= 85


def test_declared_answers_are_given_in_turn() -> None:
    found = answers({"answers": ["@1", "wait", '{"broken": true}', "cand-12"]}, 5)
    choices = [each.choice if isinstance(each, Parsed) else "fault" for each in found]
    assert choices == ["cand-13", "wait", "fault", "cand-12", "cand-12"]


def test_the_declared_latency_varies_by_request_within_its_spread() -> None:
    provider = make_provider({"provider": "scripted", "latency_ms": 400, "latency_spread_ms": 50}, 7)
    found = [provider.declared_latency_ms(f"req-{n}") for n in range(1, 200)]
    assert min(found) >= 350
    assert max(found) <= 450
    assert len(set(found)) > 20
    assert provider.declared_latency_ms("req-5") == found[4]


def test_a_duplicate_delivery_commits_once() -> None:
    provider = make_provider({"provider": "scripted", "errors": {"duplicate": 1000}}, 7)
    request, slot = a_request(), Slot()
    part = slot.ask(request, latency_ticks=5).part
    assert part is not None
    reply = provider.ask(part, request)
    assert reply.copies == 2
    kinds = [slot.on_reply(part.id, reply.raw, "", 105, VERSIONS).kind for _ in range(reply.copies)]
    assert kinds == ["commit", "ignored"]


def test_a_reask_is_not_answered_with_the_same_choice() -> None:
    provider, request = make_provider("scripted", 7), a_request()
    part = Part(request.id, 2, "reask", 105, 110, {"before": "cand-12", "constraints": ["exp-3"]})
    raw = provider.ask(part, request).raw
    assert raw is not None
    assert json.loads(raw)["choice"] == "cand-13"


# -- the key ------------------------------------------------------------------------------------------------


def test_the_key_is_nowhere_but_in_the_header_to_the_configured_host() -> None:
    request = a_request()
    steps = [{"send": "HTTP/1.1 500 X\r\nContent-Length: 22\r\n\r\nno such key as {{KEY}}"}]
    with FaultServer(steps, {"KEY": KEY}) as server:
        provider = OpenAIProvider(url=server.url, key=KEY, model="m", attempts=1)
        reply = provider.ask(a_part(request), request, wall_cap_s=5)
        shown = [repr(provider), str(provider), repr(reply), json.dumps(check_endpoint(
            url=server.url, model="m", wall_cap_s=5, environment={"OPENAI_API_KEY": KEY}))]
        provider.close()
    for text in (*shown, *(body.decode() for body in server.bodies)):
        assert not any(form in text for form in forms(KEY))
    assert all(f"authorization: bearer {KEY}".lower() in head.decode().lower() for head in server.heads)
    assert all(KEY not in head.split(b"\r\n")[0].decode() for head in server.heads)


def test_a_provider_cannot_be_pickled() -> None:
    with pytest.raises(TypeError) as caught:
        pickle.dumps(OpenAIProvider(url="http://127.0.0.1:9/v1", key=KEY, model="m"))
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("form", forms(KEY))
def test_a_reply_that_holds_the_key_in_some_form_is_cut(form: str) -> None:
    assert form not in redact(f"the key is {form}, remember it", KEY)
    assert redact("a sentence with none", "none") == "a sentence with none"


def test_a_malformed_environment_never_shows_the_key() -> None:
    environment = {"OPENAI_BASE_URL": f"http://user:{KEY}@127.0.0.1:9/v1?key={KEY}", "OPENAI_API_KEY": KEY + "\n\u4e00"}
    found = check_endpoint(model="m", wall_cap_s=2, environment=environment)
    assert not found["reachable"]
    assert KEY not in json.dumps(found)
    assert shown_url(environment["OPENAI_BASE_URL"]) == "http://127.0.0.1:9/v1"


def test_no_proxy_of_the_environment_sees_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    request = a_request()
    with FaultServer([{"close": True}], {}) as proxy, FaultServer([{"close": True}], {}) as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        provider = from_environment({"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}, {"name": "m"}, 1)
        provider.ask(a_part(request), request, wall_cap_s=5)
        provider.close()
    assert proxy.connections == 0
    assert server.requests >= 1


# -- the whole way ------------------------------------------------------------------------------------------


def test_a_good_endpoint_is_reported_as_such_and_a_dead_one_too() -> None:
    body = {"choices": [{"message": {"role": "assistant", "content": "{{ANSWER}}"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 4}}
    from sim.gateway_openai import sample_request

    request = sample_request()
    answer = json.dumps({"request_id": request.id, "version": request.version, "type": "choose", "choice": "cand-1"})
    text = json.dumps(body).replace("{{ANSWER}}", answer.replace('"', '\\"'))
    steps = [{"send": f"HTTP/1.1 200 OK\r\nContent-Length: {len(text)}\r\n\r\n{text}"}]
    with FaultServer(steps, {}) as server:
        found = check_endpoint(url=server.url, model="m", wall_cap_s=5, environment={})
    assert (found["reachable"], found["json_schema"], found["failure"]) == (True, True, "")

    dead = check_endpoint(url="http://127.0.0.1:9/v1", model="m", wall_cap_s=2, environment={})
    assert (dead["reachable"], dead["failure"]) == (False, "connection")
    assert dead["reason"]


def test_with_the_endpoint_dead_for_ever_the_calls_stay_few() -> None:
    slot, calls, tick = Slot(), 0, 0
    for number in range(1, 2001):
        tick += 100
        ruling = slot.ask(a_request(number=number, tick=tick, deadline_tick=tick + 50), latency_ticks=5)
        if ruling.part is not None:
            calls += 1
            assert slot.on_reply(ruling.part.id, None, "connection", tick + 5, VERSIONS).end == "fallback"
    # 200,000 ticks: three to open, then probes at 3,000, 6,000, 12,000, 24,000 and every 36,000 ticks.
    assert calls <= 12
    assert slot.breaker.degraded_until(tick) > 190_000


@pytest.mark.campaign
def test_campaign_c7_the_huge_reply_does_not_grow_the_process() -> None:
    """C7: growth of resident memory stays under 64 MB over the gzip bomb and an endless body."""
    import resource

    bomb = {"gen_gzip": {"prefix": '{"a":"', "repeat": "a", "suffix": '"}', "times": 67108864}}
    head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 65260\r\n\r\n"
    endless = [{"send": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"},
               {"repeat": {"send": "2000\r\n" + "a" * 8192 + "\r\n", "sleep_ms": 0, "times": 10000}}]
    request, failures = a_request(), []
    before = 0
    for steps in ([{"close": True}], [{"send": head}, bomb], endless, [{"send": head.replace("200 OK", "500 X")}, bomb]):
        with FaultServer(steps, {}) as server:
            provider = OpenAIProvider(url=server.url, key=KEY, model="m", attempts=1)
            failures.append(provider.ask(a_part(request), request, wall_cap_s=5).failure)
            provider.close()
        before = before or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    grown_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    print(json.dumps({"claim": "C7 memory", "target": 64, "measured": grown_mb, "pass": grown_mb <= 64}))
    assert failures[1:] == ["too_large", "too_large", "too_large"]
    assert grown_mb <= 64


def test_the_wire_is_not_asked_when_the_environment_is_empty() -> None:
    assert os.environ["OPENAI_BASE_URL"].startswith("http://127.0.0.1")
    assert a_context()["identity"]["name"]


def test_a_full_check_counts_what_the_endpoint_can_do_and_stops_where_nobody_is() -> None:
    text = json.dumps({"choices": [{"message": {"role": "assistant", "content": "Gladly!"}, "finish_reason": "stop"}], "usage": {}})
    steps = [{"send": f"HTTP/1.1 200 OK\r\nContent-Length: {len(text)}\r\n\r\n{text}"}]
    with FaultServer(steps, {}) as server:
        found = check_endpoint(url=server.url, model="m", wall_cap_s=5, environment={}, full=True)
    assert found["structured"] == {"json_schema": False, "json_object": False, "none": False}
    assert set(found["types"].values()) == {False}
    assert (found["confidence"], found["repeats"], found["calls"]) == (False, True, 13)

    dead = check_endpoint(url="http://127.0.0.1:9/v1", model="m", wall_cap_s=2, environment={}, full=True)
    assert "types" not in dead
