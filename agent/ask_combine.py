"""combine: a new way to a live goal that has no feasible candidate, out of known objects and registered skills only.

The reply proposes; `compile_task` tries to build a task of it and asks every skill's own predicates over the beliefs.
What does not compile does not exist. A compiled task is a candidate of the next round, like any other.
"""

from __future__ import annotations

from agent.candidates import Candidate
from agent.mind import Mind
from agent.percept import SELF
from agent.planning import feasible, fits, reachable_somehow
from agent.question import Draft, Effect, Question
from agent.reply import Parsed
from agent.round import Thought
from agent.skill import Selector, Skill, Step, TaskTemplate, risk_of

OBJECTS_MAX = 24
MADE_MAX = 12
MINUTES = 15  # for skills that take an amount; chosen
CONDITIONS = ("done", "in_hand", "reached")
"""What may be verified: every step perceived as successful, the first object in hand, the first object within reach."""


def wanted(mind: Mind, thought: Thought) -> Question | None:
    """Return the question for the first live goal of which every candidate was dropped; once a day for each goal."""
    offered = {one.candidate.goal: True for one in thought.ranked if one.candidate.goal}
    for candidate, reason in thought.dropped:
        goal = candidate.goal
        blocked = goal and goal not in offered and _blocked(mind, candidate, reason)
        if blocked and mind.sys2.first_time(f"combine:{goal}:{mind.day}", mind.tick):
            return Question("combine", "live_goal_without_feasible_candidate", {"goal": goal})
    return None


def _blocked(mind: Mind, candidate: Candidate, reason: str) -> bool:
    """Return whether *candidate* fails for want of means; a plant that is wet enough, or a rule, is no want of means."""
    if not reason.startswith("unable:"):
        return False
    if reason != "unable:unbound":
        return True
    for selector in mind.task(candidate.task).roles.values():
        fit = [o for o in mind.tagged(selector.tag) if fits(mind, selector, o)]
        if not mind.tagged(selector.tag) or (fit and not any(reachable_somehow(mind, o) for o in fit)):
            return selector.tag not in ("person", "thing", "any", "region")
    return False


def usable(skill: Skill) -> bool:
    """Return whether *skill* may stand in a proposal: it handles things, and can be taken back."""
    return bool(skill.roles) and not skill.irreversible and "person" not in skill.roles and skill.id not in ("sleep", "nap", "wake")


def draft(mind: Mind, question: Question) -> Draft:
    """Return the known things within reach somehow, and the registered skills that handle things."""
    goal = next(each for each in mind.persona["goals"] if each["id"] == question.about["goal"])
    things = [
        o for o in sorted(mind.beliefs.things, key=lambda o: (mind.distance(o), o))
        if o != SELF and o not in mind.present and not mind.has_tag(o, "region") and reachable_somehow(mind, o)
    ][:OBJECTS_MAX]  # fmt: skip
    language = str(mind.persona["language"])
    rows = tuple({"id": f"obj-{o}", "text": mind.name_of(o, language), "score": 0, "source": "known"} for o in things)
    skills = tuple(name for name, skill in mind.book.skills.items() if usable(skill))
    return Draft(
        refs={"objects": tuple(f"obj-{o}" for o in things), "skills": skills, "conditions": CONDITIONS}, rows=rows,
        observations=({"kind": "goal", "source": "own", "text": goal["title"][language]},), tasks=tuple(goal["tasks"]),
    )  # fmt: skip


def compile_task(mind: Mind, answer: Parsed, name: str) -> tuple[TaskTemplate, dict[str, int]] | None:
    """Return the proposal as a task with its roles bound, or None: some skill has no object that fits it."""
    proposal = answer.fields["proposals"][0]
    objects = [int(one.partition("-")[2]) for one in proposal["objects"]]
    roles: dict[str, int] = {}
    steps: list[Step] = []
    for number, skill_id in enumerate(proposal["skills"], 1):
        skill = mind.book.skills[skill_id]
        words: list[str] = []
        for role in skill.roles:
            found = next((o for o in objects if o not in [roles[w] for w in words] and _fits(mind, skill, role, o)), 0)
            if not found:
                return None
            words.append(f"{role}_{number}")
            roles[words[-1]] = found
        steps.append(Step(skill_id, tuple(words)))
    selectors = {role: Selector("thing") for role in roles}
    task = TaskTemplate(name, {}, selectors, tuple(steps), MINUTES, "made", (), False, "steps", risk_of(tuple(steps), mind.book.skills))
    mind.sys2.made[name] = task
    lacking = feasible(mind, task, roles)
    del mind.sys2.made[name]
    return None if lacking else (task, roles)


def _fits(mind: Mind, skill: Skill, role: str, ordinal: int) -> bool:
    """Return whether what *skill* asks of the kind of thing in *role* holds for *ordinal*."""
    return all(
        mind.has_tag(ordinal, str(each[3])) == each[0] for each in skill.pre if each[1] == "is" and each[2] == role
    )


def infeasible(mind: Mind, question: Question, answer: Parsed) -> str:
    """Return why the proposal is none: it does not compile."""
    assert question.about["goal"]
    return "" if compile_task(mind, answer, "probe") is not None else "does_not_compile"


def enact(mind: Mind, question: Question, answer: Parsed) -> Effect:
    """Keep the compiled task for its goal; the next round may offer it."""
    name = mind.mint("made")
    compiled = compile_task(mind, answer, name)
    assert compiled is not None
    store = mind.sys2
    store.made[name], store.made_for[name] = compiled[0], question.about["goal"]
    store.plans[name] = [(name, compiled[1])]
    for old in [each for each in store.made if not any(c.task == each for c in mind.commitments.values())][:-MADE_MAX]:
        for kept in (store.made, store.made_for, store.plans):
            kept.pop(old, None)
    return Effect("task_made", ("task_made",), detail={"task": name, "goal": question.about["goal"], "roles": compiled[1]})


def without(mind: Mind, question: Question) -> Effect:
    """Observe or wait, as the round did."""
    assert mind.tick >= 0
    return Effect("nothing_made", detail={"goal": question.about["goal"]})
