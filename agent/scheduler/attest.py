"""Attestation: an executor signs what a run did, and nobody else can.

The mind and the client hold no key. Version v1 is the reference's text; version v2 adds
what the run was about, so that a token vouches for one step of one session and no other.
Clock, nonce and key are handed in.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import dataclass, field
from typing import Any

from agent.scheduler.params import (
    ATTEST_MAX_AGE_MS,
    ATTEST_NONCES_SOFT,
    ATTEST_REMEMBER_MS,
    ATTEST_SKEW_MS,
    ATTEST_SOURCES,
)

_SNAKE = {
    "exitCode": "exit_code",
    "testCmd": "test_cmd",
    "commitHash": "commit_hash",
    "patchHash": "patch_hash",
    "sessionId": "session_id",
    "stepId": "step_id",
}
_V1 = ("source", "exitCode", "testCmd", "commitHash", "patchHash", "nonce", "ts")
_V2 = ("namespace", "sessionId", "stepId", "repo", "branch")
_NUMBERS = ("exitCode", "ts")


@dataclass(frozen=True, slots=True)
class Binding:
    """What a report is about, for comparison with what the token vouches for."""

    namespace: str
    session_id: str
    step_id: str
    repo: str
    branch: str
    patch_hash: str
    command: str | None
    """The command the step declared, None if it declared none."""


@dataclass(slots=True)
class Nonces:
    """Nonces already used, with the time (ms) until which they are remembered."""

    until_ms: dict[str, int] = field(default_factory=dict)

    def used(self, nonce: str) -> bool:
        """Return whether *nonce* was spent."""
        return nonce in self.until_ms

    def spend(self, nonce: str, now_ms: int, *, prune: bool) -> None:
        """Remember *nonce*. Old ones are forgotten when they are many (reference) or past (ours)."""
        self.until_ms[nonce] = now_ms + ATTEST_REMEMBER_MS
        if prune or len(self.until_ms) > ATTEST_NONCES_SOFT:
            self.until_ms = {each: until for each, until in self.until_ms.items() if until > now_ms}


def patch_digest(patch: str) -> str:
    """Return the digest that a token must carry to vouch for *patch* (hex SHA-256 of its UTF-8)."""
    return hashlib.sha256(patch.encode("utf-8", "surrogatepass")).hexdigest()


def field_of(token: dict[str, Any], name: str) -> Any:
    """Return a field of *token* by its camel-case name; the snake-case name is read too."""
    value = token.get(name)
    if value is None and name in _SNAKE:
        value = token.get(_SNAKE[name])
    if name in _NUMBERS:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
        return value if abs(value) < 1e300 else None
    return value


def signed_text(token: dict[str, Any], version: str = "v1") -> str:
    """Return the compact JSON that is signed, keys in their fixed order."""
    body: dict[str, Any] = {"ver": version}
    for name in _V1 if version == "v1" else (*_V1, *_V2):
        body[name] = _plain(field_of(token, name))
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def sign(token: dict[str, Any], key: str, version: str = "v1") -> str:
    """Return the signature of *token*: hex HMAC-SHA256."""
    text = signed_text(token, version).encode("utf-8", "surrogatepass")
    return hmac.new(key.encode("utf-8"), text, hashlib.sha256).hexdigest()


def issue(request: dict[str, Any], *, key: str, nonce: str, now_ms: int, bound: bool) -> dict[str, Any]:
    """Return a signed token for one run. Only the executor's endpoint may call this."""
    source = request.get("source")
    token: dict[str, Any] = {
        "source": "executor" if source is None else source,
        "exitCode": field_of(request, "exitCode"),
        "testCmd": field_of(request, "testCmd"),
        "commitHash": field_of(request, "commitHash"),
        "patchHash": field_of(request, "patchHash"),
    }
    if bound:
        for name in _V2:
            token[name] = field_of(request, name)
    token["nonce"] = nonce
    token["ts"] = now_ms
    version = "v2" if bound else "v1"
    return {**token, "attestation": {"ver": version, "sig": sign(token, key, version)}}


def verify(token: Any, *, key: str, now_ms: int, nonces: Nonces) -> str:
    """Return "ok" or the reason for refusal, in the reference's order of checks. Spends the nonce."""
    reason = _standing(token, now_ms, ahead_ms=ATTEST_MAX_AGE_MS)
    if reason:
        return reason
    if not _signature_holds(token, key, "v1"):
        return "bad-signature"
    if nonces.used(token["nonce"]):
        return "replayed-nonce"
    nonces.spend(token["nonce"], now_ms, prune=False)
    return "ok"


def verify_bound(
    token: Any, about: Binding, *, key: str, now_ms: int, nonces: Nonces
) -> tuple[str, str | None]:
    """Return the verdict ("ok" only for a passing run of exactly this step) and the nonce it spends.

    A genuine token is spent by its first use, whatever comes of it: no second try elsewhere.
    """
    reason = _standing(token, now_ms, ahead_ms=ATTEST_SKEW_MS)
    if reason:
        return reason, None
    if token["attestation"].get("ver") != "v2":
        return "unbound-token", None
    if not _signature_holds(token, key, "v2"):
        return "bad-signature", None
    nonce: str = token["nonce"]
    if nonces.used(nonce):
        return "replayed-nonce", None
    reason = _elsewhere(token, about)
    if reason:
        return reason, nonce
    exit_code = field_of(token, "exitCode")
    if exit_code is None:
        return "no-exit-code", nonce
    return ("ok" if exit_code == 0 else "failing-run"), nonce


def _standing(token: Any, now_ms: int, *, ahead_ms: int) -> str:
    if not isinstance(token, dict):
        return "no-verification"
    if token.get("source") not in ATTEST_SOURCES:
        return "bad-source"
    attestation = token.get("attestation")
    if not isinstance(attestation, dict) or not isinstance(attestation.get("sig"), str):
        return "no-attestation"
    stamp = field_of(token, "ts")
    if stamp is None or now_ms - stamp > ATTEST_MAX_AGE_MS or stamp - now_ms > ahead_ms:
        return "stale-timestamp"
    return ""


def _signature_holds(token: dict[str, Any], key: str, version: str) -> bool:
    nonce = token.get("nonce")
    if not isinstance(nonce, str) or not nonce or len(nonce) > 256:
        return False
    try:
        expected = sign(token, key, version)
        given = str(token["attestation"]["sig"]).encode("utf-8", "surrogatepass")
    except (ValueError, TypeError):
        return False
    return hmac.compare_digest(expected.encode("ascii"), given)


def _elsewhere(token: dict[str, Any], about: Binding) -> str:
    checks = (
        ("namespace", about.namespace),
        ("sessionId", about.session_id),
        ("stepId", about.step_id),
        ("repo", about.repo),
        ("branch", about.branch),
        ("patchHash", about.patch_hash),
    )
    for name, here in checks:
        if (field_of(token, name) or "") != here:
            return f"unbound-{name}"
    command = field_of(token, "testCmd")
    if not isinstance(command, str) or not command.strip():
        return "no-command"
    if about.command is not None and command != about.command:
        return "unbound-testCmd"
    return ""


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if value is None or isinstance(value, (int, float)):
        return value
    return value if isinstance(value, str) else None
