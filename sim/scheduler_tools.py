"""The eleven tools of the scheduler: names, arguments, and which of them only an executor may call."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument: its JSON type ("any" for no check) and what it means."""

    kind: str
    means: str


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool."""

    name: str
    means: str
    required: tuple[str, ...]
    reference: frozenset[str]
    """Arguments the reference lists."""
    ours: frozenset[str] = frozenset()
    """Arguments only the default mode reads."""


EXECUTOR_ONLY = frozenset({"issue_attestation"})

_STEP = frozenset(
    {
        "criticality_hint",
        "difficulty_hint",
        "progress",
        "action_type",
        "repo",
        "branch",
        "lang",
        "file_type",
        "error_signature",
        "stack_features",
        "step_id",
    }
)
_SESSION = frozenset({"sessionId"})

TOOLS: tuple[Tool, ...] = (
    Tool(
        "open_session",
        "Open a session on a namespace; what the namespace has learned is loaded.",
        ("sessionId",),
        _SESSION | {"namespace"},
        frozenset({"opts"}),
    ),
    Tool(
        "new_task",
        "Begin a task: context, risk budget and clusters start afresh, what was learned stays.",
        ("sessionId",),
        _SESSION,
    ),
    Tool(
        "decide_step",
        "Ask before a step how much thought it is worth: system1 (cheap) or system2 (think), and which check.",
        ("sessionId",),
        _SESSION
        | _STEP
        | {
            "context_pollution",
            "risk_class",
            "irreversible",
            "files",
            "symbols",
            "failing_tests",
            "covered_files",
            "plan_node",
        },
        frozenset({"verify_command"}),
    ),
    Tool(
        "report_outcome",
        "Report after a step what came of it. Only an executor's signed token counts as a passed check.",
        ("sessionId", "observed_criticality", "used_system2"),
        _SESSION
        | _STEP
        | {
            "observed_criticality",
            "used_system2",
            "was_deep",
            "verifier_passed",
            "miss_happened",
            "patch_summary",
            "change_footprint",
            "verification",
            "verifier_result",
            "outcome",
        },
    ),
    Tool(
        "issue_attestation",
        "Executor only: sign what a run did, for one step of one session.",
        ("exit_code",),
        frozenset({"exit_code", "test_cmd", "commit_hash", "patch_hash", "source"}),
        frozenset({"namespace", "session_id", "step_id", "repo", "branch", "patch_summary"}),
    ),
    Tool(
        "task_feedback",
        "Say at the end of a task whether it succeeded; moves the price of risk.",
        ("sessionId", "success"),
        _SESSION | {"success"},
    ),
    Tool("get_stats", "Counts of a session.", ("sessionId",), _SESSION),
    Tool("get_calibration", "How good the forecasts were.", ("sessionId",), _SESSION),
    Tool("dump_prototypes", "What was learned, for a person to read.", ("sessionId",), _SESSION),
    Tool("dump_clusters", "Which steps of this task hang together.", ("sessionId",), _SESSION),
    Tool("close_session", "Save and end a session.", ("sessionId",), _SESSION),
)
"""In the reference's order."""

assert len({tool.name for tool in TOOLS}) == 11, "eleven tools"

ARGUMENTS: dict[str, Argument] = {
    "sessionId": Argument("string", "Name of the session, chosen by the client."),
    "namespace": Argument("string", "Library to learn in; default is 'default'."),
    "opts": Argument("object", "Constants of this session; safety limits can only be tightened."),
    "criticality_hint": Argument("number", "How critical the step looks, 0..1."),
    "difficulty_hint": Argument("number", "How hard the step looks, 0..1."),
    "progress": Argument("number", "How far the task is, 0..1."),
    "context_pollution": Argument("number", "How full the context is, 0..1."),
    "risk_class": Argument("string", "'normal', 'critical' or 'irreversible'."),
    "irreversible": Argument("boolean", "The step cannot be undone."),
    "action_type": Argument("string", "Kind of step, such as edit_file, apply_patch, run_test, delete."),
    "repo": Argument("string", "Repository the step is in."),
    "branch": Argument("string", "Branch the step is on."),
    "lang": Argument("string", "Language of the code."),
    "file_type": Argument("string", "Type of the file."),
    "error_signature": Argument("string", "Text of the error being worked on, in any language."),
    "stack_features": Argument("strings", "Names from the stack trace."),
    "step_id": Argument("string", "Id of the step; name it in the report."),
    "files": Argument("strings", "Files the step touches; of each such list the first 256 count."),
    "symbols": Argument("strings", "Symbols the step touches."),
    "failing_tests": Argument("strings", "Tests that fail now."),
    "covered_files": Argument("strings", "Files those tests cover."),
    "plan_node": Argument("string", "Node of the plan the step belongs to."),
    "verify_command": Argument("string", "Command that will check the step; a token must be for it."),
    "observed_criticality": Argument("number", "How critical the step turned out to be, 0..1."),
    "used_system2": Argument("boolean", "Whether it was thought about."),
    "was_deep": Argument("boolean", "Whether the thinking was deep (fills the context)."),
    "verifier_passed": Argument("boolean", "The client's own word; counts only when it says false."),
    "miss_happened": Argument("boolean", "Whether the step was mishandled."),
    "patch_summary": Argument("string", "What was changed; kept if a run vouches for it."),
    "change_footprint": Argument("object", "{files, hunks, loc}."),
    "verification": Argument("object", "The token of issue_attestation."),
    "verifier_result": Argument("string", "What the check said, as text."),
    "outcome": Argument("number", "The client's own score; kept, never trusted."),
    "success": Argument("boolean", "Whether the task succeeded."),
    "exit_code": Argument("number", "Exit code of the run."),
    "test_cmd": Argument("string", "Command that was run."),
    "commit_hash": Argument("string", "Commit it ran on."),
    "patch_hash": Argument("string", "Hex SHA-256 of the patch summary the run vouches for."),
    "source": Argument("string", "Who ran it; default 'executor'."),
    "session_id": Argument("string", "Session the run was for."),
}
