"""From a template to the next command: predicates over beliefs, binding of roles, and what is still lacking.

Theory of operation
===================
A commitment holds a template, its bound roles and the step it has come to. `next_command` asks each precondition of
that step's skill over the beliefs, in order. The first that does not hold is achieved by another registered skill
(`ACHIEVE`), asked the same way; what nothing can achieve is a `Stuck` with the predicate as its reason. So nothing is
planned ahead that a changed room could make false, and a resumed task simply goes on from what is so now.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agent.commitments import Commitment
from agent.hindrances import hindrance
from agent.mind import Mind
from agent.percept import SELF
from agent.skill import Command, Predicate, Selector, Step, TaskTemplate

DEPTH_MAX = 7
WAITS_MAX = 8
WAIT_MS = 120_000
AS_ASKED_MS = 12 * 3_600_000  # how long a thing is left where somebody asked for it to be put; chosen
AWAY = "person_away"  # why a task with somebody can't be had while they are not here
READABLE_LIGHT = 300  # thousandths of daylight; below it is too poor to read by, for every eye


@dataclass(frozen=True, slots=True)
class Stuck:
    """Nothing known achieves *predicate* for *ordinal*."""

    predicate: str
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class Finished:
    """Every step is done."""


Next = Command | Stuck | Finished
Roles = dict[str, int]


# --- predicates over beliefs -------------------------------------------------------------------------------------


def _prop(mind: Mind, roles: Roles, args: tuple[Any, ...]) -> bool:
    thing = mind.thing(roles.get(args[0], 0))
    value = 0 if thing is None else thing.props.get(args[1], 0)
    if len(args) == 2:
        return bool(value)
    return bool(value >= args[3] if args[2] == ">=" else value < args[3])


def _near(mind: Mind, roles: Roles, args: tuple[Any, ...]) -> bool:
    ordinal = roles.get(args[0], 0)
    return ordinal in mind.near or ordinal in mind.holding


def closed_around(mind: Mind, ordinal: int) -> int:
    """Return the ordinal of the closed container believed to hold *ordinal*, or 0."""
    seen = 0
    thing = mind.thing(ordinal)
    while thing is not None and thing.relation in ("in", "on") and seen < 6:
        holder = mind.thing(thing.place)
        if holder is not None and thing.relation == "in" and mind.has_tag(holder.ordinal, "openable"):
            if not holder.props.get("open", 0):
                return holder.ordinal
        thing, seen = holder, seen + 1
    return 0


def _reachable(mind: Mind, roles: Roles, args: tuple[Any, ...]) -> bool:
    ordinal = roles.get(args[0], 0)
    return ordinal in mind.holding or (mind.place_cell(ordinal) >= 0 and not closed_around(mind, ordinal))


def _takes(mind: Mind, roles: Roles, args: tuple[Any, ...]) -> bool:
    target, item = roles.get(args[0], 0), roles.get(args[1], 0)
    place = mind.thing(target)
    if place is None or target == item or place.props.get("full", 0):
        return False
    if mind.has_tag(target, "openable") and not place.props.get("open", 0):
        return False
    return any(mind.has_tag(target, tag) for tag in ("surface", "container", "region"))


def _lies(mind: Mind, roles: Roles, args: tuple[Any, ...]) -> bool:
    """Return whether a thing already lies where it is to be put; "home" is where it belongs, or where it is if that isn't known."""
    thing = mind.thing(roles.get(args[0], 0))
    if thing is None or thing.relation not in ("in", "on", "at") or thing.ordinal in mind.holding:
        return False
    return thing.place == ((thing.home or thing.place) if args[1] == "home" else roles.get(args[1], 0))


HOLDS: dict[str, Callable[[Mind, Roles, tuple[Any, ...]], bool]] = {
    "standing": lambda mind, roles, args: mind.posture == "standing",
    "awake": lambda mind, roles, args: mind.posture != "asleep",
    "hand_free": lambda mind, roles, args: not mind.holding,
    "near": _near,
    "holding": lambda mind, roles, args: roles.get(args[0], 0) in mind.holding,
    "reachable": _reachable,
    "is": lambda mind, roles, args: mind.has_tag(roles.get(args[0], 0), args[1]),
    "prop": _prop,
    "person": lambda mind, roles, args: roles.get(args[0], 0) in mind.present,
    "hearing": lambda mind, roles, args: roles.get(args[0], 0) in mind.hearing,
    "takes": _takes,
    "lies": _lies,
    "lit": lambda mind, roles, args: mind.light >= READABLE_LIGHT,
}


def holds(mind: Mind, predicate: Predicate, roles: Roles) -> bool:
    """Return whether *predicate* is believed to hold for *roles*."""
    return bool(HOLDS[predicate[1]](mind, roles, predicate[2:]) == predicate[0])


# --- what achieves a lacking precondition -------------------------------------------------------------------------


def _walk(mind: Mind, roles: Roles, role: str) -> tuple[str, Roles] | None:
    ordinal = roles.get(role, 0)
    if not ordinal or (mind.place_cell(ordinal) < 0 and ordinal not in mind.present):
        return None
    return "walk_to", {"place": ordinal}


def _lay_down(mind: Mind) -> tuple[str, Roles] | None:
    held = mind.holding[0]
    home = home_of(mind, held)
    if not home or closed_around(mind, home) or jammed(mind, home) or not _takes(mind, {"t": home, "o": held}, ("t", "o")):
        home = nearest_surface(mind, held)
    return "put", {"object": held, "target": home}


def _light(mind: Mind) -> tuple[str, Roles] | None:
    lamps = [
        ordinal
        for ordinal in mind.tagged("light")
        if mind.has_tag(ordinal, "switchable")
        and not mind.beliefs.things[ordinal].props.get("on", 0)
        and not mind.beliefs.things[ordinal].props.get("broken", 0)
        and mind.place_cell(ordinal) >= 0
    ]
    return ("switch_on", {"object": min(lamps, key=lambda o: (mind.distance(o), o))}) if lamps else None


def achieve(mind: Mind, predicate: Predicate, roles: Roles) -> tuple[str, Roles] | None:
    """Return the skill and roles that would make *predicate* hold, or None."""
    wanted, name, *args = predicate
    role = str(args[0]) if args else ""
    if name == "standing" and wanted:
        return ("wake" if mind.posture == "asleep" else "rise"), {}
    if name == "awake" and wanted:
        return "wake", {}
    if name in ("near", "person", "hearing") and wanted:
        return _walk(mind, roles, role)
    if name == "holding" and wanted:
        return "grasp", {"object": roles.get(role, 0)}
    if name == "hand_free" and wanted:
        return _lay_down(mind)
    if name == "reachable" and wanted:
        container = closed_around(mind, roles.get(role, 0))
        return ("open", {"object": container}) if container else None
    if name == "takes" and wanted:
        thing = mind.thing(roles.get(role, 0))
        shut = thing is not None and mind.has_tag(thing.ordinal, "container") and not thing.props.get("open", 0)
        return ("open", {"object": roles[role]}) if shut and mind.has_tag(roles[role], "openable") else None
    if name == "lit" and wanted:
        return _light(mind)
    if name == "prop" and wanted and args[1] == "temperature" and args[2] == "<":
        return "wait", {}
    return None


def home_of(mind: Mind, ordinal: int) -> int:
    """Return where somebody asked for *ordinal* to be, or where it belongs as far as known, else the nearest surface."""
    thing = mind.thing(ordinal)
    asked = mind.thing(_asked_place(mind, ordinal))
    if asked is not None and not asked.props.get("full", 0):
        return asked.ordinal
    if thing is not None and thing.home and thing.home != ordinal:
        home = mind.thing(thing.home)
        if home is not None and not home.props.get("full", 0):
            return thing.home
    return nearest_surface(mind, ordinal)


def nearest_surface(mind: Mind, ordinal: int) -> int:
    """Return the nearest surface not known to be full on which *ordinal* may be set down, else the nearest floor."""
    for tag in ("surface", "region"):
        places = [
            o for o in mind.tagged(tag) if mind.place_cell(o) >= 0 and o != ordinal and not mind.beliefs.things[o].props.get("full", 0)
        ]
        if places:
            return min(places, key=lambda o: (mind.distance(o), o))
    return 0


# --- binding ------------------------------------------------------------------------------------------------------


def fits(mind: Mind, selector: Selector, ordinal: int) -> bool:
    """Return whether *ordinal*, one of the selector's tag, is believed to meet its conditions."""
    if selector.untagged and mind.has_tag(ordinal, selector.untagged):
        return False
    if selector.displaced and not _displaced(mind, ordinal):
        return False
    roles = {"it": ordinal}
    return all(holds(mind, each, roles) or (each[1] == "prop" and outdated(mind, ordinal, each[3])) for each in selector.conditions)


def outdated(mind: Mind, ordinal: int, prop: str) -> bool:
    """Return whether what was last felt of *prop* may be so no more: it changes by itself, and only a hand would tell.

    What is out of date speaks against nothing: else a plant once felt to be wet would be wet for ever.
    """
    thing = mind.beliefs.things[ordinal]
    fading = mind.book.fading.get(thing.kind, {}).get(prop)
    return fading is not None and mind.tick - thing.felt.get(prop, 0) >= mind.ticks(fading.ms)


def _displaced(mind: Mind, ordinal: int) -> bool:
    thing = mind.beliefs.things[ordinal]
    if not thing.home or thing.relation not in ("in", "on", "at") or thing.place == thing.home:
        return False
    home = mind.beliefs.things.get(thing.home)
    if thing.place == _asked_place(mind, thing.ordinal):
        return False
    # What was thrown away is where it belongs now; what has no room at home is as well where it is.
    return not mind.has_tag(thing.place, "bin") and not (home is not None and home.props.get("full", 0))


def _asked_place(mind: Mind, ordinal: int) -> int:
    """Return where somebody asked for the thing to be put, and one agreed, not long ago; 0 if nobody did."""
    places = [
        each.place for each in mind.matters.values()
        if each.place and (each.target, each.stance) == (ordinal, "accepted")
        and mind.tick - max(each.answered_tick, each.due_tick) < mind.ticks(AS_ASKED_MS)
    ]  # fmt: skip
    return places[-1] if places else 0


def reachable_somehow(mind: Mind, ordinal: int) -> bool:
    """Return whether the resident knows where *ordinal* is and no jam it knows of shuts it away."""
    if mind.place_cell(ordinal) < 0 and ordinal not in mind.holding:
        return False
    if ordinal in mind.holding:
        return True
    thing = mind.beliefs.things[ordinal]
    if thing.relation == "held":
        return False
    container = closed_around(mind, ordinal)
    if not container:
        return True
    shut = mind.beliefs.things[container]
    return not (shut.props.get("jammed", 0) and not shut.props.get("open", 0))


def bind(mind: Mind, task: TaskTemplate, given: Roles) -> Roles | None:
    """Return roles bound to known things, nearest first (ties by ordinal), or None if one can't be bound."""
    roles = dict(given)
    for role, selector in task.roles.items():
        if role in roles:
            continue
        if selector.tag == "person":
            if not mind.present:
                return None
            roles[role] = mind.present[0]
            continue
        if selector.tag in ("thing", "any", "region"):
            return None
        taken, plain = roles.values(), not (selector.conditions or selector.displaced or selector.untagged)
        choices = [
            o for o in mind.tagged(selector.tag) if o not in taken and (plain or fits(mind, selector, o)) and reachable_somehow(mind, o)
        ]
        if not choices:
            return None
        roles[role] = choices[0] if len(choices) == 1 else min(choices, key=lambda o: (_dirt(mind, o), mind.distance(o), o))
    return roles


def _dirt(mind: Mind, ordinal: int) -> int:
    """Rank what is dirty or cracked behind its clean likes."""
    thing = mind.beliefs.things[ordinal]
    props = thing.props
    return 2 * bool(props.get("dirty", 0)) + bool(props.get("cracked", 0)) + (3 if thing.jammed_tick >= 0 else 0)


# --- the next command ---------------------------------------------------------------------------------------------


def step_roles(mind: Mind, step: Step, roles: Roles, skill_roles: tuple[str, ...]) -> Roles:
    """Return the skill's own role names bound for *step*; the word "home" is where the first object belongs."""
    bound: Roles = {}
    for name, word in zip(skill_roles, step.roles, strict=True):
        bound[name] = home_of(mind, bound[skill_roles[0]]) if word == "home" else roles.get(word, 0)
    return bound


def next_command(mind: Mind, commitment: Commitment) -> Next:
    """Return what to do next for *commitment*, moving its step over what is already so."""
    task = mind.task(commitment.task)
    commitment.step, roles = next_step(mind, task, commitment.roles, commitment.step)
    if commitment.step < len(task.steps):
        name, amount = task.steps[commitment.step].skill, 0
        if mind.book.skills[name].takes_amount:
            amount = commitment.left_ms or commitment.minutes * 60_000 or task.minutes * 60_000
        return command_for(mind, name, roles, amount)
    for container in list(commitment.opened):
        thing = mind.thing(container)
        if thing is not None and thing.props.get("open", 0) and mind.place_cell(container) >= 0:
            return command_for(mind, "close", {"object": container}, 0)
        commitment.opened.remove(container)
    return Finished()


def next_step(mind: Mind, task: TaskTemplate, given: Roles, at: int) -> tuple[int, Roles]:
    """Return the first step of *task* from *at* on that is not already so, with its roles; (number of steps, {}) if there is none."""
    skills = mind.book.skills
    for number in range(at, len(task.steps)):
        step = task.steps[number]
        if step.unless is not None and holds(mind, step.unless, given) and not _doubted(mind, step.unless, given):
            continue
        roles = step_roles(mind, step, given, skills[step.skill].roles)
        if step.skill == "put" and step.unless is None and roles["object"] not in mind.holding:
            continue  # Nothing left to put away: it was set down on the way, or is not ours to hold any more.
        return number, roles
    return len(task.steps), {}


def _doubted(mind: Mind, condition: Predicate, roles: Roles) -> bool:
    """Return whether *condition* rests on what may have changed by itself since it was felt."""
    ordinal = roles.get(condition[2], 0) if condition[1] == "prop" else 0
    return ordinal in mind.beliefs.things and outdated(mind, ordinal, condition[3])


def command_for(mind: Mind, skill_id: str, roles: Roles, amount: int, depth: int = 0) -> Command | Stuck:
    """Return the command that performs *skill_id*, or the first one that makes it possible, or why not."""
    if depth > DEPTH_MAX:
        return Stuck("too_deep")
    skill = mind.book.skills[skill_id]
    for role in skill.roles:
        if not roles.get(role, 0):
            return Stuck("unbound")
    for predicate in skill.pre:
        if HOLDS[predicate[1]](mind, roles, predicate[2:]) == predicate[0]:
            continue
        name, subject = predicate[1], roles.get(str(predicate[2]), 0) if len(predicate) > 2 else 0
        means = achieve(mind, predicate, roles)
        if means is None:
            text = " ".join(str(word) for word in predicate[1:] if word not in roles)
            return Stuck(text if predicate[0] else f"not {text}", subject)
        if means[0] == "open" and jammed(mind, means[1]["object"]):
            return Stuck("jammed", means[1]["object"])
        found = command_for(mind, means[0], means[1], WAIT_MS if means[0] == "wait" else 0, depth + 1)
        if isinstance(found, Stuck) and name == "hand_free" and found.predicate != "jammed":
            return Stuck("hand_free")
        return found
    return Command("", skill_id, tuple((role, roles[role]) for role in skill.roles), amount)


def jammed(mind: Mind, ordinal: int) -> bool:
    """Return whether *ordinal* is believed to be stuck shut."""
    thing = mind.thing(ordinal)
    return thing is not None and bool(thing.props.get("jammed", 0)) and not thing.props.get("open", 0)


def absent(mind: Mind, task: TaskTemplate, roles: Roles) -> bool:
    """Return whether *task* is for, or with, somebody who is not here: nobody hands a thing to who has left."""
    return "person" in task.roles and roles.get("person", 0) not in (0, *mind.present)


def feasible(mind: Mind, task: TaskTemplate, roles: Roles) -> str:
    """Return "" if the task's steps look possible from here, else the lacking predicate.

    Only conditions that no step before them could change are asked of later steps: tags, spoiled food, a full hand, somebody
    who is not here.
    """
    if absent(mind, task, roles):
        return AWAY
    hindered = hindrance(mind, task, roles)
    if hindered:
        return hindered
    number, bound = next_step(mind, task, roles, 0)
    if number == len(task.steps):
        return ""
    found = command_for(mind, task.steps[number].skill, bound, 0)
    return found.predicate if isinstance(found, Stuck) else ""


def estimate_ms(mind: Mind, task: TaskTemplate, roles: Roles, minutes: int) -> int:
    """Return a rough length of the whole task in ms: skills plus walking at 1 m/s over 250 mm cells."""
    total = 0
    here = mind.cell
    width, skills = mind._width, mind.book.skills
    for step in task.steps:
        skill = skills[step.skill]
        total += (minutes or task.minutes) * 60_000 if skill.takes_amount else skill.duration_ms
        for word in step.roles:
            ordinal = roles.get(word, 0)
            cell = mind.place_cell(ordinal) if ordinal and ordinal != SELF else -1
            if cell >= 0 and here >= 0:
                total += 250 * (abs(cell // width - here // width) + abs(cell % width - here % width))
                here = cell
    return total


def method_key(task_id: str, roles: Roles, mind: Mind) -> str:
    """Return the name of a way of doing *task_id*: the task and the kinds of things it uses."""
    wanted = (task_id, tuple(roles.values()))
    found = mind.ways.get(wanted)
    if found is None:
        kinds = sorted({mind.beliefs.things[o].kind for o in roles.values() if o in mind.beliefs.things})
        found = mind.ways[wanted] = f"{task_id}:{'+'.join(kinds)}"
    return found
