"""The gateway: what a model provider is, and how one is made from a declaration.

A provider answers one part of a request with a Reply: bytes, or the code of a failure. It never raises for
what an endpoint does, keeps no state that a decision depends on, and knows neither world nor mind beyond the
request it is handed. Heavy things (the client, the embedded model) are imported by the provider that needs
them, when it is first asked.
"""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import agent
from agent.prompt import Wording, wording
from agent.request import Part, Request

FAILURES: dict[str, str] = {
    "timeout": "the wall-clock cap was reached",
    "connection": "no connection, or it broke",
    "protocol": "what came back is not HTTP, or is cut or mixed up",
    "redirected": "the endpoint points elsewhere; the key goes to the configured host only",
    "unauthorized": "the endpoint doesn't accept the key",
    "not_found": "no such path or model",
    "bad_request": "the endpoint doesn't accept the request",
    "throttled": "too many requests",
    "server_error": "the endpoint failed",
    "too_large": "more bytes than the cap, before or after decompression",
    "bad_shape": "not a chat completion",
    "truncated": "the reply was cut at the token limit",
    "filtered": "the endpoint withheld the reply",
    "no_text": "the reply holds no text",
    "cancelled": "the call was withdrawn",
    "silent": "the provider doesn't answer (scripted)",
    "unsupported": "this provider doesn't answer this type of question",
    "no_provider": "no model is configured, or a package it needs is missing",
    "internal": "the client failed in a way not foreseen",
}
"""Every way in which a call can bring no bytes. The code goes into the log, never the endpoint's own text."""

WALL_CAP_S = 20.0
"""Default wall-clock cap of a request, in seconds (spec 03, 1.5)."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of one part. *latency_ms* is wall time; *copies* is above 1 where a script delivers twice.

    *calls* counts the HTTP requests made, retries included.
    """

    raw: bytes | None
    failure: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    latency_ms: int = 0
    model: str = ""
    copies: int = 1
    calls: int = 0

    def __post_init__(self) -> None:
        assert (self.raw is None) == (self.failure in FAILURES), "bytes or a known failure"


class Provider(Protocol):
    """Something that answers parts of requests.

    `ask` blocks for at most *wall_cap_s* seconds and may be called from any thread; `cancel` may be called from
    another one and makes the call of that part return soon. `declared_latency_ms` is simulated time: what
    lockstep waits, whatever the machine needs.
    """

    name: str
    model: str
    types: tuple[str, ...]
    """The decision types it answers; others need not be asked."""

    def ask(self, part: Part, request: Request, *, wall_cap_s: float = WALL_CAP_S) -> Reply: ...

    def cancel(self, part_id: str) -> None: ...

    def declared_latency_ms(self, request_id: str) -> int: ...

    def close(self) -> None: ...


class NoProvider:
    """No model: the kernel issues no request, and if one came it would fail at once."""

    name = "none"
    model = ""
    types: tuple[str, ...] = ()

    def ask(self, part: Part, request: Request, *, wall_cap_s: float = WALL_CAP_S) -> Reply:
        """Fail at once."""
        assert part.request_id == request.id
        assert wall_cap_s > 0
        return Reply(None, "no_provider")

    def cancel(self, part_id: str) -> None:
        """Do nothing: nothing is out."""

    def declared_latency_ms(self, request_id: str) -> int:
        """Return 0 for any *request_id*."""
        return 0 * len(request_id)

    def close(self) -> None:
        """Do nothing."""


class ModelError(ValueError):
    """A declaration's [model] can't be used; the text names the key and the mend."""


MAKERS: dict[str, tuple[str, str]] = {
    "none": ("sim.gateway", "make_none"),
    "scripted": ("sim.gateway_scripted", "make"),
    "openai": ("sim.gateway_openai", "make"),
    "local": ("sim.gateway_local", "make"),
}
"""Provider name -> where its maker stands. A maker takes (spec, seed)."""

ENTRY_POINTS = "oneroom.providers"
"""Group of entry points through which another package offers a provider: a maker of (spec, seed)."""


def make_none(spec: Mapping[str, Any], seed: int) -> Provider:
    """Return the provider without a model."""
    assert isinstance(spec, Mapping)
    assert seed >= 0
    return NoProvider()


def make_provider(spec: Mapping[str, Any] | str, seed: int) -> Provider:
    """Return the provider that *spec* declares: a [model] table, or text PROVIDER[:NAME] from a command line.

    Raises ModelError for an unknown provider or value. No packages are imported that the provider may not need.
    """
    table = parse_model(spec) if isinstance(spec, str) else dict(spec)
    provider = str(table.get("provider", "none"))
    if provider not in MAKERS:
        return outside_maker(provider)(table, seed)
    module, maker = MAKERS[provider]
    make: Callable[[Mapping[str, Any], int], Provider] = getattr(importlib.import_module(module), maker)
    return make(table, seed)


def parse_model(text: str) -> dict[str, Any]:
    """Return the [model] table that `PROVIDER[:NAME]` stands for."""
    provider, _, name = text.partition(":")
    return {"provider": provider.strip(), **({"name": name.strip()} if name.strip() else {})}


def outside_maker(provider: str) -> Callable[[Mapping[str, Any], int], Provider]:
    """Return the maker that an installed package registers for *provider*."""
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINTS):
        if point.name == provider:
            found: Callable[[Mapping[str, Any], int], Provider] = point.load()
            return found
    raise ModelError(f"model.provider: no provider {provider!r}; there are {', '.join(MAKERS)}")


@cache
def load_wording(language: str) -> Wording:
    """Return the texts of *language* (en or zh) from the package's own files."""
    path = Path(agent.__file__).parent / "prompts" / f"{language}.toml"
    return wording(tomllib.loads(path.read_text(encoding="utf-8")))


def check_endpoint(
    *, url: str = "", model: str = "", wall_cap_s: float = 20.0, environment: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return what the configured endpoint can do: {url, reachable, model, json_schema, latency_ms, failure, reason}.

    Asks one small `choose` with a schema. *url* and *model* default to the environment's. No key in the result.
    """
    from sim.gateway_openai import check

    found = check(url=url, model=model, wall_cap_s=wall_cap_s, environment=environment)
    return {**found, "reason": FAILURES.get(found["failure"], found["failure"])}
