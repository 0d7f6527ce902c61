"""An independent check of every intuition in a log: the gate, the firing, the verdicts, the traces. It reads nothing but the log.

Written against spec 02, 5 and not against the mind's code: nothing of `agent` is imported, cosines are computed anew,
and every number is taken from records and from the thresholds in the header. A fault is a text that names the record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from typing import Any

from logs.reader import open_log

Row = dict[str, Any]
CASES_MAX, HOLD_OUT = 12, 3
STANCES = ("accept", "refuse", "postpone", "negotiate")


@dataclass(slots=True)
class Standing:
    """What is known of one intuition, by its own records alone."""

    scene: str
    label: str
    vector: list[int]
    outcome: str
    uses: list[int]
    earlier: int = 0
    status: str = "active"
    d: int = 1000
    cases: list[int] = field(default_factory=list)
    since: int = 0

    def confidence(self) -> int:
        return self.d * (sum(self.uses) + 1) // (len(self.uses) + 2)


@dataclass(slots=True)
class Found:
    """Counts and faults of one log."""

    formed: int = 0
    gate_ok: int = 0
    fired: int = 0
    fired_ok: int = 0
    verdicts: int = 0
    verdicts_ok: int = 0
    traceable: int = 0
    links: int = 0
    links_right: int = 0
    strengths: list[int] = field(default_factory=list)
    removed: int = 0
    demoted: int = 0
    recovered: int = 0
    library: dict[str, Standing] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def check(path: Path) -> Found:
    """Return what the log at *path* says, checked."""
    with open_log(path) as reader:
        return check_rows(reader.records(), reader.header)


def check_rows(rows: Iterable[Row], header: Mapping[str, Any]) -> Found:
    """Return what *rows* say, checked against the thresholds and the persona in *header*."""
    return _Checker(header).run(rows)


def cosine(a: list[int], b: list[int]) -> float:
    """Return the cosine of two vectors, 0 where one is zero."""
    size = sqrt(sum(x * x for x in a)) * sqrt(sum(y * y for y in b))
    return sum(x * y for x, y in zip(a, b, strict=True)) / size if size else 0.0


class _Checker:
    def __init__(self, header: Mapping[str, Any]) -> None:
        self.params: Mapping[str, int] = header["params"]
        self.rules = header["persona"]["rules"]
        self.found = Found()
        self.experiences: list[list[Any]] = []
        self.by_pattern: dict[str, list[list[Any]]] = {}
        self.since: dict[str, int] = {}
        self.thoughts: dict[str, Row] = {}
        self.rounds: dict[str, Row] = {}

    def run(self, rows: Iterable[Row]) -> Found:
        takers = {
            "experience": self._experience, "thought": self._thought, "round": self._round, "commit": self._commit,
            "dream": self._dream, "intuition": self._intuition,
        }  # fmt: skip
        for row in rows:
            if row["kind"] in takers:
                takers[row["kind"]](row, row["data"])
        return self.found

    def fault(self, row: Row, text: str) -> None:
        self.found.faults.append(f"{row['kind']} {row['id']} at tick {row['tick']}: {text}")

    def _experience(self, row: Row, data: Row) -> None:
        its = data["row"]
        if its[0] != len(self.experiences):
            self.fault(row, "experiences are not numbered in order")
        self.experiences.append(its)
        if its[12]:
            self.by_pattern.setdefault(f"{its[3]}>{its[12]}", []).append(its)

    def _thought(self, row: Row, data: Row) -> None:
        if len(set(data["support"])) + len(set(data["counter"])) != len(data["support"]) + len(data["counter"]):
            self.fault(row, "an origin counts twice")
        self.thoughts[row["id"]] = data

    def _round(self, row: Row, data: Row) -> None:
        self.rounds[row["id"]] = data
        if len(self.rounds) > 50:
            del self.rounds[next(iter(self.rounds))]

    # -- the gate ------------------------------------------------------------------------------------------------

    def _dream(self, row: Row, data: Row) -> None:
        if data["verdict"] != "formed":
            return
        self.found.formed += 1
        before = len(self.found.faults)
        pattern = data["pattern"]
        since = self.since.get(pattern, 0)
        cases = [its for its in self.by_pattern.get(pattern, [])[-CASES_MAX:] if its[0] >= since]
        if [its[0] for its in cases] != data["supports"]:
            self.fault(row, "supports are not the pattern's experiences")
            return
        outcomes = Counter(its[5] for its in cases)
        outcome = max(outcomes, key=lambda name: (outcomes[name], name))
        origins = {its[8] for its in cases if its[5] == outcome}
        if outcome != data["outcome"] or len(origins) <= self.params["theta_freq"]:
            self.fault(row, f"only {len(origins)} independent origins of {outcome}")
        if sum(its[6] for its in cases) // len(cases) <= self.params["theta_reward"]:
            self.fault(row, "mean reward does not pass")
        if self._ruled_out(pattern.rpartition(">")[2]):
            self.fault(row, "an L4 rule forbids it")
        kept, out = [cases[n] for n in range(len(cases)) if n % HOLD_OUT != 2], cases[2::HOLD_OUT]
        vector = self._mean([_vector(its) for its in kept])
        held = sum(
            its[5] == outcome and its[6] >= 500 and cosine(vector, _vector(its)) * 1000 >= self.params["theta_sim"] for its in out
        )
        if not out or 1000 * held // len(out) < 667:
            self.fault(row, f"only {held} of {len(out)} held out bear it out")
        self.found.gate_ok += len(self.found.faults) == before

    @staticmethod
    def _mean(vectors: list[list[int]]) -> list[int]:
        sums = [sum(column) for column in zip(*vectors, strict=True)]
        return [max(-127, min(127, int(total / len(vectors)))) for total in sums]

    def _ruled_out(self, label: str) -> bool:
        words = label.split(":")
        if words[0] != "accept":
            return False  # Tasks of one's own are held against rules when they are offered; the gate needs no world for that.
        return any(
            rule["kind"] == "forbid" and not (rule.get("hours_ms") or rule.get("region") or rule.get("role"))
            and rule.get("action") in ("", None, words[1]) and rule.get("target_kind") in ("", None, words[2])
            for rule in self.rules
        )  # fmt: skip

    # -- firing --------------------------------------------------------------------------------------------------

    def _commit(self, row: Row, data: Row) -> None:
        if data["decided_by"] != "sys1":
            return
        its = self.rounds[row["causes"][0]]
        name = its.get("intuition")
        if name is None:
            return  # One of the baselines.
        self.found.fired += 1
        before = len(self.found.faults)
        one = self.found.library.get(name)
        choice = next(each for each in its["candidates"] if each[0] == data["choice"])
        if one is None:
            self.fault(row, f"{name} is not in the library")
            return
        label = f"{choice[2]}:{choice[3]}"
        if data["choice"] not in its["group"] or len(its["group"]) < 2:
            self.fault(row, "not chosen out of a near-tie group")
        if its["scenes"][data["choice"]] != one.scene:
            self.fault(row, "the trigger key differs")
        if choice[2] not in STANCES and label != one.label:
            self.fault(row, f"{one.label} chose {label}")
        if choice[2] in STANCES and choice[2] != one.label.partition(":")[0]:
            self.fault(row, f"{one.label} chose {choice[2]}")
        if cosine(one.vector, its["vector"]) * 1000 < self.params["theta_sim"]:
            self.fault(row, "not similar enough")
        if one.status not in ("active", "warning") or one.confidence() <= self.params["theta_conf"]:
            self.fault(row, f"{name} is {one.status} at {one.confidence()}")
        self.found.fired_ok += len(self.found.faults) == before

    # -- the history ---------------------------------------------------------------------------------------------

    def _intuition(self, row: Row, data: Row) -> None:
        name, event = row["id"], data["event"]
        if not name:
            return
        if event == "formed":
            self._formed(row, data)
            return
        one = self.found.library.get(name)
        if one is None:
            self.fault(row, "not in the library")
            return
        if event == "used":
            one.uses.append(data["success"])
        elif event == "shadow":
            one.cases.append(data["success"])
            if one.status == "demoted":
                one.cases = one.cases[-self.params["shadow_cases"] :]
        elif event == "verified":
            self._verified(row, data, one)
        elif event == "recovering":
            if len(one.cases) < self.params["shadow_cases"] or sum(one.cases) / len(one.cases) < self.params["theta_recover"] / 1000:
                self.fault(row, "recovering too soon")
            one.status = "recovering"
        elif event == "demoted":
            one.status, one.cases = "demoted", []
        elif event == "active":
            last = one.cases[-self.params["recover_cases"] :]
            if len(one.cases) < self.params["shadow_cases"] + self.params["recover_cases"] or not all(last):
                self.fault(row, "active again too soon")
            one.status, one.d, one.uses, one.cases = "active", 1000, list(one.cases), []
            self.found.recovered += 1
        elif event in ("removed", "emptied"):
            if event == "removed":
                self.since[f"{one.scene}>{one.label}"] = len(self.experiences)
                self.found.removed += 1
            del self.found.library[name]
            return
        if event != "verified" and data["confidence"] != one.confidence():
            self.fault(row, f"confidence {data['confidence']} is not {one.confidence()}")
        if data["status"] != one.status and event != "verified":
            self.fault(row, f"status {data['status']} is not {one.status}")

    def _formed(self, row: Row, data: Row) -> None:
        cases = [self.experiences[at] for at in data["supports"]]
        good = [int(its[5] == data["outcome"] and its[6] >= 500) for its in cases]
        one = Standing(data["scene"], data["label"], data["vector"], data["outcome"], good)
        self.found.library[row["id"]] = one
        if data["confidence"] != one.confidence():
            self.fault(row, "confidence at the start")
        if len(data["description"]) > 50:
            self.fault(row, "description over 50 characters")
        origins = {its[8] for its in cases}
        right = 0
        for name, strength in data["thoughts"]:
            thought = self.thoughts.get(name)
            self.found.links += 1
            self.found.strengths.append(strength)
            shared = thought is not None and origins & {*thought["support"], *thought["counter"]}
            if thought is not None and thought["label"] == data["label"] and shared:
                right += 1
        self.found.links_right += right
        self.found.traceable += right > 0

    def _verified(self, row: Row, data: Row, one: Standing) -> None:
        """Work the verdict out by hand: the last ten against all before them."""
        self.found.verdicts += 1
        window = one.uses[-self.params["verify_every"] :]
        # What it was formed from never counts as the window, only as history.
        window = window[-len(data["window"]) :]
        earlier = one.uses[: -len(window)]
        rate = 1000 * sum(window) // len(window)
        historical = 1000 * sum(earlier) // len(earlier) if earlier else rate
        drop = (historical - rate) / historical if historical else 0.0
        if rate < self.params["theta_min"] or drop > 0.4 + 1e-9:
            verdict = "removed"
        elif drop >= 0.2 - 1e-9 or rate < self.params["theta_weak"]:
            verdict = "demoted"
        elif drop >= 0.1 - 1e-9:
            verdict = "warning"
        else:
            verdict = "promote" if rate > 1.2 * historical else "keep"
        near_edge = any(abs(drop - edge) < 0.002 for edge in (0.1, 0.2, 0.4))
        if [use[1] for use in data["window"]] != window or (verdict != data["verdict"] and not near_edge):
            self.fault(row, f"verdict {data['verdict']} should be {verdict}")
        else:
            self.found.verdicts_ok += 1
        if data["verdict"] in ("keep", "promote"):
            one.status, one.d = "active", 1000
        elif data["verdict"] == "warning":
            one.status, one.d = "warning", one.d * 9 // 10
        elif data["verdict"] == "demoted":
            one.status, one.cases = "demoted", []
            self.found.demoted += 1


def _vector(its: list[Any]) -> list[int]:
    """Return the numbers of an experience's scene."""
    return [byte - 128 for byte in bytes.fromhex(its[13])]
