"""The shell of one trial: it asks the model, writes the log, watches the clock. It never decides.

`run_trial` begins, `resume` goes on where a log was cut: it folds the recorded inputs and replies again (no model is
asked twice), compares every record with what stands there, and continues, so that the sealed file equals an
uninterrupted one byte for byte.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent.request import TYPES, Part, Request
from logs.faults import LogExists, LogSealed
from logs.manifest import Manifest
from logs.reader import open_log
from logs.record import ENCODER
from logs.writer import LogWriter, Sealed
from sim import kernel
from sim.build import build, restore, snapshot
from sim.declare import Declared, from_header
from sim.gateway import Provider, Reply, make_provider
from sim.refold import refold
from sim.reuse import ReuseError
from sim.state import ReplyInput, State

MANIFEST = "manifest.jsonl"
CHUNK_MS = 3_600_000  # simulated time between two looks at the stop signal and the progress bar
RAW_MAX = 16_000  # characters of a reply that the log keeps; a longer one is a failure, not a cut answer
SYNCED = ("reply", "control")  # kinds after which the log is forced to disk at once
Progress = Callable[[int], None] | None
Stop = Callable[[], bool] | None


class Session:
    """One running trial: the state, its log and its provider."""

    def __init__(self, declared: Declared, state: State, writer: LogWriter | None, provider: Provider | None) -> None:
        self.declared = declared
        self.state = state
        self.writer = writer
        self.provider = provider or make_provider(declared.declaration["model"], declared.seed)
        self.saved: dict[str, Any] | None = None
        self.records = 0
        self.waits_ms: list[int] = []  # wall time of each call, for people; no part of the run
        self.warmed = False
        self.spent: tuple[str, int] = ("", 0)  # wall time in ms that the request in flight has used of its cap

    def run(self, progress: Progress = None, stop: Stop = None) -> str:
        """Run to the end, or until *stop* says so; return done, stopped, paused or restored."""
        state = self.state
        waiting: list[Any] = []
        chunk = max(1, CHUNK_MS // state.tick_ms)
        while state.tick < state.end_tick:
            if stop is not None and stop():
                return "stopped"
            self.write(kernel.advance(state, waiting, min(state.end_tick, state.tick + chunk)))
            waiting = kernel.give_back(state) + [reply for part, request in kernel.take_outbox(state) for reply in self.ask(part, request)]
            self.shell_acts()
            if state.stopped:
                # A trial that says any end is complete is done when one of its own rules ended it.
                complete = state.ended_by and self.declared.declaration["complete"] == "any_end"
                return "done" if complete else state.stopped
            if state.paused:
                return "paused"
            if progress is not None:
                progress(state.tick)
        return "done"

    def write(self, ticked: list[kernel.Ticked]) -> None:
        """Write each active tick with one write, and force it to disk where an input or a reply came in."""
        for tick, rows in ticked:
            self.records += len(rows)
            if self.writer is not None:
                self.writer.append(tick, rows, sync=any(row["kind"] in SYNCED for row in rows))

    def ask(self, part: Part, request: Request) -> list[ReplyInput]:
        """Ask the provider, and return its reply as an input for the tick at which it is due."""
        cap_ms = 1000 * int(self.declared.declaration["model"]["wall_cap_s"])
        if self.spent[0] != request.id:
            self.spent = (request.id, 0)
        left_ms = cap_ms - self.spent[1]
        if left_ms <= 0:
            return [ReplyInput(part.id, part.due_tick, None, "timeout", wall_capped=True)]
        try:
            self.warm()
            reply = self.provider.ask(part, request, wall_cap_s=left_ms / 1000)
        except (AssertionError, ReuseError):
            raise
        except Exception:  # A provider of someone else's may raise anything; the run goes on without it, and says so.
            reply = Reply(None, "internal")
        self.spent = (request.id, self.spent[1] + reply.latency_ms)
        self.waits_ms.append(reply.latency_ms)
        return [as_input(part, reply)] * max(1, reply.copies)

    def warm(self) -> None:
        """Let the provider make ready, once, what is no part of any question's time: an embedded model is loaded."""
        ready = None if self.warmed else getattr(self.provider, "warm", None)
        self.warmed = True
        if ready is not None:
            ready()

    def shell_acts(self) -> None:
        """Do what system acts ask of the shell: keep a snapshot on save."""
        acts, self.state._shell = self.state._shell, []
        for op, _ in acts:
            if op == "save":
                self.saved = snapshot(self.state)

    def end(self, status: str) -> dict[str, Any]:
        """Return the data of the end record."""
        state = self.state
        return {
            "status": status, "reason": state.ended_by, "digest": state.digest(), "ticks": state.tick, "counts": dict(state.counts),
            "requests": dict(state.slot.counts), "reasons": dict(state.slot.reasons), "denied": dict(state.gate.denied),
            "degraded_ticks": state.slot.breaker.degraded_until(state.tick), "calls": state.slot.budget.calls,
            "tokens": state.slot.budget.tokens,
        }  # fmt: skip


def as_input(part: Part, reply: Reply) -> ReplyInput:
    """Return *reply* as it enters the run. Bytes that are no text, or too many of them, are a failure: nothing is mended."""
    raw, failure = None, reply.failure
    if reply.raw is not None:
        try:
            raw = reply.raw.decode("utf-8")
        except UnicodeDecodeError:
            failure = "not_utf8"
        if raw is not None and len(raw) > RAW_MAX:
            raw, failure = None, "too_large"
    return ReplyInput(part.id, part.due_tick, raw, failure, reply.tokens_in, reply.tokens_out, reply.model, failure == "timeout")


def run_trial(
    declared: Declared,
    *,
    out: Path | None = None,
    provider: Provider | None = None,
    progress: Progress = None,
    stop: Stop = None,
    heavy: bool = False,
    replies_of: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Run a declared trial from its first tick; return the `run` JSON. Without *out* nothing is kept.

    *replies_of* names the log whose replies *provider* gives again (sim/reuse.py), for the header.

    Raises LogError for a name that is taken or can't be written, before anything is run.
    """
    writer = None
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        if listed(out):
            raise LogExists(out, "is listed in the manifest as sealed before", "choose another name; a result is never replaced")
        origin = {} if replies_of is None else {"replies": replies_of}
        writer = LogWriter.create(out, {**declared.header(), "heavy": heavy, **origin})
    session = Session(declared, build(declared, heavy=heavy), writer, provider)
    return _to_end(session, progress, stop)


def resume(log: Path, *, provider: Provider | None = None, progress: Progress = None, stop: Stop = None) -> dict[str, Any]:
    """Go on with a log that was cut; return the `run` JSON.

    Raises LogError where there is nothing to resume, and ReplayError where the log can't be folded again.
    """
    try:
        writer, reader = LogWriter.resume(log)
    except LogSealed:
        list_sealed(log)
        raise
    try:
        declared = from_header(reader.header)
        folded = refold(reader)
    finally:
        reader.close()
    session = Session(declared, folded.state, writer, provider)
    session.records = writer.records
    session.saved = folded.saved
    waiting: list[Any] = [reply for part, request in folded.unanswered for reply in session.ask(part, request)]
    if waiting:
        session.write(kernel.advance(session.state, waiting, session.state.tick))
    return _to_end(session, progress, stop)


def _to_end(session: Session, progress: Progress, stop: Stop) -> dict[str, Any]:
    began = time.monotonic()
    try:
        status = session.run(progress, stop)
    except BaseException:
        if session.writer is not None:
            session.writer.abort()
        raise
    finally:
        session.provider.close()
    result, sealed = close(session, status, time.monotonic() - began)
    if status == "restored" and sealed is not None:
        child = open_child(session, sealed)
        if child is None:
            return {**result, "flags": [*result["flags"], "nothing_saved"]}
        return {**_to_end(child, progress, stop), "parent": str(sealed.path)}
    return result


def close(session: Session, status: str, wall_s: float) -> tuple[dict[str, Any], Sealed | None]:
    """End a session as *status*: seal its log and enter it into the manifest; return the `run` JSON."""
    sealed = None
    end = session.end(status)
    if session.writer is not None:
        sealed = session.writer.seal(end, tick=max(session.state.tick, session.writer.tick))
        _enter(session, sealed, status, wall_s)
    return summary(session, status, end, sealed), sealed


def open_child(session: Session, parent: Sealed) -> Session | None:
    """Open the child log of a restore: from the last save, with the ledger of the gate as it stands now."""
    if session.saved is None:
        return None
    state = restore(session.saved, session.declared.room, gate=session.state.gate)
    state.epoch += 1
    state.slot.cancel("restored")
    kernel.drop_question(state)
    state.replies, state._outbox = [], []
    state.stopped, state.paused = "", False
    number = 1 + parent.path.name.count(".r")
    path = parent.path.with_name(parent.path.name.removesuffix(".jsonl.zst") + f".r{number}")
    origin = {"head": parent.head, "tick": session.state.tick, "log": parent.path.name}
    writer = LogWriter.create(path, {**session.declared.header(), "heavy": False, "parent": origin})
    writer.append(max(state.tick, 0), [kernel.snapshot_record(state, snapshot(state))])
    child = Session(session.declared, state, writer, make_provider(session.declared.declaration["model"], session.declared.seed))
    child.saved = session.saved
    return child


def listed(out: Path) -> bool:
    """Return whether the manifest beside *out* lists a log of this name, be the log itself still there or not."""
    manifest = out.parent / MANIFEST
    return manifest.exists() and Manifest(manifest).find(out.name.partition(".jsonl")[0]) is not None


def list_sealed(log: Path) -> None:
    """Enter a sealed log that its dead writer no longer came to enter."""
    with open_log(log) as reader:
        end, declared, path, head = reader.end, from_header(reader.header), reader.path, reader.head
    if end is not None and Manifest(path.parent / MANIFEST).find(_stem(path)) is None:
        sealed = Sealed(path, head, end["seq"], end["data"]["log"]["active_ticks"], 0)
        _append(declared, sealed, end["data"]["status"], {"listed": "after its writer was gone"})


def _enter(session: Session, sealed: Sealed, status: str, wall_s: float) -> None:
    """Enter the sealed log into the manifest beside it: what was run, on what, and where it was cut."""
    cut = None if session.writer is None else session.writer.cut
    facts = {"cut": None if cut is None else {"tick": cut.after_tick, "bytes": cut.bytes}, "wall_ms": round(wall_s * 1000)}
    _append(session.declared, sealed, status, facts)


def _append(declared: Declared, sealed: Sealed, status: str, facts: dict[str, Any]) -> None:
    Manifest(sealed.path.parent / MANIFEST).append(
        {
            "log": _stem(sealed.path), "head": sealed.head, "records": sealed.records, "status": status,
            "trial": declared.trial_id, "digest": declared.digest, "seed": declared.seed, **facts,
            "machine": {"python": platform.python_version(), "system": platform.system(), "machine": platform.machine()},
            "encoder": ENCODER,
        }
    )  # fmt: skip


def _stem(path: Path) -> str:
    return path.name.removesuffix(".jsonl.zst")


def summary(session: Session, status: str, end: dict[str, Any], sealed: Sealed | None) -> dict[str, Any]:
    """Return the `run` JSON of a finished trial."""
    state, counts = session.state, session.state.counts
    slot = state.slot.counts
    flags = ["exploratory"] if session.declared.exploratory else []
    flags += ["wall_capped"] if counts.get("wall_capped") else []
    flags += ["degraded"] if end["degraded_ticks"] else []
    flags += ["budget_spent"] if counts.get("budget_spent") else []
    flags += [status] if status != "done" else []
    return {
        "log": "" if sealed is None else str(sealed.path), "digest": end["digest"], "status": status, "ticks": state.tick,
        "rounds": counts.get("rounds", 0), "records": session.records,
        "decisions": {kind: counts.get(f"decided_{kind}", 0) for kind in DECISIONS},
        "requests": {name: slot[name] for name in REQUEST_ENDS},
        "interventions": [{"id": row.id, **row.data()} for row in state.rows.values()],
        "model": model_use(session), "metrics": {}, "flags": flags, "trial": session.declared.trial_id, "seed": session.declared.seed,
        "arm": session.declared.arm,
    }  # fmt: skip


def model_use(session: Session) -> dict[str, Any]:
    """Return what the model was asked, what it answered and what that cost: per decision type and in all.

    *wall_ms* is measured on this machine and no part of the run; *cost* is in the currency of the declared prices, which
    are per million tokens.
    """
    counts, form = session.state.counts, session.declared.declaration["model"]
    by_type: dict[str, dict[str, int]] = {}
    for name in (*TYPES, "ignored"):
        row = {key: counts.get(f"model_{name}_{key}", 0) for key in USE}
        if row["replies"]:
            by_type[name] = row
    total = {key: sum(row[key] for row in by_type.values()) for key in USE}
    asked = total["replies"] - by_type.get("ignored", {}).get("replies", 0)
    waits = sorted(session.waits_ms)
    price = total["tokens_in"] * form.get("price_in", 0) + total["tokens_out"] * form.get("price_out", 0)
    return {
        "provider": form["provider"], "calls": session.state.slot.budget.calls, **total,
        "valid_share": round(total["valid"] / asked, 4) if asked else None, "by_type": by_type, "cost": round(price / 1_000_000, 6),
        "wall_ms": {"median": waits[len(waits) // 2], "p95": waits[len(waits) * 95 // 100], "max": waits[-1]} if waits else None,
    }  # fmt: skip


USE = ("replies", "valid", "tokens_in", "tokens_out")
DECISIONS = ("rule", "clear", "sys1", "deterministic", "sys2", "fallback")
REQUEST_ENDS = ("committed", "repaired", "stale", "expired", "cancelled", "rejected", "fallback")
