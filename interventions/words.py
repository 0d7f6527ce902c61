"""The shipped word lists, English and Chinese: which words name an action, a thing, a wish, a promise.

Data only. English entries are separated by commas and may be several words; Chinese ones by blanks. A longer entry
wins over a shorter one at the same place. Everything here is in simplified characters and without punctuation,
because texts are folded before they are looked up.
"""

# ruff: noqa: E501

ACTION_WORDS: dict[str, tuple[str, str]] = {
    "open": (
        "open, opens, opening, opened, unlock, unlatch, unbolt, prop open, crack the, crack a, crack open, air the room, "
        "air out",
        "打开 开一下 拉开 推开 敞开 开个 开开 开启 打开来 开 拧开 撬开 拆开 翻开 掀开 揭开 开条 开道 开点 留条缝 留个缝 "
        "透透气 通通风 通风 开锁 敞着 撕开 解开 开半 开一半 开大点儿窗 推开点 拉出 拉出来 拆",
    ),
    "close": (
        "close, closes, closing, closed, shut, shutting, shuts, slam, draw the curtains, draw the curtain, draw the blinds, "
        "seal",
        "拉严实 关严实 拧一下 拉一下 关上 关好 关掉 关一下 合上 拉上 关闭 关紧 关 关严 掩上 合拢 拧紧 盖紧 "
        "拉严 拉紧 关牢 虚掩 带上门 关下 关个 关着点 关死 关拢 闭上 别拉",
    ),
    "switch_on": (
        "switch on, turn on, power on, light up, start up, lights on, light on, flick on, crank up, turn the light on, "
        "turn the lights on, switch the light on, switch the lights on",
        "点亮 开灯 接通 拧亮 点上 点个 点着 打着 开大 调大 调高 调亮 放点音乐 放首歌 放音乐 放段音乐 放个歌 来点音乐 "
        "来首歌 来段音乐 亮灯 开盏灯 开下灯 开个灯 点灯 点盏灯 弄大 弄响 启动 点燃 生火 通电 打亮 点根 点支 点蜡烛 点起 播放 播点 播一 播首 "
        "播个 播段",
    ),
    "switch_off": (
        "switch off, turn off, power off, turn out, lights off, lights out, light off, kill the, douse, blow out, snuff out, put out the candle, put out the light, "
        "turn the light off, turn the lights off, switch the light off, switch the lights off",
        "熄灭 关灯 熄灯 断开 吹蜡烛 吹了 吹掉 吹熄 关小 调小 调低 吹灭 灭掉 灭了 弄灭 关火 熄火 拧小 调暗 掐灭 弄小 熄了 熄掉 小点声音 断电 "
        "拔掉插头 关一关 别开那么大 熄一下 灭一下",
    ),
    "bring": (
        "trouble you for, any chance of a, any chance of some, can i get, could i get, may i get, brought, bring, brings, "
        "bringing, fetch, borrow, get me, get us, hand me, pass me, carry over, deliver, hand over, give me, give us, pass, "
        "can i have, could i have, may i have, let me have, i could use, i could really use, i could do with, id love, "
        "i would love, bring over, grab me, grab us, find me, might i have, spare me, reach me, let me borrow, let me use, "
        "slide me, send over, hand back, give back, give me back, i wouldnt mind a, i wouldnt mind some, show me",
        "拿过来 拿来 带来 带过来 递给我 递过来 取来 取过来 端来 端过来 送来 送过来 给我拿 拿给我 给我倒 带给我 交给我 "
        "给我用 借我 带 捎来 捎过来 抱过来 抱来 拎过来 提过来 捡过来 传过来 传给我 扔给我 丢给我 找来 借用 借一下 借给我 "
        "给我来 端给我 送给我 捎给我 抱给我 拿一 拿个 拿条 拿张 拿支 拿本 拿块 拿杯 拿瓶 端上来 交出来 交过来 递上来 端给 取给 弄点水 弄杯 "
        "弄点茶 弄壶 倒杯 还我 还给我 拿到这 送到我 取一下 递一递 拿几 拿些 拿点 拿把 拿双 捎个 捎点 带点 带个 借你 "
        "借用一下 借你的 借下你的",
    ),
    "give": ("give, gives, giving, hand, offer, lend", "递给 交给 送给 借给 递 给你 送过去 拿过去 端过去 递过去 带过去 送去 送回去 给他拿 给他 给她 给他们"),
    "take": (
        "took, take, takes, taking, grab, pick up, picking up, pick, get, hold, lift up, collect, unhook",
        "拿起 带下去 带出去 拎下去 拿下去 拿走 拿上 捡起 取走 取 拿着 拿一下 拿 捡 拿住 拾起 拎 拎起 提起 抱起 端起 取下 带好 捡起来 拿起来 拾 "
        "收走 拿开 拿出来 取出来 端走 拿掉 取一 摘下 卸下 接过 捧 拽 接住 端住 拿稳 拿紧 抱一下 抱着 抱抱 抱好",
    ),
    "put": (
        "put, puts, putting, place, set down, lay, leave it, put down, hang up, stick, pop, prop, rest it, store, "
        "leave the keys, tuck, hang the, hang your, hang my, hang it, hang that, hang those",
        "放到 放在 放回 放下 摆到 摆在 搁在 放 摆 搁 放进 放好 挂 挂上 挂起 挂到 搭在 插进 插在 塞进 塞到 贴在 贴到 "
        "垫 铺 盖上 盖好 盖在 摆上 摆好 摆进 搁到 搁进 放去 盖条 盖件 披上 端到 还回 靠 靠着墙 靠墙放 竖 立 存 码 "
        "码到 晾 晾上 晾起来 贴 贴上 插 摊开 平放 放平 搭 倚 归到 搬进 装进 装到 收到柜",
    ),
    "move": (
        "move, moves, moving, moved, shift, push, drag, touch, slide, shove, budge, scoot, nudge, haul, carry, lift, step aside, "
        "move over, make room, swap, swing",
        "移到 挪到 别碰 碰 别动 别动那 别动这 别动我 别动桌 别动它 不要碰 不要动 搬到 挪开 移开 搬 挪 移 推 推到 推开 推过 抬 抬到 挪挪 搬走 拉过来 "
        "拖过来 拖到 不许动 乱动 动我 动桌 动那 动这 动一下我 让一让 让让 让开 挪窝 挪个 换个地方 站过来 转 转过 转一 "
        "掉个头 翻个面 翻面 往边上 靠边 靠过来 拖 拽 推一推 推推 推一下 换一边 抬一下 抬抬 拉一拉 扶正 摆正 调个头",
    ),
    "drink": (
        "drink, drinks, drinking, drank, sip, have a drink, have some water, have some tea, have tea",
        "喝点 喝口 喝杯 喝水 喝茶 喝 喝些 喝几 喝一 干杯 润润嗓子 抿一口 解解渴 解渴 喝两口 喝一口 喝掉 喝完 喝光",
    ),
    "eat": (
        "ate, eat, eats, eating, have lunch, have dinner, have breakfast, have a snack, have something, taste, snack, "
        "have a bite, grab a bite, have some food, nibble, munch, tuck in",
        "吃点 吃饭 吃一 吃东西 尝尝 尝一 吃 吃些 吃几 吃顿 用餐 开饭 垫垫肚子 填饱 啃 填肚子 填饱肚子 吃口 吃掉 吃完 "
        "吃光 来口 垫一垫",
    ),
    "cook": (
        "cook, cooks, cooking, cooked, scramble, chop, slice, peel, dice, make some noodles, make dinner, make lunch, make breakfast, prepare a meal, bake, roast, fry, grill, "
        "stir fry, heat some soup, prepare dinner, make supper, whip up, make us dinner, put dinner on, get dinner on, "
        "start dinner, fix dinner, put a pot on, get dinner started, start cooking",
        "做点好吃 做点吃 做饭 做菜 煮饭 煮面 下厨 做顿 烧饭 炒菜 做晚饭 做午饭 做早饭 做些 做份 做碗 做盘 做一顿 做个菜 "
        "做个饭 弄点吃 弄点饭 弄些吃 弄个饭 煮 炒 煎 烤 蒸 炖 熬 下面条 下碗面 下点面 热饭 热个饭 做早餐 做午餐 做晚餐 "
        "准备晚饭 准备午饭 准备早饭 炸 拌 凉拌 包饺子 烙 打个鸡蛋 打两个鸡蛋 下锅 弄两个菜 炒两个 炒个 煮个 煎个 蒸个 "
        "做两个 做几个 做个汤 做道 做点菜 烤几 烤点 弄晚饭 弄早饭 弄午饭 做夜宵 弄点夜宵 熬粥 煮粥 打鸡蛋",
    ),
    "read": (
        "read, reads, reading, read aloud, read out",
        "读一读 念一 看书 读书 读读 阅读 读 念 念念 念给 朗读 读给 看会儿书 看会书 看看书 看本书 看点书 看些书 看一会儿书 "
        "看几页 念出来 念一下 读出来 读一下 读下 读段 读首 读完 念完 朗诵 翻到",
    ),
    "write": (
        "wrote, write, writes, writing, note down, jot, jot down, scribble, pen a, take a note, make a note, write back, "
        "reply to",
        "写下 写信 写一 写个 写点 记下 写字 写 写封 写张 写首 写几 写写 记一 记下来 记在 记到 记录 抄 抄一 抄下 "
        "做个笔记 回信 回封信 写回信 回一封信 草拟 拟",
    ),
    "water": (
        "watered, water, watering, sprinkle, mist, feed the plant, feed the plants",
        "浇浇水 浇水 浇花 浇一 浇 给植物水 浇点 浇些 浇浇 浇下 喷点水 喷水 喷一喷 喷喷水 洒水 洒点水 淋点水 浇个水 浇个 "
        "淋一",
    ),
    "tidy": (
        "tidied, tidied up, tidy, tidies, tidying, tidy up, clean up, put away, put back, clear up, clear away, straighten, "
        "sort out, fold, fold up, make the bed, straighten up, organize, organise, put in order, clear the, clear off, "
        "get the table ready, lay the table, set the table",
        "收拾 整理 收好 归位 收起 收一 打扫 收走 收进 收回 收收 收下 清理 叠 叠好 叠起 理一 理理 理好 铺床 铺好床 "
        "挂起来 归置 摆整齐 放整齐 码好 码整齐 规整 整一整 拾掇 清一清 腾出 归拢 打理 捡拾 床铺一下 铺一下 铺平 铺整齐 "
        "摆好 摆一摆 摆整 叠一叠 叠一 叠起来 扎 捆 收拢 收拾收拾 摞 摞好 摞起来 收了 收掉 收进柜 放一边去 床铺好 床铺平 "
        "床铺整齐",
    ),
    "wipe": (
        "wiped, wipe, wipes, wiping, wipe off, wipe down, dust, polish, mop, sweep, hoover, vacuum, dry, buff, run a cloth over, "
        "mop up",
        "擦一擦 擦擦 擦干净 擦干 抹一 擦 抹 拖地 拖一 拖下地 扫地 扫一 扫扫 扫下 扫干净 掸 抖一 抖抖 抹抹 抹干净 抹掉 "
        "吸尘 吸一吸 吸下尘 擦净 擦亮 擦一下 擦一把 拖了 扫了 抹了 抹净 拂 掸一掸",
    ),
    "wash": (
        "washed, had a shower, had a bath, wash, washes, washing, rinse, do the dishes, do the laundry, clean, take a shower, "
        "shower, scrub, scrub out, wash up, do the washing up, do the washing, rinse out, scour, give a scrub, have a shower, have a bath, "
        "take a bath",
        "洗一 洗洗 洗手 洗碗 洗衣服 洗澡 冲洗 淋浴 洗干净 洗 刷一 刷刷 刷干净 刷好 刷了 刷碗 刷锅 刷个 刷掉 刷 涮 "
        "冲一冲 冲干净 冲冲 清洗 泡澡 泡个澡 泡个热水澡 洗漱 洗脸 刷牙 洗把 搓 搓一搓 漂 漂洗 冲凉 冲个澡 冲澡 烫一烫 "
        "消毒 洗刷 冲一下 洗出来 淘米 淘一下 淘一淘 淘洗 淘淘 淘",
    ),
    "sit": (
        "sat, sit, sits, sitting, sit down, have a seat, take a seat, take a pew, perch, park yourself",
        "坐下 坐一会 坐坐 请坐 坐 坐这 坐那 坐会 就座 入座 落座 坐着别 坐好",
    ),
    "lie": (
        "lie down, lie, lying, lay down",
        "躺下 躺一 躺 躺会 躺着 躺下来 平躺",
    ),
    "sleep": (
        "slept, sleep, sleeps, sleeping, nap, get some sleep, take a nap, go to bed, go to sleep, turn in, hit the sack, "
        "get to bed, catch some sleep, off to bed, time for bed, have a nap, have a lie down",
        "睡觉 睡一 去睡 小睡 午睡 睡 打个盹 打盹 眯一会 眯会 眯一下 上床 就寝 安歇 补个觉 补觉 睡会 歇了吧 合会眼 闭眼",
    ),
    "wake": (
        "wake up, wake, get up, up you get, get out of bed, rise and shine",
        "起床 醒醒 醒来 叫醒 起来 起身 起来吧 醒一醒 叫我起床 叫我起来 叫我一声 喊我起床 喊醒",
    ),
    "rest": (
        "get some rest, rested, rest, rests, resting, take a break, relax, take a rest, put your feet up, have a break, unwind, "
        "take it easy, have a breather, take a breather, you deserve a break, a break",
        "休息 歇一 歇会 歇歇 放松 歇着 歇口气 喘口气 缓一缓 缓缓 静静 静一静 歇 放松一下 休整 歇一歇 躺平歇 闭目养神 "
        "消停会",
    ),
    "call": (
        "called, call, calls, calling, phone, ring up, make a call, answer the phone, pick up the phone, answer it, answer that, telephone, ring, dial, "
        "give a ring, get the phone, get that phone, drop a call, get in touch with",
        "打电话 打个电话 接电话 接一下电话 接一下 接起 给他打 回电话 致电 拨个电话 拨电话 拨打 拨一下 接个电话 接下电话 接听 "
        "接一接 你接 快接 去接 打通电话 打一个电话 打给 通个电话 打回去 回个电话 联系 联系一下 拨通 挂个电话 挂电话给 "
        "来个电话 别接",
    ),
    "look": (
        "looked, look at, look, looks, looking, watch, see, check, think of, think about, remember, notice, consider, mind, "
        "peek, glance, have a look, take a look, keep an eye on, watch over, inspect",
        "看看 看一看 看一下 看着 瞧瞧 瞧 检查 想想 想一想 想起 注意到 留意 看 看一眼 看两眼 瞅瞅 瞅一眼 瞅 瞄一眼 瞥 "
        "查看 看下 瞧一 瞧一眼 检查一下 观察 查一下 查查 盯着 关注 望 望一望 照看 看着点 看住 留神 看好 瞧瞧看 瞅一瞅 "
        "看清 数一数 数数",
    ),
    "listen": (
        "listened, listen to, listen, listens, listening, hear, have a listen, tune in",
        "听听 听一听 听一下 听 听一 听会 听段 听首 听下 你听",
    ),
    "search": (
        "found, search, rummage, rummage through, rummage in, look for, search for, find, seek, looking for, hunt down, hunt for, track down, dig out, hunt",
        "找找 找一找 寻找 找一下 找到 找 找下 找个 找出 找来 找回 搜一 搜搜 翻一翻 翻找 摸 翻翻 翻一下 找寻 搜寻 去找",
    ),
    "throw_away": (
        "threw, threw out, threw away, taking out, taken out, throw away, throw out, throw, discard, get rid of, toss, "
        "empty the bin, take out the trash, chuck, chuck out, dump, scrap, get shot of, put out the rubbish, empty the trash, "
        "empty the rubbish",
        "扔掉 丢掉 扔了 丢了 倒垃圾 扔 丢 倒掉 扔出去 扔一下 丢出去 丢一下 丢进垃圾 扔进垃圾 处理掉 拎出去 甩掉 丢弃 扔光 "
        "倒一倒 丢出 扔垃圾 丢垃圾 撇了 扔一扔",
    ),
    "fill": (
        "filled, fill, fills, filling, fill up, refill, pour, top up, pour out",
        "换水 换换水 换点水 换一换水 装满 倒满 加满 灌满 装水 接水 加水 倒 灌 灌点 灌些 灌一 灌壶 灌水 去接满 去接点 去接水 去接一 去接壶 去接杯 装点 装些 加点水 "
        "加些水 加满水 接点 接些 接壶 接杯 接满 续点 续上 续杯 续水 添点水 添水 盛点 盛碗 打点水 斟 斟满 兑点水 打水 "
        "打壶水 打满 注满 倒点 倒些 倒上",
    ),
    "boil": (
        "boiled, boil, boils, boiling, make tea, make some tea, make coffee, heat up, put the kettle on, brew, heat, warm up, "
        "reheat, warm, put some water on, put water on",
        "烧水 烧开 烧壶 泡茶 泡杯茶 煮水 沏茶 热一热 烧 泡 沏 冲杯 冲壶 冲点 冲茶 冲咖啡 热一下 热下 热点 热个 热热 "
        "热好 热给 加热 温一温 温一下 烧点 烧上 烧一 烧些 热杯 热碗 坐水 坐壶 坐上火 烫一壶 煮点水 煮茶 煮咖啡 煮壶 "
        "冲一杯 冲一壶 泡一 温一壶 温点",
    ),
    "wait": (
        "wait, waits, waiting, hold on, stay, hang on, hold it, sit tight, wait up, stay put, stay here, stay there, stay where, "
        "wait a bit, slow down",
        "等一等 等等 等一下 稍等 等我 等一会 待着 等 稍候 等会 候着 等着 别走 再待 待一会 待会儿再走 等我一下 等下 慢着 "
        "且慢 等等我 别急着走 留步 先别走",
    ),
    "come": (
        "come here, come over, come back, come in, come, be back, return, be right back, come to, get back, visit, pop over, "
        "drop by, step over, come on in, come closer, come along, get over here, join me, cmere, cmon over, cmon in",
        "过来 回来 来一下 来这 进来 来看你 来 过来坐 来这边 来这里 来这儿 到这边 到这儿 到这里 上这儿 上这边 来一趟 来趟 "
        "过来一趟 过一下 到我这 来我这 来我身边 到我身边 凑过来 靠近 上来 来帮我 进屋 走过来 快来 来呀 来吧",
    ),
    "leave": (
        "leave, leaves, leaving, go away, go out, get out, step outside, go home, clear off, go off, go for a walk, take a walk, "
        "get lost, get some air, get some fresh air, clear out, off you go, off with you, nip out, pop out, head out",
        "离开 出去 走开 走吧 走了 回家 出门 走走 散步 散散步 散个步 转转 溜达 出去走 出去转 逛逛 出去透透气 退下 走远点 "
        "走开点 离远点 走远 一边去 一边待着 回去 出一下门 让我一个人待 躲开 出去走走 出去转转 到外面走 到外面转 离我远 离远 "
        "靠边站",
    ),
    "talk": (
        "talked, talk, talks, talking, chat, speak, tell me, tell, discuss, talk about, natter, tell us, explain, describe, "
        "say something, share, discuss it",
        "聊聊 聊天 谈谈 说说 讲讲 聊一聊 告诉我 聊 谈 说会儿话 说会话 说点 说个 说一说 讲个 讲一 讲点 讲段 讲给 唠唠 "
        "唠嗑 聊会 聊一会 聊几句 说几句 说两句 跟我说 和我说 跟我讲 告诉 解释 解释一下 介绍 介绍一下 打个招呼 问候 说一下 "
        "说下 说来听听 谈一谈 说给 讲一讲 透露 慢点说 慢慢说 好好说 说吧 快说 说清楚 说明白",
    ),
    "help": (
        "help, helps, helping, help out, lend a hand, lend me a hand, lend us a hand, give us a hand, give me a hand",
        "帮助 来帮我一把 来帮我一下 来帮个忙 来帮忙 来帮把手 帮我一把 帮忙 帮个忙 搭把手 帮一把 搭个手 帮把手 帮我个忙 帮下忙 帮我个 帮下 帮我一下 帮帮我 帮帮忙 帮一下 "
        "帮一帮 来帮帮 帮帮",
    ),
    "promise": ("promise, promises", "答应 保证 承诺"),
    "stop": (
        "stop, stops, stopping, quit, cease, be quiet, keep quiet, pipe down, hush, shush, keep it down, shut up, quiet, "
        "silence, cut it out, knock it off, pack it in, leave off, keep your voice down, calm down, leave it alone, "
        "give it a rest, not so loud, less noise, easy now, cut that out, knock that off, knock off that, pack that in, quit it",
        "停下 停止 别再 停一停 住手 安静 停一下 停 小声 小点声 轻点声 别吵 闭嘴 住嘴 住口 别出声 别说话 别闹 别动 打住 别唱 别敲 别哼 别晃 别叫 "
        "消停 安静点 静一点 站住 把嘴闭上 轻一点 别弄了 别吵了 静静 静下来 收声 别嚷 别喊 安生",
    ),
    "play": (
        "played, play, plays, playing, strum, give us a tune, give me a tune",
        "弹一 弹弹 演奏 弹 玩一 玩 弹个 弹首 弹段 弹支 弹会 弹上 弹唱 来一曲 来一段 来一首 奏 来支 奏一 弹弹琴 弹琴",
    ),
    "exercise": (
        "exercised, exercise, exercises, exercising, work out, stretch, do some sport, stretch your legs, go for a run, "
        "move about, move around, limber up",
        "锻炼 活动活动 活动一下 运动 做操 伸展 拉伸 健身 伸懒腰 伸个懒腰 伸伸 跑步 跑跑步 走动 走动走动 动一动 动动 做运动 "
        "做做运动 做点运动 做些运动 练练 热身 起来走走 舒展 做套操 瑜伽 扭扭腰 扭一扭 甩甩胳膊 走两步 动起来 跳一跳 蹦 "
        "做俯卧撑 做仰卧 俯卧撑 仰卧起坐 深蹲 散步 伸伸胳膊 伸展一下 踢踢腿",
    ),
    "ask": ("ask, asks, asking", "问问 问一下 询问 问 问一问 问下 问他 问她 打听 请教 问清楚 问一声 问声 喊他 喊她 叫他 叫她"),
}

UNDOABLE: dict[str, tuple[str, str]] = {
    "lock": (
        "lock, locks, lock up, bolt",
        "锁上 锁好 锁一 锁了 锁门 锁一下 锁上门 锁 锁住 锁紧 反锁 插上门 锁着",
    ),
}
"""What is asked for like any other doing, and nobody here can do."""

TARGET_WORDS: dict[str, tuple[str, str]] = {
    "door": ("door, doors, front door", "房门 大门 门"),
    "window": ("window, windows, curtain, curtains, blind, blinds", "窗户 窗子 窗帘 窗 窗帘布 窗扇 百叶窗"),
    "bed": ("bed, mattress", "床铺 床"),
    "sofa": ("sofa, couch, settee", "沙发"),
    "chair": ("chair, chairs, armchair", "椅子 椅"),
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
    "box": ("box, sealed box", "盒子 箱子 纸箱"),
    "lamp": ("lamp, light, lights, reading lamp, light bulb, bulb", "台灯 电灯 灯 灯泡 灯光"),
    "ceiling_light": ("ceiling light, main light", "顶灯 吊灯 大灯"),
    "heater": ("heater, radiator, heating", "暖气 取暖器 暖炉"),
    "notebook": ("notebook, diary, journal", "笔记本 日记本 日记 本子 日记簿 记事本 笔记"),
    "pen": ("pen, pencil", "钢笔 铅笔 笔"),
    "book": ("book, books, novel, story", "小说 图书 书本 书"),
    "letter": ("letter, letters, mail, envelope", "信件 信封 来信 封信 信 书信"),
    "paper": ("paper, sheet of paper, letter paper", "信纸 纸张 纸 便条 纸条 条子 白纸"),
    "newspaper": ("newspaper", "报纸 "),
    "phone": ("phone, telephone, mobile, cell phone", "电话 手机 座机 电话机"),
    "radio": ("radio, music", "收音机 广播 音乐 乐曲 "),
    "clock": ("clock", "时钟 挂钟 闹钟"),
    "photo": ("photo, photograph, picture", "照片 相片 相框"),
    "vase": ("vase", "花瓶"),
    "rug": ("rug, carpet", "地毯"),
    "plant": ("plant, plants, flower, flowers, flower pot", "植物 盆栽 花草 绿植 盆花 花 花盆 盆景 花儿"),
    "watering_can": ("watering can, watering pot", "喷壶 洒水壶 浇水壶 浇花壶 浇花的水壶 浇花用的水壶 浇水的壶"),
    "blanket": ("blanket, blankets, quilt", "毯子 毛毯 被子 被褥"),
    "pillow": ("pillow, cushion", "枕头 靠垫 抱枕"),
    "towel": ("towel", "毛巾"),
    "clothes": ("clothes, jacket, coat", "衣服 外套 夹克 衣物 大衣 毛衣 脏衣服"),
    "kettle": ("kettle, teapot", "水壶 烧水壶 茶壶 热水壶"),
    "stove": ("stove, cooker, oven, hob", "炉子 灶台 炉灶 火炉 灶 煤气灶 炉火"),
    "sink": ("sink, tap, faucet", "水槽 水池 水龙头 龙头"),
    "fridge": ("fridge, refrigerator", "冰箱"),
    "cup": ("cup, cups, teacup", "茶杯 杯子 这杯 那杯 这杯子 那杯子"),
    "mug": ("mug, mugs", "马克杯"),
    "glass": ("glass, drinking glass, glass of water", "玻璃杯 水杯"),
    "plate": ("plate, plates, dish, dishes", "盘子 碟子 碗碟 碗筷 "),
    "bowl": ("bowl, bowls", "饭碗 碗 碗"),
    "pan": ("pan, pot, saucepan", "锅子 锅 炒锅 平底锅"),
    "spoon": ("spoon", "勺子 汤匙 调羹 勺"),
    "bread": ("bread, toast, loaf", "面包 吐司"),
    "apples": ("apple, apples, fruit", "苹果 水果 果子"),
    "cheese": ("cheese", "奶酪"),
    "crackers": ("crackers, biscuits, cookies", "饼干"),
    "vegetables": ("vegetables, veggies", "蔬菜 青菜 菜叶"),
    "noodles": ("noodles, pasta", "面条 挂面"),
    "eggs": ("egg, eggs", "鸡蛋"),
    "rice": ("rice", "米饭 大米 白米 淘米 米淘"),
    "soup_can": ("soup, soup can", "汤罐头 罐头 汤"),
    "basin": ("basin, washbasin", "洗手盆 洗手池 脸盆"),
    "shower": ("shower stall, shower head", "淋浴间 花洒"),
    "toilet": ("toilet, bathroom", "马桶 厕所 卫生间"),
    "mirror": ("mirror", "镜子"),
    "laundry_basket": ("laundry basket, laundry, hamper", "洗衣篮 脏衣篮"),
    "bin": ("bin, trash, rubbish, garbage, trash can, dustbin, waste", "垃圾桶 垃圾 废纸篓 垃圾袋 垃圾箱 纸篓"),
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
    "of course, i see, look like, looks like, at rest, come on, the rest, thank you, thanks for coming, by the way, "
    "for the rest, make sure, over there, take care, take your time, have a nice, have fun, long time, see you, "
    "leave it to me, good to see you, to read, in the water, open to, feel free, you know, go ahead, never mind, dont mind, "
    "do you mind, would you mind, if you dont mind, some water, cold water, hot water, the water, close to, close by, "
    "looking forward, hear that, hear from, read it before, window seat, time to, let me see, let me think, let me know, "
    "let me tell, carry on, hold hands, ring the bell, no rest, want for nothing, the other, dry spell, no break, the break, "
    "fair play, at play, come to think of it, rest in peace, rest assured, to be honest, believe me, look forward, "
    "sleep tight, sleep well, sweet dreams, my glasses, your glasses, reading glasses, his glasses, her glasses, like an oven, like a fridge, need a hand, want a hand, like a hand, give you a hand, lend you a hand",
    "我看你 倒是 看你累 看你困 看你忙 看你这 看你那 看你脸 看你瘦 看你冻 看你饿 看你渴 碰见 碰到 碰上 碰巧 碰面 碰头 不信 开心 开始 开玩笑 没关系 关系 关于 关心 放心 看来 看起来 看上去 看法 听说 听起来 来说 从来 本来 原来 "
    "以来 来着 后来 近来 未来 起来了 一会儿 喝彩 吃惊 吃力 走神 睡不着 睡得 睡眠 动作 写法 读者 问题 请问 有问题 "
    "书法 花了时 花了钱 花了很 花了不少 花时间 花钱 信任 相信 自信 信息 门口 热门 床单 天花板 水果刀 笔直 取消 取决 "
    "带着 说不定 等于 等级 放假 打算 好好 好看 难看 好听 好吃 收到 听不见 听见 听到 看见 看到 想念 拿手 推荐 念头 "
    "搬家 移动 意思 意见 留言 开会 开车 公开 离开会 玩笑 说话 没开 开着 关着 你看要 你看是 你看能 一切 亲切 切实 "
    "窗台 抱歉 别担心 别着急 别客气 别急 别累 别着凉 别感冒 别生气 别怕 现在不用 现在先不 让我想 让我来 做梦 做个好梦 "
    "给我的 笔记本 感动 激动 动静 动物 运动鞋 动不动 自动 主动 停电 停了 静静地 推迟 推辞 提醒 提前 抬头 挂念 挂着 "
    "盖子 歇业 叫做 热闹 热水 热心 热情 炉火 煮好了 叠着 大声 小声说 说好 听着 浪费 起来很 炒菜味 道理 处理 理解 "
    "理想 心理 收信 收拾得 收获 收费 收入 丰盛 茂盛 垫子 枕头 打听到 一动 坐着 躺着呢 睡着 睡了 点着头 转眼 放学 "
    "淘气 淘宝 淘汰 解放 灌木 对着 盛情 刷子 牙刷 拉肚子 跑步机 唱歌好 弹得 弹性 子弹 写得 做得 煮得 洗得 泡沫 洗衣机 电热 闷热 "
    "太热 好热 很热 热死 有点热 天热 热得 寻常 千寻 翻译 抄袭 饮料 饮食 关照 靠谱 可靠 依靠 转告 转身 呼吸 划算 "
    "计划 画面 图画 油画 照片上 拖鞋 插座 插话 立刻 立即 建立 独立 成立 存在 保存 竖起 扶手 捆绑 望着 希望 失望 "
    "愿望 看望 抚摸 转天 好转 转机 填空 唱片 合唱 唱歌的 叫个不 吹风 吹牛 立着 靠着 摸不 贴心 体贴 拌嘴 炸了 拽着 "
    "捧着 画得 唱得 倚着 纸巾 餐巾纸 卫生纸 手纸 削弱 剥夺 摔跤 砸了 摔坏 摔碎 摔倒 摔了一 砸坏 砸碎 门锁坏 锁坏 "
    "锁孔 锁匠 拆迁 拆散 直接 接着 间接 听我的 听话 给他们的 给他的",
)

STRONG_REQUEST = (
    "please, could you, would you, would you mind, i need you to, i want you to, i would like you to, id like you to, "
    "do me a favour, do me a favor, help me, give me, hand me, pass me, bring me, get me, fetch me, kindly, be so kind, "
    "dont forget to, do not forget to, never forget to, not forget to, dont you forget to, dont hesitate to, do not hesitate to, remember to, would it be okay if you, would it be ok if you, would it be, is it possible, "
    "any chance you, any chance of, could we, would you let me, let me have, i could use, i could really use, "
    "i could do with, id love, i would love, mind opening, mind closing, mind shutting, mind turning, mind bringing, "
    "mind passing, id rather you, may i have, can i have, could i have, could i borrow, can i borrow, i beg you, tell me, "
    "lend me, be quiet, keep quiet, id appreciate it, i would appreciate it, be great if you, be lovely if you, "
    "be nice if you could, be so good, be a dear, be a love, could i trouble you, might i have, can i trouble you, "
    "if you could, if you would, do us a favour, do us a favor, favour and, grab me, grab us, find me, want you to, "
    "spare me, let me borrow, let me use, reach me, grateful if you, thankful if you, obliged if you, glad if you, happy if you, happier if you, appreciate it if you, "
    "love it if you, would it kill you to, would it hurt you to, be too much to ask, you must, you have to, youve got to, i want the, i want it, i want this, "
    "i want that, id like the, give back, i wouldnt mind a, i wouldnt mind some, show me",
    "我希望你 希望你 记得 别忘了 别忘记 别忘 不要忘了 不要忘记 不要忘 勿忘 请 陪我 让我 方便的话 帮我 帮忙 帮个忙 麻烦 劳驾 拜托 替我 给我 我想请你 我要你 求你 "
    "帮一下 递给我 拿给我 告诉我 帮着 请帮 麻烦你 劳烦 陪陪我 行行好 求求你 给我来 借我 递我 跟我 帮忙把 有劳 给咱 "
    "帮咱 陪咱 替咱 给俺 帮俺 请多",
)
WEAK_REQUEST = (
    "can you, will you, can we, could we, i need, i want, i would like, id like, may i, wont you, do you mind",
    "方不方便 方便帮 方便给 方便把 能 可以 好不好 好吗 能不能 可不可以 能否 可否 你能 可以帮 可以把 你可以 能帮 能把 我想要 我需要 行不行",
)
SUGGESTION = (
    "how about, what about, why dont you, why dont we, why not, lets, let us, maybe, perhaps, you could, you might, "
    "you may want, you should, you ought, i suggest, id suggest, i recommend, id recommend, shall we, it might be, "
    "it would be good, it would be nice, it might help, might be nice, you better, youd better, we could, we should, "
    "you can also, what if, my advice, if i were you, would be a good idea, its time to, it is time to, have you thought, "
    "have you considered, ever thought of, ever thought about, ever considered, do you good, would you like to, fancy, might as well, better to, would be nice to, "
    "would be good to, how do you feel about, time you, about time you, isnt it about time, wouldnt it be nice, "
    "wouldnt it be better, id get some, id have a, i reckon you, you could always, best to, best if you, do you want to, "
    "do you fancy, what do you say we, what do you say to, what would you say to, youd be better off, you would be better off, might be an idea, could be an idea, "
    "would be an idea, be an idea to, might be worth, could be worth, be worth your while, wouldnt hurt to, no harm in, wouldnt do any harm to, couldnt hurt to, care for, care to, feel like, how would you like, might feel better, be a good moment, good time to, "
    "should be, why dont i, needs watering, needs washing, needs cleaning, needs emptying, needs taking, needs tidying, "
    "needs wiping, needs filling, need watering, need washing, need cleaning, needs a wash, needs a wipe, needs a clean, "
    "i would have, better if you, may want to, would do you, you need some, you need a, you deserve, we ought, ought to, "
    "may as well, might want to, wise to, would be wise, how would you feel about, shouldnt you, shouldnt we, "
    "dont you want to, you may as well, would you like, may help to, might help to, it helps to",
    "要不 要不然 不如 建议 也许 或许 何不 不妨 最好 应该 我们一起 咱们 怎么样 试试 该 你还是 为好 有好处 有没有想过 "
    "换了我 换作我 要是我 我要是你 差不多 要不要 一块儿 一起 比较好 会好 可以试 可以考虑 考虑一下 何必 要么 推荐 是时候 "
    "依我看 要我说 照我看 照我说 依我说 该不该 干嘛不 怎么不 为何不 想不想 要不咱 咱俩 劝你 打发时间 也无妨 换作是我 换成我 换成是我 如果是我 要换我",
)
PROMISE = (
    "i will, ill, i am going to, im going to, i promise, i shall, i plan to, i intend to, i am about to, im about to, we will, "
    "i wont, i will not, you have my word, count on me, let me, i might, id be happy to",
    "我会 我将 我保证 我答应 我马上 我一会 我等会 我待会 我明天 我晚上 我今晚 我下午 我稍后 我去 我来帮 我这就 我打算 我承诺 我过会 我周末 我下周 我每天 我就来 我很快 我随后 我来 我给你 我帮你 我陪你 我替你 我等下 我等一下 "
    "我回头 我到时 我晚点 我改天 我下次 我马上就 我一定 我肯定 我今天 我一会儿 我来给",
)
NEGATION = (
    "dont you dare, try not to, dont, do not, never, not to, no need to, must not, should not, shouldnt, wont, will not, "
    "didnt, rather not, not play, stop, mustnt, you mustnt, not be",
    "别 不要 请勿 不用 不必 勿 不许 不能 不会 不准 不可以",
)
GREETING = (
    "hello, hi, hey, good morning, good afternoon, good evening, good night, thanks, thank you, sorry, bye, goodbye, "
    "welcome, nice to meet you, nice to see you, how are you, see you, excuse me, congratulations, happy birthday, cheers",
    "很高兴 你好 您好 早上好 早安 下午好 晚上好 晚安 谢谢 多谢 对不起 抱歉 再见 好的 没关系 辛苦了 打扰了 恭喜 生日快乐",
)
STATEMENT = (
    "there is, there are, theres, i saw, i have, ive, i put, i moved, i took, i think, i believe, i heard, i left, it is, "
    "its, is, are, was, were, has, had, seems, looks, smells, feels, i like, i love, i am, im, i was, i know, i found, "
    "i brought, i did, i closed, i opened, broke, fell, belongs, costs, have been, you must have, you must be, must be",
    "是 有 在 了 着 已经 没有 看见 觉得 听见 听到 认为 知道 好像 似乎 很 挺 真 太 坏 属于 喜欢",
)
COURTESY = (
    "if you dont mind, if you do not mind, if you dont object, dont mind, do not mind, dont worry, do not worry, if you wont mind, never mind",
    "不介意 不客气 别客气 别担心 不用担心 别着急",
)
"""Negations that turn nothing around."""
SOFT_END = ("吧", "好吗", "怎么样", "如何", "好不好")
FILLERS = (
    "and, then, now, so, ok, okay, well, just, hey, hi, hello, oh, first, again, quickly, also, but, yes, no, my friend, good morning, "
    "good evening, dear, all right, alright, thanks, sorry, excuse me, hurry up, next, here, run, run and, off, go, go and, come, come and, do, please"
)
"""What may open an English command."""
SUBJECTS = ("somebodys", "someones", "everybody", "everyone", "nobody", "these", "those", "its", "im", "ive", "hes", "shes", "were", "theyre", "my", "your", "the", "a", "an", "someone", "somebody", "something", "he", "she", "they", "it", "there", "we", "i", "this", "that")
"""Words that open a statement: who or what it is about."""
ZH_POLITE = (
    "谢", "多谢", "哈哈", "呵呵", "嘿嘿", "打扰", "说得", "多亏", "哪里", "原来", "怪不得", "难怪", "没关系", "祝", "让你", "别", "幸会", "恭喜", "辛苦", "久仰", "慢走",
    "不客气", "真不好意思", "不好意思", "对不起", "好久不见", "你好", "早", "晚安", "再见",
)
"""Openings of what is only polite, or no more than a sound of agreement."""
ABOUT_YOU = ("you ", "youre ", "thats ", "that is ", "how ", "what a ", "真", "太", "没事", *ZH_POLITE)
"""Openings that judge the other or the moment, and claim nothing about the room."""
TOOK = ("thanks for", "thank you for", "(?:真是|真的|太|非常|很)?(?:谢谢|多谢|感谢)[你您]们?(?=[^ ])", "sorry for", "sorry about")
"""Thanks for what was done; the doing they name is past."""
RESULTS = {"开": "开开", "关": "关掉"}
"""把灯关了 asks for what 灯关了 states."""
ZH_CALLS = (
    "嘿 喂 哎 来 嗯 哦 噢 啊 好 对了 那 那么 那个 然后 接着 顺便 顺手 顺路 现在 今天 今晚 晚上 早上 中午 下午 "
    "一会儿 待会儿 等会儿 回头 等一下 请 请你 麻烦 麻烦你 麻烦您 劳驾 劳烦 劳烦你 拜托 拜托你 求你 求求你 你好 您好 "
    "早上好 晚上好 亲爱的 不好意思 抱歉 打扰一下 可以 能 能不能 可不可以 能否 可否 方便的话 有空 有空的话 有时间 "
    "记得 别忘了 可别忘了 千万 千万要 一定 务必 要不 不如 干脆 睡前 饭前 饭后 出门前 走之前 临走 别 不要 不许 请勿 "
    "不用 先别 千万别 可别 别再 不准 坐着 站着 躺着 待着 再"
)
"""What may open a bidding clause."""
ZH_HOW = (
    "你 您 你们 你自己 自己 咱们 咱俩 我们 一起 一块儿 先 再 快 快点 赶紧 赶快 马上 立刻 尽快 尽量 稍微 稍 多 少 "
    "早点 早些 晚点 慢慢 慢点 轻轻 轻点 好好 顺便 顺手 就 都 也 给 给我 帮我 替我 为我 陪我 跟我 和我 帮忙 帮着 "
    "帮 来 去 过来 过去 出去 进来 你来 你去 一下 一趟 一会儿 继续 重新 全 全部 统统 也给我 别 不要 先别 不用 别再 "
    "不许 可以 能 能不能 可不可以 要 得 该 好不好 麻烦 麻烦你 请 没事 不妨 试试 试着 记得 给咱 帮咱 陪咱 替咱 给俺 "
    "帮俺 靠墙 靠窗 靠边 倒是 倒 赶忙 抓紧 趁热 趁早 趁新鲜 趁凉 趁着热 拿去 端去 麻利点 利索点 慢慢地 轻轻地 好好地 仔细 仔仔细细 干净 使劲 用力 往上 往下 多多 常 经常 别忘了 给他 给她 "
    "给他们 给她们 给大家 帮他 帮她 替他 替她 跟他 跟她 和他 向他 向她 为他 乱 到处 随便 随手 老 一直"
)
"""How and for whom: what may stand between the thing, or the head of the clause, and a bidden verb."""
ZH_NOUNS = (
    "剪刀 遥控器 眼镜 鞋 伞 雨伞 盐 牛奶 咖啡 茶叶 鞋子 袜子 帽子 背包 钱包 手表 电视 电脑 充电器 插头 电池 地板 天花板 玻璃 "
    "屋子 房间 屋里 家里 厨房 客厅 卧室 头发 开水 热水 凉水 东西 玩具 行李 快递 包裹 名字 地址 声音 音量 空调 风扇 "
    "电扇 洗衣机 微波炉 电饭锅 筷子 叉子 瓶子 罐子 袋子 篮子 抹布 扫把 拖把 床单 被单 枕套 桌布 烟灰缸 曲子 故事 "
    "作业 脏水 垃圾袋 牙膏 牙刷 果皮 剩饭 剩菜 饭菜"
)
"""Things of a home that no room here has; a clause about them is built like any other."""
ZH_DOERS = (
    "我 他 她 它 有人 谁 某人 大家 别人 人家 邻居 房东 朋友 同事 医生 老师 老板 孩子 "
    "我妈 我爸 我哥 我弟 我姐 我妹 你妈 你爸 你哥 你弟 你姐 你妹 他妈 他爸 妈妈 爸爸 哥哥 弟弟 姐姐 妹妹 小猫 猫 狗 小狗"
)
"""Who may do something that is told, and is not the one spoken to."""
PARTICLES: dict[str, dict[str, str]] = {
    "turn": {"on": "switch_on", "off": "switch_off", "up": "switch_on", "down": "switch_off", "around": "move", "round": "move"},
    "turned": {"on": "switch_on", "off": "switch_off", "up": "switch_on", "down": "switch_off"},
    "switch": {"on": "switch_on", "off": "switch_off"},
    "put": {"away": "tidy", "back": "tidy", "down": "put"},
    "set": {"down": "put"},
    "take": {"away": "take", "out": "throw_away"},
    "get": {"up": "wake", "back": "come"},
    "turning": {"on": "switch_on", "off": "switch_off", "up": "switch_on", "down": "switch_off", "around": "move"},
    "switching": {"on": "switch_on", "off": "switch_off"},
    "switched": {"on": "switch_on", "off": "switch_off"},
    "putting": {"away": "tidy", "back": "tidy", "down": "put"},
    "taking": {"away": "take", "out": "throw_away"},
    "blow": {"out": "switch_off"},
    "clear": {"away": "tidy", "up": "tidy"},
    "snuff": {"out": "switch_off"},
    "top": {"up": "fill"},
    "topping": {"up": "fill"},
    "flick": {"on": "switch_on", "off": "switch_off"},
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
