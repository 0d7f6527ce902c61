"""Every recorded value of the reference scheduler replays in compat="reference"."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trials.experiments import conformance

DATA = conformance.SHIPPED
RECORDINGS = sorted(DATA.glob("*.jsonl.zst"))


def test_the_folder_of_recordings_replays_without_a_difference() -> None:
    lines = list(conformance.run(quick=True))

    assert [line["claim"] for line in lines if not line["pass"]] == []
    assert lines[-1]["compared"] > 190_000


def test_no_recording_is_left_out() -> None:
    claims = [line["claim"] for line in conformance.run(quick=True)]

    skipped = [f.name for f in RECORDINGS if not any(f.name in claim for claim in claims)]
    assert skipped == ["eval_synth_instances.jsonl.zst"], "instances are input, the rest is compared"


def test_one_changed_number_is_noticed(tmp_path: Path) -> None:
    rows = conformance.read_lines(DATA / "core_selfmodel_1.jsonl.zst")
    rows[200]["state" if rows[200]["op"] == "learn" else "out"]["mu"] += 1e-9
    (tmp_path / "core_selfmodel_1.jsonl").write_text("\n".join(json.dumps(row) for row in rows))

    lines = list(conformance.replay_folder(tmp_path))

    assert not lines[-1]["pass"]
    assert len(lines[-1]["differences"]) == 1


@pytest.mark.parametrize("folder", ["", "nowhere"])
def test_an_empty_or_missing_folder_does_not_pass(tmp_path: Path, folder: str) -> None:
    lines = list(conformance.run(data=tmp_path / folder))

    assert not lines[-1]["pass"]


@pytest.mark.parametrize("name", ["s05_skill_reuse", "core_selfmodel_3", "core_clusters", "core_skills", "vectors"])
def test_a_recording_by_another_name_is_known_by_its_content(tmp_path: Path, name: str) -> None:
    rows = conformance.read_lines(DATA / f"{name}.jsonl.zst")
    (tmp_path / "found_elsewhere.jsonl").write_text("\n".join(json.dumps(row) for row in rows))

    lines = list(conformance.replay_folder(tmp_path))

    assert [line["claim"] for line in lines] == ["found_elsewhere.jsonl replays", "all 1 recordings replay"]
    assert lines[-1]["pass"]
    assert lines[-1]["compared"] > 10


BROKEN = [
    "{", "[1, 2]", "7", '{"kind": "meta", "attest_secret": "k"}\n{"kind": "call", "server": "third", "response": {}}',
    '{"op": "addStep", "id": "n0"}', '{"fn": "round4"}', '{"kind": "meta", "initial": {}, "opts": 3}', "\udcff",
]  # fmt: skip


@pytest.mark.parametrize("text", BROKEN)
@pytest.mark.parametrize("name", ["s31_broken.jsonl", "core_selfmodel_9.jsonl", "whatever.jsonl"])
def test_a_broken_recording_is_a_difference_and_no_traceback(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_bytes(text.encode("utf-8", "surrogateescape"))

    lines = list(conformance.replay_folder(tmp_path))

    assert not lines[-1]["pass"]
    assert all("Traceback" not in str(line) for line in lines)


def test_what_is_no_recording_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "eval_synth_controls.json").write_text("[]")

    lines = list(conformance.replay_folder(tmp_path))

    assert lines[0]["measured"] == "eval_synth_controls.json, notes.txt"
    assert not lines[-1]["pass"], "nothing was replayed"
