"""What an endpoint can do for the resident: one small question of every kind, asked in every way, and counted.

A dozen short calls at most; the first that finds nobody there ends the examination.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent.reply import Parsed, parse
from agent.request import TYPES, Part, Request, make_request
from sim.gateway_openai import STRUCTURED, OpenAIProvider, from_environment
from sim.gateway_provider import Reply

REFS: dict[str, dict[str, tuple[str, ...]]] = {
    "choose": {},
    "intention": {"intentions": ("com-1",), "replacements": ("com-2",)},
    "plan": {"templates": ("fill_it", "water_plant"), "objects": ("obj-1",)},
    "appraise": {"events": ("exp-1",), "causes": ("self", "other", "object", "chance", "unknown")},
    "speak": {"stances": ("accepted",), "rules": ("quiet_hours",)},
    "reflect": {"experiences": ("exp-1", "exp-2", "exp-3", "exp-4"), "influences": ("method", "trust_of_person"), "major": ()},
    "combine": {"objects": ("obj-1", "obj-2"), "skills": ("grasp", "put"), "conditions": ("done",)},
}
GONE = ("connection", "timeout", "protocol", "no_provider", "internal", "unauthorized", "not_found")


def sample(decision: str, number: int, *, confidence: bool = False) -> Request:
    """Return a small request of type *decision* that needs no room."""
    rows = [
        {"id": "c1", "text": "drink a glass of water", "score": 610, "source": "body"},
        {"id": "c2", "text": "go on reading", "score": 600, "source": "commitment"},
    ]
    context = {
        "identity": {"name": "Mara"}, "state": {"summary": "Mara is thirsty."}, "candidates": rows,
        "observations": [{"id": "exp-1", "kind": "act", "source": "sight", "speaker": "visitor", "words": "Could you water the plant?"}],
        "memories": [{"id": f"exp-{n}", "did": "water_plant", "came_of_it": "done" if n < 4 else "failed"} for n in range(1, 5)],
    }  # fmt: skip
    return make_request(
        number, decision, tick=0, deadline_tick=100, deps=(), context=context, reason="check",
        group=("c1", "c2") if decision == "choose" else (), refs=REFS[decision], confidence=confidence,
    )  # fmt: skip


def examine(
    environment: Mapping[str, str], *, model: str, wall_cap_s: float, options: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return {structured, types, confidence, repeats, calls, tokens_in, tokens_out, latency_ms_max}.

    *structured* says which ways of asking for JSON bring a valid answer, *types* which decision types do in the best of
    them, *repeats* whether the same question brings the same words twice. What was not reached is None.
    """
    found: dict[str, Any] = {
        "structured": dict.fromkeys(STRUCTURED), "types": dict.fromkeys(TYPES), "confidence": None, "repeats": None, "calls": 0,
        "tokens_in": 0, "tokens_out": 0, "latency_ms_max": 0,
    }  # fmt: skip
    number = 0

    def ask(decision: str, structured: str, *, confidence: bool = False) -> tuple[bool, Reply]:
        nonlocal number
        number += 1
        form = {"name": model, "attempts": 1, "structured": structured, **(options or {})}
        provider: OpenAIProvider = from_environment(environment, form, 0)
        # The same number for the same question, so that a repeated one is the same to the letter.
        request = sample(decision, TYPES.index(decision) + 1, confidence=confidence)
        try:
            reply = provider.ask(Part(request.id, 1, "ask", 0, 100), request, wall_cap_s=wall_cap_s)
        finally:
            provider.close()
        found["calls"] = number
        found["tokens_in"] += reply.tokens_in
        found["tokens_out"] += reply.tokens_out
        found["latency_ms_max"] = max(found["latency_ms_max"], reply.latency_ms)
        return reply.raw is not None and isinstance(parse(reply.raw, request), Parsed), reply

    first: Reply | None = None
    for structured in STRUCTURED:
        found["structured"][structured], reply = ask("choose", structured)
        first = first or reply
        if reply.failure in GONE:
            return found
    best = next((each for each in STRUCTURED if found["structured"][each]), "json_schema")
    for decision in TYPES:
        found["types"][decision], reply = ask(decision, best)
        if reply.failure in GONE:
            return found
    found["confidence"] = ask("choose", best, confidence=True)[0]
    one, other = ask("choose", best)[1], ask("choose", best)[1]
    found["repeats"] = one.raw is not None and one.raw == other.raw
    return found
