"""Crafting by clicks against a server that runs the same click engine and its own recipes."""

from __future__ import annotations

from typing import Any

from numen.body.crafting import choice_name, craft
from numen.rules.clicks import ClickReader, MenuModel, apply, insert
from numen.rules.items import ItemStack
from numen.rules.slots import Layout, layout
from protocol.game import GAME
from tests.body.kit import Yard

CRAFTING = 12
TABLE = (2, 64, 0)


class Workshop:
    """The server's side of the own window and of a crafting table.

    It keeps its own slots, decides each click, tells what differs from the client's claims, tells the result
    slot after every change of the grid, and everything when the state id is old: as a vanilla server does.
    """

    def __init__(self, yard: Yard, *, opens: bool = True, knows_recipes: bool = True) -> None:
        self.yard = yard
        self.opens = opens
        self.knows_recipes = knows_recipes
        self.window = 0
        self.state_id = 1
        self.slots: list[ItemStack | None] = list(yard.world.inventory.slots)
        self.carried: ItemStack | None = None
        self.dropped: list[ItemStack] = []
        self.clicks = 0
        self.corrections = 0
        self.closed: list[int] = []
        self._reader = ClickReader()

    @property
    def layout(self) -> Layout:
        return layout("player" if self.window == 0 else "crafting", len(self.slots))

    def __call__(self) -> None:
        for packet in list(self.yard.sent):
            handler = getattr(self, f"on_{packet.name}", None)
            if handler is not None:
                handler(packet.fields)
        self.yard.sent.clear()

    def on_block_place(self, fields: dict[str, Any]) -> None:
        self.yard.ack(fields["sequence"])
        if not self.opens:
            return
        self.window = 5
        self.state_id = 1
        self.slots = [None] * 10 + self.slots[9:45]
        self.yard.receive("open_window", windowId=5, inventoryType=CRAFTING, windowTitle="Crafting")
        self.tell_all()

    def on_close_window(self, fields: dict[str, Any]) -> None:
        self.closed.append(fields["windowId"])
        back = [self.slots[slot] for slot in self.layout.grid] + [self.carried]
        for slot in self.layout.grid:
            self.slots[slot] = None
        self.carried = None
        for stack in back:
            if stack is not None:
                self.slots, _ = insert(stack, MenuModel(self.layout, self.slots, None))
        if self.window:
            carried = self.slots[10:46]
            self.window = 0
            self.slots = [None] * 9 + carried + [None]
            self.state_id = self.yard.world.inventory.state_id
        self.tell_all()

    def on_window_click(self, fields: dict[str, Any]) -> None:
        assert fields["windowId"] == self.window, "a click into the wrong window"
        self.clicks += 1
        stale = fields["stateId"] != self.state_id
        click = self._reader.read(fields["slot"], fields["mouseButton"], fields["mode"])
        if click is None:
            return
        model = MenuModel(self.layout, self.slots, self.carried)
        if not self.knows_recipes:
            model.craft = lambda grid, width: None
        outcome = apply(click, model)
        self.slots, self.carried = outcome.slots, outcome.carried
        self.dropped += outcome.drops
        if stale:
            self.tell_all()
            return
        claims = {each["location"]: ItemStack.from_slot(each["item"]) for each in fields["changedSlots"]}
        for slot, stack in enumerate(self.slots):
            believed = claims.get(slot, model.slots[slot])
            if believed != stack and slot != self.layout.result:
                self.corrections += 1
                self.tell(slot)
        if ItemStack.from_slot(fields["cursorItem"]) != self.carried:
            self.corrections += 1
            self.yard.receive(
                "set_slot", windowId=-1, stateId=0, slot=-1, item=ItemStack.to_slot(self.carried)
            )
        if model.slots[0] != self.slots[0] or click.slot == 0:
            self.tell(0)

    def tell(self, slot: int) -> None:
        self.state_id += 1
        item = ItemStack.to_slot(self.slots[slot])
        self.yard.receive("set_slot", windowId=self.window, stateId=self.state_id, slot=slot, item=item)

    def tell_all(self) -> None:
        self.state_id += 1
        items = [ItemStack.to_slot(stack) for stack in self.slots]
        carried = ItemStack.to_slot(self.carried)
        self.yard.receive(
            "window_items", windowId=self.window, stateId=self.state_id, items=items, carriedItem=carried
        )


def has(yard: Yard, name: str) -> int:
    return yard.world.inventory.count(GAME.item(name).id)


def test_planks_are_made_in_the_own_grid() -> None:
    yard = Yard(items={36: ItemStack.of("oak_log", 3)})
    shop = Workshop(yard)
    verdict = yard.run(craft(yard.me, "oak_planks", 4), each=shop)
    assert verdict.ok, verdict.message
    assert verdict.data == {"item": "oak_planks", "crafted": 4, "carrying": 4}
    assert has(yard, "oak_log") == 2
    assert shop.corrections == 0
    assert yard.world.inventory.slots == shop.slots


def test_more_is_made_when_a_recipe_gives_several() -> None:
    yard = Yard(items={36: ItemStack.of("oak_log", 3)})
    verdict = yard.run(craft(yard.me, "oak_planks", 6), each=Workshop(yard))
    assert verdict.ok
    assert verdict.data["crafted"] == 8


def test_a_crafting_table_takes_one_plank_in_each_cell() -> None:
    yard = Yard(items={36: ItemStack.of("oak_planks", 7)})
    shop = Workshop(yard)
    verdict = yard.run(craft(yard.me, "crafting_table"), each=shop)
    assert verdict.ok
    assert has(yard, "oak_planks") == 3
    assert has(yard, "crafting_table") == 1
    assert shop.corrections == 0


def test_a_batch_is_laid_out_once() -> None:
    yard = Yard(items={36: ItemStack.of("oak_planks", 64)})
    shop = Workshop(yard)
    verdict = yard.run(craft(yard.me, "stick", 40), each=shop)
    assert verdict.ok
    assert verdict.data["crafted"] == 40
    assert has(yard, "oak_planks") == 44
    assert shop.corrections == 0


def test_a_pickaxe_is_made_at_a_table_in_reach_and_the_table_closed_again() -> None:
    yard = Yard({TABLE: "crafting_table"}, {36: ItemStack.of("oak_planks", 5), 37: ItemStack.of("stick", 2)})
    shop = Workshop(yard)
    verdict = yard.run(craft(yard.me, "wooden_pickaxe"), each=shop)
    assert verdict.ok, verdict.message
    assert has(yard, "wooden_pickaxe") == 1
    assert has(yard, "oak_planks") == 2
    assert shop.closed == [5]
    assert yard.world.menu is None


def test_missing_materials_are_listed_with_what_there_is() -> None:
    yard = Yard(items={36: ItemStack.of("iron_ingot", 1), 37: ItemStack.of("stick", 2)})
    verdict = yard.run(craft(yard.me, "iron_pickaxe"))
    assert verdict.kind == "no_material"
    assert verdict.data["missing"] == ["3x iron_ingot (have 1)"]
    yard.sent.expect_nothing()


def test_mixed_planks_make_a_chest() -> None:
    planks = {36: ItemStack.of("oak_planks", 5), 37: ItemStack.of("birch_planks", 3)}
    yard = Yard({TABLE: "crafting_table"}, planks)
    verdict = yard.run(craft(yard.me, "chest"), each=Workshop(yard))
    assert verdict.ok, verdict.message
    assert has(yard, "chest") == 1


def test_without_a_table_near_the_message_says_what_to_do() -> None:
    yard = Yard(items={36: ItemStack.of("oak_planks", 5), 37: ItemStack.of("stick", 2)})
    verdict = yard.run(craft(yard.me, "wooden_pickaxe"))
    assert verdict.kind == "needs_table"
    assert "craft one from 4 planks" in verdict.message


def test_a_table_too_far_away_is_named() -> None:
    materials = {36: ItemStack.of("oak_planks", 5), 37: ItemStack.of("stick", 2)}
    yard = Yard({(20, 64, 0): "crafting_table"}, materials, radius=2)
    verdict = yard.run(craft(yard.me, "wooden_pickaxe"))
    assert verdict.kind == "needs_table"
    assert "(20, 64, 0)" in verdict.message


def test_what_has_no_recipe_is_said_so() -> None:
    yard = Yard()
    verdict = yard.run(craft(yard.me, "bedrock"))
    assert verdict.kind == "bad_target"


def test_a_server_without_the_recipe_gets_its_layout_back() -> None:
    yard = Yard(items={36: ItemStack.of("oak_log", 3)})
    shop = Workshop(yard, knows_recipes=False)
    verdict = yard.run(craft(yard.me, "oak_planks", 4), each=shop)
    assert verdict.kind == "refused"
    assert has(yard, "oak_log") == 3


def test_a_full_inventory_stops_before_anything_is_lost() -> None:
    full = {slot: ItemStack.of("dirt", 64) for slot in range(9, 45)}
    yard = Yard(items={**full, 36: ItemStack.of("oak_log", 3)})
    shop = Workshop(yard)
    verdict = yard.run(craft(yard.me, "oak_planks", 4), each=shop)
    assert verdict.kind == "full"
    assert shop.dropped == []
    assert has(yard, "oak_log") == 3


def test_a_cancelled_crafting_gives_the_ingredients_back() -> None:
    yard = Yard(items={36: ItemStack.of("oak_planks", 7)})
    shop = Workshop(yard)
    yard.start(craft(yard.me, "crafting_table"))
    for _ in range(4):
        yard.tick()
        shop()
    assert has(yard, "oak_planks") < 7
    yard.me.tasks.cancel()
    shop()
    assert shop.closed == [0]
    assert has(yard, "oak_planks") == 7


def test_alternatives_are_named_by_what_they_share() -> None:
    planks = [GAME.item(f"{wood}_planks").id for wood in ("oak", "birch", "spruce")]
    assert choice_name(planks) == "planks (any)"
    assert choice_name(planks[:1]) == "oak_planks"
    assert choice_name([GAME.item("coal").id, GAME.item("charcoal").id]) == "coal (or charcoal)"


def test_a_table_out_of_reach_is_walked_to() -> None:
    materials = {36: ItemStack.of("oak_planks", 3), 37: ItemStack.of("stick", 2)}
    yard = Yard({(10, 64, 0): "crafting_table"}, materials)
    verdict = yard.run(craft(yard.me, "wooden_pickaxe"), ticks=400, each=Workshop(yard))
    assert verdict.ok, verdict.message
    assert yard.me.position[0] > 5
