"""What people build around a thing, and how the word lists have it in one piece: "give the table a wipe" is "wipe the table".

Each row is looked for in the skeleton of an utterance (interventions/text.py), in order, and what is found is put in the
words of the lists. English rows are written with their i; in a skeleton it is an l.
"""

# ruff: noqa: E501

import re


def _english(pattern: str, plain: str) -> tuple[re.Pattern[str], str]:
    return re.compile(pattern.replace("i", "l").replace("\\Z", "$")), plain.replace("i", "l")


_THE = "(?:the|that|this|those|these|your|my|our|his|her)"
_SOME = "(?:(?:me|us|you|both|yourself|him|her|a|an|some|the|bit|of|quick|nice|hot|good|little|proper|fresh|couple) )*"
_GOOD = "(?:good |quick |little |nice |proper |bit of a )?"
_ROOM = "(?:on|in|into|onto|by|under|back|next|near|beside|over|against|away|to|with)"
_SWITCHES = "(?:[a-z]+ )?(?:radio|music|lamp|lamps|light|lights|heater|heating|stove|oven|cooker|hob|kettle)"

SHAPES: tuple[tuple[re.Pattern[str], str], ...] = (
    _english(rf"\bgive ({_THE} [a-z ]{{2,30}}?|it|them) an? {_GOOD}(wipe|wash|clean|rinse|scrub|dust|polish|push|look|read|water|drink|tidy|sweep|ring|call)\b", r"\2 \1"),
    _english(r"\bgive (?:us|me) (?:a|another) (?:tune|song)", "play a tune"),
    _english(r"\bdrop [a-z ]{1,20} a line", "write a line"),
    _english(rf"\b(?:make|fix|whip up|rustle up|throw together|prepare|put together|do|get started on) {_SOME}(?:something to eat|((?:scrambled |fried |boiled )?eggs|omelette|sandwich|sandwiches|snack|meal|dinner|lunch|breakfast|supper|omelette|toast|soup|pasta))", r"cook \1"),
    _english(rf"\b(?:make|fix|brew|do) {_SOME}(?:cuppa|brew|tea|coffee)\b", "make tea"),
    _english(rf"\b(?:make|fix|brew) {_SOME}(cup|mug|pot) of (?:tea|coffee)", r"make tea \1"),
    _english(r"\b(?:pop|stick|get) (the|that) kettle on", r"put \1 kettle on"),
    _english(rf"\b(?:put|leave|get|flick|flip|keep|have|stick|pop|whack) ((?:{_THE}|some|a bit of) {_SWITCHES}) on(?=$| please| for| would| will| now| so| if)", r"switch on \1"),
    _english(rf"\b(?:put|get|flick|flip|keep|have|knock) ({_THE} {_SWITCHES}) (?:off|down)(?=$| please| for| would| will| now| so| if| a)", r"switch off \1"),
    _english(rf"\b(?:put|have|stick) on ((?:{_THE}|some|a bit of) {_SWITCHES})", r"switch on \1"),
    _english(rf"\b(?:pop|crack|throw|push|pull|leave|keep|slide|fling|prop|wedge|swing|have|get) ({_THE} [a-z ]{{2,20}}?) open\b", r"open \1"),
    _english(rf"\b(?:pull|push|slide|bang|draw|keep|have|get|slam) ({_THE} [a-z ]{{2,20}}?) (?:shut|closed|to)(?= |$)", r"close \1"),
    _english(rf"\blet me see ({_THE})\b", r"bring me \1"),
    _english(r"\bdraw (the|those|your) (curtains|blinds) (?:back|open)", r"open \1 \2"),
    _english(r"\blet (?:in )?(?:some |a bit of |a little )?(?:fresh )?air(?: in)?\b", "open the window"),
    _english(rf"\b(?:chuck|throw|toss|lob|sling|slide|fling|bung) (?:me|us) ({_THE}|an?|some)\b", r"bring me \1"),
    _english(rf"\b(?:pop|stick|chuck|drop|set|leave|shove|slip|hang|prop|plonk|dump|stow|return) ((?:{_THE}|it|them|a|some) ?[a-z ]{{0,20}}?) ({_ROOM})\b", r"put \1 \2"),
    _english(rf"(^|please |just |and |then |now )bin ({_THE}|it|them)\b", r"\1throw away \2"),
    _english(r"^(?:just |maybe )?try ([a-z]+ing)\b", r"maybe \1"),
    _english(r"\byou (?:really|definitely|probably|certainly|just|also|still|always) (should|could|might|ought|must|need)\b", r"you \1"),
    _english(r"(?:^|(?<= ))mind ([a-z]+ing)\b", r"could you \1"),
    _english(rf"(?<!does )({_THE} [a-z]+(?: [a-z]+)?) (?:really )?(?:needs?|wants|could do with) (?:an? )?(?:good |quick |bit of |some )?(water|wash|clean|wip|wipe|dust|rinse|scrub|fill|tidy|open|clos|close)(?:ing)?\b", r"maybe \2 \1"),
    _english(rf"({_THE} [a-z]+) (?:needs?|wants) (?:taking out|emptying|to go out)", r"maybe throw out \1"),
    _english(r"\b(about|fancy|for|feel like) (?:a|some) (?:nice |hot )?(?:cup of (?:tea|coffee)|cuppa|drink|tea|glass of water)", r"\1 drinking tea"),
    (re.compile("(把[^把]{0,7}[^把拿递带交送借端倒找取])给我(?=$|吧|吗|好)"), r"\1拿给我"),
    (re.compile("([拿端送带递])([^来过了]{1,5})来(?=$|吧|吗)"), r"\1来\2"),  # 拿杯水来 is 拿来一杯水.
    (re.compile("(^|给我|先|快|要不要|要不|想不想|咱们|你)来([一两]?[杯碗壶份块片张条支个]|点(?!音乐))(?!$)"), r"\1拿来\2"),
    (re.compile("看(?:看|会儿?|一会儿?|点|本|些|几页|一?本)(书|小说|报纸)"), r"看\1"),
    (re.compile("给我([开关])了"), "给我\\1掉"),
    (re.compile("(给|跟|和)(.{1,4})打个?(电话)"), r"给\2打电话"),
    (re.compile("([早午晚中]?饭|[早午晚]餐)([你我]|咱们|我们)?来?[做烧弄煮](?=$|吧|吗|好|了)"), r"\2做饭"),
    (re.compile("([煮下做来弄吃])一?碗面(?!包)"), r"\1面条"),
    (re.compile("(放|听)[点首段些个](歌|曲子|音乐)"), r"\1音乐"),
)
"""What is looked for, and what is put in its place."""
