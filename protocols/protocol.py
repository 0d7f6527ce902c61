"""Protocol: the declaration of a trial, fixed before it starts, as a closed form.

All that a trial may do stands here: room, persona, length, seeds, arms, what each channel allows, the timed and
conditional interventions, the model, switches of the mind, metrics and rules. What is not named can't happen.
A protocol file is checked in three steps: the form (this file), contradictions inside it (`contradictions`), and
whether room, persona and registries know what it names (`against`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pydantic_core import SchemaValidator

from interventions.contract import ACTIONS, CHANNELS, MARKS, OPERATIONS
from protocols.forms import (
    Form,
    anything,
    either,
    fill_in,
    flag,
    measured,
    name,
    named,
    number,
    one_of,
    rows,
    table,
    text,
    whole,
)
from protocols.toml_lines import Lines, Path
from protocols.units import clock_ms, moment_ms, rate, span_ms

SEED_MAX = 2**63 - 1
SEEDS_MAX = 100_000
SCHEDULE_MAX = 2000
ARMS_MAX = 64
THEME_GAP_MS = 600_000  # spec 05, section 4
START_MS = 28_800_000  # 08:00

PACES = ("lockstep", "live")
VISITORS = ("none", "script", "human")
PROVIDERS = ("none", "scripted", "local", "openai")
REAL_MODELS = ("local", "openai")
SYS1 = ("intuition", "fixed", "router", "none")
"""spec 02, 5.7: learned intuitions; a fixed finite-state machine; a fixed threshold router; none."""
DECISION_TYPES = ("choose", "intention", "plan", "appraise", "speak", "reflect", "combine")
UNCERTAINTY = ("off", "hard", "uam", "uar", "both")
GATES = ("mean_confidence", "score", "both")
STAKES = ("usual", "high")
FLAGS = ("tainted", "wall_capped", "degraded", "budget_spent", "exploratory", "restored")
STOPS = ("safe_stop", "visitor_left", "budget_spent", "degraded")
COMPLETE = ("full_duration", "any_end")

STANCES = ("considering", "accepted", "refused", "negotiating", "postponed", "ended")
HAPPENINGS = (
    *("skill_started", "skill_ended", "skill_refused", "moved", "state", "speech", "gesture", "sound"),
    *("entered", "left", "light", "phone_rings", "phone_stops", "letters", "rain", "rain_over", "noise", "knock"),
    *("delivery", "lamp_fails", "repair", "spoils", "dries"),
)
"""What a visitor could see or hear; `subject` is a thing, a body or a skill. Needs are hidden from a visitor."""
EVENTS = (*STANCES, *HAPPENINGS)
"""What a conditional entry may wait for. For a stance `subject` is the id of the entry it answers."""

RESERVED = ("con", "prn", "aux", "nul", *(f"com{at}" for at in range(10)), *(f"lpt{at}" for at in range(10)))
"""File names that are devices on some systems."""

ROOM_FILE = r"^[a-z][a-z0-9_]{0,63}(\.toml)?$"
"""A room or persona: a shipped id, or the plain name of a file beside the protocol."""


def _seeds_kind(value: Any) -> str | None:
    if isinstance(value, dict):
        return "1" if "master" in value or "n" in value else "2"
    return "0" if isinstance(value, list) else None


WORDS = table(en=text(), zh=text(""))
NO_WORDS = table({"en": "", "zh": ""}, en=text(), zh=text(""))
SEED = whole(0, SEED_MAX)
SEEDS = either(
    rows(SEED, SEEDS_MAX, shortest=1),
    table(master=SEED, n=whole(1, SEEDS_MAX)),
    table(training=rows(SEED, SEEDS_MAX, []), test=rows(SEED, SEEDS_MAX, [])),
    tell=_seeds_kind,
)
SPAN = measured(span_ms)


def _channel(operations: Form, **more: Form) -> Form:
    return table(
        {"open": False},
        open=flag(),
        objects=rows(name(), 500, []),
        operations=operations,
        count_max=whole(0, 1_000_000, -1),
        rate=rows(measured(rate), 8, []),
        **more,
    )


def _operations(channel: str, default: Any) -> Form:
    return rows(one_of(*OPERATIONS[channel]), len(OPERATIONS[channel]), default)


CHANNEL_FORMS = {
    "physical": _channel(_operations("physical", [])),
    "dialogue": _channel(_operations("dialogue", ["say"])),
    "inner_voice": _channel(_operations("inner_voice", ["whisper"]), theme_gap=measured(span_ms, THEME_GAP_MS)),
    "system": _channel(_operations("system", [])),
}
assert tuple(CHANNEL_FORMS) == CHANNELS

WHEN = table(
    None,
    event=one_of(*EVENTS),
    subject=name(""),
    after=measured(moment_ms, 0),
    delay=measured(span_ms, None),
    within=measured(span_ms, None),
)
ENTRY = table(
    id=name(),
    at=measured(moment_ms, None),
    when=WHEN,
    channel=one_of(*CHANNELS),
    op=one_of(*(operation for operations in OPERATIONS.values() for operation in operations)),
    object=name(""),
    target=name(""),
    text=text(""),
    mark=one_of("", *MARKS, default=""),
    action=one_of("", *ACTIONS, default=""),
    due=measured(span_ms, None),
    repeat=table(None, every=SPAN, times=whole(2, SCHEDULE_MAX)),
    expect=one_of("accepted", "denied", default="accepted"),
    arms=rows(name(), ARMS_MAX, []),
    enabled=flag(True),
)
MODEL = table(
    {"provider": "none"},
    provider=name(),
    name=text("", longest=200),
    temperature=number(0, 2, 0),
    sample_temperature=number(0, 2, None),
    seed=whole(0, SEED_MAX, None),
    latency_ms=whole(0, 600_000, None),
    latency_spread_ms=whole(0, 600_000, 0),
    deadline_ms=whole(100, 3_600_000, 20_000),
    wall_cap_s=whole(1, 3600, 20),
    budget_requests=whole(0, 10_000_000, 500),
    budget_tokens=whole(0, 10_000_000_000, 1_000_000),
    competence=whole(0, 1000, 1000),
    confidence_noise=whole(0, 100, 0),
    answers=rows(text(longest=20_000), 10_000, []),
    errors=named(whole(0, 1000), 20, {}),
    attempts=whole(1, 5, None),
    tokens_max=whole(1, 100_000, None),
    structured=one_of("json_schema", "json_object", "none", default="json_schema"),
    types=rows(one_of(*DECISION_TYPES), 7, []),
    reporter=named(whole(-100, 100_000), 20, {}),
    price_in=number(0, 1_000_000, 0),
    price_out=number(0, 1_000_000, 0),
)
LATENCY_MS = {"none": 0, "scripted": 500, "local": 2000, "openai": 2000}
"""Simulated latency where none is declared (spec 02, section 6; measured for the small local model)."""

MIND = table(
    {},
    sys1=one_of(*SYS1, default="intuition"),
    s1=flag(True),
    s2=flag(True),
    s3=flag(True),
    s4=flag(True),
    s5=flag(True),
    uncertainty=one_of(*UNCERTAINTY, default="off"),
    tau=whole(0, 1000, 800),
    stakes=one_of(*STAKES, default="usual"),
    delta=whole(0, 1000, 0),
    k=whole(1, 50, 6),
    samples=whole(1, 15, 3),
    gate=one_of(*GATES, default="mean_confidence"),
    expand_memory=flag(True),
    scheduler=flag(False),
    params=named(whole(-(10**12), 10**12), 200, {}),
)
PROTOCOL = table(
    id=name(),
    title=WORDS,
    question=NO_WORDS,
    hypotheses=rows(text(), 50, []),
    exploratory=flag(False),
    room=text(longest=80, shape=ROOM_FILE),
    persona=text(longest=80, shape=ROOM_FILE),
    duration=SPAN,
    start=measured(clock_ms, START_MS),
    tick_ms=whole(50, 1000, 100),
    pace=one_of(*PACES, default="lockstep"),
    visitor=table(
        {"kind": "none"},
        kind=one_of(*VISITORS),
        name=NO_WORDS,
        role=name("guest"),
        instructions=NO_WORDS,
        code=text("", longest=80),
    ),
    seeds=SEEDS,
    replicates=whole(1, 10_000, 1),
    arms=named(named(anything(), 100, shape=r"^[a-z0-9_.]{1,128}$"), ARMS_MAX, {}),
    channels=table({}, **CHANNEL_FORMS),
    schedule=rows(ENTRY, SCHEDULE_MAX, []),
    model=MODEL,
    mind=MIND,
    metrics=rows(name(), 200, []),
    exclusion=rows(one_of(*FLAGS), len(FLAGS), []),
    stop=rows(one_of(*STOPS), len(STOPS), []),
    analysis=text(""),
    complete=one_of(*COMPLETE, default="full_duration"),
)


@dataclass(frozen=True, slots=True)
class Words:
    """A text in English and Chinese; the Chinese one may be empty."""

    en: str
    zh: str = ""

    def of(self, language: str) -> str:
        """Return the words in *language*, or the English ones."""
        return (self.zh if language == "zh" else self.en) or self.en


@dataclass(frozen=True, slots=True)
class Protocol:
    """A protocol that was read and found free of faults.

    *form* is the whole declaration checked and completed, with times in ms, before any arm is applied; *raw* is
    what the file says, for arms and overrides; *lines* maps a key's path to its line. None of them is to be changed.
    """

    id: str
    file: str
    form: Mapping[str, Any] = field(repr=False)
    raw: Mapping[str, Any] = field(repr=False)
    lines: Lines = field(repr=False)

    @property
    def title(self) -> Words:
        """Return the title."""
        return Words(**self.form["title"])

    @property
    def duration(self) -> str:
        """Return the duration as written."""
        return str(self.raw["duration"])

    @property
    def arms(self) -> tuple[str, ...]:
        """Return the names of the arms, in their order; the first is the default. Empty where none is declared."""
        return tuple(self.form["arms"])

    @property
    def replicates(self) -> int:
        """Return how often each arm and seed runs."""
        return int(self.form["replicates"])


@cache
def checker() -> SchemaValidator:
    """Return the compiled form of a protocol, made once."""
    return PROTOCOL.checker()


def check_form(raw: Any, file: str, lines: Lines, at: Path = ()) -> dict[str, Any]:
    """Return *raw* as a checked and completed declaration. Raises ProtocolError with every fault of form."""
    return _with_units(fill_in(checker(), PROTOCOL, raw, file, lines, at))


def _with_units(form: dict[str, Any]) -> dict[str, Any]:
    """Give every key that became a number of milliseconds the name that says so."""
    _rename(form, "duration", "start")
    for channel in form["channels"].values():
        channel["rate"] = [list(each) for each in channel["rate"]]
        _rename(channel, "theme_gap")
    for entry in form["schedule"]:
        _rename(entry, "at", "due")
        _rename(entry["when"] or {}, "after", "delay", "within")
        _rename(entry["repeat"] or {}, "every")
    model = form["model"]
    if model["latency_ms"] is None:
        model["latency_ms"] = LATENCY_MS.get(model["provider"], LATENCY_MS["openai"])
    return form


def _rename(table: dict[str, Any], *keys: str) -> None:
    for key in keys:
        if key in table:
            table[f"{key}_ms"] = table.pop(key)

