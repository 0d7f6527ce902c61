"""The shipped word lists, English and Chinese: which words name an action, a thing, a wish, a promise.

Data only. English entries are separated by commas and may be several words; Chinese ones by blanks. A longer entry
wins over a shorter one at the same place. Everything here is in simplified characters and without punctuation,
because texts are folded before they are looked up.
"""

# ruff: noqa: E501

ACTION_WORDS: dict[str, tuple[str, str]] = {
    "open": ("open, opens, opening, opened, unlock, unlatch", "打开 开一下 拉开 推开 敞开 开个 开开 开启 打开来 开"),
    "close": ("close, closes, closing, closed, shut, shutting, shuts", "关上 关好 关掉 关一下 合上 拉上 关闭 关紧 关"),
    "switch_on": ("switch on, turn on, power on, light up, start up, lights on, light on", "点亮 开灯 接通"),
    "switch_off": ("switch off, turn off, power off, turn out, lights off, lights out, light off, kill the", "熄灭 关灯 熄灯 断开"),
    "bring": (
        "bring, brings, bringing, fetch, borrow, get me, get us, hand me, pass me, carry over, deliver, hand over, give me, give us, pass, "
        "can i have, could i have, may i have, let me have, i could use, i could really use, i could do with, id love, i would love",
        "拿过来 拿来 带来 带过来 递给我 递过来 取来 取过来 端来 端过来 送来 送过来 给我拿 拿给我 给我倒 带给我 交给我 给我用 借我 带",
    ),
    "give": ("give, gives, giving, hand, offer, lend", "递给 交给 送给 借给 递 给你"),
    "take": ("take, takes, taking, grab, pick up, picking up, pick, get, hold", "拿起 拿走 拿上 捡起 取走 取 拿着 拿一下 拿 捡"),
    "put": ("put, puts, putting, place, set down, lay, leave it", "放到 放在 放回 放下 摆到 摆在 搁在 放 摆 搁"),
    "move": ("move, moves, moving, moved, shift, push, drag, touch", "移到 挪到 别碰 碰 别动 不要碰 不要动 搬到 挪开 移开 搬 挪 移"),
    "drink": ("drink, drinks, drinking, drank, sip, have a drink, have some water, have some tea, have tea", "喝点 喝口 喝杯 喝水 喝茶 喝"),
    "eat": (
        "eat, eats, eating, have lunch, have dinner, have breakfast, have a snack, have something, taste, snack",
        "吃点 吃饭 吃一 吃东西 尝尝 尝一 吃",
    ),
    "cook": ("cook, cooks, cooking, cooked, make dinner, make lunch, make breakfast, prepare a meal, bake", "做点好吃 做点吃 做饭 做菜 煮饭 煮面 下厨 做顿 烧饭 炒菜 做晚饭 做午饭 做早饭"),
    "read": ("read, reads, reading", "读一读 念一 看书 读书 读读 阅读 读 念"),
    "write": ("write, writes, writing, note down, jot", "写下 写信 写一 写个 写点 记下 写字 写"),
    "water": ("water, watering", "浇浇水 浇水 浇花 浇一 浇 给植物水"),
    "tidy": (
        "tidy, tidies, tidying, tidy up, clean up, put away, put back, clear up, clear away, straighten",
        "收拾 整理 收好 归位 收起 收一 打扫",
    ),
    "wipe": ("wipe, wipes, wiping, wipe off, wipe down, dust, polish, mop", "擦一擦 擦擦 擦干净 擦干 抹一 擦 抹"),
    "wash": (
        "wash, washes, washing, rinse, do the dishes, do the laundry, clean, take a shower, shower",
        "洗一 洗洗 洗手 洗碗 洗衣服 洗澡 冲洗 淋浴 洗干净 洗",
    ),
    "sit": ("sit, sits, sitting, sit down, have a seat, take a seat", "坐下 坐一会 坐坐 请坐 坐"),
    "lie": ("lie down, lie, lying, lay down", "躺下 躺一 躺"),
    "sleep": ("sleep, sleeps, sleeping, nap, get some sleep, get some rest, take a nap, go to bed, go to sleep", "睡觉 睡一 去睡 小睡 午睡 睡"),
    "wake": ("wake up, wake, get up", "起床 醒醒 醒来 叫醒 起来"),
    "rest": ("rest, rests, resting, take a break, relax, take a rest", "休息 歇一 歇会 歇歇 放松"),
    "call": (
        "call, calls, calling, phone, ring up, make a call, answer the phone, pick up the phone, telephone",
        "打电话 打个电话 接电话 接一下电话 接一下 接起 给他打 回电话 致电",
    ),
    "look": (
        "look at, look, looks, looking, watch, see, check, think of, think about, remember, notice, consider, mind",
        "看看 看一看 看一下 看着 瞧瞧 瞧 检查 想想 想一想 想起 注意到 留意 看",
    ),
    "listen": ("listen to, listen, listens, listening, hear", "听听 听一听 听一下 听"),
    "search": ("search, look for, search for, find, seek, looking for", "找找 找一找 寻找 找一下 找到 找"),
    "throw_away": (
        "throw away, throw out, throw, discard, get rid of, toss, empty the bin, take out the trash",
        "扔掉 丢掉 扔了 丢了 倒垃圾 扔 丢",
    ),
    "fill": ("fill, fills, filling, fill up, refill, pour", "装满 倒满 加满 灌满 装水 接水 加水 倒"),
    "boil": ("boil, boils, boiling, make tea, make some tea, make coffee, heat up, put the kettle on", "烧水 烧开 烧壶 泡茶 泡杯茶 煮水 沏茶 热一热 烧"),
    "wait": ("wait, waits, waiting, hold on, stay", "等一等 等等 等一下 稍等 等我 等一会 待着 等"),
    "come": (
        "come here, come over, come back, come in, come, be back, return, be right back, come to, get back, visit",
        "过来 回来 来一下 来这 进来 来看你 来",
    ),
    "leave": ("leave, leaves, leaving, go away, go out, get out, step outside, go home", "离开 出去 走开 走吧 走了 回家"),
    "talk": ("talk, talks, talking, chat, speak, tell me, tell, discuss, talk about", "聊聊 聊天 谈谈 说说 讲讲 聊一聊 告诉我 聊 谈"),
    "help": ("help, helps, helping, help out, lend a hand, give me a hand", "帮助 帮我一把 帮忙 帮个忙 搭把手 帮一把"),
    "promise": ("promise, promises", "答应 保证 承诺"),
    "stop": ("stop, stops, stopping, quit, cease, be quiet, keep quiet", "停下 停止 别再 停一停 住手 安静"),
    "play": ("play, plays, playing, strum", "弹一 弹弹 演奏 弹 玩一 玩"),
    "exercise": ("exercise, exercises, exercising, work out, stretch, do some sport", "锻炼 活动活动 活动一下 运动 做操 伸展 拉伸 健身"),
    "ask": ("ask, asks, asking", "问问 问一下 询问 问"),
}

TARGET_WORDS: dict[str, tuple[str, str]] = {
    "door": ("door, doors, front door", "房门 大门 门"),
    "window": ("window, windows, curtain, curtains", "窗户 窗子 窗帘 窗"),
    "bed": ("bed, mattress", "床铺 床"),
    "sofa": ("sofa, couch, settee", "沙发"),
    "chair": ("chair, chairs, armchair", "椅子"),
    "stool": ("stool", "凳子"),
    "wardrobe": ("wardrobe, closet", "衣柜 衣橱"),
    "nightstand": ("nightstand, bedside table", "床头柜"),
    "desk": ("desk", "书桌 写字台"),
    "table": ("table, dining table", "桌子 餐桌 饭桌 桌上 桌"),
    "coffee_table": ("coffee table", "茶几"),
    "counter": ("counter, worktop", "台面 料理台"),
    "shelf": ("shelf, bookshelf, bookcase", "书架 架子 书柜"),
    "drawer": ("drawer, drawers", "抽屉"),
    "cupboard": ("cupboard, cabinet", "橱柜 柜子"),
    "box": ("box, sealed box", "盒子 箱子"),
    "lamp": ("lamp, light, lights, reading lamp", "台灯 电灯 灯"),
    "ceiling_light": ("ceiling light, main light", "顶灯 吊灯 大灯"),
    "heater": ("heater, radiator, heating", "暖气 取暖器 暖炉"),
    "notebook": ("notebook, diary, journal", "笔记本 日记本 日记 本子"),
    "pen": ("pen, pencil", "钢笔 铅笔 笔"),
    "book": ("book, books, novel, story", "小说 图书 书本 书"),
    "letter": ("letter, letters, mail, envelope", "信件 信封 来信 封信 信"),
    "paper": ("paper, sheet of paper, letter paper", "信纸 纸张 纸"),
    "newspaper": ("newspaper", "报纸"),
    "phone": ("phone, telephone", "电话 手机"),
    "radio": ("radio, music", "收音机 广播 音乐"),
    "clock": ("clock", "时钟 挂钟 闹钟"),
    "photo": ("photo, photograph, picture", "照片 相片 相框"),
    "vase": ("vase", "花瓶"),
    "rug": ("rug, carpet", "地毯"),
    "plant": ("plant, plants, flower, flowers, flower pot", "植物 盆栽 花草 绿植 盆花 花"),
    "watering_can": ("watering can, watering pot", "喷壶 洒水壶 浇水壶"),
    "blanket": ("blanket, blankets, quilt", "毯子 毛毯 被子"),
    "pillow": ("pillow, cushion", "枕头 靠垫"),
    "towel": ("towel", "毛巾"),
    "clothes": ("clothes, jacket, coat", "衣服 外套 夹克"),
    "kettle": ("kettle, teapot", "水壶 烧水壶 茶壶"),
    "stove": ("stove, cooker, oven, hob", "炉子 灶台 炉灶"),
    "sink": ("sink, tap, faucet", "水槽 水池 水龙头"),
    "fridge": ("fridge, refrigerator", "冰箱"),
    "cup": ("cup, cups, teacup", "茶杯 杯子"),
    "mug": ("mug, mugs", "马克杯"),
    "glass": ("glass, drinking glass, glass of water", "玻璃杯 水杯"),
    "plate": ("plate, plates, dish, dishes", "盘子 碟子 碗碟 碗筷"),
    "bowl": ("bowl, bowls", "饭碗 碗"),
    "pan": ("pan, pot, saucepan", "锅子 锅"),
    "spoon": ("spoon", "勺子"),
    "bread": ("bread, toast", "面包"),
    "apples": ("apple, apples, fruit", "苹果 水果"),
    "cheese": ("cheese", "奶酪"),
    "crackers": ("crackers, biscuits, cookies", "饼干"),
    "vegetables": ("vegetables, veggies", "蔬菜 青菜"),
    "noodles": ("noodles, pasta", "面条"),
    "eggs": ("egg, eggs", "鸡蛋"),
    "rice": ("rice", "米饭 大米"),
    "soup_can": ("soup, soup can", "汤罐头 罐头 汤"),
    "basin": ("basin, washbasin", "洗手盆 洗手池 脸盆"),
    "shower": ("shower stall, shower head", "淋浴间 花洒"),
    "toilet": ("toilet, bathroom", "马桶 厕所 卫生间"),
    "mirror": ("mirror", "镜子"),
    "laundry_basket": ("laundry basket, laundry, hamper", "洗衣篮 脏衣篮 脏衣服"),
    "bin": ("bin, trash, rubbish, garbage, trash can, dustbin, waste", "垃圾桶 垃圾 废纸篓"),
    "guitar": ("guitar", "吉他"),
    "key": ("key, keys", "钥匙"),
    "candle": ("candle", "蜡烛"),
}

SWITCHED = ("lamp", "ceiling_light", "heater", "radio", "stove")
"""Things that are switched on where people say "open", and off where they say "close"."""

WATERED = ("plant", "vase")
"""Things without which the English word "water" is the drink, not the action."""

# Words that look like an action or a thing and are none.
IGNORED = (
    "of course, i see, look like, looks like, at rest, come on, the rest, thank you, thanks for coming, by the way, for the "
    "rest, make sure, over there, take care, take your time, have a nice, have fun, long time, see you, leave it to me, "
    "good to see you, to read, in the water, open to, feel free, you know, go ahead, never mind, dont mind, do you mind, "
    "would you mind, if you dont mind, some water, cold water, hot water, the water, close to, close by, "
    "looking forward, hear that, hear from, read it before, window seat, time to",
    "我看你 不信 开心 开始 开玩笑 没关系 关系 关于 关心 放心 看来 看起来 看上去 看法 听说 听起来 来说 从来 本来 原来 以来 来着 后来 近来 未来 起来了 "
    "一会儿 喝彩 吃惊 吃力 走神 睡不着 睡得 睡眠 动作 写法 读者 问题 请问 有问题 书法 花了时 花了钱 花了很 花了不少 花时间 花钱 信任 相信 自信 信息 门口 热门 床单 "
    "天花板 水果刀 笔直 取消 取决 带着 说不定 等于 等级 放假 打算 好好 好看 难看 好听 好吃 收到 听不见 听见 听到 看见 看到 想念 拿手 "
    "推荐 念头 搬家 移动 意思 意见 留言 开会 开车 公开 离开会 玩笑 说话 没开 开着 关着 开了 关了",
)

STRONG_REQUEST = (
    "please, could you, would you, would you mind, i need you to, i want you to, i would like you to, id like you to, "
    "do me a favour, do me a favor, help me, give me, hand me, pass me, bring me, get me, fetch me, kindly, be so kind, "
    "dont forget to, remember to, would it be okay if you, would it be ok if you, would it be, is it possible, "
    "any chance you, any chance of, could we, would you let me, let me have, i could use, i could really use, i could do with, "
    "id love, i would love, mind opening, mind closing, mind shutting, mind turning, mind bringing, mind passing, id rather you, may i have, can i have, could i have, could i borrow, can i borrow, i beg you, tell me, lend me, be quiet, keep quiet",
    "我希望你 希望你 记得 别忘了 请 陪我 让我 方便的话 帮我 帮忙 帮个忙 麻烦 劳驾 拜托 替我 给我 我想请你 我要你 求你 帮一下 递给我 拿给我 告诉我",
)
WEAK_REQUEST = (
    "can you, will you, can we, could we, i need, i want, i would like, id like, may i, wont you, do you mind",
    "能 可以 好不好 好吗 能不能 可不可以 能否 可否 你能 可以帮 可以把 你可以 能帮 能把 我想要 我需要 行不行",
)
SUGGESTION = (
    "how about, what about, why dont you, why dont we, why not, lets, let us, maybe, perhaps, you could, you might, "
    "you may want, you should, you ought, i suggest, id suggest, i recommend, id recommend, shall we, it might be, "
    "it would be good, it would be nice, it might help, might be nice, you better, youd better, we could, we should, "
    "you can also, what if, my advice, if i were you, would be a good idea, its time to, it is time to, have you thought, have you considered, "
    "do you good, would you like to, fancy, might as well, better to, would be nice to, would be good to",
    "要不 要不然 不如 建议 也许 或许 何不 不妨 最好 应该 我们一起 咱们 怎么样 试试 该 你还是 为好 有好处 有没有想过 换了我 换作我 要是我 我要是你 差不多 要不要 一块儿 一起 比较好 会好 可以试 可以考虑 考虑一下 何必 要么 不妨 推荐",
)
PROMISE = (
    "i will, ill, i am going to, im going to, i promise, i shall, i plan to, i intend to, i am about to, im about to, we will, i wont, i will not, "
    "you have my word, count on me",
    "我会 我将 我保证 我答应 我马上 我一会 我等会 我待会 我明天 我晚上 我今晚 我下午 我稍后 我去 我来帮 我这就 我打算 我承诺 我过会 "
    "我周末 我下周 我每天 我就来 我很快 我随后 我来",
)
NEGATION = (
    "dont, do not, never, not to, no need to, must not, should not, shouldnt, wont, will not, didnt, rather not, not play, stop",
    "别 不要 请勿 不用 不必 勿 不许 不能 不会 不准",
)
GREETING = (
    "hello, hi, hey, good morning, good afternoon, good evening, good night, thanks, thank you, sorry, bye, goodbye, "
    "welcome, nice to meet you, nice to see you, how are you, see you, excuse me, congratulations, happy birthday",
    "很高兴 你好 您好 早上好 早安 下午好 晚上好 晚安 谢谢 多谢 对不起 抱歉 再见 好的 没关系 辛苦了 打扰了 恭喜 生日快乐",
)
STATEMENT = (
    "there is, there are, theres, i saw, i have, ive, i put, i moved, i took, i think, i believe, i heard, i left, it is, its, is, "
    "are, was, were, has, had, seems, looks, smells, feels, i like, i love, i am, im, i was, i know, i found, i brought, "
    "i did, i closed, i opened, broke, fell, belongs, costs, have been",
    "是 有 在 了 着 已经 没有 看见 觉得 听见 听到 认为 知道 好像 似乎 很 挺 真 太 坏 属于 喜欢",
)
QUESTION = ("吗", "呢", "什么", "谁", "哪", "怎么", "为什么", "几点", "多少", "是不是", "有没有")
SOFT_END = ("吧", "好吗", "怎么样", "如何", "好不好")
FILLERS = (
    "and, then, now, so, ok, okay, well, just, hey, hi, hello, oh, first, again, quickly, also, but, yes, no, my friend, good morning, "
    "good evening, dear, all right, alright, thanks, sorry, excuse me, you, next",
    "顺便 顺手 多 稍微 尽快 赶快 一会儿 快 先 再 那 那么 现在 嗯 哦 喂 好 来 去 你 你去 你来 把 将 就 帮 赶紧 赶快 立刻 马上 然后 接着 嘿 早上好 你好 晚上好 对了",
)
SUBJECTS = ("my", "your", "the", "a", "an", "someone", "somebody", "something", "he", "she", "they", "it", "there", "we", "i", "this", "that")
"""Words that open a statement: who or what it is about."""
ABOUT_YOU = ("you ", "youre ", "thats ", "that is ", "how ", "what a ", "你", "真", "太", "没事")
"""Openings that judge the other or the moment, and claim nothing about the room."""
TOOK = ("thanks for", "thank you for", "谢谢你把", "谢谢你帮", "多谢你", "谢谢你的", "谢谢你给")
"""Thanks for what was done; the doing they name is past."""
BIDDEN = ("一下", "来", "掉", "上", "给我", "好", "干净", "一擦", "擦擦", "洗洗")
"""How a bidden Chinese action ends."""
RESULTS = {"开": "开开", "关": "关掉"}
"""把灯关了 asks for what 灯关了 states."""
SPEAKERS = ("我", "他", "她", "它", "我们", "他们")

PARTICLES: dict[str, dict[str, str]] = {
    "turn": {"on": "switch_on", "off": "switch_off", "up": "switch_on", "down": "switch_off"},
    "turned": {"on": "switch_on", "off": "switch_off", "up": "switch_on", "down": "switch_off"},
    "switch": {"on": "switch_on", "off": "switch_off"},
    "put": {"away": "tidy", "back": "tidy", "down": "put"},
    "set": {"down": "put"},
    "take": {"away": "take", "out": "throw_away"},
    "get": {"up": "wake", "back": "come"},
}
"""Verbs whose particle may stand behind the thing: "turn the lamp on"."""

_ENGLISH = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_CHINESE = "一二三四五六七八九十"
NUMBERS: dict[str, int] = {
    **{word: at for at, word in enumerate(_ENGLISH, 1)},
    **{word: at for at, word in enumerate(_CHINESE, 1)},
    **dict.fromkeys(("a", "an"), 1),
    **dict.fromkeys(("half an", "半"), 0),
    **dict.fromkeys(("a few", "几"), 5),
    "两": 2, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "sixty": 60,
}
"""0 means a half."""

_SECOND, _MINUTE, _HOUR, _DAY = 1000, 60_000, 3_600_000, 86_400_000
SPANS_MS: dict[str, int] = {
    **dict.fromkeys(("second", "seconds", "秒"), _SECOND),
    **dict.fromkeys(("minute", "minutes", "分钟"), _MINUTE),
    **dict.fromkeys(("hour", "hours", "小时", "钟头"), _HOUR),
    **dict.fromkeys(("day", "days", "天"), _DAY),
}
