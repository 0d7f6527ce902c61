"""Persona: who the resident is before the first tick, as a closed form.

A persona says what is stable: names, language, tendencies, values, abilities, how fast its needs run, when it
sleeps, its practices of living, long-term goals, boundaries and L4 rules. What it will know, feel and remember is
not written here; that comes from the life it leads.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pydantic_core import SchemaValidator

from interventions.contract import ACTIONS, CHANNELS
from protocols.faults import Fault, ProtocolError, nearest, shown
from protocols.forms import fill_in, measured, name, one_of, rows, table, text, whole
from protocols.toml_lines import Lines, Path, line_of, parse_toml
from protocols.units import DAY_MS, clock_ms

NEEDS = ("energy", "satiety", "hydration", "bladder", "hygiene", "warmth", "rest", "social", "stimulation")
TENDENCIES = ("openness", "orderliness", "sociability", "caution", "patience", "diligence")
TASKS = (
    *("drink_water", "drink_tea", "eat_snack", "eat_cold_meal", "cook_meal", "sleep_night", "nap", "use_toilet"),
    *("wash_hands", "take_shower", "warm_up", "rest_seat", "read_book", "read_letters", "write_notebook"),
    *("water_plant", "tidy_up", "wipe_surface", "do_dishes", "do_laundry", "empty_bin", "call_friend"),
    *("write_letter", "play_guitar", "listen_radio", "exercise", "gaze_window", "inspect", "explore_room"),
    *("look_around", "wait_quietly", "talk_with_visitor"),
)
"""Task templates a persona may build a life of. Their definitions are the mind's; sim checks that they exist."""

VITAL = ("drink", "eat", "sleep", "rest")
"""Actions that no rule may forbid outright: nobody could live under it."""

WORDS = table(en=text(longest=200), zh=text(longest=200))
NO_TABLE: dict[str, Any] = {}

PERSONA = table(
    id=name(),
    names=WORDS,
    about=table({"en": "", "zh": ""}, en=text(), zh=text()),
    language=one_of("en", "zh"),
    role=name("host"),
    tendencies=table(**{tendency: whole(0, 1000) for tendency in TENDENCIES}),
    values=rows(name(), 12, [], shortest=1),
    abilities=rows(name(), 24, []),
    need_rates=table(NO_TABLE, **{need: whole(200, 3000, 1000) for need in NEEDS}),
    wake=measured(clock_ms),
    bed=measured(clock_ms),
    practices=rows(
        table(
            id=name(),
            task=name(),
            windows=rows(rows(measured(clock_ms), 2, shortest=2), 6, shortest=1),
            minutes=whole(1, 600),
            weight=whole(1, 1000),
            per_day=whole(1, 12, 1),
        ),
        40,
        [],
    ),
    goals=rows(
        table(id=name(), title=WORDS, tasks=rows(name(), 12, shortest=1), effort=whole(1, 1000)), 12, []
    ),
    boundaries=rows(
        table(
            id=name(),
            channel=one_of("", *CHANNELS[:3], default=""),
            theme=table(
                {"action": "", "target": ""}, action=one_of("", *ACTIONS, default=""), target=name("")
            ),
            stance=one_of("refuse", "confirm", "muted", "blocked"),
        ),
        40,
        [],
    ),
    rules=rows(
        table(
            id=name(),
            kind=one_of("forbid", "prefer"),
            action=one_of("", *ACTIONS, default=""),
            target_kind=name(""),
            role=name(""),
            region=name(""),
            hours=rows(measured(clock_ms), 2, None, shortest=2),
        ),
        40,
        [],
    ),
)


@dataclass(frozen=True, slots=True)
class Persona:
    """A persona that was read and found free of faults.

    *values* is the whole declaration as plain JSON values, times of day in ms since midnight: `wake_ms`, `bed_ms`,
    `windows_ms` of a practice as [begin, end] pairs, `hours_ms` of a rule or None. It is not to be changed.
    """

    id: str
    file: str
    values: Mapping[str, Any] = field(repr=False)
    lines: Lines = field(repr=False)

    @property
    def names(self) -> Mapping[str, str]:
        """Return the name by language."""
        return dict(self.values["names"])


@cache
def checker() -> SchemaValidator:
    """Return the compiled form of a persona, made once."""
    return PERSONA.checker()


def parse_persona(raw: bytes, file: str) -> Persona:
    """Return the persona in the bytes of *file*. Raises ProtocolError, whatever the bytes are."""
    declared, lines = parse_toml(raw, file)
    form: dict[str, Any] = fill_in(checker(), PERSONA, declared, file, lines)
    form["wake_ms"], form["bed_ms"] = form.pop("wake"), form.pop("bed")
    for practice in form["practices"]:
        practice["windows_ms"] = practice.pop("windows")
    for rule in form["rules"]:
        rule["hours_ms"] = rule.pop("hours")
    faults = [Fault(file, line_of(lines, path), what, mend) for path, what, mend in _contradictions(form)]
    if faults:
        raise ProtocolError(faults)
    return Persona(form["id"], file, form, lines)


def overlap_ms(first: Collection[int], second: Collection[int]) -> int:
    """Return how long two spans of the day overlap; a span whose end is not after its begin runs past midnight."""
    return sum(
        max(0, min(end, other_end) - max(begin, other_begin))
        for begin, end in _unrolled(first)
        for other_begin, other_end in _unrolled(second)
    )


def _unrolled(span: Collection[int]) -> list[tuple[int, int]]:
    begin, end = span
    return [(begin, end)] if begin < end else [(begin, DAY_MS), (0, end)]


def _contradictions(form: Mapping[str, Any]) -> Iterator[tuple[Path, str, str]]:
    for key in ("practices", "goals", "boundaries", "rules"):
        seen: list[str] = []
        for at, row in enumerate(form[key]):
            if row["id"] in seen:
                yield (key, at, "id"), f"the id {shown(row['id'])} is taken by one above", "choose another"
            seen.append(row["id"])
    yield from _day(form)
    for at, line in enumerate(form["boundaries"]):
        theme = line["theme"]
        if line["stance"] == "refuse" and not theme["action"] and not theme["target"]:
            yield ("boundaries", at), "this boundary would refuse everything", "name an action or a target in theme"
        if line["stance"] != "refuse" and not line["channel"]:
            yield ("boundaries", at), f"{line['stance']} is said of a channel, and none is named", "add channel"
    for at, rule in enumerate(form["rules"]):
        narrow = rule["target_kind"] or rule["role"] or rule["region"] or rule["hours_ms"]
        if not narrow and not rule["action"]:
            yield ("rules", at), "this rule speaks of everything", "name an action, a kind, a role, a region or hours"
        if rule["kind"] == "forbid" and rule["action"] in VITAL and not narrow:
            yield ("rules", at), f"nobody can live without {rule['action']}", "narrow the rule by hours, kind or region"


def _day(form: Mapping[str, Any]) -> Iterator[tuple[Path, str, str]]:
    wake, bed = form["wake_ms"], form["bed_ms"]
    night = (wake - bed) % DAY_MS
    if not 5 * 3_600_000 <= night <= 11 * 3_600_000:
        yield ("bed",), "between bed and wake lie less than 5 or more than 11 hours", "move one of them"
        return
    for at, practice in enumerate(form["practices"]):
        place: Path = ("practices", at, "windows")
        for number, window in enumerate(practice["windows_ms"]):
            if window[0] == window[1]:
                yield (*place, number), "the window is empty", "write [begin, end]"
            elif practice["task"] != "sleep_night" and not overlap_ms(window, (wake, bed)):
                what = f"{shown(practice['id'])} falls into the night"
                yield (*place, number), what, "move the window or the hours of sleep"
        longest = max(sum(end - begin for begin, end in _unrolled(window)) for window in practice["windows_ms"])
        if practice["minutes"] * 60_000 > longest:
            what = f"{shown(practice['id'])} takes {practice['minutes']} minutes and no window is as long"
            yield ("practices", at, "minutes"), what, "widen a window or shorten it"


def known_tasks(tasks: Collection[str]) -> Iterator[str]:
    """Yield what is wrong where the mind does not know a task a persona may name."""
    for task in TASKS:
        if task not in tasks:
            yield f"there is no task {task!r}; {nearest(task, tasks)}"
