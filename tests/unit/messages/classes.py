"""Message classes made from rules, without generated code."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

import pytest
from wireloom.objects.messages import (
    FieldKind,
    FieldRule,
    Label,
    Message,
    MessageError,
    MessageRule,
    MessageSet,
    write_varint,
)

Kind, Of = FieldKind, Label


def classes_of(messages: MessageSet, enums: Mapping[str, type[IntEnum]] | None = None) -> dict[str, type[Any]]:
    """Return a class for each rule, by name; ``enums``: classes of enum fields by ``Message.field``."""
    made: dict[str, type[Any]] = {}
    for rule in messages.messages:
        types = {each.name: messages.messages[each.message].name for each in rule.fields if each.message >= 0}
        known = {each.name: (enums or {}).get(f"{rule.name}.{each.name}") for each in rule.fields}
        made[rule.name] = _class(rule, types, {name: kind for name, kind in known.items() if kind}, made)
    return made


def _class(rule: MessageRule, types: dict[str, str], enums: dict[str, Any], made: dict[str, type[Any]]) -> type[Any]:
    names = tuple(each.name for each in rule.fields)

    def found(cls: type[Any]) -> dict[str, type[Any]]:
        return {**enums, **{field: made[name] for field, name in types.items()}}

    space = {"__slots__": names, "_fields": names, "_rule": rule, "_types": classmethod(found), "__module__": __name__}
    return type(rule.name, (Message,), space)


def message_of(*fields: FieldRule, **settings: Any) -> type[Any]:
    """Return the class of one message type without sub-messages of other types; its own type has the number 0."""
    return classes_of(MessageSet((MessageRule("Made", fields, **settings),)))["Made"]


def tag(number: int, wire_type: int) -> bytes:
    """Return a tag of one or two bytes."""
    key = number << 3 | wire_type
    return bytes((key,)) if key < 128 else bytes((key & 127 | 128, key >> 7))


def one(kind: FieldKind, label: Label = Of.OPTIONAL, **settings: Any) -> type[Any]:
    """Return a message with the single field ``value`` of number 1."""
    return message_of(FieldRule("value", 1, kind, label), **settings)


def refusal(message: type[Any], data: bytes) -> MessageError:
    """Return the error with which a class refuses ``data``."""
    with pytest.raises(MessageError) as caught:
        message.from_bytes(data)
    return caught.value


def varint(number: int, value: int) -> bytes:
    """Return a field that is a varint."""
    return tag(number, 0) + write_varint(value)


def sized(number: int, content: bytes) -> bytes:
    """Return a field that has a length."""
    return tag(number, 2) + write_varint(len(content)) + content


KPL = MessageSet(
    (
        MessageRule(
            "AggregatedRecord",
            (
                FieldRule("partition_key_table", 1, Kind.STRING, Of.REPEATED),
                FieldRule("explicit_hash_key_table", 2, Kind.STRING, Of.REPEATED),
                FieldRule("records", 3, Kind.MESSAGE, Of.REPEATED, message=1),
            ),
            check_text=False,
        ),
        MessageRule(
            "Record",
            (
                FieldRule("partition_key_index", 1, Kind.UINT64, Of.REQUIRED),
                FieldRule("explicit_hash_key_index", 2, Kind.UINT64, Of.OPTIONAL),
                FieldRule("data", 3, Kind.BYTES, Of.REQUIRED),
                FieldRule("tags", 4, Kind.MESSAGE, Of.REPEATED, message=2),
            ),
            check_text=False,
        ),
        MessageRule(
            "Tag",
            (FieldRule("key", 1, Kind.STRING, Of.REQUIRED), FieldRule("value", 2, Kind.STRING, Of.OPTIONAL)),
            check_text=False,
        ),
    )
)
"""The messages of the Kinesis Producer Library (proto2)."""


def _s2(name: str, *fields: FieldRule) -> MessageRule:
    return MessageRule(name, fields, strict=True)


S2 = MessageSet(
    (
        _s2(
            "StreamPosition",
            FieldRule("seq_num", 1, Kind.UINT64, Of.IMPLICIT),
            FieldRule("timestamp", 2, Kind.UINT64, Of.IMPLICIT),
        ),
        _s2(
            "Header",
            FieldRule("name", 1, Kind.BYTES, Of.IMPLICIT),
            FieldRule("value", 2, Kind.BYTES, Of.IMPLICIT),
        ),
        _s2(
            "AppendRecord",
            FieldRule("timestamp", 1, Kind.UINT64, Of.OPTIONAL),
            FieldRule("headers", 2, Kind.MESSAGE, Of.REPEATED, message=1),
            FieldRule("body", 3, Kind.BYTES, Of.IMPLICIT),
        ),
        _s2(
            "AppendInput",
            FieldRule("records", 1, Kind.MESSAGE, Of.REPEATED, message=2),
            FieldRule("match_seq_num", 2, Kind.UINT64, Of.OPTIONAL),
            FieldRule("fencing_token", 3, Kind.STRING, Of.OPTIONAL),
        ),
        _s2(
            "AppendAck",
            FieldRule("start", 1, Kind.MESSAGE, Of.OPTIONAL, message=0),
            FieldRule("end", 2, Kind.MESSAGE, Of.OPTIONAL, message=0),
            FieldRule("tail", 3, Kind.MESSAGE, Of.OPTIONAL, message=0),
        ),
        _s2(
            "SequencedRecord",
            FieldRule("seq_num", 1, Kind.UINT64, Of.IMPLICIT),
            FieldRule("timestamp", 2, Kind.UINT64, Of.IMPLICIT),
            FieldRule("headers", 3, Kind.MESSAGE, Of.REPEATED, message=1),
            FieldRule("body", 4, Kind.BYTES, Of.IMPLICIT),
        ),
        _s2(
            "ReadBatch",
            FieldRule("records", 1, Kind.MESSAGE, Of.REPEATED, message=5),
            FieldRule("tail", 2, Kind.MESSAGE, Of.OPTIONAL, message=0),
        ),
    )
)
"""The messages of S2 (proto3, read as prost reads them)."""

TREE = (
    FieldRule("inner", 1, Kind.MESSAGE, Of.OPTIONAL, message=0),
    FieldRule("items", 2, Kind.MESSAGE, Of.REPEATED, message=0),
    FieldRule("number", 3, Kind.INT32, Of.OPTIONAL),
    FieldRule("left", 4, Kind.MESSAGE, Of.OPTIONAL, message=0, oneof="side"),
    FieldRule("right", 5, Kind.STRING, Of.OPTIONAL, oneof="side"),
)
Tree = message_of(*TREE)
"""A message that contains itself in every way."""
