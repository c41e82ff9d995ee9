"""MineClawd's placeholders: 30 items, 30 blocks and 30 fluids that get a name and a nature at run time.

Numbers out of range are brought into it; a word or an id that isn't known is an error, as is a slot outside
1 to 30. The JSON is that of the mod's sync payload: all 90 slots, empty ones included.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, cast

from numen.session.files import parse_json, set_aside, write_json
from protocol.game import GAME, UnknownName

log = logging.getLogger(__name__)

SLOTS: Final = 30
Kind = Literal["item", "block", "fluid"]
KINDS: Final[tuple[Kind, ...]] = ("item", "block", "fluid")
Value = str | int | float | bool | None

LONGEST_NAME: Final = 80
USE_ACTIONS: Final = (
    *("material", "none", "eat", "drink", "bow", "spear", "crossbow", "spyglass", "toot_horn", "brush"),
    "block",
)
FLUIDS: Final = ("minecraft:water", "minecraft:flowing_water", "minecraft:lava", "minecraft:flowing_lava")


class PlaceholderError(ValueError):
    """The slot or a property can't be so. The message says what can."""


@dataclass(frozen=True, slots=True)
class Property:
    """What a property may be. A number has `low` and `high`; None as `default` stands for the material's."""

    type: Literal["text", "material", "flag", "whole", "number", "word", "color"]
    default: Value
    low: float = 0
    high: float = 0
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        match self.type:
            case "whole" | "number":
                allowed = f"{self.low:g}..{self.high:g}"
            case "word":
                allowed = "|".join(self.words)
            case "flag":
                allowed = "true|false"
            case "text":
                allowed = f"up to {LONGEST_NAME} characters"
            case "color":
                allowed = "#RRGGBB, or default"
            case _:
                allowed = "a vanilla id"
        return f"{allowed} (default {'material' if self.default is None else self.default})"


def _number(low: float, high: float, default: float | None) -> Property:
    return Property("number", default, low, high)


def _whole(low: int, high: int, default: int) -> Property:
    return Property("whole", default, low, high)


_NAME: Final = Property("text", "")
PROPERTIES: Final[Mapping[Kind, Mapping[str, Property]]] = {
    "item": {
        "name": _NAME,
        "material_item": Property("material", "minecraft:stick"),
        "throwable": Property("flag", False),
        "throw_speed": _number(0.1, 4, 1.5),
        "throw_inaccuracy": _number(0, 5, 1.0),
        "throw_cooldown_ticks": _whole(0, 1200, 0),
        "consume_on_throw": Property("flag", True),
        "max_count": _whole(0, 99, 0),
        "use_action": Property("word", "material", words=USE_ACTIONS),
        "use_time_ticks": _whole(0, 72_000, 0),
        "glint_mode": Property("word", "material", words=("material", "true", "false")),
    },
    "block": {
        "name": _NAME,
        "material_block": Property("material", "minecraft:stone"),
        "friction": _number(0, 2, None),
        "velocity_multiplier": _number(0, 10, 1.0),
        "jump_velocity_multiplier": _number(0, 10, 1.0),
        "blast_resistance": _number(0, 1200, None),
        "use_material_sounds": Property("flag", True),
    },
    "fluid": {
        "name": _NAME,
        "material_fluid": Property("material", "minecraft:water"),
        "color": Property("color", None),
        "tick_rate": _whole(1, 200, 5),
        "flow_speed": _whole(1, 16, 4),
        "level_decrease_per_block": _whole(1, 8, 1),
        "blast_resistance": _number(0, 1200, 100.0),
        "infinite": Property("flag", True),
    },
}


@dataclass(slots=True)
class Slot:
    """One placeholder. `number` counts from 1."""

    kind: Kind
    number: int
    active: bool = False
    values: dict[str, Value] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """``mineclawd:dynamic_item_007``."""
        return f"mineclawd:dynamic_{self.kind}_{self.number:03}"

    def __str__(self) -> str:
        told = ", ".join(f"{key}={value}" for key, value in self.values.items() if key != "name")
        return f"{self.number}. {self.id} {self.values['name']!r}: {told}"


def _defaults(kind: Kind) -> dict[str, Value]:
    return {key: each.default for key, each in PROPERTIES[kind].items()}


class Placeholders:
    """All 90 slots. With a `file` each change is kept there before it counts."""

    def __init__(self, file: Path | None = None) -> None:
        self.enabled = True
        self._file = file
        self._slots: dict[Kind, list[Slot]] = {}
        self._reset()
        if file is not None:
            self._load(file)

    def _reset(self) -> None:
        self._slots = {
            kind: [Slot(kind, number, False, _defaults(kind)) for number in range(1, SLOTS + 1)]
            for kind in KINDS
        }

    def active(self, kind: Kind) -> list[Slot]:
        """The slots of that kind that are in use."""
        return [each for each in self._slots[kind] if each.active]

    def register(self, kind: Kind, slot: int | None = None, **values: object) -> Slot:
        """Take a slot, the first free one where none is named; one that is in use is replaced. Raises
        PlaceholderError."""
        if slot is None:
            free = next((each for each in self._slots[kind] if not each.active), None)
            if free is None:
                raise PlaceholderError(f"all {SLOTS} {kind} slots are in use; unregister one, or name a slot")
            slot = free.number
        return self._put(kind, slot, _defaults(kind), values)

    def update(self, kind: Kind, slot: int, **values: object) -> Slot:
        """Change an active slot; what is not named stays. Raises PlaceholderError."""
        old = self._at(kind, slot)
        if not old.active:
            raise PlaceholderError(f"{kind} slot {slot} is not in use; register it first")
        return self._put(kind, slot, dict(old.values), values)

    def unregister(self, kind: Kind, slot: int) -> Slot:
        """Make a slot free. Raises PlaceholderError where it was not in use."""
        if not self._at(kind, slot).active:
            raise PlaceholderError(f"{kind} slot {slot} is not in use")
        return self._change(Slot(kind, slot, False, _defaults(kind)))

    def name_of(self, identifier: str) -> str | None:
        """The name that was given to an id of the mod, as ``mineclawd:dynamic_fluid_bucket_004``; None for
        one that is no active placeholder's."""
        match = re.fullmatch(
            r"mineclawd:(?:flowing_)?dynamic_(item|block|fluid)(?:_block|_bucket)?_(\d{3})", identifier
        )
        if match is None or not 1 <= int(match[2]) <= SLOTS:
            return None
        slot = self._slots[cast(Kind, match[1])][int(match[2]) - 1]
        return str(slot.values["name"]) or None if slot.active and self.enabled else None

    def to_json(self) -> dict[str, Any]:
        """As the sync payload has it."""
        return {
            "enabled": self.enabled,
            **{f"{kind}s": [self._slot_json(each) for each in self._slots[kind]] for kind in KINDS},
        }

    @staticmethod
    def _slot_json(slot: Slot) -> dict[str, Any]:
        values = {key: value for key, value in slot.values.items() if value is not None}
        return {"slot": slot.number, "active": slot.active, **values}

    def take(self, value: Mapping[str, Any]) -> None:
        """Become what a sync payload says. What of it can't be is left at its default, with a line in the
        log; `enabled: false` makes every slot free."""
        self._reset()
        self.enabled = value.get("enabled") is True
        if not self.enabled:
            return
        for kind in KINDS:
            entries = value.get(f"{kind}s")
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, dict) and entry.get("active") is True:
                    self._take_slot(kind, entry)

    def _take_slot(self, kind: Kind, entry: Mapping[str, Any]) -> None:
        try:
            slot = self._at(kind, entry.get("slot"))
        except PlaceholderError as error:
            log.warning("a placeholder is left out: %s", error)
            return
        slot.active = True
        for key in PROPERTIES[kind].keys() & entry.keys():
            try:
                slot.values[key] = _checked(kind, key, entry[key])
            except PlaceholderError as error:
                log.warning("of %s: %s", slot.id, error)

    def _at(self, kind: Kind, slot: object) -> Slot:
        if not isinstance(slot, int) or isinstance(slot, bool) or not 1 <= slot <= SLOTS:
            raise PlaceholderError(f"slot must be 1 to {SLOTS}")
        return self._slots[kind][slot - 1]

    def _put(self, kind: Kind, slot: int, base: dict[str, Value], values: Mapping[str, object]) -> Slot:
        self._at(kind, slot)
        given = {key: _checked(kind, key, value) for key, value in values.items() if value is not None}
        return self._change(Slot(kind, slot, True, {**base, **given}))

    def _change(self, slot: Slot) -> Slot:
        """Put `slot` in its place, once that is written down."""
        old = self._slots[slot.kind][slot.number - 1]
        self._slots[slot.kind][slot.number - 1] = slot
        try:
            self._save()
        except OSError:
            self._slots[slot.kind][slot.number - 1] = old
            raise
        return slot

    def _save(self) -> None:
        if self._file is not None:
            write_json(self._file, self.to_json())

    def _load(self, file: Path) -> None:
        try:
            value = parse_json(file)
            if not isinstance(value, dict):
                raise ValueError("it is no JSON object")
        except FileNotFoundError:
            return
        except ValueError:
            if set_aside(file) is None:
                raise  # to go on as if there were none would overwrite it
            return
        self.take(value)
        self.enabled = True


def _checked(kind: Kind, key: str, value: object) -> Value:
    """`value` as that property has it. Raises PlaceholderError."""
    rule = PROPERTIES[kind].get(key)
    if rule is None:
        raise PlaceholderError(f"{kind}s have no property {key}; known: {', '.join(PROPERTIES[kind])}")
    text = str(value).strip()
    match rule.type:
        case "flag" if isinstance(value, bool):
            return value
        case "whole" | "number" if isinstance(value, int | float) and not isinstance(value, bool):
            if math.isnan(value):
                raise PlaceholderError(f"{key} must be a number")
            clamped = min(max(value, rule.low), rule.high)
            return int(clamped) if rule.type == "whole" else float(clamped)
        case "text" if text:
            return text[:LONGEST_NAME]
        case "word" if text.lower() in rule.words:
            return text.lower()
        case "color" if text.lower() in ("default", "none", "material"):
            return None
        case "color" if re.fullmatch(r"#?[0-9A-Fa-f]{6}", text):
            return f"#{text.removeprefix('#').upper()}"
        case "material":
            return _material(kind, text)
        case _:
            raise PlaceholderError(f"{key} can't be {value!r}; it may be {rule}")


def _material(kind: Kind, text: str) -> str:
    """The full id of a vanilla item, block or fluid."""
    name = text.lower() if ":" in text else f"minecraft:{text.lower()}"
    try:
        if kind == "fluid":
            known = name if name in FLUIDS else None
        else:
            known = GAME.item(name).name if kind == "item" else GAME.block(name).name
    except UnknownName:
        known = None
    if known is None or known == "minecraft:air":
        raise PlaceholderError(f"{text!r} is no vanilla {kind}")
    return known
