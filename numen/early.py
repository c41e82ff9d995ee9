"""Connecting while the program is still being loaded.

A server takes a few tenths of a second to let a player in, and so does Python to load what a mind needs. This
module needs little itself, so that `numen run` can begin the one before the other: whoever comes to live on
the connection finds it made, or well on the way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from numen.config import AccountConfig, CompanionConfig, Config, ServerConfig
from numen.entrance import Entrance
from protocol.connection import ConnectionOptions
from protocol.neoforge_payloads import Channel

if TYPE_CHECKING:
    from protocol.accounts import Account

T = TypeVar("T")

#: What is loaded meanwhile: all that lives and acts.
_REST: Final = ("numen.app", "numen.console")

Entrances = dict[str, Entrance]


async def run(config: Config, rest: Callable[[Entrances], Coroutine[Any, Any, T]]) -> T:
    """Connect, load what is missing on another thread, and go on with `rest`, which is given the ways in that
    have been begun, by name of the companion."""
    assert config.server is not None
    entrances = {each.name: entrance_of(config, each, config.server) for each in config.companions}
    for each in entrances.values():
        each.begin()
    try:
        await asyncio.to_thread(lambda: [import_module(name) for name in _REST])
        return await rest(entrances)
    finally:
        for each in entrances.values():
            each.hang_up()


def entrance_of(config: Config, companion: CompanionConfig, server: ServerConfig) -> Entrance:
    """The way onto `server` that the configuration describes."""
    section = config.account_of(companion)
    account = account_of(config, companion, section) if section is not None else None
    options = options_of(server)
    if config.mineclawd is not None and config.mineclawd.bridge:
        from numen.mineclawd.bridge import CHANNELS  # brings the mind's rooms, which a login does not need

        known = {each.id for each in options.channels}
        options = replace(
            options, channels=(*options.channels, *(each for each in CHANNELS if each.id not in known))
        )
    return Entrance(server.host, server.port, companion.name, options, account)


def options_of(server: ServerConfig) -> ConnectionOptions:
    """What the configuration says about connections."""
    follow = server.transfer == "follow"
    return ConnectionOptions(
        view_distance=server.view_distance,
        posture=server.neoforge.posture,
        channels=tuple(
            Channel(each.id, each.version, each.flow, each.phase) for each in server.neoforge.channels
        ),
        block_states=server.neoforge.block_states,
        resource_packs=server.resource_packs,
        status_first=server.status_first,
        follow_transfer=lambda host, port: follow,
    )


def account_of(config: Config, companion: CompanionConfig, section: AccountConfig) -> Account:
    """The account of a companion. It asks nobody for a code: `numen login` does."""
    from protocol.accounts import Account  # brings httpx, which a server without accounts does not need

    return Account(section.client_id, account_file(config, companion))


def account_file(config: Config, companion: CompanionConfig) -> Path:
    """Where the login of that companion's account is kept."""
    return config.data / "accounts" / f"{companion.name}.json"
