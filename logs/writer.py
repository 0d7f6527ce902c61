"""Writes one log: a line or more for each active tick, handed to the disk whole, then the seal.

What is promised (G1, G2): when `append` returns, its tick survives the death of the process; after loss of
power at most `sync_every_s` is gone, and nothing of a tick appended with `sync`. What remains is always a prefix.
Readers never write; a writer holds a lock on its `.part` that ends with the process.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from logs.disk import CREATE, DISK, UPDATE, Disk, again, exists, open_file, read_all, write_all
from logs.faults import LogBroken, LogBusy, LogError, LogExists, LogHeadless, LogSealed
from logs.frames import FRAME_BYTES, LINES, Index, compress
from logs.lines import lines_from
from logs.names import Names, names_of
from logs.reader import LogReader
from logs.record import PREFIX, Chain, Flaw, encode_group, encode_header, groups

Answer = TypeVar("Answer")

COPY_BYTES = 1 << 20
LOCK_TRIES = 5
LOCK_PAUSE_S = 0.02
NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


@dataclass(frozen=True, slots=True)
class Sealed:
    """A finished log. `head` is what the manifest keeps."""

    path: Path
    head: str
    records: int
    ticks: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Cut:
    """A torn tail that a resume took off; for the manifest, never for the log."""

    byte: int
    bytes: int
    after_tick: int
    after_record: int
    kept: str
    reason: str


class LogWriter:
    """The one writer of a log. Made by `create` or `resume`; over after `seal`, `abort` or `LogBroken`."""

    def __init__(
        self,
        names: Names,
        fd: int,
        chain: Chain,
        disk: Disk,
        sync_every_s: float,
        clock: Callable[[], float] | None,
    ) -> None:
        self.names = names
        self.cut: Cut | None = None
        self._fd = fd
        self._chain = chain
        self._disk = disk
        self._sync_every_s = sync_every_s
        self._clock = clock or disk.clock_s
        self._synced_s = self._clock()
        self._unsynced = False
        self._over = ""

    @classmethod
    def create(
        cls,
        path: Path,
        header: dict[str, Any],
        *,
        sync_every_s: float = 1.0,
        clock: Callable[[], float] | None = None,
        disk: Disk = DISK,
    ) -> LogWriter:
        """Begin a log under a name that nothing has yet. Raises LogExists, LogBusy, LogError, LogBroken.

        A `.part` that died before its header was whole is taken over; what was in it is kept as torn.
        """
        line, head = encode_header(header)
        names = names_of(path)
        writer = cls(names, -1, Chain(), disk, sync_every_s, clock)
        with _guard(names.part, "creating the log"):
            if exists(disk, names.sealed):
                raise LogExists(names.sealed, "a sealed log has this name", "choose another name")
            writer._fd = _claim(names, disk)
        writer._do("writing the header", lambda: write_all(disk, writer._fd, line))
        writer._do("syncing the header", lambda: again(lambda: disk.sync(writer._fd)))
        writer._do("syncing the folder", lambda: again(lambda: disk.sync_folder(names.folder)))
        writer._chain = Chain(head=head, records=0, size=len(line))
        return writer

    @classmethod
    def resume(
        cls,
        path: Path,
        *,
        sync_every_s: float = 1.0,
        clock: Callable[[], float] | None = None,
        disk: Disk = DISK,
    ) -> tuple[LogWriter, LogReader]:
        """Continue a log whose writer died; returns the writer and a reader over the valid prefix.

        The torn tail is copied to NAME.torn-K, then cut; `writer.cut` tells of it. Continued with the same
        records the sealed file equals an uninterrupted one byte for byte.
        Raises LogSealed when there is nothing to resume, LogBusy, LogHeadless, LogError, LogBroken.
        """
        names = names_of(path)
        with _guard(names.part, "resuming the log"):
            fd = _lock_part(names, disk)
            writer = cls(names, fd, Chain(), disk, sync_every_s, clock)
            try:
                writer._chain, size, reason = _valid_prefix(disk, fd)
                if writer._chain.records < 0:
                    raise LogHeadless(
                        names.part, "has no whole header", "create the log anew; its bytes are kept"
                    )
                if exists(disk, names.sealed):
                    writer._finish_seal()
                if size > writer._chain.size:
                    writer._cut_tail(size, reason)
                # What was only in memory when the machine stopped must not be built upon.
                again(lambda: disk.sync(fd))
                return writer, LogReader(names.part, disk=disk, upto=writer._chain.size)
            except BaseException:
                writer._close("the resume failed")
                raise

    @property
    def records(self) -> int:
        """seq of the last record written."""
        return self._chain.records

    @property
    def tick(self) -> int:
        """Last active tick written."""
        return self._chain.tick

    @property
    def head(self) -> str:
        """Chain head, 32 hex digits."""
        return self._chain.head.hex()

    @property
    def ended(self) -> bool:
        """True when the end record stands (a resume may find it): only `seal` is left."""
        return self._chain.kind == "end"

    def append(self, tick: int, records: Sequence[dict[str, Any]], *, sync: bool = False) -> None:
        """Write the records of one active *tick* with one write(2). With *sync* they are on the disk then.

        A record is {kind, id, causes, data}. Raises ValueError before a byte is written if one cannot be
        encoded (the writer stays usable), LogBroken when the disk fails (it does not).
        """
        assert not self._over, f"the log is closed: {self._over}"
        chain = self._chain
        if records:
            assert tick >= chain.tick, "ticks never run backwards"
            assert chain.kind != "end", "nothing follows the end"
            data, head = encode_group(chain.records + 1, tick, records, chain.head)
            try:
                write_all(self._disk, self._fd, data)
            except OSError as error:
                raise self._broken("writing a tick", error) from error
            chain.ticks += tick != chain.tick or chain.ticks == 0
            chain.records += len(records)
            chain.tick = tick
            chain.kind = records[-1]["kind"]
            chain.head = head
            chain.size += len(data)
            self._unsynced = True
        if self._unsynced and (sync or self._clock() - self._synced_s >= self._sync_every_s):
            self.sync()

    def sync(self) -> None:
        """Put on the disk what was written. The shell calls it when idle. A failure ends the writer."""
        assert not self._over, f"the log is closed: {self._over}"
        self._do("syncing", lambda: again(lambda: self._disk.sync_data(self._fd)))
        self._unsynced = False
        self._synced_s = self._clock()

    def seal(self, end: dict[str, Any], *, tick: int | None = None) -> Sealed:
        """Write the end record (at *tick*, else the last), compress to NAME.jsonl.zst, remove the `.part`.

        The result name is created exclusively: LogExists if it is taken. When the disk is full the `.part`
        stays whole and readable: LogBroken; resume it and seal again. *end* gives status and reason.
        """
        chain = self._chain
        if not self.ended:
            at = chain.tick if tick is None else tick
            ticks = chain.ticks + (at != chain.tick or chain.ticks == 0)
            counts = {"records": chain.records + 1, "ticks": ticks, "head": self.head}
            self.append(at, [{"kind": "end", "data": {**end, **counts}}])
        self._do("syncing the end", lambda: again(lambda: self._disk.sync(self._fd)))
        try:
            size = self._do("sealing", self._publish)
        except LogExists:
            self._close("another log was sealed under this name")
            raise
        self._do("removing the part", lambda: again(lambda: self._disk.unlink(self.names.part)))
        self._close("it is sealed")
        return Sealed(self.names.sealed, self.head, chain.records, chain.ticks, size)

    def abort(self) -> None:
        """Close and leave the `.part` as it is."""
        if not self._over:
            try:
                if self._unsynced:
                    self.sync()
            finally:
                self._close("it was left")

    def __enter__(self) -> LogWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.abort()

    def _publish(self) -> int:
        """Return the bytes of the sealed file, once it and its name are on the disk."""
        names, disk = self.names, self._disk
        if exists(disk, names.temporary):
            again(lambda: disk.unlink(names.temporary))  # a seal that died; the lock says it is ours
        fd = again(lambda: disk.open(names.temporary, CREATE))
        try:
            try:
                index = Index()
                size = 0
                for piece in compress(_batches(disk, self._fd, self._chain.size), index):
                    write_all(disk, fd, piece)
                    size += len(piece)
                again(lambda: disk.sync(fd))
            finally:
                disk.close(fd)
            _give_name(disk, names)
        except BaseException:
            _try(lambda: disk.unlink(names.temporary))
            raise
        again(lambda: disk.sync_folder(names.folder))
        return size

    def _finish_seal(self) -> None:
        """The name is taken while the part lives: our seal died before its last step, or it is another's."""
        sealed = LogReader(self.names.sealed, disk=self._disk)
        try:
            same = self.ended and sealed.head == self.head
        finally:
            sealed.close()
        if not same:
            raise LogExists(
                self.names.sealed, "another log was sealed under this name", "move one of the two away"
            )
        for path in (self.names.temporary, self.names.part):
            if exists(self._disk, path):
                again(partial(self._disk.unlink, path))
        raise LogSealed(self.names.sealed, "is complete", "nothing is left to resume")

    def _cut_tail(self, size: int, reason: str) -> None:
        chain, disk = self._chain, self._disk
        kept = _keep_tail(disk, self.names, self._fd, chain.size, size)
        again(lambda: disk.truncate(self._fd, chain.size))
        self.cut = Cut(chain.size, size - chain.size, chain.tick, chain.records, kept.name, reason)

    def _do(self, doing: str, call: Callable[[], Answer]) -> Answer:
        try:
            return call()
        except OSError as error:
            raise self._broken(doing, error) from error

    def _broken(self, doing: str, error: OSError) -> LogBroken:
        self._close(f"the disk failed while {doing}")
        return LogBroken(self.names.part, doing, error)

    def _close(self, why: str) -> None:
        if not self._over:
            self._over = why
            _try(lambda: self._disk.close(self._fd))


@contextmanager
def _guard(path: Path, doing: str) -> Iterator[None]:
    """Give every fault of the disk before there is a writer the same shape as after."""
    try:
        yield
    except LogBroken:
        raise
    except (FileNotFoundError, NotADirectoryError):
        raise LogError(path, "its folder does not exist", "make the folder first") from None
    except OSError as error:
        raise LogBroken(path, doing, error) from error


def _try(call: Callable[[], object]) -> None:
    """Tidy up after a failure that is already on its way to the caller."""
    with suppress(OSError):
        call()


def _claim(names: Names, disk: Disk) -> int:
    """Return a locked, empty `.part` that is ours."""
    try:
        fd = again(lambda: disk.open(names.part, CREATE))
    except FileExistsError:
        fd = open_file(disk, names.part, UPDATE)
    try:
        _lock(names, fd, disk)
        chain, size, _ = _valid_prefix(disk, fd)
        if chain.records >= 0:
            raise LogExists(names.part, "a log of this name was begun", "resume it, or choose another name")
        if size:
            _keep_tail(disk, names, fd, 0, size)
            again(lambda: disk.truncate(fd, 0))
    except BaseException:
        _try(lambda: disk.close(fd))
        raise
    return fd


def _lock_part(names: Names, disk: Disk) -> int:
    try:
        fd = open_file(disk, names.part, UPDATE)
    except FileNotFoundError:
        if exists(disk, names.sealed):
            raise LogSealed(names.sealed, "is complete", "nothing is left to resume") from None
        raise LogError(names.part, "there is no such log", "nothing to resume") from None
    try:
        _lock(names, fd, disk)
    except BaseException:
        _try(lambda: disk.close(fd))
        raise
    return fd


def _lock(names: Names, fd: int, disk: Disk) -> None:
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


def _valid_prefix(disk: Disk, fd: int) -> tuple[Chain, int, str]:
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


def _keep_tail(disk: Disk, names: Names, fd: int, start: int, size: int) -> Path:
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
        _try(lambda: disk.unlink(path))
        raise
    finally:
        disk.close(copy)
    again(lambda: disk.sync_folder(names.folder))
    return path


def _batches(disk: Disk, fd: int, size: int) -> Iterator[tuple[int, bytes]]:
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


def _give_name(disk: Disk, names: Names) -> None:
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
