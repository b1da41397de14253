"""The rules of a protobuf message type, and the lengths between messages: plain data that readers and writers use.

Numbers and terms are those of protobuf's descriptors and language guide.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Literal

from ..base.dataclass import dataclass

MAX_DEPTH = 100
"""Maximum nesting depth of messages, as in protobuf's own parsers."""

LENGTHS: Mapping[str, tuple[int, Literal["little", "big"]]] = {
    "varint": (0, "little"),
    "u1": (1, "little"),
    "u2le": (2, "little"),
    "u2be": (2, "big"),
    "u4le": (4, "little"),
    "u4be": (4, "big"),
    "u8le": (8, "little"),
    "u8be": (8, "big"),
}
"""The framings with a length before each message, by their names in specs: the size of the length in bytes, 0 for a
varint, and its byte order."""
FRAMINGS = ("whole", "lines", *LENGTHS)
"""The names of all built-in framings; ``whole``: an input is one message; ``lines``: each line is one, in JSON."""


class FieldKind(IntEnum):
    """The type of a field; the numbers are those of ``google.protobuf.FieldDescriptorProto.Type``. Groups are only
    skipped."""

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
    """The cardinality and the presence of a field."""

    OPTIONAL = 1
    """Explicit presence: absent differs from zero. Sub-messages and members of a oneof always have it."""
    REQUIRED = 2
    REPEATED = 3
    IMPLICIT = 4
    """proto3 without a label: absent equals zero; zero is not written."""


@dataclass(frozen=True, slots=True)
class FieldRule:
    """One field. ``name``: that of the attribute in the generated class.

    - ``message``: for ``MESSAGE``, the index of its type in the ``MessageSet``.
    - ``packed``: how a repeated scalar is written; both forms are read.
    - ``default``: that of proto2, ``None`` if none is declared.
    - ``oneof``: the name of the group of which at most one member is set.
    - ``key``: for a map, the kind of its keys (the field's own kind is that of the values, its label ``REPEATED``).
    - ``values``: for a closed enum (proto2) its numbers: other numbers make the field an unknown one.
    - ``json``: tables contain the message as JSON text.
    - ``json_name``: its name in JSON, if that does not follow from ``name``.
    - ``hex``: in JSON, bytes are hexadecimal digits.
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
    json_name: str = ""
    hex: bool = False


@dataclass(frozen=True, slots=True)
class MessageRule:
    """One message type. ``name``: that of the generated class, qualified (``KplAggregatedRecord.Record``).

    ``strict``: a known field with another wire type, and a varint beyond 64 bits, are errors (as in Rust's prost);
    otherwise such a field is an unknown one and is skipped, and such a varint is truncated to 64 bits (as in Google's
    parsers). ``check_text``: strings must be UTF-8 (proto3); otherwise they are kept unchanged (proto2).
    """

    name: str
    fields: tuple[FieldRule, ...]
    strict: bool = False
    check_text: bool = True
    max_depth: int = MAX_DEPTH


@dataclass(frozen=True, slots=True)
class MessageSet:
    """The message types of a spec; ``FieldRule.message`` is an index of ``messages``."""

    messages: tuple[MessageRule, ...]


NOWHERE = 0xFFFF
"""Used in place of a register or span if there is none."""


@dataclass(frozen=True, slots=True)
class MessageField:
    """A field of a message that ``FIELDS`` reads.

    - ``several``: it is repeated, packed or not; ``text``: it must be UTF-8; ``closed``: the numbers of a closed enum,
      other numbers make it an unknown field.
    - ``arm``: the result of ``FIELDS`` after it has read the field; 0: it continues reading.
    - ``value``: the span of bytes and text, the register of other values: of floats their bits, of messages their size.
    - ``present``: the register that is not 0 if the field is present; for messages it is 2 when they have just begun.
    - ``group``: of the fields in the same group, a oneof, only the last one read is present.
    """

    number: int
    kind: FieldKind
    arm: int = 0
    value: int = NOWHERE
    present: int = NOWHERE
    group: int = 0
    several: bool = False
    text: bool = False
    closed: tuple[int, ...] | None = None

    def pack(self, closed: int) -> bytes:
        """Return the field in the form that the engine loads. ``closed``: the position of the numbers in the
        constants."""
        flags = self.several | self.text << 1 | (self.closed is not None) << 2
        places = (self.arm, self.value, self.present, self.group)
        return struct.pack("<I6H2I4x", self.number, self.kind, flags, *places, closed, len(self.closed or ()))


@dataclass(frozen=True, slots=True)
class MessageTable:
    """The fields of a message type at one position, in the order of their numbers. ``strict``: as in ``MessageRule``;
    ``depth``: the maximum nesting depth of groups in it. ``left`` and ``broken``: the registers with the rest of a
    packed field, and whether the message is invalid."""

    fields: tuple[MessageField, ...]
    left: int
    broken: int
    strict: bool = False
    depth: int = 100


def packed_messages(tables: Iterable[MessageTable], closed: int) -> bytes:
    """Return the tables in the form that the engine loads, followed by all of their fields. ``closed``: the positions
    in the constants of the numbers of closed enums."""
    heads = b""
    fields: list[bytes] = []
    for table in tables:
        registers = (table.left, table.broken)
        heads += struct.pack("<6I", len(fields), len(table.fields), table.strict, table.depth, *registers)
        for each in table.fields:
            fields.append(each.pack(closed))
            closed += 4 * len(each.closed or ())
    return heads + b"".join(fields)
