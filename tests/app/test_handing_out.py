"""`assets teleport`, `assets give`, `history` as commands in the game, where the companion has the rights."""

from __future__ import annotations

from pathlib import Path

from numen.agent.events import Answered
from numen.sandbox.server import start_sandbox
from numen.testing.endpoint import says
from protocol.game import GAME
from tests.app.test_companion import flat_world, living, player
from tests.app.test_talking_in_the_game import Ear, whisper
from tools.assets import book_of


async def test_things_are_given_and_places_gone_to(tmp_path: Path) -> None:
    sandbox = await flat_world()
    async with living(tmp_path, sandbox, says("Hello.")) as life:
        steve = await player(sandbox, "Steve")
        ear = Ear(steve)
        whisper(steve, "hello")
        await life.until(lambda: life.seen(Answered))
        life.body.talk.say("/summon pig 9 ~ 9")
        world = life.body.world
        await life.until(lambda: any(each.kind == "minecraft:pig" for each in world.entities))
        pig = next(each for each in world.entities if each.kind == "minecraft:pig")
        book = book_of(life.companion.mind.context)
        book.upsert({"category": "entities", "name": "Piggy", "entity_uuid": str(pig.uuid)})
        book.upsert({"category": "item", "name": "Water", "content_id": "minecraft:water"})
        book.upsert({"category": "item", "name": "Nothing", "content_id": "minecraft:no_such_thing"})

        whisper(steve, "mclawd assets give Water")
        await life.until(ear.heard("Gave Water (minecraft:water_bucket) to Steve."))
        there = next(each for each in sandbox.players if each.name == "Steve")
        bucket = GAME.item("water_bucket").id
        assert any(each and each.item_id == bucket for each in there.inventory.slots)
        whisper(steve, "mclawd assets give Nothing")
        await life.until(ear.heard("The server did not give Nothing: Unknown item"))
        whisper(steve, "mclawd assets teleport Piggy")
        await life.until(ear.heard("Steve is now with Piggy"))
        assert abs(there.x - pig.x) < 2
        assert abs(there.z - pig.z) < 2
        assert book.get("Piggy").entity_dimension == "minecraft:overworld"

        whisper(steve, "mclawd history")
        await life.until(ear.heard("[1/"))
        whisper(steve, "mclawd history 77")
        await life.until(ear.heard("There is no such page"))
        # The practice server knows no written books; the person is told so, and not that he has one.
        whisper(steve, "mclawd history book")
        await life.until(ear.heard("The server did not give the book"))
        whisper(steve, "mclawd history file")
        await life.until(ear.heard("The history is in"))
        steve.close()
    await sandbox.stop()


async def test_without_rights_it_is_said_which_are_missing(tmp_path: Path) -> None:
    sandbox = await start_sandbox(world="flat", mobs=False, view_distance=3, operators=frozenset())
    async with living(tmp_path, sandbox) as life:
        steve = await player(sandbox, "Steve")
        ear = Ear(steve)
        book = book_of(life.companion.mind.context)
        book.upsert({"category": "item", "name": "Stick", "content_id": "minecraft:stick"})
        for words in ("assets give Stick", "history book"):
            whisper(steve, f"mclawd {words}")
        await life.until(lambda: sum("/give" in line for line in ear.lines) == 2)
        steve.close()
    await sandbox.stop()
