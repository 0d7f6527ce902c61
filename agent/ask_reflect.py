"""reflect: one cautious hypothesis out of own experiences, in the slow loop. It is never evidence for anything.

Lying down for the night asks by itself; the slow loop may ask about a theme of its own (`about`). Three independent origins found an
ordinary hypothesis, a single major event one of low confidence. What is concluded is kept with its pros and cons.
"""

from __future__ import annotations

from agent.asking import memory_row
from agent.memory import Experience
from agent.mind import Mind
from agent.question import Draft, Effect, Question
from agent.reply import Parsed
from agent.round import Thought

INFLUENCES = ("trust_of_person", "method", "place_of_things", "time_of_day", "effort_of_goal")
LAST = 400  # experiences looked back over
SHOWN_MAX = 12
MAJOR = 450  # importance from which one event may found a hypothesis of low confidence
SUPPORT_MIN = 3


def wanted(mind: Mind, thought: Thought) -> Question | None:
    """Return the question when the resident lies down for the night: the action with most new origins, both outcomes."""
    if thought.ruling.choice.task != "sleep_night" or not mind.sys2.first_time(f"reflect:{mind.day}", mind.tick):
        return None
    return about(mind, _theme(mind))


def about(mind: Mind, theme: str) -> Question | None:
    """Return the question on the experiences with *theme* as their action, if they found one: for the slow loop."""
    found = _chosen(mind, theme)
    origins = {one.origin: True for one in found}
    good = [one for one in found if one.reward >= 500]
    if len(origins) < SUPPORT_MIN + 1 or len(good) in (0, len(found)):
        return None
    return Question("reflect", "slow_loop", {"theme": theme, "experiences": [one.ordinal for one in found]})


def _theme(mind: Mind) -> str:
    counts: dict[str, list[int]] = {}
    for one in mind.memory.items[-LAST:]:
        counts.setdefault(one.action, []).append(one.reward)
    mixed = {action: rewards for action, rewards in counts.items() if min(rewards) < 500 <= max(rewards)}
    return max(mixed, key=lambda action: (len(mixed[action]), action)) if mixed else ""


def _chosen(mind: Mind, theme: str) -> list[Experience]:
    """Return the experiences shown: the newest of each side, so that counter-evidence is always among them."""
    found = [one for one in mind.memory.items[-LAST:] if one.action == theme]
    sides = [one for one in found if one.reward >= 500][-SHOWN_MAX // 2 :], [one for one in found if one.reward < 500][-SHOWN_MAX // 2 :]
    return sorted([*sides[0], *sides[1]], key=lambda one: one.ordinal)


def draft(mind: Mind, question: Question) -> Draft:
    """Return the experiences, with the root event of each."""
    found = [mind.memory.items[at] for at in question.about["experiences"]]
    names = tuple(f"exp-{one.ordinal}" for one in found)
    return Draft(
        refs={
            "experiences": names, "influences": INFLUENCES,
            "major": tuple(f"exp-{one.ordinal}" for one in found if one.importance >= MAJOR),
        },
        origins={f"exp-{one.ordinal}": f"origin-{one.origin}" for one in found},
        memories=tuple(memory_row(one) for one in found), tasks=(question.about["theme"],),
    )  # fmt: skip


def infeasible(mind: Mind, question: Question, answer: Parsed) -> str:
    """Return why nothing may be concluded: the same hypothesis stands already, and nothing new supports it."""
    held = mind.beliefs.claims.get(_key(question, answer))
    return "" if held is None or any(o not in held.support for o in _origins(mind, answer, "support")) else "nothing_new"


def _key(question: Question, answer: Parsed) -> str:
    return f"reflection:{question.about['theme']}:{answer.fields['influence']}"


def _origins(mind: Mind, answer: Parsed, side: str) -> list[int]:
    return [mind.memory.items[int(name.partition("-")[2])].origin for name in answer.fields[side]]


def enact(mind: Mind, question: Question, answer: Parsed) -> Effect:
    """Keep the hypothesis with its evidence on both sides, by origin; it supports nothing itself."""
    key = _key(question, answer)
    for side, supports in (("support", True), ("against", False)):
        for origin in _origins(mind, answer, side):
            mind.beliefs.evidence(key, 1, origin, supports)
    claim = mind.beliefs.claims[key]
    fields = answer.fields
    mind.note(
        "learn", key, domain="reflection", confidence=fields["confidence"] * 10, why=fields["hypothesis"],
        origin=claim.support[0] if claim.support else 0,
    )  # fmt: skip
    return Effect("hypothesis", detail={"key": key, "support": len(claim.support), "against": len(claim.counter)})


def without(mind: Mind, question: Question) -> Effect:
    """Conclude nothing."""
    assert mind.tick >= 0
    return Effect("no_reflection", detail={"theme": question.about["theme"]})
