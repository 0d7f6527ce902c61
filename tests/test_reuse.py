"""A run on the replies of an earlier log is that run again, or is refused at the first question that differs."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.declare import declare
from sim.reuse import Reused, ReuseError
from sim.session import run_trial
from tests.makers import ENTER, a_declared, say

ASK = say(90, "Could you open the window?")


def test_the_same_declaration_on_old_replies_is_the_same_run_and_asks_nobody(tmp_path: Path) -> None:
    declared = declare("near_tie", seed=101, overrides={"model.provider": "scripted"})
    first = run_trial(declared, out=tmp_path / "first")
    reused = Reused.open(Path(first["log"]))
    again = run_trial(declared, out=tmp_path / "again", provider=reused, replies_of=reused.origin)

    assert again["digest"] == first["digest"]
    for what in ("decisions", "requests", "interventions", "rounds", "records"):
        assert again[what] == first[what]
    assert first["model"]["replies"] > 20


def test_another_visitor_is_refused_at_the_first_question_that_differs(tmp_path: Path) -> None:
    overrides = {"model.provider": "scripted"}
    first = run_trial(a_declared(ENTER, ASK, overrides=overrides), out=tmp_path / "first")
    other = a_declared(ENTER, say(90, "Could you open the window, please?"), overrides=overrides)
    reused = Reused.open(Path(first["log"]))

    with pytest.raises(ReuseError, match=r"^req-\d+: it differs from the log first.*words"):
        run_trial(other, provider=reused)


def test_a_question_that_was_never_asked_is_named(tmp_path: Path) -> None:
    first = run_trial(a_declared(ENTER, overrides={"model.provider": "scripted", "model.types": ["combine"]}), out=tmp_path / "first")

    with pytest.raises(ReuseError, match=r"req-1: it was never asked"):
        run_trial(a_declared(ENTER, ASK, overrides={"model.provider": "scripted"}), provider=Reused.open(Path(first["log"])))
