"""The section `mcp`: servers of the Model Context Protocol whose tools every companion gets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, SecretStr, StringConstraints, model_validator

from numen.config.base import Section

if TYPE_CHECKING:
    from numen.tool.jiuwen import McpServerConfig

#: A server's name is part of its tools' names.
ServerName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$")]


class McpConfig(Section):
    """One server: a `command` to start, or the `url` where one runs."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    command: str | None = Field(default=None, min_length=1)
    args: tuple[str, ...] = ()
    #: Added to the few variables that a process needs; it gets none of the others.
    env: dict[str, SecretStr] = Field(default_factory=dict)
    cwd: Path | None = None

    url: str | None = None
    transport: Literal["http", "streamable-http", "sse"] | None = None
    headers: dict[str, SecretStr] = Field(default_factory=dict)
    query: dict[str, SecretStr] = Field(default_factory=dict)

    connect_timeout_s: float = Field(default=30.0, gt=0)
    #: For one call of a tool.
    call_timeout_s: float = Field(default=60.0, gt=0)
    enabled: bool = True

    @model_validator(mode="after")
    def _one_way_to_it(self) -> McpConfig:
        if (self.command is None) == (self.url is None):
            raise ValueError("give either command (a program to start) or url (where a server runs)")
        foreign = ("url", "transport", "headers", "query") if self.command else ("args", "env", "cwd")
        strays = [key for key in foreign if getattr(self, key)]
        if strays:
            raise ValueError(f"{', '.join(strays)} does not go with {'command' if self.command else 'url'}")
        if self.url is not None:
            parts = urlsplit(self.url)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise ValueError("url: expected an address such as http://127.0.0.1:8000/mcp")
        return self

    def for_client(self, name: str) -> McpServerConfig:
        """The same as the client takes it."""
        from numen.tool.jiuwen import McpServerConfig  # the layer takes a while to load

        params = {
            "command": self.command,
            "args": list(self.args),
            "env": _clear(self.env),
            "cwd": str(self.cwd.expanduser()) if self.cwd else None,
        }
        return McpServerConfig(
            name,
            self.url or "",
            "stdio" if self.command else (self.transport or "streamable-http"),
            params={key: value for key, value in params.items() if value} if self.command else {},
            auth_headers=_clear(self.headers),
            auth_query_params=_clear(self.query),
            connect_timeout_s=self.connect_timeout_s,
            call_timeout_s=self.call_timeout_s,
        )


def _clear(secrets: dict[str, SecretStr]) -> dict[str, str]:
    return {key: value.get_secret_value() for key, value in secrets.items()}
