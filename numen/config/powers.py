"""The sections `powers` and `rcon`: what companions may do to the server, and over which way."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from numen.config.base import Section

#: Commands that decide who may join and rule the server; a companion that ran them could raise a stranger.
WHO_RULES = ("op", "deop", "whitelist", "ban", "ban-ip", "pardon", "pardon-ip", "stop")


class PowersConfig(Section):
    """Every power is off until it is turned on here."""

    #: execute-command
    commands: bool = False
    #: reload-game, sync-command-tree
    reload: bool = False
    #: list-, read-, write- and delete-server-script
    scripts: bool = False
    #: apply-instant-server-script
    instant: bool = False
    #: When the person is asked about a call: always, once words of others are in the conversation, or never.
    confirm: Literal["always", "tainted", "never"] = "tainted"
    #: Players, by name or UUID, who have these powers beside the owner.
    for_: tuple[str, ...] = Field(default=(), alias="for")
    #: Commands that are never run, beside those that MineClawd keeps for itself.
    blocked: tuple[str, ...] = WHO_RULES

    @property
    def granted(self) -> frozenset[str]:
        """The names of the powers that are on."""
        names = ("commands", "reload", "scripts", "instant")
        return frozenset(each for each in names if getattr(self, each))


class RconConfig(Section):
    """The server's remote console: `enable-rcon` in its server.properties."""

    host: str = Field(default="127.0.0.1", min_length=1)
    port: int = Field(default=25575, ge=1, le=65535)
    #: The password (better: ``${VAR}``), or a file that only you can read.
    password: SecretStr | None = None
    password_file: Path | None = None
    timeout_s: float = Field(default=10.0, gt=0, le=120)

    @field_validator("password", mode="after")
    @classmethod
    def _empty_is_none(cls, key: SecretStr | None) -> SecretStr | None:
        return key if key is not None and key.get_secret_value().strip() else None

    @model_validator(mode="after")
    def _password_from_one_place(self) -> RconConfig:
        if (self.password is None) == (self.password_file is None):
            raise ValueError("give password or password_file, one of them")
        return self
