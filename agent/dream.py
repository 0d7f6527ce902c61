"""Dream: the offline part of the slow loop. Nominated patterns are distilled and put to the gate; what passes is an intuition.

The gate (spec 02, 5.3) asks of the newest experiences of one exact pattern since it was last removed: more independent
origins with the common outcome than theta_freq, a mean reward above theta_reward, no conflict with an L4 rule, and
that the distilled trigger holds for experiences it was not distilled from: each third one is held out.
"""

from __future__ import annotations

from dataclasses import dataclass

from agent import intuition, scene, thoughts
from agent.inner import Intuition, Nomination
from agent.memory import Experience
from agent.mind import Mind

CASES_MAX = 12  # the newest experiences of a pattern: what it has been like of late; chosen
HOLD_OUT = 3  # each third experience
HELD_SHARE = 667  # thousandths of the held-out ones that must bear it out
DESCRIPTION_MAX = 50


@dataclass(frozen=True, slots=True)
class Distilled:
    """A pattern as distilled, and the gate's word on it."""

    verdict: str
    frequency: int
    mean_reward: int
    outcome: str
    vector: bytes
    supports: tuple[int, ...]
    held_out: tuple[int, ...]
    held: int


def dream(mind: Mind) -> tuple[int, int]:
    """Put every nominated pattern to the gate; return how many were, and how many intuitions were formed."""
    inner = mind.inner
    held = {one.pattern: one.id for one in inner.library.values()}
    asked = formed = 0
    for nomination in list(inner.nominations.values()):
        if nomination.pattern in held:
            del inner.nominations[nomination.pattern]
            continue
        since = inner.removed.get(nomination.pattern, 0)
        lived = mind.memory.count_pattern(nomination.pattern, since)
        if lived == nomination.lived:
            continue  # Nothing new since the last dream.
        nomination.lived = lived
        asked += 1
        cases = mind.memory.of_pattern(nomination.pattern, since, CASES_MAX)
        found = distil(mind, nomination, cases)
        name = ""
        if found.verdict == "formed":
            name = form(mind, nomination, found)
            formed += 1
        if found.verdict != "frequency":
            # Too rare so far: it waits for more. Anything else has to be put forward anew, by S1 too, after as many repeats again.
            del inner.nominations[nomination.pattern]
            if not name:
                inner.latent.pop(nomination.pattern, None)
        mind.note(
            "dream", name, pattern=nomination.pattern, cluster=nomination.cluster, by=nomination.by, verdict=found.verdict,
            frequency=found.frequency, mean_reward=found.mean_reward, outcome=found.outcome, supports=list(found.supports),
            held_out=list(found.held_out), held=found.held, since=since,
        )  # fmt: skip
    inner.chain("dream", mind.tick, asked, formed)
    return asked, formed


def distil(mind: Mind, nomination: Nomination, cases: list[Experience]) -> Distilled:
    """Return what is common to *cases* and whether it passes the gate."""
    params = mind.params
    if not cases:
        return Distilled("frequency", 0, 0, "", b"", (), (), 0)
    counts: dict[str, int] = {}
    for one in cases:
        counts[one.outcome] = counts.get(one.outcome, 0) + 1
    outcome = max(counts, key=lambda name: (counts[name], name))
    origins = {one.origin: True for one in cases if one.outcome == outcome}
    mean = sum(one.reward for one in cases) // len(cases)
    kept = [one for at, one in enumerate(cases) if at % HOLD_OUT != HOLD_OUT - 1]
    out = [one for at, one in enumerate(cases) if at % HOLD_OUT == HOLD_OUT - 1]
    sums = [sum(column) for column in zip(*(scene.unpack(one.vector) for one in kept), strict=True)]
    vector = scene.pack([total // len(kept) if total >= 0 else -(-total // len(kept)) for total in sums])
    held = sum(
        one.outcome == outcome and one.reward >= 500 and scene.similarity(vector, one.vector) > params.theta_sim for one in out
    )
    label = nomination.pattern.rpartition(">")[2]
    if len(origins) <= params.theta_freq:
        verdict = "frequency"
    elif mean <= params.theta_reward:
        verdict = "reward"
    elif against_rules(mind, label):
        verdict = "conflict"
    elif not out or 1000 * held // len(out) < HELD_SHARE:
        verdict = "held_out"
    elif len(mind.inner.library) >= params.library_max:
        verdict = "full"
    else:
        verdict = "formed"
    return Distilled(
        verdict, len(origins), mean, outcome, vector, tuple(one.ordinal for one in cases), tuple(one.ordinal for one in out), held
    )


def against_rules(mind: Mind, label: str) -> str:
    """Return the id of an L4 rule that always forbids what *label* does, or "".

    Rules with hours, places or roles judge the moment, not the pattern.
    """
    words = label.split(":")
    verbs: tuple[str, ...]
    if words[0] in scene.STANCES:
        if words[0] != "accept":
            return ""
        verbs, kind = (words[1],), words[2]
    else:
        task = mind.book.tasks.get(words[1])
        verbs, kind = (() if task is None else task.verbs), ""
    for rule in mind.persona["rules"]:
        bound = rule.get("hours_ms") or rule.get("region") or rule.get("role")
        if rule["kind"] != "forbid" or bound or not verbs:
            continue
        if rule.get("action") in ("", None, *verbs) and rule.get("target_kind") in ("", None, kind):
            return str(rule["id"])
    return ""


def form(mind: Mind, nomination: Nomination, found: Distilled) -> str:
    """Take a distilled pattern into the library, with links to its thoughts and experiences; return its id."""
    inner = mind.inner
    trigger, _, label = nomination.pattern.rpartition(">")
    cases = [mind.memory.items[at] for at in found.supports]
    good = sum(one.outcome == found.outcome and one.reward >= 500 for one in cases)
    origins = {one.origin: True for one in cases}
    one = Intuition(
        inner.mint("itu"), trigger, label, found.vector, found.outcome, mind.tick, describe(label, trigger),
        base=[len(cases), good], supports=list(found.supports), last_tick=mind.tick,
    )  # fmt: skip
    one.thoughts = [
        thought.id for thought in inner.thoughts.values()
        if thought.label == label and thought.settled and any(origin in origins for origin in (*thought.support, *thought.counter))
    ]  # fmt: skip
    inner.library[one.id] = one
    inner.changed_library()
    intuition.note(
        mind, one, "formed", scene=trigger, label=label, vector=scene.unpack(one.vector), outcome=one.outcome,
        description=one.description, supports=list(one.supports),
        thoughts=[[name, strength] for name, strength in links(mind, one)],
    )  # fmt: skip
    return one.id


def links(mind: Mind, one: Intuition) -> list[tuple[str, int]]:
    """Return the thoughts *one* stems from, each with the strength of the link in thousandths."""
    by_id = {thought.id: thought for thought in mind.inner.thoughts.values()}
    return [
        (name, intuition.link_strength(mind, scene.cosine(by_id[name].scene, scene.unpack(one.vector)), by_id[name].pros, one.verified))
        for name in one.thoughts if name in by_id
    ]  # fmt: skip


def describe(label: str, trigger: str) -> str:
    """Return an intuition in at most fifty characters."""
    around = trigger.partition("|")[0].split("/")
    company = "alone" if around[0] == "alone" else "in company"
    return f"{label.replace('_', ' ')}, {company}, {around[1]}"[:DESCRIPTION_MAX]


assert thoughts.KEPT >= CASES_MAX // HOLD_OUT, "a thought keeps origins enough to be traced to"
