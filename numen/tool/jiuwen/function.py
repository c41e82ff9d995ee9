"""LocalFunction: a function of this process as a tool."""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
import logging
import re
from collections import deque
from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
)
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from numen.tool.extract import WITHOUT_PARAMETERS, Extracted, humanise, read_docstring, spread
from numen.tool.jiuwen.base import Chunks, Options, Tool
from numen.tool.jiuwen.card import ToolCard
from numen.tool.jiuwen.errors import JiuwenError, StatusCode, fault
from numen.tool.jiuwen.threads import Worker
from numen.tool.schema import explain_fault

log = logging.getLogger(__name__)

Form = Literal["keywords", "map", "context"]
"""How a function wants its inputs: `f(**inputs)`, `f(inputs)` or `f(inputs, kwargs)`."""

SINGLE = (str, bytes, bytearray, memoryview, Mapping, BaseModel)
"""Iterable to Python, but one thing to a person: such a result is one chunk."""

AT_HAND = (list, tuple, set, frozenset, range, deque)
"""Iterables that never block; any other may compute or wait for its next item."""

_MAP_HINT = re.compile(r"(\w+\.)*(dict|Dict|Mapping|MutableMapping|Any|Options)\b")
_END = object()

_session: ContextVar[Any] = ContextVar("numen_tool_session", default=None)


def current_session() -> Any:
    """The `session` option of the call that runs here, None outside of one."""
    return _session.get()


class LocalFunction(Tool):
    """A function as a tool.

    A plain function runs on a worker thread, so that a slow one cannot hold up the game; what it returns is
    awaited when it can be. `stream` gives the items of an iterator or iterable, and any other result as the
    only one: text, bytes and maps count as one thing. With `strict`, only iterables stream.

    The form is told from the signature: parameters that the card declares are given by name; one parameter
    that it does not know takes the map of inputs, a second one the options of the call. Say `form` where
    that guess is wrong. Without a `form` of names no conversion is done; `LocalFunction.of` reads the types
    too and converts to them.
    """

    def __init__(
        self,
        card: ToolCard,
        func: Callable[..., Any] | None,
        *,
        form: Form | None = None,
        strict: bool = False,
        in_thread: bool = True,
        extracted: Extracted | None = None,
    ) -> None:
        """Raises TOOL_LOCAL_FUNCTION_FUNC_NOT_SUPPORTED when there is no function to call."""
        super().__init__(card)
        if func is None or not callable(func):
            raise fault(StatusCode.TOOL_LOCAL_FUNCTION_FUNC_NOT_SUPPORTED, card=card)
        self._func = func
        self._strict = strict
        self._signature = _signature_of(func)
        self._form = form or _form_of(self._signature, card.input_params.get("properties", {}))
        self._extracted = extracted if self._form == "keywords" else None
        self._in_thread = in_thread

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        input_params: Mapping[str, Any] | None = None,
        card: ToolCard | None = None,
        auto_extract: bool = True,
        stateless: bool = False,
        strict: bool = False,
        in_thread: bool = True,
        extracted: Extracted | None = None,
    ) -> LocalFunction:
        """Any function as a tool, declared by its own signature and docstring.

        More patient than `@tool`: untyped parameters take anything, `*args` and `**kwargs` make the schema
        an open one, a missing docstring leaves the function's name as description. What is given explicitly
        goes first; a `card` brings all of it, and is copied when something else differs from it.
        """
        label = name or (card.name if card is not None else "") or _name_of(function)
        if auto_extract and extracted is None:
            extracted = _extract(function, label)
        if input_params is None and not (card is not None and card.input_params):
            input_params = extracted.card_schema if auto_extract and extracted else dict(WITHOUT_PARAMETERS)
        if card is None:
            text = description or _describe(function, label, auto_extract)
            card = ToolCard(label, label, text, dict(input_params or {}), stateless=stateless)
        else:
            changes: dict[str, Any] = {}
            if name and name != card.name:
                changes["name"] = name
            if description and description != card.description:
                changes["description"] = description
            if input_params is not None and input_params != card.input_params:
                changes["input_params"] = dict(input_params)
            if stateless and not card.stateless:
                changes["stateless"] = True
            card = card.altered(**changes) if changes else card
        return cls(card, function, strict=strict, in_thread=in_thread, extracted=extracted)

    @property
    def func(self) -> Callable[..., Any]:
        return self._func

    @property
    def only_streams(self) -> bool:
        """Whether the function is a generator, so that `invoke` cannot be right."""
        return inspect.isgeneratorfunction(self._func) or inspect.isasyncgenfunction(self._func)

    async def invoke_internal(self, inputs: dict[str, Any], kwargs: Options) -> Any:
        args, named = await self._arguments(inputs, kwargs, "invoke")
        worker = Worker(f"tool {self.card.name}")
        try:
            with _session_of(kwargs):
                result = await self._call(worker, args, named)
        finally:
            worker.close()
        if isinstance(result, (Iterator, AsyncIterator)):
            await _discard(result)
            raise self._wrong("invoke", "func can not be generator")
        return result

    async def stream_internal(self, inputs: dict[str, Any], kwargs: Options) -> Chunks:
        args, named = await self._arguments(inputs, kwargs, "stream")
        worker = Worker(f"tool {self.card.name}")
        kept = False
        try:
            with _session_of(kwargs):
                result = await self._call(worker, args, named)
            if isinstance(result, AsyncIterable):
                return _each_async(result, kwargs)
            single = isinstance(result, SINGLE) or not isinstance(result, Iterable)
            if single and self._strict:
                raise self._wrong("stream", "func is not generator")
            if single or isinstance(result, AT_HAND) or not self._in_thread:
                return _each([result] if single else result, kwargs)
            kept = True
            return _EachInThread(result, kwargs, worker)
        finally:
            if not kept:
                worker.close()

    async def _call(self, worker: Worker, args: list[Any], named: dict[str, Any]) -> Any:
        if self._in_thread and not _is_async(self._func):
            result = await worker.run(lambda: self._func(*args, **named))
        else:
            result = self._func(*args, **named)
        if isinstance(result, concurrent.futures.Future):
            return await asyncio.wrap_future(result)
        return await result if inspect.isawaitable(result) else result

    async def _arguments(
        self, inputs: dict[str, Any], kwargs: Options, way: str
    ) -> tuple[list[Any], dict[str, Any]]:
        formatted = await self.format_inputs(inputs, kwargs)
        if self._form == "map":
            return [formatted], {}
        if self._form == "context":
            return [formatted, kwargs], {}
        if self._extracted is not None:
            if not kwargs.get("skip_inputs_validate", False):
                formatted = self._converted(formatted)
            if self._extracted.context is not None:
                if kwargs.get("context") is None:
                    raise self._wrong(way, "func needs a ToolContext, pass it as the option `context`")
                formatted[self._extracted.context] = kwargs["context"]
        return spread(self._signature, formatted) if self._signature is not None else ([], formatted)

    def _converted(self, inputs: dict[str, Any]) -> dict[str, Any]:
        assert self._extracted is not None
        try:
            return self._extracted.convert(inputs)
        except ValidationError as error:
            reason = explain_fault(error.errors(), self.card.input_params)
            raise fault(StatusCode.SCHEMA_VALIDATE_INVALID, reason=reason, data=inputs) from None

    def _wrong(self, way: str, reason: str) -> JiuwenError:
        return fault(
            StatusCode.TOOL_LOCAL_FUNCTION_EXECUTION_ERROR, method=way, reason=reason, card=self.card
        )


@contextmanager
def _session_of(kwargs: Mapping[str, Any]) -> Generator[None, None, None]:
    token = _session.set(kwargs.get("session"))
    try:
        yield
    finally:
        _session.reset(token)


# A session is bound for each pull alone: bound for the life of a stream, it would leak into whoever reads it.


async def _each_async(chunks: AsyncIterable[Any], kwargs: Options) -> AsyncIterator[Any]:
    iterator = aiter(chunks)
    try:
        while True:
            with _session_of(kwargs):
                chunk = await anext(iterator, _END)
            if chunk is _END:
                return
            yield chunk
    finally:
        await _discard(iterator)


async def _each(chunks: Iterable[Any], kwargs: Options) -> AsyncIterator[Any]:
    with _session_of(kwargs):
        iterator = iter(chunks)
    try:
        while True:
            with _session_of(kwargs):
                chunk = next(iterator, _END)
            if chunk is _END:
                return
            yield chunk
    finally:
        await _discard(iterator)


class _EachInThread(AsyncIterator[Any]):
    """The items of an iterable that may block, pulled on the worker that made it.

    No async generator, since one that was never begun runs no clean-up, and the worker would wait for ever.
    """

    def __init__(self, chunks: Iterable[Any], kwargs: Options, worker: Worker) -> None:
        self._chunks = chunks
        self._iterator: Iterator[Any] | None = None
        self._kwargs = kwargs
        self._worker = worker

    async def __anext__(self) -> Any:
        try:
            with _session_of(self._kwargs):
                if self._iterator is None:
                    self._iterator = await self._worker.run(iter, self._chunks)
                chunk = await self._worker.run(next, self._iterator, _END)
        except Exception:
            self._worker.close()
            raise
        if chunk is _END:
            self._worker.close()
            raise StopAsyncIteration
        return chunk

    async def aclose(self) -> None:
        # On its own thread, after the step that may still be running there.
        self._worker.close(getattr(self._iterator or self._chunks, "close", None))

    def __del__(self) -> None:
        self._worker.close()


async def _discard(iterator: Any) -> None:
    close = getattr(iterator, "aclose", None)
    if close is not None:
        await close()
    elif inspect.isgenerator(iterator):
        iterator.close()


def _extract(function: Callable[..., Any], name: str) -> Extracted | None:
    try:
        extracted = Extracted(function, name, strict=False)
        _ = extracted.card_schema
    except Exception as error:
        log.warning("the parameters of %s could not be read (%s); it takes none", name, error)
        return None
    return extracted


def _describe(function: Callable[..., Any], name: str, auto_extract: bool) -> str:
    docstring = read_docstring(function)
    if auto_extract:
        return docstring.first or humanise(name)
    return docstring.whole or f"Function {name}"


def _name_of(function: Callable[..., Any]) -> str:
    name: str = getattr(function, "__name__", "") or type(function).__name__
    return name


def _signature_of(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None  # some functions written in C tell nothing


def _form_of(signature: inspect.Signature | None, properties: Mapping[str, Any]) -> Form:
    parameters = list(signature.parameters.values()) if signature is not None else []
    if len(parameters) not in (1, 2):
        return "keywords"
    for each in parameters:
        by_place = each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        hint = "" if each.annotation is each.empty else inspect.formatannotation(each.annotation).strip("'")
        if (
            not by_place
            or each.name in properties
            or each.default is not each.empty
            or (hint and not _MAP_HINT.match(hint))
        ):
            return "keywords"
    return "map" if len(parameters) == 1 else "context"


def _is_async(function: Callable[..., Any]) -> bool:
    """Whether calling it cannot block: the body of a coroutine or generator does not run yet."""
    call = function if inspect.isroutine(function) else getattr(function, "__call__", function)  # noqa: B004
    return (
        inspect.iscoroutinefunction(function)
        or inspect.iscoroutinefunction(call)
        or inspect.isasyncgenfunction(function)
        or inspect.isasyncgenfunction(call)
    )
