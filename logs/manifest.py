"""The chained list of what was sealed, beside the logs: one JSON line an entry, appended under a lock.

An entry names a log (its stem), its head and number of records, and whatever the caller adds: status,
declaration, seed, facts of the machine, cuts. Lines are linked like those of a log (`logs/record.py`), and
with a key each bears a MAC too (HMAC-SHA256), so that nobody without the key can make up a manifest. The end
of the manifest itself is protected by nothing here: publish its head (a commit, an archive) where that matters.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from logs.disk import (
    CREATE,
    DISK,
    UPDATE,
    Disk,
    again,
    broken_if_failing,
    open_file,
    open_to_read,
    read_all,
    write_all,
)
from logs.faults import LogBusy, LogDamaged, LogError, LogExists
from logs.lines import lines_from
from logs.record import LINK_BYTES, NO_HEAD, Flaw, encode_plain, link, link_of, linked

LOCK_TRIES = 500
LOCK_PAUSE_S = 0.01
MAC_BYTES = 73  # ,"mac":"<64 hex>"


@dataclass(frozen=True, slots=True)
class ManifestCheck:
    """`entry` and `byte` are where the first bad entry starts; `head` is that of the good ones before it."""

    ok: bool
    entries: int
    head: str
    entry: int | None = None
    byte: int | None = None
    reason: str = ""


@dataclass(slots=True)
class _State:
    entries: int = 0
    size: int = 0
    head: bytes = NO_HEAD


class Manifest:
    """One manifest file. It is opened for each call only, so many processes may append to it."""

    def __init__(self, path: Path, *, key: bytes | None = None, disk: Disk = DISK) -> None:
        self.path = path
        self._key = key
        self._disk = disk

    def append(self, entry: dict[str, Any]) -> str:
        """Append *entry* and put it on the disk; return the new head.

        An entry with a `head` is a result: it names the `log` by its stem, with the number of `records`.
        Entries without one (cuts, attempts, remarks) are as the caller likes. Raises LogExists if a result of
        this log is listed already, LogDamaged if the manifest is, LogBusy, LogBroken. A line torn by a dying
        process is cut first: it was never acknowledged.
        """
        with broken_if_failing(self.path, "appending to the manifest"):
            fd = self._open()
            try:
                self._lock(fd)
                return self._append(fd, entry)
            finally:
                self._disk.close(fd)

    def entries(self) -> Iterator[dict[str, Any]]:
        """Yield every entry. Raises LogDamaged where the chain breaks; a torn last line is not there."""
        state = _State()
        with self._reading() as (fd, size):
            yield from self._walk(fd, size, state)

    def find(self, log: str) -> dict[str, Any] | None:
        """Return the result entry of the log with this stem, or None."""
        return next(
            (entry for entry in self.entries() if is_result(entry) and entry["log"] == log),
            None,
        )

    def check(self) -> ManifestCheck:
        """Verify every line, and its MAC if there is a key."""
        state = _State()
        with self._reading() as (fd, size):
            try:
                for _ in self._walk(fd, size, state):
                    pass
            except LogDamaged as damage:
                return ManifestCheck(
                    False, state.entries, state.head.hex(), state.entries + 1, state.size, damage.problem
                )
        if state.size != size:
            return ManifestCheck(
                False,
                state.entries,
                state.head.hex(),
                state.entries + 1,
                state.size,
                "the last entry is torn",
            )
        return ManifestCheck(True, state.entries, state.head.hex())

    def _open(self) -> int:
        try:
            return open_file(self._disk, self.path, UPDATE)
        except FileNotFoundError:
            pass
        try:
            fd = again(lambda: self._disk.open(self.path, CREATE))
        except FileExistsError:  # another process was faster
            return open_file(self._disk, self.path, UPDATE)
        except FileNotFoundError:
            raise LogError(self.path, "its folder does not exist", "make the folder first") from None
        again(lambda: self._disk.sync_folder(self.path.parent))
        return fd

    def _lock(self, fd: int) -> None:
        for _ in range(LOCK_TRIES):
            if again(lambda: self._disk.lock(fd, shared=False)):
                return
            self._disk.pause(LOCK_PAUSE_S)
        raise LogBusy(self.path, "another process holds the manifest", "wait for it, or stop it")

    def _append(self, fd: int, entry: dict[str, Any]) -> str:
        state = _State()
        size = again(lambda: self._disk.status(fd)).st_size
        for known in self._walk(fd, size, state):
            if is_result(entry) and is_result(known) and known["log"] == entry["log"]:
                raise LogExists(
                    self.path, f"{entry.get('log')} is listed as sealed", "a result is never replaced"
                )
        assert not {"n", "mac", "h"} & entry.keys(), "the manifest itself sets n, mac and h"
        assert not is_result(entry) or entry.keys() >= {"log", "records"}, (
            "a result names log, head and records"
        )
        text = encode_plain({"n": state.entries + 1, **entry}, "a manifest entry")
        if self._key is not None:
            text = f'{text[:-1]},"mac":"{_mac(self._key, state.head, text[:-1].encode("utf-8"))}"}}'
        line, head = linked(text, state.head)
        if state.size != size:
            again(lambda: self._disk.truncate(fd, state.size))
        write_all(self._disk, fd, line)
        again(lambda: self._disk.sync(fd))
        return head.hex()

    def _walk(self, fd: int, size: int, state: _State) -> Iterator[dict[str, Any]]:
        """Yield entries while they verify, moving *state* on. Raises LogDamaged."""
        try:
            for line in lines_from(partial(read_all, self._disk, fd), 0, size):
                entry = self._verify(line, state)
                state.entries += 1
                state.size += len(line)
                yield entry
        except Flaw as flaw:
            raise LogDamaged(
                self.path,
                f"entry {state.entries + 1}: {flaw.reason}",
                record=state.entries + 1,
                byte=state.size,
            ) from None

    def _verify(self, line: bytes, state: _State) -> dict[str, Any]:
        head = link_of(line)
        covered = line[:-LINK_BYTES]
        if head is None or link(state.head, covered) != head:
            raise Flaw("the bytes do not match their digest")
        if self._key is not None:
            base, stated = covered[:-MAC_BYTES], covered[-MAC_BYTES:]
            expected = f',"mac":"{_mac(self._key, state.head, base)}"'.encode("ascii")
            if not hmac.compare_digest(stated, expected):
                raise Flaw("the entry was not written with this key")
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            raise Flaw("the entry is not JSON") from None
        if not isinstance(entry, dict) or entry.get("n") != state.entries + 1:
            raise Flaw(f"entry {state.entries + 1} is missing")
        state.head = head
        return entry

    @contextmanager
    def _reading(self) -> Iterator[tuple[int, int]]:
        """Give (descriptor, size). A writer appends whole lines, so readers take no lock."""
        fd = open_to_read(self._disk, self.path)
        try:
            with broken_if_failing(self.path, "reading the manifest"):
                yield fd, again(lambda: self._disk.status(fd)).st_size
        finally:
            self._disk.close(fd)


def is_result(entry: dict[str, Any]) -> bool:
    """Say whether *entry* vouches for a sealed log."""
    return "head" in entry


def _mac(key: bytes, previous: bytes, content: bytes) -> str:
    return hmac.new(key, previous + content, sha256).hexdigest()
