"""Commands that run trials and experiments: run, experiment.

`run` joins what `sim` does with what `trials` measures, so it stands on this floor.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import trials.experiments
from sim.terminal import (
    CHECK_FAILED,
    ENDED_EARLY,
    Fault,
    Json,
    answer,
    console,
    new_group,
    pairs,
    row,
    say,
    say_json,
    span,
    table,
    words,
)
from trials.commands_batch import add_commands as add_batch_commands
from trials.commands_ending import ending_on_signal
from trials.commands_report import add_commands as add_report_commands

if TYPE_CHECKING:
    from sim.declare import Declared
    from sim.session import Progress

RUNS = Path("runs")


# What a person asks first of a trial, by the names of trials/metrics.py.
HEADLINES = (
    "commitments_kept",
    "obligations_kept",
    "requests_handled",
    "requests_accepted",
    "requests_carried_out",
    "response_ms_max",
    "feedback_honest",
    "skill_success",
    "injuries",
    "near_tie_share",
    "sleep_h_per_day",
    "meals_per_day",
    "practices_per_day",
    "degraded_share",
)

experiment_commands = new_group("experiment", "List and run experiments: claims beside measurements.")


def add_commands(app: typer.Typer) -> None:
    """Add the commands of this floor to *app*."""
    app.command(epilog="Example: oneroom run first_visit --seed 7 --model none")(run)
    app.add_typer(experiment_commands)
    add_batch_commands(app)
    add_report_commands(app)


def run(
    protocol: Annotated[
        str | None, typer.Argument(metavar="PROTOCOL", help="A path or a shipped id; oneroom protocol list.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="By default the first one that the protocol lists.")
    ] = None,
    arm: Annotated[str | None, typer.Option(help="By default the first arm.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where the log goes. By default runs/PROTOCOL-seedN.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(metavar="PROVIDER[:NAME]", help="none, scripted, local or openai; marks exploratory."),
    ] = None,
    visitor: Annotated[
        str | None, typer.Option(metavar="none|script|human", help="Who visits; marks exploratory.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="LOG", help="Go on with a log that was cut; no PROTOCOL then.")
    ] = None,
    heavy: Annotated[
        bool, typer.Option("--heavy", help="Check every tick against single steps; slow.")
    ] = False,
    replies: Annotated[
        Path | None, typer.Option(metavar="LOG", help="Ask nobody: answer from the replies of an earlier log, or refuse.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run one trial of PROTOCOL to its end, seal its log and show the results.

    Nothing is overwritten: a taken name gets a number. Ctrl-C ends the trial with a readable log (exit code 3).
    """
    with ending_on_signal() as stop:
        if resume is not None:
            result = go_on(resume, protocol, stop)
        else:
            if protocol is None:
                raise Fault(
                    "say what to run", mend="oneroom run first_visit; oneroom protocol list shows all"
                )
            result = start(protocol, seed, arm, out, overrides_of(model, visitor), heavy, stop, replies)
    if not answer(result, as_json=as_json, schema="oneroom.run/1"):
        show_result(result)
    if result["status"] != "done":
        raise typer.Exit(ENDED_EARLY)


def overrides_of(model: str | None, visitor: str | None) -> dict[str, Any]:
    """Return the dotted keys that the options of the command line override in the declaration."""
    overrides: dict[str, Any] = {}
    if model is not None:
        provider, _, name = model.partition(":")
        overrides["model.provider"] = provider
        if name:
            overrides["model.name"] = name
    if visitor is not None:
        overrides["visitor.kind"] = visitor
    return overrides


def start(
    protocol: str, seed: int | None, arm: str | None, out: Path | None, overrides: dict[str, Any], heavy: bool,
    stop: Callable[[], bool], replies: Path | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Declare the trial, run it, measure it, and return the `run` JSON."""
    from sim.declare import declare
    from sim.gateway import make_provider
    from sim.reuse import Reused
    from sim.session import run_trial

    if overrides.get("visitor.kind") == "human":
        return by_hand(protocol, seed, arm, out, overrides)
    declared = declare(protocol, arm=arm, seed=seed, overrides=overrides)
    if declared.declaration["visitor"]["kind"] == "human":
        return by_hand(protocol, seed, arm, out, overrides)
    # Made before the log, so that a provider that can't be had leaves nothing behind.
    reused = None if replies is None else Reused.open(replies)
    provider = reused or make_provider(declared.declaration["model"], declared.seed)
    path = out if out is not None else free_name(declared)
    with progress_shown(declared) as progress:
        return measured(
            run_trial(
                declared, out=path, provider=provider, progress=progress, stop=stop, heavy=heavy,
                replies_of=None if reused is None else reused.origin,
            )
        )


def by_hand(
    protocol: str, seed: int | None, arm: str | None, out: Path | None, overrides: dict[str, Any]
) -> dict[str, Any]:
    """Run a trial with a person as the visitor, in the participant's window, and return the `run` JSON."""
    from sim.commands_window import open_play
    from sim.play_declare import declare_play

    model = {key: value for key, value in overrides.items() if key != "visitor.kind"}
    declared = declare_play(protocol, seed=seed, arm=arm, model=model, mode="trial")
    path = out if out is not None else free_name(declared)
    return measured(open_play(declared, path, language="en", scale=100, size="1380x920"))


def go_on(log: Path, protocol: str | None, stop: Callable[[], bool]) -> dict[str, Any]:
    """Continue the cut *log* to its end and return the `run` JSON."""
    from logs.reader import open_log
    from sim.declare import from_header
    from sim.session import resume

    if protocol is not None:
        raise Fault(
            "--resume takes no PROTOCOL: the log holds its own declaration",
            mend=f"oneroom run --resume {log}",
        )
    with open_log(log) as reader:
        declared = from_header(reader.header)
    with progress_shown(declared) as progress:
        return measured(resume(log, progress=progress, stop=stop))


def measured(result: dict[str, Any]) -> dict[str, Any]:
    """Return *result* with the metrics of its sealed log, if it has one, and what it says about a model's doubt."""
    from trials.doubt import doubt
    from trials.metrics import measure_log

    if not result["log"]:
        return result
    log = Path(result["log"])
    return {**result, "metrics": measure_log(log), "doubt": doubt(log)}


def free_name(declared: Declared) -> Path:
    """Return a name under runs/ that no log has yet, from the protocol's id, the arm and the seed."""
    from sim.session import listed

    protocol = declared.declaration["id"]
    stem = "-".join(part for part in (protocol, declared.arm, f"seed{declared.seed}") if part)
    # A run may have left NAME.jsonl.part, NAME.jsonl.zst, NAME.torn-1: any of them takes the name.
    taken = {each.name.partition(".")[0] for each in RUNS.glob(f"{stem}*")} if RUNS.is_dir() else set()
    names = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
    return RUNS / next(name for name in names if name not in taken and not listed(RUNS / name))


@contextmanager
def progress_shown(declared: Declared) -> Iterator[Progress]:
    """Yield a function that shows the tick reached, or None when nobody watches standard error."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[at]}"),
        TimeElapsedColumn(),
    )
    start_ms, tick_ms = int(declared.declaration["start_ms"]), declared.tick_ms
    with Progress(*columns, console=console(to_stderr=True), transient=True) as bar:
        title = f"{declared.declaration['id']} seed {declared.seed}"
        task = bar.add_task(title, total=declared.end_tick, at=span(start_ms))
        yield lambda tick: bar.update(task, completed=tick, at=span(start_ms + tick * tick_ms))


def show_result(result: dict[str, Any]) -> None:
    """Print the results of one trial as tables, and what to ask the log next."""
    names = ("status", "log", "seed", "arm", "ticks", "rounds", "digest", "flags")
    pairs("Trial", {name: result.get(name) for name in names})
    row("Who decided", result["decisions"])
    row("Requests to the model", result["requests"])
    columns = ("id", "channel", "op", "tick", "receipt", "perceived", "stance", "outcome", "reason")
    table(
        "Interventions", columns, ([each.get(name) for name in columns] for each in result["interventions"])
    )
    show_metrics(result["metrics"])
    if result["log"]:
        asked = next((each["id"] for each in result["interventions"] if each["stance"]), None)
        say()
        say(f"Next: oneroom verify {result['log']}")
        if asked:
            say(f"      oneroom why {result['log']} --id {asked}")


def show_metrics(metrics: dict[str, Any]) -> None:
    """Print what a person asks first; the rest is in the JSON."""
    from trials.metrics import registry

    needs = [name.removeprefix("need_ok_") for name in metrics if name.startswith("need_ok_")]
    columns = ("need", "time out of the critical band", "longest critical (min)", "lowest (of 1000)")
    kinds = ("need_ok_", "need_critical_max_min_", "need_lowest_")
    table("Needs", columns, ((need, *(metrics[kind + need] for kind in kinds)) for need in needs))
    known = registry().metrics
    shown = [(known[name].title[0], metrics[name], known[name].unit) for name in HEADLINES if name in metrics]
    table("What it showed", ("metric", "value", "unit"), (each for each in shown if each[1] is not None))
    say(f"All {len(metrics)} metrics: --json")


@experiment_commands.command("list", epilog="Example: oneroom experiment list")
def experiment_list(as_json: Json = False) -> None:
    """List the experiments that come with oneroom."""
    rows = [{"name": module.NAME, "about": module.DOC} for module in experiments()]
    if not answer({"experiments": rows}, as_json=as_json, schema="oneroom.experiments/1"):
        table("", ("name", "about"), (row.values() for row in rows))


@experiment_commands.command("run", epilog="Example: oneroom experiment run conformance --quick --json")
def experiment_run(
    name: Annotated[str, typer.Argument(metavar="NAME", help="See oneroom experiment list.")],
    quick: Annotated[bool, typer.Option("--quick/--full", help="A small sample, or all of it.")] = True,
    seeds: Annotated[int | None, typer.Option(min=1, help="How many seeds, where it uses seeds.")] = None,
    data: Annotated[Path | None, typer.Option(help="A folder of recordings, where it needs one.")] = None,
    cases: Annotated[Path | None, typer.Option(help="A file of cases beside the shipped one, where it reads cases.")] = None,
    count: Annotated[int | None, typer.Option(min=1, help="How many random cases, where it makes some.")] = None,
    as_json: Json = False,
) -> None:
    """Run one experiment and print its lines {claim, target, measured, pass}. Exit code 1 if a claim fails."""
    known = {module.NAME: module for module in experiments()}
    if name not in known:
        raise Fault(f"there is no experiment {name!r}", mend=f"there are: {', '.join(known) or 'none'}")
    for path in (data, cases):
        if path is not None and not path.exists():
            raise Fault("there is no such folder or file", where=str(path), mend="name the folder that holds the recordings or cases")
    run_it = known[name].run
    given = {"quick": quick, "seeds": seeds, "data": data, "cases_file": cases or data, "count": count}
    wanted = inspect.signature(run_it).parameters
    takes = {"--seeds": "seeds" in wanted, "--data": "data" in wanted or "cases_file" in wanted, "--cases": "cases_file" in wanted,
             "--count": "count" in wanted}  # fmt: skip
    for option, value in {"--seeds": seeds, "--data": data, "--cases": cases, "--count": count}.items():
        if value is not None and not takes[option]:
            taken = [one for one, does in takes.items() if does]
            raise Fault(f"{name} takes no {option}", where=f"{option} {value}", mend=f"leave it out; it takes {', '.join(taken) or 'none'}")
    good = True
    for line in run_it(**{key: value for key, value in given.items() if key in wanted}):
        good = good and bool(line["pass"])
        if as_json:
            say_json(line)
        else:
            verdict = "pass" if line["pass"] else "FAIL"
            say(f"{verdict}  {line['claim']}: {words(line['measured'])} (target {words(line['target'])})")
    if not good:
        raise typer.Exit(CHECK_FAILED)


def experiments() -> list[Any]:
    """Return the modules of trials/experiments that are experiments: they have a NAME and a run."""
    names = sorted(each.name for each in pkgutil.iter_modules(trials.experiments.__path__))
    modules = [importlib.import_module(f"trials.experiments.{name}") for name in names]
    return [module for module in modules if hasattr(module, "NAME") and hasattr(module, "run")]
