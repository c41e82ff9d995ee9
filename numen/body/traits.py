"""What the server said about the player that changes how it moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from numen.rules.physics import Traits
from numen.world.attributes import SPRINTING

if TYPE_CHECKING:
    from numen.world import World

#: Slot of the boots in the player's own menu (protocol 767).
BOOTS_SLOT: Final = 8


def traits_of(world: World) -> Traits:
    """The traits for the next physics step, from attributes, effects, boots and dimension."""
    me = world.me
    value = me.attributes.value
    level = me.effect_level
    boots = world.inventory.slots[BOOTS_SLOT]
    return Traits(
        movement_speed=value("movement_speed", without=(SPRINTING,)),
        jump_strength=value("jump_strength"),
        gravity=value("gravity"),
        step_height=value("step_height"),
        sneaking_speed=value("sneaking_speed"),
        water_movement_efficiency=value("water_movement_efficiency"),
        movement_efficiency=value("movement_efficiency"),
        flying_speed=me.abilities.flying_speed,
        jump_boost=level("jump_boost"),
        levitation=level("levitation"),
        slow_falling=level("slow_falling") > 0,
        dolphins_grace=level("dolphins_grace") > 0,
        blindness=level("blindness") > 0,
        weaving=level("weaving") > 0,
        walks_on_powder_snow=boots is not None and boots.name == "minecraft:leather_boots",
        ultrawarm=world.dimension.ultrawarm,
    )
