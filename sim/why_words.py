"""One line of plain English for each kind of record, for the causal chain. World names, since the reader may know all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Row = Mapping[str, Any]
TEXT_MAX = 160


def words_of(row: Row, names: Mapping[int, str]) -> str:
    """Return what *row* says, in one line. *names* maps the resident's ordinals to world ids."""
    teller = TELLERS.get(row["kind"])
    text = row["kind"] if teller is None else teller(row, row["data"], names)
    return text if len(text) <= TEXT_MAX else text[: TEXT_MAX - 1] + "…"


def _named(ordinal: int, names: Mapping[int, str]) -> str:
    return names.get(ordinal, f"#{ordinal}") if ordinal else "nothing"


def _input(_: Row, data: Row, __: Mapping[int, str]) -> str:
    said = f' "{data["text"]}"' if data["text"] else ""
    on = " ".join(each for each in (data["object"], data["target"]) if each)
    return f"the visitor ({data['source']}): {data['channel']} {data['op']}{' ' + on if on else ''}{said}"


def _receipt(_: Row, data: Row, __: Mapping[int, str]) -> str:
    return f"the gate: {data['status']}" + (f", {data['reason']}" if data["reason"] else "")


def _feedback(_: Row, data: Row, __: Mapping[int, str]) -> str:
    if "perceived" not in data:
        return f"the resident takes the voice as {data.get('stance', '')}"
    parts = ["perceived" if data["perceived"] else "not perceived"]
    parts += [f"{key} {data[key]}" for key in ("stance", "outcome", "reason") if data[key]]
    return "the visitor is told: " + ", ".join(parts)


def _fact(_: Row, data: Row, __: Mapping[int, str]) -> str:
    inner = data["data"]
    who, what = data["doer"] or "the room", data["fact"]
    on = f" {data['subject']}" if data["subject"] else ""
    if what == "skill_ended":
        return f"{who} ended {data['skill']}{on}: {inner['result']}" + (
            f" ({inner['failure']})" if inner.get("failure") else ""
        )
    if what == "skill_started":
        return f"{who} began {data['skill']}{on}"
    if what == "skill_refused":
        return f"{who} could not {data['skill']}{on}: {inner.get('predicate') or inner.get('reason')}"
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
        failed = f" ({content['failure']})" if content["failure"] else ""
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
    reason = f" ({data['reason']})" if data.get("reason") else ""
    end = f", outcome {data['outcome']}" if "outcome" in data else ""
    return f"{row['id']}{what}: {data['stance']}{reason}{end}"


_WORTH = {"cheap": "no call", "call": "one call", "reflect": "a call and {} samples"}


def _round(_: Row, data: Row, __: Mapping[int, str]) -> str:
    best = {each[0]: each for each in data["candidates"]}.get(data["choice"])
    what = f"{best[2]} {best[3]} ({best[7]})" if best else data["choice"]
    tie = f"{len(data['group'])} near the top" if len(data["group"]) > 1 else "a clear leader"
    asks = f"; worth asking: {data['ask']}" if data["ask"] else ""
    if "effort" in data:
        its = data["effort"]
        asks += f"; worth {_WORTH[its['kind']].format(its['samples'])} ({its['reason']}, chance {its['chance']})"
    return (
        f"woken by {', '.join(data['wakes'])}: {len(data['candidates'])} candidates, {tie}, best {what}{asks}"
    )


def _request(_: Row, data: Row, __: Mapping[int, str]) -> str:
    group = f" among {', '.join(data['group'])}" if data["group"] else ""
    return f"asked the model to {data['type']}{group} ({data['reason']}), by tick {data['deadline']}"


def _answer(_: Row, data: Row, __: Mapping[int, str]) -> str:
    return f"{data['type']} by {data['by']}: {data['effect']}"


def _part(_: Row, data: Row, __: Mapping[int, str]) -> str:
    return f"{data['what']} goes out, due at tick {data['due']}"


def _reply(_: Row, data: Row, __: Mapping[int, str]) -> str:
    return (
        f"no reply: {data['failure']}"
        if data["failure"]
        else f"{data['model'] or 'the model'}: {data['raw']}"
    )


def _ruling(_: Row, data: Row, __: Mapping[int, str]) -> str:
    said = [
        data["what"],
        data["end"] if data["end"] != data["what"] else "",
        data["choice"],
        data["reason"],
        data["fault"] or "",
    ]
    return "ruled: " + ", ".join(each for each in said if each)


def _commit(_: Row, data: Row, __: Mapping[int, str]) -> str:
    what = " ".join(each for each in (data["act"], data["task"], data["matter"]) if each)
    label = f", labelled {data['label']}" if data["label"] else ""
    return f"decided by {data['decided_by']}: {data['choice']} = {what} ({data['score']}){label}"


def _task(row: Row, data: Row, _: Mapping[int, str]) -> str:
    reason = f" ({data['reason']})" if data.get("reason") else ""
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
        else f", {data['why']}"
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
    return f"{row['kind']} {row['id']} served by {data['task']}"


def _control(_: Row, data: Row, __: Mapping[int, str]) -> str:
    return f"system: {data['op']}"


TELLERS: dict[str, Callable[[Row, Row, Mapping[int, str]], str]] = {
    "input": _input, "receipt": _receipt, "feedback": _feedback, "control": _control, "fact": _fact, "percept": _percept,
    "matter": _matter, "round": _round, "request": _request, "part": _part, "reply": _reply, "ruling": _ruling, "answer": _answer,
    "commit": _commit, "task": _task, "skill": _skill, "experience": _experience, "learn": _learn, "belief": _belief,
    "relation": _relation, "boundary": _boundary, "practice": _done, "goal": _done,
}  # fmt: skip
