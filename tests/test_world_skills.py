"""Skills over the truth: each one works where it should, and is refused by name where it should not."""

from __future__ import annotations

import pytest
from world_cases import (
    COMPILED,
    SKILLS,
    Always,
    a_room,
    break_it,
    bring_about,
    fit_room,
    hold,
    outcome,
    run,
    stand_near,
)

from world.params import PAIN_BY_FAILURE, RESIDENT, VISITOR
from world.predicates import holds
from world.room import Room
from world.skills import EFFECTS, PREDICATES, compile_skills

CLAUSES = [(skill.id, index) for skill in COMPILED.values() for index in range(len(skill.pre))]
FAILURES = [(skill.id, failure.id) for skill in COMPILED.values() for failure in skill.failures]


def test_the_table_holds_at_least_the_promised_skills() -> None:
    assert len(COMPILED) >= 25


def test_every_word_of_the_table_is_known_and_most_are_used() -> None:
    predicates = {clause[1] for skill in COMPILED.values() for clause in skill.pre}
    effects = {clause[0] for skill in COMPILED.values() for clause in skill.effects}

    assert predicates <= set(PREDICATES)
    assert effects <= set(EFFECTS)
    assert set(PREDICATES) - predicates <= {"stands"}


@pytest.mark.parametrize("word", ["levitate object", "set object open", "need joy 10", "posture upside_down"])
def test_an_unknown_effect_is_refused_at_load(word: str) -> None:
    table = {**SKILLS["open"], "effects": [word]}

    with pytest.raises(AssertionError):
        compile_skills({"open": table})


@pytest.mark.parametrize(
    "word", ["glows object", "near", "near elbow", "prop object fill > 3", "prop object fill >="]
)
def test_an_unknown_predicate_is_refused_at_load(word: str) -> None:
    table = {**SKILLS["open"], "pre": [word]}

    with pytest.raises(AssertionError):
        compile_skills({"open": table})


@pytest.mark.parametrize("name", sorted(COMPILED))
def test_a_skill_succeeds_where_its_preconditions_hold(name: str) -> None:
    skill = COMPILED[name]
    room, roles = fit_room(skill, chance=Always(lucky=True))

    facts = run(room, name, **roles)

    assert facts[0].kind == "skill_started"
    data = outcome(facts)
    assert (data["result"], data["failure"]) == ("ok", "")
    assert skill.check is None or holds(room, room.bodies[RESIDENT], skill.check, roles)


@pytest.mark.parametrize(("name", "index"), CLAUSES)
def test_a_broken_precondition_is_named_in_the_refusal(name: str, index: int) -> None:
    skill = COMPILED[name]
    room, roles = fit_room(skill, chance=Always(lucky=True))
    before = {thing.id: dict(thing.props) for thing in room.things.values()}

    break_it(room, skill.pre[index], roles)
    after_break = {thing.id: dict(thing.props) for thing in room.things.values()}
    facts = room.begin(RESIDENT, name, roles, amount=60_000)

    body = room.bodies[RESIDENT]
    assert not holds(room, body, skill.pre[index], roles)
    first = next(text for clause, text in zip(skill.pre, skill.pre_texts, strict=True)
                 if not holds(room, body, clause, roles))  # fmt: skip
    assert facts[0].kind == "skill_refused"
    assert facts[0].data == {"reason": "precondition", "predicate": first}
    assert body.running is None
    assert {thing.id: dict(thing.props) for thing in room.things.values()} == after_break
    assert set(after_break) == set(before)


@pytest.mark.parametrize(("name", "failure_id"), FAILURES)
def test_a_failure_happens_by_its_factors_and_says_so(name: str, failure_id: str) -> None:
    skill = COMPILED[name]
    failure = next(each for each in skill.failures if each.id == failure_id)
    room, roles = fit_room(skill, chance=Always(lucky=False))
    for clause, _, _ in failure.factors:
        bring_about(room, clause, roles)

    data = outcome(run(room, name, **roles))

    assert (data["result"], data["failure"], data["sense"]) == ("failed", failure_id, failure.sense)
    assert data["factors"] == [text for _, _, text in failure.factors]
    hurt = PAIN_BY_FAILURE.get(failure_id, 0)
    assert room.pain(RESIDENT, room.tick) == hurt


def test_unknown_skills_roles_and_bodies_are_refused_by_value() -> None:
    room = a_room()

    reasons = [
        room.begin("ghost", "wait", {})[0].data["reason"],
        room.begin(RESIDENT, "fly", {})[0].data["reason"],
        room.begin(RESIDENT, "walk_to", {})[0].data["reason"],
        room.begin(RESIDENT, "walk_to", {"place": "atlantis"})[0].data["reason"],
        room.begin(RESIDENT, "walk_to", {"place": VISITOR})[0].data["reason"],
        room.begin(RESIDENT, "walk_to", {"place": "letter_1"})[0].data["reason"],
    ]

    assert reasons == [
        "no_body",
        "unknown_skill",
        "missing_role",
        "unknown_object",
        "unknown_object",
        "unreachable",
    ]


def test_a_body_does_one_thing_at_a_time() -> None:
    room = a_room()
    room.begin(RESIDENT, "wait", {}, amount=10_000)

    refused = room.begin(RESIDENT, "wait", {}, amount=10_000)

    assert refused[0].data["reason"] == "busy"


def test_a_jammed_drawer_fails_by_touch_and_yields_to_force() -> None:
    room = a_room(chance=Always(lucky=True))
    stand_near(room, "drawer")

    felt = outcome(run(room, "open", object="drawer"))
    forced = outcome(run(room, "force_open", object="drawer"))

    assert (felt["result"], felt["failure"], felt["sense"]) == ("failed", "jammed", "touch")
    assert felt["changed"] == []
    assert forced["result"] == "ok"
    assert room.things["drawer"].props == {"open": 1, "jammed": 0}


def test_a_cracked_cup_can_slip_and_then_lies_on_the_floor() -> None:
    room = a_room(chance=Always(lucky=False))
    stand_near(room, "cup")

    facts = run(room, "grasp", object="cup")

    data = outcome(facts)
    assert (data["failure"], data["factors"]) == ("slipped", ["prop object cracked"])
    assert room.things["cup"].relation == "at"
    assert room.bodies[RESIDENT].holding == []
    assert any(fact.kind == "sound" and fact.data["emit"] == "crash" for fact in facts)


def test_nobody_takes_a_seat_that_another_has() -> None:
    room = a_room()
    room.enter()
    stand_near(room, "sofa", VISITOR)
    room.begin(VISITOR, "lounge", {"seat": "sofa"}, amount=600_000)
    stand_near(room, "sofa")

    refused = room.begin(RESIDENT, "lounge", {"seat": "sofa"}, amount=60_000)[0]

    assert refused.data == {"reason": "occupied", "predicate": "not prop seat occupied"}


def test_what_is_taken_away_meanwhile_cannot_be_finished() -> None:
    room = a_room(chance=Always(lucky=True))
    stand_near(room, "mug")
    hold(room, "mug")
    room.set_prop("mug", "fill", 1000)
    room.begin(RESIDENT, "drink", {"vessel": "mug"})
    room.put_thing("mug", "on", "table")

    facts = []
    while room.bodies[RESIDENT].running:
        facts += room.advance(room.next_tick())

    data = outcome(facts)
    assert (data["result"], data["failure"], data["factors"]) == ("failed", "disturbed", ["holding vessel"])
    assert room.things["mug"].props["fill"] == 1000


def test_an_interrupted_meal_feeds_nobody() -> None:
    room = a_room()
    stand_near(room, "crackers")
    hold(room, "crackers")
    room.begin(RESIDENT, "eat", {"food": "crackers"})
    room.advance(100)
    before = room.needs(RESIDENT, 100)

    facts = room.interrupt(RESIDENT, "visitor")

    assert outcome(facts)["result"] == "stopped"
    assert room.things["crackers"].props["portions"] == 6
    assert room.needs(RESIDENT, 100) == before


def test_what_cannot_stop_halfway_runs_to_its_end_unless_stopped_hard() -> None:
    room = a_room(chance=Always(lucky=True))
    stand_near(room, "mug")
    room.begin(RESIDENT, "grasp", {"object": "mug"})

    assert room.interrupt(RESIDENT, "visitor") == []
    facts = room.advance(room.next_tick())
    assert outcome(facts)["result"] == "ok"
    assert outcome(facts)["stop"] == "visitor"

    room.begin(RESIDENT, "put", {"object": "mug", "target": "counter"})
    assert outcome(room.interrupt(RESIDENT, "safe_stop", hard=True))["result"] == "stopped"
    assert room.bodies[RESIDENT].holding == ["mug"]


def test_a_skill_past_its_timeout_is_ended_by_rule() -> None:
    room = a_room()

    facts = run(room, "observe", amount=10 * 3_600_000)

    ended = (
        facts[-1] if facts[-1].kind == "skill_ended" else next(f for f in facts if f.kind == "skill_ended")
    )
    assert ended.data["result"] == "timeout"
    assert ended.tick == 18_000


def test_sleep_ends_when_rested_and_stands_the_sleeper_up() -> None:
    room = a_room(start="22:30")
    room.set_prop("ceiling_light", "on", 0)
    stand_near(room, "bed")

    facts = run(room, "sleep", amount=0, bed="bed")

    assert outcome(facts)["result"] == "ok"
    assert room.needs(RESIDENT, room.tick)[0] >= 985
    assert room.bodies[RESIDENT].posture == "standing"
    assert room.things["bed"].props["occupied"] == 0


def test_waking_a_sleeper_puts_it_back_on_its_feet() -> None:
    room = a_room()
    stand_near(room, "bed")
    room.begin(RESIDENT, "sleep", {"bed": "bed"}, amount=8 * 3_600_000)
    asleep = room.bodies[RESIDENT].asleep, room.bodies[RESIDENT].posture, room.things["bed"].props["occupied"]

    facts = room.interrupt(RESIDENT, "noise")

    assert asleep == (True, "lying", 1)
    assert not room.bodies[RESIDENT].asleep
    assert room.bodies[RESIDENT].posture == "standing"
    assert ["bed", "occupied", 1, 0] in outcome(facts)["changed"]


@pytest.mark.parametrize(
    "name", ["put", "grasp", "fill", "drink", "use_toilet", "wipe", "throw_away", "eat", "sleep"]
)
def test_the_outcome_row_is_the_difference_in_the_world(name: str) -> None:
    skill = COMPILED[name]
    room, roles = fit_room(skill, chance=Always(lucky=True))
    room.set_prop("table", "dirty", 1)

    facts = room.begin(RESIDENT, name, roles, amount=60_000)
    changes = list(facts[0].data["changed"])
    before = truth(room)
    for each, prop, old, _ in reversed(changes):
        before[f"{each}.{prop}"] = old
    while room.bodies[RESIDENT].running:
        for fact in room.advance(room.next_tick()):
            changes += fact.data.get("changed", []) if fact.kind == "skill_ended" else []
            if fact.kind == "state":
                changes.append([fact.subject, fact.data["prop"], fact.data["old"], fact.data["new"]])
    after = truth(room)

    told = {f"{each}.{prop}": new for each, prop, _, new in changes if "need" not in prop}
    moved = {key: value for key, value in after.items() if before[key] != value}
    assert moved
    assert moved == {key: value for key, value in told.items() if before[key] != value}


def truth(room: Room) -> dict[str, object]:
    rows: dict[str, object] = {}
    for thing in room.things.values():
        rows |= {f"{thing.id}.{name}": value for name, value in thing.props.items()}
        rows[f"{thing.id}.place"] = f"{thing.relation} {thing.place}"
    for body in room.bodies.values():
        rows[f"{body.id}.posture"] = body.posture
    return rows


def test_pouring_makes_no_water() -> None:
    room = a_room(chance=Always(lucky=True))
    room.set_prop("kettle", "fill", 700)
    room.set_prop("kettle", "temperature", 900)
    stand_near(room, "counter")
    hold(room, "kettle")
    volumes = {"kettle": 1500, "mug": 300}
    before = sum(room.things[name].props["fill"] * ml for name, ml in volumes.items())

    run(room, "pour", vessel="kettle", target="mug")

    after = sum(room.things[name].props["fill"] * ml for name, ml in volumes.items())
    assert before - 1500 <= after <= before
    assert room.things["mug"].props["fill"] >= 990
    assert 800 <= room.things["mug"].props["temperature"] <= 900


def test_an_emptied_bin_takes_its_contents_out_of_the_room() -> None:
    room = a_room(chance=Always(lucky=True))
    room.put_thing("letter_1", "in", "bin")
    hold(room, "bin")
    stand_near(room, "door")

    run(room, "empty", object="bin", door="door")

    assert room.things["letter_1"].relation == "out"
    assert room.things["bin"].props["fill"] == 0


def test_the_visitor_obeys_the_same_predicates() -> None:
    room = a_room()
    room.enter()

    refused = room.begin(VISITOR, "grasp", {"object": "kettle"})[0]
    assert refused.data["predicate"] == "near object"

    assert outcome(run(room, "walk_to", body=VISITOR, place="kettle"))["result"] == "ok"
    assert outcome(run(room, "grasp", body=VISITOR, object="kettle"))["result"] == "ok"
    assert (
        room.begin(RESIDENT, "fill", {"vessel": "kettle", "source": "sink"})[0].data["predicate"]
        == "holding vessel"
    )


def test_talk_ends_when_the_other_leaves() -> None:
    room = a_room()
    room.enter()
    stand_near(room, VISITOR)
    room.begin(RESIDENT, "talk", {"person": VISITOR}, amount=600_000)

    facts = room.leave()

    assert outcome(facts)["failure"] == "partner_left"
    assert room.bodies[RESIDENT].running is None
    assert VISITOR not in room.bodies


def test_speech_carries_its_words() -> None:
    room = a_room()
    room.enter()

    facts = run(room, "speak", words={"text": "Hello"}, person=VISITOR)

    speech = next(fact for fact in facts if fact.kind == "speech")
    assert speech.data["words"] == {"text": "Hello"}
    assert speech.loudness > 0
