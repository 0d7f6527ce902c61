"""Commands that open a window, and the two ways of looking at a log without one: pictures and text."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sim.terminal import (
    ENDED_EARLY,
    Fault,
    Json,
    answer,
    console,
    leave_if_broken,
    note,
    pairs,
    say,
    say_json,
)

if TYPE_CHECKING:
    from sim.declare import Declared

RUNS = Path("runs")
KIND_WIDE = 9
Language = Annotated[str, typer.Option(help="en or zh.")]
Scale = Annotated[int, typer.Option(min=80, max=200, help="Text size in percent.")]
Size = Annotated[str, typer.Option(metavar="WxH", help="Size of the window or picture in pixels.")]
Seed = Annotated[int | None, typer.Option(min=0, help="By default the first one that the protocol lists.")]
Model = Annotated[
    str | None, typer.Option(metavar="PROVIDER[:NAME]", help="none, scripted, local or openai.")
]
Out = Annotated[Path | None, typer.Option(help="Where the log goes. By default runs/NAME.")]


def add_commands(app: typer.Typer) -> None:
    """Add play, replay and debug to *app*."""
    app.command(epilog="Example: oneroom play, or: oneroom play minimal --language zh")(play)
    app.command(
        epilog="Example: oneroom replay runs/first_visit-seed1.jsonl.zst --at 3000 --export moment.png"
    )(replay)
    app.command(epilog="Example: oneroom debug minimal")(debug)


def play(
    reference: Annotated[
        str | None,
        typer.Argument(
            metavar="[ROOM|PROTOCOL]", help="A shipped id or a path; by default free play in the studio."
        ),
    ] = None,
    seed: Seed = None,
    arm: Annotated[str | None, typer.Option(help="By default the first arm.")] = None,
    model: Model = None,
    out: Out = None,
    language: Language = "en",
    scale: Scale = 100,
    size: Size = "1380x920",
    view: Annotated[
        str, typer.Option(help="researcher, or participant: one's own perception and feedback only.")
    ] = "researcher",
    as_json: Json = False,
) -> None:
    """Visit the resident in a window.

    Every act goes through the channels of the protocol and is logged like any run. Close the window to end: the log is sealed.
    """
    if view not in ("researcher", "participant"):
        raise Fault(f"there is no view {view!r}", mend="use researcher or participant")
    from sim.play_declare import declare_play

    declared = declare_play(reference, seed=seed, arm=arm, model=_model(model))
    result = open_play(
        declared, out, language=language, scale=scale, size=size, researcher=view == "researcher"
    )
    _told(result, as_json)


def debug(
    reference: Annotated[
        str | None,
        typer.Argument(
            metavar="[ROOM|LOG]", help="A room by id or path, a protocol, or a log whose room it is."
        ),
    ] = None,
    seed: Seed = None,
    model: Model = None,
    out: Out = None,
    language: Language = "en",
    scale: Scale = 100,
    size: Size = "1380x920",
    as_json: Json = False,
) -> None:
    """Drag things about, set properties, teleport, step; save the room as a file.

    The log says mode=debug: no trial, report or export takes it for a result.
    """
    from sim.play_declare import declare_debug

    declared = declare_debug(reference, seed=seed, model=_model(model))
    _told(open_play(declared, out, language=language, scale=scale, size=size), as_json)


def replay(
    log: Annotated[Path, typer.Argument(metavar="LOG", help="A log: NAME.jsonl.zst, or a .part.")],
    at: Annotated[
        int | None, typer.Option("--at", min=0, metavar="TICK", help="Begin, or draw, at this tick.")
    ] = None,
    until: Annotated[
        int | None, typer.Option(min=0, metavar="TICK", help="Where a film or a text ends.")
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a .png, or a film as .mp4 or .gif; no screen needed."),
    ] = None,
    speed: Annotated[
        float, typer.Option(min=0.1, max=100_000, help="Simulated over real time in a film.")
    ] = 60.0,
    text: Annotated[bool, typer.Option("--text", help="Tell it in the terminal.")] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="In a text: every record, percepts and beliefs too.")
    ] = False,
    diff: Annotated[Path | None, typer.Option(metavar="LOG", help="Another log, side by side.")] = None,
    view: Annotated[
        str, typer.Option(help="truth, belief (the resident's view) or both; for --export.")
    ] = "truth",
    language: Language = "en",
    scale: Scale = 100,
    size: Size = "1380x920",
    as_json: Json = False,
) -> None:
    """Look at a log: in a window, as pictures, or as text.

    A running log is followed. A log whose process died is sealed first, as stopped where it was cut.
    """
    from logs.faults import LogDamaged
    from sim.live import settle

    try:
        settled = settle(log)
    except LogDamaged:
        if not text:
            raise
        settled = None  # A text is told as far as the log is sound.
    if settled is not None:
        note(f"oneroom: its process had gone; the log is sealed now: {settled['log']}")
    if text:
        tell(log, at, until, language, everything=everything, as_json=as_json)
        return
    if export is not None:
        _export(log, export, at, until, speed, view, language, scale, size, as_json)
        return
    import sim.window.start  # noqa: F401 - first: it keeps pygame from greeting into JSON
    from sim.window import open as windows

    with ending() as ended:
        windows.replay(
            log, other=diff, tick=at, language=language, scale=scale / 100, size=_size(size), ended=ended
        )  # fmt: skip


def _export(
    log: Path, out: Path, at: int | None, until: int | None, speed: float, view: str, language: str, scale: int, size: str, as_json: bool
) -> None:  # fmt: skip
    from sim.export_frames import export
    from sim.shot import Shot

    shot = Shot(_size(size), language, scale / 100, view, at, until, speed)
    found = export(log, out, shot)
    if not answer(found, as_json=as_json, schema="oneroom.export-frames/1"):
        pairs("Exported", found)


def tell(
    log: Path, at: int | None, until: int | None, language: str, *, everything: bool, as_json: bool
) -> None:
    """Tell a log record by record, with the clock and the resident's own words."""
    from logs.reader import open_log
    from sim.frame_fold import opening, take
    from sim.moments import in_order, within
    from sim.stage import stage_of
    from sim.window.record_words import TOLD, words_of
    from sim.window.texts import Texts

    texts = Texts(language)
    in_order(at, until)
    with open_log(log, to_break=True) as reader:
        within(reader, at)
        within(reader, until)
        stage = stage_of(reader.header)
        frame = opening(stage)
        screen = console()
        if not as_json:
            title = stage.title.get(texts.language) or stage.title["en"]
            say(f"{title} · seed {stage.seed} · {stage.mode}")
        day = 0
        for row in reader.records():
            take(frame, row)
            if row["tick"] < (at or 0) or (not everything and row["kind"] not in TOLD):
                continue
            if until is not None and row["tick"] > until:
                break
            words = words_of(texts, stage, frame.ordinals, row)
            if as_json:
                say_json({"tick": row["tick"], "kind": row["kind"], "id": row["id"], "text": words})
                continue
            if stage.clock(row["tick"])[0] != day:
                day = stage.clock(row["tick"])[0]
                screen.rule(texts.day(stage, row["tick"]), align="left")
            style = {
                "commit": "bold",
                "input": "cyan",
                "matter": "magenta",
                "request": "blue",
                "ruling": "blue",
            }.get(row["kind"], "")
            screen.print(
                f"{texts.clock(stage, row['tick'])}  {_padded(texts.of('kind', row['kind']), KIND_WIDE)} {words}",
                style=style,
                markup=False,
                highlight=False,
            )
    leave_if_broken(reader.broken)


def _padded(text: str, wide: int) -> str:
    """Return *text* with blanks up to *wide* columns of a terminal; a Chinese character takes two."""
    from rich.cells import cell_len

    return text + " " * max(0, wide - cell_len(text))


def open_play(
    declared: Declared, out: Path | None, *, language: str, scale: int, size: str, researcher: bool = False
) -> dict[str, Any]:
    """Open the window of a live run; return the `run` JSON of its sealed log."""
    import sim.window.start  # noqa: F401 - first: it keeps pygame from greeting into JSON
    from sim.window import open as windows

    path = out if out is not None else _free_name(declared)
    with ending() as ended:
        return windows.play(
            declared,
            path,
            language=language,
            scale=scale / 100,
            size=_size(size),
            researcher=researcher,
            ended=ended,
        )


def _free_name(declared: Declared) -> Path:
    """Return a name under runs/ that no log has."""
    base = f"{declared.declaration['id']}-{declared.mode}-seed{declared.seed}"
    number, path = 1, RUNS / base
    while any(path.with_name(path.name + ending).exists() for ending in (".jsonl.zst", ".jsonl.part")):
        number += 1
        path = RUNS / f"{base}-{number}"
    return path


def _told(result: dict[str, Any], as_json: bool) -> None:
    if not answer(result, as_json=as_json, schema="oneroom.run/1"):
        pairs("Sealed", {key: result[key] for key in ("log", "status", "ticks", "rounds", "digest")})
        say(f"Look at it again: oneroom replay {result['log']}")
    if result["status"] not in ("done", "stopped"):
        raise typer.Exit(ENDED_EARLY)


def _model(model: str | None) -> dict[str, Any]:
    if model is None:
        return {}
    provider, _, name = model.partition(":")
    return {"model.provider": provider} | ({"model.name": name} if name else {})


def _size(text: str) -> tuple[int, int]:
    wide, _, high = text.partition("x")
    if not (wide.isdigit() and high.isdigit() and 640 <= int(wide) <= 7680 and 480 <= int(high) <= 4320):
        raise Fault(f"{text!r} is no size", mend="write it like 1280x720, from 640x480 to 7680x4320")
    return int(wide), int(high)


@contextmanager
def ending() -> Iterator[Callable[[], bool]]:
    """Yield whether someone asked the process to end: the window then closes as by its own button, and seals its log."""
    asked: list[int] = []

    def on_signal(number: int, _frame: FrameType | None) -> None:
        asked.append(number)

    signals = [signal.SIGTERM, signal.SIGINT] + ([signal.SIGHUP] if sys.platform != "win32" else [])
    before = {each: signal.signal(each, on_signal) for each in signals}
    try:
        yield lambda: bool(asked)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
