"""Crafting: what a grid makes, and how to make a thing out of what one has.

A cell of a recipe takes any of several items (all planks, say), and cells choose for themselves: mixed planks
make a chest. The game's tables list one recipe a variant; they are joined here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from numen.rules.items import ItemStack
from protocol.game import GAME
from protocol.game import Recipe as Row

Choice = frozenset[int]
#: Items that leave another when used up in crafting (vanilla 1.21.1 `craftRemainder`).
_REMAINDERS = {
    "water_bucket": "bucket",
    "lava_bucket": "bucket",
    "milk_bucket": "bucket",
    "dragon_breath": "glass_bottle",
    "honey_bottle": "glass_bottle",
}


@dataclass(frozen=True)
class Recipe:
    """One way to make an item.

    `cells` are the ingredients row by row, `width` to a row; None is an empty cell. A shapeless recipe has
    its ingredients in any order and a width of 0. Each ingredient is the set of item ids that will do.
    """

    result_id: int
    result_count: int
    cells: tuple[Choice | None, ...]
    width: int

    @property
    def is_shapeless(self) -> bool:
        """Whether the ingredients may lie anywhere."""
        return self.width == 0

    @property
    def ingredients(self) -> Counter[Choice]:
        """How often each choice is needed for one crafting."""
        return Counter(cell for cell in self.cells if cell is not None)

    @property
    def fits_2x2(self) -> bool:
        """Whether the player's own grid is enough."""
        if self.is_shapeless:
            return len(self.cells) <= 4
        return self.width <= 2 and len(self.cells) <= 2 * self.width


@dataclass(frozen=True)
class Crafted:
    """What a grid makes: the result, and for each cell what stays there once one crafting is taken."""

    result: ItemStack
    remainders: tuple[ItemStack | None, ...]
    recipe: Recipe


@dataclass(frozen=True)
class Shortage:
    """An ingredient there is too little of: any of `items` (ids) will do, `held` of `needed` are there."""

    items: tuple[int, ...]
    needed: int
    held: int

    @property
    def missing(self) -> int:
        """How many more it takes."""
        return self.needed - self.held


@dataclass(frozen=True)
class Batch:
    """Some craftings of one kind: the item for each cell of a grid `width` wide, and how often to make it."""

    cells: tuple[int | None, ...]
    width: int
    times: int


@dataclass(frozen=True)
class Plan:
    """How to make an item, or, when `shortages` is not empty, what is missing for the best way there is."""

    recipe: Recipe
    batches: tuple[Batch, ...]
    shortages: tuple[Shortage, ...] = ()

    @property
    def is_possible(self) -> bool:
        """Whether everything is there."""
        return not self.shortages

    @property
    def crafts(self) -> int:
        """How often the result is taken."""
        return sum(batch.times for batch in self.batches)

    @property
    def makes(self) -> int:
        """How many items come out."""
        return self.crafts * self.recipe.result_count

    @property
    def uses(self) -> Counter[int]:
        """Items used up, by id."""
        used: Counter[int] = Counter()
        for batch in self.batches:
            for item in batch.cells:
                if item is not None:
                    used[item] += batch.times
        return used


class RecipeBook:
    """A set of crafting recipes to look things up in."""

    def __init__(self, recipes: Iterable[Recipe]) -> None:
        self._by_result: dict[int, list[Recipe]] = {}
        self._shaped: dict[tuple[int, tuple[bool, ...]], list[Recipe]] = {}
        self._shapeless: dict[int, list[Recipe]] = {}
        for recipe in recipes:
            self._by_result.setdefault(recipe.result_id, []).append(recipe)
            if recipe.is_shapeless:
                self._shapeless.setdefault(len(recipe.cells), []).append(recipe)
                continue
            self._add_shape(recipe)
            mirrored = _mirrored(recipe)
            if mirrored.cells != recipe.cells:
                self._add_shape(mirrored)

    def _add_shape(self, recipe: Recipe) -> None:
        key = (recipe.width, tuple(cell is not None for cell in recipe.cells))
        self._shaped.setdefault(key, []).append(recipe)

    @classmethod
    def of_rows(cls, rows: Iterable[Row]) -> RecipeBook:
        """A book of table rows, one an item variant."""
        return cls(_joined(rows))

    def recipes_for(self, item_id: int) -> tuple[Recipe, ...]:
        """The recipes that make an item."""
        return tuple(self._by_result.get(item_id, ()))

    def match(self, grid: Sequence[ItemStack | None], width: int) -> Crafted | None:
        """What a grid, row by row, makes; None for nothing."""
        recipe = self._find([stack.item_id if stack is not None else None for stack in grid], width)
        if recipe is None:
            return None
        return Crafted(
            ItemStack(recipe.result_id, recipe.result_count),
            tuple(remainder(stack) for stack in grid),
            recipe,
        )

    def _find(self, items: list[int | None], width: int) -> Recipe | None:
        cells, trimmed = _trim(items, width)
        if not cells:
            return None
        for recipe in self._shaped.get((trimmed, tuple(item is not None for item in cells)), ()):
            wanted = zip(recipe.cells, cells, strict=True)
            if all(choice is None or item in choice for choice, item in wanted):
                return recipe
        given = [item for item in cells if item is not None]
        for recipe in self._shapeless.get(len(given), ()):
            if _covers([cell for cell in recipe.cells if cell is not None], given):
                return recipe
        return None

    def plan(self, item_id: int, count: int, stock: Mapping[int, int], *, grid: int = 3) -> Plan | None:
        """How to make at least `count` of an item from a stock (item id → count) in a grid `grid` wide.

        Of several recipes the first possible one that uses least is taken, of several ingredients those there
        are most of; when none is possible, the plan says what is missing for the one that lacks least. None
        when nothing in this grid makes the item.
        """
        best: Plan | None = None
        for recipe in self.recipes_for(item_id):
            if grid < 3 and not recipe.fits_2x2:
                continue
            found = _plan(recipe, count, stock, grid)
            if best is None or _rank(found) < _rank(best):
                best = found
        return best


def remainder(stack: ItemStack | None) -> ItemStack | None:
    """What using up one of a stack in crafting leaves in its cell besides the rest of the stack."""
    if stack is None:
        return None
    name = _REMAINDERS.get(stack.name.removeprefix("minecraft:"))
    return ItemStack.of(name) if name is not None else None


@cache
def vanilla() -> RecipeBook:
    """The game's own recipes."""
    return RecipeBook.of_rows(GAME.recipes)


def match(grid: Sequence[ItemStack | None], width: int) -> Crafted | None:
    """What a grid of vanilla makes; see `RecipeBook.match`."""
    return vanilla().match(grid, width)


def recipes_for(item_id: int) -> tuple[Recipe, ...]:
    """Vanilla's recipes for an item."""
    return vanilla().recipes_for(item_id)


def plan(item_id: int, count: int, stock: Mapping[int, int], *, grid: int = 3) -> Plan | None:
    """How to make an item by vanilla's recipes; see `RecipeBook.plan`."""
    return vanilla().plan(item_id, count, stock, grid=grid)


# -- joining the variants of a recipe -----------------------------------------------------------------------


def _joined(rows: Iterable[Row]) -> list[Recipe]:
    # Rows that differ only in what lies in their cells are variants of one recipe.
    groups: dict[tuple[int, int, int, tuple[bool, ...]], list[tuple[int | None, ...]]] = {}
    for row in rows:
        if row.shape is not None:
            width = max(len(line) for line in row.shape)
            cells = tuple(cell for line in row.shape for cell in (*line, *[None] * (width - len(line))))
        else:
            width, cells = 0, tuple(row.ingredients or ())
        key = (row.result_id, row.result_count, width, tuple(cell is not None for cell in cells))
        groups.setdefault(key, []).append(cells)
    recipes = []
    for (result, count, width, _), variants in groups.items():
        choices = tuple(
            None if column[0] is None else frozenset(item for item in column if item is not None)
            for column in zip(*variants, strict=True)
        )
        recipes.append(Recipe(result, count, choices, width))
    return recipes


def _mirrored(recipe: Recipe) -> Recipe:
    width = recipe.width
    rows = [recipe.cells[i : i + width] for i in range(0, len(recipe.cells), width)]
    cells = tuple(cell for row in rows for cell in reversed(row))
    return Recipe(recipe.result_id, recipe.result_count, cells, width)


# -- matching -----------------------------------------------------------------------------------------------


def _trim(items: list[int | None], width: int) -> tuple[list[int | None], int]:
    # The grid without its empty rows and columns at the edges, and its new width.
    filled = [i for i, item in enumerate(items) if item is not None]
    if not filled:
        return [], 0
    left, right = min(i % width for i in filled), max(i % width for i in filled)
    top, bottom = min(i // width for i in filled), max(i // width for i in filled)
    cells = [items[y * width + x] for y in range(top, bottom + 1) for x in range(left, right + 1)]
    return cells, right - left + 1


def _covers(choices: list[Choice], items: list[int]) -> bool:
    # Whether the items can be dealt out so that each choice gets one it takes.
    if not items:
        return not choices
    first, rest = items[0], items[1:]
    tried: set[Choice] = set()
    for i, choice in enumerate(choices):
        if first in choice and choice not in tried:
            tried.add(choice)
            if _covers(choices[:i] + choices[i + 1 :], rest):
                return True
    return False


# -- planning -----------------------------------------------------------------------------------------------


def _rank(found: Plan) -> tuple[int, int, int]:
    # Smaller is better: what is missing, then what is used, then how often one has to craft.
    return sum(each.missing for each in found.shortages), sum(found.uses.values()), found.crafts


def _plan(recipe: Recipe, count: int, stock: Mapping[int, int], grid: int) -> Plan:
    crafts = -(-count // recipe.result_count)
    left = Counter({item: held for item, held in stock.items() if held > 0})
    batches: list[Batch] = []
    while crafts > 0:
        dealt = _deal(recipe, left)
        if dealt is None:
            return Plan(recipe, (), _shortages(recipe, -(-count // recipe.result_count), stock))
        need = Counter(item for item in dealt if item is not None)
        times = min(crafts, *(left[item] // used for item, used in need.items()))
        for item, used in need.items():
            left[item] -= used * times
        batches.append(_laid_out(recipe, dealt, grid, times))
        crafts -= times
    return Plan(recipe, tuple(batches))


def _deal(recipe: Recipe, stock: Counter[int]) -> tuple[int | None, ...] | None:
    """An item for each cell of one crafting, or None. Narrow choices first; one kind for all where it can."""
    left = stock.copy()
    dealt: list[int | None] = [None] * len(recipe.cells)
    for choice, number in sorted(recipe.ingredients.items(), key=lambda each: len(each[0])):
        places = [i for i, cell in enumerate(recipe.cells) if cell == choice]
        by_stock = sorted(choice, key=lambda item: (-left[item], item))
        if left[by_stock[0]] >= number:
            items = [by_stock[0]] * number
        else:
            items = [item for item in by_stock for _ in range(left[item])][:number]
        if len(items) < number:
            return None
        for place, item in zip(places, items, strict=True):
            dealt[place] = item
            left[item] -= 1
    return tuple(dealt)


def _laid_out(recipe: Recipe, dealt: tuple[int | None, ...], grid: int, times: int) -> Batch:
    cells: list[int | None] = [None] * (grid * grid)
    width = recipe.width or grid
    for i, item in enumerate(dealt):
        cells[i // width * grid + i % width] = item
    return Batch(tuple(cells), grid, times)


def _shortages(recipe: Recipe, crafts: int, stock: Mapping[int, int]) -> tuple[Shortage, ...]:
    left = Counter(dict(stock))
    found = []
    for choice, number in sorted(recipe.ingredients.items(), key=lambda each: len(each[0])):
        needed = number * crafts
        held = 0
        for item in sorted(choice, key=lambda item: -left[item]):
            taken = max(0, min(left[item], needed - held))
            left[item] -= taken
            held += taken
        if held < needed:
            found.append(Shortage(tuple(sorted(choice)), needed, held))
    return tuple(found)
