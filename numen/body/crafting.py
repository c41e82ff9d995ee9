"""Crafting by clicks, in the player's own 2x2 grid or at a crafting table.

What counts as crafted is what arrived in the inventory: that a result was clicked says nothing about its
delivery.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from numen.body.acts import ActFailed, ActStopped, Verdict, until
from numen.body.approach import go_where_visible
from numen.body.containers import close_menu, opened
from numen.body.inventory import item_named, short
from numen.body.prediction import BlockPos
from numen.body.reach import describe, visible
from numen.body.window import Window
from numen.rules import recipes
from numen.rules.items import ItemStack
from numen.world.inventory import CARRIED
from protocol.game import GAME, Item

if TYPE_CHECKING:
    from numen.body.body import Body

CRAFTING: Final = "minecraft:crafting"
#: A table within this many blocks is walked to; farther ones are only mentioned.
TABLE_RADIUS: Final = 16
_HINT_RADIUS: Final = 48
MAX_ROUNDS: Final = 16
_RESULT: Final = 0
_OWN_WIDTH: Final = 2
_TABLE_WIDTH: Final = 3
_RESULT_TICKS: Final = 40
_DELIVERY_TICKS: Final = 40
#: Results that are taken one by one.
_BY_HAND: Final = 4


async def craft(body: Body, item_name: str, count: int = 1) -> Verdict:
    """Craft at least `count` of an item. data: item, crafted, carrying; missing (sentences) when materials
    lack.

    An open crafting table is used, else the body's own grid when a recipe fits, else the nearest table within
    TABLE_RADIUS blocks, to which the body walks.
    """
    item = item_named(item_name)
    plan = _plan(body, item, count)
    inventory = body.world.inventory
    before = inventory.count(item.id)
    try:
        async with _grid(body, plan, item) as window:
            message, kind = await _rounds(body, window, item, before + count)
    except ActStopped as stop:
        stop.data.update(item=short(item.name), crafted=inventory.count(item.id) - before)
        raise
    crafted = inventory.count(item.id) - before
    data = {"item": short(item.name), "crafted": crafted, "carrying": inventory.count(item.id)}
    if crafted >= count:
        return Verdict(True, f"Crafted {crafted}x {short(item.name)}.", data)
    return Verdict(False, f"Crafted {crafted} of {count} {short(item.name)}: {message}", data, kind)


# -- what to make it of ----------------------------------------------------------------------------------


def _plan(body: Body, item: Item, count: int, grid: int | None = None) -> recipes.Plan:
    """How to make it from what is carried, in the own grid if that will do. Raises ActFailed when it can't
    be."""
    stock = _stock(body)
    own = recipes.plan(item.id, count, stock, grid=_OWN_WIDTH) if grid != _TABLE_WIDTH else None
    if own is not None and own.is_possible:
        return own
    best = recipes.plan(item.id, count, stock, grid=grid or _TABLE_WIDTH)
    if best is None:
        raise ActFailed(
            f"There is no crafting recipe for {short(item.name)}; it may be smelted, found or traded.",
            "bad_target",
        )
    if not best.is_possible:
        lines = missing(best)
        raise ActFailed(
            f"Not enough for {count}x {short(item.name)}; missing {', '.join(lines)}.",
            "no_material",
            {"missing": lines},
        )
    return best


def _stock(body: Body) -> Counter[int]:
    """What may be used up: main inventory and hotbar. What is worn or in the off hand stays there."""
    stock: Counter[int] = Counter()
    for slot in CARRIED:
        stack = body.world.inventory[slot]
        if stack is not None:
            stock[stack.item_id] += stack.count
    return stock


def missing(plan: recipes.Plan) -> list[str]:
    """``3x iron_ingot (have 1)`` for each ingredient there is too little of."""
    return [f"{each.needed}x {choice_name(each.items)} (have {each.held})" for each in plan.shortages]


def choice_name(items: Sequence[int]) -> str:
    """``iron_ingot``; ``planks (any)`` where several will do."""
    names = [short(GAME.item_by_id(item).name) for item in items]
    if len(names) == 1:
        return names[0]
    words = [name.split("_") for name in names]
    common: list[str] = []
    for column in zip(*(reversed(each) for each in words), strict=False):
        if len(set(column)) > 1:
            break
        common.insert(0, column[0])
    return f"{'_'.join(common)} (any)" if common else f"{names[0]} (or {names[1]})"


# -- where -----------------------------------------------------------------------------------------------


@asynccontextmanager
async def _grid(body: Body, plan: recipes.Plan, item: Item) -> AsyncIterator[Window]:
    """A window with a grid big enough. What is left in it is given back at the end, whatever happens."""
    menu = body.world.menus.open
    if menu is not None and menu.kind == CRAFTING and menu.ready:
        window = Window(body)
        try:
            yield window
        finally:
            # closing is the one way to get everything back that needs no more ticks
            if window.open and _leftovers(window):
                close_menu(body)
    elif plan.recipe.fits_2x2:
        close_menu(body)
        window = Window(body)
        try:
            yield window
        finally:
            if body.online and (_leftovers(window) or window.cursor is not None):
                body.link.send("close_window", windowId=0)
    else:
        table = await _find_table(body, item)
        await go_where_visible(body, table)
        async with opened(body, table):
            yield Window(body)


async def _find_table(body: Body, item: Item) -> BlockPos:
    states = frozenset({GAME.block("crafting_table").default_state})
    search = body.world.search_blocks(states, body.eye, _HINT_RADIUS, 8)
    tables = [(x, y, z) for x, y, z, _ in await body.think(search)]
    for pos in tables:
        if visible(body, pos) is not None:
            return pos
    x, y, z = body.position
    if tables:
        nearest = tables[0]
        distance = max(abs(nearest[0] - x), abs(nearest[1] - y), abs(nearest[2] - z))
        if distance <= TABLE_RADIUS:
            return nearest
        hint = f"the nearest one known is at {describe(nearest)}; go there first"
        raise ActFailed(
            f"{short(item.name)} needs a crafting table: {hint}.",
            "needs_table",
            {"x": nearest[0], "y": nearest[1], "z": nearest[2]},
        )
    own = body.world.inventory.count(GAME.item("crafting_table").id)
    hint = "place the one you carry" if own else "craft one from 4 planks and place it"
    raise ActFailed(f"{short(item.name)} needs a crafting table and none is near; {hint}.", "needs_table")


# -- how -------------------------------------------------------------------------------------------------


async def _rounds(body: Body, window: Window, item: Item, target: int) -> tuple[str, str]:
    """Craft until `target` of the item are carried; otherwise why not, and the kind of failure."""
    inventory = body.world.inventory
    for _ in range(MAX_ROUNDS):
        wanted = target - inventory.count(item.id)
        if wanted <= 0:
            return "", ""
        try:
            plan = _plan(body, item, wanted, _grid_width(window))
        except ActFailed as failure:
            if inventory.count(item.id) == target - wanted:
                raise
            return failure.message, failure.kind
        room = inventory.room_for(ItemStack(item.id, 1)) // plan.recipe.result_count
        if room <= 0:
            return "the inventory is full; drop or store something first.", "full"
        batch = plan.batches[0]
        stacks = [GAME.item_by_id(each).stack_size for each in batch.cells if each is not None]
        await _round(body, window, item, batch, min(batch.times, room, *stacks))
    return f"that is as much as {MAX_ROUNDS} rounds give; order the rest again.", "timeout"


async def _round(body: Body, window: Window, item: Item, batch: recipes.Batch, times: int) -> None:
    """Lay a recipe out `times` times, take everything, and wait until it is in the inventory."""
    inventory = body.world.inventory
    had = inventory.count(item.id)
    await window.stow()
    for ingredient, cells in _layout(batch, window).items():
        await _lay(body, window, ingredient, cells, times)

    def offered() -> bool:
        stack = window.slots[_RESULT]
        return stack is not None and stack.item_id == item.id

    if not await until(offered, _RESULT_TICKS):
        await _take_back(window)
        raise ActFailed(
            f"The server offers no {short(item.name)} for this layout; its recipes may be others.", "refused"
        )
    await _take(window, times, offered)
    await until(lambda: inventory.count(item.id) > had, _DELIVERY_TICKS)
    await window.confirm()
    if inventory.count(item.id) <= had:
        raise ActFailed(f"The {short(item.name)} did not arrive in the inventory.", "refused")
    await _take_back(window)


async def _take(window: Window, times: int, offered: Callable[[], bool]) -> None:
    """Take the results: a few from the own grid one by one onto the cursor, else all by one shift-click.

    Where a shift-click in the own window puts things is not the same on every server.
    """
    result = window.slots[_RESULT]
    few = result is not None and times <= _BY_HAND and times * result.count <= result.max_stack
    if window.id != 0 or not few:
        window.quick_move(_RESULT)
        return
    for _ in range(times):
        if not await until(offered, _RESULT_TICKS):
            break
        window.left(_RESULT)
        await window.turn()
    await window.stow()


def _layout(batch: recipes.Batch, window: Window) -> dict[int, list[int]]:
    """Item id -> the grid slots it goes to, once each."""
    width = _grid_width(window)
    cells: dict[int, list[int]] = {}
    for index, ingredient in enumerate(batch.cells):
        if ingredient is not None:
            y, x = divmod(index, batch.width)
            cells.setdefault(ingredient, []).append(1 + x + y * width)
    return cells


async def _lay(body: Body, window: Window, ingredient: int, cells: list[int], times: int) -> None:
    """Put `times` of an ingredient into each of `cells`: take up a stack, drop one a right click, put the
    rest back.

    A cell that can take the whole stack gets it by one left click.
    """
    for cell in cells:
        need = times
        while need > 0:
            source = _source(body, window, ingredient)
            window.left(source)
            await window.turn()
            carried = window.cursor
            if carried is None or carried.item_id != ingredient:
                raise ActFailed("The server didn't let a stack be taken up.", "refused")
            if carried.count <= need:
                need -= carried.count
                window.left(cell)
                await window.turn()
                continue
            for _ in range(need):
                window.right(cell)
                await window.turn()
            need = 0
            window.left(source)
            await window.turn()


def _source(body: Body, window: Window, ingredient: int) -> int:
    """The slot of the window with the smallest carried stack of an ingredient: small rests go first."""
    inventory = body.world.inventory
    shown = [
        (stack.count, slot)
        for own in inventory.find(ingredient)
        if (slot := window.slot_of(own)) is not None and (stack := inventory[own]) is not None
    ]
    if not shown:
        raise ActFailed(f"The {short(GAME.item_by_id(ingredient).name)} ran out.", "no_material")
    return min(shown)[1]


async def _take_back(window: Window) -> None:
    """Return what is still in the grid: buckets of a cake, the rest of a refused layout."""
    for slot in _leftovers(window):
        window.quick_move(slot)
        await window.turn()


def _leftovers(window: Window) -> list[int]:
    width = _grid_width(window)
    return [slot for slot in range(1, 1 + width * width) if window.slots[slot] is not None]


def _grid_width(window: Window) -> int:
    return _OWN_WIDTH if window.id == 0 else _TABLE_WIDTH
