"""Where the scheduler takes a short way to a number, the long way comes to the same one, to the last bit."""

from __future__ import annotations

from typing import Any

import pytest

from agent.scheduler import meta, skills, text
from agent.scheduler.belief import FEATURES, LINKED, Belief
from agent.scheduler.exact import exp
from agent.scheduler.params import PRIORS, SKILL_NEIGHBOURS, Params
from agent.scheduler.prototypes import Match, Prototype, match
from agent.scheduler.rules import DEFAULT, REFERENCE
from agent.scheduler.skills import Meaning, SkillMemory, Verdict
from trials.experiments.shuffles import Shuffles


def a_library(chance: Shuffles) -> list[Prototype]:
    """Return twelve prototypes, some of them alike to the last bit or nearly so."""
    centroids = [[chance.random() for _ in range(5)] for _ in range(8)]
    centroids += [list(centroids[3]), *([value + by for value in centroids[5]] for by in (1e-17, 1e-10)), centroids[0][:3]]
    return [Prototype(i, centroid, [0.0] * 6, 1, 0.3, 0.5) for i, centroid in enumerate(centroids)]


def by_comparing_all(library: list[Prototype], x: tuple[float, ...], params: Params) -> Match:
    """Return the first prototype most like *x*, every similarity worked out."""
    best = Match(-1, None, 0.0)
    for index, each in enumerate(library):
        distance = 0.0
        for value, centre in zip(x, each.centroid, strict=False):
            distance += (value - centre) * (value - centre)
        similarity = exp(-distance / (2 * params.sim_tau))
        if best.prototype is None or similarity > best.similarity:
            best = Match(index, each, similarity)
    return best


@pytest.mark.parametrize("tau", [1e-5, 1e-3, 0.18, 10.0, 1e9])
def test_the_nearest_prototype_is_the_one_that_comparing_all_finds(tau: float) -> None:
    chance, params = Shuffles(5), Params(sim_tau=tau)
    library = a_library(chance)
    for i in range(60):
        x = tuple(chance.random() for _ in range(5)) if i % 3 else tuple(library[i % len(library)].centroid)

        assert match(library, x, params) == by_comparing_all(library, x, params)


def test_one_forecast_tells_what_two_would_have_told() -> None:
    chance, belief = Shuffles(6), Belief()
    for i in range(40):
        features = (1.0, *((chance.random() if chance.random() < 0.6 else 0.0) for _ in range(FEATURES - 1)))
        alone = (*features[:-LINKED], *(0.0,) * LINKED)

        told = belief.forecast(features, 1.0)

        assert told[2] == belief.forecast(alone, 0.0)[0]
        assert told[:2] == belief.forecast(features, 1.0)[:2]
        belief.learn(features, i % 3 == 0, 0.0001, 0.5)


@pytest.mark.parametrize("rules", [REFERENCE, DEFAULT])
def test_the_neighbours_of_a_step_are_those_that_sorting_all_records_finds(rules: Any) -> None:
    chance, memory = Shuffles(7), SkillMemory(rules)
    errors = ("KeyError in cache", "KeyError in cash", "TypeError: list", "列表越界错误", "")
    for i in range(150):
        about = Meaning(repo=chance.choice(("a", "b")), action=chance.choice(tuple(PRIORS)), error=chance.choice(errors))
        memory.write(skills.make_record(about, {"patch_summary": f"{i}"}, Verdict(trusted=i % 3 == 0, reason="ok"), i, rules))

    asked = Meaning(repo="a", error=errors[0])
    vector = skills.vector_of(asked, rules)
    sims = [text.similarity(vector, each.vector) for each in memory.records]
    order = sorted(range(len(sims)), key=lambda i: -sims[i])
    here = [i for i in order if memory.records[i].meaning.repo == "a"][:SKILL_NEIGHBOURS]
    away = [i for i in order if i not in here][:SKILL_NEIGHBOURS]

    expected = [sims[i] for i in (here + away if rules.branches else order[:SKILL_NEIGHBOURS])]
    assert memory.look_up(asked).neighbours == pytest.approx(tuple(expected), abs=1e-15)


def test_hints_in_the_middle_fill_no_feature_of_the_ends() -> None:
    middling = meta.features(meta.Seen((meta.HIGH, meta.LOW, 0.5), None), None)

    assert middling[6:] == (0.0,) * (FEATURES - 6)
