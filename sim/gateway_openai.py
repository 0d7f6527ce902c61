"""Any OpenAI-compatible endpoint, through the official client, held on a short leash.

The leash is in sim/gateway_wire.py; a total deadline stands outside of all that, because a client's own timeout
starts anew with every byte.
Only the code of a failure leaves this file, never the endpoint's text: it may repeat the key. The key comes
from the environment, stays in this process, and is cut out of every reply that contains it in some form.

Calls run on one event loop in a thread of its own, so that a call can be withdrawn: cancelling it closes the
connection, which frees the endpoint.

Keys of its [model] table, all optional: `name` (default: the environment's ONEROOM_MODEL), `temperature`,
`sample_temperature`, `seed`, `latency_ms` (simulated), `attempts`, `tokens_max`, `structured`
(json_schema, json_object or none), `extra_body`.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Mapping
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from typing import Any

from agent.prompt import messages, response_format
from agent.reply import Parsed, parse
from agent.request import TYPES, Part, Request, make_request
from sim.gateway_provider import WALL_CAP_S, ModelError, Reply, load_wording
from sim.gateway_wire import (
    Broken,
    TooLarge,
    connection_failure,
    failure_of,
    make_client,
    read_completion,
    retry_after_s,
)

ATTEMPTS = 2
"""HTTP requests per part at most: one, and one more for a transport fault."""

TOKENS_MAX = 512
LATENCY_MS = 2_000
TEMPERATURE, SAMPLE_TEMPERATURE = 0.0, 0.7
STRUCTURED = ("json_schema", "json_object", "none")


class OpenAIProvider:
    """Asks an OpenAI-compatible endpoint. Never raises for what the endpoint does."""

    name = "openai"
    types: tuple[str, ...] = TYPES

    def __init__(
        self, *, url: str, key: str, model: str, temperature: float = TEMPERATURE,
        sample_temperature: float = SAMPLE_TEMPERATURE, seed: int = 0, latency_ms: int = LATENCY_MS,
        attempts: int = ATTEMPTS, tokens_max: int = TOKENS_MAX, structured: str = "json_schema",
        extra_body: Mapping[str, Any] | None = None,
    ) -> None:
        if structured not in STRUCTURED:
            raise ModelError(f"model.structured: {structured!r} is none of {', '.join(STRUCTURED)}")
        if not 1 <= attempts <= 5:
            raise ModelError("model.attempts: 1 to 5")
        self.url, self.model, self._key = url, model, key
        self.temperature, self.sample_temperature, self.seed = temperature, sample_temperature, seed
        self.latency_ms, self.attempts, self.tokens_max = latency_ms, attempts, tokens_max
        self.structured, self.extra_body = structured, dict(extra_body or {})
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._client: Any = None
        self._calls: dict[str, Future[Reply]] = {}

    def __repr__(self) -> str:
        return f"OpenAIProvider(model={self.model!r})"

    def __reduce__(self) -> str:
        raise TypeError("a provider stays in its process: its key must not be written anywhere")

    def ask(self, part: Part, request: Request, *, wall_cap_s: float = WALL_CAP_S) -> Reply:
        """Ask the endpoint, and return within *wall_cap_s* seconds (and a moment for winding up)."""
        assert part.request_id == request.id
        try:
            loop = self._start()
        except ImportError:
            return Reply(None, "no_provider", model=self.model)
        started = time.monotonic()
        future = asyncio.run_coroutine_threadsafe(self._within(part, request, wall_cap_s), loop)
        with self._lock:
            self._calls[part.id] = future
        try:
            reply = future.result(wall_cap_s + 2.0)
        except CancelledError:
            reply = Reply(None, "cancelled")
        except FutureTimeoutError:
            future.cancel()
            reply = Reply(None, "timeout")
        except Exception:
            # Whatever the client raises ends here as a code: its text may hold the key.
            reply = Reply(None, "internal")
        finally:
            with self._lock:
                self._calls.pop(part.id, None)
        wall_ms = int((time.monotonic() - started) * 1000)
        return Reply(reply.raw, reply.failure, reply.tokens_in, reply.tokens_out, wall_ms, self.model,
                     1, reply.calls)

    def cancel(self, part_id: str) -> None:
        """Withdraw the call of *part_id*, if it is out."""
        with self._lock:
            future = self._calls.get(part_id)
        if future is not None:
            future.cancel()

    def declared_latency_ms(self, request_id: str) -> int:
        """Return the simulated latency, the same for every *request_id*."""
        assert request_id
        return self.latency_ms

    def close(self) -> None:
        """Withdraw all calls and end the thread."""
        with self._lock:
            loop, thread, self._loop, self._thread, self._client = self._loop, self._thread, None, None, None
            for future in self._calls.values():
                future.cancel()
        if loop is not None and thread is not None:
            ended = asyncio.run_coroutine_threadsafe(loop.shutdown_asyncgens(), loop)
            with suppress(FutureTimeoutError, CancelledError):
                ended.result(1.0)
            loop.call_soon_threadsafe(loop.stop)
            thread.join(2.0)

    # -- inside the loop ------------------------------------------------------------------------------------

    def _start(self) -> asyncio.AbstractEventLoop:
        """Return the running loop; the first call imports the client, which takes a second."""
        with self._lock:
            if self._loop is None:
                self._client = make_client(self.url, self._key)
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="model", daemon=True)
                self._thread.start()
            return self._loop

    async def _within(self, part: Part, request: Request, wall_cap_s: float) -> Reply:
        """Keep the total deadline."""
        counter = [0]
        try:
            async with asyncio.timeout(wall_cap_s):
                return await self._attempts(part, request, wall_cap_s, counter)
        except TimeoutError:
            return Reply(None, "timeout", calls=counter[0])

    async def _attempts(self, part: Part, request: Request, wall_cap_s: float, counter: list[int]) -> Reply:
        """Send the request, and once more after a transport fault if there is time."""
        from tenacity import AsyncRetrying, retry_if_result, stop_after_attempt, wait_random_exponential

        ends = time.monotonic() + wall_cap_s

        def again(outcome: tuple[Reply, float]) -> bool:
            reply, pause_s = outcome
            return reply.failure in ("connection", "throttled", "server_error") and (
                time.monotonic() + pause_s < ends)

        async def once() -> tuple[Reply, float]:
            counter[0] += 1
            return await self._once(part, request)

        retrying = AsyncRetrying(
            retry=retry_if_result(again), stop=stop_after_attempt(self.attempts),
            wait=wait_random_exponential(multiplier=0.1, max=2.0),
            retry_error_callback=lambda state: state.outcome.result() if state.outcome else None,
        )
        reply: Reply = (await retrying(once))[0]
        return Reply(reply.raw, reply.failure, reply.tokens_in, reply.tokens_out, calls=counter[0])

    async def _once(self, part: Part, request: Request) -> tuple[Reply, float]:
        """Return what one HTTP request brought, and how long the endpoint asks to wait, in seconds."""
        import openai

        try:
            response = await self._client.chat.completions.with_raw_response.create(**self._body(part, request))
        except openai.APIStatusError as error:
            status = error.response.status_code
            return Reply(None, failure_of(status)), retry_after_s(error.response.headers.get("retry-after"))
        except openai.APITimeoutError:
            return Reply(None, "timeout"), 0.0
        except (openai.APIConnectionError, TooLarge, Broken) as error:
            return Reply(None, connection_failure(error)), 0.0
        if response.status_code != 200:
            return Reply(None, "bad_shape"), 0.0
        return read_completion(response.content, self._key), 0.0

    def _body(self, part: Part, request: Request) -> dict[str, Any]:
        sampling = part.kind == "sample"
        body: dict[str, Any] = {
            "model": self.model, "messages": messages(request, part, load_wording(request.language)),
            "temperature": self.sample_temperature if sampling else self.temperature,
            "max_tokens": self.tokens_max, "seed": self.seed + (part.number if sampling else 0),
        }
        if self.structured == "json_schema":
            body["response_format"] = response_format(request)
        elif self.structured == "json_object":
            body["response_format"] = {"type": "json_object"}
        return {**body, **({"extra_body": self.extra_body} if self.extra_body else {})}


def make(spec: Mapping[str, Any], seed: int) -> OpenAIProvider:
    """Return the provider that *spec* and the environment declare. Raises ModelError when no model is named."""
    return from_environment(os.environ, spec, seed)


def from_environment(environment: Mapping[str, str], spec: Mapping[str, Any], seed: int) -> OpenAIProvider:
    """Return the provider for OPENAI_BASE_URL, OPENAI_API_KEY, ONEROOM_MODEL and *spec*."""
    model = str(spec.get("name") or environment.get("ONEROOM_MODEL") or "")
    if not model:
        raise ModelError("no model is named: --model openai:NAME, model.name in the protocol, or set ONEROOM_MODEL")
    declared_seed = spec.get("seed")
    names = ("temperature", "sample_temperature", "latency_ms", "attempts", "tokens_max", "structured", "extra_body")
    return OpenAIProvider(
        url=environment.get("OPENAI_BASE_URL", ""), key=environment.get("OPENAI_API_KEY", ""), model=model,
        seed=(seed if declared_seed is None else int(declared_seed)) % 2**31,
        **{name: spec[name] for name in names if spec.get(name) is not None},
    )


def check(*, url: str, model: str, wall_cap_s: float, environment: Mapping[str, str] | None) -> dict[str, Any]:
    """Return what the endpoint can do, by asking it one small question with a schema."""
    settings = dict(os.environ if environment is None else environment)
    if url:
        settings["OPENAI_BASE_URL"] = url
    found: dict[str, Any] = {
        "url": shown_url(settings.get("OPENAI_BASE_URL", "")), "reachable": False, "model": model,
        "json_schema": False, "latency_ms": 0, "failure": "",
    }
    try:
        provider = from_environment(settings, {"name": model, "attempts": 1}, 0)
    except ModelError as error:
        return {**found, "failure": str(error)}
    request = sample_request()
    try:
        reply = provider.ask(Part(request.id, 1, "ask", 0, 100), request, wall_cap_s=wall_cap_s)
    finally:
        provider.close()
    return {
        **found, "model": provider.model, "latency_ms": reply.latency_ms, "failure": reply.failure,
        "reachable": reply.failure not in ("connection", "timeout", "protocol", "no_provider", "internal"),
        "json_schema": reply.raw is not None and isinstance(parse(reply.raw, request), Parsed),
    }


def sample_request() -> Request:
    """Return a small choice that needs no room."""
    candidates = [
        {"id": "cand-1", "text": "drink a glass of water", "score": 610, "source": "body"},
        {"id": "cand-2", "text": "go on reading", "score": 600, "source": "commitment"},
    ]
    context = {"identity": {"name": "Mara"}, "state": {"summary": "Mara is thirsty."}, "candidates": candidates}
    return make_request(
        1, "choose", tick=0, deadline_tick=100, deps=(), context=context, reason="check",
        group=("cand-1", "cand-2"),
    )


def shown_url(url: str) -> str:
    """Return *url* without a name, a password, a query or a fragment, any of which may hold a secret."""
    scheme, _, rest = url.partition("://")
    rest = rest.partition("?")[0].partition("#")[0]
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}" if rest else url.partition("?")[0]
