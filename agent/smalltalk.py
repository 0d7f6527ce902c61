"""Small talk without a model: a greeting for a greeting, and to a question only what is true of oneself.

What the resident can tell is told from its own felt needs, its own clock and its own beliefs; everything else gets a brief
neutral answer, which claims nothing but that it was heard. A model may word each of these better (agent/ask_speak.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agent.appraisal import remember
from agent.commitments import ACTIVE
from agent.dialogue import COURTESIES_GAP_MS
from agent.mind import Mind
from agent.needs import INDEX, hurts, mood
from agent.params import HOUR_MS
from agent.percept import NEEDS, Percept
from agent.words import language_of, phrase, queue, tongue

MINUTE_MS = 60_000
EVEN = 60  # how far from rest a mood is still as usual, in thousandths; chosen
STATES = {"energy": ("energy", "rest"), "satiety": ("satiety",), "hydration": ("hydration",), "warmth": ("warmth",)} | {
    need: (need,) for need in ("social", "stimulation")
}
"""What one can be asked to be, by the need that tells it: tired, hungry, thirsty, cold, lonely, bored."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """What was said, prepared for listening: *line* is its words in small letters with a space around each (en), or its signs (zh)."""

    text: str
    language: str
    line: str
    target: int

    def has(self, mind: Mind, key: str) -> bool:
        """Return whether one of the phrases *key* stands in it."""
        return any(self.holds(each) for each in mind.phrases[self.language][key].split("|"))

    def holds(self, words: str) -> bool:
        """Return whether *words* stand in it."""
        return f" {words} " in self.line if self.language == "en" else words in self.line

    def follows(self, mind: Mind, key: str) -> list[str]:
        """Return what stands after each of the phrases *key* in it, without the little words between."""
        between = mind.phrases[self.language]["hear_between"].split("|")
        found = []
        for each in mind.phrases[self.language][key].split("|"):
            if self.holds(each):
                rest = self.line.partition(f" {each} ")[2].split()
                while rest and rest[0] in between:
                    rest = rest[1:]
                found.append(" ".join(rest))
        return found

    def begins(self, mind: Mind, key: str) -> str:
        """Return what follows one of the phrases *key* at its beginning, "-" if nothing does; "" if none stands there."""
        space = " " if self.language == "en" else ""
        for each in mind.phrases[self.language][key].split("|"):
            if self.line.startswith(f"{space}{each}{space}"):
                return self.line[len(each) + len(space) :].strip() or "-"
        return ""


def heard_as(mind: Mind, text: str, person: int, target: int) -> Sentence:
    """Return *text* prepared for listening."""
    language = language_of(text, tongue(mind, person))
    low = "".join(chr(ord(sign) + 32) if "A" <= sign <= "Z" else sign for sign in text)
    if language == "zh":
        return Sentence(text, language, "".join(sign for sign in low if sign.isalnum()), target)
    words = "".join(sign if "a" <= sign <= "z" else " " for sign in low).split()
    opening = mind.phrases["en"]["hear_opening"].split("|")
    while words and words[0] in opening:
        words = words[1:]
    return Sentence(text, language, f" {' '.join(words)} ", target)


def answer(mind: Mind, percept: Percept) -> None:
    """Answer a plain sentence: greet once at the beginning of a meeting, tell what was asked, or say that it was heard."""
    person, text = percept.doer, str(percept.data["text"])
    talk = mind.sys2.talks[person]
    said = heard_as(mind, text, person, int(percept.data.get("target") or 0))
    found = _told(mind, said, person)
    first = talk.begun_tick == mind.tick
    if first or _greets(mind, said):
        greeted = _greet(mind, percept, said, found)
        if greeted or not found:
            return
    if not found:
        # The same said again is not worth the same answer again.
        if talk.plain == text and mind.tick - talk.plain_tick < mind.ticks(COURTESIES_GAP_MS):
            return
        talk.plain, talk.plain_tick = text, mind.tick
        found = phrase(mind, said.language, "heard")
    queue(mind, person, "answer", found, said.language, heard=text)


def tell(mind: Mind, percept: Percept) -> None:
    """Tell what is asked for in words of a request ("Could you tell me the time?"), if one knows it; the request stands beside that."""
    said = heard_as(mind, str(percept.data["text"]), percept.doer, int(percept.data.get("target") or 0))
    found = next((words for of in (_time, _how, _state) if (words := of(mind, said, percept.doer))), "")
    if found:
        queue(mind, percept.doer, "answer", found, said.language, heard=said.text)


def greeted_back(mind: Mind, percept: Percept) -> bool:
    """Greet, if the words are a greeting beside what else they say; return whether that was done."""
    said = heard_as(mind, str(percept.data["text"]), percept.doer, 0)
    return _greets(mind, said) and _greet(mind, percept, said, "")


def heard_in(mind: Mind, text: str, target: int = 0) -> str:
    """Return what small talk hears in *text*: greeting, or what is asked for (time, where, how, state, stop); "" for nothing."""
    said = heard_as(mind, text, 0, target)
    asked = next((of.__name__.strip("_") for of in ANSWERS if of(mind, said, 0)), "")
    return asked or ("greeting" if _greets(mind, said) else "")


def _greets(mind: Mind, said: Sentence) -> bool:
    return bool(said.begins(mind, "hear_greeting"))


def _greet(mind: Mind, percept: Percept, said: Sentence, more: str) -> bool:
    """Greet, and say *more* with it, unless that was done a little while ago."""
    gap = mind.ticks(COURTESIES_GAP_MS)
    begun = mind.sys2.talks[percept.doer].begun_tick == mind.tick
    if not begun and any(each.action == "greeted" and mind.tick - each.tick < gap for each in mind.memory.of_action("greeted", 1)):
        return False
    hello = phrase(mind, said.language, "greeting")
    words = f"{hello} {more}" if said.language == "en" else hello + more
    queue(mind, percept.doer, "greeting", words.strip(), said.language, heard=said.text)
    remember(mind, "speech", "greeted", "heard", 550, 200, percept.origin, "sound", (), (percept.doer,))
    return True


def _told(mind: Mind, said: Sentence, person: int) -> str:
    """Return the answer to what is asked, or "" for what is no question one can answer."""
    return next((words for of in ANSWERS if (words := of(mind, said, person))), "")


def _time(mind: Mind, said: Sentence, _: int) -> str:
    if not said.has(mind, "hear_time"):
        return ""
    now = f"{mind.clock_ms // HOUR_MS % 24}:{mind.clock_ms // MINUTE_MS % 60:02}"
    return phrase(mind, said.language, "tell_time").replace("{time}", now)


def _how(mind: Mind, said: Sentence, _: int) -> str:
    """Tell how one is: what hurts, or what the body misses most, if it misses anything."""
    tails = said.follows(mind, "hear_how") if said.language == "en" else [""] * said.has(mind, "hear_how")
    if "" not in tails:
        return ""
    if hurts(mind):
        return phrase(mind, said.language, "am_hurt")
    lowest = min(NEEDS, key=lambda need: mind.felt[INDEX[need]])
    level = mind.felt[INDEX[lowest]]
    if level >= mind.params.low:
        return phrase(mind, said.language, "am_well")
    if lowest in ("bladder", "hygiene"):
        return phrase(mind, said.language, f"am_{lowest}")
    return _degree(mind, said.language, "energy" if lowest == "rest" else lowest, level)


def _state(mind: Mind, said: Sentence, _: int) -> str:
    """Tell whether one is tired, hungry, cold and the like, or in good spirits."""
    for state, needs in STATES.items():
        if _asked_to_be(mind, said, state):
            return _degree(mind, said.language, state, min(mind.felt[INDEX[need]] for need in needs))
    if _asked_to_be(mind, said, "pain"):
        return phrase(mind, said.language, "am_hurt" if hurts(mind) else "am_not_hurt")
    if _asked_to_be(mind, said, "mood"):
        pleasure, _ = mood(mind, mind.tick)
        key = "mood_good" if pleasure > 500 + EVEN else "mood_low" if pleasure < 500 - EVEN else "mood_even"
        return phrase(mind, said.language, key)
    return ""


def _asked_to_be(mind: Mind, said: Sentence, state: str) -> bool:
    """Return whether it is asked if one is in that state: "are you cold", not "are you going to eat it cold"."""
    words = mind.phrases[said.language][f"hear_{state}"].split("|")
    if said.language == "zh":
        return said.has(mind, "hear_are_you") and any(said.holds(each) for each in words)
    return any(f"{rest} ".startswith(f"{each} ") for rest in said.follows(mind, "hear_are_you") for each in words)


def _degree(mind: Mind, language: str, state: str, level: int) -> str:
    params = mind.params
    key = "am_not" if level >= params.comfortable else "am_very" if level < params.urgent else "am_little"
    return phrase(mind, language, key).replace("{state}", phrase(mind, language, f"state_{state}"))


def _where(mind: Mind, said: Sentence, person: int) -> str:
    """Tell where one believes a thing to be."""
    if not said.has(mind, "hear_where"):
        return ""
    language = said.language
    thing = mind.thing(said.target) or mind.thing(_named(mind, said))
    if thing is None:
        return phrase(mind, language, "where_unknown") if said.has(mind, "hear_where_thing") else ""
    place, key = mind.name_of(thing.place, language), f"where_{thing.relation}"
    if thing.ordinal in mind.holding:
        key = "where_mine"
    elif not mind.has_tag(thing.ordinal, "portable"):
        key = "where_fixed" if mind.place_cell(thing.ordinal) >= 0 else "where_not_known"
    elif thing.relation == "held":
        key = "where_yours" if thing.place == person else "where_not_known"
    elif thing.relation not in ("in", "on", "at") or (thing.relation != "at" and not place):
        key = "where_not_known"
    words = phrase(mind, language, key)
    return words.replace("{thing}", mind.name_of(thing.ordinal, language)).replace("{place}", place)


def _named(mind: Mind, said: Sentence) -> int:
    """Return the known thing that is named in the sentence, the longest name first; 0 for none."""
    named = [(len(name), -each, each) for each in mind.beliefs.things if (name := mind.name_of(each, said.language)) and said.holds(name)]
    return max(named, default=(0, 0, 0))[2]


def _stop(mind: Mind, said: Sentence, _: int) -> str:
    """Answer who wants something stopped or left undone: that it was heard, and, of what one is doing, that one would go on.

    Words do not end an intention: it would be taken up again at once, and "I stop" would not have been true.
    """
    rest = said.begins(mind, "hear_stop")
    if not rest and not said.begins(mind, "hear_dont"):
        return ""
    current = mind.intention()
    meant = rest and current is not None and current.state == ACTIVE and _meant(mind, said, rest, current.task)
    return phrase(mind, said.language, "going_on" if meant else "heard")


def _meant(mind: Mind, said: Sentence, rest: str, task: str) -> bool:
    """Return whether what is to be stopped is what one does: nothing more was said, or its name."""
    if rest in mind.phrases[said.language]["hear_stop_it"].split("|"):
        return True
    return any(said.holds(word) for word in mind.phrases[said.language].get(f"doing_{mind.task(task).group}", "").split("|") if word)


ANSWERS: tuple[Callable[[Mind, Sentence, int], str], ...] = (_stop, _time, _where, _how, _state)
