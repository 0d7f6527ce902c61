"""E5: what each of S1 to S5 is for. Each is switched off for seven days, paired by seed with the whole mind.

The life is `moods`: a friend who is good company in the mornings, never stays in the evenings and walks out of everything
for three days, an inner voice that urges on. Even there few near ties end badly, since what failed loses its pull at once,
so S4 and S5 are measured a second time where nothing else would notice: in lives of decisions (see `objections.py`), in
which a way stops working, or works in one scene only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from trials.experiments.lines import line
from trials.experiments.lives import Life, change, live, ratio, seeds_of, spread, stood
from trials.experiments.objections import FIRST_SEED, errors

NAME = "ablation"
DOC = "E5: S1 to S5 switched off one by one: intuitions discovered, memories scored per recall, wrong near-tie choices."
PROTOCOL = "moods"
FULL_SEEDS, DECISION_SEEDS = 6, 12


def discovered(life: Life) -> float | None:
    """Return how many intuitions were formed."""
    return life.discovered()


def cost(life: Life) -> float | None:
    """Return memories scored per recall."""
    return ratio(life.scored, life.recalls)


def error(life: Life) -> float | None:
    """Return the share of near-tie choices that went wrong or were overturned."""
    share = stood(life)
    return None if share is None else 1 - share


# Module, measure, the source's change; relative, or for errors as a difference of shares.
CLAIMS: tuple[tuple[str, str, Callable[[Life], float | None], float, bool], ...] = (
    ("s1", "intuitions discovered", discovered, -0.40, True),
    ("s3", "intuitions discovered", discovered, -0.80, True),
    ("s2", "memories scored per recall", cost, 9.00, True),
    ("s4", "wrong near-tie choices", error, 0.07, False),
    ("s5", "wrong near-tie choices", error, 0.05, False),
)

# Module, scenario of objections.py, in words, the source's change.
DECISIONS = (
    ("s4", "turned", "where a way stops working", 0.07),
    ("s5", "by_scene", "where a way works in one scene only", 0.05),
)


def run(*, quick: bool = True, seeds: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the lines; *quick* lives three days on two seeds, else seven on the test seeds."""
    days = 3 if quick else 7
    chosen = seeds_of(PROTOCOL, "test", quick, seeds or (None if quick else FULL_SEEDS))
    whole = [live(PROTOCOL, seed, days) for seed in chosen]
    told = {"days": days, "seeds": len(chosen)}
    mean, interval = spread([error(life) for life in whole])
    yield line(
        "wrong near-tie choices of the whole mind",
        "<= 0.08",
        mean,
        mean is not None and mean <= 0.08,
        expected=0.08,
        interval=interval,
        **told,
    )
    for module, what, measure, expected, relative in CLAIMS:
        without = [live(PROTOCOL, seed, days, {f"mind.{module}": False}) for seed in chosen]
        pairs = [
            (measure(with_it), measure(without_it))
            for with_it, without_it in zip(whole, without, strict=True)
        ]
        if relative:
            found = [change(new, old) for old, new in pairs]
        else:
            found = [None if new is None or old is None else new - old for old, new in pairs]
        mean, interval = spread(found)
        holds = mean is not None and (mean <= expected if expected < 0 else mean >= expected)
        yield line(
            f"without {module.upper()}: change in {what}", f"{expected:+g}{'' if relative else ' of all'}", mean, holds,
            expected=expected, interval=interval, whole=spread([old for old, _ in pairs])[0],
            without=spread([new for _, new in pairs])[0], **told,
        )  # fmt: skip
    for module, scenario, what, expected in DECISIONS:
        every = range(FIRST_SEED, FIRST_SEED + (4 if quick else DECISION_SEEDS))
        decided = [(errors(scenario, seed), errors(scenario, seed, **{module: False})) for seed in every]
        mean, interval = spread([off - on for on, off in decided])
        yield line(
            f"without {module.upper()}: change in wrong near-tie choices, {what}", f"{expected:+g} of all", mean,
            mean is not None and mean >= expected, expected=expected, interval=interval, seeds=len(every),
            whole=spread([on for on, _ in decided])[0], without=spread([off for _, off in decided])[0],
        )  # fmt: skip
