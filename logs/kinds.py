"""The closed table of record kinds. Why, windows, metrics and gym read logs by this table alone.

A record is {seq, tick, kind, id, causes, data}; `data` holds the fields named here, `causes` ids of earlier records
that it came of, as far as they were known when it was written. A field may be absent where its doc says so.
Adding a kind or an optional field keeps the schema; renaming, removing or changing the meaning of one raises
SCHEMA_VERSION and adds a step to `logs/migrate.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of record: what it says, and each field of its data."""

    doc: str
    fields: dict[str, str] = field(default_factory=dict)


KINDS: dict[str, Kind] = {
    "input": Kind(
        "One act of the visitor as it entered the run, before any ruling. Re-simulation feeds on those not by script.",
        {
            "channel": "physical, dialogue, inner_voice or system",
            "op": "what is done on that channel: take, say, whisper, pause, ...",
            "source": "script, human or api; for the audit only, the resident never learns it",
            "ordinal": "order among the inputs of the run",
            "object": "thing acted on, or empty",
            "target": "place, body or thing spoken of, or empty",
            "text": "words said or whispered, cleaned, or empty",
            "mark": "claim, request, suggestion, plain or empty",
            "action": "registered action declared or read out of the words, or empty",
            "due_tick": "tick by which it is asked for or promised, or null",
            "themes": "every theme key in it, for the limits",
            "data": "whatever else the operation needs",
        },
    ),
    "receipt": Kind(
        "The gate's ruling on an input.",
        {
            "status": "accepted or denied",
            "reason": "reason code, empty when accepted",
            "channel": "channel of the input",
            "remaining": "state of the channel after it: {state, used, max, until_tick}",
        },
    ),
    "feedback": Kind(
        "What the visitor is told of one intervention, whenever that changes: perceived, stance, outcome apart.",
        {
            "channel": "channel of the intervention",
            "op": "operation",
            "tick": "tick at which it was handed in",
            "receipt": "accepted or denied",
            "perceived": "whether it reached the resident",
            "perceived_tick": "when, or -1",
            "stance": "considering, accepted, refused, negotiating, postponed, ended, or empty",
            "outcome": "in_progress, done, failed, given_up, cancelled, replaced, or empty; of these all but the first are final",
            "reason": "reason code of the receipt, the stance or the outcome",
            "origin": "in a note of the mind about an inner voice: its origin",
            "theme": "in such a note: the theme as the resident holds it",
        },
    ),
    "control": Kind(
        "A system act that took effect: pause, resume, safe_stop, save, restore and the declared rewrites.",
        {
            "op": "which act",
            "digest": "digest of the state right after it",
            "before": "what was rewritten, as it was (declared rewrites)",
            "after": "what was rewritten, as it is (declared rewrites)",
        },
    ),
    "reply": Kind(
        "A model's answer as it entered the run; the id is the part's. Re-simulation feeds on these.",
        {
            "raw": "the reply as text, or null",
            "failure": "why there is none: timeout, connection, ...; empty otherwise",
            "tokens_in": "tokens of the prompt as the provider counts them",
            "tokens_out": "tokens of the answer as the provider counts them",
            "model": "model as the provider names it",
            "wall_capped": "whether the wall-clock cap of the request was hit",
        },
    ),
    "fact": Kind(
        "Something that truly happened in the room. Steps of a walk are not written: its path is.",
        {
            "fact": "kind of fact: skill_started, skill_ended, skill_refused, state, speech, sound, entered, left, ...",
            "doer": "body id, or empty",
            "subject": "thing, body or region id, or empty",
            "skill": "skill it belongs to, or empty",
            "cell": "where",
            "loudness": "mm at which it is just audible; absent where silent",
            "until": "tick at which a started skill will end, if nothing stops it",
            "path": "cells of a started walk",
            "path_ticks": "tick at which each of them is reached",
            "data": "particulars by kind of fact: result, failure, factors, changed, words, ...",
        },
    ),
    "ordinal": Kind(
        "The resident met something: its own ordinal for it, and the world id behind it, which the log alone holds.",
        {"ordinal": "the resident's number", "world": "world id", "kind": "what it looks like"},
    ),
    "percept": Kind(
        "What reached the resident, in its own ordinals.",
        {
            "sense": "sight, sound, touch, body, thought or known",
            "what": "thing, person, act, speech, sound, outcome, felt or voice",
            "of": "ordinal of what it is about, 0 for nothing",
            "doer": "ordinal of who was perceived doing it, 1 oneself, -1 unknown",
            "origin": "ordinal of the root event it stems from",
            "content": "what was perceived",
        },
    ),
    "experience": Kind(
        "An episodic record of what was observed or done.",
        {
            "row": "[ordinal, tick, kind, scene, action, outcome, reward, importance, origin, source, things, persons, "
            "label, vector]; reward and importance 0..1000; of a completed deed scene is its trigger key, label the action "
            "as a template, vector the scene it was chosen in: two hex digits a number, 128 added",
        },
    ),
    "belief": Kind(
        "A belief changed; the id names the thing by ordinal.",
        {
            "news": "property -> [before, after]",
            "props": "properties concluded from a failed operation",
            "lost": "true when the thing was not where it was believed to be",
            "version": "version of the belief after it",
            "percept": "ordinal of the percept behind it",
            "why": "what it was concluded from",
        },
    ),
    "learn": Kind(
        "One event taught one domain of learning, once; the id names what was learned about.",
        {
            "domain": "skill, object, person, boundary, feeling, goal, intuition, method or effort",
            "origin": "the event's origin",
            "effort": "of a lesson on effort: how much thought the choice had, cheap, call or reflect",
            "perceived": "of a lesson on effort: whether what was intended was perceived to have come about",
            "experience": "of a lesson on effort: the experience that closed the choice",
            "confidence": "confidence in the method after it, 0..1000",
            "row": "failures in a row",
            "why": "reason code",
        },
    ),
    "relation": Kind(
        "The relation to a person changed in one domain.",
        {
            "domain": "promises, requests, conduct or talk",
            "row": "[person, reliability by domain, origins by domain, version]",
            "origin": "the event behind it",
        },
    ),
    "boundary": Kind(
        "The resident drew a line toward a channel or a theme of it; the id is CHANNEL/THEME.",
        {"stance": "open, confirm, muted or blocked", "overstepped": "how often it was overstepped"},
    ),
    "matter": Kind(
        "A request or suggestion: made, answered, come back, or ended.",
        {
            "stance": "considering, accepted, refused, negotiating, postponed or ended",
            "reason": "reason code",
            "action": "registered action",
            "target": "ordinal of what it is about",
            "mark": "request or suggestion",
            "asked": "how often it was put",
            "waited": "ticks from asking to this stance",
            "due": "tick by which it is due or comes back",
            "origins": "origins of the askings",
            "outcome": "what came of what was taken on: done, failed, given_up, cancelled or replaced",
        },
    ),
    "round": Kind(
        "One cognitive round.",
        {
            "wakes": "wake conditions that called for it",
            "felt": "the nine needs as felt, 0..1000",
            "mood": "[pleasure, arousal]",
            "questions": "answers to the six fixed questions, in order",
            "candidates": "[id, source, act, task or matter, roles, matter, commitment, score, parts], best first",
            "dropped": "[id, source, act, task or matter, roles, matter, commitment, reason]",
            "group": "ids of the near-tie group, or of the clear leader alone",
            "decided_by": "clear, deterministic or sys1",
            "choice": "id of the candidate it came to",
            "ask": "reason code for which a model is worth asking, or empty",
            "effort": "what the compute scheduler found that worth: kind cheap, call or reflect, samples, reason, chance that "
            "thinking matters, bid and ask in thousandths, kind_of_chance",
            "intuition": "id of the intuition that settled it, where one did",
            "scenes": "in a near tie: candidate -> its trigger key",
            "vector": "in a near tie: the scene as numbers",
            "shadows": "[intuition, candidate] of those of lower standing that would have chosen too",
            "aside": "[intuition, reason] of those set aside: unsure, conflict:CODE or feeling",
            "stages": "[module, declared latency in ms, what it said] in the order in which they ran",
            "conflicts": "what S4 found against the leader",
            "label": "observe_first where a look went before the leader",
        },
    ),
    "commit": Kind(
        "A choice was committed, once; causes name the round and the request.",
        {
            "choice": "id of the candidate, or an explicit end",
            "act": "start, continue, resume, accept, refuse, postpone or negotiate",
            "task": "task template, or empty",
            "matter": "matter answered, or empty",
            "decided_by": "rule, clear, sys1, deterministic, sys2 or fallback",
            "label": "wait, refuse or none_feasible where a reply chose an explicit end; answer_time_over where a rule answered; "
            "breaker_open, calls_spent or tokens_spent where a question was not put to a model that is left alone",
            "score": "its attraction, 0..1000",
            "digest": "digest of the state it was taken in",
        },
    ),
    "task": Kind(
        "A commitment began, paused, went on or ended.",
        {
            "state": "taken_on, started, resumed, paused, done, failed, given_up, cancelled or replaced",
            "task": "task template",
            "roles": "role -> ordinal",
            "source": "which of the seven sources it came from",
            "kind": "intention or obligation",
            "practice": "practice it belongs to, or empty",
            "goal": "long-term goal it belongs to, or empty",
            "matter": "matter it answers, or empty",
            "step": "step it had come to",
            "reason": "reason code",
            "waited": "ticks since it was taken on",
        },
    ),
    "skill": Kind(
        "A command to the body; causes name the commitment.",
        {
            "skill": "skill id",
            "roles": "role -> ordinal",
            "world": "role -> world id",
            "amount": "ms, for skills that take an amount",
            "aim": "[ordinal, cell]: on what, and where, the resident takes the goal of a walk to be; [0, -1] for other skills",
            "words": "{text, language, stance, matter} of an utterance, or null",
        },
    ),
    "request": Kind(
        "A question to the model, whole; causes name the round.",
        {
            "type": "decision type",
            "deadline": "tick of the deadline",
            "version": "digest of what the answer rests on",
            "reason": "reason code",
            "deps": "[kind, ordinal, version] of each",
            "group": "ids that may be chosen",
            "language": "en or zh",
            "context": "the eight parts",
            "questions": "the ten questions, answered",
        },
    ),
    "part": Kind(
        "One part of a request goes out.",
        {
            "what": "ask, repair, reask or sample",
            "due": "tick at which its reply is due",
            "note": "what it adds to the question",
        },
    ),
    "ruling": Kind(
        "What came of a reply, a deadline or a change.",
        {
            "what": "ask, repair, reask, sample, commit, end or ignored",
            "reason": "reason code",
            "end": "committed, stale, expired, cancelled, rejected or fallback",
            "choice": "what was chosen, or empty",
            "fault": "why a reply could not be read, or null",
            "part": "id of the part sent, or null",
            "because": "the model's explanation: for people, without power",
        },
    ),
    "favour": Kind(
        "The resident asked a person for a favour, or had its answer.",
        {
            "state": "open, promised, done, refused, silence, not_done or moot (no longer needed)",
            "action": "what was asked: open or give",
            "target": "ordinal of what it is about",
            "person": "ordinal of who was asked",
            "due": "tick from which silence is an answer",
        },
    ),
    "answer": Kind(
        "What came of a question of another type than choose; the id is the request's.",
        {
            "type": "decision type",
            "by": "model, or fallback where there was no usable answer",
            "effect": "what it brought about, as a code",
            "detail": "ids of what it touched",
            "fields": "what the model answered, checked",
        },
    ),
    "step": Kind(
        "An answer with its doubt was committed; the id is the commitment it belongs to.",
        {
            "observation": "what was so, as one key",
            "action": "what was chosen",
            "confidence": "0..100 as reported, or null",
            "explanation": "the doubt in words: for people",
            "validity": "smallest confidence of the commitment so far, 0..100, or null",
        },
    ),
    "pattern": Kind(
        "S1 noticed, or S3 put forward, a pattern that repeats; the id is the cluster's.",
        {
            "by": "S1 or S3",
            "event": "noticed or nominated",
            "pattern": "trigger key > action",
            "count": "repeats of the pattern (S1), members of the cluster (S3)",
            "latency_ms": "declared latency of the module",
        },
    ),
    "thought": Kind(
        "A thought (L3) was settled or has grown: a belief on how an action goes, or a reflection.",
        {
            "type": "belief or reflection",
            "key": "what it is about",
            "label": "action as a template",
            "pros": "events for it, by origin",
            "cons": "events against it, by origin",
            "support": "the last origins for it",
            "counter": "the last origins against it",
            "confidence": "0..1000",
            "scene": "sum of the scenes of its evidence",
            "influence": "what a reflection may influence",
            "version": "version after it",
        },
    ),
    "dream": Kind(
        "The slow loop put a nominated pattern to the gate; the id is the intuition's where one was formed.",
        {
            "pattern": "trigger key > action",
            "cluster": "cluster that put it forward",
            "by": "S1 or S3",
            "verdict": "formed, known, frequency, reward, conflict, held_out, similarity or full",
            "frequency": "independent origins with the common outcome",
            "mean_reward": "mean reward of its experiences, 0..1000",
            "outcome": "common outcome",
            "supports": "ordinals of the experiences",
            "held_out": "ordinals of those held out",
            "held": "how many of those bear it out",
            "since": "ordinal from which experiences count",
        },
    ),
    "intuition": Kind(
        "Something happened to an intuition (L6), or to the library (no id).",
        {
            "event": "formed, used, shadow, verified, removed, demoted, recovering, active, emptied or health",
            "status": "active, warning, demoted or recovering",
            "confidence": "d * (successes + 1) / (uses + 2), 0..1000",
            "d": "damping by warnings, 0..1000",
            "uses": "uses, what it was formed from included",
            "successes": "successes among them",
            "cases": "shadow cases so far",
            "scene": "trigger key",
            "label": "action as a template",
            "vector": "trigger scene as numbers",
            "outcome": "expected outcome, or what came of a use",
            "description": "in a few words",
            "supports": "ordinals of the experiences it was formed from",
            "thoughts": "[id, link strength] of the thoughts it stems from",
            "success": "1 or 0",
            "reward": "reward of the use",
            "round": "round it fired in",
            "experience": "experience that closed the use",
            "why": "what called for it",
            "verdict": "keep, promote, warning, demoted or removed",
            "rate": "success rate of the window, 0..1000",
            "historical": "success rate before it, 0..1000",
            "window": "[tick, success, deed] of the last uses",
            "analysis": "what a removed one failed on",
            "health": "library health, 0..1000",
            "active": "share active, 0..1000",
            "fresh": "share used of late, 0..1000",
        },
    ),
    "reflection": Kind(
        "The slow loop looked back once.",
        {
            "why": "sleep, or the major event",
            "experiences": "experiences looked back over",
            "hypotheses": "[thought, pros, cons, confidence] of those revised",
            "goals": "[goal, what, reason] of those changed, three at most",
            "nominated": "patterns put to the gate",
            "formed": "intuitions formed",
            "library": "intuitions held after it",
        },
    ),
    "practice": Kind("A practice of living was done.", {"task": "task template", "day": "day of the run"}),
    "goal": Kind(
        "A long-term goal was advanced, or the slow loop paused, took up or ended it.",
        {"task": "task template", "state": "active, paused or ended, where it changed", "reason": "reason code of a change",
         "effort": "effort after a shift, 0..1000"},
    ),
    "digest": Kind(
        "A checkpoint: one digest per part of the state.",
        {"parts": "part -> digest", "needs": "need -> level as last felt"},
    ),
    "snapshot": Kind("The state a child log goes on from.", {"state": "the whole state, encoded"}),
    "note": Kind(
        "A remark of the core that changes nothing.",
        {
            "what": "unsaid or promise_heard",
            "words": "what was not said",
            "action": "action promised",
            "target": "ordinal of its target",
            "due": "tick it is promised for",
        },
    ),
    "end": Kind(
        "The last record: how the run ended.",
        {
            "status": "done, stopped, paused, restored or aborted",
            "reason": "stop rule of the protocol that ended it, or empty",
            "digest": "digest of the end state",
            "ticks": "last tick",
            "counts": "decisions by kind and others",
            "requests": "requests by end",
            "reasons": "reason codes of their ends",
            "denied": "denied acts by channel",
            "degraded_ticks": "ticks without a usable model",
            "calls": "calls to the model",
            "tokens": "tokens spent",
            "log": "what the writer adds: records (this one too), active_ticks, head of the chain before this record",
        },
    ),
}
"""Kind of record -> what it says. Closed: the writer refuses any other."""
