"""Fork: go back to a tick of a log, change something, and see what would have followed.

Theory of operation
===================
The log is folded again to the end of the tick before *at*. Then the changes are made: acts dropped, added or reworded,
settings or properties of things replaced. What goes on from there is written to a child log that begins with a
snapshot, so the child is verified, replayed and forked again like any log. Inputs of a person and replies that were
under way come from the parent; a question that is asked in the same words, of the same state, gets the recorded reply,
so nobody is asked the same thing twice. Only a question that is new goes to the provider.

A fork is a counterfactual, never a result: it is marked exploratory, and its header names parent and changes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agent.params import Params
from agent.request import Part, Request
from interventions.contract import Intervention
from logs.reader import LogReader, open_log
from logs.writer import LogWriter
from protocols.contracts import contracts
from protocols.declaration import digest_of, trial_id
from protocols.protocol import check_form
from protocols.toml_lines import parse_toml
from sim import kernel
from sim.build import MODEL_KEYS, entries, restore, snapshot
from sim.declare import Declared, from_header
from sim.fork_outcome import compare
from sim.gateway import Provider, make_provider
from sim.gateway_provider import types_asked
from sim.moments import within
from sim.refold import inputs_of, refold
from sim.session import CHUNK_MS, Session, close
from sim.state import ReplyInput, State

FILE_MAX = 256 * 1024
SETTABLE = ("mind", "model", "channels")
Stop = Callable[[], bool] | None
Progress = Callable[[int], None] | None


class ForkError(ValueError):
    """A fork can't be made so: *what*, *where* and how to *mend* it."""

    def __init__(self, what: str, *, where: str | Path = "", mend: str = "") -> None:
        super().__init__(what)
        self.what, self.where, self.mend = what, where, mend


@dataclass(slots=True)
class Recorded:
    """What the parent log holds of its model: parts by id, and the replies that came for each; and where it was cut."""

    parts: dict[str, str] = field(default_factory=dict)
    replies: dict[str, list[ReplyInput]] = field(default_factory=dict)
    reused: int = 0
    asked: int = 0
    cut_tick: int | None = None
    """Where someone outside ended the parent; the fork goes no further, or the two could not be compared."""

    def take(self, rows: list[dict[str, Any]], questions: dict[str, str]) -> None:
        """Take the records of one tick; *questions* keeps request id -> digest between calls."""
        for row in rows:
            if row["kind"] == "request":
                questions[row["id"]] = _key(row["data"])
            elif row["kind"] == "part":
                request = row["id"].partition(".")[0]
                self.parts[row["id"]] = questions.get(request, "") + _key([row["data"]["what"], row["data"]["note"]])
            elif row["kind"] == "reply":
                self.replies.setdefault(row["id"], []).extend(inputs_of([row]))

    def find(self, part: Part, request: Request) -> list[ReplyInput] | None:
        """Return what came for the very same question in the very same words; None if it was never asked."""
        key = _key(kernel.request_data(request)) + _key([part.kind, dict(part.note)])
        if self.parts.get(part.id) != key:
            return None
        self.reused += 1
        return self.replies.get(part.id, [])


def fork(
    log: Path | str, *, at: int | None = None, without: Sequence[str] = (), acts: Path | None = None,
    settings: Mapping[str, Any] | None = None, out: Path | None = None, provider: Provider | None = None,
    progress: Progress = None, stop: Stop = None,
) -> dict[str, Any]:  # fmt: skip
    """Run the counterfactual of *log* from tick *at* on; return what differs.

    *without*: ids of interventions that do not happen. *acts*: a file with more `[[schedule]]` entries. *settings*: a
    dotted key to a value: of the declaration (`mind.s3`, `model.provider`, `channels.dialogue.open`), of an intervention
    (`int-ask.text`), or of a thing (`world.window.open`). *at* is by default the tick of the first one left out; *out* is
    the child log, kept nowhere if None. Returns {log, parent, at, changes, mind_equal, first_difference,
    first_difference_of_mind, outcomes, replies_reused, questions_asked, run}.

    Raises ForkError for a change that can't be made, LogError and ReplayError for a log that can't be folded again.
    """
    log = Path(log)
    with open_log(log) as reader:
        tick = _tick_of(reader, without) if at is None else at
        if tick < 1:
            raise ForkError(
                "a fork needs a tick behind it", where=log, mend="--at 1 or later; a change from the start is another trial"
            )
        within(reader, tick)
        folded = refold(reader, until_tick=tick - 1)
        if folded.state.stopped or (folded.end is not None and folded.end["tick"] < tick):
            raise ForkError(f"the log ends before tick {tick}", where=log, mend="give an earlier --at")
        change = _Change(folded.state, from_header(reader.header), tick, [], [])
        recorded, under_way = _rest(reader, tick, change.inputs)
        for name in without:
            change.drop(name)
        if acts is not None:
            change.add(acts)
        for key, value in (settings or {}).items():
            change.set(key, value)
        declared = change.declared_as(reader.header["trial_id"])
        origin = {"head": reader.head, "tick": tick, "log": reader.path.name, "changes": change.told}
        known = {each.part_id for each in under_way}
        open_parts = [(part, request) for part, request in folded.unanswered if part.id not in known]
        result = _go_on(
            change, declared, origin, out, provider, recorded, under_way, open_parts, progress, stop
        )  # fmt: skip
        rows = result.pop("rows")
        compared = compare(reader.records(tick), rows)
    return {
        "log": result["log"], "parent": str(log), "at": tick, "changes": change.told, **compared,
        "replies_reused": recorded.reused, "questions_asked": recorded.asked, "run": result,
    }  # fmt: skip


@dataclass(slots=True)
class _Change:
    """The changes, made on the state before the first tick that may differ."""

    state: State
    declared: Declared
    tick: int
    inputs: list[Intervention]
    told: list[str]
    form: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.form = json.loads(json.dumps(self.declared.declaration))

    def drop(self, name: str) -> None:
        """Leave one intervention out: a live one, or the next of a scheduled entry."""
        self.told.append(f"without {name}")
        if any(act.id == name for act in self.inputs):
            self.inputs[:] = [act for act in self.inputs if act.id != name]
            return
        for entry in self.state.script.entries:
            following = f"int-{entry.id}" if not entry.fired else f"int-{entry.id}.{entry.fired + 1}"
            if entry.left and name == following:
                entry.fired += 1
                entry.left -= 1
                again = entry.left and not entry.event
                entry.at_tick = entry.at_tick + entry.every_ticks if again else -1
                return
        raise self._unknown(name)

    def _unknown(self, name: str) -> ForkError:
        names = [act.id for act in self.inputs] + [f"int-{e.id}" for e in self.state.script.entries if e.left]
        there = ", ".join(dict.fromkeys(names)) or "none"
        return ForkError(f"there is no intervention {name!r} from tick {self.tick} on", mend=f"there are: {there}")

    def add(self, file: Path) -> None:
        """Add the `[[schedule]]` entries of *file*; their times count from the start of the trial."""
        raw, lines = parse_toml(_bytes(file), str(file))
        shell = {"id": "fork", "title": {"en": "fork"}, "room": "r", "persona": "p", "duration": "1m", "seeds": [1]}
        form = check_form({**shell, **raw}, str(file), lines)
        taken = [f"int-{entry.id}" for entry in self.state.script.entries] + [act.id for act in self.inputs]
        for entry in entries({**form, "tick_ms": self.state.tick_ms}):
            if f"int-{entry.id}" in taken:
                raise ForkError(f"the id {entry.id!r} is taken", where=file, mend="give the entry another id")
            if 0 <= entry.at_tick < self.tick:
                raise ForkError(
                    f"{entry.id!r} is to happen at tick {entry.at_tick}, before the fork at {self.tick}", where=file,
                    mend="give it a later time, or fork earlier",
                )  # fmt: skip
            self.state.script.entries.append(entry)
            self.told.append(f"with {entry.id}")

    def set(self, key: str, value: Any) -> None:
        """Replace one setting, one field of an intervention, or one property of a thing."""
        self.told.append(f"set {key} = {json.dumps(value, ensure_ascii=False)}")
        head, _, rest = key.partition(".")
        if head == "world":
            self._set_truth(rest, value)
        elif head.startswith("int-"):
            name, _, part = key.rpartition(".")
            self._reword(name, part, value)
        elif head in SETTABLE:
            self._declare(key, value)
        else:
            raise ForkError(
                f"{key!r} can't be set in mid-run", mend="mind.*, model.*, channels.*, world.THING.PROPERTY, int-ID.FIELD"
            )

    def _set_truth(self, rest: str, value: Any) -> None:
        thing, _, prop = rest.partition(".")
        room = self.state.room
        if thing not in room.things or prop not in room.things[thing].props or type(value) is not int:
            known = ", ".join(room.things[thing].props) if thing in room.things else ", ".join(room.things)
            raise ForkError(f"world.{rest} is no whole number that can be set", mend=f"there are: {known}")
        room.set_prop(thing, prop, value)

    def _reword(self, name: str, part: str, value: Any) -> None:
        fields = ("object", "target", "text", "mark", "action")
        if part not in fields or not isinstance(value, str):
            raise ForkError(f"{part!r} of an intervention can't be set", mend=f"a text for one of {', '.join(fields)}")
        for at, act in enumerate(self.inputs):
            if act.id == name:
                new: dict[str, Any] = {part: value}
                self.inputs[at] = replace(act, **new)
                return
        for entry in self.state.script.entries:
            if entry.left and name == f"int-{entry.id}":
                entry.act = {**entry.act, part: value}
                return
        raise self._unknown(name)

    def _declare(self, key: str, value: Any) -> None:
        *path, last = key.split(".")
        place: Any = self.form
        for part in path:
            place = place.get(part) if isinstance(place, dict) else None
        free = path == ["mind", "params"]
        if not isinstance(place, dict) or (last not in place and not free):
            known = ", ".join(place) if isinstance(place, dict) else ", ".join(SETTABLE)
            raise ForkError(f"there is no {key!r} in the declaration", mend=f"there are: {known}")
        wanted = int if free else type(place[last])
        if place.get(last) is not None and type(value) is not wanted:
            raise ForkError(f"{key!r} must be of the kind of {place.get(last)!r}", mend="--set key=value; text in quotes")
        if free and last not in Params().table():
            raise ForkError(f"there is no parameter {last!r}", mend="oneroom protocol show lists none; see agent/params.py")
        place[last] = value
        if path[0] == "channels":
            self.state.gate.contracts.update({each.channel: each for each in contracts(self.form)})
        elif path[0] == "mind":
            self.state.mind.settings = dict(self.form["mind"])
        else:
            model = {name: self.form["model"][name] for name in MODEL_KEYS}
            self.state.model = {**model, "types": list(types_asked(self.form["model"]))}
            self.state.slot.budget.calls_max = model["budget_requests"]
            self.state.slot.budget.tokens_max = model["budget_tokens"]

    def declared_as(self, parent: str) -> Declared:
        """Return the child's declaration: what was set, and why it is no result."""
        form = self.form
        digest = digest_of([form, parent, self.tick, self.told])
        reasons = (*self.declared.reasons, f"fork of {parent} at tick {self.tick}: {'; '.join(self.told) or 'no change'}")
        return replace(
            self.declared, declaration=form, digest=digest, exploratory=True, reasons=reasons,
            trial_id=trial_id(digest, self.declared.seed, self.declared.replicate),
        )  # fmt: skip


def _tick_of(reader: LogReader, without: Sequence[str]) -> int:
    """Return the tick at which the first of *without* was handed in."""
    wanted = dict.fromkeys(without)
    for row in reader.records():
        if row["kind"] == "input" and row["id"] in wanted:
            return int(row["tick"])
    what = f"none of {', '.join(wanted)} was handed in" if wanted else "say where to fork"
    raise ForkError(what, where=reader.path, mend="--at TICK, or --without the id of an intervention in the log")


def _rest(reader: LogReader, tick: int, inputs: list[Intervention]) -> tuple[Recorded, list[ReplyInput]]:
    """Read what the parent's model said; put its live acts from *tick* on into *inputs*; return replies under way at *tick*."""
    recorded, questions, asked_before = Recorded(), dict[str, str](), dict[str, None]()
    under_way: list[ReplyInput] = []
    last, stopped = 0, False
    for row in reader.records():
        last = row["tick"]
        stopped = stopped or (row["kind"] == "control" and row["data"]["op"] in ("safe_stop", "restore"))
        if row["kind"] == "end":
            stopped = stopped or row["data"]["status"] == "done" or bool(row["data"].get("reason"))
        if row["kind"] in ("request", "part", "reply"):
            recorded.take([row], questions)
            if row["kind"] == "part" and row["tick"] < tick:
                asked_before[row["id"]] = None
            elif row["kind"] == "reply" and row["tick"] >= tick and row["id"] in asked_before:
                under_way += inputs_of([row])
        elif row["kind"] == "input" and row["tick"] >= tick:
            inputs += inputs_of([row])
    recorded.cut_tick = None if stopped else last
    return recorded, under_way


def _go_on(
    change: _Change, declared: Declared, origin: dict[str, Any], out: Path | None, provider: Provider | None,
    recorded: Recorded, under_way: list[ReplyInput], open_parts: list[tuple[Part, Request]], progress: Progress, stop: Stop,
) -> dict[str, Any]:  # fmt: skip
    """Write the child log from its snapshot to the end; return the `run` JSON with the records beside it."""
    saved = snapshot(change.state)
    state = restore(saved, declared.room)
    writer = None
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        writer = LogWriter.create(out, {**declared.header(), "heavy": False, "parent": origin})
        writer.append(max(state.tick, 0), [kernel.snapshot_record(state, saved)])
    session = Session(declared, state, writer, provider or make_provider(declared.declaration["model"], declared.seed))
    session.saved = saved
    rows: list[dict[str, Any]] = []
    began = time.monotonic()
    try:
        status = _run(session, change.inputs, recorded, under_way, open_parts, rows, progress, stop)
    except BaseException:
        if writer is not None:
            writer.abort()
        raise
    finally:
        session.provider.close()
    result, _ = close(session, status, time.monotonic() - began)
    rows.append({"tick": state.tick, "kind": "end", "id": "", "causes": [], "data": session.end(status)})
    return {**result, "rows": rows}


def _run(
    session: Session, acts: list[Intervention], recorded: Recorded, under_way: list[ReplyInput],
    open_parts: list[tuple[Part, Request]], rows: list[dict[str, Any]], progress: Progress, stop: Stop,
) -> str:  # fmt: skip
    """Run to the end, as a session does, on recorded acts and replies where there are any."""
    state = session.state
    chunk = max(1, CHUNK_MS // state.tick_ms)
    waiting = sorted(acts, key=lambda act: act.tick)
    replies = under_way + [one for part, request in open_parts for one in _answer(session, recorded, part, request)]
    end_tick = state.end_tick if recorded.cut_tick is None else min(state.end_tick, recorded.cut_tick)
    while state.tick < end_tick:
        if stop is not None and stop():
            return "stopped"
        until = min(end_tick, state.tick + chunk)
        now = [act for act in waiting if act.tick <= until]
        later = waiting[len(now) :]
        ticked = kernel.advance(state, [*replies, *now], until)
        session.write(ticked)
        rows += [row for _, each in ticked for row in each]
        waiting = kernel.give_back(state) + later
        replies = [one for part, request in kernel.take_outbox(state) for one in _answer(session, recorded, part, request)]
        session.shell_acts()
        if state.stopped:
            return state.stopped
        if state.paused and not waiting:
            return "paused"
        if progress is not None:
            progress(state.tick)
    return "done" if end_tick == state.end_tick else "stopped"


def _answer(session: Session, recorded: Recorded, part: Part, request: Request) -> list[ReplyInput]:
    """Return the recorded replies to the same question, else what the provider says now."""
    found = recorded.find(part, request)
    if found is not None:
        return found
    recorded.asked += 1
    given = session.ask(part, request)
    state = session.state
    if state.live:  # Nobody waits: the declared latency stands for the time the model takes.
        due = min(part.due_tick, state.tick + max(1, int(state.model["latency_ms"]) // state.tick_ms))
        given = [replace(each, tick=due) for each in given]
    return given


def _key(value: Any) -> str:
    return digest_of(json.loads(json.dumps(value)))


def _bytes(file: Path) -> bytes:
    if file.stat().st_size > FILE_MAX:
        raise ForkError("the file is too large", where=file, mend=f"at most {FILE_MAX // 1024} KiB")
    return file.read_bytes()
