"""Experiences: what was observed or done, in order, append-only, each with source, time and origin.

The store is digested by a chain: an append costs the same on day 1 and on day 90. Old experiences lie in compressed
blocks (cold) and are unpacked when one of them is wanted; what retrieval weighs, time, importance and cues, stays in
small tables that rebuild themselves. Retrieval is monotone in age, importance and relevance, and asks for a
counter-example wherever one exists.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from heapq import nlargest
from typing import Any

from agent.packed import Packed

HOT = 1000
"""Experiences that stay unpacked. Chosen."""
BLOCK = 250
"""Experiences in a compressed block. Chosen."""
BLOCKS_OPEN = 3
"""Blocks kept unpacked at a time."""
THING, ACTION = 300, 400
"""Relevance of a shared thing or person, and of a shared action, in the unit of attraction."""
NEWEST = 800
"""How far back a cue is followed in a coarse match: so a round does not grow with life. Tuned at 10,000 memories."""

SINGLES = 80
"""How many memories that share nothing but one cue a coarse match takes of it. Tuned likewise."""
AGE_UNIT, AGE_STEP = 600, 40
"""Ticks in a unit of age, and what each doubling of the age costs: ever more slowly, in whole numbers."""
AGE_MAX = 1000
"""More than what age can ever cost, so that a match stays above zero."""

Cue = int | str


@dataclass(frozen=True, slots=True)
class Experience:
    """One episode. *origin* is the root event it stems from; *reward* 0..1000 with 500 neutral; *scene* a symbolic key.

    Of a completed deed *label* is the action as a template and *vector* the scene it was chosen in (agent/scene.py).
    """

    ordinal: int
    tick: int
    kind: str
    scene: str
    action: str
    outcome: str
    reward: int
    importance: int
    origin: int
    source: str
    things: tuple[int, ...] = ()
    persons: tuple[int, ...] = ()
    label: str = ""
    vector: bytes = b""

    def row(self) -> tuple[Any, ...]:
        """Return every field, for the digest and the log."""
        return (
            self.ordinal, self.tick, self.kind, self.scene, self.action, self.outcome, self.reward, self.importance,
            self.origin, self.source, self.things, self.persons, self.label, self.vector.hex(),
        )  # fmt: skip

    def cues(self) -> tuple[Cue, ...]:
        """Return what it can be found by: its action, things and persons."""
        return (self.action, *dict.fromkeys((*self.things, *self.persons)))


@lru_cache(maxsize=8192)
def shared(text: str) -> str:
    """Return *text* as it was first met: a life has few different words for what happens, and each is kept once."""
    return text


class Store(Packed[Experience]):
    """All experiences, in order."""

    __slots__ = ()
    HOT, BLOCK, OPEN = HOT, BLOCK, BLOCKS_OPEN

    @staticmethod
    def of_row(row: list[Any]) -> Experience:
        """Return the experience of which *row* holds every field."""
        ordinal, tick, kind, scene, action, outcome, reward, importance, origin, source, things, persons, label, vector = row
        return Experience(
            ordinal, tick, shared(kind), shared(scene), shared(action), shared(outcome), reward, importance, origin, shared(source),
            tuple(things), tuple(persons), shared(label), bytes.fromhex(vector),
        )  # fmt: skip


@dataclass(slots=True)
class Memory:
    """The store, its digest chain, and tables rebuilt when needed."""

    items: Store = field(default_factory=Store)
    head: str = ""
    _indexed: int = field(default=0, repr=False, compare=False)
    _ticks: list[int] = field(default_factory=list, repr=False, compare=False)
    _weights: list[int] = field(default_factory=list, repr=False, compare=False)
    _cues: list[tuple[Cue, ...]] = field(default_factory=list, repr=False, compare=False)
    _by_cue: dict[Cue, list[int]] = field(default_factory=dict, repr=False, compare=False)
    _bad: dict[Cue, list[int]] = field(default_factory=dict, repr=False, compare=False)
    _by_pattern: dict[str, list[int]] = field(default_factory=dict, repr=False, compare=False)

    def add(self, experience: Experience) -> None:
        """Append *experience*; its ordinal is its place."""
        assert experience.ordinal == len(self.items)
        text = json.dumps(experience.row(), ensure_ascii=False, separators=(",", ":"))
        self.head = blake2b(f"{self.head}{text}".encode(), digest_size=16).hexdigest()
        self._index()
        self.items.append(experience)
        self._take(experience)

    def _index(self) -> None:
        while self._indexed < len(self.items):
            self._take(self.items[self._indexed])

    def _take(self, experience: Experience) -> None:
        at = self._indexed
        cues = experience.cues()
        self._ticks.append(experience.tick)
        self._weights.append(experience.importance // 2)
        self._cues.append(cues)
        for cue in cues:
            self._by_cue.setdefault(cue, []).append(at)
            if experience.reward < 500:
                self._bad.setdefault(cue, []).append(at)
        if experience.label:
            self._by_pattern.setdefault(f"{experience.scene}>{experience.label}", []).append(at)
        self._indexed += 1

    def of_action(self, action: str, last: int = 50) -> list[Experience]:
        """Return the last experiences with *action*, oldest first."""
        self._index()
        return [self.items[at] for at in self._by_cue.get(action, ())[-last:]]

    def of_pattern(self, pattern: str, since: int = 0, last: int = 60) -> list[Experience]:
        """Return the last completed deeds of *pattern* (scene key and label) from ordinal *since* on, oldest first."""
        self._index()
        return [self.items[at] for at in self._by_pattern.get(pattern, ())[-last:] if at >= since]

    def count_pattern(self, pattern: str, since: int = 0) -> int:
        """Return how often *pattern* was lived through from ordinal *since* on."""
        self._index()
        return sum(at >= since for at in self._by_pattern.get(pattern, ()))

    def coarse(self, cues: tuple[Cue, ...], tick: int, theta: int, most: int) -> list[int]:
        """Return the memories that match *cues* at least *theta* thousandths as well as the best one, the best first.

        The match counts shared cues and age, and leaves out what is in the memory itself. A cue is followed NEWEST
        memories back; what shares one cue alone has to be among the SINGLES newest of that cue.
        """
        self._index()
        postings = [(cue, self._by_cue[cue]) for cue in cues if cue in self._by_cue]
        acted: dict[int, int] = {}
        touched: Counter[int] = Counter()
        found: dict[int, int] = {}
        for cue, posting in postings:
            if isinstance(cue, str):
                acted.update(dict.fromkeys(posting[-NEWEST:], ACTION))
                found.update(dict.fromkeys(posting[-SINGLES:], ACTION))
            else:
                touched.update(posting[-NEWEST:])
                found.update(dict.fromkeys(posting[-SINGLES:], THING))
        # An experience has one action, so what shares two cues shares a thing at least.
        found.update({at: THING * count + acted.get(at, 0) for at, count in touched.items() if count > 1 or at in acted})
        ticks, now = self._ticks, tick // AGE_UNIT
        match = [(worth - AGE_STEP * (now - ticks[at] // AGE_UNIT).bit_length(), at) for at, worth in found.items()]
        match.sort(reverse=True)
        least = (match[0][0] + AGE_MAX) * theta // 1000 - AGE_MAX if match else 0
        return [at for worth, at in match[:most] if worth >= least]

    def rank(self, among: Iterable[int], cues: tuple[Cue, ...], tick: int, most: int) -> list[tuple[int, int]]:
        """Return the best *most* of *among* as (score, ordinal), best first: relevance, importance, less with age; ties to the newer.

        What shares no cue is not relevant at all.
        """
        worth = {cue: ACTION if isinstance(cue, str) else THING for cue in cues}
        ticks, weights, shared, now = self._ticks, self._weights, self._cues, tick // AGE_UNIT
        scored = []
        for at in among:
            relevant = 0
            for cue in shared[at]:
                if cue in worth:
                    relevant += worth[cue]
            if relevant:
                scored.append((relevant + weights[at] - AGE_STEP * (now - ticks[at] // AGE_UNIT).bit_length(), at))
        return nlargest(most, scored)

    def contrary(self, cues: tuple[Cue, ...], tick: int) -> int:
        """Return the ordinal of the most relevant bad experience that shares a cue, -1 where there is none."""
        self._index()
        newest = {at: True for cue in cues for at in self._bad.get(cue, ())[-8:]}
        found = self.rank(newest, cues, tick, 1)
        return found[0][1] if found else -1

    def recall(self, cues: tuple[Cue, ...], tick: int, most: int = 6) -> list[Experience]:
        """Return at most *most* experiences relevant to *cues* out of all there are, with a counter-example."""
        self._index()
        return self.with_contrary([at for _, at in self.rank(range(len(self.items)), cues, tick, most)], cues, tick, most)

    def with_contrary(self, best: list[int], cues: tuple[Cue, ...], tick: int, most: int) -> list[Experience]:
        """Return *best* as experiences; where all of them went well and one did not, that one stands last."""
        found = [self.items[at] for at in best]
        if found and all(one.reward >= 500 for one in found):
            bad = self.contrary(cues, tick)
            if bad >= 0:
                found = [*found[: most - 1], self.items[bad]]
        return found
