"""intention: what becomes of the present intention when an interruption has two defensible handlings.

Each handling stands for one candidate of the round's near-tie group, so an answer can reach nothing outside it.
"""

from __future__ import annotations

from agent.acting import end
from agent.asking import dependencies, describe, serial
from agent.candidates import Candidate
from agent.mind import Mind
from agent.question import Draft, Effect, Question
from agent.reply import Parsed
from agent.round import Thought

EVENTS = ("person_", "request", "speech", "voice", "act:", "noticed:", "given_up", "knock")
"""Wakes that interrupt: somebody, something said, or a change nobody was seen making. Needs and phones are ordinary."""


HANDLING = {"continue": "continue", "resume": "resume"}
"""Which handling a candidate is shown as, by its act; to begin something else is to pause the present one."""


def wanted(mind: Mind, thought: Thought) -> Question | None:
    """Return the question, if something interrupts an intention under way and both going on and turning away are near."""
    current = mind.intention()
    events = [wake for wake in thought.wakes if wake.startswith(EVENTS) and not wake.startswith("request_")]
    group = [one.candidate for one in thought.ruling.group]
    goes_on = any(one.act == "continue" for one in group)
    turns = any(one.act in ("start", "resume") for one in group)
    begun = current is not None and (current.step > 0 or mind.tick - current.made_tick > mind.ticks(60_000))
    if current is None or not events or not goes_on or not turns or not begun:
        return None
    about = {"intention": current.id, "event": events[0], **handlings(group, current.id)}
    return Question("intention", "two_defensible_handlings", about)


def handlings(group: list[Candidate], current: str) -> dict[str, dict[str, str]]:
    """Return which candidate each handling stands for: by action, by resumed intention, by the one that replaces."""
    away = next((one.id for one in group if one.act in ("start", "resume") and one.commitment != current), "")
    by_action = {"continue": next(one.id for one in group if one.act == "continue")}
    if away:
        by_action |= {"pause": away, "give_up": away}
    resumes = {one.commitment: one.id for one in group if one.act == "resume"}
    replaces = {one.commitment: one.id for one in group if one.commitment and one.commitment != current}
    return {"actions": by_action, "resumes": resumes, "replaces": replaces}


def draft(mind: Mind, question: Question, group: list[Candidate], scores: dict[str, int]) -> Draft:
    """Return the handlings with what they lead to."""
    about = question.about
    language = str(mind.persona["language"])
    rows = tuple(
        {"id": one.id, "text": describe(mind, one, language), "score": scores[one.id], "source": one.source, "marks": list(one.touches),
         "handling": HANDLING.get(one.act, "pause"), "intention": one.commitment if one.act == "resume" else about["intention"]}
        for one in group
    )  # fmt: skip
    deps = dict.fromkeys(dependencies(mind, group), True)
    deps["commitment", serial(about["intention"]), mind.commitments[about["intention"]].version] = True
    return Draft(
        deps=tuple(sorted(deps)),
        refs={
            "intentions": tuple(dict.fromkeys((about["intention"], *about["resumes"]))),
            "replacements": tuple(about["replaces"]) or (about["intention"],),
        },
        rows=rows, observations=({"kind": "event", "source": "perceived", "text": str(about["event"])},),
        things=tuple({o: True for one in group for o in one.roles.values()}), tasks=tuple(one.task for one in group),
    )  # fmt: skip


def candidate_of(question: Question, answer: Parsed) -> str:
    """Return the candidate that *answer* stands for, or nothing."""
    about, fields = question.about, answer.fields
    if fields["action"] == "resume":
        return str(about["resumes"].get(fields["intention"], ""))
    if fields["intention"] != about["intention"]:
        return ""
    if fields["action"] == "replace":
        return str(about["replaces"].get(fields["with"], ""))
    return str(about["actions"].get(fields["action"], ""))


def infeasible(mind: Mind, question: Question, answer: Parsed) -> str:
    """Return why *answer* stands for nothing that can be done."""
    if question.about["intention"] not in mind.commitments:
        return "intention_ended"
    return "" if candidate_of(question, answer) else "no_such_handling"


def enact(mind: Mind, question: Question, answer: Parsed, group: dict[str, Candidate]) -> Effect:
    """Give up openly where that was the answer; the candidate is committed like any other."""
    name = candidate_of(question, answer)
    if answer.fields["action"] == "give_up":
        end(mind, mind.commitments[question.about["intention"]], "given_up", "chosen")
    return Effect(answer.fields["action"], choice=group[name])
