"""When: the span, the hour or the condition that everyday words name for what is asked.

Three things are read, each into one short code that the mind resolves by its own clock and its own doings:

- `in:600000`: so many ms from now (in ten minutes, 十分钟后); `at:68400000`: at that time of day, a day or more from
  midnight where tomorrow is named (tonight, 晚上七点, 明天); `oclock:25200000`: at that hour by the face of a clock, whichever
  half of the day comes first (at seven);
- `did:eat`: after the listener has done that (when you have eaten, 等你睡醒);
- `free`: after what the listener does now (when you have a minute, 有空的时候); `later`: some time on.

A bound is no beginning: "within five minutes", 之内, and what was *ago* put nothing off.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from interventions import words
from interventions.text import clean, fold

_NUMBER = re.compile(r"(\d{1,4}|[a-z]+(?: [a-z]+)?) (seconds?|minutes?|hours?|days?)\b", re.ASCII)
_ZH_NUMBER = re.compile(r"(\d{1,4}|[一二两三四五六七八九十半几]{1,3}) ?个? ?(半)?(秒|分钟|小时|钟头|天)")
_HOUR_MS = 3_600_000

_SPAN = re.compile(r"\b(?:in|after) (?:about |around )?(?:\d{1,4}|[a-z]+(?: [a-z]+)?) (?:seconds?|minutes?|hours?|days?)\b"
                   r"|\b(?:minutes?|hours?) (?:from now|later)\b", re.ASCII)  # fmt: skip
_ZH_SPAN = re.compile(r"(?:秒|分钟|小时|钟头|天) ?(?:之后|以后|后|再|左右再)"
                      r"|[过等] ?(?:\d{1,4}|[一二两三四五六七八九十半几]{1,3}) ?个? ?半?(?:分钟|小时|钟头|天)(?=[^ ])")  # fmt: skip
_CLOCK = re.compile(r"\bat (\d{1,2}|[a-z]+)(?: (\d{2}))?(?: (o ?clock|am|pm))?(?= |$)", re.ASCII)
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
_ZH_FREE = re.compile(r"有空|有时间|得空|闲下来|空下来|忙完|手头.{0,4}完|做完(?:这个|手)|方便的时候|完事")
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
    folded, low = fold(text), clean(text).lower()
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


NOT_YOURS = ("i", "im", "ive", "we", "did", "do", "does", "is", "are", "will", "was", "were", "can", "all", "that")
"""First words of a clause that is a question, or speaks of the speaker."""


def plain_doing(clause: str) -> str:
    """Return *clause* with its verbs made plain: eaten is eat, 吃完饭 is 吃饭."""
    stemmed = [_STEMS.get(word, word.removesuffix("ed") if len(word) > 5 and word.endswith("ed") else word) for word in clause.split(" ")]
    return re.sub("[完好过醒了]", "", " ".join(stemmed))


def _clock(folded: str) -> tuple[str, str]:
    """Return the code of the time of day that *folded* names and the words for it, or nothing."""
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
