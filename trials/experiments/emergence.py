"""Emergence: does intuition take over what a model was asked, at no loss, and can every intuition be checked from the log?

Sixteen days with a friend (protocol `emergence`), the competent scripted model. Thresholds are those of the page; what
was tuned (the schedule, the triggers of near ties) was tuned on the training seeds; the lines are of the test seeds.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agent import intuition
from logs.reader import open_log
from protocols.library import load_protocol
from sim.build import build
from sim.declare import declare
from sim.kernel import Ticked
from sim.session import Session, run_trial
from trials.experiments.lines import interval_of, line
from trials.intuition_checker import Found, check
from trials.oracle import quality_of, verdicts

NAME = "emergence"
DOC = "Requests to the model fall as intuitions form, quality holds, an emptied library asks again; gate and traces checked from the log."
DAYS, FIRST, LAST = 16, (0, 1), (12, 13)


def run(*, quick: bool = True, seeds: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the lines; *quick* lives one test seed, else all of them."""
    listed = load_protocol("emergence").form["seeds"]["test"]
    chosen = listed[: seeds or (1 if quick else len(listed))]
    whole = [live("whole", seed) for seed in chosen]
    control = [live("model_only", seed) for seed in chosen]
    emptied = [without_library(seed) for seed in chosen]
    yield from falls(whole, control)
    yield from holds(whole, control)
    fresh, kept = [each["requests"][14] for each in emptied], [each["requests"][14] for each in whole]
    yield line("requests on day 15 with the library emptied on day 14, against kept", "they rise", [sum(fresh), sum(kept)],
               sum(fresh) > sum(kept), interval=_interval([a - b for a, b in zip(fresh, kept, strict=True)]))  # fmt: skip
    yield from checked([each["check"] for each in whole])


def falls(whole: list[dict[str, Any]], control: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield how far requests of type choose fall, and how far they fall where nothing is learned by sys1."""
    drops = [fall(each["requests"]) for each in whole]
    mean = sum(drops) / len(drops)
    yield line("choose requests a day, days 13-14 against 1-2, fall", ">= 0.80", round(mean, 3), mean >= 0.8,
               interval=_interval(drops), by_seed=[round(each, 3) for each in drops],
               a_day=[round(sum(each["requests"][day] for each in whole) / len(whole), 1) for day in range(DAYS)])  # fmt: skip
    without = [fall(each["requests"]) for each in control]
    yield line("the same without sys1: what habit and feeling alone do", "less than with it", round(sum(without) / len(without), 3),
               sum(without) < sum(drops), interval=_interval(without))  # fmt: skip
    late = [sum(each["requests"][day] for day in LAST) for each in whole]
    plain = [sum(each["requests"][day] for day in LAST) for each in control]
    yield line("requests on days 13-14, with sys1 and without", "fewer", [sum(late), sum(plain)], sum(late) < sum(plain),
               interval=_interval([a - b for a, b in zip(late, plain, strict=True)]))  # fmt: skip


def holds(whole: list[dict[str, Any]], control: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the oracle's quality of both arms, and how often each decider was right, early and late."""
    gaps = [a["quality"] - b["quality"] for a, b in zip(whole, control, strict=True)]
    mean = sum(gaps) / len(gaps)
    yield line("oracle quality, with sys1 minus model only", ">= -0.01", round(mean, 4), mean >= -0.01, expected="0.95 of the model's",
               interval=_interval(gaps), whole=[each["quality"] for each in whole])  # fmt: skip
    for name in ("early", "late"):
        right, wrong = (sum(each[name][at] for each in whole) for at in (0, 1))
        yield line(f"decisions right by the oracle, {name} days", ">= 0.85", round(right / max(1, right + wrong), 4),
                   right >= 0.85 * (right + wrong), judged=right + wrong)  # fmt: skip
    right, wrong = (sum(each["sys1"][at] for each in whole) for at in (0, 1))
    yield line("decisions of sys1 right by the oracle", "> 0.85", round(right / max(1, right + wrong), 4), right > 0.85 * (right + wrong),
               expected="0.88", judged=right + wrong)  # fmt: skip


def checked(found: list[Found]) -> Iterator[dict[str, Any]]:
    """Yield what the independent checker says of every intuition."""
    formed, passed = sum(each.formed for each in found), sum(each.gate_ok for each in found)
    faults = [fault for each in found for fault in each.faults]
    yield line(
        "intuitions that pass the gate recomputed from the log",
        "all",
        [passed, formed],
        passed == formed > 0,
        faults=faults[:5],
    )
    fired, lawful = sum(each.fired for each in found), sum(each.fired_ok for each in found)
    yield line("firings that were lawful by the log", "all", [lawful, fired], lawful == fired > 0)
    made, right = sum(each.verdicts for each in found), sum(each.verdicts_ok for each in found)
    yield line("verdicts replayed by hand from the usage history", "all", [right, made], right == made)
    traced = sum(each.traceable for each in found) / max(1, formed)
    yield line(
        "intuitions traceable to thoughts", ">= 0.85", round(traced, 3), traced >= 0.85, expected="0.85"
    )
    links, sound = sum(each.links for each in found), sum(each.links_right for each in found)
    yield line(
        "traces that are correct",
        ">= 0.90",
        round(sound / max(1, links), 3),
        sound >= 0.9 * links,
        expected="0.90",
    )
    strengths = [strength for each in found for strength in each.strengths]
    strength = sum(strengths) / max(1, len(strengths)) / 1000
    yield line("mean link strength at formation", "reported", round(strength, 3), True, expected="0.72")
    yield line("no fault in any log", 0, len(faults), not faults, faults=faults[:5])


def fall(requests: list[int]) -> float:
    """Return by what share the requests of days 13-14 lie below those of days 1-2."""
    before, after = sum(requests[day] for day in FIRST), sum(requests[day] for day in LAST)
    return 1 - after / before if before else 0.0


def live(arm: str, seed: int) -> dict[str, Any]:
    """Run one life into a log; return requests by day, quality, the oracle's counts and the checker's findings."""
    declared = declare("emergence", arm=arm, seed=seed)
    day = 86_400_000 // declared.tick_ms
    requests = [0] * DAYS
    counts = {"early": [0, 0], "late": [0, 0], "sys1": [0, 0]}
    with TemporaryDirectory() as folder:
        log = Path(run_trial(declared, out=Path(folder) / "life")["log"])
        with open_log(log) as reader:
            for row in reader.records():
                if row["kind"] == "request" and row["data"]["type"] == "choose":
                    requests[min(DAYS - 1, row["tick"] // day)] += 1
        with open_log(log) as reader:
            for verdict in verdicts(reader.records()):
                if verdict.correct is None:
                    continue
                part = (
                    "early" if verdict.tick // day in FIRST else "late" if verdict.tick // day in LAST else ""
                )
                for name in (part, "sys1" if verdict.decided_by == "sys1" else ""):
                    if name:
                        counts[name][not verdict.correct] += 1
        return {
            "requests": requests,
            "quality": quality_of(log)["quality"] or 0.0,
            "check": check(log),
            **counts,
        }


class Counted(Session):
    """A life without a log, of which only the requests are counted."""

    requests: list[int]

    def write(self, ticked: list[Ticked]) -> None:
        day = 86_400_000 // self.state.tick_ms
        for tick, rows in ticked:
            for row in rows:
                if row["kind"] == "request" and row["data"]["type"] == "choose":
                    self.requests[min(DAYS - 1, tick // day)] += 1


def without_library(seed: int) -> dict[str, Any]:
    """Live fourteen days, empty the library, and go on; return requests by day."""
    declared = declare("emergence", seed=seed)
    state = build(declared)
    session = Counted(declared, state, None, None)
    session.requests = [0] * DAYS
    end, state.end_tick = state.end_tick, 14 * 86_400_000 // declared.tick_ms
    session.run()
    intuition.empty(state.mind)
    state.mind.take_notes()
    state.end_tick = end
    session.run()
    return {"requests": session.requests}


def _interval(values: list[float]) -> list[float] | None:
    if len(values) < 2:
        return None
    _, low, high = interval_of(values)
    return [round(low, 3), round(high, 3)]
