"""From a choice to the body: taking on, pausing, resuming, finishing, and what to do next without a new round.

Inside a task one step follows another by itself; a round is needed only when the task is done, stuck or interrupted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from agent import hindrances
from agent.appraisal import learn_from_task
from agent.attraction import pull
from agent.candidates import Candidate
from agent.commitments import ACTIVE, PAUSED, PENDING, Commitment, Matter
from agent.favours import ask_favour
from agent.hindrances import CAUSES
from agent.matters import counter_offer, grounds, why_not
from agent.mind import Mind
from agent.percept import Percept
from agent.planning import WAITS_MAX, Finished, Stuck, absent, method_key, next_command
from agent.plans import follow
from agent.skill import Command, Step
from agent.waits import begin_tick, met
from agent.words import language_of, naming, offer_words, phrase, queue, say

SEEKS_MAX = 16  # commands without finishing a step, after which the step counts as getting nowhere
LONG_SKILLS_LEFT_MS = 60_000


@dataclass(frozen=True, slots=True)
class Enactment:
    """What a committed choice asks of the body: stop what it does now (if it can be stopped), or let it be."""

    interrupt: bool
    commitment: str = ""


def enact(mind: Mind, choice: Candidate) -> Enactment:
    """Commit *choice*: the only place where a decision becomes something the resident has taken on."""
    if choice.act == "continue":
        return Enactment(False, choice.commitment)
    if choice.act in ("accept", "refuse", "postpone", "negotiate"):
        settle(mind, mind.matters[choice.matter], choice.act, choice)
        return Enactment(True)
    if choice.act == "ask_help":
        ask_favour(mind, choice.person, choice.task, choice.roles["object"])
        return Enactment(True)
    wanted = pull(mind, choice)
    _give_way(mind, choice)
    pause_current(mind)
    if choice.act == "resume" or choice.commitment:
        commitment = mind.commitments[choice.commitment]
        commitment.roles = dict(choice.roles) or commitment.roles
    else:
        commitment = Commitment(
            id=mind.mint("com"), kind="intention", task=choice.task, source=choice.source, roles=dict(choice.roles),
            made_tick=mind.tick, minutes=choice.minutes, practice=choice.practice, goal=choice.goal, person=choice.person,
        )  # fmt: skip
        mind.commitments[commitment.id] = commitment
    commitment.state = ACTIVE
    # Waiting holds nobody: anything worth doing may end it at once.
    hold = 0 if choice.task in ("wait_quietly", "look_around") else mind.params.hold_ms
    commitment.hold_tick = mind.tick + hold // mind.tick_ms
    commitment.pull = max(commitment.pull, wanted) if hold else 10
    commitment.seeks = commitment.waits = 0
    commitment.version += 1
    if not commitment.begun_felt:
        commitment.begun_felt = list(mind.felt)
    mind.current = commitment.id
    commitment.voice = heeded(mind, choice) or commitment.voice
    mind.note(
        "task", commitment.id, state="started" if choice.act == "start" else "resumed", task=commitment.task,
        roles=commitment.roles, source=commitment.source, kind=commitment.kind, practice=commitment.practice,
        goal=commitment.goal, matter=commitment.matter,
    )  # fmt: skip
    return Enactment(True, commitment.id)


# Ends that one has once: another way to the same one takes the place of what was begun for it.
ONE_END = ("eat", "drink", "sleep", "wash", "toilet")


def _give_way(mind: Mind, choice: Candidate) -> None:
    """End what was begun to the same end as *choice*: nobody takes up breakfast again after lunch."""
    group = mind.task(choice.task).group
    for other in mind.open_commitments():
        same = other.kind == "intention" and other.id != choice.commitment and mind.task(other.task).group == group
        if same and group in ONE_END and other.state in (ACTIVE, PAUSED):
            end(mind, other, "replaced")


def heeded(mind: Mind, choice: Candidate) -> int:
    """Return the origin of the inner voice whose theme *choice* acts on, and resolve that theme; 0 if there is none."""
    task = mind.task(choice.task)
    for voice in mind.voices.values():
        lately = voice.used_tick >= 0 and mind.tick - voice.used_tick <= mind.ticks(mind.params.answer_within_ms)
        if voice.state == "unresolved" and lately and voice.action in task.verbs and voice.target in (0, *choice.roles.values()):
            voice.state = "resolved"
            mind.note("feedback", "", origin=voice.origin, stance="accepted", theme=voice.key)
            return voice.origin
    return 0


ABIDING = ("wait_quietly", "look_around", "rest_seat", "gaze_window")
"""Tasks that are carried out as soon as one is at them, however long one stays."""


def _at_it(mind: Mind, current: Commitment) -> bool:
    """Return whether the body does the very step that *current* is about."""
    steps = mind.task(current.task).steps
    doing = mind.doing if mind.doing_for == current.id else None
    return doing is not None and current.step < len(steps) and _performs(doing, steps[current.step], current.roles)


def pause_current(mind: Mind) -> None:
    """Put the current commitment aside with its resume point; one that holds nobody just ends."""
    current = mind.intention()
    mind.current = ""
    if current is None or current.state != ACTIVE:
        return
    if current.matter and current.task in ABIDING and _at_it(mind, current):
        # Asked to sit down, one has sat down: it has no end of its own that could be missed.
        end(mind, current, "done")
        return
    if not current.matter and current.task in (*ABIDING, "inspect", "explore_room", "tidy_up"):
        end(mind, current, "replaced")
        return
    current.state = PAUSED
    current.version += 1
    mind.note("task", current.id, state="paused", task=current.task, step=current.step)


def left_behind(mind: Mind) -> None:
    """Part with what was for, or with, who has left: being with them is over, what was promised waits for their return."""
    for commitment in mind.open_commitments():
        if not absent(mind, mind.task(commitment.task), commitment.roles):
            continue
        if commitment.kind != "obligation":
            end(mind, commitment, "cancelled", "person_left")
        elif commitment.state == ACTIVE:
            pause_current(mind)


def end(mind: Mind, commitment: Commitment, how: str, reason: str = "") -> None:
    """End *commitment*: done, failed, given_up, cancelled or replaced. It leaves the open list for good."""
    del mind.commitments[commitment.id]
    if mind.current == commitment.id:
        mind.current = ""
    commitment.state = how
    if commitment.task in mind.sys2.made_for and how in ("done", "failed"):
        del mind.sys2.made_for[commitment.task]  # Tried once; the goal's own ways are asked again.
    follows = how == "done" and follow(mind, commitment)
    met(mind, commitment.task, done=how == "done")
    mind.sys2.plans.pop(commitment.id, None)
    if commitment.voice:
        mind.note("feedback", "", origin=commitment.voice, stance="accepted", outcome=how)
    matter = mind.matters.get(commitment.matter)
    if matter is not None and matter.stance == "accepted" and not follows:
        matter.stance = "accepted" if how == "done" else "ended"
        matter.reason = "" if how == "done" else how
        matter.version += 1
        why = reason or {"replaced": "something_else"}.get(how, "")
        mind.note("matter", matter.id, stance=matter.stance, outcome=how, reason=why, origins=list(matter.origins))
        own_up(mind, matter, how)
    mind.note(
        "task", commitment.id, state=how, task=commitment.task, reason=reason, source=commitment.source,
        kind=commitment.kind, practice=commitment.practice, goal=commitment.goal, matter=commitment.matter,
        waited=mind.tick - commitment.made_tick,
    )  # fmt: skip
    learn_from_task(mind, commitment, how, reason)


def own_up(mind: Mind, matter: Matter, how: str) -> None:
    """Say to whoever was promised something that nothing comes of it: spec 05, 3, kept, cancelled, or openly given up."""
    if how in ("failed", "given_up", "replaced") and matter.speaker in mind.hearing:
        say(mind, matter.speaker, f"not_{how}", matter.text, matter=matter.id, stance="ended", about=matter)


def settle(mind: Mind, matter: Matter, act: str, choice: Candidate | None, *, by_rule: bool = False) -> None:
    """Take a stance to *matter* and say so."""
    minutes = mind.params.postpone_ms // 60_000
    words = ""
    stance = {"accept": "accepted", "refuse": "refused", "postpone": "postponed", "negotiate": "negotiating"}[act]
    since = matter.answered_tick or matter.asked_tick
    matter.stance, matter.answered_tick = stance, mind.tick
    matter.version += 1
    key = stance
    if act == "accept":
        assert choice is not None
        made = Commitment(
            id=mind.mint("com"), kind="obligation", task=choice.task, source="person", roles=dict(choice.roles),
            made_tick=mind.tick, state=PENDING, matter=matter.id, person=matter.speaker,
            due_tick=matter.due_tick or mind.tick + mind.ticks(15 * 60_000), minutes=choice.minutes,
        )  # fmt: skip
        mind.commitments[made.id] = made
        matter.commitment = made.id
        matter.reason = "willing"
        key = "accepted_later" if mind.busy() else "accepted"
        begins = begin_tick(mind, matter)
        if begins:
            # Asked for later: agreed on now, begun then.
            made.hold_tick = made.due_tick = begins
            matter.reason, matter.due_tick = "agreed_time", begins
            key = "accepted_at" if matter.after.startswith("at:") else "accepted_after"
            minutes = max(1, (begins - mind.tick) * mind.tick_ms // 60_000)
        mind.note("task", made.id, state="taken_on", task=made.task, kind="obligation", matter=matter.id, source="person")
    elif act == "refuse":
        matter.reason = why_not(mind, matter)
        matter.grounds = grounds(mind, matter)
        kind, _, why = matter.reason.partition(":")
        key = {"rule": "refused_rule", "unable": f"refused_{why}" if why in CAUSES else "refused_unable"}.get(kind, "refused")
    elif act == "postpone":
        matter.due_tick = mind.tick + mind.ticks(mind.params.postpone_ms)
        matter.reason = "no_time_to_answer" if by_rule else "busy"
        matter.delays += 1
        current = mind.intention()
        matter.after = ""
        if not by_rule and current is not None and current.state == ACTIVE and current.hold_tick > mind.tick:
            # A condition beside the time: it comes back as soon as this is done, at the latest at its time.
            matter.after, key = current.id, "postponed_after"
    else:
        matter.due_tick = mind.tick + mind.ticks(5 * 60_000)
        lacking = why_not(mind, matter)
        offer = counter_offer(mind, matter, lacking[5:] if lacking.startswith("rule:") else "", lacking)
        matter.reason = "unknown_how" if offer is None or lacking == "unable:unknown_action" else "counter_offer"
        if offer is not None:
            matter.offer = {"task": offer.task, "roles": dict(offer.roles), "due_tick": offer.due_tick}
            words = offer_words(mind, offer, language_of(matter.text, mind.persona["language"]))
    mind.note(
        "matter", matter.id, stance=stance, reason=matter.reason, action=matter.action, target=matter.target,
        asked=matter.asked, waited=mind.tick - matter.asked_tick, origins=list(matter.origins), due=matter.due_tick,
    )  # fmt: skip
    if matter.speaker in mind.hearing:
        language = language_of(matter.text, mind.persona["language"])
        words = words or phrase(mind, language, key, minutes)
        if _others_meanwhile(mind, matter, since):
            words = naming(mind, matter, language, words)
        queue(mind, matter.speaker, key, words, language, heard=matter.text, matter=matter.id, stance=stance)
        matter.said += 1


def _others_meanwhile(mind: Mind, matter: Matter, since: int) -> bool:
    """Return whether the same person has had another answer since *matter* was put: a bare "no" might be taken for that one's."""
    return any(each.answered_tick > since for each in mind.matters.values() if each.speaker == matter.speaker and each is not matter)


def next_act(mind: Mind) -> Command | str:
    """Return the next command for a free body, or the wake reason for which a round is needed first."""
    while mind.interludes and not mind.words_wait():
        command = mind.interludes.pop(0)
        if command.roles[0][1] in mind.hearing and mind.posture != "asleep":
            return _issue(mind, _named_if_late(mind, spoken(command), worded=(command.words or {}).get("worded") == "model"))
        mind.note("note", "", what="unsaid", words=spoken(command).words)
    current = mind.intention()
    if current is None or current.state != ACTIVE:
        return "idle"
    found = next_command(mind, current)
    if isinstance(found, Finished):
        end(mind, current, "done")
        return "task_done"
    if isinstance(found, Stuck):
        end(mind, current, "failed", found.predicate)
        return "task_failed"
    current.seeks += 1
    current.waits += found.skill == "wait" and current.task != "wait_quietly"
    if current.seeks > SEEKS_MAX or current.waits > WAITS_MAX:
        end(mind, current, "failed", "no_progress")
        return "task_failed"
    return _issue(mind, found)


def _named_if_late(mind: Mind, command: Command, *, worded: bool) -> Command:
    """Name what plain words answer if they had to wait, and something else was asked meanwhile: they would be taken for its answer."""
    words = command.words or {}
    matter = mind.matters.get(str(words.get("matter", "")))
    if matter is None or worded:
        return command
    told = max(matter.asked_tick, matter.answered_tick, matter.told_tick)
    if not any(each.asked_tick > told for each in mind.matters.values() if each.speaker == matter.speaker):
        return command
    return replace(command, words={**words, "text": naming(mind, matter, str(words["language"]), str(words["text"]))})


def spoken(command: Command) -> Command:
    """Return an utterance of the queue as the body says it, without what only the queue needs."""
    words = {key: value for key, value in (command.words or {}).items() if key not in ("id", "key", "heard", "worded")}
    return replace(command, words=words)


def _issue(mind: Mind, command: Command) -> Command:
    aim = mind.stands(command.roles[-1][1]) if mind.book.skills[command.skill].walks else (0, -1)
    command = replace(command, id=mind.mint("cmd"), aim=aim)
    mind.doing, mind.doing_since = command, mind.tick
    mind.doing_for = "" if command.words is not None else mind.current
    return command


def _performs(command: Command, step: Step, roles: dict[str, int]) -> bool:
    """Return whether *command* is the step itself, not the same skill with other things on the way to it."""
    bound = zip(step.roles, command.roles, strict=True) if step.skill == command.skill else ()
    return step.skill == command.skill and all(word == "home" or roles.get(word, 0) == found for word, (_, found) in bound)


def outcome(mind: Mind, percept: Percept) -> str:
    """Take in the body's report of its own skill; return the wake reason, "" if the task just goes on."""
    command, mind.doing = mind.doing, None
    if command is None or percept.data.get("command") != command.id:
        return ""
    result, failure = percept.data["result"], percept.data.get("failure", "")
    current = mind.commitments.get(mind.doing_for)
    if command.words is not None or current is None:
        return ""
    task = mind.task(current.task)
    main = current.step < len(task.steps) and _performs(command, task.steps[current.step], current.roles)
    if result == "ok":
        hindrances.changed(mind, dict(command.roles).get("person", 0))
        if main:
            current.step += 1
            current.left_ms = current.seeks = current.waits = 0
        elif command.skill == "open":
            current.opened.append(command.roles[0][1])
        elif command.skill == "close" and command.roles[0][1] in current.opened:
            current.opened.remove(command.roles[0][1])
        return ""
    if result == "stopped":
        # A wait that was broken off for a word goes on afterwards; it is not another one.
        current.waits -= command.skill == "wait" and current.waits > 0
        current.seeks -= current.seeks > 0
        if main and command.amount:
            left = command.amount - (mind.tick - mind.doing_since) * mind.tick_ms
            current.left_ms = max(LONG_SKILLS_LEFT_MS, left)
        return ""
    if current.state != ACTIVE or absent(mind, task, current.roles):
        return ""
    return _failed(mind, current, command, failure or result)


def _failed(mind: Mind, current: Commitment, command: Command, failure: str) -> str:
    """A method failed: it teaches its own domain, and twice in a row ends this way of doing it."""
    target = command.roles[0][1] if command.roles else 0
    current.failed.append(f"{command.skill}:{target}:{failure}")
    hindrances.failed(mind, command, failure)
    if failure == "jammed" and target:
        thing = mind.beliefs.things[target]
        thing.props["jammed"], thing.jammed_tick = 1, mind.tick
        thing.version += 1
        mind.note("belief", f"thing-{target}", props={"jammed": 1}, why="felt")
    if mind.book.skills[command.skill].walks and failure == "disturbed":
        goal = command.roles[-1][1]
        thing = mind.beliefs.things[goal]
        if goal not in mind.present and thing.relation != "unknown" and thing.seen_tick < mind.doing_since:
            # It is not where one took it to be, and was not seen elsewhere on the way: where it is, is not known.
            mind.beliefs.lose(goal)
            mind.note("belief", f"thing-{goal}", lost=True, version=thing.version, why="not_there")
    if failure.startswith("takes"):
        # No room there: a fact about the place, not about one's hands. Another place will do.
        place = dict(command.roles).get("target") or dict(command.roles).get("home", 0)
        if place in mind.beliefs.things:
            mind.beliefs.things[place].props["full"] = 1
            mind.beliefs.things[place].version += 1
            mind.note("belief", f"thing-{place}", props={"full": 1}, why="felt")
            return ""
    key = f"{command.skill}:{target}:"
    if sum(one.startswith(key) for one in current.failed) >= mind.params.failures_per_method_max or failure == "jammed":
        name = method_key(current.task, current.roles, mind)
        end(mind, current, "failed", f"{command.skill}:{failure}")
        mind.note("learn", name, domain="method", why=failure)
        return "task_failed"
    return ""
