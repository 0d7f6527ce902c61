"""Lives for the experiments of the sources: one run each, read once, everything counted from its log.

Counts of memory search are the one thing a log does not hold; they are read off the state at the end of a few days.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agent.dream import links
from agent.mind import Mind
from logs.reader import open_log
from protocols.library import load_protocol
from sim.declare import declare
from sim.simulation import Simulation
from trials.doubt import doubt
from trials.experiments.lines import interval_of, line
from trials.metrics_form import DAY_MS
from trials.oracle import quality_of, verdicts

OVERTURNED = ("replaced", "cancelled", "failed", "given_up")
"""What became of a sys1 choice that did not stand: set aside for something else, or it came to nothing."""
QUICK_SEEDS = 2
MARKS = (1, 7)
"""Days after which the cost of recall is looked at."""


@dataclass(slots=True)
class Life:
    """What one run came to."""

    seed: int
    days: int
    quality: dict[str, float | None] = field(default_factory=dict)
    decided: dict[str, int] = field(default_factory=dict)
    ties: dict[str, int] = field(default_factory=dict)
    """Near ties by who decided them."""
    judged: dict[str, list[int]] = field(default_factory=dict)
    """Near ties by decider: [right, wrong, not judged, overturned, overturned and not judged]."""
    sys1_ms: list[int] = field(default_factory=list)
    """Declared latency of each sys1 decision, in ms."""
    model_ms: list[int] = field(default_factory=list)
    """Declared latency from a request to its commit, in ms."""
    formed: dict[int, int] = field(default_factory=dict)
    removed: dict[int, int] = field(default_factory=dict)
    library: list[int] = field(default_factory=list)
    """Intuitions held at the end of each day."""
    sure: list[float] = field(default_factory=list)
    """Their mean confidence then, 0 to 1."""
    late_strengths: list[int] = field(default_factory=list)
    """Of each intuition held at the end: the strength of its strongest link then, with the verifications it has had."""
    links: list[tuple[str, int, bool]] = field(default_factory=list)
    """Of each intuition formed: its strongest thought, strength in thousandths, whether the chain holds."""
    nominated: dict[str, int] = field(default_factory=dict)
    doubt: dict[str, Any] | None = None
    """What the log says about the model's doubt (trials/doubt.py), None where it was not asked for."""
    calls: int = 0
    """Calls to the model, samples and repairs included."""
    tokens: int = 0
    searched: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """By the end of a day: recalls, memories scored for them, memories held. Of the last day, and of MARKS before it."""

    @property
    def recalls(self) -> int:
        """Recalls in the whole life."""
        return self.searched[self.days][0]

    @property
    def scored(self) -> int:
        """Memories scored for them."""
        return self.searched[self.days][1]

    def right(self, decider: str | None = None) -> tuple[int, int]:
        """Return (right, judged) near ties of *decider*, or of all."""
        rows = [row for name, row in self.judged.items() if decider in (None, name)]
        return sum(row[0] for row in rows), sum(row[0] + row[1] for row in rows)

    def discovered(self) -> int:
        """Return how many intuitions were formed."""
        return sum(self.formed.values())


def live(reference: str, seed: int, days: int, overrides: Mapping[str, Any] | None = None) -> Life:
    """Run the first *days* days of a life and read them; a protocol that is shorter is made to last.

    A life that was lived in this process already is not lived again: experiments share their arms.
    """
    return _live(reference, seed, days, json.dumps(dict(overrides or {}), sort_keys=True))


@cache
def _live(reference: str, seed: int, days: int, overrides: str) -> Life:
    given: dict[str, Any] = json.loads(overrides)
    if days * DAY_MS > load_protocol(reference).form["duration_ms"]:
        given["duration"] = f"{days}d"
    declared = declare(reference, seed=seed, overrides=given)
    with TemporaryDirectory() as folder:
        simulation = Simulation(declared, out=Path(folder) / "life")
        simulation.reset()
        mind = simulation.session.state.mind
        searched, lived = {}, 0
        for mark in (*(mark for mark in MARKS if mark < days), days):
            simulation.advance(hours=24 * (mark - lived))
            lived, serials = mark, mind.inner.serials
            searched[mark] = (serials.get("s2_calls", 0), serials.get("s2_scored", 0), len(mind.memory.items))
        log = Path(simulation.close()["log"])
        life = Life(seed, days, quality_of(log), doubt=doubt(log), searched=searched)
        with open_log(log) as reader:
            _read(life, reader.records(), int(reader.header["tick_ms"]))
        with open_log(log) as reader:
            _judge(life, reader.records())
        life.late_strengths = [max(links, default=0) for links in _strengths(mind)]
    return life


def _strengths(mind: Mind) -> Iterator[list[int]]:
    for one in mind.inner.library.values():
        yield [strength for _, strength in links(mind, one)]


def _read(life: Life, rows: Iterable[Mapping[str, Any]], tick_ms: int) -> None:
    """Fill in what can be counted record by record."""
    held: dict[str, int] = {}
    thoughts: dict[str, str] = {}
    experiences: dict[int, str] = {}
    asked: dict[str, int] = {}
    tied: dict[str, int] = {}
    day = 0
    for row in rows:
        now = int(row["tick"]) * tick_ms // DAY_MS
        while day < min(now, life.days):
            day = _day_over(life, held, day)
        kind, data, name = row["kind"], row["data"], row["id"]
        if kind == "round":
            if len(data["group"]) > 1:
                tied[name] = sum(stage[1] for stage in data.get("stages", ()))
        elif kind == "commit":
            by = data["decided_by"]
            life.decided[by] = life.decided.get(by, 0) + 1
            rounds = [cause for cause in row["causes"] if cause in tied]
            if rounds:
                life.ties[by] = life.ties.get(by, 0) + 1
                if by == "sys1":
                    life.sys1_ms.append(tied[rounds[0]])
        elif kind == "request":
            asked[name] = int(row["tick"])
        elif kind == "ruling" and data["what"] == "commit" and name in asked:
            life.model_ms.append((int(row["tick"]) - asked[name]) * tick_ms)
        elif kind == "experience":
            experiences[data["row"][0]] = str(data["row"])
        elif kind == "thought":
            thoughts[name] = data["label"]
        elif kind == "pattern" and data["event"] == "nominated":
            life.nominated[data["by"]] = life.nominated.get(data["by"], 0) + 1
        elif kind == "end":
            life.calls, life.tokens = data["calls"], data["tokens"]
        elif kind == "intuition" and name:
            _intuition(life, held, data, name, now, thoughts, experiences)
    while day < life.days:
        day = _day_over(life, held, day)


def _day_over(life: Life, held: Mapping[str, int], day: int) -> int:
    life.library.append(len(held))
    life.sure.append(sum(held.values()) / 1000 / len(held) if held else 0.0)
    return day + 1


def _intuition(
    life: Life, held: dict[str, int], data: Mapping[str, Any], name: str, day: int, thoughts: Mapping[str, str],
    experiences: Mapping[int, str],
) -> None:  # fmt: skip
    if data["event"] == "removed":
        held.pop(name, None)
        life.removed[day] = life.removed.get(day, 0) + 1
        return
    held[name] = data["confidence"]
    if data["event"] == "formed":
        life.formed[day] = life.formed.get(day, 0) + 1
        links = sorted(data["thoughts"], key=lambda link: -link[1])
        thought, strength = (str(links[0][0]), int(links[0][1])) if links else ("", 0)
        # The chain holds if the thought stands in the log before, is about the same action, and every support does too.
        whole = thoughts.get(thought) == data["label"] and all(
            each in experiences for each in data["supports"]
        )
        life.links.append((thought, strength, whole))


def _judge(life: Life, rows: Iterable[Mapping[str, Any]]) -> None:
    """Ask the oracle about every near tie."""
    ties: set[str] = set()

    def noting() -> Iterator[Mapping[str, Any]]:
        for row in rows:
            if row["kind"] == "round" and len(row["data"]["group"]) > 1:
                ties.add(row["id"])
            yield row

    for verdict in verdicts(noting()):
        if verdict.round in ties:
            counts = life.judged.setdefault(verdict.decided_by, [0, 0, 0, 0, 0])
            counts[{True: 0, False: 1, None: 2}[verdict.correct]] += 1
            overturned = verdict.why.partition(":")[0] in OVERTURNED
            counts[3] += overturned
            counts[4] += overturned and verdict.correct is None


def seeds_of(reference: str, kind: str, quick: bool, seeds: int | None) -> list[int]:
    """Return the seeds that *reference* declares for *kind*, training or test; a few of them where *quick*."""
    listed: list[int] = load_protocol(reference).form["seeds"][kind]
    return listed[: seeds or (QUICK_SEEDS if quick else len(listed))]


def spread(values: Iterable[float | None], digits: int = 3) -> tuple[float | None, list[float] | None]:
    """Return the mean of what is known of *values*, and its 95 % interval where there are two or more."""
    known = [value for value in values if value is not None]
    if not known:
        return None, None
    if len(known) < 2:
        return round(known[0], digits), None
    mean, low, high = interval_of(known)
    return round(mean, digits), [round(low, digits), round(high, digits)]


def reported(claim: str, values: Iterable[float | None], **more: Any) -> dict[str, Any]:
    """Return the line of a claim that aims at nothing: the mean of *values* and its interval."""
    mean, interval = spread(values)
    return line(claim, "reported", mean, True, interval=interval, **more)


def ratio(part: float, whole: float) -> float | None:
    """Return *part* of *whole*, None of nothing."""
    return part / whole if whole else None


def change(new: float | None, old: float | None) -> float | None:
    """Return by how much *new* is above *old*, as a share of *old*; None where either is missing or *old* is 0."""
    return None if new is None or not old else (new - old) / old


def stood(life: Life) -> float | None:
    """Return the share of near-tie choices that came to a good end, of those that came to any end or were overturned."""
    good = sum(row[0] for row in life.judged.values())
    bad = sum(row[1] + row[4] for row in life.judged.values())
    return ratio(good, good + bad)
