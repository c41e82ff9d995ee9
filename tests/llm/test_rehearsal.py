"""The rehearsal brain lives through its first day in a toy world, and says so when it cannot."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import pytest

from numen.agent import AgentEvent, Halt, Mind, Persona, ToolFinished, TurnEnded, TurnFailed
from numen.llm.messages import Completed, Request, TextDelta, UserMessage
from numen.llm.rehearsal import Rehearsal
from numen.llm.rehearsal.grammar import (
    Attack,
    Build,
    Come,
    Follow,
    Give,
    Greet,
    Have,
    Look,
    Speak,
    Stop,
    Wish,
    read_wishes,
)
from numen.session import MemorySession, Session
from numen.tool import ToolContext, ToolRegistry
from skills import SkillShelf
from tests.llm.toy_world import ToyWorld, forest

FIRST_DAY = "Make a wooden pickaxe and mine 3 cobblestone with it."
FIRST_DAY_ZH = "做一把木镐，再用它挖 3 块圆石。"


class Day:
    """A rehearsing mind in a toy world."""

    def __init__(
        self,
        blocks: dict[tuple[int, int, int], str] | None = None,
        *,
        fail: Callable[[str], str | None] = lambda tool: None,
        without: tuple[str, ...] = (),
        session: Session | None = None,
    ) -> None:
        self.said: list[str] = []
        self.events: list[AgentEvent] = []
        self.world = ToyWorld(
            forest(1) if blocks is None else blocks,
            notify=lambda event: self.mind.notify(event),
            fail=fail,
            without=without,
        )
        registry = ToolRegistry()
        for each in self.world.tools():
            registry.register(each)
        self.mind = Mind(
            persona=Persona(companion="Numen", owner="Steve"),
            provider=Rehearsal(),
            registry=registry,
            context=ToolContext(companion="Numen"),
            session=session or MemorySession(),
            speak=self.said.append,
            emit=self.events.append,
            stop_body=lambda reason: self.world.finish(),
            shelf=SkillShelf(None),
        )
        self.mind.start()

    async def live(self, words: str | None = None) -> str:
        """Say something, then let time pass until nothing goes on any more; returns the last words."""
        if words is not None:
            assert self.mind.hear(words)
        for _ in range(100_000):
            await asyncio.sleep(0)
            if not self.mind.busy and (self.world.job is None or self.world._hold or self._following()):
                break
        assert not self.mind.busy
        assert not [each for each in self.events if isinstance(each, TurnFailed)], self.events[-3:]
        assert all(
            each.how in ("answered", "waiting", "halted")
            for each in self.events
            if isinstance(each, TurnEnded)
        )
        return self.said[-1] if self.said else ""

    def _following(self) -> bool:
        last = [each for each in self.world.log if each in ("follow", "task_stop", "mine")]
        return bool(last) and last[-1] == "follow"


@pytest.mark.parametrize(
    ("words", "report"),
    [
        (FIRST_DAY, "[rehearsal] Done: I hold a wooden pickaxe and I have 3 cobblestone."),
        (FIRST_DAY_ZH, "【排练】完成：我拿着木镐，我有 3 个圆石。"),
    ],
)
async def test_the_first_day_ends_with_a_pickaxe_and_three_cobblestone(words: str, report: str) -> None:
    day = Day()

    assert (await day.live(words)).startswith(report)

    assert day.world.items["cobblestone"] == 3
    assert day.world.items["wooden_pickaxe"] == 1
    assert day.world.held == "wooden_pickaxe"
    assert len(day.said) == 1, "one report, no chatter"
    assert all(each.ok for each in day.events if isinstance(each, ToolFinished))
    assert len(day.world.log) <= 26
    assert {"look_around", "scan_blocks", "load_skill", "place_block", "equip_item"} <= set(day.world.log)


@pytest.mark.parametrize("seed", range(40))
async def test_the_first_day_is_lived_through_in_any_forest_whatever_fails_now_and_then(seed: int) -> None:
    chance = random.Random(seed)
    share = chance.choice([0.0, 0.1, 0.2])
    row: list[str] = []

    def fail(tool: str) -> str | None:
        # Now and then, never for long: what fails for good is another test.
        if chance.random() < share and row[-2:] != [tool, tool]:
            row.append(tool)
            return f"{tool} did not work this time ({len(row)})"
        row.append("")
        return None

    day = Day(forest(seed, trees=3, nearest=chance.choice([4, 25, 29])), fail=fail)
    carried = chance.choice([{}, {"birch_log": 2}, {"oak_planks": 5}, {"stick": 8, "oak_planks": 3}])
    day.world.items.update(carried)

    last = await day.live(FIRST_DAY)

    assert "Done" in last, last
    assert day.world.items["cobblestone"] >= 3
    assert day.world.items["wooden_pickaxe"] == 1


async def test_what_is_already_there_is_not_made_again() -> None:
    day = Day()
    day.world.items.update({"stone_pickaxe": 1})

    assert "I have 3 cobblestone" in await day.live("mine 3 cobblestone")
    assert "craft" not in day.world.log


async def test_stone_tools_are_made_from_nothing() -> None:
    day = Day()

    assert "I hold a stone pickaxe" in await day.live("craft a stone pickaxe")
    assert day.world.items["stone_pickaxe"] == 1


async def test_a_treeless_land_is_searched_in_several_places_and_then_given_up() -> None:
    day = Day({})

    last = await day.live(FIRST_DAY)

    assert last.startswith(
        "[rehearsal] I give up on 1 wooden pickaxe and 3 cobblestone: I found no log within 96"
    )
    assert day.world.log.count("move_to") == 5


async def test_trees_far_away_are_found_by_walking() -> None:
    far = {(x + 100, y, z): block for (x, y, z), block in forest(3).items()}

    assert "Done" in await Day(far).live(FIRST_DAY)


async def test_what_fails_for_good_is_given_up_with_its_own_reason() -> None:
    day = Day(fail=lambda tool: "the table is cursed" if tool == "place_block" else None)

    assert (await day.live(FIRST_DAY)).endswith("the table is cursed")


@pytest.mark.parametrize("tool", ["get_self_status", "mine", "craft", "place_block"])
async def test_a_missing_tool_is_named(tool: str) -> None:
    last = await Day(without=(tool,)).live(FIRST_DAY)

    assert "give up" in last
    assert f"I have no tool {tool}" in last


@pytest.mark.parametrize(
    "tool", ["scan_blocks", "look_around", "load_skill", "equip_item", "task_stop", "say"]
)
async def test_tools_it_can_do_without_it_does_without(tool: str) -> None:
    day = Day(without=(tool,))

    assert "Done" in await day.live(FIRST_DAY)
    assert tool not in day.world.log


async def test_an_occupied_cell_is_answered_with_another() -> None:
    blocks = forest(1)
    day = Day(blocks)
    day.world.items.update({"oak_planks": 8, "stick": 4, "crafting_table": 1})
    day.world.blocks.update({(x, 64, z): "dirt" for x in (-1, 0, 1) for z in (-1, 0, 1)})

    assert "Done" in await day.live("craft a wooden pickaxe")


@pytest.mark.parametrize(
    ("words", "wishes"),
    [
        (FIRST_DAY, [Have("wooden_pickaxe", 1, made=True), Have("cobblestone", 3)]),
        (FIRST_DAY_ZH, [Have("wooden_pickaxe", 1, made=True), Have("cobblestone", 3)]),
        ("come", [Come()]),
        ("Come here, please!", [Come()]),
        ("过来", [Come()]),
        ("follow me", [Follow()]),
        ("请跟着我", [Follow()]),
        ("stop", [Stop()]),
        ("停下！", [Stop()]),
        ("please gather 5 oak logs", [Have("oak_log", 5)]),
        ("get some wood", [Have("log", 4)]),
        ("砍三棵树", [Have("log", 3)]),
        ("帮我挖 12 个泥土", [Have("dirt", 12)]),
        ("craft 4 torches, then come", [Have("torch", 4, made=True), Come()]),
        ("做一个工作台", [Have("crafting_table", 1, made=True)]),
        ("attack the zombie", [Attack("zombie", 1)]),
        ("kill 2 pigs.", [Attack("pig", 2)]),
        ("杀僵尸", [Attack("zombie", 1)]),
        ("give me 3 sticks", [Give("stick", 3)]),
        ("给我两个火把", [Give("torch", 2)]),
        ("build a small hut", [Build()]),
        ("盖一间小木屋", [Build()]),
        ("做一把钻石剑", [Have("diamond_sword", 1, made=True)]),
        ("给我一些煤", [Give("coal", 4)]),
        ("what do you see?", [Look()]),
        ("你看到什么？", [Look()]),
        ("say hi", [Greet()]),
        ("你好", [Greet()]),
        ("say: the bridge is out", [Speak("the bridge is out")]),
        ("what is the meaning of life", []),
    ],
)
def test_sentences_are_understood(words: str, wishes: list[Wish]) -> None:
    assert read_wishes(words) == wishes


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("hi", "[rehearsal] Hello! I am only a rehearsal: plain rules, no model."),
        ("你好", "【排练】你好！我只是排练：按简单规则行事，没有接模型。"),
        ("say: the bridge is out", "[rehearsal] the bridge is out"),
        ("come", "[rehearsal] Done: I am with you. It took 2 tool calls."),
        ("follow me", "[rehearsal] I follow you. Say stop when it is enough."),
        ("stop", "[rehearsal] I stopped."),
        ("kill a pig", "[rehearsal] Done: I killed 1 pig. It took 2 tool calls."),
        ("attack the zombie", "[rehearsal] I give up on zombie: I see no zombie within 48 blocks."),
        ("give me 2 dirt", "[rehearsal] Done: I dropped 2 dirt for you. It took 4 tool calls."),
        ("give me a stick", "[rehearsal] I give up on 1 stick: I have only 0 sticks."),
        ("挖两块泥土", "【排练】完成：我有 7 个泥土。一共用了 5 次工具调用。"),
    ],
)
async def test_the_owner_is_answered_in_his_language(words: str, answer: str) -> None:
    day = Day({(3, 63, 0): "dirt", (4, 63, 0): "dirt"})
    day.world.mobs = {7: "pig", 8: "cow"}
    day.world.items["dirt"] = 5

    assert await day.live(words) == answer


async def test_what_it_does_not_understand_it_says_honestly() -> None:
    assert "no language model" in await Day().live("write me a poem about the sea")


async def test_it_tells_what_it_sees_and_carries() -> None:
    day = Day({(3, 64, 0): "spruce_log"})
    day.world.items["stick"] = 2
    day.world.mobs = {7: "pig", 8: "pig"}

    assert await day.live("what do you see?") == (
        "[rehearsal] I am at 0 64 0, with 20 health and 18 hunger. I see 1 spruce log. Near me: 2 pig. "
        "I carry 2 sticks."
    )


@pytest.mark.parametrize("stop_takes_s", [0.0, 0.01])
async def test_a_new_order_ends_the_old_job_first(stop_takes_s: float) -> None:
    day = Day()
    day.world.stop_takes_s = stop_takes_s
    day.world.hold_jobs()
    await day.live("gather 5 logs")
    assert day.world.job is not None
    day.world._hold = False

    last = await day.live("come")

    if stop_takes_s:
        assert day.said[0] == "[rehearsal] One moment: I end what I was doing first."
    assert last.startswith("[rehearsal] Done: I am with you.")
    assert day.world.items["oak_log"] == 0


async def test_a_question_in_the_middle_of_a_job_is_answered_and_the_job_goes_on() -> None:
    day = Day()
    day.world.hold_jobs()
    await day.live(FIRST_DAY)
    assert await day.live("hi") == "[rehearsal] Hello! I am only a rehearsal: plain rules, no model."
    day.world._hold = False
    day.world.finish("failed")

    assert "Done" in await day.live()


async def test_following_goes_on_until_the_next_order() -> None:
    day = Day()
    await day.live("follow me")
    assert day.world.job is not None

    last = await day.live("gather 1 log")
    assert "Done: I have 1 log" in last


async def test_after_stop_the_old_job_is_over() -> None:
    day = Day()
    day.world.hold_jobs()
    await day.live(FIRST_DAY)
    day.mind.halt(Halt.OWNER_STOP)
    day.world._hold = False
    before = len(day.world.log)

    assert "Hello" in await day.live("hi")
    assert len(day.world.log) == before


async def test_a_body_held_by_a_job_nobody_remembers_is_freed() -> None:
    day = Day()
    day.world.jobs, day.world.job = 7, "t7"

    assert "Done" in await day.live("gather 1 log")


async def test_the_job_is_taken_up_after_a_restart() -> None:
    session = MemorySession()
    day = Day(session=session)
    day.world.hold_jobs()
    await day.live(FIRST_DAY)

    again = Day(session=session)
    again.world.items.update({"oak_log": 3})

    assert "I have 5 logs" in await again.live("gather 2 logs")
    assert "Hello" in await again.live("hi")


async def test_it_answers_the_same_request_the_same_way_in_pieces() -> None:
    request = Request(system="", messages=(UserMessage(content="<query>hi</query>"),))

    async def answer() -> list[Any]:
        return [each async for each in Rehearsal().stream(request)]

    first, second = await answer(), await answer()

    assert first == second
    last = first[-1]
    assert isinstance(last, Completed)
    assert "".join(each.text for each in first if isinstance(each, TextDelta)) == last.message.content
    assert len(first) > 5
