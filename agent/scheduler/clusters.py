"""Steps of one task that belong together, found from what they touch.

The reference joins transitively and counts only size, so chains and hub files glue all
steps into one. In the default mode a link needs overlap in what few steps share, and the
coupling of a step is the number of its own links.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.scheduler.exact import rounded
from agent.scheduler.params import (
    CLUSTER_HUB_FLOOR,
    CLUSTER_HUB_SHARE,
    CLUSTER_JACCARD,
    CLUSTER_SATURATION,
    CLUSTER_STEPS_KEPT,
    CLUSTER_STEPS_MAX,
    CLUSTER_SYMBOL_SHARED,
)


@dataclass(slots=True)
class Node:
    """One step: what it touches and what came of it."""

    id: str
    hint: float
    estimate: float
    prior: float
    ignited: bool
    files: tuple[str, ...]
    symbols: tuple[str, ...]
    tests: tuple[str, ...]
    covered: tuple[str, ...]
    plan: str
    verified_critical: bool = False
    observed: float | None = None


@dataclass(slots=True)
class Evidence:
    """What a step's neighbours say, before the decision. Not frozen: one is made for each question."""

    cluster_id: int
    size: int
    coupling: float
    peer_max_crit: float
    peer_max_stakes: float
    peer_ignited: bool
    peer_verified_critical: bool
    edge_reasons: tuple[str, ...]
    links: int = 0
    """Steps directly linked (default mode)."""
    earlier: int = 0
    """Steps seen before in this task (default mode)."""
    peer_mean: float = 0.5
    """Mean criticality of the linked steps: observed where it was, else as estimated (default mode)."""
    by_symbol: tuple[int, int] = (0, 0)
    """Steps that share symbols, the telling kind of link: (critical, harmless) so far (default mode)."""
    otherwise: tuple[int, int] = (0, 0)
    """Steps linked in any other way: (critical, harmless) so far (default mode)."""

    def served(self) -> dict[str, Any]:
        """Return the fields of decide_step's cluster."""
        return {
            "cluster_id": self.cluster_id,
            "size": self.size,
            "coupling": self.coupling,
            "peer_max_stakes": self.peer_max_stakes,
            "peer_ignited": self.peer_ignited,
            "peer_verified_critical": self.peer_verified_critical,
            "edge_reasons": list(self.edge_reasons),
        }


@dataclass(slots=True)
class ClusterIndex:
    """The steps of one task and which of them are joined."""

    real_links: bool = False
    nodes: list[Node] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    rank: list[int] = field(default_factory=list)
    edges: list[tuple[int, str]] = field(default_factory=list)
    newest: dict[str, int] = field(default_factory=dict)
    test_files: dict[str, set[str]] = field(default_factory=dict)
    linked: list[dict[int, tuple[str, ...]]] = field(default_factory=list)
    size: list[int] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    with_file: dict[str, list[int]] = field(default_factory=dict)
    with_symbol: dict[str, list[int]] = field(default_factory=dict)
    with_test: dict[str, list[int]] = field(default_factory=dict)
    with_plan: dict[str, list[int]] = field(default_factory=dict)

    def add(self, node: Node) -> Evidence:
        """Register a step and return what its neighbours say."""
        if len(self.nodes) >= CLUSTER_STEPS_MAX:
            self._rebuild()
        i = self._append(node)
        if self.real_links:
            self._link(i)
            return self._evidence_of_links(i)
        self._join_overlaps(i)
        self._join_tests(i)
        self._join_plan(i)
        return self._evidence(i)

    def place(self, step_id: str) -> Node | None:
        """Return the newest node of *step_id*."""
        i = self.newest.get(step_id)
        return None if i is None else self.nodes[i]

    def dump(self) -> list[dict[str, Any]]:
        """Return all clusters in the order of their first steps."""
        members: dict[int, list[int]] = {}
        for i in range(len(self.nodes)):
            members.setdefault(self.find(i), []).append(i)
        return [
            {
                "clusterId": part[0] if self.real_links else root,
                "size": len(part),
                "members": [self.nodes[i].id for i in part],
            }
            for root, part in members.items()
        ]

    def find(self, i: int) -> int:
        """Return the root of *i*, halving the path on the way."""
        while self.parent[i] != i:
            self.parent[i] = self.parent[self.parent[i]]
            i = self.parent[i]
        return i

    # The reference's way of joining.

    def _append(self, node: Node) -> int:
        i = len(self.nodes)
        self.nodes.append(node)
        self.parent.append(i)
        self.rank.append(0)
        self.size.append(1)
        self.first.append(i)
        self.linked.append({})
        self.newest[node.id] = i
        return i

    def _join(self, i: int, j: int, kind: str) -> None:
        a, b = self.find(i), self.find(j)
        if a == b:
            return
        if self.rank[a] < self.rank[b]:
            a, b = b, a
        elif self.rank[a] == self.rank[b]:
            self.rank[a] += 1
        self.parent[b] = a
        self.size[a] += self.size[b]
        self.first[a] = min(self.first[a], self.first[b])
        self.edges.append((i, kind))

    def _join_overlaps(self, i: int) -> None:
        node = self.nodes[i]
        files, symbols = set(node.files), set(node.symbols)
        for j in range(i):
            other = self.nodes[j]
            if _jaccard(files, other.files) >= CLUSTER_JACCARD:
                self._join(i, j, "file-overlap")
            elif _jaccard(symbols, other.symbols) >= CLUSTER_JACCARD:
                self._join(i, j, "symbol-overlap")

    def _join_tests(self, i: int) -> None:
        node = self.nodes[i]
        for test in node.tests:
            touched = self.test_files.setdefault(test, set())
            touched.update(node.files)
            touched.update(node.covered)
            for j in range(i):
                if any(name in touched for name in self.nodes[j].files):
                    self._join(i, j, "test-failure-propagation")

    def _join_plan(self, i: int) -> None:
        plan = self.nodes[i].plan
        if not plan:
            return
        for j in range(i):
            if self.nodes[j].plan == plan:
                self._join(i, j, "plan-node")

    def _rebuild(self) -> None:
        kept = self.nodes[-CLUSTER_STEPS_KEPT:]
        self.nodes, self.parent, self.rank, self.edges, self.linked = [], [], [], [], []
        self.newest, self.test_files = {}, {}
        self.size, self.first = [], []
        self.with_file, self.with_symbol, self.with_test, self.with_plan = {}, {}, {}, {}
        for node in kept:
            i = self._append(node)
            if self.real_links:
                self._link(i)
            else:
                self._join_overlaps(i)

    def _evidence(self, i: int) -> Evidence:
        root = self.find(i)
        members = [j for j in range(len(self.nodes)) if self.find(j) == root]
        peers = [self.nodes[j] for j in members if j != i]
        reasons: dict[str, None] = {}
        for j, kind in self.edges:
            if self.find(j) == root:
                reasons[kind] = None
        size = len(members)
        return Evidence(
            cluster_id=root,
            size=size,
            coupling=rounded((size - 1) / (size - 1 + CLUSTER_SATURATION)),
            peer_max_crit=rounded(max((max(p.hint, p.estimate) for p in peers), default=0.0)),
            peer_max_stakes=rounded(max((max(p.estimate, p.prior) for p in peers), default=0.0)),
            peer_ignited=any(p.ignited for p in peers),
            peer_verified_critical=any(p.verified_critical for p in peers),
            edge_reasons=tuple(reasons),
        )

    # Our way: direct links only, hubs aside.

    def _link(self, i: int) -> None:
        node = self.nodes[i]
        _enter(self.with_file, node.files, i)
        _enter(self.with_symbol, node.symbols, i)
        _enter(self.with_test, node.tests, i)
        _enter(self.with_plan, (node.plan,) if node.plan else (), i)
        for test in node.tests:
            touched = self.test_files.setdefault(test, set())
            touched.update(node.files)
            touched.update(node.covered)
        files = self._telling(node.files, self.with_file)
        symbols = self._telling(node.symbols, self.with_symbol)
        touched_here = [name for test in node.tests for name in sorted(self.test_files[test])]
        covered = self._telling(touched_here, self.with_file)
        told = set(files), set(symbols), set(covered)
        near = [
            *(j for name in (*files, *covered) for j in self.with_file.get(name, ())),
            *(j for name in symbols for j in self.with_symbol[name]),
            *(j for name in node.tests for j in self.with_test[name]),
            *self.with_plan.get(node.plan, ()),
        ]
        for j in sorted({each for each in near if each < i}):
            kinds = self._kinds_of_link(node, self.nodes[j], *told)
            if kinds:
                self.linked[i][j] = kinds
                self.linked[j][i] = kinds
                self._join(i, j, kinds[0])

    def _telling(self, names: Sequence[str], using: dict[str, list[int]]) -> list[str]:
        if not names:
            return []
        limit = max(CLUSTER_HUB_FLOOR, CLUSTER_HUB_SHARE * len(self.nodes))
        return [name for name in dict.fromkeys(names) if len(using.get(name, ())) <= limit]

    def _kinds_of_link(
        self, node: Node, other: Node, files: set[str], symbols: set[str], covered: set[str]
    ) -> tuple[str, ...]:
        kinds: list[str] = []
        if files and _jaccard(files, self._telling(other.files, self.with_file)) >= CLUSTER_JACCARD:
            kinds.append("file-overlap")
        if symbols:
            theirs = self._telling(other.symbols, self.with_symbol)
            common = len(symbols.intersection(theirs))
            if common and common >= CLUSTER_SYMBOL_SHARED * min(len(symbols), len(theirs)):
                kinds.append("symbol-overlap")
        tested = covered and any(name in covered for name in other.files)
        if tested or set(node.tests) & set(other.tests):
            kinds.append("test-failure-propagation")
        if node.plan and node.plan == other.plan:
            kinds.append("plan-node")
        return tuple(kinds)

    def _evidence_of_links(self, i: int) -> Evidence:
        links = self.linked[i]
        by_symbol, otherwise = [0, 0], [0, 0]
        crit = stakes = felt = 0.0
        reasons: dict[str, None] = {}
        ignited = verified = False
        for j in sorted(links):
            kinds, peer = links[j], self.nodes[j]
            value = peer.observed if peer.observed is not None else peer.estimate
            felt += value
            group = by_symbol if "symbol-overlap" in kinds else otherwise
            group[0 if value > 0.5 else 1] += 1
            crit = max(crit, peer.hint, peer.estimate)
            stakes = max(stakes, peer.estimate, peer.prior)
            reasons.update(dict.fromkeys(kinds))
            ignited = ignited or peer.ignited
            verified = verified or peer.verified_critical
        root = self.find(i)
        return Evidence(
            cluster_id=self.first[root],
            size=self.size[root],
            coupling=rounded(len(links) / (len(links) + CLUSTER_SATURATION)),
            peer_max_crit=rounded(crit),
            peer_max_stakes=rounded(stakes),
            peer_ignited=ignited,
            peer_verified_critical=verified,
            edge_reasons=tuple(reasons),
            links=len(links),
            earlier=i,
            peer_mean=felt / len(links) if links else 0.5,
            by_symbol=(by_symbol[0], by_symbol[1]),
            otherwise=(otherwise[0], otherwise[1]),
        )


def names(value: Any, most: int | None = None) -> tuple[str, ...]:
    """Return the texts in a list from outside; of its entries the first *most* count, all if that is None."""
    if not isinstance(value, (list, tuple)):
        return ()
    return tuple([each for each in value[:most] if isinstance(each, str) and each])


def _enter(using: dict[str, list[int]], parts: Iterable[str], i: int) -> None:
    for name in dict.fromkeys(parts):
        using.setdefault(name, []).append(i)


def _jaccard(one: set[str], other: Iterable[str]) -> float:
    theirs = set(other)
    if not one or not theirs:
        return 0.0
    common = len(one & theirs)
    return common / (len(one) + len(theirs) - common)
