"""The way out to the web, guarded.

addresses   which addresses may be connected to      transport  connections checked where they are made
body        bodies within a size, unpacked           fetcher    GET and POST within time, size and redirects
markdown    HTML as Markdown, the best of a text     pages      a page as the model sees it
tavily      web search                               modrinth   what Modrinth says about a mod

`Web` is what tools are lent of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from numen.web.fetcher import Fetcher, FetchError, FetchLimits
from numen.web.modrinth import Modrinth
from numen.web.tavily import Tavily


@dataclass(frozen=True, slots=True)
class Web:
    """What tools may ask of the web. Without `tavily` there is no search."""

    fetcher: Fetcher
    modrinth: Modrinth
    tavily: Tavily | None = None


__all__ = ["FetchError", "FetchLimits", "Fetcher", "Modrinth", "Tavily", "Web"]
