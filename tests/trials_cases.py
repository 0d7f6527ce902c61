"""Makers for the tests of metrics, why, diff and batches: a small protocol, its logs, and made-up records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sim.declare import declare
from sim.session import run_trial

SMALL = """
id = "small"
title = { en = "Small", zh = "小" }
room = "studio"
persona = "ada"
duration = "DURATION"
start = "08:00"
seeds = SEEDS
[arms.plain]
[arms.other]
"persona" = "bruno"
"""


def a_protocol(folder: Path, *, duration: str = "30m", seeds: str = "[1, 2, 3]") -> Path:
    """Write a small protocol without a visitor and return its path."""
    path = folder / "small.toml"
    path.write_text(SMALL.replace("DURATION", duration).replace("SEEDS", seeds), encoding="utf-8")
    return path


def a_log(
    out: Path, reference: str | Path, *, seed: int | None = None, model: str = "none", arm: str | None = None
) -> Path:
    """Run one trial and return its sealed log."""
    declared = declare(reference, arm=arm, seed=seed, overrides={"model.provider": model})
    return Path(run_trial(declared, out=out)["log"])


def a_header(**more: Any) -> dict[str, Any]:
    """Return what metrics need of a header: ticks of a second, a day that starts at 08:00."""
    return {
        "tick_ms": 1000,
        "declaration": {"start_ms": 8 * 3_600_000},
        "persona": {"bed_ms": 22 * 3_600_000, "wake_ms": 7 * 3_600_000},
        "params": {"answer_within_ms": 20_000},
        **more,
    }


def a_row(tick: int, kind: str, id: str = "", causes: tuple[str, ...] = (), /, **data: Any) -> dict[str, Any]:
    """Return one record."""
    return {"seq": 1, "tick": tick, "kind": kind, "id": id, "causes": list(causes), "data": data}


def felt(tick: int, need: str, direction: str, level: int) -> dict[str, Any]:
    """Return the percept of a need that crossed a threshold."""
    content = {"need": need, "direction": direction, "level": level}
    return a_row(tick, "percept", sense="body", what="felt", content=content)


def checkpoint(tick: int, **needs: int) -> dict[str, Any]:
    """Return an hourly checkpoint with all needs at 800 but for *needs*."""
    from agent.percept import NEEDS

    return a_row(tick, "digest", parts={}, needs={**dict.fromkeys(NEEDS, 800), **needs})


def task(tick: int, id: str, state: str, name: str = "read_book", **more: Any) -> dict[str, Any]:
    """Return a task record."""
    return a_row(
        tick, "task", id, state=state, task=name, **{"kind": "intention", "goal": "", "reason": "", **more}
    )


def commit(
    tick: int, round: str, choice: str = "c1", act: str = "start", decided_by: str = "clear", **more: Any
) -> dict[str, Any]:
    """Return a commit record."""
    data = {"choice": choice, "act": act, "task": "read_book", "decided_by": decided_by, "label": "", **more}
    return a_row(tick, "commit", f"cmt-{tick}", (round,), **data)


def skill_ended(
    tick: int, skill: str, failure: str = "", result: str = "", doer: str = "resident"
) -> dict[str, Any]:
    """Return the fact that a skill ended."""
    data = {"result": result or ("failed" if failure else "ok"), "failure": failure}
    return a_row(
        tick, "fact", f"evt-{tick}", ("cmd-1",), fact="skill_ended", doer=doer, skill=skill, data=data
    )


def end(tick: int) -> dict[str, Any]:
    """Return an end record."""
    return a_row(tick, "end", status="done", degraded_ticks=0)
