"""Reads what an utterance is about: its kind, an action of the closed list, a thing, whose action, by when.

Theory of operation
===================
The text is reduced to its skeleton and scanned once, left to right; at each place the longest known entry counts.
English entries match whole words, Chinese ones anywhere. That gives a row of hits. Each action is paired with the
things that follow it before the next action, or with those before it where none follows (把窗户打开). The first
pair is the reading; *all* pairs are themes, so that a decoy in front hides nothing.

A clause that puts the thing off ("when you have eaten") names another doing; it is a condition and no wish. A wish bound to
what can't be waited for is a request that can't be read (moments.py); what is to be left as it is asks for nothing (unasked.py).

What has several clauses is also read clause by clause: the one that bids most is the wish, the others are its grounds
("it is stuffy, open the window"). How a Chinese clause is built counts before its cues (interventions/chinese.py).

The kind is told by cues, in a fixed order: thanks, suggestion, request, promise, command, question, statement. It is a
reader of plain everyday sentences, not of language. What it can't read stays unread, and that is safe: unread
words are one theme, whatever they say.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from interventions import chinese, words
from interventions.moments import due_ms, moment, plain_doing, unkept
from interventions.places import bids, laid, placing
from interventions.shapes import reshaped
from interventions.text import clean, fold, has_words, skeleton, theme_key
from interventions.told import unbidden
from interventions.unasked import called_off, left_undone, stays

Hit = tuple[int, int, str, str]
"""Start, end, role, value."""

_GAPS = re.compile(r"(?<=[^\x00-\x7f]) (?=[^\x00-\x7f])")  # Between Chinese characters a blank says nothing.
_DONE = re.compile("(把[^了]{1,8})([开关])了")
_ASKED = re.compile(
    r"(?:and |so |but |well )?(?:what|where|who|whose|why|when|whlch|how|ls|are|was|were (?:you|they|there)|does|dld|"
    r"do (?:you|they|we|l)|have (?:you|they)|has)"
    r"(?!s? about| dont you| not)\b"
)
_SUPPOSES = re.compile(
    r"[a-z]+ lets the\b|\b(?:maybe|perhaps) (?:he|she|lt|they)\b(?! (?:would|mlght|could) be)|"
    r"\b(?:should|could|mlght) have (?:been|[a-z]+ed|seen|gone|done|known|come|taken|brought|told|put)\b"
)
"""What only sounds like a suggestion: it is supposed, or is too late."""
_ASKS_LEAVE = re.compile(r"(?:please |sorry |and |so )?(?:may|can|could|mlght|shall|should) l (?!.*\byou\b)")
_ASKS_WHICH = re.compile(r"(?:and |so |but )?(?:what|where|who|whose|why|when|whlch|how)\b")
_CARRIED_ON = re.compile("n?or |或者?|也别|也不要")
_CLAUSE_ENDS = re.compile("[,，;；。.!！?？]+")
_TOOK = re.compile(f"^(?:{'|'.join(words.TOOK)})")
_LONGEST = 28


@dataclass(frozen=True, slots=True)
class Reading:
    """What could be read. *own* is a promise: the action is the speaker's own. Empty text: not read.

    *due_ms* is the span until the named moment, None where none is named; *negated* turns the action around
    ("don't open it"). *wait* is the moment or condition it is put off to (interventions/moments.py). *themes* are the
    keys of every pair of action and thing. *place* is where the thing is to be put
    (interventions/places.py), *phrase* are the words that put it off.
    """

    mark: str
    action: str
    target: str
    own: bool = False
    negated: bool = False
    due_ms: int | None = None
    themes: tuple[str, ...] = ()
    wait: str = ""
    place: str = ""
    phrase: str = ""


def read(text: str, names: dict[str, str]) -> Reading:
    """Return the reading of *text*. *names* maps folded names of things to the keys the caller knows them by."""
    rest = unbidden(text)
    if rest == text:
        return _read(text, names)
    whole, found = _read(text, names), _read(rest, names) if has_words(rest) else Reading("plain", "", "")
    wish = found.mark in _WISHES
    if not wish and whole.mark not in _WISHES:
        return whole
    same = wish and found.action and found.action not in (*_ALONE, *_LIGHT) and (not rest.isascii() or _IT.search(fold(rest)))
    target = found.target or (whole.target if same else "")
    found = replace(found, action=_switched(found.action, target), target=target)
    return replace(found, themes=tuple(dict.fromkeys((*whole.themes, *found.themes))))


_IT = re.compile(r"\b(?:it|them|that one)\b|它|[这那]个")


def _read(text: str, names: dict[str, str]) -> Reading:
    whole = _told(text, names)
    found = _wish(text, names, whole)
    if found.action in words.UNDOABLE or (found.action == "throw_away" and _OUT_OF_IT.search(skeleton(text))):
        found = replace(found, action="", place="")
    elif found.action and not found.negated and (found.mark in _WISHES or (found.mark == "claim" and _BROUGHT_UP.search(text))):
        found = _bound(text, names, found)
    action = "" if found.mark == "claim" and not found.own else found.action
    themes = (*whole.themes, theme_key(action, found.target)) if action else whole.themes
    place, negated = found.place if action else "", found.negated and (bool(found.action) or found.mark in _WISHES)
    if found.mark == "suggestion" and action and _BEGS.search(fold(text)):
        found = replace(found, mark="request")  # 马桶该刷了，劳驾。
    if place and not found.target:
        found, place = replace(found, target=place), ""
    return replace(found, action=action, negated=negated, themes=tuple(dict.fromkeys(themes)), place=place)


def _bound(text: str, names: dict[str, str], found: Reading) -> Reading:
    """Return *found*, a wish, as one that can't be read where it is bound to something that can't be waited for."""
    sentence = unkept(text, waited=bool(found.wait))
    if not sentence:
        return found
    rest = clean(text).lower().replace(sentence, " ", 1)
    other = _read(rest, names) if rest.strip(" ,.!?，。！？；;") else found
    if other is not found and other.mark in ("request", "suggestion") and other.action:
        return replace(other, themes=tuple(dict.fromkeys((*found.themes, *other.themes))))
    return replace(found, mark="request", action="", place="", wait="", phrase="")


_WISHES = ("request", "suggestion")
_BROUGHT_UP = re.compile("^(?!.*我(?:把|会|来|去|要|给|帮|再|就)).*(?:[请把帮再]|给我)")
_OUT_OF_IT = re.compile(
    r"\bout (?:of )?(?:(?:the|that|thls|your|my) )?(?:open )?wlndows?\b|[扔丢抛甩][出到向往]?.{0,2}窗外|[往向朝从]窗.{0,6}[扔丢抛]"
)
"""Out of the window is not into the bin."""
_BEGS = re.compile("(?:^|[^\x00-\x7f] )(?:劳驾|拜托|劳烦|有劳|麻烦)(?:你|您)?(?:了|啦)?$")


def _told(text: str, names: dict[str, str]) -> Reading:
    """Return *text* read as one sentence; *negated* where anything in it is."""
    index = _index(tuple(names.items()))
    said = _GAPS.sub("", skeleton(text))
    line = reshaped(said)
    line = _DONE.sub(lambda found: found.group(1) + words.RESULTS[found.group(2)], line)
    squeezed = line.replace(" ", "")
    spelled = len(squeezed) > 3 and line.count(" ") * 2 >= len(line) - 1 and line.isascii()
    hits = _scan(f" {line} ", index, spelled=False)
    if spelled and not any(hit[2] == "action" for hit in hits):
        hits = _scan(squeezed, index, spelled=True)  # O p e n, letter by letter.
    hits = laid(line, _particles(_true_water(_nouns(hits, line), line), line))
    hits = hits if line.isascii() else chinese.serial(hits, line)
    wait, phrase, (start, end) = _wait(text, line, index)
    rest = f"{line[:start]}{' ' * (end - start)}{line[end:]}"  # The wish, without what puts it off.
    wish = [hit for hit in hits if not start <= hit[0] - 1 < end]
    wish = [hit for hit in wish if hit[0] <= _grounds(line, wish)]
    meant = _kept(wish, line) if line.isascii() else chinese.meant(wish, line)
    pairs, wished = _pairs(hits), _pairs(meant)
    action, target = wished[0] if wished else ("", "")
    if not line.isascii():
        action = chinese.for_me(line, action, target)
        target = target or _targets(tuple(names.items())).get(chinese.held_in(line, action), "")
    put = placing(line, meant)
    if put is not None:
        action, target = put.action, put.thing
    vowed = _VOWED.match(line) is not None
    if vowed:
        action, target = "promise", ""
    mark, own = _mark(text, rest, wish, action, target)
    if vowed or (put is not None and mark in ("claim", "plain") and not own and bids(rest.strip())):
        mark = "request"
    negated = not vowed and (any(role == "negation" for _, _, role, _ in hits) or left_undone(line, hits) or (not own and stays(said)))
    themes = tuple(dict.fromkeys(theme_key(*pair) for pair in pairs))
    place = put.place if put is not None else ""
    return Reading(mark, action, target, own, negated, due_ms(fold(text)), themes, wait, place, phrase)


_VOWED = re.compile(
    r"(?:(?:please|now|just|so|but|then|and) )*(?:promlse|swear)(?: to)?(?: me)?(?: that)? you(?:ll|re| wlll| wont| would| can| are)?\b"
)
"""Asked for is the word, not yet what it is given for: promise me you won't tell."""


def _kept(hits: list[Hit], line: str) -> list[Hit]:
    """Drop what only holds the thing to be thrown away: the milk in the fridge may go, the fridge may not."""
    if not any(hit[2:] == ("action", "throw_away") for hit in hits):
        return hits
    return [hit for hit in hits if hit[2] != "target" or hit[3] == "bin" or not _HELD_IN.search(f" {line} "[: hit[0]])]


_HELD_IN = re.compile("(?<=[a-z]) (?:ln|on|from|lnslde|under|off|out of) (?:the|my|your|our|that|thls) $")


def _grounds(line: str, hits: list[Hit]) -> int:
    """Return where an English sentence goes on, behind its first action, to say what comes after or why."""
    first = next((hit[1] for hit in hits if hit[2] == "action"), len(line))
    found = _GROUNDS.search(line, first - 1)
    return found.start() if found else len(line) + 1


_GROUNDS = re.compile(
    r" (?:before|until|till|because|so (?:that )?(?:l|we|you|he|she|they|lt)|while (?:l|we|you)|as l|in case|when (?:he|she|they))\b"
)


def _wish(text: str, names: dict[str, str], whole: Reading) -> Reading:
    """Return *whole* with the wish of the clause that is one by itself: what stands before or after it gives its grounds.

    A negation in a clause without a doing of its own turns them all around ("don't, please, open it"), and so does one
    that is carried on by "or".
    """
    clauses = [each.strip() for each in _CLAUSE_ENDS.split(clean(text).lower().replace(whole.phrase, " ", 1)) if each.strip()]
    if len(clauses) < 2:
        return whole
    found = [_told(clause, names) for clause in clauses[:CLAUSES_MAX]]
    if _TOOK.search(fold(text)):
        found[0] = replace(found[0], mark="plain")
    wishes = [
        each for at, each in enumerate(found)
        if each.mark in ("request", "suggestion") and each.action
        and (clauses[at].isascii() or chinese.bids_another(clauses[at]) or not any(map(chinese.promises, clauses[:at])))
    ]  # fmt: skip
    if not wishes:
        return whole
    # The first of those that bid most; who calls for help goes on to say what for.
    turned = any(each.negated and each.action for each in wishes)
    best = min(wishes, key=lambda each: (_calls(each) and turned, each.negated, each.mark != "request", _calls(each)))
    if whole.own and best.mark != "request":
        return whole
    # What is to be put somewhere may be named in one clause and the place in another: the mug on the desk, put it on the shelf.
    across = [each for each in wishes if whole.place and not each.place and each.action == whole.action]
    if across and best.action in ("take", "bring", "give", "put", "move"):
        best = replace(across[0], target=whole.target, place=whole.place)
    proposed = whole.mark == "suggestion" and not any(each.mark == "suggestion" for each in wishes)
    at = found.index(best) if best in found else 0
    off = any(called_off(skeleton(each)) for each in clauses[at + 1 :])
    carried = any(_CARRIED_ON.match(each) for each in clauses)
    for nth, each in enumerate(found):
        lest = (nth > at and _LEST.match(clauses[nth])) or _LACKS.match(clauses[nth])
        carried = carried or (each.negated and not each.action and not lest and not stays(skeleton(clauses[nth])))
    named = _NAMED.search(skeleton(clauses[at])) is not None  # Sweep the floor, there's glass: the floor is no glass.
    free = best.action not in _ALONE or _IT_TOO.search(skeleton(clauses[at])) is not None
    target = best.target or (whole.target if free and (not named or any(each.target for each in found[:at])) else "")
    action, place = best.action, best.place
    if not place and whole.place and whole.place == best.target and action in ("put", "tidy", "move", "take"):
        action, target, place = whole.action, whole.target, whole.place  # That vase, put it back on the shelf.
    elif place and not best.target:
        target = next((each.target for each in found[:at] if each.target and each.target != place), "")
    action = _switched(action, target)
    place = place or (whole.place if (action, target) == (whole.action, whole.target) else "")
    return replace(
        whole, mark="suggestion" if proposed else best.mark, action=action, target=target, own=False, place=place,
        negated=best.negated or off or (whole.negated and carried),
    )  # fmt: skip


def _calls(found: Reading) -> bool:
    return found.action in _LIGHT and not found.target


_LEST = re.compile("别(?!了|[，,]|再|这|那|动)[^，,]{2}")
"""What is not to become of it is no other wish: 大衣挂起来吧，别皱了."""
_LACKS = re.compile(
    r"(?:(?:and|but|because|as|since) )?(?:i|we|he|she|it|they|there|the [a-z]+|my [a-z]+)\b(?!.*\b(?:want|wish|think|you)\b)"
)
"""Who tells what is not so forbids nothing: I don't have a pen."""
_IT_TOO = re.compile(" (?:eat|flnlsh|cook|drlnk|fry|boll|warm|heat|try) (?:lt|them)(?: |$)")
_NAMED = re.compile(" (?:the|your|my|our|those|these) [a-z]+")
CLAUSES_MAX = 6
_ALONE = ("rest", "sleep", "wait", "stop", "come", "leave", "talk", "exercise", "cook", "eat", "drink")
"""Actions that a thing named in another clause is no target of."""


def _wait(text: str, line: str, index: dict[str, dict[str, tuple[tuple[str, str], ...]]]) -> tuple[str, str, tuple[int, int]]:
    """Return the code of what the thing waits for, the words for it, and where in *line* they stand."""
    found = moment(text)
    shape = _GAPS.sub("", skeleton(found.phrase))
    at = line.find(shape) if shape else -1
    span = (at, at + len(shape)) if at >= 0 else (0, 0)
    if found.code or at < 0:
        return found.code, found.phrase, span
    doing = _GAPS.sub("", skeleton(plain_doing(found.clause)))
    named = _pairs(_particles(_true_water(_scan(f" {doing} ", index, spelled=False), doing), doing))
    action = next((each for each, _ in named if each), "")
    return (f"did:{action}", found.phrase, span) if action else ("", "", (0, 0))


def resolve(name: str, names: dict[str, str]) -> str:
    """Return the key of the thing that *name* means, or "" if no such thing is known."""
    return _targets(tuple(names.items())).get(skeleton(name), "")


@lru_cache(maxsize=8)
def _targets(names: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Return skeleton -> key of every known name; synonyms of a thing the caller named get the caller's key."""
    given = {skeleton(name): key for name, key in names if name}
    found: dict[str, str] = {}
    for kind, (english, han) in words.TARGET_WORDS.items():
        known = [skeleton(word) for word in (*_split(english), *han.split())]
        key = next((given[word] for word in (skeleton(kind.replace("_", " ")), *known) if word in given), kind)
        found.update(dict.fromkeys(known, key))
    return {**found, **given}


@lru_cache(maxsize=8)
def _index(names: tuple[tuple[str, str], ...]) -> dict[str, dict[str, tuple[tuple[str, str], ...]]]:
    """Return first character -> entry -> its roles and values."""
    found: dict[str, list[tuple[str, str]]] = {}

    def note(entry: str, role: str, value: str) -> None:
        found.setdefault(skeleton(entry), []).append((role, value))

    for action, pair in (*words.ACTION_WORDS.items(), *words.UNDOABLE.items()):
        for entry in (*_split(pair[0]), *pair[1].split()):
            note(entry, "action", action)
    for entry, key in _targets(names).items():
        found.setdefault(entry, []).append(("target", key))
    for action, (listed, _) in words.ACTION_WORDS.items():
        for entry in (_going_on(each) for each in _split(listed) if each not in _SAY_LITTLE):
            if skeleton(entry) not in found:  # The heating is a thing.
                note(entry, "action", action)
    for entry, key in _targets(names).items():
        many = f"{entry}es" if entry.endswith(("s", "sh", "ch", "x")) else f"{entry}s"
        if entry.isascii() and many not in found:
            found[many] = [("target", key)]  # The heater's too hot.
        if entry.isascii() and len(entry) > 4 and entry[-1] == "s" and entry[-2] not in "s " and entry[:-1] not in found:
            found[entry[:-1]] = [("target", key)]
    for role, pair in _CUES.items():
        for entry in (*_split(pair[0]), *pair[1].split()):
            note(entry, role, "")
    for verb, particles in words.PARTICLES.items():
        note(verb, "verb", verb)
        for particle in particles:
            note(particle, "particle", particle)
    index: dict[str, dict[str, tuple[tuple[str, str], ...]]] = {}
    for entry, roles in found.items():
        index.setdefault(entry[0], {})[entry] = tuple(dict.fromkeys(roles))
    return index


_SAY_LITTLE = ("get", "have", "hold", "do", "make", "place", "stick", "pop", "mind", "see", "be back")
"""English verbs whose form in -ing is mostly in other use: it is getting cool."""


def _going_on(entry: str) -> str:
    """Return an English verb, with what belongs to it, in the form of "how about closing it"."""
    verb, _, more = entry.partition(" ")
    stem = verb[:-1] if verb.endswith("e") and not verb.endswith("ee") else verb
    if len(verb) in (3, 4) and verb[-1] in "bgmnpt" and verb[-2] in "aeiou" and verb[-3] not in "aeiou":
        stem += verb[-1]
    return f"{stem}ing {more}".strip()


_CUES = {
    "ignored": words.IGNORED,
    "strong": words.STRONG_REQUEST,
    "weak": words.WEAK_REQUEST,
    "suggestion": words.SUGGESTION,
    "promise": words.PROMISE,
    "negation": words.NEGATION,
    "greeting": words.GREETING,
    "statement": words.STATEMENT,
    "courtesy": words.COURTESY,
}
_COVERS = {"action": ("action",), "target": ("action", "target"), "ignored": ("action", "target")}


def _layer(role: str) -> str:
    return {"action": "action", "target": "target", "ignored": "target"}.get(role, "cue")


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def _scan(line: str, index: dict[str, dict[str, tuple[tuple[str, str], ...]]], *, spelled: bool) -> list[Hit]:
    """Return all hits in order. Actions, things and cues are three layers, each without overlaps of its own.

    The name of a thing hides an action inside it (浇水壶); an action does not hide its thing (开灯).
    """
    hits: list[Hit] = []
    free = {"action": 0, "target": 0, "cue": 0}
    for at in range(len(line)):
        entries = index.get(line[at])
        if entries is None or (not spelled and _inside_word(line, at)):
            continue
        taken = dict(free)
        for length in range(min(_LONGEST, len(line) - at), 0, -1):
            end = at + length
            roles = entries.get(line[at:end])
            if roles is None or (not spelled and _inside_word(line, end)) or (spelled and length < 4):
                continue
            for role, value in roles:
                if at < taken[_layer(role)]:
                    continue  # It overlaps an entry before it, so it hides nothing either.
                hits.append((at, end, role, value))
                for layer in _COVERS.get(role, ("cue",)):
                    free[layer] = max(free[layer], end)
            taken = {layer: max(taken[layer], at + 1 if free[layer] > at else 0) for layer in free}
    return [hit for hit in hits if hit[2] != "ignored"]


def _inside_word(line: str, at: int) -> bool:
    """Tell whether *at* lies inside a word of Latin letters or digits."""
    return 0 < at < len(line) and _latin(line[at - 1]) and _latin(line[at])


def _latin(char: str) -> bool:
    return "a" <= char <= "z" or "0" <= char <= "9"


def _true_water(hits: list[Hit], line: str) -> list[Hit]:
    """Keep the English word "water" as an action only where a plant follows."""
    kept = []
    for at, hit in enumerate(hits):
        if hit[2:] == ("action", "water") and line[hit[0] - 1 : hit[1] - 1].isascii() and not _WATER_IT.match(line, hit[0] - 1):
            after = next((other for other in hits[at + 1 :] if other[2] == "target"), None)
            if after is None or (after[3] not in words.WATERED and "plant" not in after[3]):
                continue
        kept.append(hit)
    return kept


_WATER_IT = re.compile("water (?:lt|them)(?!s)")


def _nouns(hits: list[Hit], line: str) -> list[Hit]:
    """Drop the action in a word that also names a thing, where an article makes it the thing: the phone."""
    things = {(hit[0], hit[1]) for hit in hits if hit[2] == "target"}
    if not line.isascii():
        worked = any(hit[3] in _WORKED for hit in hits if hit[2] == "action")  # 淋浴帮我开一下
        return [hit for hit in hits if not worked or hit[2] != "action" or hit[:2] not in things]
    articled = (" the ", " a ", " my ", " your ", " that ", " this ")
    return [hit for hit in hits if hit[2] != "action" or hit[:2] not in things or not f" {line} "[: hit[0]].endswith(articled)]


_WORKED = ("open", "close", "switch_on", "switch_off")


def _particles(hits: list[Hit], line: str) -> list[Hit]:
    """Join a verb with the particle behind its thing: turn the lamp off. What is taken out of a thing is not thrown away."""
    found = list(hits)
    for at, (start, end, role, verb) in enumerate(hits):
        if role != "verb" or any(hit[0] == start and hit[1] > end + 1 and hit[3] == "look" for hit in hits):
            continue  # Take a look out of the window.
        for later in hits[at + 1 :]:
            if later[2] == "action" and later[0] >= end:
                break
            if later[2] == "particle" and later[3] in words.PARTICLES[verb] and later[0] >= end:
                found = [hit for hit in found if not (hit[2] == "action" and hit[0] == start)]
                if later[3] == "out" and _OUT_OF.match(f" {line} ", later[1]) and not any(hit[3] == "bin" for hit in hits):
                    found.append((start, end, "action", "take"))
                    break
                found.append((start, end, "action", words.PARTICLES[verb][later[3]]))
                break
    return sorted(found, key=lambda hit: (hit[0], hit[1]))


_OUT_OF = re.compile("(?: of| [a-z ]{1,24} from) (?!slght|here)[a-z]")


def _pairs(hits: list[Hit]) -> list[tuple[str, str]]:
    """Return (action, thing) pairs, the leading one first; a thing without an action is looked at."""
    found: list[tuple[str, str]] = []
    segment: list[str] = []
    action = ""
    bare = all(value in _EMPTY for _, _, role, value in hits if role == "action")
    for _, _, role, value in hits:
        if role == "target":
            segment.append(value)
        elif role == "action" and (bare or value not in _EMPTY):
            if action and segment:
                found += [(_switched(action, thing), thing) for thing in segment]
                segment = []
            elif action:
                found.append((action, ""))
            elif segment:
                found += [(_switched(value, thing), thing) for thing in segment]
                segment, value = [], ""
            action = value
    if segment:
        found += [(_switched(action, thing), thing) for thing in segment]
    elif action:
        found.append((action, ""))
    return _leading(found)


_EMPTY = ("help", "promise", "ask")
"""Actions that say nothing beside another one: help me open the window, I promise to call."""


_LIGHT = ("help", "come", "look", "talk", "ask")
"""Actions that a clause may name only to call the other's attention."""


def _leading(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Put a full pair before half ones: in 请帮我看看书 the book counts, not the help."""
    pairs = [pair for pair in pairs if pair[0] or pair[1]]
    light = ("help", "come", "look", "talk", "wait", "ask", "stop", "leave", "take")
    full = [pair for pair in pairs if all(pair)]
    if not full:
        return sorted(pairs, key=lambda pair: not pair[0])
    best = next((pair for pair in full if pair[0] not in light), full[0])
    return [best, *(pair for pair in pairs if pair != best)]


def _switched(action: str, thing: str) -> str:
    """Return what *action* means for *thing*: lamps are opened in Chinese, and bins emptied."""
    if action == "drink" and thing in words.WATERED:
        return "water"
    if thing == "bin" and action == "fill":
        return "throw_away"
    if thing in ("window", "door") and action in ("switch_on", "switch_off"):
        return "open" if action == "switch_on" else "close"  # 窗户关小一点
    if thing == "door" and action == "bring":
        return "close"  # 把门带上
    if action in ("give", "bring", "fill") and thing in words.WATERED:
        return "water"  # Give the plant some water.
    if any(thing == kind or thing.endswith((f"_{kind}", "_light")) for kind in words.SWITCHED):
        return {"open": "switch_on", "close": "switch_off", "play": "switch_on"}.get(action, action)
    return action


def _mark(text: str, line: str, hits: list[Hit], action: str, target: str) -> tuple[str, bool]:
    """Return (kind of utterance, whether it promises the speaker's own action)."""
    roles = [role for _, _, role, _ in hits]
    end, han = fold(text), not line.isascii()
    soft = end.endswith(words.SOFT_END)
    question = any(sign in text for sign in "?？") or (chinese.asks(line) if han else _ASKED.match(line.strip()) is not None)
    strong = "strong" in roles and not (han and chinese.told_of(line, hits))
    if _TOOK.search(end) and not (strong and question):
        return "plain", False
    if han and (chinese.judges(line) or (question and chinese.offers(line))):
        return "plain", False
    says = action or (target and not question) if han else action or target or not question
    gentle = next((f" {line} "[hit[0] : hit[1]] for hit in hits if hit[2] == "suggestion"), "")
    let = chinese.remembers(line, gentle) if han else _SUPPOSES.search(line) is not None
    suggests = "suggestion" in roles and not let and not (han and chinese.speaks_of_another(line) and "strong" not in roles)
    if suggests and says and not (strong and _first(hits, "strong") < _first(hits, "suggestion")):
        return "suggestion", False
    if _promises(line, hits, due_ms(end) is not None) and (action or due_ms(end) is not None) and not (question and strong):
        return "claim", True
    if strong and not _only_thanks(hits, action, target) and (action or target or not (han and (question or line.endswith("了")))):
        return "request", False
    asks_leave = (chinese.ASKS_LEAVE if han else _ASKS_LEAVE).match(line) is not None and action not in ("bring", "give")
    asks_leave = asks_leave or (han and not strong and not line.startswith("我") and chinese.speaks_of_another(line))
    asks_leave = asks_leave or (han and not question and chinese.STILL_CAN.search(line) is not None)
    asks_leave = asks_leave or (not han and _ASKS_WHICH.match(line.strip()) is not None)
    if han and action and not question and chinese.may_well(line):
        return "suggestion", False
    if "weak" in roles and action and not asks_leave and (question or soft or not clean(text).startswith("你可以")):
        return "request", False
    if not han and (not question or _FOR_ME.search(line)) and _commands(line, hits):
        return "request", False
    built = chinese.mood(line, hits) if han else ""
    if built:
        return built, False
    if soft and action:
        return "suggestion", False
    if question:
        return "plain", False
    told = chinese.states(line, target) if han else _tells(end, action, target)
    if han and chinese.polite(line):
        return "plain", False
    if ("statement" in roles or "promise" in roles or told) and not ("greeting" in roles and not target and not action):
        return ("plain" if (end.startswith(words.ABOUT_YOU) or (end[0] == "你" and end[1:2] != "的")) and not target else "claim"), False
    return "plain", False


def _tells(end: str, action: str, target: str) -> bool:
    """Tell whether an English sentence opens with who or what it is about, and goes on to say something of it."""
    said = _OPENERS.sub("", end).split(" ")
    if said[0] == "you":
        return bool(target)
    # What one might do is no news of the room; said to oneself it is a thought of doing it.
    might = said[0] in ("i", "we") and said[1:2] in (["could"], ["might"], ["should"], ["may"], ["can"])
    return said[0] in words.SUBJECTS and (bool(target) or (not might and (bool(action) or len(said) > 2)))


_OPENERS = re.compile(
    "^(?:(?:to be (?:honest|fair|frank)|honestly|frankly|actually|well|oh|sadly|luckily|apparently|by the way|you know|truth be told) )+"
)


def _promises(line: str, hits: list[Hit], timed: bool) -> bool:
    """Tell whether the speaker speaks of what he himself will do; a promise asked of the other is none."""
    at = _first(hits, "promise")
    if _ASKS_WHOM.search(line):
        return False  # 你猜我今天碰见谁了？
    if at > len(line) and any(hit[2] == "action" for hit in hits) and (chinese.promises(line) or (timed and line.startswith("我"))):
        return True  # 我过两个小时再来
    return at < len(line) + 2 and _first(hits, "strong") > at


def _only_thanks(hits: list[Hit], action: str, target: str) -> bool:
    return any(hit[2] == "greeting" for hit in hits) and not action and not target


def _first(hits: list[Hit], role: str) -> int:
    return next((hit[0] for hit in hits if hit[2] == role), 1 << 30)


_ASKS_WHOM = re.compile("(?:你猜|知道)[^，]*(?:谁|什么|哪|怎么)")
_FOR_ME = re.compile(r" for (?:me|us)\b|^[a-z]+ (?:me|us) (?:a|an|some|the|that|your)\b|^(?:[a-z]+ ){1,6}to (?:me|us)$")
"""A command in a gentle voice: play me something?"""
_FILLERS = frozenset(skeleton(word) for word in _split(words.FILLERS))


def _commands(line: str, hits: list[Hit]) -> bool:
    """Tell whether an English sentence opens with an action."""
    first = next((hit for hit in hits if hit[2] == "action"), None)
    if first is None or _BENT.match(f" {line} ", first[0]) or _SPOKEN_OF.match(f" {line} ", first[1]):
        return False
    before = f" {line} "[: first[0]]
    for start, end, role, _ in hits:
        if role in ("negation", "greeting") and start < first[0]:
            before = before.replace(f" {line} "[start:end], " ")
    return all(word in _FILLERS for word in before.split())


_SPOKEN_OF = re.compile(
    r"(?: (?!what|who|lf|where|that|how|lt|whether|there|you|l|he|she|we|they)[a-z]+)? (?:ls|was|are|were|makes?|made|lets|has|had)\b"
)
"""What follows a verb that is a noun: "talk is cheap"."""
_BENT = re.compile("(?:(?!b?rlng)[a-z]+lng|[a-z]+ed|[a-z]*[^s ]s|threw|took|ate|drank|wrote|brought|sat|slept|gave|shook)(?= )")
"""A verb that is bent commands nothing: "washing the cups is fun". In a skeleton an i is an l."""
