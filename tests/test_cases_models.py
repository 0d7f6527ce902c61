"""What broke in other agent simulations where a model is asked (reports R01-R35, C3-C20): what must hold here instead.

Cases that another test already holds are not repeated: `test_model_in_a_life`, `test_slot`, `test_gateway_faults`,
`test_kernel_decisions`, `test_reply` and `test_breaker` hold R02-R04, R07, R10, R18, R21, R22, R29, R30, R32, C7-C9, C11.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import oneroom
from agent.request import Part, Request
from interventions.contract import CHANNELS, Intervention
from logs.reader import open_log
from sim import kernel
from sim.build import build
from sim.declare import declare
from sim.gateway_provider import Reply
from sim.gateway_scripted import Scripted
from sim.live import Live
from sim.replay import verify
from sim.session import run_trial
from sim.state import ReplyInput, State
from tests.makers import ENTER, a_declared, live, rows_of, say
from trials.metrics import measure_log

MODEL = {"model.provider": "scripted"}


class Failing(Scripted):
    """A model that answers the first *good* parts, and then fails as *how* says, or raises it."""

    def __init__(self, how: str | Exception, good: int = 0) -> None:
        super().__init__(7)
        self.how, self.good, self.asked = how, good, 0

    def ask(self, part: Part, request: Request, *, wall_cap_s: float = 20.0) -> Reply:
        self.asked += 1
        if self.asked <= self.good:
            return super().ask(part, request, wall_cap_s=wall_cap_s)
        if isinstance(self.how, Exception):
            raise self.how
        return Reply(None, self.how)


def records(result: dict[str, Any]) -> list[dict[str, Any]]:
    with open_log(Path(result["log"])) as reader:
        return list(reader.records())


def a_waiting_state(**overrides: Any) -> State:
    """Return a state in which a question of the resident has just gone out."""
    state = build(declare("near_tie", seed=101, overrides={**MODEL, "model.types": ["choose"], **overrides}))
    while not state._outbox:
        assert state.tick < state.end_tick
        kernel.advance(state, [], state.end_tick)
        state._shell = []
    return state


def right_answer(state: State) -> ReplyInput:
    part, request = state._outbox[0]
    raw = Scripted(7).ask(part, request).raw
    assert raw is not None
    return ReplyInput(part.id, part.due_tick, raw.decode())


def on(state: State, inputs: list[Any], until: int) -> list[dict[str, Any]]:
    """Advance to *until* with *inputs*; later questions stay unanswered."""
    rows = rows_of(kernel.advance(state, inputs, until))
    while state.tick < until and not state.stopped and not state.paused:
        state._outbox, state._shell = [], []
        rows += rows_of(kernel.advance(state, kernel.give_back(state), until))
    return rows


def test_a_body_whose_model_always_fails_is_fed_rested_and_clean_all_day(tmp_path: Path) -> None:
    """R08."""
    declared = declare("quiet_day", seed=7, overrides={**MODEL, "duration": "24h"})
    result = run_trial(declared, out=tmp_path / "day", provider=Failing("server_error"))

    measured = measure_log(Path(result["log"]))
    body = ("energy", "satiety", "hydration", "bladder", "hygiene", "warmth")
    assert result["status"] == "done"
    assert {name: measured[f"need_critical_max_min_{name}"] for name in body} == dict.fromkeys(body, 0)
    assert measured["meals_per_day"] >= 2  # type: ignore[operator]
    assert measured["sleep_h_per_day"] >= 5  # type: ignore[operator]


def test_a_provider_that_raises_is_a_failed_call_and_no_end_of_the_run(tmp_path: Path) -> None:
    """R01, R14."""
    result = run_trial(declare("first_visit", seed=7, overrides=MODEL), out=tmp_path / "a", provider=Failing(RuntimeError("list index")))

    assert result["status"] == "done"
    assert "degraded" in result["flags"]
    assert result["requests"]["committed"] == 0
    assert not [row for row in records(result) if "list index" in json.dumps(row)], "error text is no content"
    assert verify(Path(result["log"]))["ok"]


def test_start_up_happens_once_whatever_the_model_answers(tmp_path: Path) -> None:
    """R10: an answer of the wrong shape is counted; nothing is begun again."""
    rows = records(run_trial(declare("first_visit", seed=7, overrides=MODEL), out=tmp_path / "a", provider=Failing("bad_shape")))

    assert sum("start" in row["data"]["wakes"] for row in rows if row["kind"] == "round") == 1
    ordinals = Counter(row["data"]["ordinal"] for row in rows if row["kind"] == "ordinal")
    assert set(ordinals.values()) == {1}


def test_repairs_fallbacks_and_late_answers_stand_beside_the_results(tmp_path: Path) -> None:
    """R11, R12, C16."""
    errors = {"malformed": 500, "silent": 200, "out_of_group": 100}
    result = run_trial(declare("first_visit", seed=7, overrides={**MODEL, "model.errors": errors}), out=tmp_path / "a")
    end = records(result)[-1]["data"]

    assert result["requests"]["repaired"] > 0
    assert result["requests"]["fallback"] > 0
    assert {name: end["requests"][name] for name in result["requests"]} == result["requests"]
    measured = measure_log(Path(result["log"]))
    assert any("repair" in name for name in measured), sorted(measured)
    assert any("fallback" in name for name in measured), sorted(measured)


def test_while_a_question_is_out_the_body_lives_on_and_its_deadline_ends_it() -> None:
    """R16, R17, R26: no pose is held for the model; an answer after the deadline is ignored, and counted once."""
    state = a_waiting_state()
    late, asked, deadline = right_answer(state), state.tick, state.slot.request.deadline_tick  # type: ignore[union-attr]
    before = state.room.needs("resident", asked)

    rows = on(state, [], deadline + 10)

    assert state.room.needs("resident", deadline) != before
    assert any(row["data"]["end"] == "expired" for row in rows if row["kind"] == "ruling")
    assert any(row["kind"] == "commit" and row["data"]["decided_by"] == "fallback" for row in rows)
    commits = sum(state.counts.get(f"decided_{by}", 0) for by in ("sys2",))
    after = on(state, [ReplyInput(late.part_id, state.tick + 1, late.raw)], state.tick + 2)
    assert [row["data"]["what"] for row in after if row["kind"] == "ruling"] == ["ignored"]
    assert state.counts.get("decided_sys2", 0) == commits


def test_a_hundred_acts_in_one_tick_all_get_a_row_in_one_order_while_the_model_is_away() -> None:
    """R19: the order in which they came to the door makes no difference within a channel's own order of arrival."""
    told = []
    for turn in (1, -1):
        state = a_waiting_state()
        tick = state.tick + 1
        acts = [Intervention(f"int-x{at}", CHANNELS[at % 3], tick, at, "human", ("enter", "say", "whisper")[at % 3], text="Well.")
                for at in range(1, 101)]  # fmt: skip
        rows = rows_of(kernel.advance(state, list(acts[::turn]), tick), "receipt")
        told.append([row["id"] for row in rows])
        assert sorted(told[-1]) == sorted(act.id for act in acts)
        assert all(name in state.rows for name in told[-1])

    assert told[0] == told[1]


def test_a_deed_counts_as_done_only_with_a_receipt_of_the_world(tmp_path: Path) -> None:
    """R25, R28: every task that is done rests on a skill of its own that the world reported as ended well."""
    rows = records(run_trial(declare("quiet_day", seed=7, overrides={"duration": "6h"}), out=tmp_path / "a"))
    commands: dict[str, list[str]] = {}
    for row in rows:
        if row["kind"] == "skill":
            for cause in row["causes"]:
                commands.setdefault(cause, []).append(row["id"])
    well = {cause for row in rows if row["kind"] == "fact" and row["data"]["fact"] == "skill_ended"
            and row["data"]["data"]["result"] == "ok" for cause in row["causes"]}  # fmt: skip
    done = [row["id"] for row in rows if row["kind"] == "task" and row["data"]["state"] == "done"]

    assert len(done) > 5
    assert not [name for name in done if not well & set(commands.get(name, []))]


def test_a_run_has_memories_ids_of_its_own_and_no_reference_into_the_void(tmp_path: Path) -> None:
    """R28."""
    result = run_trial(declare("first_visit", seed=7, overrides=MODEL), out=tmp_path / "a")
    rows = records(result)

    once = ("input", "request", "part", "commit", "experience", "round", "percept", "skill")
    for kind in once:
        ids = Counter(row["id"] for row in rows if row["kind"] == kind)
        assert ids, kind
        assert set(ids.values()) == {1}, (kind, ids.most_common(1))
    known: set[str] = set()
    for row in rows:
        known.add(row["id"])
    assert not [(row["id"], cause) for row in rows for cause in row["causes"] if cause not in known]


def test_a_model_that_goes_away_in_mid_run_leaves_no_dead_conversation(tmp_path: Path) -> None:
    """R31: it answers once, then is gone; whoever speaks to the resident still gets a stance."""
    asks = [say(at, f"Could you {what}, please?", id=f"ask{at}") for at, what in ((90, "open the window"), (500, "close the window"))]
    result = run_trial(a_declared(ENTER, *asks, overrides=MODEL), out=tmp_path / "a", provider=Failing("no_provider", good=1))

    told = {row["id"]: row for row in result["interventions"]}
    assert all(told[f"int-ask{at}"]["stance"] for at in (90, 500)), told


@pytest.mark.parametrize("op", ["safe_stop", "pause"])
def test_a_stop_or_a_pause_takes_effect_though_a_question_is_out(op: str) -> None:
    """R31, R34, R74: it acts at its tick; nothing more is asked, and an answer to what was asked before changes nothing."""
    state = a_waiting_state(**{"channels.system.open": True, "channels.system.operations": ["pause", "resume", "safe_stop"]})
    answer = right_answer(state)
    state._outbox = []
    on(state, [Intervention("int-s", "system", state.tick + 1, 1, "human", op)], state.tick + 1)
    requests, needs = state.requests, state.room.needs("resident", state.tick)

    assert (state.stopped == "stopped") if op == "safe_stop" else state.paused
    tick = state.tick
    rows = rows_of(kernel.advance(state, [ReplyInput(answer.part_id, tick, answer.raw)], tick + 1))
    assert not [row for row in rows if row["kind"] in ("commit", "request", "part")]
    assert (state.requests, state.room.needs("resident", tick)) == (requests, needs)


def test_however_often_a_paused_run_is_asked_to_go_on_no_time_passes() -> None:
    """R34, R80."""
    simulation = oneroom.Simulation("first_visit", seed=1, overrides={"model.provider": "none", "schedule": []})
    simulation.reset()
    simulation.advance(minutes=1)
    simulation.act("system", "pause")
    simulation.step()
    tick, needs, digest = simulation.tick, simulation.needs(), simulation.digest()

    for _ in range(50):
        simulation.advance(minutes=72)
    assert (simulation.tick, simulation.needs(), simulation.digest()) == (tick, needs, digest)

    simulation.act("system", "resume")
    simulation.advance(minutes=1)
    assert simulation.tick > tick


def test_no_frame_waits_for_a_provider_that_hangs() -> None:
    """R23, C20: a hanging call costs the clock nothing; what is said meanwhile is taken once, and nothing is queued up."""
    import threading
    import time

    gone = threading.Event()

    class Hanging(Scripted):
        def ask(self, part: Part, request: Request, *, wall_cap_s: float = 20.0) -> Reply:
            assert part.request_id == request.id
            gone.wait(wall_cap_s)
            return Reply(None, "timeout")

    declared = declare("near_tie", seed=101, overrides={**MODEL, "pace": "live"})
    run = Live(declared, None, provider=Hanging(1))
    run.speed = 4096.0
    longest, asked = 0.0, 0
    try:
        for _ in range(400):
            began = time.thread_time()
            run.pump(0.05)
            longest, asked = max(longest, time.thread_time() - began), asked + run.asking
        assert asked, "the test needs a question"
        assert longest < 0.5
    finally:
        gone.set()
        run.close()


def test_a_commit_comes_with_its_reply_and_its_effect_or_not_at_all(tmp_path: Path) -> None:
    """C3, R15, R58: whoever reads the log finds group, context, raw reply and commit of a decision by the model together."""
    rows = records(run_trial(declare("near_tie", seed=101, overrides=MODEL), out=tmp_path / "a"))
    requests = {row["id"]: row for row in rows if row["kind"] == "request"}
    replies = {row["id"].partition(".")[0]: row for row in rows if row["kind"] == "reply"}
    commits = [row for row in rows if row["kind"] == "commit" and row["data"]["decided_by"] == "sys2"]

    assert len(commits) > 5
    for row in commits:
        name = next(cause for cause in row["causes"] if cause.startswith("req-"))
        request, reply = requests[name], replies[name]
        assert reply["tick"] == row["tick"]
        assert json.loads(reply["data"]["raw"])["request_id"] == name
        assert row["data"]["choice"] in request["data"]["group"] or row["data"]["label"]
        assert {each["id"] for each in request["data"]["context"]["candidates"]} >= set(request["data"]["group"])


def test_an_answer_of_zero_is_an_answer() -> None:
    """C18: legal 0 and empty values are not replaced by a default."""
    state = a_waiting_state(**{"mind.uncertainty": "uam"})
    part, request = state._outbox[0]
    assert request.confidence, "the test needs a question for a confidence"
    raw = json.loads((Scripted(7).ask(part, request).raw or b"").decode())
    raw["confidence"] = 0

    on(state, [ReplyInput(part.id, part.due_tick, json.dumps(raw))], part.due_tick)

    assert state.slot.counts["committed"] == 1
    assert state.slot.counts["repaired"] == 0


def test_every_end_of_an_answer_has_its_own_name() -> None:
    """R71, R25: declined, unanswerable, unreadable, unanswered and late are told apart in the log."""
    ends = []
    for raw in ('{"choice": "wait"}', None, "I decline.", "late"):
        state = a_waiting_state()
        part, request = state._outbox[0]
        tick, text = part.due_tick, raw
        if raw == "late":
            tick, text = request.deadline_tick + 1, "{}"
        elif raw is not None and raw.startswith("{"):
            text = json.dumps({"request_id": request.id, "version": request.version, "type": "choose", "choice": "wait", "because": ""})
        rows = on(state, [ReplyInput(part.id, tick, text, "" if text is not None else "silent")], request.deadline_tick + 2)
        first = next(row["data"] for row in rows if row["kind"] == "ruling" and row["id"] == request.id)
        ends.append((first["what"], first["reason"], first["fault"]))

    assert len(set(ends)) == 4, ends


def test_a_day_costs_what_its_questions_cost(tmp_path: Path) -> None:
    """R32: calls are told, per hour as well."""
    result = run_trial(declare("first_visit", seed=7, overrides=MODEL), out=tmp_path / "a")
    measured = measure_log(Path(result["log"]))

    assert measured["model_calls_per_hour"] == 2 * result["model"]["calls"], "the visit lasts half an hour"
    assert result["model"]["calls"] >= result["requests"]["committed"] > 0


def test_nobody_is_asked_where_nobody_may_answer() -> None:
    """R31: without a model the same life has no request at all."""
    state = build(declare("near_tie", seed=101, overrides={"model.provider": "none"}))
    assert not [row for row in live(state) if row["kind"] in ("request", "part")]
