"""Gemini in Google's own format, against a scripted endpoint over real sockets."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from itertools import count
from typing import Any
from urllib.parse import parse_qs

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from numen.agent import Mind, Persona
from numen.llm import (
    AssistantMessage,
    Completed,
    Endpoint,
    EndpointError,
    FunctionCall,
    OpenAICompatible,
    Request,
    Secret,
    StreamEvent,
    TextDelta,
    ToolMessage,
    Usage,
    UserMessage,
    Vertex,
    http_provider,
)
from numen.llm import errors as wrong
from numen.llm.gemini import contents, schema
from numen.llm.retry import RetryPolicy
from numen.session import MemorySession
from numen.testing.endpoint import Reply, ScriptedEndpoint, answers, refuses, stream
from numen.testing.gemini import chunk, gemini_calls, gemini_says
from numen.tool import TaskResult, ToolContext, ToolRegistry, tool
from tests.llm.kit import HELLO, KEY, MINE
from tests.llm.test_written_calls import STONES


class Asked:
    """A Vertex provider on that endpoint."""

    def __init__(self, server: ScriptedEndpoint, **settings: Any) -> None:
        numbers = count(1)
        given = {
            "provider": "vertex",
            "base_url": server.url,
            "model": "gemini-2.5-flash",
            "api_key": Secret(KEY),
        }
        self.provider = Vertex(
            Endpoint(**{**given, **settings}),
            policy=RetryPolicy(0),
            new_id=lambda: f"new_{next(numbers)}",
        )

    async def events(self, request: Request = HELLO) -> list[StreamEvent]:
        return [each async for each in self.provider.stream(request)]

    async def answer(self, request: Request = HELLO) -> Completed:
        last = (await self.events(request))[-1]
        assert isinstance(last, Completed)
        return last

    async def __aenter__(self) -> Asked:
        return self

    async def __aexit__(self, *details: object) -> None:
        await self.provider.aclose()


async def test_words_come_in_pieces_and_thoughts_are_never_among_them() -> None:
    async with (
        ScriptedEndpoint(gemini_says("Good ", "morning.", thoughts="hm")) as server,
        Asked(server) as asked,
    ):
        events = await asked.events()

    assert [each.text for each in events if isinstance(each, TextDelta)] == ["Good ", "morning."]
    last = events[-1]
    assert isinstance(last, Completed)
    assert last.message.content == "Good morning."
    assert last.finish == "stop"
    assert last.usage == Usage(prompt_tokens=100, completion_tokens=10, cached_tokens=80)


async def test_calls_get_ids_of_ours_and_keep_their_signature() -> None:
    async with (
        ScriptedEndpoint(gemini_calls(("mine", {"count": 3}), ("mine", {"count": 4}))) as server,
        Asked(server) as asked,
    ):
        done = await asked.answer()

    assert [
        (each.id, each.name, json.loads(each.arguments), dict(each.extra)) for each in done.message.calls
    ] == [
        ("new_1", "mine", {"count": 3}, {"thoughtSignature": "c2lnbmVk"}),
        ("new_2", "mine", {"count": 4}, {}),
    ]


async def test_the_request_is_what_google_expects() -> None:
    request = Request(system="You are Numen.", messages=(UserMessage(content="q"),), tools=(STONES, MINE))
    async with ScriptedEndpoint(gemini_says("ok")) as server:
        async with Asked(server, temperature=0.5, max_tokens=99, thinking="low") as asked:
            await asked.answer(request)
        sent = server.requests[0]

    assert sent.path == "/v1/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
    assert sent.headers["x-goog-api-key"] == KEY
    assert "authorization" not in sent.headers
    assert sent.body == {
        "systemInstruction": {"parts": [{"text": "You are Numen."}]},
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": "mine",
                        "description": "Mine blocks.",
                        "parameters": {
                            "type": "OBJECT",
                            "properties": {
                                "block_ids": {
                                    "type": "ARRAY",
                                    "items": {"type": "STRING"},
                                    "description": "Which.",
                                },
                                "count": {
                                    "type": "INTEGER",
                                    "minimum": 1,
                                    "description": "How many.",
                                    "default": 1,
                                },
                            },
                            "required": ["block_ids"],
                        },
                    },
                    {"name": "mine", "description": "Mine."},
                ]
            }
        ],
        "generationConfig": {
            "temperature": 0.5,
            "maxOutputTokens": 99,
            "thinkingConfig": {"thinkingBudget": 1024},
        },
        "contents": [{"role": "user", "parts": [{"text": "q"}]}],
    }


@pytest.mark.parametrize(
    ("model", "level", "config"),
    [
        ("gemini-2.5-pro", "off", {"thinkingBudget": 0}),
        ("gemini-2.5-pro", "high", {"thinkingBudget": 24_576}),
        ("gemini-3-pro", "high", {"thinkingLevel": "high"}),
        ("gemini-3-flash", "off", {"thinkingLevel": "low"}),
    ],
)
async def test_a_thinking_level_is_written_as_the_model_takes_it(model: str, level: str, config: Any) -> None:
    async with ScriptedEndpoint(gemini_says("ok")) as server:
        async with Asked(server, model=model, thinking=level) as asked:
            await asked.answer()
        assert server.requests[0].body["generationConfig"]["thinkingConfig"] == config


def test_results_of_one_answer_stand_in_one_turn_and_roles_take_turns() -> None:
    messages = (
        AssistantMessage(content="before"),
        UserMessage(content="q"),
        AssistantMessage(
            content="<think>hm</think>On it.",
            calls=(
                FunctionCall(id="a", name="mine", arguments='{"n": 1}', extra={"thoughtSignature": "sig"}),
                FunctionCall(id="b", name="craft", arguments="{}"),
            ),
            origin="vertex",
        ),
        ToolMessage(call_id="a", name="mine", content='{"success": true, "message": "ok"}'),
        ToolMessage(call_id="b", name="craft", content="plain words"),
        UserMessage(content="and?"),
    )

    assert contents(messages, "vertex") == [
        {"role": "user", "parts": [{"text": "(What was said before is left out.)"}]},
        {"role": "model", "parts": [{"text": "before"}]},
        {"role": "user", "parts": [{"text": "q"}]},
        {
            "role": "model",
            "parts": [
                {"text": "On it."},
                {"functionCall": {"name": "mine", "args": {"n": 1}}, "thoughtSignature": "sig"},
                {"functionCall": {"name": "craft", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "mine", "response": {"success": True, "message": "ok"}}},
                {"functionResponse": {"name": "craft", "response": {"result": "plain words"}}},
                {"text": "and?"},
            ],
        },
    ]
    foreign = contents(messages, "somebody else")[3]["parts"]
    assert not any("thoughtSignature" in each for each in foreign)
    signed = contents(messages, "somebody else", sign=True)[3]["parts"]
    assert [each.get("thoughtSignature") for each in signed] == [
        None,
        "skip_thought_signature_validator",
        None,
    ]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"type": "string", "enum": ["a", "b"]}, {"type": "STRING", "enum": ["a", "b"]}),
        ({"const": "a"}, {"type": "STRING", "enum": ["a"]}),
        (
            {"type": "integer", "enum": [1, 2], "description": "d"},
            {"type": "INTEGER", "description": "d (one of 1, 2)"},
        ),
        ({"type": ["string", "null"]}, {"type": "STRING", "nullable": True}),
        (
            {"anyOf": [{"type": "string"}, {"type": "number"}], "title": "x"},
            {"anyOf": [{"type": "STRING"}, {"type": "NUMBER"}]},
        ),
        ({"type": "array"}, {"type": "ARRAY", "items": {"type": "STRING"}}),
        ({}, {"type": "STRING"}),
        (
            {"type": "object", "properties": {"a": {"type": "boolean"}}, "additionalProperties": False},
            {"type": "OBJECT", "properties": {"a": {"type": "BOOLEAN"}}},
        ),
    ],
)
def test_schemas_are_cut_to_what_google_takes(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert schema(given) == expected


@pytest.mark.parametrize(
    ("reply", "finish", "content"),
    [
        (gemini_says("cut", finish="MAX_TOKENS"), "length", "cut"),
        (gemini_says(finish="SAFETY"), "content_filter", ""),
        (gemini_says(finish="MALFORMED_FUNCTION_CALL"), "malformed_call", ""),
        (stream({"promptFeedback": {"blockReason": "SAFETY"}}, done=False), "content_filter", ""),
        (
            answers(json.dumps([chunk({"text": "a"}), chunk({"text": "b"}, finish="STOP")]).encode()),
            "stop",
            "ab",
        ),
        (stream(chunk({"text": "a"}, {"odd": 1}, finish="STOP"), {"odd": 1}, done=False), "stop", "a"),
        (stream(chunk({"text": "a"}), {"candidates": [{}]}, chunk(finish="STOP"), done=False), "stop", "a"),
    ],
)
async def test_an_answer_is_read_whatever_its_form(reply: Reply, finish: str, content: str) -> None:
    async with ScriptedEndpoint(reply) as server, Asked(server) as asked:
        done = await asked.answer()

    assert (done.finish, done.message.content) == (finish, content)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (refuses(401, f"bad key {KEY}"), wrong.BadKey),
        (refuses(403), wrong.BadKey),
        (refuses(429, "RESOURCE_EXHAUSTED"), wrong.RateLimited),
        (refuses(503), wrong.ServerTrouble),
        (refuses(404, "models/gemini-x is not found for API version v1"), wrong.UnknownModel),
        (
            refuses(400, "The input token count (2000000) exceeds the maximum number of tokens allowed"),
            wrong.ContextOverflow,
        ),
        (answers(b'[{"error": {"code": 400, "message": "bad schema"}}]'), wrong.BadRequest),
        (stream(chunk({"text": "a"}), done=False), wrong.StreamDied),
        (gemini_says("a", "b").cut(after=1), wrong.StreamDied),
    ],
)
async def test_every_failure_has_its_kind_and_shows_no_key(reply: Reply, kind: type[EndpointError]) -> None:
    async with ScriptedEndpoint(reply, reply) as server, Asked(server) as asked:
        with pytest.raises(kind) as caught:
            await asked.events()

    assert type(caught.value) is kind
    assert KEY not in str(caught.value)


async def test_what_the_model_refuses_of_ours_is_done_without() -> None:
    script = (
        refuses(400, "Function call is missing a thought_signature in functionCall parts"),
        refuses(400, "Thinking level is not supported for this model"),
        gemini_says("ok"),
    )
    request = Request(
        system="",
        messages=(
            UserMessage(content="q"),
            AssistantMessage(calls=(FunctionCall(id="a", name="mine", arguments="{}"),), origin="openai"),
            ToolMessage(call_id="a", name="mine", content="{}"),
        ),
        tools=(MINE,),
    )
    async with ScriptedEndpoint(*script) as server:
        async with Asked(server, thinking="high") as asked:
            await asked.answer(request)
        server.assert_complete()
        first, _, last = (each.body for each in server.requests)

    assert "thinkingConfig" in first["generationConfig"]
    assert "generationConfig" not in last
    assert "thoughtSignature" not in json.dumps(first)
    assert last["contents"][1]["parts"][0]["thoughtSignature"] == "skip_thought_signature_validator"


@pytest.mark.parametrize(
    ("settings", "url"),
    [
        ({}, "https://aiplatform.googleapis.com/v1/publishers/google/models/m:streamGenerateContent?alt=sse"),
        (
            {"project": "p", "location": "europe-west4"},
            "https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4"
            "/publishers/google/models/m:streamGenerateContent?alt=sse",
        ),
        (
            {"project": "p"},
            "https://aiplatform.googleapis.com/v1/projects/p/locations/global"
            "/publishers/google/models/m:streamGenerateContent?alt=sse",
        ),
        (
            {"base_url": "https://generativelanguage.googleapis.com/v1beta/"},
            "https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse",
        ),
    ],
)
def test_the_address_is_made_of_project_and_place(settings: dict[str, str], url: str) -> None:
    endpoint = Endpoint(provider="vertex", model="m", **settings)  # type: ignore[arg-type]

    assert endpoint.url == url
    assert isinstance(http_provider(endpoint), Vertex)
    assert isinstance(http_provider(Endpoint(provider="gemini", model="m")), OpenAICompatible)


# -- service accounts

PRIVATE = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
PEM = PRIVATE.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
).decode()


def account(server: ScriptedEndpoint) -> Secret:
    token_uri = server.url.removesuffix("/v1") + "/token"
    fields = {"client_email": "numen@p.iam", "private_key": PEM, "token_uri": token_uri, "project_id": "p"}
    return Secret(json.dumps(fields))


def token(text: str, expires_in: int = 3_600) -> Reply:
    return answers({"access_token": text, "expires_in": expires_in})


def part(text: str) -> Mapping[str, Any]:
    value = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    assert isinstance(value, dict)
    return value


async def test_a_service_account_signs_for_a_token_and_keeps_it_while_it_is_good() -> None:
    script = (token("t1"), gemini_says("a"), gemini_says("b"))
    async with ScriptedEndpoint(*script) as server:
        async with Asked(server, api_key=account(server)) as asked:
            await asked.answer()
            await asked.answer()
        server.assert_complete()
        asks, first, second = server.requests

    assert asks.path == "/token"
    form = parse_qs(asks.raw.decode())
    assert form["grant_type"] == ["urn:ietf:params:oauth:grant-type:jwt-bearer"]
    head, claims, signature = form["assertion"][0].split(".")
    assert part(head) == {"alg": "RS256", "typ": "JWT"}
    assert part(claims)["iss"] == "numen@p.iam"
    assert part(claims)["aud"].endswith("/token")
    assert part(claims)["exp"] - part(claims)["iat"] == 3_600
    PRIVATE.public_key().verify(
        base64.urlsafe_b64decode(signature + "=="),
        f"{head}.{claims}".encode(),
        padding.PKCS1v15(),
        hashes.SHA256(),
    )
    assert first.headers["authorization"] == second.headers["authorization"] == "Bearer t1"


async def test_a_token_that_has_ended_early_is_renewed_once() -> None:
    script = (token("t1"), gemini_says("a"), refuses(401), token("t2"), gemini_says("b"))
    async with ScriptedEndpoint(*script) as server:
        async with Asked(server, api_key=account(server)) as asked:
            await asked.answer()
            assert (await asked.answer()).message.content == "b"
        server.assert_complete()
        assert server.requests[-1].headers["authorization"] == "Bearer t2"

    async with ScriptedEndpoint(token("secret-token-1"), refuses(401, "secret-token-1 is bad")) as server:
        async with Asked(server, api_key=account(server)) as asked:
            with pytest.raises(wrong.BadKey) as caught:
                await asked.answer()
        assert "secret-token-1" not in str(caught.value)
        server.assert_complete()


async def test_no_token_is_a_bad_key_and_no_way_to_it_is_unreachable() -> None:
    async with ScriptedEndpoint(refuses(400, "invalid_grant")) as server:
        async with Asked(server, api_key=account(server)) as asked:
            with pytest.raises(wrong.BadKey, match=r"no token from .*/token: HTTP 400"):
                await asked.answer()
        nowhere = account(server)
        broken = Secret(account(server).reveal().replace("BEGIN PRIVATE", "BEGIN"))
        async with Asked(server, api_key=broken) as asked:
            with pytest.raises(wrong.BadKey, match=r"the private key of numen@p\.iam cannot be used"):
                await asked.answer()
    async with ScriptedEndpoint() as server, Asked(server, api_key=nowhere) as asked:
        with pytest.raises(wrong.Unreachable, match="no token from"):
            await asked.answer()


async def test_an_access_token_goes_as_bearer_and_a_broken_key_file_is_named() -> None:
    async with ScriptedEndpoint(gemini_says("a")) as server:
        async with Asked(server, api_key=Secret("ya29.abcdef")) as asked:
            await asked.answer()
        assert server.requests[0].headers["authorization"] == "Bearer ya29.abcdef"

    with pytest.raises(ValueError, match="no service account"):
        Vertex(Endpoint(provider="vertex", model="m", api_key=Secret('{"type": "service_account"}')))


# -- a whole turn


@tool
async def mine(count: int) -> TaskResult:
    """Mine.

    Args:
        count: How many.
    """
    return TaskResult.ok(f"mined {count}", {"gained": count})


async def test_a_turn_with_two_calls_goes_through() -> None:
    script = (gemini_calls(("mine", {"count": 1}), ("mine", {"count": 2})), gemini_says("Done."))
    said: list[str] = []
    registry = ToolRegistry()
    registry.register(mine)
    async with ScriptedEndpoint(*script) as server:
        mind = Mind(
            persona=Persona(companion="Numen"),
            provider=Asked(server).provider,
            registry=registry,
            context=ToolContext(companion="Numen"),
            session=MemorySession(),
            speak=said.append,
        )
        mind.start()
        mind.hear("mine three")
        await mind.rest()
        await mind.stop()
        server.assert_complete()
        turns = server.requests[1].body["contents"]

    assert said == ["Done."]
    assert [each["role"] for each in turns] == ["user", "model", "user"]
    assert turns[1]["parts"][0]["thoughtSignature"] == "c2lnbmVk"
    assert [each["functionResponse"]["response"]["data"] for each in turns[2]["parts"]] == [
        {"gained": 1},
        {"gained": 2},
    ]
