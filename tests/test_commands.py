"""Commands that need no run of their own: log, room, doctor, help. Each is called as a person calls it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from logs.writer import LogWriter
from sim import library
from sim.room_map import draw, legend

Cli = Callable[..., Any]


def a_log(folder: Path, *, sealed: bool = True, ticks: int = 3) -> Path:
    """Write a small log and return its path."""
    writer = LogWriter.create(folder / "small", {"mode": "trial", "seed": 7})
    for tick in range(ticks):
        records = [
            {"tick": tick, "kind": "fact", "id": f"evt-{tick}", "causes": [], "data": {"fact": "sound"}}
        ]
        writer.append(tick, records)
    if not sealed:
        writer.abort()
        return folder / "small.jsonl.part"
    return writer.seal({"status": "done"}).path


def test_log_tail_shows_the_last_records(cli: Cli, tmp_path: Path) -> None:
    ran = cli("log", "tail", a_log(tmp_path), "--count", 2, "--kind", "fact", "--json")

    assert ran.code == 0
    assert '"id":"evt-2"' in ran.out.splitlines()[-1]
    assert len(ran.out.splitlines()) == 2


@pytest.mark.parametrize("sealed", [True, False])
def test_log_stats_counts_a_sealed_and_a_torn_log(cli: Cli, tmp_path: Path, sealed: bool) -> None:
    found = cli("log", "stats", a_log(tmp_path, sealed=sealed), "--json").json

    assert found["sealed"] is sealed
    assert found["kinds"]["fact"] == 3
    assert found["seed"] == 7
    assert (found["end"] is not None) is sealed


def test_log_check_accepts_a_sound_log_and_finds_a_flipped_byte(cli: Cli, tmp_path: Path) -> None:
    log = a_log(tmp_path, sealed=False)
    assert cli("log", "check", log).code == 0

    stored = bytearray(log.read_bytes())
    stored[stored.rindex(b"evt-1") + 4] ^= 1
    log.write_bytes(stored)
    ran = cli("log", "check", log, "--json")

    assert ran.code == 1
    assert ran.json["ok"] is False
    assert ran.json["damage"]["tick"] == 1


def test_a_torn_log_is_told_from_a_damaged_one(cli: Cli, tmp_path: Path) -> None:
    log = a_log(tmp_path, sealed=False)
    log.write_bytes(log.read_bytes()[:-7])
    ran = cli("log", "check", log)

    assert ran.code == 1
    assert "Damaged" not in ran.out
    assert f"--resume {log}" in ran.out


@pytest.mark.parametrize("name", ["", "..", ".jsonl.zst"])
def test_a_log_without_a_name_is_refused(cli: Cli, name: str) -> None:
    ran = cli("run", "near_tie", "--model", "none", "--out", name)

    assert (ran.code, "no name" in ran.err) == (2, True)


def test_a_missing_log_is_bad_input(cli: Cli, tmp_path: Path) -> None:
    for command in ("tail", "stats", "check"):
        ran = cli("log", command, tmp_path / "nothing.jsonl.zst")
        assert ran.code == 2, ran.err
        assert "nothing.jsonl.zst" in ran.err


def test_a_text_file_is_no_log(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello\n", encoding="utf-8")

    ran = cli("log", "stats", path)

    assert ran.code == 2
    assert "Traceback" not in ran.err


def test_every_shipped_room_is_listed_sound_and_drawn(cli: Cli) -> None:
    listed = [each["id"] for each in cli("room", "list", "--json").json["rooms"]]

    assert listed == library.rooms()
    for name in listed:
        assert cli("room", "check", name).code == 0
        assert "@" in cli("room", "draw", name).out


def test_the_map_shows_every_thing_on_the_floor_once_in_the_legend() -> None:
    spec = library.room("studio")
    codes = [code for code, *_ in legend(spec)]

    assert len(set(codes)) == len(codes)
    assert "??" not in codes
    lines = draw(spec)
    assert {len(line) for line in lines} == {2 * spec.width + 2}
    assert len(lines) == spec.height + 2


def test_a_broken_room_is_told_with_place_and_mend(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text('id = "bad"\nsiez = [1, 2]\n', encoding="utf-8")

    ran = cli("room", "check", path, "--json")

    assert ran.code == 2
    assert "siez" in ran.out
    assert ran.json["error"]["mend"]


def test_doctor_looks_without_asking_anyone(cli: Cli) -> None:
    ran = cli("doctor", "--offline", "--json")

    assert ran.code == (1 if ran.json["problems"] else 0)
    assert {"python", "packages", "display", "endpoint", "local_model", "problems"} <= ran.json.keys()
    assert set(ran.json["endpoint"]) == {"url", "reachable", "model", "json_schema"}
    assert ran.json["packages"]["pydantic"]


def test_doctor_and_llm_check_say_so_when_the_endpoint_is_dead(cli: Cli) -> None:
    assert any("OPENAI_BASE_URL" in each for each in cli("doctor", "--json").json["problems"])

    ran = cli("llm", "check", "--json")

    assert ran.code == 1
    assert ran.json["reachable"] is False
    assert "no-key" not in ran.out + ran.err
