"""Commands over declarations: every shipped protocol and persona is sound, and what is wrong is told with its line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from protocols.library import shipped_personas, shipped_protocols

Cli = Callable[..., Any]
PROMISED = {"first_visit", "quiet_day", "week", "near_tie", "refusals"}


def a_protocol(cli: Cli, folder: Path, **changes: str) -> Path:
    """Write a new protocol, with lines of its text changed, and return its path."""
    path = folder / "mine.toml"
    assert cli("protocol", "new", "mine", "--out", path).code == 0
    text = path.read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_promised_protocols_are_shipped_and_listed(cli: Cli) -> None:
    listed = {each["id"] for each in cli("protocol", "list", "--json").json["protocols"]}

    assert listed == set(shipped_protocols())
    assert listed >= PROMISED


@pytest.mark.parametrize("name", shipped_protocols())
def test_a_shipped_protocol_is_sound_and_can_be_shown(cli: Cli, name: str) -> None:
    checked = cli("protocol", "check", name, "--json").json

    assert checked["ok"] is True
    assert checked["trials"] >= 1
    shown = cli("protocol", "show", name)
    assert shown.code == 0
    assert "dialogue" in shown.out


def test_there_are_four_personas_and_each_is_sound(cli: Cli) -> None:
    listed = {each["id"] for each in cli("persona", "list", "--json").json["personas"]}

    assert listed == set(shipped_personas())
    assert len(listed) >= 4
    for name in listed:
        assert cli("persona", "check", name).code == 0


def test_a_new_protocol_is_sound_as_it_stands(cli: Cli, tmp_path: Path) -> None:
    assert cli("protocol", "check", a_protocol(cli, tmp_path)).code == 0


def test_a_new_protocol_overwrites_nothing(cli: Cli, tmp_path: Path) -> None:
    path = a_protocol(cli, tmp_path)
    before = path.read_bytes()

    ran = cli("protocol", "new", "mine", "--out", path)

    assert ran.code == 2
    assert "nothing was changed" in ran.err
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["Bad Id", "1st", "../x", 'a"b'])
def test_a_bad_id_is_refused_before_anything_is_written(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)

    assert cli("protocol", "new", name).code == 2
    assert not list(tmp_path.iterdir())


def test_an_unknown_key_is_told_with_file_line_and_the_nearest_name(cli: Cli, tmp_path: Path) -> None:
    path = a_protocol(cli, tmp_path, **{"duration =": "duratoin ="})
    line = next(
        number
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if "duratoin" in text
    )

    ran = cli("protocol", "check", path)

    assert ran.code == 2
    assert f"{path}:{line}" in ran.err
    assert "duration" in ran.err


def test_an_object_that_the_room_does_not_have_is_told(cli: Cli, tmp_path: Path) -> None:
    ran = cli(
        "protocol",
        "check",
        a_protocol(cli, tmp_path, **{'objects = ["window"]': 'objects = ["window", "windwo"]'}),
        "--json",
    )

    assert ran.code == 2
    assert "windwo" in ran.json["error"]["what"]


def test_an_unknown_arm_names_those_there_are(cli: Cli, tmp_path: Path) -> None:
    ran = cli("protocol", "show", a_protocol(cli, tmp_path), "--arm", "linn")

    assert ran.code == 2
    assert "lin" in ran.err


def test_a_seed_that_is_not_declared_makes_the_trial_exploratory(cli: Cli, tmp_path: Path) -> None:
    shown = cli("protocol", "show", a_protocol(cli, tmp_path), "--seed", 99, "--json").json

    assert shown["exploratory"] is True
    assert any("99" in reason for reason in shown["reasons"])
