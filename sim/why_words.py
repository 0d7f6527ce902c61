"""One line of plain English for each kind of record, for the causal chain. World names, since the reader may know all.

Reason codes are told in the words of the windows: one table for both (`sim/window/assets/texts.toml`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from sim.window.texts import Texts

Row = Mapping[str, Any]
TEXT_MAX = 160
TEXTS = Texts("en")
CODE = re.compile(r"[a-zA-Z0-9]+(?:_[a-zA-Z0-9]+)+")


def words_of(row: Row, names: Mapping[int, str]) -> str:
    """Return what *row* says, in one line. *names* maps the resident's ordinals to world ids."""
    teller = TELLERS.get(row["kind"])
    text = row["kind"] if teller is None else teller(row, row["data"], names)
    return text if len(text) <= TEXT_MAX else text[: TEXT_MAX - 1] + "…"


def questions_of(answers: Mapping[str, str], questions: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the ten questions in words, each with its answer in words; ids stay as they are."""
    return [
        (f"{number}. {questions[number]}", _reason(text) if number == "1" else CODE.sub(lambda code: code[0].replace("_", " "), text))
        for number, text in answers.items()
    ]


def _reason(code: str) -> str:
    """Return a reason code in words, to stand within a sentence."""
    words = TEXTS.reason(code).removesuffix(".")
    return words[:1].lower() + words[1:]


def _named(ordinal: int, names: Mapping[int, str]) -> str:
    return names.get(ordinal, f"#{ordinal}") if ordinal else "nothing"


def _input(_: Row, data: Row, __: Mapping[int, str]) -> str:
    said = f' "{data["text"]}"' if data["text"] else ""
    on = " ".join(each for each in (data["object"], data["target"]) if each)
    return f"the visitor ({data['source']}): {data['channel']} {data['op']}{' ' + on if on else ''}{said}"


def _receipt(_: Row, data: Row, __: Mapping[int, str]) -> str:
    return f"the gate: {data['status']}" + (f", {_reason(data['reason'])}" if data["reason"] else "")


def _feedback(_: Row, data: Row, __: Mapping[int, str]) -> str:
    if "perceived" not in data:
        return f"the resident takes the voice as {data.get('stance', '')}"
    parts = ["perceived" if data["perceived"] else "not perceived"]
    parts += [f"{key} {data[key]}".replace("_", " ") for key in ("stance", "outcome") if data[key]]
    parts += [_reason(data["reason"])] if data["reason"] else []
    return "the visitor is told: " + ", ".join(parts)


def _fact(_: Row, data: Row, __: Mapping[int, str]) -> str:
    inner = data["data"]
    who, what = data["doer"] or "the room", data["fact"]
    on = f" {data['subject']}" if data["subject"] else ""
    if what == "skill_ended":
        return f"{who} ended {data['skill']}{on}: {inner['result']}" + (
            f" ({_reason(inner['failure'])})" if inner.get("failure") else ""
        )
    if what == "skill_started":
        return f"{who} began {data['skill']}{on}"
    if what == "skill_refused":
        return f"{who} could not {data['skill']}{on}: {_reason(inner.get('predicate') or inner.get('reason'))}"
    if what == "speech":
        return f'{who} said "{inner.get("words", {}).get("text", "")}"'
    if what == "state":
        return f"{data['subject']} {inner.get('prop')}: {inner.get('old')} to {inner.get('new')}"
    return f"{who}: {inner.get('event') or inner.get('sound') or what}{on}"


def _percept(_: Row, data: Row, names: Mapping[int, str]) -> str:
    content, what = data["content"], data["what"]
    if what == "felt":
        return f"felt: {content['need']} {content['direction']} to {content['level']}"
    if what == "outcome":
        failed = f" ({_reason(content['failure'])})" if content["failure"] else ""
        return f"felt its own {content['skill']}: {content['result']}{failed}"
    if what == "speech":
        return f'heard {_named(data["doer"], names)}: "{content["text"]}" ({content["mark"]})'
    if what == "voice":
        return f'a thought: "{content["text"]}"'
    if what == "sound":
        return f"heard: {content['sound']}"
    if what == "person":
        return f"{_named(data['of'], names)} {content['change']}"
    if what == "act":
        return f"saw {_named(data['doer'], names)} {content['skill']}: {content['result']}"
    place = content.get("place", ["", 0])
    return f"{data['sense']}: {_named(data['of'], names)} {place[0]} {_named(place[1], names)}"


def _matter(row: Row, data: Row, names: Mapping[int, str]) -> str:
    what = f" {data['action']} {_named(data.get('target', 0), names)}" if data.get("action") else ""
    reason = f" ({_reason(data['reason'])})" if data.get("reason") else ""
    end = f", outcome {data['outcome']}" if "outcome" in data else ""
    return f"{row['id']}{what}: {data['stance']}{reason}{end}"


_WORTH = {"cheap": "no call", "call": "one call", "reflect": "a call and {} samples"}


def _wake(wake: str, names: Mapping[int, str]) -> str:
    word, _, about = wake.partition(":")
    about = _named(int(about), names) if about.isdigit() else about.replace(":", " ").replace("_", " ")
    return f"{TEXTS.of('wake', word)} {about}".strip()


def _round(_: Row, data: Row, names: Mapping[int, str]) -> str:
    best = {each[0]: each for each in data["candidates"]}.get(data["choice"])
    what = f"{best[2]} {best[3]} ({best[7]})" if best else data["choice"]
    tie = f"{len(data['group'])} near the top" if len(data["group"]) > 1 else "a clear leader"
    asks = f"; worth asking: {_reason(data['ask'])}" if data["ask"] else ""
    if "effort" in data:
        its = data["effort"]
        asks += f"; worth {_WORTH[its['kind']].format(its['samples'])} ({its['reason']}, chance {its['chance']})"
    woken = ", ".join(_wake(each, names) for each in data["wakes"])
    return f"woken by {woken}: {len(data['candidates'])} candidates, {tie}, best {what}{asks}"


def _request(_: Row, data: Row, __: Mapping[int, str]) -> str:
    group = f" among {', '.join(data['group'])}" if data["group"] else ""
    return f"asked the model to {data['type']}{group} ({_reason(data['reason'])}), by tick {data['deadline']}"


def _answer(_: Row, data: Row, __: Mapping[int, str]) -> str:
    return f"{data['type']} by {data['by']}: {data['effect']}"


def _part(_: Row, data: Row, __: Mapping[int, str]) -> str:
    return f"{data['what']} goes out, due at tick {data['due']}"


def _reply(_: Row, data: Row, __: Mapping[int, str]) -> str:
    return (
        f"no reply: {_reason(data['failure'])}"
        if data["failure"]
        else f"{data['model'] or 'the model'}: {data['raw']}"
    )


def _ruling(_: Row, data: Row, __: Mapping[int, str]) -> str:
    said = [
        data["what"],
        _reason(data["end"]) if data["end"] != data["what"] else "",
        data["choice"],
        _reason(data["reason"]),
        _reason(data["fault"] or ""),
    ]
    return "ruled: " + ", ".join(each for each in said if each)


def _commit(_: Row, data: Row, __: Mapping[int, str]) -> str:
    what = " ".join(each for each in (data["act"], data["task"], data["matter"]) if each)
    label = f", labelled {data['label']}" if data["label"] else ""
    return f"decided by {data['decided_by']}: {data['choice']} = {what} ({data['score']}){label}"


def _task(row: Row, data: Row, _: Mapping[int, str]) -> str:
    reason = f" ({_reason(data['reason'])})" if data.get("reason") else ""
    source = f" from {data['source']}" if data.get("source") else ""
    return f"{row['id']} {data['task']}: {data['state']}{reason}{source}"


def _skill(_: Row, data: Row, __: Mapping[int, str]) -> str:
    if data["words"]:
        return f'says "{data["words"]["text"]}"'
    return f"moves to {data['skill']} {' '.join(data['world'].values())}".rstrip()


def _experience(_: Row, data: Row, __: Mapping[int, str]) -> str:
    its = data["row"]
    return f"remembers {its[2]} {its[4]}: {its[5]}, reward {its[6]}"


def _learn(row: Row, data: Row, _: Mapping[int, str]) -> str:
    more = (
        f", confidence {data['confidence']}"
        if "confidence" in data
        else f", {data['effort']} {data['why']}, by {data['experience']}"
        if "effort" in data
        else f", {_reason(data['why'])}"
        if "why" in data
        else ""
    )
    return f"learned about {row['id']} ({data['domain']}){more}"


def _belief(row: Row, data: Row, names: Mapping[int, str]) -> str:
    ordinal = row["id"].rpartition("-")[2]
    thing = _named(int(ordinal), names) if ordinal.isdigit() else row["id"]
    news = data.get("news") or data.get("props") or ({"lost": True} if data.get("lost") else {})
    return f"believes now of {thing}: " + ", ".join(f"{key} {value}" for key, value in news.items())


def _relation(row: Row, data: Row, _: Mapping[int, str]) -> str:
    return f"the relation to {row['id']} changed ({data['domain']})"


def _boundary(row: Row, data: Row, _: Mapping[int, str]) -> str:
    return f"draws a line: {row['id']} {data['stance']}"


def _done(row: Row, data: Row, _: Mapping[int, str]) -> str:
    if "task" not in data:
        return f"{row['kind']} {row['id']}: {data.get('state', '')} ({_reason(data.get('reason', ''))})"
    return f"{row['kind']} {row['id']} served by {data['task']}"


def _pattern(_: Row, data: Row, __: Mapping[int, str]) -> str:
    return f"{data['by']} {data['event']} {data['pattern']}, seen {data['count']} times"


def _thought(row: Row, data: Row, _: Mapping[int, str]) -> str:
    return f"{row['id']} ({data['type']}) {data['key']}: {data['pros']} for, {data['cons']} against, confidence {data['confidence']}"


def _dream(_: Row, data: Row, __: Mapping[int, str]) -> str:
    return f"the gate on {data['pattern']}: {data['verdict']}"


def _intuition(row: Row, data: Row, _: Mapping[int, str]) -> str:
    verdict = f", {data['verdict']}" if data.get("verdict") else ""
    return f"{row['id'] or 'the library'} {data['event']}{verdict}" + (f" ({data['description']})" if data.get("description") else "")


def _favour(_: Row, data: Row, names: Mapping[int, str]) -> str:
    return f"the favour {data['action']} {_named(data['target'], names)}: {data['state'].replace('_', ' ')}"


def _doubt(_: Row, data: Row, __: Mapping[int, str]) -> str:
    sure = "unsaid" if data["confidence"] is None else f"{data['confidence']} of 100"
    return f"{data['action']}: confidence {sure}"


def _reflection(_: Row, data: Row, __: Mapping[int, str]) -> str:
    return f"looked back ({data['why']}): {data['nominated']} patterns put to the gate, {data['formed']} intuitions formed"


def _note(_: Row, data: Row, __: Mapping[int, str]) -> str:
    return str(data["what"]).replace("_", " ") + (f': "{data["words"]["text"]}"' if isinstance(data.get("words"), Mapping) else "")


def _control(_: Row, data: Row, __: Mapping[int, str]) -> str:
    return f"system: {data['op']}"


TELLERS: dict[str, Callable[[Row, Row, Mapping[int, str]], str]] = {
    "input": _input, "receipt": _receipt, "feedback": _feedback, "control": _control, "fact": _fact, "percept": _percept,
    "matter": _matter, "round": _round, "request": _request, "part": _part, "reply": _reply, "ruling": _ruling, "answer": _answer,
    "commit": _commit, "task": _task, "skill": _skill, "experience": _experience, "learn": _learn, "belief": _belief,
    "relation": _relation, "boundary": _boundary, "practice": _done, "goal": _done,
    "pattern": _pattern, "thought": _thought, "dream": _dream, "intuition": _intuition, "favour": _favour, "step": _doubt,
    "reflection": _reflection, "note": _note,
}  # fmt: skip
