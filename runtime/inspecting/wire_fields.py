"""The fields of a message as encoded: number, wire type, name, value."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from ..format.message_rules import FieldKind, FieldRule, Label, MessageRule, MessageSet, WireType
from ..objects.messages.descriptors import descriptor_of
from ..objects.messages.errors import WireError
from ..objects.messages.kinds import FLOATS, INTEGERS, fixed_code, wire_type
from ..objects.messages.objects import Message
from ..objects.messages.wire import check_tag, read_tag, read_varint, read_varints, skip_field
from .field import MOST_FIELDS, Field

WIRE_NAMES = {
    WireType.VARINT: "varint",
    WireType.FIXED64: "64 bits",
    WireType.LENGTH_DELIMITED: "bytes",
    WireType.GROUP_BEGIN: "group",
    WireType.GROUP_END: "group's end",
    WireType.FIXED32: "32 bits",
}
UNKNOWN = "?"
"""Name of fields that the type does not have."""


def wire_fields(types: MessageSet, data: bytes, base: int, number: int = 0) -> list[Field]:
    """Return the fields of a message of type ``number``, in the order of its bytes.

    Bytes that cannot be read are one field with a problem. ``base``: the offset of ``data[0]``. There are at most
    ``MOST_FIELDS`` fields, nested at most as deep as the type allows.
    """

    def inner(_: MessageRule, rule: FieldRule) -> MessageRule:
        return _inner(types, rule)

    return _Walk(inner, data, base).message(types.messages[number], 0, len(data), 0)


def wire_fields_of(message: Message, data: bytes, base: int) -> list[Field]:
    """Return the same as ``wire_fields`` for the bytes of a message of the class of ``message``."""
    top = descriptor_of(type(message))
    descriptors = {id(top.rule): top}

    def inner(owner: MessageRule, rule: FieldRule) -> MessageRule:
        child = next(descriptor for each, descriptor in descriptors[id(owner)].children if each.name == rule.name)
        descriptors[id(child.rule)] = child
        return child.rule

    return _Walk(inner, data, base).message(top.rule, 0, len(data), 0)


class _Walk:
    """A traversal of the bytes of a message. ``inner``: returns the type of the messages in a field of a type; for a
    map, that of its entries.
    """

    def __init__(self, inner: Callable[[MessageRule, FieldRule], MessageRule], data: bytes, base: int) -> None:
        self._inner = inner
        self._data = data
        self._base = base
        self._count = 0

    def message(self, rule: MessageRule, begin: int, end: int, depth: int) -> list[Field]:
        rules = {each.number: each for each in rule.fields}
        found: list[Field] = []
        position = begin
        while position < end and self._count < MOST_FIELDS:
            self._count += 1
            start = position
            try:
                tag, position = read_tag(self._data, position, rule.strict)
                check_tag(tag)
                content = position
                if tag & 7 == WireType.LENGTH_DELIMITED:
                    _, content = read_varint(self._data, position, rule.strict)
                position = skip_field(self._data, tag, start, position, end, rule.strict, rule.max_depth)
            except (WireError, IndexError) as error:
                problem = error.sentence if isinstance(error, WireError) else "the message ends inside the field"
                found.append(Field(UNKNOWN, None, self._base + start, self._base + end, problem=problem))
                break
            each = self._field(rule, rules.get(tag >> 3), tag, start, content, position, depth)
            each.owner = rule.name
            found.append(each)
        return found

    def _field(
        self, owner: MessageRule, rule: FieldRule | None, tag: int, start: int, content: int, end: int, depth: int
    ) -> Field:
        wire = WireType(tag & 7)
        name = rule.name if rule is not None else UNKNOWN
        made = Field(f"{name} ({tag >> 3}, {WIRE_NAMES[wire]})", None, self._base + start, self._base + end)
        if rule is None:
            made.value = self._raw(wire, content, end)
        elif wire is WireType.LENGTH_DELIMITED and (rule.key is not None or rule.kind is FieldKind.MESSAGE):
            if depth + 1 > owner.max_depth:
                made.problem = f"messages are nested more than {owner.max_depth} levels deep"
            else:
                made.children = self.message(self._inner(owner, rule), content, end, depth + 1)
        elif wire is wire_type(rule.kind):
            made.value = self._value(rule, content, end)
        elif wire is WireType.LENGTH_DELIMITED and rule.label is Label.REPEATED:
            made.value = self._packed(rule, content, end)
        else:
            made.value = self._raw(wire, content, end)
            made.problem = f"{rule.name} has the wire type {WIRE_NAMES[wire_type(rule.kind)]}: an unknown field"
        return made

    def _raw(self, wire: WireType, content: int, end: int) -> Any:
        if wire is WireType.VARINT:
            return read_varint(self._data, content, False)[0]
        return self._data[content:end]

    def _value(self, rule: FieldRule, content: int, end: int) -> Any:
        data = self._data[content:end]
        if rule.kind is FieldKind.BYTES:
            return data
        if rule.kind is FieldKind.STRING:
            return data.decode("utf-8", "replace")
        if wire_type(rule.kind) is WireType.VARINT:
            return _integer(rule, read_varint(self._data, content, False)[0])
        return _fixed(rule, data)[0]

    def _packed(self, rule: FieldRule, content: int, end: int) -> Any:
        if wire_type(rule.kind) is WireType.VARINT:
            try:
                values = read_varints(self._data, content, end, False)
            except (WireError, IndexError):
                return self._data[content:end]
            return ", ".join(str(_integer(rule, each)) for each in values[:MOST_FIELDS])
        return ", ".join(map(str, _fixed(rule, self._data[content:end])[:MOST_FIELDS])) or self._data[content:end]


def _inner(types: MessageSet, rule: FieldRule) -> MessageRule:
    if rule.key is None:
        return types.messages[rule.message]
    key = FieldRule("key", 1, rule.key, Label.OPTIONAL)
    value = FieldRule("value", 2, rule.kind, Label.OPTIONAL, message=rule.message)
    return MessageRule(rule.name, (key, value))


def _integer(rule: FieldRule, value: int) -> Any:
    if rule.kind is FieldKind.BOOL:
        return bool(value)
    read = INTEGERS[rule.kind].read
    return value if read is None else read(value)


def _fixed(rule: FieldRule, data: bytes) -> list[Any]:
    letter = struct.Struct(f"<{fixed_code(rule.kind)}")
    whole = len(data) - len(data) % letter.size
    values = [value for (value,) in letter.iter_unpack(data[:whole])]
    return [float(f"{each:.9g}") for each in values] if FLOATS.get(rule.kind) == "f" else values
