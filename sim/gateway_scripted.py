"""A model that is no model: declared answers, or a declared competence, latency and error rate.

Every draw is keyed by (seed, request id, part number, purpose), so an answer doesn't depend on when or in
which order it was asked for. The competent one reads only what a request shows: scores, sources and marks of
the candidates. It is a measuring device for experiments, not a mind.

Keys of its [model] table, all optional: `answers` (list of texts, one per request in turn, the last one
repeating: a candidate id, wait, refuse, none_feasible, `@K` for the K-th of the group counted from 0, or a
text that starts with a brace: sent as it is); `competence` (0..1000 or 0.0..1.0: how often the best option is
taken), `latency_ms`, `latency_spread_ms`, `confidence_noise` (0..100), and `errors` with rates per thousand of
`malformed`, `silent`, `out_of_group`, `duplicate`, `old_version`, `wrong_request`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from agent.forms import FORMS, Ref, Refs, Rows, Rule, Text, Whole, allowed
from agent.prompt import plain_words
from agent.request import EXPLICIT_ENDS, TYPES, Part, Request
from sim.gateway_provider import WALL_CAP_S, ModelError, Reply, load_wording

LATENCY_MS = 500
"""Simulated latency of sys2 in milliseconds (spec 02, section 6)."""

BONUS: dict[str, int] = {
    "safety": 120, "promise": 80, "commitment": 60, "obligation": 60, "person": 50, "visitor": 50, "urgent": 90,
    "body": 20, "practice": 5, "explore": -20, "wait": -40,
}
"""What the competent one adds to a score, in thousandths, for a candidate's source and marks. Declared, not tuned."""

ERRORS: tuple[str, ...] = ("malformed", "silent", "out_of_group", "duplicate", "old_version", "wrong_request")

KEYS: tuple[str, ...] = (
    "answers", "competence", "latency_ms", "latency_spread_ms", "confidence_noise", "errors",
)


class Scripted:
    """The scripted provider. *rates* are per thousand; *competence* is 0..1000."""

    name = "scripted"
    types: tuple[str, ...] = TYPES

    def __init__(
        self, seed: int, *, answers: tuple[str, ...] = (), competence: int = 1000, latency_ms: int = LATENCY_MS,
        latency_spread_ms: int = 0, confidence_noise: int = 0, rates: Mapping[str, int] | None = None,
        model: str = "competent",
    ) -> None:
        self.seed, self.answers, self.competence, self.model = seed, answers, competence, model
        self.latency_ms, self.latency_spread_ms = latency_ms, latency_spread_ms
        self.confidence_noise = confidence_noise
        self.rates = dict(rates or {})

    def ask(self, part: Part, request: Request, *, wall_cap_s: float = WALL_CAP_S) -> Reply:
        """Answer at once."""
        assert part.request_id == request.id
        assert wall_cap_s > 0
        errors = [name for name in ERRORS if self._below(part, name, 1000) < self.rates.get(name, 0)]
        if "silent" in errors:
            return Reply(None, "silent", model=self.model)
        raw = self._answer(part, request, errors)
        cost = len(json.dumps(request.context, ensure_ascii=False)) // 4
        return Reply(raw, "", cost, len(raw) // 4 + 1, 0, self.model, 2 if "duplicate" in errors else 1, 1)

    def cancel(self, part_id: str) -> None:
        """Do nothing: an answer takes no time."""

    def declared_latency_ms(self, request_id: str) -> int:
        """Return the simulated latency of *request_id* in milliseconds."""
        if not self.latency_spread_ms:
            return self.latency_ms
        offset = self._draw(f"{request_id}/latency") % (2 * self.latency_spread_ms + 1) - self.latency_spread_ms
        return max(0, self.latency_ms + offset)

    def close(self) -> None:
        """Do nothing."""

    def _answer(self, part: Part, request: Request, errors: list[str]) -> bytes:
        declared = self._declared(request)
        if declared.startswith("{"):
            return declared.encode()
        fields = self._fields(part, request, declared)
        if "out_of_group" in errors:
            fields[next(iter(fields))] = "cand-unregistered"
        reply: dict[str, Any] = {
            "request_id": "req-999999" if "wrong_request" in errors else request.id,
            "version": "v-000000000000" if "old_version" in errors else request.version,
            "type": request.type, **fields,
        }
        text = json.dumps(reply, ensure_ascii=False)
        return (text[: len(text) // 2] if "malformed" in errors else text).encode()

    def _declared(self, request: Request) -> str:
        """Return the declared answer to *request*, or an empty text. Requests are numbered from 1."""
        return self.answers[min(request.serial, len(self.answers)) - 1] if self.answers else ""

    def _fields(self, part: Part, request: Request, declared: str) -> dict[str, Any]:
        if request.type == "choose":
            return self._choose(part, request, declared)
        fields: dict[str, Any] = {}
        for name, rule in FORMS[request.type].items():
            if rule.required:
                fields[name] = self._fill(name, rule, part, request)
        if request.type == "intention":
            rows = {str(row["id"]): row for row in request.context["candidates"] if "handling" in row}
            best = rows.get(next(iter(ranking(request)), ""))
            if best is not None:
                fields |= {"action": best["handling"], "intention": best["intention"]}
        if request.type == "speak":
            rows = request.context["candidates"]
            known = load_wording(request.language)
            fields["text"] = next((str(row["text"]) for row in rows if row.get("source") == "stance"), plain_words(fields["stance"], known))
            fields["rules"] = []
        if request.type == "reflect":
            fields["against"] = [each for each in fields["against"] if each not in fields["support"]] or [
                allowed("experiences", request)[-1]]
        if request.confidence:
            fields["confidence"] = 70
        return fields

    def _fill(self, name: str, rule: Rule, part: Part, request: Request) -> Any:
        """Return a legal value of *rule*: the first listed, or drawn for the numbers."""
        if isinstance(rule, Ref):
            return (*allowed(rule.source, request), *rule.also, "none")[0]
        if isinstance(rule, Refs):
            ids = allowed(rule.source, request)
            return list(ids[-1:] if name == "against" else ids[: max(rule.least, min(3, rule.most))])
        if isinstance(rule, Whole):
            return rule.low + self._below(part, name, rule.high - rule.low + 1)
        if isinstance(rule, Rows):
            return [{key: self._fill(key, each, part, request) for key, each in rule.row}]
        if isinstance(rule, Text):
            return {"en": "It may well be so.", "zh": "也许是这样。"}[request.language]
        return rule.words[0]

    def _choose(self, part: Part, request: Request, declared: str) -> dict[str, Any]:
        ranked = ranking(request)
        before = part.note.get("before")
        if part.kind == "reask" and before in ranked and len(ranked) > 1:
            ranked.remove(str(before))
        right = self._below(part, "competence", 1000) < self.competence
        others = ranked[1:] or ranked
        choice = ranked[0] if right else others[self._below(part, "other", len(others))]
        if declared.startswith("@") and declared[1:].isdigit():
            choice = request.group[int(declared[1:]) % len(request.group)]
        elif declared in request.group or declared in EXPLICIT_ENDS:
            choice = declared
        fields: dict[str, Any] = {"choice": choice}
        if request.confidence:
            noise = self._below(part, "confidence", 2 * self.confidence_noise + 1) - self.confidence_noise
            fields["confidence"] = min(100, max(0, (90 if right else 60) + noise))
        return fields

    def _below(self, part: Part, purpose: str, bound: int) -> int:
        return self._draw(f"{part.id}/{purpose}") % bound

    def _draw(self, key: str) -> int:
        digest = blake2b(f"{self.seed}/{key}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big")


def ranking(request: Request) -> list[str]:
    """Return the group from best to worst by score plus BONUS; ties keep the group's order."""
    worth: dict[str, int] = {}
    for row in request.context["candidates"]:
        marks = [str(row.get("source", "")), *(str(mark) for mark in row.get("marks", ()))]
        worth[str(row["id"])] = int(row.get("score", 0)) + sum(BONUS.get(mark, 0) for mark in marks)
    return sorted(request.group or worth, key=lambda each: -worth.get(each, 0))


def make(spec: Mapping[str, Any], seed: int) -> Scripted:
    """Return the scripted provider that *spec* declares. Raises ModelError for a value out of range."""
    errors = spec.get("errors") or {}
    unknown = [name for name in errors if name not in ERRORS]
    if unknown:
        raise ModelError(f"model.errors: no error {unknown[0]!r}; there are {', '.join(ERRORS)}")
    competence, latency_ms = spec.get("competence"), spec.get("latency_ms")
    return Scripted(
        int(spec.get("seed") or seed),
        answers=tuple(str(answer) for answer in spec.get("answers") or ()),
        competence=1000 if competence is None else per_thousand("competence", competence),
        latency_ms=LATENCY_MS if latency_ms is None else int(latency_ms),
        latency_spread_ms=int(spec.get("latency_spread_ms") or 0),
        confidence_noise=int(spec.get("confidence_noise") or 0),
        rates={name: per_thousand(f"errors.{name}", rate) for name, rate in errors.items()},
        model=str(spec.get("name") or "competent"),
    )


def per_thousand(key: str, value: float) -> int:
    """Return *value* in thousandths: a fraction is scaled, a whole number taken as it is."""
    found = round(value * 1000) if isinstance(value, float) else int(value)
    if not 0 <= found <= 1000:
        raise ModelError(f"model.{key}: {value} lies outside 0.0 to 1.0 (or 0 to 1000)")
    return found
