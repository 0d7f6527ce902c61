"""Where to: the thing that everyday words name as the place another thing is to be put (put the mug on the table).

English names it behind the thing and a word for a direction, Chinese behind the verb (把杯子放到桌上) or between 在 or 往
and the verb (往抽屉里放本书). A place that tells which thing is meant ("bring the cup on the table") is no destination. A
destination that nobody here knows ("in the piano") stays one: its own word is given, and nothing is put elsewhere for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

Hit = tuple[int, int, str, str]

LAYING = ("put", "move", "tidy")
"""Actions that leave a thing somewhere; behind them every word for a place is a destination. Put back there is put."""
CARRYING = ("bring", "take", "give")
"""Actions that may also end with a person; only a direction makes the place a destination."""



def _shape(pattern: str) -> re.Pattern[str]:
    """Return *pattern* over skeletons, in which an i is an l (interventions/text.py)."""
    return re.compile(pattern.replace("i", "l"))


_AWAY = "(?:back |down |up |over |right |out |away |inside |there )*"
_THE = "(?: the| a| an| my| your| our| that| this| its)?(?: [a-z]+)? $"
_TO = _shape(f" {_AWAY}(?:to|into|onto|on to|in to){_THE}")
_ON = _shape(f" {_AWAY}(?:on|in|at|inside|upon|under|by|beside|near|next to|on top of){_THE}")
_ZH_TO = re.compile("[到进回入在]$")
_ZH_LAYING = re.compile("(?:放|摆|搁|挪|移|搬|收|归|塞|挂|拿|带|送|端|推|拖)(?:一下)?[到进回入在]?$")
_ZH_FROM = re.compile("(?:在|往|到|朝|向)$")
_IT = _shape(" (?:it|them|that|this|those|these|one) ")
_UNKNOWN = _shape(
    f" {_AWAY}(?:on|onto|in|into|inside|under|on top of) (?:the|a|an|my|your|our|that|this) ([a-z]+)"
    "(?=$| $| please| for| and| now| so| then)"
)
# The words of times, ways and vague places as skeletons have them: "in the evenlng" names no thing.
_NO_PLACE = (
    "mornlng", "afternoon", "evenlng", "nlght", "mlnute", "moment", "second", "hour", "whlle", "way", "place", "room", "meantlme", "end",
    "future", "weekend", "double", "order", "slde", "other", "floor", "corner", "left", "rlght", "spot", "usual", "same", "kltchen",
    "bathroom",
)  # fmt: skip
_ZH_UNKNOWN = re.compile("^(?:放|摆|搁|挪|移|搬|塞)[到进在]([^\\x00-\\x7f]{1,4}?)[上里中下](?:面|边|头)?(?:去|吧|好吗|好不好)?(?:$| )")
_ZH_NO_PLACE = ("这", "那", "哪", "原", "一", "旁", "地", "厨房", "浴室", "房间", "屋", "它", "手")


@dataclass(frozen=True, slots=True)
class Placing:
    """*thing* is to be put at *place*: keys of things, or the word of a place that is none."""

    action: str
    thing: str
    place: str


def placing(line: str, hits: list[Hit]) -> Placing | None:
    """Return what *line* wants to have put where, None where it names no destination; *hits* are its actions and things."""
    padded = f" {line} "
    at = next((n for n, hit in enumerate(hits) if hit[2] == "action" and hit[3] in (*LAYING, *CARRYING)), -1)
    while at >= 0:
        found = (_english if line.isascii() else _chinese)(padded, hits, at)
        if found is not None:
            return found
        at = next((n for n, hit in enumerate(hits) if n > at and hit[2] == "action" and hit[3] in (*LAYING, *CARRYING)), -1)
    return None


def _english(line: str, hits: list[Hit], at: int) -> Placing | None:
    action, end = hits[at][3], hits[at][1]
    named = _IT.match(line[end:]) is None
    stop = next((hit[0] for hit in hits[at + 1 :] if hit[2] == "action" and hit[0] >= end), len(line))
    behind = [hit for hit in hits[at + 1 :] if hit[2] == "target" and end <= hit[0] < stop]
    before = [hit for hit in hits[:at] if hit[2] == "target"]
    thing, place = "", ""
    for target in behind:
        words = line[end : target[0]]
        directed = _TO.search(words) or (action in LAYING and _ON.search(words))
        if directed:
            if not thing and not named and before:
                thing = before[-1][3]
            place = target[3]  # Of two places the last one counts: the first tells where the thing is.
        elif not place:
            thing = thing or target[3]
        end = target[1]
    if thing and not place and action in LAYING:
        place = _unknown(_UNKNOWN, line[end:stop])
    return _different(action, thing, place) if thing and place else None


def _unknown(pattern: re.Pattern[str], words: str) -> str:
    """Return the place that *words* name and nobody here knows, or ""."""
    found = pattern.match(words)
    name = found.group(1) if found else ""
    return "" if name in _NO_PLACE or name.startswith(_ZH_NO_PLACE) else name


def _chinese(line: str, hits: list[Hit], at: int) -> Placing | None:
    action, (start, end) = hits[at][3], hits[at][:2]
    targets = [hit for hit in hits if hit[2] == "target"]
    before, behind = [hit for hit in targets if hit[1] <= start], [hit for hit in targets if hit[0] >= end]
    reach = line[start : behind[0][0]] if behind else ""
    if before and behind and len(reach) <= 5:
        plain = reach.removesuffix("我的").removesuffix("那个").removesuffix("那张").removesuffix("那边")
        if _ZH_TO.search(plain) or (action in LAYING and _ZH_LAYING.search(plain)):
            return _different(action, before[-1][3], behind[0][3])
    if before and not behind and action in LAYING and _unknown(_ZH_UNKNOWN, line[start:].rstrip()):
        return _different(action, before[-1][3], _unknown(_ZH_UNKNOWN, line[start:].rstrip()))
    for place in before:
        # 往抽屉里放本书, 在桌上给我放个杯子
        if action in LAYING and _ZH_FROM.search(line[: place[0]]) and start - place[1] <= 5:
            thing = behind[0] if behind else next((hit for hit in before if hit[1] < place[0]), None)
            if thing is not None:
                return _different(action, thing[3], place[3])
    return None


def _different(action: str, thing: str, place: str) -> Placing | None:
    return Placing("put" if action == "tidy" else action, thing, place) if thing != place else None
