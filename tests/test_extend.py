"""Skills from outside: registered in a process or by a package, lived with, declared, and refused plainly where they are none."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import oneroom
from sim import library
from sim.declare import added_skills, declare
from world.spec import RoomError

ROOT = Path(__file__).parent.parent
Cli = Callable[..., Any]
HUM = {
    "roles": [], "pre": ["awake"], "duration_ms": "amount", "interruptible": "any", "timeout_ms": 3_600_000, "effects": [],
    "rates": {"stimulation": 400},
}  # fmt: skip
HUMMING: dict[str, Any] = {
    "skills": {"hum": HUM},
    "tasks": {"hum_a_tune": {"needs": {"stimulation": 200}, "steps": ["hum"], "minutes": 20, "group": "hum"}},
}


def forget() -> None:
    library._here.clear()
    for each in (library.registered, library.table, library.book, library.kind_names):
        each.cache_clear()


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    yield
    forget()


def test_a_registered_skill_is_in_the_declaration_and_a_log_is_verified_only_beside_it(tmp_path: Path) -> None:
    plain = declare("first_visit", seed=1, overrides={"model.provider": "none"})
    library.register_skills("humming", HUMMING)
    declared = declare("first_visit", seed=1, overrides={"model.provider": "none"})
    log = Path(oneroom.run_trial(declared, out=tmp_path / "hummed")["log"])

    assert "skills" not in plain.declaration["contents"]
    assert declared.declaration["contents"]["skills"] == added_skills()["skills"]
    assert declared.digest != plain.digest
    assert oneroom.verify(log)["ok"]
    forget()
    with pytest.raises(RoomError, match="other registered skills"):
        oneroom.verify(log)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"skills": {"walk_to": HUM}}, "'walk_to' is taken in world/skills"),
        ({"skils": {"hum": HUM}}, "there is no table 'skils'"),
        ({"skills": {"hum": {**HUM, "pre": ["flying"]}}}, "not a sound table"),
        ({"skills": {"hum": {"roles": []}}}, "not a sound table"),
        ({"skills": {"hum": HUM}, "tasks": {"sing": {"steps": ["sing"], "group": "hum"}}}, "not a sound table"),
    ],
)
def test_what_is_no_skill_is_refused_and_nothing_is_registered(given: dict[str, Any], words: str) -> None:
    with pytest.raises(RoomError) as told:
        library.register_skills("humming", given)

    assert words in str(told.value)
    assert added_skills() == {}
    assert "hum" not in library.table("world/skills")


def test_a_package_offers_skills_by_an_entry_point(tmp_path: Path) -> None:
    info = tmp_path / "hums-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hums\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[oneroom.skills]\nhumming = hums:HUMMING\n", encoding="utf-8")
    (tmp_path / "hums.py").write_text(f"HUMMING = {HUMMING!r}\n", encoding="utf-8")
    said = "from sim import library; print('hum' in library.table('world/skills'), 'hum_a_tune' in library.book().tasks)"
    ran = subprocess.run(
        [sys.executable, "-c", said], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(tmp_path)))},
    )  # fmt: skip

    assert ran.stdout.split() == ["True", "True"], ran.stderr


def test_a_persona_may_live_by_a_registered_task_and_by_no_other(cli: Cli, tmp_path: Path) -> None:
    text = (ROOT / "protocols" / "personas" / "ada.toml").read_text(encoding="utf-8")
    path = tmp_path / "hummer.toml"
    path.write_text(text.replace('task = "drink_tea"', 'task = "hum_a_tune"', 1), encoding="utf-8")

    refused = cli("persona", "check", path)
    library.register_skills("humming", HUMMING)

    assert refused.code == 2
    assert "there is no task 'hum_a_tune'" in refused.err
    assert cli("persona", "check", path).code == 0
