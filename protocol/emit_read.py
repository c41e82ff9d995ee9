"""Writes the statements of generated readers. See `protocol.compiler`."""

from __future__ import annotations

import struct
from typing import Any, Final

from protocol.compiler import (
    CHAIN,
    NUMBERS,
    Compiler,
    Ref,
    SchemaError,
    Scope,
    key_of,
    mapper_names,
    mapper_numbers,
)
from protocol.limits import Limits
from protocol.runtime import FlagSets
from protocol.schema import Type


class ReadEmitter:
    """The body of one reader. Each method adds statements and returns the expression of what they read.

    Generated code calls the buffer b, the offset i and the buffer's end e.
    """

    def __init__(self, compiler: Compiler) -> None:
        self._compiler = compiler
        self._lines: list[str] = []
        self._indent = 1
        self._variables = 0
        self._needs_end = False
        self._given: str | None = None  # the name of the next new variable

    def finish(self) -> list[str]:
        """All statements."""
        return ["    e = len(b)", *self._lines] if self._needs_end else self._lines

    def packet(self, type_: Type, limits: Limits) -> str:
        """Read a packet's body, which must fill the buffer."""
        kind, arguments = self._compiler.schema.resolve(type_)
        if not all(self._compiler.is_plain(field["type"]) for field in arguments or ()):
            self._put(f"if len(b) > {limits.size}: raise too_big(len(b), {limits.size})")
            self._put(f"budget[0] = {limits.values}")
        value = "{}" if kind == "void" else self._container(arguments, Scope(None))
        self._put("if i != len(b): raise leftover(i, len(b))")
        return value

    def value(self, type_: Type, scope: Scope, ref_name: str | None = None) -> str:
        """Read one value. With `ref_name` the field is noted in the scope for switches and counts."""
        compiler = self._compiler
        if compiler.is_function(type_):
            name = self._new()
            self._put(f"{name}, i = {compiler.reader_name(type_)}(b, i)")
            return name
        codes = compiler.codes(type_)
        if codes is not None:
            return self._fixed([(ref_name, type_)], scope)[0]
        kind, arguments = compiler.schema.resolve(type_)
        if kind in _READERS:
            return str(_READERS[kind](self, arguments, scope, ref_name))
        raise SchemaError(f"no reader for {kind}")

    def charge(self, units: str) -> None:
        """Take the units of an expression from what the packet may still make, see `protocol.limits`."""
        if units != "0":
            self._put(f"budget[0] -= {units}")
            self._put("if budget[0] < 0: raise too_much()")

    # --- statements and variables ---

    def _put(self, line: str) -> None:
        self._lines.append("    " * self._indent + line)

    def _new(self) -> str:
        if self._given is not None:
            name, self._given = self._given, None
            return name
        self._variables += 1
        return f"v{self._variables}"

    def _assign(self, name: str, type_: Type) -> None:
        """Read a value that one variable holds into the variable of this name."""
        self._given = name
        value = self.value(type_, Scope(None))
        self._given = None
        if value != name:
            self._put(f"{name} = {value}")

    def _block(self, head: str) -> _Block:
        self._put(head)
        return _Block(self)

    # --- values of fixed size ---

    def _fixed(self, fields: list[tuple[str | None, Type]], scope: Scope) -> list[str]:
        """Read fields of fixed size that stand together, and return their expressions."""
        names: list[str] = []
        expressions = [self._fixed_value(type_, names, scope, field) for field, type_ in fields]
        codes = "".join(self._compiler.codes(type_) or "" for _, type_ in fields)
        if codes in ("B", "?", "b"):
            self._put(f"{names[0]} = b[i]{' != 0' if codes == '?' else ''}")
            if codes == "b":
                self._put(f"if {names[0]} > 127: {names[0]} -= 256")
            self._put("i += 1")
        else:
            self._put(f"{', '.join(names)}, = {self._compiler.unpacker(codes)}(b, i)")
            self._put(f"i += {struct.calcsize('>' + codes)}")
        return expressions

    def _fixed_value(self, type_: Type, names: list[str], scope: Scope, field: str | None) -> str:
        """The expression of a value whose numbers a struct puts into new variables, added to `names`."""
        compiler = self._compiler
        kind, arguments = compiler.schema.resolve(type_)
        if kind == "container":
            inner = Scope(scope)
            parts = [
                f"{part['name']!r}: {self._fixed_value(part['type'], names, inner, part['name'])}"
                for part in arguments
            ]
            return "{" + ", ".join(parts) + "}"
        raw = self._new()
        names.append(raw)
        if field is not None:
            scope.refs[field] = Ref(kind, arguments, raw)
        if kind == "UUID":
            low = self._new()
            names.append(low)
            return f"make_uuid({raw}, {low})"
        if kind == "position":
            return (
                f"({raw} >> 38, (({raw} & 0xfff) ^ 0x800) - 0x800, "
                f"(({raw} >> 12 & 0x3ffffff) ^ 0x2000000) - 0x2000000)"
            )
        if kind == "bitfield":
            return "{" + ", ".join(_bit_parts(arguments, raw)) + "}"
        if kind == "bitflags":
            flags = arguments["flags"]
            return f"{compiler.constant('FLAGS', key_of(flags), FlagSets(flags))}[{raw}]"
        if kind == "mapper":
            return f"{self._names(arguments)}.get({raw}, {raw})"
        return raw

    def _names(self, arguments: Any) -> str:
        return self._compiler.constant("NAMES", key_of(arguments["mappings"]), mapper_names(arguments))

    def _tuple_of_names(self, arguments: Any) -> str:
        """The names by number, for numbers that are known to have one."""
        names = mapper_names(arguments)
        listed = tuple(names.get(number) for number in range(max(names) + 1))
        return self._compiler.constant("TUPLE", key_of(arguments["mappings"]), listed)

    # --- containers ---

    def _container(self, fields: list[Any], scope: Scope, _ref: str | None = None) -> str:
        """A dict of fields. Adjacent fields of fixed size are read in one go."""
        compiler = self._compiler
        parts: list[str] = []
        held: str | None = None  # the dict's variable, once an anonymous switch adds fields to it
        scope.decided = _decided(fields)
        run: list[tuple[str | None, Type]] = []

        def flush() -> None:
            if not run:
                return
            for (name, _), value in zip(run, self._fixed(run, scope), strict=True):
                if name is not None:
                    parts.append(f"{name!r}: {value}")
                else:
                    parts.append(value[1:-1])  # a bit field whose parts belong to the container
            run.clear()

        for field in fields:
            name, type_ = field.get("name"), field["type"]
            if compiler.codes(type_) is not None:
                run.append((name, type_))
                continue
            flush()
            if name is not None:
                parts.append(f"{name!r}: {self.value(type_, scope, name)}")
                continue
            if field is fields[-1] and held is None:
                return self._ending(parts, type_, scope)
            held = self._merge(held, parts)
            self._anonymous(held, type_, scope)
        flush()
        if held is None:
            return "{" + ", ".join(parts) + "}"
        return self._merge(held, parts)

    def _merge(self, held: str | None, parts: list[str]) -> str:
        """Put the fields so far into the dict's variable."""
        text = "{" + ", ".join(parts) + "}"
        if held is None:
            held = self._new()
            self._put(f"{held} = {text}")
        elif parts:
            self._put(f"{held} |= {text}")
        parts.clear()
        return held

    def _anonymous(self, held: str, type_: Type, scope: Scope) -> None:
        """A switch without a name: the fields of its case belong to the container around it."""
        _, arguments = self._compiler.schema.resolve(type_)
        keyword = "if"
        for cases, case_type in self._compiler.grouped(arguments):
            with self._block(f"{keyword} {self._compiler.condition(scope, arguments['compareTo'], cases)}:"):
                self._absorb(held, case_type, scope)
            keyword = "elif"
        with self._block("else:"):
            self._absorb(held, arguments.get("default", "void"), scope)

    def _ending(self, parts: list[str], type_: Type, scope: Scope) -> str:
        """A container that ends in a switch without a name: each case makes the whole dict."""
        _, arguments = self._compiler.schema.resolve(type_)
        name, keyword = self._new(), "if"
        groups = self._compiler.grouped(arguments)
        for cases, case_type in [*groups, (None, arguments.get("default", "void"))]:
            test = "else:"
            if cases is not None:
                test = f"{keyword} {self._compiler.condition(scope, arguments['compareTo'], cases)}:"
            with self._block(test):
                self._put(f"{name} = {_joined(parts, self.value(case_type, scope))}")
            keyword = "elif"
        return name

    def _absorb(self, held: str, type_: Type, scope: Scope) -> None:
        value = self.value(type_, scope)
        self._put("pass" if value == "None" else f"{held} |= {value}")

    # --- everything else ---

    def _varint(self, _arguments: Any, scope: Scope, ref: str | None) -> str:
        name = self._new()
        self._put(f"{name} = b[i]")
        self._put(f"if {name} < 128: i += 1")
        # Two and three bytes are written out too: entities and items have such numbers.
        self._put(f"elif b[i + 1] < 128: {name}, i = {name} & 127 | b[i + 1] << 7, i + 2")
        self._put(
            f"elif b[i + 2] < 128: {name}, i = {name} & 127 | (b[i + 1] & 127) << 7 | b[i + 2] << 14, i + 3"
        )
        self._put(f"else: {name}, i = read_varint(b, i)")
        if ref is not None:
            scope.refs[ref] = Ref("varint", None, name)
        return name

    def _varlong(self, _arguments: Any, scope: Scope, ref: str | None) -> str:
        name = self._new()
        self._put(f"{name}, i = read_varlong(b, i)")
        if ref is not None:
            scope.refs[ref] = Ref("varlong", None, name)
        return name

    def _mapper(self, arguments: Any, scope: Scope, ref: str | None) -> str:
        raw = self.value(arguments["type"], scope)
        if ref is not None:
            scope.refs[ref] = Ref("mapper", arguments, raw)
        if ref in scope.decided:
            return f"{self._tuple_of_names(arguments)}[{raw}]"
        return f"{self._names(arguments)}.get({raw}, {raw})"

    def _length(self, arguments: Any, scope: Scope) -> str:
        """The count before a list or bytes, or the field that holds it."""
        if "countType" in arguments:
            return self.value(arguments["countType"], scope)
        found, _ = scope.find(arguments["count"])
        return found.raw

    def _bytes(self, arguments: Any, scope: Scope, _ref: str | None) -> str:
        self._needs_end = True
        length, name = self._length(arguments, scope), self._new()
        self._put(f"if not 0 <= {length} <= e - i: raise lie({length}, e - i)")
        self._put(f"{name} = b[i:i + {length}]")
        self._put(f"i += {length}")
        return name

    def _string(self, arguments: Any, scope: Scope, ref: str | None) -> str:
        return self._bytes(arguments, scope, ref) + ".decode()"

    def _rest(self, _arguments: Any, _scope: Scope, _ref: str | None) -> str:
        name = self._new()
        self._put(f"{name} = b[i:]")
        self._put("i = len(b)")
        return name

    def _array(self, arguments: Any, scope: Scope, _ref: str | None) -> str:
        compiler = self._compiler
        self._needs_end = True
        item = arguments["type"]
        length, name = self._length(arguments, scope), self._new()
        least = compiler.least_size(item)
        size = length if least == 1 else f"{length} * {least}"
        weight = compiler.weight(item)
        kind, inner = compiler.schema.resolve(item)
        codes = compiler.codes(item)
        self._put(f"{name} = []")
        with self._block(f"if {length}:"):
            self._put(f"if not 0 <= {size} <= e - i: raise lie({length}, e - i)")
            self.charge(f"{length} * {_LISTED.get(kind, weight)}")
            if kind in ("varint", "varlong"):
                bits = ", 64" if kind == "varlong" else ""
                self._put(f"{name}, i = read_varints(b, i, {length}{bits})")
            elif codes is not None:
                numbers: list[str] = []
                value = self._fixed_value(item, numbers, Scope(scope), None)
                unpack = compiler.constant("iter_", codes, struct.Struct(">" + codes).iter_unpack)
                self._put(f"{name} = [{value} for {', '.join(numbers)}, in {unpack}(b[i:i + {size}])]")
                self._put(f"i += {size}")
            else:
                with self._block(f"for _ in range({length}):"):
                    # Even what has a function of its own is written out here: a call costs as a field does.
                    each = (
                        self._nested(inner, scope, None) if kind == "container" else self.value(item, scope)
                    )
                    self._put(f"{name}.append({each})")
        return name

    def _option(self, inner: Type, scope: Scope, ref: str | None) -> str:
        name = self._new()
        self._put(f"{name} = None")
        self._put("i += 1")
        with self._block("if b[i - 1]:"):
            self._put(f"{name} = {self.value(inner, scope)}")
        if ref is not None:
            scope.refs[ref] = Ref("option", None, name)
        return name

    def _switch(self, arguments: Any, scope: Scope, own: str | None) -> str:
        compiler = self._compiler
        groups = compiler.grouped(arguments)
        ref, part = scope.find(arguments["compareTo"])
        types = [type_ for _, type_ in groups]
        if len(types) > CHAIN and part is None and all(map(compiler.is_closed, types)):
            return self._table(arguments, ref)
        name, keyword = self._new(), "if"
        for cases, type_ in groups:
            with self._block(f"{keyword} {compiler.condition(scope, arguments['compareTo'], cases)}:"):
                self._put(f"{name} = {self.value(type_, scope)}")
            keyword = "elif"
        if "default" not in arguments and ref.kind == "mapper":
            known = self._names(ref.arguments)
            self._put(f"elif {ref.raw} not in {known}: raise unknown_case({ref.raw})")
        with self._block("else:"):
            self._put(f"{name} = {self.value(arguments.get('default', 'void'), scope)}")
        if own is not None:
            scope.refs[own] = Ref("switch", None, name)
        return name

    def _table(self, arguments: Any, ref: Ref) -> str:
        """A switch with many cases: what takes a line or two is read here, and for the others there is one
        function each, found by number."""
        compiler, name = self._compiler, self._new()
        numbers: dict[int, Type] = {}
        if ref.kind == "mapper" and "default" not in arguments:
            numbers = dict.fromkeys(mapper_numbers(ref.arguments).values(), "void")
        for case, type_ in arguments["fields"].items():
            numbers[compiler.case_number(ref, case)] = type_
        keyword = "if"
        for type_, cases in self._easy(numbers):
            test = f"== {cases[0]}" if len(cases) == 1 else f"in {{{', '.join(map(str, cases))}}}"
            with self._block(f"{keyword} {ref.raw} {test}:"):
                self._assign(name, type_)
            keyword = "elif"
        table = compiler.dispatch("read", numbers)
        call = f"{name}, i = {table}[{ref.raw}](b, i)"
        if "default" in arguments:
            default = compiler.reader_name(arguments["default"])
            call = f"{name}, i = ({table}[{ref.raw}] if {ref.raw} in {table}.types else {default})(b, i)"
        self._put(call if keyword == "if" else f"else: {call}")
        return name

    def _easy(self, numbers: dict[int, Type]) -> list[tuple[Type, list[int]]]:
        """The types among a table's that are short to read, each with its numbers, the most common first."""
        groups: dict[str, tuple[Type, list[int]]] = {}
        for number, type_ in numbers.items():
            kind, arguments = self._compiler.schema.resolve(type_)
            is_number = kind == "varint" or (len(self._compiler.codes(type_) or "") == 1 and kind in NUMBERS)
            if is_number or kind in ("void", "anonymousNbt"):
                label = kind if arguments is None else key_of([kind, arguments])
                groups.setdefault(label, (type_, []))[1].append(number)
        return sorted(groups.values(), key=lambda group: -len(group[1]))

    def _nbt(self, _arguments: Any, _scope: Scope, _ref: str | None) -> str:
        name = self._new()
        self._put(f"{name}, i = read_nbt(b, i)")
        return name

    def _holder(self, arguments: Any, scope: Scope, _ref: str | None) -> str:
        """A registry entry: its number, or 0 and the entry itself."""
        number, name = self._varint(None, scope, None), self._new()
        with self._block(f"if {number}:"):
            self._put(f"{name} = {{{arguments['baseName']!r}: {number} - 1}}")
        with self._block("else:"):
            inline = arguments["otherwise"]
            self._put(f"{name} = {{{inline['name']!r}: {self.value(inline['type'], scope)}}}")
        return name

    def _holder_set(self, arguments: Any, scope: Scope, _ref: str | None) -> str:
        """Registry entries: 0 and a tag's name, or their count plus one and their numbers."""
        self._needs_end = True
        number, name = self._varint(None, scope, None), self._new()
        base, entries = arguments["base"], arguments["otherwise"]
        with self._block(f"if {number} == 0:"):
            self._put(f"{name} = {{{base['name']!r}: {self.value(base['type'], scope)}}}")
        with self._block("else:"):
            self._put(f"if not 0 < {number} <= e - i + 1: raise lie({number} - 1, e - i)")
            self.charge(f"{number} * 2")
            self._put(f"{name}, i = read_varints(b, i, {number} - 1)")
            self._put(f"{name} = {{{entries['name']!r}: {name}}}")
        return name

    def _custom_holder_set(self, arguments: Any, scope: Scope, ref: str | None) -> str:
        """The same, or a set made of others: its number is negative."""
        start, name = self._new(), self._new()
        this = self._compiler.reader_name(["customHolderSet", arguments])
        self._put(f"{start} = i")
        number = self._varint(None, scope, None)
        with self._block(f"if {number} < 0:"):
            self._put(f"{name}, i = read_custom_set(b, i, {number}, {this})")
        with self._block("else:"):
            self._put(f"i = {start}")
            self._put(f"{name} = {self._holder_set(arguments, scope, ref)}")
        return name

    def _custom_ingredient(self, items: Type, scope: Scope, _ref: str | None) -> str:
        name = self._new()
        with self._block("if is_custom(b, i):"):
            self._put(f"{name}, i = read_custom_ingredient(b, i)")
        with self._block("else:"):
            self._put(f"{name} = {self.value(items, scope)}")
        return name

    def _metadata(self, arguments: Any, scope: Scope, _ref: str | None) -> str:
        """Entries that each begin with a key, up to the byte that stands for no key."""
        name, key, end = self._new(), self._new(), arguments["endVal"]
        head, *fields = self._compiler.schema.resolve(arguments["type"])[1]
        self._put(f"{name} = []")
        with self._block(f"for _ in range({end + 1}):"):
            self._put(f"{key} = b[i]")
            self._put("i += 1")
            self._put(f"if {key} == {end}: break")
            entry = _joined([f"{head['name']!r}: {key}"], self._container(fields, Scope(scope)))
            self._put(f"{name}.append({entry})")
        self._put(f"else: raise Fault('more than {end} entries')")
        return name

    def _top_bit_array(self, arguments: Any, scope: Scope, _ref: str | None) -> str:
        """Items whose first byte says by its top bit whether another follows."""
        name, more, first = self._new(), self._new(), self._new()
        head, *fields = arguments["type"][1]
        self._put(f"{name} = []")
        with self._block("for _ in range(128):"):
            self._put(f"{more} = b[i] & 128")
            self._put(f"{first} = b[i] & 127")
            self._put("i += 1")
            item = _joined([f"{head['name']!r}: {first}"], self._container(fields, Scope(scope)))
            self._put(f"{name}.append({item})")
            self._put(f"if not {more}: break")
        self._put("else: raise Fault('more than 128 entries')")
        return name

    def _void(self, _arguments: Any, _scope: Scope, _ref: str | None) -> str:
        return "None"

    def _nested(self, fields: Any, scope: Scope, _ref: str | None) -> str:
        return self._container(fields, Scope(scope))


class _Block:
    """An indented block while it is open."""

    def __init__(self, emitter: ReadEmitter) -> None:
        self._emitter = emitter

    def __enter__(self) -> None:
        self._emitter._indent += 1

    def __exit__(self, *_: object) -> None:
        self._emitter._indent -= 1


def _joined(parts: list[str], rest: str) -> str:
    """The dict of some items and those of another dict's expression, which may be None."""
    if rest == "None":
        return "{" + ", ".join(parts) + "}"
    return "{" + ", ".join([*parts, rest[1:-1] if rest[0] == "{" else f"**{rest}"]) + "}"


def _decided(fields: Any) -> frozenset[str]:
    """The fields of a container that a switch among the later ones looks at without a default: once all are
    read, their numbers are known to have names."""
    if any("name" not in field for field in fields):
        return frozenset()
    switches = [field["type"][1] for field in fields if field["type"][0] == "switch"]
    return frozenset(each["compareTo"] for each in switches if "default" not in each)


def _bit_parts(parts: Any, raw: str) -> list[str]:
    """The dict items of a bit field in one number; the first part is the highest."""
    shift = sum(part["size"] for part in parts)
    items = []
    for index, part in enumerate(parts):
        shift -= part["size"]
        if index == 0:
            value = f"{raw} >> {shift}"  # the struct already gave it its sign
        else:
            value = f"{raw} >> {shift} & {(1 << part['size']) - 1}"
            if part["signed"]:
                half = 1 << part["size"] - 1
                value = f"(({value}) ^ {half}) - {half}"
        items.append(f"{part['name']!r}: {value}")
    return items


#: What numbers of no fixed size cost in a list, in time.
_LISTED: Final = {"varint": 4, "varlong": 6}
_READERS: Final = {
    "varint": ReadEmitter._varint,
    "varlong": ReadEmitter._varlong,
    "pstring": ReadEmitter._string,
    "buffer": ReadEmitter._bytes,
    "restBuffer": ReadEmitter._rest,
    "array": ReadEmitter._array,
    "option": ReadEmitter._option,
    "switch": ReadEmitter._switch,
    "container": ReadEmitter._nested,
    "mapper": ReadEmitter._mapper,
    "registryEntryHolder": ReadEmitter._holder,
    "registryEntryHolderSet": ReadEmitter._holder_set,
    "customHolderSet": ReadEmitter._custom_holder_set,
    "customIngredient": ReadEmitter._custom_ingredient,
    "entityMetadataLoop": ReadEmitter._metadata,
    "topBitSetTerminatedArray": ReadEmitter._top_bit_array,
    "anonymousNbt": ReadEmitter._nbt,
    "anonOptionalNbt": ReadEmitter._nbt,
    "void": ReadEmitter._void,
}
