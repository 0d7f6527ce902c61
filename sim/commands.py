"""Commands over finished runs and over this machine: verify, why, diff, doctor, llm check.

Each imports what it needs when it runs. Commands that read declarations are in `sim/commands_declared.py`,
those that read a log as a file in `sim/commands_log.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sim.commands_declared import persona_commands, protocol_commands, room_commands
from sim.commands_log import log_commands
from sim.commands_mind import add_commands as add_mind_commands
from sim.commands_window import add_commands as add_window_commands
from sim.terminal import (
    CHECK_FAILED,
    Fault,
    Json,
    answer,
    leave_if_broken,
    new_group,
    note,
    pairs,
    say,
    table,
    words,
)

LogPath = Annotated[Path, typer.Argument(metavar="LOG", help="A log: NAME.jsonl.zst, or a running .part.")]

ROWS_SHOWN = 40

llm_commands = new_group("llm", "Look at the model endpoint.")


def add_commands(app: typer.Typer) -> None:
    """Add the commands of this floor to *app*."""
    app.command(epilog="Example: oneroom verify runs/*.zst")(verify)
    app.command(epilog="Example: oneroom why runs/first_visit-seed7.jsonl.zst --id req-1")(why)
    app.command(epilog="Example: oneroom diff runs/a.jsonl.zst runs/b.jsonl.zst")(diff)
    for group in (protocol_commands, room_commands, persona_commands, log_commands):
        app.add_typer(group)
    add_mind_commands(app)
    add_window_commands(app)
    app.command(epilog="Example: oneroom doctor --json")(doctor)
    app.add_typer(llm_commands)
    app.command(epilog="Example: oneroom mcp --store ~/.local/share/oneroom/scheduler")(mcp)


def verify(
    logs: Annotated[list[Path], typer.Argument(metavar="LOG...", help="One log or more.")],
    heavy: Annotated[bool, typer.Option("--heavy", help="Compare every tick, not only checkpoints.")] = False,
    as_json: Json = False,
) -> None:
    """Check logs: stored bytes, then every digest by simulating again.

    Nobody is asked anything: recorded inputs and replies are used. Exit code 1 if anything differs.
    """
    from sim.replay import verify as check

    results = [{"log": str(path), **check(path, heavy=heavy)} for path in logs]
    good = all(result["ok"] for result in results)
    whole = results[0] if len(results) == 1 else {"ok": good, "logs": results}
    if not answer(whole, as_json=as_json, schema="oneroom.verify/1"):
        columns = ("log", "ok", "ticks", "records", "checkpoints", "sealed")
        table("", columns, ([result.get(column) for column in columns] for result in results))
        for result in results:
            if result.get("first_difference"):
                say(f"{result['log']}: first difference: {words(result['first_difference'])}")
    if not good:
        raise typer.Exit(CHECK_FAILED)


def why(
    log: LogPath,
    tick: Annotated[int | None, typer.Option(help="Explain what happened at this tick.", min=0)] = None,
    record_id: Annotated[
        str | None, typer.Option("--id", help="Explain this record, such as req-3, int-2.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the causal chain of one moment.

    What was perceived, the candidates with their scores, who decided and why, what was asked of a model, what the
    body and the room made of it, and what was learned. A damaged log is explained as far as it is sound (exit code 1).
    """
    if (tick is None) == (record_id is None):
        raise Fault(
            "say which moment: either --tick T or --id X", mend=f"oneroom log tail {log} shows ids and ticks"
        )
    from sim.gateway_provider import load_wording
    from sim.why import why as explain
    from sim.why_words import questions_of

    found = explain(log, tick=tick, id=record_id)
    broken = found["broken"]
    if answer({**found, "broken": broken and str(broken)}, as_json=as_json, schema="oneroom.why/1"):
        leave_if_broken(broken)
        return
    say(f"{found.get('id') or ''} at tick {found.get('tick')}: {found.get('kind') or ''}")
    table(
        "Chain",
        ("tick", "kind", "id", "what"),
        (
            (step.get("tick"), step.get("kind"), step.get("id"), step.get("text"))
            for step in found.get("chain", ())
        ),
    )
    # One alone at the top is a clear leader; a near tie takes two.
    group = found.get("group") or ()
    tied = set(group) if len(group) > 1 else set()
    table(
        "Candidates",
        ("", "candidate", "source", "score", "parts"),
        (
            (
                "near tie" if each["id"] in tied else " ",
                each["id"],
                each.get("source"),
                each.get("score"),
                each.get("parts"),
            )
            for each in found.get("candidates", ())
        ),
    )
    if found.get("decided_by"):
        say(f"Decided by: {found['decided_by']}")
    asked = questions_of(found.get("questions") or {}, load_wording("en").questions)
    table("The ten questions", ("question", "answer"), asked)
    if found["parent"] is not None:
        its = found["parent"]
        say(f"What came before tick {its['tick']} stands in the log it goes on from: oneroom why {its['log']} --tick {its['tick'] - 1}")
    leave_if_broken(broken)


def diff(
    first: Annotated[Path, typer.Argument(metavar="A", help="A log.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another log.")],
    as_json: Json = False,
) -> None:
    """Show where two logs first differ.

    And how their outcomes differ. Exit code 1 if they do.
    """
    from sim.diff import diff as compare

    found = compare(first, second)
    if not answer(found, as_json=as_json, schema="oneroom.diff/1"):
        say("The logs are the same." if found["same"] else "The logs differ.")
        for title, name in (("Declared differently", "header"), ("Other outcomes", "outcomes")):
            rows = [(key, *both) for key, both in found[name].items()]
            table(title, ("what", "A", "B"), rows[:ROWS_SHOWN])
            if len(rows) > ROWS_SHOWN:
                say(f"and {len(rows) - ROWS_SHOWN} more: --json")
        if found["first_difference"]:
            pairs("First difference", found["first_difference"])
    if not found["same"]:
        raise typer.Exit(CHECK_FAILED)


def doctor(
    offline: Annotated[bool, typer.Option("--offline", help="Do not ask the model endpoint.")] = False,
    as_json: Json = False,
) -> None:
    """Tell what is installed and what answers.

    Packages, the model endpoint, the embedded model, whether a window can open. Exit code 1 on a problem.
    """
    from sim.doctor import examine

    found = examine(ask_endpoint=not offline)
    if not answer(found, as_json=as_json, schema="oneroom.doctor/1"):
        pairs("Python", found["python"])
        table(
            "Packages",
            ("package", "version"),
            ((name, at or "not installed") for name, at in found["packages"].items()),
        )
        pairs("Model endpoint", found["endpoint"])
        pairs("Embedded model", found["local_model"])
        pairs("Window", found["display"])
        for problem in found["problems"]:
            say(f"Problem: {problem}")
        if not found["display"]["window"]:
            say("No window can be opened here; trials, reports, pictures and films need none.")
        if not found["problems"]:
            say("No problems.")
    if found["problems"]:
        raise typer.Exit(CHECK_FAILED)


@llm_commands.callback()
def llm() -> None:
    """Keep `llm` a group although it has one command."""


@llm_commands.command("check", epilog="Example: OPENAI_BASE_URL=http://localhost:8000/v1 oneroom llm check")
def llm_check(as_json: Json = False) -> None:
    """Ask the endpoint of OPENAI_BASE_URL a dozen small questions and tell what it supports.

    Which ways of asking for JSON work, which decision types come back valid, confidence, repeatability, tokens, latency.

    Exit code 1 if it does not answer, or in no way of asking with what can be used. OPENAI_API_KEY and ONEROOM_MODEL are
    used if set; no key is ever printed.
    """
    from sim.gateway import check_endpoint

    found = check_endpoint(full=True)
    if not answer(found, as_json=as_json, schema="oneroom.llm/1"):
        pairs("Model endpoint", found)
    usable = any(found.get("structured", {}).values())
    if not found.get("reachable") or not usable:
        what = (
            "no endpoint is named: set OPENAI_BASE_URL, and the model with ONEROOM_MODEL"
            if not found.get("url")
            else "the endpoint gives no answer that can be used"
            if found.get("reachable")
            else "the endpoint does not answer"
        )
        note(f"oneroom: {what}; runs go on without a model and label every such decision")
        raise typer.Exit(CHECK_FAILED)


def mcp(
    store: Annotated[Path | None, typer.Option(help="Folder of the scheduler's memory.")] = None,
    compat: Annotated[
        str, typer.Option(help="default, or reference: number by number like the original.")
    ] = "default",
    executor: Annotated[
        bool, typer.Option("--executor", help="The executor's endpoint: it may attest.")
    ] = False,
) -> None:
    """Serve the compute scheduler over stdio, for any agent loop.

    It speaks the Model Context Protocol on standard input and output until the client goes away.
    """
    from sim.mcp_server import serve

    serve(store, compat=compat, executor=executor or None)
