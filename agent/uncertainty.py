"""What is done with a model's own doubt: asked for, remembered, acted on; never imputed, never taken for proof.

Theory of operation
===================
Off, nothing is asked. Else each answer to `choose` carries a confidence (0..100) and an explanation.

UAM (modes uam, both): the last k steps (observation, action, confidence, explanation) stand in the next context.

UAR (modes uar, both): an answer below tau is reflected on, or one whose commitment has carried less than delta
forward. A round of N samples is asked with a diagnosis made of the doubt; S(a) = (1/N) * sum of the confidences of the
samples equal to a; the best is put to the gate (S, the mean confidence of its votes, or both). Below it the memory is
widened, warm then cold, and another round is asked, three at most, inside deadline and budget. Then the best seen
stands, or the deterministic fallback, by declared rule.

A rise of confidence must be earned: the votes are unanimous and those of earlier rounds do not speak against it, or
the round had evidence that the first answer had not, and confirms it. An unearned rise is not accepted. The same
action on the same observation with nothing experienced in between is a loop: it is asked once more with that as a
constraint, then left to the fallback.

Mode `hard` has the switch without the reflection: below tau the fallback decides. Mode `uam` never acts on a doubt.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from agent.appraisal import scene_key
from agent.mind import Mind
from agent.reply import Parsed
from agent.ruling import GO, Progress, Verdict
from agent.subconscious import preactivation
from agent.system2 import Unsure

REFLECTIONS_MAX = 3
"""Rounds of samples of one request (spec 03, 6.3)."""

WARM = 20
"""Steps of the warm tier (spec 02, 7.4); older ones are cold: packed, and unpacked when one is wanted."""

COLD = 24
"""Experiences unpacked from the cold tier for one reflection. Chosen."""

LOOP = 3
"""Equal steps in a row, with nothing experienced in between, that make a loop. Chosen."""

EXPLANATION_MAX = 240
"""Characters of an explanation that the window keeps: two sentences."""

POOLED_MIN = 80
"""Per cent of all samples, over all rounds, that must agree with a winner that overturns the first answer. Chosen."""

STAKES = {"usual": 0, "high": 900}
"""Kind of trial -> the least tau it has, of 1000 (spec 03, 6.3)."""

Memories = Callable[[int], list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Policy:
    """How doubt is acted on. *tau* and *delta* are 0..100; *end* is best or fallback.

    *delta* is what the validity of a commitment, carried forward by the minimum, may not fall below; 0 asks nothing of it.
    *carried* is that validity before the answer at hand.
    *depth* is N of the one reflection that the compute scheduler wants, 0 for none; -1 where it has no say.
    """

    mode: str = "off"
    tau: int = 80
    samples: int = 3
    gate: str = "mean_confidence"
    expand: bool = True
    end: str = "best"
    rounds_max: int = REFLECTIONS_MAX
    depth: int = -1
    delta: int = 0
    carried: int = 100

    def sure(self, confidence: int) -> bool:
        """Return whether an answer of this *confidence* may stand as it is."""
        return confidence >= self.tau and min(confidence, self.carried) >= self.delta


def policy_of(settings: dict[str, Any], *, live: bool = False, depth: int = -1) -> Policy:
    """Return the declared policy; memory is never widened in live pace (spec 03, 6.5).

    With the scheduler on, it says how much thought a question gets: doubt is asked for and remembered, and tau is at rest.
    """
    mode = settings.get("uncertainty", "off")
    return Policy(
        "uam" if mode != "off" and settings.get("scheduler") else mode, tau_of(settings) // 10, settings.get("samples", 3),
        settings.get("gate", "mean_confidence"), bool(settings.get("expand_memory", True)) and not live,
        depth=depth, delta=settings.get("delta", 0) // 10,
    )  # fmt: skip


def tau_of(settings: dict[str, Any]) -> int:
    """Return the declared tau, 0..1000, raised to what the kind of trial asks for at least."""
    return max(int(settings.get("tau", 800)), STAKES[settings.get("stakes", "usual")])


def carried(mind: Mind, policy: Policy, commitment: str) -> Policy:
    """Return *policy* with the validity that *commitment* has carried so far."""
    return replace(policy, carried=mind.sys2.validity.get(commitment, 100)) if policy.delta else policy


def asked(mind: Mind) -> bool:
    """Return whether answers carry a confidence."""
    return bool(mind.settings.get("uncertainty", "off") != "off")


def shown(mind: Mind) -> dict[str, Any]:
    """Return the window as a part of the state summary, in the modes that remember."""
    if mind.settings.get("uncertainty", "off") not in ("uam", "both"):
        return {}
    return {
        "recent_steps": [
            {"observation": one.observation, "action": one.action, "confidence": one.confidence, "explanation": one.explanation}
            for one in mind.sys2.window
        ]
    }


def review(policy: Policy, answer: Parsed, progress: Progress, memories: Memories) -> Verdict:
    """Return what is to be done about the doubt in *answer*."""
    if policy.depth >= 0:
        return _as_scheduled(policy, answer, progress)
    if policy.mode in ("off", "uam") or answer.confidence is None:
        return GO
    if policy.mode == "hard":
        return GO if policy.sure(answer.confidence) else Verdict("refuse", "unsure", end="fallback")
    if not progress.round:
        return GO if policy.sure(answer.confidence) else _reflect(policy, answer, progress, memories)
    if progress.samples and passes(policy, progress) and earned(answer, progress):
        return Verdict("go", "reflected")
    if progress.round < policy.rounds_max and progress.may_ask:
        return _reflect(policy, progress.first or answer, progress, memories)
    if policy.end == "fallback":
        return Verdict("refuse", "still_unsure", end="fallback")
    # The best seen: a surer winner with a ground for it, else what was thought first.
    before = -1 if progress.first is None or progress.first.confidence is None else progress.first.confidence
    surer = progress.samples and progress.mean_confidence > before and earned(answer, progress)
    return Verdict("go", "best_seen") if surer else Verdict("keep", "unearned")


def _as_scheduled(policy: Policy, answer: Parsed, progress: Progress) -> Verdict:
    """Reflect once with the scheduler's N, or not at all; what the samples say must be earned as any rise of confidence."""
    if not policy.depth:
        return GO
    if not progress.round:
        note = {"before": answer.choice, "confidence": answer.confidence, "doubts": answer.because[:EXPLANATION_MAX]}
        return Verdict("sample", "scheduled", samples=policy.depth, stands=True, note=note)
    if progress.samples and earned(answer, progress):
        same = progress.first is not None and answer.choice == progress.first.choice
        return Verdict("go", "confirmed" if same else "overturned")
    return Verdict("keep", "unearned")


def passes(policy: Policy, progress: Progress) -> bool:
    """Return whether the winner of a round reaches tau by the declared gate."""
    score, mean = progress.score >= policy.tau, progress.mean_confidence >= policy.tau
    return {"score": score, "mean_confidence": mean, "both": score and mean}[policy.gate]


def earned(winner: Parsed, progress: Progress) -> bool:
    """Return whether the winner's confidence has a ground: no rise, unanimous votes, or new evidence for the first answer.

    A widened memory may confirm what was thought; to overturn it takes all votes, or one confident invention would.
    """
    first = progress.first
    before = -1 if first is None or first.confidence is None else first.confidence
    confirms = progress.widened and first is not None and winner.choice == first.choice
    agreed = progress.unanimous and progress.pooled >= POOLED_MIN
    return progress.mean_confidence <= before or agreed or confirms


def _reflect(policy: Policy, answer: Parsed, progress: Progress, memories: Memories) -> Verdict:
    """Ask for a round of samples, with the doubt itself as the diagnosis."""
    note: dict[str, Any] = {
        "before": answer.choice, "confidence": answer.confidence, "doubts": answer.because[:EXPLANATION_MAX],
    }  # fmt: skip
    if policy.expand and progress.round:
        found = memories(progress.round)
        if found:
            note["memories"] = found
    return Verdict("sample", "unsure", samples=policy.samples, stands=True, note=note)


# --- the window ---------------------------------------------------------------------------------------------------


def observation(mind: Mind) -> str:
    """Return what is so now, as one key: scene, posture, and how much has been experienced."""
    return f"{scene_key(mind)}/{mind.posture}/{len(mind.memory.items)}"


def looping(mind: Mind, action: str) -> bool:
    """Return whether *action* was the answer to this very observation LOOP - 1 times in a row before."""
    here = observation(mind)
    last = mind.sys2.steps[-(LOOP - 1) :]
    return len(last) == LOOP - 1 and all((one.observation, one.action) == (here, action) for one in last)


def keep(mind: Mind, action: str, confidence: int | None, explanation: str, commitment: str) -> None:
    """Take one committed answer into the window; carry the validity of its commitment forward by the minimum."""
    sure = -1 if confidence is None else confidence
    step = Unsure(mind.tick, observation(mind), action, sure, explanation[:EXPLANATION_MAX])
    mind.sys2.steps.append(step)
    mind.sys2.window = mind.sys2.steps[-int(mind.settings.get("k", 6)) :]
    valid = -1
    if commitment and sure >= 0:
        valid = mind.sys2.validity[commitment] = min(mind.sys2.validity.get(commitment, 100), sure)
        for gone in [name for name in mind.sys2.validity if name not in mind.commitments]:
            del mind.sys2.validity[gone]
    mind.note(
        "step", commitment, observation=step.observation, action=action, confidence=confidence, explanation=step.explanation,
        validity=None if valid < 0 else valid,
    )  # fmt: skip


def memories(mind: Mind, tier: int, about: tuple[int, ...], actions: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return what a widened memory adds: tier 1 the warm steps beyond the window, tier 2 and on the cold experiences."""
    if tier == 1:
        warm = mind.sys2.steps[-WARM:]
        beyond = warm[: max(0, len(warm) - len(mind.sys2.window))]
        if beyond:
            return [{"did": one.action, "confidence": one.confidence, "explanation": one.explanation} for one in beyond]
    return [
        {"id": f"exp-{one.ordinal}", "did": one.action, "came_of_it": one.outcome, "reward": one.reward}
        for one in preactivation.recall(mind, about, actions, COLD)[6:]
    ]
