"""Closed forms for what people declare: strict, every key known, every fault with a place and a mend.

A form is a description in pydantic's own core schema, checked by pydantic-core; the model layer above it is left
out because a declaration stays a plain table, and because it would cost a third of the time to the first tick.
Strict means: no text for a number, no number for a flag, no float for a whole number, no key that is not named.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_core import CoreConfig, SchemaValidator, ValidationError, core_schema

from protocols.faults import Fault, ProtocolError, nearest, shown
from protocols.toml_lines import Lines, Path, line_of

Schema = core_schema.CoreSchema
ID = r"^[a-z][a-z0-9_]{0,63}$"
TEXT_MAX = 2000
_QUOTED = re.compile(r"'([^']*)'")

REQUIRED: Any = object()
"""The default of a key that has none."""


@dataclass(frozen=True)
class Form:
    """One value: its schema, its default, and what lies inside it for naming unknown keys."""

    schema: Schema
    default: Any = REQUIRED
    keys: Mapping[str, "Form"] | None = None
    item: "Form | None" = None

    def checker(self) -> SchemaValidator:
        """Return the compiled form."""
        return SchemaValidator(self.schema, CoreConfig(strict=True, hide_input_in_errors=True, allow_inf_nan=False))


def text(default: Any = REQUIRED, *, longest: int = TEXT_MAX, shape: str | None = None) -> Form:
    """Return the form of a text, of a regular *shape* if one is given."""
    return Form(core_schema.str_schema(strict=True, max_length=longest, pattern=shape), default)


def name(default: Any = REQUIRED) -> Form:
    """Return the form of an id; where "" is the default, it may also be written."""
    return text(default, longest=64, shape=f"^$|{ID}" if default == "" else ID)


def whole(low: int, high: int, default: Any = REQUIRED) -> Form:
    """Return the form of a whole number from *low* to *high*."""
    return Form(core_schema.int_schema(strict=True, ge=low, le=high), default)


def number(low: int, high: int, default: Any = REQUIRED) -> Form:
    """Return the form of a whole or broken number from *low* to *high*."""
    choices: list[Schema | tuple[Schema, str]] = [
        core_schema.int_schema(strict=True, ge=low, le=high),
        core_schema.float_schema(strict=True, ge=low, le=high, allow_inf_nan=False),
    ]
    return Form(core_schema.union_schema(choices, mode="left_to_right"), default)


def flag(default: Any = REQUIRED) -> Form:
    """Return the form of true or false."""
    return Form(core_schema.bool_schema(strict=True), default)


def one_of(*words: str, default: Any = REQUIRED) -> Form:
    """Return the form of one word out of *words*."""
    return Form(core_schema.literal_schema(list(words)), default)


def measured(reader: Callable[[str], Any], default: Any = REQUIRED) -> Form:
    """Return the form of a text that *reader* turns into a number; it raises ValueError with the mend."""
    written = core_schema.str_schema(strict=True, max_length=64)
    return Form(core_schema.no_info_after_validator_function(reader, written), default)


def rows(item: Form, longest: int, default: Any = REQUIRED, *, shortest: int = 0) -> Form:
    """Return the form of a list of *item*."""
    schema = core_schema.list_schema(item.schema, strict=True, min_length=shortest, max_length=longest)
    return Form(schema, default, item=item)


def table(default: Any = REQUIRED, **keys: Form) -> Form:
    """Return the form of a table with exactly *keys*; those with a default may be left out."""
    fields = {
        key: core_schema.typed_dict_field(
            form.schema if form.default is REQUIRED else _with_default(form), required=form.default is REQUIRED
        )
        for key, form in keys.items()
    }
    schema = core_schema.typed_dict_schema(fields, extra_behavior="forbid", strict=True)
    return Form(schema, default, keys=keys)


def named(item: Form, longest: int, default: Any = REQUIRED, *, shape: str = ID) -> Form:
    """Return the form of a table whose keys are free ids and whose values are *item*."""
    key = core_schema.str_schema(strict=True, max_length=128, pattern=shape)
    return Form(core_schema.dict_schema(key, item.schema, strict=True, max_length=longest), default, item=item)


def either(*forms: Form, default: Any = REQUIRED, tell: Callable[[Any], str | None]) -> Form:
    """Return the form that *tell* picks by the shape of the value: the number of a form, as text."""
    choices = {str(at): form.schema for at, form in enumerate(forms)}
    keys = {key: inside for form in forms for key, inside in (form.keys or {}).items()}
    return Form(core_schema.tagged_union_schema(choices, tell), default, keys=keys)


def anything(default: Any = REQUIRED) -> Form:
    """Return the form of a value that is checked where it is used."""
    return Form(core_schema.any_schema(), default)


def fill_in(checker: SchemaValidator, form: Form, raw: Any, file: str, lines: Lines, at: Path = ()) -> Any:
    """Return *raw* checked and completed with defaults. Raises ProtocolError with all faults.

    *at* is where *raw* lies in the file, for the lines.
    """
    try:
        return checker.validate_python(raw)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
    except RecursionError:
        raise ProtocolError([Fault(file, line_of(lines, at), "values are nested too deep")]) from None
    raise ProtocolError([_fault(form, raw, detail, file, lines, at) for detail in details])


def _with_default(form: Form) -> Schema:
    if isinstance(form.default, dict | list):
        made = form.default
        return core_schema.with_default_schema(form.schema, default_factory=lambda: made.copy(), validate_default=True)
    return core_schema.with_default_schema(form.schema, default=form.default)


def _fault(form: Form, raw: Any, detail: Any, file: str, lines: Lines, at: Path) -> Fault:
    path = _real_path(raw, detail["loc"])
    what, mend = _words(form, detail, path, _value_at(raw, path))
    return Fault(file, line_of(lines, (*at, *path)), what, mend)


def _real_path(raw: Any, places: tuple[str | int, ...]) -> Path:
    """Return *places* without the tags pydantic puts in for unions and keys."""
    path: Path = ()
    value = raw
    for place in places:
        if isinstance(value, dict):
            if place not in value:
                if place == places[-1] and place != "[key]":
                    return (*path, place)  # A key that is missing.
                continue
            value = value[place]
        elif isinstance(value, list) and isinstance(place, int) and place < len(value):
            value = value[place]
        else:
            continue
        path = (*path, place)
    return path


def dotted(path: Path) -> str:
    """Return *path* as people write it: `channels.physical.rate[0]`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return shown(text, 120)[1:-1]


def _keys_at(form: Form | None, path: Path) -> list[str]:
    for part in path:
        if form is None:
            return []
        form = form.keys.get(str(part)) if form.keys is not None else form.item
    return list(form.keys) if form is not None and form.keys is not None else []


def _value_at(raw: Any, path: Path) -> Any:
    for part in path:
        inside = (isinstance(raw, dict) and part in raw) or (isinstance(raw, list) and isinstance(part, int))
        raw = raw[part] if inside else None
    return raw


def _words(form: Form, detail: Any, path: Path, value: Any) -> tuple[str, str]:
    """Return what is wrong and how to mend it, for one of pydantic's findings."""
    kind, context, where = detail["type"], detail.get("ctx", {}), dotted(path)
    if kind == "extra_forbidden":
        inside = f" in [{dotted(path[:-1])}]" if len(path) > 1 else ""
        return f"unknown key {shown(str(path[-1]))}{inside}", nearest(str(path[-1]), _keys_at(form, path[:-1]))
    if kind == "missing":
        return f"the key {where!r} is missing", "add it"
    if kind == "literal_error":
        known = _QUOTED.findall(context["expected"])
        word = value if isinstance(value, str) else str(value)
        return f"{where} can't be {shown(word)}", nearest(word, [each for each in known if each])
    if kind == "value_error":
        return f"{where} can't be read", str(context["error"])
    if kind == "string_pattern_mismatch" and value == "*":
        return f"{where} names everything", "a declaration has no wildcard: name each one"
    if kind == "string_pattern_mismatch":
        return f"{where} is not an id", "use lower-case letters, digits and _, a letter first"
    wanted = _WANTED.get(kind)
    if wanted is not None:
        return f"{where} must be {wanted}", ""
    limit = next((context[key] for key in _LIMITS if key in context), "")
    return f"{where}: {_BOUNDS.get(kind, detail['msg']).format(limit)}", ""


_WANTED = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "string_type": "a text in quotes",
    "list_type": "a list",
    "dict_type": "a table",
    "union_tag_not_found": "a list or a table",
    "union_tag_invalid": "a list or a table",
}
_LIMITS = ("ge", "le", "gt", "lt", "max_length", "min_length")
_BOUNDS = {
    "greater_than_equal": "the value must be at least {}",
    "less_than_equal": "the value must be at most {}",
    "string_too_long": "the text is too long, at most {} characters",
    "too_long": "too many items, at most {}",
    "too_short": "too few items, at least {}",
}
