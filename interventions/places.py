"""Where to: the thing that everyday words name as the place another thing is to be put (put the mug on the table).

English names it behind the thing and a word for a direction, Chinese behind the verb (把杯子放到桌上) or between 在 or 往
and the verb (往抽屉里放本书). Many verbs lay a thing down (hang, stack, 塞, 挂); with a thing and a place they all mean
to put. A place that tells which thing is meant ("bring the cup on the table") is no destination. A destination that
nobody here knows ("in the piano") stays one: its own word is given, and nothing is put elsewhere for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

Hit = tuple[int, int, str, str]

LAYING = ("put", "move", "tidy")
"""Actions that leave a thing somewhere; behind them every word for a place is a destination. Put back there is put."""
ITSELF = "itself"
CARRYING = ("bring", "take", "give")
"""Actions that may also end with a person; only a direction makes the place a destination."""


def _shape(pattern: str) -> re.Pattern[str]:
    """Return *pattern* over skeletons, in which an i is an l (interventions/text.py)."""
    return re.compile(pattern.replace("i", "l"))


_AWAY = "(?:back |down |up |over |right |out |away |inside |there |here |just )*"
_THE = "(?: the| a| an| my| your| our| that| this| its)?(?: [a-z]+)? $"
_TO = _shape(f" {_AWAY}(?:to|into|onto|on to|in to|towards?){_THE}")
_ON = _shape(f" {_AWAY}(?:on|in|at|inside|upon|under|underneath|by|beside|near|next to|on top of|against|over){_THE}")
_FROM = _shape(f" (?:off|from|out of|off of){_THE}")
_SELF = _shape(f" {_AWAY}(?:on|onto|in|into|inside|under|on top of) (yourself|you|itself|me|myself)(?=$| $| please| now)")
_VERBS = _shape(
    "(?<= )(?:set|sets|hang|hangs|stick|pop|popping|lay|drop|stack|slide|shove|tuck|rest|carry|throw|toss|return|leave|leaving|"
    "stand|hanging|setting|sticking|stacking|sliding|laying|carrying|returning|dropping|stow|slip|pile|get|getting|store|keep)(?= )"
)
_NEXT = (" and ", " then ", " but ", " also ")
_NOUN = _shape(" (?:the|a|an|my|your|to)$")
_IT = _shape(" (?:it|them|that|this|those|these|one) ")
_THERE = _shape(" (?:it|them|that|this|those|these|one)(?: back| over| down| right)* (?:there|in there|on there|on it|in it)(?= |$)")
_GOES = _shape("(?<= )(?:could|can|should|must|has to|have to|needs to|need to|ought to|may|might)(?: [a-z]+)* go (?=[a-z])")
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
_ZH_VERBS = "放摆搁挪移搬收归塞挂铺靠扔丢端拿带送插搭推拖装抱堆摞码藏"
_ZH_LAID = re.compile(f"([{_ZH_VERBS}])(?:一下|一[{_ZH_VERBS}])?([到进回入在上]?)$")
_ZH_VERB = re.compile(
    f"[{_ZH_VERBS}](?:回|进|入|到|在)|[摆搁塞挂铺装扔丢收存](?=[^\\x00-\\x7f在着了]{{1,4}}(?:[里上]|底下|下面|旁边))|[端摆搬抱放](?=上[桌床台])"
)
_ZH_FROM = re.compile("[在往到朝向]$")
_ZH_SIDE = re.compile("^(?:那|这)?(?:上|里|中|下|旁|边|面|头|底|间|儿|那边|那儿)*$")
_ZH_UNKNOWN = re.compile("^(?:放|摆|搁|挪|移|搬|塞)[到进在]([^\\x00-\\x7f]{1,4}?)[上里中下](?:面|边|头)?(?:去|吧|好吗|好不好)?(?:$| )")
_ZH_INSIDE = re.compile("(?:[里上中下旁]|那儿|那边)[面边头]?(?:去|来|吧|就|好|行|啊|呗|了|嘛)*(?:$| )|(?:去|吧|就|好|行)*(?:$| )")
_ZH_NO_PLACE = ("这", "那", "哪", "原", "一", "旁", "地", "厨房", "浴室", "房间", "屋", "它", "手")
_ZH_MINE = ("我", "他", "她", "它", "谁", "你把", "已经", "刚")
_ZH_BIDS = re.compile(
    f"[{_ZH_VERBS}](?:一下|一[{_ZH_VERBS}])?[到进回入]|[往朝向][^\\x00-\\x7f]{{1,6}}[{_ZH_VERBS}]"
    f"|在[^\\x00-\\x7f]{{1,5}}[{_ZH_VERBS}][个本张只点把一几些]"
    f"|[{_ZH_VERBS}][^\\x00-\\x7f在着了]{{1,4}}(?:[里上]|底下|下面|旁边)(?:去|吧|就|$)|就(?:行|好|可以)"
)


@dataclass(frozen=True, slots=True)
class Placing:
    """*thing* is to be put at *place*: keys of things, or the word of a place that is none."""

    action: str
    thing: str
    place: str


def laid(line: str, hits: list[Hit]) -> list[Hit]:
    """Return *hits* with every verb that lays a thing somewhere read as putting, whatever it means without a place."""
    padded, found = f" {line} ", list(hits)
    if line.isascii():
        verbs = [(one.start(), one.end()) for one in _VERBS.finditer(padded) if not _NOUN.search(padded[: one.start()])]
        verbs += [(one.start(), one.end() - 1) for one in _GOES.finditer(padded) if any(hit[2] == "target" for hit in hits)]
    else:
        verbs = [(one.start(), one.end()) for one in _ZH_VERB.finditer(padded)]
    for start, end in verbs:
        over = [hit for hit in found if hit[2] == "action" and hit[0] < end and start < hit[1]]
        if any(hit[3] in (*LAYING, *CARRYING) for hit in over):
            continue
        tried = sorted([*(hit for hit in found if hit not in over), (start, end, "action", "put")])
        at = tried.index((start, end, "action", "put"))
        placed = (_english if line.isascii() else _chinese)(padded, tried, at)
        if placed is not None and not (placed.place == "bin" and over):
            found = tried
    return found


def placing(line: str, hits: list[Hit]) -> Placing | None:
    """Return what *line* wants to have put where, None where it names no destination; *hits* are its actions and things."""
    for at, hit in enumerate(hits):
        if hit[2] == "action" and hit[3] in (*LAYING, *CARRYING):
            found = (_english if line.isascii() else _chinese)(f" {line} ", hits, at)
            if found is not None:
                return found
    return None


def bids(line: str) -> bool:
    """Tell whether a sentence with a destination asks for it: a direction, nobody who did it, and nothing done."""
    if line.isascii():
        return _GOES.search(f" {line} ") is not None and not line.startswith(("l ", "we ", "you "))
    over = line.endswith("了") and not line.endswith(("行了", "好了", "可以了"))
    return not over and not line.startswith(_ZH_MINE) and _ZH_BIDS.search(line) is not None


def _english(line: str, hits: list[Hit], at: int) -> Placing | None:
    action, (start, end) = hits[at][3], hits[at][:2]
    stop = next((hit[0] for hit in hits[at + 1 :] if hit[2] == "action" and hit[0] >= end), len(line))
    behind = [hit for hit in hits if hit[2] == "target" and end <= hit[0] < stop]
    before = [hit for hit in hits if hit[2] == "target" and hit[1] <= start]
    within = [hit for hit in hits if hit[2] == "target" and start < hit[0] < end]
    where = [one for one in before if _ON.search(line[: one[0]]) or _TO.search(line[: one[0]])]
    known = [hit for hit in before if hit not in where and not _FROM.search(line[: hit[0]])]
    if _THERE.match(line[end:]) and known and where:
        return _placed(action, known[-1][3], where[-1][3])
    it = _IT.match(line[end:]) is not None or line[start:end].endswith(" go")
    thing, place = (within[-1][3] if within else known[-1][3] if it and known else ""), ""
    for target in behind:
        words = line[end : target[0]]
        if thing and place and words.startswith(_NEXT):
            break  # Another thing, for another place.
        if _TO.search(words) or (action in LAYING and _ON.search(words)):
            place = target[3]  # Of two places the last one counts: the first tells where the thing is.
        elif not place or (it and not thing):
            thing = thing or target[3]
        end = target[1]
    if thing and not place and action in LAYING:
        place = _unknown(_UNKNOWN, line[end:stop]) or _unknown(_SELF, line[end:stop])
    return _placed(action, thing, place) if thing and place else None


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
    if before and behind and len(reach) <= 6:
        found = _ZH_LAID.search(re.sub("(?:我|你)的$|[这那](?:个|张|边)?$", "", reach))
        if found is not None and (found.group(2) or action in LAYING):
            return _placed(action, before[-1][3], behind[0][3])
    if before and not behind and action in LAYING and _unknown(_ZH_UNKNOWN, line[start:].rstrip()):
        return _placed(action, before[-1][3], _unknown(_ZH_UNKNOWN, line[start:].rstrip()))
    if not before and len(behind) == 1 and len(reach) <= 4:
        # What is to lie there was named before: 书别乱扔，放书架上去.
        found = _ZH_LAID.search(reach)
        if found is not None and (found.group(2) in "到进回" or action in LAYING) and _ZH_INSIDE.match(line, behind[0][1]):
            return Placing("put" if action == "tidy" else action, "", behind[0][3])
    for place in before:
        # 往抽屉里放本书, 在桌上给我放个杯子
        between = line[place[1] : start].strip()
        if action in LAYING and _ZH_FROM.search(line[: place[0]]) and _ZH_SIDE.match(between.removesuffix("给我").removesuffix("帮我")):
            thing = behind[0] if behind else next((hit for hit in reversed(before) if hit[1] < place[0]), None)
            if thing is not None:
                return _placed(action, thing[3], place[3])
    return None


def _placed(action: str, thing: str, place: str) -> Placing:
    """Return the placing; nothing can lie in or on itself, so that is a place nobody knows."""
    return Placing("put" if action == "tidy" else action, thing, place if thing != place else ITSELF)
