"""One request to the model: its words are told as they come, its whole answer is returned."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from typing import assert_never

from numen.agent.history import History, repair
from numen.agent.telling import Teller
from numen.llm import Completed, Provider, ReasoningDelta, Request, Restarted, Retrying, TextDelta, ToolSpec
from numen.llm.errors import ContextOverflow

SHORTENINGS = 3
"""How often a conversation is halved for a model that finds it too long."""


async def ask_model(
    provider: Provider,
    history: History,
    system: str,
    tools: tuple[ToolSpec, ...],
    teller: Teller,
    check: Callable[[], None],
) -> Completed:
    """The model's answer to the conversation as it stands; shortened where the model cannot read all of it.

    Raises EndpointError, and whatever `check` raises once the turn no longer counts.
    """
    shortenings = 0
    while True:
        request = Request(system=system, messages=repair(history.messages), tools=tools)
        try:
            return await _stream(provider, request, teller)
        except ContextOverflow:
            check()
            if shortenings >= SHORTENINGS or not history.shorten():
                raise
            shortenings += 1


async def _stream(provider: Provider, request: Request, teller: Teller) -> Completed:
    async with aclosing(provider.stream(request)) as stream:
        async for event in stream:
            match event:
                case TextDelta():
                    teller.text(event.text)
                case Restarted():
                    teller.withdrawn(event.reason)
                case Retrying():
                    teller.retried(event.reason, event.delay_s)
                case ReasoningDelta():
                    pass
                case Completed():
                    if event.usage is not None:
                        teller.usage(event.usage)
                    return event
                case _:
                    assert_never(event)
    raise AssertionError("a provider's stream ends with Completed or raises")
