"""What a search may count with: a snapshot, so that the answer doesn't shift while it is worked out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from numen.rules.digging import can_harvest, dig_ticks
from numen.rules.items import ItemStack
from numen.world.inventory import CARRIED
from protocol.game import GAME, UnknownId

if TYPE_CHECKING:
    from numen.body.body import Body

#: Falls of this many blocks cost no health (vanilla 1.21.1: safe fall distance 3).
SAFE_DROP: Final = 3
#: Deeper than this even water isn't jumped into: what is down there can't be judged well.
WATER_DROP: Final = 20
FULL_AIR: Final = 300
#: A player with this much food or less can't sprint (vanilla 1.21.1).
_SPRINT_FOOD: Final = 6
#: Never spend the last blocks: coming back may need some.
_MOST_SPENT: Final = 128

#: What may be left behind in the terrain: common, solid, quick to dig again.
SPENDABLE: Final = tuple(
    f"minecraft:{name}"
    for name in (
        *("dirt", "cobblestone", "netherrack", "cobbled_deepslate", "coarse_dirt", "rooted_dirt"),
        *("stone", "andesite", "diorite", "granite", "tuff", "deepslate", "blackstone", "basalt"),
        *("end_stone", "sandstone", "mossy_cobblestone"),
    )
)


@dataclass(frozen=True)
class Avoid:
    """A sphere to keep out of, or to pay for entering."""

    x: float
    y: float
    z: float
    radius: float
    #: Ticks for each step inside; None forbids it.
    ticks: float | None = None


def no_digging(state: int) -> float | None:
    """The `dig_ticks` of a body that digs nothing."""
    return None


class Tools:
    """Dig times with the best of some stacks; equal for equal tools, so that what was priced stays priced."""

    def __init__(
        self, stacks: Iterable[ItemStack | None], *, haste: int = 0, fatigue: int = 0, wasteful: bool = False
    ) -> None:
        kinds: dict[int, ItemStack] = {}
        for stack in stacks:
            if stack is not None and _is_tool(stack):
                kinds.setdefault(stack.item_id, stack)
        self._stacks: tuple[ItemStack | None, ...] = (None, *(kinds[item] for item in sorted(kinds)))
        self._haste = haste
        self._fatigue = fatigue
        self._wasteful = wasteful
        self._key = (tuple(sorted(kinds)), haste, fatigue, wasteful)

    @classmethod
    def of(cls, body: Body, *, wasteful: bool = False) -> Tools:
        """What a body carries just now, with the effects it is under."""
        me, inventory = body.world.me, body.world.inventory
        return cls(
            [inventory[slot] for slot in CARRIED],
            haste=max(me.effect_level("haste"), me.effect_level("conduit_power")),
            fatigue=me.effect_level("mining_fatigue"),
            wasteful=wasteful or me.creative,
        )

    @property
    def wasteful(self) -> bool:
        """Whether blocks that drop nothing with these tools may be dug too."""
        return self._wasteful

    def ruthless(self) -> Tools:
        """The same tools, used on whatever they break."""
        return Tools(self._stacks, haste=self._haste, fatigue=self._fatigue, wasteful=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tools) and other._key == self._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __call__(self, state: int) -> float | None:
        """Ticks to dig a state; None where these tools can't, or where it would drop nothing."""
        best: float | None = None
        for stack in self._stacks:
            if not self._wasteful and not can_harvest(state, stack):
                continue
            ticks = dig_ticks(state, stack, haste=self._haste, fatigue=self._fatigue)
            if ticks is not None and (best is None or ticks < best):
                best = ticks
        return best


def _is_tool(stack: ItemStack) -> bool:
    try:
        return GAME.item_by_id(stack.item_id).max_durability is not None
    except UnknownId:
        return False


@dataclass(frozen=True)
class Context:
    """The body's means and the caller's wishes."""

    #: Digging and placing may be used where walking doesn't lead on.
    may_dig: bool = False
    may_place: bool = False
    #: Whether it has the strength to sprint.
    sprints: bool = True
    #: Jumps over gaps.
    leaps: bool = True
    #: Swims under water, too; ticks for which the breath lasts now (300 when fresh, vanilla 1.21.1).
    dives: bool = True
    air: int = FULL_AIR
    #: Blocks it may fall without anything to catch it.
    max_drop: int = SAFE_DROP
    #: How many blocks it carries that it may leave behind in the terrain.
    spendable: int = 0
    #: Ticks to dig a block state with the best tool carried; None where it can't, or must not.
    dig_ticks: Callable[[int], float | None] = no_digging
    avoid: tuple[Avoid, ...] = ()
    #: Cells that must stay as they are.
    untouchable: frozenset[tuple[int, int, int]] = frozenset()

    @classmethod
    def of(
        cls,
        body: Body,
        *,
        may_dig: bool = False,
        may_place: bool = False,
        wasteful: bool = False,
        avoid: tuple[Avoid, ...] = (),
        untouchable: frozenset[tuple[int, int, int]] = frozenset(),
    ) -> Context:
        """What this body can do just now. `wasteful` also digs what drops nothing with the tools carried."""
        me = body.world.me
        inventory = body.world.inventory
        creative = me.creative
        stacks = [inventory[slot] for slot in CARRIED]
        spendable = sum(stack.count for stack in stacks if stack is not None and stack.name in SPENDABLE)
        return cls(
            may_dig=may_dig,
            may_place=may_place and spendable > 0,
            sprints=(me.food > _SPRINT_FOOD or creative) and me.effect_level("blindness") == 0,
            air=me.air,
            max_drop=drop_limit(me.health, creative),
            spendable=min(spendable, _MOST_SPENT),
            dig_ticks=Tools.of(body, wasteful=wasteful) if may_dig else no_digging,
            avoid=avoid,
            untouchable=untouchable,
        )


def drop_limit(health: float, creative: bool = False) -> int:
    """How deep a body may fall. Three blocks cost nothing, but with little life left it keeps a margin."""
    return SAFE_DROP if creative or health > 4 else SAFE_DROP - 1
