"""The body on the practice server, in memory and tick by tick: both sides have to agree on everything."""

from __future__ import annotations

from dataclasses import replace

from numen.body import Body, Verdict
from numen.body.acts import Act
from numen.body.combat import attack
from numen.body.containers import close_menu, open_container
from numen.body.crafting import craft
from numen.body.digging import dig
from numen.body.eating import eat
from numen.body.gather import mine
from numen.body.inventory import drop, equip, hold, take_off, transfer
from numen.body.pickup import collect
from numen.body.placing import place
from numen.rules.items import ItemStack
from numen.testing.link import InMemoryPair
from numen.testing.sandbox import Env
from numen.world import World
from numen.world.inventory import HEAD, OFF_HAND
from protocol.game import GAME
from protocol.link import Link


class Guest:
    """A body on a practice server; `tick` lets the server and then the body live for a tick."""

    def __init__(self, name: str = "Numen", **options: object) -> None:
        self.env = Env(**options)
        self.world = World()

        def attach(link: Link) -> None:
            self.world.attach(link)
            self.body = Body(self.world, link)

        self.pair = InMemoryPair(
            username=name,
            server_options=self.env.sandbox.connection_options(),
            on_play=self.env.sandbox.join,
            attach=attach,
        ).join()
        self.player = self.env.sandbox.player(name)
        for _ in range(100):
            self.tick()
            if self.body.ready and self.body.state and self.body.state.on_ground:
                break
        self.tick(5)

    def tick(self, count: int = 1) -> None:
        for _ in range(count):
            self.world.tick()
            self.body.tick()
            self.pair.pump()
            self.env.sandbox.tick()
            self.pair.pump()

    def run(self, act: Act, ticks: int = 3000) -> Verdict:
        """Tick until the act has ended well."""
        task = self.body.tasks.start(act.__name__, act)
        for _ in range(ticks):
            self.tick()
            if task.verdict is not None:
                assert task.verdict.ok, f"{task.verdict.kind}: {task.verdict.message} {task.verdict.data}"
                return task.verdict
        raise AssertionError(f"{task} did not end within {ticks} ticks")

    def give(self, name: str, count: int = 1) -> None:
        self.player.inventory.add(ItemStack.of(name, count))
        self.tick(2)

    def count(self, name: str) -> int:
        """How many of an item it carries, on which both sides must agree."""
        mine = self.world.inventory.count(GAME.item(name).id)
        stacks = self.player.inventory.slots
        theirs = sum(stack.count for stack in stacks if stack and stack.name == f"minecraft:{name}")
        assert mine == theirs, f"{name}: {mine} here, {theirs} there"
        return mine

    def beside(self, dx: int, dy: int, dz: int) -> tuple[int, int, int]:
        x, y, z = self.body.feet
        return x + dx, y + dy, z + dz

    def fair(self) -> None:
        """The server found nothing to complain of."""
        assert dict(self.env.judge.counts) == {}, list(self.env.judge.latest)


def test_a_block_is_dug_picked_up_and_placed_again() -> None:
    guest = Guest()
    cell, other = guest.beside(2, -1, 0), guest.beside(0, 0, 2)
    guest.run(dig(guest.body, cell))
    assert guest.env.block(cell) == "air"
    guest.run(collect(guest.body))
    assert guest.count("dirt") == 1
    guest.run(place(guest.body, "dirt", other))
    assert guest.env.block(other) == "dirt"
    assert guest.count("dirt") == 0
    guest.fair()


def test_from_a_log_to_a_wooden_pickaxe_and_cobblestone() -> None:
    guest = Guest()
    for height in range(3):
        guest.env.put(guest.beside(3, height, 1), "oak_log")
    guest.tick(2)
    guest.run(mine(guest.body, ["oak_log"], 3))
    guest.run(craft(guest.body, "oak_planks", 12))
    guest.run(craft(guest.body, "stick", 4))
    guest.run(craft(guest.body, "crafting_table"))
    guest.run(place(guest.body, "crafting_table", guest.beside(0, 0, 2)))
    guest.run(craft(guest.body, "wooden_pickaxe"))
    assert guest.count("wooden_pickaxe") == 1
    guest.env.put(guest.beside(-2, 0, 0), "stone")
    guest.tick(2)
    guest.run(mine(guest.body, ["stone"], 1))
    assert guest.count("cobblestone") == 1
    guest.fair()


def test_a_pig_is_killed_and_eaten() -> None:
    guest = Guest()
    guest.give("iron_sword")
    x, y, z = guest.body.position
    guest.body.talk.say(f"/summon pig {x + 6:.1f} {y:.1f} {z:.1f}")
    guest.tick(5)
    pigs = [each.id for each in guest.world.entities if each.kind == "minecraft:pig"]
    verdict = guest.run(attack(guest.body, pigs))
    assert verdict.data["killed"] == ["pig"]
    assert guest.count("porkchop") >= 1
    guest.player.survival.hunger = replace(guest.player.survival.hunger, food=10, saturation=0.0)
    guest.tick(5)
    carried = guest.count("porkchop")
    guest.run(eat(guest.body, "porkchop"))
    assert guest.count("porkchop") == carried - 1
    guest.fair()


def test_things_are_held_worn_stored_and_dropped() -> None:
    guest = Guest()
    for name in ("iron_helmet", "shield", "torch"):
        guest.give(name)
    guest.give("bread", 7)
    guest.run(hold(guest.body, "torch"))
    guest.run(equip(guest.body, "iron_helmet"))
    guest.run(equip(guest.body, "shield"))
    assert guest.world.inventory[HEAD] == ItemStack.of("iron_helmet")
    assert guest.world.inventory[OFF_HAND] == ItemStack.of("shield")
    guest.run(take_off(guest.body, "head"))
    guest.run(drop(guest.body, "bread", 2))
    assert guest.count("bread") == 5
    chest = guest.beside(2, 0, 0)
    guest.env.put(chest, "chest")
    guest.tick(2)
    guest.run(open_container(guest.body, chest))
    menu = guest.world.menu
    assert menu is not None
    slot = menu.slot_of(guest.world.inventory.find(GAME.item("bread").id)[0])
    assert slot is not None
    guest.run(transfer(guest.body, slot, 13, 3))
    assert menu.slots[13] == ItemStack.of("bread", 3)
    close_menu(guest.body)
    guest.tick(2)
    assert guest.count("bread") == 2
    guest.fair()


def test_buried_stone_is_dug_to_on_natural_ground() -> None:
    guest = Guest(world="hills")
    guest.give("stone_pickaxe")
    guest.give("stone_shovel")
    start = guest.body.feet
    guest.run(mine(guest.body, ["stone"], 4))
    assert guest.count("cobblestone") >= 4
    assert guest.body.feet[1] >= start[1] - 3
    guest.fair()
