"""What a companion has made for somebody: one record an asset, one file an owner.

The file is `{"assets": [...]}`, an object of the fields below each, as MineClawd writes it: `entityX`,
`entityY` and `entityZ` are left out where there are none, categories stand in capitals and are read in any
case. Times are milliseconds since 1970.
"""

from __future__ import annotations

import logging
import math
import re
import shutil
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

from numen.session.files import parse_json, set_aside, write_json
from numen.session.people import owner_key

log = logging.getLogger(__name__)

MAX_ID: Final = 32
MAX_NAME: Final = 100
MAX_SUMMARY: Final = 260
MAX_SCRIPT_PATH: Final = 260
MAX_DETAILS: Final = 2_000
MAX_NBT: Final = 2_000
MAX_COMMAND: Final = 2_000
MAX_IDENTIFIER: Final = 64
MAX_SESSION_ID: Final = 32
#: A file is not read beyond this size, in bytes.
MAX_FILE: Final = 32 * 1024 * 1024
MAX_ASSETS: Final = 2_000
#: Farther than this from the middle nothing can stand (vanilla 1.21.1).
MAX_COORDINATE: Final = 30_000_000.0

#: Stands behind a record in lists whose words may be those of others.
MADE_AMONG_OTHERS: Final = "(made while others spoke)"

#: Category → (its name for people, other words for it).
CATEGORIES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "entities": ("Entities", ("entity", "special_entity", "special_entities")),
    "items_blocks_fluids": (
        "Items-Blocks-Fluids",
        ("item", "items", "block", "blocks", "fluid", "fluids", "dynamic_content"),
    ),
    "special_items": ("Special Items", ("special_item", "nbt_item", "nbt_items")),
    "commands": ("Commands", ("command",)),
    "game_mechanics": (
        "Game Mechanics",
        ("game_mechanic", "mechanic", "mechanics", "gameplay"),
    ),
}
_ALIASES: Final = {
    word: category for category, (_, others) in CATEGORIES.items() for word in (category, *others)
}


class AssetError(ValueError):
    """An asset that cannot be kept or found. The message says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """One record. Texts are "" and coordinates None where nothing is known; `foreign` tells that words of
    others were in the conversation that it was made in."""

    id: str
    category: str
    name: str
    summary: str = ""
    script_path: str = ""
    details: str = ""
    content_id: str = ""
    special_item_id: str = ""
    special_item_nbt: str = ""
    command: str = ""
    entity_uuid: str = ""
    entity_dimension: str = ""
    entity_x: float | None = None
    entity_y: float | None = None
    entity_z: float | None = None
    session_id: str = ""
    created_at: int = 0
    updated_at: int = 0
    foreign: bool = False

    @property
    def label(self) -> str:
        """The category as people read it."""
        return CATEGORIES[self.category][0]

    @property
    def position(self) -> tuple[float, float, float] | None:
        """Where the entity was, when all of it is known."""
        if self.entity_x is None or self.entity_y is None or self.entity_z is None:
            return None
        return self.entity_x, self.entity_y, self.entity_z

    @property
    def key(self) -> str:
        """The one thing by which an asset of its category is used; "" when that is unknown."""
        if self.category == "entities":
            where = " ".join(f"{each:g}" for each in self.position or ())
            return " ".join(each for each in (self.entity_uuid, self.entity_dimension, where) if each)
        if self.category == "items_blocks_fluids":
            return self.content_id
        if self.category == "special_items":
            return self.special_item_id + self.special_item_nbt
        return self.command if self.category == "commands" else self.script_path

    def line(self) -> str:
        """The asset in one line for a list."""
        shown = f"{self.id} [{self.label}] {self.name}"
        if self.summary:
            shown += f": {self.summary}"
        if self.key:
            shown += f" ({_cut(self.key, 120)})"
        return f"{shown} {MADE_AMONG_OTHERS}" if self.foreign else shown

    def to_json(self) -> dict[str, Any]:
        """The record as the file has it."""
        record = {_camel(each.name): getattr(self, each.name) for each in fields(self)}
        record["category"] = self.category.upper()
        if not self.foreign:
            del record["foreign"]
        return {name: value for name, value in record.items() if value is not None}


def category_of(text: str) -> str:
    """The category that `text` names. Raises AssetError listing those there are."""
    word = re.sub(r"[\s-]+", "_", text.strip().casefold())
    category = _ALIASES.get(word)
    if category is None:
        known = ", ".join(CATEGORIES).upper()
        raise AssetError(
            f"{text.strip()!r} is no category; there are {known}"
            if word
            else f"a category is needed: {known}"
        )
    return category


def asset(values: Mapping[str, Any]) -> Asset:
    """A record of `values` by field name (snake_case), each within its limits.

    Raises AssetError without a category or a name.
    """
    name = _line(values.get("name"), MAX_NAME)
    category = category_of(str(values.get("category") or ""))
    if not name:
        raise AssetError("an asset needs a name")
    return Asset(
        id=_identifier(values.get("id"), MAX_ID),
        category=category,
        name=name,
        summary=_line(values.get("summary"), MAX_SUMMARY),
        script_path=_line(values.get("script_path"), MAX_SCRIPT_PATH),
        details=_text(values.get("details"), MAX_DETAILS),
        content_id=_identifier(values.get("content_id")),
        special_item_id=_identifier(values.get("special_item_id")),
        special_item_nbt=_line(values.get("special_item_nbt"), MAX_NBT),
        command=_line(values.get("command"), MAX_COMMAND),
        entity_uuid=_uuid(values.get("entity_uuid")),
        entity_dimension=_identifier(values.get("entity_dimension")),
        entity_x=_coordinate(values.get("entity_x")),
        entity_y=_coordinate(values.get("entity_y")),
        entity_z=_coordinate(values.get("entity_z")),
        session_id=_line(values.get("session_id"), MAX_SESSION_ID),
        created_at=_millis(values.get("created_at")),
        updated_at=_millis(values.get("updated_at")),
        foreign=values.get("foreign") is True,
    )


class AssetBook:
    """The assets of one owner."""

    def __init__(self, file: Path, *, now: Callable[[], float] = time.time) -> None:
        """`file` need not exist. `now` is in seconds since 1970."""
        self.file = file
        self._now = now
        self._stamp: tuple[int, int] | None = None
        self._assets: dict[str, Asset] = {}

    def all(self) -> list[Asset]:
        """Every asset, the one changed last first."""
        return sorted(self._load().values(), key=lambda each: (-each.updated_at, each.id))

    def get(self, reference: str) -> Asset:
        """The asset with that id, else with that name, regardless of case. Raises AssetError."""
        found = self.find(reference)
        if found is None:
            known = ", ".join(each.id for each in self.all()[:20]) or "none"
            raise AssetError(f"there is no asset {reference.strip()!r}; there are: {known}")
        return found

    def find(self, reference: str) -> Asset | None:
        """As `get`; None when there is no such asset."""
        wanted = " ".join(reference.split()).casefold()
        if not wanted:
            return None
        assets = self._load()
        return assets.get(wanted) or next(
            (each for each in self.all() if each.name.casefold() == wanted), None
        )

    def upsert(self, values: Mapping[str, Any]) -> tuple[Asset, bool]:
        """Keep a record of `values` by field name; returns it, and whether it is new.

        With an id that is a record's id or name, that record is replaced whole: what is not given becomes
        blank, only its id and the time of its making stay. Without one the id is made of category and name.
        Raises AssetError, and OSError when it cannot be written.
        """
        fresh = asset(values)
        assets = self._load()
        given = str(values.get("id") or "").strip()
        old = self.find(given) if given else None
        if old is None and len(assets) >= MAX_ASSETS:
            raise AssetError(f"there are {MAX_ASSETS} assets already; remove one first")
        now = int(self._now() * 1000)
        fresh = replace(
            fresh,
            id=old.id if old else fresh.id if fresh.id else _free_id(fresh, assets),
            created_at=old.created_at if old else now,
            updated_at=now,
        )
        self._save({**assets, fresh.id: fresh})
        return fresh, old is None

    def remove(self, reference: str) -> Asset:
        """Take a record away. Raises AssetError when there is none, OSError when it cannot be written."""
        found = self.get(reference)
        self._save({key: each for key, each in self._load().items() if key != found.id})
        return found

    def move(self, reference: str, dimension: str, position: tuple[float, float, float]) -> Asset:
        """Note where an entity stands now. Raises AssetError and OSError."""
        found = self.get(reference)
        moved = replace(
            found,
            entity_dimension=_identifier(dimension) or found.entity_dimension,
            entity_x=_coordinate(position[0]),
            entity_y=_coordinate(position[1]),
            entity_z=_coordinate(position[2]),
            updated_at=int(self._now() * 1000),
        )
        self._save({**self._load(), moved.id: moved})
        return moved

    # -- the file ----------------------------------------------------------------------------------------

    def _load(self) -> dict[str, Asset]:
        stamp = _stamp(self.file)
        if stamp != self._stamp:
            self._assets = self._read() if stamp is not None else {}
            self._stamp = _stamp(self.file)
        return self._assets

    def _read(self) -> dict[str, Asset]:
        """Raises OSError for a file that is there and cannot be read: to go on would overwrite it."""
        if self.file.stat().st_size > MAX_FILE:
            return self._set_aside("it is too large")
        try:
            records = parse_json(self.file)["assets"]
            if not isinstance(records, list):
                raise TypeError("its assets are no list")
        except (ValueError, TypeError, KeyError) as error:
            return self._set_aside(str(error) or type(error).__name__)
        assets: dict[str, Asset] = {}
        lost = 0
        for record in records:
            try:
                one = asset({_snake(key): value for key, value in record.items()})
            except (AssetError, AttributeError, TypeError):
                lost += 1
                continue
            kept = one if one.id and one.id not in assets else replace(one, id=_free_id(one, assets))
            assets[kept.id] = kept
        if lost:
            # A record that we do not understand must outlive our next writing.
            shutil.copyfile(self.file, self.file.with_name(f"{self.file.name}.before-{self._now():.0f}"))
            log.warning("%s: %d records were not understood; a copy was kept", self.file, lost)
        return assets

    def _save(self, assets: Mapping[str, Asset]) -> None:
        order = sorted(assets.values(), key=lambda each: (-each.updated_at, each.id))
        write_json(self.file, {"assets": [each.to_json() for each in order]})
        self._assets = dict(assets)
        self._stamp = _stamp(self.file)

    def _set_aside(self, why: str) -> dict[str, Asset]:
        if set_aside(self.file) is None:
            # To go on as if there were none would overwrite it.
            raise AssetError(f"the records are damaged ({why}) and cannot be moved away")
        return {}


class AssetBooks:
    """The books of everybody, in one data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._books: dict[str, AssetBook] = {}

    def of(self, owner: str | None) -> AssetBook:
        """The book of `owner`, the same each time; that of nobody in particular for None."""
        name = owner_key(owner or "")
        if name not in self._books:
            self._books[name] = AssetBook(assets_path(self.folder, name))
        return self._books[name]


def assets_path(folder: Path, owner: str) -> Path:
    """Where the assets of `owner` lie under the data folder."""
    return folder / "assets" / f"{owner_key(owner)}.json"


# -- values within their limits ----------------------------------------------------------------------------


def _text(value: Any, limit: int) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else str(value)
    return text.replace("\r\n", "\n").strip()[:limit].rstrip()


def _line(value: Any, limit: int) -> str:
    return " ".join(_text(value, 4 * limit + 100).split())[:limit].rstrip()


def _identifier(value: Any, limit: int = MAX_IDENTIFIER) -> str:
    return _line(value, limit).lower()


def _uuid(value: Any) -> str:
    try:
        return str(uuid.UUID(_line(value, 64)))
    except ValueError:
        return ""


def _coordinate(value: Any) -> float | None:
    if value is None or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) and abs(number) <= MAX_COORDINATE else None


def _millis(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else 0


def _free_id(one: Asset, assets: Mapping[str, Asset]) -> str:
    """`category-name` as a slug, with -2, -3 … where that is taken."""
    base = re.sub(r"[^a-z0-9]+", "-", f"{one.category}-{one.name}".casefold()).strip("-")[:MAX_ID].strip("-")
    number, candidate = 1, base
    while candidate in assets:
        number += 1
        ending = f"-{number}"
        candidate = base[: MAX_ID - len(ending)].rstrip("-") + ending
    return candidate


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(each.capitalize() for each in rest)


def _snake(name: str) -> str:
    return re.sub(r"[A-Z]", lambda found: "_" + found[0].lower(), name)


def _stamp(file: Path) -> tuple[int, int] | None:
    try:
        stat = file.stat()
    except FileNotFoundError:
        return None
    return stat.st_mtime_ns, stat.st_size
