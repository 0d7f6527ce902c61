"""What came back from the model: read strictly, or refused with a reason.

Theory of operation
===================
Bytes pass a row of gates, cheapest first, and stop at the first that is shut: size, UTF-8, depth, JSON
without doubles (one key twice, NaN, a number with a fraction), text that can be stored and shown, the form
of the decision type, the names of request and version, and last the references: every id must stand in the
request itself. Nothing is searched for, trimmed, completed or guessed: a second object in the bytes, a fence
or a greeting is a fault, and a fault may be mended once by asking again.

Reading (is it a form?) needs no mind; ruling (is it fresh, is it feasible?) is the business of agent/slot.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from agent.forms import (
    FORMS,
    HEAD,
    PLAIN_WORDS_MAX,
    Ref,
    Refs,
    Rows,
    Rule,
    Text,
    Whole,
    Word,
    allowed,
    form_of,
)
from agent.request import Request
from agent.strict_json import read

INDEPENDENT_MIN = 3
"""Independent experiences an ordinary reflection needs (spec 02, section 9)."""

MAJOR_CONFIDENCE_MAX = 40
"""Highest confidence of a hypothesis founded on one major event."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a reply is no answer. *code* is one of FAULTS; *detail* names a field, never repeats the reply."""

    code: str
    detail: str = ""

    def __post_init__(self) -> None:
        assert self.code in FAULTS


FAULTS: tuple[str, ...] = (
    "too_large", "empty", "not_utf8", "too_deep", "not_json", "duplicate_key", "not_an_integer", "bad_text",
    "not_an_object", "bad_form", "wrong_request", "wrong_version", "wrong_type", "unknown_reference",
    "outside_group", "not_independent", "contradicts_itself", "leaks_instructions",
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A readable answer to a live request. *fields* holds plain JSON values of the form; *choice* sums it up.

    *confidence* is 0..100, or None when none was asked for.
    """

    type: str
    choice: str
    fields: dict[str, Any] = field(default_factory=dict)
    because: str = ""
    confidence: int | None = None


def parse(raw: bytes, request: Request, *, secrets: tuple[str, ...] = ()) -> Parsed | Fault:
    """Return the answer in *raw* to *request*, or the first fault found.

    *secrets* are pieces of the instructions that no utterance may repeat; they are cut out of the explanation.
    """
    document = read(raw)
    if isinstance(document, str):
        return Fault(document)
    fault = check_head(document, request) or check_form(document, request) or check_sense(document, request)
    if fault is None and request.type == "speak":
        fault = check_secrets(document["text"], secrets)
    if fault is not None:
        return fault
    fields = {name: document[name] for name in FORMS[request.type] if name in document}
    because = without(document.get("because", ""), secrets)
    return Parsed(request.type, summary(request.type, fields), fields, because, document.get("confidence"))


def check_head(document: dict[str, Any], request: Request) -> Fault | None:
    """Check that the reply names this request, this version and this type."""
    wanted = {"request_id": (request.id, "wrong_request"), "version": (request.version, "wrong_version"),
              "type": (request.type, "wrong_type")}
    for name, (value, code) in wanted.items():
        if not isinstance(document.get(name), str):
            return Fault("bad_form", name)
        if document[name] != value:
            return Fault(code, name)
    return None


def check_form(document: dict[str, Any], request: Request) -> Fault | None:
    """Check that the fields are those of the form, no more and no fewer, each by its rule."""
    form = form_of(request)
    if any(name not in form and name not in HEAD for name in document):
        return Fault("bad_form", "a field that was not asked for")
    return check_fields(document, form, request)


def check_fields(document: dict[str, Any], form: dict[str, Rule], request: Request) -> Fault | None:
    """Check that each required field of *form* is there, and each field by its rule."""
    for name, rule in form.items():
        if name not in document:
            if rule.required:
                return Fault("bad_form", f"{name} is missing")
            continue
        fault = check_value(name, document[name], rule, request)
        if fault is not None:
            return fault
    return None


def check_value(name: str, value: Any, rule: Rule, request: Request) -> Fault | None:
    """Check one value by its rule."""
    if isinstance(rule, Whole):
        right = type(value) is int and rule.low <= value <= rule.high
        return None if right else Fault("bad_form", f"{name}: an integer from {rule.low} to {rule.high}")
    if isinstance(rule, Text):
        right = isinstance(value, str) and 0 < len(value) <= rule.most
        # An empty explanation is as good as none: it has no power.
        right = right or (name == "because" and value == "")
        return None if right else Fault("bad_form", f"{name} must be 1 to {rule.most} characters")
    if isinstance(rule, Word):
        return None if isinstance(value, str) and value in rule.words else Fault("bad_form", name)
    if isinstance(rule, Ref):
        return check_reference(name, value, rule.source, rule.also, request)
    if not isinstance(value, list) or not rule.least <= len(value) <= rule.most:
        return Fault("bad_form", f"{name} must be a list of {rule.least} to {rule.most}")
    return check_list(name, value, rule, request)


def check_list(name: str, value: list[Any], rule: Refs | Rows, request: Request) -> Fault | None:
    """Check each item of a list that has the right length."""
    if isinstance(rule, Refs):
        for item in value:
            fault = check_reference(name, item, rule.source, (), request)
            if fault is not None:
                return fault
        return None if len(set(value)) == len(value) else Fault("bad_form", f"{name} names one id twice")
    row_form: dict[str, Rule] = dict(rule.row)
    for item in value:
        if not isinstance(item, dict) or any(key not in row_form for key in item):
            return Fault("bad_form", f"{name} holds something else than its form")
        fault = check_fields(item, row_form, request)
        if fault is not None:
            return fault
    return None


def check_reference(
    name: str, value: Any, source: str, also: tuple[str, ...], request: Request,
) -> Fault | None:
    """Check that *value* is an id the request itself lists. Nothing is folded or trimmed before comparing."""
    if not isinstance(value, str):
        return Fault("bad_form", name)
    if value in allowed(source, request) or value in also:
        return None
    return Fault("outside_group" if source == "group" else "unknown_reference", name)


def check_sense(document: dict[str, Any], request: Request) -> Fault | None:
    """Check what one field means for another. *document* has passed its form."""
    check = SENSE.get(request.type)
    return None if check is None else check(document, request)


def intention_makes_sense(document: dict[str, Any], _request: Request) -> Fault | None:
    """Check that `with` is there for replace only, and names another intention."""
    if (document["action"] == "replace") != ("with" in document):
        return Fault("contradicts_itself", "with belongs to replace, and to nothing else")
    if document.get("with") == document["intention"]:
        return Fault("contradicts_itself", "with is the intention itself")
    return None


def words_make_sense(document: dict[str, Any], _request: Request) -> Fault | None:
    """Check that something is said, and briefly where no rule carries it."""
    if not document["text"].strip():
        return Fault("bad_form", "text is blank")
    if not document["rules"] and len(document["text"]) > PLAIN_WORDS_MAX:
        return Fault("contradicts_itself", f"without a setting rule at most {PLAIN_WORDS_MAX} characters")
    return None


def reflection_makes_sense(document: dict[str, Any], request: Request) -> Fault | None:
    """Retellings count once; a single major event may found a hypothesis of low confidence only."""
    support = document["support"]
    if any(item in document["against"] for item in support):
        return Fault("contradicts_itself", "one experience speaks for and against")
    origins = {request.origins.get(item, item) for item in support}
    if len(origins) >= INDEPENDENT_MIN:
        return None
    major = any(item in request.refs.get("major", ()) for item in support)
    if major and document["confidence"] <= MAJOR_CONFIDENCE_MAX:
        return None
    return Fault("not_independent", f"support needs {INDEPENDENT_MIN} independent experiences")


SENSE = {"intention": intention_makes_sense, "speak": words_make_sense, "reflect": reflection_makes_sense}


def check_secrets(text: str, secrets: tuple[str, ...]) -> Fault | None:
    """Check that an utterance doesn't recite the instructions."""
    return Fault("leaks_instructions", "text") if any(piece in text for piece in secrets if piece) else None


def without(text: str, secrets: tuple[str, ...]) -> str:
    """Return an explanation without pieces of the instructions: it is kept, and shown to the model again where doubt is remembered."""
    for piece in secrets:
        text = text.replace(piece, "[…]") if piece else text
    return text


def summary(decision: str, fields: dict[str, Any]) -> str:
    """Return the one id or word by which two answers of a type count as the same answer."""
    if decision == "plan":
        return " > ".join(f"{step['template']}:{step['object']}" for step in fields["steps"])
    if decision == "combine":
        proposal = fields["proposals"][0]
        return "+".join(proposal["skills"]) + "@" + "+".join(proposal["objects"])
    return str(fields[SUMMARY[decision]])


SUMMARY = {
    "choose": "choice", "intention": "action", "appraise": "event", "speak": "stance", "reflect": "influence",
}
