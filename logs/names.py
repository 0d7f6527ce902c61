"""The names of one log: NAME.jsonl.part while it runs, NAME.jsonl.zst once sealed, NAME.torn-K cut tails."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from logs.disk import Disk, exists
from logs.faults import LogError

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


def found(path: Path, disk: Disk) -> Path:
    """Return the file of the log that *path* means: itself, else the sealed one, else the part.

    For a moment at the end of a seal a log has both names; either will do. Raises LogError if there is none.
    """
    names = names_of(path)
    for candidate in (path, names.sealed, names.part):
        if exists(disk, candidate):
            return candidate
    raise LogError(path, "there is no such log", "give the path of a .jsonl.zst or .jsonl.part")
