"""Every command and every snippet of the documentation is run, in order, page by page; links and names are true."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(path.name for path in DOCS.glob("*.md"))
SHOWN = re.compile(r"^```(sh|python|toml)$", re.MULTILINE)
RUN = tuple(name for name in PAGES if SHOWN.search((DOCS / name).read_text(encoding="utf-8")))
Cli = Callable[..., Any]


def blocks(page: Path) -> list[tuple[str, str]]:
    return re.findall(r"^```(sh|python|toml)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN)
def test_every_block_of_a_page_runs(name: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = blocks(DOCS / name)
    assert found
    page = (DOCS / name).read_text(encoding="utf-8")
    for words, package in (("gymnasium", "gymnasium"), ("oneroom report", "scipy"), ("trials compare", "scipy")):
        if words in page:
            pytest.importorskip(package)
    for language, text in found:
        if language == "toml":
            first, _, rest = text.partition("\n")
            (tmp_path / first.removeprefix("# file: ")).write_text(rest, encoding="utf-8")
        elif language == "python":
            ran = python("-c", text, folder=tmp_path)
            assert ran.returncode == 0, f"{name}:\n{text}\n{ran.stderr}"
        else:
            for words in (shlex.split(line, comments=True) for line in text.splitlines()):
                if words:
                    assert words[0] == "oneroom"
                    told = cli(*words[1:])
                    # `diff` answers 1 where two logs differ, which is what the page shows.
                    assert told.code == (1 if words[1] == "diff" else 0), f"{' '.join(words)}\n{told.err}"
    if name == "tutorial.md":
        assert (tmp_path / "report.html").stat().st_size > 50_000


def python(*words: str, folder: Path = ROOT, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run Python in *folder* with this repository in its path."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, input=given, capture_output=True, text=True, check=False, encoding="utf-8"
    )


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere_and_snippets_parse(name: str) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        assert "://" in target or (DOCS / target).exists(), f"{name}: {target}"
    for language, snippet in blocks(DOCS / name):
        if language == "python":
            ast.parse(snippet)


def test_every_page_is_in_the_list() -> None:
    listed = (DOCS / "README.md").read_text(encoding="utf-8")

    assert not [name for name in PAGES if name != "README.md" and f"({name})" not in listed]


def test_the_reference_names_what_there_is_and_nothing_else() -> None:
    ran = python("-c", "import sys; sys.path.insert(0, 'docs'); import make_reference as made; sys.stdout.write(made.reference())")
    now, stands = ran.stdout, (DOCS / "reference.md").read_text(encoding="utf-8")
    named = [set(re.findall(r"^(?:### |\| )(`[^`]+`)", text, re.MULTILINE)) for text in (now, stands)]

    assert named[0] == named[1], "run: python docs/make_reference.py"


@pytest.mark.parametrize("name", ["visitor_scripted", "visitor_random"])
def test_an_example_visitor_visits(name: str) -> None:
    pytest.importorskip("gymnasium")
    ran = python(f"examples/{name}.py")

    assert ran.returncode == 0, ran.stderr
    assert "accepted" in ran.stdout
    assert "reward" in ran.stdout


def test_the_notebook_runs_from_top_to_bottom(tmp_path: Path) -> None:
    notebook = json.loads((ROOT / "examples" / "first_look.ipynb").read_text(encoding="utf-8"))
    code = "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")

    assert notebook["nbformat"] == 4
    assert all(cell["outputs"] == [] for cell in notebook["cells"] if cell["cell_type"] == "code")
    ran = python("-c", code, folder=tmp_path)
    assert ran.returncode == 0, ran.stderr


def test_the_two_readmes_show_the_same_commands() -> None:
    def shown(name: str) -> list[str]:
        text = (ROOT / name).read_text(encoding="utf-8")
        return [
            line.partition("#")[0].strip()
            for _, block in re.findall(r"^```(sh|python)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
            for line in block.splitlines()
        ]

    def listed(name: str) -> set[str]:
        rows = re.findall(r"^\| (`.*?`) \|", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        return {words for row in rows for words in re.findall(r"`([^`]*)`", row)}

    assert shown("README.md") == shown("README.zh.md")
    assert listed("README.md") == listed("README.zh.md")


def test_the_citation_names_this_version() -> None:
    import oneroom

    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {oneroom.__version__}" in text
    assert "cff-version: 1.2.0" in text


def test_the_tables_of_the_experiments_are_what_was_measured() -> None:
    code = "import sys; sys.path.insert(0, 'docs'); import make_experiments as made; sys.stdout.write(made.page(sys.stdin.read()))"
    stands = (DOCS / "experiments.md").read_text(encoding="utf-8")
    ran = python("-c", code, given=stands)

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == stands, "run: python docs/make_experiments.py"
    assert "| claim |" in stands
