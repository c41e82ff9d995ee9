"""Eight wishes in JSON mode: what a server that keeps to the schema may answer is one valid call each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema

from numen.llm import Endpoint, OpenAICompatible
from numen.testing.endpoint import RecordedRequest, Reply, ScriptedEndpoint, refuses, says
from tests.llm.json_table import TABLE, answer_to, fault_of, toolset

DOCS = Path(__file__).parents[2] / "docs" / "models.md"


def schema_of(request: RecordedRequest) -> dict[str, Any]:
    schema = request.body["response_format"]["json_schema"]["schema"]
    assert isinstance(schema, dict)
    return schema


def strict(request: RecordedRequest) -> Reply:
    """Stands for a server that lets nothing out but what fits the schema it was given."""
    asked = request.messages[-1]["content"]
    answer = next(each.answer for each in TABLE if each.words in asked)
    try:
        jsonschema.validate(json.loads(answer), schema_of(request))
    except jsonschema.ValidationError as error:
        return refuses(400, f"the schema would not have let this out: {error.message}")
    return says(*(answer[at : at + 7] for at in range(0, len(answer), 7)))


async def test_eight_of_eight_are_valid_calls_of_the_right_tool() -> None:
    async with ScriptedEndpoint(brain=strict) as server:
        provider = OpenAICompatible(Endpoint(base_url=server.url, model="small", tool_calls="json"))
        answers = [await answer_to(provider, each.words) for each in TABLE]
        await provider.aclose()

    assert [fault_of(each, toolset()) for each in answers] == [""] * 8
    called = [each.message.calls[0].name for each in answers]
    assert all(name in each.right for name, each in zip(called, TABLE, strict=True))


async def test_the_schema_lets_no_wrong_call_out() -> None:
    async with ScriptedEndpoint(brain=strict) as server:
        provider = OpenAICompatible(Endpoint(base_url=server.url, model="small", tool_calls="json"))
        await answer_to(provider, TABLE[0].words)
        await provider.aclose()
        schema = schema_of(server.requests[0])

    checker = jsonschema.Draft202012Validator(schema)
    for wrong in (
        {"tool": "minee", "arguments": {}},
        {"tool": "mine", "arguments": {"count": 3}},
        {"tool": "mine", "arguments": {"block_ids": "stone", "count": 3}},
        {"tool": "mine"},
        {"say": 3},
        {"words": "hello"},
        "hello",
    ):
        assert not checker.is_valid(wrong), wrong
    assert checker.is_valid({"say": "hello"})


def test_the_page_on_models_tells_how_to_repeat_it() -> None:
    assert "python -m tests.llm.json_table http://localhost:8080/v1" in DOCS.read_text("utf-8")
