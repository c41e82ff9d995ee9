"""What can still be had of a packet with a mod's content in it.

A component, a metadata type, a particle or a recipe kind that we do not know has no length, so nothing behind
it can be found. The reader of a packet in `KEPT` then hands over to this module, which reads again, slowly:

- An unknown component is taken for one tag of NBT, if the packet then ends exactly where it should: most
  mods write components that way. The stack is whole, and goes back to the server byte for byte.
- Otherwise the stack is *opaque*: its item, its count, and the components before the unknown one. Its dict
  has the further key "opaque", the bytes from the unknown component on. It can't be encoded.
- What comes behind it is lost. The fields so far are a `Truncated` dict, and a list has the items so far.
- Of entity metadata the entries before the unknown one are kept, of an explosion all before its particles.
- Recipes go on where the next one must begin. One that is not understood keeps its name and kind; its data is
  None.

Any other broken packet is refused as a whole, and so is every packet that is not in `KEPT`: half a tree of
commands would be worse than none.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from typing import Any, Final

from protocol.compiler import Compiler, mapper_names
from protocol.runtime import Fault, UnknownKind, budget, lie, read_nbt, read_varint, too_much
from protocol.schema import Type

#: Clientbound packets of the play state of which a part is worth having.
KEPT: Final = frozenset(
    {
        *("set_slot", "window_items", "entity_equipment", "entity_metadata", "trade_list", "explosion"),
        "declare_recipes",
    }
)
#: What a value costs that no compiled reader reads, in units of `protocol.limits`: some microseconds.
_SLOW: Final = 32
_BROKEN: Final = (IndexError, struct.error, ValueError, RecursionError)
_NOTHING: Final = object()

Scopes = list[dict[str, Any]]


class Truncated(dict[str, Any]):
    """Fields of a packet that was read in part."""

    def __init__(self, fields: dict[str, Any], why: str, left: int, stated: int | None = None) -> None:
        super().__init__(fields)
        #: What was not understood.
        self.why = why
        #: How many bytes were not read.
        self.left = left
        #: Where a list was cut short: how many items it was said to have.
        self.stated = stated


class _Cut(Exception):
    """At this offset something unknown begins. `value` is what there is of the value around it, if that is of
    use by itself."""

    def __init__(self, at: int, value: Any = _NOTHING, stated: int | None = None) -> None:
        super().__init__()
        self.at = at
        self.value = value
        self.stated = stated

    @property
    def of_use(self) -> bool:
        return self.value is not _NOTHING


def rescuer(compiler: Compiler, type_: Type) -> Callable[[bytes, int, UnknownKind], dict[str, Any]]:
    """What the reader of a packet of this type calls with its payload, the body's offset and what it met.

    Returns the fields, `Truncated` where some are missing. Raises what was met when nothing can be had.
    """
    _, fields = compiler.schema.resolve(type_)
    kinds = mapper_names(compiler.schema.resolve("SlotComponentType")[1])

    def rescue(b: bytes, start: int, unknown: UnknownKind) -> dict[str, Any]:
        whole = _Reading(compiler, kinds, b, take_for_tags=True)
        try:
            found, end = whole.container(fields, start, [])
            if end == len(b):
                return Truncated(found, str(unknown), 0) if whole.has_lost else found
        except (_Cut, *_BROKEN):
            pass
        try:
            _Reading(compiler, kinds, b, take_for_tags=False).container(fields, start, [])
        except _Cut as cut:
            return Truncated(cut.value, str(unknown), len(b) - cut.at, cut.stated)
        raise unknown

    return rescue


class _Reading:
    """One slow reading of a payload, which may take unknown components for tags of NBT.

    Its methods return a value and the offset behind it, and raise _Cut where something unknown begins.
    """

    def __init__(self, compiler: Compiler, kinds: dict[int, str], b: bytes, *, take_for_tags: bool) -> None:
        self._compiler = compiler
        self._kinds = kinds  # of components, by number
        self._b = b
        self._take_for_tags = take_for_tags
        #: Whether something was given up and reading went on behind it.
        self.has_lost = False

    def value(self, type_: Type, i: int, scopes: Scopes) -> tuple[Any, int]:
        """One value. The compiled readers read it, and what they refuse is taken apart."""
        kind, arguments = self._compiler.schema.resolve(type_)
        read = _PARTS.get(kind)
        if read is None or not self._compiler.meets_mods(type_):
            try:
                return self._compiler.read(type_, self._b, i)
            except UnknownKind:
                raise _Cut(i) from None
        if kind == "container" and type_ != "SlotComponent":
            try:
                return self._compiler.read(type_, self._b, i)
            except UnknownKind:
                self._charge(_SLOW)
        if type_ == "Slot":
            return self._stack(i)
        if type_ == "SlotComponent":
            return self._component(i)
        return read(self, arguments, i, scopes)

    def container(self, fields: Any, i: int, scopes: Scopes) -> tuple[dict[str, Any], int]:
        """A dict. One that is cut short is of use when it is the packet itself, or has all its fields."""
        here: dict[str, Any] = {}
        for field in fields:
            name = field["name"]
            try:
                here[name], i = self.value(field["type"], i, [here, *scopes])
            except _Cut as cut:
                if cut.of_use:
                    here[name] = cut.value
                is_whole = cut.of_use and field is fields[-1]
                of_use = here if is_whole or not scopes else _NOTHING
                raise _Cut(cut.at, of_use, None if scopes else cut.stated) from None
        return here, i

    def _charge(self, units: int) -> None:
        budget[0] -= units
        if budget[0] < 0:
            raise too_much()

    def _items(self, count: int, read: Callable[[int], tuple[Any, int]], i: int) -> tuple[list[Any], int]:
        """A list. One that is cut short is of use, with the item that was cut if that is."""
        if not 0 <= count <= len(self._b) - i:
            raise lie(count, len(self._b) - i)
        items: list[Any] = []
        for _ in range(count):
            self._charge(8)
            try:
                item, i = read(i)
            except _Cut as cut:
                raise _Cut(cut.at, [*items, cut.value] if cut.of_use else items, count) from None
            items.append(item)
        return items, i

    def _array(self, arguments: Any, i: int, scopes: Scopes) -> tuple[list[Any], int]:
        if _is_recipe(arguments["type"]):
            return self._recipes(arguments["type"], i)
        if "countType" in arguments:
            count, i = self.value(arguments["countType"], i, scopes)
        else:
            count = next(scope[arguments["count"]] for scope in scopes if arguments["count"] in scope)
        return self._items(count, lambda at: self.value(arguments["type"], at, scopes), i)

    def _option(self, inner: Type, i: int, scopes: Scopes) -> tuple[Any, int]:
        return self.value(inner, i + 1, scopes) if self._b[i] else (None, i + 1)

    def _switch(self, arguments: Any, i: int, scopes: Scopes) -> tuple[Any, int]:
        case = scopes[0].get(arguments["compareTo"])
        if not isinstance(case, str):
            raise _Cut(i)  # a number without a name
        return self.value(arguments["fields"].get(case, arguments.get("default", "void")), i, scopes)

    def _metadata(self, arguments: Any, i: int, scopes: Scopes) -> tuple[list[Any], int]:
        items: list[Any] = []
        for _ in range(arguments["endVal"]):
            if self._b[i] == arguments["endVal"]:
                break
            try:
                entry, i = self.value(arguments["type"], i, scopes)
            except _Cut as cut:
                raise _Cut(cut.at, [*items, cut.value] if cut.of_use else items) from None
            items.append(entry)
        return items, i + 1

    def _top_bit_array(self, arguments: Any, i: int, scopes: Scopes) -> tuple[list[Any], int]:
        head, *fields = arguments["type"][1]
        items: list[Any] = []
        for _ in range(128):
            first = self._b[i]
            try:
                rest, i = self.container(fields, i + 1, [{}, *scopes])
            except _Cut as cut:
                last = [{head["name"]: first & 127, **cut.value}] if cut.of_use else []
                raise _Cut(cut.at, items + last) from None
            items.append({head["name"]: first & 127, **rest})
            if first < 128:
                break
        return items, i

    # --- stacks ---

    def _stack(self, i: int) -> tuple[dict[str, Any], int]:
        b = self._b
        count, i = read_varint(b, i)
        item, i = read_varint(b, i)
        added, i = read_varint(b, i)
        removed, i = read_varint(b, i)
        stack: dict[str, Any] = {
            "itemCount": count,
            "itemId": item,
            "addedComponentCount": added,
            "removedComponentCount": removed,
            "components": [],
            "removeComponents": [],
        }
        try:
            stack["components"], i = self._items(added, self._component, i)
        except _Cut as cut:
            stack["components"] = cut.value
            stack["opaque"] = b[cut.at :]
            raise _Cut(cut.at, stack) from None
        numbers, i = self._items(removed, lambda at: read_varint(b, at), i)
        stack["removeComponents"] = [{"type": self._kinds.get(number, number)} for number in numbers]
        return stack, i

    def _component(self, i: int) -> tuple[dict[str, Any], int]:
        number, at = read_varint(self._b, i)
        name = self._kinds.get(number)
        if name is None:
            if not self._take_for_tags:
                raise _Cut(i)
            tag, at = read_nbt(self._b, at)
            if tag is None:
                raise _Cut(i)
            return {"type": number, "data": tag}, at
        try:
            return self._compiler.read("SlotComponent", self._b, i)
        except UnknownKind:  # of something within it
            self._charge(_SLOW)
        if not self._take_for_tags:
            raise _Cut(i)
        _, (_, data) = self._compiler.schema.resolve("SlotComponent")
        value, at = self.value(data["type"][1]["fields"][name], at, [{}])
        return {"type": name, "data": value}, at

    # --- recipes ---

    def _recipes(self, type_: Type, i: int) -> tuple[list[Any], int]:
        b = self._b
        count, i = read_varint(b, i)
        if not 0 <= count <= len(b) - i:
            raise lie(count, len(b) - i)
        read = self._compiler.compiled("read", type_)
        recipes: list[Any] = []
        while i < len(b):
            self._charge(8)
            try:
                recipe, i = read(b, i)
            except _BROKEN:
                recipe, i = self._odd_recipe(type_, i)
            recipes.append(recipe)
        self.has_lost |= len(recipes) != count
        return recipes, i

    def _odd_recipe(self, type_: Type, i: int) -> tuple[dict[str, Any], int]:
        """A recipe that is not understood, or only after another look, and where the next one begins."""
        self._charge(_SLOW)
        head = _recipe_head(self._b, i)
        if head is None:
            raise Fault("no recipe where one should begin")
        try:
            recipe, end = self.container(type_[1], i, [{}])
            if end == len(self._b) or _recipe_head(self._b, end):
                return recipe, end
        except (_Cut, *_BROKEN):
            pass
        self.has_lost = True
        name, kind, body = head
        names = mapper_names(type_[1][1]["type"][1])
        return {"name": name, "type": names.get(kind, kind), "data": None}, self._next_recipe(type_, body)

    def _next_recipe(self, type_: Type, start: int) -> int:
        """Where behind `start` a recipe of a known kind begins that is followed by another or by the end."""
        b = self._b
        read = self._compiler.compiled("read", type_)
        colon = b.find(b":", start)
        while colon >= 0:
            for i in range(max(start, colon - 64), colon - 1):
                if b[i] < colon - i or not _recipe_head(b, i):
                    continue
                self._charge(2 * _SLOW)
                try:
                    recipe, end = read(b, i)
                except _BROKEN:
                    continue
                in_book = 0 <= recipe["data"].get("category", 0) <= 3
                if in_book and (end == len(b) or _recipe_head(b, end)):
                    return i
            self._charge(2 * _SLOW)
            colon = b.find(b":", colon + 1)
        return len(b)


_LOCATION: Final = re.compile(rb"[a-z0-9_.-]+:[a-z0-9_./-]+")


def _recipe_head(b: bytes, i: int) -> tuple[str, int, int] | None:
    """The name and the kind of a recipe that may begin at an offset, and where its body does."""
    size = b[i]
    name = b[i + 1 : i + 1 + size]
    if size > 127 or len(name) < size or not _LOCATION.fullmatch(name):
        return None
    try:
        kind, body = read_varint(b, i + 1 + size)
    except (IndexError, Fault):
        return None
    return (name.decode(), kind, body) if 0 <= kind < 0x10000 else None


def _is_recipe(type_: Type) -> bool:
    """Whether the items of a list are recipes: a name, a kind, and data by the kind."""
    return type_[0] == "container" and [field["name"] for field in type_[1]] == ["name", "type", "data"]


_PARTS: Final = {
    "array": _Reading._array,
    "container": _Reading.container,
    "entityMetadataLoop": _Reading._metadata,
    "option": _Reading._option,
    "switch": _Reading._switch,
    "topBitSetTerminatedArray": _Reading._top_bit_array,
}
