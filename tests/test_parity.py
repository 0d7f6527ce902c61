"""Skills are data with two interpreters: under full knowledge the mind's predicates and the world's agree."""

from __future__ import annotations

from itertools import product

import pytest

from agent import absorb
from agent.percept import SELF, Percept
from agent.planning import holds
from sim import kernel, veil
from sim.state import State
from tests.makers import ENTER, a_state
from world import exposure
from world.predicates import holds as truly_holds
from world.skills import Skill

RESIDENT = "resident"


def know_everything(state: State) -> None:
    """Let the mind perceive each thing in the room by touch, wherever it is."""
    room, seen = state.room, state.veil
    percepts = []
    for name in room.things:
        if room.in_room(name):
            looked = {"id": name, **exposure.touch(room, RESIDENT, name)}
            data = veil._thing(seen, room, looked)
            percepts.append(Percept(0, room.tick, "touch", "thing", what=veil.mint(seen, room, name), doer=SELF, data=data))
    absorb.absorb(state.mind, veil.observe(seen, room, tuple(percepts)))


def disagreements(state: State) -> list[str]:
    """Return every predicate of every skill, over many bindings, on which the two interpreters differ."""
    room, mind, body = state.room, state.mind, state.room.bodies[RESIDENT]
    names = [name for name in room.things if room.in_room(name)]
    found = []
    skills: dict[str, Skill] = room._skills
    for skill_id, skill in skills.items():
        believed = mind.book.skills[skill_id]
        clauses = {text: clause for clause, text in zip(skill.pre, skill.pre_texts, strict=True)}
        for predicate in believed.pre:
            text = ("" if predicate[0] else "not ") + " ".join(map(str, predicate[1:]))
            if predicate[1] in ("takes", "person", "hearing", "lit"):
                continue  # Full places, company and light are told apart below or by other senses.
            roles_used = [word for word in predicate[2:] if word in skill.roles]
            for chosen in product(names, repeat=len(roles_used)):
                roles = dict(zip(roles_used, chosen, strict=True))
                true = truly_holds(room, body, clauses[text], roles)
                mine = holds(mind, predicate, {role: state.veil.ordinals[name] for role, name in roles.items()})
                if true != mine:
                    found.append(f"{skill_id}: {text} {roles}: world {true}, mind {mine}")
    return found


@pytest.mark.parametrize("minutes", [0, 7, 35, 90, 200])
def test_beliefs_and_truth_agree_on_every_predicate_under_full_knowledge(minutes: int) -> None:
    state = a_state(ENTER, minutes=300)
    kernel.advance(state, [], minutes * 600)

    know_everything(state)

    assert disagreements(state) == []


def test_a_wrong_belief_is_found_by_the_comparison() -> None:
    state = a_state(ENTER, minutes=30)
    kernel.advance(state, [], 600)
    know_everything(state)

    state.mind.beliefs.things[state.veil.ordinals["window"]].props["open"] = 1

    assert any("window" in line for line in disagreements(state))
