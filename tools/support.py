"""What the tools share: finding the body, running acts on it, turning verdicts into results, reading
names.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator, Iterable
from typing import Any, Final, TypeVar

from numen.body.acts import Act, Busy, Task, Verdict
from numen.body.body import Body
from numen.body.clock import finished
from numen.body.thinking import SLICE_S
from numen.tool import BadArguments, TaskResult, ToolContext, ToolFailure
from numen.world.entities import Entity
from protocol.game import GAME, UnknownName

T = TypeVar("T")

TICKS_A_SECOND: Final = 20


def body_of(context: ToolContext) -> Body:
    """The companion's body. Raises ToolFailure while it is not in the world."""
    body = context.anchor()
    if body is None:
        raise ToolFailure("I am not in a world just now; wait until I am back, then try again.")
    assert isinstance(body, Body)
    return body


def present(context: ToolContext) -> Body:
    """The body, alive and in a loaded place. Raises ToolFailure otherwise."""
    body = body_of(context)
    if not body.world.me.alive:
        raise ToolFailure("I am dead and about to respawn; try again in a few seconds.")
    if body.state is None or not body.online:
        raise ToolFailure("The world around me has not arrived yet; try again in a few seconds.")
    return body


def result_of(verdict: Verdict) -> TaskResult:
    """The result that says what `verdict` says."""
    return TaskResult(
        verdict.ok,
        verdict.message,
        verdict.data,
        timed_out=verdict.kind == "timeout",
        interrupted=verdict.kind in ("cancelled", "died", "disconnected"),
    )


async def perform(body: Body, name: str, act: Act, seconds: float) -> TaskResult:
    """Run `act` in the foreground: the call stays open until it has ended. Fails when the body is busy."""
    task = _start(body, name, act, seconds, background=False)
    try:
        return result_of(await finished(task))
    finally:
        if not task.done and body.tasks.current is task:  # the call was cancelled: so is what it does
            body.tasks.cancel("The call was called off.")


def begin(body: Body, name: str, act: Act, seconds: float | None) -> TaskResult:
    """Start `act` as a background job. Its outcome arrives later as a task_finished event."""
    task = _start(body, name, act, seconds, background=True)
    return TaskResult.accepted(
        task.id, name, f"{name} has begun as {task.id}. A task_finished event tells how it ends; do not poll."
    )


def _start(body: Body, name: str, act: Act, seconds: float | None, *, background: bool) -> Task:
    ticks = None if seconds is None else round(seconds * TICKS_A_SECOND)
    try:
        return body.tasks.start(name, act, ticks, background)
    except Busy as busy:
        raise ToolFailure(
            f"busy: {busy.task.id} ({busy.task.name}) is still running. Wait for its task_finished event, "
            f"or end it with task_stop first.",
            {"task_id": busy.task.id, "task": busy.task.name},
        ) from None


async def slices(work: Generator[Any, Any, T]) -> T:
    """Run a long search between the ticks and everything else that waits, and return its result."""
    while True:
        until = time.perf_counter() + SLICE_S
        while time.perf_counter() < until:
            try:
                next(work)
            except StopIteration as end:
                found: T = end.value
                return found
        await asyncio.sleep(0)


# -- names -----------------------------------------------------------------------------------------------


def item_name(text: str) -> str:
    """The full id of an item. Raises BadArguments with the nearest names."""
    return _known(lambda name: GAME.item(name).name, text, "item_id")


def block_name(text: str) -> str:
    """The full id of a block. Raises BadArguments with the nearest names."""
    return _known(lambda name: GAME.block(name).name, text, "block_id")


def known_blocks(names: Iterable[str]) -> list[str]:
    """Full ids of those that exist. Only when none does, BadArguments with the nearest names."""
    return _some(names, block_name, "block_ids")


def known_items(names: Iterable[str]) -> list[str]:
    """Full ids of those that exist. Only when none does, BadArguments with the nearest names."""
    return _some(names, item_name, "item_ids")


def _some(names: Iterable[str], check: Callable[[str], str], argument: str) -> list[str]:
    kept: dict[str, None] = {}
    fault: BadArguments | None = None
    for name in names:
        try:
            kept[check(name)] = None
        except BadArguments as error:
            fault = fault or error
    if not kept:
        raise fault or BadArguments(f"argument {argument!r} is empty; at least one id was expected")
    return list(kept)


def _known(look_up: Callable[[str], str], text: str, argument: str) -> str:
    cleaned = text.strip().lower().replace(" ", "_")
    try:
        return look_up(cleaned)
    except UnknownName as error:
        raise BadArguments(f"argument {argument!r}: {error}") from None


# -- people and places -----------------------------------------------------------------------------------


def owner_entity(body: Body, context: ToolContext) -> Entity | None:
    """The owner, where the server shows him to us."""
    if context.owner is None:
        return None
    named = body.world.entities.player(context.owner)
    if named is not None:
        return named
    return next(
        (each for each in body.world.entities if each.is_player and str(each.uuid) == context.owner), None
    )


def short(value: float) -> float:
    """A coordinate or distance with two decimals: more says nothing to a model."""
    return round(value, 2)
