"""From what is wanted and what is carried to the list of things to do, in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from numen.llm.rehearsal.lore import BEYOND, OWN_PICKAXES, PICKAXES, RECIPES, SOURCES, Recipe, Source, belongs


@dataclass(frozen=True, slots=True)
class Gather:
    """Get `count` of `item` out of the ground or off a tree."""

    item: str
    source: Source
    count: int


@dataclass(frozen=True, slots=True)
class Craft:
    item: str
    count: int
    table: bool


@dataclass(frozen=True, slots=True)
class SetTable:
    """See to it that a crafting table is in reach."""


Task = Gather | Craft | SetTable


def recipe_of(item: str) -> Recipe | None:
    if item.endswith("_planks"):
        return Recipe({f"{item.removesuffix('_planks')}_log": 1}, gives=4, table=False)
    return RECIPES.get(item)


def source_of(item: str) -> Source | None:
    if item.endswith(("_log", "_stem")):
        return Source((item,))
    return SOURCES.get(item)


def tasks_for(
    wanted: Iterable[tuple[str, int]], carried: Mapping[str, int], *, table_near: bool
) -> list[Task]:
    """What has to be done to hold all of `wanted` at once. Empty when it is all there.

    Ingredients come before what is made of them; gathering the same thing in several places is one task. Of
    an item nobody here knows how to make or find, the task is to gather blocks of its name. Raises Lacking
    when some of it takes more than digging and crafting.
    """
    plan = _Plan(Counter(carried), table_near)
    for item, count in wanted:
        plan.need(item, count)
    if plan.lacking:
        raise Lacking(plan.lacking)
    return plan.merged()


class Lacking(Exception):
    """What is needed and cannot be got by digging and crafting, and how much of each."""

    def __init__(self, items: Mapping[str, int]) -> None:
        super().__init__(", ".join(items))
        self.items = dict(items)


class _Plan:
    def __init__(self, stock: Counter[str], table_near: bool) -> None:
        self.lacking: Counter[str] = Counter()
        self._stock = stock
        self._carried = dict(stock)
        self._table = table_near
        self._tasks: list[Task] = []

    def need(self, item: str, count: int) -> None:
        count -= self._take(item, count)
        if count <= 0:
            return
        recipe = recipe_of(item)
        if recipe is not None:
            rounds = -(-count // recipe.gives)
            for ingredient, each in recipe.needs.items():
                self.need(ingredient, each * rounds)
            if recipe.table:
                self._set_table()
            self._tasks.append(Craft(item, rounds * recipe.gives, recipe.table))
            self._stock[item] += rounds * recipe.gives - count
            return
        source = source_of(item) or Source((item,))
        if item in BEYOND or not self._can_dig(source):
            self.lacking[item] += count
            return
        if source.pickaxe is not None:
            self._pickaxe(source.pickaxe)
        self._tasks.append(Gather(item, source, count))

    def merged(self) -> list[Task]:
        """The tasks with equal ones joined at the first of them:

        one trip to the trees, one heap of planks.
        """
        out: list[Task] = []
        for task in self._tasks:
            at = next((n for n, each in enumerate(out) if _alike(each, task)), None)
            first = out[at] if at is not None else None
            if at is None:
                out.append(task)
            elif isinstance(first, (Gather, Craft)) and isinstance(task, (Gather, Craft)):
                out[at] = replace(first, count=first.count + task.count)
        return out

    def _take(self, item: str, count: int) -> int:
        """Set aside up to `count` of it from the stock; returns how many there were."""
        taken = 0
        for name in [each for each in self._stock if belongs(each, item)]:
            part = min(self._stock[name], count - taken)
            self._stock[name] -= part
            taken += part
        return taken

    def _set_table(self) -> None:
        if self._table:
            return
        self._table = True
        self.need("crafting_table", 1)
        self._tasks.append(SetTable())

    def _can_dig(self, source: Source) -> bool:
        """Whether a pickaxe that is good enough is carried, or one that can be made."""
        if source.pickaxe is None or source.pickaxe in OWN_PICKAXES:
            return True
        return any(self._carried.get(each, 0) for each in PICKAXES[PICKAXES.index(source.pickaxe) :])

    def _pickaxe(self, weakest: str) -> None:
        """See to it that one at least that good is carried; using it takes nothing away."""
        enough = PICKAXES[PICKAXES.index(weakest) :]
        made = any(isinstance(each, Craft) and each.item in enough for each in self._tasks)
        if not made and not any(self._carried.get(each, 0) > 0 for each in enough):
            self.need(weakest, 1)


def _alike(one: Task, other: Task) -> bool:
    if isinstance(one, SetTable) or isinstance(other, SetTable):
        return one == other
    return type(one) is type(other) and one.item == other.item


def possible(item: str, carried: Mapping[str, int]) -> int:
    """How many of it can be crafted from what is carried; 0 for what has no recipe here."""
    recipe = recipe_of(item)
    if recipe is None:
        return 0
    rounds = min(
        sum(count for name, count in carried.items() if belongs(name, needed)) // each
        for needed, each in recipe.needs.items()
    )
    return rounds * recipe.gives
