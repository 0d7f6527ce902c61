"""The veil: pairs of worlds that differ in one thing nobody has perceived. The minds must not differ, until they could.

A pair is two runs of one declaration whose rooms differ in a hidden fact: what a closed container holds, a hidden
jam, a thing more, or things laid elsewhere while nobody looks (who wants one goes to where it was). Compared is
everything of the mind's: percepts, beliefs, experiences, rounds, commits, requests, the parts of the digest that are the
mind's, and the ways the body sets out on. After the first percept of the difference they may, and mostly must, differ.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

from sim import kernel
from sim.build import build
from sim.declare import Declared, declare
from sim.kernel import Ticked
from sim.state import State
from sim.unseen import lay_elsewhere
from trials.experiments.lines import line

NAME = "veil"
DOC = "Pairs of worlds that differ only in something unperceived: equal minds until the first perceivable difference."
MIND_KINDS = (
    "percept", "experience", "belief", "learn", "relation", "boundary", "matter", "round", "task", "request", "part",
    "practice", "goal", "note", "intuition", "pattern", "thought", "reflection", "dream",
)  # fmt: skip
MIND_PARTS = ("beliefs", "memory", "social", "self")
Room = dict[str, Any]
Change = Callable[[Room], Room]
Shows = Callable[[dict[str, Any]], bool]
Deed = Callable[[State], bool]
"""Something done behind the resident's back; returns whether it was done, False while it would be seen."""
HIDDEN = "hidden_thing"
QUICK_PAIRS, FULL_PAIRS = 24, 500
HOURS = 12
HOUR_TICKS = 36_000
RESIDENT = "resident"


def run(*, quick: bool = True, seeds: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield the lines; *seeds* is the number of pairs."""
    pairs = seeds or (QUICK_PAIRS if quick else FULL_PAIRS)
    equal_before, differ_after, perceived, first = 0, 0, 0, None
    for number in range(pairs):
        found = compare(number)
        equal_before += found["equal_before"]
        if found["perceived"]:
            perceived += 1
            differ_after += found["differs_after"]
        if not found["equal_before"] and first is None:
            first = found
    yield line(
        "minds are equal until the first perceivable difference",
        f"{pairs} of {pairs}",
        equal_before,
        equal_before == pairs,
        first_leak=first,
    )
    share = differ_after / perceived if perceived else 0.0
    yield line(
        "minds differ once it was perceived",
        ">= 0.95 of those pairs",
        round(share, 3),
        share >= 0.95,
        perceived=perceived,
    )


def compare(number: int) -> dict[str, Any]:
    """Run pair *number*: the same declaration over two rooms; return where the minds part, and whether they could."""
    persona = ("ada", "bruno", "kai", "lin")[number % 4]
    declared = declare(
        "quiet_day", seed=1000 + number, overrides={"persona": persona, "duration": f"{HOURS}h"}
    )
    change, shows, deed = CHANGES[number // 4 % len(CHANGES)]
    one, _ = mind_of(declared, as_it_is, shows, nothing)
    other, perceived = mind_of(declared, change, shows, deed)
    parted = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a[1] != b[1]), None)
    if parted is None:
        same = len(one) == len(other)
        return {"pair": number, "equal_before": same, "perceived": perceived, "differs_after": not same}
    # The first difference must itself be a percept: nothing else of the mind may know first.
    (tick, mine), (_, theirs) = one[parted], other[parted]
    first = mine.startswith('["percept"') or theirs.startswith('["percept"')
    return {
        "pair": number, "change": change.__name__, "deed": deed.__name__, "equal_before": first and perceived, "perceived": perceived,
        "differs_after": True, "tick": tick, "records": [mine[:200], theirs[:200]],
    }  # fmt: skip


def mind_of(declared: Declared, change: Change, shows: Shows, deed: Deed) -> tuple[list[tuple[int, str]], bool]:
    """Return everything the mind of a run shows, in order, as (tick, text), and whether the fact came to show."""
    state = build(replace(declared, room=change(deepcopy(declared.room))))
    shown: list[tuple[int, str]] = []
    perceived = False
    for tick, rows in in_stretches(state, deed):
        for row in rows:
            perceived = perceived or shows(row)
            if row["kind"] in MIND_KINDS:
                shown.append((tick, json.dumps([row["kind"], row["id"], row["data"]], ensure_ascii=False)))
            elif row["kind"] == "fact" and (row["data"]["fact"], row["data"]["doer"]) == ("skill_started", RESIDENT):
                # Where the body sets out for is the mind's doing, too: it must not know the way to what was moved.
                shown.append((tick, json.dumps(["body", row["data"]["skill"], row["data"].get("path", [])])))
            elif row["kind"] == "digest":
                shown.append(
                    (tick, json.dumps(["digest", [row["data"]["parts"][part] for part in MIND_PARTS]]))
                )
    return shown, perceived


def in_stretches(state: State, deed: Deed) -> Iterator[Ticked]:
    """Yield the records of the whole run; from its second hour on *deed* is tried every minute until it is done."""
    done, minute = False, 60_000 // state.tick_ms
    while state.tick < state.end_tick:
        yield from kernel.advance(state, [], state.tick + minute)
        done = done or (state.tick >= 60 * minute and deed(state))


# --- hidden facts, and how the log of the truth says that one came to show -----------------------------------------


def _thing(room: Room, name: str) -> dict[str, Any]:
    return next(each for each in room["objects"] if each["id"] == name)


def as_it_is(room: Room) -> Room:
    """Nothing in the room is changed."""
    return room


def nothing(_state: State) -> bool:
    """Nothing is done."""
    return True


def jam(room: Room) -> Room:
    """The drawer is stuck where it was not, or the other way round; a hand will feel it."""
    props = _thing(room, "drawer").setdefault("props", {})
    props["jammed"] = 1 - props.get("jammed", 0)
    return room


def in_fridge(room: Room) -> Room:
    """The closed fridge holds one thing more; who opens it sees it."""
    room["objects"].append({"id": HIDDEN, "kind": "book", "in": "fridge", "known": False})
    return room


def in_box(room: Room) -> Room:
    """The sealed box holds one thing more; it is never opened."""
    room["objects"].append({"id": HIDDEN, "kind": "book", "in": "box", "known": False})
    return room


def in_wardrobe(room: Room) -> Room:
    """The closed wardrobe holds one thing more."""
    room["objects"].append({"id": HIDDEN, "kind": "book", "in": "wardrobe", "known": False})
    return room


def _hand_on_drawer(row: dict[str, Any]) -> bool:
    data = row["data"]
    return bool(
        row["kind"] == "fact"
        and (data["fact"], data["skill"], data["subject"]) == ("skill_ended", "open", "drawer")
    )


def _hidden_met(row: dict[str, Any]) -> bool:
    return bool(row["kind"] == "ordinal" and row["data"]["world"] == HIDDEN)


def _thing_perceived(row: dict[str, Any]) -> bool:
    return bool(row["kind"] == "percept" and row["data"]["what"] == "thing" and row["tick"] >= HOUR_TICKS)


CHANGES: tuple[tuple[Change, Shows, Deed], ...] = (
    (jam, _hand_on_drawer, nothing), (in_fridge, _hidden_met, nothing), (in_box, _hidden_met, nothing),
    (as_it_is, _thing_perceived, lay_elsewhere), (in_wardrobe, _hidden_met, nothing),
)  # fmt: skip
