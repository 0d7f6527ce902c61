"""appraise: what a social event of a kind not met before means. It teaches one domain, once, by a small step."""

from __future__ import annotations

from agent.appraisal import FEELING, PERSON
from agent.memory import Experience
from agent.mind import Mind
from agent.needs import stir
from agent.question import Draft, Effect, Question
from agent.reply import Parsed

CAUSES = ("self", "other", "object", "chance", "unknown")
SOCIAL = ("act", "promise", "help")
LAST = 6
CONDUCT_MAX = 20  # thousandths of reliability that one appraisal may move
SURE = 60  # certainty from which a cause is held against, or for, a person


def wanted(mind: Mind) -> Question | None:
    """Return the question for the newest social event whose kind this is the first of."""
    for one in reversed(mind.memory.items[-LAST:]):
        if one.kind in SOCIAL and one.persons and mind.sys2.first_time(f"appraise:{one.kind}:{one.action}", mind.tick):
            return Question("appraise", "social_event_of_a_new_kind", {"event": one.ordinal})
    return None


def _event(mind: Mind, question: Question) -> Experience:
    at: int = question.about["event"]
    return mind.memory.items[at]


def draft(mind: Mind, question: Question) -> Draft:
    """Return the event as perceived, and the causes there may be."""
    one = _event(mind, question)
    names = [mind.name_of(o, str(mind.persona["language"])) for o in one.things]
    what = {"id": f"exp-{one.ordinal}", "kind": one.kind, "source": one.source, "text": f"{one.action} {' '.join(names)}: {one.outcome}"}
    return Draft(
        refs={"events": (f"exp-{one.ordinal}",), "causes": CAUSES}, observations=(what,), things=one.things, persons=one.persons,
        tasks=(one.action,),
    )  # fmt: skip


def infeasible(mind: Mind, question: Question, answer: Parsed) -> str:
    """Return nothing: an appraisal can always be taken in, once."""
    assert answer.type == "appraise"
    assert question.about["event"] < len(mind.memory.items)
    return ""


def enact(mind: Mind, question: Question, answer: Parsed) -> Effect:
    """Let it move the mood, and the view of a person's conduct where that person is surely the cause."""
    one, fields = _event(mind, question), answer.fields
    taught = []
    if mind.teach(one.origin, FEELING):
        stir(mind, mind.tick, fields["goal_impact"], fields["threat"] - fields["control"] // 4)
        mind.note("learn", f"exp-{one.ordinal}", domain="feeling", origin=one.origin, why="appraised")
        taught.append("feeling")
    if fields["cause"] == "other" and fields["certainty"] >= SURE and mind.teach(one.origin, PERSON):
        relation = mind.relations.person(one.persons[0])
        relation.learn("conduct", max(-CONDUCT_MAX, min(CONDUCT_MAX, fields["goal_impact"] // 5)))
        mind.note("relation", f"person-{relation.person}", domain="conduct", row=list(relation.row()), origin=one.origin)
        taught.append("person")
    return Effect("appraised", detail={"event": f"exp-{one.ordinal}", "taught": taught})


def without(mind: Mind, question: Question) -> Effect:
    """Take it neutrally."""
    return Effect("neutral", detail={"event": f"exp-{_event(mind, question).ordinal}"})
