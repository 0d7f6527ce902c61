"""The Gymnasium environment: clean by gymnasium's own checker, seeded, seen as a visitor sees."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from sim.gym_env import ID, VisitorEnv, wellbeing  # noqa: E402


def an_env(**rest: Any) -> VisitorEnv:
    made = gymnasium.make(ID, disable_env_checker=True, **{"minutes": 10, **rest}).unwrapped
    assert isinstance(made, VisitorEnv)
    return made


def index(env: VisitorEnv, name: str) -> int:
    return next(at for at, act in enumerate(env.acts) if act.name == name)


def test_make_finds_the_environment_in_a_fresh_process_by_the_module_before_the_colon() -> None:
    code = f"import gymnasium; print(gymnasium.make('sim.gym_env:{ID}', minutes=1).spec.id)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=Path(__file__).parent.parent)

    assert ran.stdout.strip() == ID, ran.stderr


def test_gymnasium_s_own_checker_has_nothing_to_say() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(an_env(), skip_render_check=True)


def test_the_same_seed_and_acts_give_the_same_episode_and_another_seed_another() -> None:
    def lived(seed: int) -> list[Any]:
        env = an_env(minutes=30)
        seen, _ = env.reset(seed=seed)
        env.action_space.seed(5)
        told = [seen.tolist()]
        for _ in range(60):
            seen, reward, *_, info = env.step(env.action_space.sample())
            told.append([seen.tolist(), reward, info["feedback"]])
        return [told, env.simulation.digest()]

    assert lived(1) == lived(1)
    assert lived(1)[1] != lived(2)[1]


def test_an_episode_ends_by_its_length_and_not_before() -> None:
    env = an_env(minutes=5, step_s=10)
    env.reset(seed=1)
    ends = [env.step(0)[2:4] for _ in range(30)]

    assert ends == [(False, False)] * 29 + [(False, True)]


def test_the_resident_is_not_in_the_observation_of_one_who_stands_outside() -> None:
    env = an_env()
    seen, _ = env.reset(seed=1)
    names = env.observed
    before = dict(zip(names, seen.tolist(), strict=True))
    seen, *_ = env.step(index(env, "enter"))
    after = dict(zip(names, seen.tolist(), strict=True))

    assert (before["visitor_there"], before["resident_there"], before["resident_busy"]) == (0, 0, 0)
    assert (after["visitor_there"], after["last_accepted"], after["last_outcome_done"]) == (1, 1, 1)
    assert not [name for name in names if "need" in name or "belief" in name]


def test_a_request_that_is_carried_out_is_rewarded() -> None:
    env = an_env(minutes=60)
    env.reset(seed=3)
    total = sum(env.step(index(env, name))[1] for name in ("enter", "walk table", "wait", "wait", "ask open window"))
    told = {}
    for _ in range(240):
        _, reward, _, _, info = env.step(0)
        total, told = total + reward, info["feedback"]

    assert total == float(told["outcome"] == "done")
    assert told["perceived"] is True


def test_only_what_the_protocol_allows_can_be_done() -> None:
    env = an_env(protocol="quiet_day")
    told = {act.channel for act in env.acts}
    declared = {name for name, each in env.simulation.declared.declaration["channels"].items() if each["open"]}

    assert told - {""} <= declared


def test_a_reward_of_one_s_own_is_used() -> None:
    env = an_env(reward=lambda simulation, rows: wellbeing(simulation, rows) - 1)
    env.reset(seed=1)

    assert -1 < env.step(0)[1] < 0


@pytest.mark.skipif(importlib.util.find_spec("pygame") is None, reason="pictures need the extra `window`")
def test_pictures_show_the_room_without_a_screen() -> None:
    env = an_env(render_mode="rgb_array")
    env.reset(seed=1)
    outside = env.render()
    env.step(index(env, "enter"))
    inside = env.render()

    assert inside.shape == (480, 640, 3)
    assert inside.dtype.name == "uint8"
    assert (outside != inside).any()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env)
