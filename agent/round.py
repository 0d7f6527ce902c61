"""One cognitive round: six fixed questions, seven sources, legality, attraction, and who decides.

The round only thinks. What it came to is committed by the kernel at a tick boundary (acting.enact).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from agent import effort
from agent.acting import settle
from agent.arbiter import Ruling, arbitrate, considered, illegal, order
from agent.attraction import Scored, score
from agent.candidates import Candidate, offers
from agent.deeds import keep_check
from agent.mind import Mind
from agent.needs import INDEX, hurts, mood
from agent.scene import unpack
from agent.subconscious import preactivation

QUESTIONS = ("safe_to_go_on", "worth_interrupting", "how", "next_task", "observe_first", "next_round")


@dataclass(frozen=True, slots=True)
class Thought:
    """What a round found: candidates best first, those dropped with reasons, the ruling, and the six answers."""

    id: str
    tick: int
    wakes: tuple[str, ...]
    ranked: tuple[Scored, ...]
    dropped: tuple[tuple[Candidate, str], ...]
    ruling: Ruling
    questions: dict[str, Any]


def think(mind: Mind, wakes: list[str]) -> Thought:
    """Run one round. The mind's stores are not changed, but for what the round itself uses up (a voice's theme)."""
    rule_on_overdue(mind)
    legal: list[Candidate] = []
    dropped: list[tuple[Candidate, str]] = []
    for at, candidate in enumerate(offers(mind), 1):
        candidate.id = f"c{at}"
        reason = illegal(mind, candidate)
        if reason:
            dropped.append((candidate, reason))
        else:
            legal.append(candidate)
    lifted = _lift(mind, legal)
    ranked = sorted([score(mind, one, mind.params.voice_lift if one.id == lifted else 0) for one in legal], key=order)
    ruling = arbitrate(mind, ranked)
    mind.next_look_tick = mind.tick + mind.ticks(mind.params.glance_ms)
    name = mind.mint("rnd")
    if ruling.check is not None:
        keep_check(mind, ruling.check.of_round(name))
    return Thought(name, mind.tick, tuple(wakes), tuple(ranked), tuple(dropped), ruling, _answers(mind, wakes, ruling))


def weigh(mind: Mind, thought: Thought) -> Thought:
    """Return *thought* with how much its question to a model is worth; a cheap one is asked no more, and S4 looks at it."""
    found = effort.weigh(mind, thought.id, thought.ruling.group)
    ruling = replace(thought.ruling, effort=found)
    if found is not None and found.kind == "cheap":
        ruling = considered(mind, replace(ruling, ask=""), list(thought.ranked))
    return replace(thought, ruling=ruling)


def rule_on_overdue(mind: Mind) -> None:
    """A request that waited too long for a stance gets one by rule: not now."""
    for matter in mind.open_matters():
        if (mind.tick - matter.asked_tick) >= mind.ticks(mind.params.answer_within_ms):
            settle(mind, matter, "postpone", None, by_rule=True)
            mind.note(
                "commit", mind.mint("rule"), choice="postpone", act="postpone", task="", matter=matter.id, decided_by="rule",
                label="answer_time_over", score=0,
            )  # fmt: skip


def _lift(mind: Mind, legal: list[Candidate]) -> str:
    """Return the id of the one candidate that an unresolved voice makes more salient this round, or ""."""
    gap = mind.ticks(mind.params.voice_theme_gap_ms)
    for voice in mind.voices.values():
        stance = mind.relations.stance("inner_voice", voice.key)
        if voice.state != "unresolved" or stance in ("muted", "blocked") or not voice.action:
            continue
        if voice.used_tick >= 0 and mind.tick - voice.used_tick < gap:
            continue
        for candidate in legal:
            task = mind.book.tasks.get(candidate.task)
            if task is None or candidate.act != "start" or voice.action not in task.verbs:
                continue
            if voice.target in (0, *candidate.roles.values()):
                voice.used_tick = mind.tick
                return candidate.id
    return ""


def _answers(mind: Mind, wakes: list[str], ruling: Ruling) -> dict[str, Any]:
    """Answer the six fixed questions, in their order."""
    choice = ruling.choice
    current = mind.intention()
    safe = not hurts(mind) and all(level > 0 for level in mind.felt)
    interrupts = choice.act != "continue" and current is not None
    if not interrupts:
        how = "go_on" if choice.act == "continue" else "begin"
    elif choice.act in ("accept", "refuse", "postpone", "negotiate"):
        how = "answer_then_resume"
    else:
        how = "replace" if choice.task in ("use_toilet", "answer_phone") else "pause"
    waiting = [c.task for c in mind.open_commitments() if c.state in ("pending", "paused")]
    lowest = min(INDEX, key=lambda need: (mind.felt[INDEX[need]], INDEX[need]))
    return {
        "safe_to_go_on": safe,
        "worth_interrupting": [wake for wake in wakes if interrupts],
        "how": how,
        "next_task": waiting[0] if waiting else choice.task,
        "observe_first": choice.task in ("look_around", "inspect"),
        "next_round": ["skill_result", f"need:{lowest}", "percept", f"look@{mind.next_look_tick}"],
    }


def record(mind: Mind, thought: Thought) -> dict[str, Any]:
    """Return the round as the log keeps it: candidates as rows of [id, source, act, task, roles, score, parts]."""

    def row(candidate: Candidate) -> list[Any]:
        what = candidate.task or candidate.matter
        return [candidate.id, candidate.source, candidate.act, what, candidate.roles, candidate.matter, candidate.commitment]

    pleasure, arousal = mood(mind, mind.tick)
    ruling = thought.ruling
    check = ruling.check
    found: dict[str, Any] = {}
    if check is not None:
        found = {"scenes": check.scenes, "vector": unpack(check.vector)}
        if check.fired:
            found["intuition"] = check.fired
        if check.shadows or check.aside:
            found["shadows"], found["aside"] = [list(row) for row in check.shadows], [list(row) for row in check.aside]
    warm = [["S2", preactivation.LATENCY_MS, f"{len(mind.inner.warm)} warm"]] if mind.inner.warm else []
    if warm or ruling.stages:
        found["stages"] = [*warm, *(list(row) for row in ruling.stages)]
    if ruling.effort is not None:
        found["effort"] = asdict(ruling.effort)
    if ruling.conflicts:
        found["conflicts"], found["label"] = list(ruling.conflicts), ruling.label
    return {
        "wakes": list(thought.wakes),
        "felt": list(mind.felt),
        "mood": [pleasure, arousal],
        "questions": thought.questions,
        "candidates": [[*row(one.candidate), one.score, one.parts] for one in thought.ranked],
        "dropped": [[*row(candidate), reason] for candidate, reason in thought.dropped],
        "group": [one.candidate.id for one in thought.ruling.group],
        "decided_by": thought.ruling.decided_by,
        "choice": thought.ruling.choice.id,
        "ask": thought.ruling.ask,
        **found,
    }
