"""A question of one of the six types beside choose: why it is asked, about what, and what came of its answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from agent.candidates import Candidate
from agent.request import Dep


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be asked. *about* holds ids and ordinals of the resident's own as plain values."""

    type: str
    reason: str
    about: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Draft:
    """What a type adds to the common context of a request, and what its reply may name.

    *things*, *persons* and *tasks* say what the question is about, for the memories; *rows* are the listed
    possibilities; *refs* are the ids by kind of reference; *deps* what the answer rests on.
    """

    deps: tuple[Dep, ...] = ()
    refs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    rows: tuple[dict[str, Any], ...] = ()
    observations: tuple[dict[str, Any], ...] = ()
    memories: tuple[dict[str, Any], ...] | None = None
    things: tuple[int, ...] = ()
    persons: tuple[int, ...] = ()
    tasks: tuple[str, ...] = ()
    heard: str = ""


@dataclass(frozen=True, slots=True)
class Effect:
    """What an answer brought about: in words for the log, wakes for the next round, perhaps a choice to commit."""

    what: str
    wakes: tuple[str, ...] = ()
    choice: Candidate | None = None
    detail: dict[str, Any] = field(default_factory=dict)
