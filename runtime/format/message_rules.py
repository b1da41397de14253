"""The rules of a protobuf message type: plain data that the objects, the engine and the encoder use.

Numbers and words are those of protobuf's own descriptors and language guide.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

MAX_DEPTH = 100
"""How deep messages may be nested, as in protobuf's own parsers."""


class FieldKind(IntEnum):
    """The type of a field, numbered as in ``google.protobuf.FieldDescriptorProto.Type``. Groups are only skipped."""

    DOUBLE = 1
    FLOAT = 2
    INT64 = 3
    UINT64 = 4
    INT32 = 5
    FIXED64 = 6
    FIXED32 = 7
    BOOL = 8
    STRING = 9
    MESSAGE = 11
    BYTES = 12
    UINT32 = 13
    ENUM = 14
    SFIXED32 = 15
    SFIXED64 = 16
    SINT32 = 17
    SINT64 = 18


class WireType(IntEnum):
    """The low three bits of a tag."""

    VARINT = 0
    FIXED64 = 1
    LENGTH_DELIMITED = 2
    GROUP_BEGIN = 3
    GROUP_END = 4
    FIXED32 = 5


class Label(IntEnum):
    """How often a field may occur and whether its absence shows."""

    OPTIONAL = 1
    """Explicit presence: absent is not the same as zero. Sub-messages and members of a oneof always are."""
    REQUIRED = 2
    REPEATED = 3
    IMPLICIT = 4
    """proto3 without a label: absent and zero are the same; zero is not written."""


@dataclass(frozen=True, slots=True)
class FieldRule:
    """One field. ``name`` is that of the attribute in the generated class.

    ``message``: for ``MESSAGE``, the index of its type in the ``MessageSet``. ``packed``: how a repeated scalar is
    written; both forms are read. ``default``: proto2's, ``None`` if none is declared. ``oneof``: the name of the
    group of which one member at most is set. ``key``: for a map, the kind of its keys (the field's own kind is that of
    the values, its label ``REPEATED``). ``values``: for a closed enum (proto2) its numbers: others are unknown fields.
    ``json``: tables have the message as JSON text.
    """

    name: str
    number: int
    kind: FieldKind
    label: Label
    packed: bool = False
    default: int | float | bool | str | bytes | None = None
    oneof: str = ""
    message: int = -1
    key: FieldKind | None = None
    values: tuple[int, ...] | None = None
    json: bool = False


@dataclass(frozen=True, slots=True)
class MessageRule:
    """One message type. ``name``: that of the generated class, qualified (``KplAggregatedRecord.Record``).

    ``strict``: a known field with another wire type, and a varint that does not fit 64 bits, are errors (as in Rust's
    prost); otherwise the field is an unknown one and is skipped, and the varint is cut to 64 bits (as in Google's
    parsers). ``check_text``: strings must be UTF-8 (proto3); otherwise they are kept as they are (proto2).
    """

    name: str
    fields: tuple[FieldRule, ...]
    strict: bool = False
    check_text: bool = True
    max_depth: int = MAX_DEPTH


@dataclass(frozen=True, slots=True)
class MessageSet:
    """The message types of a spec; ``FieldRule.message`` counts in ``messages``."""

    messages: tuple[MessageRule, ...]
