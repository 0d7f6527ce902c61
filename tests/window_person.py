"""A person at a window: a screen that is not there, real keys and clicks on it, and the widget tree to see by.

Pictures go to the folder that WINDOW_SHOTS names, for someone to look at; without it, nowhere.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NEEDED = ("Xvfb", "xdotool", "xclip")
ROOT = Path(__file__).parent.parent
Tree = dict[str, dict[str, Any]]


@contextmanager
def a_screen(size: str = "1600x1000x24") -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Start a screen; yield its name and its server, which is ended at the end if nobody did before.

    It is not reset when its last client leaves: whoever comes just then would find no screen.
    """
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", size, "-nolisten", "tcp", "-noreset"],
        pass_fds=(write,), stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write)
    with os.fdopen(read) as answer:
        number = answer.readline().strip()
    try:
        yield f":{number}", server
    finally:
        server.terminate()
        server.wait(10)


class Person:
    """Someone who sees the widget tree and has two hands."""

    def __init__(self, display: str, folder: Path, *words: str) -> None:
        self.tree = folder / "tree.json"
        self.folder = folder
        self.env = {
            **os.environ,
            "DISPLAY": display,
            "SDL_VIDEODRIVER": "x11",
            "ONEROOM_TREE": str(self.tree),
        }
        self.told = (folder / "told.txt").open("w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "oneroom.py"), *words],
            env=self.env,
            cwd=folder,
            stdout=self.told,
            stderr=self.told,
        )
        self.window = ""
        until = time.monotonic() + 40
        while not self.window:
            assert time.monotonic() < until, self.words()
            assert self.process.poll() is None, self.words()
            self.window = (
                self.hand("search", "--onlyvisible", "--pid", str(self.process.pid)).split() or [""]
            )[0]
            time.sleep(0.1)
        self.hand("windowfocus", self.window)

    def words(self) -> str:
        self.told.seek(0)
        return self.told.read()

    def hand(self, *words: str) -> str:
        done = subprocess.run(
            ["timeout", "10", "xdotool", *words], env=self.env, capture_output=True, text=True, check=False
        )
        return done.stdout

    def see(self) -> Tree:
        self.tree.unlink(missing_ok=True)
        Path(f"{self.tree}.ask").touch()
        until = time.monotonic() + 15
        while not self.tree.exists():
            assert time.monotonic() < until, self.words()
            assert self.process.poll() is None, self.words()
            time.sleep(0.01)
        found: Tree = json.loads(self.tree.read_text(encoding="utf-8"))
        return found

    def wait(self, what: str, holds: Callable[[Tree], object], seconds: float = 25) -> Tree:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            tree = self.see()
            if holds(tree):
                return tree
            time.sleep(0.05)
        self.shot("failed")
        raise AssertionError(f"it never came to: {what}")

    def click(self, name: str) -> None:
        x, y, w, h = self.see()[name]["rect"]
        self.hand("mousemove", "--window", self.window, str(x + w // 2), str(y + h // 2))
        time.sleep(0.08)
        self.hand("click", "1")
        time.sleep(0.08)

    def key(self, *names: str) -> None:
        self.hand("key", "--delay", "60", *names)
        time.sleep(0.08)

    def type(self, text: str) -> None:
        self.hand("type", "--delay", "50", text)
        time.sleep(0.1)

    def paste(self, text: str) -> None:
        subprocess.run(
            ["xclip", "-selection", "clipboard"], input=text.encode(), env=self.env, check=True, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(0.2)
        self.key("ctrl+v")

    def shot(self, name: str, window: str = "") -> None:
        place = os.environ.get("WINDOW_SHOTS")
        if place and shutil.which("import"):
            Path(place).mkdir(parents=True, exist_ok=True)
            subprocess.run(
                ["timeout", "20", "import", "-window", window or self.window, str(Path(place) / f"{name}.png")],
                env=self.env,
                check=False,
            )

    def end(self, how: int = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.process.wait(20)
