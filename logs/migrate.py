"""Old schemas, read for ever: each step lifts a header and a record from one version to the next, in memory.

Stored bytes are never rewritten, so an old log keeps its chain and its head. A step may rename kinds and
fields and fill in what was not kept; it may not drop a record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from logs.kinds import SCHEMA_VERSION

Change = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Step:
    """From schema N to N + 1."""

    header: Change
    record: Change


STEPS: dict[int, Step] = {}
"""By the schema they start from. Empty while there is only one."""

assert set(STEPS) == set(range(1, SCHEMA_VERSION)), "every older schema has its step"


def steps_from(schema: int, steps: Mapping[int, Step] = STEPS) -> tuple[Step, ...]:
    """Return the steps from *schema* to the newest, in order. Raises KeyError for a schema that never was."""
    newest = max(steps, default=0) + 1
    return tuple(steps[version] for version in range(schema, newest)) if schema != newest else ()
