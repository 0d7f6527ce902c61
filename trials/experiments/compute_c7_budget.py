"""C7: several arms under one shared budget of tokens, in the room. Who settles most before the budget is gone?

The source's pilot gave each arm the same tokens for ten tasks: 1, 2 and 3 of 10 were solved by thinking always as hard
as can be, by a fixed rule, and by the scheduler. Here a task is a day with a friend (protocol `emergence`), with a model
that is right seven times in ten, so that reflecting helps. The budget is half of what thinking always as hard as can be
spends on a day, measured on training seeds. A tie is settled well if it is settled as the competent model would; a day is
solved if three ties in four are. Once the budget is spent, each question ends in the deterministic fallback (spec 03, 5),
which goes on with what is under way: asking on without a budget does worse than never asking.

The source's own measure is tasks solved for 100,000 tokens, of arms that all think. Ties settled well for 10,000 tokens are
told beside it, but they are no aim: by them never asking is best, as most ties settle well without a token.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from protocols.library import load_protocol
from trials.experiments.compute_stats import compare, holm, line, mean
from trials.experiments.compute_ties import Ties, live

NAME = "compute_c7"
DOC = "arms under one shared budget of tokens in the room: always full, fixed rule, plain asking, scheduler"
PROTOCOL = "emergence"
HARD: dict[str, Any] = {"mind.uncertainty": "uar", "mind.tau": 1000}
"""Never sure enough: up to three reflections on every question."""
ARMS: dict[str, dict[str, Any]] = {
    "always full": {"mind.sys1": "none", **HARD},
    "fixed rule": {"mind.sys1": "router", **HARD},
    "always, one call": {"mind.sys1": "none"},
    "scheduler": {"mind.sys1": "none", "mind.scheduler": True},
    "never": {"mind.sys1": "none", "model.provider": "none"},
}
MODEL: dict[str, Any] = {"model.competence": 700}
MORE_SEEDS = (311, 312, 313, 314, 315)
SHARE = 0.5
"""Share of what always full spends that each arm may spend."""
SOLVED = 0.75
"""Share of a day's ties from which the day counts as solved. Set beforehand."""
SOURCE = {"always full": "1 of 10; 0.024", "fixed rule": "2 of 10; 0.054", "scheduler": "3 of 10; 0.077"}
"""Tasks solved, and solved for 100,000 tokens."""


def run(*, quick: bool = True, seeds: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the table; *quick* lives half a day on two seeds."""
    declared = load_protocol(PROTOCOL).form["seeds"]
    chosen = [*declared["test"], *MORE_SEEDS][: seeds or (2 if quick else 10)]
    hours = 8 if quick else 24
    spent = [live(PROTOCOL, seed, hours, {**MODEL, **ARMS["always full"]}).tokens for seed in declared["training"][: 1 if quick else 2]]
    budget = max(1, round(SHARE * mean([float(each) for each in spent])))
    yield line("shared budget of a day, tokens", "reported", budget, True)
    capped = {**MODEL, "model.budget_tokens": budget}
    lives = {name: [live(PROTOCOL, seed, hours, {**capped, **arm}) for seed in chosen] for name, arm in ARMS.items()}
    for name, found in lives.items():
        yield told(name, found)
    yield from compared(lives, quick)


def told(name: str, found: list[Ties]) -> dict[str, Any]:
    """Return the line of one arm."""
    solved = sum(each.agreement >= SOLVED for each in found)
    agreed, tokens = sum(each.agreed for each in found), sum(each.tokens for each in found)
    measured = (
        f"{solved} of {len(found)} days solved; {100_000 * solved / max(1, tokens):.3f} for 100,000 tokens; "
        f"{100 * mean([each.agreement for each in found]):.1f} % of ties well, {tokens // max(1, agreed)} tokens a tie settled well, "
        f"{mean([float(each.calls) for each in found]):.1f} calls"
    )
    return line(f"arm {name}", "reported", measured, True, source=SOURCE.get(name), n=len(found))


def compared(lives: dict[str, list[Ties]], quick: bool) -> Iterator[dict[str, Any]]:
    """Yield the scheduler's share of ties settled well against each arm's, and its tokens against the two of the source."""
    ours = lives["scheduler"]
    rivals = [name for name in ARMS if name != "scheduler"]
    found = [compare([one.agreement for one in ours], [one.agreement for one in lives[name]]) for name in rivals]
    for name, each, p in zip(rivals, found, holm([one.p for one in found]), strict=True):
        plain = name == "always, one call"
        yield line(
            f"ties settled well, scheduler less {name}", "reported" if plain else "> 0, p < 0.05", f"{100 * each.mean:.1f} points",
            quick or plain or (each.low > 0 and p < 0.05), interval=[100 * each.low, 100 * each.high], p=p, n=each.n,
        )  # fmt: skip
    for name in ("always full", "fixed rule", "always, one call"):
        solved = compare([_solved_rate(one) for one in ours], [_solved_rate(one) for one in lives[name]])
        more = name in SOURCE
        yield line(
            f"days solved for 100,000 tokens, scheduler less {name}", "> 0" if more else "reported", f"{solved.mean:.2f}",
            quick or not more or solved.low > 0, interval=solved.interval(), p=solved.p, n=solved.n,
        )  # fmt: skip
    for name in ("always full", "fixed rule", "always, one call"):
        rate = [_rate(one) for one in ours], [_rate(one) for one in lives[name]]
        each = compare(*rate)
        yield line(
            f"ties settled well for 10,000 tokens, scheduler less {name}", "> 0", f"{each.mean:.2f}", quick or each.low > 0,
            interval=each.interval(), n=each.n,
        )  # fmt: skip


def _solved_rate(one: Ties) -> float:
    return 100_000 * (one.agreement >= SOLVED) / max(1, one.tokens)


def _rate(one: Ties) -> float:
    return 10_000 * one.agreed / max(1, one.tokens)
