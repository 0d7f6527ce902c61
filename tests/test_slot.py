"""The slot: asked once, committed at most once, never late."""

from __future__ import annotations

import pytest

from agent.reply import Parsed
from agent.ruling import Progress, Verdict, tally
from agent.slot import ENDS, NEXT, Slot
from tests.model_cases import VERSIONS, a_reply, a_request


def asked(**changes: object) -> tuple[Slot, object]:
    slot = Slot()
    request = a_request(**changes)  # type: ignore[arg-type]
    slot.ask(request, latency_ticks=5)
    return slot, request


def test_a_readable_reply_in_time_commits() -> None:
    slot, request = asked()

    ruling = slot.on_reply("req-8.1", a_reply(request), "", 105, VERSIONS)

    assert (ruling.kind, ruling.choice, ruling.end) == ("commit", "cand-12", "committed")
    assert not slot.busy


def test_lockstep_parts_follow_each_other_at_the_due_tick() -> None:
    slot, request = asked()

    repair = slot.on_reply("req-8.1", b"no", "", 105, VERSIONS)
    assert repair.kind == "repair"
    assert repair.part is not None
    assert (repair.part.issue_tick, repair.part.due_tick, repair.part.number) == (105, 110, 2)

    assert slot.on_reply("req-8.2", a_reply(request), "", 110, VERSIONS).kind == "commit"


def test_a_second_unreadable_reply_ends_it_with_exactly_one_repair() -> None:
    slot, _ = asked()
    slot.on_reply("req-8.1", b"", "", 105, VERSIONS)

    ruling = slot.on_reply("req-8.2", b"", "", 110, VERSIONS)

    assert (ruling.kind, ruling.end, ruling.reason) == ("end", "rejected", "empty")
    assert slot.budget.calls == 2


def test_no_part_is_issued_that_would_fall_due_after_the_deadline() -> None:
    slot = Slot()
    slot.ask(a_request(deadline_tick=108), latency_ticks=5)

    ruling = slot.on_reply("req-8.1", b"", "", 105, VERSIONS)

    assert (ruling.kind, ruling.end) == ("end", "rejected")
    assert slot.budget.calls == 1


def test_a_question_whose_answer_would_be_late_is_not_asked() -> None:
    slot = Slot()
    ruling = slot.ask(a_request(deadline_tick=103), latency_ticks=5)
    assert (ruling.kind, ruling.end, ruling.reason) == ("end", "fallback", "no_time")
    assert slot.budget.calls == 0


@pytest.mark.parametrize("failure", ["timeout", "connection", "server_error"])
def test_a_transport_failure_is_a_fallback_and_asks_nothing_more(failure: str) -> None:
    slot, _ = asked()
    ruling = slot.on_reply("req-8.1", None, failure, 105, VERSIONS)
    assert (ruling.kind, ruling.end, ruling.reason) == ("end", "fallback", failure)


def test_the_second_delivery_of_a_reply_is_a_duplicate() -> None:
    slot, request = asked()
    slot.on_reply("req-8.1", a_reply(request), "", 105, VERSIONS)

    ruling = slot.on_reply("req-8.1", a_reply(request), "", 105, VERSIONS)

    assert (ruling.kind, ruling.reason) == ("ignored", "duplicate")
    assert slot.counts["committed"] == 1


def test_a_reply_after_the_deadline_changes_nothing() -> None:
    slot, request = asked()
    expired = slot.on_tick(200)
    assert expired is not None
    assert expired.end == "expired"

    late = slot.on_reply("req-8.1", a_reply(request), "", 205, VERSIONS)

    assert (late.kind, late.reason) == ("ignored", "late")


def test_a_reply_to_a_question_never_asked_is_foreign() -> None:
    slot, request = asked()
    assert slot.on_reply("req-77.1", a_reply(request), "", 105, VERSIONS).reason == "foreign"
    assert slot.on_reply("../req-8", a_reply(request), "", 105, VERSIONS).reason == "foreign"
    assert slot.busy


def test_only_a_change_of_what_it_rests_on_makes_it_stale() -> None:
    slot, request = asked()
    unrelated = {**VERSIONS, ("belief", 99): 7}
    assert slot.on_tick(103, unrelated) is None
    related = {**VERSIONS, ("matter", 2): 6}

    ruling = slot.on_reply("req-8.1", a_reply(request), "", 105, related)

    assert (ruling.kind, ruling.end) == ("end", "stale")


@pytest.mark.parametrize("reason", ["safe_stop", "reset", "preempted", "restored"])
def test_a_cancelled_request_never_commits(reason: str) -> None:
    slot, request = asked()
    ruling = slot.cancel(reason)
    assert ruling is not None
    assert (ruling.end, ruling.reason) == ("cancelled", reason)
    assert slot.on_reply("req-8.1", a_reply(request), "", 105, VERSIONS).reason == "late"


def test_a_choice_that_became_infeasible_is_rejected() -> None:
    slot, request = asked()
    ruling = slot.on_reply("req-8.1", a_reply(request), "", 105, VERSIONS, feasible={"cand-12": "held_by_visitor"})
    assert (ruling.end, ruling.reason) == ("rejected", "infeasible:held_by_visitor")


def test_the_reviewer_may_ask_again_once() -> None:
    slot, request = asked()

    def review(_answer: Parsed, _progress: Progress) -> Verdict:
        return Verdict("reask", "belief_conflict", constraints=("exp-3",))

    again = slot.on_reply("req-8.1", a_reply(request), "", 105, VERSIONS, review=review)
    assert again.kind == "reask"
    assert again.part is not None
    assert again.part.note["constraints"] == ["exp-3"]

    ruling = slot.on_reply("req-8.2", a_reply(request), "", 110, VERSIONS, review=review)
    assert (ruling.end, ruling.reason) == ("rejected", "belief_conflict")


def test_an_answer_that_stands_survives_a_failed_reask() -> None:
    slot, request = asked()

    def review(_answer: Parsed, progress: Progress) -> Verdict:
        return Verdict() if progress.reasked else Verdict("reask", "feeling", stands=True)

    slot.on_reply("req-8.1", a_reply(request), "", 105, VERSIONS, review=review)
    ruling = slot.on_reply("req-8.2", None, "timeout", 110, VERSIONS, review=review)

    assert (ruling.kind, ruling.choice) == ("commit", "cand-12")


def test_reflection_takes_the_choice_with_most_confidence() -> None:
    slot, request = asked(confidence=True)
    seen: list[Progress] = []

    def review(answer: Parsed, progress: Progress) -> Verdict:
        seen.append(progress)
        assert answer.confidence is not None
        return Verdict() if answer.confidence >= 80 else Verdict("sample", "low_confidence", samples=3)

    slot.on_reply("req-8.1", a_reply(request, confidence=30), "", 105, VERSIONS, review=review)
    for number, (choice, sure) in enumerate([("cand-12", 40), ("cand-13", 85), ("cand-13", 95)], start=2):
        ruling = slot.on_reply(f"req-8.{number}", a_reply(request, choice=choice, confidence=sure), "",
                               100 + 5 * number, VERSIONS, review=review)

    assert (ruling.kind, ruling.choice) == ("commit", "cand-13")
    assert (seen[-1].score, seen[-1].mean_confidence, seen[-1].samples) == (60, 90, 3)


def test_a_tie_between_samples_falls_to_the_earlier_one() -> None:
    first, second = Parsed("choose", "cand-2", confidence=50), Parsed("choose", "cand-1", confidence=50)
    winner = tally((first, second), 3)
    assert winner is not None
    assert winner[0].choice == "cand-2"
    assert tally((), 3) is None


def test_three_failing_calls_open_the_breaker_and_a_probe_closes_it() -> None:
    slot = Slot()
    for number in (1, 2, 3):
        slot.ask(a_request(number=number), latency_ticks=5)
        slot.on_reply(f"req-{number}.1", None, "connection", 105, VERSIONS)
    barred = slot.ask(a_request(number=4), latency_ticks=5)
    assert (barred.end, barred.reason) == ("fallback", "breaker_open")
    assert slot.budget.calls == 3

    probe = slot.breaker.probe_tick
    request = a_request(number=5, tick=probe, deadline_tick=probe + 50)
    assert slot.ask(request, latency_ticks=5).kind == "ask"
    assert slot.on_reply("req-5.1", a_reply(request), "", probe + 5, VERSIONS).kind == "commit"
    assert not slot.degraded


def test_a_spent_budget_is_a_labelled_fallback() -> None:
    slot = Slot()
    slot.budget.calls_max = 1
    first = a_request(number=1)
    slot.ask(first, latency_ticks=5)
    slot.on_reply("req-1.1", a_reply(first), "", 105, VERSIONS, tokens=90)
    assert slot.ask(a_request(number=2), latency_ticks=5).reason == "calls_spent"

    slot.budget.calls_max, slot.budget.tokens_max = 0, 90
    assert slot.ask(a_request(number=3), latency_ticks=5).reason == "tokens_spent"


def test_the_table_closes_every_end_and_leaves_no_phase_without_a_way_out() -> None:
    phases = {phase for phase, _ in NEXT} | set(NEXT.values())
    assert phases == {"idle", "issued", "answered", "repairing", "sampling", *ENDS}
    assert all(any(source == phase for source, _ in NEXT) for phase in phases)
    assert [signal for phase, signal in NEXT if NEXT[phase, signal] == "committed"] == ["go"]
