"""What is asked not to be done, in every frame a wish may have: could you please not, 可以先不, leave the window closed.

Two builds are told apart. A negation stands before the doing it turns around ("I'd ask you not to open it", 今天可以不浇花吗);
what is to stay as it is ("keep it shut", 窗户就开着吧) needs none. Both ask for nothing to be done. A negation of another
word stays one of that word: "don't forget to" asks for the doing, 能不能 for an answer, 要不 and "why not" propose.
"""

from __future__ import annotations

import re

Hit = tuple[int, int, str, str]


def _shape(pattern: str) -> re.Pattern[str]:
    """Return *pattern* over skeletons, in which an i is an l (interventions/text.py)."""
    return re.compile(pattern.replace("i", "l"))


_NOT = _shape(
    r"(?<!why )(?<!if )\bnot (?:(?:please|kindly|just|ever|even|yet|now|really|actually|go|start|try|bother|dare|and|again|to|so) )*$"
)
_NOT_YOU = _shape(
    r"\b(?:could|would|can|will|might|may|should) (?:you|we|l|he|she|they)"
    r"(?: (?:please|kindly|just|maybe|perhaps|possibly|at least|all))* not "
    r"(?!only|mind)|\b(?:ask|asked|asking|like|want|beg|prefer|need|tell|urge|advise|remind|trust|rather|for) you (?:to )?(?:please )?not "
    r"(?!only)|\b(?:better|best|careful|sure|possible|kindly|please|rather) not (?:to )?[a-z]"
)
_SHUNS = _shape(
    r"\b(?:avoid|resist|refrain|do nothing|abstain|hold (?:off|back)|quit [a-z]+ing|nobody|no one|"
    r"steer clear|hands off|(?:hands|fingers|paws) off|(?:stay|keep) (?:away|clear)|"
    r"under no circumstances|by no means|on no account|in no case|neednt|need not|wouldnt (?:open|close|shut|touch|[a-z]+ (?:the|it|that))|"
    r"never mind (?:the|about|[a-z]+ing)|no (?:more )?[a-z]{2,}ing)\b"
)
_THE = "(?:the|that|this|those|these|your|my|our|his|her)"
_STATE = (
    "(?:open|closed|shut|ajar|locked|unlocked|untouched|alone|be|running|lit|burning|drawn|as (?:it|they|things) (?:is|are)|as is|"
    "(?:exactly |just )?(?:where|how) (?:it|they) (?:is|are)|(?:exactly |just )?the way (?:it|they) (?:is|are)|"
    "(?:on|off)(?! (?:the|a|an|my|your|our|that|this|top|it)\\b))"
)
_ONE = f"(?:it|them|that|this|{_THE}(?: [a-z]+){{1,3}}?)"
_KEPT = _shape(
    rf"\b(?:leave|leaving|keep|keeping|let|letting) {_ONE}(?: (?:on|in|under|by) {_THE} [a-z]+)?"
    rf"(?: (?:to )?(?:stay|remain))? {_STATE}(?= |$)"
    rf"|(?:^|\b(?:it|{_THE} )(?:[a-z]+ )?)(?:door|window|curtains|lamp|light|radio|fridge) "
    rf"(?:stays|remains|(?:should|must|is to|are to|could|can|may) be (?:left|kept)) {_STATE}(?= |$)"
    rf"|\b(?:it|{_THE}(?: [a-z]+){{1,3}}?)(?: (?:can|could|should|must|may|might|to|just|still|better))* (?:stay|remain)s? {_STATE}(?= |$)"
)
_WANTED = _shape(
    rf"\byou (?:left|kept|let) {_ONE}(?: stay| remain)? {_STATE}(?= |$)"
    rf"|\b(?:like|want|prefer|need|have) {_ONE} (?:to be )?(?:left|kept) {_STATE}(?= |$)"
    r"|\b(?:does not|doesnt|do not|dont|wont|no longer)(?: really| even| yet)? needs? (?!to )"
)
_BARS_KEEPING = _shape(
    r"\b(?:dont|not|never|stop|cant|shouldnt|mustnt|why|who|you always|did you|do you|were you|l|"
    r"(?<!shall )(?<!dont )(?<!should )(?<!could )(?<!can )we|he|she|they)(?: (?:just|ever|always|please|ll|did|had|have))? $"
)
_SAME = _shape("(?:leave|keep|let)(?:ing)? (?:it|them) ")
_DID = _shape("(?<!favour) (?<!favor )and (?:then |please )?$")
"""Turn it on and leave it on: what is done first is to be done."""
_ZH_NOT = re.compile(
    "(?<![怎么咋嘛何啥为要得对差看听找拿搬吃睡忍])不(?:再|先|去|来|给我|帮我|替我|急着|忙着|乱|随便|马上|立刻|主动|全|都|一直|老|擅自|自己|轻易|现在|"
    "(?:把|将)[^了]{1,8}|给[^了]{1,4}|用[^了]{1,4})*$"
)
_ZH_CANT = re.compile("[打拧推拉关掰撬拔挪解翻睁]不[开上动掉下来]")
_ZH_SHUNS = re.compile(
    "甭|(?<![约])莫|用不着|没(?:有)?(?:必要|那个必要)|不需要|无需|无须|毋须|避免|禁止|严禁|免得你|不(?:想|愿|愿意|希望)(?:让|叫|要)?你|不建议|"
    "(?<!应)不应该?|(?<!该)不该|不宜|不可(?!以)|何必|休想|无必要|犯不着|省得你"
)
_CALLED_OFF = _shape(
    r"^(?:(?:no|oh|just|please|well|better|then|so) )*"
    r"(?:(?:leave|let) (?:it|them|that)(?: be| alone)?|forget (?:it|that)|never mind)(?: please)?$"
)
_ZH_CALLED_OFF = re.compile(
    "(?:就|还是|也)(?:算了|免了|不必了|不用了)吧?$|^(?:还是|那|那就|就)*(?:算了|免了|不必了?|不用了?|拉倒)吧?$|(?<![别能])免了吧$"
)
_ZH_KEPT = re.compile(
    "(?:[开关亮敞锁拉合留放摆掩]着)(?:它|灯|门|窗|窗户)?(?:就[好行成]|吧|呗|好了|好吗|好吧|就是了|行吗|行了|可以吗|嘛|哈|啊)*(?:$|(?=[别不，]))"
    "|保持.{0,6}(?:关|开|亮|原样|不动|现状)|原样|照旧|原封不动|别管它|维持.{0,4}(?:原样|现状)"
)
_ZH_BARS_KEEPING = re.compile("别|不要|不许|老是?|总是?|一直|还|谁|怎么|为什么|没|忘")


def called_off(line: str) -> bool:
    """Tell whether the skeleton of a clause takes back what another says."""
    return (_CALLED_OFF if line.isascii() else _ZH_CALLED_OFF).search(line) is not None


def left_undone(line: str, hits: list[Hit]) -> bool:
    """Tell whether a negation that is no cue of its own turns around the doing in *line*; *hits* count from one blank before it."""
    padded, doings = f" {line} ", [hit for hit in hits if hit[2] == "action"]
    first = doings[0][0] if doings else len(padded)
    if called_off(line):
        return True
    if line.isascii():
        found = _NOT_YOU.search(padded) or _SHUNS.search(padded)
        if found is not None and found.start() <= first:
            return True
        return any(_NOT.search(padded[: hit[0]]) for hit in doings)
    shuns = _ZH_SHUNS.search(padded)
    if shuns is not None and shuns.start() <= first:
        return True
    return any(_zh_not(padded, hit[0]) for hit in doings)


def _zh_not(padded: str, at: int) -> bool:
    found = _ZH_NOT.search(padded[max(0, at - 24) : at])
    if found is None:
        return False
    sign = found.start() + max(0, at - 24)
    return padded[sign - 1] != padded[sign + 1] and _ZH_CANT.match(padded, sign - 1) is None and "就" not in padded[at : at + 4]


def stays(line: str) -> bool:
    """Tell whether the skeleton *line* wants something to stay as it is."""
    if line.isascii():
        heads = [(line[: found.start()], found.group()) for found in _KEPT.finditer(line)]
        kept = any(not _BARS_KEEPING.search(f" {head}") and not (_DID.search(head) and _SAME.match(each)) for head, each in heads)
        return kept or _WANTED.search(line) is not None
    found = _ZH_KEPT.search(line)
    return found is not None and _ZH_BARS_KEEPING.search(line[: found.start()]) is None
