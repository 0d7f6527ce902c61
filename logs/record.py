"""One line of a log, and the chain that ties lines together. No input or output here.

Theory of operation
===================
A log is UTF-8 JSON, one value a line, LF only. Line 1 is the header; line N + 1 is the record with seq N.
The records of one active tick are written together, as a *group*. The last line of a group, and the header,
end in `,"h":"<32 hex>"}`: a blake2b hash of 128 bits over the 16 bytes of the previous h (zeros at first) and
then every byte since the line that carried it, up to the comma before this h. So each h vouches for all before.
No other line can end in `"}`, because `data`, a JSON object, comes last. Stored bytes are what is hashed;
nothing is ever encoded again to be verified.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from logs.kinds import KINDS, SCHEMA_VERSION

FORMAT = "oneroom.log"
ENCODER = "json-stdlib-utf8-1"
"""Names the one encoder of a log, for the manifest: stdlib json, no ASCII escapes, no spaces, no NaN."""

NO_HEAD = bytes(16)
LINK_BYTES = 41  # ,"h":"<32 hex>"}\n

TEXT_MAX = 512 * 1024
"""Most UTF-8 bytes of one text in a record: a model reply (256 KiB) fits, in base64 too."""
LINE_MAX = 64 * 1024 * 1024
"""Most bytes of one line. Readers refuse longer ones before they ask for the memory."""
TICK_MAX = (1 << 63) - 1

RECORD_KEYS = {"kind", "id", "causes", "data", "tick"}
HEX = re.compile(rb"[0-9a-f]{32}")
PREFIX = re.compile(rb'\{"seq":(0|[1-9][0-9]{0,18}),"tick":(0|[1-9][0-9]{0,18}),"kind":"([a-z_]+)","id":')

FAULTS = (ValueError, TypeError, RecursionError)
"""What the encoder raises for NaN, lone surrogates, values that are no JSON, and values without bottom."""

_encode = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":"), sort_keys=False
).encode


class Flaw(Exception):
    """The next group is not what was written. The chain that raises it stands at the last good group."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def link(previous: bytes, covered: bytes) -> bytes:
    """Return the head after *covered*, 16 bytes."""
    chain = blake2b(previous, digest_size=16)
    chain.update(covered)
    return chain.digest()


def link_of(line: bytes) -> bytes | None:
    """Return the head that *line* carries, or None."""
    if line[-3:] != b'"}\n' or line[-LINK_BYTES:-35] != b',"h":"':
        return None
    digits = line[-35:-3]
    # One spelling only: a digest in capitals is a changed byte.
    return bytes.fromhex(digits.decode("ascii")) if HEX.fullmatch(digits) else None


def linked(text: str, previous: bytes) -> tuple[bytes, bytes]:
    """Return *text* (lines, the last without its newline) as bytes with a link on it, and the new head."""
    covered = text[:-1].encode("utf-8")
    head = link(previous, covered)
    return b'%b,"h":"%b"}\n' % (covered, head.hex().encode("ascii")), head


def encode_header(header: dict[str, Any]) -> tuple[bytes, bytes]:
    """Return line 1 and its head. Raises ValueError for what cannot be written."""
    for key, value in (("format", FORMAT), ("schema", SCHEMA_VERSION)):
        assert header.get(key, value) == value, f"the log itself sets {key}"
    assert "h" not in header, "the log itself sets h"
    return linked(encode_plain({"format": FORMAT, "schema": SCHEMA_VERSION, **header}, "the header"), NO_HEAD)


def encode_group(
    seq: int, tick: int, records: Sequence[dict[str, Any]], previous: bytes
) -> tuple[bytes, bytes]:
    """Return the lines of one active tick, seq counting from *seq*, and the new head.

    Raises ValueError, naming the record, for NaN, infinity, lone surrogates, text or lines over the limit
    and values that JSON does not know. Nothing of the tick is written then.
    """
    lines = []
    for record in records:
        kind = record["kind"]
        assert kind in KINDS, f"{kind!r} is no kind of record; add it to logs/kinds.py"
        assert RECORD_KEYS.issuperset(record), f"a {kind} record has keys {sorted(record)}"
        assert record.get("tick", tick) == tick, f"a {kind} record of another tick"
        content = record.get("data") or {}
        assert type(content) is dict, f"data of a {kind} record is an object"
        rest = {"id": record.get("id", ""), "causes": record.get("causes", ()), "data": content}
        try:
            text = _encode(rest)
            if len(text) * 4 > TEXT_MAX:
                _check_sizes(rest, len(text.encode("utf-8")))
        except FAULTS as error:
            raise _refusal(f"a {kind} record at tick {tick}", error) from None
        lines.append(f'{{"seq":{seq},"tick":{tick},"kind":"{kind}",{text[1:]}')
        seq += 1
    try:
        return linked("\n".join(lines), previous)
    except UnicodeEncodeError as error:
        raise _refusal(f"a record at tick {tick}", error) from None


def encode_plain(value: dict[str, Any], what: str) -> str:
    """Return *value* as one line of JSON without link or newline. Raises ValueError, naming *what*."""
    try:
        text = _encode(value)
        _check_sizes(value, len(text.encode("utf-8")))
    except FAULTS as error:
        raise _refusal(what, error) from None
    return text


def _refusal(what: str, error: Exception) -> ValueError:
    return ValueError(f"{what} cannot be written: {error or type(error).__name__}")


def _check_sizes(value: Any, line_bytes: int) -> None:
    """Refuse a line, or a text in *value*, that is over the limit."""
    if line_bytes > LINE_MAX - LINK_BYTES:
        raise ValueError(f"{line_bytes} bytes in one line, at most {LINE_MAX}")
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if len(one) * 4 > TEXT_MAX and len(one.encode("utf-8")) > TEXT_MAX:
                raise ValueError(f"a text of {len(one.encode('utf-8'))} bytes, at most {TEXT_MAX}")
        elif isinstance(one, dict):
            waiting.extend(one)
            waiting.extend(one.values())
        elif isinstance(one, (list, tuple)):
            waiting.extend(one)


def read_header(line: bytes) -> dict[str, Any]:
    """Return the header that *line* holds, its link checked. Raises Flaw."""
    head = link_of(line)
    if head is None or link(NO_HEAD, line[:-LINK_BYTES]) != head:
        raise Flaw("the header does not bear its own digest")
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        raise Flaw("the header is not JSON") from None
    if (
        not isinstance(header, dict)
        or header.get("format") != FORMAT
        or type(header.get("schema")) is not int
    ):
        raise Flaw("the first line is no header of a log")
    del header["h"]
    return header


def groups(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Yield lines in groups that end in a link. What follows the last link is not yielded."""
    group: list[bytes] = []
    size = 0
    for line in lines:
        group.append(line)
        size += len(line)
        if link_of(line) is not None:
            yield group
            group, size = [], 0
        elif size > 4 * LINE_MAX:
            raise Flaw("no digest for too long")


@dataclass(slots=True)
class Chain:
    """How far a log is verified. `take` moves it on by one group or raises Flaw and leaves it where it is."""

    head: bytes = NO_HEAD
    records: int = -1
    """seq of the last verified record; the header counts as 0. -2: not known, the next group tells."""
    tick: int = 0
    """Last verified tick."""
    ticks: int = 0
    """Verified active ticks."""
    size: int = 0
    """Verified bytes, from where the chain began."""
    kind: str = ""
    """Kind of the last verified record."""

    def take(self, group: list[bytes], kinds: dict[str, int] | None = None) -> None:
        """Verify *group* and move on. *kinds*, if given, counts the kinds met."""
        whole = b"".join(group)
        head = link_of(group[-1])
        if head is None:
            raise Flaw("the tick is not complete")
        if link(self.head, whole[:-LINK_BYTES]) != head:
            raise Flaw("the bytes do not match their digest")
        if self.records == -1:
            read_header(whole)
            self.records, self.head, self.size = 0, head, len(whole)
            return
        seq, tick, kind = self.records, -1, ""
        for line in group:
            match = PREFIX.match(line)
            if match is None:
                raise Flaw("a line is no record")
            stated, at, kind = int(match[1]), int(match[2]), match[3].decode("ascii")
            if seq != -2 and stated != seq + 1:
                raise Flaw(f"record {stated} stands where {seq + 1} belongs")
            if tick not in (-1, at) or at < self.tick:
                raise Flaw("ticks run backwards or mix")
            if self.kind == "end":
                raise Flaw("records follow the end")
            seq, tick = stated, at
            if kinds is not None:
                kinds[kind] = kinds.get(kind, 0) + 1
        self.ticks += tick != self.tick or self.ticks == 0
        self.records, self.tick, self.kind, self.head = seq, tick, kind, head
        self.size += len(whole)
