"""Combat, falls, hunger, food, experience."""

from __future__ import annotations

from random import Random

import pytest

from numen.rules import combat, experience, falls, food, hunger
from numen.rules.hunger import Hunger
from numen.rules.items import ItemStack
from protocol.game import GAME


def stack(name: str) -> ItemStack:
    return ItemStack.of(name)


@pytest.mark.parametrize(
    ("name", "damage", "speed"),
    [
        ("wooden_sword", 4, 1.6),
        ("diamond_sword", 7, 1.6),
        ("iron_axe", 9, 0.9),
        ("stone_axe", 9, 0.8),
        ("golden_pickaxe", 2, 1.2),
        ("netherite_shovel", 6.5, 1.0),
        ("diamond_hoe", 1, 4.0),
        ("trident", 9, 1.1),
        ("mace", 6, 0.6),
        ("dirt", 1, 4.0),
    ],
)
def test_weapons(name: str, damage: float, speed: float) -> None:
    assert combat.attack_damage(stack(name)) == damage
    assert combat.attack_speed(stack(name)) == speed


def test_the_hand() -> None:
    assert combat.attack_damage(None) == 1
    assert combat.cooldown_ticks(None) == 5
    assert combat.cooldown_ticks(stack("iron_sword")) == 12.5


def test_modifiers_on_the_item_count_instead() -> None:
    damage = GAME.attribute("generic.attack_damage").id
    entry = {"typeId": damage, "name": "x", "value": 11.0, "operation": "add", "slot": "main_hand"}
    component = {"type": "attribute_modifiers", "data": {"attributes": [entry], "showTooltip": True}}
    odd = ItemStack(GAME.item("stick").id, 1, (component,))
    assert combat.attack_damage(odd) == 12
    assert combat.attack_speed(odd) == 4


def test_an_early_hit_is_weak() -> None:
    cooldown = combat.cooldown_ticks(stack("iron_sword"))
    assert combat.strength(0, cooldown) == pytest.approx(0.04)
    assert combat.strength(12, cooldown) == 1.0
    assert combat.hit_damage(6, 1.0) == 6
    assert combat.hit_damage(6, 0.0) == pytest.approx(1.2)
    assert combat.hit_damage(6, 1.0, critical=True) == 9
    assert combat.hit_damage(6, 0.5, enchantment=combat.sharpness(5)) == pytest.approx(6 * 0.4 + 1.5)


def test_criticals_need_a_fall() -> None:
    assert combat.is_critical(1.0, fall_distance=0.2, on_ground=False)
    assert not combat.is_critical(1.0, fall_distance=0.0, on_ground=False)
    assert not combat.is_critical(1.0, fall_distance=0.2, on_ground=False, sprinting=True)
    assert not combat.is_critical(0.8, fall_distance=0.2, on_ground=False)


def test_armour() -> None:
    full_iron = [
        combat.armour_points(stack(f"iron_{piece}"))
        for piece in ("helmet", "chestplate", "leggings", "boots")
    ]
    assert sum(points for points, _ in full_iron) == 15
    assert combat.armour_points(stack("netherite_boots")) == (3, 3)
    assert combat.after_armour(6, 15) == pytest.approx(6 * (1 - 12 / 25))
    assert combat.after_armour(6, 20, 8) == pytest.approx(6 * (1 - 18.5 / 25))
    assert combat.after_armour(100, 15) == pytest.approx(100 * (1 - 3 / 25))
    assert combat.after_protection(10, 20) == pytest.approx(2)
    assert combat.after_resistance(10, 1) == pytest.approx(8)
    assert combat.after_resistance(10, 5) == 0


def test_knockback() -> None:
    pushed = combat.knocked_back((0.0, -0.0784, 0.0), 0.4, 0.0, -1.0, on_ground=True)
    assert pushed == pytest.approx((0.0, 0.3608, 0.4))
    assert combat.knocked_back((1.0, 0.0, 0.0), 0.4, 1.0, 0.0, on_ground=False, resistance=1.0) == (
        1.0,
        0.0,
        0.0,
    )


def test_difficulty_and_shield_and_bow() -> None:
    assert [combat.by_difficulty(3, each) for each in ("peaceful", "easy", "normal", "hard")] == [
        0,
        2.5,
        3,
        4.5,
    ]
    assert combat.shield_blocks(0.0, 0.0, 1.0)
    assert not combat.shield_blocks(0.0, 0.0, -1.0)
    assert combat.bow_power(20) == 1.0
    assert combat.bow_power(10) == pytest.approx((0.25 + 1.0) / 3)


def test_falls() -> None:
    assert [falls.damage(height) for height in (3, 3.01, 4, 10, 23)] == [0, 1, 1, 7, 20]
    hay = GAME.block("hay_block").default_state
    assert falls.landing_damage(hay, 13) == 2
    assert falls.landing_damage(GAME.block("slime_block").default_state, 60) == 0
    assert falls.landing_damage(GAME.block("slime_block").default_state, 13, sneaking=True) == 10
    assert falls.landing_damage(GAME.block("red_bed").default_state, 13) == 4
    assert falls.landing_damage(GAME.block("pointed_dripstone").default_state, 5) == 8
    assert falls.landing_damage(GAME.block("water").default_state, 200) == 0
    assert falls.safe_height(20) == 22
    assert falls.safe_height(3) == 5


def test_food_heals_fast_when_full_and_slowly_when_nearly() -> None:
    full, healed, ticks = Hunger(20, 6.0), 0.0, 0
    while not healed:
        full, healed = hunger.tick(full, 10.0)
        ticks += 1
    assert (ticks, healed, full.exhaustion) == (10, 1.0, 6.0)
    some, healed, ticks = Hunger(18, 0.0), 0.0, 0
    while not healed:
        some, healed = hunger.tick(some, 10.0)
        ticks += 1
    assert (ticks, healed, some.exhaustion) == (80, 1.0, 6.0)
    assert hunger.tick(Hunger(17, 0.0), 10.0) == (Hunger(17, 0.0), 0.0)


def test_exhaustion_takes_saturation_then_food() -> None:
    tired = hunger.exhaust(Hunger(20, 1.0), 4.1)
    tired, _ = hunger.tick(tired, 20.0)
    assert (tired.food, tired.saturation) == (20, 0.0)
    tired, _ = hunger.tick(hunger.exhaust(tired, 4.0), 20.0)
    assert tired.food == 19
    assert hunger.exhaust(tired, 1000).exhaustion == 40


@pytest.mark.parametrize(("difficulty", "floor"), [("easy", 10.0), ("normal", 1.0), ("hard", 0.0)])
def test_starving_stops_at_a_floor(difficulty: hunger.Difficulty, floor: float) -> None:
    starving, health = Hunger(0, 0.0), 20.0
    for _ in range(80 * 30):
        starving, change = hunger.tick(starving, health, difficulty=difficulty)
        health += change
    assert health == floor


def test_eating() -> None:
    assert hunger.eat(Hunger(10, 0.0), 5, 6.0) == Hunger(15, 6.0)
    assert hunger.eat(Hunger(19, 0.0), 8, 12.8) == Hunger(20, pytest.approx(12.8))
    bread = food.meal(stack("bread"))
    assert bread is not None
    assert (bread.points, bread.saturation, bread.ticks) == (5, 6.0, 32)
    kelp, stew, rotten = (food.meal(stack(name)) for name in ("dried_kelp", "mushroom_stew", "rotten_flesh"))
    assert kelp is not None
    assert kelp.ticks == 16
    assert stew is not None
    assert stew.left_over == "bowl"
    assert rotten is not None
    assert rotten.is_harmful
    assert food.meal(stack("dirt")) is None
    assert food.can_eat(stack("golden_apple"), 20)
    assert not food.can_eat(stack("bread"), 20)


def test_better_food_is_worth_more() -> None:
    best = max(("rotten_flesh", "bread", "apple", "dirt"), key=lambda name: food.worth(stack(name), 10))
    assert best == "bread"
    # With little missing the small meal wastes less.
    assert food.worth(stack("apple"), 16) > food.worth(stack("pumpkin_pie"), 19)
    assert food.worth(stack("rotten_flesh"), 0) < food.worth(stack("cookie"), 0)


def test_levels() -> None:
    assert [experience.to_next_level(level) for level in (0, 14, 15, 29, 30, 31)] == [
        7,
        35,
        37,
        107,
        112,
        121,
    ]
    assert experience.total_at(30) == 1395
    assert experience.level_at(1395) == (30, 0.0)
    assert experience.level_at(10) == (1, pytest.approx(3 / 9))
    assert sum(experience.orbs(100)) == 100
    assert experience.orbs(100) == [73, 17, 7, 3]
    rng = Random(0)
    coal = {experience.from_block(GAME.block("coal_ore").default_state, rng) for _ in range(100)}
    assert coal == {0, 1, 2}
    assert experience.from_block(GAME.block("diamond_ore").default_state, rng, silk_touch=True) == 0
