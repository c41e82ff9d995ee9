"""The catalogue of what was made for the owner, and using what stands in it."""

from __future__ import annotations

from typing import Any

from numen.session.assets import AssetBook, AssetBooks, AssetError
from numen.session.store import SessionStore
from numen.tool import TaskResult, ToolContext, ToolFailure, ToolRegistry, tool
from numen.tool.trust import trust_of

SHOWN = 100


@tool(name="list-assets")
def list_assets(context: ToolContext) -> str:
    """List the assets on record: what was made for your owner, the last change first."""
    assets = book_of(context).all()
    if not assets:
        return "No assets are on record."
    if any(each.foreign for each in assets[:SHOWN]):
        # What strangers once said must not come back as if the owner had.
        trust_of(context.services).taint("what stands in records made while others spoke")
    lines = [f"- {each.line()}" for each in assets[:SHOWN]]
    if len(assets) > SHOWN:
        lines.append(f"… and {len(assets) - SHOWN} more")
    return "\n".join([f"{len(assets)} assets:", *lines])


@tool(name="upsert-asset-record")
def upsert_asset_record(
    context: ToolContext,
    category: str,
    name: str,
    id: str | None = None,  # noqa: A002 - the word of the record
    summary: str | None = None,
    script_path: str | None = None,
    details: str | None = None,
    content_id: str | None = None,
    special_item_id: str | None = None,
    special_item_nbt: str | None = None,
    command: str | None = None,
    entity_uuid: str | None = None,
    entity_dimension: str | None = None,
    entity_x: float | None = None,
    entity_y: float | None = None,
    entity_z: float | None = None,
    session_id: str | None = None,
) -> str:
    """Put something on record that was made for your owner, or replace a record as a whole: fields that are
    not given become blank.

    Args:
        category: ENTITIES, ITEMS_BLOCKS_FLUIDS, SPECIAL_ITEMS, COMMANDS or GAME_MECHANICS.
        name: What it is called.
        id: The id of the record to replace; leave it out for a new one.
        summary: One line on what it is.
        script_path: The script that it comes from.
        details: What one has to know to change it later.
        content_id: For items_blocks_fluids, its id such as minecraft:stone.
        special_item_id: For special_items, the item it is.
        special_item_nbt: For special_items, the components or data behind the item's id.
        command: For commands, how it is called.
        entity_uuid: For entities, which one it is.
        entity_dimension: For entities, where it is.
        entity_x: For entities, where it stands.
        entity_y: For entities, where it stands.
        entity_z: For entities, where it stands.
        session_id: The conversation it belongs to; filled in by itself.
    """
    values: dict[str, Any] = {key: value for key, value in locals().items() if key != "context"}
    values["foreign"] = trust_of(context.services).tainted is not None
    values["session_id"] = session_id or session_of(context)
    try:
        kept, new = book_of(context).upsert(values)
    except AssetError as error:
        raise ToolFailure(str(error)) from None
    except OSError as error:
        raise ToolFailure(f"the record could not be written: {error.strerror or error}") from None
    lines = [
        f"{'Created' if new else 'Updated'} asset {kept.id}",
        f"category: {kept.category.upper()}",
        f"name: {kept.name}",
    ]
    if kept.key:
        lines.append(f"key: {kept.key}")
    if kept.session_id:
        lines.append(f"session_id: {kept.session_id}")
    return "\n".join(lines)


@tool(name="remove-asset-record")
def remove_asset_record(
    context: ToolContext,
    id: str | None = None,  # noqa: A002 - the word of the record
    reference: str | None = None,
) -> TaskResult:
    """Take a record away. What it stands for stays as it is.

    Args:
        id: The id of the record.
        reference: Its id or its name.
    """
    wanted = (id or reference or "").strip()
    if not wanted:
        raise ToolFailure("say which record: its id, or a reference that is its id or name")
    try:
        gone = book_of(context).remove(wanted)
    except AssetError as error:
        raise ToolFailure(str(error)) from None
    except OSError as error:
        raise ToolFailure(f"the record could not be written: {error.strerror or error}") from None
    return TaskResult.ok(f"removed the record {gone.id} ({gone.name})")


def session_of(context: ToolContext) -> str:
    """The id of the conversation that this call belongs to; "" where there is but one."""
    store = context.services.get(SessionStore)
    active = store.active if isinstance(store, SessionStore) else None
    return active.id if active is not None else ""


def book_of(context: ToolContext) -> AssetBook:
    """The book of the person who is served: his own where one was lent, else by the owner's name."""
    own = context.services.get(AssetBook)
    return own if isinstance(own, AssetBook) else context.service(AssetBooks).of(context.owner)


def register(registry: ToolRegistry) -> None:
    """Add the tools of the catalogue."""
    for each in (list_assets, upsert_asset_record, remove_asset_record):
        registry.register(each)
