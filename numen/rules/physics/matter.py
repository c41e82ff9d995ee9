"""What block states mean to a moving body: one table, computed once.

Lists and bytes are indexed by state id. They have one entry more than there are states: `UNLOADED` is -1 and
so finds the last entry, which is a full solid block.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from numen.rules.f32 import f32
from numen.rules.states import column
from protocol.game import GAME, Block

Box = tuple[float, float, float, float, float, float]

FULL_CUBE: tuple[Box, ...] = ((0.0, 0.0, 0.0, 1.0, 1.0, 1.0),)

#: Bits of `Matter.masks`.
SOLID = 1  # has collision boxes, or may have for some bodies
FULL = 2  # fills its cell
TALL = 4  # reaches into the cell above (fences, walls)
WATER = 8
LAVA = 16
INSIDE = 32  # does something to a body that is in its cell
GROUND = 64  # slippery, slow or bouncy to stand on
CLIMB = 128  # climbable, or an open trapdoor, which may be

#: vanilla 1.21.1: block properties `friction`, `speedFactor`, `jumpFactor`.
_FRICTION = {
    "slime_block": 0.8,
    "ice": 0.98,
    "packed_ice": 0.98,
    "frosted_ice": 0.98,
    "blue_ice": 0.989,
}
_SPEED_FACTOR = {"soul_sand": 0.4, "honey_block": 0.4}
_JUMP_FACTOR = {"honey_block": 0.5}
_INSIDE = frozenset({"cobweb", "sweet_berry_bush", "powder_snow", "bubble_column", "honey_block"})
CLIMBABLE = frozenset(
    {
        "ladder",
        "vine",
        "scaffolding",
        "weeping_vines",
        "weeping_vines_plant",
        "twisting_vines",
        "twisting_vines_plant",
        "cave_vines",
        "cave_vines_plant",
    }
)
#: Blocks that are under water whatever their properties say.
_ALWAYS_WET = frozenset({"kelp", "kelp_plant", "seagrass", "tall_seagrass", "bubble_column"})
#: Blocks whose boxes depend on who touches them or on where they stand.
DYNAMIC = frozenset({"scaffolding", "powder_snow", "bamboo", "pointed_dripstone"})

DEFAULT_FRICTION = f32(0.6)


@dataclass(frozen=True)
class Matter:
    """Physical properties by state id."""

    masks: bytes
    #: Collision boxes in cell coordinates; None where they have to be asked for (`collide.dynamic_boxes`).
    boxes: list[tuple[Box, ...] | None]
    #: Fluid states only: (amount 1..8, falling). A source has amount 8.
    fluids: dict[int, tuple[int, bool]]
    #: Only states that differ from the default.
    friction: dict[int, float]
    speed_factor: dict[int, float]
    jump_factor: dict[int, float]
    #: How much of the speed a landing gives back.
    bounce: dict[int, float]
    #: Fences, walls and gates: a body standing on one stands on the cell below its feet.
    posts: frozenset[int]
    #: Block name without namespace, for the few states with a mask bit that needs telling apart.
    special: dict[int, str]
    #: Blocks that stop falling in passing: climbable ones, webs, berry bushes.
    cushions: frozenset[int]
    #: States that stop flowing water.
    dams: bytes

    def mask(self, state: int) -> int:
        """The bits of a state; of a mod's block, of which nothing is known, those of a full cube."""
        return self.masks[state] if state < len(self.masks) else SOLID | FULL

    def is_dam(self, state: int) -> bool:
        """Whether a state stops flowing water."""
        return state >= len(self.dams) or self.dams[state] == 1


def _fluids(block: Block, name: str) -> list[tuple[int, int, bool] | None] | None:
    # (mask bit, amount 1..8, falling) of the fluid in each state of a block.
    if name in ("water", "lava"):
        bit = WATER if name == "water" else LAVA
        return [
            (bit, 8 - level if level < 8 else 8, level >= 8) for level in map(int, column(block, "level"))
        ]
    source = (WATER, 8, False)
    if name in _ALWAYS_WET:
        return [source] * (block.max_state - block.min_state + 1)
    if any(key == "waterlogged" for key, _ in block.properties):
        return [source if value == "true" else None for value in column(block, "waterlogged")]
    return None


def _is_dam(name: str, shape: tuple[Box, ...]) -> bool:
    # Blocks stop water by a big or cell-high shape; some thin ones are declared to.
    if name in ("cobweb", "bamboo_sapling", "ladder", "snow") or not shape:
        return name.endswith(("_sign", "_banner", "_pressure_plate"))
    return _is_big(shape)


@cache
def _is_big(shape: tuple[Box, ...]) -> bool:
    sizes = [max(b[i + 3] for b in shape) - min(b[i] for b in shape) for i in range(3)]
    return sum(sizes) / 3 >= 0.7291666666666666 or sizes[1] >= 1.0


def _solidity(shape: tuple[Box, ...]) -> tuple[int, tuple[Box, ...]]:
    # The mask bits of a shape, and its boxes.
    if shape == FULL_CUBE:
        return SOLID | FULL, FULL_CUBE
    if any(box[4] > 1.0 for box in shape):
        return SOLID | TALL, shape
    return SOLID if shape else 0, shape


@cache
def matter() -> Matter:
    """The table, built on the first call (a few tens of milliseconds)."""
    count = GAME.state_count
    masks = bytearray(count + 1)
    dams = bytearray(count + 1)
    boxes: list[tuple[Box, ...] | None] = [()] * (count + 1)
    fluids: dict[int, tuple[int, bool]] = {}
    friction: dict[int, float] = {}
    speed_factor: dict[int, float] = {}
    jump_factor: dict[int, float] = {}
    bounce: dict[int, float] = {}
    posts: set[int] = set()
    special: dict[int, str] = {}
    cushions: set[int] = set()

    for block in GAME.blocks:
        name = block.name.removeprefix("minecraft:")
        states = range(block.min_state, block.max_state + 1)
        liquid = _fluids(block, name)
        fixed = 0
        if name in _INSIDE:
            fixed |= INSIDE
        if name in CLIMBABLE:
            fixed |= CLIMB
        if name in _FRICTION:
            fixed |= GROUND
            friction.update(dict.fromkeys(states, f32(_FRICTION[name])))
        if name in _SPEED_FACTOR:
            fixed |= GROUND
            speed_factor.update(dict.fromkeys(states, f32(_SPEED_FACTOR[name])))
        if name in _JUMP_FACTOR:
            jump_factor.update(dict.fromkeys(states, f32(_JUMP_FACTOR[name])))
        if name == "slime_block" or name.endswith("_bed"):
            fixed |= GROUND
            bounce.update(dict.fromkeys(states, 1.0 if name == "slime_block" else f32(0.66)))
        if name.endswith(("_fence", "_wall", "_fence_gate")):
            posts.update(states)
        if name in CLIMBABLE or name in ("sweet_berry_bush", "cobweb"):
            cushions.update(states)
        opened = column(block, "open") if name.endswith("_trapdoor") else None
        dynamic = name in DYNAMIC
        # id of a shape: its mask, its boxes, whether it is a dam
        known: dict[int, tuple[int, tuple[Box, ...] | None, bool]] = {}

        for index, (state, shape) in enumerate(zip(states, GAME.shapes(block), strict=True)):
            found = known.get(id(shape))
            if found is None:
                bits, own = _solidity(shape)
                dam = _is_dam(name, shape)
                found = known[id(shape)] = (SOLID, None, dam) if dynamic else (bits, own, dam)
            mask, boxes[state], dams[state] = found
            mask |= fixed
            if liquid is not None and (fluid := liquid[index]) is not None:
                mask |= fluid[0]
                fluids[state] = fluid[1:]
            if opened is not None and opened[index] == "true":
                mask |= CLIMB
            if mask & (INSIDE | CLIMB):
                special[state] = name
            masks[state] = mask

    masks[count] = SOLID | FULL
    boxes[count] = FULL_CUBE
    dams[count] = 1
    return Matter(
        masks=bytes(masks),
        boxes=boxes,
        fluids=fluids,
        friction=friction,
        speed_factor=speed_factor,
        jump_factor=jump_factor,
        bounce=bounce,
        posts=frozenset(posts),
        special=special,
        cushions=frozenset(cushions),
        dams=bytes(dams),
    )
