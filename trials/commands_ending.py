"""Ctrl-C, as commands that run one trial take it: once ends it with a readable log, twice aborts."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from sim.terminal import note


@contextmanager
def ending_on_signal() -> Iterator[Callable[[], bool]]:
    """Yield a function that tells whether to end: the first Ctrl-C ends the trial, a second one aborts."""
    asked: list[int] = []

    def on_signal(number: int, _frame: FrameType | None) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)
        note("oneroom: ending the trial; the log stays readable (again: abort at once)")

    before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
