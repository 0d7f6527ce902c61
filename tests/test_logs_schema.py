"""Every version of the log opens for ever; what may change without a new version is held to that."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from logs_cases import Memory, layout, write_part

import logs.kinds
from logs.check import check
from logs.faults import LogError
from logs.kinds import KINDS, SCHEMA_VERSION
from logs.migrate import STEPS, Step, steps_from
from logs.reader import LogReader, open_log
from logs.record import LINK_BYTES, linked

DATA = Path(__file__).parent / "data"
HEADS = {1: "c0eb34b57b43301fa2effc06e7696f56"}
"""Head of the golden log of each schema. A line is added with each new schema; none ever changes."""


def test_there_is_a_golden_log_and_a_step_for_every_schema() -> None:
    assert set(HEADS) == set(range(1, SCHEMA_VERSION + 1))
    assert set(STEPS) == set(range(1, SCHEMA_VERSION))


@pytest.mark.parametrize("schema", HEADS)
@pytest.mark.parametrize("form", ["part", "zst"])
def test_a_log_of_every_schema_still_opens(schema: int, form: str) -> None:
    path = DATA / f"log-schema-{schema}.jsonl.{form}"

    checked = check(path)

    assert checked.ok
    assert checked.head == HEADS[schema]
    with open_log(path) as log:
        assert log.header["seed"] == 7
        records = list(log.records())
    assert len(records) == checked.records
    assert records[-1]["kind"] == "end"
    assert {record["kind"] for record in records} <= set(KINDS), "a kind was renamed without a step"
    for record in records:
        lost = record["data"].keys() - KINDS[record["kind"]].fields.keys()
        assert not lost, f"{record['kind']}: fields {lost} were renamed without a step"


def renamed(steps: Mapping[int, Step]) -> dict[int, Step]:
    """Return a step more: schema 2 calls the seed "root" and a note "remark"."""

    def header(old: dict[str, Any]) -> dict[str, Any]:
        return {**{key: value for key, value in old.items() if key != "seed"}, "root": old["seed"]}

    def record(old: dict[str, Any]) -> dict[str, Any]:
        return {**old, "kind": "remark"} if old["kind"] == "note" else old

    return {**steps, max(steps, default=0) + 1: Step(header, record)}


def test_an_old_log_is_lifted_in_memory_and_left_alone_on_the_disk() -> None:
    path = DATA / "log-schema-1.jsonl.zst"
    before = path.read_bytes()

    with LogReader(path, steps=renamed(STEPS)) as log:
        assert log.header["root"] == 7
        assert "seed" not in log.header
        kinds = [record["kind"] for record in log.records()]

    assert "remark" in kinds
    assert "note" not in kinds
    assert path.read_bytes() == before


def test_steps_are_taken_in_order_from_the_schema_of_the_log() -> None:
    steps = renamed(renamed(STEPS))

    assert steps_from(SCHEMA_VERSION, STEPS) == ()
    assert steps_from(1, steps) == tuple(steps[version] for version in sorted(steps))
    assert steps_from(2, steps) == tuple(steps[version] for version in sorted(steps) if version >= 2)


def test_a_log_of_a_newer_version_is_refused_with_a_reason(tmp_path: Path) -> None:
    write_part(tmp_path / "a", []).abort()
    _, _, [line] = next(layout((tmp_path / "a.jsonl.part").read_bytes()))
    text = line[:-LINK_BYTES].decode().replace('"schema":1', '"schema":99') + "}"

    with pytest.raises(LogError, match="schema 99, this version reads 1 to"):
        open_log(tmp_path / "a.jsonl.part", disk=Memory(linked(text, bytes(16))[0]))


def test_fields_that_the_table_lacks_are_read_all_the_same(tmp_path: Path) -> None:
    writer = write_part(tmp_path / "a", [])
    writer.append(1, [{"kind": "note", "data": {"text": "x", "of_a_later_version": [1]}}])

    with open_log(tmp_path / "a") as log:
        assert next(log.records())["data"]["of_a_later_version"] == [1]


def test_every_kind_and_field_says_what_it_is() -> None:
    for name, kind in KINDS.items():
        assert name.isidentifier()
        assert name == name.lower()
        assert kind.doc.strip()
        for field, doc in kind.fields.items():
            assert field, name
            assert doc.strip(), f"{name}.{field}"


def test_the_table_names_each_kind_once() -> None:
    tree = ast.parse(Path(logs.kinds.__file__).read_text(encoding="utf-8"))
    keys = [
        key.value
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Dict)
        for key in node.value.keys
        if isinstance(key, ast.Constant)
    ]

    assert sorted(keys) == sorted(KINDS)


def test_the_golden_log_of_this_schema_shows_kinds_in_plain_json() -> None:
    lines = (DATA / f"log-schema-{SCHEMA_VERSION}.jsonl.part").read_bytes().splitlines()

    assert json.loads(lines[0])["format"] == "oneroom.log"
    assert [json.loads(line)["seq"] for line in lines[1:]] == list(range(1, len(lines)))
