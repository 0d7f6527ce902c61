"""Stages for hostile replies: a real kernel with a live question of each decision type, kept as a snapshot.

Most questions arise by themselves in first_visit; a plan needs a favour no template does, a combination a goal whose
means are out of reach, a reflection experiences on both sides. Where a stage helps along, it only gives the resident
what it could have perceived.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from agent import ask_combine, ask_reflect
from agent.appraisal import remember
from agent.request import TYPES, Part, Request
from agent.round import think
from sim import kernel
from sim.build import build, restore, snapshot
from sim.declare import Declared, declare
from sim.feedback import handed_in
from sim.records import Records
from sim.state import State

SEED = 7
REWARDS = (700, 720, 690, 300, 280, 710)


@dataclass(frozen=True, slots=True)
class Stage:
    """A live question: the declaration, the state with the question out, its part and its request."""

    declared: Declared
    saved: dict[str, Any]
    part: Part
    request: Request
    outside: str

    def state(self) -> State:
        """Return a fresh state, in which nothing has come back yet."""
        return restore(self.saved, self.declared.room)


@cache
def stage(decision: str) -> Stage:
    """Return the stage with a live question of type *decision*."""
    assert decision in TYPES
    form = {"model.provider": "scripted", "model.types": [decision]}
    declared = declare("first_visit", seed=SEED, overrides=form)
    state = build(declared)
    rows: list[dict[str, Any]] = []
    if decision in ("reflect", "combine"):
        _run(state, rows, 400)
        log = Records(state.tick)
        POSERS[decision](state, log)
    elif decision == "plan":
        _run(state, rows, 1000)
        words = {
            "text": "Could you help me with the mug?",
            "mark": "request",
            "action": "help",
            "target": "mug",
        }
        act = handed_in(
            state._names, state.tick_ms, state.tick + 10, "int-help", "dialogue", "say", 99, **words
        )
        _run(state, rows, state.tick + 900, act)
    while not state._outbox and state.tick < state.end_tick:
        _run(state, rows, state.end_tick)
    part, request = state._outbox[-1]
    assert request.type == decision
    return Stage(declared, snapshot(state), part, request, _outside(rows, request))


def _run(state: State, rows: list[dict[str, Any]], until_tick: int, *acts: Any) -> None:
    waiting: list[Any] = list(acts)
    while state.tick < until_tick and not state._outbox:
        for _, records in kernel.advance(state, waiting, until_tick):
            rows += records
        waiting = kernel.give_back(state)
        state._shell = []


def _outside(rows: list[dict[str, Any]], request: Request) -> str:
    """Return a candidate of the same round that is clearly behind the group."""
    for row in reversed(rows):
        if row["kind"] == "round":
            return next(
                (each[0] for each in row["data"]["candidates"] if each[0] not in request.group), "c9999"
            )
    return "c9999"


def _reflection(state: State, log: Records) -> None:
    state.mind.tick = state.tick
    for number, reward in enumerate(REWARDS):
        remember(state.mind, "task", "read_book", "done", reward, 300, 9000 + number, "own")
    for _ in range(2):
        remember(state.mind, "task", "read_book", "told", REWARDS[0], 300, 9000, "sound")
    state.mind.take_notes()
    question = ask_reflect.about(state.mind, "task:read_book")
    assert question is not None
    kernel.pose(state, log, question, [])


def _combination(state: State, log: Records) -> None:
    """Let every way to every goal be out of reach, as after a jam that shut all away."""
    mind = state.mind
    for goal in mind.persona["goals"]:
        for name in goal["tasks"]:
            for tag in [selector.tag for selector in mind.task(name).roles.values()]:
                for ordinal in mind.tagged(tag):
                    mind.beliefs.lose(ordinal)
    mind.clock_ms, mind.tick = 12 * 3_600_000, state.tick
    question = ask_combine.wanted(mind, think(mind, ["idle"]))
    assert question is not None
    mind.take_notes()
    kernel.pose(state, log, question, [])


POSERS = {"reflect": _reflection, "combine": _combination}
