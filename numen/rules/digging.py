"""How long breaking a block takes, and whether it gives anything.

vanilla 1.21.1 `Player.getDestroySpeed`, `BlockBehaviour.getDestroyProgress`: all in float32, added up tick by
tick, so that some blocks take one tick more than the quotient says.
"""

from __future__ import annotations

from functools import lru_cache

from numen.rules.f32 import f32
from numen.rules.items import ItemStack
from numen.rules.states import name_of
from protocol.game import GAME

#: The share of the progress that a server must have counted itself to believe a client's "finished".
SERVER_SHARE = 0.7
#: Ticks between two blocks that are not broken at once.
PAUSE_TICKS = 5

_HASTE_STEP = f32(0.2)
_FATIGUE = (1.0, f32(0.3), f32(0.09), f32(0.0027), f32(0.00081))


def can_harvest(state: int, tool: ItemStack | None) -> bool:
    """Whether breaking the block with this tool (None: the hand) drops anything. Raises UnknownId."""
    tools = GAME.block_of(state).harvest_tools
    return tools is None or (tool is not None and tool.item_id in tools)


def tool_speed(state: int, tool: ItemStack | None) -> float:
    """How many times faster than the hand a tool digs a block, enchantments aside; 1 if it does not suit."""
    if tool is None:
        return 1.0
    return GAME.tool_speed(GAME.block_of(state).material, tool.item_id) or 1.0


def progress(
    state: int,
    tool: ItemStack | None,
    *,
    on_ground: bool = True,
    eyes_in_water: bool = False,
    haste: int = 0,
    fatigue: int = 0,
    mining_efficiency: float = 0.0,
    block_break_speed: float = 1.0,
    submerged_mining_speed: float = 0.2,
) -> float:
    """The part of the block that one tick breaks, float32; 1 or more breaks it at once, 0 never.

    `haste` (conduit power counts as haste) and `fatigue` are effect levels from 1, 0 without the effect. The
    last three are attributes; Efficiency arrives as `mining_efficiency` (level² + 1), Aqua Affinity as a
    `submerged_mining_speed` of 1. Raises UnknownId for a state of a mod.
    """
    hardness = GAME.block_of(state).hardness
    if hardness < 0:
        return 0.0
    if tool is not None and name_of(state) in ("bamboo", "bamboo_sapling") and tool.name.endswith("_sword"):
        return 1.0
    if hardness == 0:
        return float("inf")
    speed = tool_speed(state, tool)
    if speed > 1.0:
        speed = f32(speed + f32(mining_efficiency))
    if haste > 0:
        speed = f32(speed * f32(1.0 + f32(haste * _HASTE_STEP)))
    if fatigue > 0:
        speed = f32(speed * _FATIGUE[min(fatigue, 4)])
    speed = f32(speed * f32(block_break_speed))
    if eyes_in_water:
        speed = f32(speed * f32(submerged_mining_speed))
    if not on_ground:
        speed = f32(speed / 5.0)
    return f32(f32(speed / f32(hardness)) / (30.0 if can_harvest(state, tool) else 100.0))


@lru_cache(maxsize=4096)
def ticks_at(share: float) -> int | None:
    """Ticks until `share` a tick, added up in float32, reaches 1; None when it never does."""
    if share >= 1.0:
        return 1
    if share <= 0.0:
        return None
    done, ticks = 0.0, 0
    while done < 1.0:
        before, done = done, f32(done + share)
        ticks += 1
        if done == before:
            return None
    return ticks


def dig_ticks(
    state: int,
    tool: ItemStack | None,
    *,
    on_ground: bool = True,
    eyes_in_water: bool = False,
    haste: int = 0,
    fatigue: int = 0,
    mining_efficiency: float = 0.0,
    block_break_speed: float = 1.0,
    submerged_mining_speed: float = 0.2,
) -> int | None:
    """Ticks it takes to break a block, the tick of the start counted; None when it can't be broken.

    Arguments as for `progress`. Raises UnknownId for a state of a mod.
    """
    return ticks_at(
        progress(
            state,
            tool,
            on_ground=on_ground,
            eyes_in_water=eyes_in_water,
            haste=haste,
            fatigue=fatigue,
            mining_efficiency=mining_efficiency,
            block_break_speed=block_break_speed,
            submerged_mining_speed=submerged_mining_speed,
        )
    )
