"""Writes the statements of generated writers. See `protocol.compiler`."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, Final

from protocol.compiler import CHAIN, Compiler, Ref, SchemaError, Scope, key_of, mapper_numbers
from protocol.runtime import FlagSets
from protocol.schema import Type


class WriteEmitter:
    """The body of one writer. Generated code adds to the bytearray `out`; `v` is the value it was given."""

    def __init__(self, compiler: Compiler) -> None:
        self._compiler = compiler
        #: The statements so far.
        self.lines: list[str] = []
        self._indent = 1
        self._variables = 0

    def packet(self, type_: Type) -> None:
        """Write a packet's fields from `v`, refusing fields that it does not have."""
        kind, fields = self._compiler.schema.resolve(type_)
        fields = fields if kind == "container" else []
        names = tuple(field["name"] for field in fields)
        self._put(f"if len(v) > {len(names)}: raise extra_fields(v, {names!r})")
        self._container(fields, "v", Scope(None))

    def value(self, type_: Type, value: str, scope: Scope, ref_name: str | None = None) -> None:
        """Write the value of an expression. With `ref_name` the field is noted in the scope."""
        compiler = self._compiler
        if compiler.is_function(type_):
            self._put(f"{compiler.writer_name(type_)}(out, {value})")
            return
        if compiler.codes(type_) is not None:
            self._fixed([(ref_name, type_, value)], scope)
            return
        kind, arguments = compiler.schema.resolve(type_)
        if kind not in _WRITERS:
            raise SchemaError(f"no writer for {kind}")
        _WRITERS[kind](self, arguments, value, scope, ref_name)

    # --- statements and variables ---

    def _put(self, line: str) -> None:
        self.lines.append("    " * self._indent + line)

    def _new(self, value: str | None = None) -> str:
        self._variables += 1
        name = f"x{self._variables}"
        if value is not None:
            self._put(f"{name} = {value}")
        return name

    def _under(self, head: str, body: Callable[[], None]) -> None:
        self._put(head)
        self._indent += 1
        before = len(self.lines)
        body()
        if len(self.lines) == before:
            self._put("pass")
        self._indent -= 1

    # --- values of fixed size ---

    def _fixed(self, fields: list[tuple[str | None, Type, str]], scope: Scope) -> None:
        numbers: list[str] = []
        codes = "".join(
            self._fixed_value(type_, value, numbers, scope, name) for name, type_, value in fields
        )
        self._put(f"out += {self._compiler.packer(codes)}({', '.join(numbers)})")

    def _fixed_value(
        self, type_: Type, value: str, numbers: list[str], scope: Scope, field: str | None
    ) -> str:
        """Add the expressions of a value's numbers to `numbers` and return their struct codes."""
        compiler = self._compiler
        kind, arguments = compiler.schema.resolve(type_)
        codes = compiler.codes(type_) or ""
        if kind == "container":
            held = self._new(value)
            inner = Scope(scope)
            return "".join(
                self._fixed_value(part["type"], f"{held}[{part['name']!r}]", numbers, inner, part["name"])
                for part in arguments
            )
        if kind == "UUID":
            number = self._new(f"{value}.int")
            numbers += [f"{number} >> 64", f"{number} & 0xffffffffffffffff"]
            return codes
        if kind == "position":
            value, codes = f"pack_position({value})", "Q"
        elif kind == "bitfield":
            parts = tuple((part["name"], part["size"], part["signed"]) for part in arguments)
            value, codes = f"pack_bits({value}, {parts!r})", codes.upper()
        elif kind == "bitflags":
            flags = arguments["flags"]
            value = f"pack_flags({value}, {compiler.constant('FLAGS', key_of(flags), FlagSets(flags))})"
        elif kind == "mapper":
            value = f"pack_name({value}, {self._numbers(arguments)})"
        elif kind == "buffer":
            value = f"pack_fixed({value}, {arguments['count']})"
        if field is not None and self._is_looked_at(kind, scope):
            value = self._new(value)
            scope.refs[field] = Ref(kind, arguments, value)
        numbers.append(value)
        return codes

    def _is_looked_at(self, kind: str, scope: Scope) -> bool:
        """Whether later fields may depend on this one: any may whose number is whole."""
        return kind not in ("f32", "f64", "position", "buffer") and scope.is_watched

    def _numbers(self, arguments: Any) -> str:
        return self._compiler.constant("NUMBERS", key_of(arguments["mappings"]), mapper_numbers(arguments))

    # --- containers ---

    def _container(self, fields: list[Any], value: str, scope: Scope) -> None:
        """Write a dict's fields in order. Adjacent fields of fixed size become one struct."""
        compiler = self._compiler
        scope.is_watched = _has_dependants(compiler, fields)
        run: list[tuple[str | None, Type, str]] = []
        for field in fields:
            name, type_ = field.get("name"), field["type"]
            if compiler.codes(type_) is not None:
                run.append((name, type_, value if name is None else f"{value}[{name!r}]"))
                continue
            if run:
                self._fixed(run, scope)
                run = []
            if name is None:
                self._anonymous(type_, value, scope)
            else:
                self.value(type_, self._field(type_, value, name), scope, name)
        if run:
            self._fixed(run, scope)

    def _field(self, type_: Type, value: str, name: str) -> str:
        """The expression of a field; one that may be absent need not be there."""
        kind, _ = self._compiler.schema.resolve(type_)
        if kind in ("option", "anonOptionalNbt"):
            return f"{value}.get({name!r})"
        return f"{value}[{name!r}]"

    def _nested(self, fields: Any, value: str, scope: Scope, _ref: str | None) -> None:
        self._container(fields, self._new(value), Scope(scope))

    def _anonymous(self, type_: Type, value: str, scope: Scope) -> None:
        _, arguments = self._compiler.schema.resolve(type_)
        self._cases(arguments, value, scope)

    # --- everything else ---

    def _varint(self, _arguments: Any, value: str, scope: Scope, ref: str | None) -> None:
        name = self._new(value)
        self._put(f"if 0 <= {name} < 128: out.append({name})")
        self._put(f"else: write_varint(out, {name})")
        if ref is not None:
            scope.refs[ref] = Ref("varint", None, name)

    def _varlong(self, _arguments: Any, value: str, scope: Scope, ref: str | None) -> None:
        name = self._new(value)
        self._put(f"write_varlong(out, {name})")
        if ref is not None:
            scope.refs[ref] = Ref("varlong", None, name)

    def _mapper(self, arguments: Any, value: str, scope: Scope, ref: str | None) -> None:
        name = self._new(f"pack_name({value}, {self._numbers(arguments)})")
        self.value(arguments["type"], name, scope)
        if ref is not None:
            scope.refs[ref] = Ref("mapper", arguments, name)

    def _length(self, arguments: Any, value: str, scope: Scope) -> None:
        """Write the count before a list or bytes, or check it against the field that holds it."""
        if "countType" in arguments:
            self.value(arguments["countType"], f"len({value})", scope)
        else:
            ref, _ = scope.find(arguments["count"])
            self._put(f"same_count({ref.raw}, {value})")

    def _bytes(self, arguments: Any, value: str, scope: Scope, _ref: str | None) -> None:
        name = self._new(value)
        self._length(arguments, name, scope)
        self._put(f"out += {name}")

    def _string(self, arguments: Any, value: str, scope: Scope, ref: str | None) -> None:
        self._bytes(arguments, f"{value}.encode()", scope, ref)

    def _rest(self, _arguments: Any, value: str, _scope: Scope, _ref: str | None) -> None:
        self._put(f"out += {value}")

    def _array(self, arguments: Any, value: str, scope: Scope, _ref: str | None) -> None:
        compiler = self._compiler
        name, item = self._new(value), arguments["type"]
        self._length(arguments, name, scope)
        codes = compiler.codes(item)
        if codes in ("b", "B", "h", "H", "i", "I", "q", "Q", "f", "d"):
            kind, _ = compiler.schema.resolve(item)
            if kind not in ("position", "bitfield", "mapper", "bitflags"):
                pack = compiler.constant("struct_pack", "", struct.pack)
                self._put(f"out += {pack}('>%d{codes}' % len({name}), *{name})")
                return
        each = self._new()
        self._under(f"for {each} in {name}:", lambda: self.value(item, each, scope))

    def _option(self, inner: Type, value: str, scope: Scope, ref: str | None) -> None:
        name = self._new(value)

        def present() -> None:
            self._put("out.append(1)")
            self.value(inner, name, scope)

        self._put(f"if {name} is None: out.append(0)")
        self._under("else:", present)
        if ref is not None:
            scope.refs[ref] = Ref("option", None, name)

    def _switch(self, arguments: Any, value: str, scope: Scope, own: str | None) -> None:
        ref, part = scope.find(arguments["compareTo"])
        types = [type_ for _, type_ in self._compiler.grouped(arguments)]
        if len(types) > CHAIN and part is None and all(map(self._compiler.is_closed, types)):
            self._table(arguments, value, ref)
        else:
            self._cases(arguments, value, scope)
        if own is not None:
            scope.refs[own] = Ref("switch", None, value)

    def _cases(self, arguments: Any, value: str, scope: Scope) -> None:
        keyword = "if"
        for cases, type_ in self._compiler.grouped(arguments):
            condition = self._compiler.condition(scope, arguments["compareTo"], cases)
            self._under(f"{keyword} {condition}:", lambda t=type_: self._case(t, value, scope))  # type: ignore[misc]
            keyword = "elif"
        default = arguments.get("default", "void")
        if self._compiler.schema.resolve(default)[0] != "void":
            self._under("else:", lambda: self._case(default, value, scope))

    def _case(self, type_: Type, value: str, scope: Scope) -> None:
        """One case of a switch. The fields of an anonymous one are those of the container around it."""
        self.value(type_, value, scope)

    def _table(self, arguments: Any, value: str, ref: Ref) -> None:
        compiler = self._compiler
        numbers: dict[int, Type] = {}
        if ref.kind == "mapper" and "default" not in arguments:
            numbers = dict.fromkeys(mapper_numbers(ref.arguments).values(), "void")
        for case, type_ in arguments["fields"].items():
            numbers[compiler.case_number(ref, case)] = type_
        table = compiler.dispatch("write", numbers)
        # A case without data need not be in the dict.
        voids = {number for number, type_ in numbers.items() if compiler.schema.resolve(type_)[0] == "void"}
        test = f"if {ref.raw} not in {compiler.constant('VOID', key_of(sorted(voids)), frozenset(voids))}:"
        if "default" in arguments:
            default = compiler.writer_name(arguments["default"])
            self._put(
                f"{test} ({table}[{ref.raw}] if {ref.raw} in {table}.types else {default})(out, {value})"
            )
        else:
            self._put(f"{test} {table}[{ref.raw}](out, {value})")

    def _nbt(self, _arguments: Any, value: str, _scope: Scope, _ref: str | None) -> None:
        self._put(f"out += write_nbt({value})")

    def _holder(self, arguments: Any, value: str, scope: Scope, _ref: str | None) -> None:
        name, base, inline = self._new(value), arguments["baseName"], arguments["otherwise"]

        def entry() -> None:
            self._put("out.append(0)")
            self.value(inline["type"], f"{name}[{inline['name']!r}]", scope)

        self._under(
            f"if {base!r} in {name}:", lambda: self._varint(None, f"{name}[{base!r}] + 1", scope, None)
        )
        self._under("else:", entry)

    def _holder_set(self, arguments: Any, value: str, scope: Scope, _ref: str | None) -> None:
        name, tag, entries = self._new(value), arguments["base"], arguments["otherwise"]

        def by_tag() -> None:
            self._put("out.append(0)")
            self.value(tag["type"], f"{name}[{tag['name']!r}]", scope)

        def by_number() -> None:
            items = self._new(f"{name}[{entries['name']!r}]")
            self._varint(None, f"len({items}) + 1", scope, None)
            each = self._new()
            self._under(f"for {each} in {items}:", lambda: self.value(entries["type"], each, scope))

        self._under(f"if {tag['name']!r} in {name}:", by_tag)
        self._under("else:", by_number)

    def _custom_holder_set(self, arguments: Any, value: str, scope: Scope, ref: str | None) -> None:
        name = self._new(value)
        this = self._compiler.writer_name(["customHolderSet", arguments])
        self._under(f"if 'custom' in {name}:", lambda: self._put(f"write_custom_set(out, {name}, {this})"))
        self._under("else:", lambda: self._holder_set(arguments, name, scope, ref))

    def _custom_ingredient(self, items: Type, value: str, scope: Scope, _ref: str | None) -> None:
        name = self._new(value)
        self._under(f"if 'custom' in {name}:", lambda: self._put(f"write_custom_ingredient(out, {name})"))
        self._under("else:", lambda: self.value(items, name, scope))

    def _metadata(self, arguments: Any, value: str, scope: Scope, _ref: str | None) -> None:
        each = self._new()
        self._under(f"for {each} in {value}:", lambda: self.value(arguments["type"], each, scope))
        self._put(f"out.append({arguments['endVal']})")

    def _top_bit_array(self, arguments: Any, value: str, scope: Scope, _ref: str | None) -> None:
        name, left, each = self._new(value), self._new(), self._new()
        head, *fields = arguments["type"][1]
        self._put(f"if not {name}: raise Fault('this list needs at least one item')")
        self._put(f"{left} = len({name})")

        def item() -> None:
            self._put(f"{left} -= 1")
            self._put(f"out.append({each}[{head['name']!r}] & 127 | (128 if {left} else 0))")
            self._container(fields, each, Scope(scope))

        self._under(f"for {each} in {name}:", item)

    def _void(self, _arguments: Any, _value: str, _scope: Scope, _ref: str | None) -> None:
        pass


def _has_dependants(compiler: Compiler, fields: list[Any]) -> bool:
    """Whether some field's type looks at others by name."""
    return any(_looks(compiler, field["type"]) for field in fields)


def _looks(compiler: Compiler, type_: Type) -> bool:
    if isinstance(type_, str):
        return False
    text = key_of(type_)
    return '"compareTo"' in text or '"count"' in text


_WRITERS: Final = {
    "varint": WriteEmitter._varint,
    "varlong": WriteEmitter._varlong,
    "pstring": WriteEmitter._string,
    "buffer": WriteEmitter._bytes,
    "restBuffer": WriteEmitter._rest,
    "array": WriteEmitter._array,
    "option": WriteEmitter._option,
    "switch": WriteEmitter._switch,
    "container": WriteEmitter._nested,
    "mapper": WriteEmitter._mapper,
    "registryEntryHolder": WriteEmitter._holder,
    "registryEntryHolderSet": WriteEmitter._holder_set,
    "customHolderSet": WriteEmitter._custom_holder_set,
    "customIngredient": WriteEmitter._custom_ingredient,
    "entityMetadataLoop": WriteEmitter._metadata,
    "topBitSetTerminatedArray": WriteEmitter._top_bit_array,
    "anonymousNbt": WriteEmitter._nbt,
    "anonOptionalNbt": WriteEmitter._nbt,
    "void": WriteEmitter._void,
}
