"""A damaged log is read up to where it breaks: what stands before is shown, and the exit code says that a check failed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from logs.faults import LogDamaged
from logs.reader import open_log
from tests.conftest import Ran
from tests.trials_cases import a_log, a_protocol

CUT, FLIPPED, PART, TABLE = "cut", "flipped", "part", "table"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    return a_log(folder / "day", a_protocol(folder, duration="1d"), seed=1, arm="plain")


def records_of(log: Path) -> list[dict[str, Any]]:
    with open_log(log) as reader:
        return list(reader.records())


def damaged(whole: Path, how: str, folder: Path) -> Path:
    """Return a copy of *whole*, damaged past its middle."""
    stored = whole.read_bytes()
    at = len(stored) * 6 // 10
    if how == CUT:
        stored = stored[:at]
    elif how == FLIPPED:
        stored = stored[:at] + bytes([stored[at] ^ 1]) + stored[at + 1 :]
    elif how == TABLE:
        stored = stored[:-1]
    else:
        with open_log(whole) as reader:
            stored = b"".join(reader.raw_lines())
        at = stored.index(b'"tick":', len(stored) * 6 // 10) + 7
        stored = stored[:at] + b"9" + stored[at + 1 :]
    log = folder / ("day.jsonl.part" if how == PART else "day.jsonl.zst")
    log.write_bytes(stored)
    return log


@pytest.mark.parametrize("how", [CUT, FLIPPED, PART, TABLE])
def test_records_before_the_break_are_those_that_were_written(whole: Path, tmp_path: Path, how: str) -> None:
    log = damaged(whole, how, tmp_path)
    written = records_of(whole)

    with open_log(log, to_break=True) as reader:
        found = list(reader.records())
        broken = reader.broken

    assert broken is not None
    assert found == written[: len(found)]
    assert len(written) // 3 < len(found) <= len(written) - (how != TABLE)
    if how != TABLE:
        with open_log(log) as strict, pytest.raises(LogDamaged):
            list(strict.records())


@pytest.mark.parametrize("how", [CUT, FLIPPED, PART])
def test_every_command_that_reads_shows_the_sound_part_and_says_so(
    whole: Path, tmp_path: Path, how: str, cli: Callable[..., Ran]
) -> None:
    log = damaged(whole, how, tmp_path)
    with open_log(log, to_break=True) as reader:
        sound = list(reader.records())
    before = log.read_bytes()

    words: dict[str, tuple[object, ...]] = {
        "why": ("why", log, "--id", "rnd-1"),
        "export": ("export", log, "--out", tmp_path / "x.csv"),
        "stats": ("log", "stats", log),
        "tail": ("log", "tail", log, "--kind", "round"),
        "text": ("replay", log, "--text"),
    }
    for name, command in words.items():
        ran = cli(*command)
        assert ran.code == 1, (name, ran)
        assert ran.out, name
        assert "damaged" in ran.err, name
        assert "what comes before is sound" in ran.err, name
    for name in ("why", "stats", "export"):
        again = words[name] if name != "export" else ("export", log, "--out", tmp_path / "y.csv")
        assert "damaged" in cli(*again, "--json").json["broken"]
    assert cli("log", "stats", log, "--json").json["records"] == len(sound)
    assert (tmp_path / "x.csv").read_text(encoding="utf-8").count("\n") == len(sound) + 1
    rounds = [json.loads(line) for line in cli("log", "tail", log, "--kind", "round", "-n", 3, "--json").out.splitlines()]
    assert rounds == [row for row in sound if row["kind"] == "round"][-3:]
    assert log.read_bytes() == before, "readers never write"


def test_a_moment_after_the_break_is_not_made_up(whole: Path, tmp_path: Path, cli: Callable[..., Ran]) -> None:
    last = [row["id"] for row in records_of(whole) if row["kind"] == "round"][-1]

    ran = cli("why", damaged(whole, CUT, tmp_path), "--id", last)

    assert ran.code == 2
    assert "may stand after the damage" in ran.err


def test_a_whole_log_is_not_called_broken(whole: Path, tmp_path: Path, cli: Callable[..., Ran]) -> None:
    assert cli("why", whole, "--id", "rnd-1", "--json").json["broken"] is None
    assert cli("log", "stats", whole, "--json").json["broken"] is None
    assert cli("export", whole, "--out", tmp_path / "x.csv").code == 0
