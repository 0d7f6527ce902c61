"""What can go wrong with a log: faults of outsiders are `LogError`, a failing disk is `LogBroken`."""

from __future__ import annotations

from pathlib import Path


class LogError(ValueError):
    """A path or a file that cannot be used as it is; the text says what, where and how to mend it."""

    def __init__(self, path: Path, problem: str, mend: str = "") -> None:
        self.path = path
        self.problem = problem
        self.mend = mend
        super().__init__(f"{path}: {problem}" + (f" ({mend})" if mend else ""))


class LogBusy(LogError):
    """Another process writes this log."""


class LogExists(LogError):
    """The name is taken; nothing is ever overwritten."""


class LogSealed(LogError):
    """The log is complete: there is nothing left to resume."""


class LogHeadless(LogError):
    """A `.part` that died before its header was whole: it holds nothing; `create` may take it over."""


class LogDamaged(LogError):
    """Stored bytes do not say what was written. `record` and `byte` are where the first bad tick starts."""

    def __init__(self, path: Path, problem: str, *, record: int | None, byte: int | None) -> None:
        self.record = record
        self.byte = byte
        where = (
            "" if record is None else f" from record {record}" + ("" if byte is None else f", byte {byte}")
        )
        super().__init__(path, f"damaged{where}: {problem}", "run verify for the exact place")


class LogBroken(OSError):
    """The disk failed under a writer. The writer is closed; what stands in the `.part` is a prefix.

    A failed sync is never retried: the pages may be marked clean although they are lost. `errno` is kept.
    """

    def __init__(self, path: Path, doing: str, cause: OSError) -> None:
        super().__init__(cause.errno, f"{doing}: {cause.strerror or cause}", str(path))
        self.doing = doing
