"""`oneroom report`: a batch as one self-contained page, from question to figures to the commands that repeat it.

The page needs no network, no script and no other file. Each number bears its exact value beside the rounded one, and is
a cell of the batch's tables or follows from them through trials/comparison.py.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from sim.terminal import span
from trials.comparison import Comparison
from trials.report_data import (
    COUNTED,
    DECISIONS,
    VISITED,
    Row,
    Study,
    changed_by_arm,
    machine,
    metric_of,
    read_study,
    software,
)
from trials.report_html import Html, commands, exact, join, number, page, table, tag
from trials.report_plots import arms_plot, differences_plot, kinds_plot
from trials.report_trial import close_up
from trials.store_batch import BatchError, Folder, write_over

PLOTS_MAX = 12
ESTIMATED = ("metric", "arm", "n", "mean", "sd", "low", "high")


def write_report(root: Path, out: Path, *, trial: str | None = None) -> dict[str, Any]:
    """Write the report of the batch in *root* to *out*; return {out, trials, excluded, arms, metrics, trial, bytes}.

    *trial* is the id of the trial that is looked at closely, by default the first one kept. Raises BatchError.
    """
    study = read_study(root)
    chosen = _chosen(study, trial)
    text = make_page(study, chosen, out)
    write_over(out, text.encode())
    return {
        "out": str(out), "trials": len(study.rows), "excluded": len(study.excluded), "arms": study.arms,
        "metrics": study.declared_metrics(), "trial": chosen["facts"]["trial"], "bytes": len(text.encode()),
    }  # fmt: skip


def make_page(study: Study, chosen: Row, out: Path) -> Html:
    """Return the whole page."""
    titles = study.form["title"]
    sections = [
        _head(study),
        _section("design", "Design", _design(study)),
        _section("deviations", "Deviations, exclusions, flags", _deviations(study)),
        _section("estimates", "Estimates by arm", _estimates(study)),
        _section("differences", "Paired differences", _differences(study)) if len(study.arms) > 1 else None,
        _section("decisions", "Who decided", _decisions(study)),
        _section("trial", "One trial, closely", _trial(study, chosen)),
        _section("all", "Every metric, every trial", _everything(study)),
        _section("repeat", "Do it again", _repeat(study, out)),
        tag(
            "footer",
            f"Written by {software()} on {machine()}. Figures from {len(study.kept)} of {len(study.rows)} sealed trials.",
        ),
    ]
    return page(f"{titles['en']} · oneroom report", *sections)


def _chosen(study: Study, trial: str | None) -> Row:
    rows = study.kept or study.rows
    if trial is None:
        first = [row for row in rows if row["facts"]["arm"] == study.arms[0]] or rows
        return min(first, key=lambda row: (row["facts"]["seed"], row["facts"]["replicate"]))
    found = [row for row in study.rows if row["facts"]["trial"] == trial]
    if not found:
        raise BatchError(
            f"there is no sealed trial {trial!r}",
            where=study.folder,
            mend="oneroom trials status DIR --json lists ids",
        )
    return found[0]


def _section(name: str, title: str, *inside: Any) -> Html:
    return tag("section", tag("h2", title), *inside, id=name)


def _head(study: Study) -> Html:
    form = study.form
    days = span(int(form["duration_ms"]))
    facts = (
        (len(study.rows), f"sealed trials{f' of {study.planned} declared' if study.planned else ''}"),
        (len(study.arms), "arms" if len(study.arms) != 1 else "arm"),
        (len({row["facts"]["seed"] for row in study.rows}), "seeds"),
        (days, "simulated time each"),
        (len(study.excluded), "excluded"),
    )
    links = (("design", "Design"), ("deviations", "Deviations"), ("estimates", "Estimates"), ("differences", "Differences"),
             ("decisions", "Decisions"), ("trial", "One trial"), ("all", "All values"), ("repeat", "Repeat"))  # fmt: skip
    shown_links = [each for each in links if each[0] != "differences" or len(study.arms) > 1]
    return tag(
        "header",
        tag("h1", form["title"]["en"]),
        tag("p", form["title"]["zh"], cls="zh", lang="zh") if form["title"]["zh"] else None,
        tag("p", form["question"]["en"], cls="lead") if form["question"]["en"] else None,
        tag("div", [tag("div", tag("b", value), tag("span", what)) for value, what in facts], cls="facts"),
        tag("nav", [tag("a", title, href=f"#{name}") for name, title in shown_links]),
    )


def _design(study: Study) -> Html:
    form, header = study.form, study.header
    names = header["persona"].get("names", {}).get("en", form["persona"])
    open_ones = [name for name, channel in form["channels"].items() if channel["open"]]
    model = form["model"]
    rows = [
        ("Protocol", tag("td", tag("code", form["id"]), " · digest ", tag("code", study.identity["digest"]))),
        ("Resident, room", f"{names} ({form['persona']}) in {form['room']}"),
        (
            "Time",
            f"{span(int(form['duration_ms']))} from {span(int(form['start_ms']))}, ticks of {form['tick_ms']} ms, {form['pace']}",
        ),
        ("Visitor", f"{form['visitor']['kind']}; {len(form['schedule'])} scheduled acts"),
        ("Open channels", ", ".join(open_ones) or "none"),
        (
            "Model",
            f"{model['provider']} {model['name']}".strip()
            + ("" if model["provider"] == "none" else f", latency {model['latency_ms']} ms"),
        ),
        (
            "Mind",
            f"sys1 {form['mind']['sys1']}; "
            + ", ".join(f"{k} {'on' if form['mind'][k] else 'off'}" for k in ("s1", "s2", "s3", "s4", "s5")),
        ),
        ("Planned analysis", form["analysis"] or "none declared"),
        ("Complete when", form["complete"].replace("_", " ")),
    ]
    parts = [table(("", ""), [(tag("th", name, scope="row"), value) for name, value in rows])]
    if form["hypotheses"]:
        parts += [
            tag("h3", "Hypotheses, declared beforehand"),
            tag("ol", [tag("li", each) for each in form["hypotheses"]]),
        ]
    changes = changed_by_arm({arm: study.headers[arm] for arm in study.arms})
    if len(changes) > 1:
        base = study.arms[0]
        listed = [
            (tag("th", arm, scope="row"), tag("code", key), exact(old), exact(new))
            for arm, each in changes.items()
            for key, old, new in each
        ]
        parts += [tag("h3", "What the arms change"), table(("arm", "key", f"in {base}", "here"), listed)]
    return join(parts)


def _deviations(study: Study) -> Html:
    parts = []
    if study.deviations:
        parts.append(tag("ul", [tag("li", each) for each in study.deviations]))
    else:
        parts.append(tag("p", tag("span", "none", cls="flag ok"), "The batch is what was declared."))
    rule = ", ".join(study.form["exclusion"]) or "no rule declared"
    parts += [
        tag("h3", "Exclusions"),
        tag("p", f"Declared rule: {rule}. {len(study.excluded)} of {len(study.rows)} trials are excluded."),
    ]
    if study.excluded:
        rows = [
            (
                tag("code", row["facts"]["trial"], cls="id"),
                row["facts"]["arm"],
                row["facts"]["seed"],
                ", ".join(why),
            )
            for row, why in study.excluded
        ]
        parts.append(table(("trial", "arm", "seed", "because"), rows))
    flags = {name: count for name, count in study.flags().items() if count}
    parts.append(tag("h3", "Flags"))
    parts.append(
        tag("p", [tag("span", f"{name}: {count} trials", cls="flag") for name, count in flags.items()])
        if flags else tag("p", "No trial bears a flag.")
    )  # fmt: skip
    return join(parts)


def _estimates(study: Study) -> Html:
    names = study.declared_metrics()
    if not names:
        return tag("p", "No kept trial has a value of a declared metric.")
    rows: list[list[Any]] = []
    plots: list[Html] = []
    for name in names:
        metric, found = metric_of(name), study.estimates(name)
        for at, (arm, each) in enumerate(found.items()):
            first = (
                tag(
                    "th",
                    metric.title[0],
                    tag("br"),
                    tag("span", metric.unit, cls="dim"),
                    scope="row",
                    rowspan=len(found),
                )
                if at == 0
                else None
            )
            cells = [
                number(each.n),
                number(each.mean, data_metric=name, data_arm=arm),
                number(each.sd),
                number(each.low),
                number(each.high),
            ]
            rows.append([*([first] if first else []), arm or "all", *cells])
        if len(plots) < PLOTS_MAX:
            plots.append(arms_plot(metric.title[0], study.seeds(name), found, shares=metric.unit == "share"))
    declared = (
        "The metrics the protocol declares"
        if study.form["metrics"]
        else "The protocol declares no metrics; these are a default few"
    )
    said = f"{declared}. Mean over n seeds (replicates of a seed averaged first), standard deviation, and the 95 % t interval of the mean; "
    said += "kept trials only. "
    hint = tag("span", "Hold the pointer over a number for all its digits.", cls="screen")
    defined = [(metric_of(name).title[0], metric_of(name).definition[0]) for name in names]
    return join([
        tag("p", said, hint), table(ESTIMATED, rows, caption="The declared metrics by arm."), tag("div", plots, cls="plots"),
        tag("details", tag("summary", "How each is counted"), table(("metric", "definition"), defined)),
    ])  # fmt: skip


def _differences(study: Study) -> Html:
    names, base = study.declared_metrics(), study.arms[0]
    titles = {name: metric_of(name).title[0] for name in names}
    parts: list[Any] = []
    for other, found in study.comparisons(names).items():
        if not found:
            parts.append(tag("p", f"{other} and {base} have no seed in common."))
            continue
        parts += [
            tag("h3", f"{other} against {base}"),
            differences_plot(found, titles, base, other),
            _compared(found, titles),
        ]
    said = "Second minus first over the same seeds. d is the mean difference over its standard deviation, with Hedges' correction; p is "
    said += "Wilcoxon's signed-rank test, after Holm over the declared metrics of the comparison."
    said += " A seed without a value in one of the two arms has no pair and is counted under dropped."
    return join([tag("p", said), *parts])


def _compared(found: list[Comparison], titles: dict[str, str]) -> Html:
    columns = (
        "metric",
        "pairs",
        "dropped",
        "first",
        "second",
        "difference",
        "low",
        "high",
        "d",
        "p",
        "p (Holm)",
    )
    rows = [
        [
            tag("th", titles[each.metric], scope="row"), number(each.pairs), number(each.dropped),
            number(each.mean_first), number(each.mean_second),
            number(each.difference, data_metric=each.metric, data_second=each.second), number(each.low), number(each.high),
            number(each.effect), number(each.p), number(each.p_holm),
        ]
        for each in found
    ]  # fmt: skip
    return table(columns, rows, caption=f"{found[0].second} against {found[0].first}, paired over seeds.")


def _decisions(study: Study) -> Html:
    found = study.decisions()
    rows = [
        [tag("th", arm or "all", scope="row"), *(number(kinds.get(kind, 0)) for kind in DECISIONS)]
        for arm, kinds in found.items()
    ]
    counted = [
        [tag("th", arm or "all", scope="row"), *(number(each) for each in counts.values())]
        for arm, counts in study.counts().items()
    ]
    return join([
        kinds_plot(found), table(("arm", *DECISIONS), rows, caption="Mean number of decisions a trial."),
        table(("arm", *COUNTED.values()), counted, caption="What went otherwise than asked, mean a trial."),
        _visits(study),
    ])  # fmt: skip


def _visits(study: Study) -> Html | None:
    """Return what became of the visitor's acts, by arm and channel; None where there were none."""
    rows = []
    for name, columns in study.visits().items():
        for at, (arm, values) in enumerate(columns.items()):
            first = [tag("th", name.replace("_", " "), scope="row", rowspan=len(columns))] if at == 0 else []
            rows.append([*first, arm or "all", *(number(value) for value in values.values())])
    if not rows:
        return None
    caption = "What became of the visitor's acts: their mean number a trial, and of these the shares (the last four: of those not denied)."
    return table(("channel", "arm", *VISITED), rows, caption=caption)


def _trial(study: Study, chosen: Row) -> Html:
    facts = chosen["facts"]
    log = Folder(study.folder).sealed(facts["trial"])
    named = f"Arm {facts['arm']}, " if facts["arm"] else ""
    said = f"{named}seed {facts['seed']}, trial {facts['trial']}; another one: oneroom report DIR --trial ID."
    return join([tag("p", said, cls="dim"), close_up(log)])


def _everything(study: Study) -> Html:
    names, known = study.all_metrics(), [row["facts"] for row in study.rows]
    listed = []
    for name in names:
        found = study.estimates(name)
        for at, (arm, each) in enumerate(found.items()):
            first = [tag("td", tag("code", name), rowspan=len(found))] if at == 0 else []
            listed.append(
                [
                    *first,
                    arm or "all",
                    *(number(n) for n in (each.n, each.mean, each.sd, each.low, each.high)),
                ]
            )
    declared = study.declared_metrics()
    columns = ("trial", "arm", "seed", "status", *declared)
    rows = [
        [
            tag("code", facts["trial"], cls="id"), facts["arm"], number(facts["seed"]), facts["status"],
            *(number(row["metrics"].get(name), data_metric=name, data_trial=facts["trial"]) for name in declared),
        ]
        for facts, row in zip(known, study.rows, strict=True)
    ]  # fmt: skip
    return join([
        tag("details", tag("summary", f"Every trial, declared metrics ({len(rows)} trials)"), table(columns, rows), cls="small"),
        tag("details", tag("summary", f"Every metric by arm ({len(names)} metrics; exploratory, not corrected)"),
            table(ESTIMATED, listed), cls="small"),
        tag("p", "The same values, one row a trial and metric: ", tag("code", "results.parquet"), " and ", tag("code", "results.csv"), "."),
    ])  # fmt: skip


def _repeat(study: Study, out: Path) -> Html:
    identity = study.identity
    reference, folder = (
        shlex.quote(str(identity.get("reference", study.form["id"]))),
        shlex.quote(str(study.folder)),
    )
    seeds = sorted({row["facts"]["seed"] for row in study.rows})
    over = identity["overrides"]
    arms = (
        ""
        if len(study.arms) == len(identity["arms"])
        else "".join(f" --arm {shlex.quote(arm)}" for arm in study.arms)
    )
    model = (
        f" --model {over['model.provider']}{':' + over['model.name'] if 'model.name' in over else ''}"
        if "model.provider" in over
        else ""
    )
    in_a_row = len(seeds) == seeds[-1] - seeds[0] + 1
    chosen = f"{seeds[0]}:{seeds[-1]}" if in_a_row else ",".join(map(str, seeds))
    run = f"oneroom trials run {reference} --seeds {chosen}{arms}{model} --out {folder}"
    compared = [f"oneroom trials compare {folder}"] if len(study.arms) > 1 else []
    lines = [run, *compared, f"oneroom report {folder} --out {shlex.quote(str(out))}"]
    engine = study.rows[0]["facts"]["engine"]
    said = f"Engine {engine}. The same declaration and seeds give the same logs, digests and tables on every machine; with a real model, "
    said += "its recorded replies do. Any log proves itself: "
    heads = [
        (
            tag("code", row["facts"]["trial"], cls="id"),
            row["facts"]["arm"],
            row["facts"]["seed"],
            tag("code", row["facts"]["head"]),
        )
        for row in study.rows
    ]
    return join([
        commands(*lines), tag("p", said, tag("code", "oneroom verify LOG"), "."),
        _pairs(("protocol digest", tag("code", identity["digest"])), ("engine", engine), ("schema", identity["schema"])),
        tag("details", tag("summary", "Heads of the logs"), table(("trial", "arm", "seed", "head"), heads), cls="small"),
    ])  # fmt: skip


def _pairs(*rows: tuple[str, Any]) -> Html:
    return table(("", ""), rows)
