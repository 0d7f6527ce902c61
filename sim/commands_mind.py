"""The command `mind`: what the resident is at one tick, and where an intuition comes from. It reads a log and never writes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from agent.percept import SELF
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
    kinds: dict[str, str] = found["kinds"]
    from sim.mind_view import moment

    when = partial(moment, tick_ms=found["tick_ms"], start_ms=found["start_ms"])
    pairs(f"Mind at tick {found['tick']}, {when(found['tick'])}",
          {**found["needs"], "pleasure, arousal": found["mood"], "decided so far": found["decided"]})  # fmt: skip
    table("Commitments", ("id", "state", "task", "source", "since"),
          ((e["id"], e["state"], e["task"], e.get("source"), when(e["since"])) for e in found["commitments"]))  # fmt: skip
    table("Matters", ("id", "action", "thing", "stance", "reason"),
          ((e["id"], e["action"], _named(e.get("target"), kinds), e["stance"], e.get("reason")) for e in found["matters"]))  # fmt: skip
    newest = sorted(found["beliefs"], key=lambda each: -each["tick"])
    table(f"Beliefs about things, newest {min(SHOWN, len(newest))} of {len(newest)}", ("thing", "believed", "version", "since"),
          ((_named(e["id"][6:], kinds), _believed(e, kinds), e["version"], when(e["tick"])) for e in newest[:SHOWN]))  # fmt: skip
    thoughts = found["thoughts"]
    table(f"Thoughts: beliefs and reflections, newest {min(SHOWN, len(thoughts))} of {len(thoughts)}",
          ("id", "what", "for", "against", "confidence"), _rows(thoughts[-SHOWN:], "id", "key", "pros", "cons", "confidence"))  # fmt: skip
    table("Intuitions", ("id", "status", "confidence", "uses", "successes", "what", "thoughts", "experiences", "last"),
          ((*row, len(e["thoughts"]), len(e["supports"]), _last(e)) for e, row in zip(
              found["intuitions"], _rows(found["intuitions"], "id", "status", "confidence", "uses", "successes", "description"),
              strict=True)))  # fmt: skip
    if found["removed"]:
        table("Removed intuitions", ("id", "what", "when", "why"),
              ((e["id"], e["description"], when(e["history"][-1]["tick"]), _last(e)) for e in found["removed"]))  # fmt: skip
    table("Relations", ("person", "reliability by domain", "seen"), _rows(found["relations"], "id", "reliability", "seen"))
    table("Boundaries", ("id", "stance", "overstepped"), _rows(found["boundaries"], "id", "stance", "overstepped"))
    goals = ((e["id"], e["state"], when(e["last_task"]) if e["last_task"] >= 0 else None, e.get("reason")) for e in found["goals"])
    table("Goals", ("id", "state", "last task", "reason"), goals)
    table("Recent feelings (statistics of rewards)", ("when", "about", "outcome", "reward"),
          ((when(e["tick"]), e["about"], e["outcome"], e["reward"]) for e in found["feelings"]))  # fmt: skip
    table("The slow loop of late", ("when", "why", "nominated", "formed", "hypotheses", "goals"),
          ((when(e["tick"]), e["why"], e["nominated"], e["formed"], len(e["hypotheses"]), len(e["goals"]))
           for e in found["reflections"]))  # fmt: skip
    if found["parent"] is not None:
        say(f"It goes on from {found['parent']['log']} at tick {found['parent']['tick']}: what was so before and has not changed is "
            "shown there alone.")  # fmt: skip
    if found["intuitions"]:
        say(f"Where one comes from: oneroom mind {found['log']} --trace {found['intuitions'][0]['id']}")


def _named(ordinal: Any, kinds: dict[str, str]) -> str:
    """Return a thing by its kind and number, "" for nothing."""
    if str(ordinal) == str(SELF):
        return "oneself"
    return f"{kinds.get(str(ordinal), 'thing')} {ordinal}" if ordinal else ""


def _believed(its: dict[str, Any], kinds: dict[str, str]) -> str:
    """Return what is believed of a thing in words: where it is, then its properties."""
    props = {name: value for name, value in its["props"].items() if name not in ("place", "cell")}
    place = its["props"].get("place")
    found = ["lost"] if its["lost"] else [f"{place[0]} {_named(place[1], kinds)}"] if place else []
    return ", ".join([*found, *(f"{name} {value}" for name, value in props.items())])


def _last(one: dict[str, Any]) -> str:
    """Return the last thing that happened to an intuition, in a word or two."""
    its = one["history"][-1]
    return " ".join([its["event"], str(its.get("verdict", "")), str(its.get("why", ""))]).strip()


def _tell_trace(found: dict[str, Any]) -> None:
    from sim.mind_view import moment

    when = partial(moment, tick_ms=found["tick_ms"], start_ms=found["start_ms"])
    say(f"{found['id']}: {found['description']}, formed at tick {found['formed']}, {when(found['formed'])}")
    say(f"trigger: {found['scene']}")
    pairs("Gate", found["gate"])
    table("Thoughts", ("id", "what", "for", "against", "link strength", "shared experiences"),
          _rows(found["thoughts"], "id", "key", "pros", "cons", "strength", "experiences"))  # fmt: skip
    table("Experiences", ("id", "when", "outcome", "reward", "origin", "closed by"),
          ((e["id"], when(e["tick"]), e["outcome"], e["reward"], e["origin"], e["of"]) for e in found["experiences"]))  # fmt: skip
    history = found["history"]
    table(f"History, newest {min(SHOWN, len(history))} of {len(history)}", ("tick", "when", "event", "status", "confidence"),
          ((e["tick"], when(e["tick"]), e["event"], e["status"], e["confidence"]) for e in history[-SHOWN:]))  # fmt: skip
    if found["experiences"]:
        say(f"Why any of them came about: oneroom why {found['log']} --id {found['experiences'][0]['of']}")


def _rows(items: list[dict[str, Any]], *keys: str) -> Any:
    return (tuple(each.get(key) for key in keys) for each in items)
