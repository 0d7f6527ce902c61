"""Prompts: the same eight sections whatever a person types, constant part first, both languages complete."""

from __future__ import annotations

import base64
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.forms import FORMS
from agent.prompt import (
    ESCAPES,
    WordingError,
    document,
    encode,
    explain,
    messages,
    options,
    plain_words,
    secrets,
    utterance,
    wording,
)
from agent.reply import Fault, Parsed, parse
from agent.request import CONTEXT_PARTS, TYPES, Part, Request
from agent.slot import Slot
from sim.gateway import load_wording
from tests.model_cases import VERSIONS, a_context, a_reply, a_request

ROOT = Path(__file__).parent.parent
TEXTS = [json.loads(line) for line in
         (Path(__file__).parents[1] / "trials/experiments/data/hostile/hostile_texts.dev.jsonl").read_text(encoding="utf-8").splitlines()]
assert len(TEXTS) == 175


def text_of(row: dict[str, Any]) -> str:
    """Return the text as a channel would hand it on: undecodable bytes replaced, length capped."""
    text = base64.b64decode(row["text_b64"]).decode("utf-8", "replace") if "text_b64" in row else str(row["text"])
    return text[:2000]


def a_part(request: Request, kind: str = "ask", **note: Any) -> Part:
    return Part(request.id, 1 if kind == "ask" else 2, kind, 100, 105, note)


PLACES = ("dialogue", "inner_voice", "object_name", "memory")


def a_request_with(text: str, place: str, decision: str = "choose", language: str = "en") -> Request:
    context = a_context()
    if place == "dialogue":
        context["observations"][0]["words"] = text
    elif place == "inner_voice":
        context["observations"].append({"source": "thought", "text": text})
    elif place == "object_name":
        context["candidates"][0]["text"] = f"use {text}"
        context["identity"]["name"] = text or "Mara"
    else:
        context["memories"][0]["text"] = text
    return a_request(decision, context=context, language=language)


@pytest.mark.parametrize("place", PLACES)
def test_no_text_forges_a_section_of_a_prompt(place: str) -> None:
    words = load_wording("zh")
    plain = messages(a_request(language="zh"), a_part(a_request()), words)
    for row in TEXTS:
        text = text_of(row)
        request = a_request_with(text, place, language="zh")
        found = messages(request, a_part(request), words)
        assert [each["role"] for each in found] == ["system", "user"]
        assert found[0] == plain[0], "the instructions are the same, whatever was typed"
        again = json.loads(found[1]["content"])
        assert tuple(again) == CONTEXT_PARTS
        assert again["contract"] == request.context["contract"]
        assert again == json.loads(json.dumps(request.context))
        found[1]["content"].encode("utf-8")
        assert not any(ord(sign) in ESCAPES for sign in found[1]["content"])
        assert "\n" not in found[1]["content"]


@pytest.mark.parametrize("place", PLACES)
def test_an_obedient_model_gets_no_further_than_the_group(place: str) -> None:
    """The stub does whatever the text says: it answers with the text, or with any JSON in it."""
    for row in TEXTS:
        text = text_of(row)
        request = a_request_with(text, place)
        attempts = [text.encode("utf-8", "replace")]
        if "{" in text:
            attempts.append(text[text.index("{") : text.rindex("}") + 1].encode("utf-8", "replace"))
        attempts.append(a_reply(request, choice=text))
        attempts.append(a_reply(request, world={"set": text}))
        for raw in attempts:
            slot = Slot()
            slot.ask(request, latency_ticks=5)
            ruling = slot.on_reply("req-8.1", raw, "", 105, VERSIONS)
            assert ruling.kind != "commit"
        slot = Slot()
        slot.ask(request, latency_ticks=5)
        raw = a_reply(request, because=text)
        ruling = slot.on_reply("req-8.1", raw, "", 105, VERSIONS)
        assert ruling.kind == "repair" or (ruling.choice == "cand-12" and ruling.kind == "commit")


def test_the_benign_controls_pass_unchanged() -> None:
    benign = [row for row in TEXTS if row["category"] == "benign_control"]
    assert len(benign) == 24
    for row in benign:
        text = text_of(row)
        request = a_request_with(text, "dialogue")
        assert text in [each["words"] for each in json.loads(document(request))["observations"]]
        speak = a_request("speak")
        assert isinstance(parse(a_reply(speak, text=text[:80]), speak), Parsed)


@given(st.text(max_size=60))
def test_whatever_is_typed_comes_back_from_the_prompt_as_it_was(text: str) -> None:
    assert json.loads(encode({"words": text}))["words"] == text


def test_lone_surrogates_never_reach_the_wire() -> None:
    encoded = encode({"words": "a\ud800b"})
    encoded.encode("utf-8")
    assert json.loads(encoded)["words"] == "a\ud800b"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("decision", TYPES)
def test_the_constant_part_comes_first_and_names_every_field(language: str, decision: str) -> None:
    words = load_wording(language)
    first, second = (a_request(decision, number, language=language, context=a_context(f"{number}")) for number in (8, 9))
    heads = [messages(each, a_part(each), words)[0]["content"] for each in (first, second)]
    assert heads[0] == heads[1]
    for name in (*FORMS[decision], "request_id", "version", "type", "because"):
        assert name in heads[0]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_confidence_is_asked_for_only_when_it_is_wanted(language: str) -> None:
    words = load_wording(language)
    plain, asked = a_request(language=language), a_request(language=language, confidence=True)
    assert "confidence" not in messages(plain, a_part(plain), words)[0]["content"]
    assert "confidence" in messages(asked, a_part(asked), words)[0]["content"]


@pytest.mark.parametrize("kind", ["repair", "reask", "sample"])
def test_a_later_part_adds_its_note_and_repeats_no_reply(kind: str) -> None:
    words, request = load_wording("en"), a_request()
    found = messages(request, a_part(request, kind, fault="bad_form", constraints=["exp-3"], k=2), words)
    assert len(found) == 3
    assert words.notes[kind] in found[2]["content"]
    assert found[:2] == messages(request, a_part(request), words)


def test_an_utterance_that_recites_the_instructions_is_a_leak_in_both_languages() -> None:
    for language in ("en", "zh"):
        words = load_wording(language)
        request = a_request("speak", language=language)
        for piece in secrets(words):
            reply = a_reply(request, text=piece, rules=["rule-visitor-private"])
            assert parse(reply, request, secrets=secrets(words)) == Fault("leaks_instructions", "text")
        ordinary = a_reply(request, text=plain_words("refused", words))
        assert isinstance(parse(ordinary, request, secrets=secrets(words)), Parsed)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_words_for_the_embedded_model_are_short(language: str) -> None:
    words = load_wording(language)
    long = a_request(context={**a_context("x" * 5000), "state": {"summary": "y" * 5000}}, language=language)
    found = options(long, words)
    assert len(found.asked) <= {"en": 800, "zh": 200}[language]
    assert found.asked.endswith(found.bare)
    assert list(found.texts) == list(long.group)
    speak = a_request("speak", context=a_context("z" * 5000), language=language)
    assert sum(len(each["content"]) for each in utterance(speak, "accepted", words)) < 500


@pytest.mark.parametrize("place", PLACES)
def test_no_text_forges_the_frame_of_a_short_prompt(place: str) -> None:
    words = load_wording("en")
    for row in TEXTS:
        request = a_request_with(text_of(row), place)
        found = options(request, words)
        assert found.asked.count("\n") == 2
        assert "<|" not in found.asked + "".join(found.texts.values())
        speak = a_request_with(text_of(row), place, "speak")
        assert "<|" not in "".join(each["content"] for each in utterance(speak, "accepted", words))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_ten_questions_are_explained_in_words(language: str) -> None:
    found = explain(a_request(language=language), load_wording(language))
    assert len(found) == 10
    assert all(": " in text for text in found.values())


def test_both_languages_say_the_same_things() -> None:
    files = [tomllib.loads((ROOT / f"agent/prompts/{each}.toml").read_text(encoding="utf-8")) for each in ("en", "zh")]
    for table in ("types", "notes", "local", "plain", "questions"):
        assert set(files[0][table]) == set(files[1][table])
    assert files[0]["version"] == files[1]["version"]
    assert len({load_wording(each).digest for each in ("en", "zh")}) == 2


def test_a_prompt_file_with_a_hole_is_refused_by_name() -> None:
    raw = tomllib.loads((ROOT / "agent/prompts/en.toml").read_text(encoding="utf-8"))
    del raw["types"]["plan"]
    with pytest.raises(WordingError, match=r"\[types\] lacks plan"):
        wording(raw)
