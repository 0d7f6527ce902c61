"""examples/recompute_metrics.py, which knows nothing of ours, comes to the same metrics to the last digit."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from sim.declare import declare
from sim.session import run_trial
from tests.trials_cases import a_protocol
from trials.metrics import measure_log
from trials.supervisor import Terms
from trials.supervisor_batch import run_trials

SCRIPT = Path(__file__).parent.parent / "examples" / "recompute_metrics.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("recompute_metrics", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_script_imports_nothing_of_ours() -> None:
    names = set()
    for node in ast.walk(ast.parse(SCRIPT.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(str(node.module).partition(".")[0])

    assert names <= {*sys.stdlib_module_names, "zstandard"}


@pytest.mark.parametrize(
    ("protocol", "model", "duration"),
    [("first_visit", "scripted", None), ("near_tie", "scripted", None), ("refusals", "none", None), ("week", "none", "3d")],
)
def test_every_metric_that_is_a_count_agrees_to_the_last_digit(
    script: ModuleType, tmp_path: Path, protocol: str, model: str, duration: str | None
) -> None:
    overrides = {"model.provider": model, **({"duration": duration} if duration else {})}
    log = Path(run_trial(declare(protocol, overrides=overrides), out=tmp_path / "log")["log"])

    counted, measured = script.recompute(log), measure_log(log)

    assert len(counted) >= 120
    assert {name: repr(value) for name, value in counted.items()} == {name: repr(measured[name]) for name in counted}
    assert sum(bool(value) for value in counted.values()) >= 40, "most of them have something to count here"


def test_the_table_of_a_batch_is_checked_and_a_changed_digit_is_found(tmp_path: Path) -> None:
    found = run_trials(a_protocol(tmp_path, seeds="[1]"), out=tmp_path / "b", terms=Terms(jobs=1))
    table, log = tmp_path / "b" / "trials.csv", found["trials"][0]["log"]
    command = [sys.executable, str(SCRIPT), log, str(table)]

    good = subprocess.run(command, capture_output=True, text=True, check=False)
    head, *rows = table.read_text(encoding="utf-8").splitlines()
    at = head.split(",").index("rounds_per_hour")
    cells = [row.split(",") for row in rows]
    for row in cells:
        row[at] += "1"
    table.write_text("\n".join([head, *map(",".join, cells)]) + "\n", encoding="utf-8")
    bad = subprocess.run(command, capture_output=True, text=True, check=False)

    assert good.returncode == 0, good.stdout + good.stderr
    assert "121 of 121 metrics agree" in good.stdout
    assert bad.returncode == 1
    assert "rounds_per_hour: counted" in bad.stdout
