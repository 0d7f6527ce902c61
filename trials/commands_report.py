"""Commands that show results: report, fork. Both join what `sim` does with what `trials` measures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from sim.terminal import ENDED_EARLY, Fault, Json, answer, pairs, say, table, words
from trials.commands_ending import ending_on_signal

RUNS = Path("runs")


def add_commands(app: typer.Typer) -> None:
    """Add the commands of this file to *app*."""
    app.command(epilog="Example: oneroom report runs/trials-week --out report.html")(report)
    app.command(epilog="Example: oneroom fork runs/first_visit-seed1.jsonl.zst --without int-ask_window")(fork)


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a batch.")],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The page. By default DIR/report.html; it is made anew each time.")
    ] = None,
    trial: Annotated[
        str | None, typer.Option(metavar="ID", help="The trial to look at closely. By default the first.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a batch as one page: design, estimates, differences, who decided, one trial closely, how to repeat it.

    The page is a single file that needs no network, no script and no other file, and prints well.
    """
    from trials.report import write_report

    found = write_report(folder, out if out is not None else folder / "report.html", trial=trial)
    if not answer(found, as_json=as_json, schema="oneroom.report/1"):
        pairs("Report", found)


def fork(
    log: Annotated[Path, typer.Argument(metavar="LOG", help="A log: NAME.jsonl.zst, or a .part.")],
    at: Annotated[
        int | None, typer.Option(metavar="TICK", help="From which tick on. By default that of --without.")
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="An intervention that does not happen; may be repeated.")
    ] = None,
    with_file: Annotated[
        Path | None, typer.Option("--with", metavar="FILE", help="A TOML file with more [[schedule]] entries.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="mind.*, model.*, channels.*, world.THING.PROPERTY or int-ID.FIELD."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="The child log. By default under runs/.")] = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Run a counterfactual of LOG: leave acts out, add some, change what is so, and see what follows.

    The log is simulated again up to the fork; recorded replies are used as long as the same is asked. Shows where the
    two courses part, in the truth and in the mind, and how their outcomes differ.
    """
    from sim.fork import fork as run_fork

    chosen = out if out is not None else _free_name(log)
    with ending_on_signal() as stop:
        found = run_fork(
            log, at=at, without=without or (), acts=with_file, settings=_settings(settings), out=chosen, stop=stop
        )
    found["metrics"] = _metrics(Path(found["parent"]), Path(found["log"]), found["at"])
    if not answer(found, as_json=as_json, schema="oneroom.fork/1"):
        _show_fork(found)
    if found["run"]["status"] == "stopped":
        raise typer.Exit(ENDED_EARLY)


def _settings(given: list[str] | None) -> dict[str, Any]:
    """Return key -> value of each KEY=VALUE; a value that reads as JSON is one, any other is a text."""
    found: dict[str, Any] = {}
    for each in given or ():
        key, equals, value = each.partition("=")
        if not equals or not key:
            raise Fault(f"{each!r} sets nothing", mend="--set mind.s3=false, --set world.window.open=1")
        try:
            found[key] = json.loads(value)
        except ValueError:
            found[key] = value
    return found


def _free_name(log: Path) -> Path:
    """Return a name under runs/ that no log has yet; never the folder of a batch, where it would pass for a trial."""
    from logs.names import names_of

    stem = f"{names_of(log).stem}-fork"
    taken = {each.name.partition(".")[0] for each in RUNS.glob(f"{stem}*")} if RUNS.is_dir() else set()
    names = [stem, *(f"{stem}{number}" for number in range(2, len(taken) + 2))]
    return RUNS / next(name for name in names if name not in taken)


def _metrics(parent: Path, child: Path, at: int) -> dict[str, list[Any]]:
    """Return name -> [parent, fork] of every metric that differs, both counted from tick *at* on."""
    from logs.reader import open_log
    from trials.metrics import registry

    with open_log(parent) as one, open_log(child) as other:
        # Told where to begin: their first records from there on need not be of the same tick, and rates would differ by that.
        old = registry().measure(one.header, one.records(at), from_tick=at)
        new = registry().measure(other.header, other.records(at), from_tick=at)
    return {name: [value, new[name]] for name, value in old.items() if new[name] != value}


def _show_fork(found: dict[str, Any]) -> None:
    shown = {name: found[name] for name in ("parent", "log", "at", "changes", "replies_reused", "questions_asked")}
    pairs("Fork", {**shown, "status": found["run"]["status"]})
    columns = ("tick", "kind", "id", "field", "parent", "fork")
    for title, key in (("First difference", "first_difference"), ("First in the mind", "first_difference_of_mind")):
        if found[key] is None:
            say(f"{title}: none" + ("; the resident never knew" if key.endswith("mind") else ""))
        else:
            table(title, columns, [[found[key][name] for name in columns]])
    for title, key in (("Outcomes", "outcomes"), ("Metrics from the fork on", "metrics")):
        table(title, ("", "parent", "fork"), ((name, *map(words, both)) for name, both in found[key].items()))
    say(f"Next: oneroom replay {found['parent']} --diff {found['log']}")
