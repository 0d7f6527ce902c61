"""Whatever a protocol file or its name holds, the answer is one clear refusal, quickly, and nothing else is opened."""

import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.faults import ProtocolError
from protocols.library import find, load_persona, load_protocol, template
from protocols.persona import parse_persona
from protocols.protocol import Protocol
from protocols.reading import parse_protocol

DATA = Path(__file__).parents[1] / "trials/experiments/data/hostile/hostile_texts.dev.jsonl"
ROWS = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
BOMBS = {row["id"]: row["text"].encode() for row in ROWS if row["category"] == "protocol_bomb"}
NAMES = {row["id"]: row["text"] for row in ROWS if row["category"] == "path_traversal"}
FIELDS = {row["id"]: row["text"] for row in ROWS if "protocol_field" in row["channels"]}

BOMBS |= {
    "dotted": b"a." * 100_000 + b"a = 1",
    "nested lists": b"x = " + b"[" * 100_000,
    "nested tables": b"x = " + b"{a=" * 20_000,
    "open strings": b'"""\\' * 60_000,
    "many tables": b"[[schedule]]\n" * 20_000,
    "long number": b"n = " + b"9" * 200_000,
    "long text": b'id = "' + b"x" * 250_000 + b'"',
    "large": b"# " + b"x" * 300_000,
    "not text": bytes(range(256)),
    "empty": b"",
    "surrogate": b'id = "\\ud800"',
    "null": b"id = \x00",
    "duplicate": b"id = 1\nid = 2",
    "byte order mark": b"\xef\xbb\xbfid = 1",
}


def outcome_of(raw: bytes, file: str) -> Protocol | ProtocolError:
    try:
        return parse_protocol(raw, file)
    except ProtocolError as error:
        return error


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.parametrize("parse", [parse_protocol, parse_persona])
def test_a_bomb_is_refused_in_a_moment(name: str, parse: object) -> None:
    begin = time.process_time()

    with pytest.raises(ProtocolError) as caught:
        parse(BOMBS[name], "bomb.toml")  # type: ignore[operator]

    assert time.process_time() - begin < 1
    assert str(caught.value).startswith("bomb.toml")
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 2000


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_leads_elsewhere_is_refused_unopened(name: str, tmp_path: Path) -> None:
    for reference in (NAMES[name], f"{NAMES[name]}.toml"):
        for load in (load_protocol, load_persona):
            with pytest.raises(ProtocolError) as caught:
                load(reference)
            assert str(caught.value).isprintable()
    with pytest.raises(ProtocolError):
        load_persona(NAMES[name], beside=tmp_path)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("key", ["room", "persona", "id"])
def test_no_path_gets_into_a_field_that_names_something(name: str, key: str) -> None:
    value = json.dumps(NAMES[name], ensure_ascii=True).replace("\\u0000", "\\u0001")
    text = template("probe").replace(f'{key} = "', f"{key} = {value} #", 1)

    with pytest.raises(ProtocolError) as caught:
        parse_protocol(text.encode(), "probe.toml")

    assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", FIELDS)
def test_a_hostile_text_in_a_field_stays_text_or_is_refused(name: str) -> None:
    value = json.dumps(FIELDS[name], ensure_ascii=True)
    text = template("probe").replace('text = "Good evening!"', f"text = {value}", 1)

    outcome = outcome_of(text.encode(), "probe.toml")

    if isinstance(outcome, Protocol):
        assert outcome.form["schedule"][1]["text"] == FIELDS[name]
    else:
        assert str(outcome).isprintable()


def test_a_link_a_pipe_a_device_and_a_folder_are_refused(tmp_path: Path) -> None:
    sound = tmp_path / "sound.toml"
    sound.write_text(template("sound"), encoding="utf-8")
    link, dangling, pipe, folder = (tmp_path / f"{name}.toml" for name in ("link", "dangling", "pipe", "folder"))
    link.symlink_to(sound)
    dangling.symlink_to(tmp_path / "nothing")
    os.mkfifo(pipe)
    folder.mkdir()

    assert load_protocol(sound).id == "sound"
    for path, words in ((link, "a link"), (dangling, "a link"), (pipe, "not a plain file"), (folder, "not a plain file")):
        with pytest.raises(ProtocolError, match=words):
            load_protocol(path)
    for name in ("/dev/zero", "/dev/stdin", "/proc/self/environ", str(tmp_path / "missing.toml")):
        with pytest.raises(ProtocolError):
            load_protocol(name)


def test_a_file_of_a_hundred_megabytes_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.toml"
    with path.open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    begin = time.process_time()

    with pytest.raises(ProtocolError, match="at most 262144 are read"):
        load_protocol(path)

    assert time.process_time() - begin < 0.5


def test_an_unknown_id_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(ProtocolError, match="did you mean 'first_visit'"):
        load_protocol("first_vist")
    with pytest.raises(ProtocolError, match="did you mean 'ada'"):
        load_persona("adda")


def test_a_file_beside_a_protocol_is_found_by_its_plain_name(tmp_path: Path) -> None:
    from protocols.library import PERSONAS

    text = (PERSONAS / "ada.toml").read_text(encoding="utf-8")
    (tmp_path / "eva.toml").write_text(text.replace('id = "ada"', 'id = "eva"', 1), encoding="utf-8")

    assert load_persona("eva.toml", beside=tmp_path).id == "eva"
    with pytest.raises(ProtocolError):
        load_persona("../eva.toml", beside=tmp_path / "inner")


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_reference_is_found_or_refused(reference: str) -> None:
    try:
        found: Path | ProtocolError = find(reference, Path("/nonexistent"), "protocol")
    except ProtocolError as error:
        found = error

    if isinstance(found, Path):
        assert found.suffix == ".toml"
        assert ".." not in found.parts
    else:
        assert str(found).isprintable()


@given(st.binary(max_size=300))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_a_protocol_or_a_refusal(raw: bytes) -> None:
    with pytest.raises(ProtocolError):
        parse_protocol(raw, "any.toml")


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_any_change_of_a_sound_protocol_is_accepted_or_refused_with_a_line(data: st.DataObject) -> None:
    text = template("probe")
    at = data.draw(st.integers(0, len(text) - 1))
    length = data.draw(st.integers(0, 12))
    piece = data.draw(st.text(alphabet='ab01-."[]{}=#\n, é', max_size=8))

    outcome = outcome_of((text[:at] + piece + text[at + length :]).encode(), "any.toml")

    assert isinstance(outcome, Protocol) or all(fault.line >= 1 for fault in outcome.faults)
