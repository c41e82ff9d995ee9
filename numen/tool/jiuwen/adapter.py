"""The bridge between the two layers: any Tool as a NumenTool, any NumenTool as a Tool."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from numen.tool.contract import BadArguments, NumenTool, ToolCall, ToolContext, parse_arguments
from numen.tool.decorator import FunctionTool
from numen.tool.dispatcher import completion
from numen.tool.jiuwen.base import Options, Teller, Tool
from numen.tool.jiuwen.card import McpToolCard, ToolCard
from numen.tool.jiuwen.errors import JiuwenError, StatusCode, fault
from numen.tool.jiuwen.events import ToolCallEvents
from numen.tool.jiuwen.formatting import is_schema_fault
from numen.tool.jiuwen.function import LocalFunction
from numen.tool.result import ToolFailure, dump, render
from numen.tool.schema import mended

MAX_NAME = 64


class AdaptedTool:
    """A Tool of the openJiuwen layer as the engine runs it."""

    def __init__(self, tool: Tool, *, name: str | None = None) -> None:
        """`name` is what a model calls it; made from the card when not given."""
        self.tool = tool
        self.name = name or model_name(tool.card)

    @property
    def description(self) -> str:
        return self.tool.card.description

    @property
    def parallel_safe(self) -> bool:
        return self.tool.card.parallel_safe

    @property
    def idempotent(self) -> bool:
        return self.tool.card.idempotent

    @property
    def untrusted(self) -> bool | None:
        """Servers elsewhere say what they like. Of a function, whoever registers it knows whose it is."""
        return None if isinstance(self.tool, LocalFunction) else True

    @cached_property
    def parameter_schema(self) -> Mapping[str, Any]:
        return self.tool.model_schema()

    async def invoke(self, call: ToolCall) -> None:
        options = {"context": call.ctx, "session": call.ctx, "call_id": call.id}
        try:
            arguments = call.args()
        except BadArguments as error:
            bad = error

            async def refuse(inputs: dict[str, Any], kwargs: Options) -> Any:
                raise bad

            # Arguments nobody can read are a call too, and are told as one.
            await self.tool.run(refuse, {}, options)
            return
        arguments = mended(arguments, self.tool.card.input_params)
        try:
            result = await self._result(arguments, options)
        except JiuwenError as error:
            raise _for_engine(error) from error
        call.complete(render(self.tool.for_model(result)))

    async def _result(self, arguments: dict[str, Any], options: Options) -> Any:
        if isinstance(self.tool, LocalFunction) and self.tool.only_streams:
            stream = self.tool.stream(arguments, options)
            try:
                chunks = [chunk async for chunk in stream]
            finally:
                await stream.aclose()
            return "".join(chunks) if all(isinstance(each, str) for each in chunks) else chunks
        return await self.tool.invoke(arguments, options)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AdaptedTool):
            return NotImplemented
        same_kind = type(self.tool) is type(other.tool) and self.name == other.name
        return same_kind and self.tool.card == other.tool.card

    def __hash__(self) -> int:
        return hash((self.name, self.tool.card))

    def __repr__(self) -> str:
        return f"<tool {self.name} of {self.tool!r}>"


class NumenToolAsTool(Tool):
    """A tool of the engine as a Tool: `invoke` returns the text it completes with.

    For a function made a tool with `@tool`, it returns what the function returned.
    """

    def __init__(self, tool: NumenTool, ctx: ToolContext | None = None) -> None:
        """`ctx` is who calls, unless a call says so by its option `context`."""
        super().__init__(
            ToolCard(
                tool.name,
                tool.name,
                tool.description,
                dict(tool.parameter_schema),
                # What a body does is done in order and not twice, unless the tool says it may be.
                parallel_safe=bool(getattr(tool, "parallel_safe", False)),
                idempotent=bool(getattr(tool, "idempotent", False)),
            )
        )
        self.tool = tool
        self._ctx = ctx

    async def invoke_internal(self, inputs: dict[str, Any], kwargs: Options) -> Any:
        ctx = kwargs.get("context") or self._ctx
        if not isinstance(ctx, ToolContext):
            reason = "the tool needs a ToolContext, pass it as the option `context`"
            raise fault(StatusCode.TOOL_EXECUTION_ERROR, card=self.card, reason=reason)
        told = Teller(self)
        schema = self.card.input_params
        await told.trigger(ToolCallEvents.TOOL_PARSE_STARTED, raw_inputs=inputs, schema=schema)
        raw = kwargs.get("raw_args")
        if isinstance(raw, str) and not inputs:
            inputs = parse_arguments(raw)
        function = self.tool if isinstance(self.tool, FunctionTool) else None
        formatted = function.bind(inputs) if function is not None else inputs
        await told.trigger(ToolCallEvents.TOOL_PARSE_FINISHED, formatted_inputs=formatted)
        if function is not None:
            return await function.run(formatted, ctx)
        return await completion(self.tool, str(kwargs.get("call_id") or "call"), dump(formatted), ctx)

    def as_numen_tool(self) -> NumenTool:
        return self.tool


def as_tool(tool: NumenTool, ctx: ToolContext | None = None) -> Tool:
    """`tool` in the openJiuwen layer; one that came from there is handed back as it was."""
    if isinstance(tool, AdaptedTool):
        return tool.tool
    if isinstance(tool, FunctionTool) and tool.declares_itself:
        return tool.local
    return NumenToolAsTool(tool, ctx)


def as_numen_tool(tool: Tool) -> NumenTool:
    """`tool` as the engine runs it."""
    return tool.as_numen_tool()


async def observed_completion(tool: NumenTool, call_id: str, raw_args: str, ctx: ToolContext) -> str:
    """As `completion`, with the events of the lifecycle told to the framework of the moment."""
    if isinstance(tool, FunctionTool) and tool.declares_itself:
        tool = tool.local.as_numen_tool()
    if isinstance(tool, AdaptedTool):
        return await completion(tool, call_id, raw_args, ctx)  # it tells them itself
    options: Options = {"context": ctx, "session": ctx, "call_id": call_id}
    try:
        arguments = parse_arguments(raw_args)
    except BadArguments:
        # They are read again inside the lifecycle, which then tells of the error.
        arguments = {}
        options["raw_args"] = raw_args
    try:
        return render(await NumenToolAsTool(tool, ctx).invoke(arguments, options))
    except JiuwenError as error:
        raise _for_engine(error) from error


def model_name(card: ToolCard) -> str:
    """A name every endpoint takes: letters, digits, `_` and `-`, a letter first, at most 64 of them.

    A tool of an MCP server is `mcp_<server>_<tool>`.
    """
    name = card.name or card.id
    if isinstance(card, McpToolCard):
        name = f"mcp_{card.server_name or card.server_id}_{name}"
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_-")
    if not plain or not plain[0].isalpha():
        plain = f"tool_{plain}".rstrip("_")
    return plain[:MAX_NAME]


def _for_engine(error: JiuwenError) -> BadArguments | ToolFailure:
    """The same fault as the engine tells it to a model."""
    if is_schema_fault(error):
        return BadArguments(_reason(error))
    facts: dict[str, Any] = {"code": error.code}
    if isinstance(error.details, Mapping):
        facts.update(error.details)
    return ToolFailure(str(error), facts)


def _reason(error: BaseException) -> str:
    """The innermost words on what is wrong with the inputs."""
    found = str(error)
    at: BaseException | None = error
    while at is not None:
        if isinstance(at, JiuwenError) and "reason" in at.params:
            found = str(at.params["reason"])
        at = at.__cause__
    return found
