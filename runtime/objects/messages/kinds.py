"""The kinds of fields: wire type, zero value, and how values are read and written."""

from __future__ import annotations

import struct
from collections.abc import Callable

from ...base.dataclass import dataclass
from ...format.message_rules import FieldKind, FieldRule, WireType
from .wire import MASK_64, signed_32, signed_64, unsigned_32, zigzag_32, zigzag_64


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer kind: its range, both ends included. ``read``: converts a varint to the value, ``None`` if it is the
    value; ``zigzag``: whether varints are zigzag-encoded; ``code``: the ``struct`` code of a fixed size."""

    least: int
    most: int
    read: Callable[[int], int] | None = None
    zigzag: bool = False
    code: str = ""


INT32, UINT32 = (-(1 << 31), (1 << 31) - 1), (0, (1 << 32) - 1)
INT64, UINT64 = (-(1 << 63), (1 << 63) - 1), (0, MASK_64)

INTEGERS = {
    FieldKind.INT32: Integer(*INT32, read=signed_32),
    FieldKind.INT64: Integer(*INT64, read=signed_64),
    FieldKind.UINT32: Integer(*UINT32, read=unsigned_32),
    FieldKind.UINT64: Integer(*UINT64),
    FieldKind.SINT32: Integer(*INT32, read=zigzag_32, zigzag=True),
    FieldKind.SINT64: Integer(*INT64, read=zigzag_64, zigzag=True),
    FieldKind.ENUM: Integer(*INT32, read=signed_32),
    FieldKind.FIXED32: Integer(*UINT32, code="I"),
    FieldKind.FIXED64: Integer(*UINT64, code="Q"),
    FieldKind.SFIXED32: Integer(*INT32, code="i"),
    FieldKind.SFIXED64: Integer(*INT64, code="q"),
}

FLOATS = {FieldKind.FLOAT: "f", FieldKind.DOUBLE: "d"}
"""``struct`` codes; both are little-endian on the wire."""

LENGTH_DELIMITED = frozenset({FieldKind.STRING, FieldKind.BYTES, FieldKind.MESSAGE})
"""The kinds that cannot be packed."""


def fixed_code(kind: FieldKind) -> str:
    """Return the ``struct`` code of a kind of fixed size; empty for other kinds."""
    return FLOATS.get(kind) or (INTEGERS[kind].code if kind in INTEGERS else "")


def wire_type(kind: FieldKind) -> WireType:
    """Return the wire type of a single value."""
    if kind in LENGTH_DELIMITED:
        return WireType.LENGTH_DELIMITED
    code = fixed_code(kind)
    if not code:
        return WireType.VARINT
    return WireType.FIXED32 if struct.calcsize(f"<{code}") == 4 else WireType.FIXED64


def zero(rule: FieldRule) -> int | float | bool | str | bytes | None:
    """Return the value of an absent field without a declared default: of a closed enum its first value, of a message
    ``None``."""
    match rule.kind:
        case FieldKind.STRING:
            return ""
        case FieldKind.BYTES:
            return b""
        case FieldKind.BOOL:
            return False
        case FieldKind.FLOAT | FieldKind.DOUBLE:
            return 0.0
        case FieldKind.MESSAGE:
            return None
        case FieldKind.ENUM:
            return rule.values[0] if rule.values else 0
    return 0
