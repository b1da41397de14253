"""Checks of bytes by the types of an Avro schema: fastavro also reads bytes that Avro does not allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Check = Callable[[bytes, int], int]
"""Returns the position after the value at a position. Raises ``ValueError``, and ``IndexError`` after the last
byte."""


def varint(name: str, bits: int) -> Check:
    """Return the check of whole numbers of a type."""
    most = (bits - 1) // 7
    largest = (1 << bits - 7 * most) - 1

    def end(data: bytes, at: int) -> int:
        first = at
        while data[at] > 127:
            at += 1
        if at - first >= most and (at - first > most or data[at] > largest):
            raise ValueError(f"the {name} at byte {first} has more than {bits} bits")
        return at + 1

    return end


long_end = varint("long", 64)


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Return a ``long`` and the position after it."""
    value = data[at]
    if value < 128:
        return (value >> 1) ^ -(value & 1), at + 1
    end, value = long_end(data, at), 0
    for each in reversed(data[at:end]):
        value = value << 7 | each & 127
    return (value >> 1) ^ -(value & 1), end


def boolean_end(data: bytes, at: int) -> int:
    """Check a ``boolean``."""
    if data[at] > 1:
        raise ValueError(f"the boolean at byte {at} is {data[at]}")
    return at + 1


def bytes_end(data: bytes, at: int) -> int:
    """Check ``bytes``."""
    size, begin = _number(data, at)
    if not 0 <= size <= len(data) - begin:
        raise ValueError(f"the value at byte {at} has {size} bytes, and {len(data) - begin} are left")
    return begin + size


def string_end(data: bytes, at: int) -> int:
    """Check a ``string``."""
    end = bytes_end(data, at)
    if not data[at:end].isascii():
        str(data[_number(data, at)[1] : end], "utf-8")
    return end


def sized(size: int) -> Check:
    """Return the check of values of one size."""

    def end(data: bytes, at: int) -> int:
        at += size
        if at > len(data):
            raise IndexError
        return at

    return end


def _index(data: bytes, at: int, count: int) -> tuple[int, int]:
    number, end = _number(data, at)
    if not 0 <= number < count:
        raise ValueError(f"the index at byte {at} is {number}, of {count}")
    return number, end


def enum(count: int) -> Check:
    """Return the check of an ``enum`` of ``count`` symbols."""
    return lambda data, at: _index(data, at, count)[1]


def union(checks: Sequence[Check]) -> Check:
    """Return the check of a union."""

    def end(data: bytes, at: int) -> int:
        number, at = _index(data, at, len(checks))
        return checks[number](data, at)

    return end


def record(checks: Sequence[Check]) -> Check:
    """Return the check of values that follow each other."""

    def end(data: bytes, at: int) -> int:
        for check in checks:
            at = check(data, at)
        return at

    return end


def array(check: Check) -> Check:
    """Return the check of an ``array``, or of a ``map`` by its pairs. An item has one byte at least."""

    def end(data: bytes, at: int) -> int:
        while True:
            count, at = _number(data, at)
            if not count:
                return at
            size = -1
            if count < 0:
                size, at = _number(data, at)
            first = at
            for _ in range(abs(count)):
                at = check(data, at)
            if count < 0 and at - first != size:
                raise ValueError(f"the items at byte {first} have {at - first} bytes, and {size} are claimed")

    return end


SCALARS: dict[str, Check] = {
    "null": sized(0),
    "boolean": boolean_end,
    "int": varint("int", 32),
    "long": long_end,
    "float": sized(4),
    "double": sized(8),
    "bytes": bytes_end,
    "string": string_end,
}
