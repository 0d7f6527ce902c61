"""Metrics say exactly what their definitions say, from the log alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import zstandard

from logs.reader import open_log
from tests.trials_cases import a_header, a_log, a_row, checkpoint, commit, end, felt, skill_ended, task
from trials.metrics import METRICS, measure_log, table
from trials.metrics_form import Family, Metric, Registry, Span

HOUR = 3600  # ticks of a second


def measured(*rows: dict[str, Any], **header: Any) -> Mapping[str, Any]:
    return METRICS.measure(a_header(**header), rows)


def test_every_metric_says_what_it_is_in_both_languages() -> None:
    found = table()

    assert len(found) >= 25
    for metric in found:
        assert all(metric.title), metric.name
        assert all(metric.definition), metric.name
        assert metric.unit, metric.name
        assert metric.window in ("run", "day", "end"), metric.name
        assert any("一" <= char <= "鿿" for char in metric.definition[1]), metric.name


def test_time_in_the_critical_band_is_exact_between_two_crossings() -> None:
    found = measured(
        checkpoint(0),
        felt(100, "bladder", "down", 150),
        felt(160, "bladder", "up", 700),
        checkpoint(1000),
        end(1000),
    )

    assert found["need_ok_bladder"] == 0.94
    assert found["need_critical_max_min_bladder"] == 1.0
    assert found["need_lowest_bladder"] == 150
    assert found["needs_ok"] == 0.94
    assert found["need_ok_energy"] == 1.0


def test_a_need_that_only_falls_to_300_is_not_critical() -> None:
    found = measured(checkpoint(0), felt(100, "bladder", "down", 300), end(1000))

    assert found["need_ok_bladder"] == 1.0


def test_a_critical_stretch_counts_from_the_start_and_to_the_end_of_the_run() -> None:
    begun = measured(checkpoint(0, energy=100), felt(250, "energy", "up", 150), end(1000))
    open_ended = measured(checkpoint(0), felt(750, "energy", "down", 150), end(1000))

    assert begun["need_ok_energy"] == open_ended["need_ok_energy"] == 0.75


def test_sleep_is_split_at_night_and_at_noon() -> None:
    asleep = a_row(14 * HOUR, "fact", fact="skill_started", doer="resident", skill="sleep", data={})
    found = measured(checkpoint(0), asleep, skill_ended(26 * HOUR, "sleep"), end(52 * HOUR))

    # From 22:00 to 10:00 the next day; the night is 21:00 to 09:00, the persona's own 22:00 to 07:00.
    assert found["sleep_h_per_day"] == round(12 * 24 / 52, 6)
    assert found["sleep_night_share"] == round(11 / 12, 6)
    assert found["sleep_own_night_share"] == 0.75
    assert found["sleep_h_day_min"] == 0.0 or found["sleep_h_day_max"] == 12.0


def test_a_run_shorter_than_a_day_has_no_daily_figures() -> None:
    found = measured(checkpoint(0), end(5 * HOUR))

    assert found["sleep_h_per_day"] is None
    assert found["meals_per_day"] is None
    assert found["meals_day_min"] is None


def test_a_meal_is_what_was_eaten_and_not_what_was_put_away() -> None:
    def eats(command: str, tick: int, task: str, result: str = "ok") -> list[dict[str, Any]]:
        data = {"result": result, "failure": ""}
        return [
            a_row(tick, "skill", command, (task,), skill="eat_meal"),
            a_row(tick + 9, "fact", f"evt-{tick}", (command,), fact="skill_ended", doer="resident", skill="eat_meal", data=data),
        ]

    found = measured(
        checkpoint(0),
        task(1, "com-1", "started", "cook_meal"), *eats("cmd-1", 2, "com-1"), task(20, "com-1", "given_up", "cook_meal"),
        task(30, "com-2", "started", "cook_meal"), *eats("cmd-2", 31, "com-2", "stopped"), task(50, "com-2", "done", "cook_meal"),
        task(60, "com-3", "started", "eat_snack"), *eats("cmd-3", 61, "com-3"), task(80, "com-3", "done", "eat_snack"),
        end(24 * HOUR),
    )  # fmt: skip

    assert found["meals_day_min"] == found["meals_day_max"] == 1


def test_commitments_kept_leaves_out_what_was_replaced() -> None:
    ends = ("done", "done", "done", "failed", "replaced", "started", "paused")
    found = measured(checkpoint(0), *(task(at, f"com-{at}", how) for at, how in enumerate(ends, 1)), end(100))

    assert found["commitments_ended"] == 4
    assert found["commitments_kept"] == 0.75
    assert found["commitments_replaced"] == 1


def test_a_success_or_another_method_between_breaks_a_run_of_failures() -> None:
    def learn(tick: int, method: str, row: int) -> dict[str, Any]:
        return a_row(tick, "learn", method, domain="skill", row=row, confidence=500)

    in_a_row = measured(checkpoint(0), learn(1, "a", 1), learn(2, "a", 2), learn(3, "a", 3), end(9))
    broken = measured(
        checkpoint(0), learn(1, "a", 1), learn(2, "b", 1), learn(3, "a", 2), learn(4, "b", 0), end(9)
    )

    assert in_a_row["same_method_failed_in_a_row_max"] == 3
    assert broken["same_method_failed_in_a_row_max"] == 1
    assert broken["method_failures_without_success_max"] == 2


def test_a_request_is_handled_when_its_stance_comes_in_time() -> None:
    def matter(tick: int, name: str, stance: str, **more: Any) -> dict[str, Any]:
        return a_row(tick, "matter", name, stance=stance, **more)

    found = measured(
        checkpoint(0),
        matter(100, "mat-1", "considering", mark="request"),
        matter(110, "mat-1", "accepted", waited=10),
        matter(200, "mat-2", "considering", mark="request"),
        matter(221, "mat-2", "refused", waited=21),
        matter(300, "mat-3", "considering", mark="suggestion"),
        matter(400, "mat-1", "accepted", outcome="done"),
        matter(995, "mat-4", "considering", mark="request"),
        end(1000),
    )

    assert found["requests_put"] == 3
    assert found["requests_handled"] == 0.5, "one in time, one a tick too late, one not due yet"
    assert found["requests_accepted"] == 0.5
    assert found["requests_carried_out"] == 1.0
    assert found["response_ms_max"] == 21_000


def test_feedback_that_claims_more_than_happened_is_not_honest() -> None:
    def row(tick: int, outcome: str) -> dict[str, Any]:
        data = {"perceived": False, "perceived_tick": -1, "tick": 1, "stance": "", "outcome": outcome}
        return a_row(tick, "feedback", "int-1", **data)

    given = a_row(1, "input", "int-1", channel="physical", op="open")
    failed = {**skill_ended(5, "open", "jammed", doer="visitor"), "causes": ["int-1"]}

    assert measured(checkpoint(0), given, failed, row(5, "failed"), end(9))["feedback_honest"] == 1.0
    assert measured(checkpoint(0), given, failed, row(5, "done"), end(9))["feedback_honest"] == 0.0


def test_a_denied_act_with_an_effect_is_counted() -> None:
    given = a_row(1, "input", "int-1", channel="physical", op="open")
    denied = a_row(1, "receipt", "int-1", status="denied", reason="closed")
    effect = {**skill_ended(5, "open", doer="visitor"), "causes": ["int-1"]}

    assert measured(checkpoint(0), given, denied, end(9))["denied_with_effect"] == 0
    assert measured(checkpoint(0), given, denied, effect, end(9))["denied_with_effect"] == 1


def test_a_commit_outside_the_group_is_counted_unless_it_bears_a_label() -> None:
    thought = a_row(1, "round", "rnd-1", group=["c1", "c2"], candidates=[], mood=[500, 300], felt=[800] * 9)

    assert measured(checkpoint(0), thought, commit(1, "rnd-1", "c2"), end(9))["commits_outside_group"] == 0
    assert measured(checkpoint(0), thought, commit(1, "rnd-1", "c3"), end(9))["commits_outside_group"] == 1
    assert (
        measured(checkpoint(0), thought, commit(1, "rnd-1", "wait", label="wait"), end(9))[
            "commits_outside_group"
        ]
        == 0
    )


def test_a_confidence_is_never_imputed() -> None:
    def reply(tick: int, raw: str | None) -> dict[str, Any]:
        data = {"raw": raw, "failure": "", "tokens_in": 1, "tokens_out": 1, "model": "", "wall_capped": False}
        return a_row(tick, "reply", f"req-{tick}", **data)

    raws = [
        '{"confidence": 80}',
        '{"confidence": true}',
        '{"confidence": 101}',
        '{"x": 1}',
        "confidence",
        None,
    ]
    found = measured(checkpoint(0), *(reply(at, raw) for at, raw in enumerate(raws, 1)), end(9))

    assert found["confidence_answers"] == 1
    assert found["confidence_mean"] == 80


def test_new_metrics_come_by_registration_and_names_are_taken_once() -> None:
    class Rounds:
        kinds = ("round",)

        def __init__(self, _: Mapping[str, Any]) -> None:
            self.count = 0

        def take(self, _: Mapping[str, Any]) -> None:
            self.count += 1

        def values(self, _: Span) -> dict[str, int | float | None]:
            return {"my_rounds": self.count}

    mine = Metric("my_rounds", "count", ("Rounds", "轮次"), ("Round records.", "轮次记录。"))
    registry = Registry([Family(Rounds, (mine,))])

    assert registry.measure(a_header(), [a_row(1, "round", "rnd-1"), a_row(2, "task")]) == {"my_rounds": 1}
    with pytest.raises(ValueError, match="registered already"):
        registry.register(Rounds, (mine,))
    with pytest.raises(ValueError, match="no metric 'nonsense'"):
        registry.measure(a_header(), [], ["nonsense"])


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return a_log(tmp_path_factory.mktemp("visit") / "visit", "first_visit", model="scripted")


def test_an_independent_count_of_the_stored_lines_agrees_to_the_last_digit(visit: Path) -> None:
    found = measure_log(visit)

    with zstandard.ZstdDecompressor().stream_reader(visit.read_bytes(), read_across_frames=True) as stream:
        header, *rows = map(json.loads, stream.read().splitlines())
    ends = [row["data"]["state"] for row in rows if row["kind"] == "task"]
    judged = [how for how in ends if how in ("done", "failed", "given_up", "cancelled")]
    by = [row["data"]["decided_by"] for row in rows if row["kind"] == "commit"]
    rounds = [row["data"] for row in rows if row["kind"] == "round"]
    hours = rows[-1]["tick"] * header["tick_ms"] / 3_600_000

    assert found["commitments_kept"] == round(judged.count("done") / len(judged), 6)
    assert found["decisions_sys2"] == by.count("sys2")
    assert found["decisions"] == len(by)
    assert found["rounds_per_hour"] == round(len(rounds) / hours, 6)
    assert found["near_tie_share"] == round(sum(len(each["group"]) > 1 for each in rounds) / len(rounds), 6)
    assert found["mood_pleasure"] == round(sum(each["mood"][0] for each in rounds) / len(rounds), 6)
    assert found["model_requests"] == sum(row["kind"] == "request" for row in rows)


def test_what_the_session_counted_and_what_the_log_says_are_the_same(visit: Path) -> None:
    with open_log(visit) as reader:
        last = reader.tail(1)[0]["data"]
    found = measure_log(visit)

    assert found["decisions_sys2"] == last["counts"].get("decided_sys2", 0)
    assert found["model_committed"] == last["requests"]["committed"]
    assert found["model_tokens"] == last["tokens"]
    assert found["model_calls"] == last["calls"]


def test_a_visit_is_told_honestly(visit: Path) -> None:
    found = measure_log(visit)

    assert found["feedback_honest"] == 1.0
    assert found["denied_with_effect"] == 0
    assert found["commits_outside_group"] == 0
    assert found["dialogue_inputs"] > 0
    assert found["requests_handled"] == 1.0


def test_one_metric_alone_has_the_value_it_has_among_all(visit: Path) -> None:
    everything = measure_log(visit)

    for name in ("needs_ok", "requests_handled", "gap_median", "model_tokens"):
        assert measure_log(visit, [name]) == {name: everything[name]}
