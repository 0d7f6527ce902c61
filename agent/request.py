"""A request: one question to the model, with everything its answer may rest on.

A request is a value. It is made once, when a round finds the question worth asking, and never changes; what
happens to it afterwards is the business of the slot (agent/slot.py). Everything a reply may name is listed in
the request itself (*group* and *refs*), so an answer is checked without looking anywhere else.

Ten questions are answered by fields, as codes; `ten_questions` lists them in their order.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

CONTEXT_PARTS: tuple[str, ...] = (
    "identity", "state", "commitment", "observations", "memories", "candidates", "setting", "contract",
)
"""The eight parts of a context, in the order in which they are written into a prompt."""

WITHHELD: tuple[str, ...] = (
    "unperceived_facts", "world_ids", "source_of_inner_voice", "operator_and_protocol",
)
"""What no request may show, whatever its type."""

EXPLICIT_ENDS: tuple[str, ...] = ("wait", "refuse", "none_feasible")
"""Answers to `choose` that are no candidate of the group."""

Dep = tuple[str, int, int]
"""One thing the answer rests on: (kind, ordinal of the resident's own, version)."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What one decision type asks for, as codes for the log and for `why`."""

    question: str
    ids_from: str
    output: str
    confirmed_by: str
    fallback: str
    feedback: str


KINDS: dict[str, Kind] = {
    "choose": Kind("which_of_the_group", "near_tie_group", "candidate_id_or_explicit_end", "world_outcome",
                   "best_of_group", "outcome_to_method_and_intuition"),
    "intention": Kind("what_becomes_of_the_intention", "open_intentions",
                      "continue_pause_resume_replace_give_up", "commitment_progress",
                      "continue_to_pausing_point", "resume_point_or_new_intention"),
    "plan": Kind("which_tasks_in_which_order", "known_templates_and_perceived_objects", "one_to_five_tasks",
                 "world_outcome_of_each_task", "next_known_task", "task_list_of_the_intention"),
    "appraise": Kind("what_did_the_event_mean", "perceived_events_not_yet_appraised", "bounded_integers",
                     "ledger_of_event_and_domain", "neutral_appraisal", "one_learning_domain_once"),
    "speak": Kind("how_to_word_the_stance", "stances_open_now_and_setting_rules",
                  "stance_words_and_whether_to_end",
                  "speech_fact_in_the_world", "plain_words_of_the_stance", "conversation_state"),
    "reflect": Kind("what_may_be_concluded", "own_experiences_with_origins", "hypothesis_with_pros_and_cons",
                    "slow_loop_evidence_gate", "no_reflection", "hypothesis_with_confidence"),
    "combine": Kind("how_known_skills_may_reach_the_goal", "known_objects_skills_and_conditions",
                    "one_proposal_to_compile", "compiler_then_world_outcome", "observe_or_wait",
                    "candidate_of_the_next_round"),
}
"""The seven decision types. Closed: a type that is not here does not exist."""

TYPES: tuple[str, ...] = tuple(KINDS)
assert len(TYPES) == 7, "seven decision types, no more"


@dataclass(frozen=True, slots=True)
class Request:
    """One question of one type.

    *tick*, *deadline_tick* are ticks. *version* is the digest of what the answer rests on. *group* are the
    candidate ids of a `choose`. *refs* lists, per kind of reference, every id a reply may name (see
    agent/reply.py); *origins* maps an experience to the root event it stems from. *context* holds the eight
    parts as plain JSON values. *candidates* in it are dicts with at least `id`, `text`, `score` (thousandths)
    and `source`, and may carry `marks` (`promise`, `person`, `safety`, ...). *confidence* asks for one.
    """

    id: str
    type: str
    tick: int
    deadline_tick: int
    version: str
    deps: tuple[Dep, ...]
    group: tuple[str, ...]
    context: dict[str, Any]
    reason: str
    language: str = "en"
    refs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    confidence: bool = False
    withheld: tuple[str, ...] = WITHHELD
    question: str = ""
    ids_from: str = ""
    output: str = ""
    checked_by: str = "parse_then_versions_then_S4_safety_preconditions"
    committed_by: str = "slot_at_a_tick_boundary_once"
    confirmed_by: str = ""
    fallback: str = ""
    feedback: str = ""

    def __post_init__(self) -> None:
        assert self.type in KINDS
        assert self.deadline_tick > self.tick, "a deadline lies after the question"
        assert tuple(self.context) == CONTEXT_PARTS, "exactly eight parts, in their order"
        assert (self.type == "choose") == bool(self.group), "only a choice has a group, and it is not empty"
        assert len(set(self.group)) == len(self.group)
        assert self.serial > 0

    @property
    def serial(self) -> int:
        """Return N of the id `req-N`."""
        return serial_of(self.id)


@dataclass(frozen=True, slots=True)
class Part:
    """One numbered part of a request: one call to the model.

    *issue_tick* and *due_tick* are ticks; in live pace *due_tick* is the deadline. *note* says what this part
    adds to the question: the fault to mend, the constraints to respect, or which sample of which round.
    """

    request_id: str
    number: int
    kind: str
    issue_tick: int
    due_tick: int
    note: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        assert self.kind in PART_KINDS
        assert self.number >= 1
        assert self.due_tick >= self.issue_tick

    @property
    def id(self) -> str:
        """Return the id that a reply is matched by."""
        return f"{self.request_id}.{self.number}"


PART_KINDS: tuple[str, ...] = ("ask", "repair", "reask", "sample")


def serial_of(request_id: str) -> int:
    """Return N of `req-N`, or 0 for anything else."""
    head, _, tail = request_id.partition("-")
    if head != "req" or not tail.isascii() or not tail.isdigit() or len(tail) > 12 or tail[0] == "0":
        return 0
    return int(tail)


def version_of(request_id: str, deps: tuple[Dep, ...], group: tuple[str, ...], epoch: int = 0) -> str:
    """Return the short digest that a reply must name.

    *epoch* counts restores from a snapshot: an answer to a question of an abandoned course of events
    doesn't fit a question that got the same number again.
    """
    text = json.dumps([request_id, deps, group, epoch], separators=(",", ":"))
    return "v-" + blake2b(text.encode(), digest_size=6).hexdigest()


def make_request(
    number: int,
    decision: str,
    *,
    tick: int,
    deadline_tick: int,
    deps: tuple[Dep, ...],
    context: dict[str, Any],
    reason: str,
    group: tuple[str, ...] = (),
    refs: dict[str, tuple[str, ...]] | None = None,
    origins: dict[str, str] | None = None,
    language: str = "en",
    confidence: bool = False,
    epoch: int = 0,
    fallback: str = "",
) -> Request:
    """Return request `req-<number>` with its version and the codes of its type filled in.

    *context* may lack parts, which are then empty; an unknown part is a mistake of ours. The part `contract`
    is written here.
    """
    assert not set(context) - set(CONTEXT_PARTS), "a context has no ninth part"
    request_id = f"req-{number}"
    version = version_of(request_id, deps, group, epoch)
    kind = KINDS[decision]
    parts = {name: context.get(name, [] if name in LISTS else {}) for name in CONTEXT_PARTS}
    parts["contract"] = {
        "request_id": request_id, "version": version, "type": decision, "question": kind.question,
        "output": kind.output, "asked_at_tick": tick, "deadline_tick": deadline_tick, "why_now": reason,
        **({"also_allowed": list(EXPLICIT_ENDS)} if decision == "choose" else {}),
    }
    return Request(
        id=request_id, type=decision, tick=tick, deadline_tick=deadline_tick, version=version, deps=deps,
        group=group,
        context=parts, reason=reason, language=language, refs=dict(refs or {}), origins=dict(origins or {}),
        confidence=confidence, question=kind.question, ids_from=kind.ids_from, output=kind.output,
        confirmed_by=kind.confirmed_by, fallback=fallback or kind.fallback, feedback=kind.feedback,
    )


LISTS: tuple[str, ...] = ("observations", "memories", "candidates")


def ten_questions(request: Request) -> dict[str, str]:
    """Return the answers to the ten questions, keyed "1".."10", as codes and ids."""
    shown = "; ".join(name for name in CONTEXT_PARTS if request.context[name])
    ids = ", ".join(request.group) or "; ".join(f"{k}: {', '.join(v)}" for k, v in request.refs.items() if v)
    rests_on = ", ".join(f"{kind}-{ordinal} v{version}" for kind, ordinal, version in request.deps)
    return {
        "1": request.reason,
        "2": f"sees {shown}; never {', '.join(request.withheld)}",
        "3": f"{request.type}: {request.question}",
        "4": f"{request.ids_from}: {ids}",
        "5": request.output,
        "6": rests_on or "nothing that can change",
        "7": f"{request.checked_by}; {request.committed_by}",
        "8": request.confirmed_by,
        "9": request.fallback,
        "10": request.feedback,
    }
