"""`@tool`: a typed function with a docstring becomes a tool.

The schema, the descriptions and the checks all come from the signature and the docstring, so they cannot
disagree:

    @tool
    async def jump(ctx: ToolContext, times: Annotated[int, Field(ge=1, le=10)] = 1) -> TaskResult:
        '''Jump on the spot.

        Args:
            times: How often.
        '''

A parameter typed ToolContext receives the context of the call and is not part of the schema. Numbers outside
a declared range are clamped, numbers given as text are taken, null means "not given".

The same object is at home in the openJiuwen layer: it has a `card`, and `invoke` and `stream` take a map of
inputs as well as a call of the engine.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from pydantic import ValidationError

from numen.tool.contract import NAME, BadArguments, ToolCall, ToolContext
from numen.tool.extract import WITHOUT_PARAMETERS, Extracted, read_docstring
from numen.tool.result import render
from numen.tool.schema import explain_fault, lenient

if TYPE_CHECKING:
    from numen.tool.jiuwen.base import ToolStream
    from numen.tool.jiuwen.card import ToolCard
    from numen.tool.jiuwen.function import LocalFunction


class FunctionTool:
    """A NumenTool made from a function. Build it with `tool`."""

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        in_thread: bool = False,
        description: str | None = None,
        input_params: Mapping[str, Any] | None = None,
        card: ToolCard | None = None,
        auto_extract: bool = True,
        stateless: bool = False,
        untrusted: bool | None = None,
        power: str | None = None,
    ) -> None:
        """`in_thread` runs a plain function on a worker thread: for work that would hold up the body's clock.
        `untrusted` says that results carry words of people whom nobody here has chosen; without it they do
        when the tool is a plugin's. `power` names what the configuration must grant before a call runs
        (`numen.tool.trust`).

        Raises TypeError at once for a function that cannot be a tool: no docstring, an untyped or variadic
        parameter, a type that cannot be resolved.
        """
        function = getattr(function, "__func__", function) if isinstance(function, staticmethod) else function
        self.function = function
        self.in_thread = in_thread
        self.untrusted = untrusted
        self.power = power
        self._options: dict[str, Any] = {
            "name": name,
            "in_thread": in_thread,
            "description": description,
            "input_params": input_params,
            "card": card,
            "auto_extract": auto_extract,
            "stateless": stateless,
        }
        self.name: str = name or (card.name if card is not None else "") or function.__name__
        if not NAME.fullmatch(self.name):
            raise TypeError(f"{self.name!r} is no tool name: letters, digits, _ and -, at most 64")
        told = description or (card.description if card is not None else "")
        # An empty schema on a card declares nothing; an empty one given as such says "no arguments".
        self._declared = input_params
        if input_params is None and card is not None and (card.input_params or not auto_extract):
            self._declared = card.input_params
        self._extracted = (
            Extracted(function, self.name, strict=self._declared is None) if auto_extract else None
        )
        self.description: str = told or self._described()

    def _described(self) -> str:
        if self._extracted is None:
            return read_docstring(self.function).whole or f"Function {self.name}"
        docstring = self._extracted.docstring
        if not docstring.whole:
            raise TypeError(f"{self.name} has no docstring; the model would not know what it is for")
        stray = sorted(set(docstring.parameters) - {*self._extracted.names, self._extracted.context})
        if stray and self._declared is None:
            raise TypeError(
                f"the docstring of {self.name} describes {', '.join(stray)}, which it does not take"
            )
        return docstring.prose

    @cached_property
    def parameter_schema(self) -> Mapping[str, Any]:
        if self._declared is not None:
            return {"type": "object", "properties": {}, **self._declared}
        return WITHOUT_PARAMETERS if self._extracted is None else self._extracted.parameter_schema

    @cached_property
    def card(self) -> ToolCard:
        """What this tool declares, for the openJiuwen layer."""
        return self.local.card

    @cached_property
    def local(self) -> LocalFunction:
        """This tool as a LocalFunction of the openJiuwen layer."""
        from numen.tool.jiuwen.function import LocalFunction

        options = {**self._options, "description": self.description}
        card = self._options["card"]
        if card is not None and card.description == self.description:
            options["description"] = None
        return LocalFunction.of(self.function, extracted=self._extracted, **options)

    def bind(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The keyword arguments for the function.

        Raises BadArguments naming each argument that cannot be taken.
        """
        given = lenient(arguments, self.parameter_schema)
        if self._extracted is None:
            return given
        try:
            return self._extracted.convert(given)
        except ValidationError as error:
            raise BadArguments(explain_fault(error.errors(), self.parameter_schema)) from None

    async def run(self, arguments: Mapping[str, Any], ctx: ToolContext) -> Any:
        """Call the function with bound `arguments`; returns what it returns."""
        keywords = dict(arguments)
        if self._extracted is not None and self._extracted.context is not None:
            keywords[self._extracted.context] = ctx
        if self.in_thread:
            value = await asyncio.to_thread(self.function, **keywords)
        else:
            value = self.function(**keywords)
        return await value if inspect.isawaitable(value) else value

    @property
    def takes_owner(self) -> bool:
        """Whether this is a method that needs an object."""
        return self._extracted is not None and self._extracted.owner

    @property
    def declares_itself(self) -> bool:
        """Whether schema and checks were given apart from the function rather than read from it."""
        return self._declared is not None or self._extracted is None

    @overload
    async def invoke(self, call: ToolCall, /) -> None: ...

    @overload
    async def invoke(
        self, inputs: Mapping[str, Any] | None = None, kwargs: Mapping[str, Any] | None = None, **more: Any
    ) -> Any: ...

    async def invoke(
        self,
        inputs: ToolCall | Mapping[str, Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> Any:
        """Run a call of the engine to its completion; or run a map of inputs and return the result."""
        if not isinstance(inputs, ToolCall):
            return await self.local.invoke(inputs, kwargs, **more)
        if self.declares_itself:
            from numen.tool.jiuwen.adapter import AdaptedTool

            await AdaptedTool(self.local).invoke(inputs)
        else:
            inputs.complete(render(await self.run(self.bind(inputs.args()), inputs.ctx)))
        return None

    def stream(
        self, inputs: Mapping[str, Any] | None = None, kwargs: Mapping[str, Any] | None = None, **more: Any
    ) -> ToolStream:
        """Run a map of inputs and return the results one by one."""
        return self.local.stream(inputs, kwargs, **more)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function itself, so that a decorated function can still be called and tested as one."""
        return self.function(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> FunctionTool:
        """A decorated method, looked up on an object, is a tool of that object."""
        if instance is None or not self.takes_owner:
            return self
        options = {**self._options, "name": self.name, "untrusted": self.untrusted, "power": self.power}
        return FunctionTool(self.function.__get__(instance, owner), **options)

    def __repr__(self) -> str:
        return f"<tool {self.name}>"


@overload
def tool(function: Callable[..., Any], /) -> FunctionTool: ...


@overload
def tool(
    *,
    name: str | None = None,
    in_thread: bool = False,
    description: str | None = None,
    input_params: Mapping[str, Any] | None = None,
    card: ToolCard | None = None,
    auto_extract: bool = True,
    stateless: bool = False,
    untrusted: bool | None = None,
    power: str | None = None,
) -> Callable[[Callable[..., Any]], FunctionTool]: ...


def tool(
    function: Callable[..., Any] | None = None, /, **options: Any
) -> FunctionTool | Callable[[Callable[..., Any]], FunctionTool]:
    """Make a tool of a typed function, as `@tool` or `@tool(name="…")`.

    `name`, `description` and `input_params` (a JSON schema) say what otherwise the function says; `card`
    brings all three and more, and is itself left as it is. `auto_extract=False` reads nothing from the
    function: without `input_params` it takes no arguments. `stateless` is a flag of the card. `untrusted`
    marks a tool whose results carry other people's words: pages, chat, signs, what servers say; `False` one
    of a plugin whose results never do. `power` names what the configuration must grant before it runs.
    """
    if function is not None:
        return FunctionTool(function)
    return lambda each: FunctionTool(each, **options)
