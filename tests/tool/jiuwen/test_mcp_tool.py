"""Tools of MCP servers, without a server: settings, calls, results."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp_types import (
    AudioContent,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from numen.tool.jiuwen import JiuwenError, McpToolCard, McpToolInfo, StatusCode, observed_by
from numen.tool.jiuwen.mcp import (
    NO_TIMEOUT,
    McpConnectionLost,
    McpServerConfig,
    McpTool,
    read_result,
    timeout_of,
)
from tests.tool.jiuwen.recorder import Recorder

SCHEMA = {
    "type": "object",
    "properties": {"q": {"type": "string"}, "n": {"type": "integer", "default": 3}},
    "required": ["q"],
}


class Client:
    """A connection that answers from a list, and notes what it was asked."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.calls: list[tuple[str, dict[str, Any], float]] = []

    async def call_tool(self, name: str, arguments: dict[str, Any], timeout: float = NO_TIMEOUT) -> Any:
        self.calls.append((name, arguments, timeout))
        answer = self.answers.pop(0) if self.answers else "found"
        if isinstance(answer, Exception):
            raise answer
        return answer


def card(schema: dict[str, Any] | None = None, **fields: Any) -> McpToolCard:
    return McpToolCard("s.find", "find", "Finds.", schema or {}, server_name="maps", **fields)


async def refusal(tool: McpTool, inputs: Any = None, **options: Any) -> JiuwenError:
    with pytest.raises(JiuwenError) as caught:
        await tool.invoke(inputs, options)
    assert caught.value.status is StatusCode.TOOL_MCP_EXECUTION_ERROR
    return caught.value


def test_the_settings_of_a_server_have_their_defaults() -> None:
    config = McpServerConfig("maps", "http://127.0.0.1:1/sse")

    assert (config.client_type, config.server_id) == ("sse", "maps")
    assert (config.params, config.auth_headers, config.auth_query_params) == ({}, {}, {})
    assert NO_TIMEOUT == -1
    assert (config.connect_timeout_s, config.call_timeout_s) == (NO_TIMEOUT, NO_TIMEOUT)


def test_a_blank_id_is_the_name_and_without_a_name_a_random_one() -> None:
    assert McpServerConfig("maps", server_id="  ").server_id == "maps"
    assert len(McpServerConfig().server_id) == 32


@pytest.mark.parametrize("spelling", ["streamable-http", "streamable_http", "http"])
def test_streamable_http_is_known_under_its_spellings(spelling: str) -> None:
    assert McpServerConfig("a", client_type=spelling).client_type == "streamable-http"


def test_a_client_type_nobody_speaks_is_refused() -> None:
    with pytest.raises(ValueError, match="'carrier-pigeon' is none of sse, stdio, streamable-http"):
        McpServerConfig("a", client_type="carrier-pigeon")


def test_two_settings_lead_to_the_same_server_whatever_they_call_it() -> None:
    config = McpServerConfig("a", "http://x/", auth_headers={"k": "v"})

    assert config.same_connection(McpServerConfig("b", "http://x/", server_id="9", auth_headers={"k": "v"}))
    assert not config.same_connection(McpServerConfig("a", "http://x/", auth_headers={"k": "w"}))
    assert not config.same_connection(McpServerConfig("a", "http://x/", "http", auth_headers={"k": "v"}))


def test_no_credential_is_shown() -> None:
    config = McpServerConfig(
        "a",
        "https://me:s3cret@x.example/sse?key=s3cret",
        params={"command": "run", "env": {"TOKEN": "s3cret"}},
        auth_headers={"Authorization": "s3cret"},
        auth_query_params={"key": "s3cret"},
    )

    assert "s3cret" not in f"{config!r} {config.masked()}"
    assert config.masked()["server_path"] == "https://x.example/sse?***"
    assert config.masked()["auth_headers"] == {"Authorization": "***"}


def test_settings_are_read_as_configuration_files_write_them() -> None:
    local = McpServerConfig.from_mapping("a", {"command": "npx", "args": ["-y", "x"], "env": {"K": "v"}})
    remote = McpServerConfig.from_mapping("b", {"url": "http://x/mcp", "headers": {"H": "v"}, "timeout": 5})
    old = McpServerConfig.from_mapping("c", {"url": "http://x/sse", "type": "sse", "query": {"k": "v"}})

    assert (local.client_type, local.params["args"]) == ("stdio", ["-y", "x"])
    assert (remote.client_type, remote.auth_headers, remote.call_timeout_s) == (
        "streamable-http",
        {"H": "v"},
        5,
    )
    assert (old.client_type, old.auth_query_params) == ("sse", {"k": "v"})
    with pytest.raises(ValueError, match="mcp server d: give either `command` or `url`"):
        McpServerConfig.from_mapping("d", {})
    with pytest.raises(ValueError, match="mcp server e: unknown setting comand"):
        McpServerConfig.from_mapping("e", {"comand": "x"})


def test_a_tool_without_a_client_is_refused() -> None:
    with pytest.raises(JiuwenError) as caught:
        McpTool(card(), None)  # type: ignore[arg-type]

    assert caught.value.status is StatusCode.TOOL_MCP_CLIENT_NOT_SUPPORTED


def test_the_card_names_its_server_and_has_an_id_of_its_own() -> None:
    assert McpToolCard(name="find", server_name="maps").id
    assert card().tool_info() == McpToolInfo("function", "find", "Finds.", {}, "maps")


async def test_a_call_is_handed_on_and_its_answer_wrapped() -> None:
    client = Client("found")

    assert await McpTool(card(SCHEMA), client).invoke({"q": "ore"}) == {"result": "found"}
    assert client.calls == [("find", {"q": "ore", "n": 3}, NO_TIMEOUT)]


@pytest.mark.parametrize(
    ("options", "seconds"),
    [
        ({}, NO_TIMEOUT),
        ({"operation_timeout": 7}, 7.0),
        ({"operationTimeout": "8.5"}, 8.5),
        ({"timeout": 9}, 9.0),
        ({"operation_timeout": 1, "operationTimeout": 2, "timeout": 3}, 1.0),
        ({"operationTimeout": 2, "timeout": 3}, 2.0),
        ({"operation_timeout": None, "timeout": 3}, 3.0),
        ({"timeout": "soon"}, NO_TIMEOUT),
    ],
)
async def test_the_first_timeout_of_the_three_keys_is_handed_on(
    options: dict[str, Any], seconds: float
) -> None:
    client = Client()
    await McpTool(card(), client).invoke({}, options)

    assert timeout_of(options) == seconds
    assert client.calls[0][2] == seconds


async def test_a_client_without_the_timeout_form_gets_two_arguments() -> None:
    class Short:
        async def call_tool(self, name: str, arguments: dict[str, Any]) -> str:
            return f"{name} {arguments}"

    tool = McpTool(card(), Short())  # type: ignore[arg-type]

    assert await tool.invoke({"a": 1}, timeout=5) == {"result": "find {'a': 1}"}


async def test_a_client_that_blocks_is_called_on_a_thread() -> None:
    loop = asyncio.get_running_loop()

    class Blocking:
        def call_tool(self, name: str, arguments: dict[str, Any], timeout: float) -> str:
            return asyncio.run_coroutine_threadsafe(asyncio.sleep(0, "answered by the loop"), loop).result(20)

    tool = McpTool(card(), Blocking())  # type: ignore[arg-type]

    assert await tool.invoke({}) == {"result": "answered by the loop"}


async def test_null_inputs_are_an_empty_map() -> None:
    client = Client()
    await McpTool(card(), client).invoke(None)

    assert client.calls[0][1] == {}


async def test_nulls_are_not_sent_unless_asked_for() -> None:
    client = Client()
    tool = McpTool(card(SCHEMA), client)
    await tool.invoke({"q": "ore", "n": None, "deep": {"a": None}, "more": [None, 1]})
    await tool.invoke({"q": "ore", "n": None}, skip_none_value=False)

    assert client.calls[0][1] == {"q": "ore", "more": [1]}
    assert client.calls[1][1] == {"q": "ore", "n": None}


@pytest.mark.parametrize(
    ("inputs", "schema", "reason"),
    [
        ({}, SCHEMA, "Missing required field: q"),
        ({"q": 1}, SCHEMA, "q: 1 is not of type 'string'"),
        ({"q": "x", "r": 1}, {**SCHEMA, "additionalProperties": False}, "Unexpected keyword argument: r"),
    ],
)
async def test_inputs_that_do_not_fit_never_reach_the_client(
    inputs: dict[str, Any], schema: dict[str, Any], reason: str
) -> None:
    client = Client()
    error = await refusal(McpTool(card(schema), client), inputs)

    assert "format data with schema failed" in str(error)
    assert reason in str(error)
    assert client.calls == []


async def test_an_undeclared_field_is_sent_where_the_schema_is_not_closed() -> None:
    client = Client()
    await McpTool(card(SCHEMA), client).invoke({"q": "x", "r": 1})

    assert client.calls[0][1] == {"q": "x", "n": 3, "r": 1}


async def test_any_error_of_the_client_is_wrapped_with_its_reason_and_cause() -> None:
    cause = RuntimeError("no such mine")
    error = await refusal(McpTool(card(), Client(cause)))

    assert error.cause is cause
    assert (error.params["method"], error.params["reason"]) == ("invoke", "no such mine")


async def test_a_broken_connection_is_tried_again_only_for_an_idempotent_tool(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lost = McpConnectionLost("gone")

    once = Client(lost, "never asked again")
    await refusal(McpTool(card(), once))
    assert len(once.calls) == 1

    thrice = Client(lost, lost, "third time")
    assert await McpTool(card(idempotent=True), thrice).invoke() == {"result": "third time"}
    assert len(thrice.calls) == 3

    monkeypatch.setenv("OPENJIUWEN_MCP_RECONNECT_ATTEMPTS", "2")
    twice = Client(lost, lost, "too late")
    await refusal(McpTool(card(idempotent=True), twice))
    assert len(twice.calls) == 2


async def test_no_other_error_is_tried_again() -> None:
    client = Client(TimeoutError("slow"), "again")
    await refusal(McpTool(card(idempotent=True), client))

    assert len(client.calls) == 1


async def test_the_events_of_a_call_in_order() -> None:
    recorder = Recorder()
    with observed_by(recorder):
        await McpTool(card(), Client()).invoke({})

    assert recorder.events() == [
        "tool_invoke_input",
        "tool_call_started",
        "tool_parse_started",
        "tool_parse_finished",
        "tool_call_finished",
        "tool_invoke_output",
    ]


async def test_a_stream_is_refused() -> None:
    with pytest.raises(JiuwenError) as caught:
        await McpTool(card(), Client()).stream({})

    assert caught.value.status is StatusCode.TOOL_STREAM_NOT_SUPPORTED


def text(words: str) -> TextContent:
    return TextContent(type="text", text=words)


PICTURE = ImageContent(type="image", data="aGVsbG8h", mime_type="image/png")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (CallToolResult(content=[text("one"), text("two")]), "one\n\ntwo"),
        (CallToolResult(content=[text("see"), PICTURE]), "see\n\n[image: image/png, 6 bytes]"),
        (
            CallToolResult(content=[AudioContent(type="audio", data="aGk=", mime_type="audio/wav")]),
            "[audio: audio/wav, 2 bytes]",
        ),
        (
            CallToolResult(content=[ResourceLink(type="resource_link", name="map", uri="file:///map")]),
            "[resource map: file:///map]",
        ),
        (
            CallToolResult(
                content=[
                    EmbeddedResource(
                        type="resource", resource=TextResourceContents(uri="note://1", text="a note")
                    )
                ]
            ),
            "a note",
        ),
        (CallToolResult(content=[], structured_content={"ore": 3}), {"ore": 3}),
        (CallToolResult(content=[text("3")], structured_content={"ore": 3}), "3"),
        (CallToolResult(content=[]), ""),
        ({"any": "thing"}, {"any": "thing"}),
        ([1], [1]),
    ],
)
async def test_a_result_is_read_as_text(answer: Any, expected: Any) -> None:
    assert await McpTool(card(), Client(answer)).invoke() == {"result": expected}


async def test_images_are_given_where_they_are_wanted() -> None:
    answer = CallToolResult(content=[text("see"), PICTURE])
    tool = McpTool(card(), Client(answer), include_image_content=True)

    assert (await tool.invoke())["result"] == [
        {"type": "text", "text": "see"},
        {"type": "image", "data": "aGVsbG8h", "mimeType": "image/png"},
    ]


async def test_a_tool_that_says_it_failed_has_failed() -> None:
    answer = CallToolResult(content=[text("too deep")], is_error=True)
    error = await refusal(McpTool(card(), Client(answer)))

    assert error.params["reason"] == "too deep"


def test_a_result_of_megabytes_is_not_taken() -> None:
    with pytest.raises(Exception, match="at most 10485760 are taken"):
        read_result(CallToolResult(content=[text("x" * 10_485_761)]))
