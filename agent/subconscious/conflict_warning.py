"""S4: the conflict detector. Is there a rule, a belief or a person's record that speaks against this choice?

A leader then makes room for a look; an intuition is set aside; a reply is asked again once, with the conflicts as
constraints. A rule makes a candidate illegal long before; here it stands for what a reply may say in other words.
"""

from __future__ import annotations

from agent import scene, thoughts
from agent.attraction import Scored
from agent.candidates import Candidate
from agent.matters import rule_on
from agent.mind import Mind

LATENCY_MS = 10
CONDUCT_BAD = 250
CONFLICTS_MAX = 5


def conflicts(mind: Mind, candidate: Candidate, *, warned: bool = False) -> tuple[str, ...]:
    """Return the codes of what speaks against *candidate*; *warned* lowers the strength at which a belief does."""
    if not mind.settings.get("s4", True) or candidate.act not in ("start", "resume", "accept", "ask_help"):
        return ()
    found: list[str] = []
    label = scene.label_of(mind, candidate)
    if candidate.act == "accept":
        matter = mind.matters[candidate.matter]
        rule = rule_on(mind, matter)
        if rule:
            found.append(f"rule:{rule}")
        if mind.relations.person(matter.speaker).reliability["conduct"] <= CONDUCT_BAD:
            found.append(f"person:{matter.speaker}:conduct")
    belief = thoughts.against(mind, label, bool(mind.present))
    threshold = mind.params.theta_belief_warned if warned else mind.params.theta_belief
    if belief is not None and belief[1] >= threshold:
        found.append(f"belief:{belief[0].id}")
    return tuple(found[:CONFLICTS_MAX])


def look_first(mind: Mind, leader: Candidate, ranked: list[Scored]) -> tuple[Candidate | None, tuple[str, ...]]:
    """Return the look that *leader* makes room for, and the conflicts behind it; None where there is nothing to look at again.

    The same choice makes room once in a while only, or nobody with a bad record would ever be given another chance.
    """
    found = conflicts(mind, leader)
    if not found:
        return None, ()
    label = scene.label_of(mind, leader)
    last = mind.inner.observed.get(label, -1)
    if last >= 0 and mind.tick - last < mind.ticks(mind.params.observe_gap_ms):
        return None, found
    looks = [one.candidate for one in ranked if one.candidate.act == "start" and one.candidate.task in ("inspect", "look_around")]
    things = list(leader.roles.values())
    near = [one for one in looks if one.task == "inspect" and one.roles.get("object", 0) in things]
    chosen = next(iter(near), next((one for one in looks if one.task == "look_around"), None))
    if chosen is not None:
        mind.inner.observed[label] = mind.tick
        mind.inner.chain("look_first", label)
    return chosen, found
