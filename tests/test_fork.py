"""Forks: what nobody perceived changes no mind; what was perceived first differs at its percept; nobody is asked twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from makers import ENTER, a_declared, say, whisper

from agent.request import Part, Request
from logs.reader import open_log
from protocols.faults import ProtocolError
from sim.declare import declare
from sim.diff import diff
from sim.fork import ForkError, fork
from sim.fork_outcome import of_the_mind
from sim.gateway import make_provider
from sim.gateway_provider import Reply
from sim.live import Live
from sim.moments import MomentError
from sim.play_declare import declare_play
from sim.replay import verify
from sim.session import resume, run_trial

Cli = Callable[..., Any]
ASK = say(90, "Could you open the window, please?", id="ask", mark="request", action="open", target="window")
VOICE = whisper(300, "A glass of water would be good now.", id="voice", action="drink")
# Done behind the resident's back, and never seen in the hour of the trial.
UNSEEN = {"id": "unseen", "at": 2700, "channel": "physical", "op": "move", "object": "photo", "target": "table"}


class Counting:
    """A provider that counts what it is asked, and answers as the scripted one does."""

    name, model, types = "scripted", "", ("choose",)

    def __init__(self, seed: int) -> None:
        self.inner = make_provider({"provider": "scripted", "competence": 1000}, seed)
        self.asked: list[str] = []

    def ask(self, part: Part, request: Request, *, wall_cap_s: float = 20.0) -> Reply:
        self.asked.append(part.id)
        return self.inner.ask(part, request, wall_cap_s=wall_cap_s)

    def cancel(self, part_id: str) -> None:
        self.inner.cancel(part_id)

    def declared_latency_ms(self, request_id: str) -> int:
        return self.inner.declared_latency_ms(request_id)

    def close(self) -> None:
        self.inner.close()


def a_log(folder: Path, *entries: dict[str, Any], model: str = "none", **rest: Any) -> Path:
    declared = a_declared(*entries, overrides={"model.provider": model}, **rest)
    return Path(run_trial(declared, out=folder / "parent")["log"])


def mind_of(log: Path, from_tick: int) -> list[dict[str, Any]]:
    with open_log(log) as reader:
        return [{**row, "seq": 0} for row in of_the_mind(reader.records(from_tick))]


def feedback(log: Path, name: str) -> dict[str, Any]:
    with open_log(log) as reader:
        return next(row for row in reversed(list(reader.records())) if row["kind"] == "feedback" and row["id"] == name)["data"]


def test_a_fork_without_a_change_is_the_parent_again(tmp_path: Path) -> None:
    log = a_log(tmp_path, ENTER, ASK, VOICE)

    found = fork(log, at=1000, out=tmp_path / "child")

    assert found["first_difference"] is None
    assert found["outcomes"] == {}
    with open_log(log) as parent:
        assert parent.end is not None
        assert parent.end["data"]["digest"] == found["run"]["digest"]


def test_what_was_never_perceived_leaves_every_record_of_the_mind_equal(tmp_path: Path) -> None:
    log = a_log(tmp_path, ENTER, UNSEEN, minutes=60)
    told = feedback(log, "int-unseen")
    assert (told["perceived"], told["outcome"]) == (False, "done")

    found = fork(log, without=["int-unseen"], out=tmp_path / "child")

    assert found["mind_equal"] is True
    assert found["first_difference"]["id"] == "int-unseen"
    assert mind_of(log, found["at"]) == mind_of(Path(found["log"]), found["at"]) != []


@pytest.mark.parametrize("name", ["int-ask", "int-voice", "int-enter"])
def test_what_was_perceived_first_differs_at_its_percept(tmp_path: Path, name: str) -> None:
    log = a_log(tmp_path, ENTER, ASK, VOICE)
    told = feedback(log, name)
    assert told["perceived"] is True

    found = fork(log, without=[name])

    assert found["mind_equal"] is False
    first = found["first_difference_of_mind"]
    assert (first["tick"], first["kind"]) == (told["perceived_tick"], "percept")
    assert found["first_difference"]["tick"] == told["tick"]
    assert found["outcomes"][f"interventions.{name}"][1] is None


# One act behind the resident's back at a time: where the visitor stands afterwards is a consequence too.
BEHIND = {
    "photo": UNSEEN,
    "novel": {"id": "novel", "at": 2760, "channel": "physical", "op": "move", "object": "novel", "target": "table"},
    "cup": {"id": "cup", "at": 2850, "channel": "physical", "op": "move", "object": "cup", "target": "table"},
    "drawer": {"id": "drawer", "at": 2600, "channel": "physical", "op": "open", "object": "drawer"},
}


def every_act(log: Path) -> dict[str, tuple[str, int, int]]:
    """Each act in the log: its channel, the tick at which something of it was perceived, or -1, and when it was done."""
    found: dict[str, tuple[str, int, int]] = {}
    with open_log(log) as reader:
        for row in reader.records():
            if row["kind"] == "input":
                found[row["id"]] = (row["data"]["channel"], -1, row["tick"])
            elif row["kind"] == "feedback" and row["data"].get("perceived"):
                found[row["id"]] = (found[row["id"]][0], row["data"]["perceived_tick"], found[row["id"]][2])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("scene", ["first_visit-5", "refusals-6", *(f"{name}-{seed}" for name in BEHIND for seed in (2, 3, 7))])
def test_each_act_of_every_channel_left_out_one_by_one(tmp_path: Path, scene: str) -> None:
    name, seed = scene.split("-")
    if name in BEHIND:
        declared = a_declared(ENTER, BEHIND[name], minutes=60, seed=int(seed))
    else:
        declared = declare(name, seed=int(seed), overrides={"model.provider": "none"})
    log = Path(run_trial(declared, out=tmp_path / "parent")["log"])
    acts = every_act(log)
    # Time stands still for ever where a resume is left out: no record of the mind comes after it, which is another matter.
    acts.pop("int-resume", None)

    if name not in BEHIND:
        assert len(acts) >= 20
        assert {channel for channel, *_ in acts.values()} == {"physical", "dialogue", "inner_voice", "system"}
    for act, (channel, perceived, tick) in acts.items():
        found = fork(log, without=[act])
        first = found["first_difference_of_mind"]
        if perceived < 0 and act.startswith("int-walk") and first is not None:
            # Who did not walk there unseen comes to a later place at another moment; nothing else may have shown it.
            assert (first["kind"], first["tick"] > tick) == ("percept", True), (act, channel, first)
        elif perceived < 0:
            assert found["mind_equal"], (act, channel, first)
            assert first is None
        else:
            assert (first["tick"], first["kind"]) == (perceived, "percept"), (act, channel, first)


def test_a_fork_and_its_parent_are_compared_from_where_they_part(tmp_path: Path) -> None:
    log = a_log(tmp_path, ENTER, ASK, VOICE)
    found = fork(log, without=["int-ask"], out=tmp_path / "child")
    other = fork(log, without=["int-voice"], out=tmp_path / "other")

    first = diff(log, Path(found["log"]))["first_difference"]
    between = diff(Path(found["log"]), Path(other["log"]))["first_difference"]

    assert (first["tick"], first["kind"], first["id"]) == (found["at"], "input", "int-ask")
    assert first["second"].startswith("tick ")
    # They share their course up to the later of the two places; the voice is heard in the one and not in the other.
    assert between["tick"] == other["at"]


def test_who_finds_an_empty_place_has_perceived_the_act_that_emptied_it(tmp_path: Path) -> None:
    log = a_log(tmp_path, ENTER, BEHIND["novel"], BEHIND["cup"], seed=2, minutes=60)

    assert feedback(log, "int-cup")["perceived"] is True
    assert fork(log, without=["int-cup"])["first_difference_of_mind"]["kind"] == "percept"


def test_a_resume_left_out_stops_the_mind_and_changes_nothing_before(tmp_path: Path) -> None:
    pauses = [{"id": name, "at": 900, "channel": "system", "op": name} for name in ("pause", "resume")]
    log = a_log(tmp_path, ENTER, *pauses)

    found = fork(log, without=["int-resume"])

    assert found["mind_equal"] is False
    assert found["first_difference_of_mind"]["fork"] is None


def test_a_child_log_can_be_verified_and_forked_again(tmp_path: Path) -> None:
    log = a_log(tmp_path, ENTER, ASK, VOICE)
    child = Path(fork(log, without=["int-ask"], out=tmp_path / "child")["log"])

    assert verify(child)["ok"]
    grandchild = fork(child, without=["int-voice"], out=tmp_path / "grandchild")
    assert verify(Path(grandchild["log"]))["ok"]
    assert grandchild["first_difference_of_mind"]["kind"] == "percept"
    with open_log(child) as reader:
        assert reader.header["exploratory"] is True
        assert reader.header["parent"]["changes"] == ["without int-ask"]


def test_no_model_is_asked_twice_while_the_state_is_equal(tmp_path: Path) -> None:
    declared = a_declared(ENTER, ASK, VOICE, minutes=60, overrides={"model.provider": "scripted"})
    first = Counting(declared.seed)
    log = Path(run_trial(declared, out=tmp_path / "parent", provider=first)["log"])
    assert len(first.asked) > 2

    again = Counting(declared.seed)
    same = fork(log, at=1, provider=again)
    assert again.asked == []
    assert same["first_difference"] is None
    assert same["replies_reused"] == len(first.asked)

    other = fork(log, without=["int-ask"], provider=again)
    assert other["questions_asked"] == len(again.asked)
    assert not set(again.asked) & {part for part in first.asked if int(part[4:].split(".")[0]) == 1 and other["at"] > 1500}


def test_a_reply_that_was_under_way_at_the_fork_arrives(tmp_path: Path) -> None:
    declared = a_declared(ENTER, ASK, VOICE, minutes=60, overrides={"model.provider": "scripted", "model.latency_ms": 3000})
    log = Path(run_trial(declared, out=tmp_path / "parent")["log"])
    with open_log(log) as reader:
        asked = next(row["tick"] for row in reader.records() if row["kind"] == "part")
    again = Counting(declared.seed)

    found = fork(log, at=asked + 5, provider=again)

    assert found["first_difference"] is None
    assert again.asked == []


def test_a_run_cut_while_a_reply_is_under_way_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    over = {"model.provider": "scripted", "model.latency_ms": 3000}
    declared = a_declared(ENTER, ASK, VOICE, minutes=60, overrides=over)
    whole = Path(run_trial(declared, out=tmp_path / "whole")["log"])
    with open_log(whole) as reader:
        rows, lines = list(reader.records()), list(reader.raw_lines())
    asked = [row["tick"] for row in rows if row["kind"] == "part"]
    gaps = [
        (asked_at, row)
        for asked_at in asked
        for row in rows
        if asked_at < row["tick"] < asked_at + 30
    ]  # fmt: skip
    assert gaps, "something happens between a question and its reply"
    last = max(at for at, row in enumerate(rows) if row["tick"] == gaps[0][1]["tick"])
    # The header line, then one line a record.
    (tmp_path / "cut.jsonl.part").write_bytes(b"".join(line if line.endswith(b"\n") else line + b"\n" for line in lines[: last + 2]))

    resumed = Path(resume(tmp_path / "cut.jsonl.part")["log"])

    assert resumed.read_bytes() == whole.read_bytes()


def test_a_fork_goes_no_further_than_a_parent_that_was_cut_from_outside(tmp_path: Path) -> None:
    looks: list[int] = []

    def after_an_hour() -> bool:
        looks.append(1)
        return len(looks) > 1

    log = Path(run_trial(a_declared(ENTER, ASK, minutes=180), out=tmp_path / "cut", stop=after_an_hour)["log"])

    same = fork(log, at=1000, out=tmp_path / "child")

    assert same["first_difference"] is None
    assert same["outcomes"] == {}
    assert verify(Path(same["log"]))["ok"]


def test_a_person_s_acts_and_the_pace_of_the_clock_are_kept(tmp_path: Path) -> None:
    declared = declare_play(None, seed=3, model={"model.provider": "scripted"})
    live = Live(declared, tmp_path / "live")
    live.speed = 200
    live.pump(0.2)
    entered = live.act("physical", "enter")
    for _ in range(60):
        live.pump(0.2)
    live.toggle_pause()
    live.pump(0.1)
    live.toggle_pause()
    live.pump(0.2)
    log = Path(live.close()["log"])

    same = fork(log, at=1)
    other = fork(log, without=[entered])

    assert same["first_difference"] is None
    assert same["questions_asked"] == 0
    assert other["first_difference_of_mind"]["kind"] == "percept"


def test_added_acts_reworded_acts_and_set_things_take_effect(tmp_path: Path) -> None:
    log = a_log(tmp_path, ENTER, ASK)
    more = tmp_path / "more.toml"
    more.write_text(
        '[[schedule]]\nid = "later"\nat = "00:10:00"\nchannel = "dialogue"\nop = "say"\ntext = "Hello again."\n', encoding="utf-8"
    )

    added = fork(log, at=2000, acts=more, out=tmp_path / "added")
    reworded = fork(log, at=800, settings={"int-ask.text": "Please close the window."})
    opened = fork(log, at=2000, settings={"world.radio.on": 1})

    assert added["outcomes"]["interventions.int-later"][1]
    assert added["first_difference_of_mind"]["tick"] >= 6000
    assert reworded["first_difference"]["field"] == "data.text"
    assert opened["first_difference"] is not None


def test_a_closed_channel_denies_from_the_fork_on(tmp_path: Path) -> None:
    log = a_log(tmp_path, ENTER, ASK, VOICE)

    found = fork(log, at=800, settings={"channels.dialogue.open": False})

    assert found["outcomes"]["interventions.int-ask"][1] == "denied: channel_closed"


@pytest.mark.parametrize(
    "change",
    [
        {"without": ["int-nosuch"]},
        {"at": 0},
        {"at": 10**9},
        {"at": 500, "without": ["int-nosuch"]},
        {"at": 500, "settings": {"mind.nosuch": 1}},
        {"at": 500, "settings": {"mind.s3": "no"}},
        {"at": 500, "settings": {"world.mug.nosuch": 1}},
        {"at": 500, "settings": {"persona": "bruno"}},
        {"at": 500, "settings": {"mind.params.nosuch": 1}},
    ],
)
def test_a_change_that_cannot_be_made_is_refused_and_leaves_no_log(tmp_path: Path, change: dict[str, Any]) -> None:
    log = a_log(tmp_path, ENTER, ASK)

    with pytest.raises((ForkError, MomentError)) as told:
        fork(log, out=tmp_path / "child", **change)

    assert told.value.what
    assert told.value.mend
    assert not list(tmp_path.glob("child*"))


def test_an_added_act_in_the_past_or_without_form_is_refused(tmp_path: Path) -> None:
    log = a_log(tmp_path, ENTER, ASK)
    early, broken = tmp_path / "early.toml", tmp_path / "broken.toml"
    early.write_text('[[schedule]]\nid = "x"\nat = "00:00:10"\nchannel = "dialogue"\nop = "say"\ntext = "Hi"\n', encoding="utf-8")
    broken.write_text('[[schedule]]\nid = "x"\nat = "00:09:00"\nchannel = "dialogue"\nop = "say"\nwords = "Hi"\n', encoding="utf-8")

    with pytest.raises(ForkError, match="before the fork"):
        fork(log, at=500, acts=early)
    with pytest.raises(ProtocolError, match="words"):
        fork(log, at=500, acts=broken)


def test_the_command_shows_where_the_courses_part(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    log = a_log(tmp_path, ENTER, ASK, VOICE)

    ran = cli("fork", log, "--without", "int-ask", "--json")
    told = cli("fork", log, "--without", "int-ask")

    assert ran.code == 0
    assert ran.json["schema"] == "oneroom.fork/1"
    assert ran.json["metrics"]
    assert Path(ran.json["log"]).exists()
    assert "First in the mind" in told.out
    assert "percept" in told.out
    assert cli("fork", log, "--set", "nonsense").code == 2
    assert cli("fork", log).code == 2


def test_an_act_that_nobody_perceived_changes_no_rate(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    log = run_trial(declare("first_visit", seed=1, overrides={"model.provider": "none"}), out=tmp_path / "parent")["log"]

    found = cli("fork", log, "--without", "int-save", "--json").json

    # What is counted begins at the fork in both, though the child's first record comes later.
    assert not {"rounds_per_hour", "walk_cells_per_hour"} & found["metrics"].keys()
    assert found["metrics"]["system_inputs"] == [1, 0]
