"""What the resident says without a model: a short neutral phrase, in the speaker's language."""

from __future__ import annotations

from agent.matters import Offer
from agent.mind import Mind
from agent.skill import Command


def language_of(text: str, default: str) -> str:
    """Return zh if *text* holds a Han character, en if it holds a Latin letter, else *default*."""
    if any("\u4e00" <= sign <= "\u9fff" for sign in text):
        return "zh"
    return "en" if any("a" <= sign <= "z" or "A" <= sign <= "Z" for sign in text) else default


def phrase(mind: Mind, language: str, key: str, minutes: int = 0) -> str:
    """Return the phrase *key* in *language*."""
    return mind.phrases[language][key].replace("{minutes}", str(minutes))


def say(mind: Mind, person: int, key: str, text: str, *, matter: str = "", stance: str = "", minutes: int = 0) -> None:
    """Queue one utterance to *person*, said at the next pausing point; *text* is what is answered (for its language)."""
    language = language_of(text, mind.persona["language"])
    queue(mind, person, key, phrase(mind, language, key, minutes), language, heard=text, matter=matter, stance=stance)


def queue(
    mind: Mind, person: int, key: str, text: str, language: str, *, heard: str = "", matter: str = "", stance: str = ""
) -> None:
    """Queue *text* as it is; `id`, `key`, `heard` and `worded` stay in the queue, for whoever may word it better."""
    words = {
        "text": text, "language": language, "stance": stance, "matter": matter, "id": mind.mint("utt"), "key": key, "heard": heard,
        "worded": "",
    }  # fmt: skip
    mind.interludes.append(Command("", "speak", (("person", person),), 0, words))


def offer_words(mind: Mind, offer: Offer, language: str) -> str:
    """Return a counter-offer in words: what one could do instead, or when."""
    if offer.due_tick > mind.tick:
        minutes = max(1, (offer.due_tick - mind.tick) * mind.tick_ms // 60_000)
        return phrase(mind, language, "offer_time", minutes)
    named = mind.phrases[language].get(f"do_{offer.task}", mind.phrases[language]["do_other"])
    thing = mind.name_of(next((each for each in offer.roles.values() if each not in mind.present), 0), language)
    return phrase(mind, language, "offer_other").replace("{what}", named.replace("{thing}", thing))
