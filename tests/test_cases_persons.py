"""What broke elsewhere where a person takes part (reports R62-R77, C4): what must hold here instead.

Held by other tests already: the voice lifts one candidate (`test_persons`, R62), requests are refused, put off, negotiated (R66,
C4), favours asked of a person (`test_dialogue`, R69), the visitor's own predicates and view (`test_world_skills`, `test_frame`, R63),
idempotent acts (`test_kernel`, `test_window`, R64), safe stop (`test_cases_models`, R74), play sessions replay (`test_window`, R73).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from interventions.contract import Intervention
from logs.reader import open_log
from sim import kernel
from sim.live import Live
from sim.play_declare import declare_play
from sim.reel import Reel
from sim.replay import verify
from sim.session import run_trial
from tests.makers import ENTER, a_declared, a_state, live, say, whisper

REQUEST = "Could you open the window, please?"
NOVEL = "Please throw the novel away."
MODEL = {"model.provider": "scripted"}
LEAVE = {"id": "leave", "channel": "physical", "op": "leave"}


def asked(text: str, **rest: Any) -> dict[str, Any]:
    state = a_state(ENTER, say(90, text, id="ask"), **rest)
    live(state)
    return state.rows["int-ask"].data()


def test_every_channel_names_its_source_or_that_there_is_none_to_know() -> None:
    """R65: words come from someone in the room, a voice from nobody; the log knows the channel, the mind does not."""
    rows = live(a_state(ENTER, say(90, "Hello."), whisper(120, "Have a drink.", action="drink")))
    heard = next(row["data"] for row in rows if row["kind"] == "percept" and row["data"]["what"] == "speech")
    thought = next(row["data"] for row in rows if row["kind"] == "percept" and row["data"]["what"] == "voice")
    person = next(row["data"]["ordinal"] for row in rows if row["kind"] == "ordinal" and row["data"]["world"] == "visitor")

    assert heard["doer"] == person
    assert (thought["doer"], thought["of"]) == (-1, 0)
    assert not {"source", "channel", "id", "int"} & set(thought["content"])
    inputs = [row["data"] for row in rows if row["kind"] == "input"]
    assert {(each["channel"], each["source"]) for each in inputs} >= {("dialogue", "script"), ("inner_voice", "script")}


def test_one_asking_is_taken_by_one_and_refused_by_another() -> None:
    """R66, C4: nothing a person says is accepted by itself; a life's own rules stand in the way, with a reason."""
    told = {persona: asked(NOVEL, persona=persona) for persona in ("ada", "bruno", "kai", "lin")}

    assert told["ada"]["stance"] == "refused"
    assert told["ada"]["reason"].startswith("rule:")
    assert {row["stance"] for row in told.values()} == {"accepted", "refused"}
    assert all(row["receipt"] == "accepted" for row in told.values()), "the gate let each of them through"


@pytest.mark.parametrize("start", ["08:00", "13:00", "19:00", "23:30", "03:00"])
def test_a_request_gets_a_status_in_time_at_any_hour_though_the_model_never_answers(start: str) -> None:
    """R67: nobody waits on the model; whoever sleeps is woken by being spoken to, or the words were not perceived."""
    state = a_state(ENTER, say(120, REQUEST, id="ask"), start=start, overrides=MODEL)
    rows = live(state)
    told = state.rows["int-ask"]

    if told.perceived_tick < 0:
        assert told.outcome == "failed"
        return
    within = state.mind.ticks(state.mind.params.answer_within_ms)
    answered = next(row["tick"] for row in rows if row["kind"] == "matter" and row["data"]["stance"] != "considering")
    assert answered - told.perceived_tick <= within + 1


@pytest.mark.parametrize("gap", [1, 2, 5, 20])
def test_nobody_is_answered_who_has_left(gap: int) -> None:
    """R70: a reply for somebody who is gone is stale: it is neither said nor counted as said."""
    asks = [say(90, REQUEST, id="ask"), say(91, "How are you today?", id="how")]
    overrides = {**MODEL, "model.latency_ms": 8000, "model.deadline_ms": 15_000}
    result_rows = live(a_state(ENTER, *asks, LEAVE | {"at": 91 + gap}, overrides=overrides))
    left = next(row["tick"] for row in result_rows if row["kind"] == "fact" and row["data"]["fact"] == "left")

    spoken = [row for row in result_rows if row["kind"] == "fact" and row["data"]["fact"] == "speech"
              and row["data"]["doer"] == "resident" and row["tick"] > left]  # fmt: skip
    assert not spoken
    begun = [row for row in result_rows if row["kind"] == "skill" and row["data"]["skill"] == "speak" and row["tick"] > left]
    assert not begun


def test_silence_a_no_and_a_goodbye_are_told_apart() -> None:
    """R71: no answer, a refusal, words that ask nothing and an end each have a row of their own kind."""
    silent, refused, plain = asked("Hmm."), asked(NOVEL), asked("It is a fine day.")

    assert refused["stance"] == "refused"
    assert silent["stance"] == plain["stance"] == ""
    assert plain["perceived"]
    assert refused["outcome"] != "done"


def test_a_trial_in_which_the_visitor_says_nothing_ends_at_its_tick(tmp_path: Path) -> None:
    """R71: an idle person holds nobody up."""
    result = run_trial(a_declared(ENTER, minutes=10, overrides=MODEL), out=tmp_path / "idle")

    assert (result["status"], result["ticks"]) == ("done", 6000)


def test_a_pause_stops_the_world_and_not_whoever_looks(tmp_path: Path) -> None:
    """R76, R80: an hour at the window while paused changes no number of the body; earlier moments can be looked at."""
    run = Live(declare_play(None, seed=1), tmp_path / "play")
    try:
        run.pump(0.5, budget_s=1.0)
        run.act("physical", "enter")
        for _ in range(100):
            run.pump(0.1, budget_s=1.0)
        run.toggle_pause()
        run.pump(0.1, budget_s=1.0)
        assert run.paused
        tick, needs = run.tick, run.session.state.room.needs("resident", run.tick)
        for _ in range(3600):
            assert not run.pump(1.0)
        assert (run.tick, run.session.state.room.needs("resident", run.tick)) == (tick, needs)
        assert run.frame.bodies.keys() == {"resident", "visitor"}
        with open_log(tmp_path / "play.jsonl.part") as reader:
            assert "visitor" not in Reel(reader).at(0).bodies
        run.act("dialogue", "say", text="Hello.")
        run.toggle_pause()
        for _ in range(20):
            run.pump(0.1, budget_s=1.0)
        assert run.tick > tick
    finally:
        result = run.close()
    assert verify(Path(result["log"]))["ok"]
    assert [row["op"] for row in result["interventions"]].count("say") == 1


def test_words_that_could_not_be_said_are_told_as_failed_and_hold_nothing_up() -> None:
    """R77: an act that comes to nothing is closed with its reason, and the next one goes on."""
    state = a_state(ENTER, say(90, REQUEST, id="ask"))
    early = Intervention("int-early", "physical", 300, 1, "api", "take", object="mug")
    kernel.advance(state, [early], 300)
    live(state)

    assert (state.rows["int-early"].outcome, state.rows["int-early"].why) == ("failed", "not_here")
    assert state.rows["int-ask"].outcome == "done"
