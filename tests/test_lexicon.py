"""Everyday sentences, English and Chinese, are read for what they are: their kind, action, thing and moment."""

import pytest

from interventions.contract import ACTIONS, MARKS
from interventions.lexicon import read, resolve
from interventions.moments import due_ms
from interventions.text import fold
from interventions.words import ACTION_WORDS

NAMES: dict[str, str] = {}

ENGLISH = [
    ("please open the window", "request", "open", "window"),
    ("Could you close the window, please?", "request", "close", "window"),
    ("Would you mind shutting the door?", "request", "close", "door"),
    ("could you water the plant?", "request", "water", "plant"),
    ("Can you bring me the mug?", "request", "bring", "mug"),
    ("Bring me a cup of tea, will you?", "request", "bring", "cup"),
    ("Hand me the notebook.", "request", "bring", "notebook"),
    ("Turn on the lamp.", "request", "switch_on", "lamp"),
    ("Turn the lamp off, please.", "request", "switch_off", "lamp"),
    ("Please switch the radio on.", "request", "switch_on", "radio"),
    ("Can you turn off the heater?", "request", "switch_off", "heater"),
    ("Put the book back on the shelf.", "request", "put", "book"),
    ("Please put the mug on the table.", "request", "put", "mug"),
    ("Move the chair to the desk, please.", "request", "move", "chair"),
    ("Please wash the cup.", "request", "wash", "cup"),
    ("Could you do the dishes?", "request", "wash", "plate"),
    ("Wipe the table, please.", "request", "wipe", "table"),
    ("Would you empty the bin?", "request", "throw_away", "bin"),
    ("Throw away that letter.", "request", "throw_away", "letter"),
    ("Please read the letter.", "request", "read", "letter"),
    ("Fill the kettle, please.", "request", "fill", "kettle"),
    ("Can you boil some water?", "request", "boil", ""),
    ("Sit down, please.", "request", "sit", ""),
    ("Please come here.", "request", "come", ""),
    ("Wait a moment!", "request", "wait", ""),
    ("Play the guitar for me, please.", "request", "play", "guitar"),
    ("Could you answer the phone?", "request", "call", "phone"),
    ("Look at the photo.", "request", "look", "photo"),
    ("Please stop.", "request", "stop", ""),
    ("I need you to find the key.", "request", "search", "key"),
    ("Please be quiet.", "request", "stop", ""),
    ("Tell me a story.", "request", "talk", "book"),
    ("Don't open the box!", "request", "open", "box"),
    ("Please don't water the plant.", "request", "water", "plant"),
    ("Could you ignore the radio for a second? I want to hear the rain.", "request", "listen", "radio"),
    ("Maybe you could water the plant.", "suggestion", "water", "plant"),
    ("How about a walk to the window?", "suggestion", "", "window"),
    ("Why don't you take a nap?", "suggestion", "sleep", ""),
    ("Let's open the window.", "suggestion", "open", "window"),
    ("You should drink some water.", "suggestion", "drink", ""),
    ("You could read the letter later.", "suggestion", "read", "letter"),
    ("Perhaps you might tidy the desk.", "suggestion", "tidy", "desk"),
    ("I suggest resting a while.", "suggestion", "rest", ""),
    ("Shall we play some music?", "suggestion", "switch_on", "radio"),
    ("It might be good to eat something.", "suggestion", "eat", ""),
    ("What about cooking dinner?", "suggestion", "cook", ""),
    ("I will bring you a letter tomorrow.", "claim", "bring", "letter"),
    ("I'll be back in ten minutes.", "claim", "come", ""),
    ("I promise to close the door.", "claim", "close", "door"),
    ("I am going to water the plant.", "claim", "water", "plant"),
    ("We will clean the kettle in 5 minutes.", "claim", "wash", "kettle"),
    ("The window is open.", "claim", "", "window"),
    ("There is a letter under the door.", "claim", "", "letter"),
    ("I moved your cup to the desk.", "claim", "", "cup"),
    ("I put the key in the drawer.", "claim", "", "key"),
    ("It is raining outside.", "claim", "", ""),
    ("The kettle is hot.", "claim", "", "kettle"),
    ("I have seen your book on the sofa.", "claim", "", "book"),
    ("Hello!", "plain", "", ""),
    ("Good morning, my friend.", "plain", "", ""),
    ("Thank you very much.", "plain", "", ""),
    ("How are you?", "plain", "", ""),
    ("What time is it?", "plain", "", ""),
    ("Do you like the rain?", "plain", "", ""),
    ("Okay.", "plain", "", ""),
    ("Ha ha ha", "plain", "", ""),
]

CHINESE = [
    ("请打开窗户。", "request", "open", "window"),
    ("请把窗户关上。", "request", "close", "window"),
    ("帮我把杯子拿过来", "request", "bring", "cup"),
    ("能不能把红色的书递给我？不方便就算了。", "request", "bring", "book"),
    ("麻烦你关一下门。", "request", "close", "door"),
    ("可以帮我浇一下花吗？", "request", "water", "plant"),
    ("给植物浇浇水吧。", "suggestion", "water", "plant"),
    ("开灯。", "request", "switch_on", "lamp"),
    ("请把灯关掉。", "request", "switch_off", "lamp"),
    ("把收音机打开。", "request", "switch_on", "radio"),
    ("关掉收音机。", "request", "switch_off", "radio"),
    ("请把书放回书架。", "request", "put", "book"),
    ("把马克杯放到桌上。", "request", "put", "mug"),
    ("麻烦把椅子搬过来。", "request", "move", "chair"),
    ("请洗一下杯子。", "request", "wash", "cup"),
    ("帮我擦擦桌子。", "request", "wipe", "table"),
    ("你能倒一下垃圾吗？", "request", "throw_away", "bin"),
    ("把那封信扔掉。", "request", "throw_away", "letter"),
    ("请读一读这封信。", "request", "read", "letter"),
    ("请烧壶水。", "request", "boil", ""),
    ("能帮我泡杯茶吗？", "request", "boil", ""),
    ("能不能帮我拿一下毯子？", "request", "take", "blanket"),
    ("请坐下。", "request", "sit", ""),
    ("过来一下。", "request", "come", ""),
    ("等一等！", "request", "wait", ""),
    ("请弹弹吉他。", "request", "play", "guitar"),
    ("麻烦接一下电话。", "request", "call", "phone"),
    ("看看那张照片。", "request", "look", "photo"),
    ("请停下。", "request", "stop", ""),
    ("帮我找一下钥匙。", "request", "search", "key"),
    ("请安静一会儿，我有点头疼。", "request", "stop", ""),
    ("别打开那个盒子！", "request", "open", "box"),
    ("请不要浇花。", "request", "water", "plant"),
    ("請幫我開窗。", "request", "open", "window"),
    ("劳驾，把毯子拿给我。", "request", "bring", "blanket"),
    ("我想请你写封信。", "request", "write", "letter"),
    ("要不你休息一会儿？", "suggestion", "rest", ""),
    ("不如先吃点东西。", "suggestion", "eat", ""),
    ("我建议把书桌收拾一下。", "suggestion", "tidy", "desk"),
    ("也许可以打开窗户透透气。", "suggestion", "open", "window"),
    ("你最好喝点水。", "suggestion", "drink", ""),
    ("我们一起做饭怎么样？", "suggestion", "cook", ""),
    ("咱们听听音乐吧。", "suggestion", "listen", "radio"),
    ("去睡觉吧。", "suggestion", "sleep", ""),
    ("你应该锻炼一下。", "suggestion", "exercise", ""),
    ("何不看看窗外？", "suggestion", "look", "window"),
    ("我们商量一下：你先休息，半小时后再帮我找钥匙，好吗？", "request", "search", "key"),
    ("我会在十分钟后回来", "claim", "come", ""),
    ("我保证明天把书还给你。", "claim", "give", "book"),
    ("我马上去关窗。", "claim", "close", "window"),
    ("我会给花浇水。", "claim", "water", "plant"),
    ("我待会儿来收拾桌子。", "claim", "tidy", "table"),
    ("窗户开着。", "claim", "", "window"),
    ("门口有一封信。", "claim", "", "letter"),
    ("我把你的杯子挪到窗边了，抱歉没先问你。", "claim", "", "cup"),
    ("钥匙在抽屉里。", "claim", "", "key"),
    ("外面下雨了。", "claim", "", ""),
    ("水壶很烫。", "claim", "", "kettle"),
    ("我觉得那扇门的把手坏了。", "claim", "", "door"),
    ("你好！", "plain", "", ""),
    ("早上好，朋友。", "plain", "", ""),
    ("非常谢谢。", "plain", "", ""),
    ("你还好吗？", "plain", "", ""),
    ("现在几点？", "plain", "", ""),
    ("你喜欢下雨吗？", "plain", "", ""),
    ("好的。", "plain", "", ""),
    ("哈哈哈", "plain", "", ""),
]


@pytest.mark.parametrize(("text", "mark", "action", "target"), ENGLISH + CHINESE)
def test_an_everyday_sentence_is_read(text: str, mark: str, action: str, target: str) -> None:
    reading = read(text, NAMES)

    assert (reading.mark, reading.action, reading.target) == (mark, action, target)


@pytest.mark.parametrize("text", [row[0] for row in ENGLISH + CHINESE])
def test_a_reading_stays_inside_the_closed_lists(text: str) -> None:
    reading = read(text, NAMES)

    assert reading.mark in MARKS
    assert reading.action in ("", *ACTIONS)


def test_every_action_of_the_closed_list_has_words_in_both_languages() -> None:
    assert set(ACTION_WORDS) == set(ACTIONS)
    assert all(english and chinese for english, chinese in ACTION_WORDS.values())


@pytest.mark.parametrize(
    "text",
    [
        "Open the window.",
        "OPEN THE WINDOW!!!",
        "open-the-window",
        "ｏｐｅｎ　ｔｈｅ　ｗｉｎｄｏｗ",
        "оpen thе wіndow",
        "0pen the w1ndow",
        "o​p​e​n the win­dow",
        "o p e n  t h e  w i n d o w",
        "ópèn thë wîndöw",
        "𝐨𝐩𝐞𝐧 the 𝔀𝓲𝓷𝓭𝓸𝔀",
        "ⓞⓟⓔⓝ the window",
        "Please, would you open up that window?",
        "unlatch the window",
        "the windows... open them",
        "打开窗户",
        "把窗户打开吧",
        "開窗",
        "窗　户　开　一　下",
        "请你把窗​户推开",
    ],
)
def test_a_theme_in_other_spellings_words_or_languages_is_one_theme(text: str) -> None:
    assert "open|window" in read(text, NAMES).themes


@pytest.mark.parametrize(
    "text", ["The cup.", "那只杯子，看看那只杯子。", "杯​子，看​杯​子", "ＴＨＥ ＣＵＰ　看 看 杯 子", "再想想那个杯子"]
)
def test_naming_a_thing_and_looking_at_it_are_one_theme(text: str) -> None:
    assert read(text, NAMES).themes[0] == "look|cup"


def test_a_decoy_in_front_hides_no_theme() -> None:
    for text in (
        "Look at the lamp and open the window.",
        "看看台灯，再打开窗户。",
        "Water the plant; bring the mug; open the window.",
    ):
        assert "open|window" in read(text, NAMES).themes


def test_things_are_known_by_the_names_the_room_gives_them() -> None:
    names = {fold("Old brass kettle"): "kettle_2", fold("窗户"): "window_north"}

    assert read("Please fill the old brass kettle.", names).target == "kettle_2"
    assert read("Open the window, please.", names).target == "window_north"
    assert resolve("Ｗindow", names) == "window_north"
    assert resolve("dragon", names) == ""


@pytest.mark.parametrize(
    ("text", "span_ms"),
    [
        ("in ten minutes", 600_000),
        ("within 5 minutes", 300_000),
        ("in half an hour", 1_800_000),
        ("in an hour", 3_600_000),
        ("in two days", 172_800_000),
        ("十分钟后", 600_000),
        ("半小时后", 1_800_000),
        ("两个小时之内", 7_200_000),
        ("一个半小时后", 5_400_000),
        ("二十五分钟后", 1_500_000),
        ("过3天", 259_200_000),
        ("later", None),
        ("以后", None),
    ],
)
def test_a_moment_is_read_from_a_promise(text: str, span_ms: int | None) -> None:
    assert due_ms(fold(text)) == span_ms


def test_only_the_speakers_own_action_is_a_promise() -> None:
    assert read("I will close the window.", NAMES).own
    assert read("我会把窗户关上。", NAMES).own
    assert not read("Please close the window.", NAMES).own
    assert not read("The window is closed.", NAMES).own


def test_a_wish_that_something_be_left_undone_says_so() -> None:
    assert read("Don't open the box!", NAMES).negated
    assert read("请不要打开盒子。", NAMES).negated
    assert not read("Open the box!", NAMES).negated
