"""The face: public names that exist, a start without heavy imports, and a plain word when a folder hides the house."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import oneroom

ROOT = Path(__file__).parent.parent
HEAVY = ("pydantic", "openai", "numpy", "rich", "mcp", "zstandard", "xllamacpp", "asyncio")


def python(
    code: str, *arguments: str, path: Path = ROOT, folder: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """Run *code* in a fresh Python that looks for modules in *path* first."""
    command = [sys.executable, "-c", code, *arguments]
    environment = {"PYTHONPATH": f"{path}:{ROOT}", "PATH": ""}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)


@pytest.mark.parametrize("name", list(oneroom.NAMES))
def test_every_public_name_exists(name: str) -> None:
    assert callable(getattr(oneroom, name))
    assert name in dir(oneroom)


def test_a_name_it_does_not_have_is_refused_with_the_ones_it_has() -> None:
    with pytest.raises(AttributeError, match="run_trial"):
        oneroom.run_trail  # noqa: B018


def test_neither_import_nor_help_loads_what_is_heavy() -> None:
    code = (
        "import sys, oneroom; sys.argv = ['oneroom', '--help']\ntry: oneroom.main()\n"
        f"finally: print([m for m in {HEAVY} if m in sys.modules])"
    )

    ran = python(code)

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == "[]"
    assert "verify" in ran.stdout


@pytest.mark.parametrize("name", oneroom.HOUSE)
def test_a_folder_that_hides_a_package_is_named_plainly(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("", encoding="utf-8")

    ran = python("import oneroom", path=tmp_path, folder=tmp_path)

    assert ran.returncode != 0
    assert str(tmp_path / name) in ran.stderr
    assert "rename" in ran.stderr


def test_a_plain_folder_of_the_same_name_hides_nothing(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()

    assert python("import oneroom", path=tmp_path, folder=tmp_path).returncode == 0


def test_the_wheel_holds_the_house_with_its_data_and_nothing_else(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    held = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]

    assert {name.split("/")[0].removesuffix(".py") for name in held} == {*oneroom.HOUSE, "oneroom"}
    assert not [name for name in held if "test" in Path(name).name.split("_") or name.endswith(".pyc")]
    for package in ("agent", "world", "interventions", "protocols"):
        source = {
            each.relative_to(ROOT).as_posix()
            for each in (ROOT / package).rglob("*")
            if each.suffix in (".py", ".toml")
        }
        assert source <= set(held)
