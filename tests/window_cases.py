"""Makers for the tests of frames and windows: a played log, a live run, synthetic keys."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sim.live import Live
from sim.play_declare import declare_play

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
FRAME_S = 1 / 60
VISIT: tuple[Any, ...] = (
    ("physical", "enter", {}), 2.0,
    ("physical", "take", {"object": "apples"}), 12.0,
    ("physical", "hand_over", {"object": "apples"}), 14.0,
    ("dialogue", "say", {"text": "Could you open the window, please?"}), 8.0,
    ("physical", "take", {"object": "phone"}), 1.0,
    ("physical", "walk", {"target": "cell:500"}), 1.0,
    ("physical", "walk", {"target": "desk"}), 5.0,
    ("inner_voice", "whisper", {"text": "water the plant"}), 2.0,
    ("inner_voice", "whisper", {"text": "you should water the plant"}), 2.0,
    ("system", "pause", {}), 0.3, ("system", "resume", {}), 3.0,
    ("physical", "leave", {}), 12.0,
)  # fmt: skip


def a_live(
    out: Path | None = None, reference: str | None = None, *, mode: str = "play", **model: Any
) -> Live:
    """Return a live run of free play (or of *reference*), before its first tick."""
    return Live(declare_play(reference, mode=mode, model=model), out)


def let_pass(live: Live, seconds: float, speed: float = 1.0) -> None:
    """Pump frame by frame, as a window does."""
    live.speed = speed
    for _ in range(round(seconds / FRAME_S)):
        live.pump(FRAME_S)


def visit(live: Live, script: tuple[Any, ...] = VISIT) -> None:
    """Act out a visit."""
    for step in script:
        if isinstance(step, tuple):
            live.act(step[0], step[1], **step[2])
        else:
            let_pass(live, step)


def a_played_log(folder: Path) -> Path:
    """Return the sealed log of a visit and a few hours after it."""
    live = a_live(folder / "visit")
    visit(live)
    let_pass(live, 4.0, speed=1800.0)
    return Path(live.close()["log"])
