"""Degradation and recovery in a room: a friend who used to stay for a talk walks out of every one of them, then stays again.

Nothing about the scene tells the two kinds of talk apart, so the habit of talking goes wrong and has to be noticed from
its outcomes. Changes of things (a jammed drawer, cups that are gone) are other cases: they are key facts or beliefs, so
that the intuition does not fire at all once the change is perceived; how often it failed before that is counted too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from protocols.library import load_protocol
from sim import kernel
from sim.build import build
from sim.declare import declare
from sim.session import Session
from sim.state import VisitorAct
from trials.experiments.lines import line
from trials.intuition_checker import check_rows

NAME = "degradation"
DOC = "A habit that goes wrong is degraded within 20 uses and may come back; changed things silence intuitions by their key facts."
TALK = "talk_with_visitor"
MINUTE = 600
DAY = 86_400_000 // 100
KINDS = ("intuition", "experience", "thought", "dream", "round", "commit")


class Kept(Session):
    """A life whose deep records are kept in memory."""

    rows: list[dict[str, Any]]

    def write(self, ticked: list[kernel.Ticked]) -> None:
        for _, rows in ticked:
            self.rows += [row for row in rows if row["kind"] in KINDS]


def run(*, quick: bool = True, seeds: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the lines; *quick* lives one test seed, else three."""
    listed = load_protocol("emergence").form["seeds"]["test"]
    chosen = listed[: seeds or (1 if quick else 3)]
    spoiled = [spoil(seed) for seed in chosen]
    uses = [one["uses"] for one in spoiled if one["decided"]]
    good = bool(uses) and all(one is not None and one <= 20 for one in uses)
    yield line("wrong uses of the habit until it was degraded, where it decided before", "<= 20", uses, good,
               statuses=[one["verdict"] for one in spoiled], seeds=list(chosen))  # fmt: skip
    yield line("after the change is undone it can come back", "reported", [one["back"] for one in spoiled], True,
               shadows=[one["shadows"] for one in spoiled])  # fmt: skip
    faults = [fault for one in spoiled for fault in one["faults"]]
    yield line(
        "verdicts and histories replayed by hand", "no fault", len(faults), not faults, faults=faults[:4]
    )
    moved = [fails_after(seed, change) for seed in chosen[:1] for change in ("drawer", "cups")]
    yield line("wrong uses of any one intuition after a drawer jams for good, after every cup is gone", "<= 20", moved,
               max(moved) <= 20)  # fmt: skip


def a_life(seed: int) -> Kept:
    """Return a session of the protocol, not yet begun."""
    declared = declare("emergence", seed=seed)
    session = Kept(declared, build(declared), None, None)
    session.rows = []
    return session


def until(session: Kept, day: int) -> None:
    """Run *session* to the beginning of *day*."""
    session.state.end_tick = day * DAY
    session.run()


def spoil(seed: int) -> dict[str, Any]:
    """Live eight days, four in which every talk is walked out of, four as before."""
    session = a_life(seed)
    until(session, 8)
    mark = len(session.rows)
    names = [one.id for one in session.state.mind.inner.library.values() if one.label == f"start:{TALK}" and one.status == "active"]
    walk_out(session, 12)
    end = len(session.rows)
    until(session, 16)
    uses, verdict = None, ""
    for name in names:
        wrong = 0
        for row in session.rows[mark:end]:
            if row["id"] == name and row["kind"] == "intuition":
                wrong += row["data"]["event"] == "used" and not row["data"]["success"]
                if row["data"].get("verdict") in ("demoted", "removed") and uses is None:
                    uses, verdict = wrong, row["data"]["verdict"]
    label = f"start:{TALK}"
    after = [row["data"] for row in session.rows[end:] if row["kind"] == "intuition" and row["id"]]
    back = any(
        one.label == label and one.status == "active" for one in session.state.mind.inner.library.values()
    )
    header = session.declared.header()
    return {
        "decided": bool(names), "uses": uses, "verdict": verdict, "back": back, "shadows": sum(one["event"] == "shadow" for one in after),
        "faults": check_rows(session.rows, header).faults,
    }  # fmt: skip


def walk_out(session: Kept, day: int) -> None:
    """Run to *day*; whenever a talk has begun the friend goes out, and is back a few minutes later."""
    state = session.state
    number, due = 0, -1
    door = state.room.spec.door
    while state.tick < day * DAY:
        if (
            due < 0
            and state.mind.present
            and state.mind.doing is not None
            and state.mind.doing.skill == "talk"
        ):
            number, due = number + 1, state.tick + 4 * MINUTE
            state.acts.append(VisitorAct(f"friend-{number}", "leave", [("walk_to", {"place": door})]))
        elif 0 <= due <= state.tick:
            number, due = number + 1, -1
            state.acts.append(VisitorAct(f"friend-{number}", "enter", []))
        step(session, state.tick + 100)


def step(session: Kept, tick: int) -> None:
    """Advance to *tick*, answering what is asked on the way."""
    state = session.state
    waiting: list[Any] = []
    state.end_tick = max(state.end_tick, tick)
    while state.tick < tick:
        session.write(kernel.advance(state, waiting, tick))
        waiting = kernel.give_back(state) + [
            r for part, request in kernel.take_outbox(state) for r in session.ask(part, request)
        ]


def fails_after(seed: int, change: str) -> int:
    """Return the most failures of any one intuition in the three days after the drawer jams, or every cup is gone."""
    session = a_life(seed)
    until(session, 8)
    mark = len(session.rows)
    room = session.state.room
    if change == "drawer":
        room.set_prop("drawer", "jammed", 1)
    else:
        for thing in ("mug", "cup", "glass"):
            room.put_thing(thing, "in", "wardrobe", -1)
    until(session, 11)
    failed: dict[str, int] = {}
    for row in session.rows[mark:]:
        if row["kind"] == "intuition" and row["data"]["event"] == "used" and not row["data"]["success"]:
            failed[row["id"]] = failed.get(row["id"], 0) + 1
    return max(failed.values(), default=0)
