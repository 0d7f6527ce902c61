"""The linter and the strict type checker have nothing to say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_linter_has_nothing_to_say() -> None:
    ran = run("ruff", "check", "--output-format", "concise")

    assert ran.returncode == 0, ran.stdout


def test_the_strict_type_checker_has_nothing_to_say() -> None:
    ran = run("mypy")

    assert ran.returncode == 0, ran.stdout
