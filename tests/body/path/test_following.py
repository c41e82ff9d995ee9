"""Staying near somebody."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

from numen.body import walk
from tests.body.path.yard import Garden


def _somebody(x: float, z: float) -> Any:
    return SimpleNamespace(x=x, y=64.0, z=z)


def test_follows_at_a_distance_and_stands_still_with_its_charge() -> None:
    garden = Garden()
    friend = _somebody(0.5, 0.5)
    garden.start(walk.follow(garden.body, lambda: friend, distance=3))
    for step in range(300):
        if step < 200:
            friend.x += 0.1
        garden.tick()
    x, _, z = garden.body.position
    assert 1.0 <= math.hypot(friend.x - x, friend.z - z) <= 5.2
    garden.tick(10)
    assert garden.body.position[0] == x
    garden.no_complaints()


def test_waits_while_there_is_nobody_to_follow() -> None:
    garden = Garden()
    friend: list[Any] = [None]
    task = garden.start(walk.follow(garden.body, lambda: friend[0], distance=2))
    garden.tick(30)
    assert task.state == "running"
    friend[0] = _somebody(10.5, 0.5)
    garden.tick(60)
    assert garden.body.position[0] > 6
    friend[0] = None
    garden.tick(10)
    assert task.state == "running"
    garden.body.tasks.cancel()
    garden.tick(5)
    assert task.state == "cancelled"


def test_waits_where_there_is_no_way_and_goes_on_when_there_is() -> None:
    garden = Garden()
    friend = _somebody(10.5, 0.5)
    friend.y = 80.0
    task = garden.start(walk.follow(garden.body, lambda: friend, distance=2))
    garden.tick(40)
    assert task.state == "running"
    friend.y = 64.0
    garden.tick(100)
    assert garden.body.position[0] > 6
