"""A request as words: chat messages for any endpoint, and short ones for the small embedded model.

Nothing else knows wording. The texts stand in agent/prompts/*.toml; whoever may read files hands them in as a
dict. A context is one JSON document, so a text that a person typed can't close a section or open one: it is a
JSON string, with the signs that look like markup or trick a screen written as escapes.

The parts of a context that the words for the embedded model are made of, all optional: identity.name,
state.summary, commitment.text, observations[].text with `speaker`, `words` or `source`, and candidates[].text.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from agent.forms import json_schema
from agent.reply import Parsed
from agent.request import CONTEXT_PARTS, EXPLICIT_ENDS, TYPES, Part, Request, ten_questions

Messages = list[dict[str, str]]

LANGUAGES: tuple[str, ...] = ("en", "zh")

SECRET_CHARS = {"en": 24, "zh": 10}
"""Characters from the head of a sentence of the instructions that no utterance may repeat."""

LOCAL_CHARS = {"en": 700, "zh": 140}
"""Characters of a prompt for the embedded model, meant to stay under 300 tokens in either language."""


class WordingError(ValueError):
    """A prompt file lacks something; the text names it."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The texts of one language. *digest* goes into the log header, so a prompt can be rebuilt exactly."""

    language: str
    version: int
    digest: str
    system: str
    types: dict[str, str]
    notes: dict[str, str]
    local: dict[str, str]
    plain: dict[str, str]
    questions: dict[str, str]


def wording(raw: dict[str, Any]) -> Wording:
    """Return the texts in *raw*, the content of one prompt file. Raises WordingError for what is missing."""
    wanted = {
        "types": TYPES, "notes": ("confidence", "repair", "reask", "sample"),
        "local": ("frame", "question", "answer", "speak", "heard", "stance"),
        "plain": (
            "accepted", "refused", "negotiating", "postponed", "ended", "considering", "greeting", "farewell", "acknowledged", "thanks",
        ),
        "questions": tuple(str(number) for number in range(1, 11)),
    }
    for table, keys in wanted.items():
        missing = [key for key in keys if not isinstance(raw.get(table, {}).get(key), str)]
        if missing:
            raise WordingError(f"[{table}] lacks {', '.join(missing)}")
    if raw.get("language") not in LANGUAGES or not isinstance(raw.get("version"), int):
        raise WordingError("language must be en or zh, version an integer")
    if not isinstance(raw.get("system"), str):
        raise WordingError("system is missing")
    digest = blake2b(json.dumps(raw, sort_keys=True).encode(), digest_size=8).hexdigest()
    tables = {table: {key: raw[table][key] for key in keys} for table, keys in wanted.items()}
    return Wording(raw["language"], raw["version"], digest, raw["system"].strip(), **tables)


def messages(request: Request, part: Part, words: Wording) -> Messages:
    """Return the chat messages of *part*: constant instructions first, then the document, then its note."""
    assert part.request_id == request.id
    instructions = f"{words.system}\n{words.types[request.type]}"
    if request.confidence:
        instructions += f"\n{words.notes['confidence']}"
    found = [{"role": "system", "content": instructions}, {"role": "user", "content": document(request)}]
    if part.kind != "ask":
        note = {key: value for key, value in part.note.items() if value}
        found.append({"role": "user", "content": f"{words.notes[part.kind]}\n{encode(note)}"})
    return found


def response_format(request: Request) -> dict[str, Any]:
    """Return the `response_format` of a chat completion for *request*."""
    return {
        "type": "json_schema",
        "json_schema": {"name": request.type, "strict": True, "schema": json_schema(request)},
    }


def document(request: Request) -> str:
    """Return the eight parts as one line of JSON, in their order. `json.loads` gives the same eight back."""
    context = dict(request.context)
    if request.type != "choose" and request.refs:
        context["contract"] = {**context["contract"], "ids": {k: list(v) for k, v in request.refs.items() if v}}
    return encode({name: context[name] for name in CONTEXT_PARTS})


def encode(value: Any) -> str:
    """Return *value* as JSON whose strings hold no sign that looks like markup, ends a line or can't be seen."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(ESCAPES)


def escape(code: int) -> str:
    """Return the JSON escape of a code point."""
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


# These signs stand only inside JSON strings, so escaping them changes no structure. A frozen table.
ESCAPES = {code: escape(code) for code in (
    *b"<>`", *range(0x7F, 0xA0), 0x61C, *range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070),
    *range(0xD800, 0xE000), 0xFEFF, *range(0xFFF9, 0x10000), *range(0xE0000, 0xE0080),
)}


def secrets(words: Wording) -> tuple[str, ...]:
    """Return the pieces of the instructions that an utterance must not repeat."""
    length = SECRET_CHARS[words.language]
    stop = ". " if words.language == "en" else "。"
    sentences = [piece.strip() for piece in words.system.split(stop)]
    return tuple(piece[:length] for piece in sentences if len(piece) >= length)


def plain_words(stance: str, words: Wording) -> str:
    """Return what is said for *stance* when no model words it; unknown stances think it over."""
    return words.plain.get(stance, words.plain["considering"])


def explain(request: Request, words: Wording) -> dict[str, str]:
    """Return the ten questions with their answers, keyed "1".."10", led by the question in words."""
    return {number: f"{words.questions[number]}: {text}" for number, text in ten_questions(request).items()}


def describe(answer: Parsed) -> str:
    """Return one line for a log reader."""
    sure = "" if answer.confidence is None else f" ({answer.confidence} %)"
    return f"{answer.type} -> {answer.choice}{sure}"


# -- short words for the embedded model ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Options:
    """What the embedded model scores: each text after *asked*, minus the same text after *bare*."""

    asked: str
    bare: str
    texts: dict[str, str]


def options(request: Request, words: Wording) -> Options:
    """Return the options of a `choose`: the candidates of the group, never the explicit ends."""
    assert request.type == "choose"
    name = name_of(request)
    lines = [words.local["frame"].format(name=name), *situation(request)]
    head = clip(" ".join(line for line in lines if line), words)
    asked = f"{head}\n{words.local['question'].format(name=name)}\n{words.local['answer']}"
    listed = {row["id"]: row for row in request.context["candidates"]}
    texts = {each: one_line(str(listed.get(each, {}).get("text") or each))[:80] for each in request.group}
    assert not any(each in texts for each in EXPLICIT_ENDS)
    return Options(asked, words.local["answer"], texts)


def utterance(request: Request, stance: str, words: Wording) -> Messages:
    """Return the short messages that ask the embedded model for one sentence. What was heard is a JSON string."""
    assert request.type == "speak"
    heard = [row["words"] for row in request.context["observations"] if row.get("words")]
    lines = [words.local["stance"].format(stance=stance)]
    if heard:
        lines.append(words.local["heard"].format(words=encode(one_line(str(heard[-1]))[:160])))
    system = words.local["speak"].format(name=name_of(request))
    return [{"role": "system", "content": system}, {"role": "user", "content": "\n".join(lines)}]


def name_of(request: Request) -> str:
    """Return the resident's name, or a neutral word."""
    default = {"en": "The resident", "zh": "居住者"}[request.language]
    return one_line(str(request.context["identity"].get("name") or default))[:40]


def situation(request: Request) -> list[str]:
    """Return what matters most, latest last: body, commitment, the last two observations."""
    context = request.context
    seen = [str(row.get("text") or row.get("words") or "") for row in context["observations"][-2:]]
    found = [str(context["state"].get("summary") or ""), str(context["commitment"].get("text") or ""), *seen]
    return [one_line(text)[:160] for text in found if text]


def clip(text: str, words: Wording) -> str:
    """Return the end of *text* that fits: the latest news stands last."""
    return text[-LOCAL_CHARS[words.language]:]


def one_line(text: str) -> str:
    """Return *text* without line breaks and without the signs of a chat template, so that it can't imitate a frame."""
    return " ".join(text.split()).translate(TAME)


TAME = {ord("<"): "‹", ord(">"): "›", **{code: None for code in ESCAPES if code not in (60, 62, 96)}}
