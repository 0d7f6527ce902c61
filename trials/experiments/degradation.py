"""Degradation and recovery in a room: what becomes of a habit when the room or a person changes, and when the change is undone.

Three lives. *promise*: a friend who used to stay for a talk, and says so, walks out of every one of them, then stays again;
nothing about the scene tells the two apart, so the habit has to fall by its own record. *cup*: every cup is put
elsewhere for good, and later back. *drawer*: the drawer jams for good over the paper, and is later freed. Those two are key facts and
beliefs: after the first failure the choice can't be offered, so the intuition falls silent instead of failing on, and
decides again as soon as the thing is seen as it was. A way back by shadow cases takes thirty of them, which is two to three
weeks of visits: the lives last as long as that.
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
DOC = "A habit that goes wrong is degraded within 20 uses and comes back when the change is undone: a promise, the cups, a drawer."
TALK = "talk_with_visitor"
MINUTE = 600
DAY = 86_400_000 // 100
KINDS = ("intuition", "experience", "thought", "dream", "round", "commit")
CUPS = ("mug", "cup", "glass")
HABITS = {
    "cup": ("bring:mug", "bring:cup", "drink_tea", "drink_water"),
    "drawer": ("write_letter",),
}
"""What the labels of intuitions end with that need the cups, or the drawer."""
PERSONA = {"cup": "ada", "drawer": "lin"}
"""Lin writes a letter every day; Ada hardly ever."""
SPOILED, UNDONE, LONGEST = 8, 12, 40
"""Days: the change comes, is undone, and how long a way back is waited for."""
WRONG_MAX = 20


class Kept(Session):
    """A life whose deep records are kept in memory."""

    rows: list[dict[str, Any]]

    def write(self, ticked: list[kernel.Ticked]) -> None:
        for _, rows in ticked:
            self.rows += [row for row in rows if row["kind"] in KINDS]


def run(*, quick: bool = True, seeds: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the lines; *quick* lives one test seed and waits four days, else three seeds and as long as it takes."""
    listed = load_protocol("emergence").form["seeds"]["test"]
    chosen = listed[: seeds or (1 if quick else 3)]
    spoiled = [spoil(seed, UNDONE + 4 if quick else LONGEST) for seed in chosen]
    told = {"seeds": list(chosen)}
    uses = [one["uses"] for one in spoiled if one["decided"]]
    yield line("promise: wrong uses until the habit was degraded, where it decided before", f"<= {WRONG_MAX}", uses,
               bool(uses) and all(one is not None and one <= WRONG_MAX for one in uses),
               statuses=[one["verdict"] for one in spoiled], **told)  # fmt: skip
    back = [one["back"] for one in spoiled]
    yield line("promise: days until the habit decides again once the change is undone", "every life" if not quick else "reported", back,
               quick or None not in back, ways=[one["way"] for one in spoiled],
               shadow_cases=[one["shadows"] for one in spoiled], **told)  # fmt: skip
    faults = [fault for one in spoiled for fault in one["faults"]]
    for change in HABITS:
        found = [fails_after(seed, change) for seed in chosen]
        faults += [fault for one in found for fault in one["faults"]]
        worst = max(one["wrong"] for one in found)
        yield line(f"{change}: most wrong uses of an intuition that needs it, after the change", f"<= {WRONG_MAX}", worst,
                   worst <= WRONG_MAX,
                   habits=[one["habits"] for one in found], used_before_during_after=[one["used"] for one in found], **told)  # fmt: skip
        known = [one for one in found if one["habits"]]
        again = sum(one["again"] for one in known)
        yield line(f"{change}: lives in which such an intuition decides again within four days of the undoing",
                   f"all {len(known)} with one", again, quick or again == len(known) > 0, **told)  # fmt: skip
    yield line(
        "verdicts and histories replayed by hand", "no fault", len(faults), not faults, faults=faults[:4]
    )


def a_life(seed: int, days: int, persona: str = "ada") -> Kept:
    """Return a session of the protocol, not yet begun, in which the friend keeps coming for *days* days."""
    over: dict[str, Any] = {"duration": f"{days}d", "persona": persona}
    for entry in load_protocol("emergence").form["schedule"]:
        if entry["repeat"]:
            every = entry["repeat"]["every_ms"]
            times = (days * DAY * 100 - 1 - entry["at_ms"]) // every + 1
            over[f"schedule.{entry['id']}.repeat"] = {"every": f"{every // 3_600_000}h", "times": times}
    declared = declare("emergence", seed=seed, overrides=over)
    session = Kept(declared, build(declared), None, None)
    session.rows = []
    return session


def until(session: Kept, day: int) -> None:
    """Run *session* to the beginning of *day*."""
    session.state.end_tick = day * DAY
    session.run()


def spoil(seed: int, longest: int) -> dict[str, Any]:
    """Live eight days, four in which every talk is walked out of, then as before until the habit decides again or *longest* is over."""
    session = a_life(seed, longest)
    label = f"start:{TALK}"
    until(session, SPOILED)
    mark = len(session.rows)
    names = [one.id for one in session.state.mind.inner.library.values() if one.label == label]
    decided = any(session.state.mind.inner.library[name].status == "active" for name in names)
    walk_out(session, UNDONE)
    end = len(session.rows)
    uses, verdict = None, ""
    for name in names:
        wrong = 0
        for row in session.rows[mark:end]:
            if row["id"] == name and row["kind"] == "intuition":
                wrong += row["data"]["event"] == "used" and not row["data"]["success"]
                if row["data"].get("verdict") in ("demoted", "removed") and uses is None:
                    uses, verdict = wrong, row["data"]["verdict"]
    back, way = None, ""
    while session.state.tick < longest * DAY and back is None:
        until(session, session.state.tick // DAY + 1)
        back, way = came_back(session.rows[end:], set(names), label)
    after = [row["data"]["event"] for row in session.rows[end:] if row["kind"] == "intuition" and row["id"]]
    return {
        "decided": decided, "uses": uses, "verdict": verdict or "never", "back": back, "way": way, "shadows": after.count("shadow"),
        "faults": check_rows(session.rows, session.declared.header()).faults,
    }  # fmt: skip


def came_back(rows: list[dict[str, Any]], names: set[str], label: str) -> tuple[float | None, str]:
    """Return days until a habit of *label* first decides in *rows*, and how: kept, recovered by shadow cases, or formed anew."""
    ways = dict.fromkeys(names, "kept")
    for row in rows:
        name, data = row["id"], row["data"]
        if row["kind"] == "intuition" and data["event"] == "active" and name in ways:
            ways[name] = "recovered"
        elif row["kind"] == "intuition" and data["event"] == "formed" and data["label"] == label:
            ways[name] = "formed_anew"
        elif row["kind"] == "round" and data.get("intuition") in ways:
            return round(row["tick"] / DAY - UNDONE, 1), ways[data["intuition"]]
    return None, ""


def walk_out(session: Kept, day: int) -> None:
    """Run to *day*; whenever a talk has begun the friend goes out, and is back a few minutes later, to stay as he says."""
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


def fails_after(seed: int, change: str) -> dict[str, Any]:
    """Live through *change*; return the habits that need the things, their uses before, during and after, the most failures of one."""
    session = a_life(seed, UNDONE + 3, PERSONA[change])
    room = session.state.room
    if change == "drawer":
        room.set_prop("drawer", "jammed", 0)  # It comes with the room stuck.
    until(session, SPOILED)
    marks = [first_of(session, SPOILED - 4), len(session.rows)]
    library = session.state.mind.inner.library.values()
    habits = {one.id: one.label for one in library if one.label.endswith(HABITS[change])}
    if change == "drawer":
        # With the paper in it: what was taken out of a drawer does not mind its jamming.
        room.put_thing("letter_paper", "in", "drawer", -1)
        room.set_prop("drawer", "open", 0)
        room.set_prop("drawer", "jammed", 1)
    else:
        homes = {thing: (room.things[thing].relation, room.things[thing].place, room.things[thing].home) for thing in CUPS}
        for thing in CUPS:
            room.put_thing(thing, "in", "wardrobe", -1)
    until(session, SPOILED + 3)
    marks.append(len(session.rows))
    if change == "drawer":
        room.set_prop("drawer", "jammed", 0)
        room.set_prop("drawer", "open", 1)
    else:
        for thing, (relation, place, home) in homes.items():
            if room.things[thing].place == "wardrobe":
                room.put_thing(thing, *((relation, place) if relation in ("in", "on") else ("on", home)), -1)
    until(session, UNDONE + 3)
    marks.append(len(session.rows))
    failed: dict[str, int] = {}
    used = [0, 0, 0]
    for part in range(3):
        for row in session.rows[marks[part] : marks[part + 1]]:
            if row["kind"] == "intuition" and row["data"]["event"] == "formed" and row["data"]["label"].endswith(HABITS[change]):
                habits[row["id"]] = row["data"]["label"]
            if row["kind"] == "intuition" and row["data"]["event"] == "used":
                used[part] += row["id"] in habits
                if part and row["id"] in habits and not row["data"]["success"]:
                    failed[row["id"]] = failed.get(row["id"], 0) + 1
    return {
        "habits": sorted(set(habits.values())), "used": used, "again": used[2] > 0, "wrong": max(failed.values(), default=0),
        "faults": check_rows(session.rows, session.declared.header()).faults,
    }  # fmt: skip


def first_of(session: Kept, day: int) -> int:
    """Return where the records of *day* begin."""
    return next((at for at, row in enumerate(session.rows) if row["tick"] >= day * DAY), len(session.rows))
