"""Diff: the first difference of two logs, found without reading them whole, and their differing outcomes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from logs.reader import open_log
from logs.writer import LogWriter
from sim.diff import diff
from tests.trials_cases import a_log


def written(path: Path, count: int, *, changed: int | None = None, **header: Any) -> Path:
    """Write and seal a log of *count* ticks, of which one says something else."""
    writer = LogWriter.create(path, {"tick_ms": 100, "seed": 1, **header})
    for tick in range(count):
        said = "other" if tick == changed else "same"
        writer.append(
            tick, [{"kind": "note", "id": f"n-{tick}", "causes": [], "data": {"what": {"deep": said}}}]
        )
    return writer.seal({"status": "done", "counts": {"rounds": count}}).path


@pytest.mark.parametrize("changed", [0, 1, 777, 1999])
def test_the_first_differing_record_is_found_by_bisecting(tmp_path: Path, changed: int) -> None:
    one, other = written(tmp_path / "a", 2000), written(tmp_path / "b", 2000, changed=changed)
    found = diff(one, other)
    first = found["first_difference"]

    assert not found["same"]
    assert (first["tick"], first["record"], first["id"]) == (changed, changed + 1, f"n-{changed}")
    assert (first["field"], first["first"], first["second"]) == ("data.what.deep", "same", "other")
    with open_log(one) as reader:
        assert 0 < first["probes"] <= reader.frames.bit_length()


def test_equal_logs_are_the_same(tmp_path: Path) -> None:
    found = diff(written(tmp_path / "a", 500), written(tmp_path / "b", 500))

    assert found == {"same": True, "header": {}, "first_difference": None, "outcomes": {}}


@pytest.mark.parametrize("count", [400, 450, 600, 601])
def test_a_log_that_goes_on_differs_where_the_other_ends(tmp_path: Path, count: int) -> None:
    first = diff(written(tmp_path / "a", count), written(tmp_path / "b", 800))["first_difference"]

    assert first["tick"] == count - 1 or first["tick"] == count
    assert first["record"] == count + 1


def test_another_seed_differs_in_the_header_and_the_records_are_compared_all_the_same(tmp_path: Path) -> None:
    found = diff(written(tmp_path / "a", 300), written(tmp_path / "b", 300, seed=2, changed=250))

    assert found["header"] == {"seed": [1, 2]}
    assert found["first_difference"]["tick"] == 250


def test_a_running_log_can_be_compared(tmp_path: Path) -> None:
    sealed = written(tmp_path / "a", 300)
    writer = LogWriter.create(tmp_path / "b", {"tick_ms": 100, "seed": 1})
    writer.append(0, [{"kind": "note", "id": "n-0", "causes": [], "data": {"what": {"deep": "same"}}}])
    writer.abort()

    first = diff(sealed, tmp_path / "b")["first_difference"]
    assert (first["tick"], first["field"], first["second"]) == (1, "record", None)


def test_two_seeds_of_a_trial_show_their_differing_outcomes(tmp_path: Path) -> None:
    one, other = (a_log(tmp_path / str(seed), "first_visit", seed=seed) for seed in (7, 11))
    found = diff(one, other)

    assert found["header"]["seed"] == [7, 11]
    assert found["first_difference"] is not None
    assert "digest" in found["outcomes"]
    again = diff(one, a_log(tmp_path / "again", "first_visit", seed=7))
    assert again["same"]
