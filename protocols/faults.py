"""What is wrong with a declaration: where, what, and how to mend it. One shape for every kind of fault."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: *line* counts from 1, 0 where no line can be named (a command line, a whole file)."""

    file: str
    line: int
    what: str
    mend: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.what}" + (f"; {self.mend}" if self.mend else "")


class ProtocolError(ValueError):
    """A declaration can't be used. The text is the first fault's; *faults* holds all that were found."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(faults, key=lambda fault: fault.line))
        assert self.faults, "an error names a fault"
        first = self.faults[0]
        self.file, self.line, self.what, self.mend = first.file, first.line, first.what, first.mend
        more = len(self.faults) - 1
        super().__init__(f"{first}" + (f" (and {more} more)" if more else ""))


def fail(file: str, what: str, mend: str = "", line: int = 0) -> ProtocolError:
    """Return the error of a single fault."""
    return ProtocolError([Fault(file, line, what, mend)])


def nearest(word: str, known: Iterable[str]) -> str:
    """Return how to mend the unknown *word*: the closest of *known*, or all of them where they are few."""
    names = sorted(known)
    close = get_close_matches(word[:80], names, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    if 0 < len(names) <= 30:
        return f"known: {', '.join(names)}"
    return "" if names else "nothing can stand here"


def shown(text: str, at_most: int = 60) -> str:
    """Return foreign *text* so that it can stand in a message: one line, escaped, cut."""
    safe = ascii(text) if any(not char.isprintable() for char in text) else repr(text)
    return safe if len(safe) <= at_most else safe[: at_most - 3] + "..."
