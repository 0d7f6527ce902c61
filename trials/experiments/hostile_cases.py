"""Reading case files of hostile replies, texts and transports, and filling them from a live request in our own words.

How a reply's fields map to ours (the files are written against a generic contract):

| there | here |
|---|---|
| type `intent`, `novel` | `intention`, `combine` |
| intention: `intent` | `intention` (the id); action `restore` is `resume` |
| speak: `attitude` | `stance`; `then` is added |
| combine: `object`, `skill` | `objects`, `skills`, lists; `verify` is added where the row has none |
| a fraction up to 1.0 in confidence, threat, certainty, control; -1.0 to 1.0 in goal_impact | the whole number up to 100 |

What a row leaves out or spells in its own way is completed from a right answer to the same request; what it does wrong
stays wrong. Rows of wrapping, truncation, duplicate keys and size are used byte for byte.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agent.request import TYPES, Part, Request
from sim.gateway_provider import load_wording
from sim.gateway_scripted import Scripted

FOLDER = Path(__file__).parent / "data/hostile"
TYPES_THERE = {"intent": "intention", "novel": "combine"}
SCALED = ("confidence", "threat", "certainty", "control", "goal_impact")
KEY = "sk-canary-7f3a9c1e55d2b8"
REQUIRED = {"replies": ("id", "expect"), "texts": ("id", "channels"), "transports": ("id", "steps")}


class CaseError(ValueError):
    """A case file can't be used; the text names the line and what is wrong."""


def cases(kind: str, path: Path | None) -> list[dict[str, Any]]:
    """Return the rows of *path*, or of the shipped file of *kind*: replies, texts or transports. Raises CaseError."""
    shipped = {
        "replies": "malformed_replies.dev.jsonl",
        "texts": "hostile_texts.dev.jsonl",
        "transports": "transport_faults.jsonl",
    }
    source = path or FOLDER / shipped[kind]
    if source.is_dir():
        source = source / shipped[kind]
    return list(_rows(source, REQUIRED[kind]))


def _rows(source: Path, keys: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    try:
        lines = source.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CaseError(f"{source}: can't be read as UTF-8 text: {type(error).__name__}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise CaseError(f"{source}:{number}: not one JSON object per line") from None
        missing = [key for key in keys if not isinstance(row, dict) or key not in row]
        if missing:
            raise CaseError(f"{source}:{number}: the key {missing[0]!r} is missing")
        yield row


# --- texts --------------------------------------------------------------------------------------------------------


def text_of(row: dict[str, Any]) -> str:
    """Return the text of a row as it could reach us at all: bytes that are no UTF-8 come in replaced."""
    if "text_b64" in row:
        return base64.b64decode(row["text_b64"]).decode("utf-8", "replace")
    return str(row["text"])


def benign(row: dict[str, Any]) -> bool:
    """Return whether a row must pass unblocked."""
    return str(row.get("category", "")).startswith("benign")


# --- replies ------------------------------------------------------------------------------------------------------


def decision_of(row: dict[str, Any]) -> str:
    """Return the type of the request that a row is an answer to: choose, unless its body names another."""
    found = re.search(r'"type"\s*:\s*"([a-z_]+)"', str(row.get("body", "")))
    there = TYPES_THERE.get(found.group(1), found.group(1)) if found else "choose"
    # What is to be accepted must be an answer to a question of its own type.
    own = row.get("layer") == "decision-kind" or row["expect"] == "accept"
    return there if own and there in TYPES else "choose"


def right_answer(request: Request) -> dict[str, Any]:
    """Return a right answer to *request*, as the scripted provider gives it."""
    reply = Scripted(0).ask(Part(request.id, 1, "ask", request.tick, request.deadline_tick), request)
    assert reply.raw is not None
    document: dict[str, Any] = json.loads(reply.raw)
    return document


def filling(request: Request, outside: str) -> dict[str, str]:
    """Return what the placeholders stand for; a name that is missing here is one that no request shows."""
    refs = {name: [*ids, *[f"none-{name}"] * 6] for name, ids in request.refs.items()}
    group = [*request.group, "c9001", "c9002"]
    known = next(iter(request.origins), "exp-1")
    firsts, copies = _by_origin(request)
    return {
        "REQ": request.id, "REQ_OLD": "req-9007", "REQ_OTHER": "req-9012", "REQ_FUTURE": "req-9099",
        "VER": request.version, "VER_OLD": "v-000000000000", "VER_FUTURE": "v-ffffffffffff",
        "CAND_OK": group[0], "CAND_OK2": group[1], "CAND_OUT": outside, "CAND_UNREG": "c9999", "CAND_OK_UPPER": group[0].upper(),
        "CAND_OK_FULLWIDTH": "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in group[0]),
        "CAND_OK_HOMOGLYPH": group[0].replace("c", "\u0441"), "CAND_OK_ZERO": f"{group[0][0]}0{group[0][1:]}", "CAND_STALE": "c8001",
        "CAND_OK_LABEL": str(next((row["text"] for row in request.context["candidates"]), "go on")),
        "OBJ_OK": refs.get("objects", ["obj-1"])[0], "OBJ_UNSEEN": "obj-9044", "OBJ_UNREG": "obj-9999",
        "TMPL_OK": refs.get("templates", ["drink_water"])[0], "INTENT_OK": refs.get("intentions", ["com-1"])[0],
        "INTENT_UNREG": "com-9999", "EV_OK": refs.get("events", ["exp-1"])[0], "EV_UNREG": "exp-9999", "EV_UNSEEN": "exp-9077",
        "EV_APPLIED": "exp-9005", "EV_VOICE": refs.get("events", ["exp-1"])[0], "RULE_OK": refs.get("rules", ["rule-1"])[0],
        "RULE_UNREG": "rule-9999", "ATT_OK": refs.get("stances", ["accepted"])[0], "EP_1": firsts[0], "EP_2": firsts[1],
        "EP_3": firsts[2], "EP_4": firsts[3], "EP_1_COPY": copies[0], "EP_1_SUMMARY": copies[1], "REFL_1": "ref-1",
        "SKILL_OK": refs.get("skills", ["grasp"])[0], "KEY": KEY, "PROMPT_HEAD": load_wording(request.language).system[:80],
        "KNOWN": known, **more_of(refs, group, firsts),
    }  # fmt: skip


def more_of(refs: dict[str, list[str]], group: list[str], episodes: list[str]) -> dict[str, str]:
    """Return the further ones of a kind, by number: OBJ_OK2, TMPL_OK2 and so on, CAND_OK3, EP_5; the last one where there are fewer."""
    kinds = {"OBJ_OK": "objects", "TMPL_OK": "templates", "INTENT_OK": "intentions", "EV_OK": "events", "RULE_OK": "rules",
             "ATT_OK": "stances", "SKILL_OK": "skills"}  # fmt: skip
    rows = {**{name: refs.get(kind) or [kind] for name, kind in kinds.items()}, "CAND_OK": group}
    found = {f"{name}{n}": ids[min(n, len(ids)) - 1] for name, ids in rows.items() for n in range(2, 6)}
    found |= {f"EP_{n}": episodes[-1] if n > len(episodes) else episodes[n - 1] for n in range(5, 8)}
    return {name: value for name, value in found.items() if name != "CAND_OK2"}


def _by_origin(request: Request) -> tuple[list[str], list[str]]:
    """Return four experiences of different origins, and two retellings of the first."""
    firsts: dict[str, str] = {}
    copies: list[str] = []
    origins = request.origins
    told = {origin for origin in origins.values() if list(origins.values()).count(origin) > 1}
    for name, origin in sorted(origins.items(), key=lambda each: each[1] not in told):
        if origin in firsts:
            copies.append(name)
        else:
            firsts[origin] = name
    return [*firsts.values(), *["exp-9001", "exp-9002", "exp-9003", "exp-9004"]][:4], [
        *copies,
        "exp-9005",
        "exp-9006",
    ][:2]


def reply_of(row: dict[str, Any], request: Request, outside: str) -> bytes:
    """Return the row's bytes, filled and mapped."""
    values = filling(request, outside)
    if "body_b64" in row:
        return fill(base64.b64decode(row["body_b64"]), values)
    if "gen" in row:
        return fill(generated(row["gen"]), values)
    body = fill(str(row["body"]).encode("utf-8", "surrogatepass"), values)
    return mapped(body, request) if row.get("layer") == "decision-kind" or request.type != "choose" else body


def fill(body: bytes, values: dict[str, str]) -> bytes:
    """Return *body* with its placeholders filled."""
    for name, value in values.items():
        body = body.replace(b"{{%s}}" % name.encode(), value.encode())
    return body


def generated(gen: dict[str, Any]) -> bytes:
    """Return the body that a `gen` row describes."""
    repeat, times = gen["repeat"], gen["times"]
    middle = "".join(repeat % n for n in range(times)) if "%d" in repeat else repeat * times
    text = gen["prefix"] + middle + gen.get("mid", "") + gen.get("close", "") * times + gen.get("suffix", "")
    return str(text).encode()


def mapped(body: bytes, request: Request) -> bytes:
    """Return a row of a decision kind in the words of our contract; one that is no JSON object stays as it is."""
    try:
        there = json.loads(body)
    except (ValueError, RecursionError):
        return body
    if not isinstance(there, dict):
        return body
    here: dict[str, Any] = {}
    for name, value in there.items():
        spelt = {"intent": "intention", "attitude": "stance"}.get(str(name), str(name))
        here[spelt] = scaled(value, -1 if spelt == "goal_impact" else 0) if spelt in SCALED else value
    kind = here.get("type")
    if isinstance(kind, str):
        here["type"] = TYPES_THERE.get(kind, kind)
    if here.get("action") == "restore":
        here["action"] = "resume"
    right = right_answer(request)
    if here.get("type") == "combine" and isinstance(here.get("proposals"), list):
        here["proposals"] = [proposal_of(each, right) for each in here["proposals"]]
    for name, value in right.items():
        # A reflection without counter-evidence is a fault of its own; nothing is added there.
        if name not in here and (request.type, name) != ("reflect", "against"):
            here[name] = value
    return json.dumps(here, ensure_ascii=True).encode()


def proposal_of(row: Any, right: dict[str, Any]) -> Any:
    """Return a proposal with lists where the file has single ids."""
    if not isinstance(row, dict):
        return row
    verify = right["proposals"][0]["verify"] if right.get("proposals") else ["done"]
    return {
        "result": row.get("result"), "objects": [row["object"]] if "object" in row else row.get("objects", []),
        "skills": [row["skill"]] if "skill" in row else row.get("skills", []), "verify": row.get("verify", verify),
    }  # fmt: skip


def scaled(value: Any, least: int = 0) -> Any:
    """Return a fraction from *least* to 1 as a whole percentage."""
    return round(value * 100) if isinstance(value, float) and least <= value <= 1 else value
