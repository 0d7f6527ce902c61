"""Golden frames: the main screens, in both languages, pixel by pixel, from one recorded visit.

A hash that differs means that something looks otherwise. Look at it (`python tests/test_window_golden.py DIR` writes the
pictures and the new hashes), and commit the hashes if it is meant. They hold for the pygame-ce they were made with.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))
pygame: Any = pytest.importorskip("pygame")

from logs.reader import open_log  # noqa: E402
from sim.reel import Reel  # noqa: E402
from sim.window.replay_screen import ReplayScreen  # noqa: E402
from sim.window.start import open_paper  # noqa: E402

DATA = Path(__file__).parent / "data"
LOG, GOLDEN = DATA / "frames_visit.jsonl.zst", DATA / "frames_golden.json"
Change = Callable[[ReplayScreen], object]


def at(share: float) -> Change:
    return lambda screen: screen.go(int(screen.end * share))


def on_the_first(kind: str) -> Change:
    return lambda screen: screen.jump((kind,), 1)


def with_view(view: str) -> Change:
    return lambda screen: screen.theatre.switch(view=view)


def as_participant(screen: ReplayScreen) -> None:
    screen.theatre.switch(researcher=False)
    screen.go(60)


SCREENS: dict[str, tuple[tuple[int, int], float, tuple[Change, ...]]] = {
    "start": ((1280, 800), 1.0, ()),
    "visit": ((1280, 800), 1.0, (lambda screen: screen.go(420),)),
    "act_and_chain": ((1280, 800), 1.0, (on_the_first("speech"),)),
    "both_views": ((1280, 800), 1.0, (lambda screen: screen.go(420), with_view("both"))),
    "late": ((1280, 800), 1.0, (at(0.9),)),
    "participant": ((1280, 800), 1.0, (as_participant,)),
    "large_text": ((1280, 720), 1.5, (lambda screen: screen.go(420),)),
    "keys": ((1280, 800), 1.0, (lambda screen: screen.toggle_help(),)),
}
CASES = [(name, language) for name in SCREENS for language in ("en", "zh")]


def drawn(name: str, language: str) -> Any:
    """Return the surface of a screen."""
    size, scale, changes = SCREENS[name]
    with open_log(LOG) as reader:
        reel = Reel(reader)
        while reel.grow(4096) and not reel.whole:
            pass
        screen = ReplayScreen(open_paper(size), reel, language=language, scale=scale)
        for change in changes:
            change(screen)
        screen.draw([])
        screen.draw([])
        return screen.surface


def digest(surface: Any) -> str:
    return blake2b(pygame.image.tobytes(surface, "RGB"), digest_size=16).hexdigest()


@pytest.mark.parametrize(("name", "language"), CASES)
def test_the_main_screens_look_as_they_did(name: str, language: str) -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    if golden["pygame"] != pygame.version.ver:
        pytest.skip(f"the hashes were made with pygame-ce {golden['pygame']}")

    assert digest(drawn(name, language)) == golden["screens"][f"{name}_{language}"]


def test_the_same_screen_twice_is_the_same_to_the_pixel() -> None:
    assert digest(drawn("visit", "zh")) == digest(drawn("visit", "zh"))


if __name__ == "__main__":
    made = {f"{name}_{language}": drawn(name, language) for name, language in CASES}
    for name, surface in made.items():
        pygame.image.save(surface, str(Path(sys.argv[1]) / f"{name}.png"))
    new = {"pygame": pygame.version.ver, "screens": {name: digest(surface) for name, surface in made.items()}}
    GOLDEN.write_text(json.dumps(new, indent=1) + "\n", encoding="utf-8")
