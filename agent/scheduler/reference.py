"""The tools as the reference program answers them, defects and all (compat="reference").

Kept apart from ours so that neither bends the other. Its store is a plain snapshot per
namespace, and whoever saves last wins: that is part of what is being reproduced.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from agent.scheduler import attest, meta, prototypes, serve, skills
from agent.scheduler.auction import Context
from agent.scheduler.calibrate import CalibrationLog
from agent.scheduler.clusters import ClusterIndex, Evidence
from agent.scheduler.exact import unit
from agent.scheduler.params import ATTEST_SOURCES, Params, is_mutating, with_options
from agent.scheduler.reading import (
    DEFAULT_HINTS,
    HINTS,
    Refused,
    belongs_in_index,
    hints,
    meaning,
    node,
    text,
)
from agent.scheduler.rules import REFERENCE
from agent.scheduler.skills import Meaning, SkillMemory, Verdict

_SEMANTIC = ("action_type", "repo", "error_signature")
_CONTENT = ("verification", "verifier_result", "outcome")


class Snapshots(Protocol):
    """Where plain snapshots are kept."""

    def load(self, namespace: str) -> dict[str, Any] | None:
        """Return the snapshot of *namespace*, None if there is none that can be read."""

    def save(self, namespace: str, state: dict[str, Any]) -> None:
        """Replace the snapshot of *namespace*."""


@dataclass(slots=True)
class Remembered:
    """The one step the reference remembers."""

    arguments: dict[str, Any]
    node_id: str | None


@dataclass(slots=True)
class Session:
    """One open session."""

    id: str
    namespace: str
    params: Params
    library: meta.Library
    task: meta.Task
    skills: SkillMemory
    calibration: CalibrationLog
    keyed: bool
    clusters: ClusterIndex = field(default_factory=ClusterIndex)
    last: Remembered | None = None


@dataclass(slots=True)
class ReferenceDesk:
    """Answers tool calls as the reference does."""

    key: str
    store: Snapshots
    sessions: dict[str, Session] = field(default_factory=dict)
    nonces: attest.Nonces = field(default_factory=attest.Nonces)

    def call(self, name: str, arguments: dict[str, Any], *, now_ms: int, nonce: str) -> dict[str, Any]:
        """Return the structured content of one tool call. Raises Refused."""
        if name == "open_session":
            return self._open(arguments, now_ms)
        if name == "issue_attestation":
            return attest.issue(arguments, key=self.key, nonce=nonce, now_ms=now_ms, bound=False)
        session = self.sessions.get(text(arguments, "sessionId"))
        if session is None:
            raise Refused("unknown_session", "no such session; call open_session first")
        match name:
            case "new_task":
                return self._new_task(session)
            case "decide_step":
                return self._decide(session, arguments)
            case "report_outcome":
                return self._report(session, arguments, now_ms)
            case "task_feedback":
                return self._feedback(session, arguments)
            case "get_stats":
                return _stats(session)
            case "get_calibration":
                return session.calibration.summary()
            case "dump_prototypes":
                return _dump(session)
            case "dump_clusters":
                rows = session.clusters.dump()
                return {"nClusters": len(rows), "clusters": rows}
            case "close_session":
                self._save(session)
                del self.sessions[session.id]
                return {"ok": True, "persistedPrototypes": len(session.library.protos)}
        raise Refused("unknown_tool", f"no tool is called {name!r}")

    def _open(self, arguments: dict[str, Any], now_ms: int) -> dict[str, Any]:
        session_id = text(arguments, "sessionId")
        namespace = text(arguments, "namespace") or "default"
        options = arguments.get("opts")
        params, _ = with_options(Params(), options, bounded=False)
        stored = self.store.load(namespace)
        memory = SkillMemory(REFERENCE)
        library = meta.Library(mu=params.mu0)
        if stored is not None:
            _restore(library, memory, stored, now_ms)
        self.sessions[session_id] = Session(
            id=session_id,
            namespace=namespace,
            params=params,
            library=library,
            task=meta.Task(risk_budget=params.risk_budget0),
            skills=memory,
            calibration=CalibrationLog(params.calib_window),
            # Defect a: a namespace restored from disk has lost the key holder.
            keyed=stored is None,
        )
        return {
            "sessionId": session_id,
            "namespace": namespace,
            "loadedPrototypes": len(library.protos),
            "loadedSkills": len(memory.records),
            "mu": serve.number(library.mu),
        }

    def _new_task(self, session: Session) -> dict[str, Any]:
        session.task.restart(session.params, forget_spend=False)
        session.clusters = ClusterIndex()
        session.last = None
        return {
            "ok": True,
            "mu": session.library.mu,  # The one number the reference serves unrounded.
            "nPrototypes": len(session.library.protos),
            "nSkills": len(session.skills.records),
        }

    def _decide(self, session: Session, arguments: dict[str, Any]) -> dict[str, Any]:
        seen = meta.Seen(hints(arguments), text(arguments, "action_type") or None)
        finding = session.skills.look_up(meaning(arguments, branch=False))
        evidence, node_id = self._evidence(session, arguments, seen)
        if arguments.get("context_pollution") is not None:
            session.task.pollution = unit(arguments["context_pollution"])
        context = Context(
            action=seen.action,
            risk_class=text(arguments, "risk_class") or None,
            irreversible=arguments.get("irreversible") is True,
            skill=finding.signal,
            cluster=evidence,
        )
        decision = meta.decide_step(
            session.library,
            session.task,
            seen,
            context,
            None,
            session.params,
            REFERENCE,
        )
        if node_id is not None:
            placed = session.clusters.place(node_id)
            assert placed is not None
            placed.estimate = decision.estimate.p_mean
            placed.ignited = decision.ignite
        session.calibration.decided(decision.estimate.p_mean, decision.ignite, decision.threshold)
        session.last = Remembered(dict(arguments), node_id)
        return serve.decision_fields(decision, finding, evidence)

    def _evidence(
        self, session: Session, arguments: dict[str, Any], seen: meta.Seen
    ) -> tuple[Evidence | None, str | None]:
        if not belongs_in_index(arguments):
            return None, None
        node_id = text(arguments, "step_id") or f"s{len(session.clusters.nodes)}"
        return session.clusters.add(node(arguments, node_id, seen.hints[0])), node_id

    def _report(self, session: Session, arguments: dict[str, Any], now_ms: int) -> dict[str, Any]:
        merged, node_id = _aligned(session.last, arguments)
        session.last = None
        seen = meta.Seen(hints(merged), text(merged, "action_type") or None)
        ignited = bool(arguments.get("used_system2"))
        deep = arguments.get("was_deep")
        outcome = meta.Outcome(
            observed=unit(arguments.get("observed_criticality")),
            ignited=ignited,
            deep=ignited if deep is None else bool(deep),
            passed=_bool_or_none(arguments.get("verifier_passed")),
            missed=_bool_or_none(arguments.get("miss_happened")),
        )
        meta.learn(session.library, session.task, seen, outcome, session.params, REFERENCE)
        session.calibration.reported(outcome.observed)
        recorded = self._record(session, merged, arguments, now_ms)
        _observe(session, node_id, outcome)
        return {
            "ok": True,
            "nPrototypes": len(session.library.protos),
            "nSkills": len(session.skills.records),
            "skill_recorded": recorded,
            "pollution": serve.number(session.task.pollution),
            "remaining_risk_budget": serve.number(session.task.risk_budget),
            "shift_score": serve.number(meta.shift_score(session.task, session.task.recent_surprise)),
        }

    def _record(
        self, session: Session, merged: dict[str, Any], arguments: dict[str, Any], now_ms: int
    ) -> bool:
        about: Meaning = meaning(merged, branch=True)
        if not is_mutating(about.action) or not (
            any(arguments.get(name) is not None for name in _CONTENT) or text(arguments, "patch_summary")
        ):
            return False
        verdict = self._verdict(session, arguments.get("verification"), now_ms)
        session.skills.write(skills.make_record(about, arguments, verdict, now_ms, REFERENCE))
        return True

    def _verdict(self, session: Session, token: Any, now_ms: int) -> Verdict:
        if session.keyed:
            reason = attest.verify(token, key=self.key, now_ms=now_ms, nonces=self.nonces)
            return skills.verdict_of(token, reason == "ok", reason)
        return insecure_verdict(token)

    def _feedback(self, session: Session, arguments: dict[str, Any]) -> dict[str, Any]:
        success = bool(arguments.get("success"))
        meta.feedback(session.library, session.task, success, session.params, REFERENCE)
        self._save(session)
        return {
            "ok": True,
            "mu": serve.number(session.library.mu),
            "nPrototypes": len(session.library.protos),
        }

    def _save(self, session: Session) -> None:
        state = {
            "mu": session.library.mu,
            "protos": [each.stored() for each in session.library.protos],
            "skills": [each.stored() for each in session.skills.records],
        }
        self.store.save(session.namespace, state)


def insecure_verdict(token: Any) -> Verdict:
    """Return the reference's verdict without a key: a listed source and exit code 0 are enough."""
    if not isinstance(token, dict):
        return skills.verdict_of(token, False, "no-verification")
    if token.get("source") not in ATTEST_SOURCES:
        return skills.verdict_of(token, False, "bad-source")
    if attest.field_of(token, "exitCode") != 0:
        return skills.verdict_of(token, False, "nonzero-exit")
    return skills.verdict_of(token, True, "insecure-source-exitcode", insecure=True)


def _aligned(last: Remembered | None, report: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
    if last is None:
        known = dict(zip(HINTS, DEFAULT_HINTS, strict=True))
        given = {name: value for name, value in report.items() if value is not None}
        return {**known, **given}, text(report, "step_id") or None
    given = {name: value for name, value in report.items() if value is not None}
    if any(report.get(name) is not None for name in _SEMANTIC):
        base = {name: value for name, value in last.arguments.items() if name not in HINTS}
        return {**base, **given}, text(report, "step_id") or last.node_id
    only_hints = {name: value for name, value in given.items() if name in HINTS}
    return {**last.arguments, **only_hints}, last.node_id


def _observe(session: Session, node_id: str | None, outcome: meta.Outcome) -> None:
    placed = session.clusters.place(node_id) if node_id else None
    if placed is None:
        return
    gate = session.params.critical_gate
    if outcome.missed is True or outcome.passed is False or outcome.observed >= gate:
        placed.verified_critical = True


def _restore(library: meta.Library, memory: SkillMemory, stored: dict[str, Any], now_ms: int) -> None:
    price = stored.get("mu")
    if isinstance(price, (int, float)) and not isinstance(price, bool):
        library.mu = price
    for raw in stored.get("protos") or ():
        found = prototypes.restored(raw, library.next_serial)
        if found is not None:
            library.protos.append(found)
            library.next_serial += 1
    for raw in stored.get("skills") or ():
        record = skills.restored(raw, now_ms, REFERENCE, trusted=True)
        if record is not None:
            memory.records.append(record)


def _stats(session: Session) -> dict[str, Any]:
    return {
        "namespace": session.namespace,
        "nPrototypes": len(session.library.protos),
        "nSkills": len(session.skills.records),
        "mu": serve.number(session.library.mu),
        "ignitions": session.task.ignitions,
        "steps": session.task.steps,
        "pollution": serve.number(session.task.pollution),
    }


def _dump(session: Session) -> dict[str, Any]:
    return {
        "namespace": session.namespace,
        "mu": serve.number(session.library.mu),
        "prototypes": serve.prototypes_shown(session.library.protos),
        "skills": serve.skills_shown(session.skills.records),
    }


def _bool_or_none(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None
