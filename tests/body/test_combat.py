"""Fighting: when a blow is struck, when it counts, when a target is given up."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from numen.body.combat import attack
from numen.rules.items import ItemStack
from tests.body.kit import Obliging, Yard

PIG = 7


class Ring:
    """A server with a pig of ten hearts that stands still. Three blows of a sword fell it."""

    def __init__(self, yard: Yard, *, damage: float = 4.0, health: float = 10.0) -> None:
        self.yard = yard
        self.damage = damage
        self.health = health
        self.blows: list[int] = []
        self.drop: str | None = None

    def __call__(self) -> None:
        for packet in list(self.yard.sent):
            if packet.name == "use_entity":
                self.hit(packet.fields)
        self.yard.sent.clear()

    def hit(self, fields: dict[str, Any]) -> None:
        assert fields["mouse"] == 1
        self.blows.append(self.yard.me.ticks)
        if self.damage <= 0:
            return
        self.health -= self.damage
        self.yard.receive("damage_event", entityId=fields["target"], sourceCauseId=2, sourceDirectId=2)
        if self.health <= 0:
            self.yard.receive("entity_status", entityId=fields["target"], entityStatus=3)
            if self.drop:
                Obliging(self.yard).spawn_item(self.drop, (2.5, 64.0, 0.5))


def pig(yard: Yard, x: float = 2.5, z: float = 0.5) -> None:
    yard.spawn("pig", x, 64, z, entity_id=PIG)


def test_a_blow_is_a_look_an_attack_and_a_swing() -> None:
    yard = Yard()
    pig(yard)
    yard.start(attack(yard.me, [PIG]))
    yard.tick()
    yard.sent.expect("look")
    yard.sent.expect_nothing()
    yard.tick()
    yard.sent.expect("use_entity", target=PIG, mouse=1, sneaking=False)
    yard.sent.expect("arm_animation", hand=0)
    yard.sent.expect_nothing()


def test_each_blow_waits_for_the_full_cooldown() -> None:
    yard = Yard(items={36: ItemStack.of("iron_sword")})
    pig(yard)
    ring = Ring(yard)
    verdict = yard.run(attack(yard.me, [PIG], sweep=False), each=ring)
    assert verdict.ok
    assert verdict.data["killed"] == ["pig"]
    assert verdict.data["hits"] == 3
    assert all(later - earlier >= 12.5 for earlier, later in pairwise(ring.blows))


def test_the_best_weapon_is_taken_in_hand() -> None:
    yard = Yard(
        items={36: ItemStack.of("dirt"), 38: ItemStack.of("diamond_sword"), 39: ItemStack.of("stone_axe")}
    )
    pig(yard)
    yard.start(attack(yard.me, [PIG]))
    yard.tick()
    yard.sent.expect("held_item_slot", slotId=2)


def test_a_distant_target_is_walked_to_first() -> None:
    yard = Yard()
    pig(yard, x=7.5)
    ring = Ring(yard)
    verdict = yard.run(attack(yard.me, [PIG], sweep=False), each=ring)
    assert verdict.ok
    x, _, _ = yard.me.position
    assert 4.0 < x < 6.5


def test_no_blow_is_struck_through_a_wall() -> None:
    wall = {(1, y, z): "stone" for y in (64, 65, 66) for z in range(-8, 9)}
    yard = Yard(wall)
    pig(yard)
    yard.start(attack(yard.me, [PIG]))
    yard.tick(60)
    assert not yard.sent_of("use_entity")


def test_a_target_that_takes_no_damage_is_given_up() -> None:
    yard = Yard()
    pig(yard)
    verdict = yard.run(attack(yard.me, [PIG]), ticks=400, each=Ring(yard, damage=0))
    assert not verdict.ok
    assert verdict.data["given_up"] == {"7": "takes no damage"}


def test_items_arrows_and_oneself_are_never_attacked() -> None:
    yard = Yard()
    yard.spawn("item", 2.5, 64, 0.5, entity_id=11)
    yard.spawn("arrow", 2.5, 64, 0.5, entity_id=12)
    yard.spawn("experience_orb", 2.5, 64, 0.5, entity_id=13)
    verdict = yard.run(attack(yard.me, [1, 11, 12, 13, 99]))
    assert not verdict.ok
    assert set(verdict.data["given_up"]) == {"1", "11", "12", "13", "99"}
    yard.sent.expect_nothing()


def test_a_target_that_leaves_our_sight_is_not_called_killed() -> None:
    yard = Yard()
    pig(yard)
    task = yard.start(attack(yard.me, [PIG]))
    yard.tick(3)
    yard.receive("entity_destroy", entityIds=[PIG])
    yard.tick(20)
    assert task.verdict is not None
    assert not task.verdict.ok
    assert task.verdict.data["given_up"] == {"7": "went out of sight"}


def test_the_next_target_follows_the_first() -> None:
    yard = Yard()
    pig(yard)
    yard.spawn("pig", 0.5, 64, 3.0, entity_id=8)
    ring = Ring(yard, damage=20)
    verdict = yard.run(attack(yard.me, [8, PIG], sweep=False), each=ring)
    assert verdict.data["killed"] == ["pig", "pig"]


def test_what_it_dropped_is_collected() -> None:
    yard = Yard()
    pig(yard)
    ring = Ring(yard, damage=20)
    ring.drop = "porkchop"

    def server() -> None:
        ring()
        x, y, z = yard.me.position
        for item in yard.world.entities.near(x, y, z, 1.6, kinds=("minecraft:item",)):
            yard.slot(36, ItemStack.of("porkchop"))
            yard.receive("entity_destroy", entityIds=[item.id])

    verdict = yard.run(attack(yard.me, [PIG]), each=server)
    assert verdict.data["collected"] == {"porkchop": 1}


def test_stopping_a_fight_tells_what_was_done() -> None:
    yard = Yard()
    pig(yard)
    task = yard.start(attack(yard.me, [PIG]))
    ring = Ring(yard)
    for _ in range(5):
        yard.tick()
        ring()
    yard.me.tasks.cancel("Stopped by the owner.")
    assert task.verdict is not None
    assert task.verdict.data["hits"] == 1
    assert yard.me.controls.forward == 0


def test_a_pig_behind_a_wall_is_walked_around_to() -> None:
    wall = {(2, y, z): "stone" for y in (64, 65, 66) for z in range(-4, 5)}
    yard = Yard(wall)
    pig(yard, x=5.5)
    verdict = yard.run(attack(yard.me, [PIG], sweep=False), ticks=600, each=Ring(yard, damage=20))
    assert verdict.ok, verdict.message
