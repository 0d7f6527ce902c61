"""The command `mind`: what the resident is at one tick, and where an intuition comes from. It reads a log and never writes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sim.terminal import Json, answer, pairs, say, table

LogPath = Annotated[Path, typer.Argument(metavar="LOG", help="A log: NAME.jsonl.zst, or a running .part.")]
SHOWN = 30


def add_commands(app: typer.Typer) -> None:
    """Add the command to *app*."""
    app.command(epilog="Example: oneroom mind runs/week-seed1.jsonl.zst --tick 3000000 --trace itu-4")(mind)


def mind(
    log: LogPath,
    tick: Annotated[int | None, typer.Option(help="At this tick; by default the last one.", min=0)] = None,
    trace: Annotated[str | None, typer.Option(metavar="INTUITION", help="Walk from this intuition to what it came from.")] = None,
    as_json: Json = False,
) -> None:
    """Show the mind at one moment, from the log alone.

    Needs, commitments, beliefs with pro and con, intuitions with status and history, boundaries, goals, recent feelings.
    Feelings are statistics of what like deeds brought, and named so.
    """
    from sim.mind_view import mind_at
    from sim.mind_view import trace as trace_of

    if trace is not None:
        found = trace_of(log, trace, tick)
        if not answer(found, as_json=as_json, schema="oneroom.mind-trace/1"):
            _tell_trace(found)
        return
    found = mind_at(log, tick)
    if not answer(found, as_json=as_json, schema="oneroom.mind/1"):
        _tell(found)


def _tell(found: dict[str, Any]) -> None:
    pairs(f"Mind at tick {found['tick']}", {**found["needs"], "pleasure, arousal": found["mood"], "decided so far": found["decided"]})
    table("Commitments", ("id", "state", "task", "source", "since"), _rows(found["commitments"], "id", "state", "task", "source", "since"))
    table("Matters", ("id", "action", "target", "stance", "reason"), _rows(found["matters"], "id", "action", "target", "stance", "reason"))
    table("Beliefs about things, newest", ("thing", "props", "version"),
          _rows(sorted(found["beliefs"], key=lambda each: -each["tick"])[:SHOWN], "id", "props", "version"))  # fmt: skip
    table("Thoughts: beliefs and reflections", ("id", "what", "for", "against", "confidence"),
          _rows(found["thoughts"][-SHOWN:], "id", "key", "pros", "cons", "confidence"))  # fmt: skip
    table("Intuitions", ("id", "status", "confidence", "uses", "successes", "what"),
          _rows(found["intuitions"], "id", "status", "confidence", "uses", "successes", "description"))  # fmt: skip
    if found["removed"]:
        table("Removed intuitions", ("id", "what", "last"), ((e["id"], e["description"], e["history"][-1]) for e in found["removed"]))
    table("Relations", ("id", "reliability by domain"), _rows(found["relations"], "id", "reliability"))
    table("Boundaries", ("id", "stance", "overstepped"), _rows(found["boundaries"], "id", "stance", "overstepped"))
    table("Goals", ("id", "state", "last task"), _rows(found["goals"], "id", "state", "last_task"))
    table("Recent feelings (statistics of rewards)", ("tick", "about", "outcome", "reward"),
          _rows(found["feelings"], "tick", "about", "outcome", "reward"))  # fmt: skip


def _tell_trace(found: dict[str, Any]) -> None:
    say(f"{found['id']}: {found['description']}, formed at tick {found['formed']}")
    say(f"trigger: {found['scene']}")
    pairs("Gate", found["gate"])
    table("Thoughts", ("id", "what", "for", "against", "link strength", "shared experiences"),
          _rows(found["thoughts"], "id", "key", "pros", "cons", "strength", "experiences"))  # fmt: skip
    table("Experiences", ("id", "tick", "outcome", "reward", "origin", "closed by"),
          _rows(found["experiences"], "id", "tick", "outcome", "reward", "origin", "of"))  # fmt: skip
    table("History", ("tick", "event", "status", "confidence"), _rows(found["history"][-SHOWN:], "tick", "event", "status", "confidence"))


def _rows(items: list[dict[str, Any]], *keys: str) -> Any:
    return (tuple(each.get(key) for key in keys) for each in items)
