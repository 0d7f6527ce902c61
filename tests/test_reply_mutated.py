"""Replies damaged at random: never an exception, and what is still accepted names registered ids only."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import blake2b
from typing import Any

import pytest

from agent.reply import Fault, Parsed, parse
from agent.request import EXPLICIT_ENDS, TYPES, Request
from agent.slot import Slot
from sim.gateway import make_provider
from tests.model_cases import VERSIONS, a_reply, a_request

SCRAPS = (b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\\u0000", b"\xff", b"\xed\xa0\x80", b"1e9", b"-0", b"NaN",
          b"null", b"true", b"cand-13", b"cand-99", b"wait", "，".encode(), b"//", b"\x00", b"req-7", b" ", b"0.5")


def below(key: str, bound: int) -> int:
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "big") % bound


def damaged(raw: bytes, key: str) -> bytes:
    """Return *raw* with one to four edits drawn from *key*: a bit flipped, a piece cut, doubled, moved or put in."""
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


def ids_in(value: Any) -> list[str]:
    """Return every text of an answer that looks like an id; written apart from the checker it checks."""
    if isinstance(value, dict):
        return [each for item in value.values() for each in ids_in(item)]
    if isinstance(value, list):
        return [each for item in value for each in ids_in(item)]
    return [value] if isinstance(value, str) and "-" in value and " " not in value else []


def harmless(parsed: Parsed, request: Request) -> bool:
    known = {*request.group, *EXPLICIT_ENDS, *(each for ids in request.refs.values() for each in ids)}
    free = {name: parsed.fields[name] for name in ("text", "hypothesis") if name in parsed.fields}
    named = {name: value for name, value in parsed.fields.items() if name not in free}
    for proposal in named.get("proposals", ()):
        proposal.pop("result")
    return all(each in known for each in ids_in(named))


def tried(count: int) -> Counter[str]:
    found: Counter[str] = Counter()
    for n in range(count):
        request = a_request(TYPES[n % len(TYPES)])
        parsed = parse(damaged(a_reply(request, because="it fits"), f"mutant-{n}"), request)
        if isinstance(parsed, Parsed) and not harmless(parsed, request):
            found["harmful"] += 1
        found[parsed.code if isinstance(parsed, Fault) else "accepted"] += 1
    return found


def test_a_damaged_reply_is_refused_or_harmless() -> None:
    found = tried(700)
    assert found["harmful"] == 0
    assert len(found) > 8, "the damage is of many kinds"
    assert found["accepted"] < 350


@pytest.mark.campaign
def test_campaign_c8_mutated_replies() -> None:
    """C8: 20,000 damaged replies over the seven types."""
    found = tried(20_000)
    print(json.dumps({"claim": "C8 mutated replies", "target": 0, "measured": found["harmful"],
                      "pass": found["harmful"] == 0, "by": found}))
    assert found["harmful"] == 0


def storm(requests: int, rates: dict[str, int]) -> Slot:
    """Ask *requests* questions of a bad model in lockstep; some are cancelled, some go stale."""
    provider, slot, tick = make_provider({"provider": "scripted", "errors": rates}, 5), Slot(), 0
    for number in range(1, requests + 1):
        tick += 60
        request = a_request(number=number, tick=tick, deadline_tick=tick + 40)
        ruling = slot.ask(request, latency_ticks=5)
        fate = below(f"fate-{number}", 10)
        while ruling.part is not None:
            part = ruling.part
            reply = provider.ask(part, request)
            if fate == 0:
                slot.cancel("preempted")
            versions = VERSIONS if fate != 1 else {**VERSIONS, ("belief", 3): 2}
            rulings = [slot.on_reply(part.id, reply.raw, reply.failure, part.due_tick, versions, tokens=reply.tokens_in)
                       for _ in range(reply.copies)]
            ruling = rulings[0]
            assert all(each.kind == "ignored" for each in rulings[1:])
        assert not slot.busy
    return slot


def test_a_storm_of_faults_leaves_one_end_for_each_request() -> None:
    slot = storm(2000, {"malformed": 150, "silent": 100, "out_of_group": 50, "duplicate": 100, "old_version": 50})
    ends = [slot.counts[end] for end in ("committed", "stale", "expired", "cancelled", "rejected", "fallback")]
    assert sum(ends) == 2000
    assert all(slot.counts[end] > 20 for end in ("committed", "stale", "cancelled", "fallback"))
    assert slot.budget.calls <= 2000 + slot.counts["repaired"]
    assert slot.reasons["duplicate"] > 50
