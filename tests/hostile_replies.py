"""Loads the malformed replies and fills them from a live request, in the words of our contract.

How the case file's fields map to ours (its authors wrote against a generic contract):

| there | here |
|---|---|
| type `intent`, `novel` | `intention`, `combine` |
| intention: `intent` | `intention` (the id); action `restore` is `resume` |
| speak: `attitude` | `stance`; `then` is added, which the file doesn't know |
| plan: `steps[].template`, `steps[].object` | the same |
| appraise: `event goal_impact control certainty threat` | the same, whole numbers; missing ones are added |
| reflect: `hypothesis support against confidence` | the same; `influence` is added |
| combine: `object`, `skill` | `objects`, `skills`, lists; `verify` is added where the row has none |
| a fraction 0.0 to 1.0 in confidence, threat, certainty | the whole number 0 to 100 |

So each row is refused for the reason it was written for, not because a field is spelt otherwise: what a row
leaves out or spells in its own way is completed, what it does wrong stays wrong. Rows of wrapping, truncation,
duplicate keys and size are used byte for byte. Placeholders are filled from the live request; `{{PROMPT_HEAD}}`
is the head of the real instructions.
"""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

from agent.request import Request
from sim.gateway import load_wording
from tests.model_cases import ANSWERS, a_request

ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in
    (Path(__file__).parents[1] / "trials/experiments/data/hostile/malformed_replies.dev.jsonl").read_text(encoding="utf-8").splitlines()
]
assert len(ROWS) == 132

KEY = "sk-canary-7f3a9c1e55d2b8"
TYPES_THERE = {"intent": "intention", "novel": "combine"}
SCALED = ("confidence", "threat", "certainty")


def decision_of(row: dict[str, Any]) -> str:
    """Return the type of the request a row is an answer to."""
    if row["layer"] != "decision-kind":
        return "choose"
    there = str(json.loads(row["body"].replace("\\ud800", ""))["type"])
    return TYPES_THERE.get(there, there)


def request_for(row: dict[str, Any]) -> Request:
    """Return a live request of the row's type."""
    return a_request(decision_of(row))


def filling(request: Request) -> dict[str, str]:
    """Return what the placeholders stand for."""
    head = load_wording(request.language).system
    return {
        "REQ": request.id, "REQ_OLD": "req-7", "REQ_OTHER": "req-12", "REQ_FUTURE": "req-9",
        "VER": request.version, "VER_OLD": "v-000000000000", "VER_FUTURE": "v-ffffffffffff",
        "CAND_OK": "cand-12", "CAND_OK2": "cand-13", "CAND_OUT": "cand-40", "CAND_UNREG": "cand-999",
        "CAND_OK_UPPER": "CAND-12", "CAND_OK_FULLWIDTH": "ｃａｎｄ-１２", "CAND_OK_HOMOGLYPH": "cаnd-12",
        "CAND_OK_ZERO": "cand-012", "CAND_STALE": "cand-3", "CAND_OK_LABEL": "water the plant",
        "OBJ_OK": "obj-3", "OBJ_UNSEEN": "obj-44", "OBJ_UNREG": "obj-999", "TMPL_OK": "drink_tea",
        "INTENT_OK": "com-4", "INTENT_UNREG": "com-999", "EV_OK": "exp-9", "EV_UNREG": "exp-999",
        "EV_UNSEEN": "exp-77", "EV_APPLIED": "exp-5", "EV_VOICE": "exp-9", "RULE_OK": "rule-visitor-private",
        "RULE_UNREG": "rule-999", "ATT_OK": "accepted", "EP_1": "exp-1", "EP_2": "exp-2", "EP_3": "exp-3",
        "EP_4": "exp-4", "EP_1_COPY": "exp-11", "EP_1_SUMMARY": "exp-12", "REFL_1": "ref-1",
        "SKILL_OK": "take", "KEY": KEY, "PROMPT_HEAD": head[:80],
    }


def reply_of(row: dict[str, Any], request: Request) -> bytes:
    """Return the row's bytes, filled and mapped."""
    if "body_b64" in row:
        return fill(base64.b64decode(row["body_b64"]), request)
    if "gen" in row:
        return fill(generated(row["gen"]), request)
    body = fill(str(row["body"]).encode("utf-8", "surrogatepass"), request)
    return mapped(body) if row["layer"] == "decision-kind" else body


def fill(body: bytes, request: Request) -> bytes:
    for name, value in filling(request).items():
        body = body.replace(b"{{%s}}" % name.encode(), value.encode())
    # A truncated row may end inside a placeholder; a whole one that is left over is an oversight of ours.
    assert re.search(rb"\{\{[A-Z0-9_]+\}\}", body[:5000]) is None
    return body


def generated(gen: dict[str, Any]) -> bytes:
    repeat, times = gen["repeat"], gen["times"]
    middle = "".join(repeat % n for n in range(times)) if "%d" in repeat else repeat * times
    text = gen["prefix"] + middle + gen.get("mid", "") + gen.get("close", "") * times + gen.get("suffix", "")
    return text.encode()


def mapped(body: bytes) -> bytes:
    """Return a row of a decision kind in the words of our contract."""
    there = json.loads(body)
    decision = TYPES_THERE.get(there["type"], there["type"])
    here: dict[str, Any] = {"request_id": there.pop("request_id"), "version": there.pop("version")}
    here["type"] = decision
    there.pop("type")
    for name, value in there.items():
        spelt = {"intent": "intention", "attitude": "stance"}.get(name, name)
        here[spelt] = scaled(value) if spelt in SCALED else value
    if here.get("action") == "restore":
        here["action"] = "resume"
    if decision == "combine":
        here["proposals"] = [proposal_of(row) for row in here["proposals"]]
    for name, value in ANSWERS[decision].items():
        # A reflection without counter-evidence is a fault of its own; nothing is added there.
        if name not in here and (decision, name) != ("reflect", "against"):
            here[name] = value
    return json.dumps(here, ensure_ascii=True).encode()


def proposal_of(row: dict[str, Any]) -> dict[str, Any]:
    return {"result": row["result"], "objects": [row["object"]], "skills": [row["skill"]],
            "verify": row.get("verify", ["cup_is_full"])}


def scaled(value: Any) -> Any:
    return round(value * 100) if isinstance(value, float) and 0 <= value <= 1 else value
