"""The campaigns of hostile replies, texts and transports: every case of the shipped files, in a real kernel."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from trials.experiments import hostile_replies, hostile_texts, transports
from trials.experiments.hostile_cases import FOLDER, CaseError, cases


def all_hold(lines: Iterator[dict[str, Any]]) -> None:
    found = list(lines)
    assert found
    assert [each for each in found if not each["pass"]] == []


def test_malformed_replies_become_no_decision_in_any_state() -> None:
    all_hold(hostile_replies.run(count=1))


def test_mutated_replies_are_refused_or_legal() -> None:
    all_hold(hostile_replies.mutants(2_000))


def test_a_blindly_obedient_model_brings_about_no_more_than_a_legal_decision(tmp_path: Path) -> None:
    lines = list(hostile_texts.run(cases_file=every(9, "hostile_texts.dev.jsonl", tmp_path)))
    all_hold(iter(lines))
    assert lines[-1]["obeyed_and_committed"] > 20, "a model that is never heard proves nothing"


def test_two_texts_one_after_the_other_bring_about_no_more_either() -> None:
    lines = list(hostile_texts.pairs(cases("texts", None), (7, 101), 6))
    all_hold(iter(lines))
    assert lines[-1]["requests_answered"] > 6


def test_a_text_is_tried_in_every_channel_when_asked_in_full(tmp_path: Path) -> None:
    lines = list(hostile_texts.run(quick=False, cases_file=every(90, "hostile_texts.dev.jsonl", tmp_path), seeds=2, count=0))
    all_hold(iter(lines))
    assert lines[-1]["measured"] == [2 * (2 * 3 + 6)] * 2


OWN = Path(__file__).parent / "data/hostile_own"
"""Cases of the same form, written after the shipped ones were met: each kind in other words."""


def test_other_malformed_replies_of_the_same_form_end_as_expected(tmp_path: Path) -> None:
    all_hold(hostile_replies.run(cases_file=every(4, "malformed_replies.jsonl", tmp_path, OWN), count=1))


def test_other_texts_of_the_same_form_bring_about_no_more_either(tmp_path: Path) -> None:
    all_hold(hostile_texts.run(cases_file=every(10, "hostile_texts.jsonl", tmp_path, OWN)))


@pytest.mark.campaign
def test_every_other_case_of_the_same_form_ends_as_expected() -> None:
    all_hold(hostile_replies.run(cases_file=OWN / "malformed_replies.jsonl", count=1))
    all_hold(hostile_texts.run(cases_file=OWN / "hostile_texts.jsonl", quick=False, seeds=2, count=20))
    all_hold(transports.run(cases_file=OWN / "transport_faults.jsonl"))


def every(step: int, name: str, folder: Path, source: Path = FOLDER) -> Path:
    """Return a case file with every *step*-th row of one that is kept."""
    rows = (source / name).read_text(encoding="utf-8").splitlines()[::step]
    file = folder / "some.jsonl"
    file.write_text("\n".join(rows), encoding="utf-8")
    return file


@pytest.mark.campaign
def test_every_hostile_text_through_every_channel() -> None:
    all_hold(hostile_texts.run(quick=False))


@pytest.mark.campaign
def test_transport_faults_end_as_expected_in_any_state() -> None:
    all_hold(transports.run())


@pytest.mark.campaign
def test_a_hundred_thousand_mutated_replies() -> None:
    all_hold(hostile_replies.mutants(100_000))


def test_a_planted_wrong_expectation_is_found(tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text(
        '{"id": "X1", "name": "right", "layer": "baseline", "expect": "reject", "body": "{\\"request_id\\": \\"{{REQ}}\\", '
        '\\"version\\": \\"{{VER}}\\", \\"type\\": \\"choose\\", \\"choice\\": \\"{{CAND_OK}}\\"}"}\n',
        encoding="utf-8",
    )
    lines = list(hostile_replies.run(cases_file=file, count=1))

    assert next(each["claim"] for each in lines if not each["pass"]) == "X1 right (idle)"


@pytest.mark.parametrize("text", ["{", '["x"]', '{"id": "X"}', '{"expect": "reject"}'])
def test_a_case_file_of_another_form_is_named_with_its_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text(f"\n{text}\n", encoding="utf-8")

    with pytest.raises(CaseError, match=r"own\.jsonl:2"):
        cases("replies", file)
