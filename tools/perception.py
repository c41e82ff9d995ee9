"""What the companion can see and know: itself, its owner, the world, blocks and beings around."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from numen.body.body import Body
from numen.rules import blocks, digging, reach
from numen.rules.items import ItemStack
from numen.tool import TaskResult, ToolContext, tool
from numen.world import UNLOADED
from numen.world.entities import Entity
from protocol.game import GAME
from tools.placeholders import called
from tools.reading import hearsay, is_foreign_name, sign_text
from tools.support import known_blocks, owner_entity, present, short, slices

MAX_ENTITIES: Final = 20
MAX_BLOCKS: Final = 32
MAX_MODS: Final = 60
#: Of what a server calls itself and its mods this much is told: a name, and no sentence.
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.+-]{1,64}")
#: How many blocks of the wanted kinds are counted before "or more" has to do.
COUNT_CAP: Final = 8192


@tool
def get_self_status(context: ToolContext) -> dict[str, Any]:
    """Your own state: health, hunger, position, what you wear, hold and carry, and the job under way."""
    body = present(context)
    world, me, state = body.world, body.world.me, body.state
    assert state is not None
    inventory = world.inventory
    x, y, z = body.position
    carried = [
        {"slot": slot, "item": stack.name, "count": stack.count}
        for slot, stack in enumerate(inventory.slots)
        if stack is not None and 9 <= slot < 45
    ]
    task = body.tasks.current
    return {
        "entity_id": me.entity_id,
        "name": me.name,
        "game_mode": me.game_mode,
        "hp": short(me.health),
        "max_hp": short(me.max_health),
        "hunger": me.food,
        "saturation": short(me.saturation),
        "xp_level": me.xp_level,
        "position": {"x": short(x), "y": short(y), "z": short(z)},
        "block_position": dict(zip("xyz", body.feet, strict=True)),
        "dimension": world.dimension.name,
        "biome": world.biome_at(*body.feet),
        "equipment": _equipment(body),
        "inventory": {"items": carried, "slots_used": len(carried), "slots_total": 36},
        **called(context, (each.name for each in inventory.slots if each is not None)),
        "effects": {
            name: {"level": each.level, "seconds": each.remaining // 20} for name, each in me.effects.items()
        },
        "on_ground": state.on_ground,
        "in_water": state.in_water,
        "in_lava": state.in_lava,
        "air": f"{max(0, me.air)}/300 ticks",
        "task": None if task is None else {"task_id": task.id, "task": task.name},
    }


def _equipment(body: Body) -> dict[str, dict[str, Any]]:
    slots = body.world.inventory.slots
    worn = {
        "mainhand": body.world.inventory.held,
        "offhand": slots[45],
        "head": slots[5],
        "chest": slots[6],
        "legs": slots[7],
        "feet": slots[8],
    }
    return {where: _stack(stack) for where, stack in worn.items() if stack is not None}


def _stack(stack: ItemStack) -> dict[str, Any]:
    told: dict[str, Any] = {"item": stack.name, "count": stack.count}
    most = stack.max_damage
    if most:
        told["durability"] = f"{most - stack.damage}/{most}"
    return told


@tool
def get_owner_status(context: ToolContext) -> dict[str, Any]:
    """Where your owner is and how far from you, as far as the server shows it."""
    body = present(context)
    if context.owner is None:
        return {"online": False, "reason": "I have no owner."}
    online = any(context.owner in (each.name, str(each.uuid)) for each in body.world.players)
    if not online:
        return {"online": False, "name": context.owner, "reason": f"{context.owner} is not on the server."}
    entity = owner_entity(body, context)
    if entity is None:
        return {
            "online": True,
            "name": context.owner,
            "in_sight": False,
            "warning": f"{context.owner} is online, but too far away or in another dimension for me to see.",
        }
    status: dict[str, Any] = {
        "online": True,
        "uuid": str(entity.uuid),
        "name": entity.name,
        "in_sight": True,
        "same_dimension": True,
        "position": {"x": short(entity.x), "y": short(entity.y), "z": short(entity.z)},
        "distance_to_me": short(entity.distance_to(*body.position)),
    }
    if entity.health is not None:
        status["hp"] = short(entity.health)
    for hand, slot in (("main_hand", "main_hand"), ("off_hand", "off_hand")):
        stack = entity.equipment.get(slot)
        if stack is not None:
            status[hand] = stack.name
    return status


@tool
def get_world_info(context: ToolContext) -> dict[str, Any]:
    """Dimension, time of day, weather, and what server it is."""
    body = present(context)
    world, time = body.world, body.world.time
    brand = _PLAIN.match(getattr(body.link, "server_brand", None) or "")
    mods = [each for each in getattr(body.link, "mods", ()) if _PLAIN.fullmatch(each)]
    return {
        "dimension": world.dimension.name,
        "game_time": time.age,
        "day": time.day,
        "time_of_day": time.time_of_day,
        "is_bright_outside": time.is_day,
        "is_dark_outside": not time.is_day,
        "weather": "thunder" if world.weather.thundering else "rain" if world.weather.raining else "clear",
        "difficulty": world.environment.difficulty,
        **({"server": brand[0]} if brand else {}),
        **({"mods": mods[:MAX_MODS], "mods_total": len(mods)} if mods else {}),
    }


@tool
def scan_nearby_entities(
    context: ToolContext,
    radius: Annotated[float, Field(ge=1, le=64)],
    type_filter: Literal["hostile", "passive", "player", "all"] = "all",
) -> dict[str, Any]:
    """The beings and dropped items around you, nearest first, at most twenty. Dropped items count as passive.
    Use the id with attack.

    Args:
        radius: How far to look, in blocks.
        type_filter: Which to list.
    """
    body = present(context)
    found = [
        each
        for each in body.world.entities.near(*body.position, radius)
        if type_filter in ("all", _category(each))
    ]
    return {
        **_marked(context, found[:MAX_ENTITIES]),
        "entities": [_told(each, body) for each in found[:MAX_ENTITIES]],
        "total_found": len(found),
        "truncated": len(found) > MAX_ENTITIES,
        "radius_searched": radius,
        "filter": type_filter,
    }


def _marked(context: ToolContext, told: Collection[Entity]) -> dict[str, Any]:
    """What things among them are called, and a mark where the name of one is a text that somebody gave it."""
    marks = called(context, (each.stack.name for each in told if each.stack is not None))
    if any(is_foreign_name(each.name) for each in told):
        marks["names"] = hearsay(context, "the names of beings")
    return marks


def _category(entity: Entity) -> str:
    if entity.is_player:
        return "player"
    return "hostile" if entity.category == "hostile" else "passive"


def _told(entity: Entity, body: Body) -> dict[str, Any]:
    told: dict[str, Any] = {
        "id": entity.id,
        "type": entity.kind,
        "category": _category(entity),
        "position": {"x": short(entity.x), "y": short(entity.y), "z": short(entity.z)},
        "distance": short(entity.distance_to(*body.position)),
    }
    if entity.name:
        told["name"] = entity.name
    if entity.stack is not None:
        told["item"], told["count"] = entity.stack.name, entity.stack.count
    if entity.health is not None:
        told["hp"] = short(entity.health)
    if entity.max_health is not None:
        told["max_hp"] = short(entity.max_health)
    if entity.baby:
        told["baby"] = True
    return told


@tool
async def scan_blocks(
    context: ToolContext,
    radius: Annotated[int, Field(ge=1, le=192)],
    block_ids: Annotated[list[str], Field(min_length=1)],
) -> dict[str, Any]:
    """Find blocks of the given kinds around you, nearest first, at most 32. Only loaded terrain is known.

    Args:
        radius: How far to look, in blocks.
        block_ids: Kinds to look for, such as ["minecraft:oak_log", "minecraft:birch_log"]; list every ore
            variant.
    """
    body = present(context)
    kinds = [GAME.block(name) for name in known_blocks(block_ids)]
    states = frozenset(state for kind in kinds for state in range(kind.min_state, kind.max_state + 1))
    found = await slices(body.world.search_blocks(states, body.position, radius, COUNT_CAP))
    listed = []
    for x, y, z, state in found[:MAX_BLOCKS]:
        entry: dict[str, Any] = {
            "x": x,
            "y": y,
            "z": z,
            "block": GAME.block_of(state).name,
            "distance": short(math.dist((x + 0.5, y + 0.5, z + 0.5), body.eye)),
        }
        listed.append(entry)
    told: dict[str, Any] = {
        "blocks": listed,
        "total_found": len(found),
        "truncated": len(found) > MAX_BLOCKS,
        "radius_searched": radius,
        "center": dict(zip("xyz", body.feet, strict=True)),
    }
    if not found:
        told["note"] = (
            "None of these in the loaded terrain. Walk on and scan again, or look for another kind."
        )
    return told


@tool
def inspect_block(context: ToolContext, x: int, y: int, z: int) -> dict[str, Any]:
    """Everything about one block: its kind and properties, what is written on it, whether your tool suits it,
    how long it takes to dig.

    Args:
        x: East-west coordinate.
        y: Height.
        z: North-south coordinate.
    """
    body = present(context)
    state = body.world.block(x, y, z)
    if state == UNLOADED:
        return {"x": x, "y": y, "z": z, "loaded": False, "message": "That place is not loaded; walk closer."}
    if state >= GAME.state_count:
        return {
            "x": x,
            "y": y,
            "z": z,
            "block": body.world.block_name(x, y, z),
            **called(context, [body.world.block_name(x, y, z)]),
            "is_solid": True,
            "unbreakable": True,
            "message": "A block of a mod; I leave it alone.",
        }
    block = GAME.block_of(state)
    held = body.world.inventory.held
    ticks = digging.dig_ticks(state, held)
    found = body.world.block_entity(x, y, z)
    written = sign_text(found.data) if found is not None else {}
    mark = {"text": written, "text_is": hearsay(context, "what stands on a sign")} if written else {}
    return {
        "x": x,
        "y": y,
        "z": z,
        "block": block.name,
        **mark,
        "properties": GAME.properties(state),
        "is_air": blocks.is_air(state),
        "is_solid": bool(GAME.shape(state)),
        "is_liquid": blocks.is_liquid(state),
        "hardness": block.hardness,
        "unbreakable": block.hardness < 0,
        "needs_correct_tool": block.harvest_tools is not None,
        "current_hand_correct_tool": digging.can_harvest(state, held),
        "estimated_mining_ticks": ticks,
        "distance_to_me": short(math.dist((x + 0.5, y + 0.5, z + 0.5), body.eye)),
        "in_reach": reach.block_in_reach(body.eye, (x, y, z)),
    }


# -- the map ---------------------------------------------------------------------------------------------

LEGEND: Final = {
    "@": "you",
    ".": "flat ground",
    "^": "one block up",
    ",": "one or two blocks down",
    "v": "a drop of three or more",
    "#": "blocked",
    "~": "water",
    "!": "lava or fire",
    "x": "beside something dangerous",
    "T": "tree",
    "?": "not loaded",
}


@tool
def look_around(context: ToolContext, radius: Annotated[int, Field(ge=4, le=16)] = 8) -> TaskResult:
    """A map of the ground around you as characters, seen from above, north up, you in the middle.

    Args:
        radius: How far the map reaches, in blocks.
    """
    body = present(context)
    cx, cy, cz = body.feet
    rows = []
    for z in range(cz - radius, cz + radius + 1):
        row = [_cell(body, x, cy, z) for x in range(cx - radius, cx + radius + 1)]
        rows.append(row)
    rows[radius][radius] = "@"
    seen = {sign for row in rows for sign in row}
    near = body.world.entities.near(*body.position, radius)[:8]
    return TaskResult.ok(
        f"The ground around ({cx}, {cy}, {cz}), {2 * radius + 1} blocks each way, north up.",
        {
            "map": ["".join(row) for row in rows],
            "legend": {sign: meaning for sign, meaning in LEGEND.items() if sign in seen},
            "center": {"x": cx, "y": cy, "z": cz},
            "standing_on": _name_at(body, cx, cy - 1, cz),
            **_marked(context, near),
            "entities": [_told(each, body) for each in near],
        },
    )


def _name_at(body: Body, x: int, y: int, z: int) -> str:
    return body.world.block_name(x, y, z) or "unknown"


def _cell(body: Body, x: int, y: int, z: int) -> str:
    """The sign of one column as seen by feet at height `y`."""
    block = body.world.block
    state = block(x, y, z)
    if state == UNLOADED:
        return "?"
    above = block(x, y + 1, z)
    for each in (above, state, block(x, y - 1, z)):
        if blocks.is_lava(each) or blocks.is_fire(each):
            return "!"
    if _is_tree(state) or _is_tree(above):
        return "T"
    if blocks.is_water(state) or (not _blocks(state) and blocks.is_water(block(x, y - 1, z))):
        return "~"
    if blocks.is_dangerous(state) or blocks.is_dangerous(above):
        return "x"
    if _blocks(state):
        return "#" if _blocks(above) or _blocks(block(x, y + 2, z)) else "^"
    if _blocks(above):
        return "#"
    for drop in range(3):
        if _blocks(block(x, y - 1 - drop, z)):
            return ".,"[min(drop, 1)]
    return "v"


def _blocks(state: int) -> bool:
    return not blocks.is_passable(state)


def _is_tree(state: int) -> bool:
    if not 0 <= state < GAME.state_count:
        return False
    name = GAME.block_of(state).name
    return name.endswith(("_log", "_leaves", "_stem"))
