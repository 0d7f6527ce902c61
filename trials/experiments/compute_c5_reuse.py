"""C5: what remembered fixes save, and whether they save anything when nothing vouches for them.

Forty tasks over ten recurring errors in two repositories, through the tools. A changing step
is solved by thinking (90 %), by a fitting fix (95 %), or by luck (20 %); a failed step costs a
second, deep try. Arms: no memory; signed outcomes; the falsifying arm (the same reports, but
unsigned, failing or for another patch: nothing may be saved); placebo (signed fixes of other
errors); a budget-matched arm (no memory, but as many cheap steps, at random).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from agent.scheduler.desk import Desk, issue
from agent.scheduler.ledger import MemoryLedger
from trials.experiments.compute_arms import CONTROLS_FROM, held_out
from trials.experiments.compute_stats import compare, holm, line, mean
from trials.experiments.shuffles import Shuffles

NAME = "compute_c5"
DOC = "skill reuse: cost with signed outcomes, with falsified ones, with placebo and matched arms"
KEY = "experiment"
TASKS = 40
DEEP, CHEAP = 8.0, 1.0
REUSED = 2.0
"""Tokens of thinking when a vouched-for fix is at hand: it is checked instead of searched for."""
ERRORS = tuple(
    f"{kind}Error in {place}: {thing} {verb}"
    for kind, place, thing, verb in (
        ("Key", "cache lookup", "entry", "missing"),
        ("Type", "serializer", "list", "unhashable"),
        ("Scope", "fixture", "session", "mismatch"),
        ("Import", "loader", "plugin", "circular"),
        ("Value", "parser", "date", "malformed"),
        ("Index", "pager", "offset", "out of range"),
        ("Timeout", "client", "socket", "stalled"),
        ("Unicode", "reader", "header", "undecodable"),
        ("Permission", "installer", "folder", "refused"),
        ("Assertion", "scheduler", "queue", "not drained"),
    )
)
ARMS = ("no memory", "signed", "falsified", "placebo", "budget-matched")


@dataclass(frozen=True, slots=True)
class Result:
    """Cost, steps handled with a fix, and how many were cheap."""

    cost: float
    reused: int
    cheap: int


def run(
    *, quick: bool = False, seeds: int | None = None, data: str | Path | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the table of C5."""
    del data
    count = seeds or (4 if quick else 24)
    results: dict[str, list[Result]] = {}
    for arm in ARMS[:4]:
        results[arm] = [play(arm, seed) for seed in held_out(count)]
    results["budget-matched"] = [
        play("no memory", seed, cheap=signed.cheap) for seed, signed in enumerate(results["signed"])
    ]
    for arm, part in results.items():
        measured = f"cost {mean([r.cost for r in part]):.2f}, fixes used {mean([r.reused for r in part]):.1f}"
        yield line(f"arm {arm}", "reported", measured, True, n=count)
    rivals = ("no memory", "falsified", "placebo", "budget-matched")
    found = [compare(_costs(results["signed"]), _costs(results[rival])) for rival in rivals]
    for rival, each, p in zip(rivals, found, holm([each.p for each in found]), strict=True):
        share = 100 * each.mean / mean(_costs(results[rival]))
        yield line(
            f"cost with signed outcomes less {rival}",
            "< 0, p < 0.05",
            f"{each.mean:.2f} ({share:+.1f} %)",
            quick or (each.high < 0 and p < 0.05),
            source="921.67 -> 603 (-34.6 %)" if rival == "no memory" else None,
            interval=each.interval(),
            p=p,
            n=count,
        )
    yield line(
        "falsified outcomes hand out no fix",
        "0",
        sum(r.reused for r in results["falsified"]),
        not any(r.reused for r in results["falsified"]),
        source="no saving",
        n=count,
    )


def play(arm: str, seed: int, cheap: int | None = None) -> Result:
    """Run one seed of one arm. *cheap*: handle this many steps cheaply, picked at random."""
    chance = Shuffles(seed)
    picks = set(Shuffles(CONTROLS_FROM + seed).sample(range(TASKS), cheap)) if cheap is not None else None
    desk = Desk(KEY, MemoryLedger())
    desk.call("open_session", {"sessionId": "s"}, now_ms=0, nonce="")
    cost = 0.0
    reused = handled = 0
    for i in range(TASKS):
        which, repo = chance.randrange(len(ERRORS)), chance.choice(("org/a", "org/b"))
        luck = chance.random()
        fitting = f"fix for error {which} of {repo}"
        step = {"repo": repo, "action_type": "apply_patch", "error_signature": ERRORS[which]}
        asked = {
            **step,
            "sessionId": "s",
            "step_id": f"t{i}",
            "criticality_hint": 0.55,
            "difficulty_hint": 0.5,
        }
        decided = desk.call("decide_step", asked, now_ms=i * 1000, nonce="")
        deep = decided["ignite"] if picks is None else i not in picks
        fix = decided["reusable_fix"] if picks is None else None
        handled += not deep
        reused += fix is not None
        solved = luck < (0.95 if fix == fitting else 0.90 if deep else 0.20)
        cost += (REUSED if fix is not None else DEEP) if deep else CHEAP
        cost += 0.0 if solved else DEEP
        report = {
            "sessionId": "s",
            "step_id": f"t{i}",
            "observed_criticality": 0.9 if not solved else 0.5,
            "used_system2": deep,
            **_evidence(arm, i, repo, which, fitting),
        }
        desk.call("report_outcome", report, now_ms=i * 1000 + 1, nonce="")
    return Result(cost, reused, handled)


def _evidence(arm: str, i: int, repo: str, which: int, fitting: str) -> dict[str, Any]:
    """Return what a report of this arm brings: every task ends solved, so every fix is one that worked."""
    if arm == "no memory":
        return {}
    patch = fitting if arm != "placebo" else f"fix for error {(which + 3) % len(ERRORS)} of {repo}"
    about: dict[str, Any] = {
        "exit_code": 0,
        "test_cmd": "pytest",
        "patch_summary": patch,
        "namespace": "default",
        "session_id": "s",
        "step_id": f"t{i}",
        "repo": repo,
    }
    nonce = sha256(f"{arm}{i}".encode()).hexdigest()[:32]
    if arm == "falsified":
        kinds: tuple[dict[str, Any], ...] = (
            {"source": "executor", "exit_code": 0},
            issue({**about, "exit_code": 1}, key=KEY, nonce=nonce, now_ms=i * 1000),
            issue({**about, "patch_summary": "other"}, key=KEY, nonce=nonce, now_ms=i * 1000),
            issue(about, key="guess", nonce=nonce, now_ms=i * 1000),
        )
        return {"patch_summary": patch, "verification": kinds[i % len(kinds)]}
    return {"patch_summary": patch, "verification": issue(about, key=KEY, nonce=nonce, now_ms=i * 1000)}


def _costs(results: list[Result]) -> list[float]:
    return [result.cost for result in results]
