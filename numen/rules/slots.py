"""Menus as lists of slots: which there are, what each takes, where a shift-click sends things.

Slot numbers are those of the wire (protocol 767): a menu's own slots first, then the 27 of the main
inventory, then the hotbar. The player's own window has the off hand last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from numen.rules import fuel, smelting
from numen.rules.items import ItemStack

PLAYER = "minecraft:player"
MAIN_SIZE = 27
HOTBAR_SIZE = 9
INVENTORY_SIZE = MAIN_SIZE + HOTBAR_SIZE

_HEAD_ENDINGS = ("_helmet", "_head", "_skull")
_EQUIPMENT = {"carved_pumpkin": "head", "elytra": "chest", "shield": "offhand"}
_ARMOUR_ENDINGS = {"_chestplate": "chest", "_leggings": "legs", "_boots": "feet"}


def equipment_slot(stack: ItemStack) -> str | None:
    """Where an item is worn: "head", "chest", "legs", "feet", "offhand" (a shield), or None."""
    name = stack.name.removeprefix("minecraft:")
    if name in _EQUIPMENT:
        return _EQUIPMENT[name]
    if name.endswith(_HEAD_ENDINGS) and name != "piston_head":
        return "head"
    return next((slot for ending, slot in _ARMOUR_ENDINGS.items() if name.endswith(ending)), None)


# -- what a slot takes ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SlotRule:
    """One kind of slot: what may be put in, how many, and whether what lies there is made rather than put."""

    accepts: Callable[[ItemStack], bool]
    limit: int = 99
    #: Nothing can be put in; taking does more than taking (it uses up the grid, say).
    is_result: bool = False
    #: The whole stack comes out at once, however little was asked for.
    whole: bool = False
    may_take: bool = True

    def room(self, stack: ItemStack) -> int:
        """How many of a stack's kind the slot holds at most."""
        return min(self.limit, stack.max_stack)


def _named(*names: str) -> Callable[[ItemStack], bool]:
    wanted = frozenset(f"minecraft:{name}" for name in names)
    return lambda stack: stack.name in wanted


def _ending(*endings: str) -> Callable[[ItemStack], bool]:
    return lambda stack: stack.name.endswith(endings)


def _worn(place: str) -> SlotRule:
    return SlotRule(lambda stack: equipment_slot(stack) == place, limit=1)


def _anything(_: ItemStack) -> bool:
    return True


def _nothing(_: ItemStack) -> bool:
    return False


_is_potion = _named("potion", "splash_potion", "lingering_potion", "glass_bottle")
_is_payment = _named("emerald", "diamond", "gold_ingot", "netherite_ingot", "iron_ingot")
_is_brewing = _named(
    *("nether_wart", "redstone", "glowstone_dust", "gunpowder", "dragon_breath", "sugar", "rabbit_foot"),
    *("glistering_melon_slice", "spider_eye", "pufferfish", "magma_cream", "golden_carrot", "blaze_powder"),
    *("ghast_tear", "turtle_helmet", "phantom_membrane", "fermented_spider_eye", "breeze_rod", "stone"),
    *("slime_block", "cobweb"),
)
_is_smithing_template = _ending("_smithing_template")
_is_dye = _ending("_dye")
_is_lapis = _named("lapis_lazuli")
_is_map = _named("filled_map")
_is_map_material = _named("paper", "map", "glass_pane")

STORAGE = SlotRule(_anything)
_CRAFT_RESULT = SlotRule(_nothing, is_result=True, whole=True)
_MADE = SlotRule(_nothing, is_result=True)
_RULES: dict[str, SlotRule] = {
    "storage": STORAGE,
    "grid": STORAGE,
    "input": STORAGE,
    "craft_result": _CRAFT_RESULT,
    "furnace_result": _MADE,
    "made": SlotRule(_nothing, is_result=True, whole=True),
    "head": _worn("head"),
    "chest": _worn("chest"),
    "legs": _worn("legs"),
    "feet": _worn("feet"),
    "offhand": STORAGE,
    "fuel": SlotRule(lambda stack: fuel.is_fuel(stack) or stack.name == "minecraft:bucket"),
    "shulker": SlotRule(lambda stack: not stack.name.endswith("shulker_box")),
    "template": SlotRule(_is_smithing_template),
    "banner": SlotRule(_ending("_banner")),
    "dye": SlotRule(_is_dye),
    "pattern": SlotRule(_ending("_banner_pattern")),
    "enchanted": SlotRule(_anything, limit=1),
    "lapis": SlotRule(_is_lapis),
    "bottle": SlotRule(_is_potion, limit=1),
    "ingredient": SlotRule(_is_brewing),
    "blaze": SlotRule(_named("blaze_powder")),
    "payment": SlotRule(_is_payment, limit=1),
    "map": SlotRule(_is_map),
    "map_material": SlotRule(_is_map_material),
    "preview": SlotRule(_nothing, may_take=False),
    "book": SlotRule(_nothing, limit=1, may_take=False),
    "saddle": SlotRule(_named("saddle"), limit=1),
    "horse_armour": SlotRule(_ending("_horse_armor", "_carpet", "wolf_armor"), limit=1),
}

#: A menu's own slots by its kind.
_OWN: dict[str, tuple[str, ...]] = {
    "player": ("craft_result", *["grid"] * 4, "head", "chest", "legs", "feet"),
    "crafting": ("craft_result", *["grid"] * 9),
    **{f"generic_9x{rows}": ("storage",) * (9 * rows) for rows in range(1, 7)},
    "generic_3x3": ("storage",) * 9,
    "shulker_box": ("shulker",) * 27,
    "hopper": ("storage",) * 5,
    "furnace": ("input", "fuel", "furnace_result"),
    "blast_furnace": ("input", "fuel", "furnace_result"),
    "smoker": ("input", "fuel", "furnace_result"),
    "anvil": ("input", "input", "made"),
    "grindstone": ("input", "input", "made"),
    "merchant": ("input", "input", "made"),
    "cartography_table": ("map", "map_material", "made"),
    "smithing": ("template", "input", "input", "made"),
    "loom": ("banner", "dye", "pattern", "made"),
    "stonecutter": ("input", "made"),
    "enchantment": ("enchanted", "lapis"),
    "brewing_stand": ("bottle", "bottle", "bottle", "ingredient", "blaze"),
    "beacon": ("payment",),
    "lectern": ("book",),
}


@dataclass(frozen=True)
class Target:
    """Where a shift-click tries to put a stack: slots from `start` up to `stop`, from the back if `back`."""

    start: int
    stop: int
    back: bool = False


@dataclass(frozen=True)
class Layout:
    """The slots of one kind of menu."""

    #: Without namespace: "player", "crafting", "generic_9x3".
    kind: str
    roles: tuple[str, ...]
    own_size: int
    #: The first slot of the main inventory; the hotbar follows it. -1 where the player's slots don't show.
    main_start: int

    @property
    def size(self) -> int:
        """Number of slots in all."""
        return len(self.roles)

    @property
    def main(self) -> range:
        """Slots of the main inventory."""
        return range(self.main_start, self.main_start + MAIN_SIZE) if self.main_start >= 0 else range(0)

    @property
    def hotbar(self) -> range:
        """Slots of the hotbar, left to right."""
        start = self.main_start + MAIN_SIZE
        return range(start, start + HOTBAR_SIZE) if self.main_start >= 0 else range(0)

    @property
    def player(self) -> range:
        """Main inventory and hotbar."""
        return range(self.main_start, self.main_start + INVENTORY_SIZE) if self.main_start >= 0 else range(0)

    @property
    def offhand(self) -> int | None:
        """The slot of the off hand; only the player's own window has one."""
        return self.roles.index("offhand") if "offhand" in self.roles else None

    @property
    def result(self) -> int | None:
        """The slot in which what the grid makes appears."""
        return self.roles.index("craft_result") if "craft_result" in self.roles else None

    @property
    def grid(self) -> range:
        """The slots of the crafting grid, row by row."""
        cells = [i for i, role in enumerate(self.roles) if role == "grid"]
        return range(cells[0], cells[-1] + 1) if cells else range(0)

    @property
    def grid_width(self) -> int:
        """Cells to a row of the grid, 0 without a grid."""
        return {4: 2, 9: 3}.get(len(self.grid), 0)

    def rule(self, slot: int) -> SlotRule:
        """What a slot takes."""
        return _RULES[self.roles[slot]]

    def targets(self, slot: int, stack: ItemStack, slots: Sequence[ItemStack | None]) -> tuple[Target, ...]:
        """Where a shift-click on `slot`, which holds `stack`, tries to put it, until something has moved."""
        chooser = _TARGETS.get(self.kind, _chest_targets)
        return chooser(self, slot, stack, slots)


@lru_cache(maxsize=64)
def layout(kind: str, total: int | None = None) -> Layout:
    """The layout of a menu kind ("minecraft:furnace", "player"); `total` is its number of slots where known.

    A kind of a mod, and an animal's menu, are taken as a chest with `total` minus 36 own slots.
    """
    kind = kind.removeprefix("minecraft:")
    if kind == "player":
        return Layout(kind, (*_OWN[kind], *["storage"] * INVENTORY_SIZE, "offhand"), 9, 9)
    if kind == "crafter_3x3":
        # The preview of the result comes after the player's slots.
        return Layout(kind, (*["storage"] * (9 + INVENTORY_SIZE), "preview"), 9, 9)
    if kind == "lectern":
        return Layout(kind, _OWN[kind], 1, -1)
    own = _OWN.get(kind)
    if own is None:
        size = max(0, (total if total is not None else INVENTORY_SIZE) - INVENTORY_SIZE)
        own = (
            ("saddle", "horse_armour", *["storage"] * (size - 2)) if kind == "horse" else ("storage",) * size
        )
    return Layout(kind, (*own, *["storage"] * INVENTORY_SIZE), len(own), len(own))


# -- shift-clicks -----------------------------------------------------------------------------------------

_Slots = Sequence[ItemStack | None]
_Chooser = Callable[[Layout, int, ItemStack, _Slots], tuple[Target, ...]]


def _to_player(menu: Layout, *, back: bool) -> Target:
    return Target(menu.player.start, menu.player.stop, back)


def _other_half(menu: Layout, slot: int) -> tuple[Target, ...]:
    # Between main inventory and hotbar.
    if slot in menu.main:
        return (Target(menu.hotbar.start, menu.hotbar.stop),)
    if slot in menu.hotbar:
        return (Target(menu.main.start, menu.main.stop),)
    return ()


def _chest_targets(menu: Layout, slot: int, stack: ItemStack, slots: _Slots) -> tuple[Target, ...]:
    if menu.main_start < 0:
        return ()
    if slot in menu.player:
        return (Target(0, menu.own_size),)
    return (_to_player(menu, back=True),)


def _player_targets(menu: Layout, slot: int, stack: ItemStack, slots: _Slots) -> tuple[Target, ...]:
    if slot == menu.result:
        return (_to_player(menu, back=True),)
    if slot not in menu.player:
        return (_to_player(menu, back=False),)
    place = equipment_slot(stack)
    if place is not None:
        worn = menu.roles.index(place)
        if slots[worn] is None:
            return (Target(worn, worn + 1),)
    return _other_half(menu, slot)


def _crafting_targets(menu: Layout, slot: int, stack: ItemStack, slots: _Slots) -> tuple[Target, ...]:
    if slot in menu.player:
        return (Target(menu.grid.start, menu.grid.stop), *_other_half(menu, slot))
    return (_to_player(menu, back=slot == menu.result),)


def _furnace_targets(menu: Layout, slot: int, stack: ItemStack, slots: _Slots) -> tuple[Target, ...]:
    if slot not in menu.player:
        return (_to_player(menu, back=slot == 2),)
    kind: smelting.Furnace = "furnace"
    if menu.kind == "blast_furnace":
        kind = "blast_furnace"
    elif menu.kind == "smoker":
        kind = "smoker"
    if smelting.smelt(stack, kind) is not None:
        return (Target(0, 1),)
    if fuel.is_fuel(stack):
        return (Target(1, 2),)
    return _other_half(menu, slot)


def _inputs_targets(menu: Layout, slot: int, stack: ItemStack, slots: _Slots) -> tuple[Target, ...]:
    """Anvil, grindstone: into the inputs; the result goes to the back of the inventory."""
    if slot not in menu.player:
        return (_to_player(menu, back=menu.rule(slot).is_result),)
    if menu.kind == "grindstone" and all(slots[i] is not None for i in range(menu.own_size - 1)):
        return _other_half(menu, slot)
    return (Target(0, menu.own_size - 1),)


def _sorted_targets(menu: Layout, slot: int, stack: ItemStack, slots: _Slots) -> tuple[Target, ...]:
    """Menus whose slots each take a kind of their own: into the first that takes it."""
    if slot not in menu.player:
        return (_to_player(menu, back=menu.rule(slot).is_result or menu.kind in _BACK_TO_PLAYER),)
    for i in range(menu.own_size):
        rule = menu.rule(i)
        if rule.accepts is not _anything and rule.accepts(stack):
            if rule.limit == 1 and slots[i] is not None:
                continue
            return (Target(i, i + 1),)
    return _other_half(menu, slot)


_BACK_TO_PLAYER = frozenset({"enchantment", "beacon", "brewing_stand"})


def _brewing_targets(menu: Layout, slot: int, stack: ItemStack, slots: _Slots) -> tuple[Target, ...]:
    if slot not in menu.player:
        return (_to_player(menu, back=True),)
    if menu.rule(4).accepts(stack):
        return (Target(4, 5), Target(3, 4))
    if menu.rule(3).accepts(stack):
        return (Target(3, 4),)
    if menu.rule(0).accepts(stack):
        return (Target(0, 3),)
    return _other_half(menu, slot)


def _smithing_targets(menu: Layout, slot: int, stack: ItemStack, slots: _Slots) -> tuple[Target, ...]:
    if slot not in menu.player:
        return (_to_player(menu, back=menu.rule(slot).is_result),)
    if menu.rule(0).accepts(stack):
        return (Target(0, 1),)
    wearable = equipment_slot(stack) is not None or stack.max_damage is not None
    return (Target(1, 2),) if wearable else (Target(2, 3), *_other_half(menu, slot))


def _enchanting_targets(menu: Layout, slot: int, stack: ItemStack, slots: _Slots) -> tuple[Target, ...]:
    if slot not in menu.player:
        return (_to_player(menu, back=True),)
    if menu.rule(1).accepts(stack):
        return (Target(1, 2, back=True),)
    return (Target(0, 1),) if slots[0] is None else ()


def _halves_targets(menu: Layout, slot: int, stack: ItemStack, slots: _Slots) -> tuple[Target, ...]:
    """Merchants: nothing goes in by shift-click."""
    if slot not in menu.player:
        return (_to_player(menu, back=menu.rule(slot).is_result),)
    return _other_half(menu, slot)


def _stonecutter_targets(menu: Layout, slot: int, stack: ItemStack, slots: _Slots) -> tuple[Target, ...]:
    if slot not in menu.player:
        return (_to_player(menu, back=slot == 1),)
    return (Target(0, 1), *_other_half(menu, slot))


_TARGETS: dict[str, _Chooser] = {
    "player": _player_targets,
    "crafting": _crafting_targets,
    "furnace": _furnace_targets,
    "blast_furnace": _furnace_targets,
    "smoker": _furnace_targets,
    "anvil": _inputs_targets,
    "grindstone": _inputs_targets,
    "merchant": _halves_targets,
    "cartography_table": _sorted_targets,
    "loom": _sorted_targets,
    "beacon": _sorted_targets,
    "horse": _sorted_targets,
    "brewing_stand": _brewing_targets,
    "smithing": _smithing_targets,
    "enchantment": _enchanting_targets,
    "stonecutter": _stonecutter_targets,
}
