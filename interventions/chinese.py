"""How a Chinese clause is built: whether it bids, proposes, asks or states. Read from its build, not from its words.

Theory of operation
===================
A Chinese request needs no word for "please". It is told by what is *not* in it: nobody who does it, no sign that it is done.
So the clause is read from its head to its first verb, and everything there must be of a kind that may stand before a
bidden verb: a call or a moment, the thing with what tells which one, 把 给 往 在 with a thing, you, and how (快 先 帮我).
Then the rest, from the verb on, must show no state: no 了 着 过 没, no judgement (得 真 很), nothing that is or has (是 有).

A thing that stands first without 把 (毛巾拿来) is also how statements begin. There the verb must show that it is bidden:
by 一下 or a doubled verb, by what it is to lead to (关上, 收起来), by how much (一点, 一首), or by where to.
"""

import re
from itertools import pairwise

from interventions import words

Hit = tuple[int, int, str, str]

THING = "\x00"
"""What stands for the name of a thing while the head of a clause is looked at."""


def _any(listed: str) -> str:
    return "|".join(sorted(listed.split(), key=len, reverse=True))


_CALLS = f"(?:{_any(words.ZH_CALLS)})"
_HOW = f"(?:{_any(words.ZH_HOW)})"
_DOERS = f"(?:{_any(words.ZH_DOERS)})"
_PART = "(?:声音|音量|温度|亮度|火|水|盖子?|电源|[上里中下边面旁头门那这些都儿个屑片包盒瓶袋堆叠]){0,3}的?"
_LEADING = "(?:把|将|给|往|在|用|从|到|去|朝|向|替|跟着?|帮|照着?|按着?|对着|顺着|沿着)"
_WITH = f"(?:{_LEADING}(?:[^{THING}我他她它谁了]|[了过]的){{0,6}}?{THING}{_PART})"
_TOPIC = f"(?:(?:[这那一]把|[^{THING}我他她它谁了着是有没不很在么怎哪把将给往从用到跟替帮]){{0,8}}{THING}{_PART})"
_SOMETHING = f"(?:(?:把|将|给|替|跟|陪)[^{THING}我他她它谁了]{{1,6}}$)"
"""A thing that nobody here knows, brought forward all the same: 把盐."""
_MINE = f"(?:(?:把|将|给|往|在|用|从)?我的{THING}|[把将]我(?:刚才|刚|要)?[说讲念]的(?:话|内容|事)?)"
_BEFORE = "(?:[^我他她了]{1,8}(?:的时候|之前|以前|时候|前|了就|的话就?)|没.{1,3}就|不.{1,3}就)"
_WAY = (
    "(?:(?:往|朝|向|到|在|从|上)(?:[这那]边|[这那][儿里]|旁边|[左右前后上下里外]边?|一边|边上|地上|屋里|门外|外面)"
    f"|[往朝向][^{THING}我他她它了]{{1,4}}$)"
)
_NOUNS = re.compile(_any(words.ZH_NOUNS))
_HEAD = re.compile(f" *+(?:{_CALLS} *+)*+{_BEFORE}?(?: |{_MINE}|{_WITH}|{_SOMETHING}|{_TOPIC}|{_WAY}|{_HOW})*+$")
_WISHES = "想请|想让|希望|建议|觉得你|看你|劝|要你|求|想麻烦|需要你|要是|拜托|麻烦|请求|推荐|提议|想喝|想要|想吃"
_ANOTHER = re.compile(f"(?:{_CALLS}|[今明昨后]天|上午|下午|刚才|刚刚)*+{_DOERS}(?!的|们|{_WISHES})")
_BROUGHT = re.compile("把|将|给我|帮我|替我")
_LED = re.compile(f"(?:[往从给用在到跟照按]|[跟照按对顺沿]着)[^{THING}]{{0,6}}{THING}")
_MAY_I = "好吗|好嘛|好么|好不好|行吗|行么|行不行|行不|可以吗|可以么|可以不|可不可以|成吗|成不成"
_ENDS = re.compile(
    f"(?:[吧呗啊呀哦噢喔嘛啦哈咯喽嘞]|{_MAY_I}|怎么样|如何|咋样|谢谢|多谢|谢啦|"
    "撒|噻|咧|哩|伐|呐|哟|呦|好伐|好啵|算了|得了|就行|就好|就成)+$"
)
_TAG = re.compile(f"(?:{_MAY_I})$")
_WHAT_ABOUT = re.compile("(?:怎么样|如何|咋样)$")
_SOFT = re.compile("(?:吧|吧好吗|吧行吗)$")
_STATED = re.compile(
    "了$|了[吗没]|着呢?$|过$|过了|得(?!先|.{1,3}[点些]儿?$)|[真很挺]|(?<!别.)太(?!多|久|晚|快|大|响)|已经|正在|没(?!事)|"
    "(?<![只所没])有(?!空)|是|不(?!用|要|行|了|掉|许|准)|会(?!儿|$)|多久|一直|总是|经常|(?<!刚)才(?!行|好|能)|使|让(?:我(?![听看尝瞧])|人|他|她)"
)
_DONE = re.compile("[^算除为]了(?!吧|就|我|它|给)")
_BIDS = re.compile(
    "(?:一下|下|点儿?|些|会儿?|一会儿?)$|(.)一?\\1(?:$|看)|(..)\\2$|[点些个]|[一两三几半][首曲杯壶块条张遍回次趟声口句本封段支碗份片页]|给我|帮我|"
    "(?:[上下掉好开满走来去净紧实严亮暗大小高低齐平光熟完灭热]|起来|给我|还我|借我|递我|看看)(?:一?[点些]儿?)?$|就[行好]$|一边$|旁边$|"
    "[放搁挂摆搬挪移塞收装倒铺丢扔]\\S{0,2}.{1,7}?[里上下边旁中处]面?[去来]?$|[到回进].{1,7}[去来]$|[放搁挂摆搬挪移塞收装还送拿丢扔][回进到].{1,6}$|给[他她你]们?$|"
    "[端摆搬抱放]上[桌床台]|[放摆搁挂搬挪].{0,8}(?:地方|原处|原位|原地)$"
)
_BIDDEN_BY = re.compile("(?:[你先快去来别]|不要|别乱|记得|别忘了|帮忙|麻烦)$")
_ASKS = re.compile(
    "[吗么]$|(?<![也都])没有?$|没有?[啊呀呢]$|(?<![一二两])(.)[不没]\\1|^(?!.*[在还正没可才着]).*呢$|(?:谁|什么|哪|怎么|咋)(?!.?[也都]没)|为什么|为啥|"
    "几[点岁次时个本]|多[少久大长远高]|还是|是不是|有没有|有几|不$"
)
_EMBEDS = ("look", "ask", "search", "listen", "talk", "read")
"""Doings whose object may be a question: 去看看水开了没有."""
_TRIES = re.compile("去|(.)一?\\1|.{1,2}(?:一下|下|一眼)")
_UNKNOWN_TOPIC = re.compile("[^我他她它谁你了着过是有没不很在心]{1,3}?(?:(.)一?\\1|(..)\\2|.{1,2}一?下)$")
"""A thing that nobody here knows, and a verb that is surely bidden: 地板扫一扫."""
_GOOD = re.compile(
    "(?:也不错|挺好|挺不错|多好|更好|舒服(?:一?点|一?些)?|好(?:一?点|一?些|得多|多)|好受)(?:的|了|吧)?$|有好处$|为好$|也[好行]$|对.{1,5}好$"
)
_IF = re.compile("^(?:.{1,6}(?:了就|的话就?)|(?:要是|如果).{1,8}就)(?!是|在|有|没|会)")


def speaks_of_another(line: str) -> bool:
    """Tell whether somebody who is not spoken to is who does it: 我妈给我打电话, 有人没关门."""
    return _ANOTHER.match(line.lstrip()) is not None


def asks(line: str) -> bool:
    """Tell whether *line* is built as a question, courtesies at its end not counted."""
    return _ASKS.search(_ENDS.sub("", line)) is not None


def told_of(line: str, hits: list[Hit]) -> bool:
    """Tell whether what sounds like a wish is told of another: 小王让我把门关上, 张老师把书还给我了."""
    cue = next((hit for hit in hits if hit[2] == "strong"), None)
    if speaks_of_another(line):
        return True
    if cue is None or not (line.endswith("了") or f" {line}"[cue[0] : cue[1]] == "让我"):
        return False
    return _HEAD.match(_masked(line[: cue[0] - 1], hits)) is None


def remembers(line: str, cue: str) -> bool:
    """Tell whether a gentle cue stands in what is told of the past: 我们一起洗碗的时候聊了很多."""
    past = _BACK_THEN.search(line) or _DONE.search(_ENDS.sub("", line))
    return cue in ("一起", "一块儿", "咱们", "咱俩", "我们一起", "也许", "或许") and past is not None


_BACK_THEN = re.compile("昨|刚才|已经|上次|前天")


def serial(hits: list[Hit], line: str) -> list[Hit]:
    """Drop the verb that only leads to another (你来关窗), tells where it leads (挂起来) or what it is for (念来听听)."""
    padded = f" {line} "
    kept: list[Hit] = []
    for at, hit in enumerate(hits):
        start, end, role, value = hit
        later = hits[at + 1 : at + NEAR]
        if role == "action" and (
            _led(hit, [other for other in kept[-NEAR:] if other[2] == "action"], padded) or _leads(hit, later, padded)
        ):
            continue
        if role == "action" and padded[end] == "的" and any(
            (other[2] == "action" and other[0] > end) or (other[2] == "target" and end < other[0] <= end + 4) for other in later
        ):
            continue  # It tells which thing is meant: 洗好的衣服收起来.
        if role == "action" and _AS.match(padded, end) and any(other[2] == "action" and other[0] > end for other in later):
            continue  # It tells when: 出去的时候.
        if role == "action" and padded[start] in "靠倚" and any(other[3] in _AT_EASE for other in later):
            continue  # 靠沙发上歇会儿
        if role == "target" and padded[start:end] in "碗杯盘勺壶" and (
            padded[end] in "面饭汤粥米菜水茶酒" or (padded[start - 1] in "来一两几半盛倒喝吃做煮端熬热" and _HAN.match(padded, end))
        ):
            continue  # It tells how much.
        if role == "target" and padded[start:end] == "门" and padded[start - 1] in "出进串":
            continue  # Who goes out does nothing to the door.
        if role == "target" and value == "bed" and padded[start - 1] in "起上" and padded[start:end] == "床":
            continue  # Who is to get up is to do nothing to the bed.
        if role == "action" and padded[start:end] == "给你" and _HERE.match(padded):
            continue  # 这把钥匙给你 gives, and asks for nothing.
        if role == "strong" and padded[start:end] == "让我" and any(other[2] == "action" for other in kept[-NEAR:]):
            continue  # 喝茶让我睡不着 tells what it does to me.
        if role == "promise" and padded[start - 1] in "等给帮替陪让跟为对叫教请问告借递":
            continue  # 等我一会儿 speaks of what you are to do.
        kept.append(hit)
    return kept


_AT_EASE = ("rest", "sit", "lie", "sleep")
NEAR = 12
"""How many hits before or behind one may belong to it; more would make a long line slow to read."""


def _led(hit: Hit, before: list[Hit], padded: str) -> bool:
    start, end, _, value = hit
    if any(other[3] == "ask" for other in before):
        return True  # What he is to be asked is not done: 问问他几点来.
    near = any(other[1] <= start and _BETWEEN.fullmatch(padded[other[1] : start]) for other in before)
    for_it = value in _FOR and padded[:start].endswith(("给我", "来"))
    return near and (for_it or padded[start:end] in _LEADS_TO)


def _leads(hit: Hit, hits: list[Hit], padded: str) -> bool:
    word = padded[hit[0] : hit[1]]
    if word[0] in "等待" and padded[hit[1]] == "我":
        return True  # 等下我去.
    beside = _FOR if len(word) > 1 else ()  # 过来看看 is to come, too.
    return word in ("来", "过来", "停", "给你", "给他", "给她", "给他们") and any(
        other[2] == "action" and hit[1] <= other[0] <= hit[1] + 8 and other[3] not in beside for other in hits
    )


def bids_another(clause: str) -> bool:
    """Tell whether *clause*, behind one that says what the speaker will do, turns to the other: 我去买菜，一会儿回来 does not."""
    return any(sign in clause for sign in "你您请帮给把别等快先咱")


def meant(hits: list[Hit], line: str) -> list[Hit]:
    """Drop the thing that only tells which other one is meant, or where it is: 桌上的杯子 is a cup."""
    padded, things = f" {line} ", [hit for hit in hits if hit[2] == "target"]
    telling = [one for one, other in pairwise(things) if _OF.match(padded[one[1] : other[0]])]
    if any(hit[3] == "throw_away" for hit in hits if hit[2] == "action"):
        telling += [one for one in things if _HOLDS.match(padded, one[1])]  # 抽屉里的东西 may go, the drawer may not.
    if len(things) > 1:
        telling += [one for one in things if padded[: one[0]].endswith("从") and _FROM.match(padded, one[1])]  # 从冰箱里拿出面包
    telling += [one for one in things[:-1] if _WHEN.match(padded, one[1])]  # 换衣服之前把窗帘拉上
    return [hit for hit in hits if hit not in telling]


_HERE = re.compile(" (?:给|喏|来|喂)?[这那]把?[^把将还我他她]{1,8}给你[了啦吧呀啊]*+ $")
_OF = re.compile("[上里中下旁内外边]?[面边头]?(?:的|那|这|有|放着|摆着)[^\\x00-\\x7f]{0,4}$|[上里中下旁][面边头]?$")
_FROM = re.compile("[上里中下旁内外]")
_WHEN = re.compile("之前|以前|之后|以后|的时候")
_HOLDS = re.compile("[上里中下内][面边头]?的?[^\\x00-\\x7f]")
_LEADS_TO = ("起来", "过来", "回来", "进来", "出去", "来", "走吧", "走了", "走开", "放下", "放好", "过来坐", "坐")
_AS = re.compile("[^我他她了]{0,4}?(?:的时候|之前|以前|时候|前(?![面边头])|了就|完(?![了吗呢没的])|顺便|顺手|顺路)")
_HAN = re.compile("[^\\x00-\\x7f吧呗了洗干给]")
_BETWEEN = re.compile("[好完一下给我]{0,2}|.{1,5}(?:给我|来)|.{1,5}")
_FOR = ("eat", "drink", "look", "listen", "play", "read")


def for_me(line: str, action: str, target: str) -> str:
    """Return the action that "for me" makes of *action*: what is given to me is brought, and so is a thing without a verb."""
    if action == "give" or (not action and target):
        return "bring" if (_TO_ME.search(line) or (action == "give" and _PASS.match(line))) and not speaks_of_another(line) else action
    return "bring" if not action and _SOME_FOR_ME.search(line) else action


def held_in(line: str, action: str) -> str:
    """Return the name of the thing that a measure of drink comes in: 端杯水来 asks for a cup."""
    return next((name for shape, actions, name in _MEASURES if action in actions and shape.search(line)), "")


_MEASURES = (
    (re.compile("杯[热凉温开冷冰白]{0,2}(?:水|茶|咖啡|牛奶|果汁)"), ("bring", "give"), "杯子"),
)
_SOME_FOR_ME = re.compile("给我[一两几半]?[杯碗份块片壶瓶张支条把个点些]")
_PASS = re.compile(f"(?:{_CALLS}|快|帮忙)*+(?:把.{{1,6}})?递(?!给)")
_TO_ME = re.compile("[给递借]我(?!的)|我用|我看|过来")


ASKS_LEAVE = re.compile(f"(?:{_CALLS})*+我们?(?:能|可以|可不可以|能不能|能否|可否)(?!.*[给帮借])")
"""Who asks whether he himself may asks for nothing to be done."""
_PROMISES = re.compile(
    "(?<![等给帮替陪让跟为对叫教请问告借递把])我们?(?:[今明后]天|明早|今晚|晚上|早上|下午|周末|下次|改天|回头|待?会儿?|等?会儿?|一会儿|过会儿|过几天|晚点|稍后)*"
    "(?:会|将|再|就|去|来|给你|帮你|替你|陪你|马上|一定|打算|准备|这就|自己)"
)


def promises(line: str) -> bool:
    """Tell whether the speaker says what he is going to do."""
    return _PROMISES.search(line) is not None and re.search("了$|过$|[^算除]了[^吧就]|没|已经|刚才|昨|是", line) is None


def judges(line: str) -> bool:
    """Tell whether *line* asks how something is done: 睡得好吗."""
    return _JUDGES.search(line) is not None


_JUDGES = re.compile("得[^一了]{0,3}(?:[好香惯着懂到]吗|怎么样|怎样|如何|好不好|吗)$")


def offers(line: str) -> bool:
    """Tell whether *line* asks whether the speaker is to do it: 要不要我帮你拿."""
    return _OFFERS.match(line) is not None


_OFFERS = re.compile("(?:那|你)?(?:要不要|需不需要|需要|用不用|用得着|要)我(?!的|[妈爸哥姐弟妹])")


def may_well(line: str) -> bool:
    """Tell whether *line* says what the other might do more often or sooner, for his own good."""
    return _MAY_WELL.search(line) is not None


STILL_CAN = re.compile("[还就才]能(?!不能)")
"""What one can do still, or only then, is told: 杯子洗洗还能用."""
_MAY_WELL = re.compile("(?:^|你)[^我他她它]{0,4}可以(?:多|早点|早些|常|经常|适当|偶尔|试)")


def polite(line: str) -> bool:
    """Tell whether *line* is a courtesy, or no more than a sound of agreement."""
    return line.startswith(words.ZH_POLITE) or _KIND.search(line) is not None


def states(line: str, target: str) -> bool:
    """Tell whether *line* tells something of the room or of somebody, by how it is built."""
    if _STATE.search(line):
        return True
    if _MIGHT.match(line):
        return False
    if len(line) > 3 and speaks_of_another(line):
        return True
    bid = _BROUGHT.search(line) or _BIDS.search(_ENDS.sub("", line)) or line.startswith("你来")
    return bool(target) and (_STATED.search(line) is not None or (len(line) > 3 and not bid))


_MIGHT = re.compile("我们?(?:也|就|还|先|现在)?(?:可以|能|想|该|应该|得|要|不如|还是)")
"""What one might do is no news of the room; said to oneself it is a thought of doing it."""
_KIND = re.compile("(?:麻烦|辛苦|打扰|难为|劳烦|谢谢|有劳)[你您]?[啦了]$")
_STATE = re.compile(
    "[^你咱]{1,6}(?<![跟和给])说.{0,8}(?:要|会|有)|上个?(?:月|周|星期|礼拜)|昨[天晚夜]|前天|去年|特别[多少大小高低]|越来越|(?:啥|什么|谁|哪儿)[也都][没不]|搬走[了咯啦]|"
    "(?:好|有点儿?|有些|真|太|很|挺|够|怪|特别|这么)[闷冷热黑暗亮吵乱脏香臭烫挤潮累困饿渴疼痛晕湿干]|[下刮]着?[雨雪风]"
)


def mood(line: str, hits: list[Hit]) -> str:
    """Return request or suggestion for a clause built as one, "" for any other. *hits* count from one blank before *line*."""
    body = _ENDS.sub("", line)
    if not body or speaks_of_another(line) or (body.startswith(("我们", "咱")) and body == line and body.endswith("了")):
        return ""
    verb = _bidden_verb(body, hits)
    if verb is None:
        return _supposed(body, hits)
    head, rest = body[: verb[0] - 1], body[verb[0] - 1 :]
    if _GOOD.search(rest):
        return "" if "得" in rest or "不舒" in rest else "suggestion"
    embeds = verb[3] in _EMBEDS and _TRIES.match(f"去{rest}" if head else rest)
    asked = _ASKS_WHO.search(head) or (_ASKS.search(rest) and not _TAG.search(line) and not embeds)
    if asked or _NOT_NOW.search(head) or _tells_of_a_day(hits, rest):
        return ""
    if not _shows_wish(rest, head, line[len(body) :], verb[3], _masked(head, hits)):
        return ""
    gentle = _WHAT_ABOUT.search(line) or (_SOFT.search(line) and not _FOR_ME.search(head))
    return "suggestion" if gentle else "request"


_NOT_NOW = re.compile("刚|已经|昨|前天|早就|常常|经常|总|从来|以前|上次|一直")
_ASKS_WHO = re.compile("谁|什么|怎么|哪|为啥")
_FOR_ME = re.compile("将|给我|帮我|替我")


def _tells_of_a_day(hits: list[Hit], rest: str) -> bool:
    """Tell whether one doing follows the other, as they do in a story."""
    return len({hit[3] for hit in hits if hit[2] == "action"}) > 2 and not _BIDS.search(rest)


def _supposed(body: str, hits: list[Hit]) -> str:
    """Return suggestion for what is said to be done in some case: 累了就歇一会儿."""
    case = _IF.match(body)
    at = case.end() + 1 if case else 0
    return "suggestion" if case and any(hit[2] == "action" and hit[0] - 1 <= at <= hit[1] for hit in hits) else ""


def _bidden_verb(body: str, hits: list[Hit]) -> Hit | None:
    """Return the first verb before which only stands what may stand before a bidden one."""
    for hit in hits:
        if hit[2] != "action" or hit[1] - 1 > len(body):
            continue
        after = body[hit[1] - 1 :]
        if after[:1] == "的" or after[:2] in ("好的", "完的", "过的", "了的"):
            continue  # It tells which thing is meant: 洗好的衣服.
        if _HEAD.match(_masked(body[: hit[0] - 1], hits)):
            return hit
    if _UNKNOWN_TOPIC.match(body):
        return next((hit for hit in hits if hit[2] == "action" and hit[0] - 1 in (1, 2, 3) and hit[3] not in _EMBEDS), None)
    return None


def _masked(head: str, hits: list[Hit]) -> str:
    """Return *head* with each name of a thing as one sign."""
    found, at = "", 0
    for start, end, role, _ in hits:
        if role == "target" and at <= start - 1 and end - 1 <= len(head):
            found += head[at : start - 1] + THING
            at = end - 1
    return _NOUNS.sub(THING, found + head[at:])


def _shows_wish(rest: str, head: str, ending: str, action: str, masked: str) -> bool:
    """Tell whether what stands from the verb on is bidden, and not a state that was reached."""
    tries = action in _EMBEDS and _TRIES.match(rest) is not None
    brought = _BROUGHT.search(head) is not None
    forbidden = _FORBIDS.search(f"{head}{rest[:2]}") is not None
    stated = None if tries else _STATED.search(rest)
    if stated is not None and stated.group() == "着" and _GOES_TO.match(head):
        return True  # 去床上躺着 tells where to stay.
    hurried = _HURRIED.search(head) is not None
    bid = brought or forbidden or hurried or ending.startswith(("吧", "呗", "得了", "算了"))
    if stated is not None and not (stated.group() == "了" and bid):
        return False
    if not brought and not tries and not hurried and _DONE.search(rest):
        return False
    if _LIES.match(rest) and ending == "" and not brought and THING in masked:
        return False
    thing_first = THING in masked and not brought and not _LED.search(masked)
    if forbidden or hurried or not thing_first or ending != "" or _TRIED.match(rest):
        return True
    return any(shape.search(part) for shape, part in ((_BIDS, rest), (_BIDDEN_BY, head)))


_LIES = re.compile("[放摆搁挂塞收存装铺堆摊摞]在")
"""书放在桌上 tells where it lies; 书放桌上 bids to."""
_TRIED = re.compile("(?:(.)一?\\1|.{1,2}(?:一下|下|一眼))(?!.*[就才还能了])")
"""Who is to have a look, and not who has had one: 抽屉里找找."""
_GOES_TO = re.compile("^(?:[你快先来再]|赶紧)*(?:[去到回]|给我|好好|乖乖)")
_HURRIED = re.compile("赶紧|赶快|赶忙|抓紧|趁(?:着?热|早|新鲜|凉)|麻利|利索|快点")
"""Who is told to hurry has not done it yet: 赶紧吃了."""
_FORBIDS = re.compile("别|不要|不许|不用")
