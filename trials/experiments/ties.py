"""Near ties: every request answers the ten questions, nothing outside the group is ever committed, 0.150 makes no group."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agent.arbiter import near_tie
from agent.attraction import Scored
from agent.candidates import Candidate
from agent.params import Params
from agent.request import EXPLICIT_ENDS
from logs.reader import open_log
from protocols.library import load_protocol
from sim.declare import declare
from sim.session import run_trial
from sim.why import why
from trials.experiments.lines import line

NAME = "near_tie"
DOC = "The protocol near_tie: ten questions per request, commits only of the group or a labelled end, the exact gap."


def run(*, quick: bool = True, seeds: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the lines; *quick* runs one seed, else the test seeds."""
    listed = load_protocol("near_tie").form["seeds"]["test"]
    chosen = listed[: seeds or (1 if quick else len(listed))]
    requests = answered = commits = outside = 0
    for seed in chosen:
        with TemporaryDirectory() as folder:
            log = Path(run_trial(declare("near_tie", seed=seed), out=Path(folder) / "trial")["log"])
            with open_log(log) as reader:
                groups: dict[str, list[str]] = {}
                for row in reader.records():
                    if row["kind"] == "request":
                        requests += 1
                        groups[row["id"]] = row["data"]["group"] or [
                            each["id"] for each in row["data"]["context"]["candidates"]
                        ]
                        told = why(log, id=row["id"])["questions"]
                        answered += [key for key in told if told[key]] == [
                            str(number) for number in range(1, 11)
                        ]
                    elif row["kind"] == "commit" and row["data"]["decided_by"] == "sys2":
                        commits += 1
                        data = row["data"]
                        group = groups[row["causes"][-1]]
                        labelled = data["label"] in EXPLICIT_ENDS and data["choice"] == data["label"]
                        outside += not (data["choice"] in group or labelled)
    yield line(
        "requests were made",
        ">= 10 a seed",
        requests / len(chosen),
        requests >= 10 * len(chosen),
        seeds=chosen,
    )
    yield line(
        "every request answers the ten questions under why", "all", [answered, requests], answered == requests
    )
    yield line("commits outside the group and without a label", 0, outside, outside == 0, commits=commits)
    gap = Params().gap_min
    sizes = [len(near_tie([_scored(800), _scored(800 - below)], gap)) for below in (gap - 1, gap)]
    yield line("a gap of 0.149 makes a group, one of exactly 0.150 none", [2, 1], sizes, sizes == [2, 1])


def _scored(score: int) -> Scored:
    return Scored(Candidate(f"c{score}", "explore", "start", "wait_quietly"), {}, score)
