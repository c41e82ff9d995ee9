"""Opening the menu of a block and closing it again.

Most failures of other clients come from being a hair out of reach, still walking, or having another window
open: so the body stops, closes what is open, turns to the block, checks the reach, clicks, waits, and tries
once more.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from numen.body import sight
from numen.body.acts import ActFailed, Verdict, next_tick, until
from numen.body.prediction import BlockPos
from numen.body.reach import describe, face_block
from numen.body.sight import Hit
from numen.world.menus import Menu

if TYPE_CHECKING:
    from numen.body.body import Body

#: Wait for the server to open the window, and then to tell its contents.
_OPEN_TICKS: Final = 50
_CONTENTS_TICKS: Final = 40
_TRIES: Final = 2
_STILL: Final = 0.003


async def open_menu(body: Body, pos: BlockPos) -> Menu:
    """Open the menu of the block at `pos` from where the body stands. Raises ActFailed.

    The menu is ready: its contents are known. Whoever opens it closes it with `close_menu`.
    """
    name = sight.block_name(body.block(*pos))
    await stand_still(body)
    close_menu(body)
    for _ in range(_TRIES):
        menu = await _try_open(body, pos)
        if menu is not None:
            return menu
    raise ActFailed(
        f"{name} at {describe(pos)} did not open; it may be locked, blocked from above or have no menu.",
        "refused",
        {"block": name},
    )


async def _try_open(body: Body, pos: BlockPos) -> Menu | None:
    hit = await face_block(body, pos)
    with body.watching("menu_opened") as opened:
        use_block(body, hit)
        if not await until(lambda: opened, _OPEN_TICKS):
            return None
    menu: Menu = opened[-1][0]
    await until(lambda: menu.ready or menu.closed, _CONTENTS_TICKS)
    if menu.ready and not menu.closed:
        return menu
    if not menu.closed:
        close_menu(body)
    return None


def close_menu(body: Body) -> bool:
    """Close the open menu. False when none was open."""
    menu = body.world.menus.open
    if menu is None:
        return False
    if body.online:
        body.link.send("close_window", windowId=menu.id)
    body.world.menus.close()
    return True


@asynccontextmanager
async def opened(body: Body, pos: BlockPos) -> AsyncIterator[Menu]:
    """``async with opened(body, pos) as menu``: open, and close in every case."""
    menu = await open_menu(body, pos)
    try:
        yield menu
    finally:
        if body.world.menus.open is menu:
            close_menu(body)


async def open_container(body: Body, pos: BlockPos) -> Verdict:
    """Open the menu at `pos` and leave it open. data: kind, title, slots."""
    menu = await open_menu(body, pos)
    kind = menu.kind.removeprefix("minecraft:")
    return Verdict(
        True,
        f"Opened {menu.title or kind} at {describe(pos)}.",
        {"kind": kind, "title": menu.title, "slots": menu.own_size},
    )


def use_block(body: Body, hit: Hit, hand: int = 0) -> int:
    """Right-click a block where `hit` says and swing. Returns the click's sequence."""
    sequence = body.next_sequence()
    x, y, z = hit.pos
    body.link.send(
        "block_place",
        hand=hand,
        location=hit.pos,
        direction=hit.face,
        cursorX=hit.point[0] - x,
        cursorY=hit.point[1] - y,
        cursorZ=hit.point[2] - z,
        insideBlock=False,
        sequence=sequence,
    )
    body.swing(hand)
    return sequence


async def stand_still(body: Body, ticks: int = 20) -> None:
    """Let go of the keys and wait until the body no longer slides."""
    body.controls.release()

    def slides() -> bool:
        state = body.state
        return state is not None and max(abs(state.vx), abs(state.vz)) > _STILL

    for _ in range(ticks):
        if not slides() and not body.sender.sneaking:
            return
        await next_tick()
