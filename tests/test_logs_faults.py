"""A failing disk ends a writer clearly, and what stands on it is a prefix that can be continued."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from logs_cases import END, HEADER, Failing, Full, Short, Tick, Wrapped, a_run, go_on, write_log, write_part

from logs.check import check
from logs.disk import Disk
from logs.faults import LogBroken, LogError, LogHeadless, LogSealed
from logs.manifest import Manifest
from logs.reader import open_log
from logs.writer import LogWriter

RUN = a_run(12)


@pytest.fixture(name="folder")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    shared = Path("/dev/shm")
    folder = tmp_path_factory.mktemp("faults")
    if shared.is_dir():
        folder = shared / f"oneroom-{folder.parent.name}-{folder.name}"
        folder.mkdir()
    yield folder
    shutil.rmtree(folder)


def run_on(home: Path, disk: Disk, said: list[int], run: list[Tick] = RUN) -> LogBroken | None:
    """Write and seal; return how it broke, if it did. Nothing else may come out of it."""
    try:
        go_on(home / "a", run, disk, said=said.append)
    except LogBroken as caught:
        broken = caught
    else:
        return None
    assert broken.errno is not None
    assert "a.jsonl" in str(broken)
    return broken


def recover(home: Path, said: list[int], expected: bytes, run: list[Tick] = RUN) -> None:
    """With a sound disk: what was acknowledged is there, in order, and the end is the same."""
    ids = [record["id"] for _, records in run for record in records]
    try:
        with open_log(home / "a") as log:
            got = [record["id"] for record in log.records() if record["kind"] != "end"]
    except (LogHeadless, LogError):
        got = []
    assert got == ids[: len(got)]
    assert len(got) >= 2 * len(said)
    with suppress(LogSealed):
        go_on(home / "a", run)
    assert (home / "a.jsonl.zst").read_bytes() == expected
    assert not (home / "a.jsonl.part").exists()
    assert check(home / "a").ok


@pytest.mark.parametrize("sticky", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize(
    "code", [errno.ENOSPC, errno.EIO, errno.EINTR, errno.EDQUOT], ids=errno.errorcode.get
)
def test_an_error_at_any_call_leaves_a_prefix(folder: Path, code: int, sticky: bool) -> None:
    expected = write_log(folder / "reference", RUN).path.read_bytes()
    at, broke = 0, 0
    while True:
        at += 1
        home, said = folder / str(at), list[int]()
        home.mkdir()
        disk = Failing(at, code, sticky=sticky)

        broken = run_on(home, disk, said)
        if disk.calls < at:
            break
        if code == errno.EINTR and not sticky:
            assert broken is None, f"call {at}: an interrupted call is called again"
        broke += broken is not None
        recover(home, said, expected)
    assert at > 30
    assert broke > 25 or (code == errno.EINTR and not sticky)


@pytest.mark.parametrize("sticky", [False, True], ids=["once", "from then on"])
def test_a_disk_that_writes_short_is_written_to_again(folder: Path, sticky: bool) -> None:
    expected = write_log(folder / "reference", RUN).path.read_bytes()
    for at in range(1, 40):
        home, said = folder / str(at), list[int]()
        home.mkdir()

        assert run_on(home, Short(at, sticky=sticky), said) is None
        assert (home / "a.jsonl.zst").read_bytes() == expected
        assert len(said) == len(RUN)


def test_an_error_during_recovery_is_recovered_from_too(folder: Path) -> None:
    expected = write_log(folder / "reference", RUN).path.read_bytes()
    for first in range(8, 40, 5):
        for second in range(1, 30, 3):
            home, said = folder / f"{first}-{second}", list[int]()
            home.mkdir()
            run_on(home, Failing(first, errno.EIO, sticky=True), said)
            part = home / "a.jsonl.part"
            if part.exists():
                part.write_bytes(part.read_bytes() + b'{"seq":')
            with suppress(LogSealed):
                run_on(home, Failing(second, errno.ENOSPC, sticky=True), [])
            recover(home, said, expected)


def test_a_full_disk_at_any_byte_leaves_a_prefix(folder: Path) -> None:
    expected = write_log(folder / "reference", RUN).path.read_bytes()
    size = 14_000
    for room in range(0, size, 293):
        home, said = folder / str(room), list[int]()
        home.mkdir()

        broken = run_on(home, Full(room), said)

        assert broken is None or broken.errno == errno.ENOSPC
        recover(home, said, expected)
    assert broken is None, "with the last room there was enough"


def test_a_writer_is_over_once_the_disk_failed(folder: Path) -> None:
    disk = Failing(10**9, errno.EIO, sticky=False)
    writer = write_part(folder / "a", RUN, disk)
    disk.at = disk.calls + 1

    with pytest.raises(LogBroken, match="writing a tick"):
        writer.append(99, [{"kind": "note"}])
    with pytest.raises(AssertionError, match="the disk failed"):
        writer.append(99, [{"kind": "note"}])
    with pytest.raises(AssertionError, match="the disk failed"):
        writer.sync()
    writer.abort()


def test_a_failed_sync_is_never_tried_again(folder: Path) -> None:
    disk = Failing(10**9, errno.EIO, sticky=False)
    writer = write_part(folder / "a", RUN, disk)
    disk.at = disk.calls + 2

    with pytest.raises(LogBroken, match="syncing"):
        writer.append(99, [{"kind": "note"}], sync=True)
    calls = disk.calls
    writer.abort()
    assert disk.calls == calls, "nothing is asked of that descriptor any more"
    resumed, _ = LogWriter.resume(folder / "a")
    assert resumed.tick == 99


def test_an_interrupt_in_a_write_ends_the_writer_before_it_can_repeat_itself(folder: Path) -> None:
    disk = Interrupted()
    writer = write_part(folder / "a", RUN, disk)
    disk.armed = True

    with pytest.raises(KeyboardInterrupt):
        writer.append(99, [{"kind": "note"}])
    with pytest.raises(AssertionError, match="interrupted"):
        writer.append(99, [{"kind": "note"}])
    writer.abort()
    resumed, _ = LogWriter.resume(folder / "a")
    resumed.seal(END)
    assert check(folder / "a").records == 2 * len(RUN) + 2


class Interrupted(Wrapped):
    armed = False

    def write(self, fd: int, data: bytes | memoryview) -> int:
        written = super().write(fd, data)
        if self.armed:
            raise KeyboardInterrupt
        return written


def test_a_seal_on_a_full_disk_leaves_the_part_whole_and_readable(folder: Path) -> None:
    expected = write_log(folder / "reference", RUN).path.read_bytes()
    disk = Full(10**9)
    writer = write_part(folder / "a", RUN, disk)
    disk.room = 600

    with pytest.raises(LogBroken, match="sealing"):
        writer.seal(END)

    assert sorted(path.name for path in folder.iterdir()) == ["a.jsonl.part", "reference.jsonl.zst"]
    assert check(folder / "a").ok
    resumed, prefix = LogWriter.resume(folder / "a")
    assert resumed.ended
    assert prefix.end is not None
    assert resumed.seal(END).path.read_bytes() == expected


def test_a_disk_without_links_seals_all_the_same(folder: Path) -> None:
    disk = NoLinks()
    expected = write_log(folder / "reference", RUN).path.read_bytes()

    assert write_log(folder / "a", RUN, disk).path.read_bytes() == expected

    writer = write_part(folder / "b", RUN, disk)
    (folder / "b.jsonl.zst").write_bytes(b"taken")
    with pytest.raises(LogError, match="another log was sealed"):
        writer.seal(END)
    assert (folder / "b.jsonl.zst").read_bytes() == b"taken"


class NoLinks(Wrapped):
    def link(self, source: Path, target: Path) -> None:
        raise OSError(errno.EPERM, f"no links here: {source.name}, {target.name}")


def in_child(work: Iterator[object]) -> int:
    """Exhaust *work* in a child process; return its exit code."""
    child = os.fork()
    if child == 0:
        code = 9
        try:
            for _ in work:
                pass
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_limit_on_file_size_is_a_broken_disk_and_not_a_death(folder: Path) -> None:
    expected = write_log(folder / "reference", RUN).path.read_bytes()

    def limited(home: Path, limit: int) -> Iterator[object]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        broken = run_on(home, Wrapped(), [])
        assert broken is not None
        assert broken.errno == errno.EFBIG
        yield

    for limit in (0, 100, 300, 1000, 2000, 3001):
        home = folder / str(limit)
        home.mkdir()

        assert in_child(limited(home, limit)) == 0
        recover(home, [], expected)


def test_a_real_full_disk_is_survived_and_gone_on_from(folder: Path) -> None:
    home = folder / "small"
    home.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", home], check=False, capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("mounting needs root; RLIMIT_FSIZE and the simulated disk stand in")
    run = a_run(150)
    expected = write_log(folder / "reference", run).path.read_bytes()
    try:
        for filler_kib in (8, 12, 30, 52, 60):
            (home / "filler").write_bytes(bytes(filler_kib * 1024))
            said: list[int] = []

            broken = run_on(home, Wrapped(), said, run)

            assert broken is not None
            assert broken.errno == errno.ENOSPC
            (home / "filler").unlink()
            subprocess.run(["mount", "-o", "remount,size=1m", home], check=True)
            recover(home, said, expected, run)
            (home / "a.jsonl.zst").unlink()
            for torn in home.glob("*.torn-*"):
                torn.unlink()
            subprocess.run(["mount", "-o", "remount,size=64k", home], check=True)
    finally:
        subprocess.run(["umount", home], check=True)


def test_an_error_at_any_call_of_the_manifest_loses_no_acknowledged_entry(folder: Path) -> None:
    for sticky in (False, True):
        for at in range(1, 60):
            path = folder / f"{sticky}-{at}.jsonl"
            disk = Failing(at, errno.EIO, sticky=sticky)
            acknowledged = []
            for number in range(4):
                try:
                    Manifest(path, disk=disk).append({"event": "note", "number": number})
                    acknowledged.append(number)
                except LogBroken:
                    pass
            Manifest(path).append({"event": "note", "number": 99})

            kept = [entry["number"] for entry in Manifest(path).entries()]
            assert [number for number in kept if number in acknowledged] == acknowledged
            assert kept[-1] == 99
            assert Manifest(path).check().ok


def test_a_torn_manifest_is_found_and_goes_on(folder: Path) -> None:
    path = folder / "manifest.jsonl"
    manifest = Manifest(path)
    manifest.append({"event": "note", "number": 1})
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"n":2,"event"')

    assert not manifest.check().ok
    assert manifest.check().byte == len(whole)
    manifest.append({"event": "note", "number": 2})

    assert manifest.check().ok
    assert [entry["number"] for entry in manifest.entries()] == [1, 2]
    assert HEADER["seed"] == 7
