"""The real clock's arithmetic and searches in slices."""

from __future__ import annotations

import asyncio
from collections.abc import Generator

import pytest

from numen.body.acts import TaskSlot, Verdict
from numen.body.clock import FORGET_AFTER, TICK_S, Clock, finished
from numen.body.thinking import AtOnce, Slices


def test_a_clock_on_time_ticks_every_fifty_milliseconds() -> None:
    clock = Clock(lambda: None)
    assert clock.next_due(10.0, 10.0004) == pytest.approx(10.05)
    assert clock.forgotten == 0


def test_a_short_delay_is_caught_up() -> None:
    clock = Clock(lambda: None)
    assert clock.next_due(10.0, 10.0 + 4 * TICK_S) == pytest.approx(10.05)
    assert clock.forgotten == 0


def test_a_long_delay_is_forgotten() -> None:
    clock = Clock(lambda: None)
    late = (FORGET_AFTER + 1.5) * TICK_S
    assert clock.next_due(10.0, 10.0 + late) == pytest.approx(10.0 + late + TICK_S)
    assert clock.forgotten == FORGET_AFTER + 1


async def test_a_tick_that_fails_does_not_stop_the_clock(caplog: pytest.LogCaptureFixture) -> None:
    ticks = 0
    enough = asyncio.Event()

    def tick() -> None:
        nonlocal ticks
        ticks += 1
        if ticks == 1:
            raise ValueError("first tick")
        enough.set()

    clock = Clock(tick)
    clock.start()
    clock.start()
    await enough.wait()
    clock.stop()
    assert not clock.running
    assert "a tick failed" in caplog.text


async def test_a_task_can_be_waited_for_on_the_event_loop() -> None:
    async def act() -> Verdict:
        return Verdict(True, "done")

    slot = TaskSlot()
    task = slot.start("wave", act())
    waiting = asyncio.ensure_future(finished(task))
    await asyncio.sleep(0)
    assert not waiting.done()
    slot.tick(1)
    assert await waiting == Verdict(True, "done")
    assert await finished(task) == Verdict(True, "done")


def counting(to: int, log: list[int]) -> Generator[None, None, int]:
    try:
        for number in range(to):
            log.append(number)
            yield
        return to
    finally:
        log.append(-1)


def test_a_search_at_once_is_done_when_it_starts() -> None:
    thought = AtOnce().start(counting(3, []))
    assert thought.done
    assert thought.result() == 3


async def test_a_search_in_slices_lets_the_loop_breathe() -> None:
    log: list[int] = []
    thought = Slices(slice_s=0.0).start(counting(3, log))
    assert not thought.done
    turns = 0
    while not thought.done:
        turns += 1
        await asyncio.sleep(0)
    assert thought.result() == 3


async def test_a_search_that_is_dropped_cleans_up_and_stops() -> None:
    log: list[int] = []
    thought = Slices().start(counting(10**9, log))
    await asyncio.sleep(0)
    thought.cancel()
    assert log[-1] == -1
    length = len(log)
    await asyncio.sleep(0)
    assert len(log) == length


def test_an_error_in_a_search_is_raised_where_its_result_is_asked_for() -> None:
    def broken() -> Generator[None, None, int]:
        yield
        raise ZeroDivisionError("in the search")

    thought = AtOnce().start(broken())
    with pytest.raises(ZeroDivisionError, match="in the search"):
        thought.result()
