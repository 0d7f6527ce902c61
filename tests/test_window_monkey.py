"""A monkey at the windows: any keys, clicks, sizes and text sizes in any order break nothing, and the log stays whole."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from window_cases import FRAME_S, a_live

pygame: Any = pytest.importorskip("pygame")

from logs.reader import open_log  # noqa: E402
from sim.reel import Reel  # noqa: E402
from sim.replay import verify  # noqa: E402
from sim.window.debug_screen import DebugScreen  # noqa: E402
from sim.window.play_screen import PlayScreen  # noqa: E402
from sim.window.replay_screen import ReplayScreen  # noqa: E402

LOG = Path(__file__).parent / "data" / "frames_visit.jsonl.zst"
SIZES = ((1280, 720), (640, 480), (1380, 920), (960, 1200), (2200, 700))
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,[]+-=?<> "
CODES = (
    "K_RETURN",
    "K_ESCAPE",
    "K_TAB",
    "K_SPACE",
    "K_BACKSPACE",
    "K_HOME",
    "K_END",
    "K_LEFT",
    "K_RIGHT",
    "K_F1",
    "K_F6",
    "K_F7",
    "K_DELETE",
)
STEPS = 220


def events(chance: random.Random, size: tuple[int, int]) -> list[Any]:
    """Return what a monkey does in one frame."""
    at = (chance.randrange(size[0]), chance.randrange(size[1]))
    kind = chance.randrange(8)
    if kind == 0:
        return [
            pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=at, button=1),
            pygame.event.Event(pygame.MOUSEBUTTONUP, pos=at, button=1),
        ]
    if kind == 1:
        return [pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=at, button=1)]
    if kind == 2:
        return [
            pygame.event.Event(pygame.MOUSEMOTION, pos=at, rel=(0, 0), buttons=(1, 0, 0)),
            pygame.event.Event(pygame.MOUSEBUTTONUP, pos=at, button=1),
        ]
    if kind == 3:
        return [pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=chance.choice((-1, 1)))]
    if kind == 4:
        return [
            pygame.event.Event(
                pygame.TEXTINPUT, text=chance.choice(("water", "请", "喆", "😀", "\u202e", "a" * 300))
            )
        ]
    mod = chance.choice((0, 0, 0, pygame.KMOD_SHIFT, pygame.KMOD_CTRL))
    if kind == 5:
        code = getattr(pygame, chance.choice(CODES))
        return [pygame.event.Event(pygame.KEYDOWN, key=code, mod=mod, unicode="", scancode=0)]
    letter = chance.choice(LETTERS)
    scancode = {"w": pygame.KSCAN_W, "a": pygame.KSCAN_A, "s": pygame.KSCAN_S, "d": pygame.KSCAN_D}.get(
        letter, 0
    )
    down = pygame.event.Event(pygame.KEYDOWN, key=ord(letter), mod=mod, unicode=letter, scancode=scancode)
    return [down, pygame.event.Event(pygame.KEYUP, key=ord(letter), mod=mod, scancode=scancode)]


def go_wild(screen: Any, seed: int) -> None:
    chance = random.Random(seed)
    for step in range(STEPS):
        if chance.randrange(25) == 0:
            size = chance.choice(SIZES)
            screen.surface = pygame.Surface(size)
            screen.theatre.switch(scale=chance.choice((0.8, 1.0, 1.5, 2.0)))
        try:
            screen.pass_time(FRAME_S * chance.choice((1, 1, 5)))
            screen.draw(events(chance, screen.surface.get_size()))
        except Exception as error:
            raise AssertionError(f"seed {seed}, step {step}") from error


@pytest.fixture(scope="module", autouse=True)
def screen_without_a_display() -> Any:
    pygame.display.init()
    pygame.font.init()
    pygame.display.set_mode((640, 480))
    yield
    pygame.quit()


@pytest.mark.parametrize("seed", range(3))
def test_a_monkey_at_the_replay(seed: int) -> None:
    with open_log(LOG) as reader:
        go_wild(ReplayScreen(pygame.Surface((1280, 720)), Reel(reader)), seed)


def test_a_monkey_at_two_replays() -> None:
    with open_log(LOG) as one, open_log(LOG) as other:
        go_wild(ReplayScreen(pygame.Surface((1280, 720)), Reel(one), other=Reel(other)), 11)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("mode", ["play", "trial", "debug"])
def test_a_monkey_in_the_room_leaves_a_log_that_verifies(mode: str, seed: int, tmp_path: Path) -> None:
    live = a_live(tmp_path / "wild", "minimal", mode=mode)
    surface = pygame.Surface((1280, 720))
    screen: Any
    if mode == "debug":
        screen = DebugScreen(surface, live, save_to=tmp_path / "wild")
        screen.stopped_clock = False
    else:
        screen = PlayScreen(surface, live, researcher=mode == "play", may_switch=mode == "play")
    go_wild(screen, seed)
    result = live.close()

    checked = verify(Path(result["log"]))
    assert checked["ok"], (seed, checked)
