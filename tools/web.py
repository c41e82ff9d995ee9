"""The web: pages, search, and what is known of mods there.

What comes back was written by strangers, so all of these are marked untrusted.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from numen.tool import ToolContext, ToolFailure, ToolRegistry, tool
from numen.web import FetchError, Web
from tools.jars import ModsFolder


@tool(untrusted=True)
async def fetch_url(context: ToolContext, url: str, about: str = "overview") -> str:
    """Read a page of the web as text. Long pages are shown by their best parts.

    Args:
        url: Its address, beginning with http:// or https://.
        about: Words for what you want to know of a long page.
    """
    try:
        return await context.service(Web).read(url, about)
    except FetchError as error:
        raise ToolFailure(str(error)) from None


@tool(untrusted=True)
async def search(
    context: ToolContext, query: str, max_results: Annotated[int, Field(ge=1, le=10)] = 5
) -> str:
    """Search the web. Read a result with fetch_url where its snippet is not enough.

    Args:
        query: What to look for.
        max_results: How many results.
    """
    try:
        return await context.service(Web).search(query, max_results)
    except FetchError as error:
        raise ToolFailure(str(error)) from None


@tool(untrusted=True)
async def fetch_modrinth(context: ToolContext, mod_id: str) -> str:
    """Read what Modrinth tells about a mod of this server.

    Args:
        mod_id: The mod's id, as list_mods shows it.
    """
    cleaned = mod_id.strip()
    if not cleaned or len(cleaned) > 64:
        raise ToolFailure("a mod id has 1 to 64 characters; list_mods shows them")
    folder = context.services.get(ModsFolder)
    name = ""
    links: tuple[str, ...] = ()
    if isinstance(folder, ModsFolder):
        known = next((each for each in await folder.read() if each.id.casefold() == cleaned.casefold()), None)
        if known is not None:
            cleaned, name, links = known.id, known.name, known.links
    try:
        return await context.service(Web).mod(cleaned, name, links)
    except FetchError as error:
        raise ToolFailure(str(error)) from None


def register(registry: ToolRegistry, *, searching: bool) -> None:
    """Add the tools of the web; the search only where there is a key for it."""
    for each in (fetch_url, *([search] if searching else []), fetch_modrinth):
        registry.register(each)
