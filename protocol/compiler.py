"""Turns schema types into flat Python readers and writers.

A reader is `read(b: bytes, i: int) -> (value, i)`, a packet's reader `read(b, i) -> fields`, a packet's
writer `write(fields) -> bytes`. They are compiled when first asked for. What makes them fast:

- fields of fixed size that stand together become one struct;
- a switch compares the number on the wire, resolved from names while compiling;
- one-byte varints, by far the most, are read without a call;
- types used in many places are functions, small ones are written out where they are used.

`emit_read` and `emit_write` hold the statements; here is what both need to know of a type.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any, Final

from protocol import runtime
from protocol.limits import Limits
from protocol.schema import Schema, Type

#: struct codes of the numbers of fixed size.
NUMBERS: Final = {
    "i8": "b",
    "u8": "B",
    "i16": "h",
    "u16": "H",
    "i32": "i",
    "u32": "I",
    "i64": "q",
    "u64": "Q",
    "f32": "f",
    "f64": "d",
    "bool": "?",
}
#: A switch with more kinds of cases than this becomes a table of functions.
CHAIN: Final = 6
#: A function takes from the budget what its value weighs above this; up to this whoever calls it has taken.
LIGHT: Final = 8
_BIT_CODES: Final = {8: "B", 16: "H", 32: "I", 64: "Q"}
#: Units of values by kind, where they are not 1.
_WEIGHTS: Final = {
    "pstring": 3,
    "array": 2,
    "buffer": 2,
    "UUID": 8,
    "position": 4,
    "anonymousNbt": 4,
    "anonOptionalNbt": 4,
    "registryEntryHolderSet": 7,
    "customHolderSet": 7,
    "customIngredient": 2,
}
#: Kinds of values without others in them that have no fixed size.
_PLAIN: Final = frozenset({"varint", "varlong", "pstring", "buffer", "restBuffer", "mapper", "void"})

Reader = Callable[[bytes, int], tuple[Any, int]]


class SchemaError(ValueError):
    """A type that this compiler has no rule for."""


class Ref:
    """A field that later ones look at: its type, and the variable that holds its number as on the wire."""

    def __init__(self, kind: str, arguments: Any, raw: str) -> None:
        self.kind = kind
        self.arguments = arguments
        self.raw = raw


class Scope:
    """The fields of one container that were read or written so far."""

    def __init__(self, parent: Scope | None) -> None:
        self._parent = parent
        self.refs: dict[str, Ref] = {}
        #: Fields of enumerated numbers that are known to have names once the container is read.
        self.decided: frozenset[str] = frozenset()
        #: Whether some field looks at others; if none does, writers need not keep numbers in variables.
        self.is_watched = False

    def find(self, path: str) -> tuple[Ref, str | None]:
        """The field a path leads to, and the name of its part where the path goes into a bit field or
        flags.
        """
        scope: Scope | None = self
        steps = path.split("/")
        while steps[0] == "..":
            steps.pop(0)
            scope = scope._parent if scope else None
        if scope is None or steps[0] not in scope.refs:
            raise LookupError(path)
        return scope.refs[steps[0]], steps[1] if len(steps) > 1 else None


class Compiler:
    """Readers and writers of one schema."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        #: What generated code sees.
        self.namespace: dict[str, Any] = {
            name: value for name, value in vars(runtime).items() if not name.startswith("__")
        }
        self._constants: dict[str, str] = {}
        self._functions: dict[tuple[str, str], str] = {}
        self._pending: list[str] = []
        self._least: dict[str, int] = {}
        self._weights: dict[str, int] = {}
        self._meets_mods: dict[str, bool] = {}

    # --- functions ---

    def packet_reader(
        self, type_: Type, limits: Limits, rescue: Callable[..., dict[str, Any]] | None = None
    ) -> Callable[[bytes, int], dict[str, Any]]:
        """The reader of a packet's body from an offset to the very end, within limits. Where it meets a mod's
        content it returns what `rescue(payload, offset, UnknownKind)` does.
        """
        from protocol.emit_read import ReadEmitter

        emitter = ReadEmitter(self)
        value = emitter.packet(type_, limits)
        lines = [*emitter.finish(), f"    return {value}"]
        if rescue is not None:
            handler = f"return {self.constant('rescue_', key_of(type_), rescue)}(b, s, unknown)"
            lines = ["    s = i", "    try:", *(f"    {line}" for line in lines)]
            lines += ["    except UnknownKind as unknown:", f"        {handler}"]
        built: Callable[[bytes, int], dict[str, Any]] = self._build("def {name}(b, i):", lines)
        return built

    def packet_writer(self, packet_id: int, type_: Type) -> Callable[[Any], bytes]:
        """The writer of a packet, its id first."""
        from protocol.emit_write import WriteEmitter

        prefix = bytearray()
        runtime.write_varint(prefix, packet_id)
        emitter = WriteEmitter(self)
        emitter.packet(type_)
        head = [f"    out = bytearray({bytes(prefix)!r})"]
        built: Callable[[Any], bytes]
        built = self._build("def {name}(v):", [*head, *emitter.lines, "    return bytes(out)"])
        return built

    def reader_name(self, type_: Type) -> str:
        """The name of the function that reads a type, which is compiled along with whatever calls it."""
        key = ("read", key_of(type_))
        if key not in self._functions:
            name = self._function_name(key, type_)
            from protocol.emit_read import ReadEmitter

            emitter = ReadEmitter(self)
            emitter.charge(str(max(0, self.weight(type_) - LIGHT)))
            value = emitter.value(self._definition(type_), Scope(None))
            lines = [f"def {name}(b, i):", *emitter.finish(), f"    return {value}, i"]
            self._pending.append("\n".join(lines))
        return self._functions[key]

    def writer_name(self, type_: Type) -> str:
        """The name of the function `(out, v)` that writes a type."""
        key = ("write", key_of(type_))
        if key not in self._functions:
            name = self._function_name(key, type_)
            from protocol.emit_write import WriteEmitter

            emitter = WriteEmitter(self)
            emitter.value(self._definition(type_), "v", Scope(None))
            self._pending.append("\n".join([f"def {name}(out, v):", *(emitter.lines or ["    pass"])]))
        return self._functions[key]

    def _function_name(self, key: tuple[str, str], type_: Type) -> str:
        label = type_ if isinstance(type_, str) else self.schema.resolve(type_)[0]
        name = f"{key[0]}_{label}_{len(self._functions)}"
        self._functions[key] = name
        return name

    def _definition(self, type_: Type) -> Type:
        return list(self.schema.resolve(type_)) if isinstance(type_, str) else type_

    def _build(self, head: str, body: list[str]) -> Any:
        self._run([head.format(name="built"), *body])
        return self.namespace.pop("built")

    def _run(self, lines: list[str]) -> None:
        """Compile functions that others need, then these lines."""
        source = "\n".join([*self._pending, *lines])
        self._pending.clear()
        exec(compile(source, "<packet>", "exec"), self.namespace)

    def constant(self, label: str, key: str, value: Any) -> str:
        """The name under which generated code sees a value. The same key gives the same name."""
        name = self._constants.get(label + key)
        if name is None:
            name = self._constants[label + key] = f"{label}{len(self._constants)}"
            self.namespace[name] = value
        return name

    def dispatch(self, which: str, numbers: dict[int, Type]) -> str:
        """The name of a table from numbers to functions that "read" or "write" a type. A function is compiled
        when its number first comes by: there are dozens of item components, and few are ever met."""
        key = json.dumps([which, *numbers.items()])
        return self.constant("CASES", key, Dispatch(self, which, numbers))

    def compiled(self, which: str, type_: Type) -> Callable[..., Any]:
        """The function that "read"s or "write"s a type, ready to be called."""
        name = self.reader_name(type_) if which == "read" else self.writer_name(type_)
        if self._pending:
            self._run([])
        function: Callable[..., Any] = self.namespace[name]
        return function

    def read(self, type_: Type, b: bytes, i: int) -> tuple[Any, int]:
        """A value of a type at an offset, and the offset behind it."""
        found: tuple[Any, int] = self.compiled("read", type_)(b, i)
        return found

    # --- facts of a type ---

    def is_function(self, type_: Type) -> bool:
        """Whether a type is read by calling a function: a named container that has no fixed size."""
        if not isinstance(type_, str) or type_ == "position":
            return False
        kind, _ = self.schema.resolve(type_)
        return kind in ("container", "registryEntryHolder") and self.codes(type_) is None

    def codes(self, type_: Type) -> str | None:
        """The struct codes of a type of fixed size, None for any other type."""
        kind, arguments = self.schema.resolve(type_)
        if kind in NUMBERS:
            return NUMBERS[kind]
        if kind == "position":
            return "q"
        if kind == "UUID":
            return "QQ"
        if kind in ("mapper", "bitflags"):
            return self.codes(arguments["type"])
        if kind == "bitfield":
            code = _BIT_CODES[sum(part["size"] for part in arguments)]
            return code.lower() if arguments[0]["signed"] else code
        if kind == "buffer" and isinstance(arguments.get("count"), int):
            return f"{arguments['count']}s"
        if kind == "container":
            parts = [self.codes(field["type"]) for field in arguments]
            if arguments and all(part is not None for part in parts):
                return "".join(part or "" for part in parts)
        return None

    def unpacker(self, codes: str) -> str:
        """The name of the function that unpacks these struct codes from a buffer."""
        return self.constant("unpack_", codes, struct.Struct(">" + codes).unpack_from)

    def packer(self, codes: str) -> str:
        """The name of the function that packs numbers by these struct codes."""
        return self.constant("pack_", codes, struct.Struct(">" + codes).pack)

    def least_size(self, type_: Type) -> int:
        """The fewest bytes a value of this type takes, at least 1. A lying count is refused by it."""
        key = key_of(type_)
        if key in self._least:
            return self._least[key]
        self._least[key] = 1  # what a type that contains itself has, until it is known
        codes = self.codes(type_)
        kind, arguments = self.schema.resolve(type_)
        size = 1
        if codes is not None:
            size = struct.calcsize(">" + codes)
        elif kind == "container":
            size = sum(self._field_size(field["type"]) for field in arguments)
        self._least[key] = max(1, size)
        return self._least[key]

    def weight(self, type_: Type) -> int:
        """The units of `protocol.limits` a value of this type takes at most, lists without their items."""
        key = key_of(type_)
        if key not in self._weights:
            self._weights[key] = 4  # what a type that contains itself has, until it is known
            self._weights[key] = self._weigh(*self.schema.resolve(type_))
        return self._weights[key]

    def _weigh(self, kind: str, arguments: Any) -> int:
        if kind == "container":
            return 4 + sum(self.weight(field["type"]) for field in arguments)
        if kind == "switch":
            cases = (*arguments["fields"].values(), arguments.get("default", "void"))
            most = max(map(self.weight, cases))
            return min(most, LIGHT) if len(arguments["fields"]) > CHAIN else most
        if kind == "option":
            return self.weight(arguments)
        if kind == "bitfield":
            return 4 + len(arguments)
        if kind == "registryEntryHolder":
            return 5 + self.weight(arguments["otherwise"]["type"])
        return _WEIGHTS.get(kind, 1)

    def is_plain(self, type_: Type) -> bool:
        """Whether reading a value of this type takes nothing from the budget of `protocol.limits`: it is made
        of numbers and texts only, and read without calling other readers."""
        if self.codes(type_) is not None:
            return True
        kind, arguments = self.schema.resolve(type_)
        if kind == "container" and not self.is_function(type_):
            return all(self.is_plain(field["type"]) for field in arguments)
        return kind in _PLAIN

    def meets_mods(self, type_: Type) -> bool:
        """Whether somewhere in a value of this type is content that mods add kinds of."""
        key = key_of(type_)
        if key not in self._meets_mods:
            self._meets_mods[key] = False  # until it is known
            kind, arguments = self.schema.resolve(type_)
            is_open = kind == "switch" and "default" not in arguments and len(arguments["fields"]) > CHAIN
            is_open |= kind in ("customHolderSet", "customIngredient")
            self._meets_mods[key] = is_open or any(map(self.meets_mods, _parts(kind, arguments)))
        return self._meets_mods[key]

    def is_closed(self, type_: Type, scopes: tuple[frozenset[str], ...] = ()) -> bool:
        """Whether a type looks at no fields outside itself, so that a function of its own can read it."""
        if self.is_function(type_):
            return True
        kind, arguments = self.schema.resolve(type_)
        if kind == "container":
            scopes = (*scopes, frozenset(field.get("name", "") for field in arguments))
            return all(self.is_closed(field["type"], scopes) for field in arguments)
        if kind == "option":
            return self.is_closed(arguments, scopes)
        if kind == "switch":
            cases = (*arguments["fields"].values(), arguments.get("default", "void"))
            here = _within(arguments["compareTo"], scopes)
            return here and all(self.is_closed(case, scopes) for case in cases)
        if kind == "array":
            here = "count" not in arguments or _within(arguments["count"], scopes)
            return here and self.is_closed(arguments["type"], scopes)
        return True

    def _field_size(self, type_: Type) -> int:
        kind, arguments = self.schema.resolve(type_)
        may_be_empty = kind in ("void", "switch", "restBuffer") or (kind == "array" and "count" in arguments)
        return 0 if may_be_empty else self.least_size(type_)

    # --- switches ---

    def condition(self, scope: Scope, path: str, cases: list[str]) -> str:
        """The Python test whether the field at `path` is one of the cases."""
        ref, part = scope.find(path)
        if part is not None:
            return self._part_condition(ref, part, cases)
        if ref.kind == "bool":
            return ref.raw if cases == ["true"] else f"not {ref.raw}"
        numbers = [self.case_number(ref, case) for case in cases]
        if len(numbers) == 1:
            return f"{ref.raw} == {numbers[0]}"
        return f"{ref.raw} in {tuple(numbers)}"

    def case_number(self, ref: Ref, case: str) -> int:
        """The number on the wire that a switch's case stands for."""
        if ref.kind == "mapper":
            return mapper_numbers(ref.arguments)[case]
        return int(case)

    def _part_condition(self, ref: Ref, part: str, cases: list[str]) -> str:
        if ref.kind == "bitflags":
            test = f"{ref.raw} & {1 << ref.arguments['flags'].index(part)}"
            return test if cases == ["true"] else f"not {test}"
        shift = 0
        for bits in reversed(ref.arguments):
            if bits["name"] == part:
                numbers = tuple(int(case) for case in cases)
                test = f"{ref.raw} >> {shift} & {(1 << bits['size']) - 1}"
                return f"{test} == {numbers[0]}" if len(numbers) == 1 else f"({test}) in {numbers}"
            shift += bits["size"]
        raise LookupError(part)

    def grouped(self, arguments: Any) -> list[tuple[list[str], Type]]:
        """A switch's cases with those of one type together, in order."""
        groups: dict[str, tuple[list[str], Type]] = {}
        for case, type_ in arguments["fields"].items():
            groups.setdefault(key_of(type_), ([], type_))[0].append(case)
        return list(groups.values())


class Dispatch(dict[int, Callable[..., Any]]):
    """Number -> generated function, compiled when first asked for."""

    def __init__(self, compiler: Compiler, which: str, types: dict[int, Type]) -> None:
        super().__init__()
        self._compiler = compiler
        self._which = which
        self.types = types

    def __missing__(self, number: int) -> Callable[..., Any]:
        if number not in self.types:
            if self._which == "write":
                return runtime.write_unknown
            raise runtime.unknown_case(number)
        function = self[number] = self._compiler.compiled(self._which, self.types[number])
        return function


def _parts(kind: str, arguments: Any) -> list[Type]:
    """The types within a type, once."""
    if kind == "container":
        return [field["type"] for field in arguments]
    if kind == "switch":
        return [*arguments["fields"].values(), arguments.get("default", "void")]
    if kind == "option":
        return [arguments]
    if kind == "registryEntryHolder":
        return [arguments["otherwise"]["type"]]
    if kind in ("array", "entityMetadataLoop", "topBitSetTerminatedArray"):
        return [arguments["type"]]
    return []


def _within(path: str, scopes: tuple[frozenset[str], ...]) -> bool:
    """Whether a path leads to a field of these containers, the innermost last."""
    steps = path.split("/")
    up = steps.count("..")
    return up < len(scopes) and steps[up] in scopes[-1 - up]


def key_of(type_: Type) -> str:
    """A type as a string, equal for equal types."""
    return type_ if isinstance(type_, str) else json.dumps(type_)


def mapper_numbers(arguments: Any) -> dict[str, int]:
    """A mapper's names with their numbers."""
    return {name: int(number, 0) for number, name in arguments["mappings"].items()}


def mapper_names(arguments: Any) -> dict[int, str]:
    """A mapper's numbers with their names."""
    return {int(number, 0): name for number, name in arguments["mappings"].items()}
