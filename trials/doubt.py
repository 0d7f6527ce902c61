"""What a run's log says about the model's doubt: trajectories by commitment, cost, and warnings for a person.

A trajectory is one commitment with its confidences; it succeeded if the room confirmed its end (`task` done). One that
had not ended with the log, or was set aside for something else (replaced, cancelled), neither succeeded nor failed: it
is counted apart. So are answers without a commitment: a stance, a favour asked.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agent.deeds import VOID
from agent.uncertainty import tau_of
from logs.reader import open_log
from trials.trajectories import Trajectory, report

LOW_STEPS = 10  # answers in a row below tau that make a lasting low confidence
LOOPS = 3  # requests in a row that used up every reflection
COST_MAX = 4.0  # calls per request above which tau is likely too high


def doubt(path: Path) -> dict[str, Any] | None:
    """Return the report of the log at *path*, or None where no confidence was asked for."""
    confidences: dict[str, list[int]] = {}
    unsaid: dict[str, int] = {}
    ended: dict[str, bool] = {}
    aside: dict[str, bool] = {}
    said: list[int] = []
    rounds: dict[str, int] = {}
    calls: dict[str, int] = {}
    alone = 0
    with open_log(path) as reader:
        mind = reader.header["declaration"]["mind"]
        if mind["uncertainty"] == "off":
            return None
        for row in reader.records():
            data = row["data"]
            if row["kind"] == "step":
                alone += not row["id"]
                if data["confidence"] is None:
                    unsaid[row["id"]] = unsaid.get(row["id"], 0) + 1
                else:
                    said.append(data["confidence"])
                    confidences.setdefault(row["id"], []).append(data["confidence"])
            elif row["kind"] == "task" and data["state"] in ("done", "failed", "given_up"):
                ended[row["id"]] = data["state"] == "done"
            elif row["kind"] == "task" and data["state"] in VOID:
                aside[row["id"]] = True
            elif row["kind"] == "part":
                name = row["id"].partition(".")[0]
                calls[name] = calls.get(name, 0) + 1
                rounds[name] = max(rounds.get(name, 0), int(data["note"].get("round") or 0))
    found = [
        Trajectory(tuple(confidences.get(name, ())), good, unsaid.get(name, 0)) for name, good in ended.items()
        if name in confidences or name in unsaid
    ]  # fmt: skip
    begun = [name for name in dict.fromkeys([*confidences, *unsaid]) if name and name not in ended]
    set_aside = sum(name in aside for name in begun)
    return {
        **report(found), "unfinished": len(begun) - set_aside, "set_aside": set_aside, "steps": len(said), "without_commitment": alone,
        "calls_per_request": round(sum(calls.values()) / max(1, len(calls)), 2), "reflected": sum(each > 0 for each in rounds.values()),
        "warnings": warnings(said, list(rounds.values()), calls, tau_of(mind) // 10),
    }  # fmt: skip


def warnings(said: list[int], rounds: list[int], calls: dict[str, int], tau: int) -> list[str]:
    """Return what a person should look at: lasting_low_confidence, reflection_loops, cost_explosion."""
    found = []
    if longest([each < tau for each in said]) >= LOW_STEPS:
        found.append("lasting_low_confidence")
    if longest([each >= 3 for each in rounds]) >= LOOPS:
        found.append("reflection_loops")
    if calls and sum(calls.values()) / len(calls) > COST_MAX:
        found.append("cost_explosion")
    return found


def longest(flags: list[bool]) -> int:
    """Return the length of the longest run of True."""
    best = now = 0
    for each in flags:
        now = now + 1 if each else 0
        best = max(best, now)
    return best
