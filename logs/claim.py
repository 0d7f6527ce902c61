"""How a writer comes by its `.part`: exclusive creation, the lock, the longest valid prefix, the kept tail."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from logs.disk import CREATE, UPDATE, Disk, again, broken_if_failing, exists, open_file, read_all, write_all
from logs.faults import LogBusy, LogDamaged, LogError, LogExists, LogSealed
from logs.lines import lines_from
from logs.names import Names
from logs.record import Chain, Flaw, groups

COPY_BYTES = 1 << 20
LOCK_TRIES = 5
LOCK_PAUSE_S = 0.02


def claim(names: Names, disk: Disk) -> int:
    """Return a locked, empty `.part` that is ours."""
    try:
        fd = again(lambda: disk.open(names.part, CREATE))
    except FileExistsError:
        fd = open_file(disk, names.part, UPDATE)
    try:
        lock(names, fd, disk)
        chain, size, _ = valid_prefix(disk, fd)
        if chain.records >= 0:
            raise LogExists(names.part, "a log of this name was begun", "resume it, or choose another name")
        refuse_damaged_header(names, fd, size, disk)
        if size:
            keep_tail(disk, names, fd, 0, size)
            again(lambda: disk.truncate(fd, 0))
    except BaseException:
        tidy(lambda: disk.close(fd))
        raise
    return fd


def lock_part(names: Names, disk: Disk) -> int:
    """Return the locked descriptor of the `.part`. Raises LogSealed, LogBusy or LogError where there is none to continue."""
    try:
        fd = open_file(disk, names.part, UPDATE)
    except FileNotFoundError:
        if exists(disk, names.sealed):
            raise LogSealed(names.sealed, "is complete", "nothing is left to resume") from None
        raise LogError(names.part, "there is no such log", "nothing to resume") from None
    try:
        lock(names, fd, disk)
    except BaseException:
        tidy(lambda: disk.close(fd))
        raise
    return fd


def lock(names: Names, fd: int, disk: Disk) -> None:
    """Lock the part, or raise LogBusy. A reader that asks whether we live may hold it for an instant."""
    for _ in range(LOCK_TRIES):
        if again(lambda: disk.lock(fd, shared=False)):
            break
        disk.pause(LOCK_PAUSE_S)
    else:
        raise LogBusy(names.part, "another process writes this log", "wait for it, or stop it")
    ours = again(lambda: disk.status(fd))
    try:
        named = again(lambda: disk.path_status(names.part))
    except FileNotFoundError:
        raise LogBusy(names.part, "was sealed by another process just now", "read the sealed log") from None
    if (ours.st_dev, ours.st_ino) != (named.st_dev, named.st_ino):
        raise LogBusy(names.part, "was replaced by another process just now", "try again")


def valid_prefix(disk: Disk, fd: int) -> tuple[Chain, int, str]:
    """Return the chain over the longest valid prefix, the size of the file, and why the prefix ends."""
    chain = Chain()
    size = again(lambda: disk.status(fd)).st_size
    reason = "the last tick is not complete"
    try:
        for group in groups(lines_from(partial(read_all, disk, fd), 0, size)):
            chain.take(group)
    except Flaw as flaw:
        reason = flaw.reason
    return chain, size, reason


def refuse_damaged_header(names: Names, fd: int, size: int, disk: Disk) -> None:
    """A writer that died in its first write leaves no whole line. A whole line that is no header is damage."""
    if next(lines_from(partial(read_all, disk, fd), 0, size), None) is not None:
        raise LogDamaged(names.part, "its first line is not the header that was written", record=0, byte=0)


def keep_tail(disk: Disk, names: Names, fd: int, start: int, size: int) -> Path:
    """Copy what is about to be cut to the next free NAME.torn-K and put it on the disk."""
    number = 1
    while exists(disk, names.torn(number)):
        number += 1
    path = names.torn(number)
    copy = again(lambda: disk.open(path, CREATE))
    try:
        offset = start
        while offset < size:
            piece = read_all(disk, fd, min(COPY_BYTES, size - offset), offset)
            if not piece:
                raise OSError(errno.EIO, "the torn tail cannot be read")
            write_all(disk, copy, piece)
            offset += len(piece)
        again(lambda: disk.sync(copy))
    except BaseException:
        tidy(lambda: disk.unlink(path))
        raise
    finally:
        disk.close(copy)
    again(lambda: disk.sync_folder(names.folder))
    return path


@contextmanager
def guard(path: Path, doing: str) -> Iterator[None]:
    """Give every fault of the disk before there is a writer the same shape as after."""
    with broken_if_failing(path, doing):
        try:
            yield
        except (FileNotFoundError, NotADirectoryError):
            raise LogError(path, "its folder does not exist", "make the folder first") from None


def tidy(call: Callable[[], object]) -> None:
    """Tidy up after a failure that is already on its way to the caller."""
    with suppress(OSError):
        call()
