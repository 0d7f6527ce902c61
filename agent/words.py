"""What the resident says without a model: a short neutral phrase, in the speaker's language."""

from __future__ import annotations

from agent.commitments import Matter
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


def tongue(mind: Mind, person: int) -> str:
    """Return the language that *person* spoke last; one's own if nothing was heard from them."""
    talk = mind.sys2.talks.get(person)
    return talk.language if talk is not None and talk.language else str(mind.persona["language"])


def say(
    mind: Mind, person: int, key: str, text: str, *, matter: str = "", stance: str = "", minutes: int = 0, about: Matter | None = None
) -> None:
    """Queue one utterance to *person*, said at the next pausing point; *text* is what is answered (for its language).

    *about* is the matter to be named with it, where it would not be clear which one is meant.
    """
    language = language_of(text, tongue(mind, person))
    words = phrase(mind, language, key, minutes)
    queue(
        mind, person, key, words if about is None else naming(mind, about, language, words), language, heard=text, matter=matter,
        stance=stance,
    )  # fmt: skip


def naming(mind: Mind, matter: Matter, language: str, words: str) -> str:
    """Return *words* with what *matter* is about before them, unless they name it themselves."""
    thing = mind.name_of(matter.target, language)
    about = phrase(mind, language, "about" if thing else "about_asked").replace("{thing}", thing)
    return words if words.startswith(about) or (thing and thing in words) else about + words


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
