"""What others put to the resident: which task a request means, and the stances that may be taken to it.

Accepting makes an obligation; it moves nothing by itself. A matter refused on grounds that still stand is not taken
up again, in whatever words it comes back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from agent.commitments import Matter
from agent.hindrances import CAUSES
from agent.mind import Mind
from agent.needs import INDEX
from agent.params import DAY_MS
from agent.percept import NOWHERE
from agent.planning import bind, feasible
from agent.skill import TaskTemplate

OFFER_WAIT_MS = 12 * 3_600_000  # a later time is offered only within this; chosen
Proposal = tuple[str, str, dict[str, int], dict[str, int], str]


@dataclass(frozen=True, slots=True)
class Offer:
    """A counter-offer: another task that can be done, or the same at another time (*due_tick*; 0 is now)."""

    task: str
    roles: dict[str, int]
    due_tick: int = 0


def rule_against(mind: Mind, action: str, target: int) -> str:
    """Return the id of the L4 rule or own boundary that forbids *action* on *target*, or ""."""
    bans = mind._bans.get(action)
    if bans is None:
        bans = mind._bans[action] = _bans_of(mind, action)
    if not bans[0] and not bans[1]:
        return ""
    thing = mind.thing(target)
    kind = "" if thing is None else thing.kind
    for rule in bans[0]:
        if _matches(mind, rule, kind):
            return str(rule["id"])
    for line in bans[1]:
        if line["theme"].get("target", "") in ("", kind):
            return str(line["id"])
    return ""


def _bans_of(mind: Mind, action: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rules and the lines of the persona that may forbid *action*; a persona never changes."""
    rules = [rule for rule in mind.persona["rules"] if rule["kind"] == "forbid" and rule.get("action") in ("", None, action)]
    # A line toward a whole channel says nothing of any deed.
    lines = [
        line for line in mind.persona["boundaries"]
        if line["stance"] in ("refuse", "blocked") and (line["theme"].get("action") or line["theme"].get("target"))
        and line["theme"].get("action", "") in ("", action)
    ]  # fmt: skip
    return rules, lines


def _matches(mind: Mind, rule: dict[str, Any], kind: str) -> bool:
    if rule.get("target_kind") not in ("", None, kind):
        return False
    hours = rule.get("hours_ms")
    if hours:
        begin, end = hours
        if (mind.clock_ms - begin) % DAY_MS >= (end - begin) % DAY_MS:
            return False
    if rule.get("role") and not mind.present:
        return False  # A rule about one's role toward somebody needs somebody.
    return rule.get("region") in ("", None, mind.region)


def rule_on(mind: Mind, matter: Matter) -> str:
    """Return the id of the rule or boundary that forbids what *matter* asks, with its thing or at its place, or ""."""
    found = rule_against(mind, matter.action, matter.target)
    return found or (rule_against(mind, matter.action, matter.place) if matter.place else "")


def task_for(mind: Mind, matter: Matter) -> tuple[str, dict[str, int], str]:
    """Return the task that *matter* asks for, its bound roles, and "" or why it can't be done."""
    templates = mind.book.by_verb.get(matter.action, ())
    meant, reason = (templates[0] if templates else ""), "unknown_place" if matter.place == NOWHERE else "unknown_action"
    for name in templates:
        task = mind.task(name)
        given = _given(mind, task, matter)
        if given is None:
            continue
        roles = bind(mind, task, given)
        if roles is None:
            reason = "unbound"
            continue
        meant = name if matter.place else meant
        lacking = feasible(mind, task, roles) or unsuited(mind, task, roles)
        if not lacking:
            return name, roles, ""
        reason = lacking
    return meant, {}, reason


def _given(mind: Mind, task: TaskTemplate, matter: Matter) -> dict[str, int] | None:
    """Return the roles that the asker named, or None if the target, or the place for it, has no role in *task*."""
    given: dict[str, int] = {}
    if bool(matter.place) != ("place" in task.roles and "object" in task.roles):
        return None
    if matter.place:
        return {"object": matter.target, "place": matter.place} if mind.thing(matter.target) and mind.thing(matter.place) else None
    if "person" in task.roles:
        given["person"] = matter.speaker
    if not matter.target:
        # Without a target only a task that needs none is meant.
        return given if not any(s.tag in ("thing", "region") for s in task.roles.values()) else None
    for role, selector in task.roles.items():
        if selector.tag == "thing" or matter.target in mind.tagged(selector.tag):
            given[role] = matter.target
            return given
    return None


def why_not(mind: Mind, matter: Matter) -> str:
    """Return the reason code of a refusal: a rule of one's own, what one can't do, or just unwilling."""
    forbidden = rule_on(mind, matter)
    if forbidden:
        return f"rule:{forbidden}"
    lacking = task_for(mind, matter)[2]
    return f"unable:{lacking}" if lacking else "unwilling"


def propose_for(mind: Mind, matter: Matter) -> Iterator[Proposal]:
    """Offer the stances to *matter* with the drives that speak for each."""
    params, tendencies = mind.params, mind.persona["tendencies"]
    relation = mind.relations.person(matter.speaker)
    good_will = (relation.reliability["requests"] + relation.reliability["conduct"] - 1000) // 8
    worn = 60 * (matter.asked - 1)
    forbidden = rule_on(mind, matter)
    task_id, roles, lacking = task_for(mind, matter)
    asked_for = matter.mark == "request"
    pull = params.request_pull if asked_for else params.request_pull * 6 // 10
    pull += good_will + tendencies["sociability"] // 8 - 60
    unable = f"rule:{forbidden}" if forbidden else lacking
    # Whatever the answer: that one is asked calls for one.
    courtesy = params.courtesy + tendencies["sociability"] // 10
    yield "accept", task_id, roles, {"obligation": max(0, pull), "salience": courtesy}, unable
    offer = counter_offer(mind, matter, forbidden, lacking)
    firm = 300 if (forbidden or lacking) and offer is None else 80 if offer is not None else 0
    refuse = params.refuse_pull + tendencies["caution"] // 8 - good_will + worn + firm
    yield "refuse", "", {}, {"salience": refuse + courtesy}, ""
    busy = mind.busy() and (mind.intention().hold_tick > mind.tick or mind.intention().pull > 220)  # type: ignore[union-attr]
    pressing = min(mind.felt[INDEX[need]] for need in ("bladder", "hydration", "satiety", "energy")) < params.urgent
    later = params.postpone_pull + tendencies["patience"] // 10 if busy or pressing else 60
    later = max(0, later - params.delay_cost * matter.delays)  # What was put off before is put off less easily.
    yield "postpone", task_id, roles, {"salience": later + courtesy}, unable
    if offer is not None:
        # Who may not or can't, and knows another way, says so before saying no; once, not for ever.
        yield "negotiate", offer.task, offer.roles, {"salience": max(0, params.offer_pull - 2 * worn) + courtesy}, ""


OFFERED = ("bring_it", "put_it", "open_it", "close_it", "fill_it", "wipe_surface", "do_dishes", "water_plant", "take_it")
"""What may be offered instead, in this order: small services with one thing."""


def counter_offer(mind: Mind, matter: Matter, forbidden: str, lacking: str) -> Offer | None:
    """Return what could be done instead of what may not or can't be done, or when; None if one simply could, or nothing is."""
    if forbidden:
        hours = next((rule.get("hours_ms") for rule in mind.persona["rules"] if rule["id"] == forbidden), None)
        if not hours:
            return None
        wait_ms = (hours[1] - mind.clock_ms) % DAY_MS
        return Offer("", {}, mind.tick + mind.ticks(wait_ms)) if wait_ms <= OFFER_WAIT_MS else None
    if not lacking or lacking.removeprefix("unable:") in CAUSES or mind.thing(matter.target) is None:
        return None  # Whose hands are full frees them, and asks again.
    thing = mind.beliefs.things[matter.target]
    for other in mind.tagged(f"kind:{thing.kind}"):
        # The same with another one of its kind.
        if other != matter.target:
            task_id, roles, lacks = task_for(mind, replace(matter, target=other))
            if task_id and not lacks:
                return Offer(task_id, roles)
    for name in OFFERED:
        task = mind.task(name)
        if matter.action in task.verbs:
            continue
        given = _given(mind, task, replace(matter, action="", place=0))
        bound = None if given is None else bind(mind, task, given)
        if bound is not None and not feasible(mind, task, bound) and not unsuited(mind, task, bound):
            return Offer(name, bound)
    return None


def unsuited(mind: Mind, task: TaskTemplate, roles: dict[str, int]) -> str:
    """Return the tag that a bound thing lacks for some step of *task*, or nothing: no step before could give it one."""
    for step in task.steps:
        skill = mind.book.skills[step.skill]
        bound = {name: roles.get(word, 0) for name, word in zip(skill.roles, step.roles, strict=True)}
        for wanted, name, *args in skill.pre:
            if name == "holding" and bound[str(args[0])] and not mind.has_tag(bound[str(args[0])], "portable"):
                return "is portable"
            if name == "is" and bound.get(str(args[0]), 0) and mind.has_tag(bound[str(args[0])], str(args[1])) != wanted:
                return f"is {args[1]}"
    return ""


def grounds(mind: Mind, matter: Matter) -> list[tuple[str, int, int]]:
    """Return what a stance to *matter* rests on now: (kind, ordinal, version)."""
    found = [("person", matter.speaker, mind.relations.person(matter.speaker).version)]
    thing = mind.thing(matter.target)
    if thing is not None:
        found.append(("thing", matter.target, thing.version))
    if matter.reason.startswith("unable:"):
        found.append(("able", 0, 0))
    return found


def unchanged(mind: Mind, matter: Matter) -> bool:
    """Return whether everything a refusal rested on is still as it was; what could not be done may be possible now."""
    for kind, ordinal, version in matter.grounds:
        if kind == "able" and not task_for(mind, matter)[2]:
            return False
        if kind == "person" and mind.relations.person(ordinal).version != version:
            return False
        if kind == "thing":
            thing = mind.thing(ordinal)
            if thing is None or thing.version != version:
                return False
    return True
