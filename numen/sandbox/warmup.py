"""What is slow the first time, done before somebody waits for it.

Packet readers and writers are compiled, and tables of the rules built, at their first use; some take tens of
milliseconds, which is a late tick for everybody. The server goes through these steps while it is idle.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from numen.rules import blocks, drops, fuel, placement, recipes, smelting
from numen.rules.items import ItemStack
from numen.rules.physics.matter import matter
from numen.sandbox import blocks as behaviours
from numen.sandbox.handlers import all_handlers
from numen.sandbox.world import World
from protocol import codec
from protocol.game import GAME

#: Packets the server writes, those of a login first.
WRITTEN = (
    *(
        "login",
        "difficulty",
        "abilities",
        "held_item_slot",
        "entity_status",
        "declare_commands",
        "server_data",
    ),
    *("initialize_world_border", "update_time", "spawn_position", "player_info", "update_view_position"),
    *("position", "game_state_change", "window_items", "update_health", "experience", "system_chat"),
    *("chunk_batch_start", "map_chunk", "chunk_batch_finished", "unload_chunk", "acknowledge_player_digging"),
    *("spawn_entity", "entity_metadata", "entity_equipment", "rel_entity_move", "entity_move_look"),
    *("entity_look", "entity_teleport", "entity_velocity", "entity_head_rotation", "entity_destroy"),
    *("block_change", "multi_block_change", "world_event", "block_break_animation", "set_slot", "collect"),
    *(
        "animation",
        "damage_event",
        "hurt_animation",
        "open_window",
        "close_window",
        "craft_progress_bar",
        "player_chat",
    ),
    *("death_combat_event", "respawn", "player_remove", "spawn_entity_experience_orb", "kick_disconnect"),
)


def steps(world: World) -> Iterator[None]:
    """Yields after each step."""
    for packet in WRITTEN:
        codec.writer("play", "toClient", packet)
        yield
    for packet in all_handlers():
        codec.reader("play", "toServer", packet)
        yield
    for table in _tables(world):
        table()
        yield


def _tables(world: World) -> Iterator[Callable[[], object]]:
    x, y, z = world.spawn
    yield matter
    yield blocks.table
    yield recipes.vanilla
    yield lambda: drops.drops(GAME.state("stone"), ItemStack.of("wooden_pickaxe"), random.Random(0))
    yield lambda: GAME.foods
    yield lambda: fuel.burn_ticks(ItemStack.of("coal"))
    yield lambda: smelting.smelt(ItemStack.of("raw_iron"))
    yield lambda: behaviours.neighbour_changed(world, (x, y - 1, z))
    yield lambda: placement.place("oak_planks", (x, y - 1, z), 1, (0.5, 1.0, 0.5), 0.0, 0.0, world)
