"""Asking somebody for a favour: the one thing the resident puts to another person of its own accord."""

from __future__ import annotations

from agent.mind import Mind
from agent.planning import jammed
from agent.system2 import Favour
from agent.words import phrase, queue

FAVOUR_MS = 120_000  # how long an asked favour waits for an answer; chosen
FAVOUR_GAP_MS = 2 * 3_600_000  # how long the same favour is not asked again; chosen
FAVOUR_DOUBLINGS = 6  # how often that time doubles while nothing comes of it: to five days at most; chosen
FAVOURS_KEPT = 20
GIVING = ("bring", "give", "take")


def favours_wanted(mind: Mind) -> list[tuple[str, int]]:
    """Return what the resident could ask somebody in hearing to do: free what is stuck, give back what they hold."""
    found: list[tuple[str, int]] = []
    for ordinal, thing in mind.beliefs.things.items():
        if "jammed" in thing.props and jammed(mind, ordinal):
            found.append(("open", ordinal))
        elif thing.relation != "held":
            continue
        elif thing.place in mind.present and thing.home and ordinal not in mind.holding:
            found.append(("give", ordinal))
    gap = mind.ticks(FAVOUR_GAP_MS)
    # What was just given on request is not asked back at once.
    given = [
        each.target for each in mind.matters.values()
        if each.stance == "accepted" and each.action in GIVING and mind.tick - max(each.answered_tick, each.due_tick) < gap
    ]  # fmt: skip
    listener = mind.hearing[0] if mind.hearing else 0
    return [each for each in found if not _too_soon(mind, listener, each) and not (each[0] == "give" and each[1] in given)]


def _too_soon(mind: Mind, person: int, wanted: tuple[str, int]) -> bool:
    """Return whether *person* was asked for this too lately; each time that came to nothing in a row doubles the time."""
    last, vain = -1, 0
    for favour in mind.sys2.favours:
        if (favour.person, favour.action, favour.target) == (person, *wanted):
            last, vain = favour.asked_tick, 0 if favour.state == "done" else vain + 1
    return last >= 0 and mind.tick - last < mind.ticks(FAVOUR_GAP_MS) << min(FAVOUR_DOUBLINGS, max(0, vain - 1))


def may_ask(mind: Mind) -> bool:
    """Return whether somebody is there to be asked, awake oneself, and no favour is open."""
    waiting = any(each.state in ("open", "promised") for each in mind.sys2.favours)
    return bool(mind.hearing) and any(each in mind.present for each in mind.hearing) and mind.posture != "asleep" and not waiting


def ask_favour(mind: Mind, person: int, action: str, target: int) -> None:
    """Ask *person* for a favour; from here on silence is an answer too."""
    language = str(mind.persona["language"])
    text = phrase(mind, language, f"ask_{action}").replace("{thing}", mind.name_of(target, language))
    favour = Favour(person, action, target, mind.tick, mind.tick + mind.ticks(FAVOUR_MS), mind.new_origin())
    mind.sys2.favours = [*mind.sys2.favours[-FAVOURS_KEPT:], favour]
    mind.note("favour", "", state="open", action=action, target=target, person=person, due=favour.due_tick)
    queue(mind, person, f"ask_{action}", text, language)
