"""Opening a block's menu and closing it."""

from __future__ import annotations

from numen.body.acts import Verdict, rest
from numen.body.containers import close_menu, open_container, opened, stand_still
from numen.rules.items import ItemStack
from tests.body.kit import Yard

CHEST = (2, 64, 0)
GENERIC_9X3 = 2


def chest_opens(yard: Yard, window: int = 1, items: dict[int, ItemStack] | None = None) -> None:
    """The server opens a chest with `items` by its slots."""
    yard.receive("open_window", windowId=window, inventoryType=GENERIC_9X3, windowTitle="Chest")
    slots = [ItemStack.to_slot((items or {}).get(slot)) for slot in range(63)]
    yard.receive("window_items", windowId=window, stateId=1, items=slots)


def test_a_chest_is_looked_at_clicked_and_awaited() -> None:
    yard = Yard({CHEST: "chest"})
    task = yard.start(open_container(yard.me, CHEST))
    yard.tick()
    yard.sent.expect("look")
    yard.sent.expect_nothing()
    yard.tick()
    click = yard.sent.expect("block_place", hand=0, location=CHEST, sequence=1, insideBlock=False)
    yard.sent.expect("arm_animation", hand=0)
    yard.sent.expect_nothing()
    assert all(0 <= click[axis] <= 1 for axis in ("cursorX", "cursorY", "cursorZ"))
    yard.tick(3)
    assert task.verdict is None
    yard.ack(1)
    chest_opens(yard, items={0: ItemStack.of("bread", 3)})
    yard.tick()
    assert task.verdict is not None
    assert task.verdict.data == {"kind": "generic_9x3", "title": "Chest", "slots": 27}
    assert yard.world.menu is not None
    assert yard.world.menu.slots[0] == ItemStack.of("bread", 3)


def test_a_click_that_came_to_nothing_is_repeated_once() -> None:
    yard = Yard({CHEST: "chest"})
    task = yard.start(open_container(yard.me, CHEST))
    yard.tick(60)
    assert len(yard.sent_of("block_place")) == 2
    chest_opens(yard)
    yard.tick()
    assert task.verdict is not None
    assert task.verdict.ok


def test_a_chest_that_stays_shut_is_reported() -> None:
    yard = Yard({CHEST: "chest"})
    verdict = yard.run(open_container(yard.me, CHEST))
    assert verdict.kind == "refused"
    assert "chest at (2, 64, 0) did not open" in verdict.message
    assert len(yard.sent_of("block_place")) == 2


def test_an_open_menu_is_closed_before_the_next_is_opened() -> None:
    yard = Yard({CHEST: "chest"})
    chest_opens(yard, window=7)
    yard.start(open_container(yard.me, CHEST))
    yard.tick()
    yard.sent.expect("close_window", windowId=7)
    yard.sent.expect("look")


def test_a_menu_is_closed_when_the_act_that_opened_it_is_cancelled() -> None:
    async def browse() -> Verdict:
        async with opened(yard.me, CHEST):
            await rest(100)
        return Verdict(True, "browsed")

    yard = Yard({CHEST: "chest"})
    yard.start(browse())
    yard.tick(2)
    chest_opens(yard, window=4)
    yard.tick()
    yard.sent.clear()
    yard.me.tasks.cancel()
    yard.sent.expect("close_window", windowId=4)
    yard.sent.expect_nothing()
    assert yard.world.menu is None


def test_closing_says_whether_anything_was_open() -> None:
    yard = Yard()
    assert not close_menu(yard.me)
    yard.sent.expect_nothing()
    chest_opens(yard)
    assert close_menu(yard.me)
    yard.sent.expect("close_window", windowId=1)


def test_a_walking_body_comes_to_rest_first() -> None:
    async def stop() -> Verdict:
        await stand_still(yard.me)
        return Verdict(True, "still")

    yard = Yard()
    yard.me.controls.forward = 1
    yard.tick(10)
    task = yard.start(stop())
    yard.tick(12)
    assert task.verdict is not None
    state = yard.me.state
    assert state is not None
    assert abs(state.vz) < 0.003


def test_a_chest_out_of_reach_is_not_clicked() -> None:
    yard = Yard({(9, 64, 0): "chest"})
    verdict = yard.run(open_container(yard.me, (9, 64, 0)))
    assert verdict.kind == "out_of_reach"
    assert not yard.sent_of("block_place")
