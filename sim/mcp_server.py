"""The scheduler as an MCP server over stdio, for any agent loop.

Two endpoints, never one: the scheduler's does not list `issue_attestation` and refuses it;
the executor's, started by a flag where the client cannot reach it, does. They share a
store and a key. Faults of the caller come back as results marked isError with an
`error_kind`, so a program can tell them apart.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from agent.scheduler.desk import Desk
from agent.scheduler.reading import Refused
from agent.scheduler.reference import ReferenceDesk
from sim.scheduler_store import PlainStore, SignedLedger, key_in
from sim.scheduler_tools import ARGUMENTS, EXECUTOR_ONLY, TOOLS, Tool

if TYPE_CHECKING:
    from mcp.server import MCPServer
    from mcp_types import CallToolResult

NAME = "oneroom-scheduler"
_BY_NAME = {each.name: each for each in TOOLS}
_TEXT_MAX = 100_000
"""Characters of one text argument."""
_LIST_MAX = 2_000
_JSON_KINDS: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "object": {"type": "object"},
    "strings": {"type": "array", "items": {"type": "string"}},
}


class Answers(Protocol):
    """What answers tool calls: a Desk, or the reference's."""

    def call(self, name: str, arguments: dict[str, Any], *, now_ms: int, nonce: str) -> dict[str, Any]:
        """Return the structured content of one call. Raises Refused."""


def now_ms() -> int:
    """Return the wall clock in milliseconds."""
    return time.time_ns() // 1_000_000


def new_nonce() -> str:
    """Return 16 fresh random bytes in hex."""
    return secrets.token_hex(16)


def make_desk(store: Path | None, *, compat: str = "default", key: str | None = None) -> Answers:
    """Return the desk over the files in *store*. The key is EMMS_ATTEST_SECRET, or kept in the store."""
    folder = store or default_store()
    secret = key or os.environ.get("EMMS_ATTEST_SECRET") or ""
    if compat == "reference":
        return ReferenceDesk(secret or secrets.token_hex(32), PlainStore(folder))
    if compat != "default":
        raise ValueError(f"compat: {compat!r} is neither 'default' nor 'reference'")
    secret = secret or key_in(folder)
    return Desk(secret, SignedLedger(folder, secret))


def default_store() -> Path:
    """Return the folder used when none is named."""
    named = os.environ.get("ONEROOM_SCHEDULER_STORE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "oneroom" / "scheduler"


def answer(
    desk: Answers, name: str, arguments: Any, *, executor: bool, strict: bool = True
) -> tuple[bool, dict[str, Any]]:
    """Return (fault?, content) of one tool call. Never raises for what a caller can do wrong."""
    tool = _BY_NAME.get(name)
    try:
        if tool is None:
            raise Refused("unknown_tool", f"no tool is called {name!r}")
        if name in EXECUTOR_ONLY and not executor:
            raise Refused("executor_only", f"{name} is for the executor's endpoint only")
        given = arguments if isinstance(arguments, dict) else {}
        if strict:
            check(tool, given)
        return False, desk.call(name, given, now_ms=now_ms(), nonce=new_nonce())
    except Refused as refused:
        return True, {"error_kind": refused.kind, "error": str(refused)}
    except OSError as fault:
        return True, {"error_kind": "store_unavailable", "error": f"{type(fault).__name__}: {fault.strerror}"}


def check(tool: Tool, arguments: dict[str, Any]) -> None:
    """Raise Refused("bad_arguments") naming the first argument that is missing, unknown or misshapen."""
    for name in tool.required:
        if arguments.get(name) is None:
            raise Refused("bad_arguments", f"{tool.name}: {name} is missing")
    for name, value in arguments.items():
        if name not in tool.reference and name not in tool.ours:
            known = ", ".join(sorted(tool.reference | tool.ours))
            raise Refused(
                "bad_arguments", f"{tool.name}: no argument is called {name!r}; known: {known}"[:600]
            )
        if value is not None and not _fits(ARGUMENTS[name].kind, value):
            raise Refused("bad_arguments", f"{tool.name}: {name} must be of type {ARGUMENTS[name].kind}")


def _fits(kind: str, value: Any) -> bool:
    match kind:
        case "string":
            return isinstance(value, str) and len(value) <= _TEXT_MAX and _encodable(value)
        case "number":
            return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300
        case "boolean":
            return isinstance(value, bool)
        case "strings":
            return (
                isinstance(value, list)
                and len(value) <= _LIST_MAX
                and all(_fits("string", each) for each in value)
            )
    return isinstance(value, dict) and len(json.dumps(value, default=str)) <= _TEXT_MAX


def _encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def schema(tool: Tool) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments."""
    return {
        "type": "object",
        "properties": {
            name: {**_JSON_KINDS[ARGUMENTS[name].kind], "description": ARGUMENTS[name].means}
            for name in sorted(tool.reference | tool.ours)
        },
        "required": list(tool.required),
    }


def build(desk: Answers, *, executor: bool = False, strict: bool = True) -> MCPServer:
    """Return the MCP server over *desk*. Imports the SDK only now."""
    from mcp.server import MCPServer
    from mcp.server.mcpserver.tools import Tool as McpTool
    from mcp_types import CallToolResult, TextContent

    def result_of(name: str, arguments: dict[str, Any]) -> CallToolResult:
        fault, content = answer(desk, name, arguments, executor=executor, strict=strict)
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        return CallToolResult(
            content=[TextContent(type="text", text=text)], structured_content=content, is_error=fault
        )

    class Open(McpTool):
        """A tool that takes its arguments as they come: they are judged by answer()."""

        async def run(self, arguments: Any, context: Any, convert_result: bool = False) -> Any:
            """Answer one call."""
            del context, convert_result
            return result_of(self.name, arguments)

    tools = [_open_tool(Open, tool) for tool in TOOLS if executor or tool.name not in EXECUTOR_ONLY]
    return MCPServer(
        NAME + ("-executor" if executor else ""),
        instructions=(
            "Ask decide_step before a step, do the step as it says, then report_outcome with the same step_id. "
            "Call new_task at the start of a task and task_feedback at its end."
        ),
        tools=tools,
        log_level="ERROR",
    )


def _open_tool(kind: type[Any], tool: Tool) -> Any:
    def placeholder() -> None:
        """Never called: run() is our own."""

    made = kind.from_function(placeholder, name=tool.name, description=tool.means, structured_output=False)
    return made.model_copy(update={"parameters": schema(tool)})


def serve(
    store: Path | None = None,
    *,
    compat: str = "default",
    executor: bool | None = None,
    key: str | None = None,
) -> None:
    """Serve over stdio until the client goes away. *executor* None asks EMMS_EXECUTOR_ENDPOINT."""
    if executor is None:
        executor = os.environ.get("EMMS_EXECUTOR_ENDPOINT", "").lower() in {"1", "true"}
    desk = make_desk(store, compat=compat, key=key)
    build(desk, executor=executor, strict=compat != "reference").run("stdio")
