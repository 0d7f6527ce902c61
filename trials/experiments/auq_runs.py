"""Trajectories of a simulated reporter through the real slot and the real reviewer of doubt; and their closed forms.

A trajectory is a few questions in a row, each with one right option; it succeeds if every answer committed is right.
Nothing is re-implemented but the arithmetic of the closed forms, which knows the rules and no code of theirs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

from agent.reply import Parsed
from agent.request import Request, make_request
from agent.ruling import Progress, Verdict
from agent.slot import Slot
from agent.uncertainty import Policy, review
from sim.gateway_reporter import Reporter
from trials.trajectories import Trajectory

OPTIONS = 4
STEPS = (3, 4, 5)
AGREED_MIN = 80  # per cent of all samples that must agree with what overturns a first answer


@dataclass(frozen=True, slots=True)
class Step:
    """One question: was the first answer right, the one committed, was it reflected on, how many calls it took."""

    hard: bool
    first_right: bool
    right: bool
    reflected: bool
    calls: int
    confidence: int


def question(number: int) -> Request:
    """Return question *number*: four options, the last of which scores best."""
    names = tuple(f"c{at}" for at in range(1, OPTIONS + 1))
    rows = [
        {"id": name, "text": f"option {name}", "score": 400 + 20 * at, "source": "goal"}
        for at, name in enumerate(names)
    ]
    return make_request(
        number, "choose", tick=0, deadline_tick=1000, deps=(), context={"candidates": rows}, reason="experiment", group=names,
        confidence=True,
    )  # fmt: skip


def ask(slot: Slot, reporter: Reporter, policy: Policy, number: int) -> Step:
    """Put one question through the slot until it ends."""
    request = question(number)
    seen: list[Parsed] = []

    def judge(answer: Parsed, progress: Progress) -> Verdict:
        if not progress.round:
            seen.append(answer)
        return review(policy, answer, progress, lambda tier: [{"did": f"something of tier {tier}"}])

    ruling = slot.ask(request, latency_ticks=5)
    calls = 0
    while ruling.part is not None:
        part = ruling.part
        reply = reporter.ask(part, request)
        calls += 1
        ruling = slot.on_reply(part.id, reply.raw, reply.failure, part.due_tick, {}, review=judge)
    right = reporter.right(request)
    first = seen[0]
    # What the slot leaves to the fallback goes to an option that knows nothing of the question.
    choice = ruling.choice or request.group[0]
    sure = ruling.answer.confidence if ruling.answer is not None else 0
    return Step(reporter.hard(request), first.choice == right, choice == right, calls > 1, calls, sure or 0)


def live(reporter: Reporter, policy: Policy, count: int) -> Iterator[tuple[Trajectory, list[Step]]]:
    """Yield *count* trajectories with their steps; the same questions whatever the policy."""
    slot = Slot()
    slot.budget.calls_max = 0
    number = 0
    for at in range(count):
        steps = []
        for _ in range(STEPS[at % len(STEPS)]):
            number += 1
            steps.append(ask(slot, reporter, policy, number))
        yield Trajectory(tuple(step.confidence for step in steps), all(step.right for step in steps)), steps


# --- closed forms -----------------------------------------------------------------------------------------------------


def closed(numbers: dict[str, int], policy: Policy) -> dict[str, float]:
    """Return the expected corrections and regressions per question, by enumeration. Without noise and bias.

    Options are numbered: 0 is right, 1 is the wrong one of a delusion, 2 and 3 are the others.
    """
    right, hard, delusion = numbers["reflected"] / 1000, numbers["hard"] / 1000, numbers["delusion"] / 1000
    first = numbers["accuracy_hard"] / 1000
    honest = numbers["reflected"] // 10
    kinds = [(0, honest, right * (1 - delusion)), (1, 95, delusion)]
    kinds += [(option, honest, (1 - right) / (OPTIONS - 1) * (1 - delusion)) for option in range(1, OPTIONS)]
    corrected = sum(
        (1 - first) / (OPTIONS - 1) * _ends(kinds, wrong, policy, numbers)[0] for wrong in range(1, OPTIONS)
    )
    worse = first * (1 - _ends(kinds, 0, policy, numbers)[0])
    return {"corrections": hard * corrected, "regressions": hard * worse}


def _ends(
    kinds: list[tuple[int, int, float]], first: int, policy: Policy, numbers: dict[str, int]
) -> tuple[float, float]:
    """Return (probability that the answer committed is right, probability of going on to the end) when *first* was said."""
    before = numbers["accuracy_hard"] // 10
    right, pools = 0.0, {(0,) * OPTIONS: 1.0}  # votes of the rounds so far, by option
    for number in range(1, policy.rounds_max + 1):
        after: dict[tuple[int, ...], float] = {}
        for pool, chance in pools.items():
            for votes in product(kinds, repeat=policy.samples):
                here = chance * prod(each[2] for each in votes)
                scores: dict[int, int] = {}
                counts = list(pool)
                for option, sure, _ in votes:
                    scores[option] = scores.get(option, 0) + sure
                    counts[option] += 1
                winner = max(scores, key=lambda option: scores[option])
                mean = scores[winner] // sum(option == winner for option, _, _ in votes)
                agreed = len(scores) == 1 and 100 * counts[winner] // sum(counts) >= AGREED_MIN
                confirms = policy.expand and number > 1 and winner == first
                sure_enough = mean >= policy.tau or (number == policy.rounds_max and mean > before)
                if sure_enough and (mean <= before or agreed or confirms):
                    right += here * (winner == 0)
                else:
                    after[tuple(counts)] = after.get(tuple(counts), 0.0) + here
        pools = after
    left = sum(pools.values())
    return right + left * (first == 0), left
