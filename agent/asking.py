"""From a near-tie group to a request: the eight parts of its context, and what the answer rests on.

Nothing enters that the resident has not perceived; the source of an inner voice is not among it, because the mind
does not have it. What a person said stands as data, with its speaker and kind.
"""

from __future__ import annotations

from typing import Any

from agent import uncertainty
from agent.arbiter import rebind
from agent.candidates import Candidate
from agent.memory import Experience
from agent.mind import Mind
from agent.needs import INDEX, band, mood
from agent.question import Draft, Question
from agent.request import Dep, Request, make_request
from agent.round import Thought
from agent.subconscious import preactivation
from agent.words import language_of

ACTS = {
    "en": {"start": "begin: {task}", "continue": "go on: {task}", "resume": "take up again: {task}", "accept": "say yes to: {matter}",
           "refuse": "say no to: {matter}", "postpone": "say later to: {matter}", "negotiate": "talk about: {matter}",
           "ask_help": "ask the visitor for help: {task}"},
    "zh": {"start": "开始：{task}", "continue": "继续：{task}", "resume": "重新接着做：{task}", "accept": "答应：{matter}",
           "refuse": "拒绝：{matter}", "postpone": "推迟：{matter}", "negotiate": "商量：{matter}", "ask_help": "请来访者帮忙：{task}"},
}  # fmt: skip
OBSERVED_MAX = 6


def describe(mind: Mind, candidate: Candidate, language: str) -> str:
    """Return *candidate* in a few words."""
    things = [mind.name_of(o, language) for o in candidate.roles.values() if o in mind.beliefs.things]
    task = candidate.task.replace("_", " ") + (f" ({', '.join(things)})" if things else "")
    matter = mind.matters.get(candidate.matter)
    asked = "" if matter is None else f"{matter.action} {mind.name_of(matter.target, language)}".strip()
    if matter is not None and mind.thing(matter.place) is not None:
        asked += f" -> {mind.name_of(matter.place, language)}"
    return ACTS[language][candidate.act].format(task=task, matter=asked)


def dependencies(mind: Mind, group: list[Candidate]) -> tuple[Dep, ...]:
    """Return what a choice in *group* rests on: the things, persons, matters and commitments it names."""
    found: dict[Dep, bool] = {}
    for one in group:
        for ordinal in one.roles.values():
            thing = mind.thing(ordinal)
            if thing is not None:
                found["thing", ordinal, thing.version] = True
        if one.person:
            found["person", one.person, mind.relations.person(one.person).version] = True
        if one.matter:
            found["matter", serial(one.matter), mind.matters[one.matter].version] = True
        if one.commitment:
            found["commitment", serial(one.commitment), mind.commitments[one.commitment].version] = True
    return tuple(sorted(found))


def versions_now(mind: Mind, deps: tuple[Dep, ...]) -> dict[tuple[str, int], int]:
    """Return the present version of each thing in *deps*; what is gone is missing."""
    now: dict[tuple[str, int], int] = {}
    for kind, ordinal, _ in deps:
        if kind == "thing":
            thing = mind.thing(ordinal)
            if thing is not None:
                now[kind, ordinal] = thing.version
        elif kind == "person":
            now[kind, ordinal] = mind.relations.person(ordinal).version
        elif kind == "matter" and f"mat-{ordinal}" in mind.matters:
            now[kind, ordinal] = mind.matters[f"mat-{ordinal}"].version
        elif kind == "commitment" and f"com-{ordinal}" in mind.commitments:
            now[kind, ordinal] = mind.commitments[f"com-{ordinal}"].version
    return now


def serial(name: str) -> int:
    """Return N of an id `kind-N`."""
    return int(name.rpartition("-")[2])


def obstacles(mind: Mind, group: list[Candidate]) -> dict[str, str]:
    """Return why a candidate of *group* can't be had now, "" where it can."""
    return {one.id: "" if rebind(mind, one) else "precondition" for one in group}


def ask(mind: Mind, thought: Thought, number: int, deadline_tick: int, epoch: int) -> Request:
    """Return the request for the near-tie group of *thought*."""
    group = [one.candidate for one in thought.ruling.group]
    matter = next((mind.matters[one.matter] for one in group if one.matter), None)
    language = language_of(matter.text if matter else "", mind.persona["language"])
    return make_request(
        number, "choose", tick=mind.tick, deadline_tick=deadline_tick, deps=dependencies(mind, group),
        context=_of_group(mind, thought, group, language), reason=thought.ruling.ask,
        group=tuple(one.id for one in group), language=language, epoch=epoch, confidence=uncertainty.asked(mind),
    )  # fmt: skip


def _of_group(mind: Mind, thought: Thought, group: list[Candidate], language: str) -> dict[str, Any]:
    scores = {one.candidate.id: one.score for one in thought.ruling.group}
    rows = [
        {"id": one.id, "text": describe(mind, one, language), "score": scores[one.id], "source": one.source,
         "marks": sorted({*one.touches, *(["promise"] if one.commitment and one.source == "goal" else [])})}
        for one in group
    ]  # fmt: skip
    things = tuple({o: True for one in group for o in one.roles.values()})
    persons = tuple({one.person: True for one in group if one.person})
    return context(mind, language, rows, things=things, persons=persons, tasks=tuple(one.task for one in group))


def put(mind: Mind, question: Question, draft: Draft, number: int, deadline_tick: int, epoch: int) -> Request:
    """Return the request for *question*, one of the six types beside choose."""
    language = language_of(draft.heard, mind.persona["language"])
    found = context(mind, language, list(draft.rows), things=draft.things, persons=draft.persons, tasks=draft.tasks)
    found["observations"] = [*found["observations"], *draft.observations]
    if draft.memories is not None:
        found["memories"] = list(draft.memories)
    return make_request(
        number, question.type, tick=mind.tick, deadline_tick=deadline_tick, deps=draft.deps, context=found, reason=question.reason,
        refs=draft.refs, origins=draft.origins, language=language, epoch=epoch,
    )  # fmt: skip


def context(
    mind: Mind, language: str, rows: list[dict[str, Any]], *, things: tuple[int, ...], persons: tuple[int, ...], tasks: tuple[str, ...],
) -> dict[str, Any]:  # fmt: skip
    """Return the seven parts that the mind fills; *rows* are the listed possibilities, the rest what the question is about."""
    persona = mind.persona
    pleasure, arousal = mood(mind, mind.tick)
    pressing = {need: band(mind.felt[at], mind.params) for need, at in INDEX.items() if mind.felt[at] < mind.params.comfortable}
    current = mind.intention()
    return {
        "identity": {
            "name": persona["names"][language], "role": persona["role"], "values": persona["values"],
            "abilities": persona["abilities"], "tendencies": persona["tendencies"],
            "goals": [goal["title"][language] for goal in persona["goals"]],
        },
        "state": {
            "summary": ", ".join(f"{need} {how}" for need, how in pressing.items()) or "comfortable",
            "needs": pressing, "pleasure": pleasure, "arousal": arousal, "clock_minutes": mind.clock_ms // 60_000,
            **uncertainty.shown(mind),
        },
        "commitment": {} if current is None else {
            "text": current.task.replace("_", " "), "id": current.id, "step": current.step, "held": current.hold_tick > mind.tick,
            "failed_methods": list(current.failed),
        },
        "observations": _observed(mind, language),
        "memories": [memory_row(one) for one in preactivation.recall(mind, (*persons, *things), tasks)],
        "candidates": rows,
        "setting": {
            "audience": [mind.name_of(person, language) for person in mind.present], "own_role": "resident",
            "other_role": persona["role"], "public": bool(mind.present), "rules": [rule["id"] for rule in persona["rules"]],
            "boundaries": [line["id"] for line in persona["boundaries"]],
            "reliability": {str(person): dict(mind.relations.person(person).reliability) for person in persons},
        },
    }  # fmt: skip


def _observed(mind: Mind, language: str) -> list[dict[str, Any]]:
    """Return what was put to the resident and noticed, newest last, with where it comes from."""
    found = [
        {"kind": matter.mark, "source": "heard", "speaker": mind.name_of(matter.speaker, language), "words": matter.text,
         "stance": matter.stance, "asked": matter.asked}
        for matter in mind.matters.values()
        if matter.stance in ("considering", "negotiating", "postponed")
    ]  # fmt: skip
    for ordinal, percept in mind.notable.items():
        found.append({"kind": "change", "source": percept.sense, "text": mind.name_of(ordinal, language)})
    for voice in mind.voices.values():
        if voice.state == "unresolved":
            text = f"{voice.action} {mind.name_of(voice.target, language)}".strip()
            found.append({"kind": "thought", "source": "thought", "text": text})
    return found[-OBSERVED_MAX:]


def memory_row(one: Experience) -> dict[str, Any]:
    """Return an experience as a request shows it."""
    return {"id": f"exp-{one.ordinal}", "did": one.action, "came_of_it": one.outcome, "reward": one.reward, "source": one.source}
