"""The door for an outside brain: it takes a body over, runs its tools, and hands it back."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from uuid import UUID

from numen.agent import Event, Halt
from numen.doors.fleet import Fleet, Resident
from numen.doors.reply import Reply, settled
from numen.tool import TaskResult

log = logging.getLogger(__name__)

Arguments = Mapping[str, Any] | str | None
"""Arguments of a call: a map, the JSON text of one, or nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanionInfo:
    """A companion as an outside brain sees it."""

    uuid: UUID
    name: str
    owner: UUID | None
    here: bool
    """It is in the world and can act."""
    driven: bool
    """Something other than its own mind has it."""


@dataclass
class _Held:
    resident: Resident
    unwatch: Callable[[], None]
    calls: set[asyncio.Task[str]] = field(default_factory=set)


class NumenActuator:
    """One outside brain. Every method is fine from any thread, and none raises for what a tool does."""

    def __init__(
        self,
        fleet: Fleet,
        owner: UUID | None = None,
        *,
        on_event: Callable[[UUID, Event], None] | None = None,
    ) -> None:
        """`owner` is for whom this brain acts: it gets the bodies that are his. None is whoever runs the
        process, and gets all.

        `on_event` is told, on the event loop, what happens to each body that is held, `task_finished` above
        all; it must not block.
        """
        self._fleet = fleet
        self._owner = owner
        self._on_event = on_event
        self._held: dict[UUID, _Held] = {}
        self._numbers = count(1)
        fleet.on_gone(self._left)

    def companions(self) -> list[CompanionInfo]:
        """Those that this brain may take over, in the order they came."""
        return [
            CompanionInfo(
                uuid=each.uuid,
                name=each.name,
                owner=each.owner_uuid,
                here=each.here,
                driven=self._fleet.driver(each) is not None,
            )
            for each in self._fleet.all()
            if self._may_have(each)
        ]

    def acquire(self, uuid: UUID | str) -> bool:
        """Take the body over. The turn and the task under way end at once; the mind stays silent until
        `release`, and what it is told meanwhile waits.

        True also when this brain has it already. False when nobody has that uuid, when the body is not the
        owner's, and when another brain has it.
        """
        return self._fleet.on_loop(lambda: self._acquire(uuid), otherwise=False)

    def invoke(self, uuid: UUID | str, tool: str, arguments: Arguments = None) -> Reply[str]:
        """Run a tool with that body. The reply is the text the model would have got, usually the JSON of a
        TaskResult; it never fails: an unknown tool, bad arguments and a tool that breaks are results.

        Calls on one body run one after another, in the order they came; bodies do not wait for each other.
        Nothing of it is written into the companion's conversation. Cancelling the reply cancels the call.
        """
        reply: Reply[str] = Reply(self._fleet.loop_thread)
        if not self._fleet.post(lambda: self._begin(reply, uuid, tool, arguments)):
            return settled(_refusal("no companion lives here"))
        return reply

    def release(self, uuid: UUID | str) -> bool:
        """Hand the body back; calls under way are cancelled. The mind is not started by this: it waits for
        the next thing that wakes it. False when this brain did not have the body.
        """
        return self._fleet.on_loop(lambda: self._release(uuid), otherwise=False)

    # -- on the loop

    def _may_have(self, resident: Resident) -> bool:
        return self._owner is None or resident.owner_uuid == self._owner

    def _acquire(self, uuid: UUID | str) -> bool:
        resident = self._fleet.find(uuid)
        if resident is None or not self._may_have(resident):
            return False
        driver = self._fleet.driver(resident)
        if driver is not None:
            return driver is self
        self._fleet.drive(resident, self)
        resident.suspend(Halt.EXTERNAL)
        unwatch = resident.mind.watch(lambda event: self._overhear(resident, event))
        self._held[resident.uuid] = _Held(resident, unwatch)
        return True

    def _release(self, uuid: UUID | str) -> bool:
        resident = self._fleet.find(uuid)
        if resident is None or not self._let_go(resident):
            return False
        self._fleet.drive(resident, None)
        resident.resume(Halt.EXTERNAL)
        return True

    def _let_go(self, resident: Resident) -> bool:
        held = self._held.pop(resident.uuid, None)
        if held is None:
            return False
        held.unwatch()
        for call in held.calls:
            call.cancel()
        return True

    def _left(self, resident: Resident) -> None:
        if self._let_go(resident):
            resident.resume(Halt.EXTERNAL)

    def _overhear(self, resident: Resident, event: Event) -> None:
        if self._on_event is None:
            return
        try:
            self._on_event(resident.uuid, event)
        except Exception:
            log.exception("an outside brain of %s failed on an event", resident.name)

    def _begin(self, reply: Reply[str], uuid: UUID | str, tool: str, arguments: Arguments) -> None:
        if not reply.set_running_or_notify_cancel():
            return
        try:
            resident = self._fleet.find(uuid)
            held = self._held.get(resident.uuid) if resident is not None else None
            if resident is None:
                reply.set_result(_refusal(f"there is no companion {uuid}"))
            elif held is None:
                reply.set_result(_refusal(self._why_not(resident)))
            else:
                call = asyncio.get_running_loop().create_task(self._run(held, str(tool), arguments))
                held.calls.add(call)
                call.add_done_callback(held.calls.discard)
                call.add_done_callback(lambda done: reply.set_result(_outcome(done)))
                reply.on_cancel = lambda: self._fleet.post(lambda: _called_off(call))
        except Exception as error:
            log.exception("a call from outside failed")
            reply.set_result(_refusal(f"{type(error).__name__}: {error}"))

    def _why_not(self, resident: Resident) -> str:
        if not self._may_have(resident):
            return f"{resident.name} is not your owner's"
        if self._fleet.driver(resident) is not None:
            return f"another brain has {resident.name}; wait until it is released"
        return f"{resident.name} was not acquired; call acquire first"

    async def _run(self, held: _Held, tool: str, arguments: Arguments) -> str:
        mind = held.resident.mind
        number = f"outside_{next(self._numbers)}"
        finished = await mind.dispatcher.run(
            number, tool, _raw(arguments), mind.context, mind.outside_teller().tool
        )
        return finished.content


def _called_off(call: asyncio.Task[str]) -> None:
    call.cancel()


def _outcome(call: asyncio.Task[str]) -> str:
    if call.cancelled():
        return _refusal("this call was called off before it had ended", cancelled=True)
    error = call.exception()
    if error is None:
        return call.result()
    log.error("a call from outside failed", exc_info=error)
    return _refusal(f"{type(error).__name__}: {error}")


def _raw(arguments: Arguments) -> str:
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else json.dumps(dict(arguments), default=str)


def _refusal(message: str, *, cancelled: bool = False) -> str:
    return (TaskResult.cancelled if cancelled else TaskResult.fail)(message).to_json()
