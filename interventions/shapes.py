"""What people build around a thing, and how the word lists have it in one piece: "give the table a wipe" is "wipe the table".

Each row is looked for in the skeleton of an utterance (interventions/text.py), in order, and what is found is put in the
words of the lists. English rows are written with their i; in a skeleton it is an l.
"""

# ruff: noqa: E501

import re

Shape = tuple[re.Pattern[str], str, tuple[str, ...]]
"""What is looked for, what is put in its place, and words one of which must stand in the line: a cheap look before the dear one."""


def _english(pattern: str, plain: str, *signs: str) -> Shape:
    return re.compile(pattern.replace("i", "l")), plain.replace("i", "l"), tuple(sign.replace("i", "l") for sign in signs or ("",))


def _han(pattern: str, plain: str, *signs: str) -> Shape:
    return re.compile(pattern), plain, signs or ("",)


def reshaped(line: str) -> str:
    """Return the skeleton *line* in the words of the lists."""
    rows = ENGLISH if line.isascii() else (*ENGLISH, *HAN) if _LATIN.search(line) else HAN
    for shape, plain, signs in rows:
        for sign in signs:
            if sign in line:
                line = shape.sub(plain, line)
                break
    return line


_LATIN = re.compile("[a-z]")

_THE = "(?:the|that|this|those|these|your|my|our|his|her)"
_SOME = "(?:(?:me|us|you|both|yourself|him|her|a|an|some|the|bit|of|quick|nice|hot|good|little|proper|fresh|couple) )*"
_GOOD = "(?:good |quick |little |nice |proper |bit of a )?"
_ROOM = "(?:on|in|into|onto|by|under|back|next|near|beside|over|against|away|to|with)"
_SWITCHES = "(?:[a-z]+ )?(?:radio|music|lamp|lamps|light|lights|heater|heating|stove|oven|cooker|hob|kettle)"
_RUNS = "(?:[a-z]+ )?(?:radio|music|lamp|lamps|light|lights|heater|heating|stove|oven|cooker|hob|shower|tap|candle|candles)"
_ENDS = "(?=$| please| now| then| okay| ok| will you| would you| could you| can you| for (?:me|us)| so | quick)"
_OPENS = "^(?:(?:please|and|so|but|just|now|then|also|oh|okay|right|well) )*"
_DONE_BY_ITSELF = "(?:wont|will not|isnt|arent|is not|are not|dont|doesnt)(?: exactly| just)?(?: going to| gonna)?"
_WORK = "(?:watering|washing|cleaning|wiping|dusting|rinsing|scrubbing|filling|tidying|opening|closing|shutting|sweeping|mopping|hoovering|polishing|folding)"
_FOOD = "(?:apples?|fruit|bread|toast|cheese|crackers|biscuits?|cookies?|noodles|pasta|soup|rice|eggs?|vegetables)"
_NICE = "(?:nice|lovely|great|good|perfect|wonderful|just the thing|welcome)"
_MOVES = "(?:push ups|pushups|press ups|sit ups|situps|squats|star jumps|jumping jacks|stretches|stretching|exercises|yoga|laps)"
_RUMMAGE = "(?:rummage|dig|root|poke|hunt|search|nose|feel|scout)"

ENGLISH: tuple[Shape, ...] = (
    _english(r" (?:dont|wouldnt) you (?:think|reckon|agree|say)$", "", " you "),
    _english(r"^(?:about |high )?time to ", "its time to ", "time to"),
    _english(r"^better (just )?(?=(?:put|get|close|shut|open|take|turn|switch|water|wash|go|sit|eat|drink|call|write|throw|tidy|wipe|clean|fill|move|lock|leave|stop)\b)", "youd better ", "better"),
    _english(r"^i (?:really |quite |rather )?fancy\b", "id like", "fancy"),
    _english(r"\blet (?:me|us) (?:hear|see|watch) you ", "please ", "let "),
    _english(rf"{_OPENS}(?:finish|finish up|finish off|polish off|eat up) ({_THE}) ({_FOOD}|dinner|lunch|breakfast)\b", r"please eat \1 \2", "finish", "polish", "eat up"),
    _english(rf"{_OPENS}(?:finish|finish up|finish off|knock back) ({_THE}) (tea|coffee|water|drink|cup|mug|glass)\b", r"please drink \1 \2", "finish", "knock"),
    _english(r"\bget (?:some|that|a bit of|a glass of) (?:water|tea) (?:down|in|into) you\b", "drink something", "get "),
    _english(r"\bget (the|some) (?:water|kettle) (?:boiling|on the boil)\b", r"put \1 kettle on", "boil"),
    _english(r"\b(?:take|grab|get|fetch|find|pick up) (?:a|your|the|some) (?:piece of )?(?:pen|pencil|paper|cloth|sponge|broom|mop|duster) and (?=(?:write|wipe|mop|sweep|note|jot|draw|clean|dust|scrub)\b)", "please ", " and "),
    _english(rf"\brun ({_THE} [a-z]+(?: [a-z]+)?) under (?:the|some)? ?(?:hot |cold )?(?:tap|water)", r"wash \1", "run "),
    _english(rf"\b(?:leave off|quit|give over|pack in|lay off) (?:playing|strumming|banging|fiddling|messing|reading|writing) (?:on |with |about with )?(?={_THE} [a-z])", "stop ", "leave off", "quit", "give over", "pack in", "lay off"),
    _english(r"\b(?:do you think you|(?:i was|i am|im|just) wondering (?:lf|if) you|i wonder (?:lf|if) you)(?:d be able to| could possibly| could| can| would| might|d)(?: mind)?\b", "could you", "think you", "wonder"),
    _english(rf"{_OPENS}enough (?:with|of) (?=(?:the|that|this|your)(?: [a-z]+){{0,2}}$)", "stop ", "enough"),
    _english(rf"{_OPENS}(?:dont|do not|never) (?:leave|keep) ({_THE} [a-z]+(?: [a-z]+)?|it) open\b", r"please close \1", "leave", "keep"),
    _english(rf"{_OPENS}(?:dont|do not|never) (?:leave|keep) ({_THE} {_RUNS}|it) (?:on|running|burning)\b", r"please switch off \1", "leave", "keep"),
    _english(rf"{_OPENS}(?:the )?({_RUNS}|music) (on|off)(?: full| low| high)?(?=$| please| now| then| thanks| thank you| for)", r"switch \2 the \1", " on", " off"),
    _english(rf"{_OPENS}(?:the )?(door|window|curtains|blinds|fridge|drawer|wardrobe|cupboard) (?:shut|closed)(?= please| thanks)", r"close the \1", " shut", " closed"),
    _english(rf"{_OPENS}(?:the )?(door|window|curtains|blinds|drawer|wardrobe|cupboard) open(?= please| thanks)", r"open the \1", " open"),
    _english(r"^you can (?:just |always |also |now )?(put|place|leave|sit|close|shut|open|turn|switch|take|come|go|lie|rest|stop|throw|wash|hang|set)\b", r"you could \1", "you can"),
    _english(r"\b(?:what|all) (i|we) (?:really )?(need|want)(?: right now)? is\b", r"\1 \2", "what i", "what we", "all i", "all we"),
    _english(rf"\b(?:a bit of |a little |some )(?:soft |quiet )?music would be {_NICE}", "maybe switch on the music", "would be"),
    _english(rf"\b(?:a bit of |a little |a breath of |some )?(?:fresh )?air would be {_NICE}", "maybe open the window", "would be"),
    _english(rf"\b(?:a |some |a nice |a hot )(?:cup of )?(?:tea|coffee|cuppa) would be {_NICE}", "maybe make tea", "would be"),
    _english(rf"\b(a|another|some) ((?:clean |warm |dry |fresh |glass of |piece of |slice of )?(?:glass|cup|mug|towel|blanket|pillow|cushion|pen|chair|{_FOOD}|water)) would be {_NICE}", r"could i have \1 \2", "would be"),
    _english(rf"{_OPENS}(?:you should |why dont you |you could )?(?:get|grab|have) (?:yourself )?(?:something|a bite|a bit|a little) to (eat|drink)\b", r"\1 something", " to eat", " to drink"),
    _english(rf"({_OPENS}(?:you should |why dont you |you could |you ought to |how about you )?)(?:have|have yourself|try|help yourself to|get yourself) (?:some |an? |the |another |one of (?:the|these|those) |a (?:bit|piece|slice|bite) of )(?:more |nice |fresh )?({_FOOD})\b", r"\1eat the \2", "have", "try", "help your", "get your"),
    _english(r"\bput (?:the|some|a few) (rice|noodles|pasta|eggs|soup|vegetables) on(?: to (?:boil|cook))?(?=$| please| for| now)", r"cook the \1", " on"),
    _english(rf"{_OPENS}(?:always |do )?(?:make sure|be sure|see to it|mind)(?: that)? (?:you|to|and)(?: always)? ", "please ", "sure", "see to it", "mind"),
    _english(r"\b(?:just|please|you(?:d better|d best| better| should| must| have to| ought to| need to| had better)) (?:just )?go(?: now)?$", "please leave", " go"),
    _english(rf"({_THE} [a-z ]{{2,20}}?) {_DONE_BY_ITSELF} ([a-z]+) (?:itself|themselves)(?=$| you know| are they| is it)", r"please \2 \1", "itself", "themselves"),
    _english(rf"(?<!does )({_THE} [a-z]+(?: [a-z]+)?) (?:really |badly )?(?:needs?|wants|could do with|could use) (?:a (?:good |bit of )?|some |a bit of )?({_WORK})\b", r"maybe \2 \1", "ing"),
    _english(r"\bgive (it|them) a (?:good |little )?(?:drink|watering)\b", r"water \1", "give"),
    _english(rf"\bgiv(?:e|ing) ({_THE} [a-z ]{{2,30}}?|it|them) an? {_GOOD}(hoover|mop|once over|going over|shake|fold|scour|rub)\b", r"wipe \1", "giv"),
    _english(rf"\bhave (?:a|another) {_GOOD}{_RUMMAGE} (?:around |about |round )?(?:in |through |inside |at |under )?", "search ", "have a"),
    _english(r"\b(?:show|let) (?:me|us) (?:see )?(?:that )?(?:you can|how (?:you|many)|what you)\b(?: you can| can)?", "please", "show", "let"),
    _english(rf"\b(?:do|doing|try|manage) (?:[a-z]+ ){{0,3}}{_MOVES}\b", "exercise", "do", "try", "manage"),
    _english(r"\b(?:i|we) (?:could|can) (?:really |just )?(?:use|do with) (?:a |some |your )?(?:bit of |spare )?(?:hand|help)\b(?: here)?", "please help me", "hand", "help"),
    _english(r"\b(?:i|we) need (?:a |some |your )?(?:bit of |spare )?(?:hand|help)\b(?: here)?", "please help me", "hand", "help"),
    _english(rf"(?<!the )(?<!this )\blight ({_THE}|a|some|another|a couple of) (candles?|stove|fire|hob|burner|oven|lamp)\b", r"switch on \1 \2", "light"),
    _english(rf"\b(?:get|have|keep|set) ({_THE} {_RUNS}) (?:running|going|started|on|lit)\b", r"switch on \1", "get", "have", "keep", "set"),
    _english(r"\b(get|getting|grab) (the|that) (?:front )?door(?=$| please| would you| will you| could you| can you| for me| for us)", "open the door", "door"),
    _english(r"\b(?:get|pull|push|slide|bang|draw|slam|swing|shove) (it|them) (?:shut|closed)\b", r"close \1", " shut", " closed"),
    _english(rf"\b(?:pull|push|swing) (it|{_THE} [a-z]+) to{_ENDS}", r"close \1", " to"),
    _english(r"\b(?:pull|push|slide|prop|throw|swing|prise|leave) (it|them) open\b", r"open \1", "open"),
    _english(rf"\bget ((?:{_THE}|it|them|all)\b ?[a-z ]{{0,20}}?) (into|onto|back in|back into|back on|back to)\b", r"put \1 \2", "get "),
    _english(rf"\b(?:tip|tuck|pack|load|scoop|bundle|cram|bung|sling|lob|lay|place|plant|park|whack|spread|leave|stand|shove) ((?:{_THE}|it|them|a|an|some|these|those|all)\b ?[a-z ]{{0,20}}?) (in|into|onto|on|under|behind|beside|by|next to|back in|back on)\b", r"put \1 \2", " in", " on", " under", " behind", " beside", " by ", " next"),
    _english(rf"^(?:oh |and |so |right |okay )?((?:{_THE} )?[a-z]+(?: [a-z]+)?) (?:go|goes|belong|belongs) (?:back )?(in|on|into|under|onto|to) (?=.*(?: please| okay| ok| will you| would you| once you| when you| all right| alright)\b)", r"please put \1 back \2 ", " go", " belong"),
    _english(rf"\bgiv(?:e|ing) ({_THE} [a-z ]{{2,30}}?|it|them) an? {_GOOD}(wipe|wash|clean|rinse|scrub|dust|polish|push|look|read|water|drink|tidy|sweep|ring|call)\b", r"\2 \1", "giv"),
    _english(r"\bgive (?:us|me) (?:a|another) (?:tune|song)", "play a tune", "give"),
    _english(r"\bdrop [a-z ]{1,20} a line", "write a line", "a line"),
    _english(rf"\b(?:make|fix|whip up|rustle up|throw together|prepare|put together|do|get started on) {_SOME}(?:something to eat|((?:scrambled |fried |boiled )?eggs|omelette|sandwich|sandwiches|snack|meal|dinner|lunch|breakfast|supper|omelette|toast|soup|pasta|noodles|rice|vegetables))", r"cook \1", "make", "fix", "whip", "rustle", "throw", "prepare", "put", "do", "get"),
    _english(rf"\b(?:make|fix|brew|do) {_SOME}(?:cuppa|brew|tea|coffee)\b", "make tea", "make", "fix", "brew", "do"),
    _english(rf"\b(?:make|fix|brew) {_SOME}(cup|mug|pot) of (?:tea|coffee)", r"make tea \1", "cup", "mug", "pot"),
    _english(r"\b(?:pop|stick|get) (the|that) kettle on", r"put \1 kettle on", "kettle on"),
    _english(rf"\b(?:put|leave|get|flick|flip|keep|have|stick|pop|whack) ((?:{_THE}|some|a bit of) {_SWITCHES}) on(?=$| please| for| would| will| now| so| if)", r"switch on \1", " on"),
    _english(rf"\b(?:put|get|flick|flip|keep|have|knock) ({_THE} {_SWITCHES}) (?:off|down)(?=$| please| for| would| will| now| so| if| a)", r"switch off \1", " off", " down"),
    _english(rf"\b(?:put|have|stick) on ((?:{_THE}|some|a bit of) {_SWITCHES})", r"switch on \1", " on "),
    _english(rf"\b(?:pop|crack|throw|push|pull|leave|keep|slide|fling|prop|wedge|swing|have|get) ({_THE} [a-z ]{{2,20}}?) open\b", r"open \1", " open"),
    _english(rf"\b(?:pull|push|slide|bang|draw|keep|have|get|slam) ({_THE} [a-z ]{{2,20}}?) (?:shut|closed)(?= |$)", r"close \1", " shut", " closed"),
    _english(rf"\blet me see ({_THE})\b", r"bring me \1", "let me see"),
    _english(r"\bdraw (the|those|your) (curtains|blinds) (?:back|open)", r"open \1 \2", "draw"),
    _english(r"\blet (?:in )?(?:some |a bit of |a little )?(?:fresh )?air(?: in)?\b", "open the window", "air"),
    _english(rf"\b(?:chuck|throw|toss|lob|sling|slide|fling|bung) (?:me|us) ({_THE}|an?|some)\b", r"bring me \1", " me ", " us "),
    _english(rf"\b(?:pop|stick|chuck|drop|set|leave|shove|slip|hang|prop|plonk|dump|stow|return) ((?:{_THE}|it|them|a|some) ?[a-z ]{{0,20}}?) ({_ROOM})\b", r"put \1 \2", "pop", "stick", "chuck", "drop", "set", "leave", "shove", "slip", "hang", "prop", "plonk", "dump", "stow", "return"),
    _english(rf"(^|please |just |and |then |now )bin ({_THE}|it|them)\b", r"\1throw away \2", "bin "),
    _english(r"^(?:just |maybe )?try ([a-z]+ing)\b", r"maybe \1", "try "),
    _english(r"\byou (?:really|definitely|probably|certainly|just|also|still|always) (should|could|might|ought|must|need)\b", r"you \1", "you "),
    _english(r"(?:^|(?<= ))mind ([a-z]+ing)\b", r"could you \1", "mind"),
    _english(rf"(?<!does )({_THE} [a-z]+(?: [a-z]+)?) (?:really )?(?:needs?|wants|could do with) (?:an? )?(?:good |quick |bit of |some )?(water|wash|clean|wip|wipe|dust|rinse|scrub|fill|tidy|open|clos|close)(?:ing)?\b", r"maybe \2 \1", "need", "want", "could do"),
    _english(rf"({_THE} [a-z]+) (?:needs?|wants) (?:taking out|emptying|to go out)", r"maybe throw out \1", "need", "want"),
    _english(r"\b(about|fancy|for|feel like) (?:a|some) (?:nice |hot )?(?:cup of (?:tea|coffee)|cuppa|drink|tea|glass of water)", r"\1 drinking tea", "about", "fancy", "for", "feel like"),
)
HAN: tuple[Shape, ...] = (
    _han("(把[^把]{0,7}[^把拿递带交送借端倒找取])给我(?=$|吧|吗|好)", r"\1拿给我"),
    _han("([拿端送带递])(?![到进回上])([^来过了]{1,5})来(?=$|吧|吗)", r"\1来\2"),  # 拿杯水来 is 拿来一杯水.
    _han("(^|给我|先|快|要不要|要不|想不想|咱们|你)来([一两]?[杯碗壶份块片张条支个]|点(?!音乐))(?!$)", r"\1拿来\2"),
    _han("看(?:看|会儿?|一会儿?|点|本|些|几页|一?本)(书|小说|报纸)", r"看\1"),
    _han("给我([开关])了", "给我\\1掉"),
    _han("(给|跟|和)(.{1,4})打个?(电话)", r"给\2打电话"),
    _han("(?:给|跟)([^我把电话]{1,5}|我[妈爸哥姐弟妹]|我[^把电话]{2,4})(?:[去回拨打挂](?:一?个|一)(?:电话)|[打回拨]一?个(?:过去)?(?=$|吧|呗|行|好))", r"给\1打电话"),
    _han("^(?:[你来给喏快]|先)*(?:拿着|收着|收下|拿好|接着|接住|拿去)(?:吧|呀|啊|哈)?$", "请拿起"),
    _han("^(?:那|那么|我说|求你|求求你|拜托|你|快|都|先|行了)*(?:别|不要|甭)(?:再|老|总|一直|在这儿|在这)*(弹|唱|玩|写|吃|喝|做|跑|练|聊|拨弄|敲|晃|抖|哼|念|读|看|摆弄|折腾|鼓捣|捣鼓|嚷嚷|嚷|吵吵|叫|喊|唠叨|啰嗦|念叨)([^了忘急]{0,5})了(?=$|行|好|吧|啊|嘛|成)", r"停下\2"),
    _han("(脏水|剩饭|剩菜|洗菜水|洗脚水)(.{0,6}?)倒(?=了|一下|一倒|$)", r"\1\2倒掉"),
    _han("(?:拿|用)(?:块|个|把)?(?:拖把|扫把|扫帚|抹布|吸尘器)(?=[拖扫擦抹吸])", ""),
    _han("你(?:也|都|就|怎么)不(?=(.)一?\\1)", "你"),
    _han("^([^你我他她咱]{1,6})是不是(?:得|可以|应该)(?=.*了$)", r"\1该", "是不是"),
    _han("^(?:等)?我(?:走|出门|出去|离开|睡|睡着|不在)(?:了|的)?(?:以后|之后|后|的时候|时)(?=把|你|记得|请|别)", "", "我"),
    _han("^([^我他她你谁]{1,6})你(?:先|就)?(?:拿着|收着|拿好)(?:吧|啊|呀)?$", r"请拿起\1", "你"),
    _han("(?:拿|用)(?:热|温|凉|清|冷)?水(?=[冲洗涮擦烫])", "", "水"),
    _han("(?:拿|抱)(?:着|起|上)?吉他(?=.*来[一几]?[首曲段])", "用吉他", "吉他"),
    _han("^要?换(?:做|作|成)?是?我(?:的话)?就?", "要是我", "换"),
    _han("弄(?:点|些|碗|个|份|几个|两个)?(?=面|饭|吃的|菜|汤|鸡蛋|粥)", "做些"),
    _han("(?:照|依)?我(?:看|说)(?=.{1,14}(?:得了|算了|吧|为好|比较好|好了)$)", "建议"),
    _han("([早午晚中]?饭|[早午晚]餐)([你我]|咱们|我们)?来?[做烧弄煮](?=$|吧|吗|好|了)", r"\2做饭"),
    _han("([煮下做来弄吃])一?碗面(?!包)", r"\1面条"),
    _han("(放|听)[点首段些个](歌|曲子|音乐)", r"\1音乐"),
)
