"""The first state of a run, from an effective declaration; and a state back from its snapshot."""

from __future__ import annotations

from typing import Any

from agent.breaker import Budget
from agent.mind import Mind
from agent.params import Params
from agent.slot import Slot
from interventions.contract import Contract
from interventions.gate import Gate
from interventions.text import fold
from sim import codec, library
from sim.chance import Chance
from sim.script import Script
from sim.state import State
from sim.veil import Veil
from world.room import Room
from world.spec import RoomSpec, parse_room


def build(
    *,
    seed: int,
    room: dict[str, Any],
    persona: dict[str, Any],
    tick_ms: int,
    start_ms: int,
    end_tick: int,
    contracts: list[Contract],
    script: Script,
    model: dict[str, Any],
    settings: dict[str, Any] | None = None,
    params: dict[str, int] | None = None,
    mode: str = "trial",
    heavy: bool = False,
) -> State:
    """Return the state before tick 0. *room* is a parsed room file, *persona* a declared character as plain values."""
    spec = parse_room(room, library.table("world/kinds"))
    chance = Chance(seed)
    truth = Room.build(
        spec, library.table("world/skills"), library.table("world/kinds"), needs=library.table("world/needs"),
        tick_ms=tick_ms, start_ms=start_ms, chance=chance, rates=persona["need_rates"],
    )  # fmt: skip
    mind = Mind(persona, tick_ms, settings={**(settings or {}), "params": dict(params or {})})
    slot = Slot(budget=Budget(calls_max=model["budget_requests"], tokens_max=model["budget_tokens"]))
    state = State(seed, tick_ms, end_tick, chance, truth, mind, Veil(), slot, script, model)
    state._gate = Gate.build(contracts, mode)
    state._heavy = heavy
    furnish(state, spec)
    return state


def furnish(state: State, spec: RoomSpec) -> None:
    """Hand the fixed tables to mind and shell: they are no state."""
    params = Params(**state.mind.settings.get("params", {}))
    state.mind.furnish(library.book(), params, spec.width, library.table("agent/phrases"), library.kind_names())
    state._names = names_in(spec)


def names_in(spec: RoomSpec) -> dict[str, str]:
    """Return folded name -> thing id, for reading what people say: own names, ids, and kinds that are there once."""
    found: dict[str, str] = {}
    kinds = library.kind_names()
    for thing in spec.things:
        for name in kinds[thing.kind].values():
            found.setdefault(fold(name), thing.id)
    for thing in spec.things:
        found[fold(thing.id.replace("_", " "))] = thing.id
        for name in thing.names.values():
            found[fold(name)] = thing.id
    for region in spec.regions:
        for name in region.names.values():
            found.setdefault(fold(name), region.id)
    return found


def snapshot(state: State) -> dict[str, Any]:
    """Return the whole state as plain JSON values; the gate's ledger beside it."""
    return {"version": 1, "state": codec.encode(state), "gate": codec.encode(state.gate)}


def restore(saved: dict[str, Any], room: dict[str, Any], *, gate: Gate | None = None, heavy: bool = False) -> State:
    """Return the state of a snapshot. Give the running *gate* where what is used up must stay used up."""
    state = codec.decode(saved["state"])
    assert isinstance(state, State)
    spec = parse_room(room, library.table("world/kinds"))
    state.room.bind(
        spec, library.table("world/skills"), library.table("world/kinds"), needs=library.table("world/needs"), chance=state.chance
    )
    state._gate = codec.decode(saved["gate"]) if gate is None else gate
    state._heavy = heavy
    furnish(state, spec)
    return state
