"""The names of one log: NAME.jsonl.part while it runs, NAME.jsonl.zst once sealed, NAME.torn-K cut tails."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PART = ".jsonl.part"
SEALED = ".jsonl.zst"
# Longest first, so that every spelling of one log gives the same stem.
SPELLINGS = (SEALED + ".tmp", PART, SEALED, ".jsonl")


@dataclass(frozen=True, slots=True)
class Names:
    """Every path that belongs to one log."""

    folder: Path
    stem: str

    @property
    def part(self) -> Path:
        return self.folder / (self.stem + PART)

    @property
    def sealed(self) -> Path:
        return self.folder / (self.stem + SEALED)

    @property
    def temporary(self) -> Path:
        """Where a seal is prepared; only the holder of the part's lock touches it."""
        return self.folder / (self.stem + SEALED + ".tmp")

    def torn(self, number: int) -> Path:
        return self.folder / f"{self.stem}.torn-{number}"


def names_of(path: Path) -> Names:
    """Return the names of the log that *path* means, however it is spelled."""
    for spelling in SPELLINGS:
        if path.name.endswith(spelling) and path.name != spelling:
            return Names(path.parent, path.name.removesuffix(spelling))
    return Names(path.parent, path.name)
