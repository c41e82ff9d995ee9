"""Stacks that lie on the ground: they fall, slide, merge with their like, wait to be picked up, and are
gone after five minutes (vanilla 1.21.1 `ItemEntity`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from numen.rules.items import ItemStack
from numen.sandbox import space
from numen.sandbox.entities.base import Entity

if TYPE_CHECKING:
    from numen.sandbox.world import World

PICKUP_DELAY = 10
THROWN_PICKUP_DELAY = 40
LIFETIME = 6000


class ItemEntity(Entity):
    kind = "minecraft:item"
    tracking_range = 96.0
    update_interval = 20
    gravity = 0.04

    def __init__(self, world: World, x: float, y: float, z: float, stack: ItemStack) -> None:
        super().__init__(world, x, y, z)
        self.stack = stack
        self.pickup_delay = PICKUP_DELAY
        #: Ticks that count towards its end; a merged stack keeps the smaller number.
        self.lived = 0

    def metadata(self) -> list[dict[str, Any]]:
        return [{"key": 8, "type": "item_stack", "value": self.stack.to_slot(self.stack)}]

    def tick(self) -> None:
        super().tick()
        if self.pickup_delay > 0:
            self.pickup_delay -= 1
        before = (self.vx, self.vy, self.vz)
        cell = (int(self.x // 1), int(self.y // 1), int(self.z // 1))
        if space.fluids(self.world, self.box)[0] > 0.1:
            self.vx *= 0.99
            self.vz *= 0.99
            if self.vy < 0.06:
                self.vy += 0.0005
        else:
            self.vy -= self.gravity
        # One at rest looks for the ground only every fourth tick.
        if not self.on_ground or self.vx**2 + self.vz**2 > 1e-5 or (self.age + self.id) % 4 == 0:
            self._slide()
        else:
            self.vy = before[1]
        moved = cell != (int(self.x // 1), int(self.y // 1), int(self.z // 1))
        if self.age % (2 if moved else 40) == 0:
            self._merge()
        change = sum((new - old) ** 2 for new, old in zip((self.vx, self.vy, self.vz), before, strict=True))
        if change > 0.01:
            self.impulse = True
        self.lived += 1
        if self.lived >= LIFETIME:
            self.remove()

    def _slide(self) -> None:
        if not space.is_free(self.world, space.grown(self.box, -1e-7, -1e-7, -1e-7)):
            self._leave_block()
        self.move(self.vx, self.vy, self.vz)
        drag = 0.98
        if self.on_ground:
            drag *= space.friction_below(self.world, self.x, self.y, self.z)
        self.vx *= drag
        self.vz *= drag
        self.vy *= 0.98

    def _leave_block(self) -> None:
        """Drift out of a block that was put on it, to the nearest free side."""
        x, y, z = int(self.x // 1), int(self.y // 1), int(self.z // 1)
        best, way = 9.0, (0, 1, 0)
        for dx, dy, dz in ((-1, 0, 0), (1, 0, 0), (0, 0, -1), (0, 0, 1), (0, 1, 0)):
            place = self.x - x if dx else self.y - y if dy else self.z - z
            far = 1 - place if dx + dy + dz > 0 else place
            inner = (x + dx, y + dy, z + dz, x + dx + 1.0, y + dy + 1.0, z + dz + 1.0)
            if far < best and space.is_free(self.world, space.grown(inner, -0.01, -0.01, -0.01)):
                best, way = far, (dx, dy, dz)
        speed = 0.1 + self.world.random.random() * 0.2
        self.x += way[0] * speed
        self.y += way[1] * speed
        self.z += way[2] * speed

    def _merge(self) -> None:
        reach = space.grown(self.box, 0.5, 0.0, 0.5)
        for other in list(self.world.entities.values()):
            if self.removed or not self._has_room():
                return
            if not isinstance(other, ItemEntity) or other is self or not space.overlap(reach, other.box):
                continue
            if not other._has_room() or not self.stack.same_kind(other.stack):
                continue
            if self.stack.count + other.stack.count > self.stack.max_stack:
                continue
            keeps, goes = (self, other) if other.stack.count < self.stack.count else (other, self)
            keeps.stack = replace(keeps.stack, count=keeps.stack.count + goes.stack.count)
            keeps.pickup_delay = max(keeps.pickup_delay, goes.pickup_delay)
            keeps.lived = min(keeps.lived, goes.lived)
            keeps.metadata_changed = True
            goes.remove()

    def _has_room(self) -> bool:
        return self.stack.count < self.stack.max_stack and not self.removed

    def take(self, count: int) -> None:
        """Some of the stack went into somebody's pockets; the last of it ends the entity."""
        left = self.stack.count - count
        if left <= 0:
            self.remove()
        else:
            self.stack = replace(self.stack, count=left)
            self.metadata_changed = True


def drop_at_block(world: World, at: tuple[int, int, int], stack: ItemStack) -> ItemEntity:
    """A stack that pops out of the middle of a cell, as broken blocks and their contents do."""
    chance = world.random
    half = 0.125
    item = ItemEntity(
        world,
        at[0] + 0.5 + chance.uniform(-0.25, 0.25),
        at[1] + 0.5 + chance.uniform(-0.25, 0.25) - half,
        at[2] + 0.5 + chance.uniform(-0.25, 0.25),
        stack,
    )
    item.vx, item.vy, item.vz = chance.uniform(-0.1, 0.1), 0.2, chance.uniform(-0.1, 0.1)
    world.add(item)
    return item


def drop_at(world: World, x: float, y: float, z: float, stack: ItemStack) -> ItemEntity:
    """A stack that falls where somebody died."""
    item = ItemEntity(world, x, y, z, stack)
    chance = world.random
    item.vx, item.vy, item.vz = chance.uniform(-0.1, 0.1), 0.2, chance.uniform(-0.1, 0.1)
    world.add(item)
    return item
