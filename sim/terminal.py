"""How the command line talks: faults in plain words, tables for people, JSON for machines, one way out.

A command raises `Fault` for bad input or lets a `ValueError` from below rise; `enter` turns it into one clear
message and the exit code. A traceback appears only with `--debug`. With `--json`, standard output holds one
JSON value and nothing else; words for people go to standard error.
"""

from __future__ import annotations

import errno
import io
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

DONE, CHECK_FAILED, BAD_INPUT, ENDED_EARLY = 0, 1, 2, 3
FAULTS_SHOWN = 20
HOUSE = ("agent", "world", "interventions", "protocols", "sim", "trials", "logs", "oneroom")
PACKAGE_OF = {
    "pygame": "pygame-ce",
    "PIL": "pillow",
    "dask_jobqueue": "dask-jobqueue",
    "scipy": "scipy statsmodels",
}
WRONG_PATH = {
    errno.ENOENT, errno.EEXIST, errno.EACCES, errno.EPERM, errno.EISDIR, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP,
    errno.EROFS,
}  # fmt: skip
INTERRUPTED = 130  # What the parser answers on Ctrl-C; ours is ENDED_EARLY.

EXIT_CODES = "Exit codes: 0 done, 1 a check failed, 2 wrong use or bad input, 3 ended early. --debug shows a traceback."

Json = Annotated[bool, typer.Option("--json", help="Print JSON only, for other programs.")]


class Fault(ValueError):
    """Bad input, told plainly: *what* is wrong, *where*, and how to *mend* it."""

    def __init__(self, what: str, *, where: str = "", mend: str = "") -> None:
        super().__init__(what)
        self.what, self.where, self.mend = what, where, mend


def make_app(version: str) -> typer.Typer:
    """Return the empty command line; the floors add their commands to it."""
    app = typer.Typer(
        name="oneroom",
        help="One resident lives in one room; you can reach it through four audited channels.",
        epilog=f"Start with: oneroom run first_visit. {EXIT_CODES}",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    )

    @app.callback(invoke_without_command=True)
    def top(
        show_version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
    ) -> None:
        if show_version:
            say(f"oneroom {version}")
            raise typer.Exit(DONE)

    return app


def new_group(name: str, about: str) -> typer.Typer:
    """Return an empty group of commands called *name*."""
    return typer.Typer(name=name, help=about, no_args_is_help=True, rich_markup_mode=None)


def enter(app: typer.Typer, arguments: Sequence[str]) -> None:
    """Run *app* on *arguments* and leave the process with the exit code. It never returns."""
    words = [word for word in arguments if word != "--debug"]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # A terminal that lacks a character is no reason to fail.
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app(args=words, prog_name="oneroom", standalone_mode=False)
    except Exception as error:
        if "--debug" in arguments:
            raise
        code = explain(error, as_json="--json" in words)
    except KeyboardInterrupt:
        code = INTERRUPTED
    if code == INTERRUPTED:
        code = explain(typer.Abort(), as_json="--json" in words)
    sys.stdout.flush()
    sys.exit(code if isinstance(code, int) else DONE)


def explain(error: BaseException, *, as_json: bool) -> int:
    """Say in one message what *error* means for the person, and return the exit code for it."""
    if isinstance(error, typer.Abort):
        return tell("stopped before the end", "", "", as_json, ENDED_EARLY)
    if type(error).__name__ == "NoArgsIsHelpError" and not as_json:  # The help is all there is to say.
        note(str(error))
        return BAD_INPUT
    if hasattr(error, "format_message"):  # The parser's own words about wrong use.
        usage = getattr(error, "ctx", None)
        where = " ".join(usage.get_usage().split()).removeprefix("Usage: ") if usage is not None else ""
        mend = f"{usage.command_path} --help shows an example" if usage is not None else "see oneroom --help"
        return tell(str(error.format_message()), where, mend, as_json, BAD_INPUT)
    if isinstance(error, OSError):
        wrong_path = error.errno in WRONG_PATH
        code = BAD_INPUT if wrong_path else ENDED_EARLY
        mend = (
            "choose another path, one that can be used so"
            if wrong_path
            else "what was written stays readable: oneroom log check, oneroom run --resume"
        )
        return tell(error.strerror or str(error), str(error.filename or ""), mend, as_json, code)
    if isinstance(error, ModuleNotFoundError) and str(error.name).partition(".")[0] not in HOUSE:
        package = PACKAGE_OF.get(str(error.name), str(error.name))
        mend = f"pip install {package} (in the same environment); oneroom doctor lists what is missing"
        return tell(f"this needs the Python package {error.name}", "", mend, as_json, BAD_INPUT)
    if isinstance(error, ValueError):
        faults = getattr(error, "faults", ())
        if len(faults) > 1:  # A declaration is checked whole: all its faults are told at once.
            told = [f"  {fault}" for fault in faults[:FAULTS_SHOWN]]
            left = [f"  and {len(faults) - FAULTS_SHOWN} more"] if len(faults) > FAULTS_SHOWN else []
            what = "\n".join([f"{len(faults)} faults", *told, *left])
            return tell(what, place_of(error).partition(":")[0], "", as_json, BAD_INPUT)
        what = str(getattr(error, "what", "") or getattr(error, "problem", "") or error)
        if getattr(error, "problem", "") and what.startswith(("is ", "has ", "was ")):
            what = f"the log {what}"
        return tell(what, place_of(error), str(getattr(error, "mend", "")), as_json, BAD_INPUT)
    what = f"a fault of oneroom's own: {type(error).__name__}: {error}".rstrip(": ")
    mend = "run the same command with --debug and report what it prints"
    return tell(what, "", mend, as_json, ENDED_EARLY)


def place_of(error: BaseException) -> str:
    """Return where *error* says it is: a file and line, or a path inside a file."""
    for name in ("where", "file", "path"):
        place = getattr(error, name, "")
        if place:
            line = getattr(error, "line", None)
            return f"{place}:{line}" if line else str(place)
    return ""


def tell(what: str, where: str, mend: str, as_json: bool, code: int) -> int:
    """Print one fault for people, and for machines if *as_json*; return *code*."""
    if as_json:
        say_json(
            {"schema": "oneroom.fault/1", "error": {"what": what, "where": where, "mend": mend}, "exit": code}
        )
    lines = [
        f"oneroom: {what}",
        *(f"  {label}: {text}" for label, text in (("where", where), ("mend", mend)) if text),
    ]
    sys.stderr.write("\n".join(lines) + "\n")
    return code


def say(text: str = "") -> None:
    """Write one line for people to standard output."""
    sys.stdout.write(text + "\n")


def note(text: str) -> None:
    """Write one line for people to standard error, beside whatever the command prints."""
    sys.stderr.write(text + "\n")


def leave_if_broken(broken: ValueError | None) -> None:
    """Say where a damaged log was read up to and leave with exit code 1; do nothing if it was whole."""
    if broken is not None:
        note(f"oneroom: {broken}\n  what comes before is sound, and is all that was read")
        raise typer.Exit(CHECK_FAILED)


def say_json(value: Any) -> None:
    """Write *value* as one line of JSON to standard output."""
    plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    sys.stdout.write(json.dumps(value, ensure_ascii=plain, separators=(",", ":"), default=str) + "\n")


def answer(value: Mapping[str, Any], *, as_json: bool, schema: str) -> bool:
    """Print *value* as JSON with its *schema* if asked to; return whether that was all there is to say."""
    if as_json:
        say_json({"schema": schema, **value})
    return as_json


def console(*, to_stderr: bool = False) -> Console:
    """Return a rich console that keeps to plain wide text when nobody watches."""
    from rich.console import Console

    screen = Console(stderr=to_stderr, highlight=False, soft_wrap=False)
    if not screen.is_terminal:
        screen.width = 140
    return screen


def table(title: str, columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> None:
    """Print a table; nothing at all if there are no rows."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=SIMPLE_HEAD, pad_edge=False)
    shown.show_edge, shown.show_header = False, any(columns)
    for column in columns:
        shown.add_column(column, overflow="fold")
    for row in rows:
        # Text, not markup: words from a log may hold brackets.
        shown.add_row(*(Text(words(cell)) for cell in row))
    if shown.row_count:
        screen = console()
        screen.print()
        if title:
            screen.print(Text(title, style="bold"))
        screen.print(shown)


def row(title: str, values: Mapping[str, Any]) -> None:
    """Print *values* as a table of one row."""
    table(title, list(values), [list(values.values())])


def pairs(title: str, values: Mapping[str, Any]) -> None:
    """Print a two-column table of *values*."""
    table(title, ("", ""), values.items())


def words(value: Any) -> str:
    """Return *value* in a form that reads well in a cell."""
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {words(item)}" for key, item in value.items()) or "-"
    if isinstance(value, list | tuple):
        return ", ".join(words(item) for item in value) or "-"
    return str(value)


def span(ms: int) -> str:
    """Return a time span or a time of day of *ms* milliseconds as H:MM:SS, with days in front if there are any."""
    days, rest = divmod(ms // 1000, 86_400)
    text = f"{rest // 3600}:{rest // 60 % 60:02}:{rest % 60:02}"
    return f"{days}d {text}" if days else text
