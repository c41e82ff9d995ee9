"""Tools that are found when they are needed: what a request carries, and that it only grows at its end."""

from __future__ import annotations

import json

from numen.agent import Mind, Persona
from numen.agent.catalogue import Catalogue
from numen.llm import Endpoint, OpenAICompatible
from numen.session import MemorySession
from numen.testing.endpoint import Reply, ScriptedEndpoint, calls, says
from numen.tool import Dispatcher, ToolContext, ToolRegistry, tool
from numen.tool.finding import Disclosure, FindTools


def registry_with(*more: str) -> ToolRegistry:
    registry = ToolRegistry()

    @tool(name="mine")
    def mine() -> str:
        """Dig blocks."""
        return "mined"

    @tool(name="fish")
    def fish(count: int = 1) -> str:
        """Catch fish with a rod. It takes a while."""
        return f"caught {count}"

    @tool(name="locate_structure")
    def locate() -> str:
        """Find villages and temples."""
        return "far away"

    @tool(name="say")
    def say(text: str) -> str:
        """Say something."""
        return text

    for each in (mine, fish, locate, say):
        registry.register(each)
    registry.register(FindTools(registry))
    return registry


async def finding(*script: Reply, session: MemorySession | None = None) -> tuple[ScriptedEndpoint, Mind]:
    """A turn over these answers; the endpoint as it was left."""
    async with ScriptedEndpoint(*script) as endpoint:
        mind = Mind(
            persona=Persona(companion="Numen", owner="Steve"),
            provider=OpenAICompatible(Endpoint(base_url=endpoint.url, model="m")),
            registry=registry_with(),
            context=ToolContext(companion="Numen"),
            session=session or MemorySession(),
            speak=lambda text: None,
        )
        mind.start()
        assert mind.hear("go")
        await mind.rest()
        await mind.stop()
        endpoint.assert_complete()
    return endpoint, mind


async def test_a_request_carries_the_core_and_then_what_was_found_at_its_end() -> None:
    endpoint, _ = await finding(
        calls(("find_tools", {"query": "select:fish, rocket"})),
        calls(("fish", {"count": 2})),
        calls(("find_tools", {"query": "villages"})),
        says("Done."),
    )

    assert [each.tool_names for each in endpoint.requests] == [
        ["mine", "say", "find_tools"],
        ["mine", "say", "find_tools", "fish"],
        ["mine", "say", "find_tools", "fish"],
        ["mine", "say", "find_tools", "fish", "locate_structure"],
    ]
    first = json.loads(endpoint.requests[1].messages[-1]["content"])
    assert first["data"] == {
        "found": [{"name": "fish", "does": "Catch fish with a rod."}],
        "not_found": ["rocket"],
    }
    bodies = [each.raw for each in endpoint.requests]
    assert bodies[2].startswith(bodies[1].removesuffix(b"]}"))


async def test_a_tool_that_is_not_shown_works_and_is_shown_from_then_on() -> None:
    endpoint, _ = await finding(calls(("FISH", {"count": 3})), says("Done."))

    assert endpoint.requests[1].messages[-1]["content"].find("caught 3") >= 0
    assert endpoint.requests[1].tool_names == ["mine", "say", "find_tools", "fish"]


async def test_what_was_found_is_still_seen_after_a_restart() -> None:
    session = MemorySession()
    await finding(calls(("find_tools", {"query": "temple"})), says("Yes."), session=session)
    endpoint, _ = await finding(says("Hello."), session=session)

    assert endpoint.requests[0].tool_names == ["mine", "say", "find_tools", "locate_structure"]


async def test_nothing_found_says_what_to_do() -> None:
    registry = registry_with()
    finished = await Dispatcher(registry).run(
        "c1", "find_tools", '{"query": "dance"}', ToolContext(companion="Numen")
    )

    assert not finished.ok
    assert "Take names from the description" in finished.message
    assert "To be found: fish, locate_structure." in registry.resolve("find_tools").description


async def test_without_it_every_tool_is_in_every_request() -> None:
    registry = registry_with()
    registry.remove("find_tools")
    catalogue = Catalogue(registry)

    specs = await catalogue.specs()
    assert [each.name for each in specs] == ["mine", "fish", "locate_structure", "say"]
    assert await catalogue.specs() is specs
    registry.remove("fish")
    assert [each.name for each in await catalogue.specs()] == ["mine", "locate_structure", "say"]


def test_names_that_hold_a_keyword_come_first_and_there_are_never_more_than_eight() -> None:
    registry = ToolRegistry()
    finder = FindTools(registry)
    registry.register(finder)
    for number in range(12):

        @tool(name=f"thing_{number}")
        def thing() -> None:
            """Counts stars."""

        registry.register(thing)

    @tool(name="stars")
    def stars() -> None:
        """Shows the sky."""

    registry.register(stars)
    found, _ = finder.search("the stars please")

    assert [each.name for each in found][:2] == ["stars", "thing_0"]
    assert len(found) == 8
    shown = Disclosure(registry)
    shown.show("thing_3", "gone", "thing_3")
    assert [each.name for each in shown.tools()] == ["find_tools", "thing_3"]
