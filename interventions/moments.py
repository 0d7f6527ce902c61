"""When: the span, the hour or the condition that everyday words name for what is asked.

Three things are read, each into one short code that the mind resolves by its own clock and its own doings:

- `in:600000`: so many ms from now (in ten minutes, 十分钟后); `at:68400000`: at that time of day, a day or more from
  midnight where tomorrow is named (tonight, 晚上七点, 明天); `oclock:25200000`: at that hour by the face of a clock, whichever
  half of the day comes first (at seven);
- `did:eat`: after the listener has done that (when you have eaten, 等你睡醒);
- `free`: after what the listener does now (when you have a minute, 有空的时候); `later`: some time on.

A condition that none of these can hold ("if it rains", 我走的时候) makes the wish one that can't be kept (unkept, below);
what somebody tells of his own hours ("I have to go in a minute") puts nothing off.

A bound is no beginning: "within five minutes", 之内, and what was *ago* put nothing off.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from interventions import words
from interventions.text import clean, fold, has_words

_NUMBER = re.compile(r"(\d{1,4}|[a-z]+(?: [a-z]+)?) (seconds?|minutes?|hours?|days?)\b", re.ASCII)
_ZH_NUMBER = re.compile(r"(\d{1,4}|[一二两三四五六七八九十半几]{1,3}) ?个? ?(半)?(秒|分钟|小时|钟头|天)")
_HOUR_MS = 3_600_000

_SPAN = re.compile(r"\b(?:in|after) (?:about |around )?(?:\d{1,4}|[a-z]+(?: [a-z]+)?) (?:seconds?|minutes?|hours?|days?)\b"
                   r"|\b(?:minutes?|hours?) (?:from now|later)\b", re.ASCII)  # fmt: skip
_ZH_SPAN = re.compile(r"(?:秒|分钟|小时|钟头|天) ?(?:之后|以后|后|再|左右再)"
                      r"|[过等] ?(?:\d{1,4}|[一二两三四五六七八九十半几]{1,3}) ?个? ?半?(?:分钟|小时|钟头|天)(?=[^ ])")  # fmt: skip
_CLOCK = re.compile(r"\bat (\d{1,2}|[a-z]+)(?: (\d{2}))?(?: (o ?clock|am|pm))?(?= |$)", re.ASCII)
_PAST = re.compile(r"\bat (?:a |about )?(half|quarter) (past|to) (\d{1,2}|[a-z]+)\b", re.ASCII)
_ZH_CLOCK = re.compile(r"(上午|早上|早晨|中午|下午|傍晚|晚上|今晚)?(\d{1,2}|[一二两三四五六七八九十]{1,2})点(钟|整|半|的时候)?")
_CLAUSE = re.compile(r"\b(?:when|whenever|once|as soon as|after)\s+([^,.;:!?]+)")
_ZH_CLAUSES = (
    re.compile(r"等你?([^，,。；;！!？?]{1,10}?)(?:之后|以后|后|再|了?[，, ])"),
    re.compile(r"(?:^|[，,。；;！!])(?:请|麻烦)?你?([^，,。；;！!？?把给帮]{1,8}?)(?:之后|以后|后)"),
    re.compile(r"(?:^|[，,。；;！!])(?:请|麻烦)?你?([^，,。；;！!？?把给帮]{1,3}完[^，,。；;！!？?把给帮]{0,3}?)(?:再|就|了?[，,]|(?=[把请给帮去]))"),
)
_FREE = re.compile(
    r"\b(?:have|get|got|find|ve got) (?:a |an |some |the )?(?:free |spare )?(?:minute|moment|second|time|chance|hand)|"
    r"\b(?:are|re|youre) (?:free|done|finished|ready|through)$|\b(?:finish|finished|done)(?: (?:that|this|there|here))?$|"
    r"\b(?:done|finished) with (?:that|this|it)$"
)
_ZH_FREE = re.compile(r"(?:有空|有时间|得空)(?:的话)?|闲下来|空下来|忙完|手头.{0,4}完|做完(?:这个|手)|方便的时候|完事")
_MEAL = re.compile(r"\b(?:lunch|dinner|breakfast|supper|meal|snack)\b|[早午晚]?饭|[早午晚]餐")
_LATER = re.compile(r"\b(?:later|later on|in a while|in a bit|some other time)\b")
_ZH_LATER = re.compile(r"晚点|晚些|待会|过会|过一会|回头|等一?会儿?(?=[^ 儿])")
_STEMS = {"eaten": "eat", "ate": "eat", "slept": "sleep", "drunk": "drink", "drank": "drink", "written": "write", "wrote": "write",
          "woken": "wake", "napped": "nap", "sat": "sit"}  # fmt: skip
_DAYPARTS = {
    "tomorrow morning": 33 * _HOUR_MS, "tomorrow": 33 * _HOUR_MS, "this evening": 19 * _HOUR_MS, "tonight": 19 * _HOUR_MS,
    "this afternoon": 14 * _HOUR_MS, "明早": 33 * _HOUR_MS, "明天": 33 * _HOUR_MS, "今晚": 19 * _HOUR_MS, "今天晚上": 19 * _HOUR_MS,
    "今天下午": 14 * _HOUR_MS,
}  # fmt: skip
_NIGHTWARD = ("下午", "傍晚", "晚上", "今晚", "pm")


@dataclass(frozen=True, slots=True)
class Moment:
    """A code as above, or "" with the *clause* whose doing is still to be named; all empty where nothing is put off.

    *phrase* is the whole of the words that put it off: they are no part of the wish.
    """

    code: str = ""
    clause: str = ""
    phrase: str = ""


def moment(text: str) -> Moment:
    """Return the moment that *text* puts a thing off to. A clause is returned with its own words."""
    low = _without_telling(clean(text).lower())
    folded = fold(low)
    found = _SPAN.search(folded) or _ZH_SPAN.search(folded)
    span = due_ms(folded) if found else None
    if found and span is not None:
        return Moment(f"in:{span}", phrase=found.group())
    for clause, phrase in _clauses(low):
        if _FREE.search(clause) or _ZH_FREE.search(clause):
            return Moment("free", clause, phrase)
        return Moment("did:eat" if _MEAL.search(clause) else "", clause, phrase)
    found = _ZH_FREE.search(low)
    if found:
        return Moment("free", phrase=found.group())
    clock, phrase = _clock(folded)
    if clock:
        return Moment(clock, phrase=phrase)
    part = next((part for part in _DAYPARTS if part in folded), "")
    if part:
        return Moment(f"at:{_DAYPARTS[part]}", phrase=part)
    found = _LATER.search(folded) or _ZH_LATER.search(folded)
    return Moment("later", phrase=found.group()) if found else Moment()


def _without_telling(low: str) -> str:
    """Return *low* without the clauses that tell of somebody's own hours, where others are there to bid."""
    parts = _PARTS.split(low)
    told = [bool(_TELLS.match(fold(part))) and not _BIDS.search(fold(part)) for part in parts]
    if not any(told) or all(told or not has_words(part) for part, told in zip(parts, told, strict=True)):
        return low
    return ",".join(part for part, each in zip(parts, told, strict=True) if not each)


_PARTS = re.compile(r"[,.;!?，。；！？]+|\b(?:so|and so|but|because|since)\b(?= )")
_TELLS = re.compile(
    r"(?:(?:and|oh|well|sorry|but|so|now) )*(?:i|im|ive|ill|we|were|weve|well|he|hes|she|shes|they|theyre|my|our|its|theres|there|"
    r"the [a-z]+ (?:is|are|will|comes?|starts?|leaves?|arrives?|begins?|has|have))\b"
    r"|(?:因为|不过|可是)?(?:我[^请想要希]|他|她|客人|朋友|我朋友|大家)"
)
_BIDS = re.compile(r"\b(?:you|your|please|could|can|would)\b|[你您请帮把]|给我|麻烦")


def unkept(text: str, *, waited: bool) -> str:
    """Return the sentence of *text* that binds a wish to what can't be waited for, or "".

    What is mere courtesy binds nothing (if you don't mind, 方便的话), nor does what the listener alone can feel (if you are
    tired, 渴了就). *waited* tells that a moment was read (above): then only an "if" still binds.
    """
    low = clean(text).lower()
    for sentence in (found.group() for found in _SENTENCES.finditer(low)):
        folded = " ".join(fold(part) + " ," for part in re.split("[,，:：]", sentence) if has_words(part))
        found = [match for match in _IF.finditer(folded) if not _ASIDE.search(folded[: match.start()])]
        if not waited:
            found += [match for match in _WHEN.finditer(folded) if not _NO_WHEN.search(folded[: match.start()])]
        if any(not _COURTESY.match(match.group(1)) for match in found):
            return sentence
        han = [*_ZH_IF.finditer(folded), *(() if waited else _ZH_WHEN.finditer(folded))]
        if any(not _ZH_COURTESY.search(match.group()) and not _ZH_NUMBER.search(match.group()) for match in han):
            return sentence
    return ""


_SENTENCES = re.compile("[^.;!?。；！？]+")
_IF = re.compile(r"\b(?:if|unless|provided(?: that)?|as long as|so long as|supposing|should it) ([^,]+)")
_ASIDE = re.compile(
    r"\b(?:what|as|even|see|wonder|wondering|know|check|look|(?:ask|tell|say|find out)(?: [a-z]+)?|"
    r"sure|mind|appreciate it|appreciated|great|nice|lovely|good|better|best|grateful|"
    r"thankful|obliged|glad|happy|happier|love it|like it|prefer it|kind|wonderful|ok|okay|all right|alright|helpful|help|idea|only|"
    r"possible|be|it|id|rest|some [a-z]+|would) $"
)
_WHEN = re.compile(
    r"\b(?:when|whenever|once|as soon as|after|every time|each time|next time|the moment|the minute|the second)(?: that)? "
    r"(?!again|more|that ,|this ,|"
    r"a |an |in |all\b|do |does |did |is |are |was |were |will |can )([^,]+)|\bat (sunset|sunrise|dusk|dawn|nightfall)"
)
_NO_WHEN = re.compile(
    r"\b(?:at|look|looks|looking|just this|just|know|see|only|"
    r"(?:ask|tell|remind|show|say|find out|remember|guess)(?: [a-z]+)?) $"
)
_COURTESY = re.compile(
    r"(?:you|u|youre|youve|youd|youll|yourself|possible|ready|need be|necessary|convenient|free|done|i (?:may|might|could|can|were|was)|"
    r"(?:its|it is|that is|thats|it isnt|it wouldnt|it wont|that isnt|it) (?:not |no |too |all |be |quite |really )*"
    r"(?:ok|okay|all right|alright|right|fine|possible|"
    r"convenient|trouble|bother|much|any|problem|suits?|easy|inconvenien[a-z]+|hard|to ask|a)|theres time|there is time|i ask|we |dont|"
    r"convenient|not)\b(?! (?:see|hear|smell|go|leave|went|left|notice|find|spot|are going|are leaving|re leaving)\b)"
)
_ZH_IF = re.compile(
    "(?:如果|要是|假如|假使|倘若|万一|若是|只要|除非)[^,]{1,14}|[^,]{1,10}的话|(?<![^\\x00-\\x7f])[^,把将给帮请]{1,6}[了就]就(?![不会没好行坏脏是成])|"
    "(?<![^\\x00-\\x7f])(?:天(?:一|快)?(?:黑|亮)|雨停|下雨|客人来|有人来|我走|我离开|我出门|我回来)了(?=[把请就再帮给])"
)
_ZH_WHEN = re.compile(
    "(?:我|他|她|客人|朋友|天|雨|有人|谁|水|走|出|回|出去|离开|下)[^,把将给帮请]{0,6}(?:的时候|之后|以后|时(?![间候钟])|后(?![面边头来天]))|"
    "等(?!等|会|一|下|候|于|级|你|您)[^,把将给帮请]{1,8}(?:再|就|了|之后|以后|后|的时候)|[每一](?:次|当|到)[^,]{1,8}(?:就|,)|"
    "(?:天黑|天亮|雨停|凉|人来|回来|走|他来|她来|水开)了?(?:以后|之后|后)?再"
)
_ZH_COURTESY = re.compile(
    "方便|有空|有时间|得空|不忙|要是你(?=就|,|的话)|(?:起来|起床|醒)了就|麻烦|可以|愿意|乐意|介意|能的|能行|没事|闲|想|需要|我是你|要是我|如果是我|换[作成]|没有的话|没的话|在的话|行的话|"
    "[你也]?(?:累|困|渴|饿|冷|热|闷|无聊|难受|不舒服|喜欢|烦|乏|疲|暗)(?:了|的话|就|得)|等我|等一|觉得|早[就晚]"
)


def _clauses(low: str) -> list[tuple[str, str]]:
    """Return the conditions in *low* that speak of the listener, each with its whole phrase, in order."""
    found = []
    for match in _CLAUSE.finditer(low):
        clause = fold(match.group(1))
        first = clause.split(" ")[0] if clause else ""
        if first and first not in NOT_YOURS:
            found.append((clause, match.group()))
    for pattern in _ZH_CLAUSES:
        for match in pattern.finditer(low):
            clause = match.group(1)
            if not clause.startswith("我") and not _ZH_NUMBER.search(clause):
                found.append((clause, match.group().strip("，,。；;！! ")))
    return found


NOT_YOURS = ("i", "im", "ive", "we", "did", "do", "does", "is", "are", "will", "was", "were", "can", "all", "that",
             "it", "its", "he", "she", "they", "my", "somebody", "someone", "everyone", "everybody", "nobody")
"""First words of a clause that is a question, or speaks of the speaker."""


def plain_doing(clause: str) -> str:
    """Return *clause* with its verbs made plain: eaten is eat, 吃完饭 is 吃饭."""
    stemmed = [_STEMS.get(word, word.removesuffix("ed") if len(word) > 5 and word.endswith("ed") else word) for word in clause.split(" ")]
    return re.sub("[完好过醒了]", "", " ".join(stemmed))


def _clock(folded: str) -> tuple[str, str]:
    """Return the code of the time of day that *folded* names and the words for it, or nothing."""
    for match in _PAST.finditer(folded):
        hour, minutes = _count(match.group(3)), 30 if match.group(1) == "half" else 15
        if hour is not None and 0 < hour <= 24:
            return (_hour(hour, minutes, "") if match.group(2) == "past" else _hour(hour - 1, 60 - minutes, "")), match.group()
    for match in _CLOCK.finditer(folded):
        hour = _count(match.group(1))
        ends = match.end() == len(folded)
        if hour is not None and 0 < hour <= 24 and (match.group(2) or match.group(3) or ends):
            half = match.group(3) if match.group(3) in ("am", "pm") else ""
            return _hour(hour, int(match.group(2) or 0), half), match.group()
    for match in _ZH_CLOCK.finditer(folded):
        hour = _count(match.group(2))
        surely = match.group(1) or match.group(3) or match.group(2) not in ("一", "1")
        if hour is not None and 0 < hour <= 24 and surely:
            return _hour(hour, 30 if match.group(3) == "半" else 0, match.group(1) or ""), match.group()
    return "", ""


def _hour(hour: int, minutes: int, half: str) -> str:
    late = half in _NIGHTWARD and hour < 12
    code = "at" if half or hour > 12 else "oclock"
    return f"{code}:{(hour % 24 + 12 * late) * _HOUR_MS + min(59, minutes) * 60_000}"


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
