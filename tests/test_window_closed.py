"""A window is closed as people close one, by the cross in its title bar and by the window manager's own key: the log is sealed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from window_person import NEEDED, ROOT, Person, a_screen

pytest.importorskip("pygame")

MANAGER = "openbox"
SETTINGS = Path("/etc/xdg/openbox/rc.xml")
CLOSE_KEY = '<keybind key="A-F4">'
SIDES = range(8, 49)  # pixels: a button in a title bar is a square of such a side
LAST_BUTTONS = 3  # to shrink, to grow and to close, from left to right
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not all(map(shutil.which, (*NEEDED, MANAGER))), reason=f"needs Xvfb, xdotool, xclip and {MANAGER}"),
]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[str]:
    """A screen under a window manager with its usual settings; its key to close leaves a trace, so that we know whose key it was."""
    text = SETTINGS.read_text(encoding="utf-8")
    assert CLOSE_KEY in text
    trace = f'<action name="Execute"><command>touch {tmp_path / "closed_by_key"}</command></action>'
    settings = tmp_path / "rc.xml"
    settings.write_text(text.replace(CLOSE_KEY, CLOSE_KEY + trace), encoding="utf-8")
    with a_screen() as (name, _):
        manager = subprocess.Popen(
            [MANAGER, "--config-file", str(settings)],
            env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "DISPLAY": name},
            stderr=subprocess.DEVNULL,
        )
        yield name
        assert manager.poll() is None, "the window manager was gone before its screen"
        manager.terminate()
        manager.wait(10)


def cross(person: Person) -> str:
    """Return the window of the button that closes: the rightmost of the title bar, once it is there."""
    until = time.monotonic() + 20
    while True:
        told = person.hand("search", "--onlyvisible", "--name", ".*", "getwindowgeometry", "--shell", "%@").split("WINDOW=")
        seen = [dict(line.split("=") for line in f"WINDOW={each}".split()) for each in told[1:]]
        buttons = [each for each in seen if each["WIDTH"] == each["HEIGHT"] and int(each["WIDTH"]) in SIDES]
        if len(buttons) >= LAST_BUTTONS:
            return max(buttons, key=lambda each: int(each["X"]))["WINDOW"]
        assert time.monotonic() < until, "no title bar came up"
        time.sleep(0.1)


def click_the_cross(person: Person) -> None:
    person.hand("mousemove", "--window", cross(person), "6", "6")
    time.sleep(0.1)
    person.shot("closing", "root")
    person.hand("click", "1")


def sealed_and_sound(folder: Path, name: str) -> bool:
    assert not (folder / f"{name}.jsonl.part").exists()
    checked = subprocess.run(
        [sys.executable, str(ROOT / "oneroom.py"), "verify", str(folder / f"{name}.jsonl.zst"), "--json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = json.loads(checked.stdout)
    assert found["ticks"] > 0
    return bool(found["ok"] and found["sealed"])


def test_the_cross_of_play_seals_the_log(desk: str, tmp_path: Path) -> None:
    person = Person(desk, tmp_path, "play", "minimal", "--out", "short")
    person.wait("the instructions", lambda tree: "start" in tree)
    person.key("Return")
    person.key("e")
    person.wait("being inside", lambda tree: "body.visitor" in tree and tree["t.clock"]["value"] > 5)

    click_the_cross(person)

    assert person.process.wait(20) == 0, person.words()
    assert sealed_and_sound(tmp_path, "short")


def test_alt_f4_of_the_window_manager_seals_the_log_even_while_someone_types(desk: str, tmp_path: Path) -> None:
    person = Person(desk, tmp_path, "play", "minimal", "--out", "short")
    cross(person)
    person.wait("the instructions", lambda tree: "start" in tree)
    person.key("Return")
    person.wait("time passing", lambda tree: tree["t.clock"]["value"] > 5)
    person.key("t")
    person.type("half a sent")

    person.key("alt+F4")

    assert person.process.wait(20) == 0, person.words()
    assert (tmp_path / "closed_by_key").exists(), "the window closed by itself: the window manager never saw the key"
    assert sealed_and_sound(tmp_path, "short")


def test_the_cross_of_debug_and_of_replay(desk: str, tmp_path: Path) -> None:
    person = Person(desk, tmp_path, "debug", "minimal", "--out", "tried")
    person.wait("the window", lambda tree: "d.step" in tree)
    for _ in range(3):
        person.key("period")
    person.wait("three steps", lambda tree: tree["t.clock"]["value"] >= 2)
    click_the_cross(person)
    assert person.process.wait(20) == 0, person.words()
    assert sealed_and_sound(tmp_path, "tried")

    before = (tmp_path / "tried.jsonl.zst").read_bytes()
    watcher = Person(desk, tmp_path, "replay", "tried")
    watcher.wait("the replay", lambda tree: "t.clock" in tree)
    click_the_cross(watcher)
    assert watcher.process.wait(20) == 0, watcher.words()
    assert (tmp_path / "tried.jsonl.zst").read_bytes() == before
