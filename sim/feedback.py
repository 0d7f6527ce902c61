"""What the visitor is told of each intervention, and how an act enters: cleaned, read, written down.

Three separate fields: was it perceived, what stance was taken, did it really succeed. Refusing is not failing,
accepting is not success. Window, terminal and API show the same rows, computed here and kept in the log.
"""

from __future__ import annotations

from typing import Any

from interventions.contract import Intervention, Receipt
from interventions.intake import settle
from interventions.text import clean, theme_key
from sim.records import Records
from sim.state import ROW_ENDS, Row, State

CHANNEL_CONFIRM_TICKS_MS = 24 * 3_600_000


def hand_in(state: State, name: str, act: dict[str, Any], source: str) -> Intervention:
    """Return *act* as an intervention: its words cleaned, and read where its author did not say what they mean."""
    state.inputs_taken += 1
    due_ms = act.get("due_ms")
    found = Intervention(
        id=name, channel=act["channel"], tick=state.tick, ordinal=state.inputs_taken, source=source, op=act["op"],
        object=act.get("object", ""), target=act.get("target", ""), text=act.get("text", ""), mark=act.get("mark", ""),
        action=act.get("action", ""), due_tick=None if due_ms is None else state.tick + max(1, due_ms // state.tick_ms),
    )  # fmt: skip
    return settle(found, state._names, tick_ms=state.tick_ms)


def handed_in(
    names: dict[str, str], tick_ms: int, tick: int, name: str, channel: str, op: str, ordinal: int, **words: Any
) -> Intervention:
    """Return an act as it comes from outside at *tick*, for whoever stands above this floor and may not make one."""
    return settle(Intervention(name, channel, tick, ordinal, "api", op, **words), names, tick_ms=tick_ms)


def cleaned(text: str) -> str:
    """Return *text* as it enters a run."""
    return clean(text)


def note_feedback(state: State, log: Records, act: Intervention, receipt: Receipt) -> None:
    """Write an act and its receipt down, denied ones too, and open its row."""
    log.add(
        "input", act.id, channel=act.channel, op=act.op, source=act.source, ordinal=act.ordinal, object=act.object,
        target=act.target, text=act.text, mark=act.mark, action=act.action, due_tick=act.due_tick, themes=list(act.themes),
        data=act.data,
    )  # fmt: skip
    remaining = state.gate.remaining(act.channel, state.tick) if act.channel in state.gate.contracts else {}
    log.add("receipt", act.id, causes=[act.id], status=receipt.verdict, reason=receipt.reason, channel=act.channel, remaining=remaining)
    state.count("admitted" if receipt.accepted else "denied")
    if act.id not in state.rows:
        state.rows[act.id] = Row(act.id, act.channel, act.op, state.tick, receipt.verdict, receipt.reason)


def _row(state: State, log: Records, name: str) -> None:
    log.add("feedback", name, causes=[name], **state.rows[name].data())


def perceived(state: State, log: Records) -> None:
    """Mark the interventions of which something has now reached the resident."""
    for fact, name in list(state.causes.items()):
        origin = state.veil.origins.get(fact)
        if origin is None:
            if len(state.causes) > 400:
                del state.causes[fact]
            continue
        del state.causes[fact]
        state.origins[origin] = name
        row = state.rows[name]
        if row.perceived_tick < 0:
            row.perceived_tick = state.tick
            _row(state, log, name)


def stance_taken(state: State, log: Records, data: dict[str, Any]) -> None:
    """Take the resident's stance, and later the outcome of what it took on, into the rows it answers.

    A row that has ended stays as it ended: what is asked once more is another asking, with a row of its own.
    """
    origins = data.get("origins") or ([data["origin"]] if "origin" in data else [])
    for name in dict.fromkeys(state.origins[origin] for origin in origins if origin in state.origins):
        row = state.rows[name]
        if row.ended:
            continue
        before = row.data()
        row.stance, row.why = data["stance"], data.get("reason", "")
        if "outcome" in data:
            assert data["outcome"] in ROW_ENDS
            row.outcome = data["outcome"]
        elif row.stance == "accepted":
            row.outcome = "in_progress"
        if row.data() != before:
            _row(state, log, name)


def outcome(state: State, log: Records, name: str, how: str, reason: str) -> None:
    """Enter what really came of a bodily act."""
    row = state.rows.get(name)
    if row is not None:
        row.outcome, row.why = how, reason
        _row(state, log, name)


def boundary_drawn(state: State, key: str, stance: str) -> None:
    """Hand the resident's own boundary to the gate, so that the visitor is told of it."""
    channel, _, theme = key.partition("/")
    until = state.tick + CHANNEL_CONFIRM_TICKS_MS // state.tick_ms
    if theme and ":" in theme:
        action, _, ordinal = theme.partition(":")
        theme = theme_key(action, state.veil.world_id(int(ordinal)) if ordinal.isdigit() else "")
    state.gate.set_boundary(channel, stance, until, theme)
