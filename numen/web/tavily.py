"""Web search through Tavily."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from numen.web.bounds import FetchError, capped
from numen.web.fetcher import Fetcher

TAVILY: Final = "https://api.tavily.com/search"
MAX_QUERY: Final = 400
MAX_SNIPPET: Final = 420
MOST: Final = 10
USUAL: Final = 5


class Tavily:
    """A searcher with a key. The key is sent to the endpoint and shown nowhere."""

    def __init__(self, fetcher: Fetcher, key: str, url: str = TAVILY) -> None:
        self._fetcher = fetcher
        self._key = key
        self._url = url

    def __repr__(self) -> str:
        return f"<Tavily {self._url}>"

    async def search(self, query: str, max_results: int = USUAL) -> str:
        """Titles, addresses and snippets for `query`. Raises FetchError, never with the key in it."""
        query = " ".join(query.split())[:MAX_QUERY]
        if not query:
            raise FetchError("there is nothing to search for")
        payload = {
            "api_key": self._key,
            "query": query,
            "search_depth": "advanced",
            "max_results": max(1, min(MOST, max_results)),
            "include_answer": True,
            "include_images": False,
            "include_raw_content": False,
        }
        try:
            page = await self._fetcher.post_json(self._url, payload)
            found = page.json()
        except FetchError as error:
            if error.status is None:
                raise FetchError(f"the search failed: {self._hidden(str(error))}") from None
            raise FetchError(
                f"the search failed with HTTP {error.status}: {self._hidden(error.excerpt)}",
                status=error.status,
            ) from None
        if not isinstance(found, Mapping):
            raise FetchError("the search answered with something that is no result")
        return self._hidden(capped(_shown(query, found)))

    def _hidden(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text


def _shown(query: str, found: Mapping[str, Any]) -> str:
    lines = [f"query: {query}"]
    answer = _line(found.get("answer"))
    if answer:
        lines.append(f"Summary: {answer}")
    results = [each for each in found.get("results") or () if isinstance(each, Mapping)]
    for number, each in enumerate(results[:MOST], 1):
        lines.append("")
        lines.append(f"{number}. {_line(each.get('title')) or '(untitled)'}")
        lines.append(f"URL: {_line(each.get('url'))}")
        snippet = _line(each.get("content"))
        if snippet:
            lines.append(f"Snippet: {snippet[:MAX_SNIPPET]}")
        score = each.get("score")
        if isinstance(score, (int, float)):
            lines.append(f"Score: {score:.3f}")
    if not results:
        lines.append("No results.")
    return "\n".join(lines)


def _line(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
