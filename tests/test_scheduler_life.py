"""The scheduler at work in a life: it is weighed, recorded, told by why, replayed; and only what was perceived teaches it."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from agent import effort, uncertainty
from agent.attraction import Scored
from agent.candidates import Candidate
from agent.reply import Fault, Parsed, parse
from agent.request import Part
from agent.ruling import Progress, tally
from agent.scheduler import room
from agent.scheduler.room import Scheduler
from agent.uncertainty import Policy, policy_of
from logs.reader import open_log
from sim.build import restore, snapshot
from sim.declare import declare
from sim.gateway_reporter import Reporter
from sim.replay import verify
from sim.session import run_trial
from sim.why import why
from tests.mind_cases import awake
from trials.experiments.auq_runs import question

ROOT = Path(__file__).parent.parent
ON = {"mind.sys1": "none", "mind.scheduler": True}
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Rows]:
    """Return the log of an evening with the scheduler on, and its records."""
    log = Path(run_trial(declare("near_tie", seed=101, overrides=ON), out=tmp_path_factory.mktemp("on") / "run")["log"])
    with open_log(log) as reader:
        return log, list(reader.records())


def weighed(rows: Rows) -> Rows:
    return [row for row in rows if row["kind"] == "round" and "effort" in row["data"]]


def test_every_question_is_weighed_first_and_only_what_is_worth_it_is_asked(life: tuple[Path, Rows]) -> None:
    _, rows = life
    asked = {cause for row in rows if row["kind"] == "request" and row["data"]["type"] == "choose" for cause in row["causes"]}
    rounds = weighed(rows)

    assert {row["data"]["effort"]["kind"] for row in rounds} >= {"cheap", "call"}
    for row in rounds:
        cheap = row["data"]["effort"]["kind"] == "cheap"
        assert (row["id"] in asked) != cheap
        assert cheap != bool(row["data"]["ask"])
    assert asked <= {row["id"] for row in rounds}, "nothing is asked that was not weighed"


def test_a_cheap_tie_is_settled_by_its_best_at_once(life: tuple[Path, Rows]) -> None:
    _, rows = life
    commits = {cause: row for row in rows if row["kind"] == "commit" for cause in row["causes"] if cause.startswith("rnd-")}
    for row in weighed(rows):
        if row["data"]["effort"]["kind"] == "cheap":
            commit = commits[row["id"]]
            assert commit["data"]["decided_by"] == "deterministic"
            assert commit["tick"] == row["tick"]
            assert commit["data"]["choice"] == row["data"]["group"][0] or commit["data"]["label"] == "observe_first"


def test_a_reflection_has_the_samples_the_scheduler_asked_for(life: tuple[Path, Rows]) -> None:
    _, rows = life
    wanted = {row["id"]: row["data"]["effort"]["samples"] for row in weighed(rows)}
    sent: dict[str, int] = {}
    for row in rows:
        if row["kind"] == "part" and row["data"]["what"] == "sample":
            request = row["id"].partition(".")[0]
            sent[request] = sent.get(request, 0) + 1
    assert sent, "something was reflected on"
    for row in rows:
        if row["kind"] == "request" and row["data"]["type"] == "choose":
            assert sent.get(row["id"], 0) in (0, wanted[row["causes"][0]])


def test_why_tells_what_it_chose_and_on_what_ground(life: tuple[Path, Rows]) -> None:
    log, rows = life
    chosen = next(row for row in weighed(rows) if row["data"]["effort"]["kind"] == "cheap")
    texts = [step["text"] for step in why(log, id=chosen["id"])["chain"]]

    assert any("worth no call" in text and chosen["data"]["effort"]["reason"] in text for text in texts)


def test_only_a_perceived_end_teaches_and_each_choice_once(life: tuple[Path, Rows]) -> None:
    _, rows = life
    experiences = {f"exp-{row['data']['row'][0]}": row for row in rows if row["kind"] == "experience"}
    lessons = [row for row in rows if row["kind"] == "learn" and row["data"]["domain"] == "effort"]

    assert lessons
    assert len({row["id"] for row in lessons}) == len(lessons)
    for row in lessons:
        closed = experiences[row["data"]["experience"]]
        assert closed["tick"] == row["tick"]
        assert closed["data"]["row"][9] == "own", "the end was felt or seen, not told"
        its = closed["data"]["row"]
        assert row["data"]["perceived"] == (its[5] in ("done", "let_be") and its[6] >= 500)


def test_the_run_replays_and_its_state_survives_a_snapshot(life: tuple[Path, Rows]) -> None:
    log, _ = life
    assert verify(log)["ok"]

    state = awake()
    state.mind.settings["scheduler"] = True
    group = a_group()
    effort.weigh(state.mind, "rnd-1", group)
    again = restore(snapshot(state), declare("quiet_day", seed=1).room)
    assert again.mind.sys2.effort == state.mind.sys2.effort
    assert again.mind.parts() == state.mind.parts()
    assert effort.weigh(again.mind, "rnd-2", group) == effort.weigh(state.mind, "rnd-2", group)


def a_group() -> tuple[Scored, ...]:
    return (
        Scored(Candidate("c1", "explore", "start", "rest_seat"), {"salience": 400}, 400),
        Scored(Candidate("c2", "person", "start", "talk_with_visitor", touches=("person",)), {"salience": 380}, 380),
    )


def test_off_it_has_no_say_and_no_state() -> None:
    mind = awake().mind
    assert effort.weigh(mind, "rnd-1", a_group()) is None
    assert effort.samples(mind, "rnd-1") == -1
    assert mind.sys2.effort is None
    assert policy_of({"uncertainty": "both"}).depth == -1


# --- the mind can't sign ----------------------------------------------------------------------------------------------


def test_there_is_one_door_to_learning_and_it_stands_where_deeds_close() -> None:
    callers = []
    for path in sorted(ROOT.rglob("*.py")):
        if path.parts[len(ROOT.parts)] in (".venv", "tests", "trials"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
                if (node.func.value.id, node.func.attr) in (("effort", "take"), ("room", "learn")):
                    callers.append((path.name, node.func.attr))
    assert sorted(callers) == [("effort.py", "learn"), ("learning.py", "take")]


@pytest.mark.parametrize("claim", [{"perceived": True}, {"exit_code": 0}, {"outcome": "done"}, {"verification": {"source": "executor"}}])
def test_a_reply_that_vouches_for_itself_is_no_reply(claim: dict[str, Any]) -> None:
    request = question(1)
    raw = Reporter(1, {}).ask(Part("req-1", 1, "ask", 0, 5), request).raw
    assert raw is not None
    assert isinstance(parse(raw, request), Parsed)
    assert isinstance(parse(json.dumps({**json.loads(raw), **claim}).encode(), request), Fault)


def test_an_end_that_was_not_perceived_leaves_the_choice_open() -> None:
    mind = awake().mind
    mind.settings["scheduler"] = True
    effort.weigh(mind, "rnd-1", a_group())
    before = mind.sys2.effort
    assert before is not None
    assert "rnd-1" in before.open
    assert before.outcomes == 0
    effort.forget(mind, "rnd-1")
    assert (before.open, before.outcomes) == ({}, 0)


# --- what it weighs ---------------------------------------------------------------------------------------------------


def test_what_cannot_be_undone_is_never_done_cheaply() -> None:
    mind = awake().mind
    leader = Scored(Candidate("c1", "body", "start", "eat_snack"), {"relief": 300}, 400)
    found = effort.signals(mind, (leader, a_group()[1]))
    assert found.irreversible
    assert not effort.signals(mind, (a_group()[1], leader)).irreversible, "only what would be done without a thought counts"


def test_kinds_of_choice_are_told_apart_by_what_would_be_passed_over() -> None:
    mind = awake().mind
    near, far = a_group(), (a_group()[0], Scored(a_group()[1].candidate, {"salience": 280}, 280))
    families = [effort.signals(mind, group).family for group in (near, far, (near[1], near[0]), (near[0], near[0]))]
    assert families == ["explore<person:0", "explore<person:4", "person+person", "explore"]


def test_reflections_that_change_nothing_are_given_up() -> None:
    state, grave = Scheduler(), room.Signals(stakes=900, difficulty=900)
    kinds = []
    for at in range(4):
        kinds.append(room.think(state, grave, f"k{at}").kind)
        room.chosen(state, f"k{at}", otherwise=True, reflected=False)
        room.learn(state, f"k{at}", perceived=True)
    assert kinds[0] == "reflect"
    assert kinds[-1] == "call"


def test_reflections_that_overturn_answers_go_on() -> None:
    state, grave = Scheduler(), room.Signals(stakes=900, difficulty=900)
    for at in range(6):
        assert room.think(state, grave, f"k{at}").kind == "reflect"
        room.chosen(state, f"k{at}", otherwise=True, reflected=True)
        room.learn(state, f"k{at}", perceived=True)


def test_a_cheap_choice_that_worked_does_not_say_what_a_model_would_have_chosen() -> None:
    state = Scheduler(outcomes=9, links={"f": [0, 9]})
    signals = room.Signals(stakes=100, difficulty=100, family="f", scene="s")
    assert room.think(state, signals, "a").kind == "cheap"
    weights, outcomes = list(state.weights), state.outcomes
    lesson = room.learn(state, "a", perceived=True)
    assert lesson is not None
    assert lesson.mattered is None
    assert (state.weights, state.outcomes, state.links, state.scenes) == (weights, outcomes, {"f": [0, 9]}, {"s": [1, 0]})


# --- the one reflection -----------------------------------------------------------------------------------------------


def an_answer(choice: str, confidence: int | None = None) -> Parsed:
    return Parsed("choose", choice, {"choice": choice}, "", confidence)


def test_the_scheduler_decides_reflection_and_tau_rests() -> None:
    unsure = an_answer("c1", 10)
    uar = {"uncertainty": "uar", "scheduler": True, "tau": 900}
    assert uncertainty.review(policy_of(uar, depth=0), unsure, Progress(), lambda tier: []).kind == "go"
    asked = uncertainty.review(policy_of(uar, depth=5), an_answer("c1", 99), Progress(), lambda tier: [])
    assert (asked.kind, asked.samples, asked.stands) == ("sample", 5, True)


@pytest.mark.parametrize(("choice", "unanimous", "verdict"), [
    ("c1", True, ("go", "confirmed")), ("c2", True, ("go", "overturned")), ("c2", False, ("keep", "unearned")),
])  # fmt: skip
def test_what_the_samples_say_must_be_earned(choice: str, unanimous: bool, verdict: tuple[str, str]) -> None:
    progress = Progress(1, 3, 1, 1, first=an_answer("c1"), unanimous=unanimous, pooled=100 if unanimous else 66)
    found = uncertainty.review(Policy("off", depth=3), an_answer(choice), progress, lambda tier: [])
    assert (found.kind, found.reason) == verdict


def test_samples_without_confidence_count_alike() -> None:
    winner = tally((an_answer("c1"), an_answer("c2"), an_answer("c2")), 3)
    assert winner is not None
    assert (winner[0].choice, winner[0].confidence) == ("c2", None)
