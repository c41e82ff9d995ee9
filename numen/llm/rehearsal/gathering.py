"""Getting things: look, dig, craft, set up a table, and think again after each step.

Each move is decided anew from what is carried now, so a failure in the middle changes the plan by itself.
What keeps failing without anything gained is tried in other ways: other trees, another place, another cell;
then it is given up with the reason.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import Any, assert_never

from numen.llm.rehearsal.grammar import Have
from numen.llm.rehearsal.lore import PICKAXES, bare, belongs, counted, is_name, spoken_name
from numen.llm.rehearsal.moves import Call, GiveUp, Move
from numen.llm.rehearsal.recipe_plan import Craft, Gather, Lacking, SetTable, possible, recipe_of, tasks_for
from numen.llm.rehearsal.sayings import listed, say
from numen.llm.rehearsal.story import CHANGING, Status, Step, Story, read_position, read_status

RADII = (24, 48, 96)
"""How far blocks are looked for, nearest first: a near scan is quick."""

PLACES = 5
"""Places that are tried before something is given up as not to be found."""

FAILURES = 4
"""Failures without anything gained, after which a task is given up."""

STRIDE = 28
"""Blocks between two places that are searched."""

TOO_FAR = 40
"""What lies farther away than this is walked to before it is dug."""

TABLE_NEAR = 12
"""A table this near is used; crafting walks up to it."""

CELLS = tuple(
    sorted(
        ((x, y, z) for x in range(-2, 3) for y in (0, 1, -1) for z in range(-2, 3) if (x, z) != (0, 0)),
        key=lambda cell: (abs(cell[1]), math.hypot(cell[0], cell[2]), cell),
    )
)
"""Where a table is tried, around the feet."""


MISSING = re.compile(r"(\d+)x (?:minecraft:)?([a-z0-9_]+)")
"""How the tool for crafting names a thing that is missing."""


def next_gathering_move(story: Story, at: int, language: str, wanted: Iterable[Have]) -> Move | None:
    """The next move towards having all of `wanted`; None when it is all there.

    `at` is when the job was asked for. Raises GiveUp.
    """
    return _Gathering(story, at, language).next(list(wanted))


class _Gathering:
    def __init__(self, story: Story, at: int, language: str) -> None:
        self._story = story
        self._language = language
        self._steps = story.since(at)
        self._first = next((step for step in self._steps if step.name == "get_self_status" and step.ok), None)
        # What went before the last gain is no reason to give up.
        gains = [n for n, step in enumerate(self._steps) if _gained(step)]
        self._barren = self._steps[gains[-1] + 1 :] if gains else self._steps

    def next(self, wanted: list[Have]) -> Move | None:
        status = self._status()
        if isinstance(status, Call):
            return status
        for each in wanted:
            if not is_name(each.item):
                raise GiveUp(say("unknown", self._language, item=each.item))
        strange = next((each for each in wanted if each.made and recipe_of(each.item) is None), None)
        if strange is not None:
            return self._craft_unknown(strange, [each for each in wanted if each is not strange])
        goals = [(each.item, self._carried_at_first(each.item) + each.count) for each in wanted]
        try:
            tasks = tasks_for(goals, status.items, table_near=self._table_near(status))
        except Lacking as lacking:
            raise GiveUp(self._lacking(lacking.items.items())) from None
        opening = self._opening(wanted) if tasks else None
        if opening is not None:
            return opening
        if not tasks:
            return self._hold_what_was_made(wanted, status)
        task = tasks[0]
        match task:
            case Gather():
                return self._gather(task, status)
            case Craft():
                return self._craft(task, status)
            case SetTable():
                return self._set_table(status)
            case _:
                assert_never(task)

    # -- knowing

    def _status(self) -> Status | Call:
        """How things stand now, or the call that tells it."""
        if "get_self_status" not in self._story.tools:
            raise GiveUp(say("no_tool", self._language, tool="get_self_status"))
        for step in reversed(self._steps):
            if step.name == "get_self_status":
                if step.ok:
                    return read_status(step.data)
                return self._wait_or_give_up(step)
            if step.name in CHANGING:
                break
        return Call("get_self_status", {})

    def _wait_or_give_up(self, failed: Step) -> Call:
        """The body is not there just now: give it a moment, a few times."""
        in_a_row = takewhile(lambda step: step.name in ("get_self_status", "wait"), reversed(self._steps))
        tries = sum(step.name == "get_self_status" for step in in_a_row)
        last = self._steps[-1]
        if last.name == "wait" and last is not failed:
            return Call("get_self_status", {})
        if tries >= FAILURES or "wait" not in self._story.tools:
            raise GiveUp(say("no_status", self._language, why=failed.message))
        return Call("wait", {"seconds": 3, "reason": "the world"})

    def _opening(self, wanted: list[Have]) -> Call | None:
        """Once a job: read the skill for it, and look around."""
        skilled = "wood_and_tools" in self._story.system and any(each.made for each in wanted)
        if skilled and self._story.can("load_skill") and not self._did("load_skill"):
            return Call("load_skill", {"name": "wood_and_tools"})
        if self._story.can("look_around") and not self._did("look_around"):
            return Call("look_around", {})
        return None

    def _carried_at_first(self, item: str) -> int:
        if self._first is None:
            return 0
        items = read_status(self._first.data).items
        return sum(count for name, count in items.items() if belongs(name, item))

    def _table_near(self, status: Status) -> bool:
        """Whether a crafting table is known within reach of a short walk."""
        if status.position is None:
            return False
        for step in self._barren:
            if (
                step.name == "craft"
                and not step.ok
                and "table" in step.message
                and "none is near" in step.message
            ):
                return False
        return any(math.dist(place, status.position) <= TABLE_NEAR for place in self._tables())

    def _tables(self) -> list[tuple[int, int, int]]:
        """Tables we set or saw, in the whole story."""
        places: list[tuple[int, int, int]] = []
        for step in self._story.steps:
            if step.name == "place_block" and step.ok and "crafting_table" in str(step.args.get("block_id")):
                place = read_position(step.data) or read_position(step.args)
                if place is not None:
                    places.append(place)
            if step.name == "scan_blocks" and step.ok:
                places += [place for block, place in _blocks(step) if block == "crafting_table"]
        return places

    def _did(self, tool: str) -> bool:
        return any(step.name == tool for step in self._steps)

    def _failures(self, *tools: str) -> list[Step]:
        return [step for step in self._barren if step.name in tools and not step.ok]

    def _need_tool(self, tool: str) -> None:
        if tool not in self._story.tools:
            raise GiveUp(say("no_tool", self._language, tool=tool))

    # -- gathering

    def _gather(self, task: Gather, status: Status) -> Move:
        self._need_tool("mine")
        failed = self._failures("mine")
        if len(failed) >= FAILURES:
            raise GiveUp(failed[-1].message)
        if task.source.pickaxe is not None:
            hold = self._hold_a_pickaxe(status)
            if hold is not None:
                return hold
        if "scan_blocks" not in self._story.tools:
            return self._mine(task.source.blocks, task.count)
        scans = self._scans_here(task)
        if len(failed) >= 2 and not self._moved_since(failed[-1]):
            return self._walk_on(status, task)  # what is here cannot be had
        if not scans or (scans[-1].at < (failed[-1].at if failed else 0)):
            return self._scan(task, RADII[0])
        seen = _blocks(scans[-1])
        if not seen:
            radius = max(int(step.args.get("radius", 0)) for step in scans)
            wider = [each for each in RADII if each > radius]
            return self._scan(task, wider[0]) if wider else self._walk_on(status, task)
        nearest = seen[0][1]
        far = status.position is not None and math.dist(nearest, status.position) > TOO_FAR
        if far and "move_to" in self._story.tools and len(self._failures("move_to")) < FAILURES:
            return Call("move_to", {"x": nearest[0], "z": nearest[2]})
        kinds = list(dict.fromkeys(block for block, _ in seen))
        spoiled = {bare(str(each)) for step in failed for each in step.args.get("block_ids", [])}
        fresh = [kind for kind in kinds if kind not in spoiled] or kinds
        # One kind of tree at a time: mixed planks stack badly. Of rock and ore any kind will do.
        return self._mine(fresh[:1] if task.item == "log" else fresh, task.count)

    def _mine(self, blocks: Iterable[str], count: int) -> Call:
        return Call("mine", {"block_ids": [f"minecraft:{each}" for each in blocks], "count": min(count, 256)})

    def _scan(self, task: Gather, radius: int) -> Call:
        return Call(
            "scan_blocks",
            {"radius": radius, "block_ids": [f"minecraft:{each}" for each in task.source.blocks]},
        )

    def _scans_here(self, task: Gather) -> list[Step]:
        """Scans for this since the last walk."""
        walked = max((step.at for step in self._steps if step.name == "move_to"), default=0)
        wanted = set(task.source.blocks)
        return [
            step
            for step in self._steps
            if step.name == "scan_blocks"
            and step.ok
            and step.at > walked
            and wanted <= {bare(str(each)) for each in step.args.get("block_ids", [])}
        ]

    def _moved_since(self, step: Step) -> bool:
        return any(each.name == "move_to" and each.at > step.at for each in self._steps)

    def _walk_on(self, status: Status, task: Gather) -> Move:
        """Search somewhere else: around the place we began at, ever farther."""
        self._need_tool("move_to")
        walks = [step for step in self._barren if step.name == "move_to"]
        if len(walks) >= PLACES:
            failed = self._failures("mine")
            item = spoken_name(task.item, self._language)
            raise GiveUp(
                failed[-1].message
                if failed
                else say("not_found", self._language, item=item, radius=RADII[-1], places=len(walks) + 1)
            )
        x, _, z = status.position or (0, 0, 0)
        turn = math.tau * len(walks) / PLACES
        reach = STRIDE * (1 + len(walks) // 2)
        return Call(
            "move_to", {"x": x + round(reach * math.cos(turn)), "z": z + round(reach * math.sin(turn))}
        )

    # -- holding

    def _hold_a_pickaxe(self, status: Status) -> Call | None:
        """Take the best pickaxe in hand; whoever digs takes it by himself too, so one try is enough."""
        best = next((each for each in reversed(PICKAXES) if status.items.get(each, 0)), None)
        if best is None or status.held == best or "equip_item" not in self._story.tools:
            return None
        if self._failures("equip_item"):
            return None
        return Call("equip_item", {"item_id": f"minecraft:{best}"})

    def _hold_what_was_made(self, wanted: list[Have], status: Status) -> Call | None:
        """The tool that was asked for belongs in the hand."""
        tools = [
            each.item for each in wanted if each.made and each.item.endswith(("pickaxe", "axe", "sword"))
        ]
        if not tools or status.held in tools or status.held in PICKAXES or self._failures("equip_item"):
            return None
        if "equip_item" not in self._story.tools or not status.items.get(tools[-1], 0):
            return None
        return Call("equip_item", {"item_id": f"minecraft:{tools[-1]}"})

    # -- crafting

    def _craft(self, task: Craft, status: Status) -> Move:
        self._need_tool("craft")
        failed = self._failures("craft")
        if len(failed) >= FAILURES:
            raise GiveUp(failed[-1].message)
        item = task.item
        if item == "planks":
            logs = [name for name, count in status.items.items() if count and belongs(name, "log")]
            if logs:
                most = max(logs, key=lambda name: status.items[name])
                item = most.removesuffix("_log").removesuffix("_stem") + "_planks"
        able = possible(item, status.items)
        count = min(task.count, able) if able else task.count
        if failed and task.table:
            # Too far from the table, or its way is barred: stand beside it.
            place = read_position(failed[-1].data) or next(iter(reversed(self._tables())), None)
            if place is not None and "move_to" in self._story.tools and not self._moved_since(failed[-1]):
                return Call("move_to", {"x": place[0] + 1, "y": place[1], "z": place[2]})
        return Call("craft", {"item_id": f"minecraft:{item}", "count": count})

    def _craft_unknown(self, wish: Have, others: list[Have]) -> Move | None:
        """Nothing is known of how it is made: the tool may know, and if not it says what is missing."""
        self._need_tool("craft")
        own = [step for step in self._steps if step.name == "craft" and _is_for(step, wish.item)]
        if not own:
            return Call("craft", {"item_id": f"minecraft:{wish.item}", "count": wish.count})
        if own[-1].ok:
            return self.next(others) if others else None
        lines = own[-1].data.get("missing")
        found = [MISSING.match(str(line)) for line in (lines if isinstance(lines, list) else [])]
        items = [(bare(each.group(2)), int(each.group(1))) for each in found if each is not None]
        if items:
            raise GiveUp(self._lacking(items))
        item = spoken_name(wish.item, self._language)
        raise GiveUp(say("cannot_make", self._language, item=item))

    def _lacking(self, items: Iterable[tuple[str, int]]) -> str:
        what = listed([counted(count, item, self._language) for item, count in items], self._language)
        return say("lacking", self._language, what=what)

    def _set_table(self, status: Status) -> Move:
        self._need_tool("place_block")
        tried = [step for step in self._barren if step.name == "place_block" and not step.ok]
        if len(tried) >= 2 * FAILURES:
            raise GiveUp(tried[-1].message)
        x, y, z = status.position or (0, 0, 0)
        cells = [(x + dx, y + dy, z + dz) for dx, dy, dz in CELLS]
        if tried:
            named = tried[-1].data.get("nearby")
            offered = [read_position(each) for each in named] if isinstance(named, list) else []
            cells = [each for each in offered if each is not None] + cells
        refused = {read_position(step.args) for step in tried}
        for cell in cells:
            if cell not in refused:
                return Call(
                    "place_block",
                    {"block_id": "minecraft:crafting_table", **dict(zip("xyz", cell, strict=True))},
                )
        raise GiveUp(tried[-1].message)


def _is_for(step: Step, item: str) -> bool:
    return bare(str(step.args.get("item_id"))) == item


def _gained(step: Step) -> bool:
    """Whether the step brought the job further."""
    if step.name in ("craft", "place_block"):
        return step.ok
    if step.name == "mine":
        return step.ended and (step.ok or bool(step.data.get("gathered") or step.data.get("collected")))
    return False


def _blocks(step: Step) -> list[tuple[str, tuple[int, int, int]]]:
    """(block, place) of a scan, nearest first."""
    found: Any = step.data.get("blocks")
    out: list[tuple[str, tuple[int, int, int]]] = []
    for each in found if isinstance(found, list) else []:
        place = read_position(each) if isinstance(each, Mapping) else None
        if place is not None:
            out.append((bare(str(each.get("block"))), place))
    return out
