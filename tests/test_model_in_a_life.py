"""What broke in other agent simulations when the model failed, and what happens here (cases/agent-sims, A and B)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent.request import Part, Request
from logs.reader import open_log
from protocols.library import shipped_protocols
from sim.declare import declare
from sim.gateway_provider import Reply
from sim.gateway_scripted import Scripted
from sim.session import run_trial
from sim.why import why
from tests.makers import ENTER, a_declared, say

Answer = Callable[[Part, Request], Reply]
MODEL = {"model.provider": "scripted"}


class Saying(Scripted):
    """A provider that answers every part as one function says."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(7)
        self.answer, self.asked = answer, 0

    def ask(self, part: Part, request: Request, *, wall_cap_s: float = 20.0) -> Reply:
        assert wall_cap_s > 0
        self.asked += 1
        return self.answer(part, request)


def lived(tmp_path: Path, answer: Answer, **overrides: Any) -> tuple[dict[str, Any], list[dict[str, Any]], Saying]:
    provider = Saying(answer)
    result = run_trial(declare("first_visit", seed=7, overrides={**MODEL, **overrides}), out=tmp_path / "life", provider=provider)
    with open_log(Path(result["log"])) as reader:
        return result, list(reader.records()), provider


ERROR = "TOKEN LIMIT EXCEEDED: list index out of range"


@pytest.mark.parametrize("text", [ERROR, "", "x", "I would open the window.", '{"choices": []}', "[" * 5000, "y" * 300_000])
def test_what_is_no_answer_never_becomes_content_and_the_life_goes_on(tmp_path: Path, text: str) -> None:
    result, rows, _ = lived(tmp_path, lambda part, request: Reply(text.encode(), "", 5, 5, 0, "m"))

    assert result["status"] == "done"
    assert result["requests"]["committed"] == 0
    told = [str(row["data"]) for row in rows if row["kind"] in ("fact", "skill", "task", "experience", "belief", "matter", "answer")]
    assert not text.strip() or len(text) < 2 or not any(text in each for each in told)
    repairs = [row["id"] for row in rows if row["kind"] == "part" and row["data"]["what"] == "repair"]
    assert len(repairs) == len({each.partition(".")[0] for each in repairs})
    assert all(row["data"]["decided_by"] for row in rows if row["kind"] == "commit")


@pytest.mark.parametrize("failure", ["connection", "timeout", "throttled", "server_error", "bad_shape"])
def test_a_model_that_always_fails_is_left_alone_and_the_run_says_so(tmp_path: Path, failure: str) -> None:
    result, _, provider = lived(tmp_path, lambda part, request: Reply(None, failure))

    assert result["status"] == "done"
    assert "degraded" in result["flags"]
    # Three failures open the breaker; after it one probe in five minutes, then ever fewer.
    assert provider.asked <= 3 + 5
    assert any(row["outcome"] == "done" for row in result["interventions"] if row["channel"] == "dialogue")


def test_a_model_that_recovers_is_used_again(tmp_path: Path) -> None:
    right = Scripted(7)
    count = [0]

    def answer(part: Part, request: Request) -> Reply:
        count[0] += 1
        return Reply(None, "connection") if count[0] <= 3 else right.ask(part, request)

    result, _, _ = lived(tmp_path, answer)
    assert result["requests"]["committed"] > 0
    assert "degraded" in result["flags"]


def test_a_spent_budget_is_labelled_and_no_call_goes_beyond_it(tmp_path: Path) -> None:
    right = Scripted(7)
    result, rows, provider = lived(tmp_path, right.ask, **{"model.budget_requests": 2})

    assert provider.asked == 2
    assert any(row["data"]["label"] == "calls_spent" for row in rows if row["kind"] == "commit")
    assert not any(row["data"]["reason"] == "calls_spent" for row in rows if row["kind"] == "ruling")
    assert result["model"]["calls"] == 2
    assert "budget_spent" in result["flags"]


def test_a_quiet_day_costs_nothing() -> None:
    result = run_trial(declare("quiet_day", overrides=MODEL))

    assert result["model"]["calls"] == 0


def test_what_is_said_of_a_deed_is_no_deed(tmp_path: Path) -> None:
    def boast(part: Part, request: Request) -> Reply:
        reply = Scripted(1).ask(part, request)
        assert reply.raw is not None
        return Reply(reply.raw.replace(b"Hello.", b"I have watered the plant."), "", 1, 1) if request.type == "speak" else reply

    provider = Saying(boast)
    bragged = run_trial(a_declared(ENTER, say(90, "Hello."), overrides=MODEL), out=tmp_path / "a", provider=provider)
    plain = run_trial(a_declared(ENTER, say(90, "Hello."), overrides=MODEL), out=tmp_path / "b")
    with open_log(Path(bragged["log"])) as reader:
        assert any("I have watered" in str(row["data"]) for row in reader.records() if row["kind"] == "fact")
    assert bragged["digest"] == plain["digest"], "words change nothing but what was heard"


def test_a_visitor_s_silence_and_a_pause_issue_no_request(tmp_path: Path) -> None:
    result = run_trial(a_declared(ENTER, minutes=3, overrides={**MODEL, "model.types": ["choose"]}), out=tmp_path / "quiet")

    assert result["model"]["replies"] == result["model"]["calls"]


LONG = {"emergence": 24, "free_play": 3, "week": 24}  # hours
"""Cut short in every run of the tests; the campaign runs them whole."""


@pytest.mark.parametrize("name", shipped_protocols())
def test_every_request_of_a_shipped_protocol_answers_the_ten_questions(tmp_path: Path, name: str) -> None:
    answer_ten(tmp_path / name, name, {}, LONG.get(name, 1 << 20) * 36_000)


@pytest.mark.campaign
@pytest.mark.parametrize("name", sorted(LONG))
def test_every_request_of_a_long_protocol_answers_the_ten_questions(tmp_path: Path, name: str) -> None:
    answer_ten(tmp_path / name, name, {"model.budget_requests": 5000}, 1 << 40)


def answer_ten(log: Path, name: str, overrides: dict[str, Any], until_tick: int) -> None:
    ticks = [0]

    def see(tick: int, *_: Any) -> None:
        ticks[0] = tick

    result = run_trial(declare(name, overrides={**MODEL, **overrides}), out=log, progress=see, stop=lambda: ticks[0] >= until_tick)
    with open_log(Path(result["log"])) as reader:
        asked = {row["id"]: row["data"] for row in reader.records() if row["kind"] == "request"}

    for each in asked.values():
        assert list(each["questions"]) == [str(n) for n in range(1, 11)]
        assert all(each["questions"].values())
    assert asked or name in ("quiet_day", "free_play", "week"), "who lives alone is asked little"
    # As `why` prints them, in words: the last of each type.
    types = {each["type"]: request for request, each in asked.items()}
    for request in types.values():
        found = why(Path(result["log"]), id=request)["questions"]
        assert list(found) == [str(n) for n in range(1, 11)]
        assert all(found.values())
