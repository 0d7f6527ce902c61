"""Writes one log: a line or more for each active tick, handed to the disk whole, then the seal.

What is promised (G1, G2): when `append` returns, its tick survives the death of the process; after loss of
power at most `sync_every_s` is gone, and nothing of a tick appended with `sync`. What remains is always a prefix.
Readers never write; a writer holds a lock on its `.part` that ends with the process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from logs.claim import claim, guard, keep_tail, lock_part, refuse_damaged_header, tidy, valid_prefix
from logs.disk import DISK, Disk, again, exists, write_all
from logs.faults import LogBroken, LogError, LogExists, LogHeadless
from logs.names import SPELLINGS, Names, names_of
from logs.reader import LogReader
from logs.record import TICK_MAX, Chain, encode_group, encode_header
from logs.seal import finish, publish

Answer = TypeVar("Answer")


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
        if names.stem in ("", ".", "..", *SPELLINGS):
            raise LogError(path, f"{str(path)!r} gives the log no name", "name it, such as runs/a")
        writer = cls(names, -1, Chain(), disk, sync_every_s, clock)
        with guard(names.part, "creating the log"):
            if exists(disk, names.sealed):
                raise LogExists(names.sealed, "a sealed log has this name", "choose another name")
            writer._fd = claim(names, disk)
        writer._do("writing the header", lambda: write_all(disk, writer._fd, line))
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
        with guard(names.part, "resuming the log"):
            fd = lock_part(names, disk)
            writer = cls(names, fd, Chain(), disk, sync_every_s, clock)
            try:
                writer._chain, size, reason = valid_prefix(disk, fd)
                if writer._chain.records < 0:
                    refuse_damaged_header(names, fd, size, disk)
                    raise LogHeadless(
                        names.part, "has no whole header", "create the log anew; its bytes are kept"
                    )
                if exists(disk, names.sealed):
                    finish(names, writer._chain, disk)
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
    def size(self) -> int:
        """Bytes written."""
        return self._chain.size

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
            assert chain.tick <= tick <= TICK_MAX, "ticks never run backwards"
            assert chain.kind != "end", "nothing follows the end"
            data, head = encode_group(chain.records + 1, tick, records, chain.head)
            # An interrupt between here and the end of the block leaves us not knowing how far we are.
            self._over = "a write was interrupted"
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
            self._over = ""
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
        stays whole and readable: LogBroken; resume it and seal again. *end* gives status and reason; an end
        that stands already (`ended`) is kept as it is.
        """
        chain = self._chain
        if not self.ended:
            at = chain.tick if tick is None else tick
            ticks = chain.ticks + (at != chain.tick or chain.ticks == 0)
            assert "log" not in end, "the writer itself says what it wrote"
            log = {"records": chain.records + 1, "active_ticks": ticks, "head": self.head}
            self.append(at, [{"kind": "end", "data": {**end, "log": log}}])
        self._do("syncing the end", lambda: again(lambda: self._disk.sync(self._fd)))
        try:
            size = self._do("sealing", lambda: publish(self.names, self._fd, chain.size, self._disk))
        except LogExists:
            self._close("another log was sealed under this name")
            raise
        self._do("removing the part", lambda: again(lambda: self._disk.unlink(self.names.part)))
        self._close("it is sealed")
        return Sealed(self.names.sealed, self.head, chain.records, chain.ticks, size)

    def abort(self) -> None:
        """Close and leave the `.part` as it is."""
        try:
            if self._unsynced and not self._over:
                self.sync()
        finally:
            self._close("it was left")

    def __enter__(self) -> LogWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.abort()

    def _cut_tail(self, size: int, reason: str) -> None:
        chain, disk = self._chain, self._disk
        kept = keep_tail(disk, self.names, self._fd, chain.size, size)
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
        fd, self._fd = self._fd, -1
        if fd >= 0:
            self._over = why
            tidy(lambda: self._disk.close(fd))
