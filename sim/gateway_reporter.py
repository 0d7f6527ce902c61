"""A simulated reporter of its own doubt: how often it is right, how sure it says it is, how often it deludes itself.

A measuring device for experiments, scripted and keyed like its parent: the option that the competent one would take
counts as right. Keys of [model.reporter], all whole numbers, all optional: `accuracy`, `accuracy_hard`, `reflected`
(right answers per thousand to an easy question, a hard one, and a sample of a hard one), `hard` and `delusion` (per
thousand of questions, and of samples), `bias` (percentage points added to every confidence), `noise` (points either way).

A calibrated reporter says exactly how often it is right. A deluded sample picks one and the same wrong option for a
question, and is very sure of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent.request import Part, Request
from sim.gateway_provider import ModelError
from sim.gateway_scripted import LATENCY_MS, Scripted, ranking

DEFAULTS = {"accuracy": 990, "accuracy_hard": 500, "reflected": 970, "hard": 400, "delusion": 0, "bias": 0, "noise": 0}
DELUDED = 95  # confidence of a deluded sample


class Reporter(Scripted):
    """The simulated reporter; *numbers* as in DEFAULTS."""

    def __init__(self, seed: int, numbers: Mapping[str, int] | None = None, *, latency_ms: int = LATENCY_MS, spread_ms: int = 0) -> None:
        unknown = [name for name in numbers or {} if name not in DEFAULTS]
        if unknown:
            raise ModelError(f"model.reporter: no number {unknown[0]!r}; there are {', '.join(DEFAULTS)}")
        super().__init__(seed, latency_ms=latency_ms, latency_spread_ms=spread_ms, model="reporter")
        self.numbers = {**DEFAULTS, **(numbers or {})}

    def hard(self, request: Request) -> bool:
        """Return whether *request* is a hard question."""
        return self._draw(f"{request.id}/hard") % 1000 < self.numbers["hard"]

    def right(self, request: Request) -> str:
        """Return the option that counts as right."""
        return ranking(request)[0]

    def _choose(self, part: Part, request: Request, declared: str) -> dict[str, Any]:
        assert not declared, "a reporter has no declared answers"
        numbers, hard = self.numbers, self.hard(request)
        wrong = [each for each in request.group if each != self.right(request)] or [self.right(request)]
        sampling = part.kind == "sample"
        rate = numbers["accuracy"] if not hard else numbers["reflected" if sampling else "accuracy_hard"]
        choice = self.right(request) if self._below(part, "right", 1000) < rate else wrong[self._below(part, "wrong", len(wrong))]
        sure = rate // 10
        if sampling and self._below(part, "delusion", 1000) < numbers["delusion"]:
            choice, sure = wrong[self._draw(f"{request.id}/delusion") % len(wrong)], DELUDED
        fields: dict[str, Any] = {"choice": choice}
        if request.confidence:
            noise = self._below(part, "noise", 2 * numbers["noise"] + 1) - numbers["noise"]
            fields["confidence"] = min(100, max(0, sure + numbers["bias"] + noise))
            fields["because"] = "Something about it is not known." if sure < 80 else "Nothing speaks against it."
        return fields


def make(spec: Mapping[str, Any], seed: int) -> Reporter:
    """Return the reporter that *spec* declares. Raises ModelError for a number there is not."""
    latency_ms = spec.get("latency_ms")
    return Reporter(
        int(spec.get("seed") or seed), spec.get("reporter"), latency_ms=LATENCY_MS if latency_ms is None else int(latency_ms),
        spread_ms=int(spec.get("latency_spread_ms") or 0),
    )  # fmt: skip
