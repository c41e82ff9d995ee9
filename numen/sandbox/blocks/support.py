"""What needs something to stand on or hang from: plants, torches, ladders, carpets. Without it they are
gone, and leave what they leave.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numen.rules.states import name_of
from numen.sandbox.blocks.breaking import vanish
from numen.sandbox.blocks.hooks import Behaviour, behave
from protocol.game import GAME, Block

if TYPE_CHECKING:
    from numen.sandbox.world import World

BlockPos = tuple[int, int, int]

_BEHIND = {"north": (0, 0, 1), "south": (0, 0, -1), "west": (1, 0, 0), "east": (-1, 0, 0)}

#: What plants grow on.
_SOIL = frozenset(
    {
        "grass_block",
        "dirt",
        "coarse_dirt",
        "rooted_dirt",
        "podzol",
        "mycelium",
        "farmland",
        "moss_block",
        "mud",
        "muddy_mangrove_roots",
    }
)
_FLOWERS = (
    *("dandelion", "poppy", "blue_orchid", "allium", "azure_bluet", "oxeye_daisy", "cornflower"),
    *("red_tulip", "orange_tulip", "white_tulip", "pink_tulip", "lily_of_the_valley"),
)
_SAPLINGS = tuple(
    f"{wood}_sapling" for wood in ("oak", "birch", "spruce", "jungle", "acacia", "dark_oak", "cherry")
)
_PLANTS = ("short_grass", "fern", *_FLOWERS, *_SAPLINGS)
_TALL_PLANTS = ("tall_grass", "large_fern", "sunflower", "lilac", "rose_bush", "peony")


def carries(state: int) -> bool:
    """Whether the top of a block is whole enough to stand things on."""
    return any(
        box[4] == 1.0 and box[0] <= 0.0 and box[2] <= 0.0 and box[3] >= 1.0 and box[5] >= 1.0
        for box in GAME.shape(state)
    )


def is_soil(state: int) -> bool:
    return name_of(state) in _SOIL


class Supported(Behaviour):
    """Goes when `holds` says that nothing holds it."""

    def holds(self, world: World, at: BlockPos, state: int) -> bool:
        return carries(world.block(at[0], at[1] - 1, at[2]))

    def neighbour_changed(self, world: World, at: BlockPos, state: int) -> None:
        if not self.holds(world, at, state):
            vanish(world, at)


class Plant(Supported):
    """Grows on soil."""

    def holds(self, world: World, at: BlockPos, state: int) -> bool:
        return is_soil(world.block(at[0], at[1] - 1, at[2]))


class TallPlant(Supported):
    """Two halves, the lower on soil."""

    def holds(self, world: World, at: BlockPos, state: int) -> bool:
        x, y, z = at
        lower = GAME.properties(state)["half"] == "lower"
        other = world.block(x, y + 1, z) if lower else world.block(x, y - 1, z)
        whole = GAME.block_of(other).id == GAME.block_of(state).id
        return whole and (not lower or is_soil(world.block(x, y - 1, z)))


class OnWall(Supported):
    """Hangs on the block behind it."""

    def holds(self, world: World, at: BlockPos, state: int) -> bool:
        dx, dy, dz = _BEHIND[GAME.properties(state)["facing"]]
        return carries(world.block(at[0] + dx, at[1] + dy, at[2] + dz))


class Torch(Supported):
    """Stands on anything with a middle: fences and walls too."""

    def holds(self, world: World, at: BlockPos, state: int) -> bool:
        below = GAME.shape(world.block(at[0], at[1] - 1, at[2]))
        return any(box[4] >= 1.0 and box[0] <= 0.4375 and box[3] >= 0.5625 for box in below)


class Cane(Supported):
    """Sugar cane: on itself, or on sand or soil."""

    def holds(self, world: World, at: BlockPos, state: int) -> bool:
        below = world.block(at[0], at[1] - 1, at[2])
        return is_soil(below) or name_of(below) in ("sugar_cane", "sand", "red_sand")


def register() -> None:
    """Put them into the table."""

    def named(*endings: str) -> list[str]:
        return [block.name for block in GAME.blocks if block.name.endswith(endings)]

    def lies(block: Block) -> bool:
        name = block.name.removeprefix("minecraft:")
        return name in (
            "snow",
            "repeater",
            "comparator",
            "redstone_wire",
            "rail",
            "powered_rail",
            "detector_rail",
        ) or (name.endswith(("_carpet", "_pressure_plate")))

    behave(lies, Supported())
    behave(_PLANTS, Plant())
    behave(_TALL_PLANTS, TallPlant())
    behave(named("wall_torch", "redstone_wall_torch", ":ladder", "_wall_sign", "_wall_banner"), OnWall())
    behave(["torch", "soul_torch", "redstone_torch"], Torch())
    behave(["sugar_cane"], Cane())
