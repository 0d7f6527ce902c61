"""reflect: one cautious hypothesis out of own experiences, in the slow loop. It is never evidence for anything.

A pass of the slow loop (agent/reflection.py) asks at most once a day, after what it concluded by itself. Three independent origins found an
ordinary hypothesis, a single major event one of low confidence. What is concluded is kept with its pros and cons.
"""

from __future__ import annotations

from agent import scene, thoughts
from agent.asking import memory_row
from agent.hypotheses import MAJOR_MAX, SURE_MAX
from agent.inner import Thought
from agent.memory import Experience
from agent.mind import Mind
from agent.question import Draft, Effect, Question
from agent.reply import Parsed

INFLUENCES = ("trust_of_person", "method", "place_of_things", "time_of_day", "effort_of_goal")
LAST = 400  # experiences looked back over
SHOWN_MAX = 12
MAJOR = 450  # importance from which one event may found a hypothesis of low confidence
SUPPORT_MIN = 3


def wanted(mind: Mind) -> Question | None:
    """Return the question of a pass of the slow loop that has just ended: the theme with most cases on both sides."""
    if mind.inner.slow_tick != mind.tick:
        return None
    found = about(mind, _theme(mind))
    return found if found is not None and mind.sys2.first_time(f"reflect:{mind.day}", mind.tick) else None


def about(mind: Mind, theme: str) -> Question | None:
    """Return the question on the experiences of *theme* (KIND:ACTION), if they can found a hypothesis."""
    found = _chosen(mind, theme)
    origins = {one.origin: True for one in found}
    good = [one for one in found if one.reward >= 500]
    if len(origins) < SUPPORT_MIN + 1 or len(good) in (0, len(found)):
        return None
    return Question("reflect", "slow_loop", {"theme": theme, "experiences": [one.ordinal for one in found]})


def _theme(mind: Mind) -> str:
    counts: dict[str, list[int]] = {}
    for one in mind.memory.items[-LAST:]:
        counts.setdefault(f"{one.kind}:{one.action}", []).append(one.reward)
    mixed = {theme: rewards for theme, rewards in counts.items() if min(rewards) < 500 <= max(rewards)}
    return max(mixed, key=lambda theme: (len(mixed[theme]), theme)) if mixed else ""


def _chosen(mind: Mind, theme: str) -> list[Experience]:
    """Return the experiences shown: the newest of each side, so that counter-evidence is always among them."""
    found = [one for one in mind.memory.items[-LAST:] if f"{one.kind}:{one.action}" == theme]
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
        memories=tuple(memory_row(one) for one in found), tasks=(question.about["theme"].partition(":")[2],),
    )  # fmt: skip


def infeasible(mind: Mind, question: Question, answer: Parsed) -> str:
    """Return why nothing may be concluded: the same hypothesis stands already, and nothing new speaks for it or against it."""
    held = mind.inner.thoughts.get(_key(question, answer))
    if held is None:
        return ""
    named = [*_origins(mind, answer, "support"), *_origins(mind, answer, "against")]
    return "" if any(o not in held.support and o not in held.counter for o in named) else "nothing_new"


def _key(question: Question, answer: Parsed) -> str:
    return f"reflection:{question.about['theme']}:{answer.fields['influence']}"


def _origins(mind: Mind, answer: Parsed, side: str) -> list[int]:
    return [mind.memory.items[int(name.partition("-")[2])].origin for name in answer.fields[side]]


def enact(mind: Mind, question: Question, answer: Parsed) -> Effect:
    """Keep the hypothesis with its evidence on both sides, by origin; it supports nothing itself."""
    key, inner = _key(question, answer), mind.inner
    held = inner.thoughts.get(key)
    if held is None:
        thoughts.make_room(inner)
        held = inner.thoughts[key] = Thought(
            inner.mint("tht"), "reflection", key, question.about["theme"], mind.tick, scene=[0] * scene.SIZE,
            influence=answer.fields["influence"],
        )  # fmt: skip
    for side, kept in (("support", held.support), ("against", held.counter)):
        # By origin: what is told again counts once, on the side where it first stood.
        fresh = [o for o in dict.fromkeys(_origins(mind, answer, side)) if o not in held.support and o not in held.counter]
        kept += fresh
        del kept[: -thoughts.KEPT]
        held.pros, held.cons = held.pros + len(fresh) * (side == "support"), held.cons + len(fresh) * (side == "against")
    held.settled = held.pros >= mind.params.experiences_for_update
    # Never surer than its evidence allows, whatever the model says.
    ceiling = SURE_MAX if held.settled else MAJOR_MAX
    held.confidence = min(ceiling, 10 * answer.fields["confidence"], 1000 * (held.pros + 1) // (held.pros + held.cons + 2))
    held.seen, held.version = len(mind.memory.items), held.version + 1
    inner.chain("reflection", held.id, held.pros, held.cons)
    thoughts.note(mind, held)
    return Effect("hypothesis", detail={"thought": held.id, "pros": held.pros, "cons": held.cons, "confidence": held.confidence})


def without(mind: Mind, question: Question) -> Effect:
    """Conclude nothing."""
    assert mind.tick >= 0
    return Effect("no_reflection", detail={"theme": question.about["theme"]})
