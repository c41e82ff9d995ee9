"""What the simulations of the body share: a settled client, running acts to their end, server answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numen.body import Body, Verdict
from numen.body.acts import Act, Task
from numen.rules.items import ItemStack
from numen.testing.simulation import Simulation
from protocol.codec import Packet
from protocol.game import GAME

FLOOR_Y = 63
AIR = GAME.block("air").default_state


def state(name: str, **properties: str) -> int:
    return GAME.state(name, **properties)


class Yard(Simulation):
    """A client whose body stands at (0.5, 64, 0.5) on a floor, with `blocks` around and `items` in its
    slots.

    What it sent until then is forgotten. Slots are those of window 0: 36 is the first of the hotbar.
    """

    def __init__(
        self,
        blocks: Mapping[tuple[int, int, int], str | int] | None = None,
        items: Mapping[int, ItemStack] | None = None,
        *,
        radius: int = 1,
        at: tuple[float, float, float] = (0.5, 64.0, 0.5),
        gamemode: str = "survival",
        floor: str = "stone",
    ) -> None:
        super().__init__(body=True, login={"worldState": {"gamemode": gamemode}})
        self.terrain(blocks, radius=radius, floor=floor, floor_y=FLOOR_Y)
        self.teleport(*at)
        self.fill(items or {})
        self.tick(3)
        self.sent.clear()

    @property
    def me(self) -> Body:
        return self.body

    def fill(
        self, items: Mapping[int, ItemStack], cursor: ItemStack | None = None, state_id: int = 1
    ) -> None:
        """The server tells the whole own window."""
        slots = [ItemStack.to_slot(items.get(slot)) for slot in range(46)]
        self.receive(
            "window_items", windowId=0, stateId=state_id, items=slots, carriedItem=ItemStack.to_slot(cursor)
        )

    def slot(self, slot: int, stack: ItemStack | None, window: int = 0) -> None:
        """The server tells one slot, under a new state id."""
        menus = self.world.menus
        known = menus.inventory.state_id if window == 0 else (menus.open.state_id if menus.open else 0)
        self.receive("set_slot", windowId=window, stateId=known + 1, slot=slot, item=ItemStack.to_slot(stack))

    def set_block(self, pos: tuple[int, int, int], block: str | int) -> None:
        """The server tells a block."""
        number = GAME.block(block).default_state if isinstance(block, str) else block
        self.receive("block_change", location=pos, type=number)

    def ack(self, sequence: int) -> None:
        """The server settles everything up to a sequence."""
        self.receive("acknowledge_player_digging", sequenceId=sequence)

    def start(self, act: Act, name: str = "act") -> Task:
        return self.body.tasks.start(name, act)

    def run(self, act: Act, ticks: int = 200, each: Callable[[], None] | None = None) -> Verdict:
        """Tick until the act has ended; `each` is called after every tick, to answer what was sent."""
        task = self.start(act)
        for _ in range(ticks):
            self.tick()
            if each is not None:
                each()
            if task.verdict is not None:
                return task.verdict
        raise AssertionError(f"{task} did not end within {ticks} ticks")

    def sent_of(self, *names: str) -> list[Packet]:
        """Take out what was sent of these packets; the rest stays."""
        return self.sent.take(*names)

    def dig_packet(self, status: int) -> dict[str, Any]:
        """Take out the block_dig packets; the fields of the one with this status."""
        fields = [packet.fields for packet in self.sent.take("block_dig")]
        found = [each for each in fields if each["status"] == status]
        assert len(found) == 1, f"expected one block_dig of status {status} among {fields}"
        return found[0]


class Obliging:
    """Answers like a vanilla server: digs break, clicks are acknowledged, asked windows are told.

    `refuse` keeps it from changing blocks; `drop` spawns an item for each broken block.
    """

    def __init__(self, yard: Yard, *, refuse: bool = False, drop: str | None = None) -> None:
        self.yard = yard
        self.refuse = refuse
        self.drop = drop
        self.seen: list[Packet] = []
        self._next_entity = 1000

    def __call__(self) -> None:
        for packet in list(self.yard.sent):
            self.seen.append(packet)
            handler = getattr(self, f"on_{packet.name}", None)
            if handler is not None:
                handler(packet.fields)
        self.yard.sent.clear()

    def count(self, name: str, **fields: Any) -> int:
        return len(self.of(name, **fields))

    def of(self, name: str, **fields: Any) -> list[dict[str, Any]]:
        return [
            packet.fields
            for packet in self.seen
            if packet.name == name and all(packet.fields[key] == value for key, value in fields.items())
        ]

    def on_block_dig(self, fields: dict[str, Any]) -> None:
        if fields["status"] == 2:
            self.broken(fields["location"])
        if fields["sequence"]:
            self.yard.ack(fields["sequence"])

    def broken(self, pos: tuple[int, int, int]) -> None:
        if self.refuse:
            return
        self.yard.set_block(pos, "air")
        if self.drop:
            self.spawn_item(self.drop, (pos[0] + 0.5, pos[1] + 0.1, pos[2] + 0.5))

    def spawn_item(self, name: str, at: tuple[float, float, float], count: int = 1) -> int:
        self._next_entity += 1
        self.yard.spawn("item", *at, entity_id=self._next_entity)
        self.yard.receive(
            "entity_metadata",
            entityId=self._next_entity,
            metadata=[
                {"key": 8, "type": "item_stack", "value": ItemStack.to_slot(ItemStack.of(name, count))}
            ],
        )
        return self._next_entity
