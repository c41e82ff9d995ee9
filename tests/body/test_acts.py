"""Acts and the one slot they run in, driven by hand."""

from __future__ import annotations

import asyncio

import pytest

from numen.body.acts import (
    GRACE_TICKS,
    ActFailed,
    ActStopped,
    Busy,
    Task,
    TaskSlot,
    Verdict,
    next_tick,
    rest,
    run_while,
    until,
)


class Ticker:
    """A task slot with a tick counter."""

    def __init__(self) -> None:
        self.slot = TaskSlot()
        self.now = 0

    def tick(self, count: int = 1) -> None:
        for _ in range(count):
            self.now += 1
            self.slot.tick(self.now)


async def done(message: str = "done") -> Verdict:
    return Verdict(True, message)


async def wait_for_ever(log: list[str] | None = None) -> Verdict:
    try:
        while True:
            await next_tick()
    finally:
        if log is not None:
            log.append("cleaned up")


def test_an_act_begins_with_the_tick_after_its_start() -> None:
    ticker = Ticker()
    task = ticker.slot.start("wave", done())
    assert task.state == "pending"
    assert ticker.slot.current is task
    ticker.tick()
    assert task.state == "success"
    assert task.verdict == Verdict(True, "done")
    assert ticker.slot.current is None


def test_next_tick_returns_the_ticks_number() -> None:
    seen = []

    async def act() -> Verdict:
        for _ in range(3):
            seen.append(await next_tick())
        return Verdict(True, "counted")

    ticker = Ticker()
    ticker.slot.start("count", act())
    ticker.tick(5)
    assert seen == [2, 3, 4]


def test_until_ends_as_soon_as_its_predicate_holds_and_says_whether_it_did() -> None:
    flags: list[int] = []
    answers = []

    async def act() -> Verdict:
        answers.append(await until(lambda: flags, 10))
        answers.append(await until(lambda: False, 4))
        return Verdict(True, "waited")

    ticker = Ticker()
    task = ticker.slot.start("wait", act())
    ticker.tick(3)
    assert answers == []
    flags.append(1)
    ticker.tick()
    assert answers == [True]
    ticker.tick(3)
    assert not task.done
    ticker.tick()
    assert answers == [True, False]
    assert task.done


def test_a_second_task_is_refused_while_one_is_under_way() -> None:
    ticker = Ticker()
    first = ticker.slot.start("dig", wait_for_ever())
    with pytest.raises(Busy, match="busy: t1 \\(dig\\)") as refusal:
        ticker.slot.start("wave", done())
    assert refusal.value.task is first
    ticker.slot.cancel()


def test_an_act_that_fails_ends_in_a_verdict_that_says_why() -> None:
    async def act() -> Verdict:
        await next_tick()
        raise ActFailed("Too far away; go there first.", "out_of_reach", {"distance": 9})

    ticker = Ticker()
    task = ticker.slot.start("dig", act())
    ticker.tick(2)
    assert task.state == "failed"
    assert task.verdict == Verdict(False, "Too far away; go there first.", {"distance": 9}, "out_of_reach")


def test_a_bug_in_an_act_is_a_verdict_and_not_the_end_of_the_body(caplog: pytest.LogCaptureFixture) -> None:
    async def act() -> Verdict:
        raise ZeroDivisionError("oops")

    ticker = Ticker()
    task = ticker.slot.start("dig", act())
    ticker.tick()
    assert task.verdict is not None
    assert task.verdict.kind == "error"
    assert "ZeroDivisionError: oops" in task.verdict.message
    assert "act dig failed" in caplog.text


def test_an_act_that_awaits_the_event_loop_is_told_so() -> None:
    async def act() -> Verdict:
        await asyncio.sleep(0)
        return Verdict(True, "never")

    ticker = Ticker()
    task = ticker.slot.start("nap", act())
    ticker.tick()
    assert task.verdict == Verdict(False, "nap waited for something that is not a tick.", {}, "error")


def test_cancelling_runs_the_cleanup_at_once() -> None:
    log: list[str] = []
    ticker = Ticker()
    task = ticker.slot.start("dig", wait_for_ever(log))
    ticker.tick(3)
    ticker.slot.cancel("Stopped by the owner.")
    assert log == ["cleaned up"]
    assert task.state == "cancelled"
    assert task.verdict == Verdict(False, "Stopped by the owner.", {}, "cancelled")
    assert ticker.slot.current is None


def test_cancelling_before_the_first_tick_runs_nothing() -> None:
    log: list[str] = []
    ticker = Ticker()
    task = ticker.slot.start("dig", wait_for_ever(log))
    ticker.slot.cancel()
    assert log == []
    assert task.state == "cancelled"


def test_a_stopped_act_may_finish_a_movement_first() -> None:
    async def jump() -> Verdict:
        try:
            while True:
                await next_tick()
        except ActStopped as stop:
            await rest(3)
            stop.so_far = "Landed safely."
            stop.data["height"] = 64
            raise

    ticker = Ticker()
    task = ticker.slot.start("jump", jump())
    ticker.tick(2)
    ticker.slot.cancel()
    assert task.stopping
    ticker.tick(2)
    assert not task.done
    ticker.tick()
    assert task.state == "cancelled"
    assert task.verdict == Verdict(False, "Stopped. Landed safely.", {"height": 64}, "cancelled")


def test_an_act_that_ignores_being_stopped_is_closed_after_its_grace() -> None:
    async def stubborn() -> Verdict:
        while True:
            try:
                await next_tick()
            except ActStopped:
                continue

    ticker = Ticker()
    task = ticker.slot.start("stay", stubborn())
    ticker.tick()
    ticker.slot.cancel()
    ticker.tick(GRACE_TICKS - 1)
    assert not task.done
    ticker.tick()
    assert task.state == "cancelled"


def test_an_act_may_cancel_its_own_slot() -> None:
    ticker = Ticker()

    async def act() -> Verdict:
        ticker.slot.cancel("enough")
        await next_tick()
        await next_tick()
        return Verdict(True, "never")

    task = ticker.slot.start("think", act())
    ticker.tick(2)
    assert task.state == "cancelled"


def test_a_deadline_ends_the_task_with_what_it_did_so_far() -> None:
    async def act() -> Verdict:
        try:
            await rest(1000)
        except ActStopped as stop:
            stop.so_far = "3 of 8 mined."
            raise
        return Verdict(True, "never")

    ticker = Ticker()
    task = ticker.slot.start("mine", act(), deadline_ticks=40)
    ticker.tick(40)
    assert not task.done
    ticker.tick()
    assert task.state == "timeout"
    assert task.verdict == Verdict(False, "mine ran out of time after 2 s. 3 of 8 mined.", {}, "timeout")


def test_a_reflex_pauses_the_task_and_its_deadline() -> None:
    seen = []

    async def act() -> Verdict:
        while True:
            seen.append(await next_tick())

    async def catch_fall() -> Verdict:
        await rest(50)
        return Verdict(True, "caught")

    ticker = Ticker()
    task = ticker.slot.start("mine", act(), deadline_ticks=20)
    ticker.tick(3)
    assert ticker.slot.interrupt("fall", catch_fall())
    assert not ticker.slot.interrupt("breath", done())
    assert ticker.slot.reflex == "fall"
    ticker.tick(50)
    assert seen == [2, 3]
    assert not task.done
    ticker.tick()
    assert ticker.slot.reflex is None
    assert seen == [2, 3, 54]
    ticker.slot.cancel()


def test_a_death_fails_the_task() -> None:
    ticker = Ticker()
    task = ticker.slot.start("mine", wait_for_ever())
    ticker.tick()
    ticker.slot.fail("Died: fell from a high place", "died")
    assert task.state == "failed"
    assert task.verdict == Verdict(False, "Died: fell from a high place", {}, "died")


def test_listeners_hear_of_each_end_once() -> None:
    ticker = Ticker()
    ends: list[str] = []
    ticker.slot.on_finished(lambda task: ends.append(f"{task.id} {task.state}"))
    task = ticker.slot.start("wave", done())
    late: list[Task] = []
    ticker.tick()
    task.add_done_callback(late.append)
    ticker.slot.start("mine", wait_for_ever())
    ticker.tick()
    ticker.slot.cancel()
    assert ends == ["t1 success", "t2 cancelled"]
    assert late == [task]
    assert [each.id for each in ticker.slot.history] == ["t1", "t2"]


def test_extending_moves_the_deadline_ahead_but_never_back() -> None:
    ticker = Ticker()
    task = ticker.slot.start("walk", wait_for_ever(), deadline_ticks=10)
    ticker.tick(5)
    task.extend(3)
    assert task.budget == 10
    task.extend(30)
    assert task.budget == 35
    ticker.tick(30)
    assert not task.done
    ticker.tick()
    assert task.state == "timeout"


def test_an_act_inside_another_runs_only_while_it_is_wanted() -> None:
    log: list[str] = []
    wanted = [True]
    answers: list[Verdict | None] = []

    async def chase() -> Verdict:
        answers.append(await run_while(wait_for_ever(log), lambda: wanted))
        answers.append(await run_while(done("quick"), lambda: True))
        return Verdict(True, "caught")

    ticker = Ticker()
    task = ticker.slot.start("chase", chase())
    ticker.tick(3)
    assert answers == []
    wanted.clear()
    ticker.tick()
    assert answers == [None, Verdict(True, "quick")]
    assert log == ["cleaned up"]
    assert task.state == "success"


def test_stopping_an_act_stops_the_one_inside_it() -> None:
    log: list[str] = []

    async def chase() -> Verdict:
        await run_while(wait_for_ever(log), lambda: True)
        return Verdict(True, "never")

    ticker = Ticker()
    task = ticker.slot.start("chase", chase())
    ticker.tick(3)
    ticker.slot.cancel()
    assert log == ["cleaned up"]
    assert task.state == "cancelled"


def test_a_failure_of_an_inner_act_reaches_the_outer_one() -> None:
    async def stumble() -> Verdict:
        await next_tick()
        raise ActFailed("a wall", "no_path")

    async def chase() -> Verdict:
        await run_while(stumble(), lambda: True)
        return Verdict(True, "never")

    ticker = Ticker()
    task = ticker.slot.start("chase", chase())
    ticker.tick(3)
    assert task.verdict == Verdict(False, "a wall", {}, "no_path")
