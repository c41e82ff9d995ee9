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
"""

from __future__ import annotations

import asyncio
import inspect
import math
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, get_type_hints, overload

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from numen.tool.contract import NAME, BadArguments, ToolCall, ToolContext
from numen.tool.result import render
from numen.tool.schema import explain_fault, lenient, openai_dialect

SECTION = re.compile(
    r"^(args|arguments|parameters|returns|raises|yields|examples?|notes?):\s*$", re.IGNORECASE
)
ENTRY = re.compile(r"^(\*{0,2}\w+)\s*(?:\([^)]*\))?:\s*(.*)$")


class FunctionTool:
    """A NumenTool made from a function. Build it with `tool`."""

    def __init__(
        self, function: Callable[..., Any], *, name: str | None = None, in_thread: bool = False
    ) -> None:
        """`in_thread` runs a plain function on a worker thread: for work that would hold up the body's clock.

        Raises TypeError at once for a function that cannot be a tool: no docstring, an untyped or variadic
        parameter, a type that cannot be resolved.
        """
        self.function = function
        self.name = name or function.__name__
        self.in_thread = in_thread
        if not NAME.fullmatch(self.name):
            raise TypeError(f"{self.name!r} is no tool name: letters, digits, _ and -, at most 64")
        self.description, described = _read_docstring(function, self.name)
        self._context_parameter: str | None = None
        self._fields: dict[str, Any] = {}
        hints = get_type_hints(function, include_extras=True)
        for parameter in inspect.signature(function).parameters.values():
            self._add_parameter(parameter, hints, described)
        stray = sorted(set(described) - set(self._fields) - {self._context_parameter})
        if stray:
            raise TypeError(
                f"the docstring of {self.name} describes {', '.join(stray)}, which it does not take"
            )

    def _add_parameter(
        self, parameter: inspect.Parameter, hints: Mapping[str, Any], described: Mapping[str, str]
    ) -> None:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise TypeError(f"{self.name}: parameter {parameter.name} cannot be passed by name")
        hint = hints.get(parameter.name)
        if hint is None:
            raise TypeError(f"{self.name}: parameter {parameter.name} has no type")
        if hint is ToolContext:
            self._context_parameter = parameter.name
            return
        default = ... if parameter.default is parameter.empty else parameter.default
        self._fields[parameter.name] = (hint, Field(default, description=described.get(parameter.name)))

    # Building a pydantic model takes milliseconds, and a companion has dozens of tools: not before it is
    # needed.
    @cached_property
    def _model(self) -> type[BaseModel]:
        config = ConfigDict(extra="ignore", coerce_numbers_to_str=True, arbitrary_types_allowed=False)
        return create_model(self.name, __config__=config, **self._fields)

    @cached_property
    def parameter_schema(self) -> Mapping[str, Any]:
        return openai_dialect(self._model.model_json_schema())

    def bind(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The keyword arguments for the function.

        Raises BadArguments naming each argument that cannot be taken.
        """
        given = lenient(arguments, self.parameter_schema)
        try:
            model = self._model.model_validate(given)
        except ValidationError as error:
            raise BadArguments(explain_fault(error.errors(), self.parameter_schema)) from None
        return {key: getattr(model, key) for key in self._fields}

    async def invoke(self, call: ToolCall) -> None:
        keywords = self.bind(call.args())
        if self._context_parameter is not None:
            keywords[self._context_parameter] = call.ctx
        if self.in_thread:
            value = await asyncio.to_thread(self.function, **keywords)
        else:
            value = self.function(**keywords)
        if inspect.isawaitable(value):
            value = await value
        call.complete(render(value))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function itself, so that a decorated function can still be called and tested as one."""
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<tool {self.name}>"


@overload
def tool(function: Callable[..., Any], /) -> FunctionTool: ...


@overload
def tool(
    *, name: str | None = None, in_thread: bool = False
) -> Callable[[Callable[..., Any]], FunctionTool]: ...


def tool(
    function: Callable[..., Any] | None = None, /, *, name: str | None = None, in_thread: bool = False
) -> FunctionTool | Callable[[Callable[..., Any]], FunctionTool]:
    """Make a tool of a typed function, as `@tool` or `@tool(name="…")`."""
    if function is not None:
        return FunctionTool(function)
    return lambda each: FunctionTool(each, name=name, in_thread=in_thread)


def _read_docstring(function: Callable[..., Any], name: str) -> tuple[str, dict[str, str]]:
    """(description, parameter texts) of a docstring whose parameters stand under `Args:`."""
    text = inspect.getdoc(function) or ""
    if not text.strip():
        raise TypeError(f"{name} has no docstring; the model would not know what it is for")
    prose: list[str] = []
    entries: dict[str, str] = {}
    section = ""
    current = ""
    indent = math.inf
    for line in text.splitlines():
        heading = SECTION.match(line.strip()) if not line.startswith((" ", "\t")) else None
        if heading:
            section = heading.group(1).lower()
            indent = math.inf
            continue
        if section in ("args", "arguments", "parameters"):
            depth = len(line) - len(line.lstrip())
            entry = ENTRY.match(line.strip()) if depth <= indent else None
            if entry and depth > 0:
                indent = depth
                current = entry.group(1).lstrip("*")
                entries[current] = entry.group(2).strip()
            elif current and line.strip():
                entries[current] = f"{entries[current]} {line.strip()}".strip()
        elif section == "returns" or not section:
            prose.append(line)
    return " ".join(" ".join(prose).split()), entries
