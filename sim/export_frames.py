"""Frames to files without a screen: a PNG of one moment, an mp4 or a gif of a stretch."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from logs.reader import open_log
from sim.moments import in_order, within
from sim.reel import Reel
from sim.shot import Shot

FPS = {".mp4": 30, ".gif": 10}
STILL, FILMS = (".png",), tuple(FPS)


class ExportError(ValueError):
    """Nothing can be exported so; *mend* says how it can."""

    def __init__(self, what: str, mend: str) -> None:
        super().__init__(what)
        self.what, self.mend = what, mend


def export(log: Path, out: Path, shot: Shot, progress: Callable[[int], None] | None = None) -> dict[str, Any]:
    """Write a picture or a film of *log* to *out*; return what was written. Raises ExportError, MomentError."""
    kind = out.suffix.lower()
    if kind not in (*STILL, *FILMS):
        raise ExportError(
            f"{out.suffix or 'no ending'} is no form of picture", "end the name in .png, .mp4 or .gif"
        )
    if out.exists():
        raise ExportError(f"{out} is there already", "choose another name; nothing is overwritten")
    if not os.access(out.absolute().parent, os.W_OK):
        raise ExportError(f"{out.parent} is no folder that can be written to", "choose another")
    in_order(shot.tick, shot.end_tick)
    with open_log(log) as reader:
        within(reader, shot.tick)
        within(reader, shot.end_tick)
        reel = Reel(reader)
        while reel.grow(4096) and not reel.whole:
            pass
        if kind in STILL:
            # The screen is imported late: a machine without the extra can still read logs.
            import sim.window.start  # noqa: F401 - first: it keeps pygame from greeting into JSON
            from sim.window.still import Studio

            studio = Studio(reel, shot)
            studio.save(reel.last_tick if shot.tick is None else shot.tick, out)
            return {"file": str(out), "frames": 1, "tick": studio.tick}
        return _film(reel, out, shot, progress)


def _film(reel: Reel, out: Path, shot: Shot, progress: Callable[[int], None] | None) -> dict[str, Any]:
    import sim.window.start  # noqa: F401 - first: it keeps pygame from greeting into JSON
    from sim.window.still import Studio

    kind = out.suffix.lower()
    start = shot.tick or 0
    end = min(reel.last_tick, shot.end_tick if shot.end_tick is not None else reel.last_tick)
    ticks = list(_ticks(start, end, shot.speed * 1000 / reel.stage.tick_ms / FPS[kind]))
    if not ticks:
        raise ExportError(f"there is nothing between tick {start} and tick {end}", "choose an earlier --at")
    studio = Studio(reel, shot)
    write = _mp4 if kind == ".mp4" else _gif
    write(out, studio, ticks, progress)
    return {"file": str(out), "frames": len(ticks), "tick": start, "end_tick": end}


def _ticks(start: int, end: int, step: float) -> Iterator[float]:
    at = float(start)
    while at <= end:
        yield at
        at += max(0.01, step)


def _mp4(out: Path, studio: Any, ticks: list[float], progress: Callable[[int], None] | None) -> None:
    try:
        encoder: Any = importlib.import_module("imageio_ffmpeg")
    except ModuleNotFoundError:
        raise ExportError(
            "an mp4 needs the encoder imageio-ffmpeg",
            "pip install imageio-ffmpeg; or export single pictures with .png",
        ) from None
    width, height = (side // 2 * 2 for side in studio.size)
    film = encoder.write_frames(
        str(out), (width, height), pix_fmt_in="rgb24", fps=FPS[".mp4"], macro_block_size=2, quality=None,
        output_params=["-crf", "23", "-preset", "veryfast"],
    )  # fmt: skip
    film.send(None)
    try:
        for number, tick in enumerate(ticks):
            film.send(studio.pixels(tick, width, height))
            if progress is not None:
                progress(number + 1)
    finally:
        film.close()


def _gif(out: Path, studio: Any, ticks: list[float], progress: Callable[[int], None] | None) -> None:
    try:
        image: Any = importlib.import_module("PIL.Image")
    except ModuleNotFoundError:
        raise ExportError(
            "a gif needs Pillow", "pip install pillow; or export single pictures with .png"
        ) from None
    width, height = studio.size
    pictures = []
    for number, tick in enumerate(ticks):
        whole = image.frombytes("RGB", (width, height), studio.pixels(tick, width, height))
        pictures.append(whole.resize((width // 2, height // 2)).quantize(96))
        if progress is not None:
            progress(number + 1)
    pictures[0].save(
        str(out), save_all=True, append_images=pictures[1:], duration=1000 // FPS[".gif"], loop=0
    )
