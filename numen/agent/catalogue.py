"""The tools as a mind's requests carry them."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterable

from numen.llm import AssistantMessage, Message, ToolMessage, ToolSpec
from numen.tool import NumenTool, ToolRegistry
from numen.tool.finding import NAME, Disclosure
from numen.tool.trust import Trust, power_of


class Catalogue:
    """Builds the declarations once, and again only when the tools are others."""

    def __init__(
        self, registry: ToolRegistry, history: Iterable[Message] = (), trust: Trust | None = None
    ) -> None:
        """What `history` has found or used is seen again. `trust` says which powers are declared."""
        self._trust = trust
        self.disclosure = Disclosure(registry)
        self._made_of: list[object] = []
        self._specs: tuple[ToolSpec, ...] = ()
        for message in history:
            if isinstance(message, AssistantMessage):
                for call in message.calls:
                    self.disclosure.called(call.name)
            elif isinstance(message, ToolMessage) and message.name == NAME:
                self.disclosure.show(*_found(message.content))

    async def specs(self) -> tuple[ToolSpec, ...]:
        """The declarations, in order; the same object as long as nothing has changed."""
        granted = self._trust.granted if self._trust is not None else frozenset()
        tools = [each for each in self.disclosure.tools() if power_of(each) in {None, *granted}]
        finder = self.disclosure.finder
        made_of: list[object] = [*tools, finder.description if finder is not None else None]
        if len(made_of) != len(self._made_of) or not all(map(_is, made_of, self._made_of)):
            self._specs, self._made_of = await specs(tools), made_of
        return self._specs


def _is(one: object, other: object) -> bool:
    return one == other if isinstance(one, str) else one is other


async def specs(tools: Iterable[NumenTool]) -> tuple[ToolSpec, ...]:
    """The tools as a request carries them, in order of registration.

    A schema is built when it is first asked for, which takes milliseconds; so the loop may breathe after
    each.
    """
    made: list[ToolSpec] = []
    for tool in tools:
        begun = time.perf_counter()
        made.append(ToolSpec(name=tool.name, description=tool.description, parameters=tool.parameter_schema))
        if time.perf_counter() - begun > 0.001:
            await asyncio.sleep(0)
    return tuple(made)


def _found(content: str) -> list[str]:
    try:
        found = json.JSONDecoder().raw_decode(content)[0]["data"]["found"]
        return [str(each["name"]) for each in found]
    except (ValueError, KeyError, TypeError):
        return []
