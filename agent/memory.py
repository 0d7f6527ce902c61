"""Experiences: what was observed or done, in order, append-only, each with source, time and origin.

The store is digested by a chain: an append costs the same on day 1 and on day 90. Retrieval is monotone in age,
importance and relevance, and asks for a counter-example where one exists.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any


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


@dataclass(slots=True)
class Memory:
    """The append-only store and its head."""

    items: list[Experience] = field(default_factory=list)
    head: str = "0" * 32
    # Access paths, rebuilt from the items after a restore.
    _by_action: dict[str, list[int]] = field(default_factory=dict, repr=False, compare=False)
    _by_thing: dict[int, list[int]] = field(default_factory=dict, repr=False, compare=False)
    _by_pattern: dict[str, list[int]] = field(default_factory=dict, repr=False, compare=False)
    _indexed: int = field(default=0, repr=False, compare=False)

    def add(self, experience: Experience) -> None:
        """Append *experience*; its ordinal is its place."""
        assert experience.ordinal == len(self.items)
        self.items.append(experience)
        text = json.dumps(experience.row(), ensure_ascii=False, separators=(",", ":"))
        self.head = blake2b(f"{self.head}{text}".encode(), digest_size=16).hexdigest()

    def _index(self) -> None:
        for experience in self.items[self._indexed :]:
            self._by_action.setdefault(experience.action, []).append(experience.ordinal)
            for ordinal in (*experience.things, *experience.persons):
                self._by_thing.setdefault(ordinal, []).append(experience.ordinal)
            if experience.label:
                self._by_pattern.setdefault(f"{experience.scene}>{experience.label}", []).append(experience.ordinal)
        self._indexed = len(self.items)

    def of_action(self, action: str, last: int = 50) -> list[Experience]:
        """Return the last experiences with *action*, oldest first."""
        self._index()
        return [self.items[at] for at in self._by_action.get(action, ())[-last:]]

    def of_pattern(self, pattern: str, since: int = 0) -> list[Experience]:
        """Return the completed deeds of *pattern* (scene key and label) from ordinal *since* on, oldest first."""
        self._index()
        return [self.items[at] for at in self._by_pattern.get(pattern, ()) if at >= since]

    def recall(self, about: tuple[int, ...], actions: tuple[str, ...], tick: int, most: int = 6) -> list[Experience]:
        """Return at most *most* experiences relevant to these ordinals and actions, best first, with a counter-example.

        The score falls with age and rises with importance and with each shared person, thing or action.
        """
        self._index()
        found: dict[int, int] = {}
        for ordinal in about:
            for at in self._by_thing.get(ordinal, ())[-30:]:
                found[at] = found.get(at, 0) + 300
        for action in actions:
            for at in self._by_action.get(action, ())[-30:]:
                found[at] = found.get(at, 0) + 400
        scored = sorted(
            (-(relevance + self.items[at].importance // 2 - _age_cost(tick - self.items[at].tick)), -at)
            for at, relevance in found.items()
        )
        best = [self.items[-at] for _, at in scored[:most]]
        if best and all(one.reward >= 500 for one in best):
            contrary = next((self.items[-at] for _, at in scored[most:] if self.items[-at].reward < 500), None)
            if contrary is not None:
                best = [*best[: most - 1], contrary]
        return best


def _age_cost(ticks: int) -> int:
    """Return a cost that grows with age ever more slowly, in whole numbers."""
    return 40 * max(0, ticks // 600).bit_length()
