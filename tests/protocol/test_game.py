"""The game's tables: known entries, the arithmetic of states, and helpful refusals."""

from __future__ import annotations

import subprocess
import sys

import pytest

from protocol.game import GAME, UnknownId, UnknownName


def test_sizes_are_those_of_1_21_1() -> None:
    assert len(GAME.blocks) == 1060
    assert GAME.state_count == 26684
    assert len(GAME.items) == 1333
    assert len(GAME.entities) == 130
    assert len(GAME.recipes) == 1470
    assert len(GAME.effects) == 39
    assert len(GAME.enchantments) == 42
    assert len(GAME.biomes) == 64
    assert len(GAME.attributes) == 31


def test_states_are_contiguous_and_know_their_block() -> None:
    expected = 0
    for block in GAME.blocks:
        assert block.min_state == expected
        count = 1
        for _, values in block.properties:
            count *= len(values)
        assert block.max_state - block.min_state + 1 == count
        assert block.min_state <= block.default_state <= block.max_state
        assert GAME.block_of(block.min_state) is GAME.block_of(block.max_state) is block
        expected = block.max_state + 1
    assert expected == GAME.state_count


def test_properties_and_states_are_each_others_inverse() -> None:
    for state in range(0, GAME.state_count, 7):
        assert GAME.state_with(GAME.block_of(state), GAME.properties(state)) == state


# State numbers as other implementations of 1.21.1 have them.
@pytest.mark.parametrize(
    ("state", "name", "properties"),
    [
        (0, "air", {}),
        (1, "stone", {}),
        (9, "grass_block", {"snowy": "false"}),
        (10, "dirt", {}),
        (80, "water", {"level": "0"}),
        (96, "lava", {"level": "0"}),
        (131, "oak_log", {"axis": "y"}),
    ],
)
def test_known_states(state: int, name: str, properties: dict[str, str]) -> None:
    assert GAME.state(name, **properties) == state
    assert GAME.block_of(state).name == f"minecraft:{name}"
    assert GAME.properties(state) == properties


def test_a_state_is_the_default_with_some_properties_changed() -> None:
    default = GAME.state("oak_stairs")
    assert GAME.properties(default) == {
        "facing": "north",
        "half": "bottom",
        "shape": "straight",
        "waterlogged": "false",
    }
    changed = GAME.state("minecraft:oak_stairs", facing="east", waterlogged=True)
    assert GAME.properties(changed) == {**GAME.properties(default), "facing": "east", "waterlogged": "true"}
    assert GAME.with_properties(changed, facing="north", waterlogged=False) == default
    assert GAME.state("wheat", age=7) == GAME.block("wheat").max_state


def test_blocks_say_how_hard_they_are_and_what_breaks_them() -> None:
    stone, bedrock, dirt = GAME.block("stone"), GAME.block("bedrock"), GAME.block("dirt")
    assert (stone.hardness, bedrock.hardness, dirt.hardness) == (1.5, -1.0, 0.5)
    assert stone.harvest_tools is not None
    assert GAME.item("wooden_pickaxe").id in stone.harvest_tools
    assert dirt.harvest_tools is None
    assert GAME.item("stone_pickaxe").id not in (GAME.block("diamond_ore").harvest_tools or ())
    assert GAME.block("torch").light == 14
    assert not GAME.block("torch").solid
    assert GAME.block("glass").transparent
    assert not stone.transparent


@pytest.mark.parametrize(
    ("block", "tool", "speed"),
    [
        ("stone", "wooden_pickaxe", 2.0),
        ("stone", "golden_pickaxe", 12.0),
        ("iron_ore", "stone_pickaxe", 4.0),  # the source's table knows only tools that are wrong for it
        ("obsidian", "diamond_pickaxe", 8.0),
        ("oak_log", "netherite_axe", 9.0),
        ("dirt", "iron_shovel", 6.0),
        ("cobweb", "shears", 15.0),
        ("white_wool", "shears", 5.0),
        ("stone", "diamond_shovel", None),
        ("glass", "diamond_pickaxe", None),
    ],
)
def test_tool_speeds(block: str, tool: str, speed: float | None) -> None:
    assert GAME.tool_speed(GAME.block(block).material, GAME.item(tool).id) == speed


def test_every_block_that_wants_a_tool_is_dug_faster_with_it() -> None:
    for block in GAME.blocks:
        for tool in block.harvest_tools or ():
            assert GAME.tool_speed(block.material, tool), (block, GAME.item_by_id(tool))


def test_shapes() -> None:
    full = ((0.0, 0.0, 0.0, 1.0, 1.0, 1.0),)
    assert GAME.shape(GAME.state("stone")) == full
    assert GAME.shape(0) == ()
    assert GAME.shape(GAME.state("short_grass")) == ()
    assert GAME.shape(GAME.state("oak_slab")) == ((0.0, 0.0, 0.0, 1.0, 0.5, 1.0),)
    assert GAME.shape(GAME.state("oak_slab", type="double")) == full
    assert GAME.shape(GAME.state("oak_fence")) == ((0.375, 0.0, 0.375, 0.625, 1.5, 0.625),)
    assert GAME.shape(GAME.state("farmland"))[0][4] == 0.9375
    assert GAME.shape(GAME.state("oak_door", open=True)) != GAME.shape(GAME.state("oak_door", open=False))
    assert len(GAME.shape(GAME.state("oak_stairs"))) > 1


def test_items_and_the_blocks_they_place() -> None:
    assert GAME.item("diamond_pickaxe").max_durability == 1561
    assert GAME.item("ender_pearl").stack_size == 16
    assert GAME.item("stick").max_durability is None
    pairs = {
        "oak_log": "oak_log",
        "redstone": "redstone_wire",
        "wheat_seeds": "wheat",
        "carrot": "carrots",
        "string": "tripwire",
        "water_bucket": "water",
    }
    for item, block in pairs.items():
        assert GAME.block_for_item(item) is GAME.block(block)
        assert GAME.item_for_block(block) is (GAME.item(item) if block != "wheat" else GAME.item("wheat"))
    assert GAME.item_for_block("wall_torch") is GAME.item("torch")
    assert GAME.item_for_block("oak_wall_hanging_sign") is GAME.item("oak_hanging_sign")
    assert GAME.item_for_block("nether_portal") is None
    assert GAME.block_for_item("stick") is None


def test_recipes() -> None:
    def named(item: str | None) -> int | None:
        return None if item is None else GAME.item(item).id

    pickaxes = GAME.recipes_for(GAME.item("stone_pickaxe").id)
    top = tuple(map(named, ("cobblestone",) * 3))
    middle = (None, named("stick"), None)
    assert (top, middle, middle) in [recipe.shape for recipe in pickaxes]
    assert all(recipe.size == (3, 3) and not recipe.fits_2x2 for recipe in pickaxes)
    sticks = GAME.recipes_for(GAME.item("stick").id)
    assert {recipe.result_count for recipe in sticks} >= {4}
    planks = GAME.recipes_for(GAME.item("oak_planks").id)
    assert any(recipe.ingredients == (named("oak_log"),) and recipe.fits_2x2 for recipe in planks)
    table = GAME.recipes_for(GAME.item("crafting_table").id)[0]
    assert table.fits_2x2
    assert sum(table.cost().values()) == 4
    assert GAME.recipes_for(GAME.item("diamond").id)[0].size == (1, 1)
    assert GAME.recipes_for(GAME.item("elytra").id) == []


def test_foods() -> None:
    bread = GAME.food("bread")
    assert bread is not None
    assert (bread.points, bread.saturation) == (5, 6.0)
    assert GAME.food("minecraft:stone") is None
    assert len(GAME.foods) == 41


def test_loot_names_what_may_fall() -> None:
    ids = {drop.item_id for drop in GAME.loot("gravel")}
    assert ids == {GAME.item("gravel").id, GAME.item("flint").id}
    assert {drop.item_id for drop in GAME.loot("short_grass")} >= {GAME.item("wheat_seeds").id}
    assert [drop.item_id for drop in GAME.loot("tuff_slab")] == [GAME.item("tuff_slab").id]
    assert {drop.item_id for drop in GAME.mob_loot("cow")} == {GAME.item("leather").id, GAME.item("beef").id}
    for block in GAME.blocks:
        assert all(0 <= drop.least <= drop.most for drop in GAME.loot(block.name))


def test_entities() -> None:
    pig = GAME.entity("pig")
    assert (pig.id, pig.width, pig.height) == (77, 0.9, 0.9)
    assert pig.type == "animal"
    assert GAME.entity_by_id(77) is pig
    assert GAME.entity("zombie").type == "hostile"
    assert GAME.entity("minecraft:player").metadata_keys[9] == "health"


def test_small_registries() -> None:
    assert GAME.effect_by_id(0).name == "minecraft:speed"
    assert GAME.effect("mining_fatigue").id == 3
    assert not GAME.effect("poison").good
    assert GAME.enchantment("efficiency").max_level == 5
    assert GAME.biome("plains").has_precipitation
    assert GAME.attribute("generic.movement_speed").default == 0.7
    assert GAME.attribute("minecraft:generic.max_health").id == 18
    assert GAME.sound(0) == "minecraft:entity.allay.ambient_with_item"


def test_words() -> None:
    assert GAME.language["block.minecraft.oak_log"] == "Oak Log"
    assert GAME.language["death.attack.fall"] == "%1$s hit the ground too hard"


# --- refusals ---


def test_an_unknown_name_comes_with_the_nearest() -> None:
    with pytest.raises(UnknownName) as caught:
        GAME.block("oka_log")
    assert caught.value.nearest[0] == "minecraft:oak_log"
    assert str(caught.value).startswith("no block 'oka_log'; did you mean minecraft:oak_log")
    with pytest.raises(KeyError, match=r"no item 'xyzzy'$"):
        GAME.item("xyzzy")
    with pytest.raises(UnknownName, match="no property of minecraft:oak_log 'axes'; did you mean axis"):
        GAME.state("oak_log", axes="y")
    with pytest.raises(UnknownName, match="no value of minecraft:oak_log's axis 'w'"):
        GAME.state("oak_log", axis="w")


@pytest.mark.parametrize("state", [-1, 26684, 1 << 40])
def test_a_state_of_a_mod_is_unknown(state: int) -> None:
    for ask in (GAME.block_of, GAME.shape, GAME.properties):
        with pytest.raises(UnknownId, match="block state"):
            ask(state)


def test_a_number_of_a_mod_is_unknown() -> None:
    with pytest.raises(UnknownId):
        GAME.item_by_id(1333)
    with pytest.raises(UnknownId):
        GAME.entity_by_id(-1)


def test_importing_reads_no_table() -> None:
    code = "import sys, zlib\nzlib.decompress = None\nimport protocol.game, protocol.codec, protocol.chunks\n"
    subprocess.run([sys.executable, "-c", code], check=True)
