"""E1: intuition against a model alone, seven days with a friend. Is the quality kept, and how much sooner is it decided?

Quality of near ties comes from the oracle: choices that came to a good end in the room, of all that came to any end or
were overturned. IPR = (agent - random) / (model - random). Latencies are the declared ones: stages of sys1 in ms, and
from a request to its commit. The source gives 20 ms for intuition here and 220 ms in E4; both are printed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trials.experiments.lines import line
from trials.experiments.lives import Life, change, live, ratio, seeds_of, spread, stood

NAME = "intuition_vs_model"
DOC = "E1: near ties settled by intuition against a model alone and against chance: quality kept (IPR), latency saved (ILR)."
PROTOCOL = "emergence"
ARMS: dict[str, dict[str, Any]] = {
    "agent": {}, "model": {"mind.sys1": "none"}, "random": {"mind.sys1": "none", "model.competence": 0},
}  # fmt: skip
MODEL_MS = 500
"""The source's latency of its model; the arms run with it."""


def run(*, quick: bool = True, seeds: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the lines; *quick* lives two days on two seeds, else seven on the test seeds."""
    days = 2 if quick else 7
    chosen = seeds_of(PROTOCOL, "test", quick, seeds)
    lives = {
        arm: [live(PROTOCOL, seed, days, {"model.latency_ms": MODEL_MS, **over}) for seed in chosen]
        for arm, over in ARMS.items()
    }
    told = {"days": days, "seeds": len(chosen)}
    agent, model, chance = ([stood(life) or 0.0 for life in lives[arm]] for arm in ARMS)
    for arm, values in (("agent", agent), ("model", model), ("random", chance)):
        mean, interval = spread(values)
        ties = sum(sum(life.ties.values()) for life in lives[arm])
        yield line(
            f"near-tie choices of the {arm} arm that came to good",
            "reported",
            mean,
            True,
            interval=interval,
            near_ties=ties,
            **told,
        )
    gap = sum(model) - sum(chance)
    ipr = None if abs(gap) < 1e-9 else round((sum(agent) - sum(chance)) / gap, 3)
    _, interval = spread([a - m for a, m in zip(agent, model, strict=True)])
    yield line("IPR: quality kept by intuition", ">= 0.95", ipr, ipr is not None and ipr >= 0.95, expected=0.95,
               interval_of_agent_minus_model=interval, model_minus_random=round(gap / len(chosen), 3), **told)  # fmt: skip
    yield from latency(lives["agent"], lives["model"], told)


def latency(agent: list[Life], model: list[Life], told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what a decision costs in simulated time."""
    by_sys1 = [each for life in agent for each in life.sys1_ms]
    by_model = [each for life in model for each in life.model_ms]
    fast, slow = ratio(sum(by_sys1), len(by_sys1)), ratio(sum(by_model), len(by_model))
    yield line("latency of a decision by sys1, declared, ms", "20 (E1) or 220 (E4): the source clashes with itself", fast, fast is not None,
               expected=[20, 220], decisions=len(by_sys1), **told)  # fmt: skip
    yield line(
        "latency of a decision by the model, declared, ms",
        "reported",
        slow,
        slow is not None,
        expected=500,
        decisions=len(by_model),
        **told,
    )
    ilr = None if not fast or slow is None else round(slow / fast, 2)
    yield line(
        "ILR: how many times sooner intuition decides",
        ">= 25",
        ilr,
        ilr is not None and ilr >= 25,
        expected=25,
        **told,
    )
    asked = [change(len(a.model_ms), len(m.model_ms)) for a, m in zip(agent, model, strict=True)]
    mean, interval = spread(asked)
    yield line(
        "change in model decisions, agent against model alone",
        "< 0",
        mean,
        mean is not None and mean < 0,
        interval=interval,
        **told,
    )
