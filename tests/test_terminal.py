"""Faults are told plainly, exit codes hold, and standard output stays clean for machines."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from typing import Any

import pytest
import typer

from sim.terminal import Fault, enter, make_app, say, words


def leave(
    capsys: pytest.CaptureFixture[str], fault: BaseException | None, *more: str
) -> tuple[int, str, str]:
    """Call a command that raises *fault* and return (exit code, standard output, standard error)."""
    app = make_app("0")

    @app.command()
    def act(as_json: bool = typer.Option(False, "--json")) -> None:
        if fault is not None:
            raise fault
        say("{}" if as_json else "fine")

    with pytest.raises(SystemExit) as left:
        enter(app, ["act", *more])
    out, err = capsys.readouterr()
    return int(left.value.code or 0), out, err


FAULTS = [
    (Fault("no such arm", where="p.toml:7", mend="choose one of a, b"), 2, "no such arm"),
    (ValueError("a plain one"), 2, "a plain one"),
    (FileNotFoundError(errno.ENOENT, "No such file or directory", "x.toml"), 2, "No such file"),
    (OSError(errno.EROFS, "Read-only file system", "runs/a"), 2, "choose another path"),
    (OSError(errno.ENAMETOOLONG, "File name too long", "a"), 2, "too long"),
    (OSError(errno.ENOSPC, "No space left on device", "runs/a"), 3, "No space left"),
    (OSError(errno.EIO, "Input/output error", "runs/a"), 3, "Input/output"),
    (ModuleNotFoundError("No module named 'pygame'", name="pygame"), 2, "pygame"),
    (AssertionError("a promise is broken"), 3, "own"),
    (KeyError("lost"), 3, "own"),
    (KeyboardInterrupt(), 3, "stopped"),
]


@pytest.mark.parametrize(
    ("fault", "code", "text"), FAULTS, ids=[type(each[0]).__name__ + str(i) for i, each in enumerate(FAULTS)]
)
def test_a_fault_is_one_plain_message_with_its_exit_code(
    capsys: pytest.CaptureFixture[str], fault: BaseException, code: int, text: str
) -> None:
    left, out, err = leave(capsys, fault)

    assert left == code
    assert out == ""
    assert text in err
    assert "Traceback" not in err
    assert err.startswith("oneroom: ")


def test_a_fault_names_the_place_and_the_mend(capsys: pytest.CaptureFixture[str]) -> None:
    _, _, err = leave(capsys, FAULTS[0][0])

    assert "where: p.toml:7" in err
    assert "mend: choose one of a, b" in err


def test_with_json_a_fault_is_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = leave(capsys, FAULTS[0][0], "--json")

    told: dict[str, Any] = json.loads(out)
    assert told["error"] == {"what": "no such arm", "where": "p.toml:7", "mend": "choose one of a, b"}
    assert told["exit"] == code == 2


def test_debug_shows_the_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    app = make_app("0")

    @app.command()
    def act() -> None:
        raise Fault("deep")

    with pytest.raises(Fault, match="deep"):
        enter(app, ["act", "--debug"])
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("arguments", [["nosuch"], ["act", "--nosuch"], ["act", "too", "many"]])
def test_wrong_use_is_exit_code_2_and_names_help(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    app = make_app("0")

    @app.command()
    def act() -> None:
        say("fine")

    with pytest.raises(SystemExit) as left:
        enter(app, arguments)

    assert left.value.code == 2
    assert "--help" in capsys.readouterr().err


def test_what_goes_well_is_exit_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert leave(capsys, None) == (0, "fine\n", "")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        ("", "-"),
        (True, "yes"),
        (0, "0"),
        (0.5, "0.5"),
        ([], "-"),
        ({"a": 1, "b": [2, 3]}, "a 1, b 2, 3"),
    ],
)
def test_a_cell_reads_well(value: Any, text: str) -> None:
    assert words(value) == text


def test_a_bare_command_gives_its_help_and_wrong_use_names_the_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as left:
        enter(make_app("0"), [])
    assert (left.value.code, capsys.readouterr().err.split()[:2]) == (2, ["Usage:", "oneroom"])

    _, _, err = leave(capsys, None, "--nonsense")
    assert "where: oneroom act" in err


def test_a_terminal_that_lacks_a_character_is_no_reason_to_fail() -> None:
    for asked in (
        ["--help"],
        ["persona", "list"],
        ["persona", "list", "--json"],
        ["room", "draw", "minimal"],
    ):
        ran = subprocess.run(
            [sys.executable, "-m", "oneroom", *asked],
            env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        if "--json" in asked:
            json.loads(ran.stdout)
