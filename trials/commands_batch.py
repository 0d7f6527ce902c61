"""Commands over many trials: trials check, run, status, merge, compare, plan, metrics; and export."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sim.terminal import (
    CHECK_FAILED,
    ENDED_EARLY,
    Fault,
    Json,
    answer,
    leave_if_broken,
    new_group,
    note,
    pairs,
    say,
    table,
)

if TYPE_CHECKING:
    from trials.store_batch import Folder, Plan
    from trials.supervisor import Tally

DAY_MS = 86_400_000
# One simulated day without a model, measured on one core of a 2 GHz machine; for the estimate of a dry run.
CPU_S_PER_DAY, CPU_S_PER_TRIAL, BYTES_PER_DAY = 0.8, 0.08, 190_000
LINE_EVERY_S = 10.0
SEEDS_MAX = 100_000

trials_commands = new_group(
    "trials", "Run a protocol's arms x seeds, one process each, and compare what they showed."
)

Protocol = Annotated[str, typer.Argument(metavar="PROTOCOL", help="A path or a shipped id.")]
Seeds = Annotated[
    str | None,
    typer.Option(
        metavar="A:B", help="Seeds A to B, both included, or a list 1,5,9. By default those declared."
    ),
]
Arms = Annotated[list[str] | None, typer.Option("--arm", help="Only this arm; may be repeated.")]
Out = Annotated[
    Path | None, typer.Option(metavar="DIR", help="The batch's folder. By default runs/trials-PROTOCOL.")
]
Shard = Annotated[
    str, typer.Option(metavar="i/N", help="Only every N-th trial, from the i-th on; for job arrays.")
]
Model = Annotated[
    str | None,
    typer.Option(metavar="PROVIDER[:NAME]", help="Another model than declared; marks exploratory."),
]
Folders = Annotated[list[Path], typer.Argument(metavar="DIR...", help="Folders of batches.")]


def add_commands(app: typer.Typer) -> None:
    """Add the commands over many trials to *app*."""
    app.add_typer(trials_commands)
    app.command(epilog="Example: oneroom export runs/first_visit-seed7.jsonl.zst --format parquet")(export)


@trials_commands.command(epilog="Example: oneroom trials check week --seeds 1:20")
def check(
    protocol: Protocol, seeds: Seeds = None, arm: Arms = None, model: Model = None, out: Out = None, shard: Shard = "1/1",
    jobs: Annotated[int, typer.Option(min=1, help="Processes to estimate for.")] = 1, as_json: Json = False,
) -> None:  # fmt: skip
    """Check a batch without running it: legal, how many trials, about how long, how large, its digest."""
    from trials.store_batch import changed_since

    plan, folder = _plan(protocol, seeds, arm, model, out, shard)
    changed = changed_since(folder, plan)
    days = sum(int(plan.arms[trial.arm].declaration["duration_ms"]) for trial in plan.trials) / DAY_MS
    found = {
        "protocol": plan.protocol,
        "digest": plan.digest,
        "total": len(plan.trials),
        "arms": list(dict.fromkeys(trial.arm for trial in plan.trials)),
        "seeds": len({trial.seed for trial in plan.trials}),
        "exploratory": any(plan.declared(trial).exploratory for trial in plan.trials),
        "simulated_days": round(days, 3),
        "seconds_estimated": round((days * CPU_S_PER_DAY + len(plan.trials) * CPU_S_PER_TRIAL) / jobs, 1),
        "bytes_estimated": round(days * BYTES_PER_DAY),
        "model": sorted({plan.arms[trial.arm].declaration["model"]["provider"] for trial in plan.trials}),
        "out": str(folder.root),
        "changed": changed,
    }
    if not answer(found, as_json=as_json, schema="oneroom.trials-check/1"):
        pairs("Batch", {key: value for key, value in found.items() if key != "changed"})
        if changed:
            say(f"{folder.root} holds a batch that was declared otherwise ({', '.join(changed)} changed): give this one --out.")
        if found["model"] != ["none"]:
            say("The estimate leaves out the time of a model.")


@trials_commands.command(epilog="Example: oneroom trials run week --jobs 4")
def run(
    protocol: Protocol, seeds: Seeds = None, arm: Arms = None, model: Model = None, out: Out = None, shard: Shard = "1/1",
    jobs: Annotated[int, typer.Option(min=0, help="Processes at a time; 0 is one for each processor.")] = 0,
    engine: Annotated[str, typer.Option(metavar="local|dask[:ADDRESS]", help="Who runs the processes.")] = "local",
    retries: Annotated[int, typer.Option(min=0, help="More attempts for a trial whose process dies.")] = 2,
    max_failures: Annotated[
        float | None, typer.Option(min=0, metavar="X", help="Stop when more than X trials failed (below 1: a share). Never by default.")
    ] = None,
    timeout: Annotated[float, typer.Option(min=0, metavar="SECONDS", help="Cap of one attempt's time; 0 is none.")] = 0,
    memory: Annotated[int, typer.Option(min=0, metavar="MB", help="Cap of one trial's memory; 0 is none.")] = 0,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Run every trial of PROTOCOL that is not sealed yet. The same command again goes on where this one ended.

    Ctrl-C once lets the running trials finish, twice leaves at once; nothing written is lost either way.
    Exit code 1 if a trial failed, 3 if the batch ended early.
    """
    from trials.supervisor import Terms
    from trials.supervisor_batch import run_trials

    with asking_to_end() as stop:
        found = run_trials(
            protocol, out=out, seeds=_seeds(seeds), arms=arm, overrides=_overrides(model), shard=_shard(shard),
            terms=Terms(jobs or os.cpu_count() or 1, retries, timeout, memory, max_failures), engine=_engine(engine),
            stop=stop, notify=progress_line(),
        )  # fmt: skip
    if not answer(found, as_json=as_json, schema="oneroom.trials/1"):
        show(found)
        say(f"Results: {found['out']}/results.csv   Next: oneroom trials compare {found['out']}")
    if found["stopped"] and not found["stopped"].endswith(" failed"):
        raise typer.Exit(ENDED_EARLY)
    if found["sealed"] < found["total"]:
        raise typer.Exit(CHECK_FAILED)


@trials_commands.command(epilog="Example: oneroom trials status week --json")
def status(
    protocol: Annotated[str, typer.Argument(metavar="PROTOCOL|DIR", help="What runs, or the folder it runs in.")],
    seeds: Seeds = None, arm: Arms = None, model: Model = None, out: Out = None, shard: Shard = "1/1", as_json: Json = False,
) -> None:  # fmt: skip
    """Tell how far a batch has come, from any terminal, while it runs or afterwards. Exit code 1 if a trial failed."""
    from trials.store_batch import Folder, begin, identity_of
    from trials.store_batch import status as status_of

    reference, overrides = protocol, {}
    if Path(protocol).is_dir():
        out = Path(protocol)
        begun = identity_of(Folder(out))
        reference, overrides = str(begun.get("reference", "")), dict(begun.get("overrides") or {})
        if reference.endswith(".toml") and not Path(reference).exists():
            raise Fault(
                f"the protocol of this batch is not found from here: {reference}", where=protocol,
                mend=f"ask from the folder where the batch was begun, or: oneroom trials status PROTOCOL --out {protocol}",
            )  # fmt: skip
    plan, folder = _plan(reference, seeds, arm, model, out, shard, overrides)
    identity_of(folder)
    begin(folder, plan)
    found = status_of(folder, plan)
    if not answer(found, as_json=as_json, schema="oneroom.trials/1"):
        show(found)
    if found["failed"]:
        raise typer.Exit(CHECK_FAILED)


@trials_commands.command(epilog="Example: oneroom trials merge shard-1 shard-2 --out whole")
def merge(
    folders: Folders,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where they come together.")],
    as_json: Json = False,
) -> None:
    """Bring shards of one batch together: every sealed log, one table. Nothing is moved or replaced."""
    from trials.store import results
    from trials.store_batch import Folder
    from trials.store_merge import merge_into

    merged = merge_into([Folder(path) for path in folders], Folder(out))
    found = {**merged, **results(Folder(out)), "out": str(out)}
    if not answer(found, as_json=as_json, schema="oneroom.trials-merge/1"):
        pairs("Merged", found)


@trials_commands.command(
    epilog="Example: oneroom trials compare runs/trials-week --first plain --second no_sys1"
)
def compare(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a batch.")],
    first: Annotated[str | None, typer.Option(help="The arm to compare with. By default the first.")] = None,
    second: Annotated[str | None, typer.Option(help="The other arm. By default every other one.")] = None,
    metric: Annotated[list[str] | None, typer.Option(help="Only this metric; may be repeated.")] = None,
    every: Annotated[bool, typer.Option("--every", help="All metrics, not only those the protocol declares.")] = False,
    as_json: Json = False,
) -> None:
    """Compare arms over the same seeds: mean difference, 95 % interval, effect size, p value corrected over the metrics shown.

    The metrics are those the protocol declares, all where it declares none; trials that its rule excludes are left out.
    """
    from trials.comparison import ALPHA, P_SMALLEST_OF, compare_all
    from trials.report_data import read_study
    from trials.store_batch import Folder, identity_of

    arms = list(identity_of(Folder(folder))["arms"])
    if len(arms) < 2:
        raise Fault(
            "there is only one arm, nothing to compare",
            where=str(folder),
            mend="declare [arms.NAME] tables in the protocol",
        )
    for name in (first, second):
        if name is not None and name not in arms:
            raise Fault(f"there is no arm {name!r}", where=str(folder), mend=f"there are: {', '.join(arms)}")
    base, study = first or arms[0], read_study(folder)
    rows, declared = study.kept, study.form["metrics"]
    names = metric or (study.all_metrics() if every or not declared else study.declared_metrics())
    found = [
        each
        for other in arms
        if other != base and second in (None, other)
        for each in compare_all(rows, names, base, other)
    ]
    lines = [each.as_dict() for each in found]
    if not answer({"comparisons": lines}, as_json=as_json, schema="oneroom.trials-compare/1"):
        shown = (
            "metric",
            "second",
            "pairs",
            "mean_first",
            "mean_second",
            "difference",
            "low",
            "high",
            "effect",
            "p_holm",
            "differs",
        )
        moved = [line for line in lines if metric or line["difference"] or (declared and not every)]
        table(f"Against {base}", shown, ([line[name] for name in shown] for line in moved))
        if len(moved) < len(lines):
            say(f"{len(lines) - len(moved)} metrics are the same in every pair.")
        if study.excluded:
            say(f"{len(study.excluded)} trials are left out by the declared rule.")
        if declared and not every and not metric:
            say("These are the declared metrics; all there are: --every.")
        if moved:
            say("`differs` looks at each metric alone (its interval leaves out 0); over all of them `p_holm` counts.")
        pairs_most = max((line["pairs"] for line in lines), default=0)
        if lines and P_SMALLEST_OF / 2**pairs_most > ALPHA:
            say(
                f"With {pairs_most} pairs no p value can fall below {P_SMALLEST_OF / 2**pairs_most:g}: "
                "run more seeds (oneroom trials plan)."
            )


@trials_commands.command(epilog="Example: oneroom trials plan --effect 0.5")
def plan(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="A pilot batch, to plan from its spread.")
    ] = None,
    effect: Annotated[float | None, typer.Option(help="Effect size d_z that is to be found.")] = None,
    metric: Annotated[str | None, typer.Option(help="With DIR: the metric to plan for.")] = None,
    half_width: Annotated[
        float | None, typer.Option(help="With DIR: half the width of the interval wanted.")
    ] = None,
    first: Annotated[
        str | None, typer.Option(help="With DIR: an arm; alone, its mean is planned for. By default the batch's first.")
    ] = None,
    second: Annotated[str | None, typer.Option(help="With DIR: the arm compared with it. By default the batch's second.")] = None,
    power: Annotated[float, typer.Option(help="Chance of finding the effect.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="Chance of finding one that is not there.")] = 0.05,
    as_json: Json = False,
) -> None:
    """Tell how many seeds a comparison needs, for an effect size, or for an interval from a pilot."""
    from trials.comparison import by_seed, seeds_for_effect, seeds_for_width
    from trials.store import results_of, sealed_ids
    from trials.store_batch import Folder, identity_of

    found: dict[str, Any]
    if folder is None:
        if effect is None:
            raise Fault("say what is to be found", mend="--effect 0.5, or DIR --metric NAME --half-width W")
        found = {"power": power, "alpha": alpha, "effect": effect, "seeds": seeds_for_effect(effect, power, alpha)}
    else:
        if metric is None or half_width is None:
            raise Fault("a pilot is planned for a metric", mend="DIR --metric NAME --half-width W")
        batch = Folder(folder)
        listed = list(identity_of(batch)["arms"])
        compared = [first or listed[0], *([second] if second else [] if first else listed[1:2])]
        for name in compared:
            if name not in listed:
                raise Fault(f"the batch has no arm {name!r}", where=str(folder), mend=f"there are: {', '.join(listed)}")
        arms = by_seed(results_of(batch, sealed_ids(batch)), metric)
        values = list(arms.get(compared[0], {}).values())
        if len(compared) == 2:
            one, other = (arms.get(name, {}) for name in compared)
            values = [other[seed] - one[seed] for seed in sorted(one.keys() & other.keys())]
        found = {"metric": metric, "arms": compared, "pilot": len(values), "half_width": half_width}
        found["seeds"] = seeds_for_width(values, half_width)
    if not answer(found, as_json=as_json, schema="oneroom.trials-plan/1"):
        pairs("Seeds", found)
        if folder is not None:
            what = "the difference of the two arms" if len(found["arms"]) == 2 else "the mean of the arm"
            say(f"So many seeds give {what} an interval of +- {half_width}, if the pilot is like the rest.")


@trials_commands.command(epilog="Example: oneroom trials metrics --zh")
def metrics(
    zh: Annotated[bool, typer.Option("--zh", help="In Chinese.")] = False, as_json: Json = False
) -> None:
    """List every metric with its unit, window and definition."""
    from trials.metrics import table as known

    at = 1 if zh else 0
    rows = [
        {
            "name": each.name,
            "unit": each.unit,
            "window": each.window,
            "title": each.title[at],
            "definition": each.definition[at],
        }
        for each in known()
    ]
    if not answer({"metrics": rows}, as_json=as_json, schema="oneroom.metrics/1"):
        table("", ("name", "unit", "window", "title", "definition"), (each.values() for each in rows))


def export(
    source: Annotated[Path, typer.Argument(metavar="LOG|DIR", help="A log, or the folder of a batch.")],
    form: Annotated[
        str, typer.Option("--format", metavar="csv|parquet|json", help="JSON is one record a line.")
    ] = "csv",
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="By default beside the log.")] = None,
    as_json: Json = False,
) -> None:
    """Write the records of LOG as a table, or the results of a batch anew. The rows are counted against the log.

    Of a damaged log the sound part is written (exit code 1).
    """
    from logs.names import names_of
    from trials.store import export_log, results
    from trials.store_batch import Folder, identity_of

    broken = None
    if source.is_dir():
        identity_of(Folder(source))
        found: dict[str, Any] = {**results(Folder(source)), "out": str(source)}
    else:
        target = out or source.with_name(f"{names_of(source).stem}.{form}")
        if target.exists() and out is None:
            raise Fault(f"{target} is there already", mend="give --out another name")
        records, broken = export_log(source, target, form)
        found = {"records": records, "out": str(target), "broken": None if broken is None else str(broken)}
    if not answer(found, as_json=as_json, schema="oneroom.export/1"):
        pairs("Exported", {key: value for key, value in found.items() if key != "broken"})
    leave_if_broken(broken)


def _plan(
    protocol: str, seeds: str | None, arm: list[str] | None, model: str | None, out: Path | None, shard: str,
    overrides: dict[str, Any] | None = None,
) -> tuple[Plan, Folder]:  # fmt: skip
    from trials.store_batch import Folder, make_plan
    from trials.supervisor_batch import default_folder

    made = make_plan(
        protocol, seeds=_seeds(seeds), overrides={**(overrides or {}), **_overrides(model)}, arms=arm, shard=_shard(shard)
    )  # fmt: skip
    return made, Folder(out if out is not None else default_folder(made))


def _overrides(model: str | None) -> dict[str, Any]:
    if model is None:
        return {}
    provider, _, name = model.partition(":")
    return {"model.provider": provider, **({"model.name": name} if name else {})}


def _seeds(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        if ":" in text:
            first, last = (int(each) for each in text.split(":"))
            found = list(range(first, min(last, first + SEEDS_MAX) + 1))
        else:
            found = [int(each) for each in text.split(",")]
    except ValueError:
        found = []
    if not found or min(found) < 0:
        raise Fault(f"{text!r} names no seeds", mend="--seeds 1:20 for 1 to 20, or --seeds 1,5,9")
    if len(found) > SEEDS_MAX:
        raise Fault(f"{text!r} names too many seeds", mend=f"at most {SEEDS_MAX}; split the batch with --out")
    return list(dict.fromkeys(found))


def _shard(text: str) -> tuple[int, int]:
    try:
        at, of = (int(each) for each in text.split("/"))
    except ValueError:
        at, of = 0, 0
    if not 1 <= at <= of:
        raise Fault(f"{text!r} is no shard", mend="--shard 1/4 to 4/4 for four of them")
    return at, of


def _engine(name: str) -> Callable[..., Tally]:
    kind, _, address = name.partition(":")
    if kind == "local" and not address:
        from trials.supervisor import run_batch

        return run_batch
    if kind == "dask":
        from functools import partial

        from trials.supervisor_dask import run_on_dask

        return partial(run_on_dask, address=address)
    raise Fault(f"there is no engine {name!r}", mend="local, dask, or dask:tcp://HOST:PORT")


@contextmanager
def asking_to_end() -> Iterator[Callable[[], int]]:
    """Yield how often a person asked to end: once is to finish what runs, twice to leave at once."""
    asked: list[int] = []

    def on_signal(number: int, _frame: FrameType | None) -> None:
        asked.append(number)
        if len(asked) == 1:
            note(
                "\noneroom: no new trials; those that run will finish (again: leave at once, nothing written is lost)"
            )

    before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: len(asked)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def progress_line() -> Callable[[Tally], None]:
    """Return what shows one line: done, running, failed, rate, time left; live at a terminal, else now and then."""
    live = sys.stderr.isatty()
    shown_at, shown_text = time.monotonic(), ""

    def show_line(tally: Tally) -> None:
        nonlocal shown_at, shown_text
        now = time.monotonic()
        text = progress_text(tally, now)
        if live and text != shown_text:
            over = not tally.running and tally.done + tally.failed == tally.total
            sys.stderr.write("\r\x1b[K" + text + ("\n" if over else ""))
            sys.stderr.flush()
        elif not live and now - shown_at >= LINE_EVERY_S:
            note(text)
            shown_at = now
        shown_text = text

    return show_line


def progress_text(tally: Tally, now_s: float) -> str:
    """Return the progress line at *now_s*, in seconds of the clock that `began_s` is of."""
    left = tally.left_s(now_s)
    return (
        f"{tally.done}/{tally.total} done, {tally.running} running, {tally.failed} failed, "
        f"{tally.rate(now_s):.2f}/s, {'?' if left is None else f'{left:.0f} s'} left"
        + (f", {tally.tokens} tokens" if tally.tokens else "")
        + (f", cost {tally.cost:.2f}" if tally.cost else "")
    )


def show(found: dict[str, Any]) -> None:
    """Print a status for people: the counts, and each trial that is not sealed."""
    pairs("Batch", {key: value for key, value in found.items() if key not in ("trials", "files")})
    open_ones = [each for each in found["trials"] if each["status"] != "sealed"]
    columns = ("id", "arm", "seed", "status", "attempts", "error")
    table("Not sealed", columns, ([each.get(name) for name in columns] for each in open_ones[:20]))
    if len(open_ones) > 20:
        say(f"and {len(open_ones) - 20} more")
    if found["failed"]:
        say("The same command tries them again. A log that can't be gone on with: move its .part away, and it begins anew.")
