"""The house rules, checked by reading the source with the standard library alone.

Each rule is one test. When one fails, it names the file and the line to mend.
"""

from __future__ import annotations

import ast
import tomllib
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Who may import whom, whole folders at a time. What is not listed is forbidden.
FLOORS: dict[str, set[str]] = {
    "world": set(),
    "agent": set(),
    "interventions": set(),
    "logs": set(),
    "protocols": {"interventions"},
    "sim": {"world", "agent", "interventions", "logs", "protocols"},
    "trials": {"sim", "logs", "protocols", "agent"},
    "oneroom": {"trials", "sim", "protocols", "logs", "interventions", "agent", "world"},
}

COMMANDS = (
    "oneroom.py",
    "sim/commands.py",
    "sim/commands_declared.py",
    "sim/commands_log.py",
    "sim/commands_mind.py",
    "sim/commands_window.py",
    "sim/terminal.py",
    "sim/doctor.py",
    "trials/commands.py",
    "trials/commands_batch.py",
    "trials/commands_ending.py",
    "trials/commands_report.py",
)
# The shell of a run, and what reads a finished one.
SHELL = (
    *("sim/session.py", "sim/simulation.py", "sim/playback.py", "sim/replay.py", "sim/why.py", "sim/diff.py"),
    *("sim/fork.py", "sim/declare.py", "sim/mind_view.py", "sim/reuse.py"),
)
LIBRARIES = ("sim/library.py", "protocols/library.py", "protocols/persona.py")
# Every file whose name starts so: the model gateway is split into several.
GATEWAY = ("sim/gateway",)
SERVERS = ("sim/mcp_server.py", "sim/scheduler_store.py", "sim/scheduler_tools.py")
WINDOWS = ("sim/window/", "sim/live.py", "sim/export_frames.py", "sim/gym_env.py")
BATCHES = (
    *("trials/supervisor", "trials/store", "trials/experiments/", "trials/oracle", "trials/metrics", "trials/report"),
    *("trials/intuition_checker.py", "trials/doubt.py"),
)

# The rim: the only files, or folders, that may touch a clock, a wire, a disk, a thread or a screen. A longer
# name wins over a shorter one; None allows it everywhere.
RIM: dict[str, tuple[str, ...] | None] = {
    "openai": GATEWAY,
    "tenacity": GATEWAY,
    "httpx": GATEWAY,
    "httpx2": GATEWAY,
    "urllib": GATEWAY,
    "urllib.parse": None,
    "socket": (*GATEWAY, "trials/experiments/endpoints.py", "trials/experiments/fault_server.py", "trials/experiments/cluster.py"),
    "ssl": GATEWAY,
    "http": GATEWAY,
    "xllamacpp": ("sim/gateway_local.py",),
    "threading": (*GATEWAY, *SHELL, *BATCHES, *SERVERS, *WINDOWS),
    "concurrent": (*GATEWAY, *SHELL, *BATCHES),
    "queue": (*GATEWAY, *SHELL, *BATCHES, *WINDOWS),
    "asyncio": (*GATEWAY, *SERVERS),
    "multiprocessing": BATCHES,
    "subprocess": BATCHES,
    "signal": (*SHELL, *BATCHES, *COMMANDS),
    "os": (*GATEWAY, "logs/", *SHELL, *BATCHES, *SERVERS, *WINDOWS, *COMMANDS),
    "fcntl": ("logs/", *SERVERS),
    "msvcrt": ("logs/",),
    "mmap": ("logs/",),
    "shutil": ("logs/", *SHELL, *BATCHES, *COMMANDS),
    "tempfile": (*BATCHES, *SERVERS),
    "sys": ("logs/", *GATEWAY, *SHELL, *BATCHES, *SERVERS, *WINDOWS, *COMMANDS),
    "platform": ("logs/", *SHELL, *BATCHES, *COMMANDS),
    "time": (*GATEWAY, "logs/", *SHELL, *BATCHES, *SERVERS, *WINDOWS, *COMMANDS),
    "pathlib": ("logs/", *LIBRARIES, *GATEWAY, *SHELL, *BATCHES, *SERVERS, *WINDOWS, *COMMANDS),
    "importlib": ("sim/codec.py", "sim/constants.py", "sim/export_frames.py", *LIBRARIES, *GATEWAY, *BATCHES, *COMMANDS),
    "zstandard": ("logs/", "trials/experiments/"),
    "pygame": ("sim/window/",),
    "mcp": ("sim/mcp_server.py",),
    "gymnasium": ("sim/gym_env.py",),
    "rich": COMMANDS,
    "typer": COMMANDS,
    "argparse": (),
    "logging": SERVERS,
    "secrets": SERVERS,
    "random": (),
    "uuid": (),
    "datetime": (),
}

# Built-ins whose answer depends on the process, the disk or the reader's screen.
BANNED_CALLS = {"open", "print", "input", "hash", "id", "eval", "exec", "globals", "locals", "vars"}
# Who weighs objects has to know which of them are one and the same; no result depends on the number itself.
BANNED_CALLS_EXCEPT = {("trials/experiments/memory_tiers.py", "id")}
# Methods that use the platform's own encoding unless told otherwise, and where among their arguments it stands.
NEEDS_ENCODING = {"read_text": 0, "write_text": 1}

# Where numbers are whole: a float there would not replay alike on every machine.
WHOLE_NUMBERS = (
    "agent/",
    "world/",
    "interventions/",
    "sim/kernel.py",
    "sim/veil.py",
    "sim/state.py",
    "sim/chance.py",
    "sim/codec.py",
)
# Integer arithmetic by another name, or display and pure experiments that no tick depends on.
WHOLE_NUMBERS_EXCEPT = ("agent/scheduler/", "agent/uncertainty.py")

LINES_MAX = 300
FUNCTION_LINES_MAX = 60

SOURCES = sorted(
    path.relative_to(ROOT).as_posix()
    for top in FLOORS
    for path in ([ROOT / f"{top}.py"] if top == "oneroom" else (ROOT / top).rglob("*.py"))
)


@cache
def parse(source: str) -> ast.Module:
    return ast.parse((ROOT / source).read_text(encoding="utf-8"), filename=source)


def floor_of(source: str) -> str:
    return Path(source).parts[0].removesuffix(".py")


def imported(source: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(parse(source)):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield node.lineno, name.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{source}:{node.lineno}: write the import in full"
            yield node.lineno, node.module or ""


def test_there_is_a_house() -> None:
    assert {floor_of(source) for source in SOURCES} == set(FLOORS)


@pytest.mark.parametrize("source", SOURCES)
def test_imports_only_run_down(source: str) -> None:
    here = floor_of(source)
    for line, module in imported(source):
        there = module.split(".")[0]
        if there in FLOORS and there != here:
            assert there in FLOORS[here], f"{source}:{line}: {here} must not know {there}"
        assert there not in ("tests", "benchmarks", "bootstrap"), (
            f"{source}:{line}: {there} is not in the wheel"
        )


@pytest.mark.parametrize("source", SOURCES)
def test_only_the_rim_touches_the_outside(source: str) -> None:
    for line, module in imported(source):
        allowed = RIM[module] if module in RIM else RIM.get(module.split(".")[0])
        if allowed is not None:
            assert source.startswith(allowed), f"{source}:{line}: {module} belongs at the rim"
    for node in ast.walk(parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            allowed_here = (source, node.func.id) in BANNED_CALLS_EXCEPT
            assert allowed_here or node.func.id not in BANNED_CALLS, f"{source}:{node.lineno}: no {node.func.id}() here"
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in NEEDS_ENCODING
        ):
            named = any(word.arg == "encoding" for word in node.keywords)
            placed = len(node.args) > NEEDS_ENCODING[node.func.attr]
            assert named or placed, f"{source}:{node.lineno}: {node.func.attr} must name its encoding"


@pytest.mark.parametrize(
    "source", [s for s in SOURCES if s.startswith(WHOLE_NUMBERS) and not s.startswith(WHOLE_NUMBERS_EXCEPT)]
)
def test_the_core_counts_in_whole_numbers(source: str) -> None:
    for node in ast.walk(parse(source)):
        where = f"{source}:{getattr(node, 'lineno', 0)}"
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), f"{where}: a float"
        assert not (isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div)), (
            f"{where}: / makes floats, use //"
        )
        assert not (isinstance(node, ast.Name) and node.id == "float"), (
            f"{where}: float() has no place in the core"
        )


@pytest.mark.parametrize("source", [s for s in SOURCES if s.startswith(WHOLE_NUMBERS)])
def test_the_core_never_walks_over_a_set(source: str) -> None:
    """Order in a set depends on the process. What can be seen from the text alone is caught here."""
    for node in ast.walk(parse(source)):
        walked = [node.iter] if isinstance(node, ast.For | ast.comprehension) else []
        for each in walked:
            made = isinstance(each, ast.Set | ast.SetComp)
            called = (
                isinstance(each, ast.Call)
                and isinstance(each.func, ast.Name)
                and each.func.id in ("set", "frozenset")
            )
            assert not made, f"{source}:{each.lineno}: a loop over a set"
            assert not called, f"{source}:{each.lineno}: a loop over a set"


@pytest.mark.parametrize("source", SOURCES)
def test_a_file_says_what_it_is(source: str) -> None:
    assert ast.get_docstring(parse(source)), f"{source}: the first line must say what the file is"


@pytest.mark.parametrize("source", [s for s in SOURCES if s.endswith("__init__.py")])
def test_a_package_head_is_a_docstring_and_nothing_else(source: str) -> None:
    assert len(parse(source).body) == 1, f"{source}: only the docstring"


def test_what_another_file_imports_says_what_it_does() -> None:
    """A name is public when another file of ours imports it; then it needs a docstring."""
    used = {
        (node.module.replace(".", "/") + ".py", name.name)
        for source in SOURCES
        for node in ast.walk(parse(source))
        if isinstance(node, ast.ImportFrom) and node.module
        for name in node.names
    }
    mute = [
        f"{source}:{node.lineno}: {node.name}"
        for source in SOURCES
        for node in parse(source).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and (source, node.name) in used
        and not ast.get_docstring(node)
    ]
    assert not mute, "used by other files, but without a docstring:\n" + "\n".join(mute)


def test_no_two_files_import_each_other() -> None:
    graph = {
        source: {
            module.replace(".", "/") + ".py"
            for _, module in imported(source)
            if module.replace(".", "/") + ".py" in SOURCES
        }
        for source in SOURCES
    }
    while ready := {source for source, needs in graph.items() if not needs & graph.keys()}:
        graph = {source: needs for source, needs in graph.items() if source not in ready}
    assert not graph, f"a circle ties {sorted(graph)} or hangs from it"


def test_sizes_are_a_question_and_not_a_gate() -> None:
    """Warn of long files and functions. The question is asked here and answered in review."""
    for source in SOURCES:
        lines = len((ROOT / source).read_text(encoding="utf-8").splitlines())
        if lines > LINES_MAX:
            warnings.warn(f"{source}: {lines} lines; does it still hold one idea?", stacklevel=1)
        for node in ast.walk(parse(source)):
            if isinstance(node, ast.FunctionDef):
                assert node.end_lineno is not None
                length = node.end_lineno - node.lineno + 1
                if length > FUNCTION_LINES_MAX:
                    warnings.warn(f"{source}:{node.lineno}: {node.name} has {length} lines", stacklevel=1)


def test_the_wheel_is_told_to_ship_exactly_the_house() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    shipped = settings["tool"]["hatch"]["build"]["only-include"]

    assert {Path(each).stem for each in shipped} == set(FLOORS)


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-model.lock"])
def test_a_lock_file_pins_every_package_with_hashes_and_names_no_host(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    blocks = [
        block for block in text.replace("\\\n", " ").splitlines() if block and not block.startswith("#")
    ]

    assert blocks
    assert "://" not in text
    for block in blocks:
        assert "==" in block, block
        assert "--hash=sha256:" in block, block


def test_every_core_dependency_is_locked() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    locked = {
        line.split("==")[0] for line in (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    }

    for wanted in (
        *settings["project"]["dependencies"],
        *settings["project"]["optional-dependencies"]["dev"],
    ):
        assert wanted.split(">=")[0] in locked, f"{wanted} is not locked: run `python3 bootstrap.py lock`"


def test_every_task_has_a_name_in_both_languages() -> None:
    tasks = tomllib.loads((ROOT / "agent/data/tasks.toml").read_text(encoding="utf-8"))
    named = tomllib.loads((ROOT / "sim/window/assets/texts.toml").read_text(encoding="utf-8"))["task"]

    assert [each for each in tasks if len(named.get(each, ())) != 2] == []
