"""The scheduler over a real stdio client of the MCP SDK: all tools, bad calls, two clients, sudden death."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from agent.scheduler.desk import Desk
from agent.scheduler.ledger import MemoryLedger
from sim.mcp_server import answer, build, schema
from sim.scheduler_tools import ARGUMENTS, TOOLS

mcp = pytest.importorskip("mcp")

ROOT = Path(__file__).parent.parent
KEY = "k" * 64
SERVE = (
    "import os, sys; from pathlib import Path; from sim.mcp_server import serve; "
    "Path(sys.argv[1], 'pid-' + str(os.getpid())).touch(); "
    "serve(Path(sys.argv[1]), executor=sys.argv[2] == 'executor', compat=sys.argv[3])"
)


def a_server(store: Path, endpoint: str = "scheduler", compat: str = "default") -> Any:
    store.mkdir(parents=True, exist_ok=True)
    return mcp.StdioServerParameters(
        command=sys.executable,
        args=["-c", SERVE, str(store), endpoint, compat],
        env={"PYTHONPATH": str(ROOT), "EMMS_ATTEST_SECRET": KEY},
        cwd=ROOT,
    )


def within(seconds: float, work: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        await asyncio.wait_for(work(), seconds)

    asyncio.run(limited())


async def ask(client: Any, name: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content[0].text
    assert json.loads(result.content[0].text) == result.structured_content
    content: dict[str, Any] = result.structured_content
    return content


def test_all_tools_work_over_stdio_and_a_signed_run_becomes_a_fix(tmp_path: Path) -> None:
    async def session() -> None:
        async with (
            mcp.Client(a_server(tmp_path)) as client,
            mcp.Client(a_server(tmp_path, "executor")) as executor,
        ):
            await ask(client, "open_session", sessionId="s", namespace="n")
            await ask(client, "new_task", sessionId="s")
            step = {
                "repo": "r",
                "action_type": "apply_patch",
                "error_signature": "连接超时：数据库",
                "step_id": "a",
            }
            decided = await ask(client, "decide_step", sessionId="s", files=["a.py"], **step)
            assert decided["mode"] == "system2"
            token = await ask(
                executor, "issue_attestation", exit_code=0, test_cmd="pytest", patch_summary="fix",
                namespace="n", session_id="s", step_id="a", repo="r",
            )  # fmt: skip
            said = await ask(
                client, "report_outcome", sessionId="s", step_id="a", observed_criticality=0.9,
                used_system2=True, patch_summary="fix", verification=token,
            )  # fmt: skip
            assert said["verified"], said
            again = await ask(client, "decide_step", sessionId="s", **{**step, "step_id": "b"})
            assert again["reusable_fix"] == "fix"
            assert (await ask(client, "task_feedback", sessionId="s", success=True))["ok"]
            assert (await ask(client, "get_stats", sessionId="s"))["nSkills"] == 1
            assert (await ask(client, "get_calibration", sessionId="s"))["scored"] == 1
            assert (await ask(client, "dump_prototypes", sessionId="s"))["skills"][0]["patchSummary"] == "fix"
            assert (await ask(client, "dump_clusters", sessionId="s"))["nClusters"] == 2
            assert (await ask(client, "close_session", sessionId="s"))["ok"]

    within(60, session)


@pytest.mark.parametrize("page", ["README.md", "README.zh.md", "docs/scheduler.md"])
def test_the_configuration_on_the_page_starts_a_server_for_a_client(page: str, tmp_path: Path) -> None:
    block = (ROOT / page).read_text(encoding="utf-8").partition("```json\n")[2].partition("```")[0]
    declared = json.loads(block)["mcpServers"]["scheduler"]
    assert declared["command"] == "oneroom"
    arguments = [str(tmp_path / "store") if each.startswith("/") else each for each in declared["args"]]
    server = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "oneroom", *arguments], env={"PYTHONPATH": str(ROOT)}, cwd=tmp_path
    )

    async def loop() -> None:
        async with mcp.Client(server) as client:
            assert len((await client.list_tools()).tools) == 10
            await ask(client, "open_session", sessionId="agent")
            for number in range(3):
                step = {"sessionId": "agent", "step_id": f"{number}"}
                thought = (await ask(client, "decide_step", **step, criticality_hint=0.2))["mode"] == "system2"
                await ask(client, "report_outcome", **step, observed_criticality=0.1, used_system2=thought)
            assert (await ask(client, "task_feedback", sessionId="agent", success=True))["ok"]
            await ask(client, "close_session", sessionId="agent")

    within(90, loop)
    assert list((tmp_path / "store").glob("default-*.state"))


def test_the_executor_tool_is_neither_listed_nor_callable_on_the_scheduler_endpoint(tmp_path: Path) -> None:
    async def session() -> None:
        async with mcp.Client(a_server(tmp_path)) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert names == {tool.name for tool in TOOLS} - {"issue_attestation"}
            result = await client.call_tool("issue_attestation", {"exit_code": 0})
            assert result.is_error
            assert "sig" not in result.content[0].text

    within(60, session)


BAD: list[tuple[str, Any, str]] = [
    ("decide_step", {}, "bad_arguments"),
    ("decide_step", {"sessionId": 7}, "bad_arguments"),
    ("decide_step", {"sessionId": "nobody"}, "unknown_session"),
    ("decide_step", {"sessionId": "s", "criticality_hint": "0.5"}, "bad_arguments"),
    ("decide_step", {"sessionId": "s", "criticality_hint": True}, "bad_arguments"),
    ("decide_step", {"sessionId": "s", "criticality_hint": float("inf")}, "bad_arguments"),
    ("decide_step", {"sessionId": "s", "criticality_hint": 10**400}, "bad_arguments"),
    ("decide_step", {"sessionId": "s", "files": "a.py"}, "bad_arguments"),
    ("decide_step", {"sessionId": "s", "files": [1]}, "bad_arguments"),
    ("decide_step", {"sessionId": "s", "files": ["x"] * 5000}, "bad_arguments"),
    ("decide_step", {"sessionId": "s", "error_signature": "x" * 200_000}, "bad_arguments"),
    ("decide_step", {"sessionId": "s", "error_signature": "\ud800"}, "bad_arguments"),
    ("decide_step", {"sessionId": "s", "colour": "red"}, "bad_arguments"),
    ("decide_step", ["sessionId", "s"], "bad_arguments"),
    ("report_outcome", {"sessionId": "s"}, "bad_arguments"),
    (
        "report_outcome",
        {"sessionId": "s", "observed_criticality": 1, "used_system2": 1},
        "bad_arguments",
    ),
    (
        "report_outcome",
        {"sessionId": "s", "observed_criticality": 1, "used_system2": True, "verification": "yes"},
        "bad_arguments",
    ),
    ("task_feedback", {"sessionId": "s", "success": "yes"}, "bad_arguments"),
    ("open_session", {"sessionId": ""}, "bad_arguments"),
    ("open_session", {"sessionId": "s", "namespace": "other"}, "session_in_use"),
    ("issue_attestation", {"exit_code": 0}, "executor_only"),
    ("rm", {}, "unknown_tool"),
]


@pytest.mark.parametrize(("name", "arguments", "kind"), BAD)
def test_a_bad_call_is_answered_with_its_kind_and_changes_nothing(
    name: str, arguments: Any, kind: str
) -> None:
    desk = Desk(KEY, MemoryLedger())
    answer(desk, "open_session", {"sessionId": "s"}, executor=False)

    fault, content = answer(desk, name, arguments, executor=False)

    assert fault
    assert content["error_kind"] == kind
    assert len(content["error"]) < 1000
    assert desk.spaces["default"].learned.events == 0


def test_bad_calls_over_the_wire_leave_the_server_alive(tmp_path: Path) -> None:
    async def session() -> None:
        async with mcp.Client(a_server(tmp_path)) as client:
            await ask(client, "open_session", sessionId="s")
            for name, arguments, _ in BAD:
                try:
                    sent = isinstance(arguments, dict) and json.dumps(arguments, ensure_ascii=False).encode()
                except UnicodeEncodeError:
                    sent = False
                if sent and b"Infinity" not in sent:
                    assert (await client.call_tool(name, arguments)).is_error
            assert (await ask(client, "decide_step", sessionId="s"))["mode"] == "system2"

    within(60, session)


def test_two_clients_at_once_lose_no_outcome(tmp_path: Path) -> None:
    async def work(name: str) -> None:
        async with mcp.Client(a_server(tmp_path)) as client:
            await ask(client, "open_session", sessionId=name, namespace="n")
            for i in range(15):
                await ask(client, "decide_step", sessionId=name, step_id=f"{i}", criticality_hint=i / 15)
                await ask(client, "report_outcome", sessionId=name, step_id=f"{i}", used_system2=True,
                          observed_criticality=i / 15)  # fmt: skip
            await ask(client, "close_session", sessionId=name)

    async def both() -> None:
        await asyncio.gather(work("one"), work("two"))
        async with mcp.Client(a_server(tmp_path)) as client:
            await ask(client, "open_session", sessionId="three", namespace="n")
            decided = await ask(client, "decide_step", sessionId="three")
            assert decided["n_effective"] == 30

    within(90, both)


def test_a_server_killed_while_it_writes_loses_nothing_it_had_answered(tmp_path: Path) -> None:
    answered = 0

    async def until_killed() -> None:
        nonlocal answered
        async with mcp.Client(a_server(tmp_path)) as client:
            await ask(client, "open_session", sessionId="s")
            pid = int(next(tmp_path.glob("pid-*")).name.removeprefix("pid-"))
            asyncio.get_running_loop().call_later(0.25, os.kill, pid, signal.SIGKILL)
            while True:
                await ask(client, "decide_step", sessionId="s", step_id=f"{answered}")
                await ask(client, "report_outcome", sessionId="s", step_id=f"{answered}", used_system2=True,
                          observed_criticality=0.5)  # fmt: skip
                answered += 1

    with pytest.raises(BaseException):  # noqa: B017, PT011
        within(20, until_killed)

    async def afterwards() -> None:
        async with mcp.Client(a_server(tmp_path)) as client:
            await ask(client, "open_session", sessionId="s")
            decided = await ask(client, "decide_step", sessionId="s", step_id="new")
            assert answered <= decided["n_effective"] <= answered + 1

    assert answered > 0
    within(30, afterwards)


def test_the_reference_serves_over_the_same_wire(tmp_path: Path) -> None:
    async def session() -> None:
        async with mcp.Client(a_server(tmp_path, compat="reference")) as client:
            await ask(client, "open_session", sessionId="a")
            decided = await ask(client, "decide_step", sessionId="a")
            assert (decided["rob_bid"], decided["eco_ask"]) == (1000005.85, 1.4)

    within(60, session)


def test_every_tool_has_a_description_and_every_argument_a_meaning() -> None:
    for tool in TOOLS:
        listed = schema(tool)
        assert tool.means
        assert set(listed["required"]) <= set(listed["properties"])
        assert all(each["description"] for each in listed["properties"].values())
    assert set(ARGUMENTS) == {name for tool in TOOLS for name in tool.reference | tool.ours}


def test_deciding_in_memory_takes_little_time() -> None:
    desk = Desk(KEY, MemoryLedger())
    answer(desk, "open_session", {"sessionId": "s"}, executor=False)
    for i in range(50):
        step = {"sessionId": "s", "step_id": f"{i}"}
        answer(desk, "decide_step", {**step, "criticality_hint": i / 50}, executor=False)
        answer(
            desk,
            "report_outcome",
            {**step, "observed_criticality": 0.3, "used_system2": True},
            executor=False,
        )

    began = time.process_time()
    for i in range(200):
        answer(
            desk,
            "decide_step",
            {"sessionId": "s", "step_id": "x", "criticality_hint": i / 200},
            executor=False,
        )
    each_ms = (time.process_time() - began) * 1000 / 200

    assert each_ms < 2.0, "ten times the goal: this machine is shared"


def test_the_sdk_is_imported_only_to_serve() -> None:
    import subprocess

    code = "import sim.mcp_server, sys; print('mcp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)

    assert done.stdout.strip() == "False"


def test_an_in_memory_client_sees_the_same_tools() -> None:
    async def session() -> None:
        desk = Desk(KEY, MemoryLedger())
        async with mcp.Client(build(desk, executor=True)) as client:
            assert len((await client.list_tools()).tools) == 11
            assert (await ask(client, "open_session", sessionId="s"))["mu"] == 1.0

    within(30, session)
