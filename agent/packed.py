"""A list that is only appended to and whose old part is compressed: the cold tier of a memory.

The newest rows stay as they are. Older ones lie in blocks, and a block is unpacked when one of its rows is wanted.
"""

from __future__ import annotations

import json
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Protocol, TypeVar, overload


class HasRow(Protocol):
    """What can be packed: it gives its fields as a row of JSON values."""

    def row(self) -> tuple[Any, ...]: ...


Item = TypeVar("Item", bound=HasRow)


@dataclass(slots=True)
class Packed(ABC, Generic[Item]):
    """The rows in blocks, oldest first, and those that are not packed yet.

    HOT rows at least stay unpacked, BLOCK go into a block, OPEN blocks are kept unpacked at a time.
    """

    HOT: ClassVar[int]
    BLOCK: ClassVar[int]
    OPEN: ClassVar[int]
    packed: list[bytes] = field(default_factory=list)
    tail: list[Item] = field(default_factory=list)
    _open: dict[int, list[Item]] = field(default_factory=dict, repr=False, compare=False)

    @staticmethod
    @abstractmethod
    def of_row(row: list[Any]) -> Any:
        """Return the item of which *row* holds every field."""

    def __len__(self) -> int:
        return len(self.packed) * self.BLOCK + len(self.tail)

    def __iter__(self) -> Iterator[Item]:
        return (self._one(at) for at in range(len(self)))

    @overload
    def __getitem__(self, at: int) -> Item: ...
    @overload
    def __getitem__(self, at: slice) -> list[Item]: ...
    def __getitem__(self, at: int | slice) -> Item | list[Item]:
        if isinstance(at, slice):
            return [self._one(each) for each in range(*at.indices(len(self)))]
        return self._one(at if at >= 0 else len(self) + at)

    def append(self, item: Item) -> None:
        """Append one; compress the oldest block of the unpacked once there are enough."""
        self.tail.append(item)
        if len(self.tail) >= self.HOT + self.BLOCK:
            rows = json.dumps([one.row() for one in self.tail[: self.BLOCK]], ensure_ascii=False, separators=(",", ":"))
            self.packed.append(zlib.compress(rows.encode(), 6))
            del self.tail[: self.BLOCK]

    def _one(self, at: int) -> Item:
        block, within = divmod(at, self.BLOCK)
        if block >= len(self.packed):
            return self.tail[at - len(self.packed) * self.BLOCK]
        found = self._open.get(block)
        if found is None:
            if len(self._open) >= self.OPEN:
                del self._open[next(iter(self._open))]
            found = self._open[block] = [self.of_row(row) for row in json.loads(zlib.decompress(self.packed[block]))]
        return found[within]
