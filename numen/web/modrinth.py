"""What Modrinth says about a mod: which project it is, and what its page tells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlencode

from numen.web.bounds import FetchError, capped
from numen.web.fetcher import Fetcher
from numen.web.markdown import excerpt
from numen.web.pages import read_page

API: Final = "https://api.modrinth.com"
SITE: Final = "https://modrinth.com"
HITS: Final = 10
#: A hit that only shares a word with what was asked for is another mod.
ENOUGH: Final = 60

_LINK: Final = re.compile(r"modrinth\.com/(?:mod|plugin|datapack|project|modpack)/([A-Za-z0-9_.-]{1,64})")
_PROJECT: Final = re.compile(r"[A-Za-z0-9!@$()`.+,_\"-]{1,64}")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The mod that is looked for: its id, its name where known, and links its own files give."""

    mod_id: str
    name: str = ""
    links: tuple[str, ...] = ()

    def candidates(self) -> list[str]:
        """Slugs worth asking for directly, the mod id first."""
        slugs = [self.mod_id, *(found[1] for link in self.links for found in _LINK.finditer(link))]
        return list(dict.fromkeys(each for each in slugs if _PROJECT.fullmatch(each)))


class Modrinth:
    """Finds projects of Modrinth and reads their pages."""

    def __init__(self, fetcher: Fetcher, api: str = API, site: str = SITE) -> None:
        self._fetcher = fetcher
        self._api = api.rstrip("/")
        self._site = site.rstrip("/")

    async def read(self, wanted: Wanted) -> str:
        """The project's page, headed by `mod_id`, `modrinth_slug` and `modrinth_title`. Raises FetchError."""
        project = await self._find(wanted)
        slug, title = str(project.get("slug") or wanted.mod_id), _line(project.get("title"))
        kind = _line(project.get("project_type")) or "mod"
        head = [f"mod_id: {wanted.mod_id}", f"modrinth_slug: {slug}", f"modrinth_title: {title}"]
        try:
            text = await read_page(self._fetcher, f"{self._site}/{quote(kind)}/{quote(slug)}")
        except FetchError:
            description, body = _line(project.get("description")), project.get("body")
            about = excerpt(body) if isinstance(body, str) else ""
            text = "\n\n".join(each for each in (description, about) if each) or "(no description)"
        return capped("\n".join([*head, "", text]))

    async def _find(self, wanted: Wanted) -> Mapping[str, Any]:
        for slug in wanted.candidates():
            try:
                page = await self._fetcher.get(f"{self._api}/v2/project/{quote(slug, safe='')}")
            except FetchError as error:
                if error.status == 404:
                    continue
                raise FetchError(f"Modrinth could not be asked: {error}", status=error.status) from None
            project = page.json()
            if isinstance(project, Mapping):
                return project
        best = best_hit(wanted, await self._search(wanted.name or wanted.mod_id))
        if best is None:
            raise FetchError(f"Modrinth has no project for the mod {wanted.mod_id!r}")
        slug = str(best.get("slug") or best.get("project_id"))
        try:
            project = (await self._fetcher.get(f"{self._api}/v2/project/{quote(slug, safe='')}")).json()
        except FetchError:
            return best
        return project if isinstance(project, Mapping) else best

    async def _search(self, query: str) -> list[Mapping[str, Any]]:
        question = urlencode({"query": query, "limit": HITS})
        try:
            found = (await self._fetcher.get(f"{self._api}/v2/search?{question}")).json()
        except FetchError as error:
            raise FetchError(f"Modrinth could not be searched: {error}", status=error.status) from None
        hits = found.get("hits") if isinstance(found, Mapping) else None
        return [each for each in hits or () if isinstance(each, Mapping)]


def best_hit(wanted: Wanted, hits: Iterable[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The hit that is most likely that mod, None when none is likely; of equals the first."""
    best, most = None, ENOUGH - 1
    for hit in hits:
        points = score(wanted, hit)
        if points > most:
            best, most = hit, points
    return best


def score(wanted: Wanted, hit: Mapping[str, Any]) -> int:
    """How well a search hit fits: 320 for the slug, 260 for the project id, 40 for being a mod, and words.

    Each word of id and name found in slug or title counts 30, in the description 5.
    """
    slug, title = _line(hit.get("slug")).casefold(), _line(hit.get("title")).casefold()
    points = 0
    if slug and any(slug == each.casefold() for each in wanted.candidates()):
        points += 320
    if _line(hit.get("project_id")) in wanted.candidates():
        points += 260
    if hit.get("project_type") == "mod":
        points += 40
    here, there = tokens(slug) | tokens(title), tokens(_line(hit.get("description")))
    joined = slug.replace("-", "").replace("_", "")
    for word in tokens(wanted.mod_id) | tokens(wanted.name):
        if word in here or word == joined:
            points += 30
        elif word in there:
            points += 5
    return points


def tokens(text: str) -> set[str]:
    """The words of an id or a name, of at least three letters or digits."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return {each for each in re.findall(r"[^\W_]+", spaced.casefold()) if len(each) >= 3}


def _line(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
