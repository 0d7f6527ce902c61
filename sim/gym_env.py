"""`oneroom/Visitor-v0`: a Gymnasium environment in which the learner is the visitor.

Theory of operation
===================
An episode is one run of a declared protocol, its length cut to *minutes*; a step is one act of the visitor and *step_s*
seconds of simulated time after it. The acts are a fixed list, made from what the protocol's channels allow; every act
goes through the same gate as anyone's, so a learner meets closed channels, limits, refusals and being overlooked.

What is observed is what a visitor could know: the time, where he stands, the resident while in sight, the state of the
channels, and the three feedback fields of his last act. Nothing of needs, beliefs or candidates is in it.

Needs the optional extra: `pip install 'oneroom[gym]'`, and `[window]` for pictures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy

from agent.percept import NEEDS
from interventions.contract import CHANNELS
from protocols.library import load_protocol
from sim.declare import declare
from sim.frame import RESIDENT, VISITOR
from sim.frame_view import unseen_by_visitor
from sim.simulation import Simulation
from sim.stage import Stage
from sim.state import ROW_ENDS

ID = "oneroom/Visitor-v0"
STANCES = ("considering", "accepted", "refused", "negotiating", "postponed", "ended")
OUTCOMES = ("in_progress", *ROW_ENDS)
STEP_S, MINUTES = 10, 60
DAY_S = 86_400
PLACES = ("table", "coffee_table", "desk", "counter")
WISHES = {"drink": "Maybe drink something?", "eat": "Maybe eat something?", "rest": "Maybe rest a little?", "read": "Maybe read something?"}
Reward = Callable[[Simulation, list[dict[str, Any]]], float]


@dataclass(frozen=True, slots=True)
class Act:
    """One thing the learner can do; `wait` has no channel."""

    name: str
    channel: str = ""
    op: str = ""
    what: Mapping[str, str] = field(default_factory=dict)


def acts_of(stage: Stage) -> tuple[Act, ...]:
    """Return every act that the declared channels allow, `wait` first, in a fixed order."""
    found = [Act("wait")]
    ops, objects = stage.operations["physical"], stage.objects["physical"]
    if stage.channels["physical"]["state"] == "open":
        found += [Act(op, "physical", op) for op in ("enter", "leave") if op in ops]
        places = [name for name in PLACES if name in stage.names]
        for thing in objects:
            found += _handlings(stage, thing, ops, places)
    if stage.channels["dialogue"]["state"] == "open":
        found.append(Act("say hello", "dialogue", "say", {"text": "Hello! Good to see you.", "mark": "plain"}))
        found += _requests(stage)
        found += [
            Act(f"suggest {action}", "dialogue", "say", {"text": text, "mark": "suggestion", "action": action})
            for action, text in WISHES.items()
        ]
    if stage.channels["inner_voice"]["state"] == "open":
        found += [
            Act(f"whisper {action}", "inner_voice", "whisper", {"text": f"It would be good to {action}.", "action": action})
            for action in WISHES
        ]
    return tuple(found)


def _handlings(stage: Stage, thing: str, ops: tuple[str, ...], places: list[str]) -> list[Act]:
    tags = _tags(stage, thing)
    found = [Act(f"walk {thing}", "physical", "walk", {"target": thing})] if "walk" in ops else []
    wanted = {"open": "openable", "close": "openable", "switch": "switchable", "take": "portable", "hand_over": "portable"}
    found += [Act(f"{op} {thing}", "physical", op, {"object": thing}) for op, tag in wanted.items() if op in ops and tag in tags]
    if "put" in ops and "portable" in tags:
        found += [Act(f"put {thing} {place}", "physical", "put", {"object": thing, "target": place}) for place in places]
    return found


def _requests(stage: Stage) -> list[Act]:
    found = []
    for thing in stage.spec.things:
        name, tags = stage.name(thing.id, "en"), _tags(stage, thing.id)
        for action, tag in (("open", "openable"), ("close", "openable"), ("bring", "portable"), ("water", "plant")):
            if tag in tags and thing.known:
                what = {"text": f"Could you {action} the {name}, please?", "mark": "request", "action": action, "target": thing.id}
                found.append(Act(f"ask {action} {thing.id}", "dialogue", "say", what))
    return found


def _tags(stage: Stage, thing: str) -> list[str]:
    kind = next((each.kind for each in stage.spec.things if each.id == thing), "")
    found: list[str] = stage.spec.kinds[kind]["tags"] if kind else []
    return found


def requests_carried_out(simulation: Simulation, rows: list[dict[str, Any]]) -> float:
    """Reward 1 for each thing asked for that was really done, -0.1 for each act the gate denied."""
    rows_told = simulation.session.state.rows
    done: int = sum(
        row["kind"] == "feedback" and row["data"].get("outcome") == "done" and row["id"] in rows_told and rows_told[row["id"]].op == "say"
        for row in rows
    )  # fmt: skip
    denied: int = sum(row["kind"] == "receipt" and row["data"]["status"] == "denied" for row in rows)
    return done - 0.1 * denied


def wellbeing(simulation: Simulation, rows: list[dict[str, Any]]) -> float:
    """Reward the mean of the resident's nine needs, 0 to 1: what a good guest would wish, though he cannot see it."""
    assert isinstance(rows, list)
    total: int = sum(simulation.needs().values())
    return total / (1000 * len(NEEDS))


REWARDS: dict[str, Reward] = {"requests_carried_out": requests_carried_out, "wellbeing": wellbeing}


class VisitorEnv(gymnasium.Env[numpy.ndarray[Any, Any], Any]):
    """The visitor as a learner.

    *protocol*: a shipped id or a path. *reward*: a name of REWARDS, or a function of (simulation, records of the step).
    *overrides*: dotted keys of the protocol. Pictures are of *size* pixels.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}  # noqa: RUF012  # gymnasium's own form

    def __init__(
        self, protocol: str = "free_play", *, minutes: int = MINUTES, step_s: int = STEP_S, model: str = "none",
        reward: str | Reward = "requests_carried_out", overrides: Mapping[str, Any] | None = None,
        render_mode: str | None = None, size: tuple[int, int] = (640, 480),
    ) -> None:  # fmt: skip
        given = {"pace": "lockstep", "visitor.kind": "script", "model.provider": model, "duration": f"{minutes}m", **(overrides or {})}
        if load_protocol(protocol).raw.get("schedule"):
            given.setdefault("schedule", [])  # The learner takes the script's place.
        self.simulation = Simulation(declare(protocol, overrides=given))
        stage = self.simulation.frame.stage
        self.acts = acts_of(stage)
        self.step_s = step_s
        self.reward: Reward = REWARDS[reward] if isinstance(reward, str) else reward
        self.action_space = gymnasium.spaces.Discrete(len(self.acts))
        self.observed = _observed()
        self.observation_space = gymnasium.spaces.Box(-1.0, 1.0, (len(self.observed),), numpy.float32)
        self.render_mode = render_mode
        self.size = size
        self._paper: Any = None
        self._last = ""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[numpy.ndarray[Any, Any], dict[str, Any]]:
        """Begin an episode; the same *seed* begins the same life."""
        super().reset(seed=seed, options=options)
        drawn = int(self.np_random.integers(2**31))
        self.simulation.reset(seed=drawn)
        self._last = ""
        return self._look(), self._info("", drawn)

    def step(self, action: int) -> tuple[numpy.ndarray[Any, Any], float, bool, bool, dict[str, Any]]:
        """Act, and let *step_s* seconds pass."""
        act = self.acts[int(action)]
        if act.channel:
            self._last = self.simulation.act(act.channel, act.op, **act.what)
        rows = self.simulation.advance(seconds=self.step_s)
        state = self.simulation.session.state
        reward = float(self.reward(self.simulation, rows))
        terminated, truncated = bool(state.stopped), state.tick >= state.end_tick
        return self._look(), reward, terminated, truncated, self._info(act.name, self.simulation.declared.seed)

    def render(self) -> Any:
        """Return the room as the visitor sees it: height x width x 3 bytes; None without a render mode."""
        if self.render_mode is None:
            return None
        if self._paper is None:
            from sim.window.paper import Paper

            self._paper = Paper(self.size)
        frame = self.simulation.frame
        raw = self._paper.rgb(frame, frame.tick)
        return numpy.frombuffer(raw, numpy.uint8).reshape(self.size[1], self.size[0], 3)

    def close(self) -> None:
        """Let go of the paper."""
        self._paper = None

    def _info(self, act: str, seed: int) -> dict[str, Any]:
        told = [row for row in self.simulation.feedback() if row["id"] == self._last]
        return {"act": act, "seed": seed, "tick": self.simulation.tick, "feedback": told[0] if told else {}}

    def _look(self) -> numpy.ndarray[Any, Any]:
        """Return what the visitor can know now, in the order of `observed`."""
        frame, state = self.simulation.frame, self.simulation.session.state
        stage, spec, tick = frame.stage, frame.stage.spec, max(self.simulation.tick, 0)
        angle = 2 * math.pi * stage.clock(tick)[1] / DAY_S
        found = [tick / max(1, state.end_tick), math.sin(angle), math.cos(angle)]
        hidden = unseen_by_visitor(frame, tick)
        for name in (VISITOR, RESIDENT):
            body = frame.bodies.get(name)
            if body is None or name in hidden:
                found += [0.0, 0.0, 0.0]
            else:
                x, y, _ = frame.place(body, tick)
                found += [1.0, x / spec.width, y / spec.height]
        resident = frame.bodies[RESIDENT]
        seen = RESIDENT not in hidden
        found += [float(seen and frame.asleep(resident)), float(seen and resident.doing is not None)]
        for channel in self.simulation.channels().values():
            used = channel["used"] / channel["max"] if channel["max"] > 0 else 0.0
            found += [float(channel["state"] in ("open", "confirm")), min(1.0, used)]
        row = state.rows.get(self._last)
        found += [float(row is not None and row.receipt == "accepted"), float(row is not None and row.perceived_tick >= 0)]
        found += [float(row is not None and row.stance == name) for name in STANCES]
        found += [float(row is not None and row.outcome == name) for name in OUTCOMES]
        return numpy.clip(numpy.asarray(found, numpy.float32), -1.0, 1.0)


def _observed() -> tuple[str, ...]:
    bodies = [f"{who}_{what}" for who in (VISITOR, RESIDENT) for what in ("there", "x", "y")]
    channels = [f"{channel}_{what}" for channel in CHANNELS for what in ("open", "used")]
    last = ["accepted", "perceived", *(f"stance_{name}" for name in STANCES), *(f"outcome_{name}" for name in OUTCOMES)]
    return ("time", "day_sin", "day_cos", *bodies, "resident_asleep", "resident_busy", *channels, *(f"last_{name}" for name in last))


def register() -> str:
    """Make the environment known to Gymnasium, once; return its id."""
    if ID not in gymnasium.registry:
        gymnasium.register(id=ID, entry_point="sim.gym_env:VisitorEnv")
    return ID


register()
