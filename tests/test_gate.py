"""The gate: what is not declared, not open or used up is denied with a reason, and changes nothing."""

from dataclasses import replace
from typing import Any

import pytest

from interventions.contract import CHANNELS, REASONS, SOURCES, Contract, Intervention, Receipt, order
from interventions.gate import Gate, themes_of, windows
from interventions.intake import settle
from sim.codec import decode, encode

NAMES = {"window": "window", "窗户": "window", "mug": "mug", "box": "box"}


def a_gate(channel: str = "dialogue", mode: str = "trial", **more: Any) -> Gate:
    operations = {"physical": ("take", "open", "walk"), "dialogue": ("say",), "inner_voice": ("whisper",)}
    declared: dict[str, Any] = {"open": True, "operations": operations.get(channel, ("pause", "resume")), **more}
    return Gate.build([Contract(channel, **declared)], mode)


def an_act(number: int = 1, channel: str = "dialogue", **more: Any) -> Intervention:
    op = {"physical": "open", "dialogue": "say", "inner_voice": "whisper", "system": "pause"}.get(channel, "say")
    declared: dict[str, Any] = {
        "tick": 0, "ordinal": number, "source": "script", "op": op, "object": "window" if channel == "physical" else "",
        "text": "Open the window." if channel in ("dialogue", "inner_voice") else "", **more,
    }  # fmt: skip
    return Intervention(id=declared.pop("id", f"int-{number}"), channel=channel, **declared)


def reason_of(gate: Gate, act: Intervention, tick: int = 0) -> str:
    return gate.admit(tick, act).reason


@pytest.mark.parametrize("channel", CHANNELS)
def test_an_open_channel_admits_and_a_closed_one_denies(channel: str) -> None:
    assert reason_of(a_gate(channel), an_act(channel=channel)) == ""
    assert reason_of(Gate.build([]), an_act(channel=channel)) == "channel_closed"
    assert reason_of(a_gate(channel, open=False), an_act(channel=channel)) == "channel_closed"


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (an_act(channel="physical", op="take", object="lamp"), "object_not_declared"),
        (an_act(channel="physical", op="take", object=""), "object_missing"),
        (an_act(channel="physical", op="move"), "operation_not_declared"),
        (an_act(channel="physical", op="fly"), "unknown_operation"),
        (an_act(channel="physical", op="say"), "unknown_operation"),
        (an_act(channel="physical", op="drag"), "wrong_mode"),
        (an_act(channel="telepathy"), "unknown_channel"),
        (an_act(id="42"), "bad_id"),
        (an_act(id="int-"), "bad_id"),
        (an_act(id="int-a b"), "bad_id"),
        (an_act(id="int-é"), "bad_id"),
        (an_act(id="int-" + "x" * 100), "bad_id"),
        (an_act(id="int-a\n"), "bad_id"),
        (an_act(mark="order"), "unknown_mark"),
        (an_act(action="levitate"), "unknown_action"),
        (an_act(text=""), "empty_text"),
        (an_act(text="\u200b…!?"), "empty_text"),
    ],
)
def test_what_is_not_declared_or_has_no_form_is_denied_with_its_reason(act: Intervention, reason: str) -> None:
    gate = a_gate(act.channel, objects=("window",)) if act.channel in CHANNELS else a_gate()

    assert reason_of(gate, act) == reason


def test_every_reason_has_words_in_both_languages() -> None:
    assert all(english and chinese for english, chinese in REASONS.values())
    with pytest.raises(AssertionError):
        Receipt("denied", "because")
    with pytest.raises(AssertionError):
        Receipt("denied")


def test_dragging_exists_in_debug_only_and_needs_an_object() -> None:
    act = an_act(channel="physical", op="drag", object="mug")

    assert reason_of(a_gate("physical", "debug"), act) == ""
    assert reason_of(a_gate("physical", "play"), act) == "wrong_mode"
    with pytest.raises(AssertionError):
        Contract("physical", open=True, operations=("drag",))


def test_an_id_acts_once_whatever_it_carries_the_second_time() -> None:
    gate = a_gate(count_max=5)

    assert reason_of(gate, an_act(1)) == ""
    assert reason_of(gate, an_act(1, text="Something else.")) == "duplicate_id"
    assert reason_of(gate, replace(an_act(1), channel="physical")) == "duplicate_id"
    assert gate.used["dialogue"] == 1


def test_an_id_that_was_denied_is_used_up_as_well() -> None:
    gate = a_gate(count_max=0)

    assert reason_of(gate, an_act(1)) == "count_used_up"
    assert reason_of(gate, an_act(1)) == "duplicate_id"


def test_a_denied_act_changes_nothing_but_the_audit_trail() -> None:
    gate = a_gate("inner_voice", count_max=1, per=windows((1, 10)), theme_gap_ticks=100)
    gate.admit(0, an_act(1, "inner_voice"))
    used, recent, themes = dict(gate.used), gate.recent["inner_voice"][:], dict(gate.themes)

    for number in range(2, 30):
        act = an_act(number, "inner_voice", action="look", target=f"thing_{number}")
        assert not gate.admit(number * 1000, act).accepted

    assert (gate.used, gate.recent["inner_voice"], gate.themes) == (used, recent, themes)
    assert gate.denied == {"inner_voice": 28}


def test_the_count_holds_over_any_time() -> None:
    gate = a_gate(count_max=3)

    receipts = [reason_of(gate, an_act(number), number * 1_000_000) for number in range(6)]

    assert receipts == ["", "", "", "count_used_up", "count_used_up", "count_used_up"]


def test_a_window_slides_and_its_edge_is_exact() -> None:
    gate = a_gate(per=windows((2, 100)))
    ticks = [0, 99, 99, 100, 101, 198, 199]

    receipts = [reason_of(gate, an_act(number), tick) for number, tick in enumerate(ticks)]

    assert receipts == ["", "", "rate_limited", "", "rate_limited", "rate_limited", ""]


def test_the_narrowest_of_several_windows_counts() -> None:
    gate = a_gate(per=windows((2, 10), (3, 1000)))

    receipts = [reason_of(gate, an_act(number), tick) for number, tick in enumerate([0, 1, 2, 10, 20, 1000])]

    assert receipts == ["", "", "rate_limited", "", "rate_limited", ""]


def test_going_back_in_time_gives_no_use_back() -> None:
    gate = a_gate(per=windows((2, 100)), count_max=10)
    assert [reason_of(gate, an_act(number), tick) for number, tick in enumerate([500, 501])] == ["", ""]

    receipts = [reason_of(gate, an_act(number + 10), tick) for number, tick in enumerate([0, 100, 450, 599, 600])]

    assert receipts == ["rate_limited", "rate_limited", "rate_limited", "rate_limited", ""]


def test_uses_before_and_after_a_restore_are_counted_where_they_lie() -> None:
    gate = a_gate(per=windows((2, 100)))
    ticks = [500, 420, 519, 520]

    receipts = [reason_of(gate, an_act(number), tick) for number, tick in enumerate(ticks)]

    assert receipts == ["", "", "rate_limited", ""]


def test_one_theme_passes_once_in_its_gap_and_another_one_passes() -> None:
    gate = a_gate("inner_voice", theme_gap_ticks=6000)

    assert reason_of(gate, an_act(1, "inner_voice", action="open", target="window"), 0) == ""
    assert reason_of(gate, an_act(2, "inner_voice", action="open", target="Ｗindow"), 5999) == "theme_repeated"
    assert reason_of(gate, an_act(3, "inner_voice", action="open", target="box"), 5999) == ""
    assert reason_of(gate, an_act(4, "inner_voice", action="open", target="window"), 6000) == ""


@pytest.mark.parametrize(
    "words",
    [
        "the window! open it",
        "ｏｐｅｎ ｔｈｅ ｗｉｎｄｏｗ",
        "оpen thе wіndow",
        "open\u200b the win\u00addow",
        "0pen the w1ndow",
        "打开窗户",
        "unlatch that window",
    ],
)
def test_a_theme_in_other_words_letters_or_languages_is_no_new_theme(words: str) -> None:
    gate = a_gate("inner_voice", theme_gap_ticks=6000)
    first = settle(an_act(1, "inner_voice"), NAMES, tick_ms=100)
    again = settle(an_act(2, "inner_voice", text=words), NAMES, tick_ms=100)

    assert reason_of(gate, first, 0) == ""
    assert reason_of(gate, again, 100) == "theme_repeated"


def test_a_false_label_opens_no_second_door() -> None:
    gate = a_gate("inner_voice", theme_gap_ticks=6000)
    act = an_act(2, "inner_voice", text="Open the window!", action="look", target="mug")

    assert reason_of(gate, settle(an_act(1, "inner_voice"), NAMES, tick_ms=100), 0) == ""
    assert reason_of(gate, settle(act, NAMES, tick_ms=100), 100) == "theme_repeated"


def test_all_that_could_not_be_read_is_one_theme() -> None:
    gate = a_gate("inner_voice", theme_gap_ticks=6000)

    assert reason_of(gate, an_act(1, "inner_voice", text="Alas!"), 0) == ""
    assert reason_of(gate, an_act(2, "inner_voice", text="Oh dear, oh dear."), 10) == "theme_repeated"
    assert reason_of(gate, an_act(3, "inner_voice", action="drink"), 20) == ""


def test_who_sends_an_act_changes_no_limit() -> None:
    gates = [a_gate("inner_voice", count_max=3, per=windows((2, 50)), theme_gap_ticks=40) for _ in SOURCES]

    for source, gate in zip(SOURCES, gates, strict=True):
        for number in range(40):
            thing = f"thing_{number % 5}"
            gate.admit(number * 7, an_act(number, "inner_voice", source=source, action="look", target=thing))

    assert encode(gates[0]) == encode(gates[1]) == encode(gates[2])


@pytest.mark.parametrize(("state", "reason"), [("muted", "muted"), ("blocked", "blocked"), ("confirm", ""), ("open", "")])
def test_the_residents_own_boundary_counts_until_its_tick(state: str, reason: str) -> None:
    gate = a_gate("inner_voice")
    gate.set_boundary("inner_voice", state, 100)

    assert reason_of(gate, an_act(1, "inner_voice"), 99) == reason
    assert reason_of(gate, an_act(2, "inner_voice"), 100) == ""


def test_a_boundary_on_a_theme_leaves_other_themes_alone() -> None:
    gate = a_gate("inner_voice")
    gate.set_boundary("inner_voice", "blocked", -1, "open|window")

    assert reason_of(gate, an_act(1, "inner_voice", action="open", target="window"), 10**9) == "blocked"
    assert reason_of(gate, an_act(2, "inner_voice", action="open", target="box"), 10**9) == ""
    gate.clear_boundaries()
    assert reason_of(gate, an_act(3, "inner_voice", action="open", target="window"), 10**9) == ""


def test_feedback_names_the_state_of_a_channel_and_how_long_it_lasts() -> None:
    gate = a_gate(per=windows((1, 100)), count_max=2)

    assert gate.remaining("physical", 0) == {"state": "closed", "used": 0, "max": -1, "until_tick": -1}
    assert gate.remaining("dialogue", 0) == {"state": "open", "used": 0, "max": 2, "until_tick": None}
    gate.admit(5, an_act(1))
    assert gate.remaining("dialogue", 6) == {"state": "limited", "used": 1, "max": 2, "until_tick": 105}
    assert gate.remaining("dialogue", 105)["state"] == "open"
    gate.set_boundary("dialogue", "muted", 200)
    assert gate.remaining("dialogue", 150) == {"state": "muted", "used": 1, "max": 2, "until_tick": 200}
    gate.admit(300, an_act(2))
    assert gate.remaining("dialogue", 900) == {"state": "limited", "used": 2, "max": 2, "until_tick": -1}


def test_the_acts_of_one_tick_count_in_order_of_channel_and_arrival() -> None:
    declared = (("dialogue", "say"), ("system", "pause"))
    gate = Gate.build([Contract(channel, open=True, operations=(op,)) for channel, op in declared])
    acts = [an_act(1, "system"), an_act(3), an_act(2), an_act(9, "nowhere")]

    receipts = gate.admit_all(0, acts)

    assert [act.ordinal for act, _ in receipts] == [2, 3, 1, 9]
    assert sorted(acts, key=order) == [act for act, _ in receipts]


def test_a_ledger_survives_a_snapshot() -> None:
    gate = a_gate("inner_voice", count_max=3, per=windows((2, 50)), theme_gap_ticks=40)
    for number in range(10):
        gate.admit(number * 20, an_act(number, "inner_voice", action="look", target=f"thing_{number % 3}"))
    gate.set_boundary("inner_voice", "muted", 500)

    again = decode(encode(gate))

    assert encode(again) == encode(gate)
    assert again.admit(900, an_act(99, "inner_voice")) == gate.admit(900, an_act(99, "inner_voice"))


def test_an_act_comes_in_clean_read_and_with_its_due_tick() -> None:
    act = settle(an_act(1, text="I will open\u200b the window\nin ten minutes.", tick=50), NAMES, tick_ms=100)

    assert act.text == "I will open the window in ten minutes."
    assert (act.mark, act.action, act.target) == ("claim", "open", "window")
    assert act.due_tick == 50 + 6000
    assert act.themes == ("open|window",)


def test_what_an_author_says_of_his_words_counts_before_what_is_read() -> None:
    act = settle(an_act(1, text="Open the window!", mark="suggestion", action="close", target="窗户"), NAMES, tick_ms=100)

    assert (act.mark, act.action, act.target) == ("suggestion", "close", "window")
    assert themes_of(act) == ("close|window", "open|window")


@pytest.mark.parametrize("text", ["Please don't open the window.", "请不要打开窗户。", "Never open the window!"])
def test_what_is_to_be_left_undone_is_not_asked_to_be_done(text: str) -> None:
    said = settle(an_act(1, text=text), NAMES, tick_ms=100)
    whispered = settle(an_act(2, "inner_voice", text=text), NAMES, tick_ms=100)

    assert (said.action, said.mark) == ("", "plain")
    assert whispered.action == ""
    assert "open|window" in whispered.themes


def test_a_whisper_has_no_mark_and_a_bodily_act_is_not_read() -> None:
    whisper = settle(an_act(1, "inner_voice", mark="request"), NAMES, tick_ms=100)
    taken = settle(an_act(2, "physical", object="mug"), NAMES, tick_ms=100)

    assert whisper.mark == ""
    assert (taken.action, taken.themes) == ("", ())
