"""What a model provider is: what it is asked, what it hands back, how it may fail.

A provider answers one part of a request with a Reply: bytes, or the code of a failure. It never raises for what
an endpoint does, keeps no state that a decision depends on, and knows neither world nor mind beyond the request
it is handed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import agent
from agent.prompt import Wording, wording
from agent.request import TYPES, Part, Request

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
    "not_utf8": "the reply is no UTF-8 text",
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


class ModelError(ValueError):
    """A declaration's [model] can't be used; the text names the key and the mend."""


ANSWERED: dict[str, tuple[str, ...]] = {"none": (), "local": ("choose", "speak")}
"""What a provider answers, where it is not all seven types. Stated here, so that a log is folded without making one."""


def types_asked(model: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the decision types that are put to the provider of a declared [model], narrowed by its key `types`."""
    answers = ANSWERED.get(str(model["provider"]), TYPES)
    wanted = tuple(model.get("types") or TYPES)
    return tuple(each for each in answers if each in wanted)


@cache
def load_wording(language: str) -> Wording:
    """Return the texts of *language* (en or zh) from the package's own files."""
    path = Path(agent.__file__).parent / "prompts" / f"{language}.toml"
    return wording(tomllib.loads(path.read_text(encoding="utf-8")))
