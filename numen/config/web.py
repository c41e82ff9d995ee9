"""The section `web`: what companions may read there, and the key of the search."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, SecretStr, field_validator, model_validator

from numen.config.base import Section

Url = Annotated[str, Field(pattern=r"^https?://[^\s]+$", max_length=2048)]


class WebConfig(Section):
    """Reading pages, searching, and what is known of mods. Addresses of private networks are not reached."""

    #: Without it there are no tools for the web at all.
    enabled: bool = True
    #: The key of Tavily's search (better: ``${VAR}``), or a file that only you can read. None, no search.
    tavily_key: SecretStr | None = None
    tavily_key_file: Path | None = None
    tavily_url: Url = "https://api.tavily.com/search"
    modrinth_api: Url = "https://api.modrinth.com"
    modrinth_site: Url = "https://modrinth.com"
    #: ``true`` for this machine and private networks; or the hosts, ``host:port`` and networks that may be
    #: reached.
    private: bool | tuple[str, ...] = False
    #: How long a page may take altogether, in seconds.
    timeout_s: float = Field(default=20.0, gt=0, le=120)

    @field_validator("tavily_key", mode="after")
    @classmethod
    def _empty_is_none(cls, key: SecretStr | None) -> SecretStr | None:
        return key if key is not None and key.get_secret_value().strip() else None

    @model_validator(mode="after")
    def _key_from_one_place(self) -> WebConfig:
        if self.tavily_key is not None and self.tavily_key_file is not None:
            raise ValueError("give tavily_key or tavily_key_file, not both")
        return self
