"""The first state of a run, from an effective declaration; and a state back from its snapshot."""

from __future__ import annotations

from typing import Any

from agent.breaker import Budget
from agent.mind import Mind
from agent.params import Params
from agent.prompt import LANGUAGES, secrets
from agent.slot import Slot
from interventions.gate import Gate
from interventions.text import fold
from protocols.contracts import contracts, ticks
from sim import codec, library
from sim.chance import Chance
from sim.declare import Declared, added_skills
from sim.gateway_provider import load_wording, types_asked
from sim.script import Entry, Script
from sim.state import State
from sim.veil import Veil
from world.room import Room
from world.spec import RoomError, RoomSpec, parse_room

MODEL_KEYS = ("provider", "latency_ms", "latency_spread_ms", "deadline_ms", "budget_requests", "budget_tokens")


def build(declared: Declared, *, heavy: bool = False) -> State:
    """Return the state before tick 0 of a declared run. *heavy* writes a digest at every active tick."""
    form, persona = declared.declaration, declared.persona
    if form.get("contents", {}).get("skills") != added_skills().get("skills"):
        raise RoomError(
            "declaration", "it was made with other registered skills than are here", "register the same skills, by the same names"
        )
    spec = parse_room(declared.room, library.table("world/kinds"))
    chance = Chance(declared.seed)
    truth = Room.build(
        spec, library.table("world/skills"), library.table("world/kinds"), needs=library.table("world/needs"),
        tick_ms=declared.tick_ms, start_ms=form["start_ms"], chance=chance, rates=persona["need_rates"],
    )  # fmt: skip
    mind = Mind(persona, declared.tick_ms, settings=dict(form["mind"]))
    model = {key: form["model"][key] for key in MODEL_KEYS}
    model["types"] = list(types_asked(form["model"]))
    slot = Slot(budget=Budget(calls_max=model["budget_requests"], tokens_max=model["budget_tokens"]))
    script = Script(entries(form))
    state = State(
        declared.seed, declared.tick_ms, declared.end_tick, chance, truth, mind, Veil(), slot, script, model,
        live=form["pace"] == "live", stop_rules=list(form["stop"]),
    )  # fmt: skip
    state._gate = Gate.build(contracts(form), declared.mode)
    state._heavy = heavy
    furnish(state, spec)
    return state


def entries(form: dict[str, Any]) -> list[Entry]:
    """Return the declared schedule as the script's entries, times in ticks, rounded up: nothing happens before its time."""
    found = []
    for each in form["schedule"]:
        act = {key: each[key] for key in ("channel", "op", "object", "target", "text", "mark", "action", "due_ms")}
        repeat, when = each["repeat"], each["when"]
        entry = Entry(each["id"], -1 if each["at_ms"] is None else ticks(form, each["at_ms"]), act)
        if repeat:
            entry.left, entry.every_ticks = repeat["times"], ticks(form, repeat["every_ms"])
        if when:
            entry.event, entry.subject = when["event"], when["subject"]
            entry.after_tick = ticks(form, when["after_ms"])
            entry.delay_ticks = ticks(form, when["delay_ms"] or 0)
            if when["within_ms"] is not None:
                entry.until_tick = entry.after_tick + ticks(form, when["within_ms"])
        found.append(entry)
    return found


def furnish(state: State, spec: RoomSpec) -> None:
    """Hand the fixed tables to mind and shell: they are no state."""
    params = Params(**state.mind.settings.get("params", {}))
    state.mind.furnish(library.book(), params, spec.width, library.table("agent/phrases"), library.kind_names())
    state._names = names_in(spec)
    state._secrets = tuple(piece for language in LANGUAGES for piece in secrets(load_wording(language)))


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
