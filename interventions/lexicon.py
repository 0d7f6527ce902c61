"""Reads what an utterance is about: its kind, an action of the closed list, a thing, whose action, by when.

Theory of operation
===================
The text is reduced to its skeleton and scanned once, left to right; at each place the longest known entry counts.
English entries match whole words, Chinese ones anywhere. That gives a row of hits. Each action is paired with the
things that follow it before the next action, or with those before it where none follows (把窗户打开). The first
pair is the reading; *all* pairs are themes, so that a decoy in front hides nothing.

A clause that puts the thing off ("when you have eaten") names another doing; it is a condition and no wish.

The kind is told by cues, in a fixed order: thanks, suggestion, request, promise, command, question, statement. It is a
reader of plain everyday sentences, not of language. What it can't read stays unread, and that is safe: unread
words are one theme, whatever they say.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from interventions import words
from interventions.moments import due_ms, moment, plain_doing
from interventions.places import bids, laid, placing
from interventions.text import clean, fold, skeleton, theme_key

Hit = tuple[int, int, str, str]
"""Start, end, role, value."""

_GAPS = re.compile(r"(?<=[^\x00-\x7f]) (?=[^\x00-\x7f])")  # Between Chinese characters a blank says nothing.
_DONE = re.compile("(把[^了]{1,8})([开关])了")
_GIVEN = re.compile("(把[^把]{0,7}[^把拿递带交送借端倒找取])给我(?=$|吧|吗|好)")
_FETCHED = re.compile("([拿端送带递])([^来过了]{1,5})来(?=$|吧|吗)")
_OF = re.compile("[^\\x00-\\x7f]?[上里中下旁内外边](?:面|边|头)?的[^\\x00-\\x7f]{0,3}$")
_TWICE = re.compile("(.)一?\\1$")
_CLAUSE_ENDS = re.compile("[,，;；。.!！?？]+")
_TOOK = re.compile(f"^(?:{'|'.join(words.TOOK)})")
_LONGEST = 28


@dataclass(frozen=True, slots=True)
class Reading:
    """What could be read. *own* is a promise: the action is the speaker's own. Empty text: not read.

    *due_ms* is the span until the named moment, None where none is named; *negated* turns the action around
    ("don't open it"). *wait* is the moment or condition it is put off to (interventions/moments.py). *themes* are the
    keys of every pair of action and thing. *place* is where the thing is to be put (interventions/places.py).
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


def read(text: str, names: dict[str, str]) -> Reading:
    """Return the reading of *text*. *names* maps folded names of things to the keys the caller knows them by."""
    index = _index(tuple(names.items()))
    line = _DONE.sub(lambda found: found.group(1) + words.RESULTS[found.group(2)], _GAPS.sub("", skeleton(text)))
    line = _GIVEN.sub(r"\1拿给我", line)
    line = _FETCHED.sub(r"\1来\2", line)  # 拿杯水来 is 拿来一杯水.
    squeezed = line.replace(" ", "")
    spelled = len(squeezed) > 3 and line.count(" ") * 2 >= len(line) - 1 and line.isascii()
    hits = _scan(f" {line} ", index, spelled=False)
    if spelled and not any(hit[2] == "action" for hit in hits):
        hits = _scan(squeezed, index, spelled=True)  # O p e n, letter by letter.
    hits = laid(line, _particles(_true_water(_nouns(hits, line), line)))
    wait, (start, end) = _wait(text, line, index)
    rest = f"{line[:start]}{' ' * (end - start)}{line[end:]}"  # The wish, without what puts it off.
    wish = [hit for hit in hits if not start <= hit[0] - 1 < end]
    pairs, wished = _pairs(hits), _pairs(_meant(wish, line))
    action, target = wished[0] if wished else ("", "")
    put = placing(line, _meant(wish, line))
    if put is not None:
        action, target = put.action, put.thing
    mark, own = _mark(text, rest, wish, action, target)
    if put is not None and mark in ("claim", "plain") and not own and bids(rest.strip()):
        mark = "request"
    if mark in ("claim", "plain") and not own and not _TOOK.search(fold(text)):
        mark, action, target = _bidden(text, names, mark, action, target)
    negated = any(role == "negation" for _, _, role, _ in hits) and bool(action)
    themes = tuple(dict.fromkeys(theme_key(*pair) for pair in pairs))
    if mark == "claim" and not own:
        action = ""
    place = put.place if put is not None and (action, target) == (put.action, put.thing) else ""
    return Reading(mark, action, target, own, negated, due_ms(fold(text)), themes, wait, place)


def _bidden(text: str, names: dict[str, str], mark: str, action: str, target: str) -> tuple[str, str, str]:
    """Return the wish of the first clause that is one by itself: what stands before or after it gives its grounds."""
    clauses = [each.strip() for each in _CLAUSE_ENDS.split(text) if each.strip()]
    for clause in clauses[:CLAUSES_MAX] if len(clauses) > 1 else ():
        found = read(clause, names)
        if found.mark in ("request", "suggestion") and found.action:
            return found.mark, found.action, found.target or (target if found.action not in _ALONE else "")
    return mark, action, target


CLAUSES_MAX = 6
_ALONE = ("rest", "sleep", "wait", "stop", "come", "leave", "talk", "exercise", "tidy", "cook", "eat", "drink")
"""Actions that a thing named in another clause is no target of."""


def _wait(text: str, line: str, index: dict[str, dict[str, tuple[tuple[str, str], ...]]]) -> tuple[str, tuple[int, int]]:
    """Return the code of what the thing waits for, and where in *line* the words for it stand."""
    found = moment(text)
    shape = _GAPS.sub("", skeleton(found.phrase))
    at = line.find(shape) if shape else -1
    span = (at, at + len(shape)) if at >= 0 else (0, 0)
    if found.code or at < 0:
        return found.code, span
    doing = _GAPS.sub("", skeleton(plain_doing(found.clause)))
    named = _pairs(_particles(_true_water(_scan(f" {doing} ", index, spelled=False), doing)))
    action = next((each for each, _ in named if each), "")
    return (f"did:{action}", span) if action else ("", (0, 0))


def resolve(name: str, names: dict[str, str]) -> str:
    """Return the key of the thing that *name* means, or "" if no such thing is known."""
    return _targets(tuple(names.items())).get(skeleton(name), "")


@lru_cache(maxsize=8)
def _targets(names: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Return skeleton -> key of every known name; synonyms of a thing the caller named get the caller's key."""
    given = {skeleton(name): key for name, key in names if name}
    found: dict[str, str] = {}
    for kind, (english, chinese) in words.TARGET_WORDS.items():
        known = [skeleton(word) for word in (*_split(english), *chinese.split())]
        key = next((given[word] for word in (skeleton(kind.replace("_", " ")), *known) if word in given), kind)
        found.update(dict.fromkeys(known, key))
    return {**found, **given}


@lru_cache(maxsize=8)
def _index(names: tuple[tuple[str, str], ...]) -> dict[str, dict[str, tuple[tuple[str, str], ...]]]:
    """Return first character -> entry -> its roles and values."""
    found: dict[str, list[tuple[str, str]]] = {}

    def note(entry: str, role: str, value: str) -> None:
        found.setdefault(skeleton(entry), []).append((role, value))

    for action, pair in words.ACTION_WORDS.items():
        for entry in (*_split(pair[0]), *pair[1].split()):
            note(entry, "action", action)
    for entry, key in _targets(names).items():
        found.setdefault(entry, []).append(("target", key))
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


_CUES = {
    "ignored": words.IGNORED,
    "strong": words.STRONG_REQUEST,
    "weak": words.WEAK_REQUEST,
    "suggestion": words.SUGGESTION,
    "promise": words.PROMISE,
    "negation": words.NEGATION,
    "greeting": words.GREETING,
    "statement": words.STATEMENT,
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
        if hit[2:] == ("action", "water") and line[hit[0] - 1 : hit[1] - 1].isascii():
            after = next((other for other in hits[at + 1 :] if other[2] == "target"), None)
            if after is None or (after[3] not in words.WATERED and "plant" not in after[3]):
                continue
        kept.append(hit)
    return kept


def _nouns(hits: list[Hit], line: str) -> list[Hit]:
    """Drop the action in a word that also names a thing, where an article makes it the thing: the phone."""
    things = {(hit[0], hit[1]) for hit in hits if hit[2] == "target"}
    articled = (" the ", " a ", " my ", " your ", " that ", " this ")
    return [hit for hit in hits if hit[2] != "action" or hit[:2] not in things or not f" {line} "[: hit[0]].endswith(articled)]


def _particles(hits: list[Hit]) -> list[Hit]:
    """Join a verb with the particle behind its thing: turn the lamp off."""
    found = list(hits)
    for at, (start, end, role, verb) in enumerate(hits):
        if role != "verb":
            continue
        for later in hits[at + 1 :]:
            if later[2] == "action" and later[0] >= end:
                break
            if later[2] == "particle" and later[3] in words.PARTICLES[verb] and later[0] >= end:
                found = [hit for hit in found if not (hit[2] == "action" and hit[0] == start)]
                found.append((start, end, "action", words.PARTICLES[verb][later[3]]))
                break
    return sorted(found, key=lambda hit: (hit[0], hit[1]))


def _meant(hits: list[Hit], line: str) -> list[Hit]:
    """Drop the Chinese thing that only tells which other one is meant: 桌上的杯子 is a cup."""
    padded, things = f" {line} ", [hit for hit in hits if hit[2] == "target"]
    telling = [one for one, other in pairwise(things) if _OF.match(padded[one[1] - 1 : other[0]])]
    return [hit for hit in hits if hit not in telling]


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
    if thing == "bin" and action == "fill":
        return "throw_away"
    if action in ("give", "bring", "fill") and thing in words.WATERED:
        return "water"  # Give the plant some water.
    if any(thing == kind or thing.endswith((f"_{kind}", "_light")) for kind in words.SWITCHED):
        return {"open": "switch_on", "close": "switch_off", "play": "switch_on"}.get(action, action)
    return action


def _mark(text: str, line: str, hits: list[Hit], action: str, target: str) -> tuple[str, bool]:
    """Return (kind of utterance, whether it promises the speaker's own action)."""
    roles = [role for _, _, role, _ in hits]
    end = fold(text)
    soft = end.endswith(words.SOFT_END)
    question = any(sign in text for sign in "?？") or any(word in end for word in words.QUESTION)
    strong, promise = "strong" in roles, _promises(line, hits, due_ms(end) is not None)
    if _TOOK.search(end) and not (strong and question):
        return "plain", False
    says = action or target or not question
    if "suggestion" in roles and says and not (strong and _first(hits, "strong") < _first(hits, "suggestion")):
        return "suggestion", False
    if promise and (action or due_ms(end) is not None) and not (question and strong):
        return "claim", True
    if strong and not _only_thanks(hits, action, target):
        return "request", False
    if "weak" in roles and action and (question or soft or not clean(text).startswith("你可以")):
        return "request", False
    if _commands(line, hits) or (not question and _topic_first(line, hits)):
        return ("suggestion" if end.endswith("吧") else "request"), False
    if soft and action:
        return "suggestion", False
    if question:
        return "plain", False
    if "statement" in roles and not ("greeting" in roles and not target and not action):
        return ("plain" if end.startswith(words.ABOUT_YOU) and not target else "claim"), False
    if target and end.split(" ")[0] in words.SUBJECTS:
        return "claim", False
    return "plain", False


def _promises(line: str, hits: list[Hit], timed: bool) -> bool:
    """Tell whether the speaker speaks of what he himself will do; a promise asked of the other is none."""
    at = _first(hits, "promise")
    if at > len(line) and line.startswith("我") and timed and any(hit[2] == "action" for hit in hits):
        return True  # 我过两个小时再来
    return at < len(line) + 2 and _first(hits, "strong") > at


def _topic_first(line: str, hits: list[Hit]) -> bool:
    """Tell whether a Chinese thing stands first and a bidden action ends the sentence: 毛巾拿来, 冰箱门关一下."""
    actions = [hit for hit in hits if hit[2] == "action"]
    things = [hit for hit in hits if hit[2] == "target"]
    if line.isascii() or not actions or not things or things[0][0] > actions[0][0] or any(hit[2] == "negation" for hit in hits):
        return False
    first, last = things[0], actions[-1]
    between = f" {line} "[first[1] : actions[0][0]]
    ends = f" {line} "[last[0] :].strip()
    bidden = ends.endswith(words.BIDDEN) or _TWICE.search(ends) is not None
    return first[0] <= 3 and len(between) <= 4 and bidden and len(ends) <= 6 and not line.startswith(words.SPEAKERS)


def _only_thanks(hits: list[Hit], action: str, target: str) -> bool:
    return any(hit[2] == "greeting" for hit in hits) and not action and not target


def _first(hits: list[Hit], role: str) -> int:
    return next((hit[0] for hit in hits if hit[2] == role), 1 << 30)


def _commands(line: str, hits: list[Hit]) -> bool:
    """Tell whether the sentence opens with an action, or with a Chinese thing brought forward by 把."""
    actions = [hit for hit in hits if hit[2] == "action"]
    if not actions:
        return False
    before = f" {line} "[: actions[0][0]].strip()
    chinese = not line.isascii()
    if any(before.startswith(speaker) or f" {speaker}" in before for speaker in words.SPEAKERS):
        return False
    fillers = {skeleton(word) for part in words.FILLERS for word in (*_split(part), *part.split())}
    if chinese and line.rstrip().endswith(("吗", "呢", "没有")):
        return False
    if chinese and any(mark in before for mark in ("把", "将")):
        # Who is named before 把 did it; nobody named is bidden to.
        return not line.endswith("了") or all(word in fillers for word in _pieces(before[: before.find("把")], fillers))
    for hit in hits:
        if hit[2] in ("negation", "greeting", "target") and hit[0] < actions[0][0] and (hit[2] != "target" or chinese):
            before = before.replace(f" {line} "[hit[0] : hit[1]], " ")
    rest = before.split() if not chinese else _pieces(before.strip(), fillers)
    if chinese and actions[0][0] > 1 and any(hit[2] == "target" and hit[0] < actions[0][0] for hit in hits):
        return False
    return all(word in fillers or not word for word in rest)


def _pieces(text: str, fillers: set[str]) -> list[str]:
    """Return Chinese *text* cut into its leading fillers and what is left."""
    found = []
    while text:
        word = next((text[:length] for length in (4, 3, 2, 1) if text[:length] in fillers), text)
        found.append(word)
        text = text[len(word) :].strip()
    return found
