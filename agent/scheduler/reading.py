"""Reading a tool's arguments: hints, meaning, and what the cluster index needs."""

from __future__ import annotations

from typing import Any

from agent.scheduler.clusters import Node, names
from agent.scheduler.exact import unit
from agent.scheduler.params import prior_of
from agent.scheduler.skills import Meaning

HINTS = ("criticality_hint", "difficulty_hint", "progress")
DEFAULT_HINTS = (0.5, 0.5, 0.0)
LINKING = ("files", "symbols", "failing_tests", "plan_node")


class Refused(ValueError):
    """A call that cannot be carried out; `kind` names why, for programs."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


def text(arguments: dict[str, Any], name: str) -> str:
    """Return a text argument, empty where it is none."""
    value = arguments.get(name)
    return value if isinstance(value, str) else ""


def hints(arguments: dict[str, Any]) -> tuple[float, float, float]:
    """Return the three hints; what is missing or no number counts as 0."""
    crit, difficulty, progress = (unit(arguments.get(name)) for name in HINTS)
    return (crit, difficulty, progress)


def meaning(arguments: dict[str, Any], *, branch: bool) -> Meaning:
    """Return the semantic keys of a step."""
    stack = arguments.get("stack_features")
    return Meaning(
        repo=text(arguments, "repo"),
        branch=text(arguments, "branch") if branch else "",
        lang=text(arguments, "lang"),
        file_type=text(arguments, "file_type"),
        action=text(arguments, "action_type"),
        error=text(arguments, "error_signature"),
        stack=tuple(each for each in stack if isinstance(each, str)) if isinstance(stack, list) else (),
    )


def belongs_in_index(arguments: dict[str, Any]) -> bool:
    """Return whether a step says anything about what it touches. An empty list counts."""
    if arguments.get("step_id") is not None:
        return True
    return any(arguments.get(name) is not None for name in LINKING)


def node(arguments: dict[str, Any], step_id: str, hint: float, most: int | None = None) -> Node:
    """Return the step as the cluster index sees it before the decision; of each list the first *most* entries count."""
    return Node(
        id=step_id,
        hint=hint,
        estimate=hint,
        prior=prior_of(text(arguments, "action_type") or "unnamed"),
        ignited=False,
        files=names(arguments.get("files"), most),
        symbols=names(arguments.get("symbols"), most),
        tests=names(arguments.get("failing_tests"), most),
        covered=names(arguments.get("covered_files"), most),
        plan=text(arguments, "plan_node"),
    )
