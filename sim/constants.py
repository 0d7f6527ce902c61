"""Every fixed number a run depends on, for the header of its log: bounds, spans and levels of the core, by module.

The mind's constants that an arm may override are in `agent/params.py` and stand in the header by themselves, as room and
persona do. The others sit beside the one thing they bound; what the data files hold is named by its digest, the drifts of
needs whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from sim import library
from sim.codec import digest_of

MODULES = (
    *(
        f"agent.{name}"
        for name in (
            "params", "percept", "absorb", "acting", "appraisal", "arbiter", "ask_appraise", "ask_combine", "ask_plan", "ask_reflect",
            "asking", "attraction", "beliefs", "breaker", "candidates", "deeds", "dialogue", "dream", "dues", "effort", "favours",
            "forms", "hypotheses", "intuition", "matters", "memory", "needs", "planning", "reflection", "reply", "scene",
            "scheduler.params", "scheduler.belief", "scheduler.calibrate", "scheduler.clusters", "scheduler.meta", "scheduler.room",
            "skill", "slot", "smalltalk", "strict_json", "subconscious.conflict_warning", "subconscious.emotion",
            "subconscious.implicit_learning", "subconscious.pattern_monitor", "subconscious.preactivation", "sys1", "system2",
            "thoughts", "uncertainty", "waits",
        )
    ),
    *(f"interventions.{name}" for name in ("chinese", "contract", "gate", "lexicon", "text", "told")),
    *(f"sim.{name}" for name in ("feedback", "kernel", "veil", "visitor")),
    *(
        f"world.{name}"
        for name in (
            "params", "acting", "checks", "effects", "events", "exposure", "floor", "hands", "light", "needs", "predicates",
            "reading", "room", "spec", "truth",
        )
    ),
)  # fmt: skip
"""Modules of the core that name a whole number; where one is handed on, the first that has it counts."""
TABLES = ("agent/tasks", "world/kinds", "world/skills")


@cache
def constants() -> dict[str, int]:
    """Return module.NAME -> whole number, each once, in the order of MODULES."""
    found: dict[str, int] = {}
    seen: set[tuple[str, int]] = set()
    for name in MODULES:
        for word, value in numbers(import_module(name)).items():
            if (word, value) not in seen:
                seen.add((word, value))
                found[f"{name}.{word}"] = value
    return found


def numbers(module: Any) -> dict[str, int]:
    """Return the public whole numbers that *module* names in capitals, by name."""
    named = {word: getattr(module, word) for word in dir(module) if word.isupper() and word[0] != "_"}
    return {word: value for word, value in named.items() if type(value) is int and value.bit_length() < 64}


def tables() -> dict[str, Any]:
    """Return the drifts of needs, and the digest of each other table of the core, as shipped: what is registered is declared."""
    return {"world/needs": library.shipped("world/needs"), **{name: digest_of(library.shipped(name)) for name in TABLES}}


def strange(header: Mapping[str, Any]) -> str:
    """Return in words the first number or table of a log's *header* that is another here, or ""."""
    for name, value in header.get("constants", {}).items():
        here = constants().get(name)
        if here != value:
            return f"{name} was {value} where the log was made, and is {'unknown' if here is None else here} here"
    held = tables()
    for name, value in header.get("tables", {}).items():
        if held.get(name) != value:
            return f"the table {name} was another where the log was made"
    return ""
