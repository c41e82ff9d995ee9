"""The section `server` of numen.yaml, and the account to join with."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from numen.config.base import Section


class ChannelConfig(Section):
    """A channel that a mod of the server insists on; `numen doctor --neoforge` writes these lines."""

    id: str = Field(pattern=r"^[a-z0-9_.-]+:[a-z0-9_./-]+$")
    version: str = "1"
    flow: Literal["both", "clientbound", "serverbound"] = "both"
    phase: Literal["configuration", "play"] = "play"


class NeoForgeConfig(Section):
    """How to meet a server with mods."""

    #: `auto` speaks NeoForge when asked, `vanilla` never, `neoforge` refuses servers that don't ask.
    posture: Literal["auto", "vanilla", "neoforge"] = "auto"
    channels: tuple[ChannelConfig, ...] = ()
    #: How many states the blocks of mods have, by name, in the order of the server's block registry: with it
    #: the companion knows them by name. It leaves them alone all the same.
    block_states: dict[str, int] = Field(default_factory=dict)


class ServerConfig(Section):
    """The Minecraft server to join."""

    host: str = Field(default="127.0.0.1", min_length=1)
    port: int = Field(default=25565, ge=1, le=65535)
    #: Chunks around the companion that the server should send.
    view_distance: int = Field(default=10, ge=2, le=32)
    #: How long to keep trying after the connection was lost, in seconds; 0 gives up at once.
    reconnect_for_s: float = Field(default=600.0, ge=0)
    #: Ask for the server's version before logging in.
    status_first: bool = False
    #: `accept` says that a pack is loaded without fetching it, `download` fetches and checks it.
    resource_packs: Literal["accept", "download", "decline"] = "accept"
    #: What to do when the server sends the companion on to another one.
    transfer: Literal["follow", "refuse"] = "follow"
    neoforge: NeoForgeConfig = NeoForgeConfig()
    #: The folder of the server itself, where it runs on this machine: its mods, operators and logs.
    folder: Path | None = None


class AccountConfig(Section):
    """A Minecraft account, for servers in online mode. `numen login` logs it in."""

    #: The id of your application at Microsoft that may use Minecraft's services.
    client_id: str = Field(min_length=1)
