"""Primitives of the wire format: varints, tags, zigzag, skipping of fields.

Source of the rules: https://protobuf.dev/programming-guides/encoding/.
"""

from __future__ import annotations

from ...format.message_rules import WireType
from .errors import EndError, WireError

MASK_32 = 0xFFFF_FFFF
MASK_64 = 0xFFFF_FFFF_FFFF_FFFF
MAX_NUMBER = (1 << 29) - 1
"""The largest field number."""

TRUNCATED = "the input ends inside the field"
TOO_DEEP = "messages are nested too deeply"

SHIFTS = tuple(range(0, 70, 7))
"""The shifts of the bytes of a varint."""
SMALL = tuple(bytes((value,)) for value in range(128))
"""The varints of one byte."""


def read_varint(data: bytes, position: int, strict: bool) -> tuple[int, int]:
    """Return the varint at ``position`` and the position after it.

    A varint has at most ten bytes. Bits beyond 64 are an error if ``strict``, otherwise they are dropped. Raises
    ``WireError``, and ``IndexError`` if ``data`` ends inside the varint.
    """
    value = 0
    for shift in SHIFTS:
        byte = data[position]
        position += 1
        if byte < 0x80:
            value |= byte << shift
            if value > MASK_64:
                if strict:
                    raise WireError("a varint has more than 64 bits")
                value &= MASK_64
            return value, position
        value |= (byte & 0x7F) << shift
    raise WireError("a varint has more than 10 bytes")


def read_tag(data: bytes, position: int, strict: bool) -> tuple[int, int]:
    """Return the tag at ``position`` and the position after it.

    Unless ``strict``, 32 bits of a longer one are kept, as by Google's parser for Java, which the KCL uses. Raises as
    ``read_varint``.
    """
    value, position = read_varint(data, position, strict)
    return (value if strict else value & MASK_32), position


def read_varints(data: bytes, position: int, end: int, strict: bool) -> list[int]:
    """Return the varints of a packed field, whose content is ``data[position:end]``. Raises ``WireError``."""
    chunk = data[position:end]
    if chunk.isascii():
        return list(chunk)
    values: list[int] = []
    position, end = 0, len(chunk)
    try:
        while position < end:
            value = chunk[position]
            position += 1
            if value > 0x7F:
                value, position = read_varint(chunk, position - 1, strict)
            values.append(value)
    except IndexError:
        raise WireError(TRUNCATED) from None
    return values


def write_varint(value: int) -> bytes:
    """Return the shortest varint of a number from 0 to 2^64 - 1."""
    if value < 0x80:
        return SMALL[value]
    if value < 0x4000:
        return bytes((value & 0x7F | 0x80, value >> 7))
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


def check_tag(tag: int) -> None:
    """Raise ``WireError`` for an invalid tag."""
    number, wire_type = tag >> 3, tag & 7
    if not 0 < number <= MAX_NUMBER:
        raise WireError(f"{number} is not a valid field number: expected 1 to {MAX_NUMBER}")
    if wire_type > WireType.FIXED32:
        raise WireError(f"unknown wire type {wire_type}")


def skip_field(data: bytes, tag: int, begin: int, position: int, end: int, strict: bool, depth: int) -> int:
    """Return the position after the unknown field of ``tag`` at ``begin``, whose content is at ``position``.

    ``depth``: how many groups may be nested. Raises ``WireError`` with the position, which may be inside a group.
    """
    groups: list[int] = []
    try:
        while True:
            check_tag(tag)
            position = _skip_value(data, tag, position, end, strict)
            match tag & 7:
                case WireType.GROUP_BEGIN:
                    if len(groups) >= depth:
                        raise WireError(TOO_DEEP, "limit")
                    groups.append(tag >> 3)
                case WireType.GROUP_END:
                    if not groups or groups[-1] != tag >> 3:
                        raise WireError(f"group {tag >> 3} ends without a start")
                    groups.pop()
            if not groups:
                return position
            if position == end:
                raise EndError(f"group {groups[-1]} does not end")
            begin = position
            tag, position = read_tag(data, position, strict)
    except WireError as error:
        error.begin = begin
        raise
    except IndexError:
        raise EndError(TRUNCATED, begin=begin) from None


def _skip_value(data: bytes, tag: int, position: int, end: int, strict: bool) -> int:
    match tag & 7:
        case WireType.VARINT:
            _, position = read_varint(data, position, strict)
            size = 0
        case WireType.FIXED64:
            size = 8
        case WireType.FIXED32:
            size = 4
        case WireType.LENGTH_DELIMITED:
            size, position = read_varint(data, position, strict)
        case _:
            size = 0
    if position + size > end:
        raise too_long(size, end - position)
    return position + size


def too_long(size: int, left: int) -> EndError:
    """Return the error for a field that needs ``size`` bytes where ``left`` remain; a negative ``size``: the length
    itself is truncated."""
    return EndError(TRUNCATED if left < 0 else f"{size} bytes expected, but only {left} left")


def signed_32(value: int) -> int:
    """Return the low 32 bits as a signed number: ``int32`` and enums."""
    value &= MASK_32
    return value - (1 << 32) if value >> 31 else value


def unsigned_32(value: int) -> int:
    """Return the low 32 bits: ``uint32``."""
    return value & MASK_32


def signed_64(value: int) -> int:
    """Return 64 bits as a signed number: ``int64``."""
    return value - (1 << 64) if value >> 63 else value


def zigzag_32(value: int) -> int:
    """Decode the zigzag encoding of ``sint32``.

    >>> zigzag_32(0), zigzag_32(1), zigzag_32(2)
    (0, -1, 1)
    """
    value &= MASK_32
    return value >> 1 ^ -(value & 1)


def zigzag_64(value: int) -> int:
    """Decode the zigzag encoding of ``sint64``."""
    return value >> 1 ^ -(value & 1)
