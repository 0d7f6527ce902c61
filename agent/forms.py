"""What each of the seven decision types may say: one table, read by the checker and by the prompt.

The JSON schema shown to the model is written from the same table, so what is asked for and what is checked
can't drift apart. All numbers are integers. An id is always one that the request itself lists.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agent.request import EXPLICIT_ENDS, TYPES, Request

BECAUSE_MAX = 600
"""Characters of an explanation. It is for people and changes nothing."""

WORDS_MAX = 240
"""Characters of an utterance."""

PLAIN_WORDS_MAX = 80
"""Characters of an utterance that no setting rule carries: neutral and brief (spec 03, section 2)."""

@dataclass(frozen=True, slots=True)
class Ref:
    """One id out of *source*: `group`, or a key of the request's refs. *also* are fixed words allowed too."""

    source: str
    also: tuple[str, ...] = ()
    required: bool = True


@dataclass(frozen=True, slots=True)
class Refs:
    """Between *least* and *most* different ids out of *source*."""

    source: str
    least: int
    most: int
    required: bool = True


@dataclass(frozen=True, slots=True)
class Whole:
    """An integer, ends included."""

    low: int
    high: int
    required: bool = True


@dataclass(frozen=True, slots=True)
class Text:
    """Between one and *most* characters that can be shown."""

    most: int
    required: bool = True


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a closed list."""

    words: tuple[str, ...]
    required: bool = True


@dataclass(frozen=True, slots=True)
class Rows:
    """Between *least* and *most* objects of one form."""

    row: tuple[tuple[str, Ref | Refs | Whole | Text | Word], ...]
    least: int
    most: int
    required: bool = True


Rule = Ref | Refs | Whole | Text | Word | Rows

FORMS: dict[str, dict[str, Rule]] = {
    "choose": {"choice": Ref("group", EXPLICIT_ENDS)},
    "intention": {
        "action": Word(("continue", "pause", "resume", "replace", "give_up")),
        "intention": Ref("intentions"),
        "with": Ref("replacements", required=False),
    },
    "plan": {"steps": Rows((("template", Ref("templates")), ("object", Ref("objects"))), 1, 5)},
    "appraise": {
        "event": Ref("events"),
        "goal_impact": Whole(-100, 100),
        "cause": Ref("causes"),
        "control": Whole(0, 100),
        "certainty": Whole(0, 100),
        "threat": Whole(0, 100),
    },
    "speak": {
        "stance": Ref("stances"),
        "text": Text(WORDS_MAX),
        "then": Word(("go_on", "end")),
        "rules": Refs("rules", 0, 4),
    },
    "reflect": {
        "hypothesis": Text(200),
        "support": Refs("experiences", 1, 12),
        "against": Refs("experiences", 1, 12),
        "confidence": Whole(0, 100),
        "influence": Ref("influences"),
    },
    "combine": {
        "proposals": Rows(
            (
                ("result", Text(120)),
                ("objects", Refs("objects", 1, 3)),
                ("skills", Refs("skills", 1, 5)),
                ("verify", Refs("conditions", 1, 4)),
            ), 1, 1,
        ),
    },
}
assert tuple(FORMS) == TYPES, "one form for each decision type"

HEAD: tuple[str, ...] = ("request_id", "version", "type")


def form_of(request: Request) -> dict[str, Rule]:
    """Return the fields asked for beside HEAD: those of the type, the explanation, perhaps a confidence."""
    form = dict(FORMS[request.type])
    if request.confidence:
        form["confidence"] = Whole(0, 100)
    form["because"] = Text(BECAUSE_MAX, required=False)
    return form


def allowed(source: str, request: Request) -> tuple[str, ...]:
    """Return the ids of one kind that a reply to *request* may name."""
    return request.group if source == "group" else request.refs.get(source, ())


def json_schema(request: Request) -> dict[str, Any]:
    """Return the JSON schema of a reply to *request*, with this request's ids as enums."""
    head: dict[str, Any] = {
        "request_id": {"type": "string", "enum": [request.id]},
        "version": {"type": "string", "enum": [request.version]},
        "type": {"type": "string", "enum": [request.type]},
    }
    form = form_of(request)
    # Strict endpoints want every property required; a reply without an explanation is accepted all the same.
    required = [*HEAD, *(name for name, rule in form.items() if rule.required or name == "because")]
    return {
        "type": "object", "additionalProperties": False, "required": required,
        "properties": head | {name: schema_of(rule, request) for name, rule in form.items()},
    }


def schema_of(rule: Rule, request: Request) -> dict[str, Any]:
    """Return the schema of one field."""
    if isinstance(rule, Whole):
        return {"type": "integer", "minimum": rule.low, "maximum": rule.high}
    if isinstance(rule, Text):
        return {"type": "string", "maxLength": rule.most}
    if isinstance(rule, Word):
        return {"type": "string", "enum": list(rule.words)}
    if isinstance(rule, Ref):
        return {"type": "string", "enum": [*allowed(rule.source, request), *rule.also]}
    bounds = {"type": "array", "minItems": rule.least, "maxItems": rule.most}
    if isinstance(rule, Refs):
        ids = allowed(rule.source, request)
        # An empty enum is no legal schema; an empty list is then the only answer.
        return {**bounds, "maxItems": rule.most if ids else 0,
                "items": {"type": "string", **({"enum": list(ids)} if ids else {})}}
    row = dict(rule.row)
    return {**bounds, "items": {
        "type": "object", "additionalProperties": False, "required": list(row),
        "properties": {name: schema_of(item, request) for name, item in row.items()},
    }}
