"""Checked syntax → symbols: all types, enums and members of a file, with names resolved but nothing typed."""

from __future__ import annotations

import re

from wireloom.base.dataclass import replace

from ..expression.types import (
    AnyStructType,
    BitsType,
    BooleanType,
    BytesType,
    ComputedIntegerType,
    EnumType,
    FloatType,
    IntegerType,
    ListType,
    Path,
    StreamType,
    StringType,
    Type,
    UnionType,
    UserType,
    is_integer,
    type_name,
)
from ..spec.diagnostics import Diagnostics
from ..spec.kinds import BUILT_IN
from ..spec.position import Position
from ..spec.syntax import Integer, Section, Text, TypeReference
from ..tree.leaves import Enum, EnumLabel
from ..words import shown
from .computed_checksums import declare_checksum, has_checksum
from .fields import FieldReader, canonical
from .keyed_tables import declare_table, has_table
from .messages import SCALARS, MessageReader
from .resolve import find_enum, find_type, may_be_built_in, may_be_enum, may_be_type, unknown_enum, unknown_type
from .symbols import Defaults, Member, SourceFile, Symbol, World

PARAMETER_TYPES: dict[str, Type] = {
    "bytes": BytesType(),
    "str": StringType(),
    "bool": BooleanType(),
    "struct": AnyStructType(),
    "io": StreamType(),
    "any": UnionType(()),
}

OLDEST, NEWEST = [0, 6], [0, 11]
"""Versions of Kaitai's language."""

VALUE_INSTANCE_KEYS = ("value", "doc", "doc-ref", "enum", "if", "-wireloom")


class Declarer:
    """Declares the types of one compilation. ``any_encoding``: as for ``canonical``."""

    def __init__(self, world: World, diagnostics: Diagnostics, *, any_encoding: bool) -> None:
        self.world = world
        self.diagnostics = diagnostics
        self.any_encoding = any_encoding

    def types(self, file: SourceFile, name: str) -> None:
        """Declare all types and enums of a file, without their members, since they may be used before they are
        declared."""
        root = self._type(file, (name,), file.section, None, Defaults(), opaque=False)
        self.world.roots[name] = root

    def members(self, symbol: Symbol) -> None:
        """Declare the parameters, attributes and instances of one type."""
        symbol.unknown_members |= not symbol.section.missing.isdisjoint(("params", "seq", "instances"))
        if symbol.is_message:
            for member in MessageReader(self.world, symbol, self.diagnostics).members():
                self._add(symbol, member)
        for index, section in enumerate(symbol.section.sections("params")):
            self._parameter(symbol, section, index)
        for index, section in enumerate(symbol.section.sections("seq")):
            self._attribute(symbol, section, index)
        taken = instances_of_others(self.world, symbol, self.diagnostics)
        for index, (key, section) in enumerate((*instances_in(symbol.section), *taken)):
            self._instance(symbol, key, section, index)

    # Types and enums -------------------------------------------------------------------------------------------------

    def _type(
        self, file: SourceFile, path: Path, section: Section, outer: Symbol | None, above: Defaults, *, opaque: bool
    ) -> Symbol:
        meta = section.section("meta")
        computed_here = False
        if meta is not None:
            self._version(meta)
            opaque = meta.flag("ks-opaque-types", opaque)
            computed_here = meta.section("endian") is not None
            encoding = meta.text("encoding")
            above = replace(
                above,
                endian="computed" if computed_here else meta.word("endian") or above.endian,
                bit_endian=meta.word("bit-endian") or above.bit_endian,
                encoding=above.encoding
                if encoding is None
                else canonical(encoding, self.diagnostics, any_encoding=self.any_encoding),
            )
        if "meta" in section.missing or (meta is not None and not meta.missing.isdisjoint(("endian", "encoding"))):
            # The intended type is unknown: any type is suitable for continuing.
            above = replace(above, endian=above.endian or "le", encoding=above.encoding or "UTF-8")
        inherits = above.endian == "computed" and not computed_here
        symbol = Symbol(path, file, section, outer, above, opaque, inherits)
        lacking = section.missing | (meta.missing if meta is not None else frozenset())
        symbol.unknown_types = not lacking.isdisjoint(("types", "meta", "ks-opaque-types"))
        symbol.unknown_enums = "enums" in lacking
        elsewhere = {"imports", "id", *(("meta",) if outer is None else ())}
        file.unknown_types |= not lacking.isdisjoint(elsewhere)
        file.unknown_enums |= file.unknown_types
        for entry in section.entries("enums"):
            if isinstance(entry.key, Text) and isinstance(entry.value, Section):
                symbol.enums[entry.key.value] = self._enum((*path, entry.key.value), entry.value)
                if entry.value.faulty:
                    symbol.unknown_labels.add(entry.key.value)
        for entry in section.entries("types"):
            if isinstance(entry.key, Text) and isinstance(entry.value, Section):
                name = entry.key.value
                if name in BUILT_IN or name in PARAMETER_TYPES:
                    self.diagnostics.error(
                        entry.key.position, f"{shown(name)} is the name of a built-in type: choose another name"
                    )
                symbol.types[name] = self._type(file, (*path, name), entry.value, symbol, above, opaque=opaque)
                if name in SCALARS and name not in PARAMETER_TYPES and symbol.types[name].is_message:
                    self.diagnostics.error(
                        entry.key.position,
                        f"{shown(name)} is the name of a protobuf scalar: choose another name",
                    )
        return symbol

    def _version(self, meta: Section) -> None:
        version = meta.text("ks-version")
        if version is None:
            return
        # Without quotes it is a YAML number, and 0.10 equals 0.1.
        number = version.scalar.value
        text = str(number) if isinstance(number, float) else version.value
        numbers = [min(int(part[:10]), 10**9) for part in text.split(".")]
        if numbers > [*NEWEST, 10**10]:
            message = f"this ksy requires compiler version at least {text}, but you have {_dotted(NEWEST)}"
            self.diagnostics.error(version.position, message)
        elif numbers < OLDEST:
            hint = ""
            if isinstance(number, float):
                quoted = f"use ks-version: '{text}0' to prevent YAML from interpreting it as a float"
                hint = f" (if you meant {text}0, {quoted})"
            message = f"minimum allowed version is {_dotted(OLDEST)}, but got {text}{hint}"
            self.diagnostics.error(version.position, message)

    def _enum(self, path: Path, section: Section) -> Enum:
        labels: list[EnumLabel] = []
        values: dict[int, Position] = {}
        names: dict[str, Position] = {}
        for entry in section.entries("members"):
            if not isinstance(entry.key, Integer):
                continue
            name, doc = entry.value, ""
            references: tuple[str, ...] = ()
            if isinstance(name, Section):
                doc = name.word("doc")
                references = tuple(each.value for each in name.texts("doc-ref"))
                name = name.get("id") or name
            if not isinstance(name, Text):
                continue
            value = entry.key.value
            if value in values:
                message = f"the value {value} is already named in line {values[value].line}"
                self.diagnostics.error(entry.key.position, message)
            elif name.value in names:
                first = names[name.value].path
                message = f"duplicate enum member ID: {shown(name.value)}, previously defined at {first}"
                self.diagnostics.error(name.position, message)
            values.setdefault(value, entry.key.position)
            names.setdefault(name.value, name.position)
            labels.append(EnumLabel(value, name.value, doc, references))
        return Enum(path, tuple(labels))

    # Members ---------------------------------------------------------------------------------------------------------

    def _add(self, symbol: Symbol, member: Member) -> None:
        first = symbol.members.get(member.id)
        if first is not None:
            message = f"duplicate attribute ID {shown(member.id)}, previously defined at {first.position.path}"
            self.diagnostics.error(member.position, message)
            # It may have been meant to have another name, under which it is used.
            symbol.unknown_members = True
        else:
            symbol.members[member.id] = member

    def _reader(self, symbol: Symbol) -> FieldReader:
        defaults = symbol.defaults
        return FieldReader(
            self.diagnostics,
            defaults.endian,
            defaults.bit_endian,
            defaults.encoding,
            lambda name, position: self._user_type(symbol, name, position),
            lambda name, position: self._named_enum(symbol, name, position),
            self.any_encoding,
        )

    def _attribute(self, symbol: Symbol, section: Section, index: int) -> None:
        id = section.text("id")
        name = id.value if id is not None else f"_unnamed{index}"
        symbol.unknown_members |= id is None and "id" in section.missing
        position = id.position if id is not None else section.position
        member = Member(name, "attribute", section, position, index)
        self._set_field(symbol, member)
        self._add(symbol, member)

    def _instance(self, symbol: Symbol, id: Text, section: Section, index: int) -> None:
        member = Member(id.value, "instance", section, id.position, index, failed=section.faulty)
        if has_checksum(section):
            declare_checksum(symbol, member, self.diagnostics)
        elif has_table(section):
            declare_table(symbol, member, self.diagnostics)
        elif "value" in section.keys and not section.faulty:
            wrong = [key for key in section.keys if key not in VALUE_INSTANCE_KEYS]
            for key in wrong:
                allowed = ", ".join(sorted(VALUE_INSTANCE_KEYS[:-1]))
                message = f"invalid key found in value instance, allowed: {allowed}"
                hint = "a value instance is computed from what is read, and may also have '-wireloom'"
                self.diagnostics.error(section.keys[key], message, hint=hint)
            enum = section.text("enum")
            if enum is not None:
                found = self._named_enum(symbol, enum.value, enum.position)
                member.type, member.failed = found, found is None
        else:
            self._set_field(symbol, member)
        self._add(symbol, member)

    def _set_field(self, symbol: Symbol, member: Member) -> None:
        reader = self._reader(symbol)
        field = reader.field(member.section) if not member.section.faulty else None
        if field is None:
            self._check_types(symbol, reader, member.section)
            member.failed = True
            return
        member.field = field
        member.type = ListType(field.type) if field.repeats else field.type

    def _check_types(self, symbol: Symbol, reader: FieldReader, section: Section) -> None:
        """Report errors in names of types and enums for attributes whose other keys have errors."""
        value = section.get("type")
        cases = value.entries("cases") if isinstance(value, Section) else ()
        for reference in (value, *(each.value for each in cases)):
            if isinstance(reference, TypeReference) and reference.name not in BUILT_IN:
                before = self.diagnostics.errors
                number = reader.number(reference.name, reference.position)
                if number is None and self.diagnostics.errors == before:
                    self._user_type(symbol, reference.name, reference.position)
        enum = section.text("enum")
        if enum is not None and section.faulty:
            self._named_enum(symbol, enum.value, enum.position)

    def _parameter(self, symbol: Symbol, section: Section, index: int) -> None:
        id = section.text("id")
        name = id.value if id is not None else f"_unnamed{index}"
        symbol.unknown_members |= id is None
        member = Member(name, "parameter", section, id.position if id is not None else section.position, index)
        if section.faulty:
            member.failed = True
            self._add(symbol, member)
            return
        reference = section.get("type")
        type: Type | None = BytesType()
        if isinstance(reference, TypeReference):
            type = self.parameter_type(symbol, reference)
        enum = section.text("enum")
        if enum is not None and type is not None:
            found = self._named_enum(symbol, enum.value, enum.position)
            if found is not None and is_integer(type):
                type = EnumType(found.path, type)
            elif found is not None:
                self.diagnostics.error(enum.position, f"'enum' requires an integer, found {type_name(type)}")
        member.type, member.failed = type, type is None
        self._add(symbol, member)

    def parameter_type(self, symbol: Symbol, reference: TypeReference) -> Type | None:
        """Return the type of a parameter: without byte order or encoding, and perhaps a list (``u4[]``)."""
        name, is_list = (reference.name[:-2], True) if reference.name.endswith("[]") else (reference.name, False)
        type = plain_type(name)
        if type is None:
            type = self._user_type(symbol, name, reference.position, BUILT_IN_PARAMETERS)
        return ListType(type) if is_list and type is not None else type

    # Names -----------------------------------------------------------------------------------------------------------

    def _user_type(
        self, symbol: Symbol, name: str, position: Position, built_in: tuple[str, ...] = BUILT_IN
    ) -> Type | None:
        found = find_type(self.world, symbol, name)
        if found is not None:
            return UserType(found.path)
        if symbol.opaque_types:
            return UserType(tuple(part for part in name.split("::") if part), opaque=True)
        if not may_be_type(self.world, symbol, name) or may_be_built_in(name):
            self.diagnostics.error(position, unknown_type(self.world, symbol, name, built_in))
        return None

    def _named_enum(self, symbol: Symbol, name: str, position: Position) -> EnumType | None:
        found = find_enum(self.world, symbol, name)
        if found is None:
            if not may_be_enum(self.world, symbol, name):
                self.diagnostics.error(position, unknown_enum(symbol, name))
            return None
        return EnumType(found.path, ComputedIntegerType())


_PLAIN = re.compile(r"([us])([1248])|f([48])|b(\d{1,3})(le|be)?")

BUILT_IN_PARAMETERS = (*(f"{s}{n}" for s in "us" for n in (1, 2, 4, 8)), "f4", "f8", *PARAMETER_TYPES)


def plain_type(name: str) -> Type | None:
    """Return the built-in type of a parameter or cast (``u4``, ``str``, ``bytes`` …); ``None`` for other names.

    Such a value is not on the wire, so it has no byte order.
    """
    if name in PARAMETER_TYPES:
        return PARAMETER_TYPES[name]
    found = _PLAIN.fullmatch(name)
    if found is None:
        return None
    if found.group(2):
        return IntegerType(int(found.group(2)), found.group(1) == "s", None)
    if found.group(3):
        return FloatType(int(found.group(3)), None)
    return BooleanType() if found.group(4) == "1" else BitsType(int(found.group(4)), found.group(5) or "be")


def _dotted(version: list[int]) -> str:
    return ".".join(map(str, version))


MOST_TAKEN = 20_000
"""Maximum number of instances that the types of a spec and its imports copy from other types."""

Declared = list[tuple[Text, Section]]
"""Instances by name, as a spec declares them."""


def instances_in(section: Section) -> Declared:
    """Return the instances that a type declares itself."""
    entries = section.entries("instances")
    return [(e.key, e.value) for e in entries if isinstance(e.key, Text) and isinstance(e.value, Section)]


def instances_of_others(world: World, symbol: Symbol, diagnostics: Diagnostics) -> Declared:
    """Return the instances that a type copies from others, directly and indirectly."""
    waiting = [(symbol, each) for each in _named(symbol)]
    found: Declared = []
    seen = {symbol.path}
    while waiting:
        holder, name = waiting.pop(0)
        other = find_type(world, holder, name.value)
        if other is None:
            if holder is symbol and not may_be_type(world, holder, name.value):
                diagnostics.error(name.position, unknown_type(world, holder, name.value))
            symbol.unknown_members = True
        elif other.path not in seen:
            seen.add(other.path)
            _check(symbol, other, name, diagnostics)
            inner = instances_in(other.section)
            world.taken += len(inner)
            if world.taken > MOST_TAKEN:
                message = f"a spec and its imports can have at most {MOST_TAKEN} instances through 'instances-of'"
                diagnostics.error(name.position, message)
                symbol.unknown_members = True
                return []
            found += inner
            waiting += [(other, each) for each in _named(other)]
    return found


def _named(symbol: Symbol) -> tuple[Text, ...]:
    extensions = symbol.section.extensions if symbol.section.table == "type" else None
    return extensions.texts("instances-of") if extensions is not None else ()


def _check(symbol: Symbol, other: Symbol, name: Text, diagnostics: Diagnostics) -> None:
    """Report members that the type lacks for the instances of another one, and instances that cannot be copied."""
    known = {*symbol.members, *(key.value for key, _ in instances_in(symbol.section))}
    for parameter in other.section.sections("params"):
        wanted = parameter.text("id")
        if wanted is not None and wanted.value not in known and not symbol.unknown_members:
            message = f"the instances of {shown(name.value)} require an attribute or instance {shown(wanted.value)}"
            diagnostics.error(name.position, message)
    for key, section in instances_in(other.section):
        if "value" not in section.keys and not (has_checksum(section) or has_table(section) or section.faulty):
            message = (
                f"{shown(key.value)} of {shown(name.value)} is a parse instance: 'instances-of' requires value "
                "instances"
            )
            diagnostics.error(name.position, message)
