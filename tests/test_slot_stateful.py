"""The slot under any order of events: at most one commit, and no unrelated change ends a request.

A machine asks, changes what answers rest on and what they don't, cancels, pre-empts, resets, lets deadlines
pass, delivers replies good and bad, twice, late and to other requests, and restarts from a snapshot in between.
"""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from agent.breaker import Breaker, Budget
from agent.reply import Parsed
from agent.request import Part, Request
from agent.ruling import Progress, Ruling, Verdict
from agent.slot import Slot
from tests.model_cases import a_reply, a_request

TYPES = {"slot": Slot, "breaker": Breaker, "budget": Budget, "request": Request, "part": Part, "parsed": Parsed}


def to_json(value: Any) -> Any:
    """Return *value* as plain data, or fail: nothing else may stand in a slot."""
    if is_dataclass(value) and not isinstance(value, type):
        return {"@": type(value).__name__, **{each.name: to_json(getattr(value, each.name)) for each in fields(value)}}
    if isinstance(value, (list, tuple)):
        return [*(to_json(each) for each in value)] if isinstance(value, list) else {"(": [to_json(v) for v in value]}
    if isinstance(value, dict):
        assert all(isinstance(key, (str, int)) for key in value)
        return {key: to_json(each) for key, each in value.items()}
    assert value is None or isinstance(value, (str, int, bool)), type(value)
    return value


def from_json(value: Any) -> Any:
    """Return what `to_json` wrote."""
    if isinstance(value, list):
        return [from_json(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "(" in value:
        return tuple(from_json(each) for each in value["("])
    if "@" in value:
        kind = TYPES[value["@"].lower()]
        return kind(**{name: from_json(each) for name, each in value.items() if name != "@"})
    return {key: from_json(each) for key, each in value.items()}


class SlotMachine(RuleBasedStateMachine):
    """What the slot says is compared with a small model: who may still commit, and why not."""

    @initialize(live=st.booleans())
    def start(self, live: bool) -> None:
        self.slot = Slot()
        self.live = live
        self.tick = 100
        self.serial = 0
        self.versions = {("belief", 1): 1, ("matter", 1): 1, ("belief", 99): 1}
        self.request: Request | None = None
        self.sent: list[tuple[Part, Request]] = []
        self.commits: Counter[str] = Counter()
        self.ended: dict[str, str] = {}
        self.parts: Counter[str] = Counter()

    def took(self, ruling: Ruling | None) -> None:
        """Keep the books of one ruling."""
        if ruling is None or ruling.kind == "ignored":
            return
        if ruling.part is not None:
            assert self.request is not None
            assert ruling.part.issue_tick <= self.request.deadline_tick
            assert ruling.part.due_tick <= self.request.deadline_tick
            self.sent.append((ruling.part, self.request))
            self.parts[f"{ruling.request_id}/{ruling.part.kind}"] += 1
            return
        assert ruling.request_id not in self.ended, "a request ends once"
        self.ended[ruling.request_id] = ruling.end
        if ruling.kind == "commit":
            self.commits[ruling.request_id] += 1
            assert self.request is not None
            assert ruling.choice in (*self.request.group, "wait", "refuse", "none_feasible")
        self.request = None

    @precondition(lambda self: self.request is None)
    @rule(lasts=st.integers(1, 60), latency=st.integers(0, 20), sure=st.booleans())
    def ask(self, lasts: int, latency: int, sure: bool) -> None:
        self.serial += 1
        deps = tuple((kind, n, self.versions[kind, n]) for kind, n in (("belief", 1), ("matter", 1)))
        self.request = a_request(number=self.serial, tick=self.tick, deadline_tick=self.tick + lasts, deps=deps,
                                 confidence=sure)
        self.took(self.slot.ask(self.request, latency_ticks=-1 if self.live else latency))

    @rule(ticks=st.integers(1, 30))
    def pass_time(self, ticks: int) -> None:
        self.tick += ticks
        ruling = self.slot.on_tick(self.tick, self.versions)
        if self.request is not None:
            due = self.tick >= self.request.deadline_tick
            stale = any(self.versions[kind, n] != version for kind, n, version in self.request.deps)
            assert (ruling is not None) == (due or stale)
            assert ruling is None or ruling.end == ("expired" if due else "stale")
        self.took(ruling)

    @rule(what=st.sampled_from([("belief", 1), ("matter", 1)]))
    def change_what_it_rests_on(self, what: tuple[str, int]) -> None:
        self.versions[what] += 1

    @rule()
    def change_something_else(self) -> None:
        before = copy.deepcopy(self.slot)
        self.versions["belief", 99] += 1
        if self.request is not None and self.tick < self.request.deadline_tick and self.fresh(self.request):
            assert self.slot.on_tick(self.tick, self.versions) is None
            assert self.slot == before

    @precondition(lambda self: self.request is not None)
    @rule(why=st.sampled_from(["safe_stop", "reset", "preempted", "restored"]))
    def cancel(self, why: str) -> None:
        self.took(self.slot.cancel(why))

    @precondition(lambda self: self.sent)
    @rule(data=st.data(), form=st.sampled_from(["good", "other", "good", "other", "outside", "broken", "broken",
                                                 "failure", "old"]),
          verdict=st.sampled_from(["go", "go", "go", "reask", "reask", "sample", "refuse"]), stands=st.booleans(),
          sure=st.integers(0, 100), times=st.integers(1, 3), newest=st.sampled_from([True, True, True, False]))
    def reply(self, data: Any, form: str, verdict: str, stands: bool, sure: int, times: int,
              newest: bool) -> None:
        last = len(self.sent) - 1
        at = last if newest else data.draw(st.integers(max(0, last - 5), last))
        part, request = self.sent[at]

        def review(_answer: Parsed, _progress: Progress) -> Verdict:
            return Verdict(verdict, verdict, samples=2, stands=stands)

        changes: dict[str, Any] = {"other": {"choice": "cand-13"}, "outside": {"choice": "cand-1"},
                                   "old": {"version": "v-0"}}.get(form, {})
        sure_too = {"confidence": sure} if request.confidence else {}
        raw = None if form == "failure" else b"{" if form == "broken" else a_reply(request, **sure_too, **changes)
        for _ in range(times):
            live = self.slot.out is not None and self.slot.out.id == part.id
            tick = max(self.tick, part.issue_tick)
            legal = live and tick <= request.deadline_tick and self.fresh(request)
            before = copy.deepcopy(self.slot)
            ruling = self.slot.on_reply(part.id, raw, "timeout" if raw is None else "", tick, self.versions,
                                        review=review)
            if not live:
                assert ruling.kind == "ignored"
                assert ruling.reason in ("duplicate", "late", "foreign")
                before.counts, before.reasons = self.slot.counts, self.slot.reasons
                assert self.slot == before, "an ignored reply changes nothing but its count"
            if ruling.kind == "commit":
                assert legal
            if legal and form in ("good", "other") and verdict == "go" and part.kind != "sample":
                assert ruling.kind == "commit", "a good answer in time is never lost"
            if legal:
                assert ruling.end not in ("stale", "expired"), "only its own deps and deadline end it"
            self.took(ruling)

    @precondition(lambda self: self.request is not None)
    @rule(beyond=st.integers(0, 2), speaks=st.booleans())
    def reach_the_deadline(self, beyond: int, speaks: bool) -> None:
        """At the deadline a reply still counts; one tick later it is expired, even if nobody looked in between."""
        assert self.request is not None
        request, out = self.request, self.slot.out
        assert out is not None
        self.tick = max(self.tick, request.deadline_tick + beyond)
        if speaks:
            sure = {"confidence": 70} if request.confidence else {}
            ruling = self.slot.on_reply(out.id, a_reply(request, **sure), "", self.tick, self.versions)
            wanted = "expired" if beyond else "committed" if self.fresh(request) else "stale"
            assert ruling.end == wanted or (out.kind == "sample" and not beyond)
            self.took(ruling)
        else:
            ruling_now = self.slot.on_tick(self.tick, self.versions)
            assert ruling_now is not None
            assert ruling_now.end == "expired"
            self.took(ruling_now)

    @precondition(lambda self: self.request is None and self.slot.degraded)
    @rule()
    def wait_for_the_probe(self) -> None:
        self.tick = max(self.tick, self.slot.breaker.probe_tick)

    @rule()
    def foreign(self) -> None:
        assert self.slot.on_reply("req-999.1", b"{}", "", self.tick, self.versions).reason == "foreign"

    @rule()
    def restart(self) -> None:
        restored = from_json(to_json(self.slot))
        assert restored == self.slot
        self.slot = restored

    def fresh(self, request: Request) -> bool:
        return all(self.versions[kind, n] == version for kind, n, version in request.deps)

    @invariant()
    def at_most_one_commit(self) -> None:
        if not hasattr(self, "slot"):
            return
        assert all(count == 1 for count in self.commits.values())
        assert self.slot.busy == (self.request is not None)
        assert all(count <= 1 for name, count in self.parts.items() if not name.endswith("/sample"))
        assert self.slot.counts["committed"] == len(self.commits)
        assert self.slot.budget.calls == len(self.sent)


TestSlot = SlotMachine.TestCase
TestSlot.settings = settings(max_examples=120, stateful_step_count=50, deadline=None,
                             suppress_health_check=list(HealthCheck))


@pytest.mark.campaign
def test_campaign_c9_the_slot_commits_at_most_once() -> None:
    """C9: 300 examples of 50 steps."""
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(SlotMachine, settings=settings(
        max_examples=300, stateful_step_count=50, deadline=None, suppress_health_check=list(HealthCheck)))
