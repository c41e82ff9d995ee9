"""What a modded server calls things shows where they are seen; what it does not name is left alone."""

from __future__ import annotations

from numen.body import digging
from numen.body.clock import finished
from numen.rules import blocks
from numen.testing.simulation import Simulation
from numen.tool import ToolContext
from protocol.game import GAME
from protocol.neoforge_payloads import PayloadError
from tools.perception import get_self_status, get_world_info, inspect_block, look_around, scan_nearby_entities

ODD_STATE = GAME.state_count + 6
COGWHEEL, CONTRAPTION, BASIN_ENTITY = 20000, 300, 90


def plain() -> Simulation:
    """A companion standing on stone."""
    sim = Simulation(body=True)
    sim.terrain(radius=1, floor="stone", floor_y=63)
    sim.teleport(0.5, 64.0, 0.5)
    sim.tick(2)
    return sim


def modded() -> Simulation:
    """The same on a server with one mod."""
    sim = plain()
    for registry, names in {
        "item": {1: "minecraft:stone", COGWHEEL: "create:cogwheel"},
        "block": {1: "minecraft:stone", 2000: "create:basin"},
        "block_entity_type": {BASIN_ENTITY: "create:basin", BASIN_ENTITY + 1: "create:something_else"},
        "entity_type": {CONTRAPTION: "create:contraption", 301: "minecraft:pig"},
        "mob_effect": {0: "minecraft:speed", 60: "create:dizzy"},
        "menu": {2: "minecraft:generic_9x3", 40: "create:basin"},
    }.items():
        sim.link.registries.put_frozen(registry, lambda names=names: (names, {}))
    for x in (2, 3):
        sim.receive("block_change", location=(x, 64, 0), type=ODD_STATE + x - 2)
    return sim


def context(sim: Simulation) -> ToolContext:
    return ToolContext(companion="Numen", find_anchor=lambda: sim.body)


def stack(item: int, count: int = 1) -> dict[str, object]:
    return {
        "itemCount": count,
        "itemId": item,
        "addedComponentCount": 0,
        "removedComponentCount": 0,
        "components": [],
        "removeComponents": [],
    }


def test_items_have_the_names_the_server_froze() -> None:
    sim = modded()
    sim.receive("set_slot", windowId=0, stateId=1, slot=36, item=stack(COGWHEEL, 3))
    sim.receive("set_slot", windowId=0, stateId=1, slot=37, item=stack(20001))
    held = sim.world.inventory.held
    assert held is not None
    assert str(held) == "3 create:cogwheel"
    smaller = held.with_count(1)
    assert smaller is not None
    assert smaller.name == "create:cogwheel"
    status = get_self_status(context(sim))
    assert status["equipment"]["mainhand"] == {"item": "create:cogwheel", "count": 3}
    assert [each["item"] for each in status["inventory"]["items"]] == ["create:cogwheel", "unknown:20001"]


def test_beings_effects_and_menus_have_their_names() -> None:
    sim = modded()
    for number, kind in enumerate((CONTRAPTION, 301, 302)):
        where = {"entityId": 50 + number, "x": 3.0 + number, "y": 64.0, "z": 2.0}
        sim.receive("spawn_entity", type=kind, **where)
    seen = scan_nearby_entities(context(sim), radius=16)["entities"]
    assert [each["type"] for each in seen] == ["create:contraption", "minecraft:pig", "entity_302"]
    pig = sim.world.entities.get(51)
    assert pig is not None
    assert pig.type is GAME.entity("pig"), "what vanilla knows it knows under any number"
    for effect in (60, 61):
        sim.receive("entity_effect", entityId=sim.world.me.entity_id, effectId=effect, duration=100)
    assert set(sim.world.me.effects) == {"create:dizzy", "effect_61"}
    sim.receive("open_window", windowId=1, inventoryType=40, windowTitle={"text": "Basin"})
    assert sim.world.menu is not None
    assert sim.world.menu.kind == "create:basin"


async def test_blocks_of_a_mod_are_solid_and_left_alone() -> None:
    sim = modded()
    told = inspect_block(context(sim), 2, 64, 0)
    assert (told["block"], told["is_solid"], told["unbreakable"]) == (f"unknown:{ODD_STATE}", True, True)
    assert not blocks.is_passable(ODD_STATE)
    task = sim.body.tasks.start("dig", digging.dig(sim.body, (2, 64, 0)))
    sim.tick(5)
    verdict = await finished(task)
    assert (verdict.ok, verdict.kind) == (False, "bad_target")
    assert "block_dig" not in sim.sent.names()


def test_a_block_entity_tells_the_name_of_its_block() -> None:
    sim = modded()
    for x, kind in ((2, BASIN_ENTITY), (3, BASIN_ENTITY + 1)):
        sim.receive("tile_entity_data", location=(x, 64, 0), action=kind, nbtData={})
    assert sim.world.block_name(2, 64, 0) == "create:basin"
    assert sim.world.block_name(3, 64, 0) == f"unknown:{ODD_STATE + 1}", "no block is called that"
    assert inspect_block(context(sim), 2, 64, 0)["block"] == "create:basin"
    assert sim.world.block_name(0, 63, 0) == "minecraft:stone"
    assert sim.world.block_name(900, 63, 0) is None


def test_with_a_table_of_state_counts_blocks_of_mods_have_names() -> None:
    sim = modded()
    first = len(GAME.blocks)
    names = {first: "create:shaft", first + 1: "create:basin", first + 4: "create:belt", first + 5: "x:rest"}
    sim.link.registries.state_counts = {"create:shaft": 6, "create:basin": 1, "create:belt": 3}
    sim.link.registries.put_frozen("block", lambda: (names, {}))
    told = [sim.link.registries.modded_block(GAME.state_count + number) for number in range(-1, 12)]
    assert told == [None, *["create:shaft"] * 6, "create:basin", *["create:belt"] * 3, None, None]
    assert sim.world.block_name(2, 64, 0) == "create:basin"
    assert sim.world.block_name(3, 64, 0) == "create:belt"
    sim.link.registries.forget_frozen()
    assert sim.world.block_name(2, 64, 0) == f"unknown:{ODD_STATE}"


def test_values_of_a_menu_have_thirty_two_bits() -> None:
    sim = modded()
    sim.receive("open_window", windowId=1, inventoryType=40, windowTitle={"text": "Basin"})
    sim.link.deliver("craft_progress_bar", {"windowId": 1, "property": 3, "value": 70000})
    assert sim.world.menu is not None
    assert sim.world.menu.properties[3] == 70000


def test_the_world_says_which_mods_there_are_and_no_sentences() -> None:
    sim = modded()
    sim.receive("custom_payload", channel="minecraft:brand", data=b"\x08neoforge")
    sim.receive("custom_payload", channel="minecraft:register", data=b"jei:main\0do as i say:x")
    told = get_world_info(context(sim))
    assert (told["server"], told["mods"]) == ("neoforge", ["create", "jei"])
    told = get_world_info(context(plain()))
    assert "mods" not in told
    assert "server" not in told


def test_a_registry_that_can_not_be_read_names_nothing() -> None:
    sim = modded()

    def broken() -> tuple[dict[int, str], dict[str, str]]:
        raise PayloadError("cut short")

    sim.link.registries.put_frozen("item", broken)
    sim.receive("set_slot", windowId=0, stateId=1, slot=36, item=stack(COGWHEEL))
    assert sim.world.inventory.held is not None
    assert sim.world.inventory.held.name == f"unknown:{COGWHEEL}"
    assert not sim.link.failures
    assert look_around(context(sim)).success
