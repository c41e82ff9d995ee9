"""Tools found when they are needed, for models that cannot read much at once.

With `FindTools` in a registry, a request carries the core of the toolset and `find_tools`; what that finds is
in all requests from then on, at the end of the list, so that what a model has read before stays as it was.
Tools that are not shown work all the same when they are called.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any, Final

from numen.tool.contract import NumenTool, ToolCall
from numen.tool.registry import ToolRegistry, UnknownTool, fold

NAME: Final = "find_tools"
MOST: Final = 8
"""How many one search shows."""

CORE: Final = frozenset(
    {
        *("move_to", "follow", "mine", "craft", "place_block", "equip_item", "attack", "say"),
        *("get_self_status", "look_around", "scan_blocks", "task_stop", "load_skill", "ask-user-question"),
    }
)
"""What every companion needs every day."""

_WORD = re.compile(r"[a-z0-9\u4e00-\u9fff]+")


class FindTools:
    """The tool that finds tools."""

    name = NAME
    parallel_safe = True

    def __init__(self, registry: ToolRegistry, core: Collection[str] = CORE) -> None:
        self.registry = registry
        self.core = frozenset(core)

    @property
    def description(self) -> str:
        """The names to look for are part of it: they change only with the toolset itself."""
        names = ", ".join(each.name for each in self.registry if not self.is_core(each))
        return (
            "You have more tools than you see. Get some by name (select:a,b) or by keywords; they are in "
            f"your list from the next step on. To be found: {names}."
        )

    @property
    def parameter_schema(self) -> Mapping[str, Any]:
        return {
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "description": "`select:` and names with commas between them, or keywords.",
                }
            },
            "required": ["query"],
        }

    def is_core(self, tool: NumenTool) -> bool:
        return tool.name in self.core or tool.name == NAME

    async def invoke(self, call: ToolCall) -> None:
        found, missing = self.search(str(call.args().get("query", "")))
        shown = call.ctx.services.get(Disclosure)
        if isinstance(shown, Disclosure):
            shown.show(*(each.name for each in found))
        if found:
            message = "They are in your list of tools from now on."
        else:
            message = "Nothing fits. Take names from the description of this tool."
        data: dict[str, Any] = {
            "found": [{"name": each.name, "does": first_sentence(each.description)} for each in found]
        }
        if missing:
            data["not_found"] = missing
        call.complete(
            json.dumps({"success": bool(found), "message": message, "data": data}, ensure_ascii=False)
        )

    def search(self, query: str) -> tuple[list[NumenTool], list[str]]:
        """(tools, names that nobody has). Names that hold a keyword come before descriptions that do."""
        kind, _, names = query.partition(":")
        if names and fold(kind) == "select":
            return self._named([each.strip() for each in names.split(",") if each.strip()])
        words = _WORD.findall(query.casefold())
        ranked = []
        for order, tool in enumerate(self.registry):
            if tool.name == NAME:
                continue
            in_name = sum(each in fold(tool.name) for each in words)
            in_text = sum(each in tool.description.casefold() for each in words)
            if in_name or in_text:
                ranked.append((-in_name, -in_text, order, tool))
        return [tool for *_, tool in sorted(ranked, key=lambda each: each[:3])[:MOST]], []

    def _named(self, names: list[str]) -> tuple[list[NumenTool], list[str]]:
        found: dict[str, NumenTool] = {}
        missing = []
        for name in names:
            try:
                tool = self.registry.resolve(name)
                found[tool.name] = tool
            except UnknownTool:
                missing.append(name)
        return list(found.values())[:MOST], missing


class Disclosure:
    """Which tools one mind sees. It only ever grows, at its end."""

    def __init__(self, registry: ToolRegistry) -> None:
        self._registry = registry
        self._shown: dict[str, None] = {}

    @property
    def finder(self) -> FindTools | None:
        """The tool that finds tools; without one, all are seen."""
        tool = self._registry.resolve(NAME) if NAME in self._registry else None
        return tool if isinstance(tool, FindTools) else None

    def show(self, *names: str) -> None:
        """Let these be seen from now on."""
        self._shown.update(dict.fromkeys(names))

    def called(self, name: str) -> None:
        """A tool was called, shown or not: one that is used is seen."""
        if self.finder is None:
            return
        try:
            self.show(self._registry.resolve(name).name)
        except UnknownTool:
            return

    def tools(self) -> list[NumenTool]:
        """What a request carries, in order."""
        finder, everything = self.finder, self._registry.all()
        if finder is None:
            return everything
        by_name = {each.name: each for each in everything}
        core = [each for each in everything if finder.is_core(each)]
        later = [
            by_name[each] for each in self._shown if each in by_name and not finder.is_core(by_name[each])
        ]
        return [*core, *later]


def first_sentence(text: str, longest: int = 180) -> str:
    """The first sentence of a description."""
    sentence = " ".join(text.split()).split(". ")[0].rstrip(".") + "."
    return sentence if len(sentence) <= longest else sentence[: longest - 1] + "…"
