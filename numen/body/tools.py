"""Choosing what to hold: the tool that digs a block fastest, the weapon that does the most damage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from numen.rules.combat import attack_damage, attack_speed
from numen.rules.digging import can_harvest, dig_ticks
from numen.rules.items import ItemStack
from numen.world.inventory import CARRIED
from protocol.game import GAME

if TYPE_CHECKING:
    from numen.body.body import Body

#: Slower than anything that can be dug at all.
_NEVER: Final = 10**9
#: Materials of tools from the weakest to the strongest.
_TIERS: Final = ("wooden", "stone", "iron", "diamond", "netherite")


@dataclass(frozen=True)
class DigTool:
    """A tool to dig with: its window-0 slot (None: it is in the hand already), the stack (None: the bare
    hand)."""

    slot: int | None
    stack: ItemStack | None

    @classmethod
    def held(cls, body: Body) -> DigTool:
        """What is in the hand."""
        return cls(None, body.world.inventory.held)


def best_tool(body: Body, state: int) -> DigTool:
    """The best of what is carried for a block state: it gets the drop, then it is the fastest.

    What is in the hand wins a tie, except that no tool is worn out where something else does as well.
    """
    inventory = body.world.inventory
    best = DigTool.held(body)
    rank = _rank(state, best.stack, 0)
    for slot in CARRIED:
        stack = inventory[slot]
        if slot == inventory.held_slot or stack is None:
            continue
        other = _rank(state, stack, 1)
        if other < rank:
            best, rank = DigTool(slot, stack), other
    return best


def _rank(state: int, stack: ItemStack | None, distance: int) -> tuple[bool, int, bool, int]:
    """Smaller is better."""
    ticks = dig_ticks(state, stack)
    wears = stack is not None and stack.max_damage is not None
    return not can_harvest(state, stack), ticks if ticks is not None else _NEVER, wears, distance


def tool_hint(state: int) -> str:
    """What it takes to get this block's drop: ``a stone_pickaxe or better``."""
    tools = GAME.block_of(state).harvest_tools
    if tools is None:
        return "nothing special"
    names = {GAME.item_by_id(tool).name.removeprefix("minecraft:") for tool in tools}
    for tier in _TIERS:
        of_tier = sorted(name for name in names if name.startswith(f"{tier}_"))
        if len(of_tier) == 1:
            better = " or better" if len(names) > 1 else ""
            return f"a {of_tier[0]}{better}"
        if of_tier:
            return "one of " + ", ".join(of_tier)
    return "one of " + ", ".join(sorted(names))


def best_weapon(body: Body) -> int | None:
    """Window-0 slot of the carried thing that does most damage a second, None when that is in the hand
    already."""
    inventory = body.world.inventory
    best, most = None, _damage_a_second(inventory.held)
    for slot in CARRIED:
        stack = inventory[slot]
        if stack is not None and slot != inventory.held_slot:
            damage = _damage_a_second(stack)
            if damage > most + 1e-6:
                best, most = slot, damage
    return best


def _damage_a_second(stack: ItemStack | None) -> float:
    """Full hits only: a mob can't be hurt again within half a second, so a faster hand gains nothing by
    it."""
    return attack_damage(stack) * min(attack_speed(stack), 2.0)
