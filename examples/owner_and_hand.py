"""A body as a tool sees it: whose it is, what it carries, what it holds."""

from uuid import UUID

from numen.api import Fleet, NumenPlayer


async def show_me(fleet: Fleet, uuid: UUID, asker: UUID, item: str) -> str:
    """Have a companion hold up an item, if it serves the one who asks and has it."""
    player = NumenPlayer.find_by_uuid(fleet, uuid)
    if player is None or player.body is None:
        return "nobody is there"
    if not player.is_owned_by_player(asker):
        owner = player.resolve_owner_player()
        return f"{player.name} serves {owner.name if owner else 'somebody who is not online'}"
    if not player.ensure_in_inventory(item):
        return f"{player.name} has no {item}"
    backpack = next(
        number
        for number in (*range(9), *range(9, 36))
        if (stack := player.stack_in(number)) is not None and stack.name.endswith(item)
    )
    held = await player.hold_in_hand(backpack)
    return f"{player.name} holds {item}" if held else f"{player.name} could not take {item} in hand"
