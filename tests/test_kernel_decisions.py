"""Questions in a running kernel under any order of events: at most one commit each, stale only by what they rest on.

A machine lives first_visit with a scripted model of which it holds back every reply: it delivers them right, wrong,
twice, late, to requests of long ago or never asked, changes what an answer rests on and what it does not, cancels,
pre-empts, resets, lets deadlines pass, and restarts from a snapshot in between.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from agent import asking
from agent.request import Part, Request
from sim import kernel
from sim.build import build, restore, snapshot
from sim.declare import Declared, declare
from sim.gateway_scripted import Scripted
from sim.records import Records
from sim.state import ReplyInput

WAYS = ("right", "right", "bad", "silent")
BAD = ("", "Gladly!", "{}", "null", '{"request_id": "req-1"}')


class KernelMachine(RuleBasedStateMachine):
    """The kernel's books beside a small model of them."""

    @initialize(seed=st.sampled_from([7, 101, 102]))
    def start(self, seed: int) -> None:
        self.declared: Declared = declare("first_visit", seed=seed, overrides={"model.provider": "scripted"})
        self.state = build(self.declared)
        self.model = Scripted(seed)
        self.sent: list[tuple[Part, Request]] = []
        self.commits: Counter[str] = Counter()
        self.ends: dict[str, str] = {}
        self.repairs: Counter[str] = Counter()
        self.touched = False

    def took(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            if row["kind"] == "ruling":
                self.commits[row["id"]] += row["data"]["what"] == "commit"
                self.repairs[row["id"]] += row["data"]["what"] == "repair"
                if row["data"]["what"] in ("commit", "end"):
                    assert row["id"] not in self.ends, "a request ends once"
                    self.ends[row["id"]] = row["data"]["end"]
        self.sent += kernel.take_outbox(self.state)
        self.state._shell = []

    def advance(self, inputs: list[Any], ticks: int) -> None:
        until = min(self.state.end_tick, self.state.tick + ticks)
        waiting = inputs
        while self.state.tick < until and not self.state.stopped and not self.state.paused:
            for _, rows in kernel.advance(self.state, waiting, until):
                self.took(rows)
            waiting = kernel.give_back(self.state)
            self.took([])

    @rule(ticks=st.integers(1, 900))
    def live(self, ticks: int) -> None:
        self.advance([], ticks)

    @precondition(lambda self: self.sent)
    @rule(back=st.integers(0, 4), times=st.integers(1, 3), what=st.sampled_from(WAYS), which=st.integers(0, 9))
    def reply(self, back: int, times: int, what: str, which: int) -> None:
        part, request = self.sent[max(0, len(self.sent) - 1 - back)]
        tick = max(part.due_tick, self.state.tick + 1)
        raw = self.model.ask(part, request).raw
        text = None if what == "silent" else BAD[which % len(BAD)] if what == "bad" else (raw or b"").decode()
        given = ReplyInput(part.id, tick, text, "silent" if text is None else "")
        self.advance([given] * times, tick - self.state.tick + 1)

    @rule(number=st.integers(1, 99))
    def foreign_reply(self, number: int) -> None:
        text = json.dumps({"request_id": f"req-{900 + number}", "version": "v-1", "type": "choose", "choice": "c1"})
        self.advance([ReplyInput(f"req-{900 + number}.1", self.state.tick + 1, text)], 2)

    @precondition(lambda self: self.state.slot.request is not None and self.state.slot.request.deps)
    @rule(which=st.integers(0, 9))
    def change_what_it_rests_on(self, which: int) -> None:
        request, mind = self.state.slot.request, self.state.mind
        assert request is not None
        kind, ordinal, _ = request.deps[which % len(request.deps)]
        if kind == "thing":
            mind.beliefs.things[ordinal].version += 1
        elif kind == "person":
            mind.relations.person(ordinal).version += 1
        elif kind == "matter":
            mind.matters[f"mat-{ordinal}"].version += 1
        elif f"com-{ordinal}" in mind.commitments:
            mind.commitments[f"com-{ordinal}"].version += 1

    @precondition(lambda self: self.state.slot.request is not None)
    @rule()
    def change_something_else(self) -> None:
        request, mind = self.state.slot.request, self.state.mind
        assert request is not None
        named = {ordinal for kind, ordinal, _ in request.deps if kind == "thing"}
        before = asking.versions_now(mind, request.deps)
        for ordinal, thing in mind.beliefs.things.items():
            if ordinal not in named:
                thing.version += 1
        assert asking.versions_now(mind, request.deps) == before
        fresh = all(before.get((kind, ordinal)) == version for kind, ordinal, version in request.deps)
        if fresh and self.state.tick < request.deadline_tick:
            assert self.state.slot.on_tick(self.state.tick, before) is None, "an unrelated change never ends a request"

    @precondition(lambda self: self.state.slot.busy)
    @rule(why=st.sampled_from(["preempted", "stopped", "reset"]))
    def cancel(self, why: str) -> None:
        log = Records(self.state.tick)
        ruling = self.state.slot.cancel(why)
        assert ruling is not None
        kernel.on_ruling(self.state, log, ruling)
        self.took(log.rows)

    @rule()
    def restart(self) -> None:
        saved = json.loads(json.dumps(snapshot(self.state)))
        self.state = restore(saved, self.declared.room)
        assert snapshot(self.state) == saved

    @invariant()
    def nothing_is_committed_twice_or_repaired_twice(self) -> None:
        if hasattr(self, "commits"):
            assert max(self.commits.values(), default=0) <= 1
            assert max(self.repairs.values(), default=0) <= 1


@pytest.mark.parametrize("examples", [pytest.param(15, id="quick"), pytest.param(300, id="campaign", marks=pytest.mark.campaign)])
def test_at_most_one_commit_whatever_happens(examples: int) -> None:
    from hypothesis.stateful import run_state_machine_as_test

    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    run_state_machine_as_test(
        KernelMachine,
        settings=settings(max_examples=examples, stateful_step_count=50, deadline=None, suppress_health_check=checks, derandomize=True),
    )
