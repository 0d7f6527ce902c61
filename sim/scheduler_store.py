"""Where the scheduler keeps what it learned: plain snapshots (reference) and a signed ledger (ours).

The ledger of a namespace is a state and the events since, both signed:

    NAME.head            which generation is in force
    NAME.GEN.state       the state at its start
    NAME.GEN.events      one line per turn; each is signed together with the one before
    NAME.lock            held for the length of a turn

A turn's events are one line, written by one write and synced, so they are there whole or
not at all. A killed writer can leave at most an unfinished last line, which the next turn
sets aside. A new generation is written beside the old one and put in force by one rename.
Files put back to an older state as a whole are seen by a process that has read the newer
one; a process that begins on them can't tell. No file is reached through a link.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import hmac
import json
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.scheduler.ledger import Event, State
from agent.scheduler.reading import Refused

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")
_NAME_MAX = 80


class PlainStore:
    """The reference's store: one plain JSON file per namespace, written in place."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, namespace: str) -> dict[str, Any] | None:
        """Return the snapshot of *namespace*; a file that cannot be read counts as none."""
        return self.load_file(plain_name(namespace))

    def load_file(self, name: str) -> dict[str, Any] | None:
        """Return the snapshot in the file *name*."""
        try:
            found = json.loads((self.folder / name).read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def save(self, namespace: str, state: dict[str, Any]) -> None:
        """Write the snapshot of *namespace* in place."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / plain_name(namespace)).write_text(json.dumps(state, ensure_ascii=False), "utf-8")


class SignedLedger:
    """A ledger on disk. Any number of processes may share a folder and a key."""

    def __init__(self, folder: Path, key: str) -> None:
        self.folder = folder
        self._key = key
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    @contextmanager
    def turn(self, namespace: str, cursor: str) -> Iterator[LedgerTurn]:
        """Wait for, then hold, *namespace*. Raises Refused("store_damaged") and leaves the files alone."""
        stem = ledger_name(namespace)
        key = hmac.new(self._key.encode(), f"store\n{namespace}".encode(), hashlib.sha256).digest()
        lock = _open(self.folder / f"{stem}.lock", os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield LedgerTurn.begin(self.folder, stem, key, cursor, self.folder / plain_name(namespace))
        finally:
            os.close(lock)


@dataclass(slots=True)
class LedgerTurn:
    """One exclusive turn. Lives only while the lock is held."""

    folder: Path
    stem: str
    key: bytes
    generation: int
    offset: int
    chain: str
    start: State | None

    @classmethod
    def begin(cls, folder: Path, stem: str, key: bytes, cursor: str, legacy: Path) -> LedgerTurn:
        """Return the turn of a reader who stands at *cursor*."""
        generation = _generation(folder / f"{stem}.head", key)
        turn = cls(folder, stem, key, generation, 0, "", None)
        seen, _, rest = cursor.partition(":")
        if cursor and int(seen) > generation:
            raise _put_back(stem)
        if cursor and int(seen) == generation:
            offset, _, chain = rest.partition(":")
            turn.offset, turn.chain = int(offset), chain
            if turn._length() < turn.offset:
                raise _put_back(stem)
            return turn
        turn.chain = turn.seal(f"start {generation}".encode())
        if generation > 0:
            turn.start = turn._stored_state()
        elif not cursor and len(legacy.name) < _NAME_MAX * 2 and legacy.is_file():
            turn.start = _legacy(legacy)
        return turn

    def news(self) -> tuple[State | None, list[Event]]:
        """Return what the reader has not seen: a state to start over from, or none, and events."""
        events: list[Event] = []
        path = self._events_path()
        raw = _read(path, self.offset)
        if raw is None:
            return self.start, events
        place = 0
        while place < len(raw):
            end = raw.find(b"\n", place)
            part = self._opened(raw[place:end]) if end >= 0 else None
            if part is None:
                self._set_aside(path, raw[place:], last=end < 0 or end + 1 == len(raw))
                break
            events.extend(part)
            place = end + 1
        self.offset += place
        return self.start, events

    def append(self, events: list[Event]) -> None:
        """Add events as one signed line, synced before this returns."""
        body = json.dumps(events, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()
        chain = self.seal(self.chain.encode() + body)
        line = b'{"h":"' + chain.encode() + b'","e":' + body + b"}\n"
        file = _open(self._events_path(), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            left = line
            while left:
                left = left[os.write(file, left) :]
            os.fsync(file)
        finally:
            os.close(file)
        self.chain = chain
        self.offset += len(line)

    def compact(self, state: State) -> None:
        """Put *state* in force as a new generation; the old one is removed afterwards."""
        old = self.generation
        fresh = old + 1
        body = json.dumps(state, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()
        seal = self.seal(f"state {fresh} ".encode() + body).encode()
        self._events_path(fresh).unlink(missing_ok=True)
        _replace(self._state_path(fresh), b'{"h":"' + seal + b'","state":' + body + b"}\n")
        _replace(self.folder / f"{self.stem}.head", _head(fresh, self.key))
        self._state_path(old).unlink(missing_ok=True)
        self._events_path(old).unlink(missing_ok=True)
        self.generation, self.offset = fresh, 0
        self.chain = self.seal(f"start {fresh}".encode())

    def cursor(self) -> str:
        """Return where the reader now stands."""
        return f"{self.generation}:{self.offset}:{self.chain}"

    def seal(self, text: bytes) -> str:
        """Return the signature of *text* under the namespace's key."""
        return hmac.new(self.key, text, hashlib.sha256).hexdigest()

    def _opened(self, line: bytes) -> list[Event] | None:
        """Return the events of a whole line and move the chain on; None if it isn't one of ours."""
        head, tail = b'{"h":"', b'","e":'
        chain, body = line[len(head) : len(head) + 64], line[len(head) + 64 + len(tail) : -1]
        if not line.startswith(head) or not line.endswith(b"}"):
            return None
        expected = self.seal(self.chain.encode() + body)
        if not hmac.compare_digest(expected.encode(), chain):
            return None
        self.chain = expected
        events: list[Event] = json.loads(body)
        return events

    def _set_aside(self, path: Path, tail: bytes, *, last: bool) -> None:
        if not last:
            raise Refused(
                "store_damaged",
                f"{path.name}: a line in the middle does not bear our signature; "
                f"nothing was changed. Move {self.stem}.* away to begin anew",
            )
        count = len(list(self.folder.glob(f"{self.stem}.torn-*"))) + 1
        _replace(self.folder / f"{self.stem}.torn-{count}", tail)
        with path.open("r+b") as file:
            file.truncate(path.stat().st_size - len(tail))
            file.flush()
            os.fsync(file.fileno())

    def _stored_state(self) -> State:
        path = self._state_path(self.generation)
        raw = _read(path)
        if raw is None:
            raise Refused("store_damaged", f"{path.name} is missing; nothing was changed. Move {self.stem}.* away to begin anew")
        head, tail = b'{"h":"', b'","state":'
        seal, body = raw[len(head) : len(head) + 64], raw[len(head) + 64 + len(tail) : -2]
        expected = self.seal(f"state {self.generation} ".encode() + body).encode()
        if not hmac.compare_digest(expected, seal):
            raise Refused(
                "store_damaged",
                f"{path.name}: does not bear our signature (another key, or changed); "
                f"nothing was changed. Move {self.stem}.* away to begin anew",
            )
        state: State = json.loads(body)
        return state

    def _length(self) -> int:
        path = self._events_path()
        return path.stat().st_size if path.exists() else 0

    def _state_path(self, generation: int) -> Path:
        return self.folder / f"{self.stem}.{generation}.state"

    def _events_path(self, generation: int | None = None) -> Path:
        return self.folder / f"{self.stem}.{self.generation if generation is None else generation}.events"


def key_in(folder: Path) -> str:
    """Return the key kept in *folder*, made on first use. Anyone who can read it can sign."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / "key"
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return _key_kept(path)
    try:
        os.write(file, secrets.token_hex(32).encode())
        os.fsync(file)
    finally:
        os.close(file)
    return _key_kept(path)


def _key_kept(path: Path) -> str:
    for _ in range(200):
        key = path.read_text("ascii").strip()
        if len(key) >= 64:
            return key
        os.sched_yield()
    raise Refused("store_damaged", f"{path}: no key in it; remove it to make a new one")


def plain_name(namespace: str) -> str:
    """Return the reference's file name of *namespace*. Two namespaces may share one."""
    return _UNSAFE.sub("_", namespace) + ".json"


def ledger_name(namespace: str) -> str:
    """Return the stem of *namespace*'s files: readable, and its own."""
    digest = hashlib.sha256(namespace.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{_UNSAFE.sub('_', namespace)[:_NAME_MAX].lstrip('.')}-{digest}"


def _generation(head: Path, key: bytes) -> int:
    raw = _read(head)
    if raw is None:
        return 0
    text, _, seal = raw.strip().partition(b" ")
    if not text.isdigit() or not hmac.compare_digest(_head(int(text), key).strip(), text + b" " + seal):
        raise Refused("store_damaged", f"{head.name}: does not bear our signature; nothing was changed")
    return int(text)


def _head(generation: int, key: bytes) -> bytes:
    text = str(generation).encode()
    return text + b" " + hmac.new(key, b"head " + text, hashlib.sha256).hexdigest().encode() + b"\n"


def _legacy(path: Path) -> State | None:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(found, dict) or not {"mu", "protos", "skills"} <= set(found):
        return None
    return {**found, "format": 0, "unsigned": True}


def _put_back(stem: str) -> Refused:
    return Refused(
        "store_damaged",
        f"{stem}.*: older than what this server has read, as if put back from a copy; nothing was changed. "
        "Restart the server to begin from the files as they are",
    )


def _open(path: Path, flags: int) -> int:
    """Open *path* itself, never what a link in its place points to."""
    try:
        return os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as fault:
        if fault.errno == errno.ELOOP:
            raise Refused("store_damaged", f"{path.name} is a link; nothing was changed. Put the file itself there") from fault
        raise


def _read(path: Path, offset: int = 0) -> bytes | None:
    """Return the bytes of *path* from *offset* on, None where there is no such file."""
    try:
        file = _open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    with os.fdopen(file, "rb") as opened:
        opened.seek(offset)
        return opened.read()


def _replace(path: Path, content: bytes) -> None:
    aside = path.with_name(path.name + ".new")
    file = _open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        left = content
        while left:
            left = left[os.write(file, left) :]
        os.fsync(file)
    finally:
        os.close(file)
    aside.replace(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
