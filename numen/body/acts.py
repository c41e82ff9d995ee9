"""Acts: what a body does over many ticks, written as coroutines that only a game tick can resume.

An act is an ``async def`` that waits with `next_tick`, `until` or `rest` and returns a `Verdict`. No event
loop is involved: whoever ticks the body resumes the act, so the same act runs on the real clock and, tick by
tick, in a simulation. An act is stopped by `ActStopped` being thrown into it, so a ``finally`` block is
where a dig is aborted, a key released, a menu closed.
"""

from __future__ import annotations

import logging
import types
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Literal, Protocol, TypeAlias

log = logging.getLogger(__name__)

TaskState = Literal["pending", "running", "success", "failed", "timeout", "cancelled"]

#: A stopped act may finish what can't be left half done (a jump, a step over an edge) for this many ticks.
GRACE_TICKS: Final = 40


@dataclass(frozen=True)
class Verdict:
    """How an act ended, read from the server's answers.

    `message` is one plain sentence; of a failed act it says why and what to try. `kind` is "" for a success,
    else a word that code can branch on: no_path, out_of_reach, occluded, wrong_tool, no_material,
    target_lost, refused, no_answer, full, bad_target, died, disconnected, cancelled, timeout, error.
    """

    ok: bool
    message: str
    data: dict[str, Any] = field(default_factory=dict)
    kind: str = ""


Act: TypeAlias = Coroutine[Any, Any, Verdict]


class ActFailed(Exception):
    """Raised inside an act to end it; becomes a Verdict with ``ok=False``."""

    def __init__(self, message: str, kind: str = "failed", data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.data = data or {}

    @property
    def verdict(self) -> Verdict:
        return Verdict(False, self.message, self.data, self.kind)


class ActStopped(BaseException):
    """Thrown into an act that has to end now. Not an Exception: ``except Exception`` must not swallow it.

    An act may put what it did so far into `data` and one sentence into `so_far` while this passes through.
    """

    def __init__(self, reason: str, state: Literal["timeout", "cancelled", "failed"], kind: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.state: Literal["timeout", "cancelled", "failed"] = state
        self.kind = kind
        self.data: dict[str, Any] = {}
        self.so_far = ""

    @property
    def verdict(self) -> Verdict:
        message = f"{self.reason} {self.so_far}".strip()
        return Verdict(False, message, self.data, self.kind)


class Busy(RuntimeError):
    """The body is already at something."""

    def __init__(self, task: Task) -> None:
        super().__init__(f"busy: {task.id} ({task.name}) is {task.state}; wait for it or stop it first")
        self.task = task


class _Tick:
    """What a waiting act yields. Anything else that arrives at the driver is a wait for something foreign."""


_TICK: Final = _Tick()


@types.coroutine
def next_tick() -> Generator[_Tick, int, int]:
    """Wait for the next tick and return its number. A jump by more than one means that the act was paused."""
    return (yield _TICK)


async def rest(ticks: int) -> None:
    """Wait `ticks` ticks."""
    for _ in range(ticks):
        await next_tick()


async def until(predicate: Callable[[], object], ticks: int = 60) -> bool:
    """Wait until `predicate()` is true, at most `ticks` ticks. Returns whether it became true."""
    for _ in range(ticks):
        if predicate():
            return True
        await next_tick()
    return bool(predicate())


async def run_while(act: Act, going: Callable[[], object]) -> Verdict | None:
    """Run `act` inside this one as long as `going()` holds. Its verdict, or None when it was stopped.

    A stop from outside is passed on to it, and both it and that stop may take their grace.
    """
    stop: ActStopped | None = None
    grace = 0
    move: Callable[[], object] = partial(act.send, None)
    try:
        while True:
            try:
                move()
            except StopIteration as end:
                return end.value if stop is None else None
            except ActStopped as stopped:
                if stopped is stop:
                    return None
                raise
            if stop is not None:
                grace += 1
                if grace > GRACE_TICKS:
                    return None
            try:
                tick = await next_tick()
            except ActStopped as outer:
                move = partial(act.throw, outer)
                continue
            if stop is None and not going():
                stop = ActStopped("", "cancelled", "cancelled")
                move = partial(act.throw, stop)
            else:
                move = partial(act.send, tick)
    finally:
        act.close()


class _Drive:
    """Runs one act: resumes it, throws into it, and turns however it ends into a Verdict."""

    def __init__(self, name: str, act: Act) -> None:
        self.name = name
        self.act = act
        self.fresh = True

    def resume(self, tick: int) -> Verdict | None:
        """One step; the verdict once the act has ended."""
        fresh, self.fresh = self.fresh, False
        return self._step(lambda: self.act.send(None if fresh else tick))

    def throw(self, stop: ActStopped) -> Verdict | None:
        """Throw `stop` in. None while the act still finishes something."""
        if self.fresh:  # nothing has run, so nothing needs to be cleaned up
            self.act.close()
            return stop.verdict
        return self._step(lambda: self.act.throw(stop))

    def close(self) -> None:
        try:
            self.act.close()
        except RuntimeError:
            log.warning("act %s went on waiting after it was closed", self.name)

    def _step(self, move: Callable[[], object]) -> Verdict | None:
        try:
            waited_for = move()
        except StopIteration as end:
            if isinstance(end.value, Verdict):
                return end.value
            return Verdict(False, f"{self.name} ended without a verdict.", kind="error")
        except ActFailed as failure:
            return failure.verdict
        except ActStopped as stop:
            return stop.verdict
        except Exception as error:
            log.exception("act %s failed", self.name)
            return Verdict(
                False, f"{self.name} went wrong: {type(error).__name__}: {error}", {}, kind="error"
            )
        if waited_for is not _TICK:
            self.close()
            return Verdict(False, f"{self.name} waited for something that is not a tick.", kind="error")
        return None


STARTER: ContextVar[object] = ContextVar("STARTER", default=None)
"""On whose behalf tasks are begun; set by whoever calls tools, within his own asyncio task."""


class Task:
    """An act under way or done: what a tool call reports about."""

    def __init__(self, number: int, name: str, act: Act, budget: int | None, background: bool) -> None:
        self.id = f"t{number}"
        self.name = name
        self.background = background
        self.state: TaskState = "pending"
        #: The verdict, once the task has ended.
        self.verdict: Verdict | None = None
        #: Ticks it has run; ticks during which it was paused don't count.
        self.elapsed = 0
        #: Ticks it may run, or None.
        self.budget = budget
        #: On whose behalf it was begun: what STARTER held then.
        self.starter = STARTER.get()
        self._drive = _Drive(name, act)
        self._stop: ActStopped | None = None
        self._stopping_for = 0
        self._callbacks: list[Callable[[Task], None]] = []

    @property
    def done(self) -> bool:
        return self.verdict is not None

    @property
    def stopping(self) -> bool:
        """It was told to stop and still finishes a movement."""
        return self._stop is not None and not self.done

    def add_done_callback(self, callback: Callable[[Task], None]) -> None:
        """Call `callback(task)` once it has ended; at once when it already has."""
        if self.done:
            callback(self)
        else:
            self._callbacks.append(callback)

    def extend(self, ticks: int) -> None:
        """Give it more time: the budget becomes at least `elapsed + ticks`."""
        if self.budget is not None:
            self.budget = max(self.budget, self.elapsed + ticks)

    def __repr__(self) -> str:
        return f"<Task {self.id} {self.name} {self.state}>"


class TaskSlot:
    """The one thing a body does at a time, and the reflex that may push in front of it."""

    def __init__(self) -> None:
        #: The task under way, or None.
        self.current: Task | None = None
        #: The last tasks that ended, newest last.
        self.history: deque[Task] = deque(maxlen=32)
        self._count = 0
        self._running = False
        self._reflex: _Drive | None = None
        self._finished: list[Callable[[Task], None]] = []

    def start(self, name: str, act: Act, deadline_ticks: int | None = None, background: bool = False) -> Task:
        """Begin `act` with the next tick. Raises Busy (and closes the coroutine) when something is under
        way."""
        if self.current is not None:
            act.close()
            raise Busy(self.current)
        self._count += 1
        self.current = Task(self._count, name, act, deadline_ticks, background)
        return self.current

    def cancel(self, reason: str = "Stopped.") -> Task | None:
        """Stop the current task. It ends at once, or within GRACE_TICKS when it has to finish a movement."""
        return self._end(ActStopped(reason, "cancelled", "cancelled"))

    def fail(self, reason: str, kind: str) -> Task | None:
        """End the current task and the reflex because the ground was pulled away: a death, a lost
        connection."""
        if self._reflex is not None and not self._running:
            self._reflex.throw(ActStopped(reason, "failed", kind))
            self._reflex = None
        return self._end(ActStopped(reason, "failed", kind))

    def on_finished(self, callback: Callable[[Task], None]) -> None:
        """Call `callback(task)` whenever a task has ended."""
        self._finished.append(callback)

    # -- reflexes ----------------------------------------------------------------------------------------

    @property
    def reflex(self) -> str | None:
        """Name of the reflex that has the body just now."""
        return self._reflex.name if self._reflex else None

    def interrupt(self, name: str, act: Act) -> bool:
        """Let `act` have the body until it ends; the task is paused meanwhile and its deadline moves with it.
        False (and the coroutine is closed) when a reflex already runs."""
        if self._reflex is not None:
            act.close()
            return False
        self._reflex = _Drive(name, act)
        return True

    # -- the tick ----------------------------------------------------------------------------------------

    def tick(self, tick: int) -> None:
        """Resume the reflex, or else the task, once."""
        self._running = True
        try:
            if self._reflex is not None:
                if self._reflex.resume(tick) is None:
                    return
                self._reflex = None
            self._tick_task(tick)
        finally:
            self._running = False

    def _tick_task(self, tick: int) -> None:
        task = self.current
        if task is None:
            return
        if task._stop is not None and task._stopping_for == 0:
            self._throw(task, task._stop)  # cancelled from inside its own step
            return
        if task.stopping:
            task._stopping_for += 1
            if task._stopping_for > GRACE_TICKS:
                assert task._stop is not None
                task._drive.close()
                self._finish(task, task._stop.verdict)
                return
        elif task.budget is not None and task.elapsed >= task.budget:
            seconds = task.elapsed / 20
            self._end(ActStopped(f"{task.name} ran out of time after {seconds:.0f} s.", "timeout", "timeout"))
            return
        task.state = "running"
        task.elapsed += 1
        verdict = task._drive.resume(tick)
        if verdict is not None:
            self._finish(task, verdict)

    def _end(self, stop: ActStopped) -> Task | None:
        task = self.current
        if task is None or task._stop is not None:
            return task
        task._stop = stop
        if not (self._running and task._drive.act.cr_running):  # type: ignore[attr-defined]
            self._throw(task, stop)
        return task

    def _throw(self, task: Task, stop: ActStopped) -> None:
        task._stopping_for = 1
        verdict = task._drive.throw(stop)
        if verdict is not None:
            self._finish(task, verdict)

    def _finish(self, task: Task, verdict: Verdict) -> None:
        stop = task._stop
        if stop is not None and not verdict.ok:
            task.state = stop.state
        else:
            task.state = "success" if verdict.ok else "failed"
        task.verdict = verdict
        if self.current is task:
            self.current = None
        self.history.append(task)
        for callback in [*task._callbacks, *self._finished]:
            try:
                callback(task)
            except Exception:
                log.exception("a listener of task %s failed", task.id)


class Reflex(Protocol):
    """Something the body does by itself, before any task: catch a fall, come up for air."""

    name: str

    def bid(self, body: Any) -> Act | None:
        """The act that is needed right now, or None. Asked every tick while no reflex runs, so it has to be
        cheap."""
