"""Text of errors and patches: what is cut out of it, what is suspicious in it, and its vector.

Two embeddings stand side by side. The reference's hashes only ASCII pieces and takes the
sign from the slot's own parity, so nothing ever cancels. Ours takes any script and draws
the sign from bits the slot does not use, so collisions cancel on average.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from math import sqrt
from typing import Any

from agent.scheduler.params import REFERENCE_SKILL_DIMENSIONS, SKILL_DIMENSIONS

Vector = tuple[tuple[int, float], ...]
"""Non-zero slots in rising order, of unit length or empty."""

_REDACTIONS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----"),
        "[REDACTED_PRIVATE_KEY]",
    ),
    (re.compile(r"\b(?:sk|pk|rk)-[A-Za-z0-9]{16,}"), "[REDACTED_KEY]"),
    (re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,}"), "[REDACTED_GH_TOKEN]"),
    (re.compile(r"\bAKIA[0-9A-Z]{16}"), "[REDACTED_AWS_KEY]"),
    (re.compile(r"\bxox[baprs]-[A-Za-z0-9-]{10,}"), "[REDACTED_SLACK]"),
    (
        re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
        "[REDACTED_JWT]",
    ),
    (
        re.compile(
            r"(password|passwd|secret|api[_-]?key|token|authorization|bearer)\s*[:=]\s*\S+", re.IGNORECASE
        ),
        r"\1=[REDACTED]",
    ),
    (re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}"), "[REDACTED_EMAIL]"),
)

_TELLTALE = re.compile(r"[:=@]|-----BEGIN|[spr]k-|gh[pousr]_|AKIA|xox|eyJ")
"""What each of the patterns above needs; most texts have none of it."""

_INJECTIONS: tuple[re.Pattern[str], ...] = (
    re.compile(r"ignore\s+(?:all\s+)?(?:previous|prior|above)\s+instructions", re.IGNORECASE),
    re.compile(r"disregard\s+(?:the\s+)?(?:system|previous)\s+(?:prompt|instructions)", re.IGNORECASE),
    re.compile(r"you\s+are\s+now\s+(?:a|an|the)\b", re.IGNORECASE),
    re.compile(r"system\s+prompt\s*[:=]", re.IGNORECASE),
    re.compile(r"</?\s*(?:system|instructions?)\s*>", re.IGNORECASE),
)
_MORE_INJECTIONS: tuple[re.Pattern[str], ...] = (
    # The same orders in Chinese; the reference reads English only.
    re.compile(r"(?:忽略|无视|忘记|不要理会).{0,6}(?:之前|以上|先前|前面|此前).{0,4}(?:指令|指示|提示|要求)"),
    re.compile(r"你现在是一?[个名位]"),
    re.compile(r"系统提示[词语]?\s*[:：=]"),
)

_ASCII_PIECE = re.compile(r"[a-z0-9_.]{2,}")
_WORD_PIECE = re.compile(r"[^\W_](?:[\w.]*\w)?")
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\u0e00-\u0eff]")


def redact(text: Any) -> str:
    """Return *text* with keys, tokens, passwords and addresses replaced by tags."""
    kept = text if isinstance(text, str) else ""
    if not _TELLTALE.search(kept):
        return kept
    for pattern, tag in _REDACTIONS:
        kept = pattern.sub(tag, kept)
    return kept


def suspicious(texts: Iterable[Any], *, any_script: bool) -> bool:
    """Return whether one of *texts* reads like an order to the reader instead of content."""
    patterns = _INJECTIONS + _MORE_INJECTIONS if any_script else _INJECTIONS
    return any(pattern.search(text) for text in texts if isinstance(text, str) for pattern in patterns)


def embed_reference(texts: Iterable[Any]) -> Vector:
    """Return the reference's 64 slot vector of *texts*."""
    joined = " ".join(text for text in texts if isinstance(text, str) and text).lower()
    slots: dict[int, float] = {}
    for piece in _ASCII_PIECE.findall(joined):
        value = _fnv1a(piece)
        slot = value % REFERENCE_SKILL_DIMENSIONS
        slots[slot] = slots.get(slot, 0.0) + (1.0 if value % 2 else -1.0)
    return _unit_length(slots)


def embed(texts: Iterable[Any]) -> Vector:
    """Return the vector of *texts*: signed hashing of words, and of letter pairs in wide scripts."""
    return _embedded(tuple([each for each in texts if isinstance(each, str) and each]))


@lru_cache(maxsize=1024)
def _embedded(texts: tuple[str, ...]) -> Vector:
    # Kept for a while: a step asks for it when it is decided, when it is recorded and when its record is folded in.
    slots: dict[int, float] = {}
    for text in texts:
        for piece in pieces(text):
            value = int.from_bytes(blake2b(piece.encode("utf-8", "replace"), digest_size=8).digest(), "big")
            slot = (value >> 1) % SKILL_DIMENSIONS
            slots[slot] = slots.get(slot, 0.0) + (1.0 if value >> 63 else -1.0)
    return _unit_length(slots)


def pieces(text: str) -> list[str]:
    """Return the words of *text*; runs of a script without blanks give their overlapping pairs."""
    found: list[str] = []
    for word in _WORD_PIECE.findall(text.lower()):
        if word.isascii() or not _WIDE.search(word):
            found.append(word)
        else:
            found.extend(_wide_pieces(word))
    return found


def similarity(one: Vector, other: Vector | dict[int, float]) -> float:
    """Return the cosine of two vectors, summed slot by slot; *other* may be a look-up made once for many."""
    slots = other if isinstance(other, dict) else dict(other)
    total = 0.0
    for slot, value in one:
        twin = slots.get(slot)
        if twin is not None:
            total += value * twin
    return total


def _wide_pieces(word: str) -> list[str]:
    found: list[str] = []
    run = ""
    narrow = ""
    for letter in word:
        if _WIDE.match(letter):
            if len(narrow) > 1:
                found.append(narrow)
            narrow = ""
            run += letter
            continue
        found.extend(_pairs(run))
        run = ""
        narrow += letter
    found.extend(_pairs(run))
    if len(narrow) > 1:
        found.append(narrow)
    return found


def _pairs(run: str) -> list[str]:
    if len(run) < 2:
        return [run] if run else []
    return [run[i : i + 2] for i in range(len(run) - 1)]


def _fnv1a(piece: str) -> int:
    value = 2166136261
    for letter in piece:
        value = ((value ^ ord(letter)) * 16777619) & 0xFFFFFFFF
    return value


def _unit_length(slots: dict[int, float]) -> Vector:
    ordered = sorted([each for each in slots.items() if each[1] != 0.0])
    squares = 0.0
    for _, value in ordered:
        squares += value * value
    if squares <= 0.0:
        return ()
    length = sqrt(squares)
    return tuple([(slot, value / length) for slot, value in ordered])
