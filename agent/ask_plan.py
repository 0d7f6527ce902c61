"""plan: which known tasks, in which order, do what was asked and no single template does."""

from __future__ import annotations

from itertools import pairwise

from agent.acting import settle
from agent.asking import serial
from agent.candidates import Candidate
from agent.commitments import Matter
from agent.mind import Mind
from agent.plans import roles_for, templates_for
from agent.question import Draft, Effect, Question
from agent.reply import Parsed

TEMPLATES_MIN = 2  # with one known task there is nothing to plan
TEMPLATES_MAX = 12


def wanted(mind: Mind) -> Question | None:
    """Return the question for a matter under negotiation because one did not know how, once for each asking."""
    for matter in mind.matters.values():
        open_how = matter.stance == "negotiating" and matter.reason == "unknown_how" and matter.target
        if not open_how or len(templates_for(mind, matter.target)) < TEMPLATES_MIN:
            continue
        if mind.sys2.first_time(f"plan:{matter.id}:{matter.asked}", mind.tick):
            return Question("plan", "no_template_for_what_was_asked", {"matter": matter.id})
    return None


def _matter(mind: Mind, question: Question) -> Matter:
    return mind.matters[question.about["matter"]]


def draft(mind: Mind, question: Question) -> Draft:
    """Return the known templates that take the thing asked about, and the thing."""
    matter = _matter(mind, question)
    names = templates_for(mind, matter.target)[:TEMPLATES_MAX]
    thing = mind.beliefs.things[matter.target]
    language = str(mind.persona["language"])
    rows = tuple(
        {"id": name, "text": f"{name.replace('_', ' ')} ({mind.name_of(matter.target, language)})", "score": 0, "source": "template"}
        for name in names
    )
    return Draft(
        deps=tuple(sorted([("thing", matter.target, thing.version), ("matter", serial(matter.id), matter.version)])),
        refs={"templates": tuple(names), "objects": (f"obj-{matter.target}",)}, rows=rows, things=(matter.target,),
        persons=(matter.speaker,), tasks=tuple(names), heard=matter.text,
    )  # fmt: skip


def _steps(mind: Mind, answer: Parsed) -> list[tuple[str, dict[str, int]]] | None:
    found: list[tuple[str, dict[str, int]]] = []
    for step in answer.fields["steps"]:
        roles = roles_for(mind, step["template"], int(step["object"].partition("-")[2]))
        if roles is None:
            return None
        found.append((step["template"], roles))
    return found


def infeasible(mind: Mind, question: Question, answer: Parsed) -> str:
    """Return why the plan can't be taken on: its matter is closed, a step does not bind, or a task comes twice in a row."""
    if _matter(mind, question).stance != "negotiating":
        return "matter_closed"
    steps = _steps(mind, answer)
    if steps is None:
        return "step_does_not_bind"
    return "same_step_twice" if any(one == other for one, other in pairwise(steps)) else ""


def enact(mind: Mind, question: Question, answer: Parsed) -> Effect:
    """Accept the matter with the first task; the others follow it one by one."""
    steps = _steps(mind, answer)
    assert steps, "a plan that does not bind is refused before"
    matter = _matter(mind, question)
    first, roles = steps[0]
    settle(mind, matter, "accept", Candidate("plan", "person", "accept", first, roles, matter=matter.id, person=matter.speaker))
    if len(steps) > 1:
        mind.sys2.plans[matter.commitment] = steps[1:]
    return Effect("plan_taken_on", ("taken_on",), detail={"matter": matter.id, "tasks": [name for name, _ in steps]})


def without(mind: Mind, question: Question) -> Effect:
    """Go on negotiating: nothing was planned."""
    return Effect("no_plan", detail={"matter": _matter(mind, question).id})
