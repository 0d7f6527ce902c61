"""The six decision types beside choose, in one table: what is asked, what an answer does, what stands without one.

`choose` is the round's own (agent/asking.py, sim/kernel.py). One request is in flight at a time: what decides the
round (choose, intention) goes first, what the round found beside its choice (plan, appraise, combine) after the
commit, words when they are about to be said, a reflection in the slow loop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agent import ask_appraise, ask_combine, ask_intention, ask_plan, ask_reflect, ask_speak
from agent.candidates import Candidate
from agent.mind import Mind
from agent.question import Draft, Effect, Question
from agent.reply import Parsed
from agent.round import Thought

Group = dict[str, Candidate]


@dataclass(frozen=True, slots=True)
class Deciding:
    """How one type is drafted, checked against the mind, enacted, and done without."""

    draft: Callable[[Mind, Question, Group, dict[str, int]], Draft]
    infeasible: Callable[[Mind, Question, Parsed], str]
    enact: Callable[[Mind, Question, Parsed, Group], Effect]
    without: Callable[[Mind, Question], Effect]


def _plain(module: Any) -> Deciding:
    return Deciding(
        lambda mind, question, group, scores: module.draft(mind, question), module.infeasible,
        lambda mind, question, answer, group: module.enact(mind, question, answer), module.without,
    )  # fmt: skip


def _goes_on(mind: Mind, question: Question) -> Effect:
    """Leave an unanswered intention to the round's own fallback: on to the next pausing point."""
    assert question.about["intention"]
    return Effect("goes_on", ("fallback",) if mind.busy() else ())


TABLE: dict[str, Deciding] = {
    "intention": Deciding(
        lambda mind, question, group, scores: ask_intention.draft(mind, question, list(group.values()), scores),
        ask_intention.infeasible, ask_intention.enact, _goes_on,
    ),
    "plan": _plain(ask_plan),
    "appraise": _plain(ask_appraise),
    "speak": _plain(ask_speak),
    "reflect": _plain(ask_reflect),
    "combine": _plain(ask_combine),
}  # fmt: skip


def instead(mind: Mind, thought: Thought, types: tuple[str, ...]) -> Question | None:
    """Return the question that decides this round in place of its own choice, if there is one."""
    return ask_intention.wanted(mind, thought) if "intention" in types else None


def beside(mind: Mind, thought: Thought, types: tuple[str, ...]) -> Question | None:
    """Return the one question that the round has found beside its choice, if there is one."""
    if "plan" in types and (found := ask_plan.wanted(mind)) is not None:
        return found
    if "appraise" in types and (found := ask_appraise.wanted(mind)) is not None:
        return found
    return ask_combine.wanted(mind, thought) if "combine" in types else None


def of_slow_loop(mind: Mind, types: tuple[str, ...]) -> Question | None:
    """Return the question of a pass of the slow loop that ended at this tick, if there is one."""
    return ask_reflect.wanted(mind) if "reflect" in types else None


def to_say(mind: Mind, types: tuple[str, ...]) -> Question | None:
    """Return the question for the next words, if there is one."""
    return ask_speak.wanted(mind) if "speak" in types else None
