"""The gateway: how a model provider is made from a declaration, and how an endpoint is examined.

Heavy things (the client, the embedded model) are imported by the provider that needs them, when it is made or
first asked. What a provider is stands in sim/gateway_provider.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from agent.request import Part, Request
from sim.gateway_provider import FAILURES, WALL_CAP_S, ModelError, Provider, Reply, load_wording

__all__ = [
    "FAILURES", "MAKERS", "WALL_CAP_S", "ModelError", "NoProvider", "Provider", "Reply", "check_endpoint",
    "load_wording", "make_provider", "parse_model",
]


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


ENTRY_POINTS = "oneroom.providers"
"""Group of entry points through which another package offers a provider: a maker of (spec, seed)."""


def providers() -> list[str]:
    """Return the names of the providers there are: ours, and those that installed packages register."""
    from importlib.metadata import entry_points

    return [*MAKERS, *(point.name for point in entry_points(group=ENTRY_POINTS))]


def make_none(spec: Mapping[str, Any], seed: int) -> Provider:
    """Return the provider without a model."""
    assert isinstance(spec, Mapping)
    assert seed >= 0
    return NoProvider()


def make_scripted(spec: Mapping[str, Any], seed: int) -> Provider:
    """Return the scripted provider, or the simulated reporter where the table declares one."""
    if spec.get("reporter"):
        from sim.gateway_reporter import make as make_reporter

        return make_reporter(spec, seed)
    from sim.gateway_scripted import make

    return make(spec, seed)


def make_openai(spec: Mapping[str, Any], seed: int) -> Provider:
    """Return the provider for an OpenAI-compatible endpoint."""
    from sim.gateway_openai import make

    return make(spec, seed)


def make_local(spec: Mapping[str, Any], seed: int) -> Provider:
    """Return the embedded model."""
    from sim.gateway_local import make

    return make(spec, seed)


Maker = Callable[[Mapping[str, Any], int], Provider]

MAKERS: dict[str, Maker] = {
    "none": make_none, "scripted": make_scripted, "openai": make_openai, "local": make_local,
}
"""Provider name -> its maker, which takes (spec, seed) and imports what it needs."""


def make_provider(spec: Mapping[str, Any] | str, seed: int) -> Provider:
    """Return the provider that *spec* declares: a [model] table, or text PROVIDER[:NAME] from a command line.

    Raises ModelError for an unknown provider or value. No packages are imported that the provider may not need.
    """
    table = parse_model(spec) if isinstance(spec, str) else dict(spec)
    name = str(table.get("provider", "none"))
    return (MAKERS[name] if name in MAKERS else outside_maker(name))(table, seed)


def parse_model(text: str) -> dict[str, Any]:
    """Return the [model] table that `PROVIDER[:NAME]` stands for."""
    provider, _, name = text.partition(":")
    return {"provider": provider.strip(), **({"name": name.strip()} if name.strip() else {})}


def outside_maker(provider: str) -> Maker:
    """Return the maker that an installed package registers for *provider*."""
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINTS):
        if point.name == provider:
            found: Maker = point.load()
            return found
    raise ModelError(f"model.provider: no provider {provider!r}; there are {', '.join(MAKERS)}")


def check_endpoint(
    *, url: str = "", model: str = "", wall_cap_s: float = 20.0, environment: Mapping[str, str] | None = None, full: bool = False,
) -> dict[str, Any]:
    """Return what the configured endpoint can do: {url, reachable, model, json_schema, latency_ms, failure, reason}.

    Asks one small `choose` with a schema; *full* adds what sim/gateway_check.py finds out with a dozen calls. *url* and
    *model* default to the environment's. No key in the result.
    """
    from sim.gateway_openai import check

    found = check(url=url, model=model, wall_cap_s=wall_cap_s, environment=environment)
    found["reason"] = FAILURES.get(found["failure"], found["failure"])
    if full and found["reachable"]:
        from sim.gateway_check import examine

        settings = dict(os.environ if environment is None else environment)
        found |= examine({**settings, **({"OPENAI_BASE_URL": url} if url else {})}, model=found["model"], wall_cap_s=wall_cap_s)
    return found
