"""Every command and every Python block in the README is true."""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import bootstrap
import oneroom

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def shell_lines() -> list[list[str]]:
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    return [shlex.split(line, comments=True) for line in lines]


@cache
def command_tree() -> Any:
    return get_command(oneroom.command_line())


def named_commands() -> Iterator[list[str]]:
    """Yield every `oneroom ...` command that the README names, in blocks and in running text."""
    for words in shell_lines():
        if words[:1] == ["oneroom"]:
            yield words[1:]
    for row in re.findall(r"^\| (`.*?`) \|", README, re.MULTILINE):
        for words in map(shlex.split, re.findall(r"`([^`]*)`", row)):
            if words[0].endswith("/"):
                continue  # A row of the table of folders.
            yield words[1:] if words[0] == "oneroom" else words


@pytest.mark.parametrize("words", list(named_commands()), ids=" ".join)
def test_a_named_command_exists_with_the_options_named(words: list[str]) -> None:
    command = command_tree()
    rest = list(words)
    while rest and rest[0] in getattr(command, "commands", {}):
        command = command.commands[rest.pop(0)]

    assert not hasattr(command, "commands"), f"{' '.join(words)}: no such command"
    options = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
    for word in rest:
        if word.startswith("-"):
            assert word in options, f"{' '.join(words)}: no option {word}"


def walk(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, each in getattr(command, "commands", {}).items():
        yield (*path, name), each
        yield from walk(each, (*path, name))


LEAVES = [(path, each) for path, each in walk(command_tree()) if not hasattr(each, "commands")]


@pytest.mark.parametrize(("path", "command"), LEAVES, ids=[" ".join(path) for path, _ in LEAVES])
def test_every_command_says_what_it_does_and_shows_an_example(path: tuple[str, ...], command: Any) -> None:
    text = command.help or ""

    assert text.split("\n")[0].endswith("."), f"{path}: the first line of the help is a sentence"
    assert f"oneroom {' '.join(path)}" in (command.epilog or ""), f"{path}: an example of itself"


@pytest.mark.parametrize(("path", "command"), LEAVES, ids=[" ".join(path) for path, _ in LEAVES])
def test_every_command_is_in_the_readme(path: tuple[str, ...], command: Any) -> None:
    assert command is not None
    assert " ".join(path) in README


def test_the_readme_opens_with_the_two_commands_and_bootstrap_knows_them() -> None:
    first, second = shell_lines()[:2]

    assert README.split("```sh")[0].count("\n") < 6
    for words, verb in ((first, "run"), (second, "test")):
        assert words == ["python3", "bootstrap.py", verb]
        assert f"bootstrap.py {verb}" in (bootstrap.__doc__ or "")


@pytest.mark.slow
def test_every_command_of_the_blocks_runs_in_the_order_shown(
    cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # What the first block leaves behind; its model is tried where it is installed, by tests marked `real_model`.
    assert cli("run", "first_visit", "--model", "none").code == 0
    for words in shell_lines():
        if not words or words[0] == "source" or words[1:2] == ["bootstrap.py"]:
            continue
        if words[0] == "export":
            for each in words[1:]:
                monkeypatch.setenv(*each.partition("=")[::2])
            monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
            continue
        told = cli(*words[1:])
        # Nobody answers at that address here, and the check says so; the run ends all the same.
        assert told.code == (1 if words[1:] == ["llm", "check"] else 0), f"{' '.join(words)}\n{told.err}"
    assert (tmp_path / "runs/trials-my_study/report.html").stat().st_size > 50_000


def test_ci_calls_the_second_command() -> None:
    assert "python3 bootstrap.py test" in (ROOT / ".ci/run").read_text(encoding="utf-8")


def test_bootstrap_explains_itself_without_doing_anything() -> None:
    ran = subprocess.run(
        [sys.executable, str(ROOT / "bootstrap.py"), "--help"], capture_output=True, text=True, check=False
    )

    assert ran.returncode == 0
    assert "bootstrap.py test" in ran.stdout


def test_files_and_folders_that_the_readme_names_exist() -> None:
    named = re.findall(r"`([a-z_]+/[a-z_/]*(?:\.py)?|[a-z_]+\.py)`", README)

    assert named
    for name in named:
        assert name == "runs/" or (ROOT / name).exists(), name


@pytest.mark.parametrize("source", blocks("python"))
def test_python_blocks_use_names_that_exist_and_run(source: str) -> None:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "oneroom":
            assert callable(getattr(oneroom, node.attr))
    ran = subprocess.run(
        [sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True, check=False, encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "sys1" in ran.stdout
