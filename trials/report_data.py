"""What a report says, as values: read from a batch's folder, counted nowhere anew.

Every number is a cell of the batch's own tables, or comes from them through trials/comparison.py.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from logs.reader import open_log
from protocols.faults import ProtocolError
from trials.comparison import Comparison, Estimate, by_seed, compare_all, estimate
from trials.metrics import registry
from trials.metrics_form import Metric
from trials.store import results_of, sealed_ids
from trials.store_batch import BatchError, Folder, attempts_of, identity_of, make_plan, status

DEFAULT_METRICS = (
    "needs_ok",
    "commitments_kept",
    "requests_handled",
    "skill_success",
    "practices_per_day",
    "near_tie_share",
)
"""Looked at where a protocol declares none."""
DECISIONS = ("rule", "clear", "sys1", "deterministic", "sys2", "fallback")
COUNTED = {
    "repairs": "repairs", "stale": "stale", "expired": "expired", "refused_interventions": "acts denied",
    "degraded_ticks": "ticks without a usable model",
}  # fmt: skip
"""Counts of trials.csv that are shown beside the decisions."""
CHANNELS = ("physical", "dialogue", "inner_voice", "system")
VISITED = ("inputs", "denied", "perceived", "complied", "refused", "done")
"""Metrics of a channel, after its name."""
FLAG_FACTS = {
    "tainted": "tainted",
    "wall_capped": "wall_capped",
    "degraded": "degraded",
    "budget_spent": "budget_spent",
    "exploratory": "exploratory",
}
Row = dict[str, Any]


@dataclass(slots=True)
class Study:
    """One batch, ready to be written about."""

    folder: Path
    identity: Row
    header: Row
    """Of one trial of the first arm."""
    headers: dict[str, Row]
    """Arm -> header of one of its trials."""
    rows: list[Row]
    """Every sealed trial, as in trials.csv."""
    kept: list[Row] = field(default_factory=list)
    excluded: list[tuple[Row, list[str]]] = field(default_factory=list)
    deviations: list[str] = field(default_factory=list)
    planned: int | None = None

    @property
    def form(self) -> Row:
        """The effective declaration of the first arm."""
        found: Row = self.header["declaration"]
        return found

    @property
    def arms(self) -> list[str]:
        """The arms with sealed trials, in the order declared."""
        there = {row["facts"]["arm"] for row in self.rows}
        return [arm for arm in self.identity["arms"] if arm in there]

    def declared_metrics(self) -> list[str]:
        """The metrics that the protocol declares, or a default few, as far as they have values."""
        names = self.form["metrics"] or DEFAULT_METRICS
        return [name for name in names if any(row["metrics"].get(name) is not None for row in self.kept)]

    def all_metrics(self) -> list[str]:
        """Every metric that some trial has a value of."""
        names = list(self.rows[0]["metrics"]) if self.rows else []
        return [name for name in names if any(row["metrics"].get(name) is not None for row in self.kept)]

    def estimates(self, metric: str) -> dict[str, Estimate]:
        """Return arm -> estimate over its seeds."""
        found = by_seed(self.kept, metric)
        return {arm: estimate(list(found[arm].values())) for arm in self.arms if found.get(arm)}

    def seeds(self, metric: str) -> dict[str, dict[int, float]]:
        """Return arm -> seed -> value."""
        found = by_seed(self.kept, metric)
        return {arm: found[arm] for arm in self.arms if found.get(arm)}

    def comparisons(self, names: Sequence[str]) -> dict[str, list[Comparison]]:
        """Return other arm -> its comparison with the first, corrected over *names*."""
        base, *others = self.arms
        return {other: compare_all(self.kept, names, base, other) for other in others}

    def decisions(self) -> dict[str, dict[str, float]]:
        """Return arm -> kind -> mean number of decisions a trial."""
        found: dict[str, dict[str, float]] = {}
        for arm in self.arms:
            own = [row["metrics"] for row in self.kept if row["facts"]["arm"] == arm]
            counts = {kind: [m.get(f"decisions_{kind}") or 0 for m in own] for kind in DECISIONS}
            found[arm] = {kind: sum(each) / len(each) for kind, each in counts.items() if each}
        return found

    def counts(self) -> dict[str, dict[str, float]]:
        """Return arm -> count -> mean a trial, for the counts of COUNTED."""
        own = {arm: [row["facts"] for row in self.kept if row["facts"]["arm"] == arm] for arm in self.arms}
        return {
            arm: {name: sum(each[name] for each in facts) / len(facts) for name in COUNTED}
            for arm, facts in own.items()
            if facts
        }

    def visits(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """Return channel -> arm -> metric of VISITED -> mean over seeds, for channels with any input."""
        found: dict[str, dict[str, dict[str, float | None]]] = {}
        for channel in CHANNELS:
            means = {name: self.estimates(f"{channel}_{name}") for name in VISITED}
            if any(each.mean for each in means["inputs"].values()):
                found[channel] = {
                    arm: {name: means[name][arm].mean if arm in means[name] else None for name in VISITED}
                    for arm in means["inputs"]
                }
        return found

    def flags(self) -> dict[str, int]:
        """Return flag -> how many trials bear it."""
        names = (*FLAG_FACTS, "restored")
        return {name: sum(_bears(row, name) for row in self.rows) for name in names}


def metric_of(name: str) -> Metric:
    """Return the registered metric; a plain one for shares that the oracle adds."""
    known = registry().metrics
    return known[name] if name in known else Metric(name, "share", (name.replace("_", " "),) * 2, ("", ""))


def read_study(root: Path) -> Study:
    """Return what the batch in *root* holds. Raises BatchError where there is none, or nothing is sealed."""
    folder = Folder(root)
    identity = identity_of(folder)
    rows = list(results_of(folder, sealed_ids(folder)))
    if not rows:
        raise BatchError(
            "no trial is sealed yet",
            where=root,
            mend=f"oneroom trials run {identity.get('reference', 'PROTOCOL')} --out {root}",
        )
    headers: dict[str, Row] = {}
    for row in rows:
        arm = row["facts"]["arm"]
        if arm not in headers:
            with open_log(folder.sealed(row["facts"]["trial"])) as reader:
                headers[arm] = reader.header
    first = next(headers[arm] for arm in identity["arms"] if arm in headers)
    study = Study(root, identity, first, headers, rows)
    for row in rows:
        why = [name for name in study.form["exclusion"] if _bears(row, name)]
        if why:
            study.excluded.append((row, why))
        else:
            study.kept.append(row)
    study.deviations = _deviations(folder, study)
    return study


def _bears(row: Row, flag: str) -> bool:
    facts = row["facts"]
    return facts["status"] == "restored" if flag == "restored" else bool(facts[FLAG_FACTS[flag]])


def _deviations(folder: Folder, study: Study) -> list[str]:
    """Return in words everything by which this batch is not what was declared."""
    identity, found = study.identity, []
    if identity["overrides"]:
        told = ", ".join(
            f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in identity["overrides"].items()
        )
        found.append(f"Overridden from the command line: {told}.")
    if study.form["exploratory"]:
        found.append("The protocol declares itself exploratory.")
    undeclared = _undeclared_seeds(folder, study)
    if undeclared:
        found.append(f"Seeds that are not declared: {', '.join(map(str, undeclared))}.")
    try:
        plan = make_plan(identity.get("reference", ""), overrides=identity["overrides"])
    except (ProtocolError, ValueError, OSError):
        found.append(
            f"The protocol at {identity.get('reference', '?')} can't be read any more; what is missing is not known."
        )
    else:
        study.planned = len(plan.trials)
        if plan.digest != identity["digest"]:
            found.append(
                "The protocol on disk is no longer the one that was run; the digest below is what was run."
            )
        else:
            now = plan.identity()["arms"]
            moved = [arm for arm, was in identity["arms"].items() if now.get(arm) != was]
            found += [
                f"Arm {arm or 'only'}: room, persona or defaults on this machine are no longer those that were run."
                for arm in moved
            ]
            missing = [
                row
                for row in status(folder, plan)["trials"]
                if row["status"] != "sealed" and row["arm"] not in moved
            ]
            for state in dict.fromkeys(row["status"] for row in missing):
                which = [
                    f"{row['arm'] or 'the only arm'}/{row['seed']}"
                    for row in missing
                    if row["status"] == state
                ]
                found.append(
                    f"{len(which)} declared trials are {state}: {', '.join(which[:12])}{' …' if len(which) > 12 else ''}."
                )
    early = [row for row in study.rows if row["facts"]["status"] != "done"]
    if early and study.form["complete"] == "full_duration":
        found.append(
            f"{len(early)} trials did not run their full duration: {', '.join(row['facts']['trial'] for row in early[:8])}."
        )
    again = {trial: len(tries) for trial, tries in attempts_of(folder).items() if len(tries) > 1}
    if again:
        found.append(
            f"{len(again)} trials took more than one attempt; their logs are those of an uninterrupted run."
        )
    engines = dict.fromkeys(row["facts"]["engine"] for row in study.rows)
    if len(engines) > 1:
        found.append(f"Logs of several engines: {', '.join(map(str, engines))}.")
    return found


def _undeclared_seeds(folder: Folder, study: Study) -> list[int]:
    found: dict[int, None] = {}
    for row in study.rows:
        if row["facts"]["exploratory"] and not study.identity["overrides"] and not study.form["exploratory"]:
            with open_log(folder.sealed(row["facts"]["trial"])) as reader:
                if any("is not declared" in reason for reason in reader.header["reasons"]):
                    found[row["facts"]["seed"]] = None
    return list(found)


def software() -> str:
    """Return the name of what wrote the report, with its version where it is installed."""
    try:
        return f"oneroom {metadata.version('oneroom')}"
    except metadata.PackageNotFoundError:
        return "oneroom, from a checkout"


def machine() -> str:
    """Return what this report was written on."""
    return f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"


def changed_by_arm(headers: Mapping[str, Row]) -> dict[str, list[tuple[str, Any, Any]]]:
    """Return arm -> (key, value in the first arm, value here) of everything in which its declaration differs."""
    from sim.diff import differences

    arms = list(headers)
    base = {
        key: value for key, value in headers[arms[0]]["declaration"].items() if key not in ("arm", "contents")
    }
    found: dict[str, list[tuple[str, Any, Any]]] = {arms[0]: []}
    for arm in arms[1:]:
        own = {
            key: value for key, value in headers[arm]["declaration"].items() if key not in ("arm", "contents")
        }
        found[arm] = [(key, old, new) for key, (old, new) in differences(base, own)]
    return found
