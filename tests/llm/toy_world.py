"""A toy of Minecraft behind the real tool names: trees and rock at distances, recipes, one job at a time.

It knows nothing of packets; it only answers as the toolset does, so that a brain can be tried out in
milliseconds.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from numen.agent import Event
from numen.llm.rehearsal.lore import belongs
from numen.llm.rehearsal.recipe_plan import possible, recipe_of
from numen.tool import FunctionTool, TaskResult, ToolFailure, tool

DROPS = {"stone": "cobblestone", "coal_ore": "coal", "iron_ore": "raw_iron", "grass_block": "dirt"}
NEEDS_PICKAXE = {"stone", "coal_ore", "iron_ore", "cobblestone"}


def bare(name: str) -> str:
    return name.removeprefix("minecraft:")


class ToyWorld:
    """`blocks` maps cells to block names; `fail(tool)` may return a message to make a call fail."""

    def __init__(
        self,
        blocks: dict[tuple[int, int, int], str],
        *,
        notify: Callable[[Event], None],
        fail: Callable[[str], str | None] = lambda tool: None,
        without: tuple[str, ...] = (),
    ) -> None:
        self.blocks = dict(blocks)
        self.items: Counter[str] = Counter()
        self.held: str | None = None
        self.place = (0, 64, 0)
        self.job: str | None = None
        self.jobs = 0
        self.said: list[str] = []
        self.owner: tuple[int, int, int] | None = (20, 64, 5)
        self.mobs: dict[int, str] = {}
        self.dropped: Counter[str] = Counter()
        self.log: list[str] = []
        self.stop_takes_s = 0.01
        self._notify = notify
        self._fail = fail
        self._without = without
        self._hold = False

    def hold_jobs(self) -> None:
        """Let background jobs run until `finish`."""
        self._hold = True

    def finish(self, status: str = "stopped") -> None:
        if self.job is not None:
            self._end(self.job, TaskResult.cancelled("Stopped on request."), status)

    # -- the tools

    def tools(self) -> list[FunctionTool]:
        made: list[Callable[..., Any]] = [
            *(self.move_to, self.follow, self.mine, self.place_block, self.craft, self.equip_item),
            *(self.drop_items, self.attack, self.say, self.wait, self.get_self_status, self.get_owner_status),
            *(self.scan_nearby_entities, self.scan_blocks, self.look_around, self.task_stop, self.load_skill),
        ]
        return [self._wrapped(each) for each in made if each.__name__ not in self._without]

    def _wrapped(self, function: Callable[..., Any]) -> FunctionTool:
        made = tool(function)
        inner = made.function

        def run(**arguments: Any) -> Any:
            self.log.append(function.__name__)
            message = self._fail(function.__name__)
            if message is not None:
                raise ToolFailure(message)
            return inner(**arguments)

        made.function = run
        return made

    def move_to(self, x: int | None = None, y: int | None = None, z: int | None = None) -> TaskResult:
        """Walk."""

        def arrive() -> TaskResult:
            px, py, pz = self.place
            self.place = (px if x is None else x, py if y is None else y, pz if z is None else z)
            return TaskResult.ok("Arrived.")

        return self._begin("move_to", arrive)

    def follow(self, distance: int = 3) -> TaskResult:
        """Follow."""
        return self._begin("follow", lambda: TaskResult.ok(""), endless=True)

    def mine(self, block_ids: list[str], count: int) -> TaskResult:
        """Mine."""
        kinds = {bare(each) for each in block_ids}
        if kinds & NEEDS_PICKAXE and not any(each.endswith("pickaxe") for each in self.items):
            raise ToolFailure("that would drop nothing: it takes a pickaxe")

        def dig() -> TaskResult:
            near = sorted(
                (
                    cell
                    for cell, block in self.blocks.items()
                    if block in kinds and self._distance(cell) <= 48
                ),
                key=self._distance,
            )[:count]
            for cell in near:
                block = self.blocks.pop(cell)
                self.items[DROPS.get(block, block)] += 1
                self.place = (cell[0], 64, cell[2])
            data = {"gathered": len(near), "wanted": count}
            if len(near) < count:
                return TaskResult.fail(f"Gathered {len(near)} of {count}: none left within 48 blocks.", data)
            return TaskResult.ok(f"Gathered {count}.", data)

        return self._begin("mine", dig)

    def place_block(self, block_id: str, x: int, y: int, z: int) -> TaskResult:
        """Place."""
        name = bare(block_id)
        if not self.items[name]:
            raise ToolFailure(f"no {name} is carried")
        if (x, y, z) in self.blocks or y != 64:
            raise ToolFailure("occupied", {"nearby": [{"x": x + 2, "y": 64, "z": z}]})
        self.items[name] -= 1
        self.blocks[x, y, z] = name
        return TaskResult.ok(f"Placed {name}.", {"block": name, "x": x, "y": y, "z": z})

    def craft(self, item_id: str, count: int = 1) -> TaskResult:
        """Craft."""
        name = bare(item_id)
        recipe = recipe_of(name)
        if recipe is None:
            raise ToolFailure(f"{name} has no crafting recipe")
        tables = [cell for cell, block in self.blocks.items() if block == "crafting_table"]
        if recipe.table and not any(self._distance(cell) <= 16 for cell in tables):
            raise ToolFailure(f"{name} needs a crafting table and none is near; place one.")
        if possible(name, self.items) < 1:
            raise ToolFailure(f"{name}: something is missing")
        rounds = min(-(-count // recipe.gives), possible(name, self.items) // recipe.gives)
        for needed, each in recipe.needs.items():
            left = each * rounds
            for have in [item for item in self.items if belongs(item, needed)]:
                part = min(left, self.items[have])
                self.items[have] -= part
                left -= part
        self.items[name] += rounds * recipe.gives
        return TaskResult.ok(f"Crafted {rounds * recipe.gives} {name}.")

    def equip_item(self, item_id: str, slot: str | None = None) -> TaskResult:
        """Equip."""
        if not self.items[bare(item_id)]:
            raise ToolFailure("not carried")
        self.held = bare(item_id)
        return TaskResult.ok("held")

    def drop_items(self, item_id: str, count: int) -> TaskResult:
        """Drop."""
        part = min(count, self.items[bare(item_id)])
        self.items[bare(item_id)] -= part
        self.dropped[bare(item_id)] += part
        return TaskResult.ok(f"dropped {part}")

    def attack(self, entity_ids: list[int]) -> TaskResult:
        """Attack."""

        def fight() -> TaskResult:
            killed = [self.mobs.pop(each) for each in entity_ids if each in self.mobs]
            return (
                TaskResult.ok(f"Killed {', '.join(killed)}.")
                if killed
                else TaskResult.fail("None could be killed.")
            )

        return self._begin("attack", fight)

    def say(self, text: str) -> TaskResult:
        """Say."""
        self.said.append(text)
        return TaskResult.ok("said")

    def wait(self, seconds: int, reason: str | None = None) -> TaskResult:
        """Wait."""
        return self._begin("wait", lambda: TaskResult.ok("waited"))

    def get_self_status(self) -> dict[str, Any]:
        """Status."""
        x, y, z = self.place
        items = [{"slot": 36, "item": f"minecraft:{k}", "count": v} for k, v in self.items.items() if v]
        return {
            "hp": 20,
            "hunger": 18,
            "position": {"x": x + 0.5, "y": float(y), "z": z + 0.5},
            "block_position": {"x": x, "y": y, "z": z},
            "equipment": {"mainhand": {"item": f"minecraft:{self.held}", "count": 1}} if self.held else {},
            "inventory": {"items": items},
            "task": {"task_id": self.job, "task": "?"} if self.job else None,
        }

    def get_owner_status(self) -> dict[str, Any]:
        """Owner."""
        if self.owner is None:
            return {"online": False, "reason": "not on the server"}
        return {
            "online": True,
            "position": dict(zip("xyz", self.owner, strict=True)),
            "distance_to_me": self._distance(self.owner),
        }

    def scan_nearby_entities(self, radius: float, type_filter: str) -> dict[str, Any]:
        """Beings."""
        return {"entities": [{"id": i, "type": f"minecraft:{kind}"} for i, kind in self.mobs.items()]}

    def scan_blocks(self, radius: int, block_ids: list[str]) -> dict[str, Any]:
        """Scan."""
        kinds = {bare(each) for each in block_ids}
        found = sorted(
            (
                cell
                for cell, block in self.blocks.items()
                if block in kinds and self._distance(cell) <= radius
            ),
            key=self._distance,
        )
        listed = [
            {**dict(zip("xyz", cell, strict=True)), "block": f"minecraft:{self.blocks[cell]}"}
            for cell in found[:32]
        ]
        return {"blocks": listed, "total_found": len(found)}

    def look_around(self, radius: int = 8) -> TaskResult:
        """Look."""
        return TaskResult.ok("...\n.@.\n...")

    def task_stop(self, task_id: str | None = None) -> TaskResult:
        """Stop."""
        if self.job is None:
            raise ToolFailure("No job is running, so there is nothing to stop.")
        asyncio.get_running_loop().call_later(self.stop_takes_s, self.finish)
        return TaskResult.ok("being stopped")

    def load_skill(self, name: str, file: str | None = None) -> str:
        """Skill."""
        return f'<skill name="{name}">text</skill>'

    # -- jobs

    def _begin(self, task: str, work: Callable[[], TaskResult], *, endless: bool = False) -> TaskResult:
        if self.job is not None:
            raise ToolFailure(
                f"busy: {self.job} is still running. Wait for its task_finished event, or stop it."
            )
        self.jobs += 1
        job = self.job = f"t{self.jobs}"
        if not endless and not self._hold:
            asyncio.get_running_loop().call_soon(self._run, job, work)
        return TaskResult.accepted(job, task, f"{task} has begun as {job}.")

    def _run(self, job: str, work: Callable[[], TaskResult]) -> None:
        if self.job == job:
            self._end(job, work())

    def _end(self, job: str, result: TaskResult, status: str | None = None) -> None:
        self.job = None
        status = status or ("done" if result.success else "failed")
        self._notify(
            Event(kind="task_finished", text=result.to_json(), attrs={"task_id": job, "status": status})
        )

    def _near(self, kinds: set[str], radius: float) -> list[tuple[int, int, int]]:
        found = [cell for cell, block in self.blocks.items() if block in kinds]
        return sorted((cell for cell in found if self._distance(cell) <= radius), key=self._distance)

    def _distance(self, cell: tuple[int, int, int]) -> float:
        return math.dist(cell, self.place)


def forest(
    seed: int, *, trees: int = 12, nearest: int = 6, rock: bool = True
) -> dict[tuple[int, int, int], str]:
    """Trees of a few kinds, and rock in the ground somewhere."""
    chance = random.Random(seed)
    out: dict[tuple[int, int, int], str] = {}
    for _ in range(trees):
        x, z = chance.randint(nearest, 30) * chance.choice([1, -1]), chance.randint(-30, 30)
        kind = chance.choice(["oak_log", "birch_log"])
        out.update({(x, 64 + y, z): kind for y in range(4)})
    rx, rz = chance.randint(5, 40), chance.randint(-40, 40)
    out.update({(rx + n % 4, 62, rz + n // 4): "stone" for n in range(16)})
    return out
