"""Verifies a log from its stored bytes, and says where it is damaged. Nothing is encoded again.

Where: in a running or torn log the tick (record and byte at which it starts), in a sealed one also the frame.
What no chain can see, a clean cut of the tail or a file made up anew with a chain of its own, the manifest
shows: it keeps the head and the number of records (`logs/manifest.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

from logs.disk import DISK, Disk, again, broken_if_failing, open_to_read, read_all
from logs.frames import Index, Read, decompress, is_sealed, read_index, walk_frames
from logs.kinds import KINDS
from logs.lines import lines_from
from logs.manifest import Manifest
from logs.names import found, names_of
from logs.reader import split_lines
from logs.record import LINE_MAX, PREFIX, Chain, Flaw, groups


@dataclass(frozen=True, slots=True)
class Damage:
    """The first place at which the bytes are not those that were written."""

    record: int | None
    """seq of the first record of the first bad tick (0: the header); None: only the container is damaged."""
    tick: int | None
    """Tick of that record as far as it can be told; never before `after_tick`."""
    byte: int | None
    """Byte of the file at which the bad tick, or in a sealed log the bad frame, starts."""
    frame: int | None
    """Number of the frame in a sealed log, index and seek table counted too."""
    reason: str
    after_tick: int = 0
    """Last verified tick."""
    torn: bool = False
    """True when nothing but an incomplete last tick is wrong, as after a crash: `resume` mends that."""


@dataclass(frozen=True, slots=True)
class Check:
    """What a verification found. Counts are those of the verified prefix."""

    ok: bool
    ticks: int
    records: int
    sealed: bool
    damage: Damage | None
    head: str
    unknown_kinds: tuple[str, ...] = ()
    """Kinds that the table does not have: written by another version, or by another hand."""
    in_manifest: bool | None = None
    """Whether the manifest knows the log; None if none was given."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(slots=True)
class _Progress:
    chain: Chain = field(default_factory=Chain)
    kinds: dict[str, int] = field(default_factory=dict)

    def damage(
        self,
        reason: str,
        *,
        byte: int | None = None,
        frame: int | None = None,
        near: Iterable[bytes] = (),
        torn: bool = False,
    ) -> Damage:
        chain = self.chain
        stated = [int(match[2]) for match in map(PREFIX.match, near) if match and int(match[2]) >= chain.tick]
        return Damage(
            chain.records + 1,
            min(stated, default=chain.tick),
            chain.size if byte is None else byte,
            frame,
            reason,
            chain.tick,
            torn,
        )


def check(path: Path, manifest: Path | None = None, *, key: bytes | None = None, disk: Disk = DISK) -> Check:
    """Verify the log at *path*, against *manifest* too if given. Raises LogError if nothing can be read."""
    path = found(path, disk)
    fd = open_to_read(disk, path)
    progress = _Progress()
    try:
        with broken_if_failing(path, "verifying"):
            size = again(lambda: disk.status(fd)).st_size
            read = partial(read_all, disk, fd)
            # A flip in the first four bytes of a sealed log must not turn it into a torn one: go by the name too.
            sealed = is_sealed(read(4, 0)) or path.name.endswith(".zst")
            damage = _check_sealed(read, size, progress) if sealed else _check_part(read, size, progress)
            if damage is not None and damage.torn and _is_written(disk, fd):
                damage = None  # a tick on its way
    finally:
        disk.close(fd)
    known = None
    if manifest is not None:
        known, damage = _check_manifest(path, Manifest(manifest, key=key, disk=disk), progress, damage)
    chain = progress.chain
    unknown = tuple(sorted(progress.kinds.keys() - KINDS.keys()))
    return Check(
        damage is None, chain.ticks, max(chain.records, 0), sealed, damage, chain.head.hex(), unknown, known
    )


def _check_part(read: Read, size: int, progress: _Progress) -> Damage | None:
    lines = lines_from(read, 0, size)
    try:
        for group in groups(lines):
            try:
                progress.chain.take(group, progress.kinds)
            except Flaw as flaw:
                following = next(groups(lines), [])
                return progress.damage(flaw.reason, near=[*group, *following])
    except Flaw as flaw:
        return progress.damage(flaw.reason)
    rest = size - progress.chain.size
    if rest == 0 and size:
        return None
    near = split_lines(read(min(rest, LINE_MAX), progress.chain.size))
    return progress.damage(f"the last {rest} bytes are no complete tick", near=near, torn=True)


def _is_written(disk: Disk, fd: int) -> bool:
    if not disk.lock(fd, shared=True):
        return True
    disk.unlock(fd)
    return False


def _check_sealed(read: Read, size: int, progress: _Progress) -> Damage | None:
    index = read_index(read, size)
    frames = walk_frames(read, 0, size) if index is None else _indexed(read, index)
    found = Index()
    number, offset = -1, 0
    try:
        for number, (offset, stored) in enumerate(frames):
            damage = _check_frame(number, offset, stored, index, found, progress)
            if damage is not None:
                return damage
    except Flaw as flaw:
        if progress.chain.kind != "end":
            return progress.damage(flaw.reason, byte=found.offsets[-1], frame=number + 1)
    if progress.chain.kind != "end":
        return progress.damage("it stops before its end record", byte=found.offsets[-1], frame=len(found))
    return _check_container(read, size, found)


def _indexed(read: Read, index: Index) -> Iterator[tuple[int, bytes]]:
    for start, end in zip(index.offsets, index.offsets[1:], strict=False):
        yield start, read(end - start, start)


def _check_frame(
    number: int, offset: int, stored: bytes, index: Index | None, found: Index, progress: _Progress
) -> Damage | None:
    def bad(reason: str, near: Iterable[bytes] = ()) -> Damage:
        return progress.damage(reason, byte=offset, frame=number, near=near)

    if index is not None and blake2b(stored, digest_size=8).digest() != index.digests[number]:
        return bad("the bytes of the frame do not match their digest")
    try:
        lines = split_lines(decompress(stored))
    except Flaw as flaw:
        return bad(flaw.reason)
    first = PREFIX.match(lines[0]) if lines else None
    found.add(int(first[2]) if first else 0, stored, sum(map(len, lines)))
    taken = 0
    for group in groups(lines):
        try:
            progress.chain.take(group, progress.kinds)
        except Flaw as flaw:
            return bad(flaw.reason, near=group)
        taken += len(group)
    return None if taken == len(lines) else bad("the frame ends within a tick", near=lines[taken:])


def _check_container(read: Read, size: int, found: Index) -> Damage | None:
    """Every record is verified; index and table must be what they would be if written now."""
    offset, number = found.offsets[-1], len(found)
    for name, expected in (("index", found.index_frame()), ("seek table", found.table_frame())):
        if read(len(expected), offset) != expected:
            return Damage(
                None, None, offset, number, f"the {name} does not fit the records; all of them are verified"
            )
        offset += len(expected)
        number += 1
    if offset != size:
        return Damage(
            None,
            None,
            offset,
            number,
            f"{size - offset} bytes follow the seek table; all records are verified",
        )
    return None


def _check_manifest(
    path: Path, manifest: Manifest, progress: _Progress, damage: Damage | None
) -> tuple[bool, Damage | None]:
    listed = manifest.check()
    if not listed.ok:
        return False, damage or Damage(None, None, None, None, f"the manifest is damaged: {listed.reason}")
    entry = manifest.find(names_of(path).stem)
    if entry is None:
        return False, damage
    chain = progress.chain
    if damage is not None or entry["head"] == chain.head.hex():
        return True, damage
    if chain.records < entry["records"]:
        reason = f"the tail was cut: the manifest knows {entry['records']} records"
    else:
        reason = f"the manifest knows another log of this name, with head {entry['head']}: it was rewritten"
        return True, Damage(None, None, None, None, reason)
    return True, progress.damage(reason)
