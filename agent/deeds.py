"""Deeds: committed choices that wait for what comes of them. Opened at the commit, closed by their outcome.

A choice to do a thing waits for the end of its commitment. A stance to a request waits for what was promised to be
done, and then, like every answer, a little while for how it is taken. What is replaced or cancelled teaches nothing.
"""

from __future__ import annotations

from agent import effort, intuition, scene
from agent.candidates import Candidate
from agent.favours import FAVOUR_MS
from agent.inner import Check, Deed
from agent.mind import Mind

DEEDS_MAX = 48
CHECKS_MAX = 6
VOID = ("replaced", "cancelled")
PRESSED, WELCOME = -150, 80  # what a repeated asking and a plain word take and give, of 1000; chosen


def keep_check(mind: Mind, check: Check) -> None:
    """Keep what a round found near, for the commit that follows it, at once or after a reply.

    What S4 or S5 sets aside would else never be used again, nor verified: it is verified on the uses it has.
    """
    for name, why in check.aside:
        one = mind.inner.library.get(name)
        if one is not None and why != "unsure" and one.since_verified >= mind.params.verify_least:
            intuition.verify(mind, one, "set_aside")
    mind.inner.checks = [*mind.inner.checks, check][-CHECKS_MAX:]


def open_deed(mind: Mind, choice: Candidate, decided_by: str, round_id: str) -> Deed | None:
    """Return the deed that begins with *choice*, seen from before it; None for what begins nothing new."""
    check = next((one for one in reversed(mind.inner.checks) if one.round == round_id), None)
    label = scene.label_of(mind, choice)
    if choice.act == "continue":
        known = any(one.commitment == choice.commitment and one.label == label for one in mind.inner.deeds)
        if check is None or known:
            return None
    around = "" if check is not None and choice.id in check.scenes else scene.surroundings(mind)
    key = check.scenes[choice.id] if check is not None and not around else scene.scene_of(mind, choice, around)
    mind.serials["deed"] = mind.serials.get("deed", 0) + 1
    return Deed(
        mind.serials["deed"], mind.tick, key, label, scene.vector(mind) if check is None else check.vector, decided_by, round_id,
        check is not None, choice.commitment, choice.matter if choice.act in scene.STANCES else "", choice.person, list(mind.felt),
        mind.busy(), check.fired if check is not None and decided_by == "sys1" else "",
        [name for name, candidate in check.shadows if candidate == choice.id] if check is not None else [],
    )  # fmt: skip


def begin_deed(mind: Mind, deed: Deed | None, choice: Candidate) -> None:
    """Take *deed* in, once *choice* is enacted: now it is known what it waits for."""
    if deed is None:
        return
    if choice.act == "accept":
        deed.commitment = mind.matters[choice.matter].commitment
    elif choice.act == "ask_help":
        deed.target, deed.outcome = next(iter(choice.roles.values()), 0), "silence"
        deed.due_tick = mind.tick + mind.ticks(FAVOUR_MS) + mind.ticks(mind.params.reaction_ms)
    elif deed.matter:
        deed.outcome, deed.due_tick = "let_be", mind.tick + mind.ticks(mind.params.reaction_ms)
    else:
        deed.commitment = choice.commitment or mind.current
    mind.inner.deeds.append(deed)
    if len(mind.inner.deeds) > DEEDS_MAX:
        mind.inner.deeds.pop(0)
    mind.inner.chain("deed", deed.serial, deed.pattern, deed.decided_by, deed.fired)


def commitment_of(mind: Mind, choice: Candidate) -> str:
    """Return the commitment that *choice*, once enacted, is a step of; "" for a stance or a favour asked, which are none's."""
    if choice.act == "accept":
        return mind.matters[choice.matter].commitment
    return "" if choice.act == "ask_help" or choice.act in scene.STANCES else choice.commitment or mind.current


def ended(mind: Mind, commitment: str, how: str) -> list[Deed]:
    """Return, and take out, the deeds that *commitment* ends; an answer that led to it waits on for its reaction."""
    found = [one for one in mind.inner.deeds if one.commitment == commitment]
    for deed in found:
        if deed.matter and how not in VOID:
            deed.outcome, deed.due_tick = how, mind.tick + mind.ticks(mind.params.reaction_ms)
        else:
            mind.inner.deeds.remove(deed)
            if how in VOID:
                mind.inner.chain("void", deed.serial)
                effort.forget(mind, deed.round)
    return [] if how in VOID else [one for one in found if not one.matter]


def heard(mind: Mind, speaker: int, mark: str, action: str, target: int) -> None:
    """Take what a person says as a reaction to the answers it was given of late."""
    for deed in mind.inner.deeds:
        if not deed.matter or deed.person != speaker:
            continue
        matter = mind.matters[deed.matter]
        if mark in ("request", "suggestion"):
            if (matter.action, matter.target) == (action, target):
                deed.reaction = max(-300, deed.reaction + PRESSED)
                deed.outcome = "pressed" if deed.outcome == "let_be" else deed.outcome
        else:
            deed.reaction = min(160, deed.reaction + WELCOME)


def lapsed(mind: Mind) -> list[Deed]:
    """Return, and take out, the stances whose time for a reaction is over."""
    found = [one for one in mind.inner.deeds if 0 <= one.due_tick <= mind.tick]
    for deed in found:
        mind.inner.deeds.remove(deed)
    return found


def next_due(mind: Mind) -> list[int]:
    """Return the ticks at which a stance lapses."""
    return [one.due_tick for one in mind.inner.deeds if one.due_tick >= 0]
