"""Ground truth for "quality" and "correct": what the room says came of the resident's doing, never what a model says.

The oracle has full information. It reads facts, which the resident never sees, the truth behind each commitment,
and what happened afterwards; a log alone is enough for it. Two things come out.

Quality of a run: four shares, each 0 to 1, and their mean. Needs kept (time out of the critical band, worst need),
commitments fulfilled, requests handled (a stance in time, and what was accepted carried out), harm avoided (1 minus
injuries and lasting neglect, per day).

Correctness of a decision: a choice was right if what it began came to its end in the room, hurt nobody, and let no
need fall into the critical band meanwhile; wrong if the room refused it at once or it failed. What was still going
on at the end of the log, was set aside for something better, or began nothing is not judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from logs.reader import open_log
from trials.metrics import METRICS
from trials.metrics_body import CRITICAL, RESIDENT
from trials.metrics_deeds import HARMS
from trials.metrics_form import DIGITS, Number, Row

QUALITY = (
    "needs_ok",
    "commitments_kept",
    "requests_handled",
    "requests_carried_out",
    "injuries",
    "needs_critical_max_min",
)
NEGLECT_MIN = 10
"""A need critical for longer than this at a stretch is a harm."""
GOOD_ENDS, BAD_ENDS = ("done",), ("failed", "given_up")
STARTS = ("start", "resume", "continue")


@dataclass(slots=True)
class Verdict:
    """What the oracle says of one decision: *correct* is None where it can't be judged, *why* is the reason code."""

    round: str
    tick: int
    decided_by: str
    choice: str
    act: str
    task: str
    commitment: str = ""
    request: str = ""
    correct: bool | None = None
    why: str = "open"


def quality(values: Mapping[str, Number]) -> dict[str, float | None]:
    """Return the four shares and their mean from the metrics of a run; a share with nothing to judge is None."""
    handled, carried = values["requests_handled"], values["requests_carried_out"]
    parts = [each for each in (handled, carried) if each is not None]
    harms = (values["injuries"] or 0) + ((values["needs_critical_max_min"] or 0) > NEGLECT_MIN)
    shares = {
        "needs": values["needs_ok"],
        "commitments": values["commitments_kept"],
        "requests": sum(parts) / len(parts) if parts else None,
        "harm_avoided": 1 / (1 + harms),
    }
    known = [each for each in shares.values() if each is not None]
    shares["quality"] = sum(known) / len(known) if known else None
    return {name: None if each is None else round(each, DIGITS) for name, each in shares.items()}


def quality_of(path: Path) -> dict[str, float | None]:
    """Return the quality of the run in the log at *path*."""
    with open_log(path) as reader:
        return quality(METRICS.measure(reader.header, reader.records(), QUALITY))


def verdicts(rows: Iterable[Row]) -> Iterator[Verdict]:
    """Yield a verdict on each committed choice, in the order in which they are settled."""
    waiting: dict[str, Verdict] = {}
    pending: Verdict | None = None
    for row in rows:
        kind, data = row["kind"], row["data"]
        if kind == "commit":
            if pending is not None:
                yield _began_nothing(pending)
            pending = _opened(row)
            if pending.act not in STARTS:
                yield _began_nothing(pending)
                pending = None
        elif kind == "task":
            name = row["id"]
            if data["state"] in ("started", "resumed") and pending is not None:
                previous = waiting.pop(name, None)
                if previous is not None:
                    yield _settled(previous, None, "went_on")
                pending.commitment = name
                waiting[name], pending = pending, None
            elif name in waiting and data["state"] in (
                *GOOD_ENDS,
                *BAD_ENDS,
                "replaced",
                "cancelled",
                "paused",
            ):
                yield _ended(waiting.pop(name), data)
        elif kind == "percept" and data["what"] == "felt":
            felt = data["content"]
            if felt["direction"] == "down" and felt["level"] <= CRITICAL:
                for verdict in waiting.values():
                    verdict.why = f"neglected:{felt['need']}"
        elif kind == "fact" and data["doer"] == RESIDENT and data["fact"] == "skill_ended":
            failure = data["data"].get("failure", "")
            if failure in HARMS:
                for verdict in waiting.values():
                    verdict.why = f"hurt:{failure}"
    if pending is not None:
        yield _began_nothing(pending)
    for verdict in waiting.values():
        yield _settled(verdict, None, "open")


def _opened(row: Row) -> Verdict:
    data: Mapping[str, Any] = row["data"]
    named = {cause.partition("-")[0]: cause for cause in row["causes"]}
    return Verdict(
        round=named.get("rnd", ""),
        tick=int(row["tick"]),
        decided_by=data["decided_by"],
        choice=data["choice"],
        act=data["act"],
        task=data["task"],
        request=named.get("req", ""),
    )


def _ended(verdict: Verdict, data: Mapping[str, Any]) -> Verdict:
    state = data["state"]
    if state in ("replaced", "cancelled", "paused"):
        return _settled(verdict, None, state)
    if state in BAD_ENDS:
        return _settled(verdict, False, f"{state}:{data.get('reason', '')}")
    return _settled(verdict, verdict.why == "open", "done" if verdict.why == "open" else verdict.why)


def _settled(verdict: Verdict, correct: bool | None, why: str) -> Verdict:
    verdict.correct, verdict.why = correct, why
    return verdict


def _began_nothing(verdict: Verdict) -> Verdict:
    return _settled(
        verdict,
        None,
        "went_on" if verdict.act == "continue" else "stance" if verdict.act not in STARTS else "nothing",
    )


def judged(path: Path) -> dict[str, dict[str, int]]:
    """Return decided_by -> {right, wrong, open} over the log at *path*: the oracle's count for each decider."""
    found: dict[str, dict[str, int]] = {}
    with open_log(path) as reader:
        for verdict in verdicts(reader.records()):
            counts = found.setdefault(verdict.decided_by, {"right": 0, "wrong": 0, "open": 0})
            counts[{True: "right", False: "wrong", None: "open"}[verdict.correct]] += 1
    return dict(sorted(found.items()))
