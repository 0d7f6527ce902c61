"""Hostile replies: each case is handed to a real kernel that waits, was pre-empted, or has cancelled; then mutants.

`reject` means: it becomes no decision, costs at most one repair, and leaves the resident living on by itself.
"""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from agent.reply import Parsed, parse
from agent.request import TYPES
from sim import kernel
from sim.gateway_provider import Reply
from sim.records import Records
from sim.redaction import redact
from sim.session import as_input
from sim.state import State
from trials.experiments.hostile_cases import KEY, cases, decision_of, reply_of, right_answer
from trials.experiments.hostile_stage import Stage, stage
from trials.experiments.lines import line

NAME = "hostile_replies"
DOC = "Malformed model replies in a real kernel: waiting, pre-empted, cancelled; and mutated ones. Takes --cases FILE."
STATES = ("idle", "preempted", "cancelled")
AFTER_TICKS = 50
MUTANTS = {True: 2_000, False: 100_000}
KERNEL_EVERY = 40  # of the mutants that can't be read, one in so many goes through the whole kernel too
GROWTH_MAX_KIB = 64 * 1024

BECAUSE = "It fits what was promised, and nothing speaks against it; the plant can wait until the book is put away. 合适。"
SCRAPS = (b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\\u0000", b"\xff", b"\xed\xa0\x80", b"1e9", b"-0", b"NaN",
          b"null", b"true", b"c1", b"c9999", b"wait", "，".encode(), b"//", b"\x00", b"req-9007", b" ", b"0.5")  # fmt: skip


def run(
    *, quick: bool = True, cases_file: Path | None = None, count: int | None = None
) -> Iterator[dict[str, Any]]:
    """Yield a line per case that misses its expectation, then the summaries. *count* is the number of mutants."""
    rows = cases("replies", cases_file)
    missed = tried = 0
    for row in rows:
        at = stage(decision_of(row))
        raw = reply_of(row, at.request, at.outside)
        for how in STATES:
            tried += 1
            fault = judge(row["expect"], how, *play(at, raw, how))
            if fault:
                missed += 1
                yield line(
                    f"{row['id']} {row.get('name', '')} ({how})",
                    row["expect"],
                    fault,
                    False,
                    decision=decision_of(row),
                )
    yield line(
        f"{len(rows)} malformed replies x {len(STATES)} states end as expected",
        "all",
        [tried - missed, tried],
        missed == 0,
    )
    yield from mutants(count or MUTANTS[quick])


def play(at: Stage, raw: bytes, how: str) -> tuple[State, list[dict[str, Any]], str]:
    """Hand the bytes of a reply to a kernel, as the client would."""
    return play_reply(at, Reply(redacted(raw)), how)


def play_reply(at: Stage, reply: Reply, how: str) -> tuple[State, list[dict[str, Any]], str]:
    """Hand *reply* to a fresh kernel in state *how*, twice if a repair is asked; return state, records and an exception's name."""
    state = at.state()
    log = Records(state.tick)
    try:
        if how != "idle":
            ruling = state.slot.cancel(how if how == "preempted" else "stopped")
            assert ruling is not None
            kernel.on_ruling(state, log, ruling)
        rows = list(log.rows)
        part = at.part
        for _ in range(4):
            given = [as_input(part, reply)]
            # It arrives twice: the second one must change nothing.
            for _, records in kernel.advance(state, [*given, *given], part.due_tick):
                rows += records
            sent = [each for each in kernel.take_outbox(state) if each[0].request_id == at.part.request_id]
            if not sent:
                break
            part = sent[0][0]
        for _, records in kernel.advance(state, [], state.tick + AFTER_TICKS):
            rows += records
    except Exception as error:  # An exception is the finding.
        return state, [], f"{type(error).__name__}: {error}"[:200]
    return state, rows, ""


def redacted(raw: bytes) -> bytes:
    """Return *raw* as the client hands it on: its own key cut out, whatever else it is."""
    return redact(raw.decode("utf-8", "surrogateescape"), KEY).encode("utf-8", "surrogateescape")


def judge(expect: str, how: str, state: State, rows: list[dict[str, Any]], error: str) -> str:
    """Return what is wrong with how a case went, or nothing."""
    if error:
        return error
    mine = [row for row in rows if row["kind"] == "ruling" and row["id"] == "req-1"]
    commits = sum(row["data"]["what"] == "commit" for row in mine)
    repairs = sum(row["data"]["what"] == "repair" for row in mine)
    told = "".join(
        json.dumps(row, ensure_ascii=False) for row in rows if row["kind"] not in ("reply", "request", "part")
    )
    if commits > 1 or repairs > 1:
        return f"{commits} commits, {repairs} repairs"
    if how != "idle" and (commits or repairs):
        return f"{how}, and yet {commits} commits, {repairs} repairs"
    if KEY in told or any(piece in told for piece in state._secrets):
        return "the key or a piece of the instructions stands in a record"
    if expect == "reject" and commits:
        return "committed"
    if expect.startswith("reject_as_schema") and commits:
        return "committed"
    if expect == "accept" and how == "idle" and not commits:
        return f"not committed: {mine[-1]['data']['reason'] if mine else 'no ruling'}"
    if state.slot.request is not None and state.slot.request.id == "req-1":
        return "still open"
    return ""


# --- mutants --------------------------------------------------------------------------------------------------------


def mutants(count: int) -> Iterator[dict[str, Any]]:
    """Yield the summary of *count* damaged right answers, spread over the seven types."""
    began, before = time.monotonic(), _resident_kib()
    harmful = errors = repairs = accepted = through = 0
    for number in range(count):
        at = stage(TYPES[number % len(TYPES)])
        raw = damaged(
            json.dumps({**right_answer(at.request), "because": BECAUSE}, ensure_ascii=False).encode(),
            f"mutant-{number}",
        )
        try:
            parsed = parse(raw, at.request)
        except Exception:  # An exception is the finding.
            errors += 1
            continue
        readable = isinstance(parsed, Parsed)
        accepted += readable
        if not readable and number % KERNEL_EVERY:
            continue
        through += 1
        _, rows, error = play(at, raw, STATES[number // len(TYPES) % 3])
        errors += bool(error)
        mine = [row["data"]["what"] for row in rows if row["kind"] == "ruling" and row["id"] == "req-1"]
        harmful += ("commit" in mine and not readable) or mine.count("commit") > 1
        repairs = max(repairs, mine.count("repair"))
    grown = _resident_kib() - before
    yield line(
        f"{count} mutated replies: exceptions",
        0,
        errors,
        errors == 0,
        seconds=round(time.monotonic() - began, 1),
    )
    yield line(
        "commits of a rejected kind, or twice",
        0,
        harmful,
        harmful == 0,
        readable=accepted,
        through_the_kernel=through,
    )
    yield line("repairs of one request at most", "<= 1", repairs, repairs <= 1)
    yield line("memory growth in KiB", f"<= {GROWTH_MAX_KIB}", grown, grown <= GROWTH_MAX_KIB)


def damaged(raw: bytes, key: str) -> bytes:
    """Return *raw* with one to four edits drawn from *key*: a bit flipped, a piece cut, doubled, put in or written over."""
    data = bytearray(raw)
    for n in range(1 + below(f"{key}/edits", 4)):
        at, end = sorted(below(f"{key}/{n}/{side}", len(data) + 1) for side in ("from", "to"))
        what = below(f"{key}/{n}/what", 5)
        scrap = SCRAPS[below(f"{key}/{n}/scrap", len(SCRAPS))]
        if what == 0 and at < len(data):
            data[at] ^= 1 << below(f"{key}/{n}/bit", 8)
        elif what == 1:
            del data[at : min(end, at + 9)]
        elif what == 2:
            data[at:at] = data[at:end]
        elif what == 3:
            data[at:at] = scrap
        else:
            data[at : at + len(scrap)] = scrap
    return bytes(data)


def below(key: str, bound: int) -> int:
    """Return a number below *bound* drawn from *key*."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "big") % bound


def _resident_kib() -> int:
    """Return the peak resident memory of this process in KiB, where the system tells it."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // 1024 if os.uname().sysname == "Darwin" else peak
