"""A run at the pace of the clock, for someone who takes part: it never waits for the model, nor for anyone.

Theory of operation
===================
`pump(seconds)` lets that much of the viewer's time pass: inputs that wait are handed in at the next tick, the kernel
is advanced as far as the speed asks and a small budget of computing allows, and every new record is written to the log
and folded into `frame`. The model is asked on a thread of its own; its reply enters at the tick after it came (live
pace) or at the tick it was declared for (lockstep: the clock waits there, the caller's frames do not). Time is told to
us; a frame that comes late changes when things enter, never what follows from them: the log holds every tick.

A pause takes no simulated time: acts wait, and are handed in together with the resumption. However it ends, `close`
seals the log.
"""

from __future__ import annotations

import json
import queue
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from agent.request import Part, Request
from interventions.contract import SYSTEM, Intervention
from logs.writer import LogWriter
from sim import kernel, session
from sim.build import build
from sim.declare import Declared
from sim.feedback import hand_in
from sim.frame_fold import opening, take
from sim.frame_snapshot import frame_of
from sim.gateway import Provider
from sim.gateway_provider import Reply
from sim.session import Session
from sim.stage import stage_of
from sim.state import ReplyInput

BUDGET_S = 0.006
CHUNK_LEAST, CHUNK_MOST = 1, 60_000
SPEED_MOST = 1 << 20
TELLING_FACTS = ("speech", "event", "entered", "left", "skill_refused")
TELLING_TASKS = ("started", "done", "failed", "given_up")
Row = dict[str, Any]


class Live:
    """One running trial with a person in it. Use it from one thread."""

    def __init__(self, declared: Declared, out: Path | None, *, provider: Provider | None = None) -> None:
        """Raises LogError for a name that is taken or can't be written."""
        header = declared.header()
        writer = None
        if out is not None:
            out.parent.mkdir(parents=True, exist_ok=True)
            writer = LogWriter.create(out, {**header, "heavy": False})
        self.session = Session(declared, build(declared), writer, provider)
        self.stage = stage_of(header)
        self.frame = opening(self.stage)
        self.speed = 1.0
        self.until_telling = False
        self.result: dict[str, Any] | None = None
        self.fresh: list[Row] = []
        """Records since the last `pump`, as the log holds them."""
        self._due = 0.0
        self._chunk = 8
        self._waiting: list[dict[str, Any]] = []
        self._replies: queue.SimpleQueue[tuple[Part, list[ReplyInput]]] = queue.SimpleQueue()
        self._asked: dict[str, Part] = {}
        self._came: list[ReplyInput] = []
        self._acts = 0
        self._began = time.monotonic()

    # --- what the window needs to know ------------------------------------------------------------------------

    @property
    def tick(self) -> int:
        """The last tick that was advanced to."""
        return max(self.session.state.tick, 0)

    @property
    def shown_tick(self) -> float:
        """The moment to draw: between two ticks, so that a walk is smooth."""
        return max(float(self.tick), min(self._due, self.tick + 1.0))

    @property
    def paused(self) -> bool:
        """Whether the run is paused."""
        return self.session.state.paused

    @property
    def over(self) -> bool:
        """Whether the run has ended, by its length or by a stop."""
        state = self.session.state
        return bool(state.stopped) or state.tick >= state.end_tick

    @property
    def asking(self) -> bool:
        """Whether a reply of the model is awaited."""
        return bool(self._asked)

    @property
    def waiting(self) -> list[dict[str, Any]]:
        """Acts that wait for the end of a pause."""
        return list(self._waiting)

    def warm(self) -> None:
        """Let the provider make ready what would hold up the first question, if it knows how."""
        self.session.warm()

    # --- acting -----------------------------------------------------------------------------------------------

    def act(self, channel: str, op: str, **what: Any) -> str:
        """Hand in an act; return its id. *what*: object, target, text, mark, action, due_ms, data.

        It enters at the next tick, through the same gate as any act by script or API.
        """
        self._acts += 1
        name = f"int-{'h' if self.stage.mode != 'debug' else 'd'}{self._acts}"
        self._waiting.append({"id": name, "channel": channel, "op": op, **what})
        return name

    def toggle_pause(self) -> str:
        """Pause, or go on."""
        return self.act(SYSTEM, "resume" if self.paused else "pause")

    def _inputs(self) -> list[Intervention]:
        """Take the acts that may enter now, dated for the next tick."""
        state = self.session.state
        if not self._waiting:
            return []
        if state.paused and not any(each["channel"] == SYSTEM for each in self._waiting):
            return []
        if state.paused and not any(
            each["op"] in ("resume", "safe_stop", "restore") for each in self._waiting
        ):
            now = [each for each in self._waiting if each["channel"] == SYSTEM]
        else:
            now = list(self._waiting)
        self._waiting = [each for each in self._waiting if each not in now]
        found = []
        for each in now:
            made = hand_in(state, each["id"], each, "human")
            due = None if made.due_tick is None else made.due_tick + 1
            found.append(replace(made, tick=state.tick + 1, due_tick=due, data=dict(each.get("data", {}))))
        return found

    # --- time -------------------------------------------------------------------------------------------------

    def pump(self, seconds: float, budget_s: float = BUDGET_S) -> list[Row]:
        """Let *seconds* of the viewer's time pass; return the new records. It returns within about *budget_s*."""
        self.fresh = []
        if self.result is not None:
            return self.fresh
        self._hear()
        state = self.session.state
        inputs: list[Any] = list(self._inputs())
        if state.paused and not inputs:
            return self.fresh
        # While a question is out, time runs at most at its own pace: the model is not to be outrun.
        speed = min(self.speed, 1.0) if self.asking else self.speed
        self._due = max(self._due, float(state.tick)) + seconds * 1000 / state.tick_ms * speed
        until = min(int(self._due), state.end_tick, self._held())
        ready = self._ready()
        started = time.perf_counter()
        while inputs or ready or state.tick < until:
            target = (
                max(state.tick + 1, min(until, state.tick + self._chunk))
                if state.tick < state.end_tick
                else state.tick
            )
            self._advance([*inputs, *ready], target)
            inputs, ready = [], []
            spent = time.perf_counter() - started
            if self.over or state.paused or self.asking or spent > budget_s:
                break
        if not self.asking:
            spent = time.perf_counter() - started
            self._chunk = max(
                CHUNK_LEAST, min(CHUNK_MOST, self._chunk * 2 if spent < budget_s else self._chunk // 2)
            )
        # What could not be done in time is not caught up with: the window stays fluent, the clock runs slower.
        self._due = min(self._due, state.tick + 1.0)
        return self.fresh

    def _advance(self, inputs: list[Any], target: int) -> None:
        state = self.session.state
        ticked = kernel.advance(state, inputs, target)
        self.session.write(ticked)
        for _, rows in ticked:
            for row in rows:
                self._note(row)
        again = kernel.give_back(state)
        for part, request in kernel.take_outbox(state):
            self._ask(part, request)
        self.session.shell_acts()
        if again and not self.over:
            # A stop in between left them untaken; they enter at their own ticks, or at the next.
            later = [replace(each, tick=max(each.tick, state.tick + 1)) for each in again]
            self._advance(later, max(each.tick for each in later))

    def _note(self, row: Row) -> None:
        """Fold a record into the frame as the log will give it back."""
        plain: Row = json.loads(json.dumps(row, ensure_ascii=False))
        take(self.frame, plain)
        self.fresh.append(plain)
        data = plain["data"]
        telling = (plain["kind"] == "fact" and data["fact"] in TELLING_FACTS) or (
            plain["kind"] == "task" and data["state"] in TELLING_TASKS
        )
        if self.until_telling and (telling or plain["kind"] in ("matter", "request")):
            self.until_telling, self.speed = False, 1.0
            self._due = float(row["tick"])

    # --- the model --------------------------------------------------------------------------------------------

    def _ask(self, part: Part, request: Request) -> None:
        for old in list(self._asked):
            self.session.provider.cancel(old)
            del self._asked[old]
        self._asked[part.id] = part
        threading.Thread(
            target=self._ask_now, args=(part, request), name=f"ask {part.id}", daemon=True
        ).start()

    def _ask_now(self, part: Part, request: Request) -> None:
        try:
            found = self.session.ask(part, request)
        except (
            Exception
        ) as error:  # A provider of someone else's may raise anything; the run goes on without it.
            reply = Reply(None, f"provider_{type(error).__name__}".lower())
            found = [ReplyInput(part.id, part.due_tick, None, reply.failure)]
        self._replies.put((part, found))

    def _hear(self) -> None:
        """Take what the threads have brought; forget questions that the run itself has ended."""
        while True:
            try:
                part, found = self._replies.get_nowait()
            except queue.Empty:
                break
            if self._asked.pop(part.id, None) is not None or not self.session.state.live:
                self._came += found
        out = self.session.state.slot.out
        for name in [name for name in self._asked if out is None or out.id != name]:
            self.session.provider.cancel(name)
            del self._asked[name]

    def _ready(self) -> list[ReplyInput]:
        """Return the replies for the next ticks: in live pace the very next, in lockstep their own."""
        state = self.session.state
        if state.paused:
            return []
        came, self._came = self._came, []
        return [
            replace(each, tick=state.tick + 1 if state.live else max(each.tick, state.tick + 1))
            for each in came
        ]

    def _held(self) -> int:
        """Return the last tick that may be reached before a reply that was declared for a tick is there."""
        if self.session.state.live:
            return 1 << 60
        return min((part.due_tick - 1 for part in self._asked.values()), default=1 << 60)

    # --- the end ----------------------------------------------------------------------------------------------

    def close(self, status: str = "") -> dict[str, Any]:
        """End the run and seal its log; return the `run` JSON. Safe to call twice."""
        if self.result is None:
            state = self.session.state
            done = "done" if state.tick >= state.end_tick else "stopped"
            self.session.provider.close()
            self.result, sealed = session.close(
                self.session, status or state.stopped or done, time.monotonic() - self._began
            )
            if state.stopped == "restored" and sealed is not None:
                self._go_on_as_child(self.result, sealed)
        return self.result or {}

    def _go_on_as_child(self, parent: dict[str, Any], sealed: Any) -> None:
        """After a restore: go on in a child log, from the last save."""
        child = session.open_child(self.session, sealed)
        if child is None:
            return
        self.session, self.result = child, None
        self.frame = frame_of(self.stage, child.state)
        self._asked, self._came, self._waiting = {}, [], []
        self._due = float(max(child.state.tick, 0))
        self.parent = parent

    parent: dict[str, Any] | None = None


def settle(log: Path) -> dict[str, Any] | None:
    """Seal a log whose process has gone, as stopped where it was cut; None if there is nothing to settle.

    Nobody is asked anything. Raises LogError while someone still writes it.
    """
    from logs.reader import open_log
    from sim.gateway import NoProvider

    with open_log(log) as reader:
        if reader.sealed or reader.end is not None or reader.alive:
            return None
    return session.resume(log, provider=NoProvider(), stop=lambda: True)
