"""Talk: what an utterance does to what lies open between two people, counter-offers, favours asked, and endings.

Words change stances, never the room. A yes to a counter-offer makes an obligation, a no ends the matter, a withdrawal
cancels by agreement, a goodbye ends the talk. The resident may ask for help with what it can't do itself; help,
refusal and silence are three different answers, and none but help teaches trust.
"""

from __future__ import annotations

from agent.acting import end, settle
from agent.appraisal import PERSON, remember
from agent.candidates import Candidate
from agent.commitments import Matter
from agent.favours import FAVOUR_MS, RECEIVE, coming_to_hand, moot
from agent.mind import Mind
from agent.needs import stir
from agent.percept import Percept
from agent.system2 import Favour, Talk
from agent.words import language_of, phrase, queue, say, tongue

MEANINGS = ("withdraw", "farewell", "insult", "no", "yes", "thanks")
SHORT = 60  # characters within which an answer, a thanks or an insult is taken for one
ANSWERS = ("no", "yes")  # they are the whole of an utterance, with what goes along with them
COURTESIES_GAP_MS = 10 * 60_000  # how long the same courtesy is not answered again; chosen


def meaning(mind: Mind, text: str) -> str:
    """Return what a short utterance says to what lies open: withdraw, farewell, no, yes, or nothing."""
    low = "".join(chr(ord(sign) + 32) if "A" <= sign <= "Z" else sign for sign in text)
    words = "".join(sign if "a" <= sign <= "z" else " " for sign in low).split()
    spaced = f" {' '.join(words)} "
    for name in MEANINGS:
        if name not in ("withdraw", "farewell") and len(text) > SHORT:
            continue
        if name in ANSWERS:
            if _answers(mind, name, low, spaced):
                return name
            continue
        for language in ("en", "zh"):
            for each in mind.phrases[language][f"hear_{name}"].split("|"):
                if f" {each} " in spaced if language == "en" else each in low:
                    return name
    return ""


def _answers(mind: Mind, name: str, low: str, spaced: str) -> bool:
    """Tell whether the whole utterance is that answer: "yes, the weather is lovely" agrees to nothing, nor does "yes?"."""
    if "?" in low or "？" in low:
        return False
    plain = "".join(sign for sign in low if sign.isalnum())
    for language, line in (("en", spaced[1:]), ("zh", plain)):
        end = " " if language == "en" else ""
        answers, beside = ([f"{each}{end}" for each in mind.phrases[language][f"{key}_{name}"].split("|")] for key in ("hear", "with"))
        before = [f"{each}{end}" for each in mind.phrases[language]["hear_before"].split("|") if name == "yes"]  # Oh no!
        if _made_of(line, before, answers, [*answers, *beside]):
            return True
    return False


def _made_of(line: str, before: list[str], first: list[str], more: list[str]) -> bool:
    """Tell whether *line* is any of *before*, then one of *first*, then any of *more*, to its end."""
    opened, answered = {0}, {-1}
    for at in range(len(line)):
        if at in opened:
            opened |= {at + len(each) for each in before if line.startswith(each, at)}
            answered |= {at + len(each) for each in first if line.startswith(each, at)}
        if at in answered:
            answered |= {at + len(each) for each in more if line.startswith(each, at)}
    return len(line) in answered


def heard(mind: Mind, percept: Percept) -> str | None:
    """Take what an utterance says to what lies open; return a wake, or None if it says nothing to it."""
    speaker, text = percept.doer, str(percept.data["text"])
    talk = mind.sys2.talks.setdefault(speaker, Talk(speaker))
    came = max((each.tick for each in mind.memory.of_action("came", 3) if speaker in each.persons), default=0)
    if talk.begun_tick < came or not talk.turns:
        talk.begun_tick = mind.tick
    talk.turns, talk.last_tick, talk.language = talk.turns + 1, mind.tick, language_of(text, talk.language)
    said = meaning(mind, text)
    if said != "farewell" and talk.ended_tick >= 0:
        talk.ended_tick, talk.ended_by = -1, ""
    if said == "withdraw":
        return _withdrawn(mind, speaker, text, percept.origin, int(percept.data.get("target") or 0))
    if said == "farewell":
        return _ended(mind, talk, text)
    if said in ("thanks", "insult") and percept.data["mark"] == "plain":
        return _courtesy(mind, speaker, said, text, percept.origin)
    if said not in ANSWERS:
        return None
    # It answers what was put to them last.
    # What was promised can be taken back; to promise it once more gives no more time for it.
    answerable = ("open", "promised") if said == "no" else ("open",)
    favour = next((each for each in mind.sys2.favours if each.person == speaker and each.state in answerable), None)
    offered = [each for each in mind.matters.values() if each.speaker == speaker and each.stance == "negotiating" and each.offer]
    matter = max(offered, key=lambda each: each.answered_tick, default=None)
    if matter is not None and (favour is None or favour.asked_tick < matter.answered_tick):
        return _agreed(mind, matter, said, text, percept.origin)
    return None if favour is None else _answered(mind, favour, said, text, percept.origin)


def _withdrawn(mind: Mind, speaker: int, text: str, origin: int, target: int) -> str | None:
    """End the newest thing this person has asked for, of those about *target* if it is named: by agreement, so nobody has failed."""
    about = [each for each in mind.matters.values() if each.speaker == speaker and each.target == target]
    for matter in reversed(about if target and about else list(mind.matters.values())):
        if matter.speaker == speaker and matter.stance in ("considering", "negotiating", "postponed", "accepted"):
            kept = mind.commitments.get(matter.commitment)
            if matter.stance == "accepted" and kept is None:
                continue
            matter.stance, matter.reason, matter.answered_tick = "ended", "withdrawn", mind.tick
            matter.version += 1
            if kept is not None:
                # What was under way is called off; the words that call it off had no outcome to wait for.
                called_off = list(matter.origins)
                mind.note("matter", matter.id, stance="ended", outcome="cancelled", reason="withdrawn", origins=called_off)
                end(mind, kept, "cancelled", "withdrawn")
            mind.note("matter", matter.id, stance="ended", reason="withdrawn", origins=[*matter.origins, origin])
            say(mind, speaker, "acknowledged", text, matter=matter.id, stance="ended")
            return "withdrawn"
    return None


def _ended(mind: Mind, talk: Talk, text: str) -> str:
    """End the talk: a goodbye for a goodbye, once; open negotiations end with it."""
    if talk.ended_tick < 0:
        say(mind, talk.person, "farewell", text)
    talk.ended_tick, talk.ended_by = mind.tick, "other"
    for matter in mind.matters.values():
        if matter.speaker == talk.person and matter.stance == "negotiating":
            matter.stance, matter.reason = "ended", "talk_ended"
            matter.version += 1
            mind.note("matter", matter.id, stance="ended", reason="talk_ended", origins=list(matter.origins))
    current = mind.intention()
    if current is not None and current.task == "talk_with_visitor":
        end(mind, current, "cancelled", "talk_ended")
    return "talk_ended"


def _courtesy(mind: Mind, person: int, said: str, text: str, origin: int) -> str:
    """Take thanks or an insult: felt, answered once in a while, remembered as words; it moves no trust and no matter."""
    stir(mind, mind.tick, 40 if said == "thanks" else -80, 20 if said == "thanks" else 100)
    lately = any(each.action == said and mind.tick - each.tick < mind.ticks(COURTESIES_GAP_MS) for each in mind.memory.of_action(said, 1))
    if not lately:
        say(mind, person, {"thanks": "welcome", "insult": "hurt"}[said], text)
        remember(mind, "speech", said, "heard", 600 if said == "thanks" else 350, 250, origin, "sound", (), (person,))
    return "speech"


def _agreed(mind: Mind, matter: Matter, said: str, text: str, origin: int) -> str:
    """Take a yes or a no to a counter-offer."""
    matter.origins.append(origin)
    if said == "no":
        matter.stance, matter.reason, matter.answered_tick, matter.offer = "ended", "offer_declined", mind.tick, {}
        matter.version += 1
        mind.note("matter", matter.id, stance="ended", reason="offer_declined", origins=list(matter.origins))
        say(mind, matter.speaker, "ended", text, matter=matter.id, stance="ended")
        return "offer_declined"
    offer, matter.offer = matter.offer, {}
    if offer["due_tick"] > mind.tick:
        # Agreed on a time: it comes back then, as a thing already agreed.
        matter.stance, matter.reason, matter.answered_tick, matter.due_tick = "postponed", "agreed_time", mind.tick, offer["due_tick"]
        matter.version += 1
        mind.note("matter", matter.id, stance="postponed", reason="agreed_time", due=matter.due_tick, origins=list(matter.origins))
        say(mind, matter.speaker, "agreed", text, matter=matter.id, stance="postponed")
        return "offer_taken"
    choice = Candidate("offer", "person", "accept", offer["task"], dict(offer["roles"]), matter=matter.id, person=matter.speaker)
    settle(mind, matter, "accept", choice)
    return "taken_on"


# --- favours ------------------------------------------------------------------------------------------------------


def _answered(mind: Mind, favour: Favour, said: str, text: str, origin: int) -> str:
    if said == "yes":
        favour.state = "promised"
        favour.due_tick = mind.tick + mind.ticks(FAVOUR_MS)
        mind.note("favour", "", state="promised", action=favour.action, target=favour.target, person=favour.person, due=favour.due_tick)
        return "favour_promised"
    _close(mind, favour, "refused", 480, origin)
    say(mind, favour.person, "never_mind", text)
    return "favour_refused"


def _close(mind: Mind, favour: Favour, state: str, reward: int, origin: int) -> None:
    favour.state = state
    remember(mind, "help", favour.action, state, reward, 350, origin, "own", (favour.target,), (favour.person,))
    mind.note("favour", "", state=state, action=favour.action, target=favour.target, person=favour.person)
    if favour.action == "give":
        _wait_no_more(mind, "done" if state == "done" else "cancelled")


def _wait_no_more(mind: Mind, how: str) -> bool:
    """End the waiting for what was promised, if there is any; where nothing came nobody's hands failed, and nothing is learned."""
    waiting = next((each for each in mind.open_commitments() if each.task == RECEIVE), None)
    if waiting is not None:
        end(mind, waiting, how)
    return waiting is not None


def helped(mind: Mind, doer: int, action: str, things: tuple[int, ...], origin: int) -> str:
    """Take an act of another as the favour asked for, if it is one; help is thanked for and remembered."""
    for favour in mind.sys2.favours:
        same = favour.action == action and favour.target in things and favour.person == doer
        if same and favour.state in ("open", "promised"):
            _close(mind, favour, "done", 650, favour.origin)
            stir(mind, mind.tick, 60, 20)
            if mind.teach(favour.origin, PERSON):
                relation = mind.relations.person(doer)
                relation.learn("requests", mind.params.trust_gain)
                mind.note("relation", f"person-{doer}", domain="requests", row=list(relation.row()), origin=origin)
            language = tongue(mind, doer)
            queue(mind, doer, "thanks", phrase(mind, language, "thanks"), language)
            return "favour_done"
    return ""


def due(mind: Mind) -> list[str]:
    """Let silence be an answer, and let what was put off until something was done come back when it is."""
    wakes = []
    for favour in mind.sys2.favours:
        if favour.state in ("open", "promised") and moot(mind, favour):
            # It is no longer theirs to do; whoever laid the thing down has neither helped nor been silent.
            _close(mind, favour, "moot", 500, favour.origin)
            wakes.append("favour_off")
        elif favour.state in ("open", "promised") and favour.due_tick <= mind.tick:
            # Nobody owes an answer: silence teaches nothing about the person.
            _close(mind, favour, "silence" if favour.state == "open" else "not_done", 500, favour.origin)
            wakes.append("favour_silence")
    if coming_to_hand(mind) is None and _wait_no_more(mind, "cancelled"):
        wakes.append("favour_off")
    for matter in mind.matters.values():
        if matter.stance == "postponed" and matter.after.startswith("com-") and matter.after not in mind.commitments:
            matter.due_tick, matter.after = mind.tick, ""
    return wakes


def next_due(mind: Mind) -> int:
    """Return the next tick at which silence becomes an answer, or at which a condition is found to be met."""
    ticks = [each.due_tick for each in mind.sys2.favours if each.state in ("open", "promised")]
    met = any(
        each.stance == "postponed" and each.after.startswith("com-") and each.after not in mind.commitments
        for each in mind.matters.values()
    )
    return min([*ticks, mind.tick + 1] if met else ticks, default=1 << 60)
