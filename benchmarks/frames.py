"""What a frame costs: drawing and folding, seeking, stepping back. Prints lines {claim, target, measured, pass}.

Run it on a quiet core: `python benchmarks/frames.py [FRAMES] [DAYS]`. It draws on a screen that is not there.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
sys.path.insert(0, str(Path(__file__).parent.parent))

import pygame

from logs.reader import open_log
from sim.declare import declare
from sim.gateway_provider import Reply
from sim.live import Live
from sim.play_declare import declare_play
from sim.reel import Reel
from sim.session import run_trial
from sim.window.play_screen import PlayScreen
from sim.window.replay_screen import ReplayScreen

SIZE = (1280, 800)
FRAME_S = 1 / 60


def tell(claim: str, target: float, measured: float, unit: str, stretch: float | None = None) -> None:
    """Print one line; less is better."""
    line = {"claim": claim, "target": target, "stretch": stretch, "measured": round(measured, 3), "unit": unit, "pass": measured <= target}
    sys.stdout.write(json.dumps(line) + "\n")


def spent(screen: Any, frames: int) -> tuple[float, float]:
    """Return the CPU milliseconds of a frame, mean and worst."""
    worst, began = 0.0, time.process_time()
    for _ in range(frames):
        at = time.process_time()
        screen.pass_time(FRAME_S)
        screen.draw([])
        pygame.display.flip()
        worst = max(worst, time.process_time() - at)
    return (time.process_time() - began) / frames * 1000, worst * 1000


def play(frames: int) -> None:
    """Play in the default room: standing, and walking about while the resident goes on."""
    live = Live(declare_play(None), None)
    screen = PlayScreen(pygame.display.set_mode(SIZE), live, intro=False)
    live.act("physical", "enter")
    spent(screen, 120)
    mean, worst = spent(screen, frames)
    tell("S11 a frame of play, default room, 1280x800", 10.0, mean, "ms CPU", 6.0)
    tell("S11 the worst frame of play", 50.0, worst, "ms CPU")
    for number in range(6):
        live.act("physical", "walk", target=("desk", "door", "sofa", "sink", "bed", "table")[number])
        spent(screen, 60)
    mean, worst = spent(screen, frames)
    tell("a frame while both walk", 10.0, mean, "ms CPU", 6.0)
    live.close()


class Hanging:
    """A model that was asked and never answers."""

    name: str = "scripted"
    model: str = ""
    types: tuple[str, ...] = ("choose",)

    def __init__(self) -> None:
        self.let_go, self.asked = threading.Event(), 0

    def ask(self, *_: Any, **__: Any) -> Reply:
        self.asked += 1
        self.let_go.wait(600)
        return Reply(None, "timeout")

    def cancel(self, part_id: str) -> None: ...

    def declared_latency_ms(self, _request: str) -> int:
        return 0

    def close(self) -> None:
        self.let_go.set()


def hanging(frames: int) -> None:
    """Play while a question to the model is out and no answer comes."""
    provider = Hanging()
    live = Live(declare_play("first_visit", model={"model.provider": "scripted"}), None, provider=provider)
    screen = PlayScreen(pygame.display.set_mode(SIZE), live, intro=False)
    live.act("physical", "enter")
    spent(screen, 120)
    live.act("dialogue", "say", text="Please bring me the mug.")
    for _ in range(1200):
        spent(screen, 1)
        if live.asking:
            break
    asked, before = live.asking, live.tick
    mean, worst = spent(screen, frames)
    live.close()
    assert asked, "nothing was asked of the model"
    assert live.tick > before, "time stood still"
    tell("a frame while a model request hangs", 10.0, mean, "ms CPU", 6.0)
    tell("the worst frame while it hangs", 50.0, worst, "ms CPU")


def replay(days: int) -> None:
    """Open, read, seek and step back in a long log."""
    with tempfile.TemporaryDirectory() as folder:
        declared = declare("quiet_day", overrides={"duration": f"{days}d", "model.provider": "none"})
        result = run_trial(declared, out=Path(folder) / "long")
        with open_log(Path(result["log"])) as reader:
            at = time.perf_counter()
            reel = Reel(reader)
            screen = ReplayScreen(pygame.display.set_mode(SIZE), reel)
            screen.draw([])
            tell(f"the first frame of a log of {days} days", 2000.0, (time.perf_counter() - at) * 1000, "ms")
            at = time.perf_counter()
            while reel.grow(4096) and not reel.whole:
                pass
            tell(f"reading all of {days} days ({result['records']} records)", 60.0, time.perf_counter() - at, "s")
            costs = []
            for number in range(60):
                tick = (number * 7919 * 104729) % reel.end_tick
                at = time.process_time()
                reel.at(tick)
                costs.append((time.process_time() - at) * 1000)
            costs.sort()
            tell("S6 seek to any tick, median", 60.0, costs[len(costs) // 2], "ms CPU", 20.0)
            tell("S6 seek to any tick, worst", 150.0, costs[-1], "ms CPU", 60.0)
            screen.go(reel.end_tick // 2)
            costs = []
            for _ in range(50):
                at = time.process_time()
                screen.step(-1)
                screen.draw([])
                costs.append((time.process_time() - at) * 1000)
            tell("a step back, drawn, worst of 50", 100.0, max(costs), "ms CPU")
            screen.playing = True
            mean, _worst = spent(screen, 300)
            tell("a frame of replay at 1x", 10.0, mean, "ms CPU", 6.0)
            screen.set_speed(12)
            mean, _worst = spent(screen, 300)
            tell("a frame of replay at 1024x", 16.0, mean, "ms CPU")


def main() -> None:
    """Measure everything."""
    pygame.display.init()
    pygame.font.init()
    play(int(sys.argv[1]) if len(sys.argv) > 1 else 600)
    hanging(300)
    replay(int(sys.argv[2]) if len(sys.argv) > 2 else 7)


if __name__ == "__main__":
    main()
