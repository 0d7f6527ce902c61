"""What the tests of logs stand on: one small run, disks that fail on order, and a writer to be killed.

Run as a program it writes the run to the path given, continuing what it finds, and says each tick on its way.
"""

# ruff: noqa: ARG002  # a double keeps the signature of what it stands for

from __future__ import annotations

import errno
import os
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from logs.disk import DISK, Disk
from logs.faults import LogError, LogSealed
from logs.record import groups
from logs.writer import LogWriter, Sealed

Tick = tuple[int, list[dict[str, Any]]]

HEADER = {"mode": "run", "seed": 7, "declaration": {"id": "quiet_day", "title": {"zh": "安静的一天"}}}
END = {"status": "complete"}


def a_run(ticks: int = 30, records: int = 2) -> list[Tick]:
    """Return active ticks with gaps between them, some with text in two languages."""
    return [(tick * 3, [_record(tick, number) for number in range(records)]) for tick in range(1, ticks + 1)]


def _record(tick: int, number: int) -> dict[str, Any]:
    chance = blake2b(b"%d/%d" % (tick, number), digest_size=8).hexdigest()
    return {
        "kind": ("fact", "percept", "note")[(tick + number) % 3],
        "id": f"evt-{tick}-{number}",
        "causes": [f"evt-{tick - 1}-0"] if tick > 1 else [],
        "data": {"cell": int(chance[:4], 16), "text": f"“{chance}” 水壶", "visible": tick % 2 == 0},
    }


def is_synced(tick: int) -> bool:
    """Some ticks are put on the disk at once, as live inputs are; few, for the disk is slow."""
    return tick % 5 == 0 and tick < 100


def write_part(path: Path, run: list[Tick], disk: Disk = DISK) -> LogWriter:
    writer = LogWriter.create(path, HEADER, disk=disk)
    for tick, records in run:
        writer.append(tick, records, sync=is_synced(tick))
    return writer


def write_log(path: Path, run: list[Tick], disk: Disk = DISK) -> Sealed:
    return write_part(path, run, disk).seal(END)


def go_on(path: Path, run: list[Tick], disk: Disk = DISK, said: Callable[[int], object] = int) -> Sealed:
    """Begin or continue *run* and seal it, as a supervisor does after a crash."""
    try:
        writer = LogWriter.create(path, HEADER, disk=disk)
    except LogError:
        writer, prefix = LogWriter.resume(path, disk=disk)
        prefix.close()
    for tick, records in run:
        if tick > writer.tick or writer.records == 0:
            writer.append(tick, records, sync=is_synced(tick))
            said(tick)
    return writer.seal(END)


def layout(content: bytes) -> Iterator[tuple[int, int, list[bytes]]]:
    """Yield (start, end, lines) of the header and of each tick in the bytes of a `.part`."""
    start = 0
    for group in groups([line + b"\n" for line in content.split(b"\n")[:-1]]):
        end = start + sum(map(len, group))
        yield start, end, group
        start = end


def flipped(content: bytes, at: int) -> bytes:
    """Return *content* with one bit of byte *at* changed, another bit for each place."""
    changed = bytearray(content)
    changed[at] ^= 1 << at % 8
    return bytes(changed)


class Wrapped:
    """A disk that asks `before` ahead of every call that can fail, and counts them."""

    def __init__(self, disk: Disk = DISK) -> None:
        self.inner = disk
        self.calls = 0

    def before(self, name: str) -> None:
        """Called ahead of call number `self.calls` (from 1)."""

    def _ask(self, name: str) -> None:
        self.calls += 1
        self.before(name)

    def open(self, path: Path, flags: int) -> int:
        self._ask("open")
        return self.inner.open(path, flags)

    def close(self, fd: int) -> None:
        self._ask("close")
        self.inner.close(fd)

    def status(self, fd: int) -> os.stat_result:
        self._ask("status")
        return self.inner.status(fd)

    def path_status(self, path: Path) -> os.stat_result:
        self._ask("path_status")
        return self.inner.path_status(path)

    def read(self, fd: int, size: int, offset: int) -> bytes:
        self._ask("read")
        return self.inner.read(fd, size, offset)

    def write(self, fd: int, data: bytes | memoryview) -> int:
        self._ask("write")
        return self.inner.write(fd, data)

    def sync(self, fd: int) -> None:
        self._ask("sync")
        self.inner.sync(fd)

    def sync_data(self, fd: int) -> None:
        self._ask("sync_data")
        self.inner.sync_data(fd)

    def sync_folder(self, path: Path) -> None:
        self._ask("sync_folder")
        self.inner.sync_folder(path)

    def truncate(self, fd: int, size: int) -> None:
        self._ask("truncate")
        self.inner.truncate(fd, size)

    def lock(self, fd: int, *, shared: bool) -> bool:
        self._ask("lock")
        return self.inner.lock(fd, shared=shared)

    def unlock(self, fd: int) -> None:
        self._ask("unlock")
        self.inner.unlock(fd)

    def link(self, source: Path, target: Path) -> None:
        self._ask("link")
        self.inner.link(source, target)

    def rename(self, source: Path, target: Path) -> None:
        self._ask("rename")
        self.inner.rename(source, target)

    def unlink(self, path: Path) -> None:
        self._ask("unlink")
        self.inner.unlink(path)

    def clock_s(self) -> float:
        return 0.0

    def pause(self, seconds: float) -> None:
        self.inner.pause(seconds / 100)


class Failing(Wrapped):
    """Fails with *code* at call number *at*, once or from then on."""

    def __init__(self, at: int, code: int, *, sticky: bool) -> None:
        super().__init__()
        self.at = at
        self.code = code
        self.sticky = sticky
        self.failed = 0

    def before(self, name: str) -> None:
        if self.calls == self.at or (self.sticky and self.calls > self.at):
            # A disk that refuses to close has closed all the same.
            if name == "close":
                return
            self.failed += 1
            raise OSError(self.code, os.strerror(self.code))


class Short(Wrapped):
    """Takes only a part of what is written from call *at* on, or at that call only."""

    def __init__(self, at: int, *, sticky: bool) -> None:
        super().__init__()
        self.at = at
        self.sticky = sticky

    def write(self, fd: int, data: bytes | memoryview) -> int:
        self._ask("write")
        if self.calls == self.at or (self.sticky and self.calls > self.at):
            return self.inner.write(fd, bytes(data)[: max(len(data) // 3, 1)])
        return self.inner.write(fd, data)


class Full(Wrapped):
    """Has room for *room* bytes: the write that crosses it comes short, the next fails."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room = room

    def write(self, fd: int, data: bytes | memoryview) -> int:
        self._ask("write")
        if self.room <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = self.inner.write(fd, bytes(data)[: self.room])
        self.room -= written
        return written


class Deadly(Wrapped):
    """Kills this process at call number *at*: no destructor, no atexit, no flush."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at

    def before(self, name: str) -> None:
        if self.calls == self.at:
            os.kill(os.getpid(), signal.SIGKILL)


class Memory(Wrapped):
    """One file that is nothing but bytes, for tests that read it thousands of times."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.content = content

    def open(self, path: Path, flags: int) -> int:
        return 0

    def close(self, fd: int) -> None:
        pass

    def status(self, fd: int) -> os.stat_result:
        return os.stat_result((stat.S_IFREG | 0o644, 0, 0, 1, 0, 0, len(self.content), 0, 0, 0))

    def path_status(self, path: Path) -> os.stat_result:
        return self.status(0)

    def read(self, fd: int, size: int, offset: int) -> bytes:
        return self.content[offset : offset + size]

    def lock(self, fd: int, *, shared: bool) -> bool:
        return True

    def unlock(self, fd: int) -> None:
        pass


def dies_at(at: int, work: Callable[[Disk], object]) -> bool:
    """Do *work* in a child that is killed at its call number *at*; say whether it was."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work(Deadly(at))
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.WEXITSTATUS(status) == 0, f"the child failed by itself when it was to die at call {at}"
    return False


if __name__ == "__main__":
    with suppress(LogSealed):  # killed between its last step and its exit
        go_on(Path(sys.argv[1]), a_run(int(sys.argv[2])), said=lambda tick: os.write(1, b"%d\n" % tick))
