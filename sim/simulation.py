"""A run in your own hands: reset, act, step, advance, look, snapshot, restore. For scripts, learners and notebooks.

It is the same session that `oneroom run` drives: acts go through the same gate, a declared model is asked the same way,
records come out as the log would hold them. Without *out* nothing is kept.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from interventions.contract import CHANNELS, Intervention
from logs.writer import LogWriter
from protocols.declaration import trial_id
from sim import codec, kernel
from sim.build import build, restore, snapshot
from sim.declare import Declared, declare
from sim.feedback import hand_in
from sim.frame import Frame
from sim.frame_fold import opening, take
from sim.gateway import Provider
from sim.session import CHUNK_MS, Session, close
from sim.stage import stage_of

Row = dict[str, Any]
VERSIONS = (1, 2)
"""Of snapshots: 1 the state alone, 2 with what is pending beside it."""
VERSION = VERSIONS[-1]
KINDS: dict[str, type] = {"object": str, "target": str, "text": str, "mark": str, "action": str, "due_ms": int, "data": dict}
"""What an act may hold beside its channel and operation, and of which kind it is."""


class Simulation:
    """One run, stepped by you.

    *reference* is a shipped id, a path, or what `oneroom.declare` returned. An example:

        simulation = Simulation("quiet_day", seed=7, overrides={"model.provider": "none"})
        simulation.reset()
        simulation.advance(minutes=30)
        print(simulation.needs())
    """

    def __init__(
        self, reference: str | Path | Declared, *, arm: str | None = None, seed: int | None = None,
        overrides: Mapping[str, Any] | None = None, out: Path | str | None = None, provider: Provider | None = None,
    ) -> None:  # fmt: skip
        """Raises ProtocolError or RoomError for what can't be declared, LogError for a name that is taken."""
        self.declared: Declared
        if isinstance(reference, Declared):
            self.declared = reference
        else:
            self.declared = declare(reference, arm=arm, seed=seed, overrides=overrides)
        self._out = None if out is None else Path(out)
        self._provider = provider
        self._session: Session | None = None
        self._acts: list[tuple[str, dict[str, Any]]] = []
        self._count = 0
        self._replies: list[Any] = []
        self._began = 0.0
        self._result: dict[str, Any] | None = None
        self.frame: Frame = opening(stage_of(self.declared.header()))

    # --- beginning and ending -----------------------------------------------------------------------------------

    def reset(self, *, seed: int | None = None) -> Frame:
        """Begin anew and live tick 0; return the frame. With *out*, a second run gets a name of its own."""
        if self._session is not None and self._result is None:
            self.close()
        if seed is not None and seed != self.declared.seed:
            made = trial_id(self.declared.digest, seed, self.declared.replicate)
            self.declared = replace(self.declared, seed=seed, trial_id=made)
        header = self.declared.header()
        writer = None
        if self._out is not None:
            number = "" if self._session is None else f"-{self.declared.seed}-{self._count}"
            path = self._out.with_name(self._out.name + number)
            path.parent.mkdir(parents=True, exist_ok=True)
            writer = LogWriter.create(path, {**header, "heavy": False})
        self._session = Session(self.declared, build(self.declared), writer, self._provider)
        self._acts, self._replies, self._result = [], [], None
        self._count += 1
        self._began = time.monotonic()
        self.frame = opening(stage_of(header))
        self._advance(0)
        return self.frame

    def close(self, status: str = "") -> dict[str, Any]:
        """End the run, seal its log if it has one, and return the `run` JSON. Safe to call twice."""
        session = self.session
        if self._result is None:
            state = session.state
            done = state.stopped or ("done" if state.tick >= state.end_tick else "stopped")
            if self._provider is None:
                session.provider.close()
            self._result, _ = close(session, status or done, time.monotonic() - self._began)
        return self._result

    @property
    def session(self) -> Session:
        """The session underneath. Raises ValueError before the first reset."""
        if self._session is None:
            raise ValueError("call reset() first")
        return self._session

    # --- acting and time ----------------------------------------------------------------------------------------

    def act(self, channel: str, op: str, **what: Any) -> str:
        """Hand in an act of the visitor at the next tick; return its id.

        *what*: object, target, text, mark, action, due_ms, and for the acts of debug mode data. Whether it is let through,
        `feedback()` tells.
        """
        if channel not in CHANNELS:
            raise ValueError(f"there is no channel {channel!r}; there are {', '.join(CHANNELS)}")
        unknown = [key for key in what if key not in KINDS]
        if unknown:
            raise ValueError(f"an act has no {unknown[0]!r}")
        wrong = next((key for key, kind in KINDS.items() if not isinstance(what.get(key, kind()), kind)), "")
        if wrong:
            raise ValueError(f"{wrong}: {what[wrong]!r} is no {KINDS[wrong].__name__}")
        name = self._unused()
        self._acts.append((name, {"channel": channel, "op": op, **what}))
        return name

    def _unused(self) -> str:
        """Return an id that no act has had: after a restore the gate still knows those of the other course."""
        state = self.session.state
        number, taken = state.inputs_taken + len(self._acts) + 1, {name for name, _ in self._acts}
        while f"int-a{number}" in state.gate.ids or f"int-a{number}" in taken:
            number += 1
        return f"int-a{number}"

    def step(self) -> list[Row]:
        """Advance by one tick; return the records of it."""
        return self.advance(ticks=1)

    def advance(self, *, ticks: int = 0, seconds: float = 0, minutes: float = 0, hours: float = 0) -> list[Row]:
        """Advance by that much simulated time, or to the end; return the records. Waiting acts enter at the next tick."""
        state = self.session.state
        wanted = ticks + round((seconds + 60 * minutes + 3600 * hours) * 1000 / state.tick_ms)
        if wanted < 1:
            raise ValueError("advance by at least one tick")
        if self.over or (state.paused and not self._acts):  # A pause takes no simulated time, however often it is asked.
            return []
        return self._advance(min(state.end_tick, state.tick + wanted))

    def _advance(self, until: int) -> list[Row]:
        state = self.session.state
        inputs: list[Any] = self._handed_in()
        rows: list[Row] = []
        chunk = max(1, CHUNK_MS // state.tick_ms)
        while state.tick < until and not state.stopped:
            ticked = kernel.advance(state, [*self._replies, *inputs], min(until, state.tick + chunk))
            self.session.write(ticked)
            for _, each in ticked:
                rows += [json.loads(json.dumps(row, ensure_ascii=False)) for row in each]
            inputs = kernel.give_back(state)
            self._replies = [one for part, request in kernel.take_outbox(state) for one in self.session.ask(part, request)]
            self.session.shell_acts()
            if state.paused and not inputs:
                break
        for row in rows:
            take(self.frame, row)
        self.frame.tick = max(state.tick, 0)
        return rows

    def _handed_in(self) -> list[Intervention]:
        state, found = self.session.state, []
        for name, act in self._acts:
            made = hand_in(state, name, act, "api")
            due = None if made.due_tick is None else made.due_tick + 1
            found.append(replace(made, tick=state.tick + 1, due_tick=due, data={**made.data, **act.get("data", {})}))
        self._acts = []
        return found

    # --- looking ------------------------------------------------------------------------------------------------

    @property
    def tick(self) -> int:
        """The last tick that was advanced to."""
        return self.session.state.tick

    @property
    def over(self) -> bool:
        """Whether the run has ended, by its length or by a stop."""
        state = self.session.state
        return bool(state.stopped) or state.tick >= state.end_tick

    def feedback(self) -> list[Row]:
        """Return what the visitor is told of each act: receipt, perceived, stance, outcome, reason."""
        return [{"id": row.id, **row.data()} for row in self.session.state.rows.values()]

    def channels(self) -> dict[str, Row]:
        """Return channel -> {state, used, max, until_tick}."""
        state = self.session.state
        return {name: dict(state.gate.remaining(name, max(state.tick, 0))) for name in CHANNELS}

    def needs(self) -> dict[str, int]:
        """Return the resident's true needs, 0 (worst) to 1000: for researchers, no visitor can see them."""
        from agent.percept import NEEDS

        state = self.session.state
        return dict(zip(NEEDS, state.room.needs("resident", max(state.tick, 0)), strict=True))

    def digest(self) -> str:
        """Return the digest of the whole state."""
        return self.session.state.digest()

    # --- keeping and going back ---------------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """Return the whole state as plain JSON values, for `restore` here or in another process.

        Acts handed in that no tick has taken yet, and replies on their way, are part of it.
        """
        acts = json.loads(json.dumps(self._acts))
        pending = {"acts": acts, "replies": codec.encode(self._replies)}
        return {**snapshot(self.session.state), "version": VERSION, "pending": pending}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Go back to *saved*. What the channels have used up stays used up. Raises ValueError while a log is written.

        Raises ValueError, too, for a snapshot of a version that is not known here; one of version 1 holds nothing pending.

        A log is one course of events: to try another from some tick on, use `oneroom.fork`.
        """
        session = self.session
        if saved.get("version") not in VERSIONS:
            raise ValueError(f"a snapshot of version {saved.get('version')!r}; this oneroom reads {', '.join(map(str, VERSIONS))}")
        if session.writer is not None:
            raise ValueError("a run that is kept can't jump back; run it without out=, or fork its log")
        session.state = restore(dict(saved), self.declared.room, gate=session.state.gate)
        pending = saved.get("pending", {"acts": [], "replies": []})
        self._acts = []
        for name, act in json.loads(json.dumps(pending["acts"])):
            self._acts.append((self._unused() if name in session.state.gate.ids else name, dict(act)))
        self._replies, self._result = codec.decode(pending["replies"]), None
        self.frame = opening(stage_of(self.declared.header()))
        take(self.frame, {"tick": max(session.state.tick, 0), "kind": "snapshot", "id": "", "causes": [], "data": {"state": dict(saved)}})

