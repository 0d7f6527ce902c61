"""What is written to a log is what is read from it, running or sealed, from any tick on."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from logs_cases import END, HEADER, Memory, Wrapped, a_run, layout, write_log, write_part

from logs.check import check
from logs.faults import LogBusy, LogDamaged, LogError, LogExists, LogSealed
from logs.frames import LINES, read_index
from logs.reader import open_log
from logs.record import TEXT_MAX
from logs.writer import LogWriter

RUN = a_run(400)


def flat(run: list[Any]) -> list[dict[str, Any]]:
    """Return the records of *run* as a reader gives them."""
    rows = [(tick, record) for tick, records in run for record in records]
    return [{"seq": seq, "tick": tick, **record} for seq, (tick, record) in enumerate(rows, 1)]


def test_a_sealed_log_gives_back_every_record(tmp_path: Path) -> None:
    writer = write_part(tmp_path / "a.jsonl", RUN)
    before = writer.head
    sealed = writer.seal(END)

    with open_log(tmp_path / "a.jsonl") as log:
        *records, end = log.records()

        assert records == flat(RUN)
        assert log.header == {"format": "oneroom.log", "schema": 1, **HEADER}
        assert log.sealed
        assert log.head == sealed.head
    assert end["kind"] == "end"
    assert end["data"]["status"] == END["status"]
    assert end["data"]["log"] == {"records": 801, "active_ticks": 400, "head": before}
    assert (sealed.records, sealed.ticks) == (801, 400)
    assert sealed.path == tmp_path / "a.jsonl.zst"
    assert os.listdir(tmp_path) == ["a.jsonl.zst"]


def test_a_running_log_is_read_while_it_is_written(tmp_path: Path) -> None:
    with write_part(tmp_path / "a", RUN[:100]) as writer, open_log(tmp_path / "a") as log:
        assert list(log.records()) == flat(RUN[:100])
        assert log.end is None
        assert log.alive

        for tick, records in RUN[100:]:
            writer.append(tick, records)

        assert list(log.records()) == flat(RUN)
        assert check(tmp_path / "a").ok
    with open_log(tmp_path / "a") as log:
        assert not log.alive


@pytest.mark.parametrize("seal", [False, True])
def test_reading_from_any_tick_on_is_reading_all_and_leaving_out(tmp_path: Path, seal: bool) -> None:
    writer = write_part(tmp_path / "a", RUN)
    if seal:
        writer.seal(END)
    expected = flat(RUN)

    with open_log(tmp_path / "a") as log:
        for start in (0, 1, 3, 4, 299, 300, 301, 598, 1199, 1200, 1201, 10**12):
            got = [record for record in log.records(start, 1200) if record["kind"] != "end"]

            assert got == [record for record in expected if start <= record["tick"] < 1200]
        assert [tick for tick, _ in log.ticks(10, 31)] == [12, 15, 18, 21, 24, 27, 30]
        assert [len(records) for _, records in log.ticks(10, 31)] == [2] * 7


def test_a_seek_in_a_long_log_reads_little_of_it(tmp_path: Path) -> None:
    run = a_run(6000)
    write_part(tmp_path / "part", run).abort()
    write_log(tmp_path / "sealed", run)

    for name in ("part", "sealed"):
        disk = Counting()
        with open_log(tmp_path / name, disk=disk) as log:
            disk.bytes = 0
            first = next(log.records(9001))

        assert first["tick"] == 9003
        assert disk.bytes < 800_000, f"{name}: {disk.bytes} bytes read for one record"


class Counting(Wrapped):
    bytes = 0

    def read(self, fd: int, size: int, offset: int) -> bytes:
        got = super().read(fd, size, offset)
        self.bytes += len(got)
        return got


@pytest.mark.parametrize("seal", [False, True])
def test_the_tail_is_the_last_records(tmp_path: Path, seal: bool) -> None:
    writer = write_part(tmp_path / "a", RUN)
    if seal:
        writer.seal(END)

    with open_log(tmp_path / "a") as log:
        whole = list(log.records())
        for count in (0, 1, 3, 250, len(whole), len(whole) + 5):
            assert log.tail(count) == whole[max(len(whole) - count, 0) :]


def test_a_follower_sees_every_record_once_up_to_the_end(tmp_path: Path) -> None:
    writer = write_part(tmp_path / "a", RUN[:10])
    waiting = iter(RUN[10:])

    def wait() -> bool:
        tick, records = next(waiting, (0, []))
        if records:
            writer.append(tick, records)
        else:
            writer.seal(END)
        return True

    with open_log(tmp_path / "a.jsonl.part") as log:
        seen = list(log.follow(wait=wait))

    assert seen[:-1] == flat(RUN)
    assert seen[-1]["kind"] == "end"


def test_a_follower_of_a_dead_log_stops(tmp_path: Path) -> None:
    write_part(tmp_path / "a", RUN[:10]).abort()

    with open_log(tmp_path / "a") as log:
        assert list(log.follow(start_tick=15)) == [row for row in flat(RUN[:10]) if row["tick"] >= 15]


def test_other_tools_read_both_forms(tmp_path: Path) -> None:
    if shutil.which("zstdcat") is None:
        pytest.skip("zstdcat is not installed")
    writer = write_part(tmp_path / "a", RUN)
    part = (tmp_path / "a.jsonl.part").read_bytes()
    writer.seal(END)

    whole = subprocess.run(["zstdcat", tmp_path / "a.jsonl.zst"], check=True, capture_output=True).stdout

    assert whole.startswith(part)
    with open_log(tmp_path / "a") as log:
        assert b"".join(log.raw_lines()) == whole
    assert [json.loads(line)["seq"] for line in whole.splitlines()[1:]] == list(range(1, 802))
    (tmp_path / "b.jsonl").write_bytes(whole)
    with open_log(tmp_path / "b.jsonl") as log:
        assert len(list(log.records())) == 801


def test_the_seek_table_is_the_standard_one(tmp_path: Path) -> None:
    content = write_log(tmp_path / "a", RUN).path.read_bytes()

    count, descriptor = int.from_bytes(content[-9:-5], "little"), content[-5]
    index = read_index(lambda size, offset: content[offset : offset + size], len(content))

    assert content[-4:] == bytes.fromhex("b1ea928f")
    assert descriptor == 0
    assert content[-9 - 8 * count - 8 :][:4] == bytes.fromhex("5e2a4d18")
    assert index is not None
    assert len(index) == count - 1
    assert len(index) == -(-802 // LINES)


def test_each_tick_reaches_the_disk_in_one_write(tmp_path: Path) -> None:
    disk = Wrapped()
    writer = LogWriter.create(tmp_path / "a", HEADER, disk=disk)

    for tick, records in RUN[:50]:
        before = disk.calls
        writer.append(tick, records)
        assert disk.calls == before + 1


def test_the_disk_is_synced_each_second_and_on_demand(tmp_path: Path) -> None:
    disk, now = Syncs(), [0.0]
    writer = LogWriter.create(tmp_path / "a", HEADER, disk=disk, clock=lambda: now[0])
    kind = [{"kind": "note"}]

    for tick, at_s, on_demand, expected in [
        (1, 0.5, False, 0), (2, 0.9, True, 1), (3, 1.8, False, 1), (4, 2.0, False, 2), (5, 2.1, False, 2),
    ]:  # fmt: skip
        now[0] = at_s
        writer.append(tick, kind, sync=on_demand)
        assert disk.synced == expected, f"tick {tick}"


class Syncs(Wrapped):
    synced = 0

    def sync_data(self, fd: int) -> None:
        self.synced += 1
        super().sync_data(fd)


@pytest.mark.parametrize(
    "bad",
    [float("nan"), float("inf"), -float("inf"), "\ud800", {"deep": ["x", {"y": "a\udfffb"}]}, b"bytes", {1}, object(),
     {"k": float("nan")}, "x" * (TEXT_MAX + 1), "水" * (TEXT_MAX // 3 + 1), {"\udc00": 1}],
    ids=lambda bad: repr(bad)[:20].encode("ascii", "replace").decode(),
)  # fmt: skip
def test_what_cannot_be_written_is_refused_before_a_byte_of_its_tick(tmp_path: Path, bad: Any) -> None:
    writer = write_part(tmp_path / "a", RUN[:3])
    before = (tmp_path / "a.jsonl.part").read_bytes()
    good = {"kind": "note", "id": "evt-1", "data": {"text": "fine"}}

    with pytest.raises(ValueError, match=r"(at|of) tick 99"):
        writer.append(99, [good, {"kind": "note", "data": {"text": bad}}])

    assert (tmp_path / "a.jsonl.part").read_bytes() == before
    writer.append(99, [good])
    writer.seal(END)
    assert check(tmp_path / "a").ok


def test_a_value_without_bottom_is_refused(tmp_path: Path) -> None:
    knot: dict[str, Any] = {}
    knot["knot"] = knot
    writer = write_part(tmp_path / "a", RUN[:3])

    with pytest.raises(ValueError, match=r"[Rr]ecursion|depth"):
        writer.append(99, [{"kind": "note", "data": knot}])


def test_text_of_the_greatest_length_is_kept_whole(tmp_path: Path) -> None:
    text = "水" * (TEXT_MAX // 3)
    writer = write_part(tmp_path / "a", RUN[:3])
    writer.append(99, [{"kind": "note", "data": {"text": text}}])
    writer.seal(END)

    with open_log(tmp_path / "a") as log:
        assert next(log.records(99))["data"]["text"] == text


def test_text_can_hold_anything_that_is_unicode(tmp_path: Path) -> None:
    text = '\x00\x1f\n\r\t"\\\x7f\x85\u2028\u2029\u200b\ufeff\U0010ffff,"h":"' + "0" * 32 + '"}\n'
    writer = LogWriter.create(tmp_path / "a", {"note": text})
    writer.append(1, [{"kind": "note", "id": text, "causes": [text], "data": {text: text, "h": "0" * 32}}])
    writer.seal({"status": text})

    with open_log(tmp_path / "a") as log:
        note, end = log.records()
        assert (note["id"], note["causes"], note["data"][text]) == (text, [text], text)
        assert end["data"]["status"] == log.header["note"] == text
    assert check(tmp_path / "a").ok


def test_an_unknown_kind_is_our_own_fault(tmp_path: Path) -> None:
    with write_part(tmp_path / "a", RUN[:3]) as writer, pytest.raises(AssertionError, match="no kind"):
        writer.append(99, [{"kind": "dream_of_sheep"}])


def test_time_never_runs_backwards_and_nothing_follows_the_end(tmp_path: Path) -> None:
    writer = write_part(tmp_path / "a", RUN[:3])

    with pytest.raises(AssertionError, match="backwards"):
        writer.append(8, [{"kind": "note"}])
    writer.append(9, [{"kind": "note"}])
    writer.seal(END)
    with pytest.raises(AssertionError, match="sealed"):
        writer.append(10, [{"kind": "note"}])


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    with write_part(tmp_path / "a", RUN[:3]):
        with pytest.raises(LogBusy, match="another process writes"):
            LogWriter.resume(tmp_path / "a")
        with pytest.raises(LogBusy, match="another process writes"):
            LogWriter.create(tmp_path / "a.jsonl", HEADER)
    with pytest.raises(LogExists, match="resume it"):
        LogWriter.create(tmp_path / "a.jsonl", HEADER)


def test_a_result_is_never_replaced(tmp_path: Path) -> None:
    content = write_log(tmp_path / "a", RUN[:3]).path.read_bytes()

    with pytest.raises(LogExists):
        LogWriter.create(tmp_path / "a", HEADER)
    with pytest.raises(LogSealed, match="nothing is left"):
        LogWriter.resume(tmp_path / "a")

    late = write_part(tmp_path / "b", RUN[:4])
    (tmp_path / "b.jsonl.zst").write_bytes(content)
    with pytest.raises(LogExists):
        late.seal(END)
    with pytest.raises(LogExists):
        LogWriter.resume(tmp_path / "b")
    assert (tmp_path / "b.jsonl.zst").read_bytes() == content
    assert check(tmp_path / "b.jsonl.part").ok


@pytest.mark.parametrize("kind", ["link", "dangling link", "pipe", "folder", "device"])
def test_a_path_that_is_no_file_is_refused(tmp_path: Path, kind: str) -> None:
    real = write_log(tmp_path / "real", RUN[:3]).path
    part, sealed = tmp_path / "a.jsonl.part", tmp_path / "b.jsonl.zst"
    for path in (part, sealed):
        {
            "link": lambda path=path: path.symlink_to(real),
            "dangling link": lambda path=path: path.symlink_to(tmp_path / "nowhere"),
            "pipe": lambda path=path: os.mkfifo(path),
            "folder": lambda path=path: path.mkdir(),
            "device": lambda path=path: path.symlink_to("/dev/null"),
        }[kind]()

    for attempt in (
        lambda: open_log(sealed), lambda: open_log(part), lambda: check(sealed), lambda: LogWriter.resume(part),
        lambda: LogWriter.create(part, HEADER),
    ):  # fmt: skip
        with pytest.raises(LogError, match="is not a regular file"):
            attempt()
    with pytest.raises(LogError, match="a sealed log has this name"):
        LogWriter.create(sealed, HEADER)
    assert not (tmp_path / "nowhere").exists()


def test_a_missing_log_or_folder_is_one_clear_error(tmp_path: Path) -> None:
    for attempt in (
        lambda: open_log(tmp_path / "a"),
        lambda: check(tmp_path / "a"),
        lambda: LogWriter.resume(tmp_path / "a"),
    ):
        with pytest.raises(LogError, match="no such log"):
            attempt()
    with pytest.raises(LogError, match="folder does not exist"):
        LogWriter.create(tmp_path / "no" / "a", HEADER)


def test_resuming_goes_on_where_the_last_whole_tick_ends(tmp_path: Path) -> None:
    reference = write_log(tmp_path / "reference", RUN[:40]).path.read_bytes()
    write_part(tmp_path / "a", RUN[:20]).abort()
    part = tmp_path / "a.jsonl.part"
    torn = b'{"seq":41,"tick":63,"kind":"fact","id":"x"'
    part.write_bytes(part.read_bytes() + torn)

    writer, prefix = LogWriter.resume(tmp_path / "a")
    with prefix:
        assert list(prefix.records()) == flat(RUN[:20])
    assert writer.cut is not None
    assert (writer.cut.bytes, writer.cut.after_tick, writer.cut.after_record) == (len(torn), 60, 40)
    assert (tmp_path / writer.cut.kept).read_bytes() == torn
    assert writer.cut.kept == "a.torn-1"
    for tick, records in RUN[20:40]:
        writer.append(tick, records)
    with prefix:
        assert (tmp_path / "a.jsonl.part").exists()

    assert writer.seal(END).path.read_bytes() == reference


def test_the_prefix_reader_does_not_see_what_is_written_after(tmp_path: Path) -> None:
    write_part(tmp_path / "a", RUN[:20]).abort()

    writer, prefix = LogWriter.resume(tmp_path / "a")
    writer.append(*RUN[20])

    assert list(prefix.records()) == flat(RUN[:20])


def test_a_reader_hands_out_nothing_that_the_chain_does_not_cover(tmp_path: Path) -> None:
    write_part(tmp_path / "a", RUN[:40]).abort()
    content = (tmp_path / "a.jsonl.part").read_bytes()
    start, _, lines = list(layout(content))[20]
    changed = content.replace(lines[0], lines[0].replace(b'"cell":', b'"cell":9'))

    with open_log(tmp_path / "a.jsonl.part", disk=Memory(changed)) as log:
        records = []
        with pytest.raises(LogDamaged) as caught:
            records += iter(log.records())

    assert (caught.value.record, caught.value.byte) == (39, start)
