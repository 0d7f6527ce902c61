"""A person at the window: real key presses, clicks and pasted Chinese under Xvfb, then the replay of what was done.

Pictures of each step go to the folder that WINDOW_SHOTS names, for someone to look at; without it, nowhere.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from window_person import NEEDED, ROOT, Person, Tree, a_screen

pytest.importorskip("pygame")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not all(map(shutil.which, NEEDED)), reason="needs Xvfb, xdotool and xclip"),
]


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    with a_screen() as (name, _):
        yield name


def row(tree: Tree, words: str) -> dict[str, Any]:
    """Return the feedback row whose text begins with *words*; empty if there is none."""
    found = [
        each for name, each in tree.items() if name.startswith("fb.int") and each["text"].startswith(words)
    ]
    return found[0]["value"] if found else {}


def test_a_visit_by_hand_and_its_replay(display: str, tmp_path: Path) -> None:
    person = Person(display, tmp_path, "play", "--out", "visit")
    person.wait("the instructions", lambda tree: "start" in tree)
    person.shot("01_instructions")
    person.key("Return")
    person.key("e")
    tree = person.wait("being inside", lambda tree: "body.visitor" in tree)
    before = tree["body.visitor"]["value"]
    person.hand("keydown", "w")
    person.wait("walking north", lambda tree: tree["body.visitor"]["value"][1] < before[1] - 2)
    person.hand("keyup", "w")
    person.shot("02_walked")

    person.click("obj.cup")
    person.wait("the cup chosen", lambda tree: tree["chosen"]["value"] == "cup")
    person.click("act.take")
    person.wait("taken", lambda tree: row(tree, "Take").get("outcome") == "done")
    person.shot("03_taken")
    person.key("t")
    person.type("Could you open the window, please?")
    person.key("Return")
    person.wait("words perceived", lambda tree: row(tree, "“Could").get("perceived") == "yes", 40)
    person.wait(
        "a stance", lambda tree: row(tree, "“Could").get("stance") not in ("none", "considering", None), 60
    )
    person.shot("05_answered")
    for _ in range(6):  # It comes to it when it has done what it is at.
        person.key("bracketright")
    person.wait("the window opened", lambda tree: row(tree, "“Could").get("outcome") == "done", 120)
    person.shot("05_carried_out")
    person.key("BackSpace")
    for _ in range(8):  # The resident's hands must be free, and it goes about its own business.
        person.key("g")
        tree = person.wait("an end of handing over", lambda tree: row(tree, "Hand over").get("outcome") in ("done", "failed"), 60)
        if row(tree, "Hand over")["outcome"] == "done":
            break
        time.sleep(2)
    assert row(tree, "Hand over")["perceived"] == "yes"
    person.shot("06_handed_over")

    person.key("t")
    person.paste("请把杯子拿给我")
    assert person.see()["say"]["text"] == "请把杯子拿给我"
    person.key("Return")
    person.wait("Chinese said", lambda tree: row(tree, "“请把杯子拿给我"))

    for thought in ("water the plant", "you should water the plant"):
        person.key("y")
        person.type(thought)
        person.key("Return")
    person.wait("one let in, one not", lambda tree: row(tree, "“you should").get("outcome") == "denied")
    person.shot("07_inner_voice")

    person.key("space")
    tree = person.wait("the pause", lambda tree: tree["t.mode"]["text"] == "PAUSED")
    tick = tree["t.clock"]["value"]
    time.sleep(0.5)
    assert person.see()["t.clock"]["value"] == tick
    person.key("space")
    person.wait("going on", lambda tree: tree["t.mode"]["text"] == "LIVE")
    for _ in range(8):
        person.key("bracketright")
    start = person.see()["t.clock"]["value"]
    person.wait("hours passed", lambda tree: tree["t.clock"]["value"] > start + 30_000, 60)
    person.key("F6")
    person.shot("08_later_in_chinese")
    person.key("F9")
    person.wait("stopped", lambda tree: tree["t.mode"]["text"] in ("STOPPED", "已停止"))
    assert person.end() == 0, person.words()
    log = tmp_path / "visit.jsonl.zst"
    assert log.exists()

    checked = subprocess.run(
        [sys.executable, str(ROOT / "oneroom.py"), "verify", str(log), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert json.loads(checked.stdout)["ok"]

    watcher = Person(display, tmp_path, "replay", str(log))
    watcher.wait("the replay", lambda tree: "t.clock" in tree)
    watcher.key("h", "h", "h")
    watcher.wait("an act chosen", lambda tree: any(name.startswith("inspector") for name in tree))
    watcher.shot("09_replay_act")
    watcher.key("n")
    there = watcher.see()["t.clock"]["value"]
    watcher.key("period")
    assert watcher.see()["t.clock"]["value"] > there
    watcher.key("comma")
    assert watcher.see()["t.clock"]["value"] == there
    watcher.key("F7", "F7")
    watcher.shot("10_both_views")
    watcher.key("w")
    watcher.wait("why", lambda tree: sum(name.startswith("inspector.") for name in tree) >= 3)
    watcher.shot("11_why")
    assert watcher.end() == 0


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_ending_a_window_by_signal_seals_its_log(display: str, tmp_path: Path, how: int) -> None:
    person = Person(display, tmp_path, "play", "minimal", "--out", "short")
    person.wait("the instructions", lambda tree: "start" in tree)
    person.key("Return")
    person.wait("time passing", lambda tree: tree["t.clock"]["value"] > 5)

    assert person.end(how) == 0, person.words()

    assert (tmp_path / "short.jsonl.zst").exists()
    assert not (tmp_path / "short.jsonl.part").exists()


def test_alt_f4_seals_the_log(display: str, tmp_path: Path) -> None:
    person = Person(display, tmp_path, "play", "minimal", "--out", "short")
    person.wait("the instructions", lambda tree: "start" in tree)
    person.key("Return")
    person.wait("time passing", lambda tree: tree["t.clock"]["value"] > 5)
    person.key("alt+F4")

    assert person.process.wait(20) == 0, person.words()
    assert (tmp_path / "short.jsonl.zst").exists()


def test_losing_the_display_leaves_a_readable_log_that_the_next_replay_seals(tmp_path: Path) -> None:
    with a_screen("1400x1000x24") as (name, server):
        person = Person(name, tmp_path, "play", "minimal", "--out", "lost")
        person.wait("the instructions", lambda tree: "start" in tree)
        person.key("Return")
        person.wait("time passing", lambda tree: tree["t.clock"]["value"] > 5)
        server.kill()
        server.wait(10)
    assert person.process.wait(20) != 0
    assert (tmp_path / "lost.jsonl.part").exists()

    for command, holds in ((("log", "check", "lost"), "Sound"), (("replay", "lost", "--text"), "stopped"), (("verify", "lost"), "ok")):
        told = subprocess.run(
            [sys.executable, str(ROOT / "oneroom.py"), *command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert told.returncode == 0, told.stderr
        assert holds in told.stdout
    assert not (tmp_path / "lost.jsonl.part").exists()
    assert (tmp_path / "lost.jsonl.zst").exists()


def test_a_killed_window_leaves_a_log_that_the_next_replay_seals(display: str, tmp_path: Path) -> None:
    person = Person(display, tmp_path, "play", "minimal", "--out", "lost")
    person.wait("the instructions", lambda tree: "start" in tree)
    person.key("Return")
    person.wait("time passing", lambda tree: tree["t.clock"]["value"] > 5)
    person.end(signal.SIGKILL)
    assert (tmp_path / "lost.jsonl.part").exists()

    told = subprocess.run(
        [sys.executable, str(ROOT / "oneroom.py"), "replay", str(tmp_path / "lost"), "--text"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert told.returncode == 0, told.stderr
    assert (tmp_path / "lost.jsonl.zst").exists()
