"""The few calls by which logs touch a disk, behind one protocol, so that a failing disk can be handed in.

Every call may raise `OSError`. Nothing here decides; `writer`, `reader` and `manifest` do.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from logs.faults import LogBroken, LogError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

Answer = TypeVar("Answer")

# Windows has neither; there a link is refused by the check for a regular file alone.
NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
NONBLOCK = getattr(os, "O_NONBLOCK", 0)
BINARY = getattr(os, "O_BINARY", 0)

READ = os.O_RDONLY | NOFOLLOW | NONBLOCK | BINARY
UPDATE = os.O_RDWR | os.O_APPEND | NOFOLLOW | NONBLOCK | BINARY
CREATE = UPDATE | os.O_CREAT | os.O_EXCL

# A call that is interrupted this often in a row is a call that fails.
INTERRUPTS_MAX = 1000

LOCK_BYTE = 1 << 62  # Windows locks are mandatory: lock a byte that nobody reads.


class Disk(Protocol):
    """What a log needs of a disk. `OsDisk` is the real one."""

    def open(self, path: Path, flags: int) -> int: ...
    def close(self, fd: int) -> None: ...
    def status(self, fd: int) -> os.stat_result: ...
    def path_status(self, path: Path) -> os.stat_result: ...
    def read(self, fd: int, size: int, offset: int) -> bytes: ...
    def write(self, fd: int, data: bytes | memoryview) -> int: ...
    def sync(self, fd: int) -> None: ...
    def sync_data(self, fd: int) -> None: ...
    def sync_folder(self, path: Path) -> None: ...
    def truncate(self, fd: int, size: int) -> None: ...
    def lock(self, fd: int, *, shared: bool) -> bool: ...
    def unlock(self, fd: int) -> None: ...
    def link(self, source: Path, target: Path) -> None: ...
    def rename(self, source: Path, target: Path) -> None: ...
    def unlink(self, path: Path) -> None: ...
    def clock_s(self) -> float: ...
    def pause(self, seconds: float) -> None: ...


class OsDisk:
    """The disk of this machine."""

    def open(self, path: Path, flags: int) -> int:
        return os.open(path, flags, 0o644)

    def close(self, fd: int) -> None:
        os.close(fd)

    def status(self, fd: int) -> os.stat_result:
        return os.fstat(fd)

    def path_status(self, path: Path) -> os.stat_result:
        return os.lstat(path)

    def read(self, fd: int, size: int, offset: int) -> bytes:
        if sys.platform == "win32":
            os.lseek(fd, offset, os.SEEK_SET)
            return os.read(fd, size)
        return os.pread(fd, size, offset)

    def write(self, fd: int, data: bytes | memoryview) -> int:
        return os.write(fd, data)

    def sync(self, fd: int) -> None:
        os.fsync(fd)

    def sync_data(self, fd: int) -> None:
        if sys.platform == "linux":
            os.fdatasync(fd)
        else:
            os.fsync(fd)

    def sync_folder(self, path: Path) -> None:
        if sys.platform == "win32":
            return  # a folder cannot be opened there; the file system orders renames itself
        fd = os.open(path, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def truncate(self, fd: int, size: int) -> None:
        os.ftruncate(fd, size)

    def lock(self, fd: int, *, shared: bool) -> bool:
        """Lock the whole file without waiting; False if another holds it. It ends with the descriptor."""
        try:
            if sys.platform == "win32":
                os.lseek(fd, LOCK_BYTE, os.SEEK_SET)
                msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK):
                return False
            raise
        return True

    def unlock(self, fd: int) -> None:
        if sys.platform == "win32":
            os.lseek(fd, LOCK_BYTE, os.SEEK_SET)
            msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)
        else:
            fcntl.flock(fd, fcntl.LOCK_UN)

    def link(self, source: Path, target: Path) -> None:
        os.link(source, target)

    def rename(self, source: Path, target: Path) -> None:
        os.rename(source, target)

    def unlink(self, path: Path) -> None:
        os.unlink(path)

    def clock_s(self) -> float:
        return time.monotonic()

    def pause(self, seconds: float) -> None:
        time.sleep(seconds)


DISK: Disk = OsDisk()


def again(call: Callable[[], Answer]) -> Answer:
    """Return what *call* returns, called again while a signal interrupts it."""
    for _ in range(INTERRUPTS_MAX):
        with contextlib.suppress(InterruptedError):
            return call()
    return call()


def write_all(disk: Disk, fd: int, data: bytes) -> None:
    """Write all of *data*: one write(2), or as many as a disk that writes short needs."""
    try:
        written = disk.write(fd, data)
    except InterruptedError:
        written = again(partial(disk.write, fd, data))
    while written < len(data):
        step = again(partial(disk.write, fd, memoryview(data)[written:]))
        if step == 0:
            raise OSError(errno.EIO, "the disk takes no more bytes and names no reason")
        written += step


def read_all(disk: Disk, fd: int, size: int, offset: int) -> bytes:
    """Return *size* bytes from *offset*; fewer only at the end of the file."""
    pieces = []
    while size > 0:
        piece = again(partial(disk.read, fd, size, offset))
        if not piece:
            break
        pieces.append(piece)
        size -= len(piece)
        offset += len(piece)
    return b"".join(pieces)


def open_file(disk: Disk, path: Path, flags: int) -> int:
    """Open a regular file. A link, pipe, socket, device or folder is refused with one clear `LogError`."""
    try:
        fd = again(lambda: disk.open(path, flags))
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.ENOTDIR, errno.ENAMETOOLONG):
            raise LogError(
                path, "is not a regular file", "give the file itself, no link, pipe or folder"
            ) from None
        raise
    try:
        regular = stat.S_ISREG(again(lambda: disk.status(fd)).st_mode)
    except OSError:
        disk.close(fd)
        raise
    if not regular:
        disk.close(fd)
        raise LogError(path, "is not a regular file", "give the file itself, no link, pipe or folder")
    return fd


@contextlib.contextmanager
def broken_if_failing(path: Path, doing: str) -> Iterator[None]:
    """Turn a failure of the disk inside into LogBroken."""
    try:
        yield
    except LogBroken:
        raise
    except OSError as error:
        raise LogBroken(path, doing, error) from error


def open_to_read(disk: Disk, path: Path) -> int:
    """Open a regular file for reading. Raises LogError, or LogBroken if the disk fails."""
    try:
        return open_file(disk, path, READ)
    except (FileNotFoundError, PermissionError) as error:
        raise LogError(path, f"cannot be opened: {error.strerror}") from None
    except OSError as error:
        raise LogBroken(path, "opening", error) from error


def exists(disk: Disk, path: Path) -> bool:
    """Say whether anything at all has this name, a dangling link too."""
    try:
        again(lambda: disk.path_status(path))
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True
