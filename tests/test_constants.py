"""Every tuned number is in the header of each log, under the name of its one home."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from logs.reader import open_log
from sim.constants import MODULES, constants, strange
from sim.declare import declare
from sim.session import run_trial

ROOT = Path(__file__).parent.parent
CORE = ("agent", "interventions", "world")
FIND = f"""
import json, sys
import sim.session
from sim.constants import numbers
print(json.dumps([n for n in sorted(sys.modules) if n.split(".")[0] in {CORE} and numbers(sys.modules[n])]))
"""


def test_no_module_of_the_core_names_a_number_that_is_not_listed() -> None:
    ran = subprocess.run([sys.executable, "-c", FIND], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(json.loads(ran.stdout))

    assert loaded <= set(MODULES), loaded - set(MODULES)
    assert {name for name in MODULES if not name.startswith("sim.")} <= loaded, "a module without a number is not listed"


def test_each_number_stands_once_and_under_its_home() -> None:
    found = constants()

    assert found["agent.attraction.FULL"] == 690
    assert found["world.params.REACH_CELLS"] == 3
    assert "world.checks.REACH_CELLS" not in found, "handed on, not at home there"
    assert len(found) > 150


def test_the_header_of_a_log_holds_them_with_the_drifts_of_needs(tmp_path: Path) -> None:
    log = run_trial(declare("near_tie", seed=101), out=tmp_path / "run")["log"]
    with open_log(Path(log)) as reader:
        header = reader.header

    assert header["constants"] == constants()
    assert header["tables"]["world/needs"]["drift"]["sitting"]["satiety"] < 0
    assert set(header["tables"]) == {"world/needs", "world/kinds", "world/skills", "agent/tasks"}


def test_a_log_made_with_another_number_is_not_called_forged(tmp_path: Path) -> None:
    log = run_trial(declare("near_tie", seed=101), out=tmp_path / "run")["log"]
    with open_log(Path(log)) as reader:
        header = reader.header

    assert strange(header) == ""
    assert "world.params.REACH_CELLS was 4" in strange({**header, "constants": {**constants(), "world.params.REACH_CELLS": 4}})
    assert "agent/tasks" in strange({**header, "tables": {"agent/tasks": "0"}})
