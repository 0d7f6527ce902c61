"""A2: memory in tiers, beside the same memory with nothing packed and beside a fixed window that forgets.

The resident's memory has three tiers. Hot: the newest experiences, unpacked, and the last steps of the window that a model is
shown. Warm: twenty steps with action, confidence and explanation. Cold: every older experience and step, compressed, unpacked
when it is wanted. Whole lives are lived with a simulated reporter that is asked for its doubt; then is measured

- what the tiers hold, beside the same with nothing packed (what the source's saving is against) and beside a window of the
  hot tier's size. Bytes are those of the objects in this Python, counted once each, without what lies only in the log;
- of how many decisions and intuitions everything they rest on, by the log, can still be fetched from the mind's own
  memory and is what the log says: intuition, thoughts, experiences, steps.

A window as an arm would be another mind, which decides otherwise; here one life is looked at three ways.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agent.memory import BLOCK, HOT, Experience, Memory
from agent.mind import Mind
from agent.system2 import Unsure
from logs.reader import open_log
from sim.declare import declare
from sim.simulation import Simulation
from trials.experiments.lines import line
from trials.experiments.lives import ratio, reported, seeds_of, spread
from trials.experiments.memory_grounds import Told, read

NAME = "memory_tiers"
DOC = "A2: memory in tiers against one unpacked and a fixed window: bytes held, and grounds of decisions still to be had."
PROTOCOL = "moods"
DAYS, QUICK_DAYS = 90, 13
"""A life of thirteen days is the shortest in which something is packed: HOT + BLOCK experiences, about a hundred a day."""
FULL_SEEDS = 5
HOT_STEPS_MIN = 5
"""Steps of the hot tier: at least so many, or k (spec 02, 7.4)."""
MARKS = (30, 60)
"""Days after which memory is weighed, beside the last one. Chosen."""
SAVED, TRACED = 0.37, 0.98
"""What the source says of its tiers (unconfirmed)."""
REPORTER = {"hard": 400}
WAYS = ("tiers", "unpacked", "window")
KINDS = ("sys1", "sys2", "intuition")
"""What has grounds: a decision by an intuition, one by a model, and an intuition as it is formed."""


@dataclass(frozen=True, slots=True)
class Weight:
    """Bytes of the experience store alone, and of the memory with the tables of retrieval and the steps."""

    store: int
    whole: int


@dataclass(slots=True)
class Tiers:
    """One life: what memory weighed on some days, three ways, and what could be fetched at its end."""

    weights: dict[int, dict[str, Weight]] = field(default_factory=dict)
    closed: int = 0
    """Bytes of the store at the end with no block open."""
    steps: dict[str, int] = field(default_factory=dict)
    whole: dict[str, dict[str, list[bool]]] = field(default_factory=dict)
    """Way -> kind -> of each, whether all of its grounds were to be had."""
    stepless: dict[str, list[bool]] = field(default_factory=dict)
    """Way -> the same over all kinds, steps left out."""
    explained: dict[str, float | None] = field(default_factory=dict)
    gone: float | None = None
    """Share of the experiences shown to a model or weighed for an intuition that a window had forgotten by then."""
    counts: dict[str, int] = field(default_factory=dict)
    removed: int = 0
    """Grounds that lack nothing but an intuition which the library has removed: the log alone tells of it."""


def run(*, quick: bool = True, seeds: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the lines; *quick* lives thirteen days on one seed, else ninety on five of the test seeds."""
    days = QUICK_DAYS if quick else DAYS
    chosen = seeds_of(PROTOCOL, "test", quick, seeds or (1 if quick else FULL_SEEDS))
    lives = [live(seed, days) for seed in chosen]
    told = {"days": days, "seeds": len(chosen)}
    yield from weighed(lives, days, told)
    yield from traced(lives, told)


# --- the lines ----------------------------------------------------------------------------------------------------


def weighed(lives: list[Tiers], days: int, told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what the tiers hold beside both others."""
    for day in lives[0].weights:
        for what, part in (("the whole memory", "whole"), ("the experience store alone", "store")):
            sizes = {way: [getattr(life.weights[day][way], part) for life in lives] for way in WAYS}
            mean, interval = spread(1 - a / b for a, b in zip(sizes["tiers"], sizes["unpacked"], strict=True))
            main = part == "whole" and day == days
            yield line(
                f"{what}: bytes saved by the tiers, day {day}", f">= {SAVED}" if main else "reported", mean,
                not main or (mean is not None and mean >= SAVED), expected=SAVED if main else None, interval=interval, **told,
            )  # fmt: skip
            held = {way: round(sum(each) / len(each) / 1000) for way, each in sizes.items()}
            yield line(f"{what}: kilobytes held, day {day}", "reported", held, True, **told)
    counts = {name: round(sum(life.counts[name] for life in lives) / len(lives)) for name in lives[0].counts}
    yield reported("the experience store alone: bytes saved with no block open",
                   (1 - life.closed / life.weights[days]["unpacked"].store for life in lives), **counts, **told)  # fmt: skip
    yield reported("the whole memory in tiers, as a multiple of the window",
                   (life.weights[days]["tiers"].whole / life.weights[days]["window"].whole for life in lives), **told)  # fmt: skip
    yield reported("steps alone: bytes saved by packing the old ones",
                   (1 - life.steps["tiers"] / life.steps["unpacked"] for life in lives), **told)  # fmt: skip


def traced(lives: list[Tiers], told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield of how many decisions and intuitions the grounds are still to be had."""
    for way in ("tiers", "window"):
        every = [[good for kind in KINDS for good in life.whole[way][kind]] for life in lives]
        mean, interval = spread(ratio(sum(each), len(each)) for each in every)
        kinds = {kind: spread(ratio(sum(life.whole[way][kind]), len(life.whole[way][kind])) for life in lives)[0] for kind in KINDS}
        ours = way == "tiers"
        yield line(
            f"{way}: decisions and intuitions with every ground to be had and as logged", f">= {TRACED}" if ours else "reported",
            mean, not ours or (mean is not None and mean >= TRACED), expected=TRACED if ours else None, interval=interval,
            kinds=kinds, count=sum(len(each) for each in every), **told,
        )  # fmt: skip
        yield reported(f"{way}: the same, steps left out",
                       (ratio(sum(life.stepless[way]), len(life.stepless[way])) for life in lives), **told,
                       count=sum(len(life.stepless[way]) for life in lives), removed=sum(life.removed for life in lives))  # fmt: skip
        yield reported(f"{way}: answers of the model whose own confidence and explanation are to be had",
                       (life.explained[way] for life in lives), **told)  # fmt: skip
    yield reported("experiences shown to a model, or weighed for an intuition, that a window had forgotten by then",
                   (life.gone for life in lives), **told)  # fmt: skip


# --- one life -----------------------------------------------------------------------------------------------------


def live(seed: int, days: int) -> Tiers:
    """Live *days* days with a reporter that is asked for its doubt; weigh the memory, then trace what the log names."""
    overrides = {"mind.uncertainty": "both", "model.reporter": REPORTER}
    declared = declare(PROTOCOL, seed=seed, overrides=overrides)
    found, kept = Tiers(), list[Experience]()
    with TemporaryDirectory() as folder:
        simulation = Simulation(declared, out=Path(folder) / "life")
        simulation.reset()
        mind = simulation.session.state.mind
        for day in range(1, days + 1):
            simulation.advance(hours=24)
            # The very objects, taken while they are hot: packed and read again they would no longer share their words.
            kept += mind.memory.items[len(kept) :]
            if day in MARKS or day == days:
                found.weights[day] = weigh(mind.memory, kept)
        log = Path(simulation.close()["log"])
        with open_log(log) as reader:
            told = read(reader.records())
    shut = replace(mind.memory.items, _open={})
    found.closed = bytes_of(shut)
    steps = [Unsure(0, row[0], row[1], -1 if row[2] is None else row[2], row[3]) for row in told.steps]
    hot = max(HOT_STEPS_MIN, int(mind.settings["k"]))
    found.steps = {"tiers": bytes_of(mind.sys2.steps), "unpacked": bytes_of(steps), "window": bytes_of(steps[-hot:])}
    found.counts = {
        "experiences": len(kept), "steps": len(steps), "kilobytes_packed": sum(map(len, mind.memory.items.packed)) // 1000,
        "blocks_open": len(mind.memory.items._open),
    }  # fmt: skip
    trace(found, told, mind, hot)
    return found


def weigh(memory: Memory, kept: list[Experience]) -> dict[str, Weight]:
    """Return what *memory* holds as it is, with all experiences *kept* unpacked, and as a window of the newest HOT ones."""
    tables = [getattr(memory, each.name) for each in fields(memory) if each.name != "items"]
    window = Memory()
    for ordinal, one in enumerate(kept[-HOT:]):
        window.add(replace(one, ordinal=ordinal))
    return {
        "tiers": Weight(bytes_of(memory.items), bytes_of(memory)),
        "unpacked": Weight(bytes_of(kept), bytes_of([kept, *tables])),
        "window": Weight(bytes_of(window.items), bytes_of(window)),
    }


def bytes_of(value: Any) -> int:
    """Return the bytes of *value* and all it holds, each object counted once, as this Python keeps them."""
    seen: dict[int, bool] = {}
    total, waiting = 0, [value]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen[id(one)] = True
        total += sys.getsizeof(one)
        if isinstance(one, Mapping):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple):
            waiting += one
        elif is_dataclass(one):
            waiting += [getattr(one, each.name) for each in fields(one)]
    return total


# --- what can be fetched --------------------------------------------------------------------------------------------


def trace(found: Tiers, told: Told, mind: Mind, hot: int) -> None:
    """Fetch every ground from the mind's own memory, and hold it against the log."""
    same = [json.dumps(list(one.row())) == told.experiences[at] for at, one in enumerate(mind.memory.items[:])]
    thoughts = {one.id: (one.key, one.label) for one in mind.inner.thoughts.values()}
    library = {one.id: (one.scene, one.label) for one in mind.inner.library.values()}
    last = [[one.observation, one.action, None if one.confidence < 0 else one.confidence, one.explanation] for one in mind.sys2.steps]
    first = len(told.steps) - len(last)
    fetched = [at >= first and told.steps[at] == last[at - first] for at in range(len(told.steps))]
    for way, oldest, oldest_step in (("tiers", 0, 0), ("window", len(same) - HOT, len(told.steps) - hot)):
        found.whole[way], found.stepless[way] = {kind: [] for kind in KINDS}, []
        for one in told.grounds:
            good = all(at >= oldest and same[at] for at in one.experiences)
            good = good and all(thoughts.get(name) == told.thoughts.get(name, ()) for name in one.thoughts)
            if way == "tiers":
                found.removed += good and bool(one.intuition) and one.intuition not in library
            good = good and (not one.intuition or library.get(one.intuition) == told.intuitions[one.intuition])
            found.stepless[way].append(good)
            found.whole[way][one.kind].append(good and all(at >= oldest_step and fetched[at] for at in one.steps))
        found.explained[way] = ratio(sum(good for at, good in enumerate(fetched) if at >= oldest_step), len(fetched))
    used = [(at, one.held) for one in told.grounds if one.kind != "sys1" for at in one.experiences]
    found.gone = ratio(sum(at < held - HOT for at, held in used), len(used))
    found.counts |= {kind: len(found.whole["tiers"][kind]) for kind in KINDS}


assert HOT > BLOCK, "a window of the hot tier's size holds what is hot"
