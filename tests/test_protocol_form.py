"""A fault in a protocol is named once: file, line, what is wrong and how to mend it."""

from pathlib import Path

import pytest

from protocols.faults import ProtocolError
from protocols.library import template
from protocols.reading import parse_protocol
from protocols.toml_lines import line_map, parse_toml
from protocols.units import clock_ms, moment_ms, rate, span_ms, span_text

SOUND = (Path(__file__).parent / "data" / "probe.toml").read_text(encoding="utf-8")


def faults_of(text: str) -> list[str]:
    try:
        parse_protocol(text.encode(), "probe.toml")
    except ProtocolError as error:
        return [str(fault) for fault in error.faults]
    return []


def line_with(text: str, mark: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if mark in line)


def test_the_template_is_free_of_faults() -> None:
    assert faults_of(SOUND) == []
    assert faults_of(template("another_one", "Another one")) == []


FAULTS = [
    # replace, by, words of the message
    ('persona = "ada"', 'persna = "ada"', "unknown key 'persna'; did you mean 'persona'?"),
    ('kind = "script"', 'knd = "script"', "unknown key 'knd' in [visitor]; did you mean 'kind'?"),
    ("count_max = 10", "count_mx = 10", "unknown key 'count_mx' in [channels.physical]; did you mean 'count_max'?"),
    ('id = "greet"', 'id = "greet"\ncolour = "red"', "unknown key 'colour' in [schedule[1]]"),
    ("[channels.physical]", "[channels.fysical]", "unknown key 'fysical' in [channels]; did you mean 'physical'?"),
    ('"mind.sys1" = "none"', '"mind.sys" = "none"', "unknown key 'sys' in [mind]; did you mean 'sys1'?"),
    ('"mind.sys1" = "none"', '"mind.sys1" = "nonne"', "mind.sys1 can't be 'nonne'; did you mean 'none'?"),
    ('"mind.sys1" = "none"', '"seeds" = [9]', "'seeds' can't be overridden"),
    ('kind = "script"', 'kind = "ghost"', "visitor.kind can't be 'ghost'; known: human, none, script"),
    ('provider = "none"', 'provider = "opneai"', "there is no provider 'opneai'; did you mean 'openai'?"),
    ('"open", "close"]', '"open", "clsoe"]', "channels.physical.operations[4] can't be 'clsoe'; did you mean 'close'?"),
    ('objects = ["window"]', 'objects = ["*"]', "a declaration has no wildcard"),
    ('objects = ["window"]', 'objects = "*"', "channels.physical.objects must be a list"),
    ('objects = ["window"]', "objects = []", "no object is named"),
    ('objects = ["window"]', 'objects = ["window", "window"]', "'window' stands there twice"),
    ("count_max = 10", "count_max = 0", "open, but nothing may be done"),
    ("count_max = 10", "count_max = -1", "the value must be at least 0"),
    ("count_max = 10", "count_max = 1.5", "must be a whole number"),
    ("count_max = 10", 'count_max = "ten"', "must be a whole number"),
    ("count_max = 10", "count_max = true", "must be a whole number"),
    ('rate = ["3/10m"]', 'rate = ["often"]', "write a rate such as 3/10m"),
    ('rate = ["3/10m"]', 'rate = ["0/10m"]', "a rate allows at least one"),
    ('rate = ["3/10m"]', 'rate = ["-3/10m"]', "write a rate such as 3/10m"),
    ('rate = ["3/10m"]', 'rate = ["3/0m"]', "write a rate such as 3/10m"),
    ("open = true\nop", 'open = "yes"\nop', "channels.physical.open must be true or false"),
    ('duration = "2h"', 'duration = "two hours"', "write a span such as 30m"),
    ('duration = "2h"', "duration = 7200", "duration must be a text in quotes"),
    ('duration = "2h"', "duration = 12:30:00", "write it in quotes"),
    ('duration = "2h"', 'duration = "100ms"', "shorter than ten ticks"),
    ('duration = "2h"', 'duration = "7200050ms"', "no whole number of ticks"),
    ('duration = "2h"', 'duration = "5m"', "lies after the end of the trial at 5m"),
    ('start = "17:00"', 'start = "25:00"', "a time of day lies between 00:00 and 24:00"),
    ('start = "17:00"', 'start = "17:00"\ntick_ms = 10', "the value must be at least 50"),
    ('start = "17:00"', 'start = "17:00"\npace = "fast"', "known: live, lockstep"),
    ("seeds = [1, 2, 3] ", "seeds = [] ", "too few items"),
    ("seeds = [1, 2, 3] ", "seeds = [1, 2, 1] ", "the seed 1 stands there twice"),
    ("seeds = [1, 2, 3] ", "seeds = [-1] ", "the value must be at least 0"),
    ("seeds = [1, 2, 3] ", "seeds = [1.0] ", "must be a whole number"),
    ("seeds = [1, 2, 3] ", "seeds = [9223372036854775808] ", "does not fit into 64 bits"),
    ("seeds = [1, 2, 3] ", "seeds = 7 ", "seeds must be a list or a table"),
    ("seeds = [1, 2, 3] ", "seeds = {} ", "no seed is declared"),
    ("seeds = [1, 2, 3] ", "seeds = { traning = [1] } ", "did you mean 'training'?"),
    ("seeds = [1, 2, 3] ", "seeds = { training = [1], test = [1] } ", "stands there twice"),
    ("seeds = [1, 2, 3] ", "seeds = { master = 7 } ", "the key 'seeds.n' is missing"),
    ("seeds = [1, 2, 3] ", "seeds = [1]\nreplicates = 3 ", "no real model and no person"),
    ('room = "studio"', 'room = "../studio"', "room is not an id"),
    ('room = "studio"', 'room = "/etc/passwd"', "room is not an id"),
    ('room = "studio"', "", "the key 'room' is missing; add it"),
    ('id = "probe"', 'id = "Probe 1"', "id is not an id"),
    ('id = "probe"', 'id = "probe"\nid = "twice"', "this is not TOML"),
    ('id = "greet"', 'id = "enter"', "the id 'enter' is taken by an entry above"),
    ('at = "00:10:30"', 'at = "half past"', "write the time since the start as 00:02:00"),
    ('at = "00:10:30"', "", "needs a time or an event"),
    ('at = "00:10:30"', 'at = "00:10:30"\nwhen = { event = "rain" }', "and not both"),
    ('at = "00:10:30"', 'at = "03:00:00"', "lies after the end of the trial at 2h"),
    ('at = "00:10:30"', 'at = "00:10:30"\nrepeat = { every = "1h", times = 3 }', "the last repetition of 'greet'"),
    ('at = "00:10:30"', 'at = "00:09:00"', "the visitor is not in the room at 'int-greet'"),
    ('event = "refused"', 'event = "refuse"', "did you mean 'refused'?"),
    ('event = "refused"', 'event = "need_crossed"', "schedule[3].when.event can't be 'need_crossed'"),
    ('subject = "ask_window"', 'subject = "ask_windows"', "did you mean 'ask_window'?"),
    ('subject = "ask_window"', 'subject = "open_it_myself"', "waits for itself"),
    ('delay = "1m"', 'delay = "1m", after = "3h"', "waits until after the end"),
    ('mark = "request"', 'mark = "order"', "schedule[2].mark can't be 'order'"),
    ('action = "open"', 'action = "opn"', "did you mean 'open'?"),
    ('text = "Good evening!"', "", "the entry 'greet' says nothing"),
    ('op = "enter"', 'op = "teleport"', "schedule[0].op can't be 'teleport'"),
    ('op = "enter"', 'op = "say"', "the channel physical has no operation 'say'"),
    ('op = "enter"', 'op = "enter"\ntext = "Hi"', "enter is not an utterance"),
    ('op = "enter"', 'op = "walk"', "walk needs a target"),
    ('object = "window"', "", "open needs an object"),
    ('object = "window"', 'object = "drawer"', "the protocol does not declare this object"),
    ('operations = ["enter", "leave",', 'operations = ["leave",', "does not declare this operation"),
    ("count_max = 20", "count_max = 1", "the number of uses is used up"),
    ('rate = ["4/5m"]', 'rate = ["1/5m"]', "too many in this span of time"),
    ('mark = "plain"', 'mark = "plain"\nexpect = "denied"', "expects to be denied, but the channels let it pass"),
    ('mark = "plain"', 'mark = "plain"\ndue = "5m"', "only a claim of one's own action"),
    ('mark = "plain"', 'mark = "plain"\narms = ["nobody"]', "there is no arm 'nobody'"),
    ('"model.provider" = "local"', '"channels.dialogue.open" = false', "this channel is closed in this protocol"),
    ('kind = "script"', 'kind = "none"', "no visitor takes part, yet this entry acts for the visitor"),
    ('kind = "script"', 'kind = "human"', "a person takes part without instructions"),
    ('kind = "script"', 'kind = "human"\ninstructions = { en = "Go in." }', "a person plays the visitor, yet this entry"),
    ('[model]\nprovider = "none"', '[model]\nprovider = "none"\nanswers = ["wait"]', "only a scripted model"),
    ('[model]\nprovider = "none"', '[model]\nprovider = "local"\ndeadline_ms = 500', "would come after its deadline"),
    ('[model]\nprovider = "none"', '[mind]\nuncertainty = "uam"\n[model]\nprovider = "none"', "there is no model"),
    ('[model]\nprovider = "none"', '[mind]\nscheduler = true\n[model]\nprovider = "none"', "there is no model"),
    ('[model]\nprovider = "none"', '[model]\nprovider = "none"\ntemperature = nan', "a number must be finite"),
    ('[model]\nprovider = "none"', '[model]\nprovider = "none"\ntemperature = inf', "a number must be finite"),
    ('[model]\nprovider = "none"', '[model]\nprovider = "none"\ntemperature = 3', "model.temperature"),
    ("hypotheses = []", 'hypotheses = ["a\\u0000b"]', "control characters"),
    ("hypotheses = []", 'stop = ["visitor_gone"]', "did you mean 'visitor_left'?"),
    ("hypotheses = []", 'exclusion = ["taint"]', "did you mean 'tainted'?"),
    ("[channels.dialogue]", "[channels.dialogue", "this is not TOML"),
]


@pytest.mark.parametrize(("old", "new", "words"), FAULTS, ids=[words for _, _, words in FAULTS])
def test_a_fault_is_named_with_its_mend(old: str, new: str, words: str) -> None:
    assert old in SOUND, "the sound protocol has changed; change this row"

    found = faults_of(SOUND.replace(old, new, 1))

    assert any(words in fault for fault in found), found
    assert all(fault.startswith("probe.toml:") for fault in found), found


@pytest.mark.parametrize(
    ("old", "new", "mark"),
    [
        ('persona = "ada"', 'persna = "ada"', "persna"),
        ("count_max = 20", "count_max = -3", "count_max = -3"),
        ('mark = "request"', 'mark = "order"', "order"),
        ('object = "window"', 'object = "drawer"', "open_it_myself"),
        ('"mind.sys1" = "none"', '"mind.sys" = "none"', "mind.sys"),
        ('at = "00:10:30"', 'at = "soon"', "soon"),
        ('rate = ["4/5m"]', 'rate = ["4/5m", "x"]', '"x"'),
        ('room = "studio"', 'room = "a b"', "a b"),
    ],
)
def test_a_fault_stands_on_its_line(old: str, new: str, mark: str) -> None:
    text = SOUND.replace(old, new, 1)
    expected = line_with(text, mark) - (1 if mark == "open_it_myself" else 0)

    lines = [int(fault.split(":")[1]) for fault in faults_of(text)]

    assert expected in lines


def test_every_fault_is_found_at_once() -> None:
    text = SOUND.replace("count_max = 10", "count_max = -1").replace('start = "17:00"', 'start = "noon"')

    with pytest.raises(ProtocolError) as caught:
        parse_protocol(text.encode(), "probe.toml")

    assert len(caught.value.faults) == 2
    assert "(and 1 more)" in str(caught.value)
    assert caught.value.line < caught.value.faults[1].line


def test_lines_are_known_for_every_way_to_write_a_key() -> None:
    text = (
        'a = 1\n# no key = 2\nb.c = "x = 3"\nlong = """\nd = 4\n"""\nlist = [\n  1,\n  { e = 5, f = [6,\n 7] },\n]\n'
        "[t]\nx = 'y # z'\n[[s]]\nid = 1\n\"odd key\" = 2\n[[s]]\nid = 3\n[s.deep]\nz = 4\n"
    )

    lines = line_map(text)

    expected = {
        ("a",): 1, ("b", "c"): 3, ("long",): 4, ("list",): 7, ("list", 0): 8, ("list", 1): 9, ("list", 1, "e"): 9,
        ("list", 1, "f", 1): 10, ("t",): 12, ("t", "x"): 13, ("s", 0, "id"): 15, ("s", 0, "odd key"): 16,
        ("s", 1, "id"): 18, ("s", 1, "deep"): 19, ("s", 1, "deep", "z"): 20,
    }  # fmt: skip
    assert {path: lines[path] for path in expected} == expected
    assert ("d",) not in lines


def test_lines_are_the_same_where_the_file_comes_from_windows() -> None:
    _, lines = parse_toml(b"a = 1\r\n[b]\r\nc = 2\r\n", "f.toml")

    assert lines == {("a",): 1, ("b",): 2, ("b", "c"): 3}


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("30m", 1_800_000),
        ("1h30m", 5_400_000),
        ("7d", 604_800_000),
        ("500ms", 500),
        ("90s", 90_000),
        ("1d1h1m1s1ms", 90_061_001),
    ],
)
def test_spans_are_exact(text: str, ms: int) -> None:
    assert span_ms(text) == ms
    assert span_ms(span_text(ms)) == ms


@pytest.mark.parametrize("text", ["", "30", "m", "-5m", "5m30", "1.5h", "5 m", "1m1h", "0s", "９m", "9999999d", "5M"])
def test_what_is_no_span_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="span"):
        span_ms(text)


def test_times_of_day_moments_and_rates_are_exact() -> None:
    assert (clock_ms("07:30"), clock_ms("24:00"), clock_ms("00:00:01")) == (27_000_000, 86_400_000, 1000)
    assert (moment_ms("00:02:00"), moment_ms("2m"), moment_ms("100:00:00.5")) == (120_000, 120_000, 360_000_500)
    assert moment_ms("4d 04:00:00") == moment_ms("4d4h") == moment_ms("100:00:00")
    assert (rate("3/10m"), rate("1/500ms")) == ((3, 600_000), (1, 500))
    for text in ("7:30", "07:60", "24:01", "07.30", "٠٧:٣٠"):
        with pytest.raises(ValueError, match="time of day"):
            clock_ms(text)
