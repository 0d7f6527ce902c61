"""Who decides: a clear leader, an intuition, the model, or the deterministic best; and what may be chosen at all.

Legality comes first and is recorded with its reason. A candidate outside the near-tie group can't be chosen by
anything later in the round, except by the explicit ends wait / refuse / none feasible and the fallback.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from agent.attraction import Scored
from agent.candidates import SOURCES, Candidate
from agent.inner import Check
from agent.matters import rule_against, unchanged
from agent.mind import Mind
from agent.needs import INDEX
from agent.planning import AWAY, absent, bind, feasible, method_key
from agent.scheduler.room import Effort
from agent.subconscious.conflict_warning import LATENCY_MS, look_first
from agent.sys1 import settle

SOURCE_ORDER = {source: at for at, source in enumerate(SOURCES)}
# What a task is called when a rule speaks of actions (rules use the lexicon's verbs).
URGENT_TASKS = ("use_toilet", "drink_water", "eat_snack", "eat_cold_meal")

STANCES = ("accept", "refuse", "postpone", "negotiate")


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the round came to: who decided, for which candidate, out of which group; *ask* if a model is worth asking.

    *label* is observe_first where S4 let a look go before the leader; *check* is what sys1 found in a near tie, and
    *stages* are the modules that ran: (name, declared latency in ms, what they said). *effort* is what the compute
    scheduler found the question to a model worth, where it is on.
    """

    decided_by: str
    choice: Candidate
    group: tuple[Scored, ...]
    ask: str = ""
    label: str = ""
    check: Check | None = None
    stages: tuple[tuple[str, int, str], ...] = ()
    conflicts: tuple[str, ...] = ()
    effort: Effort | None = None


def illegal(mind: Mind, candidate: Candidate) -> str:
    """Return "" for a legal candidate, else why it is not."""
    if candidate.unable:
        return f"unable:{candidate.unable}"
    if candidate.matter and candidate.act == "accept":
        matter = mind.matters[candidate.matter]
        if matter.stance == "refused" and unchanged(mind, matter):
            return "refused_before"
    if candidate.act not in ("start", "resume", "continue") or not candidate.task:
        return ""
    task = mind.task(candidate.task)
    target = next(iter(candidate.roles.values()), 0)
    if not candidate.matter:
        for verb in task.verbs:
            forbidden = rule_against(mind, verb, target)
            if forbidden:
                return f"rule:{forbidden}"
    if candidate.act == "continue":
        return f"unable:{AWAY}" if absent(mind, task, candidate.roles) else ""
    method = mind.methods.get(method_key(candidate.task, candidate.roles, mind))
    if method is not None and method.failures_in_row >= mind.params.failures_per_method_max:
        if (mind.tick - method.failed_tick) * mind.tick_ms < mind.params.failed_method_ms:
            return "method_failed"
    lacking = feasible(mind, task, candidate.roles)
    return f"unable:{lacking}" if lacking else ""


def order(scored: Scored) -> tuple[int, int, str]:
    """Return the sort key of a deterministic choice: best score, then source order, then id. Never chance."""
    return (-scored.score, SOURCE_ORDER[scored.candidate.source], scored.candidate.id)


def near_tie(ranked: list[Scored], gap_min: int) -> tuple[Scored, ...]:
    """Return the leader and all that are strictly less than *gap_min* behind it; *ranked* is best first."""
    best = ranked[0].score
    return tuple(one for one in ranked if best - one.score < gap_min)


def worth_asking(group: tuple[Scored, ...]) -> str:
    """Return the reason code for which a model is worth asking about this group, or ""."""
    sources = {one.candidate.source: True for one in group}
    touched = [touch for one in group for touch in one.candidate.touches]
    if len(sources) < 2:
        return ""
    for touch in ("person", "role", "boundary", "setting"):
        if touch in touched:
            return f"near_tie_{touch}"
    return ""


def arbitrate(mind: Mind, ranked: list[Scored]) -> Ruling:
    """Return who decides over the legal candidates, best first: a leader, sys1 within a near tie, or its best member."""
    group = near_tie(ranked, mind.params.gap_min)
    leader = group[0].candidate
    if len(group) == 1:
        return considered(mind, Ruling("clear", leader, group), ranked)
    found = settle(mind, group)
    if found.choice is not None:
        return Ruling("sys1", found.choice, group, check=found.check, stages=found.stages)
    ruling = Ruling("deterministic", leader, group, worth_asking(group), check=found.check, stages=found.stages)
    # What a model is asked about, S4 looks at when the answer is there.
    return ruling if ruling.ask else considered(mind, ruling, ranked)


def considered(mind: Mind, ruling: Ruling, ranked: list[Scored]) -> Ruling:
    """Return *ruling*, or a look first where S4 knows something against the leader."""
    look, conflicts = look_first(mind, ruling.choice, ranked)
    if not conflicts:
        return ruling
    stages = (*ruling.stages, ("S4", LATENCY_MS, "conflict"))
    if look is None:
        return replace(ruling, stages=stages, conflicts=conflicts)
    return replace(ruling, choice=look, label="observe_first", stages=stages, conflicts=conflicts)


def fallback(mind: Mind, legal: list[Scored]) -> Candidate:
    """Return the deterministic fallback: an answer that is waited for; else go on; else the most urgent need with a usable
    regulator; else the next task; else wait.

    Who asks is answered by what can be told without a model, the best stance: a failed question is no reason to let them wait.
    """
    for one in legal:
        if one.candidate.act in STANCES and mind.matters[one.candidate.matter].open:
            return one.candidate
    by_act = [one.candidate for one in legal if one.candidate.act == "continue"]
    if by_act:
        return by_act[0]
    worst = sorted((level, need) for need, level in zip(INDEX, mind.felt, strict=True) if level < mind.params.urgent)
    for _, need in worst:
        for one in legal:
            if one.candidate.act == "start" and need in mind.task(one.candidate.task).needs:
                return one.candidate
    for one in legal:
        if one.candidate.act == "resume" or (one.candidate.act == "start" and one.candidate.commitment):
            return one.candidate
    return next(one.candidate for one in legal if one.candidate.task in ("look_around", "wait_quietly"))


def rebind(mind: Mind, candidate: Candidate) -> bool:
    """Return whether *candidate* is still subjectively possible now (asked again before a commit)."""
    if candidate.task and candidate.act in ("start", "resume", "accept"):
        roles = bind(mind, mind.task(candidate.task), candidate.roles)
        return roles is not None and not feasible(mind, mind.task(candidate.task), roles)
    return True
