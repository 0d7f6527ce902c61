"""Whatever is changed in a log is found, and located: by tick while it runs, by frame and record once sealed."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path

import pytest
from logs_cases import END, HEADER, Memory, a_run, layout, write_log, write_part

from logs.check import Check, Damage, check
from logs.faults import LogDamaged, LogHeadless
from logs.frames import DATA_MAGIC, read_index
from logs.manifest import Manifest
from logs.reader import open_log
from logs.record import LINK_BYTES, PREFIX, linked
from logs.writer import LogWriter

PART, SEALED = Path("a.jsonl.part"), Path("a.jsonl.zst")


def part_bytes(tmp_path: Path, size: int = 15_000) -> bytes:
    """Return a running log of about *size* bytes."""
    ticks = size // 340
    write_part(tmp_path / "a", a_run(ticks)).abort()
    content = (tmp_path / PART).read_bytes()
    assert size * 0.7 < len(content) < size * 1.3
    return content


def sealed_bytes(tmp_path: Path, size: int = 15_000) -> bytes:
    content = write_log(tmp_path / "a", a_run(size // 42, 1)).path.read_bytes()
    assert size * 0.7 < len(content) < size * 1.3
    return content


def found(path: Path, content: bytes) -> Damage:
    damage = check(path, disk=Memory(content)).damage
    assert damage is not None
    return damage


def flips(content: bytes, bits: range | None = None) -> list[tuple[int, bytes]]:
    """Return (byte, changed content) lazily enough for one bit of every byte, another bit each time."""
    changed = bytearray(content)
    for at in range(len(content)):
        for bit in bits or range(at % 8, at % 8 + 1):
            changed[at] ^= 1 << bit
            yield at, bytes(changed)  # type: ignore[misc]
            changed[at] ^= 1 << bit


def check_flips_of_part(content: bytes, bits: range | None = None) -> None:
    ticks = list(layout(content))
    seqs = list(itertools.accumulate((len(lines) for _, _, lines in ticks), initial=0))
    starts = [start for start, _, _ in ticks]
    number = 0
    for at, changed in flips(content, bits):
        while number + 1 < len(starts) and starts[number + 1] <= at:
            number += 1
        start, _, lines = ticks[number]

        damage = found(PART, changed)

        record = seqs[number] if number else 0
        assert (damage.record, damage.byte, damage.frame) == (record, start, None), f"byte {at}"
        assert damage.after_tick == 3 * max(number - 1, 0), f"byte {at}"
        if number > 0 and not _in_tick(lines, at - start):
            assert damage.tick == 3 * number, f"byte {at}"


def _in_tick(lines: list[bytes], at: int) -> bool:
    """Say whether byte *at* of a tick stands in what tells the tick of its first records."""
    offset = 0
    for line in lines:
        match = PREFIX.match(line)
        if match and offset <= at < offset + match.end():
            return True
        offset += len(line)
    return False


def check_flips_of_sealed(content: bytes, bits: range | None = None) -> None:
    index = read_index(lambda size, offset: content[offset : offset + size], len(content))
    assert index is not None
    assert len(index) > 1
    firsts = [PREFIX.match(lines[0]) for lines in _frames(content)]
    records = [int(first[1]) if first else 0 for first in firsts]
    containers = (index.offsets[-1], index.offsets[-1] + len(index.index_frame()))
    for at, changed in flips(content, bits):
        damage = found(SEALED, changed)

        if at < containers[0]:
            frame = max(number for number in range(len(index)) if index.offsets[number] <= at)
            expected = (records[frame], frame, index.offsets[frame])
        else:
            table = at >= containers[1]
            expected = (None, len(index) + table, containers[table])  # type: ignore[assignment]
        assert (damage.record, damage.frame, damage.byte) == expected, f"byte {at}"


def _frames(content: bytes) -> list[list[bytes]]:
    index = read_index(lambda size, offset: content[offset : offset + size], len(content))
    assert index is not None
    with open_log(SEALED, disk=Memory(content)) as log:
        return [log._frame(index, number) for number in range(len(index))]


def test_every_byte_of_a_running_log_counts(tmp_path: Path) -> None:
    check_flips_of_part(part_bytes(tmp_path))


def test_every_byte_of_a_sealed_log_counts(tmp_path: Path) -> None:
    check_flips_of_sealed(sealed_bytes(tmp_path))


@pytest.mark.campaign
def test_every_bit_of_three_logs_counts(tmp_path: Path) -> None:
    for size in (9_000, 11_000, 15_000):
        folder = tmp_path / str(size)
        folder.mkdir()
        check_flips_of_part(part_bytes(folder, size), range(8))
        (folder / PART).unlink()
        check_flips_of_sealed(sealed_bytes(folder, size), range(8))


def test_a_cut_at_any_byte_leaves_the_whole_ticks_before_it(tmp_path: Path) -> None:
    content = part_bytes(tmp_path)
    ends = [end for _, end, _ in layout(content)]
    whole = [json.loads(line) for line in content.splitlines()[1:]]
    for size in range(len(content)):
        complete = sum(end <= size for end in ends)
        disk = Memory(content[:size])

        checked = check(PART, disk=disk)

        assert checked.ok == (size in ends), f"cut at {size}"
        assert checked.records == max(complete - 1, 0) * 2, f"cut at {size}"
        assert checked.damage is None or checked.damage.torn or complete == 0
        if size % 97 == 0 or size in ends:
            if complete == 0:
                with pytest.raises(LogHeadless):
                    open_log(PART, disk=disk)
            else:
                with open_log(PART, disk=disk) as log:
                    got = [record["id"] for record in log.records()]
                    assert got == [record["id"] for record in whole[: (complete - 1) * 2]]


def test_a_sealed_log_cut_at_any_byte_is_found_out(tmp_path: Path) -> None:
    content = sealed_bytes(tmp_path, 8_000)
    index = read_index(lambda size, offset: content[offset : offset + size], len(content))
    assert index is not None
    lines = [len(frame) for frame in _frames(content)]
    for size in range(4, len(content)):
        checked = check(SEALED, disk=Memory(content[:size]))

        complete = sum(end <= size for end in index.offsets[1:])
        assert not checked.ok, f"cut at {size}"
        assert checked.records == max(sum(lines[:complete]) - 1, 0), f"cut at {size}"


def test_what_stands_before_the_cut_of_a_sealed_log_is_still_read(tmp_path: Path) -> None:
    content = sealed_bytes(tmp_path)
    index = read_index(lambda size, offset: content[offset : offset + size], len(content))
    assert index is not None
    first = len(_frames(content)[0]) - 1

    with open_log(SEALED, disk=Memory(content[: index.offsets[1] + 100])) as log:
        records = []
        with pytest.raises(LogDamaged):
            records += iter(log.records())
    with open_log(SEALED, disk=Memory(content[:-1])) as log:
        whole = list(log.records())

    assert len(records) == 0 or len(records) == first
    assert whole[-1]["kind"] == "end"


@pytest.mark.parametrize("tail", [b"\0" * 700, b"\xff" * 50, b"\n", b"{}\n", b"null\n", b"x" * 5000 + b"\n"])
def test_a_tail_of_rubbish_is_found_cut_and_kept(tmp_path: Path, tail: bytes) -> None:
    content = part_bytes(tmp_path)
    (tmp_path / PART).write_bytes(content + tail)

    damage = check(tmp_path / PART).damage
    writer, prefix = LogWriter.resume(tmp_path / "a")

    assert damage is not None
    assert (damage.byte, damage.torn) == (len(content), True)
    assert len(list(prefix.records())) == 2 * (len(list(layout(content))) - 1)
    assert (tmp_path / PART).read_bytes() == content
    assert writer.cut is not None
    assert (tmp_path / writer.cut.kept).read_bytes() == tail


def changed_records(content: bytes, change: str, at: int) -> tuple[bytes, int]:
    """Return *content* with one record, or one tick, removed, doubled, swapped or put in; and where that shows."""
    head, *lines = [line + b"\n" for line in content.split(b"\n")[:-1]]
    shows = at
    match change:
        case "delete":
            del lines[at]
        case "duplicate":
            lines.insert(at, lines[at])
            shows = at + 1
        case "swap":
            lines[at], lines[at + 1] = lines[at + 1], lines[at]
        case "insert":
            lines.insert(
                at, b'{"seq":%d,"tick":%d,"kind":"note","id":"","causes":[],"data":{}}\n' % (at + 1, at)
            )
        case "delete tick":
            del lines[at - at % 2 : at - at % 2 + 2]
            shows = at - at % 2
        case "duplicate tick":
            at -= at % 2
            lines[at:at] = lines[at : at + 2]
            shows = at + 2
        case "swap ticks":
            at -= at % 2
            lines[at : at + 4] = lines[at + 2 : at + 4] + lines[at : at + 2]
            shows = at
    return head + b"".join(lines), shows


@pytest.mark.parametrize(
    "change", ["delete", "duplicate", "swap", "insert", "delete tick", "duplicate tick", "swap ticks"]
)
def test_records_removed_doubled_swapped_or_put_in_are_found(tmp_path: Path, change: str) -> None:
    content = part_bytes(tmp_path)
    count = content.count(b"\n") - 1
    for at in range(count - 4):
        changed, shows = changed_records(content, change, at)
        damage = found(PART, changed)

        assert damage.record is not None
        # Found in the tick where it shows: its first record is at most one before.
        assert shows - 1 <= damage.record - 1 <= shows, f"{change} at record {at + 1}"


def forged(content: bytes, keep: int) -> bytes:
    """Return the log made up anew: one word changed, the chain recomputed, only *keep* ticks kept."""
    head, made = bytes(16), b""
    for _, _, lines in list(layout(content))[: keep + 1]:
        text = b"".join(lines)[:-LINK_BYTES].decode().replace('"visible":true', '"visible":null') + "}"
        line, head = linked(text, head)
        made += line
    return made


def test_a_cut_tail_and_a_forgery_are_found_through_the_manifest(tmp_path: Path) -> None:
    run = a_run(44)
    sealed = write_log(tmp_path / "a", run)
    manifest = Manifest(tmp_path / "manifest.jsonl")
    manifest.append({"log": "a", "head": sealed.head, "records": sealed.records})
    with open_log(sealed.path) as log:
        content = b"".join(log.raw_lines())
    sealed.path.unlink()
    plain = tmp_path / "a.jsonl"

    def verdict(changed: bytes) -> Check:
        plain.write_bytes(changed)
        assert check(plain).ok, "without the manifest nothing can be seen"
        return check(plain, manifest.path)

    assert verdict(content).ok
    for keep in range(1, 45):
        cut = verdict(b"".join(b"".join(lines) for _, _, lines in list(layout(content))[: keep + 1]))
        assert cut.damage is not None
        assert (cut.damage.record, cut.damage.after_tick) == (keep * 2 + 1, keep * 3)
        assert "cut" in cut.damage.reason
    rewritten = verdict(forged(content, 45))
    assert rewritten.damage is not None
    assert "rewritten" in rewritten.damage.reason
    assert not verdict(forged(content, 30)).ok


def relinked(content: bytes, order: list[int]) -> bytes:
    """Return the ticks of *content* in another *order* (0 is the header) in a chain made up for them."""
    ticks = list(layout(content))
    head, made = bytes(16), b""
    for number in order:
        line, head = linked(b"".join(ticks[number][2])[:-LINK_BYTES].decode() + "}", head)
        made += line
    return made


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        ([0, 1, 3, 4], "record 5 stands where 3 belongs"),
        ([0, 1, 2, 2, 3], "record 3 stands where 5 belongs"),
        ([0, 1, 3, 2], "record 5 stands where 3 belongs"),
        ([1, 2, 3], "header"),
        ([0, 0, 1], "no record"),
    ],
)
def test_what_a_made_up_chain_cannot_hide_is_seen_without_a_manifest(
    tmp_path: Path, order: list[int], reason: str
) -> None:
    content = part_bytes(tmp_path)

    assert reason in found(PART, relinked(content, order)).reason


def test_ticks_that_run_backwards_or_mix_are_seen_in_a_made_up_chain(tmp_path: Path) -> None:
    content = part_bytes(tmp_path)
    for old, new in (
        (b'"seq":7,"tick":12,', b'"seq":7,"tick":8,'),
        (b'"seq":8,"tick":12,', b'"seq":8,"tick":13,'),
    ):
        changed = relinked(content.replace(old, new), [0, 1, 2, 3, 4, 5])

        damage = found(PART, changed)

        assert (damage.record, damage.after_tick) == (7, 9)
        assert "backwards or mix" in damage.reason


def test_a_log_that_the_manifest_does_not_know_is_said_to_be_so(tmp_path: Path) -> None:
    sealed = write_log(tmp_path / "a", a_run(5))
    manifest = Manifest(tmp_path / "manifest.jsonl")
    manifest.append({"log": "other", "head": sealed.head, "records": sealed.records})

    checked = check(sealed.path, manifest.path)

    assert checked.ok
    assert checked.in_manifest is False
    assert check(sealed.path).in_manifest is None


def test_a_kind_that_the_table_lacks_is_reported(tmp_path: Path) -> None:
    content = part_bytes(tmp_path)
    foreign = b""
    head = bytes(16)
    for _, _, lines in layout(content):
        line, head = linked(
            b"".join(lines)[:-LINK_BYTES].decode().replace('"kind":"note"', '"kind":"mirage"') + "}", head
        )
        foreign += line

    checked = check(PART, disk=Memory(foreign))

    assert checked.ok
    assert checked.unknown_kinds == ("mirage",)
    assert check(PART, disk=Memory(content)).unknown_kinds == ()


def test_a_damaged_header_is_neither_resumed_nor_taken_over(tmp_path: Path) -> None:
    content = part_bytes(tmp_path)
    (tmp_path / PART).write_bytes(content.replace(b'"seed":7', b'"seed":8'))

    with pytest.raises(LogDamaged, match="header"):
        LogWriter.resume(tmp_path / "a")
    with pytest.raises(LogDamaged, match="header"):
        LogWriter.create(tmp_path / "a", HEADER)
    with pytest.raises(LogDamaged):
        open_log(tmp_path / "a")
    assert list(tmp_path.iterdir()) == [tmp_path / PART]


def test_a_frame_that_claims_to_be_huge_is_refused_before_memory_is_asked_for(tmp_path: Path) -> None:
    content = sealed_bytes(tmp_path)
    # A frame header with an eight byte content size of 2^60, then what stood there.
    bomb = DATA_MAGIC.to_bytes(4, "little") + b"\xe4" + (1 << 60).to_bytes(8, "little") + content[6:]

    assert "claims" in found(SEALED, bomb).reason or "cut off" in found(SEALED, bomb).reason
    with pytest.raises(LogDamaged):
        open_log(SEALED, disk=Memory(bomb))


def test_bytes_after_a_sealed_log_are_found(tmp_path: Path) -> None:
    content = sealed_bytes(tmp_path, 8_000)

    damage = found(SEALED, content + b"\0")

    assert "follow" in damage.reason
    assert damage.record is None


def test_a_log_without_an_end_is_not_taken_for_a_sealed_one(tmp_path: Path) -> None:
    content = sealed_bytes(tmp_path)
    index = read_index(lambda size, offset: content[offset : offset + size], len(content))
    assert index is not None
    short = replace(
        index,
        offsets=index.offsets[:-1],
        sizes=index.sizes[:-1],
        ticks=index.ticks[:-1],
        digests=index.digests[:-1],
    )
    made = content[: short.offsets[-1]] + short.index_frame() + short.table_frame()

    damage = found(SEALED, made)

    assert "end record" in damage.reason
    with open_log(SEALED, disk=Memory(made)) as log, pytest.raises(LogDamaged, match="end record"):
        list(log.records())
    assert END["status"] == "complete"
