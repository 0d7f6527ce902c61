"""Turns a finished `.part` into NAME.jsonl.zst in steps of which a crash can fall between any two.

The order: a temporary file is written and synced, gets its name by a link that fails if the name is taken, the
folder is synced, and only then the `.part` goes. Whoever resumes finds either a whole `.part` or both.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from functools import partial

from logs.check import check
from logs.claim import tidy
from logs.disk import CREATE, Disk, again, exists, read_all, write_all
from logs.faults import LogExists, LogSealed
from logs.frames import FRAME_BYTES, LINES, Index, compress
from logs.lines import lines_from
from logs.names import Names
from logs.record import PREFIX, Chain, groups

# Where links are not to be had, the name is looked up first and given by a rename: the lock on the part keeps
# others out who go by our rules.
NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


def publish(names: Names, part: int, size: int, disk: Disk) -> int:
    """Seal the first *size* bytes of the open *part*; return the bytes of the sealed file. Raises LogExists."""
    if exists(disk, names.temporary):
        again(partial(disk.unlink, names.temporary))  # of a seal that died; the lock says it is ours
    fd = again(lambda: disk.open(names.temporary, CREATE))
    try:
        stored = 0
        try:
            for piece in compress(batches(disk, part, size), Index()):
                write_all(disk, fd, piece)
                stored += len(piece)
            again(lambda: disk.sync(fd))
        finally:
            disk.close(fd)
        give_name(disk, names)
    except BaseException:
        tidy(partial(disk.unlink, names.temporary))
        raise
    again(lambda: disk.sync_folder(names.folder))
    return stored


def finish(names: Names, chain: Chain, disk: Disk) -> None:
    """Finish a seal that died after it got its name. Always raises: LogSealed, or LogExists for another's log.

    The part is the only other copy: it goes when every byte of the sealed one is verified.
    """
    sealed = check(names.sealed, disk=disk)
    if not (sealed.ok and chain.kind == "end" and sealed.head == chain.head.hex()):
        raise LogExists(names.sealed, "another log was sealed under this name", "move one of the two away")
    again(lambda: disk.sync_folder(names.folder))
    for path in (names.temporary, names.part):
        if exists(disk, path):
            again(partial(disk.unlink, path))
    raise LogSealed(names.sealed, "is complete", "nothing is left to resume")


def batches(disk: Disk, fd: int, size: int) -> Iterator[tuple[int, bytes]]:
    """Yield (first tick, lines) for each frame of the seal: whole groups, so a seek meets no half tick."""
    tick: int | None = None
    lines: list[bytes] = []
    held = 0
    for group in groups(lines_from(partial(read_all, disk, fd), 0, size)):
        if tick is None:
            match = PREFIX.match(group[0])
            tick = int(match[2]) if match else 0
        lines += group
        held += sum(map(len, group))
        if len(lines) >= LINES or held >= FRAME_BYTES:
            yield tick, b"".join(lines)
            tick, lines, held = None, [], 0
    if tick is not None:
        yield tick, b"".join(lines)


def give_name(disk: Disk, names: Names) -> None:
    """Let the prepared seal have its name, unless something has it. Hard links make that one step."""
    try:
        again(lambda: disk.link(names.temporary, names.sealed))
    except FileExistsError:
        raise LogExists(
            names.sealed, "another log was sealed under this name", "move one of the two away"
        ) from None
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        if exists(disk, names.sealed):
            raise LogExists(names.sealed, "another log was sealed under this name") from None
        again(lambda: disk.rename(names.temporary, names.sealed))
    else:
        again(lambda: disk.unlink(names.temporary))
