"""Contradictions inside one declaration: what its own parts forbid each other.

The timed schedule is put through a real gate. So a closed channel, an undeclared object, a used-up count, a rate
or a theme raised too soon is found by the very code that would deny it in the trial. An entry that is meant to be
denied says `expect = "denied"`, and then it must be.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from interventions.contract import (
    CHANNELS,
    NEEDS_OBJECT,
    OPERATIONS,
    OUTSIDE_WHITELIST,
    REASONS,
    Intervention,
)
from interventions.gate import Gate
from interventions.lexicon import read
from protocols.contracts import contracts, ticks, timeline
from protocols.faults import Fault, nearest, shown
from protocols.protocol import PROVIDERS, REAL_MODELS, RESERVED, STANCES
from protocols.seeds import seed_list
from protocols.toml_lines import Lines, Path, line_of
from protocols.units import span_text

Finding = tuple[Path, str, str]


def contradictions(form: Mapping[str, Any], file: str, lines: Lines) -> list[Fault]:
    """Return every contradiction in the checked declaration *form*."""
    found: list[Finding] = []
    for checks in ((_seeds, _files, _time, _visitor, _model, _channels, _entries), (_presence, _denials)):
        found += [] if found else [finding for check in checks for finding in check(form)]
    return [Fault(file, line_of(lines, path), what, mend) for path, what, mend in found]


def _seeds(form: Mapping[str, Any]) -> Iterator[Finding]:
    declared = form["seeds"]
    if isinstance(declared, dict) and "master" in declared:
        return
    training, test = seed_list(form)
    if not training and not test:
        yield ("seeds",), "no seed is declared", "list at least one"
    seen: dict[int, bool] = {}
    for seed in (*training, *test):
        if seed in seen:
            yield ("seeds",), f"the seed {seed} stands there twice", "a seed runs once; replicates are another key"
            return
        seen[seed] = True


def _time(form: Mapping[str, Any]) -> Iterator[Finding]:
    if form["duration_ms"] % form["tick_ms"]:
        yield ("duration",), "the duration is no whole number of ticks", f"a tick is {form['tick_ms']} ms"
    if form["duration_ms"] < 10 * form["tick_ms"]:
        yield ("duration",), "the trial is shorter than ten ticks", "make it longer"


def _visitor(form: Mapping[str, Any]) -> Iterator[Finding]:
    kind = form["visitor"]["kind"]
    theirs = [at for at, entry in enumerate(form["schedule"]) if entry["channel"] in ("physical", "dialogue")]
    if kind != "script" and theirs:
        who = "a person plays the visitor" if kind == "human" else "no visitor takes part"
        path: Path = ("schedule", theirs[0])
        yield path, f"{who}, yet this entry acts for the visitor", 'set visitor.kind = "script" or drop the entry'
    if kind == "human" and not form["visitor"]["instructions"]["en"]:
        yield ("visitor",), "a person takes part without instructions", "add visitor.instructions"
    if kind == "human" and not any(form["channels"][channel]["open"] for channel in CHANNELS[:3]):
        yield ("visitor", "kind"), "a person takes part, but no channel is open to him", "open one in [channels]"
    if kind == "none" and form["stop"] and "visitor_left" in form["stop"]:
        yield ("stop",), "the trial stops when the visitor leaves, but no visitor takes part", "drop visitor_left"


def _model(form: Mapping[str, Any]) -> Iterator[Finding]:
    model = form["model"]
    provider = model["provider"]
    if provider not in PROVIDERS and "did you mean" in (hint := nearest(provider, PROVIDERS)):
        yield ("model", "provider"), f"there is no provider {shown(provider)}", hint
    if model["latency_ms"] is not None and provider != "none" and model["latency_ms"] >= model["deadline_ms"]:
        yield ("model", "latency_ms"), "every answer would come after its deadline", "lower it or raise deadline_ms"
    if form["mind"]["uncertainty"] != "off" and provider == "none":
        yield ("mind", "uncertainty"), "uncertainty is measured on a model's answers, and there is no model", "set it off"
    if form["mind"]["scheduler"] and provider == "none":
        yield ("mind", "scheduler"), "the scheduler says what a question to the model is worth, and there is no model", "set it off"
    if provider != "scripted" and (model["answers"] or model["errors"]):
        yield ("model", "answers"), "only a scripted model has declared answers or errors", 'set provider = "scripted"'
    person = form["visitor"]["kind"] == "human"
    if form["replicates"] > 1 and not person and provider in PROVIDERS and provider not in REAL_MODELS:
        what = "replicates above 1 would repeat the very same trial: there is no real model and no person"
        yield ("replicates",), what, "set replicates = 1 and list more seeds"


def _channels(form: Mapping[str, Any]) -> Iterator[Finding]:
    for channel, declared in form["channels"].items():
        path: Path = ("channels", channel)
        for key in ("objects", "operations"):
            repeated = [each for at, each in enumerate(declared[key]) if each in declared[key][:at]]
            if repeated:
                yield (*path, key), f"{shown(repeated[0])} stands there twice", "name it once"
        if not declared["open"]:
            continue
        if not declared["operations"]:
            yield path, f"the channel {channel} is open, but no operation is declared", _known(channel)
        if declared["count_max"] == 0:
            yield (*path, "count_max"), f"the channel {channel} is open, but nothing may be done", "set open = false"
        if channel == "physical" and not declared["objects"] and any(op in NEEDS_OBJECT for op in declared["operations"]):
            yield path, "operations on objects are open, but no object is named", "list channels.physical.objects"


def _known(channel: str) -> str:
    return f"known: {', '.join(OPERATIONS[channel])}"


def unknown_arms(form: Mapping[str, Any], file: str, lines: Lines) -> list[Fault]:
    """Return a fault for each arm that an entry of the schedule names and the protocol does not."""
    return [Fault(file, line_of(lines, path), what, mend) for path, what, mend in _arms(form)]


def _files(form: Mapping[str, Any]) -> Iterator[Finding]:
    for key in ("room", "persona"):
        if form[key].removesuffix(".toml") in RESERVED:
            yield (key,), f"{shown(form[key])} is a device on some systems", "choose another name"


def _arms(form: Mapping[str, Any]) -> Iterator[Finding]:
    for at, entry in enumerate(form["schedule"]):
        for arm in entry["arms"]:
            if arm not in form["arms"]:
                yield ("schedule", at, "arms"), f"there is no arm {shown(arm)}", nearest(arm, form["arms"])


def _entries(form: Mapping[str, Any]) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    for at, entry in enumerate(form["schedule"]):
        path: Path = ("schedule", at)
        if entry["id"] in seen:
            yield (*path, "id"), f"the id {shown(entry['id'])} is taken by an entry above", "choose another"
        seen.setdefault(entry["id"], at)
    for at, entry in enumerate(form["schedule"]):
        path = ("schedule", at)
        yield from _moment(form, entry, path, seen)
        yield from _fields(entry, path)


def _moment(form: Mapping[str, Any], entry: Mapping[str, Any], path: Path, ids: Mapping[str, int]) -> Iterator[Finding]:
    when, repeat = entry["when"], entry["repeat"]
    if (entry["at_ms"] is None) == (when is None):
        what = f"the entry {shown(entry['id'])} needs a time or an event, and not both"
        yield path, what, 'write at = "00:02:00" or when = {...}'
        return
    length = form["duration_ms"]
    too_late = f"after the end of the trial at {span_text(length)}"
    if when is None:
        last = entry["at_ms"] + (repeat["every_ms"] * (repeat["times"] - 1) if repeat else 0)
        if entry["at_ms"] >= length:
            yield (*path, "at"), f"the entry {shown(entry['id'])} lies {too_late}", "move it or lengthen the trial"
        elif last >= length:
            yield (*path, "repeat"), f"the last repetition of {shown(entry['id'])} lies {too_late}", "repeat it less often"
        return
    if when["after_ms"] >= length:
        yield (*path, "when"), f"the entry {shown(entry['id'])} waits until {too_late}", "lower after"
    if when["event"] in STANCES and when["subject"] not in ids:
        what = f"a stance is taken on an entry of the schedule, and {shown(when['subject'])} is none"
        yield (*path, "when"), what, nearest(when["subject"], ids)
    if when["subject"] == entry["id"]:
        yield (*path, "when"), f"the entry {shown(entry['id'])} waits for itself", "name another entry"


def _fields(entry: Mapping[str, Any], path: Path) -> Iterator[Finding]:
    channel, op = entry["channel"], entry["op"]
    if op not in OPERATIONS[channel]:
        yield (*path, "op"), f"the channel {channel} has no operation {shown(op)}", nearest(op, OPERATIONS[channel])
        return
    spoken = channel in ("dialogue", "inner_voice")
    if spoken and not entry["text"]:
        yield path, f"the entry {shown(entry['id'])} says nothing", "add text"
    if not spoken and (entry["text"] or entry["mark"] or entry["action"]):
        yield path, f"the entry {shown(entry['id'])} has words, but {op} is not an utterance", "drop text, mark and action"
    if entry["mark"] and channel != "dialogue":
        yield (*path, "mark"), "only what is said in the room has a mark", "drop mark"
    if op in NEEDS_OBJECT and not entry["object"]:
        yield path, f"{op} needs an object", "add object"
    if op in ("put", "move", "walk") and not entry["target"]:
        yield path, f"{op} needs a target", "add target: where to"
    if channel == "system" and (entry["object"] or entry["target"]):
        yield path, f"{op} acts on nothing in the room", "drop object and target"
    if entry["due_ms"] is not None and (channel != "dialogue" or entry["mark"] not in ("", "claim")):
        yield (*path, "due"), "only a claim of one's own action has a moment by which it is due", 'set mark = "claim"'


def _presence(form: Mapping[str, Any]) -> Iterator[Finding]:
    """Follow the visitor through the timed entries; where he comes or goes upon an event, nothing is sure."""
    visits = [entry for entry in form["schedule"] if entry["enabled"] and entry["op"] in ("enter", "leave")]
    if any(entry["when"] is not None for entry in visits):
        return
    here = False
    index = {entry["id"]: at for at, entry in enumerate(form["schedule"])}
    for _, name, entry in timeline(form):
        if entry["channel"] not in ("physical", "dialogue") or entry["expect"] == "denied":
            continue
        path: Path = ("schedule", index[entry["id"]])
        if entry["op"] == "enter":
            if here:
                yield path, f"the visitor enters at {shown(name)} but is in the room already", "let him leave before"
            here = True
        elif not here:
            yield path, f"the visitor is not in the room at {shown(name)}", "let him enter before"
            return
        elif entry["op"] == "leave":
            here = False


def _denials(form: Mapping[str, Any]) -> Iterator[Finding]:
    """Put the schedule through the gate and compare each receipt with what the entry expects."""
    gate = Gate.build(contracts(form))
    index = {entry["id"]: at for at, entry in enumerate(form["schedule"])}
    for ordinal, (at_ms, name, entry) in enumerate(timeline(form)):
        path: Path = ("schedule", index[entry["id"]])
        receipt = gate.admit(ticks(form, at_ms), _act(entry, name, ordinal))
        if receipt.accepted == (entry["expect"] == "accepted"):
            continue
        if receipt.accepted:
            what = f"the entry {shown(name)} expects to be denied, but the channels let it pass"
            yield (*path, "expect"), what, 'drop expect = "denied" or close what it should run into'
        else:
            what = f"the entry {shown(name)} would be denied: {REASONS[receipt.reason][0]}"
            yield path, what, 'open it in [channels], or mark the entry expect = "denied"'
    yield from _upon_events(form)


def _upon_events(form: Mapping[str, Any]) -> Iterator[Finding]:
    """Ask a fresh gate about entries that wait for an event: counts and rates can't be foreseen for them."""
    for at, entry in enumerate(form["schedule"]):
        if entry["when"] is None or not entry["enabled"] or entry["expect"] == "denied":
            continue
        receipt = Gate.build(contracts(form)).admit(0, _act(entry, f"int-{entry['id']}", 0))
        if not receipt.accepted:
            what = f"the entry {shown(entry['id'])} would be denied: {REASONS[receipt.reason][0]}"
            yield ("schedule", at), what, 'open it in [channels], or mark the entry expect = "denied"'


def _act(entry: Mapping[str, Any], name: str, ordinal: int) -> Intervention:
    themes = read(entry["text"], {}).themes if entry["channel"] == "inner_voice" and not entry["action"] else ()
    fields = {key: entry[key] for key in ("channel", "op", "object", "target", "text", "mark", "action")}
    return Intervention(id=name, tick=0, ordinal=ordinal, source="script", themes=themes, **fields)


assert all(operation in OPERATIONS["system"] for operation in OUTSIDE_WHITELIST)
