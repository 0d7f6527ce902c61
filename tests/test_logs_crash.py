"""A writer killed at any instant leaves a prefix; resumed, it ends in the very bytes of one that was not."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import logs_cases
import pytest
from logs_cases import Tick, Wrapped, a_run, dies_at, go_on, is_synced, write_log

from logs.check import check
from logs.disk import Disk
from logs.faults import LogHeadless
from logs.reader import open_log

TICKS = 60
RUN = a_run(TICKS)


@pytest.fixture(name="folder")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Memory where there is some: these tests sync thousands of times, and no power fails in them."""
    shared = Path("/dev/shm")
    folder = tmp_path_factory.mktemp("crash")
    if shared.is_dir():
        folder = shared / f"oneroom-{folder.parent.name}-{folder.name}"
        folder.mkdir()
    yield folder
    shutil.rmtree(folder)


def reference(folder: Path, run: list[Tick]) -> bytes:
    (folder / "reference").mkdir()
    return write_log(folder / "reference" / "a", run).path.read_bytes()


def ids_in(folder: Path) -> list[str]:
    """Return the ids of all whole records, and check that they are a prefix of the run."""
    try:
        with open_log(folder / "a") as log:
            ids = [record["id"] for record in log.records() if record["kind"] != "end"]
    except LogHeadless:
        ids = []
    assert ids == [record["id"] for _, records in RUN for record in records][: len(ids)]
    assert len(ids) % 2 == 0
    return ids


def kill_chain(folder: Path, chance: random.Random, kills: int) -> int:
    """Run the writer in processes of its own, kill each after some acknowledged tick; return the kills."""
    reached = 0
    for done in range(kills + 1):
        child = subprocess.Popen(
            [sys.executable, logs_cases.__file__, str(folder / "a"), str(TICKS)],
            stdout=subprocess.PIPE,
            cwd=Path(logs_cases.__file__).parent.parent,
            env={"PYTHONPATH": "."},
        )
        assert child.stdout is not None
        last = chance.randint(reached + 1, TICKS + 3) if done < kills else 10**9
        for line in child.stdout:
            reached = int(line) // 3
            if reached >= last:
                break
        if done < kills:
            child.kill()
        child.stdout.close()
        code = child.wait()
        if code == 0:
            return done
        assert code == -9
        # An acknowledged tick is never lost.
        assert len(ids_in(folder)) >= 2 * reached
    raise AssertionError("the last writer was not to be killed")


def kills(tmp: Path, seed: int, total: int, chain: int) -> None:
    expected = reference(tmp, RUN)
    chance = random.Random(seed)
    done = number = 0
    while done < total:
        folder = tmp / f"chain-{number}"
        folder.mkdir()
        done += kill_chain(folder, chance, min(chance.randint(1, chain), total - done))
        number += 1
        assert (folder / "a.jsonl.zst").read_bytes() == expected, f"seed {seed}, chain {number}"
        assert not (folder / "a.jsonl.part").exists()


def test_a_killed_writer_loses_nothing_it_acknowledged(folder: Path) -> None:
    kills(folder, seed=20, total=20, chain=5)


@pytest.mark.campaign
def test_two_hundred_killed_writers_lose_nothing(folder: Path) -> None:
    kills(folder, seed=200, total=200, chain=5)


def calls_of(folder: Path, run: list[Tick]) -> int:
    disk = Wrapped()
    go_on(folder / "count", run, disk)
    return disk.calls


def test_death_before_any_single_call_leaves_a_log_that_ends_the_same(folder: Path) -> None:
    run = RUN[:12]
    expected = reference(folder, run)
    total = calls_of(folder, run)
    for at in range(1, total + 1):
        home = folder / str(at)
        home.mkdir()

        assert dies_at(at, lambda disk, home=home: go_on(home / "a", run, disk))  # type: ignore[misc]
        _finish(home, run, expected)
    assert total > 30


def test_death_during_recovery_is_recovered_from_too(folder: Path) -> None:
    run = RUN[:8]
    expected = reference(folder, run)
    for first in range(4, calls_of(folder, run) + 1, 7):
        for second in range(1, 20, 2):
            home = folder / f"{first}-{second}"
            home.mkdir()
            dies_at(first, lambda disk, home=home: go_on(home / "a", run, disk))  # type: ignore[misc]
            _tear(home / "a.jsonl.part")

            dies_at(second, lambda disk, home=home: _go_on_if_open(home, run, disk))  # type: ignore[misc]
            _finish(home, run, expected)


def _tear(part: Path) -> None:
    """Add the beginning of a tick, as a machine that stops in the middle of a write may leave it."""
    if part.exists() and not part.with_name("a.jsonl.zst").exists():
        part.write_bytes(part.read_bytes() + b'{"seq":9')


def _go_on_if_open(home: Path, run: list[Tick], disk: Disk) -> None:
    """Go on, unless the log is sealed and only its `.part` is left over."""
    if not (home / "a.jsonl.zst").exists():
        go_on(home / "a", run, disk)


def _finish(home: Path, run: list[Tick], expected: bytes) -> None:
    sealed = home / "a.jsonl.zst"
    before = 0
    if not sealed.exists():
        if (home / "a.jsonl.part").exists():
            before = len(ids_in(home))
        go_on(home / "a", run)
    elif (home / "a.jsonl.part").exists():
        # The last steps of a seal are taken by whoever comes next.
        with pytest.raises(ValueError, match="nothing is left"):
            go_on(home / "a", run)
        assert not (home / "a.jsonl.part").exists()
    assert sealed.read_bytes() == expected
    assert len(ids_in(home)) >= before
    assert check(sealed).ok


class Crashing(Wrapped):
    """Remembers what the disk was told to keep, so that every state after a loss of power can be laid out.

    A file keeps what was synced of it, and any part of what was written since; a name is kept if its folder was
    synced since it was given, and may or may not be otherwise.
    """

    def __init__(self) -> None:
        super().__init__()
        self.files: dict[int, bytearray] = {}
        self.synced: dict[int, int] = {}
        self.names: dict[Path, int] = {}
        self.kept_names: dict[Path, int] = {}
        self.of_fd: dict[int, int] = {}
        self.images: list[tuple[dict[Path, int], dict[Path, int], dict[int, tuple[bytes, int]]]] = []
        self.acknowledged: list[int] = []
        self.promised = 0

    def before(self, name: str) -> None:
        if name in ("write", "sync", "sync_data", "sync_folder", "link", "unlink", "truncate", "close"):
            files = {file: (bytes(content), self.synced[file]) for file, content in self.files.items()}
            self.images.append((dict(self.names), dict(self.kept_names), files))
            self.acknowledged.append(self.promised)

    def open(self, path: Path, flags: int) -> int:
        fd = super().open(path, flags)
        if path not in self.names:
            file = len(self.files)
            self.names[path] = file
            self.files[file] = bytearray()
            self.synced[file] = 0
        self.of_fd[fd] = self.names[path]
        return fd

    def write(self, fd: int, data: bytes | memoryview) -> int:
        written = super().write(fd, data)
        self.files[self.of_fd[fd]] += bytes(data)[:written]
        return written

    def sync(self, fd: int) -> None:
        super().sync(fd)
        self.synced[self.of_fd[fd]] = len(self.files[self.of_fd[fd]])

    def sync_data(self, fd: int) -> None:
        super().sync_data(fd)
        self.synced[self.of_fd[fd]] = len(self.files[self.of_fd[fd]])

    def sync_folder(self, path: Path) -> None:
        super().sync_folder(path)
        self.kept_names = dict(self.names)

    def link(self, source: Path, target: Path) -> None:
        super().link(source, target)
        self.names[target] = self.names[source]

    def unlink(self, path: Path) -> None:
        super().unlink(path)
        self.names.pop(path, None)


def power_losses(disk: Crashing, chance: random.Random, each: int) -> Iterator[tuple[int, dict[Path, bytes]]]:
    """Yield (ticks that were promised to last, files as found after the power comes back)."""
    for promised, (names, kept, files) in zip(disk.acknowledged, disk.images, strict=True):
        for _ in range(each):
            found = {}
            for path in {**names, **kept}:
                # Given since the last sync of the folder, or taken: either may have reached the disk.
                if kept.get(path) == names.get(path) or chance.random() < 0.5:
                    file = kept.get(path)
                else:
                    file = names.get(path)
                if file is None:
                    continue
                content, synced = files[file]
                end = chance.randint(synced, len(content))
                end = max(end // 512 * 512, synced) if chance.random() < 0.5 else end
                zeros = bytes(chance.randint(0, len(content) - end)) if chance.random() < 0.3 else b""
                found[path] = content[:end] + zeros
            yield promised, found


def lose_power(folder: Path, each: int, seed: int) -> int:
    run = RUN[:40]
    expected = reference(folder, run)
    (folder / "live").mkdir()
    disk = Crashing()

    def promise(tick: int) -> None:
        disk.promised = tick if is_synced(tick) else disk.promised

    go_on(folder / "live" / "a", run, disk, said=promise)
    home = folder / "found"
    images = 0
    for promised, found in power_losses(disk, random.Random(seed), each):
        home.mkdir()
        for path, content in found.items():
            (home / path.name).write_bytes(content)
        if (home / "a.jsonl.part").exists() or (home / "a.jsonl.zst").exists():
            assert len(ids_in(home)) >= promised // 3 * 2
            _finish(home, run, expected)
        else:
            assert promised == 0
        shutil.rmtree(home)
        images += 1
    return images


def test_after_a_loss_of_power_what_was_synced_is_there(folder: Path) -> None:
    assert lose_power(folder, each=4, seed=3) > 200


@pytest.mark.campaign
def test_after_thousands_of_losses_of_power_what_was_synced_is_there(folder: Path) -> None:
    assert lose_power(folder, each=200, seed=4) > 10_000
