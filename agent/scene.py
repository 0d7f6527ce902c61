"""A scene as the deep mind compares scenes: a key of what must be the same, and a vector of what may differ a little.

The key is symbolic: company, what one is busy with, what presses, what was asked, and the key facts of the things an
act would touch. A door that is open is another key than a door that is closed. The vector holds SIZE numbers in
-127..127, each stored as one byte with 128 added, so that a product is exact and a memory costs a few bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import isqrt
from operator import mul

from agent.candidates import Candidate
from agent.mind import Mind
from agent.needs import hurts, mood
from agent.params import HOUR_MS
from agent.percept import NEEDS
from agent.skill import TaskTemplate

# Properties by which a thing is another thing for an intuition (as 0 or 1).
KEY_PROPS = ("open", "on", "broken", "jammed", "cracked", "wet", "spoiled", "ringing", "full")
STANCES = ("accept", "refuse", "postpone", "negotiate")
LEISURE = ("wait_quietly", "look_around", "rest_seat", "gaze_window", "inspect", "explore_room", "tidy_up", "listen_radio")
BUSY_WITH = {"body": "body", "goal": "work", "practice": "work", "observation": "work", "person": "duty", "explore": "free"}
BUSY_LEVEL = {"free": -60, "body": 20, "work": 60, "duty": 100, "leisure": -20}

# 127 * cos of every quarter of an hour of a quarter day, from 0 to 90 degrees in steps of 15.
QUARTER = (127, 123, 110, 90, 64, 33, 0)
SIZE = 18
ZERO = 128


def _cos(hour: int) -> int:
    hour %= 24
    if hour > 12:
        hour = 24 - hour
    return QUARTER[hour] if hour <= 6 else -QUARTER[12 - hour]


def vector(mind: Mind) -> bytes:
    """Return the present scene as SIZE bytes: needs, time of day, company, occupation, body, mood."""
    hour = mind.clock_ms // HOUR_MS
    pleasure, arousal = mood(mind, mind.tick)
    current = mind.intention()
    found = [(level - 500) // 4 for level in mind.felt]
    found += [
        _cos(hour) // 2, _cos(hour - 6) // 2, 70 if mind.present else -70, BUSY_LEVEL[busy(mind)],
        40 if current is not None and current.hold_tick > mind.tick else -40, 40 if mind.posture == "standing" else -40,
        30 if mind.holding else -30, (mind.light - 500) // 16, (pleasure - 500) // 8 + (arousal - 300) // 16,
    ]  # fmt: skip
    return pack(found)


assert len(NEEDS) + 9 == SIZE


def pack(values: Sequence[int]) -> bytes:
    """Return *values* as bytes, each clamped to -127..127."""
    return bytes(ZERO + max(-127, min(127, value)) for value in values)


def unpack(packed: bytes) -> list[int]:
    """Return the values of *packed*."""
    return [value - ZERO for value in packed]


def cosine(a: Sequence[int], b: Sequence[int]) -> int:
    """Return the cosine of two vectors of whole numbers in thousandths, toward zero; 0 if one of them is zero."""
    product: int = sum(map(mul, a, b))
    size = isqrt(sum(map(mul, a, a)) * sum(map(mul, b, b)))
    if not size:
        return 0
    return product * 1000 // size if product >= 0 else -(-product * 1000 // size)


def similarity(a: bytes, b: bytes) -> int:
    """Return the cosine of two packed vectors in thousandths, toward zero; 0 if one of them is zero."""
    return similarities(a, (b,))[0]


def similarities(to: bytes, packed: Iterable[bytes]) -> list[int]:
    """Return the similarity of each of *packed* to one scene."""
    values, square = _measured(to)
    found = []
    for one in packed:
        others, its_square = _measured(one)
        size = isqrt(square * its_square)
        product = sum(map(mul, values, others))
        found.append(0 if not size else product * 1000 // size if product >= 0 else -(-product * 1000 // size))
    return found


@lru_cache(maxsize=4096)
def _measured(packed: bytes) -> tuple[tuple[int, ...], int]:
    """Return the values of *packed* and the sum of their squares: like scenes are compared again and again."""
    values = tuple(unpack(packed))
    return values, sum(map(mul, values, values))


# --- the key ------------------------------------------------------------------------------------------------------


def busy(mind: Mind) -> str:
    """Return what one is busy with: free, body, work, duty or leisure."""
    current = mind.intention()
    if current is None or current.task in ("wait_quietly", "look_around"):
        return "free"
    if current.kind == "obligation":
        return "duty"
    return "leisure" if current.task in LEISURE else BUSY_WITH.get(current.source, "work")


def asked(mind: Mind) -> str:
    """Return what stands to be answered: mark, action, kind of thing and whether it was put off before; "" for nothing."""
    for matter in mind.open_matters():
        again = f":{min(matter.delays, 2)}" if matter.delays else ""
        return f"{matter.mark}:{matter.action}:{kind_of(mind, matter.target)}{again}"
    return ""


def surroundings(mind: Mind) -> str:
    """Return the part of the key that all candidates of a round share: company, occupation, what presses, what is asked."""
    company = f"p{mind.present[0]}" if mind.present else "alone"
    low = min(range(len(NEEDS)), key=lambda at: (mind.felt[at], at))
    press = NEEDS[low] if mind.felt[low] < mind.params.urgent else "-"
    return f"{company}/{busy(mind)}/{'pain' if hurts(mind) else press}/{asked(mind)}"


def facts(mind: Mind, ordinals: Sequence[int]) -> str:
    """Return the key facts of *ordinals* as one text, by kind; what is unknown is left off."""
    found: list[str] = []
    for ordinal in ordinals:
        thing = mind.thing(ordinal)
        if thing is None or ordinal in mind.present:
            continue
        found += [f"{thing.kind}.{name}={min(1, max(0, int(thing.props[name])))}" for name in KEY_PROPS if name in thing.props]
    return ",".join(dict.fromkeys(sorted(found)))


def scene_of(mind: Mind, candidate: Candidate, around: str) -> str:
    """Return the full key of *candidate* within *around*."""
    ordinals = list(candidate.roles.values())
    matter = mind.matters.get(candidate.matter) if candidate.act in STANCES else None
    if matter is not None and matter.target and matter.target not in ordinals:
        ordinals.append(matter.target)
    return f"{around}|{facts(mind, ordinals)}"


def kind_of(mind: Mind, ordinal: int) -> str:
    """Return the kind of *ordinal* as believed, "" for nothing."""
    thing = mind.thing(ordinal)
    return "" if thing is None else thing.kind


def label_of(mind: Mind, candidate: Candidate) -> str:
    """Return the action as a template: a stance to a kind of request, or an act on a task. No ids, no ordinals."""
    if candidate.act in STANCES:
        matter = mind.matters[candidate.matter]
        return f"{candidate.act}:{matter.action}:{kind_of(mind, matter.target)}"
    return f"{candidate.act}:{candidate.task}"


def actions_of(label: str, task: TaskTemplate | None) -> list[str]:
    """Return the actions of a deed for comparison: its label, and the skills its task is made of."""
    skills = [] if task is None else [step.skill for step in task.steps]
    return list(dict.fromkeys([label, *skills]))
