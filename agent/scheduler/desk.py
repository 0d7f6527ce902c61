"""The tools in the default mode: steps matched by id, trust only from bound tokens, events for state.

A Desk is one process's view of any number of sessions. Everything that lasts goes through
the ledger: a turn is taken, news of other processes is folded in, the call is judged on
that state, and its events are appended all or none.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from agent.scheduler import attest, ledger, meta, serve, skills
from agent.scheduler.auction import Context, Decision
from agent.scheduler.calibrate import CalibrationLog
from agent.scheduler.clusters import ClusterIndex, Evidence, Node
from agent.scheduler.exact import unit
from agent.scheduler.ledger import Event, Learned, Ledger, Turn
from agent.scheduler.params import ATTEST_SKEW_MS, CLUSTER_PARTS_MAX, Params, is_mutating, with_options
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
from agent.scheduler.rules import DEFAULT, Rules
from agent.scheduler.skills import Meaning, Verdict

_CONTENT = ("verification", "verifier_result", "outcome")
_CLOSED_REMEMBERED = 4096
COMPACT_EVERY = 500
"""Events after which a namespace is written anew in one piece."""


@dataclass(slots=True)
class Open:
    """A step that was decided and has not been reported."""

    id: str
    seen: meta.Seen
    meaning: Meaning
    decision: Decision
    foreseen: meta.Foreseen
    placed: Node | None
    command: str | None
    decided_ms: int


@dataclass(slots=True)
class Space:
    """One namespace as this process knows it."""

    name: str
    learned: Learned
    cursor: str = ""


@dataclass(slots=True)
class Session:
    """One open session."""

    id: str
    space: Space
    params: Params
    options: dict[str, Any]
    task: meta.Task
    calibration: CalibrationLog
    clusters: ClusterIndex
    open: dict[str, Open] = field(default_factory=dict)
    closed: dict[str, None] = field(default_factory=dict)
    serial: int = 0


@dataclass(slots=True)
class Desk:
    """Answers tool calls in the default mode."""

    key: str
    store: Ledger
    rules: Rules = DEFAULT
    sessions: dict[str, Session] = field(default_factory=dict)
    spaces: dict[str, Space] = field(default_factory=dict)

    def call(self, name: str, arguments: dict[str, Any], *, now_ms: int, nonce: str) -> dict[str, Any]:
        """Return the structured content of one tool call. Raises Refused."""
        if name == "open_session":
            return self._open(arguments, now_ms)
        if name == "issue_attestation":
            return issue(arguments, key=self.key, nonce=nonce, now_ms=now_ms)
        session = self.sessions.get(text(arguments, "sessionId"))
        if session is None:
            raise Refused("unknown_session", "no such session here; call open_session first")
        match name:
            case "new_task":
                return self._new_task(session, now_ms)
            case "decide_step":
                return self._decide(session, arguments, now_ms)
            case "report_outcome":
                return self._report(session, arguments, now_ms)
            case "task_feedback":
                return self._feedback(session, arguments, now_ms)
            case "get_stats":
                return self._stats(session, now_ms)
            case "get_calibration":
                return _calibration(session)
            case "dump_prototypes":
                return _dump(session)
            case "dump_clusters":
                rows = session.clusters.dump()
                return {"nClusters": len(rows), "clusters": rows}
            case "close_session":
                return self._close(session, now_ms)
        raise Refused("unknown_tool", f"no tool is called {name!r}")

    @contextmanager
    def _turn(self, space: Space) -> Iterator[Turn]:
        with self.store.turn(space.name, space.cursor) as turn:
            state, events = turn.news()
            if state is not None:
                space.learned = ledger.restored(state, self.rules, trusted=state.get("unsigned") is not True)
            space.learned.apply(events)
            space.cursor = turn.cursor()
            yield turn
            space.cursor = turn.cursor()

    def _write(self, turn: Turn, space: Space, events: list[Event]) -> None:
        if not events:
            return
        before = space.learned.events // COMPACT_EVERY
        turn.append(events)
        space.learned.apply(events)
        if space.learned.events // COMPACT_EVERY != before:
            turn.compact(space.learned.state())

    def _open(self, arguments: dict[str, Any], now_ms: int) -> dict[str, Any]:
        session_id = text(arguments, "sessionId")
        if not session_id:
            raise Refused("bad_arguments", "sessionId: a name is needed")
        held = self.sessions.get(session_id)
        namespace = text(arguments, "namespace") or "default"
        if held is not None and held.space.name != namespace:
            raise Refused(
                "session_in_use", f"session {session_id!r} is open on another namespace; close it first"
            )
        if held is not None:
            self._abandon(held, now_ms)
        space = self.spaces.get(namespace)
        if space is None:
            space = Space(namespace, ledger.fresh(self.rules))
        with self._turn(space):
            self.spaces[namespace] = space
        raw = arguments.get("opts")
        params, refused = with_options(Params(), raw, bounded=self.rules.firm_limits)
        options = {k: v for k, v in raw.items() if k not in refused} if isinstance(raw, dict) else {}
        self.sessions[session_id] = Session(
            id=session_id,
            space=space,
            params=params,
            options=options,
            task=meta.Task(risk_budget=params.risk_budget0),
            calibration=CalibrationLog(params.calib_window),
            clusters=ClusterIndex(self.rules.real_links),
        )
        return {
            "sessionId": session_id,
            "namespace": namespace,
            "loadedPrototypes": len(space.learned.library.protos),
            "loadedSkills": len(space.learned.skills.records),
            "mu": serve.number(space.learned.library.mu),
            "refused_opts": list(refused),
        }

    def _new_task(self, session: Session, now_ms: int) -> dict[str, Any]:
        self._abandon(session, now_ms)
        session.task.restart(session.params, forget_spend=True)
        session.clusters = ClusterIndex(self.rules.real_links)
        learned = session.space.learned
        return {
            "ok": True,
            "mu": serve.number(learned.library.mu),
            "nPrototypes": len(learned.library.protos),
            "nSkills": len(learned.skills.records),
        }

    def _abandon(self, session: Session, now_ms: int) -> None:
        """Close all open steps; the forced checks among them will never come and are owed."""
        missing = [each for each in session.open.values() if each.decision.forced_verify]
        session.open = {}
        if missing and self.rules.firm_limits:
            events = [_event("owed", key=_key(session, each.id), ts=now_ms) for each in missing]
            with self._turn(session.space) as turn:
                self._write(turn, session.space, events)

    def _decide(self, session: Session, arguments: dict[str, Any], now_ms: int) -> dict[str, Any]:
        step_id = self._name_step(session, arguments)
        seen = meta.Seen(hints(arguments), text(arguments, "action_type") or None)
        learned = session.space.learned
        about = meaning(arguments, branch=self.rules.branches)
        finding = learned.skills.look_up(about)
        placed: Node | None = None
        evidence: Evidence | None = None
        if belongs_in_index(arguments):
            placed = node(arguments, step_id, seen.hints[0], CLUSTER_PARTS_MAX)
            evidence = session.clusters.add(placed)
        if arguments.get("context_pollution") is not None:
            session.task.pollution = unit(arguments["context_pollution"])
        context = Context(
            action=seen.action,
            risk_class=text(arguments, "risk_class") or None,
            irreversible=arguments.get("irreversible") is True,
            skill=finding.signal,
            cluster=evidence,
            owed_checks=learned.debt(now_ms) if self.rules.firm_limits else 0,
        )
        decision = meta.decide_step(
            learned.library, session.task, seen, context, None, session.params, self.rules
        )
        if placed is not None:
            placed.estimate = decision.estimate.p_mean
            placed.ignited = decision.ignite
        held = Open(
            id=step_id,
            seen=seen,
            meaning=about,
            decision=decision,
            foreseen=meta.Foreseen(
                features=decision.estimate.read,
                raw=decision.estimate.p_mean,
                served=decision.estimate.p_crit,
            ),
            placed=placed,
            command=text(arguments, "verify_command") or None,
            decided_ms=now_ms,
        )
        self._hold(session, held, now_ms)
        return {
            **serve.decision_fields(decision, finding, evidence),
            "step_id": step_id,
            "p_kind": learned.library.reliability.kind(),
            "owed_checks": context.owed_checks,
            "debt_premium": serve.number(decision.debt_premium),
        }

    def _name_step(self, session: Session, arguments: dict[str, Any]) -> str:
        named = text(arguments, "step_id")
        if named:
            if named in session.open:
                # Asked again before it was done: the newer question replaces the older.
                del session.open[named]
            session.closed.pop(named, None)
            return named
        while True:
            session.serial += 1
            name = f"step-{session.serial}"
            if name not in session.open and name not in session.closed:
                return name

    def _hold(self, session: Session, held: Open, now_ms: int) -> None:
        events: list[Event] = []
        if len(session.open) >= session.params.open_max:
            oldest = session.open.pop(next(iter(session.open)))
            if oldest.decision.forced_verify:
                events.append(_event("owed", key=_key(session, oldest.id), ts=now_ms))
        session.open[held.id] = held
        if held.decision.forced_verify:
            events.append(_event("due", key=_key(session, held.id), ts=now_ms))
        if events and self.rules.firm_limits:
            with self._turn(session.space) as turn:
                self._write(turn, session.space, events)

    def _report(self, session: Session, arguments: dict[str, Any], now_ms: int) -> dict[str, Any]:
        held, step_id = _matched(session, arguments)
        seen, about = _as_reported(held, arguments, branch=self.rules.branches)
        space = session.space
        with self._turn(space) as turn:
            verdict, events = self._judge(session, held, step_id, about, arguments, now_ms)
            outcome = _outcome(arguments, verdict)
            more, recorded = self._events(session, held, seen, about, outcome, verdict, arguments, now_ms)
            alarms = space.learned.library.belief.alarms
            foreseen = held.foreseen if held else None
            meta.note(space.learned.library, session.task, seen, outcome, session.params, foreseen)
            self._write(turn, space, events + more)
        if space.learned.library.belief.alarms != alarms:
            session.task.safe_window = max(session.task.safe_window, session.params.safe_window_len)
        self._close_step(session, held, step_id, outcome)
        task = session.task
        return {
            "ok": True,
            "nPrototypes": len(space.learned.library.protos),
            "nSkills": len(space.learned.skills.records),
            "skill_recorded": recorded,
            "pollution": serve.number(task.pollution),
            "remaining_risk_budget": serve.number(task.risk_budget),
            "shift_score": serve.number(meta.shift_score(task, task.recent_surprise)),
            "step_id": step_id,
            "matched": held is not None,
            "verified": verdict.trusted,
            "attest_reason": verdict.reason,
        }

    def _judge(
        self,
        session: Session,
        held: Open | None,
        step_id: str,
        about: Meaning,
        arguments: dict[str, Any],
        now_ms: int,
    ) -> tuple[Verdict, list[Event]]:
        token = arguments.get("verification")
        nonces = session.space.learned.nonces
        if not self.rules.bound_tokens:
            reason = attest.verify(token, key=self.key, now_ms=now_ms, nonces=nonces)
            return skills.verdict_of(token, reason == "ok", reason), []
        binding = attest.Binding(
            namespace=session.space.name,
            session_id=session.id,
            step_id=step_id,
            repo=about.repo,
            branch=about.branch,
            patch_hash=attest.patch_digest(text(arguments, "patch_summary")),
            command=held.command if held else None,
        )
        reason, spent = attest.verify_bound(token, binding, key=self.key, now_ms=now_ms, nonces=nonces)
        if reason == "ok" and held is None:
            # A genuine token for a step that was never decided here vouches for nothing.
            reason = "unknown-step"
        elif reason == "ok" and held is not None and _too_early(token, held):
            # The run was over before the step was decided: a token of an earlier step by the same name.
            reason = "before-the-step"
        events = [] if spent is None else [_event("nonce", nonce=spent, ts=now_ms)]
        return skills.verdict_of(token, reason == "ok", reason), events

    def _events(
        self,
        session: Session,
        held: Open | None,
        seen: meta.Seen,
        about: Meaning,
        outcome: meta.Outcome,
        verdict: Verdict,
        arguments: dict[str, Any],
        now_ms: int,
    ) -> tuple[list[Event], bool]:
        events = [
            _event(
                "learn",
                hints=list(seen.hints),
                action=seen.action,
                observed=outcome.observed,
                ignited=outcome.ignited,
                deep=outcome.deep,
                missed=outcome.missed,
                features=list(held.foreseen.features) if held else None,
                raw=held.foreseen.raw if held else 0.0,
                served=held.foreseen.served if held else 0.0,
                opts=session.options,
            )
        ]
        recorded = is_mutating(about.action) and (
            any(arguments.get(name) is not None for name in _CONTENT)
            or bool(text(arguments, "patch_summary"))
        )
        if recorded:
            record = skills.make_record(about, arguments, verdict, now_ms, self.rules)
            events.append(_event("skill", record=record.stored()))
        if held is not None and held.decision.forced_verify and self.rules.firm_limits:
            arrived = verdict.trusted or verdict.reason == "failing-run"
            kind = "met" if arrived else "owed"
            events.append(_event(kind, key=_key(session, held.id), ts=now_ms, passed=verdict.trusted))
        elif verdict.trusted:
            events.append(_event("met", key="", ts=now_ms, passed=True))
        return events, recorded

    def _close_step(self, session: Session, held: Open | None, step_id: str, outcome: meta.Outcome) -> None:
        if held is None:
            return
        session.open.pop(step_id, None)
        session.closed[step_id] = None
        if len(session.closed) > _CLOSED_REMEMBERED:
            del session.closed[next(iter(session.closed))]
        estimate = held.decision.estimate
        session.calibration.score(
            (estimate.p_mean, held.decision.ignite, held.decision.threshold), outcome.observed
        )
        if held.placed is not None:
            held.placed.observed = outcome.observed
            gate = session.params.critical_gate
            if outcome.missed is True or outcome.passed is False or outcome.observed >= gate:
                held.placed.verified_critical = True

    def _feedback(self, session: Session, arguments: dict[str, Any], now_ms: int) -> dict[str, Any]:
        task, space = session.task, session.space
        event = _event(
            "task",
            under=task.regret_under,
            over=task.regret_over,
            success=arguments.get("success") is True,
            deep=task.deep_ewma,
            opts=session.options,
        )
        with self._turn(space) as turn:
            self._write(turn, space, [event])
        task.regret_under = 0.0
        task.regret_over = 0.0
        return {
            "ok": True,
            "mu": serve.number(space.learned.library.mu),
            "nPrototypes": len(space.learned.library.protos),
            "owed_checks": space.learned.debt(now_ms),
        }

    def _stats(self, session: Session, now_ms: int) -> dict[str, Any]:
        learned = session.space.learned
        return {
            "namespace": session.space.name,
            "nPrototypes": len(learned.library.protos),
            "nSkills": len(learned.skills.records),
            "mu": serve.number(learned.library.mu),
            "ignitions": session.task.ignitions,
            "steps": session.task.steps,
            "pollution": serve.number(session.task.pollution),
            "open_steps": len(session.open),
            "owed_checks": learned.debt(now_ms),
        }

    def _close(self, session: Session, now_ms: int) -> dict[str, Any]:
        self._abandon(session, now_ms)
        space = session.space
        with self._turn(space) as turn:
            turn.compact(space.learned.state())
        del self.sessions[session.id]
        return {"ok": True, "persistedPrototypes": len(space.learned.library.protos)}


def issue(arguments: dict[str, Any], *, key: str, nonce: str, now_ms: int) -> dict[str, Any]:
    """Return a bound token. The executor gives the patch summary, or its digest, and the step it ran for."""
    request = dict(arguments)
    if request.get("patch_hash") is None:
        request["patch_hash"] = attest.patch_digest(text(request, "patch_summary"))
    if request.get("namespace") is None:
        request["namespace"] = "default"
    return attest.issue(request, key=key, nonce=nonce, now_ms=now_ms, bound=True)


def _matched(session: Session, arguments: dict[str, Any]) -> tuple[Open | None, str]:
    """Return the open step a report is about, None for one that was never decided here."""
    named = text(arguments, "step_id")
    if named:
        if named in session.closed:
            raise Refused("step_closed", f"step {named!r} was reported before; one step teaches once")
        return session.open.get(named), named
    fitting = [each for each in session.open.values() if _fits(each, arguments)]
    if len(fitting) == 1:
        return fitting[0], fitting[0].id
    if fitting:
        ids = ", ".join(each.id for each in fitting[:8])
        raise Refused("ambiguous_step", f"several steps are open; name step_id, one of: {ids}")
    return None, ""


def _fits(held: Open, arguments: dict[str, Any]) -> bool:
    about = held.meaning
    said = (
        ("action_type", about.action),
        ("repo", about.repo),
        ("error_signature", about.error),
        ("lang", about.lang),
        ("file_type", about.file_type),
    )
    for name, value in said:
        if arguments.get(name) is not None and text(arguments, name) != value:
            return False
    given = zip(HINTS, held.seen.hints, strict=True)
    return all(arguments.get(name) is None or unit(arguments[name]) == value for name, value in given)


def _as_reported(held: Open | None, arguments: dict[str, Any], *, branch: bool) -> tuple[meta.Seen, Meaning]:
    """Return the step as decided, with what the report adds. What it leaves out stays as it was."""
    said = meaning(arguments, branch=branch)
    if held is None:
        known = tuple(
            unit(arguments[name]) if arguments.get(name) is not None else value
            for name, value in zip(HINTS, DEFAULT_HINTS, strict=True)
        )
        return meta.Seen((known[0], known[1], known[2]), said.action or None), said
    was = held.meaning
    merged = Meaning(
        repo=was.repo or said.repo,
        branch=was.branch or said.branch,
        lang=was.lang or said.lang,
        file_type=was.file_type or said.file_type,
        action=was.action or said.action,
        error=was.error or said.error,
        stack=was.stack or said.stack,
    )
    return meta.Seen(held.seen.hints, merged.action or None), merged


def _outcome(arguments: dict[str, Any], verdict: Verdict) -> meta.Outcome:
    """Return the outcome. A passed check needs a token; what speaks against oneself is believed."""
    passed: bool | None = None
    if verdict.trusted:
        passed = True
    elif verdict.reason == "failing-run" or arguments.get("verifier_passed") is False:
        passed = False
    ignited = arguments.get("used_system2") is True
    deep = arguments.get("was_deep")
    return meta.Outcome(
        observed=unit(arguments.get("observed_criticality")),
        ignited=ignited,
        deep=deep if isinstance(deep, bool) else ignited,
        passed=passed,
        missed=True if arguments.get("miss_happened") is True else None,
    )


def _calibration(session: Session) -> dict[str, Any]:
    curve = session.space.learned.library.reliability
    gap = curve.gap()
    return {
        **session.calibration.summary(),
        "p_kind": curve.kind(),
        "calibration_error": None if gap is None else serve.number(gap),
        "reliability": [
            {name: serve.number(value) if isinstance(value, float) else value for name, value in row.items()}
            for row in curve.curve()
        ],
    }


def _dump(session: Session) -> dict[str, Any]:
    learned = session.space.learned
    return {
        "namespace": session.space.name,
        "mu": serve.number(learned.library.mu),
        "prototypes": serve.prototypes_shown(learned.library.protos),
        "skills": serve.skills_shown(learned.skills.records),
    }


def _too_early(token: Any, held: Open) -> bool:
    return bool(attest.field_of(token, "ts") < held.decided_ms - ATTEST_SKEW_MS)


def _key(session: Session, step_id: str) -> str:
    return f"{session.id}\n{step_id}"


def _event(kind: str, **values: Any) -> Event:
    return {"t": kind, **values}
