"""Pages as the model sees them, and what Tavily and Modrinth say, from stand-ins over real sockets."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from numen.web import FetchError
from numen.web.addresses import Reach
from numen.web.fetcher import Fetcher, FetchLimits
from numen.web.markdown import chunks, excerpt, to_markdown
from numen.web.modrinth import Modrinth, Wanted, best_hit, score
from numen.web.pages import read_page
from numen.web.tavily import Tavily
from tests.tool.jiuwen.http_server import Answer, Seen, Server, serving

HERE = Fetcher(limits=FetchLimits(total_s=10), reach=Reach(neighbours=True))

PAGE = """<!doctype html><html><head><title>Tom &amp; co</title>
<style>p{color:red}</style></head><body>
<script>alert("no")</script><!-- not this --><h1>The  mill</h1>
<p>It <b>grinds</b> <a href="/wheat">wheat</a>.</p>
<ul><li>one</li><li>two</li></ul><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
<pre>keep  this</pre></body></html>"""


async def shown(body: bytes | str, kind: str, about: str = "overview") -> str:
    data = body.encode() if isinstance(body, str) else body
    async with serving(Answer(data, headers={"Content-Type": kind})) as server:
        return (await read_page(HERE, server.url, about)).replace(server.url, "URL")


# Pages


async def test_a_page_becomes_markdown_under_its_title() -> None:
    text = await shown(PAGE, "text/html")
    head, body = text.split("\n\n", 1)

    assert head == "source: URL\ntitle: Tom & co\nmode: markdown"
    for part in ("# The mill", "It **grinds** [wheat](/wheat).", "- one\n- two", "| 1 | 2 |", "keep  this"):
        assert part in body
    assert not any(word in body for word in ("alert", "color", "not this"))


@pytest.mark.parametrize(
    ("body", "kind", "mode"),
    [
        (PAGE, "text/html; charset=utf-8", "markdown"),
        (PAGE, "application/xhtml+xml", "markdown"),
        (PAGE, "text/plain", "markdown"),
        (PAGE, "application/octet-stream", "markdown"),
        ('{"a": 1}', "application/json", "json"),
        ('{"a": 1}', "application/ld+json", "json"),
        ('{"a": 1}', "text/plain", "json"),
        ("# hi", "text/markdown", "markdown"),
        ("hi", "text/plain", "text/plain"),
        ("<a>x</a>", "application/xml", "application/xml"),
    ],
)
async def test_the_mode_says_what_is_shown(body: str, kind: str, mode: str) -> None:
    assert f"mode: {mode}\n" in await shown(body, kind)


@pytest.mark.parametrize("kind", ["image/png", "application/zip", "video/mp4", "application/octet-stream"])
async def test_what_is_no_text_is_refused(kind: str) -> None:
    with pytest.raises(FetchError, match="no text to read"):
        await shown(b"\x89PNG\x00\x01", kind)


async def test_3500_characters_are_shown_whole_and_more_by_the_best_parts() -> None:
    whole = ("word " * 699 + "last!").ljust(3500, ".")
    assert (await shown(whole, "text/plain")).endswith(whole)

    paragraphs = [f"Part {number}. " + "text " * 200 for number in range(10)]
    for number in (7, 2, 5):
        paragraphs[number] += " Overview"
    text = await shown("\n\n".join(paragraphs), "text/plain")
    assert [number for number in range(10) if f"Part {number}." in text] == [2, 5, 7]
    assert text.index("Part 2.") < text.index("Part 5.") < text.index("Part 7.")


async def test_a_page_can_be_asked_about_something() -> None:
    paragraphs = [f"Part {number}. " + "text " * 200 for number in range(10)]
    paragraphs[8] += " the crushing wheel"
    assert "crushing wheel" in await shown("\n\n".join(paragraphs), "text/plain", "crushing wheel")


def test_chunks_are_about_1200_characters_and_lose_nothing() -> None:
    text = "\n\n".join("word " * (10 + 40 * (each % 9)) for each in range(40)) + "\n\n" + "x" * 5000
    pieces = chunks(text)
    assert all(len(piece) <= 1200 for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


def test_a_long_chunk_beats_a_short_one_with_a_few_words_less() -> None:
    short, long = "overview " * 3 + "x" * 500, "y" * 1150
    text = "\n\n".join([short, *[long] * 4])
    assert short[:20] not in excerpt(text)


async def test_what_is_shown_is_never_longer_than_14000_characters() -> None:
    assert (
        len(await shown("<title>" + "t" * 500 + "</title>" + "<p>" + "w " * 100_000, "text/html")) <= 14_000
    )


async def test_a_page_larger_than_what_is_read_says_so() -> None:
    assert "longer than what was read" in await shown("a sentence. " * 100_000, "text/plain")


@pytest.mark.parametrize(
    "source",
    [
        *("<div>" * 30_000 + "deep", "<b>deep" * 30_000, "<" * 500_000, "<head " * 100_000, "<!--" * 100_000),
        *(
            "<title>" * 100_000,
            "<script>" * 50_000,
            "<table><tr><td>" * 12_000,
            "&" * 300_000,
            "<p " * 200_000,
        ),
    ],
    ids=["nested", "bold", "signs", "heads", "comments", "titles", "scripts", "tables", "entities", "open"],
)
def test_a_page_made_to_choke_on_is_still_read(source: str) -> None:
    to_markdown(source)


async def test_a_large_page_is_read_in_a_process_of_its_own() -> None:
    text = await shown("<title>Größe &amp; 大小</title>" + "<p>some <b>words</b></p>\n" * 8_000, "text/html")
    assert "title: Größe & 大小\nmode: markdown\n" in text
    assert "some **words**" in text


async def test_the_clock_goes_on_while_a_page_is_made_to_choke_on() -> None:
    """Others get their turn all the while, however large a page is."""
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    counting = asyncio.ensure_future(count())
    try:
        await shown("<" * 900_000, "text/html")
    finally:
        counting.cancel()
    assert turns > 1000


# Tavily


KEY = "tvly-secret-0123456789"
FOUND = {
    "answer": "A mod about\nmachines.",
    "results": [
        {"title": "Create", "url": "https://createmod.net", "content": "c" * 1000, "score": 0.98765},
        {"title": "", "url": "https://example.com", "content": "", "score": None},
        "nonsense",
    ],
}


async def searched(answer: Answer, query: str = "create mod", count: int = 5) -> tuple[str, Server]:
    async with serving(answer) as server:
        return await Tavily(HERE, KEY, server.url).search(query, count), server


async def test_a_search_sends_what_tavily_wants_and_shows_what_it_found() -> None:
    text, server = await searched(Answer(json.dumps(FOUND).encode()), "  create\n mod " + "x" * 900)

    assert server.request.method == "POST"
    assert server.request.json() == {
        "api_key": KEY,
        "query": ("create mod " + "x" * 900)[:400],
        "search_depth": "advanced",
        "max_results": 5,
        "include_answer": True,
        "include_images": False,
        "include_raw_content": False,
    }
    assert text == "\n".join(
        [
            f"query: {('create mod ' + 'x' * 900)[:400]}",
            "Summary: A mod about machines.",
            "",
            "1. Create",
            "URL: https://createmod.net",
            f"Snippet: {'c' * 420}",
            "Score: 0.988",
            "",
            "2. (untitled)",
            "URL: https://example.com",
        ]
    )


@pytest.mark.parametrize(("asked", "sent"), [(0, 1), (1, 1), (10, 10), (99, 10), (-3, 1)])
async def test_the_number_of_results_is_clamped(asked: int, sent: int) -> None:
    _, server = await searched(Answer(b"{}"), count=asked)
    assert server.request.json()["max_results"] == sent


async def test_no_results_are_said() -> None:
    assert (await searched(Answer(b"{}")))[0] == "query: create mod\nNo results."


async def test_a_search_is_never_longer_than_14000_characters() -> None:
    many = {"results": [{"title": "t" * 5000, "url": "u", "content": "c"}] * 10}
    assert len((await searched(Answer(json.dumps(many).encode())))[0]) <= 14_000


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(f"bad key {KEY}".encode(), 401), r"HTTP 401: bad key \*\*\*"),
        (Answer(b"w" * 9000, 500), "HTTP 500: w{400}$"),
        (Answer(b"<html>"), "invalid JSON"),
        (Answer(b"[1]"), "no result"),
    ],
)
async def test_a_failed_search_is_told_in_words_and_without_the_key(answer: Answer, words: str) -> None:
    with pytest.raises(FetchError, match=words) as caught:
        await searched(answer)
    assert KEY not in str(caught.value)


async def test_a_page_that_quotes_the_key_does_not_pass_it_on() -> None:
    found = {"results": [{"title": "leak", "url": "u", "content": f"the key is {KEY}"}]}
    text, _ = await searched(Answer(json.dumps(found).encode()))
    assert KEY not in text
    assert KEY not in repr(Tavily(HERE, KEY))


async def test_nothing_is_not_searched_for() -> None:
    with pytest.raises(FetchError, match="nothing to search"):
        await Tavily(HERE, KEY, "http://127.0.0.1:27410").search("  ")


# Modrinth


class Catalogue:
    """Answers as api.modrinth.com and modrinth.com do."""

    def __init__(self, projects: dict[str, Any], hits: list[Any] | None = None, *, site: bool = True) -> None:
        self.projects, self.hits, self.site = projects, hits or [], site
        self.paths: list[str] = []

    def __call__(self, request: Seen) -> Answer:
        self.paths.append(request.path)
        if request.path.startswith("/v2/project/"):
            project = self.projects.get(request.path.removeprefix("/v2/project/"))
            return Answer(json.dumps(project).encode()) if project else Answer(b"{}", 404)
        if request.path == "/v2/search":
            return Answer(json.dumps({"hits": self.hits}).encode())
        if self.site:
            return Answer(b"<title>Page</title><p>All about it.</p>", headers={"Content-Type": "text/html"})
        return Answer(b"gone", 500)


CREATE = {
    "slug": "create",
    "title": "Create",
    "project_type": "mod",
    "description": "Aesthetic technology",
    "body": "Build contraptions.",
}


async def asked(catalogue: Catalogue, wanted: Wanted) -> str:
    async with serving(catalogue) as server:
        return await Modrinth(HERE, server.url, server.url).read(wanted)


async def test_a_project_is_found_by_the_mods_id_and_its_page_is_shown() -> None:
    catalogue = Catalogue({"create": CREATE})
    text = await asked(catalogue, Wanted("create"))

    assert text.startswith("mod_id: create\nmodrinth_slug: create\nmodrinth_title: Create\n\nsource: ")
    assert "All about it." in text
    assert catalogue.paths == ["/v2/project/create", "/mod/create"]


async def test_without_its_page_the_description_stands_in() -> None:
    text = await asked(Catalogue({"create": CREATE}, site=False), Wanted("create"))
    assert text.endswith("\n\nAesthetic technology\n\nBuild contraptions.")


async def test_a_link_in_the_mods_own_file_is_followed() -> None:
    catalogue = Catalogue({"jei": {"slug": "jei", "title": "Just Enough Items", "project_type": "mod"}})
    links = ("https://github.com/x", "https://modrinth.com/mod/jei?x=1")
    assert "modrinth_slug: jei" in await asked(catalogue, Wanted("justenough", "JEI", links))
    assert catalogue.paths[:2] == ["/v2/project/justenough", "/v2/project/jei"]


async def test_else_it_is_searched_for_and_the_best_hit_taken() -> None:
    hits = [
        {"slug": "farm-pack", "title": "Farm pack", "project_type": "modpack", "description": "delight"},
        {"slug": "farmers-delight", "title": "Farmer's Delight", "project_type": "mod", "description": ""},
    ]
    catalogue = Catalogue({}, hits)
    text = await asked(catalogue, Wanted("farmersdelight", "Farmer's Delight"))
    assert "modrinth_slug: farmers-delight" in text


@pytest.mark.parametrize(
    "hits", [[], ["nonsense"], [{"slug": "other", "title": "Other", "project_type": "mod"}]]
)
async def test_another_mod_is_not_taken_for_it(hits: list[Any]) -> None:
    with pytest.raises(FetchError, match="no project for the mod 'zzz'"):
        await asked(Catalogue({}, hits), Wanted("zzz"))


@pytest.mark.parametrize(
    ("hit", "points"),
    [
        ({"slug": "create"}, 320 + 30),
        ({"slug": "x", "project_id": "create"}, 260),
        ({"slug": "x", "project_type": "mod"}, 40),
        ({"slug": "x", "title": "Create more"}, 30),
        ({"slug": "x", "description": "for create"}, 5),
        ({}, 0),
    ],
)
def test_hits_are_scored(hit: dict[str, str], points: int) -> None:
    assert score(Wanted("create"), hit) == points


def test_of_equal_hits_the_first_is_taken() -> None:
    hits = [{"slug": "create", "n": 1}, {"slug": "create", "n": 2}]
    assert best_hit(Wanted("create"), hits) == hits[0]


@pytest.mark.parametrize("mod_id", ["../user", "a/b", "a?b", "x" * 99, "a b"])
async def test_no_path_hides_in_a_mods_id(mod_id: str) -> None:
    catalogue = Catalogue({})
    with pytest.raises(FetchError):
        await asked(catalogue, Wanted(mod_id))
    assert catalogue.paths == ["/v2/search"]


async def test_a_catalogue_that_is_down_is_told_in_words() -> None:
    async with serving(Answer(b"maintenance", 503)) as server:
        with pytest.raises(FetchError, match=r"Modrinth could not be asked: .*503: maintenance"):
            await Modrinth(HERE, server.url, server.url).read(Wanted("create"))
