"""The tools of MineClawd's placeholders: refused, emulated, and with those of a server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from numen.app import toolset
from numen.config import Config
from numen.config.mineclawd import MineclawdConfig
from numen.mineclawd.placeholders import KINDS, PROPERTIES, Placeholders
from numen.rules.items import ItemStack
from numen.tool import ToolContext, ToolFailure, Trust
from numen.tool.trust import HEARSAY
from protocol.game import GAME
from tests.tools.playing import playing
from tools import placeholders as tools


def context(book: tools.PlaceholderBook) -> ToolContext:
    return ToolContext(companion="Numen", services={tools.PlaceholderBook: book})


def test_without_the_mod_and_without_emulation_they_say_that_it_is_disabled() -> None:
    here = context(tools.PlaceholderBook(None))
    calls: tuple[Callable[[], object], ...] = (
        lambda: tools.list_dynamic_content(here),
        lambda: tools.register_dynamic_item(here, name="Ruby"),
        lambda: tools.update_dynamic_block(here, 1, name="Ruby"),
        lambda: tools.unregister_dynamic_content(here, "fluid", 1),
    )
    for call in calls:
        with pytest.raises(ToolFailure, match="disabled"):
            call()


def test_emulation_says_that_it_is_one_and_offers_a_command(tmp_path: Path) -> None:
    here = context(tools.PlaceholderBook(Placeholders(tmp_path / "dynamic-content.json")))
    made = tools.register_dynamic_item(here, name="Ruby", material_item="emerald")
    assert made.startswith("Emulation")
    assert """/give <player> minecraft:emerald[custom_name='{"text":"Ruby"}'] 1""" in made
    assert "Opal" in tools.update_dynamic_item(here, 1, name="Opal")
    assert "items: 1 of 30" in tools.list_dynamic_content(here)
    with pytest.raises(ToolFailure, match="1 to 30"):
        tools.unregister_dynamic_content(here, "item", 31)
    tools.unregister_dynamic_content(here, "item", 1)
    assert "items: 0 of 30" in tools.list_dynamic_content(here)


def test_those_of_the_server_are_shown_and_cannot_be_changed() -> None:
    told = Placeholders()
    told.register("block", 7, name="Glow")
    trust = Trust({"commands"})
    book = tools.PlaceholderBook(None, lambda: told)
    here = ToolContext(companion="Numen", services={tools.PlaceholderBook: book, Trust: trust})
    listed = tools.list_dynamic_content(here)
    assert "dynamic_block_007 'Glow'" in listed
    assert HEARSAY in listed
    assert trust.tainted == "the names of placeholders"
    with pytest.raises(ToolFailure, match="server"):
        tools.update_dynamic_block(here, 7, name="Dim")


async def test_what_one_carries_is_called_as_the_server_calls_it(tmp_path: Path) -> None:
    told = Placeholders()
    told.register("item", 2, name="Ruby")
    async with playing(tmp_path) as here:
        services = here.companion.mind.context.services
        assert isinstance(services, dict)
        services[tools.PlaceholderBook] = tools.PlaceholderBook(None, lambda: told)
        slots = here.body.world.inventory.slots
        slots[36] = ItemStack(GAME.item("stick").id, 1)
        assert "called" not in await here.call("get_self_status")
        slots[37] = ItemStack(2000, 3, called="mineclawd:dynamic_item_002")
        status = await here.call("get_self_status")
        assert status["called"] == {"mineclawd:dynamic_item_002": "Ruby"}
        assert status["called_is"] == HEARSAY
        assert here.companion.mind.context.service(Trust).tainted == tools.NAMES


def test_all_properties_are_told_with_their_ranges() -> None:
    text = tools.list_dynamic_properties(context(tools.PlaceholderBook(None)))
    for kind in KINDS:
        assert all(key in text for key in PROPERTIES[kind])
    assert "throw_speed: 0.1..4 (default 1.5)" in text


def test_the_nine_tools_are_there_only_where_mineclawd_is_configured() -> None:
    def names(config: Config) -> set[str]:
        return {each for each in (tool.name for tool in toolset(config)[0]) if "dynamic" in each}

    assert not names(Config())
    assert len(names(Config(mineclawd=MineclawdConfig()))) == 9
