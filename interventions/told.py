"""What is thanked for, apologised for, told, quoted or asked leave for: clauses that name a doing and bid nobody to do it.

A frame around the doing tells: thanks and apologies speak of what is done ("forgive me for opening it", 多亏你帮我关窗), asking
leave and saying what one needs to do speak of the speaker's own doing ("would you mind if I", 请允许我), and who tells, repeats
or quotes speaks of it only ("can you believe", 听说, a title in quotes). Such clauses are set aside before the wish is read; what
stands beside them is read as ever. Who asks leave to be given something ("do you mind if I borrow") asks for a deed all the same.
"""

from __future__ import annotations

import re
from itertools import islice

from interventions import words
from interventions.text import clean, fold

_GERUND = r"(?:[a-z]+ ){0,2}?(?!(?:something|anything|everything|nothing|evening|morning)\b)[a-z]+ing\b"
_OWN = (
    r"(?:just |please |quickly |also |really |first |now )*(?!have |had |borrow|ask|see |hear |know|trouble|bother|use |"
    r"suggest|recommend|remind|persuade|convince|beg|request|invite|urge|propose|interest|"
    r"count|get (?:the|a|some|my|you)|be |put this|you|a |some |the |like |drink|eat )[a-z]+"
)
"""A doing of the speaker's own, and none that asks to be given or told something."""
_LEAVE = r"(?!have |had |borrow|asked? |troubled? |bother|could |can |might |may |got )(?:just |please )?[a-z]+"
_START = r"^(?:(?:and|so|oh|well|hey|hello|hi|please|sorry|but|kindly|look|now|then|honestly|also) )*"
_OPEN = r"(?:okay|ok|all right|alright|fine|a problem|any trouble|too much|possible|bad|rude)"
_PAST = (
    r"(?:[a-z]+ed|put|taken|gone|done|brought|thrown|given|shut|set|sat|kept|let|seen|eaten|drunk|written|come|made|hung|laid|told|read|"
    r"known|thought|said|found|lent|sent|swept|left|slept|woken|fed|cut|held|drawn|got|gotten)"
)
_HE = r"(?:i|we|he|she|they|it|you|somebody|someone)"
_SO = r"(?:really |quite |so |just |very much |please |kindly )*"
_THANKS = (
    r"(?:i beg (?:you|your pardon)|(?:i )?(?:do )?(?:apologi[sz]e|feel (?:bad|sorry|awful)|am sorry|regret)|im sorry|my apologies|"
    r"apologies|(?:accept|take) (?:my|our) (?:[a-z]+ )?(?:apolog(?:y|ies)|thanks|gratitude|regrets)|my (?:thanks|gratitude)|many thanks|"
    r"thanks(?: a lot| so much)?|thank you(?: so much| very much| kindly)?|much obliged(?: to you)?|bless you|"
    r"(?:im|i am|we are|were) (?:so |very |most |really )?(?:grateful|thankful|obliged|indebted)(?: to you)?)"
)
_IF_I = (
    r"(?:(?:would|do|will|wouldnt|dont) (?:you|anyone|anybody) (?:mind|object)(?: terribly| at all| very much)?|mind|"
    rf"(?:is|would|will) (?:it|that) (?:be )?{_SO}{_OPEN}(?: with you| by you| for you)?|"
    r"(?:is|would) (?:it|that) (?:bother|disturb|trouble|annoy) you|(?:i )?hope you (?:dont|wont) mind|"
    rf"(?:i hope|hopefully) (?:its|it is) {_OPEN}) if (?:i|we)"
)
_TOLD = (
    # Thanks and apologies for a deed.
    r"(?:forgive|pardon|excuse) (?:me|us|my|our|him|her)(?: (?:for|if|that) .*| [a-z]+ing\b.*|$)",
    rf"{_THANKS}(?: again| once more| for everything)? (?:about|for|over) {_GERUND}",
    r"(?:i (?:really |truly |do |so )?appreciate (?:you|your|that you|how you)|i appreciated you|(?:it was|that was|how|so|very) "
    r"(?:so |very |really |awfully )?(?:kind|nice|good|sweet|thoughtful|lovely|helpful|clever)(?: of you)? to)\b",
    # Leave for one's own act.
    rf"{_IF_I} {_LEAVE}",
    r"(?:would|do) you (?:mind|object to) (?:me|my|us|our) (?!asking|borrowing|having)[a-z]+ing\b",
    rf"(?:(?:would|could|can|will) you {_SO})?(?:allow|permit) (?:me|us) to {_OWN}",
    r"(?:give me|grant me|do i have|have i(?: got)?|may i have|can i have|could i have) (?:your )?(?:leave|permission) to",
    rf"(?:(?<=please )|(?=.*\bplease\b)|(?:would|could|can|will) you {_SO})let (?:me|us) {_OWN}",
    rf"(?:may|can|could|might|shall|should) i (?:please |possibly |maybe |perhaps )*(?!.*\byou to\b){_OWN}",
    r"am i (?:allowed|permitted|free) to",
    rf"(?:i wonder|i was wondering|im wondering|wondering|i wondered) (?:if|whether) i (?:could|can|may|might|should) {_OWN}",
    r"(?:i (?:really |just |still |only |also |actually |do |did |had )*(?:need|want|wanted|needed|have|had|ought|wish|hope|hoped|"
    rf"love|like|hate|would {_SO}(?:like|love|prefer))|(?:ive|i have) (?:still )?got|id {_SO}(?:like|love|prefer)) to "
    rf"(?!.*\byou (?:to|could|would)\b){_OWN}",
    # Hearsay, wonder, and what was not done.
    r"(?:can|could|would|will) (?:you|anyone|anybody) (?:even |really |just |ever )?(?:believe|imagine|credit|guess|fathom)\b|"
    r"would you say (?:the|it|its|hes|shes|theyre)\b|"
    r"(?:they|people|experts|(?:the|a|my|your|his|her) [a-z]+) (?:always |often |used to )?(?:say|says|said)\b",
    rf"(?:would|could|should|might|will|must) {_HE} (?:really |ever |not |also |just |still )*have (?:really |ever |already |just )*"
    rf"(?!read (?:the|me)|set (?:the|up)|left over){_PAST}\b(?! of\b)",
)
_TOLD_RE = re.compile(f"{_START}(?:{'|'.join(f'(?:{each})' for each in _TOLD)})")
_ZH_ASKS = "(?:请|再|帮我|麻烦|给我|能不能|可不可以|能否|吧$|一下$|一遍$|好不好|那首|说的|写的)"
_ZH_DO = "[把将打开关浇洗擦放搬扫拖收倒整做煮坐躺写弹拿送替给陪来去]"
_ZH_SORRY = "^[很真实在非常太]*(?:对不起|不好意思|抱歉|对不住)[啊呀哈]?"
_ZH_DOER = f"(?:{'|'.join(words.ZH_DOERS.split())}|客人|奶奶|爷爷|叔叔|阿姨|室友|保姆|老公|老婆|女儿|儿子|师傅)"
_ZH_TOLD = (
    # Thanks and apologies for a deed.
    "^[^请帮你您]{0,4}(?:谢谢|多谢|感谢|感激|多亏|幸亏|幸好|亏得|全靠|好在|辛苦|难为|难得)了?[你您]们?(?:昨天|刚才|上次|今天|一直|总|常|特地|专门|每天|那天)*"
    f"(?:帮|{_ZH_DO})(?!.*(?:请|再[把将给]|麻烦|能不能|可不可以|能否|[吧吗]$|一下$|好不好))",
    "^[请求还恳望希你您]*(?:原谅|宽恕|饶恕|体谅|恕|包涵|见谅|谅解)我(?!.*(?:帮我|请你|麻烦))",
    "^麻烦[你您](?:昨天|刚才|上次|前天).*了$|^[都全]?怪[我他她]",
    f"{_ZH_SORRY}我?(?:刚才|昨天|不小心|又|已经)*[把将].*(?<![行好])了$|{_ZH_SORRY}我(?!想请|想麻烦|要请|能|可以|需要|想让)",
    # Leave for one's own act.
    "^(?:请|还请|能不能|能否|可否|可不可以|能|可以|求|麻烦)*[你您]?先?(?:允许|准许|容许|批准|同意|准|容)我(?!用|借|说|问)",
    "^(?:请|还请|能不能|能否|可否|可不可以|能|可以|求|麻烦)*[你您]?就?让我(?:先|自己|亲自|也|再|来|去|帮你|替你)*"
    "(?:[把将关浇洗擦放搬扫拖倒坐躺写弹煮]|打开|开[窗门灯]|收拾|整理|做饭|来$)",
    "^[你您]?(?:介意|介不介意|反对|不反对)我(?!.*(?:请你|麻烦你|借|问))",
    # Hearsay, and what was done.
    "^我?(?:听说|据说|听人说|听闻|据闻|据悉|传说|梦见|梦到|我?还?记得你|没想到|想不到|原来)",
    "^(?![我依照按要讲说问聊])[^我你您请把将帮跟和对给再听记录念]{1,8}?(?:说|写着|写道|讲|告诉我|建议|提到|声称|印着)过?"
    "(?:要|得|可以|应该|不能|你|他)?(?:[把将在往]|你.{0,6}[把将])(?!.*吧$)",
    "^[你您]?们?(?:昨[天晚夜]|前[天晚]|去年|上周|上个?月|上个?星期|当时|那天|那时候?|刚刚|刚才|[有上]一?次|每次|总是?|老是?|常常|经常|从来|曾经?|以前)"
    f"[你您]?[都就还也又总]?[把将在往](?!.*{_ZH_ASKS})",
    f"^[你您]们?(?:也|总|又|老|还|已经|曾|常|刚|早就|从不|居然|竟然?|偏偏|果然)(?:是|要|爱|喜欢)?[把将往](?!.*{_ZH_ASKS})",
    f"^{_ZH_DOER}(?:也|都|总|又|老|还|已经|常|刚|早就|昨天|刚才|从不|每天|居然|竟然?|一直)*(?:是|要|爱|喜欢)?[把将往在](?!.*{_ZH_ASKS})",
    f"^[^请帮把将看听问]{{0,6}}(?:谁|为什么|为啥|怎么|什么时候|已经|早已|早就)被?(?:[把将往在]|[放挂搬摆搁收](?=[到进回在]))(?!.*{_ZH_ASKS})",
    "[放挂搬摆搁收送还关浇倒扔移挪塞装].{0,7}(?<!有)没有?$",
    f"^(?!.*{_ZH_ASKS})(?![到去往回来])在?[^把将请帮给你]{{1,6}}(?:[上里下中旁]|边)[面边]?[还也正就都只]?[放摆搁挂堆铺靠躺立插贴压藏坐站]着[^呢吧去]+$",
)
_ZH_TOLD_RE = re.compile("|".join(f"(?:{each})" for each in _ZH_TOLD))
_ZH_LOOKS = re.compile("看看|看一下|瞧瞧|检查|问问|问一下|去看|瞅瞅|确认|告诉我")
_CLAUSES = re.compile(r"([,，;；。.!！?？:：]+|\bbut\b)")
_QUOTE = re.compile("[\"“”「『《‘]([^\"“”「」『』《》‘’]{2,80})[\"“”」』》’]")
_SPOKEN_OF = re.compile(
    r"(?:is|was|were|has|had|means|meant|sounds|sounded|would be|makes|made|isnt|wasnt|comes|came|says|said|sings|sang|he|she|they)\b"
)
_SPEAKS = re.compile(
    r"\b(?:says?|said|reads?|sang|sings?|wrote|written|writes|called|titled|named|told|song|poem|book|film|sign|note|line|shouted|"
    r"whispered|means?|heard|hum|humming)$"
)
_BIDS_QUOTE = re.compile(r"\b(?:please|could you|would you|can you|will you|i said)\b|^(?:write|say|read|sing|play)\b")
_ZH_SPOKEN_OF = re.compile("[是这的那很真太里]|一[首句本部]|出自|写得|唱得|怎么|什么|听起来")
_ZH_SPEAKS = re.compile("(?<!我)(?:说|写着|写道|叫|喊|唱|道|念|题为|名叫|名为|[这那][首句]|标着|印着)$")
QUOTES_MAX = 6
"""How many quotes are looked at; for each the whole line is read."""


def unbidden(text: str) -> str:
    """Return *text* without the quotes and clauses that bid nobody, or *text* itself where it has none."""
    line = _without_quotes(clean(text))
    parts = _CLAUSES.split(line)
    told = [is_told(part) for part in parts[::2]]
    if not any(told):
        return text if line == clean(text) else line
    ends = [*parts[1::2], ""]
    return "".join(" " if each else part + end for part, end, each in zip(parts[::2], ends, told, strict=True)).strip()


def is_told(clause: str) -> bool:
    """Tell whether one clause names a doing, if any, that nobody is bidden to do."""
    folded = fold(clause)
    if not folded:
        return False
    if folded.isascii():
        return _TOLD_RE.match(folded) is not None
    han = folded.replace(" ", "")
    return _ZH_TOLD_RE.search(han) is not None and not (han.endswith(("没有", "没")) and _ZH_LOOKS.search(han))


def _without_quotes(line: str) -> str:
    """Return *line* with every quote that is spoken of taken out of it; what is quoted as a whole is simply said."""
    kept, at = "", 0
    for found in islice(_QUOTE.finditer(line), QUOTES_MAX):
        before, after = fold(line[: found.start()]), fold(line[found.end() :])
        if f"{before}{after}".isascii():
            told = not _BIDS_QUOTE.search(before) and (_SPOKEN_OF.match(after) or _SPEAKS.search(before))
        else:
            told = not re.search("[请帮]", before) and (_ZH_SPOKEN_OF.match(after) or _ZH_SPEAKS.search(before))
        if told:
            kept, at = f"{kept}{line[at : found.start()]} ", found.end()
    return kept + line[at:]
