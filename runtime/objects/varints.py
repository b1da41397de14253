"""Integers with as many bytes as needed: each has seven bits of the value, and a highest bit that says that another
byte follows."""

from __future__ import annotations

from .errors import with_reason
from .kaitai import ConsistencyError, KaitaiStream, ValidationGreaterThanError


def read_varint(
    io: KaitaiStream,
    groups: int,
    most: int,
    src_path: str,
    *,
    big_endian: bool,
    zigzag: bool,
    reason: str,
) -> int:
    """Read an integer of at most ``most`` bytes (0: no limit), of which the ``groups`` lowest count.

    ``big_endian``: the first byte is the highest. ``zigzag``: even numbers represent 0, 1, 2 …, odd ones -1, -2 …
    Raises ``ValidationGreaterThanError`` with ``reason`` for more bytes, and ``EndOfStreamError``.
    """
    byte = io.read_u1()
    value, count = byte & 127, 1
    mask = (1 << 7 * groups) - 1
    while byte > 127:
        if count == most:
            raise with_reason(ValidationGreaterThanError(most, most + 1, io, src_path), reason)
        byte = io.read_u1()
        if big_endian:
            value = (value << 7 | byte & 127) & mask
        elif count < groups:
            value |= (byte & 127) << 7 * count
        count += 1
    return value >> 1 ^ -(value & 1) if zigzag else value


def varint(value: int, groups: int, name: str, *, big_endian: bool, zigzag: bool) -> bytes:
    """Return the shortest bytes that ``read_varint`` reads as the value.

    >>> varint(300, 10, "count", big_endian=False, zigzag=False)
    b'\\xac\\x02'
    >>> varint(-1, 10, "change", big_endian=False, zigzag=True)
    b'\\x01'
    """
    left = (value << 1 if value >= 0 else ~value << 1 | 1) if zigzag else value
    if left < 0 or left >> 7 * groups:
        raise ConsistencyError(name, f"an integer that {groups} groups of 7 bits hold", value)
    found = bytearray((left & 127,))
    while left := left >> 7:
        found.append(left & 127)
    for number in range(1 if big_endian else 0, len(found) - (0 if big_endian else 1)):
        found[number] |= 128
    return bytes(found[::-1] if big_endian else found)
