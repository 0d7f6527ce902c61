"""Skills and task templates as the mind knows them: data, read once, never changed.

The same tables are read by the world over the truth; here their predicates are asked over beliefs
(see planning.py). A predicate is a tuple of words: (wanted, name, *arguments).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Predicate = tuple[Any, ...]

PREDICATES = {
    "standing", "awake", "hand_free", "near", "holding", "reachable", "is", "prop", "person", "hearing", "takes", "lies", "lit",
}  # fmt: skip

# What is achieved before one walks anywhere, so that a free hand does not cost a second way, and what is not worth lifting
# a thing for: a place that has no room, or has to be opened first.
FIRST = {"awake": 0, "standing": 1, "hand_free": 2, "takes": 3}


@dataclass(frozen=True, slots=True)
class Skill:
    """A registered bodily action as believed: what it needs, what it gives, what it risks."""

    id: str
    roles: tuple[str, ...]
    pre: tuple[Predicate, ...]
    takes_amount: bool
    walks: bool
    duration_ms: int
    gains: dict[str, int]
    rates: dict[str, int]
    check: Predicate | None
    interruptible: bool
    mutating: bool
    irreversible: bool
    prior_risk: int


@dataclass(frozen=True, slots=True)
class Selector:
    """How a role finds its thing: a tag or kind, and conditions on believed properties."""

    tag: str
    conditions: tuple[Predicate, ...] = ()
    displaced: bool = False
    untagged: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One registered skill of a template, its roles, and the goal that makes it superfluous."""

    skill: str
    roles: tuple[str, ...]
    unless: Predicate | None = None


@dataclass(frozen=True, slots=True)
class TaskTemplate:
    """A registered short sequence of skills with roles and a completion condition."""

    id: str
    needs: dict[str, int]
    roles: dict[str, Selector]
    steps: tuple[Step, ...]
    minutes: int
    group: str
    verbs: tuple[str, ...]
    private: bool
    done: str
    risk: int = 0
    """Prior risks of its skills in sum, thousandths."""


@dataclass(frozen=True, slots=True)
class Command:
    """What the mind asks its body to do; roles name ordinals, *amount* is in ms."""

    id: str
    skill: str
    roles: tuple[tuple[str, int], ...] = ()
    amount: int = 0
    words: dict[str, Any] | None = None
    aim: tuple[int, int] = (0, -1)
    """What one takes the goal of a walk to be or to lie on, and its believed cell; (0, -1) for what is no walk."""


FADES = 500
"""Thousandths of its scale that a thing's own slow change may have taken a felt value before that value is out of date. Chosen."""


@dataclass(frozen=True, slots=True)
class Fading:
    """What is known of a property that only a hand feels and that changes by itself.

    What was felt is out of date after *ms*; a thing seen with *sign* at *shown* has come to *until*.
    """

    ms: int
    sign: str = ""
    shown: int = 0
    until: int = 0


@dataclass(frozen=True, slots=True)
class Skillbook:
    """Every registered skill, template and the common knowledge of kinds (kind -> tags; kind -> property -> how it fades)."""

    skills: dict[str, Skill]
    tasks: dict[str, TaskTemplate]
    tags: dict[str, tuple[str, ...]]
    by_verb: dict[str, tuple[str, ...]]
    by_need: dict[str, tuple[str, ...]]
    fading: dict[str, dict[str, Fading]]


def predicate(text: str) -> Predicate:
    """Return *text* as a predicate. Unknown words are a fault of our own tables."""
    words = text.split()
    wanted = words[0] != "not"
    words = words if wanted else words[1:]
    assert words[0] in PREDICATES, f"unknown predicate {text!r}"
    return (wanted, words[0], *(int(word) if word.lstrip("-").isdigit() else word for word in words[1:]))


def _skill(name: str, raw: dict[str, Any]) -> Skill:
    duration = raw["duration_ms"]
    gains = {words[1]: int(words[2]) for words in map(str.split, raw.get("effects", ())) if words[0] == "need"}
    return Skill(
        id=name,
        roles=tuple(raw["roles"]),
        pre=tuple(sorted((predicate(text) for text in raw["pre"]), key=lambda one: FIRST.get(one[1], len(FIRST)))),
        takes_amount=duration in ("amount", "rest"),
        walks=duration == "walk",
        duration_ms=duration if isinstance(duration, int) else 0,
        gains=gains,
        rates=dict(raw.get("rates", {})),
        check=predicate(raw["check"]) if "check" in raw else None,
        interruptible=raw["interruptible"] == "any",
        mutating=bool(raw.get("mutating", False)),
        irreversible=bool(raw.get("irreversible", False)),
        prior_risk=int(raw.get("prior_risk", 0)),
    )


def _selector(text: str) -> Selector:
    """Read "edible unless cookable if portions >= 1 unless spoiled": a tag, tags it must lack, property conditions."""
    words = text.split()
    tag, rest = words[0], words[1:]
    displaced = "displaced" in rest
    rest = [word for word in rest if word != "displaced"]
    conditions: list[Predicate] = []
    untagged = ""
    at = 0
    while at < len(rest):
        wanted, name = rest[at] == "if", rest[at + 1]
        at += 2
        if at < len(rest) and rest[at] in (">=", "<"):
            conditions.append((wanted, "prop", "it", name, rest[at], int(rest[at + 1])))
            at += 2
        elif not wanted and name == "cookable":
            untagged = name
        else:
            conditions.append((wanted, "prop", "it", name))
    return Selector(tag, tuple(conditions), displaced, untagged)


def _step(text: str) -> Step:
    what, _, unless = text.partition(" unless ")
    words = what.split()
    return Step(words[0], tuple(words[1:]), predicate(unless) if unless else None)


def _task(name: str, raw: dict[str, Any], skills: dict[str, Skill]) -> TaskTemplate:
    steps = tuple(_step(text) for text in raw["steps"])
    return TaskTemplate(
        id=name,
        needs=dict(raw.get("needs", {})),
        roles={role: _selector(text) for role, text in raw.get("roles", {}).items()},
        steps=steps,
        minutes=int(raw.get("minutes", 0)),
        group=raw["group"],
        verbs=tuple(raw.get("verbs", ())),
        private=raw.get("setting") == "private",
        done=raw.get("done", "steps"),
        risk=risk_of(steps, skills),
    )


def risk_of(steps: tuple[Step, ...], skills: dict[str, Skill]) -> int:
    """Return the prior risks of *steps* in sum; a step that names no skill is found out by `compile_book`."""
    return sum(skills[step.skill].prior_risk for step in steps if step.skill in skills)


def compile_book(skills: dict[str, Any], tasks: dict[str, Any], kinds: dict[str, Any]) -> Skillbook:
    """Return the skillbook of the raw tables; every step must name a registered skill with the right number of roles."""
    book = {name: _skill(name, raw) for name, raw in skills.items()}
    templates = {name: _task(name, raw, book) for name, raw in tasks.items()}
    for task in templates.values():
        for step in task.steps:
            assert step.skill in book, f"{task.id}: no such skill {step.skill}"
            assert len(step.roles) == len(book[step.skill].roles), f"{task.id}: roles of {step.skill}"
    verbs: dict[str, list[str]] = {}
    needs: dict[str, list[str]] = {}
    for task in templates.values():
        for verb in task.verbs:
            verbs.setdefault(verb, []).append(task.id)
        for need in task.needs:
            needs.setdefault(need, []).append(task.id)
    return Skillbook(
        skills=book,
        tasks=templates,
        tags={kind: tuple(raw["tags"]) for kind, raw in kinds.items()},
        by_verb={verb: tuple(ids) for verb, ids in verbs.items()},
        by_need={need: tuple(ids) for need, ids in needs.items()},
        fading={kind: found for kind, raw in kinds.items() if (found := _fading(raw))},
    )


def _fading(raw: dict[str, Any]) -> dict[str, Fading]:
    """Return how the properties of a kind that only a hand feels change by themselves."""
    found: dict[str, Fading] = {}
    for drift in raw.get("drifts", ()):
        prop = drift["prop"]
        if prop in raw.get("touch", ()) and prop not in raw.get("sight", ()):
            sign, shown = drift.get("then", ("", 0))
            seen = sign if sign in raw.get("sight", ()) else ""
            found[prop] = Fading(int(drift["every_s"]) * 1000 * FADES // abs(int(drift["step"])), seen, int(shown), int(drift["until"]))
    return found
