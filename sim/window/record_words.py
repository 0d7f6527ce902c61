"""One record as a line for people: an icon and a sentence. For the inspector, the chain and the text replay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.stage import Stage
from sim.window.texts import Texts, table

ICONS = {
    "input": "hand-front-right", "receipt": "shield-check", "feedback": "message-text", "control": "cog",
    "request": "brain", "part": "brain",
    "reply": "message-text", "ruling": "shield-check", "round": "head-dots-horizontal", "commit": "check-circle",
    "favour": "handshake", "task": "progress-clock",
    "skill": "walk", "fact": "eye", "percept": "ear-hearing", "belief": "thought-bubble", "matter": "handshake", "learn": "book",
    "boundary": "block-helper", "relation": "account", "note": "message-text", "end": "stop", "practice": "clock-outline", "goal": "target",
    "experience": "book", "digest": "check-bold",
}  # fmt: skip
TOLD = (
    "input",
    "receipt",
    "control",
    "request",
    "ruling",
    "round",
    "commit",
    "task",
    "fact",
    "matter",
    "favour",
    "boundary",
    "note",
    "end",
)
"""Kinds that a text replay tells; the rest with --all."""


def icon_of(row: Mapping[str, Any]) -> str:
    """Return the icon of a record."""
    if row["kind"] == "fact":
        return {
            "speech": "chat",
            "event": "bell",
            "sound": "bell",
            "entered": "door-open",
            "left": "door",
        }.get(row["data"]["fact"], "eye")
    return ICONS.get(row["kind"], "help-circle-outline")


def words_of(texts: Texts, stage: Stage, ordinals: Mapping[int, str], row: Mapping[str, Any]) -> str:
    """Return a record as a sentence. *ordinals* are the resident's numbers for things."""
    teller = TELLERS.get(row["kind"])
    if teller is None:
        return f"{row['kind']} {row['id']}"
    return str(teller(texts, stage, ordinals, row, row["data"]))


def _asks(texts: Texts, favour: str) -> str:
    return texts.of("act", "ask_help") + texts.of("favour", favour)


def _task_name(texts: Texts, task: str) -> str:
    return texts.of("task", task) if task in table()["task"] else task.replace("_", " ")


def _input(texts: Texts, stage: Stage, _ordinals: Any, _row: Any, data: Any) -> str:
    what = (
        f"“{data['text']}”"
        if data["text"]
        else " ".join(texts.name(stage, data[key]) for key in ("object", "target") if data[key])
    )
    mark = f" ({texts(data['mark'])})" if data["mark"] in ("claim", "request", "suggestion", "plain") else ""
    return f"{texts.of('channel', data['channel'])} · {texts.of('op', data['op'])} {what}{mark}"


def _receipt(texts: Texts, _stage: Any, _ordinals: Any, _row: Any, data: Any) -> str:
    return texts.reason(data["reason"]) if data["status"] == "denied" else texts("let_in")


def _feedback(texts: Texts, _stage: Any, _ordinals: Any, row: Any, data: Any) -> str:
    if "perceived" not in data:
        return f"{row['id']}"
    seen = texts.of("perceived", "yes" if data["perceived"] else "no")
    parts = [
        seen,
        texts.of("stance", data["stance"] or "none"),
        texts.of("outcome", data["outcome"] or "none"),
    ]
    return " › ".join(parts) + (f" · {texts.reason(data['reason'])}" if data["reason"] else "")


def _control(texts: Texts, _stage: Any, _ordinals: Any, _row: Any, data: Any) -> str:
    return texts.of("op", data["op"])


def _request(texts: Texts, _stage: Any, _ordinals: Any, row: Any, data: Any) -> str:
    return f"{texts('request_mark')} {row['id']}: {data['type']} ({', '.join(data['group'])})"


def _ruling(texts: Texts, _stage: Any, _ordinals: Any, row: Any, data: Any) -> str:
    because = f"“{data['because']}”" if data.get("because") else ""
    said = [texts.reason(data["end"]) or data["what"], data["choice"], *_once(texts, data["reason"], data["fault"] or ""), because]
    return f"{row['id']}: {' '.join(each for each in said if each)}"


def _once(texts: Texts, *codes: str) -> list[str]:
    """Return reason codes in words, each said once."""
    return list(dict.fromkeys(texts.reason(code) for code in codes if code))


def _wake(texts: Texts, stage: Stage, ordinals: Mapping[int, str], wake: str) -> str:
    """Return why a round was called for: a word, and the thing or task it is about."""
    word, _, about = wake.partition(":")
    if about.isdigit():
        about = texts.name(stage, ordinals.get(int(about), ""))
    elif about in table()["task"]:
        about = texts.of("task", about)
    elif about in table()["need"]:
        about = texts.of("need", about)
    return f"{texts.of('wake', word)} {about}".strip()


def _round(texts: Texts, stage: Stage, ordinals: Mapping[int, str], row: Any, data: Any) -> str:
    best = data["candidates"][0] if data["candidates"] else None
    asks = best is not None and best[2] == "ask_help"
    name = "-" if best is None else _asks(texts, best[3]) if asks else _task_name(texts, best[3])
    return (
        f"{row['id']} [{', '.join(_wake(texts, stage, ordinals, each) for each in data['wakes'][:3])}] → {name} {best[7] / 1000:.2f}"
        if best
        else row["id"]
    )


def _commit(texts: Texts, _stage: Any, _ordinals: Any, _row: Any, data: Any) -> str:
    task = _task_name(texts, data["task"]) if data["task"] else data["matter"]
    told = _asks(texts, data["task"]) if data["act"] == "ask_help" else f"{texts.of('act', data['act'])}{task}"
    return f"{told} · {texts.of('decided', data['decided_by'])} · {data['score'] / 1000:.2f}"


def _task(texts: Texts, stage: Stage, ordinals: Mapping[int, str], _row: Any, data: Any) -> str:
    names = [texts.name(stage, ordinals.get(number, "")) for number in data.get("roles", {}).values()]
    things = ", ".join(dict.fromkeys(filter(None, names)))
    told = f"{_task_name(texts, data['task'])}{f' ({things})' if things else ''} · {texts.of('task_state', data['state'])}"
    reason = texts.reason(data.get("reason", ""))
    return f"{told} · {reason}" if reason else told


def _skill(texts: Texts, stage: Stage, _ordinals: Any, _row: Any, data: Any) -> str:
    thing = next(iter(data["world"].values()), "")
    return texts.of("skill", data["skill"]).format(x=texts.name(stage, thing))


def _fact(texts: Texts, stage: Stage, _ordinals: Any, _row: Any, data: Any) -> str:
    who = texts.name(stage, data["doer"]) if data["doer"] else ""
    inner, kind = data["data"], data["fact"]
    if kind == "speech":
        return f"{who}: “{inner.get('words', {}).get('text', '')}”"
    if kind in ("event", "sound"):
        return texts.of("happening", str(inner.get("event") or inner.get("sound")))
    if kind in ("skill_started", "skill_ended", "skill_refused"):
        thing = next(iter(inner.get("roles", {}).values()), data["subject"])
        act = texts.of("skill", data["skill"]).format(x=texts.name(stage, thing))
        end = ""
        if kind == "skill_ended":
            end = (
                f" · {texts.of('outcome', 'done')}"
                if inner["result"] == "ok"
                else f" · {texts.of('result', inner['result'])}: {texts.reason(inner['failure'])}".removesuffix(": ")
            )
        elif kind == "skill_refused":
            end = f" · {texts.of('outcome', 'failed')}: {texts.reason(inner['predicate'] or inner['reason'])}"
        return f"{who}: {act}{end}"
    if kind == "state":
        value = inner["new"]
        name = texts.name(stage, data["subject"])
        if inner["prop"] == "place":
            return f"{name}: {texts.place(stage, value[0], value[1])}"
        return f"{name}: {texts.prop(inner['prop'], value) if isinstance(value, int) else value}"
    if kind in ("entered", "left"):
        return f"{who}: {texts.of('op', 'enter' if kind == 'entered' else 'leave')}"
    return f"{kind} {who} {texts.name(stage, data['subject'])}".strip()


def _percept(texts: Texts, stage: Stage, ordinals: Mapping[int, str], _row: Any, data: Any) -> str:
    thing = texts.name(stage, ordinals.get(data["of"], ""))
    content = data["content"]
    told = (
        content.get("text")
        or content.get("sound")
        or content.get("change")
        or content.get("result")
        or content.get("kind")
        or ""
    )
    return f"{data['sense']} {data['what']}: {thing} {told}".strip()


def _belief(texts: Texts, stage: Stage, ordinals: Mapping[int, str], row: Any, data: Any) -> str:
    tail = row["id"].rpartition("-")[2]
    thing = texts.name(stage, ordinals.get(int(tail), "")) if tail.isdigit() else ""
    news = ", ".join(
        f"{name}: {pair[0]} → {pair[1]}" for name, pair in data.get("news", {}).items() if name != "cell"
    )
    return f"{texts('believed')}: {thing} {news}".strip()


def _matter(texts: Texts, stage: Stage, ordinals: Mapping[int, str], row: Any, data: Any) -> str:
    thing = texts.name(stage, ordinals.get(data.get("target", 0), ""))
    stance = texts.of("stance", data["stance"]) if data.get("stance") else ""
    action = str(data.get("action", ""))
    named = texts.of("task", f"{action}_it") if f"{action}_it" in table()["task"] else texts.of("op", action)
    about = " ".join(filter(None, (named if action else "", thing)))
    outcome = texts.of("outcome", data["outcome"]) if data.get("outcome") else ""
    return " · ".join(filter(None, (f"{row['id']} {about}".strip(), stance, outcome, texts.reason(data.get("reason", "")))))


def _favour(texts: Texts, stage: Stage, ordinals: Mapping[int, str], _row: Any, data: Any) -> str:
    thing = texts.name(stage, ordinals.get(data["target"], ""))
    return f"{_asks(texts, data['action'])} {thing} · {texts.of('favour_state', data['state'])}"


def _boundary(texts: Texts, _stage: Any, _ordinals: Any, row: Any, data: Any) -> str:
    channel, _, theme = row["id"].partition("/")
    about = f" ({theme})" if theme else ""
    return f"{texts.of('channel', channel)}{about}: {texts.of('channel_state', data['stance'])}"


def _learn(_texts: Texts, _stage: Any, _ordinals: Any, row: Any, data: Any) -> str:
    return f"{data['domain']}: {row['id']}"


def _end(_texts: Texts, _stage: Any, _ordinals: Any, _row: Any, data: Any) -> str:
    return f"{data['status']} {data['digest']}"


TELLERS = {
    "input": _input, "receipt": _receipt, "feedback": _feedback, "control": _control, "request": _request, "ruling": _ruling,
    "round": _round, "commit": _commit, "task": _task, "skill": _skill, "fact": _fact, "percept": _percept, "belief": _belief,
    "favour": _favour, "boundary": _boundary, "matter": _matter, "learn": _learn, "end": _end,
}  # fmt: skip
