"""Asking somebody for a favour: the one thing the resident puts to another person of its own accord."""

from __future__ import annotations

from agent.mind import Mind
from agent.needs import hurts
from agent.planning import jammed
from agent.system2 import Favour
from agent.words import phrase, queue, tongue

FAVOUR_MS = 120_000  # how long an asked favour waits for an answer; chosen
FAVOUR_GAP_MS = 2 * 3_600_000  # how long the same favour is not asked again; chosen
FAVOUR_DOUBLINGS = 6  # how often that time doubles while nothing comes of it: to five days at most; chosen
FAVOURS_KEPT = 200
RECEIVE = "receive_it"  # the task of waiting for what was promised
GIVING = ("bring", "give", "take")


def favours_wanted(mind: Mind) -> list[tuple[str, int, int]]:
    """Return what the resident could ask whom in hearing to do: free what is stuck, give back what they hold."""
    found: list[tuple[str, int, int]] = []
    for ordinal, thing in mind.beliefs.things.items():
        if "jammed" in thing.props and jammed(mind, ordinal):
            found += [("open", ordinal, person) for person in mind.hearing[:1]]
        elif thing.relation != "held":
            continue
        elif thing.place in mind.present and thing.place in mind.hearing and thing.home and ordinal not in mind.holding:
            found.append(("give", ordinal, thing.place))
    gap = mind.ticks(FAVOUR_GAP_MS)
    # What was just given on request is not asked back at once.
    given = [
        each.target for each in mind.matters.values()
        if each.stance == "accepted" and each.action in GIVING and mind.tick - max(each.answered_tick, each.due_tick) < gap
    ]  # fmt: skip
    # Nor what they have said they will see to: their word stands until its time is over.
    promised = [(each.target, each.speaker) for each in mind.promises if each.state == "open"]
    return [
        each for each in found
        if not _too_soon(mind, each) and not (each[0] == "give" and (each[1] in given or (each[1], each[2]) in promised))
    ]  # fmt: skip


def _too_soon(mind: Mind, wanted: tuple[str, int, int]) -> bool:
    """Return whether this person was asked for this too lately; each time that came to nothing in a row doubles the time."""
    last, vain = -1, 0
    for favour in mind.sys2.favours:
        if favour.key == wanted:
            last, vain = favour.asked_tick, 0 if favour.state in ("done", "moot") else vain + 1
    return last >= 0 and mind.tick - last < mind.ticks(FAVOUR_GAP_MS) << min(FAVOUR_DOUBLINGS, max(0, vain - 1))


def moot(mind: Mind, favour: Favour) -> bool:
    """Return whether what was asked for is seen to need nobody any more: the thing laid down elsewhere, or no longer stuck."""
    thing = mind.beliefs.things[favour.target]
    if favour.action == "give":
        return thing.relation in ("in", "on", "at") or favour.target in mind.holding
    return "jammed" in thing.props and not jammed(mind, favour.target)


def coming_to_hand(mind: Mind) -> Favour | None:
    """Return the promise to give something that can still be kept, and is worth waiting for; None if there is none.

    The promiser has to be here with the thing in hand, and nothing may press: a body that needs something does not wait.
    """
    if mind.posture == "asleep" or hurts(mind) or min(mind.felt) < mind.params.urgent:
        return None
    for favour in mind.sys2.favours:
        if favour.state == "promised" and favour.action == "give" and favour.person in mind.present:
            thing = mind.beliefs.things[favour.target]
            if thing.relation == "held" and thing.place == favour.person and favour.target not in mind.holding:
                return favour
    return None


def may_ask(mind: Mind) -> bool:
    """Return whether somebody is there to be asked, awake oneself, and no favour is open."""
    waiting = any(each.state in ("open", "promised") for each in mind.sys2.favours)
    return bool(mind.hearing) and any(each in mind.present for each in mind.hearing) and mind.posture != "asleep" and not waiting


def ask_favour(mind: Mind, person: int, action: str, target: int) -> None:
    """Ask *person* for a favour; from here on silence is an answer too."""
    language = tongue(mind, person)
    text = phrase(mind, language, f"ask_{action}").replace("{thing}", mind.name_of(target, language))
    favour = Favour(person, action, target, mind.tick, mind.tick + mind.ticks(FAVOUR_MS), mind.new_origin())
    # Of one favour the last few askings say how often it was in vain; other favours must not make one forget them.
    like = [each for each in mind.sys2.favours if each.key == favour.key][-FAVOUR_DOUBLINGS - 1 :]
    kept = [each for each in mind.sys2.favours if each.key != favour.key or each in like]
    mind.sys2.favours = [*kept[-FAVOURS_KEPT:], favour]
    mind.note("favour", "", state="open", action=action, target=target, person=person, due=favour.due_tick)
    queue(mind, person, f"ask_{action}", text, language)
