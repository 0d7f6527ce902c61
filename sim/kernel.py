"""The kernel: one tick after another, or straight to the next at which anything can happen.

Theory of operation
===================
`advance(state, inputs, until_tick)` is deterministic: it reads no clock, file or socket. It asks everyone for the next
tick at which something is due (world, mind, script, request, checkpoint, input), jumps there, and runs the eight
steps of that tick in their fixed order:

  1 inputs    handed in, each through the gate, each written down, refused or not
  2 control   stop, pause, save; a pause ends the tick here
  3 replies   due model replies: commit or reject
  4 world     bodies, skills, objects, room events
  5 percepts  through the veil, the only road to the mind
  6 learning  from what was perceived
  7 round     if a wake condition fired
  8 record    digests, feedback

A jump of N ticks and N single ticks give the same state, because nothing happens that no timer announced. The kernel
stops early when a question goes out (the shell has to ask it), on a pause and on a stop.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from agent import absorb, acting, arbiter, asking, decisions, deeds, dues, effort, reviews, round, uncertainty
from agent.candidates import Candidate
from agent.percept import NEEDS
from agent.question import Question
from agent.request import Request, ten_questions
from agent.ruling import Review, Ruling
from agent.skill import Command
from interventions.contract import Intervention
from sim import record_causes
from sim import veil as veils
from sim.controls import control
from sim.feedback import boundary_drawn, hand_in, note_feedback, perceived, stance_taken
from sim.records import Records, fact_data, percept_data
from sim.state import NEVER, ReplyInput, State
from sim.visitor import plan_act, visitor_acts
from world.things import Fact

RESIDENT = veils.RESIDENT
HOUR_MS = 3_600_000
ROUNDS_PER_TICK_MAX = 6
RETRY_MS = 2_000
# What ends a question in flight, because it can't wait: spec 02, 1 and spec 03, 3.
PREEMPTING = ("pain", "need:bladder:150", "need:hydration:150", "need:satiety:150", "need:energy:150")
SLEEP_WAKES = ("pain", "phone_rings", "knock", "person_came", "request", "speech", "voice")
Ticked = tuple[int, list[dict[str, Any]]]


def advance(state: State, inputs: list[Intervention | ReplyInput], until_tick: int) -> list[Ticked]:
    """Advance to *until_tick*, or to the first tick at which the shell is needed; return the records by tick.

    *inputs* must not lie in the past. The state is changed in place and must not be used by anyone else.
    """
    assert until_tick >= state.tick, "time runs forward"
    state.replies += [each for each in inputs if isinstance(each, ReplyInput)]
    waiting = sorted((each for each in inputs if isinstance(each, Intervention)), key=lambda each: each.tick)
    assert not waiting or waiting[0].tick >= state.tick, "an input for a tick that is past"
    done: list[Ticked] = []
    last = min(until_tick, state.end_tick)
    while not state.stopped:
        tick = min(_next(state), waiting[0].tick if waiting else NEVER)
        if tick > last:
            state.tick = max(state.tick, last)
            break
        now: list[Intervention] = []
        while waiting and waiting[0].tick <= tick:
            now.append(waiting.pop(0))
        records = _tick(state, tick, now)
        if records:
            done.append((tick, records))
        if state._outbox or state.paused or state._shell:
            break
    assert not waiting or state._outbox or state._shell or state.paused or state.stopped, "every input is taken"
    state._untaken = waiting
    return done


def give_back(state: State) -> list[Any]:
    """Return the inputs that an early stop left untaken; they are to be handed in again."""
    untaken, state._untaken = state._untaken, []
    return untaken


def snapshot_record(state: State, saved: dict[str, Any]) -> dict[str, Any]:
    """Return the record with which a child log begins: the state it goes on from."""
    return {"tick": max(state.tick, 0), "kind": "snapshot", "id": "", "causes": [], "data": {"state": saved}}


def advance_alone(state: State, until_tick: int) -> list[Ticked]:
    """Advance to *until_tick* with no shell beside it: saves are not kept, questions go unanswered until they expire."""
    done: list[Ticked] = []
    while state.tick < min(until_tick, state.end_tick) and not state.stopped and not state.paused:
        done += advance(state, [], until_tick)
        state._outbox, state._shell = [], []
    return done


def step(state: State, inputs: list[Intervention | ReplyInput]) -> list[Ticked]:
    """Advance by one tick."""
    return advance(state, inputs, state.tick + 1)


def take_outbox(state: State) -> list[Any]:
    """Return the parts (with their requests) that wait to be asked."""
    out, state._outbox = state._outbox, []
    return out


def _next(state: State) -> int:
    """Return the next tick at which anything is due; never the present one again."""
    if not state.started:
        return 0
    if state.wakes and not state.slot.busy:
        return state.tick + 1  # What calls for a round waits for no other event: an act refused at the gate would else hasten it.
    slot = state.slot.next_tick()
    ticks = (
        state.room.next_tick(), dues.next_due(state.mind), state.script.next_tick(), state.next_digest_tick,
        NEVER if slot is None else slot, min((reply.tick for reply in state.replies), default=NEVER),
    )  # fmt: skip
    return max(state.tick + 1, min(ticks))


def _tick(state: State, tick: int, inputs: list[Intervention]) -> list[dict[str, Any]]:
    """Run the eight steps of *tick*; return its records."""
    log = Records(tick)
    first = not state.started
    state.started, state.tick, state.mind.tick = True, tick, tick
    voices, controls = take_inputs(state, log, inputs)
    if not control(state, log, controls):
        return log.rows
    take_replies(state, log)
    facts: list[Fact] = []
    while state.room.next_tick() < tick:  # What a pause in that very tick left undone.
        facts += state.room.advance(state.room.next_tick())
    facts += state.room.advance(tick)
    facts += visitor_acts(state, log, facts)
    wakes = perceive(state, log, facts, voices, first=first)
    wakes += dues.due(state.mind)
    reflect(state, log)
    _notes(state, log)
    if first:
        wakes.append("start")
    live(state, log, wakes)
    stop_by_rule(state, log, facts)
    checkpoint(state, log)
    return log.rows


def stop_by_rule(state: State, log: Records, facts: list[Fact]) -> None:
    """End the run where the protocol declared that it ends: the visitor gone, the budget spent, the model degraded."""
    if state.slot.budget.spent() and not state.counts.get("budget_spent"):
        state.count("budget_spent")
    met = {
        "visitor_left": any(fact.kind == "left" and fact.doer == veils.VISITOR for fact in facts),
        "budget_spent": bool(state.slot.budget.spent()),
        "degraded": state.slot.degraded,
    }
    for rule in state.stop_rules:
        if met.get(rule) and not state.stopped:
            state.stopped, state.ended_by = "stopped", rule
            state.slot.cancel("stopped")
            log.add("control", f"rule-{rule}", op="stop_rule", digest=state.digest())


# --- 1 inputs -----------------------------------------------------------------------------------------------------


def take_inputs(
    state: State, log: Records, given: list[Intervention]
) -> tuple[list[tuple[int, dict[str, Any]]], list[Intervention]]:
    """Hand in what the script and the shell bring, through the gate; return the inner voices and system acts let through."""
    state.inputs_taken = max(state.inputs_taken, *(act.ordinal for act in given), 0)
    from_script = [hand_in(state, name, act, "script") for name, act in state.script.due(state.tick)]
    voices: list[tuple[int, dict[str, Any]]] = []
    controls: list[Intervention] = []
    for act, receipt in state.gate.admit_all(state.tick, [*given, *from_script]):
        note_feedback(state, log, act, receipt)
        if not receipt.accepted:
            continue
        if act.channel == "inner_voice":
            state.voice_serial += 1
            state.causes[-state.voice_serial] = act.id
            theme = act.themes[0] if act.themes else ""
            voices.append((state.voice_serial, {"text": act.text, "action": act.action, "target": act.target, "theme": theme}))
        elif act.channel == "system":
            controls.append(act)
        else:
            state.acts.append(plan_act(state, act))
    return voices, controls


# --- 3 replies ----------------------------------------------------------------------------------------------------


def take_replies(state: State, log: Records) -> None:
    """Rule on every reply that is due now, then on the deadline and on changes."""
    due = [reply for reply in state.replies if reply.tick <= state.tick]
    state.replies = [reply for reply in state.replies if reply.tick > state.tick]
    mind, slot = state.mind, state.slot
    for reply in due:
        request = slot.request
        versions = asking.versions_now(mind, request.deps) if request else {}
        log.add(
            "reply", reply.part_id, causes=[reply.part_id], raw=reply.raw,
            failure=reply.failure, tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out, model=reply.model, wall_capped=reply.wall_capped,
        )  # fmt: skip
        if reply.wall_capped:
            state.count("wall_capped")
        ruling = slot.on_reply(
            reply.part_id, None if reply.raw is None else reply.raw.encode(), reply.failure, state.tick, versions,
            feasible=asking.obstacles(mind, list(state.asking.values())), tokens=reply.tokens_in + reply.tokens_out,
            review=reviewer(state), secrets=state._secrets,
        )  # fmt: skip
        account(state, reply, ruling)
        on_ruling(state, log, ruling)
    if slot.request is not None:
        ruling_now = slot.on_tick(state.tick, asking.versions_now(mind, slot.request.deps))
        if ruling_now is not None:
            on_ruling(state, log, ruling_now)


def on_ruling(state: State, log: Records, ruling: Ruling) -> None:
    """Write a ruling down; send its part, or commit, or fall back."""
    log.add(
        "ruling", ruling.request_id, causes=[log.reply_to(ruling.request_id)], what=ruling.kind, reason=ruling.reason,
        end=ruling.end, choice=ruling.choice,
        fault=None if ruling.fault is None else ruling.fault.code, part=None if ruling.part is None else ruling.part.id,
        because="" if ruling.answer is None else ruling.answer.because,
    )  # fmt: skip
    if ruling.part is not None:
        assert state.slot.request is not None
        part = ruling.part
        log.add("part", part.id, causes=[ruling.request_id], what=part.kind, due=part.due_tick, note=dict(part.note))
        state._outbox.append((part, state.slot.request))
    elif state.question is not None and ruling.kind in ("commit", "end"):
        settle_question(state, log, ruling)
    elif ruling.kind == "commit":
        _commit_reply(state, log, ruling)
    elif ruling.kind == "end":
        group, state.asking = state.asking, {}
        effort.forget(state.mind, state.asking_round)
        state.wakes.append(f"request_{ruling.end}")
        if ruling.reason != "preempted" and group:
            state.wakes.append("fallback")


def settle_question(state: State, log: Records, ruling: Ruling) -> None:
    """Enact the answer to one of the six types beside choose, or do without it."""
    mind, question = state.mind, state.question
    assert question is not None
    group, state.asking, state.question = state.asking, {}, None
    deciding = decisions.TABLE[question.type]
    if ruling.answer is not None:
        effect = deciding.enact(mind, question, ruling.answer, group)
    else:
        effect = deciding.without(mind, question)
        if ruling.reason == "preempted":
            effect = replace(effect, wakes=())
    log.add(
        "answer", ruling.request_id, causes=[ruling.request_id], type=question.type,
        by="fallback" if ruling.answer is None else "model", effect=effect.what,
        detail=effect.detail, fields={} if ruling.answer is None else ruling.answer.fields,
    )  # fmt: skip
    _notes(state, log)
    state.wakes += effect.wakes
    if effect.choice is not None:
        score = state.asking_scores.get(effect.choice.id, 0)
        commit(state, log, effect.choice, "sys2", score, state.asking_round, ruling.request_id, effect.what)


def reflect(state: State, log: Records) -> None:
    """Put the question of a pass of the slow loop that has just ended to the model, if nothing else is out."""
    question = decisions.of_slow_loop(state.mind, askable(state))
    if question is not None:
        _notes(state, log)
        pose(state, log, question, [])


def askable(state: State) -> tuple[str, ...]:
    """Return the decision types that may be asked now.

    None while a question is out, in a pause, and while the model is left alone: what nobody would answer is decided here, as
    without a model, and is not put off. A probe is a question like any other, at the tick the breaker names.
    """
    if state.slot.busy or state.paused or state.slot.barred(state.tick):
        return ()
    return tuple(state.model["types"])


def drop_question(state: State) -> None:
    """Do without the answer that is out: its course of events is left."""
    if state.question is not None:
        decisions.TABLE[state.question.type].without(state.mind, state.question)
    state.asking, state.question = {}, None
    state.mind.take_notes()


def pose(state: State, log: Records, question: Question, causes: list[str]) -> None:
    """Put *question* to the model."""
    state.requests += 1
    draft = decisions.TABLE[question.type].draft(state.mind, question, state.asking, state.asking_scores)
    deadline = state.tick + state.mind.ticks(state.model["deadline_ms"])
    request = asking.put(state.mind, question, draft, state.requests, deadline, state.epoch)
    state.question = question
    log.add("request", request.id, causes=causes, **request_data(request))
    on_ruling(state, log, state.slot.ask(request, latency_ticks=latency(state, request.id)))


def reviewer(state: State) -> Review:
    """Return what judges a readable, fresh and feasible answer."""
    policy = uncertainty.policy_of(state.mind.settings, live=state.live, depth=effort.samples(state.mind, state.asking_round))
    return partial(reviews.review, state.mind, state.question, policy, tuple(state.asking.values()))


def account(state: State, reply: ReplyInput, ruling: Ruling) -> None:
    """Count what a reply cost and whether it could be read, by decision type."""
    kind = state.question.type if state.question is not None else "choose"
    if ruling.kind == "ignored":
        kind = "ignored"
    readable = reply.raw is not None and ruling.fault is None
    for name, amount in (("replies", 1), ("valid", int(readable)), ("tokens_in", reply.tokens_in), ("tokens_out", reply.tokens_out)):
        key = f"model_{kind}_{name}"
        state.counts[key] = state.counts.get(key, 0) + amount


def _commit_reply(state: State, log: Records, ruling: Ruling) -> None:
    """Commit what the model chose of the group; an explicit end becomes what it says."""
    group, state.asking = state.asking, {}
    choice = group.get(ruling.choice)
    label = ""
    if choice is None:
        label = ruling.choice
        matter = next((one.matter for one in group.values() if one.matter), "")
        if ruling.choice == "refuse" and matter:
            choice = Candidate(f"{ruling.choice}", "person", "refuse", matter=matter, person=state.mind.matters[matter].speaker)
        else:
            task = "look_around" if ruling.choice == "none_feasible" else "wait_quietly"
            minutes = state.mind.task(task).minutes
            choice = Candidate(ruling.choice, "explore", "start", task, minutes=minutes)
    answer = ruling.answer
    assert answer is not None
    effort.chosen(state.mind, state.asking_round, otherwise=choice.id != next(iter(group)), reason=ruling.reason)
    commit(state, log, choice, "sys2", state.asking_scores.get(choice.id, 300), state.asking_round, ruling.request_id, label)
    if uncertainty.asked(state.mind):
        uncertainty.keep(state.mind, choice.label, answer.confidence, answer.because, deeds.commitment_of(state.mind, choice))
        _notes(state, log)


# --- 5 and 6 percepts and learning --------------------------------------------------------------------------------


def perceive(
    state: State, log: Records, facts: list[Fact], voices: list[tuple[int, dict[str, Any]]], *, first: bool = False
) -> list[str]:
    """Let what happened reach the resident, and let it teach; return the wake conditions met."""
    room, mind = state.room, state.mind
    for fact in facts:
        if fact.kind not in ("moved", "need_crossed"):
            log.add("fact", f"evt-{fact.id}", causes=[fact.cause] if fact.cause else [], **fact_data(room, fact))
        if fact.cause.startswith("int-"):
            state.causes[fact.id] = fact.cause
        subjects = (fact.subject, fact.skill, fact.doer)
        state.script.notice(state.tick, str(fact.data.get("event") or fact.kind), subjects)
    percepts = tuple(veils.familiar(state.veil, room)) if first else ()
    percepts += veils.perceive(state.veil, room, facts, voices)
    if not percepts and not first:
        return []
    seen = veils.observe(state.veil, room, percepts)
    for row in state.veil.minted:
        log.add("ordinal", "", ordinal=row[0], world=row[1], kind=row[2])
    state.veil.minted = []
    for percept, causes in zip(percepts, record_causes.of_percepts(state, percepts), strict=True):
        log.add("percept", f"per-{percept.ordinal}", causes=causes, **percept_data(percept))
    perceived(state, log)
    wakes = absorb.absorb(mind, seen)
    _notes(state, log)
    return wakes


def _notes(state: State, log: Records) -> None:
    """Take the mind's notes into the log; stances and boundaries also go to whoever waits for them."""
    for kind, name, data in state.mind.take_notes():
        known = data.pop("causes", None)
        log.add(kind, name, causes=known or record_causes.of_note(state, log, kind, data), **data)
        if kind == "commit":
            state.count(f"decided_{data['decided_by']}")
        note_feedback_of_mind(state, log, kind, name, data)


def note_feedback_of_mind(state: State, log: Records, kind: str, name: str, data: dict[str, Any]) -> None:
    """Pass on a stance, an outcome or a boundary of the resident to the visitor's rows and to the gate."""
    if kind == "boundary":
        boundary_drawn(state, name, data["stance"])
    elif kind in ("matter", "feedback"):
        stance_taken(state, log, data)
        state.script.notice(state.tick, str(data["stance"]), tuple(state.origins.get(o, "") for o in data.get("origins", ())))


# --- 7 the round, and the body --------------------------------------------------------------------------------------


def live(state: State, log: Records, wakes: list[str]) -> None:
    """Think if something calls for it, and keep the body going; a few times at most within one tick."""
    mind = state.mind
    pending = [*state.wakes, *(wake for wake in wakes if _counts(state, wake))]
    state.wakes = []
    if mind.next_look_tick and mind.next_look_tick <= state.tick:
        pending.append("look")
    if any(m.open and state.tick - m.asked_tick >= mind.ticks(mind.params.answer_within_ms) for m in mind.matters.values()):
        pending.append("answer_due")
    for _ in range(ROUNDS_PER_TICK_MAX):
        if pending and state.slot.busy:
            pending = _while_asking(state, log, pending)
        if pending:
            think(state, log, pending)
            pending = []
        pending = drive(state, log)
        if not pending:
            return
    # A body that can't begin anything looks again a little later.
    mind.next_look_tick = state.tick + mind.ticks(RETRY_MS)


def _counts(state: State, wake: str) -> bool:
    """Return whether *wake* is worth a round now: asleep, only what is strong or pressing is."""
    if state.mind.posture != veils.ASLEEP:
        return bool(wake)
    if wake.startswith("need:"):
        need, level = wake.split(":")[1:]
        return int(level) <= state.mind.params.urgent and need in ("bladder", "hydration", "satiety", "warmth")
    return wake.startswith(SLEEP_WAKES)


def _while_asking(state: State, log: Records, wakes: list[str]) -> list[str]:
    """A question is out: only what can't wait ends it; the rest waits for its end, a stance by rule included."""
    if any(wake.startswith(PREEMPTING) for wake in wakes):
        ruling = state.slot.cancel("preempted")
        assert ruling is not None
        on_ruling(state, log, ruling)
        return [*wakes, *state.wakes]
    if "answer_due" in wakes:
        round.rule_on_overdue(state.mind)
        _notes(state, log)
    state.wakes += [wake for wake in wakes if wake not in ("look", "answer_due", "idle")]
    state.mind.next_look_tick = state.tick + state.mind.ticks(state.mind.params.glance_ms)
    return []


def think(state: State, log: Records, wakes: list[str]) -> None:
    """Run a round; commit what it came to, or send its question."""
    mind = state.mind
    fall_back = "fallback" in wakes
    thought = round.think(mind, wakes)
    _notes(state, log)
    types = askable(state)
    if thought.ruling.ask and "choose" in types and not fall_back:
        thought = round.weigh(mind, thought)
    ruling = thought.ruling
    log.add("round", thought.id, causes=log.take_woke(), **round.record(mind, thought))
    state.count("rounds")
    if fall_back:
        choice = arbiter.fallback(mind, list(thought.ranked))
        score = next(one.score for one in thought.ranked if one.candidate is choice)
        commit(state, log, choice, "fallback", score, thought.id)
        return
    if ruling.ask and "choose" in types:
        state.requests += 1
        deadline = state.tick + mind.ticks(state.model["deadline_ms"])
        request = asking.ask(mind, thought, state.requests, deadline, state.epoch)
        state.asking = {one.candidate.id: one.candidate for one in ruling.group}
        state.asking_scores = {one.candidate.id: one.score for one in ruling.group}
        state.asking_round = thought.id
        log.add("request", request.id, causes=[thought.id], **request_data(request))
        on_ruling(state, log, state.slot.ask(request, latency_ticks=latency(state, request.id)))
        return
    # What was found to be worth no call is not asked about in another form.
    question = decisions.instead(mind, thought, types) if ruling.effort is None else None
    if question is not None:
        state.asking = {one.candidate.id: one.candidate for one in ruling.group}
        state.asking_scores = {one.candidate.id: one.score for one in ruling.group}
        state.asking_round = thought.id
        pose(state, log, question, [thought.id])
        return
    score = next(one.score for one in thought.ranked if one.candidate is ruling.choice)
    commit(state, log, ruling.choice, ruling.decided_by, score, thought.id, label=ruling.label or unasked(state, thought))
    question = decisions.beside(mind, thought, types)
    if question is not None:
        state.asking_scores = {}
        pose(state, log, question, [thought.id])


def unasked(state: State, thought: round.Thought) -> str:
    """Return why *thought*, worth a question to a model, was not put to it: the budget is spent, or the model left alone; else ""."""
    barred, types = state.slot.barred(state.tick), tuple(state.model["types"])
    worth = (thought.ruling.ask and "choose" in types) or decisions.instead(state.mind, thought, types) is not None
    return barred if barred and worth else ""


def latency(state: State, request: str) -> int:
    """Return the declared latency of *request* in ticks, drawn within its spread; -1 in live pace."""
    if state.live:
        return -1
    spread = state.model["latency_spread_ms"]
    drawn = state.chance.below("model.latency", request, spread + 1) if spread else 0
    return state.mind.ticks(state.model["latency_ms"] + drawn)


def request_data(request: Request) -> dict[str, Any]:
    """Return a request as the log keeps it, whole."""
    return {
        "type": request.type, "deadline": request.deadline_tick, "version": request.version, "reason": request.reason,
        "deps": [list(dep) for dep in request.deps], "group": list(request.group), "language": request.language,
        "context": request.context, "questions": ten_questions(request),
    }  # fmt: skip


def commit(
    state: State, log: Records, choice: Candidate, decided_by: str, score: int, round_id: str, request: str = "", label: str = ""
) -> None:
    """Commit one choice, once, at this tick: the only way from a decision to the body."""
    mind = state.mind
    state.count(f"decided_{decided_by}")
    log.add(
        "commit", f"cmt-{state.counts[f'decided_{decided_by}']}-{decided_by}", causes=[round_id, *([request] if request else [])],
        choice=choice.id, act=choice.act, task=choice.task, matter=choice.matter, decided_by=decided_by, label=label, score=score,
        digest=state.digest(),
    )  # fmt: skip
    deed = deeds.open_deed(mind, choice, decided_by, round_id)
    enacted = acting.enact(mind, choice)
    deeds.begin_deed(mind, deed, choice)
    if choice.act == "accept":
        state.wakes.append("taken_on")
    if choice.task in ("sleep_night", "nap"):
        mind.next_look_tick = 0
    elif choice.task in ("wait_quietly", "look_around"):
        mind.next_look_tick = state.tick + mind.ticks(mind.params.idle_ms)
    _notes(state, log)
    if enacted.interrupt:
        body = state.room.bodies[RESIDENT]
        if body.running is not None and mind.doing is not None:
            facts = state.room.interrupt(RESIDENT, "changed_mind")
            state.wakes += [wake for wake in perceive(state, log, facts, []) if _counts(state, wake)]


def drive(state: State, log: Records) -> list[str]:
    """Give a free body its next command; return the wake conditions for which a round is needed first."""
    mind, room = state.mind, state.room
    if room.bodies[RESIDENT].running is not None:
        return pause_to_speak(state, log)
    if state.slot.busy and mind.intention() is None and not mind.interludes:
        return []
    # What the body has just done may have changed what it feels and holds.
    veils_now = veils.observe(state.veil, room, ())
    absorb.absorb(mind, veils_now)
    if _words_wait(state, log):
        return []
    command = acting.next_act(mind)
    _notes(state, log)
    if isinstance(command, str):
        if state.slot.busy:
            state.wakes += [command] if command != "idle" else []
            return []
        return [command, *state.wakes] if not state.wakes else [command, *_taken(state)]
    skill, roles, amount, aim, words = veils.actuate(state.veil, command)
    facts = room.begin(RESIDENT, skill, roles, amount=amount, words=words, cause=command.id, aim=aim)
    said = [command.words["matter"]] if command.words and command.words.get("matter") else []
    log.add("skill", command.id, causes=said or ([mind.current] if mind.current else []), **_skill_data(command, skill, roles))
    wakes = perceive(state, log, facts, [])
    if room.bodies[RESIDENT].running is None:
        return wakes or ["refused"]
    return [wake for wake in wakes if _counts(state, wake)]


def _words_wait(state: State, log: Records) -> bool:
    """Ask for the next words if that is worth it; return whether the body holds still for them."""
    words = decisions.to_say(state.mind, askable(state))
    if words is not None:
        pose(state, log, words, [words.about["matter"]] if words.about["matter"] else [])
    return state.mind.words_wait()


def pause_to_speak(state: State, log: Records) -> list[str]:
    """Whoever is spoken to looks up from what may be left for a moment; what will soon be done is done first."""
    mind = state.mind
    if mind.doing is None or not mind.may_pause() or not mind.interludes or _words_wait(state, log):
        return []
    facts = state.room.interrupt(RESIDENT, "to_speak")
    perceive(state, log, facts, [])
    return drive(state, log) if state.room.bodies[RESIDENT].running is None else []


def _taken(state: State) -> list[str]:
    taken, state.wakes = state.wakes, []
    return taken


def _skill_data(command: Command, skill: str, roles: dict[str, str]) -> dict[str, Any]:
    return {
        "skill": skill, "roles": dict(command.roles), "world": roles, "amount": command.amount, "aim": command.aim, "words": command.words,
    }  # fmt: skip


# --- 8 record -----------------------------------------------------------------------------------------------------


def checkpoint(state: State, log: Records) -> None:
    """Write a digest of every part once a simulated hour, and at every active tick in heavy mode."""
    hour = state.next_digest_tick <= state.tick
    if not hour and not (state._heavy and log.rows):
        return
    if hour:
        every = HOUR_MS // state.tick_ms
        state.next_digest_tick = (state.tick // every + 1) * every
    log.add("digest", "", parts=state.digests(), needs=dict(zip(NEEDS, state.mind.felt, strict=True)))
