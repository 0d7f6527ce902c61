"""What lessons on one kind of choice tell about another: the same kind nearer by or farther off, and its kin.

A kind is written BEST<OVER:FAR: what the deterministic best is for, what it would pass over, and how far behind the best that
lies, in steps. Where nothing telling is passed over it is BEST alone, and stands for itself. A lesson is that thinking
mattered, or that it did not; lessons are kept as two counts under the name of the kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

Lessons = Mapping[str, Sequence[int]]


def of_kind(lessons: Lessons, name: str) -> tuple[int, int]:
    """Return the lessons on the kind *name*: (thinking mattered, it did not).

    The closer what is passed over, the likelier a thought overturns the choice. So where it mattered though that lay
    farther behind, it matters here too, and where it did not though that came closer, it does not here.
    """
    kind, far = _parts(name)
    mattered, harmless = lessons.get(name, (0, 0))
    for other, its, (high, low) in _passing_over(lessons, far):
        if other == kind and its != far:
            mattered += high if its > far else 0
            harmless += low if its < far else 0
    return mattered, harmless


def of_kin(lessons: Lessons, name: str) -> tuple[int, int]:
    """Return the lessons, told alike, on choices whose best is for the same and which would pass over something else."""
    kind, far = _parts(name)
    mattered = harmless = 0
    for other, its, (high, low) in _passing_over(lessons, far):
        if other != kind and _best(other) == _best(kind):
            mattered += high if its >= far else 0
            harmless += low if its <= far else 0
    return mattered, harmless


def _passing_over(lessons: Lessons, far: int) -> Iterator[tuple[str, int, Sequence[int]]]:
    """Yield (kind, how far, lessons) of the kinds that pass something over; none for one that does not itself."""
    for name, counts in lessons.items() if far >= 0 else ():
        kind, its = _parts(name)
        if its >= 0:
            yield kind, its, counts


def _parts(name: str) -> tuple[str, int]:
    kind, _, far = name.partition(":")
    return kind, int(far) if far else -1


def _best(kind: str) -> str:
    return kind.partition("<")[0]
