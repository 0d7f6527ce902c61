"""The one decision slot: asked once, committed at most once, never late.

Theory of operation
===================
At most one request is out at a time. The slot does no input or output: it is told the tick and what arrived,
and returns a Ruling that says what came of it. Time is counted in ticks, so a run replays without a clock.

A request goes out in numbered parts, one at a time: `ask`; at most one `repair`, when a reply could not be
read; at most one `reask`, when S4 or S5 object; and samples of a reflection. Only the part that is out can be
answered. Any other reply is ignored and named: `duplicate` (that part was answered), `late` (its request has
ended, or another part is out) or `foreign` (no such request was ever asked).

A reply passes in this order: is it for the part that is out; is it in time; can it be read (agent/reply.py);
do the versions it rests on still hold; is the choice feasible now; what does the reviewer say. The reviewer is
a function handed in with the reply: it knows S4, S5, tau and the scheduler, the slot doesn't. It answers go,
reask, sample or refuse. An unrelated change never ends a request: only the versions of its own deps are compared.

Lockstep: a part issued at tick t is due at t + latency; its reply is handed in at exactly that tick, and the
next part is issued then. No part is issued whose due tick lies beyond the deadline. Live: a part is due by the
deadline and is ruled on at the first tick boundary after it came.

Every end has a name (ENDS) and a reason code. All ends but `committed` leave the decision to the deterministic
fallback. The breaker and the budget sit inside, because a repair is a call like any other.

Everything here is plain data, so the slot can be written into a snapshot in mid-flight and read back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agent.breaker import Breaker, Budget
from agent.reply import Fault, Parsed, parse
from agent.request import Part, Request, serial_of
from agent.ruling import GO, Progress, Review, Ruling, Verdict, changed, tally

ENDS: tuple[str, ...] = ("committed", "stale", "expired", "cancelled", "rejected", "fallback")

PARTS_MAX = 12
"""ask + repair + reask + three reflections of three samples."""

NEXT: dict[tuple[str, str], str] = {
    ("idle", "ask"): "issued",
    ("idle", "barred"): "fallback",
    ("issued", "answer"): "answered",
    ("issued", "unreadable"): "repairing",
    ("issued", "give_up"): "rejected",
    ("issued", "failure"): "fallback",
    ("repairing", "answer"): "answered",
    ("repairing", "give_up"): "rejected",
    ("repairing", "failure"): "fallback",
    ("sampling", "more"): "sampling",
    ("sampling", "answer"): "answered",
    ("answered", "reask"): "issued",
    ("answered", "sample"): "sampling",
    ("answered", "go"): "committed",
    ("answered", "give_up"): "rejected",
    ("answered", "failure"): "fallback",
    **{(phase, signal): end for phase in ("issued", "repairing", "sampling")
       for signal, end in (("changed", "stale"), ("deadline", "expired"), ("cancel", "cancelled"))},
    **{(end, "close"): "idle" for end in ENDS},
}
"""(phase, signal) -> phase. A step that is not here is a bug of ours."""


@dataclass(slots=True)
class Slot:
    """The decision in flight, if any. *latency_ticks* below 0 means live pace."""

    phase: str = "idle"
    request: Request | None = None
    out: Part | None = None
    parts: int = 0
    repaired: bool = False
    reasked: bool = False
    latency_ticks: int = -1
    round: int = 0
    wanted: int = 0
    heard_samples: int = 0
    samples: list[Parsed] = field(default_factory=list)
    best: Parsed | None = None
    first: Parsed | None = None
    told: dict[str, Any] = field(default_factory=dict)
    votes: dict[str, int] = field(default_factory=dict)
    heard: list[str] = field(default_factory=list)
    last_serial: int = 0
    committed_serial: int = 0
    breaker: Breaker = field(default_factory=Breaker)
    budget: Budget = field(default_factory=Budget)
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys((*ENDS, "repaired", "ignored"), 0))
    reasons: dict[str, int] = field(default_factory=dict)

    @property
    def busy(self) -> bool:
        """Return whether a request is out."""
        return self.request is not None

    @property
    def degraded(self) -> bool:
        """Return whether the model is left alone for now."""
        return self.breaker.phase != "closed"

    def next_tick(self) -> int | None:
        """Return the next tick at which the slot needs a reply or `on_tick`, or None when idle."""
        if self.request is None or self.out is None:
            return None
        return min(self.out.due_tick, self.request.deadline_tick)

    def barred(self, tick: int) -> str:
        """Return why no question is to be put at *tick*, or nothing: what nobody will answer is better not asked."""
        return self.budget.spent() or ("" if self.breaker.admits(tick) else "breaker_open")

    def may_issue(self, request: Request, tick: int) -> str:
        """Return why no part may go out at *tick*, or nothing."""
        if self.parts >= PARTS_MAX:
            return "parts_spent"
        if tick + max(self.latency_ticks, 1) > request.deadline_tick:
            return "no_time"
        return self.barred(tick)

    # -- what moves it --------------------------------------------------------------------------------------

    def ask(self, request: Request, *, latency_ticks: int = -1) -> Ruling:
        """Issue *request* at its own tick: a ruling `ask` with the part to send, or `end` with end `fallback`."""
        assert not self.busy, "one request in flight at a time"
        assert request.serial > self.last_serial, "a request is asked once"
        self.request, self.last_serial, self.latency_ticks = request, request.serial, latency_ticks
        self.heard = []
        barred = self.may_issue(request, request.tick)
        if barred:
            self._step("barred")
            return self._close(barred)
        return self._issue("ask", "ask", request.tick, {})

    def on_reply(
        self,
        part_id: str,
        raw: bytes | None,
        failure: str,
        tick: int,
        versions_now: Mapping[tuple[str, int], int],
        *,
        feasible: Mapping[str, str] | None = None,
        review: Review | None = None,
        tokens: int = 0,
        secrets: tuple[str, ...] = (),
    ) -> Ruling:
        """Rule on what came for *part_id*: bytes, or None and a failure code.

        *versions_now* maps (kind, ordinal) to the present version; a missing one has changed. *feasible* maps a
        choice to why it is infeasible now, or to an empty text. *tokens* is what the call cost.
        """
        assert (raw is None) == bool(failure), "bytes or a failure, not both"
        self.budget.tokens += tokens
        request, part = self.request, self.out
        if request is None or part is None or part.id != part_id:
            return self._ignore(part_id)
        assert tick >= part.issue_tick, "no reply comes before its question"
        if tick > request.deadline_tick:
            return self._expire(tick)
        self.heard.append(part_id)
        self.out = None
        parsed = Fault("empty") if raw is None else parse(raw, request, secrets=secrets)
        if isinstance(parsed, Fault):
            self.breaker.failed(tick)
        else:
            self.breaker.succeeded(tick)
        if changed(request, versions_now):
            self._step("changed")
            return self._close("dependency_changed")
        if self.phase == "sampling":
            return self._sampled(parsed, tick, feasible, review)
        if isinstance(parsed, Parsed):
            self._step("answer")
            return self._settle(parsed, tick, feasible, review)
        if self.best is not None:
            # The reask brought nothing; the answer it was meant to replace stands.
            self._step("answer")
            return self._settle(self.best, tick, feasible, review)
        if raw is None:
            self._step("failure")
            return self._close(failure)
        return self._unreadable(parsed, tick)

    def on_tick(self, tick: int, versions_now: Mapping[tuple[str, int], int] | None = None) -> Ruling | None:
        """Rule on the passing of time, after the replies of *tick*: expired at the deadline, stale on a change."""
        if self.request is None:
            return None
        if tick >= self.request.deadline_tick:
            return self._expire(tick)
        if versions_now is not None and changed(self.request, versions_now):
            self.breaker.withdrawn()
            self._step("changed")
            return self._close("dependency_changed")
        return None

    def cancel(self, reason: str) -> Ruling | None:
        """End the request, if one is out, because of a stop, a reset, a restore or a pre-emption."""
        if self.request is None:
            return None
        self.breaker.withdrawn()
        self._step("cancel")
        return self._close(reason)

    # -- steps ----------------------------------------------------------------------------------------------

    def _step(self, signal: str) -> None:
        self.phase = NEXT[self.phase, signal]

    def _issue(self, signal: str, kind: str, tick: int, note: dict[str, object]) -> Ruling:
        assert self.request is not None
        assert not self.may_issue(self.request, tick)
        self._step(signal)
        self.parts += 1
        self.budget.calls += 1
        self.breaker.issued(tick)
        due = self.request.deadline_tick if self.latency_ticks < 0 else tick + self.latency_ticks
        self.out = Part(self.request.id, self.parts, kind, tick, due, note)
        return Ruling(kind, self.request.id, part=self.out)

    def _unreadable(self, fault: Fault, tick: int) -> Ruling:
        """Ask once to mend the reply; a second unreadable one ends the request."""
        assert self.request is not None
        barred = "" if self.repaired or self.phase == "repairing" else self.may_issue(self.request, tick)
        if self.repaired or barred:
            self._step("give_up")
            return self._close(fault.code, fault=fault)
        self.repaired = True
        self.counts["repaired"] += 1
        ruling = self._issue("unreadable", "repair", tick, {"fault": fault.code, "detail": fault.detail})
        return replace(ruling, reason=fault.code, fault=fault)

    def _sampled(
        self, parsed: Parsed | Fault, tick: int, feasible: Mapping[str, str] | None, review: Review | None,
    ) -> Ruling:
        """Count one sample; issue the next, or settle on the winner of the round."""
        assert self.request is not None
        self.heard_samples += 1
        if isinstance(parsed, Parsed):
            self.samples.append(parsed)
            self.votes[parsed.choice] = self.votes.get(parsed.choice, 0) + 1
        if self.heard_samples < self.wanted and not self.may_issue(self.request, tick):
            return self._issue("more", "sample", tick, {**self.told, "round": self.round, "k": self.heard_samples + 1})
        self._step("answer")
        assert self.best is not None, "a reflection starts from an answer"
        winner = tally(tuple(self.samples), self.wanted)
        return self._settle(self.best if winner is None else winner[0], tick, feasible, review)

    def _settle(
        self, answer: Parsed, tick: int, feasible: Mapping[str, str] | None, review: Review | None,
    ) -> Ruling:
        """Rule on a readable and fresh answer: commit it, ask again, reflect, or drop it."""
        assert self.phase == "answered"
        assert self.request is not None
        obstacle = "" if feasible is None else feasible.get(answer.choice, "")
        if obstacle:
            self._step("give_up")
            return self._close(f"infeasible:{obstacle}")
        may_ask = not self.may_issue(self.request, tick)
        verdict = GO if review is None else review(answer, self._progress(may_ask))
        if verdict.kind == "go":
            return self._commit(answer, verdict.reason)
        if verdict.kind == "keep":
            return self._commit(self.first or answer, verdict.reason)
        if verdict.kind == "refuse":
            self._step("failure" if verdict.end == "fallback" else "give_up")
            return self._close(verdict.reason or "refused_on_review")
        if not may_ask or (verdict.kind == "reask" and self.reasked):
            return self._last_word(answer, verdict)
        return self._again(answer, verdict, tick)

    def _last_word(self, answer: Parsed, verdict: Verdict) -> Ruling:
        """Rule when the reviewer wants more than can be had."""
        if verdict.stands:
            return self._commit(answer, verdict.reason or "stands")
        self._step("failure" if verdict.kind == "sample" else "give_up")
        return self._close(verdict.reason or "conflict")

    def _again(self, answer: Parsed, verdict: Verdict, tick: int) -> Ruling:
        """Issue the reask, or the first sample of the next reflection."""
        if verdict.kind == "reask":
            self.reasked = True
            self.best = answer if verdict.stands else None
            note: dict[str, object] = {"constraints": list(verdict.constraints), "before": answer.choice}
            return replace(self._issue("reask", "reask", tick, note), reason=verdict.reason)
        assert verdict.kind == "sample"
        assert verdict.samples >= 1
        self.round += 1
        self.first = self.first or answer
        self.wanted, self.heard_samples, self.samples, self.best = verdict.samples, 0, [], answer
        self.told = dict(verdict.note)
        note = {**self.told, "round": self.round, "k": 1}
        return replace(self._issue("sample", "sample", tick, note), reason=verdict.reason)

    def _progress(self, may_ask: bool) -> Progress:
        winner = tally(tuple(self.samples), self.wanted)
        score, mean = (0, 0) if winner is None else winner[1:]
        choices = {sample.choice: True for sample in self.samples}
        unanimous = len(choices) == 1 and len(self.samples) == self.wanted
        agree = 0 if winner is None else 100 * self.votes[winner[0].choice] // sum(self.votes.values())
        return Progress(
            self.round, len(self.samples), score, mean, self.reasked, may_ask, self.first, unanimous, agree,
            bool(self.told.get("memories")),
        )  # fmt: skip

    def _commit(self, answer: Parsed, reason: str) -> Ruling:
        assert self.request is not None
        assert self.request.serial > self.committed_serial, "one request, one commit"
        self.committed_serial = self.request.serial
        self._step("go")
        return self._close(reason or "accepted", answer=answer)

    def _expire(self, tick: int) -> Ruling:
        self.breaker.failed(tick)
        self._step("deadline")
        return self._close("deadline")

    def _ignore(self, part_id: str) -> Ruling:
        request_id = part_id.partition(".")[0]
        known = 0 < serial_of(request_id) <= self.last_serial
        reason = "duplicate" if part_id in self.heard else "late" if known else "foreign"
        self.counts["ignored"] += 1
        self.reasons[reason] = self.reasons.get(reason, 0) + 1
        return Ruling("ignored", request_id if known else "", reason)

    def _close(self, reason: str, *, answer: Parsed | None = None, fault: Fault | None = None) -> Ruling:
        """End the request in the phase reached, and be ready for the next."""
        assert self.phase in ENDS
        assert self.request is not None
        assert (self.phase == "committed") == (answer is not None)
        kind, end, request_id = ("commit" if answer else "end"), self.phase, self.request.id
        self.counts[end] += 1
        self.reasons[reason] = self.reasons.get(reason, 0) + 1
        self._step("close")
        self.request, self.out, self.best, self.samples = None, None, None, []
        self.first, self.told, self.votes = None, {}, {}
        self.parts = self.round = self.wanted = self.heard_samples = 0
        self.repaired = self.reasked = False
        return Ruling(kind, request_id, reason, end, None, answer, fault)
