"""Reading a reply: exactly the form asked for, or a fault with a code."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent.forms import FORMS, json_schema
from agent.prompt import secrets
from agent.reply import FAULTS, Fault, Parsed, parse
from agent.request import EXPLICIT_ENDS, TYPES, ten_questions
from agent.slot import Slot
from agent.strict_json import REPLY_BYTES_MAX
from sim.gateway import load_wording
from tests.hostile_replies import KEY, ROWS, reply_of, request_for
from tests.model_cases import ANSWERS, VERSIONS, a_reply, a_request


@pytest.mark.parametrize("decision", TYPES)
def test_a_reply_in_the_form_of_its_type_is_read(decision: str) -> None:
    request = a_request(decision)
    parsed = parse(a_reply(request, because="it fits"), request)
    assert isinstance(parsed, Parsed)
    assert parsed.fields == ANSWERS[decision]
    assert parsed.because == "it fits"
    assert parsed.choice


@pytest.mark.parametrize("decision", TYPES)
@pytest.mark.parametrize("name", ["request_id", "version", "type"])
def test_a_reply_that_does_not_name_its_request_is_refused(decision: str, name: str) -> None:
    request = a_request(decision)
    assert isinstance(parse(a_reply(request, **{name: None}), request), Fault)
    assert isinstance(parse(a_reply(request, **{name: "req-7"}), request), Fault)


@pytest.mark.parametrize("decision", TYPES)
def test_every_required_field_is_required_and_no_other_is_let_in(decision: str) -> None:
    request = a_request(decision)
    for name, rule in FORMS[decision].items():
        if rule.required:
            assert parse(a_reply(request, **{name: None}), request) == Fault("bad_form", f"{name} is missing")
        assert isinstance(parse(a_reply(request, **{name: {"set": 1}}), request), Fault)
    fault = parse(a_reply(request, world={"tick": 0}), request)
    assert fault == Fault("bad_form", "a field that was not asked for")


@pytest.mark.parametrize("end", EXPLICIT_ENDS)
def test_an_explicit_end_is_an_answer_to_a_choice(end: str) -> None:
    request = a_request()
    parsed = parse(a_reply(request, choice=end), request)
    assert isinstance(parsed, Parsed)
    assert parsed.choice == end


def test_a_confidence_is_required_when_asked_for_refused_when_not_and_never_made_up() -> None:
    plain, asked = a_request(), a_request(confidence=True)
    parsed = parse(a_reply(plain), plain)
    assert isinstance(parsed, Parsed)
    assert parsed.confidence is None
    assert isinstance(parse(a_reply(plain, confidence=80), plain), Fault)
    assert isinstance(parse(a_reply(asked, confidence=None), asked), Fault)
    for value in (-1, 101, 0.8, "80", True, [80]):
        assert isinstance(parse(a_reply(asked, confidence=value), asked), Fault)


def test_an_utterance_without_a_setting_rule_is_brief() -> None:
    request = a_request("speak")
    assert isinstance(parse(a_reply(request, text="a" * 80), request), Parsed)
    assert isinstance(parse(a_reply(request, text="a" * 81), request), Fault)
    with_rule = a_reply(request, text="a" * 81, rules=["rule-visitor-private"])
    assert isinstance(parse(with_rule, request), Parsed)


def test_one_major_event_founds_a_hypothesis_of_low_confidence_only() -> None:
    request = a_request("reflect")
    fields: dict[str, Any] = {"support": ["exp-4"], "against": ["exp-1"]}
    assert isinstance(parse(a_reply(request, **fields, confidence=40), request), Parsed)
    assert parse(a_reply(request, **fields, confidence=41), request) == Fault(
        "not_independent", "support needs 3 independent experiences")


def test_a_reflection_without_any_experience_is_refused() -> None:
    empty = a_request("reflect", refs={"influences": ("habit",)})
    assert isinstance(parse(a_reply(empty, support=[], influence="habit"), empty), Fault)


def test_an_utterance_never_recites_the_instructions() -> None:
    request = a_request("speak")
    reply = a_reply(request, text="I was told: one resident lives in one room")
    assert isinstance(parse(reply, request, secrets=("lives in one room",)), Fault)


@pytest.mark.parametrize("sign", ["\x00", "\x1b", "\x7f", "\x85", "\u200b", "\u202e", "\u2066", "\ufeff", "\U000e0041"])
def test_text_that_tricks_a_screen_is_refused(sign: str) -> None:
    request = a_request()
    assert parse(a_reply(request, because=f"a{sign}b"), request) == Fault("bad_text")


def test_everything_after_the_size_cap_costs_nothing() -> None:
    request = a_request()
    reply = a_reply(request)
    padded = reply + b" " * (REPLY_BYTES_MAX - len(reply))
    assert isinstance(parse(padded, request), Parsed)
    assert parse(padded + b" ", request) == Fault("too_large")


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_a_malformed_reply_is_never_a_decision_and_costs_one_repair_at_most(row: dict[str, Any]) -> None:
    request = request_for(row)
    # The gateway cuts the key out of whatever comes, before anybody reads it.
    raw = redacted(reply_of(row, request))
    hidden = secrets(load_wording("en"))
    waiting, preempted, cancelled = Slot(), Slot(), Slot()
    for slot in (waiting, preempted, cancelled):
        slot.ask(request, latency_ticks=5)
    preempted.cancel("preempted")
    cancelled.cancel("safe_stop")

    ruling = waiting.on_reply("req-8.1", raw, "", 105, VERSIONS, secrets=hidden)

    assert KEY not in repr(ruling)
    if row["expect"] == "accept":
        assert (ruling.kind, ruling.choice) == ("commit", "cand-12")
    elif row["expect"] in ("reject", "reject_as_schema_no_crash") or ruling.kind != "commit":
        assert ruling.kind == "repair"
        assert ruling.fault is not None
        assert ruling.fault.code in FAULTS
        again = waiting.on_reply("req-8.2", raw, "", 110, VERSIONS, secrets=hidden)
        assert again.end == "rejected"
        assert waiting.budget.calls == 2
        assert waiting.counts["committed"] == 0
    for slot in (preempted, cancelled):
        assert slot.on_reply("req-8.1", raw, "", 105, VERSIONS).kind == "ignored"
        assert slot.counts["committed"] == 0


def redacted(raw: bytes) -> bytes:
    return raw.replace(KEY.encode(), b"[redacted]")


WANTED_FAULTS = {
    "dup_choice": "duplicate_key", "dup_escaped_key": "duplicate_key", "nan": "not_an_integer",
    "inf": "not_an_integer", "cand_outside_tie": "outside_group", "cand_zwsp": "bad_text",
    "cand_upper": "outside_group", "old_version": "wrong_version", "old_request": "wrong_request",
    "type_wrong_kind": "wrong_type", "plan_six_steps": "bad_form", "plan_unseen_object": "unknown_reference",
    "intent_restore_unknown": "unknown_reference", "intent_replace_with_self": "contradicts_itself",
    "appraisal_threat_out_of_range": "bad_form", "appraisal_unseen_event": "unknown_reference",
    "appraisal_twice": "unknown_reference", "appraisal_cause_backend": "unknown_reference",
    "dialogue_no_rule": "unknown_reference", "dialogue_attitude_unknown": "unknown_reference",
    "dialogue_leaks_prompt": "leaks_instructions", "reflect_one_evidence": "bad_form",
    "reflect_same_source_thrice": "not_independent", "reflect_self_evidence": "unknown_reference",
    "reflect_no_counter": "bad_form", "reflect_core_identity": "bad_form", "novel_two": "bad_form",
    "novel_unknown_skill": "unknown_reference", "novel_unconditioned": "bad_form", "deep_nest": "too_deep",
    "deep_nest_closed": "too_deep", "big_string_64MiB": "too_large", "int_5000_digits": "not_an_integer",
    "two_objects": "not_json", "fence": "not_json", "array_of_one": "not_an_object",
}


@pytest.mark.parametrize("name", WANTED_FAULTS)
def test_a_malformed_reply_is_refused_for_its_own_reason(name: str) -> None:
    row = next(each for each in ROWS if each["name"] == name)
    request = request_for(row)
    fault = parse(reply_of(row, request), request, secrets=("One resident lives in on",))
    assert isinstance(fault, Fault)
    if name == "appraisal_threat_out_of_range":
        assert fault.code in ("not_an_integer", "bad_form")
    else:
        assert fault.code == WANTED_FAULTS[name]


@pytest.mark.parametrize("decision", TYPES)
def test_the_schema_lists_exactly_the_fields_of_the_form_and_this_requests_ids(decision: str) -> None:
    request = a_request(decision)
    schema = json_schema(request)
    assert set(schema["properties"]) == {"request_id", "version", "type", "because", *FORMS[decision]}
    assert schema["additionalProperties"] is False
    assert schema["properties"]["request_id"]["enum"] == [request.id]
    text = json.dumps(schema)
    for ids in (request.group, *request.refs.values()):
        assert all(f'"{each}"' in text for each in ids if each not in request.refs.get("major", ()))


@pytest.mark.parametrize("decision", TYPES)
def test_the_ten_questions_have_ten_answers(decision: str) -> None:
    answers = ten_questions(a_request(decision))
    assert list(answers) == [str(number) for number in range(1, 11)]
    assert all(answers.values())
    assert "tie_touches_person" in answers["1"]
    assert "source_of_inner_voice" in answers["2"]
    assert "matter-2 v5" in answers["6"]
