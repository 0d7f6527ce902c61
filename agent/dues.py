"""What the mind does when its time has come: matters that come back, promises past their time, moments agreed on.

By rule, without a round; whatever here deserves one is returned as a wake condition. `next_due` tells the loop how far it
may jump.
"""

from __future__ import annotations

from agent import absorb, deeds, dialogue, reflection, waits
from agent.acting import end
from agent.appraisal import close_stances
from agent.commitments import Matter
from agent.matters import task_for
from agent.mind import Mind
from agent.params import HOUR_MS
from agent.planning import AWAY, absent

OVERDUE_MS = 4 * HOUR_MS  # past its time by this, what was promised is given up; chosen


def due(mind: Mind) -> list[str]:
    """Do what its time has come for, by rule; return the wake conditions met."""
    from_acting = dialogue.due(mind)
    for matter in list(mind.matters.values()):
        if matter.stance == "postponed" and matter.due_tick <= mind.tick:
            if _asker_away(mind, matter):
                continue
            # It comes back, as said.
            matter.stance, matter.asked_tick, matter.due_tick = "considering", mind.tick, 0
            matter.version += 1
            mind.note("matter", matter.id, stance="considering", reason="came_back", origins=list(matter.origins))
            from_acting.append("request")
        elif matter.stance == "negotiating" and matter.due_tick <= mind.tick:
            matter.stance, matter.reason = "ended", "no_answer"
            matter.version += 1
            mind.note("matter", matter.id, stance="ended", reason="no_answer", origins=list(matter.origins))
    for commitment in mind.open_commitments():
        overdue = commitment.kind == "obligation" and mind.tick - commitment.due_tick > mind.ticks(OVERDUE_MS)
        away = absent(mind, mind.task(commitment.task), commitment.roles)
        if overdue and commitment.due_tick:
            end(mind, commitment, "given_up", AWAY if away else "overdue")
            from_acting.append("given_up")
        elif commitment.state == "paused" and not away and mind.tick - commitment.hold_tick > mind.ticks(3 * HOUR_MS):
            end(mind, commitment, "given_up", "not_taken_up_again")
    from_acting += waits.due(mind)
    absorb.break_promises(mind)
    close_stances(mind)
    reflection.if_due(mind)
    for voice in mind.voices.values():
        if voice.state == "unresolved" and mind.tick - voice.last_tick > mind.ticks(mind.params.voice_theme_gap_ms):
            voice.state = "expired"
            mind.note("feedback", "", origin=voice.origin, stance="ended", theme=voice.key)
    return from_acting


def _asker_away(mind: Mind, matter: Matter) -> bool:
    """Put off further what needs its asker, while they are away; what has waited too long for them is ended openly."""
    task = mind.known_task(task_for(mind, matter)[0])
    if task is None or not absent(mind, task, {"person": matter.speaker}):
        return False
    if mind.tick - matter.answered_tick > mind.ticks(OVERDUE_MS):
        matter.stance, matter.reason = "ended", "speaker_left"
        mind.note("matter", matter.id, stance="ended", reason="speaker_left", origins=list(matter.origins))
    else:
        matter.due_tick = mind.tick + mind.ticks(mind.params.postpone_ms)
    matter.version += 1
    return True


def next_due(mind: Mind) -> int:
    """Return the next tick at which the mind itself has something due."""
    ticks = [mind.next_look_tick] if mind.next_look_tick else []
    for matter in mind.matters.values():
        if matter.open:
            ticks.append(matter.asked_tick + mind.ticks(mind.params.answer_within_ms))
        elif matter.stance in ("postponed", "negotiating"):
            ticks.append(matter.due_tick)
    ticks.extend(promise.due_tick for promise in mind.promises)
    ticks += [*deeds.next_due(mind), *waits.next_due(mind), *reflection.next_due(mind)]
    ticks.append(dialogue.next_due(mind))
    return max(mind.tick + 1, min(ticks)) if ticks else 1 << 60
