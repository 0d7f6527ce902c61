"""The effective declaration: what was declared and nothing else decides its digest and the ids of its trials."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from protocols.against import check_against
from protocols.contracts import contracts, timeline
from protocols.declaration import (
    canonical,
    digest_of,
    effective,
    protocol_digest,
    trial_id,
    trials,
    with_contents,
)
from protocols.faults import ProtocolError
from protocols.library import load_protocol, shipped_protocols
from protocols.protocol import Protocol
from protocols.reading import parse_protocol
from protocols.seeds import master_seeds, seed_list
from sim.declare import declare
from trials.metrics import registry

SOUND = (Path(__file__).parent / "data" / "probe.toml").read_text(encoding="utf-8")


def a_protocol(*changes: tuple[str, str]) -> Protocol:
    text = SOUND
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return parse_protocol(text.encode(), "probe.toml")


def test_the_order_of_keys_blanks_and_comments_change_no_digest() -> None:
    moved = SOUND.replace('start = "17:00"\n', "").replace("[visitor]", "# a comment\n\n[visitor]")
    moved = moved.replace('id = "probe"', 'start="17:00"\nid = "probe"', 1)

    assert effective(parse_protocol(moved.encode(), "f.toml")).digest == effective(a_protocol()).digest


def test_a_default_written_out_is_the_same_declaration() -> None:
    written = a_protocol(('start = "17:00"', 'start = "17:00"\ntick_ms = 100\npace = "lockstep"'), ('"2h"', '"120m"'))

    assert effective(written).digest == effective(a_protocol()).digest


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('start = "17:00"', 'start = "17:01"'),
        ("count_max = 10", "count_max = 11"),
        ('text = "Good evening!"', 'text = "Good evening."'),
        ('persona = "ada"', 'persona = "kai"'),
        ('rate = ["4/5m"]', 'rate = ["5/5m"]'),
        ('delay = "1m"', 'delay = "61s"'),
        ('question = { en = "What', 'question = { en = "Now what'),
    ],
)
def test_whatever_is_declared_otherwise_has_another_digest(old: str, new: str) -> None:
    assert effective(a_protocol((old, new))).digest != effective(a_protocol()).digest


def test_seed_and_replicate_make_the_trial_and_not_the_declaration() -> None:
    twice = ("seeds = [1, 2, 3]", "replicates = 2\nseeds = [1, 2, 3]")
    protocol = a_protocol(('provider = "none" ', 'provider = "local" '), twice)
    runs = [effective(protocol, "with_model", seed, replicate=replicate) for seed in (1, 2) for replicate in (1, 2)]

    assert len({run.digest for run in runs}) == 1
    assert len({run.trial_id for run in runs}) == 4
    assert runs[0].trial_id == trial_id(runs[0].digest, 1, 1)
    with pytest.raises(ProtocolError, match="no replicate 3"):
        effective(protocol, replicate=3)


def test_more_seeds_or_arms_leave_the_ids_of_the_others_alone() -> None:
    arm = '[arms.new]\n"mind.s1" = false\n\n[arms.with_model]'
    more = a_protocol(("seeds = [1, 2, 3]", "seeds = [1, 2, 3, 4]"), ("[arms.with_model]", arm))

    assert effective(more, "with_model", 2).trial_id == effective(a_protocol(), "with_model", 2).trial_id
    assert protocol_digest(more) != protocol_digest(a_protocol())


def test_an_arm_is_its_overrides_and_nothing_more() -> None:
    base, arm = effective(a_protocol(), "with_model"), effective(a_protocol(), "without_intuition")

    assert base.body["model"]["provider"] == "local"
    assert base.body["model"]["latency_ms"] == 2000
    assert arm.body["mind"]["sys1"] == "none"
    assert {key for key in base.body if base.body[key] != arm.body[key]} == {"arm", "mind", "model"}
    with pytest.raises(ProtocolError, match="did you mean 'with_model'"):
        effective(a_protocol(), "with_modl")


def test_every_override_and_every_foreign_seed_makes_a_run_exploratory() -> None:
    protocol = a_protocol()

    assert not effective(protocol).exploratory
    assert effective(protocol, seed=99).reasons == ("seed 99 is not declared",)
    assert effective(protocol, overrides={"model.provider": "none"}).reasons == ("override of model.provider",)
    assert effective(a_protocol(("exploratory = false", "exploratory = true"))).reasons == ("declared exploratory",)


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"model.provder": "none"}, "unknown key 'provder' in .model.; did you mean 'provider'"),
        ({"modell.provider": "none"}, "did you mean 'model'"),
        ({"schedule.gret.text": "Hi"}, "the schedule has no entry 'gret'; did you mean 'greet'"),
        ({"schedule.greet": {}}, "names a whole entry"),
        ({"duration.hours": 2}, "is no table"),
        ({"id": "other"}, "can't be overridden"),
        ({"duration": "1m"}, "lies after the end"),
        ({"duration": 60}, "duration must be a text in quotes"),
        ({"channels.dialogue.open": False}, "this channel is closed"),
        ({"tick_ms": float("nan")}, "tick_ms"),
        ({"visitor.kind": "human"}, "without instructions"),
        ({"mind.params.Bad Key": 1}, "mind.params"),
    ],
)
def test_an_override_is_checked_like_the_file(overrides: dict[str, Any], words: str) -> None:
    with pytest.raises(ProtocolError, match=words):
        effective(a_protocol(), overrides=overrides)


@pytest.mark.parametrize("seed", [-1, 2**63, True, 1.0, "1"])
def test_a_seed_is_a_whole_number_of_63_bits(seed: Any) -> None:
    with pytest.raises(ProtocolError, match="a seed is a whole number"):
        effective(a_protocol(), seed=seed)


def test_overrides_change_neither_the_protocol_nor_each_other() -> None:
    protocol = a_protocol()
    before = canonical(protocol.form), canonical(protocol.raw)

    overrides = {"schedule.greet.text": "Hi", "mind.params.gap_min": 120, "channels.dialogue.count_max": 9}
    effective(protocol, overrides=overrides)

    assert (canonical(protocol.form), canonical(protocol.raw)) == before
    assert effective(protocol).digest == effective(a_protocol()).digest


def test_a_person_takes_the_place_of_the_script() -> None:
    made = effective(load_protocol("first_visit"), overrides={"visitor.kind": "human"})

    assert [entry["channel"] for entry in made.body["schedule"]] == ["inner_voice"] * 2 + ["system"] * 3
    assert made.exploratory
    assert made.body["visitor"]["instructions"]["zh"]


def test_the_body_is_plain_json_in_one_order() -> None:
    body = effective(load_protocol("near_tie")).body

    assert json.loads(json.dumps(body)) == body
    assert list(body)[2:] == sorted(list(body)[2:])
    assert digest_of(json.loads(canonical(body))) == digest_of(body)


def test_the_digest_does_not_depend_on_the_process() -> None:
    script = (
        "from protocols.library import load_protocol; from protocols.declaration import effective;"
        "print(effective(load_protocol('first_visit')).digest)"
    )
    root = Path(__file__).parent.parent
    digests = set()
    for seed in ("0", "1", "4711"):
        command = [sys.executable, "-c", script]
        run = subprocess.run(command, cwd=root, env={"PYTHONHASHSEED": seed}, capture_output=True, check=True)
        digests.add(run.stdout.decode().strip())

    assert digests == {effective(load_protocol("first_visit")).digest}


def test_an_edited_room_under_its_old_name_is_another_declaration() -> None:
    made = effective(a_protocol())
    one, other = with_contents(made, {"room": "aa", "persona": "bb"}), with_contents(made, {"room": "ab", "persona": "bb"})

    assert len({made.trial_id, one.trial_id, other.trial_id}) == 3
    assert with_contents(made, {"persona": "bb", "room": "aa"}).digest == one.digest


def test_seeds_from_a_master_are_stable_distinct_and_extend() -> None:
    seeds = master_seeds(7, 100)

    assert len(set(seeds)) == 100
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert master_seeds(7, 10) == seeds[:10]
    assert master_seeds(8, 10) != seeds[:10]
    assert seed_list(a_protocol(("seeds = [1, 2, 3]", "seeds = { master = 7, n = 10 }")).form) == (seeds[:10], [])


def test_all_declared_trials_are_arms_times_seeds_times_replicates() -> None:
    protocol = load_protocol("week")
    found = list(trials(protocol))
    seeds = {seed for listed in protocol.form["seeds"].values() for seed in listed}

    assert len(found) == len(protocol.arms) * len(seeds)
    assert len(set(found)) == len(found)
    assert {seed for _, seed, _ in found} == seeds


def test_contracts_come_in_ticks_and_unnamed_channels_are_closed() -> None:
    body = effective(load_protocol("first_visit")).body
    found = {contract.channel: contract for contract in contracts(body)}

    assert found["inner_voice"].theme_gap_ticks == 6000
    assert (found["inner_voice"].per[0].count, found["inner_voice"].per[0].window_ticks) == (1, 3000)
    assert set(found["physical"].objects) >= {"window", "mug", "photo"}
    assert found["dialogue"].objects == ("*",)
    assert not any(contract.open for contract in contracts(effective(load_protocol("quiet_day")).body))


def test_repetitions_are_laid_out_in_time() -> None:
    protocol = a_protocol(('at = "00:10:30"', 'at = "00:10:30"\nrepeat = { every = "10m", times = 3 }'))
    greetings = [(at_ms, name) for at_ms, name, entry in timeline(effective(protocol).body) if entry["id"] == "greet"]

    assert greetings == [(630_000, "int-greet"), (1_230_000, "int-greet.2"), (1_830_000, "int-greet.3")]


def test_an_entry_may_belong_to_some_arms_only() -> None:
    protocol = a_protocol(('id = "greet"', 'id = "greet"\narms = ["with_model"]'))

    assert "greet" in [entry["id"] for entry in effective(protocol, "with_model").body["schedule"]]
    assert "greet" not in [entry["id"] for entry in effective(protocol, "without_intuition").body["schedule"]]


def test_names_are_held_against_the_room_and_the_registries() -> None:
    protocol = a_protocol(("hypotheses = []", 'metrics = ["requests_handeld"]'))

    assert check_against(a_protocol(), objects=["window", "door"], regions=["kitchen"]) == []
    faults = check_against(protocol, objects=["windows"], metrics=["requests_handled"], providers=["none"])
    found = [str(fault) for fault in faults]

    assert any("there is no 'window' in the room studio; did you mean 'windows'?" in fault for fault in found)
    assert any("there is no metric 'requests_handeld'; did you mean 'requests_handled'?" in fault for fault in found)
    assert all(fault.line > 1 for fault in faults)


def test_free_play_is_no_trial() -> None:
    made = effective(load_protocol("free_play"))

    assert made.exploratory
    assert made.body["visitor"]["kind"] == "human"


@pytest.mark.parametrize("name", [name for name in shipped_protocols() if name != "free_play"])
def test_a_shipped_protocol_is_sound_in_every_arm_and_bilingual(name: str) -> None:
    protocol = load_protocol(name)

    for arm in protocol.arms or ("",):
        made = effective(protocol, arm)
        assert not made.exploratory
        assert made.body["analysis"]
        assert set(made.body["metrics"]) <= set(registry().metrics)
        assert declare(protocol, arm=arm).trial_id
    assert protocol.title.zh
    assert protocol.form["question"]["zh"]


def test_the_protocols_are_shipped() -> None:
    assert shipped_protocols() == ["emergence", "first_visit", "free_play", "moods", "near_tie", "quiet_day", "refusals", "week"]


def test_the_first_visit_uses_every_channel_within_half_an_hour() -> None:
    body = effective(load_protocol("first_visit")).body
    entries = body["schedule"]

    assert {entry["channel"] for entry in entries} == {"physical", "dialogue", "inner_voice", "system"}
    assert body["duration_ms"] == 1_800_000
    assert [entry["mark"] for entry in entries].count("request") >= 3
    assert {"suggestion", "claim"} <= {entry["mark"] for entry in entries}
    assert any(entry["due_ms"] for entry in entries)
    assert any(entry["when"] for entry in entries)
    assert {"pause", "resume", "save"} <= {entry["op"] for entry in entries}
    assert sum(entry["channel"] == "inner_voice" for entry in entries) == 2


def test_the_refusals_run_into_each_kind_of_denial_on_purpose() -> None:
    from interventions.contract import Intervention
    from interventions.gate import Gate
    from interventions.intake import settle

    body = effective(load_protocol("refusals")).body
    gate = Gate.build(contracts(body))
    denied: dict[str, str] = {}
    for number, (at_ms, name, entry) in enumerate(timeline(body)):
        fields = {key: entry[key] for key in ("channel", "op", "object", "target", "text", "mark", "action")}
        act = settle(Intervention(id=name, tick=0, ordinal=number, source="script", **fields), {}, tick_ms=100)
        receipt = gate.admit(at_ms // 100, act)
        assert receipt.accepted == (entry["expect"] == "accepted"), name
        if not receipt.accepted:
            denied[entry["id"]] = receipt.reason

    assert denied == {
        "pause_closed": "channel_closed",
        "drawer_undeclared": "object_not_declared",
        "take_undeclared": "operation_not_declared",
        "talk_too_much": "rate_limited",
        "voice_box_words": "theme_repeated",
        "voice_box_letters": "theme_repeated",
        "voice_box_chinese": "theme_repeated",
        "voice_used_up": "count_used_up",
        "window_too_fast": "rate_limited",
        "count_used_up": "count_used_up",
    }


def test_a_refused_matter_in_other_words_has_one_key() -> None:
    from interventions.lexicon import read

    body = effective(load_protocol("refusals")).body
    texts = [entry["text"] for entry in body["schedule"] if entry["id"].startswith("ask_book")]

    assert {read(text, {"novel": "novel", "小说": "novel"}).themes[0] for text in texts} == {"throw_away|novel"}
    assert len(texts) == 4
