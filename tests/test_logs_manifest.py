"""The manifest lists each result once, in a chain, for many processes at a time, and with a key for nobody else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from logs_cases import a_run, flipped, write_log

from logs.check import check
from logs.faults import LogDamaged, LogError, LogExists
from logs.manifest import Manifest
from logs.record import LINK_BYTES, linked


def an_entry(number: int) -> dict[str, object]:
    return {
        "event": "sealed",
        "log": f"trial-{number}",
        "head": f"{number:032x}",
        "records": number,
        "seed": 7,
    }


def a_manifest(folder: Path, key: bytes | None = None, entries: int = 5) -> Manifest:
    manifest = Manifest(folder / "manifest.jsonl", key=key)
    for number in range(entries):
        manifest.append(an_entry(number))
    return manifest


def test_entries_come_back_in_order_and_numbered(tmp_path: Path) -> None:
    manifest = a_manifest(tmp_path)

    entries = list(manifest.entries())

    assert [entry["n"] for entry in entries] == [1, 2, 3, 4, 5]
    assert entries[3].items() >= an_entry(3).items()
    assert manifest.find("trial-3") == entries[3]
    assert manifest.find("trial-9") is None
    assert manifest.check().ok
    assert manifest.check().head == entries[-1]["h"]


def test_a_result_is_listed_once(tmp_path: Path) -> None:
    manifest = a_manifest(tmp_path)
    before = manifest.path.read_bytes()

    with pytest.raises(LogExists, match="never replaced"):
        manifest.append({**an_entry(3), "head": "f" * 32})

    assert manifest.path.read_bytes() == before
    manifest.append({"event": "cut", "log": "trial-3", "byte": 12})
    assert manifest.find("trial-3") is not None


@pytest.mark.parametrize("key", [None, b"a key kept elsewhere"])
def test_every_byte_of_a_manifest_counts(tmp_path: Path, key: bytes | None) -> None:
    manifest = a_manifest(tmp_path, key)
    content = manifest.path.read_bytes()
    for at in range(len(content)):
        manifest.path.write_bytes(flipped(content, at))

        checked = manifest.check()

        assert not checked.ok
        assert checked.entry == content[:at].count(b"\n") + 1, f"byte {at}"
    manifest.path.write_bytes(flipped(content, 30))
    with pytest.raises(LogDamaged):
        manifest.append(an_entry(9))


def test_a_manifest_made_up_without_the_key_is_found_out(tmp_path: Path) -> None:
    key = b"a key kept elsewhere"
    genuine = a_manifest(tmp_path, key)
    (tmp_path / "forged").mkdir()

    assert genuine.check().ok
    assert Manifest(genuine.path).check().ok, "without the key the chain alone is checked"
    for other in (None, b"another key"):
        forged = a_manifest(tmp_path / "forged", other)
        assert Manifest(forged.path).check().ok
        assert "key" in Manifest(forged.path, key=key).check().reason
        forged.path.unlink()


def test_an_entry_of_another_manifest_with_the_same_key_is_found_out(tmp_path: Path) -> None:
    key = b"a key kept elsewhere"
    content = a_manifest(tmp_path, key).path.read_bytes().splitlines(keepends=True)
    (tmp_path / "other").mkdir()
    other = Manifest(tmp_path / "other" / "manifest.jsonl", key=key)
    for number in (10, 11, 12):
        other.append(an_entry(number))
    lines = [*content[:2], other.path.read_bytes().splitlines(keepends=True)[2]]
    head, made = bytes(16), b""
    for line in lines:
        again, head = linked(line[:-LINK_BYTES].decode() + "}", head)
        made += again
    forged = tmp_path / "forged.jsonl"
    forged.write_bytes(made)

    assert Manifest(forged).check().ok, "the chain alone can be made up"
    assert Manifest(forged, key=key).check().entry == 3


def test_a_damaged_manifest_vouches_for_nothing(tmp_path: Path) -> None:
    sealed = write_log(tmp_path / "a", a_run(5))
    manifest = Manifest(tmp_path / "manifest.jsonl")
    manifest.append({"log": "a", "head": sealed.head, "records": sealed.records})
    assert check(sealed.path, manifest.path).in_manifest
    manifest.path.write_bytes(flipped(manifest.path.read_bytes(), 20))

    checked = check(sealed.path, manifest.path)

    assert not checked.ok
    assert checked.damage is not None
    assert "manifest" in checked.damage.reason


def test_many_processes_append_at_once_and_none_is_lost(tmp_path: Path) -> None:
    children = []
    for process in range(4):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                for number in range(25):
                    Manifest(tmp_path / "manifest.jsonl").append(an_entry(100 * process + number))
                code = 0
            finally:
                os._exit(code)
        children.append(child)

    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * 4
    manifest = Manifest(tmp_path / "manifest.jsonl")
    assert manifest.check().entries == 100
    assert manifest.check().ok
    assert len({entry["log"] for entry in manifest.entries()}) == 100


def test_a_manifest_that_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "folder").mkdir()
    for name in ("link", "folder"):
        with pytest.raises(LogError, match="is not a regular file"):
            Manifest(tmp_path / name).append(an_entry(1))
    with pytest.raises(LogError, match="cannot be opened"):
        Manifest(tmp_path / "none").check()
    with pytest.raises(LogError, match="folder does not exist"):
        Manifest(tmp_path / "none" / "manifest.jsonl").append(an_entry(1))
