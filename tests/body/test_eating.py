"""Eating: the packets, the waiting, and what counts as eaten."""

from __future__ import annotations

from numen.body.eating import eat
from numen.rules.items import ItemStack
from tests.body.kit import Yard

FINISHED = 9
RELEASE = 5
BREAD = {36: ItemStack.of("bread", 3)}


def hungry(items: dict[int, ItemStack], food: int = 10) -> Yard:
    yard = Yard(items=items)
    yard.receive("update_health", health=18.0, food=food, foodSaturation=0.0)
    return yard


def test_bread_is_held_used_and_confirmed_by_the_server() -> None:
    yard = hungry(BREAD)
    task = yard.start(eat(yard.me, "bread"))
    yard.tick()
    yard.sent.expect("use_item", hand=0, sequence=1, rotation={"x": 0.0, "y": 0.0})
    yard.sent.expect_nothing()
    assert yard.me.using_item
    yard.tick(31)
    assert task.verdict is None
    yard.receive("entity_status", entityId=1, entityStatus=FINISHED)
    yard.slot(36, ItemStack.of("bread", 2))
    yard.receive("update_health", health=18.0, food=15, foodSaturation=6.0)
    yard.tick()
    assert task.verdict is not None
    assert task.verdict.data == {"item": "bread", "hp": 18.0, "hunger": 15, "saturation": 6.0, "left": 2}
    assert not yard.me.using_item
    assert not yard.sent_of("block_dig")


def test_a_meal_the_server_never_confirms_is_not_eaten() -> None:
    yard = hungry(BREAD)
    verdict = yard.run(eat(yard.me, "bread"))
    assert verdict.kind == "no_answer"
    assert [each.fields["status"] for each in yard.sent_of("block_dig")] == [RELEASE]


def test_a_cancelled_meal_lets_go_of_the_key() -> None:
    yard = hungry(BREAD)
    yard.start(eat(yard.me, "bread"))
    yard.tick(10)
    yard.sent.clear()
    yard.me.tasks.cancel()
    yard.sent.expect("block_dig", status=RELEASE)
    yard.sent.expect_nothing()
    assert not yard.me.using_item


def test_eating_slows_the_legs() -> None:
    yard = hungry(BREAD)
    yard.me.controls.forward = 1
    yard.tick(20)
    start = yard.me.position[2]
    yard.tick(5)
    walked = yard.me.position[2] - start
    yard.start(eat(yard.me, "bread"))
    yard.tick(15)
    start = yard.me.position[2]
    yard.tick(5)
    assert yard.me.position[2] - start < walked * 0.3


def test_a_full_stomach_keeps_the_bread_but_not_the_golden_apple() -> None:
    yard = hungry({36: ItemStack.of("bread"), 37: ItemStack.of("golden_apple")}, food=20)
    verdict = yard.run(eat(yard.me, "bread"))
    assert verdict.kind == "full"
    assert verdict.message == "Already full (20/20); kept the bread."
    yard.sent.expect_nothing()
    yard.start(eat(yard.me, "golden_apple"))
    yard.tick(2)
    yard.sent.skip_to("use_item")


def test_stones_and_missing_food_are_refused() -> None:
    yard = hungry({36: ItemStack.of("stone")})
    assert yard.run(eat(yard.me, "stone")).kind == "bad_target"
    assert yard.run(eat(yard.me, "bread")).kind == "no_material"
    yard.sent.expect_nothing()


def test_there_is_no_hunger_in_creative() -> None:
    yard = Yard(items=BREAD, gamemode="creative")
    assert yard.run(eat(yard.me, "bread")).kind == "refused"
    yard.sent.expect_nothing()
