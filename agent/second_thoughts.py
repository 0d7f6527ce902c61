"""S4 and S5 on a model's answer: each may have it asked again once; what is answered then stands."""

from __future__ import annotations

from agent import scene
from agent.candidates import Candidate
from agent.mind import Mind
from agent.ruling import Progress, Verdict
from agent.subconscious import conflict_warning, emotion


def of_conflict(mind: Mind, chosen: Candidate | None, progress: Progress) -> Verdict | None:
    """Return S4's word: a conflict is asked about again, with the conflicts as constraints; a rule is not got round."""
    if chosen is None:
        return None
    found = conflict_warning.conflicts(mind, chosen)
    rules = [code for code in found if code.startswith("rule:")]
    if progress.reasked:
        return Verdict("refuse", "conflict", end="fallback") if rules else None
    return Verdict("reask", "conflict", found, stands=not rules) if found else None


def of_feeling(mind: Mind, chosen: Candidate | None, progress: Progress) -> Verdict | None:
    """Return S5's word: a bad feeling uses the one more asking, if it is unused."""
    if chosen is None or progress.reasked:
        return None
    label = scene.label_of(mind, chosen)
    if emotion.uneasy(mind, label, scene.vector(mind)):
        return Verdict("reask", "feeling", (f"feeling:{label}",), stands=True)
    return None
