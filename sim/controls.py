"""System control: stop, pause, resume, save. A freeze changes nothing of the resident's, and passes for nothing of its doing.

A pause takes no simulated time. With nobody at the window, the next declared system act follows at once, since
nothing else could end the pause.
"""

from __future__ import annotations

from interventions.contract import Intervention
from sim.feedback import hand_in, note_feedback
from sim.records import Records
from sim.state import State


def control(state: State, log: Records, acts: list[Intervention]) -> bool:
    """Apply the admitted system acts in order; return False if the tick ends here."""
    waiting = list(acts)
    while waiting or state.paused:
        if not waiting:
            following = state.script.next_control()
            if following is None:
                return False
            act = hand_in(state, following[0], following[1], "script")
            receipt = state.gate.admit(state.tick, act)
            note_feedback(state, log, act, receipt)
            if not receipt.accepted:
                continue
            waiting.append(act)
        act = waiting.pop(0)
        _apply(state, log, act)
        if state.stopped:
            return False
    return True


def _apply(state: State, log: Records, act: Intervention) -> None:
    if act.op == "pause":
        state.paused = True
    elif act.op == "resume":
        state.paused = False
    elif act.op == "safe_stop":
        state.stopped = "stopped"
        state.slot.cancel("stopped")
    elif act.op in ("save", "restore"):
        state._shell.append((act.op, act.id))
        if act.op == "restore":
            state.stopped = "restored"
            state.slot.cancel("restored")
    row = state.rows[act.id]
    row.outcome = "done"
    log.add("control", act.id, causes=[act.id], op=act.op, digest=state.digest())
    log.add("feedback", act.id, causes=[act.id], **row.data())
