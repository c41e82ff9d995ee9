"""The scripted endpoint keeps its promises: it notices what was not asked and what should not have been."""

from __future__ import annotations

import pytest

from numen.llm import Completed, Endpoint, EndpointError, OpenAICompatible, Request, UserMessage
from numen.testing.brains import rehearsing
from numen.testing.endpoint import RecordedRequest, Reply, ScriptedEndpoint, says

HELLO = Request(system="", messages=(UserMessage(content="<query>hi</query>"),))


async def ask(endpoint: ScriptedEndpoint) -> Completed:
    provider = OpenAICompatible(Endpoint(base_url=endpoint.url, model="m"))
    try:
        last = [each async for each in provider.stream(HELLO)][-1]
    finally:
        await provider.aclose()
    assert isinstance(last, Completed)
    return last


async def test_replies_that_nobody_asked_for_are_complained_of() -> None:
    async with ScriptedEndpoint(says("a"), says("b")) as endpoint:
        await ask(endpoint)

        with pytest.raises(AssertionError, match="1 of 2 scripted replies were never asked for"):
            endpoint.assert_complete()


async def test_a_request_too_many_is_refused_and_complained_of() -> None:
    async with ScriptedEndpoint(says("a")) as endpoint:
        await ask(endpoint)
        with pytest.raises(EndpointError, match="the script has ended"):
            await ask(endpoint)

        with pytest.raises(AssertionError, match="request 2 was not expected"):
            endpoint.assert_complete()


async def test_a_brain_that_fails_is_complained_of() -> None:
    def brain(request: RecordedRequest) -> Reply:
        raise KeyError("nothing there")

    async with ScriptedEndpoint(brain=brain) as endpoint:
        with pytest.raises(EndpointError, match="nothing there"):
            await ask(endpoint)

        with pytest.raises(AssertionError, match="the brain failed"):
            endpoint.assert_complete()


async def test_a_brain_may_take_its_time() -> None:
    async def brain(request: RecordedRequest) -> Reply:
        return says(f"{len(request.messages)} message")

    async with ScriptedEndpoint(brain=brain) as endpoint:
        assert (await ask(endpoint)).message.content == "1 message"
        endpoint.assert_complete()


async def test_the_rehearsal_can_be_asked_over_the_wire() -> None:
    async with ScriptedEndpoint(brain=rehearsing()) as endpoint:
        assert (await ask(endpoint)).message.content == (
            "[rehearsal] Hello! I am only a rehearsal: plain rules, no model."
        )
