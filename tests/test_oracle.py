"""The oracle judges by what came of a thing in the room."""

from __future__ import annotations

from pathlib import Path

from tests.trials_cases import a_log, a_protocol, commit, felt, skill_ended, task
from trials.oracle import judged, quality, quality_of, verdicts

NONE = {
    "needs_ok": None, "commitments_kept": None, "requests_handled": None, "requests_carried_out": None, "injuries": 0,
    "needs_critical_max_min": None,
}  # fmt: skip


def test_a_choice_is_right_when_its_task_is_done() -> None:
    [verdict] = verdicts([commit(1, "rnd-1"), task(1, "com-1", "started"), task(9, "com-1", "done")])

    assert (verdict.correct, verdict.why, verdict.commitment) == (True, "done", "com-1")


def test_a_choice_is_wrong_when_the_room_did_not_give_it() -> None:
    [verdict] = verdicts(
        [commit(1, "rnd-1"), task(1, "com-1", "started"), task(9, "com-1", "failed", reason="jammed")]
    )

    assert (verdict.correct, verdict.why) == (False, "failed:jammed")


def test_reaching_the_end_at_the_price_of_harm_is_not_right() -> None:
    hurt = skill_ended(5, "cook", "burned")
    [burned] = verdicts([commit(1, "rnd-1"), task(1, "com-1", "started"), hurt, task(9, "com-1", "done")])
    low = felt(5, "bladder", "down", 150)
    [late] = verdicts([commit(1, "rnd-1"), task(1, "com-1", "started"), low, task(9, "com-1", "done")])

    assert (burned.correct, burned.why) == (False, "hurt:burned")
    assert (late.correct, late.why) == (False, "neglected:bladder")


def test_what_was_set_aside_or_never_ended_is_not_judged() -> None:
    rows = [commit(1, "rnd-1"), task(1, "com-1", "started")]

    for more in ([], [task(9, "com-1", "paused")], [task(9, "com-1", "replaced")]):
        [verdict] = verdicts([*rows, *more])
        assert verdict.correct is None


def test_a_stance_or_going_on_begins_nothing_and_is_not_judged() -> None:
    found = list(
        verdicts(
            [commit(1, "rnd-1", act="refuse"), commit(2, "rnd-2", act="continue"), task(9, "com-1", "done")]
        )
    )

    assert [each.correct for each in found] == [None, None]


def test_quality_is_the_mean_of_what_there_was_to_judge() -> None:
    alone = quality({**NONE, "needs_ok": 0.9, "commitments_kept": 0.8})
    hurt = quality({**NONE, "needs_ok": 1.0, "commitments_kept": 1.0, "injuries": 1})
    asked = quality({**NONE, "needs_ok": 1.0, "requests_handled": 1.0, "requests_carried_out": 0.5})

    assert alone["requests"] is None
    assert alone["quality"] == 0.9
    assert hurt["harm_avoided"] == 0.5
    assert asked["requests"] == 0.75


def test_a_real_log_can_be_judged_without_anything_else(tmp_path: Path) -> None:
    log = a_log(tmp_path / "a", a_protocol(tmp_path, duration="4h"))

    found = quality_of(log)
    counts = judged(log)

    assert found["quality"] is not None
    assert 0 < found["quality"] <= 1
    assert sum(each["right"] for each in counts.values()) > 0
