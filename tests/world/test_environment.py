"""Time, weather, border, tab list: what is around and goes on by itself."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from numen.testing.simulation import Simulation


def test_time_goes_on_between_updates() -> None:
    sim = Simulation()
    sim.receive("update_time", age=1000, time=23990)
    sim.tick(15)
    time = sim.world.time
    assert (time.age, time.day_time, time.time_of_day, time.day, time.told_at) == (1015, 24005, 5, 1, 1000)
    sim.receive("update_time", age=1016, time=24006)
    assert time.time_of_day == 6


def test_time_stands_still_where_the_rule_says_so() -> None:
    sim = Simulation()
    sim.receive("update_time", age=1000, time=-6000)
    sim.tick(10)
    assert (sim.world.time.age, sim.world.time.time_of_day) == (1010, 6000)


def test_a_frozen_world_has_no_time() -> None:
    sim = Simulation()
    sim.receive("update_time", age=1000, time=6000)
    sim.receive("set_ticking_state", is_frozen=True)
    sim.tick(10)
    assert sim.world.time.age == 1000


@pytest.mark.parametrize(
    ("time", "day"), [(0, True), (12541, True), (12542, False), (23459, False), (23460, True)]
)
def test_day_ends_when_beds_begin(time: int, day: bool) -> None:
    sim = Simulation()
    sim.receive("update_time", age=0, time=time)
    assert sim.world.time.is_day is day
    assert sim.world.environment.can_sleep is not day


def test_rain_begins_and_ends() -> None:
    sim = Simulation()
    told: list[bool] = []
    sim.world.events.on("weather", lambda: told.append(sim.world.weather.raining))
    for reason, value in [(1, 0.0), (7, 0.9), (8, 0.95)]:
        sim.receive("game_state_change", reason=reason, gameMode=value)
    assert sim.world.weather.thundering
    assert sim.world.environment.can_sleep
    sim.receive("game_state_change", reason=7, gameMode=0.19)
    sim.receive("game_state_change", reason=2, gameMode=0.0)
    assert told == [True, True, True, False, False]
    assert not sim.world.weather.thundering


def test_the_border_shrinks_as_time_passes() -> None:
    sim = Simulation()
    border_packet = {"x": 10.0, "z": 0.0, "portalTeleportBoundary": 0, "warningBlocks": 5, "warningTime": 15}
    sim.receive("initialize_world_border", **border_packet, oldDiameter=100.0, newDiameter=60.0, speed=1000)
    border = sim.world.environment.border
    assert border.holds(59.0, 0.0)
    sim.tick(10)
    assert border.diameter == pytest.approx(80.0)
    sim.tick(20)
    assert border.diameter == 60.0
    assert not border.holds(41.0, 0.0)
    sim.receive("world_border_size", diameter=200.0)
    assert border.holds(41.0, 0.0)


def test_difficulty_and_spawn_point() -> None:
    sim = Simulation()
    sim.receive("difficulty", difficulty=3, difficultyLocked=False)
    sim.receive("spawn_position", location=(8, 70, -9), angle=0.0)
    assert (sim.world.environment.difficulty, sim.world.environment.spawn_point) == ("hard", (8, 70, -9))


def test_beds_explode_where_the_dimension_says_so() -> None:
    sim = Simulation()
    assert sim.world.dimension.bed_works
    sim.respawn("minecraft:the_nether")
    assert not sim.world.dimension.bed_works
    assert sim.world.dimension.ultrawarm
    assert sim.world.dimension.name == "minecraft:the_nether"


def test_weather_does_not_follow_into_another_dimension() -> None:
    sim = Simulation()
    sim.receive("game_state_change", reason=1, gameMode=0.0)
    sim.respawn("minecraft:the_nether")
    assert not sim.world.weather.raining


def entry(uuid: int, **told: Any) -> dict[str, Any]:
    if "name" in told:
        told["player"] = {"name": told.pop("name"), "properties": []}
    return {"uuid": UUID(int=uuid), **told}


def test_the_tab_list_is_kept() -> None:
    sim = Simulation()
    told: list[tuple[str, str]] = []
    for kind in ("player_joined", "player_left"):
        sim.world.events.on(kind, lambda player, kind=kind: told.append((kind, player.name)))
    sim.receive(
        "player_info",
        action=["add_player", "update_game_mode", "update_listed", "update_latency"],
        data=[
            entry(1, name="Ada", gamemode=1, listed=True, latency=5),
            entry(2, name="Bob", gamemode=0, listed=False, latency=9),
        ],
    )
    players = sim.world.players
    ada = players.by_name("ADA")
    assert ada is not None
    assert (ada.uuid, ada.game_mode, ada.latency, ada.listed) == (UUID(int=1), "creative", 5, True)
    assert not players[UUID(int=2)].listed
    sim.receive("player_info", action=["update_latency"], data=[entry(1, latency=77), entry(3, latency=1)])
    sim.receive(
        "player_info", action=["update_display_name"], data=[entry(1, displayName={"text": "[VIP] Ada"})]
    )
    assert (ada.latency, ada.display_name, len(players)) == (77, "[VIP] Ada", 2)
    sim.receive("player_remove", players=[UUID(int=2), UUID(int=9)])
    assert told == [("player_joined", "Ada"), ("player_joined", "Bob"), ("player_left", "Bob")]
    assert UUID(int=2) not in players


def test_a_new_login_begins_with_an_empty_tab_list() -> None:
    sim = Simulation()
    sim.receive("player_info", action=["add_player"], data=[entry(1, name="Ada")])
    sim.login()
    assert len(sim.world.players) == 0
