"""The reviewers of an answer, one after another: the first that does not say go has the word."""

from __future__ import annotations

from agent import decisions, second_thoughts, uncertainty
from agent.candidates import Candidate
from agent.mind import Mind
from agent.question import Question
from agent.reply import Parsed
from agent.ruling import GO, Progress, Verdict
from agent.uncertainty import Policy


def review(
    mind: Mind, question: Question | None, policy: Policy, group: tuple[Candidate, ...], answer: Parsed, progress: Progress
) -> Verdict:
    """Return the verdict on *answer*: can it be done, does it go round in circles, is it sure enough."""
    if question is not None:
        obstacle = decisions.TABLE[question.type].infeasible(mind, question, answer)
        return Verdict("refuse", f"infeasible:{obstacle}") if obstacle else GO
    chosen = next((one for one in group if one.id == answer.choice), None)
    if policy.mode != "off" and chosen is not None and uncertainty.looping(mind, chosen.label):
        # Once more with the loop as a constraint; the same answer again is left to the fallback.
        if progress.reasked:
            return Verdict("refuse", "loop", end="fallback")
        return Verdict("reask", "loop", ("loop",))
    conflict = second_thoughts.of_conflict(mind, chosen, progress)
    if conflict is not None:
        return conflict
    things = tuple({o: True for one in group for o in one.roles.values()})
    tasks = tuple(one.task for one in group)
    policy = uncertainty.carried(mind, policy, "" if chosen is None else chosen.commitment)
    verdict = uncertainty.review(policy, answer, progress, lambda tier: uncertainty.memories(mind, tier, things, tasks))
    return (verdict.kind == "go" and second_thoughts.of_feeling(mind, chosen, progress)) or verdict
