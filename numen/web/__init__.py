"""The way out to the web, guarded.

addresses   which addresses may be connected to      transport  connections checked where they are made
body        bodies within a size, unpacked           fetcher    GET and POST within time, size and redirects
markdown    HTML as Markdown, the best of a text     pages      a page as the model sees it
tavily      web search                               modrinth   what Modrinth says about a mod
bounds      FetchError, and how much is shown

`Web` is what tools are lent of it. It loads the rest with the first request: most companions never ask.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from numen.web.bounds import FetchError

if TYPE_CHECKING:
    from numen.web.fetcher import Fetcher
    from numen.web.modrinth import Modrinth
    from numen.web.tavily import Tavily


class Web:
    """What tools may ask of the web. Every method raises FetchError."""

    def __init__(
        self,
        *,
        private: bool | Sequence[str] = False,
        timeout_s: float = 20.0,
        tavily_key: str | None = None,
        tavily_url: str = "https://api.tavily.com/search",
        modrinth_api: str = "https://api.modrinth.com",
        modrinth_site: str = "https://modrinth.com",
    ) -> None:
        """`private` opens this machine and private networks: all of them, or the hosts, `host:port` pairs and
        networks that it names. Without `tavily_key` there is no search."""
        self._private = private
        self._timeout_s = timeout_s
        self._key = tavily_key
        self._tavily_url = tavily_url
        self._modrinth_urls = (modrinth_api, modrinth_site)
        self._parts: tuple[Fetcher, Modrinth, Tavily | None] | None = None

    @property
    def searches(self) -> bool:
        """There is a key for the search."""
        return bool(self._key)

    async def read(self, url: str, about: str = "overview") -> str:
        """The page at `url`, see `pages.read_page`."""
        fetcher, _, _ = await self._ready()
        from numen.web.pages import read_page

        return await read_page(fetcher, url, about)

    async def search(self, query: str, max_results: int = 5) -> str:
        """What Tavily finds, see `Tavily.search`."""
        _, _, tavily = await self._ready()
        if tavily is None:
            raise FetchError("web search is not set up here: it needs a Tavily key (web.tavily_key)")
        return await tavily.search(query, max_results)

    async def mod(self, mod_id: str, name: str = "", links: Sequence[str] = ()) -> str:
        """What Modrinth tells about a mod, see `Modrinth.read`."""
        _, modrinth, _ = await self._ready()
        from numen.web.modrinth import Wanted

        return await modrinth.read(Wanted(mod_id, name, tuple(links)))

    async def _ready(self) -> tuple[Fetcher, Modrinth, Tavily | None]:
        if self._parts is None:
            # On a worker thread: loading would hold up the body's clock.
            self._parts = await asyncio.to_thread(self._load)
        return self._parts

    def _load(self) -> tuple[Fetcher, Modrinth, Tavily | None]:
        from numen.web.addresses import Reach
        from numen.web.fetcher import Fetcher, FetchLimits
        from numen.web.modrinth import Modrinth
        from numen.web.tavily import Tavily

        private = self._private
        reach = Reach(neighbours=private) if isinstance(private, bool) else Reach.to(private)
        fetcher = Fetcher(limits=FetchLimits(total_s=self._timeout_s), reach=reach)
        tavily = Tavily(fetcher, self._key, self._tavily_url) if self._key else None
        return fetcher, Modrinth(fetcher, *self._modrinth_urls), tavily


__all__ = ["FetchError", "Web"]
