"""What one completed deed teaches the deep mind, in a fixed order: S5's history, the thought, S1, S3, then intuitions."""

from __future__ import annotations

from agent import effort, intuition, scene, thoughts
from agent.inner import DEMOTED, RECOVERING, Deed
from agent.memory import Experience
from agent.mind import Mind
from agent.subconscious import emotion, implicit_learning, pattern_monitor

GOOD_ENDS = ("done", "let_be")


def take(mind: Mind, deed: Deed, experience: Experience, task: str, *, intuitions: bool) -> None:
    """Let *deed*, closed by *experience*, teach; *intuitions* says whether its origin may still teach that domain."""
    outcome, reward = experience.outcome, experience.reward
    good = outcome in GOOD_ENDS and reward >= 500
    emotion.remember(mind, deed.label, deed.vector, reward)
    effort.take(mind, deed, good=good, experience=experience.ordinal)
    thoughts.learn(mind, deed.label, deed.scene, experience.origin, good, deed.vector)
    actions = scene.actions_of(deed.label, mind.known_task(task))
    told = implicit_learning.learn(mind, deed.pattern)
    pattern_monitor.monitor(mind, deed.pattern, deed.vector, actions, outcome_vector(mind, deed, good, reward), told)
    if not intuitions:
        return
    library = mind.inner.library
    if deed.fired in library:
        intuition.used(mind, library[deed.fired], deed, outcome, reward, experience.ordinal)
    for name in deed.shadows:
        if name in library and library[name].status in (DEMOTED, RECOVERING):
            intuition.shadowed(mind, library[name], deed, outcome, reward)


def outcome_vector(mind: Mind, deed: Deed, good: bool, reward: int) -> list[int]:
    """Return what came of *deed* as small whole numbers: success, reward, reaction, and what the body felt of it."""
    felt = [(now - then) // 4 for now, then in zip(mind.felt, deed.felt, strict=True)] if deed.felt else [0] * len(mind.felt)
    return [100 if good else -100, (reward - 500) // 4, deed.reaction // 2, *felt]
