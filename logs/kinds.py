"""The closed table of record kinds. Why, windows, metrics and gym read logs by this table alone.

A record is {seq, tick, kind, id, causes, data}; `data` holds the fields named here. A field may be absent
where its doc says so. Adding a kind or an optional field keeps the schema; renaming, removing or changing
the meaning of one raises SCHEMA_VERSION and adds a step to `logs/migrate.py`.
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
        "One act of the visitor as it entered the run, before any ruling. Re-simulation feeds on these.",
        {
            "channel": "physical, dialogue, inner_voice or system",
            "op": "what is done on that channel: take, say, whisper, pause, ...",
            "source": "script, human or api; for the audit only, the resident never learns it",
            "ordinal": "order among the inputs of one tick",
            "object": "thing acted on, or empty",
            "target": "place or body acted toward, or empty",
            "text": "words said or whispered, or empty",
            "mark": "claim, request, suggestion, plain or empty",
            "action": "registered action read out of the words, or empty",
            "due_tick": "tick by which it is asked for, or null",
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
    "control": Kind(
        "A system act that took effect: pause, resume, safe_stop, save, restore and the declared rewrites.",
        {
            "op": "which act",
            "snapshot": "id of the snapshot kept first, where one is demanded",
            "parent": "head and tick of the parent log, for restore",
            "before": "what was rewritten, as it was (declared rewrites)",
            "after": "what was rewritten, as it is (declared rewrites)",
        },
    ),
    "reply": Kind(
        "The bytes of a model's answer as they entered the run. Re-simulation feeds on these.",
        {
            "request": "id of the request",
            "part": "number of the part answered",
            "raw": "the reply as text, or null",
            "raw_b64": "the reply in base64 where it is not UTF-8",
            "failure": "why there is none: timeout, refused, transport, ...; empty otherwise",
            "latency_ticks": "ticks between asking and entering",
            "tokens_in": "tokens of the prompt as the provider counts them",
            "tokens_out": "tokens of the answer as the provider counts them",
            "model": "model as the provider names it",
        },
    ),
    "fact": Kind(
        "Something that truly happened in the room.",
        {
            "fact": "kind of fact: skill_started, skill_ended, moved, state, speech, event, ...",
            "doer": "body id, or empty",
            "subject": "thing, body or region id, or empty",
            "skill": "skill it belongs to, or empty",
            "cell": "where",
            "loudness": "mm at which it is just audible; 0 silent",
            "visible": "whether eyes could see it",
            "data": "particulars by kind of fact: result, factors, changed, ...",
        },
    ),
    "percept": Kind(
        "What reached the resident's senses, in the resident's own ordinals.",
        {
            "sense": "sight, sound, touch or voice",
            "ordinal": "the resident's own number for it",
            "origin": "ordinal of the root event it stems from",
            "content": "what was perceived",
            "world": "world ids behind it; in the log alone",
        },
    ),
    "felt": Kind(
        "The resident's own body signals when they crossed a threshold.",
        {
            "need": "name of the need",
            "value": "0..1000, 1000 best",
            "direction": "up or down",
            "pain": "0..1000, if any",
        },
    ),
    "experience": Kind(
        "An episodic record of what was observed or done.",
        {
            "summary": "structured content",
            "source": "sight, sound, touch, voice, told or own act",
            "events": "ordinals of the events in it",
            "origin": "ordinal of the root event",
            "importance": "0..1000",
        },
    ),
    "belief": Kind(
        "A belief made or changed.",
        {
            "claim": "subject, property and value taken to be so",
            "support": "experience ids for it",
            "against": "experience ids against it",
            "confidence": "0..1000",
            "version": "version after the change",
        },
    ),
    "learn": Kind(
        "One event taught one learning domain, once.",
        {
            "domain": "skill, practice, intuition, relation, prediction, ...",
            "event": "ordinal of the event that taught",
            "key": "what was taught about",
            "before": "value before",
            "after": "value after",
        },
    ),
    "relation": Kind(
        "The standing toward someone changed.",
        {"body": "body id", "before": "values before", "after": "values after", "evidence": "experience ids"},
    ),
    "boundary": Kind(
        "A boundary was set, changed, met or crossed.",
        {
            "theme": "action and target",
            "channel": "channel it holds for, or empty",
            "stance": "stance taken",
            "event": "set, changed, met or crossed",
        },
    ),
    "matter": Kind(
        "A pending item moved.",
        {
            "key": "action and target",
            "origin": "ordinal of the event it came from",
            "stance": "accepted, refused, negotiating, postponed, ended or considering",
            "progress": "what is done of it",
            "reason": "reason code",
        },
    ),
    "round": Kind(
        "One cognitive round: why it fired, the candidates and who decided.",
        {
            "wake": "condition that fired",
            "candidates": "each: id, source, template, roles, attraction and its parts",
            "group": "ids of the near-tie group, best first",
            "decider": "rule, clear, sys1, deterministic, sys2, fallback or none yet",
            "chosen": "candidate id, or null while a request is out",
            "evidence": "belief and experience ids used",
            "modules": "what the five subconscious modules and sys1 added",
            "reason": "reason code",
        },
    ),
    "commit": Kind(
        "The one decision that takes effect.",
        {
            "candidate": "candidate id",
            "decider": "decision kind",
            "request": "request id, if one was asked",
            "round": "round id",
            "template": "task template",
            "roles": "role to thing",
        },
    ),
    "task": Kind(
        "A task template started, moved on or ended.",
        {
            "template": "task template",
            "state": "started, step, suspended, resumed, done, failed or dropped",
            "step": "step number",
            "roles": "role to thing",
            "reason": "reason code",
        },
    ),
    "skill": Kind(
        "A bodily action of the resident was begun, reported or ended, as the body tells the mind.",
        {
            "skill": "skill id",
            "state": "begun, progress, ok, failed, stopped or timeout",
            "roles": "role to thing",
            "failure": "failure the body could feel",
        },
    ),
    "request": Kind(
        "A question to the model was issued or ended.",
        {
            "type": "choose, intention, plan, appraise, speak, reflect or combine",
            "state": "issued, committed, repaired, stale, expired, cancelled, rejected or fallback",
            "group": "candidate ids offered",
            "deps": "what it depends on: kind, ordinal, version",
            "version": "digest of what it depends on",
            "deadline_tick": "tick after which no answer counts",
            "context": "the context handed over",
            "reason": "reason code",
        },
    ),
    "part": Kind(
        "One numbered part of a request was sent.",
        {
            "request": "request id",
            "number": "part number",
            "part": "ask, repair, reask or sample",
            "due_tick": "tick by which it must answer",
            "prompt": "digest of the prompt",
            "text": "the prompt itself, where the protocol keeps it",
        },
    ),
    "ruling": Kind(
        "What came of a reply.",
        {
            "request": "request id",
            "part": "part number",
            "ruling": "commit, repair, reask or end",
            "choice": "candidate id, if any",
            "reason": "reason code",
            "fault": "fault code and detail, if unreadable",
            "because": "the model's words; display only",
        },
    ),
    "script": Kind(
        "A scheduled intervention came due, waited for its event, or lapsed.",
        {
            "entry": "id of the schedule entry",
            "state": "due, waiting, fired or lapsed",
            "input": "input id it became, if any",
        },
    ),
    "digest": Kind(
        "Checkpoint of the state.",
        {
            "state": "digest of everything restorable",
            "parts": "digest by part of the state",
            "draws": "draw counts by stream",
        },
    ),
    "snapshot": Kind(
        "Full state for seeking and restoring.",
        {"state": "coded state", "digest": "its digest"},
    ),
    "practice": Kind(
        "A habit formed, strengthened, weakened or dropped.",
        {
            "practice": "practice id",
            "before": "weight before",
            "after": "weight after",
            "reason": "reason code",
        },
    ),
    "goal": Kind(
        "A long-term goal moved.",
        {
            "goal": "goal id",
            "state": "taken, advanced, reached, shelved or dropped",
            "progress": "0..1000",
            "reason": "reason code",
        },
    ),
    "feedback": Kind(
        "What the visitor is shown about an intervention.",
        {
            "input": "input id",
            "perceived": "whether it reached the resident, as far as can be told",
            "stance": "stance taken",
            "outcome": "done, not done or open",
            "reason": "reason code",
            "channels": "state of each channel",
        },
    ),
    "note": Kind(
        "A remark for people; changes nothing.", {"text": "the remark", "topic": "what it is about"}
    ),
    "end": Kind(
        "Last record of a complete log; written by the seal.",
        {
            "status": "complete, stopped, aborted, restored, failed, ...",
            "records": "records in the log, this one included",
            "ticks": "active ticks in the log",
            "head": "chain head before this record",
            "reason": "reason code, if any",
        },
    ),
}
