"""Frozen tables by which look-alike spellings become one; no Unicode data of the running Python takes part.

The tables of `unicodedata` differ from one Python to the next, so a key built on them would too. What is folded
here was written down once and never changes under us: letters with marks, letters of other scripts that look
Latin, full-width and styled forms, radicals that look like characters, and the traditional forms of the
characters our word lists use.
"""

LOOKALIKES: dict[str, str | tuple[str, ...]] = {
    "0": "⁰₀",
    "1": "¹₁",
    "2": "²₂",
    "3": "³Зз₃",
    "4": "Ꮞ⁴₄",
    "5": "⁵₅",
    "6": "⁶₆",
    "7": "⁷₇",
    "8": "⁸₈",
    "9": "⁹₉",
    "a": "ªÀÁÂÃÄÅàáâãäåĀāĂăĄąǍǎǞǟǠǡǺǻȀȁȂȃȦȧɑΆΑάαАаԱᎪᴀᴬᵃḀḁẠạẢảẤấẦầẨẩẪẫẬậẮắẰằẲẳẴẵẶặₐÅ",
    "b": "ʙΒβВЬвьᏏᏴᴮᵇḂḃḄḅḆḇℬ",
    "c": "ÇçĆćĈĉĊċČčϲϹСсᏟᴄᶜḈḉℂℭⅭⅽ",
    "d": "ÐðĎďĐđԀԁᎠᴅᴰᵈḊḋḌḍḎḏḐḑḒḓⅅⅆⅮⅾ",
    "e": "ÈÉÊËèéêëĒēĔĕĖėĘęĚěȄȅȆȇȨȩΈΕέεЁЕеёҽᎬᴇᴱᵉḔḕḖḗḘḙḚḛḜḝẸẹẺẻẼẽẾếỀềỂểỄễỆệₑℯℰⅇ",
    "f": "ƒϝᶠḞḟℱ",
    "g": "ĜĝĞğĠġĢģǦǧǴǵɡɢԍցᏀᴳᵍḠḡℊ",
    "h": "ĤĥĦħȞȟʜʰΗНнҺһհᎻᴴḢḣḤḥḦḧḨḩḪḫẖₕℋℌℍℎ",
    "i": "ÌÍÎÏìíîïĨĩĪīĬĭĮįİıǏǐȈȉȊȋɩɪΊΐΙίιϊІЇіїᎥᴵᵢḬḭḮḯỈỉỊịⁱℐℑℹⅈⅠⅰ",
    "j": "ĴĵǰʲϳЈјյᎫᴊᴶⅉ",
    "k": "ĶķǨǩΚκКкᏦᴋᴷᵏḰḱḲḳḴḵₖK",
    "l": "ĹĺĻļĽľŁłʟˡӀӏԼᏞᴸḶḷḸḹḺḻḼḽₗℒℓⅬⅼ",
    "m": "ΜМмᎷᴍᴹᵐḾḿṀṁṂṃₘℳⅯⅿ",
    "n": "ÑñŃńŅņŇňǸǹɴΝήηПпոռᴺṄṅṆṇṈṉṊṋⁿₙℕ",
    "o": (
        "ºÒÓÔÕÖØòóôõöøŌōŎŏŐőƠơǑǒǪǫǬǭȌȍȎȏȪȫȬȭȮȯȰȱΌΟΣοσόОоՕօᴏᴼᵒṌṍṎṏṐṑṒṓỌọỎỏỐốỒồỔổỖỗỘộỚớỜờỞở"
        "ỠỡỢợₒℴ"
    ),
    "p": "ÞþΡρРрքᏢᴘᴾᵖṔṕṖṗₚℙ",
    "q": "Ԛԛգℚ",
    "r": "ŔŕŖŗŘřȐȑȒȓʀʳГгҐґᎡᏒᴿᵣṘṙṚṛṜṝṞṟℛℜℝ",
    "s": "ŚśŜŝŞşŠšſȘșˢЅѕՏᏚṠṡṢṣṤṥṦṧṨṩẛₛꜱ",
    "t": "ŢţŤťŦŧȚțΤτТтᎢᴛᵀᵗṪṫṬṭṮṯṰṱẗₜ",
    "u": "ÙÚÛÜùúûüŨũŪūŬŭŮůŰűŲųƯưǓǔǕǖǗǘǙǚǛǜȔȕȖȗμυύЦцՍսᴜᵁᵘᵤṲṳṴṵṶṷṸṹṺṻỤụỦủỨứỪừỬửỮữỰự",
    "v": "νѴѵᏙᴠᵛᵥṼṽṾṿⅤⅴ",
    "w": "ŴŵʷωώШшԜԝᎳᏔᴡᵂẀẁẂẃẄẅẆẇẈẉẘ",
    "x": "ˣΧχХхẊẋẌẍₓⅩⅹ",
    "y": "ÝýÿŶŷŸȲȳʏʸΎΥγУуҮүᎩᎽẎẏẙỲỳỴỵỶỷỸỹ",
    "z": "ŹźŻżŽžΖᏃᴢᶻẐẑẒẓẔẕℤℨ",
}

EXPANSIONS: dict[str, str] = {
    "Ĳ": "ij", "ĳ": "ij", "Ǆ": "dz", "ǅ": "dz", "ǆ": "dz", "Ǉ": "lj", "ǈ": "lj", "ǉ": "lj", "Ǌ": "nj",
    "ǋ": "nj", "ǌ": "nj", "Ǳ": "dz", "ǲ": "dz", "ǳ": "dz", "№": "no", "℠": "sm", "℡": "tel", "™": "tm",
    "℻": "fax", "Ⅱ": "ii", "Ⅲ": "iii", "Ⅳ": "iv", "Ⅵ": "vi", "Ⅶ": "vii", "Ⅷ": "viii", "Ⅸ": "ix",
    "Ⅺ": "xi", "Ⅻ": "xii", "ⅱ": "ii", "ⅲ": "iii", "ⅳ": "iv", "ⅵ": "vi", "ⅶ": "vii", "ⅷ": "viii",
    "ⅸ": "ix", "ⅺ": "xi", "ⅻ": "xii", "ß": "ss", "ẞ": "ss", "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe",
    "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st",
}

# The 214 radicals from U+2F00 on, as the characters they look like.
RADICALS = (
    "一丨丶丿乙亅二亠人儿入八冂冖冫几凵刀力勹匕匚匸十卜卩厂厶又口囗土士夂夊夕大女子宀寸小尢尸屮山巛工己巾干幺广廴"
    "廾弋弓彐彡彳心戈戶手支攴文斗斤方无日曰月木欠止歹殳毋比毛氏气水火爪父爻爿片牙牛犬玄玉瓜瓦甘生用田疋疒癶白皮皿"
    "目矛矢石示禸禾穴立竹米糸缶网羊羽老而耒耳聿肉臣自至臼舌舛舟艮色艸虍虫血行衣襾見角言谷豆豕豸貝赤走足身車辛辰辵"
    "邑酉釆里金長門阜隶隹雨靑非面革韋韭音頁風飛食首香馬骨高髟鬥鬯鬲鬼魚鳥鹵鹿麥麻黃黍黑黹黽鼎鼓鼠鼻齊齒龍龜龠"
)

# Traditional form, simplified form, and so on.
SIMPLIFIED = (
    "開开關关門门幫帮請请給给澆浇讀读寫写聽听說说話话電电燈灯書书壺壶鍋锅爐炉櫃柜櫥橱牀床檯台臺台盤盘馬马"
    "蘋苹麵面飯饭湯汤雞鸡筆笔記记紙纸鐘钟鏡镜籃篮發发熱热氣气灑洒淨净掃扫裡里裏里過过來来進进離离覺觉幾几"
    "點点後后會会將将應应該该麼么嗎吗這这個个們们還还沒没對对謝谢問问題题時时間间長长現现東东車车買买賣卖"
    "讓让別别燒烧彈弹練练鍛锻鍊炼煉炼運运動动體体衛卫廁厕檢检視视觀观張张圖图畫画機机線线響响靜静聲声舊旧"
    "壞坏藍蓝紅红綠绿黃黄單单雙双條条塊块隻只郵邮傳传遞递顆颗樹树葉叶乾干濕湿髒脏丟丢棄弃拋抛鎖锁滿满試试"
    "願愿議议勸劝許许諾诺證证約约錯错沖冲涼凉陽阳陰阴風风雲云頭头腦脑臉脸腳脚齊齐樣样種种邊边遠远處处當当"
    "實实夠够讚赞歡欢樂乐廚厨廳厅臥卧衝冲從从為为於于與与無无剛刚蓋盖飲饮飢饥餓饿餵喂喚唤歲岁鬧闹癢痒緊紧"
    "輕轻閉闭啟启啓启閱阅聞闻誰谁談谈調调變变選选連连週周遲迟達达錢钱銀银鐵铁鑰钥陳陈隨随難难雖虽順顺須须"
    "顧顾養养魚鱼鳥鸟黏粘齡龄龍龙"
)

# First code point, last code point, first character of the plain run.
RUNS: tuple[tuple[int, int, str], ...] = (
    (0xFF10, 0xFF19, "0"),
    (0xFF21, 0xFF3A, "a"),
    (0xFF41, 0xFF5A, "a"),
    (0x2460, 0x2468, "1"),
    (0x2474, 0x247C, "1"),
    (0x249C, 0x24B5, "a"),
    (0x24B6, 0x24CF, "a"),
    (0x24D0, 0x24E9, "a"),
    (0x1F110, 0x1F129, "a"),
    (0x1F130, 0x1F149, "a"),
    (0x1F150, 0x1F169, "a"),
    (0x1F170, 0x1F189, "a"),
    (0x1F1E6, 0x1F1FF, "a"),
)
STYLED_LETTERS = (0x1D400, 0x1D6A3)  # thirteen alphabets of 52 letters, upper case before lower
STYLED_DIGITS = (0x1D7CE, 0x1D7FF)  # five runs of ten

# Characters that show nothing, or change only how their neighbours are shown.
INVISIBLE: tuple[tuple[int, int], ...] = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)

# Marks that sit on the letter before them.
MARKS: tuple[tuple[int, int], ...] = (
    (0x0300, 0x036F),
    (0x0483, 0x0489),
    (0x1AB0, 0x1AFF),
    (0x1DC0, 0x1DFF),
    (0x20D0, 0x20FF),
    (0x3099, 0x309A),
    (0xFE20, 0xFE2F),
)

SPACES = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000" )


def _letters() -> dict[int, str]:
    table = {code: chr(code + 32) for code in range(ord("A"), ord("Z") + 1)}
    for first, last, plain in RUNS:
        table.update({code: chr(ord(plain) + code - first) for code in range(first, last + 1)})
    first, last = STYLED_LETTERS
    table.update({code: chr(ord("a") + (code - first) % 26) for code in range(first, last + 1)})
    first, last = STYLED_DIGITS
    table.update({code: chr(ord("0") + (code - first) % 10) for code in range(first, last + 1)})
    for plain, forms in LOOKALIKES.items():
        table.update({ord(form): plain for line in forms for form in line})
    table.update({ord(form): plain for form, plain in EXPANSIONS.items()})
    table.update({0x2F00 + at: plain for at, plain in enumerate("".join(RADICALS))})
    pairs = "".join(SIMPLIFIED)
    simple = dict(zip(pairs[0::2], pairs[1::2], strict=True))
    table.update({code: simple.get(plain, plain) for code, plain in table.items()})
    table.update({ord(old): new for old, new in simple.items()})
    return table


LETTERS: dict[int, str] = _letters()
