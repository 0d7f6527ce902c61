"""The subjective candidate set: seven sources, one table, every source asked every round.

A source offers what the resident could do and which drives speak for it; it never decides. What is offered and can't
be done is kept with the reason, so that a record can say why a thing was not chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from agent.commitments import ACTIVE, PAUSED, PENDING, Commitment, Matter, Voice
from agent.favours import RECEIVE, coming_to_hand, favours_wanted, may_ask
from agent.matters import propose_for, task_for
from agent.mind import Mind
from agent.needs import INDEX
from agent.params import DAY_MS, HOUR_MS
from agent.planning import bind, closed_around, outdated

SOURCES = ("commitment", "body", "goal", "practice", "observation", "person", "explore")
MINUTE = 60_000


@dataclass(slots=True)
class Candidate:
    """A possible behaviour: what act on which task or matter, and the drives that speak for it (thousandths).

    The round that asked for it gives it its *id*; after that it is never changed. Not frozen: a round makes a score
    of them, and freezing triples what that costs.
    """

    id: str
    source: str
    act: str
    task: str = ""
    roles: dict[str, int] = field(default_factory=dict)
    minutes: int = 0
    drives: dict[str, int] = field(default_factory=dict)
    commitment: str = ""
    matter: str = ""
    practice: str = ""
    goal: str = ""
    person: int = 0
    touches: tuple[str, ...] = ()
    unable: str = ""

    @property
    def label(self) -> str:
        """Return a short name that is the same in every round: what and with what."""
        return f"{self.act}:{self.task or self.matter}"


Offer = Iterator[Candidate]


def continue_commitment(mind: Mind) -> Offer:
    """Go on with what is under way, or take up again what was put aside."""
    for commitment in mind.open_commitments():
        if commitment.state == ACTIVE:
            yield _of(commitment, "continue")
        elif commitment.state == PAUSED:
            yield _of(commitment, "resume")


def _of(commitment: Commitment, act: str) -> Candidate:
    touches = ("person",) if commitment.person else ()
    return Candidate(
        "", "commitment", act, commitment.task, commitment.roles, commitment.minutes,
        dict(zip(("pull",), (0,), strict=True)), commitment.id, commitment.matter, commitment.practice,
        commitment.goal, commitment.person, touches,
    )  # fmt: skip


def regulate_body(mind: Mind) -> Offer:
    """Offer each way of restoring each need that is below comfortable."""
    params = mind.params
    seen: dict[str, bool] = {}
    for need, at in INDEX.items():
        if mind.felt[at] >= params.comfortable:
            continue
        for task_id in mind.book.by_need.get(need, ()):
            task = mind.task(task_id)
            if task_id in seen or task.needs[need] < 60 or task_id in ("talk_with_visitor", "answer_phone", "read_letters"):
                continue
            if task_id in ("sleep_night", "nap") and not _sleepy(mind, task_id):
                continue
            if task.group == "eat" and mind.felt[at] >= params.hungry:
                continue
            seen[task_id] = True
            yield from _start(mind, "body", task_id, {})


def _sleepy(mind: Mind, task_id: str) -> bool:
    """Return whether sleep would come: at night unless well rested, by day only when worn out and bed time is far."""
    energy = mind.felt[INDEX["energy"]]
    if task_id == "sleep_night":
        return energy < 850 if _night(mind) else energy < mind.params.critical
    hours_to_bed = (mind.persona["bed_ms"] - mind.clock_ms) % DAY_MS // HOUR_MS
    return energy < mind.params.urgent + 50 and not _night(mind) and hours_to_bed >= 5


def _night(mind: Mind) -> bool:
    """Return whether it is the resident's time of sleep, from half an hour before bed time to two hours before waking."""
    bed, wake = int(mind.persona["bed_ms"]), int(mind.persona["wake_ms"])
    since_bed = (mind.clock_ms - bed + HOUR_MS // 2) % DAY_MS
    return since_bed < (wake - bed - 3 * HOUR_MS // 2) % DAY_MS


def sleep_minutes(mind: Mind) -> int:
    """Return the minutes from now to the resident's waking time, at least three hours."""
    until = (int(mind.persona["wake_ms"]) - mind.clock_ms) % DAY_MS
    return max(180, until // MINUTE)


def advance_goals(mind: Mind) -> Offer:
    """Offer what was promised to others, then the tasks of the long-term goals."""
    for commitment in mind.open_commitments():
        if commitment.kind == "obligation" and commitment.state == PENDING and commitment.hold_tick <= mind.tick:
            left = commitment.due_tick - mind.tick
            press = 150 if left <= 0 else max(0, 150 - 150 * left // max(1, mind.ticks(30 * MINUTE)))
            yield Candidate(
                "", "goal", "start", commitment.task, commitment.roles, commitment.minutes,
                {"obligation": 400 + press}, commitment.id, commitment.matter, person=commitment.person, touches=("person",),
            )  # fmt: skip
    for made, goal_id in mind.sys2.made_for.items():
        # Put together for a goal that had no other way.
        yield from _start(mind, "goal", made, {"goal": mind.params.cap_goal}, given=mind.sys2.plans[made][0][1], goal=goal_id)
    for goal in mind.persona["goals"]:
        state = mind.goals.get(goal["id"], ("active", -1, -1))
        if state[0] != "active":
            continue
        since = DAY_MS if state[1] < 0 else (mind.tick - state[1]) * mind.tick_ms
        ripe = min(1000, 1000 * since // (18 * HOUR_MS))
        effort = goal["effort"] * (1000 + mind.inner.efforts.get(goal["id"], (0, 0, 0))[0]) // 1000
        drive = mind.params.cap_goal * effort // 1000 * ripe // 1000
        if drive < 20 or _night(mind):
            continue
        for task_id in goal["tasks"]:
            yield from _start(mind, "goal", task_id, {"goal": drive}, goal=goal["id"])


def practise(mind: Mind) -> Offer:
    """Offer the habits of living whose time of day it is and that today has not yet seen."""
    if _night(mind) and _sleepy(mind, "sleep_night"):
        past = (mind.clock_ms - mind.persona["bed_ms"]) % DAY_MS
        late = past < DAY_MS // 2
        yield from _start(mind, "practice", "sleep_night", {"habit": 430 if late else 300}, practice="sleep")
    for practice in mind.persona["practices"]:
        done = mind.practised.get(practice["id"], (-1, 0, 0))
        if done[0] == mind.day and done[1] >= practice["per_day"]:
            continue
        if done[1] and (mind.tick - done[2]) * mind.tick_ms < HOUR_MS:
            continue
        for begin, end in practice["windows_ms"]:
            span = (end - begin) % DAY_MS
            into = (mind.clock_ms - begin) % DAY_MS
            if into >= span:
                continue
            # The nearer the window's end, the more it is now or not at all.
            drive = mind.params.cap_habit * practice["weight"] // 1000 * (800 + 200 * into // span) // 1000
            yield from _start(
                mind, "practice", practice["task"], {"habit": drive}, practice=practice["id"], minutes=practice["minutes"]
            )
            break


def attend(mind: Mind) -> Offer:
    """Offer what the things around call for: a ringing phone, a letter, dirt, a dry plant, a change nobody was seen making."""
    order, open_mind = mind.persona["tendencies"]["orderliness"], mind.persona["tendencies"]["openness"]
    things = mind.beliefs.things
    for ordinal in mind.tagged("phone"):
        if things[ordinal].props.get("ringing", 0):
            yield from _start(mind, "observation", "answer_phone", {"salience": 400})
    if any(things[o].props.get("unread", 0) for o in mind.tagged("kind:letter")):
        yield from _start(mind, "observation", "read_letters", {"salience": 240})
    read = [
        o
        for o in mind.tagged("kind:letter")
        if not things[o].props.get("unread", 0) and things[o].relation in ("on", "at") and not mind.has_tag(things[o].place, "bin")
    ]
    if len(read) > LETTERS_KEPT and not closed_around(mind, read[0]):
        yield from _start(mind, "observation", "discard_it", {"salience": 80 + order * 120 // 1000}, given={"object": read[0]})
    if any(things[o].props.get("moisture", 1000) < 350 or outdated(mind, o, "moisture") for o in mind.tagged("plant")):
        yield from _start(mind, "observation", "water_plant", {"salience": 250})
    if any(things[o].props.get("dirty", 0) for o in mind.tagged("wipeable")):
        yield from _start(mind, "observation", "wipe_surface", {"salience": 60 + order * 160 // 1000})
    if any(things[o].props.get("dirty", 0) for o in mind.tagged("portable")):
        yield from _start(mind, "observation", "do_dishes", {"salience": 90 + order * 180 // 1000})
    if any(things[o].props.get("fill", 0) >= 700 for o in mind.tagged("laundry")):
        yield from _start(mind, "observation", "do_laundry", {"salience": 80 + order * 160 // 1000})
    if any(things[o].props.get("fill", 0) >= 700 for o in mind.tagged("bin")):
        yield from _start(mind, "observation", "empty_bin", {"salience": 100 + order * 160 // 1000})
    yield from _start(mind, "observation", "tidy_up", {"salience": 70 + order * 190 // 1000})
    if mind.felt[INDEX["warmth"]] >= 900:
        yield from _start(mind, "observation", "heat_off", {"salience": 160})
    for ordinal in mind.tagged("edible"):
        if things[ordinal].props.get("spoiled", 0) and not closed_around(mind, ordinal):
            yield from _start(mind, "observation", "discard_it", {"salience": 150}, given={"object": ordinal})
            break
    for voice in mind.voices.values():
        yield from _heed(mind, voice)
    for ordinal in mind.notable:
        if ordinal in things and ordinal not in mind.present and ordinal not in mind.holding:
            yield from _start(
                mind, "observation", "inspect", {"salience": 90 + open_mind * 170 // 1000}, given={"object": ordinal}
            )


def answer_persons(mind: Mind) -> Offer:
    """Offer each stance to each open matter, and company when someone is there."""
    for matter in mind.open_matters():
        for act, task_id, roles, drives, unable in propose_for(mind, matter):
            yield Candidate(
                "", "person", act, task_id, roles, 0, drives, matter=matter.id, person=matter.speaker,
                touches=("person",), unable=unable,
            )  # fmt: skip
    if may_ask(mind):
        social = mind.persona["tendencies"]["sociability"]
        for action, target, person in favours_wanted(mind)[:1]:
            yield Candidate(
                "", "person", "ask_help", action, {"object": target}, 0, {"salience": 310 + social * 160 // 1000},
                person=person, touches=("person",),
            )  # fmt: skip
    coming = coming_to_hand(mind)
    if coming is not None and all(each.task != RECEIVE for each in mind.open_commitments()):
        given = {"object": coming.target, "person": coming.person, "held": next(iter(mind.holding), 0)}
        yield from _start(mind, "person", RECEIVE, {"salience": mind.params.cap_salience}, given=given, touches=("person",))
    if mind.present:
        social = mind.persona["tendencies"]["sociability"]
        yield from _start(mind, "person", "talk_with_visitor", {"salience": 40 + social * 160 // 1000}, touches=("person",))


def _heed(mind: Mind, voice: Voice) -> Offer:
    """Offer what an inner voice speaks of, once per gap; its pull is the lift that the round may give one candidate."""
    stance = mind.relations.stance("inner_voice", voice.key)
    gap = mind.ticks(mind.params.voice_theme_gap_ms)
    spent = voice.used_tick >= 0 and mind.tick - voice.used_tick < gap
    if not voice.action or voice.state != "unresolved" or stance in ("muted", "blocked") or spent:
        return
    meant = Matter("", 0, "request", voice.action, voice.target, "", mind.tick)
    task_id, roles, lacking = task_for(mind, meant)
    if task_id and not lacking and "person" not in mind.task(task_id).roles:
        yield from _start(mind, "observation", task_id, {"salience": 60}, given=roles)


LETTERS_KEPT = 2  # read letters that may lie about before one is thrown away
LEISURE = ("read_book", "listen_radio", "gaze_window", "rest_seat")


def explore_or_wait(mind: Mind) -> Offer:
    """Offer to look into a part of the room not visited for long, some leisure, to look around, to wait."""
    open_mind = mind.persona["tendencies"]["openness"]
    regions = mind.tagged("region")
    if regions:
        oldest = min(regions, key=lambda o: (mind.explored.get(o, -1), o))
        since = (mind.tick - mind.explored.get(oldest, -mind.ticks(DAY_MS))) * mind.tick_ms
        ripe = min(1000, 1000 * since // (8 * HOUR_MS))
        yield from _start(
            mind, "explore", "explore_room", {"salience": 30 + open_mind * 170 // 1000 * ripe // 1000}, given={"place": oldest}
        )
    for task_id in LEISURE:
        yield from _start(mind, "explore", task_id, {"salience": 70})
    yield from _start(mind, "explore", "look_around", {"salience": 50 if mind.tick - mind.look_tick > mind.ticks(HOUR_MS) else 0})
    yield from _start(mind, "explore", "wait_quietly", {"salience": 12})


def _start(
    mind: Mind,
    source: str,
    task_id: str,
    drives: dict[str, int],
    *,
    given: dict[str, int] | None = None,
    practice: str = "",
    goal: str = "",
    minutes: int = 0,
    touches: tuple[str, ...] = (),
) -> Offer:
    """Offer to start *task_id*, bound to known things; unbound roles make it unable, with the reason kept."""
    current = mind.intention()
    if current is not None and current.task == task_id and (not given or given.items() <= current.roles.items()):
        return  # It is under way: that is the first source's to offer.
    for kept in mind.commitments.values():
        if kept.task == task_id and kept.state == PAUSED:
            return
    task = mind.task(task_id)
    roles = bind(mind, task, given or {})
    if task_id == "sleep_night":
        minutes = sleep_minutes(mind)
    if task.private and mind.present:
        touches = (*touches, "setting")
    yield Candidate(
        "", source, "start", task_id, roles or dict(given or {}), minutes or task.minutes, drives, practice=practice,
        goal=goal, person=(roles or {}).get("person", 0), touches=touches, unable="" if roles is not None else "unbound",
    )  # fmt: skip


OFFERS: dict[str, Callable[[Mind], Offer]] = {
    "commitment": continue_commitment,
    "body": regulate_body,
    "goal": advance_goals,
    "practice": practise,
    "observation": attend,
    "person": answer_persons,
    "explore": explore_or_wait,
}
assert tuple(OFFERS) == SOURCES, "every source once, in the order of ties"


def offers(mind: Mind) -> list[Candidate]:
    """Return every candidate, source by source; waiting is always among them."""
    found = [candidate for offer in OFFERS.values() for candidate in offer(mind)]
    assert any(candidate.task == "wait_quietly" for candidate in found), "waiting is always possible"
    return found
