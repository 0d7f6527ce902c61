"""Skill memory: what was done before about this error, and whether a run vouches for it.

A record is content (error, patch) with the verdict on its token. Trust is set once, when
the record is written, and only by the attestation; text is redacted before it is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import merge
from itertools import islice
from typing import Any

from agent.scheduler import params
from agent.scheduler.attest import field_of
from agent.scheduler.auction import SkillSignal
from agent.scheduler.exact import clip, rounded
from agent.scheduler.rules import Rules
from agent.scheduler.text import Vector, embed, embed_reference, redact, suspicious

_Near = list[tuple[float, "Record"]]
"""Records with their similarity, the nearest first."""
_NOTE = "seen elsewhere; for a person to read, not to be applied as it is"


@dataclass(frozen=True, slots=True)
class Meaning:
    """The semantic keys of a step. Empty text where a key was not given."""

    repo: str = ""
    branch: str = ""
    lang: str = ""
    file_type: str = ""
    action: str = ""
    error: str = ""
    stack: tuple[str, ...] = ()

    def says_anything(self) -> bool:
        """Return whether there is something to look up at all."""
        return bool(self.repo or self.error or self.stack)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the attestation came to."""

    trusted: bool
    reason: str
    insecure: bool = False
    source: str | None = None
    exit_code: float | None = None
    command: str | None = None
    commit: str | None = None
    patch_hash: str | None = None

    def stored(self) -> dict[str, Any]:
        """Return the verdict as dump and store show it."""
        return {
            "source": self.source,
            "exitCode": self.exit_code,
            "testCmd": self.command,
            "commitHash": self.commit,
            "patchHash": self.patch_hash,
            "trusted": self.trusted,
            "attestReason": self.reason,
            "insecureTrust": self.insecure,
        }


@dataclass(frozen=True, slots=True)
class Record:
    """One remembered experience."""

    meaning: Meaning
    patch: str
    footprint: tuple[float, float, float]
    verdict: Verdict
    verifier_result: str | None
    outcome: float | None
    flagged: bool
    ts: int
    vector: Vector

    def stored(self) -> dict[str, Any]:
        """Return the record as the store holds it."""
        return {
            **self.shown(),
            "stackFeatures": list(self.meaning.stack),
            "changeFootprint": dict(zip(("files", "hunks", "loc"), self.footprint, strict=True)),
            "ts": self.ts,
        }

    def shown(self) -> dict[str, Any]:
        """Return the record as dump_prototypes shows it."""
        return {
            "repo": self.meaning.repo,
            "branch": self.meaning.branch,
            "lang": self.meaning.lang,
            "fileType": self.meaning.file_type,
            "actionType": self.meaning.action,
            "errorSignature": self.meaning.error,
            "patchSummary": self.patch,
            "verification": self.verdict.stored(),
            "verifierResult": self.verifier_result,
            "outcome": self.outcome,
            "injectionFlag": self.flagged,
        }


@dataclass(slots=True)
class Finding:
    """What a look-up brought. Not frozen: one is made for each question."""

    signal: SkillSignal
    fix: str | None = None
    reference: dict[str, Any] | None = None
    support: int = 0
    neighbours: tuple[float, ...] = ()


@dataclass(slots=True)
class SkillMemory:
    """The records of one namespace, with an index from slots to the records that use them."""

    rules: Rules
    limit: int = params.SKILL_RECORDS_MAX
    records: list[Record] = field(default_factory=list)
    # Derived from records: each different vector once, slot -> (vector, value) of those that use it, and vector -> the
    # records that have it, in order; then for each record its (repo, branch), and how many records each place has.
    _vectors: dict[Vector, int] = field(default_factory=dict, repr=False)
    _users: dict[int, list[tuple[int, float]]] = field(default_factory=dict, repr=False)
    _having: list[list[int]] = field(default_factory=list, repr=False)
    _places: list[tuple[str, str]] = field(default_factory=list, repr=False)
    _in_place: dict[tuple[str, str], int] = field(default_factory=dict, repr=False)

    def write(self, record: Record) -> None:
        """Keep *record*; drop the least worth keeping when full."""
        self.records.append(record)
        while len(self.records) > self.limit:
            keys = [self._worth(each) for each in self.records]
            del self.records[keys.index(min(keys))]
            self._forget_index()

    def look_up(self, asked: Meaning) -> Finding:
        """Return what is known about a step like this."""
        if not self.records:
            nothing = 0.0 if self.rules.real_links and not asked.says_anything() else 1.0
            return Finding(SkillSignal(novelty=nothing))
        if self.rules.real_links and not asked.says_anything():
            return Finding(SkillSignal())
        ranked = self._ranked(self._similarities(vector_of(self._cleaned(asked), self.rules)))
        if self.rules.branches:
            return self._finding_by_place(asked, ranked)
        return self._finding(asked, list(islice(ranked, params.SKILL_NEIGHBOURS)))

    def _worth(self, record: Record) -> tuple[float, float]:
        if self.rules.branches:
            return (1.0 if record.verdict.trusted else 0.0, record.ts)
        return (0.0, (1e9 if record.verdict.trusted else 0.0) + record.ts)

    def _cleaned(self, asked: Meaning) -> Meaning:
        return clean(asked) if self.rules.signed_hashing else asked

    def _similarities(self, vector: Vector) -> list[float]:
        """Return the similarity of *vector* to each different one on record."""
        self._index()
        sums = [0.0] * len(self._vectors)
        for slot, value in sorted(vector):
            for which, its in self._users.get(slot, ()):
                sums[which] += its * value
        return sums

    def _ranked(self, sims: list[float]) -> Iterator[tuple[float, int]]:
        """Yield (similarity, record) from the most alike on; equals keep the order of the records."""
        at: dict[float, list[int]] = {}
        for which, sim in enumerate(sims):
            at.setdefault(sim, []).append(which)
        for sim in sorted(at, reverse=True):
            alike = at[sim]
            found = self._having[alike[0]] if len(alike) == 1 else merge(*(self._having[which] for which in alike))
            for i in found:
                yield sim, i

    def _index(self) -> None:
        """Enter the records that came since the last look."""
        if len(self._places) > len(self.records):
            self._forget_index()
        for record in islice(self.records, len(self._places), None):
            which = self._vectors.get(record.vector)
            if which is None:
                which = self._vectors[record.vector] = len(self._vectors)
                self._having.append([])
                for slot, value in record.vector:
                    self._users.setdefault(slot, []).append((which, value))
            self._having[which].append(len(self._places))
            place = (record.meaning.repo, record.meaning.branch)
            self._places.append(place)
            self._in_place[place] = self._in_place.get(place, 0) + 1

    def _forget_index(self) -> None:
        self._vectors, self._users, self._having, self._places, self._in_place = {}, {}, [], [], {}

    def _same_place(self, asked: Meaning, record: Record) -> bool:
        if not asked.repo or asked.repo != record.meaning.repo:
            return False
        if self.rules.branches:
            return asked.branch == record.meaning.branch
        return not asked.branch or not record.meaning.branch or asked.branch == record.meaning.branch

    def _finding(self, asked: Meaning, ranked: list[tuple[float, int]]) -> Finding:
        near = [(sim, self.records[i]) for sim, i in ranked]
        best = near[0][0]
        return self._told(asked, near, near, best, best if self._same_place(asked, near[0][1]) else 0.0)

    def _finding_by_place(self, asked: Meaning, ranked: Iterator[tuple[float, int]]) -> Finding:
        # Support and success are those of this place; what lies elsewhere, or beyond the nearest here, is only for reading.
        place, limit = (asked.repo, asked.branch), params.SKILL_NEIGHBOURS
        wanted = min(limit, self._in_place.get(place, 0)) if asked.repo else 0
        near: _Near = []
        away: _Near = []
        best: float | None = None
        for sim, i in ranked:
            if best is None:
                best = max(0.0, sim)
            if len(near) < wanted and self._places[i] == place:
                near.append((sim, self.records[i]))
            elif len(away) < limit:
                away.append((sim, self.records[i]))
            if len(near) == wanted and len(away) == limit:
                break
        assert best is not None, "there are records"
        return self._told(asked, near, near + away, best, near[0][0] if near else 0.0)

    def _told(self, asked: Meaning, near: _Near, all_near: _Near, best: float, match: float) -> Finding:
        """Return the finding: support and success are of *near*, fixes and cases of *all_near*."""
        strong = [(sim, r) for sim, r in all_near if sim >= params.SKILL_STRONG_SIM]
        usable = [(sim, r) for sim, r in strong if r.verdict.trusted and r.patch and not r.flagged]
        fix = next((r.patch for _, r in usable if self._same_place(asked, r)), None)
        away = next(((sim, r) for sim, r in usable if not self._same_place(asked, r)), None)
        reference = None
        if away is not None:
            sim, record = away
            reference = {
                "repo": record.meaning.repo,
                "patchSummary": record.patch,
                "sim": rounded(sim),
                "note": _NOTE,
            }
        signal = SkillSignal(
            novelty=clip(1 - best),
            prior_success=_prior_success(near),
            repo_match=clip(match),
            verified_support=len([1 for sim, r in near if sim >= params.SKILL_STRONG_SIM and r.verdict.trusted]),
            best_sim=best,
            reusable=fix is not None,
        )
        return Finding(signal, fix, reference, len(strong), tuple([sim for sim, _ in all_near]))


def vector_of(meaning: Meaning, rules: Rules) -> Vector:
    """Return the vector of a step's meaning. Patch text never enters it."""
    texts = (
        meaning.repo,
        meaning.lang,
        meaning.file_type,
        meaning.action,
        meaning.error,
        " ".join(meaning.stack),
    )
    return embed(texts) if rules.signed_hashing else embed_reference(texts)


def clean(meaning: Meaning) -> Meaning:
    """Return *meaning* redacted and cut to size."""
    return Meaning(
        repo=meaning.repo,
        branch=meaning.branch,
        lang=meaning.lang,
        file_type=meaning.file_type,
        action=meaning.action,
        error=redact(meaning.error)[: params.CUT_ERROR],
        stack=tuple(
            redact(each)[: params.CUT_STACK_TOKEN] for each in meaning.stack[: params.CUT_STACK_TOKENS]
        ),
    )


def make_record(meaning: Meaning, report: dict[str, Any], verdict: Verdict, ts: int, rules: Rules) -> Record:
    """Return the record of a reported step."""
    kept = clean(meaning)
    patch = report.get("patch_summary")
    raw = patch if isinstance(patch, str) else ""
    looked_at = (meaning.error, raw, *kept.stack)
    return Record(
        meaning=kept,
        patch=redact(raw)[: params.CUT_PATCH],
        footprint=_footprint(report.get("change_footprint")),
        verdict=verdict,
        verifier_result=_text_or_none(report.get("verifier_result")),
        outcome=_number_or_none(report.get("outcome")),
        flagged=suspicious(looked_at, any_script=rules.signed_hashing),
        ts=ts,
        vector=vector_of(kept, rules),
    )


def verdict_of(token: Any, trusted: bool, reason: str, *, insecure: bool = False) -> Verdict:
    """Return a verdict with those fields of *token* that are kept."""
    raw = token if isinstance(token, dict) else {}
    command = field_of(raw, "testCmd")
    return Verdict(
        trusted=trusted,
        reason=reason,
        insecure=insecure,
        source=_text_or_none(raw.get("source")),
        exit_code=field_of(raw, "exitCode"),
        command=redact(command)[: params.CUT_COMMAND] if isinstance(command, str) else None,
        commit=_cut_or_none(field_of(raw, "commitHash")),
        patch_hash=_cut_or_none(field_of(raw, "patchHash")),
    )


def restored(raw: Any, ts: int, rules: Rules, *, trusted: bool) -> Record | None:
    """Return a record from the store. Trust is taken over only if *trusted* says the store may be believed."""
    if not isinstance(raw, dict):
        return None
    verification = raw.get("verification")
    seen = verification if isinstance(verification, dict) else {}
    verdict = Verdict(
        trusted=trusted and seen.get("trusted") is True,
        reason=str(seen.get("attestReason") or "no-verification"),
        insecure=seen.get("insecureTrust") is True,
        source=_text_or_none(seen.get("source")),
        exit_code=_number_or_none(seen.get("exitCode")),
        command=_text_or_none(seen.get("testCmd")),
        commit=_text_or_none(seen.get("commitHash")),
        patch_hash=_text_or_none(seen.get("patchHash")),
    )
    meaning = Meaning(
        repo=_text(raw.get("repo")),
        branch=_text(raw.get("branch")),
        lang=_text(raw.get("lang")),
        file_type=_text(raw.get("fileType")),
        action=_text(raw.get("actionType")),
        error=_text(raw.get("errorSignature")),
        stack=tuple(each for each in raw.get("stackFeatures") or () if isinstance(each, str)),
    )
    return Record(
        meaning=meaning,
        patch=_text(raw.get("patchSummary")),
        footprint=_footprint(raw.get("changeFootprint")),
        verdict=verdict,
        verifier_result=_text_or_none(raw.get("verifierResult")),
        outcome=_number_or_none(raw.get("outcome")),
        flagged=raw.get("injectionFlag") is True,
        ts=ts,
        vector=vector_of(meaning, rules),
    )


def _prior_success(near: _Near) -> float:
    weight = 0.0
    good = 0.0
    for sim, record in near:
        if record.verdict.source:
            weight += max(0.0, sim)
            if record.verdict.trusted:
                good += max(0.0, sim)
    return good / weight if weight > 1e-9 else 0.5


def _footprint(raw: Any) -> tuple[float, float, float]:
    parts = raw if isinstance(raw, dict) else {}
    found = [_number_or_none(parts.get(name)) or 0 for name in ("files", "hunks", "loc")]
    return (found[0], found[1], found[2])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _cut_or_none(value: Any) -> str | None:
    return value[: params.CUT_HASH] if isinstance(value, str) else None


def _number_or_none(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or abs(value) >= 1e300:
        return None
    return value
