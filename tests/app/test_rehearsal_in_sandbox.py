"""What a newcomer says first, to a rehearsal with a real body in the practice world."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from numen.agent.events import Answered, TurnFailed
from numen.app import companion_of
from numen.companion import Companion, CompanionEvent
from numen.config import CompanionConfig, Config, ServerConfig
from numen.sandbox.server import Sandbox, start_sandbox
from protocol.connection import Connection, connect
from protocol.game import GAME


class Yard:
    """One rehearsing companion, and what it said."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.companion: Companion
        self.said: list[str] = []
        self.failed: list[str] = []

    def report(self, event: CompanionEvent) -> None:
        if isinstance(event, Answered):
            self.said.append(event.text)
        elif isinstance(event, TurnFailed):
            self.failed.append(event.message)

    @property
    def at_work(self) -> bool:
        body = self.companion.body
        return self.companion.mind.busy or (body is not None and body.tasks.current is not None)

    async def hear(self, words: str) -> str:
        """Say it, and wait for the next answer."""
        before = len(self.said)
        assert self.companion.hear(words)
        while len(self.said) == before:
            assert not self.failed
            await asyncio.sleep(0.02)
        return self.said[-1]

    async def server(self, *commands: str) -> None:
        """Have the server do something, and wait until it is known."""
        assert self.companion.body is not None
        for each in commands:
            self.companion.body.talk.say(each)
        await asyncio.sleep(0.3)


@asynccontextmanager
async def yard(folder: Path, owner: str | None = "Steve") -> AsyncIterator[Yard]:
    sandbox = await start_sandbox(seed=1, world="flat", mobs=False, daylight_cycle=False, view_distance=3)
    here = Yard(sandbox)
    who = CompanionConfig(name="Numen", owner=owner)
    server = ServerConfig(port=sandbox.port, reconnect_for_s=0)
    here.companion = companion_of(Config(companions=(who,)), who, server, here.report, data=folder)
    life = asyncio.ensure_future(here.companion.live())
    try:
        while not here.companion.here:
            await asyncio.sleep(0.02)
        yield here
    finally:
        here.companion.leave()
        await life
        await sandbox.stop()


@asynccontextmanager
async def steve(here: Yard) -> AsyncIterator[Connection]:
    connection = await connect("127.0.0.1", here.sandbox.port, "Steve")
    connection.subscribe("login", lambda fields: None)
    try:
        while here.companion.world.players.by_name("Steve") is None:
            await asyncio.sleep(0.02)
        yield connection
    finally:
        connection.close()


REFUSALS = [
    (
        "craft a diamond sword",
        "[rehearsal] I give up on 1 diamond sword: "
        "I lack 2 diamonds, and a rehearsal does not know how to get that.",
    ),
    ("做一把钻石剑", "【排练】我放弃1 个钻石剑：我缺2 个钻石，排练不会弄到它。"),
    ("craft an iron pickaxe", "I lack 3 iron ingots, and a rehearsal does not know how to get that."),
    ("做一个铁桶", "我缺3 个铁锭，排练不会弄到它。"),
    ("craft an anvil", "I lack 3 iron blocks and 4 iron ingots, and a rehearsal does not know how"),
    ("craft a foozle", "a rehearsal does not know how to make foozle."),
    ("做一个飞船", "【排练】我放弃1 个飞船：我不知道“飞船”是什么。"),
    ("gather 3 diamonds", "I lack 3 diamonds, and a rehearsal does not know how to get that."),
    ("给我两个钻石", "我只有 0 个钻石。"),
    ("give me 2 diamonds", "I have only 0 diamonds."),
    ("kill the dragon", "I see no dragon within 48 blocks."),
    ("杀僵尸", "48 格内没有看到僵尸。"),
    ("what is love", "I am a rehearsal: plain rules, no language model."),
    ("今天吃什么", "我只是排练：按简单规则行事，没有语言模型。"),
]


async def test_what_it_cannot_do_it_says_in_one_plain_sentence(tmp_path: Path) -> None:
    async with yard(tmp_path) as here:
        for words, answer in REFUSALS:
            said = await here.hear(words)
            assert answer in said
            assert "minecraft:" not in said
            assert "argument" not in said

    assert len(here.said) == len(REFUSALS)


async def test_what_it_sees_are_blocks_place_time_and_beings(tmp_path: Path) -> None:
    async with yard(tmp_path) as here:
        await here.server("/summon pig 3 64 3", "/setblock 2 64 0 chest", "/time set 1000")
        english = await here.hear("what do you see?")
        chinese = await here.hear("你看到什么？")

    assert english.startswith("[rehearsal] I am at 0 64 0 in the plains, it is day and clear, with 20 health")
    assert "1 chest" in english
    assert "grass block underfoot" in english
    assert "Near me: 1 pig." in english
    assert "现在是白天，天晴" in chinese
    assert "附近：1 猪" in chinese


@pytest.mark.parametrize(
    ("owner", "words", "answer"),
    [
        (None, "come here", "[rehearsal] I cannot come: I serve nobody yet."),
        (None, "跟着我", "【排练】我去不了：我还没有主人。"),
        ("Steve", "come here", "[rehearsal] I cannot come: Steve is not on the server."),
        ("Steve", "过来", "【排练】我去不了：Steve 不在服务器上。"),
    ],
)
async def test_called_by_nobody_it_says_so_and_goes_on_with_its_job(
    owner: str | None, words: str, answer: str, tmp_path: Path
) -> None:
    async with yard(tmp_path, owner) as here:
        assert here.companion.hear("gather 5 dirt")
        while here.companion.body is None or here.companion.body.tasks.current is None:
            await asyncio.sleep(0.02)
        said = await here.hear(words)
        while len(here.said) < 2:
            await asyncio.sleep(0.02)

    assert said.startswith(answer)
    assert here.said[1].startswith("[rehearsal] Done: I have 5 dirt.")


@pytest.mark.parametrize(
    ("come", "follow", "give"),
    [("come here", "follow me", "give me 2 sticks"), ("过来", "跟着我", "给我两根木棍")],
)
async def test_it_comes_gives_and_follows_until_it_is_stopped(
    come: str, follow: str, give: str, tmp_path: Path
) -> None:
    async with yard(tmp_path) as here, steve(here):
        await here.server("/give Numen stick 3", "/tp Steve 6 64 6")
        came = await here.hear(come)
        gave = await here.hear(give)
        assert here.companion.world.inventory.count(GAME.item("stick").id) == 1
        follows = await here.hear(follow)
        body = here.companion.body
        assert body is not None
        assert body.tasks.current is not None
        here.companion.hear("停" if follow == "跟着我" else "stop")
        while here.at_work:
            await asyncio.sleep(0.02)

    english = come == "come here"
    assert ("I am with you" if english else "我到了") in came
    assert ("I dropped 2 sticks for you" if english else "我把 2 个木棍 扔给了你") in gave
    assert ("I follow you" if english else "我跟着你") in follows


@pytest.mark.parametrize("words", ["kill the pig", "杀猪"])
async def test_it_kills_what_it_is_told_to(words: str, tmp_path: Path) -> None:
    async with yard(tmp_path) as here:
        await here.server("/summon pig 3 64 3")
        said = await here.hear(words)

    assert said.startswith(("[rehearsal] Done: I killed 1 pig.", "【排练】完成：我打倒了 1 个猪。"))


@pytest.mark.parametrize("words", ["build a hut", "盖一间小屋"])
async def test_a_hut_has_walls_a_doorway_and_a_roof(words: str, tmp_path: Path) -> None:
    async with yard(tmp_path) as here:
        await here.server("/give Numen dirt 24")
        said = await here.hear(words)
        block = here.companion.world.block
        dirt = GAME.block("dirt").default_state
        walls = [block(x, y, z) for y in (64, 65) for x in (-1, 0, 1) for z in (-1, 0, 1) if (x, z) != (0, 0)]
        roof = [block(x, 66, z) for x in (-1, 0, 1) for z in (-1, 0, 1)]
        inside = [block(0, y, 0) for y in (64, 65)]
        doorway = [block(0, y, 1) for y in (64, 65)]

    assert said.startswith(
        ("[rehearsal] Done: I built a hut of 24", "【排练】完成：我用 24 个泥土盖了一间小屋")
    )
    assert walls.count(dirt) == 14
    assert roof == [dirt] * 9
    assert inside == doorway == [0, 0]
