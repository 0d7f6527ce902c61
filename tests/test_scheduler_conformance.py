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
