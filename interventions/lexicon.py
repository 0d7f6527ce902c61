"""Reads what an utterance is about: its kind, an action of the closed list, a thing, whose action, by when.

Theory of operation
===================
The text is reduced to its skeleton and scanned once, left to right; at each place the longest known entry counts.
English entries match whole words, Chinese ones anywhere. That gives a row of hits. Each action is paired with the
things that follow it before the next action, or with those before it where none follows (把窗户打开). The first
pair is the reading; *all* pairs are themes, so that a decoy in front hides nothing.

The kind is told by cues, in a fixed order: suggestion, request, promise, command, question, statement. It is a
reader of plain everyday sentences, not of language. What it can't read stays unread, and that is safe: unread
words are one theme, whatever they say.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from interventions import words
from interventions.text import clean, fold, skeleton, theme_key

Hit = tuple[int, int, str, str]
"""Start, end, role, value."""

_NUMBER = re.compile(r"(\d{1,4}|[a-z]+(?: [a-z]+)?) (seconds?|minutes?|hours?|days?)\b", re.ASCII)
_ZH_NUMBER = re.compile(r"(\d{1,4}|[一二两三四五六七八九十半几]{1,3}) ?个? ?(半)?(秒|分钟|小时|钟头|天)")
_GAPS = re.compile(r"(?<=[^\x00-\x7f]) (?=[^\x00-\x7f])")  # Between Chinese characters a blank says nothing.
_LONGEST = 28


@dataclass(frozen=True, slots=True)
class Reading:
    """What could be read. *own* is a promise: the action is the speaker's own. Empty text: not read.

    *due_ms* is the span until the named moment, None where none is named; *negated* turns the action around
    ("don't open it"). *themes* are the keys of every pair of action and thing.
    """

    mark: str
    action: str
    target: str
    own: bool = False
    negated: bool = False
    due_ms: int | None = None
    themes: tuple[str, ...] = ()


def read(text: str, names: dict[str, str]) -> Reading:
    """Return the reading of *text*. *names* maps folded names of things to the keys the caller knows them by."""
    index = _index(tuple(names.items()))
    line = _GAPS.sub("", skeleton(text))
    squeezed = line.replace(" ", "")
    spelled = len(squeezed) > 3 and line.count(" ") * 2 >= len(line) - 1 and line.isascii()
    hits = _scan(f" {line} ", index, spelled=False)
    if spelled and not any(hit[2] == "action" for hit in hits):
        hits = _scan(squeezed, index, spelled=True)  # O p e n, letter by letter.
    hits = _particles(_true_water(hits, line))
    pairs = _pairs(hits)
    action, target = pairs[0] if pairs else ("", "")
    mark, own = _mark(text, line, hits, action, target)
    negated = any(role == "negation" for _, _, role, _ in hits) and bool(action)
    themes = tuple(dict.fromkeys(theme_key(*pair) for pair in pairs))
    if mark == "claim" and not own:
        action = ""
    return Reading(mark, action, target, own, negated, due_ms(fold(text)), themes)


def resolve(name: str, names: dict[str, str]) -> str:
    """Return the key of the thing that *name* means, or "" if no such thing is known."""
    return _targets(tuple(names.items())).get(skeleton(name), "")


def due_ms(folded: str) -> int | None:
    """Return the first span of time that the *folded* text names, in ms."""
    found = _NUMBER.search(folded)
    if found is not None:
        count = _count(found.group(1))
        if count is not None:
            unit = words.SPANS_MS[found.group(2)]
            return count * unit if count else unit // 2
    found = _ZH_NUMBER.search(folded)
    if found is None:
        return None
    count = _count(found.group(1))
    unit = words.SPANS_MS[found.group(3)]
    if count is None:
        return None
    return count * unit + (unit // 2 if found.group(2) or not count else 0)


def _count(text: str) -> int | None:
    """Return the number that *text* or its last word says; 0 means a half."""
    if text.isdigit():
        return int(text)
    if text in words.NUMBERS:
        return words.NUMBERS[text]
    last = text.rpartition(" ")[2]
    if last in words.NUMBERS:
        return words.NUMBERS[last]
    if "十" in text:
        tens, _, ones = text.partition("十")
        return words.NUMBERS.get(tens, 1) * 10 + words.NUMBERS.get(ones, 0)
    return None


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
                if at >= taken[_layer(role)]:
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
    if any(thing == kind or thing.endswith((f"_{kind}", "_light")) for kind in words.SWITCHED):
        return {"open": "switch_on", "close": "switch_off", "play": "switch_on"}.get(action, action)
    return action


def _mark(text: str, line: str, hits: list[Hit], action: str, target: str) -> tuple[str, bool]:
    """Return (kind of utterance, whether it promises the speaker's own action)."""
    roles = [role for _, _, role, _ in hits]
    end = fold(text)
    soft = end.endswith(words.SOFT_END)
    question = any(sign in text for sign in "?？") or any(word in end for word in words.QUESTION)
    strong, promise = "strong" in roles, _promises(line, hits)
    if "suggestion" in roles and not (strong and _first(hits, "strong") < _first(hits, "suggestion")):
        return "suggestion", False
    if promise and (action or due_ms(end) is not None) and not (question and strong):
        return "claim", True
    if strong and not _only_thanks(hits, action, target):
        return "request", False
    if "weak" in roles and action and (question or soft or not clean(text).startswith("你可以")):
        return "request", False
    if _commands(line, hits):
        return ("suggestion" if end.endswith("吧") else "request"), False
    if soft and action:
        return "suggestion", False
    if question:
        return "plain", False
    if "statement" in roles and not ("greeting" in roles and not target and not action):
        return "claim", False
    return "plain", False


def _promises(line: str, hits: list[Hit]) -> bool:
    """Tell whether the speaker speaks of what he himself will do; a promise asked of the other is none."""
    at = _first(hits, "promise")
    return at < len(line) + 2 and _first(hits, "strong") > at


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
    if chinese and any(mark in before for mark in ("把", "将")):
        return not line.endswith("了") or "把" in before[:2]
    for hit in hits:
        if hit[2] in ("negation", "greeting", "target") and hit[0] < actions[0][0] and (hit[2] != "target" or chinese):
            before = before.replace(f" {line} "[hit[0] : hit[1]], " ")
    rest = before.split() if not chinese else [before.strip()]
    fillers = {skeleton(word) for part in words.FILLERS for word in (*_split(part), *part.split())}
    if chinese and actions[0][0] > 1 and any(hit[2] == "target" and hit[0] < actions[0][0] for hit in hits):
        return False
    return all(word in fillers or not word for word in rest)
