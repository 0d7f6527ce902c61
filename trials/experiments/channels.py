"""H1: one arm per channel. What can each way of reaching the resident change, and what can it never change?

The same half hour of the same seeds, with the acts of one channel alone, against an arm with none. A hard claim holds in
every pair; what each channel did change is reported. The digests compared are those of the log's own records of the mind.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from logs.reader import open_log
from protocols.library import load_protocol
from sim.declare import declare
from sim.fork_outcome import of_the_mind
from sim.session import run_trial
from trials.experiments.lines import line

NAME = "channels"
DOC = "H1: one arm per channel: what acting, talking, an inner voice and system control can and can't change."
PROTOCOL = "first_visit"
CHANNELS = ("physical", "dialogue", "inner_voice", "system")
QUICK_SEEDS = 2
HANDS = ("grasp", "put", "open", "close")


def run(*, quick: bool = True, seeds: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the lines; *quick* takes two seeds, else all that the protocol declares."""
    listed = load_protocol(PROTOCOL).form["seeds"]
    chosen = listed[: seeds or (QUICK_SEEDS if quick else len(listed))]
    alone = {seed: lived(seed, ()) for seed in chosen}
    arms = {channel: {seed: lived(seed, (channel,)) for seed in chosen} for channel in CHANNELS}
    told = {"seeds": len(chosen)}
    same = sum(arms["system"][seed]["mind"] == alone[seed]["mind"] for seed in chosen)
    yield line("system control (pause, resume, save) leaves every record of the mind equal", f"{len(chosen)} of {len(chosen)}", same,
               same == len(chosen), **told)  # fmt: skip
    yield from never(arms, alone, told)
    for channel in CHANNELS:
        found = [arms[channel][seed] for seed in chosen]
        summary = {
            "perceived": sum(each["perceived"] for each in found),
            "matters": sum(each["matters"] for each in found),
            "voices": sum(each["voices"] for each in found),
            "things moved by the visitor": sum(each["moved"] for each in found),
            "first difference in the mind, min": _first(found, [alone[seed] for seed in chosen]),
        }
        yield line(f"{channel}: what it did", "reported", summary, True, **told)


def never(
    arms: dict[str, dict[int, Any]], alone: dict[int, Any], told: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield what no channel may do."""
    every = [run for by_seed in arms.values() for run in by_seed.values()]
    yield line("commits that belong to no round of the resident's own", 0, sum(each["foreign"] for each in every),
               not any(each["foreign"] for each in every), **told)  # fmt: skip
    voices = list(arms["inner_voice"].values())
    yield line("beliefs about the room that differ where a voice spoke, before the resident acted on it", 0,
               sum(each["told_beliefs"] for each in voices), not any(each["told_beliefs"] for each in voices), **told)  # fmt: skip
    lifted = max(each["lifted"] for each in voices)
    yield line("candidates lifted by one inner voice in a round", "<= 1", lifted, lifted <= 1, **told)
    hands = sum(each["matters"] for each in arms["physical"].values())
    yield line("matters opened by acting on things alone", 0, hands, hands == 0, **told)
    moved = sum(
        each["moved"] for name in ("dialogue", "inner_voice", "system") for each in arms[name].values()
    )
    yield line("things that words, voices or control moved by themselves", 0, moved, moved == 0, **told)
    before = [_differs_before(run, alone[seed]) for by_seed in arms.values() for seed, run in by_seed.items()]
    yield line("minds that differ before anything was perceived", 0, sum(before), not any(before), **told)


def lived(seed: int, channels: tuple[str, ...]) -> dict[str, Any]:
    """Run one arm: only the acts of *channels*; whoever talks has to come in, and that is all he does with his body."""
    entries = load_protocol(PROTOCOL).raw["schedule"]
    coming = ("enter",) if "dialogue" in channels else ()
    kept = [each for each in entries if each["channel"] in channels or each["id"] in coming]
    kept = [
        each
        for each in kept
        if "when" not in each or (channels == ("dialogue",) and each["channel"] == "dialogue")
    ]
    over = {"schedule": kept, "model.provider": "none", **({} if kept else {"visitor.kind": "none"})}
    with TemporaryDirectory() as folder:
        log = Path(run_trial(declare(PROTOCOL, seed=seed, overrides=over), out=Path(folder) / "arm")["log"])
        with open_log(log) as reader:
            return _read(list(reader.records()), int(reader.header["tick_ms"]))


def _read(rows: list[dict[str, Any]], tick_ms: int) -> dict[str, Any]:
    rounds = {row["id"] for row in rows if row["kind"] == "round"}
    commits = [row for row in rows if row["kind"] == "commit" and row["data"]["decided_by"] != "rule"]
    percepts = [
        row for row in rows if row["kind"] == "feedback" and row["data"].get("perceived_tick") == row["tick"]
    ]
    voices = [row for row in rows if row["kind"] == "percept" and row["data"]["what"] == "voice"]
    heard = {row["tick"] for row in voices}
    mind = [{key: row[key] for key in ("tick", "kind", "id", "causes", "data")} for row in of_the_mind(rows)]
    return {
        "mind": mind, "tick_ms": tick_ms,
        "perceived": len({row["id"] for row in percepts}),
        "perceived_tick": min((row["tick"] for row in percepts), default=None),
        "matters": len({row["id"] for row in rows if row["kind"] == "matter"}),
        "voices": len(voices),
        "moved": sum(row["kind"] == "fact" and row["data"]["doer"] == "visitor" and row["data"]["skill"] in HANDS for row in rows),
        "foreign": sum(not rounds & set(row["causes"]) for row in commits),
        "told_beliefs": sum(row["kind"] == "belief" and row["tick"] in heard and row["data"].get("percept") in {v["id"] for v in voices}
                            for row in rows),
        "lifted": max((sum("voice" in (part[8] or {}) for part in row["data"]["candidates"]) for row in rows if row["kind"] == "round"),
                      default=0),
    }  # fmt: skip


def _difference(one: dict[str, Any], other: dict[str, Any]) -> int | None:
    """Return the tick at which two minds first differ."""
    for a, b in zip(one["mind"], other["mind"], strict=False):
        if a != b:
            return int(min(a["tick"], b["tick"]))
    longer = max(one["mind"], other["mind"], key=len)
    shorter = min(len(one["mind"]), len(other["mind"]))
    return int(longer[shorter]["tick"]) if len(longer) > shorter else None


def _differs_before(run: dict[str, Any], alone: dict[str, Any]) -> bool:
    tick, seen = _difference(run, alone), run["perceived_tick"]
    return tick is not None and (seen is None or tick < seen)


def _first(found: list[dict[str, Any]], alone: list[dict[str, Any]]) -> list[float | None]:
    ticks = [_difference(run, other) for run, other in zip(found, alone, strict=True)]
    return [
        None if tick is None else round(tick * run["tick_ms"] / 60_000, 2)
        for tick, run in zip(ticks, found, strict=True)
    ]
