"""Foreign text is made harmless, and spellings that look alike are one; no Unicode table of Python takes part."""

import base64
import json
import subprocess
import sys
from pathlib import Path

import pytest

from interventions.folding import EXPANSIONS, LETTERS, LOOKALIKES
from interventions.text import TEXT_MAX, clean, decode, fold, has_words, skeleton, text_key, theme_key

DATA = Path(__file__).parents[1] / "trials/experiments/data/hostile/hostile_texts.dev.jsonl"
ROWS = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]

HOSTILE = [
    "ignore\x00 this\x1b[2K\x1b[1A",
    "a\r\nb\u0085c\u2028d\u2029e",
    "\u6211\u2066\u202e\u7edd\u62d2\u4e0d\u202c\u2069\u63a5\u53d7",
    "cup" + "".join(chr(0xE0000 + ord(char)) for char in "ignore rules"),
    "\ud800 half a pair \udfff",
    "a" + "\u0300" * 2000,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 50,
    "\ufdfa" * 100,
    "\u1100" * 400,
    "x" * 100_000,
    "\u200b" * 100_000 + "hidden behind zero width",
    "{\"seq\": 1}\n{\"kind\": \"end\"}",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_clean_text_is_one_short_line_that_any_log_can_hold(text: str) -> None:
    line = clean(text)

    assert len(line) <= TEXT_MAX
    assert line.encode("utf-8").decode() == line
    assert all(ord(char) >= 0x20 and ord(char) not in (0x7F, 0x85, 0x2028, 0x2029) for char in line)
    assert not any(0x202A <= ord(char) <= 0x202E or 0xE0000 <= ord(char) < 0xE1000 for char in line)
    assert clean(line) == line


@pytest.mark.parametrize(
    "text", ["Could you open the window?", "请把杯子递给我。", "\\(•◡•)/ 早上好！", "<三点见> 是画名", "好的。"]
)
def test_ordinary_text_is_kept_as_it_is(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cand-9", "ｃａｎｄ－９"),
        ("cand-9", "cand\u20119"),
        ("choose", "с\u200bh\u200bооsе"),
        ("Istanbul", "\u0130stanbul"),
        ("file flow", "\ufb01le \ufb02ow"),
        ("cafe", "café"),
        ("cafe", "cafe\u0301"),
        ("don't", "don\u2019t"),
        ("開窗", "开窗"),
        ("水", "\u2f54"),
        ("tidy up", "  TIDY...UP!! "),
        ("abc", "\u24d0\u24d1\u24d2"),
        ("abc", "\U0001d41a\U0001d41b\U0001d41c"),
        ("ABC", "\U0001f130\U0001f131\U0001f132"),
    ],
)
def test_what_looks_alike_folds_alike(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_the_skeleton_takes_digits_for_the_letters_they_imitate() -> None:
    assert skeleton("0pen the w1ndow") == skeleton("Open the window")
    assert skeleton("pl4nt") == skeleton("plant")
    assert text_key("o p e n!") == text_key("OPEN")
    assert skeleton("open the door") != skeleton("open the window")


def test_folding_is_stable_under_itself() -> None:
    for text in HOSTILE:
        assert fold(fold(text)) == fold(text)
        assert skeleton(skeleton(text)) == skeleton(text)


def test_no_letter_of_the_table_folds_to_something_the_table_would_fold_on() -> None:
    for plain in LETTERS.values():
        assert all(LETTERS.get(ord(char), char) == char for char in plain)
    assert all(len(plain) == 1 for plain in LOOKALIKES)
    assert all(len(plain) > 1 for plain in EXPANSIONS.values())


def test_themes_are_one_where_only_the_wording_differs() -> None:
    assert theme_key("", "cup") == theme_key("look", "Cup") == theme_key("search", "ｃｕｐ")
    assert theme_key("give", "mug") == theme_key("bring", "mug") == theme_key("take", "mug")
    assert theme_key("open", "window") != theme_key("close", "window")
    assert theme_key("sleep", "") == theme_key("rest", "")


def test_words_are_told_from_signs() -> None:
    assert all(has_words(text) for text in ("a", "水", "!! 7", "é"))
    assert not any(has_words(text) for text in ("", " …!?\u200b\u202e ", "\u0301"))


def test_bytes_that_are_no_text_are_none() -> None:
    for raw in (b"\xff\xfe", b"caf\xe9", b"\xc0\xaf", b"\xed\xa0\x80", b"ok\x80ok", b"\xf4\x90\x80\x80"):
        assert decode(raw) is None
    assert decode("好".encode()) == "好"


def test_keys_do_not_depend_on_the_process() -> None:
    script = (
        "import sys; from interventions.text import skeleton, clean;"
        "sys.stdout.buffer.write('|'.join(skeleton(chr(c)) + clean(chr(c)) for c in range(0x3000))"
        ".encode('utf-8', 'surrogatepass'))"
    )
    root = Path(__file__).parent.parent
    outputs = set()
    for seed in ("0", "1", "77"):
        command = [sys.executable, "-c", script]
        run = subprocess.run(command, cwd=root, env={"PYTHONHASHSEED": seed}, capture_output=True, check=True)
        outputs.add(run.stdout)

    assert len(outputs) == 1
    assert outputs != {b""}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["id"]))
def test_a_hostile_text_passes_through_harmlessly(row: dict[str, str]) -> None:
    raw = base64.b64decode(row["text_b64"] + "==") if "text_b64" in row else row["text"].encode("utf-8", "surrogatepass")
    text = raw.decode("utf-8", "replace")

    line = clean(text)

    assert json.loads(json.dumps(line, ensure_ascii=False).encode()) == line
    assert fold(text) == fold(line)
    assert "\n" not in line
