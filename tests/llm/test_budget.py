"""Requests wait until they are due, and a day's tokens are all that a day gets."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from numen.llm import Completed, Retrying, Usage
from numen.llm.budget import Budget, Budgeted, BudgetSpent
from numen.testing.endpoint import ScriptedEndpoint, refuses, says
from tests.llm.kit import HELLO, Asked


class Time:
    """A clock that only waiting moves."""

    def __init__(self) -> None:
        self.at = 1_000.0
        self.waits: list[float] = []

    def __call__(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.waits.append(round(seconds, 6))
        self.at += seconds
        await asyncio.sleep(0)

    def budget(self, **limits: Any) -> Budget:
        return Budget(clock=self, now=lambda: self.at, sleep=self.sleep, **limits)


USAGE = {"prompt_tokens": 1_000, "completion_tokens": 50, "prompt_tokens_details": {"cached_tokens": 800}}


async def test_two_requests_keep_their_distance() -> None:
    time = Time()
    budget = time.budget(floor_s=0.5)
    for _ in range(3):
        await budget.admitted()
    time.at += 0.2
    await budget.admitted()
    time.at += 9
    await budget.admitted()

    assert time.waits == [0.5, 0.5, 0.3]


async def test_a_minute_holds_so_many_requests_and_no_more() -> None:
    time = Time()
    budget = time.budget(requests_per_minute=3)
    for _ in range(3):
        await budget.admitted()
        time.at += 1
    await budget.admitted()
    await budget.admitted()

    assert time.waits == [57.0, 1.0]


async def test_several_companions_share_a_budget_in_the_order_they_came() -> None:
    time = Time()
    budget = time.budget(requests_per_minute=1)
    order: list[int] = []

    async def ask(number: int) -> None:
        await budget.admitted()
        order.append(number)

    await asyncio.gather(*(ask(number) for number in range(4)))

    assert order == [0, 1, 2, 3]
    assert time.waits == [60.0] * 3


async def test_who_gives_up_waiting_is_not_counted() -> None:
    budget = Budget(requests_per_minute=1)
    await budget.admitted()
    waiting = asyncio.ensure_future(budget.admitted())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    assert len(budget._begun) == 1
    assert not budget._queue.locked()


async def test_retries_are_requests_too() -> None:
    time = Time()
    budget = time.budget(requests_per_minute=10)
    async with ScriptedEndpoint(refuses(500), refuses(500), says("ok")) as server:
        asked = Asked(server)
        async with aclosing(Budgeted(asked.provider, budget).stream(HELLO)) as events:
            assert isinstance([each async for each in events][-1], Completed)
        await asked.provider.aclose()

    assert len(budget._begun) == 3


async def test_a_long_wait_is_told() -> None:
    time = Time()
    budget = time.budget(requests_per_minute=1)
    await budget.admitted()
    async with ScriptedEndpoint(says("ok")) as server:
        asked = Asked(server)
        events = [each async for each in Budgeted(asked.provider, budget).stream(HELLO)]
        await asked.provider.aclose()

    assert events[0] == Retrying(reason="the budget of requests is used up for the moment", delay_s=60.0)


async def test_the_days_tokens_are_counted_as_they_are_paid_and_end_the_day() -> None:
    time = Time()
    own, common = time.budget(tokens_per_day=500), time.budget(tokens_per_day=10_000)
    async with ScriptedEndpoint(*[says("ok", usage=USAGE)] * 3) as server:
        asked = Asked(server)
        provider = Budgeted(asked.provider, own, common)
        for _ in range(2):
            [each async for each in provider.stream(HELLO)]
        assert own.tokens_today == common.tokens_today == 2 * (200 + 80 + 50)
        with pytest.raises(BudgetSpent, match="500 tokens allowed for one day are used up") as caught:
            [each async for each in provider.stream(HELLO)]
        assert not caught.value.transient

        time.at += 86_400
        [each async for each in provider.stream(HELLO)]
        assert own.tokens_today == 330
        await provider.aclose()
        server.assert_complete()


async def test_an_endpoint_that_counts_nothing_is_counted_by_guess() -> None:
    budget = Time().budget(tokens_per_day=10**6)
    async with ScriptedEndpoint(says("x" * 300, usage=None)) as server:
        asked = Asked(server)
        [each async for each in Budgeted(asked.provider, budget).stream(HELLO)]
        await asked.provider.aclose()

    assert 100 < budget.tokens_today < 400


def test_the_days_tokens_outlive_a_restart(tmp_path: Path) -> None:
    store, time = tmp_path / "a" / "budget.json", Time()
    budget = time.budget(tokens_per_day=100, store=store)
    budget.spend(Usage(prompt_tokens=90, completion_tokens=20))

    again = time.budget(tokens_per_day=100, store=store)
    with pytest.raises(BudgetSpent):
        again.check()
    time.at += 86_400
    again.check()


@pytest.mark.parametrize("content", [b"", b"[]", b'{"day": 3}', b"\xff"])
def test_a_damaged_count_begins_anew(tmp_path: Path, content: bytes) -> None:
    store = tmp_path / "budget.json"
    store.write_bytes(content)

    assert Time().budget(tokens_per_day=100, store=store).tokens_today == 0
