"""MCP servers for real: processes on stdio, HTTP on sockets."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from numen.tool import Dispatcher, ToolContext, ToolRegistry
from numen.tool.jiuwen import Callbacks, JiuwenError, StatusCode, ToolCallEvents, observed_by
from numen.tool.jiuwen.auth import HeaderAndQuery, ToolAuthResult
from numen.tool.jiuwen.mcp import McpServerConfig, McpTool
from numen.tool.jiuwen.mcp_client import McpUnavailable, SdkMcpClient
from tests.tool.jiuwen.http_server import Answer, Seen, serving

SERVERS = Path(__file__).parent / "servers"
LOST = StatusCode.TOOL_MCP_EXECUTION_ERROR

handed_down = pytest.mark.skipif(sys.platform == "win32", reason="sockets cannot be handed to a child there")


class Watch:
    """What a client tells on its own."""

    def __init__(self) -> None:
        self.changes = 0
        self.changed = asyncio.Event()
        self.reasons: list[str] = []
        self.lost = asyncio.Event()

    def on_tools_changed(self) -> None:
        self.changes += 1
        self.changed.set()

    def on_lost(self, reason: str) -> None:
        self.reasons.append(reason)
        self.lost.set()


@asynccontextmanager
async def connected(config: McpServerConfig, watch: Watch | None = None) -> AsyncIterator[SdkMcpClient]:
    watch = watch or Watch()
    client = SdkMcpClient(config, on_tools_changed=watch.on_tools_changed, on_lost=watch.on_lost)
    await client.connect()
    try:
        yield client
    finally:
        await client.disconnect()


async def tools_of(client: SdkMcpClient) -> dict[str, McpTool]:
    return {each.card.name: each for each in await client.tools()}


def on_stdio(script: str, *args: Any, **params: Any) -> McpServerConfig:
    command = {"command": sys.executable, "args": [str(SERVERS / script), *map(str, args)], **params}
    return McpServerConfig("practice", client_type="stdio", params=command, connect_timeout_s=20)


@contextmanager
def over_http(notes: Path, kind: str) -> Iterator[tuple[McpServerConfig, Any]]:
    """A server process on a socket that listens before it does, and a way to put another in its place."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    processes: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        descriptor = listener.fileno()
        command = [sys.executable, str(SERVERS / "sdk_server.py"), str(notes), kind, str(descriptor)]
        processes.append(subprocess.Popen(command, pass_fds=[descriptor], stderr=subprocess.DEVNULL))

    def restart() -> None:
        processes[-1].kill()
        processes[-1].wait()
        start()

    start()
    path = f"http://127.0.0.1:{port}/{'sse' if kind == 'sse' else 'mcp'}"
    try:
        yield McpServerConfig("practice", path, kind, connect_timeout_s=20), restart
    finally:
        for each in processes:
            each.kill()
            each.wait()
        listener.close()


@contextmanager
def any_transport(kind: str, notes: Path) -> Iterator[McpServerConfig]:
    if kind == "stdio":
        yield on_stdio("sdk_server.py", notes)
    else:
        with over_http(notes, kind) as (config, _):
            yield config


TRANSPORTS = ["stdio", pytest.param("http", marks=handed_down), pytest.param("sse", marks=handed_down)]


@pytest.mark.parametrize("kind", TRANSPORTS)
async def test_tools_are_listed_and_called(kind: str, tmp_path: Path) -> None:
    with any_transport(kind, tmp_path / "notes") as config:
        async with connected(config) as client:
            tools = await tools_of(client)
            card = tools["add"].card

            assert (card.id, card.server_name) == ("practice.add", "practice")  # type: ignore[attr-defined]
            assert card.description == "Add two numbers."
            assert card.input_params["required"] == ["a"]
            assert await tools["add"].invoke({"a": 40}) == {"result": "42"}
            assert await tools["two_texts"].invoke() == {"result": "one\n\ntwo"}
            assert await tools["picture"].invoke() == {"result": "[image: image/png, 8 bytes]"}


@pytest.mark.parametrize("kind", TRANSPORTS)
async def test_a_call_that_takes_too_long_is_given_up_and_the_next_one_works(
    kind: str, tmp_path: Path
) -> None:
    with any_transport(kind, tmp_path / "notes") as config:
        async with connected(config) as client:
            tools = await tools_of(client)
            with pytest.raises(JiuwenError, match=r"no answer within 0\.2 s"):
                await tools["wait"].invoke({}, timeout=0.2)

            assert await tools["add"].invoke({"a": 1}) == {"result": "3"}


async def test_calls_run_side_by_side_on_one_connection(tmp_path: Path) -> None:
    async with connected(on_stdio("sdk_server.py", tmp_path / "notes")) as client:
        add = (await tools_of(client))["add"]
        results = await asyncio.gather(*(add.invoke({"a": n, "b": 0}) for n in range(30)))

    assert [each["result"] for each in results] == [str(n) for n in range(30)]


async def test_a_cancelled_call_does_not_harm_the_others(tmp_path: Path) -> None:
    async with connected(on_stdio("sdk_server.py", tmp_path / "notes")) as client:
        tools = await tools_of(client)
        waiting = asyncio.create_task(tools["wait"].invoke())
        assert await tools["add"].invoke({"a": 1}) == {"result": "3"}
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

        assert await tools["add"].invoke({"a": 2}) == {"result": "4"}


async def test_a_tool_that_fails_says_why(tmp_path: Path) -> None:
    async with connected(on_stdio("sdk_server.py", tmp_path / "notes")) as client:
        tools = await tools_of(client)
        with pytest.raises(JiuwenError, match="the ore is too deep") as caught:
            await tools["refuse"].invoke()

        assert caught.value.status is LOST
        assert client.connected


async def test_hints_of_the_server_become_flags(tmp_path: Path) -> None:
    async with connected(on_stdio("sdk_server.py", tmp_path / "notes")) as client:
        cards = {each.name: each for each in await client.list_tools()}

    assert (cards["add"].idempotent, cards["add"].parallel_safe) == (False, False)
    assert (cards["crash_once"].idempotent, cards["crash_once"].parallel_safe) == (True, False)
    assert (cards["look"].idempotent, cards["look"].parallel_safe) == (True, True)


async def test_info_and_resources_can_be_asked_for(tmp_path: Path) -> None:
    async with connected(on_stdio("sdk_server.py", tmp_path / "notes")) as client:
        info = await client.get_tool_info("add")
        assert info is not None
        assert (info.name, info.server_name) == ("add", "practice")
        assert await client.get_tool_info("nothing") is None
        assert [str(each.uri) for each in await client.list_resources()] == ["note://one"]
        assert [each.text for each in await client.read_resource("note://one")] == ["a note"]


async def test_a_process_gets_its_environment_and_folder_and_not_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE", "not for the server")
    config = on_stdio("sdk_server.py", tmp_path / "notes", cwd=str(tmp_path))
    async with connected(config) as client:
        process, _, folder = (await (await tools_of(client))["whoami"].invoke())["result"].split(" ")
        assert int(process) != os.getpid()
        assert Path(folder) == tmp_path.resolve()

    config = on_stdio("sdk_server.py", tmp_path / "notes", env={"MINE": "given"})
    async with connected(config) as client:
        assert " given " in (await (await tools_of(client))["whoami"].invoke())["result"]


async def test_a_server_that_crashes_in_a_call_is_not_asked_twice_and_comes_back(tmp_path: Path) -> None:
    notes, watch = tmp_path / "notes", Watch()
    async with connected(on_stdio("sdk_server.py", notes), watch) as client:
        tools = await tools_of(client)
        with pytest.raises(JiuwenError) as caught:
            await tools["crash"].invoke()

        assert caught.value.status is LOST
        await watch.lost.wait()
        assert "the roof fell in" in watch.reasons[0]
        assert not client.connected
        assert notes.read_text().split() == ["crash"]

        # It is there again for the next call, which is made once too.
        assert await tools["add"].invoke({"a": 1}) == {"result": "3"}
        assert notes.read_text().split("\n")[1:-1] == ["add 1 2"]


async def test_an_idempotent_call_survives_a_crash(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    async with connected(on_stdio("sdk_server.py", notes)) as client:
        assert await (await tools_of(client))["crash_once"].invoke() == {"result": "second time"}

    assert notes.read_text().split() == ["crash_once", "crash_once"]


async def test_a_server_that_died_between_calls_is_noticed_before_the_next(tmp_path: Path) -> None:
    notes, watch = tmp_path / "notes", Watch()
    async with connected(on_stdio("sdk_server.py", notes), watch) as client:
        tools = await tools_of(client)
        first = int((await tools["whoami"].invoke())["result"].split()[0])
        os.kill(first, 9)
        await watch.lost.wait()

        # `add` is not idempotent, and still works: its connection was opened before it was sent.
        assert await tools["add"].invoke({"a": 1}) == {"result": "3"}
        assert int((await tools["whoami"].invoke())["result"].split()[0]) != first


async def test_disconnecting_ends_the_process_and_is_no_loss(tmp_path: Path) -> None:
    watch = Watch()
    async with connected(on_stdio("sdk_server.py", tmp_path / "notes"), watch) as client:
        process = int((await (await tools_of(client))["whoami"].invoke())["result"].split()[0])
        await client.disconnect()
        assert not client.connected
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)

        await client.disconnect()

    assert watch.reasons == []


@pytest.mark.parametrize("script", ["sdk_server.py", "old_server.py"])
async def test_a_change_of_tools_is_told_once_by_servers_old_and_new(script: str, tmp_path: Path) -> None:
    watch = Watch()
    async with connected(
        on_stdio(script, *([tmp_path / "notes"] if "sdk" in script else [])), watch
    ) as client:
        tools = await tools_of(client)
        await (tools["grow"].invoke() if "grow" in tools else tools["shout"].invoke({"text": "more"}))
        await watch.changed.wait()
        after = await tools_of(client)

    assert after.keys() - tools.keys() in ({"grown"}, {"whisper"})
    assert watch.changes == 1


async def test_a_server_of_the_first_protocol_is_understood() -> None:
    async with connected(on_stdio("old_server.py")) as client:
        shout = (await tools_of(client))["shout"]

        assert await shout.invoke({"text": "hello"}) == {"result": "HELLO"}
        with pytest.raises(JiuwenError, match="Unexpected keyword argument: loud"):
            await shout.invoke({"text": "hello", "loud": True})


async def test_lines_that_are_no_messages_are_passed_over() -> None:
    async with connected(on_stdio("old_server.py", "babbling")) as client:
        assert await (await tools_of(client))["shout"].invoke({"text": "a"}) == {"result": "A"}


async def test_a_server_that_cannot_be_reached_is_told_with_its_reason() -> None:
    async with serving() as server:
        port = server.port
    table = [
        (on_stdio("old_server.py", "dying"), "no key in this house"),
        (McpServerConfig("practice", client_type="stdio", params={"command": "/no/such/server"}), "/no/such"),
        (McpServerConfig("practice", f"http://127.0.0.1:{port}/mcp", "http"), "connection attempts failed"),
        (McpServerConfig("practice", f"http://127.0.0.1:{port}/sse", "sse"), "connection attempts failed"),
    ]
    for config, reason in table:
        with pytest.raises(McpUnavailable, match="mcp server practice cannot be reached") as caught:
            await SdkMcpClient(config).connect()
        assert reason in str(caught.value)


async def test_a_server_that_never_answers_the_handshake_is_given_up() -> None:
    config = on_stdio("old_server.py", "silent")
    config.connect_timeout_s = 0.3

    with pytest.raises(McpUnavailable, match=r"no answer within 0\.3 s"):
        await SdkMcpClient(config).connect()


@handed_down
async def test_a_server_behind_http_may_be_restarted(tmp_path: Path) -> None:
    with over_http(tmp_path / "notes", "http") as (config, restart):
        async with connected(config) as client:
            tools = await tools_of(client)
            first = (await tools["whoami"].invoke())["result"]
            restart()

            assert await tools["look"].invoke() == {"result": "nothing here"}
            assert (await tools["whoami"].invoke())["result"] != first


def answering(request: Seen) -> Answer:
    """A server of the handshake era behind HTTP, as small as can be."""
    if request.method != "POST":
        return Answer(b"", 405, "Method Not Allowed", {})
    message = request.json()
    if "id" not in message:
        return Answer(b"", 202, "Accepted", {})
    result: dict[str, Any] = {"tools": []}
    if message["method"] == "initialize":
        version = message["params"]["protocolVersion"]
        result = {"protocolVersion": version, "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
    elif message["method"] != "tools/list":
        error = {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no"}}
        return Answer(json.dumps(error).encode())
    return Answer(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode())


async def test_headers_and_query_go_into_every_request() -> None:
    async with serving(answering) as server:
        config = McpServerConfig(
            "practice",
            server.url + "/mcp",
            "http",
            auth_headers={"Authorization": "Bearer s3cret"},
            auth_query_params={"key": "k"},
        )
        async with connected(config) as client:
            assert await client.list_tools() == []

    assert len(server.seen) >= 3
    assert {each.headers.get("authorization") for each in server.seen} == {"Bearer s3cret"}
    assert {tuple(each.query) for each in server.seen} == {(("key", "k"),)}


async def test_whoever_answers_tool_auth_provides_the_credentials() -> None:
    callbacks = Callbacks()
    asked: list[Any] = []

    @callbacks.on(ToolCallEvents.TOOL_AUTH)
    def answer(payload: Any) -> ToolAuthResult:
        asked.append(payload["auth_config"])
        return ToolAuthResult(True, {"auth_provider": HeaderAndQuery({"X-Key": "from elsewhere"})})

    async with serving(answering) as server:
        with observed_by(callbacks):
            async with connected(McpServerConfig("practice", server.url + "/mcp", "http")) as client:
                await client.list_tools()

    assert {each.headers.get("x-key") for each in server.seen} == {"from elsewhere"}
    assert (asked[0].tool_type, asked[0].tool_id) == ("streamable-http", "practice")


async def test_a_tool_of_a_server_runs_in_the_engine_under_its_long_name(tmp_path: Path) -> None:
    async with connected(on_stdio("sdk_server.py", tmp_path / "notes")) as client:
        registry = ToolRegistry()
        for each in await client.tools():
            registry.register(each)
        run = Dispatcher(registry).run
        ctx = ToolContext(companion="Numen")

        assert "mcp_practice_add" in registry
        assert (await run("c1", "mcp_practice_two_texts", "{}", ctx)).content == "one\n\ntwo"
        assert (await run("c2", "mcp_practice_add", '{"a": "40"}', ctx)).content == "42"
        missing = await run("c3", "mcp_practice_add", "{}", ctx)
        failed = await run("c4", "mcp_practice_refuse", "{}", ctx)

    assert (missing.outcome, missing.message) == ("bad_arguments", "Missing required field: a")
    assert failed.outcome == "failed"
    assert "the ore is too deep" in failed.message
