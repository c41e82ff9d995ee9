"""The life of a call: Tool, its two ways to be used, and the events around them."""

from __future__ import annotations

import inspect
import logging
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Generator, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from numen.tool.hooks import UNCHANGED, CallbackFramework, callback_framework, observed_by
from numen.tool.jiuwen.card import ToolCard
from numen.tool.jiuwen.errors import StatusCode, fault
from numen.tool.jiuwen.events import BoundArgs, ToolCallEvents
from numen.tool.jiuwen.formatting import format_with_schema
from numen.tool.schema import openai_dialect

if TYPE_CHECKING:
    from numen.tool.contract import NumenTool

log = logging.getLogger(__name__)

Options = dict[str, Any]
Body = Callable[[dict[str, Any], Options], Awaitable[Any]]
Chunks = AsyncIterable[Any] | Iterable[Any] | None


class Tool:
    """Something that can be called, declared by a card. Made to be subclassed.

    A subclass writes `invoke_internal`, `stream_internal` or both; the events, the transforms and the copies
    around them are here and need not be thought of. It calls `self.format_inputs` before its real work.

    Raises TOOL_CARD_INVALID for no card, or one without an id.
    """

    def __init__(self, card: ToolCard) -> None:
        if card is None:
            raise fault(StatusCode.TOOL_CARD_INVALID, card=None, reason="card is None")
        if not card.id:
            raise fault(StatusCode.TOOL_CARD_INVALID, card=card, reason="card id is None or empty")
        self._card = card

    @property
    def card(self) -> ToolCard:
        return self._card

    async def invoke(
        self, inputs: Mapping[str, Any] | None = None, kwargs: Mapping[str, Any] | None = None, **more: Any
    ) -> Any:
        """Run the tool once and return its result.

        `inputs` are its arguments, `kwargs` options of the call (`session`, `timeout`, `skip_none_value` …),
        which may also be given by name. Both are copied. Whatever the tool raises is raised.
        """
        return await self.run(self.invoke_internal, inputs, {**(kwargs or {}), **more})

    def stream(
        self, inputs: Mapping[str, Any] | None = None, kwargs: Mapping[str, Any] | None = None, **more: Any
    ) -> ToolStream:
        """Run the tool and return its results one by one: `async for chunk in tool.stream(inputs)`.

        Nothing happens until the first chunk is asked for; `await` the stream to begin at once.
        """
        return ToolStream(self, dict(inputs or {}), {**(kwargs or {}), **more})

    async def invoke_internal(self, inputs: dict[str, Any], kwargs: Options) -> Any:
        """The work of `invoke`. Write it in a subclass."""
        raise fault(StatusCode.TOOL_INVOKE_NOT_SUPPORTED, card=self._card)

    def stream_internal(self, inputs: dict[str, Any], kwargs: Options) -> Chunks | Awaitable[Chunks]:
        """The work of `stream`: an iterator, an async one, a coroutine that returns either, or None for none.

        Write it in a subclass.
        """
        raise fault(StatusCode.TOOL_STREAM_NOT_SUPPORTED, card=self._card)

    async def format_inputs(
        self,
        inputs: Mapping[str, Any],
        kwargs: Mapping[str, Any],
        *,
        keep_nulls: bool = False,
        trusted: bool = True,
    ) -> dict[str, Any]:
        """`inputs` as the card's schema wants them, told by the two parse events.

        `kwargs` may hold `skip_none_value` (default false, and without effect with `keep_nulls`) and
        `skip_inputs_validate` (default false).
        """
        told = Teller(self)
        schema = self._card.input_params
        await told.trigger(ToolCallEvents.TOOL_PARSE_STARTED, raw_inputs=inputs, schema=schema)
        formatted = await format_with_schema(
            inputs,
            schema,
            skip_none_value=not keep_nulls and bool(kwargs.get("skip_none_value", False)),
            skip_validate=bool(kwargs.get("skip_inputs_validate", False)),
            trusted=trusted,
        )
        await told.trigger(ToolCallEvents.TOOL_PARSE_FINISHED, formatted_inputs=formatted)
        return formatted

    async def run(
        self, body: Body, inputs: Mapping[str, Any] | None, kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """The life of one invocation around `body`, which stands for `invoke_internal`."""
        given, options = dict(inputs or {}), dict(kwargs or {})
        told = Teller(self)
        if told.framework is None:
            return await body(given, options)
        given, options = await told.input("invoke", given, options)
        try:
            await told.started(given, options)
            result = await body(given, options)
            await told.finished(given, options, result=result)
        except Exception as error:
            await told.failed(error)
            raise
        return await told.output("invoke", result)

    def for_model(self, result: Any) -> Any:
        """The part of a result that a model should read; all of it, unless a subclass knows better."""
        return result

    def model_schema(self) -> Mapping[str, Any]:
        """The card's schema in the words an endpoint takes."""
        return openai_dialect(self._card.input_params)

    def as_numen_tool(self) -> NumenTool:
        """This tool as the engine runs it; `ToolRegistry.register` calls this by itself."""
        from numen.tool.jiuwen.adapter import AdaptedTool

        return AdaptedTool(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._card.name or self._card.id}>"


class Teller:
    """Tells one call's events to the framework of the moment; does nothing when there is none."""

    def __init__(self, tool: Tool) -> None:
        self.framework: CallbackFramework | None = callback_framework()
        self._tool = tool

    async def trigger(self, event: str, **fields: Any) -> None:
        if self.framework is not None:
            card = self._tool.card
            await self.framework.trigger(event, {"tool_name": card.name, "tool_id": card.id, **fields})

    async def input(
        self, way: str, inputs: dict[str, Any], kwargs: Options
    ) -> tuple[dict[str, Any], Options]:
        """Let transforms replace the arguments, then tell them."""
        if self.framework is None:
            return inputs, kwargs
        event = _INPUT[way]
        answer = await self.framework.transform(event, self._input_payload(inputs, kwargs))
        inputs, kwargs = _replaced(answer, inputs, kwargs)
        await self.framework.trigger(event, self._input_payload(inputs, kwargs))
        return inputs, kwargs

    async def started(self, inputs: dict[str, Any], kwargs: Options) -> None:
        await self.trigger(ToolCallEvents.TOOL_CALL_STARTED, inputs=([inputs], kwargs))

    async def received(self, inputs: dict[str, Any], kwargs: Options, chunk: Any) -> None:
        await self.trigger(ToolCallEvents.TOOL_RESULT_RECEIVED, inputs=([inputs], kwargs), result=chunk)

    async def finished(self, inputs: dict[str, Any], kwargs: Options, *, result: Any) -> None:
        await self.trigger(ToolCallEvents.TOOL_CALL_FINISHED, inputs=([inputs], kwargs), result=result)

    async def finished_stream(self) -> None:
        await self.trigger(ToolCallEvents.TOOL_CALL_FINISHED)

    async def failed(self, error: Exception) -> None:
        try:
            await self.trigger(ToolCallEvents.TOOL_CALL_ERROR, error=error)
        except Exception:
            # What went wrong in the call is the news; an observer's own trouble must not take its place.
            log.warning("an observer failed while it was told of an error", exc_info=True)

    async def output(self, way: str, result: Any) -> Any:
        """Let transforms replace the result, then tell it. None is no replacement."""
        if self.framework is None:
            return result
        event = _OUTPUT[way]
        answer = await self.framework.transform(event, self._output_payload(result))
        result = result if answer is None or answer is UNCHANGED else answer
        await self.framework.trigger(event, self._output_payload(result))
        return result

    def _input_payload(self, inputs: dict[str, Any], kwargs: Options) -> dict[str, Any]:
        card = self._tool.card
        return {
            "inputs": inputs,
            "kwargs": kwargs,
            "_args": [inputs],
            "tool_name": card.name,
            "tool_info": card.tool_info(),
        }

    def _output_payload(self, result: Any) -> dict[str, Any]:
        card = self._tool.card
        return {"result": result, "tool_name": card.name, "tool_info": card.tool_info()}


_INPUT = {"invoke": ToolCallEvents.TOOL_INVOKE_INPUT, "stream": ToolCallEvents.TOOL_STREAM_INPUT}
_OUTPUT = {"invoke": ToolCallEvents.TOOL_INVOKE_OUTPUT, "stream": ToolCallEvents.TOOL_STREAM_OUTPUT}


def _replaced(answer: Any, inputs: dict[str, Any], kwargs: Options) -> tuple[dict[str, Any], Options]:
    """What an input transform made of the arguments; anything but its two forms changes nothing."""
    if isinstance(answer, (BoundArgs, inspect.BoundArguments)):
        found = answer.args[0] if answer.args else answer.kwargs.get("inputs")
        named: Mapping[str, Any] = {"inputs": found, "kwargs": answer.kwargs.get("kwargs")}
    elif isinstance(answer, Mapping):
        named = answer
    else:
        return inputs, kwargs
    new_inputs, new_kwargs = named.get("inputs"), named.get("kwargs")
    return (
        dict(new_inputs) if isinstance(new_inputs, Mapping) else inputs,
        dict(new_kwargs) if isinstance(new_kwargs, Mapping) else kwargs,
    )


class ToolStream(AsyncIterator[Any]):
    """The chunks of one streamed call, for one consumer.

    The end or the error of the call is told once, however often and in whichever way the stream is asked
    afterwards. One that is left half-read tells neither; `aclose` it, so that the tool can clean up.
    """

    def __init__(self, tool: Tool, inputs: dict[str, Any], kwargs: Options) -> None:
        self._tool = tool
        self._inputs = inputs
        self._kwargs = kwargs
        self._told = Teller(tool)
        self._chunks: AsyncIterator[Any] | None = None
        self._ahead: list[Any] = []
        self._over = False

    def __await__(self) -> Generator[Any, None, ToolStream]:
        """Begin now, so that what can go wrong at the start does so here; gives the stream itself."""
        yield from self._open().__await__()
        return self

    async def __anext__(self) -> Any:
        if not await self.has_next():
            raise StopAsyncIteration
        chunk = self._ahead.pop()
        await self._told.received(self._inputs, self._kwargs, chunk)
        return await self._told.output("stream", chunk)

    async def has_next(self) -> bool:
        """Whether there is another chunk; waits for the tool to know."""
        if self._ahead:
            return True
        if self._over:
            return False
        chunks = await self._open()
        try:
            self._ahead.append(await anext(chunks))
        except StopAsyncIteration:
            self._over = True
            await self._told.finished_stream()
            return False
        except Exception as error:
            await self._fail(error)
            raise
        except BaseException:
            self._over = True  # cancelled: neither finished nor failed
            raise
        return True

    async def aclose(self) -> None:
        """Read no more and let the tool clean up."""
        self._over = True
        self._ahead.clear()
        close = getattr(self._chunks, "aclose", None)
        if close is not None:
            await close()

    async def _open(self) -> AsyncIterator[Any]:
        if self._chunks is not None:
            return self._chunks
        if self._over:
            return _nothing()
        self._inputs, self._kwargs = await self._told.input("stream", self._inputs, self._kwargs)
        try:
            await self._told.started(self._inputs, self._kwargs)
            with observed_by(self._told.framework):
                begun = self._tool.stream_internal(self._inputs, self._kwargs)
                chunks = await begun if inspect.isawaitable(begun) else begun
            self._chunks = _iterate(chunks)
        except Exception as error:
            await self._fail(error)
            raise
        return self._chunks

    async def _fail(self, error: Exception) -> None:
        self._over = True
        await self._told.failed(error)


def _iterate(chunks: Chunks) -> AsyncIterator[Any]:
    if chunks is None:
        return _nothing()
    if isinstance(chunks, AsyncIterable):
        return aiter(chunks)
    return _each(chunks)


async def _nothing() -> AsyncIterator[Any]:
    return
    yield


async def _each(chunks: Iterable[Any]) -> AsyncIterator[Any]:
    for chunk in chunks:
        yield chunk
