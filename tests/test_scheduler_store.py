"""The signed ledger: nothing lost among sessions, nothing half written, nothing changed unseen."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from agent.scheduler.desk import COMPACT_EVERY, Desk
from agent.scheduler.ledger import MemoryLedger
from agent.scheduler.reading import Refused
from sim.scheduler_store import PlainStore, SignedLedger, key_in, ledger_name

KEY = "k" * 64
ROOT = Path(__file__).parent.parent


def a_desk(store: Any, session: str = "s") -> Desk:
    desk = Desk(KEY, store)
    desk.call("open_session", {"sessionId": session}, now_ms=1, nonce="")
    return desk


def work(desk: Desk, count: int, session: str = "s", start: int = 0) -> None:
    for i in range(start, start + count):
        step = {"sessionId": session, "step_id": f"{session}{i}"}
        hint = (i * 7 % 10) / 10
        desk.call("decide_step", {**step, "criticality_hint": hint, "progress": hint}, now_ms=i, nonce="")
        said = {**step, "observed_criticality": hint, "used_system2": True}
        desk.call("report_outcome", said, now_ms=i, nonce="")


def state_of(desk: Desk) -> dict[str, Any]:
    return desk.spaces["default"].learned.state()


def files(folder: Path, ending: str) -> list[Path]:
    return sorted(folder.glob(f"{ledger_name('default')}*{ending}"))


def test_what_was_learned_is_there_again_to_the_last_bit(tmp_path: Path) -> None:
    desk = a_desk(SignedLedger(tmp_path, KEY))
    work(desk, 40)

    again = a_desk(SignedLedger(tmp_path, KEY))

    assert state_of(again) == state_of(desk)


def test_a_compacted_namespace_equals_its_events(tmp_path: Path) -> None:
    desk = a_desk(SignedLedger(tmp_path, KEY))
    memory = a_desk(MemoryLedger())
    for each in (desk, memory):
        work(each, 40)
    desk.call("close_session", {"sessionId": "s"}, now_ms=99, nonce="")

    again = a_desk(SignedLedger(tmp_path, KEY))

    assert files(tmp_path, ".events") == []
    assert json.dumps(state_of(again)) == json.dumps(state_of(memory))


def test_a_long_run_compacts_itself(tmp_path: Path) -> None:
    desk = a_desk(SignedLedger(tmp_path, KEY))

    work(desk, COMPACT_EVERY + 10)

    assert len(files(tmp_path, ".state")) == 1
    assert state_of(a_desk(SignedLedger(tmp_path, KEY))) == state_of(desk)


def test_sessions_that_take_turns_end_in_one_state(tmp_path: Path) -> None:
    one, other = (a_desk(SignedLedger(tmp_path, KEY), name) for name in ("one", "other"))
    for i in range(20):
        work(one, 1, "one", i)
        work(other, 1, "other", i)
        if i == 10:
            one.call("close_session", {"sessionId": "one"}, now_ms=5, nonce="")
            one.call("open_session", {"sessionId": "one"}, now_ms=5, nonce="")

    last = a_desk(SignedLedger(tmp_path, KEY), "third")

    assert state_of(last)["belief"]["outcomes"] == 40


WORKER = """
import sys
sys.path[:0] = [{root!r}, {tests!r}]
from pathlib import Path
from sim.scheduler_store import SignedLedger
from test_scheduler_store import a_desk, work
desk = a_desk(SignedLedger(Path(sys.argv[1]), "k" * 64), sys.argv[2])
print("ready", flush=True)
for i in range(int(sys.argv[3])):
    work(desk, 1, sys.argv[2], i)
    print(i, flush=True)
"""


def a_worker(folder: Path, name: str, count: int) -> subprocess.Popen[str]:
    source = WORKER.format(root=str(ROOT), tests=str(Path(__file__).parent))
    return subprocess.Popen(
        [sys.executable, "-c", source, str(folder), name, str(count)], stdout=subprocess.PIPE, text=True
    )


def test_four_processes_lose_no_outcome(tmp_path: Path) -> None:
    workers = [a_worker(tmp_path, f"w{i}", 25) for i in range(4)]
    assert [worker.wait(60) for worker in workers] == [0, 0, 0, 0]
    for worker in workers:
        assert worker.stdout is not None
        worker.stdout.close()

    assert state_of(a_desk(SignedLedger(tmp_path, KEY)))["belief"]["outcomes"] == 100


def test_writers_killed_one_after_another_lose_nothing_they_had_answered_for(tmp_path: Path) -> None:
    kept = 0
    for number in range(22):
        worker = a_worker(tmp_path, f"w{number}", 10_000)
        assert worker.stdout is not None
        assert worker.stdout.readline().strip() == "ready"
        time.sleep((1 + 7 * number % 41) / 1000)
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
        answered = len(worker.stdout.read().split())
        worker.stdout.close()
        heir = a_desk(SignedLedger(tmp_path, KEY))
        found = state_of(heir)["belief"]["outcomes"]
        assert kept + answered <= found <= kept + answered + 1
        if number % 5 == 4:
            heir.call("close_session", {"sessionId": "s"}, now_ms=9, nonce="")
        kept = found
    assert kept


def test_an_unfinished_last_line_is_set_aside_at_every_length(tmp_path: Path) -> None:
    desk = a_desk(SignedLedger(tmp_path, KEY))
    work(desk, 4)
    path = files(tmp_path, ".events")[0]
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    head = b"".join(lines[:-1])

    for cut in range(len(head), len(whole), 61):
        path.write_bytes(whole[:cut])
        again = a_desk(SignedLedger(tmp_path, KEY))
        assert state_of(again)["belief"]["outcomes"] == 3
        assert path.read_bytes() == head


def test_a_changed_line_in_the_middle_is_refused_and_nothing_is_touched(tmp_path: Path) -> None:
    desk = a_desk(SignedLedger(tmp_path, KEY))
    work(desk, 5)
    path = files(tmp_path, ".events")[0]
    forged = path.read_bytes().replace(b'"observed":0.7', b'"observed":0.1', 1)
    path.write_bytes(forged)

    with pytest.raises(Refused, match="signature") as refused:
        a_desk(SignedLedger(tmp_path, KEY))

    assert refused.value.kind == "store_damaged"
    assert path.read_bytes() == forged


@pytest.mark.parametrize("what", ["state", "head", "key"])
def test_a_changed_state_or_a_foreign_key_is_refused(tmp_path: Path, what: str) -> None:
    desk = a_desk(SignedLedger(tmp_path, KEY))
    work(desk, 5)
    desk.call("close_session", {"sessionId": "s"}, now_ms=9, nonce="")
    key = KEY
    if what == "key":
        key = "j" * 64
    elif what == "state":
        path = files(tmp_path, ".state")[0]
        path.write_bytes(path.read_bytes().replace(b'"mu":1.0', b'"mu":4.0'))
    else:
        path = files(tmp_path, ".head")[0]
        path.write_bytes(b"7" + path.read_bytes()[1:])

    with pytest.raises(Refused) as refused:
        Desk(key, SignedLedger(tmp_path, key)).call("open_session", {"sessionId": "s"}, now_ms=1, nonce="")

    assert refused.value.kind == "store_damaged"


def test_events_moved_to_another_namespace_are_refused(tmp_path: Path) -> None:
    desk = a_desk(SignedLedger(tmp_path, KEY))
    work(desk, 3)
    path = files(tmp_path, ".events")[0]
    path.rename(tmp_path / f"{ledger_name('other')}.0.events")

    with pytest.raises(Refused):
        desk.call("open_session", {"sessionId": "t", "namespace": "other"}, now_ms=1, nonce="")


def test_a_store_of_the_reference_is_read_without_its_trust(tmp_path: Path) -> None:
    record = {"repo": "r", "actionType": "edit_file", "errorSignature": "E one", "patchSummary": "fix",
              "verification": {"source": "executor", "trusted": True, "attestReason": "ok"}, "ts": 5}  # fmt: skip
    PlainStore(tmp_path).save("default", {"mu": 0.9, "protos": [], "skills": [record]})

    desk = a_desk(SignedLedger(tmp_path, KEY))
    asked = {"sessionId": "s", "repo": "r", "action_type": "edit_file", "error_signature": "E one"}
    decided = desk.call("decide_step", asked, now_ms=1, nonce="")

    assert desk.call("get_stats", {"sessionId": "s"}, now_ms=1, nonce="")["nSkills"] == 1
    assert decided["reusable_fix"] is None


def test_files_put_back_under_a_running_server_are_refused_and_left_alone(tmp_path: Path) -> None:
    desk = a_desk(SignedLedger(tmp_path, KEY))
    work(desk, 2)
    path = files(tmp_path, ".events")[0]
    older = path.read_bytes()
    work(desk, 2, start=2)
    path.write_bytes(older)

    with pytest.raises(Refused, match="put back") as refused:
        work(desk, 1, start=4)

    assert refused.value.kind == "store_damaged"
    assert path.read_bytes() == older
    assert state_of(a_desk(SignedLedger(tmp_path, KEY)))["belief"]["outcomes"] == 2, "a new server begins from what is there"


@pytest.mark.parametrize("gone", [".events", "*"])
def test_a_generation_that_is_gone_under_a_running_server_is_refused(tmp_path: Path, gone: str) -> None:
    desk = a_desk(SignedLedger(tmp_path, KEY), "s")
    work(desk, 2)
    desk.call("close_session", {"sessionId": "s"}, now_ms=9, nonce="")
    desk.call("open_session", {"sessionId": "s"}, now_ms=9, nonce="")
    work(desk, 2, start=2)
    for path in tmp_path.glob(f"{ledger_name('default')}*" if gone == "*" else f"{ledger_name('default')}*{gone}"):
        path.unlink()

    with pytest.raises(Refused) as refused:
        work(desk, 1, start=9)

    assert refused.value.kind == "store_damaged"


@pytest.mark.parametrize("ending", [".events", ".lock", ".head", ".state"])
def test_no_file_is_reached_through_a_link(tmp_path: Path, ending: str) -> None:
    store, outside = tmp_path / "store", tmp_path / "outside"
    desk = a_desk(SignedLedger(store, KEY))
    work(desk, 2)
    desk.call("close_session", {"sessionId": "s"}, now_ms=9, nonce="")
    work(a_desk(SignedLedger(store, KEY)), 1, start=5)
    path = files(store, ending)[0]
    outside.write_bytes(path.read_bytes())
    before = outside.read_bytes()
    path.unlink()
    path.symlink_to(outside)

    with pytest.raises(Refused, match="link"):
        work(a_desk(SignedLedger(store, KEY)), 1, start=7)

    assert outside.read_bytes() == before


@pytest.mark.parametrize("ending", [".state", ".head", ".events"])
def test_one_namespace_cannot_take_the_place_of_another(tmp_path: Path, ending: str) -> None:
    ledger = SignedLedger(tmp_path, KEY)
    for name, count in (("default", 3), ("other", 5)):
        desk = Desk(KEY, ledger)
        desk.call("open_session", {"sessionId": "s", "namespace": name}, now_ms=1, nonce="")
        work(desk, count)
        desk.call("close_session", {"sessionId": "s"}, now_ms=9, nonce="")
        desk.call("open_session", {"sessionId": "s", "namespace": name}, now_ms=1, nonce="")
        work(desk, 2, start=20)
    source, target = ledger_name("other"), ledger_name("default")
    moved = next(tmp_path.glob(f"{source}*{ending}"))
    (tmp_path / moved.name.replace(source, target)).write_bytes(moved.read_bytes())

    with pytest.raises(Refused):
        a_desk(SignedLedger(tmp_path, KEY))


def test_names_cannot_leave_the_folder_or_meet_each_other(tmp_path: Path) -> None:
    ledger = SignedLedger(tmp_path / "in", KEY)
    for i, name in enumerate(["../../x", "a/b", "a_b", "..", ".", "名", "a\0b", "x" * 500, ""]):
        desk = Desk(KEY, ledger)
        desk.call("open_session", {"sessionId": "s", "namespace": name}, now_ms=1, nonce="")
        work(desk, i + 1)

    assert [each.name for each in tmp_path.iterdir()] == ["in"]
    assert state_of_name(ledger, "a/b") == 2
    assert state_of_name(ledger, "a_b") == 3


def state_of_name(ledger: SignedLedger, name: str) -> int:
    desk = Desk(KEY, ledger)
    desk.call("open_session", {"sessionId": "s", "namespace": name}, now_ms=1, nonce="")
    outcomes: int = desk.spaces[name].learned.library.belief.outcomes
    return outcomes


def test_the_key_is_made_once_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    first, second = key_in(tmp_path), key_in(tmp_path)

    assert first == second
    assert len(first) == 64
    assert (tmp_path / "key").stat().st_mode & 0o077 == 0
