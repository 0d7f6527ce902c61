"""sys1: what settles a near tie without a model. Emergent intuitions, or one of three baselines behind the same door.

intuition   learned ones only: exact trigger, similar scene, sure enough, simple enough, no conflict, no bad feeling
fixed       a finite-state machine written by hand, as the dual-process agents before it have one
router      a fixed threshold on the lead (router_gap): wide enough is sys1, else it is left unsettled
none        nothing is ever settled here
"""

from __future__ import annotations

from dataclasses import dataclass

from agent import intuition, scene
from agent.attraction import Scored
from agent.candidates import Candidate
from agent.inner import DEMOTED, RECOVERING, WARNING, Check, Intuition
from agent.mind import Mind
from agent.needs import INDEX
from agent.subconscious import conflict_warning, emotion

CHECK_MS = 5
"""Declared simulated latency of the intuition check."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What came of it: the choice or None, and what the round keeps of it."""

    choice: Candidate | None
    check: Check
    stages: tuple[tuple[str, int, str], ...] = ()


def settle(mind: Mind, group: tuple[Scored, ...]) -> Settled:
    """Return who wins the near tie *group* by sys1, if anyone does."""
    around, vector = scene.surroundings(mind), scene.vector(mind)
    scenes = {one.candidate.id: scene.scene_of(mind, one.candidate, around) for one in group}
    check = Check("", scenes, vector)
    kind = str(mind.settings.get("sys1", "none"))
    if kind == "fixed":
        return Settled(_machine(mind, group), check, (("check", CHECK_MS, "machine"),))
    if kind == "router":
        wide = group[0].score - group[1].score >= mind.params.router_gap
        return Settled(group[0].candidate if wide else None, check, (("check", CHECK_MS, "lead" if wide else "close"),))
    if kind == "none":
        return Settled(None, check)
    return _emergent(mind, group, check)


def _emergent(mind: Mind, group: tuple[Scored, ...], check: Check) -> Settled:
    """Ask the library: exact key, similarity, confidence, complexity; then S4 on each, S5 on the winner."""
    params = mind.params
    aside: list[tuple[str, str]] = []
    shadows: list[tuple[str, str]] = []
    firing: list[tuple[int, int, str, Candidate]] = []
    objected = False
    for candidate in (one.candidate for one in group):
        for one in mind.inner.triggered_by(check.scenes[candidate.id]):
            if not matches(mind, one, candidate, check.vector, group):
                continue
            if one.status in (DEMOTED, RECOVERING):
                shadows.append((one.id, candidate.id))
                continue
            sure = intuition.confidence(one)
            objections = conflict_warning.conflicts(mind, candidate, warned=one.status == WARNING)
            objected = objected or bool(objections)
            if sure <= params.theta_conf:
                aside.append((one.id, "unsure"))
            elif objections:
                aside.append((one.id, f"conflict:{objections[0]}"))
            else:
                firing.append((-scene.similarity(one.vector, check.vector), -sure, one.id, candidate))
    stages = [("check", CHECK_MS, f"{len(firing)} fire" if firing else "none")]
    if firing or objected:
        stages.append(("S4", conflict_warning.LATENCY_MS, "conflict" if objected else "clear"))
    choice, fired = None, ""
    if firing:
        best = min(firing, key=lambda row: row[:3])
        choice, fired = best[3], best[2]
        bad = emotion.uneasy(mind, mind.inner.library[fired].label, check.vector)
        stages.append(("S5", emotion.LATENCY_MS, "uneasy" if bad else "confirms"))
        if bad:
            aside.append((fired, "feeling"))
            choice, fired = None, ""
    return Settled(choice, Check("", check.scenes, check.vector, fired, tuple(shadows), tuple(aside)), tuple(stages))


def matches(mind: Mind, one: Intuition, candidate: Candidate, vector: bytes, group: tuple[Scored, ...]) -> bool:
    """Return whether *one* would choose *candidate* here, leaving aside its standing. Its scene key is known to be equal."""
    if one.label != scene.label_of(mind, candidate) or scene.similarity(one.vector, vector) <= mind.params.theta_sim:
        return False
    return complexity(mind, candidate, group) <= mind.params.theta_complex


def complexity(mind: Mind, candidate: Candidate, group: tuple[Scored, ...]) -> int:
    """Return w1 min(1, chars/1000) + w2 min(1, entities/10) + w3 min(1, steps/10) of choosing *candidate*, in thousandths."""
    params = mind.params
    entities = {ordinal: True for one in group for ordinal in (*one.candidate.roles.values(), one.candidate.person) if ordinal}
    texts = [mind.matters[one.candidate.matter].text for one in group if one.candidate.matter][:1]
    chars = sum(len(one.candidate.label) for one in group) + sum(map(len, texts))
    task = mind.known_task(candidate.task)
    steps = 0 if task is None else len(task.steps)
    return (
        params.weight_chars * min(1000, chars) + params.weight_entities * min(1000, 100 * len(entities))
        + params.weight_steps * min(1000, 100 * steps)
    ) // 1000  # fmt: skip


# --- the hand-written machine -------------------------------------------------------------------------------------

STATES: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("pressed", (("start", "body"), ("resume", "body"))),
    ("asked", (("accept", "person"), ("postpone", "person"), ("refuse", "person"))),
    ("promised", (("start", "goal"), ("continue", "commitment"), ("resume", "commitment"))),
    ("at_work", (("continue", "commitment"),)),
    ("free", (("start", "practice"), ("start", "body"), ("start", "goal"), ("start", "observation"))),
)
"""State -> (act, source) in order of preference. Written once, by hand: it can't learn, and it doesn't change."""


def _machine(mind: Mind, group: tuple[Scored, ...]) -> Candidate | None:
    """Return what the finite-state machine does in its present state, if that is in the group."""
    wishes = dict(STATES)[_state(mind)]
    for act, source in wishes:
        for one in group:
            if (one.candidate.act, one.candidate.source) == (act, source):
                return one.candidate
    return None


def _state(mind: Mind) -> str:
    if min(mind.felt[INDEX[need]] for need in ("bladder", "hydration", "satiety", "energy")) < mind.params.urgent:
        return "pressed"
    if mind.open_matters():
        return "asked"
    if any(one.kind == "obligation" for one in mind.open_commitments()):
        return "promised"
    return "at_work" if mind.busy() else "free"
