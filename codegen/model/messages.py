"""Fields of protobuf messages → members of their types, checked by the rules of protoc.

Rules: https://protobuf.dev/programming-guides/proto2/ and https://protobuf.dev/programming-guides/proto3/
"""

from __future__ import annotations

import math
import struct

from ..expression.types import (
    BooleanType,
    BytesType,
    EnumType,
    FloatType,
    IntegerType,
    ListType,
    StringType,
    Type,
    UserType,
)
from ..spec.diagnostics import Diagnostics
from ..spec.position import Position
from ..spec.syntax import Integer, Items, Section, Text, Value
from ..spec.tables import MAP_KEYS
from ..tree.leaves import Enum, Message, MessageField, OwnSize
from ..words import shown, suggestion
from .fields import Field
from .resolve import find_enum, find_type, may_be_enum, may_be_type
from .symbols import Member, Symbol, World

SCALARS: dict[str, Type] = {
    "double": FloatType(8, None),
    "float": FloatType(4, None),
    "int32": IntegerType(4, True, None),
    "int64": IntegerType(8, True, None),
    "uint32": IntegerType(4, False, None),
    "uint64": IntegerType(8, False, None),
    "sint32": IntegerType(4, True, None),
    "sint64": IntegerType(8, True, None),
    "fixed32": IntegerType(4, False, None),
    "fixed64": IntegerType(8, False, None),
    "sfixed32": IntegerType(4, True, None),
    "sfixed64": IntegerType(8, True, None),
    "bool": BooleanType(),
    "string": StringType("UTF-8"),
    "bytes": BytesType(),
}
"""Kinds by protobuf's name."""

ENUM_BASE = IntegerType(4, True, None)
"""An enum's values are those of ``int32``."""

PACKABLE = frozenset({"enum", *SCALARS} - {"string", "bytes"})
"""Kinds whose repeated values can be packed."""

ELSEWHERE = {
    **{f"u{size}": "uint32" for size in (1, 2, 4)},
    **{f"s{size}": "int32" for size in (1, 2, 4)},
    "u8": "uint64",
    "s8": "int64",
    "f4": "float",
    "f8": "double",
    "b1": "bool",
    "boolean": "bool",
    "str": "string",
    "strz": "string",
    "int": "int32",
    "long": "int64",
    "byte": "bytes",
}
"""Names of these scalars in Kaitai's language and others, for suggestions."""

RESERVED = range(19000, 20000)
"""Field numbers that are reserved for protobuf's implementations."""
INT32 = range(-(2**31), 2**31)


def message_of(symbol: Symbol) -> Message | None:
    """Return the type's key ``message`` without the fields; ``None`` if the type is not a message."""
    section = symbol.message
    if section is None:
        return None
    return Message(
        syntax=section.word("syntax", "proto3"),
        strict=section.word("wire-types", "skip") == "refuse",
        max_depth=section.integer("max-depth") or 100,
    )


class MessageReader:
    """Reads the fields of one message type."""

    def __init__(self, world: World, symbol: Symbol, diagnostics: Diagnostics) -> None:
        self.world = world
        self.symbol = symbol
        self.diagnostics = diagnostics
        self.proto3 = symbol.message is None or symbol.message.word("syntax", "proto3") == "proto3"

    def members(self) -> list[Member]:
        """Return the fields as attributes, in the order of the spec."""
        self._refuse_layout()
        section = self.symbol.message
        self.symbol.unknown_members |= section is None or "fields" in section.missing
        fields = section.sections("fields") if section is not None else ()
        self._refuse_numbers(fields)
        self._refuse_oneofs(fields)
        found = [self._member(each, index) for index, each in enumerate(fields)]
        return [each for each in found if each is not None]

    # Types that cannot be messages
    # ---------------------------------------------------------------------------------------

    def _refuse_layout(self) -> None:
        section = self.symbol.section
        if section.extensions is None or "message" not in section.extensions.keys:
            # An unknown key, which is reported, may have been intended for this one, or for another.
            return
        for key, why in (
            ("seq", "its attributes are the 'fields' of the message"),
            ("params", "its 'fields' define it completely"),
        ):
            if key in section.keys:
                self.diagnostics.error(section.keys[key], f"a message type cannot have '{key}': {why}")
        for entry in section.entries("instances"):
            if not isinstance(entry.value, Section) or "value" in entry.value.keys or entry.value.faulty:
                continue
            message = "a message type cannot have parse instances: expected the key 'value'"
            self.diagnostics.error(entry.key.position, message)

    def _refuse_numbers(self, fields: tuple[Section, ...]) -> None:
        first: dict[int, Position] = {}
        for field in fields:
            number = field.integer("number")
            if number is None:
                continue
            position = field.position_of("number")
            if number in RESERVED:
                self.diagnostics.error(
                    position, f"the numbers {RESERVED[0]} to {RESERVED[-1]} are reserved by protobuf, found {number}"
                )
            elif number in first:
                self.diagnostics.error(
                    position,
                    f"the field in line {first[number].line} already has the number {number}: give each field its "
                    "own number",
                )
            first.setdefault(number, position)

    def _refuse_oneofs(self, fields: tuple[Section, ...]) -> None:
        names = {each.word("id") for each in fields}
        for field in fields:
            oneof = field.text("oneof")
            if oneof is not None and oneof.value in names:
                self.diagnostics.error(
                    oneof.position, f"a oneof cannot be called {shown(oneof.value)}: a field has this name"
                )

    # One field -------------------------------------------------------------------------------------------------------

    def _member(self, section: Section, index: int) -> Member | None:
        id = section.text("id")
        if id is None:
            self.symbol.unknown_members = True
            return None
        member = Member(id.value, "attribute", section, id.position, index)
        kind, type = self._type(section)
        message = self.symbol.message
        # The rules depend on the syntax, which is unknown here.
        ruled = not section.faulty and message is not None and "syntax" not in message.missing
        field = self._field(section, kind, type) if type is not None and ruled else None
        if field is None or type is None:
            member.failed = True
            return member
        member.field = Field(section, type, OwnSize(), message=field)
        member.type = ListType(type) if field.label == "repeated" else type
        return member

    def _field(self, section: Section, kind: str, type: Type) -> MessageField | None:
        before = self.diagnostics.errors
        key = self._key(section)
        label = self._label(section, kind, key)
        packed = self._packed(section, kind, label, key)
        default = self._default(section, kind, type, label, key)
        json = self._json(section, kind)
        if self.diagnostics.errors > before:
            return None
        number = section.integer("number")
        assert number is not None
        names = (section.word("oneof"), key, json, section.word("json-name"))
        return MessageField(number, kind, label, packed, default, *names, hex=section.flag("hex", False))

    def _key(self, section: Section) -> str | None:
        key = section.text("map-key")
        if key is None:
            return None
        if key.value not in MAP_KEYS:
            hint = suggestion(key.value, MAP_KEYS)
            message = f"a map key must be an integer, bool or string, found {shown(key.value)}{hint}"
            self.diagnostics.error(key.position, message)
        for word in ("label", "oneof", "packed", "default"):
            if word in section:
                self.diagnostics.error(section.keys[word], f"'{word}' and 'map-key' cannot be used together")
        return key.value

    def _label(self, section: Section, kind: str, key: str | None) -> str:
        label = section.text("label")
        if key is not None:
            return "repeated"
        if "oneof" in section:
            if label is not None:
                message = f"a field of a oneof cannot have a label, found {shown(label.value)}"
                self.diagnostics.error(label.position, message)
            return "optional"
        if label is None:
            return "implicit" if self.proto3 and kind != "message" else "optional"
        if label.value == "required" and self.proto3:
            message = "proto3 has no required fields: remove 'label', or add 'syntax: proto2' to the message"
            self.diagnostics.error(label.position, message)
        return label.value

    def _packed(self, section: Section, kind: str, label: str, key: str | None) -> bool:
        may_be = label == "repeated" and kind in PACKABLE and key is None
        if "packed" in section and not may_be and key is None:
            why = "this field is not repeated" if label != "repeated" else f"this field has type {kind}"
            self.diagnostics.error(section.keys["packed"], f"'packed' requires repeated numbers, bools or enums: {why}")
        return may_be and section.flag("packed", self.proto3)

    def _default(
        self, section: Section, kind: str, type: Type, label: str, key: str | None
    ) -> int | float | bool | str | bytes | None:
        value = section.get("default")
        if value is None or key is not None:
            return None
        position = section.keys["default"]
        if self.proto3:
            self.diagnostics.error(position, "'default' requires proto2: in proto3, an absent field is zero")
        elif label == "repeated":
            self.diagnostics.error(position, "a repeated field cannot have a 'default': without items, it is empty")
        elif kind == "message":
            self.diagnostics.error(position, "a field with a message type cannot have a 'default'")
        else:
            enum = self._enum_at(type) if isinstance(type, EnumType) else None
            return default_value(value, kind, enum, self.diagnostics)
        return None

    def _json(self, section: Section, kind: str) -> bool:
        if "json" in section and kind != "message":
            message = f"'json' requires a field with a message type, but this field has type {kind}"
            self.diagnostics.error(section.keys["json"], message)
        if "hex" in section and kind != "bytes":
            message = f"'hex' requires a field of type bytes, but this field has type {kind}"
            self.diagnostics.error(section.keys["hex"], message)
        return section.flag("json", False)

    # Types -----------------------------------------------------------------------------------------------------------

    def _type(self, section: Section) -> tuple[str, Type | None]:
        """Return the kind and the type of a field; without a type if there is an error, which is reported."""
        word = section.text("type")
        if word is None:
            return "", None
        if word.value in SCALARS:
            return word.value, SCALARS[word.value]
        found = find_type(self.world, self.symbol, word.value)
        enum = find_enum(self.world, self.symbol, word.value)
        # The last part of a path may also be only visible from there; a nested type takes precedence.
        inside = tuple(word.value.split("::"))
        is_enum = enum is not None and enum.path[-len(inside) :] == inside
        if found is not None and found.is_message and (found.path[-len(inside) :] == inside or not is_enum):
            return "message", UserType(found.path)
        if enum is not None:
            return "enum", EnumType(enum.path, ENUM_BASE) if self._enum_fits(enum, word) else None
        if found is not None:
            message = f"a field must be a scalar, a message or an enum, but {shown(word.value)} is a type"
            self.diagnostics.error(word.position, f"{message} without the key 'message'")
        elif not self._may_be_declared(word.value) or word.value in ELSEWHERE:
            self.diagnostics.error(word.position, self._unknown(word.value))
        return "", None

    def _may_be_declared(self, name: str) -> bool:
        return may_be_type(self.world, self.symbol, name) or may_be_enum(self.world, self.symbol, name)

    def _unknown(self, name: str) -> str:
        if name in ELSEWHERE:
            return f"unknown type {shown(name)} of a field; did you mean {shown(ELSEWHERE[name])}?"
        visible = {*SCALARS, *self.world.roots}
        level: Symbol | None = self.symbol
        while level is not None:
            visible.update(word for word, each in level.types.items() if each.is_message)
            visible.update(level.enums)
            level = level.outer
        hint = suggestion(name, visible) or f"; expected {', '.join(SCALARS)}, a message type or an enum"
        return f"unknown type {shown(name)} of a field{hint}"

    def _enum_fits(self, enum: Enum, word: Text) -> bool:
        """Return whether an enum is valid in protobuf; report it otherwise."""
        holder = self.world.at(enum.path[:-1])
        if holder is not None and enum.path[-1] in holder.unknown_labels:
            return True
        outside = next((each for each in enum.labels if each.value not in INT32), None)
        problem = ""
        if not enum.labels:
            problem = "has no members"
        elif outside is not None:
            problem = f"has a value that does not fit in 32 bits: {outside.value}"
        elif self.proto3 and enum.labels[0].value != 0:
            first = enum.labels[0]
            problem = f"begins with {shown(first.label)} = {first.value}: in proto3 an enum's first value is 0"
        if problem:
            self.diagnostics.error(word.position, f"the enum {shown(word.value)} {problem}")
        return not problem

    def _enum_at(self, type: EnumType) -> Enum | None:
        holder = self.world.at(type.path[:-1])
        return holder.enums.get(type.path[-1]) if holder is not None else None


Default = int | float | bool | str | bytes

_WORDS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def default_value(value: Value, kind: str, enum: Enum | None, diagnostics: Diagnostics) -> Default | None:
    """Return the value; ``None`` if it is not of the type, which is reported. ``enum``: the enum of a field of that
    kind."""
    if isinstance(value, Items):
        if kind == "bytes":
            return bytes(each.value for each in value.items if isinstance(each, Integer))
        diagnostics.error(
            value.position,
            f"only a field of type bytes can have a list of bytes as its default, but this field has type {kind}",
        )
        return None
    if not isinstance(value, Text):
        return None
    if kind == "enum":
        return _label(value, enum, diagnostics)
    found = _scalar(value, kind)
    if found is None:
        diagnostics.error(value.position, f"the default must be {_wanted(kind)}, found {shown(value.value)}")
    return found


def _scalar(value: Text, kind: str) -> Default | None:
    written = value.scalar.value
    type = SCALARS[kind]
    if kind == "string":
        return value.value
    if kind == "bytes":
        return value.value.encode("utf-8", "surrogatepass")
    if kind == "bool":
        return written if isinstance(written, bool) else None
    if isinstance(type, FloatType):
        return _float(value, type)
    if isinstance(type, IntegerType) and isinstance(written, int) and not isinstance(written, bool):
        least, most = _range(type)
        return written if least <= written <= most else None
    return None


def _float(value: Text, type: FloatType) -> float | None:
    written = value.scalar.value
    if value.value in _WORDS:
        return _WORDS[value.value]
    if not isinstance(written, (int, float)) or isinstance(written, bool):
        return None
    try:
        number = float(written)
        # As protoc does, the default is what the field can hold.
        return float(struct.unpack("<f", struct.pack("<f", number))[0]) if type.size == 4 else number
    except OverflowError:
        return None


def _label(value: Text, enum: Enum | None, diagnostics: Diagnostics) -> int | None:
    labels = {each.label: each.value for each in enum.labels} if enum is not None else {}
    if value.value not in labels:
        hint = suggestion(value.value, labels)
        message = f"the default must be a member of the enum, which has no {shown(value.value)}{hint}"
        diagnostics.error(value.position, message)
        return None
    return labels[value.value]


def _range(type: IntegerType) -> tuple[int, int]:
    bits = type.size * 8
    return (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if type.signed else (0, 2**bits - 1)


def _wanted(kind: str) -> str:
    type = SCALARS[kind]
    if isinstance(type, IntegerType):
        least, most = _range(type)
        return f"an integer from {least} to {most}"
    return {"bool": "true or false", "float": "a number of 32 bits", "double": "a number"}[kind]
