"""The table of skills, compiled: predicates and effects become tuples, unknown words are refused at load.

A predicate is `(wanted, word, *arguments)`: it holds when the word's truth equals *wanted*. An effect is
`(word, *arguments)`. Arguments that name roles stay names; they are bound when a skill begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from world.params import NEED_INDEX

Clause = tuple[Any, ...]

# word -> the shape of its arguments: r a role, n a whole number, w a free word, c an optional comparison.
PREDICATES: Final = {
    "standing": "", "awake": "", "hand_free": "", "lit": "", "near": "r", "holding": "r", "reachable": "r",
    "stands": "r", "is": "rw", "prop": "rwc", "person": "r", "hearing": "r", "takes": "rr",
}  # fmt: skip
EFFECTS: Final = {
    "take": "r", "put": "rr", "drop": "r", "give": "rr", "set": "rwn", "add": "rwn", "pour": "rr",
    "consume": "r", "need": "wn", "posture": "w", "seat": "r", "face": "r", "goto": "r", "emit": "w",
    "toss": "rr",
}  # fmt: skip
POSTURES: Final = ("standing", "sitting", "lying")


@dataclass(frozen=True, slots=True)
class Failure:
    """One way to fail: *base* per mille plus the extra of every factor that is true at the end."""

    id: str
    base: int
    factors: tuple[tuple[Clause, int, str], ...]
    effects: tuple[Clause, ...]
    sense: str


@dataclass(frozen=True, slots=True)
class Skill:
    """One registered bodily action. `duration_ms` is a number of ms, or the word walk, amount or rest."""

    id: str
    roles: tuple[str, ...]
    pre: tuple[Clause, ...]
    pre_texts: tuple[str, ...]
    duration_ms: int
    mode: str
    until: tuple[int, int]
    any_time: bool
    timeout_ms: int
    effects: tuple[Clause, ...]
    rates: tuple[tuple[int, int], ...]
    failures: tuple[Failure, ...]
    check: Clause | None
    mutating: bool


def compile_skills(raw: Mapping[str, Any]) -> dict[str, Skill]:
    """Return the compiled table of *raw*, the parsed `skills.toml`. A word we do not know is a bug of ours."""
    return {name: compile_skill(name, table) for name, table in raw.items()}


def compile_skill(name: str, table: Mapping[str, Any]) -> Skill:
    roles = tuple(table["roles"])
    duration = table["duration_ms"]
    mode = duration if isinstance(duration, str) else "fixed"
    assert mode in ("fixed", "walk", "amount", "rest"), f"{name}: duration {duration!r}"
    need, level = table.get("until", ("energy", 0))
    assert (mode == "rest") == ("until" in table), f"{name}: rest needs until"
    assert table["interruptible"] in ("any", "end"), f"{name}: interruptible"
    check = table.get("check", "")
    return Skill(
        id=name,
        roles=roles,
        pre=tuple(predicate(text, roles) for text in table["pre"]),
        pre_texts=tuple(table["pre"]),
        duration_ms=0 if isinstance(duration, str) else int(duration),
        mode=mode,
        until=(NEED_INDEX[need], int(level)),
        any_time=table["interruptible"] == "any",
        timeout_ms=int(table["timeout_ms"]),
        effects=tuple(effect(text, roles) for text in table["effects"]),
        rates=tuple((NEED_INDEX[key], int(value)) for key, value in table.get("rates", {}).items()),
        failures=tuple(compile_failure(each, roles) for each in table.get("failures", ())),
        check=predicate(check, roles) if check else None,
        mutating=bool(table.get("mutating", False)),
    )


def compile_failure(table: Mapping[str, Any], roles: tuple[str, ...]) -> Failure:
    return Failure(
        id=table["id"],
        base=int(table["base"]),
        factors=tuple((predicate(text, roles), int(extra), text) for text, extra in table["factors"]),
        effects=tuple(effect(text, roles) for text in table["effects"]),
        sense=table["sense"],
    )


def predicate(text: str, roles: tuple[str, ...]) -> Clause:
    """Return the clause of *text*, such as `not prop object open` or `prop vessel fill >= 200`."""
    words = text.split()
    wanted = words[0] != "not"
    if not wanted:
        words = words[1:]
    shape = PREDICATES.get(words[0])
    assert shape is not None, f"unknown predicate {words[0]!r} in {text!r}"
    if not shape.endswith("c"):
        return (wanted, *arguments(text, words, shape, roles))
    head = arguments(text, words[:3], shape[:-1], roles)
    if len(words) == 3:
        return (wanted, *head, "!=", 0)
    assert len(words) == 5, f"{text!r}: a comparison is an operator and a number"
    assert words[3] in (">=", "<"), f"{text!r}: {words[3]!r} is not >= or <"
    return (wanted, *head, words[3], int(words[4]))


def effect(text: str, roles: tuple[str, ...]) -> Clause:
    """Return the clause of *text*, such as `set object open 1`."""
    words = text.split()
    shape = EFFECTS.get(words[0])
    assert shape is not None, f"unknown effect {words[0]!r} in {text!r}"
    clause = arguments(text, words, shape, roles)
    assert words[0] != "need" or words[1] in NEED_INDEX, f"unknown need in {text!r}"
    assert words[0] != "posture" or words[1] in POSTURES, f"unknown posture in {text!r}"
    return clause


def arguments(text: str, words: list[str], shape: str, roles: tuple[str, ...]) -> Clause:
    assert len(words) == len(shape) + 1, f"{text!r}: {len(shape)} arguments wanted"
    found: list[Any] = [words[0]]
    for word, kind in zip(words[1:], shape, strict=True):
        assert kind != "r" or word in roles, f"{text!r}: no role {word!r}"
        found.append(int(word) if kind == "n" else word)
    return tuple(found)
