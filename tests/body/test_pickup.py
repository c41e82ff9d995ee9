"""Collecting items by walking over them, counted by what arrives."""

from __future__ import annotations

from numen.body import walk
from numen.body.path import goals
from numen.body.pickup import collect
from numen.rules.items import ItemStack
from tests.body.kit import Obliging, Yard


class Ground:
    """A server that lets items be picked up when the body touches them."""

    def __init__(self, yard: Yard, *, gives: bool = True) -> None:
        self.yard = yard
        self.gives = gives
        self.lay = Obliging(yard).spawn_item
        self.taken: list[int] = []

    def __call__(self) -> None:
        self.yard.sent.clear()
        if not self.gives:
            return
        x, y, z = self.yard.me.position
        for item in self.yard.world.entities.near(x, y, z, 1.6, kinds=("minecraft:item",)):
            assert item.stack is not None
            self.taken.append(item.id)
            self.yard.receive(
                "collect", collectedEntityId=item.id, collectorEntityId=1, pickupItemCount=item.stack.count
            )
            inventory = self.yard.world.inventory
            held = inventory.find(item.stack.item_id)
            slot = held[0] if held else inventory.empty_slots[0]
            there = inventory[slot]
            count = (there.count if there else 0) + item.stack.count
            self.yard.slot(slot, item.stack.with_count(count))
            self.yard.receive("entity_destroy", entityIds=[item.id])


def test_the_nearest_is_fetched_first_and_everything_is_counted() -> None:
    yard = Yard()
    ground = Ground(yard)
    far = ground.lay("oak_log", (0.5, 64.0, 5.5), 2)
    near = ground.lay("dirt", (3.0, 64.0, 0.5), 1)
    verdict = yard.run(collect(yard.me), each=ground)
    assert verdict.ok
    assert ground.taken == [near, far]
    assert verdict.data == {"collected": {"oak_log": 2, "dirt": 1}, "skipped": 0, "radius": 16.0}
    assert verdict.message == "Collected 1x dirt, 2x oak_log."


def test_only_what_was_asked_for_is_fetched() -> None:
    yard = Yard()
    ground = Ground(yard)
    ground.lay("dirt", (3.5, 64.0, 0.5))
    log = ground.lay("oak_log", (0.5, 64.0, 4.5))
    verdict = yard.run(collect(yard.me, ["oak_log"]), each=ground)
    assert ground.taken == [log]
    assert verdict.data["collected"] == {"oak_log": 1}


def test_nothing_there_is_a_success_of_nothing() -> None:
    yard = Yard()
    verdict = yard.run(collect(yard.me))
    assert verdict.ok
    assert verdict.message == "Collected nothing."
    yard.sent.expect_nothing()


def test_what_does_not_come_is_skipped_and_said() -> None:
    yard = Yard()
    ground = Ground(yard, gives=False)
    ground.lay("dirt", (2.5, 64.0, 0.5))
    verdict = yard.run(collect(yard.me), each=ground)
    assert verdict.data["skipped"] == 1
    assert verdict.data["collected"] == {}


def test_an_item_that_somebody_else_took_is_no_gain() -> None:
    yard = Yard()
    ground = Ground(yard, gives=False)
    item = ground.lay("dirt", (4.5, 64.0, 0.5))
    task = yard.start(collect(yard.me))
    yard.tick(3)
    yard.receive("entity_destroy", entityIds=[item])
    yard.tick(3)
    assert task.verdict is not None
    assert task.verdict.data["collected"] == {}


def test_the_keys_are_released_when_it_is_cancelled_and_the_gain_is_told() -> None:
    yard = Yard()
    ground = Ground(yard)
    ground.lay("dirt", (0.9, 64.0, 0.5))
    ground.lay("oak_log", (0.5, 64.0, 7.0))
    task = yard.start(collect(yard.me))
    for _ in range(6):
        yard.tick()
        ground()
    assert yard.me.controls.forward == 1
    yard.me.tasks.cancel()
    assert yard.me.controls.forward == 0
    assert task.verdict is not None
    assert task.verdict.data["collected"] == {"dirt": 1}


def test_an_item_in_a_hole_is_climbed_down_to() -> None:
    yard = Yard({(2, 63, 0): "air"})
    ground = Ground(yard)
    ground.lay("dirt", (2.6, 63.0, 0.4))
    yard.start(collect(yard.me))
    yard.tick(60)
    assert yard.me.position[1] == 63.0
    yard.me.tasks.cancel()


def test_a_walk_into_a_hole_begins_well_on_its_very_edge() -> None:
    for x, z in ((2.71, 0.5), (2.84, 0.13), (2.1, 0.95)):
        yard = Yard({(2, 63, 0): "air", (2, 62, 0): "stone"}, at=(x, 64.0, z))
        verdict = yard.run(walk.go_to(yard.me, goals.Block(2, 63, 0)), ticks=60)
        assert verdict.ok
        assert yard.me.position[1] == 63.0


def test_no_step_is_taken_over_an_edge() -> None:
    pit = {(x, y, z): "air" for x in (2, 3) for y in range(57, 64) for z in range(-3, 4)}
    yard = Yard(pit)
    ground = Ground(yard)
    ground.lay("dirt", (2.9, 58.0, 0.5))
    verdict = yard.run(collect(yard.me), each=ground)
    assert verdict.data["skipped"] == 1
    assert yard.me.position[1] == 64.0
    assert ItemStack.of("dirt") not in yard.world.inventory.slots


def test_an_item_behind_a_wall_is_walked_around_to() -> None:
    wall = {(2, y, z): "stone" for y in (64, 65, 66) for z in range(-4, 5)}
    yard = Yard(wall)
    ground = Ground(yard)
    ground.lay("dirt", (4.5, 64.0, 0.5))
    verdict = yard.run(collect(yard.me), ticks=400, each=ground)
    assert verdict.data["collected"] == {"dirt": 1}
