"""What an outcome teaches: each learning domain at most once per event, every step small and bounded.

Domains have their own numbers, so that one event with several contributing factors may teach several of them, and
none of them twice: not when it is told again, replayed or resumed.
"""

from __future__ import annotations

from agent import deeds, learning
from agent.commitments import Commitment
from agent.hypotheses import MAJOR
from agent.inner import Deed
from agent.memory import Experience, shared
from agent.mind import Mind
from agent.needs import stir
from agent.planning import AWAY, method_key

SKILL, OBJECT, PERSON, BOUNDARY, FEELING, GOAL, INTUITION = range(7)
DOMAINS = ("skill", "object", "person", "boundary", "feeling", "goal", "intuition")


def remember(
    mind: Mind, kind: str, action: str, outcome: str, reward: int, importance: int, origin: int, source: str,
    things: tuple[int, ...] = (), persons: tuple[int, ...] = (), deed: Deed | None = None,
) -> Experience:  # fmt: skip
    """Append one experience; its scene key is what was so around it, or what a *deed* was chosen in."""
    place, label, vector = (scene_key(mind), "", b"") if deed is None else (deed.scene, deed.label, deed.vector)
    experience = Experience(
        len(mind.memory.items), mind.tick, kind, shared(place), action, shared(outcome), reward, importance, origin, source,
        things, persons, label, vector,
    )  # fmt: skip
    mind.memory.add(experience)
    if importance >= MAJOR:
        mind.inner.major = f"exp-{experience.ordinal}"
    about = [] if deed is None else [deed.matter or deed.commitment or deed.round]
    mind.note("experience", f"exp-{experience.ordinal}", row=list(experience.row()), causes=[name for name in about if name])
    return experience


def scene_key(mind: Mind) -> str:
    """Return the symbolic scene: part of the day, company, and the lowest need if it presses."""
    part = ("night", "morning", "noon", "afternoon", "evening", "late")[mind.clock_ms // 14_400_000]
    company = "company" if mind.present else "alone"
    low = min(range(len(mind.felt)), key=lambda at: (mind.felt[at], at))
    return f"{part}/{company}/{low if mind.felt[low] < mind.params.low else '-'}"


def learn_from_task(mind: Mind, commitment: Commitment, how: str, reason: str) -> None:
    """Take the end of a task into method confidence, feeling, practice and goal counts, mood and memory.

    That somebody was not there to be helped says nothing of how to help, nor of having said yes; and what was never begun
    was no try.
    """
    closed = deeds.ended(mind, commitment.id, "cancelled" if reason == AWAY else how)
    untried = commitment.kind == "obligation" and how == "given_up" and not commitment.begun_felt
    if how in deeds.VOID or reason == AWAY or untried:
        return
    origin, params = mind.new_origin(), mind.params
    done = how == "done"
    reward = reward_of(mind, commitment, done)
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
    things, persons = tuple(commitment.roles.values()), (commitment.person,) if commitment.person else ()
    fresh = mind.teach(origin, INTUITION)
    # One event, one root: what was begun and what was gone on with are remembered as stemming from the same origin.
    every: list[Deed | None] = [*closed] or [None]
    failure: dict[str, Experience] = {}
    for deed in every:
        kind = "task" if deed is None or not deed.label.startswith("continue:") else "went_on"
        # What came to nothing after it had been resumed came to nothing once, not once for each time it was taken up.
        experience = failure.get(kind) or remember(
            mind, kind, commitment.task, how if done else f"{how}:{reason}", reward, 300 if done else 450, origin, "own",
            things, persons, deed,
        )  # fmt: skip
        if not done:
            failure[kind] = experience
        if deed is not None:
            learning.take(mind, deed, experience, commitment.task, intuitions=fresh)


def reward_of(mind: Mind, commitment: Commitment, done: bool) -> int:
    """Return the reward of a task, 0..1000 with 500 neutral: did it come to its end, what did the body feel, was it taken on for more."""
    if not done:
        return 300
    began = commitment.begun_felt or mind.felt
    body = sum(now - then for now, then in zip(mind.felt, began, strict=True) if now > then) // 3
    progress = 30 if commitment.practice or commitment.goal or commitment.kind == "obligation" else 0
    return max(0, min(1000, 550 + body + progress))


def close_stances(mind: Mind) -> None:
    """Close the answers, and favours asked, whose time for a reaction is over: what came of them, and how they were taken."""
    for deed in deeds.lapsed(mind):
        outcome, gain = deed.outcome, STANCE_GAIN.get(deed.outcome, 350)
        if deed.target:
            outcome, gain = favour_outcome(mind, deed)
        elif outcome == "let_be" and deed.busy:
            gain = 570  # An answer that kept one's own work going was of use.
        reward = max(0, min(1000, gain + deed.reaction))
        origin = mind.new_origin()
        matter = mind.matters.get(deed.matter)
        target = deed.target if matter is None else matter.target
        experience = remember(
            mind, "stance", deed.label.partition(":")[0], outcome, reward, 300 if reward >= 500 else 400, origin, "own",
            (target,) if target else (), (deed.person,) if deed.person else (), deed,
        )  # fmt: skip
        learning.take(mind, deed, experience, "", intuitions=mind.teach(origin, INTUITION))


STANCE_GAIN = {"done": 560, "let_be": 530}
"""What an answer is worth by itself, of 1000, 500 neutral; one that was not let be, or not kept, 350. Chosen."""


def favour_outcome(mind: Mind, deed: Deed) -> tuple[str, int]:
    """Return what became of a favour that was asked, and what that is worth."""
    action = deed.label.split(":")[1]
    for favour in reversed(mind.sys2.favours):
        if (favour.action, favour.target) == (action, deed.target):
            return favour.state, {"done": 620, "moot": 500}.get(favour.state, 430)
    return "silence", 430


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
            state, _, moved = mind.goals.get(goal["id"], ("active", -1, -1))
            mind.goals[goal["id"]] = (state, mind.tick, moved)
            mind.note("goal", goal["id"], task=commitment.task)
            break
    if commitment.task == "explore_room":
        mind.explored[commitment.roles["place"]] = mind.tick
    if commitment.task == "look_around":
        mind.look_tick = mind.tick
    if commitment.task == "inspect":
        mind.notable.pop(commitment.roles["object"], None)
