"""MineClawd's placeholders: items, blocks and fluids that get their nature at run time.

No client can change those of a server. Here they can be changed only as emulation, which stays with us.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from numen.mineclawd.placeholders import KINDS, PROPERTIES, Kind, PlaceholderError, Placeholders, Slot
from numen.tool import ToolContext, ToolFailure, ToolRegistry, tool
from tools.reading import hearsay

DISABLED = (
    "Dynamic placeholders are disabled here. They need MineClawd on the server with dynamic-registry-mode "
    "enabled, and a restart; a companion can't change those of a server itself."
)
EMULATED = "Emulation: this is kept by the companion only; nothing of it exists on the server."
#: Whoever may use MineClawd on that server may have given them.
NAMES = "the names of placeholders"


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


def _change(
    context: ToolContext, kind: Kind, slot: int | None, update: bool, values: dict[str, object]
) -> str:
    held = _local(context)
    try:
        if update:
            return _done("Updated", held.update(kind, slot if slot is not None else 0, **values))
        return _done("Registered", held.register(kind, slot, **values))
    except PlaceholderError as error:
        raise ToolFailure(str(error)) from None


@tool(name="list-dynamic-content")
def list_dynamic_content(context: ToolContext) -> str:
    """List the dynamic placeholders in use: items, blocks and fluids made at run time."""
    held, said = _shown(context)
    lines = [said]
    for kind in KINDS:
        active = held.active(kind)
        lines += [f"{kind}s: {len(active)} of 30 in use", *(f"  {each}" for each in active)]
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


@tool(name="register-dynamic-item")
def register_dynamic_item(
    context: ToolContext,
    slot: int | None = None,
    name: str | None = None,
    material_item: str | None = None,
    throwable: bool | None = None,
    throw_speed: float | None = None,
    throw_inaccuracy: float | None = None,
    throw_cooldown_ticks: int | None = None,
    consume_on_throw: bool | None = None,
    max_count: int | None = None,
    use_action: str | None = None,
    use_time_ticks: int | None = None,
    glint_mode: str | None = None,
) -> str:
    """Give a free item placeholder, or the one named, its nature. Ranges: list-dynamic-properties.

    Args:
        slot: Its number, 1 to 30; the first free one when left out.
    """
    values: dict[str, object] = {
        "name": name,
        "material_item": material_item,
        "throwable": throwable,
        "throw_speed": throw_speed,
        "throw_inaccuracy": throw_inaccuracy,
        "throw_cooldown_ticks": throw_cooldown_ticks,
        "consume_on_throw": consume_on_throw,
        "max_count": max_count,
        "use_action": use_action,
        "use_time_ticks": use_time_ticks,
        "glint_mode": glint_mode,
    }
    return _change(context, "item", slot, False, values)


@tool(name="register-dynamic-block")
def register_dynamic_block(
    context: ToolContext,
    slot: int | None = None,
    name: str | None = None,
    material_block: str | None = None,
    friction: float | None = None,
    velocity_multiplier: float | None = None,
    jump_velocity_multiplier: float | None = None,
    blast_resistance: float | None = None,
    use_material_sounds: bool | None = None,
) -> str:
    """Give a free block placeholder, or the one named, its nature. Ranges: list-dynamic-properties.

    Args:
        slot: Its number, 1 to 30; the first free one when left out.
    """
    values: dict[str, object] = {
        "name": name,
        "material_block": material_block,
        "friction": friction,
        "velocity_multiplier": velocity_multiplier,
        "jump_velocity_multiplier": jump_velocity_multiplier,
        "blast_resistance": blast_resistance,
        "use_material_sounds": use_material_sounds,
    }
    return _change(context, "block", slot, False, values)


@tool(name="register-dynamic-fluid")
def register_dynamic_fluid(
    context: ToolContext,
    slot: int | None = None,
    name: str | None = None,
    material_fluid: str | None = None,
    color: str | None = None,
    tick_rate: int | None = None,
    flow_speed: int | None = None,
    level_decrease_per_block: int | None = None,
    blast_resistance: float | None = None,
    infinite: bool | None = None,
) -> str:
    """Give a free fluid placeholder, or the one named, its nature. Ranges: list-dynamic-properties.

    Args:
        slot: Its number, 1 to 30; the first free one when left out.
    """
    values: dict[str, object] = {
        "name": name,
        "material_fluid": material_fluid,
        "color": color,
        "tick_rate": tick_rate,
        "flow_speed": flow_speed,
        "level_decrease_per_block": level_decrease_per_block,
        "blast_resistance": blast_resistance,
        "infinite": infinite,
    }
    return _change(context, "fluid", slot, False, values)


@tool(name="update-dynamic-item")
def update_dynamic_item(
    context: ToolContext,
    slot: int,
    name: str | None = None,
    material_item: str | None = None,
    throwable: bool | None = None,
    throw_speed: float | None = None,
    throw_inaccuracy: float | None = None,
    throw_cooldown_ticks: int | None = None,
    consume_on_throw: bool | None = None,
    max_count: int | None = None,
    use_action: str | None = None,
    use_time_ticks: int | None = None,
    glint_mode: str | None = None,
) -> str:
    """Change an active item placeholder; what is left out stays. Ranges: list-dynamic-properties.

    Args:
        slot: Its number, 1 to 30.
    """
    values: dict[str, object] = {
        "name": name,
        "material_item": material_item,
        "throwable": throwable,
        "throw_speed": throw_speed,
        "throw_inaccuracy": throw_inaccuracy,
        "throw_cooldown_ticks": throw_cooldown_ticks,
        "consume_on_throw": consume_on_throw,
        "max_count": max_count,
        "use_action": use_action,
        "use_time_ticks": use_time_ticks,
        "glint_mode": glint_mode,
    }
    return _change(context, "item", slot, True, values)


@tool(name="update-dynamic-block")
def update_dynamic_block(
    context: ToolContext,
    slot: int,
    name: str | None = None,
    material_block: str | None = None,
    friction: float | None = None,
    velocity_multiplier: float | None = None,
    jump_velocity_multiplier: float | None = None,
    blast_resistance: float | None = None,
    use_material_sounds: bool | None = None,
) -> str:
    """Change an active block placeholder; what is left out stays. Ranges: list-dynamic-properties.

    Args:
        slot: Its number, 1 to 30.
    """
    values: dict[str, object] = {
        "name": name,
        "material_block": material_block,
        "friction": friction,
        "velocity_multiplier": velocity_multiplier,
        "jump_velocity_multiplier": jump_velocity_multiplier,
        "blast_resistance": blast_resistance,
        "use_material_sounds": use_material_sounds,
    }
    return _change(context, "block", slot, True, values)


@tool(name="update-dynamic-fluid")
def update_dynamic_fluid(
    context: ToolContext,
    slot: int,
    name: str | None = None,
    material_fluid: str | None = None,
    color: str | None = None,
    tick_rate: int | None = None,
    flow_speed: int | None = None,
    level_decrease_per_block: int | None = None,
    blast_resistance: float | None = None,
    infinite: bool | None = None,
) -> str:
    """Change an active fluid placeholder; what is left out stays. Ranges: list-dynamic-properties.

    Args:
        slot: Its number, 1 to 30.
    """
    values: dict[str, object] = {
        "name": name,
        "material_fluid": material_fluid,
        "color": color,
        "tick_rate": tick_rate,
        "flow_speed": flow_speed,
        "level_decrease_per_block": level_decrease_per_block,
        "blast_resistance": blast_resistance,
        "infinite": infinite,
    }
    return _change(context, "fluid", slot, True, values)


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
