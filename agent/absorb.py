"""Percepts into the mind: beliefs, matters, voices, conduct. Returns what deserves a round.

Nothing is learned here that was not perceived; who did a thing is known only if the doer was perceived doing it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agent import deeds, dialogue, hindrances, smalltalk, waits
from agent.acting import end, left_behind, outcome
from agent.appraisal import BOUNDARY, PERSON, remember
from agent.commitments import Matter, Promise, Voice
from agent.matters import unchanged
from agent.mind import Mind
from agent.needs import stir
from agent.percept import NEEDS, SELF, UNKNOWN, Observation, Percept
from agent.relations import Relation
from agent.subconscious import preactivation
from agent.words import say

# Changes that call for a look when nobody was seen making them; what drifts by itself does not.
NOTABLE = ("open", "on", "place", "cracked", "jammed")
# What a seen act of another is called in the words of promises and requests.
ACTION_OF_SKILL = {
    "open": "open", "close": "close", "grasp": "take", "put": "put", "switch_on": "switch_on", "switch_off": "switch_off",
    "hand_over": "give", "water": "water", "wipe": "wipe", "fill": "fill", "throw_away": "throw_away", "wash_up": "wash",
}  # fmt: skip
LAYING_SKILLS = ("put", "tidy", "throw_away")  # of a thing, then a place
SAME_ACTION = {"bring": "give", "move": "put"}
VOICES_MAX = 100  # themes of inner voices kept in mind; chosen
ANSWERS_AT_ONCE = 4  # how often who asks the same again is answered at once; after that once in a while; chosen
MATTERS_KEPT = 200  # matters kept in mind, settled ones included; chosen
MATTER_RESTS_MS = 30 * 60_000  # how long a settled matter is kept in any case: nothing asked about it is open by then; chosen


def absorb(mind: Mind, seen: Observation) -> list[str]:
    """Take in one observation; return the wake conditions it met, in order."""
    mind.tick, mind.clock_ms, mind.day = seen.tick, seen.clock_ms, seen.day
    mind.felt, mind.pain, mind.cell, mind.posture = list(seen.felt), seen.pain, seen.cell, seen.posture
    mind.holding, mind.near = list(seen.holding), list(seen.near)
    mind.present, mind.hearing, mind.light = list(seen.present), list(seen.hearing), seen.light
    if seen.seen_at >= 0:
        for person in mind.present:
            mind.beliefs.meet(person, "person").cell = seen.seen_at
    wakes: list[str] = []
    for percept in seen.percepts:
        preactivation.arrived(mind, percept)
        wake = TAKERS[percept.kind](mind, percept)
        if wake:
            wakes.append(wake)
    seen_now = [percept.what for percept in seen.percepts if percept.kind == "thing"]
    for percept in seen.percepts:
        if percept.kind == "act" and percept.data["skill"] in LAYING_SKILLS and percept.data.get("result") == "ok":
            _infer_place(mind, percept, seen_now)
    return wakes


def _infer_place(mind: Mind, percept: Percept, seen_now: list[int]) -> None:
    """Who saw a thing laid somewhere knows where it lies, even where it can't be seen itself."""
    item, place = [*percept.data.get("things", ()), 0, 0][:2]
    if item in mind.beliefs.things and mind.place_cell(place) >= 0 and item not in seen_now and item not in mind.holding:
        relation = "in" if mind.has_tag(place, "container") else "on"
        data = {"place": [relation, place], "cell": mind.place_cell(place)}
        thing, news = mind.beliefs.revise(item, mind.beliefs.things[item].kind, percept.tick, data)
        if news:
            mind.note("belief", f"thing-{item}", news=news, version=thing.version, percept=percept.ordinal, why="seen_laid")


def take_thing(mind: Mind, percept: Percept) -> str:
    """A thing seen or felt: revise the belief, miss what should be there, notice what nobody was seen doing."""
    data = _understood(mind, percept.data)
    known = percept.what in mind.beliefs.things
    thing, news = mind.beliefs.revise(percept.what, data["kind"], percept.tick, data)
    for name in mind.book.fading.get(thing.kind, ()):
        if name in data.get("props", ()):
            thing.felt[name] = percept.tick
    missed = _missing(mind, percept) if data.get("contents") is not None else []
    if "contents" in data:
        thing.props.pop("full", None)  # Whether it is full is to be tried again once something on it changed.
    if not known or percept.sense == "known":
        return ""
    if news:
        mind.note("belief", f"thing-{percept.what}", news=news, version=thing.version, percept=percept.ordinal)
    sudden = [name for name in news if name in NOTABLE and news[name][0] is not None] + (["missing"] if missed else [])
    if not sudden or percept.doer == SELF:
        mind.notable.pop(percept.what, None)
        return ""
    if percept.doer == UNKNOWN:
        mind.notable[percept.what] = percept
        if len(mind.notable) > 12:
            del mind.notable[next(iter(mind.notable))]
        remember(mind, "change", "noticed", ",".join(sudden), 500, 350, percept.origin, percept.sense, (percept.what,))
        return f"noticed:{percept.what}"
    return f"seen_change:{percept.what}"


def _understood(mind: Mind, data: dict[str, Any]) -> dict[str, Any]:
    """Return what was perceived of a thing with what it shows of what only a hand would feel: a wilted plant is dry."""
    props = data.get("props", {})
    shown = {
        name: fading.until
        for name, fading in mind.book.fading.get(data["kind"], {}).items()
        if fading.sign in props and props[fading.sign] == fading.shown and name not in props
    }
    return {**data, "props": {**props, **shown}} if shown else data


def _missing(mind: Mind, percept: Percept) -> list[int]:
    listed = percept.data["contents"]
    shut = percept.data["props"].get("open", 1) == 0
    missed = []
    for thing in mind.beliefs.inside(percept.what):
        if shut and thing.relation == "in":
            continue
        if thing.ordinal not in listed and thing.ordinal not in mind.holding:
            mind.beliefs.lose(thing.ordinal)
            mind.note("belief", f"thing-{thing.ordinal}", lost=True, version=thing.version, percept=percept.ordinal)
            missed.append(thing.ordinal)
    return missed


def take_person(mind: Mind, percept: Percept) -> str:
    """Someone comes, goes or is seen again."""
    mind.beliefs.revise(percept.what, "person", percept.tick, percept.data)
    change = percept.data.get("change", "")
    if change == "came":
        mind.relations.person(percept.what)
        stir(mind, mind.tick, 20, 120)
        remember(mind, "person", "came", "seen", 500, 300, percept.origin, percept.sense, (), (percept.what,))
        for promise in mind.promises:
            if promise.state == "open" and promise.speaker == percept.what and promise.action == "come":
                _keep(mind, promise, percept.origin)
        return "person_came"
    if change == "left":
        remember(mind, "person", "left", "seen", 500, 200, percept.origin, percept.sense, (), (percept.what,))
        for matter in mind.matters.values():
            if matter.speaker == percept.what and matter.stance in ("considering", "negotiating"):
                matter.stance, matter.reason = "ended", "speaker_left"
                matter.version += 1
                mind.note("matter", matter.id, stance="ended", reason="speaker_left", origins=list(matter.origins))
        left_behind(mind)
        return "person_left"
    return ""


def take_act(mind: Mind, percept: Percept) -> str:
    """Someone was perceived doing something: their conduct, and perhaps a promise kept."""
    action = ACTION_OF_SKILL.get(percept.data["skill"], "")
    things = tuple(percept.data.get("things", ()))
    if percept.doer in (SELF, UNKNOWN) or not action or percept.data.get("result") != "ok":
        return ""
    hindrances.changed(mind, percept.doer)
    favour = dialogue.helped(mind, percept.doer, action, things, percept.origin)
    if favour:
        return favour
    current = mind.intention()
    mine = current is not None and any(o in current.roles.values() for o in things)
    if mind.teach(percept.origin, PERSON):
        relation = mind.relations.person(percept.doer)
        if action == "give":
            relation.learn("conduct", mind.params.trust_gain // 2)
            _note_relation(mind, relation, "conduct", percept.origin)
        elif mine and action in ("take", "put", "close", "open", "switch_off"):
            # Taken out of one's hands is the other's conduct, never one's own giving up.
            relation.learn("conduct", -mind.params.trust_loss // 2)
            stir(mind, mind.tick, -80, 100)
            _note_relation(mind, relation, "conduct", percept.origin)
    remember(mind, "act", action, "perceived", 400 if mine else 520, 320, percept.origin, percept.sense, things, (percept.doer,))
    for promise in mind.promises:
        same = SAME_ACTION.get(promise.action, promise.action) == action
        if promise.state == "open" and promise.speaker == percept.doer and same and promise.target in (0, *things):
            _keep(mind, promise, percept.origin)
    return f"act:{action}" if mine else ""


def _keep(mind: Mind, promise: Promise, origin: int) -> None:
    promise.state = "kept"
    if mind.teach(origin, PERSON) or promise.origin != origin:
        relation = mind.relations.person(promise.speaker)
        relation.learn("promises", mind.params.trust_gain)
        _note_relation(mind, relation, "promises", origin)


def _note_relation(mind: Mind, relation: Relation, domain: str, origin: int) -> None:
    mind.note("relation", f"person-{relation.person}", domain=domain, row=list(relation.row()), origin=origin)


def break_promises(mind: Mind) -> None:
    """A promise whose time is past and that was not perceived to be kept is broken, in that domain only."""
    for promise in mind.promises:
        if promise.state == "open" and promise.due_tick <= mind.tick:
            promise.state = "broken"
            relation = mind.relations.person(promise.speaker)
            relation.learn("promises", -mind.params.trust_loss)
            _note_relation(mind, relation, "promises", promise.origin)
            remember(
                mind, "promise", promise.action, "broken", 250, 500, promise.origin, "own", (promise.target,), (promise.speaker,)
            )
    mind.promises = [promise for promise in mind.promises if promise.state == "open"]


def take_speech(mind: Mind, percept: Percept) -> str:
    """Words heard: evidence that they were said, not that they are true."""
    data, speaker = percept.data, percept.doer
    if speaker == UNKNOWN:
        return ""
    mark, action, target = data["mark"], data.get("action", ""), data.get("target", 0)
    mind.last_speaker = speaker
    deeds.heard(mind, speaker, mark, action or "talk", target)
    answered = dialogue.heard(mind, percept)
    if answered is not None:
        return answered
    if mark in ("request", "suggestion"):
        remember(mind, "speech", mark, action or "talk", 500, 350, percept.origin, "sound", (target,) if target else (), (speaker,))
        if action == "talk":
            smalltalk.tell(mind, percept)
        # A suggestion that can't be read is talked about; a request that can't be read is not agreed to.
        return _put_matter(mind, percept, mark, action or ("talk" if mark == "suggestion" else ""), target)
    if mark == "claim":
        claim = mind.beliefs.hear(f"said:{speaker}:{data.get('theme', '')}", speaker)
        remember(mind, "speech", "claim", "heard", 500, 250, percept.origin, "sound", (target,) if target else (), (speaker,))
        if data.get("promise") and data.get("due_tick", 0) > mind.tick and claim.told == 1:
            mind.promises.append(Promise(speaker, action, target, mind.tick, data["due_tick"], percept.origin))
            mind.note("note", "", what="promise_heard", action=action, target=target, due=data["due_tick"])
        if claim.told <= 2 and not smalltalk.greeted_back(mind, percept):
            say(mind, speaker, "acknowledged", data["text"])
        return "speech"
    stir(mind, mind.tick, 30, 40)
    smalltalk.answer(mind, percept)
    return "speech"


def _put_matter(mind: Mind, percept: Percept, mark: str, action: str, target: int) -> str:
    """Make the asking a matter, or another asking of the same one; repetition adds no pull."""
    data, speaker, place = percept.data, percept.doer, percept.data.get("place", 0)
    for matter in mind.matters.values():
        same = (matter.speaker, matter.action, matter.target, matter.place) == (speaker, action, target, place)
        if same and (action or matter.text == data["text"]):
            break
    else:
        matter = Matter(mind.mint("mat"), speaker, mark, action, target, data["text"], mind.tick, due_tick=data.get("due_tick", 0))
        mind.matters[matter.id] = matter
        matter.place = place
        _let_go(mind)
        matter.after = waits.resolved(mind, data.get("wait", ""))
        matter.origins.append(percept.origin)
        mind.note("matter", matter.id, stance="considering", action=action, target=target, mark=mark, origins=[percept.origin])
        return "request"
    matter.asked += 1
    # What was settled before stays as it was settled: this asking is answered for itself.
    settled = matter.stance in ("accepted", "refused", "ended") and matter.commitment not in mind.commitments
    matter.origins = [percept.origin] if settled else [*matter.origins, percept.origin]
    matter.text = data["text"]
    matter.version += 1
    if matter.stance == "refused" and unchanged(mind, matter):
        matter.reason = "refused_before"
        _answer_again(mind, matter, "refused_before")
    elif matter.stance == "postponed":
        _answer_again(mind, matter, "postponed" if matter.due_tick > mind.tick else "considering")
    elif matter.open:
        _answer_again(mind, matter, "considering")
    elif matter.commitment in mind.commitments:
        at_it = matter.commitment == mind.current
        _answer_again(mind, matter, "at_it" if at_it else "not_forgotten")
    else:
        matter.stance, matter.asked_tick, matter.answered_tick, matter.reason = "considering", mind.tick, 0, ""
        matter.due_tick = data.get("due_tick", 0)  # The moment agreed on before is past.
        matter.after = waits.resolved(mind, data.get("wait", ""))
    mind.note(
        "matter", matter.id, stance=matter.stance, reason=matter.reason, asked=matter.asked, action=action, target=target,
        origins=[percept.origin],
    )  # fmt: skip
    return "request" if matter.open else "speech"


def _answer_again(mind: Mind, matter: Matter, key: str) -> None:
    """Say how *matter* stands to whoever asks again: the first few times, and then once in a while."""
    gap = mind.ticks(dialogue.COURTESIES_GAP_MS)
    if matter.said >= ANSWERS_AT_ONCE and mind.tick - matter.told_tick < gap:
        return
    minutes = max(1, (matter.due_tick - mind.tick) * mind.tick_ms // 60_000)
    say(mind, matter.speaker, key, matter.text, matter=matter.id, stance=matter.stance, minutes=minutes)
    matter.said, matter.told_tick = matter.said + 1, mind.tick


def _let_go(mind: Mind) -> None:
    """Forget the oldest settled matter beyond those kept, so that a round does not grow with what was ever asked."""
    if len(mind.matters) <= MATTERS_KEPT:
        return
    awaited = {deed.matter: True for deed in mind.inner.deeds}
    for name, matter in list(mind.matters.items()):
        if len(mind.matters) <= MATTERS_KEPT:
            return
        settled = matter.stance in ("accepted", "refused", "ended") and matter.commitment not in mind.commitments
        rested = mind.tick - max(matter.asked_tick, matter.answered_tick, matter.due_tick) > mind.ticks(MATTER_RESTS_MS)
        if settled and rested and name not in awaited:
            del mind.matters[name]


def take_voice(mind: Mind, percept: Percept) -> str:
    """A thought of unknown source: one theme, at most one candidate lifted later; never a fact, never a goal."""
    data = percept.data
    action, target = data.get("action", ""), data.get("target", 0)
    key = f"{action}:{target}" if action else data["theme"]
    stance = mind.relations.stance("inner_voice", key)
    voice = mind.voices.get(key)
    if voice is None:
        if len(mind.voices) >= VOICES_MAX:
            # What is settled goes first, then what has been silent longest.
            del mind.voices[min(mind.voices, key=lambda name: (mind.voices[name].state == "unresolved", mind.voices[name].last_tick))]
        voice = mind.voices[key] = Voice(key, action, target, mind.tick, mind.tick, origin=percept.origin)
    else:
        voice.count += 1
        voice.origin = percept.origin
        voice.last_tick = mind.tick
        if voice.state != "unresolved" and mind.tick - voice.used_tick >= mind.ticks(mind.params.voice_theme_gap_ms):
            voice.state = "unresolved"
    if mind.teach(percept.origin, BOUNDARY):
        _guard(mind, key, voice)
    mind.note("feedback", "", origin=percept.origin, stance="considering" if stance == "open" else stance, theme=key)
    return "voice" if stance in ("open", "confirm") else ""


def _guard(mind: Mind, key: str, voice: Voice) -> None:
    """Repeated overstepping first changes the boundary toward this voice: its theme, then the channel."""
    if voice.count < 2:
        return
    theme, channel = mind.relations.boundary("inner_voice", key), mind.relations.boundary("inner_voice")
    theme.overstepped += 1
    channel.overstepped += 1
    for line, limit, stance in ((theme, mind.params.voice_mute_after, "muted"), (channel, mind.params.voice_block_after, "confirm")):
        if line.overstepped >= limit and line.stance == "open":
            line.stance = stance
            line.version += 1
            mind.note("boundary", f"inner_voice/{line.theme}", stance=stance, overstepped=line.overstepped)


def take_sound(mind: Mind, percept: Percept) -> str:
    """A sound: some of them say something about a thing, some call for attention."""
    name = percept.data["sound"]
    if name in ("phone_rings", "phone_stops") and percept.what:
        mind.beliefs.revise(percept.what, percept.data["kind"], percept.tick, {"props": {"ringing": int(name == "phone_rings")}})
        if name == "phone_rings":
            return "phone_rings"
        for commitment in mind.open_commitments():
            # Missed: nothing failed and nothing is learned of it.
            if commitment.task == "answer_phone" and (mind.doing is None or mind.doing.skill != "answer_phone"):
                end(mind, commitment, "cancelled", "phone_stopped")
        return ""
    return name if name in ("knock", "letters", "delivery") else ""


def take_felt(mind: Mind, percept: Percept) -> str:
    """A need has crossed a threshold; only getting worse wakes, or being full."""
    need, direction, level = percept.data["need"], percept.data["direction"], percept.data["level"]
    assert need in NEEDS
    if direction == "down" and level <= mind.params.comfortable:
        return f"need:{need}:{level}"
    return ""


def take_outcome(mind: Mind, percept: Percept) -> str:
    """The body reports on the resident's own skill."""
    return outcome(mind, percept)


def take_pain(mind: Mind, percept: Percept) -> str:
    """Something hurts: that is always worth a round."""
    stir(mind, percept.tick, -200, 200)
    return "pain"


TAKERS: dict[str, Callable[[Mind, Percept], str]] = {
    "thing": take_thing,
    "person": take_person,
    "act": take_act,
    "speech": take_speech,
    "voice": take_voice,
    "sound": take_sound,
    "felt": take_felt,
    "outcome": take_outcome,
    "pain": take_pain,
}
