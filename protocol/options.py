"""How a companion presents itself to a server, and what it does when the server asks something of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from protocol.neoforge_payloads import Channel
from protocol.player_keys import PlayerKeys

#: A data pack by namespace, name and version.
KnownPack = tuple[str, str, str]


@dataclass(frozen=True)
class ConnectionOptions:
    """How a companion presents itself and how patient it is."""

    #: Chunks we want to see in each direction; the server may send fewer.
    view_distance: int = 10
    locale: str = "en_us"
    #: What the server shows as this client's make.
    brand: str = "numen"
    #: ``accept`` tells the server that a pack was loaded, without fetching it; ``download`` fetches it,
    #: checks it and throws it away; ``decline`` refuses it, and a server that insists sends us away.
    resource_packs: Literal["accept", "download", "decline"] = "accept"
    #: Data packs whose registries need not be sent. Without any, the server sends everything.
    known_packs: tuple[KnownPack, ...] = ()
    #: Our UUID; None: the one a server without accounts would give us anyway.
    uuid: UUID | None = None
    #: Meets the server at its session service, given the hash of `encryption.server_hash`, or raises. None: a
    #: server that wants an account is refused.
    authenticator: Callable[[str], Awaitable[None]] | None = None
    #: Gives the account's keys to sign chat with. None: chat goes unsigned.
    player_keys: Callable[[], Awaitable[PlayerKeys]] | None = None

    #: How to meet a server that asks whether we speak NeoForge. ``auto`` says yes when it is asked;
    #: ``vanilla`` never does; ``neoforge`` refuses servers that don't ask.
    posture: Literal["auto", "vanilla", "neoforge"] = "auto"
    #: Channels of mods that the server insists on, as `protocol.neoforge_learn.learn_channels` finds them.
    channels: tuple[Channel, ...] = ()
    #: How many states blocks of mods have, by name; see `Registries.modded_block`.
    block_states: Mapping[str, int] = field(default_factory=dict)

    #: Ask for the server's status before logging in, so that another version is refused at once.
    status_first: bool = False
    #: Whether to follow the server's wish that we move on to (host, port).
    follow_transfer: Callable[[str, int], bool] = lambda host, port: False
    #: What earlier servers asked us to keep, and whether one of them sent us here.
    cookies: Mapping[str, bytes] = field(default_factory=dict)
    transferred: bool = False

    #: Seconds for the socket to connect (each address of a name), for the login, and for one step of
    #: configuration.
    connect_timeout_s: float = 10.0
    login_timeout_s: float = 30.0
    configuration_timeout_s: float = 60.0
    #: Seconds without any byte after which the server is taken for gone.
    idle_timeout_s: float = 30.0
