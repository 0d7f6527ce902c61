"""The sealed form: seekable zstd that `zstdcat` reads, with an index of ours in a frame that others skip.

Layout
======
    data frames     each whole groups of lines, about LINES lines, its own checksum and content size
    index frame     skippable: for each data frame its first tick (8 bytes) and blake2b-64 of its stored
                    bytes, then blake2b-128 of all that
    seek table      skippable, the standard one: sizes of every frame before it, the index frame too

Data frames are found by the seek table, verified by the index, and both are rebuilt and compared by `check`,
so no byte of the file can change unseen. When the table is gone, the frames can still be walked one by one.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import accumulate

import zstandard

from logs.record import LINE_MAX, Flaw

LEVEL = 3
LINES = 200
"""Lines a frame: small enough to seek in under a millisecond, large enough to cost no space (measured)."""
FRAME_BYTES = 1 << 20
"""A frame ends early when its lines reach this."""
FRAME_BYTES_MAX = 8 * LINE_MAX

DATA_MAGIC = 0xFD2FB528
INDEX_MAGIC = 0x184D2A5D
TABLE_MAGIC = 0x184D2A5E
FOOTER_MAGIC = 0x8F92EAB1
SKIP = struct.Struct("<II")
ENTRY = struct.Struct("<Q8s")
SIZES = struct.Struct("<II")
FOOTER = struct.Struct("<IBI")

Read = Callable[[int, int], bytes]
"""(size, offset) -> up to *size* bytes; fewer only at the end of the file."""


def is_sealed(head: bytes) -> bool:
    """Say whether a file that begins with *head* (4 bytes) is compressed."""
    return head[:4] == struct.pack("<I", DATA_MAGIC)


@dataclass(slots=True)
class Index:
    """Where each data frame lies and at which tick it begins."""

    offsets: list[int] = field(default_factory=lambda: [0])
    """Start of each data frame, and the end of the last."""
    sizes: list[int] = field(default_factory=list)
    """Bytes of lines in each data frame."""
    ticks: list[int] = field(default_factory=list)
    digests: list[bytes] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.sizes)

    def add(self, tick: int, stored: bytes, content_bytes: int) -> None:
        self.offsets.append(self.offsets[-1] + len(stored))
        self.sizes.append(content_bytes)
        self.ticks.append(tick)
        self.digests.append(blake2b(stored, digest_size=8).digest())

    def frame_of(self, tick: int) -> int:
        """Return the frame to read from so as to meet the first record at or after *tick*."""
        return max(bisect_left(self.ticks, tick) - 1, 0)

    def index_frame(self) -> bytes:
        entries = b"".join(map(ENTRY.pack, self.ticks, self.digests))
        payload = entries + blake2b(entries, digest_size=16).digest()
        return SKIP.pack(INDEX_MAGIC, len(payload)) + payload

    def table_frame(self) -> bytes:
        starts = self.offsets
        entries = [
            SIZES.pack(end - start, size)
            for start, end, size in zip(starts, starts[1:], self.sizes, strict=False)
        ]
        entries.append(SIZES.pack(SKIP.size + ENTRY.size * len(self) + 16, 0))
        payload = b"".join(entries) + FOOTER.pack(len(entries), 0, FOOTER_MAGIC)
        return SKIP.pack(TABLE_MAGIC, len(payload)) + payload


def compress(batches: Iterable[tuple[int, bytes]], index: Index) -> Iterator[bytes]:
    """Yield the sealed file piece by piece from (first tick, lines) batches, filling *index*."""
    compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True, write_content_size=True)
    for tick, content in batches:
        stored = compressor.compress(content)
        index.add(tick, stored, len(content))
        yield stored
    yield index.index_frame() + index.table_frame()


def decompress(stored: bytes) -> bytes:
    """Return the lines of one data frame. Raises Flaw."""
    try:
        size = zstandard.get_frame_parameters(stored).content_size
        if size > FRAME_BYTES_MAX:
            raise Flaw(f"a frame claims {size} bytes")
        return zstandard.ZstdDecompressor().decompress(stored, max_output_size=size, allow_extra_data=False)
    except (zstandard.ZstdError, MemoryError) as error:
        raise Flaw(f"a frame does not unpack: {error}") from None


def read_index(read: Read, file_bytes: int) -> Index | None:
    """Return the index, or None if table and index do not fit the file and each other."""
    if file_bytes < SKIP.size + FOOTER.size:
        return None
    count, descriptor, magic = FOOTER.unpack(read(FOOTER.size, file_bytes - FOOTER.size))
    table_bytes = SKIP.size + SIZES.size * count + FOOTER.size
    if magic != FOOTER_MAGIC or descriptor != 0 or count < 2 or table_bytes > file_bytes:
        return None
    table = read(table_bytes, file_bytes - table_bytes)
    pairs = list(SIZES.iter_unpack(table[SKIP.size : -FOOTER.size]))
    offsets = list(accumulate((size for size, _ in pairs), initial=0))
    if offsets.pop() != file_bytes - table_bytes:
        return None
    packed = read(pairs[-1][0], offsets[-1])
    entries = list(ENTRY.iter_unpack(packed[SKIP.size : -16])) if len(packed) % ENTRY.size == 8 else []
    if len(entries) != count - 1:
        return None
    index = Index(
        offsets,
        [size for _, size in pairs[:-1]],
        [tick for tick, _ in entries],
        [digest for _, digest in entries],
    )
    return index if index.index_frame() == packed and index.table_frame() == table else None


def walk_frames(read: Read, offset: int, file_bytes: int) -> Iterator[tuple[int, bytes]]:
    """Yield (offset, stored bytes) of the data frames from *offset* on, without any table.

    Ends at the first skippable frame or at the end of the file. Raises Flaw where no whole frame follows.
    """
    while offset < file_bytes:
        head = read(18, offset)
        if len(head) >= 4 and int.from_bytes(head[:4], "little") & 0xFFFFFFF0 == 0x184D2A50:
            return
        end = _frame_end(read, offset, head)
        if end > file_bytes:
            raise Flaw("the last frame is cut off")
        yield offset, read(end - offset, offset)
        offset = end


def _frame_end(read: Read, offset: int, head: bytes) -> int:
    try:
        start = offset + zstandard.frame_header_size(head)
        checksum = 4 if zstandard.get_frame_parameters(head).has_checksum else 0
    except zstandard.ZstdError as error:
        raise Flaw(f"no frame begins here: {error}") from None
    last = False
    while not last:
        block = read(3, start)
        if len(block) < 3 or start - offset > FRAME_BYTES_MAX:
            raise Flaw("the last frame is cut off")
        value = int.from_bytes(block, "little")
        last = bool(value & 1)
        start += 3 + (1 if value >> 1 & 3 == 1 else value >> 3)
    return start + checksum
