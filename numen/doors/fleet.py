"""The companions of one process, by uuid."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any, Protocol, TypeVar
from uuid import UUID

from numen.agent import Event, Halt, Mind
from numen.body.body import Body
from numen.world import World

T = TypeVar("T")

PATIENCE_S = 10.0
"""How long a thread waits for the loop. One that is busy longer than this has other troubles."""


class Resident(Protocol):
    """A companion as the doors see it."""

    world: World
    body: Body | None

    @property
    def mind(self) -> Mind:
        """The owner's mind."""
        ...

    @property
    def uuid(self) -> UUID: ...

    @property
    def name(self) -> str: ...

    @property
    def owner_uuid(self) -> UUID | None: ...

    @property
    def here(self) -> bool: ...

    def suspend(self, reason: Halt, event: Event | None = None) -> None:
        """Still all its minds."""
        ...

    def resume(self, reason: Halt, event: Event | None = None) -> None: ...

    def set_owner(self, owner: UUID | None) -> None: ...


class Fleet:
    """Everybody who lives in this process.

    Looking up is fine from any thread; everything else happens on the loop.
    """

    def __init__(self) -> None:
        self._residents: tuple[Resident, ...] = ()
        self._drivers: dict[UUID, object] = {}
        self._gone: list[Callable[[Resident], None]] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: int | None = None

    def add(self, resident: Resident) -> None:
        """Let `resident` be found. To be called on the event loop."""
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        self._residents = (*(each for each in self._residents if each is not resident), resident)

    def remove(self, resident: Resident) -> None:
        """It has left for good: nobody finds it or drives it any more."""
        self._residents = tuple(each for each in self._residents if each is not resident)
        self._drivers.pop(resident.uuid, None)
        for tell in list(self._gone):
            tell(resident)

    def all(self) -> tuple[Resident, ...]:
        return self._residents

    def find(self, uuid: UUID | str) -> Resident | None:
        """The companion of that uuid, None when nobody here has it."""
        wanted = _uuid(uuid)
        return next((each for each in self._residents if each.uuid == wanted), None)

    # -- for the doors

    def driver(self, resident: Resident) -> object | None:
        """Who drives it in place of its mind."""
        return self._drivers.get(resident.uuid)

    def drive(self, resident: Resident, driver: object | None) -> None:
        if driver is None:
            self._drivers.pop(resident.uuid, None)
        else:
            self._drivers[resident.uuid] = driver

    def on_gone(self, tell: Callable[[Resident], None]) -> None:
        """Call `tell` with each that leaves for good."""
        self._gone.append(tell)

    @property
    def loop_thread(self) -> int | None:
        return self._thread

    def on_loop(self, action: Callable[[], T], otherwise: T) -> T:
        """What `action` returns on the event loop, waited for by any other thread.

        `otherwise` when nobody lives here, or the loop does not come to it in time; then it is not done
        later either.
        """
        if self._thread == threading.get_ident():
            return action()
        if self._loop is None or self._loop.is_closed():
            return otherwise
        done = threading.Event()
        lock = threading.Lock()
        state: dict[str, Any] = {}

        def run() -> None:
            with lock:
                if "given_up" in state:
                    return
                state["begun"] = True
            try:
                state["value"] = action()
            finally:
                done.set()

        try:
            self._loop.call_soon_threadsafe(run)
        except RuntimeError:  # closed in this very moment
            return otherwise
        if not done.wait(PATIENCE_S):
            with lock:
                if "begun" not in state:
                    state["given_up"] = True
                    return otherwise
            done.wait()
        return state.get("value", otherwise)  # type: ignore[no-any-return]

    def post(self, action: Callable[[], None]) -> bool:
        """Have `action` done on the event loop soon; False when there is none."""
        if self._thread == threading.get_ident():
            action()
            return True
        if self._loop is None or self._loop.is_closed():
            return False
        try:
            self._loop.call_soon_threadsafe(action)
        except RuntimeError:
            return False
        return True


def _uuid(value: UUID | str) -> UUID | None:
    if isinstance(value, UUID):
        return value
    try:
        return UUID(str(value))
    except ValueError:
        return None
