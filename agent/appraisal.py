"""What an outcome teaches: each learning domain at most once per event, every step small and bounded.

Domains have their own numbers, so that one event with several contributing factors may teach several of them, and
none of them twice: not when it is told again, replayed or resumed.
"""

from __future__ import annotations

from agent.commitments import Commitment
from agent.memory import Experience
from agent.mind import Mind
from agent.needs import stir
from agent.planning import method_key

SKILL, OBJECT, PERSON, BOUNDARY, FEELING, GOAL, INTUITION = range(7)
DOMAINS = ("skill", "object", "person", "boundary", "feeling", "goal", "intuition")


def remember(
    mind: Mind, kind: str, action: str, outcome: str, reward: int, importance: int, origin: int, source: str,
    things: tuple[int, ...] = (), persons: tuple[int, ...] = (),
) -> Experience:  # fmt: skip
    """Append one experience; its scene key is what was so around it."""
    experience = Experience(
        len(mind.memory.items), mind.tick, kind, scene_key(mind), action, outcome, reward, importance, origin, source,
        things, persons,
    )  # fmt: skip
    mind.memory.add(experience)
    mind.note("experience", f"exp-{experience.ordinal}", row=list(experience.row()))
    return experience


def scene_key(mind: Mind) -> str:
    """Return the symbolic scene: part of the day, company, and the lowest need if it presses."""
    part = ("night", "morning", "noon", "afternoon", "evening", "late")[mind.clock_ms // 14_400_000]
    company = "company" if mind.present else "alone"
    low = min(range(len(mind.felt)), key=lambda at: (mind.felt[at], at))
    return f"{part}/{company}/{low if mind.felt[low] < mind.params.low else '-'}"


def new_origin(mind: Mind) -> int:
    """Return a fresh origin for an event of the resident's own doing."""
    mind.serials["origin"] = mind.serials.get("origin", 0) + 1
    return mind.serials["origin"]


def learn_from_task(mind: Mind, commitment: Commitment, how: str, reason: str) -> None:
    """Take the end of a task into method confidence, feeling, practice and goal counts, mood and memory."""
    if how in ("replaced", "cancelled"):
        return
    origin, params = new_origin(mind), mind.params
    done = how == "done"
    # What the body got out of it, as felt, plus whether it came to its end.
    began = commitment.begun_felt or mind.felt
    body = sum(now - then for now, then in zip(mind.felt, began, strict=True) if now > then) // 3
    reward = max(0, min(1000, 550 + body if done else 300))
    if mind.teach(origin, SKILL):
        method = mind.method(method_key(commitment.task, commitment.roles, mind))
        if done:
            method.confidence = min(1000, method.confidence + params.method_gain * (1000 - method.confidence) // 300)
            method.failures_in_row, method.done, method.done_tick = 0, method.done + 1, mind.tick
        else:
            method.confidence = max(0, method.confidence - params.method_loss)
            method.failures_in_row, method.failed_tick = method.failures_in_row + 1, mind.tick
        mind.note("learn", method.key, domain="skill", confidence=method.confidence, row=method.failures_in_row, origin=origin)
    if mind.teach(origin, FEELING):
        old = mind.feelings.get(commitment.task, 500)
        mind.feelings[commitment.task] = old + (reward - old) // 4
        stir(mind, mind.tick, 60 if done else -90, 30)
    if done:
        count(mind, commitment)
    remember(
        mind, "task", commitment.task, how if done else f"{how}:{reason}", reward, 300 if done else 450, origin, "own",
        tuple(commitment.roles.values()), (commitment.person,) if commitment.person else (),
    )  # fmt: skip


def count(mind: Mind, commitment: Commitment) -> None:
    """Count a finished task for today's practice and for its goal."""
    practice = commitment.practice
    if not practice:
        practice = next((p["id"] for p in mind.persona["practices"] if p["task"] == commitment.task), "")
    if practice:
        day, times, _ = mind.practised.get(practice, (-1, 0, 0))
        mind.practised[practice] = (mind.day, times + 1 if day == mind.day else 1, mind.tick)
        mind.note("practice", practice, task=commitment.task, day=mind.day)
    for goal in mind.persona["goals"]:
        if commitment.goal == goal["id"] or (not commitment.goal and commitment.task in goal["tasks"]):
            state = mind.goals.get(goal["id"], ("active", -1))[0]
            mind.goals[goal["id"]] = (state, mind.tick)
            mind.note("goal", goal["id"], task=commitment.task)
            break
    if commitment.task == "explore_room":
        mind.explored[commitment.roles["place"]] = mind.tick
    if commitment.task == "look_around":
        mind.look_tick = mind.tick
    if commitment.task == "inspect":
        mind.notable.pop(commitment.roles["object"], None)
