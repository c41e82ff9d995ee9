"""Every tool of the set, called as the model calls it, in the practice world."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tools.playing import Playing, playing


async def carried(here: Playing) -> dict[str, int]:
    status = await here.call("get_self_status")
    found: dict[str, int] = {}
    for each in status["inventory"]["items"]:
        found[each["item"].removeprefix("minecraft:")] = (
            found.get(each["item"].removeprefix("minecraft:"), 0) + each["count"]
        )
    return found


async def test_looking_at_itself_and_around(tmp_path: Path) -> None:
    async with playing(tmp_path) as here:
        await here.until(lambda: here.body.state and here.body.state.on_ground)
        status = await here.call("get_self_status")
        assert (status["hp"], status["hunger"], status["game_mode"]) == (20.0, 20, "survival")
        assert status["on_ground"]
        assert status["task"] is None

        around = await here.call("look_around", radius=4)
        rows = around["data"]["map"]
        assert len(rows) == 9
        assert rows[4][4] == "@"
        assert around["data"]["standing_on"] == "minecraft:grass_block"

        world = await here.call("get_world_info")
        assert world["dimension"] == "minecraft:overworld"
        assert world["is_bright_outside"] is True
        assert world["weather"] == "clear"


async def test_blocks_are_found_and_told_with_what_digging_them_takes(tmp_path: Path) -> None:
    async with playing(tmp_path) as here:
        found = await here.call("scan_blocks", radius=8, block_ids=["grass_block", "no_such_block"])
        assert found["total_found"] > 0
        nearest = found["blocks"][0]
        assert nearest["block"] == "minecraft:grass_block"

        told = await here.call("inspect_block", x=nearest["x"], y=nearest["y"], z=nearest["z"])
        assert told["estimated_mining_ticks"] == 18
        assert told["in_reach"]

        nothing = await here.call("scan_blocks", radius=8, block_ids=["diamond_ore"])
        assert nothing["total_found"] == 0
        assert "note" in nothing

        far = await here.call("inspect_block", x=100_000, y=64, z=0)
        assert far["loaded"] is False


async def test_an_unknown_name_is_answered_with_the_nearest(tmp_path: Path) -> None:
    async with playing(tmp_path) as here:
        answer = await here.call("craft", item_id="oak_plank")
        assert answer["success"] is False
        assert "oak_planks" in answer["message"]


async def test_walking_to_a_column_and_back_to_an_exact_cell(tmp_path: Path) -> None:
    async with playing(tmp_path) as here:
        x, y, z = here.body.feet
        end = await here.job("move_to", x=x + 6, z=z)
        assert end.status == "done"
        assert here.body.feet[0] == x + 6

        end = await here.job("move_to", x=x, y=y, z=z)
        assert end.status == "done"
        assert here.body.feet == (x, y, z)

        mixed = await here.call("move_to", x=1)
        assert mixed["success"] is False
        assert "x, y and z" in mixed["message"]


async def test_a_block_is_broken_picked_up_and_placed_again(tmp_path: Path) -> None:
    async with playing(tmp_path) as here:
        x, y, z = here.body.feet
        broken = await here.call("break_block", x=x + 2, y=y - 1, z=z)
        assert broken["success"], broken
        assert await carried(here) == {"dirt": 1}

        placed = await here.call("place_block", block_id="dirt", x=x + 2, y=y - 1, z=z)
        assert placed["success"], placed
        assert placed["data"]["block"].removeprefix("minecraft:") == "dirt"
        assert await carried(here) == {}

        again = await here.call("place_block", block_id="dirt", x=x + 2, y=y, z=z)
        assert again["success"] is False


async def test_from_logs_to_a_pickaxe_at_the_table(tmp_path: Path) -> None:
    async with playing(tmp_path) as here:
        await here.give("oak_log", 3)
        recipe = await here.call("lookup_recipe", item_id="wooden_pickaxe")
        assert recipe["recipes"][0]["needs_crafting_table"] is True

        assert (await here.call("craft", item_id="oak_planks", count=12))["data"]["crafted"] == 12
        assert (await here.call("craft", item_id="stick", count=4))["success"]
        without = await here.call("craft", item_id="wooden_pickaxe")
        assert without["success"] is False
        assert "crafting table" in without["message"].replace("_", " ")

        assert (await here.call("craft", item_id="crafting_table"))["success"]
        x, y, z = here.body.feet
        assert (await here.call("place_block", block_id="crafting_table", x=x + 2, y=y, z=z))["success"]
        assert (await here.call("craft", item_id="wooden_pickaxe"))["success"]
        assert (await here.call("equip_item", item_id="wooden_pickaxe"))["success"]
        status = await here.call("get_self_status")
        assert status["equipment"]["mainhand"]["item"] == "minecraft:wooden_pickaxe"


async def test_mining_counts_new_items(tmp_path: Path) -> None:
    async with playing(tmp_path) as here:
        await here.give("dirt", 5)
        end = await here.job("mine", block_ids=["grass_block", "dirt"], count=2)
        assert end.status == "done"
        assert (await carried(here))["dirt"] >= 7


async def test_dropping_and_collecting(tmp_path: Path) -> None:
    async with playing(tmp_path) as here:
        await here.give("cobblestone", 10)
        dropped = await here.call("drop_items", item_id="cobblestone", count=4)
        assert dropped["success"], dropped
        assert await carried(here) == {"cobblestone": 6}

        end = await here.job("collect_items", item_ids=["cobblestone"], radius=16)
        assert end.status == "done"
        assert await carried(here) == {"cobblestone": 10}


async def test_a_pig_is_found_killed_and_its_meat_eaten(tmp_path: Path) -> None:
    async with playing(tmp_path) as here:
        await here.give("iron_sword")
        here.body.talk.say("/summon pig")
        await here.until(lambda: any(each.kind == "minecraft:pig" for each in here.body.world.entities))
        seen = await here.call("scan_nearby_entities", radius=24, type_filter="passive")
        pig = next(each for each in seen["entities"] if each["type"] == "minecraft:pig")

        end = await here.job("attack", entity_ids=[pig["id"]])
        assert end.status == "done", end.message
        assert (await carried(here)).get("porkchop", 0) >= 1

        full = await here.call("eat_item", item_id="porkchop")
        assert full["success"] is False
        assert "ull" in full["message"]


async def test_one_job_at_a_time_and_how_to_end_it(tmp_path: Path) -> None:
    async with playing(tmp_path) as here:
        assert (await here.call("task_status"))["state"] == "idle"
        assert (await here.call("task_stop"))["success"] is False

        begun = await here.call("wait", seconds=60, reason="a test")
        task_id = begun["data"]["task_id"]
        assert (await here.call("task_status"))["task_id"] == task_id

        busy = await here.call("craft", item_id="stick")
        assert busy["success"] is False
        assert task_id in busy["message"]
        assert "task_stop" in busy["message"]

        wrong = await here.call("task_stop", task_id="t999")
        assert wrong["success"] is False
        assert (await here.call("task_stop", task_id=task_id))["success"]
        assert (await here.ended(task_id)).status == "stopped"


async def test_without_an_owner_there_is_nobody_to_follow(tmp_path: Path) -> None:
    async with playing(tmp_path) as here:
        assert (await here.call("get_owner_status"))["online"] is False
        assert (await here.call("follow"))["success"] is False


async def test_speaking_is_no_way_to_run_commands(tmp_path: Path) -> None:
    async with playing(tmp_path) as here:
        heard: list[str] = []
        here.sandbox.on_chat.append(lambda player, line: heard.append(line))
        assert (await here.call("say", text="/give Numen diamond 64"))["success"]
        await here.until(lambda: heard)
        assert heard == ["give Numen diamond 64"]
        assert await carried(here) == {}


async def test_a_plan_has_exactly_one_step_in_progress(tmp_path: Path) -> None:
    def step(text: str, status: str) -> dict[str, Any]:
        return {"content": text, "status": status, "priority": "high"}

    async with playing(tmp_path) as here:
        good = await here.call("todowrite", todos=[step("wood", "in_progress"), step("stone", "pending")])
        assert good["success"]
        bad = await here.call("todowrite", todos=[step("wood", "in_progress"), step("stone", "in_progress")])
        assert bad["success"] is False
        assert len(bad["data"]["todos"]) == 2


async def test_skills_are_read_by_name(tmp_path: Path) -> None:
    async with playing(tmp_path) as here:
        text = (await here.call("load_skill", name="wood_and_tools"))["text"]
        assert "crafting_table" in text
        unknown = await here.call("load_skill", name="wood")
        assert unknown["success"] is False
        assert "wood_and_tools" in unknown["data"]["available"]


@pytest.mark.parametrize("tool", ["get_self_status", "scan_blocks", "mine", "craft", "move_to"])
async def test_without_a_world_a_tool_fails_cleanly(tmp_path: Path, tool: str) -> None:
    arguments = {
        "scan_blocks": {"radius": 4, "block_ids": ["stone"]},
        "mine": {"block_ids": ["stone"], "count": 1},
        "craft": {"item_id": "stick"},
        "move_to": {"x": 1, "z": 1},
    }
    async with playing(tmp_path) as here:
        await here.sandbox.stop()
        await here.until(lambda: not here.companion.here)
        answer = await here.call(tool, **arguments.get(tool, {}))
        assert answer["success"] is False
        assert "not in a world" in answer["message"]
