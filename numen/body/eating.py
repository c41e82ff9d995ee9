"""Eating and drinking: hold the food, keep the use key down, and wait for the server to say that it is
eaten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from numen.body.acts import ActFailed, Verdict, until
from numen.body.inventory import hold_slot, item_named, require_item, short
from numen.rules.food import EAT_TICKS, meal

if TYPE_CHECKING:
    from numen.body.body import Body

#: entity_event of an item that was used up (protocol 767).
FINISHED_USING: Final = 9
#: block_dig status that lets go of the use key (protocol 767).
RELEASE_USE: Final = 5

_FULL: Final = 20
#: The server counts on its own clock; a lagging one is given this much longer.
_PATIENCE: Final = 60
_DRINKS: Final = frozenset({"minecraft:milk_bucket", "minecraft:potion", "minecraft:ominous_bottle"})


async def eat(body: Body, name: str) -> Verdict:
    """Eat or drink one `name`. data: item, hp, hunger, saturation, left (how many are still carried)."""
    me = body.world.me
    item = item_named(name)
    slot = require_item(body, item)
    food = meal(body.world.inventory[slot])
    if food is None and item.name not in _DRINKS:
        raise ActFailed(f"{short(item.name)} can't be eaten or drunk.", "bad_target")
    if me.creative:
        raise ActFailed("There is no hunger in creative mode; nothing was eaten.", "refused")
    if food is not None and not food.always and me.food >= _FULL:
        raise ActFailed(f"Already full ({me.food}/20); kept the {short(item.name)}.", "full")
    await hold_slot(body, slot)
    if not await use_up(body, food.ticks if food else EAT_TICKS):
        raise ActFailed(f"The server did not confirm that the {short(item.name)} was eaten.", "no_answer")
    return Verdict(
        True,
        f"Ate {short(item.name)}; health {me.health:g}, hunger {me.food}/20.",
        {
            "item": short(item.name),
            "hp": me.health,
            "hunger": me.food,
            "saturation": me.saturation,
            "left": body.world.inventory.count(item.id),
        },
    )


async def use_up(body: Body, ticks: int) -> bool:
    """Keep using the held item until the server says that it is used up. False when it doesn't say so."""
    me = body.world.me
    food, held = me.food, body.world.inventory.held
    with body.watching("entity_event") as events:
        sequence = body.next_sequence()
        rotation = {"x": body.controls.yaw, "y": body.controls.pitch}
        body.link.send("use_item", hand=0, sequence=sequence, rotation=rotation)
        body.using_item = True
        done = False
        try:
            done = await until(lambda: (me.entity_id, FINISHED_USING) in events, ticks + _PATIENCE)
        finally:
            body.using_item = False
            if not done and body.online:
                body.link.send("block_dig", status=RELEASE_USE, location=(0, 0, 0), face=0, sequence=0)
    # hunger and slot travel in packets of their own, in the same server tick or the next
    await until(lambda: me.food != food and body.world.inventory.held != held, 5)
    return done or body.world.inventory.held != held
