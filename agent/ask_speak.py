"""speak: how to word what is to be said. The stance is taken already; words are committed only as speech.

Asked when someone addressed is within hearing. The utterance waits in the queue with its plain words; an answer
replaces them, anything else lets them stand.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agent.mind import Mind
from agent.question import Draft, Effect, Question
from agent.reply import Parsed
from agent.skill import Command


def wanted(mind: Mind) -> Question | None:
    """Return the question for the next utterance, if it is plain as yet and can be heard."""
    if not mind.interludes or mind.posture == "asleep":
        return None
    command = mind.interludes[0]
    words, person = command.words or {}, command.roles[0][1]
    if words.get("worded") or not words.get("id") or person not in mind.hearing:
        return None
    about = {"utterance": words["id"], "person": person, "matter": words["matter"], "stance": words["stance"] or words["key"]}
    return Question("speak", "addressed_within_hearing", about)


def _find(mind: Mind, question: Question) -> int:
    """Return the place of the utterance in the queue, or -1 when it was said or dropped."""
    name = question.about["utterance"]
    return next((at for at, each in enumerate(mind.interludes) if each.words and each.words.get("id") == name), -1)


def _set(mind: Mind, question: Question, **words: Any) -> bool:
    at = _find(mind, question)
    if at < 0:
        return False
    command: Command = mind.interludes[at]
    mind.interludes[at] = replace(command, words={**(command.words or {}), **words})
    return True


def draft(mind: Mind, question: Question) -> Draft:
    """Return what may be said, to whom, and what was heard last."""
    _set(mind, question, worded="waiting")
    words = mind.interludes[_find(mind, question)].words or {}
    person, matter, stance = question.about["person"], question.about["matter"], question.about["stance"]
    deps = [("person", person, mind.relations.person(person).version)]
    if matter in mind.matters:
        deps.append(("matter", int(matter.rpartition("-")[2]), mind.matters[matter].version))
    heard = str(words.get("heard") or words["text"])
    said: tuple[dict[str, Any], ...] = ()
    if words.get("heard"):
        said = ({"kind": "speech", "source": "heard", "speaker": mind.name_of(person, words["language"]), "words": words["heard"]},)
    return Draft(
        deps=tuple(sorted(deps)), refs={"stances": (stance,), "rules": tuple(rule["id"] for rule in mind.persona["rules"])},
        rows=({"id": stance, "text": words["text"], "score": 0, "source": "stance"},), observations=said, persons=(person,),
        heard=heard,
    )  # fmt: skip


def infeasible(mind: Mind, question: Question, answer: Parsed) -> str:
    """Return why *answer* can't be used now: the utterance is gone."""
    assert answer.type == "speak"
    return "" if _find(mind, question) >= 0 else "already_said"


def enact(mind: Mind, question: Question, answer: Parsed) -> Effect:
    """Put the words into the queue; they are said at the next pausing point, and only then have they been said."""
    fields = answer.fields
    _set(mind, question, text=fields["text"], worded="model", rules=list(fields["rules"]), ends=fields["then"] == "end")
    return Effect("worded", detail={"utterance": question.about["utterance"]})


def without(mind: Mind, question: Question) -> Effect:
    """Let the plain words stand."""
    _set(mind, question, worded="plain")
    return Effect("plain_words", detail={"utterance": question.about["utterance"]})
