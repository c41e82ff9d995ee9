"""MineClawd's placeholders: items, blocks and fluids that get their nature at run time.

No client can change those of a server. Here they can be changed only as emulation, which stays with us.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from numen.mineclawd.placeholders import (
    KINDS,
    PROPERTIES,
    SLOTS,
    Kind,
    PlaceholderError,
    Placeholders,
    Slot,
)
from numen.tool import FunctionTool, ToolContext, ToolFailure, ToolRegistry, tool
from tools.reading import hearsay

DISABLED = (
    "Dynamic placeholders are disabled here. They need MineClawd on the server with dynamic-registry-mode "
    "enabled, and a restart; a companion can't change those of a server itself."
)
EMULATED = "Emulation: this is kept by the companion only; nothing of it exists on the server."
#: Whoever may use MineClawd on that server may have given them.
NAMES = "the names of placeholders"

#: What a model gives for a property of that type.
_TYPES: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("text", "material", "word", "color"), str),
    "flag": bool,
    "whole": int,
    "number": float,
}


@dataclass(frozen=True, slots=True)
class PlaceholderBook:
    """The placeholders that tools work with. `local` is there where emulation is on; `told` has those of the
    server the companion is on."""

    local: Placeholders | None
    told: Callable[[], Placeholders | None] = lambda: None


def called(context: ToolContext, identifiers: Iterable[str | None]) -> dict[str, Any]:
    """What the server calls those of the things that are placeholders of its mod, to go into a result; empty
    where none is."""
    book = context.services.get(PlaceholderBook)
    told = book.told() if isinstance(book, PlaceholderBook) else None
    if told is None:
        return {}
    named = {each: told.name_of(each) for each in dict.fromkeys(identifiers) if each is not None}
    found = {each: name for each, name in named.items() if name is not None}
    return {"called": found, "called_is": hearsay(context, NAMES)} if found else {}


def _shown(context: ToolContext) -> tuple[Placeholders, str]:
    """The placeholders to read, and what must be said of them."""
    book = context.service(PlaceholderBook)
    told = book.told()
    if told is not None and told.enabled:
        return told, f"As the server told them: {hearsay(context, NAMES)}"
    if book.local is not None:
        return book.local, EMULATED
    raise ToolFailure(DISABLED)


def _local(context: ToolContext) -> Placeholders:
    """The placeholders that can be changed."""
    local = context.service(PlaceholderBook).local
    if local is None:
        raise ToolFailure(DISABLED)
    return local


def _done(word: str, slot: Slot) -> str:
    lines = [EMULATED, f"{word} {slot}"]
    if slot.kind == "item" and slot.active and slot.values["name"]:
        name = str(slot.values["name"]).replace("\\", "").replace('"', "").replace("'", "")
        give = f"""/give <player> {slot.values["material_item"]}[custom_name='{{"text":"{name}"}}'] 1"""
        lines.append(f"To hand out a likeness of it, an operator can run: {give}")
    return "\n".join(lines)


@tool(name="list-dynamic-content")
def list_dynamic_content(context: ToolContext) -> str:
    """List the dynamic placeholders in use: items, blocks and fluids made at run time."""
    held, said = _shown(context)
    lines = [said]
    for kind in KINDS:
        active = held.active(kind)
        lines += [f"{kind}s: {len(active)} of {SLOTS} in use", *(f"  {each}" for each in active)]
    return "\n".join(lines)


@tool(name="list-dynamic-properties")
def list_dynamic_properties(
    context: ToolContext,
    type: Literal["all", "item", "block", "fluid"] = "all",  # noqa: A002
) -> str:
    """List the properties that dynamic placeholders have, with their ranges.

    Args:
        type: Which kind to tell of.
    """
    lines: list[str] = []
    for kind in KINDS:
        if type in ("all", kind):
            lines += [f"{kind}:", *(f"  {key}: {rule}" for key, rule in PROPERTIES[kind].items())]
    return "\n".join(lines)


def _changing(kind: Kind, word: Literal["register", "update"]) -> FunctionTool:
    """The tool that registers or updates placeholders of that kind; its parameters are their properties."""
    update = word == "update"

    def change(context: ToolContext, slot: int | None = None, **values: object) -> str:
        held = _local(context)
        try:
            if update:
                return _done("Updated", held.update(kind, slot if slot is not None else 0, **values))
            return _done("Registered", held.register(kind, slot, **values))
        except PlaceholderError as error:
            raise ToolFailure(str(error)) from None

    types: dict[str, Any] = {"slot": int if update else int | None}
    types |= {key: _TYPES[rule.type] | None for key, rule in PROPERTIES[kind].items()}
    place, without = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
    parameters = [
        inspect.Parameter(key, place, default=without if key == "slot" and update else None, annotation=each)
        for key, each in types.items()
    ]
    taking_context = inspect.Parameter("context", place, annotation=ToolContext)
    change.__signature__ = inspect.Signature([taking_context, *parameters])  # type: ignore[attr-defined]
    change.__annotations__ = {"context": ToolContext, **types, "return": str}
    if update:
        does = f"Change an active {kind} placeholder; what is left out stays."
        which = f"1 to {SLOTS}."
    else:
        does = f"Give a free {kind} placeholder, or the one named, its nature."
        which = f"1 to {SLOTS}; the first free one when left out."
    change.__doc__ = f"{does} Ranges: list-dynamic-properties.\n\nArgs:\n    slot: Its number, {which}\n"
    return tool(name=f"{word}-dynamic-{kind}")(change)


register_dynamic_item = _changing("item", "register")
register_dynamic_block = _changing("block", "register")
register_dynamic_fluid = _changing("fluid", "register")
update_dynamic_item = _changing("item", "update")
update_dynamic_block = _changing("block", "update")
update_dynamic_fluid = _changing("fluid", "update")


@tool(name="unregister-dynamic-content")
def unregister_dynamic_content(
    context: ToolContext,
    type: Literal["item", "block", "fluid"],  # noqa: A002
    slot: int,
) -> str:
    """Make the slot of a dynamic placeholder free again.

    Args:
        type: Its kind.
        slot: Its number, 1 to 30.
    """
    try:
        return _done("Unregistered", _local(context).unregister(type, slot))
    except PlaceholderError as error:
        raise ToolFailure(str(error)) from None


def register(registry: ToolRegistry) -> None:
    """Add the tools of placeholders."""
    for each in (
        list_dynamic_content,
        list_dynamic_properties,
        register_dynamic_item,
        register_dynamic_block,
        register_dynamic_fluid,
        update_dynamic_item,
        update_dynamic_block,
        update_dynamic_fluid,
        unregister_dynamic_content,
    ):
        registry.register(each)
