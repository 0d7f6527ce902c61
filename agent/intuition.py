"""L6: intuitions. How sure one is, how it is verified, how it falls and may come back.

Theory of operation
===================
An intuition is formed in a dream (agent/dream.py) out of experiences. Each use ends in an outcome: a success if the
expected outcome was perceived and the reward was at least neutral. Its confidence is d * (successes + 1) / (uses + 2),
where the experiences it was formed from count as uses.

Every `verify_every` uses the last ten uses are held against all before them, by relative drop of the success rate. So
they are when confidence falls to the threshold, when S4 or S5 sets the intuition aside (or it would be used no more,
and never be verified), and when the library is unwell:

  > 40 %, or a rate below theta_min    removed, with an analysis
  20 to 40 %                           demoted
  no such drop, but a rate below .6    demoted
  10 to < 20 %                         warning: d x 0.9, S4 watches it more closely
  rate > 1.2 of the historical         promoted: active, d = 1
  else                                 kept: active, d = 1

A demoted intuition never decides. It is scored in the shadow, on cases where it would have fired and what it would
have chosen was done: 20 cases good enough make it recovering; the next 10, all successes, make it active again with
those cases as its record, one failure demotes it.
"""

from __future__ import annotations

from operator import itemgetter

from agent.inner import ACTIVE, DEMOTED, RECOVERING, WARNING, Deed, Intuition
from agent.mind import Mind

KEPT = 40
SUCCESS = itemgetter(1)
STALE_DAYS = 7


def totals(one: Intuition) -> tuple[int, int]:
    """Return (uses, successes), what it was formed from included."""
    uses = one.base[0] + one.before[0] + len(one.uses)
    return uses, one.base[1] + one.before[1] + sum(map(SUCCESS, one.uses))


def confidence(one: Intuition) -> int:
    """Return d * (successes + 1) / (uses + 2) in thousandths."""
    uses, good = totals(one)
    return one.d * (good + 1) // (uses + 2)


def note(mind: Mind, one: Intuition, event: str, **more: object) -> None:
    """Write down what happened to an intuition, with its standing after it."""
    uses, good = totals(one)
    mind.inner.chain("intuition", one.id, event, one.status, one.d, uses, good, len(one.cases))
    mind.note(
        "intuition", one.id, event=event, status=one.status, confidence=confidence(one), d=one.d, uses=uses, successes=good,
        cases=len(one.cases), **more,
    )  # fmt: skip


def used(mind: Mind, one: Intuition, deed: Deed, outcome: str, reward: int, experience: int) -> None:
    """Take the outcome of a use into its history; verify when its time has come."""
    success = int(outcome == one.outcome and reward >= 500)
    one.uses.append((mind.tick, success, deed.serial))
    one.last_tick = mind.tick
    if len(one.uses) > KEPT:
        oldest = one.uses.pop(0)
        one.before = [one.before[0] + 1, one.before[1] + oldest[1]]
    one.since_verified += 1
    note(mind, one, "used", success=success, outcome=outcome, reward=reward, round=deed.round, experience=f"exp-{experience}")
    fell = confidence(one) <= mind.params.theta_conf and not one.low
    one.low = confidence(one) <= mind.params.theta_conf
    if one.since_verified >= mind.params.verify_every:
        verify(mind, one, "uses")
    elif fell:
        verify(mind, one, "confidence_fell")


def verify(mind: Mind, one: Intuition, why: str) -> str:
    """Hold the last uses against all before them; return the verdict and do what it asks."""
    params = mind.params
    if one.status not in (ACTIVE, WARNING):
        return "not_in_use"
    window = one.uses[-params.verify_every :]
    if len(window) < params.verify_least:
        return "unknown"
    good = sum(map(SUCCESS, window))
    uses, successes = totals(one)
    earlier, earlier_good = uses - len(window), successes - good
    rate = 1000 * good // len(window)
    historical = 1000 * earlier_good // earlier if earlier else rate
    verdict = judge(rate, historical, params.theta_min, params.theta_weak)
    one.verified += 1
    one.since_verified = 0
    if verdict in ("keep", "promote"):
        one.status, one.d = ACTIVE, 1000
    elif verdict == "warning":
        one.status, one.d = WARNING, one.d * 9 // 10
    elif verdict == "demoted":
        one.status, one.cases = DEMOTED, []
    if verdict == "demoted" or verdict == "removed":
        one.low = False
    note(mind, one, "verified", why=why, verdict=verdict, rate=rate, historical=historical, window=[list(use) for use in window])
    if verdict == "removed":
        remove(mind, one, rate, historical)
    return verdict


def judge(rate: int, historical: int, theta_min: int, theta_weak: int) -> str:
    """Return the verdict on a success rate against the historical one, both in thousandths."""
    drop = 1000 * (historical - rate) // historical if historical else 0
    if rate < theta_min or drop > 400:
        return "removed"
    if drop >= 200 or rate < theta_weak:
        return "demoted"
    if drop >= 100:
        return "warning"
    return "promote" if rate * 10 > historical * 12 else "keep"


def remove(mind: Mind, one: Intuition, rate: int, historical: int) -> None:
    """Take an intuition out of the library and say what it failed on; its pattern has to earn its place anew."""
    failed = [use for use in one.uses if not use[1]]
    note(
        mind, one, "removed", rate=rate, historical=historical,
        analysis={
            "pattern": one.pattern, "failures": len(failed), "first_failure": failed[0][0] if failed else -1,
            "last_success": max((use[0] for use in one.uses if use[1]), default=-1), "verified": one.verified,
        },
    )  # fmt: skip
    forget(mind, one)


def forget(mind: Mind, one: Intuition) -> None:
    """Drop an intuition; experiences from before now do not form it again, and S1 may notice its pattern anew."""
    del mind.inner.library[one.id]
    # S1 tells once only: without this a pattern that is not the commonest of its cluster could never come back.
    mind.inner.latent.pop(one.pattern, None)
    mind.inner.removed[one.pattern] = len(mind.memory.items)
    mind.inner.changed_library()


def shadowed(mind: Mind, one: Intuition, deed: Deed, outcome: str, reward: int) -> None:
    """Score an intuition that does not decide on a case where it would have chosen what was done."""
    params = mind.params
    success = int(outcome == one.outcome and reward >= 500)
    one.cases.append((mind.tick, success, deed.serial))
    note(mind, one, "shadow", success=success, outcome=outcome, reward=reward, round=deed.round)
    good = sum(map(SUCCESS, one.cases))
    if one.status == DEMOTED:
        del one.cases[: -params.shadow_cases]
        good = sum(map(SUCCESS, one.cases))
        if len(one.cases) >= params.shadow_cases and 1000 * good // len(one.cases) >= params.theta_recover:
            one.status = RECOVERING
            note(mind, one, "recovering")
    elif not success:
        one.status, one.cases = DEMOTED, []
        note(mind, one, "demoted", why="failed_while_recovering")
    elif len(one.cases) >= params.shadow_cases + params.recover_cases:
        one.status, one.d, one.low = ACTIVE, 1000, False
        one.base, one.before, one.uses, one.since_verified = [len(one.cases), good], [0, 0], [], 0
        one.cases = []
        note(mind, one, "active", why="recovered")


def link_strength(mind: Mind, similarity: int, evidence: int, verifications: int) -> int:
    """Return .4 similarity + .3 min(evidence / theta_evidence, 1) + .3 min(verifications / theta_verify, 1), thousandths."""
    params = mind.params
    return (
        4 * max(0, similarity) + 3 * min(1000, 1000 * evidence // params.theta_evidence)
        + 3 * min(1000, 1000 * verifications // params.theta_verify)
    ) // 10  # fmt: skip


def health(mind: Mind) -> tuple[int, int, int, int]:
    """Return (health, share active, mean success, share used lately) of the library in thousandths; an empty one is well."""
    found = list(mind.inner.library.values())
    if not found:
        return 1000, 1000, 1000, 1000
    active = 1000 * sum(one.status == ACTIVE for one in found) // len(found)
    success = sum(1000 * good // max(1, uses) for uses, good in map(totals, found)) // len(found)
    since = mind.tick - mind.ticks(STALE_DAYS * 86_400_000)
    fresh = 1000 * sum(max(one.last_tick, one.formed_tick) >= since for one in found) // len(found)
    return (active + success + fresh) // 3, active, success, fresh


def examine(mind: Mind) -> None:
    """Measure the library once in the slow loop; an unwell one has every intuition verified."""
    whole, active, success, fresh = health(mind)
    if mind.inner.library:
        mind.note("intuition", "", event="health", health=whole, active=active, success=success, fresh=fresh)
    if whole < mind.params.theta_health:
        for one in list(mind.inner.library.values()):
            verify(mind, one, "library_unwell")


def empty(mind: Mind) -> None:
    """Take every intuition out of the library at once, and say so: what an experiment does, never the resident itself."""
    for one in list(mind.inner.library.values()):
        note(mind, one, "emptied")
    mind.inner.library.clear()
    mind.inner.changed_library()
