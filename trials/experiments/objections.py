"""S4 and S5 where something goes wrong: how often a near tie ends badly with each of them on and off.

In an ordinary life hardly anything goes wrong, so an ablation there shows nothing of them. Here one resident in a real
room settles the same near tie 120 times through the real arbiter, library, reviewers and learning; what comes of a
choice is drawn by a declared truth. In `turned` a way that used to work stops working; in `by_scene` it works in the
morning and feels bad at night, which no belief about it as a whole can tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agent import deeds, learning
from agent.appraisal import INTUITION, remember
from agent.arbiter import arbitrate
from agent.attraction import Scored
from agent.candidates import Candidate
from agent.dream import dream
from agent.mind import Mind
from agent.params import HOUR_MS
from agent.reply import Parsed
from agent.reviews import review
from agent.ruling import Progress
from agent.uncertainty import Policy
from sim.build import build
from sim.chance import Chance
from sim.declare import declare
from sim.kernel import advance_alone
from trials.experiments.lines import interval_of, line

NAME = "objections"
DOC = "S4 and S5 off and on where a habit stops working, and where it works in one scene only: near ties that end badly."
DECISIONS, TURN, DREAM_EVERY = 120, 40, 10
TALK = Candidate("c1", "person", "start", "talk_with_visitor", touches=("person",))
READ = Candidate("c2", "explore", "start", "read_book")
SCENARIOS = ("turned", "by_scene")
EXPECTED = {"s4": 0.07, "s5": 0.05}
FIRST_SEED = 401


def run(*, quick: bool = True, seeds: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the lines; *quick* takes five seeds, else twenty."""
    chosen = range(FIRST_SEED, FIRST_SEED + (seeds or (5 if quick else 20)))
    for scenario, module in (("turned", "s4"), ("by_scene", "s5"), ("turned", "s5"), ("by_scene", "s4")):
        pairs = [(errors(scenario, seed), errors(scenario, seed, **{module: False})) for seed in chosen]
        gaps = [off - on for on, off in pairs]
        mean, low, high = interval_of(gaps)
        meant = (scenario, module) in (("turned", "s4"), ("by_scene", "s5"))
        yield line(
            f"{scenario}: near ties that end badly, without {module.upper()} minus with it", "> 0" if meant else "reported", round(mean, 3),
            low > 0 if meant else True, expected=EXPECTED[module], interval=[round(low, 3), round(high, 3)],
            whole=round(sum(on for on, _ in pairs) / len(pairs), 3), without=round(sum(off for _, off in pairs) / len(pairs), 3),
        )  # fmt: skip


def errors(scenario: str, seed: int, **settings: bool) -> float:
    """Return the share of the near ties that ended badly, in one life of decisions."""
    mind = a_mind(settings)
    chance = Chance(seed)
    bad = 0
    for turn in range(DECISIONS):
        night = turn % 2 == 1
        mind.tick += 600
        if scenario == "by_scene":
            a_scene(mind, night)
        choice, decided_by, fired = decide(mind)
        wrong = choice is TALK and (turn >= TURN if scenario == "turned" else night)
        failed = chance.below("outcome", str(turn), 10) < (9 if wrong else 1)
        bad += failed
        outcome, reward = ("failed:it", 300) if failed else ("done", 600)
        if scenario == "by_scene" and failed:
            outcome, reward = "done", 250  # It comes to its end, and feels bad.
        close(mind, choice, decided_by, fired, outcome, reward)
        if turn % DREAM_EVERY == DREAM_EVERY - 1:
            dream(mind)
    return bad / DECISIONS


def a_mind(settings: dict[str, bool]) -> Mind:
    """Return a resident who has just got up, in a real room."""
    state = build(declare("week", seed=1))
    advance_alone(state, 50)
    mind = state.mind
    mind.settings.update({"sys1": "intuition", **settings})
    mind.current = ""
    return mind


def a_scene(mind: Mind, night: bool) -> None:
    """Make it morning, rested and warm, or night, tired and cold: the key is the same, the numbers are not."""
    mind.clock_ms = (22 if night else 8) * HOUR_MS
    mind.felt = [320 if night else 950] * len(mind.felt)


def decide(mind: Mind) -> tuple[Candidate, str, str]:
    """Settle the near tie: by sys1, or by a model that takes the leader until it is asked again. Return choice, decider, intuition."""
    ruling = arbitrate(mind, [Scored(TALK, {}, 520), Scored(READ, {}, 500)])
    if ruling.decided_by == "sys1":
        assert ruling.check is not None
        return ruling.choice, "sys1", ruling.check.fired
    verdict = review(mind, None, Policy(), (TALK, READ), Parsed("choose", TALK.id), Progress())
    return (READ if verdict.kind == "reask" else TALK), "sys2", ""


def close(mind: Mind, choice: Candidate, decided_by: str, fired: str, outcome: str, reward: int) -> None:
    """Let the outcome of *choice* teach, as the end of its commitment does."""
    deed = deeds.open_deed(mind, choice, decided_by, "")
    assert deed is not None
    deed.fired = fired
    root = mind.new_origin()
    one = remember(mind, "task", choice.task, outcome, reward, 300, root, "own", deed=deed)
    learning.take(mind, deed, one, choice.task, intuitions=mind.teach(root, INTUITION))
    mind.take_notes()
