"""What the deep mind keeps: deeds that wait for their outcome, patterns, thoughts, intuitions. Plain data, no logic.

Every store is bounded, or grows by appending; `Inner.head` is a chain over all changes, so that a digest costs the
same on day 1 and on day 90. Scores are thousandths, vectors are small whole numbers in bytes (see scene.py).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

ACTIVE, WARNING, DEMOTED, RECOVERING = "active", "warning", "demoted", "recovering"
STATUSES = (ACTIVE, WARNING, DEMOTED, RECOVERING)


@dataclass(slots=True)
class Deed:
    """One committed choice that waits for what comes of it.

    *pattern* is its scene key and label; *due_tick* closes a stance when nobody has reacted by then (-1: it waits for
    its commitment). *near* says that it was chosen out of a near-tie group; *fired* is the intuition that chose it,
    *shadows* those of lower standing that would have chosen it as well.
    """

    serial: int
    tick: int
    scene: str
    label: str
    vector: bytes
    decided_by: str
    round: str
    near: bool
    commitment: str = ""
    matter: str = ""
    person: int = 0
    felt: list[int] = field(default_factory=list)
    busy: bool = False
    fired: str = ""
    shadows: list[str] = field(default_factory=list)
    reaction: int = 0
    outcome: str = ""
    due_tick: int = -1
    target: int = 0

    @property
    def pattern(self) -> str:
        """Return scene and label as one key."""
        return f"{self.scene}>{self.label}"


@dataclass(frozen=True, slots=True)
class Check:
    """What sys1 found in one round: who was near, what each candidate's scene was, which intuition fired or was set aside."""

    round: str
    scenes: dict[str, str]
    vector: bytes
    fired: str = ""
    shadows: tuple[tuple[str, str], ...] = ()
    aside: tuple[tuple[str, str], ...] = ()

    def of_round(self, round: str) -> Check:
        """Return the same as found in *round*."""
        return Check(round, self.scenes, self.vector, self.fired, self.shadows, self.aside)


@dataclass(slots=True)
class Latent:
    """S1: one exact pattern, how often it was lived through, and whether S3 was told."""

    count: int = 0
    first_tick: int = 0
    told: bool = False


@dataclass(slots=True)
class Cluster:
    """S3: like experiences in sum. *patterns* counts the exact ones among them, the commonest at most."""

    id: str
    scene: list[int]
    actions: list[str]
    outcome: list[int]
    count: int = 1
    nominated: int = 0
    last_tick: int = 0
    patterns: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Nomination:
    """A pattern put forward for the next dream: by which cluster, by whom, when; *lived* is how often it was by the last gate."""

    pattern: str
    cluster: str
    by: str
    tick: int
    lived: int = 0


@dataclass(slots=True)
class Thought:
    """L3: a belief or a reflection, with origins for and against (the last of each side; the counts are whole).

    *countered* is the tick of the newest evidence against it, -1 where there is none.
    """

    id: str
    kind: str
    key: str
    label: str
    tick: int
    pros: int = 0
    cons: int = 0
    support: list[int] = field(default_factory=list)
    counter: list[int] = field(default_factory=list)
    scene: list[int] = field(default_factory=list)
    confidence: int = 500
    influence: str = ""
    settled: bool = False
    version: int = 0
    seen: int = 0
    countered: int = -1


@dataclass(slots=True)
class Intuition:
    """L6: in this scene, this action, for this outcome. *d* is 1000, less after a warning; see agent/intuition.py.

    *uses* are the last rows [tick, success, deed]; *before* counts [uses, successes] older than those; *base* counts
    the experiences (or, after a recovery, the shadow cases) that stand for uses; *cases* are shadow rows.
    """

    id: str
    scene: str
    label: str
    vector: bytes
    outcome: str
    formed_tick: int
    description: str
    status: str = ACTIVE
    d: int = 1000
    base: list[int] = field(default_factory=lambda: [0, 0])
    supports: list[int] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    uses: list[tuple[int, int, int]] = field(default_factory=list)
    before: list[int] = field(default_factory=lambda: [0, 0])
    cases: list[tuple[int, int, int]] = field(default_factory=list)
    verified: int = 0
    since_verified: int = 0
    low: bool = False
    last_tick: int = 0

    @property
    def pattern(self) -> str:
        """Return scene and label as one key."""
        return f"{self.scene}>{self.label}"


@dataclass(slots=True)
class Felt:
    """S5: what a like deed once felt like: the scene and the reward it brought."""

    vector: bytes
    reward: int
    tick: int


@dataclass(slots=True)
class Inner:
    """All of it. *warm* is S2's pool: ordinal of an experience -> tick at which it cools down again."""

    deeds: list[Deed] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    latent: dict[str, Latent] = field(default_factory=dict)
    clusters: dict[str, Cluster] = field(default_factory=dict)
    nominations: dict[str, Nomination] = field(default_factory=dict)
    thoughts: dict[str, Thought] = field(default_factory=dict)
    library: dict[str, Intuition] = field(default_factory=dict)
    removed: dict[str, int] = field(default_factory=dict)
    felt: dict[str, list[Felt]] = field(default_factory=dict)
    felt_count: int = 0
    warm: dict[int, int] = field(default_factory=dict)
    observed: dict[str, int] = field(default_factory=dict)
    efforts: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    dreamt: str = ""
    slow_tick: int = -1
    major: str = ""
    health_tick: int = -1
    serials: dict[str, int] = field(default_factory=dict)
    head: str = ""
    # Derived: trigger scene -> ids of intuitions; label -> ids of clusters.
    _by_scene: dict[str, list[str]] = field(default_factory=dict, repr=False, compare=False)
    _indexed: int = field(default=-1, repr=False, compare=False)

    def mint(self, kind: str) -> str:
        """Return a new id of *kind*."""
        self.serials[kind] = self.serials.get(kind, 0) + 1
        return f"{kind}-{self.serials[kind]}"

    def chain(self, *what: Any) -> None:
        """Take a change into the chain that stands for all stores in the digest."""
        text = json.dumps(what, ensure_ascii=False, separators=(",", ":"))
        self.head = blake2b(f"{self.head}{text}".encode(), digest_size=16).hexdigest()

    def triggered_by(self, scene: str) -> list[Intuition]:
        """Return the intuitions whose trigger is exactly *scene*, oldest first."""
        version = self.serials.get("library", 0)
        if self._indexed != version:
            self._by_scene, self._indexed = {}, version
            for one in self.library.values():
                self._by_scene.setdefault(one.scene, []).append(one.id)
        return [self.library[name] for name in self._by_scene.get(scene, ())]

    def changed_library(self) -> None:
        """Say that an intuition came or went, for the index."""
        self.serials["library"] = self.serials.get("library", 0) + 1

    def row(self) -> list[Any]:
        """Return what stands for all of it in the digest: the head of the chain and the lengths."""
        return [
            self.head, len(self.deeds), len(self.latent), len(self.clusters), len(self.thoughts), len(self.library),
            len(self.warm), self.felt_count, self.dreamt, self.slow_tick, self.major, self.serials,
        ]  # fmt: skip
